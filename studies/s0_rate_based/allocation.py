# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The allocation of rates: equations (2) to (7), (13) and (14), admission, Algorithms 1 and 2 (S0, 3.1 to 3.2.4).

Rates, budgets and periods of random sets are held against the equations in exact fractions. Rates are rounded by less
than a unit of 1/18,018,000 each (SPEC.md, 10), so that a period or a budget can be one tick off.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor
from typing import Any

import polars as pl
import takt

from studies.common import Claim, Section, Table, verdict
from studies.s0_rate_based.systems import BETA, LETTERS, UNIT, entered, hard, none, paper_example, rate_based, soft

SEED = 10
SETS = {True: 30, False: 300}
SHARE = Fraction(1, 10)
CLOSE = 64 * UNIT
"""What sums of rates may be off by rounding."""


def run(is_quick: bool) -> Section:
    """Compare, and try the cases one by one."""
    sets = compare(SETS[is_quick])
    return Section(
        "The allocation of rates",
        f"{sets.height} random sets of one to three hard, one to four soft and one to three best-effort tasks, with "
        "weights, all there from 0.",
        [
            _classes_claim(sets),
            _rate_claim(sets),
            _beta_claim(),
            _sums_claim(sets),
            _periods_claim(sets),
            _budgets_claim(sets),
            _admission_claim(),
            _degraded_claim(sets),
            _starvation_claim(),
            _create_claim(),
            _allocate_claim(),
        ],
        [
            Table("equations", "Random sets: what was given against the equations", sets),
            Table("beta", "Formula (3) as printed and as it must be", betas()),
        ],
    )


# ---- the equations ----------------------------------------------------------------------------------------


def requested(tasks: Sequence[takt.Task], class_: str) -> Fraction:
    """Add up C/P of a class, which is C/min(D, P) here (2)."""
    return sum((Fraction(int(task.wcet or 0), int(task.period or 0)) for task in tasks if task.class_ == class_),
               Fraction())  # fmt: skip


def given_to_soft(tasks: Sequence[takt.Task]) -> Fraction:
    """Return U'_SRT (4), not below 0."""
    return max(Fraction(), min(requested(tasks, "soft"), 1 - requested(tasks, "hard") - SHARE))


def given_to_none(tasks: Sequence[takt.Task]) -> Fraction:
    """Return U'_NRT (5)."""
    return 1 - requested(tasks, "hard") - given_to_soft(tasks)


def soft_period(task: takt.Task, tasks: Sequence[takt.Task]) -> int:
    """Return the period of (6) and (7), in whole ticks."""
    rate = Fraction(int(task.wcet or 0), int(task.period or 0)) / requested(tasks, "soft") * given_to_soft(tasks)
    return ceil(int(task.wcet or 0) / rate)


def none_budget(task: takt.Task, tasks: Sequence[takt.Task]) -> int:
    """Return the pseudo wcet of (13) and (14) with weights, in whole ticks."""
    weights = sum(other.weight for other in tasks if other.class_ == "none")
    return floor(given_to_none(tasks) * task.weight / weights * int(task.period or 0))


def formula_3(nones: int, softs: int, hard_share: Fraction, soft_share: Fraction, last: Fraction) -> Fraction:
    """Return beta; as printed the last factor is 1 - U_SRT, which must be 1 - U_HRT."""
    return nones / (nones + softs * (1 + soft_share) ** 2) * (1 - last)


# ---- random sets ------------------------------------------------------------------------------------------


def draw(rng: random.Random) -> list[takt.Task]:
    """Draw a set whose hard tasks fit beside the reserve, and whose rates are whole units."""
    periods = (100, 120, 150, 200, 240, 300, 400, 500, 600)
    hards = [hard(f"H{n}", rng.randint(10, 25), rng.choice(periods)) for n in range(rng.randint(1, 3))]
    softs = [soft(f"S{n}", rng.randint(10, 99), rng.choice(periods)) for n in range(rng.randint(1, 4))]
    nones = [none(f"N{n}", rng.choice((400, 800)), weight=rng.randint(1, 4)) for n in range(rng.randint(1, 3))]
    return [*hards, *softs, *nones]


def compare(count: int) -> pl.DataFrame:
    """Hold what is given against the equations."""
    rng = random.Random(SEED)
    rows = [(number, *_compare(draw(rng))) for number in range(count)]
    names = ["set", "load", "is_overload", "classes", "wrong_rates", "sums_off", "wrong_periods", "wrong_budgets",
             "largest_sum", "degraded"]  # fmt: skip
    return pl.DataFrame(rows, schema=names, orient="row")


def _compare(tasks: Sequence[takt.Task]) -> tuple[float | int | str | bool, ...]:
    """Compare one set."""
    given = entered(takt.simulate(rate_based(tasks), 1))
    load = requested(tasks, "hard") + requested(tasks, "soft") + SHARE
    of = {class_: [task for task in tasks if task.class_ == class_] for class_ in LETTERS}
    exact = [task for task in tasks if task.class_ == "hard" or (task.class_ == "soft" and load <= 1)]
    sums = {class_: sum(given[task.name][0] for task in of[class_]) for class_ in LETTERS}
    return (
        float(load),
        load > 1,
        "".join(letter for class_, letter in LETTERS.items() if all(task.name in given for task in of[class_])),
        sum(abs(given[task.name][0] - float(_rate(task))) > UNIT for task in exact),
        sum(abs(sums[class_] - float(share)) > CLOSE for class_, share in
            (("soft", given_to_soft(tasks)), ("none", given_to_none(tasks)))),
        sum(abs(given[task.name][2] - soft_period(task, tasks)) > 1 for task in of["soft"]),
        sum(abs(given[task.name][1] - none_budget(task, tasks)) > 1 for task in of["none"]),
        float(sum(Fraction(budget, period) for _, budget, period in given.values())),
        sum(given[task.name][2] > int(task.period or 0) for task in of["soft"]),
    )  # fmt: skip


def _rate(task: takt.Task) -> Fraction:
    """Return C/P."""
    return Fraction(int(task.wcet or 0), int(task.period or 0))


# ---- claims -----------------------------------------------------------------------------------------------


def _classes_claim(sets: pl.DataFrame) -> Claim:
    """Judge that there are three classes."""
    complete = int((sets["classes"] == "HSN").sum())
    return Claim(
        "S0-04",
        "Sections 3.1 and 4",
        "Tasks are HRT, SRT or NRT, with the attributes type, wcet, period and deadline.",
        f"class, wcet, period and deadline; in {complete} of {sets.height} sets all tasks of all classes have a rate.",
        verdict(complete == sets.height),
        numbers={"sets": sets.height, "complete": complete},
    )


def _rate_claim(sets: pl.DataFrame) -> Claim:
    """Judge (2) and the rate of a task."""
    wrong = int(sets["wrong_rates"].sum())
    return Claim(
        "S0-05",
        "Section 3.1, (2)",
        "The rate of a task is U_i = C_i / P_i; HRT tasks get it always, SRT tasks where U <= 1.",
        f"{wrong} rates are farther than a unit of 1/18,018,000 from C/P.",
        verdict(wrong == 0),
        numbers={"wrong": wrong},
    )


def betas() -> pl.DataFrame:
    """Try formula (3) in both forms."""
    rows = []
    for nones, softs, of_hard, of_soft in (
        (1, 0, 90, 0),
        (1, 2, 70, 35),
        (2, 2, 40, 25),
        (1, 4, 20, 60),
        (3, 1, 0, 10),
    ):
        shares = Fraction(of_hard, 100), Fraction(of_soft, 100)
        printed = formula_3(nones, softs, *shares, last=shares[1])
        corrected = formula_3(nones, softs, *shares, last=shares[0])
        rows.append((nones, softs, *map(float, shares), float(printed), float(corrected), float(1 - shares[0])))
    names = ["none_tasks", "soft_tasks", "U_hard", "U_soft", "printed", "corrected", "room"]
    return pl.DataFrame(rows, schema=names, orient="row")


def _beta_claim() -> Claim:
    """Judge beta."""
    tried = betas()
    printed = int((tried["printed"] > tried["room"]).sum())
    corrected = int((tried["corrected"] > tried["room"]).sum())
    overload = [hard("H", 70, 100), soft("S1", 40, 100), soft("S2", 30, 100), none("N", 1000)]
    given = entered(takt.simulate(rate_based(overload, beta="formula"), 1))["N"][0]
    expected = float(formula_3(1, 2, Fraction(7, 10), Fraction(7, 10), Fraction(7, 10)))
    constant = entered(takt.simulate(rate_based(overload), 1))["N"][0]
    return Claim(
        "S0-06",
        "Section 3.1, (3); Section 5",
        "beta reserves a share for NRT tasks: by formula (3), whose last factor is 1 - U_SRT, or 0.1.",
        f"As printed, {printed} of {tried.height} settings reserve more than the HRT tasks leave, with 1 - U_HRT "
        f"{corrected}. An overloaded system gives best-effort tasks {given:.6f} by the formula ({expected:.6f} "
        f"computed) and {constant:.6f} by the constant.",
        verdict(corrected == 0 and abs(given - expected) < CLOSE and abs(constant - BETA) < CLOSE, printed > 0),
        "The text after (3) defines U_HRT, which (3) does not use: its last factor must be 1 - U_HRT. The reference "
        "that (3) and (6) name has neither.",
        {"printed_too_large": printed, "corrected_too_large": corrected, "given": given, "constant": constant},
    )


def _sums_claim(sets: pl.DataFrame) -> Claim:
    """Judge (4) and (5)."""
    off = int(sets["sums_off"].sum())
    return Claim(
        "S0-07",
        "Section 3.1, (4) and (5)",
        "U'_SRT = min(U_SRT, 1 - U_HRT - beta), U'_NRT = 1 - U_HRT - U'_SRT.",
        f"{off} of {2 * sets.height} sums are off by more than rounding.",
        verdict(off == 0),
        "Where HRT tasks and beta leave nothing, (4) is below 0; here it is 0 then.",
        {"off": off},
    )


def _periods_claim(sets: pl.DataFrame) -> Claim:
    """Judge (6) and (7)."""
    wrong, largest = int(sets["wrong_periods"].sum()), float(sets["largest_sum"].max())  # type: ignore[arg-type]
    return Claim(
        "S0-08",
        "Section 3.1, (6); Section 3.2.1, (7)",
        "Each SRT task gets a share of U'_SRT in proportion to its rate; its period becomes C / wU.",
        f"{wrong} periods are farther than a tick from C / wU, rounded up. The sum of budgets over periods is at most "
        f"{largest:.9f}.",
        verdict(wrong == 0 and largest <= 1),
        "Periods have to be rounded up and pseudo wcets down for that: a rounded sum can be above 1 otherwise.",
        {"wrong": wrong, "largest_sum": largest},
    )


def _budgets_claim(sets: pl.DataFrame) -> Claim:
    """Judge (13) and (14)."""
    wrong = int(sets["wrong_budgets"].sum())
    nominal, overload = (entered(takt.simulate(paper_example(*wcets), 1))["N1"] for wcets in ((2, 3), (3, 6)))
    return Claim(
        "S0-11",
        "Section 3.2.2, (13) and (14)",
        "NRT tasks share max(beta, 1 - U_HRT - U_SRT); their periods are fixed, their pseudo wcets follow.",
        f"{wrong} pseudo wcets are farther than a tick from what (13) and (14) give; in the paper's example "
        f"{nominal[1]} in {nominal[2]} at the nominal load, {overload[1]} in {overload[2]} overloaded.",
        verdict(wrong == 0 and nominal[1:] == (28, 80) and overload[1:] == (8, 80)),
        "(14) is solved for C, as the period is what stays.",
        {"wrong": wrong, "nominal": nominal[1], "overload": overload[1]},
    )


def _rejected(tasks: Sequence[takt.Task], **options: Any) -> list[str]:
    """Return the rejected tasks."""
    rates = takt.simulate(rate_based(tasks, **options), 1).rates
    return [str(task) for task in rates.filter(what="rejected")["task"]]


def _admission_claim() -> Claim:
    """Judge admission at its limit."""
    fits = _rejected([hard("H", 90, 100), none("N", 100)])
    above = _rejected([hard("H", 91, 100), none("N", 100)])
    second = _rejected([hard("A", 45, 100), hard("B", 46, 100), hard("C", 45, 100)])
    return Claim(
        "S0-13",
        "Section 4",
        "An HRT task gets its target rate, or is not admitted as a real-time process.",
        f"With beta = 0.1, 90 of 100 is admitted and 91 of 100 rejected; of 45, 46 and 45 of 100 the "
        f"{'second' if second == ['B'] else 'wrong one'} is rejected.",
        verdict(not fits and above == ["H"] and second == ["B"], correction=True),
        "Algorithm 1 adds an HRT task to its sums before any test, and has none that rejects it. The reserve is kept "
        "even while there is no NRT task, or none could ever come.",
        {"rejected_at_limit": len(fits), "rejected_above": len(above)},
    )


def _degraded_claim(sets: pl.DataFrame) -> Claim:
    """Judge what becomes of soft tasks in an overload."""
    overloaded = sets.filter("is_overload")
    unstretched = overloaded.filter(degraded=0).height
    stretched = sets.filter(~pl.col("is_overload"), pl.col("degraded") > 0).height
    return Claim(
        "S0-14",
        "Sections 3.1 and 4",
        "If U <= 1 an SRT task gets the rate that it asks for, in an overload it may get less.",
        f"In {overloaded.height} overloaded sets all soft tasks are admitted; {unstretched} of these keep all periods. "
        f"Without overload, {stretched} of {sets.height - overloaded.height} sets have a stretched period.",
        verdict(unstretched == 0 and stretched == 0 and overloaded.height > 0),
        numbers={"overloaded": overloaded.height, "unstretched": unstretched, "stretched_without": stretched},
    )


def _starvation_claim() -> Claim:
    """Judge starvation, and what prevents it."""
    tasks = [soft("S", 10, 100), hard("H", 90, 100), none("N", 100)]
    starved = takt.simulate(rate_based(tasks), 1000)
    ran = int(starved.summary.filter(task="S")["busy"].item())
    kept = _rejected(tasks, sigma=0.05)
    return Claim(
        "S0-20",
        "Sections 3.1 and 3.2.3",
        "SRT tasks may starve if the system is overloaded with HRT tasks; weights keep that from happening.",
        f"With 0.9 for a hard task and beta = 0.1 a soft task runs for {ran} of 1000 ticks; with sigma = 0.05 the hard "
        f"task is {'rejected' if kept == ['H'] else 'admitted'}.",
        verdict(ran == 0 and kept == ["H"], correction=True),
        "Proportional shares do not help when the sum to share is 0: a least share of the class, sigma, does, at "
        "admission.",
        {"ran": ran},
    )


def _create_claim() -> Claim:
    """Judge Algorithm 1, repaired."""
    tasks = [hard("H", 20, 100), none("N1", 100), none("N3", 100, weight=3)]
    given = entered(takt.simulate(rate_based(tasks), 1))
    budgets = given["N1"][1], given["N3"][1]
    twice = takt.simulate(rate_based([hard("H", 60, 100), hard("H2", 60, 100), soft("S", 10, 100)]), 1)
    after = entered(twice)
    return Claim(
        "S0-23",
        "Section 3.2.4, Algorithm 1",
        "taskRBCreate counts rates and weights by class and calls the allocation if U + beta > 1.",
        f"Weights of 1 and 3 get budgets of {budgets[0]} and {budgets[1]}; a rejected hard task leaves no trace in the "
        f"sums: the soft task beside it keeps its period of {after['S'][2]}.",
        verdict(budgets == (20, 60) and "H2" not in after and after["S"][2] == 100, correction=True),
        "As printed, a weight that was given is overwritten; the period of an NRT task is nnrt - sysClkGet (Algorithm "
        "2 "
        "has a product); the queue is sorted before the insertion; hard and soft tasks get no release time, so that "
        "the check for the past fails; u_nrt adds up weights, not rates.",
        {"budget_of_1": budgets[0], "budget_of_3": budgets[1]},
    )


def _allocate_claim() -> Claim:
    """Judge Algorithm 2, repaired."""
    before = [hard("H", 40, 100), soft("A", 30, 100), none("N", 400)]
    late = soft("B", 30, 100, offset=500)
    result = takt.simulate(rate_based([*before, late]), 1500)
    changed = result.rates.filter(what="re-rated").unique("task", keep="first", maintain_order=True)
    rates = dict(changed.select("task", "rate").rows())
    printed = max(BETA, 0.4 - 0.6)
    return Claim(
        "S0-24",
        "Section 3.2.4, Algorithm 2",
        "resourceAllocation(tcb) computes the rate of the calling task; NRT: max(BETA, u_hrt - u_srt) * weight.",
        f"When B enters at 500, A falls from 0.3 to {rates.get('A', 0):.4f} and N from 0.3 to {rates.get('N', 0):.4f}.",
        verdict(abs(rates.get("A", 0) - 0.25) < CLOSE and abs(rates.get("N", 0) - BETA) < CLOSE, correction=True),
        f"Equation (13) is 1 - u_hrt - u_srt; the printed difference is {0.4 - 0.6:.1f} here and makes {printed} of "
        "any "
        "load with more soft than hard tasks. Not only the calling task changes: (6) changes all soft ones and (13) "
        "all NRT ones.",
        {"rate_A": rates.get("A", 0.0), "rate_N": rates.get("N", 0.0)},
    )
