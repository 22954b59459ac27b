# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Effects of a task that runs for too long on others, and on itself (S0, 2 and 3.2.1)."""

from __future__ import annotations

import random
from collections.abc import Sequence

import polars as pl
import takt

from studies.common import Claim, Section, Table, verdict
from studies.s0_rate_based.systems import entered, hard, instants, none, rate_based, soft

SEED = 17
SYSTEMS = {True: 40, False: 400}
LONG = 1000
CULPRIT = "X"
POLICIES = ("rate-based", "edf", "dm")


def run(is_quick: bool) -> Section:
    """Return the section about random systems, each with one task that overruns."""
    systems = follow(SYSTEMS[is_quick])
    return Section(
        "Isolation",
        f"{SYSTEMS[is_quick]} random systems that every policy can serve, {LONG} ticks each; one task, {CULPRIT}, "
        "hard or "
        "soft, executes up to six times its wcet in some jobs. Counted are the tasks other than it that are late.",
        [_overrun_claim(), _isolation_claim(systems), _monitor_claim()],
        [Table("isolation", "Other tasks that are late because of one task", systems)],
    )


def draw(rng: random.Random) -> list[takt.Task]:
    """Draw a system that every policy can serve as long as no job overruns, and let one task overrun."""
    while True:
        tasks = _draw_plain(rng)
        if all(_others(run_under(policy, tasks)) == 0 for policy in POLICIES):
            break
    demands = [int(tasks[-1].wcet or 0) * rng.choice((1, 1, 3, 6)) for _ in range(5)]
    return [*tasks[:-1], tasks[-1].replace(demand=demands)]


def _draw_plain(rng: random.Random) -> list[takt.Task]:
    """Draw tasks of a load from 0.53 to 0.85, the last of which is the culprit."""
    periods = [rng.choice((10, 15, 20, 25, 40, 50)) for _ in range(4)]
    wcets = [max(1, int(period * rng.uniform(0.12, 0.2))) for period in periods]
    kinds = (hard, soft, soft, rng.choice((hard, soft)))
    tasks = [make(name, wcet, period) for make, name, wcet, period in
             zip(kinds, ("H1", "S1", "S2", CULPRIT), wcets, periods, strict=True)]  # fmt: skip
    return [none("N", 80, wcet=4), *tasks]


def run_under(policy: str, tasks: Sequence[takt.Task]) -> takt.Result:
    """Run a system under a policy."""
    return takt.simulate(rate_based(tasks, policy), LONG)


def follow(count: int) -> pl.DataFrame:
    """Run random systems under each policy."""
    rng = random.Random(SEED)
    systems = [draw(rng) for _ in range(count)]
    rows = [(policy, count, *_follow(policy, systems)) for policy in POLICIES]
    return pl.DataFrame(rows, schema=["policy", "systems", "hurt_systems", "late_jobs_of_others"], orient="row")


def _follow(policy: str, systems: Sequence[Sequence[takt.Task]]) -> tuple[int, int]:
    """Count the systems with another late task, and such jobs."""
    late = [_others(run_under(policy, tasks)) for tasks in systems]
    return sum(jobs > 0 for jobs in late), sum(late)


def _others(result: takt.Result) -> int:
    """Count the late jobs of real-time tasks other than the one that overruns."""
    rows = result.summary.filter(pl.col("task") != CULPRIT, pl.col("class") != "none")
    return int(rows["missed"].sum())


def _isolation_claim(systems: pl.DataFrame) -> Claim:
    """Judge isolation."""
    hurt = dict(systems.select("policy", "hurt_systems").rows())
    return Claim(
        "S0-17",
        "Sections 2 and 3.2",
        "Misbehaving tasks can block all of lower priority; static priorities lack mechanisms to isolate them, which "
        "rates are.",
        f"Of {int(systems['systems'][0])} systems one task hurts others in {hurt['rate-based']} under rate-based, in "
        f"{hurt['edf']} under EDF and in {hurt['dm']} under deadline-monotonic priorities.",
        verdict(hurt["rate-based"] == 0 and hurt["edf"] > 0 and hurt["dm"] > 0),
        numbers={f"hurt_{policy}": count for policy, count in hurt.items()},
    )


def _overrun_claim() -> Claim:
    """Judge what becomes of a wrong wcet."""
    tasks = [soft("S", 3, 8, demand=[7, 1])]
    result = takt.simulate(rate_based(tasks, beta=0.0), 30)
    deadlines = result.windows["deadline"].to_list()
    refills = instants(result, "S", "refilled")
    adapted = takt.simulate(rate_based([soft("S", 3, 8, demand=[5], on_overrun="adapt"), none("N", 80)]), 100)
    budgets = [entered(adapted)["S"][1], *adapted.rates.filter(task="S", what="re-rated")["budget"].to_list()]
    final = int(adapted.rates.filter(task="S", what="re-rated")["rate"].last() * 8 + 0.5)  # type: ignore[operator]
    return Claim(
        "S0-16",
        "Sections 3.2.1 and 1",
        "Where a wcet was estimated too low, the deadline is progressively extended and the wcet adapted.",
        f"A job of 7 with a wcet of 3 and a period of 8 gets new budgets at {refills[0]} and {refills[1]}, and the "
        f"deadline {deadlines[0]}. With estimates that adapt, a task of wcet {budgets[0]} whose jobs execute 5 has a "
        "rate "
        f"of {final}/8 in the end.",
        verdict(refills[:2] == [3, 6] and deadlines[0] == 24 and final == 5),
        "An HRT job that overruns waits for its next window instead: its rate is what others count on.",
        {"deadline": deadlines[0], "refills": len(refills), "final_rate_in_eighths": final},
    )


def _monitor_claim() -> Claim:
    """Judge when the end of a budget is noticed."""
    tasks = [hard("A", 1, 4), hard("B", 5, 20, demand=9)]
    result = takt.simulate(rate_based(tasks), 20)
    (instant,) = instants(result, "B", "overrun")
    own = result.segments.filter(task="B").with_columns(pl.min_horizontal("end", pl.lit(instant)).alias("until"))
    ran = int((own["until"] - own["start"]).sum())
    pieces = own.filter(pl.col("start") < instant).height
    return Claim(
        "S0-26",
        "Section 4, Figure 3",
        "The execution time of a task is monitored by a time event at which its wcet is met; what remains is updated "
        "when it is preempted.",
        f"B (C 5), preempted {pieces - 1} times, is stopped at {instant}, after {ran} ticks of its own.",
        verdict(ran == 5 and pieces > 1),
        numbers={"instant": instant, "ran": ran},
    )
