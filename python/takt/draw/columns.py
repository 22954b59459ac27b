# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Task sets drawn many at once.

A set is a function of recipe, seed and number: how many are drawn together, and from which on, changes none of them.

Shares are rounded to whole ticks, and their sum never exceeds the requested utilization. A set of utilization 1.0 that
rounding moves above 1 is one that no test accepts. So what rounding adds is subtracted, and whether a set is above is
decided exactly, in fractions, where doubles are not exact enough.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import fields
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from takt.base.errors import InputError, Problem, show
from takt.draw import periods, shares
from takt.draw.automotive import RUNNABLES
from takt.draw.draws import Draws, Floats, Purpose, Ticks
from takt.draw.matrices import TaskColumns
from takt.draw.recipe_keys import RecipeKeys
from takt.draw.shares import Limits
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
    wcet = wcets(share, period, recipe.share_limits, recipe.utilization)

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


# ---- whole ticks --------------------------------------------------------------------------------------


_Rows = npt.NDArray[np.bool_]

_CLOSE = 2.0**-48
"""Within this part of the sum, for each of its terms, sums of doubles do not show which one is larger."""

_LESS = 1e-3
"""So much of a tick is left for another round, so that the last bit of a sum never takes a tick too many."""


def wcets(share: Floats, period: Ticks, limits: Limits, total: float) -> Ticks:
    """Round shares to whole ticks so that the utilization of a set is as close to the total as possible, never above.

    From the shortest period to the longest, each wcet is rounded to the nearest tick, within the limits and to at least
    one tick, and what this adds to or takes from the utilization is made up for by the next task. What is left in the
    end is that of the longest period. A set that is above then gives ticks back, the longest period first; below the
    least share only where no other tick is left.

    Args:
        share: of each task of each set, ascending by period; they add up to the total.
        period: likewise, in ticks.
        limits: the least and the greatest share.
        total: what the shares add up to, as it was written.

    Raises:
        InputError: one tick of each task is more than the total.
    """
    lowest = np.maximum(np.ceil(limits[0] * period), 1.0)
    highest = np.maximum(np.floor(limits[1] * period), lowest)
    nearest = _nearest(share, period, lowest, highest)
    for least in (lowest, np.ones_like(lowest)):
        _give_back(nearest, period, least, total)
    if _is_above(nearest, period, total).any():
        message = (
            f"one tick of each of the {share.shape[1]} tasks is more than {show(total)} in some set; "
            "take a finer resolution, longer periods or fewer tasks"
        )
        raise InputError([Problem(message, "conflict", key="utilization")])
    return nearest.astype(np.uint64)


def _nearest(share: Floats, period: Ticks, lowest: Floats, highest: Floats) -> Floats:
    """Round each share to the nearest tick, and make up for it with the next one."""
    wcet = np.empty(share.shape)
    missing = np.zeros(share.shape[0])
    for task in range(share.shape[1]):
        wanted = share[:, task] + missing
        wcet[:, task] = np.clip(np.rint(wanted * period[:, task]), lowest[:, task], highest[:, task])
        missing = wanted - wcet[:, task] / period[:, task]
    return wcet


def _give_back(wcet: Floats, period: Ticks, least: Floats, total: float) -> None:
    """Subtract ticks from the sets above the total, as long as a task has more than its minimum.

    The task with the longest period gives first: its ticks are the smallest part of the utilization.
    """
    is_open = _is_above(wcet, period, total)
    while is_open.any():
        rows = np.flatnonzero(is_open)
        room = wcet[rows] - least[rows]
        chosen = room.shape[1] - 1 - np.argmax(room[:, ::-1] > 0, axis=1)
        most = np.maximum(room[np.arange(len(rows)), chosen], 0.0)
        excess = np.maximum(_sums(wcet[rows], period[rows]) - total, 0.0)
        wcet[rows, chosen] -= np.minimum(np.maximum(np.ceil(excess * period[rows, chosen] - _LESS), 1.0), most)
        is_open[rows] = (most > 0) & _is_above(wcet[rows], period[rows], total)


def _is_above(wcet: Floats, period: Ticks, total: float) -> _Rows:
    """Return which sets are above the total, exactly."""
    sums = _sums(wcet, period)
    margin = _CLOSE * (wcet.shape[1] + 1) * max(1.0, total)
    is_above = sums > total
    exact = Fraction(str(total))
    for row in np.flatnonzero(np.abs(sums - total) <= margin):
        lengths = Counter[int]()  # of tasks with one period at once, which are many
        for ticks, length in zip(map(int, wcet[row]), map(int, period[row]), strict=True):
            lengths[length] += ticks
        is_above[row] = sum((Fraction(ticks, length) for length, ticks in lengths.items()), Fraction(0)) > exact
    return np.asarray(is_above)


def _sums(wcet: Floats, period: Ticks) -> Floats:
    """Add up the utilizations of each set, in the order of its tasks: a set has the same sum beside any others."""
    sums = np.zeros(wcet.shape[0])
    for task in range(wcet.shape[1]):
        sums += wcet[:, task] / period[:, task]
    return sums
