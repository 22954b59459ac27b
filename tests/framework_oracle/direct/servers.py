# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Direct polling, deferrable, idling and sporadic servers beside periodic tasks under fixed priorities.

Source: algorithms.md 6.2 with the order of 0.3. Smaller priority is more urgent; priorities are unique.
"""

from __future__ import annotations

from dataclasses import dataclass, field

BURNED = "(burned)"


@dataclass
class FixedPriorityTask:
    """A periodic task whose late jobs are continued."""

    name: str
    priority: int
    period: int
    demand: int
    left: int = field(default=0, kw_only=True)

    def settle(self, now: int) -> None:
        """Do nothing: what is done is done."""

    def arrive(self, now: int) -> None:
        """Release a job at every period."""
        self.left += self.demand if now % self.period == 0 else 0

    def is_eligible(self) -> bool:
        """Say whether a job waits."""
        return self.left > 0

    def execute(self) -> str:
        """Run one tick."""
        self.left -= 1
        return self.name


@dataclass
class FixedPriorityServer:
    """A server; the kind is "polling", "deferrable", "idling" or "sporadic".

    Args:
        name: unique.
        priority: unique.
        period: P.
        capacity: Q.
        arrivals: (instant, demand).
        kind: one of the four.
        pending: work that is left.
        budget: B.
        active_from: begin of the sporadic interval.
        consumed: in the sporadic interval.
        returns: (instant, amount) of the sporadic server.
    """

    name: str
    priority: int
    period: int
    capacity: int
    arrivals: tuple[tuple[int, int], ...]
    kind: str
    pending: int = field(default=0, kw_only=True)
    budget: int = field(default=0, kw_only=True)
    active_from: int | None = field(default=None, kw_only=True)
    consumed: int = field(default=0, kw_only=True)
    returns: list[tuple[int, int]] = field(default_factory=list, kw_only=True)
    has_completed: bool = field(default=False, kw_only=True)

    def settle(self, now: int) -> None:
        """Handle a completion of all work and an exhaustion."""
        if self.kind == "polling" and self.has_completed:
            self.budget = 0
        if self.active_from is not None and (self.has_completed or self.budget == 0):
            self.returns.append((max(now, self.active_from + self.period), self.consumed))
            self.active_from = None
        self.has_completed = False

    def arrive(self, now: int) -> None:
        """Replenish, then let work arrive; a polling server without work loses its budget."""
        self.replenish(now)
        self.pending += sum(demand for arrival, demand in self.arrivals if arrival == now)
        if self.kind == "polling" and self.pending == 0:
            self.budget = 0
        if self.kind == "sporadic" and self.active_from is None and self.budget > 0 and self.pending > 0:
            self.active_from, self.consumed = now, 0

    def replenish(self, now: int) -> None:
        """Fill the budget, or return chunks."""
        if self.kind == "sporadic":
            self.budget += sum(amount for instant, amount in self.returns if instant == now)
            self.budget += self.capacity if now == 0 else 0
        elif now % self.period == 0:
            self.budget = self.capacity

    def is_eligible(self) -> bool:
        """Say whether it has budget, and work if it needs work."""
        return self.budget > 0 and (self.pending > 0 or self.kind == "idling")

    def execute(self) -> str:
        """Run one tick, with or without work."""
        self.budget -= 1
        self.consumed += 1
        if self.pending == 0:
            return BURNED
        self.pending -= 1
        self.has_completed = self.pending == 0
        return self.name


def simulate(entities: tuple[FixedPriorityTask | FixedPriorityServer, ...], horizon: int) -> list[str | None]:
    """Run the entities under fixed priorities; BURNED is budget without work. Their state changes."""
    ticks: list[str | None] = []
    for now in range(horizon):
        for entity in entities:
            entity.settle(now)
            entity.arrive(now)
        eligible = [entity for entity in entities if entity.is_eligible()]
        chosen = min(eligible, key=lambda entity: entity.priority, default=None)
        ticks.append(None if chosen is None else chosen.execute())
    return ticks
