# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Weighted fair queueing and WF2Q with the whole numbers of SPEC.md, 3, tick by tick, by scanning all flows.

Virtual time goes up step by step from one last tag to the next: raising it by one takes as many units of work as the
weights of the backlogged flows add up to, and a tick brings TICK units.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

TICK = 18_018_000


@dataclass(eq=False)
class Flow:
    """A flow: its weight, the length of its packets, and when they arrive, not descending.

    Args:
        last: its last tag.
    """

    name: str
    weight: int
    length: int
    arrivals: tuple[int, ...]
    last: int = 0


@dataclass(eq=False)
class Packet:
    """A packet that was not sent: tags, and what is left of it."""

    place: int
    number: int
    start: int
    finish: int
    left: int


@dataclass
class Fluid:
    """The fluid system: virtual time, and the units that did not suffice to raise it."""

    flows: Sequence[Flow]
    time: int = 0
    kept: int = 0

    def pass_tick(self) -> None:
        """Spend the units of a tick."""
        units = self.kept + TICK
        while backlogged := [flow for flow in self.flows if flow.last > self.time]:
            price = sum(flow.weight for flow in backlogged)
            steps = min(units // price, min(flow.last for flow in backlogged) - self.time)
            if steps == 0:
                break
            self.time += steps
            units -= steps * price
        self.kept = units if backlogged else 0


def simulate(flows: Sequence[Flow], horizon: int, *, is_wf2q: bool) -> list[tuple[str, int] | None]:
    """Send packets by least tag, then place; give flow and number of the packet of every tick."""
    fluid = Fluid(flows)
    waiting: list[Packet] = []
    sending: Packet | None = None
    ticks: list[tuple[str, int] | None] = []
    for now in range(horizon):
        for place, flow in enumerate(flows):
            waiting += _arrived(flow, place, fluid.time, now)
        if sending is None or sending.left == 0:
            eligible = [packet for packet in waiting if packet.start <= fluid.time or not is_wf2q]
            sending = min(eligible, key=lambda packet: (packet.finish, packet.place, packet.number), default=None)
            waiting = [packet for packet in waiting if packet is not sending]
        ticks.append(None if sending is None else (flows[sending.place].name, sending.number))
        if sending is not None:
            sending.left -= 1
        fluid.pass_tick()
    return ticks


def _arrived(flow: Flow, place: int, virtual: int, now: int) -> list[Packet]:
    """Tag the packets of a flow that arrive now."""
    packets = []
    for number, arrival in enumerate(flow.arrivals):
        if arrival == now:
            start = max(flow.last, virtual)
            flow.last = start + flow.length * TICK // flow.weight
            packets.append(Packet(place, number, start, flow.last, flow.length))
    return packets
