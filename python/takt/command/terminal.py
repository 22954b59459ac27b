# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Common parts of all commands: their end after errors, and the bar while something takes long."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from takt.base.errors import BoardError, ExitStatus, InputError

if TYPE_CHECKING:
    from rich.progress import Progress

_PATIENCE_SECONDS = 0.5
_FIRST_LINE_SECONDS = 30.0
"""When a log, which is no terminal, gets its first line about a long run; each further one takes twice as long."""


@contextmanager
def errors_to_stderr() -> Iterator[None]:
    """Turn errors into their lines and an exit status."""
    try:
        yield
    except InputError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(ExitStatus.BAD_INPUT) from None
    except BoardError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(ExitStatus.FAILED) from None


@contextmanager
def progress_bar(title: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show on the standard error output how far something long is; yields a function that takes the part done.

    A terminal gets a bar, a log a line now and then. An interrupt is reported in one line and ends the process as the
    signal does, with the terminal as it was.
    """
    if sys.stderr.isatty():
        bar = _bar()
        show, stop = _bar_shower(bar, title, total), bar.stop
    else:
        show, stop = _line_shower(title, total), lambda: None
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield show
    except KeyboardInterrupt:
        stop()  # which gives the cursor back
        print("interrupted", file=sys.stderr, flush=True)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.raise_signal(signal.SIGINT)
    finally:
        stop()
        signal.signal(signal.SIGINT, before)


def _bar() -> Progress:
    """Return a bar on the standard error output; rich, which takes long to load, is needed for nothing else."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn()
    return Progress(*columns, TextColumn("Ctrl-C ends it"), console=Console(stderr=True), transient=True)


def _bar_shower(bar: Progress, title: str, total: int) -> Callable[[int], None]:
    """Return a function that moves a bar, which appears once it is known to be worth it."""
    task = bar.add_task(title, total=total)
    begin = time.monotonic()

    def show_progress(now: int) -> None:
        if not bar.live.is_started and time.monotonic() - begin > _PATIENCE_SECONDS:
            bar.start()
        if bar.tasks[0].completed == 0:
            bar.reset(task, completed=now)  # what was there before says nothing about the speed
        bar.update(task, completed=now)

    return show_progress


def _line_shower(title: str, total: int) -> Callable[[int], None]:
    """Return a function that writes lines, ever more seldom."""
    begin = time.monotonic()
    due = _FIRST_LINE_SECONDS

    def show_progress(now: int) -> None:
        nonlocal due
        passed = time.monotonic() - begin
        if passed >= due:
            due = 2 * passed
            print(f"{title}: {100 * now / total:.3g} % after {passed:.0f} s", file=sys.stderr, flush=True)

    return show_progress
