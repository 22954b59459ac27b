# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Response times under fixed priorities: published answers, literal formulas, exhaustive search, simulation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import ceil
from typing import Any

import numpy as np
import pytest
import takt
from analysis_oracle.arrivals import worst_response
from analysis_oracle.fixed_priority import Graph, Task, blocking, chain, response, utilization
from columns import Column, column
from hypothesis import given
from hypothesis import strategies as st
from sampling import expect_cases, tries
from tables import read_table
from takt import _analysis
from takt._analysis import Tasks

Responses = list[int | None]


# ---- asking the analysis -------------------------------------------------------------------------------------


def listed(answer: tuple[Column, Column]) -> Responses:
    """Return responses; None is one without a bound."""
    assert _analysis.UNKNOWN not in answer[0]
    return [None if value == _analysis.UNBOUNDED else int(value) for value in answer[0]]


def columns(tasks: Sequence[Task]) -> tuple[Column, Column]:
    """Return the wcets and periods."""
    return column([task.wcet for task in tasks]), column([task.period for task in tasks])


def record(tasks: Sequence[Task], deadline: Column | None = None, **more: Any) -> Tasks:
    """Return the record of tasks."""
    jitter = column([task.jitter for task in tasks])
    return Tasks(*columns(tasks), deadline, jitter, **more)


def thresholds_of(tasks: Sequence[Task]) -> Column:
    """Return the thresholds."""
    return column([task.threshold for task in tasks])


def deferred(tasks: Sequence[Task], above: Column | None = None) -> Responses:
    """Return the responses of sequences of subjobs, each non-preemptive."""
    blocked = _analysis.fp_blocking(column([max(task.graph.lengths) for task in tasks]), above)
    last = column([task.graph.lengths[-1] for task in tasks])
    return listed(_analysis.fp_responses(record(tasks, blocking=blocked, last=last, above=above)))


def thresholds(tasks: Sequence[Task]) -> Responses:
    """Return the responses under the tasks' thresholds."""
    return listed(_analysis.fp_responses(record(tasks, threshold=thresholds_of(tasks))))


def graph_columns(tasks: Sequence[Task]) -> tuple[Column, Column, Column, Column]:
    """Flatten the graphs of tasks."""
    first = [sum(len(task.graph.lengths) for task in tasks[:place]) for place in range(len(tasks))]
    edges = [(first[i] + a, first[i] + b) for i, task in enumerate(tasks) for a, b in task.graph.edges]
    return (
        column([length for task in tasks for length in task.graph.lengths]),
        column([place for place, task in enumerate(tasks) for _ in task.graph.lengths]),
        column([source for source, _ in edges]),
        column([target for _, target in edges]),
    )


def graphs(tasks: Sequence[Task]) -> Responses:
    """Return the responses of graphs of non-preemptive nodes."""
    return listed(
        _analysis.graph_responses(columns(tasks)[1], *graph_columns(tasks), column([task.jitter for task in tasks]))
    )


def preemptive(tasks: Sequence[Task]) -> Responses:
    """Return the responses under full preemption, in the short form."""
    return listed(_analysis.fp_responses(record(tasks)))


# ---- published answers ---------------------------------------------------------------------------------------


PUBLISHED = read_table("published_responses")


@pytest.mark.parametrize(("tasks", "expected"), PUBLISHED["preemptive"])
def test_published_responses_under_full_preemption(tasks: list[tuple[int, int]], expected: Responses) -> None:
    assert preemptive([Task(period, chain(wcet)) for period, wcet in tasks]) == expected


@pytest.mark.parametrize(("tasks", "expected"), PUBLISHED["deferred"])
def test_published_responses_with_deferred_preemption(tasks: list[tuple[int, list[int]]], expected: Responses) -> None:
    assert deferred([Task(period, chain(*lengths)) for period, lengths in tasks]) == expected


@pytest.mark.parametrize(("tasks", "expected"), PUBLISHED["thresholds"])
def test_published_responses_with_thresholds(tasks: list[tuple[int, int, int]], expected: Responses) -> None:
    assert thresholds([Task(period, chain(wcet), place) for period, wcet, place in tasks]) == expected


def test_the_worst_job_is_the_fifth_of_its_active_period() -> None:
    ticks, job = _analysis.fp_responses(Tasks(column([10, 21]), column([25, 35]), last=column([1, 15])))
    assert (list(ticks), list(job)) == ([10, 35], [0, 4])


def test_the_pessimistic_blocking_is_a_tick_more() -> None:
    longest = column([1, 3, 1, 4, 1, 1])
    assert list(_analysis.fp_blocking(longest)) == [3, 3, 3, 0, 0, 0]
    assert list(_analysis.fp_blocking(longest, head_start=0)) == [4, 4, 4, 1, 1, 0]


# ---- random systems ------------------------------------------------------------------------------------------

Draw = st.DrawFn
WCETS = st.integers(1, 4)


@st.composite
def control_flow(draw: Draw) -> Graph:
    """Draw a graph of up to 4 nodes, in any order."""
    lengths = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    order = draw(st.permutations(range(len(lengths))))
    pairs = [(order[a], order[b]) for b in range(len(lengths)) for a in range(b)]
    return Graph(tuple(lengths), tuple(draw(st.lists(st.sampled_from(pairs), unique=True))) if pairs else ())


SUBJOBS = {
    "preemptive": WCETS.map(lambda wcet: chain(*[1] * wcet)),
    "non-preemptive": WCETS.map(chain),
    "deferred": st.lists(st.integers(1, 3), min_size=1, max_size=3).map(lambda lengths: chain(*lengths)),
    "thresholds": WCETS.map(chain),
    "graphs": control_flow(),
}
ASKED: dict[str, Callable[[Sequence[Task]], Responses]] = {"thresholds": thresholds, "graphs": graphs}
KINDS = pytest.mark.parametrize("kind", SUBJOBS)


@st.composite
def systems(draw: Draw, kind: str, jitter: int = 0, most: int = 3) -> list[Task]:
    """Draw a tiny system that does not overload the processor, and often uses all of it."""
    made: list[Task] = []
    while len(made) < most and utilization(made) < 1:
        graph = draw(SUBJOBS[kind])
        shortest = max(2, ceil(Task(1, graph).wcet / (1 - utilization(made))))
        if shortest > 14:
            break
        period = draw(st.integers(shortest, shortest + 5))
        made.append(Task(period, graph, 0, draw(st.integers(0, jitter))))
    ordered = draw(st.permutations(made))
    is_chosen = kind == "thresholds"
    return [replace(task, threshold=draw(st.integers(0, i)) if is_chosen else 0) for i, task in enumerate(ordered)]


def check_against_search(kind: str, tasks: list[Task], is_early: bool = False) -> None:
    """Compare responses with the formula, and with the worst that arrivals can cause."""
    places = range(len(tasks))
    answer = ASKED.get(kind, deferred)(tasks)
    assert answer == [response(tasks, place) for place in places]
    assert answer == [worst_response(tasks, place, is_early) for place in places]


@KINDS
def test_responses_are_those_of_exhaustive_search(kind: str) -> None:
    @tries(15)
    @given(systems(kind))
    def search(tasks: list[Task]) -> None:
        check_against_search(kind, tasks)

    search()


@KINDS
def test_responses_with_jitter_are_those_of_exhaustive_search(kind: str) -> None:
    @tries(10)
    @given(systems(kind, jitter=7, most=2))
    def search(tasks: list[Task]) -> None:
        check_against_search(kind, tasks)

    search()


@KINDS
def test_jobs_that_end_early_make_no_response_longer(kind: str) -> None:
    @tries(5)
    @given(systems(kind, most=2))
    def search(tasks: list[Task]) -> None:
        check_against_search(kind, tasks, is_early=True)

    search()


@tries(20)
@given(systems("deferred"), st.data())
def test_equals_are_as_if_all_others_were_more_urgent(tasks: list[Task], data: st.DataObject) -> None:
    """Exact if equals may be served in any order, so never below what FIFO causes."""
    levels = sorted(data.draw(st.lists(st.integers(0, 1), min_size=len(tasks), max_size=len(tasks))))
    above = column([max(j for j in range(len(tasks)) if levels[j] == level) + 1 for level in levels])
    above = np.where(np.bincount(levels, minlength=2)[levels] == 1, np.arange(len(tasks), dtype=np.uint64), above)
    expected = [worst_response(tasks, place, levels=levels) for place in range(len(tasks))]
    assert deferred(tasks, above) == expected


@tries(30)
@given(systems("non-preemptive"))
def test_one_subjob_is_fpns_and_the_highest_threshold(tasks: list[Task]) -> None:
    assert deferred(tasks) == thresholds(tasks) == graphs(tasks)


@tries(30)
@given(systems("preemptive"))
def test_unit_subjobs_are_fpps_and_ones_own_threshold(tasks: list[Task]) -> None:
    own = [Task(task.period, chain(task.wcet), place) for place, task in enumerate(tasks)]
    assert deferred(tasks) == thresholds(own) == preemptive(own)


# Their hyperperiods are short, so that the formulas are through with all jobs soon.
PERIODS = [period for period in range(2, 2521) if 2520 % period == 0]


@st.composite
def larger_systems(draw: Draw, kind: str) -> list[Task]:
    """Draw a system of up to 8 tasks, often with more work than time at the bottom."""
    first = draw(st.integers(0, 30))
    periods = PERIODS[first : first + 12]
    return [
        Task(
            draw(st.sampled_from(periods)),
            draw(SUBJOBS[kind]),
            draw(st.integers(0, place)) if kind == "thresholds" else 0,
            draw(st.integers(0, periods[0] * 3)),
        )
        for place in range(draw(st.integers(3, 8)))
    ]


@KINDS
def test_responses_are_those_of_the_formula(kind: str) -> None:
    seen: Counter[str] = Counter()

    @tries(60)
    @given(larger_systems(kind))
    def compare(tasks: list[Task]) -> None:
        expected = [response(tasks, place) for place in range(len(tasks))]
        seen["unbounded" if None in expected else "bounded"] += 1
        assert ASKED.get(kind, deferred)(tasks) == expected

    compare()
    expect_cases(min(seen["bounded"], seen["unbounded"]) > 5)


def test_any_blocking_gives_the_responses_of_the_formula() -> None:
    """Blocking that shrinks and grows from task to task, as resources cause it."""

    @tries(100)
    @given(larger_systems("deferred"), st.data())
    def compare(tasks: list[Task], data: st.DataObject) -> None:
        count = len(tasks)
        blocked = data.draw(st.lists(st.integers(0, 30), min_size=count, max_size=count))
        last = column([task.graph.lengths[-1] for task in tasks])
        answer = _analysis.fp_responses(record(tasks, blocking=column(blocked), last=last))
        assert listed(answer) == [response(tasks, place, blocked[place]) for place in range(count)]

    compare()


def test_a_verdict_says_whether_all_responses_are_within_deadlines() -> None:
    seen: Counter[int] = Counter()

    @tries(150)
    @given(larger_systems("thresholds"), st.data())
    def compare(tasks: list[Task], data: st.DataObject) -> None:
        slack = st.lists(st.integers(-1, 3), min_size=len(tasks), max_size=len(tasks))
        asked = zip(thresholds(tasks), data.draw(slack), strict=True)
        deadlines = [max(1, (100 if ticks is None else ticks) + more) for ticks, more in asked]
        expected = all(
            ticks is not None and ticks <= deadline
            for ticks, deadline in zip(thresholds(tasks), deadlines, strict=True)
        )
        verdict = _analysis.fp_verdict(record(tasks, column(deadlines), threshold=thresholds_of(tasks)))
        assert verdict == (_analysis.SCHEDULABLE if expected else _analysis.UNSCHEDULABLE)
        seen[verdict] += 1

    compare()
    expect_cases(min(seen[_analysis.SCHEDULABLE], seen[_analysis.UNSCHEDULABLE]) > 10)


# ---- simulation ----------------------------------------------------------------------------------------------


def observed(result: takt.Result, count: int) -> list[int]:
    """The longest response of each task's jobs, from the arrival."""
    responses = [result.jobs.filter(task=f"T{i}")["response"].drop_nulls().to_list() for i in range(count)]
    return [max(each, default=0) for each in responses]


def execution(task: Task, kind: str) -> dict[str, object]:
    """Describe what a job does, and who may preempt it."""
    if kind == "thresholds":
        return {"wcet": task.wcet, "threshold": f"T{task.threshold}"}
    return {"subjobs": list(task.graph.lengths)}


def described(tasks: Sequence[Task], offsets: Sequence[int], kind: str, is_shared: bool) -> list[takt.Task]:
    """Describe tasks with offsets, of one priority or of different ones."""
    return [
        takt.Task(
            name=f"T{i}",
            period=task.period,
            offset=offsets[i],
            jitter=task.jitter,
            priority=1 if is_shared else len(tasks) - i,
            **execution(task, kind),
        )
        for i, task in enumerate(tasks)
    ]


@pytest.mark.parametrize("kind", ["preemptive", "non-preemptive", "deferred", "thresholds"])
def test_simulation_never_responds_later(kind: str) -> None:
    """With offsets and jitter, and equals served in FIFO order; often it responds as late."""
    seen: Counter[bool] = Counter()

    @tries(15)
    @given(systems(kind, jitter=6, most=4), st.data())
    def compare(tasks: list[Task], data: st.DataObject) -> None:
        count = len(tasks)
        is_shared = kind != "thresholds" and data.draw(st.booleans())
        offsets = data.draw(st.lists(st.integers(0, 10), min_size=count, max_size=count))
        system = takt.System(tasks=described(tasks, offsets, kind, is_shared), policy="fp")
        longest = observed(takt.simulate(system, 500), count)
        bounds = deferred(tasks, column([count] * count)) if is_shared else ASKED.get(kind, deferred)(tasks)
        pairs = list(zip(bounds, longest, strict=True))
        assert all(bound is not None and bound >= response for bound, response in pairs)
        seen[any(bound == response for bound, response in pairs)] += 1

    compare()
    expect_cases(seen[True] > 0)


# ---- many sets, and the limits -------------------------------------------------------------------------------


def test_many_sets_are_answered_as_each_of_them() -> None:
    random = np.random.default_rng(1)
    period = random.integers(10, 200, (300, 6), dtype=np.uint64)
    wcet = random.integers(1, 20, (300, 6), dtype=np.uint64)
    alone = [_analysis.fp_responses(Tasks(c, t))[0] for c, t in zip(wcet, period, strict=True)]
    many = _analysis.fp_responses_many(wcet, period)
    verdicts = _analysis.fp_verdicts_many(wcet, period, period)
    assert np.array_equal(many, np.array(alone))
    assert np.array_equal(verdicts, (many <= period).all(axis=1))
    assert 50 < verdicts.sum() < 250


def test_ten_thousand_tasks_are_answered() -> None:
    random = np.random.default_rng(1)
    period = np.sort(random.integers(10**7, 10**9, 10**4, dtype=np.uint64))
    wcet = period // np.uint64(20_000)
    ticks, _ = _analysis.fp_responses(Tasks(wcet, period))
    assert ticks[-1] < _analysis.UNKNOWN
    assert ticks[-1] == sum(-(-int(ticks[-1]) // t) * c for t, c in zip(period.tolist(), wcet.tolist(), strict=True))


MAX = _analysis.TIME_MAX


def test_an_overload_has_no_bound_and_is_not_schedulable() -> None:
    wcet, period = column([1, MAX - 1, 1]), column([MAX, MAX - 1, 5])
    assert listed(_analysis.fp_responses(Tasks(wcet, period))) == [1, None, None]
    assert _analysis.fp_verdict(Tasks(wcet, period, period)) == _analysis.UNSCHEDULABLE


def test_the_longest_times_are_exact_or_undecided() -> None:
    wcet, period = column([MAX // 2, MAX // 2]), column([MAX, MAX])
    assert listed(_analysis.fp_responses(Tasks(wcet, period))) == [MAX // 2, MAX - 1]
    ticks, _ = _analysis.fp_responses(Tasks(wcet, period, blocking=column([0, MAX])))
    assert list(ticks) == [MAX // 2, _analysis.UNKNOWN]
    assert _analysis.fp_verdict(Tasks(wcet, period, period, blocking=column([0, MAX]))) == _analysis.UNDECIDED


def test_behind_an_undecided_task_the_next_may_be_decided() -> None:
    """The first finishes at 2^62 + 1, and its response counts from 2^62 - 1 before; the second is released at 0."""
    wcet, period, blocked = column([2, 1]), column([MAX, MAX]), column([MAX, MAX])
    ticks, _ = _analysis.fp_responses(Tasks(wcet, period, jitter=column([MAX, 0]), blocking=blocked))
    assert list(ticks) == [_analysis.UNKNOWN, MAX + 7]


def test_all_of_the_time_may_be_used() -> None:
    wcet, period = column([1, MAX - 1]), column([MAX, MAX])
    assert listed(_analysis.fp_responses(Tasks(wcet, period))) == [1, MAX]
    assert listed(_analysis.fp_responses(Tasks(column([1, 1]), column([2, 2]), blocking=column([0, 3])))) == [1, 8]


@pytest.mark.parametrize("a", [2**10, 2**22])
def test_responses_that_repeat_after_the_hyperperiod_are_known_if_that_is_within_the_effort(a: int) -> None:
    """At U = 1 and with blocking there is no end before abc, which for the larger a is beyond 2^63."""
    b, c = a + 1, a - 1
    period, wcet = column([a * b, a * c, b * c]), column([1, 1, b * c - 2])
    ticks, _ = _analysis.fp_responses(Tasks(wcet, period, blocking=column([0, 0, 1])), effort=10_000)
    assert list(ticks) == [1, 2, b * c + 3 if a == 2**10 else _analysis.UNKNOWN]


@pytest.mark.parametrize("effort", [0, 1])
def test_without_effort_nothing_is_known(effort: int) -> None:
    """One step compares the utilization with 1, and is not enough for a response."""
    ticks, _ = _analysis.fp_responses(Tasks(column([1]), column([2])), effort=effort)
    assert list(ticks) == [_analysis.UNKNOWN]
    assert _analysis.fp_verdict(Tasks(column([1]), column([2]), column([2])), effort=effort) == _analysis.UNDECIDED


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: _analysis.fp_responses(Tasks(column([1, 1]), column([2]))), "period"),
        (lambda: _analysis.fp_responses(Tasks(column([0]), column([2]))), "wcet"),
        (lambda: _analysis.fp_responses(Tasks(column([1]), column([2]), last=column([2]))), "last"),
        (lambda: _analysis.fp_responses(Tasks(column([1, 1]), column([2, 2]), above=column([0, 0]))), "above"),
        (lambda: _analysis.fp_blocking(column([1]), head_start=2), "head_start"),
        (lambda: _analysis.fp_responses(Tasks(column([1]), column([2]), threshold=column([1]))), "threshold"),
        (lambda: _analysis.fp_responses_many(np.ones((2, 2), np.uint64), np.ones((2, 3), np.uint64)), "period"),
        (lambda: _analysis.graph_lengths(column([1, 1]), column([0, 2]), column([]), column([])), "task"),
        (lambda: _analysis.graph_lengths(column([1, 1]), column([0, 1]), column([0]), column([1])), "target"),
        (lambda: _analysis.graph_lengths(column([1, 1]), column([0, 0]), column([0, 1]), column([1, 0])), "cycle"),
        (lambda: _analysis.graph_lengths(column([1]), column([0]), column([0]), column([1])), "target"),
        (lambda: _analysis.graph_lengths(column([MAX, 1]), column([0, 0]), column([0]), column([1])), "too long"),
    ],
)
def test_wrong_columns_are_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_the_longest_way_and_node_of_a_graph() -> None:
    wcet, longest = _analysis.graph_lengths(
        column([1, 5, 2, 4, 3]), column([0, 0, 0, 0, 1]), column([0, 0, 1, 2]), column([1, 2, 3, 3])
    )
    assert (list(wcet), list(longest)) == ([10, 3], [5, 3])


def test_blocking_by_thresholds() -> None:
    tasks = [Task(4, chain(2), 0), Task(10, chain(2), 0), Task(14, chain(4), 1)]
    blocked = _analysis.fpts_blocking(record(tasks, threshold=thresholds_of(tasks)))
    assert list(blocked) == [blocking(tasks, place) for place in range(3)] == [1, 3, 0]
