"""Core and simulator against the second oracle, written from the specification by another hand: exact equality.

Left out: what the kernel's own work costs, and points that pull, where the two oracles read the specification
differently in corners; tests/test_random_systems.py has these.
"""

from __future__ import annotations

import os

import second_oracle
import takt
from hypothesis import HealthCheck, given, settings
from second_oracle.systems import EVERYTHING, horizons, systems

SYSTEMS = int(os.environ.get("TAKT_SYSTEMS", "200"))

IDEAL = EVERYTHING - {"costs"}


def as_task(task: second_oracle.Task) -> takt.Task:
    """Say a task of the oracle in Takt's words."""
    is_listed = task.releases is not None
    return takt.Task(
        name=task.name,
        period=None if is_listed else task.period,
        min_separation=task.rate_period if is_listed else None,
        arrivals=None if task.releases is None else [release for release, _ in task.releases],
        wcet=task.declared_wcet,
        demand=list(task.demands),
        deadline=task.relative_deadline,
        offset=0 if is_listed else task.offset,
        priority=task.priority,
        body=list(task.body) if task.body else None,
        subjobs=list(task.subjobs) if task.subjobs else None,
        preemption="non-preemptive" if task.non_preemptive else "preemptive",
        threshold=task.threshold,
        on_miss=task.on_miss,
        server=task.server,
        class_=task.class_,
    )


def as_server(server: second_oracle.Server) -> takt.Server:
    """Say a server of the oracle in Takt's words."""
    return takt.Server(
        name=server.name,
        period=server.period,
        budget=server.budget,
        priority=server.priority,
        policy=server.policy,
        offset=server.offset,
        parent=server.parent,
    )


@settings(max_examples=SYSTEMS, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)
@given(systems(features=IDEAL).filter(lambda system: system.platform.points == "push"), horizons())
def test_simulation_equals_the_second_oracle(system: second_oracle.System, horizon: int) -> None:
    result = takt.simulate(
        takt.System(
            policy=system.policy,
            tasks=[as_task(task) for task in system.tasks],
            servers=[as_server(server) for server in system.servers],
        ),
        horizon,
    )
    expected = second_oracle.simulate(system, horizon)
    assert result.segments.select("start", "end", "server", "task", "job").rows() == expected.segments
    assert result.jobs.rows() == expected.jobs
    assert dict(result.summary.select("task", "missed").rows()) == expected.misses
