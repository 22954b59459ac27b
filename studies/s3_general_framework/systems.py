# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Random task sets, the same in Takt's words and in the framework's, and schedules tick by tick."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import takt

from studies.common import golden

HORIZON = 80
PERIODS = (3, 4, 5, 6, 7, 8, 10, 12, 15, 20)
HARMLESS = (4, 5, 8, 10, 20, 40)
"""Periods with a hyperperiod of 40."""

Ticks = list[str]


@dataclass(frozen=True)
class Drawn:
    """A periodic task.

    Args:
        name: unique.
        period: also its relative deadline.
        wcet: what it says that a job takes.
        rank: unique; the smaller, the more urgent.
        offset: first release.
        demands: of its jobs, repeated.
    """

    name: str
    period: int
    wcet: int
    rank: int = 0
    offset: int = 0
    demands: tuple[int, ...] = ()

    def demand_of(self, job: int) -> int:
        """Return the demand of a job."""
        return self.demands[job % len(self.demands)] if self.demands else self.wcet

    def work(self, horizon: int = HORIZON) -> tuple[tuple[int, int, int], ...]:
        """Return releases, demands and wcets in the framework's form."""
        releases = range(self.offset, horizon, self.period)
        return tuple((instant, self.demand_of(job), self.wcet) for job, instant in enumerate(releases))

    def task(self, **keys: Any) -> takt.Task:
        """Return the task in Takt's words; there the larger priority is the more urgent."""
        described: dict[str, Any] = {
            "name": self.name,
            "period": self.period,
            "wcet": self.wcet,
            "offset": self.offset,
            "demand": list(self.demands) or None,
            "priority": 100 - self.rank,
        }
        return takt.Task(**(described | keys))


def load(tasks: Sequence[Drawn]) -> Fraction:
    """Sum wcet / period."""
    return sum((Fraction(task.wcet, task.period) for task in tasks), Fraction(0))


def random_set(rng: random.Random, most: Fraction = Fraction(1), least: Fraction = Fraction(0)) -> list[Drawn]:
    """Draw one to four tasks with a load in some range; demands are at most the wcet."""
    while True:
        tasks = [_random_task(rng, number) for number in range(rng.randint(1, 4))]
        if least <= load(tasks) <= most:
            return tasks


def _random_task(rng: random.Random, number: int) -> Drawn:
    """Draw one task."""
    period = rng.choice(PERIODS)
    wcet = rng.randint(1, period // 2)
    demands = tuple(rng.choice((wcet, rng.randint(1, wcet))) for _ in range(rng.randint(0, 3)))
    return Drawn(f"T{number}", period, wcet, number, rng.choice((0, 0, 1, 3)), demands)


def harmonized_set(rng: random.Random, least: Fraction, most: Fraction, count: int = 4) -> list[Drawn]:
    """Draw tasks without offsets and with a short hyperperiod, the shortest period first."""
    while True:
        periods = sorted(rng.choice(HARMLESS) for _ in range(count))
        tasks = [Drawn(f"T{i}", period, rng.randint(1, max(1, period // 2)), i) for i, period in enumerate(periods)]
        if least <= load(tasks) <= most:
            return tasks


def executed(result: takt.Result) -> Ticks:
    """Return "task#job" in each tick, or nothing."""
    ran = [""] * result.horizon
    for start, end, task, job in result.segments.select("start", "end", "task", "job").iter_rows():
        ran[start:end] = [f"{task}#{job}"] * (end - start)
    return ran


def tasks_of(ticks: Ticks) -> Ticks:
    """Forget the jobs."""
    return [job.partition("#")[0] for job in ticks]


def golden_ticks(name: str, horizon: int) -> Ticks:
    """Read a golden schedule, tick by tick."""
    ran = [""] * horizon
    for row in golden(name):
        start, end = int(row["start"]), int(row["end"])
        ran[start:end] = [row["task"]] * (end - start)
    return ran


def differences(found: Ticks, expected: Ticks) -> int:
    """Count the ticks that differ."""
    return sum(mine != theirs for mine, theirs in zip(found, expected, strict=True))


def missed(result: takt.Result, names: Sequence[str]) -> int:
    """Count the misses of some tasks."""
    own = result.summary.filter(result.summary["task"].is_in(list(names)))
    return int(own["missed"].sum())


def table_of(cycle: int, slots: Sequence[tuple[str, int, int]]) -> list[takt.TimeDriven]:
    """Return a time table of (task, start, end)."""
    return [takt.TimeDriven(cycle=cycle, slots=[takt.Slot(task=n, start=s, length=e - s) for n, s, e in slots])]


def recorded_table(tasks: Sequence[Drawn], cycle: int) -> list[takt.TimeDriven]:
    """Return an off-line table: the schedule of EDF with the wcets in one hyperperiod."""
    system = takt.System(policy="edf", tasks=[task.task(demand=None) for task in tasks])
    segments = takt.simulate(system, cycle).segments
    return table_of(cycle, segments.select("task", "start", "end").rows())
