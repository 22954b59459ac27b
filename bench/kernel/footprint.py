#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Footprint of the kernel: what programs link, and the price of each feature, in bytes on mps2-an385 at -Os.

Usage: footprint.py [--json] [--check]

Counted is what comes from core, policies, kernel, port and board, section by section; the program's own code and
stacks are not. The smallest stack of its threads is what the kernel allows it, which tools/stack_depth.py proves.
A feature's price is what features.c links with it less what it links without. The application is footprint.c, without
its mutex and with it. Columns: text and RAM without misuse checks, what the feature adds, smallest stack, and text with
checks. `--check` exits with 1 when a gate of rows.py is missed.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from board import MPS2, ROOT, Kernel
from rows import APPLICATIONS, FEATURES, Feature
from run import is_text, sections_of

sys.path.insert(0, str(ROOT / "tools"))
from stack_depth import MACHINES, PLAIN, stack_bytes_min

Bytes = dict[str, int]


def sizes_of(kernel: Kernel, program: str, feature: Feature) -> Bytes:
    """Link a program with a feature; return the bytes of the kernel's own sources in it."""
    own = {str(path) for source, path in kernel.objects.items() if not source.startswith("firmware/")}
    found = sections_of(kernel, program, f"-DFEATURE_{feature.name.upper()}=1", name=f"{program}_{feature.name}")
    mine = [(name, size) for name, size, origin in found if origin in own]
    return {
        "text": sum(size for name, size in mine if is_text(name)),
        "ram": sum(size for name, size in mine if name.split(".")[1] in ("data", "bss")),
        "stack": stack_of(kernel, feature),
    }


def stack_of(kernel: Kernel, feature: Feature) -> int:
    """Return the bytes of the smallest stack in a program with a feature."""
    (machine,) = (machine for machine in MACHINES if machine.port == kernel.board.port)
    return stack_bytes_min(machine) if "pass" in feature.needs else stack_bytes_min(machine, PLAIN)


def measure() -> dict[str, dict[str, Bytes]]:
    """Return for each program, and with checks too, its bytes."""
    programs = [("features", feature) for feature in FEATURES] + [("footprint", feature) for feature in APPLICATIONS]
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(2) as pool:
        found: dict[str, dict[str, Bytes]] = {}
        for build, flag in (("bare", "-DTAKT_CHECKS=0"), ("checks", "-DTAKT_CHECKS=1")):
            kernel = Kernel(MPS2, Path(name) / build, ("-Os", flag)).compile(pool)
            sizes = pool.map(lambda one: sizes_of(kernel, *one), programs)  # noqa: B023
            found[build] = {feature.name: size for (_, feature), size in zip(programs, sizes, strict=True)}
        return found


def complaints(found: dict[str, dict[str, Bytes]]) -> list[str]:
    """Return the gates that are missed."""
    return [
        f"{feature.label}: {found['bare'][feature.name][what]} bytes of {what}, gate {gate}"
        for feature in (*FEATURES, *APPLICATIONS)
        for what, gate in (("text", feature.text), ("ram", feature.ram))
        if found["bare"][feature.name][what] > gate
    ]


def print_table(found: dict[str, dict[str, Bytes]]) -> None:
    """Print what was measured, beside the peers."""
    heads = f"{'text':>7} {'+':>6} {'gate':>6} {'RAM':>6} {'+':>6} {'gate':>6} {'stack':>6} {'checks':>7}"
    print(f"{'bytes, mps2-an385, -Os':40} {heads}")
    least = found["bare"]["none"]
    for feature in (*FEATURES, *APPLICATIONS):
        bare, checks = found["bare"][feature.name], found["checks"][feature.name]
        more = [bare[what] - least[what] if feature in FEATURES else 0 for what in ("text", "ram")]
        text, ram = ("" if value == 0 else str(value) for value in more)
        print(
            f"{feature.label:40} {bare['text']:7} {text:>6} {feature.text:6} {bare['ram']:6} {ram:>6} {feature.ram:6}"
            f" {bare['stack']:6} {checks['text']:7}"
        )
    print("the least peers: 2,204 bytes of text for the application (ThreadX), 448 of RAM (ChibiOS) or 360 (ThreadX)")


def main() -> int:
    """Measure, print, and with --check judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the table")
    parser.add_argument("--check", action="store_true", help="exit with 1 when a gate is missed")
    options = parser.parse_args()
    found = measure()
    if options.json:
        print(json.dumps(found, indent=4))
    else:
        print_table(found)
    missed = complaints(found) if options.check else []
    for complaint in missed:
        print(complaint, file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
