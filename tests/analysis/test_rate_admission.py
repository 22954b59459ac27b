# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Admission by rates of a whole task set: against the reference of the rate-based scheduler, and its simulation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from math import ceil

import takt
from columns import column
from hypothesis import given
from hypothesis import strategies as st
from rate_oracle import allocation
from rate_oracle.allocation import Request
from rate_oracle.model import FORMULA3, SCALE, System
from sampling import expect_cases, tries
from takt import _analysis

CLASSES = ["hard", "soft", "none"]
Grants = list[tuple[bool, int, int, int]]


def admit(
    requests: Sequence[Request], system: System, longest: Sequence[int] = (), excess: Sequence[int] = ()
) -> tuple[Grants, tuple[int, ...]]:
    """Ask the analysis."""
    none = [0] * len(requests)
    admitted, rates, budgets, periods, division = _analysis.rate_admission(
        column([CLASSES.index(request.class_) for request in requests]),
        column([request.budget for request in requests]),
        column([request.period for request in requests]),
        weight=column([request.weight for request in requests]),
        longest=column(longest or none),
        excess=column(excess or none),
        beta=0 if system.beta == FORMULA3 else ceil(Fraction(system.beta) * SCALE),
        sigma=ceil(system.sigma * SCALE),
        grid=system.grid,
        has_formula=system.beta == FORMULA3,
    )
    rows = zip(admitted, rates, budgets, periods, strict=True)
    return [(bool(row[0]), int(row[1]), int(row[2]), int(row[3])) for row in rows], division


def by_reference(requests: Sequence[Request], system: System, longest: Sequence[int], excess: Sequence[int]) -> Grants:
    """Admit one after the other, then allocate, as the reference does."""
    chosen: list[int] = []
    for index, candidate in enumerate(requests):
        before, after = taken(chosen, longest, excess), taken([*chosen, index], longest, excess)
        admitted = [requests[other] for other in chosen]
        capacity = SCALE - after
        if allocation.is_admitted(system, admitted, candidate, capacity, raises_blocking=after > before):
            chosen.append(index)
    capacity = max(0, SCALE - taken(chosen, longest, excess))
    targets = dict(zip(chosen, allocation.allocate(system, [requests[k] for k in chosen], capacity), strict=True))
    none = allocation.NOTHING
    granted = [(index in targets, targets.get(index, none)) for index in range(len(requests))]
    return [(is_in, target.rate, target.budget, target.period) for is_in, target in granted]


def taken(chosen: Sequence[int], longest: Sequence[int], excess: Sequence[int]) -> int:
    """Give what sharing takes from the processor."""
    return max((longest[index] for index in chosen), default=0) + sum(excess[index] for index in chosen)


@st.composite
def requests_of(draw: st.DrawFn) -> list[Request]:
    """Draw what tasks ask for, often more than there is."""
    made = []
    for _ in range(draw(st.integers(0, 7))):
        period = draw(st.integers(1, 200))
        budget = draw(st.integers(1, max(1, period // draw(st.integers(1, 8)))))
        made.append(Request(draw(st.sampled_from(CLASSES)), budget, period, draw(st.integers(1, 5))))
    return made


@st.composite
def settings_of(draw: st.DrawFn) -> System:
    """Draw the settings of an admission."""
    betas: list[Fraction | str] = [Fraction(0), Fraction(1, 10), Fraction(1, 3), FORMULA3]
    beta = draw(st.sampled_from(betas))
    return System(
        (), beta=beta, sigma=draw(st.sampled_from([Fraction(0), Fraction(1, 7)])), grid=draw(st.integers(1, 5))
    )


def test_admission_is_that_of_the_reference() -> None:
    seen: Counter[str] = Counter()

    @tries(500)
    @given(requests_of(), settings_of(), st.booleans(), st.data())
    def compare(requests: list[Request], system: System, shares: bool, data: st.DataObject) -> None:
        most = SCALE // 6 if shares else 0
        rates = st.lists(st.integers(0, most), min_size=len(requests), max_size=len(requests))
        longest, excess = data.draw(rates), data.draw(rates)
        found, division = admit(requests, system, longest, excess)
        assert found == by_reference(requests, system, longest, excess)
        capacity, hard, asked, soft, none = division
        assert hard + soft + none == capacity <= SCALE
        assert sum(rate for _, rate, _, _ in found) <= capacity
        seen["refused"] += any(not is_in for is_in, *_ in found)
        seen["stretched"] += 0 < soft < asked
        seen["suspended"] += any(is_in and rate == 0 for is_in, rate, *_ in found)

    compare()
    expect_cases(min(seen["refused"], seen["stretched"], seen["suspended"]) > 0)


def test_an_overload_stretches_soft_periods_as_the_specification_says() -> None:
    """2.8: 20 becomes 25, 50 becomes 63, or 65 on a grid of 5; class none keeps a tenth."""
    overload = [
        *[Request("hard", 3, 10), Request("hard", 6, 15)],
        *[Request("soft", 3, 20), Request("soft", 5, 50), Request("none", 1, 80)],
    ]
    budgets = [(3, 10), (6, 15), (3, 25), (5, 63), (8, 80)]
    assert [grant[2:] for grant in admit(overload, System(()))[0]] == budgets
    assert admit(overload, System((), grid=5))[0][3][2:] == (5, 65)


def test_hard_tasks_are_admitted_up_to_the_last_unit_of_rate() -> None:
    """2.2: of seventeen tasks of 1/17 the last does not fit, since rates are rounded up; of ten of 1/10 all do."""
    free = System((), beta=Fraction(0))
    assert [grant[0] for grant in admit([Request("hard", 1, 17)] * 17, free)[0]] == [True] * 16 + [False]
    assert all(grant[0] for grant in admit([Request("hard", 1, 10)] * 10, free)[0])
    assert [grant[0] for grant in admit([Request("hard", 1, 10)] * 10, System(()))[0]] == [True] * 9 + [False]


def test_what_is_granted_is_what_a_simulation_grants() -> None:
    seen: Counter[bool] = Counter()

    @tries(25)
    @given(requests_of().filter(bool), st.sampled_from([Fraction(1, 10), FORMULA3]), st.integers(1, 5))
    def compare(requests: list[Request], beta: Fraction | str, grid: int) -> None:
        found, _ = admit(requests, System((), beta=beta, grid=grid))
        tasks = [task_of(f"T{number}", request) for number, request in enumerate(requests)]
        options = takt.RateBased(beta="formula" if beta == FORMULA3 else 0.1, grid=grid)
        told = takt.simulate(takt.System(tasks=tasks, policy="rate-based", options=[options]), horizon=1).rates
        rejected = told.filter(what="rejected")["task"].to_list()
        entered = {row[0]: row[1:] for row in told.filter(what="entered").select("task", "budget", "period").rows()}
        assert [not grant[0] for grant in found] == [task.name in rejected for task in tasks]
        assert entered == {task.name: grant[2:] for task, grant in zip(tasks, found, strict=True) if grant[1] > 0}
        seen[bool(rejected)] += 1

    compare()
    expect_cases(min(seen[True], seen[False]) > 0)


def task_of(name: str, request: Request) -> takt.Task:
    """Make the task of a request."""
    if request.class_ == "none":
        return takt.Task(name=name, class_="none", period=request.period, weight=request.weight)
    return takt.Task(name=name, class_=request.class_, period=request.period, wcet=request.budget)
