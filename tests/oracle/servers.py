# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Kinds of servers (SPEC.md, 4): each class says only how its kind differs from the one that it is made from."""

from __future__ import annotations

from dataclasses import dataclass, field

from .model import RULE_KINDS, System
from .states import Dispatcher, ServerState

MAX_RETURNS = 32


class Idling(ServerState):
    """Takes its ticks with or without an eligible child."""

    def is_eligible(self) -> bool:
        """True if it competes: while it has budget."""
        return self.is_active()


class Polling(ServerState):
    """Has budget only while it has work."""

    def end_instant(self) -> None:
        """Lose the budget if there is nothing to do with it."""
        if not self.has_work():
            self.budget = 0


@dataclass(eq=False)
class Sporadic(ServerState):
    """Gets back what it was charged, a period after it became eligible.

    Args:
        eligible_since: t_a, the instant at which it became eligible.
        charged: ticks that it was charged since then.
        returns: (instant, ticks) that will come back, soonest first.
    """

    eligible_since: int = 0
    charged: int = 0
    returns: list[tuple[int, int]] = field(default_factory=list)

    def deadline(self) -> int:
        """Return the instant at which the budget that is charged now returns."""
        return self.eligible_since + self.spec.period

    def next_replenishment(self) -> int | None:
        """Return its offset, then the next return."""
        if self.replenishment is not None:
            return self.replenishment
        return self.returns[0][0] if self.returns else None

    def replenish(self) -> None:
        """Fill the budget at the offset, add a return later."""
        if self.replenishment is None:
            self.budget += self.returns.pop(0)[1]
            return
        self.replenishment = None
        self.budget = self.spec.budget

    def budget_at(self, now: int) -> int:
        """Return its budget at an instant, with the returned amounts."""
        if self.replenishment is not None:
            return super().budget_at(now)
        return self.budget + sum(ticks for instant, ticks in self.returns if instant <= now)

    def charge(self) -> None:
        """Take a tick of its budget and note it."""
        super().charge()
        self.charged += 1

    def become_eligible(self, instant: int) -> None:
        """Begin to note what it is charged."""
        self.eligible_since = instant
        self.charged = 0

    def cease_to_be_eligible(self, instant: int) -> None:
        """Give back what it was charged: at once if the replenishments of that instant have been handled already."""
        due = max(self.deadline(), instant)
        if self.charged > 0 and due <= self.home.handled:
            self.budget += self.charged
        elif self.charged > 0:
            self.expect(due, self.charged)

    def expect(self, due: int, ticks: int) -> None:
        """Note a return; one too many goes together with the last one."""
        if len(self.returns) == MAX_RETURNS:
            ticks += self.returns.pop()[1]
        self.returns.append((due, ticks))


@dataclass(eq=False)
class StrictSporadic(Sporadic):
    """Gets back each tick a period after the tick was there and the server eligible; uses the oldest tick first.

    Args:
        there: since when each tick of the budget has been there, the oldest first.
        used: the same of the ticks that it was charged since it became eligible.
    """

    there: list[int] = field(default_factory=list)
    used: list[int] = field(default_factory=list)

    def replenish(self) -> None:
        """Note since when the ticks are there."""
        instant, before = self.next_replenishment(), self.budget
        super().replenish()
        assert instant is not None
        self.there += [instant] * (self.budget - before)

    def charge(self) -> None:
        """Take the oldest tick."""
        super().charge()
        self.used.append(self.there.pop(0))

    def become_eligible(self, instant: int) -> None:
        """Begin to note what it is charged."""
        super().become_eligible(instant)
        self.used = []

    def cease_to_be_eligible(self, instant: int) -> None:
        """Give back each tick that it was charged."""
        returns = [max(max(self.eligible_since, since) + self.spec.period, instant) for since in self.used]
        for due in sorted(set(returns)):
            ticks = returns.count(due)
            if due <= self.home.handled:
                self.budget += ticks
                self.there += [due] * ticks
            else:
                self.expect(due, ticks)


class ConstantBandwidth(ServerState):
    """Has a deadline of its own and puts it off to get a budget; has begun once its offset has been handled."""

    due: int = 0

    def is_awake(self) -> bool:
        """True: events inside it are always handled."""
        return True

    def has_begun(self) -> bool:
        """True if its offset was handled."""
        return self.replenishment is None

    def deadline(self) -> int:
        """Return d."""
        return self.due

    def replenish(self) -> None:
        """Begin at the offset; work that waits arrives then."""
        self.replenishment = None
        self.budget = self.spec.budget
        self.due = self.spec.offset
        if self.has_work():
            self.get_work(self.spec.offset)

    def get_work(self, instant: int) -> None:
        """Take a new budget and deadline if what is left would be more than its bandwidth up to d."""
        if self.has_begun() and self.budget * self.spec.period >= (self.due - instant) * self.spec.budget:
            self.budget = self.spec.budget
            self.due = instant + self.spec.period

    def exhaust(self) -> None:
        """Put off the deadline for a new budget if there is work and no budget."""
        if self.has_begun() and self.has_work() and not self.is_active():
            self.put_off()

    def put_off(self) -> None:
        """Take a new budget with a deadline one period later."""
        self.budget = self.spec.budget
        self.due += self.spec.period


class HardConstantBandwidth(ConstantBandwidth):
    """Gets its new budget only at the deadline."""

    def next_replenishment(self) -> int | None:
        """Return the offset, then the deadline for which exhausted work waits."""
        is_waiting = self.has_begun() and self.has_work() and not self.is_active()
        return self.due if is_waiting else self.replenishment

    def replenish(self) -> None:
        """Begin at the offset, put the deadline off later."""
        if self.has_begun():
            self.put_off()
        else:
            super().replenish()

    def exhaust(self) -> None:
        """Wait."""


class Rule(ServerState):
    """Only gives its tasks their deadlines (rules.py), which compete where it stands: it is never charged."""

    def is_replenishment_due(self, now: int) -> bool:
        """False: it has no replenishments."""
        return False


CLASS_OF_KIND: dict[str, type[ServerState]] = {
    "deferrable": ServerState,
    "idling": Idling,
    "polling": Polling,
    "sporadic": Sporadic,
    "sporadic-strict": StrictSporadic,
    "cbs": ConstantBandwidth,
    "hard-cbs": HardConstantBandwidth,
    "tbs": Rule,
    "cus": Rule,
}


def build_servers(system: System, root: Dispatcher) -> list[ServerState]:
    """Return the servers, placed in the tree; a parent may stand after its child in the file."""
    insides = {spec.name: Dispatcher(spec.policy) for spec in system.servers}
    servers = []
    for file_order, spec in enumerate(system.servers):
        home = root if spec.parent is None else insides[spec.parent]
        server = CLASS_OF_KIND[spec.kind](spec, file_order, home, insides[spec.name], spec.offset)
        server.inside.owner = server
        if spec.kind in RULE_KINDS:
            server.budget, server.replenishment = spec.budget, None
        home.servers.append(server)
        servers.append(server)
    return servers
