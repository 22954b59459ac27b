#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Kernel bench: builds the bench programs, runs them under QEMU and prints one row per figure, the peers' beside.

Usage: run.py [--json] [--check]

What is counted, and how exactly: board.py; rows and peers: rows.py. Columns:
    bare      without misuse checks, as the peers' figures are
    checks    with those of the usual level, and no guards of stacks
    debug     with those of debug level, likewise
    guard     what it costs a plain thread that the build holds every policy: bare less a build that never asks
    to beat   the best peer's figure
    virt      bare, on QEMU's virt (RV32), and FreeRTOS's figure there

`--check` exits with 1 when a gate is missed, when a row with checks is more than 15 % above that without (or above the
gate that it has for that), or when
yield's instructions or a thread's bytes are worse than in baseline.json. A wanted change of those two is written into
that file by hand, in the same commit.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from board import HERE, MPS2, ROOT, VIRT, Kernel
from rows import (
    ADMISSIONS,
    ANALYSES,
    CALLS,
    DELAYS,
    LOADS,
    OPERATIONS,
    PASSES,
    PEER_TEXT,
    PEER_THREAD,
    PERIODS,
    PLACES,
    SHELL,
    STACKS,
    Row,
)

NOTHING_INSTRUCTIONS = 2  # the reading of the counter and the storing of it, see bench_board.h
FLATNESS = 1.05
CHECKS_LIMIT = 1.15  # times the row without checks
GUARD_LIMIT = 5
# Of every board; "timers" and "storm" need a clock to hold.
LOADING = ("loads", "shell_loads", "shell_preemption")
PROGRAMS = (*LOADING, "operations", "places", "mutex", "messages", "calls", "freertos", "admission")
OWN = "bench/kernel/shell.c"  # besides the kernel's sources
COMPAT = [str(path.relative_to(ROOT)) for path in sorted((ROOT / "compat" / "freertos").glob("*.c"))]
PLAIN_ONLY = "-DTAKT_PLAIN_ONLY=1"
WIDE = ("-DBENCH_THREADS=140", "-DTAKT_KERNEL_ORDER_ROWS=3")  # room for 128 threads
NOTES = """\
There is no periodic tick: what the peers pay at every tick is paid here when the one-shot timer comes, at the end of a
delay; when nothing expires, that is once in 43 s. The delays of a row end at one instant, and their threads are less
urgent than the running one. The guard stands in each of several calls: a give in an interrupt and the preemption that
follows are two, and every delay that ends is one."""
Figures = dict[str, float]


# ---- instructions -----------------------------------------------------------------------------------------


def rows_of(kernel: Kernel, rows: tuple[Row, ...]) -> list[Row]:
    """Return the rows that the kernel, as it was built for its board, can measure."""
    is_plain_only = PLAIN_ONLY in kernel.flags
    return [row for row in rows if row.program in programs_of(kernel) and (row.is_plain or not is_plain_only)]


def programs_of(kernel: Kernel) -> tuple[str, ...]:
    """Return the programs that the kernel's board can run and that measure rows."""
    return PROGRAMS if kernel.board is VIRT else (*PROGRAMS, "timers")


def measure_rows(kernel: Kernel, pool: ThreadPoolExecutor) -> dict[str, Figures]:
    """Measure all loads and operations that there are for the kernel. What varies counts with its most."""
    groups = (LOADS, SHELL, OPERATIONS, CALLS, PLACES, ADMISSIONS)
    loads, shells, operations, calls, places, admissions = (rows_of(kernel, rows) for rows in groups)
    runs = sorted({(row.program, row.choice) for row in (*loads, *shells, *operations, *calls, *places, *admissions)})
    printed = dict(zip(runs, pool.map(lambda one: kernel.emulate(*one), runs), strict=True))
    per_instruction = kernel.board.ticks_per_instruction

    def pair(row: Row) -> tuple[int, int]:
        return printed[row.program, row.choice][row.key]

    if {round(ticks / per_instruction) for ticks in printed["operations", "fp"]["nothing"]} != {NOTHING_INSTRUCTIONS}:
        sys.exit(f"{kernel.board.name}: the calibration does not hold")

    def round_of(row: Row) -> float:
        return round(pair(row)[1] / per_instruction / pair(row)[0], 1)

    def single(row: Row) -> int:
        return round(pair(row)[1] / per_instruction) - NOTHING_INSTRUCTIONS

    return {
        "loads": {row.name: round_of(row) for row in loads},
        "shell": {row.name: round_of(row) for row in shells},
        "operations": {row.name: single(row) for row in operations},
        "calls": {row.name: single(row) for row in calls},
        "places": {row.name: single(row) for row in places},
        "admissions": {row.name: single(row) for row in admissions},
        "steps": {row.name: printed[row.program, row.choice][f"steps_{row.key}"][1] for row in admissions},
    }


def measure_storm(kernel: Kernel, choice: str) -> dict[str, int]:
    """Measure the worst latency and the longest masked stretch while something expires."""
    least, most = kernel.emulate("storm", choice)["delay"]
    per_instruction = kernel.board.ticks_per_instruction
    return {"latency": round(most / per_instruction), "masked": round((most - least) / per_instruction)}


def measure_passes(kernel: Kernel) -> dict[str, int]:
    """Measure what operations cost if they are recorded."""
    printed = kernel.emulate("operations", "traced")
    per_instruction = kernel.board.ticks_per_instruction
    return {f"traced_{key}": round(printed[key][1] / per_instruction) - NOTHING_INSTRUCTIONS for key in PASSES}


# ---- sizes ------------------------------------------------------------------------------------------------


Section = tuple[str, int, str]


def sections_of(kernel: Kernel, program: str, *defines: str, name: str = "") -> list[Section]:
    """Link a program; return name, bytes and object of every section that is in it."""
    map_text = kernel.link(program, name=name, defines=defines).with_suffix(".map").read_text(encoding="utf-8")
    kept = map_text.split("Linker script and memory map")[1]
    section = re.compile(r"^ (\.\S+)\s+0x[0-9a-f]+\s+0x([0-9a-f]+) (\S+)$", re.MULTILINE)
    return [(name, int(size, 16), origin) for name, size, origin in section.findall(kept)]


def is_text(name: str) -> bool:
    """True if a section is in read-only memory."""
    return name.split(".")[1] in ("text", "rodata", "vectors")


def measure_analyses(kernel: Kernel) -> dict[str, int]:
    """Add up what the program that admits has of each analysis, and of division, which the compiler brings."""
    origins = {name: str(kernel.objects[f"analysis/{name}.c"]) for name in ANALYSES}
    found = [(size, origin) for name, size, origin in sections_of(kernel, "admission") if is_text(name)]
    return {name: sum(size for size, of in found if of == origin) for name, origin in origins.items()} | {
        "division": sum(size for size, of in found if "div" in of)
    }


def measure_footprint(kernel: Kernel) -> dict[str, Any]:
    """Link the reference application and add up what comes from the kernel's own sources, symbol by symbol."""
    own = {str(path) for source, path in kernel.objects.items() if not source.startswith("firmware/")}
    found = [(name, size) for name, size, origin in sections_of(kernel, "footprint") if origin in own]
    text = [(name, size) for name, size in found if is_text(name)]
    largest = sorted(text, key=lambda one: -one[1])[:12]
    return {
        "text": sum(size for _, size in text),
        "ram": sum(size for name, size in found if name.split(".")[1] in ("data", "bss")),
        "largest": {name.split(".", 2)[-1]: size for name, size in largest},
    }


# ---- all --------------------------------------------------------------------------------------------------


def measure() -> dict[str, Any]:
    """Measure everything."""
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor() as pool:
        folder = Path(name)

        def kernel(of: str, *flags: str) -> Kernel:
            analyses = [f"analysis/{name}.c" for name in ANALYSES]
            return Kernel(VIRT if of == "virt" else MPS2, folder / of, flags).compile(pool, *analyses, OWN, *COMPAT)

        rows = {
            of: kernel(of, *flags)
            for of, flags in {
                "bare": ("-DTAKT_CHECKS=0",),
                "checks": ("-DTAKT_CHECKS=1", "-DTAKT_GUARD=0"),
                "debug": ("-DTAKT_CHECKS=2", "-DTAKT_GUARD=0"),
                "stacks": ("-DTAKT_CHECKS=1", "-DTAKT_GUARD=1"),
                "words": ("-DTAKT_CHECKS=1", "-DTAKT_GUARD=2"),
                "unguarded": ("-DTAKT_CHECKS=0", PLAIN_ONLY),
                "virt": ("-DTAKT_CHECKS=0",),
            }.items()
        }
        for built in rows.values():
            list(pool.map(built.link, programs_of(built)))
        bare, wide = rows["bare"], kernel("wide", "-DTAKT_CHECKS=0", *WIDE)
        list(pool.map(lambda one: one.link("storm"), (bare, wide)))
        kinds = (("delays", DELAYS), ("periods", PERIODS), ("objects", STACKS))
        storms = [f"{what} {number}" for what, some in kinds for number in some]
        of_storms = pool.map(lambda storm: measure_storm(wide if "128" in storm else bare, storm), storms)
        small = {
            "text_os": kernel("small", "-Os", "-DTAKT_CHECKS=0"),
            "text_os_with_checks": kernel("small_checks", "-Os", "-DTAKT_CHECKS=1"),
        }
        return {
            "rows": {of: measure_rows(built, pool) for of, built in rows.items()},
            "passes": measure_passes(bare),
            "storms": dict(zip(storms, of_storms, strict=True)),
            "sizes": {of: least for of, (least, _) in bare.emulate("operations", "sizes").items()}
            | {"stack_used_by_a_thread_that_admits": bare.emulate("admission", "")["stack"][1]},
            "footprint": {of: measure_footprint(built) for of, built in small.items()},
            "analyses": measure_analyses(small["text_os"]),
        }


def guard_of(result: dict[str, Any], kind: str, name: str) -> float | None:
    """Return what the attribute guard costs in a row, None if unknown."""
    bare, unguarded = (result["rows"][build][kind].get(name) for build in ("bare", "unguarded"))
    return None if unguarded is None else round(bare - unguarded, 1)


# ---- gates ------------------------------------------------------------------------------------------------


def complaints(result: dict[str, Any]) -> list[str]:
    """Return gates missed and figures that are worse than the baseline file's."""
    found = []
    kinds = {"loads": LOADS, "shell": SHELL, "operations": OPERATIONS}
    kinds |= {"calls": CALLS, "places": PLACES, "admissions": ADMISSIONS}
    for kind, rows in kinds.items():
        for row in rows:
            value = result["rows"]["bare"][kind][row.name]
            if row.gate is not None and value > row.gate:
                found.append(f"{row.label}: {value} instructions, gate {row.gate}")
            checked = result["rows"]["checks"][kind][row.name]
            if row.checked is not None and checked > row.checked:
                found.append(f"{row.label}: {checked} instructions with checks, gate {row.checked}")
            elif row.checked is None and checked > CHECKS_LIMIT * value:
                found.append(f"{row.label}: {checked} instructions with checks, more than 15 % above {value}")
            guard = guard_of(result, kind, row.name)
            if guard is not None and guard > GUARD_LIMIT * row.calls:
                found.append(f"{row.label}: the guard costs {guard} instructions, gate {GUARD_LIMIT} for each call")
    for what, few, many in (("delays", 32, 128), ("periods", 8, 32)):
        least, most = (result["storms"][f"{what} {number}"]["masked"] for number in (few, many))
        if most > least * FLATNESS:
            found.append(f"masked stretch grows with the {what} that end: {least} of {few}, {most} of {many}")
    for measured in ("masked", "latency"):
        least, most = sorted(result["storms"][f"objects {number}"][measured] for number in STACKS)
        if most > least * FLATNESS:
            found.append(f"{measured} with threads that come and go depends on their stacks: {least} and {most}")
    baseline = json.loads((HERE / "baseline.json").read_text(encoding="utf-8"))
    current = {
        "yield_instructions": result["rows"]["bare"]["operations"]["yield"],
        "thread_bytes": result["sizes"]["thread"],
    }
    for name, value in current.items():
        if value > baseline[name]:
            found.append(f"{name}: {value}, baseline {baseline[name]}")
    return found


# ---- the table --------------------------------------------------------------------------------------------


def verdict(value: float, peer: float | None) -> str:
    """Return how a figure compares with the peer's."""
    if peer is None:
        return ""
    if value > peer:
        return f"misses by {round(value - peer, 1):g}"
    return "beats" if value < peer else "equal"


def text_of(value: float | None) -> str:
    """Format a figure or none."""
    return "-" if value is None else f"{value:g}"


def print_line(label: str, *columns: str) -> None:
    """Print one row; columns right-aligned but for the verdict."""
    widths = (7, 7, 7, 7, 8)
    figures = "".join(f"{column:>{width}}" for column, width in zip(columns, widths, strict=False))
    print(f"{label:45}{figures}  {columns[5] if len(columns) > 5 else '':15}" + "".join(f"{c:>9}" for c in columns[6:]))


def print_rows(result: dict[str, Any], kind: str, rows: tuple[Row, ...]) -> None:
    """Print loads or operations."""
    of = result["rows"]
    for row in rows:
        bare, checks, debug = (of[build][kind][row.name] for build in ("bare", "checks", "debug"))
        guard, virt = guard_of(result, kind, row.name), of["virt"][kind].get(row.name)
        with_checks = (f"{bare:g}", f"{checks:g}", f"{debug:g}")
        columns = (*with_checks, text_of(guard), text_of(row.peer), verdict(bare, row.peer))
        print_line(row.label, *columns, text_of(virt), text_of(row.virt_peer))


def print_guards(result: dict[str, Any]) -> None:
    """Print what each kind of guard adds to rows in which threads switch."""
    of = {build: result["rows"][build]["operations"] for build in ("checks", "stacks", "words")}
    for row in OPERATIONS:
        added = [of[build][row.name] - of["checks"][row.name] for build in ("stacks", "words")]
        if any(added) and row.name in (*PASSES, "lock_blocks", "unlock_runs"):
            print_line(row.label, *(f"{value:g}" for value in added))


def print_storms(result: dict[str, Any]) -> None:
    """Print latencies and masked stretches."""
    for number, peer in DELAYS.items():
        storm = result["storms"][f"delays {number}"]
        columns = (str(storm["latency"]), "", "", "", text_of(peer), verdict(storm["latency"], peer))
        print_line(f"worst latency, {number} delays end at once", *columns)
    for number in STACKS:
        print_line(f"worst latency, objects, stacks of {number}", str(result["storms"][f"objects {number}"]["latency"]))
    for name, storm in result["storms"].items():
        what, number = name.split()
        text = f"objects, stacks of {number}" if what == "objects" else f"{number} {what} end at once"
        print_line(f"longest masked stretch, {text}", str(storm["masked"]))


def print_sizes(result: dict[str, Any]) -> None:
    """Print bytes."""
    for name, value in result["sizes"].items():
        peer = PEER_THREAD if name == "thread" else None
        print_line(name.replace("_", " "), str(value), "", "", "", text_of(peer), verdict(value, peer))
    bare, checks = result["footprint"]["text_os"], result["footprint"]["text_os_with_checks"]
    columns = (str(bare["text"]), str(checks["text"]), "", "", str(PEER_TEXT), verdict(bare["text"], PEER_TEXT))
    print_line("kernel text of the application, -Os", *columns)
    print_line("kernel RAM of the application", str(bare["ram"]))
    print("analyses that admit, -Os: " + ", ".join(f"{name} {size}" for name, size in result["analyses"].items()))
    print("largest of that text: " + ", ".join(f"{name} {size}" for name, size in bare["largest"].items()))


def print_table(result: dict[str, Any]) -> None:
    """Print what was measured."""
    print_line("mps2-an385", "bare", "checks", "debug", "guard", "to beat", "", "virt", "FreeRTOS")
    print("instructions of one round of a load, direct calls")
    print_rows(result, "loads", LOADS)
    print("the same through the original suite's shell, as the peers were measured")
    print_rows(result, "shell", SHELL)
    print("instructions of one operation")
    print_rows(result, "operations", OPERATIONS)
    print_rows(result, "calls", CALLS)
    print("what guards of stacks add to that with checks: by the MPU, by words")
    print_guards(result)
    print("the same where threads are not plain; peers have fixed priorities and no servers")
    print_rows(result, "places", PLACES)
    for name, value in result["passes"].items():
        print_line("full pass: " + name.replace("_", " "), str(value))
    print("instructions of an admission at run time, most of 64 task sets")
    print_rows(result, "admissions", ADMISSIONS)
    print("steps: " + ", ".join(f"{name} {steps}" for name, steps in result["rows"]["bare"]["steps"].items()))
    print("instructions until an interrupt's handler runs, worst of 20,000")
    print_storms(result)
    print("bytes")
    print_sizes(result)
    print(NOTES)


def main() -> int:
    """Measure, print, and with --check judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the table")
    parser.add_argument("--check", action="store_true", help="exit with 1 when a gate or the baseline is missed")
    options = parser.parse_args()
    result = measure()
    if options.json:
        print(json.dumps(result, indent=4))
    else:
        print_table(result)
    found = complaints(result) if options.check else []
    for complaint in found:
        print(complaint, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
