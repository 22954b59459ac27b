# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The paper's claims about the allocator: calls, bulk mode, its own time (S3, 4)."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from typing import Any

import polars as pl
import takt

from studies.common import Claim, Plot, Section, Table, new_plot, verdict
from studies.common.plots import COLORS, add_legend
from studies.s3_general_framework import reference
from studies.s3_general_framework.systems import HORIZON, Drawn, differences, executed, random_set

SEED = 15
SETS = {True: 10, False: 80}
BULKS = (1, 2, 3, 4, 6, 8)
POLICIES = ("rm", "edf")
KINDS: dict[str, dict[str, Any]] = {"dual": {"cost": 1}, "top": {"cost": 1, "runs": "top", "period": 4, "budget": 1}}
"""What takt.Allocator gets."""


def run(is_quick: bool) -> Section:
    """Count the calls of the allocator, and let them take time."""
    rng = random.Random(SEED)
    sets = [random_set(rng) for _ in range(SETS[is_quick])]
    bulks, feedback = run_bulks(sets), run_feedback(sets)
    costs, adaptive = run_costs(SETS[is_quick]), run_adaptive()
    return Section(
        "The allocator",
        f"{SETS[is_quick]} random sets with enforced budgets: windows, the jobs of the paper, handed over one at a "
        "time and in bulk; with other demands, beside servers of constant bandwidth in the framework of the tests; and "
        "with an allocator that is a task of its own, for which each call is a tick of work. "
        "Budgets that adapt are those of Takt's rate-based scheduler.",
        [_scheduled_claim(costs), _feedback_claim(feedback), _bulk_claim(bulks), _adaptive_claim(adaptive)],
        [
            Table("bulk", "Calls of the allocator over the jobs of one call", bulks),
            Table("feedback", "Calls with the demands as they are, and with all jobs at their wcets", feedback),
            Table("allocator_task", "Calls that ended after the starts of their windows, by kind of allocator", costs),
            Table("adaptive", "A soft task (20, 2) whose jobs take 6 for a while", adaptive),
        ],
        [_plot(bulks)],
    )


# ---- calls ------------------------------------------------------------------------------------------


def _simulate(policy: str, tasks: list[Drawn], **allocator: Any) -> takt.Result:
    """Run tasks with enforced budgets and an allocator."""
    windowed = [task.task(on_overrun="suspend") for task in tasks]
    return takt.simulate(takt.System(policy=policy, tasks=windowed, allocator=takt.Allocator(**allocator)), HORIZON)


def _counts(result: takt.Result) -> list[int]:
    """Return the calls for each task."""
    return [int(count) for count in result.summary["allocator_calls"]]


def run_bulks(sets: list[list[Drawn]]) -> pl.DataFrame:
    """Add up calls, and the ticks that differ from those of single mode."""
    rows = []
    for policy in POLICIES:
        single = [_simulate(policy, tasks) for tasks in sets]
        rows += [(policy, bulk, *_compare_bulk(policy, bulk, sets, single)) for bulk in BULKS]
    return pl.DataFrame(rows, schema=["policy", "bulk", "calls", "rounded_up", "differ"], orient="row")


def _compare_bulk(policy: str, bulk: int, sets: list[list[Drawn]], single: list[takt.Result]) -> tuple[int, int, int]:
    """Count calls, what they should be, and ticks that differ."""
    several = [_simulate(policy, tasks, bulk=bulk) for tasks in sets]
    calls = sum(sum(_counts(result)) for result in several)
    expected = sum(-(-count // bulk) for result in single for count in _counts(result))
    pairs = zip(several, single, strict=True)
    return calls, expected, sum(differences(executed(a), executed(b)) for a, b in pairs)


def run_feedback(sets: list[list[Drawn]]) -> pl.DataFrame:
    """Count calls with the drawn demands and with the wcets: a task that needs no feedback shows no difference."""
    rows = []
    for name in (*POLICIES, "cbs"):
        drawn, full = (sum(_calls(name, tasks) for tasks in chosen) for chosen in (sets, [_full(t) for t in sets]))
        rows.append((name, drawn, full))
    return pl.DataFrame(rows, schema=["policy", "calls", "calls_at_wcet"], orient="row")


def _full(tasks: list[Drawn]) -> list[Drawn]:
    """Return tasks whose jobs all need their wcets."""
    return [replace(task, demands=()) for task in tasks]


def _calls(name: str, tasks: list[Drawn]) -> int:
    """Count the calls of one set; under cbs each task has a server of one tick, in the framework of the tests."""
    if name != "cbs":
        return sum(_counts(_simulate(name, tasks)))
    works = [
        reference.Task(task.name, reference.ConstantBandwidth(1, -(-task.period // task.wcet)), task.work())
        for task in tasks
    ]
    system = reference.System(tuple(works), reference.EFFECTIVE["edf"])
    return sum(reference.simulate(system, HORIZON).calls.values())


# ---- the allocator as a task ------------------------------------------------------------------------


def run_costs(count: int) -> pl.DataFrame:
    """Return how many calls that take time ended after the starts of their windows."""
    rng = random.Random(SEED + 1)
    sets = [_roomy(rng) for _ in range(count)]
    rows = [
        (kind, policy, bulk, *_late(kind, policy, bulk, sets))
        for kind in KINDS
        for policy in POLICIES
        for bulk in (1, 3)
    ]
    return pl.DataFrame(rows, schema=["kind", "policy", "bulk", "calls", "late", "allocator_ticks"], orient="row")


def _roomy(rng: random.Random) -> list[Drawn]:
    """Draw a set of half load, in which the calls of one instant fit before the next release."""
    while True:
        tasks = [replace(task, offset=0) for task in random_set(rng, Fraction(1, 2))]
        if min(task.period for task in tasks) > len(tasks):
            return tasks


def _late(kind: str, policy: str, bulk: int, sets: list[list[Drawn]]) -> tuple[int, int, int]:
    """Count calls that take time, those of them that ended too late, and their ticks."""
    results = [_simulate(policy, tasks, bulk=bulk, **KINDS[kind]) for tasks in sets]
    own = pl.concat(result.summary.tail(1) for result in results)
    return int(own["released"].sum()), int(own["missed"].sum()), int(own["busy"].sum())


# ---- budgets that adapt -----------------------------------------------------------------------------

ADAPTIVE_HORIZON = 800
DEMANDS = [2, 2, *[6] * 14, *[2] * 30]
FIXED, ADAPTED = "continue", "adapt"


def run_adaptive() -> pl.DataFrame:
    """Return runs of a soft task whose demand grows and falls, with a constant budget and one that adapts."""
    rows = []
    for how in (FIXED, ADAPTED):
        tasks = [
            takt.Task(name="H", period=10, wcet=5),
            takt.Task(name="S", period=20, wcet=2, demand=DEMANDS, class_="soft", on_overrun=how),
            takt.Task(name="N", period=20, class_="none"),
        ]
        result = takt.simulate(takt.System(policy="rate-based", tasks=tasks), ADAPTIVE_HORIZON)
        late = result.windows.filter("missed_requested")["task"].to_list()
        rates = result.rates.filter(pl.col("task") == "S", pl.col("rate") > 0)["rate"].to_list()
        rows.append((how, rates[0], max(rates), rates[-1], late.count("S"), late.count("H")))
    schema = ["on_overrun", "first_rate", "largest_rate", "last_rate", "soft_late_as_asked", "hard_late"]
    return pl.DataFrame(rows, schema=schema, orient="row")


# ---- claims -----------------------------------------------------------------------------------------


def _scheduled_claim(costs: pl.DataFrame) -> Claim:
    """Judge the allocator as a task with dual priorities."""
    late = {kind: int(costs.filter(kind=kind)["late"].sum()) for kind in KINDS}
    calls = int(costs.filter(kind="dual")["calls"].sum())
    return Claim(
        "S3-14",
        "Section 4.2",
        "The allocator is a real-time task itself: of the highest priority, or in spare time and of the highest "
        "priority later.",
        f"With spare time first and the last safe instant after that {late['dual']} of {calls:,} calls end after the "
        f"starts of their windows; with the highest priority and a budget of 1 in 4 ticks {late['top']}.",
        verdict(late["dual"] == 0),
        "Sets of at most half load. On top it is at once, but its budget must be "
        "enough for all calls of an instant; the paper does not say how to choose it.",
        {"late_dual": late["dual"], "late_top": late["top"], "calls": calls},
    )


def _feedback_claim(feedback: pl.DataFrame) -> Claim:
    """Judge which allocators need feedback."""
    calls = {row[0]: row[1:] for row in feedback.iter_rows()}
    return Claim(
        "S3-15",
        "Section 4.3",
        "For most algorithms including RM and EDF feedback is not necessary; others, such as proportional share, "
        "need it.",
        f"Calls with the demands as drawn and with full ones: RM {calls['rm'][0]:,} and {calls['rm'][1]:,}, EDF "
        f"{calls['edf'][0]:,} and {calls['edf'][1]:,}; constant bandwidth {calls['cbs'][0]:,} and {calls['cbs'][1]:,}.",
        verdict(all(calls[p][0] == calls[p][1] for p in POLICIES) and calls["cbs"][0] < calls["cbs"][1]),
        "What jobs execute changes no call of RM and EDF, in Takt; an allocator of constant "
        "bandwidth, in the framework of the tests, is called for every exhausted budget.",
        {f"{name}_{what}": own[i] for name, own in calls.items() for i, what in enumerate(("drawn", "full"))},
    )


def _bulk_claim(bulks: pl.DataFrame) -> Claim:
    """Judge bulk mode."""
    exact = bulks["calls"].equals(bulks["rounded_up"], check_names=False)
    calls = dict(bulks.filter(policy="rm").select("bulk", "calls").rows())
    differ = int(bulks["differ"].sum())
    return Claim(
        "S3-16",
        "Section 4.3",
        "In bulk mode the allocator sends several jobs at a time, which reduces the overhead; with a queue that is "
        "never empty the dispatcher never needs to call it.",
        f"Calls for RM with 1, 2, 4, 8 jobs at a time: {', '.join(f'{calls[k]:,}' for k in (1, 2, 4, 8))}: those of "
        f"single mode by k, rounded up for each task; {differ} ticks differ.",
        verdict(exact and differ == 0),
        "Only where jobs are known before: rounding keeps the ratio above 1/k on short runs.",
        {**{f"calls_{k}": calls[k] for k in BULKS}, "differ": differ},
    )


def _adaptive_claim(adaptive: pl.DataFrame) -> Claim:
    """Judge budgets that follow what jobs execute."""
    rows = {row["on_overrun"]: row for row in adaptive.iter_rows(named=True)}
    fixed, adapted = rows[FIXED], rows[ADAPTED]
    late = {how: row["soft_late_as_asked"] for how, row in rows.items()}
    return Claim(
        "S3-23",
        "Section 4.3",
        "The budget of a job may be adapted at run time: smaller if jobs end before it, larger if they are stopped.",
        f"A soft task (20, 2) whose jobs take 6 for a while: its rate goes from {adapted['first_rate']:.2f} to "
        f"{adapted['largest_rate']:.2f} and back to {adapted['last_rate']:.2f}, and it is late as asked "
        f"{late[ADAPTED]} times instead of {late[FIXED]}; the hard task beside it {adapted['hard_late']} times.",
        verdict(
            adapted["largest_rate"] > adapted["first_rate"] == adapted["last_rate"] == fixed["largest_rate"]
            and late[ADAPTED] < late[FIXED]
            and adapted["hard_late"] == 0
        ),
        "By Takt's rate-based scheduler (on_overrun = adapt), not by an allocator of the paper's kind.",
        {"late_fixed": late[FIXED], "late_adapted": late[ADAPTED]},
    )


def _plot(bulks: pl.DataFrame) -> Plot:
    """Draw calls over the jobs of a call, and the first number by k."""
    figure, (axes,) = new_plot(height=2.6)
    own = bulks.filter(policy="rm")
    counts = own["calls"].to_list()
    axes.plot(BULKS, counts, marker="o", color=COLORS[0], linewidth=1.1, label="calls")
    axes.plot(BULKS, [counts[0] / k for k in BULKS], color=COLORS[3], linewidth=0.8, linestyle=":", label="1 / k")
    axes.set(xlabel="jobs handed over in one call (k)", ylabel="calls of the allocator", ylim=(0, None))
    add_legend(axes)
    return Plot("bulk", "Bulk mode: calls of the allocator", figure)
