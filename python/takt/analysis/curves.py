# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Demand and supply as step functions, for charts: where demand is above supply, a deadline can be missed.

Under fixed priorities the demand of a task is what it and all that is more urgent request up to t, from the critical
instant on (Lehoczky, Sha, Ding 1989): the first t at which it is supplied is the response. Under deadlines it is the
processor demand of a dispatcher (Baruah, Rosier, Howell 1990): what must be done up to t.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from takt.analysis.result import Curve

MAX_STEPS = 1500
"""How many steps a curve has at most; a longer one ends earlier."""


class Stairs(NamedTuple):
    """A demand that grows by `height` at `first`, and then every `period`. Times in ticks."""

    first: int
    period: int
    height: int


def requests(start: int, above: Iterable[tuple[int, int, int]]) -> tuple[int, list[Stairs]]:
    """Return the requests from a critical instant on: the initial one, and the later steps.

    Args:
        start: what the task itself needs, and for how long less urgent ones block it.
        above: wcet, period and jitter of all that is more urgent.
    """
    members = list(above)
    at_once = start + sum(wcet * (jitter // period + 1) for wcet, period, jitter in members)
    return at_once, [Stairs(period - jitter % period, period, wcet) for wcet, period, jitter in members]


def demands(tasks: Iterable[tuple[int, int, int, int]]) -> tuple[int, list[Stairs]]:
    """Return the processor demand of tasks, given by wcet, period, deadline and jitter."""
    return 0, [Stairs(max(deadline - jitter, 0), period, wcet) for wcet, period, deadline, jitter in tasks]


def demand_curve(title: str, at_once: int, stairs: Sequence[Stairs], until: int) -> Curve:
    """Draw a demand from 0 up to an instant, or to its last step that is drawn."""
    points = [(0, at_once)]
    for instant, height in _steps(stairs):
        if instant > until or len(points) == MAX_STEPS:
            break
        if points[-1][0] == instant:
            points[-1] = (instant, points[-1][1] + height)
        else:
            points.append((instant, points[-1][1] + height))
    else:
        return Curve(title, "demand", (*points, (until, points[-1][1])))
    end = until if instant > until else points[-1][0]
    return Curve(title, "demand", (*points, (end, points[-1][1])))


def _steps(stairs: Sequence[Stairs]) -> Iterator[tuple[int, int]]:
    """Yield instants and heights of all steps, in order of time."""
    due = [(each.first, place) for place, each in enumerate(stairs)]
    heapq.heapify(due)
    while due:
        instant, place = due[0]
        yield instant, stairs[place].height
        heapq.heapreplace(due, (instant + stairs[place].period, place))


def whole_processor(until: int) -> Curve:
    """Draw the supply of a processor."""
    return Curve("processor", "supply", ((0, 0), (until, until)))


def server_supply(name: str, gap: int, budget: int, period: int, until: int) -> Curve:
    """Draw the least supply of a server: nothing in the gap, then its budget at the start of each period."""
    points, supplied, begin = [(0, 0)], 0, gap
    while begin < until and len(points) < MAX_STEPS:
        end = min(begin + budget, until)
        points += [(begin, supplied), (end, supplied + end - begin)]
        supplied += end - begin
        begin += period
    return Curve(name, "supply", (*points, (until, supplied)) if points[-1][0] < until else tuple(points))
