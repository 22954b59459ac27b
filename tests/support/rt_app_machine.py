# SPDX-License-Identifier: Apache-2.0 OR MIT
"""rt-app and the scheduling classes of Linux once more, on one processor, microsecond by microsecond.

Written from rt-app 1.0's tutorial.txt and sched-deadline.rst; uses nothing of Takt. A thread executes its events as
rt-app does, loop by loop; nothing here knows jobs. Left out: events that wait for other threads, SCHED_OTHER.

Of equals Linux runs the one that was enqueued first, and which of those of one instant that is depends on timers.
Takt's rules for them are here, too, so that all else can be compared.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Sequence
from typing import Any

Event = tuple[str, Any]


def events(spec: dict[str, Any], was_late: list[str]) -> Generator[Event, int, None]:
    """The events of a thread that take time or a mutex; each is sent the instant at which it is over."""
    now = yield "until", spec.get("delay", 0)
    timers: dict[str, int] = {}
    phases = list(spec.get("phases", {"": spec}).values())
    rounds = spec.get("loop", -1) if "phases" in spec else 1
    while rounds != 0:
        rounds -= 1
        for phase in phases:
            left = phase.get("loop", 1 if "phases" in spec else -1)
            while left != 0:
                left -= 1
                for key, value in phase.items():
                    if key.startswith("timer"):
                        name = value["ref"]
                        timers[name] = timers.get(name, spec.get("delay", 0)) + value["period"]
                        if now < timers[name]:
                            now = yield "until", timers[name]
                        else:
                            was_late.append(key)
                    elif key.startswith("sleep"):
                        now = yield "until", now + value
                    elif key.startswith(("run", "lock", "unlock")):
                        now = yield key.rstrip("0123456789"), value


class Thread:
    """A thread: what it executes next, and the key by which the kernel orders it, smallest first."""

    def __init__(self, number: int, name: str, spec: dict[str, Any], *, is_first: bool) -> None:
        self.number, self.name, self.is_first = number, name, is_first
        self.was_late: list[str] = []
        self.source = events(spec, self.was_late)
        self.next: Event | None = next(self.source)
        self.is_ready = False
        self.is_reserved = spec["policy"] == "SCHED_DEADLINE"
        self.priority = spec.get("priority", 10)
        if self.is_reserved:
            self.runtime, self.period = spec["dl-runtime"], spec["dl-period"]
            self.relative = spec["dl-deadline"]
        self.budget = self.deadline = 0
        self.enqueued: int | None = None
        self.is_new = True

    @property
    def key(self) -> tuple[int, ...]:
        """Class, then deadline or priority; then by Linux since when, by Takt the place in the file."""
        if self.enqueued is not None:
            return (0, self.deadline, self.enqueued) if self.is_reserved else (1, -self.priority, self.enqueued)
        return (
            (0, self.deadline, not self.is_first, self.number) if self.is_reserved else (1, -self.priority, self.number)
        )

    @property
    def can_run(self) -> bool:
        """True if it is ready, and has budget if it needs some."""
        return self.is_ready and self.next is not None and (self.budget > 0 or not self.is_reserved)

    def advance(self, now: int) -> None:
        """Go on to the next event."""
        try:
            self.next = self.source.send(now)
        except StopIteration:
            self.next = None
        self.is_ready = self.next is not None and self.next[0] != "until"

    def wake(self, now: int, *, keeps: bool) -> None:
        """End a sleep, and apply the wake-up rule of the constant bandwidth server.

        Args:
            now: the instant.
            keeps: whether a deadline is kept with which the budget is exactly the bandwidth, as Linux does.
        """
        self.advance(now)
        if not self.is_ready or not self.is_reserved:
            return
        left, room = self.budget * self.relative, (self.deadline - now) * self.runtime
        if left > room or (left == room and (not keeps or self.is_new)):
            self.budget, self.deadline = self.runtime, now + self.relative
        self.is_new = False

    def replenish(self, now: int) -> bool:
        """End the throttling of a thread without budget; True if it did."""
        if (
            self.is_ready
            and self.is_reserved
            and self.budget == 0
            and now >= self.deadline - self.relative + self.period
        ):
            self.budget, self.deadline = self.runtime, self.deadline + self.period
            return True
        return False


class Machine:
    """One processor and its threads.

    Args:
        document: a file of rt-app.
        first: of reservations with one deadline, the threads that go first; then the order of the file decides.
        order: by Linux's rules for equals, in which order threads are enqueued at one instant.
    """

    def __init__(
        self, document: dict[str, Any], first: Collection[str] = (), order: Sequence[int] | None = None
    ) -> None:
        self.threads = [
            Thread(number, name, spec, is_first=name in first)
            for number, (name, spec) in enumerate(document["tasks"].items())
        ]
        self.is_linux = order is not None
        self.order = self.threads if order is None else [self.threads[number] for number in order]
        self.count = 0
        self.inherits = document.get("global", {}).get("pi_enabled", False)
        self.owners: dict[str, Thread] = {}

    def blocker(self, thread: Thread) -> Thread | None:
        """Who holds what a thread would lock now."""
        assert thread.next is not None
        kind, value = thread.next
        return self.owners.get(value) if kind == "lock" else None

    def chosen(self) -> Thread | None:
        """The thread that runs: the most urgent one; with inheritance the holder of what that one wants."""
        ready = sorted((one for one in self.threads if one.can_run), key=lambda one: one.key)
        for thread in ready:
            found: Thread | None = thread
            while found is not None and found.can_run and (holder := self.blocker(found)) is not None:
                found = holder if self.inherits else None
            if found is not None and found.can_run:
                return found
        return None

    def settle(self, now: int) -> Thread | None:
        """Process all that takes no time, and return the thread that runs then."""
        while True:
            for thread in self.order:
                while thread.next is not None and thread.next[0] == "until" and thread.next[1] <= now:
                    thread.wake(now, keeps=self.is_linux)
                    self.enqueue(thread)
                if thread.replenish(now):
                    self.enqueue(thread)
            thread_or_none = self.chosen()
            if thread_or_none is None or (thread_or_none.next or ("",))[0] == "run":
                return thread_or_none
            assert thread_or_none.next is not None
            self.owners[thread_or_none.next[1]] = thread_or_none
            thread_or_none.advance(now)
            self.release(thread_or_none, now)

    def enqueue(self, thread: Thread) -> None:
        """Put a thread behind its equals."""
        self.count += 1
        if self.is_linux:
            thread.enqueued = self.count

    def release(self, thread: Thread, now: int) -> None:
        """Unlock what a thread unlocks next: nothing comes between it and what was executed before."""
        while thread.next is not None and thread.next[0] == "unlock":
            del self.owners[thread.next[1]]
            thread.advance(now)

    def run(self, horizon: int) -> list[str | None]:
        """The name of the thread that runs in each microsecond."""
        names: list[str | None] = []
        for now in range(horizon):
            thread = self.settle(now)
            names.append(thread.name if thread else None)
            if thread is None or thread.next is None:
                continue
            thread.budget -= 1
            left = thread.next[1] - 1
            thread.next = ("run", left)
            if left == 0:
                thread.advance(now + 1)
                self.release(thread, now + 1)
        return names
