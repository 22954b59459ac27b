# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A thousand simulations on all processors: how often jobs of an overloaded node are late, over 1,000 seeds.

Run it with `python examples/process_pool.py`; `fork` or `spawn` behind that chooses how processes start. Both give the
same numbers: a simulation follows from its system and its seed alone. A simulation starts no thread, so a pool may fork
after one. Queries of polars (`filter`, `select`, ...) start threads: after one, only `spawn` works, and takt says so.
"""

from __future__ import annotations

import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor

import takt

RUNS = 1_000
SYSTEM = takt.System(
    name="overloaded",
    policy="edf",
    horizon="1s",
    tasks=[
        takt.Task(
            name=f"T{period}",
            period=f"{period}ms",
            wcet=f"{period // 3}ms",
            demand=takt.Uniform(min="1ms", max=f"{period // 3 + 3}ms"),
        )
        for period in (10, 20, 40, 50)
    ],
)


def late(seed: int) -> int:
    """Count the late jobs of one run. What is counted only needs neither segments nor jobs."""
    return takt.simulate(SYSTEM.replace(seed=seed), segments=False, jobs=False).missed


def main(method: str | None) -> None:
    """Simulate all seeds and print what came out."""
    print("seed 0:", takt.simulate(SYSTEM, segments=False, jobs=False).summary["missed"].to_list())
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context(method)) as pool:
        counts = list(pool.map(late, range(RUNS), chunksize=50))
    print(f"{len(counts)} runs: {min(counts)} to {max(counts)} late jobs, {sum(counts) / len(counts):.1f} on average")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
