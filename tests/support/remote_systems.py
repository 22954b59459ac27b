# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Systems that are bounded with a remote scheduler: tasks whose jobs run, with points or without, and all releases."""

from __future__ import annotations

import random
from dataclasses import dataclass

import takt
from analysis_oracle.remote import Task

HORIZON = 2500


@dataclass(frozen=True)
class Drawn:
    """A task that is drawn, with the releases of its jobs; those of an external one come from outside."""

    runs: tuple[int, ...]
    period: int
    deadline: int
    releases: tuple[tuple[int, int], ...]
    jitter: int = 0
    is_external: bool = False
    is_limited: bool = False

    def of_file(self, name: str, priority: int) -> takt.Task:
        """The task of a file."""
        given: dict[str, object] = {"period": self.period, "jitter": self.jitter}
        if self.is_external and not self.jitter:
            given = {"min_separation": self.period, "arrivals": [nominal for nominal, _ in self.releases]}
        elif not self.jitter:
            given["offset"] = self.releases[0][0]
        if len(self.runs) > 1:
            executes: dict[str, object] = {"subjobs": list(self.runs)}
        else:
            executes = {"wcet": self.runs[0], "preemption": "non-preemptive" if self.is_limited else "preemptive"}
        return takt.Task(**given, **executes, name=name, deadline=self.deadline, priority=priority)

    def of_oracle(self, policy: str, place: int) -> Task:
        """The task of the two sides."""
        key = {"fp": place, "rm": self.period, "dm": self.deadline, "edf": None}[policy]
        return Task(self.runs, self.deadline, key, self.is_external, self.is_limited, self.releases)


def system_of(tasks: list[Drawn], policy: str) -> takt.System:
    """A system; under fp the first task is the most urgent."""
    made = [task.of_file(f"T{place}", len(tasks) - place) for place, task in enumerate(tasks)]
    return takt.System(resolution="1us", policy=policy, tasks=made)


def _draw_task(generator: random.Random, share: float, *, may_be_external: bool, may_be_limited: bool) -> Drawn:
    """A task that takes about a share of the processor."""
    period = generator.choice([40, 80, 160, generator.randint(30, 300), generator.randint(30, 300)])
    wcet = max(1, round(period * share * generator.uniform(0.3, 1.4)))
    deadline = generator.choice([period, generator.randint(period // 2, period), generator.randint(period, 2 * period)])
    is_external, is_limited = (
        may_be_external and generator.random() < 0.5,
        may_be_limited and generator.random() < 0.5,
    )
    jitter = min(generator.choice([0, generator.randint(0, 20)]), deadline - 1) if is_external else 0
    first = generator.randint(1, wcet)
    runs = (first, wcet - first) if is_limited and first < wcet and generator.random() < 0.6 else (wcet,)
    is_irregular = is_external and not jitter and generator.random() < 0.3
    nominal, releases = generator.choice([0, generator.randint(0, 10), generator.randint(0, period)]), []
    while nominal < HORIZON:
        releases.append((nominal, nominal + generator.randint(0, jitter)))
        nominal += period + (generator.randint(0, period) if is_irregular else 0)
    return Drawn(runs, period, deadline, tuple(releases), jitter, is_external, is_limited)


def draw_tasks(generator: random.Random, *, has_external: bool) -> list[Drawn]:
    """Up to four tasks; in half of the cases jobs of some are displaced at points only."""
    count, may_be_limited = generator.randint(1, 4), generator.random() < 0.5
    share = generator.uniform(0.1, 0.8) / count
    return [
        _draw_task(generator, share, may_be_external=has_external, may_be_limited=may_be_limited) for _ in range(count)
    ]
