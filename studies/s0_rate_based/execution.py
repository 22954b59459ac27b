# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Rate-based execution (x, y, d), which the paper builds on: its deadlines, its test, and bursts (S0, 2.1.3).

Source: Jeffay and Goddard 1999, with the comma of equation (1) restored: event j has the deadline t + d, and from the
event x + 1 on the larger of that and the deadline of event j - x plus y. The adversary of the test sends x events of
each task at 0, y, 2y and so on, which is the most that the deadlines allow.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import polars as pl
import takt

from studies.common import Claim, Section, Table, golden, merged, verdict

Events = tuple[int, int, int, int, tuple[int, ...]]
"""Events, interval, relative deadline, execution time and arrivals of a task."""

EXAMPLE: dict[str, Events] = {
    "T1": (2, 5, 5, 1, (0, 0, 0, 0, 0, 12)),
    "T2": (1, 3, 3, 1, (0, 3, 6, 9, 12)),
}
SEED = 12
SETS = {True: 40, False: 400}
HORIZON = 400


def run(is_quick: bool) -> Section:
    """Compare deadlines with the equation, and the test with its adversary."""
    bursts, sets = run_bursts(SETS[is_quick]), try_adversary(SETS[is_quick])
    return Section(
        "Rate-based execution",
        "The policy rbe. Deadlines of random arrivals are computed again from equation (1). The test of the demand is "
        "compared with simulations of its adversary. One task of the example gets five events at once: three more than "
        "its rate.",
        [_deadline_claim(bursts), _test_claim(sets), _burst_claim()],
        [
            Table("rbe_bursts", "Random arrivals: events, and deadlines that differ from equation (1)", bursts),
            Table("rbe_adversary", "The test of the demand, and misses of its adversary", sets),
            Table("rbe_example", "The example: events of T1", _of_t1()),
        ],
    )


def system_of(tasks: dict[str, Events]) -> takt.System:
    """Return a system under rate-based execution."""
    return takt.System(
        policy="rbe",
        tasks=[
            takt.Task(name=name, events=x, interval=y, deadline=d, wcet=c, arrivals=list(arrivals))
            for name, (x, y, d, c, arrivals) in tasks.items()
        ],
    )


def deadlines_by_equation(x: int, y: int, d: int, arrivals: Sequence[int]) -> list[int]:
    """Compute the deadlines of equation (1)."""
    found: list[int] = []
    for j, instant in enumerate(arrivals):
        found.append(instant + d if j < x else max(instant + d, found[j - x] + y))
    return found


# ---- deadlines ------------------------------------------------------------------------------------------


def run_bursts(count: int) -> pl.DataFrame:
    """Compare the deadlines of random arrivals with the equation."""
    rng = random.Random(SEED)
    rows = []
    for number in range(count):
        tasks = {f"T{i + 1}": _draw(rng, _burst(rng)) for i in range(rng.randint(1, 4))}
        rows.append((number, sum(len(task[4]) for task in tasks.values()), _wrong_deadlines(tasks)))
    return pl.DataFrame(rows, schema=["set", "events", "wrong_deadlines"], orient="row")


def _draw(rng: random.Random, arrivals: tuple[int, ...]) -> Events:
    """Draw a task."""
    return rng.randint(1, 3), rng.randint(3, 12), rng.randint(2, 15), rng.randint(1, 2), arrivals


def _burst(rng: random.Random) -> tuple[int, ...]:
    """Draw arrivals, of which several may come at once."""
    return tuple(sorted(rng.randrange(40) for _ in range(rng.randint(1, 12))))


def _wrong_deadlines(tasks: dict[str, Events]) -> int:
    """Count the jobs whose deadlines are not those of the equation."""
    rows = takt.simulate(system_of(tasks), HORIZON, jobs=True).deadlines.select("task", "job", "deadline").rows()
    expected = {name: deadlines_by_equation(x, y, d, arrivals) for name, (x, y, d, _, arrivals) in tasks.items()}
    return sum(expected[name][job] != deadline for name, job, deadline in rows)


def _deadline_claim(bursts: pl.DataFrame) -> Claim:
    """Judge equation (1)."""
    found = takt.simulate(system_of(EXAMPLE), 20)
    runs = [(int(row["start"]), int(row["end"]), row["task"]) for row in golden("rbe_example")]
    is_golden = [(start, end, task) for start, end, _, task in merged(found.segments)] == runs
    wrong, events = int(bursts["wrong_deadlines"].sum()), int(bursts["events"].sum())
    return Claim(
        "S0-01",
        "Section 2.1.3, equation (1)",
        "Rate-based execution (x, y, d) gives the deadlines of equation (1).",
        f"{wrong} of {events} deadlines differ from the equation; the example runs as the golden schedule "
        f"{'does' if is_golden else 'does not'}.",
        verdict(wrong == 0 and is_golden, correction=True),
        "The equation is printed without the comma between t + d and the deadline of event j - x plus y: the deadline "
        "is the larger of the two.",
        {"wrong": wrong, "events": events},
    )


# ---- the test -------------------------------------------------------------------------------------------


def try_adversary(count: int) -> pl.DataFrame:
    """Compare the test with simulations of its adversary."""
    rng = random.Random(SEED + 1)
    rows = [(number, *_try(rng)) for number in range(count)]
    return pl.DataFrame(rows, schema=["set", "tasks", "verdict", "missed"], orient="row")


def _try(rng: random.Random) -> tuple[int, str, int]:
    """Draw a set with x events of each task at every multiple of y, judge and run it."""
    tasks = {}
    for i in range(rng.randint(1, 3)):
        x, y, d, c = rng.randint(1, 2), rng.choice((4, 6, 8, 12)), rng.randint(2, 14), rng.randint(1, 2)
        tasks[f"T{i + 1}"] = (x, y, d, c, tuple(k * y for k in range(HORIZON // y) for _ in range(x)))
    system = system_of(tasks)
    return len(tasks), takt.analyse(system).verdict.value, takt.simulate(system, HORIZON).missed


def _test_claim(sets: pl.DataFrame) -> Claim:
    """Judge the test of the demand."""
    accepted, rejected = (sets.filter(verdict=name) for name in ("schedulable", "not schedulable"))
    missed, unharmed = int((accepted["missed"] > 0).sum()), int((rejected["missed"] == 0).sum())
    holds = missed == unharmed == 0 and accepted.height > 0 and rejected.height > 0
    return Claim(
        "S0-02",
        "Section 2.1.3",
        "Under EDF every event meets that deadline if the demand bound is kept.",
        f"{missed} of {accepted.height} accepted sets miss a deadline; {unharmed} of {rejected.height} rejected sets "
        "do not, when as many events come as the rates allow.",
        verdict(holds and accepted.height + rejected.height == sets.height),
        numbers={"accepted": accepted.height, "rejected": rejected.height},
    )


# ---- bursts ---------------------------------------------------------------------------------------------


def _of_t1() -> pl.DataFrame:
    """Return the events of T1 of the example."""
    found = takt.simulate(system_of(EXAMPLE), 20)
    return found.jobs.with_columns(deadline=found.deadlines["deadline"]).filter(task="T1").select(
        "job", "release", "deadline", "finish"
    )  # fmt: skip


def _burst_claim() -> Claim:
    """Judge what becomes of events that come faster than their rate."""
    jobs = _of_t1()
    burst = jobs.filter(release=0)
    deadlines, late = burst["deadline"].to_list(), int((jobs["finish"] > jobs["deadline"]).sum())
    of_t2 = takt.simulate(system_of(EXAMPLE), 20).summary.filter(task="T2")["missed"].item()
    return Claim(
        "S0-03",
        "Section 2.1.3",
        "Requests that come faster than x in y have their deadlines postponed, and early ones are still served.",
        f"Five events at once have the deadlines {', '.join(map(str, deadlines))}; {late} are late. T2 beside them "
        f"misses {of_t2} deadlines.",
        verdict(deadlines == [5, 5, 10, 10, 15] and late == 0 and of_t2 == 0),
        numbers={"late": late, "missed_of_t2": of_t2},
    )
