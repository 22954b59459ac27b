# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The periodic resource model: subsystems analysed by themselves, and their interfaces (P, Q) chosen (S4, I-B, III-A).

Sources: Shin and Lee 2003; Lipari and Bini 2003. `takt analyse` gives the least budget of a server for a period, from
its tasks and its policy alone. Simulations then try that budget, and one tick less, beside a neighbour of a higher
priority that takes all it may.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache

import polars as pl
import takt

from studies.common import Claim, Section, Table, verdict
from studies.s4_hierarchical_scheduling.systems import SERVERS, TASKS

SEED = 419
HORIZON = 480
SETS = {True: 12, False: 120}
PHASES = {True: 6, False: 24}
"""Random phases that are tried for each set, besides the worst one."""

LEAST = {
    ("fp", "S1"): {2: 1, 3: 2, 4: 2, 5: 3, 6: 3, 8: 4, 10: 6, 12: 8, 15: 9, 20: 14},
    ("edf", "S1"): {5: 2, 10: 6, 20: 14},
    ("fp", "S2"): {40: 15},
}
"""Least budgets by period, worked out from the supply bound function with the tasks of Table II."""

CHOSEN = {"S1": (10, 6, 2), "S2": (40, 15, 1)}
"""A choice that fits on one processor: period, budget, priority."""


def run(is_quick: bool) -> Section:
    """Analyse subsystems alone, integrate them, and choose the paper's interfaces anew."""
    tried, chosen = try_sets(SETS[is_quick], PHASES[is_quick]), choose_periods()
    return Section(
        "Timing interfaces",
        "A subsystem is a server of kind idling with tasks; its interface is (P, Q). The analysis gives the least Q "
        "for a period from the subsystem alone. Each random subsystem then runs with this budget, and with one tick "
        "less, below a neighbour that takes the rest of the processor, in the worst phase of the model and in random "
        "ones.",
        [_alone_claim(tried), _interface_claim(chosen)],
        [
            Table("interfaces_tried", "Random subsystems with the least budget, and with one tick less", tried),
            Table("interfaces_chosen", "Least budgets for the tasks of Table II", chosen),
        ],
    )


# ---- subsystems by themselves ---------------------------------------------------------------------------


def try_sets(count: int, phases: int) -> pl.DataFrame:
    """Simulate random subsystems with their least budgets, and with one tick less."""
    rng = random.Random(SEED)
    rows = [(number, *_try(rng, phases)) for number in range(count)]
    names = ["set", "tasks", "period", "least_budget", "missed", "missed_with_one_less"]
    return pl.DataFrame(rows, schema=names, orient="row")


def _try(rng: random.Random, phases: int) -> tuple[int, int, int, int, int | None]:
    """Draw a subsystem whose least budget leaves room for a neighbour, and integrate it."""
    while True:
        tasks, period = _draw_tasks(rng), rng.choice((4, 5, 6, 8))
        budget = least_budget("fp", tasks, period)
        if budget is not None and budget < period:
            break
    missed = _missed(rng, tasks, period, budget, phases)
    less = _missed(rng, tasks, period, budget - 1, phases) if budget > 1 else None
    return len(tasks), period, budget, missed, less


def _draw_tasks(rng: random.Random) -> list[takt.Task]:
    """Draw two or three tasks of low utilization."""
    periods = sorted(rng.sample((12, 16, 20, 24, 30, 40), rng.randint(2, 3)))
    return [
        takt.Task(name=f"T{i}", server="S", period=period, wcet=rng.randint(1, max(1, period // 8)), priority=9 - i)
        for i, period in enumerate(periods)
    ]


def _missed(rng: random.Random, tasks: Sequence[takt.Task], period: int, budget: int, phases: int) -> int:
    """Count missed deadlines with the phase that the model takes for the worst one, and at random phases."""
    offsets = [(0, *(0 for _ in tasks))]
    offsets += [(rng.randrange(2), *(rng.randrange(2 * period) for _ in tasks)) for _ in range(phases)]
    return sum(_missed_at(tasks, period, budget, bool(early), moved) for early, *moved in offsets)


def _missed_at(tasks: Sequence[takt.Task], period: int, budget: int, is_early: bool, offsets: Sequence[int]) -> int:
    """Count missed deadlines in one run.

    A neighbour above takes what the budget leaves of each period: at the end of the first one unless it is early, and
    at the beginning of all others. So tasks that come when the budget of the first period is used up wait for
    2 (P - Q), the longest time without supply.
    """
    late = 0 if is_early else budget
    arrivals = [late if k == 0 else k * period for k in range(HORIZON // period)]
    system = takt.System(
        servers=[takt.Server(name="S", period=period, budget=budget, priority=1, kind="idling")],
        tasks=[
            takt.Task(name="above", arrivals=arrivals, wcet=period - budget, deadline=period, priority=2),
            *(task.replace(offset=budget + offset) for task, offset in zip(tasks, offsets, strict=True)),
        ],
    )
    return takt.simulate(system, HORIZON, segments=False, jobs=False).missed


def least_budget(policy: str, tasks: Sequence[takt.Task], period: int) -> int | None:
    """Return the least budget of an idling server for its tasks, alone on the processor; None if none does."""
    server = takt.Server(name="S", period=period, budget=period, priority=1, kind="idling", policy=policy)
    found = takt.analyse(takt.System(servers=[server], tasks=[task.replace(server="S") for task in tasks]))
    return found.servers[0].least_budget


def _alone_claim(tried: pl.DataFrame) -> Claim:
    """Judge that the budget from the subsystem alone is enough, and that less is not."""
    missed = int(tried["missed"].sum())
    judged = tried.drop_nulls("missed_with_one_less")
    hit = judged.filter(pl.col("missed_with_one_less") > 0).height
    return Claim(
        "S4-19",
        "Sections I-B and III-A",
        "The periodic resource model lets subsystems be analysed by themselves.",
        f"{missed} misses of {tried.height} subsystems with the budgets that the analysis gives for each alone; with "
        f"one tick less {hit} of {judged.height} miss a deadline.",
        verdict(missed == 0 and hit == judged.height > 0),
        numbers={"missed": missed, "sets": tried.height, "missed_with_one_less": hit},
    )


# ---- interfaces -----------------------------------------------------------------------------------------


@cache
def choose_periods() -> pl.DataFrame:
    """Compute the least budgets of the paper's subsystems for several periods."""
    rows = [
        (policy, server, period, expected, least_budget(policy, tasks_of(server), period))
        for (policy, server), budgets in LEAST.items()
        for period, expected in budgets.items()
    ]
    return pl.DataFrame(rows, schema=["policy", "server", "period", "expected", "least_budget"], orient="row")


def tasks_of(server: str) -> list[takt.Task]:
    """Return the tasks of Table II in one of the servers."""
    return [
        takt.Task(name=name, server=home, period=period, wcet=wcet, priority=priority)
        for name, (home, period, wcet, priority) in TASKS.items()
        if home == server
    ]


def responses_of(choice: dict[str, tuple[int, int, int]]) -> dict[str, int | None]:
    """Return the time until each server of a choice has had its budget; None if it is not guaranteed."""
    servers = [
        takt.Server(name=name, period=period, budget=budget, priority=priority, kind="idling")
        for name, (period, budget, priority) in choice.items()
    ]
    tasks = [task for name in choice for task in tasks_of(name)]
    rows = takt.analyse(takt.System(servers=servers, tasks=tasks)).servers
    return {row.server: row.response if row.verdict.value == "schedulable" else None for row in rows}


def _interface_claim(chosen: pl.DataFrame) -> Claim:
    """Judge the choice of interfaces."""
    wrong = chosen.filter(pl.col("expected").ne_missing(pl.col("least_budget"))).height
    responses = responses_of(CHOSEN)
    at_20 = chosen.filter(policy="fp", server="S1", period=20)["least_budget"].item()
    return Claim(
        "S4-21",
        "Section III-A",
        "A subsystem has a timing interface (P, Q), which says what it needs from the processor.",
        f"{wrong} of {chosen.height} least budgets differ from those worked out by hand. S1 as (10, 6) and S2 as (40, "
        f"15) have their budgets after {responses['S1']} and {responses['S2']} ticks.",
        verdict(wrong == 0 and responses == {"S1": 6, "S2": 39}, correction=True),
        f"The paper gives S1 the interface {SERVERS['S1'][:2]} without a test; for a period of 20 the periodic "
        f"resource model asks for a budget of {at_20}. With (20, 14) beside (40, 15) the processor is overloaded.",
        {"wrong": wrong, "periods": chosen.height},
    )
