# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Resources that servers share: in which parent, and how long one is held in a server.

Source: SPEC.md, section 9. Left out: jobs that demand more than their wcet.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from takt.model.bodies import Op

Value = TypeVar("Value", int, int | str)
"""Of an item: ticks, or a resource by its number or its name."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A task in a server, as far as it matters for how long others of the server hold something. Times in ticks.

    Args:
        name: of the task.
        level: its level in the server, smaller = higher.
        wcet: of its jobs.
        separation: least distance of two arrivals, None if there is none.
        jitter: how much later than its arrival a job may be released.
        items: op, and ticks or the name of a resource, of each item of its body.
    """

    name: str
    level: int
    wcet: int
    separation: int | None
    jitter: int
    items: tuple[tuple[Op, int | str], ...]

    def uses(self, resource: str) -> bool:
        """True if its jobs lock a resource."""
        return (Op.LOCK, resource) in self.items

    def can_be_away(self, waited_for: Collection[str]) -> bool:
        """True if its job can suspend itself, or wait for budget before it locks one of some resources."""
        return any(op == Op.SUSPEND or (op == Op.LOCK and what in waited_for) for op, what in self.items)


class UnboundedError(Exception):
    """A section may last for any time: named is a task without a least separation that can displace the holder."""


def shared_parent(homes: Collection[str | None], parents: Mapping[str, str | None]) -> tuple[str | None] | None:
    """Return the dispatcher whose servers share what tasks in some dispatchers lock; it may be one of these.

    Args:
        homes: servers that hold the users, None is the root.
        parents: of each server.

    Returns:
        The parent in a tuple; None if there is none.
    """
    inside = {home: parents[home] for home in homes if home is not None and home in parents}
    for parent in dict.fromkeys(inside.values()):
        if all(home == parent or (home is not None and inside.get(home, home) == parent) for home in homes):
            return (parent,)
    return None


def longest_hold(
    resource: str,
    neighbours: Sequence[Neighbour],
    waited_for: Collection[str],
    limit: int,
    others: Callable[[int], int] = lambda ticks: 0,
) -> int:
    """Return the longest execution of a server between a lock of a resource by one of its tasks and the unlock.

    That is the longest section plus the jobs of tasks above the local ceiling that are released meanwhile, one more of
    a task that can come back from a suspension or from waiting. X of a resource counts no other servers.

    Args:
        resource: its name.
        neighbours: all tasks of the server.
        waited_for: names of the resources under sirap.
        limit: a longer one need not be exact.
        others: what the processor executes of others in so many ticks from the lock on, at most.

    Raises:
        UnboundedError: a task above the ceiling may come any number of times, or others execute for longer than the
            limit.
    """
    users = [task for task in neighbours if task.uses(resource)]
    ceiling = min(task.level for task in users)
    section = max(longest_section(task.items, task.wcet, resource) for task in users)
    above = [task for task in neighbours if task.level < ceiling]
    found, longest = 0, section
    while above and (stretch := longest + others(found)) != found and longest <= limit:
        if stretch - longest > limit:
            raise UnboundedError(resource)
        found, longest = stretch, section
        for task in above:  # none is ready at the lock
            if task.separation is None:
                raise UnboundedError(task.name)
            jobs = -(-(found + task.jitter) // task.separation) + task.can_be_away(waited_for)
            longest += jobs * task.wcet
    return longest


def longest_section(items: Sequence[tuple[Op, int | str]], wcet: int, resource: str) -> int:
    """Return the longest execution of a job with a body and a wcet between a lock of a resource and its unlock."""
    longest, length, is_inside = 0, 0, False
    for op, what in within(items, wcet):
        if op == Op.RUN and is_inside and isinstance(what, int):
            length += what
        elif what == resource:
            is_inside, length = op == Op.LOCK, 0
        longest = max(longest, length)
    return longest


def within(items: Sequence[tuple[int, Value]], wcet: int) -> Iterator[tuple[int, int | Value]]:
    """Yield the items of a body within a wcet; its last run has the part of the wcet that no run has.

    A finished demand executes all unlocks, and no lock.
    """
    last = max((place for place, (op, _) in enumerate(items) if op == Op.RUN), default=0)
    left = wcet
    for place, (op, what) in enumerate(items):
        if op == Op.RUN and isinstance(what, int):
            length = left if place == last else min(what, left)
            left -= length
            yield op, length
        elif left > 0 or op == Op.UNLOCK:
            yield op, what
