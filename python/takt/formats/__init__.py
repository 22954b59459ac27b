# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Task sets of other tools: Cheddar's and SimSo's XML, rt-app's JSON, CSV, in and out, with a line for what is lost.

Source: SPEC.md, 7.6. A format is a module that turns bytes into a system and a system into text. What a file says and
Takt cannot hold is found while reading; what a system says and the file cannot hold is found by reading back what was
written and comparing, so that nothing can be lost without a line.

Example:
    >>> import takt
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> system = takt.System(name="two", tasks=[takt.Task(name="A", period=5, wcet=2, jitter=1)])
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "two.xml")
    ...     warnings = takt.formats.write(system, path, "simso")
    ...     takt.formats.read(path).system.tasks[0].period
    '5ms'
    >>> print(*warnings)
    [[task]] "A" jitter: lost: 1 in Takt, 0 in the file
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from takt.base import input_files, output_files
from takt.base.errors import InputError, Problem, file_error, show
from takt.files import other_formats
from takt.files.task_set_reading import loads
from takt.files.task_set_writing import to_toml
from takt.formats import cheddar, csv_tables, rt_app, simso
from takt.formats.contracts import Format, Imported, Written
from takt.formats.differences import differences
from takt.formats.scheduling_rules import DIFFERS
from takt.model.system import System


def _read_toml(data: bytes, name: str) -> Imported:
    return Imported(loads(input_files.decoded(data), name))


_TOML = Format("toml", (".toml",), lambda data: True, _read_toml, lambda system: Written(to_toml(system), {}))
"""Takt's own task-set files, which hold all that a system says; SPEC.md, 7.1."""

_ALL = (_TOML, cheddar.FORMAT, simso.FORMAT, rt_app.FORMAT, csv_tables.FORMAT)

FORMATS: dict[str, Format] = {one.name: one for one in _ALL}
"""The formats by their names, in the order in which a file is tried for them."""

__all__ = ["FORMATS", "Imported", "read", "write"]


def __dir__() -> list[str]:
    """Return the names that users need."""
    return __all__


def read(path: str | Path, format: str | None = None) -> Imported:
    """Read a task set in any of the formats.

    Args:
        path: the file.
        format: "toml", "cheddar", "simso", "rt-app" or "csv"; default: what the file's suffix and beginning say.

    Returns:
        The system, and a problem for each thing in the file that Takt has no place for, and where the tool that reads
        the file schedules otherwise. A file that names no system gives it its own name.

    Raises:
        InputError: the file cannot be read or is not right; no line of it is a warning.
    """
    data = input_files.read(path)
    other_formats.refuse(path, input_files.beginning(data), f"a file in one of the formats {', '.join(FORMATS)}")
    how = _named(format) if format is not None else _recognized(Path(path), data)
    try:
        found = how.read(data, Path(path).stem)
    except InputError as error:
        raise error.in_file(path) from None
    return Imported(found.system, tuple(replace(warning, file=str(path)) for warning in found.warnings))


def write(system: System, path: str | Path, format: str | None = None) -> tuple[Problem, ...]:
    """Write a task set in any of the formats.

    Args:
        system: the task set; it is not changed.
        path: the file; what is there is replaced.
        format: as for read; default: what the suffix says.

    Returns:
        A problem for each key of a table that the file does not hold as the system has it, for each table that only
        one of the two has, and where the tool that reads the file schedules otherwise.

    Raises:
        InputError: the file cannot be written, the suffix says no format, or the format can hold nothing of it.
    """
    how = _named(format) if format is not None else _by_suffix(Path(path))
    written = how.write(system)
    try:
        back = how.read(written.text.encode(), Path(path).stem)
    except InputError as error:
        if not system.domains:  # the rest of a machine of domains need not be a system
            raise
        message = f"{how.name} has no domains, and without them this is no task set; write it as toml"
        raise InputError([Problem(message, "conflict")]) from error
    losses = differences(system, back.system, written.names, keeps_units=how.keeps_units)
    output_files.write(path, written.text.encode())
    return (*losses, *(one for one in back.warnings if one.code == DIFFERS))


def _named(name: str) -> Format:
    if name not in FORMATS:
        message = f"expected a format of {', '.join(FORMATS)}, found {show(name)}"
        raise InputError([Problem(message, "unknown-word", key="format")])
    return FORMATS[name]


def _recognized(path: Path, data: bytes) -> Format:
    """Return the format of an existing file, by its suffix and its beginning."""
    candidates = [one for one in FORMATS.values() if path.suffix.lower() in one.suffixes]
    if not candidates:  # such as the standard input; the last one is any other text
        lines = (line.strip() for line in input_files.beginning(data).splitlines())
        first = next((line for line in lines if line and not line.startswith("#")), "")
        is_table = re.fullmatch(r"[^=\[#]+[,;\t][^=\[#]+", first) is not None
        candidates = [cheddar.FORMAT, simso.FORMAT, rt_app.FORMAT, csv_tables.FORMAT if is_table else _TOML]
    for one in candidates:
        if one.recognizes(data):
            return one
    raise file_error(path, f"expected a file in one of the formats {', '.join(FORMATS)}, found none", "unknown-format")


def _by_suffix(path: Path) -> Format:
    """Return the format of a new file, by its suffix."""
    with_suffix = [one for one in FORMATS.values() if path.suffix.lower() in one.suffixes]
    if len(with_suffix) == 1:
        return with_suffix[0]
    choice = [one.name for one in with_suffix or FORMATS.values()]
    message = f"expected a format, {' or '.join(choice)}, since {show(path.suffix)} does not say which"
    raise file_error(path, message, "unknown-format")
