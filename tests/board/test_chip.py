# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The chip of hardware/: its Verilog is clean, and small programs without a kernel see what the chapter says.

Programs here are assembly; they end with a status that says what they have seen.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from places import ROOT
from takt.board import chip

HARDWARE = ROOT / "hardware"
LARGEST_STATUS = 255
NEVER_ENDS = 124
PATIENCE_SECONDS = 300

PROLOGUE = """
    .equ door, 0x00102000
    .equ clint, 0x02000000
    .macro end status
    slli \\status, \\status, 16
    li   t6, 0x3333
    or   \\status, \\status, t6
    li   t6, 0x00100000
    sw   \\status, 0(t6)
    .endm
    .section .text
    .global _start
_start:
    li   s0, door
    li   s1, clint
"""


def said(command: list[str]) -> tuple[int, str]:
    """Run a tool; return its status and all that it wrote."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=PATIENCE_SECONDS)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("cores", [1, 2])
@pytest.mark.parametrize("define", [[], ["+define+TAKT_PROBE"]], ids=["without probe", "with probe"])
def test_verilator_warns_of_nothing(cores: int, define: list[str]) -> None:
    files = [*chip.sources(ROOT), chip.core("Min")]
    check = ["verilator", "--lint-only", "-Wall", "--top-module", "takt_soc", f"-GCORES={cores}"]
    assert said([*check, *define, *map(str, files)]) == (0, "")


@pytest.mark.parametrize("cores", [1, 2])
@pytest.mark.parametrize("ram", ["takt_ram.v", "ecp5/takt_ram.v"])
def test_yosys_finds_no_wire_without_a_driver_or_with_two(cores: int, ram: str) -> None:
    """In our part: the core comes from a package, and has a wire without a driver that nothing needs."""
    own = [path for path in chip.sources(ROOT)[1:] if path.name != "takt_ram.v"]
    steps = [
        f"read_verilog -lib {chip.core('Min')} +/ecp5/cells_sim.v +/ecp5/cells_bb.v",
        f"read_verilog {' '.join(map(str, own))} {HARDWARE / ram}",
        f"hierarchy -check -top takt_soc -chparam CORES {cores}",
        "proc",
        "check -assert",
    ]
    status, text = said(["yosys", "-q", "-p", "; ".join(steps)])
    assert status == 0, text


def test_no_file_of_the_chip_has_more_than_one_module() -> None:
    for path in HARDWARE.rglob("*.v"):
        text = path.read_text(encoding="utf-8")
        assert text.startswith("// SPDX-License-Identifier: Apache-2.0 OR MIT\n"), path
        assert [line.split()[1] for line in text.splitlines() if line.startswith("module ")] == [path.stem]
        assert "`default_nettype none\n" in text


def run(folder: Path, program: str, *options: str, cores: int = 1) -> tuple[int, str]:
    """Run assembly on a chip; return its status and what was printed."""
    how = json.loads((ROOT / "firmware" / "build_soc.json").read_text(encoding="utf-8"))
    source, elf = folder / "program.S", folder / "program.elf"
    source.write_text(PROLOGUE + program, encoding="utf-8")
    target = [
        "-march=rv32i",
        "-misa-spec=2.2",
        "-mabi=ilp32",
        "-nostdlib",
        "-Wl,-Ttext=0x80000000",
        "-Wl,-N,--no-warn-rwx-segments",
    ]
    assert said([how["cc"], *target, str(source), "-o", str(elf)]) == (0, "")
    model = chip.model({**how, "chip": {**how["chip"], "cores": cores}}, ROOT)
    return said([str(model), "--cycles", "1000000", *options, str(elf)])


def test_idle_time_is_skipped_and_mtime_says_how_long_it_was(tmp_path: Path) -> None:
    """A comparator 10 hours ahead; the read of the idle register ends when it is reached, give or take a few cycles."""
    ahead = """
    li   t0, 420
    sw   zero, 0x4000 - 0x4000(s2)
    sw   t0, 4(s2)
    lw   zero, 16(s0)
    lw   a0, 0(s3)
    lw   a1, 4(s3)
    sub  a1, a1, t0
    bnez a1, wrong
    li   t1, 40
    bgtu a0, t1, wrong
    li   a0, 7
    end  a0
wrong: li a0, 1
    end  a0
"""
    places = "    li s2, 0x02004000\n    li s3, 0x0200BFF8\n"
    assert run(tmp_path, places + ahead) == (7, "")


def test_a_core_that_waits_for_nothing_is_reported(tmp_path: Path) -> None:
    outcome = run(tmp_path, "    lw zero, 16(s0)\n    j .\n")
    assert outcome == (NEVER_ENDS, "chip: all cores wait for an interrupt, and none is to come\n")


def test_a_program_without_an_end_is_ended(tmp_path: Path) -> None:
    assert run(tmp_path, "    j .\n") == (NEVER_ENDS, "chip: the program has not ended\n")


def test_the_second_core_runs_when_it_is_started_and_wakes_the_first(tmp_path: Path) -> None:
    """Each reads its own number at the same place; the second one raises the first one's software interrupt."""
    program = """
    lw   a0, 8(s0)
    bnez a0, second
    li   t0, 3
    sw   t0, 12(s0)
    lw   zero, 16(s0)
    la   t1, word
    lw   a0, 0(t1)
    lw   t2, 12(s0)
    add  a0, a0, t2
    end  a0
second:
    la   t1, word
    addi a0, a0, 40
    sw   a0, 0(t1)
    li   t0, 1
    sw   t0, 0(s1)
    lw   zero, 16(s0)
    .section .data
word: .word 0
"""
    assert run(tmp_path, program, cores=2) == (44, "")


def test_what_one_core_executes_does_not_delay_the_other(tmp_path: Path) -> None:
    """A loop over RAM takes the same cycles while the other core loops over RAM, too."""
    program = """
    lw   a0, 8(s0)
    la   t1, word
    bnez a0, busy
    li   s3, 0x0200BFF8
    call measure
    mv   s4, a0
    li   t0, 3
    sw   t0, 12(s0)
    call measure
    sub  a0, a0, s4
    addi a0, a0, 5
    end  a0
measure:
    li   t2, 100
    lw   s5, 0(s3)
1:  lw   t3, 0(t1)
    sw   t3, 4(t1)
    addi t2, t2, -1
    bnez t2, 1b
    lw   a0, 0(s3)
    sub  a0, a0, s5
    ret
busy:
    lw   t3, 8(t1)
    sw   t3, 12(t1)
    j    busy
    .section .data
word: .word 0, 0, 0, 0
"""
    assert run(tmp_path, program, cores=2) == (5, "")


def test_the_probe_writes_the_cycles_of_lines_and_of_instructions(tmp_path: Path) -> None:
    """A software interrupt of the program itself: its line, and then the first instruction of the handler."""
    program = """
    la   t0, handler
    csrw mtvec, t0
    li   t0, 8
    csrw mie, t0
    csrw mstatus, t0
    li   t0, 1
    sw   t0, 0(s1)
    j    .
    .balign 256
handler:
    end  t0
"""
    log = tmp_path / "probe"
    assert run(tmp_path, program, "--probe", str(log), "--at", "80000100")[0] == 1
    (raised, first), (began, second) = (line.split(" ", 1) for line in log.read_text(encoding="utf-8").splitlines())
    assert (first, second) == ("0 software", "0 80000100")
    assert 0 < int(began) - int(raised) < 40


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ([], "chip: usage: model [--cycles N] [--serial FILE] [--probe FILE [--at ADDRESS]...] PROGRAM [WORD...]\n"),
        (["absent.elf"], "chip: cannot open absent.elf\n"),
        (["Makefile"], "chip: no program for RV32: Makefile\n"),
        (["--fast", "1", "x"], "chip: unknown option --fast\n"),
    ],
)
def test_what_the_simulator_cannot_use_is_reported_in_one_line(words: list[str], complaint: str) -> None:
    how = json.loads((ROOT / "firmware" / "build_soc.json").read_text(encoding="utf-8"))
    assert said([str(chip.model(how, ROOT)), *words]) == (126, complaint)
