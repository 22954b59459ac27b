# SPDX-License-Identifier: Apache-2.0 OR MIT
"""All layers of the kernel decide alike: random programs run once with the inline and the near layer, and once traced,
that is with a full pass for every event. Their threads must do the same at the same instants. In some most threads
execute jobs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import sampling
from kernel_model import NEVER, Job, Operation, Script
from recipes import run
from test_kernel_objects import DEBUG, Build, built, link, script_of
from wide_scripts import draw_job_script, draw_wide_script

__all__ = ["built"]

SCRIPTS = 60


@pytest.fixture(scope="module")
def player(built: Build, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program that executes a script."""
    return link(built, "posix", "script", tmp_path_factory.mktemp("near"), [], DEBUG)


def lines_of(player: Path, script: Script) -> list[str]:
    """Return what the threads of a script do, which must be the same in all layers."""
    near, full = (run([player], script.text(is_traced)) for is_traced in (False, True))
    assert (near.returncode, near.stderr) == (0, "")
    assert near.stdout.splitlines() == full.stdout.splitlines()
    return near.stdout.splitlines()


@pytest.mark.parametrize("part", range(4))
def test_all_layers_decide_alike(player: Path, part: int) -> None:
    for seed in range(part, sampling.count(SCRIPTS), 4):
        try:
            lines_of(player, draw_wide_script(seed))
        except AssertionError as error:
            raise AssertionError(f"script {seed}") from error


@pytest.mark.parametrize("part", range(4))
def test_releases_decide_alike(player: Path, part: int) -> None:
    for seed in range(part, sampling.count(SCRIPTS), 4):
        try:
            lines_of(player, draw_job_script(seed))
        except AssertionError as error:
            raise AssertionError(f"script {seed} of jobs") from error


@pytest.mark.parametrize("place", [0, 1])
def test_plain_threads_under_keys_have_priorities_and_yield(player: Path, place: int) -> None:
    """Behind one with a deadline: the second act of t2 gives t3, of the least priority, a deadline."""
    first = [Operation("work", 0, 2), Operation("delay", 0, 0), Operation("work", 0, 2)]
    equal = [Operation("work", 0, 2), Operation("work", 0, 1)]
    above = [Operation("delay", 0, 1), Operation("work", 0, 3), Operation("deadline", 3, 5)]
    script = script_of((1, first), (1, equal), (2, above), (0, [Operation("work", 0, 2)]))
    servers = (("deferrable", "edf", 1000, 1000, 0, 0),) if place else ()
    script = replace(
        script,
        policy="edf",
        servers=servers,
        threads=tuple((exists, priority, place, acts) for exists, priority, _, acts in script.threads),
    )
    assert lines_of(player, script)[:9] == [
        "1 t2 0 0 0",
        "4 t2 1 0 0",
        "6 t3 0 0 0",
        "6 t2 2 0 0",
        "7 t0 0 0 0",
        "9 t1 0 0 0",
        "10 t1 1 0 0",
        "10 t0 1 0 0",
        "12 t0 2 0 0",
    ]


def test_a_late_job_alone_in_the_heap_goes_before_the_tail(player: Path) -> None:
    """The second job, of 10, waits when the first one ends at 15; the plain thread runs in between and after them."""
    late = [Operation("work", 0, 15), Operation("work", 0, 3), Operation("work", 0, 2)]
    script = script_of((0, late), (1, [Operation("work", 0, 6), Operation("work", 0, 6)]))
    jobs = (Job(10, deadline=10, operations=1, is_limited=False, on_miss=0), *(None for _ in script.threads[1:]))
    assert lines_of(player, replace(script, policy="edf", jobs=jobs))[:8] == [
        "15 t0 0 0 0",
        "15 j0 1 1 1",
        "18 t0 1 0 0",
        "20 j0 2 0 2",
        "22 t0 2 0 0",
        "26 t1 0 0 0",
        "30 j0 3 0 3",
        "32 t1 1 0 0",
    ]


def test_a_ceiling_in_a_server_bars_the_thread_that_is_next(player: Path) -> None:
    holder = (Operation("lock", 0, NEVER), Operation("work", 0, 10), Operation("unlock", 0), Operation("work", 0, 1))
    barred = (Operation("delay", 0, 2), Operation("work", 0, 5))
    above = (Operation("delay", 0, 1), Operation("work", 0, 3), Operation("delay", 0, 9))
    script = replace(
        script_of((0, list(holder)), (1, list(barred)), (2, list(above))),
        servers=(("deferrable", "fp", 1000, 1000, 0, 0),),
        mutexes=(("srp", 1, 1),) * 4,
    )
    script = replace(script, threads=tuple((exists, priority, 1, acts) for exists, priority, _, acts in script.threads))
    assert lines_of(player, script)[:6] == [
        "0 t0 0 0 1",
        "1 t2 0 0 0",
        "4 t2 1 0 0",
        "13 t0 1 0 0",
        "13 t2 2 0 0",
        "13 t1 0 0 0",
    ]


def test_a_ceiling_at_the_root_bars_the_server_that_is_next(player: Path) -> None:
    holder = [Operation("lock", 0, NEVER), Operation("work", 0, 10), Operation("unlock", 0), Operation("work", 0, 1)]
    barred = [Operation("delay", 0, 2), Operation("work", 0, 5)]
    above = [Operation("delay", 0, 1), Operation("work", 0, 3), Operation("delay", 0, 9)]
    script = script_of((0, holder), (1, barred), (2, above))
    own, (exists, priority, _, acts), *others = script.threads
    script = replace(
        script,
        servers=(("deferrable", "fp", 1000, 1000, 0, 1),),
        mutexes=(("srp", 1, 0),) * 4,
        threads=(own, (exists, priority, 1, acts), *others),
    )
    assert lines_of(player, script)[:6] == [
        "0 t0 0 0 1",
        "1 t2 0 0 0",
        "4 t2 1 0 0",
        "13 t0 1 0 0",
        "13 t2 2 0 0",
        "13 t1 0 0 0",
    ]


def test_a_timer_that_an_interrupt_arms_ends_the_decision(player: Path) -> None:
    """A server that is out of budget gets work while nobody runs: its replenishment is due before all other timers."""
    consumer = [Operation("consume", 0, NEVER, 5), Operation("work", 0, 1)]
    script = script_of((0, consumer))
    script = replace(
        script,
        servers=(("deferrable", "edf", 1000, 1000, 0, 2), ("hard-cbs", "edf", 20, 5, 0, 0)),
        parents=(0, 1),
        threads=tuple((exists, priority, 2, acts) for exists, priority, _, acts in script.threads),
        interrupts=((Operation("give", 0), 8), *script.interrupts[1:]),
    )
    assert [line for line in lines_of(player, script) if line.split()[1] == "t0"] == ["20 t0 0 0 0", "21 t0 1 0 0"]


def test_a_thread_that_is_created_anew_may_leave_its_server(player: Path) -> None:
    moved = [Operation("take", 1, NEVER), Operation("delay", 0, 0), Operation("work", 0, 1)]
    other = [Operation("delay", 0, 3), Operation("delete", 0), Operation("move", 0, 0), Operation("work", 0, 4)]
    script = script_of((1, moved), (1, other))
    (exists, priority, _, acts), *others = script.threads
    script = replace(
        script,
        servers=(("deferrable", "edf", 1000, 1000, 0, 2),),
        threads=((exists, priority, 1, acts), *others),
    )
    assert [line for line in lines_of(player, script) if line.split()[1] in ("t0", "t1")] == [
        "3 t1 0 0 0",
        "3 t1 1 0 0",
        "3 t1 2 0 0",
        "7 t1 3 0 0",
        "7 t0 1 0 0",
        "8 t0 2 0 0",
    ]
