# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Jobs of threads that lock, in servers and beside plain threads: systems made by calls, against the oracle."""

from __future__ import annotations

from itertools import zip_longest
from pathlib import Path

import oracle
import pytest
from hypothesis import given
from oracle.model import CLASSES, ON_MISS, PROTOCOLS, Resource, System
from oracle.systems import SERVER_KINDS, crowds, horizons
from sampling import tries
from test_kernel_interfaces import play
from test_kernel_objects import Build, built, link

__all__ = ["built"]

POLICY_NUMBERS = ("fp", "rm", "dm", "edf", "llf")
KIND_NUMBERS = ("cbs", "deferrable", "hard-cbs", "idling", "polling", "sporadic", "sporadic-strict")
MARK_NUMBERS = ("lock", "unlock", "suspend")
PRIORITIES = 30
FEATURES = SERVER_KINDS | {"demands", "on_miss", "suspensions"}


@pytest.fixture(scope="module")
def program(built: Build, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program of periodic threads that share."""
    return link(built, "posix", "sharing", tmp_path_factory.mktemp("sharing"), [])


# ---- systems as the program reads them ---------------------------------------------------------------


def home_of(resource: Resource, system: System) -> str | None:
    """Return the server in which a resource is used."""
    return next((task.server for task in system.tasks if resource.name in task.resources), None)


def policy_in(home: str | None, system: System) -> str:
    """Return the policy of a dispatcher."""
    return next((server.policy for server in system.servers if server.name == home), system.policy)


def ceiling_of(resource: Resource, system: System) -> int:
    """Return the highest level of its users."""
    users = [task for task in system.tasks if resource.name in task.resources]
    levels = {
        "fp": [PRIORITIES - task.priority for task in users],
        "rm": [task.period or 0 for task in users],
        "llf": [0],
    }
    return min(
        levels.get(policy_in(home_of(resource, system), system), [task.relative_deadline for task in users]), default=0
    )


def text_of(system: System, horizon: int, *, is_traced: bool) -> str:
    """Write a system as sharing.c reads it."""
    numbers = {None: 0} | {server.name: number for number, server in enumerate(system.servers, 1)}
    names = [resource.name for resource in system.resources]
    words: list[object] = [int(is_traced), horizon, POLICY_NUMBERS.index(system.policy), len(system.servers)]
    for server in system.servers:
        words += [KIND_NUMBERS.index(server.kind), POLICY_NUMBERS.index(server.policy)]
        words += [server.period, server.budget, server.offset, server.priority]
    words.append(len(system.resources))
    for resource in system.resources:
        words += [PROTOCOLS.index(resource.protocol), ceiling_of(resource, system), numbers[home_of(resource, system)]]
    words.append(len(system.tasks))
    for task in system.tasks:
        words += [task.period, task.relative_deadline, task.declared_wcet, task.offset, task.priority]
        words += [numbers[task.server], ON_MISS.index(task.on_miss), CLASSES.index(task.class_)]
        words += [int(task.non_preemptive), len(task.demands), *task.demands, len(task.marks)]
        for mark in task.marks:
            what = mark.ticks if mark.kind == "suspend" else names.index(mark.resource)
            words += [mark.executed, MARK_NUMBERS.index(mark.kind), what]
    return " ".join(map(str, words)) + "\n"


def expected_of(system: System, horizon: int) -> tuple[str, list[str]]:
    """Return the output of the program, by the oracle."""
    outcome = oracle.simulate(system, horizon)
    names = [task.name for task in system.tasks]
    ticks = ["."] * horizon
    for start, end, _, task, _ in outcome.segments:
        if task in names:
            ticks[start:end] = "abcdefgh"[names.index(task)] * (end - start)
    jobs = [row for row in outcome.jobs if row[3] is not None]
    return "".join(ticks), [
        f"{names.index(task)} {job} {finish} {int(missed)}" for task, job, _, finish, _, missed in jobs
    ]


def is_known(end: str) -> bool:
    """True if it was reported whether a job was late."""
    return not end.endswith(" 2")


def agrees(program: Path, system: System, horizon: int) -> None:
    """Check that both layers of the kernel do what the oracle does."""
    expected = expected_of(system, horizon)
    for is_traced in (False, True):
        ticks, ends = play(program, text_of(system, horizon, is_traced=is_traced))
        known = [end if is_known(end) else told for end, told in zip_longest(ends, expected[1], fillvalue="")]
        assert (ticks, known) == expected


# ---- what is checked -----------------------------------------------------------------------------------


@tries(60)
@given(system=crowds(features=FEATURES, policies=POLICY_NUMBERS), horizon=horizons())
def test_threads_whose_jobs_lock_run_as_the_oracle_says(program: Path, system: System, horizon: int) -> None:
    agrees(program, system, horizon)


@pytest.fixture(scope="module")
def scenarios(built: Build, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program of named scenarios."""
    return link(built, "posix", "scenarios", tmp_path_factory.mktemp("scenarios"), [])


def test_what_a_job_holds_under_srp_bars_a_plain_thread_that_another_one_wakes(scenarios: Path) -> None:
    assert play(scenarios, "barred")[0] == "aabaaa" + "c" * 34
