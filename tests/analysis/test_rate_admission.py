# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Admission by rates of a whole task set: against the reference of the rate-based scheduler, and its simulation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from math import ceil

import polars as pl
import pytest
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
    """Return the analysis' answer."""
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
    """Return the share of the processor that sharing costs."""
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


# ---- entries and changes, in one order ---------------------------------------------------------------------------


@st.composite
def changing_systems(draw: st.DrawFn) -> takt.System:
    """Draw hard tasks that enter at their offsets, leave, enter again and ask for other wcets."""
    tasks, changes = [], []
    for number in range(draw(st.integers(2, 4))):
        period = draw(st.integers(4, 20))
        wcet = draw(st.integers(1, max(1, period // 2)))
        offset = draw(st.sampled_from([0, 0, 10, 50]))
        initially = draw(st.sampled_from(["present", "present", "absent"]))
        task = takt.Task(name=f"T{number}", period=period, wcet=wcet, offset=offset, initially=initially)
        tasks.append(task)
        at = draw(st.sampled_from([5, 10, 40, 50, 60]))
        what = draw(st.sampled_from(["", "wcet", "away"]))
        if initially == "absent":
            changes.append(takt.Change(at=at, add=[task.name]))
        elif what == "wcet":
            changes.append(takt.Change(at=at, task=task.name, wcet=draw(st.integers(1, period))))
        elif what == "away":
            changes += [takt.Change(at=at, remove=[task.name]), takt.Change(at=at + 30, add=[task.name])]
    return takt.System(tasks=tasks, changes=changes, policy="rate-based")


def test_a_hard_task_that_is_said_to_meet_its_deadlines_is_never_rejected() -> None:
    seen: Counter[str] = Counter()

    @tries(200)
    @given(changing_systems())
    def compare(system: takt.System) -> None:
        found = takt.simulate(system, 300)
        asking = {change.task for change in system.changes}
        rejected = set(found.rates.filter(what="rejected")["task"]) - asking
        missing = set(found.summary.filter(pl.col("missed") > 0)["task"])
        for row in takt.analyse(system, sensitivity=False).tasks:
            if row.verdict.value == "schedulable":
                assert row.task not in rejected | missing, system
            seen[row.verdict.value] += 1
        seen["rejected"] += bool(rejected)

    compare()
    expect_cases(min(seen["schedulable"], seen["not known"], seen["rejected"]) > 0, seen)


@pytest.mark.parametrize(
    ("change", "verdicts"),
    [
        (takt.Change(at=10, task="H1", wcet=6), ["schedulable", "not known"]),
        (takt.Change(at=49, remove=["H1"]), ["schedulable", "not known"]),
        (takt.Change(at=50, remove=["H1"]), ["schedulable", "not known"]),
        (takt.Change(at=50, task="H1", wcet=6), ["schedulable", "schedulable"]),
        (takt.Change(at=51, remove=["H1"]), ["schedulable", "schedulable"]),
    ],
)
def test_what_is_asked_for_before_a_task_enters_makes_its_entry_unknown(
    change: takt.Change, verdicts: list[str]
) -> None:
    """At one instant tasks leave first, then they enter, then they get parameters."""
    tasks = [takt.Task(name="H1", period=10, wcet=3), takt.Task(name="H2", period=10, wcet=4, offset=50)]
    system = takt.System(tasks=tasks, changes=[change], policy="rate-based")
    assert [row.verdict.value for row in takt.analyse(system).tasks] == verdicts


def test_a_task_that_enters_again_may_be_rejected() -> None:
    tasks = [takt.Task(name="A", period=10, wcet=4), takt.Task(name="B", period=10, wcet=4)]
    changes = [
        takt.Change(at=10, remove=["A"]),
        takt.Change(at=30, task="B", wcet=8),
        takt.Change(at=60, add=["A"]),
    ]
    system = takt.System(tasks=tasks, changes=changes, policy="rate-based")
    assert [row.verdict.value for row in takt.analyse(system).tasks] == ["not known", "schedulable"]
    assert takt.simulate(system, 300).rates.filter(what="rejected")["task"].to_list() == ["A"]


def task_of(name: str, request: Request) -> takt.Task:
    """Return the task of a request."""
    if request.class_ == "none":
        return takt.Task(name=name, class_="none", period=request.period, weight=request.weight)
    return takt.Task(name=name, class_=request.class_, period=request.period, wcet=request.budget)
