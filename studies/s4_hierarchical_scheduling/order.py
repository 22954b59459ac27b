# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The order of work in a tick, and the server that is replenished at the instant at which it runs out (S4, V-B1)."""

from __future__ import annotations

import polars as pl
import takt

from studies.common import Claim, Section, Table, verdict
from studies.s4_hierarchical_scheduling.systems import HORIZON as TEST_HORIZON
from studies.s4_hierarchical_scheduling.systems import PAPER_KINDS, SERVERS, run_paper, server_ran

PERIOD = 5
HORIZON = 15
PAPER_BUDGETS = [5, 4, 3, 2, 1, 4, 3, 2, 1]


def run() -> Section:
    """Compare the paper's order with Takt's, where they differ."""
    budgets = compare_orders()
    return Section(
        "The order of work in a tick",
        "The paper replenishes, then charges the tick that is over, then selects. Takt charges first. A server with "
        "P = Q = 5 that is always busy shows the difference: in the paper's order the tick that is over is removed "
        "of the new budget. The column of the paper is worked out from its text.",
        [_claim(budgets)],
        [Table("tick_order", "Budgets of a server with P = Q = 5", budgets)],
    )


def compare_orders() -> pl.DataFrame:
    """Return the budget in each tick in both orders."""
    server = takt.Server(name="S", period=PERIOD, budget=PERIOD, kind="idling")
    task = takt.Task(name="A", server="S", period=PERIOD, wcet=PERIOD)
    ours = takt.simulate(takt.System(servers=[server], tasks=[task]), HORIZON).budgets["S"].to_list()
    return pl.DataFrame({"tick": range(HORIZON), "paper": papers_order(HORIZON), "takt": ours})


def papers_order(horizon: int) -> list[int]:
    """Follow the paper's tick handler: replenish, charge, expire, select."""
    budget, has_run, budgets = 0, False, []
    for tick in range(horizon):
        if tick % PERIOD == 0:
            budget = PERIOD
        budget -= has_run
        has_run = budget > 0
        budgets.append(budget)
    return budgets


def replenished_while_running() -> int:
    """Count the replenishments in Tests 1 and 2 of a server that ran in the tick before; only there orders differ."""
    return sum(
        server_ran(run_paper(kind, test), server)[instant - 1]
        for kind in PAPER_KINDS
        for test in (1, 2)
        for server, (period, _, _) in SERVERS.items()
        for instant in range(period, TEST_HORIZON, period)
    )


def _claim(budgets: pl.DataFrame) -> Claim:
    """Judge the paper's order."""
    paper, ours = budgets["paper"].to_list(), budgets["takt"].to_list()
    met = replenished_while_running()
    is_full = ours == [PERIOD - tick % PERIOD for tick in range(HORIZON)]
    return Claim(
        "S4-07",
        "Section V-B1",
        "At each tick: count it, replenish, global scheduler (charge, expiry, selection), local scheduler.",
        f"P = Q = 5: {paper[:9]} in the paper's order, {ours[:9]} in Takt's. Tests 1 and 2 have "
        f"{met} replenishment of a server that ran in the tick before; the golden schedules hold there, too.",
        verdict(is_full and paper[:9] == PAPER_BUDGETS, correction=True),
        "Charge, completion, expiry, replenishment, releases, then selection from the root down. Else a server that "
        "runs at its own replenishment gets a tick less than Q in every second period.",
        {"paper_second_period": paper[PERIOD], "takt_second_period": ours[PERIOD], "met": met},
    )
