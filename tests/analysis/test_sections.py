# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Which sections need no lock: nobody ever waits for those, and somebody may for the others."""

from __future__ import annotations

import random
from collections import Counter

import takt
from hypothesis import given
from hypothesis import strategies as st
from sampling import expect_cases, tries
from takt.analysis.sections import Unprotected, sections_that_need_locks

seen: Counter[tuple[bool, bool]] = Counter()


def system(*tasks: takt.Task, **keys: object) -> takt.System:
    """A system with a resource R."""
    return takt.System(tasks=tasks, resources=[takt.Resource(name="R", protocol="none")], **keys)


def user(name: str, *body: str, **keys: object) -> takt.Task:
    """A task that is non-preemptive unless told otherwise."""
    return takt.Task(**{"name": name, "period": 50, "body": list(body), "preemption": "non-preemptive", **keys})


def reasons(*tasks: takt.Task, **keys: object) -> list[tuple[str, str]]:
    """Tasks and reasons."""
    return [(found.task, found.reason) for found in sections_that_need_locks(system(*tasks, **keys))]


WHOLE = ("run 1", "lock R", "run 2", "unlock R", "point", "run 1")


def test_a_section_within_a_subjob_needs_no_lock() -> None:
    assert reasons(user("A", *WHOLE), user("B", *WHOLE)) == []


def test_optional_points_end_no_subjob() -> None:
    body = ("lock R", "run 1", "optional point", "run 2", "unlock R")
    assert reasons(user("A", *body), user("B", *WHOLE)) == []


def test_the_only_user_needs_no_lock() -> None:
    assert reasons(user("A", "lock R", "run 2", "unlock R", preemption="preemptive"), user("B", "run 1")) == []


def test_a_section_over_the_end_of_a_subjob_needs_one() -> None:
    body = ("lock R", "run 1", "point", "run 1", "point", "run 1", "unlock R")
    assert reasons(user("A", *body), user("B", *WHOLE)) == [("A", "there is a point in the section")]


def test_suspensions_between_sections_do_not_matter() -> None:
    body = ("lock R", "run 1", "unlock R", "suspend 3", "lock R", "run 1", "unlock R")
    assert reasons(user("A", *body), user("B", *WHOLE)) == []


def test_a_preemptive_task_needs_one_and_its_points_are_none() -> None:
    body = ("lock R", "run 1", "point", "run 1", "unlock R")
    assert reasons(user("A", *body, preemption="preemptive"), user("B", *WHOLE)) == [("A", "the task is preemptive")]


def test_users_in_several_dispatchers_need_one() -> None:
    server = takt.Server(name="S", kind="deferrable", period=20, budget=5)
    inside = user("B", *WHOLE, server="S")
    found = sections_that_need_locks(
        takt.System(
            tasks=[user("A", *WHOLE), inside],
            servers=[server],
            resources=[takt.Resource(name="R", protocol="hsrp")],
        )
    )
    assert found == [
        Unprotected("R", "A", "other users are in another dispatcher"),
        Unprotected("R", "B", "other users are in another dispatcher"),
    ]


def draw(generator: random.Random, name: str) -> takt.Task:
    """A user with one section somewhere among runs and points."""
    items = [item for _ in range(3) for item in ("run 1", generator.choice(["point", "optional point", "run 2"]))]
    first = generator.randrange(len(items))
    last = generator.randint(first, len(items))
    body = ["run 1", *items[:first], "lock R", *items[first:last], "run 1", "unlock R", *items[last:], "run 1"]
    preemption = "preemptive" if generator.random() < 0.15 else "non-preemptive"
    return user(
        name,
        *body,
        period=generator.randint(20, 40),
        offset=generator.randrange(20),
        priority=generator.randrange(3),
        preemption=preemption,
    )


@tries(200)
@given(st.integers(0, 2**32))
def check_runs(seed: int) -> None:
    generator = random.Random(seed)
    tasks = [draw(generator, name) for name in "ABC"]
    whole = system(*tasks, policy=generator.choice(["fp", "rm", "edf"]))
    needs_lock = bool(sections_that_need_locks(whole))
    has_waited = (takt.simulate(whole, horizon=400).locks["what"] == "wait").any()
    assert needs_lock or not has_waited, tasks
    seen[needs_lock, has_waited] += 1


def test_nobody_waits_for_a_lock_that_is_not_needed() -> None:
    seen.clear()
    check_runs()
    expect_cases(seen[False, False] > sum(seen.values()) / 20)
    expect_cases(seen[True, True] > sum(seen.values()) / 20)
