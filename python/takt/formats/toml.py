# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Takt's own task-set files as one format among others; SPEC.md, 7.1 describes them."""

from __future__ import annotations

from takt.base import input_files
from takt.files.task_set_reading import loads
from takt.files.task_set_writing import to_toml
from takt.formats.contracts import Format, Imported, Written


def _read(data: bytes, name: str) -> Imported:
    """Read a task-set file; a system holds all that it says."""
    return Imported(loads(input_files.decoded(data), name))


FORMAT = Format("toml", (".toml",), lambda data: True, _read, lambda system: Written(to_toml(system), {}))
