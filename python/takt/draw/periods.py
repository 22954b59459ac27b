# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Periods of tasks, in ticks.

Sources: Emberson, Stafford, Davis, "Techniques for the Synthesis of Multiprocessor Tasksets", WATERS 2010 (log-uniform:
as many tasks in every order of magnitude, rounded down to a grid); Kramer, Ziegenbein, Hamann, WATERS 2015
(automotive). Harmonic periods are the shortest one times powers of a ratio, all powers equally likely: of any two one
divides the other, and they too are spread over the orders of magnitude.
"""

from __future__ import annotations

import numpy as np

from takt.draw.automotive import RUNNABLES
from takt.draw.draws import Floats, Indices, Ticks


def log_uniform(numbers: Floats, shortest: int, longest: int, grid: int) -> Ticks:
    """Return multiples of a grid whose logarithms are uniform.

    Args:
        numbers: from 0 to below 1.
        shortest: a multiple of the grid, >= 1.
        longest: the same.
        grid: what periods are multiples of.
    """
    begin, end = np.log(float(shortest)), np.log(float(longest + grid))
    cells = np.floor(np.exp(begin + numbers * (end - begin)) / grid)
    return np.asarray(np.clip(cells * grid, shortest, longest), dtype=np.uint64)


def uniform(numbers: Floats, shortest: int, longest: int, grid: int) -> Ticks:
    """Return multiples of a grid that are equally likely."""
    cells = (longest - shortest) // grid + 1
    return np.asarray(shortest + np.floor(numbers * cells) * grid, dtype=np.uint64)


def chosen(numbers: Floats, periods: tuple[int, ...]) -> Ticks:
    """Return periods out of a list, each equally likely; a period that is listed twice is twice as likely."""
    return np.array(periods, dtype=np.uint64)[np.floor(numbers * len(periods)).astype(np.intp)]


def harmonic_chain(shortest: int, longest: int, ratio: int) -> tuple[int, ...]:
    """Return the shortest period times the powers of a ratio, up to the longest."""
    chain = [shortest]
    while chain[-1] * ratio <= longest:
        chain.append(chain[-1] * ratio)
    return tuple(chain)


def automotive_kinds(numbers: Floats, has_engine: bool) -> Indices:
    """Return the row of the automotive tables of each task; without an engine none is in step with it."""
    percent = [row.percent for row in RUNNABLES if row.period_ms is not None or has_engine]
    return np.searchsorted(np.cumsum(percent), numbers * sum(percent), side="right")
