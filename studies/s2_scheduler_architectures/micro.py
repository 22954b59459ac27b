# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Figures 1 and 2 as traces of three tasks, and what the schedulers do in them (S2, 1 and 3)."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import polars as pl
import takt

from studies.common import Claim, Plot, Section, Table, golden, new_plot, verdict
from studies.common.plots import COLORS, INK
from studies.s2_scheduler_architectures.systems import BENCHMARKS, SECOND, Scheduler, figures, platform, system

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HORIZON = 8000
COST = 100
INTERVAL = 500
TASKS = ((1000, 200), (2000, 500), (4000, 900))
GOLDEN: dict[Scheduler, str] = {"SoRTS": "rts_sorts_micro", "Co-SoRTS": "rts_cosorts_micro", "HaRTS": "rts_harts_micro"}
_LANE = 0.6

Row = tuple[int, int, str]
Runs = dict[Scheduler, takt.Result]


def run() -> Section:
    """Run the three."""
    runs = {name: run_micro(name) for name in GOLDEN}
    return Section(
        "Three traces",
        f"T1 (T 1000, C 200), T2 (2000, 500) and T3 (4000, 900) under RM, 8 ms, CS {COST}, I {INTERVAL}, 20 us to the "
        "co-processor; in us. Arrows are releases; black is the kernel: entries of the scheduler in SoRTS, switches to "
        "a task in the others. A switch to idle costs the same and is not drawn.",
        [_software_claim(runs), _coprocessor_claim(runs), _hardware_claim(runs), _queues_claim()],
        [Table("micro", "The three traces in numbers", _summary(runs))],
        [
            _plot("figure_1", "Figure 1: scheduler in software, SoRTS", runs["SoRTS"]),
            _plot("figure_2", "Figure 2: scheduler on a co-processor, Co-SoRTS", runs["Co-SoRTS"]),
            _plot("figure_2_harts", "Figure 2: scheduler in hardware, HaRTS", runs["HaRTS"]),
        ],
    )


def run_micro(scheduler: Scheduler) -> takt.Result:
    """Run the three tasks."""
    return takt.simulate(system(TASKS, platform(scheduler, INTERVAL, COST)), HORIZON)


def differences(scheduler: Scheduler, result: takt.Result) -> int:
    """Count the rows that differ from the golden trace, neighbours merged in both."""
    found = _merged(result.segments.select("start", "end", "task").rows() + result.kernel_segments.rows())
    expected = _merged([(int(row["start"]), int(row["end"]), row["task"]) for row in golden(GOLDEN[scheduler])])
    return len(set(found) ^ set(expected))


def _merged(rows: list[Row]) -> list[Row]:
    """Sort segments and merge neighbours; golden traces are cut at releases."""
    joined: list[Row] = []
    for start, end, what in sorted(rows):
        if joined and joined[-1][1:] == (start, what):
            start = joined.pop()[0]
        joined.append((start, end, what))
    return joined


def needless(result: takt.Result) -> int:
    """Count the kernel segments before and after which the same job runs, without a pause."""
    jobs = {start: (task, job) for start, task, job in result.segments.select("start", "task", "job").iter_rows()}
    ends = {end: (task, job) for end, task, job in result.segments.select("end", "task", "job").iter_rows()}
    kernel = result.kernel_segments.select("start", "end").iter_rows()
    return sum(start in ends and ends[start] == jobs.get(end) for start, end in kernel)


def wrong_picks(result: takt.Result) -> int:
    """Count the entries after which another job runs than the most urgent one released by the entry's begin.

    For runs without fails, tasks in rate-monotonic order: then a job waits from its release to its finish.
    """
    started = dict(result.segments.select("start", "task").iter_rows())
    jobs = result.jobs.select("task", "release", "finish").rows()
    entries = result.kernel_segments.select("start", "end").rows()
    alone = [pair for pair, after in pairwise(entries) if after[0] > pair[1]]
    return sum(started.get(end) != _most_urgent(jobs, start) for start, end in alone)


def _most_urgent(jobs: list[tuple[str, int, int | None]], instant: int) -> str | None:
    """Return the first task that has an unfinished job at an instant."""
    return min(
        (task for task, release, finish in jobs if release <= instant and (finish is None or finish > instant)),
        default=None,
    )


def _summary(runs: Runs) -> pl.DataFrame:
    """Return figures of the runs."""
    rows = []
    for name, result in runs.items():
        found = figures(result)
        rows.append((name, found.switch_steps, found.dispatches, needless(result), found.fails,
                     float(found.avail_sched), float(found.avail_net), differences(name, result)))  # fmt: skip
    names = ["scheduler", "switch_steps", "dispatches", "same_job_goes_on", "fails", "avail_sched", "avail_net"]
    return pl.DataFrame(rows, schema=[*names, "differences_from_golden"], orient="row")


def _software_claim(runs: Runs) -> Claim:
    """Judge the scheduler as a process."""
    result = runs["SoRTS"]
    steps, same, lost = figures(result).switch_steps, needless(result), differences("SoRTS", result)
    entries = result.kernel_segments.height
    return Claim(
        "S2-01",
        "Section 1, Figure 1",
        "Every interrupt of a scheduler in software costs four switch steps, even if the same task continues.",
        f"{entries} entries, {steps} steps; after {same} of them the job that ran before continues. The trace equals "
        f"the golden one ({lost} differences).",
        verdict(steps == 4 * entries and same > 0 and lost == 0),
        numbers={"entries": entries, "steps": steps, "same_job": same, "differences": lost},
    )


def _coprocessor_claim(runs: Runs) -> Claim:
    """Judge the scheduler on a co-processor."""
    result = runs["Co-SoRTS"]
    same, lost = needless(result), differences("Co-SoRTS", result)
    return Claim(
        "S2-02",
        "Sections 1 and 3.2, Figure 2",
        "A co-processor interrupts the processor only if another task has to run.",
        f"After {same} of {result.kernel_segments.height} switches the job that ran before continues. The trace equals "
        f"the golden one ({lost} differences).",
        verdict(same == 0 and lost == 0),
        numbers={"same_job": same, "differences": lost},
    )


def _hardware_claim(runs: Runs) -> Claim:
    """Judge the scheduler in hardware."""
    lost = differences("HaRTS", runs["HaRTS"])
    steps = {name: figures(result).switch_steps for name, result in runs.items()}
    return Claim(
        "S2-03",
        "Section 3.3, Figure 7",
        "Hardware has processes for fail, running and ready over one list of tasks, from which nothing is removed.",
        f"The trace equals the golden one ({lost} differences): {steps['HaRTS']} steps, {steps['Co-SoRTS']} in "
        f"Co-SoRTS, {steps['SoRTS']} in SoRTS.",
        verdict(lost == 0 and steps["HaRTS"] < steps["Co-SoRTS"] < steps["SoRTS"], correction=True),
        "What such hardware does is simulated, not how: one list with states is a structure of hardware, and a "
        "finished job leaves Takt's ready set.",
        {"differences": lost, "steps": steps["HaRTS"]},
    )


def _queues_claim() -> Claim:
    """Judge the ready queue and the idle queue by what is chosen from them."""
    made = system(BENCHMARKS["B1-control"], platform("SoRTS", 400, 25))
    result = takt.simulate(made, SECOND // 2)
    wrong = wrong_picks(result)
    return Claim(
        "S2-04",
        "Section 3.1",
        "The ready queue is ordered by the policy; the idle queue has the executed tasks that wait for a new time "
        "slice.",
        f"After {wrong} of {result.kernel_segments.height} entries of B1 (I 400, CS 25, 0.5 s, {result.missed} fails) "
        "runs another job than the most urgent one that was released before the entry.",
        verdict(wrong == 0 and result.missed == 0),
        numbers={"wrong": wrong},
    )


def _plot(name: str, title: str, result: takt.Result) -> Plot:
    """Draw a trace."""
    figure, (axes,) = new_plot(height=2.2)
    draw(axes, result, [f"T{n}" for n in range(1, len(TASKS) + 1)])
    return Plot(name, title, figure)


def draw(axes: Axes, result: takt.Result, tasks: list[str]) -> None:
    """Draw a lane for each task, the first on top, and one for the kernel."""
    lanes = [*tasks, "kernel"][::-1]
    _draw_bars(axes, 0, result.kernel_segments.select("start", "end").rows(), INK)
    for place, task in enumerate(tasks):
        y = lanes.index(task)
        _draw_bars(axes, y, result.segments.filter(task=task).select("start", "end").rows(), COLORS[place])
        for release in result.jobs.filter(task=task)["release"]:
            axes.annotate("", (release, y + 0.5), (release, y - 0.3),
                          arrowprops={"arrowstyle": "-|>", "color": INK, "lw": 0.6})  # fmt: skip
    axes.set(yticks=range(len(lanes)), yticklabels=lanes, ylim=(-0.5, len(lanes) - 0.3), xlim=(0, result.horizon))
    axes.set_xlabel("time (us)")


def _draw_bars(axes: Axes, y: int, rows: list[tuple[int, int]], color: str) -> None:
    """Draw segments."""
    axes.broken_barh([(start, end - start) for start, end in rows], (y - 0.3, _LANE), facecolor=color)
