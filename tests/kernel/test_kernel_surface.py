# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What programs ask of the kernel besides its objects: units, questions, words of threads, deadlines, sleep, memory."""

from __future__ import annotations

from pathlib import Path

import pytest
from recipes import PORTS, emulator, run
from test_kernel_objects import FULL_PASS, Build, built, link, recipe

__all__ = ["built"]

PROGRAMS = ["units", "questions"]


@pytest.mark.parametrize("port", PORTS)
@pytest.mark.parametrize("defines", [[], FULL_PASS], ids=["plain", "traced"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_every_port_does_what_the_headers_say(
    built: Build, tmp_path: Path, port: str, defines: list[str], program: str
) -> None:
    done = run([*emulator(recipe(port)), link(built, port, program, tmp_path, defines)])
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
