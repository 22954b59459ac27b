# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Axes of a grid, and its points.

An axis is a key of the recipe with the values that it takes. A range is stepped in decimals, as it is written, so that
0.1 .. 0.9 in steps of 0.1 has nine values and none of them is 0.30000000000000004.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from math import prod
from typing import Any

from takt.base.errors import InputError, Problem, show

MAX_VALUES = 100_000
"""The most values of one axis, and the most points of a grid."""

_RANGE = ("from", "to", "step")

Axes = Mapping[str, Sequence[Any]]
"""Keys of the recipe with their values, in the order of the file."""

Point = dict[str, Any]
"""One value for each axis."""


def axes_of(table: Mapping[str, object]) -> dict[str, list[Any]]:
    """Read the table [grid].

    Args:
        table: for each key a list of values, or a range { from, to, step }.

    Raises:
        InputError: an axis is neither, has no values or one twice, or there are more than MAX_VALUES points.
    """
    axes, problems = {}, []
    for key, written in table.items():
        try:
            axes[key] = _values(written)
        except ValueError as error:
            problems.append(_problem(key, str(error)))
    if not problems and prod(map(len, axes.values())) > MAX_VALUES:
        problems.append(_problem(None, f"expected at most {MAX_VALUES} points, found {prod(map(len, axes.values()))}"))
    if problems:
        raise InputError(problems)
    return axes


def points_of(axes: Axes) -> Iterator[Point]:
    """Yield the points of a grid; the last axis changes fastest."""
    for values in itertools.product(*axes.values()):
        yield dict(zip(axes, values, strict=True))


def name_of(point: Point) -> str:
    """Return the name of a point for people."""
    return ", ".join(f"{key} = {show(value)}" for key, value in point.items()) or "the only point"


def _problem(key: str | None, message: str) -> Problem:
    return Problem(message, "out-of-range", table="grid", key=key)


def _values(written: object) -> list[Any]:
    if isinstance(written, dict):
        return _stepped(written)
    if not isinstance(written, list) or not written:
        raise ValueError(f"expected a list of values, or {{ from, to, step }}, found {show(written)}")
    if len(written) > MAX_VALUES:
        raise ValueError(f"expected at most {MAX_VALUES} values, found more")
    seen = set()
    for value in written:
        key = repr(value) if isinstance(value, (dict, list)) else value
        if key in seen:
            raise ValueError(f"expected every value once, found {show(value)} again")
        seen.add(key)
    return written


def _stepped(written: Mapping[str, object]) -> list[Any]:
    """Return the values of a range; the end is one of them if a step reaches it."""
    if set(written) != set(_RANGE):
        raise ValueError(f"expected from, to and step, found {', '.join(written) or 'nothing'}")
    for key in _RANGE:
        if isinstance(written[key], bool) or not isinstance(written[key], (int, float)):
            raise ValueError(f"expected a number as {key}, found {show(written[key])}")
    first, last, step = (Decimal(repr(written[key])) for key in _RANGE)
    if not (step.is_finite() and first.is_finite() and last.is_finite() and step > 0 and first <= last):
        raise ValueError(f"expected from <= to and step > 0, found {first}, {last} and {step}")
    if (last - first) / step >= MAX_VALUES:
        raise ValueError(f"expected at most {MAX_VALUES} values, found more")
    is_whole = all(isinstance(written[key], int) for key in _RANGE)
    count = int((last - first) / step) + 1
    return [int(first + place * step) if is_whole else float(first + place * step) for place in range(count)]
