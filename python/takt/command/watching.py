# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Option `--watch`: a command that runs again whenever one of its files is saved.

Files are polled, five times a second. When not to use it: for folders, or thousands of files.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import typer

from takt.base.errors import InputError, Problem, listed
from takt.base.input_files import STANDARD_STREAM

_INTERVAL_SECONDS = 0.2
_CLEAR = "\x1b[H\x1b[2J"
"""Clears a terminal (ECMA-48)."""

_Stamps = Mapping[Path, tuple[int, int, int] | None]
"""Time, size and identity of each file; None: it is not there."""


def check(files: Sequence[Path], *, has_check: bool) -> None:
    """Check that a command can be repeated.

    Raises:
        InputError: it reads the standard input, or its exit status is requested.
    """
    if has_check:
        raise InputError([Problem("it has no exit status to check; leave --check out", "conflict", key="--watch")])
    if Path(STANDARD_STREAM) in files:
        message = f"expected files, found {STANDARD_STREAM}, which is read once; give a file"
        raise InputError([Problem(message, "conflict", key="--watch")])


def repeat(files: Sequence[Path], command: Callable[[], object]) -> None:
    """Run a command, and again after each change of a file, until a signal ends the process.

    Args:
        files: what the command reads.
        command: prints its own errors; they end that run only.
    """
    while True:
        before = _stamps(files)
        with suppress(typer.Exit):
            command()
        sys.stdout.flush()
        print(f"watching {listed([str(file) for file in files])}; Ctrl-C ends it", file=sys.stderr, flush=True)
        last = before
        while (now := _stamps(files)) == before or now != last:  # unchanged, or being written
            last = now
            time.sleep(_INTERVAL_SECONDS)
        typer.echo(_CLEAR if sys.stdout.isatty() else "\n", nl=False)


def _stamps(files: Sequence[Path]) -> _Stamps:
    found = dict[Path, tuple[int, int, int] | None](dict.fromkeys(files))
    for file in files:
        with suppress(OSError):
            status = file.stat()
            found[file] = status.st_mtime_ns, status.st_size, status.st_ino
    return found
