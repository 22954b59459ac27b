#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Says where each instruction of a wake is executed, in the emulated Linux.

Usage: where.py [--scheduler NAME] [--tasks N] [--sleep] [--followed] [--csv FILE]. Prints a table of functions for
the wake of median length: from the interrupt beside a process that never sleeps until the thread executes in user
space. NAME is a form of task sets of latency.py. --sleep: the other way. One instruction takes 4 ns.

The emulator's plugin (blocks.c) notes each executed block; the guest's own table of symbols names them. So figures are
exact, and those of two versions can be compared function by function.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import tempfile
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import latency
import numpy as np
from takt.board import guest
from takt.linux import board

PROGRAMS = (0xFFFFFFFFA0000000, 0xFFFFFFFFFF000000)
"""Where the kernel puts compiled programs of BPF."""

NOTE_SYMBOLS = """echo 1 > /proc/sys/net/core/bpf_jit_kallsyms
(until grep -q takt /sys/kernel/sched_ext/root/ops; do sleep 0.01; done; cat /proc/kallsyms > symbols) 2>&- &
"""
"""Programs of BPF are in the table of symbols only while they are loaded."""

WAKES = 1500
RUNS, SLEEPS = "takt_running", "takt_quiescent"
NS = guest.NS_PER_INSTRUCTION


class Symbols:
    """Names of addresses.

    Args:
        text: the kernel's table.
    """

    def __init__(self, text: str) -> None:
        """Sort the symbols."""
        lines = (line.split() for line in text.splitlines())
        found = sorted((int(words[0], 16), words[2]) for words in lines if words[1] in "tTwW")
        self.addresses = [address for address, _ in found]
        self.names = [name for _, name in found]

    def of(self, address: int) -> str:
        """Return the function at an address; of a program its name without its hash."""
        name = self.names[bisect_right(self.addresses, address) - 1]
        return name.split("_", 3)[3] if name.startswith("bpf_prog_") and name.count("_") > 2 else name


def stays(content: bytes) -> Iterator[np.ndarray]:
    """Yield the rows of address and instructions of each stay in the kernel."""
    words, place = np.frombuffer(content, dtype="<u8"), 0
    while place < len(words):
        end = place + 1 + 2 * int(words[place])
        yield words[place + 1 : end].reshape(-1, 2)
        place = end


def counted(stay: np.ndarray, symbols: Symbols) -> Counter[str]:
    """Return the number of instructions of each function of a stay."""
    found = Counter[str]()
    for address, instructions in stay.tolist():
        found[symbols.of(address)] += instructions
    return found


def measure(row: latency.Row, is_followed: bool) -> list[Counter[str]]:
    """Return the instructions of each stay in the kernel that executes programs of the scheduler."""
    linux = board.folder()
    with tempfile.TemporaryDirectory() as name:
        plugin, blocks = Path(name) / "blocks.so", Path(name) / "blocks"
        source = Path(__file__).parent / "blocks.c"
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", str(plugin), str(source)], check=True)
        (part,) = board.parts(latency.system(row))
        files = board.products(linux) | {"image": part.image()}
        files["list"] = f"0 1000 {latency.OVERHEAD_NS} image\n".encode()
        command = f"{NOTE_SYMBOLS}{latency.HOG}\n"
        command += (
            "TAKT_LINUX_FOLLOWED=1 " * is_followed
            + "TAKT_LINUX_FULL=1 ./takt-linux takt.bpf.o tables.bin list\nkill -9 $hog"
        )
        first, last = (f"{address:x}" for address in PROGRAMS)
        arguments = ("-plugin", f"{plugin},out={blocks},from={first},below={last}")
        machine = guest.Machine(linux, memory_mb=latency.MEMORY_MB, emulator_arguments=arguments)
        outcome = guest.run(machine, command, files, ["symbols"], patience=latency.PATIENCE_SECONDS)
        symbols = Symbols(outcome.files["symbols"].decode())
        return [counted(stay, symbols) for stay in stays(blocks.read_bytes())]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="say where the instructions of a wake are executed")
    parser.add_argument("--scheduler", default=latency.PLAIN[0])
    parser.add_argument("--tasks", type=int, default=1)
    parser.add_argument("--sleep", action="store_true", help="from the thread to the process that never sleeps")
    parser.add_argument("--followed", action="store_true", help="no job runs ahead of its domain")
    parser.add_argument("--csv", type=Path, metavar="FILE")
    options = parser.parse_args()
    found = measure(latency.Row("wake", options.scheduler, options.tasks, WAKES), options.followed)
    wanted = [each for each in found if RUNS in each and (SLEEPS in each) == options.sleep]
    stay = sorted(wanted, key=lambda each: each.total())[len(wanted) // 2]
    print(f"{len(wanted)} of them; the median has {stay.total()} instructions, {stay.total() * NS / 1000:.1f} us\n")
    print("| function | instructions | us |\n|---|---|---|")
    for name, count in stay.most_common():
        print(f"| {name} | {count} | {count * NS / 1000:.2f} |")
    if options.csv:
        with options.csv.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([("function", "instructions"), *stay.most_common()])


if __name__ == "__main__":
    main()
