#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Measures in the emulated Linux what two papers measured on their machines; writes the files that the studies read.

Usage: papers.py [points|framework]... (default: both). Files: studies/s1_deferred_preemption/linux.csv, the time of a
job by what it does at its points (points.c); studies/s3_general_framework/linux.csv, the time of the kernel's programs
by the number of tasks, with and without an allocator.
"""

from __future__ import annotations

import csv
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

import clients
import takt
from takt.base.errors import BoardError
from takt.board import guest
from takt.linux import board

ROOT = Path(__file__).resolve().parents[2]
STUDIES = ROOT / "studies"
COUNTS = (1, 3, 10, 30, 100, 300, 1000)
JOBS = 3000
SPACING_US = 1007
SCHEDULERS = {"single module": "", "framework": 'on_overrun = "suspend"\n'}
"""Rate-monotonic both times: priorities are the policy's own, or an allocator gives each job its budget."""


def run(command: str, files: dict[str, Path | bytes], results: Iterable[str]) -> guest.Outcome:
    """Run a command.

    Raises:
        SystemExit: It failed.
    """
    machine = guest.Machine(ROOT / "build" / "linux", memory_mb=2048)
    outcome = guest.run(machine, command, files, results, patience=3600)
    if outcome.status != 0:
        sys.exit(outcome.output.decode(errors="replace").strip()[-2000:])
    return outcome


def write(study: str, columns: list[str], rows: Iterable[Iterable[object]]) -> None:
    """Write the file of a study."""
    with (STUDIES / study / "linux.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(columns)
        table.writerows(rows)


def measure_points() -> None:
    """Run points.c in the fair class and as a client."""
    linux = board.folder()
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "points"
        sources = [ROOT / "linux/bench/points.c", *sorted((ROOT / "linux/lib").glob("*.c"))]
        subprocess.run(["cc", "-O2", "-static", "-pthread", f"-I{ROOT}", *sources, "-o", program], check=True)
        files: dict[str, Path | bytes] = {**board.products(linux), "points": program, "image": clients.task_set("fp")}
        own = "./takt-linux takt.bpf.o tables.bin out 1000 image -- ./points > takt"
        found = run(f"./points > fair || exit\n{own}", files, ["fair", "takt"]).files
    rows = [
        (scheduler, *words)
        for scheduler in ("fair", "takt")
        for words in map(str.split, found[scheduler].decode().splitlines())
        if words[0] in ("counter", "point", "call")
    ]
    write("s1_deferred_preemption", ["scheduler", "way", "every", "points", "ns"], rows)


def system(count: int, keys: str) -> takt.System:
    """Write a task set: its tasks take turns, one job each 1,007 us."""
    text = f'schema = 1\n[system]\npolicy = "rm"\nresolution = "1us"\nhorizon = "{JOBS * SPACING_US}us"\n' + "".join(
        f'[[task]]\nname = "t{number}"\nperiod = "{count * SPACING_US}us"\noffset = "{number * SPACING_US}us"\n'
        f'wcet = "500us"\ndemand = "1us"\n{keys}'
        for number in range(count)
    )
    with tempfile.NamedTemporaryFile("w", suffix=".toml", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        return takt.load(file.name)


def measure_framework() -> None:
    """Run task sets, and read from the kernel the times of its programs."""
    runs = [(name, count) for name in SCHEDULERS for count in COUNTS]
    files: dict[str, Path | bytes] = {**board.products(board.folder())}
    for number, (name, count) in enumerate(runs):
        (part,) = board.parts(system(count, SCHEDULERS[name]))
        files[f"image{number}"] = part.image()
    files["list"] = "".join(
        f"{number} 1000 {board.OVERHEAD_NS} image{number}\n" for number in range(len(runs))
    ).encode()
    command = "echo 1 > /proc/sys/kernel/bpf_stats_enabled; ./takt-linux takt.bpf.o tables.bin list"
    found = run(command, files, [f"{number}/report" for number in range(len(runs))]).files
    rows, before = [], dict[str, tuple[int, int]]()
    for number, (name, count) in enumerate(runs):
        lines = [line.split() for line in found[f"{number}/report"].decode().splitlines()]
        (jobs,) = [int(words[3]) for words in lines if words[0] == "processor"]
        for _, program, *figures in (words for words in lines if words[0] == "program"):
            calls, ns = map(int, figures)
            first_calls, first_ns = before.get(program, (0, 0))
            before[program] = (calls, ns)
            rows.append((name, count, jobs, program.removeprefix("takt_"), calls - first_calls, ns - first_ns))
    write("s3_general_framework", ["scheduler", "tasks", "jobs", "program", "calls", "ns"], rows)


def main() -> None:
    """Write the files."""
    wanted = sys.argv[1:] or ["points", "framework"]
    try:
        if "points" in wanted:
            measure_points()
        if "framework" in wanted:
            measure_framework()
    except BoardError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
