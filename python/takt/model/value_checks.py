# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Checks of single values: each takes what an author wrote and gives it back, or says in one line what is wrong.

They are what the keys of the model are made of; a check raises PydanticCustomError, whose type is a code for
programs and whose message is for people.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TypeVar

from pydantic_core import PydanticCustomError

from takt import _core
from takt.base import times
from takt.base.errors import show
from takt.model import catalogue

MAX_PRIORITY = 2**31 - 1
MAX_NAME_LENGTH = 64
MAX_WEIGHT = 2**16 - 1

TIME_RULE = f"{times.UNIT_RULE} in quotes, or a whole number of ticks"

_Checked = TypeVar("_Checked")


def refuse(code: str, message: str) -> PydanticCustomError:
    """Return the error that a check raises; the message is not changed."""
    return PydanticCustomError(code, "{message}", {"message": message})


def check_name(value: object) -> str:
    """Accept a name: a printable text that is not empty."""
    if not isinstance(value, str):
        raise refuse("wrong-type", f'expected a name such as "sensor", found {show(value)}')
    if not value.strip() or not value.isprintable():
        raise refuse("out-of-range", f"expected a name of printable characters, found {show(value)}")
    if len(value) > MAX_NAME_LENGTH:
        raise refuse("out-of-range", f"expected at most {MAX_NAME_LENGTH} characters, found {len(value)}")
    return value


def check_names(value: object) -> tuple[str, ...]:
    """Accept a list of names, at least one, none twice; or the default, an empty tuple."""
    if value == ():
        return ()
    if not isinstance(value, (list, tuple)):
        raise refuse("wrong-type", f'expected names such as ["sensor", "log"], found {show(value)}')
    if not value:
        raise refuse("out-of-range", 'expected names such as ["sensor", "log"], found an empty list')
    names = tuple(map(check_name, value))
    for name, count in Counter(names).items():
        if count > 1:
            raise refuse("duplicate", f"expected every name once, found {show(name)} {count} times")
    return names


def check_time(what: str, least: int) -> Callable[[object], int | str]:
    """Return the check of a time: ticks from `least` on, or a text with a unit.

    Args:
        what: what is expected, with an example.
        least: fewest ticks.
    """

    def check(value: object) -> int | str:
        if isinstance(value, bool) or not isinstance(value, (int, str)):
            raise refuse("wrong-type", f"expected {what}, found {show(value)}; {TIME_RULE}")
        amount = value if isinstance(value, int) else times.parse(value)
        if amount is None:
            raise refuse("wrong-unit", f"expected {what}, found {show(value)}; {TIME_RULE}")
        if amount < 0 or (amount == 0 and least > 0):
            raise refuse("out-of-range", f"expected {what}, found {show(value)}")
        return value

    return check


def check_resolution(value: object) -> str:
    """Accept the length of a tick: a text with a unit, a positive whole number of nanoseconds."""
    nanoseconds = times.parse(value) if isinstance(value, str) else None
    if nanoseconds is None:
        rule = f"{times.UNIT_RULE} in quotes"
        raise refuse("wrong-unit", f'expected a positive time such as "1ms", found {show(value)}; {rule}')
    if nanoseconds <= 0 or nanoseconds.denominator != 1:
        raise refuse("out-of-range", f"expected a positive whole number of nanoseconds, found {show(value)}")
    return str(value)


def check_integer(what: str, least: int, most: int) -> Callable[[object], int]:
    """Return the check of a whole number in a range."""

    def check(value: object) -> int:
        expected = f"expected {what} from {least} to {most}, found {show(value)}"
        if isinstance(value, bool) or not isinstance(value, int):
            raise refuse("wrong-type", expected)
        if not least <= value <= most:
            raise refuse("out-of-range", expected)
        return value

    return check


def check_processors(value: object) -> tuple[int, ...]:
    """Accept a list of processors, at least one, none twice."""
    if not isinstance(value, (list, tuple)) or not value:
        found = "an empty list" if value in ([], ()) else show(value)
        raise refuse("wrong-type", f"expected processors such as [0, 1], found {found}")
    check = check_integer("a processor", 0, _core.CPU_LIMIT - 1)
    processors = tuple(map(check, value))
    if len(set(processors)) < len(processors):
        raise refuse("duplicate", f"expected every processor once, found {list(processors)}")
    return processors


def check_choice(what: str, names: tuple[str, ...]) -> Callable[[object], str]:
    """Return the check of a word out of a list."""

    def check(value: object) -> str:
        if not isinstance(value, str):
            raise refuse("wrong-type", f"expected one of {', '.join(names)}, found {show(value)}")
        if value not in names:
            raise refuse("unknown-word", f"unknown {what} {show(value)}; {catalogue.alternatives(value, names)}")
        return value

    return check


def optional(check: Callable[[object], _Checked]) -> Callable[[object], _Checked | None]:
    """Return a check that also accepts None, the default of a key that may be left out."""
    return lambda value: None if value is None else check(value)


def check_times(check: Callable[[object], int | str], what: str) -> Callable[[object], tuple[int | str, ...]]:
    """Return the check of a list of times, at least one, each of which passes a check."""

    def check_all(value: object) -> tuple[int | str, ...]:
        if not isinstance(value, (list, tuple)):
            raise refuse("wrong-type", f"expected {what}, found {show(value)}")
        if not value:
            raise refuse("out-of-range", f"expected {what}, found an empty list")
        return tuple(map(check, value))

    return check_all


def check_number(what: str) -> Callable[[object], float]:
    """Return the check of a positive number without a unit."""

    def check(value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise refuse("wrong-type", f"expected {what}, found {show(value)}")
        if not 0 < value < 2**62:
            raise refuse("out-of-range", f"expected {what}, found {show(value)}")
        return float(value)

    return check


def check_threshold(value: object) -> int | str:
    """Accept a priority, or the name of a task."""
    if isinstance(value, str):
        return check_name(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise refuse("wrong-type", f"expected a priority or the name of a task, found {show(value)}")
    return check_integer("a priority", 0, MAX_PRIORITY)(value)


MISSING_DEADLINE = 'missing; a task without period or min_separation needs one, for instance deadline = "10ms"'
POSITIVE_TIME = check_time('a positive time such as "10ms"', 1)
TIME = check_time('a time of 0 or more such as "5ms"', 0)
