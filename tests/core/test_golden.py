# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The golden schedules through Takt itself: segments, jobs and budgets come out to the tick.

The oracles are held to them elsewhere; here it is core and simulator. Limited preemption has a file of its own
(test_limited_preemption.py), and so have the scheduler architectures (test_architectures.py).
"""

from __future__ import annotations

import csv

import pytest
import takt
from places import GOLDEN

Run = tuple[int, int, str]


def rows_of(name: str) -> list[dict[str, str]]:
    """Read one golden file."""
    with (GOLDEN / name).open(newline="") as file:
        return list(csv.DictReader(file))


def merged(runs: list[Run]) -> list[Run]:
    """Merge neighbours of one name."""
    result: list[Run] = []
    for start, end, name in runs:
        joins = bool(result) and result[-1][1:] == (start, name)
        result.append((result.pop()[0] if joins else start, end, name))
    return result


def golden_runs(name: str) -> list[Run]:
    """Return the segments, without marks and without idle time."""
    rows = [row for row in rows_of(name) if row["task"] != "idle"]
    return merged([(int(row["start"]), int(row["end"]), row["task"].rstrip("*")) for row in rows])


def runs_of(result: takt.Result) -> list[Run]:
    """Return the segments; an idling server is `idle-` and its name, as in the golden files."""
    rows = result.segments.select("start", "end", "server", "task").rows()
    return merged([(start, end, f"idle-{server}" if task == "idle" else task) for start, end, server, task in rows])


# ---------------------------------------------------------------------------------------- servers in hierarchy


def tables(kind: str, wcet_of_t2: int) -> takt.System:
    """Tables I and II of the paper on hierarchical scheduling."""
    return takt.System(
        servers=[
            takt.Server(name="S1", period=20, budget=10, priority=2, kind=kind),
            takt.Server(name="S2", period=40, budget=15, priority=1, kind=kind),
        ],
        tasks=[
            takt.Task(name="T1", period=20, wcet=4, priority=1, server="S1"),
            takt.Task(name="T2", period=15, wcet=wcet_of_t2, priority=2, server="S1"),
            takt.Task(name="T3", period=60, wcet=10, priority=2, server="S2"),
        ],
    )


@pytest.mark.parametrize(
    ("name", "kind", "wcet_of_t2"),
    [
        ("hsf_test1_deferrable", "deferrable", 2),
        ("hsf_test1_idling", "idling", 2),
        ("hsf_test1_sporadic", "sporadic", 2),
        ("hsf_test2_deferrable", "deferrable", 6),
        ("hsf_test2_idling", "idling", 6),
    ],
)
def test_servers_run_as_in_the_golden_schedule(name: str, kind: str, wcet_of_t2: int) -> None:
    result = takt.simulate(tables(kind, wcet_of_t2), 120)
    finished = result.jobs.drop_nulls("finish").select("task", "release", "finish", "response", "missed").rows()
    assert runs_of(result) == golden_runs(f"{name}.csv")
    assert [list(map(int, row)) for row in result.budgets.rows()] == [
        list(map(int, row.values())) for row in rows_of(f"{name}_budget.csv")
    ]
    assert finished == [
        (row["task"], int(row["release"]), int(row["finish"]), int(row["response"]), row["missed"] == "1")
        for row in rows_of(f"{name}_jobs.csv")
    ]


# ------------------------------------------------------------------------------- framework = direct, seen from Takt


@pytest.mark.parametrize("policy", ["rm", "edf", "llf"])
def test_direct_policies_run_as_the_framework_does(policy: str) -> None:
    tasks = [("A", 4, 1), ("B", 5, 2), ("C", 20, 4)]
    system = takt.System(
        policy=policy, tasks=[takt.Task(name=name, period=period, wcet=wcet) for name, period, wcet in tasks]
    )
    golden = golden_runs(f"red_{policy}.csv")
    assert runs_of(takt.simulate(system, golden[-1][1])) == golden


def test_edf_meets_what_rate_monotonic_misses_through_the_framework_too() -> None:
    tasks = [takt.Task(name="A", period=5, wcet=2), takt.Task(name="B", period=7, wcet=4)]
    golden = golden_runs("red_edf_57.csv")
    assert runs_of(takt.simulate(takt.System(policy="edf", tasks=tasks), golden[-1][1])) == golden


# ---------------------------------------------------------------------------------------------- deadline rules


def test_rate_based_execution_runs_as_in_the_golden_schedule_with_its_deadlines() -> None:
    tasks = [
        takt.Task(name="T1", events=2, interval=5, wcet=1, arrivals=[0, 0, 0, 0, 0, 12]),
        takt.Task(name="T2", events=1, interval=3, wcet=1, arrivals=[0, 3, 6, 9, 12]),
    ]
    result = takt.simulate(takt.System(policy="rbe", tasks=tasks), 20)
    jobs = result.jobs.with_columns(deadline=result.deadlines["deadline"]).select(
        "task", "job", "release", "deadline", "finish"
    )
    assert runs_of(result) == golden_runs("rbe_example.csv")
    assert jobs.sort("task", "job").rows() == [
        (row["task"], int(row["j"]) - 1, int(row["arrival"]), int(row["deadline"]), int(row["finish"]))
        for row in rows_of("rbe_example_deadlines.csv")
    ]


@pytest.mark.parametrize("kind", ["tbs", "cus"])
def test_share_servers_run_as_in_the_golden_schedule(kind: str) -> None:
    periodic = [takt.Task(name="A", period=6, wcet=3), takt.Task(name="B", period=8, wcet=2)]
    server = takt.Server(name="srv", period=4, budget=1, kind=kind)
    served = [
        takt.Task(name=f"srv@{instant}", arrivals=[instant], wcet=demand, server="srv")
        for instant, demand in [(3, 1), (9, 2), (14, 1)]
    ]
    result = takt.simulate(takt.System(policy="edf", tasks=[*periodic, *served], servers=[server]), 24)
    runs = [(start, end, task.partition("@")[0]) for start, end, task in runs_of(result)]
    assert merged(runs) == [run for run in golden_runs(f"srv_{kind}.csv") if run[0] < 24]
    assert set(result.segments.filter(server="srv")["task"]) == {task.name for task in served}


def eleven_flows(variant: str) -> takt.System:
    """The first flow has as much as ten others together."""
    first = takt.Task(name="f01", weight=10, wcet=1, deadline=100, arrivals=[0] * 11)
    others = [takt.Task(name=f"f{number:02}", wcet=1, deadline=100, arrivals=[0]) for number in range(2, 12)]
    return takt.System(policy="share", options=[takt.Share(variant=variant)], tasks=[first, *others])


def test_weighted_fair_queueing_runs_as_in_the_golden_schedule() -> None:
    golden = [(int(row["start"]), int(row["end"]), row["task"]) for row in rows_of("sd_wfq.csv")]
    segments = takt.simulate(eleven_flows("wfq"), 21).segments
    assert segments.select("start", "end", "task").rows() == golden


def test_wf2q_alternates() -> None:
    """As the specification says: the first flow has every second packet."""
    tasks = takt.simulate(eleven_flows("wf2q"), 21).segments["task"].to_list()
    assert tasks[::2] == ["f01"] * 11
    assert tasks[1::2] == [f"f{number:02}" for number in range(2, 12)]


def test_virtual_deadlines_run_as_in_the_golden_schedule() -> None:
    shares = [("F1", 2, 2), ("F2", 1, 2), ("F3", 1, 1)]
    tasks = [
        takt.Task(name=name, weight=weight, wcet=chunk, deadline=100, arrivals=[0] * 12)
        for name, weight, chunk in shares
    ]
    result = takt.simulate(takt.System(policy="share", tasks=tasks), 24)
    assert runs_of(result) == golden_runs("red_sd.csv")
