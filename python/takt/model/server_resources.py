# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Problems of resources that servers share: one line each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from takt.base.errors import Problem, show
from takt.model import catalogue, holding_times
from takt.model.conversion import longest_hold, parents_of, policy_in, resources_of, to_ticks
from takt.model.python_policy import name_of
from takt.model.system_parts import SystemTables
from takt.model.tables import Resource, Server, Task

LEVELLED = catalogue.policies_that(lambda policy: policy.has_levels)
"""Policies that give every task a level, for ceilings."""


def find_sharing_problems(system: SystemTables, resource: Resource, *, are_times_right: bool) -> Iterator[Problem]:
    """Find what does not fit around a resource that servers share.

    Args:
        system: tables each of which is right in itself, where every server that is named is there.
        resource: one of its resources, with a protocol among servers.
        are_times_right: whether times can be compared.

    Yields:
        A problem for each rule that is broken; only the first one where the others have no meaning then.
    """
    users = [task for task in system.tasks if resource.name in resources_of(task)]
    parents = parents_of(system)
    parent = holding_times.shared_parent({task.server for task in users}, parents)
    if not users:
        return
    if parent is None:
        places = ", ".join(f"{show(task.name)} {place_of(task)}" for task in users)
        yield _about(resource, "name", f"expected users in servers of one parent, or in that parent, found {places}")
        return
    concerned = dict.fromkeys([*parent, *(task.server for task in users)])
    wrong = [*_orders(system, resource, list(concerned)), *_mixture(system, resource, list(concerned))]
    sharing = [server for server in system.servers if server.name in concerned and server.name != parent[0]]
    wrong += [problem for server in sharing for problem in _kind(resource, server)]
    yield from wrong
    if not wrong and are_times_right and catalogue.protocol_traits(resource.protocol).awaits_budget:
        for server in sharing:
            yield from _length(system, resource, server)


def place_of(task: Task) -> str:
    """Say where a task is."""
    return "at the root" if task.server is None else f"in the server {show(task.server)}"


def touches(system: SystemTables, resource: Resource, concerned: Sequence[str | None]) -> bool:
    """Say whether a resource is used, or shared by servers, in one of some dispatchers."""
    homes = _homes_of(system, resource)
    return any(home in concerned for home in (*homes, *_parent_of(system, resource, homes)))


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


def _orders(system: SystemTables, resource: Resource, concerned: Sequence[str | None]) -> Iterator[Problem]:
    """Every dispatcher concerned orders by levels."""
    for policy in dict.fromkeys(name_of(policy_in(system, home)) for home in concerned):
        if policy not in LEVELLED:
            message = f"found {show(resource.protocol)} under {show(policy)}; it needs {', '.join(LEVELLED)}"
            yield _about(resource, "protocol", message)


def _mixture(system: SystemTables, resource: Resource, concerned: Sequence[str | None]) -> Iterator[Problem]:
    """In the dispatchers concerned there is no other protocol, but for srp beside what does not wait for budget."""
    awaits = catalogue.protocol_traits(resource.protocol).awaits_budget
    beside = () if awaits else catalogue.protocols_that(lambda each: each.bars_runs and not each.is_among)
    alike = (resource.protocol, *beside)
    for other in system.resources:
        if other.protocol not in alike and touches(system, other, concerned):
            message = (
                f"expected {' or '.join(map(show, alike))} for all resources of these servers and their parent, "
                f"found {show(other.protocol)} of {show(other.name)}"
            )
            yield _about(resource, "protocol", message)


def _kind(resource: Resource, server: Server) -> Iterator[Problem]:
    """Its budget comes back every period."""
    kinds = [kind.name for kind in catalogue.server_kinds() if kind.is_periodic]
    if server.kind not in kinds:
        message = (
            f"found {show(resource.protocol)} in the server {show(server.name)}, which is {server.kind}; "
            f"it needs {', '.join(kinds)}"
        )
        yield _about(resource, "protocol", message)


def _length(system: SystemTables, resource: Resource, server: Server) -> Iterator[Problem]:
    """A section fits into the budget."""
    try:
        longest = longest_hold(system, resource.name, server)
    except holding_times.UnboundedError as error:
        message = (
            f"expected a period or min_separation of {show(str(error))}, "
            f"whose jobs can displace a holder in the server {show(server.name)}"
        )
        yield _about(resource, "protocol", message)
        return
    if longest > to_ticks(server.budget, system.resolution):
        message = (
            f"expected at most the budget {show(server.budget)} of the server {show(server.name)} from lock to unlock, "
            f"found {longest} ticks"
        )
        yield _about(resource, "protocol", message)
