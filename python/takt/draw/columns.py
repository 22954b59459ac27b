# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Task sets drawn many at once.

A set is a function of recipe, seed and number: how many are drawn together, and from which on, changes none of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields

import numpy as np

from takt.draw import deadlines, periods, rounding, shares
from takt.draw.automotive import RUNNABLES
from takt.draw.draws import Draws, Floats, Purpose, Ticks
from takt.draw.matrices import TaskColumns
from takt.draw.recipe_keys import RecipeKeys
from takt.model import catalogue

_CHUNK = 4096
"""Sets that are drawn together: as many as stay in a processor's cache."""


def draw(recipe: RecipeKeys, seed: int, first: int, count: int) -> TaskColumns:
    """Draw sets `first` to `first + count - 1` of a recipe."""
    draws = Draws(seed)
    begins = range(first, first + count, _CHUNK)
    chunks = [_chunk(recipe, draws, begin, min(_CHUNK, first + count - begin)) for begin in begins]
    if len(chunks) == 1:
        return chunks[0]
    empty = np.empty((0, recipe.tasks), dtype=np.uint64)
    names = [field.name for field in fields(TaskColumns)]
    return TaskColumns(*(np.concatenate([empty, *(getattr(chunk, name) for chunk in chunks)]) for name in names))


def _chunk(recipe: RecipeKeys, draws: Draws, first: int, count: int) -> TaskColumns:
    """Draw sets that are drawn together."""
    period, share = _rates(recipe, draws, first, count)
    by_period = np.argsort(period, axis=1, kind="stable")
    period, share = np.take_along_axis(period, by_period, axis=1), np.take_along_axis(share, by_period, axis=1)
    wcet = rounding.wcets(share, period, recipe.share_limits, recipe.utilization)

    def numbers(purpose: Purpose) -> Floats:
        return draws.uniform(purpose, first, count, recipe.tasks)

    deadline = _deadlines(recipe, wcet, period, numbers)
    jitter = _jitters(recipe, period, numbers)
    offset = _offsets(recipe, period, numbers)
    order = _priority_order(recipe, deadline, numbers)
    columns = TaskColumns(wcet, period, deadline, jitter, offset)
    return columns if order is None else columns.ordered(order)


_Numbers = Callable[[Purpose], Floats]


def _rates(recipe: RecipeKeys, draws: Draws, first: int, count: int) -> tuple[Ticks, Floats]:
    """Draw periods and shares."""
    numbers = draws.uniform(Purpose.PERIODS, first, count, recipe.tasks)
    if recipe.periods != "automotive":
        return _periods(recipe, numbers), _shares(recipe, draws, first, count)
    has_engine = recipe.engine_period is not None
    engine = recipe.ticks_of(recipe.engine_period or 0)
    kinds = periods.automotive_kinds(numbers, has_engine)
    ticks_of_ms = recipe.ticks_of("1ms")
    lengths = [engine if row.period_ms is None else row.period_ms * ticks_of_ms for row in RUNNABLES]
    period = np.array(lengths, dtype=np.uint64)[kinds]
    if recipe.shares != "automotive":
        return period, _shares(recipe, draws, first, count)
    share = shares.automotive(draws, first, kinds, period / ticks_of_ms, recipe.utilization, recipe.runnables)
    return period, share


def _periods(recipe: RecipeKeys, numbers: Floats) -> Ticks:
    """Draw periods that are not automotive."""
    if not isinstance(recipe.periods, str):
        return periods.chosen(numbers, tuple(map(recipe.ticks_of, recipe.periods)))
    shortest, longest, grid = recipe.period_range
    if recipe.periods == "harmonic":
        return periods.chosen(numbers, periods.harmonic_chain(shortest, longest, recipe.period_ratio))
    return _RANGED[recipe.periods](numbers, shortest, longest, grid)


_RANGED = {
    "log-uniform": periods.log_uniform,
    "uniform": periods.uniform,
}


_LIMITED = {
    "uunifast-discard": shares.uunifast_discard,
    "fixed-sum": shares.fixed_sum,
    "drs": shares.dirichlet_rescale,
}


def _shares(recipe: RecipeKeys, draws: Draws, first: int, count: int) -> Floats:
    """Draw shares that do not depend on periods."""
    if recipe.shares == "uunifast":
        numbers = draws.uniform(Purpose.SHARES, first, count, recipe.tasks - 1)
        return shares.uunifast(numbers, recipe.utilization)
    return _LIMITED[recipe.shares](draws, first, count, recipe.tasks, recipe.utilization, recipe.share_limits)


def _deadlines(recipe: RecipeKeys, wcet: Ticks, period: Ticks, numbers: _Numbers) -> Ticks:
    """Draw deadlines."""
    if recipe.deadlines == "implicit":
        return period
    parts = deadlines.factors(numbers(Purpose.DEADLINES), recipe.deadline_range)
    if recipe.deadlines == "constrained":
        return deadlines.constrained(wcet, period, parts)
    return deadlines.times_period(period, parts, 1)


def _jitters(recipe: RecipeKeys, period: Ticks, numbers: _Numbers) -> Ticks:
    """Draw jitters."""
    if recipe.jitter == (0.0, 0.0):
        return np.zeros_like(period)
    return deadlines.times_period(period, deadlines.factors(numbers(Purpose.JITTER), recipe.jitter), 0)


def _offsets(recipe: RecipeKeys, period: Ticks, numbers: _Numbers) -> Ticks:
    """Draw offsets: whole ticks below the period, equally likely."""
    if recipe.offsets == "zero":
        return np.zeros_like(period)
    return np.floor(period * numbers(Purpose.OFFSETS)).astype(np.uint64)


def _priority_order(recipe: RecipeKeys, deadline: Ticks, numbers: _Numbers) -> np.ndarray | None:
    """Return the order of priorities; None if it is that of periods."""
    if recipe.priorities == catalogue.DEADLINE_POLICY and recipe.deadlines != "implicit":
        return np.argsort(deadline, axis=1, kind="stable")
    if recipe.priorities == "random":
        return np.argsort(numbers(Purpose.PRIORITIES), axis=1, kind="stable")
    return None
