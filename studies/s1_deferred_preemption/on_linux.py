# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Figure 4 under Linux: what a preemption point costs, by the number of points (S1, 7.2).

linux/bench/papers.py measured linux.csv in the emulated Linux, which needs a minute; it is read here.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from studies.common import Plot, Section, Table, new_plot
from studies.common.plots import COLORS, add_legend

NS_PER_INSTRUCTION = 4
WAYS = {"point": "a point of libtakt: the should-yield word", "call": "a system call"}
SCHEDULERS = {"fair": "fair class", "takt": "Takt"}


def run() -> Section:
    """Show what was measured."""
    measured = times()
    return Section(
        "Under Linux (Figure 4)",
        "A thread of the emulated Linux 6.18.15 (4 ns an instruction) counts to 20,000 and is at a point at every nth "
        "count, while no other job waits. A point of libtakt reads a word that the scheduler in the kernel writes; "
        "a scheduler without that word is called at each point. What a point costs is the difference to counting. "
        "`linux/bench/papers.py points` measures again.",
        [],
        [
            Table("linux_points", "Time of the job, in ns", measured),
            Table(
                "linux_fit", "Lines through it: ns and instructions for each point, and what is left", fits(measured)
            ),
        ],
        [_plot(measured)],
    )


def times() -> pl.DataFrame:
    """Read the time of the job by scheduler, way and number of points."""
    return pl.read_csv(Path(__file__).with_name("linux.csv"))


def fits(measured: pl.DataFrame) -> pl.DataFrame:
    """Fit a line to the overhead of each way over the number of points."""
    rows = []
    for scheduler in SCHEDULERS:
        of = measured.filter(scheduler=scheduler)
        counted = of.filter(way="counter")["ns"].to_numpy()
        for way, text in WAYS.items():
            own = of.filter(way=way)
            count, overhead = own["points"].to_numpy(), own["ns"].to_numpy() - counted
            slope, constant = np.polyfit(count, overhead, 1)
            residual = np.abs(overhead - slope * count - constant).max()
            figures = (float(slope), float(slope) / NS_PER_INSTRUCTION, float(residual))
            rows.append((scheduler, way, text, *(round(figure, 1) for figure in figures)))
    return pl.DataFrame(rows, schema=["scheduler", "way", "what", "ns", "instructions", "residual_ns"], orient="row")


def _plot(measured: pl.DataFrame) -> Plot:
    """Draw Figure 4 of Linux."""
    figure, (axes,) = new_plot(height=2.8)
    lines = [("takt", way, text) for way, text in ({"counter": "counting"} | WAYS).items()]
    for (scheduler, way, text), color in zip(lines, COLORS, strict=False):
        own = measured.filter(scheduler=scheduler, way=way)
        axes.plot(own["every"].to_list(), (own["ns"] / 1e6).to_list(), marker="o", markersize=4, color=color,
                  linewidth=1, label=text)  # fmt: skip
    axes.set(xscale="log", yscale="log", xlabel="counts between points", ylabel="response (ms)")
    add_legend(axes)
    return Plot("linux_figure_4", "Figure 4 under Linux: the response of the job under Takt", figure)
