# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Task sets and programs on further cores of the ports; tests/board/test_conformance.py has their conformance.

`make test` takes the first core; `make soak` takes all.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import takt
from places import EXAMPLES, ROOT
from recipes import CORES, emulator, recipe
from sampling import IS_SMALLER, SYSTEMS
from takt.board import emulation
from takt.show import board_report
from test_package import ADDED, BOARD, RUNS, outcome_of, outcome_on, program_of

IS_SAMPLE = SYSTEMS is None or IS_SMALLER
TRIED = CORES[:1] if IS_SAMPLE else CORES
EXAMPLES_TRIED = ("smallest",) if IS_SAMPLE else ("smallest", "iot_node", "resources", "servers")
BOARDS_OF_CMAKE = {"cortex_m4f": "mps2_an386", "cortex_m7f": "mps2_an500", "cortex_m33": "mps2_an505"}


def test_every_core_is_a_board() -> None:
    """So that takt run --on takes it, and the table of boards has it."""
    table = (ROOT / "boards" / "README.md").read_text(encoding="utf-8")
    reference = (ROOT / "docs" / "reference" / "command-line.md").read_text(encoding="utf-8")
    for core in CORES:
        assert core in emulation.EMULATED
        assert f"| `{core}` |" in table
        assert f"`{core}`" in reference


@pytest.mark.parametrize("core", dict.fromkeys((*TRIED, emulation.SOC)))
@pytest.mark.parametrize("example", EXAMPLES_TRIED)
def test_an_example_runs_on_every_core_and_replays_identically(core: str, example: str, tmp_path: Path) -> None:
    trace = emulation.run(takt.load(EXAMPLES / f"{example}.toml"), tmp_path / "T.takt", core)
    replay = takt.replay(tmp_path / "T.takt")
    measured = board_report.report_of(trace)
    assert replay.difference is None
    assert replay.decisions == measured.decisions > 0
    assert sum(row.jobs for row in measured.rows) > 0


@pytest.mark.parametrize("name", () if IS_SAMPLE else ("mine",))
def test_a_project_brings_a_board_of_its_own(tmp_path: Path, name: str) -> None:
    """As docs/how-to/add-a-board.md says: a folder with the headers, the C files and a linker script of its name."""
    board = tmp_path / name
    board.mkdir()
    for part in ("mps2/takt_board_clock.h", "mps2/mps2.h", "mps2/mps2.c", "cortex_m/vectors.c"):
        shutil.copy(ROOT / "boards" / part, board)
    header = (ROOT / "boards" / "mps2" / "takt_board.h").read_text(encoding="utf-8")
    (board / "takt_board.h").write_text(header.replace("boards/mps2/mps2.h", "mps2.h"), encoding="utf-8")
    memory = (ROOT / "boards" / "mps2" / "mps2_an385.ld").read_text(encoding="utf-8")
    sections = (ROOT / "boards" / "cortex_m" / "cortex_m_sections.ld").read_text(encoding="utf-8")
    (board / f"{name}.ld").write_text(memory.replace("INCLUDE cortex_m_sections.ld", "") + sections, encoding="utf-8")
    assert outcome_of(tmp_path, "cortex_m", ADDED, options=[f"-DTAKT_BOARD={board}"]) == RUNS


@pytest.mark.parametrize("core", () if IS_SAMPLE else BOARDS_OF_CMAKE)
def test_a_project_names_a_board(tmp_path: Path, core: str) -> None:
    options = [f"-DTAKT_BOARD={BOARDS_OF_CMAKE[core]}"]
    assert outcome_of(tmp_path, "cortex_m", ADDED, options=options, core=core) == RUNS


def test_a_program_has_room_on_a_small_board(tmp_path: Path) -> None:
    """Linked for the 16 KB of memory that are on a micro:bit."""
    outcome = outcome_of(tmp_path, "cortex_m", ADDED, options=["-DTAKT_BOARD=microbit"], core="cortex_m0")
    assert outcome == RUNS


def machine(name: str) -> list[str | Path]:
    """Return the emulator of Cortex-M boards with another board."""
    command = emulator(recipe("cortex_m"))
    command[command.index("-M") + 1] = name
    return command


def test_a_board_of_an_stm32_takes_the_vendors_headers_and_start_up(tmp_path: Path) -> None:
    """Those of tests/board/stm32f4 stand for them; the emulated netduinoplus2 has an STM32F405, whose timers count."""
    device = ROOT / "tests" / "board" / "stm32f4"
    how = f"{ADDED}\nadd_library(device OBJECT {device}/startup.c)\ntarget_include_directories(device PRIVATE {device})"
    options = ["-DTAKT_BOARD=stm32f407", f"-DTAKT_DEVICE={device}"]
    program = program_of(tmp_path, "cortex_m", how, f"{BOARD} $<TARGET_OBJECTS:device>", options)
    assert outcome_on(machine("netduinoplus2"), program) == RUNS


def test_a_board_of_an_nrf52_links(tmp_path: Path) -> None:
    """No emulator has one; that of an nRF51 has the same devices, and runs the same files."""
    program = program_of(tmp_path, "cortex_m", ADDED, BOARD, ["-DTAKT_BOARD=nrf52840"])
    assert program.stat().st_size > 0
