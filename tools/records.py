#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Writer of the tables of docs/trace-format.md and docs/reference/frames.md: fields of an image, frames of a run.

Usage: records.py [--check]. With --check it writes nothing and exits 1 if a table is another. It asks the installed
package.
"""

from __future__ import annotations

import sys
from pathlib import Path

from takt import _core

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs/trace-format.md"
FRAMES = ROOT / "docs/reference/frames.md"
BEGIN, END = "<!-- tables: made by tools/records.py -->\n", "<!-- end of tables -->\n"

Field = tuple[str, str, str, int, int, str, str, str]


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
    return before + BEGIN + made + END + rest.partition(END)[2]


def main(arguments: list[str]) -> int:
    """Writes or compares them."""
    made = {DOCUMENT: document(DOCUMENT, tables()), FRAMES: document(FRAMES, frames())}
    stale = [path for path, text in made.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in stale:
        print(f"{path.relative_to(ROOT)} is not what the tables in C say; run tools/records.py")
        if "--check" not in arguments:
            path.write_text(made[path], encoding="utf-8")
    return int(bool(stale) and "--check" in arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
