# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Task sets of the literature and of other tools, with what is published of them: published/expected.csv.

A row is `known`, or `not yet`: then the remark says what Takt needs for it, and Takt does not give that answer. A row
of which it does becomes `known`.
"""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

import pytest
import takt
from takt.analysis.result import Analysis

FOLDER = Path(__file__).parent / "published"
FILES = sorted(FOLDER.glob("*.toml"))
NOT_READ = "not read"
Row = dict[str, str]


def rows() -> list[Row]:
    with (FOLDER / "expected.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


ROWS = rows()


@cache
def analysed(name: str) -> Analysis | None:
    """Analyse a file; None if it is refused."""
    try:
        system = takt.load(FOLDER / f"{name}.toml")
    except takt.InputError:
        return None
    return takt.analyse(system, sensitivity=False)


def answer(row: Row) -> str:
    """Return Takt's answer in place of the published one."""
    found = analysed(row["file"])
    if found is None:
        return NOT_READ
    if row["task"] == "*":
        return "read" if row["quantity"] == "file" else found.verdict.value
    (bound,) = [bound for bound in found.tasks if bound.task == row["task"]]
    return str(bound.response)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['file']}-{row['task']}-{row['quantity']}")
def test_what_is_published_is_what_takt_says(row: Row) -> None:
    published = row["ticks"] or row["published"]
    if row["state"] == "known":
        assert answer(row) == published
    else:
        assert row["state"] == "not yet"
        assert row["remark"].startswith("needs ")
        assert answer(row) != published, "this row is known now"


def test_every_file_has_a_row_with_its_source() -> None:
    assert {path.stem for path in FILES} == {row["file"] for row in ROWS}
    assert all(row["source"] and row["provenance"] for row in ROWS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_run_contradicts_what_is_said_of_a_published_set(path: Path) -> None:
    found = analysed(path.stem)
    if found is None:
        return
    run = takt.simulate(takt.load(path), segments=False, jobs=False, points=False)
    assert run.missed == 0 or not found.is_schedulable
    seen = dict(run.summary.select("task", "response_max").rows())
    bounds = {bound.task: bound.response for bound in found.tasks if bound.response is not None}
    assert not [task for task, bound in bounds.items() if (seen[task] or 0) > bound]
