# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Invariants of a faithful build in the experiment of section 5, each a function of the results.

I1 to I8 stand for the claims that the paper draws from Figures 3a to 3d and 4, as far as they do not hang on the
random factors.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import polars as pl

from studies.s0_rate_based.points import PERCENTS, at, column
from studies.s0_rate_based.systems import HORIZON

CLASSES = "HSN"
RATE_BASED = ("RB", "RB-nrt80")
EDF = ("EDF-spor", "EDF-per")
FIXED = ("RM-per", "DM-per", "DM-spor")


@dataclass(frozen=True)
class Outcome:
    """Results: one row for each task of each run, and for each class of each point."""

    runs: pl.DataFrame
    points: pl.DataFrame


Invariant = Callable[[Outcome], bool]


def find(outcome: Outcome) -> dict[str, bool]:
    """Return for each invariant whether it holds."""
    return {name: invariant(outcome) for name, invariant in INVARIANTS.items()}


def _never_late(outcome: Outcome, policies: tuple[str, ...], class_: str = "H") -> bool:
    return not any(sum(column(outcome.points, policy, class_, "miss_percent")) for policy in policies)


def _rate_based_hard(outcome: Outcome) -> bool:
    return _never_late(outcome, RATE_BASED)


def _fixed_hard(outcome: Outcome) -> bool:
    return _never_late(outcome, FIXED)


def _edf_cliff(outcome: Outcome) -> bool:
    def misses(percent: int) -> list[float]:
        return [at(outcome.points, *pair, percent, "miss_percent") for pair in product(EDF, CLASSES)]

    return all(not any(misses(percent)) if percent <= 100 else all(misses(percent)) for percent in PERCENTS)


def growth(points: pl.DataFrame, policy: str, class_: str, start: int, end: int) -> float:
    """Return by how much the average response grows."""
    return at(points, policy, class_, end) / at(points, policy, class_, start)


def _rm_growth(outcome: Outcome) -> bool:
    def grows(class_: str, start: int) -> float:
        return at(outcome.points, "RM-per", class_, start + 10) - at(outcome.points, "RM-per", class_, start)

    return grows("N", 85) > 2 * grows("N", 70) and grows("S", 100) > 2 * grows("S", 75)


def _uniform_past_100(outcome: Outcome) -> bool:
    given = outcome.runs.filter(pl.col("policy").is_in(RATE_BASED), pl.col("class") != "H")
    within = given.filter(pl.col("max") > pl.col("given_period")).height == 0
    calm = all(growth(outcome.points, policy, class_, 100, 110) < 1.6 for policy, class_ in product(RATE_BASED, "SN"))
    return within and calm and growth(outcome.points, "EDF-spor", "S", 100, 110) > 3


def _whole_budget_costs(outcome: Outcome) -> bool:
    greedy, edf = (
        [at(outcome.points, policy, class_, percent) for class_ in "SN" for percent in PERCENTS if percent < 100]
        for policy in ("RB", "EDF-per")
    )
    same = outcome.runs.filter(pl.col("policy") == "RB-nrt80", pl.col("percent") <= 100)["differences"].sum() == 0
    return same and all(mine > other for mine, other in zip(greedy, edf, strict=True))


def _rm_is_dm(outcome: Outcome) -> bool:
    return outcome.runs.filter(policy="DM-per")["differences"].sum() == 0


def _throughput_falls(outcome: Outcome) -> bool:
    softs = outcome.runs.filter(pl.col("policy").is_in(RATE_BASED), pl.col("class") == "S")
    off = softs.filter((pl.col("released") - HORIZON / pl.col("given_period")).abs() > 1).height
    fewer = all(at(outcome.points, "RB", "S", percent, "jobs") < at(outcome.points, "RM-per", "S", percent, "jobs")
                for percent in PERCENTS if percent > 100)  # fmt: skip
    return off == 0 and fewer


INVARIANTS: dict[str, Invariant] = {
    "I1: no hard miss under RB": _rate_based_hard,
    "I2: no hard miss under RM and DM": _fixed_hard,
    "I3: EDF misses nothing up to 100 %, above it in every class": _edf_cliff,
    "I4: RM: NRT grow steeply from 85 %, SRT near 100 %": _rm_growth,
    "I5: RB: responses within the periods, no blow-up past 100 %": _uniform_past_100,
    "I6: RB costs SRT and NRT where NRT takes whole budgets; with jobs of 80 it is EDF": _whole_budget_costs,
    "I7: RM and DM give one schedule": _rm_is_dm,
    "I8: RB sheds SRT throughput": _throughput_falls,
}
