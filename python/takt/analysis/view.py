# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Input of the analyses: dispatchers, tasks and servers in ticks, and features that no test covers.

Source of the numbers: SPEC.md, 7.1. A task stands for all that it is allowed to do: jobs at least their separation
apart, each executing up to its longest demand, whatever its offset and its list of demands say. What a task does
beyond the sporadic model (parts that cannot be displaced, sections, suspensions) stands beside it. What makes every
test of a dispatcher unsound is *unsupported*: it is reported, and the verdict is not known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

from takt import _core
from takt.analysis.critical_sections import Section, behind_last_lock, sections_of
from takt.analysis.presence import FOR_GOOD, Phase, most_of, phases_of
from takt.analysis.result import Part
from takt.base import times
from takt.model import catalogue, image
from takt.model.bodies import Op
from takt.model.catalogue import KindTraits, PolicyTraits
from takt.model.core_input import (
    ABORT,
    CLASSES,
    MANDATORY,
    PROMOTED,
    ROOT,
    SUSPEND,
    ResolvedChange,
    ResolvedCosts,
    ResolvedSharing,
    ResolvedSystem,
    ResolvedTask,
    ResolvedWindows,
)
from takt.model.python_policy import Policy, name_of
from takt.model.records import ResolvedArchitecture, ResolvedRates

if TYPE_CHECKING:
    from takt.model.system import System

MAY_MISS, MISSES = "may miss", "misses"
"""What a task does whose bound is beyond its deadline, and what one does that has a run in which it is late."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """Keys of a task that no search changes, named and meant as those of ResolvedTask. Times in ticks.

    Args:
        mandatory: the part of the wcet that must be done, as the file gives it; None: all of it.
        excess: by how much its jobs may demand more than the wcet that it has at first.
    """

    offset: int = 0
    level: int = 1
    weight: int = 1
    events: int = 0
    interval: int = 0
    on_miss: str = "continue"
    is_external: bool = False
    is_absent: bool = False
    is_greedy: bool = False
    adapts: bool = False
    windows: ResolvedWindows | None = None
    sharing: ResolvedSharing | None = None
    mandatory: int | None = None
    excess: int = 0


@dataclass(frozen=True, slots=True)
class TaskView:
    """A task as tests see it. Times in ticks.

    Args:
        number: place in the file, counted from 0.
        name, class_: as in the file.
        wcet: the longest execution of a job: the declared one, or a longer demand that the file gives.
        period: least separation of two arrivals.
        deadline: relative, the shortest one where changes give it several.
        jitter: a job is released up to this after its arrival.
        urgency: sorts the children of a dispatcher, smaller is more urgent; a prefix of it is the key.
        key: its key where priorities order; children with one key are equals.
        regions: lengths of what a job executes without being displaced in its dispatcher, in order; empty if it can be
            displaced anywhere.
        threshold: a started job is displaced by smaller keys than this only; None: by all that are more urgent.
        body: op and ticks, or number of a resource, of each item; empty if jobs just run.
        suspended: for how long a job suspends itself altogether.
        optional_points: how many optional points it has where it cannot be displaced.
        has_regions: whether a started job is displaced at points only, also where charges give every task a region.
        may_overrun: whether a job may demand more than a wcet that is enforced.
        has_windows: whether what is unfinished at the end of a window waits for the next one, or for none.
        is_kernel: whether it is work of the kernel, which comes before all jobs; see overhead_inflation.py.
        is_charged: whether it pays for work of the kernel; see overhead_inflation.py.
        unsupported: what no test admits.
        phases: when it is there, and with which parameters; the others are the worst of these.
        arrivals: instants that the file lists, ascending; empty if there is no list.
        excess: by how much a job may demand more than the wcet by which it is scheduled.
        latest: the longest relative deadline that changes give it, 0 if it keeps its deadline.
        fixed: what no search changes.
        uncharged: the task without the kernel's work that it pays for; None: it pays for none.
    """

    number: int
    name: str
    class_: str
    wcet: int
    period: int
    deadline: int
    jitter: int
    urgency: tuple[int, ...]
    key: int
    regions: tuple[int, ...] = ()
    threshold: int | None = None
    body: tuple[tuple[int, int], ...] = ()
    suspended: int = 0
    optional_points: int = 0
    has_regions: bool = False
    may_overrun: bool = False
    has_windows: bool = False
    is_kernel: bool = False
    is_charged: bool = False
    unsupported: tuple[str, ...] = ()
    phases: tuple[Phase, ...] = ()
    arrivals: tuple[int, ...] = ()
    excess: int = 0
    latest: int = 0
    fixed: Fixed = Fixed()
    uncharged: TaskView | None = None

    @property
    def has_other_deadlines(self) -> bool:
        """True if some of its jobs have longer deadlines than others."""
        return self.latest > self.deadline

    @property
    def is_steady(self) -> bool:
        """True if it is always present, with the same parameters."""
        return not self.has_other_deadlines and [(each.start, each.until) for each in self.phases] == [(0, FOR_GOOD)]

    @property
    def longest_deadline(self) -> int:
        """The longest relative deadline of a job: what bounds all responses if no job misses."""
        return max(self.deadline, self.latest)

    @property
    def suspensions(self) -> int:
        """Number of times that a job suspends itself."""
        return sum(op == Op.SUSPEND for op, _ in self.body)

    @property
    def longest_region(self) -> int:
        """The longest execution without being displaced: 1 tick if it can be anywhere."""
        return max(self.regions, default=1)

    @property
    def barred(self) -> int:
        """Longest blocking of more urgent jobs by a started job of this task, in ticks; 1: none."""
        return self.longest_region if self.threshold is None else self.wcet

    @property
    def last_region(self) -> int:
        """The last one."""
        return self.regions[-1] if self.regions else 1

    def with_wcet(self, wcet: int) -> TaskView:
        """Return the task with another wcet; the last region absorbs the difference."""
        phases = tuple(replace(each, wcet=max(1, each.wcet + wcet - self.wcet)) for each in self.phases)
        return replace(self, wcet=wcet, regions=_fit(self.regions, wcet), phases=phases)

    @property
    def sections(self) -> tuple[Section, ...]:
        """Its sections; the last run has the part of the wcet that no run has."""
        if not self.body:
            return ()
        is_limited = self.has_regions or self.threshold is not None
        return sections_of(self.body, self.wcet, has_regions=self.has_regions, is_limited=is_limited)

    @property
    def behind_last_lock(self) -> int:
        """The execution of a job with a body from its last lock on, at least 1 tick."""
        return max(behind_last_lock(self.body, self.wcet), 1)


@dataclass(frozen=True, slots=True)
class Inside:
    """A task in a server as those outside see it. Times in ticks.

    Args:
        wcet, period: as of the task.
        jitter: that of the task, and for how long it can be kept waiting, unless it stands at the server's place.
        response: by what can be left of the server's budget when it comes; None: not computed.
        is_at_place: whether the budget is never used up, so that the task stands at the server's place.
        cause: returns the parts of that response.
    """

    wcet: int
    period: int
    jitter: int
    response: int | None = None
    is_at_place: bool = False
    cause: Callable[[], Sequence[Part]] = field(default=tuple, compare=False)


@dataclass(frozen=True, slots=True)
class ServerView:
    """A server as tests see it. Times in ticks.

    Args:
        number: entity number.
        home: that of the dispatcher in which it competes.
        name, kind: as in the file.
        period, budget: as in the file.
        offset: before it there is no budget.
        urgency, key: as of a task.
        holding: for how long one of its tasks holds what servers share, at most, 0 if none does.
        overrun: by how much that may exceed its budget.
        protocol: of what it shares, "" if nothing.
        is_outgrown: whether, under sirap, it may hold something for longer than the budget with which it locks.
        inside: demand of its tasks, where nothing else uses its budget; empty: not known.
    """

    number: int
    home: int
    name: str
    kind: str
    period: int
    budget: int
    offset: int
    urgency: tuple[int, ...]
    key: int
    holding: int = 0
    overrun: int = 0
    protocol: str = ""
    is_outgrown: bool = False
    inside: tuple[Inside, ...] = ()

    @property
    def longest(self) -> int:
        """Longest execution in a period."""
        return self.budget + self.overrun

    @property
    def traits(self) -> KindTraits:
        """The traits of its kind."""
        return catalogue.kind_traits(self.kind)

    @property
    def waits_for_budget(self) -> bool:
        """True if its tasks wait for budget before a lock, or until an overrun is paid back."""
        traits = catalogue.protocol_traits(self.protocol)
        return traits.awaits_budget or traits.pays_back

    @property
    def is_rule(self) -> bool:
        """True if it has no budget, and only assigns deadlines to its tasks."""
        return catalogue.server_kind(self.kind).is_rule


Child = TaskView | ServerView


@dataclass(frozen=True, slots=True)
class DispatcherView:
    """The root, or a server, with what competes in it.

    Args:
        number: entity number, ROOT or that of a server.
        home: entity number of the dispatcher around it; of the root its own.
        name, kind: of the server, "" for the root.
        policy: what orders; of a policy in Python its name.
        tasks, servers: its children, the most urgent first.
        unsupported: what no test admits.
    """

    number: int
    home: int
    name: str
    kind: str
    policy: str
    tasks: tuple[TaskView, ...]
    servers: tuple[ServerView, ...]
    unsupported: tuple[str, ...] = ()

    def children(self) -> list[Child]:
        """Return tasks and servers, the most urgent first."""
        return sorted([*self.tasks, *self.servers], key=lambda child: child.urgency)

    @property
    def traits(self) -> PolicyTraits:
        """The traits of its policy."""
        return catalogue.traits_of(self.policy)

    @property
    def all_unsupported(self) -> tuple[str, ...]:
        """Features that no test covers, its own and those of its tasks."""
        return (*self.unsupported, *(reason for task in self.tasks for reason in task.unsupported))


@dataclass(frozen=True, slots=True)
class ResourceView:
    """A resource as tests see it; see ResolvedResource."""

    name: str
    protocol: str
    home: int
    among: int | None


@dataclass(frozen=True, slots=True)
class ChangeView:
    """A change as tests see it; see ResolvedChange. What tasks become is in their phases."""

    at: int
    kind: str
    task: int | None
    policy: str
    level: int


@dataclass(frozen=True, slots=True)
class Platform:
    """All of a system but its tasks and servers; no search changes it. See ResolvedSystem.

    Args:
        weights: the sum of those of all tasks.
    """

    policy: str | Policy
    resolution_ns: int
    cpus: int
    variant: str | None
    costs: ResolvedCosts
    architecture: ResolvedArchitecture | None
    rates: ResolvedRates | None
    resources: tuple[ResourceView, ...]
    changes: tuple[ChangeView, ...]
    weights: int


@dataclass(frozen=True, slots=True)
class SystemView:
    """All dispatchers of a system, by their entity numbers, and what tests need of the rest.

    A search changes the tasks and servers of dispatchers. So a test has their numbers from here alone.

    Args:
        resolved: what is no task and no server.
        dispatchers: the root first.
        unsupported: what makes every test unsound.
        unread: what has an effect that is in no test: nothing is known, whatever is tried.
        asked: numbers of the tasks of which a search asks whether they all meet their deadlines, and nothing else;
            None: all is asked that is known.
        latency: the longest time that a message to or from the scheduler takes; 0: it stands where the jobs run.
        has_reasons: whether rows say why a deadline is not met; sentences take longer than the tests of a search.
    """

    resolved: Platform
    dispatchers: tuple[DispatcherView, ...]
    unsupported: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    asked: frozenset[int] | None = None
    latency: int = 0
    has_reasons: bool = True

    def around(self, server: ServerView) -> DispatcherView:
        """Return the dispatcher in which a server competes."""
        return self.dispatchers[server.home]

    def write(self, ticks: int) -> str:
        """Write a time for people, with all its digits."""
        return times.exactly(ticks * self.resolved.resolution_ns)

    def late(self, response: int, deadline: int) -> str:
        """Return by how much a response exceeds a deadline, and both."""
        return f"{self.write(response - deadline)}: {self.write(response)} > {self.write(deadline)}"

    def miss(self, name: str, response: int, deadline: int) -> str:
        """Return that a task may miss its deadline, and by how much; refusals.py has certain misses."""
        return f"{name} {MAY_MISS} by {self.late(response, deadline)}"

    def with_task(self, changed: TaskView) -> SystemView:
        """Return the system with another task in the place of the one with its number."""
        return self.map(lambda task: changed if task.number == changed.number else task, lambda each: each)

    def map(self, task: Callable[[TaskView], TaskView], server: Callable[[ServerView], ServerView]) -> SystemView:
        """Return the system with other members, computed from the existing ones."""
        dispatchers = tuple(
            replace(
                each, tasks=tuple(task(one) for one in each.tasks), servers=tuple(server(one) for one in each.servers)
            )
            for each in self.dispatchers
        )
        return replace(self, dispatchers=dispatchers)


# ---- tasks --------------------------------------------------------------------------------------------


def _task_view(task: ResolvedTask, number: int, policy: str) -> TaskView:
    wcet, regions = _wcet_of(task), _regions_of(task)
    traits = catalogue.traits_of(policy)
    static = static_key(policy, task.level, _separation_of(task), task.deadline)
    key = task.level if traits.has_mandatory_parts else static
    is_cut = task.windows is not None and task.windows.kind == MANDATORY
    return TaskView(
        number=number,
        name=task.name,
        class_=task.class_,
        wcet=wcet,
        period=_separation_of(task),
        deadline=task.deadline,
        jitter=task.jitter,
        urgency=(key, 0, 0, number) if traits.has_fifo_levels else (key, CLASSES.index(task.class_), 1, number),
        key=key,
        regions=_fit(regions, wcet),
        threshold=None if regions else task.preemption_key,
        body=task.body,
        suspended=sum(ticks for op, ticks in task.body if op == Op.SUSPEND),
        optional_points=sum(op == Op.OPTIONAL_POINT for op, _ in task.body) if regions else 0,
        has_regions=bool(regions),
        has_windows=_is_enforced(task),
        may_overrun=_is_enforced(task) and not is_cut and most_of(task.demand) > task.wcet,
        unsupported=tuple(_unsupported_of(task, policy)),
    )


_STATIC = catalogue.policies_that(lambda policy: policy.has_static_keys)


def static_key(policy: str, level: int, period: int, deadline: int) -> int:
    """Return the task's static key, or its relative deadline if the policy has none."""
    key = _core.policy_key(policy, level, period, deadline) if policy in _STATIC else None
    return deadline if key is None else key


_REFILLED = (SUSPEND, PROMOTED)
"""Windows whose budget is the wcet of one job; what is more waits for the next window."""


def _is_enforced(task: ResolvedTask) -> bool:
    """True if a job executes at most its wcet in its window."""
    return task.windows is not None and task.windows.kind in (*_REFILLED, ABORT, MANDATORY)


def _wcet_of(task: ResolvedTask) -> int:
    """Return the longest execution of a job that others must assume."""
    return task.wcet if _is_enforced(task) else max(task.wcet, most_of(task.demand))


def _separation_of(task: ResolvedTask) -> int:
    """Return the least distance of two arrivals; 0 if several may come at once."""
    if task.period or task.arrivals is None:
        return task.period
    if task.arrivals.kind != "listed":
        return task.arrivals.least
    return min((later - earlier for earlier, later in pairwise(task.arrivals.values)), default=times.MAX_TICKS)


def _regions_of(task: ResolvedTask) -> tuple[int, ...]:
    """Return the lengths between points of a job that is not displaced there; empty if it is displaced anywhere."""
    if task.preemption_key != 0:
        return ()
    lengths, length = [], 0
    for op, ticks in task.body:
        if op == Op.RUN:
            length += ticks
        elif op in (Op.POINT, Op.SUSPEND) and length > 0:
            lengths.append(length)
            length = 0
    return tuple([*lengths, length] if length > 0 else lengths) or (task.wcet,)


def _fit(regions: tuple[int, ...], wcet: int) -> tuple[int, ...]:
    """Fit region lengths to a wcet: the last region absorbs the difference."""
    if not regions:
        return ()
    kept, left = [], wcet
    for length in regions[:-1]:
        if left > length:
            kept.append(length)
            left -= length
    return (*kept, left)


def _unsupported_of(task: ResolvedTask, policy: str) -> Iterator[str]:
    """Yield what no test of a policy admits; some policies postpone deadlines, however dense the arrivals."""
    if _separation_of(task) == 0 and not catalogue.traits_of(policy).needs_interval:
        yield f"jobs of {task.name} may arrive any number at a time; give it a min_separation"
    if task.is_allocator:
        yield "calls of the allocator take time"
    if task.suspends and task.preemption_key is not None:
        yield f"{task.name} suspends itself and cannot be displaced everywhere"
    if task.suspends and task.locks:
        yield f"{task.name} suspends itself and locks resources"
    if task.on_miss == "skip" and task.deadline > _separation_of(task):
        yield f"{task.name} drops jobs that come before the deadline of the one before"
    if _is_enforced(task) and task.deadline > task.period:
        yield f"{task.name} has a budget in each period and a longer deadline"


# ---- systems ------------------------------------------------------------------------------------------


def _dispatcher(resolved: ResolvedSystem, number: int) -> DispatcherView:
    server = None if number == ROOT else resolved.servers[number - 1]
    policy = resolved.policy if server is None else server.policy
    order = name_of(policy)
    tasks = [_task_view(task, i, order) for i, task in enumerate(resolved.tasks) if task.home == number]
    servers = list[ServerView]()
    for i, each in ((i, each) for i, each in enumerate(resolved.servers, start=1) if each.home == number):
        key, given = static_key(order, each.level, each.period, each.period), (each.period, each.budget, each.offset)
        servers.append(ServerView(i, each.home, each.name, each.kind, *given, (key, 0, 0, i - 10**9), key))
    unsupported = [f"the policy {order} is written in Python"] if isinstance(policy, Policy) else []
    return DispatcherView(
        number,
        ROOT if server is None else server.home,
        "" if server is None else server.name,
        "" if server is None else server.kind,
        order,
        tuple(sorted(tasks, key=lambda task: task.urgency)),
        tuple(sorted(servers, key=lambda server: server.urgency)),
        tuple(unsupported),
    )


def _unsupported_of_system(resolved: ResolvedSystem) -> Iterator[str]:
    """Yield the features that make every test unsound."""
    if any(change.kind == "policy" for change in resolved.changes):
        yield "the policy changes while it runs"
    entered = [change.task for change in resolved.changes if change.kind == "enter"]
    present = [number for number, task in enumerate(resolved.tasks) if not task.is_absent]
    comings = Counter(number for number in (*entered, *present) if number is not None)
    again = {resolved.tasks[number].name for number, times_there in comings.items() if times_there > 1}
    if again and resolved.rates is None:
        yield f"{', '.join(sorted(again))} comes more than once"
    if resolved.rates is None and any(_gets_another_key(resolved, change) for change in resolved.changes):
        yield "priorities change while it runs"
    if resolved.costs.is_pull:
        yield "releases wait for points (points = pull)"


def _gets_another_key(resolved: ResolvedSystem, change: ResolvedChange) -> bool:
    """True if a change sets another priority of a task where priorities are static."""
    if change.kind != "parameters" or change.task is None:
        return False
    task = resolved.tasks[change.task]
    policy = resolved.policy if task.home == ROOT else resolved.servers[task.home - 1].policy
    name = name_of(policy)
    if not catalogue.traits_of(name).has_static_keys:
        return False
    before = static_key(name, task.level, task.period, task.deadline)
    return before != static_key(name, change.level, change.period, change.deadline)


def _at_worst(resolved: ResolvedSystem) -> ResolvedSystem:
    """Return a system in which each task has the worst of all its parameters at once."""
    if resolved.rates is not None:
        return resolved
    tasks = list(resolved.tasks)
    for change in resolved.changes:
        if change.kind == "parameters" and change.task is not None:
            task = tasks[change.task]
            tasks[change.task] = replace(
                task,
                class_=min(task.class_, change.class_, key=CLASSES.index),
                period=min(task.period, change.period),
                deadline=min(task.deadline, change.deadline),
                wcet=max(_wcet_of(task), change.wcet, most_of(change.demand)),
            )
    return replace(resolved, tasks=tuple(tasks))


def _released_in(resolved: ResolvedSystem) -> list[str]:
    """Return the name of the first task that other tasks release, as the only entry; else none."""
    return [task.name for task in resolved.tasks if task.is_released][:1]


def view_of(system: System, latency: int = 0) -> SystemView:
    """Return the view of a system that tests take.

    Args:
        system: it is not changed; of a machine, each domain has a view of its own.
        latency: of messages to and from its scheduler, at most; 0: it stands where the jobs run.
    """
    assert not system.domains
    resolved = _at_worst(system.resolved)
    view = SystemView(
        _part_of(
            Platform,
            resolved,
            resources=tuple(_part_of(ResourceView, each) for each in resolved.resources),
            changes=tuple(_part_of(ChangeView, each) for each in resolved.changes),
            weights=sum(task.weight for task in resolved.tasks),
        ),
        tuple(_dispatcher(resolved, number) for number in range(1 + len(resolved.servers))),
        tuple(_unsupported_of_system(system.resolved)),
        (
            *(f"the analysis does not read {key} of {owner}" for key, owner in image.unread_in(system.resolved)),
            *(f"there is no test of tasks that others release, here {name}" for name in _released_in(system.resolved)),
        ),
        latency=latency,
    )
    has_part = {number for number, task in enumerate(system.tasks) if task.mandatory is not None}
    return view.map(
        lambda task: _with_phases(system.resolved, task, has_part=task.number in has_part), lambda server: server
    )


_Part = TypeVar("_Part", Fixed, ResourceView, ChangeView, Platform)


def _part_of(kind: type[_Part], record: Any, **more: Any) -> _Part:
    """Return a record with the fields that it shares with a larger one; `more` are other fields."""
    return kind(**{key.name: getattr(record, key.name) for key in fields(kind) if hasattr(record, key.name)} | more)


def _with_phases(resolved: ResolvedSystem, task: TaskView, *, has_part: bool) -> TaskView:
    """Add to a task when it is present, its listed arrivals, and what no search changes."""
    as_is = resolved.tasks[task.number]
    changes = [change for change in resolved.changes if change.task == task.number]
    given = [change for change in changes if change.kind == "parameters"]
    stream = as_is.arrivals
    return replace(
        task,
        phases=tuple(phases_of(as_is, _separation_of(as_is), _wcet_of(as_is), changes)),
        arrivals=stream.values if stream is not None and stream.kind == "listed" else (),
        excess=max(_wcet_of(as_is) - as_is.wcet, *(most_of(change.demand) - change.wcet for change in given), 0),
        latest=max([change.deadline for change in given] + [as_is.deadline] * bool(given), default=0),
        fixed=_part_of(
            Fixed,
            as_is,
            mandatory=as_is.windows.part if as_is.windows is not None and has_part else None,
            excess=_wcet_of(as_is) - as_is.wcet,
        ),
    )
