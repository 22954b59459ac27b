# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Cost of the number of servers, in counts (S4, VI-B: Tables III to X, in which the paper has microseconds).

Counted are decisions and the scheduler's steps, each of which is a constant amount of work (one timer is handled or
moved), from the trace. In the paper a tick handler runs every millisecond, whether there is something to do or not.
"""

from __future__ import annotations

import statistics
import struct
import tempfile
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl
import takt

from studies.common import Claim, Plot, Section, Table, new_plot, verdict
from studies.common.plots import COLORS, add_legend
from studies.s4_hierarchical_scheduling import on_the_board
from studies.s4_hierarchical_scheduling.systems import PAPER_KINDS

SERVERS = {True: (10, 20, 40, 400), False: (10, 20, 30, 40, 400, 4000)}
PERIOD_PER_SERVER = 5
ROUNDS = 12
PAPER_TICK_US = {10: 64.57742, 20: 98.35764, 30: 132.2058, 40: 164.8022}
"""Table IX: mean cost of the tick handler with idling servers."""

TIMED_DECISIONS = 200_000
TIMED_RUNS = 3
_STEPS = 5
_DECISION = 16
_RECORD = np.dtype([("now", "<u8"), ("value", "<u8"), ("entity", "<u4"), ("sequence", "<u4"), ("kind", "u1"),
                    ("cpu", "u1"), ("reserved", "<u2"), ("job", "<u4")])  # fmt: skip


def run(is_quick: bool) -> Section:
    """Count, and in a full run take the time, too."""
    counts = count_work(SERVERS[is_quick])
    tables = [Table("cost", "Work over the number of servers", counts)]
    if not is_quick:
        tables.append(Table("time", "Time of a decision on this machine (differs from run to run)", take_times()))
    return Section(
        "The number of servers",
        f"n servers with Q = 1 and P = {PERIOD_PER_SERVER} n, each with one task of C = 1 and T = 3 P, so that events "
        f"come as often whatever n is; {ROUNDS} periods. An event is a replenishment, a release, a completion or an "
        "exhausted budget, as far as it led to a call of the scheduler.",
        [_growth_claim(counts, on_the_board.tick_growth(is_quick)), _complexity_claim(counts)],
        tables,
        [_plot(counts)],
    )


def many_servers(count: int, kind: str) -> takt.System:
    """Return a system of many servers with one task each."""
    period = PERIOD_PER_SERVER * count
    servers = [takt.Server(name=f"S{n}", period=period, budget=1, priority=n, kind=kind) for n in range(count)]
    tasks = [takt.Task(name=f"T{n}", server=f"S{n}", period=3 * period, wcet=1) for n in range(count)]
    return takt.System(servers=servers, tasks=tasks)


def count_work(counts: tuple[int, ...]) -> pl.DataFrame:
    """Count decisions and steps for each kind and number of servers."""
    rows = [(kind, count, *_count(many_servers(count, kind), count)) for kind in PAPER_KINDS for count in counts]
    frame = pl.DataFrame(
        rows, schema=["kind", "servers", "ticks", "replenishments", "decisions", "steps"], orient="row"
    )
    return frame.with_columns(
        decisions_per_tick=pl.col("decisions") / pl.col("ticks"),
        steps_per_replenishment=pl.col("steps") / pl.col("replenishments"),
    )


def _count(system: takt.System, count: int) -> tuple[int, int, int, int]:
    """Run a system and read the trace."""
    horizon = ROUNDS * PERIOD_PER_SERVER * count
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.takt"
        takt.simulate(system, horizon, segments=False, jobs=False, budgets=False, trace=path)
        records = read_records(path)
    steps = int(records["value"][records["kind"] == _STEPS].sum())
    return horizon, ROUNDS * count, int((records["kind"] == _DECISION).sum()), steps


def read_records(path: Path) -> npt.NDArray[np.void]:
    """Read the records of a trace file (docs/trace-format.md)."""
    data = path.read_bytes()
    (length,) = struct.unpack_from("<I", data, 12)
    return np.frombuffer(data, _RECORD, offset=-(-(16 + length) // 32) * 32)


def take_times() -> pl.DataFrame:
    """Return the times of a decision, each the median of some runs of as many decisions."""
    rows = [(kind, count, _nanoseconds(many_servers(count, kind), count)) for kind in PAPER_KINDS
            for count in SERVERS[False]]  # fmt: skip
    return pl.DataFrame(rows, schema=["kind", "servers", "ns_per_decision"], orient="row")


def _nanoseconds(system: takt.System, count: int) -> float:
    """Return the time of a decision in one system."""
    times = []
    for _ in range(TIMED_RUNS):
        start = time.perf_counter_ns()
        result = takt.simulate(system, 3 * TIMED_DECISIONS, segments=False, jobs=False, budgets=False, points=False)
        times.append((time.perf_counter_ns() - start) / result.decisions)
    return statistics.median(times)


def spread(counts: pl.DataFrame, column: str) -> float:
    """Return how much a column grows from the fewest to the most servers, the maximum over the kinds."""
    growth = counts.group_by("kind", maintain_order=True).agg(growth=pl.col(column).last() / pl.col(column).first())
    return float(growth["growth"].max())  # type: ignore[arg-type]


def _on_the_kernel(kernel: dict[str, float]) -> str:
    """Return the spread of ticks on the kernel."""
    if not kernel:
        return ""
    return (
        f" On the kernel, from 10 to 400 servers, the mean tick stays within a factor of {kernel['tick_mean']:.2f} and "
        f"the longest step within {kernel['step_most']:.2f}; the longest tick spreads by {kernel['tick_most']:.1f}."
    )


def _growth_claim(counts: pl.DataFrame, kernel: dict[str, float]) -> Claim:
    """Judge how cost grows with the number of servers."""
    decisions, steps = spread(counts, "decisions_per_tick"), spread(counts, "steps_per_replenishment")
    least, most = int(counts["servers"].min()), int(counts["servers"].max())  # type: ignore[arg-type]
    paper = PAPER_TICK_US[40] / PAPER_TICK_US[10]
    is_flat = not kernel or max(kernel["tick_mean"], kernel["step_most"]) < on_the_board.FLAT
    return Claim(
        "S4-17",
        "Section VI-B2, Tables VII to X",
        "The cost of a tick grows with the number of servers, by 3.3 us for each (64.6 us with 10, 164.8 us with 40 "
        "idling servers); the global scheduler's is nearly flat.",
        f"From {least} to {most:,} servers decisions per tick grow by a factor of {decisions:.2f} and steps per "
        f"replenishment by {steps:.2f}; from 10 to 40 the paper's tick grows by {paper:.2f}.{_on_the_kernel(kernel)}",
        verdict(decisions < 1.5 and steps < 6 and is_flat, correction=True),
        "The growth is that of the paper's tick handler, not of hierarchical scheduling: here nothing is done in a "
        "tick without an event, and an event does not visit the other servers. What grows is the longest tick: when "
        "the wheel of timers reaches a row, it moves all timers of that row, one in each step, with interrupts open "
        "in between.",
        {"growth_decisions": decisions, "growth_steps": steps, "growth_paper_10_to_40": paper, **kernel},
    )


def _complexity_claim(counts: pl.DataFrame) -> Claim:
    """Judge the complexities."""
    steps = spread(counts, "steps_per_replenishment")
    factor = int(counts["servers"].max()) / int(counts["servers"].min())  # type: ignore[arg-type]
    return Claim(
        "S4-18",
        "Section VI-C",
        "Fetching the highest server is O(1) and inserting one O(m) in m servers; fetching the highest task is O(n) in "
        "n priorities and inserting one O(1).",
        f"With {factor:.0f} times as many servers a replenishment takes {steps:.2f} times as many steps.",
        verdict(steps < 6, correction=True),
        "No operation is O(m) or O(n) here: fixed priorities are lists under a bitmap, computed keys a heap, and "
        "timers a radix wheel, whose steps per timer grow with the digits of time and order.",
        {"servers_factor": factor, "steps_factor": steps},
    )


def _plot(counts: pl.DataFrame) -> Plot:
    """Draw growth, beside that of the paper's tick handler."""
    figure, (axes,) = new_plot(height=3.2)
    for (kind,), group in counts.group_by("kind", maintain_order=True):
        values = [value / group["steps_per_replenishment"][0] for value in group["steps_per_replenishment"]]
        color = COLORS[PAPER_KINDS.index(str(kind))]
        axes.plot(group["servers"].to_list(), values, marker="o", markersize=4, color=color, linewidth=1,
                  label=f"steps per replenishment, {kind}")  # fmt: skip
    paper = [value / PAPER_TICK_US[10] for value in PAPER_TICK_US.values()]
    axes.plot(list(PAPER_TICK_US), paper, marker="x", color="0.4", linewidth=1, label="the paper's tick (Table IX)")
    axes.set(xscale="log", xlabel="servers", ylabel="relative to 10 servers", ylim=(0, None))
    add_legend(axes)
    return Plot("cost", "Work per event over the number of servers", figure)
