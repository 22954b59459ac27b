# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The rate-based scheduler of core against its reference and the golden schedules; replay of its traces."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import rate_oracle
from hypothesis import given
from rate_oracle import SCALE, System, Task
from rate_oracle.model import FORMULA3
from rate_oracle.systems import HORIZON, systems
from rate_runs import RULES, first_difference, program_of, records_of, rows_of, simulate
from sampling import tries
from takt import _core
from test_rate_oracle import GOLDEN_RUNS, LOWERED, golden_runs, without_job_numbers

NONE = Fraction(0)

random_systems = tries(100)

LEAVE = System(
    (Task("A", "soft", 5, 10, leaves=5), Task("B", "soft", 5, 10), Task("X", "hard", 2, 4, offset=5)),
    NONE,
    rule="boundary",
)


def asking(task: Task, *requests: tuple[int, dict[str, Any]]) -> Task:
    """Return a task that requests other parameters: when, and which."""
    return replace(task, requests=tuple((at, replace(task, **changes)) for at, changes in requests))


SOFT = Task("S", "soft", 2, 10)
SUSPENDED = asking(Task("H", "hard", 5, 10), (1, {"wcet": 10, "demand": (5,)}), (15, {"wcet": 5}))
ADAPTING = Task("A", "soft", 5, 10, demand=(5, 1, 1), adapts=True)
DOUBLED = {"period": 20, "wcet": 4}
REFILLED = asking(Task("S", "soft", 2, 10, demand=(20,)), (1, DOUBLED), (5, {**DOUBLED, "wcet": 8}))
OVERRUNNING = asking(Task("L", "hard", 2, 10, demand=(60,), deadline=6), (41, {"period": 20, "deadline": 9}))

CORNERS = {
    "a window waits where rate is asked for again and there is no room": (System((SOFT, SUSPENDED), NONE), 60),
    "a new estimate forgets all jobs before": (
        System((asking(ADAPTING, (6, {"wcet": 4})),), NONE, estimate_jobs=2),
        60,
    ),
    "a new period keeps the estimate": (
        System((asking(replace(ADAPTING, demand=(5, 1, 1, 1, 1, 1)), (35, {"period": 20})),), NONE, estimate_jobs=2),
        80,
    ),
    "the jobs that an estimate looks back at wrap around": (
        System((Task("A", "soft", 1, 5, demand=(1, 1, 4, 1, 1, 1, 2), adapts=True),), NONE, estimate_jobs=2),
        240,
    ),
    "a cut leaves a single tick": (
        System(
            (Task("N", "none", None, 100), asking(Task("S", "soft", 1, 10), (98, {"wcet": 2}))),
            Fraction(1, 10),
            nrt_shrink=True,
        ),
        200,
    ),
    "after a cut a window begins with the budget of its rate": (
        System(
            (Task("N", "none", None, 20), Task("H", "hard", 2, 6, offset=3, leaves=19)),
            NONE,
            rule="boundary",
            nrt_shrink=True,
        ),
        60,
    ),
    "a cut forgets what the share was ahead": (
        System(
            (
                Task("H1", "hard", 1, 2),
                Task("H2", "hard", 1, 3, offset=1),
                Task("N", "none", None, 30, leaves=2),
            ),
            Fraction(1, 10),
            nrt_shrink=True,
        ),
        60,
    ),
    "formula (3) counts a task of class none where there is none yet": (
        System((Task("S", "soft", 5, 10), Task("H", "hard", 21, 25)), FORMULA3, sigma=Fraction(1, 10)),
        60,
    ),
    "a budget that is filled again has the period of the one before": (System((REFILLED,), NONE, rule="boundary"), 90),
    "of three that wait for rate the first leaves, and the second comes last": (
        System(
            (
                Task("N", "none", None, 60),
                Task("H1", "hard", 1, 10, offset=2, leaves=3),
                Task("H2", "hard", 1, 10, offset=4),
                Task("H3", "hard", 1, 10, offset=1),
            ),
            NONE,
            rule="boundary",
        ),
        90,
    ),
    "jobs that wait at the end have the deadlines that are in force by then": (System((OVERRUNNING,), NONE), 118),
}
"""Small systems that come up too rarely at random, up to a horizon."""


@pytest.mark.parametrize(("name", "system", "horizon"), GOLDEN_RUNS)
def test_golden_schedules(name: str, system: System, horizon: int) -> None:
    """The schedules of the specification, also what happens if rate is given up at once."""
    assert without_job_numbers(simulate(system, horizon).segments) == golden_runs(name)


@pytest.mark.parametrize("rule", RULES)
def test_random_systems_agree_with_the_reference(rule: str) -> None:
    """Segments, jobs with both kinds of misses, the ledger of every tick, and what became of each task."""

    @given(systems(rules=(rule,)))
    @random_systems
    def agrees(system: System) -> None:
        expected = rate_oracle.simulate(system, HORIZON)
        assert first_difference(expected, simulate(system, HORIZON)) is None

    agrees()


@pytest.mark.parametrize("name", CORNERS)
def test_corners_agree_with_the_reference(name: str) -> None:
    system, horizon = CORNERS[name]
    assert first_difference(rate_oracle.simulate(system, horizon), simulate(system, horizon)) is None


@given(systems(rules=("boundary", "in-flight")))
@random_systems
def test_the_ledger_is_never_above_the_whole(system: System) -> None:
    """The sum of all reservations is at most one processor."""
    assert max(simulate(system, HORIZON).ledger) <= SCALE


@given(systems(rules=RULES))
@tries(30)
def test_replay_is_identical(tmp_path_factory: pytest.TempPathFactory, system: System) -> None:
    """A trace holds every request and what became of each task; replaying it gives the same, bit for bit."""
    records = records_of(system, HORIZON, tmp_path_factory.mktemp("trace") / "records")
    verdict, decisions, *_ = _core.replay(program_of(system), b"".join(records))
    assert verdict == "identical"
    assert decisions > 0


@pytest.mark.parametrize(
    ("system", "horizon", "kind"), [pytest.param(LEAVE, 20, 13, id="leave"), pytest.param(LOWERED, 40, 14, id="change")]
)
def test_a_lost_request_makes_replay_differ(tmp_path: Path, system: System, horizon: int, kind: int) -> None:
    records = records_of(system, horizon, tmp_path / "records")
    kept = [record for record in records if record[24] != kind]
    assert len(kept) == len(records) - 1
    assert _core.replay(program_of(system), b"".join(records))[0] == "identical"
    assert _core.replay(program_of(system), b"".join(kept))[0] == "different"


@given(systems(rules=("boundary", "in-flight"), overruns=False))
@random_systems
def test_nobody_who_keeps_to_its_wcet_makes_anybody_late(system: System) -> None:
    """Whoever enters, leaves or asks for other parameters, and whenever: not by the deadlines that were given."""
    outcome = simulate(system, HORIZON)
    assert not [row for row in outcome.jobs if row[5]]
    assert max(outcome.ledger) <= SCALE


def test_naive_answers_to_requests_make_others_late() -> None:
    """The negative control: at 5 A asks for less and has had more; X gets that at once, and B misses 10."""
    naive = simulate(replace(LOWERED, rule="naive"), 40)
    assert next(row[0] for row in naive.jobs if row[5]) == "B"
    assert not [row for row in simulate(LOWERED, 40).jobs if row[5]]


def simulate_jobs(system: System, horizon: int) -> dict[tuple[str, int], tuple[int | None, int | None, bool]]:
    """Return deadline, finish and miss of each job."""
    columns = _core.simulate(program_of(system, horizon), kept=["jobs", "windows"])["frames"]
    names = [task.name for task in system.tasks]
    rows = zip(rows_of(columns["jobs"]), rows_of(columns["windows"]), strict=True)
    return {
        (names[task], job): (deadline, finish, bool(missed))
        for (task, job, _, finish, missed), (*_, deadline, _) in rows
    }


def test_long_times_fit() -> None:
    """The longest times there may be: nothing overflows, and a soft task is stretched exactly."""
    longest = _core.RATE_LONGEST
    tasks = (Task("A", "soft", longest, longest), Task("H", "hard", longest // 2, longest))
    jobs = simulate_jobs(System(tasks, NONE, rule="boundary"), 2 * longest)
    assert jobs["A", 0] == (2 * longest, 2 * longest, False)
    assert jobs["H", 1] == (2 * longest, longest + longest // 2, False)
