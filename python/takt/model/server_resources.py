# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Problems of resources that servers share: one line each."""

from __future__ import annotations

from collections.abc import Iterator

from takt.base.errors import Problem, show
from takt.model import catalogue, holding_times
from takt.model.conversion import longest_hold, parents_of, resources_of
from takt.model.system_parts import SystemTables
from takt.model.tables import Resource, Server, Task

LEVELLED = catalogue.policies_that(lambda policy: policy.has_levels)
"""Policies that give every task a level, for ceilings."""


def find_sharing_problems(system: SystemTables, resource: Resource) -> Iterator[Problem]:
    """Find users of a resource in no common parent, and sections without a bound.

    Args:
        system: tables each of which is right in itself, where every server that is named is there.
        resource: one of its resources, with a protocol among servers.
    """
    users = [task for task in system.tasks if resource.name in resources_of(task)]
    parent = holding_times.shared_parent({task.server for task in users}, parents_of(system))
    if not users:
        return
    if parent is None:
        places = ", ".join(f"{show(task.name)} {place_of(task)}" for task in users)
        yield _about(resource, "name", f"expected users in servers of one parent, or in that parent, found {places}")
    elif catalogue.protocol_traits(resource.protocol).awaits_budget:
        sharing = {task.server for task in users} - {parent[0]}
        for server in system.servers:
            if server.name in sharing:
                yield from _length(system, resource, server)


def place_of(task: Task) -> str:
    """Say where a task is."""
    return "at the root" if task.server is None else f"in the server {show(task.server)}"


def measures(system: SystemTables, resource: Resource, task: Task) -> bool:
    """Say whether servers share a resource whose ceilings or longest sections follow from what a task is."""
    homes = _homes_of(system, resource)
    parent = _parent_of(system, resource, homes)
    awaits = catalogue.protocol_traits(resource.protocol).awaits_budget
    is_displacing = awaits and task.server in homes and task.server not in parent
    return bool(parent) and (is_displacing or resource.name in resources_of(task))


def _homes_of(system: SystemTables, resource: Resource) -> set[str | None]:
    """List where the users of a resource are."""
    return {task.server for task in system.tasks if resource.name in resources_of(task)}


def _parent_of(system: SystemTables, resource: Resource, homes: set[str | None]) -> tuple[str | None, ...]:
    """Give the dispatcher whose servers share a resource; empty if there is none."""
    is_among = resource.protocol in catalogue.AMONG_PROTOCOLS
    return (is_among and holding_times.shared_parent(homes, parents_of(system))) or ()


def _about(resource: Resource, key: str, message: str) -> Problem:
    """Make a problem of a resource."""
    return Problem(message, "conflict", table="resource", entity=resource.name, key=key)


def _length(system: SystemTables, resource: Resource, server: Server) -> Iterator[Problem]:
    """Nothing displaces the holder of a resource any number of times."""
    try:
        longest_hold(system, resource.name, server)
    except holding_times.UnboundedError as error:
        message = (
            f"expected a period or min_separation of {show(str(error))}, "
            f"whose jobs can displace a holder in the server {show(server.name)}"
        )
        yield _about(resource, "protocol", message)
