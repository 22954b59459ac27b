#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Price of each misuse check in each row of the bench, on QEMU's mps2-an385.

Usage: checks.py [--json] [--level {1,2}]

A check is named by its error. The price of one is what a row costs at the level (1, usual, by default; 2, debug) less
what it costs at that level without the checks of that name. So it is that of what the compiler makes of them, and can
be negative. Guards of stacks are off. Rows without checks are left out. What the level costs besides is in the column
"shared": what several checks need together. The gate of 15 % is run.py's.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from board import MPS2, ROOT, Kernel
from rows import LOADS, OPERATIONS, Row
from run import NOTHING_INSTRUCTIONS, rows_of

NAMES_OF = {"takt_kernel_misuse": ("IN_ISR", "LOCKED"), "TAKT_ERROR_INTERRUPT": ("INTERRUPT", "NOT_IN_ISR")}
"""Errors of checks that have two."""
GROUPS = (LOADS, OPERATIONS)
CALLS = tuple(f"kernel/{name}.c" for name in ("semaphore", "thread", "mutex", "messages", "pool", "wait"))
"""Sources of the calls in those rows: only these are compiled anew for each name."""
HEADERS = ("kernel/wait.h", "kernel/state.h", "kernel/port.h")
Figures = dict[str, float]


def errors_of_checks() -> list[str]:
    """Return what the sources of the calls say of errors, in alphabetical order."""
    text = "".join((ROOT / source).read_text(encoding="utf-8") for source in (*CALLS, *HEADERS))
    doubled = {f"TAKT_ERROR_{name}" for names in NAMES_OF.values() for name in names[1:]}
    return sorted(({*re.findall(r"\bTAKT_ERROR_\w+", text)} - doubled) | {*NAMES_OF})


def name_of(error: str) -> str:
    """Return how the documents call a check."""
    names = NAMES_OF.get(error, (error.removeprefix("TAKT_ERROR_"),))
    return "/".join(f"_{name}" for name in names)


def figures_of(kernel: Kernel, pool: ThreadPoolExecutor) -> Figures:
    """Link the programs of the bench and return the instructions of each row."""
    rows = [row for group in GROUPS for row in rows_of(kernel, group)]
    runs = sorted({(row.program, row.choice) for row in rows})
    list(pool.map(kernel.link, sorted({program for program, _ in runs})))
    printed = dict(zip(runs, pool.map(lambda one: kernel.emulate(*one), runs), strict=True))

    def instructions(row: Row) -> float:
        rounds, ticks = printed[row.program, row.choice][row.key]
        count = ticks / kernel.board.ticks_per_instruction
        return round(count / rounds, 1) if row in LOADS else round(count) - NOTHING_INSTRUCTIONS

    return {key_of(row): instructions(row) for row in rows}


def key_of(row: Row) -> str:
    """Return the key of a row among those of all programs."""
    return f"{row.program} {row.name}"


def is_same(one: Kernel, other: Kernel) -> bool:
    """True if the calls of two kernels are the same."""
    return all(one.objects[source].read_bytes() == other.objects[source].read_bytes() for source in CALLS)


def copy_others(whole: Kernel, folder: Path) -> None:
    """Copy the objects of a kernel, but those of the calls, to where another one expects its own."""
    folder.mkdir()
    for source, path in whole.objects.items():
        if source not in CALLS and path.parent == whole.folder:
            shutil.copy(path, folder)


def measure(level: int) -> dict[str, Figures]:
    """Return the figures without checks, with all, and without those of each name that changes something."""
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor() as pool:

        def kernel(name: str, *flags: str) -> Kernel:
            return Kernel(MPS2, Path(folder) / name, flags).compile(pool)

        with_all = (f"-DTAKT_CHECKS={level}", "-DTAKT_GUARD=0")
        whole = kernel("all", *with_all)
        found = {"off": figures_of(kernel("off", "-DTAKT_CHECKS=0"), pool), "all": figures_of(whole, pool)}
        for error in errors_of_checks():
            copy_others(whole, Path(folder) / error)
            without = kernel(error, *with_all, f'-DTAKT_CHECKS_WITHOUT="{error}"')
            if not is_same(without, whole):
                found[name_of(error)] = figures_of(without, pool)
        return found


def prices_of(found: dict[str, Figures], key: str) -> Figures:
    """Return the price of each check in a row, of those that have one."""
    prices = {name: round(found["all"][key] - figures[key], 1) for name, figures in found.items()}
    return {name: price for name, price in prices.items() if price != 0 and name not in ("off", "all")}


def print_table(found: dict[str, Figures]) -> None:
    """Print a line for each row in which checks cost something."""
    print(f"{'instructions':45}{'off':>7}{'checks':>8}{'shared':>8}  price of each")
    for row in (row for group in GROUPS for row in group):
        key = key_of(row)
        off, checked = found["off"][key], found["all"][key]
        prices = prices_of(found, key)
        if checked != off or prices:
            shared = round(checked - off - sum(prices.values()), 1)
            text = ", ".join(f"{name} {price:g}" for name, price in prices.items())
            print(f"{row.label:45}{off:>7g}{checked:>8g}{shared:>8g}  {text}")


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the table")
    parser.add_argument("--level", type=int, choices=(1, 2), default=1, help="of the checks: 1 usual, 2 debug")
    found = measure(parser.parse_args().level)
    if parser.parse_args().json:
        print(json.dumps(found, indent=4))
    else:
        print_table(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
