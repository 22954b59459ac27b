# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Parts of responses and demands: they add up, and an author's part is what simulation, or its absence, says."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Sequence

import net
import pytest
import takt
from places import CASES
from sampling import count, expect_cases
from takt import _analysis
from takt.analysis import judgement
from takt.analysis.result import Analysis, Demand, Part, PartKind, ServerBound, TaskBound
from takt.command.main import app
from takt.files.task_set_reading import loads
from test_charges import FAMILIES, Draw
from test_resource_blocking import draw_jobs, system_of
from typer.testing import CliRunner

PEOPLE = CASES / "people"
HAVE_PARTS = frozenset(
    {
        "response times",
        "response times, deferred preemption",
        "response times, thresholds",
        "bounds on response times",
        "response times beside servers",
        "response times under a supply",
        "response times with overheads",
        "response times with budget always",
        "response times with what is left of the budget",
        "bound on processor demand",
    }
)
"""Tests of which each response has parts; of "processor demand" those that are computed, not under llf."""


def of_kind(row: TaskBound, kind: PartKind) -> list[Part]:
    return [part for part in row.parts if part.kind is kind]


def interference(row: TaskBound) -> dict[str, tuple[int, int]]:
    """Count and execution of the jobs of each task that go before a job."""
    return {part.name: (part.count, part.each) for part in of_kind(row, PartKind.INTERFERENCE)}


def is_met_by_deadline(row: TaskBound) -> bool:
    """True if nothing but the deadline bounds the response: it was not computed."""
    return row.response == row.deadline and not row.parts


# ---- they add up --------------------------------------------------------------------------------------------


def check_sums(found: Analysis, seen: Counter[str]) -> None:
    rows: list[TaskBound | ServerBound] = [*found.tasks, *found.servers]
    for row in rows:
        name = "" if row.test is None else row.test.name
        if row.response is None or (name not in HAVE_PARTS and not row.parts):
            continue
        if name == "bound on processor demand" and isinstance(row, TaskBound) and is_met_by_deadline(row):
            continue
        assert row.parts, (row, found)
        assert sum(part.ticks for part in row.parts) == row.response, row
        assert all(part.ticks == part.count * part.each for part in row.parts if part.count), row
        assert all((part.ticks < 0) == (part.kind is PartKind.BEFORE) for part in row.parts), row
        seen[name] += 1
    for demand in found.demands:
        assert demand.ticks > demand.supplied, demand
        seen["demand"] += 1


def test_parts_of_drawn_systems_of_every_paradigm_add_up() -> None:
    seen: Counter[str] = Counter()
    for paradigm in net.paradigms():
        systems = net.systems(paradigm)
        for name, text in systems[:: max(1, len(systems) // count(12))]:
            try:
                found = takt.analyse(loads(text, name), sensitivity=False)
            except takt.InputError:
                continue
            check_sums(found, seen)
    expect_cases(len(seen) > 8, seen)


@pytest.mark.parametrize("family", FAMILIES)
def test_parts_add_up_where_the_kernel_takes_time(family: str) -> None:
    seen: Counter[str] = Counter()
    for seed in range(count(60)):
        system = Draw(seed, family).system()
        check_sums(takt.analyse(system, sensitivity=False), seen)
    expect_cases(sum(seen.values()) > 20, seen)


# ---- an author's part, found otherwise ------------------------------------------------------------------------


def test_jobs_that_go_before_are_those_of_a_run_from_the_critical_instant() -> None:
    """Preemptive tasks that are released together: what each executes up to the finish of the job."""
    compared = later = 0
    for seed in range(count(150)):
        system = preemptive(random.Random(seed))
        rows = takt.analyse(system, sensitivity=False).tasks
        longest = max((row.response or 0) + 20 * row.period for row in rows)
        run = takt.simulate(system, horizon=min(longest, 4000))
        for row in rows:
            if row.response is None or not row.parts:
                continue
            earlier = sum(part.count for part in of_kind(row, PartKind.EARLIER))
            job = run.jobs.filter((run.jobs["task"] == row.task) & (run.jobs["job"] == earlier))
            finish = job["finish"][0] if job.height else None
            if finish is None:
                continue
            assert job["response"][0] == row.response, (seed, row)
            done = run.segments.filter(run.segments["end"] <= finish)
            executed: Counter[str] = Counter()
            for task, start, end in done.select("task", "start", "end").rows():
                executed[task] += end - start
            parts = {name: jobs * each for name, (jobs, each) in interference(row).items()}
            assert parts == {name: ticks for name, ticks in executed.items() if name in parts}, (seed, row)
            own = sum(part.ticks for part in row.parts if part.kind in (PartKind.EXECUTION, PartKind.EARLIER))
            assert own == executed[row.task], (seed, row)
            compared += 1
            later += earlier > 0
    expect_cases(compared > 200 and later > 5, (compared, later))


def preemptive(numbers: random.Random) -> takt.System:
    """Draw preemptive tasks with different priorities and any deadlines."""
    size = numbers.randint(2, 5)
    tasks = []
    for place in range(size):
        period = numbers.randint(4, 40)
        wcet = max(1, round(period * numbers.uniform(0.5, 1.4) * 0.9 / size))
        tasks.append(takt.Task(name=f"T{place}", period=period, wcet=wcet, deadline=3 * period, priority=size - place))
    return takt.System(tasks=tasks, policy="fp")


@pytest.mark.parametrize("protocol", ["pip", "pcp", "icpp", "srp", "npcs"])
def test_only_authors_of_blocking_block(protocol: str) -> None:
    """Without the less urgent tasks that are no authors a job responds as late; without the authors not later."""
    compared = 0
    for seed in range(count(60)):
        numbers = random.Random(seed)
        jobs = draw_jobs(numbers)
        regions = [numbers.choice(["preemptive", "preemptive", "non-preemptive"]) for _ in jobs]
        system = system_of(numbers, "fp", [protocol], jobs, regions)
        for place, row in enumerate(takt.analyse(system, sensitivity=False).tasks):
            authors = {part.name for part in of_kind(row, PartKind.BLOCKING)}
            assert sum(part.ticks for part in of_kind(row, PartKind.BLOCKING)) == (row.blocking or 0) * bool(row.parts)
            if not authors or row.response is None:
                continue
            assert all(int(name) > place for name in authors)
            assert response_with(system, row.task, [*map(str, range(place + 1)), *authors]) == row.response, (seed, row)
            rest = [task.name for task in system.tasks if task.name not in authors]
            assert (response_with(system, row.task, rest) or 0) <= row.response, (seed, row)
            compared += 1
    expect_cases(compared > 30, compared)


def response_with(system: takt.System, task: str, kept: Sequence[str]) -> int | None:
    """Return the response of a task where only some of the tasks are there."""
    tasks = [each for each in system.tasks if each.name in kept]
    used = {item.split()[1] for each in tasks for item in each.body or () if str(item).startswith("lock")}
    resources = [each for each in system.resources if each.name in used]
    found = takt.analyse(system.replace(tasks=tasks, resources=resources), sensitivity=False)
    return next(row.response for row in found.tasks if row.task == task)


def test_a_demand_is_that_of_the_jobs_that_are_due() -> None:
    """Jobs released together, one by one; the region of a task without a deadline in the interval comes before."""
    refused = 0
    for seed in range(count(200)):
        numbers = random.Random(seed)
        tasks = [
            takt.Task(
                name=f"T{place}",
                period=(period := numbers.randint(4, 30)),
                wcet=numbers.randint(1, max(1, period // 3)),
                deadline=numbers.randint(2, period),
                preemption=numbers.choice(["preemptive", "preemptive", "non-preemptive"]),
            )
            for place in range(4)
        ]
        for demand in takt.analyse(takt.System(tasks=tasks, policy="edf"), sensitivity=False).demands:
            assert due_in(tasks, demand) == Counter({part.name: part.ticks for part in demand.parts}), (seed, demand)
            assert demand.ticks > demand.interval == demand.supplied
            assert all(most_in(tasks, length) <= length for length in range(1, demand.interval)), (seed, demand)
            refused += 1
    expect_cases(refused > 50, refused)


def most_in(tasks: Sequence[takt.Task], length: int) -> int:
    """Return what is due in an interval, and the longest region that may have begun before it."""
    due, begun = 0, 0
    for task in tasks:
        jobs = max((length - int(task.deadline or 0)) // int(task.period or 1) + 1, 0)
        due += jobs * int(task.wcet or 0)
        is_whole = task.preemption == "non-preemptive" and int(task.deadline or 0) > length
        begun = max(begun, int(task.wcet or 0) - 1 if is_whole else 0)
    return due + begun * (due > 0)


def due_in(tasks: Sequence[takt.Task], demand: Demand) -> Counter[str]:
    """Count what is due in an interval job by job, and the longest region that may have begun before it."""
    found: Counter[str] = Counter()
    for task in tasks:
        deadline = int(task.deadline or 0)
        while deadline <= demand.interval:
            found[task.name] += int(task.wcet or 0)
            deadline += int(task.period or 0)
    begun = {each.name: int(each.wcet or 0) - 1 for each in tasks if each.preemption == "non-preemptive"}
    regions = [(ticks, name) for name, ticks in begun.items() if name not in found and ticks > 0]
    if regions:
        longest = max(ticks for ticks, _ in regions)
        author = next(part for part in demand.parts if part.kind is PartKind.BLOCKING)
        assert (longest, author.name) in regions
        found[author.name] = longest
    return found


@pytest.mark.parametrize("policy", ["fp", "edf"])
def test_of_many_parts_those_of_late_tasks_are_there(policy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judgement, "MAX_PARTS", 40)
    tasks = [
        takt.Task(name=f"T{place}", period=100 + place, wcet=4, deadline=50 + 4 * (place % 7), priority=20 - place)
        for place in range(20)
    ]
    rows = takt.analyse(takt.System(tasks=tasks, policy=policy), sensitivity=False).tasks
    late = [row for row in rows if row.verdict.value != "schedulable"]
    assert late
    assert 40 <= sum(len(row.parts) for row in rows) < 80
    assert max(late, key=lambda row: -(row.slack or 0) / row.deadline).parts


# ---- by hand ----------------------------------------------------------------------------------------------------


def analysed(name: str) -> Analysis:
    return takt.analyse(takt.load(PEOPLE / name), sensitivity=False)


def test_a_controller_waits_for_the_flash_and_for_the_kernel() -> None:
    """25 us of 4.44 ms are its own; the kernel takes the rest: releases, completions, a tick and the region's end."""
    row = analysed("ecu.toml").tasks[0]
    assert [(part.kind.value, part.name, part.ticks, part.why) for part in row.parts] == [
        ("blocking", "flash", 4000, "non-preemptive"),
        ("execution", "", 25, ""),
        ("interference", "can_rx_isr", 270, ""),
        ("jitter", "", 5, ""),
        ("kernel", "", 139, ""),
    ]
    assert interference(row) == {"can_rx_isr": (18, 15)}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("block_pip_icpp.toml", [("estimator", 39, "state"), ("temperature", 399, "bus")]),
        ("block_pip_pip.toml", [("estimator", 39, "state"), ("temperature", 399, "bus")]),
        ("block_icpp_icpp.toml", [("temperature", 399, "bus")]),
    ],
)
def test_sections_are_named_with_their_resources(name: str, expected: list[tuple[str, int, str]]) -> None:
    parts = of_kind(analysed(name).tasks[2], PartKind.BLOCKING)
    assert [(part.name, part.ticks, part.resource) for part in parts] == expected
    assert {part.why for part in parts} == {"section"}


def test_a_task_in_a_server_waits_for_its_budget() -> None:
    """5 of 20 ticks: 30 without supply and a second budget for the last of 6 ticks, 15 later."""
    server = takt.Server(name="S", kind="polling", period=20, budget=5, priority=2)
    tasks = [takt.Task(name="A", period=100, wcet=6, server="S"), takt.Task(name="B", period=100, wcet=1, priority=1)]
    row = takt.analyse(takt.System(tasks=tasks, servers=[server], policy="fp"), sensitivity=False).tasks[0]
    assert [(part.kind.value, part.name, part.ticks) for part in row.parts] == [
        ("execution", "", 6),
        ("budget", "S", (row.response or 0) - 6),
    ]
    assert row.response == 19 + 15 + 6


def test_json_has_the_parts_and_says_no_more_than_there_is() -> None:
    result = CliRunner().invoke(app, ["analyse", str(PEOPLE / "two.toml"), "--json"])
    (document,) = json.loads(result.stdout)["analyses"]
    assert document["tasks"][1]["parts"] == [
        {"kind": "execution", "ticks": 3000, "count": 1, "each": 3000},
        {"kind": "interference", "ticks": 175, "name": "adc", "count": 7, "each": 25},
    ]
    assert document["demands"] == []
    assert _analysis.UNKNOWN > document["tasks"][1]["response"] == 3175
