# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tasks whose jobs run in windows: the windows, conflicts with other keys, and the conversion for core.

Source: SPEC.md, 3 and 13; what the windows do is in policy/window.h. A task has windows under a policy that gives
them, or because its `on_overrun` enforces its wcet.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from takt.base.errors import Problem, show
from takt.model import catalogue
from takt.model.allocator import find_allocator_problems
from takt.model.compatibility import about, text_of_windows, windowed_tasks, windows_of
from takt.model.conversion import in_ticks, wcet_of
from takt.model.core_input import (
    MANDATORY,
    PROMOTED,
    ROOT,
    SLOTS,
    ResolvedSystem,
    ResolvedTask,
    ResolvedWindows,
)
from takt.model.pinwheel import specialise
from takt.model.policy_options import TimeDriven, options_of
from takt.model.python_policy import Policy
from takt.model.system_parts import SystemTables
from takt.model.tables import Task

_ONE = 2**128
"""A whole processor, where loads are rounded down."""


# ---- input of core -----------------------------------------------------------------------------------


def with_windows(resolved: ResolvedSystem, system: SystemTables) -> ResolvedSystem:
    """Add the windows of its tasks to a resolved system."""
    if not windowed_tasks(system):
        return resolved
    traits = catalogue.traits_of(system.policy)
    specialises = traits.specialises_periods
    periods = _pinwheel_periods(resolved) if specialises else [task.period for task in resolved.tasks]
    promotions = _promotions(resolved) if traits.promotes else {}
    tasks = []
    for task, described, period in zip(resolved.tasks, system.tasks, periods, strict=True):
        deadline = task.deadline if described.deadline is not None else period
        shorter = replace(task, period=period, deadline=deadline) if specialises else task
        tasks.append(replace(shorter, windows=_resolve_windows(task, described, promotions, system)))
    return replace(resolved, tasks=tuple(tasks))


def _pinwheel_periods(resolved: ResolvedSystem) -> Sequence[int]:
    """Return the periods of the tasks under pinwheel; their own if there are none, which the checks refuse."""
    given = [task.period for task in resolved.tasks]
    periods = specialise([(task.wcet, task.period) for task in resolved.tasks]) if all(given) else None
    return periods or given


def _resolve_windows(
    task: ResolvedTask, described: Task, promotions: Mapping[str, int], system: SystemTables
) -> ResolvedWindows | None:
    """Convert the windows of a task for core."""
    promotes = catalogue.traits_of(system.policy).promotes
    kind = None if promotes and described.server is not None else windows_of(described, system.policy)

    def ticks(value: int | str) -> int:
        return in_ticks(value, system.resolution)

    if kind == SLOTS:
        return _slots_of(task, options_of(system.options, TimeDriven), system.resolution)
    if kind == PROMOTED:
        given = described.promotion
        return ResolvedWindows(kind, promotions.get(task.name, 0) if given is None else ticks(given))
    if kind == MANDATORY:
        return ResolvedWindows(kind, task.wcet if described.mandatory is None else ticks(described.mandatory))
    return None if kind is None else ResolvedWindows(kind)


def _slots_of(task: ResolvedTask, options: TimeDriven | None, resolution: str) -> ResolvedWindows:
    """Return the slots of a task in the order of their starts."""
    if options is None:
        return ResolvedWindows(SLOTS)
    slots = (
        (in_ticks(slot.start, resolution), in_ticks(slot.length, resolution))
        for slot in options.slots
        if slot.task == task.name
    )
    return ResolvedWindows(SLOTS, cycle=in_ticks(options.cycle, resolution), slots=tuple(sorted(slots)))


def _promotions(resolved: ResolvedSystem) -> dict[str, int]:
    """Return the promotion of each hard task at the root, from the release: deadline - response, not below 0."""
    hard = [task for task in resolved.tasks if task.class_ == "hard" and task.home == ROOT and task.period > 0]
    ordered = sorted(hard, key=lambda task: task.level)
    return {task.name: max(0, task.deadline - _response(task, ordered[:place])) for place, task in enumerate(ordered)}


def _response(task: ResolvedTask, above: Sequence[ResolvedTask]) -> int:
    """Return the least fixed point of R = C + sum of ceil(R / T) C of all above, or a value above the deadline.

    Source: Joseph and Pandya 1986, with deadlines up to the period. R is at least C / (1 - the load of those above),
    where the search begins, so that a load near 1 does not make it long.
    """
    load = sum(other.wcet * _ONE // other.period for other in above)
    response, last = task.deadline + 1, 0
    if load < _ONE:
        response = -(-task.wcet * _ONE // (_ONE - load))
    while last < response <= task.deadline:
        last, response = response, task.wcet + sum(-(-response // other.period) * other.wcet for other in above)
    return response


# ---- what does not fit ----------------------------------------------------------------------------------


def find_window_problems(system: SystemTables) -> Iterator[Problem]:
    """Yield the problems of windows that core does not see: ignored keys, names of slots, and pinwheel's periods."""
    yield from find_allocator_problems(system, has_windows=bool(windowed_tasks(system)))
    for task in windowed_tasks(system):
        yield from _overrun_problems(task, system.policy)
    traits = catalogue.traits_of(system.policy)
    if traits.has_slots:
        yield from _slot_problems(system)
    if traits.specialises_periods:
        yield from _pinwheel_problems(system)


def _overrun_problems(task: Task, policy: str | Policy) -> Iterator[Problem]:
    """A task has windows for one reason, under a policy that knows its jobs."""
    if task.on_overrun == "continue":
        return
    traits = catalogue.traits_of(policy)
    if traits.has_windows:
        what = f"with {text_of_windows(task, policy)}, which enforces budgets by itself"
    elif traits.is_rule:
        what = f"with policy = {show(policy)}"
    elif isinstance(policy, str):
        return
    else:
        what = "under a policy in Python"
    yield about(task, "on_overrun", f"expected none {what}, found {show(task.on_overrun)}")


def _slot_problems(system: SystemTables) -> Iterator[Problem]:
    """Yield the problems of missing slots and unknown tasks in them."""
    options = options_of(system.options, TimeDriven)
    if options is None:
        message = 'missing; policy = "time-driven" needs a table of slots'
        yield Problem(message, "missing", table=TimeDriven.table)
        return
    names = [task.name for task in system.tasks]
    for slot in options.slots:
        if slot.task not in names:
            message = f"unknown task {show(slot.task)}; {catalogue.alternatives(slot.task, names)}"
            yield Problem(message, "unknown-word", table=TimeDriven.table, key="slots")


def _pinwheel_problems(system: SystemTables) -> Iterator[Problem]:
    """Yield the problem of tasks without periods that divide one another."""
    if not system.tasks or any(task.period is None for task in system.tasks):
        return
    requests = [
        (wcet_of(task, system.resolution), in_ticks(task.period or 1, system.resolution)) for task in system.tasks
    ]
    if specialise(requests) is None:
        message = (
            "pinwheel cannot admit these tasks: no periods x 2^j, at most those given, have a sum of wcet / period of "
            "at most 1"
        )
        yield Problem(message, "admission", table="system", key="policy")
