#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Measures in the emulated Linux how long threads wait from a timer's instant until they run; prints a table in us.

Usage: latency.py [CLASS]... (default: fifo deadline). `make linux` fetches what it needs.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from takt.board import guest

ROOT = Path(__file__).resolve().parents[2]
THREADS = (1, 10, 100, 1000)
WAKES = 20_000
SPACING_NS = 1_007_000
TICKS_NS = 1_000_000
"""A divisor of the kernel's tick: each wake has one of four distances from it."""

PATIENCE_SECONDS = 1800


def build(folder: Path) -> Path:
    """Compiles the program that measures."""
    program = folder / "wake"
    source = str(ROOT / "linux" / "bench" / "wake.c")
    subprocess.run(["cc", "-O2", "-static", "-pthread", "-o", str(program), source], check=True)
    return program


def measure(classes: list[str]) -> list[list[str]]:
    """Gives the words of a line for each class, number of threads and spacing."""
    runs = [(name, count, SPACING_NS) for name in classes for count in THREADS]
    runs += [(name, 1, TICKS_NS) for name in classes]
    command = "; ".join(f"./wake {name} {count} {WAKES} {spacing} || exit" for name, count, spacing in runs)
    with tempfile.TemporaryDirectory() as folder:
        files: dict[str, Path | bytes] = {"wake": build(Path(folder))}
        outcome = guest.run(guest.Machine(ROOT / "build" / "linux"), command, files, patience=PATIENCE_SECONDS)
    if outcome.status != 0:
        sys.exit(outcome.output.decode(errors="replace").strip())
    return [
        [*line.split(), str(spacing)]
        for line, (*_, spacing) in zip(outcome.output.decode().splitlines(), runs, strict=True)
    ]


def main() -> None:
    """Prints the table."""
    print("| class | threads | wakes | one each, us | p50 | p99 | max |\n|---|---|---|---|---|---|---|")
    for name, _, threads, _, wakes, _, median, _, high, _, largest, spacing in measure(
        sys.argv[1:] or ["fifo", "deadline"]
    ):
        figures = " | ".join(f"{int(figure) / 1000:.1f}" for figure in (median, high, largest))
        print(f"| {name} | {threads} | {wakes} | {int(spacing) / 1000:,.0f} | {figures} |")


if __name__ == "__main__":
    main()
