# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Figure 3: preemptive sets behave and cost the same with the extension present (S1, 7.1).

The extension is present when points stand in the bodies of preemptive tasks and a non-preemptive task exists that
never has a job before the horizon.
"""

from __future__ import annotations

import random

import polars as pl
import takt

from studies.common import Claim, Plot, Section, Table, new_plot, verdict
from studies.common.plots import COLORS, add_legend
from studies.s1_deferred_preemption import on_the_board
from studies.s1_deferred_preemption.systems import demand, hyperperiod, random_set, under

SEED = 13
RANDOM_SETS = {True: 40, False: 500}
TICK_COST_NS = 1_500
UNIT = 1000
LOW_NS = 100_000_000
TIMER_PERIODS_NS = {
    True: (100_000, 400_000, 1_000_000),
    False: (50_000, 75_000, 100_000, 150_000, 200_000, 300_000, 400_000, 600_000, 800_000, 1_000_000, 2_000_000),
}

Outcome = tuple[pl.DataFrame, pl.DataFrame, int, int, int]


def run(is_quick: bool) -> Section:
    """Compare preemptive sets with and without the extension."""
    sweep = sweep_timer(TIMER_PERIODS_NS[is_quick])
    count = RANDOM_SETS[is_quick]
    equal = count_equal(count)
    return Section(
        "Preemptive sets and the extension (Figure 3)",
        f"A long low task below an empty high task that is released at every tick of the timer; a tick costs "
        f"{TICK_COST_NS} ns here. Extended: the low task has points, which it ignores because it is preemptive, and "
        "there is a non-preemptive task without jobs. Then the same for random sets.",
        [_claim(sweep, equal, count, on_the_board.largest_difference(is_quick))],
        [Table("figure_3", "Response of the low task", sweep)],
        [_plot(sweep)],
    )


def sweep_timer(periods: tuple[int, ...]) -> pl.DataFrame:
    """Measure the low task's response over the period of the timer."""
    rows = [(period, _low_response(period, False), _low_response(period, True)) for period in periods]
    return pl.DataFrame(rows, schema=["timer_period_ns", "original_ns", "extended_ns"], orient="row")


def _low_response(period: int, is_extended: bool) -> int:
    """Run the paper's pair of tasks; a task without demand does not exist here, so the high one takes 1 ns."""
    low = takt.Task(name="low", arrivals=[0], deadline="10s", subjobs=[LOW_NS // 100] * 100)
    high = takt.Task(name="high", period=period, wcet=1, priority=1)
    platform = takt.Platform(tick=TICK_COST_NS, tick_period=period)
    plain = [high, low.replace(subjobs=None, wcet=LOW_NS)]
    tasks = _extended([high, low], 10**10) if is_extended else plain
    system = takt.System(resolution="1ns", tasks=tasks, platform=platform)
    result = takt.simulate(system, 2 * LOW_NS, segments=False, points=False)
    return int(result.summary.filter(task="low")["response_max"].item())


def _extended(tasks: list[takt.Task], never: int) -> list[takt.Task]:
    """Return preemptive tasks with points, and a non-preemptive task whose first job comes late."""
    idle = takt.Task(name="later", arrivals=[never], deadline=1, wcet=1, preemption="non-preemptive", priority=99)
    return [*under("FPPS", tasks), idle]


def count_equal(count: int) -> int:
    """Count the random preemptive sets whose run is the same with the extension."""
    rng = random.Random(SEED)
    return sum(_is_equal(random_set(rng, UNIT)) for _ in range(count))


def _is_equal(tasks: list[takt.Task]) -> bool:
    """Compare segments, jobs and counters of a preemptive set, at costs that are not 0."""
    plain = [task.replace(subjobs=None, wcet=demand(task)) for task in tasks]
    horizon = 2 * hyperperiod(tasks)
    return _same(_outcome(plain, horizon), _outcome(_extended(tasks, horizon + 1), horizon))


def _outcome(tasks: list[takt.Task], horizon: int) -> Outcome:
    """Run a set and give what there is to compare."""
    platform = takt.Platform(release=2, scheduling=3, point=1, context_switch=5)
    result = takt.simulate(takt.System(tasks=tasks, platform=platform), horizon)
    jobs = result.jobs.filter(pl.col("task") != "later")
    return result.segments, jobs, result.invocations, result.switches, result.overhead


def _same(first: Outcome, second: Outcome) -> bool:
    """True if two runs are the same."""
    return first[0].equals(second[0]) and first[1].equals(second[1]) and first[2:] == second[2:]


def _claim(sweep: pl.DataFrame, equal: int, count: int, kernel: dict[str, float]) -> Claim:
    """Judge the claim."""
    most = int((sweep["extended_ns"] - sweep["original_ns"]).abs().max() or 0)  # type: ignore[arg-type]
    measured = (
        f" On the kernel a present task with limited preemption changes the response of the pair by "
        f"{max(kernel.values()):.0f} instructions."
        if kernel
        else ""
    )
    return Claim(
        "S1-13",
        "Section 7.1, Figure 3",
        "The extension is conservative: FPPS sets behave and cost the same with it.",
        f"{equal} of {count} random preemptive sets have the same segments, jobs, invocations, switches and kernel "
        f"time with it; the responses of Figure 3 differ by at most {most} ns at {sweep.height} timer periods."
        f"{measured}",
        verdict(equal == count and most == 0 and not any(kernel.values())),
        "What every thread pays for all extensions together, a check of its attributes, is in make bench-kernel.",
        {"sets": count, "equal": equal, "largest_difference_ns": most, **kernel},
    )


def _plot(sweep: pl.DataFrame) -> Plot:
    """Draw Figure 3: both curves lie upon each other."""
    figure, (axes,) = new_plot(height=2.8)
    periods = [period / 1000 for period in sweep["timer_period_ns"]]
    for column, marker, color in (("original_ns", "o", COLORS[0]), ("extended_ns", "x", COLORS[1])):
        values = [value / 1e6 for value in sweep[column]]
        axes.plot(periods, values, marker=marker, color=color, label=column.removesuffix("_ns"), linewidth=1)
    axes.set(xscale="log", xlabel="period of the timer (us)", ylabel="response of the low task (ms)")
    add_legend(axes)
    return Plot("figure_3", "Figure 3: the low task's response, without and with the extension", figure)
