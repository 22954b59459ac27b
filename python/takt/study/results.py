# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The results of a study: a row for each subject and quantity of each measure, at each point.

The chunks are read one after the other in the order of their numbers, so memory does not grow with the number of task
sets, and the same chunks give the same result to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import polars as pl

from takt.base.errors import show
from takt.study.description import Study
from takt.study.grid import Point
from takt.study.measures import Columns, Measure, Summary

NAMES = ("measure", "subject", "quantity")
FIGURES: dict[str, type[pl.DataType]] = {
    "sets": pl.Int64,
    "accepted": pl.Int64,
    "undecided": pl.Int64,
    "value": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "least": pl.Float64,
    "largest": pl.Float64,
}
"""What is said about each quantity, see statistics.py; what does not apply is null."""


class _Sums:
    """The sums of one measure, at each point."""

    def __init__(self, measure: Measure) -> None:
        self._measure = measure
        self._aspects = list(measure.aspects())
        self._places: dict[str, tuple[Point, list[Summary]]] = {}

    def add(self, point: Point, columns: Columns) -> None:
        place = self._measure.place(point)
        _, sums = self._places.setdefault(repr(place), (place, [aspect.new() for aspect in self._aspects]))
        for aspect, summary in zip(self._aspects, sums, strict=True):
            aspect.add(summary, columns)

    def rows(self) -> Iterator[dict[str, Any]]:
        for place, sums in self._places.values():
            for aspect, summary in zip(self._aspects, sums, strict=True):
                named = {"measure": self._measure.kind, "subject": aspect.subject, "quantity": aspect.quantity}
                yield named | place | summary.row()


def summarise(study: Study, chunks: Iterable[Columns]) -> pl.DataFrame:
    """Return the result.

    Args:
        study: which one.
        chunks: all its chunks, in order.

    Returns:
        Columns measure, subject (a test or a policy), quantity, one for each axis of the grid (null where the measure
        takes its points together), sets, accepted and undecided (of ratios), value (ratio or mean), low and high (its
        interval of 95 percent), least and largest (of what the value is the mean of).
    """
    sums = [_Sums(measure) for measure in study.measures]
    for number, columns in enumerate(chunks):
        for one in sums:
            one.add(study.points[study.point_of(number)], columns)
    rows = [row for one in sums for row in one.rows()]
    axes = dict[str, type[pl.DataType]]()
    for key, kinds in ((key, {type(value) for value in values}) for key, values in study.axes.items()):
        axes[key] = pl.Int64 if kinds == {int} else pl.Float64 if kinds <= {int, float} else pl.String
    names: dict[str, type[pl.DataType]] = dict.fromkeys(NAMES, pl.String)
    schema = names | axes | FIGURES
    for row in rows:
        row |= {key: as_text(row[key]) for key, kind in axes.items() if kind is pl.String and key in row}
    return pl.DataFrame(rows, schema=schema)


def as_text(value: Any) -> str:
    """Write a value of an axis: a text as it is, a list by its parts."""
    if isinstance(value, list):
        return "[" + ", ".join(map(as_text, value)) + "]"
    return value if isinstance(value, str) else show(value)
