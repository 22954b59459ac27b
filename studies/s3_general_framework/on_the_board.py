# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Figures 4 to 6 on the kernel: dispatcher, allocator and single module, in instructions (S3, 6.2)."""

from __future__ import annotations

import polars as pl

from studies.common import Claim, Section, Table, board, not_testable, verdict

PAPER_US = {"dispatcher": 35, "allocator": 83, "single module": 25}
"""Averages of the paper, in microseconds."""
SINGLE = {"fp": "fixed priorities, levels", "rm": "rate-monotonic, computed keys"}
FRAMEWORK = {
    "suspend": "rate-monotonic, wcets enforced",
    "dual": "dual-priority",
    "imprecise": "imprecise computation, half of each job mandatory",
}
_ID = ("S3-20", "Section 6.2, Figures 4 to 6")
_PAPER = "Dispatcher 35 us, allocator 83 us, a single-module scheduler 25 us on average."


def run() -> Section:
    """Measure, if the board is there."""
    if not board.is_there():
        return Section("On the kernel", board.WHY_NOT, [not_testable(*_ID, _PAPER, board.WHY_NOT)])
    figures = measure()
    return Section(
        "On the kernel (Figures 4 to 6)",
        "The eleven tasks on the emulated mps2-an385, in instructions, over 1000 interrupts of the timer. A pass is "
        "what the dispatcher does from an event to the decision, without the allocator; an allocator's call is one of "
        "its functions, from core and back, whatever it calls itself; release is the policy's function, which a single "
        "module has in place of an allocator. In each job's share the passes and calls of all events are divided by "
        "the jobs done. A few instructions of the stamps around the allocator stay in the pass.",
        [_claim(figures)],
        [
            Table("board", "Instructions of a call, and of all calls for each job", figures),
            Table("board_paper", "Means beside the paper's: the framework with wcets enforced", beside(figures)),
        ],
    )


def measure() -> pl.DataFrame:
    """Measure passes and calls of each scheduler."""
    releases = [f"{name} 1" for name in SINGLE]
    found = board.measure("allocators", *SINGLE, *FRAMEWORK, *releases)
    rows = [
        (name, what, *_of(found[name], phase), jobs)
        for name, what in (SINGLE | FRAMEWORK).items()
        for jobs in [found[name]["jobs"]["first"]]
        for phase in (("pass",) if name in SINGLE else ("pass", "allocator"))
    ]
    rows += [(name, what, *_of(found[f"{name} 1"], "release"), found[f"{name} 1"]["jobs"]["first"])
             for name, what in SINGLE.items()]  # fmt: skip
    columns = ["scheduler", "what", "phase", "least", "most", "mean", "calls", "jobs"]
    frame = pl.DataFrame(rows, schema=columns, orient="row")
    return frame.with_columns(per_job=(pl.col("mean") * pl.col("calls") / pl.col("jobs")).round(1))


def _of(figures: board.Figures, phase: str) -> tuple[str, float, float, float, float]:
    """Return the name and the figures of a phase."""
    of = figures[phase]
    return phase, of["least"], of["most"], of["mean"], of["count"]


def _value(figures: pl.DataFrame, scheduler: str, phase: str, column: str) -> float:
    """Return one figure."""
    return float(figures.filter(scheduler=scheduler, phase=phase)[column].item())


def _of_job(figures: pl.DataFrame, scheduler: str) -> float:
    """Return the instructions of all passes and calls for each job; the policy's releases are within passes."""
    of = figures.filter(pl.col("phase") != "release", scheduler=scheduler)
    return float(of["per_job"].sum())


def beside(figures: pl.DataFrame) -> pl.DataFrame:
    """Return the means of a call beside the paper's."""
    ours = {
        "dispatcher": _value(figures, "suspend", "pass", "mean"),
        "allocator": _value(figures, "suspend", "allocator", "mean"),
        "single module": _value(figures, "rm", "pass", "mean"),
    }
    rows = [
        (name, paper, paper / PAPER_US["single module"], ours[name], ours[name] / ours["single module"])
        for name, paper in PAPER_US.items()
    ]
    columns = ["part", "paper_us", "paper_of_single", "instructions", "of_single"]
    return pl.DataFrame(rows, schema=columns, orient="row")


def _claim(figures: pl.DataFrame) -> Claim:
    """Judge what the split costs."""
    dispatcher = _value(figures, "suspend", "pass", "mean")
    allocator = _value(figures, "suspend", "allocator", "mean")
    single, levels = (_value(figures, name, "pass", "mean") for name in ("rm", "fp"))
    jobs = {name: _of_job(figures, name) for name in (*SINGLE, *FRAMEWORK)}
    ratio, paper = (dispatcher + allocator) / single, (35 + 83) / 25
    of_job = jobs["suspend"] / jobs["rm"]
    return Claim(
        *_ID,
        _PAPER,
        f"With wcets enforced a pass of the dispatcher takes {dispatcher:.0f} instructions on average and a call of "
        f"the allocator {allocator:.0f}; the single module {single:.0f} with keys and {levels:.0f} with levels."
        f" A call of each is {ratio:.2f} times the single module, in the paper {paper:.2f}. For each job the framework "
        f"takes {jobs['suspend']:.0f}, dual-priority {jobs['dual']:.0f}, imprecise {jobs['imprecise']:.0f}, the single "
        f"module {jobs['rm']:.0f}: {of_job:.2f} times as much with the same policy.",
        verdict(1 < ratio < paper and 1 < of_job < paper, correction=True),
        "That the split costs more holds, by far less: the allocator is a function here and no process, so nothing is "
        "switched or copied, and it is the smaller part.",
        {"dispatcher": dispatcher, "allocator": allocator, "single": single, "ratio": ratio, "ratio_of_job": of_job},
    )
