# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Talking to taktd, the scheduler of a Linux machine: a task set is loaded, watched and detached.

Source: linux/protocol.h, whose structures these are, and linux/daemon/taktd.c. Programs join through libtakt
(linux/lib/takt_linux.h), not through this.

Threads may request other rates (linux/negotiation.h). Core knows changes that are listed before the system starts. So
an image has rows for requests; with the rows that were filled in, the description replays the trace.

When not to use it: to run a task set with synthetic load; see board.py.
"""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from takt.base import output_files
from takt.base.errors import BoardError, InputError, Problem
from takt.board import emulation, programs
from takt.files import machine_records, trace_file
from takt.files.trace_file import Trace
from takt.linux import board
from takt.model import image as images
from takt.model.changes import parameters_of
from takt.model.core_input import ResolvedChange, ResolvedSystem
from takt.model.system import System

SOCKET: Final = Path("/run/takt/taktd.sock")

_VERSION = 1
_CALL = struct.Struct("=IIiIIIQQ24x64s")
_REPLY = struct.Struct("=IIIIIIQ120s104s")
_PROCESSOR = struct.Struct("=11Q6IQ")
_COUNTS = (
    *("epoch_ns", "decisions", "mismatches", "absences", "refused", "stolen_ns", "stolen", "orphans", "lost"),
    *("records", "records_lost"),
)
_TASK = struct.Struct("=3Qi5I")
_LOAD = struct.Struct("=3Q")
_STATUS, _TASK_OF, _ADD, _ATTACH, _DETACH, _TRACE = range(4, 10)
_WHEN_JOINED = 1
_PATIENCE_SECONDS = 30.0
_NO_ENTITY = 2**32 - 1
_RECORD_BYTES = 32

# takt_reply_status_t
_OK, _MESSAGE, _ALLOWED, _NAME = range(4)
_DETACHED, _ATTACHED, _OTHER, _REFUSED, _KERNEL, _NOTHING = range(9, 15)
_MESSAGES = {
    _MESSAGE: "taktd does not understand this takt; use those of one version",
    _ALLOWED: "only root, and the user that runs taktd, may do this",
    _DETACHED: "no task set is attached",
    _ATTACHED: "a task set is attached; detach it first: takt linux detach",
    _NOTHING: "there is no trace; load a task set and detach it first",
}

STATES = ("idle", "waits for threads", "attached")

RECORDS = 400_000
"""For which there is memory in a domain's trace: 32 bytes each. Later ones are lost, and the trace ends there."""

REQUESTS = 1000
"""For other rates, that the threads of a rate-based domain can make; rejected ones count too."""

_MOST_RECORDS = 2_500_000
"""Of all domains: 80 MB of the 128 MB that the kernel and taktd share."""

_MOST_JOBS = 2**32 - 2
_LONGEST_NS = 3650 * 86400 * 10**9
_MOST_NAME = 63


@dataclass(frozen=True)
class Task:
    """State of a task in taktd.

    Args:
        cpu: its processor.
        name: its name.
        thread: the id of the thread that executes its jobs; 0: none has joined.
        is_attached: whether the scheduler decides when that thread runs.
        has_job: whether a job is released and has not ended.
        job: the number of that job, or of the last one.
        waiting: jobs behind it.
        started: how often a job of it was selected anew.
        is_missed: whether the deadline of its job had passed when that was last selected.
    """

    cpu: int
    name: str
    thread: int
    is_attached: bool
    has_job: bool
    job: int
    waiting: int
    started: int
    is_missed: bool


@dataclass(frozen=True)
class Processor:
    """State of a processor in taktd; linux/shared.h describes the counts.

    Args:
        cpu: its number.
        running: the task whose thread runs; empty: none.
        tasks: of its domain.
    """

    cpu: int
    epoch_ns: int
    decisions: int
    mismatches: int
    absences: int
    refused: int
    stolen_ns: int
    stolen: int
    orphans: int
    lost: int
    records: int
    records_lost: int
    visits: int
    running: str
    tasks: tuple[Task, ...]


@dataclass(frozen=True)
class Status:
    """State of taktd.

    Args:
        process: its number.
        state: one of STATES.
        is_full: whether threads of the fair class are scheduled, too.
        reason: why the kernel ended the last scheduler; empty: it did not.
        processors: with a domain, also after a detach.
    """

    process: int
    state: str
    is_full: bool
    reason: str
    processors: tuple[Processor, ...]


# ---- messages -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Reply:
    """A reply; linux/protocol.h."""

    status: int
    cpu: int
    body: bytes
    text: str
    files: Sequence[int] = field(default_factory=list)


class _Connection:
    """A connection to taktd."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection

    def ask(
        self,
        kind: int,
        *,
        cpu: int = 0,
        entity: int = 0,
        flags: int = 0,
        tick_ns: int = 0,
        records: int = 0,
        file: int | None = None,
    ) -> _Reply:
        """Return the reply to a call; a file that comes with it belongs to the caller."""
        message = _CALL.pack(_VERSION, kind, 0, cpu, entity, flags, tick_ns, records, b"")
        try:
            files = [] if file is None else [file]
            socket.send_fds(self._socket, [message], files)
            data, received, _, _ = socket.recv_fds(self._socket, _REPLY.size, 1)
        except OSError as error:
            raise BoardError(f"taktd does not answer: {error.strerror or error}") from None
        if len(data) != _REPLY.size:
            raise BoardError("taktd has ended" if not data else f"taktd: {_MESSAGES[_MESSAGE]}")
        version, answered, status, at, _, _, _, body, text = _REPLY.unpack(data)
        if (version, answered) != (_VERSION, kind):
            raise BoardError(f"taktd: {_MESSAGES[_MESSAGE]}")
        return _Reply(status, at, body, text.split(b"\0")[0].decode(errors="replace"), received)

    def must(self, kind: int, **details: int) -> _Reply:
        """Return the reply to a call that has to succeed.

        Raises:
            InputError: taktd refuses the task set.
            BoardError: it does not do it; the text says why.
        """
        reply = self.ask(kind, **details)
        if reply.status == _OK:
            return reply
        if reply.status == _REFUSED:
            raise InputError([Problem(f"taktd refuses the task set: {reply.text}", "board")])
        if reply.status == _OTHER:
            raise BoardError(f"another scheduler is attached: {reply.text}; end it first, Takt does not replace it")
        if reply.status == _KERNEL:
            raise BoardError(f"taktd: the kernel refuses: {reply.text}")
        raise BoardError(f"taktd: {_MESSAGES.get(reply.status, f'status {reply.status}')}")


@contextmanager
def _connected(path: Path) -> Iterator[_Connection]:
    """Connect to taktd.

    Raises:
        BoardError: there is none.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
        connection.settimeout(_PATIENCE_SECONDS)
        try:
            connection.connect(str(path))
        except PermissionError:
            raise BoardError(f"{path}: permission denied; run as root, or as a member of the socket's group") from None
        except OSError as error:
            why = error.strerror or error
            remedy = "start it: systemctl start taktd, or takt linux daemon as root"
            raise BoardError(f"taktd does not run at {path} ({why}); {remedy}") from None
        yield _Connection(connection)


# ---- loading ------------------------------------------------------------------------------------------------


def without_end(system: System) -> System:
    """Return a system with a horizon at which no task has run out of numbers of jobs, ten years at most.

    Raises:
        InputError: the horizon does not suit the system.
    """
    members = [part for domain in system.domains for part in (domain.system,)] or [system]
    shortest = [
        period * part.resolution_ns
        for part in members
        for period in (*(task.period for task in part.resolved.tasks), *(each.period for each in part.resolved.changes))
        if period
    ]
    longest = min([_LONGEST_NS, *(period * _MOST_JOBS for period in shortest)])
    return system.replace(horizon=f"{longest // system.resolution_ns * system.resolution_ns}ns")


def load(system: System, path: Path = SOCKET, cpu: int | None = None, *, when_joined: bool = False) -> None:
    """Start the scheduling of this machine by a system: programs join as its tasks, and it ends at its horizon.

    Args:
        system: what is to decide. Arrivals and execution times of the file are not used: threads have their own.
        path: the socket of taktd.
        cpu: the processor, for a system of one domain; None: that of the file.
        when_joined: instant 0 is when each task has a thread; else it is at once.

    Raises:
        InputError: Linux or taktd cannot take the system.
        BoardError: taktd cannot be reached, or does not do it; the text says why.
    """
    parts = board.parts(system)
    if cpu is not None and len(parts) > 1:
        raise InputError([Problem(f"expected one domain, found {len(parts)}; the file places them", "board")])
    records = min(RECORDS, _MOST_RECORDS // len(parts))
    with _connected(path) as connection:
        for part in parts:
            with _file(contents(part)) as file:
                place = part.processors[0] if cpu is None else cpu
                tick_ns = part.described.resolution_ns
                connection.must(_ADD, cpu=place, tick_ns=tick_ns, records=records, file=file)
        connection.must(_ATTACH, flags=_WHEN_JOINED if when_joined else 0)


def contents(part: board.Part) -> bytes:
    """Return the file of a domain: image, names of its entities, header of its trace.

    Args:
        part: the domain.

    Raises:
        InputError: a name is too long.
    """
    described = part.described
    if _negotiates(described):
        described = with_rows(described, part.horizon, REQUESTS)
    image = programs.image_of_service(part.system.resolved, described, part.horizon)
    names = [name.encode() for name in described.entity_names()]
    longest = max(names, key=len)
    if len(longest) > _MOST_NAME:
        message = f"under Linux a name has at most {_MOST_NAME} bytes, found {longest.decode()}"
        raise InputError([Problem(message, "board")])
    text = b"".join(name + b"\0" for name in names)
    packed = images.pack(described, part.horizon, is_remote=True)
    header = trace_file.header_bytes(described, packed, board.HOST)
    return _LOAD.pack(len(image), len(text), len(header)) + image + text + header


@contextmanager
def _file(data: bytes) -> Iterator[int]:
    """Yield a file without a name that has some bytes."""
    file = os.memfd_create("takt")
    try:
        with os.fdopen(os.dup(file), "wb") as stream:
            stream.write(data)
        yield file
    finally:
        os.close(file)


def detach(path: Path = SOCKET) -> None:
    """End what was loaded: all threads are of the fair class again.

    Raises:
        BoardError: taktd cannot be reached, or nothing is attached.
    """
    with _connected(path) as connection:
        connection.must(_DETACH)


# ---- status -------------------------------------------------------------------------------------------------


class Watch:
    """A connection for status."""

    def __init__(self, connection: _Connection) -> None:
        """Use a connection."""
        self._connection = connection

    def status(self) -> Status:
        """Return the state of taktd with its processors and tasks.

        Raises:
            BoardError: taktd has ended.
        """
        found, at = list[Processor](), 0
        while True:
            reply = self._connection.ask(_STATUS, cpu=at)
            if reply.status not in (_OK, _NOTHING):
                raise BoardError(f"taktd: {_MESSAGES.get(reply.status, reply.text)}")
            values = _PROCESSOR.unpack(reply.body[: _PROCESSOR.size])
            process, state, entities, is_full, running, first = values[len(_COUNTS) : -1]
            if reply.status == _NOTHING:
                return Status(process, STATES[state], bool(is_full), reply.text, tuple(found))
            tasks = []
            for entity in range(first, entities):
                answer = self._connection.must(_TASK_OF, cpu=reply.cpu, entity=entity)
                *_, thread, job, bits, waiting, started, is_missed = _TASK.unpack(answer.body[: _TASK.size])
                flags = bool(bits & 1), bool(bits & 2)
                tasks.append(Task(reply.cpu, answer.text, thread, *flags, job, waiting, started, bool(is_missed)))
            at = reply.cpu + 1
            is_task = running != _NO_ENTITY and first <= running < entities
            name = tasks[running - first].name if is_task else ""
            counts = dict(zip(_COUNTS, values[: len(_COUNTS)], strict=True))
            found.append(Processor(cpu=reply.cpu, visits=values[-1], running=name, tasks=tuple(tasks), **counts))


@contextmanager
def watched(path: Path = SOCKET) -> Iterator[Watch]:
    """Connection to taktd that reads its status repeatedly.

    Raises:
        BoardError: taktd cannot be reached.
    """
    with _connected(path) as connection:
        yield Watch(connection)


def status(path: Path = SOCKET) -> Status:
    """Return the state of taktd with its processors and tasks.

    Raises:
        BoardError: taktd cannot be reached.
    """
    with watched(path) as watch:
        return watch.status()


# ---- trace --------------------------------------------------------------------------------------------------


def trace(target: str | Path, path: Path = SOCKET) -> None:
    """Write what the system that was detached last has decided, as a trace file.

    Args:
        target: the file; what is there is replaced.
        path: the socket of taktd.

    Raises:
        InputError: the file cannot be written.
        BoardError: taktd cannot be reached, or has no trace.
    """
    with _connected(path) as connection:
        cpus = [processor.cpu for processor in Watch(connection).status().processors] or [0]
        files = {}
        for cpu, reply in [(cpu, connection.must(_TRACE, cpu=cpu)) for cpu in cpus]:
            if not reply.files:
                raise BoardError(f"taktd: {_MESSAGES[_MESSAGE]}")
            with os.fdopen(reply.files[0], "rb") as file:
                file.seek(0)
                files[cpu] = (file.read(), int.from_bytes(reply.body[:8], "little"))
    write_trace(target, files)


def write_trace(target: str | Path, files: Mapping[int, tuple[bytes, int]]) -> None:
    """Write a trace file of what taktd hands out: up to the end, or until the memory of one processor is full.

    Args:
        target: the file; what is there is replaced.
        files: for each processor header and records, and behind them so many bytes of requests for rates.

    Raises:
        InputError: the file cannot be written.
    """
    traces, ends = list[Trace](), list[int]()
    with emulation.temporary_folder() as folder:
        for cpu, (contents, size) in files.items():
            records = len(contents) - size
            output_files.write(folder / f"{cpu}", contents[:records])
            read = trace_file.read(folder / f"{cpu}")
            traces.append(replace(read, system=filled(read.system, contents[records:])))
            ends.append(int.from_bytes(contents[records - _RECORD_BYTES :][:8], "little"))
    is_full = any(trace.full_at is not None for trace in traces)
    end = min(ends) if is_full else max(ends)
    systems = [(trace.system, images.pack(trace.system, end + 1, is_remote=True)) for trace in traces]
    if len(traces) == 1:
        header, recorded = trace_file.header_bytes(*systems[0], board.HOST), bytes(traces[0].data)
    else:
        numbers = [(cpu,) for cpu in files]
        places = machine_records.places_of(numbers, [system for system, _ in systems])
        parts = [machine_records.before(trace.data, end + 1) for trace in traces]
        header = trace_file.machine_header(traces[0].system.name, numbers, systems, board.HOST)
        recorded = machine_records.merged(places, parts)
    output_files.write(target, header + recorded + trace_file.closing(end + (not is_full), recorded, is_full=is_full))


# ---- requests for other rates -------------------------------------------------------------------------


_TEXT = "requested"
REQUEST = struct.Struct("<5Q")
"""A takt_requested_t."""


def _negotiates(system: ResolvedSystem) -> bool:
    """True if the root of a system negotiates."""
    return system.rates is not None and not system.resources


def with_rows(system: ResolvedSystem, horizon: int, count: int) -> ResolvedSystem:
    """Return a system with rows for requests, of any of its tasks.

    Args:
        system: a rate-based one.
        horizon: in ticks.
        count: how many requests its threads can make, rejected ones included.

    Raises:
        InputError: its root does not negotiate: it has another policy, or tasks share resources.
    """
    if not _negotiates(system):
        found = "resources" if system.rates is not None else f"policy {system.policy}"
        message = f'expected policy = "rate-based" without resources, to negotiate rates, found {found}'
        raise InputError([Problem(message, "conflict", table="system", key="policy")])
    row = ResolvedChange(at=horizon, kind="parameters", task=0, policy="", text=_TEXT, **parameters_of(system.tasks[0]))
    return replace(system, changes=(*system.changes, *[row] * count))


def filled(described: ResolvedSystem, requests: bytes) -> ResolvedSystem:
    """Return a system with the requests that were made in place of its rows for them.

    They keep the horizon as their instant, and so their numbers in the trace, which says when they were made.

    Args:
        described: as it ran.
        requests: what threads requested, as takt_requested_t has it.
    """
    listed = [change for change in described.changes if change.text != _TEXT]
    rows = (change for change in described.changes if change.text == _TEXT)
    made = zip(REQUEST.iter_unpack(requests), rows, strict=False)
    filled_in = []
    for (task, period, deadline, wcet, weight), row in made:
        class_ = described.tasks[task].class_
        parameters = {"class_": class_, "period": period, "deadline": deadline, "wcet": wcet, "weight": weight}
        filled_in.append(replace(row, task=task, **parameters))
    return replace(described, changes=(*listed, *filled_in))
