# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Domains: a machine of several dispatchers, each with processors, servers and resources of its own.

Source: SPEC.md, 11. The domains of a machine share nothing but time. So each is a system in itself: it is checked,
converted, run, replayed and analysed as one, and what was found is put together afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from takt.base.errors import Problem, show
from takt.model import catalogue
from takt.model.conversion import released_by, resources_of, users_of
from takt.model.core_input import (
    ROOT,
    ResolvedChange,
    ResolvedResource,
    ResolvedServer,
    ResolvedSystem,
    ResolvedTask,
)
from takt.model.key_types import DEFAULT_POLICY
from takt.model.python_policy import Policy, name_of
from takt.model.system_parts import SystemTables
from takt.model.tables import Change, Cluster, Server, Task

_SEED_STEP = 0x9E3779B97F4A7C15
"""Distance of the seeds of two domains, an odd number: domains draw different numbers."""


@dataclass(frozen=True, kw_only=True)
class Part(SystemTables):
    """The tables of one domain, a system in itself; see system_parts.SystemTables.

    Args:
        processors: their numbers on the machine, ascending.
        cluster: place of its table [[cluster]]; None of a processor by itself.
        own_policy: whether that table names the policy.
        change_numbers: places of its changes among those of the machine, counted from 1.
    """

    processors: tuple[int, ...]
    cluster: int | None
    own_policy: bool
    change_numbers: tuple[int, ...]

    @property
    def label(self) -> str:
        """Name of the domain for people."""
        if self.cluster is None:
            return f"processor {self.processors[0]}"
        return f"cluster {self.cluster}"

    @property
    def processors_text(self) -> str:
        """Text of a refusal about several processors."""
        if self.cluster is None:
            return f"cpus = {self.cpus}"
        return f"the {self.cpus} processors of cluster {self.cluster}"

    def seed_of(self, seed: int) -> int:
        """Return the seed of the domain: all drawn values follow from it and from a task's place in the domain."""
        first = self.processors[0] if self.cluster is None else self.cluster
        return (seed + first * _SEED_STEP) % 2**64

    def located(self, problem: Problem) -> Problem:
        """Return a problem of the part with its place among the tables of the machine."""
        if self.own_policy and (problem.table, problem.key) == ("system", "policy"):
            return replace(problem, table=Cluster.table, number=(self.cluster or 0) + 1)
        if problem.table == Change.table and problem.number is not None:
            return replace(problem, number=self.change_numbers[problem.number - 1])
        return problem


def is_divided(system: SystemTables) -> bool:
    """True if a system is a machine of domains."""
    members: list[Task | Server] = [*system.tasks, *system.servers]
    return bool(system.clusters) or any(member.cpu is not None or member.cluster is not None for member in members)


class _Assignment:
    """Domain of each task and server: the given one, else that of its server."""

    def __init__(self, system: SystemTables) -> None:
        self.system = system
        self.key = "cluster" if system.clusters else "cpu"
        self.count = len(system.clusters) or system.cpus
        self.servers = {server.name: server for server in system.servers}

    def given(self, member: Task | Server) -> int | None:
        """Return the domain key of a member."""
        found: int | None = getattr(member, self.key)
        return found

    def above(self, member: Task | Server) -> Iterator[Server]:
        """Yield the servers around a member, the nearest one first."""
        seen: set[str] = set()
        name = member.server if isinstance(member, Task) else member.parent
        while name in self.servers and name not in seen:
            seen.add(name)
            yield self.servers[name]
            name = self.servers[name].parent

    def of(self, member: Task | Server) -> int | None:
        """Return the domain of a member; None if no key gives it."""
        chain = (self.given(each) for each in (member, *self.above(member)))
        return next((found for found in chain if found is not None), None)

    def has_server(self, member: Task | Server) -> bool:
        """True if a member is in a server; one that does not exist is reported elsewhere."""
        return (member.server if isinstance(member, Task) else member.parent) is not None

    def name(self, domain: int | None) -> str:
        """Return the name of a domain."""
        return f"{'cluster' if self.system.clusters else 'processor'} {domain}"


def find_division_problems(system: SystemTables) -> Iterator[Problem]:
    """Yield the problems of the division of a machine; without problems its parts can be built."""
    assignment = _Assignment(system)
    members: list[Task | Server] = [*system.tasks, *system.servers]
    found = [*_cluster_problems(system), *(one for each in members for one in _member_problems(assignment, each))]
    yield from found
    domains = {assignment.of(task) for task in system.tasks}
    for server in () if found else system.servers:
        domain = assignment.of(server)
        if domain is not None and domain < assignment.count and domain not in domains:
            message = f"expected a task on {assignment.name(domain)}, found servers only; leave the server out"
            yield Problem(message, "conflict", table="server", entity=server.name, key=assignment.key)
    users_by_name = users_of(system.tasks)
    for resource in system.resources:
        users = users_by_name.get(resource.name, [])
        other = next((user for user in users if assignment.of(user) != assignment.of(users[0])), None)
        if other is not None:
            places = [f"{show(user.name)} on {assignment.name(assignment.of(user))}" for user in (users[0], other)]
            message = f"expected users in one domain, found {' and '.join(places)}; move a task, or use two resources"
            yield Problem(message, "conflict", table="resource", entity=resource.name, key="name")
    yield from _indivisible_problems(system)


def _indivisible_problems(system: SystemTables) -> Iterator[Problem]:
    """Yield the problems of keys that exist once for all domains."""
    where = "[[cluster]] tables" if system.clusters else "a cpu in each task"
    if system.allocator is not None:
        yield Problem(f"expected none with {where}; leave it out", "conflict", table="allocator")
    if system.platform.model in catalogue.ARCHITECTURES:
        message = f"expected none with {where}, found {show(system.platform.model)}; leave it out"
        yield Problem(message, "conflict", table="platform", key="model")
    for number, change in enumerate(system.changes, start=1):
        if change.policy is not None:
            message = f"expected none with {where}, found {show(name_of(change.policy))}; leave it out"
            yield Problem(message, "conflict", table="change", number=number, key="policy")
    policies: list[tuple[str, int | None, str | Policy]] = [("system", None, system.policy)]
    policies += [(Cluster.table, number, each.policy or "") for number, each in enumerate(system.clusters, start=1)]
    for table, place, policy in policies:
        if policy and (catalogue.traits_of(policy).allocates_rates or catalogue.traits_of(policy).has_slots):
            found = f"found {show(name_of(policy))}; take another, for instance {show(DEFAULT_POLICY)}"
            message = f"expected a policy without a table of its own with {where}, {found}"
            yield Problem(message, "conflict", table=table, number=place, key="policy")


def _cluster_problems(system: SystemTables) -> Iterator[Problem]:
    """The processors of clusters exist, and each is in one cluster at most."""
    owners: dict[int, int] = {}
    for number, cluster in enumerate(system.clusters):
        for cpu in cluster.cpus:
            if cpu >= system.cpus:
                message = f"expected processors below {system.cpus}, the cpus of [system], found {cpu}; give more cpus"
                yield Problem(message, "out-of-range", table=Cluster.table, number=number + 1, key="cpus")
            if owners.setdefault(cpu, number) != number:
                message = f"expected processors of its own, found {cpu}, which cluster {owners[cpu]} has; take another"
                yield Problem(message, "conflict", table=Cluster.table, number=number + 1, key="cpus")


def _member_problems(assignment: _Assignment, member: Task | Server) -> Iterator[Problem]:
    """A task or a server is in one domain, which exists."""
    key, found, domain = assignment.key, assignment.given(member), assignment.of(member)

    def about(key: str, code: str, message: str) -> Problem:
        return Problem(message, code, table=member.table, entity=member.name, key=key)

    other = "cpu" if key == "cluster" else "cluster"
    if getattr(member, other) is not None:
        expected = "cluster = k with [[cluster]] tables" if other == "cpu" else "cpu = k without [[cluster]] tables"
        yield about(other, "conflict", f"expected {expected}, found {other} = {getattr(member, other)}")
    elif domain is None and not assignment.has_server(member):
        message = f"missing; every {member.table} needs one as soon as one has, for instance {key} = 0"
        yield about(key, "missing", message)
    elif found is not None and found >= assignment.count:
        of = "the number of [[cluster]] tables" if key == "cluster" else "the cpus of [system]"
        message = f"expected a number below {assignment.count}, {of}, found {found}; take another, or give more"
        yield about(key, "out-of-range", message)
    for server in assignment.above(member):
        if found is not None and assignment.of(server) not in (None, found):
            place = assignment.name(assignment.of(server))
            message = f"expected {place}, where its server {show(server.name)} is, found {found}; leave it out"
            yield about(key, "conflict", message)
            return


def domains_of(system: SystemTables) -> dict[str, int | None]:
    """Return the domain of each task of a machine."""
    assignment = _Assignment(system)
    return {task.name: assignment.of(task) for task in system.tasks}


# ---- the parts ----------------------------------------------------------------------------------------


def parts_of(system: SystemTables) -> list[Part]:
    """Divide a machine without problems: its domains with tasks, in the order of processors or clusters."""
    assignment = _Assignment(system)
    found = {assignment.of(task) for task in system.tasks}
    domains = sorted(domain for domain in found if domain is not None) or [0]
    return [_part(assignment, domain, is_first=domain == domains[0]) for domain in domains]


def _part(assignment: _Assignment, domain: int, *, is_first: bool) -> Part:
    """Return the part of one domain; references to missing names go to the first one, which refuses them."""
    system = assignment.system
    cluster = system.clusters[domain] if system.clusters else None
    processors = (domain,) if cluster is None else cluster.cpus
    here = {domain, None} if is_first else {domain}
    tasks = tuple(task for task in system.tasks if assignment.of(task) in here)
    names = {task.name for task in tasks}
    known = {task.name for task in system.tasks}
    numbered = [(number, _change_of(change, names, known, is_first)) for number, change in enumerate(system.changes, 1)]
    own = [(number, change) for number, change in numbered if change is not None]
    used = {name for task in tasks for name in resources_of(task)}
    return Part(
        processors=tuple(sorted(processors)),
        cluster=domain if system.clusters else None,
        own_policy=cluster is not None and cluster.policy is not None,
        change_numbers=tuple(number for number, _ in own),
        resolution=system.resolution,
        policy=system.policy if cluster is None or cluster.policy is None else cluster.policy,
        horizon=system.horizon,
        cpus=len(processors),
        tasks=tuple(_alone(task) for task in tasks),
        servers=tuple(_alone(server) for server in system.servers if assignment.of(server) in here),
        resources=tuple(resource for resource in system.resources if resource.name in used),
        platform=system.platform,
        options=system.options,
        changes=tuple(change for _, change in own),
    )


_Member = TypeVar("_Member", Task, Server)


def _alone(member: _Member) -> _Member:
    """Return a task or a server without its domain, and without edges, whose other ends may be elsewhere."""
    alone = member.model_copy(update={"cpu": None, "cluster": None})
    if isinstance(alone, Task) and (alone.is_released or released_by(alone)):
        links = alone.links._replace(is_released=alone.is_released, is_part=True)
        alone = alone.model_copy(update={"after": None, "deadline_from": "arrival", "join": "all"}).linked(links)
    return alone


def _change_of(change: Change, names: set[str], known: set[str], is_first: bool) -> Change | None:
    """Return the change of some tasks only; None if it is empty. The first domain has missing tasks, too."""
    named = {*change.add, *change.remove, change.task} - {None}
    left = named - (known - names) if is_first else named & names
    if not left:
        return None
    update: dict[str, object] = {
        key: tuple(name for name in getattr(change, key) if name in left) for key in ("add", "remove")
    }
    if change.task not in left:
        update |= dict.fromkeys(("task", *change.parameters))
    return change.model_copy(update=update)


# ---- what was divided, together -----------------------------------------------------------------------


def joined(parts: Sequence[ResolvedSystem], system: SystemTables | None = None) -> ResolvedSystem:
    """Return resolved parts as one system, for tables and names; core is given the parts.

    Args:
        parts: at least one.
        system: the machine, if it says the order of tasks and servers; else that is the order of the parts.
    """
    order = _numbers([each for part in parts for each in part.tasks] if system is None else system.tasks)
    places = _numbers([each for part in parts for each in part.servers] if system is None else system.servers)
    tasks: dict[str, ResolvedTask] = {}
    servers: dict[str, ResolvedServer] = {}
    resources: list[ResolvedResource] = []
    changes: list[ResolvedChange] = []
    for part in parts:
        homes = [ROOT, *(1 + places[server.name] for server in part.servers)]
        tasks |= {task.name: replace(task, home=homes[task.home]) for task in part.tasks}
        servers |= {server.name: replace(server, home=homes[server.home]) for server in part.servers}
        among: dict[int | None, int] = {number: number + len(resources) for number in range(len(part.resources))}
        resources += [replace(each, home=homes[each.home], among=among.get(each.among)) for each in part.resources]
        changes += [replace(each, task=order[part.tasks[each.task or 0].name]) for each in part.changes]
    return replace(
        parts[0],
        tasks=tuple(tasks[name] for name in order),
        servers=tuple(servers[name] for name in places),
        resources=tuple(resources),
        changes=tuple(sorted(changes, key=lambda change: change.at)),
    )


def _numbers(members: Iterable[Task | Server | ResolvedTask | ResolvedServer]) -> dict[str, int]:
    return {member.name: number for number, member in enumerate(members)}
