# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Busy periods bound what no test of a policy admits: simulations never contradict them; strict ties are exact."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
import takt
from hypothesis import given, reject
from hypothesis import strategies as st
from places import EXAMPLES
from sampling import expect_cases, tries
from takt.analysis import Verdict
from takt.analysis.busy_period import BUSY
from takt.analysis.judge import judge
from takt.analysis.sensitivity import scaled
from takt.analysis.view import view_of
from test_analyse import contradictions


class LastComeFirstServed(takt.Policy):
    """The latest job first."""

    def release(self, job: takt.Job) -> int:
        return 2**40 - job.release


class Scrambled(takt.Policy):
    """In no order that a task set knows."""

    def release(self, job: takt.Job) -> int:
        return 1 + (job.number * 7919 + len(job.task) + ord(job.task[-1]) * 31) % 13


class LeastLast(takt.Policy):
    """One task behind all others."""

    def __init__(self, last: str) -> None:
        self.last = last

    def release(self, job: takt.Job) -> int:
        return 2 if job.task == self.last else 1


# ---- families that tests of policies leave out -------------------------------------------------------------


FAMILIES = ("python", "lists", "resources", "changes", "fair")


@st.composite
def systems_of(draw: st.DrawFn, family: str) -> takt.System:
    """Return a system of a family whose tasks about fit."""
    count = draw(st.integers(2, 4))
    tasks = [draw(_task(f"T{number}", family, count)) for number in range(1, count + 1)]
    more: dict[str, Any] = {"policy": draw(st.sampled_from(["fp", "edf", "llf" if family == "resources" else "rm"]))}
    if family == "python":
        more["policy"] = draw(st.sampled_from([LastComeFirstServed(), Scrambled(), LeastLast("T1")]))
    if family in ("lists", "fair"):
        more |= draw(_shares()) if family == "fair" or draw(st.booleans()) else {"policy": "fp"}
    if family == "resources":
        protocol = draw(st.sampled_from(["none", "none", "pip", "npcs"]))
        more["resources"] = [takt.Resource(name=name, protocol=protocol) for name in ("R", "S")]
    if family == "changes":
        more["changes"] = draw(_changes(tasks))
        coming = {name for change in more["changes"] for name in change.add}
        gone = {name for change in more["changes"] for name in change.remove}
        tasks = [task.replace(initially="absent") if task.name in coming - gone else task for task in tasks]
    try:
        return takt.System(tasks=tasks, seed=draw(st.integers(0, 99)), **more)
    except takt.InputError:
        reject()


@st.composite
def _shares(draw: st.DrawFn) -> dict[str, Any]:
    return {"policy": "share", "options": [takt.Share(variant=draw(st.sampled_from(["generic", "wfq", "wf2q"])))]}


@st.composite
def _task(draw: st.DrawFn, name: str, family: str, count: int) -> takt.Task:
    """Return a task, of some families with bursts or sections."""
    period = draw(st.integers(3, 24))
    wcet = draw(st.integers(1, max(1, (3 * period) // (2 * count) - 1)))
    deadline = draw(st.sampled_from([period, 2 * period, 50]))
    more: dict[str, Any] = {
        "priority": draw(st.integers(0, 3)),
        "class_": draw(st.sampled_from(["hard", "hard", "soft"])),
    }
    more["weight"] = draw(st.integers(1, 4))
    if family in ("lists", "fair") and draw(st.booleans()):
        instants = sorted(draw(st.lists(st.integers(0, 30), min_size=1, max_size=6)))
        return takt.Task(name=name, arrivals=instants, wcet=wcet, deadline=deadline, **more)
    more |= {"offset": draw(st.integers(0, 12)), "jitter": draw(st.sampled_from([0, 0, 3]))}
    if family == "resources":
        more["body"] = draw(_body(wcet))
        more["preemption"] = draw(st.sampled_from(["preemptive", "preemptive", "non-preemptive"]))
    if family in ("python", "changes"):
        more["on_miss"] = draw(st.sampled_from(["continue", "continue", "abort"]))
    demand = draw(st.sampled_from([wcet, [wcet, 1], [1, wcet, wcet]]))
    return takt.Task(name=name, period=period, wcet=wcet, demand=demand, deadline=deadline, **more)


@st.composite
def _body(draw: st.DrawFn, wcet: int) -> list[str]:
    """Return a body of one section, or two that are nested; with both orders there can be a deadlock."""
    outer, inner = draw(st.permutations(["R", "S"])) if draw(st.integers(0, 4)) == 0 else ["R", "S"]
    within = [f"lock {inner}", f"run {wcet}", f"unlock {inner}"] if draw(st.booleans()) else [f"run {wcet}"]
    return [f"lock {outer}", *within, f"unlock {outer}"]


@st.composite
def _changes(draw: st.DrawFn, tasks: list[takt.Task]) -> list[takt.Change]:
    """Return changes: tasks come, go, come again and change, and the policy too."""
    changes = []
    for at in sorted(draw(st.sets(st.integers(1, 70), min_size=1, max_size=3))):
        name = draw(st.sampled_from([task.name for task in tasks]))
        kind = draw(st.sampled_from(["policy", "policy", "remove", "add", "again", "period", "priority"]))
        made: dict[str, dict[str, Any]] = {
            "policy": {"policy": draw(st.sampled_from(["fp", "rm", "edf"]))},
            "remove": {"remove": [name]},
            "add": {"add": [name]},
            "again": {"remove": [name]},
            "period": {"task": name, "period": draw(st.integers(3, 30))},
            "priority": {"task": name, "priority": draw(st.integers(0, 3))},
        }
        changes.append(takt.Change(at=at, **made[kind]))
        changes += [takt.Change(at=at + draw(st.integers(0, 9)), add=[name])] * (kind == "again")
    return changes


@pytest.mark.parametrize("family", FAMILIES)
def test_no_simulation_contradicts_busy_periods(family: str) -> None:
    seen: Counter[Verdict] = Counter()

    @tries(40)
    @given(systems_of(family), st.integers(50, 400))
    def hold(system: takt.System, horizon: int) -> None:
        rows = [row for row in judge(view_of(system)).rows() if row.test is BUSY]
        seen.update(row.verdict for row in rows)
        assert contradictions(system, horizon) == []
        assert contradictions(_at_once(system), horizon) == []

    hold()
    expect_cases(min(seen[Verdict.SCHEDULABLE], seen[Verdict.NOT_GUARANTEED]) > 5, seen)


def _at_once(system: takt.System) -> takt.System:
    """The same tasks with their longest demands, as soon as they may come."""
    tasks = [task.replace(offset=0, demand=task.wcet) if task.period else task for task in system.tasks]
    return system.replace(tasks=tasks)


# ---- exactness ---------------------------------------------------------------------------------------------


@st.composite
def plain_sets(draw: st.DrawFn, periods: tuple[int, ...] = (4, 6, 8, 12)) -> list[takt.Task]:
    """Return preemptive tasks that do not overload the processor."""
    load, tasks = 0.0, list[takt.Task]()
    for number in range(1, draw(st.integers(2, 4)) + 1):
        period = draw(st.sampled_from(periods))
        wcet = draw(st.integers(1, max(1, period // 2)))
        if load + wcet / period <= 1:
            load += wcet / period
            deadline = draw(st.sampled_from([period, period, 12, 30]))
            class_ = draw(st.sampled_from(["hard", "soft", "none"]))
            tasks.append(takt.Task(name=f"T{number}", period=period, wcet=wcet, deadline=deadline, class_=class_))
    return tasks


def _worst(system: takt.System, horizon: int = 96) -> dict[str, int]:
    """Simulate, and give the longest response of each task."""
    result = takt.simulate(system, horizon, segments=False)
    return dict(result.summary.select("task", "response_max").rows())


@tries(40)
@given(plain_sets())
def test_whoever_comes_last_waits_for_the_whole_busy_period(tasks: list[takt.Task]) -> None:
    for task in tasks:
        system = takt.System(tasks=tasks, policy=LeastLast(task.name))
        row = next(row for row in judge(view_of(system)).rows() if row.task == task.name)
        assert row.test is BUSY
        assert row.response is not None
        worst = _worst(system)[task.name]
        assert row.response >= worst
        if row.response <= int(task.period or 0):  # else more of its own jobs come meanwhile
            assert row.response == worst


def test_responses_among_equal_periods_and_deadlines_are_exact() -> None:
    seen: Counter[tuple[str, bool]] = Counter()

    @tries(150)
    @given(plain_sets((6, 8, 8)), st.sampled_from(["rm", "dm"]), st.booleans())
    def compare(tasks: list[takt.Task], policy: str, has_threshold: bool) -> None:
        rows = judge(view_of(takt.System(tasks=tasks, policy=policy))).rows()
        worst = _worst(takt.System(tasks=tasks, policy=policy))
        assert [(row.is_tight, row.response) for row in rows] == [(True, worst[row.task]) for row in rows]
        keys = [task.period if policy == "rm" else task.deadline for task in tasks]
        seen["equals", len(set(keys)) < len(keys)] += 1

    compare()
    expect_cases(seen["equals", True] > 40)


def test_who_cannot_be_displaced_blocks_its_equals_that_go_first() -> None:
    tasks = [
        takt.Task(name="A", period=10, wcet=2),
        takt.Task(name="B", period=10, wcet=4, preemption="non-preemptive"),
    ]
    rows = judge(view_of(takt.System(tasks=tasks, policy="rm"))).rows()
    assert [(row.response, row.is_tight) for row in rows] == [(5, True), (6, True)]
    late = [tasks[0].replace(offset=1), tasks[1]]
    assert _worst(takt.System(tasks=late, policy="rm"))["A"] == 5
    again = [tasks[0], tasks[1].replace(preemption="preemptive", threshold="B")]
    rows = judge(view_of(takt.System(tasks=again, policy="rm"))).rows()
    assert [(row.response, row.is_tight) for row in rows] == [(5, True), (6, True)]


def _bounds(system: takt.System) -> list[int | None]:
    """Check that no simulation contradicts the bounds, and give them."""
    assert contradictions(system, 60) == []
    return [row.response for row in judge(view_of(system)).rows()]


def test_a_job_started_under_a_threshold_goes_before_its_equals() -> None:
    tasks = [
        takt.Task(name="A", period=10, wcet=2, offset=1),
        takt.Task(name="B", period=10, wcet=4, threshold="C"),
        takt.Task(name="C", period=40, wcet=1),
    ]
    system = takt.System(tasks=tasks, policy="rm")
    assert _bounds(system) == [5, 6, 7]
    assert _worst(system)["A"] == 5


def test_ties_are_not_strict_beside_resources_and_changes() -> None:
    """A ceiling of an equal's bars A; and a task that gets another class goes before its equals from then on."""
    body = ["lock R", "run 5", "unlock R"]
    tasks = [
        takt.Task(name="A", period=20, offset=1, body=["lock S", "run 1", "unlock S"]),
        takt.Task(name="B", period=20, offset=10, body=["lock R", "run 1", "unlock R"]),
        takt.Task(name="C", period=40, body=body),
    ]
    resources = [takt.Resource(name=name, protocol="pcp") for name in "RS"]
    assert _bounds(takt.System(tasks=tasks, policy="rm", resources=resources)) == [6, 6, 7]
    tasks = [takt.Task(name="A", period=10, wcet=3, class_="soft"), takt.Task(name="B", period=10, wcet=4)]
    changes = [takt.Change(at=15, task="A", class_="hard")]
    assert _bounds(takt.System(tasks=tasks, policy="rm", changes=changes)) == [7, 7]


def test_equal_priorities_are_first_in_first_out_all_the_same() -> None:
    tasks = [takt.Task(name="A", period=10, wcet=2), takt.Task(name="B", period=10, wcet=4)]
    rows = judge(view_of(takt.System(tasks=tasks, policy="fp"))).rows()
    assert [(row.response, row.is_tight) for row in rows] == [(5, True), (6, True)]


# ---- what is said ------------------------------------------------------------------------------------------


def test_a_burst_that_is_done_by_its_deadline_is_schedulable_whatever_shares_order() -> None:
    found = takt.analyse(takt.load(EXAMPLES / "flows.toml"))
    assert found.verdict is Verdict.SCHEDULABLE
    assert {row.response for row in found.tasks} == {21}


@pytest.mark.parametrize("policy", ["dm", "edf", "fp", "llf"])
def test_jobs_that_arrive_at_one_instant_are_analysed_and_have_no_chart(policy: str) -> None:
    burst = takt.Task(name="A", arrivals=[0, 0, 3], wcet=1, deadline=9)
    found = takt.analyse(takt.System(tasks=[burst, takt.Task(name="B", period=4, wcet=1)], policy=policy, horizon=20))
    assert found.verdict is Verdict.SCHEDULABLE
    assert {row.response for row in found.tasks} == {3}
    assert not found.charts


def test_more_work_than_time_is_not_schedulable_under_any_order() -> None:
    tasks = [takt.Task(name="A", period=4, wcet=3), takt.Task(name="B", period=8, wcet=3)]
    found = takt.analyse(takt.System(tasks=tasks, policy=Scrambled()))
    assert found.verdict is Verdict.NOT_SCHEDULABLE
    assert found.reason == "the policy scrambled is written in Python; the tasks ask for more than the whole processor"
    soft = [tasks[0], tasks[1].replace(class_="soft")]
    found = takt.analyse(takt.System(tasks=soft, policy=Scrambled()))
    assert found.verdict is Verdict.NOT_GUARANTEED
    assert found.reason == "the policy scrambled is written in Python; a busy period may have no end"


def test_tasks_that_are_never_there_at_once_do_not_add_up() -> None:
    tasks = [
        takt.Task(name="A", period=10, wcet=8),
        takt.Task(name="B", period=10, wcet=8, initially="absent"),
    ]
    changes = [takt.Change(at=50, remove=["A"]), takt.Change(at=70, add=["B"], policy="edf")]
    found = takt.analyse(takt.System(tasks=tasks, policy="fp", changes=changes))
    assert [row.response for row in found.tasks] == [8, 8]
    assert found.verdict is Verdict.SCHEDULABLE


def test_what_is_sure_of_each_mode_is_told_where_nothing_bounds_the_transitions() -> None:
    lander = takt.load(EXAMPLES / "mode_change.toml")
    found = takt.analyse(lander)
    known = "each of the 3 modes by itself is schedulable (rm to 60 ms, edf to 130 ms, edf after)"
    why = "the policy changes while it runs; priorities change while it runs"
    assert found.verdict is Verdict.NOT_GUARANTEED
    assert found.reason == f"{why}; the longest busy period is 330 ms; {known}"
    stays = [change.replace(policy=None) for change in lander.changes]
    known = "the modes by themselves are: rm to 60 ms schedulable, rm to 130 ms not schedulable, rm after schedulable"
    assert takt.analyse(lander.replace(changes=stays)).reason.endswith(known)


def test_shares_with_jitter_are_served_from_the_release_on() -> None:
    tasks = [takt.Task(name="A", period=3, wcet=1), takt.Task(name="B", period=5, wcet=1, jitter=3, deadline=10)]
    for variant, responses in (("wfq", [3, 6]), ("generic", [2, 5])):
        system = takt.System(tasks=tasks, policy="share", options=[takt.Share(variant=variant)])
        assert [row.response for row in judge(view_of(system)).rows()] == responses, variant


def test_the_shortest_deadline_and_the_jitter_count() -> None:
    tasks = [takt.Task(name="A", period=10, wcet=3), takt.Task(name="B", period=20, wcet=4, jitter=4, deadline=10)]
    changes = [takt.Change(at=15, task="A", deadline=6), takt.Change(at=30, policy="edf")]
    rows = judge(view_of(takt.System(tasks=tasks, policy="fp", changes=changes))).rows()
    assert [(row.response, row.verdict.value) for row in rows] == [(7, "not guaranteed"), (11, "not guaranteed")]


@pytest.mark.parametrize("what", ["circle", "suspension", "server", "costs", "wf2q", "skip"])
def test_what_may_idle_beside_a_job_is_not_bounded(what: str) -> None:
    tasks = [takt.Task(name="A", period=20, wcet=2), takt.Task(name="B", period=20, wcet=2)]
    more: dict[str, Any] = {"policy": Scrambled()}
    if what == "circle":
        resources = [takt.Resource(name=name, protocol="none") for name in "RS"]
        bodies = [[f"lock {a}", "run 1", f"lock {b}", "run 1", f"unlock {b}", f"unlock {a}"] for a, b in ("RS", "SR")]
        tasks = [task.replace(wcet=None, body=body) for task, body in zip(tasks, bodies, strict=True)]
        more["resources"] = resources
    elif what == "suspension":
        tasks[0] = tasks[0].replace(wcet=None, body=["run 1", "suspend 1", "run 1"])
    elif what == "server":
        more["servers"] = [takt.Server(name="S", period=10, budget=1)]
        tasks[0] = tasks[0].replace(server="S")
    elif what == "costs":
        more["platform"] = takt.Platform(context_switch=1)
    elif what == "wf2q":
        tasks[0] = takt.Task(name="A", arrivals=[0, 0], wcet=2, deadline=20)
        more = {"policy": "share", "options": [takt.Share(variant="wf2q")]}
    else:
        tasks[0] = tasks[0].replace(on_miss="skip")
    rows = judge(view_of(takt.System(tasks=tasks, **more))).rows()
    assert BUSY not in {row.test for row in rows}


@pytest.mark.parametrize("protocol", ["npcs", "pip"])
def test_what_the_kernel_does_is_not_left_out_where_tasks_are_charged_for_it(protocol: str) -> None:
    tasks = [
        takt.Task(name="A", period=20, body=["run 2", "lock R", "run 2", "unlock R"], priority=2),
        takt.Task(name="B", period=20, wcet=8, priority=1, threshold=2),
    ]
    paid = takt.Platform(context_switch=1, scheduling=1, release=1)
    resources = [takt.Resource(name="R", protocol=protocol)]
    system = takt.System(tasks=tasks, resources=resources, platform=paid)
    assert contradictions(system, 200) == []
    assert _worst(system)["B"] > 12


def test_searches_may_try_jobs_that_are_longer_than_can_be_told() -> None:
    tasks = [takt.Task(name=name, period=4 * 10**18, wcet=10**18) for name in "AB"]
    view = view_of(takt.System(tasks=tasks, resolution="1ns", policy=Scrambled()))
    verdicts = {factor: {row.verdict.value for row in judge(scaled(view, factor)).rows()} for factor in (2000, 9000)}
    assert verdicts == {2000: {"schedulable"}, 9000: {"not known"}}


def test_wf2q_idles_after_jobs_that_are_shorter_than_their_wcet() -> None:
    """So it is left out: the second packet of each flow waits until the first one has had its wcet."""
    tasks = [takt.Task(name=name, arrivals=[0, 0], wcet=4, demand=1, deadline=20) for name in "AB"]
    options = [takt.Share(variant="wf2q")]
    result = takt.simulate(takt.System(tasks=tasks, policy="share", options=options), 40)
    assert result.segments.select("start", "end").rows() == [(0, 1), (1, 2), (8, 9), (9, 10)]
