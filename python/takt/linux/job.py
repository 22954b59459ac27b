# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Jobs under Linux, in Python: a thread executes the jobs of a task, and Takt's core decides when it runs.

    from takt.linux import job

    with job.joined("control"):
        while True:
            job.wait()
            ...  # the job

Source: linux/lib/takt_linux.h, libtakt. All calls are about the thread that makes them. Those that make a call of the
system release the lock of the interpreter. Instants are CLOCK_MONOTONIC in ns, as of time.monotonic_ns(). A call that
fails raises JobError, whose `status` says why; each other Status is an answer.

When not to use it: for deadlines below some milliseconds, or beside other threads of Python. A thread that runs needs
the lock of the interpreter. If a less urgent thread has it, no priority is inherited: that is an inversion without a
bound. Use a process of one thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from takt import _linux
from takt._linux import RATE_WHOLE, Counts, Job, JobError, Status

__all__ = [
    "RATE_WHOLE",
    "Counts",
    "Job",
    "JobError",
    "Status",
    "counts",
    "current",
    "dismiss",
    "give_way",
    "is_aborted",
    "join",
    "joined",
    "leave",
    "lock",
    "message",
    "negotiate",
    "optional_point",
    "point",
    "rate",
    "should_yield",
    "suspend_until",
    "this_thread",
    "unlock",
    "wait",
    "wait_in",
]

should_yield = _linux.should_yield
"""Whether a more urgent entity waits for the next point of this non-preemptive job. One load; False before joining."""

optional_point = should_yield
"""An optional point: the job may free what it holds, and then call point()."""

point = _linux.point
"""A preemption point. Returns OK or ABORTED; raises as `wait`, and with ERROR_NO_JOB. No system call if none waits."""

is_aborted = _linux.is_aborted
"""Whether the scheduler has ended the current job: what it executes is charged to the next one."""

message = _linux.message
"""Return the sentence of a status."""

this_thread = _linux.this_thread
"""Return the number of the calling thread, for `dismiss`; 0 if it has not joined."""


@contextmanager
def joined(name: str, *, path: str | None = None, stack_bytes: int = 0) -> Iterator[Status]:
    """Join a task within a block; arguments, answer and errors are those of `join`."""
    status = join(name, path=path, stack_bytes=stack_bytes)
    try:
        yield status
    finally:
        leave()


def join(name: str, *, path: str | None = None, stack_bytes: int = 0) -> Status:
    """Join a task: the thread executes its jobs. Until its first wait it keeps its class.

    Args:
        name: of the task.
        path: the socket of taktd; None: /run/takt/taktd.sock.
        stack_bytes: of the stack that are touched before the first job; 0: 64 KiB.

    Returns:
        OK, or NOT_IN_MEMORY: the memory of the process is not locked, so page faults are possible.

    Raises:
        JobError: ERROR_JOINED, _NAME, _TAKEN, _PROCESSOR, _SOCKET, _VERSION, _FOREIGN or _DETACHED.
    """
    return _linux.join(name, path=path, stack_bytes=stack_bytes)


def leave() -> None:
    """Return the thread to the fair class.

    Raises:
        JobError: ERROR_NOT_JOINED.
    """
    _linux.leave()


def dismiss(thread: int) -> bool:
    """Dismiss a thread: its calls fail with ERROR_DISMISSED, in the fair class.

    A thread that sleeps returns at its next release, or as soon as a handler of a signal interrupts its sleep.

    Args:
        thread: as `this_thread` gave it in that thread.

    Returns:
        Whether it has joined, and has not left.
    """
    return _linux.dismiss(thread)


def wait() -> Status:
    """End the current job, if there is one, and wait until the next one runs.

    Returns:
        What became of the job that ended: OK, MISSED, OVERRUN or ABORTED.

    Raises:
        JobError: ERROR_NOT_JOINED, _DETACHED, _DISMISSED or _REFUSED; the first call also ERROR_CLASS.
    """
    return _linux.wait()


def wait_in(call: Callable[[], object]) -> Status:
    """Wait for the next event-driven job: what wakes the thread in `call` is its arrival.

    Args:
        call: waits for the event, as read or poll do. An event that is there already is one too. What it raises is
            raised here, when the next job runs.

    Returns:
        As `wait`. It raises likewise.
    """
    return _linux.wait_in(call)


def current() -> Job:
    """Return the state of the current job.

    Raises:
        JobError: ERROR_NOT_JOINED or _NO_JOB.
    """
    return _linux.job()


def counts() -> Counts:
    """Return the jobs of the thread since it joined.

    Raises:
        JobError: ERROR_NOT_JOINED.
    """
    return _linux.counts()


def give_way() -> Status:
    """Move the job behind its equals. It answers and raises as `point`."""
    return _linux.give_way()


def suspend_until(until_ns: int) -> Status:
    """Suspend the job until an instant. It answers and raises as `point`."""
    return _linux.suspend_until(until_ns)


def lock(resource: int) -> Status:
    """Lock a resource of the domain, by its number; return when the job holds it. The end of a job unlocks.

    It answers and raises as `point`, and raises ERROR_RESOURCE.
    """
    return _linux.lock(resource)


def unlock(resource: int) -> Status:
    """Unlock the resource that the job locked last. It answers and raises as `lock`."""
    return _linux.unlock(resource)


def negotiate(*, period_ns: int, wcet_ns: int, deadline_ns: int = 0, weight: int = 1) -> Status:
    """Request other parameters for the task of the current job: the negotiation of Springer and Zhao 2024.

    The scheduler rounds execution up, and time down, to its ticks.

    Args:
        period_ns: from one tick.
        wcet_ns: execution time, from one tick up to the deadline; not read for best-effort tasks.
        deadline_ns: relative; at most the period if the task is hard, else the period; 0: the period.
        weight: 1 to 65535; read for best-effort tasks only.

    Returns:
        OK: admitted, in force from a later job on. ABORTED.

    Raises:
        JobError: ERROR_REJECTED: the allocator has no rate for it, and nothing changes; ERROR_DEMAND, _REQUESTS or
            _ALLOCATOR; as `point`.
    """
    return _linux.negotiate(period_ns=period_ns, wcet_ns=wcet_ns, deadline_ns=deadline_ns, weight=weight)


def rate() -> float:
    """Return the rate of the task in force, as a part of the processor; 0 if it has none.

    Raises:
        JobError: ERROR_NOT_JOINED.
    """
    return _linux.rate() / RATE_WHOLE
