# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Imprecise computation: how much of the optional parts runs as the load grows (S3, 5.2.2)."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import polars as pl
import takt

from studies.common import Claim, Plot, Section, Table, new_plot, verdict
from studies.common.plots import COLORS, add_legend
from studies.s3_general_framework.systems import (
    Drawn,
    differences,
    executed,
    golden_ticks,
    harmonized_set,
    tasks_of,
)
from studies.s3_general_framework.systems import load as load_of

SEED = 11
SETS = {True: 6, False: 50}
LOADS = (0.6, 0.8, 1.0, 1.2, 1.5, 2.0, 2.5, 3.0)
HORIZON = 400
GOLDEN_HORIZON = 18
LEAST, MOST = Fraction(3, 10), Fraction(1, 2)
"""Load of the mandatory parts; fixed priorities schedule four tasks of up to 0.75."""


def run(is_quick: bool) -> Section:
    """Return the section about a growing load."""
    sets = run_sets(SETS[is_quick])
    table = sums(sets)
    return Section(
        "Imprecise computation",
        "Sets of four tasks, whose mandatory parts load the processor by 0.3 to 0.5; optional parts fill up to about "
        "the load, the same part of the processor each. Beside it the same tasks with everything mandatory, that is "
        f"plain fixed priorities. {SETS[is_quick]} sets for each load.",
        [_claim(sets, table)],
        [
            Table("imprecise", "What ran of the optional parts, and misses, by load", table),
            Table("imprecise_sets", "Each set", sets),
        ],
        [_plot(table)],
    )


def example() -> takt.System:
    """M1 2 and O1 3 every 6, M2 3 and O2 2 every 9."""
    tasks = [
        takt.Task(name="1", period=6, mandatory=2, wcet=5, priority=2),
        takt.Task(name="2", period=9, mandatory=3, wcet=5, priority=1),
    ]
    return takt.System(policy="imprecise", tasks=tasks)


def run_sets(count: int) -> pl.DataFrame:
    """Run random sets of each load, with and without optional parts."""
    rng = random.Random(SEED)
    rows = [(load, number, *_one_set(_draw(rng, load))) for load in LOADS for number in range(count)]
    columns = ["jobs", "executed", "wanted", "cut", "missed", "missed_if_all_is_mandatory"]
    return pl.DataFrame(rows, schema=["load", "set", *columns], orient="row")


def _draw(rng: random.Random, load: float) -> list[tuple[Drawn, int]]:
    """Draw mandatory parts; each task has the same part of the processor for its optional part."""
    parts = harmonized_set(rng, LEAST, MOST)
    share = (Fraction(load) - load_of(parts)) / len(parts)
    return [(replace(part, wcet=min(part.period, part.wcet + round(part.period * share))), part.wcet) for part in parts]


def _one_set(tasks: list[tuple[Drawn, int]]) -> tuple[int, ...]:
    """Run a set; count also what plain fixed priorities miss."""
    parted = [task.task(mandatory=mandatory) for task, mandatory in tasks]
    result = takt.simulate(takt.System(policy="imprecise", tasks=parted), HORIZON, segments=False)
    plain = takt.simulate(takt.System(tasks=[task.task() for task, _ in tasks]), HORIZON, segments=False)
    counts = [int(result.summary[name].sum()) for name in ("released", "optional_executed", "optional_wanted", "cut")]
    return *counts, result.missed, plain.missed


def sums(sets: pl.DataFrame) -> pl.DataFrame:
    """Add up the sets of a load."""
    added = sets.group_by("load", maintain_order=True).agg(
        pl.len().alias("sets"), pl.all().exclude("load", "set").sum()
    )
    return added.with_columns((pl.col("executed") / pl.col("wanted")).alias("optional_part"))


def _claim(sets: pl.DataFrame, table: pl.DataFrame) -> Claim:
    """Judge imprecise computation."""
    wrong = differences(_parts(), golden_ticks("red_imprecise", GOLDEN_HORIZON))
    parts = dict(table.select("load", "optional_part").rows())
    late, plain = int(sets["missed"].sum()), int(sets["missed_if_all_is_mandatory"].sum())
    values = [parts[load] for load in LOADS]
    falls = values == sorted(values, reverse=True)
    return Claim(
        "S3-11",
        "Section 5.2.2",
        "Mandatory parts have higher priorities than all optional ones, which run if there is time and else are "
        "skipped.",
        f"Of the optional parts run {parts[0.6]:.0%} at a load of 0.6, {parts[1.0]:.0%} at 1, {parts[1.5]:.0%} at 1.5, "
        f"{parts[3.0]:.0%} at 3; {late} mandatory parts are late, where plain fixed priorities miss {plain:,} "
        f"deadlines. {wrong} ticks differ from the golden schedule.",
        verdict(wrong == late == 0 and falls and plain > 0),
        "An optional part that is not done at the deadline is dropped; its job has not missed.",
        {"differ": wrong, "missed": late, "missed_plain": plain, "part_1": parts[1.0], "part_3": parts[3.0]},
    )


def _parts() -> list[str]:
    """Run the example; name the part that runs in each tick, as the golden schedule does."""
    wanted = {"1": 2, "2": 3}
    ran: dict[str, int] = {}
    parts = []
    for job in executed(takt.simulate(example(), GOLDEN_HORIZON)):
        ran[job] = ran.get(job, 0) + 1
        task = tasks_of([job])[0]
        parts.append(("M" if ran[job] <= wanted[task] else "O") + task if job else "")
    return parts


def _plot(table: pl.DataFrame) -> Plot:
    """Draw what runs of optional parts over the load."""
    figure, (axes,) = new_plot(height=2.8)
    loads, jobs = table["load"].to_list(), table["jobs"].to_list()
    late = [count / of for count, of in zip(table["missed_if_all_is_mandatory"].to_list(), jobs, strict=True)]
    axes.plot(loads, table["optional_part"].to_list(), color=COLORS[0], linewidth=1.1, label="optional parts that run")
    axes.plot(loads, late, color=COLORS[3], linewidth=1.1, label="jobs that miss if all is mandatory")
    axes.set(xlabel="load of both parts", ylabel="fraction", ylim=(0, 1.05))
    add_legend(axes)
    return Plot("imprecise", "Imprecise computation over the load", figure)
