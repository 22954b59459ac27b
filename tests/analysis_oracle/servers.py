# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Servers beside tasks in one dispatcher, by the formulas taken literally, window by window."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

TASK, PERIODIC, DEFERRABLE, SPORADIC, SEPARATED, BANDWIDTH = range(6)
LIMIT = 5000

Member = tuple[int, int, int]
Demander = tuple[int, int, int, int]


def responses(members: Sequence[Member]) -> list[int | None]:
    """Return the longest response of each (kind, C or Q, T or P), most urgent first, D = T; None if overloaded."""
    seen: list[tuple[int, int, int]] = []
    found: list[int | None] = []
    for kind, wcet, period in members:
        response = _response(seen, wcet, period)
        found.append(response)
        if kind == SPORADIC:
            wait = response - wcet if response is not None and response <= period else period
            seen.append((wcet, max(period - wait, period // 2, 1), 0))
        else:
            seen.append((wcet, period, period - wcet if kind == DEFERRABLE else 0))
    return found


def _response(seen: Sequence[tuple[int, int, int]], wcet: int, period: int) -> int | None:
    """Return the longest response in the active period, or in a hyperperiod if there is no end."""
    share = sum((Fraction(c, t) for c, t, _ in seen), Fraction(wcet, period))
    if share > 1:
        return None
    worst = 0
    for job in range(math.lcm(period, *(t for _, t, _ in seen)) // period):
        done = next(t for t in range(1, LIMIT) if t >= (job + 1) * wcet + sum(-(-(t + j) // p) * c for c, p, j in seen))
        worst = max(worst, done - job * period)
        if done <= (job + 1) * period:
            break
    return worst


def share(members: Sequence[Demander]) -> Fraction:
    """Return the share of the processor that (kind, C or Q, T or P, D) need, a sporadic server twice its own."""
    return sum((Fraction((2 if kind == SPORADIC else 1) * c, t) for kind, c, t, _ in members), Fraction(0))


def demand(members: Sequence[Demander], window: int) -> int:
    """Return the demand in a window, with deadlines in it."""
    return sum(_demand(*member, window) for member in members)


def _demand(kind: int, wcet: int, period: int, deadline: int, window: int) -> int:
    if kind == TASK:
        return max(0, (window - deadline) // period + 1) * wcet
    if kind == DEFERRABLE:
        return max(min(first, wcet) + (window - first) // period * wcet for first in range(min(period, window) + 1))
    if kind == SEPARATED:
        whole, rest = divmod(window, period)
        return whole * wcet + min(rest, wcet)
    if kind == BANDWIDTH:
        return math.floor(Fraction(window * wcet, period))
    return window // period * wcet * (2 if kind == SPORADIC else 1)


def failing_windows(members: Sequence[Demander], limit: int) -> list[int]:
    """Return the windows from the least deadline on, which is 1 beside bandwidth servers, with too much demand."""
    first = min(1 if kind == BANDWIDTH else deadline for kind, _, _, deadline in members)
    return [window for window in range(first, limit) if demand(members, window) > window]


def bandwidth_busy_period(
    tasks: Sequence[tuple[int, int, int]], period: int, budget: int, is_cbs: bool, limit: int
) -> int | None:
    """Return the first instant by which all released demand of (C, T, J) is due later in a cbs, or else in a tbs."""
    for end in range(1, limit):
        jobs = [(-(-(end + jitter) // separation), wcet) for wcet, separation, jitter in tasks]
        if is_cbs:
            due = -(-sum(count * wcet for count, wcet in jobs) // budget) * period
        else:
            due = sum(count * -(-wcet * period // budget) for count, wcet in jobs)
        if due <= end:
            return end
    return None
