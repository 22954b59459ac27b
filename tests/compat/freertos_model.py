# SPDX-License-Identifier: Apache-2.0 OR MIT
"""FreeRTOS' tasks, queues, semaphores, mutexes, notifications and event groups once more, from its public reference.

A slow scheduler of calls that take no time: the most urgent ready task continues, equals in FIFO order. Only work
takes time; ticks are instants. `predict` returns the lines that tests/compat/script.c prints for a script.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

TICK = 1000
NEVER = 99
AFTER = -1
"""A value that is read when the call returns."""
KINDS = [
    "work",
    "delay",
    "send",
    "send_front",
    "overwrite",
    "receive",
    "peek",
    "take",
    "give",
    "lock",
    "unlock",
    "priority",
    "suspend",
    "resume",
    "abort",
    "notify",
    "listen",
    "set",
    "clear",
    "await",
    "sync",
    "yield",
]
LENGTH = 2


@dataclass
class Call:
    """One call of a task."""

    kind: str
    object: int = 0
    ticks: int = 0
    value: int = 0


@dataclass(eq=False)
class Object:
    """What tasks wait for: a queue, a semaphore (of items without value), or a mutex.

    Attributes:
        limit: How many items it holds.
        items: Those that it holds, the oldest first.
        senders: Tasks that wait for space, in the order of coming.
        receivers: Tasks that wait for an item.
        is_mutex: Whether it has a holder.
        holder: The task that has taken it.
    """

    limit: int
    items: list[int] = field(default_factory=list)
    senders: list[Task] = field(default_factory=list)
    receivers: list[Task] = field(default_factory=list)
    is_mutex: bool = False
    holder: Task | None = None


@dataclass(eq=False)
class Task:
    """A task and where it is in its calls.

    Attributes:
        end: When its wait ends; None: never.
        list: Where it waits, None: nowhere.
        why: Why its wait has ended: woken, aborted, resumed, over.
        bits: Event bits when its condition held; None: it has not.
    """

    number: int
    base: int
    calls: list[Call]
    priority: int = 0
    at: int = 0
    left: int | None = None
    is_waiting: bool = False
    is_suspended: bool = False
    has_begun_wait: bool = False
    end: int | None = None
    list: list[Task] | None = None
    why: str = ""
    held: int = 0
    value: int = 0
    notified: str = "no"
    wish: tuple[int, bool, bool] = (0, False, False)
    bits: int | None = None
    order: int = 0
    result: tuple[int, int] | None = None


class Model:
    """The whole program."""

    def __init__(self, tasks: list[tuple[int, list[Call]]]) -> None:
        """Create tasks of (priority, calls)."""
        self.now = 0
        self.tasks = [Task(number, base, calls, base) for number, (base, calls) in enumerate(tasks)]
        self.ready: list[Task] = list(self.tasks)
        self.running: Task | None = None
        self.queues = [Object(LENGTH), Object(LENGTH), Object(1)]
        self.semaphores = [Object(1), Object(2, [0])]
        self.mutexes = [Object(1, [0], is_mutex=True) for _ in range(2)]
        self.group = 0
        self.group_list: list[Task] = []
        self.lines: list[str] = []
        self.waits = 0

    # ---- scheduling

    def best(self) -> Task | None:
        """Return the first of the most urgent ready tasks."""
        return max(self.ready, key=lambda task: task.priority, default=None)

    def make_ready(self, task: Task) -> None:
        """End the wait of a task in the kernel; a suspended one stays out."""
        task.is_waiting = False
        if not task.is_suspended:
            self.ready.append(task)

    def set_priority(self, task: Task, priority: int) -> None:
        """Change the priority in force: a ready task is put behind its new equals."""
        if task.priority != priority:
            task.priority = priority
            if task in self.ready:
                self.ready.remove(task)
                self.ready.append(task)

    def wake(self, task: Task | None, why: str = "woken") -> None:
        """End the wait of a task."""
        if task is None:
            return
        if task.list is not None:
            task.list.remove(task)
            task.list = None
        if task.is_waiting:
            task.why = why
            self.make_ready(task)

    @staticmethod
    def first(tasks: list[Task]) -> Task | None:
        """Return the waiting task of the highest priority, of equals the first."""
        return max(tasks, key=lambda task: task.priority, default=None)

    def wait(self, task: Task, ticks: int, where: list[Task] | None) -> None:
        """Let the running task wait; a wait that is continued keeps its end."""
        if not task.has_begun_wait:
            task.has_begun_wait = True
            task.end = None if ticks == NEVER else self.now // TICK * TICK + ticks * TICK
        self.waits += 1
        task.order = self.waits
        task.is_waiting = True
        task.why = ""
        task.list = where
        if where is not None:
            where.append(task)
        self.ready.remove(task)

    # ---- calls: each returns result and value, or None while the task waits

    def transfer(self, task: Task, call: Call) -> tuple[int, int] | None:
        """Send, receive, peek, take, give, lock, unlock."""
        kind = call.kind
        objects = {"take": self.semaphores, "give": self.semaphores, "lock": self.mutexes, "unlock": self.mutexes}
        own = objects.get(kind, self.queues)[2 if kind == "overwrite" else call.object]
        if own.is_mutex and (own.holder is task) != (kind == "unlock"):
            return 2, 0
        if kind in ("send", "send_front", "overwrite", "give", "unlock"):
            return self.put(task, call, own)
        return self.get(task, call, own)

    def put(self, task: Task, call: Call, own: Object) -> tuple[int, int] | None:
        """Add an item."""
        is_over = call.kind == "overwrite"
        if len(own.items) == own.limit and not is_over:
            ticks = call.ticks if call.kind.startswith("send") else 0
            return self.try_later(task, ticks, own.senders)
        if is_over:
            own.items.clear()
        if own.is_mutex:
            own.holder = None
            task.held -= 1
        own.items.insert(0 if call.kind == "send_front" else len(own.items), call.value)
        self.wake(self.first(own.receivers))
        if own.is_mutex and task.held == 0:
            self.set_priority(task, task.base)
        return 1, 0

    def get(self, task: Task, call: Call, own: Object) -> tuple[int, int] | None:
        """Take an item, or look at it."""
        if not own.items:
            result = self.try_later(task, call.ticks, own.receivers)
            if own.holder is not None:
                self.inherit(task, own, own.holder, fails=result is not None)
            return result
        value = own.items[0] if own in self.queues else 0
        if call.kind == "peek":
            self.wake(self.first(own.receivers))
            return 1, value
        own.items.pop(0)
        if own.is_mutex:
            own.holder = task
            task.held += 1
        self.wake(self.first(own.senders))
        return 1, value

    def inherit(self, task: Task, own: Object, holder: Task, *, fails: bool) -> None:
        """Change the holder's priority because a task waits, or waits no more."""
        if not fails:
            self.set_priority(holder, max(holder.priority, task.priority))
        elif task.has_begun_wait and holder.held == 1:
            rest = max([holder.base, *(other.priority for other in own.receivers)])
            self.set_priority(holder, min(holder.priority, rest))

    def try_later(self, task: Task, ticks: int, where: list[Task]) -> tuple[int, int] | None:
        """Wait, if there is time left."""
        is_over = task.has_begun_wait and task.end is not None and task.end <= self.now
        if ticks == 0 or is_over or task.why == "aborted":
            return 0, 0
        self.wait(task, ticks, where)
        return None

    def delay(self, task: Task, call: Call) -> tuple[int, int] | None:
        """Wait for ticks."""
        if task.has_begun_wait or call.ticks == 0:
            if call.ticks == 0:
                self.rotate(task)
            return 1, 0
        self.wait(task, call.ticks, None)
        return None

    def rotate(self, task: Task) -> None:
        """Put a task behind its equals."""
        self.ready.remove(task)
        self.ready.append(task)

    def control(self, task: Task, call: Call) -> tuple[int, int] | None:
        """Change another task, or this one."""
        other = self.tasks[call.object % len(self.tasks)]
        match call.kind:
            case "priority":
                inherits = other.priority != other.base
                other.base = call.value
                if not inherits or call.value > other.priority:
                    self.set_priority(other, call.value)
            case "suspend":
                self.suspend(task, other)
            case "resume":
                if other.is_suspended:
                    other.is_suspended = False
                    if not other.is_waiting:
                        self.ready.append(other)
            case "abort":
                waits = other.is_waiting and not other.is_suspended
                if waits:
                    self.wake(other, "aborted")
                return int(waits), 0
            case _:
                self.rotate(task)
        return 1, 0

    def suspend(self, task: Task, other: Task) -> None:
        """Suspend a task; that ends its wait."""
        if other.is_suspended:
            return
        other.is_suspended = True
        if other is not task and other.is_waiting:
            self.wake(other, "resumed")
        elif other in self.ready:
            self.ready.remove(other)

    def notification(self, task: Task, call: Call) -> tuple[int, int] | None:
        """Notify a task, or wait for it."""
        other = self.tasks[call.object % len(self.tasks)]
        if call.kind == "notify":
            other.value |= call.value
            was, other.notified = other.notified, "yes"
            if was == "awaited":
                self.wake(other)
            return 1, 0
        if task.notified != "yes" and not task.has_begun_wait and call.ticks != 0:
            task.notified = "awaited"
            self.wait(task, call.ticks, None)
            return None
        is_notified = task.notified == "yes"
        value, task.notified = task.value, "no"
        task.value = 0 if is_notified else task.value
        return int(is_notified), value

    # ---- event groups

    @staticmethod
    def holds(bits: int, wish: tuple[int, bool, bool]) -> bool:
        """Return whether the condition of a wait holds."""
        return (bits & wish[0]) == wish[0] if wish[2] else (bits & wish[0]) != 0

    def set_bits(self, bits: int) -> None:
        """Set bits, and wake all whose condition holds then."""
        self.group |= bits
        cleared = 0
        met = [task for task in self.group_list if self.holds(self.group, task.wish)]
        for task in met:
            task.bits = self.group
            cleared |= task.wish[0] if task.wish[1] else 0
        for task in sorted(met, key=lambda task: -task.priority):
            self.wake(task)
        self.group &= ~cleared

    def events(self, task: Task, call: Call) -> tuple[int, int] | None:
        """Set, clear and wait for event bits."""
        if call.kind == "set":
            self.set_bits(call.value)
            return 1, AFTER
        if call.kind == "clear":
            before, self.group = self.group, self.group & ~call.value
            return 1, before
        if task.has_begun_wait:
            return self.end_of_wait(task)
        is_sync = call.kind == "sync"
        own = 1 << call.object if is_sync else 0
        wish = (call.value | 1, True, True) if is_sync else (call.value, bool(call.object & 1), bool(call.object & 2))
        before = self.group | own
        if is_sync:
            self.set_bits(own)
        if self.holds(before, wish):
            self.group &= ~(wish[0] if wish[1] else 0)
            return 1, before
        if call.ticks == 0:
            return 1, self.group
        task.wish, task.bits = wish, None
        self.wait(task, call.ticks, self.group_list)
        return None

    def end_of_wait(self, task: Task) -> tuple[int, int]:
        """Return the bits when the condition held, or those of now."""
        if task.bits is not None:
            return 1, task.bits
        bits = self.group
        if task.wish[1] and self.holds(bits, task.wish):
            self.group &= ~task.wish[0]
        return 1, bits

    # ---- the run

    def call(self, task: Task, call: Call) -> tuple[int, int] | None:
        """Execute a call, or continue it."""
        if call.kind == "delay":
            return self.delay(task, call)
        if call.kind in ("notify", "listen"):
            return self.notification(task, call)
        if call.kind in ("set", "clear", "await", "sync"):
            return self.events(task, call)
        if call.kind in ("priority", "suspend", "resume", "abort", "yield"):
            return self.control(task, call)
        return self.transfer(task, call)

    def begin(self, task: Task) -> None:
        """Begin or continue the next call of a task, which runs."""
        if task.at == len(task.calls):
            task.has_begun_wait = False
            self.wait(task, NEVER, None)
            return
        task.result = self.call(task, task.calls[task.at])

    def end(self, task: Task) -> None:
        """Return from a call."""
        assert task.result is not None
        result, value = task.result
        value = self.group if value == AFTER else value
        self.lines.append(f"{self.now} {task.number} {task.at} {result} {value} {task.priority}")
        task.at += 1
        task.result, task.has_begun_wait, task.why, task.left = None, False, "", None

    def expire(self) -> None:
        """End the waits that are over."""
        over = [task for task in self.tasks if task.is_waiting and task.end is not None and task.end <= self.now]
        for task in sorted(over, key=lambda task: (task.end, task.order)):
            self.wake(task, "over")

    def next_end(self) -> int | None:
        """Return when the next wait ends."""
        return min((task.end for task in self.tasks if task.is_waiting and task.end is not None), default=None)

    def work(self, task: Task, ticks: int) -> None:
        """Let time pass while a task works, at most until a wait ends."""
        task.left = ticks if task.left is None else task.left
        self.expire()
        if self.best() is not task:
            return
        end = self.next_end()
        length = task.left if end is None else min(task.left, end - self.now)
        self.now += length
        task.left -= length
        if task.left == 0:
            task.result = (1, 0)

    def step(self) -> bool:
        """Do the next thing; return False if nothing will ever happen."""
        task = self.best()
        if task is None:
            end = self.next_end()
            if end is None:
                return False
            self.now = max(self.now, end)
            self.expire()
        elif task.result is not None:
            self.end(task)
        elif task.at < len(task.calls) and task.calls[task.at].kind == "work":
            self.work(task, task.calls[task.at].value)
        else:
            self.begin(task)
        return True


def predict(script: list[tuple[int, list[Call]]]) -> list[str]:
    """Return what the program prints."""
    model = Model(script)
    while model.step():
        pass
    return model.lines


def text(script: list[tuple[int, list[Call]]]) -> str:
    """Return a script as the program reads it."""
    words: list[int] = [len(script)]
    for priority, calls in script:
        words += [priority, len(calls)]
        for call in calls:
            words += [KINDS.index(call.kind), call.object, call.ticks, call.value]
    return " ".join(map(str, words))


def draw(seed: int) -> list[tuple[int, list[Call]]]:
    """Draw a script of three to five tasks.

    No task meets others in an event group: one that is displaced in that call keeps its place among its equals here.
    """
    dice = random.Random(seed)
    drawn = [kind for kind in KINDS[2:] if kind != "sync"]
    kinds = dice.sample(drawn, dice.randint(3, len(drawn)))

    def call() -> Call:
        kind = dice.choice(["work", "delay", *kinds, *kinds])
        values = {"work": dice.randint(1, 3500), "priority": dice.randint(1, 4), "notify": dice.randint(1, 7)}
        ticks = dice.choice([0, 1, 2, 3, 5, NEVER])
        value = values.get(kind, dice.randint(1, 7))
        number = dice.randint(0, 3 if kind in ("await", "suspend", "resume", "abort", "priority", "notify") else 1)
        return Call(kind, number, dice.randint(0, 4) if kind == "delay" else ticks, value)

    return [(dice.randint(1, 4), [call() for _ in range(dice.randint(3, 20))]) for _ in range(dice.randint(3, 5))]
