"""Share-driven servers: a constant-bandwidth server of Takt, the others in the framework of the tests (S3, 2.2)."""

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
    load,
    random_set,
    tasks_of,
)

SEED = 12
SETS = {True: 40, False: 400}
KINDS = ("cbs", "hard-cbs")
ENDLESS = 10_000

Work = tuple[tuple[int, int], ...]


def run(is_quick: bool) -> Section:
    """Run servers of either kind beside periodic tasks."""
    worked, sets = run_worked_examples(), run_sets(SETS[is_quick])
    return Section(
        "Share-driven servers",
        f"{SETS[is_quick]} random systems for each kind of constant-bandwidth server: periodic tasks under EDF with U "
        "<= 1 together with the server, whose jobs come at random and ask for as much as they like. TBS, CUS, WFQ and "
        "WF2Q run their worked examples in the framework of the tests.",
        [_claim(worked, sets)],
        [
            Table("shares_worked", "Worked examples: ticks that differ", worked),
            Table("bandwidth_sets", "Random systems: ticks that differ from the framework, periodic misses", sets),
        ],
    )


# ---- worked examples --------------------------------------------------------------------------------


def beside(tasks: list[Drawn], kind: str, server: tuple[int, int], work: Work) -> takt.System:
    """Put a server with aperiodic jobs behind periodic tasks."""
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


def run_worked_examples() -> pl.DataFrame:
    """Compare with the golden schedules."""
    in_takt = {
        "srv_cbs": (beside([Drawn("A", 7, 4)], "cbs", (3, 8), ((3, 4), (13, 3))), 30, {}),
        "red_cbs": (beside([Drawn("H", 4, 2)], "cbs", (2, 6), ((2, 4), (12, 2), (13, 1))), 30, {"A": "srv"}),
    }
    rows: list[tuple[str, str, int]] = []
    for name, (system, horizon, names) in in_takt.items():
        expected = [names.get(who, who) for who in golden_ticks(name, horizon)]
        rows.append((name, "Takt", differences(tasks_of(executed(takt.simulate(system, horizon))), expected)))
    for name, (framework, horizon) in _in_framework().items():
        ran = tasks_of(reference.run(framework, horizon))
        rows.append((name, "framework", differences(ran, golden_ticks(name, horizon))))
    rows.append(("WF2Q alternates", "framework", differences(_wf2q(), _alternating())))
    return pl.DataFrame(rows, schema=["golden", "where", "differ"], orient="row")


def _in_framework() -> dict[str, tuple[reference.System, int]]:
    """Say the worked examples of TBS, CUS and WFQ in the framework's words."""
    served = ((3, 1), (9, 2), (14, 1))
    systems: dict[str, tuple[reference.System, int]] = {"sd_wfq": (_flows(is_wf2q=False), 21)}
    for name, kind in (("srv_tbs", reference.TotalBandwidth), ("srv_cus", reference.ConstantUtilization)):
        tasks = reference.mapped("edf", [Drawn("A", 6, 3), Drawn("B", 8, 2)]).tasks
        server = reference.Task("srv", kind(Fraction(1, 4)), served)
        systems[name] = (reference.System((*tasks, server), reference.EFFECTIVE["edf"]), 24)
    return systems


def _flows(*, is_wf2q: bool) -> reference.System:
    """Make eleven flows, the first one with half of the line and eleven packets."""
    shares = {f"f{i:02}": Fraction(1, 2) if i == 1 else Fraction(1, 20) for i in range(1, 12)}
    clock = reference.FluidClock(shares)
    kind = reference.WorstCaseFairQueue if is_wf2q else reference.FairQueue
    packets = {name: ((0, 1),) * (11 if name == "f01" else 1) for name in shares}
    works = [reference.Task(name, kind(clock, name), packets[name]) for name in shares]
    return reference.System(tuple(works), reference.EFFECTIVE["shares"])


def _wf2q() -> Ticks:
    """Run the flows under WF2Q."""
    return tasks_of(reference.run(_flows(is_wf2q=True), 21))


def _alternating() -> Ticks:
    """Let the first flow have every second packet."""
    others = [f"f{i:02}" for i in range(2, 12)]
    return [others[tick // 2] if tick % 2 else "f01" for tick in range(21)]


# ---- random systems ---------------------------------------------------------------------------------


def run_sets(count: int) -> pl.DataFrame:
    """Run random systems of either kind."""
    rng = random.Random(SEED)
    rows = [(kind, number, *_one_system(rng, kind)) for kind in KINDS for number in range(count)]
    return pl.DataFrame(rows, schema=["kind", "set", "load", "framework", "periodic_missed"], orient="row")


def _one_system(rng: random.Random, kind: str) -> tuple[float, int, int]:
    """Run one beside the framework."""
    period = rng.randint(2, 12)
    budget = rng.randint(1, max(1, period // 2))
    room = 1 - Fraction(budget, period)
    tasks = [task for task in random_set(rng, room) if load([task]) > 0]
    instants = sorted(rng.sample(range(HORIZON - 10), rng.randint(1, 8)))
    work = tuple((instant, rng.randint(1, 9)) for instant in instants)
    result = takt.simulate(beside(tasks, kind, (budget, period), work), HORIZON)
    late = int(result.summary.filter(pl.col("task") != "srv")["missed"].sum())
    expected = reference.run(_system(tasks, kind, (budget, period), work))
    return float(load(tasks) + 1 - room), differences(executed(result), expected), late


def _system(tasks: list[Drawn], kind: str, server: tuple[int, int], work: Work) -> reference.System:
    """Say the same in the framework's words; among equal deadlines a server of Takt goes before the tasks."""
    served = reference.Task("srv", reference.ConstantBandwidth(*server, kind == "hard-cbs"), work)
    return reference.System((served, *reference.mapped("edf", tasks).tasks), reference.EFFECTIVE["edf"])


def _claim(worked: pl.DataFrame, sets: pl.DataFrame) -> Claim:
    """Judge servers that share the processor."""
    wrong, late = int(sets["framework"].sum()), int(sets["periodic_missed"].sum())
    golden_wrong = int(worked["differ"].sum())
    return Claim(
        "S3-12",
        "Section 2.2",
        "WFQ, WF2Q, TBS, CBS and CUS are share-driven algorithms, which the framework expresses.",
        f"{golden_wrong} ticks differ in the {worked.height} worked examples; CBS, soft and hard, runs as in the framework "
        f"in {sets.filter(framework=0).height:,} of {sets.height:,} random systems, and {late} periodic deadlines are "
        "missed beside it.",
        verdict(golden_wrong == wrong == late == 0),
        "CBS is Takt's; TBS, CUS, WFQ and WF2Q are run in the framework of the tests.",
        {"worked_differ": golden_wrong, "systems": sets.height, "differ": wrong, "periodic_missed": late},
    )
