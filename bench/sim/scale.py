# SPDX-License-Identifier: Apache-2.0 OR MIT
"""server_scale and flow_scale: what a job costs among 10 to 10,000 servers, and among as many flows.

Usage: scale.py [--runs N]

server_scale: each server has one task, whose job comes when the budget does, and half of the processor is used
whatever the number of servers, so that every job stands for one replenishment, one release and one completion. S4's
tick cost grew by 3.3 us for each server (its Tables III to X); here a tick at which nothing is due costs nothing, and
what is due costs O(log n). flow_scale: jobs of one tick under weighted fair queueing (policy share), where virtual time
has to be known. Seconds are differences of two runs, one twice as long as the other, so that building the system is
not in them, of the fastest of some; the gate is on the ratio to the smallest number, in the same minute on the same
machine.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial

import takt

COUNTS = (10, 100, 1_000, 10_000)
JOBS = 1_000_000
GATE = 6.0
"""The caches of a machine are in this: 10,000 servers are 20 MB, 10 are 20 kB."""


def servers_of(kind: str, count: int) -> takt.System:
    """Return a system of servers of one kind with a task each, half of the processor together."""
    period = 4 * count
    names = [f"S{number}" for number in range(count)]
    return takt.System(
        servers=[
            takt.Server(name=name, kind=kind, period=period, budget=2, offset=4 * i) for i, name in enumerate(names)
        ],
        tasks=[
            takt.Task(name=f"T{i}", server=name, period=period, wcet=1, offset=4 * i) for i, name in enumerate(names)
        ],
        policy="rm",
    )


def flows_of(count: int) -> takt.System:
    """Return a system of flows of equal weights, half of the processor together."""
    tasks = [takt.Task(name=f"F{i}", period=2 * count, offset=2 * i, wcet=1) for i in range(count)]
    return takt.System(tasks=tasks, policy="share", options=[takt.Share(variant="wfq")])


def seconds(system: takt.System, horizon: int) -> float:
    """Time one run that keeps nothing."""
    begin = time.perf_counter()
    takt.simulate(system, horizon, segments=False, jobs=False, budgets=False, points=False, locks=False, rates=False)
    return time.perf_counter() - begin


def nanoseconds_of_a_job(system: takt.System, ticks_of_a_job: int, runs: int) -> float:
    """Measure a job, building left out."""
    horizon = JOBS * ticks_of_a_job
    short, long = (min(seconds(system, times * horizon) for _ in range(runs)) for times in (1, 2))
    return 1e9 * (long - short) / JOBS


def print_rows(name: str, make: Callable[[int], takt.System], ticks_of_a_job: int, runs: int) -> None:
    """Measure and print one line for each number."""
    first = None
    for count in COUNTS:
        cost = nanoseconds_of_a_job(make(count), ticks_of_a_job, runs)
        first = cost if first is None else first
        kept = "holds" if cost / first <= GATE else "MISSED"
        print(f"{name:<28} {count:>8,} {cost:>10,.0f} ns {cost / first:>6.2f}  {GATE:g}: {kept}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3, help="runs of which the fastest counts")
    runs = parser.parse_args().runs
    print(f"{'server_scale, flow_scale':<28} {'number':>8} {'a job':>13} {'ratio':>6}  gate")
    for kind in ("deferrable", "idling"):
        print_rows(f"{kind} servers", partial(servers_of, kind), 4, runs)
    print_rows("flows, wfq", flows_of, 2, runs)


if __name__ == "__main__":
    main()
