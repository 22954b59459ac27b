# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The fields of an image as core has them; system/fields.def is the table."""

from __future__ import annotations

from typing import NamedTuple

from takt import _core


class Field(NamedTuple):
    """A field: one word of each row of its table.

    Args:
        key: the attribute of a record; with a dot where it is one of a part.
        kind: how a word stands for it, as in system/image.h.
        words: the words of a field of kind WORD, in the order of their numbers; else none.
        least, most: limits of a number.
        initial: what is taken where nothing is said.
        analysis: READ, INERT or UNREAD, as in system/fields.def.
    """

    key: str
    kind: str
    words: tuple[str, ...]
    least: int
    most: int
    initial: str
    analysis: str


class Table(NamedTuple):
    """A table of an image: its name and the fields of a row."""

    name: str
    fields: tuple[Field, ...]


TABLES = tuple(
    Table(
        name,
        tuple(
            Field(key, kind, tuple(unit.split()) if kind == "WORD" else (), least, most, initial, analysis)
            for key, kind, unit, least, most, initial, analysis, _ in rows
        ),
    )
    for name, _, rows in _core.fields()
)
"""All tables, in the order of an image."""


def _fields_of(table: str) -> tuple[Field, ...]:
    return next(each.fields for each in TABLES if each.name == table)


def times(table: str) -> tuple[str, ...]:
    """Return the attributes of a record that are times."""
    return tuple(field.key for field in _fields_of(table) if field.kind == "TIME" and field.key != "constant_demand")


def words(table: str, key: str) -> tuple[str, ...]:
    """Return the words of a field, in the order of core's numbers."""
    return next(field.words for field in _fields_of(table) if field.words and field.key == key)


def initial(table: str, key: str) -> str:
    """Return the value of a key that a file leaves out."""
    return next(field.initial for field in _fields_of(table) if field.key == key)


def most(table: str, key: str) -> int:
    """Return the largest value of a number."""
    return next(field.most for field in _fields_of(table) if field.key == key)
