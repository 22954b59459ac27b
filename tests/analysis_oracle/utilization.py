# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Utilization bounds of rate monotonic, in exact fractions, and chains by trying all partitions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction


def is_within_liu_layland(shares: Sequence[Fraction], parts: int) -> bool:
    """True if U <= parts (2^(1/parts) - 1): both sides divided by parts, 1 added, and raised to that power."""
    return parts == 0 or (sum(shares, Fraction(0)) / parts + 1) ** parts <= 2


def is_within_hyperbolic(shares: Sequence[Fraction]) -> bool:
    """True if the product of all shares + 1 is at most 2."""
    return math.prod(share + 1 for share in shares) <= 2


def partitions(numbers: list[int]) -> Iterator[list[list[int]]]:
    """Yield all ways to part numbers into groups."""
    if not numbers:
        yield []
        return
    first, rest = numbers[0], numbers[1:]
    for groups in partitions(rest):
        yield [[first], *groups]
        for i, group in enumerate(groups):
            yield [*groups[:i], [first, *group], *groups[i + 1 :]]


def is_harmonic(periods: Sequence[int]) -> bool:
    """True if of any two periods one divides the other."""
    ordered = sorted(periods)
    return all(longer % shorter == 0 for i, shorter in enumerate(ordered) for longer in ordered[i + 1 :])


def least_chains(periods: Sequence[int]) -> int:
    """Count the chains of the partition into the fewest."""
    return min(len(groups) for groups in partitions(list(periods)) if all(is_harmonic(group) for group in groups))
