#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Cores of the kernel bench: what an operation costs on each, by threads without and with the floating-point unit.

Usage: cores.py [--json]

Instructions without misuse checks, under fp, of `soc` cycles of the chip; what is counted, and how exactly: board.py.
The first column of each core is of threads that leave the unit alone, the second of threads that all use it.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from board import MPS2, VIRT, Board, Kernel
from rows import OPERATIONS

KEYS = ("yield", "give_runs", "take_blocks", "interrupt_runs")
CORES = (
    (MPS2, False),
    (Board("nrf5", "cortex_m0", 8), False),
    (Board("mps2_an385", "cortex_m4f", 8), True),
    (Board("mps2_an385", "cortex_m7f", 8), True),
    (Board("mps2_an385", "cortex_m33", 8), True),
    (VIRT, False),
    (Board("virt", "riscv_f", 10), True),
    (Board("virt", "riscv64", 10), False),
    (Board("virt", "soc", 0), False),
)


def measure(board: Board, *, has_unit: bool, folder: Path) -> dict[str, list[int]]:
    """Return the instructions of each operation, by threads without the unit and, if there is one, with it."""
    with ThreadPoolExecutor(2) as pool:
        kernel = Kernel(board, folder, ("-DTAKT_CHECKS=0",)).compile(pool)
    kernel.link("operations")
    printed = [kernel.emulate("operations", choice) for choice in ("fp", "unit")[: 1 + has_unit]]
    per_instruction = board.ticks_per_instruction
    return {key: [round((of[key][1] - of["nothing"][1]) / per_instruction) for of in printed] for key in KEYS}


def main() -> None:
    """Print the figures of all cores."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args()
    found: dict[str, dict[str, list[int]]] = {}
    for board, has_unit in CORES:
        with tempfile.TemporaryDirectory() as folder:
            found[board.port] = measure(board, has_unit=has_unit, folder=Path(folder, "kernel"))
    if arguments.json:
        print(json.dumps(found, indent=4))
        return
    labels = {row.key: row.label for row in OPERATIONS}
    for key in KEYS:
        figures = (f"{port} {', '.join(map(str, of[key]))}" for port, of in found.items())
        print(f"{labels[key]}: {'; '.join(figures)}")


if __name__ == "__main__":
    main()
