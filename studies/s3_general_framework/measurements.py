# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Section 6: its task set in simulation, and its arithmetic (S3, 6.3 and 6.4); `on_the_board.py` measures."""

from __future__ import annotations

from fractions import Fraction

import polars as pl
import takt

from studies.common import Claim, Section, Table, verdict

SECOND = 1_000_000
"""Ticks are microseconds."""
SECONDS = {True: 13, False: 78}
DISPATCHER, ALLOCATOR, SINGLE = 35, 83, 25
"""Averages of the paper, in microseconds."""
BULKS = (1, 2, 4, 8, 16)
TASKS = [("T0", 13_000), *((f"T{i}", 20_000) for i in range(1, 11))]
WCET = 1000
RELEASES = sum(Fraction(SECOND, period) for _, period in TASKS)
"""In a second."""
PAPER_SHARE = {"framework": 0.118, "single": 0.025}
"""Percent of the processor, as the paper says."""


def run(is_quick: bool) -> Section:
    """Simulate the task set at the costs that the paper measured."""
    runs, shares = simulate_costs(SECONDS[is_quick]), compute_shares()
    return Section(
        "Section 6: measurements",
        f"One task of 1 ms in 13 ms and ten of 1 ms in 20 ms under RM for {SECONDS[is_quick]} s, U = 0.577, with what "
        "the paper measured as the cost of each invocation of the scheduler. Shares of the processor are also "
        "computed for one call per job, the allocator in bulk. The times themselves are those of a Pentium II and a "
        "Linux kernel.",
        [_share_claim(runs, shares), _erratum_claim(shares)],
        [
            Table("cpu_shares", "Percent of the processor, one call per job, by jobs of one allocator call", shares),
            Table("eleven_tasks", "The eleven tasks, simulated at a cost of each invocation", runs),
            Table("errata", "What the paper says, and what is right", errata()),
        ],
    )


def simulate_costs(seconds: int) -> pl.DataFrame:
    """Run the eleven tasks at each cost."""
    costs = {"single module": SINGLE, "dispatcher": DISPATCHER, "dispatcher and allocator": DISPATCHER + ALLOCATOR}
    rows = [(name, cost, *_simulate(cost, seconds)) for name, cost in costs.items()]
    return pl.DataFrame(
        rows, schema=["scheduler", "cost_us", "per_second", "percent", "usable_percent", "missed"], orient="row"
    )


def _simulate(cost: int, seconds: int) -> tuple[float, float, float, int]:
    """Run them at one cost: invocations in a second, percent of the processor, what is left, misses."""
    tasks = [takt.Task(name=name, period=period, wcet=WCET) for name, period in TASKS]
    system = takt.System(tasks=tasks, policy="rm", platform=takt.Platform(scheduling=cost))
    result = takt.simulate(system, seconds * SECOND, segments=False, jobs=False)
    percent = 100 * result.overhead / result.horizon
    return result.invocations / seconds, percent, 100 - percent, result.missed


def percent(cost: int, bulk: int = 1) -> float:
    """Return the percent of the processor that a cost for every job takes, in bulk."""
    return float(100 * RELEASES * cost / SECOND / bulk)


def compute_shares() -> pl.DataFrame:
    """Compute shares for one dispatcher call per job, and one allocator call per k jobs."""
    rows = [
        (bulk, first, second, first + second, percent(SINGLE))
        for bulk in BULKS
        for first, second in [(percent(DISPATCHER), percent(ALLOCATOR, bulk))]
    ]
    return pl.DataFrame(rows, schema=["bulk", "dispatcher", "allocator", "framework", "single_module"], orient="row")


def errata() -> pl.DataFrame:
    """Return what does not hold as the paper claims."""
    ratio = (DISPATCHER + ALLOCATOR) / SINGLE
    framework, single = percent(DISPATCHER + ALLOCATOR), percent(SINGLE)
    rows = [
        ("6.3", "118 us is about 0.118 %", f"of 0.1 s; with {float(RELEASES):.0f} jobs in a second {framework:.1f} %"),
        ("6.3", "25 us is 0.025 %", f"{single:.2f} %, likewise"),
        ("6.3", "about 5 times as large", f"{ratio:.2f} times for a call of each; less in bulk"),
        ("6.3", "usable: 99.88 % to 99.97 %", f"{100 - framework:.1f} % to {100 - single:.1f} % at one call per job"),
        ("Table 1, 2.4", "TD terminates; TD suspends", "they differ: what is terminated is lost, what waits is not"),
        ("Table 1, 5.1", "PD continues; budgets of e in all rows", "in the framework no row continues beyond e"),
        ("4.1", "test the next event", "the order of events of one instant matters, and is left open"),
        ("5.1", "Table 2 implements RM", "only while nothing is late: the job is removed at the end of the period"),
        ("2.2", "General Processor Sharing", "Generalized Processor Sharing"),
    ]
    return pl.DataFrame(rows, schema=["where", "paper", "right"], orient="row")


# ---- claims -----------------------------------------------------------------------------------------


def _share_claim(runs: pl.DataFrame, shares: pl.DataFrame) -> Claim:
    """Judge what is left for the tasks."""
    first, last = shares.row(0, named=True), shares.row(-1, named=True)
    late = int(runs["missed"].sum())
    usable = {row["scheduler"]: row["usable_percent"] for row in runs.iter_rows(named=True)}
    return Claim(
        "S3-21",
        "Sections 6.3 and 6.4",
        "The framework costs about 5 times as much, but the usable processor time is 99.88 % to 99.97 %; the "
        "scheduling delay is 35 to 25 us.",
        f"At one call per job the framework takes {first['framework']:.1f} % (dispatcher {first['dispatcher']:.1f}, "
        f"allocator {first['allocator']:.1f}), a single module {first['single_module']:.2f} %; with {BULKS[-1]} jobs "
        f"in a call {last['framework']:.1f} %. Simulated with that cost at every invocation, "
        f"{usable['dispatcher and allocator']:.1f} % and {usable['single module']:.1f} % are usable, and {late} "
        "deadlines are missed.",
        verdict(late == 0 and first["framework"] > 6 and last["framework"] < 2.5, correction=True),
        "That the difference hardly matters holds in bulk only. The delays are those of the kernel that was "
        "measured; that of a dispatcher which never waits does not depend on the allocator by construction.",
        {
            "framework": first["framework"],
            "single": first["single_module"],
            "framework_bulk": last["framework"],
            "missed": late,
        },
    )


def _erratum_claim(shares: pl.DataFrame) -> Claim:
    """Judge the arithmetic of 6.3."""
    total = DISPATCHER + ALLOCATOR
    calls = PAPER_SHARE["framework"] / 100 * SECOND / total
    factor = float(RELEASES) / calls
    found = shares["framework"][0]
    return Claim(
        "S3-25",
        "Section 6.3 (erratum)",
        "Total time is 118 us, or about 0.118 % CPU time; 25 us, or 0.025 %.",
        f"0.118 % is {calls:.0f} calls of 118 us in a second; the task set releases {float(RELEASES):.0f} jobs, "
        f"{factor:.0f} times as many: {found:.2f} % at one call of each per job, and {percent(SINGLE):.2f} % for 25 "
        "us.",
        verdict(abs(found - percent(total)) < 1e-9 and factor > 50, correction=True),
        "A time was set equal to a percentage: 1 us is 0.001 % of 0.1 s, which is no period of these tasks.",
        {"calls": calls, "releases": float(RELEASES), "framework": found, "single": percent(SINGLE)},
    )
