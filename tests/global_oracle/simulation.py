# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A slow, obvious scheduler of plain tasks on several processors, tick by tick.

Source: SPEC.md, 1 to 3 and 11. Left out: all that section 11 refuses, and random numbers. Every tick sorts all
unfinished jobs that are first of their tasks, and the first ones run.

When not to use it: anywhere but in tests.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from oracle.model import CLASSES, JobRow, System, Task

Segment = tuple[int, int, int, str, int]
"""Start, end, processor, task, job."""


@dataclass(frozen=True)
class Outcome:
    """What happened, each count by the name of the task."""

    segments: list[Segment]
    jobs: list[JobRow]
    misses: dict[str, int]
    aborted: dict[str, int]
    skipped: dict[str, int]
    overruns: dict[str, int]
    preemptions: dict[str, int]
    migrations: dict[str, int]


@dataclass(eq=False)
class _Job:
    """A job: what it is, how much it has executed, where it ran last, and when it became the first of its task."""

    task: _Task
    number: int
    arrival: int
    demand: int
    executed: int = 0
    cpu: int | None = None
    place: int = 0
    finish: int | None = None
    fate: str = "unfinished"

    @property
    def deadline(self) -> int:
        """The absolute one."""
        return self.arrival + self.task.spec.relative_deadline

    def has_missed(self, horizon: int) -> bool:
        """True if it was late, never will finish, or has a deadline up to the horizon."""
        if self.finish is not None:
            return self.finish > self.deadline
        return self.fate != "unfinished" or self.deadline <= horizon


@dataclass(eq=False)
class _Task:
    """A task: its place in the file, its unfinished jobs in order, and what was counted."""

    spec: Task
    number: int
    released: int = 0
    jobs: list[_Job] = field(default_factory=list)
    preemptions: int = 0
    migrations: int = 0

    def next_release(self) -> tuple[int, int] | None:
        """Return release and arrival of the next job."""
        if self.spec.releases is not None:
            return self.spec.releases[self.released] if self.released < len(self.spec.releases) else None
        assert self.spec.period is not None
        instant = self.spec.offset + self.released * self.spec.period
        return instant, instant


def _file_order(job: _Job) -> tuple[int, int]:
    """Order equals of a computed key."""
    return CLASSES.index(job.task.spec.class_), job.task.number


_KEYS: dict[str, Callable[[_Job], tuple[int, ...]]] = {
    "fp": lambda job: (-job.task.spec.priority, job.place),
    "rm": lambda job: (job.task.spec.rate_period or 0, *_file_order(job)),
    "dm": lambda job: (job.task.spec.relative_deadline, *_file_order(job)),
    "edf": lambda job: (job.deadline, *_file_order(job)),
}
"""The smaller, the more urgent."""


def simulate(system: System, cpus: int, horizon: int) -> Outcome:
    """Run the ticks 0 .. horizon-1 of plain tasks on some processors.

    Args:
        system: tasks without servers, resources, bodies, thresholds and costs, under fp, rm, dm or edf.
        cpus: how many processors.
        horizon: number of ticks, >= 0.
    """
    assert system.policy in _KEYS
    assert not system.servers
    assert not system.resources
    assert all(not task.steps and task.threshold is None and task.server is None for task in system.tasks)
    run = _Run(system, cpus)
    for now in range(horizon):
        run.complete(now)
        run.abort(now)
        run.release(now)
        run.dispatch()
        run.execute(now)
    run.complete(horizon)
    return run.outcome(horizon)


class _Run:
    """The state of one simulation."""

    def __init__(self, system: System, cpus: int) -> None:
        self.key = _KEYS[system.policy]
        self.tasks = [_Task(spec, number) for number, spec in enumerate(system.tasks)]
        self.running: list[_Job | None] = [None] * cpus
        self.places = 0
        self.ended: list[_Job] = []
        self.ticks: list[tuple[int, int, str, int]] = []

    def complete(self, now: int) -> None:
        """Step 2: end what has executed its demand, processor by processor."""
        for job in list(self.running):
            if job is not None and job.executed == job.demand:
                job.finish = now
                self.end(job, "finished")

    def abort(self, now: int) -> None:
        """Step 5: end what is late, in file order."""
        for task in self.tasks:
            self.abort_of(task, now)

    def abort_of(self, task: _Task, now: int) -> None:
        """End the jobs of one task that are late, if it wants that."""
        while task.spec.on_miss == "abort" and task.jobs and task.jobs[0].deadline <= now:
            self.end(task.jobs[0], "aborted")

    def release(self, now: int) -> None:
        """Step 7: release what is due, in file order."""
        for task in self.tasks:
            while (upcoming := task.next_release()) is not None and upcoming[0] <= now:
                self.release_job(task, upcoming[1])
                self.abort_of(task, now)

    def release_job(self, task: _Task, arrival: int) -> None:
        """Add the next job of a task, or drop it."""
        job = _Job(task, task.released, arrival, task.spec.demands[task.released % len(task.spec.demands)])
        task.released += 1
        if task.spec.on_miss == "skip" and task.jobs:
            job.fate = "skipped"
            self.ended.append(job)
            return
        task.jobs.append(job)
        if task.jobs == [job]:
            self.take_place(job)

    def take_place(self, job: _Job) -> None:
        """A job becomes the first of its task: at the tail of its priority."""
        self.places += 1
        job.place = self.places

    def end(self, job: _Job, fate: str) -> None:
        """End the first job of a task; the next one takes over."""
        job.fate = fate
        self.ended.append(job)
        self.running = [None if other is job else other for other in self.running]
        job.task.jobs.remove(job)
        if job.task.jobs:
            self.take_place(job.task.jobs[0])

    def dispatch(self) -> None:
        """Step 8: the most urgent run; a job that continues stays where it is."""
        first = [task.jobs[0] for task in self.tasks if task.jobs]
        chosen = sorted(first, key=self.rank)[: len(self.running)]
        displaced = [job for job in self.running if job is not None and job not in chosen]
        places = [cpu for cpu, job in enumerate(self.running) if job is None]
        places += [self.running.index(job) for job in sorted(displaced, key=self.rank, reverse=True)]
        new = [job for job in chosen if job not in self.running]
        for job in displaced:
            job.task.preemptions += 1
            self.running[self.running.index(job)] = None
        for job, cpu in zip(new, places, strict=False):
            job.task.migrations += job.cpu not in (None, cpu)
            job.cpu = cpu
            self.running[cpu] = job

    def rank(self, job: _Job) -> tuple[int, ...]:
        """Order jobs: those that no job displaces, then by the policy."""
        is_kept = job.task.spec.non_preemptive and job in self.running
        return (0, *self.key(job)) if is_kept else (1, *self.key(job))

    def execute(self, now: int) -> None:
        """Let the running jobs execute the tick."""
        for cpu, job in enumerate(self.running):
            if job is not None:
                job.executed += 1
                self.ticks.append((cpu, now, job.task.spec.name, job.number))

    def outcome(self, horizon: int) -> Outcome:
        """Collect the result."""
        jobs = self.ended + [job for task in self.tasks for job in task.jobs]
        return Outcome(
            segments=self.segments(),
            jobs=[_row(job, horizon) for job in jobs],
            misses=self.count(jobs, lambda job: job.has_missed(horizon)),
            aborted=self.count(jobs, lambda job: job.fate == "aborted"),
            skipped=self.count(jobs, lambda job: job.fate == "skipped"),
            overruns=self.count(jobs, lambda job: job.finish is not None and job.demand > job.task.spec.declared_wcet),
            preemptions={task.spec.name: task.preemptions for task in self.tasks},
            migrations={task.spec.name: task.migrations for task in self.tasks},
        )

    def count(self, jobs: list[_Job], counts: Callable[[_Job], bool]) -> dict[str, int]:
        """Count some jobs of each task."""
        return {task.spec.name: sum(counts(job) for job in jobs if job.task is task) for task in self.tasks}

    def segments(self) -> list[Segment]:
        """Merge the ticks of one job on one processor; in the order of start and processor."""
        made: list[Segment] = []
        for cpu, now, task, job in sorted(self.ticks):
            start = now
            if made and made[-1][1:] == (now, cpu, task, job):
                start = made.pop()[0]
            made.append((start, now + 1, cpu, task, job))
        return sorted(made, key=lambda segment: (segment[0], segment[2]))


def _row(job: _Job, horizon: int) -> JobRow:
    """Return the row of one job."""
    response = None if job.finish is None else job.finish - job.arrival
    return job.task.spec.name, job.number, job.arrival, job.finish, response, job.has_missed(horizon)
