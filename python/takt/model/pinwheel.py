# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Pinwheel: periods that divide one another, so that every task has its share of every window.

Source: Wang and Lin 1999, row "pinwheel", after Chan and Chin 1992 (single-number reduction). No number is rounded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

Request = tuple[int, int]
"""Ticks that are wanted in every window of so many ticks."""


def specialise(requests: Sequence[Request]) -> tuple[int, ...] | None:
    """Shorten windows to x 2^j, with one whole x for all of them, such that their loads fit into one processor.

    Of all x whose loads fit the one with the least load is taken, of equal ones the one with the least odd part.

    Args:
        requests: ticks and window of each task, both >= 1.

    Returns:
        The windows, each the largest that is not longer than the requested one; None if no x does.

    Example:
        >>> specialise([(1, 4), (2, 10), (3, 25)])
        (4, 8, 16)
        >>> specialise([(1, 2), (1, 3), (1, 4)]) is None
        True
    """
    candidates = sorted(set(_candidates(requests)), key=_odd_part)
    best = min((_windows(requests, x) for x in candidates), key=lambda windows: _load(requests, windows))
    return best if _load(requests, best) <= 1 else None


def _candidates(requests: Sequence[Request]) -> Iterator[int]:
    """Yield the x that can have the least load: those at which a window is as long as a whole x allows.

    Twice an x gives the same windows, so x up to the shortest window and above its half are all there are.
    """
    shortest = min(window for _, window in requests)
    for _, window in requests:
        while window > shortest:
            window //= 2
        yield window


def _odd_part(x: int) -> int:
    """Divide by 2 as often as possible."""
    return x // (x & -x)


def _windows(requests: Sequence[Request], x: int) -> tuple[int, ...]:
    """Shorten every window to x 2^j."""
    return tuple(x << ((window // x).bit_length() - 1) for _, window in requests)


def _load(requests: Sequence[Request], windows: Sequence[int]) -> Fraction:
    """Sum the shares."""
    return sum((Fraction(ticks, window) for (ticks, _), window in zip(requests, windows, strict=True)), Fraction(0))
