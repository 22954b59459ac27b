# SPDX-License-Identifier: Apache-2.0 OR MIT
"""analysis_sets: task sets analysed per second on one core, arrays in and out.

Usage: run.py [--runs N]

Exact response times under fixed priorities and the processor demand of EDF by QPA, of task sets drawn as the peers'
figures say: log-uniform periods, 10 to 1000 ms, in ticks of 0.1 ms, UUniFast shares, deadlines equal to periods (rate
monotonic order). Then QPA needs no interval at all: so once more with constrained deadlines, half-way from wcet to
period and up. SchedCAT's figures were measured on such a machine at another time and cannot be measured again beside
ours, as it needs Python 2: so a textbook loop in Python, which does what SchedCAT's response times do, runs in turn.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import takt
from numpy.typing import NDArray
from takt import _analysis

Matrix = NDArray[np.uint64]

TASKS = (10, 20, 50)
UTILIZATIONS = (0.8, 0.95)
SECONDS = 0.5
LOOP_SETS = 40
MANY = 10_000

SCHEDCAT = {
    ("fp", 10, 0.8): 26_900,
    ("fp", 10, 0.95): 23_400,
    ("fp", 20, 0.8): 6_600,
    ("fp", 20, 0.95): 5_500,
    ("fp", 50, 0.8): 959,
    ("fp", 50, 0.95): 785,
    ("qpa", 10, 0.8): 105_000,
    ("qpa", 10, 0.95): 66_000,
    ("qpa", 20, 0.8): 48_000,
    ("qpa", 20, 0.95): 27_000,
    ("qpa", 50, 0.8): 16_500,
    ("qpa", 50, 0.95): 7_800,
}
"""Task sets per second of SchedCAT, exact response times (Python) and QPA (C++ with GMP)."""

BARS = {"fp": 50, "qpa": 20}
"""How many times SchedCAT's figure is wanted, at 50 tasks."""


@dataclass(frozen=True)
class Sets:
    """Columns of many task sets, a row for each."""

    wcet: Matrix
    period: Matrix
    deadline: Matrix


def draw(tasks: int, utilization: float, count: int, *, is_constrained: bool = False, tick: str = "100us") -> Sets:
    """Draw task sets."""
    more = {"deadlines": "constrained", "deadline_factors": [0.5, 1.0]} if is_constrained else {}
    recipe = takt.Recipe(
        tasks=tasks,
        utilization=utilization,
        shares="uunifast",
        periods="log-uniform",
        period_min="10ms",
        period_max="1000ms",
        resolution=tick,
        **more,
    )
    columns = recipe.columns(1, 0, count)
    return Sets(columns.wcet, columns.period, columns.deadline)


def sets_per_second(analyse: Callable[[], object], count: int) -> float:
    """Measure once: repeat for a while, by the time of the processor."""
    rounds, begin = 0, time.process_time()
    while time.process_time() - begin < SECONDS:
        analyse()
        rounds += 1
    return rounds * count / (time.process_time() - begin)


def textbook_responses(wcet: list[int], period: list[int]) -> list[int]:
    """Return worst-case responses as a textbook writes them (Joseph and Pandya 1986), until the deadline is passed."""
    found = []
    for place, own in enumerate(wcet):
        response, last = sum(wcet[: place + 1]), 0
        while last < response <= period[place]:
            last = response
            response = own + sum(-(-last // period[j]) * wcet[j] for j in range(place))
        found.append(response)
    return found


def loop_rate(sets: Sets) -> float:
    """Measure the textbook loop, once, over a few sets."""
    rows = [(sets.wcet[row].tolist(), sets.period[row].tolist()) for row in range(LOOP_SETS)]
    begin = time.process_time()
    for wcet, period in rows:
        textbook_responses(wcet, period)
    return LOOP_SETS / (time.process_time() - begin)


def measure(kind: str, tasks: int, utilization: float, runs: int) -> None:
    """Measure one row and print it."""
    count = 20_000 // tasks
    sets = draw(tasks, utilization, count)
    analyses: dict[str, Callable[[], object]] = {
        "fp": lambda: _analysis.fp_responses_many(sets.wcet, sets.period),
        "qpa": lambda: _analysis.edf_verdicts_many(sets.wcet, sets.period, sets.deadline),
    }
    rates = [sets_per_second(analyses[kind], count) for _ in range(runs)]
    rate, peer = statistics.median(rates), SCHEDCAT[kind, tasks, utilization]
    bar = f"{BARS[kind]}: {'holds' if rate >= BARS[kind] * peer else 'MISSED'}" if tasks == max(TASKS) else ""
    beside = ""
    if kind == "fp":
        beside = f"{statistics.median(rates) / statistics.median([loop_rate(sets) for _ in range(runs)]):8.0f}"
    name = "response times" if kind == "fp" else "QPA"
    print(f"{name:<16}{tasks:>4}{utilization:>7}{rate:>12,.0f}{peer:>10,}{rate / peer:>9.1f}{beside:>10}  {bar}")


def measure_constrained(tasks: int, utilization: float, runs: int) -> None:
    """Measure QPA where deadlines are shorter than periods."""
    count = 20_000 // tasks
    sets = draw(tasks, utilization, count, is_constrained=True)
    rate = statistics.median(
        sets_per_second(lambda: _analysis.edf_verdicts_many(sets.wcet, sets.period, sets.deadline), count)
        for _ in range(runs)
    )
    print(f"{'QPA, D <= T':<16}{tasks:>4}{utilization:>7}{rate:>12,.0f}")


def measure_many() -> None:
    """Measure one set of many tasks."""
    sets = draw(MANY, 0.9, 1, tick="100ns")
    tests: dict[str, Callable[[], object]] = {
        "response times": lambda: _analysis.fp_responses_many(sets.wcet, sets.period),
        "QPA": lambda: _analysis.edf_verdicts_many(sets.wcet, sets.period, sets.deadline),
    }
    for name, test in tests.items():
        begin = time.perf_counter()
        test()
        print(f"{name}, {MANY:,} tasks: {time.perf_counter() - begin:.3f} s")


def measure_sensitivity() -> None:
    """Measure whole analyses of one set, with the search by how much wcets may grow."""
    for policy in ("rm", "edf"):
        for tasks in (200, 201, 1000):
            recipe = takt.Recipe(
                tasks=tasks,
                utilization=0.7,
                shares="uunifast",
                periods="log-uniform",
                period_min="10ms",
                period_max="1000ms",
                resolution="1us",
                policy=policy,
            )
            system = recipe.system(0, 0)
            begin = time.process_time()
            takt.analyse(system)
            print(f"takt.analyse with sensitivity, {policy}, {tasks:,} tasks: {time.process_time() - begin:.2f} s")


def main() -> None:
    """Measure all and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5, help="how often; medians are printed")
    runs = parser.parse_args().runs
    print("analysis_sets: task sets per second, one core")
    print(f"{'':<16}{'n':>4}{'U':>7}{'takt':>12}{'SchedCAT':>10}{'ratio':>9}{'loop':>10}  bar")
    for kind in BARS:
        for tasks in TASKS:
            for utilization in UTILIZATIONS:
                measure(kind, tasks, utilization, runs)
    for tasks in TASKS:
        for utilization in UTILIZATIONS:
            measure_constrained(tasks, utilization, runs)
    measure_many()
    measure_sensitivity()
    print("loop: times a textbook loop in Python, in the same run")


if __name__ == "__main__":
    main()
