# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Core and simulator against the oracle: random systems, exact equality.

TAKT_SYSTEMS says how many random systems are tried (default 200); `make soak` asks for many more.
"""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import oracle
import pytest
import takt
from hypothesis import example, given
from hypothesis import strategies as st
from oracle.model import RULE_KINDS
from oracle.systems import CHANGES, RESOURCES, SERVER_KINDS, chains, crowds, horizons, households, systems, with_changes
from oracle.systems import EVERYTHING as ANYTHING
from sampling import tries
from summaries import counted
from takt.run import measurement
from takt.show import board_report, report

EVERYTHING = ANYTHING | SERVER_KINDS | RESOURCES
IDEAL = EVERYTHING - {"costs"}
WHAT_USERS_HAVE = ANYTHING - {"policies"}

many = tries(200)

ABORTED_BEFORE_BUDGET = oracle.System(
    policy="edf",
    tasks=(oracle.Task("T", demand=26, deadline=18, server="S", releases=((1, 1), (50, 50)), on_miss="abort"),),
    servers=(oracle.Server("S", period=24, budget=2, policy="fp", kind="hard-cbs"),),
)
"""T is aborted at 19 while S waits for its deadline 25, at which there is no work: its budget comes at 50."""

TAKEN_OUT_AT_A_CHOICE = oracle.System(
    policy="edf",
    tasks=(
        oracle.Task("T1", period=12, server="S1", body=("lock G", "run 1", "run 1")),
        oracle.Task("T2", period=12, server="S1", body=("lock G", "run 1")),
        oracle.Task(
            "T3",
            period=12,
            server="S2",
            body=("lock G", "run 1", "unlock G", "suspend 1", "lock G", "run 1", "run 1", "run 1"),
        ),
        oracle.Task("T4", period=12, server="S2", body=("lock G", "run 1")),
        oracle.Task("T5", period=12, server="S2", body=("lock G", "run 1")),
    ),
    servers=(
        oracle.Server("S1", period=2, budget=2, policy="fp"),
        oracle.Server("S2", period=6, budget=3, policy="fp", kind="polling"),
        oracle.Server("S3", period=2, budget=2, policy="fp"),
    ),
    platform=oracle.Platform(scheduling=1),
    resources=(oracle.Resource("G", "sirap"),),
)
"""At 57 T3 is found short of budget when it is chosen, so that S2 loses its budget then, one before the decision."""

WAITS_BEHIND_A_CIRCLE = oracle.System(
    policy="fp",
    tasks=(
        oracle.Task(
            "T1",
            period=20,
            server="S2",
            body=("lock R1", "unlock R1", "suspend 1", "lock R1", "run 3"),
        ),
        oracle.Task(
            "T2", period=6, demand=(1, 3), wcet=1, server="S1", body=("lock R2", "lock R1", "run 1"), on_miss="abort"
        ),
        oracle.Task(
            "T3", period=12, demand=(5, 1), wcet=11, server="S2", body=("lock R1", "run 2", "lock R2", "run 7")
        ),
    ),
    servers=(
        oracle.Server("S1", period=2, budget=2, policy="edf"),
        oracle.Server("S2", period=2, budget=1, policy="fp", parent="S1", kind="tbs"),
    ),
    resources=(oracle.Resource("R1", "pip"), oracle.Resource("R2", "pip")),
)
"""T2 and T3 wait for one another until 54, and T1 for T3; then T3 has T1's deadline, before that of the next T2."""

TWO_STARTED_EQUALS = oracle.System(
    policy="fp",
    tasks=(
        oracle.Task("T1", period=48, demand=5, server="S", threshold="T2"),
        oracle.Task(
            "T2",
            period=12,
            demand=6,
            wcet=7,
            server="S",
            threshold="T1",
            body=("lock G", "run 1", "unlock G", "lock G", "run 1", "unlock G", "run 1", "lock G", "run 3"),
        ),
    ),
    servers=(oracle.Server("S", period=4, budget=4, policy="rm"),),
    resources=(oracle.Resource("G", "sirap"),),
)
"""T2 waits for budget at 1, so that T1 starts with its key; from 5 on both have started, and T1 stands first."""

LATE_LOOK_INSIDE = oracle.System(
    policy="fp",
    tasks=(
        oracle.Task(name="T1", period=2, demand=1, priority=3, server="S1"),
        oracle.Task(name="T2", period=2, demand=1, priority=1, server="S3"),
    ),
    servers=(
        oracle.Server(name="S1", period=3, budget=2, priority=1, policy="fp"),
        oracle.Server(name="S2", period=2, budget=2, priority=3, policy="fp", parent="S1"),
        oracle.Server(name="S3", period=3, budget=1, priority=1, policy="fp", parent="S2"),
    ),
)
"""When S1 is replenished at 3, the job of T1 has waited in it since 2, and S2 gets work again only at 3."""

FOUND_BLOCKED = oracle.System(
    policy="llf",
    tasks=(
        oracle.Task("T1", demand=4, deadline=12, class_="soft", releases=((0, 0), (0, 0)), body=("lock R", "run 4")),
        oracle.Task("T2", period=40, demand=1, offset=1, deadline=9, body=("lock R", "run 1")),
    ),
    platform=oracle.Platform(scheduling=1),
    resources=(oracle.Resource("R", "none"),),
)
"""T2 overtakes T1, whose next job has locked R before T2 could, is found blocked and leaves, and T1 goes on."""


def as_task(task: oracle.Task, rules: Sequence[str | None] = ()) -> takt.Task:
    """Return a task of the oracle in Takt's words; in servers that are rules tasks have no deadlines of their own."""
    is_listed = task.releases is not None
    return takt.Task(
        name=task.name,
        period=None if is_listed else task.period,
        min_separation=task.rate_period if is_listed else None,
        arrivals=None if task.releases is None else [release for release, _ in task.releases],
        wcet=task.declared_wcet,
        demand=list(task.demands),
        deadline=None if task.server in rules else task.relative_deadline,
        offset=0 if is_listed else task.offset,
        priority=task.priority,
        body=list(task.body) if task.body else None,
        subjobs=list(task.subjobs) if task.subjobs else None,
        preemption="non-preemptive" if task.non_preemptive else "preemptive",
        threshold=task.threshold,
        on_miss=task.on_miss,
        server=task.server,
        class_=task.class_,
        initially="absent" if task.absent else "present",
        events=task.events,
        interval=task.interval,
    )


def as_server(server: oracle.Server) -> takt.Server:
    """Return a server of the oracle in Takt's words, which are the same."""
    return takt.Server(**asdict(server))


def as_system(system: oracle.System) -> takt.System:
    """Return a system of the oracle in Takt's words."""
    rules = [server.name for server in system.servers if server.kind in RULE_KINDS]
    return takt.System(
        policy=system.policy,
        tasks=[as_task(task, rules) for task in system.tasks],
        servers=[as_server(server) for server in system.servers],
        resources=[takt.Resource(name=resource.name, protocol=resource.protocol) for resource in system.resources],
        platform=as_platform(system.platform),
        changes=[as_change(change) for change in system.changes],
    )


def as_change(change: oracle.Change) -> takt.Change:
    """Return a change of the oracle in Takt's words, which are the same."""
    return takt.Change(**asdict(change))


def as_platform(platform: oracle.Platform) -> takt.Platform:
    """Return the costs of the kernel's work in Takt's words, which are the same."""
    return takt.Platform(**asdict(platform))


def outcome(result: takt.Result) -> oracle.Outcome:
    """Return Takt's outcome in the oracle's words."""

    def count(column: str) -> dict[str, int]:
        return dict(zip(result.summary["task"], result.summary[column], strict=True))

    segments = [result.segments[column] for column in ("start", "end", "server", "task", "job")]
    return oracle.Outcome(
        segments=list(zip(*segments, strict=True)),
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
        locks=[row for row in result.locks.rows() if row[-1] != "deadlock"],
        deadlocks=deadlocks_in(result.locks.rows()),
    )


def deadlocks_in(rows: list[tuple[int, str, int, str, str]]) -> list[tuple[int, tuple[tuple[str, str], ...]]]:
    """Gather the circles: their rows follow one another, after the wait that closed each."""
    circles = []
    for is_circle, group in itertools.groupby(rows, key=lambda row: row[-1] == "deadlock"):
        if is_circle:
            members = list(group)
            circles.append((members[0][0], tuple((task, resource) for _, task, _, resource, _ in members)))
    return circles


def expected_of(system: oracle.System, horizon: int) -> oracle.Outcome:
    """What the oracle says, without what Takt does not tell: budgets of no servers, invocations at no cost."""
    expected = oracle.simulate(system, horizon)
    invocations = 0 if system.platform == oracle.Platform() else expected.invocations
    return replace(expected, budgets=[row for row in expected.budgets if row], invocations=invocations)


DRAWN = {
    "plain": systems(),
    "in deep hierarchies": chains(),
    "with every kind of server": systems(features=SERVER_KINDS, always=SERVER_KINDS),
    "in deep hierarchies of every kind": chains(kinds=True),
    "where tasks share resources": systems(features=RESOURCES, always=RESOURCES),
    "where tasks contend": crowds(features=IDEAL),
    "whatever tasks that share have": systems(parents_first=False, features=IDEAL, always=RESOURCES),
    "where resources are shared among servers": households(),
    "where servers wait for budget among servers": households(protocols=("sirap",)),
    "whatever tasks that share among servers have": households(features=WHAT_USERS_HAVE),
    "when servers stand before their parents": systems(parents_first=False),
    "whatever tasks have": systems(parents_first=False, features=IDEAL),
    "where the kernel takes time": systems(parents_first=False, features=EVERYTHING, always=frozenset({"costs"})),
    "with changes": systems(parents_first=False, features=IDEAL | CHANGES, always=CHANGES),
    "with changes where the kernel takes time": systems(
        parents_first=False, features=EVERYTHING | CHANGES, always=CHANGES
    ),
    "with changes in deep hierarchies": chains(kinds=True).flatmap(with_changes),
    "with changes where tasks contend": crowds(features=IDEAL, protocols=("none", "npcs", "pip")).flatmap(with_changes),
    "with changes where servers share": households(features=WHAT_USERS_HAVE).flatmap(with_changes),
}
"""Strategies of systems that simulator and oracle have to agree on."""
SEEN = [
    (LATE_LOOK_INSIDE, 4),
    (ABORTED_BEFORE_BUDGET, 60),
    (WAITS_BEHIND_A_CIRCLE, 55),
    (FOUND_BLOCKED, 20),
    (TWO_STARTED_EQUALS, 12),
]
"""Systems, with horizons, on which they once did not."""


@pytest.mark.parametrize("drawn", DRAWN.values(), ids=DRAWN)
def test_simulation_equals_the_oracle(drawn: st.SearchStrategy[oracle.System]) -> None:
    @many
    @given(drawn, horizons())
    def agrees(system: oracle.System, horizon: int) -> None:
        assert outcome(takt.simulate(as_system(system), horizon)) == expected_of(system, horizon)

    agrees()


@pytest.mark.parametrize(("system", "horizon"), SEEN)
def test_simulation_equals_the_oracle_where_it_once_did_not(system: oracle.System, horizon: int) -> None:
    assert outcome(takt.simulate(as_system(system), horizon)) == expected_of(system, horizon)


@many
@given(households(features=WHAT_USERS_HAVE), horizons())
@example(TAKEN_OUT_AT_A_CHOICE, 144)
def test_every_trace_of_resources_shared_among_servers_replays_identically(system: oracle.System, horizon: int) -> None:
    replay_of(system, horizon)


@many
@given(systems(parents_first=False, features=EVERYTHING | CHANGES), horizons())
def test_every_trace_replays_identically(system: oracle.System, horizon: int) -> None:
    replay_of(system, horizon)


def replay_of(system: oracle.System, horizon: int) -> None:
    """Record a run and replay it: the same decisions."""
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
        told = report.report_of(result)
        rows = [replace(row, parameters=()) for row in told.rows]  # a trace has no parameters of files
        simulated = replace(told, switches=None, overhead=None, rows=rows, stretches=())
        assert board_report.report_of(trace) == simulated


@many
@given(systems(features=EVERYTHING | CHANGES), horizons())
def test_what_is_kept_changes_nothing(system: oracle.System, horizon: int) -> None:
    keeping = takt.simulate(as_system(system), horizon)
    counting = takt.simulate(as_system(system), horizon, segments=False, jobs=False, budgets=False)
    assert counted(counting.summary).equals(counted(keeping.summary))
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
