# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Runs of several task-set files beside one another: tasks of one name are one row.

Left out: servers, resources and changes, which `takt run` shows file by file.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from takt.show.report import Report, TaskRow
from takt.show.text_tables import MAX_LINES, Cell, Clock, Column, Terminal


class FileRun(NamedTuple):
    """The run of a file.

    Args:
        name: that of the file, and of the policy if there are several of a file.
        report: of the run.
    """

    name: str
    report: Report


def print_files(terminal: Terminal, runs: Sequence[FileRun]) -> None:
    """Print the late jobs of each file, and a table with the longest response of each task in each of them.

    Args:
        terminal: where to.
        runs: one for each file and policy.
    """
    clocks = [terminal.clock(run.report.resolution_ns) for run in runs]
    for run, clock in zip(runs, clocks, strict=True):
        report, horizon = run.report, clock.write(run.report.horizon)
        jobs = sum(row.jobs for row in report.rows)
        late = f"{report.missed:,} of {jobs:,} jobs late" if report.missed else f"all {jobs:,} jobs in time"
        if report.missed_requested:
            late += f", {report.missed_requested:,} later than requested,"
        terminal.print(f"{run.name}: {late} in {horizon}, policy {report.policy}", indent=2)
    terminal.print()
    by_name = [{row.task: row for row in run.report.rows} for run in runs]
    names = list(dict.fromkeys(name for rows in by_name for name in rows))
    columns = [Column("task", [Cell(name, "name") for name in names[:MAX_LINES]], "all", "name")]
    for run, rows, clock in zip(runs, by_name, clocks, strict=True):
        columns += _columns(run, [rows.get(name) for name in names[:MAX_LINES]], clock)
    left_out = terminal.print_table(columns)
    if left_out:
        terminal.print(f"Left out: {len(left_out)} columns; --wide prints all.")
    if len(names) > MAX_LINES:
        terminal.print(f"{len(names) - MAX_LINES:,} more tasks are not shown.")


def _columns(run: FileRun, rows: Sequence[TaskRow | None], clock: Clock) -> list[Column]:
    """Return the columns of a file; a task that it does not have has no cells there."""
    cells = {
        "wcet": [Cell("-" if row is None else row.written("wcet", clock)) for row in rows],
        "deadline": [Cell("-" if row is None else row.written("deadline", clock)) for row in rows],
        "worst": [Cell("-" if row is None else clock.write(row.response_max)) for row in rows],
        "late": [Cell("-") if row is None else _late(row.missed) for row in rows],
    }
    importance = {"wcet": 1, "deadline": 2, "worst": 8, "late": 9}
    totals = {"late": _late(run.report.missed)}
    return [
        Column(key, column, totals.get(key, ""), importance=importance[key], group=run.name)
        for key, column in cells.items()
    ]


def _late(count: int) -> Cell:
    return Cell(f"{count:,}", "missed" if count else "number")
