# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The oracle's tasks, servers and dispatchers at run time, and where they stand.

Invariant: a ready queue holds exactly the eligible children of its dispatcher, in the order in which they
joined. The first child has waited longest, so a place needs no number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from .changes import Release, releases_of, versions_of
from .model import RULE_KINDS, Mark, Resource, Server, System, Task
from .rules import Bandwidth


@dataclass(eq=False)
class JobState:
    """One job of a task.

    Args:
        number: counts from 0 for every task.
        arrival: what deadline and response count from.
        deadline: the absolute one.
        demand: ticks that it executes.
        marks: what it still does besides running, next first.
        spec: its task with the parameters that it was released with.
        executed: ticks that it has run.
        started: it was dispatched, and has reached no real point of a non-preemptive job and no suspension since.
        limit: the key by which it is displaced once it has started, if it is limited.
        wake: end of its suspension; None while it is not suspended.
        held: what it has locked, in that order.
        waits_for: what it could not lock; None unless it is blocked, which it is until it is dispatched.
        finish: the instant at which it had executed its demand.
        fate: "unfinished", "finished", "aborted" or "skipped".
    """

    number: int
    arrival: int
    deadline: int
    demand: int
    marks: list[Mark]
    spec: Task
    executed: int = 0
    started: bool = False
    limit: float | None = None
    wake: int | None = None
    held: list[ResourceState] = field(default_factory=list)
    waits_for: ResourceState | None = None
    finish: int | None = None
    fate: str = "unfinished"

    def is_complete(self) -> bool:
        """True if it has executed its demand."""
        return self.executed == self.demand

    def next_mark(self) -> Mark | None:
        """Return its next mark beside running; a complete job does nothing more, whatever its body has left."""
        is_there = bool(self.marks) and self.marks[0].executed <= self.executed and not self.is_complete()
        return self.marks[0] if is_there else None


@dataclass(eq=False)
class Dispatcher:
    """The root (owner None) or the inside of a server: its children, its ready queue, how far its events are handled.

    Args:
        policy: the order of its children.
        owner: the server whose inside it is.
        servers: children, in file order.
        tasks: children, in file order.
        queue: the eligible children.
        resources: what its tasks share, in file order.
        out: children that do not compete until something that blocks them is unlocked, in the order of their going.
        handled: every event up to and at this instant has been handled.
    """

    policy: str
    owner: ServerState | None = None
    servers: list[ServerState] = field(default_factory=list)
    tasks: list[TaskState] = field(default_factory=list)
    queue: list[ServerState | TaskState] = field(default_factory=list)
    resources: list[ResourceState] = field(default_factory=list)
    out: list[ServerState | TaskState] = field(default_factory=list)
    handled: int = -1


@dataclass(eq=False)
class ServerState:
    """A server at run time; as it stands it is a deferrable one, servers.py has what differs in other kinds.

    Args:
        spec: what the task set says.
        file_order: its place in the file.
        home: where it sits.
        inside: what it holds.
        replenishment: the instant of its next B := Q that is known; None if there is none.
        budget: what it has left, B.
        held: what its tasks have locked that other servers share, in that order.
        debt: ticks that it overran its budget and has to pay back.
    """

    spec: Server
    file_order: int
    home: Dispatcher
    inside: Dispatcher
    replenishment: int | None
    budget: int = 0
    held: list[ResourceState] = field(default_factory=list)
    debt: int = 0

    def is_active(self) -> bool:
        """True if it has budget, or overruns it."""
        return self.budget > 0 or self.is_overrunning()

    def is_overrunning(self) -> bool:
        """True if it goes on without budget because of what it holds."""
        return self.budget == 0 and any(held.spec.protocol in ("hsrp", "hsrp-payback") for held in self.held)

    def is_awake(self) -> bool:
        """True if events inside it are handled; if not, they wait for its replenishment."""
        return self.is_active()

    def has_work(self) -> bool:
        """True if it has an eligible child."""
        return len(self.inside.queue) > 0

    def is_eligible(self) -> bool:
        """True if it competes in its home."""
        return self.is_active() and self.has_work()

    def deadline(self) -> int:
        """Return its deadline for an edf or llf home: the end of the current period, the next replenishment."""
        assert self.replenishment is not None
        return self.replenishment

    def next_replenishment(self) -> int | None:
        """Return the instant of the next event of step 6."""
        return self.replenishment

    def is_replenishment_due(self, now: int) -> bool:
        """True if an event of step 6 was not handled."""
        upcoming = self.next_replenishment()
        return upcoming is not None and upcoming <= now

    def replenish(self) -> None:
        """Step 6: handle the next replenishment."""
        assert self.replenishment is not None
        self.replenishment += self.spec.period
        paid = 0 if self.is_overrunning() else min(self.debt, self.spec.budget)
        self.debt = 0 if self.is_overrunning() else self.debt - paid
        self.budget = self.spec.budget - paid

    def budget_at(self, now: int) -> int:
        """Return its budget at an instant: a replenishment counts from then on, though it may be handled later."""
        if not self.is_replenishment_due(now):
            return self.budget
        if self.debt == 0 or self.replenishment is None:
            return self.spec.budget
        times = (now - self.replenishment) // self.spec.period + 1
        owed = 0 if self.is_overrunning() else max(0, self.debt - (times - 1) * self.spec.budget)
        return max(0, self.spec.budget - owed)

    def charge(self) -> None:
        """Step 1: take a tick of its budget, or note a tick of overrun that is to be paid back."""
        if self.budget > 0:
            self.budget -= 1
        elif self.held[-1].spec.protocol == "hsrp-payback":
            self.debt += 1

    def exhaust(self) -> None:
        """Step 4: it may have an eligible child and no budget."""

    def get_work(self, instant: int) -> None:
        """It gets an eligible child, and had none."""

    def become_eligible(self, instant: int) -> None:
        """It competes from now on."""

    def cease_to_be_eligible(self, instant: int) -> None:
        """It does not compete any more."""

    def end_instant(self) -> None:
        """All events of an instant have been handled where it stands."""


@dataclass(eq=False)
class TaskState:
    """A task at run time.

    Args:
        spec: what the task set says.
        file_order: its place in the file.
        home: where it sits.
        upcoming: its releases that were not handled.
        versions: all that it ever is; the first one is the spec.
        released: how many releases were handled.
        backlog: its unfinished jobs, the current one first.
        following: the first release that was not handled, once it was asked for.
        deadlines: of all jobs so far.
        rule: what gives its jobs their starts and deadlines besides; None if nothing does.
    """

    spec: Task
    file_order: int
    home: Dispatcher
    upcoming: Iterator[Release]
    versions: list[Task]
    released: int = 0
    backlog: list[JobState] = field(default_factory=list)
    following: list[Release] = field(default_factory=list)
    deadlines: list[int] = field(default_factory=list)
    rule: Bandwidth | None = None

    @property
    def version(self) -> Task:
        """The task with the parameters of its current job; there is one."""
        return self.backlog[0].spec

    def is_eligible(self) -> bool:
        """True if a released job is unfinished, and the current one is not suspended."""
        return len(self.backlog) > 0 and self.backlog[0].wake is None

    def next_release(self) -> tuple[int, int] | None:
        """Return release and arrival of the first job whose release was not handled; None if there is none."""
        release = self.arrival()
        if release is None or self.rule is None:
            return release
        return self.rule.of(self.spec, self.released)[0], release[1]

    def arrival(self) -> tuple[int, int] | None:
        """Return the first release that was not handled, as it would be without a rule, and its arrival."""
        if not self.following:
            self.following = [release for release in [next(self.upcoming, None)] if release is not None]
        return self.following[0][:2] if self.following else None

    def has_arrived(self, now: int) -> bool:
        """True if a job has arrived whose release was not handled, also if its rule delays it."""
        release = self.arrival()
        return release is not None and release[0] <= now

    def is_release_due(self, now: int) -> bool:
        """True if a release is due and was not handled."""
        upcoming = self.next_release()
        return upcoming is not None and upcoming[0] <= now

    def is_abort_due(self, now: int) -> bool:
        """True if the current job is to be ended."""
        return self.spec.on_miss == "abort" and len(self.backlog) > 0 and self.backlog[0].deadline <= now

    def is_wake_due(self, now: int) -> bool:
        """True if the suspension of the current job is over."""
        return len(self.backlog) > 0 and self.backlog[0].wake is not None and self.backlog[0].wake <= now

    def make_next_job(self) -> JobState:
        """Return the first job whose release was not handled, and count it."""
        assert self.next_release() is not None
        _, arrival, spec = self.following.pop()
        number = self.released
        self.released += 1
        demand = spec.demands[number % len(spec.demands)]
        self.deadlines.append(self.deadline_of(spec, number, arrival))
        return JobState(number, arrival, self.deadlines[number], demand, list(spec.marks), spec)

    def deadline_of(self, spec: Task, number: int, arrival: int) -> int:
        """Return the deadline of the next job: under rbe late enough that at most x are due in an interval."""
        if self.rule is not None:
            return self.rule.of(self.spec, number)[1]
        due = (arrival if spec.origins is None else spec.origins[number]) + spec.relative_deadline
        if self.home.policy != "rbe" or number < spec.events:
            return due
        return max(due, self.deadlines[number - spec.events] + (spec.rate_interval or 0))


@dataclass(eq=False)
class ResourceState:
    """A resource at run time.

    Args:
        spec: what the task set says.
        ceiling: the highest level of its users; less is higher, see locks.py.
        holder: the task whose current job has locked it, or the server in which that task is.
        since: the instant of that lock.
        among: where servers share it: what this one, of a server, is in their parent.
        longest: X, the budget that a lock of it needs under sirap.
    """

    spec: Resource
    ceiling: int
    holder: TaskState | ServerState | None = None
    since: int = 0
    among: ResourceState | None = None
    longest: int = 0


Child = ServerState | TaskState


def servers_around(child: Child) -> list[ServerState]:
    """Return the servers that hold a child, innermost first."""
    owner = child.home.owner
    return [] if owner is None else [owner, *servers_around(owner)]


def charged_servers(chosen: Child) -> list[ServerState]:
    """Return the servers charged for a tick of the selected task, innermost first; one that idles, too."""
    return [*([chosen] if isinstance(chosen, ServerState) else []), *servers_around(chosen)]


def take_or_leave_place(child: Child, instant: int) -> None:
    """Put a child that has become eligible at the tail of its ready queue, or take out one that is not.

    A child that is and was eligible keeps its place. The servers around it follow.
    """
    if isinstance(child, ServerState):
        child.exhaust()
    if child in child.home.queue and not _competes(child):
        _leave_place(child, instant)
    if child not in child.home.queue and _competes(child):
        _take_place(child, instant)
    _let_owner_follow(child, instant)


def _competes(child: Child) -> bool:
    """True if a child belongs in its queue."""
    return child.is_eligible() and child not in child.home.out


def _leave_place(child: Child, instant: int) -> None:
    """Take a child out of its queue."""
    child.home.queue.remove(child)
    _let_owner_follow(child, instant)
    if isinstance(child, ServerState):
        child.cease_to_be_eligible(instant)


def _take_place(child: Child, instant: int) -> None:
    """Put a child at the tail of its queue."""
    child.home.queue.append(child)
    if isinstance(child, ServerState):
        child.become_eligible(instant)
    if child.home.owner is not None and len(child.home.queue) == 1:
        child.home.owner.get_work(instant)


def _let_owner_follow(child: Child, instant: int) -> None:
    """Let the server that holds a child take or leave its own place."""
    if child.home.owner is not None:
        take_or_leave_place(child.home.owner, instant)


def is_anything_due(dispatcher: Dispatcher, now: int) -> bool:
    """True if an event is due that can be handled: one of the dispatcher, or inside one of its servers awake."""
    for task in dispatcher.tasks:
        if task.is_abort_due(now) or task.is_wake_due(now) or task.is_release_due(now):
            return True
    for server in dispatcher.servers:
        if server.is_replenishment_due(now) or (server.is_awake() and is_anything_due(server.inside, now)):
            return True
    return False


def build_tasks(system: System, root: Dispatcher, servers: list[ServerState]) -> list[TaskState]:
    """Return the tasks, placed in the tree."""
    insides = {server.spec.name: server.home if server.spec.kind in RULE_KINDS else server.inside for server in servers}
    rules = {server.spec.name: Bandwidth(server.spec) for server in servers if server.spec.kind in RULE_KINDS}
    tasks = []
    for file_order, spec in enumerate(system.tasks):
        home = root if spec.server is None else insides[spec.server]
        versions = [version for _, version in versions_of(spec, system.changes)]
        releases = releases_of(spec, system.changes)
        task = TaskState(spec, file_order, home, releases, versions, rule=rules.get(spec.server or ""))
        if task.rule is not None:
            task.rule.members.append(spec)
        home.tasks.append(task)
        tasks.append(task)
    return tasks
