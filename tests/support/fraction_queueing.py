# SPDX-License-Identifier: Apache-2.0 OR MIT
"""WFQ and WF2Q in exact fractions, packet by packet.

Source: algorithms.md 5.4, 9.3, scale of 2.2. Virtual time goes tick by tick: in a tick the fluid system serves one
tick of work, so V(t+1) is the v at which what every flow gets between V(t) and min(v, its last tag) sums up to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor

SCALE = 18_018_000


@dataclass(eq=False)
class Flow:
    """A flow: its share and its packets (arrival, length), arrivals ascending."""

    name: str
    share: Fraction
    packets: tuple[tuple[int, int], ...]


@dataclass(eq=False)
class Packet:
    """A packet that waits or is sent."""

    flow: int
    number: int
    start: int
    finish: int
    left: int


def simulate(flows: tuple[Flow, ...], horizon: int, *, is_wf2q: bool) -> list[tuple[str, int] | None]:
    """Send packets by least virtual finish; WF2Q looks only at those whose virtual start has come.

    Returns:
        (flow, packet) of every tick.
    """
    last_tags = [0] * len(flows)
    virtual = Fraction(0)
    waiting: list[Packet] = []
    sending: Packet | None = None
    ticks: list[tuple[str, int] | None] = []
    for now in range(horizon):
        waiting += arrivals(flows, last_tags, virtual, now)
        if sending is None or sending.left == 0:
            eligible = [packet for packet in waiting if packet.start <= virtual or not is_wf2q]
            sending = min(eligible, key=lambda packet: (packet.finish, packet.flow, packet.number), default=None)
            waiting = [packet for packet in waiting if packet is not sending]
        ticks.append(None if sending is None else (flows[sending.flow].name, sending.number))
        if sending is not None:
            sending.left -= 1
        virtual = after_one_tick(flows, last_tags, virtual)
    return ticks


def arrivals(flows: tuple[Flow, ...], last_tags: list[int], virtual: Fraction, now: int) -> list[Packet]:
    """Tag the packets that arrive now."""
    arrived = []
    for place, flow in enumerate(flows):
        for number, (arrival, length) in enumerate(flow.packets):
            if arrival == now:
                start = max(last_tags[place], floor(virtual))
                last_tags[place] = start + floor(length * SCALE / flow.share)
                arrived.append(Packet(place, number, start, last_tags[place], length))
    return arrived


def after_one_tick(flows: tuple[Flow, ...], last_tags: list[int], virtual: Fraction) -> Fraction:
    """Return virtual time one tick later; it stops at the last tag of all."""
    value = virtual
    for tag in sorted({tag for tag in last_tags if tag > virtual}):
        if fluid_service(flows, last_tags, virtual, Fraction(tag)) >= 1:
            return value + (1 - fluid_service(flows, last_tags, virtual, value)) / slope(flows, last_tags, value)
        value = Fraction(tag)
    return value


def fluid_service(flows: tuple[Flow, ...], last_tags: list[int], begin: Fraction, end: Fraction) -> Fraction:
    """Sum what all flows get while virtual time goes from begin to end."""
    parts = [
        flow.share * max(Fraction(0), min(end, Fraction(tag)) - begin)
        for flow, tag in zip(flows, last_tags, strict=True)
    ]
    return sum(parts, Fraction(0)) / SCALE


def slope(flows: tuple[Flow, ...], last_tags: list[int], value: Fraction) -> Fraction:
    """Return the service per unit of virtual time just after a value."""
    shares = (flow.share for flow, tag in zip(flows, last_tags, strict=True) if tag > value)
    return sum(shares, Fraction(0)) / SCALE
