# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The paper's servers and tasks (Tables I and II), and what is read from a run of them."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl
import takt

from studies.common import golden, merged

HORIZON = 120
SERVERS = {"S1": (20, 10, 2), "S2": (40, 15, 1)}
"""Table I: period, budget, priority."""

TASKS = {"T1": ("S1", 20, 4, 1), "T2": ("S1", 15, 2, 2), "T3": ("S2", 60, 10, 2)}
"""Table II: server, period, execution time, priority."""

WCET_OF_T2 = {1: 2, 2: 6}
"""What distinguishes Test 2 from Test 1."""

PAPER_KINDS = ("idling", "deferrable")


def paper_system(kind: str, test: int = 1, policy: str = "fp", offset: int = 0) -> takt.System:
    """Return the system of Tables I and II.

    Args:
        kind: of both servers.
        test: 1 or 2.
        policy: what orders the servers; the tasks are ordered by their priorities.
        offset: of everything.
    """
    servers = [
        takt.Server(name=name, period=period, budget=budget, priority=priority, kind=kind, offset=offset)
        for name, (period, budget, priority) in SERVERS.items()
    ]
    wcets = {name: wcet for name, (_, _, wcet, _) in TASKS.items()} | {"T2": WCET_OF_T2[test]}
    tasks = [
        takt.Task(name=name, server=server, period=period, wcet=wcets[name], priority=priority, offset=offset)
        for name, (server, period, _, priority) in TASKS.items()
    ]
    return takt.System(name=f"test-{test}-{kind}", tasks=tasks, servers=servers, policy=policy)


def run_paper(kind: str, test: int = 1, horizon: int = HORIZON, policy: str = "fp") -> takt.Result:
    """Run it."""
    return takt.simulate(paper_system(kind, test, policy), horizon)


def executed(result: takt.Result) -> list[str]:
    """Return the task that ran in each tick, as "server/task"; "" in idle time."""
    ran = [""] * result.horizon
    for start, end, server, task in merged(result.segments):
        ran[start:end] = [f"{server}/{task}"] * (end - start)
    return ran


def server_ran(result: takt.Result, server: str) -> list[bool]:
    """Return for each tick whether the server was charged for it."""
    return [ran.startswith(f"{server}/") for ran in executed(result)]


def as_text(rows: Iterable[tuple[object, ...]]) -> list[tuple[str, ...]]:
    """Write rows as a file does."""
    return [tuple(map(str, row)) for row in rows]


def golden_differences(result: takt.Result, name: str) -> int:
    """Count what differs from the golden files of a test: rows of segments, jobs and budgets.

    The files call an idling server's idle time "idle-<server>" and list finished jobs only.
    """
    rows = [(s, e, server, f"idle-{server}" if task == "idle" else task) for s, e, server, task in
            merged(result.segments)]  # fmt: skip
    finished = result.jobs.drop_nulls("finish").drop("job").with_columns(pl.col("missed").cast(int))
    pairs = [
        (as_text(rows), [tuple(row.values()) for row in golden(name) if row["task"] != "idle"]),
        (as_text(finished.iter_rows()), [tuple(row.values()) for row in golden(f"{name}_jobs")]),
        (as_text(result.budgets.iter_rows()), [tuple(row.values()) for row in golden(f"{name}_budget")]),
    ]
    return sum(_count_differences(found, expected) for found, expected in pairs)


def _count_differences(found: list[tuple[str, ...]], expected: list[tuple[str, ...]]) -> int:
    """Count the places at which two lists of rows differ."""
    common = sum(mine != theirs for mine, theirs in zip(found, expected, strict=False))
    return common + abs(len(found) - len(expected))
