# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The plain pass decides as the full one: random programs of plain threads with mutexes under all protocols, each once
as it is and once traced, that is with the full pass. A thread with a time slice brings the full pass while the program
runs."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
import sampling
from kernel_model import NEVER, PROTOCOLS, Operation, Script, draw_script
from test_kernel_objects import DEBUG, Build, built, link, script_of
from test_near_layer import lines_of

__all__ = ["built"]

SCRIPTS = 80
SLICED = 0.2
"""Share of programs that may have time slices."""


@pytest.fixture(scope="module")
def player(built: Build, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program that executes a script."""
    return link(built, "posix", "script", tmp_path_factory.mktemp("plain"), [], DEBUG)


def draw_plain_script(seed: int) -> Script:
    """Draw a script of plain threads under fixed priorities that lock."""
    draw = random.Random(f"plain {seed}")
    script = draw_script(seed, protocol=draw.choice(["mixed", "mixed", *PROTOCOLS]))
    return script if draw.random() < SLICED else replace(script, slices=tuple(0 for _ in script.slices))


@pytest.mark.parametrize("part", range(4))
def test_the_plain_pass_decides_as_the_full_pass(player: Path, part: int) -> None:
    for seed in range(part, sampling.count(SCRIPTS), 4):
        try:
            lines_of(player, draw_plain_script(seed))
        except AssertionError as error:
            raise AssertionError(f"script {seed}") from error


def test_inheritance_goes_through_a_chain_of_nested_locks(player: Path) -> None:
    lowest = [Operation("lock", 0, NEVER), Operation("work", 0, 8), Operation("unlock", 0), Operation("work", 0, 1)]
    between = [
        Operation("delay", 0, 1),
        *(Operation("lock", 1, NEVER), Operation("lock", 0, NEVER)),
        *(Operation("unlock", 0), Operation("unlock", 1)),
    ]
    middle = [Operation("delay", 0, 2), Operation("work", 0, 20)]
    highest = [Operation("delay", 0, 3), Operation("lock", 1, NEVER), Operation("unlock", 1)]
    script = script_of((0, lowest), (1, between), (2, middle), (3, highest))
    lines = lines_of(player, replace(script, mutexes=(("pip", 3, 0),) * 4))
    assert [line for line in lines if line.split()[1] in ("t0", "t1", "t3")] == [
        "0 t0 0 0 1",
        "1 t1 0 0 0",
        "1 t1 1 0 1",
        "3 t3 0 0 0",
        "9 t0 1 0 0",
        "9 t1 2 0 1",
        "9 t1 3 0 0",
        "9 t3 1 0 1",
        "9 t3 2 0 0",
        "28 t1 4 0 0",
        "28 t0 2 0 0",
        "29 t0 3 0 0",
    ]
