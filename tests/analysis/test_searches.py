# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What searches tell of a system holds for the system that is changed so: growth, all wcets together, and advice.

Each change is made in the tables, as a user would make it, so that whatever follows from a wcet follows it: windows,
keys, ceilings, promotions. Then the analysis is asked again, and a simulation is looked at.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache

import pytest
import takt
from adversary import FEATURES, Draft, Rows, any_task
from places import CASES, EXAMPLES
from sampling import SYSTEMS, count, expect_cases
from takt.analysis import Analysis, TaskBound, Verdict, sensitivity
from takt.analysis.judge import judge
from takt.analysis.view import view_of
from takt.model.core_input import ResolvedSystem
from takt.model.records import ChangeRecord, ResourceRecord, ServerRecord, TaskRecord

UNSOUND = CASES / "unsound"
POLICIES = (
    *("fp", "rm", "dm", "edf", "llf", "rbe", "pinwheel", "dual-priority", "imprecise", "rate-based"),
    *("generic", "wfq", "wf2q"),
)
FOUND = ("fp", "rm", "dm", "edf", "llf", "rbe", "imprecise", "rate-based", "generic", "wfq", "wf2q", "dual-priority")
"""Policies under which growth is told: the windows of pinwheel follow from wcets."""
EXACT = ("fp", "rm", "dm", "edf", "llf", "rbe", "imprecise", "rate-based", "generic", "wfq", "wf2q")
"""Those under which one tick more is too much: promotions stay."""


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
    for task in draft.tasks:
        task |= own_keys(policy, task, rng)
    for feature in rng.sample([*FEATURES], rng.randint(1, 2) * (number % 2)):
        if feature not in ("policies", "demands"):
            FEATURES[feature](draft, rng)
    return draft.build()


def own_keys(policy: str, task: Rows, rng: random.Random) -> Rows:
    """Draw keys of a task that only one policy reads."""
    if policy == "imprecise":
        return {"mandatory": rng.choice([None, rng.randint(0, task["wcet"]), task["wcet"]])}
    if policy != "rate-based":
        return {}
    class_ = rng.choice(["hard", "soft", "none"])
    deadline = min(task["deadline"], task["period"]) if class_ == "hard" else task["period"]
    return {"class_": class_, "weight": rng.randint(1, 3), "deadline": deadline}


@cache
def analysed(policy: str) -> list[tuple[takt.System, Analysis]]:
    """Analyse systems under a policy."""
    built = [drawn(policy, number) for number in range(count(16))]
    return [(system, takt.analyse(system, effort=1_000_000)) for system in built if system is not None]


def with_wcet(system: takt.System, name: str, wcet: int) -> takt.System:
    """Return a system with another wcet of a task, which all its jobs demand."""
    tasks = [task.replace(wcet=wcet, demand=wcet) if task.name == name else task for task in system.tasks]
    return system.replace(tasks=tasks)


def has_own_wcet(system: takt.System, name: str) -> bool:
    """True if nothing else in the tables says how long a job of a task takes."""
    task = next(task for task in system.tasks if task.name == name)
    changed = [change for change in system.changes if change.task == name and (change.wcet or change.demand)]
    return task.body is None and not changed


def that_must(found: Analysis, also: str = "") -> set[str]:
    """Return the tasks that must meet their deadlines: those that count, those that do so now, and one more."""
    hard = {row.task for row in found.tasks if row.class_ == "hard"} or {row.task for row in found.tasks}
    return hard | {row.task for row in found.tasks if row.verdict is Verdict.SCHEDULABLE} | {also} - {""}


def failing(system: takt.System, names: set[str]) -> list[str]:
    """Return the tasks of some that are not schedulable, or miss."""
    rows = {row.task: row for row in judge(view_of(system)).rows()}
    seen = takt.simulate(system, 800, jobs=False, segments=False).summary.select("task", "missed").rows()
    missing = {task for task, missed in seen if missed}
    return sorted(name for name in names if rows[name].verdict is not Verdict.SCHEDULABLE or name in missing)


def scaled(system: takt.System, thousandths: int) -> takt.System | None:
    """Return the system with all wcets multiplied and rounded up; None if it may not have them."""
    try:
        for task in system.tasks:
            assert isinstance(task.wcet, int)
            system = with_wcet(system, task.name, -(-task.wcet * thousandths // 1000))
    except takt.InputError:
        return None
    return system


def growths(policy: str) -> Iterator[tuple[takt.System, Analysis, TaskBound, int]]:
    """Yield the growth of single tasks."""
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


def scalings(policy: str) -> Iterator[tuple[takt.System, Analysis, int]]:
    """Yield the scaling of all tasks together."""
    for system, found in analysed(policy):
        if found.scaling is not None and all(has_own_wcet(system, task.name) for task in system.tasks):
            yield system, found, found.scaling


@pytest.mark.parametrize("policy", POLICIES)
def test_all_wcets_may_be_multiplied_as_is_told(policy: str) -> None:
    for system, found, scaling in scalings(policy):
        larger = scaled(system, scaling)
        assert larger is not None
        assert failing(larger, that_must(found)) == [], system


@pytest.mark.parametrize("policy", EXACT)
def test_all_wcets_may_not_be_multiplied_by_more_than_is_told(policy: str) -> None:
    for system, found, scaling in scalings(policy):
        larger = scaled(system, scaling + 1)
        if larger is not None and scaling < sensitivity.MAX_SCALE:
            rows = {row.task: row for row in judge(view_of(larger)).rows()}
            assert any(rows[name].verdict is not Verdict.SCHEDULABLE for name in that_must(found)), (larger, found)


def test_a_best_effort_task_grows_as_far_as_its_budget() -> None:
    hard = takt.Task(name="H", period=10, wcet=8)
    rest = takt.Task(name="N", class_="none", period=20, wcet=1)
    found = takt.analyse(takt.System(tasks=[hard, rest], policy="rate-based"))
    assert [row.growth for row in found.tasks] == [1, 3]
    alone = takt.analyse(takt.System(tasks=[rest, rest.replace(name="M", wcet=4)], policy="rate-based"))
    assert (alone.scaling, [row.growth for row in alone.tasks]) == (2500, [9, 6])


@pytest.mark.parametrize("policy", POLICIES)
def test_what_is_advised_fits(policy: str) -> None:
    for system, found in analysed(policy):
        hard = {row.task for row in found.tasks if row.class_ == "hard"} or {row.task for row in found.tasks}
        for advice in found.advice:
            assert failing(advised(system, advice), hard) == [], (system, advice)


def advised(system: takt.System, advice: takt.analysis.Advice) -> takt.System:
    """Return the system with the advised changes."""
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


# ---- what a test can read --------------------------------------------------------------------------------


def parts_of(value: object) -> Iterator[object]:
    """Yield a value and all that it is made of."""
    yield value
    if is_dataclass(value):
        for field in fields(value):
            yield from parts_of(getattr(value, field.name))
    elif isinstance(value, tuple):
        for each in value:
            yield from parts_of(each)


def test_a_test_reads_no_number_that_a_search_does_not_change() -> None:
    """A search changes tasks and servers of the view: the tables that it is made of are not in it."""
    for path in sorted(EXAMPLES.glob("*.toml")):
        system = takt.load(path)
        for domain in [each.system for each in system.domains] or [system]:
            kinds = {type(part) for part in parts_of(view_of(domain))}
            records = (ResolvedSystem, TaskRecord, ServerRecord, ChangeRecord, ResourceRecord)
            assert not [kind for kind in kinds if issubclass(kind, records)], path


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
