# SPDX-License-Identifier: Apache-2.0 OR MIT
"""HTML of records in notebooks. The packages of records are below the one that draws them, so that one registers."""

from __future__ import annotations

from collections.abc import Callable

_draw: Callable[[object], str] | None = None


def draws(function: Callable[[object], str]) -> None:
    """Record the function that returns the HTML of a record."""
    global _draw
    _draw = function


def html_of(record: object) -> str | None:
    """Return the HTML of a record; None, which leaves a notebook its `repr`, if nothing draws records."""
    return None if _draw is None else _draw(record)
