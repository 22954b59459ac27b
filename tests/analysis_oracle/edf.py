# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Earliest deadline first: the demand at every length, and all that may arrive on tiny systems.

Written from sections 0, 1 and 7.5 of the specification. A task is (C, T, D, J).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import lcm
from typing import NamedTuple


class Sporadic(NamedTuple):
    """A task: longest execution, least separation, relative deadline, release jitter."""

    wcet: int
    period: int
    deadline: int
    jitter: int = 0


def utilization(tasks: Sequence[Sporadic]) -> Fraction:
    """Add up C / T."""
    return sum((Fraction(task.wcet, task.period) for task in tasks), Fraction(0))


def density(tasks: Sequence[Sporadic]) -> Fraction:
    """Add up C / min(D - J, T), where all D - J are positive."""
    windows = [min(task.deadline - task.jitter, task.period) for task in tasks]
    return sum((Fraction(task.wcet, window) for task, window in zip(tasks, windows, strict=True)), Fraction(0))


def demand_of(task: Sporadic, length: int) -> int:
    """Return what the jobs of a task demand that have release and deadline within `length` ticks."""
    return max(0, (length + task.jitter - task.deadline) // task.period + 1) * task.wcet


def last_length(tasks: Sequence[Sporadic]) -> int:
    """Return a length after which all repeats, if U is at most 1."""
    return lcm(*(task.period for task in tasks)) + max(task.deadline + task.jitter for task in tasks)


def first_excess(
    tasks: Sequence[Sporadic], regions: Sequence[int] | None = None, steps: Sequence[tuple[int, int]] = ()
) -> tuple[int, int] | None:
    """Return the least length with more demand and blocking than ticks, and how much; (0, 0) if U is above 1."""
    if utilization(tasks) > 1:
        return 0, 0
    shortest = max(0, min(task.deadline - task.jitter for task in tasks))
    end = last_length(tasks) + max((step[0] for step in steps), default=0)
    for length in range(shortest, end + 1):
        ticks = ticks_in(tasks, regions, steps, length)
        if ticks > length:
            return length, ticks
    return None


def ticks_in(
    tasks: Sequence[Sporadic], regions: Sequence[int] | None, steps: Sequence[tuple[int, int]], length: int
) -> int:
    """Add up demand and what blocks: a section, or one region whose task has no other demand there."""
    demands = [demand_of(task, length) for task in tasks]
    blocked = [0, *(ticks for since, ticks in steps if since <= length)][-1]
    worst = sum(demands) + blocked
    for task, region, demand in zip(tasks, regions or [1] * len(tasks), demands, strict=True):
        if task.deadline > length:
            worst = max(worst, sum(demands) - demand + region - 1)
    return worst


# ---- responses -----------------------------------------------------------------------------------------


def response_at_every_release(
    tasks: Sequence[Sporadic],
    own: int,
    regions: Sequence[int] | None = None,
    steps: Sequence[tuple[int, int]] = (),
    *,
    last: int = 1,
) -> int:
    """Evaluate the response of Spuri 1996, or George et al. 1996, at every release in the longest busy period.

    No job preempts the last `last` ticks of the jobs of task `own`.
    """
    end = last_length(tasks) + max((step[0] for step in steps), default=0)
    return max(_response(tasks, own, release, regions, steps, last) for release in range(end))


def _response(
    tasks: Sequence[Sporadic],
    own: int,
    release: int,
    regions: Sequence[int] | None,
    steps: Sequence[tuple[int, int]],
    last: int,
) -> int:
    """Return the response of the job released at `release`, whichever task blocks it."""
    task = tasks[own]
    due = release - task.jitter + task.deadline
    others = [other for index, other in enumerate(tasks) if index != own]
    blocked = [0, *(ticks for since, ticks in steps if since <= max(due, 0))][-1]
    finishes = [_finish(task, release, others, blocked, due, last)]
    for index, other in enumerate(tasks):
        if regions is not None and index != own and other.deadline > due:
            rest = [kept for kept in others if kept is not other]
            ahead = others if demand_of(other, due) == 0 else rest
            finishes.append(_finish(task, release, ahead, regions[index] - 1, due, last))
    return max(task.wcet + task.jitter, max(finishes) - release + task.jitter)


def _finish(task: Sporadic, release: int, others: Sequence[Sporadic], blocked: int, due: int, last: int) -> int:
    """Return the least finish with so much work before the last region, which begins at `instant`."""
    fixed = blocked + (release // task.period + 1) * task.wcet - last
    instant, work = -1, fixed
    while work != instant:
        instant, work = work, fixed
        for other in others:
            released = (instant + other.jitter) // other.period + 1
            work += min(released, demand_of(other, due) // other.wcet) * other.wcet
    return instant + last


# ---- all that may arrive -----------------------------------------------------------------------------


class Job(NamedTuple):
    """A job that is not finished, by what is left; one that is not released may wait a little longer."""

    to_deadline: int  # ticks
    age: int  # since the arrival
    left: int  # of its execution
    is_released: bool


@dataclass(frozen=True)
class State:
    """What is open: of each task how long it cannot arrive, and its jobs; the one that may not be preempted."""

    waits: tuple[int, ...]
    jobs: tuple[tuple[Job, ...], ...]
    running: int | None


class Search:
    """All states that legal arrivals and releases lead to, tick by tick, equal deadlines going against task `own`."""

    def __init__(
        self,
        tasks: Sequence[Sporadic],
        own: int,
        regions: Sequence[Sequence[int]] | None = None,
        *,
        is_by_laxity: bool = False,
        is_in_order: bool = False,
    ) -> None:
        """Search until nothing is new, which takes a utilization of at most 1.

        With `is_in_order` the first task goes first at equal deadlines. A job of task i is not preempted within each of
        regions[i], which add up to its execution; None: anywhere.
        """
        self.tasks = tasks
        self.own = own
        parts = regions or [[1] * task.wcet for task in tasks]
        self.points = [{sum(own[place:]) for place in range(len(own))} for own in parts]
        self.is_by_laxity = is_by_laxity
        self.is_in_order = is_in_order
        self.worst = 0
        self.has_miss = False
        start = State((0,) * len(tasks), ((),) * len(tasks), None)
        seen = {start}
        open_states = [start]
        while open_states:
            for following in self._following(open_states.pop()):
                if following not in seen:
                    seen.add(following)
                    open_states.append(following)

    def _following(self, state: State) -> Iterator[State]:
        """Yield what a tick may lead to."""
        choices = [self._choices(index, state) for index in range(len(self.tasks))]
        for chosen in product(*choices):
            yield self._tick(tuple(wait for wait, _ in chosen), [jobs for _, jobs in chosen], state.running)

    def _choices(self, index: int, state: State) -> list[tuple[int, tuple[Job, ...]]]:
        """Return what may arrive and be released of a task at this instant: its wait and its jobs after that."""
        task = self.tasks[index]
        wait, jobs = state.waits[index], state.jobs[index]
        arrivals = [(wait, jobs)]
        if wait == 0:
            arrivals.append((task.period, (*jobs, Job(task.deadline, 0, task.wcet, False))))
        return [(rest, released) for rest, arrived in arrivals for released in self._releases(task, arrived)]

    @staticmethod
    def _releases(task: Sporadic, jobs: tuple[Job, ...]) -> Iterator[tuple[Job, ...]]:
        """Yield the ways to release jobs that wait, in the order of arrival, none later than the jitter."""
        waiting = [place for place, job in enumerate(jobs) if not job.is_released]
        forced = sum(jobs[place].age >= task.jitter for place in waiting)
        for count in range(forced, len(waiting) + 1):
            chosen = set(waiting[:count])
            yield tuple(job._replace(is_released=True) if place in chosen else job for place, job in enumerate(jobs))

    def _tick(self, waits: tuple[int, ...], jobs: list[tuple[Job, ...]], running: int | None) -> State:
        """Execute one tick and let it pass."""
        if running is None:
            running = self._most_urgent(jobs)
        if running is not None:
            first = jobs[running][0]
            jobs[running] = (first._replace(left=first.left - 1), *jobs[running][1:])
        aged = [tuple(job._replace(to_deadline=job.to_deadline - 1, age=job.age + 1) for job in own) for own in jobs]
        if running is not None and aged[running][0].left == 0:
            self._finish(running, aged[running][0])
            aged[running] = aged[running][1:]
            running = None
        self._look_at(aged)
        keeps = None if running is None or aged[running][0].left in self.points[running] else running
        return State(tuple(max(0, wait - 1) for wait in waits), tuple(aged), keeps)

    def _most_urgent(self, jobs: Sequence[tuple[Job, ...]]) -> int | None:
        """Return the task whose first released job is most urgent; among equals `own` goes last, or all in order."""
        is_last = None if self.is_in_order else self.own
        ready = [(self._key(own[0]), index == is_last, index) for index, own in enumerate(jobs) if _is_ready(own)]
        return min(ready)[2] if ready else None

    def _key(self, job: Job) -> int:
        """Return the time to the deadline, or the laxity."""
        return job.to_deadline - (job.left if self.is_by_laxity else 0)

    def _finish(self, index: int, job: Job) -> None:
        """Note a response."""
        if index == self.own:
            self.worst = max(self.worst, job.age)
        self.has_miss |= job.to_deadline < 0

    def _look_at(self, jobs: Sequence[tuple[Job, ...]]) -> None:
        """Note the misses of jobs that are not finished."""
        self.has_miss |= any(job.to_deadline < 0 for own in jobs for job in own)


def _is_ready(jobs: Sequence[Job]) -> bool:
    """True if the first job of a task may execute."""
    return bool(jobs) and jobs[0].is_released


# ---- rate-based execution ----------------------------------------------------------------------------


class Events(NamedTuple):
    """Rate-based execution: x events in y ticks, each served within d ticks at the cost of c."""

    events: int
    interval: int
    deadline: int
    cost: int


def rbe_excess(rates: Sequence[Events], is_preemptive: bool) -> int | None:
    """Return the least length that is too short, by the two conditions of section 1; 0 if the rates exceed 1."""
    if sum(Fraction(rate.events * rate.cost, rate.interval) for rate in rates) > 1:
        return 0
    end = lcm(*(rate.interval for rate in rates)) + max(rate.deadline for rate in rates)
    shortest = min(rate.deadline for rate in rates)
    for length in range(1, end + 1):
        work = sum(
            max(0, (length - rate.deadline + rate.interval) // rate.interval) * rate.events * rate.cost
            for rate in rates
        )
        behind = [rate.cost - 1 for rate in rates if length < rate.deadline and length >= shortest]
        if work + (0 if is_preemptive else max(behind, default=0)) > length:
            return length
    return None


class EventState(NamedTuple):
    """Of each task its last x deadlines and the open events (deadline, left), relative to now; the executing one."""

    latest: tuple[tuple[int, ...], ...]
    open_events: tuple[tuple[tuple[int, int], ...], ...]
    running: int | None


def rbe_has_miss(rates: Sequence[Events], is_preemptive: bool) -> bool:
    """Search all arrivals, up to an interval ahead of the rate, for a missed deadline. Rates add up to at most 1."""
    old = tuple((rate.deadline - rate.interval,) * rate.events for rate in rates)
    start = EventState(old, ((),) * len(rates), None)
    seen, open_states = {start}, [start]
    while open_states:
        state = open_states.pop()
        for arrived in product(*(_arrivals(rate, state, index) for index, rate in enumerate(rates))):
            following = _serve(rates, arrived, state.running, is_preemptive)
            if any(event[0] < 0 for events in following.open_events for event in events):
                return True
            if following not in seen:
                seen.add(following)
                open_states.append(following)
    return False


Arrived = tuple[tuple[int, ...], tuple[tuple[int, int], ...]]


def _arrivals(rate: Events, state: EventState, index: int) -> list[Arrived]:
    """Return deadlines and open events of a task after none, one, ... arrivals at this instant."""
    latest, events = state.latest[index], state.open_events[index]
    ways: list[Arrived] = [(latest, events)]
    while (deadline := max(rate.deadline, latest[0] + rate.interval)) <= rate.deadline + rate.interval:
        latest, events = (*latest[1:], deadline), (*events, (deadline, rate.cost))
        ways.append((latest, events))
    return ways


def _serve(rates: Sequence[Events], arrived: Sequence[Arrived], running: int | None, is_preemptive: bool) -> EventState:
    """Execute one tick of the earliest deadline, or of the task that may not be preempted, and let it pass."""
    events = [list(own[1]) for own in arrived]
    if running is None:
        running = min((own[0][0], index) for index, own in enumerate(events) if own)[1] if any(events) else None
    if running is not None:
        deadline, left = events[running][0]
        events[running][0] = (deadline, left - 1)
    aged = [[(deadline - 1, left) for deadline, left in own] for own in events]
    late = [[event for event in own if event[1] > 0 or event[0] < 0] for own in aged]
    is_done = running is None or aged[running][0][1] == 0
    latest = tuple(
        tuple(max(deadline - 1, rate.deadline - rate.interval) for deadline in own[0])
        for rate, own in zip(rates, arrived, strict=True)
    )
    return EventState(latest, tuple(map(tuple, late)), None if is_preemptive or is_done else running)
