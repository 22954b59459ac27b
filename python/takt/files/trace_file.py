# SPDX-License-Identifier: Apache-2.0 OR MIT
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
from typing import Any, NamedTuple

from takt import _core
from takt.base import input_files, output_files
from takt.base.errors import InputError, file_error, printable, system_error
from takt.base.version import __version__
from takt.model import image as images
from takt.model.core_input import ResolvedSystem
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
        image: of the system, as core reads it.
        data: the records, as bytes, without the closing one.
    """

    path: str
    platform: str
    software: str
    horizon: int
    system: ResolvedSystem
    image: bytes
    data: memoryview

    def program(self) -> _core.Program:
        """Make the program of core, for one replay."""
        return images.program(self.system, self.image)

    def __len__(self) -> int:
        """Count the records."""
        return len(self.data) // _RECORD.size

    def records(self) -> Iterator[Record]:
        """Go through the records in the order in which they were made."""
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
        file.write(_header_bytes(system, image, platform))
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
    header = _header_bytes(system, images.pack(system, horizon), platform)
    output_files.write(path, header + records + _closing(horizon, records))


def _closing(horizon: int, records: bytes) -> bytes:
    """Make the record that ends a trace: it counts those before it."""
    return _RECORD.pack(horizon, len(records) // _RECORD.size, _core.NOBODY, 0, _core.RECORD_END, 0, 0, 0)


def _header_bytes(system: ResolvedSystem, image: bytes, platform: str) -> bytes:
    """Make all that stands before the records."""
    names = {"software": f"takt {__version__}", "platform": platform, **asdict(images.names_of(system))}
    text = json.dumps(names, ensure_ascii=False).encode()
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
        The trace; its records stay in the file until they are read.

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
    try:
        whole = without_closing(records)
    except ValueError as error:
        raise file_error(path, f"{error}; record it again", "damaged") from None
    return _from_header(path, bytes(text), whole, policies)


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


def _image_in(header: bytes) -> bytes:
    """Give the image with which a header begins.

    Raises:
        ValueError: it is none.
    """
    words = int.from_bytes(header[_LENGTH_AT : _LENGTH_AT + _WORD_BYTES], "little")
    if not header.startswith(_core.IMAGE_MAGIC.to_bytes(_WORD_BYTES, "little")):
        raise ValueError("it has no image")
    if words * _WORD_BYTES > len(header):
        raise ValueError("its image is longer than the header")
    return header[: words * _WORD_BYTES]


def _names_in(row: Mapping[str, Any]) -> images.Names:
    """Read from a header the names of the entities of an image."""
    lists = {key: _texts(row, key) for key in ("servers", "tasks", "threads", "resources", "changes", "policies")}
    return images.Names(_text(row, "system"), **lists)


def _text(row: Mapping[str, Any], key: str) -> str:
    """Give one text of a header.

    Raises:
        ValueError: it is not there, or no text.
    """
    if not isinstance(row.get(key), str):
        raise ValueError(f"{key} is {'missing' if key not in row else 'of the wrong type'}")
    return str(row[key])


def _texts(row: Mapping[str, Any], key: str) -> list[str]:
    """Give the texts of a list.

    Raises:
        ValueError: it is not there, or no list of texts.
    """
    texts = row.get(key)
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise ValueError(f"{key} is {'missing' if key not in row else 'of the wrong type'}")
    return texts


def _from_header(path: str | Path, header: bytes, records: memoryview, policies: Sequence[Policy]) -> Trace:
    """Make the trace that a header describes."""
    try:
        image = _image_in(header)
        row = _parse_names(header[len(image) :])
        names = _names_in(row)
        _core.Program(image, [None] * len(names.policies))
        run, system = images.unpack(image, names)
        return Trace(
            path=str(path),
            platform=_text(row, "platform"),
            software=_text(row, "software"),
            horizon=run.horizon,
            system=_with_policies(system, names.policies, policies),
            image=image,
            data=records,
        )
    except ValueError as error:
        raise _damaged(path, f"its header is not right: {printable(str(error))}") from None


def _with_policies(system: ResolvedSystem, names: Sequence[str], policies: Sequence[Policy]) -> ResolvedSystem:
    """Put policies in Python in the places of their names.

    Raises:
        ValueError: one is not given.
    """
    known = {policy.name: policy for policy in policies}
    for name in names:
        if name not in known:
            raise ValueError(f"unknown policy {name}")
    own = {name: known[name] for name in names}
    return replace(
        system,
        policy=own.get(name_of(system.policy), system.policy),
        servers=tuple(
            replace(server, policy=own.get(name_of(server.policy), server.policy)) for server in system.servers
        ),
    )


def _damaged(path: str | Path, message: str) -> InputError:
    """Make the error of a damaged trace."""
    return file_error(path, f"damaged trace: {message}", "damaged")
