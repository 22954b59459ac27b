# SPDX-License-Identifier: Apache-2.0 OR MIT
"""`make docs` writes what is not in git: each field, each column of a frame and each JSON schema."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import takt
from places import ROOT
from takt import _core
from takt.command.schema import recipe_schema, study_schema, taskset_schema


@pytest.fixture(scope="module")
def docs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the documents to a folder."""
    folder = tmp_path_factory.mktemp("docs") / "docs"
    subprocess.run([sys.executable, ROOT / "tools/docs.py", folder], check=True, timeout=120)
    return folder


def first_cells(path: Path) -> list[list[str]]:
    """Return the names in the first cells of each table of a document."""
    tables = re.findall(r"(?<=\|\n)(?:\| `.*\|\n)+", path.read_text(encoding="utf-8"))
    return [re.findall(r"^\| `(\w[\w.]*)`", table, re.MULTILINE) for table in tables]


def test_the_trace_format_has_a_row_for_each_field(docs: Path) -> None:
    written = first_cells(docs / "trace-format.md")
    assert [fields for _, _, fields in _core.fields() if [key for key, *_ in fields] not in written] == []


def test_frames_have_a_row_for_each_column(docs: Path) -> None:
    written = first_cells(docs / "reference" / "frames.md")
    kinds = [[("server" if kind == "RUNNER" else name) for name, kind, *_ in rows] for *_, rows in _core.frames()]
    assert [names for names in kinds if names not in written] == []


def test_a_schema_is_there_for_each_kind_of_file(docs: Path) -> None:
    schemas = {"taskset": taskset_schema, "recipe": recipe_schema, "study": study_schema}
    written = {path.name.removesuffix(".schema.json"): json.loads(path.read_text()) for path in docs.glob("*.json")}
    assert written == {name: schema() for name, schema in schemas.items()}


def test_a_schema_lists_what_the_tables_of_core_have() -> None:
    text = json.dumps(taskset_schema())
    names = [row.name for row in takt.policies()] + [row.name for row in takt.server_kinds()] + _core.protocols()
    assert [name for name in names if f'"{name}"' not in text] == []
