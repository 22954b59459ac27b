#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Where the instructions of a job on an emulated board go: those of the job itself, and of each folder of Takt.

Usage: firmware.py FILE [--on cortex_m] [--horizon 20ms]

QEMU logs every instruction that it executes; -icount makes each take the same time, so the figures repeat exactly.
A row has the instructions of a folder's functions, divided by the jobs that were completed. Functions that the compiler
has inlined count for their callers. "recording" is what writes the trace, in core and in the firmware.
"""

from __future__ import annotations

import argparse
import bisect
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import takt
from takt import _core
from takt.board import emulation, firmware, programs
from takt.model.horizon import horizon_ticks

LOADS = ("takt_firmware_burn", "takt_port_work")
_COUNTER = re.compile(r"\[[0-9a-f]+/([0-9a-f]+)/")
_RECORD_BYTES, _KIND_BYTE = 32, 24


def part_of(name: str, place: str, source: Path) -> str:
    """Return what the instructions of a function are for."""
    if name in LOADS:
        return "job"
    if "record" in name or name == "keep":
        return "recording"
    path = Path(place.rpartition(":")[0])
    return path.relative_to(source).parts[0] if path.is_relative_to(source) else "other"


def functions_of(tool: str, program: Path, source: Path) -> tuple[list[int], list[str], list[str]]:
    """Return addresses in order, with the name and the part of each function."""
    listed = subprocess.run([tool, "-l", str(program)], capture_output=True, text=True, check=True).stdout
    words = [line.split() for line in listed.splitlines()]
    found = sorted(
        (int(row[0], 16) & ~1, row[2], part_of(row[2], row[3] if len(row) > 3 else "", source))
        for row in words
        if len(row) > 2 and row[1] in "tTW" and not row[2].startswith("$")
    )
    addresses, names, parts = zip(*found, strict=True)
    return list(addresses), list(names), list(parts)


def executed(log: Path) -> Iterator[int]:
    """Yield the address of each instruction."""
    with log.open(encoding="utf-8", errors="replace") as lines:
        yield from (int(found.group(1), 16) for found in map(_COUNTER.search, lines) if found)


def measure(file: str, name: str, horizon: str) -> tuple[int, Counter[str]]:
    """Run a task set; return its completed jobs, and the instructions of each part since the kernel has started."""
    system = takt.load(file).replace(horizon=horizon)
    board = emulation.load_board(name)
    board = replace(board, recipe={**board.recipe, "cflags": [*board.recipe["cflags"], "-g"]})
    compiler = firmware.tool(board.recipe["cc"], board.recipe["packages"])
    program = firmware.program(name, board.recipe, compiler, board.source)
    counts: Counter[str] = Counter()
    with emulation.temporary_folder() as folder:
        image = programs.image(system.resolved, emulation.adapt(system, board), horizon_ticks(system))
        (folder / emulation.IMAGE_FILE).write_bytes(image)
        log = ["-singlestep", "-d", "exec,nochain", "-D", "log"]
        subprocess.run([*emulation.command(board, program), *log], cwd=folder, check=True, capture_output=True)
        addresses, names, parts = functions_of(board.recipe["cc"].replace("gcc", "nm"), program, board.source)
        has_started = False
        for address in executed(folder / "log"):
            place = bisect.bisect_right(addresses, address) - 1
            has_started |= names[place] == "takt_port_start"
            counts[parts[place]] += has_started
        records = (folder / emulation.RECORDS_FILE).read_bytes()
    kinds = records[_KIND_BYTE::_RECORD_BYTES]
    return kinds.count(_core.RECORD_COMPLETE), counts


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--on", default=emulation.CORTEX_M, choices=(emulation.CORTEX_M, emulation.RISCV))
    parser.add_argument("--horizon", default="20ms")
    options = parser.parse_args()
    jobs, counts = measure(options.file, options.on, options.horizon)
    print(f"{options.file} on {options.on}, {options.horizon}: {jobs} jobs completed; instructions of a job")
    for part, count in counts.most_common():
        print(f"{part:12}{count / jobs:8.0f}")
    print(f"{'Takt':12}{(counts.total() - counts['job']) / jobs:8.0f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
