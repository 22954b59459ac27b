# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Utilizations of tasks that add up to a total.

Sources: Bini, Buttazzo, "Measuring the Performance of Schedulability Tests", Real-Time Systems 30, 2005 (UUniFast:
uniform over all shares that add up to the total); Davis, Burns, "Priority Assignment for Global Fixed Priority
Pre-emptive Scheduling in Multiprocessor Real-Time Systems", RTSS 2009 (UUniFast-Discard: what has a share above the
limit is drawn again); Emberson, Stafford, Davis, "Techniques for the Synthesis of Multiprocessor Tasksets", WATERS
2010 (RandFixedSum: uniform with limits that are the same for all, drawn at once); Griffin, Bate, Davis, "Generating
Utilization Vectors for the Systematic Evaluation of Schedulability Tests", RTSS 2020 (Dirichlet-Rescale, of the
authors' package).

All but DRS are uniform over what their limits admit. DRS is not, as its authors found later and say in their package:
it is here to repeat studies that used it. With limits uunifast-discard and fixed-sum have the same distribution; the
one costs more the fewer draws fit, the other n^2 steps for each set.
"""

from __future__ import annotations

import random
import warnings
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from takt.draw.automotive import ABOVE_MAX, RUNNABLES
from takt.draw.draws import Draws, Floats, Indices, Purpose

Limits = tuple[float, float]
"""The least and the greatest share that a task may have."""


def uunifast(numbers: Floats, total: float) -> Floats:
    """Return shares that are uniform over all that add up to the total.

    Args:
        numbers: n - 1 from 0 to below 1 for each set.
        total: what n shares add up to.
    """
    count, width = numbers.shape
    exponents = 1.0 / np.arange(width, 0, -1)
    rest = np.empty((count, width + 2))
    rest[:, 0] = total
    rest[:, 1:-1] = total * np.cumprod((1.0 - numbers) ** exponents, axis=1)
    rest[:, -1] = 0.0
    return rest[:, :-1] - rest[:, 1:]


def uunifast_discard(draws: Draws, first: int, count: int, tasks: int, total: float, limits: Limits) -> Floats:
    """Draw by UUniFast above the least shares until none is above the most."""
    least, most = limits
    shares = np.empty((count, tasks))
    is_open: NDArray[np.bool_] = np.ones(count, dtype=np.bool_)
    attempt = 0
    while is_open.any():
        numbers = draws.uniform(Purpose.SHARES, first, count, tasks - 1, attempt)[is_open]
        shares[is_open] = least + uunifast(numbers, total - tasks * least)
        is_open = np.asarray((shares > most).any(axis=1))
        attempt += 1
    return shares


def fixed_sum(draws: Draws, first: int, count: int, tasks: int, total: float, limits: Limits) -> Floats:
    """Draw uniformly from all shares between the limits that add up to the total.

    The part of a unit cube in which coordinates have one sum is cut into simplices: a walk through the table of their
    volumes chooses one, and the rest of the numbers a point in it.
    """
    least, most = limits
    width = most - least
    if tasks == 1 or width == 0:
        return np.full((count, tasks), total / tasks)
    wanted = min(max((total - tasks * least) / width, 0.0), float(tasks))
    numbers = draws.uniform(Purpose.SHARES, first, count, 3 * tasks - 2)
    paths, places, order = np.split(numbers, (tasks - 1, 2 * tasks - 2), axis=1)
    points = _walk(paths, places, wanted)
    mixed = np.take_along_axis(points, np.argsort(order, axis=1), axis=1)
    return np.clip(least + width * mixed, least, most)


def _walk(paths: Floats, places: Floats, wanted: float) -> Floats:
    """Choose a simplex and a point in it; return coordinates with the wanted sum."""
    count, tasks = paths.shape[0], paths.shape[1] + 1
    up = _chances(tasks, wanted)
    ones = np.full(count, min(int(wanted), tasks - 1))
    rest = np.full(count, wanted)
    added, scale = np.zeros(count), np.ones(count)
    points = np.empty((count, tasks))
    for column, left in enumerate(range(tasks - 1, 0, -1)):
        goes_up = (paths[:, column] < up[left - 1, ones]).astype(np.float64)
        part = places[:, column] ** (1.0 / left)
        added += (1.0 - part) * scale * rest / (left + 1)
        scale *= part
        points[:, column] = added + scale * goes_up
        rest -= goes_up
        ones -= goes_up.astype(ones.dtype)
    points[:, -1] = added + scale * rest
    return points


@lru_cache(maxsize=4)
def _chances(tasks: int, wanted: float) -> Floats:
    """Tabulate with which probability the walk goes up, by dimension and by how many coordinates are still to be 1.

    Only ratios of volumes count, so the first is the greatest double. Up to a thousand tasks those that are too small
    for a double all the same are beside one that outweighs them by more than e^15: the walk then takes the one way.
    """
    whole = min(int(wanted), tasks - 1)
    above = wanted - np.arange(whole, whole - tasks, -1)
    below = np.arange(whole + tasks, whole, -1) - wanted
    volumes = np.zeros(tasks + 1)
    volumes[1] = np.finfo(np.float64).max
    chances = np.zeros((tasks - 1, tasks))
    for size in range(2, tasks + 1):
        from_above = volumes[1 : size + 1] * above[:size] / size
        from_below = volumes[:size] * below[tasks - size : tasks] / size
        volumes[1 : size + 1] = from_above + from_below
        both = volumes[1 : size + 1] + np.finfo(np.float64).tiny
        is_low = below[tasks - size : tasks] > above[:size]
        chances[size - 2, :size] = np.where(is_low, from_below / both, 1.0 - from_above / both)
    return chances


def dirichlet_rescale(draws: Draws, first: int, count: int, tasks: int, total: float, limits: Limits) -> Floats:
    """Draw by the authors' package, set by set, which takes its numbers from Python's generator."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # what it says stands in CAVEATS.md
        from drs import drs
    (least, most), sets = limits, []
    before = random.getstate()
    try:
        for seed in draws.words(Purpose.SHARES, first, count, 1)[:, 0].tolist():
            random.seed(seed)
            sets.append(drs(tasks, total, [most] * tasks, [least] * tasks))
        return np.array(sets)
    finally:
        random.setstate(before)


def automotive(draws: Draws, first: int, kinds: Indices, periods_ms: Floats, total: float, runnables: int) -> Floats:
    """Draw worst-case execution times of runnables and scale them until their utilizations add up to the total.

    Args:
        draws: where numbers come from.
        first: number of the first set.
        kinds: which row of the tables each task of each set is.
        periods_ms: of each task of each set.
        total: what the shares add up to.
        runnables: how many a task has.
    """
    count, tasks = kinds.shape
    numbers = draws.uniform(Purpose.SHARES, first, count, 2 * tasks * runnables).reshape(count, 2, runnables, tasks)
    rows = [(row.acet_us[0], row.scale_us, row.shape, *row.wcet_factors) for row in RUNNABLES]
    least, scale, shape, low, high = (column[kinds][:, np.newaxis] for column in np.array(rows, dtype=np.float64).T)
    average = least + scale * (-np.log1p(-numbers[:, 0] * (1.0 - ABOVE_MAX))) ** (1.0 / shape)
    worst = average * (low + (high - low) * numbers[:, 1])
    weights = worst.sum(axis=1) / periods_ms
    return np.asarray(total * weights / weights.sum(axis=1, keepdims=True), dtype=np.float64)
