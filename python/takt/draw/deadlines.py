# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Relative deadlines, jitters and offsets of tasks, in ticks, each rounded to the nearest one."""

from __future__ import annotations

import numpy as np

from takt.draw.draws import Floats, Ticks

Range = tuple[float, float]
"""The least and the greatest factor; all between are equally likely."""


def factors(numbers: Floats, between: Range) -> Floats:
    """Spread numbers from 0 to below 1 over a range."""
    least, most = between
    return least + (most - least) * numbers


def constrained(wcets: Ticks, periods: Ticks, parts: Floats) -> Ticks:
    """Return deadlines between wcet and period: the wcet and a part of the rest of the period."""
    slack = np.maximum(periods, wcets) - wcets
    return np.minimum(wcets, periods) + np.rint(slack * parts).astype(np.uint64)


def times_period(periods: Ticks, parts: Floats, least: int) -> Ticks:
    """Return multiples of the periods, at least some ticks."""
    return np.maximum(np.rint(periods * parts), least).astype(np.uint64)
