# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Trace files: the inputs that a platform handed to the scheduler, and the decisions that it got.

The format is a contract of its own, docs/trace-format.md. Reading checks everything that can be checked
without running the scheduler; what cannot, replay does.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from takt import _core
from takt.base import input_files, one_line, output_files
from takt.base.errors import InputError, file_error, printable, show
from takt.model import image as images
from takt.model.core_input import ResolvedSystem
from takt.model.domains import joined
from takt.model.python_policy import Policy, name_of

MAGIC = b"TAKTTRC\0"
VERSION = _core.TRACE_VERSION
SIMULATOR = "simulator"

_PREAMBLE = struct.Struct("<8sHHI")
_RECORD = struct.Struct("<QQIIBBHI")
_WORD_BYTES = 8
_LENGTH_AT = 2 * _WORD_BYTES
"""Where the image says how long it is."""

_MAX_HEADER = 16 * input_files.MAX_BYTES
"""A description in a header says what a task-set file leaves out."""


class Record(NamedTuple):
    """One record; core/trace.h describes its fields."""

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
        image: of the system, as core reads it; of a machine, those of its domains one after the other.
        data: the records, as bytes, without the closing one.
        domains: of a machine: the trace of each domain, with numbers of its own; else empty.
        processors: of a domain: numbers of its processors on the machine.
        rows: of a domain: places of its records in the file.
        is_remote: whether the scheduler stood at a distance.
        full_at: when the memory for the records was full, if it was: later ones are lost.
    """

    path: str
    platform: str
    software: str
    horizon: int
    system: ResolvedSystem
    image: bytes
    data: memoryview
    domains: tuple[Trace, ...] = ()
    processors: tuple[int, ...] = (0,)
    rows: tuple[int, ...] = ()
    is_remote: bool = False
    full_at: int | None = None

    def __repr__(self) -> str:
        """Return where it was recorded, and how long it is."""
        facts = f"{len(self):,} records, {self.platform}, {self.horizon:,} ticks"
        return one_line.sentence(self, f"of {show(self.path)}: {facts}")

    def program(self) -> _core.Program:
        """Return the program of core, for one replay."""
        return images.program(self.system, self.image)

    def __len__(self) -> int:
        """Count the records."""
        return len(self.data) // _RECORD.size

    def records(self) -> Iterator[Record]:
        """Yield the records in the order in which they were made."""
        for now, value, entity, sequence, kind, cpu, _, job in _RECORD.iter_unpack(self.data):
            yield Record(now, value, entity, sequence, kind, cpu, job)


# ---- writing ----------------------------------------------------------------------------------------


@contextmanager
def started(path: str | Path, system: ResolvedSystem, image: bytes, platform: str) -> Iterator[str]:
    """Yield the name of a file to append records to, behind its header; at the end of the block it becomes `path`.

    Args:
        path: the file; what is there is replaced.
        system: what is going to run.
        image: of the system.
        platform: where.

    Raises:
        InputError: the file cannot be written; what was there is still there.
    """
    with output_files.replacing(path) as file:
        file.write(header_bytes(system, image, platform))
        file.flush()
        yield file.name


def write(
    path: str | Path,
    system: ResolvedSystem,
    platform: str,
    horizon: int,
    records: bytes,
    *,
    is_remote: bool = False,
) -> None:
    """Write a whole trace file.

    Args:
        path: the file; what is there is replaced.
        system: what ran.
        platform: where.
        horizon: ticks that were to be run.
        records: all that core made, little endian; the closing record is added.
        is_remote: whether the scheduler acted by itself, at a distance.

    Raises:
        InputError: the file cannot be written.
    """
    header = header_bytes(system, images.pack(system, horizon, is_remote=is_remote), platform)
    output_files.write(path, header + records + closing(horizon, records))


def closing(horizon: int, records: bytes, *, is_full: bool = False) -> bytes:
    """Return the record that ends a trace: it counts those before it; those behind it are lost if memory was full."""
    kind = _core.RECORD_OVERFLOW if is_full else _core.RECORD_END
    last = (
        _RECORD.unpack(records[-_RECORD.size :])[0] if records else 0
    )  # work of the kernel may end behind the horizon
    return _RECORD.pack(max(horizon, last), len(records) // _RECORD.size, _core.NO_ENTITY, 0, kind, 0, 0, 0)


def header_bytes(system: ResolvedSystem, image: bytes, platform: str) -> bytes:
    """Return all bytes before the records.

    Args:
        system: what runs.
        image: of the system.
        platform: where.
    """
    return _header_of(image, {"platform": platform, **asdict(images.names_of(system))})


def machine_header(
    name: str,
    processors: Sequence[Sequence[int]],
    domains: Sequence[tuple[ResolvedSystem, bytes]],
    platform: str = SIMULATOR,
) -> bytes:
    """Return all bytes before the records of a machine.

    Args:
        name: of the machine.
        processors: of each domain.
        domains: of each domain, what is going to run and its image.
        platform: where.
    """
    described = [
        {"processors": list(numbers), **asdict(images.names_of(system))}
        for numbers, (system, _) in zip(processors, domains, strict=True)
    ]
    image = b"".join(image for _, image in domains)
    return _header_of(image, {"platform": platform, "system": name, "domains": described})


def _header_of(image: bytes, names: Mapping[str, object]) -> bytes:
    from takt.base.version import __version__  # the distribution's metadata, which take long to import

    text = json.dumps({"software": f"takt {__version__}", **names}, ensure_ascii=False).encode()
    header = _PREAMBLE.pack(MAGIC, VERSION, _RECORD.size, len(image) + len(text)) + image + text
    return header + bytes(_padding(len(header)))


def _padding(length: int) -> int:
    """Count the zeros after a header, so that records begin at a multiple of their size."""
    return -length % _RECORD.size


# ---- reading ----------------------------------------------------------------------------------------


def read(path: str | Path, policies: Sequence[Policy] = ()) -> Trace:
    """Read a trace file.

    Args:
        path: the file.
        policies: the policies in Python that were used when it was recorded.

    Returns:
        The trace, with all its records: what becomes of the file afterwards does not matter.

    Raises:
        InputError: the file cannot be read, is no trace, is damaged or incomplete, or is of another version of the
            format.
    """
    most = input_files.MAX_BYTES  # as any input may have of a device; of a file all that it has
    with suppress(OSError, ValueError):
        most = max(most, Path(path).stat().st_size)
    data = memoryview(input_files.read(path, most, lambda first: _check_early(path, first)))
    length = _check_preamble(path, data)
    text = data[_PREAMBLE.size : _PREAMBLE.size + length]
    begin = _PREAMBLE.size + length + _padding(_PREAMBLE.size + length)
    if begin > len(data):
        raise _damaged(path, f"the header ends at byte {begin}, the file at byte {len(data)}")
    if any(data[_PREAMBLE.size + length : begin]):
        raise _damaged(path, "the bytes between header and records are not 0")
    records = data[begin:]
    if len(records) % _RECORD.size != 0:
        raise _damaged(path, f"{len(records) % _RECORD.size} bytes stand after the last whole record")
    try:
        whole = without_closing(records)
    except ValueError as error:
        raise file_error(path, f"{error}; record it again", "damaged") from None
    now, _, _, _, kind, _, _, _ = _RECORD.unpack(records[-_RECORD.size :])
    full_at = now if kind == _core.RECORD_OVERFLOW else None
    return replace(_from_header(path, bytes(text), whole, policies), full_at=full_at)


def without_closing(records: memoryview) -> memoryview:
    """Return the records before the closing one, which may say that the memory for records was full.

    Args:
        records: all of a trace, whole ones.

    Raises:
        ValueError: records are missing at the end or elsewhere; the text says what was expected and found.
    """
    count = len(records) // _RECORD.size
    if count == 0:
        raise ValueError("truncated trace: expected a closing record, found no record at all")
    end, counted, entity, sequence, kind, cpu, reserved, job = _RECORD.unpack(records[-_RECORD.size :])
    if kind not in (_core.RECORD_END, _core.RECORD_OVERFLOW):
        raise ValueError(f"truncated trace: expected a closing record at the end, found none after {count} records")
    if (entity, sequence, cpu, reserved, job) != (_core.NO_ENTITY, 0, 0, 0, 0):
        raise ValueError("damaged trace: its closing record is not right")
    if counted != count - 1:
        full = "its memory was full; " if kind == _core.RECORD_OVERFLOW else ""
        message = f"{full}expected {counted} records before the closing record, found {count - 1}"
        raise ValueError(f"incomplete trace: {message}")
    if count > 1 and (last := _RECORD.unpack(records[-2 * _RECORD.size : -_RECORD.size])[0]) > end:
        raise ValueError(f"damaged trace: its last record is at tick {last}, after its end at tick {end}")
    return records[: -_RECORD.size]


def _check_early(path: str | Path, first: bytes) -> None:
    """Check the fixed part of the header before the rest is read: a sparse file of any size takes no room on a disk."""
    if len(first) >= _PREAMBLE.size:
        _check_preamble(path, memoryview(first))


def _check_preamble(path: str | Path, data: memoryview) -> int:
    """Check the fixed part of the header; return the length of the rest."""
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


def _parse_names(text: bytes) -> dict[str, Any]:
    """Parse the JSON of a header.

    Raises:
        ValueError: it is none.
    """
    try:
        names = json.loads(text.decode())
    except (ValueError, RecursionError):
        raise ValueError("its names are not JSON") from None
    if not isinstance(names, dict):
        raise ValueError("its names are not a JSON object")
    return names


def _images_in(header: bytes) -> list[bytes]:
    """Return the images with which a header begins: one, or one for each domain.

    Raises:
        ValueError: there is none, or one is not whole.
    """
    found, at, magic = [], 0, _core.IMAGE_MAGIC.to_bytes(_WORD_BYTES, "little")
    while header.startswith(magic, at):
        words = int.from_bytes(header[at + _LENGTH_AT : at + _LENGTH_AT + _WORD_BYTES], "little")
        if words * _WORD_BYTES > len(header) - at or words == 0:
            raise ValueError("its image is longer than the header")
        found.append(header[at : at + words * _WORD_BYTES])
        at += words * _WORD_BYTES
    if not found:
        raise ValueError("it has no image")
    return found


def _text(row: Mapping[str, Any], key: str) -> str:
    if not isinstance(row.get(key), str):
        raise ValueError(f"{key} is {'missing' if key not in row else 'of the wrong type'}")
    return str(row[key])


def _texts(row: Mapping[str, Any], key: str) -> list[str]:
    """Return the texts of a list.

    Raises:
        ValueError: it is not there, or no list of texts.
    """
    texts = row.get(key)
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise ValueError(f"{key} is {'missing' if key not in row else 'of the wrong type'}")
    return texts


def _from_header(path: str | Path, header: bytes, records: memoryview, policies: Sequence[Policy]) -> Trace:
    try:
        found = _images_in(header)
        row = _parse_names(header[sum(map(len, found)) :])
        if "domains" in row:
            return _machine_of(str(path), row, found, records, policies)
        return _trace_of(str(path), row, row, found[0], records, policies)
    except ValueError as error:
        raise _damaged(path, f"its header is not right: {printable(str(error))}") from None


def _trace_of(
    path: str,
    row: Mapping[str, Any],
    described: Mapping[str, Any],
    image: bytes,
    records: memoryview,
    policies: Sequence[Policy],
) -> Trace:
    """Return the trace of an image and its names, with the policies in Python that they refer to.

    Raises:
        ValueError: a name is missing or no text, or a policy is not given.
    """
    if not isinstance(described, dict):
        raise ValueError("domains is of the wrong type")
    lists = {key: _texts(described, key) for key in ("servers", "tasks", "threads", "resources", "changes", "policies")}
    names = images.Names(_text(described, "system"), **lists)
    _core.Program(image, [None] * len(names.policies))
    run, system = images.unpack(image, names)
    known = {policy.name: policy for policy in policies}
    for name in names.policies:
        if name not in known:
            raise ValueError(f"unknown policy {name}")
    own = {name: known[name] for name in names.policies}
    servers = [replace(server, policy=own.get(name_of(server.policy), server.policy)) for server in system.servers]
    return Trace(
        path=path,
        platform=_text(row, "platform"),
        software=_text(row, "software"),
        horizon=run.horizon,
        system=replace(system, policy=own.get(name_of(system.policy), system.policy), servers=tuple(servers)),
        image=image,
        data=records,
        is_remote=run.is_remote,
    )


def _machine_of(
    path: str, row: Mapping[str, Any], found: Sequence[bytes], records: memoryview, policies: Sequence[Policy]
) -> Trace:
    """Return the trace of a machine, and those of its domains."""
    from takt.files.machine_records import divided, places_of

    described = row["domains"]
    if not isinstance(described, list) or len(described) != len(found):
        raise ValueError("domains is of the wrong type, or not one for each image")
    parts = [_trace_of(path, row, each, image, records, policies) for each, image in zip(described, found, strict=True)]
    processors = [_processors_of(each, part) for each, part in zip(described, parts, strict=True)]
    if len({number for numbers in processors for number in numbers}) < sum(map(len, processors)):
        raise ValueError("a processor is in two domains")
    places = places_of(processors, [part.system for part in parts])
    own = divided(places, records)
    domains = tuple(
        replace(part, data=data, rows=rows, processors=place.processors)
        for part, place, (data, rows) in zip(parts, places, own, strict=True)
    )
    cpus = 1 + max(numbers[-1] for numbers in processors)
    system = replace(joined([part.system for part in parts]), name=_text(row, "system"), cpus=cpus)
    return replace(parts[0], system=system, image=b"".join(found), domains=domains)


def _processors_of(described: object, part: Trace) -> list[int]:
    """Read the processors of a domain.

    Raises:
        ValueError: they are not ascending numbers, or not as many as the domain has.
    """
    found = described.get("processors") if isinstance(described, dict) else None
    if not isinstance(found, list) or not all(type(number) is int for number in found):
        raise ValueError("processors is missing or of the wrong type")
    if len(found) != part.system.cpus or found != sorted({*found}) or not 0 <= found[0] <= found[-1] < _core.CPU_LIMIT:
        raise ValueError("processors are not those of a domain")
    return found


def _damaged(path: str | Path, message: str) -> InputError:
    return file_error(path, f"damaged trace: {message}", "damaged")
