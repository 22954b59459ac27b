# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Which of several plain threads runs that lock mutexes: SPEC.md, 9, once more, slow and obvious.

Threads of one home have priorities, the larger the more urgent, and stand in one list in the order in which they would
be chosen; under edf too, behind those to which a ceiling gives a deadline. A server stands among them with a priority
and a budget, and has threads of its own. Every question is answered by a look at all. Nothing here knows core.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

MOST_URGENT = 1 << 20  # no thread displaces
BACKGROUND = -(1 << 20)  # behind every deadline
PRIORITIES = 30  # of the kernel


@dataclass(eq=False)
class Mutex:
    """What one thread at a time holds, and the threads that are not ready because of that."""

    protocol: str
    ceiling: int = 0
    holder: Contender | None = None
    since: int = 0  # its lock
    depth: int = 0  # locks of a recursive one; what it was if no thread holds it
    parked: list[Contender] = field(default_factory=list)


@dataclass(eq=False)
class Contender:
    """What the rules know of a thread, or of a server."""

    priority: int
    number: int = 0  # in the order of creation
    inside: Home | None = None  # what competes there, if it is a server
    ready: bool = False
    held: list[Mutex] = field(default_factory=list)  # in the order of the locks
    wants: Mutex | None = None
    parked_at: Mutex | None = None
    circle: Mutex | None = None  # what it waits for in a circle that was reported

    def is_away(self) -> bool:
        """True if it is not ready, and not because of a mutex."""
        return not self.ready and self.parked_at is None


class Home:
    """Threads that compete with one another, and what they have locked."""

    def __init__(self, clock: Callable[[], int]) -> None:
        """Begin without threads; `clock` says what time it is."""
        self.clock = clock
        self.tell_change: Callable[[], None] = lambda: None
        self.ready: list[Contender] = []
        self.locked: list[Mutex] = []  # in the order of the locks

    # -- urgency

    def level(self, thread: Contender) -> int:
        """By what ceilings judge it."""
        return thread.priority

    def own_force(self, thread: Contender) -> int:
        """How urgent it is by itself."""
        return thread.priority

    def ceiling_key(self, mutex: Mutex) -> int:
        """Urgency of a holder by a ceiling."""
        return mutex.ceiling

    def force(self, thread: Contender) -> int:
        """Its urgency: its own, or that of what it holds."""
        boosts = [MOST_URGENT for mutex in thread.held if mutex.protocol == "npcs"]
        boosts += [self.ceiling_key(mutex) for mutex in thread.held if mutex.protocol == "icpp"]
        return max([self.own_force(thread), *boosts])

    def key(self, thread: Contender) -> int:
        """Return what is compared between threads of several homes: the number that the kernel has, the least first."""
        return max(0, PRIORITIES - self.force(thread))

    def has_equals(self, thread: Contender) -> bool:
        """True if `thread` is ready, and another one that is as urgent."""
        equals = [other for other in self.ready if self.force(other) == self.force(thread)]
        return thread in equals and len(equals) > 1

    def is_first_of_equals(self, thread: Contender) -> bool:
        """True if it also stands ahead of them."""
        return self.has_equals(thread) and thread is next(
            other for other in self.ready if self.force(other) == self.force(thread)
        )

    def best(self) -> Contender:
        """Return the most urgent ready one."""
        return self.ready[0]

    # -- places

    def stand(self, thread: Contender, *, is_first: bool) -> None:
        """Put it ahead of or behind its equals."""
        least = self.force(thread) + is_first
        ahead = [other for other in self.ready if self.force(other) >= least]
        self.ready.insert(len(ahead), thread)

    def move(self, thread: Contender, *, is_first: bool) -> None:
        """Likewise one that is ready."""
        self.ready.remove(thread)
        self.stand(thread, is_first=is_first)

    def join(self, thread: Contender) -> None:
        """Make it ready, behind its equals."""
        thread.ready = True
        self.stand(thread, is_first=False)
        self.tell_change()

    def leave(self, thread: Contender) -> None:
        """Make it not ready."""
        self.ready.remove(thread)
        thread.ready = False
        self.tell_change()

    # -- which thread blocks which

    def ceiling_over(self, thread: Contender, mutexes: list[Mutex]) -> Mutex | None:
        """Return the highest ceiling of others' `mutexes` if it bars `thread`; of several the last lock."""
        others = [mutex for mutex in mutexes if mutex.holder is not thread]
        highest = max(reversed(others), key=lambda mutex: mutex.ceiling, default=None)
        return highest if highest is not None and highest.ceiling >= self.level(thread) else None

    def bar(self, thread: Contender) -> Mutex | None:
        """Return what keeps `thread` from running at all."""
        return self.ceiling_over(thread, [m for m in self.locked if m.protocol == "srp" and m.holder in self.ready])

    def obstacle(self, thread: Contender) -> Mutex | None:
        """Return what must be unlocked before `thread` has its mutex."""
        if thread.wants is None:
            return None
        if thread.wants.protocol == "pcp":
            ceiling = self.ceiling_over(thread, [mutex for mutex in self.locked if mutex.protocol == "pcp"])
            if ceiling is not None:
                return ceiling
        return thread.wants if thread.wants.holder is not None else None

    def blocker(self, thread: Contender) -> Contender | None:
        """Return the holder."""
        obstacle = self.obstacle(thread)
        return obstacle.holder if obstacle is not None else None

    # -- not ready because of a mutex

    def park(self, thread: Contender, mutex: Mutex) -> None:
        self.leave(thread)
        mutex.parked.append(thread)
        thread.parked_at = mutex

    def take_parked(self, mutex: Mutex) -> list[Contender]:
        """Return all that are parked at `mutex`, removed from there."""
        parked, mutex.parked = mutex.parked, []
        for thread in parked:
            thread.parked_at = None
        return parked

    def take_waiters(self, thread: Contender) -> list[Contender]:
        """Return all that wait for what `thread` holds, removed, the last lock first."""
        return [waiter for mutex in reversed(thread.held) for waiter in self.take_parked(mutex)]

    def come_back(self, threads: list[Contender]) -> None:
        """Let them compete again, and those that wait for them, and so on; waiters under none still wait."""
        while threads:
            thread, *threads = threads
            if thread.wants is not None and thread.wants.protocol == "none" and thread.wants.holder is not None:
                thread.wants.parked.append(thread)
                thread.parked_at = thread.wants
            else:
                self.join(thread)
            threads += self.take_waiters(thread)

    def stop_waiting_in_place(self, thread: Contender) -> bool:
        """Remove `thread` from its place, and out of a circle; return whether it stood anywhere."""
        self.forget_circle(thread)
        place, thread.parked_at = thread.parked_at, None
        if place is not None:
            place.parked.remove(thread)
        return place is not None

    # -- circles

    def circle_through(self, thread: Contender) -> list[Contender]:
        """Return those that wait for one another, from `thread` on; none if it does not wait for itself in the end."""
        chain = [thread]
        while (following := self.blocker(chain[-1])) is not None and following.circle is None:
            if following is thread:
                return chain
            if following in chain:
                return []
            chain.append(following)
        return []

    def circle_behind(self, thread: Contender | None) -> list[Contender]:
        """Return the circle to which the chain from `thread` on leads."""
        seen: list[Contender] = []
        while thread is not None and thread.circle is None and thread not in seen:
            circle = self.circle_through(thread)
            if circle:
                return circle
            seen.append(thread)
            thread = self.blocker(thread)
        return []

    def report(self, circle: list[Contender]) -> None:
        """None of them is ready from now on."""
        for thread in circle:
            thread.circle = self.obstacle(thread)
        for thread in circle:
            if thread.ready:
                assert thread.circle is not None
                self.park(thread, thread.circle)

    def forget_circle(self, thread: Contender) -> None:
        """The circle of `thread`, if it is in one, is none any more."""
        while thread.circle is not None:
            holder, thread.circle = thread.circle.holder, None
            assert holder is not None
            thread = holder

    # -- what happens

    def hold(self, thread: Contender, mutex: Mutex) -> None:
        before = self.force(thread)
        thread.wants, mutex.holder, mutex.since = None, thread, self.clock()
        thread.held.append(mutex)
        self.locked.append(mutex)
        self.put_ahead_unless(thread, before)

    def put_ahead_unless(self, thread: Contender, before: int) -> None:
        """Put `thread` ahead of its new equals, unless they are those of `before`."""
        if self.force(thread) != before:
            self.move(thread, is_first=True)

    def lock(self, thread: Contender, mutex: Mutex) -> None:
        """Let `thread`, which runs, want `mutex`."""
        thread.wants = mutex
        if self.obstacle(thread) is None:
            self.hold(thread, mutex)
        elif circle := self.circle_through(thread):
            self.report(circle)
        elif mutex.protocol == "none":
            self.park(thread, mutex)

    def unlock(self, thread: Contender, mutex: Mutex) -> None:
        """Free what `thread`, which runs, holds."""
        before = self.force(thread)
        thread.held.remove(mutex)
        mutex.holder = None
        self.locked.remove(mutex)
        self.put_ahead_unless(thread, before)
        self.come_back(self.take_parked(mutex))

    def withdraw(self, thread: Contender) -> None:
        """`thread` does not want anything any more."""
        stood = self.stop_waiting_in_place(thread)
        thread.wants = None
        if stood:
            self.come_back([thread])

    def wake(self, thread: Contender) -> None:
        """`thread`, which was away, is there again."""
        self.come_back([thread])

    def set_priority(self, thread: Contender, priority: int) -> None:
        before = self.force(thread)
        thread.priority = priority
        if thread.ready and self.force(thread) != before:
            self.move(thread, is_first=False)
        is_in_circle_still = thread.circle is not None and thread.circle is self.obstacle(thread)
        waits_under_none = thread.wants is not None and thread.wants.protocol == "none"
        if thread.parked_at is not None and not is_in_circle_still and not waits_under_none:
            self.stop_waiting_in_place(thread)
            self.come_back([thread])

    # -- which thread runs

    def choose(self) -> Contender | None:
        """Return what runs, a server if that idles; which blocks which is computed at every call."""
        while self.ready:
            runs = self.instead_of(self.best())
            if runs is not None and runs.wants is not None:
                self.hold(runs, runs.wants)
            inner = runs.inside.choose() if runs is not None and runs.inside is not None else None
            if runs is not None and runs.ready:
                return inner or runs
        return None

    def instead_of(self, best: Contender) -> Contender | None:
        """Return what runs because `best` is chosen; None if the choice is to be made again."""
        obstacle = self.bar(best) or self.obstacle(best)
        if obstacle is None:
            return best
        if obstacle.protocol == "none":
            self.park(best, obstacle)
            return None
        if circle := self.circle_behind(best):
            self.report(circle)
            return None
        assert obstacle.holder is not None
        end = self.end_of_chain(obstacle.holder)
        if end is None:
            self.take_out(best, obstacle)
        return end

    def end_of_chain(self, thread: Contender) -> Contender | None:
        """Return what runs in the end instead of one that `thread` blocks."""
        while thread.circle is None and not thread.is_away():
            blocker = self.blocker(thread)
            if blocker is None:
                return thread if thread.ready else None
            thread = blocker
        return None

    def take_out(self, best: Contender, obstacle: Mutex) -> None:
        """`best` is not ready any more if it waits for what `obstacle` is, nor are those between."""
        if obstacle is self.obstacle(best):
            self.park(best, obstacle)
        thread = obstacle.holder
        while thread is not None and thread.ready:
            following = self.obstacle(thread)
            assert following is not None
            self.park(thread, following)
            thread = following.holder


class DeadlineHome(Home):
    """The same under edf: threads have no deadlines, unless a ceiling gives one."""

    def level(self, thread: Contender) -> int:
        """All are behind entities with a deadline."""
        return BACKGROUND

    def own_force(self, thread: Contender) -> int:
        """Behind these, too, but by priority among themselves."""
        return BACKGROUND + thread.priority

    def has_deadline(self, thread: Contender) -> bool:
        return self.force(thread) != self.own_force(thread)

    def ceiling_key(self, mutex: Mutex) -> int:
        """A deadline: so many ticks after the lock as there are levels above the ceiling, and one."""
        return -(mutex.since + PRIORITIES - mutex.ceiling)

    def key(self, thread: Contender) -> int:
        """Return its deadline; those without one come last, by priority."""
        return max(0, -self.force(thread))

    def best(self) -> Contender:
        """Of equal deadlines a holder or waiter goes first, then the one created first."""
        with_deadline = [thread for thread in self.ready if self.has_deadline(thread)]
        if not with_deadline:
            return self.ready[0]
        return max(with_deadline, key=lambda thread: (self.force(thread), self.is_involved(thread), -thread.number))

    def has_equals(self, thread: Contender) -> bool:
        """Numbers decide among deadlines."""
        return not self.has_deadline(thread) and super().has_equals(thread)

    @staticmethod
    def is_involved(thread: Contender) -> bool:
        return bool(thread.held) or thread.wants is not None


class Server:
    """A deferrable server, or an idling one: then it also pays while nothing inside has work."""

    def __init__(self, parent: Home, inside: Home, priority: int, period: int, capacity: int, offset: int) -> None:
        """It has no budget before `offset`."""
        self.place = Contender(priority, inside=inside)
        self.parent, self.inside = parent, inside
        self.period, self.capacity, self.replenishment = period, capacity, offset
        self.idles = False
        self.budget = 0
        self.is_active = False
        inside.tell_change = self.compete

    def compete(self) -> None:
        """Stand in the parent, behind equals if it has not, if there is budget and something to do; else do not."""
        is_eligible = self.is_active and (self.idles or self.inside.ready != [])
        if is_eligible and not self.place.ready:
            self.parent.join(self.place)
        elif self.place.ready and not is_eligible:
            self.parent.leave(self.place)

    def pays_for(self, chosen: Contender | None) -> bool:
        """True if it pays for the chosen one: itself if it idles."""
        return chosen is self.place or chosen in self.inside.ready

    def exhaust(self) -> None:
        if self.is_active and self.budget == 0:
            self.is_active = False
            self.compete()

    def replenish(self, now: int) -> None:
        if self.replenishment <= now:
            self.replenishment += self.period
            self.budget, self.is_active = self.capacity, True
            self.compete()
