# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Command `takt new`: a task-set file to begin with, whose comments say what the keys mean."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import typer

from takt.base import input_files, output_files, times
from takt.base.errors import InputError, Problem, show
from takt.command.schema import descriptions
from takt.command.task_sets import as_option, check_option
from takt.command.terminal import errors_to_stderr
from takt.files.task_set_reading import loads
from takt.model import catalogue
from takt.model.key_types import DEFAULT_POLICY
from takt.model.tables import Task

_FILE = "tasks.toml"
_PERIODS_MS = (10, 20, 40, 50, 100, 200)
_SHARE = 60
"""Percent of each processor that tasks with invented numbers take."""

_FURTHER_KEYS = ("deadline", "offset", "jitter", "min_separation", "demand", "preemption", "body", "server", "class_")
_TASK_RULE = "expected NAME:PERIOD:WCET such as sensor:10ms:2ms"


@dataclass(frozen=True)
class Wanted:
    """The content of a new file; each is the option of that name, as it was written.

    Args:
        task: tasks, each as NAME:PERIOD:WCET.
        tasks: how many tasks with invented numbers.
        policy: of the root.
        cpus: how many processors.
        horizon: end of a simulation.
    """

    task: tuple[str, ...] = ()
    tasks: int | None = None
    policy: str | None = None
    cpus: str | None = None
    horizon: str | None = None


def new(wanted: Wanted, example: str | None, output: Path | None) -> None:
    """Write a new task-set file, or print it; without a wish in a terminal ask for it."""
    with errors_to_stderr():
        if example is not None:
            if wanted != Wanted():
                message = "expected no other option than -o beside it; leave it out, or edit the copy"
                raise InputError([Problem(message, "conflict", key="--example")])
            known, name = input_files.examples(), example.removeprefix("examples/").removesuffix(".toml")
            if name not in known:
                message = f"no example {show(example)}; {catalogue.alternatives(name, known)}"
                raise InputError([Problem(message, "unknown-word", key="--example")])
            path = known[name]
            _write(input_files.read(path), output or Path(path.name))
            return
        if wanted == Wanted() and sys.stdin is not None and sys.stdin.isatty():
            wanted, output = _asked(output)
        text = text_of(wanted, output)
        if output is None:
            typer.echo(text, nl=False)
        else:
            _write(text.encode(), output)


def _write(data: bytes, output: Path) -> None:
    if output.is_file() or output.is_dir():
        message = f"expected a new file, found {show(str(output))}; give another name with -o"
        raise InputError([Problem(message, "conflict", key="--output")])
    output_files.write(output, data)
    uses = f"; takt run {output} and takt analyse {output} read it" if b"[[task]]" in data else ""
    typer.echo(f"new: {output}{uses}", err=True)


# ---- the text ---------------------------------------------------------------------------------------


def text_of(wanted: Wanted, output: Path | None) -> str:
    """Return the text of a task-set file.

    Raises:
        InputError: a wish is not right, or the policy needs more than a task with a period and a wcet.
    """
    policy, cpus = wanted.policy or DEFAULT_POLICY, times.written(wanted.cpus or "1")
    check_option("--policy", policy=policy)
    check_option("--cpus", cpus=cpus)
    if wanted.task and wanted.tasks is not None:
        raise InputError([Problem("expected none beside --task; leave one of both out", "conflict", key="--tasks")])
    tasks = [_task(text) for text in wanted.task] or _invented(wanted.tasks or 3, int(cpus))
    horizon = wanted.horizon or times.shortest(max(1_000_000_000, *(10 * _length(task.period) for task in tasks)))
    check_option("--horizon", horizon=times.written(horizon))
    name = (output and output.stem) or "tasks"
    text = "".join(f"{line}\n" for line in _lines(name, policy, cpus, horizon, tasks))
    try:
        loads(text, name)
    except InputError as error:
        raise _explained(error, policy) from None
    return text


def _explained(error: InputError, policy: str) -> InputError:
    """Return the problems of a new file; what its policy needs beyond it is in some example."""
    fitting = [
        name for name, path in input_files.examples().items() if f'"{policy}"'.encode() in input_files.read(path)
    ]
    remedy = f"; takt new --example {fitting[0]} has it" if fitting else ""
    problems = [(each, remedy * (each.code == "missing")) for each in error.problems]
    return InputError([replace(each, message=each.message + remedy) for each, remedy in problems])


def _lines(name: str, policy: str, cpus: int | str, horizon: str, tasks: Sequence[Task]) -> Iterator[str]:
    (info,) = [each for each in catalogue.policies() if each.name == policy]
    yield "# A task set for Takt: takt run simulates it, takt analyse proves what can be proved of it."
    yield "# Times are numbers with ns, us, ms or s. takt policies lists policies, takt schema all keys."
    yield from ("schema = 1", "", "[system]", f"name       = {_text(name)}")
    lengths = [_length(time) for task in tasks for time in (task.period, task.wcet)]
    resolution = "1us" if all(length % 1000 == 0 for length in lengths) else "1ns"
    yield f'resolution = "{resolution}" # length of a tick; every time is a multiple of it'
    yield f"# {policy}: {info.summary}"
    yield f"policy     = {_text(policy)}"
    yield f"cpus       = {cpus} # processors"
    yield f"horizon    = {_value(horizon)} # how long takt run simulates"
    order = sorted(range(len(tasks)), key=lambda place: (_length(tasks[place].period), place))
    priorities = {place: len(tasks) - rank for rank, place in enumerate(order)}
    for place, task in enumerate(tasks):
        first = place == 0
        yield from ("", "[[task]]", f"name     = {_text(task.name)}")
        yield f"period   = {_value(task.period)}" + " # distance of two arrivals; also the deadline" * first
        yield f"wcet     = {_value(task.wcet)}" + " # worst-case execution time of a job" * first
        if info.has_levels:
            yield f"priority = {priorities[place]}" + " # larger is more urgent" * first
    yield from ("", "# Further keys of a task:")
    meanings = descriptions(Task.__doc__ or "")
    for key in _FURTHER_KEYS:
        comment = f"{key.rstrip('_')}: {' '.join(meanings[key].split())}"
        yield from textwrap.wrap(
            comment,
            100,
            initial_indent="#   ",
            subsequent_indent="#      ",
            break_long_words=False,
            break_on_hyphens=False,
        )


def _invented(count: int, cpus: int) -> list[Task]:
    """Return tasks with numbers that fit together."""
    names = ("sensor", "control", "logger") if count == 3 else [f"task_{number}" for number in range(1, count + 1)]
    periods = [_PERIODS_MS[place % len(_PERIODS_MS)] for place in range(count)]
    wcets = [max(1, min(period * 600, period * 10 * _SHARE * cpus // count) // 100 * 100) for period in periods]
    return [
        Task(name=name, period=f"{period}ms", wcet=times.shortest(wcet * 1000))
        for name, period, wcet in zip(names, periods, wcets, strict=True)
    ]


def _task(text: str) -> Task:
    """Read a task as an option names it."""
    parts = [part.strip() for part in text.rsplit(":", 2)]
    if len(parts) != 3 or not all(parts):
        raise InputError([Problem(f"{_TASK_RULE}, found {show(text)}", "syntax", key="--task")])
    name, period, wcet = parts
    try:
        return Task(name=name, period=times.written(period), wcet=times.written(wcet))
    except InputError as error:
        problems = [replace(each, message=f"{show(text)}: {each.key}: {each.message}") for each in error.problems]
        raise as_option("--task", InputError(problems)) from None


def _length(time: int | str | None) -> int:
    """Return nanoseconds of a time, those without a unit as ticks of a microsecond."""
    assert time is not None
    parsed = times.to_ticks(time, 1) if isinstance(time, str) else time * 1000
    return int(parsed)


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _value(value: int | str | None) -> str:
    known = times.written(value) if isinstance(value, str) else value
    return str(known) if isinstance(known, int) else _text(str(known))


# ---- questions --------------------------------------------------------------------------------------


def _asked(output: Path | None) -> tuple[Wanted, Path]:
    """Ask for the content of a file and for its name; what cannot be taken is asked for again."""
    typer.echo("Tasks, one in a line as NAME:PERIOD:WCET, such as sensor:10ms:2ms; an empty line ends them.")
    wanted = Wanted()
    while text := typer.prompt(f"task {len(wanted.task) + 1}", default="", show_default=False):
        wanted = _taken(wanted, replace(wanted, task=(*wanted.task, text)))
    typer.echo(f"Policies: {', '.join(policy.name for policy in catalogue.policies())} (takt policies explains them).")
    before = wanted
    while (wanted := _taken(before, replace(before, policy=typer.prompt("policy", default=DEFAULT_POLICY)))) is before:
        pass
    before = wanted
    while (wanted := _taken(before, replace(before, cpus=typer.prompt("processors", default="1")))) is before:
        pass
    while output is None or output.exists():
        output = Path(typer.prompt("file", default=_FILE if output is None else None))
    return wanted, output


def _taken(before: Wanted, after: Wanted) -> Wanted:
    """Return the wishes with a new one, or without it and with a line that says why."""
    try:
        text_of(after, None)
    except InputError as error:
        typer.echo(str(error), err=True)
        return before
    return after
