# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Priorities, final regions and thresholds are found whenever trying all of them finds any."""

from __future__ import annotations

import random
from collections import Counter
from itertools import permutations

from analysis_oracle import assignment
from analysis_oracle.fixed_priority import Task, chain
from columns import Column, column
from hypothesis import given
from hypothesis import strategies as st
from sampling import expect_cases, tries
from takt import _analysis
from takt._analysis import Tasks

Plan = list[tuple[int, Task]]
SEEDS = st.integers(0, 2**32)

seen: Counter[object] = Counter()


def columns(plan: Plan) -> tuple[Column, Column, Column, Column]:
    """The columns of a plan."""
    wcet = column([task.wcet for _, task in plan])
    period = column([task.period for _, task in plan])
    deadline = column([deadline for deadline, _ in plan])
    return wcet, period, deadline, column([task.jitter for _, task in plan])


def split(wcet: int, generator: random.Random) -> list[int]:
    """Subjobs."""
    first = generator.randint(1, wcet)
    return [first, *split(wcet - first, generator)] if first < wcet else [wcet]


def draw(seed: int, count: int, most: int) -> Plan:
    """Tasks of wcets up to `most` with deadlines around their periods, loaded so that some fit and some do not."""
    generator = random.Random(seed)
    plan = []
    for _ in range(count):
        wcet = generator.randint(1, most)
        period = max(wcet, round(wcet * count / generator.uniform(0.5, 1.3)))
        deadline = generator.randint(wcet, period + period // 2)
        kind = generator.choice(["preemptive", "non-preemptive", "deferred"])
        lengths = {"preemptive": [1] * wcet, "non-preemptive": [wcet], "deferred": split(wcet, generator)}[kind]
        plan.append((deadline, Task(period, chain(*lengths), 0, generator.choice([0, 0, 1, 3]))))
    return plan


def draw_tight(seed: int, count: int, most: int) -> Plan:
    """Tasks that nearly fill the processor, shorter deadlines first: often they fit only with limited preemption."""
    generator = random.Random(seed)
    plan = []
    for _ in range(count):
        wcet = generator.randint(1, most)
        period = max(wcet, round(wcet * count / generator.uniform(0.75, 1.15)))
        jitter = 1 if generator.random() < 0.1 else 0
        plan.append((max(wcet, period + generator.choice([-2, -1, 0, 0, 1])), Task(period, chain(wcet), 0, jitter)))
    return sorted(plan, key=lambda task: task[0])


# ---- priorities ------------------------------------------------------------------------------------------------


@tries(200)
@given(SEEDS)
def check_orders(seed: int) -> None:
    plan = draw(seed, 1 + seed % 4, 6)
    extra = [random.Random(seed + i).choice([0, 0, 1, 2]) for i in range(len(plan))]
    longest = column([max(task.graph.lengths) for _, task in plan])
    last = column([task.graph.lengths[-1] for _, task in plan])
    verdict, order = _analysis.assign_priorities(
        Tasks(*columns(plan), blocking=column(extra), longest=longest, last=last)
    )
    possible = set(assignment.orders(plan, extra))
    assert (verdict == _analysis.SCHEDULABLE) == bool(possible), plan
    if possible:
        assert tuple(order) in possible
    seen["some" if 0 < len(possible) < len(list(permutations(order))) else len(possible) > 0] += 1


def test_an_order_is_found_if_there_is_any() -> None:
    seen.clear()
    check_orders()
    expect_cases(min(seen["some"], seen[True], seen[False]) > sum(seen.values()) / 20)


def test_an_order_that_fits_is_kept() -> None:
    tasks = Tasks(column([1, 1, 1]), column([9, 9, 9]), column([9, 9, 9]))
    assert _analysis.assign_priorities(tasks) == (_analysis.SCHEDULABLE, [0, 1, 2])


def test_only_deferred_preemption_fits_the_example_of_the_specification() -> None:
    wcet, period, regions = column([2, 7]), column([5, 12]), column([2, 4])
    tasks, whole, cut = (Tasks(wcet, period, longest=each, last=each) for each in (None, wcet, regions))
    assert _analysis.assign_priorities(tasks)[0] == _analysis.UNSCHEDULABLE
    assert _analysis.assign_priorities(whole)[0] == _analysis.UNSCHEDULABLE
    assert _analysis.assign_priorities(cut) == (_analysis.SCHEDULABLE, [0, 1])
    assert _analysis.assign_thresholds(tasks)[0] == _analysis.UNSCHEDULABLE
    verdict, order, final = _analysis.assign_final_regions(tasks)
    assert (verdict, order, list(final)) == (_analysis.SCHEDULABLE, [0, 1], [1, 2])


# ---- final regions -----------------------------------------------------------------------------------------------


@tries(200)
@given(SEEDS)
def check_final_regions(seed: int) -> None:
    plan = draw_tight(seed, 2 + seed % 2, 5)
    possible = set(assignment.final_regions(plan))
    verdict, regions = _analysis.final_regions(Tasks(*columns(plan)))
    assert (verdict == _analysis.SCHEDULABLE) == bool(possible), plan
    if possible:
        assert tuple(regions) in possible
        assert list(regions) == [min(choice[i] for choice in possible) for i in range(len(plan))]
    seen[bool(possible) and max(regions) > 1, bool(possible)] += 1


def test_final_regions_are_the_smallest_of_all_that_fit() -> None:
    seen.clear()
    check_final_regions()
    expect_cases(min(seen[True, True], seen[False, True], seen[False, False]) > sum(seen.values()) / 20)


@tries(120)
@given(SEEDS)
def check_final_regions_with_orders(seed: int) -> None:
    plan = draw_tight(seed, 2 + seed % 2, 4)
    random.Random(seed).shuffle(plan)
    fitting = {
        order: set(assignment.final_regions([plan[i] for i in order])) for order in permutations(range(len(plan)))
    }
    verdict, order, regions = _analysis.assign_final_regions(Tasks(*columns(plan)))
    assert (verdict == _analysis.SCHEDULABLE) == any(fitting.values()), plan
    if verdict == _analysis.SCHEDULABLE:
        assert tuple(int(regions[i]) for i in order) in fitting[tuple(order)]
    seen[any(fitting.values()), all(fitting.values())] += 1


def test_final_regions_and_an_order_are_found_if_there_are_any() -> None:
    seen.clear()
    check_final_regions_with_orders()
    expect_cases(min(seen[True, True], seen[True, False], seen[False, False]) > sum(seen.values()) / 20)


@tries(400)
@given(SEEDS)
def check_orders_of_more_tasks(seed: int) -> None:
    """Whether regions fit an order is tested above."""
    plan = draw_tight(seed, 4 + seed % 2, 12)
    wcet, period, deadline, jitter = columns(plan)
    verdict, order, regions = _analysis.assign_final_regions(Tasks(wcet, period, deadline, jitter))
    fitting = 0
    for tried in permutations(range(len(plan))):
        at = list(tried)
        fitting += (
            _analysis.final_regions(Tasks(wcet[at], period[at], deadline[at], jitter[at]))[0] == _analysis.SCHEDULABLE
        )
    assert (verdict == _analysis.SCHEDULABLE) == (fitting > 0), plan
    if fitting:
        assert (
            _analysis.final_regions(Tasks(wcet[order], period[order], deadline[order], jitter[order]))[1]
            <= regions[order]
        ).all()
    seen[fitting > 0, fitting > 4] += 1


def test_an_order_with_final_regions_is_found_for_more_tasks_too() -> None:
    seen.clear()
    check_orders_of_more_tasks()
    expect_cases(min(seen[True, True], seen[True, False], seen[False, False]) > sum(seen.values()) / 20)


# ---- thresholds --------------------------------------------------------------------------------------------------


@tries(200)
@given(SEEDS)
def check_thresholds(seed: int) -> None:
    plan = draw_tight(seed, 2 + seed % 3, 6)
    possible = set(assignment.thresholds(plan))
    verdict, over = _analysis.assign_thresholds(Tasks(*columns(plan)))
    assert (verdict == _analysis.SCHEDULABLE) == bool(possible), plan
    if possible:
        assert tuple(over) in possible
        assert over == [max(choice[i] for choice in possible) for i in range(len(plan))]
        check_greatest(plan, possible, over)
    seen[bool(possible), over != list(range(len(plan)))] += 1


def check_greatest(plan: Plan, possible: set[tuple[int, ...]], least: list[int]) -> None:
    """No threshold can be raised by one more."""
    verdict, over = _analysis.assign_thresholds(Tasks(*columns(plan)), is_greatest=True)
    assert verdict == _analysis.SCHEDULABLE
    assert tuple(over) in possible
    assert all(greatest <= lowest for greatest, lowest in zip(over, least, strict=True))
    raised = [(*over[:i], over[i] - 1, *over[i + 1 :]) for i in range(len(over))]
    assert not any(choice in possible for choice in raised)
    seen["raised"] += over != least


def test_thresholds_are_found_if_there_are_any_the_lowest_and_the_greatest() -> None:
    seen.clear()
    check_thresholds()
    expect_cases(min(seen[True, True], seen[True, False], seen[False, True], seen["raised"]) > sum(seen.values()) / 30)


def test_the_example_of_the_specification_needs_thresholds() -> None:
    tasks = Tasks(column([2, 2, 4]), column([4, 10, 14]), column([4, 10, 14]))
    assert _analysis.assign_priorities(tasks)[0] == _analysis.UNSCHEDULABLE
    assert _analysis.assign_thresholds(tasks) == (_analysis.SCHEDULABLE, [0, 0, 1])


# ---- what cannot be decided ----------------------------------------------------------------------------------------


def test_without_effort_nothing_is_decided() -> None:
    tasks = Tasks(column([2, 7]), column([5, 12]), column([5, 12]))
    assert _analysis.assign_priorities(tasks, effort=1)[0] == _analysis.UNDECIDED
    for choose in (_analysis.final_regions, _analysis.assign_final_regions, _analysis.assign_thresholds):
        assert choose(tasks, effort=1)[0] == _analysis.UNDECIDED


def test_any_effort_gives_the_verdict_or_none() -> None:
    tasks = Tasks(column([2, 2, 4]), column([4, 10, 14]), column([4, 10, 14]))
    for choose in (_analysis.final_regions, _analysis.assign_final_regions, _analysis.assign_thresholds):
        verdicts = [choose(tasks, effort=effort)[0] for effort in range(400)]
        assert set(verdicts) == {_analysis.UNDECIDED, _analysis.SCHEDULABLE}
        assert verdicts == sorted(verdicts, reverse=True)
