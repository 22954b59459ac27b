"""Rate-based tasks that share resources: core against the reference, and what the ceilings promise across changes."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
import rate_oracle
from hypothesis import given
from rate_oracle import SCALE, Outcome, System, Task
from rate_oracle.sharing import blocking, cost_of, longest_section, used_by
from rate_oracle.systems import HORIZON, SAFE_RULES, sharing_systems
from rate_runs import RULES, first_difference, simulate, spec_of
from sampling import tries
from takt import _core

random_systems = tries(60)
NONE = Fraction(0)


def hard(name: str, period: int, *body: str, **more: int) -> Task:
    """Make a hard task; what it does stands in its body."""
    return Task(name, "hard", None, period, body=body, **more)


LONG = hard("L", 100, "run 4", "lock R", "run 8", "unlock R")
SHORT = hard("H", 10, "lock R", "run 5", "unlock R", offset=8)
CROWDED = System((LONG, SHORT), NONE, rule="boundary")


def late(outcome: Outcome) -> list[str]:
    """Name the tasks that missed a deadline of a window."""
    return sorted({row[0] for row in outcome.jobs if row[5]})


def events(outcome: Outcome, what: str) -> list[tuple[int, str]]:
    """Give instant and task of an event."""
    return [(now, who) for now, event, who, _ in outcome.log if event == what]


# ------------------------------------------------------------------------------------------------ core and reference


@pytest.mark.parametrize("rule", RULES)
def test_random_systems_agree_with_the_reference(rule: str) -> None:
    """Segments, jobs with both kinds of misses, the ledger, what became of tasks, and who held what."""

    @given(sharing_systems(rules=(rule,)))
    @random_systems
    def agrees(system: System) -> None:
        expected = rate_oracle.simulate(system, HORIZON)
        assert first_difference(expected, simulate(system, HORIZON)) is None

    agrees()


@given(sharing_systems(rules=RULES))
@tries(30)
def test_replay_is_identical(tmp_path_factory: pytest.TempPathFactory, system: System) -> None:
    path = tmp_path_factory.mktemp("trace") / "records"
    path.touch()
    simulate(system, HORIZON, path)
    assert _core.replay(spec_of(system), path.read_bytes())[0] == "identical"


# ------------------------------------------------------------------------------------------------- what is promised


@given(sharing_systems(overruns=False, adapts=False, rules=SAFE_RULES))
@random_systems
def test_nobody_is_late_where_nobody_overruns(system: System) -> None:
    """Tasks enter and leave, class none uses up its budgets inside sections, and windows move in flight."""
    assert late(simulate(system, HORIZON)) == []


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
    for _, task, deadline, holder in rate_oracle.simulate(system, HORIZON).blocked:
        windows.setdefault((task, deadline), []).append(holder)
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
    """L locks R a tick before H comes: 7 ticks of the section and 5 of its own are more than its 10."""
    naive = replace(CROWDED, counts_blocking=False)
    for run in (rate_oracle.simulate, simulate):
        assert late(run(naive, 200)) == ["H"]
        assert events(run(CROWDED, 200), "rejected") == [(8, "H")]


def test_whoever_enters_above_a_locked_ceiling_finds_it_locked() -> None:
    """Negative control: with the ceilings of before, H runs although L holds what it wants."""
    system = System((LONG, replace(SHORT, offset=5)), NONE, counts_blocking=False)
    with pytest.raises(AssertionError, match="R is locked twice at 5"):
        rate_oracle.simulate(replace(system, waits_for_ceilings=False), 40)
    for run in (rate_oracle.simulate, simulate):
        assert events(run(system, 40), "entered") == [(0, "L"), (12, "H")]


# ---------------------------------------------------------------------------------------------- ceilings that follow

LOAD = Task("X", "hard", 4, 10, leaves=60)
STRETCHED = Task("S", "soft", None, 20, body=("lock R", "run 1", "unlock R", "run 3"))
MIDDLE = hard("M", 22, "run 2", offset=1)
HOLDER = hard("L", 60, "lock R", "run 6", "unlock R")
FOLLOWED = System((LOAD, STRETCHED, MIDDLE, HOLDER), NONE, rule="boundary")


def test_what_blocking_takes_is_the_longest_wait_by_the_shortest_deadline() -> None:
    """5 ticks of L in the 20 of S; M has 22; X is above every ceiling."""
    costs = {task.name: cost_of(FOLLOWED, task) for task in FOLLOWED.tasks}
    assert {name: cost.longest for name, cost in costs.items()} == {
        "X": 0, "S": SCALE * 5 // 20, "M": -(-SCALE * 5 // 22), "L": 0
    }  # fmt: skip
    assert blocking(costs.values()) == SCALE // 4
