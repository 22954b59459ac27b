# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The page of a study: every claim beside our result and the verdict, then the experiments. One file, no outside part.

The style is that of the project's report, with what studies need besides.
"""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

import polars as pl

from studies.common.claims import Verdict
from studies.common.study import Study, Table

MAX_ROWS = 24
"""How many rows of a table the page shows; the file has all."""

_TEMPLATES = Path(__file__).parent / "templates"
_CLASSES = {
    Verdict.CONFIRMED: "good",
    Verdict.CORRECTED: "corrected",
    Verdict.CONTRADICTED: "bad",
    Verdict.NOT_TESTABLE: "quiet",
}


def render(study: Study, pictures: Mapping[str, bytes]) -> str:
    """Return the text of the page.

    Args:
        study: what to show.
        pictures: its plots as SVG, by name.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    counts = Counter(claim.verdict for claim in study.claims)
    return environment.get_template("page.html").render(
        study=study,
        css=_style(),
        counts=[(verdict, _CLASSES[verdict], counts[verdict]) for verdict in Verdict],
        classes=_CLASSES,
        pictures={name: _as_address(picture) for name, picture in pictures.items()},
        rows=_rows,
        kinds=_kinds,
    )


def _style() -> str:
    """Read the style of the report and what studies add to it."""
    report = resources.files("takt.show").joinpath("templates", "report.css").read_text(encoding="utf-8")
    return report + (_TEMPLATES / "page.css").read_text(encoding="utf-8")


def _as_address(picture: bytes) -> str:
    """Return an address that contains a picture, so that the page needs no other file."""
    return "data:image/svg+xml;base64," + base64.b64encode(picture).decode("ascii")


def _kinds(table: Table) -> list[tuple[str, str]]:
    """Return the columns of a table with their alignments."""
    columns = zip(table.frame.columns, table.frame.dtypes, strict=True)
    return [(name.replace("_", " "), "name" if kind == pl.String else "number") for name, kind in columns]


def _rows(table: Table) -> list[list[str]]:
    """Write the first rows of a table."""
    return [[_text(value) for value in row] for row in table.frame.head(MAX_ROWS).iter_rows()]


def _text(value: object) -> str:
    """Write a value."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"
    return "" if value is None else f"{value:,}" if isinstance(value, int) else str(value)
