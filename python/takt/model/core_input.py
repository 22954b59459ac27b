"""What core and simulator are given: ticks, levels and entity numbers. Each value is a whole number and final."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar, TypeVar

from takt import _core
from takt.base import times
from takt.model.catalogue import SHARE_VARIANTS, traits_of
from takt.model.python_policy import Adapter, Policy, copied

ROOT = 0
"""Entity number of the root."""

ALLOCATOR = "allocator"
"""Name of the allocator's own task."""

_, SUSPEND, ABORT, SLOTS, PROMOTED, MANDATORY, TOP, SPARE_TIME = _core.WINDOWS
"""Kinds of windows: who opens and closes them; the last two are of that task."""

IDLE = "idle"
"""What a server does that is chosen without work."""

DROP = "drop"
"""What architectures do with late jobs: abort and skip together; no word of files."""

ON_MISS = ("continue", "abort", "skip", DROP)
"""What can happen to a job that misses its deadline, in the order of core's numbers."""

CLASSES = ("hard", "soft", "none")
"""Classes of tasks as files name them, in the order of core's numbers: the first goes first among equals."""

CHANGES = ("leave", "enter", "parameters", "policy")
"""What can become different, in the order of core's numbers."""

LAXITY_SHIFT = _core.TIME_LIMIT
"""What is added to the laxity that is a threshold under llf, as in policy/llf.c: laxities may be negative."""

_Row = TypeVar("_Row")


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
    most: int = times.MAX_TICKS

    @property
    def is_constant(self) -> bool:
        """Whether every number is the same."""
        return self.kind == "listed" and len(self.values) == 1

    def arguments(self) -> tuple[str, array[int], float, float, int, int]:
        """Give what the binding wants."""
        return self.kind, array("Q", self.values), self.a, self.b, self.least, self.most


@dataclass(frozen=True, slots=True)
class ResolvedWindows:
    """The windows of a task as core gets them; see policy/window.h. What a kind does not use is 0.

    Args:
        kind: who opens and closes them: "suspend", "abort", "time-driven", "dual-priority" or "imprecise"; or of the
            allocator's own task "top" or "spare-time".
        part: from the release to the promotion, or the part of the wcet that must be done, or the budget on top.
        cycle: after this the slots are repeated.
        slots: start and length of each, ascending.
    """

    kind: str
    part: int = 0
    cycle: int = 0
    slots: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class ResolvedSharing:
    """What a task has to do with the resources of a rate-based root; see policy/rate_based.h.

    Args:
        uses: numbers of the resources that it locks.
        blocking: for how long others may block it, by its deadline, in units of 1 / _core.RATE_WHOLE.
        excess: what its sections may execute beyond budgets, by its period, likewise.
    """

    uses: tuple[int, ...]
    blocking: int
    excess: int


_ONE_TICK = Stream("listed", (1,))
_NO_SHARING = ResolvedSharing((), 0, 0)
_NO_WINDOWS = ResolvedWindows("")
_MOST = 2**64 - 1
"""The largest number that a column for core holds."""


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
        on_miss: "continue", "abort", "skip" or "drop".
        jitter: a release is up to this after the arrival.
        is_external: whether jobs arrive as events: always but for a periodic task without jitter and rule.
        suspends: whether a job may suspend itself.
        locks: whether a job may lock a resource.
        priority: as the author gave it.
        arrivals: instants, or a distribution of separations; None for a periodic task.
        demand: what the jobs execute.
        body: op and ticks, or number of the resource, of each item; empty if jobs just run.
        weight: its part of what a rate-based root gives to tasks of class none, or of all weights under share.
        is_greedy: whether under a rate-based root its jobs use the whole budget of a window; its wcet is 1 then.
        adapts: whether under a rate-based root its estimate follows what its jobs execute.
        is_absent: whether it waits for a change that adds it.
        windows: of its jobs, None if these run whenever they are the most urgent.
        events, interval: its deadlines are those of rate-based execution, of so many in each interval; else 0.
        sharing: what it shares with others under a rate-based root that has resources; else None.
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
    locks: bool = False
    priority: int = 0
    arrivals: Stream | None = None
    demand: Stream = _ONE_TICK
    body: tuple[tuple[int, int], ...] = ()
    weight: int = 1
    is_greedy: bool = False
    adapts: bool = False
    is_absent: bool = False
    windows: ResolvedWindows | None = None
    events: int = 0
    interval: int = 0
    sharing: ResolvedSharing | None = None

    is_server: ClassVar[bool] = False

    @property
    def longest(self) -> int:
        """How long it may execute at a time: the wcet."""
        return self.wcet

    @property
    def is_allocator(self) -> bool:
        """Whether its jobs are the calls of the allocator, each with a deadline of its own."""
        return self.windows is not None and self.windows.kind in (TOP, SPARE_TIME)

    @property
    def is_plain(self) -> bool:
        """Whether its jobs come every period, run for a constant time without points, and are never cut short."""
        is_special = self.is_external or self.body or self.on_miss != "continue" or self.windows is not None
        return not is_special and self.demand.is_constant


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
class ResolvedArchitecture:
    """Where the scheduler runs, in ticks; see model.Platform. What a model does not have is 0."""

    model: str
    context_switch: int
    interval: int
    is_fixed: bool
    latency: int


@dataclass(frozen=True, slots=True)
class ResolvedResource:
    """A resource as core gets it; one that nobody locks it does not get.

    Args:
        name: for people.
        protocol: name in core's table.
        ceiling: highest level of its users, 1 for a protocol without.
        home: entity number of the server that its users are in, or ROOT.
        among: place, in the table, of what it is in the parent of that server, whose servers share it; else None.
        longest: under sirap, the longest time from a lock in that server to the unlock; else 0.
    """

    name: str
    protocol: str
    ceiling: int
    home: int
    among: int | None = None
    longest: int = 0


@dataclass(frozen=True, slots=True)
class ResolvedRates:
    """How a rate-based root works; see policy/rate_based.h.

    Args:
        beta: share of class none, in units of 1 / _core.RATE_WHOLE.
        has_formula: whether beta follows from the tasks instead.
        sigma: least share of all soft tasks, in the same units.
        grid: ticks.
        rule: number of the rule by which tasks give up rate.
        has_background: whether class none runs beyond its budgets.
        has_compression: whether soft tasks get earlier deadlines in flight.
        has_cuts: whether class none gives up rate in flight.
        estimate_jobs: how many jobs an estimate that falls looks back.
    """

    beta: int
    has_formula: bool
    sigma: int
    grid: int
    rule: int
    has_background: bool
    has_compression: bool
    has_cuts: bool
    estimate_jobs: int


@dataclass(frozen=True, slots=True)
class ResolvedThread:
    """A plain thread under the root, as kernels record it."""

    name: str
    level: int


@dataclass(frozen=True, slots=True)
class ResolvedChange:
    """One thing that becomes different while a system runs.

    Args:
        at: when, in ticks.
        kind: "leave", "enter", "parameters" or "policy".
        task: which one, counted from 0; None of a policy.
        policy: of the root from then on; "" of the other kinds.
        period, deadline, wcet, level, class_, demand, weight: all of these from the first release on that comes at that
            instant or later; of parameters only.
        text: what it is, for people.
    """

    at: int
    kind: str
    task: int | None
    policy: str = ""
    period: int = 1
    deadline: int = 1
    wcet: int = 1
    level: int = 1
    class_: str = "hard"
    demand: Stream = _ONE_TICK
    weight: int = 1
    text: str = ""


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
    resources: tuple[ResolvedResource, ...] = ()
    order_rows: int = 0
    time_rows: int = 0
    seed: int = 0
    costs: ResolvedCosts = ResolvedCosts()
    architecture: ResolvedArchitecture | None = None
    rates: ResolvedRates | None = None
    cpus: int = 1
    changes: tuple[ResolvedChange, ...] = ()
    share: str | None = None
    bulk: int = 1

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

    def runners(self) -> tuple[list[str], list[str]]:
        """List who can have a segment, in the simulator's numbers: names, and the names of their servers.

        After the tasks come the servers, which idle.
        """
        idle = [server.name for server in self.servers]
        return [task.name for task in self.tasks] + [IDLE] * len(idle), self.server_names() + idle

    def spec(self, copies: dict[int, Any] | None = None) -> _core.Spec:
        """Describe the system to core, for one run: its policies in Python are copies.

        Args:
            copies: gets the copies, by the identities of what was copied, as the memo of copy.deepcopy.

        Raises:
            ValueError: a value is out of range, which only a damaged trace file can bring about.
        """
        memo = {} if copies is None else copies
        spec = _core.Spec(self._for_core(self.policy, memo), self.levels, self.order_rows, self.time_rows)
        servers = self.servers
        spec.add_servers(
            kinds=[server.kind for server in servers],
            policies=[self._for_core(server.policy, memo) for server in servers],
            period=_column(servers, lambda server: server.period),
            budget=_column(servers, lambda server: server.budget),
            offset=_column(servers, lambda server: server.offset),
            level=_column(servers, lambda server: server.level),
            home=_column(servers, lambda server: server.home),
            levels=_column(servers, lambda server: server.levels),
            order_rows=_column(servers, lambda server: server.order_rows),
            time_rows=_column(servers, lambda server: server.time_rows),
        )
        spec.add_resources(
            protocols=[resource.protocol for resource in self.resources],
            ceiling=_column(self.resources, lambda resource: resource.ceiling),
            home=_column(self.resources, lambda resource: resource.home),
        )
        spec.share_resources(
            among=_column(self.resources, lambda resource: 0 if resource.among is None else resource.among + 1),
            longest=_column(self.resources, lambda resource: resource.longest),
        )
        self._add_tasks(spec)
        self._set_windows(spec)
        spec.add_threads(_column(self.threads, lambda thread: thread.level))
        spec.set_seed(self.seed)
        spec.set_costs(**asdict(self.costs))
        if self.architecture is not None:
            spec.set_architecture(**asdict(self.architecture))
        if self.rates is not None:
            self._set_rates(spec, self.rates)
        self._set_changes(spec)
        spec.set_cpus(self.cpus)
        return spec

    def _set_rates(self, spec: _core.Spec, rates: ResolvedRates) -> None:
        """Describe a rate-based root."""
        shared = [task.sharing or _NO_SHARING for task in self.tasks]
        uses = [(number, resource) for number, of in enumerate(shared) for resource in of.uses]
        spec.set_sharing(
            blocking=_column(shared, lambda of: of.blocking),
            excess=_column(shared, lambda of: of.excess),
            task=_column(uses, lambda use: use[0]),
            resource=_column(uses, lambda use: use[1]),
        )
        spec.set_rates(
            **asdict(rates),
            weight=_column(self.tasks, lambda task: task.weight),
            is_greedy=_column(self.tasks, lambda task: task.is_greedy),
            adapts=_column(self.tasks, lambda task: task.adapts),
        )

    def _for_core(self, policy: str | Policy, memo: dict[int, Any]) -> str | Adapter:
        """Give what the binding takes for a policy; one in Python as it was when the system was made."""
        return policy if isinstance(policy, str) else Adapter(copied(policy, memo), (*self.servers, *self.tasks))

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
            locks=_column(tasks, lambda task: task.locks),
            is_absent=_column(tasks, lambda task: task.is_absent),
        )
        spec.set_events(
            events=_column(tasks, lambda task: task.events), interval=_column(tasks, lambda task: task.interval)
        )
        if (self.share is None) != (not traits_of(self.policy).has_virtual_time):
            raise ValueError("share and the policy do not go together")
        if self.share is not None:
            spec.set_shares(SHARE_VARIANTS.index(self.share), _column(tasks, lambda task: task.weight))
        for number, task in enumerate(tasks):
            if not task.demand.is_constant:
                spec.set_demand(number, *task.demand.arguments())
            if task.arrivals is not None:
                spec.set_arrivals(number, *task.arrivals.arguments())
            if task.body:
                spec.set_body(number, *(array("Q", column) for column in zip(*task.body, strict=True)))

    def requests(self) -> list[ResolvedChange]:
        """List what the tasks of a rate-based root ask for: to leave, to enter at their offsets, or new parameters."""
        there = [ResolvedChange(0, "enter", i) for i, task in enumerate(self.tasks) if not task.is_absent]
        asked = [replace(change, at=self._instant_of(change)) for change in (*there, *self.changes)]
        return sorted(asked, key=lambda change: (change.at, CHANGES.index(change.kind)))

    def _instant_of(self, change: ResolvedChange) -> int:
        """Say when a change is asked for: for a task that is to enter, its offset after the change.

        What only a damaged trace file says, a task that is not there or an instant that core cannot take, is left for
        core to refuse.
        """
        is_entry = change.kind == "enter" and change.task is not None and change.task < len(self.tasks)
        return min(change.at + self.tasks[change.task or 0].offset, _MOST) if is_entry else change.at

    def _set_changes(self, spec: _core.Spec) -> None:
        """Describe what becomes different."""
        changes = self.changes if self.rates is None else self.requests()
        spec.set_changes(
            instant=_column(changes, lambda change: change.at),
            kind=_column(changes, lambda change: CHANGES.index(change.kind)),
            task=_column(changes, lambda change: change.task or 0),
            policies=[change.policy for change in changes],
            period=_column(changes, lambda change: change.period),
            deadline=_column(changes, lambda change: change.deadline),
            wcet=_column(changes, lambda change: change.wcet),
            level=_column(changes, lambda change: change.level),
            task_class=_column(changes, lambda change: CLASSES.index(change.class_)),
            weight=_column(changes, lambda change: change.weight),
            demand=_column(changes, lambda change: change.demand.values[0] if change.demand.is_constant else 1),
        )
        for number, change in enumerate(changes):
            if not change.demand.is_constant:
                spec.set_changed_demand(number, *change.demand.arguments())

    def _set_windows(self, spec: _core.Spec) -> None:
        """Describe the windows of the tasks."""
        windows = [task.windows or _NO_WINDOWS for task in self.tasks]
        slots = sorted((start, length, number) for number, of in enumerate(windows) for start, length in of.slots)
        cycles = {of.cycle for of in windows if of.slots}
        if len(cycles) > 1:
            raise ValueError("different cycles")
        spec.set_windows(
            kinds=[of.kind for of in windows],
            bulk=self.bulk,
            part=_column(windows, lambda of: of.part),
            cycle=max(cycles, default=0),
            task=_column(slots, lambda slot: slot[2]),
            start=_column(slots, lambda slot: slot[0]),
            length=_column(slots, lambda slot: slot[1]),
        )


def _column(rows: Iterable[_Row], value: Callable[[_Row], int]) -> array[int]:
    """Make one column for core."""
    return array("Q", map(value, rows))
