"""Response times under fixed priorities: published answers, the formulas taken literally, and exhaustive search."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import ceil

import numpy as np
import pytest
from analysis_oracle.arrivals import worst_response
from analysis_oracle.fixed_priority import Task, chain, response, utilization
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sampling import tries
from takt import _analysis

Numbers = NDArray[np.uint64]


def column(values: Sequence[int]) -> Numbers:
    """Make a column of the binding."""
    return np.array(list(values), dtype=np.uint64)


def responses(tasks: Sequence[Task]) -> list[int | None]:
    """Ask the analysis: blocking from its own function, responses from the last subjobs. None if there is no bound."""
    longest = column([max(task.graph.lengths) for task in tasks])
    last = column([task.graph.lengths[-1] for task in tasks])
    blocked = _analysis.fp_blocking(longest)
    ticks, _ = _analysis.fp_responses(*columns(tasks), blocking=blocked, last=last)
    return [None if value == _analysis.UNBOUNDED else int(value) for value in ticks]


def columns(tasks: Sequence[Task]) -> tuple[Numbers, Numbers, Numbers]:
    """Give the wcets, periods and jitters."""
    return (
        column([task.wcet for task in tasks]),
        column([task.period for task in tasks]),
        column([task.jitter for task in tasks]),
    )


def preemptive(*tasks: tuple[int, int]) -> list[int | None]:
    """Ask for the responses of tasks (T, C) under full preemption."""
    return responses([Task(period, chain(*[1] * wcet)) for period, wcet in tasks])


# ---- published answers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tasks", "expected"),
    [
        ([(70, 26), (100, 62)], [26, 118]),  # Lehoczky 1990, arbitrary deadlines
        ([(7, 3), (12, 3), (20, 5)], [3, 6, 20]),  # Burns and Wellings, Real-Time Systems and Programming Languages
        ([(20, 5), (40, 10), (80, 40)], [5, 15, 80]),  # the same book, U = 1
        ([(5, 2), (12, 7)], [2, 13]),  # specification 3.5
        ([(12, 7), (5, 2)], [7, 10]),
    ],
)
def test_published_responses_under_full_preemption(tasks: list[tuple[int, int]], expected: list[int]) -> None:
    assert preemptive(*tasks) == expected


@pytest.mark.parametrize(
    ("tasks", "expected"),
    [
        ([Task(25, chain(10)), Task(35, chain(6, 15))], [24, 35]),  # Bril, Lukkien, Verhaegh 2009
        ([Task(4, chain(2)), Task(6, chain(1, 2))], [3, 6]),
        ([Task(5, chain(2)), Task(12, chain(3, 4))], [5, 11]),  # specification 3.5
        ([Task(5, chain(2)), Task(12, chain(7))], [8, 9]),
        ([Task(12, chain(7)), Task(5, chain(2))], [8, 9]),
    ],
)
def test_published_responses_with_deferred_preemption(tasks: list[Task], expected: list[int]) -> None:
    assert responses(tasks) == expected


def test_the_worst_job_is_the_fifth_of_its_active_period() -> None:
    ticks, job = _analysis.fp_responses(column([10, 21]), column([25, 35]), last=column([1, 15]))
    assert (list(ticks), list(job)) == ([10, 35], [0, 4])


# ---- random systems ------------------------------------------------------------------------------------------

LENGTHS = {
    "preemptive": st.integers(1, 4).map(lambda wcet: [1] * wcet),
    "non-preemptive": st.integers(1, 4).map(lambda wcet: [wcet]),
    "deferred": st.lists(st.integers(1, 3), min_size=1, max_size=3),
}


@st.composite
def systems(draw: st.DrawFn, kind: str, jitter: int = 0, most: int = 3) -> list[Task]:
    """Draw a tiny system that does not overload the processor, and often uses all of it."""
    made: list[Task] = []
    while len(made) < most and utilization(made) < 1:
        lengths = draw(LENGTHS[kind])
        shortest = ceil(sum(lengths) / (1 - utilization(made)))
        if shortest > 14:
            break
        period = draw(st.integers(max(2, shortest), max(2, shortest) + 5))
        made.append(Task(period, chain(*lengths), 0, draw(st.integers(0, jitter))))
    return draw(st.permutations(made))


@pytest.mark.parametrize("kind", LENGTHS)
def test_responses_are_those_of_exhaustive_search(kind: str) -> None:
    @tries(15)
    @given(systems(kind))
    def search(tasks: list[Task]) -> None:
        assert responses(tasks) == [worst_response(tasks, place) for place in range(len(tasks))]

    search()


@pytest.mark.parametrize("kind", LENGTHS)
def test_responses_with_jitter_are_those_of_exhaustive_search(kind: str) -> None:
    @tries(10)
    @given(systems(kind, jitter=7, most=2))
    def search(tasks: list[Task]) -> None:
        assert responses(tasks) == [worst_response(tasks, place) for place in range(len(tasks))]

    search()


@pytest.mark.parametrize("kind", LENGTHS)
def test_jobs_that_end_early_make_no_response_longer(kind: str) -> None:
    @tries(5)
    @given(systems(kind, most=2))
    def search(tasks: list[Task]) -> None:
        early = [worst_response(tasks, place, is_early=True) for place in range(len(tasks))]
        assert responses(tasks) == early

    search()


@st.composite
def larger_systems(draw: st.DrawFn) -> list[Task]:
    """Draw a system of up to 8 tasks, often with more work than time at the bottom."""
    lengths = st.lists(st.integers(1, 6), min_size=1, max_size=3)
    return [
        Task(draw(st.integers(2, 60)), chain(*draw(lengths)), 0, draw(st.integers(0, 30)))
        for _ in range(draw(st.integers(1, 8)))
    ]


def test_responses_are_those_of_the_formula() -> None:
    seen: Counter[bool] = Counter()

    @tries(300)
    @given(larger_systems())
    def compare(tasks: list[Task]) -> None:
        expected = [response(tasks, place) for place in range(len(tasks))]
        seen[None in expected] += 1
        assert responses(tasks) == expected

    compare()
    assert min(seen[False], seen[True]) > 0
