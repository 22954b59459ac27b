# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The clock of an emulated processor: how many instructions it executes in a second.

An emulator's instruction takes 2^N ns of its own time, so only few speeds are possible there. Any other one is reached
by the scale between the file's time and the emulator's: at twice the instructions a second, a millisecond of the file
is two of the emulator. Cores, timers and program are the same; the tick of the board stands for less time.

When not to use it: for cycles of silicon, which takes several for some instructions and waits for its memory.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from takt.base import times
from takt.base.errors import InputError, Problem, show

_UNITS = {"hz": 1, "khz": 1_000, "mhz": 1_000_000, "ghz": 1_000_000_000}
_LEAST, _MOST = 1_000_000, 1_000_000_000
_PATTERN = re.compile(r"(?P<number>[0-9]{1,12}(?:\.[0-9]{1,9})?) ?(?P<unit>[kmg]?hz)", re.IGNORECASE)


def parse(text: str) -> Fraction:
    """Read a clock.

    Args:
        text: such as "168MHz".

    Returns:
        Hertz.

    Raises:
        InputError: it is none, or a slower or a faster one than the emulator keeps.
    """
    found = _PATTERN.fullmatch(text.strip())
    hertz = Fraction(found["number"]) * _UNITS[found["unit"].lower()] if found else None
    if hertz is None:
        message = f"expected a clock such as 168MHz, found {show(text)}"
        raise InputError([Problem(message, "bad-value", key="--clock")])
    if not _LEAST <= hertz <= _MOST:
        message = f"expected {written(Fraction(_LEAST))} to {written(Fraction(_MOST))}, found {show(text)}"
        raise InputError([Problem(message, "out-of-range", key="--clock")])
    return hertz


def written(hertz: Fraction) -> str:
    """Write a clock for people, with at most three digits behind the point."""
    return f"{float(hertz / _UNITS['mhz']):.3f}".rstrip("0").rstrip(".") + "MHz"


def of_emulator(recipe: Mapping[str, Any]) -> Fraction | None:
    """Return the instructions, or the chip's cycles, in a second of an emulator's time; None without an emulator."""
    return Fraction(times.UNITS["s"], step_ns(recipe)) if "qemu" in recipe or "chip" in recipe else None


def step_ns(recipe: Mapping[str, Any]) -> int:
    """Return the nanoseconds of an emulator's instruction, or of the chip's cycle; without either, of eternity."""
    return int(recipe.get("cycle_ns", 1 << int(recipe.get("instruction_shift", 63))))
