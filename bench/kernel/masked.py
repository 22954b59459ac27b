#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Longest stretch of instructions with interrupts masked in each call of the kernel, and what it depends on.

Usage: masked.py [--json] [--check]

Runs masked.c, in which each row is a function, on QEMU's mps2-an385 with -icount, one instruction at a time, and reads
from the trace where BASEPRI is written. Columns: with threads under the root, without others beside the call and with
15 of them, large messages and large stacks; the gate of both; the same in a deferrable server. The last column says
what the stretch depends on, and between which functions the longest one under the root is. Nothing is stamped, so
figures repeat exactly. `--check` exits with 1 when a gate is missed.
"""

from __future__ import annotations

import argparse
import bisect
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from board import MPS2, ROOT, Kernel
from masked_rows import LIMIT, MASKED_ROWS, MaskedRow

OTHERS = 15
CHOICES = ("fp 0", f"fp {OTHERS}", "server 0", f"server {OTHERS}")
ROW = "row_"
END = "rest"
BARE = ("-DTAKT_CHECKS=0",)
# The trace has the registers before each instruction, in four lines.
_REGISTERS = re.compile(rb"R\d\d=([0-9a-f]{8})")
_WRITE = re.compile(r"^\s*([0-9a-f]+):.*\tmsr\tBASEPRI(?:_MAX)?, (\w+)", re.MULTILINE)
_NUMBERS = {f"r{number}": number for number in range(13)} | {"sl": 10, "fp": 11, "ip": 12}


@dataclass(frozen=True)
class Stretch:
    """A stretch with interrupts masked: its instructions, and the functions in which it begins and ends."""

    instructions: int
    begin: str
    end: str


Longest = dict[str, Stretch]


class Program:
    """What an executable says about its addresses."""

    def __init__(self, elf: Path) -> None:
        """Read the functions, and the writes of BASEPRI with the register that each stores."""
        prefix = MPS2.build["cc"].removesuffix("gcc")
        self.starts = sorted((int(a, 16) & ~1, n) for a, t, n in _symbols(f"{prefix}nm", elf) if t in "tTwW")
        self.addresses = [address for address, _ in self.starts]
        text = _output([f"{prefix}objdump", "-d", str(elf)])
        self.writes = {int(address, 16): _NUMBERS[name] for address, name in _WRITE.findall(text)}
        self.entries = {address: name for address, name in self.starts if name == END or name.startswith(ROW)}

    def function_at(self, address: int) -> str:
        """Return the function that has an address, without the suffixes of the compiler's copies."""
        return self.starts[bisect.bisect_right(self.addresses, address) - 1][1].partition(".")[0]


def _output(command: list[str]) -> str:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def _symbols(tool: str, elf: Path) -> Iterator[list[str]]:
    words = (line.split() for line in _output([tool, str(elf)]).splitlines())
    return (found for found in words if len(found) == 3 and not found[2].startswith("$"))


def states_of(trace: Path) -> Iterator[list[int]]:
    """Yield the registers before each instruction, the program counter last."""
    registers: list[int] = []
    with trace.open("rb") as lines:
        for line in lines:
            if line.startswith(b"R"):
                registers += [int(value, 16) for value in _REGISTERS.findall(line)]
            if len(registers) == 16:
                yield registers
                registers = []


def longest_of(program: Program, trace: Path) -> Longest:
    """Return the longest masked stretch of each row."""
    longest: Longest = {}
    row, begin, begin_row, instructions = "", "", "", 0
    for registers in states_of(trace):
        address = registers[15]
        instructions += 1
        name = program.entries.get(address)
        if name is not None:
            row = "" if name == END else name.removeprefix(ROW)
        written = program.writes.get(address)
        if written is None:
            continue
        if registers[written] == 0:
            if begin and begin_row and instructions > longest.get(begin_row, Stretch(0, "", "")).instructions:
                longest[begin_row] = Stretch(instructions, begin, program.function_at(address))
            begin = ""
        elif not begin:
            begin, begin_row, instructions = program.function_at(address), row, 0
    return longest


def measure_choice(kernel: Kernel, choice: str) -> Longest:
    """Run the program with the words of `choice`."""
    elf = kernel.folder / "masked.elf"
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace"
        kernel.emulate("masked", choice, "-singlestep", "-d", "nochain,cpu", "-D", str(trace))
        return longest_of(Program(elf), trace)


def measure() -> dict[str, Longest]:
    """Return the longest stretches of each choice."""
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor() as pool:
        kernel = Kernel(MPS2, Path(name) / "bare", BARE).compile(pool)
        kernel.link("masked")
        return dict(zip(CHOICES, pool.map(lambda choice: measure_choice(kernel, choice), CHOICES), strict=True))


def complaints(result: dict[str, Longest]) -> list[str]:
    """Return gates missed, and rows that only the program or only the table has."""
    found = []
    for choice, rows in result.items():
        found += [f"{name}: no row of the table" for name in rows if name not in MASKED_ROWS]
        for name, row in MASKED_ROWS.items():
            if name not in rows:
                found.append(f"{row.label}, {choice}: no masked stretch")
            elif rows[name].instructions > gate_of(row, choice):
                found.append(f"{row.label}, {choice}: {rows[name].instructions} masked, gate {gate_of(row, choice)}")
    return found


def gate_of(row: MaskedRow, choice: str) -> int:
    """Return the gate of a row in the place that a choice names."""
    return row.root if choice.startswith("fp") else row.server


def print_table(result: dict[str, Longest]) -> None:
    """Print a line for each row."""
    print("instructions with interrupts masked at a time, the most of each call")
    print(f"{'':46}{'root':>6}{'+ 15':>6}{'gate':>6}{'server':>8}{'+ 15':>6}{'gate':>6}")
    for name, row in MASKED_ROWS.items():
        few, many, in_server, many_in_server = (result[choice][name] for choice in CHOICES)
        worst = max(few, many, key=lambda stretch: stretch.instructions)
        under_root = f"{few.instructions:>6}{many.instructions:>6}{row.root:>6}"
        below = f"{in_server.instructions:>8}{many_in_server.instructions:>6}{row.server:>6}"
        print(f"{row.label:46}{under_root}{below}  {row.depends}: {worst.begin} to {worst.end}")
    above = sum(row.root > LIMIT for row in MASKED_ROWS.values())
    print(f"{above} of {len(MASKED_ROWS)} rows of the root have a gate above {LIMIT}")


def main() -> int:
    """Measure, print, and with --check judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the table")
    parser.add_argument("--check", action="store_true", help="exit with 1 when a gate is missed")
    options = parser.parse_args()
    result = measure()
    if options.json:
        print(json.dumps({choice: {n: vars(s) for n, s in rows.items()} for choice, rows in result.items()}, indent=4))
    else:
        print_table(result)
    found = complaints(result) if options.check else []
    for complaint in found:
        print(complaint, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
