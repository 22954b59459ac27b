# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests of the oracle of scheduler architectures: what holds of any system.

Golden traces and random systems compare it with the simulator, of which the cases R5.3 to R5.5 say every rule, and the
study S2 the benchmarks and trends of the paper. Source: the section on SoRTS, Co-SoRTS and HaRTS of the specification
of the algorithms; what it leaves open stands at the top of architecture_oracle/simulation.py.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import oracle
import pytest
from architecture_oracle import Architecture, Outcome, Task, simulate
from architecture_oracle.model import RTOS, SWITCH
from architecture_oracle.systems import System, hardware_architectures, horizons, systems
from hypothesis import given
from hypothesis import strategies as st
from sampling import tries


def software(context_switch: int, interval: int, timer: str = "rearm") -> Architecture:
    """Return a SoRTS architecture."""
    return Architecture("software", context_switch, interval, timer)


def coprocessor(context_switch: int, latency: int | None = None) -> Architecture:
    """Return a Co-SoRTS architecture."""
    return Architecture("coprocessor", context_switch, latency=latency)


def hardware(context_switch: int) -> Architecture:
    """Return a HaRTS architecture."""
    return Architecture("hardware", context_switch)


def test_a_release_that_nobody_saw_is_an_unfinished_job() -> None:
    outcome = simulate((Task("A", 10, 1),), "rm", software(0, 100), 25)
    assert [row[1:] for row in outcome.jobs[1:]] == [(1, 10, None, None, False), (2, 20, None, None, False)]


@pytest.mark.parametrize("architecture", [hardware(4), coprocessor(4), software(4, 10)], ids=lambda one: one.kind)
def test_no_tasks_are_an_idle_processor(architecture: Architecture) -> None:
    outcome = simulate((), "rm", architecture, 30)
    assert (outcome.jobs, outcome.dispatches, outcome.switch_time) == ((), 0, 0)


# ---------------------------------------------------------------------------------------- random systems

random_systems = tries(300)


def run(system: System, duration: int) -> Outcome:
    """Simulate a system."""
    return simulate(system.tasks, system.policy, system.architecture, duration)


def time_of(outcome: Outcome) -> Counter[str]:
    """Sum the segments by what they are."""
    times: Counter[str] = Counter()
    for start, end, what in outcome.segments:
        times[what] += end - start
    return times


@random_systems
@given(systems(), horizons())
def test_segments_and_jobs_agree(system: System, duration: int) -> None:
    outcome = run(system, duration)
    times = time_of(outcome)
    assert all(earlier[1] <= later[0] for earlier, later in pairwise(outcome.segments))
    assert all(0 <= start < end <= duration for start, end, _ in outcome.segments)
    assert times[RTOS] == outcome.scheduler_time
    assert times[SWITCH] <= outcome.switch_time
    for task in system.tasks:
        jobs = [row for row in outcome.jobs if row[0] == task.name]
        finished, started = (sum(row[column] is not None for row in jobs) for column in (4, 3))
        assert finished * task.wcet <= times[task.name] <= started * task.wcet


@random_systems
@given(systems(), horizons())
def test_jobs_keep_to_their_windows(system: System, duration: int) -> None:
    by_name = {task.name: task for task in system.tasks}
    for name, number, release, start, finish, failed in run(system, duration).jobs:
        task = by_name[name]
        assert release == task.offset + number * task.period < duration
        assert start is None or start >= release + system.architecture.decision_latency
        assert finish is None or (start is not None and finish - start >= task.wcet)
        assert finish is None or failed == (finish > release + task.relative_deadline)


@random_systems
@given(systems(), horizons())
def test_a_longer_run_begins_like_a_shorter_one(system: System, duration: int) -> None:
    shorter, longer = run(system, duration), run(system, 2 * duration)
    cut = [(start, min(end, duration), what) for start, end, what in longer.segments if start < duration]
    assert list(shorter.segments) == cut
    assert shorter.switch_steps <= longer.switch_steps
    assert shorter.fails <= longer.fails


def without_costs() -> st.SearchStrategy[System]:
    """Return hardware without costs and tasks with deadlines within their periods: no release finds a pending job."""
    free = hardware_architectures().map(lambda architecture: Architecture(architecture.kind, 0))
    return systems(among=free, max_periods=1)


def in_ticks(system: System, duration: int) -> list[tuple[str, int, int, int | None]]:
    """Return (task, job, release, finish) by the tick-by-tick scheduler, late jobs aborted."""
    tasks = tuple(
        oracle.Task(
            task.name,
            task.period,
            task.wcet,
            offset=task.offset,
            deadline=task.deadline,
            priority=task.priority,
            on_miss="abort",
        )
        for task in system.tasks
    )
    outcome = oracle.simulate(oracle.System(system.policy, tasks), duration)
    return sorted(row[:4] for row in outcome.jobs)


@tries(100)
@given(without_costs(), st.integers(1, 600))
def test_hardware_without_costs_is_plain_scheduling(system: System, duration: int) -> None:
    found = [(task, number, release, finish) for task, number, release, _, finish, _ in run(system, duration).jobs]
    assert sorted(found) == in_ticks(system, duration)
