# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Jobs in Python beside a fake taktd and a fake kernel: the program that test_job.py runs, for one scenario.

fake_kernel.c is preloaded. It calls a function of this file for each scheduling call: that plays the scheduler's side
of linux/slot.h. It needs the lock of the interpreter, so libtakt must not hold it.
"""

from __future__ import annotations

import array
import ctypes
import mmap
import os
import socket
import struct
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from takt.linux import job
from takt.linux.job import JobError, Status

COMPLETE, YIELD, POINT, SUSPEND, ARRIVAL, LOCK, UNLOCK, CHANGE = 1, 4, 6, 8, 9, 10, 11, 14
RECEIVED, UNFIT, FULL, REJECTED = 0, 3, 4, 6
ATTACHED, HAS_JOB = 1, 2
EXT, PERIOD = 7, 1_000_000


class Slot(ctypes.Structure):
    """As takt_linux_slot_t."""

    _fields_ = [
        *((name, ctypes.c_uint32) for name in ("request", "request_job")),
        ("request_value", ctypes.c_uint64),
        *((name, ctypes.c_uint32) for name in ("mode", "request_weight")),
        *((name, ctypes.c_uint64) for name in ("request_deadline_ns", "request_wcet_ns")),
        ("unused", ctypes.c_uint32 * 6),
        *((name, ctypes.c_uint32) for name in ("receipt", "answered", "should_yield", "job")),
        *((name, ctypes.c_uint32) for name in ("is_missed", "waiting", "started", "state")),
        *((name, ctypes.c_uint64) for name in ("release_ns", "deadline_ns", "next_release_ns")),
        *((name, ctypes.c_uint32) for name in ("change", "rate")),
    ]


class Scheduler:
    """A taktd with one task, and the kernel's programs: they answer each request as the scenario says."""

    def __init__(self) -> None:
        self.file = os.memfd_create("slots")
        os.ftruncate(self.file, mmap.PAGESIZE)
        self.memory = mmap.mmap(self.file, mmap.PAGESIZE)
        self.slot = Slot.from_buffer(self.memory, 2 * ctypes.sizeof(Slot))
        self.path = str(Path(tempfile.mkdtemp()) / "s")
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.listener.bind(self.path)
        self.listener.listen()
        self.replies = [0, 0, 0]
        self.kinds: list[int] = []
        self.taken: list[tuple[int, int]] = []
        self.receipt = RECEIVED
        self.ends = True
        threading.Thread(target=self.serve, daemon=True).start()
        kernel = ctypes.CDLL(None)
        self.class_ = ctypes.c_int.in_dll(kernel, "takt_fake_class")
        kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint64)
        self.call = kind(self.attend)
        ctypes.c_void_p.in_dll(kernel, "takt_fake_call").value = ctypes.cast(self.call, ctypes.c_void_p).value

    def serve(self) -> None:
        """Reply to the calls of one connection."""
        while True:
            connection, _ = self.listener.accept()
            while call := connection.recv(128):
                version, kind = struct.unpack_from("<II", call)
                self.kinds.append(kind)
                reply = struct.pack("<6IQ", version, kind, self.replies.pop(0), 0, 1, 0, 2 * ctypes.sizeof(Slot))
                files = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [self.file]))] if kind == 1 else []
                self.slot.state = ATTACHED
                connection.sendmsg([reply.ljust(256, b"\0")], files)

    def release(self) -> None:
        """Make the next job the current one."""
        slot = self.slot
        slot.job += bool(slot.release_ns)
        slot.release_ns = slot.release_ns + PERIOD if slot.release_ns else time.monotonic_ns()
        slot.deadline_ns = slot.release_ns + 1000 * PERIOD
        slot.next_release_ns = slot.release_ns + 500 * PERIOD
        slot.state = ATTACHED | HAS_JOB

    def attend(self, until: int) -> int:
        """Take the request, as the kernel does in a scheduling call."""
        slot, request = self.slot, self.slot.request
        if until and request not in (COMPLETE, SUSPEND) and slot.state & HAS_JOB:
            return 0
        if request:
            self.taken.append((request, slot.request_value))
            slot.receipt = self.receipt
            slot.answered += 1
            slot.request = 0
        if request in (0, COMPLETE, ARRIVAL) and self.receipt == RECEIVED:
            self.release()
        return 1


def failed(call: Callable[[], object]) -> Status:
    """Return the status of a call that fails, which its text explains."""
    with pytest.raises(JobError) as raised:
        call()
    assert str(raised.value) == job.message(raised.value.status)
    return raised.value.status


# ---- scenarios -------------------------------------------------------------------------------------------------


def a_thread_executes_jobs() -> None:
    """Wait, and what a job knows."""
    scheduler = Scheduler()
    scheduler.receipt = RECEIVED
    with job.joined("control", path=scheduler.path) as status:
        assert status is Status.OK
        assert failed(job.current) is Status.ERROR_NO_JOB
        assert (job.wait(), scheduler.class_.value) == (Status.OK, EXT)
        assert (job.current().number, job.current().is_aborted, job.current().change) == (0, False, 0)
        assert job.current().deadline_ns - job.current().release_ns == 1000 * PERIOD
        scheduler.slot.waiting = 1
        assert (job.wait(), job.current().number) == (Status.OVERRUN, 1)
        scheduler.slot.waiting = 0
        scheduler.slot.deadline_ns = 1
        assert job.current().is_missed
        assert (job.wait(), job.current().number) == (Status.MISSED, 2)
        counts = job.counts()
        assert (counts.completed, counts.missed, counts.overruns, counts.aborted, counts.lost) == (2, 1, 1, 0, 0)
    assert scheduler.class_.value == 0
    assert scheduler.kinds == [1, 2, 3]


def a_job_makes_calls() -> None:
    """Points, locks, suspensions."""
    scheduler = Scheduler()
    with job.joined("control", path=scheduler.path):
        job.wait()
        del scheduler.taken[:]
        assert (job.point(), job.should_yield(), job.optional_point()) == (Status.OK, False, False)
        assert scheduler.taken == []
        scheduler.slot.should_yield = 1
        assert (job.should_yield(), job.point()) == (True, Status.OK)
        until = time.monotonic_ns() + 1000
        for call in (job.give_way, lambda: job.lock(7), lambda: job.unlock(7), lambda: job.suspend_until(until)):
            assert call() is Status.OK
        assert scheduler.taken == [(POINT, 0), (YIELD, 0), (LOCK, 7), (UNLOCK, 7), (SUSPEND, until)]
        scheduler.receipt = UNFIT
        assert failed(lambda: job.lock(7)) is Status.ERROR_RESOURCE
        assert failed(job.give_way) is Status.ERROR_REFUSED
        assert not job.is_aborted()
        scheduler.slot.job += 1
        assert (job.is_aborted(), job.give_way()) == (True, Status.ABORTED)
        scheduler.slot.state = 0
        assert failed(job.wait) is Status.ERROR_DETACHED


def a_rate_is_negotiated() -> None:
    """Demands and answers."""
    scheduler = Scheduler()
    with job.joined("control", path=scheduler.path):
        job.wait()
        scheduler.slot.rate = job.RATE_WHOLE // 4
        assert job.rate() == 0.25
        assert job.negotiate(period_ns=40, wcet_ns=8, weight=3) is Status.OK
        slot = scheduler.slot
        assert scheduler.taken[-1] == (CHANGE, 40)
        assert (slot.request_deadline_ns, slot.request_wcet_ns, slot.request_weight) == (40, 8, 3)
        for receipt, status in (
            (REJECTED, Status.ERROR_REJECTED),
            (UNFIT, Status.ERROR_DEMAND),
            (FULL, Status.ERROR_REQUESTS),
            (2, Status.ERROR_ALLOCATOR),
        ):
            scheduler.receipt = receipt
            assert failed(lambda: job.negotiate(period_ns=40, wcet_ns=8, deadline_ns=30)) is status
        for wrong in ({"period_ns": -1}, {"period_ns": 2**64}, {"weight": 2**32}, {"wcet_ns": 1.5}):
            with pytest.raises(TypeError):
                job.negotiate(**{"period_ns": 1, "wcet_ns": 1, **wrong})  # type: ignore[arg-type]


def an_event_is_waited_for() -> None:
    """Calls of Python that wait, one of which fails."""
    scheduler = Scheduler()
    heard: list[int] = []
    with job.joined("reader", path=scheduler.path):
        assert job.wait_in(lambda: heard.append(1)) is Status.OK
        assert (heard, job.current().number, scheduler.slot.mode) == ([1], 0, 1)
        with pytest.raises(IndexError):
            job.wait_in(lambda: heard[7])
        assert job.current().number == 1


def what_is_wrong_is_named() -> None:
    """Misuse, and a daemon that refuses."""
    calls = (job.wait, job.leave, job.current, job.counts, job.rate, job.give_way, lambda: job.wait_in(int))
    assert {failed(call) for call in calls} == {Status.ERROR_NOT_JOINED}
    assert (job.point(), job.this_thread(), job.dismiss(1)) == (Status.OK, 0, False)
    assert failed(lambda: job.join("control", path="/none")) is Status.ERROR_SOCKET
    assert failed(lambda: job.join("control", path="/" + "x" * 200)) is Status.ERROR_SOCKET
    scheduler = Scheduler()
    for reply, status in ((3, Status.ERROR_NAME), (4, Status.ERROR_TAKEN), (9, Status.ERROR_DETACHED)):
        scheduler.replies = [reply]
        assert failed(lambda: job.join("control", path=scheduler.path)) is status
    scheduler.replies = [0, 0, 0]
    with job.joined("control", path=scheduler.path):
        assert failed(lambda: job.join("control", path=scheduler.path)) is Status.ERROR_JOINED
        number = job.this_thread()
        assert job.dismiss(number)
        assert failed(job.wait) is Status.ERROR_DISMISSED
    assert not job.dismiss(number)


def a_thread_that_ends_leaves() -> None:
    """It did not ask for that. It may exist still when the interpreter has joined it."""
    scheduler = Scheduler()
    numbers: list[int] = []

    def begin() -> None:
        job.join("control", path=scheduler.path)
        numbers.append(job.this_thread())

    thread = threading.Thread(target=begin)
    thread.start()
    thread.join()
    end = time.monotonic() + 10
    while scheduler.kinds != [1, 3]:
        assert time.monotonic() < end
    assert numbers[0] > 0
    assert not job.dismiss(numbers[0])


if __name__ == "__main__":
    globals()[sys.argv[1]]()
    print("done")
