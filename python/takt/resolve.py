"""From what an author wrote to what core is given: ticks, levels and entity numbers.

find_problems says what does not fit between the tables of a system; resolve converts a system without
problems. Each value here is a whole number and final.
"""

from __future__ import annotations

import itertools
import math
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, ClassVar, Protocol, TypeVar

from takt import _core, catalogue, levels, times
from takt.bodies import Op
from takt.distributions import Distribution
from takt.errors import InputError, Problem, show
from takt.policy import Adapter, Policy, name_of

if TYPE_CHECKING:
    from takt.model import Platform, Server, System, Task

ROOT = 0
"""Entity number of the root."""

ON_MISS = ("continue", "abort", "skip")
"""What can happen to a job that misses its deadline, in the order of core's numbers."""

MAX_DEFAULT_HORIZON = 10_000_000
"""The longest horizon, in ticks, that is chosen for a system that gives none."""

CLASSES = ("hard", "soft", "none")
"""Classes of tasks as files name them, in the order of core's numbers: the first goes first among equals."""

_Row = TypeVar("_Row")


_NO_LIMIT = times.MAX_TICKS
LAXITY_SHIFT = _core.TIME_LIMIT
"""What is added to the laxity that is a threshold under llf, as in policy/llf.c: laxities may be negative."""


@dataclass(frozen=True, slots=True)
class Stream:
    """A sequence of numbers that the simulator asks for, listed or drawn; see sim/stream.h.

    Args:
        kind: "listed", or the name of a distribution.
        values: what is listed, in ticks.
        a, b: parameters of the distribution, in ticks where they are times.
        least, most: what is drawn is limited to these.
    """

    kind: str
    values: tuple[int, ...] = ()
    a: float = 0.0
    b: float = 0.0
    least: int = 1
    most: int = _NO_LIMIT

    @property
    def is_constant(self) -> bool:
        """Whether every number is the same."""
        return self.kind == "listed" and len(self.values) == 1

    def arguments(self) -> tuple[str, array[int], float, float, int, int]:
        """Give what the binding wants."""
        return self.kind, array("Q", self.values), self.a, self.b, self.least, self.most


_ONE_TICK = Stream("listed", (1,))


@dataclass(frozen=True, slots=True)
class ResolvedTask:
    """A task as core and simulator get it. Times in ticks.

    Args:
        name: for people.
        class_: "hard", "soft" or "none".
        home: entity number of its server, or ROOT.
        period: distance of arrivals, the least one if sporadic; 0 if there is none.
        deadline, offset, wcet: times.
        level: its urgency among the children of its home, 1 = most urgent.
        preemption_key: what a started job has instead of its key, 0 = nobody displaces it; None: its own key. A
            level under fp, a key under rm and dm, relative to the start under edf and llf, there shifted.
        on_miss: "continue", "abort" or "skip".
        jitter: a release is up to this after the arrival.
        is_external: whether jobs arrive as events: always but for a periodic task without jitter.
        suspends: whether a job may suspend itself.
        priority: as the author gave it.
        arrivals: instants, or a distribution of separations; None for a periodic task.
        demand: what the jobs execute.
        body: op and ticks of each item; empty if jobs just run.
    """

    name: str
    class_: str
    home: int
    period: int
    deadline: int
    offset: int
    wcet: int
    level: int
    preemption_key: int | None
    on_miss: str = "continue"
    jitter: int = 0
    is_external: bool = False
    suspends: bool = False
    priority: int = 0
    arrivals: Stream | None = None
    demand: Stream = _ONE_TICK
    body: tuple[tuple[int, int], ...] = ()

    is_server: ClassVar[bool] = False

    @property
    def longest(self) -> int:
        """How long it may execute at a time: the wcet."""
        return self.wcet

    @property
    def is_plain(self) -> bool:
        """Whether its jobs come every period, run for a constant time without points, and are never cut short."""
        return not (self.is_external or self.body or self.on_miss != "continue") and self.demand.is_constant


@dataclass(frozen=True, slots=True)
class ResolvedServer:
    """A server as core gets it.

    Args:
        name: for people.
        kind: name in core's table.
        policy: name in core's table, or a policy in Python.
        home: entity number of its parent, or ROOT.
        period, budget, offset: ticks.
        level: its urgency among the children of its home.
        levels: how many levels its own children use.
        order_rows, time_rows: of its timers, 0 = as the system needs.
        priority: as the author gave it.
    """

    name: str
    kind: str
    policy: str | Policy
    home: int
    period: int
    budget: int
    offset: int
    level: int
    levels: int
    order_rows: int = 0
    time_rows: int = 0
    priority: int = 0

    is_server: ClassVar[bool] = True
    class_: ClassVar[str] = "hard"

    @property
    def longest(self) -> int:
        """How long it may execute at a time: the budget."""
        return self.budget


@dataclass(frozen=True, slots=True)
class ResolvedCosts:
    """What the kernel's own work takes, in ticks; see model.Platform."""

    context_switch: int = 0
    release: int = 0
    scheduling: int = 0
    point: int = 0
    tick: int = 0
    tick_period: int = 0
    is_pull: bool = False

    @property
    def is_ideal(self) -> bool:
        """Whether nothing is paid."""
        return not (self.context_switch or self.release or self.scheduling or self.point or self.tick)


@dataclass(frozen=True, slots=True)
class ResolvedThread:
    """A plain thread under the root, as kernels record it."""

    name: str
    level: int


@dataclass(frozen=True, slots=True)
class ResolvedSystem:
    """A system as core gets it. Entity numbers: the root 0, then servers, tasks and threads in order."""

    name: str
    policy: str | Policy
    resolution_ns: int
    levels: int
    tasks: tuple[ResolvedTask, ...]
    servers: tuple[ResolvedServer, ...] = ()
    threads: tuple[ResolvedThread, ...] = ()
    order_rows: int = 0
    time_rows: int = 0
    seed: int = 0
    costs: ResolvedCosts = ResolvedCosts()

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
        spec = _core.Spec(self._for_core(self.policy), self.levels, self.order_rows, self.time_rows)
        servers = self.servers
        spec.add_servers(
            kinds=[server.kind for server in servers],
            policies=[self._for_core(server.policy) for server in servers],
            period=_column(servers, lambda server: server.period),
            budget=_column(servers, lambda server: server.budget),
            offset=_column(servers, lambda server: server.offset),
            level=_column(servers, lambda server: server.level),
            home=_column(servers, lambda server: server.home),
            levels=_column(servers, lambda server: server.levels),
            order_rows=_column(servers, lambda server: server.order_rows),
            time_rows=_column(servers, lambda server: server.time_rows),
        )
        self._add_tasks(spec)
        spec.add_threads(_column(self.threads, lambda thread: thread.level))
        spec.set_seed(self.seed)
        spec.set_costs(**asdict(self.costs))
        return spec

    def _for_core(self, policy: str | Policy) -> str | Adapter:
        """Give what the binding takes for a policy."""
        return policy if isinstance(policy, str) else Adapter(policy, self)

    def _add_tasks(self, spec: _core.Spec) -> None:
        """Describe the tasks: what all have in columns, the rest one by one."""
        tasks = self.tasks
        spec.add_tasks(
            period=_column(tasks, lambda task: task.period),
            deadline=_column(tasks, lambda task: task.deadline),
            offset=_column(tasks, lambda task: task.offset),
            wcet=_column(tasks, lambda task: task.wcet),
            demand=_column(tasks, lambda task: task.demand.values[0] if task.demand.is_constant else 1),
            level=_column(tasks, lambda task: task.level),
            home=_column(tasks, lambda task: task.home),
            is_limited=_column(tasks, lambda task: task.preemption_key is not None),
            preemption_key=_column(tasks, lambda task: task.preemption_key or 0),
            task_class=_column(tasks, lambda task: CLASSES.index(task.class_)),
            on_miss=_column(tasks, lambda task: ON_MISS.index(task.on_miss)),
            jitter=_column(tasks, lambda task: task.jitter),
            is_external=_column(tasks, lambda task: task.is_external),
            suspends=_column(tasks, lambda task: task.suspends),
        )
        for number, task in enumerate(tasks):
            if not task.demand.is_constant:
                spec.set_demand(number, *task.demand.arguments())
            if task.arrivals is not None:
                spec.set_arrivals(number, *task.arrivals.arguments())
            if task.body:
                spec.set_body(number, *(array("Q", column) for column in zip(*task.body, strict=True)))


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

    policies = {ROOT: system.policy} | {homes[server.name]: server.policy for server in system.servers}
    by_name = {task.name: task for task in system.tasks}

    def resolved_task(task: Task) -> ResolvedTask:
        home = homes[task.server]
        body = tuple((int(item.op), ticks(item.time)) for item in task.items)
        runs = sum(length for op, length in body if op == Op.RUN)
        wcet = runs if task.wcet is None else ticks(task.wcet)
        separation = task.shortest_separation
        arrivals = _arrivals(task, ticks, system.resolution)
        return ResolvedTask(
            name=task.name,
            class_=task.class_,
            home=home,
            period=0 if separation is None else ticks(separation),
            deadline=relative_deadline(task, system.resolution),
            offset=ticks(task.offset),
            wcet=wcet,
            level=ranks[home][task.priority],
            preemption_key=_preemption_key(task, by_name, policies[home], ranks[home], system.resolution),
            on_miss=task.on_miss,
            jitter=ticks(task.jitter),
            is_external=arrivals is not None or task.jitter != 0,
            suspends=any(op == Op.SUSPEND for op, _ in body),
            priority=task.priority,
            arrivals=arrivals,
            demand=_demand(task, runs or wcet, wcet, system.resolution),
            body=body if any(op != Op.RUN for op, _ in body) else (),
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
            priority=server.priority,
        )

    return ResolvedSystem(
        name=system.name,
        policy=system.policy,
        resolution_ns=_nanoseconds(system.resolution),
        levels=max(1, len(ranks[ROOT])),
        tasks=tuple(map(resolved_task, system.tasks)),
        servers=tuple(resolved_server(server, number) for number, server in enumerate(system.servers, start=1)),
        seed=system.seed,
        costs=_costs(system.platform, ticks),
    )


def _priorities_by_home(system: System, homes: dict[str | None, int]) -> list[list[int]]:
    """List, for the root and each server, the priorities and thresholds of its children."""
    children: list[list[int]] = [[] for _ in homes]
    for server in system.servers:
        children[homes[server.parent]].append(server.priority)
    for task in system.tasks:
        children[homes[task.server]].append(task.priority)
        if isinstance(task.threshold, int):
            children[homes[task.server]].append(task.threshold)
    return children


def relative_deadline(task: Task, resolution: str) -> int:
    """Give the relative deadline of a task in ticks."""
    given = task.shortest_separation if task.deadline is None else task.deadline
    return 0 if given is None else int(to_ticks(given, resolution))


def _wcet(task: Task, resolution: str) -> int:
    """Give the wcet of a task in ticks."""
    if task.wcet is not None:
        return int(to_ticks(task.wcet, resolution))
    return sum(int(to_ticks(item.time, resolution)) for item in task.items if item.op == Op.RUN)


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
    deadline = relative_deadline(other, resolution)
    keys: dict[str, Callable[[], int]] = {
        "fp": lambda: ranks[max(task.priority, other.priority)],
        "rm": lambda: int(to_ticks(other.shortest_separation or 0, resolution)),
        "dm": lambda: deadline,
        "edf": lambda: deadline,
        "llf": lambda: deadline - _wcet(other, resolution) + LAXITY_SHIFT,
    }
    return keys[name_of(policy)]()


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


def _demand(task: Task, default: int, wcet: int, resolution: str) -> Stream:
    """Make the stream of what the jobs of a task execute."""
    if isinstance(task.demand, Distribution):
        return _stream(task.demand, 1, wcet, resolution)
    if task.demand is None:
        return Stream("listed", (default,))
    given = task.demand if isinstance(task.demand, tuple) else (task.demand,)
    return Stream("listed", tuple(int(to_ticks(value, resolution)) for value in given))


def _arrivals(task: Task, ticks: Callable[[int | str], int], resolution: str) -> Stream | None:
    """Make the stream of arrivals of a task: instants, or separations; None for a periodic one."""
    if task.period is not None:
        return None
    least = 0 if task.min_separation is None else ticks(task.min_separation)
    if task.arrivals is None:
        return Stream("uniform", (), float(least), float(2 * least), least, 2 * least)
    if isinstance(task.arrivals, tuple):
        offset = ticks(task.offset)
        return Stream("listed", tuple(offset + ticks(instant) for instant in task.arrivals), least=0)
    return _stream(task.arrivals, least, _NO_LIMIT, resolution)


def _costs(platform: Platform, ticks: Callable[[int | str], int]) -> ResolvedCosts:
    """Convert the costs of a platform."""
    return ResolvedCosts(
        **{key: ticks(cost) for key, cost in platform.costs().items()},
        tick_period=0 if platform.tick_period is None else ticks(platform.tick_period),
        is_pull=platform.points == "pull",
    )


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
    def policy(self) -> str | Policy:
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

    @property
    def platform(self) -> Platform:
        """What the kernel's own work takes."""


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
        yield from self.times_of("platform", None, _platform_times(self.system.platform))
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
        yield from (value for _, value in _platform_times(self.system.platform))

    def task(self, task: Task) -> Iterator[Problem]:
        """One task fits the system."""
        wrong_times = list(self.times_of("task", task.name, _task_times(task)))
        yield from wrong_times
        if not wrong_times:
            yield from self.lengths(task)
        if task.server is not None and task.server not in self.server_names:
            yield self.unknown_server("task", task.name, "server", task.server)
        if self.system.platform.points == "pull" and task.on_miss != "continue":
            message = f'expected "continue" with points = "pull", found {show(task.on_miss)}'
            yield self.about(task, "on_miss", "conflict", message)
        policy = self.policy_over(task)
        if policy is not None:
            yield from self.order(task, policy)

    def about(self, task: Task, key: str, code: str, message: str) -> Problem:
        """Make a problem of a task."""
        return Problem(message, code, table="task", entity=task.name, key=key)

    def ticks(self, value: int | str) -> int:
        """Convert a time that is right."""
        return int(to_ticks(value, self.system.resolution))

    def lengths(self, task: Task) -> Iterator[Problem]:
        """Bodies, distributions and arrivals fit each other; all times are right."""
        runs = sum(self.ticks(item.time) for item in task.items if item.op == Op.RUN)
        wcet = f"{times.MAX_TICKS} ticks" if task.wcet is None else f"the wcet {show(task.wcet)}"
        if runs > (times.MAX_TICKS if task.wcet is None else self.ticks(task.wcet)):
            message = f"expected runs of at most {wcet}, found {runs} ticks"
            yield self.about(task, "body" if task.subjobs is None else "subjobs", "out-of-range", message)
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
                (value.max, _wcet(task, self.system.resolution) if key == "demand" else _NO_LIMIT),
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
        if policy == "rm" and task.shortest_separation is None:
            message = 'missing; rm orders by period: give one, for instance min_separation = "10ms"'
            yield self.about(task, "min_separation", "missing", message)
        if isinstance(task.threshold, int):
            yield from self.priority_threshold(task, task.threshold, policy)
        elif task.threshold is not None:
            yield from self.named_threshold(task, task.threshold, policy)

    def priority_threshold(self, task: Task, threshold: int, policy: str | Policy) -> Iterator[Problem]:
        """A priority that is a threshold is one, and its dispatcher has priorities."""
        if threshold < task.priority:
            message = f"expected at least the priority {task.priority}, found {threshold}"
            yield self.about(task, "threshold", "out-of-range", message)
        if not catalogue.has_levels(policy):
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
            where = "at the root" if task.server is None else f"in the server {show(task.server)}"
            hint = catalogue.alternatives(name, equals)
            message = f"expected the name of a task {where}, found {show(name)}; {hint}"
            yield self.about(task, "threshold", "unknown-word", message)

    def policy_over(self, task: Task) -> str | Policy | None:
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


_Times = Iterator[tuple[str, int | str | None]]


def _task_times(task: Task) -> _Times:
    """List the times of a task with their keys."""
    for key in ("period", "min_separation", "jitter", "wcet", "deadline", "offset"):
        yield key, getattr(task, key)
    for key in ("arrivals", "demand"):
        yield from ((key, value) for value in _times_in(getattr(task, key)))
    key = "body" if task.subjobs is None else "subjobs"
    yield from ((key, item.time) for item in task.items)


def _times_in(value: int | str | tuple[int | str, ...] | Distribution | None) -> Iterable[int | str | None]:
    """List the times that must be whole ticks: not the parameters of a distribution but its limits."""
    if isinstance(value, Distribution):
        return value.min, value.max
    return value if isinstance(value, tuple) else (value,)


def _platform_times(platform: Platform) -> _Times:
    """List the times of a platform with their keys."""
    yield from platform.costs().items()
    yield "tick_period", platform.tick_period


def _server_times(server: Server) -> tuple[tuple[str, int | str | None], ...]:
    """List the times of a server with their keys."""
    return (("period", server.period), ("budget", server.budget), ("offset", server.offset))


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
    for member in members:
        end, repeat = _extent(member)
        last = max(last, end)
        hyperperiod = math.lcm(hyperperiod, repeat)
        if repeat == 0 or last + hyperperiod > MAX_DEFAULT_HORIZON:
            message = 'missing, and the releases repeat too late for a default; give one, for instance "2s"'
            raise InputError([Problem(message, "missing", table="system", key="horizon")])
    return last + hyperperiod


def _extent(member: ResolvedTask | ResolvedServer) -> tuple[int, int]:
    """Say from when on the releases of a task or server repeat, and after how many ticks; 0 if never."""
    if isinstance(member, ResolvedServer):
        return member.offset, member.period
    if member.arrivals is not None and member.arrivals.kind == "listed":
        return member.arrivals.values[-1] + member.deadline, 1
    return member.offset, member.period * max(1, len(member.demand.values))
