# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What responses and demands consist of: parts with their authors, which add up to them.

The theorems are those of analysis/response_times.c, edf_response_times.c, demand.c and overheads.c. A test says how
late a job responds, and which job of the busy period it is. Here its equation is solved once more for that job alone,
and each term becomes a part. Nothing is estimated: where the parts do not add up to the response, it has none
(judgement.py).

Parts are computed for results that are shown. Searches judge many systems and never ask for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from heapq import merge
from itertools import groupby, islice

import numpy as np

from takt import _analysis
from takt.analysis import blockers, blocking, children
from takt.analysis.children import FULL, Head, Member, Response, Supply
from takt.analysis.judgement import Cause, Judgement
from takt.analysis.result import Demand, Part, PartKind
from takt.analysis.view import Child, DispatcherView, ServerView, SystemView, TaskView
from takt.base.times import MAX_TICKS
from takt.model.core_input import ResolvedCosts

MAX_COUNTED = 1_000_000
"""Numbers of jobs that the search for a release under deadlines may count."""

MAX_TRIED = 1000
"""Deadlines up to which the shortest interval with too much to do is sought."""

MAX_STEPS = 100_000
"""Releases that the solution of one equation may count; a response that needs more has no parts."""


class _TooLongError(Exception):
    """The solution of an equation takes more than MAX_STEPS."""


@dataclass(frozen=True, slots=True)
class Source:
    """What is released again and again before a job is done: jobs of a task, budgets of a server, work of the kernel.

    Args:
        name: of the task or server.
        wcet: of each release, without what follows.
        period, jitter: of the releases.
        kernel: ticks of the kernel with each release.
        suspended: ticks of each release that count as executed.
        served: wcet, period and jitter of the tasks in a server that request less than its budgets.
        is_over: whether it also displaces the last region of the job.
        ahead: how many jobs of an equal go before the job, whenever it is done; None: all that are released before.
    """

    name: str
    wcet: int
    period: int
    jitter: int = 0
    kernel: int = 0
    suspended: int = 0
    served: tuple[tuple[int, int, int], ...] = ()
    is_over: bool = False
    ahead: int | None = None

    @property
    def cost(self) -> int:
        """Ticks of a release."""
        return self.wcet + self.kernel + self.suspended

    def releases(self, length: int) -> int:
        """Return how many releases come in less than so many ticks."""
        return -(-(length + self.jitter) // self.period) if self.ahead is None else self.ahead

    def requests(self, length: int) -> int:
        """Return the ticks that are requested in less than so many ticks."""
        own = self.releases(length) * self.cost
        if not self.served:
            return own
        return min(own, sum(-(-(length + jitter) // period) * wcet for wcet, period, jitter in self.served))

    def parts(self, length: int) -> Iterator[Part]:
        """Yield what is requested in less than so many ticks, by kinds."""
        requests, count = self.requests(length), self.releases(length)
        if requests < count * self.cost:
            yield Part(PartKind.INTERFERENCE, requests, self.name)
            return
        yield Part(PartKind.INTERFERENCE, count * self.wcet, self.name, count, self.wcet)
        yield Part(PartKind.SUSPENSION, count * self.suspended, self.name, count, self.suspended)
        yield Part(PartKind.KERNEL, count * self.kernel)


@dataclass(frozen=True, slots=True)
class Job:
    """The job that responds last, in its busy period under fixed priorities. Times in ticks.

    Args:
        own: its task; the kernel's ticks of a release are those that delay later jobs.
        number: which job it is, counted from 0.
        path: what it executes, the kernel's ticks that delay it itself included.
        last: its last region, 1 if it can be displaced anywhere.
        blocking: what blocks it.
        sources: what goes before it.
        supplied: the least time in which so many ticks are supplied; None: the processor.
        server: the server that supplies, "" if none does.
        response: of the job, if it is known; then on the processor its finish need not be found.
        released: how many ticks after the begin of the busy period it is released; None: as the number says.
    """

    own: Source
    number: int
    path: int
    last: int
    blocking: Sequence[Part]
    sources: Sequence[Source]
    supplied: Callable[[int], int] | None = None
    server: str = ""
    response: int | None = None
    released: int | None = None

    def parts(self) -> list[Part]:
        """Return the parts of its response; none if that takes too many steps."""
        try:
            begin, finish = self._instants()
        except _TooLongError:
            return []
        own, number = self.own, self.number
        found = [
            *self.blocking,
            Part(PartKind.EXECUTION, own.wcet, "", 1, own.wcet),
            Part(PartKind.SUSPENSION, own.suspended),
            Part(PartKind.KERNEL, self.path - own.wcet - own.suspended + number * own.kernel),
            Part(PartKind.EARLIER, number * (own.wcet + own.suspended), "", number, own.wcet + own.suspended),
            *(part for each in self.sources for part in each.parts(finish if each.is_over else begin)),
        ]
        if self.supplied is not None:
            found.append(Part(PartKind.BUDGET, finish - sum(part.ticks for part in found), self.server))
        found += [Part(PartKind.JITTER, own.jitter), Part(PartKind.BEFORE, -self._released)]
        return tidy(found)

    @property
    def _released(self) -> int:
        return self.number * self.own.period if self.released is None else self.released

    def _instants(self) -> tuple[int, int]:
        """Return the instant just after the last region began, and the finish: (1) and (2) of response_times.c."""
        over = [each for each in self.sources if each.is_over]
        if self.response is not None and self.supplied is None and (not over or self.last == 1):
            finish = self.response - self.own.jitter + self._released
            return finish - self.last + 1, finish
        first = sum(part.ticks for part in self.blocking) + self.number * self.own.cost + self.path - self.last + 1
        begin = self._least(first, self.sources)
        done = first + sum(each.requests(begin) for each in self.sources)
        rest = done - 1 + self.last - sum(each.requests(begin) for each in over)
        if not over or self.last == 1:
            return begin, self._time(done - 1 + self.last)
        return begin, self._least(rest, over, begin)

    def _least(self, fixed: int, sources: Sequence[Source], start: int = 0) -> int:
        """Return the least instant by which a fixed work and all that is released before it are done."""
        instant, steps = max(self._time(fixed), start), 0
        while True:
            following = self._time(fixed + sum(each.requests(instant) for each in sources))
            steps += len(sources) + 1
            if following <= instant:
                return instant
            if steps > MAX_STEPS:
                raise _TooLongError
            instant = following

    def _time(self, work: int) -> int:
        return work if self.supplied is None else self.supplied(work)


def tidy(parts: Sequence[Part]) -> list[Part]:
    """Return parts of some time, with the kernel's as one."""
    kernel = sum(part.ticks for part in parts if part.kind is PartKind.KERNEL)
    others = [part for part in parts if part.kind is not PartKind.KERNEL and part.ticks != 0]
    return [*others, *([Part(PartKind.KERNEL, kernel)] if kernel else [])]


# ---- static keys --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Level:
    """Children of one priority order whose responses were bounded. Times in ticks.

    Args:
        there: the children, the most urgent first.
        members: the same as members.
        responses: of these.
        blocking: returns what blocks the child at an index.
        supply: of all of them.
        server: the server that supplies, "" for the processor.
        heads: ways in which the supply may begin.
        is_apart: whether thresholds were counted exactly.
    """

    there: Sequence[Child]
    members: Sequence[Member]
    responses: Sequence[Response]
    blocking: Callable[[int], list[Part]]
    supply: Supply = FULL
    server: str = ""
    heads: Sequence[Head] = ()
    is_apart: bool = False

    def parts(self, place: int) -> list[Part]:
        """Return the parts of the response of the child at an index."""
        me, response = self.members[place], self.responses[place]
        threshold = me.threshold if self.is_apart else None
        ahead = self._ahead(place)
        sources = [
            replace(
                self._seen(other),
                is_over=threshold is not None and member.key < threshold,
                ahead=ahead.get(other),
            )
            for other, member in enumerate(self.members)
            if other != place and member.key <= me.key
        ]
        return Job(
            own=replace(source_of(me, self.there[place]), jitter=me.jitter),
            number=ahead[place] - 1 if place in ahead else response.job,
            path=me.wcet,
            last=me.last if threshold is None else me.wcet,
            blocking=self.blocking(place),
            sources=sources,
            supplied=None if self.supply is None else self._supplied,
            server=self.server,
            response=response.ticks,
            released=response.arrival,
        ).parts()

    def _ahead(self, place: int) -> dict[int, int]:
        """Return how many jobs of each equal, and of the task itself, are served up to its job; {}: unknown."""
        arrival = self.responses[place].arrival
        if arrival is None:
            return {}
        equals = [other for other, member in enumerate(self.members) if member.key == self.members[place].key]
        return {other: children.jobs_before(self.members, place, other, arrival) for other in equals}

    def _seen(self, place: int) -> Source:
        """Return a member as it delays those below: servers_seen.c."""
        member = self.members[place]
        source = source_of(member, self.there[place])
        if member.kind != _analysis.SPORADIC:
            return source
        ticks = self.responses[place].ticks
        once = member.period - (ticks - member.wcet) if ticks is not None and ticks <= member.period else 0
        return replace(source, period=max(once, member.period // 2, 1))

    def _supplied(self, work: int) -> int:
        """Return the least time in which so many ticks are supplied."""
        supply = self.supply
        assert supply is not None
        if not self.heads:
            return time_of(supply, work)
        return max(
            work + delay if work <= ticks else time_of(supply, work - ticks) - supply[2] + gap
            for gap, delay, ticks in self.heads
        )


def time_of(supply: tuple[int, int, int, int], work: int) -> int:
    """Return the least time in which a supply, as period, budget, gap and loss, gives so many ticks."""
    period, budget, gap, loss = supply
    if work <= 0:
        return 0
    whole = (work + loss - 1) // budget
    return gap + whole * period + (work + loss - whole * budget)


def source_of(member: Member, child: Child) -> Source:
    """Return a member as what is released again and again, the kernel's work apart from its own."""
    served = tuple((each.wcet, each.period, each.jitter) for each in member.inside)
    if isinstance(child, ServerView):
        return Source(member.name, member.wcet, member.period, member.felt_jitter, served=served)
    plain = 0 if child.is_kernel else (child.uncharged or child).wcet
    return Source(member.name, plain, member.period, member.jitter, child.wcet - plain, child.suspended)


def add_level(found: Judgement, level: Level) -> None:
    """Add the causes of all responses of a level to what is found of it."""
    for place, (child, response) in enumerate(zip(level.there, level.responses, strict=True)):
        if response.ticks is not None:
            causes = found.server_causes if isinstance(child, ServerView) else found.causes
            causes[child.number] = Cause(response.ticks, partial(level.parts, place))


# ---- deadlines ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Interval:
    """The interval of a dispatcher under deadlines in which there may be too much to do.

    Args:
        view: of the system.
        dispatcher: which one.
        length: of the interval, in ticks.
        supplied: the least supply in it.
    """

    view: SystemView
    dispatcher: DispatcherView
    length: int
    supplied: int

    def __call__(self) -> Demand:
        """Return what is due in it; on the processor in the shortest such interval, if that is among the first ones."""
        there = self.dispatcher.children()
        members = children.members_of(there)
        if self.supplied == self.length:
            dues = (
                range(max(each.deadline - each.jitter, 1), MAX_TICKS, each.period)
                for each in members
                if each.kind != _analysis.KERNEL
            )
            for length, _ in groupby(islice(merge(*dues), MAX_TRIED)):
                if 0 < length < self.length and _sum(parts := self._parts(there, members, length)) > length:
                    return Demand(self.dispatcher.name, length, length, tuple(parts))
        parts = self._parts(there, members, self.length)
        return Demand(self.dispatcher.name, self.length, self.supplied, tuple(parts))

    def _parts(self, there: Sequence[Child], members: Sequence[Member], length: int) -> list[Part]:
        """Return what is due in an interval of a length, and what blocks it."""
        due = [part for member, child in zip(members, there, strict=True) for part in _due(member, child, length)]
        return tidy([*due, *blockers.in_interval(self.view, self.dispatcher, length)])


def _due(member: Member, child: Child, length: int) -> Iterator[Part]:
    """Yield what a member may have to execute with deadlines in an interval: demand.c."""
    whole, rest = divmod(length, member.period)
    if member.kind == _analysis.BANDWIDTH:
        yield Part(PartKind.EXECUTION, length * member.wcet // member.period, member.name)
    elif member.kind in (_analysis.DEFERRABLE, _analysis.SEPARATED):
        yield Part(PartKind.EXECUTION, whole * member.wcet, member.name, whole, member.wcet)
        yield Part(PartKind.EXECUTION, min(rest, member.wcet), member.name)
    elif isinstance(child, ServerView):
        count = 2 * whole if member.kind == _analysis.SPORADIC else whole
        yield Part(PartKind.EXECUTION, count * member.wcet, member.name, count, member.wcet)
    elif child.is_kernel:
        yield Part(PartKind.KERNEL, -(-(length + member.jitter) // member.period) * member.wcet)
    else:
        count = max((length + member.jitter - member.deadline) // member.period + 1, 0)
        yield from _of_jobs(source_of(member, child), count, PartKind.EXECUTION)


def _of_jobs(source: Source, count: int, kind: PartKind) -> Iterator[Part]:
    """Yield what so many jobs of a task execute."""
    yield Part(kind, count * source.wcet, source.name, count, source.wcet)
    yield Part(PartKind.SUSPENSION, count * source.suspended, source.name, count, source.suspended)
    yield Part(PartKind.KERNEL, count * source.kernel)


def _cost_of(task: TaskView) -> int:
    """Return the execution of a job as the tests count it."""
    return task.wcet + task.suspended


@dataclass(frozen=True, slots=True)
class Latest:
    """The job of a task that responds last under deadlines. Times in ticks.

    Args:
        view: of the system.
        dispatcher: with tasks only.
        task: which one.
        response: of the job.
        number: which job of its busy period it is, counted from 0.
        last: the last region of each task, in the order of the dispatcher.
    """

    view: SystemView
    dispatcher: DispatcherView
    task: TaskView
    response: int
    number: int
    last: int

    def __call__(self) -> list[Part]:
        """Return the parts of its response; none if no release is found that has them."""
        first, tasks = self.number * self.task.period, self.dispatcher.tasks
        if sum(self.task.period // task.period + 1 for task in tasks) * len(tasks) > MAX_COUNTED:
            return []
        releases = sorted({first, *self._releases(first)})
        steps = blocking.delays_in(self.view, self.dispatcher).steps
        most = max(task.barred - 1 for task in tasks) + max((ticks for _, ticks in steps), default=0)
        for release, needed in zip(releases, self._blocking_at(releases), strict=True):
            if needed > most or (needed < 0 and most == 0):
                continue
            for blocked, blocker in self._blockings(release):
                over = 0 if blocker is None else self._jobs(blocker, release) * _cost_of(blocker)
                if _sum(blocked) == needed + over:
                    return self._parts(release, blocked, blocker)
        return []

    def _jobs(self, task: TaskView, release: int) -> int:
        """Return how many jobs of another task go before the job with a release."""
        own = self.task
        begin = release + self.response - own.jitter - self.last
        cap = max((release + own.deadline - own.jitter + task.jitter - task.deadline) // task.period + 1, 0)
        return min((begin + task.jitter) // task.period + 1, cap)

    def _blocking_at(self, releases: Sequence[int]) -> list[int]:
        """Return for each release how much blocking makes the job end when the response says, if none is over then."""
        own = self.task
        others = [task for task in self.dispatcher.tasks if task is not own]
        wcet, period, deadline, jitter = (
            np.array(values, np.int64).reshape(-1)
            for values in (
                [_cost_of(task) for task in others],
                [task.period for task in others],
                [task.deadline for task in others],
                [task.jitter for task in others],
            )
        )
        at = np.array(releases, np.int64)[:, None]
        caps = np.maximum((at + own.deadline - own.jitter + jitter - deadline) // period + 1, 0)
        jobs = np.minimum((at + self.response - own.jitter - self.last + jitter) // period + 1, caps)
        before = [(release // own.period + 1) * _cost_of(own) for release in releases]
        work = (jobs * wcet).sum(axis=1).tolist()
        ends = [release + self.response - own.jitter for release in releases]
        return [end - mine - other for end, mine, other in zip(ends, before, work, strict=True)]

    def _releases(self, first: int) -> Iterator[int]:
        """Yield the releases in a period from `first` on that matter: edf_response_times.c."""
        own = self.task
        window, end = own.deadline - own.jitter, first + own.period
        for task in self.dispatcher.tasks:
            offset = task.deadline - task.jitter - window
            at = offset + -(-max(first - offset, 0) // task.period) * task.period
            yield from range(at, end, task.period)
        steps = blocking.delays_in(self.view, self.dispatcher).steps
        yield from (begin - window for begin, _ in steps if first <= begin - window < end)

    def _blockings(self, release: int) -> Iterator[tuple[list[Part], TaskView | None]]:
        """Yield what may block the job, and a task whose earlier jobs are over then."""
        interval = max(release + self.task.deadline - self.task.jitter, 0)
        yield blockers.sections_in(self.view, self.dispatcher, interval), None
        for task in self.dispatcher.tasks:
            if task is not self.task and task.deadline > interval and task.barred > 1:
                yield blockers.region_part(task, task.barred - 1), task

    def _parts(self, release: int, blocked: Sequence[Part], blocker: TaskView | None) -> list[Part]:
        """Return the parts of the response of a job with a release, if it ends when the response says."""
        own = self.task
        count = release // own.period + 1
        found = list(blocked)
        for task in self.dispatcher.tasks:
            if task is not own and task is not blocker:
                source = source_of(children.members_of([task])[0], task)
                found += _of_jobs(source, self._jobs(task, release), PartKind.INTERFERENCE)
        source = source_of(children.members_of([own])[0], own)
        found += _of_jobs(replace(source, name=""), 1, PartKind.EXECUTION)
        found += _of_jobs(replace(source, name=""), count - 1, PartKind.EARLIER)
        found += [Part(PartKind.JITTER, own.jitter), Part(PartKind.BEFORE, -release)]
        return tidy(found)


# ---- plain tasks on a kernel whose work takes time ------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Charged:
    """Plain tasks at a root, and the kernel's work for them: overheads.c. Times in ticks.

    Args:
        members: the tasks, the most urgent first.
        tasks: the same.
        costs: of the kernel.
        jobs: which job of each task responds last.
    """

    members: Sequence[Member]
    tasks: Sequence[TaskView]
    costs: ResolvedCosts
    jobs: Sequence[int]

    def parts(self, place: int) -> list[Part]:
        """Return the parts of the response of the task at an index."""
        me, task = self.members[place], self.tasks[place]
        above = [other for other, member in enumerate(self.members) if other != place and member.key <= me.key]
        below = [other for other, member in zip(self.tasks, self.members, strict=True) if member.key > me.key]
        passing = Part(PartKind.KERNEL, max(map(self._passing, below), default=0) + self.costs.wake_up)
        return Job(
            own=self._job(place),
            number=self.jobs[place],
            path=task.wcet + self._at_points(task),
            last=me.last,
            blocking=[*max(map(self._region, below), key=_sum, default=[]), passing],
            sources=[*self._interrupts(), *map(self._job, above)],
        ).parts()

    def due_in(self, length: int) -> list[Part]:
        """Return what the tasks and the kernel have to execute in an interval, under deadlines."""
        found: list[Part] = []
        regions: list[list[Part]] = [[]]
        for place, task in enumerate(self.tasks):
            count = max((length + task.jitter - task.deadline) // task.period + 1, 0)
            found += _of_jobs(self._job(place), count, PartKind.EXECUTION)
            if count == 0:
                regions.append(self._region(task))
        passing = max(map(self._passing, self.tasks), default=0) - self._completion + self.costs.wake_up
        kernel = sum(each.requests(length) for each in self._interrupts()) + passing
        return tidy([*found, *max(regions, key=_sum), Part(PartKind.KERNEL, kernel)])

    def shortest_demand(self) -> Demand | None:
        """Return the shortest interval with too much to do; None if it is not found in MAX_STEPS."""
        dues = (range(task.deadline - task.jitter, MAX_TICKS, task.period) for task in self.tasks)
        for length in islice(merge(*dues), MAX_STEPS // len(self.tasks) ** 2):
            parts = tuple(self.due_in(length)) if length > 0 else ()
            if _sum(parts) > length:
                return Demand("", length, length, parts)
        return None

    @property
    def _completion(self) -> int:
        """What the end of a job costs others."""
        return self.costs.scheduling + self.costs.context_switch

    def _at_points(self, task: TaskView) -> int:
        return max(len(task.regions) - 1, 0) * self.costs.point

    def _job(self, place: int) -> Source:
        """Return a task as it delays others."""
        member, task = self.members[place], self.tasks[place]
        return Source(member.name, task.wcet, task.period, task.jitter, self._at_points(task) + self._completion)

    def _interrupts(self) -> Iterator[Source]:
        """Yield releases and ticks, which displace all jobs."""
        if self.costs.tick:
            yield Source("", 0, self.costs.tick_period, kernel=self.costs.tick, is_over=True)
        cost = self.costs.release + self._completion
        if cost:
            yield from (Source("", 0, task.period, task.jitter, cost, is_over=True) for task in self.tasks)

    def _region(self, task: TaskView) -> list[Part]:
        """Return a region of a task with the kernel's work at its end."""
        if not task.regions:
            return []
        has_point = len(task.regions) > 1
        end = max(self._completion, self.costs.point if has_point else 0)
        return [*blockers.region_part(task, task.longest_region - self.costs.is_ideal), Part(PartKind.KERNEL, end)]

    def _passing(self, task: TaskView) -> int:
        """Return what a job does that is not to run any more when the count begins."""
        return self._completion + (self.costs.point if len(task.regions) > 1 else 0)


def _sum(parts: Sequence[Part]) -> int:
    return sum(part.ticks for part in parts)
