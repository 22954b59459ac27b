"""Shared resources (SPEC.md, 9): who may lock, who runs instead of a blocked job, and what a lock and an unlock do.

Levels and ceilings are numbers of which less is higher, as in keys.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from .model import Deadlock, LockRow, Server, System, Task
from .states import Child, Dispatcher, ResourceState, ServerState, TaskState, take_or_leave_place

NOBODY = -math.inf
"""The key of a job that nobody displaces."""

LEVELS: dict[str, Callable[[Task], int]] = {
    "fp": lambda task: -task.priority,
    "rm": lambda task: task.rate_period or 0,
    "dm": lambda task: task.relative_deadline,
    "edf": lambda task: task.relative_deadline,
    "llf": lambda task: 0,
}
"""Under llf no protocol asks for a level."""


def build_resources(system: System, tasks: list[TaskState]) -> None:
    """Make the resources and put each into the dispatcher of its users."""
    for spec in system.resources:
        users = [task for task in tasks if spec.name in task.spec.resources]
        if users:
            home = users[0].home
            levels = [LEVELS[home.policy](version) for user in users for version in user.versions]
            home.resources.append(ResourceState(spec, min(levels)))


def level(child: Child) -> int:
    """Give the level of a task or a server in its dispatcher."""
    if isinstance(child.spec, Server):
        return -child.spec.priority if child.home.policy == "fp" else child.spec.period
    assert isinstance(child, TaskState)
    return LEVELS[child.home.policy](child.version)


# ----------------------------------------------------------------------------------------------- what is in the way


def held_by_others(child: Child, protocol: str) -> list[ResourceState]:
    """List the resources of a protocol that others than a child hold in its dispatcher."""
    return [
        resource
        for resource in child.home.resources
        if resource.spec.protocol == protocol and resource.holder not in (None, child)
    ]


def ceilings_against(child: Child, protocol: str) -> list[ResourceState]:
    """List the resources of a protocol that others hold and than whose ceiling a child's level is not higher."""
    return [resource for resource in held_by_others(child, protocol) if level(child) >= resource.ceiling]


def obstacles(task: TaskState, wanted: ResourceState) -> list[ResourceState]:
    """List what must be unlocked before a task can lock a resource."""
    if wanted.spec.protocol == "pcp":
        return ceilings_against(task, "pcp")
    return [] if wanted.holder is None else [wanted]


def holder_of_highest(resources: list[ResourceState]) -> TaskState:
    """Give the holder of the highest ceiling; of equal ones that of the last lock."""
    holder = min(resources, key=lambda resource: (resource.ceiling, -resource.since)).holder
    assert holder is not None
    return holder


def blocker(task: TaskState) -> TaskState | None:
    """Give the task that runs instead of a blocked one; None if nothing blocks it."""
    wanted = task.backlog[0].waits_for
    in_the_way = [] if wanted is None else obstacles(task, wanted)
    return holder_of_highest(in_the_way) if in_the_way else None


def who_may_run(child: Child) -> Child:
    """Give a child that was chosen, or the one that runs instead because srp wants it."""
    above = ceilings_against(child, "srp")
    return holder_of_highest(above) if above else child


def chain(task: TaskState) -> tuple[list[TaskState], TaskState | None]:
    """List a task, the one that blocks it, and so on, and give the one that blocks the last: None, or one of them."""
    met, following = [task], blocker(task)
    while following is not None and following not in met:
        met.append(following)
        following = blocker(following)
    return met, following


def stand_in(child: Child) -> Child | None:
    """Give who runs if a child is chosen; None if that is nobody, because all wait for one another."""
    first = who_may_run(child)
    if isinstance(first, ServerState):
        return first
    met, repeated = chain(first)
    return met[-1] if repeated is None else None


def circle_behind(child: Child) -> list[TaskState]:
    """List the tasks of the circle for which a child that was chosen waits, from the first one on that is met."""
    first = who_may_run(child)
    if isinstance(first, ServerState):
        return []
    met, repeated = chain(first)
    return [] if repeated is None else met[met.index(repeated) :]


def must_go_out(child: Child) -> bool:
    """Say whether a child that was chosen cannot keep its place: nobody runs instead, or its protocol is none."""
    is_in_line = isinstance(child, TaskState) and who_may_run(child) is child and blocker(child) is not None
    return stand_in(child) is None or (is_in_line and _protocol_waited_for(child) == "none")


def in_the_way(child: Child) -> list[ResourceState]:
    """List the resources of which one must be unlocked before a child that is out comes back."""
    ceilings = ceilings_against(child, "srp")
    wanted = child.backlog[0].waits_for if isinstance(child, TaskState) else None
    wanted_first = [] if wanted is None or isinstance(child, ServerState) else obstacles(child, wanted)
    if wanted_first and _protocol_waited_for(child) == "none":
        return wanted_first
    return wanted_first + ceilings


def _protocol_waited_for(child: Child) -> str | None:
    """Give the protocol of what a child waits for."""
    wanted = child.backlog[0].waits_for if isinstance(child, TaskState) else None
    return None if wanted is None else wanted.spec.protocol


# ----------------------------------------------------------------------------------------------- what holding does


def is_involved(task: TaskState) -> bool:
    """Say whether a task holds something or is blocked."""
    return len(task.backlog[0].held) > 0 or task.backlog[0].waits_for is not None


def raised_keys(task: TaskState) -> list[float]:
    """List the keys that a job has because of what it holds."""
    return [
        NOBODY if resource.spec.protocol == "npcs" else _ceiling_key(resource, task.home)
        for resource in task.backlog[0].held
        if resource.spec.protocol in ("npcs", "icpp")
    ]


def _ceiling_key(resource: ResourceState, home: Dispatcher) -> int:
    """Give the key that the ceiling of a locked resource stands for: under edf a deadline that counts from the lock."""
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
        if blocker(task) is None:
            self.hold(task, instant)
            return
        job.started = False
        self.note(instant, task, job.waits_for, "wait")
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
        self.report_circle(child, instant)
        go_out(child, instant)

    def unlock(self, task: TaskState, instant: int) -> None:
        """Unlock what the job locked last, and let those come back whom it blocked."""
        resource = task.backlog[0].held.pop()
        waiting = [child for child in task.home.out if resource in in_the_way(child)]
        resource.holder = None
        self.note(instant, task, resource, "unlock")
        for child in waiting:
            task.home.out.remove(child)
            take_or_leave_place(child, instant)

    def end(self, task: TaskState, instant: int) -> None:
        """Let a job that ends unlock all and wait no more."""
        while task.backlog[0].held:
            self.unlock(task, instant)
        if task in task.home.out:
            task.home.out.remove(task)

    def note(self, instant: int, task: TaskState, resource: ResourceState, what: str) -> None:
        """Add a row to the report."""
        self.rows.append((max(instant, self.now), task.spec.name, task.backlog[0].number, resource.spec.name, what))


def go_out(child: Child, instant: int) -> None:
    """Let a child not compete until something that blocks it is unlocked."""
    if child not in child.home.out:
        child.home.out.append(child)
    take_or_leave_place(child, instant)


def _resource(task: TaskState, name: str) -> ResourceState:
    """Find a resource by its name."""
    return next(resource for resource in task.home.resources if resource.spec.name == name)
