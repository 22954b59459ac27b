#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Makes what follows from system/fields.def and sim/frames.def: the fields of an image, and the frames of a run.

Usage: records.py [--check]. Writes python/takt/model/records.py and the tables of docs/trace-format.md and
docs/reference/frames.md; with --check it writes nothing and exits 1 if one of them is another. It asks the built
package.
"""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

from format_markdown import formatted
from takt import _core

ROOT = Path(__file__).resolve().parent.parent
RECORDS = ROOT / "python/takt/model/records.py"
DOCUMENT = ROOT / "docs/trace-format.md"
FRAMES = ROOT / "docs/reference/frames.md"
BEGIN, END = "<!-- tables: made by tools/records.py -->\n", "<!-- end of tables -->\n"

CLASSES = {
    "RATES": "ResolvedRates",
    "COSTS": "CostsRecord",
    "ARCHITECTURE": "ResolvedArchitecture",
    "SERVERS": "ServerRecord",
    "TASKS": "TaskRecord",
    "THREADS": "ThreadRecord",
    "RESOURCES": "ResourceRecord",
    "CHANGES": "ChangeRecord",
}
"""The classes of the records, by their tables."""

TYPES = {"FLAG": "bool", "WORD": "str", "POLICY": "str | Policy", "SERVER_KIND": "str", "PROTOCOL": "str"}
TYPES |= {"TASK_PLACE": "int | None"}
ELSEWHERE = {"PRESENCE", "BANDWIDTH", "STREAM", "LENGTH"}
"""Kinds that have no attribute of their own: another field has it, or what is in another table."""

NAMED = {"POLICY", "SERVER_KIND", "PROTOCOL"}
"""Kinds whose initial value is a name, which a file need not write. A record always has it."""

Field = tuple[str, str, str, int, int, str, str, str]

HEAD = '''# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Records of what core is given: made of system/fields.def by tools/records.py, not by hand."""

from __future__ import annotations

from dataclasses import dataclass

from takt.model.python_policy import Policy
'''


def is_attribute(field: Field) -> bool:
    """Says whether a field is an attribute of its class."""
    key, kind, *_ = field
    return kind not in ELSEWHERE and "." not in key and key != "constant_demand"


def initial_of(field: Field, is_optional: bool) -> str:
    """Gives what stands behind the type of an attribute."""
    _, kind, unit, _, _, initial, *_ = field
    if initial == "required" or (kind in NAMED and initial != '""'):
        return ""
    if is_optional:
        return " = None"
    if kind == "WORD":
        return f' = "{unit.split()[int(initial)]}"'
    if kind == "FLAG":
        return f" = {initial != '0'}"
    return f" = {initial}"


def explained(field: Field) -> str:
    """Says what an attribute is, with its unit."""
    key, kind, unit, *_, meaning = field
    words = f"; {', '.join(unit.split())}" if kind == "WORD" else f", in {unit}" if unit else ""
    text = f"{key}: {meaning}{words}."
    return textwrap.fill(text, 116, initial_indent=" " * 8, subsequent_indent=" " * 12, break_on_hyphens=False)


def class_of(table: str, meaning: str, fields: list[Field]) -> str:
    """Makes the class of a table."""
    optional = {key for key, kind, *_ in fields if kind == "PRESENCE"}
    rows = [field for field in fields if is_attribute(field)]
    lines = ["", "", "@dataclass(frozen=True, slots=True, kw_only=True)", f"class {CLASSES[table]}:"]
    lines += [f'    """A row of the table {table.lower()}: {meaning}.', "", "    Args:"]
    lines += [*map(explained, rows), '    """', ""]
    for field in rows:
        key, kind, *_ = field
        type_ = "str" if table == "CHANGES" and kind == "POLICY" else TYPES.get(kind, "int")
        type_ += " | None" if key in optional else ""
        lines.append(f"    {key}: {type_}{initial_of(field, key in optional)}")
    return "\n".join(lines) + "\n"


def records() -> str:
    """Makes the module of records."""
    return HEAD + "".join(class_of(*table) for table in _core.fields() if table[0] in CLASSES)


def limit(number: int) -> str:
    """Writes a limit as people do."""
    for bits in (64, 63, 62, 37, 32, 31, 20):
        if number in (2**bits, 2**bits - 1):
            return f"2^{bits}" if number == 2**bits else f"2^{bits} - 1"
    return str(number)


def row_of(field: Field) -> str:
    """Makes the row of a field."""
    key, kind, unit, least, most, *_, meaning = field
    is_limited = kind in ("TIME", "COUNT", "KEY", "VALUE", "LENGTH")
    range_ = f"{limit(least)} .. {limit(most)}" if is_limited else ", ".join(unit.split()) if kind == "WORD" else ""
    shown = "" if kind == "WORD" else unit
    return f"| `{key}` | {kind.lower().replace('_', ' ')} | {shown} | {range_} | {meaning} |"


def tables() -> str:
    """Makes the tables of the document."""
    text = ""
    for name, meaning, fields in _core.fields():
        text += f"\n**{name.lower()}**: {meaning}\n\n| key | kind | unit | range | meaning |\n|---|---|---|---|---|\n"
        text += "\n".join(map(row_of, fields)) + "\n"
    return text + "\n"


VALUES = {"TIME": "integer", "COUNT": "integer", "NEVER": "integer or null", "FLAG": "boolean", "SHARE": "0 .. 1"}
VALUES |= {"TASK": "name", "RESOURCE": "name", "RUNNER": "names"}
"""What a column of a frame holds, by its kind; of a word, its words."""


def row_of_frame(column: tuple[str, str, str, str]) -> str:
    """Makes the row of a column; one of what ran stands for two."""
    name, kind, unit, meaning = column
    shown = "`server`, `task`" if kind == "RUNNER" else f"`{name}`"
    values = ", ".join(f'"{word}"' for word in unit.split(", ")) if kind == "WORD" else VALUES[kind]
    return f"| {shown} | {values} | {'' if kind == 'WORD' else unit} | {meaning} |"


def frames() -> str:
    """Makes the tables of the frames."""
    text = ""
    for name, option, meaning, columns in _core.frames():
        asked = f" (`{option}=True`)" if option else ""
        text += f"\n**{name}**{asked}: {meaning}\n\n| column | values | unit | meaning |\n|---|---|---|---|\n"
        text += "\n".join(map(row_of_frame, columns)) + "\n"
    return text + "\n"


def document(path: Path, made: str) -> str:
    """Puts tables into a document."""
    before, _, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    return before + BEGIN + formatted(made) + END + rest.partition(END)[2]


def main(arguments: list[str]) -> int:
    """Writes or compares them."""
    made = {RECORDS: records(), DOCUMENT: document(DOCUMENT, tables()), FRAMES: document(FRAMES, frames())}
    stale = [path for path, text in made.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in stale:
        print(f"{path.relative_to(ROOT)} is not what the tables in C say; run tools/records.py")
        if "--check" not in arguments:
            path.write_text(made[path], encoding="utf-8")
    return int(bool(stale) and "--check" in arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
