"""Trace files: the inputs that a platform handed to the scheduler, and the decisions that it got.

The format is a contract of its own, docs/trace-format.md. Reading checks everything that can be checked
without running the scheduler; what cannot, replay does.
"""

from __future__ import annotations

import json
import mmap
import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from takt import _core
from takt.base import input_files, output_files
from takt.base.errors import InputError, file_error, printable, system_error
from takt.base.version import __version__
from takt.model.catalogue import SHARE_VARIANTS
from takt.model.core_input import (
    CHANGES,
    CLASSES,
    ON_MISS,
    ResolvedChange,
    ResolvedRates,
    ResolvedResource,
    ResolvedServer,
    ResolvedSharing,
    ResolvedSystem,
    ResolvedTask,
    ResolvedThread,
    ResolvedWindows,
)
from takt.model.python_policy import Policy, name_of

MAGIC = b"TAKTTRC\0"
VERSION = _core.TRACE_VERSION
SIMULATOR = "simulator"

_PREAMBLE = struct.Struct("<8sHHI")
_RECORD = struct.Struct("<QQIIBBHI")
_KINDS = ("server", "task", "thread")
_MAX_HEADER = 16 * input_files.MAX_BYTES
"""A description in a header says what a task-set file leaves out."""

_Value = TypeVar("_Value")


class Record(NamedTuple):
    """One record; core/trace.h says what its fields mean."""

    now: int
    value: int
    entity: int
    sequence: int
    kind: int
    cpu: int
    job: int


@dataclass(frozen=True)
class Trace:
    """A trace that was read.

    Args:
        path: the file.
        platform: where it was recorded, such as "simulator".
        software: what recorded it.
        horizon: ticks that were to be run.
        system: what ran.
        data: the records, as bytes, without the closing one.
    """

    path: str
    platform: str
    software: str
    horizon: int
    system: ResolvedSystem
    data: memoryview

    def __len__(self) -> int:
        """Count the records."""
        return len(self.data) // _RECORD.size

    def records(self) -> Iterator[Record]:
        """Go through the records in the order in which they were made."""
        for now, value, entity, sequence, kind, cpu, _, job in _RECORD.iter_unpack(self.data):
            yield Record(now, value, entity, sequence, kind, cpu, job)


# ---- writing ----------------------------------------------------------------------------------------


@contextmanager
def started(path: str | Path, system: ResolvedSystem, platform: str, horizon: int) -> Iterator[str]:
    """Yield the name of a file to append records to, behind its header; at the end of the block it becomes `path`.

    Args:
        path: the file; what is there is replaced.
        system: what is going to run.
        platform: where.
        horizon: ticks that are to be run.

    Raises:
        InputError: the file cannot be written; what was there is still there.
    """
    with output_files.replacing(path) as file:
        file.write(_header_bytes(system, platform, horizon))
        file.flush()
        yield file.name


def write(path: str | Path, system: ResolvedSystem, platform: str, horizon: int, records: bytes) -> None:
    """Write a whole trace file.

    Args:
        path: the file; what is there is replaced.
        system: what ran.
        platform: where.
        horizon: ticks that were to be run.
        records: all that core made, little endian; the closing record is added.

    Raises:
        InputError: the file cannot be written.
    """
    output_files.write(path, _header_bytes(system, platform, horizon) + records + _closing(horizon, records))


def _closing(horizon: int, records: bytes) -> bytes:
    """Make the record that ends a trace: it counts those before it."""
    return _RECORD.pack(horizon, len(records) // _RECORD.size, _core.NOBODY, 0, _core.RECORD_END, 0, 0, 0)


def _header_bytes(system: ResolvedSystem, platform: str, horizon: int) -> bytes:
    """Make all that stands before the records."""
    text = json.dumps(_describe(system, platform, horizon), ensure_ascii=False).encode()
    header = _PREAMBLE.pack(MAGIC, VERSION, _RECORD.size, len(text)) + text
    return header + bytes(_padding(len(header)))


def _padding(length: int) -> int:
    """Count the zeros after a header, so that records begin at a multiple of their size."""
    return -length % _RECORD.size


def _describe(system: ResolvedSystem, platform: str, horizon: int) -> dict[str, Any]:
    """Make the header as JSON data."""
    rows = [
        *({"kind": "server", **_server_row(server)} for server in system.servers),
        *({"kind": "task", **_task_row(task)} for task in system.tasks),
        *({"kind": "thread", "name": thread.name, "level": thread.level} for thread in system.threads),
    ]
    return {
        "software": f"takt {__version__}",
        "platform": platform,
        "resolution_ns": system.resolution_ns,
        "horizon": horizon,
        "system": {
            "name": system.name,
            "policy": name_of(system.policy),
            "levels": system.levels,
            "rates": None if system.rates is None else asdict(system.rates),
            "order_rows": system.order_rows,
            "time_rows": system.time_rows,
            "cpus": system.cpus,
            "share": system.share,
            "bulk": system.bulk,
        },
        "entities": [{"id": number, **row} for number, row in enumerate(rows, start=1)],
        "resources": [asdict(resource) for resource in system.resources],
        "changes": [_change_row(change) for change in system.changes],
    }


def _server_row(server: ResolvedServer) -> dict[str, Any]:
    """Describe a server."""
    return {
        "name": server.name,
        "home": server.home,
        "server_kind": server.kind,
        "policy": name_of(server.policy),
        "period": server.period,
        "budget": server.budget,
        "offset": server.offset,
        "level": server.level,
        "levels": server.levels,
        "order_rows": server.order_rows,
        "time_rows": server.time_rows,
    }


def _task_row(task: ResolvedTask) -> dict[str, Any]:
    """Describe a task."""
    return {
        "name": task.name,
        "home": task.home,
        "class": task.class_,
        "period": task.period,
        "deadline": task.deadline,
        "offset": task.offset,
        "wcet": task.wcet,
        "level": task.level,
        "preemption_key": task.preemption_key,
        "on_miss": task.on_miss,
        "is_external": task.is_external,
        "suspends": task.suspends,
        "locks": task.locks,
        "weight": task.weight,
        "is_greedy": task.is_greedy,
        "adapts": task.adapts,
        "is_absent": task.is_absent,
        "events": task.events,
        "interval": task.interval,
        **({} if task.windows is None else {"windows": asdict(task.windows)}),
        **({} if task.sharing is None else {"sharing": asdict(task.sharing)}),
    }


def _change_row(change: ResolvedChange) -> dict[str, Any]:
    """Describe a change."""
    return {
        "at": change.at,
        "kind": change.kind,
        "task": change.task,
        "policy": change.policy,
        "period": change.period,
        "deadline": change.deadline,
        "wcet": change.wcet,
        "level": change.level,
        "class": change.class_,
        "weight": change.weight,
        "text": change.text,
    }


# ---- reading ----------------------------------------------------------------------------------------


def read(path: str | Path, policies: Sequence[Policy] = ()) -> Trace:
    """Read a trace file.

    Args:
        path: the file.
        policies: the policies in Python that were used when it was recorded.

    Returns:
        The trace; its records stay in the file until they are looked at.

    Raises:
        InputError: the file cannot be read, is no trace, is damaged or incomplete, or is of another version of the
            format.
    """
    data = _map(path)
    length = _check_preamble(path, data)
    text = data[_PREAMBLE.size : _PREAMBLE.size + length]
    begin = _PREAMBLE.size + length + _padding(_PREAMBLE.size + length)
    if begin > len(data):
        raise _damaged(path, f"the header ends at byte {begin}, the file at byte {len(data)}")
    records = data[begin:]
    if len(records) % _RECORD.size != 0:
        raise _damaged(path, f"{len(records) % _RECORD.size} bytes stand after the last whole record")
    header = _parse_header(path, bytes(text))
    try:
        whole = without_closing(records)
    except ValueError as error:
        raise file_error(path, f"{error}; record it again", "damaged") from None
    return _from_header(path, header, whole, policies)


def without_closing(records: memoryview) -> memoryview:
    """Give the records before the closing one.

    Args:
        records: all of a trace, whole ones.

    Raises:
        ValueError: records are missing at the end or elsewhere; the text says what was expected and found.
    """
    count = len(records) // _RECORD.size
    if count == 0:
        raise ValueError("truncated trace: expected a closing record, found no record at all")
    _, counted, _, _, kind, _, _, _ = _RECORD.unpack(records[-_RECORD.size :])
    if kind != _core.RECORD_END:
        raise ValueError(f"truncated trace: expected a closing record at the end, found none after {count} records")
    if counted != count - 1:
        raise ValueError(f"incomplete trace: expected {counted} records before the closing record, found {count - 1}")
    return records[: -_RECORD.size]


def _map(path: str | Path) -> memoryview:
    """Map a file into memory."""
    try:
        with Path(path).open("rb") as file:
            if file.seek(0, 2) == 0:
                return memoryview(b"")
            return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except OSError as error:
        raise system_error("read", path, error) from None
    except ValueError:
        raise file_error(path, "cannot read: not a file name", "cannot-read") from None


def _check_preamble(path: str | Path, data: memoryview) -> int:
    """Check the fixed part of the header; gives the length of the rest."""
    if bytes(data[: len(MAGIC)]) != MAGIC:
        raise file_error(path, "not a Takt trace: it does not begin with TAKTTRC", "not-a-trace")
    if len(data) < _PREAMBLE.size:
        raise _damaged(path, f"the header ends at byte {_PREAMBLE.size}, the file at byte {len(data)}")
    _, found_version, record_size, length = _PREAMBLE.unpack(data[: _PREAMBLE.size])
    if found_version != VERSION:
        message = f"this version reads traces of version {VERSION}, found {found_version}; record it again"
        raise file_error(path, message, "unknown-version")
    if record_size != _RECORD.size:
        raise _damaged(path, f"records have {_RECORD.size} bytes, found {record_size}")
    if length > _MAX_HEADER:
        raise _damaged(path, f"its header has {length} bytes, expected at most {_MAX_HEADER}")
    return int(length)


def _parse_header(path: str | Path, text: bytes) -> dict[str, Any]:
    """Parse the JSON of a header."""
    try:
        header = json.loads(text.decode())
    except (ValueError, RecursionError):
        raise _damaged(path, "its header is not JSON") from None
    if not isinstance(header, dict):
        raise _damaged(path, "its header is not a JSON object")
    return header


def _from_header(path: str | Path, header: Mapping[str, Any], records: memoryview, policies: Sequence[Policy]) -> Trace:
    """Make the trace that a header describes."""
    try:
        trace = Trace(
            path=str(path),
            platform=_get(header, "platform", str),
            software=_get(header, "software", str),
            horizon=_get(header, "horizon", int),
            system=_with_policies(_system(header), policies),
            data=records,
        )
        if trace.system.resolution_ns == 0:
            raise ValueError("resolution_ns is out of range")
        trace.system.spec()
    except ValueError as error:
        raise _damaged(path, f"its header is not right: {printable(str(error))}") from None
    return trace


def _get(row: Mapping[str, Any], key: str, kind: type[_Value]) -> _Value:
    """Give one value of a header.

    Raises:
        ValueError: it is not there, of another type, or a number that core cannot take.
    """
    value = row.get(key)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise ValueError(f"{key} is {'missing' if key not in row else 'of the wrong type'}")
    if isinstance(value, int) and not 0 <= value < 2**64:
        raise ValueError(f"{key} is out of range")
    return value


def _system(header: Mapping[str, Any]) -> ResolvedSystem:
    """Make the system that a header describes."""
    system = _get(header, "system", dict)
    rows = _entities(_get(header, "entities", list))
    return ResolvedSystem(
        name=_get(system, "name", str),
        policy=_get(system, "policy", str),
        resolution_ns=_get(header, "resolution_ns", int),
        levels=_get(system, "levels", int),
        servers=tuple(_server(row) for row in rows if row["kind"] == "server"),
        tasks=tuple(_task(row) for row in rows if row["kind"] == "task"),
        threads=tuple(_thread(row) for row in rows if row["kind"] == "thread"),
        resources=_resources(_get(header, "resources", list)),
        order_rows=_get(system, "order_rows", int),
        time_rows=_get(system, "time_rows", int),
        changes=tuple(map(_change, _get(header, "changes", list))),
        cpus=_get(system, "cpus", int),
        bulk=_get(system, "bulk", int) if "bulk" in system else 1,
        share=None if system.get("share") is None else _word(system, "share", SHARE_VARIANTS),
        rates=None if system.get("rates") is None else _rates(_get(system, "rates", dict)),
    )


def _rates(row: Mapping[str, Any]) -> ResolvedRates:
    """Make the options of a rate-based root."""
    return ResolvedRates(
        beta=_get(row, "beta", int),
        has_formula=_flag(row, "has_formula"),
        sigma=_get(row, "sigma", int),
        grid=_get(row, "grid", int),
        rule=_get(row, "rule", int),
        has_background=_flag(row, "has_background"),
        has_compression=_flag(row, "has_compression"),
        has_cuts=_flag(row, "has_cuts"),
        estimate_jobs=_get(row, "estimate_jobs", int),
    )


def _with_policies(system: ResolvedSystem, policies: Sequence[Policy]) -> ResolvedSystem:
    """Put policies in Python in the places of their names."""
    if not policies:
        return system
    known = {policy.name: policy for policy in policies}
    return replace(
        system,
        policy=known.get(name_of(system.policy), system.policy),
        servers=tuple(
            replace(server, policy=known.get(name_of(server.policy), server.policy)) for server in system.servers
        ),
    )


def _entities(rows: Sequence[Any]) -> Sequence[dict[str, Any]]:
    """Check that the entity table is numbered from 1: servers, then tasks, then threads."""
    last = 0
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict) or row.get("kind") not in _KINDS or row.get("id") != number:
            raise ValueError(f"entity {number} is not described")
        rank = _KINDS.index(row["kind"])
        if rank < last:
            raise ValueError(f"entity {number} is a {row['kind']} after a {_KINDS[last]}")
        last = rank
    return rows


def _server(row: Mapping[str, Any]) -> ResolvedServer:
    """Make a server of its row."""
    return ResolvedServer(
        name=_get(row, "name", str),
        kind=_get(row, "server_kind", str),
        policy=_get(row, "policy", str),
        home=_get(row, "home", int),
        period=_get(row, "period", int),
        budget=_get(row, "budget", int),
        offset=_get(row, "offset", int),
        level=_get(row, "level", int),
        levels=_get(row, "levels", int),
        order_rows=_get(row, "order_rows", int),
        time_rows=_get(row, "time_rows", int),
    )


def _word(row: Mapping[str, Any], key: str, words: Sequence[str]) -> str:
    """Give a word out of a list."""
    word = _get(row, key, str)
    if word not in words:
        raise ValueError(f"{key} is none of {', '.join(words)}")
    return word


def _flag(row: Mapping[str, Any], key: str) -> bool:
    """Give a truth value."""
    if not isinstance(row.get(key), bool):
        raise ValueError(f"{key} is {'missing' if key not in row else 'of the wrong type'}")
    return bool(row[key])


def _task(row: Mapping[str, Any]) -> ResolvedTask:
    """Make a task of its row."""
    return ResolvedTask(
        name=_get(row, "name", str),
        class_=_word(row, "class", CLASSES),
        home=_get(row, "home", int),
        period=_get(row, "period", int),
        deadline=_get(row, "deadline", int),
        offset=_get(row, "offset", int),
        wcet=_get(row, "wcet", int),
        level=_get(row, "level", int),
        preemption_key=None if row.get("preemption_key") is None else _get(row, "preemption_key", int),
        on_miss=_word(row, "on_miss", ON_MISS),
        is_external=_flag(row, "is_external"),
        suspends=_flag(row, "suspends"),
        locks=_flag(row, "locks"),
        weight=_get(row, "weight", int),
        is_greedy=_flag(row, "is_greedy"),
        adapts=_flag(row, "adapts"),
        is_absent=_flag(row, "is_absent"),
        events=_get(row, "events", int),
        interval=_get(row, "interval", int),
        windows=None if "windows" not in row else _windows(_get(row, "windows", dict)),
        sharing=None if "sharing" not in row else _sharing(_get(row, "sharing", dict)),
    )


def _sharing(row: Mapping[str, Any]) -> ResolvedSharing:
    """Make what a task shares."""
    uses = tuple(_get({"uses": number}, "uses", int) for number in _get(row, "uses", list))
    return ResolvedSharing(uses, _get(row, "blocking", int), _get(row, "excess", int))


def _change(row: Any) -> ResolvedChange:
    """Make a change of its row."""
    if not isinstance(row, dict):
        raise ValueError("a change is not described")
    kind = _word(row, "kind", CHANGES)
    return ResolvedChange(
        at=_get(row, "at", int),
        kind=kind,
        task=None if kind == "policy" else _get(row, "task", int),
        policy=_get(row, "policy", str),
        period=_get(row, "period", int),
        deadline=_get(row, "deadline", int),
        wcet=_get(row, "wcet", int),
        level=_get(row, "level", int),
        class_=_word(row, "class", CLASSES),
        weight=_get(row, "weight", int) if "weight" in row else 1,
        text=_get(row, "text", str),
    )


def _windows(row: Mapping[str, Any]) -> ResolvedWindows:
    """Make the windows of a task."""
    slots = _get(row, "slots", list)
    if not all(isinstance(slot, list) and len(slot) == 2 for slot in slots):
        raise ValueError("a slot is not described")
    return ResolvedWindows(
        kind=_get(row, "kind", str),
        part=_get(row, "part", int),
        cycle=_get(row, "cycle", int),
        slots=tuple(
            (_get({"slot": start}, "slot", int), _get({"slot": length}, "slot", int)) for start, length in slots
        ),
    )


def _resources(rows: Sequence[Any]) -> tuple[ResolvedResource, ...]:
    """Make the resources of their rows; what one is in the parent of its server is one of them."""
    resources = tuple(map(_resource, rows))
    if any(resource.among is not None and resource.among >= len(rows) for resource in resources):
        raise ValueError("among is out of range")
    return resources


def _resource(row: Any) -> ResolvedResource:
    """Make a resource of its row."""
    if not isinstance(row, dict):
        raise ValueError("a resource is not described")
    return ResolvedResource(
        name=_get(row, "name", str),
        protocol=_get(row, "protocol", str),
        ceiling=_get(row, "ceiling", int),
        home=_get(row, "home", int),
        among=None if row.get("among") is None else _get(row, "among", int),
        longest=_get(row, "longest", int) if "longest" in row else 0,
    )


def _thread(row: Mapping[str, Any]) -> ResolvedThread:
    """Make a thread of its row."""
    return ResolvedThread(name=_get(row, "name", str), level=_get(row, "level", int))


def _damaged(path: str | Path, message: str) -> InputError:
    """Make the error of a damaged trace."""
    return file_error(path, f"damaged trace: {message}", "damaged")
