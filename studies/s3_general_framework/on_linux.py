# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Figures 4 to 6 under Linux: what the scheduler takes in the kernel, by the number of tasks (S3, 6.2).

linux/bench/papers.py measured linux.csv in the emulated Linux, which needs minutes; it is read here.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from studies.common import Section, Table
from studies.s3_general_framework.on_the_board import PAPER_US

CHECKS = "switch"
"""Records the kernel's switches for checks; it is no part of the scheduler."""


def run() -> Section:
    """Show what was measured."""
    measured = calls()
    return Section(
        "Under Linux (Figures 4 to 6)",
        "Core in the kernel of the emulated Linux 6.18.15, without other load; times are those that the kernel counts "
        "for its programs, at 4 ns an instruction. Tasks take turns: a job each 1,007 us, with one wake and one end. "
        "The single module is rate-monotonic; in the framework an allocator gives each job its budget besides. Both "
        "are in the kernel, so nothing is switched to and nothing copied between the parts. The paper has "
        f"{PAPER_US['dispatcher']} us for a call of the dispatcher, {PAPER_US['allocator']} us for one of the "
        f"allocator and {PAPER_US['single module']} us for one of a single module, on another machine. "
        "`linux/bench/papers.py framework` measures again.",
        [],
        [
            Table("linux_jobs", "Time of all programs for each job, in us", by_job(measured)),
            Table("linux_programs", "Mean time of a call of each program with ten tasks, in us", by_program(measured)),
        ],
    )


def calls() -> pl.DataFrame:
    """Read the calls and the time of each program, by scheduler and number of tasks."""
    return pl.read_csv(Path(__file__).with_name("linux.csv")).filter(pl.col("program") != CHECKS)


def by_job(measured: pl.DataFrame) -> pl.DataFrame:
    """Return the time for each job, and how much more the framework takes."""
    times = measured.group_by("tasks", "scheduler").agg(us=pl.col("ns").sum() / pl.col("jobs").first() / 1000)
    table = times.pivot("scheduler", index="tasks", values="us").sort("tasks")
    table = table.select("tasks", "single module", "framework")
    return table.with_columns(ratio=pl.col("framework") / pl.col("single module")).with_columns(
        pl.exclude("tasks").round(2)
    )


def by_program(measured: pl.DataFrame) -> pl.DataFrame:
    """Return the mean of a call with ten tasks, of the programs that each job has."""
    of = measured.filter(pl.col("tasks") == 10, pl.col("calls") >= pl.col("jobs"))
    means = of.with_columns(us=(pl.col("ns") / pl.col("calls") / 1000).round(2))
    return means.pivot("scheduler", index="program", values="us")
