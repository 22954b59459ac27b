#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Measurements of the papers on the kernel, for studies/: builds and runs programs of studies/, prints their figures.

Usage: study.py [--objects FOLDER] PROGRAM CHOICE ... (a choice is the words of the program's command line, as one
argument). Prints JSON: for each choice the figures by name, in instructions: least, most, mean and count; of bytes and
counts, and of ticks that are not the bench's to turn into instructions, there are the two numbers that the program has.

What is counted, and how exactly: board.py; what the programs measure: their first lines, and studies/phases.h.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from board import MPS2, Kernel

READING = 1  # the second reading of the counter
CORE = ("takt_dispatcher_post", "takt_dispatcher_step", "takt_dispatcher_take")
TICK = ("takt_kernel_timer_expired", "takt_dispatcher_take")
WRAPS: dict[str, dict[str, tuple[str, ...]]] = {
    "servers": {"parts": ("takt_kernel_timer_expired", *CORE), "whole": TICK},
    "points": {"whole": ()},
    "allocators": {"parts": ("takt_kernel_timer_expired", *CORE)},
    "interfaces": {"whole": ()},
}
WHOLE = ("tick", "task_switch")  # what spans phases, so that nothing within is to be wrapped
FLAGS = ("-DTAKT_CHECKS=0", "-DTAKT_KERNEL_ORDER_ROWS=3")
Lines = dict[str, tuple[int, int]]
Figures = dict[str, dict[str, float]]


def figures_of(lines: Lines) -> Figures:
    """Turn what a program prints into instructions."""
    rate = MPS2.ticks_per_instruction
    found: Figures = {}
    for name, (first, second) in lines.items():
        if f"{name}.sum" in lines:
            total, count = lines[f"{name}.sum"]
            mean = total / rate / count - READING if count > 0 else 0.0
            least, most = (max(round(ticks / rate) - READING, 0) for ticks in (first, second))
            found[name] = {"least": least, "most": most, "mean": round(mean, 1), "count": count}
        elif not name.endswith(".sum"):
            found[name] = {"first": first, "second": second}
    return found


def measure(program: str, choices: list[str], folder: Path) -> dict[str, Figures]:
    """Build a program in a folder, which may have objects of the kernel already, and run it with every choice."""
    with ThreadPoolExecutor(2) as pool:
        kernel = Kernel(MPS2, folder / "kernel", FLAGS).compile(pool)
        builds = WRAPS[program]
        for name, wraps in builds.items():
            kernel.link(f"studies/{program}", *wraps, name=name)

        def run(choice: str) -> Figures:
            of = {name: figures_of(kernel.emulate(name, choice)) for name in builds}
            figures = dict(of.get("parts", of.get("whole", {})))
            return figures | {name: of["whole"][name] for name in WHOLE if name in of.get("whole", {})}

        return dict(zip(choices, pool.map(run, choices), strict=True))


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description="Measure what a study asks for, on the emulated board.")
    parser.add_argument("program", choices=sorted(WRAPS))
    parser.add_argument("choices", nargs="+", metavar="CHOICE")
    parser.add_argument("--objects", type=Path, help="a folder that keeps the kernel's objects for the next program")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(measure(options.program, options.choices, options.objects or Path(folder)), indent=1))


if __name__ == "__main__":
    main()
