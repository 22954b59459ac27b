# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Rounds shares to whole ticks; their sum never exceeds the requested utilization.

A set of utilization 1.0 that rounding moves above 1 is one that no test accepts. So what rounding adds is subtracted,
and whether a set is above is decided exactly, in fractions, where doubles are not exact enough.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from takt.base.errors import InputError, Problem, show
from takt.draw.draws import Floats, Ticks
from takt.draw.shares import Limits

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
        is_above[row] = _exact_sum(wcet[row], period[row]) > exact
    return np.asarray(is_above)


def _sums(wcet: Floats, period: Ticks) -> Floats:
    """Add up the utilizations of each set, in the order of its tasks: a set has the same sum beside any others."""
    sums = np.zeros(wcet.shape[0])
    for task in range(wcet.shape[1]):
        sums += wcet[:, task] / period[:, task]
    return sums


def _exact_sum(wcet: Floats, period: Ticks) -> Fraction:
    """Add up the utilizations of one set; of tasks with one period at once, which are many."""
    by_period: dict[int, int] = {}
    for length, ticks in zip(map(int, period), map(int, wcet), strict=True):
        by_period[length] = by_period.get(length, 0) + ticks
    return sum((Fraction(ticks, length) for length, ticks in by_period.items()), Fraction(0))
