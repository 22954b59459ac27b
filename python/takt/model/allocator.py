"""The allocator of windows: how many a call hands over, and the calls as a task of their own.

Source: SPEC.md, 13; when calls are due and what they do is in policy/calls.h.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated

from pydantic import PlainValidator, WithJsonSchema

from takt import _core
from takt.base.errors import Problem, show
from takt.model import value_checks
from takt.model.conversion import to_ticks
from takt.model.core_input import (
    ALLOCATOR,
    ROOT,
    SPARE_TIME,
    TOP,
    ResolvedSystem,
    ResolvedTask,
    ResolvedWindows,
    Stream,
)
from takt.model.input_table import TIME_SCHEMA, Table
from takt.model.python_policy import name_of
from takt.model.rate_based import is_rate_based
from takt.model.system_parts import SystemTables

if TYPE_CHECKING:
    from takt.model.system import System, Task

_PLACES = (SPARE_TIME, TOP)

_OptionalTime = Annotated[
    int | str | None, PlainValidator(value_checks.optional(value_checks.POSITIVE_TIME)), WithJsonSchema(TIME_SCHEMA)
]


class Allocator(Table):
    """The allocator of windows: each call hands over the next ones of a task.

    Args:
        bulk: how many windows a call hands over, 1 to 65535.
        cost: how long a call takes; default: no time. With a cost the calls are the jobs of a task named allocator.
        runs: when that task runs: "spare-time" (the default: when nobody else has work, and before all others from
            the last safe instant on) or "top" (before all others, with a budget in every period).
        period: with "top": of its budget, from 0 on, >= 1 tick.
        budget: with "top": 1 tick to the period.

    Raises:
        InputError: a value is not right.
    """

    table = "allocator"

    bulk: Annotated[
        int,
        PlainValidator(value_checks.check_integer("a number of windows", 1, _core.CALLS_BULK)),
        WithJsonSchema({"type": "integer", "minimum": 1, "maximum": _core.CALLS_BULK}),
    ] = 1
    cost: Annotated[int | str, PlainValidator(value_checks.TIME), WithJsonSchema(TIME_SCHEMA)] = 0
    runs: Annotated[
        str | None,
        PlainValidator(value_checks.optional(value_checks.check_choice("word", _PLACES))),
        WithJsonSchema({"enum": list(_PLACES)}),
    ] = None
    period: _OptionalTime = None
    budget: _OptionalTime = None

    def times(self) -> Iterable[tuple[str, int | str | None]]:
        """List the times of the table with their keys."""
        return (("cost", self.cost), ("period", self.period), ("budget", self.budget))

    @property
    def takes_time(self) -> bool:
        """Whether calls are jobs."""
        return self.cost != 0

    def _conflicts(self) -> Iterator[tuple[str, str, str]]:
        """Find keys that do not go together."""
        if self.runs is not None and not self.takes_time:
            yield "conflict", "runs", f"expected none where calls take no time, found {show(self.runs)}; give a cost"
        for key, value in (("period", self.period), ("budget", self.budget)):
            if self.runs == TOP and value is None:
                yield "missing", key, f'missing; runs = "top" needs one, for instance {key} = "10ms"'
            if self.runs != TOP and value is not None:
                yield "conflict", key, f'expected none without runs = "top", found {show(value)}'


# ---- what core is told --------------------------------------------------------------------------------


def with_allocator(resolved: ResolvedSystem, system: System) -> ResolvedSystem:
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
    """Make the task whose jobs are the calls; its deadline is the least time that a call has."""

    def ticks(value: int | str | None) -> int:
        return int(to_ticks(value or 0, resolution))

    cost = ticks(allocator.cost)
    return ResolvedTask(
        name=ALLOCATOR,
        class_="none",
        home=ROOT,
        period=max(1, ticks(allocator.period)),
        deadline=min(_least_distance(task) for task in resolved.tasks if task.windows is not None),
        offset=0,
        wcet=cost,
        level=resolved.levels + 1,
        preemption_key=None,
        demand=Stream("listed", (cost,)),
        windows=ResolvedWindows(allocator.runs or SPARE_TIME, part=ticks(allocator.budget)),
    )


def _least_distance(task: ResolvedTask) -> int:
    """Give the shortest time from the start of one window of a task to that of the next."""
    assert task.windows is not None
    starts = [start for start, _ in task.windows.slots]
    if not starts:
        return task.period
    return min(after - before for before, after in pairwise([*starts, starts[0] + task.windows.cycle]))


# ---- what does not fit ----------------------------------------------------------------------------------


def find_allocator_problems(system: SystemTables, has_windows: bool) -> Iterator[Problem]:
    """Find what does not go with an allocator. All times are whole ticks."""
    allocator = system.allocator
    if allocator is None:
        return
    if not has_windows:
        remedy = "" if is_rate_based(system) else 'give them on_overrun = "suspend", or '
        found = f"found none under policy = {show(name_of(system.policy))}"
        message = f"expected tasks with windows, {found}; {remedy}leave the allocator out"
        yield Problem(message, "conflict", table="allocator")
    if allocator.period is not None and allocator.budget is not None:
        period, budget = (int(to_ticks(value, system.resolution)) for value in (allocator.period, allocator.budget))
        if budget > period:
            message = f"expected at most the period {show(allocator.period)}, found {show(allocator.budget)}"
            yield Problem(message, "out-of-range", table="allocator", key="budget")
    if allocator.takes_time:
        yield from _name_problems(system.tasks)


def _name_problems(tasks: Iterable[Task]) -> Iterator[Problem]:
    """Its own task has a name."""
    if any(task.name == ALLOCATOR for task in tasks):
        message = f"expected another name, found that of the task of [allocator], {show(ALLOCATOR)}; rename it"
        yield Problem(message, "duplicate", table="task", entity=ALLOCATOR, key="name")
