#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Measures in the emulated Linux how long threads wait from a timer until they run, and how long switches take.

Usage: latency.py [--quick] [--only wake|switch|clients] [--tasks 1,10] [--alone] [--followed] [--csv FILE]. Prints
tables in us.
`make linux` fetches what it needs.

Each figure is beside a process of the fair class that never sleeps. What has a kernel's class runs as `wake`; what Takt
schedules runs as task sets under takt-linux in full mode. `floor` is a scheduler that decides nothing (floor.bpf.c):
what sched_ext itself costs.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import clients
import numpy as np
import numpy.typing as npt
import takt
from takt import _core
from takt.base.errors import BoardError
from takt.board import guest
from takt.linux import board

ROOT = Path(__file__).resolve().parents[2]
SPACING_US = 1007
"""No divisor of the kernel's tick: wakes have every distance from it."""

TICK_NS = 1_000_000
"""A divisor of it: each wake has one of four distances."""

OVERHEAD_NS = board.OVERHEAD_NS
MEMORY_MB = 3072
PATIENCE_SECONDS = 5400
HOG = "sh -c 'while :; do :; done' & hog=$!; renice -n 19 -p $hog || exit"
"""Its weight is small while the programs are loaded; it has no effect on other classes, nor in full mode."""

JOB = np.dtype(
    [(name, "<i8") for name in ("release", "start", "end")]
    + [("task", "<u4"), ("number", "<u4"), ("outcome", "<i4"), ("unused", "<u4")]
)


RECORD = np.dtype(
    {
        "names": ["now", "entity", "kind"],
        "formats": ["<i8", "<u4", "u1"],
        "offsets": [0, 16, 24],
        "itemsize": 32,
    }
)
SWITCH = np.dtype([("at", "<i8"), ("off", "<u4"), ("on", "<u4")])

LAG_NS = 30_000
"""From a decision to the kernel's switch, at most."""


@dataclass(frozen=True)
class Row:
    """A measured figure.

    Args:
        what: wake or switch; after "lag, ": the time from a decision to the switch, in that one.
        scheduler: a class of the kernel, floor, or a form of a task set.
        threads: how many take turns; of a switch, half as many pairs.
        wakes: instants in all.
        spacing_ns: from instant to instant.
    """

    what: str
    scheduler: str
    threads: int
    wakes: int
    spacing_ns: int = SPACING_US * 1000

    @property
    def together(self) -> int:
        """The number of threads that wake at an instant."""
        return 2 if self.what == "switch" else 1


CLASSES = {"SCHED_FIFO": "./wake fifo", "SCHED_DEADLINE": "./wake deadline", "floor": "./floor floor.bpf.o ./wake ext"}
PLAIN = ("Takt fp", "Takt edf")
SERVERS = {
    "Takt fp in a deferrable server": ("fp", "deferrable", "priority = 1"),
    "Takt edf in a CBS": ("edf", "cbs", ""),
}
BESIDE = {
    "Takt fp, beside a preemptive job": [4800],
    "Takt fp, beside a job with a point each 50 us": [50] * 96,
}
"""Runs of the job beside which the tasks wake, in us."""

COUNTS = (1, 10, 100, 1000)
PERIOD_OF_OTHER_US = 9973


def rows(is_quick: bool, counts: Sequence[int]) -> list[Row]:
    """Return the measured figures."""
    many, few = [max(200, *counts)] * 2 if is_quick else (20_000, 5_000)
    found = [Row("wake", name, count, many) for name in (*CLASSES, *PLAIN) for count in counts]
    found += [Row("wake", name, 1, many, TICK_NS) for name in list(CLASSES)[:2]]
    found += [Row("wake", name, count, few) for name in (*SERVERS, *BESIDE) for count in counts]
    pairs = [max(2, count) for count in counts]
    return found + [Row("switch", name, count, few) for name in (*CLASSES, *PLAIN) for count in pairs]


# ---- task sets --------------------------------------------------------------------------------------------


def system(row: Row) -> takt.System:
    """Write the task set of a row."""
    policy, kind, key = SERVERS.get(row.scheduler, (row.scheduler.removeprefix("Takt ").split(",")[0], "", ""))
    spacing, turns = row.spacing_ns // 1000, row.threads // row.together
    lines = ["schema = 1", "[system]", f'policy = "{policy}"', 'resolution = "1us"']
    lines += [f'horizon = "{(row.wakes + 1) * spacing}us"']
    if kind:
        lines += ["[[server]]", 'name = "server"', f'kind = "{kind}"', 'period = "10ms"', 'budget = "5ms"']
        lines += [key, f'policy = "{policy}"']
    executed = 1 if row.what == "wake" else 100 + OVERHEAD_NS // 1000
    for number in range(row.threads):
        lines += ["[[task]]", f'name = "t{number}"', f'period = "{turns * spacing}us"', f'wcet = "{executed}us"']
        lines += [f'offset = "{number // row.together * spacing}us"', f"priority = {row.threads - number + 1}"]
        lines += ['server = "server"'] if kind else []
    if row.scheduler in BESIDE:
        lines += ["[[task]]", 'name = "other"', f'period = "{PERIOD_OF_OTHER_US}us"', "priority = 0"]
        runs = BESIDE[row.scheduler]
        lines += [f"subjobs = {[f'{run}us' for run in runs]}", f'preemption = "{"non-" * (len(runs) > 1)}preemptive"']
    with tempfile.NamedTemporaryFile("w", suffix=".toml", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
        file.flush()
        return takt.load(file.name)


def latencies(row: Row, jobs: npt.NDArray[np.void]) -> list[int]:
    """Return the figures of the jobs of a task set, in ascending order."""
    own, others = jobs[jobs["task"] < row.threads], jobs[jobs["task"] == row.threads]
    if row.what == "switch":
        own = own[np.lexsort((own["start"], own["release"]))]
        is_first = own["release"][:-1] == own["release"][1:]
        return sorted((own["start"][1:] - own["end"][:-1])[is_first].tolist())
    if row.scheduler in BESIDE:
        last = np.searchsorted(others["start"], own["release"]) - 1
        own = own[(last >= 0) & (own["release"] < others["end"][last])]
    return sorted((own["start"] - own["release"]).tolist())


def lags(report: str, threads: str, records: bytes, switches: bytes) -> list[int]:
    """Return the times from the decision for a thread to the kernel's switch to it, in ascending order.

    Args:
        report: has instant 0.
        threads: entities and their threads.
        records: of the domain; a decision has the instant of its tick.
        switches: the kernel's own record.
    """
    epoch = next(int(line.split()[1]) for line in report.splitlines() if line.startswith("epoch "))
    decided, switched = np.frombuffer(records, dtype=RECORD), np.frombuffer(switches, dtype=SWITCH)
    decided = decided[decided["kind"] == _core.RECORD_DECISION]
    decided = decided[np.append(True, np.diff(decided["entity"].astype("i8")) != 0)]
    found = list[int]()
    for entity, thread in (map(int, line.split()) for line in threads.splitlines()):
        instants = epoch + decided["now"][decided["entity"] == entity] * board.TICK_NS
        on = switched["at"][switched["on"] == thread]
        places = np.searchsorted(on, instants)
        found += (on[places[places < len(on)]] - instants[places < len(on)]).tolist()
    return sorted(found)


# ---- the guest --------------------------------------------------------------------------------------------


def build(linux: Path, folder: Path) -> dict[str, Path | bytes]:
    """Compile the programs that measure."""
    source, root = ROOT / "linux" / "bench", linux / "root" / "usr"
    static = ["cc", "-O2", "-static", "-pthread"]
    library = next((root / "lib").glob("*/libbpf.a"))
    includes = [f"-I{linux}", f"-I{root / 'include'}"]
    kernel = ["clang-19", "-target", "bpf", "-mcpu=v4", "-O2", "-g", *includes, "-c"]
    commands = {
        "wake": [*static, str(source / "wake.c")],
        "floor": [*static, *includes, str(source / "floor.c"), str(library), "-lelf", "-lz"],
        "floor.bpf.o": [*kernel, str(source / "floor.bpf.c")],
    }
    for name, command in commands.items():
        subprocess.run([*command, "-o", str(folder / name)], check=True)
    return {name: folder / name for name in commands}


def run(command: str, files: dict[str, Path | bytes], results: list[str], other: str = HOG) -> guest.Outcome:
    """Run a command beside a process that never sleeps, or beside another one, which `hog` names.

    Raises:
        SystemExit: It failed.
    """
    machine = guest.Machine(ROOT / "build" / "linux", memory_mb=MEMORY_MB)
    whole = f"{other}\n{command}\nstatus=$?; kill -9 $hog && exit $status"
    outcome = guest.run(machine, f"({whole})", files, results, patience=PATIENCE_SECONDS)
    if outcome.status != 0:
        sys.exit(outcome.output.decode(errors="replace").strip()[-2000:])
    return outcome


def measure_classes(wanted: list[Row], files: dict[str, Path | bytes]) -> dict[Row, list[int]]:
    """Return the figures of `wake`: wakes, median, 99th percentile and largest in ns."""
    lines = [
        f"{CLASSES[row.scheduler]} {row.threads} {row.wakes} {row.spacing_ns} {'switch' * (row.together - 1)} || exit"
        for row in wanted
    ]
    output = run("\n".join(lines), files, []).output.decode()
    found = [line.split() for line in output.splitlines() if " p50 " in line]
    return {row: [int(words[place]) for place in (4, 6, 8, 10)] for row, words in zip(wanted, found, strict=True)}


def measure_takt(
    wanted: list[Row], files: dict[str, Path | bytes], is_alone: bool, is_followed: bool
) -> dict[Row, list[int]]:
    """Return the same for task sets; the programs are loaded once.

    Args:
        wanted: the rows.
        files: that are needed.
        is_alone: in partial mode, with nothing else ready.
        is_followed: no job runs ahead of its domain.
    """
    lines = []
    for number, row in enumerate(wanted):
        (part,) = board.parts(system(row))
        files[f"image{number}"] = part.image()
        lines.append(f"{number} 1000 {OVERHEAD_NS} image{number}\n")
    files["list"] = "".join(lines).encode()
    kept = ("report", "threads0", "trace0", "switches0", "jobs0")
    names = [f"{number}/{name}" for number in range(len(wanted)) for name in kept]
    modes = f"{'TAKT_LINUX_FOLLOWED=1 ' * is_followed}{'' if is_alone else 'TAKT_LINUX_FULL=1 '}"
    command = f"{modes}./takt-linux takt.bpf.o tables.bin list"
    outcome = run(command, files, names, "sleep 100000 & hog=$!" if is_alone else HOG)
    print(next(line for line in outcome.output.decode().splitlines() if line.startswith("loaded")), file=sys.stderr)
    found = {}
    for number, row in enumerate(wanted):
        report, threads = (outcome.files[f"{number}/{name}"].decode() for name in kept[:2])
        if "failed" in report or " done\n" not in report:
            print(f"{row.what} of {row.scheduler}, {row.threads}: {report.strip()}", file=sys.stderr)
            continue
        jobs = np.frombuffer(outcome.files[f"{number}/jobs0"], dtype=JOB)
        figures = latencies(row, jobs)
        if row.scheduler not in BESIDE and len(figures) < row.wakes:
            print(f"{row.what} of {row.scheduler}, {row.threads}: {len(figures)} of {row.wakes}", file=sys.stderr)
            continue
        found[row] = clients.figures(figures)
        records, switches = (outcome.files[f"{number}/{name}"] for name in kept[2:4])
        lag = clients.figures(lags(report, threads, records, switches))
        found[replace(row, what=f"lag, {row.what}")] = lag
    return found


# ---- tables -----------------------------------------------------------------------------------------------


def show(what: str, found: dict[Row, list[int]]) -> None:
    """Print the table of wakes, that of switches, or that of the lags of decisions in one of them."""
    print(f"\n| {what} | tasks | one each, us | wakes | p50 | p99 | max |\n|---|---|---|---|---|---|---|")
    for row, (count, *figures) in found.items():
        if row.what == what:
            shown = " | ".join(f"{figure / 1000:.1f}" for figure in figures)
            print(f"| {row.scheduler} | {row.threads:,} | {row.spacing_ns / 1000:,.0f} | {count:,} | {shown} |")


def write(path: Path, found: dict[Row, list[int]]) -> None:
    """Write both as a file."""
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["what", "scheduler", "tasks", "spacing_ns", "wakes", "p50_ns", "p99_ns", "max_ns"])
        table.writerows([row.what, row.scheduler, row.threads, row.spacing_ns, *found[row]] for row in found)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description="measure wakes and switches in the emulated Linux")
    parser.add_argument("--quick", action="store_true", help="few wakes, few tasks")
    parser.add_argument("--only", choices=("wake", "switch", "clients"))
    parser.add_argument("--tasks", help="how many, as 1,10")
    parser.add_argument("--alone", action="store_true", help="Takt's rows in partial mode, without that process")
    parser.add_argument("--followed", action="store_true", help="no job runs ahead of its domain")
    parser.add_argument("--csv", type=Path, metavar="FILE")
    options = parser.parse_args()
    linux = board.folder()
    counts = [int(word) for word in options.tasks.split(",")] if options.tasks else COUNTS[: 2 if options.quick else 4]
    wanted = [row for row in rows(options.quick, counts) if options.only in (None, row.what)]
    found: dict[Row, list[int]] = {}
    with tempfile.TemporaryDirectory() as name:
        files = build(linux, Path(name)) | board.products(linux)
        try:
            if wanted:
                found |= measure_classes([row for row in wanted if row.scheduler in CLASSES], dict(files))
                found |= measure_takt(
                    [row for row in wanted if row.scheduler not in CLASSES],
                    dict(files),
                    options.alone,
                    options.followed,
                )
            for what in ("wake", "switch"):
                if options.only in (None, what):
                    show(what, found)
                    show(f"lag, {what}", found)
            if options.only in (None, "clients"):
                clients.show(linux, dict(files), run, options.quick)
        except BoardError as error:
            sys.exit(str(error))
    if options.csv:
        write(options.csv, found)
    late = [row for row, (*_, most) in found.items() if row.what.startswith("lag") and most > LAG_NS]
    if late:
        sys.exit("\n".join(f"{row.what} of {row.scheduler}, {row.threads}: above {LAG_NS / 1000} us" for row in late))


if __name__ == "__main__":
    main()
