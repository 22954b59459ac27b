# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Earliest deadline first: published answers, the demand at every length, exhaustive search over what may arrive."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np
import pytest
import takt
from analysis_oracle.edf import (
    Events,
    Search,
    Sporadic,
    density,
    first_excess,
    last_length,
    rbe_excess,
    rbe_has_miss,
    response_at_every_release,
    ticks_in,
    utilization,
)
from columns import Column, column
from hypothesis import given
from hypothesis import strategies as st
from places import CASES
from sampling import expect_cases, tries
from takt import _analysis
from takt._analysis import Tasks
from takt.analysis import Verdict, rates
from takt.analysis.judge import judge
from takt.analysis.view import view_of

SCHEDULABLE = (_analysis.SCHEDULABLE, 0, 0, 0)


def columns(tasks: Sequence[Sporadic]) -> tuple[Column, Column, Column, Column]:
    """Return wcets, periods, deadlines and jitters."""
    wcets, periods, deadlines, jitters = (column([task[place] for task in tasks]) for place in range(4))
    return wcets, periods, deadlines, jitters


def implicit(*tasks: tuple[int, int]) -> list[Sporadic]:
    """Return tasks (C, T) with deadlines at the end of the period."""
    return [Sporadic(wcet, period, period) for wcet, period in tasks]


# ---- random task sets --------------------------------------------------------------------------------------------


@st.composite
def task_sets(draw: st.DrawFn, longest: int = 12, jitter: int = 0, most: int = 4) -> list[Sporadic]:
    """Draw a task set that often uses all of the processor, and a little more now and then."""
    made: list[Sporadic] = []
    while len(made) < most and utilization(made) < 1:
        wcet = draw(st.integers(1, 4))
        room = ceil(wcet / (1 - utilization(made)))
        shortest = max(1, room - draw(st.sampled_from([0, 0, 0, 1])))
        if shortest > longest:
            break
        period = draw(st.integers(shortest, min(longest, shortest + 6)))
        latest = draw(st.sampled_from([period, period + 3, 3 * period]))
        deadline = draw(st.integers(wcet, max(wcet, latest)))
        made.append(Sporadic(wcet, period, deadline, draw(st.integers(0, jitter))))
    return draw(st.permutations(made))


@st.composite
def blocked_sets(draw: st.DrawFn) -> tuple[list[Sporadic], list[int] | None, list[tuple[int, int]]]:
    """Draw tasks with regions without preemption, sections, neither or both."""
    tasks = draw(task_sets(jitter=draw(st.sampled_from([0, 0, 3, 15]))))
    regions = [draw(st.integers(1, task.wcet + 2)) for task in tasks] if draw(st.booleans()) else None
    steps = draw(st.dictionaries(st.integers(0, 15), st.integers(0, 9), max_size=3))
    return tasks, regions, sorted(steps.items())


def record(
    tasks: Sequence[Sporadic],
    regions: Sequence[int] | None = None,
    steps: Sequence[tuple[int, int]] = (),
    **more: Any,
) -> Tasks:
    """Return the record of tasks and of what blocks them."""
    lengths = None if regions is None else column(regions)
    begins, ticks = (column([step[place] for step in steps]) for place in range(2))
    return Tasks(*columns(tasks), regions=lengths, step_from=begins, step_ticks=ticks, **more)


# ---- demand ------------------------------------------------------------------------------------------------------


def test_the_test_by_demand_says_what_the_demand_at_every_length_says() -> None:
    seen: Counter[bool] = Counter()

    @tries(1000)
    @given(blocked_sets())
    def compare(case: tuple[list[Sporadic], list[int] | None, list[tuple[int, int]]]) -> None:
        tasks, regions, steps = case
        excess = first_excess(tasks, regions, steps)
        verdict, interval, demand, supply = _analysis.edf_demand(record(tasks, regions, steps))
        assert verdict == (_analysis.SCHEDULABLE if excess is None else _analysis.UNSCHEDULABLE)
        if demand > 0:
            assert demand == ticks_in(tasks, regions, steps, interval) > interval == supply
        seen[excess is None] += 1

    compare()
    expect_cases(min(seen[True], seen[False]) > sum(seen.values()) / 10)


def test_density_is_compared_with_one_exactly_and_suffices() -> None:
    seen: Counter[bool] = Counter()

    @tries(300)
    @given(task_sets())
    def compare(tasks: list[Sporadic]) -> None:
        is_sparse = density(tasks) <= 1
        assert (_analysis.edf_density(Tasks(*columns(tasks))) == _analysis.SCHEDULABLE) == is_sparse
        assert not is_sparse or first_excess(tasks) is None
        seen[is_sparse] += 1

    compare()
    expect_cases(min(seen[True], seen[False]) > 0)


# ---- all that may arrive -----------------------------------------------------------------------------------------


def responses(tasks: Sequence[Sporadic], is_preemptive: bool) -> list[int]:
    """Return the worst responses of the analysis."""
    return cut_responses(tasks, None if is_preemptive else [[task.wcet] for task in tasks])


def cut_responses(tasks: Sequence[Sporadic], regions: Sequence[Sequence[int]] | None, **more: Any) -> list[int]:
    """Return the worst responses of jobs with regions, by the analysis."""
    if regions is None:
        return [int(ticks) for ticks in _analysis.edf_responses(record(tasks, **more))[0]]
    last = column([own[-1] for own in regions])
    return [int(ticks) for ticks in _analysis.edf_responses(record(tasks, longest(regions), last=last, **more))[0]]


def longest(regions: Sequence[Sequence[int]]) -> list[int]:
    """Return the longest region of each task."""
    return [max(own) for own in regions]


def test_responses_are_the_largest_of_those_at_every_release() -> None:
    reached: Counter[bool] = Counter()

    @tries(100)
    @given(blocked_sets().filter(lambda case: utilization(case[0]) <= 1 and last_length(case[0]) < 400), st.data())
    def compare(case: tuple[list[Sporadic], list[int] | None, list[tuple[int, int]]], data: st.DataObject) -> None:
        tasks, regions, steps = case
        lasts = [data.draw(st.sampled_from([1, task.wcet, (task.wcet + 1) // 2])) for task in tasks]
        found = _analysis.edf_responses(record(tasks, regions, steps, last=column(lasts)))[0].tolist()
        expected = [response_at_every_release(tasks, own, regions, steps, last=last) for own, last in enumerate(lasts)]
        assert found == expected
        reached[expected == responses(tasks, is_preemptive=True)] += 1

    compare()
    expect_cases(min(reached[True], reached[False]) > 0)


@pytest.mark.parametrize(("jitter", "sample"), [(0, 60), (2, 40), (9, 6)])
@pytest.mark.parametrize("cut", ["anywhere", "nowhere", "somewhere"])
def test_verdicts_and_responses_are_those_of_exhaustive_search(cut: str, jitter: int, sample: int) -> None:
    seen: Counter[bool] = Counter()

    @tries(sample)
    @given(
        task_sets(longest=9, jitter=jitter, most=3 if jitter < 9 else 2).filter(lambda made: utilization(made) <= 1),
        st.data(),
    )
    def search(tasks: list[Sporadic], data: st.DataObject) -> None:
        regions = regions_of(tasks, cut, data)
        searches = [Search(tasks, own, regions) for own in range(len(tasks))]
        has_miss = any(found.has_miss for found in searches)
        assert cut_responses(tasks, regions) == [found.worst for found in searches]
        barred = None if regions is None else longest(regions)
        assert _analysis.edf_demand(record(tasks, barred))[0] == (not has_miss)
        seen[has_miss] += 1

    search()
    expect_cases(seen[True] > 0)
    expect_cases(seen[False] > 0)


def regions_of(tasks: Sequence[Sporadic], cut: str, data: st.DataObject) -> list[list[int]] | None:
    """Draw where jobs can be preempted."""
    if cut == "anywhere":
        return None
    return [[task.wcet] if cut == "nowhere" else data.draw(cuts(task.wcet)) for task in tasks]


@st.composite
def cuts(draw: st.DrawFn, wcet: int) -> list[int]:
    """Cut an execution into regions: preemptive, non-preemptive, or between."""
    points = [0, *(place for place in range(1, wcet) if draw(st.booleans())), wcet]
    return [end - begin for begin, end in itertools.pairwise(points)]


def test_least_laxity_first_misses_iff_earliest_deadline_first_does() -> None:
    seen: Counter[bool] = Counter()

    @tries(40)
    @given(task_sets(longest=9, jitter=2, most=3).filter(lambda made: utilization(made) <= 1))
    def search(tasks: list[Sporadic]) -> None:
        has_miss = Search(tasks, 0, is_by_laxity=True).has_miss
        assert (_analysis.edf_demand(record(tasks))[0] == _analysis.UNSCHEDULABLE) == has_miss
        seen[has_miss] += 1

    search()
    expect_cases(min(seen[True], seen[False]) > 0)


# ---- rate-based execution ----------------------------------------------------------------------------------------


def rbe(judged: Sequence[Events], is_preemptive: bool) -> tuple[int, int, int, int]:
    """Return the analysis' answer."""
    return _analysis.edf_demand(rates.demand_record(judged, is_preemptive=is_preemptive))


@st.composite
def event_rates(draw: st.DrawFn, longest: int, most: int = 3) -> list[Events]:
    """Draw rates that are often feasible, and use much of the processor."""
    made: list[Events] = []
    left = Fraction(1)
    for _ in range(draw(st.integers(1, most))):
        events, cost = draw(st.integers(1, 2)), draw(st.integers(1, 3))
        shortest = ceil(events * cost / left) if left > 0 else longest + 1
        if shortest > longest:
            break
        interval = draw(st.integers(shortest, longest))
        deadline = draw(st.integers(cost, interval + 2))
        made.append(Events(events, interval, deadline, cost))
        left -= Fraction(events * cost, interval)
    return draw(st.permutations(made)) or [Events(1, 2, 2, 1)]


@pytest.mark.parametrize("is_preemptive", [True, False])
def test_rate_based_execution_is_judged_as_the_conditions_at_every_length_say(is_preemptive: bool) -> None:
    seen: Counter[bool] = Counter()

    @tries(400)
    @given(event_rates(longest=12))
    def compare(rates: list[Events]) -> None:
        is_feasible = rbe_excess(rates, is_preemptive) is None
        assert (rbe(rates, is_preemptive)[0] == _analysis.SCHEDULABLE) == is_feasible
        seen[is_feasible] += 1

    compare()
    expect_cases(min(seen[True], seen[False]) > 0)


@pytest.mark.parametrize("is_preemptive", [True, False])
def test_rate_based_execution_misses_under_some_arrivals_iff_judged_so(is_preemptive: bool) -> None:
    seen: Counter[bool] = Counter()

    @tries(40)
    @given(event_rates(longest=5, most=2))
    def search(rates: list[Events]) -> None:
        has_miss = rbe_has_miss(rates, is_preemptive)
        assert (rbe(rates, is_preemptive)[0] == _analysis.UNSCHEDULABLE) == has_miss
        seen[has_miss] += 1

    search()
    expect_cases(min(seen[True], seen[False]) > 0)


# ---- simulation --------------------------------------------------------------------------------------------------


def simulated(tasks: Sequence[Sporadic], offsets: Sequence[int], is_preemptive: bool) -> takt.Result:
    """Run a task set from some offsets."""
    preemption = "preemptive" if is_preemptive else "non-preemptive"
    described = [
        takt.Task(
            name=f"T{number}",
            period=task.period,
            wcet=task.wcet,
            deadline=task.deadline,
            jitter=task.jitter,
            offset=offset,
            preemption=preemption,
        )
        for number, (task, offset) in enumerate(zip(tasks, offsets, strict=True))
    ]
    return takt.simulate(takt.System(tasks=described, policy="edf"), horizon=500)


def test_no_simulated_response_is_above_the_bound_and_some_reach_it() -> None:
    seen: Counter[str] = Counter()

    @tries(60)
    @given(task_sets(jitter=2, longest=15), st.booleans(), st.data())
    def compare(tasks: list[Sporadic], is_preemptive: bool, data: st.DataObject) -> None:
        offsets = [data.draw(st.integers(0, 5)) for _ in tasks]
        regions = None if is_preemptive else [task.wcet for task in tasks]
        summary = simulated(tasks, offsets, is_preemptive).summary
        is_schedulable = _analysis.edf_demand(record(tasks, regions))[0] == _analysis.SCHEDULABLE
        bounds = responses(tasks, is_preemptive)
        longest = [response or 0 for response in summary["response_max"].to_list()]
        assert all(found <= bound for found, bound in zip(longest, bounds, strict=True))
        assert summary["missed"].sum() == 0 or not is_schedulable
        seen["schedulable" if is_schedulable else "not"] += 1
        seen["reached"] += longest == bounds

    compare()
    expect_cases(min(seen["schedulable"], seen["not"], seen["reached"]) > 0)


def test_rate_based_execution_that_is_feasible_never_misses_whatever_comes() -> None:
    """Also of one event in an interval that is the deadline, which are tasks with postponed deadlines (8.1)."""

    @tries(40)
    @given(event_rates(longest=12), st.booleans(), st.booleans(), st.data())
    def compare(rates: list[Events], is_preemptive: bool, is_plain: bool, data: st.DataObject) -> None:
        plain = [rate._replace(events=1, deadline=rate.interval) for rate in rates]
        judged = plain if is_plain else rates
        if rbe(judged, is_preemptive)[0] == _analysis.SCHEDULABLE:
            tasks = [rbe_task(f"T{number}", rate, is_preemptive, data) for number, rate in enumerate(judged)]
            assert takt.simulate(takt.System(tasks=tasks, policy="rbe"), horizon=300).summary["missed"].sum() == 0

    compare()


def rbe_task(name: str, rate: Events, is_preemptive: bool, data: st.DataObject) -> takt.Task:
    """Return a task with arrivals in bursts."""
    arrivals = sorted(data.draw(st.lists(st.integers(0, 60), min_size=1, max_size=12)))
    return takt.Task(
        name=name,
        arrivals=arrivals,
        wcet=rate.cost,
        deadline=rate.deadline,
        events=rate.events,
        interval=rate.interval,
        preemption="preemptive" if is_preemptive else "non-preemptive",
    )


# ---- the command -------------------------------------------------------------------------------------------------


def system_of(tasks: Sequence[Sporadic], regions: Sequence[Sequence[int]]) -> takt.System:
    """Return a system whose jobs can be preempted between regions."""
    described = [
        takt.Task(
            name=f"T{number}",
            period=task.period,
            wcet=task.wcet,
            deadline=task.deadline,
            jitter=task.jitter,
            subjobs=None if max(own) == 1 else own,
        )
        for number, (task, own) in enumerate(zip(tasks, regions, strict=True))
    ]
    return takt.System(tasks=described, policy="edf")


@pytest.mark.parametrize("jitter", [0, 2])
def test_the_command_says_exact_of_responses_that_are_reached_and_of_all_others_bound(jitter: int) -> None:
    seen: Counter[bool] = Counter()
    ties: Counter[str] = Counter()

    @tries(60)
    @given(task_sets(longest=9, jitter=jitter, most=3).filter(lambda made: utilization(made) <= 1), st.data())
    def search(tasks: list[Sporadic], data: st.DataObject) -> None:
        regions = regions_of(tasks, data.draw(st.sampled_from(["nowhere", "somewhere"])), data) or []
        rows = judge(view_of(system_of(tasks, regions))).rows()
        worst = [Search(tasks, own, regions).worst for own in range(len(tasks))]
        reached = [Search(tasks, own, regions, is_in_order=True).worst for own in range(len(tasks))]
        assert [row.response for row in rows] == worst
        assert [row.is_tight for row in rows] == [most == bound for most, bound in zip(reached, worst, strict=True)]
        assert [row.verdict for row in rows] == list(map(verdict_of, worst, reached, tasks))
        ties["against"] += reached != worst
        seen[any(row.verdict is not Verdict.SCHEDULABLE for row in rows)] += 1

    search()
    expect_cases(min(seen[True], seen[False]) > 0, seen)
    expect_cases(ties["against"] > 0)


def verdict_of(bound: int, reached: int, task: Sporadic) -> Verdict:
    """Return the verdict on a task: a miss is sure if core's order of equal deadlines leads to it."""
    if bound <= task.deadline:
        return Verdict.SCHEDULABLE
    return Verdict.NOT_SCHEDULABLE if reached > task.deadline else Verdict.NOT_GUARANTEED


def test_ranked_responses_are_those_of_exhaustive_search_in_that_order() -> None:
    seen: Counter[bool] = Counter()

    @tries(60)
    @given(
        task_sets(longest=9, jitter=2, most=3).filter(lambda made: utilization(made) <= 1),
        st.sampled_from(["anywhere", "nowhere", "somewhere"]),
        st.data(),
    )
    def search(tasks: list[Sporadic], cut: str, data: st.DataObject) -> None:
        regions = regions_of(tasks, cut, data)
        expected = [Search(tasks, own, regions, is_in_order=True).worst for own in range(len(tasks))]
        found = cut_responses(tasks, regions, rank=column(range(len(tasks))))
        assert found == expected
        seen[found == cut_responses(tasks, regions)] += 1

    search()
    expect_cases(min(seen[True], seen[False]) > 0)


def test_of_three_jobs_that_are_not_preempted_the_command_knows_the_published_responses() -> None:
    system = takt.load(CASES / "np-edf.toml")
    found = takt.analyse(system)
    assert [(row.response, row.is_tight) for row in found.tasks] == [(89, True), (90, True), (121, True)]
    assert [row.verdict.value for row in found.tasks] == ["not schedulable", "schedulable", "not schedulable"]


def test_no_response_is_exact_beside_jobs_that_end_late() -> None:
    tasks = [
        takt.Task(name="A", period=10, wcet=6, deadline=5, on_miss="abort"),
        takt.Task(name="B", period=20, wcet=4),
    ]
    for policy in ("edf", "dm"):
        rows = judge(view_of(takt.System(tasks=tasks, policy=policy))).rows()
        assert rows[0].verdict.value == "not schedulable"
        assert not any(row.is_tight for row in rows)


# ---- published answers, and many sets ----------------------------------------------------------------------------


def test_published_task_sets() -> None:
    """Of Liu and Layland; Buttazzo, Hard Real-Time Computing Systems; Jeffay, Stanat, Martel: (3, 5), (4, 10)."""
    assert _analysis.edf_demand(Tasks(*columns(implicit((2, 5), (4, 7))))) == SCHEDULABLE
    buttazzo = [Sporadic(2, 6, 4), Sporadic(2, 8, 5), Sporadic(3, 9, 7)]
    assert _analysis.edf_demand(Tasks(*columns(buttazzo))) == SCHEDULABLE
    assert responses(buttazzo, is_preemptive=True) == [4, 5, 7]
    whole = implicit((3, 5), (4, 10))
    assert _analysis.edf_demand(Tasks(*columns(whole))) == SCHEDULABLE
    assert _analysis.edf_demand(record(whole, [3, 4])) == (_analysis.UNSCHEDULABLE, 5, 6, 5)


def test_the_worst_response_need_not_be_that_of_the_first_job() -> None:
    """Spuri 1996: it need not be at the synchronous release. Here that gives 2 and 5."""
    tasks = implicit((2, 4), (3, 6))
    assert [int(job) for job in _analysis.edf_responses(record(tasks))[1]] == [2, 1]
    assert responses(tasks, is_preemptive=True) == [4, 6]


def test_many_sets_get_the_verdicts_of_each() -> None:
    random = np.random.default_rng(1)
    period = random.integers(10, 1000, (200, 8)).astype(np.uint64)
    wcet = np.maximum(1, period // 9).astype(np.uint64)
    deadline = np.maximum(wcet, (period * random.random((200, 8)))).astype(np.uint64)
    many = _analysis.edf_verdicts_many(wcet, period, deadline)
    each = [_analysis.edf_demand(Tasks(*row))[0] for row in zip(wcet, period, deadline, strict=True)]
    assert many.tolist() == each
    assert len(set(each)) == 2


def test_columns_that_do_not_fit_are_refused() -> None:
    two, one = column([2, 2]), column([1])
    with pytest.raises(ValueError, match="period: as many values as tasks"):
        _analysis.edf_demand(Tasks(two, one, two))
    with pytest.raises(ValueError, match="step_from: ascending"):
        _analysis.edf_demand(Tasks(two, two, two, step_from=column([3, 3]), step_ticks=two))
    with pytest.raises(ValueError, match="regions: a value is out of range"):
        _analysis.edf_demand(Tasks(two, two, two, regions=column([0, 1])))
    with pytest.raises(ValueError, match="wcet: 1 up to the window"):
        _analysis.rate_admission(column([0]), column([2]), one)
