# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Edges: tasks that other tasks release, as authors write them.

Source: SPEC.md, 17. An entry of `after` is the name of a task, or an inline table with the keys of Edge.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, ClassVar, NamedTuple

from takt.base.errors import InputError, show
from takt.model import value_checks
from takt.model.distributions import Distribution, check_distribution
from takt.model.input_table import Table
from takt.model.key import NAME, TIME_SCHEMA, Key, integer, list_of, word

ALL, ANY = "all", "any"
ORIGIN = "origin"
REPLACE = "replace"
_MOST = 2**32 - 1
_check_delays = value_checks.check_times(value_checks.TIME, 'times such as ["2ms", "3ms"]')
_EXAMPLE = 'a task such as "sensor", or { task = "sensor", every = 3 }'


def _check_delay(value: object) -> int | str | tuple[int | str, ...] | Distribution:
    """Accept a time, a list that is repeated, or a distribution."""
    if isinstance(value, (dict, Distribution)):
        return check_distribution(value)
    return _check_delays(value) if isinstance(value, (list, tuple)) else value_checks.TIME(value)


_DELAY = Key(_check_delay, {"anyOf": [*TIME_SCHEMA["anyOf"], list_of(TIME_SCHEMA), {"type": "object"}]})
_COUNT = integer("a count", 0, _MOST)
_POSITIVE = integer("a count", 1, _MOST)


class Edge(Table):
    """An edge: events that one task sends to another one.

    Args:
        task: name of the task that sends them: one when each of its jobs completes, or where its body has "release".
        every: of so many events one passes; the others are swallowed.
        first: number of the first event that passes, counted from 1; default: `every`.
        delay: from the sending to the delivery: a time, a list that is repeated, or a distribution. Events do not
            overtake each other.
        limit: how many events may wait, jobs behind the first unfinished one included; default: any number.
        full: what becomes of an event that finds `limit` of them: "drop", or "replace": the oldest one goes instead.
        initial: how many events are delivered at 0, which `every` does not count.

    Raises:
        InputError: a value is not right.

    Example:
        >>> Edge(task="sensor", every=3).first_passing
        3
    """

    table = "after"
    noun = "entry"
    examples: ClassVar[dict[str, str]] = {"task": '"sensor"'}

    task: Annotated[str, NAME]
    every: Annotated[int, _POSITIVE] = 1
    first: Annotated[int | None, _POSITIVE.or_none] = None
    delay: Annotated[Any, _DELAY] = 0
    limit: Annotated[int | None, _COUNT.or_none] = None
    full: Annotated[str, word("word", ("drop", REPLACE))] = "drop"
    initial: Annotated[int, _COUNT] = 0

    @property
    def first_passing(self) -> int:
        """The number of the first event that passes."""
        return self.every if self.first is None else self.first

    def _conflicts(self) -> Iterable[tuple[str, str, str]]:
        if self.full == REPLACE and not self.limit:
            found = "none" if self.limit is None else "limit = 0"
            yield "conflict", "full", f'expected limit = 1 or more with full = "{REPLACE}", found {found}'


class Links(NamedTuple):
    """What a task has of the tasks that release it, and of those that it releases.

    Args:
        period: distance of its arrivals in ticks, rounded down; None: they have none.
        is_whole: whether that is exact.
        is_released: whether other tasks release it.
        is_part: whether the task stands in a part of a machine, where other ends of its edges may be missing.
    """

    period: int | None = None
    is_whole: bool = True
    is_released: bool = False
    is_part: bool = False


NO_LINKS = Links()


def _entry(value: object) -> str | Edge:
    """Accept the name of a task, or the table of an edge."""
    if isinstance(value, Edge):
        return value
    if isinstance(value, str):
        return value_checks.check_name(value)
    if not isinstance(value, dict):
        raise value_checks.refuse("wrong-type", f"expected {_EXAMPLE}, found {show(value)}")
    try:
        return Edge(**{str(key): item for key, item in value.items()})
    except InputError as error:
        problem = error.problems[0]
        raise value_checks.refuse(problem.code, f"{problem.key}: {problem.message}") from None


def check_after(value: object) -> str | Edge | tuple[str | Edge, ...]:
    """Accept an entry, or a list of entries of different tasks."""
    if not isinstance(value, (list, tuple)):
        return _entry(value)
    if not value:
        raise value_checks.refuse("out-of-range", f"expected {_EXAMPLE}, found an empty list")
    entries = tuple(map(_entry, value))
    names = [edge.task for edge in edges_of(entries)]
    for name in dict.fromkeys(names):
        if names.count(name) > 1:
            raise value_checks.refuse(
                "duplicate", f"expected every task once, found {show(name)} {names.count(name)} times"
            )
    return entries


def edges_of(after: str | Edge | Sequence[str | Edge] | None) -> tuple[Edge, ...]:
    """Return the edges of what an author wrote."""
    entries = () if after is None else (after,) if isinstance(after, (str, Edge)) else after
    return tuple(entry if isinstance(entry, Edge) else Edge(task=entry) for entry in entries)


_ENTRY = {
    "anyOf": [
        NAME.schema,
        {
            "type": "object",
            "required": ["task"],
            "additionalProperties": False,
            "properties": {
                "task": NAME.schema,
                "every": _POSITIVE.schema,
                "first": _POSITIVE.schema,
                "delay": _DELAY.schema,
                "limit": _COUNT.schema,
                "full": {"enum": ["drop", REPLACE]},
                "initial": _COUNT.schema,
            },
        },
    ]
}
AFTER = Key(check_after, {"anyOf": [*_ENTRY["anyOf"], list_of(_ENTRY)]})
"""The key `after` of a task."""
