# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Rows of masked.py: what each is called, what its longest masked stretch depends on, and its gates.

The gates are the figures that were reached. LIMIT is what is wanted for all under the root: rows with more take a full
pass, whose pieces are core's, walk the waiters by urgency (under levels at most one of each level), or are said in
docs/explanation/kernel.md.
"""

from __future__ import annotations

from dataclasses import dataclass

LIMIT = 122


@dataclass(frozen=True)
class MaskedRow:
    """A row of the table, by the name of its function in masked.c.

    Attributes:
        label: What the row says.
        depends: What the stretch depends on, besides the place of the threads.
        root: Gate of threads under the root, in instructions.
        server: Gate of threads in a deferrable server.
    """

    label: str
    depends: str
    root: int
    server: int


MASKED_ROWS = {
    "give": MaskedRow("semaphore give", "nothing", 7, 7),
    "take": MaskedRow("semaphore take", "nothing", 6, 6),
    "give_wakes": MaskedRow("semaphore give, a waiter runs", "waiters by urgency: levels, or log n", 43, 146),
    "take_waits": MaskedRow("semaphore take waits", "waiters by urgency: levels, or log n", 123, 232),
    "take_for_waits": MaskedRow("semaphore take for a while waits", "waiters by urgency: levels, or log n", 120, 306),
    "give_wakes_timed": MaskedRow(
        "semaphore give, a timed waiter runs", "waiters by urgency: levels, or log n", 58, 146
    ),
    "take_times_out": MaskedRow("semaphore take times out", "waiters by urgency: levels, or log n", 160, 187),
    "send": MaskedRow("message send", "size of a message", 90, 90),
    "receive": MaskedRow("message receive", "size of a message", 91, 91),
    "send_wakes": MaskedRow("message send, a receiver runs", "size of a message, waiters by urgency", 116, 219),
    "receive_waits": MaskedRow("message receive waits", "size of a message, waiters by urgency", 143, 316),
    "receive_wakes": MaskedRow("message receive, a sender runs", "size of a message, waiters by urgency", 135, 320),
    "send_waits": MaskedRow("message send waits", "waiters by urgency: levels, or log n", 141, 270),
    "send_from_isr": MaskedRow("message send from an interrupt", "size of a message, waiters by urgency", 141, 219),
    "flags_set": MaskedRow("flags set, all waiters wake", "waiters by urgency: levels, or log n", 145, 161),
    "pool_free_wakes": MaskedRow("block free, a waiter runs", "waiters by urgency: levels, or log n", 49, 152),
    "condition_wait": MaskedRow("condition wait", "waiters by urgency; mutex held by others", 419, 903),
    "condition_notify_all": MaskedRow("condition notify all", "waiters by urgency; mutex held by others", 39, 419),
    "alarm_start": MaskedRow("alarm start", "nothing", 87, 87),
    "alarm_expires": MaskedRow("alarm expires", "nothing", 79, 79),
    "alarm_stop": MaskedRow("alarm stop", "nothing", 63, 63),
    "lock": MaskedRow("mutex lock", "a full pass in a server", 13, 419),
    "unlock": MaskedRow("mutex unlock", "a full pass in a server", 13, 383),
    "lock_ceiling": MaskedRow("mutex lock, icpp", "a full pass", 228, 487),
    "unlock_ceiling": MaskedRow("mutex unlock, icpp", "a full pass", 170, 428),
    "lock_waits": MaskedRow("mutex lock waits", "a full pass in a server", 68, 467),
    "give_as_holder": MaskedRow("semaphore give of a holder that is waited for", "a full pass", 260, 422),
    "unlock_wakes": MaskedRow("mutex unlock, a waiter runs", "a full pass in a server", 61, 393),
    "lock_for_waits": MaskedRow("timed mutex lock waits", "a full pass in a server", 143, 545),
    "unlock_wakes_timed": MaskedRow("mutex unlock, a timed waiter runs", "a full pass in a server", 64, 393),
    "lock_times_out": MaskedRow("timed mutex lock times out", "a full pass", 117, 382),
    "lock_chain": MaskedRow("mutex lock at the end of a chain", "length of the chain of holders", 2275, 1602),
    "unlock_chain": MaskedRow("mutex unlock at the head of a chain", "length of the chain of holders", 1514, 1670),
    "create": MaskedRow("thread created", "nothing", 122, 141),
    "delete_ready": MaskedRow("ready thread deleted", "a full pass in a server", 83, 308),
    "create_runs": MaskedRow("thread created, runs", "nothing", 151, 173),
    "returns": MaskedRow("thread returns", "nothing", 71, 94),
    "returns_holding": MaskedRow("thread returns with mutexes", "nothing", 71, 536),
    "delete_waiting": MaskedRow("waiting thread deleted", "waiters by urgency: levels, or log n", 242, 112),
    "delete_waiting_timed": MaskedRow("timed waiter deleted", "waiters by urgency: levels, or log n", 291, 160),
    "delete_delaying": MaskedRow("delaying thread deleted", "nothing", 113, 112),
    "delete_locking": MaskedRow("thread that waits for a mutex deleted", "a full pass", 319, 614),
    "delay": MaskedRow("delay", "nothing", 113, 136),
    "delay_ends": MaskedRow("delays end", "nothing", 97, 131),
    "set_priority": MaskedRow("priority of a ready thread", "nothing", 52, 52),
    "set_priority_waiting": MaskedRow("priority of a waiting thread", "waiters by urgency; a full pass", 591, 197),
    "suspend_waiting": MaskedRow("waiting thread suspended", "nothing", 25, 25),
    "resume_waiting": MaskedRow("waiting thread resumed", "nothing", 20, 20),
    "abort_wait": MaskedRow("wait aborted", "waiters by urgency: levels, or log n", 302, 200),
    "suspend": MaskedRow("ready thread suspended", "a full pass in a server", 51, 277),
    "resume": MaskedRow("thread resumed", "nothing", 30, 68),
    "yield": MaskedRow("yield", "nothing", 19, 37),
}
