# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The virtual time of a fluid system that serves all backlogged flows at once.

Source: algorithms.md 5.4, 9.3 and the scale of 2.2.

What the specification leaves open, and the rule here: tags are whole numbers of 1/SCALE, rounded down; virtual time
is rounded down where a tag is made of it, and exact between; a flow is backlogged until virtual time reaches its last
finish tag; while no flow is backlogged virtual time stands still.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

SCALE = 18_018_000


@dataclass
class FluidClock:
    """Virtual time and the tags of the flows; it goes from departure to departure.

    Args:
        shares: of the flows.
        tags: last finish tag of every flow.
        time: the real instant at which it stands.
        value: the virtual time there.
        packets: number of tags that were made.
        last_start: virtual start of the last tag.
    """

    shares: dict[str, Fraction]
    tags: dict[str, int] = field(default_factory=dict)
    time: Fraction = Fraction(0)
    value: Fraction = Fraction(0)
    packets: int = 0
    last_start: int = 0

    def tag(self, flow: str, length: int, now: int) -> tuple[int, int]:
        """Return virtual start and finish of a packet that arrives now."""
        self.advance(now)
        self.last_start = max(self.tags.get(flow, 0), self.value.__floor__())
        self.tags[flow] = self.last_start + (length * SCALE / self.shares[flow]).__floor__()
        self.packets += 1
        return self.last_start, self.tags[flow]

    def advance(self, now: int) -> None:
        """Go on to a real instant."""
        while self.time < now and self.backlogged():
            next_departure = min(self.tags[flow] for flow in self.backlogged())
            until = min(Fraction(now), self.instant_within_slope(Fraction(next_departure)))
            self.value += (until - self.time) * SCALE / self.load()
            self.time = until
        self.time = Fraction(now)

    def backlogged(self) -> list[str]:
        """Return the flows that the fluid system still serves."""
        return [flow for flow, tag in self.tags.items() if tag > self.value]

    def load(self) -> Fraction:
        """Sum the shares of the backlogged flows."""
        return sum((self.shares[flow] for flow in self.backlogged()), Fraction(0))

    def instant_within_slope(self, value: Fraction) -> Fraction:
        """Return the real instant of a virtual time that is not after the next departure."""
        return self.time + (value - self.value) * self.load() / SCALE

    def instant_of(self, value: int, now: int) -> int:
        """Return the first whole instant at which virtual time has reached a value, if no packet comes any more."""
        ahead = FluidClock(self.shares, dict(self.tags), self.time, self.value)
        ahead.advance(now)
        while ahead.value < value:
            now += 1
            ahead.advance(now)
        return now
