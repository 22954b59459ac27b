# SPDX-License-Identifier: Apache-2.0 OR MIT
"""report: how fast results reach people, as data frames and as the HTML report.

Usage: report.py [--runs N]

Workload: 50 tasks under fp, U = 0.9, implicit deadlines, synchronous start, periods log-uniform from 10 to 1000 ms in
ticks of 1 us. Frames are the simulation with every segment and job in frames, median of several runs, with the
building of the system; the report is that of one run of 100,000 jobs, once.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import takt
import takt.show.run_page

TASKS = 50
SEED = 1
UTILIZATION = 0.9
FRAME_JOBS = 1_000_000
REPORT_JOBS = 100_000


@dataclass(frozen=True)
class Row:
    """One measurement, and what it is held against.

    Attributes:
        name: What was measured.
        value: The figure.
        unit: Its unit.
        gate: What it must reach, or must not exceed.
        is_least: Whether the gate is the least that is good enough.
    """

    name: str
    value: float
    unit: str
    gate: float
    is_least: bool = False

    def holds(self) -> bool:
        """True if the gate is met."""
        return self.value >= self.gate if self.is_least else self.value <= self.gate

    def __str__(self) -> str:
        """Return the line that is printed."""
        gate = f"gate {'>=' if self.is_least else '<='} {self.gate:,g}: {'holds' if self.holds() else 'MISSED'}"
        return f"{self.name:<40} {self.value:>12,.2f} {self.unit:<8} {gate}"


def make_system() -> takt.System:
    """Return a system of tasks of equal utilization with rate-monotonic priorities."""
    rng = random.Random(SEED)
    periods = sorted(round(10_000 * 100 ** rng.random()) for _ in range(TASKS))
    tasks = [
        takt.Task(name=f"T{number}", period=period, wcet=round(period * UTILIZATION / TASKS), priority=TASKS - number)
        for number, period in enumerate(periods)
    ]
    return takt.System(name="bench", resolution="1us", tasks=tasks)


def horizon_of(system: takt.System, jobs: int) -> int:
    """Return the ticks in which about `jobs` jobs are released."""
    return round(jobs / sum(1 / task.period for task in system.resolved.tasks))


def seconds_of(action: Callable[[], object]) -> float:
    """Return the wall time of an action."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def frames_rate(system: takt.System) -> float:
    """Measure jobs per second with all frames made."""
    horizon = horizon_of(system, FRAME_JOBS)
    start = time.perf_counter()
    result = takt.simulate(system, horizon)
    jobs = result.jobs.height
    assert result.segments.height >= jobs - TASKS
    return jobs / (time.perf_counter() - start)


def measure_frames(system: takt.System, runs: int) -> Row:
    """Return the median of several runs."""
    rate = statistics.median(frames_rate(system) for _ in range(runs))
    return Row("frames of segments and jobs, 50 tasks", rate / 1e6, "M jobs/s", 2, is_least=True)


def measure_report(system: takt.System) -> list[Row]:
    """Write one report."""
    result = takt.simulate(system, horizon_of(system, REPORT_JOBS))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "report.html")
        seconds = seconds_of(lambda: takt.show.run_page.write([result], path))
        megabytes = path.stat().st_size / 1e6
    name = f"report of {result.jobs.height:,} jobs"
    return [Row(f"{name}, time", seconds, "s", 5), Row(f"{name}, size", megabytes, "MB", 10)]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="frames per second, and the HTML report's time and size")
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    system = make_system()
    for row in (measure_frames(system, arguments.runs), *measure_report(system)):
        print(row)


if __name__ == "__main__":
    main()
