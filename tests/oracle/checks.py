# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Refuses a system that breaks a rule its classes state: one ValueError that names the entity and the rule."""

from __future__ import annotations

from itertools import pairwise

from .changes import in_order, versions_of
from .locks import longest_hold
from .model import (
    AMONG_KINDS,
    AMONG_PROTOCOLS,
    BODY_ITEMS,
    CLASSES,
    DEADLINE_POLICIES,
    EDF_KINDS,
    KINDS,
    LEVELLESS_POLICIES,
    LEVELLESS_PROTOCOLS,
    ON_MISS,
    POINT_MODELS,
    POLICIES,
    PREEMPTIONS,
    PROTOCOLS,
    RULE_KINDS,
    Platform,
    Resource,
    Server,
    System,
    Task,
)


def check(system: System) -> None:
    """Raise a ValueError unless the system keeps every rule."""
    _require(system.policy in POLICIES, "system", f"policy {system.policy!r} is unknown")
    for entities in (system.tasks, system.servers, system.resources):
        names = [entity.name for entity in entities]
        for name in names:
            _require(names.count(name) == 1, name, "the name is used twice")
    policies: dict[str | None, str] = {server.name: server.policy for server in system.servers}
    policies[None] = system.policy
    _check_platform(system.platform)
    for resource in system.resources:
        _check_resource(resource, system, policies)
    for server in system.servers:
        _check_server(server, system)
        _require(
            server.kind not in EDF_KINDS + RULE_KINDS or policies[server.parent] in DEADLINE_POLICIES,
            server.name,
            f"kind {server.kind!r} needs an edf parent",
        )
    for task in system.tasks:
        _check_task(task)
        _require(
            system.platform.points == "push" or task.on_miss == "continue",
            task.name,
            f"pulled points and on_miss {task.on_miss!r} exclude each other",
        )
        _check_body(task)
        _check_sections(task, [resource.name for resource in system.resources])
        _require(task.server in policies, task.name, f"server {task.server!r} is unknown")
        _check_place(task, policies[task.server], system)
    _check_changes(system)


def _check_changes(system: System) -> None:
    """Check tasks that come and go, new parameters, and what another policy of the root excludes."""
    present = {task.name for task in system.tasks if not task.absent}
    for change in in_order(system.changes):
        _require(change.at >= 0, "change", "must be at >= 0")
        _require(present.issuperset(change.remove), "change", "a removed task must be there")
        present -= set(change.remove)
        _require(present.isdisjoint(change.add), "change", "an added task must be absent")
        present |= set(change.add)
        if change.task is not None:
            _require(change.task not in measured_by(system), "change", "what servers share depends on the task")
        if change.policy is not None:
            _check_changed_policy(change.policy, system)
    for task in system.tasks:
        for _, version in versions_of(task, system.changes):
            _check_task(version)
            _check_body(version)


def _check_changed_policy(policy: str, system: System) -> None:
    """Check that the root can have another policy."""
    _require(policy in POLICIES, "change", f"policy {policy!r} is unknown")
    tasks = [task for task in system.tasks if task.server is None]
    for task in tasks:
        _require(task.threshold is None, task.name, "a threshold at the root and another policy exclude each other")
        _require(policy != "rm" or task.rate_period is not None, task.name, "rm orders by period: give min_separation")
    for resource in system.resources:
        has_ceiling = None in dispatchers_of(resource, system) and resource.protocol not in LEVELLESS_PROTOCOLS
        _require(not has_ceiling, resource.name, "a ceiling at the root and another policy exclude each other")
    for server in system.servers:
        is_fit = policy == "edf" or server.parent is not None or server.kind not in EDF_KINDS
        _require(is_fit, server.name, f"kind {server.kind!r} needs an edf parent")


def _check_platform(platform: Platform) -> None:
    """Check the costs."""
    costs = (platform.context_switch, platform.release, platform.scheduling, platform.point, platform.tick)
    _require(min(costs) >= 0, "platform", "costs must be >= 0")
    _require((platform.tick > 0) == (platform.tick_period is not None), "platform", "tick and tick_period go together")
    _require(platform.tick_period is None or platform.tick_period >= 1, "platform", "tick_period must be >= 1")
    _require(platform.points in POINT_MODELS, "platform", f"points {platform.points!r} is unknown")
    _require(platform.points == "push" or platform.tick == 0, "platform", "pulled points and ticks exclude each other")


def _check_server(server: Server, system: System) -> None:
    """Check one server and that its chain of parents ends at the root."""
    _require(server.policy in POLICIES, server.name, f"policy {server.policy!r} is unknown")
    _require(server.kind in KINDS, server.name, f"kind {server.kind!r} is unknown")
    _require(0 < server.budget <= server.period, server.name, "budget must be 1..period")
    rules = [other.name for other in system.servers if other.kind in RULE_KINDS]
    _require(server.parent not in rules, server.name, "its parent holds tasks only")
    _require(server.offset >= 0, server.name, "offset must be >= 0")
    parents = {other.name: other.parent for other in system.servers}
    ancestor = server.parent
    for _ in system.servers:
        _require(ancestor is None or ancestor in parents, server.name, f"parent {ancestor!r} is unknown")
        ancestor = None if ancestor is None else parents[ancestor]
    _require(ancestor is None, server.name, "its parents form a ring")


def _check_task(task: Task) -> None:
    """Check the numbers and words of one task."""
    _require(task.period is None or task.period >= 1, task.name, "period must be >= 1")
    _require(task.min_separation is None or task.min_separation >= 1, task.name, "min_separation must be >= 1")
    _require(task.period is not None or task.releases is not None, task.name, "a period or releases must be given")
    _require(all(demand >= 1 for demand in task.demands), task.name, "demand must be >= 1")
    _require(task.declared_wcet >= 1, task.name, "wcet must be >= 1")
    _require(task.relative_deadline >= 1, task.name, "deadline must be >= 1")
    _require(task.events >= 1, task.name, "events must be >= 1")
    _require(task.interval is None or task.interval >= 1, task.name, "interval must be >= 1")
    _require(task.offset >= 0, task.name, "offset must be >= 0")
    _require(task.class_ in CLASSES, task.name, f"class {task.class_!r} is unknown")
    _require(task.preemption in (None, *PREEMPTIONS), task.name, f"preemption {task.preemption!r} is unknown")
    _require(task.on_miss in ON_MISS, task.name, f"on_miss {task.on_miss!r} is unknown")
    for release, arrival in task.releases or ():
        _require(release >= arrival >= 0, task.name, "a job must arrive at >= 0 and not after its release")
    for (release, arrival), (next_release, next_arrival) in pairwise(task.releases or ()):
        _require(release <= next_release and arrival <= next_arrival, task.name, "releases must not descend")


def _check_body(task: Task) -> None:
    """Check the body or the subjobs of a task."""
    _require(task.body is None or task.subjobs is None, task.name, "body and subjobs exclude each other")
    if task.body is None and task.subjobs is None:
        return
    for kind, ticks, _ in task.steps:
        _require(kind in BODY_ITEMS, task.name, f"item {kind!r} of the body is unknown")
        _require(
            (ticks >= 1) == (kind in ("run", "suspend")), task.name, "run and suspend, and only they, take >= 1 tick"
        )
    last = [step.kind for step in task.steps if step.kind != "unlock"][-1:]
    _require(last == ["run"], task.name, "the last item of the body must be a run, or unlocks after a run")
    runs = sum(step.ticks for step in task.steps if step.kind == "run")
    _require(runs <= task.declared_wcet, task.name, "the body must not be longer than the wcet")


def _check_sections(task: Task, names: list[str]) -> None:
    """Check that what a task locks is there, and that its sections are nested and hold no suspension."""
    held: list[str] = []
    for kind, _, name in task.steps:
        if kind == "lock":
            _require(name in names, task.name, f"resource {name!r} is unknown")
            _require(name not in held, task.name, f"resource {name!r} is locked already")
            held.append(name)
        if kind == "unlock":
            _require(held[-1:] == [name], task.name, f"resource {name!r} is not what was locked last")
            held.pop()
        _require(kind != "suspend" or not held, task.name, "no suspension inside a section")


def _check_resource(resource: Resource, system: System, policies: dict[str | None, str]) -> None:
    """Check the protocol of a resource against the dispatcher of its users."""
    _require(
        resource.protocol in PROTOCOLS + AMONG_PROTOCOLS, resource.name, f"protocol {resource.protocol!r} is unknown"
    )
    users = [task for task in system.tasks if resource.name in task.resources]
    if resource.protocol in AMONG_PROTOCOLS:
        _check_among(resource, system, policies, {task.server for task in users})
        return
    parents = {server.name: server.parent for server in system.servers if server.kind in RULE_KINDS}
    homes = {parents.get(task.server or "", task.server) for task in users}
    _require(len(homes) <= 1, resource.name, "its users must be in one dispatcher")
    for policy in ["rbe" for task in users if task.server in parents] + [policies.get(home) for home in homes]:
        _require(
            resource.protocol in LEVELLESS_PROTOCOLS or policy not in LEVELLESS_POLICIES,
            resource.name,
            f"protocol {resource.protocol!r} and {policy} exclude each other",
        )


def _check_among(resource: Resource, system: System, policies: dict[str | None, str], homes: set[str | None]) -> None:
    """Check that the users of a resource are in servers of one parent, or in that parent, all of which can share."""
    if not homes:
        return
    parents = [parent for parent in policies if _shares_among(resource, system, parent)]
    _require(len(parents) == 1, resource.name, "its users must be in servers of one parent")
    concerned = homes | {parents[0]}
    _require("llf" not in [policies[home] for home in concerned], resource.name, "llf has no levels")
    for server in system.servers:
        if server.name in homes and server.name != parents[0]:
            _require(server.kind in AMONG_KINDS, resource.name, f"kind {server.kind!r} cannot share")
            longest = longest_hold(resource.name, system, server)
            fits = resource.protocol != "sirap" or longest <= server.budget
            _require(fits, resource.name, f"a section must fit into the budget of {server.name!r}")
    for other in system.resources:
        is_beside = bool(concerned & dispatchers_of(other, system))
        is_alike = other.protocol == resource.protocol or (other.protocol == "srp" and resource.protocol != "sirap")
        _require(is_alike or not is_beside, resource.name, f"protocol {other.protocol!r} is beside it")


def _shares_among(resource: Resource, system: System, parent: str | None) -> bool:
    """Say whether the users of a resource are in servers of a parent, and perhaps in that itself."""
    homes = {task.server for task in system.tasks if resource.name in task.resources}
    inside = {server.name for server in system.servers if server.parent == parent}
    return bool(homes & inside) and homes <= inside | {parent}


def dispatchers_of(resource: Resource, system: System) -> set[str | None]:
    """List the dispatchers that a resource concerns: of its users, and of the servers that share it."""
    homes = {task.server for task in system.tasks if resource.name in task.resources}
    if resource.protocol not in AMONG_PROTOCOLS:
        return homes
    names = [None, *(server.name for server in system.servers)]
    return homes | {name for name in names if _shares_among(resource, system, name)}


def measured_by(system: System) -> set[str]:
    """List the tasks on which ceilings or longest sections among servers depend."""
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


def _check_place(task: Task, policy: str, system: System) -> None:
    """Check a task against its dispatcher."""
    neighbours = [other.name for other in system.tasks if other.server == task.server]
    _require(policy != "rm" or task.rate_period is not None, task.name, "rm orders by period: give min_separation")
    _require(policy != "rbe" or task.rate_interval is not None, task.name, "rbe wants an interval")
    if task.threshold is None:
        return
    _require(not task.non_preemptive, task.name, "threshold and non-preemptive exclude each other")
    if isinstance(task.threshold, str):
        _require(
            task.threshold in neighbours, task.name, f"threshold: task {task.threshold!r} is not in its dispatcher"
        )
    else:
        _require(policy == "fp", task.name, "a threshold that is a priority needs an fp dispatcher")
        _require(task.threshold >= task.priority, task.name, "threshold must be >= priority")


def _require(condition: bool, name: str, rule: str) -> None:
    """Raise a ValueError that names the entity and the rule unless the condition holds."""
    if not condition:
        raise ValueError(f"{name}: {rule}")
