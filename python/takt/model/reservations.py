# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tasks whose jobs run in windows: the windows, conflicts with other keys, and the conversion for core.

Source: SPEC.md, 3 and 13; what the windows do is in policy/window.h. A task has windows under a policy that gives
them, or because its `on_overrun` enforces its wcet.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

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
from takt.model.policy_options import TimeDriven, options_of
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
    periods: Sequence[int] = [task.period for task in resolved.tasks]
    if specialises and all(periods):  # where there are none, the checks refuse the system
        periods = specialise([(task.wcet, task.period) for task in resolved.tasks]) or periods
    # The promotion of each hard task at the root, from the release: deadline - response, not below 0.
    hard = [task for task in resolved.tasks if task.class_ == "hard" and task.home == ROOT and task.period > 0]
    ordered = sorted(hard, key=lambda task: task.level) if traits.promotes else []
    responses = [_response(task, ordered[:place]) for place, task in enumerate(ordered)]
    promotions = {
        task.name: max(0, task.deadline - response) for task, response in zip(ordered, responses, strict=True)
    }
    tasks = []
    for task, described, period in zip(resolved.tasks, system.tasks, periods, strict=True):
        deadline = task.deadline if described.deadline is not None else period
        shorter = replace(task, period=period, deadline=deadline) if specialises else task
        tasks.append(replace(shorter, windows=_resolve_windows(task, described, promotions, system)))
    return replace(resolved, tasks=tuple(tasks))


def _resolve_windows(
    task: ResolvedTask, described: Task, promotions: Mapping[str, int], system: SystemTables
) -> ResolvedWindows | None:
    promotes = catalogue.traits_of(system.policy).promotes
    kind = None if promotes and described.server is not None else windows_of(described, system.policy)

    def ticks(value: int | str) -> int:
        return in_ticks(value, system.resolution)

    if kind == SLOTS:
        options = options_of(system.options, TimeDriven)
        if options is None:
            return ResolvedWindows(SLOTS)
        slots = (
            (in_ticks(slot.start, system.resolution), in_ticks(slot.length, system.resolution))
            for slot in options.slots
            if slot.task == task.name
        )
        return ResolvedWindows(SLOTS, cycle=in_ticks(options.cycle, system.resolution), slots=tuple(sorted(slots)))
    if kind == PROMOTED:
        given = described.promotion
        return ResolvedWindows(kind, promotions.get(task.name, 0) if given is None else ticks(given))
    if kind == MANDATORY:
        return ResolvedWindows(kind, task.wcet if described.mandatory is None else ticks(described.mandatory))
    return None if kind is None else ResolvedWindows(kind)


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


# ---- pinwheel: periods that divide one another, so that every task has its share of every window ------------------
# Source: Wang and Lin 1999, row "pinwheel", after Chan and Chin 1992 (single-number reduction). No number is rounded.

Request = tuple[int, int]
"""Ticks that are wanted in every window of so many ticks."""


def specialise(requests: Sequence[Request]) -> tuple[int, ...] | None:
    """Shorten windows to x 2^j, with one whole x for all of them, such that their loads fit into one processor.

    Of all x whose loads fit the one with the least load is taken, of equal ones the one with the least odd part.

    Args:
        requests: ticks and window of each task, both >= 1.

    Returns:
        The windows, each the largest that is not longer than the requested one; None if no x does.

    Example:
        >>> specialise([(1, 4), (2, 10), (3, 25)])
        (4, 8, 16)
        >>> specialise([(1, 2), (1, 3), (1, 4)]) is None
        True
    """
    candidates = sorted(set(_candidates(requests)), key=lambda x: x // (x & -x))
    shortened = [tuple(x << ((window // x).bit_length() - 1) for _, window in requests) for x in candidates]
    best = min(shortened, key=lambda windows: _load(requests, windows))
    return best if _load(requests, best) <= 1 else None


def _candidates(requests: Sequence[Request]) -> Iterator[int]:
    """Yield the x that can have the least load: those at which a window is as long as a whole x allows.

    Twice an x gives the same windows, so x up to the shortest window and above its half are all there are.
    """
    shortest = min(window for _, window in requests)
    for _, window in requests:
        while window > shortest:
            window //= 2
        yield window


def _load(requests: Sequence[Request], windows: Sequence[int]) -> Fraction:
    return sum((Fraction(ticks, window) for (ticks, _), window in zip(requests, windows, strict=True)), Fraction(0))


# ---- what does not fit ----------------------------------------------------------------------------------


def find_window_problems(system: SystemTables) -> Iterator[Problem]:
    """Yield the problems of windows that core does not see: ignored keys, names of slots, and pinwheel's periods."""
    yield from find_allocator_problems(system, has_windows=bool(windowed_tasks(system)))
    traits = catalogue.traits_of(system.policy)
    for task in windowed_tasks(system):
        # A task has windows for one reason, under a policy that knows its jobs.
        what = "" if isinstance(system.policy, str) else "under a policy in Python"
        if traits.has_windows:
            what = f"with {text_of_windows(task, system.policy)}, which enforces budgets by itself"
        elif traits.is_rule:
            what = f"with policy = {show(system.policy)}"
        if what and task.on_overrun != "continue":
            yield about(task, "on_overrun", f"expected none {what}, found {show(task.on_overrun)}")
    options = options_of(system.options, TimeDriven)
    if traits.has_slots and options is None:
        message = 'missing; policy = "time-driven" needs a table of slots'
        yield Problem(message, "missing", table=TimeDriven.table)
    names = [task.name for task in system.tasks]
    for slot in options.slots if traits.has_slots and options is not None else ():
        if slot.task not in names:
            message = f"unknown task {show(slot.task)}; {catalogue.alternatives(slot.task, names)}"
            yield Problem(message, "unknown-word", table=TimeDriven.table, key="slots")
    if traits.specialises_periods and system.tasks and all(task.period is not None for task in system.tasks):
        wcets = [wcet_of(task, system.resolution) for task in system.tasks]
        periods = [in_ticks(task.period or 1, system.resolution) for task in system.tasks]
        if specialise(list(zip(wcets, periods, strict=True))) is None:
            message = (
                "pinwheel cannot admit these tasks: no periods x 2^j, at most those given, have a sum of wcet / period "
                "of at most 1"
            )
            yield Problem(message, "admission", table="system", key="policy")
