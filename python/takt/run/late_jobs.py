# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The first late job of a run, and what ran while it waited.

The run is repeated up to that job, with segments, jobs, budgets and locks; every tick from the job's release to its end
has one cause: the job executed, or waited for a resource, or its server had no budget, or others occupied the
processors, or nothing ran. Why another job could not be preempted follows from the traits of the policy under which
both compete; of policies that these do not order it is only known that a non-preemptive job continues. What is left
open is not said.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from takt import _core
from takt.model import image as images
from takt.model.catalogue import traits_of
from takt.model.core_input import ROOT, ResolvedServer, ResolvedSystem, ResolvedTask
from takt.run.result import RunResult

MAX_JOBS = 1_000_000
"""How many jobs a repeated run may have; beyond it the first late job is not searched."""

_KEPT = ("segments", "jobs", "windows", "budgets", "locks")
_LOCKED, _WAITS, _UNLOCKED = range(3)


@dataclass(frozen=True)
class Delay:
    """A cause for which a job did not execute.

    Args:
        what: "task": another task ran; "earlier": an earlier job of the same task ran; "lock": it waited for a
            resource; "budget": its server had none; "idle server": a server ran without work; "kernel": the kernel
            ran; "suspended": it suspended itself; "kernel or suspended"; "nothing": nothing ran.
        name: of the task that ran or held the resource, or of the server; "" if there is none.
        why: of a task that ran: "non-preemptive", "threshold", "section", "priority", "deadline" (more urgent by it),
            "equal" (as urgent); "" where it is not known.
        resource: that it waited for, or in whose section the other one was.
        ticks: for how long; on several processors of all tasks that ran, each counts.
    """

    what: str
    name: str = ""
    why: str = ""
    resource: str = ""
    ticks: int = 0


@dataclass(frozen=True)
class LateJob:
    """A job that missed its deadline. Times in ticks.

    Args:
        task, job: which one.
        release: its arrival.
        deadline: absolute, the one that it missed.
        finish: None if it did not finish.
        on_miss: what happens to a late job of its task.
        executed: by this job up to its finish, or else up to its deadline.
        delays: why it did not execute in that time, the longest first.
    """

    task: str
    job: int
    release: int
    deadline: int
    finish: int | None
    on_miss: str
    executed: int
    delays: tuple[Delay, ...]


def first_late(result: RunResult) -> LateJob | None:
    """Return the late job that was due first; None if there is none, or too many jobs came before it."""
    if result.first_late is None:
        return None
    until = min(result.horizon, result.first_late + max(filter(None, result.statistics["response_max"]), default=0) + 1)
    systems = [domain.system.resolved for domain in result.system.domains] or [result.system.resolved]
    for limit in (until, result.horizon):  # by which it is known, unless a job has a later deadline than its task
        if sum(result.statistics["released"]) * limit > MAX_JOBS * result.horizon:
            return None
        found = []
        for run in (_Recorded(each, limit) for each in systems):
            late = [row for row in run.late if row.deadline <= limit or limit == result.horizon]
            if late:
                found.append(run.explained(min(late, key=lambda row: (row.deadline, row.release))))
        if found:
            return min(found, key=lambda late: (late.deadline, late.release))
    return None


@dataclass(frozen=True)
class _Job:
    task: int
    number: int
    release: int
    deadline: int
    finish: int | None


class _Recorded:
    """A run up to an instant, as lists of numbers."""

    def __init__(self, resolved: ResolvedSystem, until: int) -> None:
        """Run it."""
        self.resolved, self.until = resolved, until
        program = images.program(resolved, images.pack(resolved, until), {})
        outcome = _core.simulate(program, kept=_KEPT, trace_path=None, progress=None)
        columns = {name: [column.to_list() for column in outcome["frames"][name].values()] for name in _KEPT}
        self.segments = list(zip(*columns["segments"], strict=True))
        self.budgets = list(zip(*columns["budgets"], strict=True))
        self.locks = list(zip(*columns["locks"], strict=True))
        self.jobs = dict[tuple[int, int], _Job]()
        self.late = list[_Job]()
        given: list[int | None] = [*columns["windows"][2]] or [None] * len(columns["jobs"][0])
        for task, number, release, finish, missed, deadline in zip(*columns["jobs"], given, strict=True):
            due = self._deadline(task, release) if deadline is None else deadline
            job = _Job(task, number, release, due, None if finish == _core.NEVER else finish)
            self.jobs[task, number] = job
            if missed and due != _core.NEVER:
                self.late.append(job)

    def _deadline(self, task: int, release: int) -> int:
        """Return the absolute deadline that a task's parameters give."""
        relative = self.resolved.tasks[task].deadline
        for change in self.resolved.changes:
            if change.task == task and change.kind == "parameters" and change.at <= release:
                relative = change.deadline
        return release + relative

    def explained(self, job: _Job) -> LateJob:
        """Return a late job with what it waited for."""
        end = min(job.deadline if job.finish is None else job.finish, self.until)
        window = _Window(self, job, end)
        ticks = defaultdict[Delay, int](int)
        for start, stop in window.intervals():
            for cause in window.causes(start):
                ticks[cause] += stop - start
        executed = ticks.pop(_EXECUTED, 0)
        delays = [
            Delay(cause.what, cause.name, cause.why, cause.resource, count)
            for cause, count in sorted(ticks.items(), key=lambda item: -item[1])
        ]
        of = self.resolved.tasks[job.task]
        return LateJob(of.name, job.number, job.release, job.deadline, job.finish, of.on_miss, executed, tuple(delays))


_EXECUTED = Delay("executed")


class _Window:
    """The time from the release of a job to its end."""

    def __init__(self, run: _Recorded, job: _Job, end: int) -> None:
        """Collect what happens in it."""
        self.run, self.job, self.end = run, job, end
        self.resolved = run.resolved
        self.task = self.resolved.tasks[job.task]
        self.segments = [row for row in run.segments if row[0] < end and row[1] > job.release]
        self.starts = [row[0] for row in self.segments]
        self.chain = _chain(self.resolved, self.task)
        self.empty = list(_empty_budgets(run.budgets, self.chain, end))
        self.waits = list(_waits(run.locks, job, end))
        self.held = _Held([row for row in run.locks if row[0] < end])

    def intervals(self) -> Iterator[tuple[int, int]]:
        """Yield the stretches between any two instants at which something becomes different."""
        spans = [(row[0], row[1]) for row in self.segments]
        spans += [(start, stop) for start, stop, _ in (*self.empty, *self.waits)]
        inside = {instant for span in spans for instant in span} | set(self.held.instants)
        instants = sorted({self.job.release, self.end, *(at for at in inside if self.job.release < at < self.end)})
        yield from pairwise(instants)

    def causes(self, now: int) -> list[Delay]:
        """Return why the job did not execute from an instant on."""
        running = [row for row in self.segments if row[0] <= now < row[1]]
        if any((task, number) == (self.job.task, self.job.number) for _, _, _, task, number in running):
            return [_EXECUTED]
        for start, stop, resource in self.waits:
            if start <= now < stop:
                holder = self.held.holder(resource, now)
                name = "" if holder is None else self.resolved.tasks[holder].name
                return [Delay("lock", name, resource=self.resolved.resources[resource].name)]
        for start, stop, server in self.empty:
            if start <= now < stop:
                return [Delay("budget", self.resolved.servers[server].name)]
        if len(running) < self.resolved.cpus:
            has_kernel = not self.resolved.costs.is_ideal or self.resolved.architecture is not None
            if self.task.suspends:
                return [Delay("kernel or suspended" if has_kernel else "suspended")]
            return [Delay("kernel" if has_kernel else "nothing")]
        return [self._occupied(task, number, now, start) for start, _, _, task, number in running]

    def _occupied(self, task: int, number: int, now: int, since: int) -> Delay:
        """Return the cause where a job of another task, or a server without work, has had the processor since then."""
        if task >= len(self.resolved.tasks):
            return Delay("idle server", self.resolved.servers[task - len(self.resolved.tasks)].name)
        if task == self.job.task:
            return Delay("earlier")
        other = self.resolved.tasks[task]
        order, by = self._order(other, self.run.jobs[task, number])
        if order is None:  # whatever the order, what is not preempted continues
            is_kept = other.preemption_key == 0 and since < self.job.release
            return Delay("task", other.name, "non-preemptive" if is_kept else "")
        if order < 0:
            return Delay("task", other.name, by)
        resource = self.held.last(task, now)
        if resource is not None:
            return Delay("task", other.name, "section", self.resolved.resources[resource].name)
        if order == 0:
            return Delay("task", other.name, "equal")
        why = {None: "", 0: "non-preemptive"}.get(other.preemption_key, "threshold")
        return Delay("task", other.name, why)

    def _order(self, other: ResolvedTask, job: _Job) -> tuple[int | None, str]:
        """Return whether a job is more urgent (negative), as urgent (0) or less urgent than the late one, and by what.

        Both compete, or the servers in which they are, under one dispatcher; None where its traits do not say.
        """
        own, others = [*self.chain, ROOT], [*_chain(self.resolved, other), ROOT]
        around = next(number for number in own if number in others)
        policy = self.resolved.policy if around == ROOT else self.resolved.servers[around - 1].policy
        traits = traits_of(policy)
        if self.resolved.changes or traits.has_windows or not isinstance(policy, str):
            return None, ""
        places = (own.index(around), others.index(around))
        mine = self.task if places[0] == 0 else self.resolved.servers[own[places[0] - 1] - 1]
        its = other if places[1] == 0 else self.resolved.servers[others[places[1] - 1] - 1]
        if traits.has_static_keys:
            deadlines = [each.period if isinstance(each, ResolvedServer) else each.deadline for each in (its, mine)]
            keys = [
                _core.policy_key(policy, each.level, each.period, deadline) or 0
                for each, deadline in zip((its, mine), deadlines, strict=True)
            ]
            return (keys[0] > keys[1]) - (keys[0] < keys[1]), "priority"
        if traits.is_deadline_driven and places == (0, 0):
            return (job.deadline > self.job.deadline) - (job.deadline < self.job.deadline), "deadline"
        return None, ""


def _chain(resolved: ResolvedSystem, task: ResolvedTask) -> list[int]:
    """Return the entity numbers of the servers around a task, the innermost first."""
    numbers, home = list[int](), task.home
    while home != ROOT:
        numbers.append(home)
        home = resolved.servers[home - 1].home
    return numbers


def _empty_budgets(rows: Iterable[tuple[int, ...]], chain: Sequence[int], end: int) -> Iterator[tuple[int, int, int]]:
    """Yield when the budgets of servers are 0: from, to, the server's place in the file."""
    changes = defaultdict[int, list[tuple[int, int, int]]](list)
    for tick, server, budget, is_charged in rows:
        changes[server].append((tick, budget, is_charged))
    for number in chain:
        known = changes[number - 1]
        for (tick, budget, is_charged), after in zip(known, [*(row[0] for row in known[1:]), end], strict=True):
            start = tick if budget == 0 else tick + budget if is_charged else end
            if start < min(after, end):
                yield start, min(after, end), number - 1


def _waits(locks: Iterable[tuple[int, ...]], job: _Job, end: int) -> Iterator[tuple[int, int, int]]:
    """Yield when a job waits for a resource: from, to, which one."""
    waiting: tuple[int, int] | None = None
    for instant, task, number, resource, what in locks:
        if (task, number) != (job.task, job.number):
            continue
        if what == _WAITS:
            waiting = (instant, resource)
        elif what == _LOCKED and waiting is not None:
            yield waiting[0], instant, waiting[1]
            waiting = None
    if waiting is not None:
        yield waiting[0], end, waiting[1]


class _Held:
    """Resources that are held, from instant to instant."""

    def __init__(self, locks: Iterable[tuple[int, ...]]) -> None:
        """Follow the events."""
        self.instants = list[int]()
        self._held = list[tuple[tuple[int, int], ...]]()  # task and resource, in the order in which they were locked
        held = list[tuple[int, int]]()
        for instant, task, _, resource, what in locks:
            if what == _LOCKED:
                held.append((task, resource))
            elif what == _UNLOCKED and (task, resource) in held:
                held.remove((task, resource))
            if what in (_LOCKED, _UNLOCKED):
                self.instants.append(instant)
                self._held.append(tuple(held))

    def _at(self, now: int) -> tuple[tuple[int, int], ...]:
        place = bisect_right(self.instants, now)
        return self._held[place - 1] if place else ()

    def holder(self, resource: int, now: int) -> int | None:
        """Return the task that holds a resource; None if it is free."""
        return next((task for task, of in self._at(now) if of == resource), None)

    def last(self, task: int, now: int) -> int | None:
        """Return the resource that a task locked last of those that it holds; None if it holds none."""
        return next((of for each, of in reversed(self._at(now)) if each == task), None)
