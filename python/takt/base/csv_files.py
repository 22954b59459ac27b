# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Cells of CSV files that spreadsheets show and never execute, and frames written with them.

A spreadsheet takes a text that begins with = + - @, a tab or a carriage return for a formula, and a task's name may
begin so. Such a cell gets an apostrophe before it, which makes it no formula. A text that has apostrophes before such
a sign already gets one more, so that taking one away always gives the text back. Numbers stay: -1 is no formula.

When not to use it: for files that other programs parse and that hold no names.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from takt.base.output_files import replacing

if TYPE_CHECKING:
    import polars as pl

_LEADS = "=+\\-@\t\r\uff1d\uff0b\uff0d\uff20"
"""How a formula begins; the last four are the wide forms, which some spreadsheets take for the same."""

_FORMULA = f"'*[{_LEADS}]"
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?")
_GUARDED = re.compile(f"'{_FORMULA}")


def guarded(text: str) -> str:
    """Return a text as a cell that no spreadsheet executes.

    Example:
        >>> guarded("=1+1"), guarded("-1"), guarded("control")
        ("'=1+1", '-1', 'control')
    """
    return f"'{text}" if re.match(_FORMULA, text) and not _NUMBER.fullmatch(text) else text


def unguarded(cell: str) -> str:
    """Return the text of a cell from guarded()."""
    return cell[1:] if _GUARDED.match(cell) else cell


def write(path: str | Path, frame: pl.DataFrame, *, is_own: bool = False) -> None:
    """Write a frame; texts and headings are guarded.

    Args:
        path: the file; what is there is replaced.
        frame: what it is to hold.
        is_own: as for output_files.replacing.

    Raises:
        InputError: the file cannot be written.
    """
    import polars as pl

    texts = []
    for column in (frame[name] for name, kind in frame.schema.items() if kind == pl.String):
        values = column.unique()  # each different one is guarded once
        formulas = values.filter(values.str.contains(f"^{_FORMULA}")).to_list()
        plain = dict(zip(formulas, map(guarded, formulas), strict=True))
        texts.append(column.replace(plain) if formulas else column)
    safe = frame.with_columns(texts).rename({name: guarded(name) for name in frame.columns})
    with replacing(path, is_own=is_own) as file:
        safe.write_csv(file)
