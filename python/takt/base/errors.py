# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Errors that people can act on: every problem of an input is one line with its place in it.

The exit statuses of the command line are here too, so that there is one list of them.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from pathlib import Path

_SHOWN_CHARACTERS = 60
_LISTED_CHARACTERS = 600
_MOST_LINES = 50
_ARRAYS = ("task", "server", "resource", "cluster", "change")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


class ExitStatus(IntEnum):
    """Exit statuses of the command line."""

    DONE = 0
    FAILED = 1
    BAD_INPUT = 2
    CHECK_FAILED = 3


@dataclass(frozen=True)
class Problem:
    """One problem of an input.

    Args:
        message: what was expected and what was found, one line.
        code: the kind of problem for programs, such as "unknown-key".
        file: the file it is in, or None for a system made in Python.
        table: the table it is in ("system", "task", "server"), or None for the file itself.
        entity: name of the task or server, None if it has none.
        number: place of the task or server in the file, counted from 1.
        key: the key, or the option of the command line.
    """

    message: str
    code: str
    file: str | None = None
    table: str | None = None
    entity: str | None = None
    number: int | None = None
    key: str | None = None

    def __str__(self) -> str:
        """Return the one line that people read."""
        file = "" if self.file is None else f"{self.file}: "
        key = self.key if self.key is None or _BARE_KEY.fullmatch(self.key) else show(self.key)
        table = "" if self.table is None else f"[[{self.table}]]" if self.table in _ARRAYS else f"[{self.table}]"
        if self.table is not None and self.entity is not None:
            table = f"[[{self.table}]] {show(self.entity)}"
        elif self.table is not None and self.number is not None:
            table = f"[[{self.table}]] number {self.number}"
        place = " ".join(filter(None, (table, key)))
        message = printable(self.message)
        return f"{file}{place}: {message}" if place else f"{file}{message}"

    def __repr__(self) -> str:
        """Return the line, cut where it is long."""
        return f"<Problem {listed([str(self)])}>"


class InputError(Exception):
    """An input that Takt cannot take, with all problems that were found in it.

    Args:
        problems: at least one.
    """

    def __init__(self, problems: Sequence[Problem]) -> None:
        """Keep the problems."""
        super().__init__(lines_of(problems))
        self.problems = tuple(problems)

    def __reduce__(self) -> tuple[type[InputError], tuple[tuple[Problem, ...]]]:
        """Restore an error from another process by its problems, not by their text."""
        return type(self), (self.problems,)

    def in_file(self, path: str | Path) -> InputError:
        """Return the same error with the file named in every problem."""
        return InputError([replace(problem, file=str(path)) for problem in self.problems])


def lines_of(problems: Sequence[Problem]) -> str:
    """Return the lines that people read: the first ones, and how many more there are."""
    more = len(problems) - _MOST_LINES
    shown = [*map(str, problems[:_MOST_LINES]), *([f"... and {more:,} more"] if more > 0 else [])]
    return "\n".join(shown)


class ForkError(RuntimeError):
    """A forked process cannot do this operation; the message gives the remedy."""


class BoardError(Exception):
    """A failure of the board, its tools or the transfer, not of the task set."""


def file_error(path: str | Path, message: str, code: str) -> InputError:
    """Return the error of a file as a whole."""
    return InputError([Problem(message, code, file=str(path))])


def system_error(action: str, path: str | Path, error: OSError) -> InputError:
    """Return the error of a file that the operating system refused; action is "read" or "write"."""
    return file_error(path, f"cannot {action}: {error.strerror or error}", f"cannot-{action}")


def show(value: object) -> str:
    """Show a value from an input as TOML writes it, shortened, on one line."""
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, (list, tuple)):
        return "an array"
    if isinstance(value, (str, bool)):
        return _shorten(printable(json.dumps(value, ensure_ascii=False)))
    if isinstance(value, int) and value.bit_length() > 128:
        return f"a number of {value.bit_length()} bits"
    return _shorten(str(value))


def printable(text: str) -> str:
    """Escape what would break the line or cannot be seen, as JSON does."""
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)


def listed(texts: Sequence[str], between: str = ", ") -> str:
    """Return texts on one line that people read: the first ones, and how many more there are."""
    shown = [_shorten(printable(text)) for text in texts[: _LISTED_CHARACTERS // len(between)]]
    ends = itertools.accumulate(len(text) + len(between) for text in shown)
    count = max(1, sum(end <= _LISTED_CHARACTERS for end in ends))
    more = len(texts) - count
    return between.join(shown[:count]) + (f" and {more} more" if more > 0 else "")


def _shorten(text: str) -> str:
    """Cut a long text in the middle of nowhere, visibly."""
    return text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 3] + "..."
