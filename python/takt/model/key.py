# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Keys of tables as pydantic checks them: a check of the value, and the JSON schema of what passes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import PlainValidator

from takt.base import times
from takt.model import value_checks

TIME_SCHEMA: dict[str, Any] = {
    "anyOf": [
        {"type": "integer", "minimum": 0},
        {"type": "string", "pattern": rf"^ *[0-9]{{1,20}}(\.[0-9]{{1,20}})? ?(ns|[u{times.MICRO}]s|ms|s) *$"},
    ],
}
"""JSON schema of a time: ticks, or a text with a unit."""


@dataclass(frozen=True)
class _Schema:
    """JSON schema of a value; pydantic's own class of this kind imports the writer of schemas."""

    schema: dict[str, Any]

    def __get_pydantic_json_schema__(self, _core_schema: object, _handler: object) -> dict[str, Any]:
        """Return the schema."""
        return self.schema


@dataclass(frozen=True)
class Key:
    """Check of a key's value, and its JSON schema: metadata of pydantic that stands for its two parts.

    Args:
        check: gives back what an author wrote, or raises.
        schema: JSON schema of the values that pass.
    """

    check: Callable[[object], Any]
    schema: Mapping[str, Any]
    __is_annotated_types_grouped_metadata__: ClassVar[bool] = True

    def __iter__(self) -> Iterator[object]:
        """Yield the parts, as the protocol GroupedMetadata of annotated-types requires."""
        yield PlainValidator(self.check)
        yield _Schema(dict(self.schema))

    @property
    def or_none(self) -> Key:
        """The same for a key that may be left out, whose default is None."""
        return Key(value_checks.optional(self.check), self.schema)


def integer(what: str, least: int, most: int) -> Key:
    """Describe a whole number in a range."""
    schema = {"type": "integer", "minimum": least, "maximum": most}
    return Key(value_checks.check_integer(what, least, most), schema)


def word(what: str, names: Iterable[str]) -> Key:
    """Describe a word out of a list."""
    listed = tuple(names)
    return Key(value_checks.check_choice(what, listed), {"enum": list(listed)})


def list_of(schema: Mapping[str, Any], **more: bool) -> dict[str, Any]:
    """Return the JSON schema of a list that is not empty."""
    return {"type": "array", "items": schema, "minItems": 1, **more}


NAME = Key(value_checks.check_name, {"type": "string", "minLength": 1, "maxLength": value_checks.MAX_NAME_LENGTH})
POSITIVE_TIME = Key(value_checks.POSITIVE_TIME, TIME_SCHEMA)
TIME = Key(value_checks.TIME, TIME_SCHEMA)
