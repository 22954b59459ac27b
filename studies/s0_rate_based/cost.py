# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Cost of rate-based scheduling, in counts, and the unit of its times (S0, 3.2.3 and 3.2.4)."""

from __future__ import annotations

import random

import polars as pl
import takt

from studies.common import Claim, Section, Table, verdict
from studies.s0_rate_based.example import run_nominal
from studies.s0_rate_based.systems import hard, none, paper_example, rate_based, soft

SEED = 36
TASKS = {True: (10, 100), False: (10, 100, 1000)}
JOBS = 5000


def run(is_quick: bool) -> Section:
    """Count."""
    counts = count_decisions(TASKS[is_quick])
    return Section(
        "Cost",
        f"Hard and soft tasks in turn, U = 0.8, periods from 10 to 1000 ms in ticks of 1 us, about {JOBS} jobs. Time "
        "and "
        "instructions are measured by make bench.",
        [_cost_claim(counts), _tick_claim()],
        [Table("decisions", "Decisions per job", counts)],
    )


def many_tasks(count: int) -> takt.System:
    """Return a system of equal rates."""
    rng = random.Random(SEED)
    periods = [round(10_000 * 100 ** rng.random()) for _ in range(count)]
    tasks = [(soft if n % 2 else hard)(f"T{n}", max(1, int(0.8 / count * period)), period)
             for n, period in enumerate(periods)]  # fmt: skip
    return rate_based([*tasks, none("N", 100_000, wcet=1000)]).replace(resolution="1us")


def count_decisions(counts: tuple[int, ...]) -> pl.DataFrame:
    """Count decisions under each policy."""
    return pl.DataFrame([row for count in counts for row in _rows(count)],
                        schema=["tasks", "policy", "jobs", "decisions", "decisions_per_job"], orient="row")  # fmt: skip


def _rows(count: int) -> list[tuple[int, str, int, int, float]]:
    """Count for one number of tasks."""
    system = many_tasks(count)
    horizon = round(JOBS / sum(1 / task.period for task in system.resolved.tasks))
    rows = []
    for policy in ("rm", "edf", "rate-based"):
        result = takt.simulate(system.replace(policy=policy), horizon, segments=False, jobs=False, rates=False)
        jobs = int(result.summary["finished"].sum())
        rows.append((count, policy, jobs, result.decisions, result.decisions / jobs))
    return rows


def _cost_claim(counts: pl.DataFrame) -> Claim:
    """Judge cost and its growth."""
    rates = counts.filter(policy="rate-based")["decisions_per_job"].to_list()
    fixed = counts.filter(policy="rm")["decisions_per_job"].to_list()
    least, most = int(counts["tasks"].min()), int(counts["tasks"].max())  # type: ignore[arg-type]
    more = max(rate / other for rate, other in zip(rates, fixed, strict=True))
    return Claim(
        "S0-36",
        "Section 3.2.3",
        "Rate-based scheduling needs frequent calculations and adjustments; with more tasks the overhead increases.",
        f"At most {more:.2f} times the decisions of fixed priorities; from {least} to {most:,} tasks decisions per "
        "job go "
        f"from {rates[0]:.2f} to {rates[-1]:.2f}.",
        verdict(more < 1.5 and rates[-1] < 1.2 * rates[0], correction=True),
        "Not frequent: a target is computed when a task enters or leaves, and each task takes it at its own "
        "boundary. "
        "Instructions per job and per request beside EDF: make bench.",
        {"more_decisions": more, "first": rates[0], "last": rates[-1]},
    )


def _tick_claim() -> Claim:
    """Judge that the tick is a choice."""
    coarse = run_nominal()
    fine = takt.simulate(_in_half_ticks(paper_example()), 1200)
    rows = [(2 * start, 2 * end, task) for start, end, task in coarse.segments.select("start", "end", "task").rows()]
    same = rows == fine.segments.select("start", "end", "task").rows()
    return Claim(
        "S0-37",
        "Section 3.2.4",
        "The tick rate can be changed.",
        f"Table 1 in ticks of 1 ms and of 0.5 ms: {'the same schedule' if same else 'two schedules'}.",
        verdict(same),
        'The paper has "100 ticks or 10 milliseconds" in one place and ticks of 1 to 1.99 ms in another. Rounded '
        "periods and pseudo wcets depend on the tick.",
        {"same": same},
    )


def _in_half_ticks(system: takt.System) -> takt.System:
    """Write times with units, and halve the tick."""
    tasks = [task.replace(period=f"{task.period}ms", wcet=None if task.wcet is None else f"{task.wcet}ms")
             for task in system.tasks]  # fmt: skip
    return system.replace(tasks=tasks, resolution="0.5ms")
