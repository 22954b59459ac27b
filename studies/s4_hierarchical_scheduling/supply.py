# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Guaranteed supply of S2, over the phases of S1's work: the back-to-back hit of deferrable servers.

Source: the usual global tests, R = Q + sum of ceil(R / P) Q for idling servers, and ceil((R + P - Q) / P) for
deferrable ones above. Here the phases are tried, which shows that the second test is right to refuse Table I; it
proves nothing about phases that were not tried.
"""

from __future__ import annotations

import polars as pl
import takt

from studies.common import Claim, Section, Table, verdict
from studies.s4_hierarchical_scheduling.systems import SERVERS

KINDS = ("idling", "deferrable", "polling", "sporadic")
STEP = {True: 5, False: 1}
HORIZON = 240
ENDLESS = 10_000


def run(is_quick: bool) -> Section:
    """Try the phases."""
    frame = try_phases(STEP[is_quick])
    return Section(
        "What a server is sure to get",
        "Table I. S1 gets work without end at some instant of its first period, S2 has work without end and an offset "
        "within its period. For each kind of both servers, the least that S2 gets in one of its periods.",
        [_claim(frame)],
        [Table("least_supply", "The least that S2 gets in a period; its budget is 15", frame)],
    )


def try_phases(step: int) -> pl.DataFrame:
    """Return the least supply of S2 for each kind, and its phase."""
    rows = [(kind, *_least_of(kind, step)) for kind in KINDS]
    return pl.DataFrame(rows, schema=["kind", "least_supply", "arrival_in_S1", "offset_of_S2", "phases"], orient="row")


def _least_of(kind: str, step: int) -> tuple[int, int, int, int]:
    """Try all phases of one kind."""
    phases = [(arrival, offset) for arrival in range(0, SERVERS["S1"][0], step) for offset in range(0, 40, step)]
    return *min((_least_supply(kind, *phase), *phase) for phase in phases), len(phases)


def _least_supply(kind: str, arrival: int, offset: int) -> int:
    """Run one phase; return the least supply of S2 in one of its periods."""
    offsets = {"S1": 0, "S2": offset}
    servers = [
        takt.Server(name=name, period=period, budget=budget, priority=priority, kind=kind, offset=offsets[name])
        for name, (period, budget, priority) in SERVERS.items()
    ]
    tasks = [
        takt.Task(name=server, server=server, arrivals=[first], deadline=ENDLESS, wcet=ENDLESS)
        for server, first in (("S1", arrival), ("S2", 0))
    ]
    result = takt.simulate(takt.System(servers=servers, tasks=tasks), HORIZON, budgets=False, jobs=False)
    ran = result.segments.filter(server="S2").select("start", "end").rows()
    period = SERVERS["S2"][0]
    return min(_overlap(ran, start, start + period) for start in range(offset, HORIZON - period + 1, period))


def _overlap(ran: list[tuple[int, int]], first: int, last: int) -> int:
    """Add up what was run between two instants."""
    return sum(max(0, min(end, last) - max(start, first)) for start, end in ran)


def _claim(frame: pl.DataFrame) -> Claim:
    """Judge the global tests on Table I."""
    least = dict(frame.select("kind", "least_supply").rows())
    budget = SERVERS["S2"][1]
    worst = frame.filter(kind="deferrable").row(0, named=True)
    return Claim(
        "S4-20",
        "Table I, Section III-A",
        "S2 is allocated 15 ticks in each 40; the literature's tests guarantee that for idling servers, and refuse it "
        "for deferrable ones.",
        f"The least that S2 gets over {worst['phases']} phases: "
        + ", ".join(f"{ticks} with {kind} servers" for kind, ticks in least.items())
        + f". Deferrable: work in S1 at {worst['arrival_in_S1']}, S2 begun at {worst['offset_of_S2']}.",
        verdict(least["idling"] == budget > least["deferrable"], correction=True),
        "The paper tests neither. With deferrable servers S1 can use the end of one period and the beginning of the "
        "next back to back; Tests 1 and 2 never meet that phase.",
        {f"least_{kind}": ticks for kind, ticks in least.items()},
    )
