# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The negative control: with deadlines of about two intervals a longer interval makes more fails (S2, 4.1)."""

from __future__ import annotations

import polars as pl

from studies.common import Claim, Plot, Section, Table, new_plot, verdict
from studies.common.plots import COLORS, add_legend
from studies.s2_scheduler_architectures.systems import (
    BESIDE,
    INTERVALS,
    SECOND,
    SOFTWARE,
    Scheduler,
    figures,
    platform,
    run_counted,
    system,
)

TASKS = ((450, 40), (900, 80), (5000, 400))
COST = 25
STEP = {True: 50, False: 10}


def run(is_quick: bool) -> Section:
    """Count fails over the interval."""
    swept = range(100, 601, STEP[is_quick])
    frame = pl.DataFrame(
        [(name, interval, fails(name, interval)) for name in SOFTWARE for interval in swept],
        schema=["scheduler", "interval_us", "fails"], orient="row",
    )  # fmt: skip
    return Section(
        "Very short deadlines",
        f"A negative control of the interval trend: (450, 40), (900, 80), (5000, 400), CS {COST}, 1 s. A release may "
        "wait an interval until it is seen, so that a deadline below about two intervals is at risk however little "
        "time the scheduler takes.",
        [_claim()],
        [Table("short_deadlines", "Fails over the interval", frame)],
        [_plot(frame)],
    )


def fails(scheduler: Scheduler, interval: int | None) -> int:
    """Count the fails of one run."""
    return figures(run_counted(system(TASKS, platform(scheduler, interval, COST)), SECOND)).fails


def _claim() -> Claim:
    """Judge what longer intervals do to short deadlines."""
    software = [fails("SoRTS", interval) for interval in INTERVALS]
    fixed = [fails("SoRTS-fixed", interval) for interval in INTERVALS]
    beside = [fails(name, None) for name in BESIDE]
    return Claim(
        "S2-15",
        "Section 4.1",
        "A longer interval makes more jitter, so that some tasks may not have the correct result in the correct time.",
        f"Fails at I = 250 / 400 / 500: {' / '.join(map(str, software))} re-armed, {' / '.join(map(str, fixed))} with "
        f"fixed ticks; {beside[0]} in Co-SoRTS and {beside[1]} in HaRTS.",
        verdict(software == sorted(set(software)) and not any(beside)),
        "So the trend of Figure 10, fewer fails with a longer interval, is one of the deadlines of the benchmarks.",
        {f"fails_{i}": count for i, count in zip(INTERVALS, software, strict=True)} | {"fails_beside": sum(beside)},
    )


def _plot(frame: pl.DataFrame) -> Plot:
    """Draw fails over the interval."""
    figure, (axes,) = new_plot(height=2.6)
    for color, name in zip(COLORS, SOFTWARE, strict=False):
        own = frame.filter(scheduler=name)
        axes.plot(own["interval_us"].to_list(), own["fails"].to_list(), color=color, linewidth=1.1, label=name)
    axes.set(xlabel="interval (us)", ylabel="fails in 1 s")
    add_legend(axes)
    return Plot("short_deadlines", "Short deadlines: fails over the interval", figure)
