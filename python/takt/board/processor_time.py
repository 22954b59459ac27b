# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Processes that may use so much processor time.

A wall clock counts what other processes of a busy machine use, so it ends runs that have hardly begun. Processor time
is what the process itself has used, all its threads together. A process that sleeps uses none: one that has slept for
ASLEEP_SECONDS without an end is stuck, however busy the machine is, because a thread that waits for a processor is
runnable.

When not to use it: without /proc.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

ASLEEP_SECONDS = 300.0
_STEP_SECONDS = 0.05
_LONGEST_STEP_SECONDS = 1.0
_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
_STATE, _USER, _SYSTEM = 0, 11, 12
"""Fields of /proc/PID/stat, counted from the one behind the name."""

_ASLEEP = "S"


class ImpatientError(Exception):
    """A process that did not end in time. The text says what it did not do."""


@contextmanager
def started(
    command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """Start a command in a folder, and kill it at the end; its output goes to files, so that no pipe can be full."""
    with (folder / "stdout").open("wb") as output, (folder / "stderr").open("wb") as errors:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=errors
        )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def waits(process: subprocess.Popen[bytes], seconds: float) -> Iterator[None]:
    """Wait for the end of a process, and yield now and then meanwhile.

    Args:
        process: just started.
        seconds: of processor time that it may use.

    Raises:
        ImpatientError: it did not end.
    """
    asleep, last = 0.0, time.monotonic()
    while True:
        with suppress(subprocess.TimeoutExpired):
            process.wait(_STEP_SECONDS)
            return
        yield
        now = time.monotonic()
        used, is_asleep = _observed(process.pid)
        asleep = asleep + min(now - last, _LONGEST_STEP_SECONDS) if is_asleep else 0.0
        last = now
        if used > seconds:
            raise ImpatientError(f"did not end within {seconds:g} s of processor time")
        if asleep > ASLEEP_SECONDS:
            raise ImpatientError(f"has slept for {ASLEEP_SECONDS:g} s without an end")


def run(command: Sequence[str], folder: Path, seconds: float) -> subprocess.CompletedProcess[bytes]:
    """Run a command in a folder, with its output captured; errors are those of waits.

    Args:
        command: a program and its arguments.
        folder: the working folder.
        seconds: of processor time that it may use.
    """
    with started(command, folder) as process:
        for _ in waits(process, seconds):
            pass
    return finished(process, folder)


def finished(process: subprocess.Popen[bytes], folder: Path) -> subprocess.CompletedProcess[bytes]:
    """Return what a command that was started in a folder did."""
    output, errors = ((folder / name).read_bytes() for name in ("stdout", "stderr"))
    return subprocess.CompletedProcess(process.args, process.returncode, output, errors)


def _observed(number: int) -> tuple[float, bool]:
    """Return the processor time that a process has used, in seconds, and whether all its threads sleep."""
    fields = _fields(Path(f"/proc/{number}/stat"))
    used = (int(fields[_USER]) + int(fields[_SYSTEM])) / _TICKS_PER_SECOND
    states = set[str]()
    for thread in Path(f"/proc/{number}/task").iterdir():
        with suppress(OSError):  # it has ended meanwhile
            states.add(_fields(thread / "stat")[_STATE])
    return used, states == {_ASLEEP}


def _fields(path: Path) -> list[str]:
    """Read the fields behind the name, which may hold blanks and brackets."""
    return path.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
