# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What programs ask of the kernel besides its objects: units, questions, words of threads, deadlines, sleep, memory."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import recipes
from recipes import PORTS, emulator, run
from test_kernel_objects import FULL_PASS, Build, built, link, recipe

__all__ = ["built"]

PROGRAMS = ["units", "questions", "deadlines", "frees", "turns", "stacks"]


@pytest.mark.parametrize("port", PORTS)
@pytest.mark.parametrize("defines", [[], FULL_PASS], ids=["plain", "traced"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_every_port_does_what_the_headers_say(
    built: Build, tmp_path: Path, port: str, defines: list[str], program: str
) -> None:
    done = run([*emulator(recipe(port)), link(built, port, program, tmp_path, defines)])
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("port", PORTS)
@pytest.mark.parametrize("defines", [[], FULL_PASS], ids=["plain", "traced"])
@pytest.mark.parametrize("program", ["deadlines", "turns"])
def test_the_threads_of_a_server_do_likewise(
    built: Build, tmp_path: Path, port: str, defines: list[str], program: str
) -> None:
    program_file = link(built, port, program, tmp_path, [f"-D{program.upper()}_IN_SERVER=1", *defines])
    done = run([*emulator(recipe(port)), program_file])
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


# ---- sleep -----------------------------------------------------------------------------------------------------

IDLE_STACK = "-DTAKT_IDLE_STACK_BYTES=(TAKT_PORT_STACK_BYTES_MIN + 512)"


@pytest.mark.parametrize("port", [*PORTS, "cortex_m0"])
@pytest.mark.parametrize("defines", [[], FULL_PASS], ids=["plain", "traced"])
@pytest.mark.parametrize("jobs", [0, 1])
def test_the_idle_thread_sleeps_until_the_next_alarm(
    built: Build, tmp_path: Path, port: str, defines: list[str], jobs: int
) -> None:
    program = link(built, port, "sleeps", tmp_path, [f"-DSLEEPS_WITH_JOBS={jobs}", *defines], IDLE_STACK)
    done = run([*emulator(recipe(port)), program])
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


# ---- memory ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("port", [*PORTS, "riscv64"])
@pytest.mark.parametrize("defines", [[], FULL_PASS], ids=["plain", "traced"])
def test_heap_and_pools_give_what_the_model_says(built: Build, tmp_path: Path, port: str, defines: list[str]) -> None:
    program = link(built, port, "memories", tmp_path, defines, "-DTAKT_CHECKS=2")
    done = run([*emulator(recipe(port)), program])
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


# ---- units -----------------------------------------------------------------------------------------------------

OUT_OF_RANGE = "a duration is not 0 .. 2^63 - 1 ticks"


def compiled(folder: Path, language: str, expression: str, *flags: str) -> str:
    """Compile a constant of this duration and return what the compiler complains of."""
    source = folder / "source"
    source.write_text(
        '#include "kernel/units.h"\nextern uint64_t ahead;\n'
        f"static const takt_duration_t duration = {expression};\nint main(void) {{ return (int)duration; }}\n",
        encoding="utf-8",
    )
    words = {"c": ["gcc", "-std=c11"], "c++": ["g++", "-std=c++11"]}[language]
    flags = ("-Wall", "-Wextra", "-Wconversion", "-Werror", "-I.", "-Iport/posix", *flags)
    return run([*words, "-x", language, *flags, source, "-o", folder / "program"]).stderr


@pytest.mark.parametrize("language", ["c", "c++"])
@pytest.mark.parametrize(
    ("expression", "complaint"),
    [
        ("TAKT_MS(5)", None),
        ("TAKT_US(5u) + TAKT_S(10L * 60)", None),
        ("TAKT_MS(-1)", {"c": OUT_OF_RANGE, "c++": "narrowing conversion"}),
        ("TAKT_MS(0.5)", {"c": "invalid operands to binary |", "c++": "conversion from"}),
        ("TAKT_US(ahead)", {"c": "is not constant", "c++": "not usable in a constant expression"}),
        ("TAKT_S(INT64_MAX)", {"c": OUT_OF_RANGE, "c++": OUT_OF_RANGE}),
        ("TAKT_US(UINT64_MAX)", {"c": OUT_OF_RANGE, "c++": OUT_OF_RANGE}),
    ],
)
def test_a_duration_out_of_range_does_not_compile(
    tmp_path: Path, language: str, expression: str, complaint: dict[str, str] | None
) -> None:
    text = compiled(tmp_path, language, expression, "-DTAKT_TICK_HZ=25000000")
    assert (text == "") if complaint is None else (complaint[language] in text)


@pytest.mark.parametrize(
    ("hertz", "expression", "ticks"),
    [
        (32768, "TAKT_MS(1)", 33),
        (32768, "TAKT_US(1)", 1),
        (32768, "TAKT_S(2)", 65536),
        (168000000, "TAKT_US(3)", 504),
        (3, "TAKT_MS(334)", 2),
    ],
)
def test_a_duration_is_rounded_up_to_ticks(tmp_path: Path, hertz: int, expression: str, ticks: int) -> None:
    for language in ("c", "c++"):
        text = compiled(tmp_path, language, f"{expression} == {ticks}u ? 7 : 8", f"-DTAKT_TICK_HZ={hertz}")
        assert text == ""
        assert run([tmp_path / "program"]).returncode == 7


def test_a_tick_that_is_no_whole_number_of_nanoseconds_is_refused(tmp_path: Path) -> None:
    assert "the board defines TAKT_BOARD_TICK_HZ" in compiled(tmp_path, "c", "TAKT_S(1)", "-DTAKT_BOARD_TICK_NS=6")


# ---- faults and switches ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("port", ["cortex_m", "riscv"])
@pytest.mark.parametrize("place", ["IN_A_THREAD", "IN_AN_INTERRUPT", "BEFORE_THE_START"])
@pytest.mark.parametrize("defines", [[], FULL_PASS], ids=["plain", "traced"])
def test_a_fault_is_reported_with_its_thread(
    built: Build, tmp_path: Path, port: str, place: str, defines: list[str]
) -> None:
    program = link(built, port, "faults", tmp_path, [f"-DFAULTS_PLACE={place}", *defines])
    done = run([*emulator(recipe(port)), program])
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("place", ["IN_A_THREAD", "IN_AN_INTERRUPT"])
def test_a_core_that_does_not_know_the_address_reports_a_fault_without(
    built: Build, tmp_path: Path, place: str
) -> None:
    defines = [f"-DFAULTS_PLACE={place}", "-DFAULTS_ADDRESS=0"]
    done = run([*emulator(recipe("cortex_m0")), link(built, "cortex_m0", "faults", tmp_path, defines)])
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_fault_below_the_stack_is_reported_as_an_overflow(built: Build, tmp_path: Path) -> None:
    done = run([*emulator(recipe("cortex_m")), link(built, "cortex_m", "faults", tmp_path, ["-DFAULTS_BELOW=1"])])
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("port", "place", "text"),
    [
        (
            "cortex_m",
            "IN_A_THREAD",
            r'a fault in thread "deep": instruction 0x0000.+, address 0xa0000000, cause 0x00008.00',
        ),
        (
            "riscv",
            "IN_A_THREAD",
            r'a fault in thread "deep": instruction 0x800.+, address 0xa0000000, cause 0x00000007',
        ),
        ("riscv", "IN_AN_INTERRUPT", r'a fault in an interrupt of thread "deep": .+'),
        ("cortex_m", "BEFORE_THE_START", r"a fault before the start of the kernel: .+"),
    ],
)
def test_the_kernels_own_hook_prints_which_thread_has_made_a_fault(
    built: Build, tmp_path: Path, port: str, place: str, text: str
) -> None:
    serial, command = tmp_path / "serial", emulator(recipe(port))
    command[command.index("-serial") + 1] = f"file:{serial}"
    done = run([*command, link(built, port, "faults", tmp_path, [f"-DFAULTS_PLACE={place}", "-DFAULTS_PRINTED=1"])])
    assert (done.returncode, done.stdout) == (0, "")
    assert re.fullmatch(f"takt: {text}\n", serial.read_text(encoding="utf-8"))


@pytest.mark.parametrize("port", PORTS)
@pytest.mark.parametrize("defines", [[], FULL_PASS], ids=["plain", "traced"])
def test_a_hook_sees_every_switch(
    tmp_path_factory: pytest.TempPathFactory, tmp_path: Path, port: str, defines: list[str]
) -> None:
    how = recipe(port, "-DTAKT_SWITCH_HOOK=1")
    objects = recipes.compile_kernel(how, port, tmp_path_factory)
    program = recipes.link(
        recipe(port, "-DTAKT_SWITCH_HOOK=1", *defines), ["tests/kernel/switches.c"], objects, tmp_path / "program.elf"
    )
    done = run([*emulator(how), program])
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
