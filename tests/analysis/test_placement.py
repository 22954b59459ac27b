# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Blocking tolerance, longest regions and points: equal to trying everything; what is cut so stays schedulable."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
import takt
from analysis_oracle import points, tolerance
from columns import Column, column
from hypothesis import given
from hypothesis import strategies as st
from sampling import expect_cases, tries
from takt import _analysis
from takt._analysis import Tasks

Task = tuple[int, int, int, int]  # wcet, period, deadline, jitter
SEEDS = st.integers(0, 2**32)


def columns(tasks: list[Task]) -> tuple[Column, Column, Column, Column]:
    """The columns of tasks."""
    wcet, period, deadline, jitter = (column([task[i] for task in tasks]) for i in range(4))
    return wcet, period, deadline, jitter


def draw(seed: int) -> list[Task]:
    """Tasks that are often schedulable, their deadlines at most their periods."""
    generator = random.Random(seed)
    count = generator.randint(1, 5)
    tasks = []
    for _ in range(count):
        period = generator.randint(3, 40)
        wcet = max(1, round(period * generator.uniform(0.2, 1.5) / count))
        deadline = generator.choice([period, generator.randint(min(wcet, period), period)])
        tasks.append((wcet, period, deadline, generator.choice([0, 0, 1])))
    return sorted(tasks, key=lambda task: task[2])


# ---- fixed priorities ------------------------------------------------------------------------------------------


@tries(600)
@given(SEEDS)
def test_the_tolerance_is_that_of_all_instants(seed: int) -> None:
    tasks = draw(seed)
    verdicts, found = _analysis.blocking_tolerances(Tasks(*columns(tasks)))
    expected = [tolerance.tolerance(tasks, rank) for rank in range(len(tasks))]
    assert [verdict == _analysis.SCHEDULABLE for verdict in verdicts] == [slack is not None for slack in expected]
    assert list(found) == [slack or 0 for slack in expected]


@tries(600)
@given(SEEDS)
def test_response_times_with_that_blocking_are_just_in_time(seed: int) -> None:
    tasks = draw(seed)
    wcet, period, deadline, jitter = columns(tasks)
    verdicts, found = _analysis.blocking_tolerances(Tasks(wcet, period, deadline, jitter))
    for more in (0, 1):
        responses, _ = _analysis.fp_responses(Tasks(wcet, period, jitter=jitter, blocking=found + np.uint64(more)))
        in_time = (responses <= deadline) & (verdicts == _analysis.SCHEDULABLE)
        assert (in_time == ((more == 0) & (verdicts == _analysis.SCHEDULABLE))).all()


def cut(wcet: int, longest: int, generator: random.Random) -> list[int]:
    """Pieces of the longest, with what is left somewhere."""
    pieces = [longest] * (wcet // longest) + [wcet % longest] * (wcet % longest > 0)
    generator.shuffle(pieces)
    return pieces


seen: Counter[object] = Counter()


@tries(700)
@given(SEEDS)
def check_what_is_cut(seed: int) -> None:
    tasks = draw(seed)
    wcet, period, deadline, jitter = columns(tasks)
    verdict, regions = _analysis.fp_regions(Tasks(wcet, period, deadline, jitter))
    expected = tolerance.fp_regions(tasks)
    assert (verdict == _analysis.SCHEDULABLE) == (expected is not None)
    seen[expected is not None] += 1
    if expected is not None:
        assert list(regions) == expected
        generator = random.Random(seed)
        pieces = [cut(task[0], region, generator) for task, region in zip(tasks, expected, strict=True)]
        blocking = _analysis.fp_blocking(column([max(lengths) for lengths in pieces]))
        last = column([lengths[-1] for lengths in pieces])
        assert (
            _analysis.fp_verdict(Tasks(wcet, period, deadline, jitter, blocking=blocking, last=last))
            == _analysis.SCHEDULABLE
        )


def test_what_is_cut_into_longest_regions_stays_schedulable() -> None:
    seen.clear()
    check_what_is_cut()
    expect_cases(seen[True] > sum(seen.values()) / 3)
    expect_cases(seen[False] > 0)


# ---- EDF ---------------------------------------------------------------------------------------------------------


def is_edf_schedulable(tasks: list[Task]) -> bool:
    """True if demand never exceeds time, up to where that is known to be enough for these."""
    return (
        all(tolerance.demand_bound(tasks, t) <= t for t in range(2000))
        and sum(wcet / period for wcet, period, _, _ in tasks) < 0.99
    )


@tries(300)
@given(SEEDS)
def check_edf_regions(seed: int) -> None:
    tasks = draw(seed)
    expected = tolerance.edf_regions(tasks)
    verdict, regions = _analysis.edf_regions(Tasks(*columns(tasks)))
    if is_edf_schedulable(tasks):
        assert expected is not None
        assert (verdict, list(regions)) == (_analysis.SCHEDULABLE, expected)
        check_edf_exactness(tasks, expected)
        check_edf_run(tasks, expected, random.Random(seed))
    else:
        assert (verdict == _analysis.SCHEDULABLE) == (expected is not None)
    seen[is_edf_schedulable(tasks)] += 1


def check_edf_exactness(tasks: list[Task], regions: list[int]) -> None:
    """With these regions the test of processor demand is passed, and with one that is longer by a tick it is not."""
    given = columns(tasks)
    assert _analysis.edf_demand(Tasks(*given, regions=column(regions)))[0] == _analysis.SCHEDULABLE
    for place, (wcet, _, _, _) in enumerate(tasks):
        longer = [region + (i == place) for i, region in enumerate(regions)]
        if regions[place] < wcet:
            assert _analysis.edf_demand(Tasks(*given, regions=column(longer)))[0] == _analysis.UNSCHEDULABLE
            seen["longer"] += 1


def check_edf_run(tasks: list[Task], regions: list[int], generator: random.Random) -> None:
    """No job of the tasks, cut so, is late from random offsets on."""
    members = []
    for i, ((wcet, period, deadline, jitter), region) in enumerate(zip(tasks, regions, strict=True)):
        runs = [f"run {length}" for length in cut(wcet, region, generator)]
        body = [item for run in runs for item in (run, "point")][:-1]
        members.append(
            takt.Task(
                name=f"T{i}",
                period=period,
                deadline=deadline,
                jitter=jitter,
                offset=generator.randrange(period),
                body=body,
                preemption="non-preemptive",
            )
        )
    result = takt.simulate(takt.System(tasks=members, policy="edf"), horizon=1000)
    assert result.summary["missed"].sum() == 0


def test_edf_regions_are_those_of_all_instants_and_nobody_is_late() -> None:
    seen.clear()
    check_edf_regions()
    expect_cases(min(seen[True], seen[False], seen["longer"]) > sum(seen.values()) / 20)


def test_a_region_that_is_longer_by_a_tick_makes_somebody_late() -> None:
    tasks = [(2, 5, 5, 0), (7, 12, 12, 0)]
    assert list(_analysis.fp_regions(Tasks(*columns([(2, 5, 5, 0), (4, 12, 12, 0)])))[1]) == [2, 4]
    assert list(_analysis.edf_regions(Tasks(*columns(tasks)))[1]) == [2, 4]
    late = {}
    for region in (4, 5):
        rest = f"run {7 - region}"
        body = [rest, "point", f"run {region}"]
        members = [
            takt.Task(name="A", period=5, wcet=2, offset=8 - region),
            takt.Task(name="B", period=12, body=body, preemption="non-preemptive"),
        ]
        result = takt.simulate(takt.System(tasks=members, policy="edf"), horizon=600)
        late[region] = result.summary["missed"].sum() > 0
    assert late == {4: False, 5: True}


# ---- points --------------------------------------------------------------------------------------------------------


@tries(900)
@given(SEEDS)
def check_points(seed: int) -> None:
    generator = random.Random(seed)
    count = generator.randint(1, 9)
    wcet = [generator.randint(1, 9) for _ in range(count)]
    cost = [generator.choice([0, 1, 2, 5, generator.randint(0, 12)]) for _ in range(count)]
    longest = generator.randint(max(wcet) - 1, max(wcet) + 15) or 1
    expected = points.least_cost(wcet, cost, longest)
    verdict, least, chosen = _analysis.place_points(column(wcet), column(cost), longest)
    assert (verdict == _analysis.SCHEDULABLE) == (expected is not None)
    seen[expected is not None] += 1
    if expected is not None:
        assert least == points.cost_of(cost, chosen) == expected
        assert points.longest_region(wcet, cost, chosen) <= longest
        assert not chosen[-1]


def test_points_cost_as_little_as_any_choice_does() -> None:
    seen.clear()
    check_points()
    expect_cases(seen[True] > seen[False] > sum(seen.values()) / 20)


def test_a_long_chain_is_cut_at_its_cheap_places() -> None:
    count = 100_000
    verdict, least, chosen = _analysis.place_points(column([1] * count), column([1, 3] * (count // 2)), 5)
    assert verdict == _analysis.SCHEDULABLE
    assert least == sum(chosen) == 24999


def test_sums_beyond_what_is_computed_are_undecided() -> None:
    huge = [_analysis.TIME_MAX] * 3
    assert _analysis.place_points(column(huge), column([1] * 3), 5)[0] == _analysis.UNDECIDED
    far = columns([(1, 2, 2, 0), (1, 2**62 - 1, 2**62 - 1, 0)])
    verdicts, _ = _analysis.blocking_tolerances(Tasks(*far), effort=100)
    assert list(verdicts) == [_analysis.SCHEDULABLE, _analysis.UNDECIDED]
    assert _analysis.fp_regions(Tasks(*far), effort=100)[0] == _analysis.UNDECIDED
    assert _analysis.edf_regions(Tasks(*far), effort=100)[0] == _analysis.UNDECIDED


@pytest.mark.parametrize("longest", [0, 2**62])
def test_a_longest_region_that_is_no_time_is_refused(longest: int) -> None:
    with pytest.raises(ValueError, match="longest"):
        _analysis.place_points(column([1]), column([0]), longest)
