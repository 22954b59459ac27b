# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Rows of the kernel bench: what is measured, and what the best of the peers needs for it.

The peers' figures were measured side by side on the same board, with the same compiler and emulator: FreeRTOS 11.1,
ThreadX 6.4.2, ChibiOS/RT 8.0.0, each without its checks. On virt there is FreeRTOS only, all register saves counted.
Those of loads are of the original suite, whose operations are functions around a kernel's calls. The loads here that go
through such functions (SHELL) are compared with them; loads of direct calls (LOADS) have no peer.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One row: the bench program's name for it, and what it is held against.

    Attributes:
        program: The bench program that measures it.
        choice: The words of its command line.
        key: Name in the program's output, where that has several.
        label: What the row says.
        peer: The best peer's figure, in instructions, None where there is none.
        gate: Instructions that must not be exceeded, None for no such bound.
        virt_peer: FreeRTOS's figure on virt, None where there is none.
        calls: How often the kernel decides, or makes a thread ready: the guard stands in each.
        is_plain: Whether nothing but plain threads is in it, so that a build that never asks can run it.
        checked: Instructions with checks that must not be exceeded, None for 15 % above those without.
    """

    program: str
    choice: str
    key: str
    label: str
    peer: int | None = None
    gate: float | None = None
    virt_peer: int | None = None
    calls: int = 1
    is_plain: bool = True
    checked: int | None = None

    @property
    def name(self) -> str:
        """Key of the row in the JSON object."""
        words = self.choice.split()
        if self.program == "freertos":
            return f"{self.choice}_{self.key}"
        prefix = f"{words[0]}_" if self.program == "places" else ""
        return f"{prefix}{self.key}_{words[1]}" if len(words) > 1 else self.key


def load(key: str, label: str, gate: float, calls: int = 2) -> Row:
    """Return the row of a load of direct calls; the gate is the measured figure."""
    return Row("loads", key, key, label, None, gate, None, calls)


def shell(key: str, label: str, gate: float, peer: int | None = None) -> Row:
    """Return the row of a load through the shell; the gate is the measured figure."""
    is_preemption = key == "interrupt_preemption"
    program = "shell_preemption" if is_preemption else "shell_loads"
    return Row(program, key, key, label, peer, gate, None, 3 if is_preemption else 2)


def single(
    key: str, label: str, peer: int | None = None, gate: int | None = None, virt: int | None = None, calls: int = 1
) -> Row:
    """Return the row of an operation of threads and semaphores."""
    return Row("operations", "fp", key, label, peer, gate, virt, calls)


def beside(key: str, number: int, label: str, peer: int, gate: int | None = None) -> Row:
    """Return the row of an action that is measured beside a number of delaying threads."""
    # Each delay that ends, and the question whether one of them displaces the running thread.
    return Row("timers", f"{key} {number}", key, label, peer, gate, None, number + 1 if key == "expire" else 1)


LOADS = (
    load("cooperative", "cooperative: five equals yield in turn", 29),
    load("preemptive", "preemptive: each resumes a more urgent one", 75.2),
    load("interrupt", "interrupt: gives what the thread takes", 34),
    load("interrupt_preemption", "interrupt resumes a more urgent thread", 142, 3),
    load("message", "message: send and receive 16 bytes", 85),
    load("synchronization", "synchronization: take and give", 28),
    load("memory", "memory: allocate and free 128 bytes", 40),
)

SHELL = (
    shell("cooperative", "cooperative", 30, 57),
    shell("preemptive", "preemptive", 88, 76),
    shell("interrupt", "interrupt", 55, 57),
    shell("interrupt_waiting", "interrupt, take that would wait", 54),
    shell("interrupt_preemption", "interrupt preemption", 164, 158),
    shell("message", "message", 110, 125),
    shell("message_waiting", "message, calls that would wait", 110),
    shell("synchronization", "synchronization", 46, 47),
    shell("synchronization_waiting", "synchronization, take that would wait", 45),
    shell("memory", "memory", 58, 46),
    shell("memory_waiting", "memory, allocation that would wait", 57),
)

OPERATIONS = (
    single("yield", "yield to another thread", 45, 45, 140),
    single("give_free", "semaphore give, uncontended", 12, 12),
    single("take_free", "semaphore take, uncontended", 15, 15),
    single("give_runs", "semaphore give until the waiter runs", 53, 53, 283),
    single("take_blocks", "semaphore take blocks until another runs", 42, 45),
    single("interrupt_runs", "interrupt pend until thread runs", 105, 105, 280, 2),
    single("take_blocks_to_preempted", "take blocks until a preempted one runs"),
    Row("mutex", "free", "lock", "mutex lock, uncontended", 18, 18, 50),
    Row("mutex", "free", "unlock", "mutex unlock, uncontended", 19, 19, 90),
    Row("mutex", "wanted", "lock_blocks", "mutex lock blocks until the holder runs", 76, is_plain=False),
    Row("mutex", "wanted", "unlock_runs", "mutex unlock until the waiter runs", 80, is_plain=False),
    Row("mutex", "timed", "lock_for_blocks", "timed mutex lock blocks until the holder runs", 504, 166, is_plain=False),
    Row("mutex", "timed", "unlock_runs_timed", "mutex unlock until a timed waiter runs", 286, 136, is_plain=False),
    Row("mutex", "nested", "unlock_two_runs", "unlock of two mutexes until the waiter runs", gate=126, is_plain=False),
    Row("operations", "fp", "set_priority", "priority of another, ready thread is set", 106, 60, is_plain=False),
    Row("operations", "fp", "create", "thread created, 1 KB of stack", 59, 447, is_plain=False),
    Row("operations", "fp", "create_unpainted", "thread created, stack not painted", 59, 265, is_plain=False),
    Row("messages", "", "send", "message send, 16 bytes", 45, 45, 161),
    Row("messages", "", "receive", "message receive, 16 bytes", 51, 51, 133),
    Row("messages", "", "send_runs", "message send until the receiver runs", 130, 130),
    Row("messages", "", "receive_blocks", "message receive blocks until another runs", calls=2),
    beside("delay", 0, "delay (far), no sleepers", 147, 147),
    beside("delay", 32, "delay (far), 32 sleepers", 147, 147),
    beside("timer", 0, "timer interrupt, nothing expires, 0 sleepers", 37, 37),
    beside("timer", 8, "timer interrupt, nothing expires, 8 sleepers", 37, 37),
    beside("timer", 32, "timer interrupt, nothing expires, 32 sleepers", 37, 37),
    beside("expire", 1, "timer interrupt, 1 delay ends", 101, 156),
    beside("expire", 8, "timer interrupt, 8 delays end", 446, 446),
    beside("expire", 32, "timer interrupt, 32 delays end", 1622, 1622),
)


def place(choice: str, key: str, label: str, gate: int, peer: int | None = None) -> Row:
    """Return the row of a switch where threads are not plain; the gate is the figure that was reached."""
    return Row("places", choice, key, label, peer, gate, is_plain=False)


def switches(choice: str, label: str, gates: tuple[int, int, int, int]) -> tuple[Row, ...]:
    """Return the rows of a place of threads; the peers have fixed priorities alone."""
    return (
        place(choice, "yield", f"{label}: yield", gates[0], 45),
        *wakes(choice, label, gates[1:], (53, 42, 105)),
    )


def wakes(
    choice: str,
    label: str,
    gates: tuple[int, int, int],
    peers: tuple[int | None, int | None, int | None] = (None, None, None),
) -> tuple[Row, ...]:
    """Likewise without a yield."""
    return (
        place(choice, "give_runs", f"{label}: give", gates[0], peers[0]),
        place(choice, "take_blocks", f"{label}: take blocks", gates[1], peers[1]),
        place(choice, "interrupt_runs", f"{label}: interrupt", gates[2], peers[2]),
    )


def ends(choice: str, label: str, gates: tuple[int, int, int]) -> tuple[Row, ...]:
    """Return the rows of jobs in a place."""
    return (
        place(choice, "job_end", f"{label}: job ends, next runs", gates[0]),
        place(choice, "timer_runs", f"{label}: timer until the first of two jobs runs", gates[1]),
        place(choice.replace("jobs", "one"), "timer_runs", f"{label}: timer until the job runs", gates[2]),
    )


# In the order of the tables in places.c.
PLACES = (
    *switches("threads 0", "edf at the root", (25, 48, 45, 83)),
    *switches("threads 1", "deferrable, fp inside", (43, 76, 70, 124)),
    *switches("threads 2", "deferrable, edf inside", (43, 76, 70, 124)),
    *switches("threads 3", "sporadic, fp inside", (43, 76, 70, 124)),
    *switches("threads 4", "sporadic, edf inside", (43, 76, 70, 124)),
    *switches("threads 5", "cbs, fp inside", (43, 76, 70, 124)),
    *switches("threads 6", "cbs, edf inside", (43, 76, 70, 124)),
    *switches("threads 7", "two servers deep, fp", (43, 76, 70, 124)),
    *switches("threads 8", "two servers deep, edf", (43, 76, 70, 124)),
    *switches("keyed 0", "edf at the root, deadlines", (28, 94, 83, 135)),
    *switches("keyed 2", "deferrable, edf inside, deadlines", (28, 94, 83, 135)),
    *wakes("across 0", "edf at the root, one deadline", (89, 81, 145)),
    *wakes("across 2", "deferrable, edf inside, one deadline", (89, 81, 156)),
    *wakes("between 0", "between deferrable servers", (237, 253, 287)),
    *wakes("between 1", "between sporadic servers", (412, 480, 459)),
    *wakes("between 2", "between cbs servers", (437, 275, 484)),
    *wakes("between 3", "root and deferrable server", (227, 222, 275)),
    *ends("jobs 0", "edf", (105, 627, 387)),
    *ends("jobs 1", "fp", (96, 582, 353)),
    *ends("jobs 2", "edf in a server", (105, 986, 572)),
    *ends("jobs 3", "fp in a server", (96, 948, 545)),
)


def call(choice: str, key: str, label: str, gate: int, checked: int | None = None) -> Row:
    """Return the row of a call in calls.c; the gates are the figures that were reached."""
    return Row("calls", choice, key, label, gate=gate, is_plain=False, checked=checked)


def written(place: str, gates: tuple[int, ...]) -> tuple[Row, ...]:
    """Return the rows of a program that is written against FreeRTOS, whose own figures are the peer's."""
    labels = {
        "yield": ("yield to another task", 55, 140),
        "give_free": ("semaphore give, no task waits", 51, None),
        "take_free": ("semaphore take, a unit is there", 44, None),
        "give_runs": ("semaphore give until the waiter runs", 208, 283),
        "take_blocks": ("semaphore take blocks until another runs", 390, None),
        "interrupt_runs": ("interrupt pend until the task runs", 206, 280),
        "send_runs": ("queue send until the receiver runs", 277, None),
        "lock_free": ("mutex take, uncontended", 51, None),
        "unlock_free": ("mutex give, uncontended", 71, None),
    }
    return tuple(
        Row("freertos", place, key, f"FreeRTOS, {place}: {label}", peer, gate, virt, calls=4, is_plain=False)
        for (key, (label, peer, virt)), gate in zip(labels.items(), gates, strict=True)
    )


CALLS = (
    call("plain", "notify_runs", "notify until the thread runs", 65, 75),
    call("plain", "notification_blocks", "notification take blocks until another runs", 53, 61),
    call("plain", "delay_until", "delay until an instant blocks", 148),
    call("plain", "abort_runs", "abort of a delay until the thread runs", 133),
    call("turns", "sliced_yield", "yield of threads with time slices", 401),
    call("locks", "recursive_lock", "recursive mutex lock, uncontended", 33, 40),
    call("locks", "recursive_lock_again", "recursive mutex lock, held", 16, 23),
    call("locks", "recursive_unlock", "recursive mutex unlock, uncontended", 29, 36),
    call("locks", "scheduler_lock", "scheduler lock", 277),
    call("locks", "scheduler_unlock", "scheduler unlock", 186),
    call("locks", "condition_blocks", "condition wait blocks until another runs", 116, 139),
    call("locks", "condition_runs", "condition notify until the waiter runs", 97),
    call("deadlines", "set_own_deadline", "deadline of the running thread is set, edf", 367),
    call("deadlines", "set_deadline", "deadline of a ready thread is set, edf", 380),
    call("sleep", "idle_runs", "interrupt while idle until a thread runs", 83),
    call("sleep", "sleep_runs", "the same out of a sleep, the clock counts", 96),
    call("sleep", "stopped_runs", "the same, the clock stood still", 133),
    *written("root", (30, 44, 40, 185, 154, 256, 267, 70, 64)),
    *written("server", (48, 44, 40, 213, 180, 296, 295, 70, 64)),
)


def admission(key: str, number: int, label: str, gate: int) -> Row:
    """Return the row of an analysis that admits the last of so many tasks; the gate is 5 % above the figure."""
    return Row("admission", "", f"{key}_{number}", f"{label}, task {number}", gate=gate)


ADMISSIONS = (
    admission("responses", 5, "response times", 5400),
    admission("responses", 10, "response times", 12900),
    admission("responses", 20, "response times", 27400),
    admission("costs", 5, "response times with costs", 14000),
    admission("costs", 10, "response times with costs", 36600),
    admission("costs", 20, "response times with costs", 108500),
    admission("qpa", 5, "processor demand (QPA)", 2900),
    admission("qpa", 10, "processor demand (QPA)", 4800),
    admission("qpa", 20, "processor demand (QPA)", 8200),
)

# What it links of analysis/.
ANALYSES = ("response_times", "servers_seen", "supply", "overheads", "qpa", "demand", "edf_blocking", "fractions")

# What a pass costs that is recorded: no other layer decides then.
PASSES = ("yield", "give_runs", "take_blocks", "interrupt_runs")

# Worst latency of an interrupt while so many delays end at one instant, and the peers' worst, with so many threads.
DELAYS = {0: 76, 8: None, 32: 1369, 128: None}
PERIODS = (1, 8, 32)
STACKS = (1024, 16384)  # bytes of threads that are created and deleted; nothing depends on it

# Bytes.
PEER_THREAD = 64
PEER_TEXT = 2204


@dataclass(frozen=True)
class Feature:
    """A program of two plain threads, a semaphore and one feature more, of features.c.

    Attributes:
        name: What FEATURE_ names there, in small letters; "none" for the program without one.
        label: What its row says.
        text: Gate of the program's text, -Os, without checks, on mps2-an385.
        ram: Gate of the kernel's memory in it.
        needs: The pointers of kernel/pass.h that it sets, the tree of kernel/order.h, and the table of all protocols.
    """

    name: str
    label: str
    text: int
    ram: int
    needs: tuple[str, ...] = ()


TIME = ("time",)
PASS = ("time", "pass", "tree", "table")
FEATURES = (
    Feature("none", "two threads and a semaphore", 3520, 808),
    Feature("yield", "yield", 3610, 808),
    Feature("priority", "priority of a thread is set", 4090, 808),
    Feature("suspend", "suspend and resume", 4060, 808),
    Feature("create", "threads that come and go", 3960, 808),
    Feature("delay", "delay", 4740, 1384, TIME),
    Feature("timed_take", "semaphore take with a timeout", 5320, 1384, TIME),
    Feature("alarm", "alarm", 4930, 1384, TIME),
    Feature("notify", "notification", 5420, 1384, TIME),
    Feature("messages", "message queue", 6080, 1384, TIME),
    Feature("flags", "event flags", 6480, 1384, (*TIME, "tree")),
    Feature("pool", "block pool", 5480, 1384, TIME),
    Feature("mutex", "mutex under pip", 7060, 808, ("mutexes", "plain")),
    Feature("timed_lock", "mutex under pip, with a timeout", 8200, 1384, ("mutexes", "plain", *TIME)),
    Feature("ceiling", "mutex under icpp", 7090, 808, ("mutexes", "plain")),
    Feature("keys", "edf in place of fixed priorities", 34900, 2712, PASS),
    Feature("server", "server", 35450, 2584, PASS),
    Feature("periodic", "periodic thread", 38900, 2584, PASS),
    Feature("trace", "trace into a ring", 34800, 2584, PASS),
)

# The reference application, footprint.c.
APPLICATIONS = (
    Feature("without_mutex", "application: queue, semaphore, delays", 6370, 1384),
    Feature("with_mutex", "application with a mutex under pip", 9860, 1384),
)
