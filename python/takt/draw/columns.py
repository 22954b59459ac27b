# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Task sets drawn many at once.

A set is a function of recipe, seed and number: how many are drawn together, and from which on, changes none of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields

import numpy as np

from takt.draw import periods, rounding, shares
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
    period, share = _rates(recipe, draws, first, count)
    by_period = np.argsort(period, axis=1, kind="stable")
    period, share = np.take_along_axis(period, by_period, axis=1), np.take_along_axis(share, by_period, axis=1)
    wcet = rounding.wcets(share, period, recipe.share_limits, recipe.utilization)

    def numbers(purpose: Purpose) -> Floats:
        return draws.uniform(purpose, first, count, recipe.tasks)

    deadline = period
    if recipe.deadlines != "implicit":
        parts = _factors(numbers(Purpose.DEADLINES), recipe.deadline_range)
        slack = np.maximum(period, wcet) - wcet
        deadline = np.minimum(wcet, period) + np.rint(slack * parts).astype(np.uint64)
        if recipe.deadlines == "arbitrary":
            deadline = _times_period(period, parts, 1)
    jitter = offset = np.zeros_like(period)
    if recipe.jitter != (0.0, 0.0):
        jitter = _times_period(period, _factors(numbers(Purpose.JITTER), recipe.jitter), 0)
    if recipe.offsets != "zero":
        offset = np.floor(period * numbers(Purpose.OFFSETS)).astype(np.uint64)
    columns = TaskColumns(wcet, period, deadline, jitter, offset)
    if recipe.priorities == catalogue.DEADLINE_POLICY and recipe.deadlines != "implicit":
        return columns.ordered(np.argsort(deadline, axis=1, kind="stable"))
    if recipe.priorities == "random":
        return columns.ordered(np.argsort(numbers(Purpose.PRIORITIES), axis=1, kind="stable"))
    return columns


_Numbers = Callable[[Purpose], Floats]


def _rates(recipe: RecipeKeys, draws: Draws, first: int, count: int) -> tuple[Ticks, Floats]:
    numbers = draws.uniform(Purpose.PERIODS, first, count, recipe.tasks)
    if recipe.periods != "automotive":
        shortest, longest, grid = recipe.period_range
        if not isinstance(recipe.periods, str):
            drawn = periods.chosen(numbers, tuple(map(recipe.ticks_of, recipe.periods)))
        elif recipe.periods == "harmonic":
            drawn = periods.chosen(numbers, periods.harmonic_chain(shortest, longest, recipe.period_ratio))
        else:
            drawn = _RANGED[recipe.periods](numbers, shortest, longest, grid)
        return drawn, _shares(recipe, draws, first, count)
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


def _factors(numbers: Floats, between: tuple[float, float]) -> Floats:
    """Spread numbers from 0 to below 1 over a range."""
    least, most = between
    return least + (most - least) * numbers


def _times_period(period: Ticks, parts: Floats, least: int) -> Ticks:
    """Return multiples of the periods, each rounded to the nearest tick, at least some ticks."""
    return np.maximum(np.rint(period * parts), least).astype(np.uint64)
