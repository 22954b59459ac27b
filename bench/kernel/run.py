#!/usr/bin/env python3
"""Kernel bench: builds the bench program, runs it under QEMU and prints one row per operation, gates beside.

Usage: run.py [--json] [--check]

Instructions are exact: QEMU's -icount gives every instruction 2^SHIFT ns, the board's counter has ticks of
40 ns, so an instruction is 6.4 ticks and a difference of two readings, rounded, is a whole number of them.
They are not cycles of silicon: exception stacking, wait states and pipeline refills are not in them.

`--check` exits with 1 when a gate is missed or when yield's instructions or a thread's bytes are worse than
in baseline.json. A wanted change of those two is written into that file by hand, in the same commit.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD: dict[str, Any] = json.loads((ROOT / "firmware" / "build.json").read_text(encoding="utf-8"))
SOURCES = [str(path.relative_to(ROOT)) for pattern in BUILD["sources"] for path in sorted(ROOT.glob(pattern))]
SHIFT = 8
TICK_NS = 40
TICKS_PER_INSTRUCTION: float = (1 << SHIFT) / TICK_NS
NOTHING_INSTRUCTIONS = 2  # the reading of the counter and the storing of it, see bench.c
STORMS = (0, 1, 8, 32)
FLATNESS = 1.05
FULL_PASS = ("yield", "give_runs", "take_blocks", "interrupt_runs")


@dataclass(frozen=True)
class Operation:
    """One row: the bench program's name for it, and what it is held against.

    Attributes:
        key: Name in the bench program's output.
        label: What the row says.
        gate: Instructions that must not be exceeded, None for information only.
        peer: The best peer's figure (FreeRTOS, ThreadX, ChibiOS), None where there is none.
    """

    key: str
    label: str
    gate: int | None = None
    peer: int | None = None


OPERATIONS = (
    Operation("yield", "yield to another thread", 45, 45),
    Operation("give_free", "semaphore give, uncontended", None, 12),
    Operation("take_free", "semaphore take, uncontended", None, 15),
    Operation("give_runs", "give until the waiter runs", 53, 53),
    Operation("take_blocks", "take blocks until another runs", 50, 42),
    Operation("interrupt_runs", "interrupt pend until thread runs", 105, 105),
    Operation("take_blocks_to_preempted", "take blocks until a preempted one runs"),
)


# ---- building and running ---------------------------------------------------------------------------------


def run(command: list[str]) -> str:
    """Run a command at the root; give its standard output or end with its complaint."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\nstatus {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def build(folder: Path, checks: int) -> Path:
    """Build the bench program with or without misuse checks."""
    elf = folder / f"bench{checks}.elf"
    sources = [*SOURCES, "bench/kernel/bench.c"]
    flags = [*BUILD["cflags"], f"-DTAKT_CHECKS={checks}", *BUILD["ldflags"]]
    run([BUILD["cc"], *flags, *sources, *BUILD["libs"], "-o", str(elf)])
    return elf


def emulate(elf: Path, choice: str) -> dict[str, tuple[int, int]]:
    """Run the bench program; give least and most of every line that it prints."""
    command = [*BUILD["qemu"], "-icount", f"shift={SHIFT},align=off,sleep=off", "-kernel", str(elf)]
    host = command.index("-semihosting-config") + 1
    command[host] += f",arg=bench,arg={choice}"
    lines = (line.split() for line in run(command).splitlines())
    return {name: (int(least), int(most)) for name, least, most in lines}


def instructions(ticks: tuple[int, int]) -> int:
    """Convert least and most ticks of one operation, which must be the same number of instructions."""
    least, most = (round(value / TICKS_PER_INSTRUCTION) for value in ticks)
    if least != most:
        sys.exit(f"an operation does not repeat: {least} to {most} instructions")
    return least - NOTHING_INSTRUCTIONS


def measure_operations(elf: Path, choice: str) -> dict[str, int]:
    """Measure all operations under one root policy."""
    samples = emulate(elf, choice)
    if instructions(samples.pop("nothing")) != 0:
        sys.exit("the calibration does not hold")
    return {name: instructions(ticks) for name, ticks in samples.items()}


def measure_masked(elf: Path, timers: int) -> int:
    """Measure the longest stretch with interrupts masked while `timers` expire at one instant."""
    least, most = emulate(elf, f"storm {timers}")["delay"]
    return round((most - least) / TICKS_PER_INSTRUCTION)


# ---- sizes ------------------------------------------------------------------------------------------------


def measure_footprint(folder: Path, checks: int) -> dict[str, int]:
    """Link the bench program at -Os and add up the sections that come from the kernel's own sources."""
    own = [source for source in SOURCES if not source.startswith("firmware/")]
    objects = {source: folder / f"{checks}_{source.replace('/', '_')}.o" for source in SOURCES}
    objects["bench/kernel/bench.c"] = folder / f"{checks}_bench.o"
    for source, target in objects.items():
        run([BUILD["cc"], *BUILD["cflags"], "-Os", f"-DTAKT_CHECKS={checks}", "-c", source, "-o", str(target)])
    map_file = folder / f"os{checks}.map"
    files = [str(target) for target in objects.values()]
    linking = [BUILD["cc"], *BUILD["cflags"], *BUILD["ldflags"], f"-Wl,-Map={map_file}"]
    run([*linking, *files, *BUILD["libs"], "-o", str(folder / f"os{checks}.elf")])
    return add_sections(map_file.read_text(encoding="utf-8"), {str(objects[source]) for source in own})


def add_sections(map_text: str, objects: set[str]) -> dict[str, int]:
    """Add up bytes of code and of memory that `objects` have in a linker map."""
    kept = map_text.split("Linker script and memory map")[1]
    section = re.compile(r"^ (\.\S+)\s+0x[0-9a-f]+\s+0x([0-9a-f]+) (\S+)$", re.MULTILINE)
    total = {"text": 0, "ram": 0}
    for name, size, origin in section.findall(kept):
        if origin in objects:
            kind = name.split(".")[1]
            total["text"] += int(size, 16) if kind in ("text", "rodata", "vectors") else 0
            total["ram"] += int(size, 16) if kind in ("data", "bss") else 0
    return total


# ---- the report -------------------------------------------------------------------------------------------


def measure() -> dict[str, Any]:
    """Measure everything."""
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor() as pool:
        folder = Path(name)
        bare, checked = pool.map(build, (folder, folder), (0, 1))
        modes = ("fp", "traced", "edf")
        of_bare = dict(zip(modes, pool.map(measure_operations, [bare] * 3, modes), strict=True))
        masked = dict(zip(STORMS, pool.map(measure_masked, [bare] * len(STORMS), STORMS), strict=True))
        footprint = list(pool.map(measure_footprint, (folder, folder), (0, 1)))
        return {
            "operations": of_bare["fp"],
            "operations_with_checks": measure_operations(checked, "fp"),
            "full_pass": {
                "traced_yield": of_bare["traced"]["yield"],
                **{f"edf_{operation}": of_bare["edf"][operation] for operation in FULL_PASS},
            },
            "masked": {str(timers): stretch for timers, stretch in masked.items()},
            "sizes": {name: least for name, (least, _) in emulate(bare, "sizes").items()},
            "text_os": footprint[0]["text"],
            "text_os_with_checks": footprint[1]["text"],
            "kernel_ram": footprint[0]["ram"],
        }


def complaints(result: dict[str, Any]) -> list[str]:
    """List gates missed and figures that are worse than the baseline file's."""
    found = []
    for operation in OPERATIONS:
        value = result["operations"][operation.key]
        if operation.gate is not None and value > operation.gate:
            found.append(f"{operation.label}: {value} instructions, gate {operation.gate}")
    least, most = result["masked"]["8"], result["masked"]["32"]
    if most > least * FLATNESS:
        found.append(f"masked stretch grows with the timers that expire: {least} with 8, {most} with 32")
    baseline = json.loads((HERE / "baseline.json").read_text(encoding="utf-8"))
    current = {"yield_instructions": result["operations"]["yield"], "thread_bytes": result["sizes"]["thread"]}
    for name, value in current.items():
        if value > baseline[name]:
            found.append(f"{name}: {value}, baseline {baseline[name]}")
    return found


def print_table(result: dict[str, Any]) -> None:
    """Print what was measured."""
    print(f"{'mps2-an385, instructions':40} {'bare':>6} {'checks':>7} {'gate':>6} {'best peer':>10}")
    for operation in OPERATIONS:
        bare, checked = result["operations"][operation.key], result["operations_with_checks"][operation.key]
        print(f"{operation.label:40} {bare:6} {checked:7} {operation.gate or '-':>6} {operation.peer or '-':>10}")
    for name, value in result["full_pass"].items():
        print(f"{'full pass: ' + name.replace('_', ' '):40} {value:6} {'':7} {'-':>6} {'-':>10}")
    for timers, stretch in result["masked"].items():
        print(f"{f'longest masked stretch, {timers} timers at once':40} {stretch:6} {'':7} {'flat':>6} {'-':>10}")
    print(f"{'bytes':40}")
    for name, value in result["sizes"].items():
        print(f"{name.replace('_', ' '):40} {value:6} {'':7} {64 if name == 'thread' else '-':>6}")
    print(f"{'kernel RAM, idle stack included':40} {result['kernel_ram']:6}")
    print(f"{'kernel text at -Os':40} {result['text_os']:6} {result['text_os_with_checks']:7}")


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
