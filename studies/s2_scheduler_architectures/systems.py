# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The benchmarks, the three architectures under the paper's names, and the sweep that Figures 8 to 11 are made of.

The paper names classes of applications and no task sets: these are ours. Prime execution times keep completions from
coinciding with ticks. A tick is 1 us. CS is the cost of a whole sequence of four switch steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import polars as pl
import takt

from studies.common import total

SECOND = 1_000_000
HORIZON = 10 * SECOND
COSTS = (25, 50, 75, 100)
INTERVALS = (250, 400, 500)

Tasks = tuple[tuple[int, int], ...]
Scheduler = Literal["SoRTS", "SoRTS-fixed", "Co-SoRTS", "HaRTS"]
Configuration = tuple[Scheduler, int | None, int]
"""Scheduler, interval, CS."""

BENCHMARKS: dict[str, Tasks] = {
    "B1-control": ((2000, 307), (4000, 709), (8000, 1409), (10000, 1511)),
    "B2-multimedia": ((10000, 3001), (20000, 5003), (40000, 8009), (80000, 8011)),
    "B3-comm": ((1000, 151), (3000, 503), (5000, 907), (20000, 3001)),
    "B4-mixed": ((5000, 1499), (10000, 3001), (20000, 2999), (40000, 5987)),
    "B5-offgrid": ((1850, 353), (4700, 907), (9300, 1709), (21100, 4001)),
}
"""Period and execution time of each task; the deadline is the period."""

SOFTWARE: tuple[Scheduler, ...] = ("SoRTS", "SoRTS-fixed")
BESIDE: tuple[Scheduler, ...] = ("Co-SoRTS", "HaRTS")

CONFIGURATIONS: list[Configuration] = [
    *((name, interval, cost) for name in SOFTWARE for interval in INTERVALS for cost in COSTS),
    *((name, None, cost) for name in BESIDE for cost in COSTS),
]
"""Those of the paper's experiments; the timer of SoRTS is re-armed, or its ticks are fixed."""


def platform(scheduler: Scheduler, interval: int | None, cost: int) -> takt.Platform:
    """Return the platform of an architecture."""
    match scheduler:
        case "SoRTS":
            return takt.Platform(model="software", context_switch=cost, interval=interval, timer="rearm")
        case "SoRTS-fixed":
            return takt.Platform(model="software", context_switch=cost, interval=interval, timer="fixed")
        case "Co-SoRTS":
            return takt.Platform(model="coprocessor", context_switch=cost)
        case "HaRTS":
            return takt.Platform(model="hardware", context_switch=cost)


def system(tasks: Tasks, architecture: takt.Platform, policy: str = "rm") -> takt.System:
    """Return a system of periodic tasks."""
    made = [takt.Task(name=f"T{n}", period=period, wcet=wcet) for n, (period, wcet) in enumerate(tasks, 1)]
    return takt.System(resolution="1us", policy=policy, tasks=made, platform=architecture)


def run_counted(made: takt.System, horizon: int) -> takt.Result:
    """Run a system, and keep the counts only."""
    return takt.simulate(made, horizon, segments=False, jobs=False)


def figures(result: takt.Result) -> takt.Architecture:
    """Return the cost of the architecture."""
    assert result.architecture is not None
    return result.architecture


@dataclass(frozen=True)
class Choices:
    """Choices that the paper leaves open, or that may be varied.

    Args:
        policy: what orders the jobs.
        cost_factor: what CS is multiplied by: 1 if CS is the cost of the whole sequence, 4 if it is that of a step.
        rounding: execution times are rounded to multiples of this.
    """

    policy: str = "rm"
    cost_factor: int = 1
    rounding: int = 1


def sweep(choices: Choices | None = None) -> pl.DataFrame:
    """Run all benchmarks under all configurations, one row for each."""
    chosen = choices or Choices()
    rows = [
        (benchmark, *configuration, *_counts(_made(tasks, configuration, chosen)))
        for benchmark, tasks in BENCHMARKS.items()
        for configuration in CONFIGURATIONS
    ]
    return pl.DataFrame(rows, schema=["benchmark", *KEYS, *_COUNTS], orient="row")


KEYS = ("scheduler", "interval_us", "cs_us")
_SUMS = ("switch_steps", "dispatches", "fails", "finished", "jobs")
_SHARES = ("avail_sched", "avail_net")
_COUNTS = (*_SUMS, *_SHARES, "max_start_jitter_us")


def _made(tasks: Tasks, configuration: Configuration, chosen: Choices) -> takt.System:
    """Return the system of one row."""
    scheduler, interval, cost = configuration
    step = chosen.rounding
    rounded = tuple((period, round(wcet / step) * step) for period, wcet in tasks)
    return system(rounded, platform(scheduler, interval, chosen.cost_factor * cost), chosen.policy)


def _counts(made: takt.System) -> tuple[int | float, ...]:
    """Run a system for 10 s and count."""
    result = run_counted(made, HORIZON)
    found = figures(result)
    jobs = (total(result, "finished"), total(result, "released"))
    shares = (float(found.avail_sched), float(found.avail_net))
    return (found.switch_steps, found.dispatches, found.fails, *jobs, *shares, found.max_start_jitter)


def summed(runs: pl.DataFrame) -> pl.DataFrame:
    """Sum over the benchmarks, one row for each configuration; shares are means, the jitter is the largest."""
    sums, means = pl.col(_SUMS).sum(), pl.col(_SHARES).mean()
    return runs.group_by(KEYS, maintain_order=True).agg(sums, means, pl.col("max_start_jitter_us").max())


def of_software(sums: pl.DataFrame, scheduler: Scheduler, column: str) -> dict[int, list[float]]:
    """Return a column of a scheduler in software by interval; each list is over growing CS."""
    return {
        interval: sums.filter(scheduler=scheduler, interval_us=interval).sort("cs_us")[column].to_list()
        for interval in INTERVALS
    }


def of_beside(sums: pl.DataFrame, scheduler: Scheduler, column: str) -> list[float]:
    """Return a column of a scheduler beside the processor over growing CS."""
    return sums.filter(scheduler=scheduler).sort("cs_us")[column].to_list()
