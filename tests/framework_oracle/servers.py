# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Mappings of the fixed-priority servers: polling, deferrable, idling, sporadic.

Source: algorithms.md 5.4 and 6.2. A server is a task whose work is what arrives for it.

What the specification leaves open, and the rule here:

- Polling: a completion that empties the queue ends the job, also if work arrives at that very instant.
- Idling: a job without work burns its budget in the ticks in which it is the most urgent.
- Sporadic: a chunk has no finish, for it belongs to no period.
- Sporadic: an interval that ends after its t_a + P returns its amount at the instant of its end. Chunks that are
  active at the same time are used in the order in which they were made.
- Sporadic: an interval that ends because B = 0 ends even if a chunk returns at that instant; then a new one starts.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .allocator import Allocator, AllocatorView, Planned
from .model import Budget, Job


@dataclass
class PeriodicServer(Planned):
    """One job with the whole capacity in every period; what it does without work makes the kind.

    Args:
        priority: of the server.
        period: between replenishments.
        capacity: the budget of every job.
        on_idle: see Job.
    """

    priority: int
    period: int
    capacity: int
    on_idle: str

    def jobs_of(self, release: int) -> list[Job]:
        """Return the job of one period."""
        start = release * self.period
        return [Job(start, start + self.period, self.priority, budget=Budget(self.capacity), on_idle=self.on_idle)]


def polling(priority: int, period: int, capacity: int) -> PeriodicServer:
    """The job ends when there is no work."""
    return PeriodicServer(priority, period, capacity, "end")


def deferrable(priority: int, period: int, capacity: int) -> PeriodicServer:
    """The job sleeps while there is no work, which keeps its budget."""
    return PeriodicServer(priority, period, capacity, "sleep")


def idling(priority: int, period: int, capacity: int) -> PeriodicServer:
    """The job consumes its budget while there is no work."""
    return PeriodicServer(priority, period, capacity, "burn")


@dataclass
class Sporadic(Allocator):
    """Sporadic server: one job per replenishment chunk.

    Args:
        priority: of the server.
        period: after which consumed budget returns.
        capacity: the first chunk.
        active_from: begin of the interval in which the server is active (t_a); None if it is not.
        served_before: ticks that the server had executed at active_from.
    """

    priority: int
    period: int
    capacity: int
    active_from: int | None = field(default=None, kw_only=True)
    served_before: int = field(default=0, kw_only=True)

    def is_due(self, now: int, view: AllocatorView) -> bool:
        """True if an interval ends or starts."""
        return view.submitted == 0 or self.ends(now, view) or self.starts(now, view)

    def call(self, now: int, view: AllocatorView) -> None:
        """Return what the interval that ends consumed; note when a new one starts."""
        if view.submitted == 0:
            self.submit_chunk(view, now, now, self.capacity)
        if self.ends(now, view):
            self.end_interval(now, view)
        if self.starts(now, view):
            self.active_from, self.served_before = now, view.served
        view.read_records()
        view.take_arrived()

    def ends(self, now: int, view: AllocatorView) -> bool:
        """True if an interval that began before ends, because work or budget is used up."""
        has_budget = any(job.is_started() and not job.budget.is_empty() for job in view.jobs)
        return self.active_from not in (None, now) and (view.went_idle or not has_budget)

    def starts(self, now: int, view: AllocatorView) -> bool:
        """True if an interval starts: there is work and budget."""
        has_budget = any(job.start <= now and not job.budget.is_empty() for job in view.jobs)
        return self.active_from is None and bool(view.backlog) and has_budget

    def end_interval(self, now: int, view: AllocatorView) -> None:
        """Let the consumed amount return one period after the begin of the interval."""
        assert self.active_from is not None
        self.submit_chunk(view, now, max(now, self.active_from + self.period), view.served - self.served_before)
        self.active_from = None

    def submit_chunk(self, view: AllocatorView, now: int, start: int, ticks: int) -> None:
        """Make the job of a chunk."""
        view.submit(Job(start, None, self.priority, budget=Budget(ticks), on_idle="sleep"), now)
