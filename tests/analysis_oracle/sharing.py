"""Blocking by shared resources, by the definitions taken literally (algorithms.md 7)."""

from __future__ import annotations

from collections.abc import Sequence

NPCS, CEILING, PIP, MIXED = range(4)

Section = tuple[int, int, int]


def blocking(sections: Sequence[Section], late: Sequence[int], early: Sequence[int], locking: int, at: int) -> int:
    """Give for how long tasks below a level delay those from it on; sections are (task, resource, ticks)."""
    matters = {resource for task, resource, _ in sections if early[task] <= at}
    below = [
        (task, resource, ticks - 1)
        for task, resource, ticks in sections
        if late[task] > at and (resource in matters or locking in (NPCS, MIXED))
    ]
    by_task = sum(max(t for j, _, t in below if j == task) for task in {j for j, _, _ in below})
    by_resource = sum(max(t for _, r, t in below if r == resource) for resource in {r for _, r, _ in below})
    if locking == PIP:
        return min(by_task, by_resource)
    return by_task if locking == MIXED else max((ticks for _, _, ticks in below), default=0)
