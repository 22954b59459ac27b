# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Plain threads whose scheduler is at a distance: each of their events is told, and the program notices no difference.

The program is remote_threads.c. It checks itself, replays its trace and asks the observer.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest
import recipes
from places import ROOT
from recipes import compile_objects, found, recipe

SEEDS = range(1, 11)
DELAYS = (1, 2, 7, 30, 200)
OPTIMISED = ("-O1",)
MAILBOX = "firmware/backends/mailbox"
SHARED = ("core/*.c", "policy/*.c", "system/*.c", "port/posix/*.c", "sim/replay.c", "sim/system.c", "sim/stream.c")
KERNEL = ("kernel/*.c", "tests/board/remote_threads.c")
SIDES = ("remote/*.c", "firmware/backends/*.c")


class Programs(NamedTuple):
    """The program on the direct backend and on the mailbox, and what the latter is linked from but for the mailbox."""

    direct: Path
    remote: Path
    shared: list[Path]
    objects: list[Path]


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    folder = tmp_path_factory.mktemp("threads")
    direct, remote = recipe("posix", *OPTIMISED), recipe("posix_remote", *OPTIMISED)
    shared = compile_objects(direct, found(*SHARED), tmp_path_factory)
    here = compile_objects(direct, found(*KERNEL), tmp_path_factory)
    there = compile_objects(remote, found(*KERNEL, *SIDES), tmp_path_factory)
    mailbox = found(f"{MAILBOX}/*.c")
    return Programs(
        recipes.link(direct, [], [*shared, *here], folder / "direct"),
        recipes.link(remote, mailbox, [*shared, *there], folder / "remote"),
        shared,
        there,
    )


def steps(program: Path, seed: int, delay: int) -> str:
    """Run the program to its end, which must be a good one; give all that its threads did."""
    done = recipes.run([program, str(seed), str(delay)])
    assert done.returncode == 0, f"seed {seed}, delay {delay}: {done.stdout[-500:]}"
    return done.stdout


@pytest.mark.parametrize("seed", SEEDS)
def test_threads_do_the_same_without_delays(programs: Programs, seed: int) -> None:
    at_once = steps(programs.direct, seed, 0)
    assert steps(programs.remote, seed, 0) == at_once
    assert all(f" {word} " in at_once for word in ("yield", "delay", "suspend", "priority", "create", "notify"))


@pytest.mark.parametrize("delay", DELAYS)
def test_no_delay_breaks_the_program(programs: Programs, delay: int) -> None:
    assert len({steps(programs.remote, seed, delay) for seed in SEEDS}) == len(SEEDS)


def test_an_inline_layer_that_decides_is_found(
    programs: Programs, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    header = (ROOT / MAILBOX / "takt_backend.h").read_text(encoding="utf-8")
    inattentive = header.replace("TAKT_BACKEND_IS_REMOTE 1", "TAKT_BACKEND_IS_REMOTE 0")
    assert inattentive != header
    (tmp_path / "takt_backend.h").write_text(inattentive, encoding="utf-8")
    how = recipe("posix_remote", *OPTIMISED)
    changed = {**how, "cflags": [f"-I{tmp_path}", *how["cflags"]]}
    objects = compile_objects(changed, found(*KERNEL, *SIDES, f"{MAILBOX}/*.c"), tmp_path_factory)
    program = recipes.link(how, [], [*programs.shared, *objects], tmp_path / "inattentive")
    done = recipes.run([program, "1", "2"])
    assert done.returncode == 7
    assert "a thread runs that the last decision does not name" in done.stdout


def test_a_wake_that_overtakes_a_block_is_refused(programs: Programs, tmp_path: Path) -> None:
    text = (ROOT / MAILBOX / "mailbox.c").read_text(encoding="utf-8")
    overtaking = text.replace("return kind == TAKT_EVENT_ARRIVAL", "return kind == TAKT_EVENT_WAKE")
    assert overtaking != text
    (tmp_path / "mailbox.c").write_text(overtaking, encoding="utf-8")
    others = [f"{MAILBOX}/{name}.c" for name in ("second_thread", "letters")]
    sources = [str(tmp_path / "mailbox.c"), *others]
    how = recipe("posix_remote", *OPTIMISED)
    program = recipes.link(how, sources, [*programs.shared, *programs.objects], tmp_path / "overtaking")
    done = recipes.run([program, "1", "7"])
    assert done.returncode == 2
    assert "the scheduler side refuses an event that cannot happen in this state" in done.stdout


def test_a_mutex_of_threads_is_refused(programs: Programs) -> None:
    done = recipes.run([programs.remote, "1", "2", "mutex"])
    assert done.returncode == 2
    assert "plain threads cannot lock a mutex" in done.stdout
