# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The Python interface: immutable models, exact results, examples that are true."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from fractions import Fraction

import pytest
import takt
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from takt.base import times
from takt.model import priority_levels

A = takt.Task(name="A", period=5, wcet=2, priority=2)
B = takt.Task(name="B", period=7, wcet=4, priority=1)


def modules() -> list[str]:
    """All modules of the package that are written in Python."""
    found = pkgutil.walk_packages(takt.__path__, "takt.")
    return ["takt", *(module.name for module in found if not module.name.rpartition(".")[2].startswith("_"))]


@pytest.mark.parametrize("name", modules())
def test_the_examples_in_docstrings_are_true(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_models_are_immutable() -> None:
    with pytest.raises(ValidationError):
        A.period = 6  # type: ignore[misc]
    assert takt.System(tasks=[A, B]).tasks == (A, B)


def test_replace_makes_a_checked_copy() -> None:
    system = takt.System(tasks=[A, B])
    assert system.replace(policy="edf").policy == "edf"
    assert system.policy == "fp"
    assert A.replace(class_="soft").class_ == "soft"
    with pytest.raises(takt.InputError, match=r'policy: unknown policy "x"'):
        system.replace(policy="x")
    with pytest.raises(takt.InputError, match=r'perod: unknown key; did you mean "period"\?'):
        A.replace(perod=3)


def test_a_system_that_does_not_fit_together_cannot_be_made() -> None:
    with pytest.raises(takt.InputError, match=r'\[\[task\]\] "C" server: unknown server "S"'):
        takt.System(tasks=[A, takt.Task(name="C", period=5, wcet=1, server="S")])
    with pytest.raises(takt.InputError, match=r"tasks: expected takt.Task objects, found a table"):
        takt.System(tasks=[{"name": "A"}])


def test_times_with_units_are_ticks_of_the_resolution() -> None:
    task = takt.Task(name="A", period="1ms", wcet="250 us", offset="0.5ms", deadline=3)
    (resolved,) = takt.System(tasks=[task], resolution="250us").resolved.tasks
    assert (resolved.period, resolved.wcet, resolved.offset, resolved.deadline) == (4, 1, 2, 3)


def test_deadline_and_demand_default_to_period_and_wcet() -> None:
    (resolved,) = takt.System(tasks=[A]).resolved.tasks
    assert (resolved.deadline, resolved.demand.values) == (5, (2,))


def test_levels_are_ranked_in_each_dispatcher_of_its_own() -> None:
    system = takt.System(
        tasks=[
            takt.Task(name="A", period=5, wcet=1, priority=9, server="S"),
            takt.Task(name="B", period=5, wcet=1, priority=3, threshold=5, server="S"),
            takt.Task(name="C", period=5, wcet=1, priority=4),
            takt.Task(name="D", period=5, wcet=1, priority=7, preemption="non-preemptive"),
        ],
        servers=[takt.Server(name="S", period=5, budget=5, priority=4)],
    ).resolved
    assert [(task.level, task.preemption_key) for task in system.tasks] == [(1, None), (3, 2), (2, None), (1, 0)]
    assert (system.levels, system.servers[0].level, system.servers[0].levels) == (2, 2, 3)


@given(st.lists(st.integers(0, 2**31 - 1), min_size=1))
def test_a_larger_priority_has_a_smaller_level_without_gaps(priorities: list[int]) -> None:
    ranks = priority_levels.rank(priorities)
    assert [ranks[priority] for priority in sorted(set(priorities), reverse=True)] == list(
        range(1, len(set(priorities)) + 1)
    )


@given(st.integers(0, 10**12), st.sampled_from(list(times.UNITS)))
def test_a_time_that_is_written_is_read_again(amount: int, unit: str) -> None:
    nanoseconds = amount * times.UNITS[unit]
    assert times.parse(f"{amount}{unit}") == nanoseconds
    assert times.parse(times.shortest(nanoseconds)) == nanoseconds
    assert times.parse(times.in_unit(nanoseconds, 1, unit)) == nanoseconds


def test_times_for_people_are_rounded_half_to_even_without_trailing_zeros() -> None:
    assert times.in_unit(Fraction(14, 3), 10**6, "ms") == "4.667ms"
    assert times.in_unit(Fraction(1, 2000), 10**6, "ms") == "0ms"
    assert times.in_unit(Fraction(3, 2000), 10**6, "ms") == "0.002ms"
    assert times.in_unit(1500, 1000, "ms") == "1.5ms"


def test_the_default_horizon_is_the_largest_offset_and_a_hyperperiod() -> None:
    late = takt.Task(name="C", period=10, wcet=1, offset=4)
    server = takt.Server(name="S", period=4, budget=1)
    assert takt.simulate(takt.System(tasks=[A, B, late], servers=[server])).horizon == 4 + 140


def test_a_horizon_may_be_given_with_a_unit() -> None:
    system = takt.System(tasks=[A], resolution="100us", horizon=50)
    assert takt.simulate(system).horizon == 50
    assert takt.simulate(system, "2ms").horizon == 20
    with pytest.raises(takt.InputError, match=r'horizon: expected a multiple of the resolution "100us", found "1us"'):
        takt.simulate(system, "1us")


def test_frames_that_were_not_kept_are_not_shown_as_empty() -> None:
    result = takt.simulate(takt.System(tasks=[A]), 10, segments=False, jobs=False, budgets=False)
    for name in ("segments", "jobs", "budgets"):
        with pytest.raises(ValueError, match=f"the {name} were not kept"):
            getattr(result, name)
    assert result.summary["finished"].to_list() == [2]


def test_unfinished_jobs_come_last_with_nothing_in_finish_and_response() -> None:
    result = takt.simulate(takt.System(tasks=[B.replace(wcet=6), A]), 8)
    assert result.jobs.rows()[-2:] == [("B", 0, 0, None, None, True), ("B", 1, 7, None, None, False)]


def test_budgets_have_a_column_for_each_server() -> None:
    servers = [takt.Server(name="S", period=4, budget=2), takt.Server(name="R", period=8, budget=3, offset=1)]
    result = takt.simulate(takt.System(tasks=[A.replace(server="S")], servers=servers), 6)
    assert result.budgets.columns == ["tick", "S", "R"]
    assert result.budgets.rows() == [(0, 2, 0), (1, 1, 3), (2, 0, 3), (3, 0, 3), (4, 2, 3), (5, 2, 3)]


def test_too_many_rows_of_budgets_are_refused_before_they_fill_the_memory() -> None:
    system = takt.System(tasks=[A.replace(server="S")], servers=[takt.Server(name="S", period=10**9, budget=1)])
    with pytest.raises(takt.InputError, match="shorten the horizon"):
        _ = takt.simulate(system, 10**9 // 4, jobs=False, segments=False).budgets


@pytest.mark.long
def test_a_hundred_thousand_tasks_are_an_ordinary_size() -> None:
    tasks = [takt.Task(name=f"T{n}", period=200_000 + n, wcet=1, priority=n) for n in range(100_000)]
    result = takt.simulate(takt.System(tasks=tasks), 400_000, segments=False, jobs=False)
    assert result.summary["released"].sum() == 200_000
