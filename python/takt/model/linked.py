# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tasks that other tasks release, in a whole system: periods that they inherit, checks, and what the simulator gets.

Source: SPEC.md, 17. An edge may join tasks of two domains of a machine, so all tasks of a file are read.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Protocol

from takt.base.errors import Problem, show
from takt.model import catalogue
from takt.model.compatibility import windows_of
from takt.model.conversion import in_ticks, policy_in, released_by, resources_of, to_ticks
from takt.model.core_input import ResolvedSystem, Stream
from takt.model.distributions import Distribution
from takt.model.edges import ALL, ORIGIN, REPLACE, Edge, Links
from takt.model.python_policy import name_of
from takt.model.streams import stream_of
from takt.model.system_parts import SystemTables
from takt.model.tables import Task


class _Domain(Protocol):
    """A domain of a machine, as System has it."""

    @property
    def system(self) -> _System: ...


class _System(Protocol):
    """What is read of a System."""

    @property
    def tasks(self) -> Sequence[Task]: ...
    @property
    def resolution(self) -> str: ...
    @property
    def resolved(self) -> ResolvedSystem: ...
    @property
    def domains(self) -> Sequence[_Domain]: ...


_KINDS = ("listed", "uniform", "normal", "weibull", "exponential")
"""Kinds of streams, by core's numbers."""


# ---- inherited periods ----------------------------------------------------------------------------------------


def with_links(tasks: Sequence[Task], resolution: str) -> tuple[Task, ...]:
    """Return the tasks of a system; those with `after` know their inherited periods."""
    if all(task.after is None for task in tasks):
        return tuple(tasks)
    periods = _Periods(tasks, resolution)
    return tuple(task if task.after is None else task.linked(periods.links(task)) for task in tasks)


class _Periods:
    """Periods of all tasks, in ticks."""

    def __init__(self, tasks: Sequence[Task], resolution: str) -> None:
        self.tasks = {task.name: task for task in tasks}
        self.resolution = resolution
        self.found: dict[str, Fraction | None] = {}
        for task in _in_order(tasks):
            self.found[task.name] = self._period(task)

    def links(self, task: Task) -> Links:
        """Return what follows for a task from the tasks that release it."""
        period = self.found[task.name]
        if period is None:
            return Links(is_released=True)
        return Links(max(1, math.floor(period)), period.denominator == 1, is_released=True)

    def _period(self, task: Task) -> Fraction | None:
        if task.after is None:
            separation = task.shortest_separation
            return None if separation is None else Fraction(to_ticks(separation, self.resolution))
        rates = {self.of_edge(task, edge) for edge in task.edges}
        is_common = len(rates) == 1 and (task.join == ALL or len(task.edges) == 1)
        return rates.pop() if is_common else None

    def of_edge(self, target: Task, edge: Edge) -> Fraction | None:
        """Return the mean distance of events that pass an edge; None if there is none, or it is not known."""
        source, period = self.tasks.get(edge.task), self.found.get(edge.task)
        if source is None or period is None:
            return None
        items = sum(item.task == target.name for item in source.items)
        return period * edge.every / max(1, items)


def _in_order(tasks: Sequence[Task]) -> list[Task]:
    """Return the tasks, each behind those that release it; those of circles, and behind these, last."""
    left = {task.name: task for task in tasks}
    ordered: list[Task] = []
    while ready := [task for task in left.values() if not any(edge.task in left for edge in task.edges)]:
        ordered += ready
        for task in ready:
            del left[task.name]
    return [*ordered, *left.values()]


def longest_chain(system: _System) -> int:
    """Return the largest sum of deadlines along tasks that release each other, in ticks; 0 without any."""
    deadlines = {task.name: task.deadline for task in system.resolved.tasks}
    longest: dict[str, int] = {}
    for task in _in_order(system.tasks) if any(task.after is not None for task in system.tasks) else ():
        before = [longest.get(edge.task, 0) for edge in task.edges]
        longest[task.name] = deadlines[task.name] + max(before, default=0)
    return max(longest.values(), default=0)


# ---- checks ---------------------------------------------------------------------------------------------------


def find_link_problems(system: SystemTables, other_tasks: Iterable[str] = ()) -> Iterator[Problem]:
    """Yield the problems of edges, and of items "release".

    Args:
        system: all tasks of a file.
        other_tasks: names of tasks that exist but are wrong in themselves.
    """
    if any(task.links.is_part for task in system.tasks):
        return
    tasks = {task.name: task for task in system.tasks}
    others = {*other_tasks}
    for task in system.tasks:
        yield from _release_problems(task, tasks, others)
        if task.after is not None:
            yield from _source_problems(task, tasks, others)
            yield from _time_problems(task, system, tasks)
            yield from _place_problems(task, system)
    yield from _rate_problems(system)
    yield from _circle_problems(system.tasks)
    if system.platform.model in catalogue.ARCHITECTURES:
        for task in system.tasks:
            if task.after is not None:
                yield _about(task, "after", f"expected none with {system.platform.model_text}; leave one of both out")


def _about(task: Task, key: str, message: str, code: str = "conflict") -> Problem:
    return Problem(message, code, table="task", entity=task.name, key=key)


def _source_problems(task: Task, tasks: Mapping[str, Task], others: set[str]) -> Iterator[Problem]:
    """The tasks that release it exist."""
    for edge in task.edges:
        if edge.task not in tasks and edge.task not in others:
            hint = catalogue.alternatives(edge.task, [*tasks, *others])
            yield _about(task, "after", f"unknown task {show(edge.task)}; {hint}", "unknown-word")


def _release_problems(task: Task, tasks: Mapping[str, Task], others: set[str]) -> Iterator[Problem]:
    """What a body releases is after it."""
    for name in released_by(task):
        target = tasks.get(name)
        if target is None and name not in others:
            hint = catalogue.alternatives(name, [*tasks, *others])
            yield _about(task, "body", f"unknown task {show(name)}; {hint}", "unknown-word")
        elif target is not None and all(edge.task != task.name for edge in target.edges):
            message = (
                f'found "release {name}", and {name} is not after {task.name}; write after = {show(task.name)} there'
            )
            yield _about(task, "body", message)


def _time_problems(task: Task, system: SystemTables, tasks: Mapping[str, Task]) -> Iterator[Problem]:
    """Delays are whole ticks, and there is a deadline."""
    for edge in task.edges:
        delay = edge.delay
        values = (delay.min, delay.max) if isinstance(delay, Distribution) else delay
        for value in values if isinstance(values, tuple) else (values,):
            ticks = Fraction(0) if value is None else Fraction(to_ticks(value, system.resolution))
            if ticks.denominator != 1 or ticks >= 2**61:
                message = f"delay: expected a multiple of the resolution {show(system.resolution)}, found {show(value)}"
                yield _about(task, "after", message, "resolution")
    if task.lacks_deadline and task.server is None and all(edge.task in tasks for edge in task.edges):
        message = 'missing; the rates of its sources give none, for instance deadline = "10ms"'
        yield _about(task, "deadline", message, "missing")


def _place_problems(task: Task, system: SystemTables) -> Iterator[Problem]:
    """The policy over a task, and its server, can have jobs that other tasks release."""
    servers = {server.name: server for server in system.servers}
    clusters = (
        [system.clusters[task.cluster]] if task.cluster is not None and task.cluster < len(system.clusters) else []
    )
    root = next((each.policy for each in clusters if each.policy is not None), system.policy)
    policy = root if task.server not in servers else policy_in(system, task.server)
    traits = catalogue.traits_of(policy)
    what = f"policy = {show(name_of(policy))}"
    if traits.allocates_rates or traits.needs_interval or traits.has_virtual_time:
        yield _about(task, "after", f"expected none with {what} in this version; give the task a period")
    elif windows_of(task, policy) is not None:
        reason = what if traits.has_windows else f"on_overrun = {show(task.on_overrun)}"
        yield _about(task, "after", f"expected none with {reason} in this version; give the task a period")
    if task.deadline_from == ORIGIN:
        is_by_length = traits.has_static_keys and not (traits.has_fifo_levels or traits.needs_period)
        is_barred = traits.has_deadline_keys and (task.threshold is not None or bool(resources_of(task)))
        if is_by_length or is_barred:  # the level of a job follows from the distance of its deadline
            where = what if is_by_length else f"resources or a threshold under {what}"
            yield _about(task, "deadline_from", f"expected none with {where} in this version, found {show(ORIGIN)}")
    server = servers.get(task.server or "")
    if server is None or not catalogue.server_kind(server.kind).is_rule:
        return
    for key, is_there in (
        ("deadline_from", task.deadline_from == ORIGIN),
        ("after", any(edge.full == REPLACE for edge in task.edges)),
    ):
        if is_there:
            found = show(ORIGIN) if key == "deadline_from" else f"full = {show(REPLACE)}"
            yield _about(task, key, f"expected none in a server of kind {show(server.kind)}, found {found}")


def _rate_problems(system: SystemTables) -> Iterator[Problem]:
    """Sources of different rates are joined only if what waits is limited."""
    if all(task.after is None for task in system.tasks):
        return
    periods = _Periods(system.tasks, system.resolution)
    for task in system.tasks:
        rates = [(periods.of_edge(task, edge), edge) for edge in task.edges]
        known = [(rate, edge) for rate, edge in rates if rate is not None]
        if task.join != ALL or len(known) < 2:
            continue
        slowest, slow = max(known, key=lambda each: each[0])
        for rate, edge in known:
            if rate < slowest and edge.limit is None:
                message = (
                    f"{edge.task} sends more events than {slow.task}, and they would wait for ever; give it a limit"
                )
                yield _about(task, "after", message)
                break


def _circle_problems(tasks: Sequence[Task]) -> Iterator[Problem]:
    """In each circle of tasks some edge has an initial event; else none of them would ever begin."""
    left = {task.name: task for task in tasks}

    def is_waiting(task: Task) -> bool:
        return any(edge.task in left and edge.initial == 0 for edge in task.edges)

    while free := [name for name, task in left.items() if not is_waiting(task)]:
        for name in free:
            del left[name]
    if left:
        circle = [next(iter(left))]
        while len(set(circle)) == len(circle):
            sources = left[circle[-1]].edges
            circle.append(next(edge.task for edge in sources if edge.task in left and edge.initial == 0))
        names = circle[circle.index(circle[-1]) :][::-1]
        message = f"tasks wait for each other: {' -> '.join(names)}; give one of these edges initial = 1"
        yield _about(left[names[0]], "after", message, "circle")


def find_machine_problems(system: SystemTables, domain_of: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield the problems of edges between domains: their kernels take no time in this version.

    Args:
        system: the machine.
        domain_of: domain of each task.
    """
    costs = [key for key, value in system.platform.costs().items() if value]
    for task in system.tasks if costs or system.platform.points == "pull" else ():
        for edge in task.edges:
            if domain_of.get(edge.task) != domain_of[task.name] and edge.task in domain_of:
                what = costs[0] if costs else "points"
                message = (
                    f"expected a task on one processor with {what} of [platform], found {show(edge.task)} on another"
                )
                yield _about(task, "after", f"{message}; leave the costs out")
                return


# ---- what the simulator gets ----------------------------------------------------------------------------------


def targets_of(system: _System) -> list[tuple[Any, ...]]:
    """Return the rows of all tasks that others release, for _core.simulate_linked; empty if there are none."""
    if all(task.after is None for task in system.tasks):
        return []
    parts = [domain.system.resolved for domain in system.domains] or [system.resolved]
    places = {task.name: (part, index) for part, each in enumerate(parts) for index, task in enumerate(each.tasks)}
    tasks = {task.name: task for task in system.tasks}
    rows = []
    for task in system.tasks:
        if task.after is not None:
            edges = [_edge_row(system.resolution, places, tasks[edge.task], task, edge) for edge in task.edges]
            offset, jitter = (in_ticks(value, system.resolution) for value in (task.offset, task.jitter))
            rows.append((*places[task.name], task.join != ALL, task.deadline_from == ORIGIN, offset, jitter, edges))
    return rows


def _edge_row(
    resolution: str, places: Mapping[str, tuple[int, int]], source: Task, target: Task, edge: Edge
) -> tuple[Any, ...]:
    """Return the row of an edge."""
    released, delay = released_by(source), _delay(edge, resolution)
    item = released.index(target.name) if target.name in released else None
    replaces = edge.full == REPLACE
    return (*places[source.name], item, edge.every, edge.first_passing, edge.initial, edge.limit, replaces, delay)


def _delay(edge: Edge, resolution: str) -> tuple[Any, ...] | None:
    """Return the stream of the delays of an edge; None without any."""
    if isinstance(edge.delay, Distribution):
        stream = stream_of(edge.delay, 0, 2**61, resolution)
    elif edge.delay == 0:
        return None
    else:
        given = edge.delay if isinstance(edge.delay, tuple) else (edge.delay,)
        stream = Stream("listed", tuple(in_ticks(value, resolution) for value in given), least=0)
    return (_KINDS.index(stream.kind), *stream.limits, list(stream.values))
