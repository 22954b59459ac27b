# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tables 1 and 2 and Figure 2 of the paper: the same tasks at a nominal load and overloaded (S0, 3.2.2)."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

import polars as pl
import takt

from studies.common import Claim, Plot, Section, Table, golden, merged, verdict
from studies.s0_rate_based.systems import entered, paper_example

LENGTH = 80
"""The best-effort period that both figures show."""

OVERLOAD = (3, 6)
"""Wcets of the hard tasks with which the others keep theirs and U = 1.05 without best-effort tasks."""

PRINTED = {"S1": 25, "S2": 65}


def run() -> Section:
    """Run both."""
    nominal, overload = run_nominal(), run_overload()
    return Section(
        "Tables 1 and 2",
        "H1 (P 10), H2 (P 15), S1 (C 3, P 20), S2 (C 5, P 50) and N1 (P 80), beta = 0.1. Nominal: C of H1 and H2 2 and "
        f"3, as printed. Overloaded: {OVERLOAD[0]} and {OVERLOAD[1]}, since Table 2 repeats Table 1 and is no "
        "overload.",
        [_slack_claim(nominal), _nominal_claim(nominal), _overload_claim(overload)],
        [
            Table("example_rates", "What each task is given", _rates(nominal, overload)),
            Table("figure_2a", "Nominal load: the schedule", _segments(nominal)),
            Table("figure_2b", "Overload: the schedule", _segments(overload)),
        ],
        [_plot("figure_2a", "Figure 2a: no mode change", nominal), _plot("figure_2b", "Figure 2b: overload", overload)],
    )


def run_nominal(horizon: int = 600) -> takt.Result:
    """Run Table 1."""
    return takt.simulate(paper_example(), horizon)


def run_overload(horizon: int = 600, grid: int = 1) -> takt.Result:
    """Run what Table 2 must have been."""
    return takt.simulate(paper_example(*OVERLOAD, grid=grid), horizon)


def golden_differences(result: takt.Result, name: str) -> int:
    """Count the rows in which a schedule and the golden one differ."""
    rows = [(int(row["start"]), int(row["end"]), row["task"]) for row in golden(name)]
    end = max(row[1] for row in rows)
    found = [(start, min(stop, end), task) for start, stop, _, task in merged(result.segments) if start < end]
    return sum(mine != theirs for mine, theirs in zip(found, rows, strict=False)) + abs(len(found) - len(rows))


def stretches(periods: dict[str, int], printed: dict[str, int], grid: int = 1) -> list[Fraction]:
    """Return the factors from 1 to 2, in steps of a thousandth, that stretch all periods to the printed ones."""
    factors = [Fraction(thousandths, 1000) for thousandths in range(1001, 2001)]
    return [s for s in factors if all(ceil(periods[name] * s / grid) * grid == printed[name] for name in periods)]


def _slack_claim(nominal: takt.Result) -> Claim:
    """Judge what the best-effort task gets where there is slack."""
    budget = entered(nominal)["N1"][1]
    ran = int(nominal.segments.filter(pl.col("task") == "N1", pl.col("end") <= LENGTH).select(
        (pl.col("end") - pl.col("start")).sum()).item())  # fmt: skip
    return Claim(
        "S0-12",
        "Section 3.2.2",
        "NRT tasks could receive more than the pseudo wcet if there is slack in the schedule.",
        f"The pseudo wcet of a rate of 0.1 would be 8; with 0.35 of the processor left the budget of N1 is {budget}, "
        "and "
        f"it runs for {ran} of the first {LENGTH} ticks.",
        verdict(budget == 28 and ran == budget),
        numbers={"budget": budget, "ran": ran},
    )


def _nominal_claim(nominal: takt.Result) -> Claim:
    """Judge Figure 2a."""
    differing = golden_differences(nominal, "rb_table1_nominal")
    periods = {name: period for name, (_, _, period) in entered(nominal).items()}
    return Claim(
        "S0-21",
        "Table 1, Figure 2a",
        "At a nominal load no task's rate changes.",
        f"All periods are those of Table 1; the schedule differs from the golden one in {differing} rows; "
        f"{nominal.missed} misses.",
        verdict(differing == 0 and periods == {"H1": 10, "H2": 15, "S1": 20, "S2": 50, "N1": 80}, correction=True),
        "Table 1 gives the NRT task a pseudo wcet of 4, the text 8, which is a tenth of its 80. Neither is in force: "
        "by (5) and (13) it gets all that is left.",
        {"differences": differing, "missed": nominal.missed},
    )


def _overload_claim(overload: takt.Result) -> Claim:
    """Judge Figure 2b."""
    differing = golden_differences(overload, "rb_table2_overload")
    fine, coarse = (
        {name: entered(run_overload(grid=grid))[name][2] for name in PRINTED} for grid in (1, 5)
    )  # fmt: skip
    own = {"S1": 20, "S2": 50}
    possible = {grid: len(stretches(own, PRINTED, grid)) for grid in (1, 5)}
    return Claim(
        "S0-22",
        "Table 2, Figure 2b",
        "Overloaded, the periods of the SRT tasks are extended from 20 to 25 and from 50 to 65.",
        f"To {fine['S1']} and {fine['S2']}, on a grid of 5 ticks to {coarse['S1']} and {coarse['S2']}. Factors from 1 "
        f"to 2, in thousandths, that give 25 and 65: {possible[1]} in whole ticks, {possible[5]} on the grid.",
        verdict(
            differing == 0 and fine == {"S1": 25, "S2": 63} and coarse == PRINTED and possible[1] == 0, correction=True
        ),
        "Table 2 is Table 1 again (U = 0.75), so that nothing is overloaded; the smallest change that is, keeps "
        "everything but the wcets of the hard tasks. (6) and (7) stretch both periods by one factor: 25 and 65 need "
        "different ones unless periods are rounded up to multiples of 5.",
        {"differences": differing, "possible_in_ticks": possible[1], "possible_on_grid": possible[5],
         "period_S2": fine["S2"], "period_S2_on_grid": coarse["S2"]},
    )  # fmt: skip


def _rates(nominal: takt.Result, overload: takt.Result) -> pl.DataFrame:
    """Return rates, budgets and periods."""
    rows = [(load, task, *row) for load, result in (("nominal", nominal), ("overload", overload))
            for task, row in entered(result).items()]  # fmt: skip
    return pl.DataFrame(rows, schema=["load", "task", "rate", "budget", "period"], orient="row")


def _segments(result: takt.Result) -> pl.DataFrame:
    """Return the executions in the figure."""
    rows = [(start, end, task) for start, end, _, task in merged(result.segments) if start < LENGTH]
    return pl.DataFrame(rows, schema=["start", "end", "task"], orient="row")


def _plot(name: str, title: str, result: takt.Result) -> Plot:
    """Draw the schedule."""
    return Plot(name, title, result.gantt(end=LENGTH))
