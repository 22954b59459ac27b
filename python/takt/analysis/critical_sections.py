# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Critical sections of a job, and for how long others may have to wait for its holder.

A preemptive holder that runs instead of a job that it blocks gives way where it unlocks. A non-preemptive holder runs
on to its next point. At a point inside a section, and at a further lock there, which may be refused, it gives way to
others while it holds something: only then do others see what it holds. Then it delays them up to the first point at
which it holds nothing. A job with a threshold that is refused a further lock starts again, and runs on to its end.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from takt.model.bodies import Op
from takt.model.holding_times import within

Body = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A critical section of a job. Times in ticks.

    Args:
        resource: number of the resource among those of the system.
        length: the longest execution from the lock to the unlock.
        outer: numbers of the resources that the job holds already.
        reach: the longest execution from the lock to where the holder gives way to those that it blocks; 1 more if it
            may hold the resource before it has executed any of that.
        stretch: the same from the begin of the region in which it locks.
        is_seen: whether others can run, and so request the resource, while the job holds it.
        gives_way: whether a started job gives way to others inside the section.
    """

    resource: int
    length: int
    outer: tuple[int, ...]
    reach: int
    stretch: int
    is_seen: bool
    gives_way: bool


@dataclass(slots=True)
class _Held:
    """A resource that is held: since when, in what, in which region, and where its job gives way first."""

    resource: int
    begin: int
    outer: tuple[int, ...]
    region: int
    gap: int | None = None
    end: int = 0


@dataclass(slots=True)
class _Walk:
    """Goes through a body.

    Args:
        has_regions: whether started jobs are displaced at points only.
        is_limited: whether started jobs are displaced by some that are more urgent only.
    """

    has_regions: bool
    is_limited: bool
    executed: int = 0
    region: int = 0
    held: dict[int, _Held] = field(default_factory=dict)
    ending: list[_Held] = field(default_factory=list)
    found: list[Section] = field(default_factory=list)

    def lock(self, resource: int) -> None:
        """Lock, which may be refused inside of another section."""
        self._give_way()
        self.held[resource] = _Held(resource, self.executed, tuple(self.held), self.region)

    def unlock(self, resource: int) -> None:
        """Unlock; a started job continues."""
        held = self.held.pop(resource, None)
        if held is None:
            return
        held.end = self.executed
        self.ending.append(held)
        if not self.is_limited:
            self._finish()

    def point(self) -> None:
        if self.has_regions:
            self._give_way()
            self.region = self.executed
            if not self.held:
                self._finish()

    def end(self) -> None:
        """Process the end of the job, which unlocks what is held."""
        for resource in list(self.held):
            self.unlock(resource)
        self._finish()

    def _give_way(self) -> None:
        for held in self.held.values():
            if held.gap is None and self.is_limited:
                held.gap = self.executed

    def _finish(self) -> None:
        """Record the sections that have ended, now that the job gives way with nothing held."""
        for held in self.ending:
            gives_way = held.gap is not None
            end = self.executed if gives_way else held.end
            section = Section(
                held.resource,
                held.end - held.begin,
                held.outer,
                reach=end - held.begin + (held.gap == held.begin),
                stretch=end - (held.region if self.has_regions else held.begin),
                is_seen=gives_way or not self.has_regions,
                gives_way=gives_way,
            )
            self.found.append(section)
        self.ending.clear()


@lru_cache(maxsize=4096)
def sections_of(body: Body, wcet: int, *, has_regions: bool, is_limited: bool) -> tuple[Section, ...]:
    """Return the sections of a body within a wcet; one that holds a resource at the end has no unlock.

    Searches examine the same bodies repeatedly, so results are cached.

    Args:
        body: op and ticks, or number of a resource, of each item.
        wcet: what it has beyond the runs is in the last run.
        has_regions: whether started jobs are displaced at points only.
        is_limited: whether that is so, or they have a threshold.
    """
    walk = _Walk(has_regions, is_limited)
    for op, value in within(body, wcet):
        if op == Op.RUN:
            walk.executed += value
        elif op == Op.LOCK:
            walk.lock(value)
        elif op == Op.UNLOCK:
            walk.unlock(value)
        elif op == Op.POINT:
            walk.point()
    walk.end()
    return tuple(walk.found)


def behind_last_lock(body: Body, wcet: int) -> int:
    """Return the execution from the last lock of a body to the end of the job."""
    executed = begin = 0
    for op, value in within(body, wcet):
        if op == Op.RUN:
            executed += value
        elif op == Op.LOCK:
            begin = executed
    return wcet - begin
