# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What the package gives back can be compared and be a key: equal where it says the same, never an error."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import takt
from places import EXAMPLES

NAMES = ["smallest", "servers", "resources", "mode_change", "iot_110", "dhall", "architectures", "time_driven"]


def simulated(name: str, *, jobs: bool = True) -> takt.Result:
    """Simulate an example that is read anew."""
    return takt.simulate(takt.load(EXAMPLES / f"{name}.toml"), "100ms", jobs=jobs)


def analysed(name: str) -> takt.Analysis:
    """Analyse an example that is read anew."""
    return takt.analyse(takt.load(EXAMPLES / f"{name}.toml"))


def replayed(folder: Path, name: str) -> takt.Replay:
    """Replay an example."""
    takt.simulate(takt.load(EXAMPLES / f"{name}.toml"), "100ms", trace=folder / "T.takt")
    return takt.replay(folder / "T.takt")


def drawn(tasks: int) -> takt.TaskColumns:
    """Draw three task sets."""
    return takt.Recipe(tasks=tasks, utilization=0.5).columns(first=0, count=3, seed=1)


@pytest.mark.parametrize("name", NAMES)
def test_results_are_equal_if_they_say_the_same(name: str) -> None:
    one, other = simulated(name), simulated(name)
    assert one == other
    assert hash(one) == hash(other)
    assert {one: 1}[other] == 1


def test_results_differ_in_anything_that_they_say() -> None:
    one = simulated("smallest")
    assert one != takt.simulate(one.system, "50ms")
    assert one != takt.simulate(one.system.replace(policy="edf"), "100ms")
    assert one != simulated("smallest", jobs=False)
    assert one != simulated("servers")
    assert one != 1
    assert one != one.summary.height


def make_values(folder: Path) -> dict[str, tuple[Callable[[], object], Callable[[], object]]]:
    """For each kind of what comes back, how one is made, and another one."""
    return {
        "analysis": (lambda: analysed("smallest"), lambda: analysed("servers")),
        "replay": (lambda: replayed(folder, "smallest"), lambda: replayed(folder, "servers")),
        "columns": (lambda: drawn(4), lambda: drawn(5)),
        "system": (
            lambda: takt.load(EXAMPLES / "smallest.toml"),
            lambda: takt.load(EXAMPLES / "servers.toml"),
        ),
    }


@pytest.mark.parametrize("kind", make_values(Path()))
def test_whatever_comes_back_can_be_compared(kind: str, tmp_path: Path) -> None:
    make, make_other = make_values(tmp_path)[kind]
    assert make() == make()
    assert make() != make_other()
    assert make() != 1
    assert hash(make()) == hash(make())
