# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What searches tell of a system holds for the system that is changed so: growth, all wcets together, and advice.

Each change is made in the tables, as a user would make it, so that whatever follows from a wcet follows it: windows,
keys, ceilings, promotions. Then the analysis is asked again, and a simulation is looked at.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

import pytest
import takt
from adversary import FEATURES, Draft, any_task
from places import CASES
from sampling import SYSTEMS, count, expect_cases
from takt.analysis import Analysis, TaskBound, Verdict
from takt.analysis.judge import judge
from takt.analysis.view import view_of

UNSOUND = CASES / "unsound"
POLICIES = (
    *("fp", "rm", "dm", "edf", "llf", "rbe", "pinwheel", "dual-priority", "imprecise", "rate-based"),
    *("generic", "wfq", "wf2q"),
)
FOUND = ("fp", "rm", "dm", "edf", "llf", "rbe", "imprecise", "rate-based", "generic", "wfq", "wf2q", "dual-priority")
"""Policies under which growth is told: the windows of pinwheel follow from wcets."""
EXACT = ("fp", "rm", "dm", "edf", "llf", "rbe", "imprecise", "generic", "wfq", "wf2q")
"""Those under which one tick more is too much. Admission by rates is told up to the window, and promotions stay."""


def drawn(policy: str, number: int) -> takt.System | None:
    """Draw a system under a policy, every second one of plain tasks."""
    rng = random.Random(f"{policy} {number} {SYSTEMS}")
    tasks = rng.randint(1, 4)
    is_share = policy in ("generic", "wfq", "wf2q")
    options = [takt.Share(variant=policy)] if is_share else []
    draft = Draft(
        {"policy": "share" if is_share else policy, "options": options},
        [any_task(rng, "ABCD"[place], tasks + 1) for place in range(tasks)],
    )
    for feature in rng.sample([*FEATURES], rng.randint(1, 2) * (number % 2)):
        if feature not in ("policies", "demands"):
            FEATURES[feature](draft, rng)
    return draft.build()


@cache
def analysed(policy: str) -> list[tuple[takt.System, Analysis]]:
    """Analyse systems under a policy."""
    built = [drawn(policy, number) for number in range(count(16))]
    return [(system, takt.analyse(system, effort=1_000_000)) for system in built if system is not None]


def with_wcet(system: takt.System, name: str, wcet: int) -> takt.System:
    """Give a task another wcet, which all its jobs demand."""
    tasks = [task.replace(wcet=wcet, demand=wcet) if task.name == name else task for task in system.tasks]
    return system.replace(tasks=tasks)


def has_own_wcet(system: takt.System, name: str) -> bool:
    """Say whether nothing else in the tables says how long a job of a task takes."""
    task = next(task for task in system.tasks if task.name == name)
    changed = [change for change in system.changes if change.task == name and (change.wcet or change.demand)]
    return task.body is None and not changed


def that_must(found: Analysis, also: str = "") -> set[str]:
    """Name the tasks that meet their deadlines in any case: who must, who does so now, and one more."""
    hard = {row.task for row in found.tasks if row.class_ == "hard"} or {row.task for row in found.tasks}
    return hard | {row.task for row in found.tasks if row.verdict is Verdict.SCHEDULABLE} | {also} - {""}


def failing(system: takt.System, names: set[str]) -> list[str]:
    """Name the tasks of some that are not schedulable, or miss."""
    rows = {row.task: row for row in judge(view_of(system)).rows()}
    seen = takt.simulate(system, 800, jobs=False, segments=False).summary.select("task", "missed").rows()
    missing = {task for task, missed in seen if missed}
    return sorted(name for name in names if rows[name].verdict is not Verdict.SCHEDULABLE or name in missing)


def growths(policy: str) -> Iterator[tuple[takt.System, Analysis, TaskBound, int]]:
    """List what is told of single tasks."""
    for system, found in analysed(policy):
        for row in found.tasks:
            if row.growth is not None and has_own_wcet(system, row.task):
                yield system, found, row, row.growth


@pytest.mark.parametrize("policy", POLICIES)
def test_a_wcet_may_grow_as_far_as_is_told(policy: str) -> None:
    told = 0
    for system, found, row, growth in growths(policy):
        grown = with_wcet(system, row.task, row.wcet + growth)
        assert failing(grown, that_must(found, row.task)) == [], (grown, row)
        told += 1
    assert told == 0 or policy in FOUND
    expect_cases(told > 0 or policy not in FOUND)


@pytest.mark.parametrize("policy", EXACT)
def test_a_wcet_may_not_grow_further_than_is_told(policy: str) -> None:
    for system, found, row, growth in growths(policy):
        if row.wcet + growth < row.deadline:
            more = with_wcet(system, row.task, row.wcet + growth + 1)
            rows = {each.task: each for each in judge(view_of(more)).rows()}
            names = that_must(found, row.task)
            assert any(rows[name].verdict is not Verdict.SCHEDULABLE for name in names), (more, row)


@pytest.mark.parametrize("policy", POLICIES)
def test_all_wcets_may_be_multiplied_as_is_told(policy: str) -> None:
    for system, found in analysed(policy):
        if found.scaling is not None and all(has_own_wcet(system, task.name) for task in system.tasks):
            scaled = system
            for row in found.tasks:
                scaled = with_wcet(scaled, row.task, -(-row.wcet * found.scaling // 1000))
            assert failing(scaled, that_must(found)) == [], scaled


@pytest.mark.parametrize("policy", POLICIES)
def test_what_is_advised_fits(policy: str) -> None:
    for system, found in analysed(policy):
        hard = {row.task for row in found.tasks if row.class_ == "hard"} or {row.task for row in found.tasks}
        for advice in found.advice:
            assert failing(advised(system, advice), hard) == [], (system, advice)


def advised(system: takt.System, advice: takt.analysis.Advice) -> takt.System:
    """Do what is advised."""
    keys: dict[tuple[str, str], dict[str, object]] = {}
    for table, name, key, value in advice.changes:
        keys.setdefault((table, name), {})[key] = value
    return system.replace(
        **keys.get(("system", ""), {}),
        tasks=[task.replace(**keys.get(("task", task.name), {})) for task in system.tasks],
        servers=[server.replace(**keys.get(("server", server.name), {})) for server in system.servers],
    )


def test_no_growth_is_told_where_windows_follow_from_wcets() -> None:
    found = takt.analyse(takt.load(UNSOUND / "pinwheel.toml"))
    assert found.verdict is Verdict.SCHEDULABLE
    assert [row.growth for row in found.tasks] == [None, None, None]
    assert found.scaling is None


def test_a_search_may_shrink_a_section_to_nothing() -> None:
    assert takt.analyse(takt.load(UNSOUND / "crash-min.toml")).verdict is Verdict.NOT_GUARANTEED


def test_growth_under_llf_is_that_under_edf() -> None:
    tasks = [takt.Task(name="A", period=10, wcet=2), takt.Task(name="B", period=15, wcet=3, deadline=12)]
    growth = {
        policy: [row.growth for row in takt.analyse(takt.System(tasks=tasks, policy=policy)).tasks]
        for policy in ("edf", "llf")
    }
    assert growth["llf"] == growth["edf"] == [6, 7]


# ---- what is said of all tasks at once -------------------------------------------------------------------


def test_tasks_that_are_there_by_turns_are_not_said_to_miss() -> None:
    tasks = [takt.Task(name="A", period=10, wcet=7), takt.Task(name="B", period=10, wcet=7, initially="absent")]
    changes = [takt.Change(at=50, remove=["A"]), takt.Change(at=60, add=["B"])]
    for policy in ("fp", "edf"):
        found = takt.analyse(takt.System(tasks=tasks, changes=changes, policy=policy))
        assert found.verdict is Verdict.SCHEDULABLE, policy
        assert not any(row.is_tight for row in found.tasks)


def test_soft_tasks_that_overload_several_processors_do_not_make_hard_ones_miss() -> None:
    soft = [takt.Task(name=name, period=10, wcet=10, class_="soft") for name in "BC"]
    system = takt.System(tasks=[takt.Task(name="A", period=10, wcet=1, deadline=1), *soft], policy="dm", cpus=2)
    assert takt.analyse(system).verdict is Verdict.NOT_KNOWN
    assert takt.simulate(system, 200).summary["missed"].to_list()[0] == 0


def test_a_changed_deadline_bounds_the_response_under_edf() -> None:
    found = takt.analyse(takt.load(UNSOUND / "edf_period_change_bound.toml"))
    assert [row.response for row in found.tasks] == [28, 7]
