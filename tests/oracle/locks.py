# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Shared resources (SPEC.md, 9): which job may lock, which runs for a blocked one, and what a lock and an unlock do.

Levels and ceilings are numbers of which less is higher, as in keys.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from .model import AMONG_PROTOCOLS, Deadlock, LockRow, Resource, Server, System, Task
from .states import Child, Dispatcher, ResourceState, ServerState, TaskState, take_or_leave_place

MAX_HOLD = 1000
"""X where it has no bound, or none that matters."""
NOBODY = -math.inf
"""The key of a job that no other displaces."""

LEVELS: dict[str, Callable[[Task], int]] = {
    "fp": lambda task: -task.priority,
    "rm": lambda task: task.rate_period or 0,
    "dm": lambda task: task.relative_deadline,
    "edf": lambda task: task.relative_deadline,
    "llf": lambda task: 0,
    "rbe": lambda task: 0,
}
"""Under llf and rbe no protocol asks for a level."""
CHOOSING = ("srp", *AMONG_PROTOCOLS)
"""The protocols that ask which job is chosen."""


def build_resources(system: System, tasks: list[TaskState]) -> None:
    """Make the resources and put each into the dispatcher of its users."""
    for spec in system.resources:
        users = [task for task in tasks if spec.name in task.spec.resources]
        if users and spec.protocol in AMONG_PROTOCOLS:
            _build_among(spec, users, system)
        elif users:
            home = users[0].home
            home.resources.append(ResourceState(spec, min(_highest(user) for user in users)))


def _build_among(spec: Resource, users: list[TaskState], system: System) -> None:
    """Make what servers share: one in their parent, and one in each of them."""
    homes = [user.home for user in users]
    owners = [home.owner for home in homes if home.owner is not None]
    parent = next(owner.home for owner in owners if all(h is owner.home or _is_in(h, owner.home) for h in homes))
    children = [user if user.home is parent else user.home.owner for user in users]
    among = ResourceState(spec, min(_highest(child) for child in children if child is not None))
    parent.resources.append(among)
    for owner in dict.fromkeys(owners):
        if owner.inside is not parent:
            ceiling = min(_highest(user) for user in users if user.home is owner.inside)
            longest = longest_hold(spec.name, system, owner.spec)
            owner.inside.resources.append(ResourceState(spec, ceiling, among=among, longest=longest))


def _is_in(home: Dispatcher, parent: Dispatcher) -> bool:
    """True if a dispatcher is the inside of a server of another one."""
    return home.owner is not None and home.owner.home is parent


def longest_hold(name: str, system: System, server: Server) -> int:
    """Return X of a resource in a server: the longest time of one of its tasks from lock to unlock.

    That is the longest section, and what of the server may displace the one in it: each above the ceiling as often as
    it comes meanwhile, and once more if it can be away when the section begins.
    """
    level_of = LEVELS[server.policy]
    tasks = [task for task in system.tasks if task.server == server.name]
    users = [task for task in tasks if name in task.resources]
    ceiling = min(level_of(user) for user in users)
    section = max(_longest_section(user, name) for user in users)
    waiting = {resource.name for resource in system.resources if resource.protocol == "sirap"}
    above = [(task, _can_be_away(task, waiting)) for task in tasks if level_of(task) < ceiling]
    found, longest = 0, section
    while found != longest and longest < MAX_HOLD:
        found = longest
        longest = section + sum((_jobs_within(found, task) + away) * task.declared_wcet for task, away in above)
    return min(longest, MAX_HOLD)


def _can_be_away(task: Task, waiting: set[str]) -> bool:
    """True if a job of a task can suspend itself or wait for budget."""
    return any(step.kind == "suspend" for step in task.steps) or bool(waiting.intersection(task.resources))


def _longest_section(task: Task, name: str) -> int:
    """Return how long a task runs at most from a lock of a resource to its unlock; what exceeds its runs comes last."""
    runs = [step.ticks for step in task.steps if step.kind == "run"]
    last = max(place for place, step in enumerate(task.steps) if step.kind == "run")
    longest, length, inside = 0, 0, False
    for place, step in enumerate(task.steps):
        if step.kind == "run" and inside:
            length += step.ticks + (task.declared_wcet - sum(runs) if place == last else 0)
        if step.kind in ("lock", "unlock") and step.resource == name:
            inside, length = step.kind == "lock", 0
        longest = max(longest, length)
    return longest


def _jobs_within(ticks: int, task: Task) -> int:
    """Count the jobs of a task that can come in a stretch of time."""
    if task.rate_period is None:
        return MAX_HOLD
    late = max((release - arrival for release, arrival in task.releases or ()), default=0)
    return math.ceil((ticks + late) / task.rate_period)


def _highest(child: Child) -> int:
    """Return the highest level that a task or a server ever has in its dispatcher."""
    if isinstance(child, TaskState):
        return min(LEVELS[child.home.policy](version) for version in child.versions)
    return level(child)


def level(child: Child) -> int:
    """Return the level of a task or a server in its dispatcher."""
    if isinstance(child.spec, Server):
        return -child.spec.priority if child.home.policy == "fp" else child.spec.period
    assert isinstance(child, TaskState)
    if child.rule is not None and child.home.policy == "edf":
        return child.backlog[0].deadline - child.backlog[0].arrival
    return LEVELS[child.home.policy](child.version)


# ----------------------------------------------------------------------------------------------- what is in the way


def held_by_others(child: Child, protocols: Iterable[str]) -> list[ResourceState]:
    """Return the resources of some protocols that others than a child hold in its dispatcher."""
    return [
        resource
        for resource in child.home.resources
        if resource.spec.protocol in protocols and resource.holder not in (None, child)
    ]


def ceilings_against(child: Child, protocols: Iterable[str]) -> list[ResourceState]:
    """Return the resources of some protocols that others hold and than whose ceiling a child's level is not higher."""
    held = held_by_others(child, protocols) if child.home.resources else []
    return [resource for resource in held if level(child) >= resource.ceiling]


def obstacles(task: TaskState, wanted: ResourceState) -> list[ResourceState]:
    """Return the resources that must be unlocked before a task can lock a resource."""
    if wanted.spec.protocol == "pcp":
        return ceilings_against(task, ["pcp"])
    return [] if wanted.holder is None else [wanted]


def holder_of_highest(resources: list[ResourceState]) -> Child:
    """Return the holder of the highest ceiling; of equal ones that of the last lock."""
    holder = min(resources, key=lambda resource: (resource.ceiling, -resource.since)).holder
    assert holder is not None
    return holder


def blocker(task: TaskState) -> TaskState | None:
    """Return the task that runs instead of a blocked one; None if nothing blocks it."""
    wanted = task.backlog[0].waits_for
    in_the_way = [] if wanted is None else obstacles(task, wanted)
    holder = holder_of_highest(in_the_way) if in_the_way else None
    assert not isinstance(holder, ServerState)
    return holder


def who_may_run(child: Child) -> Child:
    """Return a selected child, or the one that runs instead because srp, or a protocol like it, raises it."""
    above = ceilings_against(child, CHOOSING)
    return holder_of_highest(above) if above else child


def is_barred(child: Child) -> bool:
    """True if no job runs if a child is selected: the server that holds a resource cannot run instead."""
    instead = who_may_run(child)
    return instead is not child and isinstance(instead, ServerState) and instead not in instead.home.queue


def is_short_of_budget(task: TaskState, wanted: ResourceState | None) -> bool:
    """True if sirap lets a task wait, because its section might last longer than the budget of its server."""
    owner = task.home.owner
    is_asked = wanted is not None and wanted.among is not None and wanted.spec.protocol == "sirap"
    if not is_asked or wanted is None or owner is None or task.backlog[0].held:
        return False
    return owner.budget < wanted.longest


def chain(task: TaskState) -> tuple[list[TaskState], TaskState | None]:
    """Return a task, the one that blocks it, and so on, and the one that blocks the last: None, or one of them."""
    met, following = [task], blocker(task)
    while following is not None and following not in met:
        met.append(following)
        following = blocker(following)
    return met, following


def stand_in(child: Child) -> Child | None:
    """Return the child that runs if a child is chosen; None if all wait for one another."""
    first = who_may_run(child)
    if isinstance(first, ServerState):
        return first
    met, repeated = chain(first)
    return met[-1] if repeated is None else None


def circle_behind(child: Child) -> list[TaskState]:
    """Return the tasks of the circle for which a child that was chosen waits, from the first one on that is met."""
    first = who_may_run(child)
    if isinstance(first, ServerState):
        return []
    met, repeated = chain(first)
    return [] if repeated is None else met[met.index(repeated) :]


def must_go_out(child: Child) -> bool:
    """True if a child that was chosen cannot keep its place.

    No job runs instead; its protocol is none; or it has to wait for budget.
    """
    if is_barred(child):
        return False
    is_next = isinstance(child, TaskState) and who_may_run(child) is child and blocker(child) is None
    if is_next and isinstance(child, TaskState) and is_short_of_budget(child, child.backlog[0].waits_for):
        return True
    is_in_line = isinstance(child, TaskState) and who_may_run(child) is child and blocker(child) is not None
    return stand_in(child) is None or (is_in_line and _protocol_waited_for(child) == "none")


def in_the_way(child: Child) -> list[ResourceState]:
    """Return the resources of which one must be unlocked before a child that is out comes back."""
    ceilings = ceilings_against(child, CHOOSING)
    wanted = child.backlog[0].waits_for if isinstance(child, TaskState) else None
    wanted_first = [] if wanted is None or isinstance(child, ServerState) else obstacles(child, wanted)
    if wanted_first and _protocol_waited_for(child) == "none":
        return wanted_first
    return wanted_first + ceilings


def _protocol_waited_for(child: Child) -> str | None:
    """Return the protocol of what a child waits for."""
    wanted = child.backlog[0].waits_for if isinstance(child, TaskState) else None
    return None if wanted is None else wanted.spec.protocol


# ----------------------------------------------------------------------------------------------- what holding does


def is_involved(task: TaskState) -> bool:
    """True if a task holds a resource or is blocked."""
    return len(task.backlog[0].held) > 0 or task.backlog[0].waits_for is not None


def raised_keys(task: TaskState) -> list[float]:
    """Return the keys that a job has because of what it holds."""
    return [
        NOBODY if resource.spec.protocol == "npcs" else _ceiling_key(resource, task.home)
        for resource in task.backlog[0].held
        if resource.spec.protocol in ("npcs", "icpp")
    ]


def _ceiling_key(resource: ResourceState, home: Dispatcher) -> int:
    """Return the key of a locked resource's ceiling: under edf a deadline that counts from the lock."""
    return resource.since + resource.ceiling if home.policy == "edf" else resource.ceiling


class Locks:
    """What jobs do with resources, and the report of it: at the instant at which the scheduler does it.

    Only an abort that has waited in an inactive server is older than that.
    """

    def __init__(self) -> None:
        self.now = 0
        self.rows: list[LockRow] = []
        self.deadlocks: list[Deadlock] = []

    def attempt(self, task: TaskState, instant: int) -> None:
        """Lock what the job comes to, or block the job."""
        job = task.backlog[0]
        job.waits_for = _resource(task, job.marks[0].resource)
        if blocker(task) is None and not is_short_of_budget(task, job.waits_for):
            self.hold(task, instant)
            return
        job.started = False
        self.note(instant, task, job.waits_for, "wait")
        if blocker(task) is None:
            wait_for_budget(task, instant)
            return
        self.report_circle(task, instant)
        if must_go_out(task):
            go_out(task, instant)

    def hold(self, task: TaskState, instant: int) -> None:
        """Let a job that nothing blocks have what it waits for, if it waits for anything."""
        job = task.backlog[0]
        resource = job.waits_for
        if resource is None:
            return
        job.marks.pop(0)
        job.waits_for = None
        job.held.append(resource)
        resource.holder, resource.since = task, instant
        if resource.among is not None:
            owner = task.home.owner
            assert owner is not None
            assert resource.among.holder is None, "servers never find locked what they share"
            resource.among.holder, resource.among.since = owner, instant
            owner.held.append(resource.among)
        self.note(instant, task, resource, "lock")

    def report_circle(self, child: Child, instant: int) -> None:
        """Report the deadlock behind a child and take out the jobs in it, if there is one and that was not done."""
        circle = circle_behind(child)
        if all(member in member.home.out for member in circle):
            return
        waits = [(member.spec.name, member.backlog[0].waits_for) for member in circle]
        names = tuple((name, resource.spec.name) for name, resource in waits if resource is not None)
        self.deadlocks.append((instant, names))
        for member in circle:
            go_out(member, instant)

    def pass_over(self, child: Child, instant: int) -> None:
        """Take out a child that was chosen and cannot keep its place."""
        if isinstance(child, TaskState) and blocker(child) is None and who_may_run(child) is child:
            wait_for_budget(child, instant)
            return
        self.report_circle(child, instant)
        for member in without_way_out(child):
            go_out(member, instant)

    def unlock(self, task: TaskState, instant: int) -> None:
        """Unlock what the job locked last, and let those come back that it blocked."""
        resource = task.backlog[0].held.pop()
        waiting = [child for child in task.home.out if resource in in_the_way(child)]
        resource.holder = None
        if resource.among is not None and task.home.owner is not None:
            resource.among.holder = None
            task.home.owner.held.remove(resource.among)
        self.note(instant, task, resource, "unlock")
        for child in waiting:
            if not stays_out(child):
                task.home.out.remove(child)
                take_or_leave_place(child, instant)
            waiting += [other for other in blocked_by(child) if other not in waiting]

    def end(self, task: TaskState, instant: int) -> None:
        """Let a job that ends unlock all and wait no more."""
        while task.backlog[0].held:
            self.unlock(task, instant)
        if task in task.home.out:
            task.home.out.remove(task)

    def note(self, instant: int, task: TaskState, resource: ResourceState, what: str) -> None:
        """Add a row to the report."""
        self.rows.append((max(instant, self.now), task.spec.name, task.backlog[0].number, resource.spec.name, what))


def blocked_by(child: Child) -> list[TaskState]:
    """Return the tasks that are out and wait for what a child holds, for the last lock first."""
    if isinstance(child, ServerState):
        return []
    out = [other for other in child.home.out if isinstance(other, TaskState)]
    held = reversed(child.backlog[0].held)
    return [other for resource in held for other in out if other.backlog[0].waits_for is resource]


def stays_out(child: Child) -> bool:
    """True if a child waits under none for a held resource, so that it lends nothing."""
    wanted = child.backlog[0].waits_for if isinstance(child, TaskState) else None
    return wanted is not None and wanted.spec.protocol == "none" and wanted.holder is not None


def without_way_out(child: Child) -> list[Child]:
    """Return a child that was chosen and cannot go on, and those between it and the circle for which it waits."""
    if not isinstance(child, TaskState) or who_may_run(child) is not child:
        return [child]
    met, repeated = chain(child)
    return [child] if repeated is None else [*met]


def go_out(child: Child, instant: int) -> None:
    """Let a child not compete until something that blocks it is unlocked."""
    if child not in child.home.out:
        child.home.out.append(child)
    take_or_leave_place(child, instant)


def wait_for_budget(task: TaskState, instant: int) -> None:
    """Let a job wait for the next replenishment of its server, as if it had suspended itself."""
    owner = task.home.owner
    assert owner is not None
    task.backlog[0].wake = owner.replenishment
    take_or_leave_place(task, instant)


def _resource(task: TaskState, name: str) -> ResourceState:
    """Return a resource by its name."""
    return next(resource for resource in task.home.resources if resource.spec.name == name)
