# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Push and pull: whether a release is handled at once or at the next point (S1, 5.3 and 8).

A push interrupts the subjob for every release; a pull calls the scheduler at every point. What is counted: calls of
the scheduler, and choices that it had to make. From these follows what an interruption may cost, as a multiple of a
choice, before pulling is the better.
"""

from __future__ import annotations

import random

import polars as pl
import takt

from studies.common import Claim, Plot, Section, Table, new_plot, verdict
from studies.common.plots import COLORS, add_legend
from studies.s1_deferred_preemption.systems import hyperperiod, random_set

SEED = 6
SETS = {True: 40, False: 500}
LOW_NS, HIGH_NS = 1_000_000, 1_000
POINTS = {True: (1, 9, 99), False: (1, 4, 9, 19, 49, 99, 199, 499)}
PERIODS_NS = {True: (20_000, 200_000), False: (10_000, 20_000, 50_000, 100_000, 200_000, 500_000)}


def run(is_quick: bool) -> Section:
    """Compare schedules, then count."""
    equal, count = count_equal(SETS[is_quick]), SETS[is_quick]
    sweep = sweep_points(POINTS[is_quick], PERIODS_NS[is_quick])
    return Section(
        "Push and pull",
        f"{count} random sets at no cost, both ways. Then a low job of 1 ms with points, below a high task of 1 us: "
        "how often the scheduler is called, and how many choices it makes. An interruption is a call that a release "
        "causes within a subjob; only a push has them.",
        [*_model_claims(equal, count), _tradeoff_claim(sweep)],
        [Table("push_pull", "Calls and choices over points and periods", sweep)],
        [_plot(sweep)],
    )


def count_equal(count: int) -> int:
    """Count the random sets with the same segments and jobs both ways."""
    rng = random.Random(SEED)
    return sum(_is_equal(random_set(rng)) for _ in range(count))


def _is_equal(tasks: list[takt.Task]) -> bool:
    """Run a set both ways."""
    runs = [
        takt.simulate(takt.System(tasks=tasks, platform=takt.Platform(points=model)), 2 * hyperperiod(tasks))
        for model in ("push", "pull")
    ]
    return runs[0].segments.equals(runs[1].segments) and runs[0].jobs.equals(runs[1].jobs)


def sweep_points(points: tuple[int, ...], periods: tuple[int, ...]) -> pl.DataFrame:
    """Count calls and choices, and say where the two ways cost the same."""
    rows = [(period, count, *_count("push", period, count), *_count("pull", period, count))
            for period in periods for count in points]  # fmt: skip
    names = ["period_ns", "points", "push_calls", "push_choices", "pull_calls", "pull_choices"]
    frame = pl.DataFrame(rows, schema=names, orient="row")
    interruptions, saved = pl.col("push_calls") - pl.col("pull_calls"), pl.col("pull_choices") - pl.col("push_choices")
    return frame.with_columns(
        interruptions=interruptions,
        balance=pl.when(interruptions > 0).then(saved / interruptions),
    )


def _count(model: str, period: int, points: int) -> tuple[int, int]:
    """Run the pair with choices of 1 ns, so that the kernel time is their number."""
    low = takt.Task(
        name="low", arrivals=[0], deadline="1s", subjobs=[LOW_NS // (points + 1)] * (points + 1), priority=1
    )
    high = takt.Task(name="high", offset=period // 2, period=period, wcet=HIGH_NS, priority=2)
    platform = takt.Platform(scheduling=1, points=model)
    system = takt.System(resolution="1ns", tasks=[high, low], platform=platform)
    result = takt.simulate(system, LOW_NS, segments=False, points=False, jobs=False)
    return result.invocations, result.overhead


def _model_claims(equal: int, count: int) -> list[Claim]:
    """Judge that both models exist and give one schedule."""
    same = f"Push and pull give the same segments and jobs for {equal} of {count} random sets at no cost."
    return [
        Claim(
            "S1-06",
            "Sections 5.3 and 5.4.1",
            "Push: releases are moved at once, and only the switch is deferred.",
            same,
            verdict(equal == count),
            "The default.",
            {"sets": count, "equal": equal},
        ),
        Claim(
            "S1-07",
            "Section 5.3",
            "Pull: all is deferred to the next point; the paper could not measure the difference.",
            same + " The counters below differ.",
            verdict(equal == count),
            'Platform(points="pull"), for jobs at the root.',
            {"sets": count, "equal": equal},
        ),
    ]


def _tradeoff_claim(sweep: pl.DataFrame) -> Claim:
    """Judge the question that the paper leaves open."""
    known = sweep.drop_nulls("balance")
    least, most = float(known["balance"].min()), float(known["balance"].max())  # type: ignore[arg-type]
    never_more = bool((sweep["pull_calls"] <= sweep["push_calls"]).all())
    is_tradeoff = bool((sweep["pull_choices"] >= sweep["push_choices"]).all())
    return Claim(
        "S1-27",
        "Sections 5.3 and 8",
        "Which of push and pull is better depends on the task set and on the timer; quantitative results are future "
        "work.",
        "A pull never calls the scheduler more often, a push never makes more choices. They cost the same when an "
        f"interruption costs {least:.2g} to {most:.3g} choices, depending on points per release; above that, pull "
        "wins.",
        verdict(never_more and is_tradeoff and most > 10 * max(least, 0.01)),
        "An optional point of a push reads a flag; of a pull it must make a choice, so a set with many optional points "
        "is on the left of the plot. Caches have no model here.",
        {"least_balance": least, "largest_balance": most},
    )


def _plot(sweep: pl.DataFrame) -> Plot:
    """Draw the balance over the number of points."""
    figure, (axes,) = new_plot(height=3.2)
    some = [sweep["period_ns"].unique(maintain_order=True)[n] for n in (0, -1)] if sweep.height else []
    for (period,), group in sweep.drop_nulls("balance").group_by("period_ns", maintain_order=True):
        color = COLORS[2 * some.index(period)] if period in some else "0.7"
        axes.plot(group["points"].to_list(), group["balance"].to_list(), marker="o", markersize=3, color=color,
                  linewidth=1, label=f"T_h = {int(str(period)) // 1000} us" if period in some else None)  # fmt: skip
    axes.set(xscale="log", yscale="symlog", xlabel="points of the low job", ylabel="choices per interruption")
    add_legend(axes)
    return Plot(
        "push_pull", "An interruption that costs more choices than the curve says makes pull the better", figure
    )
