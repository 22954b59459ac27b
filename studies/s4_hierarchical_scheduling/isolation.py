# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The seven design considerations (S4, IV-F and V-C), on random systems whose servers are overloaded."""

from __future__ import annotations

import random

import polars as pl
import takt

from studies.common import Claim, Section, Table, verdict
from studies.s4_hierarchical_scheduling.systems import PAPER_KINDS, run_paper, server_ran
from studies.s4_hierarchical_scheduling.two_tests import s2_is_identical

SEED = 14
SYSTEMS = {True: 30, False: 300}
HORIZON = 400


def run(is_quick: bool) -> Section:
    """Follow the budgets of random systems."""
    systems = follow(SYSTEMS[is_quick])
    considerations = list_considerations(systems)
    return Section(
        "Enforcement, monitoring, isolation",
        f"{systems.height} random systems of two or three idling or deferrable servers, whose tasks ask for more than "
        "the servers have. Enforcement: no server runs for more than Q between two replenishments. Monitoring: in "
        "every tick its budget is Q less the ticks that it ran since the last replenishment, counted from the "
        "segments.",
        [_charge_claim(systems), _claim(considerations)],
        [
            Table("considerations", "The paper's seven design considerations", considerations),
            Table("budgets_followed", "Random systems: budgets against segments", systems),
        ],
    )


def follow(count: int) -> pl.DataFrame:
    """Compare the budgets of random systems with what their servers ran."""
    rng = random.Random(SEED)
    rows = [(number, *_follow(takt.simulate(_random_system(rng), HORIZON))) for number in range(count)]
    return pl.DataFrame(rows, schema=["system", "servers", "periods", "too_long", "wrong_budgets"], orient="row")


def _random_system(rng: random.Random) -> takt.System:
    """Draw a system; every server has a task that asks for more than the budget."""
    servers, tasks = [], []
    for number in range(rng.randint(2, 3)):
        period = rng.choice((5, 8, 10, 16, 20))
        budget, name = rng.randint(1, period // 2), f"S{number}"
        servers.append(
            takt.Server(name=name, period=period, budget=budget, priority=number, kind=rng.choice(PAPER_KINDS))
        )
        greedy, rare = rng.randint(3, 30), rng.randint(10, 60)
        tasks.append(takt.Task(name=f"A{number}", server=name, period=greedy, wcet=rng.randint(1, greedy), priority=1))
        tasks.append(takt.Task(name=f"B{number}", server=name, period=rare, wcet=rng.randint(1, 5), priority=2))
    return takt.System(servers=servers, tasks=tasks)


def _follow(result: takt.Result) -> tuple[int, int, int, int]:
    """Count servers, periods, periods in which a server ran for too long, and ticks with a wrong budget."""
    periods = too_long = wrong = 0
    for server in result.system.servers:
        period, budget = int(server.period), int(server.budget)
        ran, budgets = server_ran(result, server.name), result.budgets[server.name].to_list()
        for start in range(0, result.horizon, period):
            left = [budget - sum(ran[start:tick]) for tick in range(start, min(start + period, result.horizon))]
            periods += 1
            too_long += min(left) < 0
            wrong += sum(mine != theirs for mine, theirs in zip(left, budgets[start : start + period], strict=True))
    return len(result.system.servers), periods, too_long, wrong


def list_considerations(systems: pl.DataFrame) -> pl.DataFrame:
    """Return an observation about each consideration."""
    quiet = run_paper("idling", horizon=20).decisions - run_paper("idling", horizon=11).decisions
    too_long, wrong = int(systems["too_long"].sum()), int(systems["wrong_budgets"].sum())
    rows = [
        ("1 hierarchy or plain scheduler", True, "tasks name a server or stand at the root; see S4-10"),
        ("2 consistency with FreeRTOS", None, "not testable here: another kernel's API"),
        ("3 enforcement", too_long == 0, f"{too_long} of {systems['periods'].sum()} periods in which one ran too long"),
        ("4 monitoring of budgets", wrong == 0, f"{wrong} ticks with a budget that is not Q less what was used"),
        ("5 temporal isolation", s2_is_identical("idling"), "S2 is tick-identical in Tests 1 and 2 (1200 ticks)"),
        ("6 no interference from inactive servers", quiet == 0, f"{quiet} decisions while a job waits in inactive S1"),
        ("7 little overhead", None, "belongs to the kernel; in counts, see S4-17 and S4-18"),
    ]
    return pl.DataFrame(rows, schema=["consideration", "holds", "what_was_seen"], orient="row")


def _charge_claim(systems: pl.DataFrame) -> Claim:
    """Judge charging and expiry."""
    wrong, ticks = int(systems["wrong_budgets"].sum()), int(systems["servers"].sum()) * HORIZON
    return Claim(
        "S4-08",
        "Section V-B2",
        "The global scheduler decrements the budget of the running server each tick, handles expiry, selects the "
        "highest ready server and sets its next activation.",
        f"{wrong} of {ticks:,} budgets per tick differ from Q less what the server ran since its replenishment.",
        verdict(wrong == 0),
        "Budgets are charged at events, not at ticks; they are the same at every tick.",
        {"ticks": ticks, "wrong": wrong},
    )


def _claim(considerations: pl.DataFrame) -> Claim:
    """Judge the considerations that can be judged."""
    judged = considerations.drop_nulls("holds")
    return Claim(
        "S4-14",
        "Sections IV-F and V-C",
        "The implementation meets seven design considerations, among them enforcement, monitoring, isolation and "
        "protection from inactive servers.",
        f"{int(judged['holds'].sum())} of the {judged.height} that can be judged hold; see the table.",
        verdict(bool(judged["holds"].all())),
        "Consistency with FreeRTOS and the overhead in time are not judged.",
        {"judged": judged.height, "hold": int(judged["holds"].sum())},
    )
