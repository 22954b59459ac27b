"""From what an author wrote to what core is given: ticks, levels and entity numbers.

find_problems says what does not fit between the tables of a system; resolve converts a system without
problems. Each value here is a whole number and final.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Protocol, TypeVar

from takt import _core, catalogue, levels, times
from takt.errors import Problem, show

if TYPE_CHECKING:
    from takt.model import Server, System, Task

ROOT = 0
"""Entity number of the root."""

CLASSES = ("hard", "soft", "none")
"""Classes of tasks as files name them, in the order of core's numbers: the first goes first among equals."""

_Row = TypeVar("_Row")


@dataclass(frozen=True, slots=True)
class ResolvedTask:
    """A task as core gets it.

    Args:
        name: for people.
        class_: "hard", "soft" or "none".
        home: entity number of its server, or ROOT.
        period, deadline, offset, wcet, demand: ticks.
        level: its urgency among the children of its home, 1 = most urgent.
        preemption_level: urgency of a started job, 0 = nobody displaces it; None: its level.
    """

    name: str
    class_: str
    home: int
    period: int
    deadline: int
    offset: int
    wcet: int
    demand: int
    level: int
    preemption_level: int | None


@dataclass(frozen=True, slots=True)
class ResolvedServer:
    """A server as core gets it.

    Args:
        name: for people.
        kind, policy: names in core's tables.
        home: entity number of its parent, or ROOT.
        period, budget, offset: ticks.
        level: its urgency among the children of its home.
        levels: how many levels its own children use.
        order_rows, time_rows: of its timers, 0 = as the system needs.
    """

    name: str
    kind: str
    policy: str
    home: int
    period: int
    budget: int
    offset: int
    level: int
    levels: int
    order_rows: int = 0
    time_rows: int = 0


@dataclass(frozen=True, slots=True)
class ResolvedThread:
    """A plain thread under the root, as kernels record it."""

    name: str
    level: int


@dataclass(frozen=True, slots=True)
class ResolvedSystem:
    """A system as core gets it. Entity numbers: the root 0, then servers, tasks and threads in order."""

    name: str
    policy: str
    resolution_ns: int
    levels: int
    tasks: tuple[ResolvedTask, ...]
    servers: tuple[ResolvedServer, ...] = ()
    threads: tuple[ResolvedThread, ...] = ()
    order_rows: int = 0
    time_rows: int = 0

    @property
    def first_task(self) -> int:
        """Entity number of the first task."""
        return 1 + len(self.servers)

    def entity_names(self) -> list[str]:
        """List the names of all entities by their numbers."""
        members: tuple[ResolvedServer | ResolvedTask | ResolvedThread, ...]
        members = (*self.servers, *self.tasks, *self.threads)
        return ["root", *(member.name for member in members)]

    def server_names(self) -> list[str]:
        """List, for each task, the name of its server, "" for the root."""
        names = ["", *(server.name for server in self.servers)]
        return [names[task.home] for task in self.tasks]

    def spec(self) -> _core.Spec:
        """Describe the system to core.

        Raises:
            ValueError: a value is out of range, which only a damaged trace file can bring about.
        """
        spec = _core.Spec(self.policy, self.levels, self.order_rows, self.time_rows)
        servers, tasks = self.servers, self.tasks
        spec.add_servers(
            kinds=[server.kind for server in servers],
            policies=[server.policy for server in servers],
            period=_column(servers, lambda server: server.period),
            budget=_column(servers, lambda server: server.budget),
            offset=_column(servers, lambda server: server.offset),
            level=_column(servers, lambda server: server.level),
            home=_column(servers, lambda server: server.home),
            levels=_column(servers, lambda server: server.levels),
            order_rows=_column(servers, lambda server: server.order_rows),
            time_rows=_column(servers, lambda server: server.time_rows),
        )
        spec.add_tasks(
            period=_column(tasks, lambda task: task.period),
            deadline=_column(tasks, lambda task: task.deadline),
            offset=_column(tasks, lambda task: task.offset),
            demand=_column(tasks, lambda task: task.demand),
            level=_column(tasks, lambda task: task.level),
            home=_column(tasks, lambda task: task.home),
            is_limited=_column(tasks, lambda task: task.preemption_level is not None),
            preemption_level=_column(tasks, lambda task: task.preemption_level or 0),
            task_class=_column(tasks, lambda task: CLASSES.index(task.class_)),
        )
        spec.add_threads(_column(self.threads, lambda thread: thread.level))
        return spec


def _column(rows: Iterable[_Row], value: Callable[[_Row], int]) -> array[int]:
    """Make one column for core."""
    return array("Q", map(value, rows))


# ---- conversion ----------------------------------------------------------------------------------


def resolve(system: System) -> ResolvedSystem:
    """Convert a system in which find_problems finds none.

    Args:
        system: the system; it is not changed.

    Returns:
        The system in ticks, levels and entity numbers.
    """
    homes = {None: ROOT} | {server.name: number for number, server in enumerate(system.servers, start=1)}
    ranks = [levels.rank(children) for children in _priorities_by_home(system, homes)]

    def ticks(value: int | str) -> int:
        return int(to_ticks(value, system.resolution))

    def resolved_task(task: Task) -> ResolvedTask:
        home = homes[task.server]
        return ResolvedTask(
            name=task.name,
            class_=task.class_,
            home=home,
            period=ticks(task.period),
            deadline=ticks(task.period if task.deadline is None else task.deadline),
            offset=ticks(task.offset),
            wcet=ticks(task.wcet),
            demand=ticks(task.wcet if task.demand is None else task.demand),
            level=ranks[home][task.priority],
            preemption_level=_preemption_level(task, ranks[home]),
        )

    def resolved_server(server: Server, number: int) -> ResolvedServer:
        home = homes[server.parent]
        return ResolvedServer(
            name=server.name,
            kind=server.kind,
            policy=server.policy,
            home=home,
            period=ticks(server.period),
            budget=ticks(server.budget),
            offset=ticks(server.offset),
            level=ranks[home][server.priority],
            levels=max(1, len(ranks[number])),
        )

    return ResolvedSystem(
        name=system.name,
        policy=system.policy,
        resolution_ns=_nanoseconds(system.resolution),
        levels=max(1, len(ranks[ROOT])),
        tasks=tuple(map(resolved_task, system.tasks)),
        servers=tuple(resolved_server(server, number) for number, server in enumerate(system.servers, start=1)),
    )


def _priorities_by_home(system: System, homes: dict[str | None, int]) -> list[list[int]]:
    """List, for the root and each server, the priorities and thresholds of its children."""
    children: list[list[int]] = [[] for _ in homes]
    for server in system.servers:
        children[homes[server.parent]].append(server.priority)
    for task in system.tasks:
        children[homes[task.server]].append(task.priority)
        if task.threshold is not None:
            children[homes[task.server]].append(task.threshold)
    return children


def _preemption_level(task: Task, ranks: dict[int, int]) -> int | None:
    """Give the level of a started job, None if it is the task's own."""
    if task.is_non_preemptive:
        return 0
    return None if task.threshold is None else ranks[task.threshold]


def to_ticks(value: int | str, resolution: str) -> int | Fraction:
    """Convert a time that the model has accepted; not whole if it is no multiple of the resolution."""
    return value if isinstance(value, int) else _text_to_ticks(value, resolution)


@cache
def _text_to_ticks(text: str, resolution: str) -> Fraction:
    return Fraction(times.to_ticks(text, _nanoseconds(resolution)))


@cache
def _nanoseconds(resolution: str) -> int:
    return int(times.to_ticks(resolution, 1))


# ---- problems between tables -----------------------------------------------------------------------


class SystemTables(Protocol):
    """What find_problems reads: a System, or what a file has left of one when some tables are wrong."""

    @property
    def resolution(self) -> str:
        """Length of a tick."""

    @property
    def policy(self) -> str:
        """Policy of the root."""

    @property
    def horizon(self) -> int | str | None:
        """How long to simulate."""

    @property
    def tasks(self) -> Sequence[Task]:
        """The tasks."""

    @property
    def servers(self) -> Sequence[Server]:
        """The servers."""


def find_problems(system: SystemTables, other_servers: Iterable[str] = ()) -> list[Problem]:
    """Find what does not fit between the tables of a system.

    Args:
        system: tables each of which is right in itself.
        other_servers: names of servers that exist but are wrong in themselves.

    Returns:
        All problems, in the order of the tables.
    """
    checker = _Checker(system, other_servers)
    return list(checker.problems())


def find_horizon_problems(system: SystemTables, horizon: int | str) -> list[Problem]:
    """Find what is wrong with a horizon, right in itself, that is to replace that of a system."""
    return list(_Checker(system, ()).times_of("system", None, (("horizon", horizon),)))


class _Checker:
    """The checks between tables; each yields the problems that it finds."""

    def __init__(self, system: SystemTables, other_servers: Iterable[str]) -> None:
        self.system = system
        self.servers = {server.name: server for server in system.servers}
        self.server_names = {**self.servers, **dict.fromkeys(other_servers)}

    def problems(self) -> Iterator[Problem]:
        """Run all checks."""
        yield from self.sizes()
        yield from self.times_of("system", None, (("horizon", self.system.horizon),))
        yield from self.names("task", self.system.tasks)
        yield from self.names("server", self.system.servers)
        for task in self.system.tasks:
            yield from self.task(task)
        for server in self.system.servers:
            yield from self.server(server)
        yield from self.rings()

    def sizes(self) -> Iterator[Problem]:
        """There is something to schedule, and not more than core can number."""
        if not self.system.tasks:
            yield Problem("missing; a task set needs at least one [[task]]", "missing", table="task")
        most = _core.ENTITY_LIMIT - 1
        found = len(self.system.tasks) + len(self.system.servers)
        if found > most:
            yield Problem(f"expected at most {most} tasks and servers, found {found}", "out-of-range")

    def names(self, table: str, members: Sequence[Task | Server]) -> Iterator[Problem]:
        """No two tasks and no two servers have one name."""
        seen: set[str] = set()
        for member in members:
            if member.name in seen:
                message = f"expected a name of its own, found that of another {table}"
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
            yield from (value for _, value in _server_times(server))

    def task(self, task: Task) -> Iterator[Problem]:
        """One task fits the system."""
        yield from self.times_of("task", task.name, _task_times(task))
        if task.server is not None and task.server not in self.server_names:
            yield self.unknown_server("task", task.name, "server", task.server)
        if task.threshold is not None:
            yield from self.threshold(task, task.threshold)

    def threshold(self, task: Task, threshold: int) -> Iterator[Problem]:
        """A threshold is one, and its dispatcher has priorities."""
        if threshold < task.priority:
            message = f"expected at least the priority {task.priority}, found {threshold}"
            yield Problem(message, "out-of-range", table="task", entity=task.name, key="threshold")
        if task.is_non_preemptive:
            message = f'expected none with preemption = "non-preemptive", found {threshold}'
            yield Problem(message, "conflict", table="task", entity=task.name, key="threshold")
        policy = self.policy_over(task)
        if policy is not None and not catalogue.has_levels(policy):
            message = f'a threshold is a priority, and the policy "{policy}" over this task has none; use fp there'
            yield Problem(message, "conflict", table="task", entity=task.name, key="threshold")

    def policy_over(self, task: Task) -> str | None:
        """Give the policy of the dispatcher of a task, None if its server is wrong in itself."""
        if task.server is None:
            return self.system.policy
        server = self.servers.get(task.server)
        return None if server is None else server.policy

    def server(self, server: Server) -> Iterator[Problem]:
        """One server fits the system."""
        yield from self.times_of("server", server.name, _server_times(server))
        budget, period = (to_ticks(value, self.system.resolution) for value in (server.budget, server.period))
        if budget > period:
            message = f"expected at most the period {show(server.period)}, found {show(server.budget)}"
            yield Problem(message, "out-of-range", table="server", entity=server.name, key="budget")
        if server.parent is not None and server.parent not in self.server_names:
            yield self.unknown_server("server", server.name, "parent", server.parent)
        if server.name == "tick":
            message = 'expected another name: "tick" is the first column of a file of budgets'
            yield Problem(message, "conflict", table="server", entity=server.name, key="name")

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
                message = f"expected a chain that ends at the root, found {' in '.join(map(show, ring))}"
                yield Problem(message, "ring", table="server", entity=name, key="parent")
            settled.update(chain)


def _task_times(task: Task) -> tuple[tuple[str, int | str | None], ...]:
    """List the times of a task with their keys."""
    return (
        ("period", task.period),
        ("wcet", task.wcet),
        ("deadline", task.deadline),
        ("offset", task.offset),
        ("demand", task.demand),
    )


def _server_times(server: Server) -> tuple[tuple[str, int | str | None], ...]:
    """List the times of a server with their keys."""
    return (("period", server.period), ("budget", server.budget), ("offset", server.offset))
