"""Earliest deadline first: published answers, the demand at every length, exhaustive search over what may arrive."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import ceil

import numpy as np
import pytest
from analysis_oracle.edf import Search, Sporadic, density, first_excess, ticks_in, utilization
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sampling import tries
from takt import _analysis

Numbers = NDArray[np.uint64]
SCHEDULABLE = (_analysis.SCHEDULABLE, 0, 0)


def column(values: Sequence[int]) -> Numbers:
    """Make a column of the binding."""
    return np.array(list(values), dtype=np.uint64)


def columns(tasks: Sequence[Sporadic]) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Give wcets, periods, deadlines and jitters."""
    wcets, periods, deadlines, jitters = (column([task[place] for task in tasks]) for place in range(4))
    return wcets, periods, deadlines, jitters


def implicit(*tasks: tuple[int, int]) -> list[Sporadic]:
    """Make tasks (C, T) with deadlines at the end of the period."""
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
        deadline = draw(st.integers(wcet, max(wcet, period + 3)))
        made.append(Sporadic(wcet, period, deadline, draw(st.integers(0, jitter))))
    return draw(st.permutations(made))


@st.composite
def blocked_sets(draw: st.DrawFn) -> tuple[list[Sporadic], list[int] | None, list[tuple[int, int]]]:
    """Draw tasks with regions without preemption, sections, neither or both."""
    tasks = draw(task_sets(jitter=draw(st.sampled_from([0, 0, 3, 15]))))
    regions = [draw(st.integers(1, task.wcet)) for task in tasks] if draw(st.booleans()) else None
    steps = draw(st.dictionaries(st.integers(0, 15), st.integers(0, 3), max_size=3))
    return tasks, regions, sorted(steps.items())


def blocking(
    regions: Sequence[int] | None, steps: Sequence[tuple[int, int]] = ()
) -> tuple[Numbers | None, Numbers | None, Numbers | None]:
    """Give what blocks as columns."""
    lengths = None if regions is None else column(regions)
    return lengths, column([step[0] for step in steps]), column([step[1] for step in steps])


# ---- demand ------------------------------------------------------------------------------------------------------


def test_both_tests_by_demand_say_what_the_demand_at_every_length_says() -> None:
    seen: Counter[bool] = Counter()

    @tries(1500)
    @given(blocked_sets())
    def compare(case: tuple[list[Sporadic], list[int] | None, list[tuple[int, int]]]) -> None:
        tasks, regions, steps = case
        excess = first_excess(tasks, regions, steps)
        by_deadline = _analysis.edf_first_excess(*columns(tasks), *blocking(regions, steps))
        verdict, interval, demand = _analysis.edf_demand(*columns(tasks), *blocking(regions, steps))
        assert by_deadline == (SCHEDULABLE if excess is None else (_analysis.UNSCHEDULABLE, *excess))
        assert verdict == by_deadline[0]
        if demand > 0:
            assert demand == ticks_in(tasks, regions, steps, interval) > interval
        seen[excess is None] += 1

    compare()
    assert min(seen[True], seen[False]) > sum(seen.values()) / 10


def test_density_is_compared_with_one_exactly_and_suffices() -> None:
    seen: Counter[bool] = Counter()

    @tries(300)
    @given(task_sets())
    def compare(tasks: list[Sporadic]) -> None:
        is_sparse = density(tasks) <= 1
        assert (_analysis.edf_density(*columns(tasks)) == _analysis.SCHEDULABLE) == is_sparse
        assert not is_sparse or first_excess(tasks) is None
        seen[is_sparse] += 1

    compare()
    assert min(seen[True], seen[False]) > 0


# ---- all that may arrive -----------------------------------------------------------------------------------------


def responses(tasks: Sequence[Sporadic], is_preemptive: bool) -> list[int]:
    """Ask the analysis for worst responses."""
    ask = _analysis.edf_responses if is_preemptive else _analysis.edf_nonpreemptive_responses
    return [int(ticks) for ticks in ask(*columns(tasks))[0]]


@pytest.mark.parametrize(("jitter", "sample"), [(0, 60), (2, 40), (9, 6)])
@pytest.mark.parametrize("is_preemptive", [True, False])
def test_verdicts_and_responses_are_those_of_exhaustive_search(is_preemptive: bool, jitter: int, sample: int) -> None:
    seen: Counter[bool] = Counter()

    @tries(sample)
    @given(task_sets(longest=9, jitter=jitter, most=3 if jitter < 9 else 2).filter(lambda made: utilization(made) <= 1))
    def search(tasks: list[Sporadic]) -> None:
        regions = None if is_preemptive else [task.wcet for task in tasks]
        searches = [Search(tasks, own, is_preemptive=is_preemptive) for own in range(len(tasks))]
        has_miss = any(found.has_miss for found in searches)
        assert responses(tasks, is_preemptive) == [found.worst for found in searches]
        assert _analysis.edf_demand(*columns(tasks), *blocking(regions))[0] == (not has_miss)
        seen[has_miss] += 1

    search()
    assert seen[True] > 0
    assert seen[False] > 0
