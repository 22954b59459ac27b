# SPDX-License-Identifier: Apache-2.0 OR MIT
"""rate_jobs and rate_requests: what rate-based scheduling costs beside EDF, and what a request costs.

Usage: rates.py FOLDER [--runs N], where FOLDER has the built bench_sim and bench_rates.

rate_jobs: the task sets of sim_jobs (run.py) under EDF, and rate-based with every other task soft: the same jobs.
Seconds are those of runs in turn, so that both meet the same machine; instructions are callgrind's, the whole
program's, if valgrind is there. rate_requests: a task enters and leaves beside 10 to 10,000 others, whose targets
change each time; under the rule "boundary" each checks its own only at its own boundary, "in-flight" informs all open
windows. What it takes to let all tasks in at once, with a job of each, is measured by itself.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import tempfile
from pathlib import Path

from run import TaskSet, levels_of, make_task_set

TASKS = (50, 1_000)
JOBS = 1_000_000
COUNTED_JOBS = 100_000
JOBS_GATE = 1.5

OTHERS = (10, 100, 1_000, 10_000)
REQUESTS = {"boundary": 400_000, "in-flight": 500}
REQUESTS_GATE = 2.0


def lines_of(task_set: TaskSet) -> str:
    """Write a task set as bench_sim reads it."""
    columns = zip(task_set.periods, task_set.demands, levels_of(task_set.periods), strict=True)
    return "".join(f"{period} {demand} {level}\n" for period, demand, level in columns)


def rate_of(program: Path, policy: str, task_set: TaskSet) -> float:
    """Measure jobs per second, once."""
    command = [str(program), policy, str(task_set.horizon(JOBS)), "1"]
    output = subprocess.run(command, input=lines_of(task_set), capture_output=True, text=True, check=True).stdout
    jobs, seconds = output.split()
    return int(jobs) / float(seconds)


def instructions_of(program: Path, policy: str, task_set: TaskSet) -> float:
    """Count the instructions of a job."""
    with tempfile.TemporaryDirectory() as folder:
        valgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/counts"]
        command = [*valgrind, str(program), policy, str(task_set.horizon(COUNTED_JOBS)), "1"]
        run = subprocess.run(command, input=lines_of(task_set), capture_output=True, text=True, check=True)
    (line,) = [line for line in run.stderr.splitlines() if "Collected" in line]
    return int(line.split(":")[1]) / int(run.stdout.split()[0])


def gate(value: float, most: float) -> str:
    """Return whether a ratio meets its gate."""
    return f"{most:g}: {'holds' if value <= most else 'MISSED'}"


def print_jobs(program: Path, runs: int) -> None:
    """Measure and print rate_jobs."""
    print(f"{'rate_jobs':<28} {'tasks':>8} {'edf':>13} {'rate-based':>13} {'ratio':>6}  gate")
    for count in TASKS:
        task_set = make_task_set(count)
        pairs = [tuple(rate_of(program, policy, task_set) for policy in ("edf", "rate-based")) for _ in range(runs)]
        edf, rated = (statistics.median(rates) for rates in zip(*pairs, strict=True))
        ratio = statistics.median(first / second for first, second in pairs)
        print(f"{'jobs/s':<28} {count:>8,} {edf:>13,.0f} {rated:>13,.0f} {ratio:>6.2f}  {gate(ratio, JOBS_GATE)}")
        if shutil.which("valgrind") is not None:
            edf, rated = (instructions_of(program, policy, task_set) for policy in ("edf", "rate-based"))
            print(f"{'instructions per job':<28} {count:>8,} {edf:>13,.0f} {rated:>13,.0f} {rated / edf:>6.2f}")


def seconds_of(program: Path, others: int, requests: int, rule: str, runs: int) -> float:
    """Measure a run with this many requests."""
    command = [str(program), str(others), str(requests), str(runs), str(list(REQUESTS).index(rule))]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return statistics.median(float(line.split()[1]) for line in output.splitlines())


def request_ns(program: Path, others: int, rule: str, runs: int) -> float:
    """Measure a request."""
    requests = REQUESTS[rule]
    both, entries = (seconds_of(program, others, count, rule, runs) for count in (requests, 0))
    return 1e9 * (both - entries) / requests


def print_requests(program: Path, runs: int) -> None:
    """Measure and print rate_requests; at the boundary the cost must not grow with the number of tasks."""
    print(f"{'rate_requests':<28} {'tasks':>8} {'ns/request':>13} {'to first':>13}  gate")
    for rule in REQUESTS:
        taken = [request_ns(program, others, rule, runs) for others in OTHERS]
        print_growth(rule, taken, gated=rule == "boundary")
    entries = [1e9 * seconds_of(program, others, 0, "boundary", runs) / others for others in OTHERS]
    print_growth("all at once", entries, gated=False)


def print_growth(name: str, taken: list[float], gated: bool) -> None:
    """Print one line for each number of tasks."""
    for others, nanoseconds in zip(OTHERS, taken, strict=True):
        growth = nanoseconds / taken[0]
        bar = gate(growth, REQUESTS_GATE) if gated else ""
        print(f"{name:<28} {others:>8,} {nanoseconds:>13,.0f} {growth:>13.2f}  {bar}".rstrip())


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="rate-based scheduling beside EDF, and the cost of requests")
    parser.add_argument("folder", type=Path, help="where bench_sim and bench_rates were built")
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    print_jobs(arguments.folder / "bench_sim", arguments.runs)
    print_requests(arguments.folder / "bench_rates", arguments.runs)


if __name__ == "__main__":
    main()
