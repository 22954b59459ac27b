# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Schedules as studies compare them: segments without job numbers, golden files, sums over tasks."""

from __future__ import annotations

import csv
from pathlib import Path

import polars as pl
import takt

GOLDEN = Path(__file__).parents[2] / "tests" / "golden"

Segments = list[tuple[int, int, str, str]]


def golden(name: str) -> list[dict[str, str]]:
    """Read the rows of a golden file."""
    with (GOLDEN / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def merged(segments: pl.DataFrame) -> Segments:
    """Return start, end, server and task as the golden files do: neighbours merged across jobs."""
    rows: Segments = []
    for start, end, server, task in segments.select("start", "end", "server", "task").iter_rows():
        if rows and rows[-1][1:] == (start, server, task):
            start = rows.pop()[0]
        rows.append((start, end, server, task))
    return rows


def total(result: takt.Result, column: str) -> int:
    """Add up a column of the summary."""
    return int(result.summary[column].sum())
