# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Bodies: the items of a job, as authors write them.

Source: SPEC.md, 7.1. An item is a text such as "run 2ms", "point", "optional point", "suspend 5" or "lock R".
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

from takt.base.errors import show
from takt.model import catalogue, value_checks


class Op(IntEnum):
    """Operations of items, with core's numbers."""

    RUN = 0
    POINT = 1
    OPTIONAL_POINT = 2
    SUSPEND = 3
    LOCK = 4
    UNLOCK = 5
    RELEASE = 6


class Item(NamedTuple):
    """One item of a body.

    Args:
        op: what it does.
        time: for how long, as it was written; 0 for what takes no time.
        resource: what it locks or unlocks.
        task: what it releases.
    """

    op: Op
    time: int | str = 0
    resource: str | None = None
    task: str | None = None


_TIMED = {"run": Op.RUN, "suspend": Op.SUSPEND}
_POINTS = {"point": Op.POINT, "optional point": Op.OPTIONAL_POINT}
_LOCKS = {"lock": Op.LOCK, "unlock": Op.UNLOCK}
_RELEASE = "release"
_EXAMPLES = '"run 2ms", "point", "optional point", "suspend 1ms", "lock R", "unlock R" or "release T"'


def parse_item(text: object) -> Item:
    """Read one item; a PydanticCustomError says what is wrong with it."""
    if not isinstance(text, str):
        raise value_checks.refuse("wrong-type", f"expected items such as {_EXAMPLES}, found {show(text)}")
    words = " ".join(text.split())
    if words in _POINTS:
        return Item(_POINTS[words])
    word, _, rest = words.partition(" ")
    if word in _TIMED:
        return Item(_TIMED[word], _time(text, rest))
    if word in _LOCKS:
        return Item(_LOCKS[word], resource=_name(text, "a resource", "R"))
    if word == _RELEASE:
        return Item(Op.RELEASE, task=_name(text, "a task", "log"))
    hint = catalogue.alternatives(words if word not in words.split() else word, [*_TIMED, *_POINTS, *_LOCKS, _RELEASE])
    raise value_checks.refuse("unknown-word", f"unknown item {show(text)}; {hint}")


def _name(text: str, what: str, example: str) -> str:
    """Read the name in an item."""
    name = text.strip().partition(" ")[2].strip()
    if not name:
        message = f'expected {what} after "{text.strip()}", for instance "{text.strip()} {example}"'
        raise value_checks.refuse("missing", message)
    return value_checks.check_name(name)


def _time(text: str, written: str) -> int | str:
    """Read the time of an item: ticks, or with a unit."""
    if not written:
        raise value_checks.refuse(
            "missing", f'expected a time after "{text.strip()}", for instance "{text.strip()} 2ms"'
        )
    value = int(written) if written.isascii() and written.isdigit() and len(written) <= 20 else written
    return value_checks.POSITIVE_TIME(value)


def check_body(value: object) -> tuple[str, ...]:
    """Accept a list of items that begins with anything and ends with a run, or unlocks and releases after one."""
    if not isinstance(value, (list, tuple)):
        raise value_checks.refuse("wrong-type", f"expected a list of items such as {_EXAMPLES}, found {show(value)}")
    items = [parse_item(item) for item in value]
    if not items:
        raise value_checks.refuse("out-of-range", f"expected items such as {_EXAMPLES}, found an empty list")
    held: list[str] = []
    has_run = False
    for item in items:
        if item.op == Op.RELEASE and not has_run:
            message = f'expected a run before "release {item.task}", with at most locks, points and releases between'
            raise value_checks.refuse("conflict", message)
        has_run = item.op == Op.RUN or (has_run and item.op != Op.SUSPEND)
        name = item.resource or ""
        if item.op == Op.LOCK and name in held:
            raise value_checks.refuse("conflict", f'expected "unlock {name}" before another "lock {name}"')
        if item.op == Op.UNLOCK and held[-1:] != [name]:
            last = f'"unlock {held[-1]}" first' if held else f'"lock {name}" before it'
            raise value_checks.refuse("conflict", f'expected {last}, found "unlock {name}"; sections are nested')
        if item.op == Op.SUSPEND and held:
            message = f'expected "unlock {held[-1]}" before a suspension, found "suspend {item.time}"'
            raise value_checks.refuse("conflict", message)
        held = [*held, name] if item.op == Op.LOCK else held[:-1] if item.op == Op.UNLOCK else held
    if next(item.op for item in reversed(items) if item.op not in (Op.UNLOCK, Op.RELEASE)) != Op.RUN:
        raise value_checks.refuse("conflict", f"expected a run as the last item, found {show(value[-1])}; leave it out")
    return tuple(value)


def parse_section(value: object) -> tuple[int | str, tuple[str, ...]]:
    """Read a run and the resources held in it: "2ms R S", or just a time; an error names the problem."""
    if isinstance(value, int):
        return value_checks.POSITIVE_TIME(value), ()
    text = value if isinstance(value, str) else ""
    time, *held = text.split() or [""]
    if not time or time[0].isalpha():
        raise value_checks.refuse("missing", f'expected a time and what is held, such as "2ms R", found {show(value)}')
    if len(set(held)) < len(held):
        raise value_checks.refuse("conflict", f"expected each resource once, found {show(value)}")
    return _time(text, time), tuple(map(value_checks.check_name, held))


def check_runs(value: object) -> tuple[int | str, ...]:
    """Accept a list of runs, each with the resources held in it."""
    expected = 'expected runs such as ["1ms", "2ms R", "1ms"]'
    if not isinstance(value, (list, tuple)):
        raise value_checks.refuse("wrong-type", f"{expected}, found {show(value)}")
    if not value:
        raise value_checks.refuse("out-of-range", f"{expected}, found an empty list")
    for text in value:
        parse_section(text)
    return tuple(value)


@lru_cache(maxsize=1024)
def items_of(
    body: Sequence[str] | None, subjobs: Sequence[int | str] | None, sections: Sequence[int | str] | None
) -> tuple[Item, ...]:
    """Return the items of a task; subjobs are runs with a point between any two, sections runs that hold resources."""
    if subjobs is not None:
        runs = [Item(Op.RUN, time) for time in subjobs]
        return tuple(item for run in runs for item in (Item(Op.POINT), run))[1:]
    if sections is None:
        return tuple(map(parse_item, body or ()))
    items: list[Item] = []
    before: tuple[str, ...] = ()
    for time, held in [*map(parse_section, sections), (0, ())]:  # between two runs: resources not held in both
        pairs = enumerate(zip(before, held, strict=False))
        common = next((i for i, (one, other) in pairs if one != other), min(len(before), len(held)))
        items += [Item(Op.UNLOCK, resource=name) for name in reversed(before[common:])]
        items += [Item(Op.LOCK, resource=name) for name in held[common:]]
        items += [Item(Op.RUN, time)] if time else []
        before = held
    return tuple(items)
