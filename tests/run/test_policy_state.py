# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Policies in Python that keep what they learn: each run starts afresh.

What is simulated twice has one schedule, whatever ran in between and whatever else uses the instance.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from pathlib import Path
from typing import Any, ClassVar

import pytest
import takt
from places import EXAMPLES
from takt.command import main
from takt.files import trace_file
from takt.run import measurement
from typer.testing import CliRunner

TASKS = [
    takt.Task(name="A", period=5, wcet=2),
    takt.Task(name="B", period=7, wcet=3),
    takt.Task(name="C", period=9, wcet=1),
]


class TakesTurns(takt.Policy):
    """The later asked, the less urgent; an even number of finished jobs turns that round."""

    def __init__(self) -> None:
        self.asked = 0
        self.finished: list[str] = []

    def release(self, job: takt.Job) -> int:
        self.asked += 1
        return 10**6 + self.asked * (1 if len(self.finished) % 2 else -1)

    def complete(self, job: takt.Job, finish: int) -> None:
        self.finished.append(job.task)


class Slotted(takt.Policy):
    """State in a slot."""

    __slots__ = ("asked",)

    def __init__(self) -> None:
        self.asked = 0

    def release(self, job: takt.Job) -> int:
        self.asked += 1
        return 1 + (self.asked * 7919) % 31


class OfTheClass(takt.Policy):
    """State in an attribute of the class, which all instances would share."""

    finished: ClassVar[deque[str]] = deque()

    def release(self, job: takt.Job) -> int:
        self.finished.append(job.task)
        return 1 + (len(self.finished) * 7919) % 31


class Counting(takt.Policy):
    """State in a number of the class."""

    asked = 0

    def release(self, job: takt.Job) -> int:
        self.asked += 1
        return 1 + (self.asked * 7919) % 31


KINDS = [TakesTurns, Slotted, OfTheClass, Counting]


def schedule(result: takt.Result) -> list[tuple[Any, ...]]:
    """Who ran when."""
    return result.segments.rows()


@pytest.mark.parametrize("kind", KINDS)
def test_a_system_that_is_simulated_twice_has_one_schedule(kind: type[takt.Policy], tmp_path: Path) -> None:
    system = takt.System(tasks=TASKS, policy=kind())
    first = takt.simulate(system, 200, trace=tmp_path / "T.takt")
    takt.analyse(system)
    takt.simulate(system, 11)
    again = takt.simulate(system, 200)
    assert schedule(again) == schedule(first)
    assert again.summary.equals(first.summary)
    assert schedule(takt.simulate(takt.System(tasks=TASKS, policy=kind()), 200)) == schedule(first)
    for _ in range(2):
        assert takt.replay(tmp_path / "T.takt", policies=[kind()]).is_identical
    policy = kind()
    assert all(takt.replay(tmp_path / "T.takt", policies=[policy]).is_identical for _ in range(2))


@pytest.mark.parametrize("kind", KINDS)
def test_systems_that_share_an_instance_do_not_influence_each_other(kind: type[takt.Policy]) -> None:
    policy = kind()
    one = takt.System(tasks=TASKS, policy=policy)
    other = takt.System(tasks=TASKS[:2], policy=policy)
    alone = schedule(takt.simulate(takt.System(tasks=TASKS[:2], policy=kind()), 200))
    takt.simulate(one, 150)
    assert schedule(takt.simulate(other, 200)) == alone
    assert schedule(takt.simulate(one.replace(tasks=TASKS[:2]), 200)) == alone


@pytest.mark.parametrize(
    "platform", [{}, {"cpus": 2}, {"platform": takt.Platform(context_switch=1, release=1)}], ids=str
)
def test_a_replay_tells_a_policy_what_has_finished(platform: dict[str, Any], tmp_path: Path) -> None:
    system = takt.System(tasks=TASKS, policy=TakesTurns(), **platform)
    result = takt.simulate(system, 200, trace=tmp_path / "T.takt")
    assert takt.replay(tmp_path / "T.takt", policies=[TakesTurns()]).is_identical
    if "cpus" not in platform:
        trace = trace_file.read(tmp_path / "T.takt", [TakesTurns()])
        assert measurement.jobs_of(trace).rows() == result.jobs.rows()


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_done_to_the_instance_later_does_not_reach_the_system(kind: type[takt.Policy]) -> None:
    policy = kind()
    system = takt.System(tasks=TASKS, policy=policy)
    first = schedule(takt.simulate(system, 200))
    for number in range(3):
        policy.release(takt.Job("A", False, number, 0, 5, 5, 2, 0, "hard"))
    assert schedule(takt.simulate(system, 200)) == first


def test_a_run_leaves_the_state_of_its_policies_in_its_result() -> None:
    policy = TakesTurns()
    system = takt.System(tasks=TASKS, policy=policy)
    results = [takt.simulate(system, horizon) for horizon in (20, 60)]
    counts = []
    for result in results:
        used = result.policies[""]
        assert isinstance(used, TakesTurns)
        assert len(used.finished) == result.summary["finished"].sum()
        counts.append(used.asked)
    assert counts[0] < counts[1]
    assert (policy.asked, policy.finished) == (0, [])


def test_one_instance_in_several_servers_is_one_in_each_run() -> None:
    policy = TakesTurns()
    servers = [takt.Server(name=name, period=10, budget=5, policy=policy) for name in ("S", "T")]
    tasks = [takt.Task(name=name, period=20, wcet=1, server=server) for name, server in ("AS", "BS", "CT", "DT")]
    system = takt.System(tasks=tasks, servers=servers, policy=policy)
    results = [takt.simulate(system, 100) for _ in range(2)]
    assert schedule(results[0]) == schedule(results[1])
    for result in results:
        assert list(result.policies) == ["", "S", "T"]
        assert len({id(used) for used in result.policies.values()}) == 1
    assert results[0].policies[""] is not results[1].policies[""]


def test_systems_with_equal_policies_are_equal() -> None:
    one, other = TakesTurns(), TakesTurns()
    assert takt.System(tasks=TASKS, policy=one) == takt.System(tasks=TASKS, policy=other)
    other.asked = 1
    assert one != other
    assert takt.System(tasks=TASKS, policy=one) != takt.System(tasks=TASKS, policy=other)
    assert hash(one) == hash(other)


class Locked(takt.Policy):
    """Its state cannot be copied."""

    def __init__(self) -> None:
        self.lock = threading.Lock()

    def release(self, job: takt.Job) -> int:
        return 1


def test_a_state_that_cannot_be_copied_is_refused_in_one_line() -> None:
    line = (
        'policy "locked": expected a state that copy.deepcopy can copy for each run, found '
        "TypeError: cannot pickle '_thread.lock' object; give Locked a method __deepcopy__"
    )
    with pytest.raises(takt.InputError) as caught:
        takt.System(tasks=TASKS, policy=Locked())
    assert str(caught.value) == line
    server = takt.Server(name="S", period=10, budget=5, policy=Locked())
    with pytest.raises(takt.InputError) as caught:
        takt.System(tasks=TASKS, servers=[server])
    assert str(caught.value) == line


FILE = """
import takt

class Turning(takt.Policy):
    asked = []

    def release(self, job):
        self.asked.append(job.task)
        return 1 + (len(self.asked) * 7919) % 31
"""


def test_commands_run_a_class_of_a_file_afresh(tmp_path: Path) -> None:
    (tmp_path / "turning.py").write_text(FILE)
    example = EXAMPLES / "smallest.toml"
    name = f"{tmp_path / 'turning.py'}:Turning"
    alone, again, last = (
        json.loads(CliRunner().invoke(main.app, ["compare", str(example), "--policy", names, "--json"]).stdout)["runs"]
        for names in (name, name, f"rm,{name}")
    )
    assert alone == again == last[-1:]
