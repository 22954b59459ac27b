#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Writer of the documents with all that follows from C: the tables of fields and of frames, the JSON schemas.

Usage: docs.py [FOLDER]. Writes docs/ to FOLDER, default build/docs, with tables in place of the lines
`<!-- tables of ... -->` and a file NAME.schema.json for each kind of file. It asks the installed package.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

from takt import _core
from takt.command.schema import recipe_schema, study_schema, taskset_schema

ROOT = Path(__file__).resolve().parent.parent

Field = tuple[str, str, str, int, int, str, str, str]


def limit(number: int) -> str:
    """Return a limit as people write it."""
    for bits in (64, 63, 62, 37, 32, 31, 20):
        if number in (2**bits, 2**bits - 1):
            return f"2^{bits}" if number == 2**bits else f"2^{bits} - 1"
    return str(number)


def row_of(field: Field) -> str:
    """Return the row of a field."""
    key, kind, unit, least, most, *_, meaning = field
    is_limited = kind in ("TIME", "COUNT", "KEY", "VALUE", "LENGTH")
    range_ = f"{limit(least)} .. {limit(most)}" if is_limited else ", ".join(unit.split()) if kind == "WORD" else ""
    shown = "" if kind == "WORD" else unit
    return f"| `{key}` | {kind.lower().replace('_', ' ')} | {shown} | {range_} | {meaning} |"


def tables_of_fields() -> str:
    """Return the tables of an image."""
    text = ""
    for name, meaning, fields in _core.fields():
        text += f"\n**{name.lower()}**: {meaning}\n\n| key | kind | unit | range | meaning |\n|---|---|---|---|---|\n"
        text += "\n".join(map(row_of, fields)) + "\n"
    return text


VALUES = {"TIME": "integer", "COUNT": "integer", "NEVER": "integer or null", "FLAG": "boolean", "SHARE": "0 .. 1"}
VALUES |= {"TASK": "name", "RESOURCE": "name", "RUNNER": "names"}
"""What a column of a frame holds, by its kind; of a word, its words."""


def row_of_frame(column: tuple[str, str, str, str]) -> str:
    """Return the row of a column; one of what ran stands for two."""
    name, kind, unit, meaning = column
    shown = "`server`, `task`" if kind == "RUNNER" else f"`{name}`"
    values = ", ".join(f'"{word}"' for word in unit.split(", ")) if kind == "WORD" else VALUES[kind]
    return f"| {shown} | {values} | {'' if kind == 'WORD' else unit} | {meaning} |"


def tables_of_frames() -> str:
    """Return the tables of the frames of a run."""
    text = ""
    for name, option, meaning, columns in _core.frames():
        asked = f" (`{option}=True`)" if option else ""
        text += f"\n**{name}**{asked}: {meaning}\n\n| column | values | unit | meaning |\n|---|---|---|---|\n"
        text += "\n".join(map(row_of_frame, columns)) + "\n"
    return text


TABLES = {
    "trace-format.md": ("<!-- tables of fields -->\n", tables_of_fields),
    "reference/frames.md": ("<!-- tables of frames -->\n", tables_of_frames),
}
"""The documents with tables: the line in whose place they stand, and what makes them."""

SCHEMAS = {"taskset": taskset_schema, "recipe": recipe_schema, "study": study_schema}


def write(folder: Path) -> None:
    """Write the documents."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "docs", folder)
    for name, (line, tables) in TABLES.items():
        before, found, after = (folder / name).read_text(encoding="utf-8").partition(line)
        if not found:
            sys.exit(f"docs: docs/{name} has no line {line.strip()}, in whose place its tables stand")
        (folder / name).write_text(before + tables().lstrip("\n") + after, encoding="utf-8")
    for name, schema in SCHEMAS.items():
        (folder / f"{name}.schema.json").write_text(json.dumps(schema(), indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "docs")
