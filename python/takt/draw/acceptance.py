# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Acceptance of UUniFast within limits, which decides whether uunifast-discard is practical."""

from __future__ import annotations

import math
from fractions import Fraction

LEAST_ACCEPTED = Fraction(1, 1000)
"""Where fewer draws keep to the limits, uunifast-discard is refused."""


def accepted_part(tasks: int, total: float, least: float, most: float) -> Fraction:
    """Return the probability that no share of UUniFast, drawn above the least ones, is above the most.

    It is the volume of a simplex without its corners, by inclusion and exclusion.
    """
    above = Fraction(total) - tasks * Fraction(least)
    if above == 0:
        return Fraction(1)
    limit = (Fraction(most) - Fraction(least)) / above
    terms = (
        (-1) ** corner * math.comb(tasks, corner) * (1 - corner * limit) ** (tasks - 1)
        for corner in range(tasks + 1)
        if corner * limit <= 1
    )
    return sum(terms, Fraction(0))
