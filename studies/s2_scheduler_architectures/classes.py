# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Architectures for classes of applications, and the detection of fails (S2, 3.3, 4.2 and 5)."""

from __future__ import annotations

import polars as pl

from studies.common import Claim, Section, Table, total, verdict
from studies.s2_scheduler_architectures.systems import (
    BENCHMARKS,
    BESIDE,
    HORIZON,
    figures,
    platform,
    run_counted,
    system,
)


def run(runs: pl.DataFrame) -> Section:
    """Judge fitness by fails."""
    frame = fitness(runs)
    return Section(
        "Classes of applications",
        "Of each benchmark and scheduler: in how many configurations of I and CS no job fails, and the greatest share "
        "of jobs that fail. The names of the benchmarks stand for classes that the paper does not describe.",
        [_fails_claim(), _fitness_claim(frame)],
        [Table("classes", "Fails by class", frame)],
    )


def fitness(runs: pl.DataFrame) -> pl.DataFrame:
    """Count the configurations without fails, and find the worst."""
    return runs.group_by("benchmark", "scheduler", maintain_order=True).agg(
        configurations=pl.len(),
        without_fails=(pl.col("fails") == 0).sum(),
        worst_share_of_fails=(pl.col("fails") / pl.col("jobs")).max(),
    )


def _fails_claim() -> Claim:
    """Judge how fails are counted."""
    result = run_counted(system(BENCHMARKS["B4-mixed"], platform("SoRTS", 250, 100)), HORIZON)
    fails, missed = figures(result).fails, total(result, "missed")
    dropped, skipped = total(result, "aborted"), total(result, "skipped")
    late = fails - dropped - skipped
    return Claim(
        "S2-05",
        "Section 3.3",
        "A fail process finds the tasks that fail and tells the scheduler.",
        f"B4 in SoRTS with I 250 and CS 100: {fails} fails, of which {dropped} were dropped at an invocation after "
        f"their deadline, {skipped} at their release, and {late} finished late; the summary counts {missed} misses.",
        verdict(fails == missed > 0 and late >= 0),
        numbers={"fails": fails, "missed": missed},
    )


def _fitness_claim(frame: pl.DataFrame) -> Claim:
    """Judge hard and soft."""
    beside = frame.filter(pl.col("scheduler").is_in(BESIDE))
    software = frame.filter(scheduler="SoRTS")
    fit, tried = int(software["without_fails"].sum()), int(software["configurations"].sum())
    is_hard = beside["without_fails"].equals(beside["configurations"])
    worst = software["worst_share_of_fails"].to_list()
    return Claim(
        "S2-14",
        "Sections 4.2 and 5",
        "Co-SoRTS and HaRTS suit hard real time, SoRTS soft real time.",
        f"No job fails beside the processor in any of {int(beside['configurations'].sum())} runs. In SoRTS none fails "
        f"in {fit} of {tried}; at worst {min(worst):.1%} to {max(worst):.1%} of the jobs, by class.",
        verdict(is_hard and 0 < fit < tried, correction=True),
        "SoRTS meets all deadlines of every class but B4 in some runs of each interval, of B4 in few: what suits is a "
        "question of load, CS and interval. Runs of 10 s are no proof, and beside the processor fails come, too, with "
        "CS doubled (below).",
        {"fit": fit, "tried": tried},
    )
