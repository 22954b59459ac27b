# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Task sets drawn one at a time, from the words of SPEC.md, 7.5, with Python's integers and floats only.

What it does not have: fixed-sum, DRS, automotive numbers, and what Systems add to their matrices. The key, which numpy
makes of a seed, is given.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

_WORD = 2**64 - 1
_MULTIPLIERS = (0xD2E7470EE14C6C93, 0xCA5A826395121157)
_WEYL = (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)
_PURPOSES = ("shares", "periods", "deadlines", "jitter", "priorities", "offsets")


class DrawnTask(NamedTuple):
    """A task: times in ticks."""

    wcet: int
    period: int
    deadline: int
    jitter: int
    offset: int


def philox(counter: int, key: tuple[int, int]) -> tuple[int, int, int, int]:
    """Encipher a counter of 256 bits in ten rounds: Philox 4x64-10."""
    a, b, c, d = (counter >> shift & _WORD for shift in (0, 64, 128, 192))
    for turn in range(10):
        first, second = (word + turn * step & _WORD for word, step in zip(key, _WEYL, strict=True))
        left, right = _MULTIPLIERS[0] * a, _MULTIPLIERS[1] * c
        a, b, c, d = right >> 64 ^ b ^ first, right & _WORD, left >> 64 ^ d ^ second, left & _WORD
    return a, b, c, d


def numbers(key: tuple[int, int], purpose: str, number: int, width: int, attempt: int = 0) -> list[float]:
    """Return the numbers of one set for one purpose."""
    blocks = math.ceil(width / 4)
    above = (_PURPOSES.index(purpose) << 192) + (attempt << 128)
    words = [word for block in range(blocks) for word in philox(above + number * blocks + block + 1, key)]
    return [math.ldexp(word >> 11, -53) for word in words[:width]]


def uunifast(draws: list[float], total: float) -> Iterator[float]:
    """Yield shares that add up to the total."""
    rest, scale = total, 1.0
    for place, draw in enumerate(draws):
        scale *= math.pow(1.0 - draw, 1.0 / (len(draws) - place))
        yield rest - total * scale
        rest = total * scale
    yield rest


def shares(keys: dict[str, Any], key: tuple[int, int], number: int) -> list[float]:
    """Draw the shares of a set, again until all are within the limits."""
    tasks, total = keys["tasks"], keys["utilization"]
    least, most = limits(keys)
    attempt = 0
    while True:
        draws = numbers(key, "shares", number, tasks - 1, attempt)
        found = [least + share for share in uunifast(draws, total - tasks * least)]
        if max(found) <= most:
            return found
        attempt += 1


def limits(keys: dict[str, Any]) -> tuple[float, float]:
    """Return the limits of shares."""
    if keys["shares"] == "uunifast":
        return 0.0, math.inf
    return keys["min_share"], keys["max_share"]


def period(keys: dict[str, Any], draw: float) -> int:
    """Draw a period."""
    grid: int = keys["period_grid"]
    shortest, longest = keys["period_min"], keys["period_max"]
    first, last = math.ceil(shortest / grid), longest // grid
    match keys["periods"]:
        case "log-uniform":
            begin, end = math.log(first * grid), math.log((last + 1) * grid)
            return int(math.exp(begin + draw * (end - begin)) / grid) * grid
        case "uniform":
            return int((first + int(draw * (last - first + 1))) * grid)
        case "harmonic":
            powers: list[int] = [first * grid]
            while powers[-1] * keys["period_ratio"] <= last * grid:
                powers.append(powers[-1] * keys["period_ratio"])
            return powers[int(draw * len(powers))]
    listed: list[int] = keys["periods"]
    return listed[int(draw * len(listed))]


def rounded(wanted: list[tuple[int, float]], least: float, most: float) -> list[int]:
    """Round shares of periods that ascend, each making up for those before it."""
    wcets: list[int] = []
    missing = 0.0
    for length, share in wanted:
        lowest = max(math.ceil(least * length), 1)
        highest = max(math.floor(most * length), lowest) if most < math.inf else math.inf
        wcets.append(int(min(max(round((share + missing) * length), lowest), highest)))
        missing = share + missing - wcets[-1] / length
    return wcets


def kept_below(wcets: list[int], periods: list[int], total: float, least: float) -> list[int]:
    """Return ticks with the excess subtracted, the longest period first, until the set is not above the total, exactly.

    Raises:
        ValueError: one tick of each task is more than that.
    """
    wcets = list(wcets)
    while sum(map(Fraction, wcets, periods), Fraction(0)) > Fraction(str(total)):
        lowest = [max(math.ceil(least * length), 1) for length in periods]
        for floor in (lowest, [1] * len(wcets)):
            spare = [place for place, wcet in enumerate(wcets) if wcet > floor[place]]
            if spare:
                wcets[spare[-1]] -= 1
                break
        else:
            raise ValueError("single ticks")
    return wcets


def deadline(keys: dict[str, Any], wcet: int, length: int, draw: float) -> int:
    """Draw a deadline."""
    low, high = keys["deadline_factors"]
    factor: float = low + (high - low) * draw
    match keys["deadlines"]:
        case "constrained":
            return wcet + round((length - wcet) * factor) if wcet <= length else length
        case "arbitrary":
            return max(1, round(length * factor))
    return length


def jitter(keys: dict[str, Any], length: int, draw: float) -> int:
    """Draw a release jitter."""
    low, high = keys["jitter"]
    factor: float = low + (high - low) * draw
    return round(length * factor)


def offset(keys: dict[str, Any], length: int, draw: float) -> int:
    """Draw an offset."""
    return int(length * draw) if keys["offsets"] == "random" else 0


def draw_set(keys: dict[str, Any], key: tuple[int, int], number: int) -> list[DrawnTask]:
    """Draw a set: its tasks, the most urgent first.

    Args:
        keys: all keys of the recipe that have to do with matrices, times in ticks.
        key: of the generator.
        number: of the set.
    """
    width = keys["tasks"]
    periods = [period(keys, draw) for draw in numbers(key, "periods", number, width)]
    wanted = sorted(zip(periods, shares(keys, key, number), strict=True), key=lambda pair: pair[0])
    least, most = limits(keys)
    wcets = kept_below(rounded(wanted, least, most), [length for length, _ in wanted], keys["utilization"], least)
    drawn = [numbers(key, purpose, number, width) for purpose in ("deadlines", "jitter", "offsets")]
    tasks = [
        DrawnTask(wcet, length, deadline(keys, wcet, length, d), jitter(keys, length, j), offset(keys, length, o))
        for (length, _), wcet, d, j, o in zip(wanted, wcets, *drawn, strict=True)
    ]
    match keys["priorities"]:
        case "dm":
            return sorted(tasks, key=lambda task: task.deadline)
        case "random":
            order = numbers(key, "priorities", number, width)
            return [task for _, task in sorted(zip(order, tasks, strict=True), key=lambda pair: pair[0])]
    return tasks
