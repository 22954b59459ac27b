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
_COUNTER_SECONDS, _STEP_SECONDS = 1.0, 0.2
"""When a counter appears, and how often it moves."""
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
    show: Callable[[int], None]
    stop: Callable[[], None]
    if sys.stderr.isatty():
        bar = _Bar(title, total)
        show, stop = bar.show, bar.stop
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


@contextmanager
def counter(text: str) -> Iterator[Callable[[int], None] | None]:
    """Show on the standard error output, if that is a terminal, how much of something long was done.

    Args:
        text: with a place for the number; it stands there from the first second on, and goes when all is done.

    Yields:
        A function that takes the number; None where nothing is shown.
    """
    if not sys.stderr.isatty():
        yield None
        return
    due, shown = time.monotonic() + _COUNTER_SECONDS, ""

    def show(now: int) -> None:
        nonlocal due, shown
        if time.monotonic() >= due:
            due, shown = time.monotonic() + _STEP_SECONDS, text.format(now)
            print(f"\r{shown}", end="", file=sys.stderr, flush=True)

    try:
        yield show
    finally:
        if shown:
            print(f"\r{'':{len(shown)}}\r", end="", file=sys.stderr, flush=True)


class _Bar:
    """A bar in a terminal, which appears once it is known to be worth it; only then is its library imported."""

    def __init__(self, title: str, total: int) -> None:
        """Note when the work began."""
        self._title, self._total = title, total
        self._begin = time.monotonic()
        self._bar: Progress | None = None

    def show(self, now: int) -> None:
        """Move the bar."""
        if self._bar is None:
            if time.monotonic() - self._begin <= _PATIENCE_SECONDS:
                return
            self._bar = _bar(self._title, self._total)  # known before it starts: an interrupt has to stop it
            self._bar.start()
            self._bar.reset(self._bar.task_ids[0], completed=now)  # what was there before says nothing of the speed
        self._bar.update(self._bar.task_ids[0], completed=now)

    def stop(self) -> None:
        """Remove the bar, and give the cursor back."""
        if self._bar is not None:
            self._bar.stop()


def _bar(title: str, total: int) -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        TextColumn("Ctrl-C ends it"),
    )
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    bar.add_task(title, total=total)
    return bar


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
