# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The allocator of windows: bulk mode and the allocator as a task of its own, against the framework of the tests."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

import framework_oracle.periodic as by_period
import polars as pl
import pytest
import takt
from framework_oracle import AllocatorCost
from framework_oracle import System as Framework
from framework_oracle import Task as Work
from framework_oracle import simulate as run_framework
from framework_oracle.allocator import AllocatorView, Planned
from framework_oracle.periodic import EFFECTIVE
from hypothesis import given
from hypothesis import strategies as st
from sampling import tries
from tables import read_rows
from takt.command import main
from takt.model.core_input import ALLOCATOR
from test_golden import runs_of
from test_windows import HORIZON, IMPRECISE, POLICIES, TIME_DRIVEN, Drawn, check, drawn, table_of, tables
from test_windows import enforced as budgeted
from trace_header import Change, having, refusal_of_header
from typer.testing import CliRunner

many = tries(60)
bulks = st.integers(1, 4)

KINDS = (*POLICIES, "abort rm", "abort edf", "abort llf", "time-driven", "dual-priority", "pinwheel")
"""Policies with windows; under the first ones on_overrun is "suspend"."""


# ------------------------------------------------------------------------------------------------- both words


@dataclass(frozen=True)
class Both:
    """A system with windows, in Takt's words and in those of the framework, without its allocator."""

    system: takt.System
    framework: Framework

    def run(self, bulk: int, cost: AllocatorCost | None = None) -> takt.Result:
        """Run both with an allocator, and compare schedules, finishes, calls and replay."""
        works = tuple(replace(work, allocator=in_bulk(work.allocator, bulk)) for work in self.framework.tasks)
        framework = replace(self.framework, tasks=works, allocator_cost=cost)
        result = check(self.system.replace(allocator=described(bulk, cost)), framework)
        longer = run_framework(framework, HORIZON + (cost is not None))
        assert calls_of(result) == longer.calls
        return result


def in_bulk(allocator: object, bulk: int) -> Planned:
    """Return an allocator that hands over several windows in a call."""
    assert isinstance(allocator, Planned)
    return replace(allocator, bulk=bulk)


def described(bulk: int, cost: AllocatorCost | None) -> takt.Allocator:
    """Describe an allocator to Takt."""
    if cost is None:
        return takt.Allocator(bulk=bulk)
    if cost.kind == "dual":
        return takt.Allocator(bulk=bulk, cost=cost.cost)
    return takt.Allocator(bulk=bulk, cost=cost.cost, runs="top", period=cost.period, budget=cost.budget)


def calls_of(result: takt.Result) -> dict[str, int]:
    """Return the number of calls for each task."""
    calls = dict(result.summary.select("task", "allocator_calls").iter_rows())
    calls.pop(ALLOCATOR, None)
    return calls


@dataclass
class Promoted(by_period.DualPriority):
    """Dual priority whose allocator knows that both jobs of a release are one window: promotions call nobody."""

    def is_due(self, now: int, view: AllocatorView) -> bool:
        """True if no release lies ahead."""
        return self.planned == 0 or self.jobs_of(self.planned - 1)[0].start <= now


@st.composite
def systems(draw: st.DrawFn, kind: str) -> Both:
    """Draw a system of one kind."""
    is_dual = kind == "dual-priority"
    tasks = draw(drawn(is_constrained=is_dual, has_offset=kind in POLICIES or kind.startswith("abort")))
    if kind == "time-driven":
        return by_table(tasks, *draw(tables(len(tasks))))
    if is_dual:
        return promoted(tasks)
    if kind == "pinwheel":
        return turning(tasks)
    policy = kind.removeprefix("abort ")
    return enforced(policy, tasks, "abort" if policy != kind else "suspend")


def enforced(policy: str, tasks: list[Drawn], on_overrun: str) -> Both:
    """Return tasks with budgets."""
    system = takt.System(policy=policy, tasks=[task.as_task(on_overrun=on_overrun) for task in tasks])
    on_finish = "keep" if on_overrun == "abort" else "end"
    works = [
        Work(
            task.name,
            replace(POLICIES[policy](task), on_finish=on_finish),
            tuple(task.work()),
            on_overrun == "abort",
            task.class_,
        )
        for task in tasks
    ]
    return Both(system, Framework(tuple(works), EFFECTIVE[policy]))


def by_table(tasks: list[Drawn], cycle: int, slots: list[list[tuple[int, int]]]) -> Both:
    """Return tasks with slots."""
    named = {task.name: of for task, of in zip(tasks, slots, strict=True)}
    system = takt.System(
        policy="time-driven", options=table_of(cycle, **named), tasks=[task.as_task() for task in tasks]
    )
    works = [
        Work(task.name, by_period.TimeTable(tuple(named[task.name]), cycle), tuple(task.work()), class_=task.class_)
        for task in tasks
    ]
    return Both(system, Framework(tuple(works), EFFECTIVE["time-driven"]))


def promoted(tasks: list[Drawn]) -> Both:
    """Return hard tasks with promotions."""
    hard = [replace(task, class_="hard") for task in tasks]
    system = takt.System(policy="dual-priority", tasks=[task.as_task(promotion=task.part) for task in hard])
    works = [
        Work(
            task.name,
            Promoted(task.period, task.wcet, 2000 + task.rank, task.rank, task.deadline - task.part, task.deadline),
            tuple(task.work()),
        )
        for task in hard
    ]
    return Both(system, Framework(tuple(works), EFFECTIVE["dual priority"]))


def turning(tasks: list[Drawn]) -> Both:
    """Return tasks with periods that divide one another; the lightest ones, which always fit."""
    light = [replace(task, wcet=1, period=8 + task.period % 7) for task in tasks]
    windows = by_period.specialise(tuple((task.wcet, task.period) for task in light))
    assert windows is not None
    system = takt.System(policy="pinwheel", tasks=[task.as_task(deadline=None) for task in light])
    shorter = [replace(task, period=window) for task, window in zip(light, windows, strict=True)]
    works = [
        Work(task.name, by_period.Pinwheel(task.wcet, task.period), tuple(task.work()), class_=task.class_)
        for task in shorter
    ]
    return Both(system, Framework(tuple(works), EFFECTIVE["pinwheel"]))


# ------------------------------------------------------------------------------------------------- random systems

in_spare_time = st.builds(AllocatorCost, st.integers(1, 3))
on_top = st.integers(1, 6).flatmap(
    lambda period: st.builds(AllocatorCost, st.integers(1, 3), st.just("top"), st.just(period), st.integers(1, period))
)


@pytest.mark.parametrize("kind", KINDS)
def test_calls_fall_as_one_by_bulk_and_the_schedule_stays(kind: str) -> None:
    @given(systems(kind), bulks)
    @many
    def falls(both: Both, bulk: int) -> None:
        single, several = both.run(1), both.run(bulk)
        assert several.segments.equals(single.segments)
        assert several.jobs.equals(single.jobs)
        assert calls_of(several) == {name: -(-calls // bulk) for name, calls in calls_of(single).items()}

    falls()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("costs", [in_spare_time, on_top], ids=["spare-time", "top"])
def test_the_allocator_runs_as_a_task_as_in_the_framework(kind: str, costs: st.SearchStrategy[AllocatorCost]) -> None:
    @given(systems(kind), bulks, costs)
    @many
    def agrees(both: Both, bulk: int, cost: AllocatorCost) -> None:
        both.run(bulk, cost)

    agrees()


# ------------------------------------------------------------------------------------------------- single rules


def one_task(wcet: int, **allocator: object) -> takt.System:
    """Return a task (5, wcet) with windows, and an allocator."""
    task = takt.Task(name="A", period=5, wcet=wcet, on_overrun="suspend")
    return takt.System(policy="rm", tasks=[task], allocator=takt.Allocator(**allocator))


def two_tasks(**allocator: object) -> takt.System:
    """Return two tasks (5, 2) with windows, and an allocator."""
    tasks = [takt.Task(name=name, period=5, wcet=2, on_overrun="suspend") for name in "AB"]
    return takt.System(policy="rm", tasks=tasks, allocator=takt.Allocator(**allocator))


def test_a_window_that_has_ended_before_its_call_is_lost() -> None:
    """A call of 7 ticks for each window of 5: every second one comes too late for all of it."""
    result = takt.simulate(one_task(2, cost=7), 30)
    assert runs_of(result) == runs_of(takt.simulate(one_task(2, cost=7, runs="top", period=1, budget=1), 30))
    assert calls_of(result) == {"A": 2 + (30 - 5) // 7}


@given(drawn(is_constrained=True), bulks)
@many
def test_parts_in_bulk_run_as_one_by_one(tasks: list[Drawn], bulk: int) -> None:
    described_tasks = [task.as_task(mandatory=task.part) for task in tasks]
    system = takt.System(policy="imprecise", tasks=described_tasks)
    single, several = (
        takt.simulate(system.replace(allocator=takt.Allocator(bulk=count)), HORIZON) for count in (1, bulk)
    )
    assert several.segments.equals(single.segments)
    assert several.jobs.equals(single.jobs)
    assert calls_of(several) == {name: -(-calls // bulk) for name, calls in calls_of(single).items()}


def test_without_a_word_about_it_every_window_is_a_call() -> None:
    for system in (TIME_DRIVEN, IMPRECISE, budgeted("rm"), budgeted("edf")):
        said = takt.simulate(system.replace(allocator=takt.Allocator()), 20)
        unsaid = takt.simulate(system, 20)
        assert said.summary.equals(unsaid.summary)
        assert sum(calls_of(unsaid).values()) > 0


@pytest.mark.parametrize(("bulk", "calls"), [(1, 6), (2, 3), (3, 2), (6, 1), (7, 1)])
def test_the_window_after_the_one_that_begins_is_always_there(bulk: int, calls: int) -> None:
    """A (4, 1): at 16 the window of 20 is handed over; the first two at 0."""
    task = takt.Task(name="A", period=4, wcet=1, on_overrun="suspend")
    result = takt.simulate(takt.System(policy="rm", tasks=[task], allocator=takt.Allocator(bulk=bulk)), 20)
    assert calls_of(result) == {"A": calls}


def test_servers_and_tasks_without_windows_may_stand_beside() -> None:
    tasks = [
        takt.Task(name="A", period=5, wcet=2, on_overrun="suspend"),
        takt.Task(name="B", period=10, wcet=2),
        takt.Task(name="C", period=10, wcet=2, server="S"),
    ]
    servers = [takt.Server(name="S", period=10, budget=2)]
    system = takt.System(policy="edf", tasks=tasks, servers=servers, allocator=takt.Allocator(cost=1))
    result = takt.simulate(system, 20)
    assert calls_of(result) == {"A": 5, "B": 0, "C": 0}
    assert result.summary["missed"].sum() == 0


@pytest.mark.parametrize("policy", ["fp", "rm", "edf"])
@pytest.mark.parametrize("runs", [{}, {"runs": "top", "period": 5, "budget": 2}], ids=["spare-time", "top"])
def test_a_started_non_preemptive_job_goes_on_whatever_call_waits(policy: str, runs: dict[str, object]) -> None:
    tasks = [
        takt.Task(name="A", period=5, wcet=2, priority=2, on_overrun="suspend"),
        takt.Task(name="N", period=20, wcet=7, offset=3, priority=1, preemption="non-preemptive"),
    ]
    system = takt.System(policy=policy, tasks=tasks, allocator=takt.Allocator(cost=1, **runs))
    result = takt.simulate(system, 20)
    assert runs_of(result)[:3] == [(0, 2, "A"), (3, 10, "N"), (10, 12 if runs else 11, ALLOCATOR)]
    assert result.jobs.filter(task=ALLOCATOR)["missed"].any()


# ------------------------------------------------------------------------------------------------- feedback


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("on_overrun", ["suspend", "abort"])
def test_what_jobs_execute_changes_no_call(policy: str, on_overrun: str) -> None:
    calls = set()
    for demand in (1, 2, 4):
        tasks = [takt.Task(name="A", period=5, wcet=2, demand=demand, on_overrun=on_overrun)]
        summary = takt.simulate(takt.System(policy=policy, tasks=tasks), 50).summary
        calls.add(summary.select("allocator_calls", "feedback_calls").row(0))
    assert calls == {(11, 0)}


def test_tasks_without_an_allocator_have_no_calls() -> None:
    for policy in ("rm", "edf"):
        tasks = [takt.Task(name="A", period=5, wcet=2, demand=3)]
        summary = takt.simulate(takt.System(policy=policy, tasks=tasks), 50).summary
        assert summary.select("allocator_calls", "feedback_calls").rows() == [(0, 0)]


def test_budgets_that_are_refilled_need_feedback() -> None:
    """A soft task (10, 2): jobs that take 2 end with their budgets; one of 5 uses up two and begins a third."""
    feedback = {}
    for demand in (1, 2, [5, 1, 1, 1, 1]):
        tasks = [takt.Task(name="S", period=10, wcet=2, demand=demand, class_="soft")]
        summary = takt.simulate(takt.System(policy="rate-based", tasks=tasks), 50).summary
        feedback[str(demand)] = summary["feedback_calls"].to_list()
    assert feedback == {"1": [0], "2": [0], "[5, 1, 1, 1, 1]": [2]}


# ------------------------------------------------------------------------------------------------- files and errors

FILE = """schema = 1
[system]
policy = "rm"
horizon = 20
{allocator}
[[task]]
name = "A"
period = 4
wcet = 1
{task}
"""
WINDOWS = 'on_overrun = "suspend"'


def said_of(tmp_path: Path, allocator: str, task: str = WINDOWS) -> list[str]:
    """Run a file, and list what is said about its problems."""
    path = tmp_path / "T.toml"
    path.write_text(FILE.format(allocator=allocator, task=task))
    result = CliRunner().invoke(main.app, ["run", str(path)])
    assert result.exit_code == 2
    return [line.removeprefix(f"{path}: ") for line in result.stderr.splitlines()]


@pytest.mark.parametrize(
    ("allocator", "problem"),
    read_rows("refused_allocators"),
)
def test_each_wrong_key_of_an_allocator_is_one_line(tmp_path: Path, allocator: str, problem: str) -> None:
    assert said_of(tmp_path, allocator) == [problem]


def test_an_allocator_in_a_file_is_a_table(tmp_path: Path) -> None:
    path = tmp_path / "T.toml"
    path.write_text("schema = 1\nallocator = 3\n" + FILE.partition("\n")[2].format(allocator="", task=WINDOWS))
    with pytest.raises(takt.InputError, match=r"allocator: expected a table, found 3; write \[allocator\]"):
        takt.load(path)


def test_an_allocator_without_windows_has_nothing_to_do(tmp_path: Path) -> None:
    expected = (
        '[allocator]: expected tasks with windows, found none under policy = "rm"; '
        'give them on_overrun = "suspend", or leave the allocator out'
    )
    assert said_of(tmp_path, "[allocator]\nbulk = 2", "") == [expected]


def test_under_rates_there_is_nothing_for_it_to_hand_over() -> None:
    with pytest.raises(takt.InputError, match=r'found none under policy = "rate-based"; leave the allocator out'):
        one_task(2, bulk=2).replace(policy="rate-based")


def test_the_name_of_the_allocators_task_is_taken(tmp_path: Path) -> None:
    more = f'{WINDOWS}\n[[task]]\nname = "allocator"\nperiod = 4\nwcet = 1'
    assert said_of(tmp_path, "[allocator]\ncost = 1", more) == [
        '[[task]] "allocator" name: expected another name, found that of the task of [allocator], "allocator"; '
        "rename it"
    ]


def test_an_allocator_in_python_is_an_object() -> None:
    with pytest.raises(takt.InputError, match=r"expected a takt.Allocator, found 3"):
        two_tasks().replace(allocator=3)


def test_a_file_says_what_the_objects_say(tmp_path: Path) -> None:
    path = tmp_path / "T.toml"
    path.write_text(FILE.format(allocator='[allocator]\nbulk = 2\ncost = "1ms"', task=WINDOWS))
    assert takt.load(path).allocator == takt.Allocator(bulk=2, cost="1ms")
    told = json.loads(CliRunner().invoke(main.app, ["run", str(path), "--json"]).stdout)
    rows = {row["task"]: row for row in told["runs"][0]["tasks"]}
    assert (rows["A"]["allocator_calls"], rows["A"]["feedback_calls"], rows[ALLOCATOR]["jobs"]) == (3, 0, 2)
    table = CliRunner().invoke(main.app, ["run", str(path)]).stdout
    assert next(line for line in table.splitlines() if line.startswith("task ")).split()[-2] == "calls"


# ------------------------------------------------------------------------------------------------- traces


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (having(0, "SYSTEM", 0, "bulk"), "bulk 0 out of range"),
        (having(65536, "SYSTEM", 0, "bulk"), "bulk 65536 out of range"),
    ],
)
def test_a_trace_whose_allocator_is_damaged_is_refused(tmp_path: Path, change: Change, message: str) -> None:
    system = two_tasks(bulk=2, cost=1, runs="top", period=5, budget=1)
    assert refusal_of_header(tmp_path / "T.takt", system, change) == message


def test_a_trace_has_the_calls(tmp_path: Path) -> None:
    path = tmp_path / "T.takt"
    system = two_tasks(bulk=2, cost=1)
    result = takt.simulate(system, 40, trace=path)
    replayed = takt.replay(path)
    assert replayed.difference is None
    assert replayed.decisions == result.decisions
    assert replayed.trace.system.bulk == 2
    assert replayed.trace.system.tasks[2].windows == system.resolved.tasks[2].windows
    ended = [record.now for record in replayed.trace.records() if (record.kind, record.entity) == (1, 3)]
    assert ended == result.jobs.filter(pl.col("task") == ALLOCATOR, pl.col("finish").is_not_null())["finish"].to_list()


# ------------------------------------------------------------------------------------------------- how people see it


def test_charts_have_a_lane_for_the_allocator(tmp_path: Path) -> None:
    result = takt.simulate(two_tasks(cost=1), 20)
    result.to_html(tmp_path / "R.html")
    assert ALLOCATOR in (tmp_path / "R.html").read_text()
    figure = result.gantt()
    assert ALLOCATOR in [text.get_text() for axes in figure.axes for text in axes.get_yticklabels()]
    result.to_perfetto(tmp_path / "P")
    assert ALLOCATOR.encode() in (tmp_path / "P").read_bytes()
