# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The allocator as a task of its own: its work are the calls, and its jobs are made by the allocators below.

Source: algorithms.md 5.3. The estimate of a unit of this work is the last safe instant at which to begin with it.
"""

from __future__ import annotations

from dataclasses import dataclass

from .allocator import AllocatorView, Arriving, Planned
from .model import AllocatorCost, Budget, Job, Task, Unit

ALLOCATOR = "allocator"


def make_allocator_task(cost: AllocatorCost) -> Task:
    """Return the task that executes the calls."""
    kinds = {"top": TopWithBudget(cost.period, cost.budget), "dual": DualInSpareTime()}
    return Task(ALLOCATOR, kinds[cost.kind])


@dataclass
class TopWithBudget(Planned):
    """Highest priority, with a budget in every period."""

    period: int
    budget: int

    def jobs_of(self, release: int) -> list[Job]:
        """Return the job of one period, which waits for calls."""
        start = release * self.period
        return [Job(start, start + self.period, budget=Budget(self.budget), on_idle="sleep", band="top")]


@dataclass
class DualInSpareTime(Arriving):
    """Every call has one job in spare time and one of highest priority from the last safe instant."""

    def serve(self, unit: Unit, now: int, view: AllocatorView) -> None:
        """Make the two jobs of a call."""
        for job in self.jobs_for(unit, now):
            view.submit(job, now)

    @staticmethod
    def jobs_for(unit: Unit, now: int) -> list[Job]:
        """Return the job in spare time and the one from the last safe instant."""
        low = Job(now, unit.estimate, serves=unit.number, band="spare")
        high = Job(unit.estimate, serves=unit.number, band="top")
        return [low, high]
