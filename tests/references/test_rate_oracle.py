# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests of the rate-based reference: golden schedules, the numbers and counter-examples of the rules, invariants.

Source: sections 1 and 2 of the rules; what they leave open stands at the top of the files in rate_oracle.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import GOLDEN
from rate_oracle import SCALE, Outcome, System, Task, simulate
from rate_oracle.allocation import Request, allocate, beta_of, is_admitted
from rate_oracle.model import FORMULA3
from rate_oracle.rbe import RbeTask, deadlines, demand, is_feasible
from rate_oracle.rbe import simulate as simulate_rbe
from rate_oracle.systems import HORIZON, MAX_DEMANDS, rbe_sets, systems
from sampling import tries

Run = tuple[int, int, str]
NONE, TENTH = Fraction(0), Fraction(1, 10)
random_systems = tries(100)


def read_golden(name: str) -> list[dict[str, str]]:
    """Read one golden file."""
    with (GOLDEN / name).open(newline="") as file:
        return list(csv.DictReader(file))


def golden_runs(name: str) -> list[Run]:
    """Read golden segments."""
    return [(int(row["start"]), int(row["end"]), row["task"]) for row in read_golden(name)]


def without_job_numbers(segments: Iterable[tuple[int, int, str, int]]) -> list[Run]:
    """Merge the segments of neighbouring jobs of one task, as the golden files do."""
    merged: list[Run] = []
    for start, end, task, _ in segments:
        joins_last = bool(merged) and merged[-1][1:] == (start, task)
        merged.append((merged.pop()[0] if joins_last else start, end, task))
    return merged


def runs(system: System, horizon: int) -> list[Run]:
    """Simulate and give (start, end, task), neighbours of one task merged."""
    return without_job_numbers(simulate(system, horizon).segments)


def hard(name: str, wcet: int, period: int, **more: Any) -> Task:
    """Return a hard task."""
    return Task(name, "hard", wcet, period, **more)


def soft(name: str, wcet: int, period: int, **more: Any) -> Task:
    """Return a soft task."""
    return Task(name, "soft", wcet, period, **more)


def none(name: str, period: int, **more: Any) -> Task:
    """Return a task of class none."""
    return Task(name, "none", None, period, **more)


def unreserved(*tasks: Task, **more: Any) -> System:
    """Return a system that reserves nothing for class none."""
    return System(tasks, NONE, **more)


def missed(outcome: Outcome) -> list[tuple[str, int | None]]:
    """Return (task, deadline) of the jobs that missed their adjusted deadline, each once, in order of the deadline."""
    return sorted(((row[0], row[3]) for row in outcome.jobs if row[5]), key=lambda row: (row[1] or 0, row[0]))


def instants(outcome: Outcome, task: str, event: str) -> list[int]:
    """Return the instants of an event of a task."""
    return [now for now, what, who, _ in outcome.log if (what, who) == (event, task)]


# ------------------------------------------------------------------------------------------------------------- RBE

RBE_EXAMPLE = (
    RbeTask("T1", x=2, y=5, d=5, c=1, arrivals=(0, 0, 0, 0, 0, 12)),
    RbeTask("T2", x=1, y=3, d=3, c=1, arrivals=(0, 3, 6, 9, 12)),
)


def test_rbe_golden_schedule() -> None:
    """The burst keeps being served, with later deadlines."""
    segments, _ = simulate_rbe(RBE_EXAMPLE, 20)
    assert without_job_numbers(segments) == golden_runs("rbe_example.csv")


def test_rbe_golden_deadlines() -> None:
    """Deadlines and finishes of the example; the file counts events from 1."""
    _, rows = simulate_rbe(RBE_EXAMPLE, 20)
    names = ("j", "arrival", "deadline", "finish")
    expected = [(row["task"], *(int(row[name]) for name in names)) for row in read_golden("rbe_example_deadlines.csv")]
    assert [(task, number + 1, *rest) for task, number, *rest in rows] == expected


@given(rbe_sets())
@random_systems
def test_rbe_deadlines_never_descend_and_keep_the_rate(tasks: tuple[RbeTask, ...]) -> None:
    """D(j+1) >= D(j) and D(j+x) - D(j) >= y."""
    for task in tasks:
        found = deadlines(task)
        assert found == sorted(found)
        assert all(later - earlier >= task.y for earlier, later in zip(found, found[task.x :], strict=False))


def test_rbe_of_one_event_postpones_as_the_release_rule_does() -> None:
    """With x = 1 and d = y the deadline is max(t, last deadline) + y."""
    assert deadlines(RbeTask("T", 1, 4, 4, 1, (0, 1, 9, 10))) == [4, 8, 13, 17]


def test_rbe_ties_go_by_class_then_file_order() -> None:
    """Equal deadlines: hard before soft, then as in the file."""
    tasks = [
        RbeTask("S", 1, 9, 9, 1, (0,), "soft"),
        RbeTask("B", 1, 9, 9, 1, (0,)),
        RbeTask("A", 1, 9, 9, 1, (0,)),
    ]
    assert simulate_rbe(tasks, 9)[0] == [(0, 1, "B", 0), (1, 2, "A", 0), (2, 3, "S", 0)]


def has_miss(tasks: Iterable[RbeTask], *, preemptive: bool = True) -> bool:
    """True if EDF misses a deadline; long enough for all events."""
    tasks = list(tasks)
    horizon = max((arrival for task in tasks for arrival in task.arrivals), default=0) + sum(
        task.c * len(task.arrivals) for task in tasks
    )
    _, rows = simulate_rbe(tasks, horizon, preemptive=preemptive)
    return any(finish is None or finish > due for *_, due, finish in rows)


def densest(task: RbeTask, first: int, end: int) -> RbeTask:
    """Return a task in which x events arrive at once in every y ticks."""
    return replace(task, arrivals=tuple(sorted(list(range(first, end, task.y)) * task.x)))


@given(rbe_sets())
@random_systems
def test_rbe_feasible_means_no_miss_and_infeasible_means_one(tasks: tuple[RbeTask, ...]) -> None:
    """The preemptive test is exact: the densest arrivals are the worst ones."""
    if is_feasible(tasks):
        assert not has_miss(tasks)
        assert not has_miss(densest(task, 0, 72) for task in tasks)
    elif any(demand(tasks, length) > length for length in range(1, 73)):
        assert has_miss(densest(task, 0, 72) for task in tasks)


@given(rbe_sets())
@random_systems
def test_rbe_without_preemption_an_early_blocker_is_the_worst(tasks: tuple[RbeTask, ...]) -> None:
    """Feasible means no miss; if only the blocking is too long, one job a tick early makes somebody miss."""
    if is_feasible(tasks, preemptive=False):
        assert not has_miss(tasks, preemptive=False)
    elif is_feasible(tasks):
        attacks = [
            [replace(task, arrivals=(0,)) if task is blocker else densest(task, 1, 73) for task in tasks]
            for blocker in tasks
        ]
        assert any(has_miss(attack, preemptive=False) for attack in attacks)


def test_rbe_clamp_of_the_demand() -> None:
    """With d far beyond y a short interval demands nothing, not less than nothing."""
    assert demand([RbeTask("T", 1, 2, 6, 1)], 1) == 0


# ------------------------------------------------------------------------------------------------------ golden files

SOFT_AND_NONE = (soft("S1", 3, 20), soft("S2", 5, 50), none("N1", 80))
NOMINAL = System((hard("H1", 2, 10), hard("H2", 3, 15), *SOFT_AND_NONE))
OVERLOAD = System((hard("H1", 3, 10), hard("H2", 6, 15), *SOFT_AND_NONE))
MODE_CHANGE = System(
    (
        hard("H1", 2, 10, leaves=40),
        hard("H2", 3, 15, leaves=40),
        *SOFT_AND_NONE,
        hard("H1b", 3, 10, offset=40),
        hard("H2b", 6, 15, offset=40),
    )
)
OVERRUN = System((hard("H1", 3, 10), hard("H2", 6, 15, demand=(12, 6, 6)), *SOFT_AND_NONE))
EXTEND = unreserved(soft("A", 5, 10), hard("B", 5, 11), hard("X", 2, 5, offset=5))
LEAVE = unreserved(hard("A", 5, 10, leaves=5), hard("B", 5, 10), hard("X", 2, 4, offset=5))
REFILL = unreserved(soft("A", 3, 4, demand=(4, 3)), hard("B", 3, 7), hard("X", 2, 4, offset=1))
GOLDEN_RUNS = [
    pytest.param("rb_table1_nominal.csv", NOMINAL, 160, id="nominal"),
    pytest.param("rb_table2_overload.csv", OVERLOAD, 160, id="overload"),
    pytest.param("rb_modechange_ledger.csv", MODE_CHANGE, 260, id="modechange"),
    pytest.param("rb_overrun_hrt.csv", OVERRUN, 150, id="overrun"),
    pytest.param("rb_extend_ledger.csv", EXTEND, 80, id="extend"),
    pytest.param("rb_extend_naive.csv", replace(EXTEND, rule="naive"), 80, id="extend_naive"),
    pytest.param("rb_leave_ledger.csv", LEAVE, 40, id="leave"),
    pytest.param("rb_leave_naive.csv", replace(LEAVE, rule="naive"), 40, id="leave_naive"),
]


@pytest.mark.parametrize(("name", "system", "horizon"), GOLDEN_RUNS)
def test_golden(name: str, system: System, horizon: int) -> None:
    """The schedule is that of the file, and nobody holds more than the processor."""
    outcome = simulate(system, horizon)
    assert without_job_numbers(outcome.segments) == golden_runs(name)
    assert max(outcome.ledger) <= SCALE


def test_mode_change_enters_where_there_is_room() -> None:
    """H1b enters when H2's window ends, H2b when the window of N1 ends; nobody is late."""
    outcome = simulate(MODE_CHANGE, 260)
    assert instants(outcome, "H1b", "entered") == [45]
    assert instants(outcome, "H2b", "entered") == [80]
    assert not missed(outcome)


def test_shrinking_class_none_in_flight_lets_in_earlier() -> None:
    """The same mode change with a smaller budget for N1: H2b enters at 50 instead of 80."""
    outcome = simulate(replace(MODE_CHANGE, nrt_shrink=True), 260)
    assert instants(outcome, "H2b", "entered") == [50]
    assert not missed(outcome)


# -------------------------------------------------------------------------------------- 2.2 to 2.4: who gets what


def targets(system: System) -> dict[str, tuple[int, int, int]]:
    """Return rate, budget and period of all tasks of a system, as if all were admitted."""
    found = allocate(system, [request_of(task) for task in system.tasks])
    return {task.name: (it.rate, it.budget, it.period) for task, it in zip(system.tasks, found, strict=True)}


def request_of(task: Task) -> Request:
    """Return the request of a task."""
    return Request(task.class_, task.requested, task.window, task.weight)


def test_nominal_load_leaves_the_rest_to_class_none() -> None:
    """U = .65: nobody is stretched, and N1 has .35 of 80 ticks."""
    found = targets(NOMINAL)
    assert [found[name][1:] for name in ("H1", "H2", "S1", "S2", "N1")] == [
        (2, 10),
        (3, 15),
        (3, 20),
        (5, 50),
        (28, 80),
    ]
    assert found["N1"][0] == SCALE * 35 // 100


def test_overload_stretches_soft_periods() -> None:
    """s = 1.25: periods 25 and ceil(62.5); N1 has the reserve."""
    found = targets(OVERLOAD)
    assert [found[name][1:] for name in ("S1", "S2", "N1")] == [(3, 25), (5, 63), (8, 80)]
    assert sum(rate for rate, *_ in found.values()) == SCALE


def test_grid_rounds_stretched_periods_only() -> None:
    """Grid 5: 25 and 65; without overload a period stays as it is; the rates are not touched."""
    found = targets(replace(OVERLOAD, grid=5))
    assert (found["S1"][2], found["S2"][2]) == (25, 65)
    assert {name: row[0] for name, row in found.items()} == {name: row[0] for name, row in targets(OVERLOAD).items()}
    assert targets(System((soft("S", 1, 7),), grid=5))["S"][2] == 7


def test_nothing_is_reserved_for_class_none_where_there_is_none() -> None:
    """beta counts at admissions, but soft tasks may use it."""
    assert targets(System((soft("S", 19, 20),)))["S"] == (SCALE * 19 // 20, 19, 20)


@pytest.mark.parametrize(("wcet_1", "wcet_2"), [(3, 6), (5, 3), (1, 9)])
def test_all_simple_overloads_stretch_alike(wcet_1: int, wcet_2: int) -> None:
    """U_H = .7 by any wcets of the hard tasks."""
    found = targets(System((hard("H1", wcet_1, 10), hard("H2", wcet_2, 15), *SOFT_AND_NONE)))
    assert (found["S1"][2], found["S2"][2]) == (25, 63)


def test_weights_share_what_class_none_gets() -> None:
    """3 to 1 of the whole processor; a budget below one tick lengthens the period."""
    found = targets(System((none("N1", 80, weight=3), none("N2", 80), none("N3", 2, weight=1))))
    assert [found[name][1:] for name in ("N1", "N2", "N3")] == [(48, 80), (16, 80), (1, 5)]


def test_nothing_left_for_soft_tasks() -> None:
    """U_H + beta = 1: rate 0 for soft tasks, exactly beta for class none."""
    found = targets(System((hard("H", 9, 10), soft("S", 1, 10), none("N", 10))))
    assert found == {"H": (SCALE * 9 // 10, 9, 10), "S": (0, 0, 0), "N": (SCALE // 10, 1, 10)}


def admitted_of(system: System) -> list[str]:
    """Return the names of the tasks that are not rejected."""
    return [who for _, what, who, _ in simulate(system, 1).log if what == "admitted"]


def test_rounding_up_costs_the_seventeenth_task() -> None:
    """17 x ceil(S / 17) is more than S."""
    system = unreserved(*(hard(f"H{number}", 1, 17) for number in range(17)))
    assert admitted_of(system) == [f"H{number}" for number in range(16)]


def test_admission_keeps_beta_and_sigma_free() -> None:
    """The reserve counts while there is no task of class none; sigma is on top; exactly full is admitted."""
    assert admitted_of(System((hard("H", 10, 10),))) == []
    assert admitted_of(System((hard("H", 9, 10),))) == ["H"]
    assert admitted_of(System((hard("H", 9, 10),), sigma=Fraction(1, 20))) == []
    assert admitted_of(System((hard("H", 17, 20),), sigma=Fraction(1, 20))) == ["H"]


def test_a_short_deadline_counts_as_density() -> None:
    """C / min(D, P), for admission and reservation."""
    assert admitted_of(unreserved(hard("A", 2, 10, deadline=4), hard("B", 6, 10))) == ["A"]


def test_rejected_tasks_never_run() -> None:
    """The second does not fit, the third does."""
    outcome = simulate(unreserved(hard("A", 2, 4), hard("B", 3, 4), hard("C", 1, 2)), 8)
    assert instants(outcome, "B", "rejected") == [0]
    assert {row[2] for row in outcome.segments} == {"A", "C"}


def test_formula_3_as_corrected() -> None:
    """One task of class none beside U_H = .9 gets .1, not 1; a soft task takes from the reserve."""
    requests = [Request("none", 0, 10), Request("hard", 9, 10)]
    system = System((), FORMULA3)
    assert beta_of(system, requests) == SCALE // 10
    half = [Request("none", 0, 10), Request("soft", 1, 2)]
    assert beta_of(system, half) == -(-SCALE * 4 // 13)
    assert is_admitted(system, requests[:1], requests[1])


def test_formula_3_admits_no_more_than_the_processor() -> None:
    """Beyond U_H = 1 the formula is negative and would admit anything."""
    tasks = (none("N", 10), *(hard(f"H{number}", 1, 2) for number in range(3)))
    assert admitted_of(System(tasks, FORMULA3)) == ["N", "H0", "H1"]


@given(systems())
@random_systems
def test_targets_never_exceed_the_processor(system: System) -> None:
    """Rates are rounded so that they fit; what a rate serves in its period is at least the budget."""
    requests: list[Request] = []
    for task in system.tasks:
        requests += [request_of(task)] if is_admitted(system, requests, request_of(task)) else []
    found = allocate(system, requests)
    assert sum(target.rate for target in found) <= SCALE
    assert all(target.rate * target.period >= target.budget * SCALE for target in found)


# -------------------------------------------------------------------------------- 2.5: what looks obvious and is unsafe


def test_counter_example_a_leaving_at_once() -> None:
    """The bandwidth of a leaver that is ahead is not free yet: B misses 10."""
    assert missed(simulate(replace(LEAVE, rule="naive"), 40))[0] == ("B", 10)
    safe = simulate(LEAVE, 40)
    assert not missed(safe)
    assert instants(safe, "X", "entered") == [10]


def test_counter_example_b_extending_a_job_that_is_ahead() -> None:
    """A later deadline does not give back what was taken: B misses 11."""
    assert missed(simulate(replace(EXTEND, rule="naive"), 80)) == [("B", 11)]
    assert missed(simulate(replace(EXTEND, rule="naive-kept"), 80))[0] == ("B", 11)
    assert not missed(simulate(EXTEND, 80))


def test_counter_example_c_density_1() -> None:
    """Equation (9) as printed makes T2 miss 4; its period instead of its budget gives 6, which is met."""
    printed = [RbeTask("T1", 1, 2, 2, 1, (0, 2, 4)), RbeTask("T2", 1, 2, 2, 2, (2,))]
    assert simulate_rbe(printed, 6)[1][-1] == ("T2", 0, 2, 4, 5)
    outcome = simulate(unreserved(hard("T1", 1, 2), soft("T2", 2, 4, offset=2)), 8)
    assert ("T2", 0, 2, 6, 6, False, False) in outcome.jobs


# ------------------------------------------------------------------------------------------ 2.6 and 2.7: the events


def test_no_refill_while_a_decrease_is_pending() -> None:
    """X enters at 6, not at 3, and nobody is late."""
    outcome = simulate(REFILL, 60)
    assert instants(outcome, "X", "entered") == [6]
    assert not missed(outcome)


@pytest.mark.parametrize("created", [3, 4])
def test_refill_keeps_what_was_taken_in_mind(created: int) -> None:
    """A is refilled at 3, before X is created: the three ticks that it took still count, so X enters at 6."""
    system = unreserved(soft("A", 3, 4, demand=(4, 3)), hard("B", 3, 7), hard("X", 2, 4, offset=created))
    outcome = simulate(system, 60)
    assert instants(outcome, "A", "refilled") == [3]
    assert instants(outcome, "X", "entered") == [6]


def test_a_soft_job_that_needs_more_goes_on_with_a_later_deadline() -> None:
    """Demand 7 of 3 every 8: deadlines 8, 16, 24; the next job comes at 24."""
    outcome = simulate(unreserved(soft("S", 3, 8, demand=(7, 1))), 30)
    assert outcome.jobs == [("S", 0, 0, 24, 7, False, False), ("S", 1, 24, 32, 25, False, False)]
    assert instants(outcome, "S", "refilled") == [3, 6]


def test_a_soft_job_misses_its_requested_deadline_when_stretched() -> None:
    """Both kinds of misses: the adjusted deadline is met, the requested one is not."""
    outcome = simulate(unreserved(soft("S", 5, 10), hard("H", 7, 10)), 40)
    assert ("S", 1, 17, 34, 31, False, True) in outcome.jobs


def test_a_hard_task_that_overruns_waits_for_its_deadline() -> None:
    """A budget per window: the overrun is a miss, the jobs behind it run one window late each, none is skipped."""
    outcome = simulate(unreserved(hard("H", 2, 5, demand=(3, 1))), 20)
    assert outcome.segments == [(0, 2, "H", 0), (5, 6, "H", 0), (10, 11, "H", 1), (15, 17, "H", 2)]
    assert outcome.jobs[:2] == [("H", 0, 0, 10, 6, True, True), ("H", 1, 5, 15, 11, False, True)]
    assert instants(outcome, "H", "overrun") == [2, 17]


def test_a_short_window_lets_a_hard_task_catch_up() -> None:
    """The window after the overrun is a period, those of queued jobs are as short as the deadline."""
    outcome = simulate(unreserved(hard("H", 2, 10, deadline=4, demand=(3, 2, 2, 2))), 40)
    windows = [(release, due, finish) for _, _, release, due, finish, *_ in outcome.jobs]
    assert windows == [(0, 14, 5), (10, 18, 16), (20, 24, 22), (30, 34, 32)]


def test_overload_by_one_task_hurts_nobody_else() -> None:
    """S1 of 30 instead of 3: it alone is served late, by its own deadlines even that is no miss."""
    outcome = simulate(System((*NOMINAL.tasks[:2], soft("S1", 3, 20, demand=(30, 3)), *NOMINAL.tasks[3:])), 400)
    assert not missed(outcome)
    assert {row[0] for row in outcome.jobs if row[6]} == {"S1"}


def test_soft_tasks_are_suspended_and_come_back() -> None:
    """No rate from 10 on, when the window ends; a rate again when the hard task is gone."""
    outcome = simulate(unreserved(soft("S", 2, 10), hard("A", 5, 10), hard("B", 5, 10, offset=3, leaves=31)), 60)
    assert instants(outcome, "S", "suspended") == [10]
    assert instants(outcome, "B", "entered") == [10]
    assert instants(outcome, "S", "resumed") == [40]
    assert [row[2] for row in outcome.jobs if row[0] == "S"] == [0, 40, 50]
    assert not missed(outcome)


def test_a_task_that_waits_does_not_hold_up_others() -> None:
    """B needs what A gives back at 20; C fits at once."""
    tasks = (hard("A", 10, 20, leaves=1), hard("B", 6, 10, offset=1), hard("C", 1, 10, offset=1))
    outcome = simulate(unreserved(*tasks), 30)
    assert instants(outcome, "C", "entered") == [1]
    assert instants(outcome, "A", "left") == instants(outcome, "B", "entered") == [20]


def test_room_goes_to_hard_tasks_first() -> None:
    """S and H wait for the same half of the processor; H is later in the file and enters first."""
    tasks = (soft("S", 5, 10, offset=1), hard("A", 10, 20, leaves=1), hard("B", 15, 30, leaves=1))
    outcome = simulate(unreserved(*tasks, hard("H", 5, 10, offset=1)), 40)
    assert (instants(outcome, "H", "entered"), instants(outcome, "S", "entered")) == ([20], [30])


def test_a_task_that_never_entered_leaves_at_once() -> None:
    """It waits for A, and its rate is nobody's when it has gone."""
    outcome = simulate(unreserved(hard("A", 9, 10), soft("S", 1, 2), hard("B", 1, 10, offset=1, leaves=2)), 5)
    assert instants(outcome, "B", "entered") == []
    assert instants(outcome, "B", "left") == [2]


def test_a_job_that_leaves_finishes_first() -> None:
    """Asked at 1, it runs its job and goes when its share has caught up."""
    outcome = simulate(unreserved(hard("A", 4, 8, leaves=1), hard("B", 3, 6)), 24)
    assert ("A", 0, 0, 8, 7, False, False) in outcome.jobs
    assert instants(outcome, "A", "left") == [8]


def test_a_leaver_that_is_behind_goes_at_its_completion() -> None:
    """It demanded less than its budget: at 6 the share of 2 is there."""
    outcome = simulate(unreserved(soft("A", 6, 12, demand=2, leaves=1), hard("B", 1, 12)), 24)
    assert instants(outcome, "A", "left") == [4]


def test_a_backlogged_task_gives_up_at_the_end_of_its_chunk() -> None:
    """N has work for ever; with a decrease pending there is no refill, so H enters at the end of the window."""
    system = unreserved(none("N", 10, demand=1000), hard("H", 5, 10, offset=3), background=False)
    outcome = simulate(system, 40)
    assert instants(outcome, "H", "entered") == [10]
    assert instants(outcome, "N", "re-rated") == [10]
    assert runs(system, 25)[:3] == [(0, 10, "N"), (10, 15, "H"), (15, 20, "N")]


def test_class_none_uses_idle_ticks_without_budget() -> None:
    """Its chunk ended because it is to shrink; the idle ticks up to its deadline are its own, and free."""
    tasks = (none("N", 20, demand=1000), hard("A", 1, 2, leaves=24), hard("B", 8, 20, offset=24))
    with_it, without = (simulate(unreserved(*tasks, background=flag), 80) for flag in (True, False))
    busy = [sum(end - start for start, end, *_ in outcome.segments) for outcome in (with_it, without)]
    assert busy[0] == 80
    assert [row for row in with_it.log if row[1] == "entered"] == [row for row in without.log if row[1] == "entered"]


def test_the_background_is_not_charged() -> None:
    """u = 1/2 serves the budget of 9 by 18: N may depart then, however much it ran beside its budget."""
    tasks = (none("N", 19, demand=1000, leaves=3), hard("A", 5, 10, demand=1))
    assert instants(simulate(unreserved(*tasks), 40), "N", "left") == [18]


def test_a_budget_is_cut_in_flight_to_what_the_new_rate_serves() -> None:
    """H enters at 4; N has had 4 and gets half of the 16 ticks that are left."""
    outcome = simulate(unreserved(none("N", 20), hard("H", 5, 10, offset=4), nrt_shrink=True), 20)
    assert instants(outcome, "H", "entered") == [4]
    assert sum(end - start for start, end, *job in outcome.segments if job == ["N", 0]) == 12


def test_a_cut_forgets_a_share_that_was_not_used() -> None:
    """N is behind when it is cut at 8 and ahead when it finishes at 15: it departs at its deadline."""
    tasks = (hard("A", 10, 20), none("N", 20, leaves=9), hard("H", 1, 4, offset=8))
    outcome = simulate(unreserved(*tasks, nrt_shrink=True), 30)
    assert instants(outcome, "N", "re-rated") == [8]
    assert ("N", 0, 0, 20, 15, False, False) in outcome.jobs
    assert instants(outcome, "N", "left") == [20]


def test_class_none_waits_while_its_rate_is_not_worth_a_tick() -> None:
    """Cut to .4 at 1 and told at 2 that it may have all again; until H has gone, .4 of 2 ticks is nothing."""
    outcome = simulate(unreserved(none("N", 2), hard("H", 6, 10, offset=1, leaves=2), nrt_shrink=True), 13)
    assert [row[2:5] for row in outcome.jobs if row[0] == "N"] == [(0, 2, 1), (11, 13, 13)]


def test_compression_brings_the_deadline_forward() -> None:
    """Half the processor becomes free at 10: A, stretched, gets its requested rate in the middle of its window."""
    tasks = (soft("A", 8, 10, demand=8), hard("H", 5, 10, leaves=1))
    outcome = simulate(unreserved(*tasks, compression=True), 40)
    first = next(row for row in outcome.jobs if row[0] == "A")
    assert first[3:5] == (14, 13)
    assert next(row for row in simulate(unreserved(*tasks), 40).jobs if row[0] == "A")[3] == 16


def test_compression_is_for_active_jobs() -> None:
    """A has finished early when the rate becomes free: its next job comes when it was to come."""
    tasks = (soft("A", 8, 10, demand=1), hard("H", 5, 10, leaves=1))
    outcome = simulate(unreserved(*tasks, compression=True), 40)
    assert instants(outcome, "A", "re-rated") == [16]
    assert [row[2] for row in outcome.jobs if row[0] == "A"] == [0, 16, 26, 36]


def test_compression_never_makes_a_deadline_later() -> None:
    """H2 departs at 7, when A has not run yet: by its new rate A would be due at 11, but it was promised 10."""
    tasks = (soft("A", 2, 4), hard("H1", 5, 10), hard("H2", 3, 10, demand=2, leaves=1))
    outcome = simulate(unreserved(*tasks, compression=True), 20)
    assert instants(outcome, "H2", "left") == [7]
    assert next(row for row in outcome.jobs if row[0] == "A")[3] == 10


def test_extension_never_makes_a_deadline_earlier() -> None:
    """The grid has made the window much longer than the rate asks for."""
    tasks = (soft("S", 5, 10), hard("A", 11, 20), hard("B", 1, 20, offset=1))
    outcome = simulate(unreserved(*tasks, grid=100), 40)
    assert instants(outcome, "S", "re-rated") == [1]
    assert next(row for row in outcome.jobs if row[0] == "S")[3] == 100


def test_a_smaller_estimate_waits_for_the_boundary() -> None:
    """The job executed 2 of 4 and is not ahead at 5, but a new budget belongs to a new window."""
    outcome = simulate(unreserved(soft("S", 4, 10, demand=2, adapts=True), estimate_jobs=1), 30)
    assert instants(outcome, "S", "re-rated") == [10]


def test_a_smaller_estimate_needs_enough_jobs() -> None:
    """Three jobs, the last of which ends at 21."""
    outcome = simulate(unreserved(soft("S", 4, 10, demand=1, adapts=True), estimate_jobs=3), 40)
    assert instants(outcome, "S", "re-rated") == [30]


def test_the_estimate_follows_what_jobs_execute() -> None:
    """Up at once to 4, so that the second job needs no refill; down to 2 after three jobs of 2."""
    system = unreserved(soft("S", 2, 10, demand=(4, 4, 2, 2, 2, 2), adapts=True), estimate_jobs=3)
    outcome = simulate(system, 70)
    assert instants(outcome, "S", "refilled") == [2]
    assert [rate * 10 // SCALE for _, event, _, rate in outcome.log if event == "re-rated"] == [4, 2]


# --------------------------------------------------------------------------------------- requests for other parameters


def asking(task: Task, *requests: tuple[int, dict[str, Any]]) -> Task:
    """Return a task that requests other parameters at some instants."""
    return replace(task, requests=tuple((at, replace(task, **keys)) for at, keys in requests))


LOWERED = unreserved(
    asking(hard("A", 6, 10), (5, {"wcet": 1})), hard("X", 2, 4, offset=6), hard("B", 4, 10), rule="boundary"
)
"""A has had nearly all of its job when it asks for less; X, who wants that, enters when A's window has ended."""


def test_a_hard_task_gives_up_rate_at_the_end_of_its_window() -> None:
    """Given away at once, the rate makes B miss 10; the job that is asked for is the one of 10."""
    assert missed(simulate(replace(LOWERED, rule="naive"), 40))[0] == ("B", 10)
    for rule in ("boundary", "in-flight"):
        safe = simulate(replace(LOWERED, rule=rule), 40)
        assert not missed(safe)
        assert instants(safe, "X", "entered") == instants(safe, "A", "in force") == [10]
        assert [end - start for start, end, *who in safe.segments if who == ["A", 1]] == [1]


def test_a_hard_request_that_does_not_fit_changes_nothing() -> None:
    """It is told, and all else is as if nobody had asked."""
    plain = unreserved(hard("A", 5, 10), hard("B", 4, 10))
    asked = simulate(replace(plain, tasks=(asking(plain.tasks[0], (3, {"wcet": 7})), plain.tasks[1])), 40)
    assert instants(asked, "A", "rejected") == [3]
    assert asked.segments == simulate(plain, 40).segments


def test_a_hard_request_for_less_is_never_refused() -> None:
    """Three soft tasks that leave make beta grow by formula 3, so that what is there would not be admitted now."""
    leavers = [soft(f"S{number}", 1, 100, leaves=10) for number in range(3)]
    system = System((*leavers, asking(hard("A", 75, 100), (20, {"wcet": 74}))), beta=FORMULA3, sigma=TENTH)
    assert not is_admitted(system, [], Request("hard", 74, 100))
    assert instants(simulate(system, 200), "A", "in force") == [100]


def test_a_hard_task_waits_for_more_with_what_it_has() -> None:
    """S gives up at 20; A has a window of 10 to 20 with its old budget, and is late by neither deadline."""
    system = unreserved(asking(hard("A", 2, 10), (5, {"wcet": 6})), soft("S", 16, 20), rule="boundary")
    outcome = simulate(system, 60)
    assert instants(outcome, "A", "in force") == [20]
    executed = [sum(end - start for start, end, *who in outcome.segments if who == ["A", job]) for job in range(4)]
    assert executed == [2, 2, 6, 6]
    assert not any(row[5] or row[6] for row in outcome.jobs if row[0] == "A")


def test_the_period_after_a_request_begins_with_the_next_release() -> None:
    """The window of A ends at 4, and what it asked for at 6 is in force then; its next release stays that of 10."""
    outcome = simulate(unreserved(asking(hard("A", 2, 10, deadline=4), (6, {"period": 20, "deadline": 5}))), 60)
    assert instants(outcome, "A", "in force") == [6]
    assert [(row[2], row[3]) for row in outcome.jobs] == [(0, 4), (10, 15), (30, 35), (50, 55)]


def test_jobs_that_wait_have_the_parameters_of_their_releases() -> None:
    """A's first job needs three windows; those of 10 and 20 wait behind it, and later ones come every 20."""
    late = asking(hard("A", 2, 10, demand=(6, 1, 1, 1)), (12, {"period": 20}))
    outcome = simulate(unreserved(late), 100)
    assert [row[2] for row in outcome.jobs] == [0, 10, 20, 40, 60, 80]


def test_a_soft_task_asks_for_less_and_others_are_restored() -> None:
    """Overloaded, both are stretched; when S asks for half its rate, both get what they ask for."""
    system = unreserved(asking(soft("S", 6, 10), (30, {"period": 20})), soft("T", 6, 10), rule="boundary")
    outcome = simulate(system, 120)
    assert [row[3] for row in outcome.log if row[1] == "entered"] == [SCALE // 2, SCALE // 2]
    assert [row[::2] + row[3:] for row in outcome.log if row[1] == "re-rated"] == [
        (36, "S", SCALE * 3 // 10),
        (36, "T", SCALE * 6 // 10),
    ]
    assert not missed(outcome)


def test_a_soft_task_that_is_not_ahead_gives_up_what_it_asks_for_in_flight() -> None:
    """S has not run yet: its window, up to 10, is extended to where the lower rate serves its budget."""
    system = unreserved(hard("H", 5, 10), asking(soft("S", 4, 10), (2, {"period": 40})))
    outcome = simulate(system, 60)
    assert instants(outcome, "S", "in force") == [2]
    assert next(row[3] for row in outcome.jobs if row[0] == "S") == 2 + 40


def test_weights_are_asked_for() -> None:
    """At the end of its window each has its new part."""
    outcome = simulate(unreserved(asking(none("N", 20), (5, {"weight": 3})), none("M", 20)), 60)
    assert [row[3] for row in outcome.log if row[1] == "re-rated"] == [SCALE // 4, SCALE * 3 // 4]


def test_a_new_wcet_begins_an_estimate_anew() -> None:
    """The job that ran for 4 before does not count any more when 3 is asked for; a new period keeps the estimate."""
    task = soft("S", 2, 20, demand=(4, 3, 3, 3), adapts=True)
    system = unreserved(asking(task, (50, {"wcet": 3, "demand": (3,)})), estimate_jobs=2, rule="boundary")
    rates = [rate * 20 // SCALE for _, event, _, rate in simulate(system, 120).log if event == "re-rated"]
    assert rates == [4, 3]
    kept = simulate(replace(system, tasks=(asking(task, (50, {"period": 40})),)), 120)
    assert [rate * 40 // SCALE for _, event, _, rate in kept.log if event == "re-rated"] == [8, 4, 3]


def test_what_is_asked_before_an_entry_is_what_enters() -> None:
    """Nothing is judged before; what is asked at the instant of the entry is judged after it."""
    early = simulate(unreserved(asking(hard("A", 5, 10, offset=5), (3, {"wcet": 2}))), 20)
    assert [row for row in early.log if row[1] != "entered"] == [(5, "admitted", "A", 0)]
    assert early.log[-1] == (5, "entered", "A", SCALE // 5)
    same = simulate(unreserved(asking(hard("A", 5, 10, offset=5), (5, {"wcet": 2}))), 20)
    assert [row[:2] for row in same.log] == [(5, "admitted"), (5, "admitted"), (5, "entered")]


# ------------------------------------------------------------------------------------------------------- invariants


@given(systems(overruns=False, adapts=False))
@random_systems
def test_nobody_is_late_when_nobody_overruns(system: System) -> None:
    """Whoever enters or leaves, and whenever."""
    outcome = simulate(system, HORIZON)
    assert not missed(outcome)
    assert max(outcome.ledger) <= SCALE


@given(systems())
@random_systems
def test_only_a_hard_job_that_overruns_is_late(system: System) -> None:
    """Isolation: every miss is of a hard job that demands more than its wcet; the ledger is kept."""
    outcome = simulate(system, HORIZON)
    overrunning = {task.name for task in system.tasks if task.class_ == "hard" and may_overrun(task)}
    assert {name for name, *_, is_missed, _ in outcome.jobs if is_missed} <= overrunning
    assert max(outcome.ledger) <= SCALE


def versions(task: Task) -> list[Task]:
    """Return all that a task may ever be."""
    return [task, *(version for _, version in task.requests)]


def may_overrun(task: Task) -> bool:
    """True if some job may demand more than its wcet."""
    return any((one.demand_of(number) or 0) > one.requested for one in versions(task) for number in range(MAX_DEMANDS))


@given(systems())
@random_systems
def test_traces_make_sense(system: System) -> None:
    """Segments follow one another; jobs run after their release, to their finish, as much as they demand."""
    outcome = simulate(system, HORIZON)
    assert all(first[1] <= second[0] for first, second in zip(outcome.segments, outcome.segments[1:], strict=False))
    specs = {task.name: versions(task) for task in system.tasks}
    for name, number, release, _, finish, _, _ in outcome.jobs:
        own = [segment for segment in outcome.segments if segment[2:] == (name, number)]
        assert all(start >= release for start, *_ in own)
        if finish is not None:
            assert all(end <= finish for _, end, *_ in own)
            demanded = [one.demand_of(number) for one in specs[name]]
            assert None in demanded or sum(end - start for start, end, *_ in own) in demanded


@given(systems(overruns=False, adapts=False, options=False, requests=0), st.sampled_from(["hard", "soft"]))
@random_systems
def test_nothing_but_edf_without_overload_and_without_change(system: System, class_: str) -> None:
    """Periodic tasks that fit get the releases and deadlines that they asked for."""
    tasks = [
        replace(task, class_=class_, wcet=task.wcet or 1, weight=1, offset=0, leaves=None) for task in system.tasks
    ]
    tasks = [replace(task, deadline=task.deadline if class_ == "hard" else None, demand=None) for task in tasks]
    if sum(request_of(task).rate for task in tasks) <= SCALE:
        outcome = simulate(unreserved(*tasks), HORIZON)
        for name, number, release, due, *_ in outcome.jobs:
            task = next(task for task in tasks if task.name == name)
            assert (release, due) == (number * task.period, number * task.period + task.window)


@st.composite
def experiments(draw: st.DrawFn) -> System:
    """Return a set like that of the experiment: two hard, two soft tasks, one of class none; U from .7 to 1.1."""
    percent = draw(st.integers(60, 100))
    factors = [Fraction(draw(st.integers(7, 13)), 10) for _ in range(4)]
    rates = [Fraction(1, 5) * factors[0], Fraction(1, 5) * factors[1], Fraction(3, 20) * factors[2], factors[3] / 10]
    scale = Fraction(percent, 100) / sum(rates)
    wcets = [max(1, int(rate * scale * length)) for rate, length in zip(rates, (100, 150, 200, 500), strict=True)]
    names = ((hard, "H1", 100), (hard, "H2", 150), (soft, "S1", 200), (soft, "S2", 500))
    made = [make(name, wcet, period) for (make, name, period), wcet in zip(names, wcets, strict=True)]
    return System((*made, none("N", 800, demand=draw(st.sampled_from([None, 80])))), TENTH)


@given(experiments())
@tries(8)
def test_experiment_hard_tasks_are_never_late_and_others_keep_their_periods(system: System) -> None:
    """Invariants of the experiment: no miss up to 110 %, responses within the adjusted periods."""
    outcome = simulate(system, 3200)
    stretched = targets(system)
    assert not missed(outcome)
    assert all(finish - release <= stretched[name][2] for name, _, release, _, finish, *_ in outcome.jobs if finish)
