# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The jobs of a run: the ready queue that the scheduler knows, and the releases and deadlines that it has yet to learn.

A task has at most one pending job: a release that finds one fails.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .model import JobRow, Task

DEADLINE, RELEASE = 0, 1
"""The order of work at one instant: a job that is dropped at its deadline makes room for the one released there."""


@dataclass(eq=False, slots=True)
class Job:
    """One job of a task.

    Args:
        task: whose job it is.
        place: where the task stands among the tasks.
        number: counts from 0 for every task.
        release: nominal instant of its release.
        remaining: time that it still has to execute.
        urgency: what the choice compares; smaller is more urgent.
        start: the first instant at which it executed.
        finish: the instant at which it had executed all.
        failed: it was late, dropped, or found the previous job pending.
    """

    task: Task
    place: int
    number: int
    release: int
    remaining: int
    urgency: tuple[int, int] = (0, 0)
    start: int | None = None
    finish: int | None = None
    failed: bool = False

    @property
    def deadline(self) -> int:
        """The absolute deadline."""
        return self.release + self.task.relative_deadline


KEYS: dict[str, Callable[[Job], int]] = {
    "rm": lambda job: job.task.period,
    "dm": lambda job: job.task.relative_deadline,
    "edf": lambda job: job.deadline,
    "fp": lambda job: -job.task.priority,
}
"""The policies: a smaller key is more urgent."""


class Workload:
    """All jobs of a run, as far as the scheduler knows them."""

    def __init__(self, tasks: Sequence[Task], policy: str) -> None:
        self.tasks = tasks
        self.policy = policy
        self.jobs: list[Job] = []
        self.pending: dict[int, Job] = {}
        self.events = [(task.offset, RELEASE, place, 0) for place, task in enumerate(tasks)]
        heapq.heapify(self.events)

    def next_event(self) -> int | None:
        """Return the instant of the first release or deadline that the scheduler does not know; None without tasks.

        The deadline of a job that is done is an event too, of which nothing comes.
        """
        return self.events[0][0] if self.events else None

    def learn(self, known: int) -> None:
        """Handle the releases and deadlines up to an instant, in the order of their nominal instants."""
        while self.events and self.events[0][0] <= known:
            instant, kind, place, number = heapq.heappop(self.events)
            if kind == DEADLINE:
                self._drop(place, number)
            else:
                self._release(place, number, instant)

    def first(self) -> Job | None:
        """Return the most urgent pending job."""
        return min(self.pending.values(), key=_urgency, default=None)

    def execute(self, job: Job, start: int, stop: int) -> None:
        """Let a job execute from start to stop; it is complete if nothing remains, and failed if that is late."""
        if start == stop:
            return
        if job.start is None:
            job.start = start
        job.remaining -= stop - start
        if job.remaining == 0:
            job.finish = stop
            job.failed = stop > job.deadline
            del self.pending[job.place]

    def rows(self, duration: int) -> tuple[JobRow, ...]:
        """Return all jobs that were released before the end, also those unknown to the scheduler."""
        self._learn_releases_only(duration - 1)
        jobs = sorted(self.jobs, key=lambda job: (job.release, job.place))
        return tuple((job.task.name, job.number, job.release, job.start, job.finish, job.failed) for job in jobs)

    def _learn_releases_only(self, known: int) -> None:
        """List the jobs that the scheduler has not seen; they have not failed."""
        for instant, kind, place, number in self.events:
            if kind == RELEASE:
                period = self.tasks[place].period
                for later, release in enumerate(range(instant, known + 1, period)):
                    self._make(place, number + later, release)

    def _release(self, place: int, number: int, instant: int) -> None:
        """Make a job ready, or failed if the previous one is pending; note its deadline and the next release."""
        job = self._make(place, number, instant)
        heapq.heappush(self.events, (instant + job.task.period, RELEASE, place, number + 1))
        if place in self.pending:
            job.failed = True
        else:
            job.urgency = (KEYS[self.policy](job), self._tie(place))
            self.pending[place] = job
            heapq.heappush(self.events, (job.deadline, DEADLINE, place, number))

    def _make(self, place: int, number: int, release: int) -> Job:
        """Note one more job."""
        job = Job(self.tasks[place], place, number, release, self.tasks[place].wcet)
        self.jobs.append(job)
        return job

    def _tie(self, place: int) -> int:
        """Return the order among equal keys: under fp the one that became ready first, else the order of tasks."""
        return len(self.jobs) if self.policy == "fp" else place

    def _drop(self, place: int, number: int) -> None:
        """Drop a job that is unfinished at its deadline."""
        job = self.pending.get(place)
        if job is not None and job.number == number:
            job.failed = True
            del self.pending[place]


def _urgency(job: Job) -> tuple[int, int]:
    """Return the values that the choice compares."""
    return job.urgency
