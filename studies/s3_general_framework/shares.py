# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Share-driven algorithms: CBS, TBS and CUS as servers, WFQ and WF2Q as policies (S3, 2.2)."""

from __future__ import annotations

import random
from fractions import Fraction

import polars as pl
import takt

from studies.common import Claim, Section, Table, verdict
from studies.s3_general_framework import reference
from studies.s3_general_framework.systems import (
    HORIZON,
    Drawn,
    Ticks,
    differences,
    executed,
    golden_ticks,
    random_set,
    tasks_of,
)

SEED = 12
SETS = {True: 15, False: 200}
KINDS = ("cbs", "hard-cbs")
BANDWIDTHS = {"tbs": reference.TotalBandwidth, "cus": reference.ConstantUtilization}
SERVERS = (*KINDS, *BANDWIDTHS)
VARIANTS = {"wfq": reference.FairQueue, "wf2q": reference.WorstCaseFairQueue}
ENDLESS = 10_000

Work = tuple[tuple[int, int], ...]
Flow = tuple[str, int, int, list[int]]
"""Name, weight, length of a packet, arrivals."""


def run(is_quick: bool) -> Section:
    """Run servers of either kind beside periodic tasks."""
    worked, sets = run_worked_examples(), run_sets(SETS[is_quick])
    return Section(
        "Share-driven algorithms",
        f"{SETS[is_quick]} random systems of each: periodic tasks under EDF with U <= 1 together with a server, whose "
        "jobs come at random; flows of packets that come at random and load the line by more than it has.",
        [_claim(worked, sets)],
        [
            Table("shares_worked", "Worked examples: ticks that differ", worked),
            Table("share_sums", "Random systems: those that run as in the framework, and periodic misses", _sums(sets)),
            Table("share_sets", "Each random system", sets),
        ],
    )


# ---- worked examples --------------------------------------------------------------------------------


def beside(tasks: list[Drawn], kind: str, server: tuple[int, int], work: Work) -> takt.System:
    """Return a system with periodic tasks and, behind them, a server with aperiodic jobs."""
    budget, period = server
    served = takt.Task(
        name="srv",
        server="S",
        arrivals=[instant for instant, _ in work],
        wcet=ENDLESS,
        demand=[demand for _, demand in work],
        deadline=ENDLESS,
    )
    return takt.System(
        policy="edf",
        tasks=[*(task.task() for task in tasks), served],
        servers=[takt.Server(name="S", kind=kind, budget=budget, period=period)],
    )


def beside_bandwidth(tasks: list[Drawn], kind: str, server: tuple[int, int], work: Work) -> takt.System:
    """Return periodic tasks and, behind them, a total-bandwidth or constant-utilization server; each job is a task."""
    budget, period = server
    served = [
        takt.Task(name=f"srv@{number}", server="S", arrivals=[instant], wcet=demand)
        for number, (instant, demand) in enumerate(work)
    ]
    return takt.System(
        policy="edf",
        tasks=[*(task.task() for task in tasks), *served],
        servers=[takt.Server(name="S", kind=kind, budget=budget, period=period)],
    )


def flows(variant: str, rows: list[Flow]) -> takt.System:
    """Send packets of flows."""
    tasks = [
        takt.Task(name=name, weight=weight, wcet=length, deadline=ENDLESS, arrivals=list(arrivals))
        for name, weight, length, arrivals in rows
    ]
    return takt.System(policy="share", options=[takt.Share(variant=variant)], tasks=tasks)


ELEVEN: list[Flow] = [(f"f{i:02}", 10 if i == 1 else 1, 1, [0] * (11 if i == 1 else 1)) for i in range(1, 12)]


def run_worked_examples() -> pl.DataFrame:
    """Compare with the golden schedules."""
    two = [Drawn("A", 6, 3), Drawn("B", 8, 2)]
    served = ((3, 1), (9, 2), (14, 1))
    systems: dict[str, tuple[takt.System, int]] = {
        "srv_cbs": (beside([Drawn("A", 7, 4)], "cbs", (3, 8), ((3, 4), (13, 3))), 30),
        "red_cbs": (beside([Drawn("H", 4, 2)], "cbs", (2, 6), ((2, 4), (12, 2), (13, 1))), 30),
        "srv_tbs": (beside_bandwidth(two, "tbs", (1, 4), served), 24),
        "srv_cus": (beside_bandwidth(two, "cus", (1, 4), served), 24),
        "sd_wfq": (flows("wfq", ELEVEN), 21),
    }
    rows = [(name, _differ_from_golden(name, *case)) for name, case in systems.items()]
    ran = tasks_of(executed(takt.simulate(flows("wf2q", ELEVEN), 21)))
    rows.append(("WF2Q alternates", differences(ran, alternating())))
    return pl.DataFrame(rows, schema=["golden", "differ"], orient="row")


def _differ_from_golden(name: str, system: takt.System, horizon: int) -> int:
    """Count the ticks that differ from a golden schedule, which calls the server of red_cbs A."""
    expected = ["srv" if name == "red_cbs" and job == "A" else job for job in golden_ticks(name, horizon)]
    return differences(tasks_of(_as_one(executed(takt.simulate(system, horizon)))), expected)


def _as_one(ticks: Ticks) -> Ticks:
    """Call the tasks srv@0, srv@1 .. the jobs of one."""
    return ["srv#" + job[4 : job.index("#")] if job.startswith("srv@") else job for job in ticks]


def alternating() -> Ticks:
    """Return a schedule in which the first flow has every second packet."""
    others = [f"f{i:02}" for i in range(2, 12)]
    return [others[tick // 2] if tick % 2 else "f01" for tick in range(21)]


# ---- random systems ---------------------------------------------------------------------------------


def run_sets(count: int) -> pl.DataFrame:
    """Run random systems of each."""
    rng = random.Random(SEED)
    rows = [(kind, number, *_one_system(rng, kind)) for kind in SERVERS for number in range(count)]
    rows += [(variant, number, *_one_line(rng, variant)) for variant in VARIANTS for number in range(count)]
    return pl.DataFrame(rows, schema=["algorithm", "set", "framework", "periodic_missed", "rounds"], orient="row")


def _one_system(rng: random.Random, kind: str) -> tuple[int, int, bool]:
    """Run a server beside periodic tasks, and the framework."""
    period = rng.randint(2, 12)
    budget = rng.randint(1, max(1, period // 2))
    tasks = random_set(rng, 1 - Fraction(budget, period))
    instants = sorted(rng.sample(range(HORIZON - 10), rng.randint(1, 8)))
    work = tuple((instant, rng.randint(1, 9)) for instant in instants)
    make = beside if kind in KINDS else beside_bandwidth
    result = takt.simulate(make(tasks, kind, (budget, period), work), HORIZON)
    late = int(result.summary.filter(~pl.col("task").str.starts_with("srv"))["missed"].sum())
    expected = reference.run(_system(tasks, kind, (budget, period), work))
    return differences(_as_one(executed(result)), expected), late, False


def _system(tasks: list[Drawn], kind: str, server: tuple[int, int], work: Work) -> reference.System:
    """Return the same in the framework's words. Among equal deadlines servers that have one of their own go first."""
    periodic = reference.mapped("edf", tasks).tasks
    if kind in KINDS:
        served = reference.Task("srv", reference.ConstantBandwidth(*server, kind == "hard-cbs"), work)
        return reference.System((served, *periodic), reference.EFFECTIVE["edf"])
    served = reference.Task("srv", BANDWIDTHS[kind](Fraction(*server)), work)
    return reference.System((*periodic, served), reference.EFFECTIVE["edf"])


def _one_line(rng: random.Random, variant: str) -> tuple[int, int, bool]:
    """Run flows, and the framework."""
    rows: list[Flow] = [
        (f"F{i}", rng.randint(1, 6), rng.randint(1, 4), sorted(rng.sample(range(HORIZON), rng.randint(1, 16))))
        for i in range(rng.randint(2, 5))
    ]
    found = executed(takt.simulate(flows(variant, rows), HORIZON))
    return differences(found, reference.run(in_framework(variant, rows))), 0, rounds(rows)


def rounds(rows: list[Flow]) -> bool:
    """True if virtual time is ever read between two of Takt's whole numbers, where the framework's is finer."""
    whole = sum(weight for _, weight, _, _ in rows)
    clock = reference.FluidClock({name: Fraction(weight, whole) for name, weight, _, _ in rows})
    packets = sorted((instant, place) for place, (*_, arrivals) in enumerate(rows) for instant in arrivals)
    for instant, place in packets:
        name, _, length, _ = rows[place]
        clock.tag(name, length, instant)
        if (clock.value / whole).denominator != 1:
            return True
    return False


def in_framework(variant: str, rows: list[Flow]) -> reference.System:
    """Return flows in the framework's words."""
    whole = sum(weight for _, weight, _, _ in rows)
    clock = reference.FluidClock({name: Fraction(weight, whole) for name, weight, _, _ in rows})
    works = [
        reference.Task(name, VARIANTS[variant](clock, name), tuple((instant, length) for instant in arrivals))
        for name, _, length, arrivals in rows
    ]
    return reference.System(tuple(works), reference.EFFECTIVE["shares"])


def _sums(sets: pl.DataFrame) -> pl.DataFrame:
    """Add up the systems of each algorithm."""
    return sets.group_by("algorithm", maintain_order=True).agg(
        pl.len().alias("systems"),
        (pl.col("framework") == 0).sum().alias("equal_to_framework"),
        pl.col("periodic_missed").sum(),
        pl.col("rounds").sum().alias("with_rounded_virtual_time"),
    )


def _claim(worked: pl.DataFrame, sets: pl.DataFrame) -> Claim:
    """Judge the algorithms that share the processor."""
    wrong, late = int(sets.filter(~pl.col("rounds"))["framework"].sum()), int(sets["periodic_missed"].sum())
    rounded = sets.filter("rounds")
    apart = rounded.filter(pl.col("framework") > 0).height
    golden_wrong = int(worked["differ"].sum())
    return Claim(
        "S3-12",
        "Section 2.2",
        "WFQ, WF2Q, TBS, CBS and CUS are well-known share-driven algorithms.",
        f"{golden_wrong} ticks differ in the {worked.height} worked examples; {sets.filter(framework=0).height:,} of "
        f"{sets.height:,} random systems run as in the framework, and {late} periodic deadlines are missed beside "
        "servers.",
        verdict(golden_wrong == wrong == late == 0),
        "CBS (soft and hard), TBS and CUS are kinds of servers, WFQ and WF2Q variants of the policy share. Takt's "
        f"virtual time is a whole number; {apart} of the {rounded.height} sets of flows in which that rounds go "
        "another way.",
        {
            "worked_differ": golden_wrong,
            "systems": sets.height,
            "differ": wrong,
            "rounded_apart": apart,
            "periodic_missed": late,
        },
    )
