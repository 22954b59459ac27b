"""Bodies: what a job does, item by item, as authors write it.

Source: SPEC.md, 7.1. An item is a text such as "run 2ms", "point", "optional point" or "suspend 5".
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from takt import catalogue, checks
from takt.errors import show


class Op(IntEnum):
    """What an item does, with core's numbers."""

    RUN = 0
    POINT = 1
    OPTIONAL_POINT = 2
    SUSPEND = 3


class Item(NamedTuple):
    """One item of a body.

    Args:
        op: what it does.
        time: for how long, as it was written; 0 for points.
    """

    op: Op
    time: int | str


_TIMED = {"run": Op.RUN, "suspend": Op.SUSPEND}
_POINTS = {"point": Op.POINT, "optional point": Op.OPTIONAL_POINT}
_LATER = ("lock", "unlock")
_EXAMPLES = '"run 2ms", "point", "optional point" or "suspend 1ms"'


def parse_item(text: object) -> Item:
    """Read one item; a PydanticCustomError says what is wrong with it."""
    if not isinstance(text, str):
        raise checks.refuse("wrong-type", f"expected items such as {_EXAMPLES}, found {show(text)}")
    words = " ".join(text.split())
    if words in _POINTS:
        return Item(_POINTS[words], 0)
    word, _, rest = words.partition(" ")
    if word in _TIMED:
        return Item(_TIMED[word], _time(text, rest))
    if word in _LATER:
        raise checks.refuse("not-yet", f"{show(text)} is not supported by this version yet")
    hint = catalogue.alternatives(words if word not in words.split() else word, [*_TIMED, *_POINTS])
    raise checks.refuse("unknown-word", f"unknown item {show(text)}; {hint}")


def _time(text: str, written: str) -> int | str:
    """Read the time of an item: ticks, or with a unit."""
    if not written:
        raise checks.refuse("missing", f'expected a time after "{text.strip()}", for instance "{text.strip()} 2ms"')
    value = int(written) if written.isascii() and written.isdigit() and len(written) <= 20 else written
    return checks.POSITIVE_TIME(value)


def check_body(value: object) -> tuple[str, ...]:
    """Accept a list of items that begins with anything and ends with a run."""
    if not isinstance(value, (list, tuple)):
        raise checks.refuse("wrong-type", f"expected a list of items such as {_EXAMPLES}, found {show(value)}")
    items = [parse_item(item) for item in value]
    if not items:
        raise checks.refuse("out-of-range", f"expected items such as {_EXAMPLES}, found an empty list")
    if items[-1].op != Op.RUN:
        raise checks.refuse("conflict", f"expected a run as the last item, found {show(value[-1])}; leave it out")
    return tuple(value)


def items_of(body: tuple[str, ...] | None, subjobs: tuple[int | str, ...] | None) -> tuple[Item, ...]:
    """List the items of a task; subjobs are runs with a point between any two."""
    if subjobs is not None:
        runs = [Item(Op.RUN, time) for time in subjobs]
        return tuple(item for run in runs for item in (Item(Op.POINT, 0), run))[1:]
    return tuple(map(parse_item, body or ()))
