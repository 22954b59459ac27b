# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Task-set files that Takt writes: reading them gives the same system."""

from __future__ import annotations

import tempfile
import tomllib
from pathlib import Path

import jsonschema
import oracle
import pytest
import takt
from hypothesis import given
from oracle.systems import CHANGES, EVERYTHING, RESOURCES, SERVER_KINDS, households, systems, with_changes
from places import EXAMPLE_FILES
from sampling import tries
from takt.command.schema import taskset_schema
from test_random_systems import as_system


def again(system: takt.System) -> takt.System:
    """A system, written and read."""
    with tempfile.TemporaryDirectory() as folder:
        takt.save(system, Path(folder, "again.toml"))
        return takt.load(Path(folder, "again.toml"))


@pytest.mark.parametrize("path", EXAMPLE_FILES, ids=lambda path: path.stem)
def test_what_was_read_is_what_was_written(path: Path) -> None:
    system = takt.load(path)
    assert again(system) == system
    assert again(system).resolved == system.resolved


@tries(40)
@given(systems(parents_first=False, features=EVERYTHING | SERVER_KINDS | RESOURCES | CHANGES))
def test_random_systems_are_what_was_written(system: oracle.System) -> None:
    assert again(as_system(system)) == as_system(system)


@tries(25)
@given(households().flatmap(with_changes))
def test_random_systems_of_servers_that_share_are_what_was_written(system: oracle.System) -> None:
    assert again(as_system(system)) == as_system(system)


A = takt.Task(name="A", period="10ms", wcet=2)
B = takt.Task(name="B", period="20ms", wcet="3.5 ms", class_="soft")

SYSTEMS = {
    "names": takt.System(name='"\\ü#=', tasks=[A.replace(name=" a'b\\n ")], seed=2**64 - 1),
    "distributions": takt.System(
        resolution="100us",
        tasks=[
            takt.Task(name="U", period="10ms", wcet="5ms", demand=takt.Uniform(min=1, max="2ms")),
            takt.Task(name="N", period="10ms", wcet="5ms", demand=takt.Normal(mean="2ms", deviation=0, max="3ms")),
            takt.Task(name="W", period="10ms", wcet="5ms", demand=takt.Weibull(scale="1ms", shape=0.1)),
            takt.Task(name="E", min_separation=9, wcet=5, arrivals=takt.Exponential(mean="20ms", min="1ms")),
        ],
        horizon="1s",
    ),
    "options": takt.System(
        tasks=[A, B.replace(wcet=3)],
        policy="rate-based",
        options=[takt.RateBased(beta="formula", sigma=0.25, grid="2ms", background=True), takt.Share()],
    ),
    "slots": takt.System(
        tasks=[A],
        policy="time-driven",
        options=[takt.TimeDriven(cycle=20, slots=[takt.Slot(task="A", start=0, length="4ms")])],
        allocator=takt.Allocator(),
    ),
    "platform": takt.System(
        tasks=[A, B], resolution="0.5ms", platform=takt.Platform(context_switch="0.5ms", tick=1, tick_period="10ms")
    ),
    "changes": takt.System(
        tasks=[A, B.replace(initially="absent")],
        resolution="500us",
        changes=[takt.Change(at=7, add=["B"]), takt.Change(at="9ms", task="A", demand=[1, "1ms"], class_="none")],
    ),
    "bodies": takt.System(
        tasks=[
            A.replace(body=["run 2ms", "optional point", "lock R", "run 1", "unlock R", "suspend 3", "run 1"], wcet=9),
            A.replace(name="B", sections=[1, "1 R"]),
            A.replace(name="C", subjobs=[1, "1ms"], arrivals=None, threshold=None),
            takt.Task(name="D", arrivals=[0, 3, "9ms"], deadline=20, wcet=1, offset="1ms", events=3, interval=20),
        ],
        resources=[takt.Resource(name="R", protocol="icpp")],
        horizon="1s",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SYSTEMS)
def test_what_is_seldom_used_is_written_too(name: str) -> None:
    assert again(SYSTEMS[name]) == SYSTEMS[name]
    jsonschema.validate(tomllib.loads(takt.to_toml(SYSTEMS[name])), taskset_schema())


def test_a_comment_stands_at_the_head_of_the_file() -> None:
    text = takt.to_toml(takt.System(tasks=[A]), "one\ntwo \x00")
    assert text.splitlines()[:3] == ["# one", "# two \\u0000", "schema = 1"]
    assert tomllib.loads(text)["task"] == [{"name": "A", "period": "10ms", "wcet": 2}]


class Mine(takt.Policy):
    def release(self, job: takt.Job) -> int:
        return job.wcet


def test_a_policy_in_python_is_in_no_file() -> None:
    server = takt.Server(name="S", period=10, budget=5, policy=Mine())
    system = takt.System(tasks=[A.replace(server="S")], servers=[server], policy=Mine())
    with pytest.raises(takt.InputError) as refused:
        takt.to_toml(system)
    message = "policy: expected a policy that a file can name, found one in Python, Mine"
    assert str(refused.value).splitlines() == [f"[system] {message}", f'[[server]] "S" {message}']


def test_a_file_that_cannot_be_written_is_said_to_be_so(tmp_path: Path) -> None:
    with pytest.raises(takt.InputError, match="cannot write: No such file or directory"):
        takt.save(takt.System(tasks=[A]), tmp_path / "none" / "a.toml")
