# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The nine trends of Figures 8 to 11, each a function of the sums over the benchmarks (S2, 4.1 to 4.3).

Steps and availability have to change strictly. Fails may stay the same from one CS or I to the next, as there are none
in many configurations, but not everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

import polars as pl

from studies.s2_scheduler_architectures.systems import BESIDE, Scheduler, of_beside, of_software

Trend = Callable[[pl.DataFrame, Scheduler], bool]
"""Says whether a trend holds in the sums, with SoRTS of this timer."""


def find(sums: pl.DataFrame, software: Scheduler = "SoRTS") -> dict[str, bool]:
    """Return for each trend whether it holds."""
    return {name: trend(sums, software) for name, trend in TRENDS.items()}


def _falls(values: Sequence[float]) -> bool:
    """True if each value is below the one before."""
    return all(later < earlier for earlier, later in pairwise(values))


def _rise_loosely(lines: Iterable[Sequence[float]]) -> bool:
    """True if no value of any line is below the one before, and some value is above it."""
    steps = [later - earlier for line in lines for earlier, later in pairwise(line)]
    return min(steps) >= 0 and max(steps) > 0


def _steps_fall_with_cost(sums: pl.DataFrame, software: Scheduler) -> bool:
    return all(map(_falls, of_software(sums, software, "switch_steps").values()))


def _steps_fall_with_interval(sums: pl.DataFrame, software: Scheduler) -> bool:
    return all(map(_falls, zip(*of_software(sums, software, "switch_steps").values(), strict=True)))


def _hardware_below_coprocessor(sums: pl.DataFrame, _: Scheduler) -> bool:
    coprocessor, hardware = (of_beside(sums, name, "switch_steps") for name in BESIDE)
    return all(map(_falls, zip(coprocessor, hardware, strict=True)))


def _both_below_software(sums: pl.DataFrame, software: Scheduler) -> bool:
    least = min(min(values) for values in of_software(sums, software, "switch_steps").values())
    return all(max(of_beside(sums, name, "switch_steps")) < least for name in BESIDE)


def _fails_rise_with_cost(sums: pl.DataFrame, software: Scheduler) -> bool:
    return _rise_loosely(of_software(sums, software, "fails").values())


def _fails_fall_with_interval(sums: pl.DataFrame, software: Scheduler) -> bool:
    columns = zip(*of_software(sums, software, "fails").values(), strict=True)
    return _rise_loosely(column[::-1] for column in columns)


def _no_fails_beside(sums: pl.DataFrame, _: Scheduler) -> bool:
    return not any(sum(of_beside(sums, name, "fails")) for name in BESIDE)


def _availability_falls_in_software(sums: pl.DataFrame, software: Scheduler) -> bool:
    return all(map(_falls, of_software(sums, software, "avail_sched").values()))


def _availability_stays_beside(sums: pl.DataFrame, _: Scheduler) -> bool:
    return all(len(set(of_beside(sums, name, "avail_sched"))) == 1 for name in BESIDE)


TRENDS: dict[str, Trend] = {
    "steps fall with CS": _steps_fall_with_cost,
    "steps fall with I": _steps_fall_with_interval,
    "HaRTS takes fewer steps than Co-SoRTS": _hardware_below_coprocessor,
    "both take fewer steps than SoRTS": _both_below_software,
    "fails rise with CS": _fails_rise_with_cost,
    "fails fall with I": _fails_fall_with_interval,
    "no fails in Co-SoRTS and HaRTS": _no_fails_beside,
    "availability falls with CS in SoRTS": _availability_falls_in_software,
    "availability stays in Co-SoRTS and HaRTS": _availability_stays_beside,
}
