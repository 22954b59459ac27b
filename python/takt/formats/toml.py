"""Takt's own task-set files as one format among others; SPEC.md, 7.1 says what they are."""

from __future__ import annotations

from takt.formats.contracts import Format, Imported, Written
from takt.model import System
from takt.taskset import loads


def _read(data: bytes, name: str) -> Imported:
    """Read a task-set file; it holds what it says."""
    return Imported(loads(data, name))


def _write(system: System) -> Written:
    """Write a task-set file."""
    from takt import to_toml

    return Written(to_toml(system), {})


FORMAT = Format("toml", (".toml",), lambda data: True, _read, _write)
