# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What a server supplies at worst, by trying every legal pattern; and the tests inside a server, literally."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

Supply = Callable[[int], int]


class Task(NamedTuple):
    """A sporadic task in ticks: C, T, D, J, and what else its response depends on."""

    wcet: int
    period: int
    deadline: int
    jitter: int = 0
    blocking: int = 0
    last: int = 1


def patterns(period: int, budget: int, response: int) -> Iterator[tuple[bool, ...]]:
    """Yield each way in which a period can hold the budget within `response` ticks from its beginning."""
    for ticks in itertools.combinations(range(response), budget):
        yield tuple(tick in ticks for tick in range(period))


def least_supply(period: int, budget: int, response: int, window: int) -> int:
    """Return the least supply in a window of so many ticks, over all patterns and all beginnings.

    A period's ticks are chosen for the part of it that lies in the window, one period independently of the other.
    """
    return min(
        sum(_least_in(period, budget, response, begin, end) for begin, end in _parts(period, start, window))
        for start in range(period)
    )


def _parts(period: int, start: int, window: int) -> Iterator[tuple[int, int]]:
    """Cut a window into the parts of the periods that it meets."""
    at = start
    while at < start + window:
        end = min(start + window, at - at % period + period)
        yield at % period, end - (at - at % period)
        at = end


def _least_in(period: int, budget: int, response: int, begin: int, end: int) -> int:
    """Return the least that a period can hold in its ticks begin .. end - 1."""
    return min(sum(pattern[begin:end]) for pattern in patterns(period, budget, response))


def sbf(period: int, budget: int, t: int) -> int:
    """Return sbf as the specification writes it (6.5)."""
    if t < period - budget:
        return 0
    k = (t - (period - budget)) // period
    return k * budget + max(0, t - 2 * (period - budget) - k * period)


def refined_sbf(period: int, budget: int, gap: int, t: int) -> int:
    """Return sbf with another first gap (6.5)."""
    if t <= gap:
        return 0
    k, rest = divmod(t - gap, period)
    return k * budget + min(budget, rest)


def response(tasks: Sequence[Task], place: int, supply: Supply, limit: int) -> int:
    """Return the longest response of a task, most urgent first, of the jobs that are finished by `limit`.

    Every job of the active period, tick by tick: a region at the end of a job begins in the first tick that is
    supplied when nothing more urgent, and nothing earlier of its own, is left to do.
    """
    task, higher = tasks[place], tasks[:place]
    worst = 0
    for job in itertools.count():
        own = task.blocking + (job + 1) * task.wcet
        begun = _first_supplied(own - task.last + 1, higher, supply, limit)
        idle = _first_supplied(own, higher, supply, limit)
        if begun is None or idle is None:
            return worst
        done = own + _released(higher, begun)
        finish = next(t for t in itertools.count() if supply(t) >= done)
        worst = max(worst, finish + task.jitter - job * task.period)
        if idle + task.jitter <= (job + 1) * task.period:
            return worst
    raise AssertionError


def _first_supplied(own: int, higher: Sequence[Task], supply: Supply, limit: int) -> int | None:
    """Return the first instant at which own work, and all that others have released by then, has been supplied."""
    return next((t for t in range(1, limit) if supply(t) >= own + _released(higher, t)), None)


def _released(tasks: Sequence[Task], t: int) -> int:
    return sum(-(-(t + task.jitter) // task.period) * task.wcet for task in tasks)


def demand(tasks: Sequence[Task], window: int) -> int:
    """Return what tasks demand under EDF in a window (6.5)."""
    return sum(max(0, (window + t.jitter - t.deadline) // t.period + 1) * t.wcet for t in tasks)


def failing_windows(tasks: Sequence[Task], blocking: Callable[[int], int], supply: Supply, limit: int) -> list[int]:
    """Return the windows from the least deadline to `limit` in which there is more demand than supply."""
    first = min(task.deadline - task.jitter for task in tasks)
    return [
        window
        for window in range(max(0, first), limit + 1)
        if demand(tasks, window) + blocking(window) > supply(window)
    ]


def busy_period(tasks: Sequence[Task], blocking: int, supply: Supply, limit: int) -> int:
    """Return the longest time until all that was released is done, or `limit`."""
    return _first_supplied(blocking, tasks, supply, limit) or limit
