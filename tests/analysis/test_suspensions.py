# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Jobs that suspend themselves: who comes back may find somebody in its way, or a server without budget."""

from __future__ import annotations

import polars as pl
import pytest
import takt
from takt.analysis import Verdict

BODY = ["run 1", "suspend 1", "run 1"]


def worst_of(system: takt.System, task: str) -> int:
    """Return the longest response that is simulated."""
    return int(takt.simulate(system, 1000).summary.filter(pl.col("task") == task)["response_max"].item())


def row_of(system: takt.System, task: str) -> takt.analysis.TaskBound:
    """Return the analysis' row of a task."""
    return next(row for row in takt.analyse(system).tasks if row.task == task)


@pytest.mark.parametrize("policy", ["fp", "edf"])
def test_a_region_may_begin_while_a_job_is_suspended(policy: str) -> None:
    long = {"wcet": 10, "preemption": "non-preemptive"}
    tasks = [
        takt.Task(name="A", period=100, deadline=90, offset=1, priority=3, body=BODY),
        takt.Task(name="B", period=100, deadline=95, priority=2, **long),
        takt.Task(name="C", period=100, priority=1, **long),
    ]
    system = takt.System(tasks=tasks, policy=policy)
    assert worst_of(system, "A") == 9 + 1 + 10 + 1
    response = row_of(system, "A").response
    assert response is not None
    assert response >= 21


def test_a_region_outside_may_begin_while_nobody_in_a_server_is_ready() -> None:
    long = {"wcet": 10, "preemption": "non-preemptive"}
    tasks = [
        takt.Task(name="A", period=100, offset=1, body=BODY, server="S"),
        takt.Task(name="B", period=100, priority=2, **long),
        takt.Task(name="C", period=100, priority=1, **long),
    ]
    system = takt.System(tasks=tasks, servers=[takt.Server(name="S", period=50, budget=10, priority=3)])
    response = row_of(system, "A").response
    assert response is not None
    assert response >= worst_of(system, "A") == 21


@pytest.mark.parametrize("kind", ["polling", "sporadic"])
def test_nothing_is_known_where_a_suspension_may_cost_the_budget(kind: str) -> None:
    server = takt.Server(name="S", kind=kind, period=10, budget=3)
    system = takt.System(tasks=[takt.Task(name="A", period=100, body=BODY, server="S")], servers=[server])
    assert row_of(system, "A").verdict is Verdict.NOT_KNOWN
    idling = system.replace(servers=[server.replace(kind="idling")])
    assert row_of(idling, "A").verdict is Verdict.SCHEDULABLE
