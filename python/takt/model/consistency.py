# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What does not fit between the tables of a system, each of which is right in itself: one line for each problem."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from takt import _core
from takt.base import times
from takt.base.errors import Problem, listed, show
from takt.model import catalogue, value_checks
from takt.model.architectures import find_architecture_problems
from takt.model.bodies import Op
from takt.model.changes import find_change_problems
from takt.model.compatibility import find_conflicts
from takt.model.conversion import has_named_thresholds, resources_of, runs_of, span_in, to_ticks, wcet_of
from takt.model.core_input import IDLE
from takt.model.distributions import Distribution
from takt.model.domains import find_division_problems, is_divided, parts_of
from takt.model.key_types import DEFAULT_POLICY
from takt.model.policy_options import PolicyOptions
from takt.model.proportional_share import find_share_horizon_problems, find_share_problems
from takt.model.python_policy import Policy, name_of
from takt.model.rate_based import find_length_problems, find_rate_problems, is_rate_based
from takt.model.reservations import find_window_problems
from takt.model.server_resources import LEVELLED, find_sharing_problems, place_of
from takt.model.system_parts import SystemTables
from takt.model.tables import Allocator, Change, Platform, Resource, Server, Task


def find_problems(
    system: SystemTables, other_servers: Iterable[str] = (), other_resources: Iterable[str] = ()
) -> list[Problem]:
    """Find what does not fit between the tables of a system.

    Args:
        system: tables each of which is right in itself.
        other_servers: names of servers that exist but are wrong in themselves.
        other_resources: likewise.

    Returns:
        All problems, in the order of the tables.
    """
    if is_divided(system):
        return _problems_of_domains(system, other_servers, other_resources)
    found = list(_Checker(system, other_servers, other_resources).problems())
    has_wrong_times = any(problem.code == "resolution" for problem in found)
    return found if has_wrong_times else [*found, *find_window_problems(system)]


def _problems_of_domains(
    system: SystemTables, other_servers: Iterable[str], other_resources: Iterable[str]
) -> list[Problem]:
    """Find what is wrong with the division of a machine; else what does not fit in its parts, each problem once."""
    whole = list(_Checker(system, other_servers, other_resources).names_and_sizes())
    divided = [*whole, *find_division_problems(system)]
    if divided:
        return divided
    parts = parts_of(system)
    others = [*other_servers], [*other_resources]
    found = [part.located(problem) for part in parts for problem in find_problems(part, *others)]
    return list(dict.fromkeys(found))


def find_horizon_problems(system: SystemTables, horizon: int | str) -> list[Problem]:
    """Find what is wrong with a horizon, right in itself, that is to replace that of a system."""
    checker = _Checker(system, (), ())
    problems = list(checker.times_of("system", None, (("horizon", horizon),)))
    if catalogue.traits_of(system.policy).has_virtual_time and not problems:
        problems += find_share_horizon_problems(checker.ticks(horizon))
    return problems


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
        yield from self.times_of("system", None, (("horizon", self.system.horizon),))
        yield from self.all_names()
        yield from self.times_of("platform", None, _platform_times(self.system.platform))
        for options in self.options():
            yield from self.times_of(options.table, None, options.times())
        for task in self.system.tasks:
            yield from self.task(task)
        yield from find_conflicts(self.system, "pull")
        for server in self.system.servers:
            yield from self.server(server)
        yield from self.rings()
        for resource in self.system.resources:
            yield from self.resource(resource)
        yield from find_architecture_problems(self.system)
        yield from find_rate_problems(self.system)
        yield from find_share_problems(self.system)
        yield from find_conflicts(self.system, "processors")
        yield from find_change_problems(self.system, self.change_times, self.version)

    def names_and_sizes(self) -> Iterator[Problem]:
        """Run the checks of a machine as a whole."""
        yield from self.sizes()
        yield from self.all_names()

    def all_names(self) -> Iterator[Problem]:
        """All names are unique among their like."""
        yield from self.names("task", self.system.tasks)
        yield from self.names("server", self.system.servers)
        yield from self.names("resource", self.system.resources)

    def sizes(self) -> Iterator[Problem]:
        """There is something to schedule, and not more than core can number."""
        if not self.system.tasks:
            yield Problem("missing; a task set needs at least one [[task]]", "missing", table="task")
        most = _core.ENTITY_LIMIT - 1
        found = len(self.system.tasks) + len(self.system.servers)
        if found > most:
            yield Problem(f"expected at most {most} tasks and servers, found {found}", "out-of-range")

    def names(self, table: str, members: Sequence[Task | Server | Resource]) -> Iterator[Problem]:
        """No two tasks and no two servers have one name."""
        seen: set[str] = set()
        for member in members:
            if member.name in seen:
                message = f"duplicate name; another {table} has it: rename one"
                yield Problem(message, "duplicate", table=table, entity=member.name, key="name")
            seen.add(member.name)

    def times_of(
        self, table: str, entity: str | None, values: Iterable[tuple[str, int | str | None]]
    ) -> Iterator[Problem]:
        """Every time is a whole number of ticks that is not too long."""
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
        """Say which resolution would do for all times of the system."""
        resolution = self.system.resolution
        wanted = self.common_resolution(value)
        hint = "the finest is 1ns" if wanted is None else f'resolution = "{times.shortest(wanted)}" would do'
        return f"expected a multiple of the resolution {show(resolution)}, found {show(value)}; {hint}"

    def common_resolution(self, another: int | str) -> int | None:
        """Find the coarsest resolution that fits all times and another one, in nanoseconds; None if none does."""
        values = {*self.all_times(), self.system.resolution, another}
        texts = [value for value in values if isinstance(value, str)]
        nanoseconds = [times.to_ticks(text, 1) for text in texts]
        if any(amount.denominator != 1 for amount in nanoseconds):
            return None
        return math.gcd(*(int(amount) for amount in nanoseconds))

    def all_times(self) -> Iterator[int | str | None]:
        """List every time of the system."""
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
        """List the tables of options, and that of the allocator if there is one."""
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
        if is_rate_based(self.system):
            yield from find_length_problems(self.system, task)

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

    def resource(self, resource: Resource) -> Iterator[Problem]:
        """The users of a resource compete with each other, in an order that its protocol can use."""

        def about(key: str, message: str) -> Problem:
            return Problem(message, "conflict", table="resource", entity=resource.name, key=key)

        users = [task for task in self.system.tasks if resource.name in resources_of(task)]
        if is_rate_based(self.system):
            return  # which has but one protocol, and no servers
        if resource.protocol in catalogue.AMONG_PROTOCOLS:
            named = {task.server for task in users} | {server.parent for server in self.system.servers}
            if named <= {None, *self.servers}:
                yield from find_sharing_problems(self.system, resource, are_times_right=self.are_times_right())
            return
        for other in users[1:]:
            if self.place_of(other) != self.place_of(users[0]):
                message = (
                    f"expected users in one dispatcher, found {show(users[0].name)} {place_of(users[0])} "
                    f"and {show(other.name)} {place_of(other)}"
                )
                yield about("name", message)
                return
        policy = self.policy_in(users[0].server) if users else None
        rule = next((rule for rule in map(self.rule_of, users) if rule is not None), None)
        if rule is not None and resource.protocol in catalogue.CEILING_PROTOCOLS:
            message = f"found {show(resource.protocol)} in a server of kind {show(rule.kind)}; it needs fixed deadlines"
            yield about("protocol", message)
        yield from self.mixture(resource, users)
        if policy is not None and resource.protocol in catalogue.CEILING_PROTOCOLS and policy not in LEVELLED:
            message = f"found {show(resource.protocol)} under {show(name_of(policy))}; it needs {', '.join(LEVELLED)}"
            yield about("protocol", message)

    def are_times_right(self) -> bool:
        """Say whether all times of tasks and servers are whole numbers of ticks."""
        rows = [(task.name, list(_task_times(task))) for task in self.system.tasks]
        rows += [(server.name, list(server.times())) for server in self.system.servers]
        return not any(True for name, values in rows for _ in self.times_of("", name, values))

    def mixture(self, resource: Resource, users: list[Task]) -> Iterator[Problem]:
        """Beside pcp and srp there is no other protocol in a dispatcher: their tests know of no other locks.

        But srp is alike to those among servers, which say themselves if not.
        """
        traits = catalogue.protocol_traits(resource.protocol)
        if not traits.prevents_circles:
            return
        beside = {
            name
            for task in self.system.tasks
            if users and self.place_of(task) == self.place_of(users[0])
            for name in resources_of(task)
        }
        alike = {*catalogue.mixing(resource.protocol), *(catalogue.AMONG_PROTOCOLS if traits.bars_runs else ())}
        for other in self.system.resources:
            if other.name in beside and other.protocol not in alike:
                message = (
                    f"expected {show(resource.protocol)} for all resources of a dispatcher, "
                    f"found {show(other.protocol)} of {show(other.name)}"
                )
                yield Problem(message, "conflict", table="resource", entity=resource.name, key="protocol")

    def about(self, task: Task, key: str, code: str, message: str) -> Problem:
        """Make a problem of a task."""
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
        for key in ("demand", "arrivals"):
            value = getattr(task, key)
            if isinstance(value, Distribution):
                yield from self.distribution(task, key, value)
        if isinstance(task.arrivals, tuple):
            yield from self.instants(task, task.arrivals)
        elif task.arrivals is None and task.min_separation is not None:
            yield from self.default_separations(task, task.min_separation)

    def distribution(self, task: Task, key: str, value: Distribution) -> Iterator[Problem]:
        """The limits of a distribution leave something."""
        least, most = (
            default if limit is None else self.ticks(limit)
            for limit, default in (
                (value.min, 1 if key == "demand" else 0),
                (value.max, wcet_of(task, self.system.resolution) if key == "demand" else times.MAX_TICKS),
            )
        )
        yield from self.parameters(task, key, value)
        if key == "demand" and least < 1:
            yield self.about(task, key, "out-of-range", f"expected min >= 1 tick, found {show(value.min)}")
        separation = 1 if task.min_separation is None else self.ticks(task.min_separation)
        if key == "arrivals" and most < separation:
            which = "1 tick" if task.min_separation is None else f"min_separation = {show(task.min_separation)}"
            yield self.about(task, key, "out-of-range", f"expected max >= {which}, found {show(value.max)}")
        if least > most:
            default = "" if value.max is not None else ", which is the wcet unless you give one"
            message = f"expected min <= max, found {least} > {most} ticks{default}"
            yield self.about(task, key, "out-of-range", message)

    def parameters(self, task: Task, key: str, value: Distribution) -> Iterator[Problem]:
        """The times of a distribution are not too long; separations have a typical length of a tick at least."""
        for name in value.parameters:
            time = getattr(value, name)
            ticks = time if isinstance(time, float) else to_ticks(time, self.system.resolution)
            if ticks > times.MAX_TICKS // 2:
                message = f"expected {name} <= {times.MAX_TICKS // 2} ticks, found {show(time)}"
                yield self.about(task, key, "out-of-range", message)
        typical = getattr(value, "max" if value.kind == "uniform" else value.parameters[0])
        if key == "arrivals" and to_ticks(typical, self.system.resolution) < 1:
            message = f"expected separations of at least 1 tick in the main, found {show(typical)}"
            yield self.about(task, key, "out-of-range", message)

    def instants(self, task: Task, arrivals: Sequence[int | str]) -> Iterator[Problem]:
        """Arrivals come in order, and not closer than the least separation."""
        least = 0 if task.min_separation is None else self.ticks(task.min_separation)
        for before, after in itertools.pairwise(arrivals):
            distance = self.ticks(after) - self.ticks(before)
            if distance < 0:
                message = f"expected instants that do not descend, found {show(after)} after {show(before)}"
                yield self.about(task, "arrivals", "out-of-range", message)
            elif distance < least:
                message = (
                    f"expected at least min_separation = {show(task.min_separation)} in between, "
                    f"found {show(after)} after {show(before)}"
                )
                yield self.about(task, "arrivals", "out-of-range", message)
        last = self.ticks(task.offset) + max(map(self.ticks, arrivals))
        if last > times.MAX_TICKS:
            message = f"expected arrivals of at most {times.MAX_TICKS} ticks with the offset, found {last}"
            yield self.about(task, "arrivals", "out-of-range", message)

    def default_separations(self, task: Task, least: int | str) -> Iterator[Problem]:
        """Without arrivals, separations go up to twice the least one, which is not too long either."""
        if 2 * self.ticks(least) > times.MAX_TICKS:
            message = f"expected at most {times.MAX_TICKS // 2} ticks unless there are arrivals, found {show(least)}"
            yield self.about(task, "min_separation", "out-of-range", message)

    def order(self, task: Task, policy: str | Policy) -> Iterator[Problem]:
        """The policy over a task can order it."""
        if catalogue.traits_of(policy).needs_period and task.shortest_separation is None:
            message = f'missing; {policy} orders by period: give one, for instance min_separation = "10ms"'
            yield self.about(task, "min_separation", "missing", message)
        rule = self.rule_of(task)
        if rule is not None:
            yield from self.in_rule(task, rule)
            return
        if task.server is not None and task.lacks_deadline:
            yield self.about(task, "deadline", "missing", value_checks.MISSING_DEADLINE)
        if catalogue.traits_of(policy).needs_interval and task.shortest_interval is None:
            message = f'missing; {policy} gives deadlines by it, for instance interval = "10ms"'
            yield self.about(task, "interval", "missing", message)
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

    def named_threshold(self, task: Task, name: str, policy: str | Policy) -> Iterator[Problem]:
        """A task that is a threshold competes with the one that names it."""
        equals = [other.name for other in self.system.tasks if other.server == task.server]
        if not isinstance(policy, str):
            message = f"expected none under a policy in Python, found {show(name)}"
            yield self.about(task, "threshold", "conflict", message)
        elif name not in equals:
            hint = catalogue.alternatives(name, equals)
            message = f"expected the name of a task {place_of(task)}, found {show(name)}; {hint}"
            yield self.about(task, "threshold", "unknown-word", message)
        elif not (
            catalogue.traits_of(policy).has_virtual_time or has_named_thresholds(policy)
        ):  # shares.py refuses all thresholds
            message = f"expected none under {show(policy)}, which gives tasks no levels, found {show(name)}"
            yield self.about(task, "threshold", "conflict", message)

    def policy_in(self, home: str | None) -> str | Policy | None:
        """Give the policy of a server, or of the root for None; None if that server is wrong in itself."""
        if home is None:
            return self.system.policy
        server = self.servers.get(home)
        if server is None or not catalogue.server_kind(server.kind).is_rule:
            return None if server is None else server.policy
        parent = self.servers.get(server.parent) if server.parent is not None else self.system
        return None if parent is None else parent.policy

    def rule_of(self, task: Task) -> Server | None:
        """Give the server that only gives a task its deadlines, None if the task is in another one or none."""
        server = None if task.server is None else self.servers.get(task.server)
        return server if server is not None and catalogue.server_kind(server.kind).is_rule else None

    def place_of(self, task: Task) -> str | None:
        """Name the server in which a task competes, None at the root."""
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
        budget, period = (to_ticks(value, self.system.resolution) for value in (server.budget, server.period))
        if budget > period:
            message = f"expected at most the period {show(server.period)}, found {show(server.budget)}"
            yield Problem(message, "out-of-range", table="server", entity=server.name, key="budget")
        if server.parent is not None and server.parent not in self.server_names:
            yield self.unknown_server("server", server.name, "parent", server.parent)
        yield from self.kind(server)
        if server.name == "tick":
            message = 'expected another name: "tick" is the first column of a file of budgets'
            yield Problem(message, "conflict", table="server", entity=server.name, key="name")

    def kind(self, server: Server) -> Iterator[Problem]:
        """The parent and the tasks of a server suit its kind."""
        kind = catalogue.server_kind(server.kind)
        policy = self.policy_in(server.parent)
        if kind.wants_deadline and policy is not None and not catalogue.traits_of(policy).has_deadline_keys:
            message = f"expected a kind without deadlines under {show(name_of(policy))}, found {show(server.kind)}"
            needed = " or ".join(catalogue.policies_that(lambda traits: traits.has_deadline_keys))
            yield Problem(f"{message}; it needs {needed}", "conflict", table="server", entity=server.name, key="kind")
        parent = None if server.parent is None else self.servers.get(server.parent)
        if parent is not None and catalogue.server_kind(parent.kind).is_rule:
            message = f"expected a server that can hold others, found {show(parent.name)} of kind {show(parent.kind)}"
            yield Problem(message, "conflict", table="server", entity=server.name, key="parent")
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
        """Say that there is no such server."""
        known = self.server_names
        hint = catalogue.alternatives(name, known) if known else "there is no [[server]] in this task set"
        return Problem(f"unknown server {show(name)}; {hint}", "unknown-word", table=table, entity=entity, key=key)

    def rings(self) -> Iterator[Problem]:
        """Every chain of parents ends at the root; one problem for each ring."""
        settled: set[str] = set()
        for start in self.servers:
            chain: dict[str, int] = {}
            name: str | None = start
            while name in self.servers and name not in settled and name not in chain:
                chain[name] = len(chain)
                name = self.servers[name].parent
            if name in chain:
                ring = [*list(chain)[chain[name] :], name]
                message = f"expected a chain that ends at the root, found {listed([*map(show, ring)], ' in ')}"
                yield Problem(message, "ring", table="server", entity=name, key="parent")
            settled.update(chain)


_Times = Iterator[tuple[str, int | str | None]]


def _task_times(task: Task) -> _Times:
    """List the times of a task with their keys."""
    yield from task.times()
    for key in ("arrivals", "demand"):
        yield from ((key, value) for value in _times_in(getattr(task, key)))
    yield from ((task.source_of_items, item.time) for item in task.items)


def _change_times(change: Change) -> _Times:
    """List the times of a change with their keys."""
    yield from change.times()
    yield from (("demand", value) for value in _times_in(change.demand))


def _times_in(value: int | str | Sequence[int | str] | Distribution | None) -> Iterable[int | str | None]:
    """List the times that must be whole ticks: not the parameters of a distribution but its limits."""
    if isinstance(value, Distribution):
        return value.min, value.max
    return (value,) if value is None or isinstance(value, (int, str)) else value


def _platform_times(platform: Platform) -> _Times:
    """List the times of a platform with their keys."""
    yield from platform.costs().items()
    for key in ("tick_period", "interval", "latency"):
        yield key, getattr(platform, key)
