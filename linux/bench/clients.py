# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Programs of Debian that know nothing of Takt, unchanged: what they say of their own latencies.

cyclictest (package rt-tests) and rt-app run as clients of takt-linux in full mode, and as what they ask for themselves.
"""

from __future__ import annotations

import json
import platform
import re
import tempfile
from collections.abc import Callable
from pathlib import Path

import takt
from takt.board import guest
from takt.linux import board

Files = dict[str, Path | bytes]
Run = Callable[[str, Files, list[str]], guest.Outcome]

INTERVAL_US = 1007
LIBRARIES = (
    *("ld-linux-x86-64.so.2", "libc.so.6", "libm.so.6", "libpthread.so.0", "librt.so.1", "libgcc_s.so.1"),
    *("libnuma.so.1", "libjson-c.so.5"),
)
PREPARE = "mkdir -p /lib64 /dev/shm; ln -s /work/ld-linux-x86-64.so.2 /lib64; export LD_LIBRARY_PATH=/work"
HIGHEST_US = 400
ROWS = ("SCHED_FIFO", "SCHED_OTHER", "Takt fp", "Takt edf")


def task_set(policy: str) -> bytes:
    """Write the image of a task whose jobs arrive when its thread wakes: the horizon is before the file's arrival."""
    text = f"""schema = 1
[system]
policy = "{policy}"
resolution = "1us"
horizon = "100s"
[[task]]
name = "client"
arrivals = ["200s"]
wcet = "100us"
deadline = "1ms"
"""
    with tempfile.NamedTemporaryFile("w", suffix=".toml", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        (part,) = board.parts(takt.load(file.name))
    return part.image()


def under(scheduler: str, program: str, name: str) -> str:
    """Write the command that runs a program under a scheduler; its output is kept."""
    if not scheduler.startswith("Takt"):
        return f"{program} > {name}.out || exit"
    policy = scheduler.removeprefix("Takt ")
    start = f"./takt-linux takt.bpf.o tables.bin {name} 1000 {policy}.image -- "
    return f"TAKT_LINUX_FULL=1 {start}{program} > {name}.out || exit"


def programs(linux: Path) -> Files:
    """Return the programs and their libraries among what tools/get_linux.py unpacked."""
    root, machine = linux / "root", f"{platform.machine()}-linux-gnu"
    places = [root / folder / machine for folder in ("lib", "usr/lib")]
    found: Files = {name: next(place / name for place in places if (place / name).exists()) for name in LIBRARIES}
    return found | {name: root / "usr/bin" / name for name in ("cyclictest", "rt-app")}


def rt_app(policy: str, turns: int) -> bytes:
    """Write the description of a thread that runs 100 us in each interval."""
    thread = {"run": 100, "timer": {"ref": "unique", "period": INTERVAL_US}, "policy": policy}
    seconds = -(-turns * INTERVAL_US // 1_000_000)
    settings = {"duration": seconds, "calibration": 100, "logdir": "./", "log_basename": policy, "lock_pages": True}
    return json.dumps({"tasks": {"client": thread}, "global": settings}).encode()


def of_cyclictest(output: str) -> list[int]:
    """Read the histogram: wakes, median, 99th percentile, largest in us."""
    counts = {int(a): int(b) for a, b in re.findall(r"^(\d{6})\s+(\d+)\s*$", output, re.MULTILINE)}
    beyond = sum(map(int, re.findall(r"Histogram Overflows: 0*(\d+)", output)))
    largest = int(re.findall(r"Max Latencies: 0*(\d+)", output)[0])
    row = [latency for latency, count in sorted(counts.items()) for _ in range(count)] + [largest] * beyond
    return figures(row)


def of_rt_app(log: str) -> list[int]:
    """Return the same from its log, whose last column is the latency of the wake; the first turn begins without one."""
    return figures(sorted(int(line.split()[-1]) for line in log.splitlines()[2:]))


def figures(row: list[int]) -> list[int]:
    """Return count, median, 99th percentile, largest."""
    count = len(row)
    return [count, row[count // 2], row[count - 1 - count // 100], row[-1]]


def show(linux: Path, files: Files, run: Run, is_quick: bool) -> None:
    """Print the table."""
    wakes = 300 if is_quick else 20_000
    files |= programs(linux) | {f"{policy}.image": task_set(policy) for policy in ("fp", "edf")}
    lines, results = [PREPARE], []
    for number, scheduler in enumerate(ROWS):
        asked = "SCHED_OTHER" if scheduler == "SCHED_OTHER" else "SCHED_FIFO"
        which = "--policy=other" if asked == "SCHED_OTHER" else "-p 80"
        files[f"{number}.json"] = rt_app(asked, wakes)
        lines += [
            under(
                scheduler, f"./cyclictest -q -m -t 1 -i {INTERVAL_US} -l {wakes} -h {HIGHEST_US} {which}", f"c{number}"
            ),
            under(scheduler, f"./rt-app {number}.json", f"r{number}"),
            f"mv {asked}-client-0.log {number}.log",
        ]
        results += [f"c{number}.out", f"{number}.log"]
    outcome = run("\n".join(lines), files, results)
    print("\n| program | scheduler | wakes | p50 | p99 | max |\n|---|---|---|---|---|---|")
    for program, read, name in (("cyclictest", of_cyclictest, "c{}.out"), ("rt-app", of_rt_app, "{}.log")):
        for number, scheduler in enumerate(ROWS):
            shown = read(outcome.files[name.format(number)].decode())
            print(f"| {program} | {scheduler} | {' | '.join(f'{figure:,}' for figure in shown)} |")
