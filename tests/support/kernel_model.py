# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The kernel's rules once more, slow and obvious: scripts of threads, and what `tests/kernel/script.c` must print.

Threads have fixed priorities, equals go first come first served, and waiting threads are served by urgency, or in the
order of coming; what mutexes, edf and servers change about that is in `lock_rules.py`. Time passes only while a thread
works or nobody runs. The model shares nothing with the kernel.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable
from dataclasses import dataclass, field

from lock_rules import Contender, DeadlineHome, Home, Mutex, Server

NEVER = 999999
HORIZON = 3000
OBJECTS, MUTEXES, ALARMS, INTERRUPTS, THREADS, OPERATIONS, CAPACITY = 2, 4, 3, 6, 6, 40, 4
PRIORITIES, DEPTH = 4, 3

OK, TIMEOUT, REJECTED, ABORTED = 0, 2, 4, 5
ERROR_COUNT, ERROR_OBJECT, ERROR_SUSPENDED, ERROR_NOT_SUSPENDED, ERROR_EXISTS, ERROR_BLOCK = -8, -19, -21, -22, -23, -25
ERROR_RESOURCE, ERROR_HOLDS = -28, -29
ALARM_NEVER = 2**64 - 1
FLAGS_ALL, FLAGS_CLEAR = 1, 2

# In the order of the tables in script.c.
THREAD_ACTS = [
    *("work", "delay", "give", "signal", "take", "send", "receive", "allocate", "free", "set"),
    *("clear", "await", "suspend", "resume", "notify", "listen", "delete", "create", "alarm", "stop", "priority"),
    *("lock", "unlock", "relock", "end_lock", "until", "abort"),
    *("monitor", "notify_one", "notify_all"),
]
WIDE_ACTS = [*THREAD_ACTS, "consume", "move", "deadline"]
"""Also those that the model does not know."""
ISR_ACTS = [
    *("give", "signal", "send", "receive", "set", "resume", "notify", "borrow", "holder"),
    *("notify_one", "notify_all"),
]
WIDE_ISR_ACTS = [*ISR_ACTS, "arrive"]
PROTOCOLS = ["none", "npcs", "pip", "pcp", "icpp", "srp"]
POLICIES = ["fp", "edf", "llf"]
KINDS_OF_SERVERS = ["deferrable", "idling", "polling", "sporadic", "sporadic-strict", "cbs", "hard-cbs"]
ROOTS = POLICIES[:2]  # of which the model knows the rules; likewise two kinds of servers
MIXING = ["none", "npcs", "pip", "icpp"]


@dataclass(frozen=True)
class Operation:
    """One call: what, on which object or thread, and three numbers."""

    what: str
    object: int = 0
    a: int = 0
    b: int = 0
    c: int = 0

    def words(self, table: list[str]) -> str:
        """Write it as the numbers that script.c reads."""
        return f"{table.index(self.what)} {self.object} {self.a} {self.b} {self.c}"


ServerRow = tuple[str, str, int, int, int, int]
"""Kind, policy, period, budget, offset, priority."""


@dataclass(frozen=True)
class Job:
    """How a thread executes jobs; the model knows none."""

    period: int  # or the least separation
    deadline: int
    operations: int  # of one job, at most
    is_limited: bool  # not preempted once it has started
    on_miss: int  # takt_on_miss_t
    offset: int = 0
    is_sporadic: bool = False  # its jobs arrive by interrupts

    def words(self) -> str:
        """Write it as the numbers that script.c reads."""
        numbers = (self.period, self.deadline, self.operations, self.is_limited, self.on_miss)
        return " ".join(str(int(number)) for number in (*numbers, self.offset, self.is_sporadic))


@dataclass(frozen=True)
class Script:
    """All that script.c reads but whether it is traced."""

    policy: str  # of the root
    servers: tuple[ServerRow, ...]
    sizes: tuple[tuple[int, int, int], ...]  # units, capacity, blocks
    are_fifo: tuple[bool, ...]  # whether objects are FIFO
    mutexes: tuple[tuple[str, int, int], ...]  # protocol, ceiling, home: 0 the root, 1 the first server
    alarms: tuple[Operation, ...]
    interrupts: tuple[tuple[Operation, int], ...]
    threads: tuple[tuple[bool, int, int, tuple[Operation, ...]], ...]  # exists from the start, priority, home
    parents: tuple[int, ...] = ()  # of the servers: 0 the root, 1 the first server; none: the root
    jobs: tuple[Job | None, ...] = ()  # of the threads; none: they execute none
    slices: tuple[int, ...] = ()  # of the threads, 0 for those without; none: none has one

    def text(self, is_traced: bool) -> str:
        """Write it as script.c reads it."""
        lines = [f"{int(is_traced)} {POLICIES.index(self.policy)} {HORIZON}"]
        lines.append(str(len(self.servers)))
        parents = self.parents or (0,) * len(self.servers)
        for (kind, policy, *numbers), parent in zip(self.servers, parents, strict=True):
            row = [KINDS_OF_SERVERS.index(kind), POLICIES.index(policy), *numbers, parent]
            lines.append(" ".join(map(str, row)))
        for is_fifo, sizes in zip(self.are_fifo, self.sizes, strict=True):
            lines.append(" ".join(map(str, (int(is_fifo), *sizes))))
        lines += [f"{PROTOCOLS.index(protocol)} {ceiling} {home}" for protocol, ceiling, home in self.mutexes]
        lines += [operation.words(WIDE_ISR_ACTS) for operation in self.alarms]
        lines += [f"{operation.words(WIDE_ISR_ACTS)} {instant}" for operation, instant in self.interrupts]
        lines.append(str(len(self.threads)))
        jobs = self.jobs or (None,) * len(self.threads)
        slices = self.slices or (0,) * len(self.threads)
        for (exists, priority, home, operations), job, length in zip(self.threads, jobs, slices, strict=True):
            lines.append(f"{int(exists)} {priority} {home} {length} {len(operations)} {job.words() if job else 0}")
            lines += [operation.words(WIDE_ACTS) for operation in operations]
        return "\n".join(lines) + "\n"


# ---- drawing ---------------------------------------------------------------------------------------


def draw_duration(draw: random.Random) -> int:
    """Draw how long a thread waits: short, so that instants coincide, rarely long or for ever."""
    return draw.choice([0, 1, 2, 3, 4, 5, 8, 8, 13, 16, 17, 40, 200, 260, NEVER, NEVER])


# How often which call comes, 2 for others. Sections are drawn as such, so that most unlocks unlock.
KINDS = {
    "priority": 1,
    "lock": 0,
    "unlock": 0,
    "relock": 0,
    "monitor": 0,
    "end_lock": 0,
    "work": 4,
    "delay": 2,
    "delete": 0.5,
    "create": 1,
    "suspend": 1,
    "resume": 1.5,
    "alarm": 1,
    "stop": 0.5,
}
KINDS_OF_LOCKING = dict.fromkeys(THREAD_ACTS, 0.2) | {
    "work": 6,
    "delay": 4,
    "priority": 2,
    "suspend": 1.5,
    "resume": 2,
    "lock": 0.5,
    "unlock": 0.5,
    "relock": 0.3,
    "monitor": 0.2,
    "notify_one": 1,
    "notify_all": 1,
    "end_lock": 0.3,
    "delete": 0.5,
    "create": 1,
}


def draw_thread_operation(draw: random.Random, threads: int, kinds: dict[str, float]) -> Operation:
    """Draw one call of a thread."""
    what = draw.choices(THREAD_ACTS, [kinds.get(act, 2) for act in THREAD_ACTS])[0]
    target = draw.randrange(OBJECTS)
    wait = draw_duration(draw)
    match what:
        case "work":
            return Operation(what, 0, draw.choice([1, 1, 2, 3, 5, 8, 16, 20]))
        case "delay":
            return Operation(what, 0, draw.choice([0, 0, 1, 2, 3, 8, 16, 30]))
        case "priority":
            return Operation(what, draw.randrange(threads), draw.randrange(PRIORITIES))
        case "set" | "clear":
            return Operation(what, target, draw.randrange(8))
        case "await":
            return Operation(what, target, wait, draw.randrange(1, 8), draw.randrange(4))
        case "send":
            return Operation(what, target, wait, draw.randrange(1, 10**6))
        case "suspend" | "resume" | "delete" | "abort":
            return Operation(what, draw.randrange(threads))
        case "create":
            return Operation(what, draw.randrange(threads), 0, draw.choice([0, 0, 1]))
        case "until":
            return Operation(what, 0, draw.choice([0, 1, 2, 3, 5, 16, 33]))
        case "notify":
            return Operation(what, draw.randrange(threads), draw.randrange(4))
        case "alarm":
            return Operation(what, draw.randrange(ALARMS), draw.randrange(20), draw.choice([0, 0, 7, 30]))
        case "stop":
            return Operation(what, draw.randrange(ALARMS))
        case "monitor":
            return Operation(what, draw.randrange(MUTEXES), wait, target)
        case "lock" | "unlock" | "relock" | "end_lock":
            return Operation(what, draw.randrange(MUTEXES), wait)
        case _:
            return Operation(what, target, wait)


def draw_sections(draw: random.Random, threads: int, mutexes: list[int], room: int, depth: int = 0) -> list[Operation]:
    """Draw `room` calls of a thread, of which some are sections with more in them, of some mutexes."""
    operations = []
    for _ in range(room):
        if depth < DEPTH and draw.random() < 0.3:
            mutex = draw.choice(mutexes)
            within = draw_sections(draw, threads, mutexes, draw.randrange(6), depth + 1)
            begin, end = draw.choice([("lock", "unlock"), ("lock", "unlock"), ("relock", "end_lock")])
            if draw.random() < 0.25:
                wait = Operation("monitor", mutex, draw_duration(draw), draw.randrange(OBJECTS))
                within.insert(draw.randint(0, len(within)), wait)
            section = [Operation(begin, mutex, draw_duration(draw)), *within, Operation(end, mutex)]
            if draw.random() < 0.2:  # it ends among others
                section.insert(draw.randint(1, len(section) - 1), section.pop())
            operations += section
        else:
            operations.append(draw_thread_operation(draw, threads, KINDS_OF_LOCKING))
    return operations[:OPERATIONS]


def draw_isr_operation(draw: random.Random, threads: int) -> Operation:
    """Draw one call of an interrupt."""
    what = draw.choice(ISR_ACTS)
    match what:
        case "resume":
            return Operation(what, draw.randrange(threads))
        case "notify":
            return Operation(what, draw.randrange(threads), draw.randrange(4))
        case "send":
            return Operation(what, draw.randrange(OBJECTS), 0, draw.randrange(10**6, 10**7))
        case "holder":
            return Operation(what, draw.randrange(MUTEXES))
        case _:
            return Operation(what, draw.randrange(OBJECTS), draw.randrange(8))


def draw_mutexes(
    draw: random.Random, protocol: str, highest: int, homes: list[int]
) -> tuple[tuple[str, int, int], ...]:
    """Draw mutexes under `protocol`, or under any that mix; some ceilings are too low."""
    made = []
    for home in homes:
        chosen = draw.choice(MIXING) if protocol == "mixed" else protocol
        made.append((chosen, draw.choice([highest, highest, draw.randrange(PRIORITIES)]), home))
    return tuple(made)


def draw_server(draw: random.Random) -> ServerRow:
    """Draw a server with a small budget or nearly all of the time."""
    period = draw.choice([8, 16, 20, 30, 100])
    budget = draw.choice([draw.randint(1, period), period])
    kind, policy = draw.choice(KINDS_OF_SERVERS[:2]), draw.choice(ROOTS)
    return kind, policy, period, budget, draw.choice([0, 0, 5]), draw.randrange(PRIORITIES)


def draw_script(seed: int, *, protocol: str | None = None, policy: str = "fp", servers: int = 0) -> Script:
    """Draw a script.

    Args:
        seed: Which one.
        protocol: Its threads lock mutexes under this one, or under any that mix, "mixed"; None: they do not.
        policy: What orders the root.
        servers: How many there are, with threads and mutexes in them; under fp only.

    Returns:
        The same script for the same arguments.
    """
    draw = random.Random(f"{seed} {protocol}")
    has_slices = draw.random() < 0.4
    count, mutexes = draw.randint(2, THREADS), draw.randint(2, MUTEXES)
    homes = [draw.randint(0, servers) for _ in range(MUTEXES)]
    threads = []
    for number in range(count):
        room, home = draw.randint(4, OPERATIONS), draw.randint(0, servers)
        if protocol is None:
            operations = [draw_thread_operation(draw, count, KINDS) for _ in range(room)]
        else:
            near = [mutex for mutex in range(MUTEXES) if homes[mutex] == home] or [0]
            operations = draw_sections(draw, count, near[:mutexes], room)
        threads.append((number == 0 or draw.random() < 0.8, draw.randrange(PRIORITIES), home, tuple(operations)))
    return Script(
        policy,
        tuple(draw_server(draw) for _ in range(servers)),
        sizes=tuple((draw.randrange(3), draw.randint(1, 3), draw.randint(1, 3)) for _ in range(OBJECTS)),
        are_fifo=tuple(draw.random() < 0.3 for _ in range(OBJECTS)),
        mutexes=draw_mutexes(draw, protocol or "pip", max(row[1] for row in threads), homes),
        alarms=tuple(draw_isr_operation(draw, count) for _ in range(ALARMS)),
        interrupts=tuple((draw_isr_operation(draw, count), draw.randrange(1, 200)) for _ in range(INTERRUPTS)),
        threads=tuple(threads),
        slices=tuple(draw.choice([0, 1, 2, 3, 7]) if has_slices else 0 for _ in threads),
    )


# ---- the rules -------------------------------------------------------------------------------------

Result = tuple[int, int]


@dataclass(eq=False)
class Thread(Contender):
    """A thread: what it does next, and what it waits for."""

    home: Home = field(kw_only=True)
    name: str = ""
    operations: tuple[Operation, ...] = ()
    first_priority: int = 0
    exists: bool = False
    next: int = 0
    suspended: bool = False
    queue: Waiting | None = None  # it stands there
    listens: bool = False
    waits: bool = False  # for anything but its resumption
    wanted: tuple[int, int] = (0, 0)  # mask and way of flags
    message: int = 0  # to be sent
    left: int = 0  # of work
    ended: Callable[[], Result | None] | None = None  # how the call ends, once the thread runs again; None: not yet
    put_off: Mutex | None = None  # what it wants again after its resumption
    is_late: bool = False  # the time of that is up
    is_aborted: bool = False  # its request for a mutex is
    locks_after: Mutex | None = None  # what it locks after its wait for a condition
    slice: int = 0  # 0: none
    slice_left: int = 0
    notification: int = 0
    blocks: tuple[list[int], ...] = field(default_factory=lambda: tuple([] for _ in range(OBJECTS)))


class Waiting(list[Thread]):
    """Threads that wait, the next one to be served first."""

    def __init__(self, *, is_fifo: bool) -> None:
        """Begin without any; the most urgent one is served first, or the first to come."""
        super().__init__()
        self.is_fifo = is_fifo

    def join(self, thread: Thread) -> None:
        """Let `thread` wait, behind its equals."""
        ahead = len(self) if self.is_fifo else sum(other.home.key(other) <= thread.home.key(thread) for other in self)
        self.insert(ahead, thread)


@dataclass(eq=False)
class Semaphore:
    """Units, and the threads that wait for one."""

    count: int
    waiting: Waiting


@dataclass(eq=False)
class Queue:
    """Messages, and the threads that wait for one or for a place."""

    capacity: int
    receivers: Waiting
    senders: Waiting
    messages: list[int] = field(default_factory=list)


@dataclass(eq=False)
class Pool:
    """Free blocks, the next one last, and the threads that wait for one."""

    free: list[int]
    waiting: Waiting


@dataclass(eq=False)
class Flags:
    """Bits, and the threads that wait for some."""

    waiting: Waiting
    bits: int = 0


@dataclass(eq=False)
class Condition:
    """Threads that wait for a notification; each wants its mutex again."""

    waiting: Waiting


@dataclass(eq=False)
class Timeout:
    """Something that is to happen at an instant."""

    instant: int
    act: Callable[[], None]
    is_of_thread: Thread | None = None


def always(status: int, value: int = 0) -> Callable[[], Result | None]:
    """Return a function of a known result."""
    return lambda: (status, value)


class Model:
    """A kernel that executes a script."""

    def __init__(self, script: Script) -> None:
        """Start with the threads that exist from the start, in the order of their numbers."""
        self.now = 0
        self.lines: list[tuple[int, str]] = []
        self.certain_until = HORIZON
        self.semaphores, self.queues, self.pools, self.flags, self.conditions = [], [], [], [], []
        for is_fifo, (units, capacity, blocks) in zip(script.are_fifo, script.sizes, strict=True):
            self.semaphores.append(Semaphore(units, Waiting(is_fifo=is_fifo)))
            self.queues.append(Queue(capacity, Waiting(is_fifo=is_fifo), Waiting(is_fifo=is_fifo)))
            self.pools.append(Pool(list(range(blocks))[::-1], Waiting(is_fifo=is_fifo)))
            self.flags.append(Flags(Waiting(is_fifo=is_fifo)))
            self.conditions.append(Condition(Waiting(is_fifo=is_fifo)))
        self.timeouts: list[Timeout] = []
        self.alarms: list[Timeout | None] = [None] * ALARMS
        self.alarm_operations = script.alarms
        self.interrupts = sorted((instant, number, act) for number, (act, instant) in enumerate(script.interrupts))
        self.mutexes = [Mutex(protocol, ceiling) for protocol, ceiling, _ in script.mutexes]
        self.homes = [self.make_home(policy) for policy in (script.policy, *(row[1] for row in script.servers))]
        self.home_of_mutex = [self.homes[home] for _, _, home in script.mutexes]
        self.servers: list[Server] = []
        for inside, (kind, _, period, budget, offset, priority) in zip(self.homes[1:], script.servers, strict=True):
            self.servers.append(Server(self.homes[0], inside, priority, period, budget, offset))
            self.servers[-1].idles = kind == "idling"
        self.chosen: Contender | None = None
        self.sliced: Thread | None = None  # the chosen one, if it has a slice
        self.slice_end: Timeout | None = None
        self.created = 0
        self.free_numbers: list[int] = []
        self.threads = [
            Thread(priority, home=self.homes[home], name=f"t{number}", operations=acts, first_priority=priority)
            for number, (_, priority, home, acts) in enumerate(script.threads)
        ]
        for thread, length in zip(self.threads, script.slices or (0,) * len(self.threads), strict=True):
            thread.slice = thread.slice_left = length
        for thread, (exists, _, _, _) in zip(self.threads, script.threads, strict=True):
            if exists:
                self.create(thread)
        self.account()

    def make_home(self, policy: str) -> Home:
        return (DeadlineHome if policy == "edf" else Home)(lambda: self.now)

    # -- which thread runs

    def running(self) -> Thread | None:
        """Decide which thread runs."""
        self.chosen = self.homes[0].choose()
        self.count_slice(self.chosen if isinstance(self.chosen, Thread) else None)
        return self.chosen if isinstance(self.chosen, Thread) else None

    def count_slice(self, chosen: Thread | None) -> None:
        """Begin, interrupt or end the slice of the thread that is chosen now, or was before."""
        before, end = self.sliced, self.slice_end
        is_kept = before is not None and before.home.is_first_of_equals(before)
        if end is not None and chosen is before and is_kept:
            return
        if before is not None:
            before.slice_left = before.slice if end is None or not is_kept else max(1, end.instant - self.now)
        if end is not None:
            self.timeouts.remove(end)
        self.slice_end = None
        self.sliced = chosen if chosen is not None and chosen.slice > 0 else None
        if self.sliced is not None and self.sliced.home.has_equals(self.sliced):
            self.slice_end = Timeout(self.now + self.sliced.slice_left, self.end_slice)
            self.timeouts.append(self.slice_end)

    def end_slice(self) -> None:
        """The equals of the running thread go first."""
        self.slice_end = None
        if self.sliced is not None and self.sliced is self.chosen and self.sliced.home.is_first_of_equals(self.sliced):
            self.sliced.home.move(self.sliced, is_first=False)

    def block(self, thread: Thread, queue: Waiting | None, duration: int) -> None:
        """Let `thread`, which runs, wait."""
        thread.home.leave(thread)
        thread.waits = True
        thread.queue = queue
        if queue is not None:
            queue.join(thread)
        if duration != NEVER:
            self.timeouts.append(Timeout(self.now + duration, lambda: self.time_out(thread), thread))

    def stop_waiting(self, thread: Thread) -> None:
        thread.waits = False
        thread.listens = False
        if thread.queue is not None:
            thread.queue.remove(thread)
            thread.queue = None
        self.timeouts = [timeout for timeout in self.timeouts if timeout.is_of_thread is not thread]

    def wake(self, thread: Thread, ended: Callable[[], Result | None]) -> None:
        """End the wait of `thread`."""
        self.stop_waiting(thread)
        mutex, thread.locks_after = thread.locks_after, None
        thread.ended = ended if mutex is None else lambda: self.lock_after(thread, mutex, ended)
        if not thread.suspended:
            thread.home.wake(thread)

    def time_out(self, thread: Thread) -> None:
        what = thread.operations[thread.next - 1].what
        if what == "listen":
            self.wake(thread, lambda: self.take_notification(thread))
        else:
            self.wake(thread, always(OK if what in ("delay", "until") else TIMEOUT))

    def create(self, thread: Thread, *, is_suspended: bool = False) -> Result:
        if thread.exists:
            return ERROR_EXISTS, 0
        thread.exists, thread.notification, thread.left, thread.ended = True, 0, 0, None
        if self.free_numbers:
            thread.number = heapq.heappop(self.free_numbers)
        else:
            self.created += 1
            thread.number = self.created
        thread.priority = thread.first_priority
        thread.suspended = is_suspended
        if not is_suspended:
            thread.home.wake(thread)
        return OK, 0

    def delete(self, thread: Thread) -> Result:
        if not thread.exists:
            return ERROR_OBJECT, 0
        if thread.held:
            return ERROR_HOLDS, 0
        thread.home.withdraw(thread)
        thread.put_off, thread.is_late, thread.is_aborted = None, False, False
        thread.locks_after = None
        if thread.ready:
            thread.home.leave(thread)
        self.stop_waiting(thread)
        thread.exists = thread.suspended = False
        heapq.heappush(self.free_numbers, thread.number)
        return OK, 0

    # -- calls that end at once, from wherever they come

    def give(self, operation: Operation) -> Result:
        semaphore = self.semaphores[operation.object]
        if semaphore.waiting:
            self.wake(semaphore.waiting[0], always(OK))
        else:
            semaphore.count += 1
        return OK, 0

    def signal(self, operation: Operation) -> Result:
        return (OK, 0) if self.semaphores[operation.object].count > 0 else self.give(operation)

    def send_now(self, queue: Queue, message: int) -> Result:
        if queue.receivers:
            self.wake(queue.receivers[0], always(OK, message))
        elif len(queue.messages) < queue.capacity:
            queue.messages.append(message)
        else:
            return TIMEOUT, 0
        return OK, 0

    def receive_now(self, queue: Queue) -> Result:
        if not queue.messages:
            return TIMEOUT, 0
        message = queue.messages.pop(0)
        if queue.senders:
            queue.messages.append(queue.senders[0].message)
            self.wake(queue.senders[0], always(OK))
        return OK, message

    def free(self, pool: Pool, block: int) -> Result:
        if pool.waiting:
            waiter = pool.waiting[0]
            self.wake(waiter, lambda: self.hold(waiter, pool, block))
        else:
            pool.free.append(block)
        return OK, 0

    def hold(self, thread: Thread, pool: Pool, block: int) -> Result:
        thread.blocks[self.pools.index(pool)].append(block)
        return OK, block

    @staticmethod
    def take_flags(flags: Flags, wanted: tuple[int, int]) -> int:
        """Return the bits if the condition holds, else 0."""
        mask, way = wanted
        bits = flags.bits & mask
        if bits == 0 or (way & FLAGS_ALL and bits != mask):
            return 0
        if way & FLAGS_CLEAR:
            flags.bits &= ~mask
        return bits

    def set_flags(self, operation: Operation) -> Result:
        flags = self.flags[operation.object]
        flags.bits |= operation.a
        for thread in list(flags.waiting):
            bits = self.take_flags(flags, thread.wanted)
            if bits:
                self.wake(thread, always(OK, bits))
        return OK, 0

    def resume(self, operation: Operation) -> Result:
        thread = self.threads[operation.object]
        if not thread.exists:
            return ERROR_OBJECT, 0
        if not thread.suspended:
            return ERROR_NOT_SUSPENDED, 0
        thread.suspended = False
        if not thread.waits:
            thread.home.wake(thread)
        return OK, 0

    def notify(self, operation: Operation) -> Result:
        thread = self.threads[operation.object]
        if not thread.exists:
            return ERROR_OBJECT, 0
        thread.notification |= operation.a
        if thread.listens and operation.a:
            self.wake(thread, lambda: self.take_notification(thread))
        return OK, 0

    @staticmethod
    def take_notification(thread: Thread) -> Result:
        bits, thread.notification = thread.notification, 0
        return (OK if bits else TIMEOUT), bits

    # -- interrupts

    def act_in_isr(self, name: str, operation: Operation) -> None:
        match operation.what:
            case "give":
                result = self.give(operation)
            case "signal":
                result = self.signal(operation)
            case "send":
                result = self.send_now(self.queues[operation.object], operation.b)
            case "receive":
                result = self.receive_now(self.queues[operation.object])
            case "set":
                result = self.set_flags(operation)
            case "resume":
                result = self.resume(operation)
            case "notify":
                result = self.notify(operation)
            case "notify_one" | "notify_all":
                result = self.notify_condition(operation, 1 if operation.what == "notify_one" else THREADS)
            case "holder":
                held = self.mutexes[operation.object]
                result = OK, sum(place for place, thread in enumerate(self.threads, 1) if held in thread.held)
            case _:
                free = self.pools[operation.object].free
                result = (OK, len(free) - 1) if free else (TIMEOUT, 0)
        self.tell(name, 0, result)

    def start_alarm(self, number: int, instant: int, period: int) -> None:
        self.stop_alarm(number)
        timeout = Timeout(instant, lambda: self.expire_alarm(number, timeout, period))
        self.alarms[number] = timeout
        self.timeouts.append(timeout)

    def stop_alarm(self, number: int) -> None:
        timeout = self.alarms[number]
        self.alarms[number] = None
        if timeout is not None:
            self.timeouts.remove(timeout)

    def expire_alarm(self, number: int, timeout: Timeout, period: int) -> None:
        self.alarms[number] = None
        if period:
            following = timeout.instant + period
            # Which goes first is not promised where an interrupt arms between the steps of a wheel.
            if any(other.instant == following for other in self.timeouts):
                self.certain_until = min(self.certain_until, following)
            self.start_alarm(number, following, period)
        self.act_in_isr(f"a{number}", self.alarm_operations[number])

    def handle_what_is_due(self) -> None:
        """Run the program's interrupts, in the order of their numbers, and then what is due of the timer."""
        while self.interrupts and self.interrupts[0][0] <= self.now:
            _, number, operation = self.interrupts.pop(0)
            self.act_in_isr(f"i{number}", operation)
        while due := [timeout for timeout in self.timeouts if timeout.instant <= self.now]:
            first = min(due, key=lambda timeout: timeout.instant)
            self.timeouts.remove(first)
            first.act()
        self.account()

    def account(self) -> None:
        """Look at budgets: those that are used up come before those that come back."""
        for server in self.servers:
            server.exhaust()
        for server in self.servers:
            server.replenish(self.now)

    def pass_time(self, until: int) -> None:
        """Let time pass, which a budget may pay for."""
        for server in self.servers:
            server.budget -= (until - self.now) * server.pays_for(self.chosen)
        self.now = until

    # -- threads

    def tell(self, name: str, which: int, result: Result) -> None:
        self.lines.append((self.now, f"{self.now} {name} {which} {result[0]} {result[1]}"))

    def start(self, thread: Thread, operation: Operation) -> Result | None:
        """Execute a call of `thread`; None if it has not ended yet."""
        wait, pool = operation.a, self.pools[operation.object] if operation.object < OBJECTS else self.pools[0]
        match operation.what:
            case "work":
                thread.left = operation.a
                return None
            case "delay" if operation.a == 0:
                thread.home.move(thread, is_first=False)
                return OK, 0
            case "delay":
                self.block(thread, None, wait)
                return None
            case "monitor":
                mutex, condition = self.mutexes[operation.object], self.conditions[operation.b]
                return self.monitor(thread, mutex, condition, wait)
            case "notify_one" | "notify_all":
                return self.notify_condition(operation, 1 if operation.what == "notify_one" else THREADS)
            case "abort":
                return self.abort(self.threads[operation.object])
            case "until":
                instant = max(0, self.now + operation.a - 2)
                if instant <= self.now:
                    return TIMEOUT, 0
                self.block(thread, None, instant - self.now)
                return None
            case "give":
                return self.give(operation)
            case "signal":
                return self.signal(operation)
            case "take":
                semaphore = self.semaphores[operation.object]
                if semaphore.count > 0:
                    semaphore.count -= 1
                    return OK, 0
                return self.wait_in(thread, semaphore.waiting, wait)
            case "send":
                queue = self.queues[operation.object]
                result = self.send_now(queue, operation.b)
                thread.message = operation.b
                return result if result[0] == OK else self.wait_in(thread, queue.senders, wait)
            case "receive":
                queue = self.queues[operation.object]
                result = self.receive_now(queue)
                return result if result[0] == OK else self.wait_in(thread, queue.receivers, wait)
            case "allocate":
                if pool.free:
                    return self.hold(thread, pool, pool.free.pop())
                return self.wait_in(thread, pool.waiting, wait)
            case "free":
                blocks = thread.blocks[operation.object]
                return self.free(pool, blocks.pop()) if blocks else (ERROR_BLOCK, 0)
            case "set":
                return self.set_flags(operation)
            case "clear":
                flags = self.flags[operation.object]
                flags.bits &= ~operation.a
                return OK, flags.bits
            case "await":
                flags = self.flags[operation.object]
                thread.wanted = (operation.b, operation.c)
                bits = self.take_flags(flags, thread.wanted)
                return (OK, bits) if bits else self.wait_in(thread, flags.waiting, wait)
            case "suspend":
                return self.suspend(self.threads[operation.object])
            case "resume":
                return self.resume(operation)
            case "notify":
                return self.notify(operation)
            case "listen":
                if thread.notification or wait == 0:
                    return self.take_notification(thread)
                self.block(thread, None, wait)
                thread.listens = True
                return None
            case "delete":
                return self.delete(self.threads[operation.object])
            case "create":
                return self.create(self.threads[operation.object], is_suspended=operation.b != 0)
            case "priority":
                return self.set_priority(self.threads[operation.object], operation.a)
            case "lock":
                return self.lock(thread, self.mutexes[operation.object], wait)
            case "unlock":
                return self.unlock(thread, self.mutexes[operation.object])
            case "relock":
                return self.relock(thread, self.mutexes[operation.object], wait)
            case "end_lock":
                return self.end_relock(thread, self.mutexes[operation.object])
            case "alarm":
                self.start_alarm(operation.object, self.now + operation.a, operation.b)
                return OK, 0
            case _:
                timeout = self.alarms[operation.object]
                self.stop_alarm(operation.object)
                return OK, ALARM_NEVER if timeout is None else timeout.instant - self.now

    def wait_in(self, thread: Thread, queue: Waiting, duration: int) -> Result | None:
        if duration == 0:
            return TIMEOUT, 0
        self.block(thread, queue, duration)
        return None

    def lock(self, thread: Thread, mutex: Mutex, duration: int) -> Result | None:
        """A thread that is chosen without its request granted has withdrawn."""
        if self.home_of_mutex[self.mutexes.index(mutex)] is not thread.home:
            return ERROR_RESOURCE, 0
        if mutex.holder is thread:
            return ERROR_RESOURCE, 1
        thread.home.lock(thread, mutex)
        if duration == 0:
            thread.home.withdraw(thread)
        elif duration != NEVER:
            self.timeouts.append(Timeout(self.now + duration, lambda: self.time_out_lock(thread), thread))
        thread.ended = lambda: self.end_lock(thread, mutex)
        return None

    def time_out_lock(self, thread: Thread) -> None:
        thread.is_late = thread.put_off is not None
        thread.home.withdraw(thread)

    def wants_again(self, thread: Thread) -> bool:
        """Let `thread` lock again what its suspension has put off, and return True if it did."""
        mutex, is_late = thread.put_off, thread.is_late
        thread.put_off, thread.is_late = None, False
        if mutex is None or is_late:
            return False
        thread.home.lock(thread, mutex)
        return True

    def end_lock(self, thread: Thread, mutex: Mutex) -> Result | None:
        if self.wants_again(thread):
            return None
        self.stop_waiting(thread)
        is_aborted, thread.is_aborted = thread.is_aborted, False
        return (OK, 1) if mutex.holder is thread else (ABORTED if is_aborted else TIMEOUT, 0)

    def unlock(self, thread: Thread, mutex: Mutex) -> Result:
        if mutex not in thread.held:
            return ERROR_RESOURCE, 0
        thread.home.unlock(thread, mutex)
        return OK, 0

    def relock(self, thread: Thread, mutex: Mutex, duration: int) -> Result | None:
        if mutex.holder is thread:
            mutex.depth += 1
            return OK, mutex.depth
        refused = self.lock(thread, mutex, duration)
        thread.ended = lambda: self.end_first_lock(thread, mutex)
        return refused

    def end_first_lock(self, thread: Thread, mutex: Mutex) -> Result | None:
        result = self.end_lock(thread, mutex)
        if result is None:
            return None
        status, _ = result
        mutex.depth = 1 if status == OK else mutex.depth
        return status, mutex.depth if status == OK else 0

    def end_relock(self, thread: Thread, mutex: Mutex) -> Result:
        if mutex.holder is thread and mutex.depth > 1:
            mutex.depth -= 1
            return OK, mutex.depth
        return self.unlock(thread, mutex)

    def monitor(self, thread: Thread, mutex: Mutex, condition: Condition, duration: int) -> Result | None:
        """Unlock, wait for a notification, and lock again."""
        if mutex.holder is not thread:
            return ERROR_RESOURCE, 0
        if duration == 0:
            return TIMEOUT, 1
        thread.home.unlock(thread, mutex)
        self.block(thread, condition.waiting, duration)
        thread.locks_after = mutex
        return None

    def lock_after(self, thread: Thread, mutex: Mutex, ended: Callable[[], Result | None]) -> None:
        thread.home.lock(thread, mutex)
        thread.ended = lambda: self.end_lock_after(thread, mutex, ended)

    def end_lock_after(self, thread: Thread, mutex: Mutex, ended: Callable[[], Result | None]) -> Result | None:
        if self.wants_again(thread):
            return None
        if mutex.holder is thread:
            result = ended()
            assert result is not None
            return result[0], 1
        thread.is_aborted = False
        self.lock_after(thread, mutex, always(ABORTED))
        return None

    def notify_condition(self, operation: Operation, most: int) -> Result:
        for thread in self.conditions[operation.object].waiting[:most]:
            self.wake(thread, always(OK))
        return OK, 0

    def set_priority(self, thread: Thread, priority: int) -> Result:
        if not thread.exists:
            return ERROR_OBJECT, 0
        before = thread.home.key(thread)
        thread.home.set_priority(thread, priority)
        if thread.queue is not None and not thread.queue.is_fifo and thread.home.key(thread) != before:
            thread.queue.remove(thread)
            thread.queue.join(thread)
        return OK, 0

    def abort(self, thread: Thread) -> Result:
        """End the wait of `thread`, but for a take that has no end."""
        if not thread.exists:
            return ERROR_OBJECT, 0
        if thread.wants is not None or thread.put_off is not None:
            thread.is_aborted = True
            thread.put_off = None
            thread.home.withdraw(thread)
            self.stop_waiting(thread)
            return OK, 0
        operation = thread.operations[thread.next - 1]
        if not thread.waits or (operation.what == "take" and operation.a == NEVER):
            return REJECTED, 0
        if operation.what == "listen":
            self.wake(thread, lambda: (ABORTED, 0) if not thread.notification else self.take_notification(thread))
        else:
            self.wake(thread, always(ABORTED))
        return OK, 0

    def suspend(self, thread: Thread) -> Result:
        if not thread.exists:
            return ERROR_OBJECT, 0
        if thread.suspended:
            return ERROR_SUSPENDED, 0
        if thread.wants is not None:
            thread.put_off = thread.wants
            thread.home.withdraw(thread)
        thread.suspended = True
        if thread.ready:
            thread.home.leave(thread)
        return OK, 0

    def end(self, thread: Thread) -> None:
        """A thread that holds something does not end."""
        if thread.held:
            self.suspend(thread)
        else:
            self.delete(thread)

    def begin_next(self, thread: Thread) -> None:
        if thread.next == len(thread.operations):
            self.end(thread)
            return
        operation = thread.operations[thread.next]
        thread.next += 1
        result = self.start(thread, operation)
        if result is not None and thread.exists:
            thread.ended = always(*result)

    def work(self, thread: Thread) -> None:
        """Let time pass for `thread`, until its work has ended or it is displaced."""
        self.handle_what_is_due()
        if self.running() is thread:
            step = min(thread.left, self.next_instant() - self.now)
            self.pass_time(self.now + step)
            thread.left -= step
            if thread.left == 0:
                thread.ended = always(OK)

    def next_instant(self) -> int:
        instants = [timeout.instant for timeout in self.timeouts] + [instant for instant, _, _ in self.interrupts]
        instants += [server.replenishment for server in self.servers]
        instants += [self.now + server.budget for server in self.servers if server.pays_for(self.chosen)]
        return min([*instants, HORIZON])

    def end_call(self, thread: Thread) -> None:
        assert thread.ended is not None
        result = thread.ended()
        if result is None:
            return
        thread.ended = None
        self.tell(thread.name, thread.next - 1, result)
        self.handle_what_is_due()

    def step(self) -> None:
        """Do the next thing that happens."""
        thread = self.running()
        if thread is None:
            self.pass_time(max(self.now, self.next_instant()))
            self.handle_what_is_due()
        elif thread.ended is not None:
            self.end_call(thread)
        elif thread.left > 0:
            self.work(thread)
        else:
            self.begin_next(thread)

    def run(self) -> None:
        """Execute all of it."""
        while self.now < HORIZON and not (self.running() is None and self.next_instant() == HORIZON):
            self.step()


def predict(script: Script) -> tuple[list[str], int]:
    """Return the output of script.c.

    Args:
        script: A script.

    Returns:
        Its lines, and the instant up to which they are promised.
    """
    model = Model(script)
    model.run()
    lines = [line for instant, line in model.lines if instant < model.certain_until]
    return lines, model.certain_until
