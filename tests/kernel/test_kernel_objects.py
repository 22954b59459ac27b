# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What threads do to each other and to the kernel's objects: scripts against a model, misuses, what comes between."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
import recipes
import sampling
from kernel_model import HORIZON, NEVER, PROTOCOLS, Operation, Script, draw_script, predict
from places import ROOT
from recipes import PORTS, compile_kernel, emulator, run

SCRIPTS = 120
LOCKING_SCRIPTS = 8
SANITIZED = ["-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


def recipe(port: str, *defines: str) -> dict[str, Any]:
    """Read how programs for a port are built; those of a process look for errors of C, too."""
    return recipes.recipe(port, *(SANITIZED if port == "posix" else []), *defines)


Build = Callable[..., list[Path]]

DEBUG = "-DTAKT_CHECKS=2"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Return a function that compiles the kernel for a port with some flags, once."""
    return lambda port, *flags: compile_kernel(recipe(port, *flags), port, tmp_path_factory)


def link(built: Build, port: str, program: str, folder: Path, defines: list[str], *flags: str) -> Path:
    """Compile and link a program of tests/kernel; `flags` are the kernel's, too."""
    how, source = recipe(port, *flags, *defines), f"tests/kernel/{program}.c"
    return recipes.link(how, [source], built(port, *flags), folder / f"{program}_{port}.elf")


# ---- scripts ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def player(built: Build, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program that executes a script."""
    return link(built, "posix", "script", tmp_path_factory.mktemp("script"), [], DEBUG)


def play(player: Path, script: Script, *, is_traced: bool, until: int) -> list[str]:
    """Execute a script; give its lines before the instant `until`."""
    done = run([player], script.text(is_traced))
    assert (done.returncode, done.stderr) == (0, "")
    return [line for line in done.stdout.splitlines() if int(line.split()[0]) < until]


def agrees(player: Path, script: Script) -> None:
    """Check that both layers of the kernel do what the model does."""
    expected, until = predict(script)
    for is_traced in (False, True):
        assert play(player, script, is_traced=is_traced, until=until) == expected


PLACES: dict[str, dict[str, Any]] = {"fp": {}, "edf": {"policy": "edf"}, "servers": {"servers": 2}}


def agree(player: Path, scripts: Iterable[int], **how: Any) -> None:
    """Check scripts by number."""
    for seed in scripts:
        try:
            agrees(player, draw_script(seed, **how))
        except AssertionError as error:
            raise AssertionError(f"script {seed} of {how}") from error


@pytest.mark.parametrize(("place", "part"), [("fp", 0), ("fp", 1), ("edf", 2), ("servers", 3)])
def test_random_scripts_do_what_the_model_does_in_both_layers(player: Path, place: str, part: int) -> None:
    agree(player, range(part, sampling.count(SCRIPTS), 4), **PLACES[place])


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("protocol", [*PROTOCOLS, "mixed"])
def test_random_scripts_that_lock_do_what_the_model_does_in_both_layers(
    player: Path, protocol: str, place: str
) -> None:
    agree(player, range(sampling.count(LOCKING_SCRIPTS)), protocol=protocol, **PLACES[place])


def script_of(*threads: tuple[int, list[Operation]]) -> Script:
    """Return a script of threads that all exist from the start, with objects of size 1 and semaphores at 0."""
    idle = Operation("give", 1)
    return Script(
        "fp",
        (),
        sizes=((0, 1, 1), (0, 1, 1)),
        are_fifo=(False, False),
        mutexes=(("pip", 0, 0),) * 4,
        alarms=(idle,) * 3,
        interrupts=tuple((idle, 2000 + number) for number in range(6)),
        threads=tuple((True, priority, 0, tuple(acts)) for priority, acts in threads),
    )


def test_a_notification_after_the_time_is_up_and_before_the_thread_runs_wakes_nobody_twice(player: Path) -> None:
    listener = (0, [Operation("listen", 0, 5), Operation("work", 0, 3), Operation("listen", 0, 0)])
    busy = (1, [Operation("delay", 0, 1), Operation("work", 0, 10), Operation("notify", 0, 2), Operation("work", 0, 4)])
    equal = (0, [Operation("work", 0, 20), Operation("delay"), Operation("work", 0, 1)])
    agrees(player, script_of(listener, busy, equal))


def test_a_suspended_thread_whose_time_was_up_is_not_woken_by_a_notification(player: Path) -> None:
    listener = (0, [Operation("listen", 0, 5), Operation("listen", 0, 0)])
    acts = [Operation("delay", 0, 1), Operation("work", 0, 10), Operation("suspend", 0), Operation("notify", 0, 2)]
    agrees(player, script_of(listener, (1, [*acts, Operation("delay", 0, 9), Operation("resume", 0)])))


END_OF_A_WAITING_THREAD = {
    "woken": [Operation("give", 0)],
    "suspended and woken": [Operation("suspend", 0), Operation("give", 0)],
    "woken and suspended": [Operation("give", 0), Operation("suspend", 0)],
    "suspended, woken and resumed": [Operation("suspend", 0), Operation("give", 0), Operation("resume", 0)],
    "waiting": [],
    "suspended": [Operation("suspend", 0)],
}


@pytest.mark.parametrize("before", END_OF_A_WAITING_THREAD)
def test_a_deleted_thread_leaves_no_timeout_in_memory_that_is_used_again(player: Path, before: str) -> None:
    waiter = (0, [Operation("take", 0, 20), Operation("work", 0, 50)])
    end = [Operation("delete", 0), Operation("create", 0), Operation("delay", 0, 40)]
    agrees(player, script_of(waiter, (1, [Operation("delay", 0, 1), *END_OF_A_WAITING_THREAD[before], *end])))


@pytest.mark.parametrize("is_traced", [False, True])
def test_who_wants_a_mutex_gets_it_also_if_its_holder_locks_it_anew_before(player: Path, *, is_traced: bool) -> None:
    waiter = (0, [Operation("lock", 0, NEVER)])
    pause, lock, unlock = Operation("delay", 0, 5), Operation("lock", 0, NEVER), Operation("unlock", 0)
    script = script_of(waiter, (1, [lock, pause, unlock, lock, pause, unlock, pause]))
    assert "10 t0 0 0 1" in play(player, script, is_traced=is_traced, until=HORIZON)


@pytest.mark.parametrize("is_traced", [False, True])
def test_a_thread_that_is_deleted_while_it_wants_a_mutex_leaves_no_timeout(player: Path, *, is_traced: bool) -> None:
    waiter = (0, [Operation("lock", 0, 20), Operation("work", 0, 50)])
    pause, lock = Operation("delay", 0, 5), Operation("lock", 0, NEVER)
    end = [Operation("delete", 0), Operation("create", 0), Operation("delay", 0, 40)]
    script = script_of(waiter, (1, [lock, pause, *end]))
    assert "45 t1 4 0 0" in play(player, script, is_traced=is_traced, until=HORIZON)


def test_a_message_to_a_receiver_that_is_deleted_before_it_runs_takes_no_place(player: Path) -> None:
    receiver = (0, [Operation("receive", 0, NEVER)])
    sends = [Operation("send", 0, 0, number) for number in (11, 12, 13)]
    receives = [Operation("receive", 0, 0)] * 2
    acts = [Operation("delay", 0, 1), sends[0], Operation("delete", 0), *sends[1:], *receives]
    agrees(player, script_of(receiver, (1, acts)))


def test_flags_go_to_those_who_wait_in_the_order_of_coming(player: Path) -> None:
    waits = [Operation("await", 0, NEVER, 3, 2), Operation("await", 0, NEVER, 1, 0), Operation("await", 0, 30, 6, 1)]
    setter = (0, [Operation("set", 0, 1), Operation("set", 0, 7), Operation("set", 0, 6), Operation("set", 0, 4)])
    agrees(player, script_of(*((1, [wait]) for wait in waits), setter))


def test_a_periodic_alarm_does_not_drift_and_may_be_stopped(player: Path) -> None:
    taker = (1, [Operation("take", 1, NEVER) for _ in range(6)])
    acts = [Operation("alarm", 0, 5, 7), Operation("work", 0, 30), Operation("stop", 0), Operation("work", 0, 30)]
    agrees(player, script_of(taker, (0, acts)))


def test_an_alarm_that_is_set_to_the_past_while_a_load_is_displaced_comes_at_once(player: Path) -> None:
    """The wheel, in which 38 was removed and 39 and 45 are left, says that nothing comes before 32; it is 37."""
    alarms = [Operation("alarm", 0, 2), Operation("alarm", 1, 8)]
    acts = [Operation("delay", 0, 17), Operation("work", 0, 20), *alarms, Operation("lock", 0, 1)]
    agrees(player, script_of((0, [Operation("work", 0, 90)]), (1, [*acts, Operation("delay", 0, 50)])))


def test_of_one_instant_who_waited_first_goes_first_also_after_another_one_was_woken(player: Path) -> None:
    waits = [[Operation("take", 0, 19)], [Operation("delay", 0, 26)], [Operation("delay", 0, 21)]]
    last = [Operation("delay"), Operation("delay"), Operation("delay", 0, 21)]
    agrees(player, script_of(*((1, acts) for acts in waits), (1, [Operation("give", 0)]), (1, last)))


# ---- programs for every port -----------------------------------------------------------------------

FULL_PASS = ["-DCONFORMANCE_TRACED=1"]


@pytest.mark.parametrize("port", PORTS)
@pytest.mark.parametrize("defines", [[], FULL_PASS], ids=["plain", "traced"])
@pytest.mark.parametrize("program", ["misuse", "waits"])
def test_every_misuse_is_told_and_changes_nothing(
    built: Build, tmp_path: Path, port: str, program: str, defines: list[str]
) -> None:
    done = run([*emulator(recipe(port)), link(built, port, program, tmp_path, defines, DEBUG)])
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("port", PORTS)
@pytest.mark.parametrize(
    ("program", "defines"), [("between", []), ("alarms", []), ("orders", []), ("orders", FULL_PASS)], ids=str
)
def test_what_comes_in_between_loses_and_doubles_nothing(
    built: Build, tmp_path: Path, port: str, program: str, defines: list[str]
) -> None:
    done = run([*emulator(recipe(port)), link(built, port, program, tmp_path, defines)])
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("port", ["cortex_m", "riscv"])
@pytest.mark.parametrize("defines", [[], FULL_PASS, ["-DOPENINGS_MUTEXES=0"]], ids=["plain", "traced", "no_pass"])
def test_an_interrupt_at_every_instruction_loses_and_doubles_nothing(
    built: Build, tmp_path: Path, port: str, defines: list[str]
) -> None:
    done = run([*emulator(recipe(port)), link(built, port, "openings", tmp_path, defines)])
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_no_program_is_forgotten() -> None:
    here = {"script", "misuse", "misuse_usual", "between", "alarms", "orders", "waits", "openings"}
    of_interfaces = {"scenarios", "misuse_jobs", "sections", "refused_waits", "rates"}  # test_kernel_interfaces.py
    of_surface = {
        "deadlines",
        "faults",
        "frees",
        "memories",
        "questions",
        "sleeps",
        "stacks",
        "switches",
        "turns",
        "units",
    }  # test_kernel_surface.py
    elsewhere = {"sharing"}  # test_kernel_sharing.py
    torture = {"torture_interrupts", "torture_threads", "torture_time"}  # test_torture.py
    assert {
        path.stem for path in (ROOT / "tests" / "kernel").glob("*.c")
    } == here | of_interfaces | of_surface | elsewhere | torture
