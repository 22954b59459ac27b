# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The dual-priority scheme: golden schedule, responses of soft jobs, jobs that never end (S3, 5.2.1)."""

from __future__ import annotations

import random
from fractions import Fraction

import polars as pl
import takt

from studies.common import Claim, Plot, Section, Table, new_plot, verdict
from studies.common.plots import COLORS, add_legend
from studies.s3_general_framework import reference
from studies.s3_general_framework.systems import (
    Drawn,
    Ticks,
    differences,
    executed,
    golden_ticks,
    harmonized_set,
    missed,
    tasks_of,
)

SEED = 9
SETS = {True: 5, False: 40}
LOADS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
TOLD = (0.3, 0.6, 0.8)
"""The loads that the claim tells of."""
WIDTH = Fraction(1, 20)
HORIZON = 4000
SOFT_SEPARATION = 20
SOFT_MOST = 4
ENDLESS = 10_000
LATE = 1_000_000
WAYS = ("background", "polling", "dual")


def run(is_quick: bool) -> Section:
    """Run soft jobs beside hard tasks in three ways."""
    sets = compare_ways(SETS[is_quick])
    endless = run_endless()
    return Section(
        "Dual priority",
        f"Hard tasks that fixed priorities schedule, and soft jobs of 1 to {SOFT_MOST} ticks at random instants, in "
        "the background, in a polling server, and between the two bands. The server has the highest priority, the "
        "shortest period, and the largest budget with which the hard tasks still meet their deadlines; where "
        "there is none, soft jobs stay in the background, and at high loads it is at times less than they ask for. "
        f"{SETS[is_quick]} sets for each load, {HORIZON} ticks each.",
        [_dual_claim(sets), _endless_claim(endless)],
        [
            Table("dual_priority", "Mean response of soft jobs, and misses of hard ones, by hard load", means(sets)),
            Table("never_ending", "Ticks of a job of H1 (10, 3) that never ends, in its period", endless),
            Table("dual_priority_sets", "Each set", sets),
        ],
        [_plot(means(sets))],
    )


# ---- the worked example -----------------------------------------------------------------------------


def example(demand_of_h1: int = 3) -> takt.System:
    """H1 (10, 3), H2 (15, 4), soft jobs 6 at 1 and 8 at 16."""
    return takt.System(
        policy="dual-priority",
        tasks=[
            takt.Task(name="H1", period=10, wcet=3, demand=demand_of_h1, priority=2),
            takt.Task(name="H2", period=15, wcet=4, priority=1),
            takt.Task(name="S", arrivals=[1, 16], wcet=8, demand=[6, 8], deadline=LATE, class_="soft"),
        ],
    )


def run_endless() -> pl.DataFrame:
    """Count what H1 gets of one period if its job never ends."""
    rows = [("Takt", endless_in_takt().count("H1"))]
    for name, shares_budget in (("framework, one budget for both jobs", True), ("framework, a budget each", False)):
        rows.append((name, endless_in_framework(shares_budget).count("H1")))
    return pl.DataFrame(rows, schema=["way", "ticks"], orient="row")


def endless_in_takt() -> Ticks:
    """Run the example for a period of H1, which never ends."""
    return tasks_of(executed(takt.simulate(example(ENDLESS), 10)))


def endless_in_framework(shares_budget: bool) -> Ticks:
    """Run the example in the framework for a period of H1, which never ends."""
    works = [
        reference.Task("H1", reference.DualPriority(10, 3, 20, 1, 3, None, shares_budget), ((0, ENDLESS),)),
        reference.Task("H2", reference.DualPriority(15, 4, 21, 2, 7, None, shares_budget), ((0, 4),)),
        reference.Task("S", reference.Aperiodic(10), ((1, 6),), class_="soft"),
    ]
    return tasks_of(reference.run(reference.System(tuple(works), reference.EFFECTIVE["dual priority"]), 10))


# ---- random sets ------------------------------------------------------------------------------------


def compare_ways(count: int) -> pl.DataFrame:
    """Run random sets at each load in each way."""
    rng = random.Random(SEED)
    rows = [(load, number, *_one_set(rng, load)) for load in LOADS for number in range(count)]
    columns = [f"{what}_{way}" for what in ("response", "hard_missed") for way in WAYS]
    return pl.DataFrame(rows, schema=["load", "set", "server_budget", *columns], orient="row")


def _one_set(rng: random.Random, load: float) -> tuple[float, ...]:
    """Draw a set and its soft jobs, and run it in each way."""
    hard = _schedulable_set(rng, Fraction(load).limit_denominator(100))
    soft = _soft_task(rng)
    period = hard[0].period
    budget = largest_budget(hard, period)
    results = [takt.simulate(_system(way, hard, soft, (period, budget)), HORIZON) for way in WAYS]
    responses = [_mean(result) for result in results]
    return budget, *responses, *(missed(result, [task.name for task in hard]) for result in results)


def _schedulable_set(rng: random.Random, load: Fraction) -> list[Drawn]:
    """Draw hard tasks of about a load that fixed priorities schedule."""
    while True:
        tasks = harmonized_set(rng, load - WIDTH, load + WIDTH, 3)
        if _is_schedulable(tasks):
            return tasks


def _is_schedulable(tasks: list[Drawn]) -> bool:
    """True if fixed priorities meet all deadlines from a synchronous start."""
    return takt.simulate(takt.System(tasks=[task.task() for task in tasks]), 40, segments=False).missed == 0


def largest_budget(hard: list[Drawn], period: int) -> int:
    """Return the largest budget of a server above all tasks; it takes no more than a periodic task would."""
    fits = [q for q in range(1, period) if _is_schedulable([Drawn("server", period, q, -1), *hard])]
    return max(fits, default=0)


def _soft_task(rng: random.Random) -> takt.Task:
    """Draw soft jobs."""
    arrivals = sorted(rng.sample(range(HORIZON - 200), HORIZON // SOFT_SEPARATION))
    demands = [rng.randint(1, SOFT_MOST) for _ in arrivals]
    return takt.Task(name="S", arrivals=arrivals, wcet=SOFT_MOST, demand=demands, deadline=LATE, class_="soft")


def _system(way: str, hard: list[Drawn], soft: takt.Task, server: tuple[int, int]) -> takt.System:
    """Return a system with soft jobs below the hard tasks, above them in a server, or between their bands."""
    tasks = [task.task() for task in hard]
    period, budget = server
    if way == "polling" and budget > 0:
        above = takt.Server(name="P", kind="polling", period=period, budget=budget, priority=1000)
        return takt.System(tasks=[*tasks, soft.replace(server="P")], servers=[above])
    return takt.System(policy="dual-priority" if way == "dual" else "fp", tasks=[*tasks, soft])


def _mean(result: takt.Result) -> float:
    """Return the mean response of the soft jobs that finished."""
    row = result.summary.filter(task="S").row(0, named=True)
    return float(row["response_sum"] / row["finished"])


def means(sets: pl.DataFrame) -> pl.DataFrame:
    """Average over the sets of a load."""
    return sets.group_by("load", maintain_order=True).agg(
        pl.len().alias("sets"),
        *(pl.col(f"response_{way}").mean() for way in WAYS),
        *(pl.col(f"hard_missed_{way}").sum() for way in WAYS),
    )


# ---- claims -----------------------------------------------------------------------------------------


def _dual_claim(sets: pl.DataFrame) -> Claim:
    """Judge dual priority."""
    wrong = differences(tasks_of(executed(takt.simulate(example(), 30))), golden_ticks("red_dualprio", 30))
    late = int(sets["hard_missed_dual"].sum())
    worse = sets.filter(pl.col("response_dual") > pl.col("response_background")).height
    beaten = sets.filter(pl.col("response_dual") > pl.col("response_polling")).height
    table = means(sets)
    rows = table.filter(pl.col("load").is_in(TOLD)).iter_rows(named=True)
    written = "{response_dual:.1f} ({response_background:.1f}; {response_polling:.1f}) at {load}"
    by_load = [written.format(**row) for row in rows]
    is_best = all(
        row["response_dual"] < min(row["response_background"], row["response_polling"])
        for row in table.iter_rows(named=True)
    )
    return Claim(
        "S3-09",
        "Section 5.2.1",
        "Two jobs for each hard task, one below and one above the soft tasks, make these more responsive and keep all "
        "hard deadlines.",
        f"Mean response of soft jobs, in the background and in a polling server in brackets: {', '.join(by_load)} of "
        f"hard load; {late} hard deadlines missed. {wrong} ticks differ from the golden schedule.",
        verdict(wrong == late == worse == 0 and is_best),
        f"In no set slower than the background; a polling server is faster in {beaten} of {sets.height} sets.",
        {"differ": wrong, "hard_missed": late, "slower_than_background": worse, "slower_than_polling": beaten},
    )


def _endless_claim(endless: pl.DataFrame) -> Claim:
    """Judge the shared budget."""
    ticks = endless["ticks"].to_list()
    return Claim(
        "S3-10",
        "Section 5.2.1",
        "If a job does not stop by itself, the budget of the high job must be reduced by what the low job used.",
        f"A job of H1 (10, 3) that never ends gets {ticks[0]} ticks of its period in Takt, {ticks[1]} in the framework "
        f"with one budget for both jobs, {ticks[2]} with a budget each.",
        verdict(ticks == [3, 3, 4]),
        "",
        {"takt": ticks[0], "shared": ticks[1], "separate": ticks[2]},
    )


def _plot(table: pl.DataFrame) -> Plot:
    """Draw the responses over the load."""
    figure, (axes,) = new_plot(height=2.8)
    for color, way in zip(COLORS, WAYS, strict=False):
        axes.plot(table["load"].to_list(), table[f"response_{way}"].to_list(), color=color, linewidth=1.1, label=way)
    axes.set(xlabel="load of the hard tasks", ylabel="mean soft response (ticks)")
    add_legend(axes)
    return Plot("dual_priority", "Soft jobs in the background, in a server, and between two bands", figure)
