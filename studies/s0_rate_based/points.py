# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The experiment of section 5: its random sets, the policies, and a table of what came out."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction

import polars as pl
import takt

from studies.common import golden
from studies.s0_rate_based.systems import HORIZON, LETTERS, entered, hard, none, rate_based, soft

SEED = 5
PERCENTS = range(70, 111, 5)
SETS = {True: 3, False: 40}
"""How many sets for each utilization."""

PERIODS = (100, 150, 200, 500)
RATES = (20, 20, 15, 10)
"""Those of Table 1 in percent, of H1, H2, S1 and S2."""

NRT = 80, 800
"""The NRT task's wcet and period: a tenth of the processor."""

MOST_HARD = Fraction(85, 100)

PERIODIC = none("N", NRT[1], wcet=NRT[0])
SPORADIC = takt.Task(
    name="N",
    class_="none",
    min_separation=NRT[1],
    arrivals={"distribution": "uniform", "min": NRT[1], "max": 2 * NRT[1]},
    wcet=NRT[0],
)
GREEDY = none("N", NRT[1])

POLICIES = {
    "RM-per": ("rm", PERIODIC),
    "DM-per": ("dm", PERIODIC),
    "DM-spor": ("dm", SPORADIC),
    "EDF-spor": ("edf", SPORADIC),
    "EDF-per": ("edf", PERIODIC),
    "RB": ("rate-based", GREEDY),
    "RB-nrt80": ("rate-based", PERIODIC),
}
"""The policy and the NRT task of each; RB: its jobs take the whole budget; RB-nrt80: they request 80 ticks."""

TWINS = (("RM-per", "DM-per"), ("EDF-per", "RB-nrt80"))
"""Whose schedules are compared tick by tick."""


def draw(rng: random.Random, percent: int) -> list[takt.Task]:
    """Draw the four real-time tasks of a set of this utilization, the NRT task's tenth included."""
    while True:
        factors = [rate * rng.randint(700, 1300) for rate in RATES]
        shares = [Fraction(factor, sum(factors)) * (Fraction(percent, 100) - Fraction(1, 10)) for factor in factors]
        if shares[0] + shares[1] < MOST_HARD:
            break
    makers = (hard, hard, soft, soft)
    parts = zip(makers, ("H1", "H2", "S1", "S2"), wcets(shares), PERIODS, strict=True)
    return [make(name, wcet, period) for make, name, wcet, period in parts]


def wcets(shares: Sequence[Fraction]) -> list[int]:
    """Return whole ticks; the rounding down is compensated in the tasks that follow, and the sum stays below."""
    left, found = Fraction(), []
    for share, period in zip(shares, PERIODS, strict=True):
        left += share
        found.append(int(left * period))
        left -= Fraction(found[-1], period)
    return found


def run_all(is_quick: bool) -> pl.DataFrame:
    """Run all sets under all policies: one row for each task of each run, and the differences between twins."""
    rng = random.Random(SEED)
    rows = []
    for percent in PERCENTS:
        for number in range(SETS[is_quick]):
            rows += _run_set(percent, number, draw(rng, percent))
    names = ["percent", "set", "policy", "class", "task", "released", "finished", "missed", "missed_requested", "sum",
             "max", "given_period", "differences"]  # fmt: skip
    return pl.DataFrame(rows, schema=names, orient="row", infer_schema_length=None)


def _run_set(percent: int, number: int, tasks: list[takt.Task]) -> list[tuple[object, ...]]:
    """Run one set under all policies."""
    results = {name: run_one(tasks, name, number) for name in POLICIES}
    differences = {twins[1]: int(not _same(*(results[name] for name in twins))) for twins in TWINS}
    return [
        (percent, number, name, *row, differences.get(name, 0))
        for name, result in results.items()
        for row in _rows(result)
    ]


def run_one(tasks: Sequence[takt.Task], name: str, seed: int = 0) -> takt.Result:
    """Run a set under a policy."""
    policy, nrt = POLICIES[name]
    return takt.simulate(rate_based([*tasks, nrt], policy).replace(seed=seed), HORIZON)


def _same(first: takt.Result, second: takt.Result) -> bool:
    """True if two schedules are identical."""
    return first.segments.equals(second.segments)


def _rows(result: takt.Result) -> list[tuple[object, ...]]:
    """Read the tasks of a run; the period that was given is null where none is given."""
    given = {task: period for task, (_, _, period) in entered(result).items()}
    names = ["class", "task", "released", "finished", "missed", "missed_requested", "response_sum", "response_max"]
    rows = result.summary.select(names).rows()
    return [(LETTERS[class_], task, *counts, given.get(task)) for class_, task, *counts in rows]


def summed(runs: pl.DataFrame) -> pl.DataFrame:
    """Return averages, maxima and misses of each class at each point."""
    grouped = runs.group_by("percent", "policy", "class", maintain_order=True).agg(
        pl.col("released", "finished", "missed", "missed_requested", "sum").sum(), pl.col("max").max()
    )
    return grouped.select(
        *("percent", "policy", "class"),
        average=pl.when(pl.col("finished") > 0).then(pl.col("sum") / pl.col("finished")),
        max="max",
        miss_percent=100 * pl.col("missed") / pl.col("released"),
        requested_miss_percent=100 * pl.col("missed_requested") / pl.col("released"),
        jobs="released",
    )


def column(points: pl.DataFrame, policy: str, class_: str, name: str = "average") -> list[float]:
    """Return a column of a policy and class, by utilization."""
    rows = points.filter(pl.col("policy") == policy, pl.col("class") == class_).sort("percent")
    return [float("inf") if value is None else float(value) for value in rows[name]]


def at(points: pl.DataFrame, policy: str, class_: str, percent: int, name: str = "average") -> float:
    """Return one value."""
    return column(points.filter(percent=percent), policy, class_, name)[0]


def golden_points() -> pl.DataFrame:
    """Read the golden table of the experiment; "none" there: no job finished."""
    rows = [(int(row["U_percent"]), row["policy"], row["class"],
             None if row["avg_response"] == "none" else float(row["avg_response"]), float(row["miss_percent"]))
            for row in golden("rb_experiment_section5")]  # fmt: skip
    return pl.DataFrame(rows, schema=["percent", "policy", "class", "average", "miss_percent"], orient="row",
                        infer_schema_length=None)  # fmt: skip
