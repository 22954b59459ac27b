# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The commands `takt linux` that call taktd, or start it."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from takt.base.errors import BoardError, InputError, Problem
from takt.base.version import __version__
from takt.command import task_sets
from takt.command.terminal import errors_to_stderr
from takt.linux import board, daemon

_REST_SECONDS = 0.5
_TASKS = ("processor", "task", "thread", "state", "job", "waiting", "started", "")
_PROCESSORS = ("processor", "runs", "decisions", "records", "lost", "stolen", "refused", "visits")


def start(words: Sequence[str]) -> None:
    """Become taktd."""
    with errors_to_stderr():
        place = board.place_of_programs()
        if place is None:
            remedy = "run make linux in Takt's folder, or install a package that make wheel-linux has built"
            raise BoardError(f"there is no taktd here; {remedy}")
    os.execv(place / board.DAEMON, [board.DAEMON, *words])


def load(
    file: Path, policy: str | None, horizon: str | None, cpu: int | None, socket: Path, *, when_joined: bool
) -> None:
    """Let a task set decide on this machine."""
    with errors_to_stderr():
        system, *others = task_sets.systems_of(file, policy, ())
        if others:
            raise InputError([Problem(f"expected one policy, found {1 + len(others)}", "conflict", key="--policy")])
        if horizon is not None:
            task_sets.check_option("--horizon", horizon=horizon)
        try:
            system = daemon.without_end(system) if horizon is None else system.replace(horizon=horizon)
            daemon.load(system, socket, cpu, when_joined=when_joined)
        except InputError as error:
            raise error.in_file(file) from None
    typer.echo(f"{file} decides now; programs join as its tasks through {socket}")


def detach(socket: Path) -> None:
    """End what was loaded."""
    with errors_to_stderr():
        daemon.detach(socket)
    typer.echo("detached: all threads are of the fair class; takt linux trace T.takt writes what was decided")


def trace(target: Path, socket: Path) -> None:
    """Write what was decided."""
    with errors_to_stderr():
        daemon.trace(target, socket)


def show_status(socket: Path, once: bool, as_json: bool) -> None:
    """Print the status: once, or until an interrupt in a terminal."""
    with errors_to_stderr(), daemon.watched(socket) as watch:
        if as_json:
            typer.echo(json.dumps({"version": __version__, **asdict(watch.status())}, indent=2))
            return
        console = Console()
        if once or not console.is_terminal:
            console.print(_picture(watch.status()))
            return
        before = signal.signal(signal.SIGINT, signal.default_int_handler)  # Live gives the cursor back
        try:
            with Live(_picture(watch.status()), console=console) as live:
                while True:
                    time.sleep(_REST_SECONDS)
                    live.update(_picture(watch.status()))
        except KeyboardInterrupt:
            pass
        finally:
            signal.signal(signal.SIGINT, before)


def _picture(status: daemon.Status) -> Group:
    """Show a status as two tables."""
    mode = "full" if status.is_full else "partial"
    line = f"taktd, process {status.process}: {status.state}, {mode} mode"
    ended = f"\nthe kernel ended the last scheduler: {status.reason}" if status.reason else ""
    processors = [
        (
            str(one.cpu),
            one.running or "-",
            *map(str, (one.decisions, one.records, one.records_lost)),
            f"{one.stolen_ns / 1e6:.1f} ms",
            str(one.refused),
            str(one.visits),
        )
        for one in status.processors
    ]
    tasks = []
    for task in (task for processor in status.processors for task in processor.tasks):
        thread = str(task.thread) if task.thread else "-"
        state = "no thread" if not task.thread else "prepares" if not task.is_attached else "waits"
        state = "has a job" if task.is_attached and task.has_job else state
        numbers = (str(task.job), str(task.waiting), str(task.started))
        tasks.append((str(task.cpu), task.name, thread, state, *numbers, "late" if task.is_missed else ""))
    tables = [_table(_PROCESSORS, processors), _table(_TASKS, tasks)]
    return Group(line + ended, *(tables if status.processors else []))


def _table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, collapse_padding=True)
    for header in headers:
        table.add_column(header)
    for row in rows:
        table.add_row(*map(Text, row))
    return table
