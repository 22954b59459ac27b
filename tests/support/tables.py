# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tables of tests as data: tests/cases/tables, each the rows of one test."""

from __future__ import annotations

import tomllib
from typing import Any

from places import CASES


def read_table(name: str) -> dict[str, Any]:
    """Read a table of names and what belongs to each."""
    return tomllib.loads((CASES / "tables" / f"{name}.toml").read_text(encoding="utf-8"))


def read_rows(name: str) -> list[tuple[Any, ...]]:
    """Read a table of rows."""
    return [tuple(row) for row in read_table(name)["rows"]]
