# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Figures 3 and 4 on the kernel, in instructions (S1, 6 and 7.1, 7.2)."""

from __future__ import annotations

import numpy as np
import polars as pl

from studies.common import Claim, Plot, Section, Table, board, new_plot, not_testable, verdict
from studies.common.plots import COLORS, add_legend

ROUNDS = 20_000
"""Iterations of the low job."""
EVERY = {True: (10, 100, 1000), False: (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000, 20_000)}
TIMER_TICKS = {True: (20_000, 200_000), False: (10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000)}
"""Periods of the high job; an instruction takes 6.4 ticks."""
TICKS_PER_INSTRUCTION = 6.4
WAYS = {"point": "points", "yield_flag": "flag read, point if set", "optional": "optional points"}


def run(is_quick: bool) -> Section:
    """Measure, if the board is there."""
    if not board.is_there():
        return Section("On the kernel", board.WHY_NOT, _untested())
    points, pairs = measure_points(EVERY[is_quick]), measure_pairs(TIMER_TICKS[is_quick])
    return Section(
        "On the kernel (Figures 3 and 4)",
        f"Instructions on the emulated mps2-an385. A low job of {ROUNDS:,} iterations does something at every nth: it "
        "counts, as the paper's does under FPPS, reaches a point while no job waits, reads the flag first, or comes "
        "to an optional point. What it costs is the difference to counting. Then the pair of Figure 3: an empty high "
        "job above a preemptive low one, alone, beside a third preemptive task, and beside a limited one.",
        [_space_claim(), _yield_claim(), _missed_claim()],
        [
            Table("board_points", "Response of the low job, in instructions", points),
            Table("board_fit", "Lines through it: instructions for each point, and what is left", fits(points)),
            Table("board_figure_3", "Response of the low job of the pair, in ticks of 40 ns", pairs),
        ],
        [_plot(points)],
    )


def measure_points(every: tuple[int, ...]) -> pl.DataFrame:
    """Measure the low job's response over what it does, and how often."""
    ways = ("counter", *WAYS)
    found = board.measure("points", *(f"{way} {n}" for n in every for way in ways))
    rows = [
        (
            n,
            found[f"counter {n}"]["response"]["second"],
            *(round(found[f"{way} {n}"]["response"]["first"] / TICKS_PER_INSTRUCTION) for way in ways),
        )
        for n in every
    ]
    return pl.DataFrame(rows, schema=["every", "points", *ways], orient="row")


def fits(points: pl.DataFrame) -> pl.DataFrame:
    """Fit a line to each way's overhead over the number of points."""
    return pl.DataFrame(
        [(WAYS[way], *_fit(points, way)) for way in WAYS],
        schema=["way", "instructions", "constant", "residual"],
        orient="row",
    )


def _fit(points: pl.DataFrame, way: str) -> tuple[float, float, float]:
    """Fit one: slope, constant and largest residual."""
    count, overhead = points["points"].to_numpy(), (points[way] - points["counter"]).to_numpy()
    slope, constant = np.polyfit(count, overhead, 1)
    residual = np.abs(overhead - slope * count - constant).max()
    return round(float(slope), 4), round(float(constant), 2), round(float(residual), 2)


def measure_pairs(periods: tuple[int, ...]) -> pl.DataFrame:
    """Measure the pair's low response with each third task, in ticks, so that nothing is rounded."""
    thirds = ("without", "Preemptive", "Limited")
    found = board.measure("points", *(f"{third} {period}" for period in periods for third in thirds))
    rows = [(period, *(found[f"{third} {period}"]["response"]["first"] for third in thirds)) for period in periods]
    return pl.DataFrame(rows, schema=["timer_period", "alone", "beside_preemptive", "beside_limited"], orient="row")


# ---- what other sections say of it ----------------------------------------------------------------------


def largest_difference(is_quick: bool) -> dict[str, float]:
    """Return the instructions by which limited preemption changes the pair's response; nothing without board.

    A reading of the counter rounds to ticks, several of which are an instruction.
    """
    if not board.is_there():
        return {}
    pairs = measure_pairs(TIMER_TICKS[is_quick])
    found = {}
    for name, column in (("alone", "alone"), ("beside", "beside_preemptive")):
        ticks = max(abs(int(value)) for value in pairs["beside_limited"] - pairs[column])
        found[f"kernel_{name}"] = float(round(ticks / TICKS_PER_INSTRUCTION))
    return found


def slopes(is_quick: bool) -> dict[str, float]:
    """Return the instructions of each way, and the largest residual of all lines; nothing without board."""
    if not board.is_there():
        return {}
    lines = fits(measure_points(EVERY[is_quick]))
    by_way = dict(zip((f"kernel_{way}" for way in WAYS), lines["instructions"], strict=True))
    return by_way | {"kernel_residual": float(lines["residual"].max())}  # type: ignore[arg-type]


def _space_claim() -> Claim:
    """Judge what the extension takes."""
    sizes = board.measure("points", "sizes")["sizes"]
    task, cpu = int(sizes["task"]["first"]), int(sizes["processor"]["first"])
    return Claim(
        "S1-23",
        "Section 6",
        "The extension takes two integers in a control block and 106 lines.",
        f"{task} bytes of a task's {int(sizes['task']['second'])} (its preemption key, and what its own key and tie "
        f"would be while it has that) and {cpu} of the processor's record (the flag); a plain thread has none of them.",
        verdict(task <= 24 and cpu <= 4, correction=True),
        "Keys have 64 bits here, and resources use the same two words. Lines added to RTAI have no counterpart. What "
        "it takes in time is in S1-13 and S1-14.",
        {"task": task, "processor": cpu},
    )


def _yield_claim() -> Claim:
    """Judge the yields of threads of one priority."""
    switches = board.measure("interfaces", "yields")["yields"]["yields"]
    with_yields, without = int(switches["first"]), int(switches["second"])
    return Claim(
        "S1-25",
        "Section 3.1",
        "Tasks of equal priority are cooperative and yield to each other.",
        f"Two threads of one priority, 50 rounds each, run in {with_yields} turns if they yield after each round, and "
        f"in {without} if they do not.",
        verdict(with_yields == 100 and without == 2),
        numbers={"turns_with_yields": with_yields, "turns_without": without},
    )


def _missed_claim() -> Claim:
    """Judge what a job learns that comes too late for its next activation."""
    missed = board.measure("interfaces", "missed")["missed"]["missed"]
    return Claim(
        "S1-26",
        "Section 3.2",
        "wait_period tells a task that it missed its next activation.",
        f"Of {missed['second']:.0f} jobs every other one takes one and a half periods; {missed['first']:.0f} times the "
        "call says so.",
        verdict(2 * missed["first"] == missed["second"]),
        numbers={"reported": missed["first"]},
    )


def _untested() -> list[Claim]:
    """Return claims that are not testable, since there is no board."""
    rows = {
        "S1-23": ("Section 6", "The extension takes two integers in a control block and 106 lines."),
        "S1-25": ("Section 3.1", "Tasks of equal priority are cooperative and yield to each other."),
        "S1-26": ("Section 3.2", "wait_period tells a task that it missed its next activation."),
    }
    return [not_testable(id, *row, board.WHY_NOT) for id, row in rows.items()]


def _plot(points: pl.DataFrame) -> Plot:
    """Draw Figure 4 of the kernel."""
    figure, (axes,) = new_plot(height=2.8)
    for way, color in zip(("counter", *WAYS), COLORS, strict=False):
        axes.plot(points["every"].to_list(), points[way].to_list(), marker="o", markersize=4, color=color, linewidth=1,
                  label=WAYS.get(way, "preemptive, counting"))  # fmt: skip
    axes.set(xscale="log", yscale="log", xlabel="iterations between points", ylabel="response (instructions)")
    add_legend(axes)
    return Plot("board_figure_4", "Figure 4 on the kernel: the low job's response", figure)
