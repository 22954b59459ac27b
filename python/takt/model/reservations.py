# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tasks whose jobs run in windows: the windows, conflicts with other keys, and the conversion for core.

Source: SPEC.md, 3 and 13; what the windows do is in policy/window.h. A task has windows under a policy that gives
them, or because its `on_overrun` enforces its wcet.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from takt.base.errors import Problem, show
from takt.model import catalogue
from takt.model.allocator import find_allocator_problems
from takt.model.compatibility import about, find_conflicts, text_of_windows, windowed_tasks, windows_of
from takt.model.conversion import relative_deadline, resources_of, to_ticks, wcet_of
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


# ---- what core is told --------------------------------------------------------------------------------


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
    """Give the periods that pinwheel gives the tasks."""
    periods = specialise([(task.wcet, task.period) for task in resolved.tasks])
    assert periods is not None
    return periods


def _resolve_windows(
    task: ResolvedTask, described: Task, promotions: Mapping[str, int], system: SystemTables
) -> ResolvedWindows | None:
    """Convert the windows of a task for core."""
    kind = windows_of(described, system.policy) if described.server is None else None

    def ticks(value: int | str) -> int:
        return int(to_ticks(value, system.resolution))

    if kind == SLOTS:
        return _slots_of(task, options_of(system.options, TimeDriven), system.resolution)
    if kind == PROMOTED:
        given = described.promotion
        return ResolvedWindows(kind, promotions[task.name] if given is None else ticks(given))
    if kind == MANDATORY:
        return ResolvedWindows(kind, task.wcet if described.mandatory is None else ticks(described.mandatory))
    return None if kind is None else ResolvedWindows(kind)


def _slots_of(task: ResolvedTask, options: TimeDriven | None, resolution: str) -> ResolvedWindows:
    """Give the slots of a task in the order of their starts."""
    assert options is not None
    slots = (
        (int(to_ticks(slot.start, resolution)), int(to_ticks(slot.length, resolution)))
        for slot in options.slots
        if slot.task == task.name
    )
    return ResolvedWindows(SLOTS, cycle=int(to_ticks(options.cycle, resolution)), slots=tuple(sorted(slots)))


def _promotions(resolved: ResolvedSystem) -> dict[str, int]:
    """Give the promotion of each hard task at the root, from the release: deadline - response, not below 0."""
    hard = [task for task in resolved.tasks if task.class_ == "hard" and task.home == ROOT]
    ordered = sorted(hard, key=lambda task: task.level)
    return {task.name: max(0, task.deadline - _response(task, ordered[:place])) for place, task in enumerate(ordered)}


def _response(task: ResolvedTask, above: Sequence[ResolvedTask]) -> int:
    """Give the least fixed point of R = C + sum of ceil(R / T) C of all above, or a value above the deadline.

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
    """Find what cannot be combined with windows. All times are whole ticks."""
    windowed = [task for task in system.tasks if windows_of(task, system.policy) is not None]
    yield from find_allocator_problems(system, has_windows=bool(windowed))
    yield from find_conflicts(system, "windowed")
    for task in windowed_tasks(system):
        yield from _overrun_problems(task, system.policy)
    yield from find_conflicts(system, "windows")
    traits = catalogue.traits_of(system.policy)
    if traits.has_slots:
        yield from _time_driven_problems(system)
    if traits.promotes:
        yield from _dual_priority_problems(system)
    if traits.has_mandatory_parts:
        yield from _imprecise_problems(system)
    if traits.specialises_periods:
        yield from _pinwheel_problems(system)
    yield from find_conflicts(system, "full_table")


def _about(task: Task, key: str, code: str, message: str) -> Problem:
    """Make a problem of a task."""
    return Problem(message, code, table="task", entity=task.name, key=key)


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


def _deadline_problems(task: Task, system: SystemTables) -> Iterator[Problem]:
    """A deadline is not after the next release."""
    if task.period is not None and relative_deadline(task, system.resolution) > to_ticks(
        task.period, system.resolution
    ):
        message = f"expected at most the period {show(task.period)} with {text_of_windows(task, system.policy)}, found "
        yield _about(task, "deadline", "out-of-range", message + show(task.deadline))


# ---- time-driven


def _time_driven_problems(system: SystemTables) -> Iterator[Problem]:
    """The table fits the tasks."""
    options = options_of(system.options, TimeDriven)

    def about(key: str, code: str, message: str) -> Problem:
        return Problem(message, code, table="policy.time-driven", key=key)

    if options is None:
        message = 'missing; policy = "time-driven" needs a table of slots'
        yield Problem(message, "missing", table="policy.time-driven")
        return
    names = [task.name for task in system.tasks]
    for slot in options.slots:
        if slot.task not in names:
            hint = catalogue.alternatives(slot.task, names)
            yield about("slots", "unknown-word", f"unknown task {show(slot.task)}; {hint}")
    for name in dict.fromkeys(names):
        if name not in (slot.task for slot in options.slots):
            yield about("slots", "missing", f"expected a slot of every task, found none of {show(name)}")
    yield from (about("slots", "out-of-range", message) for message in _wrong_slots(options, system.resolution))


def _wrong_slots(options: TimeDriven, resolution: str) -> Iterator[str]:
    """Say which slots end after the cycle or overlap."""
    slots = sorted(
        (int(to_ticks(slot.start, resolution)), int(to_ticks(slot.length, resolution)), slot.task)
        for slot in options.slots
    )
    cycle = int(to_ticks(options.cycle, resolution))
    for start, length, task in slots:
        if start + length > cycle:
            yield f"expected slots within the cycle of {cycle} ticks, found one of {show(task)} up to {start + length}"
    for (start, length, task), (next_start, _, next_task) in pairwise(slots):
        if start + length > next_start:
            yield (
                f"expected slots that do not overlap, found one of {show(next_task)} from tick {next_start} on, "
                f"and one of {show(task)} up to {start + length}"
            )


# ---- dual-priority


def _dual_priority_problems(system: SystemTables) -> Iterator[Problem]:
    """Find a promotion after its deadline, or a job that can delay the upper band."""
    for task in system.tasks:
        if task.server is not None:
            continue
        if task.class_ == "hard":
            yield from _deadline_problems(task, system)
            yield from _promotion_problems(task, system.resolution)
        else:
            yield from _obstacles(task)


def _promotion_problems(task: Task, resolution: str) -> Iterator[Problem]:
    """A promotion is not after the deadline."""
    deadline = relative_deadline(task, resolution)
    if task.promotion is not None and to_ticks(task.promotion, resolution) > deadline:
        message = f"expected at most the deadline of {deadline} ticks, found {show(task.promotion)}"
        yield _about(task, "promotion", "out-of-range", message)


def _obstacles(task: Task) -> Iterator[Problem]:
    """Find what would let a soft task keep a promoted one waiting."""
    for key in ("preemption", "subjobs", "threshold"):
        if getattr(task, key) not in (None, "preemptive"):
            message = f'expected none with policy = "dual-priority", found {show(getattr(task, key))}'
            yield _about(task, key, "conflict", message)
    if resources_of(task) or (task.is_non_preemptive and task.body is not None):
        yield _about(task, "body", "conflict", 'expected neither locks nor points with policy = "dual-priority"')


# ---- imprecise, pinwheel


def _imprecise_problems(system: SystemTables) -> Iterator[Problem]:
    """Mandatory parts are parts."""
    for task in system.tasks:
        yield from _deadline_problems(task, system)
        wcet = wcet_of(task, system.resolution)
        if task.mandatory is not None and to_ticks(task.mandatory, system.resolution) > wcet:
            message = f"expected at most the wcet of {wcet} ticks, found {show(task.mandatory)}"
            yield _about(task, "mandatory", "out-of-range", message)


def _pinwheel_problems(system: SystemTables) -> Iterator[Problem]:
    """There are periods that divide one another."""
    if not system.tasks or any(task.period is None for task in system.tasks):
        return
    requests = [
        (wcet_of(task, system.resolution), int(to_ticks(task.period or 0, system.resolution))) for task in system.tasks
    ]
    if specialise(requests) is None:
        message = (
            "pinwheel cannot admit these tasks: no periods x 2^j, at most those given, have a sum of wcet / period of "
            "at most 1"
        )
        yield Problem(message, "admission", table="system", key="policy")
