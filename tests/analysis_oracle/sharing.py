# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Blocking by shared resources, by the definitions taken literally (algorithms.md 7)."""

from __future__ import annotations

from collections.abc import Sequence

NPCS, CEILING, PIP = range(3)

Section = tuple[int, int, int]


def blocking(sections: Sequence[Section], late: Sequence[int], early: Sequence[int], locking: int, at: int) -> int:
    """Return for how long tasks below a level delay those from it on; sections are (task, resource, ticks)."""
    if locking == CEILING:
        return _under_ceilings(sections, late, early, at)
    matters = {resource for task, resource, _ in sections if early[task] <= at}
    below = [
        (task, resource, ticks - 1)
        for task, resource, ticks in sections
        if late[task] > at and (resource in matters or locking == NPCS)
    ]
    by_task = sum(max(t for j, _, t in below if j == task) for task in {j for j, _, _ in below})
    by_resource = sum(max(t for _, r, t in below if r == resource) for resource in {r for _, r, _ in below})
    if locking == PIP:
        return min(by_task, by_resource)
    return max((ticks for _, _, ticks in below), default=0)


def _under_ceilings(sections: Sequence[Section], late: Sequence[int], early: Sequence[int], at: int) -> int:
    """Try every chain of holders: a later one has a level above the ceilings before it, each of which bars a job."""
    barred = max((late[x] for x in range(len(late)) if early[x] <= at), default=-1)
    ceilings = {resource: min(late[j] for j, r, _ in sections if r == resource) for _, resource, _ in sections}
    holders = {
        task: max(ticks - 1 for j, r, ticks in sections if j == task and ceilings[r] <= barred)
        for task, r, _ in sections
        if late[task] > at and ceilings[r] <= barred
    }
    chains = [[first, *(task for task in holders if task != first and late[task] < barred)] for first in holders]
    return max((sum(holders[task] for task in chain) for chain in chains), default=0)
