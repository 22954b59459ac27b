# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A simulation that keeps nothing needs no memory that grows with its horizon, traced or not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SHORT = 50_000
TIMES = 50
MARGIN_KIB = 8 * 1024
"""Above what runs of one length differ in; the jobs of the long run alone would be twice as much."""

PROGRAM = """
import resource, sys, takt

system = takt.System(
    tasks=[
        takt.Task(name="A", period=9, wcet=2, priority=4, demand=[1, 2]),
        takt.Task(name="B", min_separation=12, deadline=40, wcet=2, priority=3, demand=takt.Uniform(min=1, max=2)),
        takt.Task(name="C", period=30, jitter=5, priority=2, body=["run 1", "point", "suspend 2", "run 1"]),
        takt.Task(name="D", arrivals=takt.Exponential(mean=20), deadline=50, wcet=1, on_miss="skip", server="S"),
        takt.Task(name="E", period=15, wcet=3, priority=1, on_miss="abort"),
    ],
    servers=[takt.Server(name="S", period=10, budget=3, priority=5)],
)
trace = sys.argv[2] if len(sys.argv) > 2 else None
result = takt.simulate(
    system, int(sys.argv[1]), segments=False, jobs=False, budgets=False, points=False, trace=trace
)
print(result.summary["finished"].sum(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def run(horizon: int, *trace: Path) -> tuple[int, int]:
    """Simulate in a process of its own; give the finished jobs and the most memory that was resident, in KiB."""
    command = [sys.executable, "-c", PROGRAM, str(horizon), *map(str, trace)]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    finished, memory = map(int, output.split())
    return finished, memory


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in KiB on Linux only")
@pytest.mark.parametrize("is_traced", [False, True])
def test_memory_does_not_grow_with_the_horizon(tmp_path: Path, is_traced: bool) -> None:
    trace = [tmp_path / "T.takt"] if is_traced else []
    few, short = run(SHORT, *trace)
    many, long = run(SHORT * TIMES, *trace)
    assert many > (TIMES - 1) * few
    assert long - short < MARGIN_KIB
    assert not is_traced or trace[0].stat().st_size > 2 * MARGIN_KIB * 1024
