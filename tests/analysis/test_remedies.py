# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Remedies: chains of changes that make a system schedulable are found where there are some, and do what they say."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import takt
from hypothesis import given
from oracle import System as OracleSystem
from oracle.systems import EVERYTHING as ANYTHING
from oracle.systems import RESOURCES, SERVER_KINDS, systems
from places import CASES, EXAMPLES
from sampling import count, tries
from takt.analysis.remedies import EFFORT_PER_ROW
from takt.analysis.remedy_moves import Member, renumbered
from takt.analysis.result import Remedies, Remedy
from takt.files.edits import applied_to_text
from takt.files.task_set_reading import loads
from takt.model import catalogue
from test_random_systems import as_system

PEOPLE = CASES / "people"


@cache
def searched(path: Path) -> Remedies:
    found = takt.analyse(takt.load(path), sensitivity=False, remedies=True).remedies
    assert found is not None
    return found


def open_deadlines(system: takt.System) -> int:
    """Number of deadlines that are not proved, of the tasks that decide."""
    rows = takt.analyse(system, sensitivity=False).tasks
    deciding = [row for row in rows if row.class_ == "hard"] or rows
    return sum(row.verdict.value != "schedulable" for row in deciding)


def expect_proved(text: str, found: Remedies) -> None:
    """Apply every remedy to a file, step by step, and analyse what comes out."""
    number = 0
    for remedy in found.found:
        assert remedy.steps[-1].after == 0
        for step in remedy.steps:
            number += 1
            after = loads(applied_to_text(text, found.edits_of(number)), "applied")
            assert open_deadlines(after) == step.after, (number, found.edits_of(number))


# ---- the effort of a search --------------------------------------------------------------------------------------


def test_a_search_counts_its_trials_and_says_when_its_effort_is_used_up() -> None:
    system = takt.load(PEOPLE / "wd.toml")
    tried = list[int]()
    whole = takt.analyse(system, remedies=True, progress=tried.append).remedies
    assert whole is not None
    assert not whole.is_limited
    assert tried[: sum(whole.tried)] == list(range(1, 1 + sum(whole.tried)))
    assert whole == takt.analyse(system, remedies=True).remedies
    few = takt.analyse(system, remedies=True, effort=6 * EFFORT_PER_ROW).remedies  # 6 rows are 3 trials of 2 tasks
    assert few is not None
    assert (few.is_limited, few.tried) == (True, (3,))


# ---- what new users wrote --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "steps"),
    [
        ("adv", ["flash.preemption=preemptive", "motor above log"]),
        ("ecu", ["flash.preemption=preemptive", "protocol above can_tx"]),
        ("ecu_subjobs", ["flash.preemption=preemptive"]),
        ("a7", ["flash.preemption=preemptive"]),
        ("ch", ["3 processors"]),
        ("g4", ["fits on 4 processors (worst fit)"]),
    ],
)
def test_what_helps_the_task_sets_of_new_users(name: str, steps: list[str]) -> None:
    found = searched(PEOPLE / f"{name}.toml")
    assert [step.what for step in found.found[0].steps] == steps
    expect_proved((PEOPLE / f"{name}.toml").read_text(), found)


def test_of_the_ecu_nine_deadlines_are_open_then_one_then_none() -> None:
    found = searched(PEOPLE / "ecu.toml")
    first = found.found[0]
    assert first.edits == ("flash.preemption=preemptive", "can_tx.priority=10", "protocol.priority=11")
    assert [(step.before, step.after) for step in first.steps] == [(9, 1), (1, 0)]
    assert (first.processors, first.others, len(found.tried)) == (0, 0, 2)
    assert found.nearest == ()


def test_tasks_that_overload_two_processors_fit_on_three() -> None:
    found = searched(PEOPLE / "ch.toml")
    assert [remedy.edits for remedy in found.found] == [
        ("system.cpus=3",),
        ("system.cpus=3", "A.cpu=0", "B.cpu=1", "C.cpu=2"),
    ]
    assert [remedy.processors for remedy in found.found] == [1, 1]


def test_pieces_that_all_bear_stand_beside_full_preemption() -> None:
    remedies = searched(PEOPLE / "a7.toml").found
    pieces = ", ".join(['"800us"'] * 5)
    assert [remedy.edits for remedy in remedies] == [
        ("flash.preemption=preemptive",),
        (f"flash.subjobs=[{pieces}]", "flash.preemption="),
    ]


def test_a_task_that_never_fits_has_no_remedy() -> None:
    found = searched(PEOPLE / "wd.toml")
    assert (found.found, found.nearest, found.late) == ((), (), ("B", None))
    assert sum(found.tried) > 10


def test_the_nearest_system_is_named_where_nothing_helps() -> None:
    tasks = [
        takt.Task(name="A", period=10, wcet=2, deadline=4, priority=3),
        takt.Task(name="B", period=20, wcet=4, deadline=5, priority=2),
        takt.Task(name="C", period=50, wcet=6, priority=1, preemption="non-preemptive"),
    ]
    found = takt.analyse(takt.System(tasks=tasks), sensitivity=False, remedies=True).remedies
    assert found is not None
    assert found.found == ()
    assert [step.what for step in found.nearest] == ["C.preemption=preemptive"]
    assert found.late == ("B", 1)


def test_no_change_moves_the_task_of_an_allocator() -> None:
    system = takt.load(EXAMPLES / "allocator.toml").replace(policy=catalogue.LEVEL_POLICY)
    found = takt.analyse(system, sensitivity=False, remedies=True)
    assert [row.task for row in found.tasks] == ["control", "video", "log", "allocator"]
    assert found.remedies is not None
    assert found.remedies.found == ()
    assert found.remedies.late == ("control", None)


def test_a_system_that_fits_is_not_searched() -> None:
    assert (
        takt.analyse(
            takt.load(PEOPLE / "adv.toml", ["motor.wcet=1us", "log.wcet=1us", "imu.wcet=1us", "flash.wcet=1us"]),
            remedies=True,
        ).remedies
        is None
    )
    assert takt.analyse(takt.load(PEOPLE / "adv.toml"), sensitivity=False).remedies is None


# ---- one kind of change after the other --------------------------------------------------------------------


def first_of(system: takt.System) -> Remedy:
    found = takt.analyse(system, sensitivity=False, remedies=True).remedies
    assert found is not None
    expect_proved(takt.to_toml(system), found)
    return found.found[0]


def test_one_protocol_for_all_resources() -> None:
    tasks = [
        takt.Task(name="A", period=20, deadline=4, wcet=2, priority=3),
        takt.Task(name="B", period=40, priority=2, sections=["1", "2 R"]),
        takt.Task(name="C", period=60, priority=1, sections=["1", "6 R", "1", "5 S"]),
        takt.Task(name="D", period=60, priority=0, sections=["1", "6 S", "1"]),
    ]
    resources = [takt.Resource(name=name, protocol="npcs") for name in "RS"]
    edits = first_of(takt.System(tasks=tasks, resources=resources)).edits
    assert {edit.partition("=")[0] for edit in edits} == {"R.protocol", "S.protocol"}
    assert len({edit.partition("=")[2] for edit in edits}) == 1


def test_the_budget_of_a_server() -> None:
    tasks = [
        takt.Task(name="A", period=20, wcet=4, server="S", priority=1),
        takt.Task(name="B", period=40, wcet=10, priority=1),
    ]
    servers = [takt.Server(name="S", period=10, budget=1, kind="idling", priority=2)]
    edits = first_of(takt.System(tasks=tasks, servers=servers)).edits
    assert edits[0].startswith("S.budget=")


def test_a_server_above_a_task() -> None:
    tasks = [
        takt.Task(name="A", period=20, wcet=4, server="S", priority=1),
        takt.Task(name="B", period=40, wcet=16, priority=9),
    ]
    servers = [takt.Server(name="S", period=10, budget=5, kind="idling", priority=2)]
    assert first_of(takt.System(tasks=tasks, servers=servers)).steps[0].what in ("S above B", "B below S")


def test_a_threshold_is_taken_away() -> None:
    tasks = [
        takt.Task(name="A", period=10, deadline=4, wcet=2, priority=3),
        takt.Task(name="B", period=60, wcet=9, priority=1, threshold="A"),
    ]
    assert first_of(takt.System(tasks=tasks)).edits == ("B.threshold=",)


def test_many_tasks_become_preemptive_together() -> None:
    tasks = [takt.Task(name="A", period=100, deadline=3, wcet=2, priority=99)]
    tasks += [
        takt.Task(name=f"N{n}", period=1000, wcet=3 + n, priority=n, preemption="non-preemptive") for n in range(9)
    ]
    remedy = first_of(takt.System(tasks=tasks))
    assert remedy.steps[0].what == "9 tasks preemptive"


def test_a_partitioned_machine_moves_one_task_at_most() -> None:
    tasks = [
        takt.Task(name="A", period=10, wcet=6, cpu=0),
        takt.Task(name="B", period=10, wcet=6, cpu=0),
        takt.Task(name="C", period=10, wcet=3, cpu=1),
        takt.Task(name="D", period=10, wcet=4, cpu=0),
    ]
    remedy = first_of(takt.System(tasks=tasks, cpus=3, policy="edf"))
    assert remedy.processors == 0
    assert [step.what for step in remedy.steps] == ["A on processor 1"]
    assert remedy.edits == ("A.cpu=1",)


def test_an_overloaded_processor_gets_a_second_one() -> None:
    tasks = [
        takt.Task(name=name, period=10, wcet=6, priority=1, sections=["3", "3 R"] if name in "AB" else None)
        for name in "ACDB"
    ]
    tasks = [
        task.replace(sections=None) if task.name in "CD" else task.replace(wcet=None, sections=["2", "1 R"])
        for task in tasks
    ]
    remedy = first_of(takt.System(tasks=tasks, resources=[takt.Resource(name="R")]))
    assert remedy.processors >= 1
    places = dict(edit.partition("=")[::2] for edit in remedy.edits)
    assert places["A.cpu"] == places["B.cpu"]
    assert places["C.cpu"] != places["D.cpu"]


def test_names_that_are_ambiguous_are_written_in_full() -> None:
    tasks = [
        takt.Task(name="bus", period=10, deadline=4, wcet=2, priority=3),
        takt.Task(name="x = y", period=60, wcet=9, priority=1, sections=["8", "1 bus"], preemption="non-preemptive"),
    ]
    system = takt.System(tasks=tasks, resources=[takt.Resource(name="bus")])
    assert first_of(system).edits == ('task."x = y".preemption=preemptive',)


# ---- random systems ----------------------------------------------------------------------------------------


@tries(40)
@given(systems(features=ANYTHING | SERVER_KINDS | RESOURCES))
def test_every_remedy_of_a_random_system_does_what_it_says(system: OracleSystem) -> None:
    drawn = as_system(system)
    found = takt.analyse(drawn, sensitivity=False, effort=4_000_000, remedies=True).remedies
    if found is not None:
        expect_proved(takt.to_toml(drawn), found)


def single_changes(system: takt.System) -> Iterator[takt.System]:
    """Yield a system with each single change, tried naively."""
    for place, task in enumerate(system.tasks):
        if task.is_non_preemptive:
            yield with_task(system, place, task.replace(preemption="preemptive"))
    order = sorted(system.tasks, key=lambda task: -task.priority)
    for task, place in itertools.product(order, range(len(order))):
        moved = [each for each in order if each is not task]
        moved.insert(place, task)
        ranks = {each.name: len(moved) - rank for rank, each in enumerate(moved)}
        yield system.replace(tasks=[each.replace(priority=ranks[each.name]) for each in system.tasks])
    for policy in ("dm", "rm", "edf"):
        yield system.replace(policy=policy)
    for protocol in catalogue.ADVISED_PROTOCOLS:
        yield system.replace(resources=[each.replace(protocol=protocol) for each in system.resources])
        for place, each in enumerate(system.resources):
            resources = list(system.resources)
            resources[place] = each.replace(protocol=protocol)
            try:
                yield system.replace(resources=resources)
            except takt.InputError:
                continue


def with_task(system: takt.System, place: int, task: takt.Task) -> takt.System:
    tasks = list(system.tasks)
    tasks[place] = task
    return system.replace(tasks=tasks)


def is_proved(system: takt.System) -> bool:
    return takt.analyse(system, sensitivity=False).is_schedulable


def drawn_tasks(rng: random.Random) -> takt.System:
    """Draw a small system under fp, with regions and sections, that is often one or two changes from fitting."""
    tasks = []
    for number, priority in enumerate(rng.sample(range(10), rng.randint(2, 4))):
        period = rng.choice([8, 10, 20, 40])
        wcet = rng.randint(1, max(1, period // 3))
        keys: dict[str, Any] = {"wcet": wcet}
        if wcet > 2 and rng.random() < 0.4:
            keys = {"sections": ["1", f"{wcet - 1} {rng.choice('RS')}"]}
        elif rng.random() < 0.4:
            keys["preemption"] = "non-preemptive"
        deadline = rng.randint(min(period, wcet + 1), period)
        tasks.append(takt.Task(name=f"T{number}", period=period, deadline=deadline, priority=priority, **keys))
    held = {item.resource for task in tasks for item in task.items if item.resource}
    resources = [takt.Resource(name=name, protocol=rng.choice(["npcs", "pip", "icpp"])) for name in sorted(held)]
    try:
        return takt.System(tasks=tasks, resources=resources)
    except takt.InputError:  # protocols that do not mix
        return takt.System(tasks=tasks, resources=[each.replace(protocol="npcs") for each in resources])


@pytest.mark.parametrize("seed", range(count(40)))
def test_the_search_finds_what_all_single_changes_and_pairs_find(seed: int) -> None:
    system = drawn_tasks(random.Random(f"remedies {seed}"))
    if is_proved(system):
        return
    found = takt.analyse(system, sensitivity=False, remedies=True).remedies
    assert found is not None
    expect_proved(takt.to_toml(system), found)
    singles = list(single_changes(system))
    if any(map(is_proved, singles)):
        assert found.found
        assert len(found.found[0].steps) == 1
    elif any(is_proved(pair) for single in singles for pair in single_changes(single)):
        assert found.found
        assert len(found.found[0].steps) <= 2


# ---- new priorities ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("order", "changed"),
    [
        ("B9 A5", {}),
        ("A5 B9", {"A": 10}),
        ("A0 B0", {"A": 1}),
        ("B2 A3 C1", {"B": 4}),
        ("C1 B2 A3", {"B": 0, "C": 4} | {}),
    ],
)
def test_as_few_priorities_change_as_an_order_needs(order: str, changed: dict[str, int]) -> None:
    members = [[Member("task", name[0], 0, int(name[1:]))] for name in order.split()]
    found = {name: keys["priority"] for (_, name), keys in renumbered(members).items()}
    assert len(found) == len(changed)
    after = [found.get(name[0], int(name[1:])) for name in order.split()]
    assert after == sorted(after, reverse=True)
    assert len(set(after)) == len(after)


@pytest.mark.parametrize("seed", range(count(60)))
def test_no_smaller_set_of_priorities_gives_a_random_order(seed: int) -> None:
    rng = random.Random(f"orders {seed}")
    priorities = [rng.randint(0, 6) for _ in range(rng.randint(1, 5))]
    members = [[Member("task", str(place), 0, priority)] for place, priority in enumerate(priorities)]
    found = {int(name): keys["priority"] for (_, name), keys in renumbered(members).items()}
    after = [found.get(place, priority) for place, priority in enumerate(priorities)]
    assert min(after) >= 0
    assert all(one > other for one, other in itertools.pairwise(after))
    fewest = (
        min(
            sum(one != other for one, other in zip(priorities, tried, strict=True))
            for tried in itertools.product(range(12), repeat=len(priorities))
            if all(one > other for one, other in itertools.pairwise(tried))
        )
        if len(priorities) < 5
        else len(found)
    )
    assert len(found) == fewest


def test_equals_stay_equals() -> None:
    group = [Member("task", name, 0, 3) for name in "AB"]
    assert renumbered([[Member("task", "C", 0, 0)], group]) == {("task", "C"): {"priority": 4}}
    assert renumbered([group]) == {}
