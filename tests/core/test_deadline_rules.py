# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Deadline rules through Takt against references that share no code with it: rate-based execution."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from pathlib import Path
from time import perf_counter
from typing import Any

import fair_queueing
import fraction_queueing as fair
import pytest
import takt
from fair_queueing import Flow
from hypothesis import given
from hypothesis import strategies as st
from rate_oracle import rbe
from rate_oracle.model import CLASSES
from rate_oracle.rbe import RbeTask
from sampling import tries

HORIZON = 80

many = tries(200)

Row = tuple[str, int, int, int, int | None]


def job_rows(result: takt.Result) -> list[Row]:
    """Return task, job, arrival, deadline and finish of every job, in task order."""
    order = {task.name: number for number, task in enumerate(result.system.tasks)}
    jobs = result.jobs.with_columns(deadline=result.deadlines["deadline"])
    rows = jobs.select("task", "job", "release", "deadline", "finish").rows()
    return sorted(rows, key=lambda row: (order[row[0]], row[1]))


def segment_rows(result: takt.Result) -> list[tuple[int, int, str, int]]:
    """Return start, end, task and job of every segment."""
    return result.segments.select("start", "end", "task", "job").rows()


def misses_of(rows: Sequence[Row], horizon: int) -> int:
    """Count the jobs that are late, or unfinished at a deadline up to the horizon."""
    return sum(deadline <= horizon if finish is None else finish > deadline for *_, deadline, finish in rows)


# ---------------------------------------------------------------------------------------- rate-based execution


@st.composite
def rbe_tasks(draw: st.DrawFn) -> tuple[RbeTask, ...]:
    """Return 1 to 4 tasks with bursts of events."""
    count = draw(st.integers(1, 4))
    return tuple(draw(_rbe_task(f"T{number}")) for number in range(count))


@st.composite
def _rbe_task(draw: st.DrawFn, name: str) -> RbeTask:
    """Return one task."""
    gaps = draw(st.lists(st.one_of(st.just(0), st.integers(0, 9)), min_size=1, max_size=10))
    some = st.integers(1, 9)
    class_ = draw(st.sampled_from(CLASSES))
    events, cost = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    return RbeTask(name, events, draw(some), draw(some), cost, tuple(accumulate(gaps)), class_)


def as_rbe(tasks: Sequence[RbeTask], *, preemptive: bool) -> takt.System:
    """Return tasks of the reference in Takt's words."""
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
    """Return periodic tasks (period, wcet) and a share, budget and period, that together are at most one processor."""
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
def test_bandwidth_servers_isolate(
    kind: str, shared: tuple[list[tuple[int, int]], int, int], gaps: list[tuple[int, int]]
) -> None:
    """That they equal the oracle's is tested with all other servers."""
    tasks, budget, period = shared
    arrivals = tuple(zip(accumulate(gap for gap, _ in gaps), (work for _, work in gaps), strict=True))
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
    assert takt.simulate(system, HORIZON).missed == 0


# ------------------------------------------------------------------------------------------------------ shares


@st.composite
def flow_sets(draw: st.DrawFn, weights: st.SearchStrategy[int]) -> list[Flow]:
    """Return 1 to 5 flows with bursts of packets."""
    flows = []
    for number in range(draw(st.integers(1, 5))):
        gaps = draw(st.lists(st.one_of(st.just(0), st.integers(0, 12)), min_size=1, max_size=8))
        flows.append(Flow(f"f{number}", draw(weights), draw(st.integers(1, 5)), tuple(accumulate(gaps))))
    return flows


def as_shares(flows: Sequence[Flow], variant: str, **keys: Any) -> takt.System:
    """Return flows in Takt's words."""
    return takt.System(
        policy="share",
        options=[takt.Share(variant=variant)],
        tasks=[
            takt.Task(name=f.name, weight=f.weight, wcet=f.length, deadline=50, arrivals=f.arrivals, **keys)
            for f in flows
        ],
    )


def packet_ticks(result: takt.Result) -> list[tuple[str, int] | None]:
    """Return flow and number of the packet of every tick."""
    ticks: list[tuple[str, int] | None] = [None] * result.horizon
    for start, end, task, job in segment_rows(result):
        ticks[start:end] = [(task, job)] * (end - start)
    return ticks


SOME_WEIGHTS = st.one_of(st.integers(1, 7), st.sampled_from([1, 13, 1000, 65535]))


@pytest.mark.parametrize("variant", ["wfq", "wf2q"])
@many
@given(flows=flow_sets(SOME_WEIGHTS))
def test_fair_queueing_equals_its_reference(variant: str, flows: list[Flow]) -> None:
    result = takt.simulate(as_shares(flows, variant), HORIZON)
    assert packet_ticks(result) == fair_queueing.simulate(flows, HORIZON, is_wf2q=variant == "wf2q")


@pytest.mark.parametrize("variant", ["wfq", "wf2q"])
@many
@given(flows=flow_sets(st.integers(1, 7)))
def test_fair_queueing_equals_exact_fractions_where_rounding_decides_nothing(variant: str, flows: list[Flow]) -> None:
    """Of the exact reference, whose scale is another one; tags that are no whole numbers there are left out."""
    total = sum(flow.weight for flow in flows)
    exact = tuple(
        fair.Flow(f.name, Fraction(f.weight, total), tuple((arrival, f.length) for arrival in f.arrivals))
        for f in flows
    )
    found = packet_ticks(takt.simulate(as_shares(flows, variant), HORIZON))
    expected = fair.simulate(exact, HORIZON, is_wf2q=variant == "wf2q")
    if found != expected:
        assert virtual_times_are_broken(exact, total)


def virtual_times_are_broken(flows: tuple[fair.Flow, ...], total: int) -> bool:
    """True if virtual time is ever read between two of Takt's whole numbers."""
    last = [0] * len(flows)
    virtual = Fraction(0)
    for now in range(HORIZON):
        if fair.arrivals(flows, last, virtual, now) and (virtual / total).denominator != 1:
            return True
        virtual = fair.after_one_tick(flows, last, virtual)
    return False


@many
@given(flow_sets(st.integers(1, 7)))
def test_virtual_deadlines_order_preemptive_jobs(flows: list[Flow]) -> None:
    """Tick by tick: the least max(arrival, last) + ceil(length / share) first, ties by place."""
    total = sum(flow.weight for flow in flows)
    waiting = [
        (due, place, number, flow.arrivals[number])
        for place, flow in enumerate(flows)
        for number, due in enumerate(virtual_deadlines(flow, total))
    ]
    left = {(place, number): flows[place].length for _, place, number, _ in waiting}
    expected: list[tuple[str, int] | None] = []
    for now in range(HORIZON):
        ready = [job for job in waiting if job[3] <= now and left[job[1], job[2]]]
        chosen = min(ready, default=None)
        expected.append(None if chosen is None else (flows[chosen[1]].name, chosen[2]))
        if chosen is not None:
            left[chosen[1], chosen[2]] -= 1
    assert packet_ticks(takt.simulate(as_shares(flows, "generic"), HORIZON)) == expected


def virtual_deadlines(flow: Flow, total: int) -> list[int]:
    """Return the virtual deadlines of a flow."""
    last, found = 0, []
    for arrival in flow.arrivals:
        last = max(arrival, last) - (-flow.length * total // flow.weight)
        found.append(last)
    return found


@pytest.mark.parametrize("variant", ["generic", "wfq", "wf2q"])
@tries(30)
@given(flows=flow_sets(SOME_WEIGHTS), preemption=st.sampled_from(["preemptive", "non-preemptive"]))
def test_replay_of_shares_is_identical(
    tmp_path_factory: pytest.TempPathFactory, variant: str, flows: list[Flow], preemption: str
) -> None:
    path = tmp_path_factory.mktemp("trace") / "T.takt"
    takt.simulate(as_shares(flows, variant, preemption=preemption), HORIZON, trace=path)
    assert takt.replay(path).is_identical


def test_misses_under_shares_count_by_the_deadline_of_the_task() -> None:
    tasks = [takt.Task(name=name, wcet=2, deadline=3, arrivals=[0]) for name in "AB"]
    result = takt.simulate(takt.System(policy="share", options=[takt.Share(variant="wfq")], tasks=tasks), 10)
    assert job_rows(result) == [("A", 0, 0, 3, 2), ("B", 0, 0, 3, 4)]
    assert result.summary["missed"].to_list() == [0, 1]


def test_ten_thousand_flows_cost_little_more_than_a_hundred() -> None:
    """Per packet; a scan of all flows would make it a hundred times as much."""

    def seconds_per_packet(count: int, variant: str) -> float:
        system = takt.System(
            policy="share",
            options=[takt.Share(variant=variant)],
            tasks=[
                takt.Task(name=f"f{number}", period=2 * count, offset=number, wcet=1, weight=1 + number % 7)
                for number in range(count)
            ],
        )
        system.resolved  # noqa: B018 (what is kept is not a part of what is timed)
        start = perf_counter()
        takt.simulate(system, 40_000, segments=False, jobs=False)
        return perf_counter() - start

    for variant in ("wfq", "wf2q"):
        assert seconds_per_packet(10_000, variant) < 20 * seconds_per_packet(100, variant) + 1


# ---------------------------------------------------------------------------------------------- who comes and goes


@st.composite
def visits(draw: st.DrawFn) -> list[int]:
    """Return the instants at which a task is removed, added, removed and so on."""
    gaps = draw(st.lists(st.integers(1, 20), min_size=1, max_size=4))
    return list(accumulate(gaps))


def arrivals_of(arrivals: Sequence[int], instants: Sequence[int]) -> list[int]:
    """Return the arrivals of a task that is removed and added at these instants; its list counts from its entry."""
    starts, ends = [0, *instants[1::2]], [*instants[::2], HORIZON]
    spans = zip(starts, ends, strict=False)
    return [start + arrival for start, end in spans for arrival in arrivals if start + arrival < end]


def coming_and_going(system: takt.System, instants: Sequence[Sequence[int]]) -> tuple[takt.System, takt.System]:
    """Return the system whose tasks come and go, and the one in which the same jobs just arrive."""
    changes, tasks = [], []
    for task, own in zip(system.tasks, instants, strict=True):
        changes += [
            takt.Change(at=at, **{"add" if number % 2 else "remove": [task.name]}) for number, at in enumerate(own)
        ]
        assert isinstance(task.arrivals, tuple)
        merged = arrivals_of([int(arrival) for arrival in task.arrivals], own)
        tasks.append(task.replace(arrivals=merged or [HORIZON]))
    return system.replace(changes=changes), system.replace(tasks=tasks)


def agree(system: takt.System, instants: Sequence[Sequence[int]], path: Path) -> None:
    """What arrives before a removal and after an addition is all that counts; the trace replays."""
    changed, plain = coming_and_going(system, instants)
    found, expected = takt.simulate(changed, HORIZON, trace=path), takt.simulate(plain, HORIZON)
    assert segment_rows(found) == segment_rows(expected)
    assert job_rows(found) == job_rows(expected)
    assert found.missed == expected.missed
    assert takt.replay(path).is_identical


@tries(60)
@given(tasks=rbe_tasks(), data=st.data())
def test_events_come_and_go(tmp_path_factory: pytest.TempPathFactory, tasks: tuple[RbeTask, ...], data: Any) -> None:
    instants = [data.draw(visits()) for _ in tasks]
    agree(as_rbe(tasks, preemptive=True), instants, tmp_path_factory.mktemp("rbe") / "t")


@pytest.mark.parametrize("variant", ["generic", "wfq", "wf2q"])
@tries(60)
@given(flows=flow_sets(SOME_WEIGHTS), data=st.data())
def test_flows_come_and_go(
    tmp_path_factory: pytest.TempPathFactory, variant: str, flows: list[Flow], data: Any
) -> None:
    """The shares of those that are away stay theirs; packets that have come but not started are sent."""
    instants = [data.draw(visits()) for _ in flows]
    agree(as_shares(flows, variant), instants, tmp_path_factory.mktemp("share") / "t")


@pytest.mark.parametrize("kind", ["tbs", "cus"])
@tries(60)
@given(tasks=rbe_tasks(), budget=st.integers(1, 3), data=st.data())
def test_tasks_of_a_bandwidth_server_come_and_go(
    tmp_path_factory: pytest.TempPathFactory, kind: str, tasks: tuple[RbeTask, ...], budget: int, data: Any
) -> None:
    """The deadlines of the server go on from the last one that was given."""
    served = [takt.Task(name=task.name, arrivals=task.arrivals, wcet=task.c, server="S") for task in tasks]
    server = takt.Server(name="S", kind=kind, budget=budget, period=4)
    system = takt.System(policy="edf", tasks=served, servers=[server])
    agree(system, [data.draw(visits()) for _ in tasks], tmp_path_factory.mktemp(kind) / "t")


def test_a_rule_remembers_who_was_away() -> None:
    """Two events in 10: those of 4 and 5, after an absence, are due 10 after those of 0 and 1, and so on."""
    task = takt.Task(name="A", events=2, interval=10, deadline=3, wcet=1, arrivals=[0, 1])
    changes = [takt.Change(at=2, remove=["A"]), takt.Change(at=4, add=["A"])]
    rows = job_rows(takt.simulate(takt.System(policy="rbe", tasks=[task], changes=changes), 30))
    assert [(row[1], row[2], row[3]) for row in rows] == [(0, 0, 3), (1, 1, 4), (2, 4, 13), (3, 5, 14)]


def test_a_job_that_a_rule_puts_off_comes_though_its_task_is_removed() -> None:
    """Under cus the second job starts at the first one's deadline 8; the third would come when the task is removed."""
    task = takt.Task(name="A", arrivals=[0, 1, 3], wcet=2, server="S")
    server = takt.Server(name="S", kind="cus", budget=1, period=4)
    changes = [takt.Change(at=3, remove=["A"])]
    result = takt.simulate(takt.System(policy="edf", tasks=[task], servers=[server], changes=changes), 30)
    assert segment_rows(result) == [(0, 2, "A", 0), (8, 10, "A", 1)]


def test_periodic_flows_begin_at_their_offsets_again() -> None:
    """One is absent at first; no default weight is lost."""
    tasks = [
        takt.Task(name="A", period=4, wcet=1, offset=1),
        takt.Task(name="B", period=4, wcet=1, weight=3, initially="absent", offset=2),
    ]
    changes = [takt.Change(at=10, remove=["A"], add=["B"]), takt.Change(at=21, add=["A"])]
    result = takt.simulate(takt.System(policy="share", tasks=tasks, changes=changes), 30)
    assert [row[2] for row in job_rows(result) if row[0] == "A"] == [1, 5, 9, 22, 26]
    assert [row[2] for row in job_rows(result) if row[0] == "B"] == [12, 16, 20, 24, 28]


def test_a_deadline_is_the_period_if_there_is_one_and_else_the_interval() -> None:
    tasks = [
        takt.Task(name="A", period=20, interval=5, wcet=1),
        takt.Task(name="B", arrivals=[0], interval=5, wcet=1),
    ]
    assert takt.simulate(takt.System(tasks=tasks, policy="rbe"), 20).summary["deadline"].to_list() == [20, 5]
