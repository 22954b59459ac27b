# SPDX-License-Identifier: Apache-2.0 OR MIT
"""With less effort an analysis says the same or that it does not know: a test that has not ended has not failed."""

from __future__ import annotations

import random
from collections import Counter
from itertools import count

import pytest
import takt
from adversary import first_draft
from hypothesis import given
from hypothesis import strategies as st
from sampling import expect_cases, tries
from takt.analysis import Verdict
from takt.analysis.judge import judge
from takt.analysis.view import view_of

WHOLE = 10_000_000
SURE = (Verdict.SCHEDULABLE, Verdict.NOT_SCHEDULABLE)

seen: Counter[tuple[Verdict, Verdict]] = Counter()


def has_weaker_tests(system: takt.System) -> bool:
    """True if a second, sharper test may follow one that fails: what is told of the first is right."""
    return bool(system.servers or system.changes) or system.policy == "share"


@tries(300)
@given(st.integers(0, 2**32), st.sampled_from([1, 3, 10, 30, 100, 300, 1000]))
def test_less_effort_says_the_same_or_less(seed: int, effort: int) -> None:
    rng = random.Random(seed)
    system = next(system for system in (first_draft(rng).build() for _ in count()) if system is not None)
    view = view_of(system)
    whole, less = judge(view, WHOLE), judge(view, effort)
    seen[whole.verdict, less.verdict] += 1
    assert less.verdict not in SURE or less.verdict is whole.verdict, system
    for all_, some in zip(whole.rows(), less.rows(), strict=True):
        if some.verdict is Verdict.SCHEDULABLE:
            assert all_.verdict is Verdict.SCHEDULABLE, system
        if some.verdict is Verdict.NOT_GUARANTEED and all_.verdict in SURE:
            assert has_weaker_tests(system), (some, system)


def test_effort_was_exceeded_in_all_ways() -> None:
    expect_cases(all(seen[verdict, Verdict.NOT_KNOWN] > 0 for verdict in SURE), seen)


def test_a_test_that_has_not_ended_is_no_failure() -> None:
    """Of each family a system whose answer takes more than a step: nothing is known, and that is the reason."""
    tasks = [takt.Task(name="A", period=10, wcet=3, priority=2), takt.Task(name="B", period=15, wcet=4, priority=1)]
    server = takt.Server(name="S", kind="cbs", period=10, budget=8)
    served = [task.replace(server="S") for task in tasks]
    systems = {
        "fp": takt.System(tasks=tasks, policy="fp"),
        "imprecise": takt.System(tasks=tasks, policy="imprecise"),
        "dual-priority": takt.System(tasks=tasks, policy="dual-priority"),
        "costs": takt.System(tasks=tasks, policy="fp", platform=takt.Platform(context_switch=1)),
        "cbs": takt.System(tasks=served, policy="edf", servers=[server]),
    }
    for name, system in systems.items():
        assert takt.analyse(system).verdict is Verdict.SCHEDULABLE, name
        found = takt.analyse(system, effort=1, sensitivity=False)
        assert found.verdict is Verdict.NOT_KNOWN, (name, found)
        assert "effort" in found.reason, name


@pytest.mark.parametrize("policy", ["edf", "llf"])
def test_soft_tasks_that_demand_too_much_say_nothing_of_a_hard_one(policy: str) -> None:
    soft = [takt.Task(name=name, period=20, wcet=8, deadline=9, class_="soft") for name in "AB"]
    system = takt.System(tasks=[takt.Task(name="H", period=200, wcet=1), *soft], policy=policy)
    for effort in (*range(1, 40), WHOLE):
        assert takt.analyse(system, effort=effort, sensitivity=False).verdict is not Verdict.NOT_SCHEDULABLE
    assert takt.simulate(system, 800).summary["missed"].to_list()[0] == 0


def test_a_server_whose_period_holds_more_jobs_than_can_be_looked_at_ends() -> None:
    task = takt.Task(name="A", period=5, wcet=3, server="S")
    server = takt.Server(name="S", period=2**62 - 1, budget=2)
    found = takt.analyse(takt.System(tasks=[task], servers=[server]), effort=1000)
    assert [row.task for row in found.tasks] == ["A"]
