# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Resources: what core is given of them, and problems of those that servers share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from takt.base.errors import Problem, show
from takt.model import catalogue, holding_times, priority_levels
from takt.model.conversion import (
    in_ticks,
    items_in_ticks,
    level_of,
    limited,
    policy_in,
    resources_of,
    users_of,
    wcet_of,
)
from takt.model.core_input import ResolvedResource
from takt.model.system_parts import SystemTables
from takt.model.tables import Resource, Server, Task

LEVELLED = catalogue.policies_that(lambda policy: policy.has_levels)
"""Policies that give every task a level, for ceilings."""


def find_sharing_problems(system: SystemTables, resource: Resource, users: Sequence[Task]) -> Iterator[Problem]:
    """Yield users of a resource in no common parent, and sections without a bound.

    Args:
        system: tables each of which is right in itself, where every server that is named is there.
        resource: one of its resources, with a protocol among servers.
        users: the tasks that lock it.
    """
    parent = holding_times.shared_parent({task.server for task in users}, parents_of(system))
    if not users:
        return
    if parent is None:
        places = ", ".join(f"{show(task.name)} {place_of(task)}" for task in users)
        yield _about(resource, "name", f"expected users in servers of one parent, or in that parent, found {places}")
    elif catalogue.protocol_traits(resource.protocol).awaits_budget:
        sharing = {task.server for task in users} - {parent[0]}
        for server in (each for each in system.servers if each.name in sharing):
            try:
                longest_hold(system, resource.name, server)
            except holding_times.UnboundedError as error:
                place = f"whose jobs can displace a holder in the server {show(server.name)}"
                message = f"expected a period or min_separation of {show(str(error))}, {place}"
                yield _about(resource, "protocol", message)


def place_of(task: Task) -> str:
    """Return the place of a task, for messages."""
    return "at the root" if task.server is None else f"in the server {show(task.server)}"


def measures(system: SystemTables, resource: Resource, task: Task) -> bool:
    """True if servers share a resource whose ceilings or longest sections follow from its tasks."""
    if resource.protocol not in catalogue.AMONG_PROTOCOLS:
        return False
    homes = {each.server for each in users_of(system.tasks).get(resource.name, [])}
    parent = holding_times.shared_parent(homes, parents_of(system)) or ()
    awaits = catalogue.protocol_traits(resource.protocol).awaits_budget
    is_displacing = awaits and task.server in homes and task.server not in parent
    return bool(parent) and (is_displacing or resource.name in resources_of(task))


def _about(resource: Resource, key: str, message: str) -> Problem:
    return Problem(message, "conflict", table="resource", entity=resource.name, key=key)


# ---- what core is given --------------------------------------------------------------------------------------


def resolved_resources(
    system: SystemTables, versions: Sequence[Task], homes: Mapping[str | None, int], ranks: Sequence[Mapping[int, int]]
) -> list[ResolvedResource]:
    """Convert the resources that are locked in any version of a task; of what servers share, all that it is."""
    resolved: list[ResolvedResource] = []
    users_by_name = users_of(versions)
    for resource in system.resources:
        users = users_by_name.get(resource.name)
        if users is None:
            continue
        parent = None
        if resource.protocol in catalogue.AMONG_PROTOCOLS:
            parent = holding_times.shared_parent({task.server for task in users}, parents_of(system))
        if parent is None:
            home = homes[users[0].server]
            ceiling = _ceiling(system, resource, users, ranks[home])
            resolved.append(ResolvedResource(resource.name, protocol=resource.protocol, ceiling=ceiling, home=home))
        else:
            resolved += _among(system, resource, users, parent[0], homes, ranks, len(resolved))
    return resolved


def _among(
    system: SystemTables,
    resource: Resource,
    users: Sequence[Task],
    parent: str | None,
    homes: Mapping[str | None, int],
    ranks: Sequence[Mapping[int, int]],
    number: int,
) -> Iterator[ResolvedResource]:
    """Convert a resource that servers share: first what it is in their parent, with its number, then in each server."""
    sharing = [server for server in system.servers if any(task.server == server.name != parent for task in users)]
    direct = [task for task in users if task.server == parent]
    if catalogue.traits_of(policy_in(system, parent)).has_fifo_levels:
        highest = [ranks[homes[parent]][server.priority] for server in sharing]
    else:
        highest = [in_ticks(server.period, system.resolution) for server in sharing]
    if direct:
        highest.append(_ceiling(system, resource, direct, ranks[homes[parent]]))
    yield ResolvedResource(resource.name, protocol=resource.protocol, ceiling=min(highest), home=homes[parent])
    for server in sharing:
        inside = [task for task in users if task.server == server.name]
        longest = 0
        if catalogue.protocol_traits(resource.protocol).awaits_budget:
            try:
                longest = limited(max(1, longest_hold(system, resource.name, server)))
            except holding_times.UnboundedError:  # the checks refuse it
                longest = 1
        home = homes[server.name]
        ceiling = _ceiling(system, resource, inside, ranks[home])
        yield ResolvedResource(
            resource.name, protocol=resource.protocol, ceiling=ceiling, home=home, among=number, longest=longest
        )


def _ceiling(system: SystemTables, resource: Resource, users: Sequence[Task], ranks: Mapping[int, int]) -> int:
    """Return the highest level of some users in one dispatcher; 1 for a protocol without a ceiling.

    Users in another dispatcher, or in a server that only gives deadlines, have no level here: the check refuses them.
    """
    if resource.protocol not in catalogue.CEILING_PROTOCOLS:
        return 1
    policy = policy_in(system, users[0].server)
    levels = [level_of(user, policy, ranks, system.resolution) for user in users if user.priority in ranks]
    return min(levels, default=1)


def parents_of(system: SystemTables) -> dict[str, str | None]:
    """Return the parent of each server."""
    return {server.name: server.parent for server in system.servers}


def longest_hold(system: SystemTables, resource: str, server: Server) -> int:
    """Return X of a resource in a server, in ticks; see holding.longest_hold.

    Raises:
        holding.UnboundedError: there is none.
    """
    tasks = [task for task in system.tasks if task.server == server.name]
    ranks = priority_levels.rank(task.priority for task in tasks)
    waited_for = {each.name for each in system.resources if catalogue.protocol_traits(each.protocol).awaits_budget}
    resolution = system.resolution
    neighbours = [
        holding_times.Neighbour(
            name=task.name,
            level=level_of(task, server.policy, ranks, resolution),
            wcet=wcet_of(task, resolution),
            separation=None if task.shortest_separation is None else in_ticks(task.shortest_separation, resolution),
            jitter=in_ticks(task.jitter, resolution),
            items=items_in_ticks(task, resolution),
        )
        for task in tasks
    ]
    limit = in_ticks(server.budget, resolution)
    return holding_times.longest_hold(resource, neighbours, waited_for, limit)
