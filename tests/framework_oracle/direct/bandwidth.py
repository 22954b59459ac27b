# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Direct TBS, CUS and soft and hard CBS beside periodic tasks under EDF.

Source: algorithms.md 5.4, 0.3 (the order of one instant and the exception of the constant-bandwidth server), 0.4 (b).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

Arrivals = tuple[tuple[int, int], ...]


class Entity(ABC):
    """Whoever competes for the processor under EDF."""

    name: str

    @abstractmethod
    def settle(self, now: int) -> None:
        """Handle completions and exhaustions."""

    @abstractmethod
    def arrive(self, now: int) -> None:
        """Handle what is released or arrives."""

    @abstractmethod
    def current_deadline(self, now: int) -> int | None:
        """Give the deadline by which it competes; None if it does not."""

    @abstractmethod
    def execute(self) -> None:
        """Run one tick."""


@dataclass
class Request:
    """Work with a deadline and an instant before which it does not compete."""

    start: int
    deadline: int
    left: int


@dataclass
class Queue(Entity):
    """Requests served first come, first served: what periodic tasks, TBS and CUS have in common."""

    name: str
    requests: list[Request] = field(default_factory=list, kw_only=True)
    late: list[int] = field(default_factory=list, kw_only=True)

    def settle(self, now: int) -> None:
        """Take out what is done; note a deadline that has passed by then."""
        done = [request for request in self.requests if request.left == 0]
        self.late += [request.deadline for request in done if request.deadline < now]
        self.requests = [request for request in self.requests if request.left > 0]

    def current_deadline(self, now: int) -> int | None:
        """Give the deadline of the first request, if its start has come."""
        return next((r.deadline for r in self.requests[:1] if r.start <= now), None)

    def execute(self) -> None:
        """Work on the first request."""
        self.requests[0].left -= 1

    def count_late(self, horizon: int) -> int:
        """Count missed deadlines up to the horizon."""
        self.settle(horizon)
        return len(self.late) + sum(request.deadline <= horizon for request in self.requests)


@dataclass
class Periodic(Queue):
    """A periodic task with deadlines at the ends of its periods."""

    period: int
    demand: int

    def arrive(self, now: int) -> None:
        """Release a job at every period."""
        if now % self.period == 0:
            self.requests.append(Request(now, now + self.period, self.demand))


@dataclass
class TotalBandwidth(Queue):
    """TBS with utilization numerator / denominator; is_constant makes it a constant utilization server."""

    numerator: int
    denominator: int
    arrivals: Arrivals
    is_constant: bool = False
    last_deadline: int = field(default=0, kw_only=True)

    def arrive(self, now: int) -> None:
        """Give every arrival its deadline."""
        for arrival, demand in self.arrivals:
            if arrival == now:
                base = max(now, self.last_deadline)
                self.last_deadline = base + -(-demand * self.denominator // self.numerator)
                start = base if self.is_constant else now
                self.requests.append(Request(start, self.last_deadline, demand))


@dataclass
class ConstantBandwidth(Entity):
    """CBS with capacity Q and period T.

    Args:
        name: unique.
        capacity: Q.
        period: T.
        arrivals: (instant, demand).
        is_hard: wait to the deadline when exhausted.
        pending: demands that are left, first come first.
        budget: q.
        deadline: d.
        wakes: it does not compete before.
    """

    name: str
    capacity: int
    period: int
    arrivals: Arrivals
    is_hard: bool = False
    pending: list[int] = field(default_factory=list, kw_only=True)
    budget: int = field(default=0, kw_only=True)
    deadline: int = field(default=0, kw_only=True)
    wakes: int = field(default=0, kw_only=True)

    def settle(self, now: int) -> None:
        """Take out what is done; if work is left without budget, postpone."""
        self.pending = [left for left in self.pending if left > 0]
        if self.pending and self.budget == 0:
            self.postpone()

    def postpone(self) -> None:
        """Refill and move the deadline; the hard one waits to the old one."""
        self.wakes = self.deadline if self.is_hard else 0
        self.budget = self.capacity
        self.deadline += self.period

    def arrive(self, now: int) -> None:
        """Queue what arrives; an idle server first looks at its bandwidth."""
        for arrival, demand in self.arrivals:
            if arrival == now:
                if not self.pending:
                    self.wake_up(now)
                self.pending.append(demand)

    def wake_up(self, now: int) -> None:
        """Start anew if the budget is too much for the deadline; else go on, postponed if nothing is left."""
        if self.budget * self.period >= (self.deadline - now) * self.capacity:
            self.budget, self.deadline = self.capacity, now + self.period
        elif self.budget == 0:
            self.postpone()

    def current_deadline(self, now: int) -> int | None:
        """Give d while there is work and it need not wait."""
        return self.deadline if self.pending and self.wakes <= now else None

    def execute(self) -> None:
        """Work on the first request."""
        self.pending[0] -= 1
        self.budget -= 1


def simulate(entities: tuple[Entity, ...], horizon: int) -> list[str | None]:
    """Run the entities under EDF; ties by place. Their state changes."""
    ticks: list[str | None] = []
    for now in range(horizon):
        for entity in entities:
            entity.settle(now)
        for entity in entities:
            entity.arrive(now)
        chosen = earliest(entities, now)
        ticks.append(None if chosen is None else chosen.name)
        if chosen is not None:
            chosen.execute()
    return ticks


def earliest(entities: tuple[Entity, ...], now: int) -> Entity | None:
    """Give the entity with the earliest deadline."""
    competing = [(d, place) for place, entity in enumerate(entities) if (d := entity.current_deadline(now)) is not None]
    return entities[min(competing)[1]] if competing else None
