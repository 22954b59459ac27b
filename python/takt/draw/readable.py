# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Drawn task sets for readers: times with units, no deadline that is the period, and a horizon where none follows.

The numbers are those of the recipe. When not to use it: for studies, which need ticks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from takt.base import times
from takt.base.errors import InputError
from takt.draw.recipe_keys import RecipeKeys
from takt.model.distributions import Uniform
from takt.model.horizon import default_horizon
from takt.model.system import System
from takt.model.tables import Task

_PERIODS = 10
"""So many of the longest periods are simulated where no hyperperiod is short enough."""

_TASK_TIMES, _SERVER_TIMES = ("period", "wcet", "deadline", "jitter", "offset"), ("period", "budget")
_LEAST_CHOICE = 3
_MOST_QUOTIENT = 1000
_DIGITS = 2


def readable(system: System) -> System:
    """Return the same task set as a reader would write it: equal ticks, units, a horizon that `takt run` accepts."""
    writer, horizon = _Writer(system.resolution_ns), system.horizon
    try:
        if horizon is None:
            default_horizon(system.resolved)
    except InputError:  # a simulation would not know when to end
        horizon = writer.time(_PERIODS * max(task.period for task in system.resolved.tasks))
    return system.replace(
        tasks=[_task(writer, task) for task in system.tasks],
        servers=[
            each.replace(**{key: writer.time(getattr(each, key)) for key in _SERVER_TIMES}) for each in system.servers
        ],
        horizon=horizon,
    )


def round_periods(recipe: RecipeKeys) -> list[str]:
    """Return the periods of two digits in the range of a recipe that divide the longest: their hyperperiod is that.

    Returns:
        Texts with units, ascending; none if there are too few to draw from.
    """
    longest, shortest = recipe.ticks_of(recipe.period_max), recipe.ticks_of(recipe.period_min)
    writer = _Writer(int(times.parse(recipe.resolution) or 1))
    quotients = range(min(longest // max(1, shortest), _MOST_QUOTIENT), 0, -1)
    found = [longest // quotient for quotient in quotients if longest % quotient == 0]
    kept = [str(writer.time(period)) for period in found if len(str(period).rstrip("0")) <= _DIGITS]
    return kept if len(kept) >= _LEAST_CHOICE else []


def _task(writer: _Writer, task: Task) -> Task:
    keys: dict[str, Any] = {key: writer.time(getattr(task, key)) for key in _TASK_TIMES}
    if task.deadline == task.period:
        keys["deadline"] = None
    if isinstance(task.demand, Uniform):
        keys["demand"] = Uniform(min=writer.time(task.demand.min), max=writer.time(task.demand.max))
    for key in ("subjobs", "sections"):
        if (parts := getattr(task, key)) is not None:
            keys[key] = [writer.part(part) for part in parts]
    return task.replace(**keys)


@dataclass(frozen=True)
class _Writer:
    """Writer of ticks as a file has them.

    Args:
        resolution_ns: nanoseconds of a tick.
    """

    resolution_ns: int

    def time(self, ticks: Any) -> Any:
        """Return a time in the coarsest unit in which it is at least 1; 0 and what has a unit stay."""
        if not isinstance(ticks, int) or ticks == 0:
            return ticks
        size = ticks * self.resolution_ns
        unit = next(unit for unit in reversed(times.UNITS) if size >= times.UNITS[unit])
        return times.in_unit(ticks, self.resolution_ns, unit, 9)

    def part(self, part: Any) -> Any:
        """Return a part of a job, a length and perhaps the resources that are held."""
        length, space, names = str(part).partition(" ")
        return f"{self.time(times.written(length))}{space}{names}"
