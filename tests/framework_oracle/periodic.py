# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Mappings whose jobs are known for all time: priority-driven, time-driven, pinwheel, two-part jobs, hierarchical.

Source: algorithms.md 5.4. r = release, e = estimate, p = period, D = relative deadline; a smaller priority goes first.
The effective priority that belongs to a mapping stands in EFFECTIVE.

What the specification leaves open, and the rule here:

- The job of release k serves unit k. Slots of a table, pinwheel windows and servers serve what is there.
- A slot of a table and a pinwheel window wait for work until they end.
- Pinwheel: of all whole x whose periods fit, the one with the least load is taken, the smallest of equals.
- Dual priority without E1: each of the two jobs has a budget of its own, the whole estimate.
- The mandatory and the optional part are two tasks; an optional part that was cut is dropped.
- The plain case of rate-based scheduling: constant periods; a job released at its old deadline for every class, and no
  reaction to an overrun but its end at the budget.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction

from .allocator import Allocator, AllocatorView, Arriving, Planned
from .model import Budget, Effective, Job, Unit

EFFECTIVE: dict[str, Effective] = {
    "rm": ("priority",),
    "dm": ("priority",),
    "fp": ("priority",),
    "edf": ("finish",),
    "llf": ("finish - remaining",),
    "time-driven": ("start",),
    "pinwheel": ("priority",),
    "shares": ("finish",),
    "dual priority": ("priority",),
    "imprecise": ("priority",),
    "servers": ("priority",),
    "subjobs": ("priority",),
    "rate-based": ("finish",),
    "hierarchical": ("server_priority", "priority"),
}


@dataclass
class Periodic(Planned):
    """One job per period with constant attributes: the row of every priority-driven policy.

    Args:
        period: between releases.
        estimate: the budget; None does not enforce one.
        priority: of every job.
        deadline: finish of a job, counted from its release; None is the period.
        offset: first release.
        on_finish: see Job.
    """

    period: int
    estimate: int | None
    priority: int = 0
    deadline: int | None = None
    offset: int = 0
    on_finish: str = "end"

    def release_of(self, release: int) -> int:
        """Return the instant of a release."""
        return self.offset + release * self.period

    def finish_of(self, release: int) -> int:
        """Return the finish time of the job of a release."""
        return self.release_of(release) + (self.period if self.deadline is None else self.deadline)

    def jobs_of(self, release: int) -> list[Job]:
        """Return the job of one release."""
        start, finish, budget = self.release_of(release), self.finish_of(release), Budget(self.estimate)
        return [Job(start, finish, self.priority, budget=budget, serves=release, on_finish=self.on_finish)]


def rm(period: int, estimate: int | None, *, offset: int = 0, bulk: int = 1, on_finish: str = "end") -> Periodic:
    """Rate-monotonic: the priority is the period."""
    return Periodic(period, estimate, period, None, offset, on_finish, bulk=bulk)


def dm(period: int, estimate: int | None, deadline: int, *, offset: int = 0, bulk: int = 1) -> Periodic:
    """Deadline-monotonic: the priority is the relative deadline."""
    return Periodic(period, estimate, deadline, deadline, offset, bulk=bulk)


def fp(
    priority: int, period: int, estimate: int | None, *, offset: int = 0, bulk: int = 1, on_finish: str = "end"
) -> Periodic:
    """Fixed priority: given."""
    return Periodic(period, estimate, priority, None, offset, on_finish, bulk=bulk)


def edf(period: int, estimate: int | None, *, offset: int = 0, bulk: int = 1, on_finish: str = "end") -> Periodic:
    """Earliest deadline first: the finish is the end of the period."""
    return Periodic(period, estimate, 0, None, offset, on_finish, bulk=bulk)


def llf(period: int, estimate: int, deadline: int | None = None, *, offset: int = 0, bulk: int = 1) -> Periodic:
    """Least laxity first: what is compared reads what remains of the budget (E6)."""
    return Periodic(period, estimate, 0, deadline, offset, bulk=bulk)


def rate_based(period: int, budget: int, deadline: int | None = None, *, offset: int = 0, bulk: int = 1) -> Periodic:
    """Rate-based without mode changes: the current period and budget; the finish only orders (E3)."""
    return Periodic(period, budget, 0, deadline, offset, "keep", bulk=bulk)


@dataclass
class TimeTable(Planned):
    """Time-driven, cyclic executive: the slots of one task, repeated in every major cycle.

    Args:
        slots: (start, end) within the major cycle.
        major: length of the major cycle.
    """

    slots: tuple[tuple[int, int], ...]
    major: int

    def jobs_of(self, release: int) -> list[Job]:
        """Return the job of one slot."""
        cycle, slot = divmod(release, len(self.slots))
        start, end = (cycle * self.major + instant for instant in self.slots[slot])
        return [Job(start, end, budget=Budget(end - start), on_idle="sleep")]


@dataclass
class Pinwheel(Planned):
    """Pinwheel: a ticks in every window of a specialised length, which is also the priority."""

    ticks: int
    window: int

    def jobs_of(self, release: int) -> list[Job]:
        """Return the job of one window."""
        start = release * self.window
        return [Job(start, start + self.window, self.window, budget=Budget(self.ticks), on_idle="sleep")]


def specialise(requests: tuple[tuple[int, int], ...]) -> tuple[int, ...] | None:
    """Return windows b' <= b of the form x * 2^j whose loads a / b' fit into 1; None if no whole x does."""
    candidates = [_windows(requests, x) for x in range(1, min(b for _, b in requests) + 1)]
    best = min(candidates, key=lambda windows: _load(requests, windows))
    return best if _load(requests, best) <= 1 else None


def _windows(requests: tuple[tuple[int, int], ...], x: int) -> tuple[int, ...]:
    """Round every window down to x * 2^j."""
    return tuple(x * 2 ** ((b // x).bit_length() - 1) for _, b in requests)


def _load(requests: tuple[tuple[int, int], ...], windows: tuple[int, ...]) -> Fraction:
    """Sum the loads."""
    return sum((Fraction(a, window) for (a, _), window in zip(requests, windows, strict=True)), Fraction(0))


@dataclass
class DualPriority(Planned):
    """Dual priority: a low job up to the promotion, a high one from then on, with one shared budget (E1).

    Args:
        period: between releases.
        estimate: the budget.
        low: priority in the lower band.
        high: priority in the upper band.
        response: worst-case response time in the upper band; the promotion is deadline - response.
        deadline: relative; None is the period.
        shares_budget: False gives each job a budget of its own (without E1).
    """

    period: int
    estimate: int
    low: int
    high: int
    response: int
    deadline: int | None = None
    shares_budget: bool = True

    def jobs_of(self, release: int) -> list[Job]:
        """Return the low and the high job of one release."""
        start = release * self.period
        end = start + (self.period if self.deadline is None else self.deadline)
        promotion = end - self.response
        first = Budget(self.estimate)
        second = first if self.shares_budget else Budget(self.estimate)
        low = Job(start, promotion, self.low, budget=first, serves=release)
        return [low, Job(promotion, end, self.high, budget=second, serves=release)]


@dataclass
class Aperiodic(Arriving):
    """One job per arriving unit, of constant priority, without finish and budget: soft and background work."""

    priority: int

    def serve(self, unit: Unit, now: int, view: AllocatorView) -> None:
        """Make a job for a new unit."""
        view.submit(Job(now, priority=self.priority, serves=unit.number), now)


OPTIONAL_BAND = 10


def mandatory_part(rank: int, period: int, estimate: int) -> Periodic:
    """Imprecise computation, the part that must be done."""
    return Periodic(period, estimate, rank)


def optional_part(rank: int, period: int, estimate: int) -> Periodic:
    """Imprecise computation, the part that is done if no mandatory part waits; its task aborts leftovers."""
    return Periodic(period, estimate, OPTIONAL_BAND + rank)


@dataclass
class Subjobs(Planned):
    """Fixed priority with deferred preemption: one non-preemptive job per subjob (E5); one subjob is FPNS.

    Args:
        priority: of every job.
        period: between releases.
        subjobs: their lengths.
        offset: first release.
        on_finish: see Job.
    """

    priority: int
    period: int
    subjobs: tuple[int, ...]
    offset: int = 0
    on_finish: str = "end"

    def jobs_of(self, release: int) -> list[Job]:
        """Return the jobs of one release."""
        start = self.offset + release * self.period
        whole = Job(start, start + self.period, self.priority, serves=release, on_finish=self.on_finish)
        return [replace(whole, budget=Budget(ticks), non_preemptive=True) for ticks in self.subjobs]


@dataclass
class InServer(Planned):
    """A task in a deferrable server: its jobs are charged to the record of the server and held while it is empty.

    Args:
        server_priority: of the server.
        priority: in the server.
        period: between releases.
        budget: the record of the server, one for all its tasks (E1).
        offset: first release.
    """

    server_priority: int
    priority: int
    period: int
    budget: Budget
    offset: int = 0

    def jobs_of(self, release: int) -> list[Job]:
        """Return the job of one release."""
        start = self.offset + release * self.period
        job = Job(start, None, self.priority, self.server_priority, self.budget, serves=release)
        return [replace(job, on_finish="keep", on_budget="hold")]


@dataclass
class ServerRefill(Allocator):
    """Fills the record of a server at every period; it makes no jobs.

    Args:
        budget: the record of the server.
        period: of the server.
        capacity: what the record is set to.
        offset: first instant; the record is empty before.
    """

    budget: Budget
    period: int
    capacity: int
    offset: int = 0
    filled: int = field(default=0, kw_only=True)

    def is_due(self, now: int, view: AllocatorView) -> bool:
        """True if a period begins."""
        return self.offset + self.filled * self.period <= now

    def call(self, now: int, view: AllocatorView) -> None:
        """Fill the record."""
        self.budget.left = self.capacity
        self.filled += 1

    def needed_by(self, now: int) -> int:
        """Return the begin of the next period."""
        return self.offset + self.filled * self.period
