# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Direct fp, rm, dm, edf, llf with subjobs, and fixed priorities in deferrable servers.

Source: algorithms.md 0.2 to 0.4, 3.1, 6.1, 6.2. Late jobs are continued; later jobs of their task wait behind them.
Smaller priority is more urgent here, as in section 5.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Ticks = list[str | None]


@dataclass
class PeriodicTask:
    """A periodic task.

    Args:
        name: unique.
        period: between releases.
        wcet: estimate of the demand.
        deadline: relative; None is the period.
        priority: for fp.
        offset: first release.
        demands: of the jobs, repeated; None is the wcet.
        subjobs: their lengths, non-preemptive; None is a preemptive task.
        server: name of the server around it.
    """

    name: str
    period: int
    wcet: int
    deadline: int | None = None
    priority: int = 0
    offset: int = 0
    demands: tuple[int, ...] | None = None
    subjobs: tuple[int, ...] | None = None
    server: str | None = None

    def relative_deadline(self) -> int:
        """Give D."""
        return self.period if self.deadline is None else self.deadline

    def is_released_at(self, now: int) -> bool:
        """Say whether a job is released."""
        return now >= self.offset and (now - self.offset) % self.period == 0

    def demand_of(self, number: int) -> int:
        """Give the demand of a job."""
        return self.wcet if self.demands is None else self.demands[number % len(self.demands)]


@dataclass(eq=False)
class DirectJob:
    """A job."""

    task: PeriodicTask
    number: int
    release: int
    demand: int
    executed: int = 0
    finish: int | None = None

    @property
    def deadline(self) -> int:
        """Give the absolute deadline."""
        return self.release + self.task.relative_deadline()

    def is_inside_a_subjob(self) -> bool:
        """Say whether it stands in the middle of a subjob."""
        boundary = 0
        for length in self.task.subjobs or ():
            if boundary < self.executed < boundary + length:
                return True
            boundary += length
        return False

    def is_missed(self, horizon: int) -> bool:
        """Say whether its deadline was missed up to the horizon."""
        return self.deadline <= horizon if self.finish is None else self.finish > self.deadline


KEYS: dict[str, Callable[[DirectJob], int]] = {
    "fp": lambda job: job.task.priority,
    "rm": lambda job: job.task.period,
    "dm": lambda job: job.task.relative_deadline(),
    "edf": lambda job: job.deadline,
    "llf": lambda job: job.deadline - (job.task.wcet - job.executed),
}


@dataclass
class DirectOutcome:
    """Who had each tick, and all jobs in order of release."""

    ticks: Ticks
    jobs: list[DirectJob]

    def has_misses(self) -> bool:
        """Say whether a deadline up to the end was missed."""
        return any(job.is_missed(len(self.ticks)) for job in self.jobs)


def simulate(tasks: tuple[PeriodicTask, ...], policy: str, horizon: int) -> DirectOutcome:
    """Run periodic tasks under one policy; ties by place in the file."""
    jobs: list[DirectJob] = []
    ticks: Ticks = []
    running: DirectJob | None = None
    for now in range(horizon):
        release(tasks, jobs, now)
        if running is None or running.finish is not None or not running.is_inside_a_subjob():
            running = choose(tasks, jobs, policy)
        ticks.append(None if running is None else running.task.name)
        if running is not None:
            execute(running, now)
    return DirectOutcome(ticks, jobs)


def release(tasks: tuple[PeriodicTask, ...], jobs: list[DirectJob], now: int) -> None:
    """Add the jobs that are released now."""
    for task in tasks:
        if task.is_released_at(now):
            number = sum(job.task is task for job in jobs)
            jobs.append(DirectJob(task, number, now, task.demand_of(number)))


def first_pending(task: PeriodicTask, jobs: list[DirectJob]) -> DirectJob | None:
    """Give the oldest unfinished job of a task."""
    return next((job for job in jobs if job.task is task and job.finish is None), None)


def choose(tasks: tuple[PeriodicTask, ...], jobs: list[DirectJob], policy: str) -> DirectJob | None:
    """Give the most urgent of the oldest jobs."""
    heads = [job for task in tasks if (job := first_pending(task, jobs)) is not None]
    return min(heads, key=KEYS[policy], default=None)


def execute(job: DirectJob, now: int) -> None:
    """Let a job have the tick."""
    job.executed += 1
    if job.executed == job.demand:
        job.finish = now + 1


@dataclass
class DeferrableServer:
    """A deferrable server with fixed priorities inside."""

    name: str
    period: int
    capacity: int
    priority: int
    offset: int = 0

    def is_replenished_at(self, now: int) -> bool:
        """Say whether a period begins."""
        return now >= self.offset and (now - self.offset) % self.period == 0


def simulate_servers(
    servers: tuple[DeferrableServer, ...], tasks: tuple[PeriodicTask, ...], horizon: int
) -> DirectOutcome:
    """Run tasks in deferrable servers: global level first, then local level, both by fixed priority."""
    budgets = dict.fromkeys((server.name for server in servers), 0)
    jobs: list[DirectJob] = []
    ticks: Ticks = []
    for now in range(horizon):
        budgets.update({server.name: server.capacity for server in servers if server.is_replenished_at(now)})
        release(tasks, jobs, now)
        job = choose_in_servers(servers, budgets, tasks, jobs)
        ticks.append(None if job is None else job.task.name)
        if job is not None:
            execute(job, now)
            budgets[str(job.task.server)] -= 1
    return DirectOutcome(ticks, jobs)


def choose_in_servers(
    servers: tuple[DeferrableServer, ...],
    budgets: dict[str, int],
    tasks: tuple[PeriodicTask, ...],
    jobs: list[DirectJob],
) -> DirectJob | None:
    """Give the job of the most urgent server that has budget and a job."""
    for server in sorted(servers, key=lambda server: server.priority):
        inside = tuple(task for task in tasks if task.server == server.name)
        job = choose(inside, jobs, "fp")
        if budgets[server.name] > 0 and job is not None:
            return job
    return None
