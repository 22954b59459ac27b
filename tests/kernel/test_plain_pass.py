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
from kernel_model import (
    NEVER,
    OPERATIONS,
    PROTOCOLS,
    THREAD_ACTS,
    Operation,
    Script,
    draw_script,
    draw_thread_operation,
)
from test_kernel_objects import DEBUG, Build, built, link, script_of
from test_near_layer import lines_of

__all__ = ["built"]

SCRIPTS = 80
SLICED = 0.2
"""Share of programs that may have time slices."""
LOCKS = {
    **{"lock": 7, "unlock": 6, "priority": 4, "work": 4, "delay": 4, "resume": 2, "give": 2},
    **{"suspend": 1, "abort": 1, "take": 1, "relock": 1, "end_lock": 1, "monitor": 1, "notify_all": 1},
}
"""How often each call is drawn where threads do little but lock."""


@pytest.fixture(scope="module")
def player(built: Build, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program that executes a script."""
    return link(built, "posix", "script", tmp_path_factory.mktemp("plain"), [], DEBUG)


def draw_plain_script(seed: int) -> Script:
    """Draw a script of plain threads under fixed priorities that lock; every other one does little besides."""
    draw = random.Random(f"plain {seed}")
    script = draw_script(seed, protocol=draw.choice(["mixed", "mixed", *PROTOCOLS]))
    if seed % 2 == 1:
        count = len(script.threads)
        script = replace(script, threads=tuple((*row[:3], draw_locks(draw, count)) for row in script.threads))
    return script if draw.random() < SLICED else replace(script, slices=tuple(0 for _ in script.slices))


def draw_locks(draw: random.Random, threads: int) -> tuple[Operation, ...]:
    """Draw calls that lock and unlock in any order, so that there are chains and deadlocks, and change who waits."""
    acts = draw.choices(list(LOCKS), list(LOCKS.values()), k=draw.randint(12, OPERATIONS))
    return tuple(
        draw_thread_operation(draw, threads, {act: 1, **{other: 0 for other in THREAD_ACTS if other != act}})
        for act in acts
    )


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
