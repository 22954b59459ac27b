# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tasks that release tasks, by repeated runs of another oracle; see README.md."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import oracle
from oracle import Outcome, System, Task


@dataclass(frozen=True)
class Edge:
    """An edge, with the keys of the file.

    Args:
        source: the task that sends events.
        delay: of event 0, 1, ..., to be repeated.
        limit: None is any number.
        places: what jobs of the source execute before each of its items "release", in order; None: there is none,
            and an event is sent at the end of each job.
    """

    source: str
    every: int = 1
    first: int | None = None
    delay: tuple[int, ...] = (0,)
    limit: int | None = None
    full: str = "drop"
    initial: int = 0
    places: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Target:
    """A task that others release.

    Args:
        edges: in the order of `after`.
        join: "all" or "any".
        from_origin: whether deadlines count from the origin.
        offset: least time from the origin to the arrival.
        jitter: of job 0, 1, ..., as drawn.
    """

    edges: tuple[Edge, ...]
    join: str = "all"
    from_origin: bool = False
    offset: int = 0
    jitter: tuple[int, ...] = (0,)


class _Event(NamedTuple):
    delivery: float
    origin: int


@dataclass
class _Job:
    number: int
    arrival: int
    release: int
    origin: int
    edges: tuple[int, ...]
    end: float = math.inf
    dropped: int | None = None


class Found(NamedTuple):
    """What happened: the outcome of each domain, and for each target the events that each of its edges lost."""

    outcomes: list[Outcome]
    lost: dict[str, list[int]]


def simulate(domains: Sequence[System], targets: Mapping[str, Target], horizon: int) -> Found:
    """Run the domains of a machine; tasks that are targets have no releases of their own."""
    jobs: dict[str, list[_Job]] = {name: [] for name in targets}
    while True:
        systems = [_with_arrivals(system, targets, jobs) for system in domains]
        outcomes = [oracle.simulate(system, horizon) for system in systems]
        again, lost = _jobs_of(systems, outcomes, targets, jobs, horizon)
        if again == jobs:
            return Found(outcomes, lost)
        jobs = again


def _with_arrivals(system: System, targets: Mapping[str, Target], jobs: Mapping[str, list[_Job]]) -> System:
    return replace(
        system,
        tasks=tuple(
            _with_jobs(task, targets[task.name], jobs[task.name]) if task.name in targets else task
            for task in system.tasks
        ),
    )


def _with_jobs(task: Task, target: Target, jobs: Sequence[_Job]) -> Task:
    return replace(
        task,
        releases=tuple((job.release, job.arrival) for job in jobs),
        origins=tuple(job.origin for job in jobs) if target.from_origin else None,
        drops=tuple((job.number, job.dropped) for job in jobs if job.dropped is not None),
    )


# ---- what is sent -----------------------------------------------------------------------------------------------


def _sent(task: Task, outcome: Outcome, edge: Edge, origins: Mapping[int, int], horizon: int) -> list[tuple[int, int]]:
    """Return instant and origin of all events that an edge gets before the horizon, in order."""
    events = []
    for name, number, arrival, finish, _, _ in outcome.jobs:
        if name != task.name:
            continue
        origin = origins.get(number, arrival)
        if edge.places is None:
            events += [(finish, origin, number, 0)] if finish is not None else []
            continue
        ticks = [
            tick
            for start, end, _, runner, job in outcome.segments
            for tick in range(start, end)
            if (runner, job) == (task.name, number)
        ]
        for place, before in enumerate(edge.places):
            instant = ticks[before - 1] + 1 if before <= len(ticks) else finish
            events += [(instant, origin, number, place)] if instant is not None else []
    events = [event for event in events if event[0] < horizon]
    return [(instant, origin) for instant, origin, _, _ in sorted(events, key=lambda each: (each[2], each[3]))]


def _delivered(edge: Edge, sent: Sequence[tuple[int, int]]) -> list[_Event]:
    """Return the events that pass an edge, with the instants of their deliveries."""
    first = edge.every if edge.first is None else edge.first
    passing = [event for n, event in enumerate(sent, 1) if n >= first and (n - first) % edge.every == 0]
    events, last = [_Event(0, 0)] * edge.initial, 0
    for number, (instant, origin) in enumerate(passing):
        last = max(instant + edge.delay[number % len(edge.delay)], last)
        events.append(_Event(last, origin))
    return events


# ---- what becomes of it -----------------------------------------------------------------------------------------


def _jobs_of(
    systems: Sequence[System],
    outcomes: Sequence[Outcome],
    targets: Mapping[str, Target],
    before: Mapping[str, list[_Job]],
    horizon: int,
) -> tuple[dict[str, list[_Job]], dict[str, list[int]]]:
    """Return the jobs that the events of a run make, and the events lost, both by targets."""
    place = {
        task.name: (task, outcome) for system, outcome in zip(systems, outcomes, strict=True) for task in system.tasks
    }
    jobs, lost = {}, {}
    for name, target in targets.items():
        events = []
        for edge in target.edges:
            origins = {job.number: job.origin for job in before.get(edge.source, ())}
            source, outcome = place[edge.source]
            events.append(_delivered(edge, _sent(source, outcome, edge, origins, horizon)))
        waiting = _Waiting(target, *place[name])
        for now in range(horizon):
            waiting.deliver(events, now)
        jobs[name], lost[name] = waiting.jobs, waiting.lost
    return jobs, lost


@dataclass
class _Waiting:
    """The events of a target that no job has taken, and all its jobs."""

    target: Target
    task: Task
    outcome: Outcome
    untaken: list[list[_Event]] = field(init=False)
    next: list[int] = field(init=False)
    lost: list[int] = field(init=False)
    jobs: list[_Job] = field(default_factory=list)

    def __post_init__(self) -> None:
        count = len(self.target.edges)
        self.untaken, self.next, self.lost = [[] for _ in range(count)], [0] * count, [0] * count
        self.finishes = {
            number: finish for name, number, _, finish, _, _ in self.outcome.jobs if name == self.task.name
        }

    def deliver(self, events: Sequence[Sequence[_Event]], now: int) -> None:
        """Deliver the events of an instant: edges in order, first in first out."""
        for place, own in enumerate(events):
            while self.next[place] < len(own) and own[self.next[place]].delivery == now:
                self.put(place, own[self.next[place]], now)
                self.next[place] += 1

    def unfinished(self, now: int) -> list[_Job]:
        """Return the jobs that are unfinished after the completions and aborts of an instant."""
        return [job for job in self.jobs if job.dropped is None and (job.end > now or job.release >= now)]

    def put(self, place: int, event: _Event, now: int) -> None:
        """Put an event where it waits, or lose it."""
        edge, left = self.target.edges[place], self.unfinished(now)
        others = [each for each in range(len(self.untaken)) if each != place]
        completes = self.target.join == "any" or all(self.untaken[each] for each in others)
        waiting = len(self.untaken[place]) + sum(place in job.edges for job in left[1:])
        if edge.limit is not None and waiting >= edge.limit and not (completes and not left):
            if edge.full == "drop":
                self.lost[place] += 1
                return
            behind = [job for job in left[1:] if place in job.edges]
            if behind:
                behind[0].dropped = now
                for each in behind[0].edges:
                    self.lost[each] += 1
            else:
                self.untaken[place].pop(0)
                self.lost[place] += 1
        self.untaken[place].append(event)
        taken = [place] if self.target.join == "any" else [*range(len(self.untaken))]
        if all(self.untaken[each] for each in taken):
            self.make(taken, now)

    def make(self, taken: Sequence[int], now: int) -> None:
        """Make a job of the oldest event of each of these edges."""
        origin = min(self.untaken[each].pop(0).origin for each in taken)
        last = self.jobs[-1] if self.jobs else _Job(-1, 0, 0, 0, ())
        number, jitter = len(self.jobs), self.target.jitter
        arrival = max(now, origin + self.target.offset, last.arrival)
        release = max(arrival + jitter[number % len(jitter)], last.release)
        job = _Job(number, arrival, release, origin, tuple(taken))
        self.end(job)
        self.jobs.append(job)

    def end(self, job: _Job) -> None:
        """Say when a job ends, by the outcome and by what becomes of late jobs."""
        base = job.origin if self.target.from_origin else job.arrival
        finish = self.finishes.get(job.number)
        earlier = [each.end for each in self.jobs if each.dropped is None]
        if finish is not None:
            job.end = finish
        elif self.task.on_miss == "abort":
            job.end = max([base + self.task.relative_deadline, job.release, *earlier])
        elif self.task.on_miss == "skip" and any(end > job.release for end in earlier):
            job.end = job.release
