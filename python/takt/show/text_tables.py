# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Parts of tables for people, in a terminal or on a page: times, shares, words, and how many lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from takt.base import times

MAX_LINES = 500
"""How many tasks a table shows; its totals are those of all tasks."""
_UNBOUNDED = 10_000


@dataclass(frozen=True)
class Clock:
    """Writer of ticks for people.

    Args:
        resolution_ns: nanoseconds of a tick.
        unit: the unit to write in.
    """

    resolution_ns: int
    unit: str

    def write(self, ticks: int | Fraction | None) -> str:
        """Write a time; "-" if there is none."""
        return "-" if ticks is None else times.in_unit(ticks, self.resolution_ns, self.unit)

    def count(self, number: int) -> str:
        """Write a number of things."""
        return str(number)


@dataclass(frozen=True)
class Cell:
    """One cell of a table.

    Args:
        text: what it says.
        kind: "name", "number" or "missed".
        sort: what its column is sorted by.
    """

    text: str
    kind: str = "number"
    sort: float | str = ""


def share(value: Fraction) -> str:
    """Write a share of the processor with three decimals, rounded half to even."""
    thousandths = round(value * 1000)
    return f"{thousandths // 1000}.{thousandths % 1000:03}"


def text_table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """Return a table of words."""
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, collapse_padding=True)
    for header in headers:
        table.add_column(header)
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def print_table(console: Console, title: str, table: Table) -> None:
    """Print a table below its title; one that is wider than the terminal is not cut.

    Args:
        console: where to.
        title: one line.
        table: what to print.
    """
    unbounded = console.options.update(max_width=_UNBOUNDED)
    console.width = max(console.width, len(title), Measurement.get(console, unbounded, table).maximum)
    console.print(Text(title, style="bold"))
    console.print(table)
