# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Mappings of the share-driven paradigm: chunks, TBS, CUS, CBS, WFQ, WF2Q.

Source: algorithms.md 5.4; 0.3 for the exception of the constant-bandwidth server; 9.3 for virtual time.

What the specification leaves open, and the rule here:

- SD generic: a task gets chunks, the next one when the last one has ended, each with the deadline that TBS would give.
- TBS, CUS: the job of a unit also executes what an overrun of the unit before left, within its own budget.
- Only the rows of the table that say so keep the finish: a chunk and a job of CUS end there, should they be late.
- Hard CBS: the exhausted server is idle when nothing waits at d; an arrival before d that finds no budget waits to d.
- WFQ and WF2Q: a packet whose length times scale is no multiple of its share has a finish tag that is rounded down.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction

from .allocator import Allocator, AllocatorView, Arriving
from .model import Budget, Job, Unit
from .virtual_time import FluidClock


def ceil(value: Fraction) -> int:
    """Round up."""
    return -(-value.numerator // value.denominator)


@dataclass
class Chunks(Allocator):
    """Share-driven, generic: backlogged work in chunks, with virtual deadlines.

    Args:
        share: of the processor.
        chunk: ticks of one job.
        deadline: the last virtual deadline.
    """

    share: Fraction
    chunk: int
    deadline: int = field(default=0, kw_only=True)

    def is_due(self, now: int, view: AllocatorView) -> bool:
        """True if work waits without a job."""
        return bool(view.backlog) and not view.jobs

    def call(self, now: int, view: AllocatorView) -> None:
        """Hand over the next chunk."""
        view.read_records()
        view.take_arrived()
        self.deadline = max(now, self.deadline) + ceil(self.chunk / self.share)
        view.submit(Job(now, self.deadline, budget=Budget(self.chunk)), now)


@dataclass
class TotalBandwidth(Arriving):
    """Total bandwidth server: every unit gets the deadline that its share allows.

    Args:
        share: U of the server.
        deadline: the last deadline.
    """

    share: Fraction
    deadline: int = field(default=0, kw_only=True)

    def serve(self, unit: Unit, now: int, view: AllocatorView) -> None:
        """Make a job for a new unit."""
        earliest = max(now, self.deadline)
        self.deadline = earliest + ceil(unit.estimate / self.share)
        view.submit(self.job_for(unit, self.start_of(now, earliest)), now)

    def start_of(self, now: int, earliest: int) -> int:
        """Return the start of a job: at once."""
        return now

    def job_for(self, unit: Unit, start: int) -> Job:
        """Return the job of a unit."""
        return Job(start, self.deadline, budget=Budget(unit.estimate), serves=unit.number, on_finish="keep")


@dataclass
class ConstantUtilization(TotalBandwidth):
    """Constant utilization server: as total bandwidth, but a job starts only at the deadline before, and its finish
    is a timer.
    """

    def start_of(self, now: int, earliest: int) -> int:
        """Return the start of a job: not before the last deadline."""
        return earliest

    def job_for(self, unit: Unit, start: int) -> Job:
        """Return the job of a unit."""
        return replace(super().job_for(unit, start), on_finish="end")


@dataclass
class ConstantBandwidth(Allocator):
    """Constant bandwidth server; it is told when its job ended, and why (E4).

    Args:
        capacity: Q.
        period: T.
        is_hard: an exhausted server waits to its deadline.
        budget: what the last job left.
        deadline: d.
    """

    capacity: int
    period: int
    is_hard: bool = False
    budget: int = field(default=0, kw_only=True)
    deadline: int = field(default=0, kw_only=True)

    def is_due(self, now: int, view: AllocatorView) -> bool:
        """True if a job ended or work came."""
        return bool(view.unread or view.arrived)

    def call(self, now: int, view: AllocatorView) -> None:
        """Read how the job ended; give work that waits without a job the next one."""
        view.take_arrived()
        records = view.read_records()
        was_exhausted = any(record.reason == "budget" for record in records)
        self.budget -= sum(record.used for record in records)
        if view.backlog and not view.jobs:
            view.submit(self.next_job(now, was_exhausted), now)

    def next_job(self, now: int, was_exhausted: bool) -> Job:
        """Return a job: after an exhaustion, at an arrival to an idle server, or with what is left."""
        if not was_exhausted and self.budget * self.period >= (self.deadline - now) * self.capacity:
            return self.fresh_job(now, now)
        if self.budget == 0:
            return self.fresh_job(self.deadline if self.is_hard else now, self.deadline)
        return Job(now, self.deadline, budget=Budget(self.budget), on_finish="keep")

    def fresh_job(self, start: int, earliest: int) -> Job:
        """Return a job with the whole capacity and a deadline one period after an instant."""
        self.budget, self.deadline = self.capacity, earliest + self.period
        return Job(start, self.deadline, budget=Budget(self.budget), on_finish="keep")


@dataclass
class FairQueue(Arriving):
    """A flow of weighted fair queueing: one non-preemptive job per packet, ordered by its virtual finish (E3).

    Args:
        clock: the virtual time, one for all flows.
        name: of the flow, in the clock.
    """

    clock: FluidClock
    name: str

    def serve(self, unit: Unit, now: int, view: AllocatorView) -> None:
        """Make a job for a new packet."""
        view.submit(self.job_for(unit, now), now)

    def job_for(self, unit: Unit, now: int) -> Job:
        """Return the job of a packet; its finish is no timer."""
        _, finish = self.clock.tag(self.name, unit.estimate, now)
        job = Job(now, finish, budget=Budget(unit.estimate), serves=unit.number, on_finish="keep")
        job.non_preemptive = True
        return job


@dataclass
class WorstCaseFairQueue(FairQueue):
    """A flow of WF2Q: a packet starts when virtual time reaches its virtual start, which moves (E2).

    Args:
        starts: virtual starts by job number.
        seen: number of packets in the clock when the starts were worked out last.
    """

    starts: list[int] = field(default_factory=list, kw_only=True)
    seen: int = field(default=0, kw_only=True)

    def is_due(self, now: int, view: AllocatorView) -> bool:
        """True if a packet of any flow came."""
        return bool(view.arrived) or self.seen != self.clock.packets

    def call(self, now: int, view: AllocatorView) -> None:
        """Make the new jobs, and work out all starts that have not come yet."""
        super().call(now, view)
        self.seen = self.clock.packets
        for job in view.jobs:
            if job.state == "ready":
                view.update(job, "start", max(now, self.clock.instant_of(self.starts[job.number], now)))

    def job_for(self, unit: Unit, now: int) -> Job:
        """Return the job of a packet, and remember its virtual start."""
        job = super().job_for(unit, now)
        self.starts.append(self.clock.last_start)
        return job
