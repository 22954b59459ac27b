# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The streams that jobs of a task draw from: when they come, and what they execute."""

from __future__ import annotations

import math
from collections.abc import Callable

from takt.base import times
from takt.model.conversion import in_ticks, limited, runs_of, to_ticks
from takt.model.core_input import Stream
from takt.model.distributions import Distribution
from takt.model.tables import Task


def stream_of(distribution: Distribution, least: int, most: int, resolution: str, floor: int = 0) -> Stream:
    """Return the stream of a distribution; its limits are `least` and `most`, or its own ones from `floor` on."""

    def limit(value: int | str | None, default: int) -> int:
        return default if value is None else in_ticks(value, resolution)

    numbers = [
        min(float(times.MAX_TICKS // 2), float(value if isinstance(value, float) else to_ticks(value, resolution)))
        for value in (getattr(distribution, key) for key in distribution.parameters)
    ]
    a, b = (*numbers, 0.0)[:2]
    return Stream(
        distribution.kind, (), a, b, max(floor, limit(distribution.min, least)), limit(distribution.max, most)
    )


def demand_of(task: Task, wcet: int, resolution: str) -> Stream:
    """Return the stream of the jobs' execution times."""
    if isinstance(task.demand, Distribution):
        return stream_of(task.demand, 1, wcet, resolution)
    if task.demand is None:
        return Stream("listed", (limited(runs_of(task, resolution)) or wcet,))
    given = task.demand if isinstance(task.demand, tuple) else (task.demand,)
    return Stream("listed", tuple(in_ticks(value, resolution) for value in given))


def arrivals_of(task: Task, ticks: Callable[[int | str], int], resolution: str) -> Stream | None:
    """Return the stream of arrivals of a task: instants, or separations; None for a periodic one."""
    if task.is_released:
        return Stream("listed", (times.MAX_TICKS,), least=0)  # none of its own: no run is so long
    if task.period is not None:
        return None
    least = 0 if task.min_separation is None else ticks(task.min_separation)
    if task.arrivals is None:
        below = math.nextafter(float(times.MAX_TICKS), 0)  # as float() rounds up to what core refuses
        most = limited(2 * least)
        return Stream("uniform", (), min(float(least), below), min(float(most), below), least, most)
    if isinstance(task.arrivals, Distribution):
        return stream_of(task.arrivals, least, times.MAX_TICKS, resolution, floor=least)
    offset = ticks(task.offset)
    instants = (limited(offset + ticks(instant)) for instant in task.arrivals)
    return Stream("listed", tuple(instants), least=0)
