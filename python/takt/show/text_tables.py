# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tables and sentences that fit a terminal, and what they are made of: times, shares, words, and how many lines."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby, zip_longest
from typing import TextIO

from takt.base import times

MAX_LINES = 500
"""How many tasks a table shows; its totals are those of all tasks."""


@dataclass(frozen=True)
class Clock:
    """Writer of ticks for people.

    Args:
        resolution_ns: nanoseconds of a tick.
        in_ticks: whether times are numbers of ticks.
    """

    resolution_ns: int
    in_ticks: bool = False

    def write(self, ticks: int | Fraction | None) -> str:
        """Write a time with three digits; "-" if there is none."""
        if ticks is None or self.in_ticks:
            return "-" if ticks is None else f"{float(ticks):.3f}".rstrip("0").rstrip(".")
        return times.for_readers(ticks * self.resolution_ns)

    def in_words(self, ticks: int) -> str:
        """Write a time of a sentence that may be the first: it says what its number counts."""
        return self.write(ticks) + " ticks" * self.in_ticks

    def exactly(self, ticks: int | None) -> str:
        """Write a time that a file states, with all its digits; "-" if there is none."""
        if ticks is None or self.in_ticks:
            return self.write(ticks)
        return times.exactly(ticks * self.resolution_ns)

    def count(self, number: int) -> str:
        """Write a number of things."""
        return f"{number:,}"


@dataclass(frozen=True)
class Cell:
    """One cell of a table.

    Args:
        text: what it says.
        kind: "name", "number", or what is to be seen first: "missed", "open" or "good".
        sort: what its column is sorted by.
    """

    text: str
    kind: str = "number"
    sort: float | str = ""


def share(value: Fraction) -> str:
    """Write a share of the processor with three decimals, rounded half to even."""
    thousandths = round(value * 1000)
    return f"{thousandths // 1000}.{thousandths % 1000:03}"


def percent(value: Fraction | float) -> str:
    """Write a share in percent, with one decimal."""
    return f"{round(Fraction(value) * 1000) / 10:.1f} %"


def shorten(name: str, characters: int) -> str:
    """Cut the middle out of a name that is too long: names differ at their ends.

    Example:
        >>> shorten("temperature_sensor_17", 12)
        'temper\u2026or_17'
    """
    if len(name) <= characters:
        return name
    kept = max(characters - 1, 0)
    return f"{name[: kept - kept // 2]}\u2026{name[len(name) - kept // 2 :]}"


# ---- tables that fit a terminal -----------------------------------------------------------------------

_GAP = "  "
RULE = "\u2500"
_AROUND = 4
"""Columns beside the heading of a group: a space and a piece of a rule at each side."""
_SINGLE = frozenset("\u2013\u2026\u2500")
"""Signs of tables, each as wide as a letter."""
_LEAST = {"name": 16, "text": 20}
"""To how many columns a name is shortened, and a text wrapped, before a column is left out."""
_NARROW, _LEAST_NAME = 60, 10
"""Likewise in a terminal that is narrower than the first."""
_STYLES = {"missed": "1;31", "open": "33", "good": "32", "title": "1"}
_UNBROKEN = re.compile(r"(?<=[0-9]) (?=(?:ns|\u00b5s|ms|s|%|x)\b|%)")
"""The space between a number and its unit."""


@dataclass(frozen=True)
class Column:
    """Column of a table.

    Args:
        heading: one or two words.
        cells: one for each row.
        total: below them.
        kind: "number" stands at the right, "name" at the left, where it may be shortened, and "text", which is wrapped.
        importance: where not all columns fit, those with the least are left out, the rightmost of equals first.
            The first column of a table stays.
        group: heading above that of neighbours with the same one.
    """

    heading: str
    cells: Sequence[Cell | str]
    total: Cell | str = ""
    kind: str = "number"
    importance: int = 0
    group: str = ""

    @property
    def width(self) -> int:
        """Width of the longest line."""
        return max(width_of(text_of(cell)) for cell in (self.heading, self.total, *self.cells))

    def spelled(self, write: Callable[[str], str]) -> Column:
        """Return the column with all its texts written in another way."""

        def cell(each: Cell | str) -> Cell | str:
            return write(each) if isinstance(each, str) else replace(each, text=write(each.text))

        heading, group = write(self.heading), write(self.group)
        cells = [cell(each) for each in self.cells]
        return replace(self, heading=heading, group=group, cells=cells, total=cell(self.total))


def fitting(columns: Sequence[Column], width: int | None) -> list[Column]:
    """Return the columns that fit a width; all if there is none."""
    shown = list(columns)
    while width is not None and len(shown) > 1 and _total(_least(column, width) for column in shown) > width:
        least = min(range(len(shown) - 1, 0, -1), key=lambda place: shown[place].importance)
        del shown[least]
    return shown


def width_of(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    if all(sign < "\u0300" or sign in _SINGLE for sign in text):  # above are combining and wide ones
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


class Terminal:
    """Writer of lines that are no longer than the terminal.

    Args:
        out: where to; default: the standard output.
        width: of the terminal; default: that of the terminal, or of COLUMNS in the environment; 80 elsewhere.
        is_wide: whether tables have all columns, however wide they are.
        in_ticks: whether times are numbers of ticks.
    """

    def __init__(
        self, out: TextIO | None = None, width: int | None = None, *, is_wide: bool = False, in_ticks: bool = False
    ) -> None:
        """Find the width and whether there are colours."""
        self.out = out or sys.stdout
        handler = getattr(self.out, "errors", None) or "strict"  # of signs that the encoding does not have
        self._coding = (self.out.encoding, handler) if handler != "strict" else None
        self.width = width or shutil.get_terminal_size().columns
        self.is_wide = is_wide
        self.in_ticks = in_ticks
        is_watched = self.out.isatty() and os.environ.get("TERM") != "dumb"
        self._has_colour = (is_watched or bool(os.environ.get("FORCE_COLOR"))) and not os.environ.get("NO_COLOR")

    def clock(self, resolution_ns: int) -> Clock:
        """Return the writer of times for a length of a tick."""
        return Clock(resolution_ns, in_ticks=self.in_ticks)

    def print(self, text: str = "", kind: str = "", indent: int = 0) -> None:
        """Print a paragraph, wrapped; a number stays beside its unit.

        Args:
            text: the paragraph.
            kind: that of a cell, or "title".
            indent: of all lines but the first.
        """
        for line in wrapped(self._as_written(text), self.width, indent):
            self._write([(line, kind)])

    def print_table(self, columns: Sequence[Column]) -> list[str]:
        """Print a table and return the headings of the columns that do not fit."""
        written = [each.spelled(self._as_written) for each in columns] if self._coding else list(columns)
        shown = fitting(written, None if self.is_wide else self.width)
        widths = _widths(shown, None if self.is_wide else self.width)
        rule = RULE * _total(widths)
        if any(column.group for column in shown):
            self._write([(_groups(shown, widths), "")])
        self._row([column.heading for column in shown], shown, widths)
        self._write([(rule, "")])
        for cells in zip(*(column.cells for column in shown), strict=True):
            self._row(cells, shown, widths)
        if any(text_of(column.total) for column in shown[1:]):
            self._write([(rule, "")])
            self._row([column.total for column in shown], shown, widths)
        kept = {id(column) for column in shown}
        return [column.heading for column in written if id(column) not in kept]

    def _as_written(self, text: str) -> str:
        """Return a text with what stands for signs that the output does not know, which may be narrower."""
        if self._coding is None or text.isascii():
            return text
        return text.encode(*self._coding).decode(self._coding[0])

    def _row(self, cells: Sequence[Cell | str], columns: Sequence[Column], widths: Sequence[int]) -> None:
        parts = [_lines(cell, column, width) for cell, column, width in zip(cells, columns, widths, strict=True)]
        kinds = [cell.kind if isinstance(cell, Cell) else "" for cell in cells]
        for line in zip_longest(*parts, fillvalue=""):
            pieces = list[tuple[str, str]]()
            for text, kind, column, width in zip(line, kinds, columns, widths, strict=True):
                space = " " * (width - width_of(text))
                before, after = (space, "") if column.kind == "number" else ("", space)
                pieces += [(_GAP * bool(pieces) + before, ""), (text, kind), (after, "")]
            self._write(pieces)

    def _write(self, pieces: Iterable[tuple[str, str]]) -> None:
        """Write the pieces of a line, each with its kind, without the spaces at its end."""
        kept = list(pieces)
        while kept and not kept[-1][0].strip():
            kept.pop()
        line = "".join(
            f"\x1b[{_STYLES[kind]}m{text}\x1b[0m" if self._has_colour and text and kind in _STYLES else text
            for text, kind in kept
        )
        self.out.write(f"{line}\n")


def wrapped(text: str, width: int, indent: int = 0) -> list[str]:
    """Break a text into lines of at most a width, at spaces where there are any, but not before a unit.

    Args:
        text: one or more paragraphs.
        width: of the longest line.
        indent: of all lines but the first one.
    """
    lines = []
    for paragraph in text.split("\n"):
        line, space = "", ""
        for word in _UNBROKEN.sub("\u00a0", paragraph).split(" "):
            if line.strip() and width_of(line + space + word) > width:
                lines.append(line.rstrip())
                line, space = " " * indent, ""
            line, space = line + space + word, " "
            while width_of(line) > width:  # a word that is longer than a line
                end = next(n for n in range(len(line), 0, -1) if n == 1 or width_of(line[:n]) <= width)
                lines.append(line[:end])
                line = " " * min(indent, width // 2) + line[end:]
        lines.append(line.rstrip())
    return [line.replace("\u00a0", " ") for line in lines]


def text_of(cell: Cell | str) -> str:
    """Return what a cell says."""
    return cell if isinstance(cell, str) else cell.text


def _total(widths: Iterable[int]) -> int:
    """Return the width of a line with columns of these widths."""
    widths = list(widths)
    return sum(widths) + len(_GAP) * (len(widths) - 1)


def _least(column: Column, width: int) -> int:
    least = _LEAST.get(column.kind, column.width)
    return min(column.width, _LEAST_NAME if column.kind == "name" and width < _NARROW else least)


def _widths(columns: Sequence[Column], width: int | None) -> list[int]:
    """Return the widths of columns: where they do not fit, the widest names and texts become narrower.

    Where there is room, the first column of a group becomes as wide as the heading of the group needs.
    """
    widths = [column.width for column in columns]
    flexible = [place for place, column in enumerate(columns) if column.kind in _LEAST or place == 0]
    while width is not None and _total(widths) > width:
        widest = max(flexible, key=widths.__getitem__)
        if widths[widest] == 1:
            break
        widths[widest] -= 1
    for group, part in groupby(range(len(columns)), key=lambda place: columns[place].group):
        places = list(part)
        lacking = width_of(group) + _AROUND - _total(widths[place] for place in places) if group else 0
        room = lacking if width is None else width - _total(widths)
        widths[places[0]] += max(min(lacking, room), 0)
    return widths


def _lines(cell: Cell | str, column: Column, width: int) -> list[str]:
    """Return the lines of a cell in a column."""
    text = text_of(cell)
    if width_of(text) <= width:
        return [text]
    return wrapped(text, width) if column.kind == "text" else [_cut(text, width)]


def _cut(text: str, width: int) -> str:
    """Return a text without its middle, if it is wider than a width."""
    return next(short for n in range(max(width, 1), 0, -1) if width_of(short := shorten(text, n)) <= width or n == 1)


def _groups(columns: Sequence[Column], widths: Sequence[int]) -> str:
    """Return the line with the headings of groups, each in the middle of a rule above its columns."""
    parts = []
    places = zip(columns, widths, strict=True)
    for group, part in groupby(places, key=lambda each: each[0].group):
        span = _total(width for _, width in part)
        text = f" {_cut(group, span - _AROUND)} " if group else ""
        around = span - width_of(text)
        left = (around + (span & 1)) // 2
        parts.append(f"{RULE * left}{text}{RULE * (around - left)}" if group else " " * span)
    return _GAP.join(parts).rstrip()


def text_columns(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[Column]:
    """Return the columns of a table of words: names first, then texts."""
    columns = zip(headings, zip(*rows, strict=True), strict=True)
    return [Column(heading, cells, kind="text" if place else "name") for place, (heading, cells) in enumerate(columns)]
