# SPDX-License-Identifier: Apache-2.0 OR MIT
"""rt-app's words for scheduling classes and events, and its limits."""

from __future__ import annotations

OTHER, FIFO, DEADLINE = "SCHED_OTHER", "SCHED_FIFO", "SCHED_DEADLINE"
FIXED = (FIFO, "SCHED_RR")
POLICIES = (OTHER, "SCHED_IDLE", *FIXED, DEADLINE)

MOST = 2**31 - 1
"""The largest number that rt-app reads: of microseconds, or of loops."""

MOST_PRIORITY = 99
DEFAULT_PRIORITY = 10
MOST_CPUS = 64
MOST_INSTANCES = 10_000

RUN_KEYS = frozenset(
    ("calibration", "lock_pages", "logdir", "log_basename", "log_size", "ftrace", "gnuplot", "io_device")
) | {"mem_buffer_size", "cumulative_slack"}
"""Keys of "global" that say how rt-app runs and what it logs: no part of a task set."""

TIMES = {"runtime": "run", "run": "run", "sleep": "suspend"}
"""Events with a time, and the items of a body that they are."""

WAITS = ("wait", "sync", "suspend", "barrier")
"""Events that another thread ends."""

_EVENTS = (*TIMES, *WAITS, "lock", "unlock", "timer", "signal", "broad", "resume", "mem", "iorun", "yield", "fork")


def event_of(key: str) -> str | None:
    """Return the event of a key, None if there is none: rt-app compares only the beginning of a key."""
    return next((event for event in _EVENTS if key.startswith(event)), None)
