# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tasks whose jobs run in windows: golden schedules, and random systems against the framework of the tests."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import framework_oracle.periodic as by_period
import polars as pl
import pytest
import takt
from framework_oracle import System as Framework
from framework_oracle import Task as Work
from framework_oracle import simulate as run_framework
from framework_oracle.allocator import Allocator
from framework_oracle.periodic import EFFECTIVE
from framework_oracle.segments import merge
from hypothesis import given
from hypothesis import strategies as st
from sampling import tries
from takt.model import reservations
from takt.model.core_input import ALLOCATOR, ResolvedWindows
from test_framework_oracle import by_task, dual_priority
from test_golden import golden_runs, merged, runs_of
from trace_header import Change, having, records_of, refusal, refusal_of_header, rewrite

many = tries(200)

Runs = list[tuple[int, int, str]]


# ------------------------------------------------------------------------------------------------- golden schedules


def table_of(cycle: int, **slots: list[tuple[int, int]]) -> list[takt.TimeDriven]:
    """Return the options of a time-driven system: start and end of the slots of each task."""
    rows = [takt.Slot(task=name, start=start, length=end - start) for name, of in slots.items() for start, end in of]
    return [takt.TimeDriven(cycle=cycle, slots=rows)]


TIME_DRIVEN = takt.System(
    policy="time-driven",
    options=table_of(10, A=[(0, 2), (5, 7)], B=[(2, 5)], C=[(7, 10)]),
    tasks=[
        takt.Task(name="A", period=5, wcet=2),
        takt.Task(name="B", period=10, wcet=3, demand=9, offset=2),
        takt.Task(name="C", period=10, wcet=3, offset=7),
    ],
)
DUAL_PRIORITY = takt.System(
    policy="dual-priority",
    tasks=[
        takt.Task(name="H1", period=10, wcet=3, priority=2),
        takt.Task(name="H2", period=15, wcet=4, priority=1),
        takt.Task(name="S", arrivals=[1, 16], wcet=8, demand=[6, 8], deadline=100, class_="soft"),
    ],
)
IMPRECISE = takt.System(
    policy="imprecise",
    tasks=[
        takt.Task(name="1", period=6, mandatory=2, wcet=5, priority=2),
        takt.Task(name="2", period=9, mandatory=3, wcet=5, priority=1),
    ],
)


def enforced(policy: str) -> takt.System:
    """A (5, 2), B (7, 4), with a budget for each period."""
    tasks = [("A", 5, 2), ("B", 7, 4)]
    return takt.System(
        policy=policy,
        tasks=[takt.Task(name=name, period=period, wcet=wcet, on_overrun="suspend") for name, period, wcet in tasks],
    )


@pytest.mark.parametrize(
    ("name", "system"),
    [
        ("red_td.csv", TIME_DRIVEN),
        ("red_dualprio.csv", DUAL_PRIORITY),
        ("red_rm_57.csv", enforced("rm")),
        ("red_edf_57.csv", enforced("edf")),
    ],
)
def test_windows_run_as_in_the_golden_schedule(name: str, system: takt.System) -> None:
    golden = golden_runs(name)
    assert runs_of(takt.simulate(system, golden[-1][1])) == golden


def test_a_job_that_never_ends_has_the_budget_of_one_window_on_both_levels() -> None:
    endless = [task.replace(demand=100) if task.name == "H1" else task for task in DUAL_PRIORITY.tasks]
    result = takt.simulate(DUAL_PRIORITY.replace(tasks=endless), 30)
    assert runs_of(result) == by_task(run_framework(dual_priority(100), 30))
    assert result.summary.filter(task="H1")["busy"].to_list() == [9]


def test_mandatory_and_optional_parts_run_as_in_the_golden_schedule() -> None:
    golden = [(start, end, part[1:]) for start, end, part in golden_runs("red_imprecise.csv")]
    assert runs_of(takt.simulate(IMPRECISE, 18)) == merged(golden)


# ------------------------------------------------------------------------------------------------- random systems

HORIZON = 70


@dataclass(frozen=True)
class Drawn:
    """A periodic task with a budget.

    Args:
        name: unique.
        period, deadline, offset: times.
        wcet: the budget.
        demands: of its jobs, repeated; may be above the wcet.
        rank: unique; smaller is more urgent.
        part: of the deadline or the wcet.
        class_: "hard", "soft" or "none".
    """

    name: str
    period: int
    deadline: int
    offset: int
    wcet: int
    demands: tuple[int, ...]
    rank: int
    part: int
    class_: str = "hard"

    def releases(self) -> list[int]:
        """Return the instants of its releases."""
        return list(range(self.offset, HORIZON, self.period))

    def work(self) -> list[tuple[int, int]]:
        """Return releases and demands."""
        return [(at, self.demands[number % len(self.demands)]) for number, at in enumerate(self.releases())]

    def as_task(self, **keys: object) -> takt.Task:
        """Return the task in Takt's words."""
        described = {
            "name": self.name,
            "period": self.period,
            "deadline": self.deadline,
            "offset": self.offset,
            "wcet": self.wcet,
            "demand": list(self.demands),
            "priority": 100 - self.rank,
            "class": self.class_,
        }
        return takt.Task(**(described | keys))


@st.composite
def drawn(draw: st.DrawFn, most: int = 5, *, is_constrained: bool = False, has_offset: bool = True) -> list[Drawn]:
    """Draw tasks; some ask for more than there is, or than they said."""
    count = draw(st.integers(1, most))
    ranks = draw(st.permutations(range(count)))
    tasks = []
    for number in range(count):
        period = draw(st.integers(2, 14))
        wcet = draw(st.integers(1, max(1, min(period, 2 * period // count))))
        deadline = draw(st.integers(max(1, period // 2), period)) if is_constrained else period
        demands = draw(st.lists(st.integers(1, wcet + draw(st.sampled_from((0, 0, 3)))), min_size=1, max_size=4))
        tasks.append(
            Drawn(
                name=f"T{number}",
                period=period,
                deadline=deadline,
                offset=draw(st.integers(0, 4)) if has_offset else 0,
                wcet=wcet,
                demands=tuple(demands),
                rank=ranks[number],
                part=draw(st.integers(0, min(deadline, wcet))),
                class_=draw(st.sampled_from(("hard", "soft", "none"))),
            )
        )
    return tasks


def check(system: takt.System, framework: Framework, whose: Callable[[str], str] = str) -> takt.Result:
    """Compare who runs when with which job, and when jobs finish; replay. Parts of a task are one task in Takt."""
    expected = run_framework(framework, HORIZON)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "windows.takt")
        result = takt.simulate(system, HORIZON, trace=path)
        assert takt.replay(path).difference is None
    units = [None if tick is None else (whose(tick.task), tick.unit) for tick in expected.ticks]
    found = result.segments.select("start", "end", "task", "job").rows()
    busy = [None if unit is None or unit[1] < 0 else unit for unit in units]
    assert [(start, end, (task, job)) for start, end, task, job in found] == merge(busy)
    finishes = {(row.task, row.unit): row.finish for row in expected.units}
    for task, job, finish in result.jobs.filter(pl.col("task") != ALLOCATOR).select("task", "job", "finish").rows():
        parts = [finishes[name, job] for name in (task, f"{task}+") if (name, job) in finishes]
        assert finish == (None if None in parts else max(part for part in parts if part is not None))
    check_summary(result)
    return result


def check_summary(result: takt.Result) -> None:
    """What is counted is what the jobs say."""
    for row in result.summary.iter_rows(named=True):
        jobs = result.jobs.filter(task=row["task"])
        assert row["released"] == len(jobs)
        assert row["finished"] == jobs["finish"].count()
        assert row["missed"] == jobs["missed"].sum()


POLICIES = {
    "rm": lambda task: by_period.rm(task.period, task.wcet, offset=task.offset),
    "dm": lambda task: by_period.dm(task.period, task.wcet, task.period, offset=task.offset),
    "fp": lambda task: by_period.fp(task.rank, task.period, task.wcet, offset=task.offset),
    "edf": lambda task: by_period.edf(task.period, task.wcet, offset=task.offset),
    "llf": lambda task: by_period.llf(task.period, task.wcet, offset=task.offset),
}


def framework_of(policy: str, tasks: list[Drawn], *, aborts: bool) -> Framework:
    """Return tasks with budgets in the words of the framework; where jobs are aborted they have no finish time."""
    works = []
    for task in tasks:
        allocator = POLICIES[policy](task)
        made = replace(allocator, on_finish="keep") if aborts else allocator
        works.append(Work(task.name, made, tuple(task.work()), aborts, task.class_))
    return Framework(tuple(works), EFFECTIVE[policy])


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("on_overrun", ["suspend", "abort"])
def test_budgets_are_enforced_as_in_the_framework(policy: str, on_overrun: str) -> None:
    @given(drawn())
    @many
    def agrees(tasks: list[Drawn]) -> None:
        system = takt.System(policy=policy, tasks=[task.as_task(on_overrun=on_overrun) for task in tasks])
        check(system, framework_of(policy, tasks, aborts=on_overrun == "abort"))

    agrees()


@st.composite
def tables(draw: st.DrawFn, count: int) -> tuple[int, list[list[tuple[int, int]]]]:
    """Draw a cycle and slots for each task."""
    more = draw(st.lists(st.integers(0, count - 1), max_size=4))
    owners = draw(st.permutations([*range(count), *more]))
    slots: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    now = draw(st.integers(0, 3))
    for owner in owners:
        end = now + draw(st.integers(1, 5))
        slots[owner].append((now, end))
        now = end + draw(st.integers(0, 2))
    return now + draw(st.integers(0, 2)), slots


@given(st.data())
@many
def test_a_table_of_slots_is_followed_as_in_the_framework(data: st.DataObject) -> None:
    tasks = data.draw(drawn())
    cycle, slots = data.draw(tables(len(tasks)))
    named = {task.name: of for task, of in zip(tasks, slots, strict=True)}
    system = takt.System(
        policy="time-driven", options=table_of(cycle, **named), tasks=[task.as_task() for task in tasks]
    )
    works = [
        Work(task.name, by_period.TimeTable(tuple(named[task.name]), cycle), tuple(task.work()), class_=task.class_)
        for task in tasks
    ]
    check(system, Framework(tuple(works), EFFECTIVE["time-driven"]))


@given(drawn(is_constrained=True, has_offset=False))
@many
def test_hard_tasks_are_promoted_as_in_the_framework(tasks: list[Drawn]) -> None:
    system = takt.System(policy="dual-priority", tasks=[as_dual(task) for task in tasks])
    works = [dual_work(task) for task in tasks]
    check(system, Framework(tuple(works), EFFECTIVE["dual priority"]))


def as_dual(task: Drawn) -> takt.Task:
    """Return a task that is promoted, or one in the middle, whose jobs come as events."""
    if task.class_ == "hard":
        return task.as_task(promotion=task.part)
    return task.as_task(period=None, arrivals=task.releases())


def dual_work(task: Drawn) -> Work:
    """Return the same in the words of the framework."""
    allocator: Allocator = by_period.Aperiodic(1000 + task.rank)
    if task.class_ == "hard":
        response = task.deadline - task.part
        low, high = 2000 + task.rank, task.rank
        allocator = by_period.DualPriority(task.period, task.wcet, low, high, response, task.deadline)
    return Work(task.name, allocator, tuple(task.work()), class_=task.class_)


@given(drawn(has_offset=False, is_constrained=True))
@many
def test_a_promotion_leaves_the_response_time_that_a_simulation_finds(tasks: list[Drawn]) -> None:
    hard = [task.as_task(demand=None, **{"class": "hard"}) for task in tasks]
    resolved = takt.System(policy="dual-priority", tasks=hard).resolved
    jobs = takt.simulate(takt.System(policy="fp", tasks=hard), HORIZON).jobs
    for task, described in zip(resolved.tasks, tasks, strict=True):
        (response,) = jobs.filter(task=task.name, job=0)["response"]
        assert task.windows is not None
        if response is not None and response <= described.deadline:
            assert task.windows.part == described.deadline - response
        else:
            assert task.windows.part == 0


def test_promotions_are_found_at_once_where_there_is_no_time_left_above() -> None:
    longest = 2**60
    tasks = [
        takt.Task(name="A", period=longest, wcet=longest - 1, priority=2),
        takt.Task(name="B", period=2 * longest, wcet=2, priority=1),
        takt.Task(name="C", period=2 * longest, wcet=1),
    ]
    resolved = takt.System(policy="dual-priority", tasks=tasks).resolved
    assert [task.windows.part for task in resolved.tasks if task.windows is not None] == [1, 0, 0]


@given(drawn(is_constrained=True))
@many
def test_parts_are_cut_as_in_the_framework(tasks: list[Drawn]) -> None:
    system = takt.System(policy="imprecise", tasks=[as_imprecise(task) for task in tasks])
    works = [work for task in tasks for work in parts_of(task)]
    result = check(system, Framework(tuple(works), EFFECTIVE["imprecise"]), lambda name: name.rstrip("+"))
    for task in tasks:
        check_optional_part(task, result)


def demands_of(task: Drawn) -> tuple[int, ...]:
    """Return demands that include all of the optional parts."""
    least = task.part + 1 if task.part < task.wcet else task.part
    return tuple(max(demand, least) for demand in task.demands)


def as_imprecise(task: Drawn) -> takt.Task:
    """Return a task of two parts."""
    return task.as_task(mandatory=task.part, demand=list(demands_of(task)))


def parts_of(task: Drawn) -> list[Work]:
    """Return two tasks of it, both of which drop what they could not do."""
    demands = demands_of(task)
    whole = replace(task, demands=tuple(demand if task.part == task.wcet else task.part for demand in demands))
    rest = replace(task, demands=tuple(demand - task.part for demand in demands))
    first = by_period.Periodic(task.period, task.part, task.rank, task.deadline, task.offset)
    second = by_period.Periodic(task.period, task.wcet - task.part, 100 + task.rank, task.deadline, task.offset)
    parts = [Work(task.name, first, tuple(whole.work()), aborts=True, class_=task.class_)] * (task.part > 0)
    if task.part < task.wcet:
        name = task.name + "+" if task.part > 0 else task.name
        parts.append(Work(name, second, tuple(rest.work()), aborts=True, class_=task.class_))
    return parts


def check_optional_part(task: Drawn, result: takt.Result) -> None:
    """A job that ended misses iff its mandatory part was not done; what is counted of optional parts is what ran."""
    ran = (pl.col("end") - pl.col("start")).sum()
    executed = dict(result.segments.filter(task=task.name).group_by("job").agg(ran).rows())
    (row,) = result.summary.filter(task=task.name).select("cut", "optional_executed").rows()
    cut = optional = 0
    for job, release, finish, missed in (
        result.jobs.filter(task=task.name).select("job", "release", "finish", "missed").rows()
    ):
        had = executed.get(job, 0)
        is_due = release + task.deadline <= HORIZON
        assert missed == (is_due and finish is None and had < task.part)
        ended = release + task.deadline < HORIZON or finish is not None
        optional += max(0, had - task.part) if ended else 0
        cut += finish is None and ended and not missed
    assert optional <= row[1] <= optional + task.wcet
    assert cut <= row[0] <= cut + 1


@given(drawn(has_offset=False))
@many
def test_a_pinwheel_turns_as_in_the_framework(tasks: list[Drawn]) -> None:
    requests = tuple((task.wcet, task.period) for task in tasks)
    windows = by_period.specialise(requests)
    described = [task.as_task(deadline=None) for task in tasks]
    if windows is None:
        with pytest.raises(takt.InputError, match=r"\[system\] policy: pinwheel cannot admit these tasks"):
            takt.System(policy="pinwheel", tasks=described)
        return
    shorter = [replace(task, period=window) for task, window in zip(tasks, windows, strict=True)]
    works = [
        Work(task.name, by_period.Pinwheel(task.wcet, task.period), tuple(task.work()), class_=task.class_)
        for task in shorter
    ]
    check(takt.System(policy="pinwheel", tasks=described), Framework(tuple(works), EFFECTIVE["pinwheel"]))


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(1, 60)), min_size=1, max_size=7))
@many
def test_windows_of_a_pinwheel_are_those_of_the_reference(requests: list[tuple[int, int]]) -> None:
    assert reservations.specialise(requests) == by_period.specialise(tuple(requests))


def test_long_windows_of_a_pinwheel_are_exact() -> None:
    longest = 2**62 - 1
    assert reservations.specialise([(1, longest), (longest // 2, longest)]) == (longest, longest)
    assert reservations.specialise([(longest, longest), (1, longest)]) is None


# ------------------------------------------------------------------------------------------------- single rules


def jobs_of(result: takt.Result) -> list[tuple[int, int | None, bool]]:
    """Return release, finish and miss of every job."""
    return result.jobs.select("release", "finish", "missed").rows()


def test_a_job_without_mandatory_part_never_misses() -> None:
    tasks = [takt.Task(name="A", period=2, wcet=2), takt.Task(name="B", period=2, wcet=2, mandatory=0)]
    result = takt.simulate(takt.System(policy="imprecise", tasks=tasks), 9)
    assert result.summary.select("cut", "missed", "optional_executed", "optional_wanted").rows() == [
        (0, 0, 0, 0),
        (4, 0, 0, 8),
    ]


def test_a_job_of_less_than_its_mandatory_part_wants_nothing_optional() -> None:
    tasks = [takt.Task(name="A", period=4, wcet=3, mandatory=2, demand=[1, 3])]
    result = takt.simulate(takt.System(policy="imprecise", tasks=tasks), 8)
    assert result.summary.select("finished", "optional_executed", "optional_wanted").rows() == [(2, 1, 1)]


def test_a_pinwheel_shows_the_shorter_periods() -> None:
    tasks = [takt.Task(name="A", period=4, wcet=1), takt.Task(name="B", period=11, wcet=2, deadline=10)]
    summary = takt.simulate(takt.System(policy="pinwheel", tasks=tasks), 40).summary
    assert summary.select("period", "deadline", "missed").rows() == [(4, 4, 0), (8, 10, 0)]


def test_options_of_a_policy_that_is_not_used_say_nothing() -> None:
    under_edf = takt.simulate(TIME_DRIVEN.replace(policy="edf"), 20)
    assert under_edf.segments.equals(takt.simulate(TIME_DRIVEN.replace(policy="edf", options=()), 20).segments)


@pytest.mark.parametrize(
    ("system", "change", "message"),
    [
        (TIME_DRIVEN, having(8, "WINDOWS", 0, "kind"), "kind 8 out of range"),
        (TIME_DRIVEN, having(3, "WINDOWS", 0, "slots"), "the image holds a value that cannot be"),
        (TIME_DRIVEN, having(0, "SLOTS", 0, "length"), "length 0 out of range"),
    ],
)
def test_a_trace_whose_windows_are_damaged_is_refused(
    tmp_path: Path, system: takt.System, change: Change, message: str
) -> None:
    assert refusal_of_header(tmp_path / "T.takt", system, change) == message


def test_a_request_in_a_trace_is_refused_where_tasks_neither_enter_nor_leave(tmp_path: Path) -> None:
    path = tmp_path / "T.takt"
    takt.simulate(TIME_DRIVEN, 20, trace=path)
    rows = records_of(path)
    rows.insert(3, [rows[2][0], 0, 1, 0, 12, 0, 0, 0])
    rewrite(path, records=rows)
    assert "cannot have been recorded in this order" in refusal(path)


def test_a_trace_with_windows_holds_the_system_as_core_got_it(tmp_path: Path) -> None:
    takt.simulate(TIME_DRIVEN, 20, trace=tmp_path / "T.takt")
    trace = takt.replay(tmp_path / "T.takt").trace
    assert [task.windows for task in trace.system.tasks] == [task.windows for task in TIME_DRIVEN.resolved.tasks]
    assert trace.system.tasks[0].windows == ResolvedWindows("time-driven", 0, 10, ((0, 2), (5, 2)))
