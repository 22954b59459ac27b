# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Common base of all tables of a task-set file: they are immutable and know their keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from types import FunctionType
from typing import TYPE_CHECKING, Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from takt.base import one_line
from takt.base.errors import InputError, Problem
from takt.model import catalogue
from takt.model.key import TIME_SCHEMA, Key


class Table(BaseModel):
    """A table of a task-set file: immutable, no unknown keys, all problems in one InputError."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        validate_by_name=True,
        validate_by_alias=True,
        arbitrary_types_allowed=True,
    )

    table: ClassVar[str]
    later_keys: ClassVar[tuple[str, ...]] = ()
    examples: ClassVar[Mapping[str, str]] = {}
    noun: ClassVar[str | None] = None
    other_words: ClassVar[Mapping[str, str]] = {}
    """Words of other tools, and the key that says the same."""

    if not TYPE_CHECKING:

        def __init__(self, /, **values: Any) -> None:
            """Check the keys and keep them."""
            try:
                super().__init__(**values)
            except ValidationError as error:
                raise InputError([self._problem(details, values) for details in error.errors()]) from None
            problems = [
                Problem(message, code, table=self.table, entity=self._entity(getattr(self, "name", None)), key=key)
                for code, key, message in self._conflicts()
            ]
            if problems:
                raise InputError(problems)

    def replace(self, **changes: Any) -> Self:
        """Return a copy with other values of some keys.

        Args:
            changes: keys with their new values.

        Returns:
            The copy, checked like any new one.

        Raises:
            InputError: the changed values are not right.
        """
        values = {name: getattr(self, name) for name in type(self).model_fields}
        return type(self)(**(values | changes))

    def __repr__(self) -> str:
        """Return the table with the keys that differ from their defaults."""
        names = given(self, tuple(type(self).model_fields))
        return one_line.of_values(self, ((name, getattr(self, name)) for name in names))

    __str__ = __repr__

    def __dir__(self) -> list[str]:
        """Return the keys and what users call, without the names of pydantic."""
        classes = [each for each in type(self).__mro__ if issubclass(each, Table) and each is not Table]
        members = ((name, value) for each in classes for name, value in vars(each).items())
        called = {name for name, value in members if isinstance(value, (property, FunctionType))}
        return sorted({*type(self).model_fields, *called, "replace"} - set(dir(BaseModel)))

    @classmethod
    def keys(cls) -> tuple[str, ...]:
        """Return the keys that the table may have, as files write them."""
        return tuple(field.alias or name for name, field in cls.model_fields.items())

    @classmethod
    @cache
    def time_keys(cls) -> tuple[str, ...]:
        """Return the keys whose values are one time each."""
        return tuple(name for name, field in cls.model_fields.items() if _schema(field) is TIME_SCHEMA)

    @classmethod
    def text_keys(cls) -> tuple[str, ...]:
        """Return the keys whose values are texts, as files write them."""
        schemas = ((field.alias or name, _schema(field)) for name, field in cls.model_fields.items())
        return tuple(key for key, schema in schemas if schema.get("type") == "string" or "enum" in schema)

    def times(self) -> Iterable[tuple[str, int | str | None]]:
        """Yield the times of these keys."""
        return [(key, getattr(self, key)) for key in self.time_keys()]

    def _conflicts(self) -> Iterable[tuple[str, str, str]]:
        """Yield the problems between the keys: code, key and message of each."""
        return ()

    @classmethod
    def _entity(cls, name: object) -> str | None:
        """Return the name of what the table describes, None where there is one table of its kind."""
        return name if isinstance(name, str) and cls.table != "system" else None

    @classmethod
    def _problem(cls, details: ErrorDetails, values: Mapping[str, Any]) -> Problem:
        """Return pydantic's error as a problem in one line."""
        key, code = str(details["loc"][0]), details["type"]
        message = details.get("ctx", {}).get("message")
        if message is None and code == "missing":
            message = f"missing; every {cls.noun or cls.table} needs one, for instance {key} = {cls.examples[key]}"
        elif message is None and key in cls.later_keys:
            code, message = "not-yet", "this key is not supported by this version yet"
        elif message is None:
            known = [cls.other_words[key]] if key in cls.other_words else cls.keys()
            code, message = "unknown-key", f"unknown key; {catalogue.alternatives(key, known)}"
        return Problem(str(message), code, table=cls.table, entity=cls._entity(values.get("name")), key=key)


def _schema(field: FieldInfo) -> Mapping[str, Any]:
    """Return the JSON schema of a key's type, empty if it has none."""
    return next((entry.schema for entry in field.metadata if isinstance(entry, Key)), {})


def given(table: Table, keys: Sequence[str]) -> Iterator[str]:
    """Yield the keys that have another value than their default."""
    fields = type(table).model_fields
    yield from (key for key in keys if getattr(table, key) != fields[key].default)
