# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Consistency checks across tables; each table is valid alone."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from takt import _core
from takt.base import times
from takt.base.errors import InputError, Problem, show
from takt.model import catalogue, value_checks
from takt.model.architectures import find_latency_problems
from takt.model.bodies import Op
from takt.model.builder import resolve
from takt.model.changes import find_change_problems
from takt.model.conversion import has_named_thresholds, runs_of, span_in, to_ticks, users_of
from takt.model.core_input import IDLE, ResolvedSystem
from takt.model.distributions import Distribution
from takt.model.domains import domains_of, find_division_problems, is_divided, parts_of
from takt.model.key_types import DEFAULT_POLICY
from takt.model.linked import find_link_problems, find_machine_problems
from takt.model.policy_options import PolicyOptions
from takt.model.python_policy import DynamicPolicy, Policy, name_of
from takt.model.rate_based import find_rate_problems, is_rate_based
from takt.model.relations import UNWORDED, RelationProblems
from takt.model.reservations import find_window_problems
from takt.model.server_resources import find_sharing_problems, place_of
from takt.model.system_parts import SystemTables
from takt.model.tables import Allocator, Change, Platform, Resource, Server, Task


def checked(system: SystemTables) -> ResolvedSystem:
    """Convert a system, of one processor or of processors that are scheduled together.

    Raises:
        InputError: tables do not fit together.
    """
    problems, resolved = _found(system, (), (), ())
    if problems:
        raise InputError(problems)
    return resolved


def find_problems(
    system: SystemTables,
    other_servers: Iterable[str] = (),
    other_resources: Iterable[str] = (),
    other_tasks: Iterable[str] = (),
) -> list[Problem]:
    """Return the problems between the tables of a system.

    Args:
        system: tables each of which is right in itself.
        other_servers: names of servers that exist but are wrong in themselves.
        other_resources: likewise.
        other_tasks: likewise.

    Returns:
        All problems, in the order of the tables.
    """
    if is_divided(system):
        checker = _Checker(system, other_servers, other_resources)
        divided = [*checker.sizes(), *checker.all_names(), *find_division_problems(system)]
        divided += [] if divided else find_link_problems(system, other_tasks)
        divided += [] if divided else find_machine_problems(system, domains_of(system))
        if divided:
            return divided
        parts = parts_of(system)
        others = [*other_servers], [*other_resources]
        found = [part.located(problem) for part in parts for problem in find_problems(part, *others)]
        return list(dict.fromkeys(found))
    return _found(system, other_servers, other_resources, other_tasks)[0]


@catalogue.suggestions_limited()
def _found(
    system: SystemTables,
    other_servers: Iterable[str],
    other_resources: Iterable[str],
    other_tasks: Iterable[str],
) -> tuple[list[Problem], ResolvedSystem]:
    """Return the problems of a system, and its conversion: complete if there are no problems."""
    found = [*_Checker(system, other_servers, other_resources).problems(), *find_link_problems(system, other_tasks)]
    part = _sound_part(system, found) if found or other_servers or other_resources else system
    resolved = resolve(part)
    are_times_right = all(problem.code != "resolution" for problem in found)
    found += _broken_relations(part, resolved, are_times_right=are_times_right)
    members: list[Task | Server | Resource] = [*system.tasks, *system.servers, *system.resources]
    places = {(member.table, member.name): place for place, member in enumerate(members)} if found else {}

    def position(problem: Problem) -> tuple[int, int]:
        table = (problem.table or "").partition(".")[0]
        return _TABLES.index(table), places.get((table, problem.entity or ""), problem.number or 0)

    worded = [problem for problem in found if problem.code != UNWORDED]
    return sorted(dict.fromkeys(worded or found), key=position), resolved


def _broken_relations(part: SystemTables, resolved: ResolvedSystem, *, are_times_right: bool) -> list[Problem]:
    """Return the relations that a part of a system breaks in core; where servers form rings, again without them."""
    found = RelationProblems(part, resolved, are_times_right=are_times_right).problems()
    rings = {problem.entity for problem in found if problem.code == "ring"}
    if rings:
        left = _sound_part(part, (), rings)
        found += _broken_relations(left, resolve(left), are_times_right=are_times_right)
    return found


_TABLES = ("", "system", "platform", "policy", "allocator", "task", "server", "resource", "cluster", "change")
"""In the order in which their problems are listed."""


def _sound_part(
    system: SystemTables, problems: Iterable[Problem], unwanted: Collection[str | None] = ()
) -> SystemTables:
    """Leave out of a system what names something that is not there, unwanted servers, and what is in either.

    Of servers with one name the first stays. Other values that are wrong are replaced: a task that is a threshold by
    none, parameters of a change and policies in Python by none, and a time by one that core can have (conversion.py).
    """
    wrong = {(problem.table, problem.entity, problem.number, problem.key) for problem in problems}
    firsts: dict[str, Server] = {}
    for server in system.servers:
        firsts.setdefault(server.name, server)
    servers = [server for name, server in firsts.items() if name not in unwanted]
    while missing := {server.parent for server in servers} - {None, *(server.name for server in servers)}:
        servers = [server for server in servers if server.parent not in missing]
    homes = {None, *(server.name for server in servers)}
    unnamed = {entity for table, entity, _, key in wrong if (table, key) == ("task", "threshold")}
    tasks = [
        task.model_copy(update={"threshold": None})
        if task.name in unnamed and isinstance(task.threshold, str)
        else task
        for task in system.tasks
        if task.server in homes
    ]
    names = {task.name for task in tasks}
    unsure = {number for table, _, number, _ in wrong if table == "change"}
    changes = []
    for number, change in enumerate(system.changes, start=1):
        left: dict[str, Any] = {
            key: [name for name in getattr(change, key) if name in names] for key in ("add", "remove")
        }
        left["policy"] = change.policy if isinstance(change.policy, str) else None
        if number in unsure or change.task not in names:
            left |= dict.fromkeys(("task", *change.parameters))
        changes.append(change.model_copy(update=left))
    return replace(system, tasks=tasks, servers=servers, changes=changes)


def find_horizon_problems(system: SystemTables, horizon: int | str) -> list[Problem]:
    """Return the problems of a horizon, valid alone, that is to replace that of a system."""
    return list(_Checker(system, (), ()).horizon(horizon))


class _Checker:
    """The checks between tables; each yields the problems that it finds."""

    def __init__(self, system: SystemTables, other_servers: Iterable[str], other_resources: Iterable[str]) -> None:
        self.system = system
        self.resources = {resource.name: resource for resource in system.resources}
        self.resource_names = {**self.resources, **dict.fromkeys(other_resources)}
        self.servers = {server.name: server for server in system.servers}
        self.server_names = {**self.servers, **dict.fromkeys(other_servers)}

    def problems(self) -> Iterator[Problem]:
        """Run all checks."""
        yield from self.sizes()
        yield from self.horizon(self.system.horizon)
        yield from self.all_names()
        yield from self.times_of("platform", None, _platform_times(self.system.platform))
        for options in self.options():
            yield from self.times_of(options.table, None, options.times())
        for task in self.system.tasks:
            yield from self.task(task)
        for server in self.system.servers:
            yield from self.server(server)
        for resource in self.system.resources:
            yield from self.resource(resource)
        yield from self.keys_before_decisions()
        yield from find_latency_problems(self.system)
        yield from find_rate_problems(self.system)
        yield from find_window_problems(self.system)
        yield from find_change_problems(self.system, self.change_times, self.version)

    def keys_before_decisions(self) -> Iterator[Problem]:
        """A dynamic policy orders tasks of the root alone."""
        found: list[tuple[str, str | None, str | Policy]] = [("system", None, self.system.policy)]
        found += [("server", server.name, server.policy) for server in self.system.servers]
        giver = next(
            ((table, name, policy) for table, name, policy in found if isinstance(policy, DynamicPolicy)), None
        )
        is_placed = self.system.platform.model in catalogue.ARCHITECTURES
        if giver is None or not (self.system.servers or is_placed):
            return
        table, name, policy = giver
        other = "servers" if self.system.servers else f"model = {show(self.system.platform.model)}"
        message = f"{show(name_of(policy))} gives keys before each decision, found {other}; leave one of both out"
        yield Problem(message, "conflict", table=table, entity=name, key="policy")

    def all_names(self) -> Iterator[Problem]:
        """All names are unique among their like."""
        yield from self.names("task", self.system.tasks)
        yield from self.names("server", self.system.servers)
        yield from self.names("resource", self.system.resources)

    def sizes(self) -> Iterator[Problem]:
        """Yield the problem of a system with nothing to schedule, or more than core can number."""
        if not self.system.tasks:
            yield Problem("missing; a task set needs at least one [[task]]", "missing", table="task")
        most = _core.ENTITY_LIMIT - 1
        found = len(self.system.tasks) + len(self.system.servers)
        if found > most:
            yield Problem(f"expected at most {most} tasks and servers, found {found}", "out-of-range")

    def horizon(self, horizon: int | str | None) -> Iterator[Problem]:
        """The horizon is right, and virtual time has room for it."""
        wrong = list(self.times_of("system", None, (("horizon", horizon),)))
        yield from wrong
        ticks = 0 if wrong or horizon is None else self.ticks(horizon)
        if ticks > _core.SHARE_LONGEST and catalogue.traits_of(self.system.policy).has_virtual_time:
            what = f"policy = {show(name_of(self.system.policy))}"
            message = f"expected at most {_core.SHARE_LONGEST} ticks with {what}, found {ticks}"
            yield Problem(message, "out-of-range", table="system", key="horizon")

    def names(self, table: str, members: Sequence[Task | Server | Resource]) -> Iterator[Problem]:
        """Yield the problems of two tasks or two servers with one name."""
        seen: set[str] = set()
        for member in members:
            if member.name in seen:
                message = f"duplicate name; another {table} has it: rename one"
                yield Problem(message, "duplicate", table=table, entity=member.name, key="name")
            seen.add(member.name)

    def times_of(
        self, table: str, entity: str | None, values: Iterable[tuple[str, int | str | None]]
    ) -> Iterator[Problem]:
        """Yield the problems of times that are no whole number of ticks, or too long."""
        for key, value in values:
            if value is None:
                continue
            ticks = to_ticks(value, self.system.resolution)
            if isinstance(ticks, Fraction) and ticks.denominator != 1:
                yield Problem(self.finer(value), "resolution", table=table, entity=entity, key=key)
            elif ticks > times.MAX_TICKS:
                message = f"expected at most {times.MAX_TICKS} ticks, found {show(value)}"
                yield Problem(message, "out-of-range", table=table, entity=entity, key=key)

    def finer(self, value: int | str) -> str:
        """Return which resolution suffices for all times of the system and another one: the coarsest."""
        nanoseconds = times.to_ticks(value, 1) if isinstance(value, str) else Fraction(0)
        hint = "the finest is 1ns"
        if self.resolution_of_all is not None and nanoseconds.denominator == 1:
            wanted = math.gcd(self.resolution_of_all, int(nanoseconds))
            hint = f'resolution = "{times.shortest(wanted)}" would do'
        return f"expected a multiple of the resolution {show(self.system.resolution)}, found {show(value)}; {hint}"

    @cached_property
    def resolution_of_all(self) -> int | None:
        """Coarsest resolution that fits all times, in nanoseconds, None if none does; found once for all wrong ones."""
        values = {*self.all_times(), self.system.resolution}
        nanoseconds = [times.to_ticks(value, 1) for value in values if isinstance(value, str)]
        if any(amount.denominator != 1 for amount in nanoseconds):
            return None
        return math.gcd(*(int(amount) for amount in nanoseconds))

    def all_times(self) -> Iterator[int | str | None]:
        """Yield every time of the system."""
        yield self.system.horizon
        for task in self.system.tasks:
            yield from (value for _, value in _task_times(task))
        for server in self.system.servers:
            yield from (value for _, value in server.times())
        yield from (value for _, value in _platform_times(self.system.platform))
        for options in self.options():
            yield from (value for _, value in options.times())
        for change in self.system.changes:
            yield from (value for _, value in _change_times(change))

    def options(self) -> Iterator[PolicyOptions | Allocator]:
        """Yield the tables of options, and that of the allocator if there is one."""
        yield from self.system.options
        if self.system.allocator is not None:
            yield self.system.allocator

    def change_times(self, change: Change) -> Iterator[Problem]:
        """The times of a change are right."""
        return self.times_of("change", None, _change_times(change))

    def version(self, task: Task) -> Iterator[Problem]:
        """A task as it is from a change on fits in itself, and under its threshold."""
        yield from self.lengths(task)
        if isinstance(task.threshold, int):
            yield from self.priority_threshold(task, task.threshold, DEFAULT_POLICY)

    def task(self, task: Task) -> Iterator[Problem]:
        """One task fits the system."""
        wrong_times = list(self.times_of("task", task.name, _task_times(task)))
        yield from wrong_times
        if not wrong_times:
            yield from self.lengths(task)
        if task.server is not None and task.server not in self.server_names:
            yield self.unknown_server("task", task.name, "server", task.server)
        yield from self.locks(task)
        policy = self.policy_in(task.server)
        if policy is not None:
            yield from self.order(task, policy)

    def locks(self, task: Task) -> Iterator[Problem]:
        """Check that the resources that a task locks exist."""
        used = [item.resource for item in task.items if item.op == Op.LOCK]
        for name in dict.fromkeys(used):
            if name not in self.resource_names:
                known = list(self.resource_names)
                hint = catalogue.alternatives(str(name), known) if known else f"write [[resource]] name = {show(name)}"
                yield self.about(task, task.source_of_items, "unknown-word", f"unknown resource {show(name)}; {hint}")

    @cached_property
    def users(self) -> dict[str, list[Task]]:
        """The tasks that lock each resource."""
        return users_of(self.system.tasks)

    def resource(self, resource: Resource) -> Iterator[Problem]:
        """The users of a resource compete with each other, or in servers of one parent."""
        users = self.users.get(resource.name, [])
        if is_rate_based(self.system):
            return  # which has no servers
        if resource.protocol in catalogue.AMONG_PROTOCOLS:
            named = {task.server for task in users} | {server.parent for server in self.system.servers}
            if named <= {None, *self.servers}:
                yield from find_sharing_problems(self.system, resource, users)
            return
        for other in users[1:]:
            if self.place_of(other) != self.place_of(users[0]):
                message = (
                    f"expected users in one dispatcher, found {show(users[0].name)} {place_of(users[0])} "
                    f"and {show(other.name)} {place_of(other)}"
                )
                yield Problem(message, "conflict", table="resource", entity=resource.name, key="name")
                return

    def about(self, task: Task, key: str, code: str, message: str) -> Problem:
        """Return a problem of a task."""
        return Problem(message, code, table="task", entity=task.name, key=key)

    def ticks(self, value: int | str) -> int:
        """Convert a time that is right."""
        return int(to_ticks(value, self.system.resolution))

    def lengths(self, task: Task) -> Iterator[Problem]:
        """Bodies, distributions and arrivals fit each other; all times are right."""
        runs = runs_of(task, self.system.resolution)
        wcet = f"{times.MAX_TICKS} ticks" if task.wcet is None else f"the wcet {show(task.wcet)}"
        if runs > (times.MAX_TICKS if task.wcet is None else self.ticks(task.wcet)):
            message = f"expected runs of at most {wcet}, found {runs} ticks"
            yield self.about(task, task.source_of_items, "out-of-range", message)
        for key, ticks, message in self.sums(task):
            if ticks > times.MAX_TICKS:
                yield self.about(task, key, "out-of-range", message)

    def sums(self, task: Task) -> Iterator[tuple[str, Fraction | float, str]]:
        """Yield what core is given of several times together: key, ticks, and the message if these are too many."""
        half = times.MAX_TICKS // 2
        for key in ("demand", "arrivals"):
            value = getattr(task, key)
            for name in value.parameters if isinstance(value, Distribution) else ():
                time = getattr(value, name)
                ticks = time if isinstance(time, float) else to_ticks(time, self.system.resolution)
                yield key, 2 * ticks, f"expected {name} <= {half} ticks, found {show(time)}"
        if isinstance(task.arrivals, tuple):
            last = self.ticks(task.offset) + max(map(self.ticks, task.arrivals))
            yield (
                "arrivals",
                last,
                f"expected arrivals of at most {times.MAX_TICKS} ticks with the offset, found {last}",
            )
        elif task.arrivals is None and task.min_separation is not None:
            found = f"expected at most {half} ticks unless there are arrivals, found {show(task.min_separation)}"
            yield "min_separation", 2 * self.ticks(task.min_separation), found

    def order(self, task: Task, policy: str | Policy) -> Iterator[Problem]:
        """The policy over a task can order it."""
        if catalogue.traits_of(policy).needs_period and task.shortest_separation is None and task.is_released:
            message = f"its sources give it no period, and {policy} orders by period; take another policy"
            yield self.about(task, "after", "missing", message)
        elif catalogue.traits_of(policy).needs_period and task.shortest_separation is None:
            message = f'missing; {policy} orders by period: give one, for instance min_separation = "10ms"'
            yield self.about(task, "min_separation", "missing", message)
        rule = self.rule_of(task)
        if rule is not None:
            yield from self.in_rule(task, rule)
            return
        if task.server is not None and task.lacks_deadline:
            yield self.about(task, "deadline", "missing", value_checks.MISSING_DEADLINE)
        if isinstance(task.threshold, int):
            yield from self.priority_threshold(task, task.threshold, policy)
        elif task.threshold is not None:
            yield from self.named_threshold(task, task.threshold, policy)

    def priority_threshold(self, task: Task, threshold: int, policy: str | Policy) -> Iterator[Problem]:
        """A priority that is a threshold is one, and its dispatcher has priorities."""
        if threshold < task.priority:
            message = f"expected at least the priority {task.priority}, found {threshold}"
            yield self.about(task, "threshold", "out-of-range", message)
        if not catalogue.traits_of(policy).has_fifo_levels:
            name = show(name_of(policy))
            message = f"found a priority, and the policy {name} over this task has none; name a task instead"
            yield self.about(task, "threshold", "conflict", message)

    @cached_property
    def names_in(self) -> dict[str | None, dict[str, None]]:
        """The names of the tasks in each server, and at the root."""
        found: dict[str | None, dict[str, None]] = {}
        for task in self.system.tasks:
            found.setdefault(task.server, {})[task.name] = None
        return found

    def named_threshold(self, task: Task, name: str, policy: str | Policy) -> Iterator[Problem]:
        """A task that is a threshold competes with the one that names it."""
        equals = self.names_in[task.server]
        if not isinstance(policy, str):
            message = f"expected none under a policy in Python, found {show(name)}"
            yield self.about(task, "threshold", "conflict", message)
        elif name not in equals:
            hint = catalogue.alternatives(name, equals)
            message = f"expected the name of a task {place_of(task)}, found {show(name)}; {hint}"
            yield self.about(task, "threshold", "unknown-word", message)
        elif not has_named_thresholds(policy):
            message = f"expected none under {show(policy)}, which gives tasks no levels, found {show(name)}"
            yield self.about(task, "threshold", "conflict", message)

    def policy_in(self, home: str | None) -> str | Policy | None:
        """Return the policy of a server, or of the root for None; None if that server is itself wrong."""
        if home is None:
            return self.system.policy
        server = self.servers.get(home)
        if server is None or not catalogue.server_kind(server.kind).is_rule:
            return None if server is None else server.policy
        parent = self.servers.get(server.parent) if server.parent is not None else self.system
        return None if parent is None else parent.policy

    def rule_of(self, task: Task) -> Server | None:
        """Return the server that only assigns deadlines to a task, None if the task is in another one or none."""
        server = None if task.server is None else self.servers.get(task.server)
        return server if server is not None and catalogue.server_kind(server.kind).is_rule else None

    def place_of(self, task: Task) -> str | None:
        """Return the server in which a task competes, None at the root."""
        rule = self.rule_of(task)
        return task.server if rule is None else rule.parent

    def in_rule(self, task: Task, server: Server) -> Iterator[Problem]:
        """A task leaves its deadlines to its server, and they are not too long."""
        for key in ("deadline", "threshold"):
            if getattr(task, key) is not None:
                message = f"expected none in a server of kind {show(server.kind)}, found {show(getattr(task, key))}"
                yield self.about(task, key, "conflict", message)
        span = span_in(task, server, self.system.resolution)
        if span > times.MAX_TICKS:
            message = f"expected wcet / share of at most {times.MAX_TICKS} ticks, found {span}"
            yield self.about(task, "wcet", "out-of-range", message)

    def server(self, server: Server) -> Iterator[Problem]:
        """One server fits the system."""
        yield from self.times_of("server", server.name, server.times())
        if server.parent is not None and server.parent not in self.server_names:
            yield self.unknown_server("server", server.name, "parent", server.parent)
        yield from self.kind(server)
        if server.name == "tick":
            message = 'expected another name: "tick" is the first column of a file of budgets'
            yield Problem(message, "conflict", table="server", entity=server.name, key="name")

    def kind(self, server: Server) -> Iterator[Problem]:
        """The keys and the tasks of a server suit its kind."""
        kind = catalogue.server_kind(server.kind)
        if kind.is_rule:
            yield from self.rule(server)
        if kind.idles and any(task.name == IDLE for task in self.system.tasks):
            message = f'expected another name: "{IDLE}" is what an idling server does without work'
            yield Problem(message, "conflict", table="task", entity=IDLE, key="name")

    def rule(self, server: Server) -> Iterator[Problem]:
        """A server without budget and dispatcher has no keys for them."""
        for key, default in (("policy", DEFAULT_POLICY), ("offset", 0)):
            found = getattr(server, key)
            if found != default:
                message = f"expected none with kind {show(server.kind)}, found {show(found)}"
                yield Problem(message, "conflict", table="server", entity=server.name, key=key)

    def unknown_server(self, table: str, entity: str, key: str, name: str) -> Problem:
        """Return the problem of a server that does not exist."""
        known = self.server_names
        hint = catalogue.alternatives(name, known) if known else "there is no [[server]] in this task set"
        return Problem(f"unknown server {show(name)}; {hint}", "unknown-word", table=table, entity=entity, key=key)


_Times = Iterator[tuple[str, int | str | None]]


def _task_times(task: Task) -> _Times:
    yield from task.times()
    for key in ("arrivals", "demand"):
        yield from ((key, value) for value in _times_in(getattr(task, key)))
    yield from ((task.source_of_items, item.time) for item in task.items)


def _change_times(change: Change) -> _Times:
    yield from change.times()
    yield from (("demand", value) for value in _times_in(change.demand))


def _times_in(value: int | str | Sequence[int | str] | Distribution | None) -> Iterable[int | str | None]:
    """Yield the times that must be whole ticks: not the parameters of a distribution but its limits."""
    if isinstance(value, Distribution):
        return value.min, value.max
    return (value,) if value is None or isinstance(value, (int, str)) else value


def _platform_times(platform: Platform) -> _Times:
    yield from platform.costs().items()
    for key in ("tick_period", "interval", "latency"):
        yield key, getattr(platform, key)
