# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Which dispatchers and tasks a resource concerns."""

from __future__ import annotations

from .model import AMONG_PROTOCOLS, Resource, System


def _shares_among(resource: Resource, system: System, parent: str | None) -> bool:
    """True if the users of a resource are in servers of a parent, and perhaps in that itself."""
    homes = {task.server for task in system.tasks if resource.name in task.resources}
    inside = {server.name for server in system.servers if server.parent == parent}
    return bool(homes & inside) and homes <= inside | {parent}


def dispatchers_of(resource: Resource, system: System) -> set[str | None]:
    """Return the dispatchers that a resource concerns: of its users, and of the servers that share it."""
    homes = {task.server for task in system.tasks if resource.name in task.resources}
    if resource.protocol not in AMONG_PROTOCOLS:
        return homes
    names = [None, *(server.name for server in system.servers)]
    return homes | {name for name in names if _shares_among(resource, system, name)}


def measured_by(system: System) -> set[str]:
    """Return the tasks on which ceilings or longest sections among servers depend."""
    shared = [resource for resource in system.resources if resource.protocol in AMONG_PROTOCOLS]
    found = {task.name for task in system.tasks for resource in shared if resource.name in task.resources}
    servers = {
        server.name
        for server in system.servers
        for resource in shared
        if resource.protocol == "sirap"
        and server.name in dispatchers_of(resource, system)
        and not _shares_among(resource, system, server.name)
    }
    return found | {task.name for task in system.tasks if task.server in servers}
