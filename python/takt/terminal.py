"""What all commands share: how errors end them, and the bar while something takes long."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from takt.errors import BoardError, ExitStatus, InputError

_PATIENCE_SECONDS = 0.5


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
    """Show how far something long is, where somebody looks; yields what is told how much is done.

    An interrupt ends the process, with the terminal as it was.
    """
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    task = bar.add_task(title, total=total)
    begin = time.monotonic()

    def show_progress(now: int) -> None:
        if not bar.live.is_started and time.monotonic() - begin > _PATIENCE_SECONDS:
            bar.start()
        if bar.tasks[0].completed == 0:
            bar.reset(task, completed=now)  # what was there before says nothing about the speed
        bar.update(task, completed=now)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield show_progress
    except KeyboardInterrupt:
        bar.stop()  # which gives the cursor back
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.raise_signal(signal.SIGINT)
    finally:
        bar.stop()
        signal.signal(signal.SIGINT, before)
