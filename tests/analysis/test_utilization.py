# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Utilization bounds: equal to exact fractions, never optimistic, met with equality where that is possible."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from analysis_oracle import tolerance, utilization
from hypothesis import given
from hypothesis import strategies as st
from sampling import expect_cases, tries
from takt import _analysis
from takt._analysis import Tasks

Task = tuple[int, int, int, int]  # wcet, period, deadline, jitter

PERIODS = (2, 3, 4, 5, 6, 8, 9, 10, 12, 15, 16, 20, 24, 30, 40, 60)


def record(tasks: list[Task]) -> Tasks:
    """The record of tasks."""
    return Tasks(*(np.array([task[i] for task in tasks], dtype=np.uint64) for i in range(4)))


def implicit(*tasks: tuple[int, int]) -> list[Task]:
    """Tasks (wcet, period) whose deadlines are their periods."""
    return [(wcet, period, period, 0) for wcet, period in tasks]


def windows(tasks: list[Task]) -> list[int]:
    """In which time each task has to be done."""
    return [min(period, deadline) - jitter for _, period, deadline, jitter in tasks]


def answers(tasks: list[Task]) -> tuple[int, int, int]:
    """What Liu and Layland's, the hyperbolic and the harmonic bound say of priorities in this order."""
    given = record(tasks)
    return (_analysis.liu_layland(given), _analysis.hyperbolic(given), _analysis.harmonic_chains(given)[0])


def verdicts(tasks: list[Task]) -> tuple[bool, bool, bool]:
    """Which of them accept the tasks."""
    liu_layland, hyperbolic, harmonic = (verdict == _analysis.SCHEDULABLE for verdict in answers(tasks))
    return liu_layland, hyperbolic, harmonic


def expected(tasks: list[Task]) -> tuple[bool, bool, bool]:
    """The same in exact fractions."""
    if any(window < task[0] for window, task in zip(windows(tasks), tasks, strict=True)):
        return False, False, False
    shares = [Fraction(task[0], window) for window, task in zip(windows(tasks), tasks, strict=True)]
    chains = utilization.least_chains(windows(tasks)) if tasks else 0
    return (
        utilization.is_within_liu_layland(shares, len(shares)),
        utilization.is_within_hyperbolic(shares),
        utilization.is_within_liu_layland(shares, chains),
    )


def draw(seed: int) -> list[Task]:
    """Tasks whose utilization is around the bounds."""
    generator = random.Random(seed)
    count = generator.randint(0, 6)
    tasks: list[Task] = []
    for _ in range(count):
        period = generator.choice(PERIODS)
        wcet = max(1, round(period * generator.uniform(0.3, 1.8) / (count + 1)))
        is_plain = generator.random() < 0.5
        deadline = period if is_plain else generator.randint(max(1, period - 3), period + 3)
        tasks.append((wcet, period, deadline, 0 if is_plain else generator.choice([0, 0, 1])))
    return tasks


said: Counter[tuple[bool, bool, bool]] = Counter()
unordered: Counter[bool] = Counter()


@given(st.integers(0, 2**32))
@tries(700)
def compare_with_fractions_and_response_times(seed: int) -> None:
    drawn = draw(seed)
    tasks = sorted(drawn, key=lambda task: windows([task]))
    verdict = verdicts(tasks)
    assert verdict == expected(tasks), tasks
    ordered = [(wcet, period, min(period, deadline), jitter) for wcet, period, deadline, jitter in tasks]
    assert not any(verdict) or tolerance.are_schedulable(ordered), tasks
    said[verdict] += 1
    is_ordered = windows(drawn) == windows(tasks)
    assert is_ordered or set(answers(drawn)) == {_analysis.UNDECIDED}, drawn
    unordered[is_ordered] += 1


def test_the_bounds_are_those_of_exact_fractions_and_never_optimistic() -> None:
    said.clear()
    unordered.clear()
    compare_with_fractions_and_response_times()
    expect_cases({(True, True, True), (False, True, False), (False, True, True), (False, False, True)} <= set(said))
    expect_cases((False, False, False) in said and set(unordered) == {False, True})
    assert all(hyperbolic or not liu_layland for liu_layland, hyperbolic, _ in said)


def test_the_bounds_say_nothing_of_priorities_in_another_order() -> None:
    """A before B is rate monotonic, under which B responds in 3; B before A is deadline monotonic."""
    a, b = (2, 10, 10, 0), (1, 20, 2, 0)
    assert answers([a, b]) == (_analysis.UNDECIDED,) * 3
    assert answers([b, a])[:2] == (_analysis.SCHEDULABLE,) * 2
    assert answers([(11, 10, 10, 0), b]) == (_analysis.UNDECIDED,) * 3


def test_the_hyperbolic_bound_may_be_met_with_equality() -> None:
    assert verdicts(implicit((1, 2), (1, 3))) == (False, True, False)
    assert not any(verdicts(implicit((1, 2), (34, 101))))


def test_one_task_may_take_the_whole_processor() -> None:
    huge = _analysis.TIME_MAX
    assert verdicts(implicit((huge, huge))) == (True, True, True)
    assert verdicts([(huge, huge, huge - 1, 0)]) == (False, False, False)


def test_harmonic_periods_fill_the_processor() -> None:
    assert verdicts(implicit((1, 2), (1, 4), (2, 8))) == (False, False, True)
    assert verdicts(implicit((1, 2), (1, 4), (3, 8)))[2] is False


@pytest.mark.parametrize(
    ("periods", "chains"),
    [((2, 3, 4, 6, 8, 12), 2), ((5, 5, 5), 1), ((2, 3, 5, 7), 4), ((1, 2, 6, 4, 12, 3), 2), ((2, 4, 6, 12, 30), 2)],
)
def test_the_fewest_chains_are_found(periods: tuple[int, ...], chains: int) -> None:
    tasks = implicit(*((1, period) for period in periods))
    assert utilization.least_chains(periods) == chains
    assert _analysis.harmonic_chains(record(tasks))[1] == chains


@tries(150)
@given(st.lists(st.sampled_from([1, 2, 3, 4, 6, 8, 9, 12, 18, 24, 36, 72, 5, 10]), min_size=4, max_size=7))
def test_no_partition_has_fewer_chains(periods: list[int]) -> None:
    tasks = implicit(*((1, period) for period in periods))
    assert _analysis.harmonic_chains(record(tasks))[1] == utilization.least_chains(periods)


@pytest.mark.parametrize("count", range(2, 60))
def test_rounding_admits_nothing_beyond_the_bound(count: int) -> None:
    """Equal tasks of the least wcet that is too much; their shares need no rounding."""
    period = 2**61
    too_much = 0
    for bit in reversed(range(62)):
        longer = too_much + 2**bit
        too_much = longer if utilization.is_within_liu_layland([Fraction(longer, period)] * count, count) else too_much
    assert not verdicts(implicit(*[(too_much + 1, period)] * count))[0]


def test_many_huge_tasks_are_told_from_the_bounds() -> None:
    """Fifty equal tasks one tick on either side of both bounds, in words of 62 bits."""
    period = _analysis.TIME_MAX
    share = Fraction(0)
    for bit in range(1, 64):
        share += Fraction(1, 2**bit) if (share + Fraction(1, 2**bit) + 1) ** 50 <= 2 else 0
    wcet = int(share * period)
    assert verdicts(implicit(*[(wcet - 2, period)] * 50))[:2] == (True, True)
    assert verdicts(implicit(*[(wcet + 2, period)] * 50))[:2] == (False, False)


def test_no_tasks_fit() -> None:
    assert verdicts([]) == (True, True, True)
