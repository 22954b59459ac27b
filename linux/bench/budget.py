#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Measures in the emulated Linux how late a budget of 10 ms ends; prints a table in us.

Usage: budget.py. `make linux` fetches what it needs.

A job that never ends has the only thread of a server, and a second thread takes what is left. Measured is the time from
the decision that begins a budget to the kernel's switch from the job's thread, less 10 ms and what other classes took.
"""

from __future__ import annotations

import statistics
import tempfile
from bisect import bisect_right
from pathlib import Path

import takt
from takt import _core
from takt.linux import board

KINDS = ("idling", "polling", "deferrable", "sporadic", "hard-cbs")
BUDGET_NS = 10_000_000
PERIOD_NS = 25_000_000
SET = """schema = 1
[system]
resolution = "1us"
policy = "{policy}"
horizon = "{horizon}"
[[server]]
name = "server"
kind = "{kind}"
period = "25ms"
budget = "10ms"
{rank}
[[task]]
name = "served"
server = "server"
period = "100s"
wcet = "90s"
priority = 1
[[task]]
name = "rest"
period = "100s"
wcet = "90s"
{rest}
"""


def system_of(kind: str, horizon: str, folder: Path) -> takt.System:
    """Return the task set of a kind of server."""
    is_edf = kind == "hard-cbs"
    rank, rest = ("", "") if is_edf else ("priority = 2", "priority = 1")
    path = folder / f"{kind}.toml"
    text = SET.format(policy="edf" if is_edf else "fp", kind=kind, horizon=horizon, rank=rank, rest=rest)
    path.write_text(text, encoding="utf-8")
    return takt.load(path)


def overruns(run: board.Run) -> list[int]:
    """Return by how many ns each budget was exceeded."""
    _, stretches = run.processors[0].stretches()
    trace = run.trace
    names, tick = trace.system.entity_names(), trace.system.resolution_ns
    decisions = [
        record.now * tick
        for record in trace.records()
        if record.kind == _core.RECORD_DECISION and record.entity < len(names) and names[record.entity] == "served"
    ]
    found, first, others = list[int](), -1, 0
    for begin, end, name in stretches:
        if name == "served":
            first = first if first >= 0 else decisions[bisect_right(decisions, begin) - 1]
            last = end
        elif name == "rest" and first >= 0:
            if first // PERIOD_NS == last // PERIOD_NS:  # else a second budget has followed at once
                found.append(last - first - others - BUDGET_NS)
            first, others = -1, 0
        elif first >= 0:
            others += end - begin
    return found


def measure(horizon: str) -> dict[str, list[int]]:
    """Return by how many ns each budget was exceeded, by kind of server."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        systems = [system_of(kind, horizon, folder) for kind in KINDS]
        runs = board.run_all(systems, [folder / f"{kind}.takt" for kind in KINDS])
        return {kind: overruns(run) for kind, run in zip(KINDS, runs, strict=True)}


def main() -> None:
    """Print the table."""
    print("| server | budgets | least, us | p50 | p99 | max |\n|---|---|---|---|---|---|")
    for kind, late in measure("5s").items():
        ordered = sorted(late)
        figures = (ordered[0], statistics.median(ordered), ordered[len(ordered) * 99 // 100], ordered[-1])
        print(f"| {kind} | {len(ordered)} | {' | '.join(f'{figure / 1000:.1f}' for figure in figures)} |")


if __name__ == "__main__":
    main()
