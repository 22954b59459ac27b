# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Headers of traces, taken apart and put together: the words of the image by table, row and key, and the names."""

from __future__ import annotations

import json
import struct
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import takt
from takt import _core
from takt.command import main
from takt.model.fields import TABLES, Field
from typer.testing import CliRunner

PREAMBLE = struct.Struct("<8sHHI")
RECORD = struct.Struct("<QQIIBBHI")
COUNTS_AT = 3

Change = Callable[["Header"], None]


@dataclass
class Header:
    """A header: the words of its image, and what is JSON behind it."""

    words: array[int]
    names: Any

    def begin(self, table: str) -> int:
        """Return where the words of a table begin."""
        names = [name for name, _ in TABLES]
        at = COUNTS_AT + len(TABLES)
        for number in range(names.index(table)):
            at += self.words[COUNTS_AT + number] * len(TABLES[number].fields)
        return at

    def place(self, table: str, row: int, key: str) -> tuple[int, Field]:
        """Return the place of a word, and its field; of fields of one key the last one, or with a "?" the first one."""
        fields = next(fields for name, fields in TABLES if name == table)
        places = [place for place, field in enumerate(fields) if field.key == key.removesuffix("?")]
        found = min(places) if key.endswith("?") else max(places)
        return self.begin(table) + row * len(fields) + found, fields[found]

    def resize(self, table: str, rows: int) -> None:
        """Append rows of least values to a table; below 0 cut rows off its end."""
        number = [name for name, _ in TABLES].index(table)
        fields = TABLES[number].fields
        end = self.begin(table) + self.words[COUNTS_AT + number] * len(fields)
        self.words[end + min(rows, 0) * len(fields) : end] = array("Q", [field.least for field in fields] * rows)
        self.words[COUNTS_AT + number] += rows
        self.words[2] = len(self.words)

    def set(self, table: str, row: int, key: str, value: int | str) -> None:
        """Give a field another value: a number, one of its words, or the name of a policy, kind or protocol."""
        at, field = self.place(table, row, key)
        if isinstance(value, str):
            value = field.words.index(value) if field.words else _core.name_hash(value)
        self.words[at] = value

    def to_bytes(self) -> bytes:
        """All that stands before the records."""
        header = self.words.tobytes() + json.dumps(self.names).encode()
        start = PREAMBLE.pack(b"TAKTTRC\0", 8, 32, len(header)) + header
        return start + bytes(-len(start) % 32)


def header_of(path: Path) -> Header:
    """The header of a trace."""
    data = path.read_bytes()
    length = PREAMBLE.unpack_from(data)[3]
    header = data[PREAMBLE.size : PREAMBLE.size + length]
    size = 8 * int.from_bytes(header[16:24], "little")
    return Header(array("Q", header[:size]), json.loads(header[size:]))


def begin_of_records(data: bytes) -> int:
    """Return where the records of a trace begin."""
    length: int = PREAMBLE.unpack_from(data)[3]
    return (PREAMBLE.size + length + 31) // 32 * 32


def records_of(path: Path) -> list[list[int]]:
    """The records of a trace before the closing one, as their fields."""
    data = path.read_bytes()
    return [list(record) for record in RECORD.iter_unpack(data[begin_of_records(data) :])][:-1]


def closing(count: int) -> bytes:
    """The record that ends a trace of so many records."""
    return RECORD.pack(60, count, 2**32 - 1, 0, 27, 0, 0, 0)


def rewrite(path: Path, header: Header | None = None, records: list[list[int]] | None = None) -> None:
    """Give a trace another header or other records."""
    rows = records_of(path) if records is None else records
    body = b"".join(RECORD.pack(*row) for row in rows) + closing(len(rows))
    path.write_bytes((header or header_of(path)).to_bytes() + body)


def status_and_lines(path: Path) -> tuple[int, list[str]]:
    """Return the status of the command on a trace, and the lines of both outputs."""
    result = CliRunner().invoke(main.app, ["replay", str(path)])
    return result.exit_code, result.output.splitlines()


def refusal(path: Path) -> str:
    """Return the message about a trace that is refused, without its path."""
    with pytest.raises(takt.InputError) as caught:
        takt.replay(path)
    (problem,) = caught.value.problems
    assert problem.file == str(path)
    return problem.message


def having(value: int | str, table: str, row: int, key: str) -> Change:
    """Replace one value of an image."""
    return lambda header: header.set(table, row, key, value)


def named(value: object, key: str) -> Change:
    """Replace what stands behind the image."""
    return lambda header: header.names.update({key: value})


def without(key: str) -> Change:
    """Drop what stands behind the image."""
    return lambda header: header.names.pop(key)


def refusal_of_header(path: Path, system: takt.System, change: Change) -> str:
    """Return the message about a trace of a system whose header is changed."""
    takt.simulate(system, 20, trace=path)
    return refusal_of_changed(path, change)


def refusal_of_changed(path: Path, change: Change) -> str:
    """Return the message about a trace whose header is changed."""
    header = header_of(path)
    change(header)
    rewrite(path, header=header)
    message = refusal(path)
    assert message.startswith("damaged trace: its header is not right: ")
    return message.removeprefix("damaged trace: its header is not right: ")
