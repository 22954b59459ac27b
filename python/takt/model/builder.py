# SPDX-License-Identifier: Apache-2.0 OR MIT
"""From what an author wrote to what core is given: one builder, and a module for each paradigm besides plain tasks.

These are streams.py, rate_based.py, reservations.py, allocator.py, server_resources.py, changes.py and
architectures.py.
"""

from __future__ import annotations

from takt.model import catalogue, priority_levels
from takt.model.allocator import with_allocator
from takt.model.architectures import resolved_architecture, resolved_costs
from takt.model.bodies import Item, Op
from takt.model.changes import resolved_changes, versions_of
from takt.model.conversion import (
    in_nanoseconds,
    in_ticks,
    is_greedy,
    level_of,
    limited,
    relative_deadline,
    released_by,
    span_in,
    taken_over,
    wcet_of,
)
from takt.model.core_input import (
    DROP,
    LAXITY_SHIFT,
    ROOT,
    ResolvedServer,
    ResolvedSystem,
    ResolvedTask,
    Stream,
)
from takt.model.policy_options import variant_of
from takt.model.rate_based import is_rate_based, resolved_rates, sharing_of_rates
from takt.model.reservations import with_windows
from takt.model.server_resources import resolved_resources
from takt.model.streams import arrivals_of, demand_of
from takt.model.system_parts import SystemTables
from takt.model.tables import Server, Task


def resolve(system: SystemTables) -> ResolvedSystem:
    """Convert a system whose names are right. If its numbers do not fit each other, core's check of the result says so.

    Args:
        system: the system; it is not changed.

    Returns:
        The system in ticks, levels and entity numbers, with its windows and the allocator of them.
    """
    return with_allocator(with_windows(_Conversion(system).whole(), system), system)


class _Conversion:
    """The numbers and levels that the tables of a system refer to, and the conversion of each table."""

    def __init__(self, system: SystemTables) -> None:
        self.system = system
        self.homes = {None: ROOT} | {server.name: number for number, server in enumerate(system.servers, start=1)}
        self.ranks = [priority_levels.rank(children) for children in _priorities_by_home(system, self.homes)]
        rules = [server for server in system.servers if catalogue.server_kind(server.kind).is_rule]
        self.groups = {self.homes[server.name]: server for server in rules}
        self.policies = {ROOT: system.policy} | {self.homes[server.name]: server.policy for server in system.servers}
        self.policies |= {number: self.policies[self.homes[server.parent]] for number, server in self.groups.items()}
        self.by_name = {task.name: task for task in system.tasks}
        self.versions = versions_of(system)
        self.architecture = resolved_architecture(system.platform, self.ticks)
        self.places = {name: self.place(home) for name, home in self.homes.items()}
        tasks = [*system.tasks, *self.versions.values()]
        self.resources = resolved_resources(system, tasks, self.places, self.ranks)
        self.numbers = {(resource.name, resource.home): number for number, resource in enumerate(self.resources)}
        self.sharing = sharing_of_rates(system, self.numbers) if self.resources and is_rate_based(system) else {}

    def ticks(self, value: int | str) -> int:
        """Convert a time."""
        return in_ticks(value, self.system.resolution)

    def place(self, home: int) -> int:
        """Return where the tasks of a server compete: in it, or in its parent if it only assigns deadlines."""
        return self.homes[self.groups[home].parent] if home in self.groups else home

    def whole(self) -> ResolvedSystem:
        """Convert the system."""
        system = self.system
        return ResolvedSystem(
            name=system.name,
            policy=system.policy,
            resolution_ns=in_nanoseconds(system.resolution),
            levels=max(1, len(self.ranks[ROOT])),
            tasks=tuple(map(self.task, system.tasks)),
            servers=tuple(self.server(server, number) for number, server in enumerate(system.servers, start=1)),
            resources=tuple(self.resources),
            seed=system.seed,
            costs=resolved_costs(system.platform, self.ticks),
            architecture=self.architecture,
            variant=variant_of(system.options) if catalogue.traits_of(system.policy).has_virtual_time else None,
            rates=resolved_rates(system, self.ticks) if is_rate_based(system) else None,
            cpus=system.cpus,
            changes=resolved_changes(system, [self.task(version) for version in self.versions.values()]),
        )

    def server(self, server: Server, number: int) -> ResolvedServer:
        """Convert a server."""
        home = self.homes[server.parent]
        return ResolvedServer(
            **taken_over(ResolvedServer, server, self.ticks),
            home=home,
            level=self.ranks[home][server.priority],
            levels=max(1, len(self.ranks[number])),
        )

    def task(self, task: Task) -> ResolvedTask:
        """Convert a task."""
        home, ticks, resolution = self.homes[task.server], self.ticks, self.system.resolution
        in_rule = home in self.groups
        body = self.body(task)
        separation, arrivals = task.shortest_separation, arrivals_of(task, ticks, resolution)
        events = task.events if catalogue.traits_of(self.policies[home]).needs_interval and not in_rule else 0
        arrives = arrivals is not None or task.jitter != 0 or events > 0 or in_rule or self.is_flow(home)
        converted = {
            "home": home,
            "period": 0 if separation is None else ticks(separation),
            "deadline": self.deadline(task, home),
            "wcet": self.wcet(task),
            "level": 1 if in_rule else self.ranks[home][task.priority],
            "preemption_key": self.preemption_key(task, home),
            "on_miss": DROP if self.architecture is not None and task.on_miss == "continue" else task.on_miss,
            "is_external": arrives,
            "suspends": any(op == Op.SUSPEND for op, _ in body),
            "locks": any(op == Op.LOCK for op, _ in body),
            "arrivals": arrivals,
            "is_released": task.is_released,
            "demand": Stream("listed", (1,)) if is_greedy(task) else demand_of(task, self.wcet(task), resolution),
            "is_greedy": is_greedy(task),
            "adapts": task.on_overrun == "adapt",
            "body": body if any(op != Op.RUN for op, _ in body) else (),
            "is_absent": task.initially == "absent",
            "events": events,
            "interval": ticks(task.shortest_interval or 0) if events > 0 else 0,
            "sharing": self.sharing.get(task.name),
        }
        if task.is_released:  # the edges say when jobs come
            converted |= {"jitter": 0, "offset": 0}
        return ResolvedTask(**(taken_over(ResolvedTask, task, ticks) | converted))

    def body(self, task: Task) -> tuple[tuple[int, int], ...]:
        """Convert the items of a body: what is done, and a time or the number of a resource."""
        place, released = self.places[task.server], released_by(task)

        def value(item: Item) -> int:
            if item.task is not None:
                return released.index(item.task)
            return self.ticks(item.time) if item.resource is None else self.numbers[item.resource, place]

        return tuple(
            (int(item.op), value(item))
            for item in task.items
            if item.resource is None or (item.resource, place) in self.numbers
        )

    def wcet(self, task: Task) -> int:
        """Return the wcet of a task, 1 if it never ends."""
        return max(1, wcet_of(task, self.system.resolution))

    def deadline(self, task: Task, home: int) -> int:
        """Return the relative deadline of a task, which its server may assign."""
        if home in self.groups:
            return limited(max(1, span_in(task, self.groups[home], self.system.resolution)))
        return relative_deadline(task, self.system.resolution)

    def is_flow(self, home: int) -> bool:
        """True if the dispatcher orders its children by virtual time."""
        return catalogue.traits_of(self.system.policy).has_virtual_time and home == ROOT

    def preemption_key(self, task: Task, home: int) -> int | None:
        """Return the bound that a key must be below to preempt this job, 0 if no job may; packets are never cut.

        None: a started job keeps its own key; see policy/*.c, start.
        """
        is_packet = self.is_flow(home) and variant_of(self.system.options) != "generic" and task.preemption is None
        if is_packet or task.is_non_preemptive:
            return 0
        if task.threshold is None:
            return None
        if isinstance(task.threshold, int):
            return self.ranks[home][task.threshold]
        other, policy, resolution = self.by_name[task.threshold], self.policies[home], self.system.resolution
        if catalogue.traits_of(policy).has_laxity_keys:
            return relative_deadline(other, resolution) - wcet_of(other, resolution) + LAXITY_SHIFT
        return level_of(other, policy, self.ranks[home], resolution)


def _priorities_by_home(system: SystemTables, homes: dict[str | None, int]) -> list[list[int]]:
    """Return, for the root and each server, the priorities and thresholds of its children."""
    children: list[list[int]] = [[] for _ in homes]
    for server in system.servers:
        children[homes[server.parent]].append(server.priority)
    for task in system.tasks:
        children[homes[task.server]].append(task.priority)
        if isinstance(task.threshold, int):
            children[homes[task.server]].append(task.threshold)
    servers = {task.name: task.server for task in system.tasks}
    for change in system.changes:
        if change.task is not None and change.priority is not None:
            children[homes[servers[change.task]]].append(change.priority)
    return children
