# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The result of a study on the terminal: a table for each quantity, a row for each point."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl
from rich.console import Console

from takt.show.text_tables import print_table, text_table
from takt.study.description import Study
from takt.study.results import as_text
from takt.study.statistics import CONFIDENCE

MAX_ROWS = 500
"""Of more rows the first are shown; the files have all."""

_DECIMALS = 3


def print_result(console: Console, study: Study, result: pl.DataFrame) -> None:
    """Print the tables of a result.

    Args:
        console: where to.
        study: which one.
        result: what run found.
    """
    tables = result.group_by("measure", "quantity", maintain_order=True)
    for number, ((_, quantity), rows) in enumerate(tables):
        if number > 0:
            console.print()
        _print_quantity(console, f"{study.name}: {quantity}", study, rows)


def _print_quantity(console: Console, title: str, study: Study, rows: pl.DataFrame) -> None:
    """Print one table, and below it the precision of its numbers."""
    axes = [key for key in study.axes if rows[key].is_not_null().any()]
    subjects = rows["subject"].unique(maintain_order=True).to_list()
    points = rows.partition_by(axes, maintain_order=True) if axes else [rows]
    lines = [[*(as_text(part[axis][0]) for axis in axes), *_cells(part, subjects)] for part in points]
    print_table(console, title, text_table((*axes, *subjects), lines[:MAX_ROWS]))
    for note in _notes(rows, len(lines)):
        console.print(note, soft_wrap=True, highlight=False)


def _cells(rows: pl.DataFrame, subjects: list[str]) -> Iterator[str]:
    """Write the value of each subject; undecided task sets stand behind it."""
    by_subject = {row["subject"]: row for row in rows.iter_rows(named=True)}
    return (_cell(by_subject[subject]) for subject in subjects)


def _cell(row: dict[str, Any]) -> str:
    """Write one value."""
    value = "-" if row["value"] is None else f"{row['value']:.{_DECIMALS}f}"
    return f"{value} ({row['undecided']} undecided)" if row["undecided"] else value


def _notes(rows: pl.DataFrame, lines: int) -> Iterator[str]:
    """Yield how many task sets the values come from, and how inexact they may be."""
    sets = rows["sets"].to_list()
    yield f"task sets behind each value: {sets[0] if len(set(sets)) == 1 else f'{min(sets)} to {max(sets)}'}"
    widths = (rows["high"] - rows["low"]).drop_nulls().to_list()
    if widths:
        yield f"widest interval of {CONFIDENCE:.0%}: {max(widths):.{_DECIMALS}f}"
    if lines > MAX_ROWS:
        yield f"{lines - MAX_ROWS} more rows are in the files"
