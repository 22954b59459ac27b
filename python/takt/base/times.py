# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Times as people write them, and ticks.

A time is a whole number of ticks or a text with a unit (ns, us, ms, s; the u of us may be a micro sign or a Greek mu).
Conversions are exact: integers and fractions, no floats.
"""

from __future__ import annotations

import re
from fractions import Fraction

from takt import _core

UNITS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
"""Units that a time can have, in nanoseconds."""

MAX_TICKS = _core.TIME_LIMIT - 1
"""The longest time, in ticks: the sum of two times is still a key."""

UNIT_RULE = "write a number followed by ns, us, ms or s"

MICRO = "\u00b5\u03bc"
"""The signs that stand for the u of us: the micro sign, and the Greek letter that normal form KC makes of it."""

MICROSECONDS = "\u00b5s"
"""Microseconds as readers see them."""

_PATTERN = re.compile(
    rf"(?P<sign>[+-]?)(?P<whole>[0-9]{{1,20}})(?:\.(?P<part>[0-9]{{1,20}}))? ?(?P<unit>[a-zA-Z{MICRO}]+)"
)
_SPELLED = str.maketrans(dict.fromkeys(MICRO, "u"))


def parse(text: str) -> Fraction | None:
    """Read a time with a unit.

    Args:
        text: such as "10ms", "2.5 us" or "-1s".

    Returns:
        Nanoseconds, or None if the text is no time with a unit.
    """
    match = _PATTERN.fullmatch(text.strip(" "))
    unit = match and UNITS.get(spelled(match["unit"]))
    if not match or not unit:
        return None
    return Fraction(f"{match['sign']}{match['whole']}.{match['part'] or '0'}") * unit


def spelled(unit: str) -> str:
    """Return a unit as UNITS spells it."""
    return unit.translate(_SPELLED)


def shown(unit: str) -> str:
    """Return a unit of UNITS as readers see it."""
    return MICROSECONDS if unit == "us" else unit


def unit_of(text: str) -> str:
    """Return the unit in which a time that parse accepts is written, as UNITS spells it."""
    return spelled(text.strip(" ").lstrip("+-0123456789. "))


def to_ticks(value: int | str, resolution_ns: int) -> Fraction:
    """Convert a time that parse accepts, or ticks, to ticks.

    Args:
        value: ticks, or a text with a unit.
        resolution_ns: nanoseconds of a tick.

    Returns:
        Ticks; not whole if the time is no multiple of the resolution.
    """
    if isinstance(value, int):
        return Fraction(value)
    nanoseconds = parse(value)
    if nanoseconds is None:
        raise ValueError(f"no time: {value!r}")
    return nanoseconds / resolution_ns


def written(text: str) -> int | str:
    """Read a value of a command line: a whole number, or the text itself, such as a time with a unit."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 20 else text


def shortest(nanoseconds: int) -> str:
    """Write a whole number of nanoseconds in the coarsest unit in which it is whole."""
    unit = next(unit for unit in reversed(UNITS) if nanoseconds % UNITS[unit] == 0)
    return f"{nanoseconds // UNITS[unit]}{unit}"


def for_readers(nanoseconds: int | Fraction, digits: int = 3) -> str:
    """Write a time for people, such as "4.69 ms": in the coarsest unit in which it is at least 1.

    Where fewer digits say all of the time it has fewer: "500 \u00b5s", "2 ms". Rounded half to even.

    Args:
        nanoseconds: the time.
        digits: significant ones, at most; a whole part is not cut.
    """
    size = abs(Fraction(nanoseconds))
    unit = next((unit for unit in reversed(UNITS) if size >= UNITS[unit]), "ns" if size else "s")
    places, number = _rounded(size / UNITS[unit], digits)
    if number >= 1000 and unit != "s":  # rounded up to the next unit, as 999.96 \u00b5s
        unit = list(UNITS)[list(UNITS).index(unit) + 1]
        places, number = _rounded(number / 1000, digits)
    text = f"{int(number):,}"
    if places:
        text += f".{int(number * 10**places) % 10**places:0{places}}"
        text = text.rstrip("0").rstrip(".") if number * UNITS[unit] == size else text
    return f"{'-' * (nanoseconds < 0 and number > 0)}{text} {shown(unit)}"


def exactly(nanoseconds: int) -> str:
    """Write a time for people with all its digits, in the coarsest unit in which it is at least 1."""
    unit = next((unit for unit in reversed(UNITS) if abs(nanoseconds) >= UNITS[unit]), "s")
    whole, part = divmod(abs(nanoseconds), UNITS[unit])
    decimals = f".{part:0{len(str(UNITS[unit])) - 1}}".rstrip("0") if part else ""
    return f"{'-' * (nanoseconds < 0)}{whole:,}{decimals} {MICROSECONDS if unit == 'us' else unit}"


def _rounded(number: Fraction, digits: int) -> tuple[int, Fraction]:
    """Return how many decimals a number needs for its significant digits, and the number with these."""
    places = max(0, digits - (len(str(int(number))) if number >= 1 else 0))
    rounded = round(number, places)
    places -= places > 0 and len(str(int(rounded))) > max(1, len(str(int(number))))  # 9.996 is 10.0
    return places, Fraction(rounded)


def in_unit(ticks: int | Fraction, resolution_ns: int, unit: str, decimals: int = 3) -> str:
    """Write ticks in a unit for people, rounded half to even and without trailing zeros.

    Args:
        ticks: how many.
        resolution_ns: nanoseconds of a tick.
        unit: one of UNITS.
        decimals: how many at most.
    """
    scaled = round(Fraction(ticks) * resolution_ns / UNITS[unit] * 10**decimals)
    whole, part = divmod(abs(scaled), 10**decimals)
    sign = "-" if scaled < 0 else ""
    return f"{sign}{whole}.{part:0{decimals}}".rstrip("0").rstrip(".") + unit
