# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What servers supply, and the tests inside them, against brute force and the formulas taken literally."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from functools import partial
from typing import Any

import pytest
from analysis_oracle import supplies
from analysis_oracle.supplies import Task
from columns import column
from sampling import count, expect_cases
from server_systems import known
from takt import _analysis as analysis


def columns(tasks: list[Task]) -> dict[str, Any]:
    names = ("wcet", "period", "deadline", "jitter")
    return {"kind": column([analysis.TASK] * len(tasks))} | {
        name: column([getattr(task, name) for task in tasks]) for name in names
    }


def terms(tasks: list[Task]) -> dict[str, Any]:
    return {name: column([getattr(task, name) for task in tasks]) for name in ("blocking", "last")}


def share(tasks: list[Task]) -> Fraction:
    return sum((Fraction(task.wcet, task.period) for task in tasks), Fraction(0))


def supply_of(period: int, budget: int, response: int | None = None) -> tuple[int, int, int, int]:
    return analysis.make_supply(period, budget, period if response is None else response)


def draw_supply(numbers: random.Random) -> tuple[int, int, int, int]:
    period = numbers.randint(1, 8)
    budget = numbers.randint(1, period)
    response = numbers.randint(budget, period)
    return analysis.make_supply(period, budget, response, is_polling=numbers.random() < 0.3)


def draw_tasks(numbers: random.Random, largest: int = 24) -> list[Task]:
    tasks = []
    for _ in range(numbers.randint(1, 4)):
        period = numbers.randint(3, largest)
        wcet = numbers.randint(1, max(1, period // 4))
        deadline = numbers.randint(wcet, 2 * period)
        jitter = numbers.choice([0, 0, numbers.randint(0, period)])
        tasks.append(Task(wcet, period, deadline, jitter, numbers.choice([0, 0, 1, 3]), numbers.randint(1, wcet)))
    return tasks


# ---- supply --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("period", range(1, 7))
def test_bound_is_the_least_supply_over_all_patterns_and_beginnings(period: int) -> None:
    for budget in range(1, period + 1):
        for response in range(budget, period + 1):
            supply = supply_of(period, budget, response)
            for t in range(3 * period + 1):
                assert analysis.supply_bound(supply, t) == supplies.least_supply(period, budget, response, t)


def test_bound_and_its_inverse_are_those_of_the_specification() -> None:
    for period in range(1, 13):
        for budget in range(1, period + 1):
            supply = supply_of(period, budget)
            for t in range(5 * period):
                assert analysis.supply_bound(supply, t) == supplies.sbf(period, budget, t)
                refined = supplies.refined_sbf(period, budget, supply[2], t)
                assert analysis.supply_bound(supply, t) == refined


def test_inverse_is_the_least_time_that_has_the_demand() -> None:
    numbers = random.Random(1)
    for _ in range(count(200)):
        period, budget, gap, _ = draw_supply(numbers)
        supply = (period, budget, gap, numbers.choice([0, 3]))
        for demand in range(3 * budget + 2):
            time = analysis.supply_time(supply, demand)
            assert time is not None
            assert analysis.supply_bound(supply, time) >= demand
            assert time == 0 or analysis.supply_bound(supply, time - 1) < demand


def test_inverse_beyond_64_bits_is_none() -> None:
    most = analysis.TIME_MAX
    assert analysis.supply_time((most, 1, most, 0), 3) is None
    assert analysis.supply_time((most, most, 0, most), 2) == most + 2
    assert analysis.supply_bound((most, 1, most, 0), 2 * most) == 1


# ---- fixed priorities ----------------------------------------------------------------------------------------


def test_responses_in_a_server_are_those_found_tick_by_tick() -> None:
    numbers = random.Random(2)
    bounded = unbounded = 0
    for _ in range(count(400)):
        tasks, supply = draw_tasks(numbers), draw_supply(numbers)
        record = analysis.Tasks(**columns(tasks), **terms(tasks), supply=supply)
        found = known(analysis.fp_responses(record, effort=20000)[0])
        for place, ticks in enumerate(found):
            expected = supplies.response(tasks, place, partial(analysis.supply_bound, supply), 600)
            is_bounded = share(tasks[: place + 1]) <= Fraction(supply[1], supply[0])
            assert ticks == (expected if is_bounded else None)
            bounded += is_bounded
            unbounded += not is_bounded
    expect_cases(min(bounded, unbounded) > count(400) // 20)


@pytest.mark.parametrize(
    ("tasks", "supply", "expected"),
    [
        ([Task(2, 15, 15), Task(4, 20, 20)], (20, 10, 20), [22, 28]),
        ([Task(2, 15, 15), Task(4, 20, 20)], (20, 10, 10), [12, 18]),
        ([Task(10, 60, 60)], (40, 15, 40), [60]),
        ([Task(10, 60, 60)], (40, 15, 35), [55]),
    ],
)
def test_tables_one_and_two(tasks: list[Task], supply: tuple[int, int, int], expected: list[int]) -> None:
    record = analysis.Tasks(**columns(tasks), supply=analysis.make_supply(*supply))
    assert known(analysis.fp_responses(record)[0]) == expected


def test_a_whole_processor_used_up_is_looked_at_for_a_hyperperiod() -> None:
    tasks = [Task(1, 2, 2), Task(1, 4, 4, blocking=1), Task(1, 4, 9, blocking=1)]
    assert known(analysis.fp_responses(analysis.Tasks(**columns(tasks), **terms(tasks)), effort=1000)[0]) == [1, 4, 8]


def test_overload_is_unbounded_and_no_effort_undecided() -> None:
    tasks = [Task(3, 5, 5)]
    assert analysis.fp_responses(analysis.Tasks(**columns(tasks), supply=supply_of(2, 1)))[0] == [analysis.UNBOUNDED]
    assert analysis.fp_responses(analysis.Tasks(**columns(tasks)), effort=1)[0] == [analysis.UNKNOWN]
    assert analysis.edf_demand(analysis.Tasks(**columns([Task(3, 5, 3)] * 2)), effort=0)[0] == analysis.UNDECIDED


# ---- EDF -----------------------------------------------------------------------------------------------------


def columns_of_steps(steps: list[tuple[int, int]]) -> dict[str, Any]:
    return {"step_from": column([begin for begin, _ in steps]), "step_ticks": column([ticks for _, ticks in steps])}


def blocking_at(steps: list[tuple[int, int]], window: int) -> int:
    return next((ticks for begin, ticks in reversed(steps) if begin <= window), 0)


def windows_of(tasks: list[Task], supply: tuple[int, int, int, int]) -> int:
    """After this window all repeats, or demand is below supply."""
    hyperperiod = math.lcm(supply[0], *(task.period for task in tasks))
    return 2 * hyperperiod + 2 * max(task.deadline for task in tasks) + 4 * supply[0] + 200


def test_demand_in_a_server_fails_in_the_windows_found_one_by_one() -> None:
    numbers = random.Random(3)
    verdicts = {analysis.SCHEDULABLE: 0, analysis.UNSCHEDULABLE: 0}
    for _ in range(count(400)):
        tasks, supply = (
            [t._replace(period=numbers.choice([4, 6, 8, 12])) for t in draw_tasks(numbers)],
            draw_supply(numbers),
        )
        steps = sorted({numbers.randint(0, 30): numbers.randint(0, 3) for _ in range(numbers.randint(0, 3))}.items())
        verdict, window, demand, supplied = analysis.edf_demand(
            analysis.Tasks(**columns(tasks), **columns_of_steps(steps), supply=supply)
        )
        failing = supplies.failing_windows(
            tasks,
            partial(blocking_at, steps),
            partial(analysis.supply_bound, supply),
            windows_of(tasks, supply),
        )
        is_overloaded = share(tasks) > Fraction(supply[1], supply[0])
        assert verdict == (analysis.UNSCHEDULABLE if failing or is_overloaded else analysis.SCHEDULABLE)
        verdicts[verdict] += 1
        assert is_overloaded == (verdict == analysis.UNSCHEDULABLE and demand == 0)
        if demand:
            longest = max([ticks for _, ticks in steps], default=0)
            busy = supplies.busy_period(
                tasks, longest, partial(analysis.supply_bound, supply), windows_of(tasks, supply)
            )
            assert window in failing
            assert (
                window >= max(w for w in failing if w <= busy)
                or share(tasks) == Fraction(supply[1], supply[0])
                or any(task.jitter > task.deadline for task in tasks)
            )
            assert demand == supplies.demand(tasks, window) + blocking_at(steps, window)
            assert supplied == analysis.supply_bound(supply, window) < demand
    expect_cases(min(verdicts.values()) > count(400) // 10)
