# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Preemption points in a chain of blocks, by trying all choices."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product


def longest_region(wcet: Sequence[int], cost: Sequence[int], points: Sequence[bool]) -> int:
    """Return the longest region, the cost of the point that it begins with included."""
    regions = [0]
    for block, point, is_point in zip(wcet, cost, points, strict=True):
        regions[-1] += block
        if is_point:
            regions.append(point)
    return max(regions)


def least_cost(wcet: Sequence[int], cost: Sequence[int], longest: int) -> int | None:
    """Return the least cost of points that leave no longer region; None if there are none."""
    inner = [(*choice, False) for choice in product((False, True), repeat=len(wcet) - 1)]
    fitting = [points for points in inner if longest_region(wcet, cost, points) <= longest]
    return min((cost_of(cost, points) for points in fitting), default=None)


def cost_of(cost: Sequence[int], points: Sequence[bool]) -> int:
    """Add up the costs of points."""
    return sum(one for one, is_point in zip(cost, points, strict=True) if is_point)
