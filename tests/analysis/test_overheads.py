# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Bounds with the kernel's own work are never below what is simulated, and the plain ones if nothing costs anything."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass

import numpy as np
import pytest
import takt
from analysis_oracle import overheads
from columns import Column, column
from hypothesis import given
from hypothesis import strategies as st
from sampling import expect_cases, tries
from takt import _analysis
from takt._analysis import Tasks

Costs = tuple[int, ...]
SEEDS = st.integers(0, 2**32)
HORIZON = 3000

seen: Counter[object] = Counter()


@dataclass(frozen=True)
class Plan:
    """A task of a random system: its body has runs and, if it is not preemptive, points."""

    period: int
    deadline: int
    jitter: int
    runs: tuple[int, ...]
    is_preemptive: bool
    optional: int
    """How many of the points in the first run are optional; they are ticks of it."""

    @property
    def wcet(self) -> int:
        """What a job executes."""
        return sum(self.runs)


def draw_costs(generator: random.Random) -> Costs:
    """Costs, some of them 0."""
    context_switch, release, scheduling, point = (generator.choice([0, 0, 1, 2, 3, 6]) for _ in range(4))
    tick = generator.choice([0, 0, 1, 2])
    tick_period = tick and generator.randint(10, 60)
    return context_switch, release, scheduling, point, tick, tick_period, generator.choice([0, 0, 1, 4, 9])


def draw_plan(generator: random.Random, count: int) -> Plan:
    """A task."""
    period = generator.randint(15, 150)
    wcet = max(1, round(period * generator.uniform(0.1, 0.9) / count))
    runs = []
    while wcet > 0:
        runs.append(generator.randint(1, wcet))
        wcet -= runs[-1]
    is_preemptive = generator.random() < 0.5
    deadline = generator.choice([period, generator.randint(period // 3, 3 * period // 2)])
    jitter = generator.choice([0, 0, 1, 9])
    is_whole = is_preemptive or generator.random() < 0.3
    optional = 0 if is_preemptive else generator.choice([0, 0, 1])
    return Plan(period, deadline, jitter, (sum(runs),) if is_whole else tuple(runs), is_preemptive, optional)


def draw(seed: int) -> tuple[list[Plan], Costs, random.Random]:
    """A system."""
    generator = random.Random(seed)
    count = generator.randint(1, 5)
    return [draw_plan(generator, count) for _ in range(count)], draw_costs(generator), generator


def task_of(place: int, plan: Plan, priority: int, generator: random.Random) -> takt.Task:
    """The task that is simulated, from some offset on."""
    body = [item for run in plan.runs for item in (f"run {run}", "point")][:-1]
    if plan.optional:
        body = ["optional point", *body]
    demand = [generator.randint(1, plan.wcet), plan.wcet, plan.wcet]
    is_plain = plan.is_preemptive or len(body) == 1
    return takt.Task(
        name=f"T{place}",
        period=plan.period,
        deadline=plan.deadline,
        jitter=plan.jitter,
        priority=priority,
        offset=generator.choice([0, generator.randint(0, 9), generator.randint(0, plan.period)]),
        wcet=plan.wcet if is_plain else None,
        demand=demand if is_plain and generator.random() < 0.3 else None,
        body=None if is_plain else body,
        preemption="preemptive" if plan.is_preemptive else "non-preemptive",
    )


def simulate(plans: list[Plan], costs: Costs, policy: str, generator: random.Random) -> takt.Result:
    """Run a system, the first task being the most urgent under fp."""
    names = ("context_switch", "release", "scheduling", "point", "tick", "tick_period", "wake_up")
    paid = {name: cost for name, cost in zip(names, costs, strict=True) if cost > 0}
    tasks = [task_of(i, plan, len(plans) - i, generator) for i, plan in enumerate(plans)]
    system = takt.System(tasks=tasks, policy=policy, platform=takt.Platform(**paid), seed=generator.randrange(2**32))
    return takt.simulate(system, horizon=HORIZON)


@dataclass(frozen=True)
class Columns:
    """A system as the analysis takes it."""

    wcet: Column
    period: Column
    deadline: Column
    jitter: Column
    longest: Column
    last: Column
    points: Column


def columns(plans: list[Plan], costs: Costs) -> Columns:
    """Optional points are execution."""
    regions = [[run + plan.optional * costs[3] * (i == 0) for i, run in enumerate(plan.runs)] for plan in plans]
    return Columns(
        wcet=column([sum(lengths) for lengths in regions]),
        period=column([plan.period for plan in plans]),
        deadline=column([plan.deadline for plan in plans]),
        jitter=column([plan.jitter for plan in plans]),
        longest=column(
            [0 if plan.is_preemptive else max(lengths) for plan, lengths in zip(plans, regions, strict=True)]
        ),
        last=column([1 if plan.is_preemptive else lengths[-1] for plan, lengths in zip(plans, regions, strict=True)]),
        points=column([len(lengths) - 1 for lengths in regions]),
    )


def record(plans: list[Plan], costs: Costs, *names: str) -> Tasks:
    """Return the record of a system, with some of the columns behind the first four."""
    given = columns(plans, costs)
    more = {name: getattr(given, name) for name in names}
    return Tasks(given.wcet, given.period, given.deadline, given.jitter, **more)


def bounds(plans: list[Plan], costs: Costs) -> Column:
    """The bounds of all responses under fixed priorities."""
    return _analysis.overhead_responses(record(plans, costs, "longest", "last", "points"), costs)[0]


def edf_verdict(plans: list[Plan], costs: Costs) -> int:
    """Whether the test of EDF is passed."""
    return _analysis.overhead_edf_verdict(record(plans, costs, "longest", "points"), costs)


# ---- fixed priorities ------------------------------------------------------------------------------------------


@tries(160)
@given(SEEDS)
def check_responses(seed: int) -> None:
    plans, costs, generator = draw(seed)
    bound = bounds(plans, costs)
    for _ in range(3):
        jobs = simulate(plans, costs, "fp", generator).jobs
        for place, most in enumerate(bound):
            own = jobs.filter(jobs["task"] == f"T{place}")
            assert all(response is None or response <= most for response in own["response"]), (plans, costs)
            if most < _analysis.UNKNOWN:
                waiting = own.filter(own["finish"].is_null())["release"]
                assert all(release + most >= HORIZON for release in waiting)
                seen["met"] += own["response"].max() == most
        seen["bounded"] += int((bound < _analysis.UNKNOWN).sum())
        seen["unbounded"] += int((bound == _analysis.UNBOUNDED).sum())


def test_no_response_is_longer_than_its_bound() -> None:
    seen.clear()
    check_responses()
    expect_cases(seen["bounded"] > seen["unbounded"] > 0)
    expect_cases(seen["met"] > 0)


@tries(200)
@given(SEEDS)
def test_without_costs_bounds_are_the_exact_responses(seed: int) -> None:
    plans, _, _ = draw(seed)
    given = columns(plans, (0,) * 6)
    blocking = _analysis.fp_blocking(np.maximum(given.longest, np.uint64(1)))
    tasks = Tasks(given.wcet, given.period, jitter=given.jitter, blocking=blocking, last=given.last)
    exact, _ = _analysis.fp_responses(tasks)
    assert (bounds(plans, (0,) * 6) == exact).all()


def test_a_bound_worked_out_by_hand() -> None:
    """r = 1, s = 2, c = 3: each release interrupts for 6, a completion delays the next for 5, and one came before."""
    wcet, period = column([4, 10]), column([100, 200])
    assert list(_analysis.overhead_responses(Tasks(wcet, period), (3, 1, 2, 0, 0, 0))[0]) == [
        5 + 6 + 6 + 4,
        6 + 6 + 4 + 5 + 10,
    ]
    assert _analysis.overhead_responses(Tasks(wcet, period), (3, 1, 2, 0, 1, 10))[0][0] == 5 + 6 + 6 + 4 + 3
    regions, jobs = _analysis.overhead_responses(
        Tasks(wcet, period, longest=column([0, 5]), points=column([0, 1])), (3, 1, 2, 9, 0, 0)
    )
    assert list(regions) == [(9 + 5) + (5 + 9) + 6 + 6 + 4, 6 + 6 + 4 + 5 + 10 + 9]
    assert list(jobs) == [0, 0]


@pytest.mark.parametrize("region", [None, column([4, 10])])
def test_equals_delay_each_other_and_their_regions_are_no_blocking_besides(region: Column | None) -> None:
    tasks = Tasks(column([4, 10]), column([100, 200]), longest=region, last=region, above=column([2, 2]))
    assert list(_analysis.overhead_responses(tasks, (0, 1, 0, 0, 0, 0))[0]) == [16, 16]


# ---- EDF ---------------------------------------------------------------------------------------------------------


def load_up(plans: list[Plan], costs: Costs, generator: random.Random) -> list[Plan]:
    """Return plans of which the first run is as long as the test allows."""
    place = generator.randrange(len(plans))
    while edf_verdict(plans, costs) == _analysis.SCHEDULABLE:
        passed = plans
        plan = plans[place]
        grown = Plan(
            plan.period,
            plan.deadline,
            plan.jitter,
            (plan.runs[0] + 1, *plan.runs[1:]),
            plan.is_preemptive,
            plan.optional,
        )
        plans = [*plans[:place], grown, *plans[place + 1 :]]
    return passed


@tries(160)
@given(SEEDS)
def check_edf(seed: int) -> None:
    plans, costs, generator = draw(seed)
    is_passed = edf_verdict(plans, costs) == _analysis.SCHEDULABLE
    seen[is_passed] += 1
    if is_passed:
        plans = load_up(plans, costs, generator)
        for _ in range(3):
            assert simulate(plans, costs, "edf", generator).summary["missed"].sum() == 0, (plans, costs)


def test_nobody_is_late_who_passes_the_test_of_edf() -> None:
    seen.clear()
    check_edf()
    expect_cases(min(seen[True], seen[False]) > sum(seen.values()) / 10)


@tries(400)
@given(SEEDS)
def check_edf_at_all_instants(seed: int) -> None:
    plans, costs, _ = draw(seed)
    paid = costs if seed % 3 else (0,) * 6
    given = columns(plans, paid)
    rows = zip(given.wcet, given.period, given.deadline, given.jitter, given.longest, given.points, strict=True)
    expected = overheads.is_edf_schedulable([overheads.Task(*map(int, row)) for row in rows], paid)
    assert (edf_verdict(plans, paid) == _analysis.SCHEDULABLE) == expected, (plans, paid)
    seen[expected, seed % 3 > 0] += 1


def test_the_test_of_edf_is_that_of_all_deadlines() -> None:
    seen.clear()
    check_edf_at_all_instants()
    expect_cases(len(seen) == 4)
    expect_cases(min(seen.values()) > sum(seen.values()) / 30)


@tries(300)
@given(SEEDS)
def test_without_costs_the_test_of_edf_is_that_of_processor_demand(seed: int) -> None:
    plans, costs = draw(seed)[0], (0,) * 6
    given = columns(plans, costs)
    regions = np.maximum(given.longest, np.uint64(1))
    exact, *_ = _analysis.edf_demand(Tasks(given.wcet, given.period, given.deadline, given.jitter, regions=regions))
    assert edf_verdict(plans, costs) == exact


# ---- what cannot be decided, and bad input ---------------------------------------------------------------------------


def test_huge_numbers_and_no_effort_decide_nothing() -> None:
    huge = column([_analysis.TIME_MAX])
    assert list(_analysis.overhead_responses(Tasks(huge, huge), (1, 0, 0, 0, 0, 0))[0]) == [_analysis.UNKNOWN]
    assert _analysis.overhead_edf_verdict(Tasks(huge, huge, huge), (1, 0, 0, 0, 0, 0)) == _analysis.UNDECIDED
    tasks = column([1, 5]), column([9, 20])
    assert list(_analysis.overhead_responses(Tasks(*tasks), (1, 0, 0, 0, 0, 0), effort=0)[0]) == [_analysis.UNKNOWN] * 2
    for effort, verdict in ((0, _analysis.UNDECIDED), (3, _analysis.UNDECIDED), (99, _analysis.SCHEDULABLE)):
        assert _analysis.overhead_edf_verdict(Tasks(*tasks, tasks[1]), (1, 0, 0, 0, 0, 0), effort=effort) == verdict


@pytest.mark.parametrize("costs", [(2**62, 0, 0, 0, 0, 0), (0, 0, 0, 0, 1, 0), (0, 0, 0, 0, 0, 0, 2**62), (0,) * 5])
def test_costs_that_are_none_are_refused(costs: Costs) -> None:
    with pytest.raises(ValueError, match="costs"):
        _analysis.overhead_responses(Tasks(column([1]), column([2])), costs)
