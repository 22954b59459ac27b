"""Core and simulator against the oracle: random systems, exact equality.

TAKT_SYSTEMS says how many random systems are tried (default 200); `make soak` asks for many more.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import replace
from pathlib import Path

import oracle
import takt
from hypothesis import HealthCheck, given, settings
from oracle.systems import horizons, rich_systems, systems
from takt import measurement, report

SYSTEMS = int(os.environ.get("TAKT_SYSTEMS", "200"))

many = settings(max_examples=SYSTEMS, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)


def as_task(task: oracle.Task) -> takt.Task:
    """Say a task of the oracle in Takt's words. There a started non-preemptive job may have a threshold too,
    which then says nothing."""
    return takt.Task(
        name=task.name,
        period=task.period if task.releases is None else None,
        wcet=task.longest,
        deadline=task.deadline,
        offset=task.offset,
        priority=task.priority,
        min_separation=None if task.releases is None else task.period,
        arrivals=None if task.releases is None else [release for release, _ in task.releases],
        demand=list(task.demands) or task.demand,
        body=[f"{kind} {ticks or ''}" for kind, ticks in task.body] or None,
        on_miss=task.on_miss,
        preemption="non-preemptive" if task.non_preemptive else "preemptive",
        threshold=None if task.non_preemptive else task.threshold,
        server=task.server,
        class_=task.class_,
    )


def as_server(server: oracle.Server) -> takt.Server:
    """Say a server of the oracle in Takt's words."""
    return takt.Server(
        name=server.name,
        kind=server.kind,
        period=server.period,
        budget=server.budget,
        priority=server.priority,
        policy=server.policy,
        offset=server.offset,
        parent=server.parent,
    )


def as_system(system: oracle.System) -> takt.System:
    """Say a system of the oracle in Takt's words."""
    return takt.System(
        policy=system.policy,
        tasks=[as_task(task) for task in system.tasks],
        servers=[as_server(server) for server in system.servers],
        platform=as_platform(system.costs),
    )


def as_platform(costs: oracle.Costs) -> takt.Platform:
    """Say the costs of the oracle in Takt's words."""
    return takt.Platform(
        context_switch=costs.context_switch,
        release=costs.release,
        scheduling=costs.scheduling,
        point=costs.point,
        tick=costs.tick,
        tick_period=costs.tick_period or None,
        points="pull" if costs.pull else "push",
    )


def outcome(result: takt.Result) -> oracle.Outcome:
    """Say what Takt found in the oracle's words."""

    def count(column: str) -> dict[str, int]:
        return dict(result.summary.select("task", column).rows())

    return oracle.Outcome(
        segments=result.segments.select("start", "end", "server", "task", "job").rows(),
        jobs=result.jobs.rows(),
        budgets=[list(row) for row in result.budgets.drop("tick").rows()] if result.system.servers else [],
        misses=count("missed"),
        aborted=count("aborted"),
        skipped=count("skipped"),
        overruns=count("overruns"),
        points=result.points.rows(),
        overhead=result.overhead,
        switches=result.switches,
        invocations=result.invocations,
    )


def expected_of(system: oracle.System, horizon: int) -> oracle.Outcome:
    """What the oracle says, without what Takt does not tell: budgets of no servers, invocations at no cost."""
    expected = oracle.simulate(system, horizon)
    invocations = expected.invocations if is_costly(system.costs) else 0
    return replace(expected, budgets=[row for row in expected.budgets if row], invocations=invocations)


def is_costly(costs: oracle.Costs) -> bool:
    """Whether the kernel takes time, or timers wait for points."""
    return costs.pull or any((costs.context_switch, costs.release, costs.scheduling, costs.point, costs.tick))


@many
@given(systems(), horizons())
def test_simulation_equals_the_oracle(system: oracle.System, horizon: int) -> None:
    expected = expected_of(system, horizon)
    assert outcome(takt.simulate(as_system(system), horizon)) == expected


@many
@given(systems(parents_first=False), horizons())
def test_simulation_equals_the_oracle_when_servers_stand_before_their_parents(
    system: oracle.System, horizon: int
) -> None:
    expected = expected_of(system, horizon)
    assert outcome(takt.simulate(as_system(system), horizon)) == expected


@many
@given(rich_systems(with_costs=False), horizons())
def test_simulation_equals_the_oracle_whatever_tasks_have(system: oracle.System, horizon: int) -> None:
    assert outcome(takt.simulate(as_system(system), horizon)) == expected_of(system, horizon)


@many
@given(rich_systems(with_costs=True), horizons())
def test_simulation_equals_the_oracle_where_the_kernel_takes_time(system: oracle.System, horizon: int) -> None:
    assert outcome(takt.simulate(as_system(system), horizon)) == expected_of(system, horizon)


@many
@given(rich_systems(), horizons())
def test_every_trace_replays_identically(system: oracle.System, horizon: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "random.takt")
        result = takt.simulate(as_system(system), horizon, trace=path)
        replay = takt.replay(path)
    assert replay.difference is None
    assert replay.decisions == result.decisions


@many
@given(systems(parents_first=False), horizons())
def test_a_trace_tells_the_same_jobs_and_segments_as_the_simulation(system: oracle.System, horizon: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "random.takt")
        result = takt.simulate(as_system(system), horizon, trace=path)
        trace = takt.replay(path).trace
        assert measurement.jobs_of(trace).equals(result.jobs)
        assert measurement.segments_of(trace).equals(result.segments)
        simulated = replace(report.report_of(result), switches=None, overhead=None)
        assert measurement.report_of(trace) == simulated


@many
@given(systems(), horizons())
def test_what_is_kept_changes_nothing(system: oracle.System, horizon: int) -> None:
    keeping = takt.simulate(as_system(system), horizon)
    counting = takt.simulate(as_system(system), horizon, segments=False, jobs=False, budgets=False)
    assert counting.summary.equals(keeping.summary)
    assert counting.decisions == keeping.decisions


@many
@given(systems(), horizons())
def test_the_summary_agrees_with_jobs_and_segments(system: oracle.System, horizon: int) -> None:
    result = takt.simulate(as_system(system), horizon)
    for row in result.summary.iter_rows(named=True):
        jobs = [job for job in result.jobs.iter_rows(named=True) if job["task"] == row["task"]]
        segments = [segment for segment in result.segments.iter_rows(named=True) if segment["task"] == row["task"]]
        responses = [job["response"] for job in jobs if job["response"] is not None]
        assert row["released"] == len(jobs)
        assert row["finished"] == len(responses)
        assert row["missed"] == sum(job["missed"] for job in jobs)
        assert row["response_min"] == min(responses, default=None)
        assert row["response_max"] == max(responses, default=None)
        assert row["response_sum"] == (sum(responses) if responses else None)
        assert row["busy"] == sum(segment["end"] - segment["start"] for segment in segments)
        assert row["preemptions"] == preemptions(row["task"], jobs, segments, horizon)


def preemptions(task: str, jobs: list[dict[str, int]], segments: list[dict[str, int]], horizon: int) -> int:
    """Count how often a job left the processor before it was finished and while ticks were left."""
    finishes = {job["job"]: job["finish"] for job in jobs}
    return sum(segment["end"] not in (finishes[segment["job"]], horizon) for segment in segments)
