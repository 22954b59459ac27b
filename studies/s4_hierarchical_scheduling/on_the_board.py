# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tables III to X on the kernel: instructions of task switch, choice of server, scheduler and tick (S4, VI-B).

The paper's board counts microseconds at 12 MHz, by a timer whose steps are about 10.6 us. Ours counts instructions,
each one. So absolute figures stand beside each other, and what is judged is growth with the number of servers.
"""

from __future__ import annotations

import polars as pl

from studies.common import Claim, Plot, Section, Table, board, new_plot, not_testable, verdict
from studies.common.plots import COLORS, add_legend
from studies.s4_hierarchical_scheduling.systems import PAPER_KINDS

SERVERS = {True: (3, 10, 40, 400), False: (3, 10, 20, 30, 40, 400)}
PHASES = ("task_switch", "choose", "scheduler", "tick", "step")
FLAT = 1.5
"""Means may differ by this factor from 10 to 400 servers, because phases of periods drift differently."""
PAPER_MHZ = 12
_PAPER = [
    ("III", "task_switch", "idling", 3, 10, 10, 10.0),
    ("III", "task_switch", "deferrable", 3, 10, 10, 10.0),
    ("IV", "choose", "idling", 3, 10, 10, 10.0),
    ("IV", "choose", "deferrable", 3, 10, 32, 14.06593),
    ("V", "scheduler", "idling", 3, 10, 53, 12.33666),
    ("V", "scheduler", "deferrable", 3, 10, 42, 13.34865),
    ("VI", "tick", "idling", 3, 32, 74, 37.96903),
    ("VI", "tick", "deferrable", 3, 32, 85, 41.17582),
    ("VII", "scheduler", "idling", 10, 10, 21, 10.0439),
    ("VII", "scheduler", "idling", 20, 10, 32, 10.1538),
    ("VII", "scheduler", "idling", 30, 10, 32, 10.3956),
    ("VII", "scheduler", "idling", 40, 10, 32, 10.3186),
    ("VIII", "scheduler", "deferrable", 10, 10, 53, 25.84),
    ("VIII", "scheduler", "deferrable", 20, 10, 53, 25.8434),
    ("VIII", "scheduler", "deferrable", 30, 10, 53, 27.15),
    ("IX", "tick", "idling", 10, 53, 96, 64.57742),
    ("IX", "tick", "idling", 20, 96, 106, 98.35764),
    ("IX", "tick", "idling", 30, 128, 138, 132.2058),
    ("IX", "tick", "idling", 40, 160, 181, 164.8022),
    ("X", "tick", "deferrable", 10, 106, 128, 126.2574),
    ("X", "tick", "deferrable", 20, 140, 149, 144.5446),
    ("X", "tick", "deferrable", 30, 172, 181, 178.7723),
]
"""Tables III to X: table, phase, kind, servers, and least, most and mean in microseconds."""


def run(is_quick: bool) -> Section:
    """Measure, if the board is there."""
    if not board.is_there():
        return Section("On the kernel", board.WHY_NOT, _untested())
    figures = measure(SERVERS[is_quick], is_together=False)
    together = measure(SERVERS[is_quick], is_together=True)
    return Section(
        "On the kernel (Tables III to X)",
        "Instructions on the emulated mps2-an385, 1000 ticks each, in the build that holds every policy. Three servers "
        "have seven tasks, as in the paper; more of them have one each, but for the first one's, two of which yield to "
        "each other. Periods have four lengths and each server its own offset, so that phases drift. A tick is what "
        "follows the interrupt of the one-shot timer, up to the decision, without the task switch; the scheduler its "
        "steps and decision, of which step is one; choose a decision by which another server runs. Then the same with "
        "all servers replenished together. Between two steps interrupts are open. The shortest ticks "
        "come while a thread is in a pass itself, and end with that.",
        [_structure_claim(figures), _switch_claim(figures), _kinds_claim(figures), _component_claim()],
        [
            Table("board", "Instructions of each phase, each server at its own offset", figures),
            Table("board_together", "The same, all servers replenished at one instant", together),
            Table("board_paper", "Beside the paper's, in microseconds, and in cycles of 12 MHz", beside(figures)),
        ],
        [_plot(figures)],
    )


def measure(servers: tuple[int, ...], is_together: bool) -> pl.DataFrame:
    """Measure all phases for each kind and number of servers."""
    choices = [(kind, n, f"{kind.capitalize() if is_together else kind} {n}") for kind in PAPER_KINDS for n in servers]
    found = board.measure("servers", *(choice for _, _, choice in choices))
    rows = [
        (
            *(phase, kind, n),
            *(found[choice][phase][name] for name in ("least", "most", "mean", "count")),
            *(found[choice]["steps_of_tick"]["second"], found[choice]["server_bytes"]["first"]),
        )
        for phase in PHASES
        for kind, n, choice in choices
    ]
    columns = ["phase", "kind", "servers", "least", "most", "mean", "count", "most_steps_of_a_tick", "server_bytes"]
    return pl.DataFrame(rows, schema=columns, orient="row")


def beside(figures: pl.DataFrame) -> pl.DataFrame:
    """Return our means beside the paper's, for the rows of both."""
    columns = ["table", "phase", "kind", "servers", "paper_min_us", "paper_max_us", "paper_mean_us"]
    paper = pl.DataFrame(_PAPER, schema=columns, orient="row")
    ours = figures.select("phase", "kind", "servers", "least", "most", "mean")
    cycles = (pl.col("paper_mean_us") * PAPER_MHZ).round(0).alias("paper_mean_cycles")
    return paper.with_columns(cycles).join(ours, on=["phase", "kind", "servers"], how="inner", maintain_order="left")


def spread(figures: pl.DataFrame, phase: str, column: str = "mean", least_servers: int = 10) -> float:
    """Return the ratio of the largest to the smallest figure of a phase, the maximum over the kinds.

    Args:
        figures: all of them.
        phase: which.
        column: of the table.
        least_servers: from how many on; with 10 or more each has one task.
    """
    of = figures.filter(pl.col("phase") == phase, pl.col("servers") >= least_servers)
    ranges = of.group_by("kind").agg(ratio=pl.col(column).max() / pl.col(column).min())
    return float(ranges["ratio"].max())  # type: ignore[arg-type]


def tick_growth(is_quick: bool) -> dict[str, float]:
    """Return how mean and longest tick and longest step spread from 10 to 400 servers; none without board."""
    if not board.is_there():
        return {}
    figures = measure(SERVERS[is_quick], is_together=False)
    return {
        "tick_mean": spread(figures, "tick"),
        "tick_most": spread(figures, "tick", "most"),
        "step_most": spread(figures, "step", "most"),
    }


# ---- claims ---------------------------------------------------------------------------------------------


def _range(figures: pl.DataFrame, phase: str, kind: str, column: str = "mean") -> tuple[float, float]:
    """Return the smallest and the largest figure of a phase."""
    of = figures.filter(phase=phase, kind=kind)[column]
    return float(of.min()), float(of.max())  # type: ignore[arg-type]


def _structure_claim(figures: pl.DataFrame) -> Claim:
    """Judge that a switch of servers does not visit the others."""
    least = min(_range(figures, "choose", kind, "least")[0] for kind in PAPER_KINDS)
    most = max(_range(figures, "choose", kind, "most")[1] for kind in PAPER_KINDS)
    bytes_each = int(figures["server_bytes"].max())  # type: ignore[arg-type]
    return Claim(
        "S4-06",
        "Section V-A2",
        "Each server has its own ready and delayed lists, so that a server switch is the change of a pointer.",
        f"A server holds a dispatcher of its own, with ready set and timers, {bytes_each:,} bytes where entities have "
        f"three digits. A decision by which another server runs takes {least:.0f} to {most:.0f} instructions with 3 "
        "to 400 servers.",
        verdict(most < 1.25 * least),
        numbers={"least": least, "most": most, "bytes": bytes_each},
    )


def _switch_claim(figures: pl.DataFrame) -> Claim:
    """Judge that a task switch is constant."""
    ratio = spread(figures, "task_switch", least_servers=3)
    least = min(_range(figures, "task_switch", kind, "least")[0] for kind in PAPER_KINDS)
    means = [_range(figures, "task_switch", kind) for kind in PAPER_KINDS]
    return Claim(
        "S4-15",
        "Section VI-B1, Table III",
        "A task switch takes 10 us, always.",
        f"From the decision to the next thread's first instruction it takes {least:.0f} instructions, on average "
        f"{min(low for low, _ in means):.1f} to {max(high for _, high in means):.1f} with 3 to 400 servers: more only "
        "where an interrupt comes in between.",
        verdict(ratio < 1.05, correction=True),
        "The paper's timer has steps of about 10.6 us (10, 21, 32, 42, 53), so that 10 is the least that it can show.",
        {"least": least, "spread": ratio},
    )


def _kinds_claim(figures: pl.DataFrame) -> Claim:
    """Judge what deferrable servers cost beside idling ones."""
    ratios = {phase: _of_kinds(figures, phase) for phase in ("choose", "scheduler", "tick")}
    return Claim(
        "S4-16",
        "Section VI-B1, Tables IV to VI",
        "Choosing a server, the global scheduler and the tick cost more with deferrable than with idling servers.",
        "Deferrable over idling, least and most ratio of means: "
        + ", ".join(f"{phase} {low:.2f} to {high:.2f}" for phase, (low, high) in ratios.items())
        + ".",
        verdict(ratios["scheduler"][0] > 1 and ratios["tick"][0] > 1 and ratios["choose"][1] < 1.05, correction=True),
        "Scheduler and tick cost more, because more comes at one instant. Choosing costs the same: a deferrable server "
        "without ready tasks is in no ready set here, so no search for one that has any is needed.",
        {f"{phase}_least": least for phase, (least, _) in ratios.items()},
    )


def _of_kinds(figures: pl.DataFrame, phase: str) -> tuple[float, float]:
    """Return the least and the largest ratio of deferrable to idling means of a phase."""
    idling, deferrable = (figures.filter(phase=phase, kind=kind)["mean"] for kind in ("idling", "deferrable"))
    ratios = deferrable / idling
    return float(ratios.min()), float(ratios.max())  # type: ignore[arg-type]


def _component_claim() -> Claim:
    """Judge components: a server and its threads, made and run as one."""
    figures = board.measure("interfaces", "component")["component"]
    jobs, left = ([int(figures[name][of]) for of in ("first", "second")] for name in ("jobs", "left"))
    return Claim(
        "S4-27",
        "Section VII (future work)",
        "Components are integrated as virtual nodes.",
        f"Two components, each a server with a periodic thread, made by one call: {jobs[0]} and {jobs[1]} jobs in 25 "
        f"ms of periods of 10 ms, and {left[0]} and {left[1]} ticks left of budgets of 50,000 and 75,000.",
        verdict(jobs == [3, 3] and 0 < left[0] < 50_000 and left[0] + 20_000 < left[1] < 75_000),
        numbers={"jobs": sum(jobs)},
    )


def _untested() -> list[Claim]:
    """Return claims that are not testable, since there is no board."""
    return [
        not_testable(
            "S4-27", "Section VII (future work)", "Components are integrated as virtual nodes.", board.WHY_NOT
        ),
        not_testable("S4-06", "Section V-A2", "A server switch is the change of a pointer.", board.WHY_NOT),
        not_testable("S4-15", "Section VI-B1, Table III", "A task switch takes 10 us, always.", board.WHY_NOT),
        not_testable("S4-16", "Section VI-B1, Tables IV to VI", "Deferrable servers cost more.", board.WHY_NOT),
    ]


def _plot(figures: pl.DataFrame) -> Plot:
    """Draw mean ticks over the number of servers, ours and the paper's, relative to 10."""
    figure, (axes,) = new_plot(height=3.2)
    paper = [(kind, n, mean) for _, phase, kind, n, _, _, mean in _PAPER if phase == "tick" and n >= 10]
    for kind, color in zip(PAPER_KINDS, COLORS, strict=False):
        of = figures.filter(pl.col("servers") >= 10, phase="tick", kind=kind)
        theirs = [(n, mean) for other, n, mean in paper if other == kind]
        axes.plot(of["servers"].to_list(), [value / of["mean"][0] for value in of["mean"]], marker="o", markersize=4,
                  color=color, linewidth=1, label=f"tick, {kind}")  # fmt: skip
        axes.plot([n for n, _ in theirs], [mean / theirs[0][1] for _, mean in theirs], marker="x", color=color,
                  linewidth=1, linestyle="--", label=f"the paper's tick, {kind}")  # fmt: skip
    axes.set(xscale="log", xlabel="servers", ylabel="relative to 10 servers", ylim=(0, None))
    add_legend(axes)
    return Plot("board_tick", "Mean cost of a tick over the number of servers", figure)
