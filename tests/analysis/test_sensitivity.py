# SPDX-License-Identifier: Apache-2.0 OR MIT
"""By how much wcets may grow: C answers as the search does, and no search takes long because of its size."""

from __future__ import annotations

from dataclasses import replace

import pytest
import takt
from hypothesis import given
from hypothesis import strategies as st
from oracle import System as OracleSystem
from oracle.systems import EVERYTHING as ANYTHING
from oracle.systems import RESOURCES, SERVER_KINDS, crowds, systems
from sampling import expect_cases, tries
from takt.analysis import sensitivity
from takt.analysis.judge import EFFORT, judge
from takt.analysis.judgement import Judgement
from takt.analysis.result import Verdict, worst_of
from takt.analysis.view import SystemView, view_of
from test_random_systems import as_system

many = tries(80)


def searched(view: SystemView, now: Judgement) -> dict[int, int | None]:
    """By how much each wcet may grow, every question an analysis of its own."""
    tasks = [task for each in view.dispatchers for task in each.tasks]
    return {
        task.number: sensitivity.growth_of(view, task, sensitivity.keeping(now, EFFORT, task.number)) for task in tasks
    }


def check(system: takt.System) -> bool:
    """True if a system is plain; then both ways must find the same."""
    view = view_of(system)
    now = judge(view)
    plain = sensitivity.plain_of(view, now, sensitivity.wanted_by(now), EFFORT // sensitivity.PROBES)
    if plain is None or worst_of([row.verdict for row in now.that_count()]) is Verdict.NOT_KNOWN:
        return False
    found, slow = dict(plain.growths()), searched(view, now)
    assert found == {number: slow[number] for number in found}
    expected = sensitivity.scaling_of(view, sensitivity.keeping(now, EFFORT))
    all_found = sensitivity.sensitivity_of(view, now, EFFORT)
    assert replace(all_found, scaling_finer=None) == sensitivity.Sensitivity(slow, expected)
    return bool(found)


def in_finer_ticks(system: takt.System) -> takt.System:
    """Return plain tasks with ticks a thousandth as long."""

    def finer(task: takt.Task) -> takt.Task:
        keys = {key: getattr(task, key) for key in ("period", "wcet", "deadline", "jitter")}
        return task.replace(**{key: sensitivity.FINER * value for key, value in keys.items() if value})

    return system.replace(tasks=[finer(task) for task in system.tasks])


def check_finer(system: takt.System) -> None:
    """The factor in finer ticks is that of the system in finer ticks, each question an analysis of its own."""
    view, fine = view_of(system), view_of(in_finer_ticks(system))
    found = sensitivity.sensitivity_of(view, judge(view), EFFORT)
    if found.scaling_finer is not None:
        wanted = judge(view)  # what must be met is what is met in coarse ticks
        assert found.scaling_finer == sensitivity.scaling_of(fine, sensitivity.keeping(wanted, EFFORT))
        seen_finer.append(found.scaling_finer != found.scaling)


seen_finer: list[bool] = []


@st.composite
def plain_systems(draw: st.DrawFn) -> takt.System:
    """Return tasks without features that C omits, of any deadlines, with jitter, equals, regions and soft tasks."""
    policy = draw(st.sampled_from(["fp", "fp", "rm", "dm", "edf"]))
    count = draw(st.integers(1, 6))
    kinds = draw(st.sampled_from([("preemptive",), ("preemptive", "preemptive", "non-preemptive")]))
    tasks = []
    for number in range(count):
        period = draw(st.integers(2, 40))
        tasks.append(
            takt.Task(
                name=f"T{number}",
                period=period,
                wcet=draw(st.integers(1, max(1, 2 * period // (count + 1)))),
                deadline=draw(st.one_of(st.just(period), st.integers(1, 3 * period))),
                jitter=draw(st.sampled_from([0, 0, 0, 1, period])),
                priority=draw(st.integers(0, 7)),
                preemption=draw(st.sampled_from(kinds)),
                class_=draw(st.sampled_from(["hard", "hard", "hard", "soft"])),
            )
        )
    return takt.System(tasks=tasks, policy=policy)


@many
@given(plain_systems())
def check_plain(system: takt.System) -> None:
    if check(system):
        check_finer(system)


def test_growth_of_plain_tasks_is_that_of_the_search() -> None:
    seen_finer.clear()
    check_plain()
    expect_cases(any(seen_finer))


@many
@given(systems(features=ANYTHING | SERVER_KINDS | RESOURCES))
def test_growth_of_tasks_of_any_family_is_that_of_the_search(system: OracleSystem) -> None:
    check(as_system(system))


@many
@given(crowds())
def test_growth_where_tasks_contend_is_that_of_the_search(system: OracleSystem) -> None:
    check(as_system(system))


@pytest.mark.parametrize("policy", ["fp", "rm", "dm", "edf"])
@pytest.mark.parametrize("deadline", [0.5, 1.0, 1.5])
def test_growth_of_drawn_sets_is_that_of_the_search(policy: str, deadline: float) -> None:
    recipe = takt.Recipe(
        tasks=9, utilization=0.8, periods="log-uniform", period_min="10ms", period_max="1000ms", policy=policy
    )
    for number in range(3):
        drawn = recipe.system(0, number)
        tasks = [
            task.replace(deadline=max(1, int(task.period * deadline)), priority=number)
            for number, task in enumerate(drawn.tasks)
            if isinstance(task.period, int)
        ]
        assert check(drawn.replace(tasks=tasks))


# ---- how much is asked -----------------------------------------------------------------------------------


def many_tasks(count: int, policy: str, **more: object) -> takt.System:
    """Tasks of which 70 % of the processor is asked."""
    return takt.System(
        tasks=[
            takt.Task(name=f"T{i}", period=(1000 + 37 * i) * count, wcet=700 + 26 * i, priority=count - i, **more)
            for i in range(count)
        ],
        policy=policy,
    )


class Counter:
    """Counts the rows of all analyses of a search."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.rows = 0
        monkeypatch.setattr(sensitivity, "judge", self.judge)

    def judge(self, view: SystemView, effort: int) -> Judgement:
        """Judge, and count."""
        found = judge(view, effort)
        self.rows += len(found.tasks)
        return found


@pytest.mark.parametrize("policy", ["fp", "rm", "dm", "edf"])
@pytest.mark.parametrize("count", [201, 1000])
def test_plain_tasks_are_searched_without_an_analysis(policy: str, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    counter = Counter(monkeypatch)
    found = takt.analyse(many_tasks(count, policy))
    assert counter.rows == 0
    assert found.unsearched == 0
    assert None not in {row.growth for row in found.tasks}
    assert found.scaling is not None


def test_a_search_of_any_number_of_tasks_ends_when_its_effort_is_used_up(monkeypatch: pytest.MonkeyPatch) -> None:
    effort = 5_000_000
    for count in (5, 80):
        counter = Counter(monkeypatch)
        found = takt.analyse(many_tasks(count, "fp", preemption="non-preemptive"), effort=effort)
        rows_of_one_search = 2 * 64 * count
        assert counter.rows <= effort // sensitivity.EFFORT_PER_ROW + rows_of_one_search
        assert found.unsearched == sum(row.growth is None for row in found.tasks)
        assert (found.unsearched > 0) == (count == 80)


def test_sensitivity_is_left_out_if_it_is_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    counter = Counter(monkeypatch)
    system = many_tasks(9, "fp", preemption="non-preemptive")
    found = takt.analyse(system, sensitivity=False)
    assert counter.rows == 0
    assert {row.growth for row in found.tasks} == {None}
    assert found.scaling is None
    whole = takt.analyse(system)
    assert [row.response for row in found.tasks] == [row.response for row in whole.tasks]
    assert (found.verdict, found.reason) == (whole.verdict, whole.reason)
