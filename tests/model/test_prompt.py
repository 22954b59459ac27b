# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Takt at a prompt: files in the place of systems, records in one line, summaries in full, names that complete."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import takt
from places import EXAMPLES

SMALLEST = EXAMPLES / "smallest.toml"


# ---- files in the place of systems --------------------------------------------------------------------


@pytest.mark.parametrize("path", [SMALLEST, str(SMALLEST)])
def test_a_file_is_simulated_and_analysed_as_its_system_is(path: str | Path) -> None:
    assert takt.simulate(path) == takt.simulate(takt.load(SMALLEST))
    assert takt.analyse(path) == takt.analyse(takt.load(SMALLEST))
    assert takt.simulate(path).missed == 1


def test_examples_need_no_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert takt.simulate("examples/smallest.toml") == takt.simulate(SMALLEST)


@pytest.mark.parametrize("given", [SMALLEST, takt.load(SMALLEST)])
def test_policy_horizon_and_seed_stand_in_the_place_of_the_systems(given: Path | takt.System) -> None:
    result = takt.simulate(given, policy="edf", horizon="70ms", seed=7)
    assert (result.missed, result.horizon) == (0, 70)
    assert (result.system.policy, result.system.seed) == ("edf", 7)
    assert result.system == takt.load(SMALLEST).replace(policy="edf", seed=7)
    assert takt.simulate(given, seed=0).system.seed == 0


def test_a_seed_gives_other_jobs_and_the_same_ones_again() -> None:
    drawn = takt.Task(name="A", period=10, wcet=9, demand=takt.Uniform(min=1, max=9))
    jobs = [takt.simulate(takt.System(tasks=[drawn]), 1000, seed=seed).jobs for seed in (1, 2, 1)]
    assert jobs[0].equals(jobs[2])
    assert not jobs[0].equals(jobs[1])


class Own(takt.Policy):
    def release(self, job: takt.Job) -> int:
        return job.deadline


def test_a_policy_in_python_orders_a_file() -> None:
    assert takt.simulate(SMALLEST, policy=Own()).missed == 0
    with pytest.raises(takt.InputError, match=r"policy: expected a policy, found the class Own; write Own\(\)"):
        takt.simulate(SMALLEST, policy=Own)  # type: ignore[arg-type]


WRONG: list[tuple[object, str]] = [
    ("no.toml", "no.toml: cannot read: No such file or directory"),
    (Path("no.toml"), "no.toml: cannot read: No such file or directory"),
    ("a.xml", r"a.xml: expected a task-set file \(TOML\); convert it first: takt convert a.xml a.toml"),
    (5, "expected a takt.System or the path of a task-set file, found 5"),
    (None, "expected a takt.System or the path of a task-set file, found None"),
    ([], "expected a takt.System or the path of a task-set file, found an array"),
    ({"system": {}}, "expected a takt.System or the path of a task-set file, found a table"),
    (takt.System, "expected a takt.System or the path of a task-set file, found <class"),
    (SMALLEST.read_text(), "expected the path of a task-set file, found a text of .. lines; save it first"),
]


@pytest.mark.parametrize("call", [takt.simulate, takt.analyse])
@pytest.mark.parametrize(("given", "message"), WRONG)
def test_what_is_no_system_is_one_line(call: Callable[[object], object], given: object, message: str) -> None:
    with pytest.raises(takt.InputError, match=f"^{message}") as raised:
        call(given)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"policy": "eddf"}, 'unknown policy "eddf"; did you mean "edf"'),
        ({"seed": -1}, "seed: expected a whole number from 0"),
    ],
)
def test_a_wrong_value_names_the_file_and_the_key(change: dict[str, object], message: str) -> None:
    with pytest.raises(takt.InputError, match=rf"smallest.toml: \[system\] .*{message}"):
        takt.simulate(SMALLEST, **change)  # type: ignore[arg-type]
