# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The JSON of rt-app: with comments, commas before a bracket, and keys that repeat.

Source: json-c 0.16, with which rt-app reads its files, and workgen of rt-app 1.0, which makes repeated keys unique and
gives a `"suspend"` without a value the name of its thread.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from typing import Any

from takt.base import input_files
from takt.base.errors import InputError, Problem, show

_TEXT = r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)'
_COMMENT = re.compile(rf"{_TEXT}|/\*.*?(?:\*/|\Z)|//[^\n]*", re.DOTALL)
_LOOSE = re.compile(
    rf'(?P<bare>(?<=[{{,])\s*+"suspend\d*+"(?=\s*+[,}}]))|{_TEXT}|(?P<comma>,(?=\s*+[}}\]]))', re.DOTALL
)


class Members(list[tuple[str, Any]]):
    """The members of an object, in the order of the file."""


def parse(data: bytes) -> Members:
    """Read a document.

    Raises:
        InputError: it is no object in JSON.
    """
    text = _COMMENT.sub(_without_comment, input_files.decoded(data))
    try:
        document = json.loads(_LOOSE.sub(_strict, text), object_pairs_hook=Members)
    except json.JSONDecodeError as error:
        raise InputError([Problem(f"line {error.lineno}: not valid JSON: {error.msg}", "syntax")]) from None
    except ValueError:
        raise InputError([Problem("not valid JSON: a number is too long", "syntax")]) from None
    except RecursionError:
        raise InputError([Problem("expected values in fewer levels, found too many", "too-large")]) from None
    if not isinstance(document, Members):
        raise InputError([Problem(f"expected an object with tasks, found {shown(document)}", "wrong-type")])
    return document


def recognizes(data: bytes) -> bool:
    """True if a file is probably an object in JSON."""
    return _COMMENT.sub(_without_comment, input_files.beginning(data)).lstrip().startswith("{")


def shown(value: object) -> str:
    """Show a value of a file on a line."""
    return "an object" if isinstance(value, Members) else "none" if value is None else show(value)


def _without_comment(token: re.Match[str]) -> str:
    """Keep the lines of a comment, and a text as it is."""
    return token[0] if token[0].startswith('"') else "\n" * token[0].count("\n") + " "


def _strict(token: re.Match[str]) -> str:
    """Write what json-c and workgen take as JSON has it."""
    return f'{token[0]}: ""' if token["bare"] else "" if token["comma"] else token[0]


class Object:
    """An object of a file, its place, and the members that were read.

    Args:
        members: what it has.
        place: keys from the root to it, with dots between.
    """

    def __init__(self, members: Members, place: str = "") -> None:
        """Start with no member read."""
        self.members = members
        self.place = place
        self.known: set[str] = set()

    def at(self, key: str) -> str:
        """Return the place of a member."""
        return f"{self.place}.{key}" if self.place else key

    def refuse(self, key: str, expected: str, value: object) -> InputError:
        """Return the error about a member."""
        return InputError([Problem(f"{self.at(key)}: expected {expected}, found {shown(value)}", "wrong-type")])

    def find(self, key: str) -> Any:
        """Return a member, None if there is none.

        Raises:
            InputError: it is there twice.
        """
        self.known.add(key)
        found = [value for name, value in self.members if name == key]
        if len(found) > 1:
            message = f"{self.at(key)}: expected this key once, found it {len(found)} times"
            raise InputError([Problem(message, "duplicate")])
        return found[0] if found else None

    def whole(self, key: str, default: int, least: int, most: int) -> int:
        """Read a whole number within limits."""
        value = self.find(key)
        return default if value is None else self.checked(key, value, least, most)

    def checked(self, key: str, value: object, least: int, most: int) -> int:
        """Accept a whole number within limits."""
        if type(value) is not int or not least <= value <= most:
            raise self.refuse(key, f"a whole number of {least} to {most}", value)
        return value

    def text(self, key: str, default: str) -> str:
        """Read a text."""
        value = self.find(key)
        if value is not None and not isinstance(value, str):
            raise self.refuse(key, "a text", value)
        return value or default

    def flag(self, key: str) -> bool:
        """Read true or false, which is the default."""
        value = self.find(key)
        if value is not None and not isinstance(value, bool):
            raise self.refuse(key, "true or false", value)
        return bool(value)

    def section(self, key: str) -> Object | None:
        """Read an object."""
        value = self.find(key)
        return None if value is None else self.inner(key, value)

    def inner(self, key: str, value: object) -> Object:
        """Accept an object."""
        if not isinstance(value, Members):
            raise self.refuse(key, "an object", value)
        return Object(value, self.at(key))

    def others(self, known: Collection[str] = ()) -> Iterator[tuple[str, Any]]:
        """Yield the members with an effect that no reader has read."""
        for key, value in self.members:
            if key not in self.known and key not in known and value not in (None, False, 0, "", []):
                yield key, value
