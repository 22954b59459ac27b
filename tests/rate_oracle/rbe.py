# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Rate-based execution: deadlines by the recurrence, an EDF schedule tick by tick, and the feasibility tests.

Source: section 1 of the rules. Every event costs the whole c.

What the specification leaves open:

- Events, that is jobs, are numbered from 0 here; the rules and the golden file count from 1.
- Under non-preemptive EDF a job that has started runs to its end; the choice is made only when no job has started.
- The feasibility tests are for any arrivals; both include that the processor is not overloaded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import lcm

from .model import CLASSES, Segment

JobRow = tuple[str, int, int, int, int | None]


@dataclass(frozen=True)
class RbeTask:
    """A task that expects x events in every y ticks; each costs at most c ticks and is due d ticks later.

    Args:
        arrivals: instants of the events, not descending; any number may come at once.
        class_: decides among equal deadlines, before the place in the file.
    """

    name: str
    x: int
    y: int
    d: int
    c: int
    arrivals: tuple[int, ...] = ()
    class_: str = "hard"


@dataclass
class Event:
    """One event of a task: its number from 0, its deadline and the work that is left."""

    task: RbeTask
    order: int
    number: int
    arrival: int
    deadline: int
    left: int
    finish: int | None = None

    @property
    def key(self) -> tuple[int, int, int, int]:
        """What EDF compares: deadline, then class, place in the file, number."""
        return self.deadline, CLASSES.index(self.task.class_), self.order, self.number


def deadlines(task: RbeTask) -> list[int]:
    """Return the deadline of every event, equation (1)."""
    found: list[int] = []
    for number, arrival in enumerate(task.arrivals):
        is_limited = number >= task.x
        found.append(max(arrival + task.d, found[number - task.x] + task.y) if is_limited else arrival + task.d)
    return found


def simulate(tasks: Sequence[RbeTask], horizon: int, *, preemptive: bool = True) -> tuple[list[Segment], list[JobRow]]:
    """Run EDF for the ticks 0 .. horizon-1.

    Args:
        tasks: in file order.
        horizon: number of ticks.
        preemptive: False lets a job that has started run to its end.
    Returns:
        The segments (start, end, task, number), and (task, number, arrival, deadline, finish or None) of every event in
        task order.
    """
    events = [event for order, task in enumerate(tasks) for event in _events(task, order)]
    segments: list[Segment] = []
    for now in range(horizon):
        event = _choose([event for event in events if event.arrival <= now and event.left], preemptive)
        if event is not None:
            event.left -= 1
            event.finish = now + 1 if event.left == 0 else None
            _note_tick(segments, event, now)
    return segments, [(event.task.name, event.number, event.arrival, event.deadline, event.finish) for event in events]


def demand(tasks: Sequence[RbeTask], length: int) -> int:
    """Return the most work that must be done inside an interval of this length, over all arrivals."""
    return sum(max(0, (length - task.d + task.y) // task.y) * task.x * task.c for task in tasks)


def is_feasible(tasks: Sequence[RbeTask], *, preemptive: bool = True) -> bool:
    """True if EDF meets every deadline whatever the arrivals are."""
    if not _is_rate_possible(tasks):
        return False
    lengths = range(1, lcm(*(task.y for task in tasks)) + max(task.d for task in tasks) + 1)
    is_met = all(demand(tasks, length) <= length for length in lengths)
    return is_met and (preemptive or all(_is_blocking_possible(tasks, task) for task in tasks))


def _is_blocking_possible(tasks: Sequence[RbeTask], blocker: RbeTask) -> bool:
    """True if the others bear a job of this task that has just started and cannot be preempted."""
    lengths = range(min(task.d for task in tasks), blocker.d)
    return all(blocker.c - 1 + demand(tasks, length) <= length for length in lengths)


def _is_rate_possible(tasks: Sequence[RbeTask]) -> bool:
    """True if the sum of x c / y is at most 1."""
    common = lcm(*(task.y for task in tasks))
    return sum(task.x * task.c * common // task.y for task in tasks) <= common


def _events(task: RbeTask, order: int) -> list[Event]:
    """Return the events of one task."""
    pairs = zip(task.arrivals, deadlines(task), strict=True)
    return [Event(task, order, number, arrival, due, task.c) for number, (arrival, due) in enumerate(pairs)]


def _choose(ready: list[Event], preemptive: bool) -> Event | None:
    """Choose the job that runs: the least key, but without preemption one that has started."""
    started = [event for event in ready if event.left < event.task.c and not preemptive]
    return min(started or ready, key=lambda event: event.key, default=None)


def _note_tick(segments: list[Segment], event: Event, now: int) -> None:
    """Add the tick to the last segment if that one is of the same event and ends now."""
    start, who = now, (event.task.name, event.number)
    if segments and segments[-1][1:] == (now, *who):
        start = segments.pop()[0]
    segments.append((start, now + 1, *who))
