"""Tests of the oracle itself: golden schedules, every rule by a schedule worked out by hand, and invariants.

Source: SPEC.md; what it leaves open stands at the top of oracle/oracle.py.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from oracle import Outcome, Platform, Resource, Server, System, Task, simulate
from oracle.model import EDF_KINDS, IDLE, POLICIES, PROTOCOLS, RULE_KINDS
from oracle.systems import (
    EVERYTHING,
    JITTER,
    MAX_SERVERS,
    MAX_TASKS,
    RESOURCES,
    SERVER_KINDS,
    Features,
    chains,
    crowds,
    horizons,
    systems,
)
from places import GOLDEN
from sampling import tries

Run = tuple[int, int, str]
ANYTHING: Features = EVERYTHING | JITTER | SERVER_KINDS
random_systems = tries(100)


def read_golden(name: str) -> list[dict[str, str]]:
    """Read one golden file."""
    with (GOLDEN / name).open(newline="") as file:
        return list(csv.DictReader(file))


def golden_segments(name: str) -> list[tuple[int, int, str, str]]:
    """Read golden segments without their idle rows; a file without servers has "" there.

    The idle time of an idling server S is there as "idle-S".
    """
    rows = [row for row in read_golden(name) if row["task"] != "idle"]
    return [(int(row["start"]), int(row["end"]), row.get("server", ""), row["task"].split("-")[0]) for row in rows]


def golden_jobs(name: str) -> list[tuple[str, int, int, int, bool]]:
    """Read golden jobs, which are the finished ones in order of finish."""
    rows = read_golden(name)
    return [
        (row["task"], int(row["release"]), int(row["finish"]), int(row["response"]), row["missed"] == "1")
        for row in rows
    ]


def without_job_numbers(outcome: Outcome) -> list[tuple[int, int, str, str]]:
    """Merge the segments of neighbouring jobs of one task, as the golden files do."""
    merged: list[tuple[int, int, str, str]] = []
    for start, end, server, task, _ in outcome.segments:
        joins_last = bool(merged) and merged[-1][1:] == (start, server, task)
        merged.append((merged.pop()[0] if joins_last else start, end, server, task))
    return merged


def runs(system: System, horizon: int) -> list[Run]:
    """Simulate and give (start, end, task), neighbours of one task merged."""
    return [(start, end, task) for start, end, _, task in without_job_numbers(simulate(system, horizon))]


def finished_jobs(outcome: Outcome) -> list[tuple[str, int, int, int, bool]]:
    """Give (task, release, finish, response, missed) of the finished jobs."""
    return [
        (task, release, finish, response, missed)
        for task, _, release, finish, response, missed in outcome.jobs
        if finish is not None and response is not None
    ]


def once(name: str, demand: int, offset: int = 0, priority: int = 1, **more: Any) -> Task:
    """Make a task whose second job lies beyond every horizon used here."""
    return Task(name, 1000, demand, offset=offset, priority=priority, **more)


def fp(*entities: Task | Server) -> System:
    """Make a system with an fp root."""
    return mixed("fp", *entities)


def edf(*entities: Task | Server) -> System:
    """Make a system with an edf root."""
    return mixed("edf", *entities)


def mixed(policy: str, *entities: Task | Server) -> System:
    """Make a system out of tasks and servers in any order."""
    tasks = tuple(entity for entity in entities if isinstance(entity, Task))
    servers = tuple(entity for entity in entities if isinstance(entity, Server))
    return System(policy, tasks, servers)


def on(platform: Platform, *tasks: Task, policy: str = "fp") -> System:
    """Make a system of tasks on a platform that has costs."""
    return System(policy, tasks or (Task("A", 2, 1),), (), platform)


# ---------------------------------------------------------------------------------------- golden schedules


def hsf_tables(demand_of_t2: int, kind: str = "deferrable") -> System:
    """Tables I and II of the paper on hierarchical scheduling."""
    return fp(
        Server("S1", 20, 10, priority=2, kind=kind),
        Server("S2", 40, 15, priority=1, kind=kind),
        Task("T1", 20, 4, priority=1, server="S1"),
        Task("T2", 15, demand_of_t2, priority=2, server="S1"),
        Task("T3", 60, 10, priority=2, server="S2"),
    )


def fpds_example(offset: int, preemption: str | None, subjobs: tuple[int, ...] | None = None) -> System:
    """T1 above T2, schedulable with subjobs only."""
    return fp(
        Task("T1", 5, 2, offset=offset, priority=2, preemption=preemption),
        Task("T2", 12, 7, priority=1, preemption=preemption, subjobs=subjobs),
    )


BASIC_57 = (Task("A", 5, 2, priority=2), Task("B", 7, 4, priority=1))
FPTS_EXAMPLE = fp(
    Task("T1", 4, 2, priority=3, threshold=3),
    Task("T2", 10, 2, priority=2, threshold=3),
    Task("T3", 14, 4, priority=1, threshold=2),
)
FPTS_EXAMPLE_BY_NAME = fp(
    Task("T1", 4, 2, priority=3, threshold="T1"),
    Task("T2", 10, 2, priority=2, threshold="T1"),
    Task("T3", 14, 4, priority=1, threshold="T2"),
)
RM_DM = (Task("A", 6, 2, priority=2), Task("B", 10, 2, deadline=3, priority=1))
GOLDEN_RUNS = [
    pytest.param("basic_edf_57.csv", edf(*BASIC_57), 35, id="edf"),
    pytest.param("basic_rm_57.csv", fp(*BASIC_57), 35, id="rm_as_fp"),
    pytest.param("basic_rm_57.csv", mixed("rm", *BASIC_57[::-1]), 35, id="rm"),
    pytest.param("basic_llf_57.csv", mixed("llf", *BASIC_57), 35, id="llf"),
    pytest.param("basic_rm_dm.csv", fp(*RM_DM), 30, id="rm_not_dm_as_fp"),
    pytest.param("basic_rm_dm.csv", mixed("rm", *RM_DM), 30, id="rm_not_dm"),
    pytest.param("fpds_example_FPPS_off0_0.csv", fpds_example(0, "preemptive"), 60, id="fpps"),
    pytest.param("fpds_example_FPPS_off0_0.csv", fpds_example(0, "preemptive", (3, 4)), 60, id="fpps_with_points"),
    pytest.param("fpds_example_FPNS_off1_0.csv", fpds_example(1, "non-preemptive"), 60, id="fpns"),
    pytest.param("fpds_example_FPDS_off0_0.csv", fpds_example(0, None, (3, 4)), 60, id="fpds_0"),
    pytest.param("fpds_example_FPDS_off1_0.csv", fpds_example(1, None, (3, 4)), 60, id="fpds_1"),
    pytest.param("fpds_example_FPDS_off4_0.csv", fpds_example(4, None, (3, 4)), 60, id="fpds_4"),
    pytest.param("fpts_example.csv", FPTS_EXAMPLE, 60, id="fpts"),
    pytest.param("fpts_example.csv", FPTS_EXAMPLE_BY_NAME, 60, id="fpts_by_name"),
    pytest.param("hsf_test1_deferrable.csv", hsf_tables(2), 120, id="deferrable_1"),
    pytest.param("hsf_test2_deferrable.csv", hsf_tables(6), 120, id="deferrable_2"),
    pytest.param("hsf_test1_idling.csv", hsf_tables(2, "idling"), 120, id="idling_1"),
    pytest.param("hsf_test2_idling.csv", hsf_tables(6, "idling"), 120, id="idling_2"),
    pytest.param("hsf_test1_sporadic.csv", hsf_tables(2, "sporadic"), 120, id="sporadic_1"),
]
DEMAND_OF_T2 = {"test1": 2, "test2": 6}
HSF_TESTS = ["test1_deferrable", "test2_deferrable", "test1_idling", "test2_idling", "test1_sporadic"]


@pytest.mark.parametrize(("file", "system", "horizon"), GOLDEN_RUNS)
def test_segments_equal_the_golden_schedule(file: str, system: System, horizon: int) -> None:
    assert without_job_numbers(simulate(system, horizon)) == golden_segments(file)


def hsf_outcome(name: str) -> Outcome:
    """Simulate the test that a golden file is named after, such as test1_idling."""
    test, kind = name.split("_")
    return simulate(hsf_tables(DEMAND_OF_T2[test], kind), 120)


@pytest.mark.parametrize("name", HSF_TESTS)
def test_jobs_equal_the_golden_jobs(name: str) -> None:
    assert finished_jobs(hsf_outcome(name)) == golden_jobs(f"hsf_{name}_jobs.csv")


@pytest.mark.parametrize("name", HSF_TESTS)
def test_budgets_equal_the_golden_budgets_in_every_tick(name: str) -> None:
    rows = read_golden(f"hsf_{name}_budget.csv")
    assert hsf_outcome(name).budgets == [[int(row["S1"]), int(row["S2"])] for row in rows]


def test_unfinished_jobs_follow_the_finished_ones_in_task_order() -> None:
    assert simulate(hsf_tables(6), 120).jobs[12:] == [
        ("T1", 3, 60, None, None, True),
        ("T1", 4, 80, None, None, True),
        ("T1", 5, 100, None, None, True),
        ("T2", 7, 105, None, None, True),
    ]


def test_misses_count_late_jobs_and_unfinished_jobs_with_a_deadline_up_to_the_horizon() -> None:
    assert simulate(hsf_tables(2), 120).misses == {"T1": 0, "T2": 0, "T3": 0}
    assert simulate(hsf_tables(6), 120).misses == {"T1": 4, "T2": 4, "T3": 0}


@pytest.mark.parametrize(
    ("system", "late"),
    [
        (fpds_example(0, "preemptive"), ("T2", 0, 13, 13, True)),
        (fpds_example(1, "non-preemptive"), ("T1", 1, 9, 8, True)),
    ],
)
def test_the_fpps_and_fpns_examples_miss_where_the_specification_says_so(
    system: System, late: tuple[str, int, int, int, bool]
) -> None:
    assert late in finished_jobs(simulate(system, 60))


@pytest.mark.parametrize("offset", [0, 1, 4])
def test_the_fpds_example_misses_nothing(offset: int) -> None:
    assert simulate(fpds_example(offset, None, (3, 4)), 60).misses == {"T1": 0, "T2": 0}


def test_the_fpts_example_stays_within_the_worst_responses_that_the_specification_states() -> None:
    jobs = finished_jobs(simulate(FPTS_EXAMPLE, 140))
    bounds = {"T1": 3, "T2": 9, "T3": 12}
    assert all(response <= bounds[task] for task, _, _, response, _ in jobs)


# ------------------------------------------------------------------------------ fixed priority and its FIFO


def test_fp_larger_priority_preempts() -> None:
    assert runs(fp(once("L", 3), once("H", 2, offset=1, priority=2)), 9) == [(0, 1, "L"), (1, 3, "H"), (3, 5, "L")]


def test_fp_equal_priority_never_preempts_and_is_served_in_order_of_becoming_ready() -> None:
    assert runs(fp(once("A", 1, offset=2), once("B", 2, offset=1), once("C", 3)), 9) == [
        (0, 3, "C"),
        (3, 5, "B"),
        (5, 6, "A"),
    ]


def test_fp_releases_at_one_instant_stand_in_file_order() -> None:
    assert runs(fp(once("B", 1), once("A", 1), once("C", 1)), 9) == [(0, 1, "B"), (1, 2, "A"), (2, 3, "C")]


def test_fp_a_preempted_job_keeps_its_place() -> None:
    system = fp(once("A", 4), once("B", 2, offset=1), once("H", 1, offset=2, priority=2))
    assert runs(system, 9) == [(0, 2, "A"), (2, 3, "H"), (3, 5, "A"), (5, 7, "B")]


def test_fp_a_release_behind_an_unfinished_job_waits_and_takes_over_at_the_tail() -> None:
    system = fp(Task("A", 6, 7, priority=1), once("B", 2, offset=1))
    assert simulate(system, 12).segments == [(0, 7, "", "A", 0), (7, 9, "", "B", 0), (9, 12, "", "A", 1)]


def test_fp_the_next_job_takes_over_before_the_releases_of_that_instant() -> None:
    assert runs(fp(once("B", 1, offset=4), Task("A", 3, 4, priority=1)), 9) == [(0, 8, "A"), (8, 9, "B")]


def test_fp_a_release_at_the_instant_of_completion_joins_in_file_order() -> None:
    period_is_demand = Task("A", 4, 4, priority=1)
    late_file_order = fp(once("B", 1, offset=4), period_is_demand)
    early_file_order = fp(period_is_demand, once("B", 1, offset=4))
    assert runs(late_file_order, 8) == [(0, 4, "A"), (4, 5, "B"), (5, 8, "A")]
    assert runs(early_file_order, 9) == [(0, 8, "A"), (8, 9, "B")]


def test_the_backlog_is_unbounded_and_keeps_the_order_of_release() -> None:
    outcome = simulate(fp(Task("A", 2, 5)), 15)
    assert [row[1:4] for row in outcome.jobs] == [(0, 0, 5), (1, 2, 10), (2, 4, 15)] + [
        (number, 2 * number, None) for number in range(3, 8)
    ]


# --------------------------------------------------------------------------------------------- edf and ties


def test_edf_breaks_deadline_ties_by_file_order_even_against_the_running_job() -> None:
    system = edf(once("A", 2, offset=4, deadline=6), once("B", 6, deadline=10))
    assert runs(system, 9) == [(0, 4, "B"), (4, 6, "A"), (6, 8, "B")]
    assert runs(replace(system, tasks=system.tasks[::-1]), 9) == [(0, 6, "B"), (6, 8, "A")]


def test_edf_breaks_deadline_ties_by_class_before_file_order() -> None:
    classes = (("N", "none"), ("S", "soft"), ("H", "hard"))
    tasks = [Task(name, 10, 1, class_=class_) for name, class_ in classes]
    assert runs(edf(*tasks), 3) == [(0, 1, "H"), (1, 2, "S"), (2, 3, "N")]


def test_edf_breaks_deadline_ties_by_server_before_task() -> None:
    servers = (Server("empty", 10, 5), Server("S", 10, 5))
    system = edf(once("B", 2, deadline=10), *servers, once("A", 2, server="S"))
    assert runs(system, 9) == [(0, 2, "A"), (2, 4, "B")]


def test_edf_breaks_deadline_ties_of_servers_by_file_order() -> None:
    tasks = (once("A", 4, server="S1"), once("B", 2, server="S2"))
    servers = (Server("S1", 10, 5), Server("S2", 5, 3, offset=5))
    assert runs(mixed("edf", *tasks, *servers), 11) == [(0, 4, "A"), (5, 7, "B")]
    later = replace(tasks[0], offset=5)
    assert runs(mixed("edf", later, tasks[1], *servers), 12) == [(5, 9, "A"), (9, 11, "B")]
    assert runs(mixed("edf", later, tasks[1], *servers[::-1]), 12) == [(5, 7, "B"), (7, 11, "A")]


def test_edf_ignores_priorities_and_order_of_becoming_ready() -> None:
    system = edf(once("A", 3, deadline=20, priority=9), once("B", 2, offset=1, deadline=5))
    assert runs(system, 9) == [(0, 1, "A"), (1, 3, "B"), (3, 5, "A")]


def test_edf_the_next_job_takes_over_with_its_own_deadline() -> None:
    system = edf(Task("A", 2, 3, deadline=10), once("B", 2, offset=1, deadline=10))
    assert simulate(system, 8).segments == [
        (0, 3, "", "A", 0),
        (3, 5, "", "B", 0),
        (5, 8, "", "A", 1),
    ]


def test_edf_the_deadline_of_a_server_is_the_end_of_its_current_period() -> None:
    system = edf(Server("S", 5, 5), once("A", 20, server="S"), once("B", 2, deadline=8))
    assert runs(system, 12) == [(0, 5, "A"), (5, 7, "B"), (7, 12, "A")]


def test_edf_the_deadline_of_a_server_counts_from_its_offset() -> None:
    system = edf(Server("S", 5, 5, offset=2), once("A", 5, server="S"), once("B", 4, deadline=7))
    assert runs(system, 12) == [(0, 2, "B"), (2, 7, "A"), (7, 9, "B")]


def test_edf_the_deadline_of_a_server_moves_on_when_it_is_replenished_before_it_is_depleted() -> None:
    system = edf(Server("S", 5, 4), once("A", 9, server="S"), once("B", 2, deadline=3), once("C", 2, 4, deadline=4))
    outcome = simulate(system, 10)
    assert outcome.segments == [(0, 2, "", "B", 0), (2, 5, "S", "A", 0), (5, 7, "", "C", 0), (7, 10, "S", "A", 0)]
    assert [row[0] for row in outcome.budgets] == [4, 4, 4, 3, 2, 4, 4, 4, 3, 2]


def test_edf_inside_an_fp_root_and_fp_inside_an_edf_root() -> None:
    local_edf = (once("A", 2, deadline=9, priority=2, server="S"), once("B", 2, deadline=5, server="S"))
    assert runs(fp(Server("S", 10, 10, policy="edf"), *local_edf), 9) == [(0, 2, "B"), (2, 4, "A")]
    assert runs(edf(Server("S", 10, 10), *local_edf), 9) == [(0, 2, "A"), (2, 4, "B")]


# --------------------------------------------------------------------------------------- deferrable servers


def test_a_server_has_no_budget_before_its_offset() -> None:
    outcome = simulate(fp(Server("S", 5, 2, offset=3), once("A", 3, server="S")), 10)
    assert outcome.segments == [(3, 5, "S", "A", 0), (8, 9, "S", "A", 0)]
    assert [row[0] for row in outcome.budgets] == [0, 0, 0, 2, 1, 0, 0, 0, 2, 1]


def test_a_deferrable_server_keeps_its_budget_while_it_has_no_work_and_loses_it_at_the_period() -> None:
    outcome = simulate(fp(Server("S", 6, 3), once("A", 2, 4, server="S")), 8)
    assert outcome.segments == [(4, 6, "S", "A", 0)]
    assert [row[0] for row in outcome.budgets] == [3, 3, 3, 3, 3, 2, 3, 3]


def test_a_server_is_not_charged_while_it_is_displaced() -> None:
    outcome = simulate(fp(Server("S", 9, 3), once("A", 3, server="S"), once("H", 2, 1, priority=2)), 6)
    assert [row[0] for row in outcome.budgets] == [3, 2, 2, 2, 1, 0]


def test_a_replenishment_at_the_instant_of_depletion_shows_no_gap() -> None:
    outcome = simulate(fp(Server("S", 4, 4), once("A", 10, server="S")), 10)
    assert outcome.segments == [(0, 10, "S", "A", 0)]
    assert [row[0] for row in outcome.budgets] == [4, 3, 2, 1, 4, 3, 2, 1, 4, 3]


def test_a_server_that_is_depleted_and_replenished_at_one_instant_joins_the_tail() -> None:
    servers = (Server("S1", 4, 4, priority=1), Server("S2", 4, 2, priority=1))
    system = fp(*servers, once("A", 8, server="S1"), once("B", 2, server="S2"))
    assert runs(system, 12) == [(0, 4, "A"), (4, 6, "B"), (6, 10, "A")]


def test_a_server_that_is_replenished_before_it_is_depleted_keeps_its_place() -> None:
    servers = (Server("S1", 4, 4, priority=1), Server("S2", 20, 2, priority=1))
    system = fp(*servers, once("A", 10, 2, server="S1"), once("B", 2, 3, server="S2"))
    assert runs(system, 16) == [(2, 8, "A"), (8, 10, "B"), (10, 14, "A")]


def test_a_displaced_server_keeps_its_place() -> None:
    servers = (Server("S1", 20, 9, priority=1), Server("S2", 20, 9, priority=1))
    tasks = (once("A", 3, server="S1"), once("B", 2, server="S2"), once("H", 1, 1, priority=2))
    assert runs(fp(*servers, *tasks), 9) == [(0, 1, "A"), (1, 2, "H"), (2, 4, "A"), (4, 6, "B")]


def test_a_server_keeps_its_place_when_the_next_job_of_its_task_takes_over() -> None:
    system = fp(Server("S", 20, 20, priority=1), Task("A", 3, 4, server="S"), once("B", 2, 1))
    assert runs(system, 14) == [(0, 14, "A")]


def test_a_server_loses_its_place_when_its_work_completes_even_if_more_is_released_at_once() -> None:
    system = fp(Server("S", 20, 20, priority=1), Task("A", 4, 4, server="S"), once("B", 2, 1))
    assert runs(system, 8) == [(0, 4, "A"), (4, 6, "B"), (6, 8, "A")]


def test_a_server_with_other_work_keeps_its_place_when_one_task_completes() -> None:
    tasks = (once("A1", 2, server="S"), once("A2", 2, server="S"), once("B", 2, 1))
    assert runs(fp(Server("S", 20, 20, priority=1), *tasks), 9) == [(0, 2, "A1"), (2, 4, "A2"), (4, 6, "B")]


def test_a_budget_that_ends_with_the_only_work_is_no_exhaustion_and_later_work_waits_for_budget() -> None:
    outcome = simulate(fp(Server("S", 5, 2, priority=2), Task("A", 3, 2, server="S"), once("B", 9)), 8)
    assert outcome.segments == [
        (0, 2, "S", "A", 0),
        (2, 5, "", "B", 0),
        (5, 7, "S", "A", 1),
        (7, 8, "", "B", 0),
    ]


def test_a_depleted_server_gives_way_to_lower_priority() -> None:
    system = fp(Server("S", 6, 2, priority=2), once("A", 4, server="S"), once("B", 3))
    assert runs(system, 9) == [(0, 2, "A"), (2, 5, "B"), (6, 8, "A")]


def test_equal_local_priority_is_served_in_order_across_depletions() -> None:
    system = fp(Server("S", 4, 2), once("A", 3, server="S"), once("B", 2, 1, server="S"))
    assert runs(system, 12) == [(0, 2, "A"), (4, 5, "A"), (5, 6, "B"), (8, 9, "B")]


# ------------------------------------------------------------------------------------------ kinds of servers


def listed(name: str, *jobs: tuple[int, int], server: str | None = "S", **more: Any) -> Task:
    """Make a task out of pairs of demand and arrival."""
    releases = tuple((arrival, arrival) for _, arrival in jobs)
    demands = tuple(demand for demand, _ in jobs)
    return Task(name, demand=demands, deadline=1000, releases=releases, server=server, **more)


def budgets_of(system: System, horizon: int) -> list[int]:
    """Give the budget of the first server in every tick."""
    return [row[0] for row in simulate(system, horizon).budgets]


def test_an_idling_server_takes_its_ticks_without_work_and_without_a_context_switch() -> None:
    tasks = (once("A", 1, 2, server="S"), once("B", 9))
    system = System("fp", tasks, (Server("S", 8, 4, priority=2, kind="idling"),), Platform(context_switch=1))
    outcome = simulate(system, 9)
    assert outcome.segments == [
        (0, 2, "S", "idle", 0),
        (3, 4, "S", "A", 0),
        (4, 5, "S", "idle", 0),
        (6, 8, "", "B", 0),
        (8, 9, "S", "idle", 0),
    ]
    assert [row[0] for row in outcome.budgets] == [4, 3, 2, 2, 1, 0, 0, 0, 4]
    assert (outcome.switches, outcome.overhead, len(outcome.jobs)) == (2, 2, 2)


def test_the_context_stays_while_a_server_idles() -> None:
    tasks = (listed("A", (1, 0), (1, 2)),)
    system = System("fp", tasks, (Server("S", 8, 4, kind="idling"),), Platform(context_switch=1))
    assert simulate(system, 6).segments == [(1, 2, "S", "A", 0), (2, 3, "S", "A", 1), (3, 5, "S", "idle", 0)]


def test_an_idling_server_pays_for_itself_and_for_all_servers_above() -> None:
    servers = (Server("O", 10, 4), Server("I", 10, 2, parent="O", kind="idling"))
    outcome = simulate(fp(*servers), 4)
    assert outcome.segments == [(0, 2, "I", "idle", 0)]
    assert outcome.budgets == [[4, 2], [3, 1], [2, 0], [2, 0]]


def test_an_idling_server_around_a_server_without_work_idles_itself() -> None:
    servers = (Server("O", 10, 3, kind="idling"), Server("I", 10, 2, parent="O"))
    outcome = simulate(fp(*servers, once("A", 1, 1, server="I")), 4)
    assert outcome.segments == [(0, 1, "O", "idle", 0), (1, 2, "I", "A", 0), (2, 3, "O", "idle", 0)]


def test_an_idling_server_keeps_its_place_when_its_work_ends_and_comes_back() -> None:
    servers = (Server("S", 20, 5, priority=1, kind="idling"),)
    assert runs(fp(*servers, listed("A", (1, 0), (1, 3)), once("B", 1, 1)), 7) == [
        (0, 1, "A"),
        (1, 3, "idle"),
        (3, 4, "A"),
        (4, 5, "idle"),
        (5, 6, "B"),
    ]


def test_a_polling_server_has_budget_only_while_it_has_work() -> None:
    system = fp(Server("S", 6, 3, kind="polling"), once("A", 2, 1, server="S"))
    assert runs(system, 12) == [(6, 8, "A")]
    assert budgets_of(system, 14) == [0] * 6 + [3, 2] + [0] * 6


def test_a_polling_server_serves_what_arrives_at_its_replenishment_or_when_its_work_ends() -> None:
    system = fp(Server("S", 6, 3, kind="polling"), listed("A", (1, 0), (1, 1), (1, 3)))
    assert runs(system, 12) == [(0, 2, "A"), (6, 7, "A")]
    assert budgets_of(system, 12) == [3, 2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0]


def test_a_polling_server_loses_its_budget_when_its_work_suspends_itself() -> None:
    system = fp(Server("S", 6, 4, kind="polling"), body("run 1", "suspend 1", "run 1", server="S"))
    assert runs(system, 12) == [(0, 1, "A"), (6, 7, "A")]
    at_once = fp(Server("S", 6, 4, kind="polling"), body("suspend 1", "run 1", server="S"))
    assert runs(at_once, 12) == [(6, 7, "A")]


def test_a_polling_server_that_is_displaced_keeps_its_budget() -> None:
    system = fp(Server("S", 6, 3, kind="polling", priority=1), once("A", 2, server="S"), once("H", 2, priority=2))
    assert runs(system, 6) == [(0, 2, "H"), (2, 4, "A")]
    assert budgets_of(system, 6) == [3, 3, 3, 2, 0, 0]


def test_what_polls_in_an_exhausted_server_has_polled_at_its_nominal_instant() -> None:
    """O has no budget before 4; I is replenished at 0 without work, so its next budget comes at 6."""
    servers = (Server("O", 9, 9, offset=4), Server("I", 6, 3, parent="O", kind="polling"))
    assert runs(fp(*servers, once("A", 1, 1, server="I")), 9) == [(6, 7, "A")]
    assert runs(fp(*servers, once("A", 1, server="I")), 9) == [(4, 5, "A")]


def test_a_sporadic_server_gets_back_what_it_used_a_period_after_it_became_eligible() -> None:
    system = fp(Server("S", 10, 4, kind="sporadic"), listed("A", (2, 1), (1, 5)))
    assert budgets_of(system, 17) == [4, 4, 3, 2, 2, 2, 1, 1, 1, 1, 1, 3, 3, 3, 3, 4, 4]


def test_a_sporadic_server_counts_from_its_eligibility_and_not_from_its_first_tick() -> None:
    system = fp(
        Server("S", 8, 2, priority=1, kind="sporadic"),
        once("A", 5, server="S"),
        once("H", 3, priority=2),
        once("L", 9, priority=0),
    )
    assert runs(system, 12) == [(0, 3, "H"), (3, 5, "A"), (5, 8, "L"), (8, 10, "A"), (10, 12, "L")]


def test_a_completion_and_an_arrival_at_one_instant_begin_a_new_time_of_a_sporadic_server() -> None:
    separate = fp(Server("S", 10, 4, kind="sporadic"), listed("A", (2, 0), (1, 2)))
    assert budgets_of(separate, 14) == [4, 3, 2, 1, 1, 1, 1, 1, 1, 1, 3, 3, 4, 4]
    waiting = fp(Server("S", 10, 4, kind="sporadic"), listed("A", (2, 0), (1, 1)))
    assert budgets_of(waiting, 12) == [4, 3, 2, 1, 1, 1, 1, 1, 1, 1, 4, 4]


def test_what_a_sporadic_server_used_for_longer_than_its_period_comes_back_at_once() -> None:
    """It is eligible from 0 to 7, and its period is 4."""
    system = fp(Server("S", 4, 2, priority=1, kind="sporadic"), once("A", 3, server="S"), once("H", 5, priority=2))
    assert runs(system, 9) == [(0, 5, "H"), (5, 8, "A")]
    assert budgets_of(system, 12) == [2, 2, 2, 2, 2, 2, 1, 2, 1, 1, 1, 2]


def test_a_sporadic_server_that_gets_all_back_at_its_exhaustion_joins_the_tail() -> None:
    system = fp(Server("S", 4, 4, priority=1, kind="sporadic"), once("A", 6, server="S"), once("B", 2, 1))
    assert runs(system, 9) == [(0, 4, "A"), (4, 6, "B"), (6, 8, "A")]


def test_a_sporadic_server_has_its_first_budget_at_its_offset() -> None:
    system = fp(Server("S", 6, 2, offset=3, kind="sporadic"), once("A", 3, 1, server="S"))
    assert runs(system, 12) == [(3, 5, "A"), (9, 10, "A")]
    assert budgets_of(system, 12) == [0, 0, 0, 2, 1, 0, 0, 0, 0, 2, 1, 1]


def test_what_becomes_eligible_in_an_exhausted_server_counts_from_its_nominal_instant() -> None:
    """A comes at 2 into I, while O waits for 4: what I uses from 4 to 6 comes back at 2 + 6."""
    servers = (Server("O", 20, 20, offset=4), Server("I", 6, 2, parent="O", kind="sporadic"))
    assert runs(fp(*servers, once("A", 4, 2, server="I")), 12) == [(4, 6, "A"), (8, 10, "A")]


def test_work_that_waited_in_an_exhausted_sporadic_server_makes_it_eligible_when_budget_comes_back() -> None:
    """The second job waits from 3; the 2 ticks of [0, 2) come back at 6, those of [6, 8) at 12 and not at 9."""
    system = fp(Server("S", 6, 2, kind="sporadic"), listed("A", (2, 0), (4, 3)))
    assert runs(system, 16) == [(0, 2, "A"), (6, 8, "A"), (12, 14, "A")]


def test_a_sporadic_server_returns_at_most_32_times_what_is_more_comes_with_the_last_one() -> None:
    """Job k uses a tick at 2 k, which would return at 100 + 2 k; from job 31 on all return with the last one, 39."""
    jobs = listed("A", *((1, 2 * number) for number in range(40)))
    budgets = budgets_of(fp(Server("S", 100, 40, kind="sporadic"), jobs), 190)
    assert budgets[79] == budgets[99] == 0
    assert budgets[100:162:2] == budgets[101:163:2] == list(range(1, 32))
    assert (set(budgets[162:178]), set(budgets[178:])) == ({31}, {40})


def test_a_sporadic_server_under_edf_has_its_return_as_deadline() -> None:
    server = Server("S", 8, 4, kind="sporadic")
    assert runs(edf(server, once("A", 2, 1, server="S"), once("B", 4, deadline=10)), 9)[0] == (0, 1, "B")
    assert runs(edf(server, once("A", 2, 1, server="S"), once("B", 4, deadline=10)), 9)[1] == (1, 3, "A")
    assert runs(edf(server, once("A", 2, 1, server="S"), once("B", 4, deadline=8)), 9) == [(0, 4, "B"), (4, 6, "A")]


def cbs(budget: int, period: int, *entities: Task | Server, kind: str = "cbs", offset: int = 0) -> System:
    """Put a constant-bandwidth server S under an edf root."""
    return edf(Server("S", period, budget, kind=kind, offset=offset), *entities)


SRV_CBS = (Task("A", 7, 4), listed("srv", (4, 3), (3, 13)))
RED_CBS = (Task("H", 4, 2), listed("A", (4, 2), (2, 12), (1, 13)))


@pytest.mark.parametrize(
    ("file", "system"), [("srv_cbs.csv", cbs(3, 8, *SRV_CBS)), ("red_cbs.csv", cbs(2, 6, *RED_CBS))]
)
def test_runs_equal_the_golden_schedules_of_constant_bandwidth_servers(file: str, system: System) -> None:
    assert runs(system, 30) == [(start, end, task) for start, end, _, task in golden_segments(file)]


def test_an_arrival_keeps_budget_and_deadline_if_that_is_not_more_than_the_bandwidth() -> None:
    """At 12 the deadline is 19 and one tick was used of the budget from 7: 2 * 8 < (19 - 13) * 3 at 13."""
    assert budgets_of(cbs(3, 8, *SRV_CBS), 21) == ([3] * 5 + [2, 1] + [3] * 5 + [2, 2, 1] + [3] * 5 + [2])


def test_a_hard_constant_bandwidth_server_waits_for_its_deadline() -> None:
    assert runs(cbs(2, 6, *RED_CBS, kind="hard-cbs"), 30) == [
        (0, 2, "H"),
        (2, 4, "A"),
        (4, 6, "H"),
        (8, 10, "H"),
        (10, 12, "A"),
        (12, 14, "H"),
        (14, 16, "A"),
        (16, 18, "H"),
        (20, 22, "H"),
        (22, 23, "A"),
        (24, 26, "H"),
        (28, 30, "H"),
    ]
    assert runs(cbs(3, 8, *SRV_CBS, kind="hard-cbs"), 30) == runs(cbs(3, 8, *SRV_CBS), 30)
    assert budgets_of(cbs(3, 8, *SRV_CBS, kind="hard-cbs"), 13) == [3] * 5 + [2, 1] + [0] * 4 + [3, 2]


@pytest.mark.parametrize(("kind", "second"), [("cbs", (3, 4, "A")), ("hard-cbs", (6, 7, "A"))])
def test_a_budget_that_was_used_up_at_a_completion_is_exhausted_at_the_next_arrival(kind: str, second: Run) -> None:
    assert runs(cbs(2, 6, listed("A", (2, 0), (1, 3)), kind=kind), 30) == [(0, 2, "A"), second]


@pytest.mark.parametrize("kind", ["cbs", "hard-cbs"])
def test_a_budget_that_was_used_up_at_a_completion_is_full_at_an_arrival_after_the_deadline(kind: str) -> None:
    system = cbs(2, 6, listed("A", (2, 0), (3, 8)), kind=kind)
    end = [(8, 11, "A")] if kind == "cbs" else [(8, 10, "A"), (14, 15, "A")]
    assert runs(system, 30) == [(0, 2, "A"), *end]


@pytest.mark.parametrize("kind", ["cbs", "hard-cbs"])
def test_work_that_waits_for_a_constant_bandwidth_server_arrives_at_its_offset(kind: str) -> None:
    """Its deadline is 4 + 6, before that of B."""
    system = cbs(2, 6, once("A", 2, 1, server="S"), once("B", 9, deadline=11), kind=kind, offset=4)
    assert runs(system, 12) == [(0, 4, "B"), (4, 6, "A"), (6, 11, "B")]
    assert budgets_of(system, 6) == [0, 0, 0, 0, 2, 1]


def test_a_constant_bandwidth_server_handles_what_happens_in_it_at_any_time() -> None:
    late = once("A", 3, deadline=3, on_miss="abort", server="S")
    system = cbs(1, 10, late, once("B", 9, deadline=5), kind="hard-cbs")
    assert simulate(system, 9).aborted == {"A": 1, "B": 0}
    assert simulate(cbs(1, 10, late, offset=9), 5).aborted == {"A": 1}


def test_work_that_goes_before_the_deadline_of_a_hard_server_is_not_waited_for() -> None:
    """A is aborted at 3, so nothing is due at the deadline 10; C arrives at 12 and makes it 22."""
    late = once("A", 3, deadline=3, on_miss="abort", server="S")
    system = cbs(1, 10, late, once("C", 1, 12, server="S"), kind="hard-cbs")
    assert runs(system, 30) == [(0, 1, "A"), (12, 13, "C")]
    assert budgets_of(system, 14) == [1, *([0] * 11), 1, 0]


def test_a_server_inside_a_constant_bandwidth_server_is_its_work() -> None:
    """I has budget for [0, 1) and from 8 on; S has the deadline 4 first, 12 from 8 on."""
    system = cbs(2, 4, Server("I", 8, 1, parent="S"), once("A", 2, server="I"), once("B", 9, deadline=11))
    assert runs(system, 14) == [(0, 1, "A"), (1, 10, "B"), (10, 11, "A")]


def test_an_exhaustion_is_work_of_the_scheduler() -> None:
    system = replace(cbs(1, 4, once("A", 2, server="S")), platform=Platform(scheduling=1))
    assert simulate(system, 9).segments == [(1, 2, "S", "A", 0), (3, 4, "S", "A", 0)]


# ------------------------------------------------------------------------- order of events at one instant


def contest(first: Task, second: Task, offset_of_s1: int = 4, budget_of_s2: int = 1) -> System:
    """Two equal servers; the second is depleted with work left from tick 1 to 4."""
    servers = (Server("S1", 4, 1, priority=1, offset=offset_of_s1), Server("S2", 4, budget_of_s2, priority=1))
    return fp(*servers, replace(first, server="S1"), replace(second, server="S2"))


def test_a_server_with_work_from_before_joins_at_its_own_replenishment() -> None:
    assert runs(contest(once("A", 1, 2), once("C", 2)), 8) == [(0, 1, "C"), (4, 5, "A"), (5, 6, "C")]


def test_a_server_with_work_from_that_instant_joins_after_all_replenishments() -> None:
    assert runs(contest(once("A", 1, 4), once("C", 2)), 8) == [(0, 1, "C"), (4, 5, "C"), (5, 6, "A")]


def test_a_server_joins_before_a_task_that_is_released_at_its_replenishment() -> None:
    system = fp(once("R", 1, 4), Server("S", 4, 1, priority=1), once("A", 2, server="S"))
    assert runs(system, 8) == [(0, 1, "A"), (4, 5, "A"), (5, 6, "R")]


def test_releases_inside_servers_come_before_the_releases_of_the_dispatcher_itself() -> None:
    system = fp(once("R", 1), Server("S", 4, 1, priority=1), once("A", 1, server="S"))
    assert runs(system, 8) == [(0, 1, "A"), (1, 2, "R")]


def test_an_outer_server_whose_inner_budget_is_left_joins_at_its_own_replenishment() -> None:
    system = nested_contest(budget_of_inner=3)
    assert runs(system, 12) == [(0, 2, "A"), (2, 4, "B"), (8, 10, "A"), (10, 12, "B")]


def test_an_outer_server_whose_inner_budget_returns_at_that_instant_joins_after_its_siblings() -> None:
    system = nested_contest(budget_of_inner=2)
    assert runs(system, 12) == [(0, 2, "A"), (2, 4, "B"), (8, 10, "B"), (10, 12, "A")]


def test_a_release_inside_one_server_comes_before_a_replenishment_inside_the_next_one() -> None:
    servers = (Server("S1", 20, 20), Server("outer", 20, 20), Server("inner", 8, 2, parent="outer"))
    system = fp(*servers, once("A", 1, 8, server="S1"), once("B", 9, server="inner"))
    assert runs(system, 12) == [(0, 2, "B"), (8, 9, "A"), (9, 11, "B")]
    swapped = replace(system, servers=(servers[1], servers[0], servers[2]))
    assert runs(swapped, 12) == [(0, 2, "B"), (8, 10, "B"), (10, 11, "A")]


def nested_contest(budget_of_inner: int) -> System:
    """A server with an inner one, and an equal sibling behind it in the file; all replenished at 8."""
    return fp(
        Server("outer", 8, 2, priority=1),
        Server("inner", 8, budget_of_inner, parent="outer"),
        Server("sibling", 8, 2, priority=1),
        once("A", 20, server="inner"),
        once("B", 20, server="sibling"),
    )


# ------------------------------------------------------------------------------------------ nested servers


def test_a_tick_is_charged_to_every_server_around_the_task() -> None:
    servers = (Server("outer", 10, 3), Server("inner", 5, 2, parent="outer"))
    outcome = simulate(fp(*servers, once("A", 10, server="inner")), 12)
    assert outcome.segments == [(0, 2, "inner", "A", 0), (5, 6, "inner", "A", 0), (10, 12, "inner", "A", 0)]
    assert outcome.budgets[:7] == [[3, 2], [2, 1], [1, 0], [1, 0], [1, 0], [1, 2], [0, 1]]
    assert outcome.budgets[7:] == [[0, 1], [0, 1], [0, 1], [3, 2], [2, 1]]


def test_an_inner_server_keeps_its_place_while_the_outer_one_is_depleted() -> None:
    servers = (Server("outer", 6, 2), Server("i1", 12, 6, parent="outer"), Server("i2", 12, 6, parent="outer"))
    system = fp(*servers, once("A", 5, server="i1"), once("B", 5, server="i2"))
    assert runs(system, 24) == [(0, 2, "A"), (6, 8, "A"), (12, 13, "A"), (13, 14, "B"), (18, 20, "B")]


def test_inner_budgets_are_replenished_while_the_outer_server_is_depleted() -> None:
    servers = (Server("outer", 9, 1), Server("inner", 3, 1, parent="outer"))
    outcome = simulate(fp(*servers, once("A", 9, server="inner")), 9)
    assert [row[1] for row in outcome.budgets] == [1, 0, 0, 1, 1, 1, 1, 1, 1]


def test_a_parent_may_stand_after_its_child_in_the_file() -> None:
    inner, outer = Server("inner", 5, 2, parent="outer"), Server("outer", 10, 3)
    assert runs(fp(inner, outer, once("A", 9, server="inner")), 10) == [(0, 2, "A"), (5, 6, "A")]


def test_priorities_compare_only_among_children_of_one_dispatcher() -> None:
    servers = (Server("low", 9, 9, priority=1), Server("high", 9, 9, priority=2))
    system = fp(*servers, once("A", 1, priority=9, server="low"), once("B", 1, priority=1, server="high"))
    assert runs(system, 5) == [(0, 1, "B"), (1, 2, "A")]


def test_tasks_and_servers_compete_inside_a_server() -> None:
    servers = (Server("outer", 9, 9, policy="edf"), Server("inner", 6, 2, parent="outer"))
    tasks = (once("A", 3, server="inner"), once("B", 2, server="outer", deadline=5), once("C", 1, server="outer"))
    assert runs(fp(*servers, *tasks), 9) == [(0, 2, "B"), (2, 4, "A"), (4, 5, "C"), (6, 7, "A")]


# ------------------------------------------------------------------------- thresholds and non-preemptive jobs


def threshold_trio() -> tuple[Task, Task, Task]:
    """H above M above L; L runs at the level of M once it has started."""
    return once("H", 1, 2, priority=3), once("M", 2, 1, priority=2), once("L", 4, priority=1, threshold=2)


def test_a_started_job_is_displaced_only_above_its_threshold_and_then_resumes_first() -> None:
    assert runs(fp(*threshold_trio()), 9) == [(0, 2, "L"), (2, 3, "H"), (3, 5, "L"), (5, 7, "M")]


def test_a_job_that_has_not_started_competes_with_its_own_priority() -> None:
    high, middle, low = threshold_trio()
    system = fp(low, replace(middle, offset=0), high)
    assert runs(system, 9) == [(0, 2, "M"), (2, 3, "H"), (3, 7, "L")]


def test_the_next_job_of_a_task_does_not_inherit_the_threshold_of_a_started_one() -> None:
    system = fp(Task("L", 3, 4, priority=1, threshold=2), once("M", 2, 1, priority=2))
    assert runs(system, 8) == [(0, 4, "L"), (4, 6, "M"), (6, 8, "L")]


def test_a_started_job_at_its_threshold_is_not_displaced_by_a_server_of_that_level() -> None:
    low = once("L", 4, priority=1, threshold=2)
    equal = fp(low, Server("S", 9, 9, priority=2), once("A", 2, 1, server="S"))
    above = fp(low, Server("S", 9, 9, priority=3), once("A", 2, 1, server="S"))
    assert runs(equal, 8) == [(0, 4, "L"), (4, 6, "A")]
    assert runs(above, 8) == [(0, 1, "L"), (1, 3, "A"), (3, 6, "L")]


def test_a_threshold_holds_across_a_depletion_of_the_server() -> None:
    _, middle, low = threshold_trio()
    system = fp(Server("S", 4, 2), replace(low, server="S"), replace(middle, offset=3, server="S"))
    assert runs(system, 12) == [(0, 2, "L"), (4, 6, "L"), (8, 10, "M")]


@pytest.mark.parametrize("policy", ["fp", "edf"])
def test_a_started_non_preemptive_job_runs_to_its_completion(policy: str) -> None:
    urgent = once("H", 2, 1, priority=2, deadline=4)
    system = mixed(policy, urgent, once("L", 5, deadline=50, preemption="non-preemptive"))
    assert runs(system, 9) == [(0, 5, "L"), (5, 7, "H")]


@pytest.mark.parametrize("policy", ["fp", "edf"])
def test_a_non_preemptive_job_that_has_not_started_waits(policy: str) -> None:
    tasks = (once("H", 2, priority=2, deadline=4), once("L", 3, deadline=50, preemption="non-preemptive"))
    urgent = once("X", 1, 1, priority=3, deadline=1)
    assert runs(mixed(policy, *tasks, urgent), 9) == [(0, 1, "H"), (1, 2, "X"), (2, 3, "H"), (3, 6, "L")]


def test_the_next_job_of_a_non_preemptive_task_has_not_started() -> None:
    system = fp(Task("L", 3, 4, priority=1, preemption="non-preemptive"), once("H", 2, 1, priority=2))
    assert runs(system, 8) == [(0, 4, "L"), (4, 6, "H"), (6, 8, "L")]


def test_a_non_preemptive_job_holds_off_servers_of_its_dispatcher() -> None:
    system = fp(once("L", 3, preemption="non-preemptive"), Server("S", 9, 9, priority=9), once("A", 2, 1, server="S"))
    assert runs(system, 8) == [(0, 3, "L"), (3, 5, "A")]


def test_a_server_with_a_non_preemptive_job_is_still_displaced_and_depleted() -> None:
    low = once("L", 4, server="S", preemption="non-preemptive")
    local = once("M", 1, 1, priority=2, server="S")
    system = fp(Server("S", 6, 3, priority=1), low, local, once("H", 1, 1, priority=2))
    assert runs(system, 12) == [(0, 1, "L"), (1, 2, "H"), (2, 4, "L"), (6, 7, "L"), (7, 8, "M")]


def test_the_best_job_of_a_server_that_is_not_chosen_has_not_started() -> None:
    low = once("L", 3, server="S", preemption="non-preemptive")
    local = once("M", 1, 1, priority=2, server="S")
    system = fp(Server("S", 9, 9, priority=1), low, local, once("H", 2, priority=2))
    assert runs(system, 8) == [(0, 2, "H"), (2, 3, "M"), (3, 6, "L")]


# ------------------------------------------------------------------------------------- rm, dm, llf and their ties


def test_rm_orders_by_period_and_dm_by_relative_deadline_at_the_root_and_in_a_server() -> None:
    tasks = (Task("A", 20, 2, deadline=15), Task("B", 25, 2, deadline=8))
    assert runs(mixed("rm", *tasks), 9) == [(0, 2, "A"), (2, 4, "B")]
    assert runs(mixed("dm", *tasks), 9) == [(0, 2, "B"), (2, 4, "A")]
    inside = [replace(task, server="S") for task in tasks]
    assert runs(fp(Server("S", 9, 9, policy="rm"), *inside), 9) == [(0, 2, "A"), (2, 4, "B")]
    assert runs(fp(Server("S", 9, 9, policy="dm"), *inside), 9) == [(0, 2, "B"), (2, 4, "A")]


def test_rm_takes_the_minimum_separation_of_a_task_without_period() -> None:
    sporadic = Task("A", demand=2, min_separation=9, releases=((1, 1),))
    assert runs(mixed("rm", sporadic, Task("B", 10, 3)), 9) == [(0, 1, "B"), (1, 3, "A"), (3, 5, "B")]
    rare = replace(sporadic, min_separation=11)
    assert runs(mixed("rm", rare, Task("B", 10, 3)), 9) == [(0, 3, "B"), (3, 5, "A")]


@pytest.mark.parametrize("policy", ["rm", "dm", "edf", "llf"])
def test_computed_keys_break_ties_by_class_then_servers_first_then_file_order(policy: str) -> None:
    system = mixed(
        policy,
        Task("N", 12, 2, class_="none"),
        Task("S", 12, 2, class_="soft"),
        Task("H1", 12, 2),
        Task("H2", 12, 2),
        Server("empty", 12, 2),
        Server("server", 12, 2),
        once("V", 2, server="server"),
    )
    first = [segment[3] for segment in simulate(system, 12).segments]
    assert list(dict.fromkeys(first)) == ["V", "H1", "H2", "S", "N"]


@pytest.mark.parametrize("policy", ["rm", "dm"])
def test_rm_and_dm_take_the_period_of_a_server(policy: str) -> None:
    system = mixed(policy, Server("S", 8, 2), once("A", 3, server="S"), Task("B", 7, 2, offset=1))
    assert runs(system, 9) == [(0, 1, "A"), (1, 3, "B"), (3, 4, "A"), (8, 9, "B")]


def test_llf_jobs_of_equal_latest_start_take_turns() -> None:
    system = mixed("llf", once("A", 2, deadline=4), once("B", 2, deadline=4))
    assert runs(system, 9) == [(0, 1, "A"), (1, 2, "B"), (2, 3, "A"), (3, 4, "B")]


def test_llf_the_latest_start_of_a_server_is_the_end_of_its_period_less_its_budget() -> None:
    """S starts at 10 - 4 = 6, B at 7 - 2 = 5; each tick that one of them runs adds 1 to its own."""
    system = mixed("llf", Server("S", 10, 4), once("A", 3, server="S"), once("B", 2, deadline=7))
    assert runs(system, 9) == [(0, 1, "B"), (1, 2, "A"), (2, 3, "B"), (3, 5, "A")]


def test_llf_a_replenished_server_has_the_latest_start_of_its_new_period() -> None:
    """At 5 the latest start of S moves from 4 to 10 - 3 = 7, behind B's, which is 8 - 3 + 1 = 6."""
    system = mixed("llf", Server("S", 5, 3), once("A", 9, 3, server="S"), once("B", 3, 2, deadline=6))
    assert runs(system, 9) == [(2, 3, "B"), (3, 5, "A"), (5, 6, "B"), (6, 7, "A"), (7, 8, "B"), (8, 9, "A")]


def test_llf_counts_on_the_wcet_and_not_on_the_demand() -> None:
    other = once("B", 2, deadline=7)
    assert runs(mixed("llf", once("A", 1, deadline=8, wcet=4), other), 3) == [(0, 1, "A"), (1, 3, "B")]
    assert runs(mixed("llf", once("A", 1, deadline=8), other), 3) == [(0, 2, "B"), (2, 3, "A")]


def test_llf_the_latest_start_of_a_job_that_overruns_is_its_deadline() -> None:
    system = mixed("llf", once("A", 5, deadline=4, wcet=2), once("B", 1, deadline=5))
    assert runs(system, 9) == [(0, 5, "A"), (5, 6, "B")]


# ------------------------------------------------------------------------------------------ releases and demands


def test_jobs_are_those_that_are_listed_even_at_one_instant_and_count_from_their_arrival() -> None:
    task = Task("A", demand=2, deadline=4, releases=((0, 0), (0, 0), (5, 3)))
    outcome = simulate(fp(task), 9)
    assert outcome.segments == [(0, 2, "", "A", 0), (2, 4, "", "A", 1), (5, 7, "", "A", 2)]
    assert outcome.jobs == [("A", 0, 0, 2, 2, False), ("A", 1, 0, 4, 4, False), ("A", 2, 3, 7, 4, False)]


def test_a_job_that_arrives_but_is_not_released_before_the_horizon_is_not_there() -> None:
    assert simulate(fp(Task("A", 9, 1, releases=((0, 0), (5, 3)))), 5).jobs == [("A", 0, 0, 1, 1, False)]


def test_the_deadline_of_a_task_without_period_is_its_minimum_separation() -> None:
    task = Task("A", demand=3, min_separation=2, releases=((0, 0),))
    assert simulate(fp(task), 9).misses == {"A": 1}


def test_demands_are_repeated_in_order_and_more_than_the_wcet_is_an_overrun() -> None:
    outcome = simulate(fp(Task("A", 5, (1, 2, 3), wcet=2)), 30)
    assert [end - start for start, end, *_ in outcome.segments] == [1, 2, 3, 1, 2, 3]
    assert outcome.overruns == {"A": 2}


def test_an_unfinished_job_is_no_overrun() -> None:
    assert simulate(fp(Task("A", 9, 3, wcet=1)), 2).overruns == {"A": 0}


# ------------------------------------------------------------------------------------------------- suspensions


def body(*items: str, name: str = "A", priority: int = 1, **more: Any) -> Task:
    """Make a task of one job with a body."""
    return Task(name, 1000, priority=priority, body=items, **more)


def test_a_suspended_job_is_not_ready_and_wakes_after_so_many_ticks() -> None:
    system = fp(body("run 2", "suspend 3", "run 1", priority=2), once("B", 9))
    assert runs(system, 9) == [(0, 2, "A"), (2, 5, "B"), (5, 6, "A"), (6, 9, "B")]


def test_a_job_that_wakes_joins_the_tail_of_its_priority() -> None:
    system = fp(body("run 1", "suspend 2", "run 1"), once("B", 4), once("C", 1, 2))
    assert runs(system, 9) == [(0, 1, "A"), (1, 5, "B"), (5, 6, "C"), (6, 7, "A")]


def test_a_job_wakes_before_the_releases_of_that_instant_and_after_replenishments() -> None:
    system = fp(once("C", 1, 3), body("run 1", "suspend 2", "run 1"), once("B", 3))
    assert runs(system, 9) == [(0, 1, "A"), (1, 4, "B"), (4, 5, "A"), (5, 6, "C")]
    server = Server("S", 3, 1, priority=1, offset=3)
    system = fp(body("run 1", "suspend 2", "run 1"), once("B", 3), server, once("D", 1, server="S"))
    assert runs(system, 9) == [(0, 1, "A"), (1, 4, "B"), (4, 5, "D"), (5, 6, "A")]


def test_a_job_wakes_before_releases_inside_servers() -> None:
    system = fp(
        body("run 1", "suspend 2", "run 1"),
        once("B", 3),
        Server("S", 9, 9, priority=1),
        once("D", 1, 3, server="S"),
    )
    assert runs(system, 9) == [(0, 1, "A"), (1, 4, "B"), (4, 5, "A"), (5, 6, "D")]


def test_jobs_of_a_task_wait_behind_a_suspended_one() -> None:
    task = Task("A", 2, body=("run 1", "suspend 3", "run 1"))
    assert simulate(fp(task), 8).segments == [
        (0, 1, "", "A", 0),
        (4, 5, "", "A", 0),
        (5, 6, "", "A", 1),
    ]


def test_a_suspension_before_the_first_run_begins_when_the_job_is_first_dispatched() -> None:
    system = fp(once("H", 2, priority=3), body("suspend 2", "run 1", priority=2), once("L", 9))
    assert runs(system, 9) == [(0, 2, "H"), (2, 4, "L"), (4, 5, "A"), (5, 9, "L")]


def test_a_server_without_other_work_loses_its_place_when_its_job_suspends() -> None:
    system = fp(
        Server("S", 20, 20, priority=1), body("run 1", "suspend 1", "run 1", server="S"), once("B", 2), once("C", 2, 1)
    )
    assert runs(system, 9) == [(0, 1, "A"), (1, 3, "B"), (3, 5, "C"), (5, 6, "A")]


def test_a_job_that_wakes_in_an_inactive_server_waits_for_its_budget() -> None:
    system = fp(Server("S", 6, 2), body("run 2", "suspend 2", "run 1", server="S"))
    assert runs(system, 9) == [(0, 2, "A"), (6, 7, "A")]


def test_events_that_waited_in_an_inactive_server_take_their_places_in_the_order_of_their_instants() -> None:
    """From 2 to 8 S is inactive: A wakes at 4, B is released at 3 and C at 5."""
    tasks = (body("run 2", "suspend 2", "run 1", server="S"), once("C", 1, 5, server="S"), once("B", 1, 3, server="S"))
    assert runs(fp(Server("S", 8, 2), *tasks), 20) == [(0, 2, "A"), (8, 9, "B"), (9, 10, "A"), (16, 17, "C")]


def test_a_demand_truncates_the_body_or_extends_its_last_run() -> None:
    items = ("run 2", "suspend 3", "run 2")
    assert simulate(fp(body(*items, demand=2)), 9).jobs == [("A", 0, 0, 2, 2, False)]
    assert simulate(fp(body(*items, demand=3)), 9).segments == [(0, 2, "", "A", 0), (5, 6, "", "A", 0)]
    assert simulate(fp(body(*items, demand=6)), 12).segments == [(0, 2, "", "A", 0), (5, 9, "", "A", 0)]


def test_a_suspension_ends_the_rights_of_a_started_job() -> None:
    middle = once("M", 3, 1, priority=2)
    raised = body("run 1", "suspend 1", "run 2", threshold=3)
    closed = replace(raised, threshold=None, preemption="non-preemptive")
    for task in (raised, closed):
        assert runs(fp(task, middle), 9) == [(0, 1, "A"), (1, 4, "M"), (4, 6, "A")]


# ------------------------------------------------------------------------------------------ points and subjobs


def limited(*items: str, **more: Any) -> Task:
    """Make the low task of one non-preemptive job with a body."""
    return body(*items, name="L", preemption="non-preemptive", **more)


def test_a_non_preemptive_job_gives_way_at_its_points_only() -> None:
    system = fp(limited("run 2", "optional point", "run 2", "point", "run 2"), once("H", 1, 1, priority=2))
    assert runs(system, 9) == [(0, 4, "L"), (4, 5, "H"), (5, 7, "L")]


def test_subjobs_are_runs_with_a_point_between_any_two() -> None:
    with_subjobs = fp(Task("L", 1000, subjobs=(2, 3), priority=1), once("H", 1, 1, priority=2))
    with_body = fp(limited("run 2", "point", "run 3"), once("H", 1, 1, priority=2))
    assert runs(with_subjobs, 9) == [(0, 2, "L"), (2, 3, "H"), (3, 6, "L")]
    assert simulate(with_subjobs, 9) == simulate(with_body, 9)


def test_a_task_is_non_preemptive_by_default_if_it_has_subjobs_or_a_point() -> None:
    assert Task("A", 9, subjobs=(2,)).non_preemptive
    assert Task("A", 9, body=("run 1", "point", "run 1")).non_preemptive
    assert not Task("A", 9, body=("run 1", "optional point", "run 1")).non_preemptive
    assert not Task("A", 9, body=("run 1", "suspend 1", "run 1")).non_preemptive
    assert not Task("A", 9, 2).non_preemptive


def test_at_a_point_a_job_goes_before_its_equals() -> None:
    system = fp(limited("run 2", "point", "run 2"), once("E", 1, 1))
    assert runs(system, 9) == [(0, 4, "L"), (4, 5, "E")]


def test_a_job_that_gave_way_at_a_point_keeps_its_place_before_its_equals() -> None:
    system = fp(limited("run 2", "point", "run 2"), once("E", 1, 1), once("H", 1, 1, priority=2))
    assert runs(system, 9) == [(0, 2, "L"), (2, 3, "H"), (3, 5, "L"), (5, 6, "E")]


def test_a_release_at_the_instant_of_a_point_is_seen_there() -> None:
    system = fp(limited("run 2", "point", "run 2"), once("H", 1, 2, priority=2))
    assert runs(system, 9) == [(0, 2, "L"), (2, 3, "H"), (3, 5, "L")]


def test_at_a_point_computed_keys_and_their_ties_decide() -> None:
    system = edf(once("E", 1, 1, deadline=9), limited("run 2", "point", "run 2", deadline=10))
    assert runs(system, 9) == [(0, 2, "L"), (2, 3, "E"), (3, 5, "L")]


def test_a_job_that_resumes_after_a_point_is_non_preemptive_again() -> None:
    system = fp(limited("run 2", "point", "run 3"), once("H", 1, 1, priority=2), once("X", 1, 4, priority=3))
    assert runs(system, 9) == [(0, 2, "L"), (2, 3, "H"), (3, 6, "L"), (6, 7, "X")]


def test_points_of_a_preemptive_job_do_nothing_but_are_reported() -> None:
    task = replace(limited("point", "run 2", "optional point", "run 1"), preemption="preemptive")
    outcome = simulate(fp(task, once("H", 1, 1, priority=2)), 9)
    assert outcome.segments == [(0, 1, "", "L", 0), (1, 2, "", "H", 0), (2, 4, "", "L", 0)]
    assert outcome.points == [(0, "L", 0, False, False), (3, "L", 0, True, False)]
    assert outcome.invocations == 4


@pytest.mark.parametrize("preemption", ["preemptive", "non-preemptive"])
def test_a_point_at_the_end_of_the_demand_is_not_reached(preemption: str) -> None:
    task = replace(limited("run 2", "point", "run 2", demand=2), preemption=preemption)
    assert simulate(fp(task), 9).points == []


def test_a_point_before_the_first_run_lets_nobody_through_whom_the_dispatch_did_not() -> None:
    outcome = simulate(fp(limited("point", "run 2"), once("H", 1, 1, priority=2)), 9)
    assert outcome.segments == [(0, 2, "", "L", 0), (2, 3, "", "H", 0)]
    assert outcome.points == [(0, "L", 0, False, False)]


def test_should_yield_is_raised_by_a_more_urgent_release_and_cleared_at_a_real_point() -> None:
    task = limited("run 2", "optional point", "run 1", "point", "run 1", "optional point", "run 1")
    outcome = simulate(fp(task, once("H", 1, 1, priority=2)), 9)
    assert outcome.points == [(2, "L", 0, True, True), (3, "L", 0, False, True), (5, "L", 0, True, False)]
    assert outcome.segments == [(0, 3, "", "L", 0), (3, 4, "", "H", 0), (4, 6, "", "L", 0)]


def test_should_yield_is_not_raised_by_an_equal() -> None:
    outcome = simulate(fp(limited("run 2", "optional point", "run 1"), once("E", 1, 1)), 9)
    assert outcome.points == [(2, "L", 0, True, False)]


def test_should_yield_is_false_again_when_the_more_urgent_job_is_gone() -> None:
    hasty = once("H", 1, 1, priority=2, deadline=2, on_miss="abort")
    outcome = simulate(fp(limited("run 4", "optional point", "run 1", "point", "run 1"), hasty), 9)
    assert outcome.points == [(4, "L", 0, True, False), (5, "L", 0, False, False)]
    assert outcome.aborted == {"L": 0, "H": 1}


def test_should_yield_is_still_true_when_the_job_comes_back_from_its_servers_displacement() -> None:
    system = fp(
        Server("S", 20, 20, priority=1),
        limited("run 4", "optional point", "run 1", server="S"),
        once("H", 1, 1, priority=2, server="S"),
        once("X", 1, 2, priority=2),
    )
    outcome = simulate(system, 9)
    assert outcome.segments[:3] == [(0, 2, "S", "L", 0), (2, 3, "", "X", 0), (3, 6, "S", "L", 0)]
    assert outcome.points == [(5, "L", 0, True, True)]


@pytest.mark.parametrize("points", ["push", "pull"])
def test_a_point_tells_of_releases_before_its_own_instant(points: str) -> None:
    tasks = (limited("run 2", "optional point", "run 1", "optional point", "run 1"), once("H", 1, 2, priority=2))
    outcome = simulate(on(Platform(points=points), *tasks), 9)
    assert outcome.points == [(2, "L", 0, True, False), (3, "L", 0, True, True)]


def test_a_non_preemptive_job_in_a_server_is_displaced_with_it_and_not_at_home() -> None:
    system = fp(
        Server("S", 20, 20, priority=1),
        limited("run 3", "point", "run 1", server="S"),
        once("M", 1, 1, priority=2, server="S"),
        once("X", 1, 2, priority=2),
    )
    assert runs(system, 9) == [(0, 2, "L"), (2, 3, "X"), (3, 4, "L"), (4, 5, "M"), (5, 6, "L")]


# ------------------------------------------------------------------------------------------- named thresholds


def test_a_threshold_may_be_the_name_of_a_task_under_fp() -> None:
    high, middle, low = threshold_trio()
    system = fp(high, middle, replace(low, threshold="M"))
    assert runs(system, 9) == runs(fp(*threshold_trio()), 9)


def test_a_named_threshold_is_never_less_urgent_than_the_job_itself() -> None:
    system = fp(once("A", 3, priority=3, threshold="L"), once("M", 1, 1, priority=2), once("L", 1, priority=1))
    assert runs(system, 9) == [(0, 3, "A"), (3, 4, "M"), (4, 5, "L")]
    system = edf(once("A", 3, deadline=5, threshold="L"), once("M", 1, 1, deadline=6), once("L", 1, deadline=20))
    assert runs(system, 9) == [(0, 3, "A"), (3, 4, "M"), (4, 5, "L")]


@pytest.mark.parametrize("policy", ["rm", "dm"])
def test_a_named_threshold_is_a_period_under_rm_and_a_relative_deadline_under_dm(policy: str) -> None:
    low = Task("L", 30, 4, threshold="M")
    middle, high = Task("M", 20, 1, offset=1), Task("H", 19, 1, offset=2)
    assert runs(mixed(policy, low, middle, high), 9) == [(0, 2, "L"), (2, 3, "H"), (3, 5, "L"), (5, 6, "M")]


def test_a_named_threshold_under_edf_counts_from_the_start() -> None:
    """L starts at 1 and is as urgent as a deadline at 1 + 6 = 7: M's at 8 is not before that, H's at 6 is."""
    low, middle = once("L", 4, 1, deadline=30, threshold="M"), once("M", 1, 2, deadline=6)
    assert runs(edf(low, middle, once("H", 1, 3, deadline=3)), 9) == [
        (1, 3, "L"),
        (3, 4, "H"),
        (4, 6, "L"),
        (6, 7, "M"),
    ]


def test_a_named_threshold_under_llf_is_a_latest_start_that_stays() -> None:
    """L starts at 0 and is as urgent as a latest start at 6 - 2 = 4: M's at 7 - 2 = 5 is later, H's at 2 is not."""
    low, middle = once("L", 4, deadline=30, threshold="M"), once("M", 2, 1, deadline=6)
    high = once("H", 2, 2, deadline=2)
    assert runs(mixed("llf", low, middle, high), 9) == [(0, 2, "L"), (2, 4, "H"), (4, 6, "L"), (6, 8, "M")]


def test_a_limited_job_goes_before_unstarted_equals_whatever_the_tie() -> None:
    early = once("A", 2, 4, deadline=6)
    assert runs(edf(early, once("B", 6, deadline=10)), 9) == [(0, 4, "B"), (4, 6, "A"), (6, 8, "B")]
    assert runs(edf(early, once("B", 6, deadline=10, threshold="B")), 9) == [(0, 6, "B"), (6, 8, "A")]


# -------------------------------------------------------------------------------------------- shared resources


def sharing(protocol: str, *entities: Task | Server, policy: str = "fp", names: str = "AB") -> System:
    """Make a system with resources of one protocol, each of one letter."""
    return replace(mixed(policy, *entities), resources=tuple(Resource(name, protocol) for name in names))


def holding_runs(system: System, horizon: int) -> list[Run]:
    """Simulate and give (start, end, task), with a * after the task while its job holds something."""
    outcome = simulate(system, horizon)
    found: list[Run] = []
    for tick, task in enumerate(task_in_each_tick(outcome, horizon)):
        if task is not None:
            who = task + "*" * (held_by(outcome, task, tick) > 0)
            joins_last = bool(found) and found[-1][1:] == (tick, who)
            found.append((found.pop()[0] if joins_last else tick, tick + 1, who))
    return found


def held_by(outcome: Outcome, task: str, tick: int) -> int:
    """Count what a task holds in a tick."""
    own = [what for instant, name, _, _, what in outcome.locks if name == task and instant <= tick]
    return own.count("lock") - own.count("unlock")


INVERSION = (
    body("run 1", "lock A", "run 2", "unlock A", "run 1", name="H", priority=3, offset=3, deadline=30),
    once("M", 6, 4, priority=2, deadline=40),
    body("run 1", "lock A", "run 4", "unlock A", "run 2", name="L", deadline=50),
)
NESTING = (
    body(
        "run 1",
        "lock A",
        "run 1",
        "lock B",
        "run 1",
        "unlock B",
        "unlock A",
        "run 1",
        name="H",
        priority=2,
        offset=2,
        deadline=20,
    ),
    body("run 1", "lock B", "run 3", "lock A", "run 1", "unlock A", "unlock B", "run 1", name="L", deadline=40),
)
GOLDEN_SECTIONS = [("inversion", name, INVERSION) for name in ("none", "NPCS", "PIP", "PCP", "ICPP", "SRP")] + [
    ("nesting", name, NESTING) for name in ("PIP", "SRP")
]


@pytest.mark.parametrize("policy", ["fp", "dm", "edf"])
@pytest.mark.parametrize(("test", "name", "tasks"), GOLDEN_SECTIONS)
def test_runs_equal_the_golden_schedules_of_protocols(
    test: str, name: str, tasks: tuple[Task, ...], policy: str
) -> None:
    expected = [(start, end, task) for start, end, _, task in golden_segments(f"res_{test}_{name}.csv")]
    assert holding_runs(sharing(name.lower(), *tasks, policy=policy), 20) == expected


@pytest.mark.parametrize("protocol", ["npcs", "pcp", "icpp"])
def test_opposite_nesting_is_a_deadlock_under_no_protocol_that_looks_ahead(protocol: str) -> None:
    outcome = simulate(sharing(protocol, *NESTING), 20)
    assert outcome.deadlocks == []
    assert [row[3] for row in outcome.jobs] == [9, 10]


CHAIN = (
    body("lock A", "run 1", "unlock A", "lock B", "run 1", "unlock B", name="H", priority=3, offset=2, deadline=10),
    body("lock B", "run 3", "unlock B", name="M", priority=2, offset=1, deadline=20),
    body("lock A", "run 3", "unlock A", name="L", deadline=30),
)
ONCE_BLOCKED = [(0, 3, "L"), (3, 5, "H"), (5, 8, "M")]
CHAIN_RUNS = {
    "none": [(0, 1, "L"), (1, 4, "M"), (4, 6, "L"), (6, 8, "H")],
    "npcs": ONCE_BLOCKED,
    "pip": [(0, 1, "L"), (1, 2, "M"), (2, 4, "L"), (4, 5, "H"), (5, 7, "M"), (7, 8, "H")],
    "pcp": ONCE_BLOCKED,
    "icpp": ONCE_BLOCKED,
    "srp": ONCE_BLOCKED,
}


@pytest.mark.parametrize("policy", ["fp", "dm", "edf"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_chained_blocking_is_cut_to_one_section_by_ceilings(protocol: str, policy: str) -> None:
    assert runs(sharing(protocol, *CHAIN, policy=policy), 12) == CHAIN_RUNS[protocol]


def test_locks_waits_and_unlocks_are_reported_in_order() -> None:
    assert simulate(sharing("pip", *CHAIN), 12).locks == [
        (0, "L", 0, "A", "lock"),
        (1, "M", 0, "B", "lock"),
        (2, "H", 0, "A", "wait"),
        (4, "L", 0, "A", "unlock"),
        (4, "H", 0, "A", "lock"),
        (5, "H", 0, "A", "unlock"),
        (5, "H", 0, "B", "wait"),
        (7, "M", 0, "B", "unlock"),
        (7, "H", 0, "B", "lock"),
        (8, "H", 0, "B", "unlock"),
    ]


@pytest.mark.parametrize("policy", ["fp", "edf"])
def test_a_priority_is_inherited_through_a_chain(policy: str) -> None:
    """H waits for M, M for L: L and M run before X, which is more urgent than both."""
    tasks = (
        body("lock A", "run 1", "unlock A", name="H", priority=4, offset=3, deadline=10),
        once("X", 3, 2, priority=3, deadline=15),
        body("lock A", "run 1", "lock B", "run 1", "unlock B", "unlock A", name="M", priority=2, offset=1, deadline=20),
        body("lock B", "run 4", "unlock B", name="L", deadline=30),
    )
    outcome = simulate(sharing("pip", *tasks, policy=policy), 12)
    assert [segment[:2] + segment[3:4] for segment in outcome.segments] == [
        (0, 1, "L"),
        (1, 2, "M"),
        (2, 3, "X"),
        (3, 6, "L"),
        (6, 7, "M"),
        (7, 8, "H"),
        (8, 10, "X"),
    ]
    assert [(row[0], row[1], row[3]) for row in outcome.locks if row[4] == "wait"] == [(3, "H", "A"), (3, "M", "B")]


def test_a_deadlock_is_reported_from_the_job_whose_lock_closed_the_circle() -> None:
    outcome = simulate(sharing("pip", *NESTING), 20)
    assert outcome.deadlocks == [(6, (("L", "A"), ("H", "B")))]
    assert [row[3] for row in outcome.jobs] == [None, None]


def three_in_a_circle(protocol: str, **more: Any) -> System:
    """T1 holds A and wants B, T2 holds B and wants C, T3 holds C and wants A, in this order; X has nothing to do."""
    tasks = [
        body(f"lock {own}", "run 3", f"lock {other}", "run 1", name=f"T{n}", priority=n, offset=n - 1, **more)
        for n, (own, other) in enumerate((("A", "B"), ("B", "C"), ("C", "A")), 1)
    ]
    return sharing(protocol, *tasks, once("X", 9, 20, priority=0), names="ABC")


CIRCLES = {"none": (("T1", "B"), ("T2", "C"), ("T3", "A")), "pip": (("T2", "C"), ("T3", "A"), ("T1", "B"))}


@pytest.mark.parametrize("protocol", CIRCLES)
def test_a_circle_of_three_jobs_leaves_the_processor_to_others(protocol: str) -> None:
    """T3 is blocked at 5, then T2 or, where it inherits, T1 at 7, and the third one at 9."""
    outcome = simulate(three_in_a_circle(protocol), 30)
    assert outcome.deadlocks == [(9, CIRCLES[protocol])]
    assert outcome.segments[-1] == (20, 29, "", "X", 0)


def test_an_abort_breaks_a_deadlock_for_those_whom_it_blocked() -> None:
    """H and L are in a circle from 6 to 10, and X waits for B, which L holds; at 10 H is aborted."""
    high, low = NESTING
    tasks = (
        replace(high, priority=3, deadline=8, on_miss="abort"),
        low,
        body("lock B", "run 1", "unlock B", name="X", priority=2, offset=7),
    )
    outcome = simulate(sharing("pip", *tasks), 20)
    outcome = simulate(sharing("pip", *tasks), 20)
    assert runs(sharing("pip", *tasks), 20)[2:] == [(4, 6, "L"), (10, 11, "L"), (11, 12, "X"), (12, 13, "L")]
    assert outcome.deadlocks == [(6, (("L", "A"), ("H", "B")))]
    assert outcome.locks[-7:] == [
        (7, "X", 0, "B", "wait"),
        (10, "H", 0, "A", "unlock"),
        (10, "L", 0, "A", "lock"),
        (11, "L", 0, "A", "unlock"),
        (11, "L", 0, "B", "unlock"),
        (11, "X", 0, "B", "lock"),
        (12, "X", 0, "B", "unlock"),
    ]


def test_a_lock_is_attempted_only_when_the_job_is_chosen_to_run_on() -> None:
    """L comes to A at 2, when H is released and locks it first."""
    tasks = (
        body("lock A", "run 2", "unlock A", name="H", priority=2, offset=2),
        body("run 2", "lock A", "run 1", name="L"),
    )
    assert holding_runs(sharing("pip", *tasks), 9) == [(0, 2, "L"), (2, 4, "H*"), (4, 5, "L*")]


def test_all_unlocks_at_one_instant_are_done_before_the_choice() -> None:
    tasks = (
        body("lock A", "run 1", name="H", priority=2, offset=1),
        body("lock B", "lock A", "run 2", "unlock A", "unlock B", "run 1", name="L"),
    )
    assert simulate(sharing("pip", *tasks), 9).locks[2:6] == [
        (1, "H", 0, "A", "wait"),
        (2, "L", 0, "A", "unlock"),
        (2, "L", 0, "B", "unlock"),
        (2, "H", 0, "A", "lock"),
    ]


def test_a_job_that_ends_unlocks_all_whatever_its_body_has_left() -> None:
    items = ("lock A", "run 2", "lock B", "run 2", "unlock B", "unlock A", "run 1")
    rows = simulate(sharing("pip", body(*items, demand=3)), 9).locks
    assert rows[2:] == [(3, "A", 0, "B", "unlock"), (3, "A", 0, "A", "unlock")]
    open_end = simulate(sharing("pip", body("lock A", "run 2")), 9)
    assert open_end.locks == [(0, "A", 0, "A", "lock"), (2, "A", 0, "A", "unlock")]


def test_a_longer_demand_extends_a_section_at_the_end() -> None:
    system = sharing("pip", body("lock A", "run 2", "unlock A", demand=4))
    assert simulate(system, 9).locks == [(0, "A", 0, "A", "lock"), (4, "A", 0, "A", "unlock")]


def test_an_abort_unlocks() -> None:
    tasks = (
        body("lock A", "run 5", name="L", deadline=3, on_miss="abort"),
        body("lock A", "run 1", name="H", priority=2, offset=1),
    )
    assert runs(sharing("pip", *tasks), 9) == [(0, 3, "L"), (3, 4, "H")]


def test_none_a_blocked_job_joins_the_tail_when_the_resource_is_unlocked() -> None:
    tasks = (
        body("lock A", "run 1", name="H", priority=2, offset=1),
        once("E", 2, 2, priority=2),
        once("F", 2, 3, priority=2),
        body("lock A", "run 2", "unlock A", "run 1", name="L", priority=1),
    )
    assert holding_runs(sharing("none", *tasks), 12) == [
        (0, 2, "L*"),
        (2, 3, "H*"),
        (3, 5, "E"),
        (5, 7, "F"),
        (7, 8, "L"),
    ]


def test_none_jobs_come_back_in_the_order_in_which_they_were_blocked() -> None:
    tasks = (
        body("lock A", "run 1", name="H1", priority=2, offset=2),
        body("lock A", "run 1", name="H2", priority=2, offset=1),
        body("lock A", "run 4", "unlock A", name="L"),
    )
    assert runs(sharing("none", *tasks), 12) == [(0, 4, "L"), (4, 5, "H2"), (5, 6, "H1")]


def test_pip_a_blocked_job_keeps_its_place() -> None:
    tasks = (
        body("lock A", "run 1", name="H", priority=2, offset=1),
        once("E", 2, 2, priority=2),
        body("lock A", "run 3", "unlock A", name="L"),
    )
    assert runs(sharing("pip", *tasks), 12) == [(0, 3, "L"), (3, 4, "H"), (4, 6, "E")]
    assert runs(sharing("none", *tasks), 12) == [(0, 2, "L"), (2, 4, "E"), (4, 5, "L"), (5, 6, "H")]


def test_pip_what_is_more_urgent_than_the_blocked_job_displaces_the_holder() -> None:
    tasks = (
        once("X", 1, 2, priority=3),
        body("lock A", "run 1", name="H", priority=2, offset=1),
        body("lock A", "run 3", "unlock A", name="L"),
    )
    assert runs(sharing("pip", *tasks), 12) == [(0, 2, "L"), (2, 3, "X"), (3, 4, "L"), (4, 5, "H")]


def test_npcs_nobody_displaces_a_holder_but_its_server_is_displaced() -> None:
    low = body("lock A", "run 3", "unlock A", "run 1", name="L", server="S")
    high = once("H", 1, 1, priority=9, server="S")
    inner = Server("I", 9, 9, priority=9, parent="S")
    system = sharing(
        "npcs",
        Server("S", 20, 20, priority=1),
        inner,
        low,
        high,
        once("D", 1, 1, server="I"),
        once("X", 1, 2, priority=2),
    )
    assert runs(system, 12) == [(0, 2, "L"), (2, 3, "X"), (3, 4, "L"), (4, 5, "D"), (5, 6, "H"), (6, 7, "L")]


def test_pcp_a_job_is_blocked_by_a_ceiling_though_its_resource_is_free() -> None:
    """H uses A, so nobody below H gets B while L has A."""
    tasks = (
        body("lock A", "run 1", name="H", priority=3, offset=9),
        body("run 1", "lock B", "run 1", name="M", priority=2, offset=1),
        body("lock A", "run 4", "unlock A", "run 1", name="L"),
    )
    outcome = simulate(sharing("pcp", *tasks), 12)
    assert [segment[:2] for segment in outcome.segments] == [(0, 1), (1, 2), (2, 5), (5, 6), (6, 7), (9, 10)]
    assert outcome.locks[:4] == [
        (0, "L", 0, "A", "lock"),
        (2, "M", 0, "B", "wait"),
        (5, "L", 0, "A", "unlock"),
        (5, "M", 0, "B", "lock"),
    ]


def test_pcp_instead_of_a_job_that_a_ceiling_blocks_the_holder_of_the_highest_ceiling_runs() -> None:
    """L has A of ceiling 2, H has B of ceiling 4; at 4 X is blocked by both, and H comes first anyway when it is."""
    tasks = (
        body("lock B", "run 1", name="T", priority=4, offset=20),
        body("lock B", "run 3", "unlock B", "run 1", name="H", priority=3, offset=1),
        body("lock A", "run 1", name="X", priority=2, offset=2),
        body("lock A", "run 4", "unlock A", name="L", priority=1),
    )
    assert runs(sharing("pcp", *tasks), 12) == [(0, 1, "L"), (1, 5, "H"), (5, 8, "L"), (8, 9, "X")]


def test_icpp_the_holder_runs_at_the_ceiling_and_above_it_others_still_go_first() -> None:
    tasks = (
        once("X", 1, 3, priority=4),
        body("lock A", "run 1", name="H", priority=3, offset=2),
        once("M", 1, 1, priority=2),
        body("lock A", "run 4", "unlock A", "run 1", name="L"),
    )
    assert runs(sharing("icpp", *tasks), 12) == [
        (0, 3, "L"),
        (3, 4, "X"),
        (4, 5, "L"),
        (5, 6, "H"),
        (6, 7, "M"),
        (7, 8, "L"),
    ]


@pytest.mark.parametrize(
    ("deadline", "expected"),
    [
        (5, [(0, 2, "L"), (2, 3, "M"), (3, 7, "L")]),
        (6, [(0, 5, "L"), (5, 6, "M"), (6, 7, "L")]),
        (7, [(0, 5, "L"), (5, 6, "M"), (6, 7, "L")]),
    ],
)
def test_icpp_under_edf_the_deadline_of_a_holder_counts_from_the_lock(deadline: int, expected: list[Run]) -> None:
    """L locks at 1, and the shortest relative deadline is 6, so it is as urgent as 7; M counts from 1, too."""
    tasks = (
        Task("M", demand=1, deadline=deadline, releases=((2, 1),)),
        body("lock A", "run 1", name="H", offset=20, deadline=6),
        body("run 1", "lock A", "run 4", "unlock A", "run 1", name="L", deadline=30),
    )
    assert runs(sharing("icpp", *tasks, policy="edf"), 12) == expected


def test_srp_nobody_starts_below_a_ceiling_even_without_resources() -> None:
    tasks = (
        once("X", 1, 2, priority=4),
        body("run 1", "lock A", "run 1", name="H", priority=3, offset=1),
        once("M", 1, 1, priority=2),
        body("lock A", "run 4", "unlock A", "run 1", name="L"),
    )
    assert runs(sharing("srp", *tasks), 12) == [
        (0, 2, "L"),
        (2, 3, "X"),
        (3, 5, "L"),
        (5, 7, "H"),
        (7, 8, "M"),
        (8, 9, "L"),
    ]


def test_srp_an_equal_level_is_not_higher() -> None:
    """C is released at 3 and its deadline 10 is before that of A, 11, but their relative deadlines are equal."""
    late = Task("C", demand=1, deadline=10, releases=((3, 0),))
    holder = body("lock A", "run 4", "unlock A", "run 1", deadline=10, offset=1)
    assert runs(sharing("srp", late, holder, policy="edf"), 9) == [(1, 5, "A"), (5, 6, "C"), (6, 7, "A")]
    assert runs(sharing("pip", late, holder, policy="edf"), 9) == [(1, 3, "A"), (3, 4, "C"), (4, 7, "A")]
    shorter = replace(late, deadline=9)
    assert runs(sharing("srp", shorter, holder, policy="edf"), 9) == [(1, 3, "A"), (3, 4, "C"), (4, 7, "A")]


@pytest.mark.parametrize(("priority", "expected"), [(2, [(0, 3, "L"), (3, 4, "D"), (4, 5, "L")]), (3, [(0, 1, "L")])])
def test_srp_holds_back_servers_too(priority: int, expected: list[Run]) -> None:
    user = body("lock A", "run 1", name="H", priority=2, offset=20)
    low = body("lock A", "run 3", "unlock A", "run 1", name="L")
    system = sharing("srp", Server("S", 30, 9, priority=priority), once("D", 1, 1, server="S"), low, user)
    assert runs(system, 12)[: len(expected)] == expected


@pytest.mark.parametrize("policy", ["rm", "dm", "edf"])
def test_among_equals_of_a_computed_key_a_holder_goes_first(policy: str) -> None:
    other = Task("E", 50, 1, offset=1, deadline=49)
    holder = Task("L", 50, body=("lock A", "run 3", "unlock A", "run 1"), deadline=50 if policy == "edf" else 49)
    assert runs(sharing("pip", other, holder, policy=policy), 9) == [(0, 3, "L"), (3, 4, "E"), (4, 5, "L")]


def test_a_blocked_job_is_not_limited_any_more() -> None:
    """J has started and is non-preemptive; while K has A for it, X goes before K, and E after J."""
    tasks = (
        once("X", 1, 3, priority=3),
        once("M", 1, 2, priority=2),
        body("run 1", "lock A", "run 2", name="J", priority=2, offset=1, preemption="non-preemptive"),
        body("lock A", "run 3", "unlock A", name="K"),
        once("Y", 1, 6, priority=3),
    )
    assert runs(sharing("pip", *tasks), 12) == [
        (0, 1, "K"),
        (1, 2, "J"),
        (2, 3, "K"),
        (3, 4, "X"),
        (4, 5, "K"),
        (5, 7, "J"),
        (7, 8, "Y"),
        (8, 9, "M"),
    ]


def test_a_pass_that_only_locks_or_unlocks_costs_no_scheduling() -> None:
    task = body("run 1", "lock A", "run 1", "unlock A", "run 1")
    outcome = simulate(replace(sharing("pip", task), platform=Platform(scheduling=1, context_switch=1)), 9)
    assert outcome.segments == [(2, 5, "", "A", 0)]
    assert (outcome.overhead, outcome.invocations, outcome.switches) == (3, 4, 1)


def test_a_lock_that_blocks_and_an_unlock_that_gives_way_cost_scheduling() -> None:
    tasks = (
        body("lock A", "run 1", name="H", priority=2, offset=2),
        body("lock A", "run 2", "unlock A", "run 1", name="L"),
    )
    outcome = simulate(replace(sharing("pip", *tasks), platform=Platform(scheduling=1)), 12)
    assert [segment[:2] + segment[3:4] for segment in outcome.segments] == [
        (1, 2, "L"),
        (4, 5, "L"),
        (6, 7, "H"),
        (8, 9, "L"),
    ]
    assert outcome.locks == [
        (1, "L", 0, "A", "lock"),
        (3, "H", 0, "A", "wait"),
        (5, "L", 0, "A", "unlock"),
        (6, "H", 0, "A", "lock"),
        (7, "H", 0, "A", "unlock"),
    ]


def test_pulled_events_do_not_come_at_a_lock_or_unlock() -> None:
    low = limited("run 1", "lock A", "run 1", "unlock A", "run 1")
    system = replace(sharing("pip", low, once("H", 1, 2, priority=2)), platform=Platform(points="pull", release=1))
    assert simulate(system, 9).segments == [(1, 4, "", "L", 0), (5, 6, "", "H", 0)]


def test_points_lie_in_sections_as_anywhere() -> None:
    tasks = (
        body("lock A", "run 1", name="H", priority=3, offset=1),
        once("M", 1, 1, priority=2),
        limited("lock A", "run 2", "point", "run 2", "unlock A", "run 1"),
    )
    outcome = simulate(sharing("pip", *tasks), 12)
    assert runs(sharing("pip", *tasks), 12) == [(0, 5, "L"), (5, 6, "H"), (6, 7, "M")]
    assert outcome.points == [(2, "L", 0, False, True)]


# ------------------------------------------------------------------------------------------------- late jobs


def test_abort_ends_a_job_at_its_deadline_and_counts_as_a_miss() -> None:
    outcome = simulate(fp(once("A", 5, priority=2, deadline=3, on_miss="abort"), once("B", 2)), 9)
    assert outcome.segments == [(0, 3, "", "A", 0), (3, 5, "", "B", 0)]
    assert outcome.jobs == [("A", 0, 0, None, None, True), ("B", 0, 0, 5, 5, False)]
    assert (outcome.aborted, outcome.misses) == ({"A": 1, "B": 0}, {"A": 1, "B": 0})


def test_a_job_that_ends_at_its_deadline_is_not_aborted() -> None:
    assert simulate(fp(once("A", 3, deadline=3, on_miss="abort")), 9).jobs == [("A", 0, 0, 3, 3, False)]


def test_nothing_is_aborted_at_the_horizon() -> None:
    outcome = simulate(fp(once("A", 5, deadline=3, on_miss="abort")), 3)
    assert (outcome.jobs, outcome.aborted) == ([("A", 0, 0, None, None, True)], {"A": 0})


def test_a_job_behind_an_aborted_one_takes_over_at_the_tail() -> None:
    system = fp(Task("A", 4, 9, priority=1, deadline=6, on_miss="abort"), once("B", 2, 5))
    assert simulate(system, 11).segments == [
        (0, 6, "", "A", 0),
        (6, 8, "", "B", 0),
        (8, 10, "", "A", 1),
        (10, 11, "", "A", 2),
    ]


def test_an_abort_comes_before_wake_ups_and_releases_of_that_instant() -> None:
    late = Task("A", demand=4, deadline=4, priority=1, on_miss="abort", releases=((0, 0), (1, 1)))
    system = fp(body("run 1", "suspend 3", "run 1", name="W"), late, once("R", 1, 4))
    assert runs(system, 9) == [(0, 1, "W"), (1, 5, "A"), (5, 6, "W"), (6, 7, "R")]


def test_an_abort_comes_before_the_replenishments_of_that_instant() -> None:
    late = Task("A", 4, 9, priority=1, deadline=6, on_miss="abort")
    server = Server("S", 6, 1, priority=1, offset=6)
    assert runs(fp(server, late, once("B", 1, server="S")), 12) == [(0, 10, "A"), (10, 11, "B"), (11, 12, "A")]


def test_a_suspended_job_is_aborted_too() -> None:
    outcome = simulate(fp(body("run 1", "suspend 5", "run 1", deadline=3, on_miss="abort"), once("B", 1, 8)), 9)
    assert outcome.segments == [(0, 1, "", "A", 0), (8, 9, "", "B", 0)]
    assert outcome.aborted == {"A": 1, "B": 0}


def test_a_non_preemptive_job_is_aborted_too() -> None:
    system = fp(once("L", 5, deadline=3, preemption="non-preemptive", on_miss="abort"), once("B", 1, 1))
    assert runs(system, 9) == [(0, 3, "L"), (3, 4, "B")]


def test_an_abort_in_an_inactive_server_happens_when_the_server_is_active_again() -> None:
    late = once("A", 3, deadline=5, on_miss="abort", server="S")
    system = fp(Server("S", 10, 1, priority=2), late, once("B", 7))
    assert simulate(system, 12).jobs == [("B", 0, 0, 8, 8, False), ("A", 0, 0, None, None, True)]
    assert simulate(system, 12).aborted == {"A": 1, "B": 0}
    assert simulate(system, 12).segments == [(0, 1, "S", "A", 0), (1, 8, "", "B", 0)]
    assert simulate(system, 10).aborted == {"A": 0, "B": 0}
    assert simulate(system, 10).misses == {"A": 1, "B": 0}


def test_a_job_that_is_released_after_its_deadline_is_aborted_at_once() -> None:
    task = Task("A", 20, 1, deadline=5, on_miss="abort", releases=((9, 0), (9, 6)))
    outcome = simulate(fp(task), 12)
    assert outcome.jobs == [("A", 0, 0, None, None, True), ("A", 1, 6, 10, 4, False)]


def test_skip_drops_a_release_that_finds_an_unfinished_job() -> None:
    outcome = simulate(fp(Task("A", 3, 4, on_miss="skip")), 11)
    assert outcome.segments == [(0, 4, "", "A", 0), (6, 10, "", "A", 2)]
    assert outcome.jobs == [
        ("A", 1, 3, None, None, True),
        ("A", 0, 0, 4, 4, True),
        ("A", 3, 9, None, None, True),
        ("A", 2, 6, 10, 4, True),
    ]
    assert (outcome.skipped, outcome.misses) == ({"A": 2}, {"A": 4})


def test_a_suspended_job_is_unfinished_too() -> None:
    task = Task("A", 2, body=("run 1", "suspend 3", "run 1"), on_miss="skip")
    assert simulate(fp(task), 9).segments == [(0, 1, "", "A", 0), (4, 5, "", "A", 0), (6, 7, "", "A", 3)]


def test_a_job_that_ends_at_the_next_release_lets_nothing_be_skipped() -> None:
    assert simulate(fp(Task("A", 3, 3, on_miss="skip")), 12).skipped == {"A": 0}


def test_a_skipped_job_uses_up_its_number_and_its_demand() -> None:
    outcome = simulate(fp(Task("A", 3, (4, 9, 1), on_miss="skip")), 9)
    assert outcome.segments == [(0, 4, "", "A", 0), (6, 7, "", "A", 2)]


def test_a_release_that_waits_in_an_inactive_server_at_the_horizon_is_an_unfinished_job() -> None:
    system = fp(Server("S", 10, 1), Task("A", 4, 3, on_miss="skip", server="S"))
    outcome = simulate(system, 9)
    assert outcome.skipped == {"A": 0}
    assert [row[1:] for row in outcome.jobs] == [
        (0, 0, None, None, True),
        (1, 4, None, None, True),
        (2, 8, None, None, False),
    ]
    assert simulate(system, 11).skipped == {"A": 2}


# ------------------------------------------------------------------------------------------------ costs


PAIR = (once("A", 2, priority=2), once("B", 2))


def test_an_ideal_platform_costs_nothing_and_still_counts() -> None:
    outcome = simulate(fp(*PAIR), 9)
    assert (outcome.overhead, outcome.switches, outcome.invocations) == (0, 2, 3)


def test_a_context_switch_is_paid_before_a_job_of_another_task() -> None:
    outcome = simulate(on(Platform(context_switch=1), *PAIR), 9)
    assert outcome.segments == [(1, 3, "", "A", 0), (4, 6, "", "B", 0)]
    assert (outcome.overhead, outcome.switches, outcome.invocations) == (2, 2, 3)


def test_idle_time_and_the_next_job_of_the_same_task_cost_no_context_switch() -> None:
    outcome = simulate(on(Platform(context_switch=2), Task("A", 4, 1)), 9)
    assert outcome.segments == [(2, 3, "", "A", 0), (4, 5, "", "A", 1), (8, 9, "", "A", 2)]
    assert (outcome.overhead, outcome.switches) == (2, 1)


def test_every_release_is_paid_even_of_a_job_that_is_skipped() -> None:
    assert simulate(on(Platform(release=1), *PAIR), 9).segments == [(2, 4, "", "A", 0), (4, 6, "", "B", 0)]
    outcome = simulate(on(Platform(release=1), Task("A", 3, 3, on_miss="skip")), 9)
    assert outcome.segments == [(1, 3, "", "A", 0), (4, 5, "", "A", 0), (7, 9, "", "A", 2)]
    assert outcome.skipped == {"A": 1}


def test_scheduling_is_paid_at_every_invocation_even_if_it_ends_in_idleness() -> None:
    outcome = simulate(on(Platform(scheduling=1), once("A", 2), once("B", 1, 4)), 9)
    assert outcome.segments == [(1, 3, "", "A", 0), (5, 6, "", "B", 0)]
    assert (outcome.overhead, outcome.invocations) == (4, 4)


def test_what_happens_in_kernel_time_is_handled_at_its_end_before_anything_runs() -> None:
    outcome = simulate(on(Platform(scheduling=2), once("H", 1, 1, priority=2), once("L", 1)), 12)
    assert outcome.segments == [(4, 5, "", "H", 0), (7, 8, "", "L", 0)]
    assert outcome.jobs == [("H", 0, 1, 5, 4, False), ("L", 0, 0, 8, 8, False)]


def test_a_job_has_started_and_its_task_has_the_context_from_the_choice_on() -> None:
    """L is chosen at 0; the switch to it lasts until 2, when H is found."""
    low, high = once("L", 2, preemption="non-preemptive"), once("H", 1, 1, priority=2)
    assert simulate(on(Platform(context_switch=2), low, high), 9).segments == [(2, 4, "", "L", 0), (6, 7, "", "H", 0)]
    low = replace(low, preemption="preemptive")
    outcome = simulate(on(Platform(context_switch=2), low, high), 12)
    assert outcome.segments == [(4, 5, "", "H", 0), (7, 9, "", "L", 0)]
    assert outcome.switches == 3


def test_a_tick_is_paid_once_without_scheduling_and_on_an_idle_processor_too() -> None:
    platform = Platform(tick=1, tick_period=4, scheduling=1)
    outcome = simulate(on(platform, once("A", 5)), 10)
    assert outcome.segments == [(1, 4, "", "A", 0), (5, 7, "", "A", 0)]
    assert (outcome.overhead, outcome.invocations) == (1 + 1 + 1 + 1, 2)


def test_ticks_in_kernel_time_are_paid_at_its_end() -> None:
    platform = Platform(tick=1, tick_period=2, scheduling=5)
    assert simulate(on(platform, once("A", 1)), 12).segments == [(9, 10, "", "A", 0)]


def test_a_tick_and_a_release_at_one_instant_are_one_invocation() -> None:
    platform = Platform(tick=1, tick_period=4, scheduling=1, release=1)
    outcome = simulate(on(platform, once("A", 3), once("B", 1, 4, priority=2)), 12)
    assert outcome.segments == [(2, 4, "", "A", 0), (7, 8, "", "B", 0), (10, 11, "", "A", 0)]


def test_a_cost_of_ticks_can_take_the_whole_processor() -> None:
    outcome = simulate(on(Platform(tick=1, tick_period=1), once("A", 5)), 9)
    assert outcome.segments == [(0, 1, "", "A", 0)]
    assert outcome.overhead == 8


POINT_COSTS = Platform(point=1, release=1, scheduling=1)
POINT_PAIR = (limited("run 2", "point", "run 2"), once("H", 1, 3, priority=2))


def test_pushed_points_pay_the_release_at_once_and_scheduling_at_the_point_that_yields() -> None:
    outcome = simulate(on(POINT_COSTS, *POINT_PAIR), 12)
    assert outcome.segments == [(2, 3, "", "L", 0), (4, 5, "", "L", 0), (7, 8, "", "H", 0), (9, 11, "", "L", 0)]
    assert (outcome.points, outcome.overhead) == ([(5, "L", 0, False, True)], 2 + 1 + 2 + 1 + 1)


def test_pulled_points_let_the_release_wait_and_pay_all_at_the_point() -> None:
    outcome = simulate(on(replace(POINT_COSTS, points="pull"), *POINT_PAIR), 12)
    assert outcome.segments == [(2, 4, "", "L", 0), (7, 8, "", "H", 0), (9, 11, "", "L", 0)]
    assert (outcome.points, outcome.overhead) == ([(4, "L", 0, False, True)], 2 + 3 + 1 + 1)


def test_a_point_without_reason_to_yield_costs_a_check_if_pushed_and_scheduling_too_if_pulled() -> None:
    task = POINT_PAIR[0]
    assert simulate(on(POINT_COSTS, task), 12).segments == [(2, 4, "", "L", 0), (5, 7, "", "L", 0)]
    pulled = replace(POINT_COSTS, points="pull")
    assert simulate(on(pulled, task), 12).segments == [(2, 4, "", "L", 0), (6, 8, "", "L", 0)]


def test_pulled_events_wait_for_optional_points_suspensions_and_completions_too() -> None:
    pulled = Platform(points="pull", release=1)
    high = once("H", 1, 2, priority=2)
    assert simulate(on(pulled, limited("run 3", "optional point", "run 1"), high), 9).segments == [
        (1, 4, "", "L", 0),
        (5, 6, "", "L", 0),
        (6, 7, "", "H", 0),
    ]
    assert simulate(on(pulled, limited("run 3", "suspend 1", "run 1"), high), 9).segments == [
        (1, 4, "", "L", 0),
        (5, 6, "", "H", 0),
        (6, 7, "", "L", 0),
    ]
    assert simulate(on(pulled, limited("run 3"), high), 9).segments == [(1, 4, "", "L", 0), (5, 6, "", "H", 0)]


def test_pulled_events_do_not_wait_while_a_preemptive_job_or_a_server_runs() -> None:
    pulled = Platform(points="pull", release=1)
    high = once("H", 1, 2, priority=2)
    assert simulate(on(pulled, once("L", 3), high), 9).segments == [
        (1, 2, "", "L", 0),
        (3, 4, "", "H", 0),
        (4, 6, "", "L", 0),
    ]
    inside = System("fp", (limited("run 3", server="S"), high), (Server("S", 9, 9, priority=1),), pulled)
    assert simulate(inside, 9).segments == [(1, 2, "S", "L", 0), (3, 4, "", "H", 0), (4, 6, "S", "L", 0)]


def test_pushed_releases_cost_no_scheduling_while_a_non_preemptive_job_goes_on() -> None:
    tasks = (limited("run 4"), once("H1", 1, 2, priority=2), once("H2", 1, 3, priority=2))
    outcome = simulate(on(Platform(scheduling=1), *tasks), 12)
    assert outcome.segments == [(1, 5, "", "L", 0), (6, 7, "", "H1", 0), (8, 9, "", "H2", 0)]


def test_a_pushed_optional_point_costs_no_scheduling() -> None:
    tasks = (limited("run 2", "optional point", "run 1"), once("H", 1, 2, priority=2))
    outcome = simulate(on(Platform(scheduling=1), *tasks), 12)
    assert outcome.segments == [(1, 4, "", "L", 0), (5, 6, "", "H", 0)]


def test_what_a_job_does_before_its_first_run_waits_for_what_became_due_in_kernel_time() -> None:
    tasks = (body("suspend 1", "run 1", name="L"), once("H", 1, 1, priority=2))
    outcome = simulate(on(Platform(context_switch=2), *tasks), 12)
    assert outcome.segments == [(4, 5, "", "H", 0), (8, 9, "", "L", 0)]


def test_kernel_time_is_charged_to_no_server() -> None:
    system = System("fp", (once("A", 3, server="S"),), (Server("S", 20, 2),), Platform(context_switch=2))
    outcome = simulate(system, 6)
    assert outcome.segments == [(2, 4, "S", "A", 0)]
    assert [row[0] for row in outcome.budgets] == [2, 2, 2, 1, 0, 0]


def test_a_replenishment_counts_from_its_nominal_instant_even_in_kernel_time() -> None:
    tasks = (once("A", 9, server="S"), once("B", 1, 3, priority=2))
    system = System("fp", tasks, (Server("S", 4, 2, priority=1),), Platform(scheduling=2))
    assert [row[0] for row in simulate(system, 7).budgets] == [2, 2, 2, 1, 2, 2, 2]


def test_events_in_an_inactive_server_cost_nothing_until_they_are_handled() -> None:
    tasks = (Task("A", 9, 1, server="S", releases=((0, 0), (2, 2), (4, 4))), once("B", 4, priority=2))
    system = System("fp", tasks, (Server("S", 8, 1, priority=1, offset=5),), Platform(release=1))
    outcome = simulate(system, 12)
    assert outcome.segments[:2] == [(1, 5, "", "B", 0), (8, 9, "S", "A", 0)]


def test_llf_overtaking_is_an_invocation() -> None:
    system = on(Platform(scheduling=1), once("A", 2, deadline=4), once("B", 2, deadline=4), policy="llf")
    outcome = simulate(system, 12)
    assert [segment[:2] for segment in outcome.segments] == [(1, 2), (3, 4), (5, 6), (7, 8)]
    assert outcome.invocations == 5


# ------------------------------------------------------------------------------------- deadlines and horizon


def test_a_job_that_ends_at_its_deadline_has_met_it() -> None:
    assert simulate(fp(once("A", 3, deadline=3)), 9).misses == {"A": 0}
    assert simulate(fp(once("A", 3, deadline=2)), 9).misses == {"A": 1}


def test_a_job_that_ends_at_the_horizon_is_finished() -> None:
    assert simulate(fp(once("A", 3)), 3).jobs == [("A", 0, 0, 3, 3, False)]
    assert simulate(fp(once("A", 3)), 2).jobs == [("A", 0, 0, None, None, False)]


def test_nothing_is_released_at_the_horizon() -> None:
    outcome = simulate(fp(Task("A", 3, 1)), 6)
    assert [row[2] for row in outcome.jobs] == [0, 3]


def test_an_unfinished_job_is_a_miss_if_its_deadline_is_at_the_horizon_and_none_if_it_is_later() -> None:
    assert simulate(fp(once("A", 9, deadline=5)), 5).jobs == [("A", 0, 0, None, None, True)]
    assert simulate(fp(once("A", 9, deadline=5)), 4).jobs == [("A", 0, 0, None, None, False)]


def test_a_late_job_continues_and_counts_once() -> None:
    outcome = simulate(fp(once("A", 8, deadline=3)), 20)
    assert outcome.jobs == [("A", 0, 0, 8, 8, True)]
    assert outcome.misses == {"A": 1}


def test_the_deadline_of_a_job_counts_from_its_release_at_offset_and_periods() -> None:
    outcome = simulate(fp(Task("A", 4, 1, offset=3, deadline=1)), 9)
    assert outcome.jobs == [("A", 0, 3, 4, 1, False), ("A", 1, 7, 8, 1, False)]


def test_segments_of_two_jobs_that_follow_each_other_are_not_merged() -> None:
    assert simulate(fp(Task("A", 2, 2)), 4).segments == [(0, 2, "", "A", 0), (2, 4, "", "A", 1)]


def test_a_horizon_of_zero_gives_an_empty_outcome() -> None:
    assert simulate(fp(Task("A", 2, 1)), 0) == Outcome([], [], [], {"A": 0}, {"A": 0}, {"A": 0}, {"A": 0})


# ------------------------------------------------------------------------------------------------ bad input


BAD_SYSTEMS = [
    (System("sjf", (Task("A", 2, 1),)), "system: policy 'sjf' is unknown"),
    (fp(Task("A", 2, 1), Task("A", 2, 1)), "A: the name is used twice"),
    (fp(Task("A", 0, 1)), "A: period must be >= 1"),
    (fp(Task("A", 2, 0)), "A: demand must be >= 1"),
    (fp(Task("A", 2, 1, deadline=0)), "A: deadline must be >= 1"),
    (fp(Task("A", 2, 1, offset=-1)), "A: offset must be >= 0"),
    (fp(Task("A", 2, 1, server="S")), "A: server 'S' is unknown"),
    (fp(Task("A", 2, 1, priority=3, threshold=2)), "A: threshold must be >= priority"),
    (edf(Task("A", 2, 1, threshold=2)), "A: a threshold that is a priority needs an fp dispatcher"),
    (fp(Task("A", demand=1, deadline=3)), "A: a period or releases must be given"),
    (fp(Task("A", demand=1, releases=((0, 0),))), "A: deadline must be >= 1"),
    (fp(Task("A", 2, 1, releases=((3, 0), (2, 2)))), "A: releases must not descend"),
    (fp(Task("A", 2, 1, releases=((3, 4),))), "A: a job must arrive at >= 0 and not after its release"),
    (mixed("rm", Task("A", demand=1, deadline=3, releases=((0, 0),))), "A: rm orders by period: give min_separation"),
    (fp(Task("A", 2, 1, min_separation=0)), "A: min_separation must be >= 1"),
    (fp(Task("A", 2, 1, wcet=0)), "A: wcet must be >= 1"),
    (fp(Task("A", 2, 1, class_="firm")), "A: class 'firm' is unknown"),
    (fp(Task("A", 2, 1, preemption="never")), "A: preemption 'never' is unknown"),
    (fp(Task("A", 2, 1, on_miss="cry")), "A: on_miss 'cry' is unknown"),
    (fp(Task("A", 2, 1, threshold="B")), "A: threshold: task 'B' is not in its dispatcher"),
    (
        fp(Task("A", 2, 1, threshold=9, preemption="non-preemptive")),
        "A: threshold and non-preemptive exclude each other",
    ),
    (fp(Task("A", 2, subjobs=(1, 1), threshold=9)), "A: threshold and non-preemptive exclude each other"),
    (fp(Task("A", 9, subjobs=(1,), body=("run 1",))), "A: body and subjobs exclude each other"),
    (fp(Task("A", 9, 1, body=("run 1", "dance"))), "A: item 'dance' of the body is unknown"),
    (
        fp(Task("A", 9, 1, body=("run 1", "suspend 1"))),
        "A: the last item of the body must be a run, or unlocks after a run",
    ),
    (fp(Task("A", 9, 1, body=("run", "run 1"))), "A: run and suspend, and only they, take >= 1 tick"),
    (fp(Task("A", 9, 1, body=("run 3",), wcet=2)), "A: the body must not be longer than the wcet"),
    (on(Platform(tick=1)), "platform: tick and tick_period go together"),
    (on(Platform(tick=1, tick_period=0)), "platform: tick_period must be >= 1"),
    (on(Platform(release=-1)), "platform: costs must be >= 0"),
    (on(Platform(points="shove")), "platform: points 'shove' is unknown"),
    (on(Platform(points="pull", tick=1, tick_period=4)), "platform: pulled points and ticks exclude each other"),
    (
        on(Platform(points="pull"), Task("A", 9, 1, on_miss="skip")),
        "A: pulled points and on_miss 'skip' exclude each other",
    ),
    (sharing("pip", body("lock A", "run 1"), names="AA"), "A: the name is used twice"),
    (sharing("pip", body("lock A", "run 1"), names="B"), "A: resource 'A' is unknown"),
    (sharing("pcp", body("lock R", "run 1"), policy="llf", names="R"), "R: protocol 'pcp' and llf exclude each other"),
    (sharing("first", body("lock R", "run 1"), names="R"), "R: protocol 'first' is unknown"),
    (
        sharing(
            "pip", body("lock R", "run 1", server="S"), body("lock R", "run 1", name="B"), Server("S", 4, 4), names="R"
        ),
        "R: its users must be in one dispatcher",
    ),
    (sharing("pip", body("lock R", "run 1", "lock R", "run 1"), names="R"), "A: resource 'R' is locked already"),
    (
        sharing("pip", body("lock R", "lock S", "run 1", "unlock R", "run 1"), names="RS"),
        "A: resource 'R' is not what was locked last",
    ),
    (sharing("pip", body("run 1", "unlock R", "run 1"), names="R"), "A: resource 'R' is not what was locked last"),
    (sharing("pip", body("lock R", "suspend 1", "run 1"), names="R"), "A: no suspension inside a section"),
    (
        sharing("pip", body("run 1", "lock R"), names="R"),
        "A: the last item of the body must be a run, or unlocks after a run",
    ),
    (fp(Server("S", 4, 5)), "S: budget must be 1..period"),
    (fp(Server("S", 4, 4, offset=-1)), "S: offset must be >= 0"),
    (fp(Server("S", 4, 4, policy="sjf")), "S: policy 'sjf' is unknown"),
    (fp(Server("S", 4, 4, kind="lazy")), "S: kind 'lazy' is unknown"),
    (fp(Server("S", 4, 4, kind="cbs")), "S: kind 'cbs' needs an edf parent"),
    (edf(Server("S", 4, 4), Server("I", 4, 4, kind="hard-cbs", parent="S")), "I: kind 'hard-cbs' needs an edf parent"),
    (fp(Server("S", 4, 4, parent="P")), "S: parent 'P' is unknown"),
    (fp(Server("S", 4, 4, parent="P"), Server("P", 4, 4, parent="S")), "S: its parents form a ring"),
]


@pytest.mark.parametrize(("system", "message"), BAD_SYSTEMS, ids=[message for _, message in BAD_SYSTEMS])
def test_a_system_that_breaks_a_rule_is_refused_by_name(system: System, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        simulate(system, 1)


def test_a_negative_horizon_is_refused() -> None:
    with pytest.raises(ValueError, match="horizon: expected >= 0, found -1"):
        simulate(fp(Task("A", 2, 1)), -1)


# ------------------------------------------------------------------------ invariants over random systems (8)


def chain_of(system: System, server_name: str | None) -> list[str]:
    """List the names of the servers around a place, innermost first."""
    parents = {server.name: server.parent for server in system.servers}
    return [] if server_name is None else [server_name, *chain_of(system, parents[server_name])]


def task_in_each_tick(outcome: Outcome, horizon: int) -> list[str | None]:
    """Spread the segments over the ticks; None is idle."""
    ticks: list[str | None] = [None] * horizon
    for start, end, _, task, _ in outcome.segments:
        assert ticks[start:end] == [None] * (end - start)
        ticks[start:end] = [task] * (end - start)
    return ticks


def without_idling(outcome: Outcome) -> Outcome:
    """Leave out the segments of idling servers that idle."""
    return replace(outcome, segments=[segment for segment in outcome.segments if segment[3] != IDLE])


def pending_tasks(system: System, outcome: Outcome, tick: int) -> list[Task]:
    """List the tasks that have a released and unfinished job in a tick."""
    names = {row[0] for row in outcome.jobs if row[2] <= tick and (row[3] is None or row[3] > tick)}
    return [task for task in system.tasks if task.name in names]


@random_systems
@given(systems(parents_first=False, features=ANYTHING))
def test_random_systems_keep_their_stated_bounds_and_are_accepted(system: System) -> None:
    assert 1 <= len(system.tasks) <= MAX_TASKS
    assert len(system.servers) <= MAX_SERVERS
    simulate(system, 1)


@random_systems
@given(systems(features=ANYTHING), horizons())
def test_two_runs_of_one_system_are_equal_and_leave_it_unchanged(system: System, h: int) -> None:
    before = repr(system)
    assert simulate(system, h) == simulate(system, h)
    assert repr(system) == before


def demand_of(task: Task, number: int) -> int:
    """Say what a job executes."""
    return task.demands[number % len(task.demands)]


@random_systems
@given(systems(features=ANYTHING), horizons())
def test_a_jobs_ticks_lie_between_its_arrival_and_its_finish_and_sum_to_its_demand(system: System, h: int) -> None:
    outcome = simulate(system, h)
    tasks = {task.name: task for task in system.tasks}
    for name, number, arrival, finish, response, _ in outcome.jobs:
        own = [(start, end) for start, end, _, task, job in outcome.segments if (task, job) == (name, number)]
        served = sum(end - start for start, end in own)
        assert all(arrival <= start for start, _ in own)
        if finish is None:
            assert served < demand_of(tasks[name], number)
        else:
            assert (served, own[-1][1], response) == (demand_of(tasks[name], number), finish, finish - arrival)


def releases_before(task: Task, h: int) -> list[tuple[int, int]]:
    """List release and arrival of the jobs released before a horizon."""
    periodic = ((instant, instant) for instant in range(task.offset, h, task.period or 1))
    return [pair for pair in (periodic if task.releases is None else task.releases) if pair[0] < h]


@random_systems
@given(systems(features=ANYTHING), horizons())
def test_every_release_before_the_horizon_has_one_row_and_jobs_of_a_task_end_in_order(system: System, h: int) -> None:
    outcome = simulate(system, h)
    for task in system.tasks:
        rows = [row for row in outcome.jobs if row[0] == task.name]
        by_number = sorted(rows, key=lambda row: row[1])
        assert [(row[1], row[2]) for row in by_number] == [
            (number, arrival) for number, (_, arrival) in enumerate(releases_before(task, h))
        ]
        if task.on_miss != "skip":
            assert rows == by_number


@random_systems
@given(systems(features=ANYTHING), horizons())
def test_nothing_runs_before_its_release_or_after_its_deadline_if_that_aborts(system: System, h: int) -> None:
    tasks = {task.name: task for task in system.tasks}
    costly = replace(system.platform, points="push") != Platform()
    for start, end, _, name, number in without_idling(simulate(system, h)).segments:
        release, arrival = releases_before(tasks[name], h)[number]
        assert release <= start
        is_cut = tasks[name].on_miss == "abort" and not costly
        is_cut = is_cut and has_own_deadlines(system, tasks[name])
        assert not is_cut or end <= arrival + tasks[name].relative_deadline


def has_own_deadlines(system: System, task: Task) -> bool:
    """Say whether the deadlines of a task follow from its arrivals alone: no rule gives them."""
    server = next((server for server in system.servers if server.name == task.server), None)
    policy = system.policy if server is None else server.policy
    return policy != "rbe" and (server is None or server.kind not in RULE_KINDS)


@random_systems
@given(systems(features=ANYTHING), horizons())
def test_missed_means_not_finished_by_a_deadline_within_the_horizon(system: System, h: int) -> None:
    outcome = simulate(system, h)
    tasks = {task.name: task for task in system.tasks}
    for name, _, arrival, finish, _, missed in outcome.jobs:
        deadline = arrival + tasks[name].relative_deadline
        if has_own_deadlines(system, tasks[name]) and (finish is not None or tasks[name].on_miss != "skip"):
            assert missed == (deadline <= h if finish is None else finish > deadline)
    assert sum(outcome.misses.values()) == sum(row[5] for row in outcome.jobs)
    assert all(outcome.aborted[task.name] == 0 for task in system.tasks if task.on_miss != "abort")
    assert all(outcome.skipped[task.name] == 0 for task in system.tasks if task.on_miss != "skip")


@random_systems
@given(systems(features=frozenset({"policies"})), horizons())
def test_the_processor_is_idle_only_if_no_pending_task_has_budget_all_the_way_up(system: System, h: int) -> None:
    outcome = simulate(system, h)
    names = [server.name for server in system.servers]
    for tick, running in enumerate(task_in_each_tick(outcome, h)):
        budget = dict(zip(names, outcome.budgets[tick], strict=True))
        able = [
            task.name
            for task in pending_tasks(system, outcome, tick)
            if all(budget[name] > 0 for name in chain_of(system, task.server))
        ]
        assert running in able if able else running is None


@random_systems
@given(systems(features=EVERYTHING | JITTER), horizons())
def test_the_budget_of_a_deferrable_server_changes_by_its_own_ticks_and_replenishments_only(
    system: System, h: int
) -> None:
    outcome = simulate(system, h)
    homes = {task.name: task.server for task in system.tasks}
    ticks = task_in_each_tick(outcome, h)
    for index, server in enumerate(system.servers):
        expected = 0
        for tick, running in enumerate(ticks):
            if tick >= server.offset and (tick - server.offset) % server.period == 0:
                expected = server.budget
            assert outcome.budgets[tick][index] == expected >= 0
            expected -= running is not None and server.name in chain_of(system, homes[running])


def charged_in_each_tick(system: System, outcome: Outcome, horizon: int) -> list[list[str]]:
    """Spread the segments over the ticks: the servers that pay for each."""
    ticks: list[list[str]] = [[]] * horizon
    for start, end, server, _, _ in outcome.segments:
        ticks[start:end] = [chain_of(system, server or None)] * (end - start)
    return ticks


@random_systems
@given(st.one_of(systems(features=ANYTHING), chains(kinds=True)), horizons())
def test_a_server_is_charged_only_with_budget_and_never_has_more_than_its_own(system: System, h: int) -> None:
    outcome = simulate(system, h)
    for tick, charged in enumerate(charged_in_each_tick(system, outcome, h)):
        for server, budget in zip(system.servers, outcome.budgets[tick], strict=True):
            assert 0 <= budget <= server.budget
            assert budget > 0 or server.name not in charged


@random_systems
@given(st.one_of(systems(features=ANYTHING), chains(kinds=True)), horizons())
def test_a_server_without_constant_bandwidth_runs_at_most_its_budget_per_started_period(system: System, h: int) -> None:
    ticks = charged_in_each_tick(system, simulate(system, h), h)
    for server in system.servers:
        if server.kind not in EDF_KINDS + RULE_KINDS:
            uses = [tick for tick, charged in enumerate(ticks) if server.name in charged]
            for number, tick in enumerate(uses):
                assert tick >= server.offset + number // server.budget * server.period


@random_systems
@given(systems(features=SERVER_KINDS), horizons())
def test_nothing_else_idles_than_an_idling_server_without_pending_work(system: System, h: int) -> None:
    outcome = simulate(system, h)
    kinds = {server.name: server.kind for server in system.servers}
    for start, _, name, who, _ in outcome.segments:
        if who == IDLE:
            assert kinds[name] == "idling"
            assert name not in {task.server for task in pending_tasks(system, outcome, start)}


@random_systems
@given(systems(features=SERVER_KINDS), horizons())
def test_a_polling_server_at_the_root_has_budget_only_with_pending_work_inside(system: System, h: int) -> None:
    outcome = simulate(system, h)
    for index, server in enumerate(system.servers):
        for tick in range(h):
            if server.kind == "polling" and server.parent is None and outcome.budgets[tick][index] > 0:
                inside = [task.server for task in pending_tasks(system, outcome, tick)]
                inside += [other.parent for other in system.servers if other.kind == "idling"]
                assert any(server.name in chain_of(system, name) for name in inside)


@st.composite
def isolated(draw: st.DrawFn) -> System:
    """Make hard tasks and constant-bandwidth servers whose bandwidths fit, and tasks that use the servers at will."""
    shares = draw(st.lists(st.tuples(st.integers(1, 8), st.integers(2, 24)), min_size=2, max_size=6))
    fitting = [
        (budget, period)
        for number, (budget, period) in enumerate(shares)
        if budget <= period and sum(Fraction(q, p) for q, p in shares[: number + 1] if q <= p) <= 1
    ]
    made: list[Task | Server] = []
    for number, (budget, period) in enumerate(fitting):
        offset = draw(st.integers(0, 5))
        if draw(st.booleans()):
            made.append(Task(f"H{number}", period, budget, offset=offset))
            continue
        kind = draw(st.sampled_from(EDF_KINDS))
        made.append(Server(f"S{number}", period, budget, offset=offset, kind=kind))
        gaps = draw(st.lists(st.tuples(st.integers(1, 20), st.integers(0, 30)), min_size=1, max_size=6))
        arrivals = accumulate(gap for _, gap in gaps)
        jobs = zip((demand for demand, _ in gaps), arrivals, strict=True)
        made.append(listed(f"T{number}", *jobs, server=f"S{number}"))
    return edf(*made)


@random_systems
@given(isolated(), horizons())
def test_tasks_beside_constant_bandwidth_servers_meet_their_deadlines_whatever_is_in_the_servers(
    system: System, h: int
) -> None:
    misses = simulate(system, h).misses
    assert all(misses[task.name] == 0 for task in system.tasks if task.server is None)


@random_systems
@given(systems(features=EVERYTHING - {"costs"}), horizons())
def test_one_idling_server_with_a_full_budget_is_the_plain_dispatcher(system: System, h: int) -> None:
    bare = rewritten(replace(system, servers=()), server=lambda task: None, threshold=lambda task: None)
    bare = replace(bare, policy="edf", platform=Platform())
    wrapped = replace(
        rewritten(bare, server=lambda task: "S"), servers=(Server("S", 5, 5, policy="edf", kind="idling"),)
    )
    assert without_idling(simulate(wrapped, h)).jobs == simulate(bare, h).jobs


@random_systems
@given(systems(), horizons())
def test_kinds_are_the_same_for_servers_with_endless_work(system: System, h: int) -> None:
    busy = tuple(Task(f"B {server.name}", 10_000, 10_000, server=server.name) for server in system.servers)
    deferrable = replace(system, tasks=system.tasks + busy)
    expected = simulate(deferrable, h)
    for kind in ("idling", "polling"):
        servers = tuple(replace(server, kind=kind) for server in system.servers)
        assert simulate(replace(deferrable, servers=servers), h) == expected


@random_systems
@given(st.one_of(systems(features=ANYTHING), chains(kinds=True)), horizons())
def test_a_shorter_horizon_gives_a_prefix(system: System, h: int) -> None:
    long, short = simulate(system, h + 7), simulate(system, h)
    assert short.budgets == long.budgets[:h]
    assert short.points == [row for row in long.points if row[0] < h]
    assert task_in_each_tick(short, h) == task_in_each_tick(long, h + 7)[:h]


@random_systems
@given(systems(features=ANYTHING), horizons())
def test_points_lie_where_the_body_has_them(system: System, h: int) -> None:
    outcome = simulate(system, h)
    tasks = {task.name: task for task in system.tasks}
    for name, number in {row[1:3] for row in outcome.points}:
        seen = [(row[0], row[3]) for row in outcome.points if row[1:3] == (name, number)]
        marks = [mark for mark in tasks[name].marks if mark.kind != "suspend"]
        served = [served_before(outcome, name, number, instant) for instant, _ in seen]
        assert list(zip(served, (optional for _, optional in seen), strict=True)) == [
            (mark.executed, mark.kind == "optional point") for mark in marks[: len(seen)]
        ]


def served_before(outcome: Outcome, name: str, number: int, instant: int) -> int:
    """Count the ticks that a job executed before an instant."""
    own = [(start, end) for start, end, _, task, job in outcome.segments if (task, job) == (name, number)]
    return sum(max(0, min(end, instant) - start) for start, end in own)


@random_systems
@given(systems(features=EVERYTHING), horizons())
def test_without_costs_there_is_no_overhead_and_kernel_time_is_never_busy(system: System, h: int) -> None:
    busy = sum(end - start for start, end, *_ in simulate(system, h).segments)
    assert busy + simulate(system, h).overhead <= h
    ideal = replace(system, platform=Platform(points=system.platform.points))
    assert simulate(ideal, h).overhead == 0


@random_systems
@given(systems(features=EVERYTHING), horizons())
def test_switches_are_at_least_the_changes_of_task_and_at_most_the_invocations(system: System, h: int) -> None:
    outcome = simulate(system, h)
    names = [None, *(segment[3] for segment in outcome.segments)]
    changes = sum(before != after for before, after in pairwise(names))
    assert changes <= outcome.switches <= outcome.invocations


def with_policy(system: System, policy: str, instead_of: tuple[str, ...]) -> System:
    """Change some policies of a system."""
    servers = (replace(s, policy=policy) if s.policy in instead_of else s for s in system.servers)
    return replace(system, policy=policy if system.policy in instead_of else system.policy, servers=tuple(servers))


def flat(system: System, policy: str) -> System:
    """Strip a system to preemptive tasks in one root."""
    tasks = (replace(task, server=None, preemption="preemptive", threshold=None) for task in system.tasks)
    return System(policy, tuple(tasks))


@random_systems
@given(systems(), st.sampled_from(["rm", "dm", "edf", "llf"]), horizons())
def test_a_computed_key_runs_the_task_of_least_key_then_class_then_file_order_in_every_tick(
    system: System, policy: str, h: int
) -> None:
    system = flat(system, policy)
    outcome = simulate(system, h)
    for tick, running in enumerate(task_in_each_tick(outcome, h)):
        keys = {
            task.name: (key_of(task, policy, outcome, tick), ("hard", "soft", "none").index(task.class_))
            for task in pending_tasks(system, outcome, tick)
        }
        assert running == min(keys, key=lambda name: keys[name], default=None)


def key_of(task: Task, policy: str, outcome: Outcome, tick: int) -> int:
    """Work out the key of a task's current job from what was observed."""
    current = [row[1:3] for row in outcome.jobs if row[0] == task.name and (row[3] is None or row[3] > tick)]
    number, arrival = min(current)
    left = demand_of(task, number) - served_before(outcome, task.name, number, tick)
    deadline = arrival + task.relative_deadline
    return {"rm": task.period or 0, "dm": task.relative_deadline, "edf": deadline, "llf": deadline - left}[policy]


@random_systems
@given(systems(), horizons())
def test_a_chain_of_servers_with_full_budget_around_everything_changes_nothing(system: System, h: int) -> None:
    tasks = tuple(replace(task, server=None, threshold=None) for task in system.tasks)
    bare = replace(system, servers=(), tasks=tasks)
    servers = (Server("outer", 5, 5), Server("inner", 3, 3, policy=bare.policy, parent="outer"))
    wrapped = System("edf", tuple(replace(task, server="inner") for task in tasks), servers)
    assert simulate(wrapped, h).jobs == simulate(bare, h).jobs


# --------------------------------------------------------------------- special cases that must be equal (8)


def rewritten(system: System, **changes: Callable[[Task], Any]) -> System:
    """Change fields of every task."""
    tasks = (replace(task, **{name: change(task) for name, change in changes.items()}) for task in system.tasks)
    return replace(system, tasks=tuple(tasks))


def all_fp(system: System) -> System:
    """Turn every dispatcher to fp and take all limits away."""
    return with_policy(without_limits(system), "fp", POLICIES)


def without_limits(system: System) -> System:
    """Make every task preemptive, without a threshold."""
    return rewritten(system, threshold=lambda task: None, preemption=lambda task: "preemptive")


def schedule(outcome: Outcome) -> tuple[object, ...]:
    """Leave out what tells how the schedule came about."""
    return outcome.segments, outcome.jobs, outcome.budgets


SCHEDULING_POLICIES = frozenset({"policies"})
FPDS_MIX = frozenset({"arrivals", "policies"})


@random_systems
@given(systems(features=FPDS_MIX).map(all_fp), st.sampled_from(["number", "name"]), horizons())
def test_a_threshold_equal_to_the_own_priority_changes_nothing(system: System, kind: str, h: int) -> None:
    raised = rewritten(system, threshold=lambda task: task.priority if kind == "number" else task.name)
    assert simulate(raised, h) == simulate(system, h)


@random_systems
@given(systems(features=FPDS_MIX).map(all_fp), horizons())
def test_one_subjob_a_top_threshold_and_non_preemptive_are_the_same(system: System, h: int) -> None:
    expected = simulate(rewritten(system, preemption=lambda task: "non-preemptive"), h)
    assert simulate(rewritten(system, threshold=lambda task: 99), h) == expected
    one = rewritten(system, preemption=lambda task: None, subjobs=lambda task: (task.declared_wcet,))
    assert simulate(one, h) == expected


@random_systems
@given(systems(features=FPDS_MIX).map(without_limits), horizons())
def test_subjobs_of_one_tick_are_the_same_as_preemptive(system: System, h: int) -> None:
    unit = rewritten(system, preemption=lambda task: None, subjobs=lambda task: (1,) * task.declared_wcet)
    assert schedule(simulate(unit, h)) == schedule(simulate(system, h))


@random_systems
@given(systems(features=frozenset({"points", "policies"})), horizons())
def test_points_of_preemptive_tasks_change_nothing(system: System, h: int) -> None:
    with_points = rewritten(system, preemption=lambda task: "preemptive")
    without = rewritten(
        with_points, body=lambda task: None, subjobs=lambda task: None, demand=lambda task: task.demands
    )
    assert schedule(simulate(with_points, h)) == schedule(simulate(without, h))


@random_systems
@given(systems(features=SCHEDULING_POLICIES), horizons())
def test_rm_and_dm_are_the_same_where_deadlines_are_periods(system: System, h: int) -> None:
    implicit = rewritten(system, deadline=lambda task: None)
    rm, dm = (with_policy(implicit, policy, ("rm", "dm")) for policy in ("rm", "dm"))
    assert simulate(rm, h) == simulate(dm, h)


@random_systems
@given(systems(features=SCHEDULING_POLICIES), horizons())
def test_rm_is_fp_with_priorities_by_period_class_and_file_order(system: System, h: int) -> None:
    rm = flat(system, "rm")
    order = sorted(rm.tasks, key=lambda task: (task.period or 0, ("hard", "soft", "none").index(task.class_)))
    by_hand = rewritten(replace(rm, policy="fp"), priority=lambda task: len(order) - order.index(task))
    assert schedule(simulate(by_hand, h)) == schedule(simulate(rm, h))


@random_systems
@given(systems(features=frozenset({"points", "policies"})), horizons())
def test_a_job_of_m_subjobs_at_the_root_is_preempted_at_most_m_minus_1_times(system: System, h: int) -> None:
    tasks = {task.name: task for task in system.tasks if task.server is None and task.non_preemptive}
    pieces = Counter((task, job) for _, _, _, task, job in simulate(system, h).segments if task in tasks)
    for (name, _), count in pieces.items():
        assert count <= 1 + sum(mark.kind == "point" for mark in tasks[name].marks)


@random_systems
@given(systems(features=EVERYTHING - {"on_miss"}), horizons())
def test_push_and_pull_give_the_same_schedule_without_costs(system: System, h: int) -> None:
    push, pull = (simulate(replace(system, platform=Platform(points=points)), h) for points in ("push", "pull"))
    assert (schedule(push), push.points) == (schedule(pull), pull.points)


@random_systems
@given(systems(features=frozenset({"suspensions", "points"})).map(without_limits), horizons())
def test_a_suspended_job_does_not_run(system: System, h: int) -> None:
    outcome = simulate(system, h)
    for task in system.tasks:
        for number in {segment[4] for segment in outcome.segments if segment[3] == task.name}:
            own = [segment[:2] for segment in outcome.segments if segment[3:] == (task.name, number)]
            gaps = {start_gap: end_gap for (_, start_gap), (end_gap, _) in pairwise(own)}
            for mark in task.marks:
                begin = next(
                    (end for _, end in own if served_before(outcome, task.name, number, end) == mark.executed), None
                )
                if mark.kind == "suspend" and begin in gaps:
                    assert gaps[begin] - begin >= mark.ticks


# -------------------------------------------------------------------------------------- properties of resources

SINGLE = frozenset({"arrivals", "on_miss"})
FIXED = ("fp", "rm", "dm")
LOOKING_AHEAD = ("fp", "rm", "dm", "edf")
ANY_CROWD = ANYTHING - {"policies"}
sharers = st.one_of(systems(features=ANYTHING, always=RESOURCES), crowds(), crowds(features=ANY_CROWD))


@random_systems
@given(sharers, horizons())
def test_a_resource_has_one_holder_and_a_job_unlocks_what_it_locked_last(system: System, h: int) -> None:
    held: list[tuple[str, int, str]] = []
    for _, task, job, resource, what in simulate(system, h).locks:
        if what == "lock":
            assert resource not in [name for _, _, name in held]
            held.append((task, job, resource))
        if what == "unlock":
            assert [row for row in held if row[:2] == (task, job)][-1] == (task, job, resource)
            held.remove((task, job, resource))


@random_systems
@given(sharers, horizons())
def test_a_job_locks_where_its_body_says_so(system: System, h: int) -> None:
    outcome = simulate(system, h)
    tasks = {task.name: task for task in system.tasks}
    for name, number in {row[1:3] for row in outcome.locks}:
        own = [row for row in outcome.locks if row[1:3] == (name, number) and row[4] == "lock"]
        marks = [mark for mark in tasks[name].marks if mark.kind == "lock"]
        seen = [(served_before(outcome, name, number, row[0]), row[3]) for row in own]
        assert seen == [(mark.executed, mark.resource) for mark in marks[: len(seen)]]


@random_systems
@given(sharers, horizons())
def test_a_job_waits_once_for_a_lock_and_holds_nothing_after_its_end(system: System, h: int) -> None:
    outcome = simulate(system, h)
    for name, number in {row[1:3] for row in outcome.locks}:
        own = [row for row in outcome.locks if row[1:3] == (name, number)]
        for before, after in pairwise(own):
            assert before[4] != "wait" or (after[3:] == (before[3], "lock") or after[4] == "unlock")
        finish = next(row[3] for row in outcome.jobs if row[:2] == (name, number))
        counts = Counter(row[4] for row in own)
        assert finish is None or (counts["lock"] == counts["unlock"] and own[-1][0] <= finish)


@random_systems
@given(
    crowds(features=ANY_CROWD, protocols=("npcs",)) | crowds(features=ANY_CROWD, protocols=("icpp",), policies=FIXED),
    horizons(),
)
def test_npcs_and_icpp_never_block_at_a_lock(system: System, h: int) -> None:
    outcome = simulate(system, h)
    assert not any(row[4] == "wait" for row in outcome.locks)


@random_systems
@given(crowds(features=ANY_CROWD, protocols=("srp",), policies=LOOKING_AHEAD), horizons())
def test_srp_never_blocks_at_a_lock(system: System, h: int) -> None:
    assert not any(row[4] == "wait" for row in simulate(system, h).locks)


@st.composite
def of_one_protocol(
    draw: st.DrawFn, protocols: tuple[str, ...], policies: tuple[str, ...], features: Features = SINGLE
) -> System:
    """Make a crowd with resources of one protocol."""
    return draw(crowds(features=features, protocols=(draw(st.sampled_from(protocols)),), policies=policies))


@random_systems
@given(of_one_protocol(("npcs", "pcp", "icpp", "srp"), LOOKING_AHEAD, ANY_CROWD), horizons())
def test_protocols_that_look_ahead_have_no_deadlock(system: System, h: int) -> None:
    """Under edf a late release lets a deadline come before one that icpp gave: then a lock can fail (SPEC.md, 9)."""
    assume(system.policy != "edf" or any(resource.protocol != "icpp" for resource in system.resources))
    assert simulate(system, h).deadlocks == []


@random_systems
@given(crowds(features=SINGLE, protocols=("icpp",), policies=("fp",)), horizons())
def test_icpp_and_srp_give_the_same_schedule_under_fp(system: System, h: int) -> None:
    srp = replace(system, resources=tuple(replace(resource, protocol="srp") for resource in system.resources))
    assert schedule(simulate(srp, h)) == schedule(simulate(system, h))


@random_systems
@given(crowds(), horizons())
def test_the_processor_is_idle_only_if_all_that_is_pending_is_in_a_deadlock(system: System, h: int) -> None:
    outcome = simulate(system, h)
    first = min((instant for instant, _ in outcome.deadlocks), default=h)
    for tick, running in enumerate(task_in_each_tick(outcome, h)[:first]):
        assert running is not None or pending_tasks(system, outcome, tick) == []


def sections_of(task: Task) -> list[tuple[str, int]]:
    """List the sections of a body: the resource and the ticks from the lock to the unlock."""
    total = sum(step.ticks for step in task.steps if step.kind == "run")
    ends = {mark.resource: mark.executed for mark in task.marks if mark.kind == "unlock"}
    found = []
    for place, mark in enumerate(task.marks):
        if mark.kind == "lock":
            later = [m.executed for m in task.marks[place:] if (m.kind, m.resource) == ("unlock", mark.resource)]
            found.append((mark.resource, (later or [total])[0] - mark.executed))
    assert set(ends) <= {name for name, _ in found}
    return found


def blocking_of_the_most_urgent(system: System) -> int:
    """Give the longest section of others that may block the last task, less the tick that was needed to lock."""
    *others, top = system.tasks
    sections = [section for other in others for section in sections_of(other)]
    is_npcs = system.resources[0].protocol == "npcs"
    return max((ticks - 1 for name, ticks in sections if is_npcs or name in top.resources), default=0)


@random_systems
@given(of_one_protocol(("npcs", "pcp", "icpp", "srp"), ("fp",)), horizons())
def test_the_most_urgent_task_is_blocked_for_at_most_one_section(system: System, h: int) -> None:
    *others, last = system.tasks
    top = replace(last, priority=99, period=48, releases=None, on_miss="continue")
    system = replace(system, tasks=(*others, top))
    bound = top.declared_wcet + blocking_of_the_most_urgent(system)
    assert all(row[4] <= bound for row in simulate(system, h).jobs if row[0] == top.name and row[4] is not None)


def without_sections(task: Task) -> Task:
    """Take the locks out of a body."""
    return replace(task, body=tuple(item for item in task.body or () if "lock" not in item))


@random_systems
@given(of_one_protocol(("none", "pip", "pcp", "icpp", "srp"), ("fp",)), horizons())
def test_resources_that_are_not_shared_change_nothing_under_fp(system: System, h: int) -> None:
    protocol = system.resources[0].protocol
    private = tuple(
        replace(task, body=tuple(f"{item} {task.name}" if "lock" in item else item for item in task.body or ()))
        for task in system.tasks
    )
    names = {name for task in private for name in task.resources}
    separate = replace(system, tasks=private, resources=tuple(Resource(name, protocol) for name in sorted(names)))
    bare = replace(system, tasks=tuple(without_sections(task) for task in system.tasks), resources=())
    assert schedule(simulate(separate, h)) == schedule(simulate(bare, h))


@random_systems
@given(crowds(features=ANY_CROWD), horizons())
def test_systems_with_resources_run_twice_alike_and_a_shorter_horizon_gives_a_prefix(system: System, h: int) -> None:
    long, short = simulate(system, h + 7), simulate(system, h)
    assert short == simulate(system, h)
    assert [row for row in short.locks if row[0] < h] == [row for row in long.locks if row[0] < h]
    assert short.deadlocks == [row for row in long.deadlocks if row[0] < h]
    assert task_in_each_tick(short, h) == task_in_each_tick(long, h + 7)[:h]
