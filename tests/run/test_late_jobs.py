# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The first late job of a run and what delayed it, against a walk through the frames, tick by tick.

The walk knows the public frames of a whole run and nothing of the module: for each tick from the job's release to its
end it looks up who executed, who held what and which budgets were empty.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
import takt
from hypothesis import given
from hypothesis import strategies as st
from oracle.systems import EVERYTHING, RESOURCES, SERVER_KINDS, horizons, systems
from places import EXAMPLES
from sampling import expect_cases, tries
from takt.run import late_jobs
from takt.run.late_jobs import LateJob
from test_random_systems import as_system

many = tries(200)

Found = Counter[tuple[str, str, str]]
"""Ticks by what, name and resource."""


def found_of(late: LateJob) -> Found:
    """Return the ticks of a late job without the reasons for which others were not preempted."""
    ticks = Counter[tuple[str, str, str]]()
    for delay in late.delays:
        resource = delay.resource if delay.what == "lock" else ""
        ticks[delay.what, delay.name, resource] += delay.ticks
    return ticks


def walked(result: takt.Result, late: LateJob) -> tuple[int, Found]:
    """Return how long a job executed, and how long it was delayed by what: a look at each tick."""
    system = result.system
    own = next(task for task in system.tasks if task.name == late.task)
    chain, server = list[str](), own.server
    while server:
        chain.append(server)
        server = next(each.parent for each in system.servers if each.name == server)
    segments, locks = result.segments.rows(), result.locks.rows()
    budgets = {row["tick"]: row for row in result.budgets.iter_rows(named=True)} if chain else {}
    executed, ticks = 0, Counter[tuple[str, str, str]]()
    has_kernel = not system.resolved.costs.is_ideal
    suspends = any(item.startswith("suspend") for item in own.body or ())
    for now in range(late.release, late.deadline if late.finish is None else late.finish):
        running = [row for row in segments if row[0] <= now < row[1]]
        if any(row[4:] == (late.task, late.job) for row in running):
            executed += 1
            continue
        waits, holders = None, dict[str, str]()
        for instant, task, job, resource, what in locks:
            if instant > now or what == "deadlock":
                continue
            if what == "wait" and (task, job) == (late.task, late.job):
                waits = resource
            if what == "lock":
                holders[resource] = task
                waits = None if (task, job) == (late.task, late.job) else waits
            if what == "unlock":
                holders.pop(resource, None)
        empty = [name for name in chain if budgets[now][name] == 0]
        if waits is not None:
            causes = [("lock", holders.get(waits, ""), waits)]
        elif empty:
            causes = [("budget", empty[0], "")]
        elif len(running) < system.cpus:
            words = ["kernel"] * has_kernel + ["suspended"] * suspends
            causes = [(" or ".join(words) or "nothing", "", "")]
        else:
            causes = [
                ("idle server", row[3], "")
                if row[4] == "idle"
                else ("earlier", "", "")
                if row[4] == late.task
                else ("task", row[4], "")
                for row in running
            ]
        ticks.update(causes)
    return executed, ticks


def check_reasons(system: takt.System, late: LateJob) -> None:
    """Check why others were not preempted, where the file alone says it: fixed priorities at the root."""
    tasks = {task.name: task for task in system.tasks}
    own = tasks[late.task]
    for delay in late.delays:
        assert (delay.what == "task") or not delay.why
        if delay.what != "task" or system.policy != "fp" or system.changes or own.server or tasks[delay.name].server:
            continue
        other = tasks[delay.name]
        more = (other.priority > own.priority) - (other.priority < own.priority)
        has_points = bool(other.subjobs) or any("point" in item for item in other.body or ())
        allowed = {1: {"priority"}, 0: {"equal", "section"}, -1: {"section", ""}}[more]
        allowed |= {"non-preemptive"} if more < 0 and (has_points or other.preemption == "non-preemptive") else set()
        allowed |= {"threshold"} if more < 0 and other.threshold is not None else set()
        assert delay.why in allowed, delay
        uses = [item for item in other.body or () if item.startswith("lock")]
        assert delay.why != "section" or f"lock {delay.resource}" in uses


def check(system: takt.System, horizon: int) -> LateJob | None:
    """Compare the first late job of a run with those of its frames, and its delays with the walk."""
    result = takt.simulate(system, horizon)
    late = late_jobs.first_late(result)
    missed = zip(result.jobs.rows(), result.deadlines["deadline"], strict=True)
    due = [(deadline, row[2], row[0], row[1], row[3]) for row, deadline in missed if row[5] and deadline is not None]
    if not due:
        assert late is None
        return None
    assert late is not None
    assert (late.deadline, late.release, late.task, late.job, late.finish) in due
    assert (late.deadline, late.release) == min(due)[:2]
    check_reasons(system, late)
    executed, ticks = walked(result, late)
    assert late.executed == executed
    assert found_of(late) == ticks
    if system.cpus == 1:
        end = late.deadline if late.finish is None else late.finish
        assert executed + sum(ticks.values()) == end - late.release
    return late


@pytest.mark.parametrize(
    "features", [EVERYTHING, EVERYTHING | SERVER_KINDS, EVERYTHING | RESOURCES], ids=["", "servers", "resources"]
)
def test_the_first_late_job_is_that_of_the_frames_and_its_delays_are_those_of_a_walk(features: frozenset[str]) -> None:
    seen = set[str]()

    @many
    @given(st.data())
    def property_(data: st.DataObject) -> None:
        system = data.draw(systems(features=features))
        late = check(as_system(system), data.draw(horizons()))
        seen.update(delay.what for delay in (late.delays if late is not None else ()))

    property_()
    expect_cases({"budget", "kernel", "task"} <= seen, seen)


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.toml")), ids=lambda path: path.stem)
def test_of_the_examples_too(path: Path) -> None:
    system = takt.load(path)
    if system.domains or system.resolved.architecture is not None:
        pytest.skip("the walk knows one dispatcher without an architecture")
    check(system, min(takt.simulate(system, segments=False, jobs=False).horizon, 2000))


class Shortest(takt.Policy):
    """The shortest job first."""

    def release(self, job: takt.Job) -> int:
        return job.wcet


@pytest.mark.parametrize(
    ("offset", "preemption", "wcet", "why"),
    [(1, "non-preemptive", 2, "non-preemptive"), (1, "preemptive", 5, ""), (0, "non-preemptive", 5, "")],
)
def test_under_a_policy_in_python_a_job_that_began_before_goes_on(
    offset: int, preemption: str, wcet: int, why: str
) -> None:
    tasks = [
        takt.Task(name="late", period=20, deadline=wcet, wcet=wcet, offset=offset),
        takt.Task(name="flash", period=20, wcet=4, preemption=preemption),
    ]
    late = late_jobs.first_late(takt.simulate(takt.System(tasks=tasks, policy=Shortest(), horizon=20)))
    assert late is not None
    assert [(each.what, each.name, each.why, each.ticks) for each in late.delays] == [
        ("task", "flash", why, 4 - offset)
    ]
