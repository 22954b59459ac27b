# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Task sets of this study, and the three ways to schedule one of them.

A set is written with subjobs. FPDS runs it as it is; FPPS ignores its points; FPNS has no points.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Sequence

import takt

MODES = ("FPPS", "FPDS", "FPNS")

_PERIODS = (4, 5, 6, 8, 10, 12, 15, 20, 24, 30)


def ticks(time: int | str | None) -> int:
    """Read a time that this study wrote: a number of ticks."""
    return int(time or 0)


def demand(task: takt.Task) -> int:
    """Add up the subjobs of a task."""
    return sum(map(ticks, task.subjobs or ()))


def under(mode: str, tasks: Iterable[takt.Task]) -> list[takt.Task]:
    """Return the tasks run preemptively, with points, or without points and preemption."""
    if mode == "FPPS":
        return [task.replace(preemption="preemptive") for task in tasks]
    if mode == "FPNS":
        return [task.replace(subjobs=None, wcet=demand(task), preemption="non-preemptive") for task in tasks]
    return list(tasks)


def simulate(mode: str, tasks: Iterable[takt.Task], horizon: int, **platform: int | str) -> takt.Result:
    """Simulate tasks under one of the modes."""
    return takt.simulate(takt.System(tasks=under(mode, tasks), platform=takt.Platform(**platform)), horizon)


def hyperperiod(tasks: Iterable[takt.Task]) -> int:
    """Return the time after which the pattern of releases repeats."""
    return math.lcm(*(ticks(task.period) for task in tasks))


def random_set(rng: random.Random, unit: int = 1) -> list[takt.Task]:
    """Draw two to four tasks with rate-monotonic priorities, 0.7 <= U <= 1, random offsets and random subjobs.

    Args:
        rng: what is drawn from.
        unit: ticks of which all times are multiples.
    """
    while True:
        tasks = [_random_task(rng, number, unit) for number in range(rng.randint(2, 4))]
        if 0.7 <= sum(demand(task) / ticks(task.period) for task in tasks) <= 1:
            return _with_priorities(tasks)


def _random_task(rng: random.Random, number: int, unit: int) -> takt.Task:
    """Draw a task."""
    period = rng.choice(_PERIODS)
    subjobs = [unit * length for length in _split(rng, rng.randint(1, max(1, period // 2)))]
    offset = unit * rng.randrange(period)
    return takt.Task(name=f"T{number + 1}", period=unit * period, offset=offset, subjobs=subjobs)


def _split(rng: random.Random, length: int) -> list[int]:
    """Cut a length into subjobs."""
    cuts = sorted(rng.sample(range(1, length), min(length - 1, rng.randint(0, 3))))
    return [end - start for start, end in zip([0, *cuts], [*cuts, length], strict=True)]


def _with_priorities(tasks: Sequence[takt.Task]) -> list[takt.Task]:
    """Return tasks in which a shorter period has the higher priority, all of them different."""
    ordered = sorted(tasks, key=lambda task: ticks(task.period), reverse=True)
    return [task.replace(priority=rank + 1) for rank, task in enumerate(ordered)][::-1]
