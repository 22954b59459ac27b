# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Rate-based tasks that share resources: core against the reference, and what the ceilings promise across changes."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
import rate_oracle
import takt
from hypothesis import given
from places import EXAMPLES
from rate_oracle import SCALE, Outcome, System, Task
from rate_oracle.sharing import blocking, cost_of, longest_section, used_by
from rate_oracle.systems import HORIZON, SAFE_RULES, sharing_systems
from rate_runs import RULES, first_difference, program_of, records_of, simulate
from sampling import tries
from tables import read_rows
from takt import _core
from takt.show import resource_use
from trace_header import Change, having, refusal_of_header

random_systems = tries(60)
NONE = Fraction(0)


def hard(name: str, period: int, *body: str, offset: int = 0) -> Task:
    """Return a hard task; what it does stands in its body."""
    return Task(name, "hard", None, period, body=body, offset=offset)


LONG = hard("L", 100, "run 5", "lock R", "run 8", "unlock R")
SHORT = hard("H", 10, "lock R", "run 5", "unlock R", offset=1)
CROWDED = System((LONG, SHORT), NONE, rule="boundary")


def late(outcome: Outcome) -> list[str]:
    """Return the tasks that missed a deadline of a window."""
    return sorted({row[0] for row in outcome.jobs if row[5]})


def events(outcome: Outcome, what: str) -> list[tuple[int, str]]:
    """Return instant and task of an event."""
    return [(now, who) for now, event, who, _ in outcome.log if event == what]


# ------------------------------------------------------------------------------------------------ core and reference


@pytest.mark.parametrize("rule", RULES)
def test_random_systems_agree_with_the_reference(rule: str) -> None:
    """Segments, jobs with both kinds of misses, the ledger, what became of tasks, and who held what."""

    @given(sharing_systems(rules=(rule,), requests=2))
    @random_systems
    def agrees(system: System) -> None:
        expected = rate_oracle.simulate(system, HORIZON)
        assert first_difference(expected, simulate(system, HORIZON)) is None

    agrees()


def test_rate_is_given_up_in_flight_at_the_unlock_that_it_waits_for() -> None:
    """At 21 A asks for a window that is shorter than those of B, which holds R until 25."""
    slow = Task("A", "none", None, 126, weight=2, demand=(30,), body=("run 3", "lock R", "run 9", "unlock R"))
    other = Task("B", "none", None, 100, demand=(25,), body=("run 3", "lock R", "run 10", "unlock R"))
    asking = replace(slow, requests=((21, replace(slow, period=57, weight=1)),))
    system = System((asking, other), NONE, rule="boundary", nrt_shrink=True)
    for run in (rate_oracle.simulate, simulate):
        assert (25, "B", 0, "R", "unlock") in run(system, 60).locks
        assert events(run(system, 60), "re-rated") == [(25, "A")]


def test_a_request_that_comes_into_force_between_windows_leaves_the_level() -> None:
    """At 4 the request of A comes into force; at 5 B locks R, and its ceiling is the 6 ticks of A's last window."""
    clock = Task("C", "hard", 1, 2)
    first = Task("A", "soft", 2, 6, body=("lock R", "run 1", "unlock R", "run 1"))
    asking = replace(first, requests=((1, replace(first, period=2)),))
    holder = Task("B", "none", None, 6, offset=4, body=("lock R", "run 2", "unlock R"))
    system = System((clock, asking, holder), Fraction(1, 10), rule="naive")
    for run in (rate_oracle.simulate, simulate):
        assert (4, "A") in events(run(system, 10), "in force")
        assert (6, 7, "C", 3) in run(system, 10).segments


@given(sharing_systems(rules=RULES))
@tries(30)
def test_replay_is_identical(tmp_path_factory: pytest.TempPathFactory, system: System) -> None:
    records = records_of(system, HORIZON, tmp_path_factory.mktemp("trace") / "records")
    assert _core.replay(program_of(system), b"".join(records))[0] == "identical"


# ------------------------------------------------------------------------------------------------- what is promised


@given(sharing_systems(overruns=False, adapts=False, rules=SAFE_RULES))
@random_systems
def test_nobody_is_late_where_nobody_overruns(system: System) -> None:
    """Tasks enter and leave, class none uses up its budgets inside sections, and windows move in flight."""
    assert late(simulate(system, HORIZON)) == []


@given(sharing_systems(rules=SAFE_RULES))
@random_systems
def test_hard_tasks_are_not_late_when_others_overrun_outside_their_sections(system: System) -> None:
    """Estimates adapt, budgets are refilled, sections go on without budget: hard tasks have what was promised."""
    outcome = simulate(replace(system, tasks=tuple(map(tame, system.tasks))), HORIZON)
    hard_tasks = {task.name for task in system.tasks if task.class_ == "hard"}
    assert hard_tasks.isdisjoint(late(outcome))


def tame(task: Task) -> Task:
    """Return a hard task that keeps its wcet; tasks that execute more do so after their last section."""
    if task.class_ == "hard":
        return replace(task, demand=None)
    wcet = None if task.wcet is None else min(task.wcet + 1, task.period)
    return replace(task, wcet=wcet, body=(*task.body, "run 1")) if task.body else task


@given(sharing_systems(rules=RULES))
@random_systems
def test_nobody_ever_waits_for_a_lock(system: System) -> None:
    """Whatever overruns: who may run finds free what it locks, so there is no deadlock either."""
    assert {what for *_, what in simulate(system, HORIZON).locks} <= {"lock", "unlock"}


@given(sharing_systems(overruns=False, adapts=False, rules=SAFE_RULES))
@random_systems
def test_a_window_is_blocked_by_one_section_at_most(system: System) -> None:
    """One holder, and less than its longest section, in each window of each task."""
    by_name = {task.name: task for task in system.tasks}
    windows: dict[tuple[str, int], list[str]] = {}
    for _, name, deadline, holder_name in rate_oracle.simulate(system, HORIZON).blocked:
        windows.setdefault((name, deadline), []).append(holder_name)
    for holders in windows.values():
        (holder,) = {by_name[name] for name in holders}
        assert len(holders) < max(longest_section(holder, resource) for resource in used_by(holder))


@given(sharing_systems(rules=SAFE_RULES))
@random_systems
def test_the_ledger_leaves_what_blocking_takes(system: System) -> None:
    """Of those who are there, at every tick."""
    outcome = rate_oracle.simulate(system, HORIZON)
    assert all(reserved <= left for reserved, left in zip(outcome.ledger, outcome.capacity, strict=True))


# -------------------------------------------------------------------------------------------------- negative controls


def test_without_blocking_in_the_admission_a_hard_task_is_late() -> None:
    """L locks R a tick before a job of H comes: 7 ticks of the section and 5 of its own are more than its 10."""
    naive = replace(CROWDED, counts_blocking=False)
    for run in (rate_oracle.simulate, simulate):
        assert late(run(naive, 200)) == ["H"]
        assert events(run(CROWDED, 200), "rejected") == [(1, "H")]


def test_whoever_enters_above_a_locked_ceiling_finds_it_locked() -> None:
    """Negative control: with the ceilings of before, H runs although L holds what it wants."""
    system = System((LONG, replace(SHORT, offset=6)), NONE, counts_blocking=False)
    with pytest.raises(AssertionError, match="R is locked twice at 6"):
        rate_oracle.simulate(replace(system, waits_for_ceilings=False), 40)
    for run in (rate_oracle.simulate, simulate):
        assert events(run(system, 40), "entered") == [(0, "L"), (13, "H")]


# ---------------------------------------------------------------------------------------------- ceilings that follow

FOLLOWED = System(
    (
        Task("start-up", "hard", 4, 10, leaves=60),
        Task("radio", "soft", None, 20, body=("lock buffer", "run 1", "unlock buffer", "run 3")),
        hard("motor", 22, "run 2", offset=1),
        hard("log", 60, "lock buffer", "run 6", "unlock buffer"),
    ),
    NONE,
    rule="boundary",
)


def test_what_blocking_takes_is_the_longest_wait_by_the_shortest_deadline() -> None:
    """5 ticks of the log in the 20 of the radio; the motor has 22; the start-up is above every ceiling."""
    costs = {task.name: cost_of(FOLLOWED, task) for task in FOLLOWED.tasks}
    longest = {"start-up": 0, "radio": SCALE * 5 // 20, "motor": -(-SCALE * 5 // 22), "log": 0}
    assert {name: cost.longest for name, cost in costs.items()} == longest
    assert blocking(costs.values()) == SCALE // 4


def test_a_ceiling_follows_the_periods_of_its_users() -> None:
    """The radio has 26 at first: so the motor, with 22, displaces the log in its section at 64, and not at 482."""
    expected = rate_oracle.simulate(FOLLOWED, 500)
    assert first_difference(expected, simulate(FOLLOWED, 500)) is None
    assert (60, 68) in sections(expected, "log")
    assert (64, 66, "motor", 2) in expected.segments
    assert events(expected, "re-rated") == [(20, "radio"), (72, "radio")]
    assert expected.blocked == [(tick, "motor", 504, "log") for tick in range(482, 486)]


def sections(outcome: Outcome, task: str) -> list[tuple[int, int]]:
    """Return from when to when a task held something; its sections follow each other."""
    instants = [(now, what) for now, who, _, _, what in outcome.locks if who == task]
    return [(start, end) for (start, _), (end, _) in zip(instants[::2], instants[1::2], strict=False)]


def test_a_job_of_class_none_finishes_its_section_and_pays_it_back() -> None:
    """N has 1 tick in 20, of what is left beside H and b: a section of 5 uses up the budgets of five windows."""
    tasks = (hard("H", 20, "run 10"), Task("N", "none", None, 20, body=("lock R", "run 5", "unlock R", "run 1")))
    system = System((*tasks, Task("O", "none", None, 20, body=("lock R", "run 1", "unlock R"))), NONE)
    expected = rate_oracle.simulate(system, 200)
    assert first_difference(expected, simulate(system, 200)) is None
    assert expected.segments[:4] == [(0, 10, "H", 0), (10, 15, "N", 0), (15, 16, "O", 0), (16, 17, "N", 0)]
    assert events(expected, "refilled")[:5] == [(15, "N")] * 5
    assert [row[2:5] for row in expected.jobs if row[:2] in (("N", 0), ("N", 1))] == [(0, 120, 17), (120, 240, 137)]


# ------------------------------------------------------------------------------------------------ as people meet it


def described(system: System) -> takt.System:
    """Write a system of the reference as an author would; beta and requests at other instants do not matter here."""
    tasks = [
        takt.Task(
            name=task.name,
            class_=task.class_,
            period=task.period,
            deadline=task.deadline,
            wcet=task.wcet,
            body=list(task.body) or None,
        )
        for task in system.tasks
    ]
    names = sorted({name for task in system.tasks for name in used_by(task)})
    resources = [takt.Resource(name=name, protocol="srp") for name in names]
    return takt.System(tasks=tasks, resources=resources, policy="rate-based", horizon=100)


@given(sharing_systems())
@random_systems
def test_files_come_to_what_blocking_takes_as_the_reference_does(system: System) -> None:
    for task, resolved in zip(system.tasks, described(system).resolved.tasks, strict=True):
        cost = cost_of(system, task)
        if resolved.sharing is None:
            assert cost == (0, 0)
        else:
            assert (resolved.sharing.blocking, resolved.sharing.excess) == tuple(min(2 * SCALE, one) for one in cost)


FILE = (EXAMPLES / "shared_rates.toml").read_text()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The system of which the ceiling follows, as a file."""
    (tmp_path / "set.toml").write_text(FILE)
    return tmp_path / "set.toml"


def test_a_file_gives_the_schedule_of_the_reference_and_shows_who_held_what(path: Path) -> None:
    result = takt.simulate(takt.load(path), trace=path.with_suffix(".takt"))
    expected = rate_oracle.simulate(FOLLOWED, 500)
    assert result.segments.select("start", "end", "task", "job").rows() == expected.segments
    assert [row[:2] + row[3:] for row in expected.locks] == result.locks.select(
        "instant", "task", "resource", "what"
    ).rows()
    held = resource_use.sections(result).filter(task="log").select("start", "end", "waits").rows()
    assert held[1] == (60, 68, False)
    result.gantt(path.with_suffix(".svg"))
    assert takt.replay(path.with_suffix(".takt")).is_identical


PROTOCOL = '[[resource]] "buffer" protocol: expected "srp"'


@pytest.mark.parametrize(
    ("good", "bad", "problem"),
    read_rows("refused_rate_sharing"),
)
def test_what_does_not_go_together_is_told_in_one_line(path: Path, good: str, bad: str, problem: str) -> None:
    assert good in FILE
    path.write_text(FILE.replace(good, bad))
    with pytest.raises(takt.InputError) as caught:
        takt.load(path)
    (found,) = str(caught.value).splitlines()
    assert found.endswith(problem)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (having(9, "USES", 0, "resource"), "resource 9 out of range"),
        (having(2**63, "USES", 0, "task"), f"task {2**63} out of range"),
        (having(2**40, "TASKS", 0, "sharing.excess"), f"sharing.excess {2**40} out of range"),
        (having("pap", "RESOURCES", 0, "protocol"), "a policy or a kind is not in the tables of this build"),
    ],
)
def test_a_damaged_header_of_a_trace_is_refused(path: Path, change: Change, message: str) -> None:
    assert refusal_of_header(path.with_suffix(".takt"), takt.load(path), change) == message
