# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Overruns under each paradigm: Table 1, and the budgets that Table 2 gives to all of them (S3, 2.1 to 2.4)."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import polars as pl
import takt

from studies.common import Claim, Plot, Section, Table, new_plot, verdict
from studies.common.plots import COLORS, add_legend
from studies.s3_general_framework.systems import Drawn, harmonized_set, missed, recorded_table

SEED = 18
SETS = {True: 5, False: 20}
FACTORS = {True: (1, 2, 4), False: (1, 2, 3, 4, 6)}
CYCLE = 40
HORIZON = 10 * CYCLE
LEAST, MOST = Fraction(7, 10), Fraction(95, 100)

Make = Callable[[list[Drawn]], takt.System]


def _driven(policy: str, **keys: object) -> Make:
    """Schedule by priorities."""
    return lambda tasks: takt.System(policy=policy, tasks=[task.task(**keys) for task in tasks])


def time_driven(tasks: list[Drawn]) -> takt.System:
    """Follow the table that EDF makes of the wcets."""
    options = recorded_table(tasks, CYCLE)
    return takt.System(policy="time-driven", options=options, tasks=[task.task() for task in tasks])


def share_driven(tasks: list[Drawn]) -> takt.System:
    """Return a system with a constant-bandwidth server for each task, with budget wcet and its period."""
    servers = [takt.Server(name=f"S-{task.name}", kind="cbs", budget=task.wcet, period=task.period) for task in tasks]
    return takt.System(policy="edf", servers=servers, tasks=[task.task(server=f"S-{task.name}") for task in tasks])


WAYS: dict[str, Make] = {
    "RM": _driven("rm"),
    "EDF": _driven("edf"),
    "RM, budget, suspend": _driven("rm", on_overrun="suspend"),
    "RM, budget, abort": _driven("rm", on_overrun="abort"),
    "EDF, budget, suspend": _driven("edf", on_overrun="suspend"),
    "EDF, budget, abort": _driven("edf", on_overrun="abort"),
    "TD": time_driven,
    "SD": share_driven,
}
UNENFORCED = ("RM", "EDF")


def run(is_quick: bool) -> Section:
    """Return the section about a task that overruns, with the misses of the others."""
    sweep = run_sets(SETS[is_quick], FACTORS[is_quick])
    example = run_example()
    return Section(
        "Overruns: Table 1",
        f"{SETS[is_quick]} random sets of four tasks, 0.7 <= U <= 0.95, that RM schedules. One task, the first or the "
        "last by period, asks for a multiple of its wcet in every third job. Counted are the deadlines that the "
        f"others miss in {HORIZON} ticks. TD follows a table that was made off line by EDF from the wcets; SD gives "
        "each task a constant-bandwidth server of its wcet and period.",
        [_overrun_claim(sweep, example)],
        [
            Table("overrun_example", "H (10, 3) asks for 9 once; M (10, 3), L (20, 6)", example),
            Table("overruns", "Misses of the tasks that keep to their wcets, and of the one that does not", sweep),
        ],
        [_plot(sweep)],
    )


def run_example() -> pl.DataFrame:
    """Run one overrun of one task in each way."""
    tasks = [Drawn("H", 10, 3, 0, demands=(9, 3, 3, 3)), Drawn("M", 10, 3, 1), Drawn("L", 20, 6, 2)]
    results = {way: takt.simulate(make(tasks), CYCLE) for way, make in WAYS.items()}
    rows = [
        (way, *result.summary["response_max"], *result.summary["missed"], int(result.summary["aborted"].sum()))
        for way, result in results.items()
    ]
    columns = [*(f"response_{task.name}" for task in tasks), *(f"missed_{task.name}" for task in tasks), "aborted"]
    return pl.DataFrame(rows, schema=["way", *columns], orient="row")


def run_sets(count: int, factors: tuple[int, ...]) -> pl.DataFrame:
    """Add up the misses over random sets, for each way, each culprit and each factor."""
    rng = random.Random(SEED)
    sets = [_schedulable_set(rng) for _ in range(count)]
    rows = [
        (way, culprit, factor, *_misses(make, sets, place, factor))
        for way, make in WAYS.items()
        for culprit, place in (("first", 0), ("last", 3))
        for factor in factors
    ]
    return pl.DataFrame(rows, schema=["way", "culprit", "factor", "others_missed", "own_missed"], orient="row")


def _schedulable_set(rng: random.Random) -> list[Drawn]:
    """Draw a set that RM schedules."""
    while True:
        tasks = harmonized_set(rng, LEAST, MOST)
        if takt.simulate(_driven("rm")(tasks), CYCLE).missed == 0:
            return tasks


def _misses(make: Make, sets: list[list[Drawn]], place: int, factor: int) -> tuple[int, int]:
    """Count what the others and what the culprit miss."""
    others = own = 0
    for tasks in sets:
        wcet = tasks[place].wcet
        culprit = replace(tasks[place], demands=(wcet, factor * wcet, wcet))
        changed = [*tasks[:place], culprit, *tasks[place + 1 :]]
        result = takt.simulate(make(changed), HORIZON, segments=False)
        names = [task.name for task in tasks]
        own += missed(result, names[place : place + 1])
        others += missed(result, names[:place] + names[place + 1 :])
    return others, own


def others_missed(sweep: pl.DataFrame, way: str, culprit: str) -> int:
    """Add up what the others miss in one way."""
    return int(sweep.filter(way=way, culprit=culprit)["others_missed"].sum())


def _overrun_claim(sweep: pl.DataFrame, example: pl.DataFrame) -> Claim:
    """Judge the first row of Table 1."""
    harm = {(way, place): others_missed(sweep, way, place) for way in WAYS for place in ("first", "last")}
    enforced = sum(count for (way, _), count in harm.items() if way not in UNENFORCED)
    is_harmed = harm["RM", "first"] > 0 and harm["EDF", "first"] > 0 and harm["EDF", "last"] > 0
    holds = is_harmed and harm["RM", "last"] == 0 and enforced == 0
    late = int(example.filter(way="RM")["missed_L"][0])
    return Claim(
        "S3-18",
        "Sections 2.1 to 2.4, Table 1",
        "Overrun: TD stops the task at its finish time; under PD a high-priority task continues and takes the time of "
        "lower ones; under SD the others are not affected.",
        f"Deadlines missed by the others: {harm['RM', 'first']:,} under RM if the first task overruns, "
        f"{harm['RM', 'last']} if the last does; {harm['EDF', 'first']:,} and {harm['EDF', 'last']:,} under EDF; "
        f"{harm['TD', 'first'] + harm['TD', 'last']} under TD, {harm['SD', 'first'] + harm['SD', 'last']} under SD, "
        f"and {enforced} in all ways that enforce a budget.",
        verdict(holds, correction=True),
        "Table 1 is right of the plain paradigms. In the framework Table 2 gives every row a budget of e, so that RM "
        "and EDF stop an overrun, too. And Table 1 says that TD terminates, section 2.4 that it suspends: here the "
        "rest waits for the next slot.",
        {
            "rm_first": harm["RM", "first"],
            "rm_last": harm["RM", "last"],
            "edf_first": harm["EDF", "first"],
            "edf_last": harm["EDF", "last"],
            "enforced": enforced,
            "example_rm_L": late,
        },
    )


def _plot(sweep: pl.DataFrame) -> Plot:
    """Draw what the others miss over the size of the overrun."""
    figure, panels = new_plot(rows=2, height=4.0, sharex=True)
    lines = ("RM", "EDF", "RM, budget, suspend", "TD", "SD")
    for axes, culprit in zip(panels, ("first", "last"), strict=True):
        for color, way in zip(COLORS, lines, strict=False):
            own = sweep.filter(way=way, culprit=culprit)
            axes.plot(own["factor"].to_list(), own["others_missed"].to_list(), color=color, linewidth=1.1, label=way)
        axes.set(ylabel=f"others' misses,\n{culprit} overruns")
    panels[1].set(xlabel="demand of every third job / wcet")
    add_legend(panels[0])
    return Plot("overruns", "Overruns: the tasks that are harmed", figure)
