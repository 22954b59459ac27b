# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Input files: read whole, within limits that hold for every reader, so that none takes memory or time without bound.

A file that grows while it is read, such as a device or a pipe, is read up to the same limit. TOML is scanned
before it is parsed, because a parser needs time and memory with the square of the parts of a key.

The name `-` is the standard input, which is read once. A file `examples/...` that is not there is that of the package.
"""

from __future__ import annotations

import codecs
import re
import sys
from collections.abc import Callable
from pathlib import Path

from takt.base import output_files
from takt.base.errors import InputError, Problem, file_error, system_error

MAX_BYTES = 16 * 2**20
"""The most bytes of a file that is read as a whole: task sets in any format, recipes, studies."""

MAX_DEPTH = 32
"""The most parts of a dotted key, and the most tables and arrays inside one another."""

MAX_TABLES = 100_000
"""The most tables of a TOML file, and the most rows of a CSV file."""

MAX_COLUMNS = 1000
"""The most columns of a CSV file, and the most attributes of an element of XML."""

STANDARD_STREAM = "-"
"""The name of the standard input; a file of this name is read by its absolute path."""

_EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
"""Example files in the installed package."""

_BEGINNING = 65_536
"""The bytes that identify the format of a file."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""Byte order marks and their encodings; the mark of UTF-32 begins with that of UTF-16."""

_UNMARKED = (b"", "utf-8")

_PART = r"""(?:[A-Za-z0-9_-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
_DOT = r"[ \t]*+\.[ \t]*+"
_TOKEN = re.compile(
    r'"""(?:[^\\]|\\.)*?"""'
    r"|'''.*?'''"
    r"|#[^\n]*+"
    rf"|(?P<key>{_PART}(?:{_DOT}{_PART})*+)"
    r"|(?P<table>^[ \t]*+\[|\{)"
    r"|(?P<array>\[)"
    r"|(?P<end>[\]}])"
    r"|(?P<broken>[\"'])",
    re.DOTALL | re.MULTILINE,
)
"""What of TOML nests, and the strings and comments in which the same characters mean nothing."""

_PARTS = re.compile(_PART)


def read(path: str | Path, most: int = MAX_BYTES, check: Callable[[bytes], object] = len) -> bytes:
    """Read a file as a whole.

    Args:
        path: the file; "-" is the standard input.
        most: bytes that it may have.
        check: called with some first bytes, all those of a preamble if it is a regular file; what it raises spares
            reading the rest.

    Raises:
        InputError: it cannot be read, or has more than `most` bytes.
    """
    output_files.protect(path)
    try:
        if str(path) == STANDARD_STREAM:
            data = _standard_input(most)
            check(data)
        else:
            with (packaged(path) or Path(path)).open("rb") as file:
                check(file.peek())
                data = file.read(most + 1)
    except ValueError:
        raise file_error(path, "cannot read: not a file name", "cannot-read") from None
    except OSError as error:
        raise system_error("read", path, error) from None
    if len(data) > most:
        message = f"expected at most {most} bytes, found more; split the file"
        raise file_error(path, message, "too-large")
    return data


def packaged(path: str | Path) -> Path | None:
    """Return the example of the package that a name means, None if a file has the name or there is no such example."""
    if Path(path).parts[:1] != (_EXAMPLES.name,) or ".." in Path(path).parts or Path(path).exists():
        return None
    found = _EXAMPLES.parent / path
    return found if found.is_file() else None


def examples() -> dict[str, Path]:
    """Return the examples of the package by their names, such as "iot_node" and "recipes/servers"."""
    # An installer compiles what is Python.
    files = sorted(path for path in _EXAMPLES.rglob("*") if path.is_file() and path.parent.name != "__pycache__")
    return {path.relative_to(_EXAMPLES).as_posix().removesuffix(".toml"): path for path in files}


_read_before: list[tuple[object, bytes]] = []
"""The standard input that was read last, and its bytes: a file that is read again, for a copy of it, is the same."""


def _standard_input(most: int) -> bytes:
    """Return what the standard input has, up to a byte more than it may have."""
    stream = sys.stdin
    if stream is None:
        raise OSError("the standard input is closed")
    if not (_read_before and _read_before[0][0] is stream):
        if stream.isatty():
            print("reading the standard input; Ctrl-D ends it", file=sys.stderr)
        _read_before[:] = [(stream, stream.buffer.read(most + 1))]
    return _read_before[0][1]


def decoded(data: bytes) -> str:
    """Return the text of a file that is read as a whole: UTF-8, or what its first bytes say.

    Raises:
        InputError: it is no such text.
    """
    mark, encoding = _encoding(data)
    try:
        return data[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        message = f"not {encoding.upper()[:6]} text at byte {len(mark) + error.start}"
        raise InputError([Problem(message, "not-utf-8")]) from None


def has_mark(data: bytes) -> bool:
    """True if a file says by its first bytes how its text is encoded."""
    return _encoding(data) != _UNMARKED


def beginning(data: bytes) -> str:
    """Return the first few thousand characters of a file, those that are no text replaced."""
    mark, encoding = _encoding(data)
    return data[len(mark) : _BEGINNING].decode(encoding, errors="replace")


def _encoding(data: bytes) -> tuple[bytes, str]:
    """Return the byte order mark of a file, and its encoding; without a mark one zero of two bytes says UTF-16."""
    marked = next((one for one in _MARKS if data.startswith(one[0])), None)
    zeros = [byte == 0 for byte in data[:2]]
    return marked or ((b"", "utf-16-be" if zeros[0] else "utf-16-le") if sum(zeros) == 1 else _UNMARKED)


def check_toml(path: str | Path, text: str) -> None:
    """Check that TOML is within the limits; the parser finds all other problems.

    Raises:
        InputError: a key has more than MAX_DEPTH parts, values stand in one another deeper than that, or there are more
            than MAX_TABLES tables.
    """
    depth = tables = 0
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        depth += (kind in ("table", "array")) - (kind == "end")
        tables += kind == "table"
        if kind == "broken":  # a text that does not end, where the parser stops
            return
        has_many_dots = kind == "key" and token["key"].count(".") >= MAX_DEPTH
        if depth > MAX_DEPTH or (has_many_dots and len(_PARTS.findall(token["key"])) > MAX_DEPTH):
            raise _beyond(path, text, token.start(), f"keys and values in at most {MAX_DEPTH} levels")
        if tables > MAX_TABLES:
            raise _beyond(path, text, token.start(), f"at most {MAX_TABLES} tables")


def check_count(number: int, most: int, what: str) -> None:
    """Check a number of elements against its limit.

    Raises:
        InputError: there are more than `most`.
    """
    if number > most:
        raise InputError([Problem(f"expected at most {most} {what}, found {number}", "too-large")])


def _beyond(path: str | Path, text: str, place: int, expected: str) -> InputError:
    line = text.count("\n", 0, place) + 1
    return file_error(path, f"line {line}: expected {expected}, found more", "too-large")
