# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Processor time that tasks of a rate-based system with shared resources lose by blocking each other.

Source: SPEC.md, section 10, and policy/rate_sharing.h: b, the largest B / D. B counts all tasks of the file, whenever
they are present, so that a later task takes nothing from a rate that was granted. Left out: sections that last longer
than their runs, and hard jobs that use up their budget in one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from takt import _core


@dataclass(frozen=True, slots=True)
class Sharer:
    """A task of a rate-based system. Times in ticks.

    Args:
        is_hard: whether its deadlines are fixed.
        window: its shortest relative deadline: that of a hard task, else the requested period.
        period: of its releases, as requested.
        sections: of each resource that it locks, how long it runs at most from the lock to the unlock.
    """

    is_hard: bool
    window: int
    period: int
    sections: Mapping[str, int]

    @property
    def words(self) -> tuple[int, int, bool]:
        """Input of core's test."""
        return self.window, self.period, self.is_hard


def blocking_of(sharer: Sharer, sharers: Sequence[Sharer], ceilings: Mapping[str, int]) -> int:
    """Return B / D of a task, in core's units, rounded up.

    Args:
        sharer: the task.
        sharers: all tasks that lock something, and perhaps others.
        ceilings: of each resource, the shortest window of its users; see ceilings_of.
    """
    waits = [
        _core.rate_blocking_by(sharer.words, other.words, ticks, ceilings[resource])
        for other in sharers
        if other is not sharer
        for resource, ticks in other.sections.items()
    ]
    return max(waits, default=0)


def excess_of(sharer: Sharer) -> int:
    """Return what the sections of a task may execute beyond its budgets, in core's units, rounded up."""
    if sharer.is_hard or not sharer.sections:
        return 0
    return _core.rate_of_section(max(sharer.sections.values()), sharer.period)


def ceilings_of(sharers: Sequence[Sharer]) -> dict[str, int]:
    """Return the highest ceiling that each resource may have."""
    names = {resource for sharer in sharers for resource in sharer.sections}
    return {name: min(sharer.window for sharer in sharers if name in sharer.sections) for name in names}
