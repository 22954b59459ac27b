"""Deadline rules through Takt against references that share no code with it: rate-based execution.

TAKT_SYSTEMS says how many random systems are tried (default 200).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from pathlib import Path

import pytest
import takt
from framework_oracle.direct import bandwidth
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rate_oracle import rbe
from rate_oracle.model import CLASSES
from rate_oracle.rbe import RbeTask

SYSTEMS = int(os.environ.get("TAKT_SYSTEMS", "200"))
HORIZON = 80

many = settings(max_examples=SYSTEMS, deadline=None, suppress_health_check=[HealthCheck.too_slow])

Row = tuple[str, int, int, int, int | None]


def job_rows(result: takt.Result) -> list[Row]:
    """Give task, job, arrival, deadline and finish of every job, in task order."""
    order = {task.name: number for number, task in enumerate(result.system.tasks)}
    jobs = result.jobs.with_columns(deadline=result.deadlines)
    rows = jobs.select("task", "job", "release", "deadline", "finish").rows()
    return sorted(rows, key=lambda row: (order[row[0]], row[1]))


def segment_rows(result: takt.Result) -> list[tuple[int, int, str, int]]:
    """Give start, end, task and job of every segment."""
    return result.segments.select("start", "end", "task", "job").rows()


def misses_of(rows: Sequence[Row], horizon: int) -> int:
    """Count the jobs that are late, or unfinished at a deadline up to the horizon."""
    return sum(deadline <= horizon if finish is None else finish > deadline for *_, deadline, finish in rows)


# ---------------------------------------------------------------------------------------- rate-based execution


@st.composite
def rbe_tasks(draw: st.DrawFn) -> tuple[RbeTask, ...]:
    """Make 1 to 4 tasks with bursts of events."""
    count = draw(st.integers(1, 4))
    return tuple(draw(_rbe_task(f"T{number}")) for number in range(count))


@st.composite
def _rbe_task(draw: st.DrawFn, name: str) -> RbeTask:
    """Make one task."""
    gaps = draw(st.lists(st.one_of(st.just(0), st.integers(0, 9)), min_size=1, max_size=10))
    some = st.integers(1, 9)
    class_ = draw(st.sampled_from(CLASSES))
    events, cost = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    return RbeTask(name, events, draw(some), draw(some), cost, tuple(accumulate(gaps)), class_)


def as_rbe(tasks: Sequence[RbeTask], *, preemptive: bool) -> takt.System:
    """Say tasks of the reference in Takt's words."""
    return takt.System(
        policy="rbe",
        tasks=[
            takt.Task(
                name=task.name,
                events=task.x,
                interval=task.y,
                deadline=task.d,
                wcet=task.c,
                arrivals=task.arrivals,
                class_=task.class_,
                preemption="preemptive" if preemptive else "non-preemptive",
            )
            for task in tasks
        ],
    )


@pytest.mark.parametrize("preemptive", [True, False])
@many
@given(tasks=rbe_tasks())
def test_rate_based_execution_equals_its_reference(preemptive: bool, tasks: tuple[RbeTask, ...]) -> None:
    result = takt.simulate(as_rbe(tasks, preemptive=preemptive), HORIZON)
    segments, jobs = rbe.simulate(tasks, HORIZON, preemptive=preemptive)
    expected = [job for job in jobs if job[2] < HORIZON]
    assert segment_rows(result) == segments
    assert job_rows(result) == expected
    assert result.missed == misses_of(expected, HORIZON)


@many
@given(rbe_tasks())
def test_at_most_x_deadlines_lie_in_an_interval(tasks: tuple[RbeTask, ...]) -> None:
    rows = job_rows(takt.simulate(as_rbe(tasks, preemptive=True), HORIZON))
    for task in tasks:
        due = [row[3] for row in rows if row[0] == task.name]
        assert due == sorted(due)
        assert all(later - before >= task.y for before, later in zip(due, due[task.x :], strict=False))


@many
@given(rbe_tasks())
def test_what_the_feasibility_test_accepts_misses_nothing(tasks: tuple[RbeTask, ...]) -> None:
    if rbe.is_feasible(tasks):
        assert takt.simulate(as_rbe(tasks, preemptive=True), HORIZON).missed == 0


def test_deadlines_stop_where_time_ends() -> None:
    """Deadlines that a burst puts off beyond all times are the last there is, in their order of arrival."""
    task = takt.Task(name="A", interval=2**62 - 1, deadline=1, wcet=1, arrivals=[0, 0, 0, 0])
    rows = job_rows(takt.simulate(takt.System(policy="rbe", tasks=[task]), 10))
    assert [row[3] for row in rows] == [1, 2**62, 2**63 - 1, 2**63 - 1]
    assert [row[4] for row in rows] == [1, 2, 3, 4]


def test_an_aborted_and_a_skipped_job_have_the_deadlines_of_their_rule() -> None:
    tasks = [
        takt.Task(name="A", interval=4, deadline=2, wcet=1, demand=9, arrivals=[0, 0], on_miss="abort"),
        takt.Task(name="S", interval=5, deadline=2, wcet=1, arrivals=[0, 0], on_miss="skip"),
    ]
    result = takt.simulate(takt.System(policy="rbe", tasks=tasks), 20)
    assert job_rows(result) == [("A", 0, 0, 2, None), ("A", 1, 0, 6, None), ("S", 0, 0, 2, 3), ("S", 1, 0, 7, None)]
    assert result.summary.select("aborted", "skipped").rows() == [(2, 0), (0, 1)]


def test_replay_of_rate_based_execution_is_identical(tmp_path: Path) -> None:
    tasks = (RbeTask("A", 2, 5, 5, 1, (0, 0, 0, 0, 12)), RbeTask("B", 1, 3, 3, 2, (0, 3, 6)))
    takt.simulate(as_rbe(tasks, preemptive=True), HORIZON, trace=tmp_path / "T.takt")
    assert takt.replay(tmp_path / "T.takt").is_identical


# -------------------------------------------------------------------- total bandwidth, constant utilization


@st.composite
def shared_processors(draw: st.DrawFn) -> tuple[list[tuple[int, int]], int, int]:
    """Make periodic tasks (period, wcet) and a share, budget and period, that together are at most one processor."""
    budget, period = draw(st.integers(1, 3)), draw(st.integers(4, 10))
    left = 1 - Fraction(budget, period)
    tasks = []
    for _ in range(draw(st.integers(0, 3))):
        task = draw(st.integers(3, 12)), draw(st.integers(1, 3))
        if Fraction(task[1], task[0]) <= left:
            left -= Fraction(task[1], task[0])
            tasks.append(task)
    return tasks, budget, period


@pytest.mark.parametrize("kind", ["tbs", "cus"])
@many
@given(shared=shared_processors(), gaps=st.lists(st.tuples(st.integers(0, 9), st.integers(1, 5)), max_size=8))
def test_bandwidth_servers_equal_their_reference_and_isolate(
    kind: str, shared: tuple[list[tuple[int, int]], int, int], gaps: list[tuple[int, int]]
) -> None:
    tasks, budget, period = shared
    arrivals = tuple(zip(accumulate(gap for gap, _ in gaps), (work for _, work in gaps), strict=True))
    entities = [bandwidth.Periodic(f"P{number}", *task) for number, task in enumerate(tasks)]
    server = bandwidth.TotalBandwidth("S", budget, period, arrivals, kind == "cus")
    expected = bandwidth.simulate((*entities, server), HORIZON)
    system = takt.System(
        policy="edf",
        servers=[takt.Server(name="S", period=period, budget=budget, kind=kind)],
        tasks=[
            *(takt.Task(name=f"P{number}", period=of, wcet=wcet) for number, (of, wcet) in enumerate(tasks)),
            *(
                takt.Task(name=f"J{number}", arrivals=[instant], wcet=work, server="S")
                for number, (instant, work) in enumerate(arrivals)
            ),
            *([] if tasks or arrivals else [takt.Task(name="idle", arrivals=[HORIZON], deadline=1, wcet=1)]),
        ],
    )
    result = takt.simulate(system, HORIZON)
    ticks: list[str | None] = [None] * HORIZON
    for start, end, server_name, task in result.segments.select("start", "end", "server", "task").rows():
        ticks[start:end] = [server_name or task] * (end - start)
    assert ticks == expected
    assert result.missed == 0
