# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Schedulers in software, on a co-processor and in hardware: the bounds instant by instant, in Python's integers.

A job competes from the look on that learns of it. Here time is counted from the first look of a busy period, at 0;
what it learns was released `reach` before it at most.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

HORIZON = 100_000
"""No busy period is looked at that is longer."""


@dataclass(frozen=True)
class Scheduler:
    """Where the scheduler runs; keys as in a file. `model` is rearm, fixed, coprocessor or hardware."""

    model: str
    context_switch: int
    interval: int = 1
    latency: int = 0


@dataclass(frozen=True)
class Task:
    """A sporadic task; each release comes up to `jitter` after its arrival."""

    wcet: int
    period: int
    deadline: int
    jitter: int = 0


@dataclass(frozen=True)
class Start:
    """How a busy period can begin.

    Args:
        reach: how long before its first look a job that it learns of can be released.
        lag: the least time from a release until a job that is chosen can execute, or is switched to.
        entries: instants at which entries begin, in order, up to a horizon.
        entry: how long one takes.
        switch: to the chosen task, at the first invocation and when one preempts.
        ending: what a job costs after its end, until the next one executes.
    """

    reach: int
    lag: int
    entries: tuple[int, ...]
    entry: int
    switch: int
    ending: int


def starts_of(scheduler: Scheduler) -> list[Start]:
    """Return the ways in which busy periods begin."""
    cost, interval = scheduler.context_switch, scheduler.interval
    half = cost // 2
    if scheduler.model == "hardware":
        return [Start(max(half - 1, 0), 0, (), 0, half, half)]
    if scheduler.model == "coprocessor":
        return [Start(2 * scheduler.latency + half, scheduler.latency, (), 0, half, 2 * half + scheduler.latency)]
    distance = interval if scheduler.model == "fixed" else interval + cost
    from_tick = tuple(range(0, HORIZON, distance))
    found = [Start(distance - 1, cost, from_tick, cost, 0, cost)]
    if distance > cost + 1:  # a completion can come a tick before the timer expires
        first = 1 if scheduler.model == "fixed" else cost
        found.append(Start(distance - 2, cost, (0, *range(first, HORIZON, distance)), cost, 0, cost))
    return found


def begun(start: Start, x: int) -> int:
    """Count the entries that begin before x."""
    if x >= HORIZON:
        raise OverflowError(x)
    return bisect_left(start.entries, x)


def cost(task: Task, start: Start) -> int:
    """Return what a job takes with its switch and its end."""
    return task.wcet + start.switch + start.ending


def load_of(tasks: Sequence[Task], start: Start, scheduler: Scheduler) -> Fraction:
    """Return the share of the processor that jobs and entries demand."""
    period = scheduler.interval + (scheduler.context_switch if scheduler.model == "rearm" else 0)
    return Fraction(start.entry, period) + sum(Fraction(cost(task, start), task.period) for task in tasks)


def released(start: Start, task: Task, x: int) -> int:
    """Count the jobs of a task that can execute before x, from the first one on."""
    return -(-(x - start.lag + start.reach + task.jitter) // task.period)


def response(tasks: Sequence[Task], place: int, above: int, start: Start) -> int:
    """Bound the response of a task, the first `above` others being more urgent or equal."""
    me = tasks[place]
    others = [task for i, task in enumerate(tasks[: max(above, place)]) if i != place]
    worst, job, x = 0, 0, 1
    while True:
        own = job * cost(me, start) + me.wcet
        x = least(others, start, own + start.switch, x)
        worst = max(worst, start.reach + me.jitter + x - job * me.period)
        end = least(others, start, own + start.switch + start.ending, x)
        job += 1
        if end + start.reach - start.lag + me.jitter <= job * me.period:
            return worst


def least(others: Sequence[Task], start: Start, own: int, x: int) -> int:
    """Return the least time from x on in which others, the timer and so much more are done."""
    while True:
        jobs = sum(released(start, task, x) * cost(task, start) for task in others)
        if begun(start, x) * start.entry + jobs + own <= x:
            return x
        x += 1


def fp_responses(tasks: Sequence[Task], above: Sequence[int], scheduler: Scheduler) -> list[int | None]:
    """Bound all responses, most urgent first; None where the processor is used up."""
    found: list[int | None] = []
    for place in range(len(tasks)):
        starts = starts_of(scheduler)
        level = tasks[: max(above[place], place + 1)]
        is_full = any(load_of(level, start, scheduler) >= 1 for start in starts)
        found.append(None if is_full else max(response(tasks, place, above[place], start) for start in starts))
    return found


# ---- earliest deadline first ---------------------------------------------------------------------------------


def due(task: Task, y: int) -> int:
    """Count the jobs with release and deadline in y ticks."""
    return max(0, (y + task.jitter - task.deadline) // task.period + 1)


def busy_period(tasks: Sequence[Task], start: Start) -> int:
    """Return how long the processor can be busy."""
    x = 1
    while begun(start, x) * start.entry + sum(released(start, t, x) * cost(t, start) for t in tasks) > x:
        x += 1
    return x


def finish_of(tasks: Sequence[Task], start: Start, y: int, x: int) -> int:
    """Return when a job is done at most that is due y ticks after the earliest release; not before x."""
    while True:
        jobs = sum(min(released(start, t, x), due(t, y)) * cost(t, start) for t in tasks)
        if begun(start, x) * start.entry + jobs - start.ending <= x:
            return x
        x += 1


def edf_responses(tasks: Sequence[Task], scheduler: Scheduler) -> list[int | None]:
    """Bound all responses; None for all if the processor is used up, or a job may be late or dropped."""
    worst = [0] * len(tasks)
    for start in starts_of(scheduler):
        if load_of(tasks, start, scheduler) >= 1:
            return [None] * len(tasks)
        end = busy_period(tasks, start)
        last = max(start.reach + end, *(task.deadline for task in tasks))
        finish = 1
        for y in range(min(task.deadline - task.jitter for task in tasks), last + 1):
            finish = end if y == last else finish_of(tasks, start, y, finish)
            for place, task in enumerate(tasks):
                if due(task, y) > 0:
                    worst[place] = max(worst[place], start.reach + finish - y + task.deadline)
    is_met = all(ticks <= min(task.deadline, task.period) for ticks, task in zip(worst, tasks, strict=True))
    return list(worst) if is_met else [None] * len(tasks)
