# SPDX-License-Identifier: Apache-2.0 OR MIT
"""From what an author wrote to what core is given: a system without problems, converted."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from takt import _core
from takt.base import times
from takt.base.errors import InputError, Problem
from takt.model import catalogue, holding_times, priority_levels, rate_blocking
from takt.model.bodies import Op
from takt.model.catalogue import PolicyTraits
from takt.model.core_input import (
    DROP,
    LAXITY_SHIFT,
    ROOT,
    ResolvedChange,
    ResolvedCosts,
    ResolvedResource,
    ResolvedServer,
    ResolvedSharing,
    ResolvedSystem,
    ResolvedTask,
    Stream,
)
from takt.model.distributions import Distribution
from takt.model.input_table import Table
from takt.model.policy_options import FORMULA, RATE_RULES, RateBased, variant_of
from takt.model.python_policy import Policy, name_of
from takt.model.records import ResolvedArchitecture, ResolvedRates
from takt.model.system_parts import SystemTables, WholeSystem
from takt.model.tables import Change, Platform, Resource, Server, Task

MAX_DEFAULT_HORIZON = 10_000_000
"""The longest horizon, in ticks, that is chosen for a system that gives none."""

DEFAULT_LATENCY = "20us"
"""From an event to the decision of a co-processor."""


def resolve(system: WholeSystem) -> ResolvedSystem:
    """Convert a system in which find_problems finds none.

    Args:
        system: the system; it is not changed.

    Returns:
        The system in ticks, levels and entity numbers.
    """
    return _Conversion(system).whole()


class _Conversion:
    """Knows the numbers and levels that the tables of a system refer to, and converts each of them."""

    def __init__(self, system: WholeSystem) -> None:
        self.system = system
        self.homes = {None: ROOT} | {server.name: number for number, server in enumerate(system.servers, start=1)}
        self.ranks = [priority_levels.rank(children) for children in _priorities_by_home(system, self.homes)]
        rules = [server for server in system.servers if catalogue.server_kind(server.kind).is_rule]
        self.groups = {self.homes[server.name]: server for server in rules}
        self.policies = {ROOT: system.policy} | {self.homes[server.name]: server.policy for server in system.servers}
        self.policies |= {number: self.policies[self.homes[server.parent]] for number, server in self.groups.items()}
        self.by_name = {task.name: task for task in system.tasks}
        self.versions = _versions(system)
        self.architecture = _architecture(system.platform, self.ticks)
        self.places = {name: self.place(home) for name, home in self.homes.items()}
        tasks = [*system.tasks, *self.versions.values()]
        self.resources = _resources(system, tasks, self.places, self.ranks)
        self.numbers = {(resource.name, resource.home): number for number, resource in enumerate(self.resources)}
        is_rate_based = system.policy == RateBased.policy
        self.sharing = _rate_sharing(system, self.numbers) if self.resources and is_rate_based else {}

    def ticks(self, value: int | str) -> int:
        """Convert a time."""
        return int(to_ticks(value, self.system.resolution))

    def place(self, home: int) -> int:
        """Find where the tasks of a server compete: in it, or in its parent if it only gives deadlines."""
        return self.homes[self.groups[home].parent] if home in self.groups else home

    def whole(self) -> ResolvedSystem:
        """Convert the system."""
        system = self.system
        return ResolvedSystem(
            name=system.name,
            policy=system.policy,
            resolution_ns=_nanoseconds(system.resolution),
            levels=max(1, len(self.ranks[ROOT])),
            tasks=tuple(map(self.task, system.tasks)),
            servers=tuple(self.server(server, number) for number, server in enumerate(system.servers, start=1)),
            resources=tuple(self.resources),
            seed=system.seed,
            costs=ResolvedCosts() if self.architecture is not None else _costs(system.platform, self.ticks),
            architecture=self.architecture,
            variant=variant_of(system.options) if catalogue.traits_of(system.policy).has_virtual_time else None,
            rates=_rates(system, self.ticks) if system.policy == RateBased.policy else None,
            cpus=system.cpus,
            changes=_changes(system, [self.task(version) for version in self.versions.values()]),
        )

    def server(self, server: Server, number: int) -> ResolvedServer:
        """Convert a server."""
        home = self.homes[server.parent]
        return ResolvedServer(
            **_taken_over(ResolvedServer, server, self.ticks),
            home=home,
            level=self.ranks[home][server.priority],
            levels=max(1, len(self.ranks[number])),
        )

    def task(self, task: Task) -> ResolvedTask:
        """Convert a task."""
        home, ticks, resolution = self.homes[task.server], self.ticks, self.system.resolution
        in_rule = home in self.groups
        body = self.body(task)
        separation, arrivals = task.shortest_separation, _arrivals(task, ticks, resolution)
        events = task.events if catalogue.traits_of(self.policies[home]).needs_interval and not in_rule else 0
        arrives = arrivals is not None or task.jitter != 0 or events > 0 or in_rule or self.is_flow(home)
        converted = {
            "home": home,
            "period": 0 if separation is None else ticks(separation),
            "deadline": self.deadline(task, home),
            "wcet": self.wcet(task),
            "level": 1 if in_rule else self.ranks[home][task.priority],
            "preemption_key": self.preemption_key(task, home),
            "on_miss": task.on_miss if self.architecture is None else DROP,
            "is_external": arrives,
            "suspends": any(op == Op.SUSPEND for op, _ in body),
            "locks": any(op == Op.LOCK for op, _ in body),
            "arrivals": arrivals,
            "demand": Stream("listed", (1,)) if _is_greedy(task) else _demand(task, self.wcet(task), resolution),
            "is_greedy": _is_greedy(task),
            "adapts": task.on_overrun == "adapt",
            "body": body if any(op != Op.RUN for op, _ in body) else (),
            "is_absent": task.initially == "absent",
            "events": events,
            "interval": ticks(task.shortest_interval or 0) if events > 0 else 0,
            "sharing": self.sharing.get(task.name),
        }
        return ResolvedTask(**(_taken_over(ResolvedTask, task, ticks) | converted))

    def body(self, task: Task) -> tuple[tuple[int, int], ...]:
        """Convert the items of a body: what is done, and a time or the number of a resource."""
        place = self.places[task.server]
        return tuple(
            (int(item.op), self.ticks(item.time) if item.resource is None else self.numbers[item.resource, place])
            for item in task.items
        )

    def wcet(self, task: Task) -> int:
        """Give the wcet of a task, 1 if it never ends."""
        return 1 if _is_greedy(task) else wcet_of(task, self.system.resolution)

    def deadline(self, task: Task, home: int) -> int:
        """Give the relative deadline of a task, which a server may give it."""
        if home in self.groups:
            return span_in(task, self.groups[home], self.system.resolution)
        return relative_deadline(task, self.system.resolution)

    def is_flow(self, home: int) -> bool:
        """Say whether what sits in a server, or at the root, has a share of the processor by virtual time."""
        return catalogue.traits_of(self.system.policy).has_virtual_time and home == ROOT

    def preemption_key(self, task: Task, home: int) -> int | None:
        """Give what a job's key must be below to preempt this one, 0 if nothing may; packets are never cut."""
        is_packet = self.is_flow(home) and variant_of(self.system.options) != "generic" and task.preemption is None
        if is_packet:
            return 0
        return _preemption_key(task, self.by_name, self.policies[home], self.ranks[home], self.system.resolution)


_Class = Callable[..., Any]
"""A class of tables of files, or of records of core."""


def _keys(of: _Class) -> Iterable[str]:
    """List the keys of a table of a file, or the attributes of a record."""
    keys: Iterable[str] = getattr(of, "model_fields" if hasattr(of, "model_fields") else "__dataclass_fields__")
    return keys


@cache
def _shared(one: _Class, other: _Class) -> frozenset[str]:
    """List the keys that two records, or a record and a table of a file, both have."""
    return frozenset(_keys(one)).intersection(_keys(other))


def _taken_over(record: _Class, table: Table, ticks: Callable[[int | str], int]) -> dict[str, Any]:
    """Give the values that a record of core has by the same key as a table of a file: times in ticks, others as given.

    A key without a value is left out.
    """
    given = {key: getattr(table, key) for key in _shared(record, type(table))}
    times = type(table).time_keys()
    return {key: ticks(value) if key in times else value for key, value in given.items() if value is not None}


def _is_greedy(task: Task) -> bool:
    """Say whether the jobs of a task never end."""
    return task.wcet is None and not task.items


def in_order(changes: Sequence[Change], resolution: str) -> list[tuple[int, Change]]:
    """Put changes in the order of time, then of the file; each with its place in the file, counted from 1."""
    return sorted(enumerate(changes, start=1), key=lambda row: to_ticks(row[1].at, resolution))


def _versions(system: SystemTables) -> dict[int, Task]:
    """Make, for each change with new parameters, the task as it is from then on; by places of changes, in order."""
    tasks = {task.name: task for task in system.tasks}
    versions = {}
    for number, change in in_order(system.changes, system.resolution):
        if change.task is not None:
            tasks[change.task] = tasks[change.task].replace(**change.parameters)
            versions[number] = tasks[change.task]
    return versions


def _changes(system: SystemTables, versions: Iterable[ResolvedTask]) -> tuple[ResolvedChange, ...]:
    """List what changes one by one: in the order of time, policies last at one instant, then of the file."""
    numbers = {task.name: number for number, task in enumerate(system.tasks)}
    remaining = iter(versions)
    found: list[ResolvedChange] = []
    for _, change in in_order(system.changes, system.resolution):
        at = int(to_ticks(change.at, system.resolution))
        found += [ResolvedChange(at=at, kind="leave", task=numbers[name], text="removed") for name in change.remove]
        found += [ResolvedChange(at=at, kind="enter", task=numbers[name], text="added") for name in change.add]
        if change.task is not None:
            found.append(_parameters(at, numbers[change.task], next(remaining), change))
        if change.policy is not None:
            name = name_of(change.policy)
            found.append(ResolvedChange(at=at, kind="policy", task=None, policy=name, text=f"policy {name}"))
    return tuple(sorted(found, key=lambda change: (change.at, change.kind == "policy")))


def _parameters(at: int, number: int, task: ResolvedTask, change: Change) -> ResolvedChange:
    """Make the change of a task that is `task` from then on."""
    parameters = {key: getattr(task, key) for key in _shared(ResolvedChange, ResolvedTask)}
    return ResolvedChange(at=at, kind="parameters", task=number, text=change.parameters_text, **parameters)


def _priorities_by_home(system: SystemTables, homes: dict[str | None, int]) -> list[list[int]]:
    """List, for the root and each server, the priorities and thresholds of its children."""
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


def _resources(
    system: SystemTables, versions: Sequence[Task], homes: Mapping[str | None, int], ranks: Sequence[Mapping[int, int]]
) -> list[ResolvedResource]:
    """Convert the resources that are locked in any version of a task; of what servers share, all that it is."""
    resolved: list[ResolvedResource] = []
    for resource in system.resources:
        users = [task for task in versions if resource.name in resources_of(task)]
        if not users:
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
    highest = [level_of_server(server, policy_in(system, parent), ranks[homes[parent]], system) for server in sharing]
    if direct:
        highest.append(_ceiling(system, resource, direct, ranks[homes[parent]]))
    yield ResolvedResource(resource.name, protocol=resource.protocol, ceiling=min(highest), home=homes[parent])
    for server in sharing:
        inside = [task for task in users if task.server == server.name]
        longest = (
            longest_hold(system, resource.name, server)
            if catalogue.protocol_traits(resource.protocol).awaits_budget
            else 0
        )
        home = homes[server.name]
        ceiling = _ceiling(system, resource, inside, ranks[home])
        yield ResolvedResource(
            resource.name, protocol=resource.protocol, ceiling=ceiling, home=home, among=number, longest=longest
        )


def _ceiling(system: SystemTables, resource: Resource, users: Sequence[Task], ranks: Mapping[int, int]) -> int:
    """Give the highest level of some users in one dispatcher; 1 for a protocol without a ceiling."""
    if resource.protocol not in catalogue.CEILING_PROTOCOLS:
        return 1
    policy = policy_in(system, users[0].server)
    return min(level_of(user, policy, ranks, system.resolution) for user in users)


def _rate_sharing(system: SystemTables, numbers: Mapping[tuple[str, int], int]) -> dict[str, ResolvedSharing]:
    """Give for each task of a rate-based root the resources that it shares."""
    by_name = {task.name: _sharer(task, system.resolution) for task in system.tasks}
    sharers = [sharer for sharer in by_name.values() if sharer.sections]
    ceilings = rate_blocking.ceilings_of(sharers)
    return {
        name: ResolvedSharing(
            uses=tuple(sorted(numbers[resource, ROOT] for resource in sharer.sections)),
            blocking=rate_blocking.blocking_of(sharer, sharers, ceilings),
            excess=rate_blocking.excess_of(sharer),
        )
        for name, sharer in by_name.items()
    }


def _sharer(task: Task, resolution: str) -> rate_blocking.Sharer:
    """Say of a task of a rate-based root what matters for how long others wait."""
    wcet = wcet_of(task, resolution)
    items = _items_in_ticks(task, resolution)
    return rate_blocking.Sharer(
        is_hard=task.class_ == "hard",
        window=relative_deadline(task, resolution),
        period=int(to_ticks(task.period or 0, resolution)),
        sections={name: holding_times.longest_section(items, wcet, name) for name in resources_of(task)},
    )


def _items_in_ticks(task: Task, resolution: str) -> tuple[tuple[Op, int | str], ...]:
    """Give the items of a body: op, and ticks or the name of a resource."""
    return tuple(
        (item.op, int(to_ticks(item.time, resolution)) if item.resource is None else item.resource)
        for item in task.items
    )


def policy_in(system: SystemTables, home: str | None) -> str | Policy:
    """Give the policy of the root or of a server."""
    return system.policy if home is None else next(each.policy for each in system.servers if each.name == home)


def parents_of(system: SystemTables) -> dict[str, str | None]:
    """Give the parent of each server."""
    return {server.name: server.parent for server in system.servers}


def level_of_server(server: Server, policy: str | Policy, ranks: Mapping[int, int], system: SystemTables) -> int:
    """Give the level of a server for ceilings."""
    is_fifo = catalogue.traits_of(policy).has_fifo_levels
    return ranks[server.priority] if is_fifo else int(to_ticks(server.period, system.resolution))


def longest_hold(system: SystemTables, resource: str, server: Server) -> int:
    """Give X of a resource in a server, in ticks; see holding.longest_hold.

    Raises:
        holding.UnboundedError: there is none.
    """
    tasks = [task for task in system.tasks if task.server == server.name]
    ranks = priority_levels.rank(task.priority for task in tasks)
    waited_for = {each.name for each in system.resources if catalogue.protocol_traits(each.protocol).awaits_budget}
    neighbours = [_neighbour(task, server.policy, ranks, system.resolution) for task in tasks]
    limit = int(to_ticks(server.budget, system.resolution))
    return holding_times.longest_hold(resource, neighbours, waited_for, limit)


def _neighbour(task: Task, policy: str | Policy, ranks: Mapping[int, int], resolution: str) -> holding_times.Neighbour:
    """Say of a task what matters for how long others hold something."""
    separation = task.shortest_separation
    return holding_times.Neighbour(
        name=task.name,
        level=level_of(task, policy, ranks, resolution),
        wcet=wcet_of(task, resolution),
        separation=None if separation is None else int(to_ticks(separation, resolution)),
        jitter=int(to_ticks(task.jitter, resolution)),
        items=_items_in_ticks(task, resolution),
    )


def relative_deadline(task: Task, resolution: str) -> int:
    """Give the relative deadline of a task in ticks."""
    choices = (task.deadline, task.shortest_separation, task.interval)
    given = next((choice for choice in choices if choice is not None), 0)
    return int(to_ticks(given, resolution))


def span_in(task: Task, server: Server, resolution: str) -> int:
    """Give for how long a job would run at the speed that the share of its server is, in ticks, rounded up."""
    period, budget = (int(to_ticks(value, resolution)) for value in (server.period, server.budget))
    return -(-wcet_of(task, resolution) * period // budget)


def runs_of(task: Task, resolution: str) -> int:
    """Give for how long the body of a task runs, in ticks; 0 without one."""
    return sum(int(to_ticks(item.time, resolution)) for item in task.items if item.op == Op.RUN)


def resources_of(task: Task) -> set[str]:
    """Name what the jobs of a task lock."""
    return {item.resource for item in task.items if item.op == Op.LOCK and item.resource is not None}


def wcet_of(task: Task, resolution: str) -> int:
    """Give the wcet of a task in ticks."""
    if task.wcet is not None:
        return int(to_ticks(task.wcet, resolution))
    return runs_of(task, resolution)


def _preemption_key(
    task: Task, by_name: Mapping[str, Task], policy: str | Policy, ranks: Mapping[int, int], resolution: str
) -> int | None:
    """Give what a started job has instead of its key, None if it keeps its own; see policy/*.c, start."""
    if task.is_non_preemptive:
        return 0
    if task.threshold is None:
        return None
    if isinstance(task.threshold, int):
        return ranks[task.threshold]
    other = by_name[task.threshold]
    if catalogue.traits_of(policy).has_laxity_keys:
        return relative_deadline(other, resolution) - wcet_of(other, resolution) + LAXITY_SHIFT
    return level_of(other, policy, ranks, resolution)


def level_of(task: Task, policy: str | Policy, ranks: Mapping[int, int], resolution: str) -> int:
    """Give the level of a task for ceilings and thresholds, smaller = higher; see core/policy.h, level."""
    name, deadline = name_of(policy), relative_deadline(task, resolution)
    if _has_levels_by_run(catalogue.traits_of(name)):
        return deadline
    period = int(to_ticks(task.shortest_separation or 0, resolution))
    level = _core.policy_level(name, ranks[task.priority], period, deadline)
    assert level is not None, name
    return level


def _has_levels_by_run(policy: PolicyTraits) -> bool:
    """Say whether jobs have levels that only a run knows: what stands in files are deadlines."""
    return policy.allocates_rates or (policy.has_deadline_keys and policy.is_rule)


def has_named_thresholds(policy: str) -> bool:
    """Say whether levels do not refuse a task as threshold; by virtual time all thresholds are refused elsewhere."""
    traits = catalogue.traits_of(policy)
    return traits.has_levels or traits.has_laxity_keys or _has_levels_by_run(traits) or traits.has_virtual_time


def _stream(distribution: Distribution, least: int, most: int, resolution: str) -> Stream:
    """Make the stream of a distribution whose limits are `least` and `most` unless it gives its own."""

    def limit(value: int | str | None, default: int) -> int:
        return default if value is None else int(to_ticks(value, resolution))

    numbers = [
        float(value) if isinstance(value, float) else float(to_ticks(value, resolution))
        for value in (getattr(distribution, key) for key in distribution.parameters)
    ]
    a, b = (*numbers, 0.0)[:2]
    return Stream(
        distribution.kind, (), a, b, max(least, limit(distribution.min, least)), limit(distribution.max, most)
    )


def _demand(task: Task, wcet: int, resolution: str) -> Stream:
    """Make the stream of what the jobs of a task execute."""
    if isinstance(task.demand, Distribution):
        return _stream(task.demand, 1, wcet, resolution)
    if task.demand is None:
        return Stream("listed", (runs_of(task, resolution) or wcet,))
    given = task.demand if isinstance(task.demand, tuple) else (task.demand,)
    return Stream("listed", tuple(int(to_ticks(value, resolution)) for value in given))


def _arrivals(task: Task, ticks: Callable[[int | str], int], resolution: str) -> Stream | None:
    """Make the stream of arrivals of a task: instants, or separations; None for a periodic one."""
    if task.period is not None:
        return None
    least = 0 if task.min_separation is None else ticks(task.min_separation)
    if task.arrivals is None:
        below = math.nextafter(float(times.MAX_TICKS), 0)  # as float() rounds up to what core refuses
        return Stream("uniform", (), float(least), min(float(2 * least), below), least, 2 * least)
    if isinstance(task.arrivals, Distribution):
        return _stream(task.arrivals, least, times.MAX_TICKS, resolution)
    offset = ticks(task.offset)
    return Stream("listed", tuple(offset + ticks(instant) for instant in task.arrivals), least=0)


def _costs(platform: Platform, ticks: Callable[[int | str], int]) -> ResolvedCosts:
    """Convert the costs of a platform."""
    return ResolvedCosts(**_taken_over(ResolvedCosts, platform, ticks), is_pull=platform.points == "pull")


def _rates(system: SystemTables, ticks: Callable[[int | str], int]) -> ResolvedRates:
    """Convert the options of a rate-based root; shares that are kept free are rounded up."""
    given = [options for options in system.options if isinstance(options, RateBased)]
    options = given[0] if given else RateBased()
    return ResolvedRates(
        beta=0 if isinstance(options.beta, str) else in_rates(options.beta),
        has_formula=options.beta == FORMULA,
        sigma=in_rates(options.sigma),
        grid=1 if options.grid is None else ticks(options.grid),
        rule=RATE_RULES.index(options.changes),
        has_background=options.background,
        has_compression=options.compression,
        has_cuts=options.cuts,
        estimate_jobs=options.estimate_jobs,
    )


def in_rates(share: float) -> int:
    """Give a share of the processor, as it is written in decimals, in core's units, rounded up."""
    return math.ceil(Fraction(str(share)) * _core.RATE_WHOLE)


def _architecture(platform: Platform, ticks: Callable[[int | str], int]) -> ResolvedArchitecture | None:
    """Convert where the scheduler runs; None if the platform does not say."""
    if platform.model not in catalogue.ARCHITECTURES:
        return None
    traits = catalogue.architecture_traits(platform.model)
    defaults = {"interval": 0, "latency": ticks(DEFAULT_LATENCY if traits.has_latency else 0)}
    given = _taken_over(ResolvedArchitecture, platform, ticks)
    return ResolvedArchitecture(**(defaults | given), is_fixed=platform.timer == "fixed")


def to_ticks(value: int | str, resolution: str) -> int | Fraction:
    """Convert a time that the model has accepted; not whole if it is no multiple of the resolution."""
    return value if isinstance(value, int) else _text_to_ticks(value, resolution)


@cache
def _text_to_ticks(text: str, resolution: str) -> Fraction:
    return Fraction(times.to_ticks(text, _nanoseconds(resolution)))


@cache
def _nanoseconds(resolution: str) -> int:
    return int(times.to_ticks(resolution, 1))


# ---- horizon ----------------------------------------------------------------------------------------


def default_horizon(resolved: ResolvedSystem) -> int:
    """Choose a horizon for a system that gives none, in ticks.

    It is the largest offset plus one hyperperiod: the least common multiple of the periods and least separations,
    where a list of n demands counts as n periods. Explicit arrivals count with the deadline of the last one.

    Args:
        resolved: the system.

    Raises:
        InputError: no short one suggests itself.
    """
    last, hyperperiod = 0, 1
    members: tuple[ResolvedTask | ResolvedServer, ...] = (*resolved.tasks, *resolved.servers)
    extents = [*map(_extent, members), *(_extent_of_change(change, resolved) for change in resolved.changes)]
    for end, repeat in extents:
        last = max(last, end)
        hyperperiod = math.lcm(hyperperiod, repeat)
        if repeat == 0 or last + hyperperiod > MAX_DEFAULT_HORIZON:
            message = 'missing, and the releases repeat too late for a default; give one, for instance "2s"'
            raise InputError([Problem(message, "missing", table="system", key="horizon")])
    return last + hyperperiod


def _extent_of_change(change: ResolvedChange, resolved: ResolvedSystem) -> tuple[int, int]:
    """Say the same of what a task does from a change on."""
    if change.task is None or change.kind == "leave":
        return change.at, 1
    task = resolved.tasks[change.task]
    if change.kind == "enter":
        end, repeat = _extent(task)
        return change.at + end, repeat
    repeats = task.arrivals is None or task.arrivals.kind != "listed"
    return change.at, change.period * max(1, len(change.demand.values)) if repeats else 1


def _extent(member: ResolvedTask | ResolvedServer) -> tuple[int, int]:
    """Say from when on the releases of a task or server repeat, and after how many ticks; 0 if never."""
    if isinstance(member, ResolvedServer):
        return member.offset, 1 if catalogue.server_kind(member.kind).is_rule else member.period
    if member.arrivals is not None and member.arrivals.kind == "listed":
        return member.arrivals.values[-1] + member.deadline, 1
    cycle = 1 if member.windows is None else max(1, member.windows.cycle)
    return member.offset, math.lcm(member.period * max(1, len(member.demand.values)), cycle)
