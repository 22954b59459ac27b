#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Measures in the emulated Linux how long the kernel's programs take to load for kinds of task sets.

Usage: loading.py. Prints a table. `make linux` fetches what it needs.

Each set is run by its own process of takt-linux, for one millisecond.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import takt
from takt.base.errors import BoardError
from takt.board import guest
from takt.linux import board

ROOT = Path(__file__).resolve().parents[2]
SETS = {"plain": "smallest", "resources": "resources", "servers": "servers", "rate-based": "iot_65"}
"""Names of examples."""

PATIENCE_SECONDS = 600
MEMORY_MB = 1024


def measure() -> dict[str, int]:
    """Return the milliseconds of each set."""
    files: dict[str, Path | bytes] = {**board.products(board.folder())}
    lines = []
    for name, example in SETS.items():
        system = takt.load(ROOT / "examples" / f"{example}.toml")
        part = board.parts(system.model_copy(update={"horizon": max(1, 1_000_000 // system.resolution_ns)}))[0]
        files[f"{name}.image"] = part.image()
        arguments = f"takt.bpf.o tables.bin {name} {system.resolution_ns} {name}.image"
        lines.append(f"echo {name}; ./takt-linux {arguments} 2> errors || cat errors\n")
    machine = guest.Machine(board.folder(), memory_mb=MEMORY_MB)
    outcome = guest.run(machine, "".join(lines), files, patience=PATIENCE_SECONDS)
    text = outcome.output.decode(errors="replace")
    found = {name: int(ms) for name, ms in re.findall(r"^(\S+)\nloaded in (\d+) ms$", text, re.M)}
    if found.keys() != SETS.keys():
        raise BoardError(f"the programs do not load: {text}")
    return found


def main() -> int:
    """Print the table."""
    try:
        found = measure()
    except BoardError as error:
        print(f"loading NOT RUN: {error}", file=sys.stderr)
        return 1
    print("| set | ms |\n|---|---|")
    for name, ms in found.items():
        print(f"| {name} | {ms:,} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
