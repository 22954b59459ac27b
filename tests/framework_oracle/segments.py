# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Ticks to segments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

Who = TypeVar("Who")


def merge(ticks: Sequence[Who | None]) -> list[tuple[int, int, Who]]:
    """Join neighbouring ticks of the same one to (start, end, who); None is idle and gives no segment."""
    segments: list[tuple[int, int, Who]] = []
    for now, who in enumerate(ticks):
        if who is None:
            continue
        joins_last = bool(segments) and segments[-1][1:] == (now, who)
        segments.append((segments.pop()[0] if joins_last else now, now + 1, who))
    return segments
