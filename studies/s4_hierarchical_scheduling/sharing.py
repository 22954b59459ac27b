# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Resources that servers share by locks: overrun, payback and SIRAP (S4, VII, future work).

Sources: Davis and Burns 2006 (HSRP, with overrun and payback); Behnam, Shin, Nolte and Nolin 2007 (SIRAP). The example
is the one of the specification: task B reaches its section when its server has 2 of the 3 ticks left that it takes.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

import polars as pl
import takt

from studies.common import Claim, Section, Table, golden, verdict

PROTOCOLS = ("global-srp", "hsrp", "hsrp-payback", "sirap")
GOLDEN = {"global-srp": "none", "hsrp": "hsrp", "sirap": "sirap"}
"""Golden schedules by protocol; "none" is global SRP without a rule for an exhausted budget."""

RESPONSES = {"global-srp": (16, 31), "hsrp": (6, 20), "hsrp-payback": (6, 31), "sirap": (4, 33)}
"""Responses of the first jobs of A and B, worked out by hand."""

SEED = 425
SETS = {True: 30, False: 300}
HORIZON = 60


def run(is_quick: bool) -> Section:
    """Run the example and random systems under each protocol."""
    example, drawn = run_example(), run_sets(SETS[is_quick])
    return Section(
        "Resources among servers",
        "Two deferrable servers with one task each share a resource. Without a rule for an exhausted budget the server "
        "keeps the resource until its next replenishment; with overrun it continues to the unlock; with payback it "
        "gives that back; under SIRAP a job locks only with enough budget. Then random systems of two or three "
        "servers, for which the ticks are counted in which the resource is held and the processor idles.",
        [_claim(example, drawn)],
        [
            Table(
                "shared_example", "Responses of the example, and rows that differ from the golden schedules", example
            ),
            Table("shared_sets", "Random systems: ticks in which the resource is held and the processor idles", drawn),
        ],
    )


def run_example() -> pl.DataFrame:
    """Run the example under each protocol."""
    rows = [(protocol, *_responses_of(protocol), _differences(protocol)) for protocol in PROTOCOLS]
    return pl.DataFrame(rows, schema=["protocol", "response_A", "response_B", "differences"], orient="row")


def example(protocol: str) -> takt.System:
    """Return the example."""
    return takt.System(
        tasks=[
            takt.Task(
                name="A", server="SA", period=20, offset=4, body=["run 1", "lock G", "run 2", "unlock G", "run 1"]
            ),
            takt.Task(name="B", server="SB", period=45, body=["run 3", "lock G", "run 3", "unlock G", "run 5"]),
        ],
        servers=[
            takt.Server(name="SA", period=10, budget=4, priority=2),
            takt.Server(name="SB", period=15, budget=5, priority=1),
        ],
        resources=[takt.Resource(name="G", protocol=protocol)],
    )


def _responses_of(protocol: str) -> tuple[int, int]:
    """Return the responses of the first jobs."""
    jobs = takt.simulate(example(protocol), HORIZON).jobs.filter(job=0).sort("task")
    first, second = jobs["response"].to_list()
    return first, second


def _differences(protocol: str) -> int | None:
    """Count the ticks in which something else runs than in the golden schedule; None if there is none."""
    if protocol not in GOLDEN:
        return None
    expected = _by_tick((int(row["start"]), int(row["end"]), row["task"].rstrip("*"))
                        for row in golden(f"hsfsync_{GOLDEN[protocol]}"))  # fmt: skip
    segments = takt.simulate(example(protocol), HORIZON).segments.select("start", "end", "task")
    return sum(mine != theirs for mine, theirs in zip(_by_tick(segments.iter_rows()), expected, strict=True))


def _by_tick(rows: Iterable[tuple[int, int, str]]) -> list[str]:
    """Return what runs in each tick, "" if nothing does."""
    ran = [""] * HORIZON
    for start, end, task in rows:
        ran[start:end] = [task] * (end - start)
    return ran


# ---- random systems -------------------------------------------------------------------------------------


def run_sets(count: int) -> pl.DataFrame:
    """Run random systems under each protocol."""
    rng = random.Random(SEED)
    systems = [_draw(rng) for _ in range(count)]
    rows = [(protocol, count, *_add_up(systems, protocol)) for protocol in PROTOCOLS]
    return pl.DataFrame(rows, schema=["protocol", "systems", "held_while_idle", "guaranteed", "missed"], orient="row")


def _draw(rng: random.Random) -> takt.System:
    """Draw two or three deferrable servers, whose tasks share one resource."""
    servers, tasks = [], []
    for number in range(rng.randint(2, 3)):
        period = rng.choice((8, 10, 12, 15, 20))
        budget = rng.randint(2, max(2, period // 3))
        servers.append(takt.Server(name=f"S{number}", period=period, budget=budget, priority=9 - number))
        before, inside, behind = rng.randint(1, 4), rng.randint(1, min(3, budget)), rng.randint(1, 3)
        body = [f"run {before}", "lock G", f"run {inside}", "unlock G", f"run {behind}"]
        task_period = period * rng.randint(3, 8)
        offset = rng.randrange(period)
        tasks.append(takt.Task(name=f"T{number}", server=f"S{number}", period=task_period, offset=offset, body=body))
    return takt.System(servers=servers, tasks=tasks, resources=[takt.Resource(name="G", protocol="hsrp")])


def _add_up(systems: Sequence[takt.System], protocol: str) -> tuple[int, int, int]:
    """Add up ticks in which a resource is held and nothing runs, systems that are guaranteed, and misses in these."""
    idle = guaranteed = missed = 0
    for system in systems:
        changed = system.replace(resources=[takt.Resource(name="G", protocol=protocol)])
        result = takt.simulate(changed, 40 * HORIZON)
        idle += _held_while_idle(result)
        if takt.analyse(changed).is_schedulable:
            guaranteed += 1
            missed += result.missed
    return idle, guaranteed, missed


def _held_while_idle(result: takt.Result) -> int:
    """Count the ticks in which the resource is held and no job runs."""
    held = runs = 0
    locked_at = None
    busy = result.segments.select("start", "end").rows()
    for instant, what in result.locks.select("instant", "what").iter_rows():
        if what == "lock":
            locked_at = instant
        elif what == "unlock" and locked_at is not None:
            held += instant - locked_at
            runs += sum(max(0, min(end, instant) - max(start, locked_at)) for start, end in busy)
            locked_at = None
    return held - runs


def _claim(shown: pl.DataFrame, drawn: pl.DataFrame) -> Claim:
    """Judge the protocols."""
    responses = {row[0]: row[1:3] for row in shown.iter_rows()}
    differences = int(shown["differences"].sum())
    idle = dict(drawn.select("protocol", "held_while_idle").rows())
    unbounded = idle.pop("global-srp")
    missed = int(drawn["missed"].sum())
    holds = responses == RESPONSES and differences == 0 and not any(idle.values()) and missed == 0
    return Claim(
        "S4-25",
        "Section VII (future work)",
        "A lock-based protocol shares resources among servers.",
        f"Response of A: {', '.join(f'{a} under {protocol}' for protocol, (a, _) in responses.items())}. Of the golden "
        f"schedules {differences} ticks differ. Over {drawn['systems'][0]} random systems a resource is held for "
        f"{unbounded} ticks while the processor idles under global-srp, for {sum(idle.values())} under the others; "
        f"{missed} misses in the systems that the analysis guarantees.",
        verdict(holds and unbounded > 0),
        numbers={"differences": differences, "held_while_idle": unbounded, "missed": missed},
    )
