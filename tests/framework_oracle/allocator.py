# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Allocators, what they see of the dispatcher, and what they may do there.

Source: algorithms.md 5.3 and extensions E2, E4 of 5.5.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

from .model import Job, Record, Task, Unit


@dataclass(eq=False)
class AllocatorView:
    """A task at the dispatcher: its live jobs, its work, and what its allocator has not read yet.

    Args:
        spec: the task.
        order: its place in the file.
        jobs: the live ones, in order of number.
        backlog: units that have arrived and are not finished, first come first.
        units: every unit that has arrived.
        unread: records of ended jobs.
        arrived: units that came since the last call.
        went_idle: the backlog ran empty since the last call.
        served: ticks in which one of its jobs ran.
        submitted: number of jobs handed over.
        calls: number of calls of its allocator.
        is_asked: its allocator is due, and the call waits for the allocator's own task.
    """

    spec: Task
    order: int
    jobs: list[Job] = field(default_factory=list)
    backlog: list[Unit] = field(default_factory=list)
    units: list[Unit] = field(default_factory=list)
    unread: list[Record] = field(default_factory=list)
    arrived: list[Unit] = field(default_factory=list)
    went_idle: bool = False
    served: int = 0
    submitted: int = 0
    calls: int = 0
    is_asked: bool = False

    # ------------------------------------------------------------------------------- for allocators

    def submit(self, job: Job, now: int) -> None:
        """Hand over a job."""
        job.number, job.submitted = self.submitted, now
        self.submitted += 1
        self.jobs.append(job)

    def update(self, job: Job, attribute: str, value: int) -> None:
        """Change an attribute of a job that is Ready or Active (E2)."""
        if job.state not in ("ready", "active"):
            raise ValueError(f"{self.spec.name}: job {job.number} is in state {job.state}, it cannot be updated")
        setattr(job, attribute, value)

    def read_records(self, most: int | None = None) -> list[Record]:
        """Return the oldest unread records, removed."""
        taken = self.unread[:most]
        del self.unread[: len(taken)]
        return taken

    def take_arrived(self) -> list[Unit]:
        """Return the units that came since the last call."""
        taken, self.arrived = self.arrived, []
        return taken

    # ------------------------------------------------------------------------------- for the dispatcher

    def arrive(self, arrival: int, demand: int, estimate: int | None = None) -> Unit:
        """Append a unit of work to the backlog, and return it."""
        unit = Unit(len(self.units), arrival, demand, demand if estimate is None else estimate, demand)
        for queue in (self.units, self.backlog, self.arrived):
            queue.append(unit)
        return unit

    def has_work(self, job: Job) -> bool:
        """True if a unit waits that the job serves."""
        return bool(self.backlog) and (job.serves is None or self.backlog[0].number <= job.serves)

    def is_complete(self, job: Job) -> bool:
        """True if all that the job serves is done."""
        if job.serves is None:
            return job.is_started() and job.on_idle == "end" and not self.backlog
        return job.serves < len(self.units) - len(self.backlog)

    def take_finished_units(self, now: int) -> list[Unit]:
        """Return the finished units, removed from the backlog."""
        finished = [unit for unit in self.backlog if unit.left == 0]
        for unit in finished:
            unit.finish = now
            self.backlog.remove(unit)
        self.went_idle = self.went_idle or (bool(finished) and not self.backlog)
        return finished

    def drop_leftovers(self, job: Job) -> None:
        """Drop the units that a job has left undone."""
        self.backlog = [unit for unit in self.backlog if job.serves is not None and unit.number > job.serves]


class Allocator(ABC):
    """Makes the jobs of one task."""

    @abstractmethod
    def is_due(self, now: int, view: AllocatorView) -> bool:
        """True if it has to be called."""

    @abstractmethod
    def call(self, now: int, view: AllocatorView) -> None:
        """Read what is new and hand over jobs; afterwards it is not due."""

    def needed_by(self, now: int) -> int:
        """Return the instant at which the jobs of the next call are needed; at once if it cannot be foreseen."""
        return now


class Arriving(Allocator):
    """Makes jobs for every unit that arrives."""

    def is_due(self, now: int, view: AllocatorView) -> bool:
        """True if units came."""
        return bool(view.arrived)

    def call(self, now: int, view: AllocatorView) -> None:
        """Make the jobs of every new unit."""
        view.read_records()
        for unit in view.take_arrived():
            self.serve(unit, now, view)

    @abstractmethod
    def serve(self, unit: Unit, now: int, view: AllocatorView) -> None:
        """Make the jobs of a unit."""


@dataclass
class Planned(Allocator):
    """Knows its jobs for all time, and hands over those of several releases at a time (bulk mode).

    It is due as soon as no start lies ahead, so the queue of the dispatcher is never empty.

    Args:
        bulk: releases of one call.
        planned: releases that were handed over.
    """

    bulk: int = field(default=1, kw_only=True)
    planned: int = field(default=0, kw_only=True)

    def is_due(self, now: int, view: AllocatorView) -> bool:
        """True if no start of a job lies ahead."""
        return all(job.start <= now for job in view.jobs)

    def call(self, now: int, view: AllocatorView) -> None:
        """Read as many records as releases are handed over."""
        view.read_records(self.bulk)
        view.take_arrived()
        for _ in range(self.bulk):
            for job in self.jobs_of(self.planned):
                view.submit(job, now)
            self.planned += 1

    def needed_by(self, now: int) -> int:
        """Return the start of the first job that was not handed over."""
        return self.jobs_of(self.planned)[0].start

    @abstractmethod
    def jobs_of(self, release: int) -> list[Job]:
        """Return the jobs of one release."""
