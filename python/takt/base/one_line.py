# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Records at a prompt: one line of at most 400 characters, however much a record holds."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable
from dataclasses import MISSING, fields
from typing import Any

from takt.base.errors import printable

MOST = 400
"""Characters of a line."""

_CUT = "\u2026"
_VALUES = reprlib.Repr()
_VALUES.maxtuple = _VALUES.maxlist = _VALUES.maxdict = 3
_VALUES.maxstring = _VALUES.maxother = 80


def sentence(record: object, text: str) -> str:
    """Return what a record is, and its main fact; the end of a long text is cut.

    Args:
        record: what it is about.
        text: the fact.
    """
    line = printable(f"<{type(record).__name__} {text}")
    return f"{line}>" if len(line) < MOST else f"{line[: MOST - 2]}{_CUT}>"


def of_values(record: object, values: Iterable[tuple[str, object]]) -> str:
    """Return a record as it is made in Python, with as many of its values as there is room for.

    Args:
        record: what it is about.
        values: names of its parts, and what they are.
    """
    line, between = f"{type(record).__name__}(", ""
    for name, value in values:
        part = f"{between}{name}={_VALUES.repr(value)}"
        if len(line) + len(part) > MOST - len(f", {_CUT})"):
            return f"{line}{between}{_CUT})"
        line, between = line + part, ", "
    return f"{line})"


def of_fields(record: Any) -> str:
    """Return a dataclass with the values that differ from their defaults: the `__repr__` of records."""
    shown = (field for field in fields(record) if field.repr)
    pairs = ((field, getattr(record, field.name)) for field in shown)
    return of_values(record, ((field.name, value) for field, value in pairs if not _is_default(value, field.default)))


def _is_default(value: object, default: object) -> bool:
    """True if a value says no more than its default does; values of other types, such as arrays, are not compared."""
    return default is not MISSING and type(value) is type(default) and bool(value == default)
