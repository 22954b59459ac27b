# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The allocator of windows: how many a call hands over, and the calls as a task of their own.

Source: SPEC.md, 13; when calls are due and what they do is in policy/calls.h.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from takt.base.errors import Problem, show
from takt.model.conversion import in_ticks
from takt.model.core_input import (
    ALLOCATOR,
    ROOT,
    SPARE_TIME,
    ResolvedSystem,
    ResolvedTask,
    ResolvedWindows,
    Stream,
)
from takt.model.python_policy import name_of
from takt.model.rate_based import is_rate_based
from takt.model.system_parts import SystemTables
from takt.model.tables import Allocator

# ---- input of core -----------------------------------------------------------------------------------


def with_allocator(resolved: ResolvedSystem, system: SystemTables) -> ResolvedSystem:
    """Add the allocator of its windows to a resolved system, behind all tasks and levels."""
    allocator = system.allocator
    if allocator is None:
        return resolved
    bulk = replace(resolved, bulk=allocator.bulk)
    if not allocator.takes_time:
        return bulk
    own = _own_task(allocator, resolved, system.resolution)
    return replace(bulk, tasks=(*resolved.tasks, own), levels=own.level)


def _own_task(allocator: Allocator, resolved: ResolvedSystem, resolution: str) -> ResolvedTask:
    """Return the task whose jobs are the calls; its deadline is the shortest one of a call."""

    def ticks(value: int | str | None) -> int:
        return in_ticks(value or 0, resolution)

    distances = []  # from the start of one window of a task to that of the next
    for windows, period in ((task.windows, task.period) for task in resolved.tasks if task.windows is not None):
        starts = [start for start, _ in windows.slots]
        around = [*starts, *(start + windows.cycle for start in starts[:1])]
        distances += [after - before for before, after in pairwise(around)] or [period]
    cost = ticks(allocator.cost)
    return ResolvedTask(
        name=ALLOCATOR,
        class_="none",
        home=ROOT,
        period=max(1, ticks(allocator.period)),
        deadline=max(1, min(distances, default=1)),
        offset=0,
        wcet=cost,
        level=resolved.levels + 1,
        preemption_key=None,
        demand=Stream("listed", (cost,)),
        windows=ResolvedWindows(allocator.runs or SPARE_TIME, part=ticks(allocator.budget)),
    )


# ---- what does not fit ----------------------------------------------------------------------------------


def find_allocator_problems(system: SystemTables, has_windows: bool) -> Iterator[Problem]:
    """Yield what cannot be combined with an allocator. All times are whole ticks."""
    allocator = system.allocator
    if allocator is None:
        return
    if not has_windows:
        remedy = "" if is_rate_based(system) else 'give them on_overrun = "suspend", or '
        found = f"found none under policy = {show(name_of(system.policy))}"
        message = f"expected tasks with windows, {found}; {remedy}leave the allocator out"
        yield Problem(message, "conflict", table="allocator")
    if allocator.takes_time and any(task.name == ALLOCATOR for task in system.tasks):
        message = f"expected another name, found that of the task of [allocator], {show(ALLOCATOR)}; rename it"
        yield Problem(message, "duplicate", table="task", entity=ALLOCATOR, key="name")
