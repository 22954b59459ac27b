# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Responses of tasks of one priority, served in the order in which they come."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import ceil

import numpy as np
import pytest
import takt
from analysis_oracle import fifo
from analysis_oracle.fixed_priority import Task, chain, utilization
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sampling import expect_cases, tries
from takt import _analysis
from takt._analysis import Tasks
from takt.analysis.result import Verdict

Draw = st.DrawFn
Levels = Sequence[int]

EQUALS = "response times, equals in FIFO order"
GOLDEN: list[tuple[list[tuple[int, int, int, int]], list[int | None]]] = [
    ([(2, 10, 1, 0), (3, 12, 1, 0), (4, 20, 1, 0)], [8, 8, 9]),
    ([(1, 5, 2, 0), (2, 10, 1, 0), (3, 14, 1, 0)], [1, 6, 7]),
    ([(2, 6, 2, 0), (1, 4, 1, 0), (3, 8, 1, 0)], [2, None, 7]),
    ([(2, 8, 1, 3), (2, 9, 1, 0)], [6, 4]),
]
"""Of SPEC.md, 16: wcet, period, priority, jitter; and the responses, None where the bound does not hold."""


def column(values: Sequence[int]) -> NDArray[np.uint64]:
    """Return a column of the binding."""
    return np.array(values, np.uint64)


def bounds(tasks: Sequence[Task], levels: Levels) -> list[int | None]:
    """Return what the binding says of tasks with equals; None: the bound does not hold."""
    above = [max(j for j, other in enumerate(levels) if other == level) + 1 for level in levels]
    has_equals = [levels.count(level) > 1 for level in levels]
    blocked = [
        max((n - 1 for j, other in enumerate(tasks) if levels[j] > level for n in other.graph.lengths), default=0)
        for level in levels
    ]
    record = Tasks(
        column([task.wcet for task in tasks]),
        column([task.period for task in tasks]),
        jitter=column([task.jitter for task in tasks]),
        above=column([end if shared else j for j, (end, shared) in enumerate(zip(above, has_equals, strict=True))]),
        blocking=column(blocked),
        last=column([task.graph.lengths[-1] for task in tasks]),
    )
    ticks, _ = _analysis.fifo_responses(record)
    return [None if tick == _analysis.UNBOUNDED else int(tick) for tick in ticks]


@st.composite
def systems(
    draw: Draw, most: int = 3, longest: int = 3, latest: int = 20, jitter: int = 0
) -> tuple[list[Task], list[int]]:
    """Draw tiny tasks that do not overload the processor, and their levels, most of them shared."""
    made: list[Task] = []
    while len(made) < most and utilization(made) < 1:
        lengths = draw(st.lists(st.integers(1, longest), min_size=1, max_size=2))
        graph = chain(*lengths) if draw(st.booleans()) else chain(*[1] * sum(lengths))
        shortest = max(2, ceil(Task(1, graph).wcet / (1 - utilization(made))))
        if shortest + 3 > latest:
            break
        made.append(Task(draw(st.integers(shortest, latest)), graph, jitter=draw(st.sampled_from((0, 0, jitter)))))
    ordered = draw(st.permutations(made))
    levels = sorted(draw(st.lists(st.sampled_from((0, 0, 1)), min_size=len(made), max_size=len(made))))
    return list(ordered), [level - levels[0] for level in levels]


def are_equal(levels: Levels, place: int) -> list[int]:
    """Return the tasks of a level."""
    return [j for j, level in enumerate(levels) if level == levels[place]]


def test_responses_are_those_of_exhaustive_search() -> None:
    """Exact where all bounds of a level hold; never below, also where other equals pile up."""
    seen: Counter[str] = Counter()

    @tries(150)
    @given(systems(longest=2, latest=13))
    def compare(drawn: tuple[list[Task], list[int]]) -> None:
        tasks, levels = drawn
        found = bounds(tasks, levels)
        for place, ticks in enumerate(found):
            if ticks is None:
                continue
            longest = fifo.worst_response(tasks, levels, place)
            is_exact = all(found[j] is not None for j in are_equal(levels, place))
            assert longest == ticks if is_exact else longest <= ticks
            seen["exact" if is_exact else "bound"] += 1

    compare()
    expect_cases(seen["exact"] > 10, seen)


def test_responses_are_those_of_the_formula() -> None:
    seen: Counter[str] = Counter()

    @tries(100)
    @given(systems(most=7, latest=40, jitter=9))
    def compare(drawn: tuple[list[Task], list[int]]) -> None:
        tasks, levels = drawn
        found = bounds(tasks, levels)
        for place, ticks in enumerate(found):
            is_asked = len(are_equal(levels, place)) > 1
            assert ticks == (fifo.response(tasks, levels, place) if is_asked else None)
            seen["held" if ticks is not None else "not held"] += is_asked

    compare()
    expect_cases(min(seen["held"], seen["not held"]) > 20, seen)


@pytest.mark.parametrize(("rows", "expected"), GOLDEN)
def test_responses_of_the_specification(rows: list[tuple[int, int, int, int]], expected: list[int | None]) -> None:
    tasks = [Task(period, chain(*[1] * wcet), jitter=jitter) for wcet, period, _, jitter in rows]
    levels = [-priority for *_, priority, _ in rows]
    shared = [ticks if levels.count(level) > 1 else None for ticks, level in zip(expected, levels, strict=True)]
    assert bounds(tasks, levels) == shared


def test_a_job_that_would_be_done_before_its_release_counts_for_nothing() -> None:
    """By the formula a job that is released at 113 would begin its last region at 107."""
    tasks = [Task(2, chain(1)), Task(6, chain(1, 1)), Task(23, chain(3)), Task(28, chain(1))]
    assert bounds(tasks, [0, 0, 1, 1]) == [None, 5, 13, 24]


def system_of(tasks: Sequence[Task], levels: Levels, offsets: Sequence[int] = (), **first: int) -> takt.System:
    """Return the tasks as a system; `first` are further keys of the first one."""
    return takt.System(
        tasks=[
            takt.Task(
                name=f"T{j}",
                period=task.period,
                offset=offsets[j] if offsets else 0,
                jitter=task.jitter,
                priority=9 - levels[j],
                **({"subjobs": list(task.graph.lengths)} if max(task.graph.lengths) > 1 else {"wcet": task.wcet}),
                **(first if j == 0 else {}),
            )
            for j, task in enumerate(tasks)
        ],
        policy="fp",
    )


def test_no_run_is_above_the_bounds_and_parts_add_up() -> None:
    seen: Counter[str] = Counter()

    @tries(80)
    @given(systems(most=5, latest=40, jitter=4), st.data())
    def compare(drawn: tuple[list[Task], list[int]], data: st.DataObject) -> None:
        tasks, levels = drawn
        offsets = data.draw(st.lists(st.integers(0, 9), min_size=len(tasks), max_size=len(tasks)))
        system = system_of(tasks, levels, offsets)
        rows = takt.analyse(system, sensitivity=False, advice=False).tasks
        jobs = takt.simulate(system, 600).jobs
        for row in rows:
            longest = max(jobs.filter(task=row.task)["response"].drop_nulls().to_list(), default=0)
            assert row.response is None or longest <= row.response
            assert sum(part.ticks for part in row.parts) == (row.response or 0)
            seen[row.test.name if row.test is not None else ""] += 1

    compare()
    expect_cases(seen[EQUALS] > 5, seen)


def test_a_refusal_among_equals_has_a_run_that_misses() -> None:
    """T0 waits for both others at 8 > 7: they are released a tick before it."""
    tasks = [Task(10, chain(1, 1)), Task(12, chain(1, 1, 1)), Task(20, chain(1, 1, 1, 1))]
    found = takt.analyse(system_of(tasks, [0, 0, 0], deadline=7))
    assert found.verdict is Verdict.NOT_SCHEDULABLE
    assert found.reason == "T0 misses by 1 ms: 8 ms > 7 ms; interference T2 4 ms, T1 3 ms"
    jobs = takt.simulate(system_of(tasks, [0, 0, 0], [1, 0, 0], deadline=7), 20).jobs
    assert jobs.filter(task="T0")["response"].to_list()[0] == 8


def test_wcets_grow_up_to_the_edge() -> None:
    """The growth of each task among equals is the largest with which all deadlines are met."""
    seen: Counter[bool] = Counter()

    @tries(15)
    @given(systems(most=4))
    def compare(drawn: tuple[list[Task], list[int]]) -> None:
        tasks, levels = [Task(task.period, chain(*[1] * task.wcet)) for task in drawn[0]], drawn[1]
        for j, row in enumerate(takt.analyse(system_of(tasks, levels)).tasks):
            if row.growth is None:
                continue
            for more in (0, 1):
                grown = [
                    replace(t, graph=chain(*[1] * (t.wcet + (row.growth + more) * (i == j))))
                    for i, t in enumerate(tasks)
                ]
                verdict = takt.analyse(system_of(grown, levels), sensitivity=False, advice=False).verdict
                is_met = verdict is Verdict.SCHEDULABLE
                assert is_met == (more == 0)
                seen[is_met] += 1

    compare()
    expect_cases(min(seen[True], seen[False]) > 5, seen)


def test_jitter_leaves_bounds() -> None:
    tasks = [Task(10, chain(1, 1)), Task(12, chain(1, 1, 1))]
    assert [row.is_tight for row in takt.analyse(system_of(tasks, [0, 0])).tasks] == [True, True]
    shaken = [replace(tasks[0], jitter=1), tasks[1]]
    assert [row.is_tight for row in takt.analyse(system_of(shaken, [0, 0])).tasks] == [False, False]


@pytest.mark.parametrize("effort", [0, 1, 2])
def test_without_effort_nothing_is_known(effort: int) -> None:
    record = Tasks(column([1, 1]), column([4, 4]), above=column([2, 2]))
    ticks, _ = _analysis.fifo_responses(record, effort=effort)
    assert list(ticks) == [_analysis.UNKNOWN, _analysis.UNKNOWN]


def test_the_longest_times_are_exact_or_not_known() -> None:
    most = _analysis.TIME_MAX
    ticks, _ = _analysis.fifo_responses(
        Tasks(column([most // 2, most // 2]), column([most, most]), above=column([2, 2]))
    )
    assert list(ticks) == [most - 2, most - 1]
    full = Tasks(column([1, 1]), column([2, 2]), above=column([2, 2]), blocking=column([1, 1]))
    assert list(_analysis.fifo_responses(full)[0]) == [_analysis.UNBOUNDED] * 2
