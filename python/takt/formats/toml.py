# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Takt's own task-set files as one format among others; SPEC.md, 7.1 describes them."""

from __future__ import annotations

from takt.base.errors import InputError, Problem
from takt.files.task_set_reading import loads
from takt.files.task_set_writing import to_toml
from takt.formats.contracts import Format, Imported, Written
from takt.model.system import System


def _read(data: bytes, name: str) -> Imported:
    """Read a task-set file; a system holds all that it says."""
    try:
        return Imported(loads(data.decode("utf-8-sig"), name))
    except UnicodeDecodeError as error:
        raise InputError([Problem(f"not UTF-8 text at byte {error.start}", "not-utf-8")]) from None


def _write(system: System) -> Written:
    """Write a task-set file."""
    return Written(to_toml(system), {})


FORMAT = Format("toml", (".toml",), lambda data: True, _read, _write)
