#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Writer of takt.model.records, the records of what core is given. The build runs it on what fields.c has written.

Usage: records.py FIELDS MODULE
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

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

HEAD = '''# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Records of what core is given, a class for each table of system/fields.def. The build writes this file."""

from __future__ import annotations

from dataclasses import dataclass

from takt.model.python_policy import Policy
'''


class Field(NamedTuple):
    """A field of a table, as in system/fields.def."""

    key: str
    kind: str
    unit: str
    initial: str
    meaning: str


class Table(NamedTuple):
    """A table of an image."""

    name: str
    meaning: str
    fields: list[Field]


def tables(text: str) -> list[Table]:
    """Return the tables in the text that fields.c writes."""
    found: list[Table] = []
    for line in text.splitlines():
        key, *parts = line.split("\t")
        if key:
            found[-1].fields.append(Field(key, *parts))
        else:
            name, meaning = parts
            found.append(Table(name, meaning, []))
    return found


def is_attribute(field: Field) -> bool:
    """True if the field is an attribute of its class."""
    return field.kind not in ELSEWHERE and "." not in field.key and field.key != "constant_demand"


def initial_of(field: Field, is_optional: bool) -> str:
    """Return what stands behind the type of an attribute."""
    if field.initial == "required" or (field.kind in NAMED and field.initial != '""'):
        return ""
    if is_optional:
        return " = None"
    if field.kind == "WORD":
        return f' = "{field.unit.split()[int(field.initial)]}"'
    if field.kind == "FLAG":
        return f" = {field.initial != '0'}"
    return f" = {field.initial}"


def explained(field: Field) -> str:
    """Return the line of the docstring that explains an attribute, with its unit."""
    unit = field.unit
    words = f"; {', '.join(unit.split())}" if field.kind == "WORD" else f", in {unit}" if unit else ""
    text = f"{field.key}: {field.meaning}{words}."
    return textwrap.fill(text, 116, initial_indent=" " * 8, subsequent_indent=" " * 12, break_on_hyphens=False)


def class_of(table: Table) -> Iterator[str]:
    """Yield the lines of the class of a table."""
    optional = {field.key for field in table.fields if field.kind == "PRESENCE"}
    attributes = [field for field in table.fields if is_attribute(field)]
    yield from ("", "", "@dataclass(frozen=True, slots=True, kw_only=True)", f"class {CLASSES[table.name]}:")
    yield from (f'    """A row of the table {table.name.lower()}: {table.meaning}.', "", "    Args:")
    yield from (*map(explained, attributes), '    """', "")
    for field in attributes:
        type_ = "str" if (table.name, field.kind) == ("CHANGES", "POLICY") else TYPES.get(field.kind, "int")
        type_ += " | None" if field.key in optional else ""
        yield f"    {field.key}: {type_}{initial_of(field, field.key in optional)}"


def module(fields: str) -> str:
    """Return the module of records for the text that fields.c writes."""
    lines = [line for table in tables(fields) if table.name in CLASSES for line in class_of(table)]
    return HEAD + "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(module(Path(sys.argv[1]).read_text(encoding="utf-8")), encoding="utf-8")
