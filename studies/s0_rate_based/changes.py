# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Changes of rates while the system runs: when they are safe, and what the paper's equations do (S0, 3.2.1).

The rules that seem obvious are run beside the safe ones: rates that are given away at once (`changes = "naive"`),
and the deadline of (9) as printed, which an EDF task with that deadline shows.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import polars as pl
import takt

from studies.common import Claim, Section, Table, verdict
from studies.s0_rate_based.systems import entered, hard, instants, missed, none, rate_based, soft

SEED = 21
SCENARIOS = {True: 60, False: 600}
LONG = 600
RULES: dict[str, dict[str, Any]] = {
    "boundary": {},
    "in-flight": {"changes": "in-flight"},
    "in-flight, earlier deadlines, smaller budgets": {"changes": "in-flight", "compression": True, "cuts": True},
    "naive": {"changes": "naive"},
}
"""Options of each rule."""


def run(is_quick: bool) -> Section:
    """Try the counter-examples, then random entries."""
    scenarios = try_rules(SCENARIOS[is_quick])
    return Section(
        "Mode changes",
        f"{SCENARIOS[is_quick]} random systems, {LONG} ticks each: soft tasks and a best-effort one run alone until "
        "hard "
        "and soft tasks enter, one by one; every other system has jobs that need less than their wcet. Each is run "
        "under every rule for when a task gives up rate.",
        [_deadline_claim(), _in_flight_claim(scenarios), _invoked_claim(), _hard_claim(), _request_claim()],
        [Table("rules", "Random entries under each rule", scenarios)],
    )


# ---- requests ---------------------------------------------------------------------------------------------


def negotiate() -> takt.Result:
    """Return a run in which S requests half its rate, H half more, and then more than is available."""
    tasks = [hard("H", 4, 10), soft("S", 4, 10), none("N", 40)]
    changes = [
        takt.Change(at=105, task="S", period=20),
        takt.Change(at=205, task="H", wcet=6),
        takt.Change(at=305, task="H", wcet=10),
    ]
    return takt.simulate(rate_based(tasks).replace(changes=changes), LONG)


def _request_claim() -> Claim:
    """Judge that a user asks for another rate."""
    result = negotiate()
    reduced, raised, refused = (detail.split("; ")[1] for detail in result.changes["detail"].to_list())
    return Claim(
        "S0-19",
        "Section 1",
        "A user explicitly asks for a reduced rate of progress.",
        f"S, soft with 4 in 10, asks for 20 instead at 105: {reduced}. H, hard with 4 in 10, asks for 6 at 205: "
        f"{raised}, when the best-effort task has given up what it got of S; for 10 at 305: {refused}. "
        f"{result.missed} misses.",
        verdict((reduced, raised, refused) == ("in force from 110ms", "in force from 240ms", "rejected")
                and result.missed == 0),
        "Less is never refused; more of a hard task is judged as an entry is, and it continues as it was if refused.",
        {"missed": result.missed},
    )  # fmt: skip


# ---- random entries ---------------------------------------------------------------------------------------


def draw(rng: random.Random) -> list[takt.Task]:
    """Draw a system whose load grows."""
    softs = [soft(f"S{n}", rng.randint(2, 8), rng.randint(10, 40)) for n in range(rng.randint(1, 3))]
    hards = [hard(f"H{n}", rng.randint(2, 6), rng.randint(12, 40), offset=rng.randint(1, 120))
             for n in range(rng.randint(1, 3))]  # fmt: skip
    late = soft("L", rng.randint(2, 8), rng.randint(10, 40), offset=rng.randint(1, 120))
    tasks = [*softs, none("N", rng.randint(30, 120)), *hards, late]
    return [_shortened(rng, task) for task in tasks] if rng.random() < 0.5 else tasks


def _shortened(rng: random.Random, task: takt.Task) -> takt.Task:
    """Return a task whose jobs need less than their wcet."""
    if task.wcet is None:
        return task
    return task.replace(demand=[rng.randint(1, int(task.wcet)) for _ in range(4)])


def try_rules(count: int) -> pl.DataFrame:
    """Run random systems under every rule."""
    rng = random.Random(SEED)
    systems = [draw(rng) for _ in range(count)]
    return pl.DataFrame([(rule, *_try(rule, systems)) for rule in RULES],
                        schema=["rule", "runs", "runs_with_a_miss", "runs_with_a_hard_miss", "largest_ledger",
                                "mean_delay_of_entries"], orient="row")  # fmt: skip


def _try(rule: str, systems: Sequence[Sequence[takt.Task]]) -> tuple[int, int, int, float, float]:
    """Run all systems under one rule."""
    results = [takt.simulate(rate_based(tasks, **RULES[rule]), LONG) for tasks in systems]
    late = [missed(result) for result in results]
    delays = [delay for result in results for delay in _delays(result)]
    return (
        len(results),
        sum(bool(tasks) for tasks in late),
        sum(any(task.startswith("H") for task in tasks) for tasks in late),
        max(float(result.ledger["reserved"].max()) for result in results),  # type: ignore[arg-type]
        sum(delays) / len(delays),
    )


def _delays(result: takt.Result) -> list[int]:
    """Return how long admitted tasks waited for free rate."""
    admitted = dict(result.rates.filter(what="admitted").select("task", "instant").rows())
    return [instant - admitted[task] for task, instant in
            result.rates.filter(what="entered").select("task", "instant").rows()]  # fmt: skip


# ---- the equations ----------------------------------------------------------------------------------------


def equation_9(deadline: int) -> takt.Result:
    """Run T1 (1, 2) beside T2, which comes at 2 with 2 to do and this relative deadline, under EDF."""
    tasks = [
        takt.Task(name="T1", period=2, wcet=1),
        takt.Task(name="T2", arrivals=[2], deadline=deadline, wcet=2, class_="soft"),
    ]
    return takt.simulate(takt.System(tasks=tasks, policy="edf"), 8)


def _deadline_claim() -> Claim:
    """Judge (8) to (12)."""
    printed, corrected = equation_9(2), equation_9(4)
    tasks = [hard("T1", 1, 2), soft("T2", 2, 4, offset=2)]
    result = takt.simulate(rate_based(tasks, beta=0.0), 8)
    deadline, finish = result.windows.join(result.jobs, on=["task", "job"]).filter(task="T2", job=0).select(
        "deadline", "finish").row(0)  # fmt: skip
    lateness = int(printed.jobs.filter(task="T2")["finish"][0]) - 4
    return Claim(
        "S0-09",
        "Section 3.2.1, (8) to (12)",
        "After idle time the next deadline is max(t + C, D + P'), with deadline jitter max(t + C/wU, D + P); then "
        "P' = D - P', or D' - t.",
        f"T1 (C 1, P 2) with T2 (C 2, P' 4), which comes at 2: with t + C = 4 T2 is late by {lateness}, with t + P' = "
        "6 "
        f"there are {corrected.missed} misses. The rate-based scheduler gives it {deadline}, and it finishes at "
        f"{finish}.",
        verdict(lateness > 0 and corrected.missed == 0 and (deadline, finish) == (6, 6), correction=True),
        "t + C claims the whole processor until then: it must be max(t, D) + P'. (10) gives a period the dimension of "
        "an "
        "instant (a release, D' - P', is meant), (12) a window that only once has that length, and D + P in (11) is "
        "safe only while the old rate is reserved. One rule stands for all: r = max(t, D), d = r + P'.",
        {"late_by": lateness, "deadline": deadline, "finish": finish},
    )


def extend(**options: Any) -> takt.Result:
    """Run A, soft (5, 10), B, hard (5, 11), and X, hard (2, 5), which comes at 5, when A is ahead of its share."""
    tasks = [soft("A", 5, 10), hard("B", 5, 11), hard("X", 2, 5, offset=5)]
    return takt.simulate(rate_based(tasks, beta=0.0, **options), 80)


def shrinking_estimate(**options: Any) -> int:
    """Return the instant at which B gets rate back, since the estimate of A has fallen from 8 to 2."""
    tasks = [hard("H", 5, 10), soft("A", 8, 20, demand=2, on_overrun="adapt"), soft("B", 30, 100), none("N", 100)]
    result = takt.simulate(rate_based(tasks, estimate_jobs=1, **options), 1000)
    start = entered(result)["B"][0]
    gains = result.rates.filter(pl.col("rate") > start, task="B", what="re-rated")
    return int(gains["instant"][0])


def _in_flight_claim(scenarios: pl.DataFrame) -> Claim:
    """Judge Figure 1."""
    naive, safe = extend(changes="naive"), extend(changes="in-flight")
    lates = dict(scenarios.select("rule", "runs_with_a_miss").rows())
    waits = dict(scenarios.select("rule", "mean_delay_of_entries").rows())
    slow, quick = shrinking_estimate(), shrinking_estimate(compression=True)
    safe_misses = sum(count for rule, count in lates.items() if rule != "naive") + safe.missed
    return Claim(
        "S0-10",
        "Section 3.2.1, Figure 1",
        "A task's rate can rise at t and fall at t' within its period, with compressed and extended deadlines, and no "
        "deadline is missed.",
        f"Given away at once, rate makes {lates['naive']} of {int(scenarios['runs'][0])} random systems miss "
        "deadlines; "
        f"by the safe rules {safe_misses}. In flight entries wait for {waits['in-flight']:.1f} ticks on average, with "
        f"smaller budgets for {waits['in-flight, earlier deadlines, smaller budgets']:.1f}, at boundaries for "
        f"{waits['boundary']:.1f}; a rate that can rise at {slow} at a boundary does so at {quick} with an earlier "
        "deadline.",
        verdict(
            safe_misses == 0 and lates["naive"] > 0 and missed(naive) == {"B": 1}
            and instants(safe, "X", "entered") == [10] and quick < slow,
            correction=True,
        ),
        "Only where a job is not ahead of its share: soft A (5, 10) has run 5 of 5 when X (2, 5) enters at 5; with A's "
        "deadline extended and its rate reused at once, B (5, 11) misses 11. By the safe rule X enters at 10.",
        {"naive_misses": lates["naive"], "safe_misses": safe_misses, "entry_of_X": instants(safe, "X", "entered")[0],
         "boundary": slow, "compressed": quick},
    )  # fmt: skip


# ---- targets that are computed anew -------------------------------------------------------------------------

LATE_SOFT, LATE_NONE = 500, 1000


def entries(**options: Any) -> takt.Result:
    """Run a system that a soft task enters at 500 and a best-effort one at 1000."""
    tasks = [hard("H1", 3, 10), hard("H2", 4, 20), soft("S1", 8, 40), soft("S2", 10, 100), none("N1", 100)]
    late = [soft("S3", 6, 30, offset=LATE_SOFT), none("N2", 100, offset=LATE_NONE)]
    return takt.simulate(rate_based([*tasks, *late], **options), 2000)


def _changed(result: takt.Result, start: int, end: int) -> set[str]:
    """Return the tasks whose rates changed in a stretch of time."""
    rows = result.rates.filter(pl.col("what") == "re-rated", pl.col("instant").is_between(start, end, closed="left"))
    return set(rows["task"].to_list())


def _invoked_claim() -> Claim:
    """Judge when rates are allocated anew."""
    constant, formula = entries(), entries(beta="formula")
    jobs = constant.jobs.filter(pl.col("finish") < LATE_SOFT).height
    early = _changed(constant, 0, LATE_SOFT)
    at_soft = _changed(constant, LATE_SOFT, LATE_NONE)
    at_none = [_changed(result, LATE_NONE, 2000) for result in (constant, formula)]
    return Claim(
        "S0-15",
        "Section 3.1",
        "The allocation is invoked when an HRT or SRT task is scheduled or completes, and when beta changes.",
        f"While {jobs} jobs complete, {len(early)} rates change; when a soft task enters, those of "
        f"{', '.join(sorted(at_soft))}; when a second NRT task enters, those of {', '.join(sorted(at_none[0]))} under "
        "a "
        f"constant beta and of {', '.join(sorted(at_none[1]))} by formula (3).",
        verdict(
            not early and {"S1", "S2", "N1"} >= at_soft > {"S1"} and at_none[0] == {"N1"}
            and at_none[1] >= {"S1", "S2", "S3"},
            correction=True,
        ),
        "When a task reaches its end, not when one of its jobs does: rates follow from the present tasks. Each task "
        "takes its new rate at its own boundary.",
        {"jobs": jobs, "changed_before": len(early)},
    )  # fmt: skip


def _hard_claim() -> Claim:
    """Judge that hard tasks are never computed anew."""
    rates = entries(beta="formula").rates.filter(pl.col("task").str.starts_with("H"))
    counts = dict(rates.group_by("what").len().rows())
    return Claim(
        "S0-18",
        "Section 3.2.3",
        "HRT tasks are static and need no calculation.",
        f"Of two hard tasks the log of rates has {counts.get('admitted', 0)} admissions, {counts.get('entered', 0)} "
        f"entries and {rates.height - 4} other events, while the rates of all others change.",
        verdict(counts == {"admitted": 2, "entered": 2}),
        numbers={"others": rates.height - 4},
    )
