# SPDX-License-Identifier: Apache-2.0 OR MIT
"""sim_jobs and global_jobs: simulated jobs per second, counting only, and SimSo beside it.

Usage: run.py PROGRAM [--runs N] [--json FILE], where PROGRAM is the built bench_sim.

Workload: one CPU, U = 0.9, implicit deadlines, synchronous start, periods log-uniform from 10 to 1000 ms; fixed
priorities are rate-monotonic, one level per task. One tick is 1 us up to 10,000 tasks and 10 ns at 100,000, where
a tick of 1 us is more than most tasks' demand. The figure is the median wall time of several runs of one
process, without building the system. SimSo runs the same task sets over a shorter horizon, and only its run is
timed; it needs Python 3.11. global_jobs are such tasks on 1, 2, 4 and 8 processors, U = 0.9 on
each, on the platform for several.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import time
from dataclasses import asdict, dataclass
from pathlib import Path

UTILIZATION = 0.9
SEED = 1
JOBS = 5_000_000
SIMSO_JOBS = 20_000
TICKS_PER_MS = {10: 1_000, 50: 1_000, 10_000: 1_000, 100_000: 100_000}
GLOBAL_TASKS = (50, 1_000)
GLOBAL_CPUS = (1, 2, 4, 8)
GATES = {50: 10e6, 10_000: 5e6}
SIMSO_SCHEDULERS = {"edf": "simso.schedulers.EDF_mono", "fp": "simso.schedulers.RM_mono"}
SIMSO_TASKS = (10, 50)


@dataclass(frozen=True)
class TaskSet:
    """Periods and demands in ticks, one per task."""

    periods: list[int]
    demands: list[int]
    ticks_per_ms: int

    def horizon(self, jobs: int) -> int:
        """Return the ticks in which about `jobs` jobs are released."""
        return round(jobs / sum(1 / period for period in self.periods))


@dataclass(frozen=True)
class Row:
    """One measurement."""

    tool: str
    policy: str
    tasks: int
    jobs: int
    jobs_per_second: float
    cpus: int = 0


def make_task_set(count: int, cpus: int = 1) -> TaskSet:
    """Return tasks of equal utilization; the rounding to whole ticks is compensated in the tasks that follow."""
    rng = random.Random(SEED)
    ticks_per_ms = TICKS_PER_MS.get(count, 1_000)
    periods = [round(10 * 100 ** rng.random() * ticks_per_ms) for _ in range(count)]
    demands = []
    left = UTILIZATION * cpus
    for index, period in enumerate(periods):
        demands.append(max(1, round(left / (count - index) * period)))
        left -= demands[-1] / period
    return TaskSet(periods, demands, ticks_per_ms)


def levels_of(periods: list[int]) -> list[int]:
    """Rank the tasks rate-monotonically: level 1 has the shortest period."""
    levels = [0] * len(periods)
    for level, index in enumerate(sorted(range(len(periods)), key=periods.__getitem__), start=1):
        levels[index] = level
    return levels


def measure_takt(program: Path, policy: str, task_set: TaskSet, runs: int, cpus: int = 0) -> Row:
    """Run bench_sim and take the median; 0 processors are the platform for one."""
    columns = zip(task_set.periods, task_set.demands, levels_of(task_set.periods), strict=True)
    lines = "".join(f"{period} {demand} {level}\n" for period, demand, level in columns)
    command = [str(program), policy, str(task_set.horizon(JOBS)), str(runs), str(cpus)]
    output = subprocess.run(command, input=lines, capture_output=True, text=True, check=True).stdout
    measured = [line.split() for line in output.splitlines()]
    rate = statistics.median(int(jobs) / float(seconds) for jobs, seconds in measured)
    return Row("takt", policy, len(task_set.periods), int(measured[0][0]), rate, cpus)


def measure_simso(policy: str, task_set: TaskSet) -> Row:
    """Run SimSo once."""
    from simso.configuration import Configuration
    from simso.core import Model

    configuration = Configuration()
    milliseconds = task_set.horizon(SIMSO_JOBS) // task_set.ticks_per_ms
    configuration.duration = milliseconds * configuration.cycles_per_ms
    configuration.add_processor(name="CPU 1", identifier=1)
    for index, (period, demand) in enumerate(zip(task_set.periods, task_set.demands, strict=True), start=1):
        period_ms = period / task_set.ticks_per_ms
        configuration.add_task(
            name=f"T{index}",
            identifier=index,
            period=period_ms,
            activation_date=0,
            wcet=demand / task_set.ticks_per_ms,
            deadline=period_ms,
        )
    configuration.scheduler_info.clas = SIMSO_SCHEDULERS[policy]
    configuration.check_all()
    model = Model(configuration)
    start = time.perf_counter()
    model.run_model()
    seconds = time.perf_counter() - start
    jobs = sum(1 for task in model.task_list for job in task.jobs if job.end_date is not None)
    return Row("simso 0.8.5", policy, len(task_set.periods), jobs, jobs / seconds)


def measure(program: Path, runs: int) -> list[Row]:
    """Measure everything."""
    rows = []
    for count in TICKS_PER_MS:
        task_set = make_task_set(count)
        for policy in SIMSO_SCHEDULERS:
            rows.append(measure_takt(program, policy, task_set, runs))
            if count in SIMSO_TASKS:
                rows.append(measure_simso(policy, task_set))
    return rows + measure_global(program, runs)


def measure_global(program: Path, runs: int) -> list[Row]:
    """Measure several processors."""
    return [
        measure_takt(program, policy, make_task_set(count, cpus), runs, cpus)
        for count in GLOBAL_TASKS
        for policy in SIMSO_SCHEDULERS
        for cpus in GLOBAL_CPUS
    ]


def gate_column(row: Row) -> str:
    """Return whether a row meets its gate."""
    gate = GATES.get(row.tasks) if row.tool == "takt" and row.cpus == 0 else None
    if gate is None:
        return ""
    return f"{gate / 1e6:.0f} M: {'holds' if row.jobs_per_second >= gate else 'MISSED'}"


def ratio_column(row: Row, rows: list[Row]) -> str:
    """Return how much faster a row of Takt is than SimSo on the same set."""
    peers = [other for other in rows if other.tool != "takt" and (other.policy, other.tasks) == (row.policy, row.tasks)]
    if row.tool != "takt" or row.cpus > 0 or not peers:
        return ""
    return f"{row.jobs_per_second / peers[0].jobs_per_second:,.0f} x simso"


def print_table(rows: list[Row]) -> None:
    """Print one line per measurement."""
    print(f"{'tool':<12} {'policy':<6} {'tasks':>8} {'cpus':>4} {'jobs':>10} {'jobs/s':>13}  {'gate':<14} ratio")
    for row in rows:
        name = f"{row.tool:<12} {row.policy:<6} {row.tasks:>8,} {row.cpus or '':>4} "
        line = f"{row.jobs:>10,} {row.jobs_per_second:>13,.0f}  "
        print((name + line + f"{gate_column(row):<14} {ratio_column(row, rows)}").rstrip())


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="simulated jobs per second, counting only")
    parser.add_argument("program", type=Path, help="the built bench_sim")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", type=Path, help="write the rows to this file too")
    arguments = parser.parse_args()
    rows = measure(arguments.program, arguments.runs)
    print_table(rows)
    if arguments.json is not None:
        arguments.json.write_text(json.dumps([asdict(row) for row in rows], indent=2) + "\n")


if __name__ == "__main__":
    main()
