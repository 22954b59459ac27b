# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Names decide nothing: renamed systems, with one name for a task, a server and a resource, are judged and run alike.

A name is unique in its table only. What is kept by a name of two tables confuses a task with a server.
"""

from __future__ import annotations

import random
from typing import Any

import polars as pl
import takt
from adversary import PROTOCOLS, Draft, Rows, any_body, any_task, first_draft
from hypothesis import given
from hypothesis import strategies as st
from sampling import expect_cases, tries
from takt.analysis import Analysis, Verdict

NAMES = ("kernel", "root", "system", "processor", "A", "B", "C", "D", "E", "F")
"""Of every table; some are words that Takt uses itself."""
EFFORT = 200_000


def test_a_task_and_a_server_of_one_name_have_their_own_blocking() -> None:
    waits = takt.Task(name="X", period=40, offset=1, deadline=5, priority=9, body=["lock R", "run 2", "unlock R"])
    holds = takt.Task(name="L", period=40, priority=5, body=["lock R", "run 10", "unlock R"])
    system = takt.System(
        policy="fp",
        tasks=[waits, holds, takt.Task(name="W", period=40, wcet=1, server="X")],
        servers=[takt.Server(name="X", kind="deferrable", period=20, budget=2, priority=1)],
        resources=[takt.Resource(name="R", protocol="pip")],
    )
    row = takt.analyse(system).tasks[0]
    assert (row.blocking, row.response, row.verdict) == (9, 11, Verdict.NOT_GUARANTEED)
    assert takt.simulate(system, 400).summary["response_max"][0] == 11


def draft_of(rng: random.Random) -> Draft:
    """Return a drawn system: any, or one in which tasks that share compete with servers."""
    return first_draft(rng) if rng.random() < 0.5 else beside_servers(rng)


def beside_servers(rng: random.Random) -> Draft:
    """Return a drawn system with servers of one task each, beside tasks that share resources."""
    resources = [{"name": name, "protocol": rng.choice(PROTOCOLS)} for name in ("R", "S")[: rng.randint(1, 2)]]
    tasks = [any_task(rng, name, 6) for name in "ABCDE"]
    servers = [
        {
            "name": name,
            "kind": rng.choice(("idling", "polling", "deferrable", "sporadic")),
            "priority": rng.randint(1, 6),
        }
        | {"period": rng.randint(4, 16), "budget": rng.randint(1, 3)}
        for name in ("V", "W")[: rng.randint(1, 2)]
    ]
    for server, task in zip(servers, tasks, strict=False):
        task["server"] = server["name"]
    for task in tasks[len(servers) :]:
        task["body"] = any_body(rng, task["wcet"], [each["name"] for each in resources], ())
    return Draft({"policy": rng.choice(("fp", "rm", "dm", "edf"))}, tasks, servers, resources)


def renamed(draft: Draft, tasks: dict[str, str], servers: dict[str, str], resources: dict[str, str]) -> Draft:
    """Return the same system with other names in each table."""

    def task(row: Rows) -> Rows:
        row = row | {"name": tasks[row["name"]]}
        row |= {"server": servers[row["server"]]} if row.get("server") else {}
        row |= {"threshold": tasks[row["threshold"]]} if isinstance(row.get("threshold"), str) else {}
        return row | ({"body": [item(each) for each in row["body"]]} if row.get("body") else {})

    def item(text: str) -> str:
        op, _, what = text.partition(" ")
        return f"{op} {resources[what]}" if op in ("lock", "unlock") else text

    def change(row: Rows) -> Rows:
        row = row | {key: [tasks[name] for name in row[key]] for key in ("add", "remove") if key in row}
        return row | ({"task": tasks[row["task"]]} if "task" in row else {})

    return Draft(
        draft.system,
        [task(row) for row in draft.tasks],
        [row | {"name": servers[row["name"]]} for row in draft.servers],
        [row | {"name": resources[row["name"]]} for row in draft.resources],
        [change(row) for row in draft.changes],
        draft.platform,
    )


def collisions(draft: Draft, rng: random.Random) -> Draft:
    """Return the same system, in which the members of each table have the same first names."""
    names = rng.sample(NAMES, len(NAMES))
    tables = (draft.tasks, draft.servers, draft.resources)
    return renamed(
        draft,
        *(dict(zip((row["name"] for row in rng.sample(rows, len(rows))), names, strict=False)) for rows in tables),
    )


def told(found: Analysis) -> Any:
    """Return all numbers and verdicts of an analysis."""
    return (
        found.verdict,
        found.scaling,
        found.utilization,
        [(row.verdict, row.test, row.response, row.is_tight, row.blocking, row.growth) for row in found.tasks],
        [(row.verdict, row.test, row.response, row.gap, row.least_budget) for row in found.servers],
        [sorted((table, key) for table, _, key, _ in each.changes) for each in found.advice],
    )


def seen(system: takt.System) -> list[list[Any]]:
    """Return what a run says of each task, without its name and that of its server."""
    summary = takt.simulate(system, 300, jobs=False, segments=False).summary
    return [list(row) for row in summary.select(pl.exclude("task", "server")).rows()]


shared: list[set[str]] = []


@tries(150)
@given(st.integers(0, 2**32))
def test_names_change_no_verdict_and_no_bound(seed: int) -> None:
    rng = random.Random(seed)
    draft = draft_of(rng)
    system = draft.build()
    if system is None:
        return
    other = collisions(draft, rng).build()
    assert other is not None
    assert told(takt.analyse(system, effort=EFFORT)) == told(takt.analyse(other, effort=EFFORT))
    assert seen(system) == seen(other)
    shared.append({task.name for task in other.tasks} & {server.name for server in other.servers})


def test_tasks_and_servers_had_one_name() -> None:
    expect_cases(sum(map(bool, shared)) > 10, len(shared))
