"""Tests of the oracle itself: golden schedules, every rule by a schedule worked out by hand, and invariants.

Source: SPEC.md, 1 to 4.
"""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from oracle import Outcome, Server, System, Task, simulate
from oracle.systems import MAX_DEPTH, MAX_SERVERS, MAX_TASKS, horizons, systems

GOLDEN = Path(__file__).parent / "golden"
Run = tuple[int, int, str]
random_systems = settings(max_examples=100, deadline=None, print_blob=True)


def read_golden(name: str) -> list[dict[str, str]]:
    """Read one golden file."""
    with (GOLDEN / name).open(newline="") as file:
        return list(csv.DictReader(file))


def golden_segments(name: str) -> list[tuple[int, int, str, str]]:
    """Read golden segments without their idle rows; a file without servers has "" there."""
    rows = [row for row in read_golden(name) if row["task"] != "idle"]
    return [(int(row["start"]), int(row["end"]), row.get("server", ""), row["task"]) for row in rows]


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


def once(name: str, demand: int, offset: int = 0, priority: int = 1, **more: object) -> Task:
    """Make a task whose second job lies beyond every horizon used here."""
    return Task(name, 1000, demand, offset=offset, priority=priority, **more)  # type: ignore[arg-type]


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


# ---------------------------------------------------------------------------------------- golden schedules


def hsf_tables(demand_of_t2: int) -> System:
    """Tables I and II of the paper on hierarchical scheduling, deferrable servers."""
    return fp(
        Server("S1", 20, 10, priority=2),
        Server("S2", 40, 15, priority=1),
        Task("T1", 20, 4, priority=1, server="S1"),
        Task("T2", 15, demand_of_t2, priority=2, server="S1"),
        Task("T3", 60, 10, priority=2, server="S2"),
    )


def fpds_example(offset: int, *, non_preemptive: bool) -> System:
    """The example of 3.5: T1 above T2."""
    return fp(
        Task("T1", 5, 2, offset=offset, priority=2, non_preemptive=non_preemptive),
        Task("T2", 12, 7, priority=1, non_preemptive=non_preemptive),
    )


BASIC_57 = (Task("A", 5, 2, priority=2), Task("B", 7, 4, priority=1))
FPTS_EXAMPLE = fp(
    Task("T1", 4, 2, priority=3, threshold=3),
    Task("T2", 10, 2, priority=2, threshold=3),
    Task("T3", 14, 4, priority=1, threshold=2),
)
GOLDEN_RUNS = [
    pytest.param("basic_edf_57.csv", edf(*BASIC_57), 35, id="edf"),
    pytest.param("basic_rm_57.csv", fp(*BASIC_57), 35, id="rm"),
    pytest.param("basic_rm_dm.csv", fp(Task("A", 6, 2, priority=2), Task("B", 10, 2, deadline=3)), 30, id="rm_dm"),
    pytest.param("fpds_example_FPPS_off0_0.csv", fpds_example(0, non_preemptive=False), 60, id="preemptive"),
    pytest.param("fpds_example_FPNS_off1_0.csv", fpds_example(1, non_preemptive=True), 60, id="non_preemptive"),
    pytest.param("fpts_example.csv", FPTS_EXAMPLE, 60, id="threshold"),
    pytest.param("hsf_test1_deferrable.csv", hsf_tables(2), 120, id="deferrable_1"),
    pytest.param("hsf_test2_deferrable.csv", hsf_tables(6), 120, id="deferrable_2"),
]
HSF_TESTS = [pytest.param(1, 2, id="test1"), pytest.param(2, 6, id="test2")]


@pytest.mark.parametrize(("file", "system", "horizon"), GOLDEN_RUNS)
def test_segments_equal_the_golden_schedule(file: str, system: System, horizon: int) -> None:
    assert without_job_numbers(simulate(system, horizon)) == golden_segments(file)


@pytest.mark.parametrize(("number", "demand_of_t2"), HSF_TESTS)
def test_jobs_equal_the_golden_jobs(number: int, demand_of_t2: int) -> None:
    outcome = simulate(hsf_tables(demand_of_t2), 120)
    assert finished_jobs(outcome) == golden_jobs(f"hsf_test{number}_deferrable_jobs.csv")


@pytest.mark.parametrize(("number", "demand_of_t2"), HSF_TESTS)
def test_budgets_equal_the_golden_budgets_in_every_tick(number: int, demand_of_t2: int) -> None:
    rows = read_golden(f"hsf_test{number}_deferrable_budget.csv")
    expected = [[int(row["S1"]), int(row["S2"])] for row in rows]
    assert simulate(hsf_tables(demand_of_t2), 120).budgets == expected


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


def test_the_fpps_and_fpns_examples_miss_where_the_specification_says_so() -> None:
    preemptive = finished_jobs(simulate(fpds_example(0, non_preemptive=False), 60))
    non_preemptive = finished_jobs(simulate(fpds_example(1, non_preemptive=True), 60))
    assert ("T2", 0, 13, 13, True) in preemptive
    assert ("T1", 1, 9, 8, True) in non_preemptive


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
    system = mixed(policy, urgent, once("L", 5, deadline=50, non_preemptive=True))
    assert runs(system, 9) == [(0, 5, "L"), (5, 7, "H")]


@pytest.mark.parametrize("policy", ["fp", "edf"])
def test_a_non_preemptive_job_that_has_not_started_waits(policy: str) -> None:
    tasks = (once("H", 2, priority=2, deadline=4), once("L", 3, deadline=50, non_preemptive=True))
    urgent = once("X", 1, 1, priority=3, deadline=1)
    assert runs(mixed(policy, *tasks, urgent), 9) == [(0, 1, "H"), (1, 2, "X"), (2, 3, "H"), (3, 6, "L")]


def test_the_next_job_of_a_non_preemptive_task_has_not_started() -> None:
    system = fp(Task("L", 3, 4, priority=1, non_preemptive=True), once("H", 2, 1, priority=2))
    assert runs(system, 8) == [(0, 4, "L"), (4, 6, "H"), (6, 8, "L")]


def test_a_non_preemptive_job_holds_off_servers_of_its_dispatcher() -> None:
    system = fp(once("L", 3, non_preemptive=True), Server("S", 9, 9, priority=9), once("A", 2, 1, server="S"))
    assert runs(system, 8) == [(0, 3, "L"), (3, 5, "A")]


def test_a_server_with_a_non_preemptive_job_is_still_displaced_and_depleted() -> None:
    low = once("L", 4, server="S", non_preemptive=True)
    local = once("M", 1, 1, priority=2, server="S")
    system = fp(Server("S", 6, 3, priority=1), low, local, once("H", 1, 1, priority=2))
    assert runs(system, 12) == [(0, 1, "L"), (1, 2, "H"), (2, 4, "L"), (6, 7, "L"), (7, 8, "M")]


def test_the_best_job_of_a_server_that_is_not_chosen_has_not_started() -> None:
    low = once("L", 3, server="S", non_preemptive=True)
    local = once("M", 1, 1, priority=2, server="S")
    system = fp(Server("S", 9, 9, priority=1), low, local, once("H", 2, priority=2))
    assert runs(system, 8) == [(0, 2, "H"), (2, 3, "M"), (3, 6, "L")]


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
    nothing = {"A": 0}
    expected = Outcome([], [], [], nothing, nothing, nothing, nothing, [], overhead=0, switches=0, invocations=0)
    assert simulate(fp(Task("A", 2, 1)), 0) == expected


# ------------------------------------------------------------------------------------------------ bad input


BAD_SYSTEMS = [
    (System("rbe", (Task("A", 2, 1),)), "system: policy 'rbe' is unknown"),
    (fp(Task("A", 2, 1), Task("A", 2, 1)), "A: the name is used twice"),
    (fp(Task("A", 0, 1)), "A: period must be >= 1"),
    (fp(Task("A", 2, 0)), "A: demand and wcet must be >= 1"),
    (fp(Task("A", 2, 1, deadline=0)), "A: deadline must be >= 1"),
    (fp(Task("A", 2, 1, offset=-1)), "A: offset must be >= 0"),
    (fp(Task("A", 2, 1, server="S")), "A: server 'S' is unknown"),
    (fp(Task("A", 2, 1, priority=3, threshold=2)), "A: threshold must be >= priority"),
    (edf(Task("A", 2, 1, threshold=2)), "A: a priority as threshold needs an fp dispatcher"),
    (fp(Server("S", 4, 5)), "S: budget must be 1..period"),
    (fp(Server("S", 4, 4, offset=-1)), "S: offset must be >= 0"),
    (fp(Server("S", 4, 4, policy="rbe")), "S: policy 'rbe' is unknown"),
    (fp(Server("S", 4, 4, kind="polling")), "S: kind 'polling' is unknown"),
    (fp(Server("S", 4, 4, parent="P")), "S: parent 'P' is unknown"),
    (fp(Server("S", 4, 4, parent="P"), Server("P", 4, 4, parent="S")), "S: its parents form a ring"),
]


@pytest.mark.parametrize(("system", "message"), BAD_SYSTEMS, ids=[message for _, message in BAD_SYSTEMS])
def test_a_system_that_breaks_a_rule_is_refused_by_name(system: System, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
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


def pending_tasks(system: System, outcome: Outcome, tick: int) -> list[Task]:
    """List the tasks that have a released and unfinished job in a tick."""
    names = {row[0] for row in outcome.jobs if row[2] <= tick and (row[3] is None or row[3] > tick)}
    return [task for task in system.tasks if task.name in names]


@random_systems
@given(systems(parents_first=False))
def test_random_systems_keep_their_stated_bounds_and_are_accepted(system: System) -> None:
    assert all(len(chain_of(system, server.name)) <= MAX_DEPTH for server in system.servers)
    assert 1 <= len(system.tasks) <= MAX_TASKS
    assert len(system.servers) <= MAX_SERVERS
    simulate(system, 1)


@random_systems
@given(systems(), horizons())
def test_two_runs_of_one_system_are_equal_and_leave_it_unchanged(system: System, h: int) -> None:
    before = repr(system)
    assert simulate(system, h) == simulate(system, h)
    assert repr(system) == before


@random_systems
@given(systems(), horizons())
def test_a_jobs_ticks_lie_between_its_release_and_its_finish_and_sum_to_its_demand(system: System, h: int) -> None:
    outcome = simulate(system, h)
    demands = {task.name: task.demand for task in system.tasks}
    for name, number, release, finish, response, _ in outcome.jobs:
        own = [(start, end) for start, end, _, task, job in outcome.segments if (task, job) == (name, number)]
        served = sum(end - start for start, end in own)
        assert all(release <= start for start, _ in own)
        if finish is None:
            assert served < demands[name]
        else:
            assert (served, own[-1][1], response) == (demands[name], finish, finish - release)


@random_systems
@given(systems(), horizons())
def test_every_release_before_the_horizon_has_one_row_and_jobs_of_a_task_end_in_order(system: System, h: int) -> None:
    outcome = simulate(system, h)
    for task in system.tasks:
        own = [row for row in outcome.jobs if row[0] == task.name]
        assert [row[2] for row in own] == list(range(task.offset, h, task.period or h))
        assert [row[1] for row in own] == list(range(len(own)))


@random_systems
@given(systems(), horizons())
def test_missed_means_not_finished_by_a_deadline_within_the_horizon(system: System, h: int) -> None:
    outcome = simulate(system, h)
    relative = {task.name: task.relative_deadline for task in system.tasks}
    for name, _, release, finish, _, missed in outcome.jobs:
        deadline = release + relative[name]
        assert missed == (deadline <= h if finish is None else finish > deadline)
    assert sum(outcome.misses.values()) == sum(row[5] for row in outcome.jobs)


@random_systems
@given(systems(), horizons())
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
@given(systems(), horizons())
def test_a_budget_changes_by_its_own_ticks_and_its_own_replenishments_only(system: System, h: int) -> None:
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


@random_systems
@given(systems(), horizons())
def test_a_shorter_horizon_gives_a_prefix(system: System, h: int) -> None:
    long, short = simulate(system, h + 7), simulate(system, h)
    assert short.budgets == long.budgets[:h]
    assert task_in_each_tick(short, h) == task_in_each_tick(long, h + 7)[:h]


def flat_edf(system: System) -> System:
    """Strip a system to preemptive tasks in one edf root."""
    tasks = (replace(task, server=None, non_preemptive=False, threshold=None) for task in system.tasks)
    return System("edf", tuple(tasks))


@random_systems
@given(systems().map(flat_edf), horizons())
def test_preemptive_edf_runs_the_task_of_earliest_deadline_then_class_in_every_tick(system: System, h: int) -> None:
    outcome = simulate(system, h)
    for tick, running in enumerate(task_in_each_tick(outcome, h)):
        earliest: dict[str, tuple[int, int]] = {}
        for task in pending_tasks(system, outcome, tick):
            oldest = min(row[2] for row in outcome.jobs if row[0] == task.name and (row[3] is None or row[3] > tick))
            earliest[task.name] = (oldest + task.relative_deadline, ("hard", "soft", "none").index(task.class_))
        assert running == min(earliest, key=lambda name: earliest[name], default=None)


@random_systems
@given(systems(), horizons())
def test_a_chain_of_servers_with_full_budget_around_everything_changes_nothing(system: System, h: int) -> None:
    flat = replace(system, servers=(), tasks=tuple(replace(t, server=None, threshold=None) for t in system.tasks))
    servers = (Server("outer", 5, 5), Server("inner", 3, 3, policy=flat.policy, parent="outer"))
    wrapped = System("edf", tuple(replace(task, server="inner") for task in flat.tasks), servers)
    assert simulate(wrapped, h).jobs == simulate(flat, h).jobs


def with_thresholds(system: System, *, top: bool) -> System:
    """Turn every dispatcher to fp and give every task its own or the top priority as threshold."""
    servers = tuple(replace(server, policy="fp") for server in system.servers)
    tasks = tuple(replace(task, non_preemptive=False, threshold=99 if top else task.priority) for task in system.tasks)
    return System("fp", tasks, servers)


@random_systems
@given(systems(), horizons())
def test_a_threshold_equal_to_the_own_priority_changes_nothing(system: System, h: int) -> None:
    raised = with_thresholds(system, top=False)
    plain = replace(raised, tasks=tuple(replace(task, threshold=None) for task in raised.tasks))
    assert simulate(raised, h) == simulate(plain, h)


@random_systems
@given(systems(), horizons())
def test_a_threshold_above_every_priority_is_the_same_as_non_preemptive(system: System, h: int) -> None:
    raised = with_thresholds(system, top=True)
    tasks = tuple(replace(task, threshold=None, non_preemptive=True) for task in raised.tasks)
    assert simulate(raised, h) == simulate(replace(raised, tasks=tasks), h)
