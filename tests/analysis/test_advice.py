# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What `takt analyse` says would fit does fit, is proposed where it is needed, and says all that fails."""

from __future__ import annotations

import pytest
import takt
from hypothesis import given
from oracle import System as OracleSystem
from oracle.systems import EVERYTHING as ANYTHING
from oracle.systems import RESOURCES, SERVER_KINDS, systems
from places import CASES
from sampling import tries
from takt.analysis.result import Verdict
from test_literature import changed
from test_random_systems import as_system


def advice_of(system: takt.System) -> dict[str, tuple[tuple[str, str, str, object], ...]]:
    """What would fit, by the first words of each advice."""
    return {advice.what.split(":")[0]: advice.changes for advice in takt.analyse(system).advice}


def fits(system: takt.System, changes: tuple[tuple[str, str, str, object], ...]) -> bool:
    """True if a system with what an advice changes is proved, and misses nothing when it runs."""
    fitting = changed(system, changes)
    counted = {task.name for task in system.tasks if task.class_ == "hard"} or {task.name for task in system.tasks}
    missed = takt.simulate(fitting, 2000, segments=False).summary.filter(missed=0)["task"]
    return takt.analyse(fitting, sensitivity=False).is_schedulable and counted <= set(missed)


# ---- each kind ---------------------------------------------------------------------------------------------


def test_the_task_that_blocks_all_others_is_made_preemptive() -> None:
    system = takt.load(CASES / "ecu.toml")
    found = takt.analyse(system)
    (first, second) = found.advice
    assert first.what == "with other preemption: flash preemptive"
    assert first.changes == (("task", "flash", "preemption", "preemptive"),)
    assert {(table, name) for table, name, _, _ in second.changes} == {("task", "flash")}
    assert all(fits(system, advice.changes) for advice in found.advice)


def test_as_few_tasks_as_possible_become_preemptive() -> None:
    tasks = [takt.Task(name="A", period=10, deadline=6, wcet=2, priority=9)]
    tasks += [
        takt.Task(name=f"B{wcet}", period=400, wcet=wcet, priority=wcet, preemption="non-preemptive")
        for wcet in (3, 7, 5, 6, 4)
    ]
    system = takt.System(tasks=tasks)
    changes = advice_of(system)["with other preemption"]
    assert [name for _, name, _, _ in changes] == ["B7", "B6"]
    for kept in changes:
        assert not takt.analyse(changed(system, tuple(each for each in changes if each != kept))).is_schedulable


def test_a_threshold_that_keeps_an_urgent_task_waiting_is_left_out() -> None:
    tasks = [
        takt.Task(name="A", period=10, deadline=4, wcet=2, priority=3),
        takt.Task(name="B", period=60, wcet=9, priority=1, threshold="A"),
    ]
    assert advice_of(takt.System(tasks=tasks))["with other preemption"] == (("task", "B", "threshold", None),)


@pytest.mark.parametrize("protocol", ["none", "npcs"])
def test_another_protocol_is_proposed(protocol: str) -> None:
    tasks = [
        takt.Task(name="A", period=20, deadline=4, wcet=2, priority=3),
        takt.Task(name="B", period=40, priority=2, sections=["1", "2 R"]),
        takt.Task(name="C", period=60, priority=1, sections=["1", "6 R", "1"]),
    ]
    system = takt.System(tasks=tasks, resources=[takt.Resource(name="R", protocol=protocol)])
    changes = advice_of(system)["with other protocols"]
    assert changes == (("resource", "R", "protocol", "srp"),)
    assert fits(system.replace(resources=[takt.Resource(name="R", protocol="srp")]), ())


def test_priorities_are_sought_where_tasks_share_resources() -> None:
    tasks = [
        takt.Task(name="A", period=20, deadline=16, wcet=2, priority=3),
        takt.Task(name="B", period=40, priority=2, sections=["7", "2 R"]),
        takt.Task(name="C", period=60, deadline=9, priority=1, sections=["1", "3 R", "1"]),
    ]
    system = takt.System(tasks=tasks, resources=[takt.Resource(name="R")])
    order = {name: value for _, name, _, value in advice_of(system)["with other priorities"]}
    assert order == {"C": 3, "A": 2, "B": 1}


# ---- every kind --------------------------------------------------------------------------------------------


@tries(60)
@given(systems(features=ANYTHING | SERVER_KINDS | RESOURCES))
def test_every_advice_fits_and_says_so_of_itself(system: OracleSystem) -> None:
    drawn = as_system(system)
    for advice in takt.analyse(drawn, sensitivity=False).advice:
        fitting = changed(drawn, advice.changes)
        assert takt.analyse(fitting, sensitivity=False).is_schedulable, advice
        assert takt.analyse(fitting, sensitivity=False).advice == ()


# ---- reasons -----------------------------------------------------------------------------------------------


def test_a_reason_counts_the_tasks_that_it_leaves_out() -> None:
    found = takt.analyse(takt.load(CASES / "ecu.toml"), sensitivity=False)
    late = [row for row in found.tasks if row.verdict is not Verdict.SCHEDULABLE]
    assert len(late) == 8
    assert sum(row.reason in found.reason for row in late) == 3
    assert found.reason.endswith("; and 5 more")


@pytest.mark.parametrize(("count", "end"), [(3, "T3 misses"), (4, "; and 1 more"), (9, "; and 6 more")])
def test_three_reasons_are_told_and_the_others_counted(count: int, end: str) -> None:
    tasks = [takt.Task(name=f"T{i}", period=100, deadline=1, wcet=2, priority=9 - i) for i in range(1, count + 1)]
    reason = takt.analyse(takt.System(tasks=tasks), sensitivity=False).reason
    assert reason.endswith(end) or (count == 3 and reason.count("misses by") == 3 and "more" not in reason)


def test_soft_tasks_that_may_miss_are_counted() -> None:
    tasks = [takt.Task(name="H", period=100, wcet=1, priority=9)]
    tasks += [takt.Task(name=f"S{i}", period=100, deadline=1, wcet=2, priority=1, class_="soft") for i in range(1, 6)]
    reason = takt.analyse(takt.System(tasks=tasks), sensitivity=False).reason
    assert reason == "the only hard task meets its deadlines; not so S1, S2, S3, and 2 more"


@pytest.mark.parametrize("policy", ["fp", "edf"])
def test_sections_longer_than_any_time_together_are_not_known(policy: str) -> None:
    body = [*(f"lock {name}" for name in "QRS"), f"run {2**61}ms", *(f"unlock {name}" for name in "SRQ")]
    tasks = [takt.Task(name=f"T{i}", period=2**62 - i, body=body, priority=i) for i in range(1, 9)]
    resources = [takt.Resource(name=name, protocol="none") for name in "QRS"]
    found = takt.analyse(takt.System(tasks=tasks, resources=resources, policy=policy), sensitivity=False)
    assert found.verdict is not Verdict.SCHEDULABLE
    assert "sections together are longer than any time" in found.reason
