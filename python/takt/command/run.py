# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Commands `takt run` and `takt compare`: task sets in; tables, files and pictures out."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import typer

from takt.base import csv_files, input_files, times
from takt.base.errors import BoardError, ExitStatus, InputError, Problem, file_error, show
from takt.command import task_sets
from takt.command.terminal import errors_to_stderr, progress_bar
from takt.files.edits import as_key, label
from takt.model import catalogue
from takt.model.catalogue import DEADLINE_POLICY, EARLIEST_DEADLINE, PERIOD_POLICY
from takt.model.delays import Delay
from takt.model.delays import parse as parse_delay
from takt.model.horizon import horizon_ticks
from takt.model.python_policy import name_of
from takt.model.system import System
from takt.run import late_jobs
from takt.run.late_jobs import LateJob
from takt.show import report, run_text
from takt.show.report import Report
from takt.show.result import Result, drawable, simulate
from takt.show.text_tables import Terminal

if TYPE_CHECKING:
    from takt.linux import board as linux
    from takt.run import board_costs, linux_checks

_COMPARED = ",".join((PERIOD_POLICY, DEADLINE_POLICY, EARLIEST_DEADLINE))
"""Policies that are compared with that of the file unless others are given."""

_NO_PROMISE = "in real time: Linux may delay the process for any time, so responses and misses differ from run to run"


@dataclass(frozen=True)
class Outputs:
    """The files that a run writes, None where it does not; each is the option of that name.

    Args:
        start, end: of the stretch that the Gantt chart shows, --from and --to.
    """

    segments: Path | None = None
    jobs: Path | None = None
    budgets: Path | None = None
    trace: Path | None = None
    report: Path | None = None
    gantt: Path | None = None
    perfetto: Path | None = None
    platform_out: Path | None = None
    start: str | None = None
    end: str | None = None

    def options(self) -> list[str]:
        """Return the options that were given."""
        return [f"--{name.replace('_', '-')}" for name, path in vars(self).items() if isinstance(path, Path)]

    def frames(self) -> list[str]:
        """Return the data frames that are to be written."""
        return [name for name in ("segments", "jobs", "budgets") if getattr(self, name) is not None]

    def pictures(self) -> list[str]:
        """Return the charts to draw or export; they need all frames."""
        return [name for name in ("report", "gantt", "perfetto") if getattr(self, name) is not None]

    def edges(self) -> list[int | str | None]:
        """Return begin and end of the part that the Gantt chart shows, as they were written."""
        return [None if text is None else times.written(text) for text in (self.start, self.end)]

    def check_stretch(self, horizon: int, resolution_ns: int) -> None:
        """Refuse, before a run of so many ticks, a part of it that no chart can show."""
        from takt.show import gantt

        try:
            gantt.stretch(horizon, resolution_ns, *self.edges())
        except InputError as error:
            names = {"start": "--from", "end": "--to"}
            problems = [replace(each, key=names.get(each.key or "", each.key)) for each in error.problems]
            raise InputError(problems) from None


@dataclass(frozen=True)
class Place:
    """Place where task sets run; each is the option of that name.

    Args:
        on: the board; None: they are simulated.
        real_time: whether the board keeps the time of the machine.
        remote: the delay of messages to and from a scheduler at a distance, as it was written.
        clock: instructions in a second of an emulated processor, as it was written.
    """

    on: str | None = None
    real_time: bool = False
    remote: str | None = None
    clock: str | None = None

    @property
    def board(self) -> str | None:
        """The board, in real time another one."""
        if not self.real_time:
            return self.on
        from takt.board import emulation

        return emulation.REAL_TIME


@dataclass(frozen=True)
class _Run:
    """One simulation to be made."""

    file: Path
    system: System
    edits: Sequence[str]

    @property
    def label(self) -> str:
        """What errors call the file."""
        return label(self.file, self.edits)


def run(
    files: list[Path],
    edits: list[str],
    policy: str | None,
    horizon: str | None,
    seed: str | None,
    outputs: Outputs,
    place: Place,
    terminal: Terminal,
    *,
    as_json: bool,
    check: bool,
) -> None:
    """Simulate files under policies, or run them on a board; print and write what comes out."""
    with errors_to_stderr():
        remote = _check_place(place, outputs)
        if outputs.gantt is not None:
            from takt.show import gantt

            gantt.check_path(outputs.gantt)
        for option, text in (("--from", outputs.start), ("--to", outputs.end)):
            if text is not None and outputs.gantt is None:
                raise InputError([Problem("it chooses a part of a chart; give --gantt too", "conflict", key=option)])
        runs = [_with_options(run, horizon, seed) for file in files for run in _runs(file, policy, edits)]
        if len(runs) > 1 and outputs.options():
            message = f"expected one file and one policy, found {len(runs)} runs"
            raise InputError([Problem(message, "conflict", key=option) for option in outputs.options()])
        if outputs.gantt is not None:
            with _blaming(runs[0].label):
                ticks = horizon_ticks(runs[0].system)
            outputs.check_stretch(ticks, runs[0].system.resolution_ns)
        outcomes = [
            _simulate(run, outputs) if place.board is None else _run_elsewhere(run, place, remote, outputs)
            for run in runs
        ]
        if as_json:
            _print_json(outcomes)
        else:
            has_picture = bool(outputs.pictures())
            _print_outcomes(terminal, outcomes, _Asked(policy, horizon, seed, has_picture, place.real_time))
        _write_files(outcomes[0], outputs)
    if check and any(outcome.report.has_finding for outcome in outcomes):
        raise typer.Exit(ExitStatus.CHECK_FAILED)


def compare(
    file: Path,
    edits: list[str],
    policies: str | None,
    horizon: str | None,
    seed: str | None,
    page: Path | None,
    terminal: Terminal,
    *,
    as_json: bool,
    check: bool,
) -> None:
    """Simulate a file under policies, by default its own and others; print them together, and write a page if asked."""
    outputs = Outputs(report=page)
    with errors_to_stderr():
        (own,) = _runs(file, None, edits)
        given = [own, *_under_others(own)] if policies is None else list(_runs(file, policies, edits))
        outcomes = [_simulate(_with_options(run, horizon, seed), outputs) for run in given]
        reports = [outcome.report for outcome in outcomes]
        if as_json:
            _print_json(outcomes)
        else:
            policy = own.system.policy
            compared = [
                run_text.Compared(outcome.report, _late_job(outcome), outcome.run.system.policy == policy)
                for outcome in outcomes
            ]
            run_text.print_policies(terminal, compared)
        if page is not None:
            from takt.show import run_page

            run_page.write([outcome.result for outcome in outcomes if outcome.result is not None], page)
            typer.echo(f"report: {page}", err=True)
    if check and any(found.has_finding for found in reports):
        raise typer.Exit(ExitStatus.CHECK_FAILED)


def _under_others(own: _Run) -> Iterator[_Run]:
    """Yield a run under each policy of the default that can order the tasks; say which one cannot, and why."""
    for policy in _COMPARED.split(","):
        try:
            system = own.system.replace(policy=policy)
        except InputError as error:
            more = len(error.problems) - 1
            also = f" (and {more} more)" if more else ""
            typer.echo(f"{policy} is left out: {error.problems[0]}{also}", err=True)
            continue
        if system != own.system:
            yield replace(own, system=system)


def compare_files(
    files: list[Path],
    edits: list[str],
    policies: str | None,
    horizon: str | None,
    seed: str | None,
    page: Path | None,
    terminal: Terminal,
    *,
    as_json: bool,
    check: bool,
) -> None:
    """Simulate several files, each under its own policy or under the requested ones; print them beside one another."""
    with errors_to_stderr():
        if page is not None:
            message = f"expected one file, found {len(files)}; takt run FILE --report R.html draws one of them"
            raise InputError([Problem(message, "conflict", key="--report")])
        for file in (file for file in files if files.count(file) > 1):
            message = "expected files that differ, found this one twice; --policy P,P2 compares policies of one file"
            raise file_error(file, message, "conflict")
        runs = [_with_options(run, horizon, seed) for file in files for run in _runs(file, policies, edits)]
        outcomes = [_simulate(run, Outputs()) for run in runs]
        names = _names_of(runs, has_policies=len(runs) > len(files))
        if as_json:
            _print_json(outcomes)
        else:
            reports = [outcome.report for outcome in outcomes]
            run_text.print_files(terminal, [run_text.FileRun(*each) for each in zip(names, reports, strict=True)])
    if check and any(outcome.report.has_finding for outcome in outcomes):
        raise typer.Exit(ExitStatus.CHECK_FAILED)


def _names_of(runs: Sequence[_Run], *, has_policies: bool) -> list[str]:
    """Return names of runs: those of their files without folders, if these differ, and of their policies."""
    files = {run.file for run in runs}
    is_plain = len({file.name for file in files}) == len(files)
    names = [run.file.name if is_plain else str(run.file) for run in runs]
    policies = [f" {name_of(run.system.policy)}" if has_policies else "" for run in runs]
    return [name + policy for name, policy in zip(names, policies, strict=True)]


def _check_place(place: Place, outputs: Outputs) -> Delay | None:
    """Check that a board can do what is requested: charts, real time, a scheduler at a distance; return the delay."""
    if place == Place() and outputs.platform_out is None:
        return None
    from takt.board import clock, emulation

    board, known = place.on, (*emulation.BOARDS, *emulation.LINUX_BOARDS)
    if board is not None and board not in known:
        message = f"unknown board {show(board)}; {catalogue.alternatives(board, known)}"
        raise InputError([Problem(message, "unknown-word", key="--on")])
    for name in outputs.pictures() if board in emulation.EMULATED else ():
        message = (
            f"charts have the ticks of the file, found --on {board}; write --on {emulation.POSIX}, or leave it out"
        )
        raise InputError([Problem(message, "conflict", key=f"--{name}")])
    needed = {
        "--real-time": (place.real_time, (emulation.POSIX,)),
        "--remote": (place.remote is not None, (emulation.POSIX,)),
        "--clock": (place.clock is not None, emulation.EMULATED),
        "--platform-out": (outputs.platform_out is not None, emulation.EMULATED),
    }
    for option, (is_given, boards) in needed.items():
        if is_given and board not in boards:
            allowed = " or ".join(filter(None, (", ".join(boards[:-1]), boards[-1])))
            message = f"it needs --on {allowed}, found {f'--on {board}' if board else 'no --on'}"
            raise InputError([Problem(message, "conflict", key=option)])
    if place.clock is not None:
        clock.parse(place.clock)
    if place.remote is None:
        return None
    if place.real_time:
        message = "it needs virtual time, found --real-time; leave one of both out"
        raise InputError([Problem(message, "conflict", key="--remote")])
    return parse_delay(place.remote)


def _runs(file: Path, policies: str | None, edits: Sequence[str]) -> Iterator[_Run]:
    yield from (_Run(file, system, edits) for system in task_sets.systems_of(file, policies, edits))


def _with_options(run: _Run, horizon: str | None, seed: str | None) -> _Run:
    """Replace horizon and seed of a run by the requested ones."""
    for option, key, text in (("--horizon", "horizon", horizon), ("--seed", "seed", seed)):
        if text is None:
            continue
        value = times.written(text)
        task_sets.check_option(option, **{key: value})
        try:
            run = replace(run, system=run.system.replace(**{key: value}))
        except InputError as error:
            raise task_sets.as_option(option, error).in_file(run.label) from None
    return run


@dataclass(frozen=True)
class _Kernel:
    """Data of Linux about a run.

    Args:
        run: of the threads.
        checked: against the decisions and the simulation.
        bounds: of responses in ticks of the simulation, by task; None where nothing is known.
    """

    run: linux.Run
    checked: linux_checks.Checked
    bounds: Mapping[str, int | None]


@dataclass(frozen=True)
class _Emulated:
    """What is known of an emulated board.

    Args:
        name: of the board.
        hertz: instructions in a second.
        costs: of the kernel.
    """

    name: str
    hertz: Fraction
    costs: board_costs.Costs


@dataclass(frozen=True)
class _Outcome:
    """The results of a run.

    Args:
        run: the run.
        report: of the simulation, or of the board.
        simulated: with a board, the report of the simulation too.
        frames: what is to be written, by option.
        result: what is to be drawn.
        kernel: what Linux says of its threads.
        emulated: of an emulated board.
    """

    run: _Run
    report: Report
    simulated: Report | None
    frames: Mapping[str, pl.DataFrame]
    result: Result | None = None
    kernel: _Kernel | None = None
    emulated: _Emulated | None = None


def _simulate(run: _Run, outputs: Outputs) -> _Outcome:
    wants_all = bool(outputs.pictures())
    title = f"{run.system.name}, {name_of(run.system.policy)}"
    with _blaming(run.label), progress_bar(title, horizon_ticks(run.system)) as progress:
        result = simulate(
            run.system,
            segments=wants_all or outputs.segments is not None,
            jobs=wants_all or outputs.jobs is not None,
            budgets=wants_all or outputs.budgets is not None,
            points=wants_all,
            trace=outputs.trace,
            progress=progress,
        )
        frames = {name: getattr(result, name) for name in outputs.frames()}
    return _Outcome(run, report.report_of(result), None, frames, result)


def _run_elsewhere(run: _Run, place: Place, remote: Delay | None, outputs: Outputs) -> _Outcome:
    """Run on a board, or under Linux."""
    from takt.board import emulation

    board = place.board or ""
    if board in emulation.LINUX_BOARDS:
        return _run_on_linux(run, board, outputs)
    return _run_on_board(run, place, remote, outputs)


def _run_on_board(run: _Run, place: Place, remote: Delay | None, outputs: Outputs) -> _Outcome:
    """Run on the board, replay what it recorded, and simulate."""
    from takt.board import clock, emulation
    from takt.run import board_costs, measurement
    from takt.run.replay import replay
    from takt.show import board_report

    measures = {
        "segments": measurement.segments_of,
        "jobs": measurement.jobs_of,
        "budgets": measurement.budgets_of,
    }
    name = place.board or ""
    hertz = None if place.clock is None else clock.parse(place.clock)
    with _blaming(run.label), emulation.temporary_folder() as folder:
        path = outputs.trace or folder / "board.takt"
        trace = emulation.run(run.system, path, name, remote=remote, hertz=hertz)
        replayed = replay(path)
        if replayed.difference is not None:
            raise BoardError(f"{path}: {replayed.difference.text}")
        frames = {kept: measures[kept](trace) for kept in outputs.frames()}
        result = drawable(measurement.result_of(trace, run.system)) if outputs.pictures() else None
        board = emulation.load_board(emulation.port_of(name), hertz)
        measured = board_report.in_real_time(board_report.report_of(trace), board.stretch)
        speed = hertz or clock.of_emulator(board.recipe)
        emulated = None if speed is None else _Emulated(name, speed, board_costs.measure(name, run.system.policy))
        return _Outcome(run, measured, _simulate(run, Outputs()).report, frames, result, emulated=emulated)


def _run_on_linux(run: _Run, board: str, outputs: Outputs) -> _Outcome:
    """Run as threads of Linux, check what the threads did, and simulate and analyse."""
    from takt.analysis.analyse import analyse
    from takt.board import emulation
    from takt.linux import board as linux
    from takt.run import linux_checks, measurement
    from takt.show import board_report

    with _blaming(run.label), emulation.temporary_folder() as folder:
        path = outputs.trace or folder / "linux.takt"
        found = linux.run(run.system, path, board)
        checked = linux_checks.check(found)
        if checked.findings:
            raise BoardError("; ".join(checked.findings))
        simulated = _simulate(run, Outputs()).report
        result = drawable(measurement.result_of(found.trace, linux.in_ticks_of_trace(run.system)))
        bounds = {row.task: row.response for row in analyse(run.system, sensitivity=False).tasks}
        frames = {name: getattr(result, name) for name in outputs.frames()}
        measured = board_report.report_of_machine(found.trace, simulated)
        return _Outcome(run, measured, simulated, frames, result, _Kernel(found, checked, bounds))


@contextmanager
def _blaming(file: str) -> Iterator[None]:
    """Add the task-set file to problems that name no file themselves."""
    try:
        yield
    except InputError as error:
        is_about_output = error.problems[0].file is not None
        raise error if is_about_output else error.in_file(file) from None


def _print_json(outcomes: list[_Outcome]) -> None:
    from takt.base.version import __version__

    reports = []
    for outcome in outcomes:
        found = [one for one in (outcome.simulated, outcome.report) if one is not None]
        reports += [report.as_json(one, str(outcome.run.file)) | as_key(outcome.run.edits) for one in found]
        if (board := outcome.emulated) is not None:
            from takt.show import board_report

            reports[-1] |= board_report.as_json(board.costs, board.hertz)
    typer.echo(json.dumps({"version": __version__, "runs": reports}, indent=2))


@dataclass(frozen=True)
class _Asked:
    """Options of a run that a hint repeats, and whether a picture, or real time, was requested."""

    policy: str | None
    horizon: str | None
    seed: str | None
    has_picture: bool
    is_real_time: bool

    def hint(self, run: _Run) -> str:
        """Return the command that draws a run; "" if there is a picture already, or the file cannot be read again."""
        policy = None if self.policy is None else name_of(run.system.policy) if "," in self.policy else self.policy
        options = [*(("--set", edit) for edit in run.edits), ("--policy", policy)]
        options += [("--horizon", self.horizon), ("--seed", self.seed)]
        given = [word for name, value in options if value is not None for word in (name, value)]
        words = ["takt", "run", str(run.file), *given, "--report", f"{run.file.stem}.html"]
        return "" if self.has_picture or str(run.file) == input_files.STANDARD_STREAM else shlex.join(words)


def _print_outcomes(terminal: Terminal, outcomes: list[_Outcome], asked: _Asked) -> None:
    for number, outcome in enumerate(outcomes):
        if number > 0:
            terminal.print()
        kernel = outcome.kernel
        if outcome.simulated is None:
            run_text.print_report(terminal, outcome.report, _late_job(outcome), asked.hint(outcome.run))
            continue
        bounds = kernel.bounds if kernel else None
        run_text.print_comparison(terminal, outcome.report, outcome.simulated, bounds)
        terminal.print(f"replayed on the host: {outcome.report.decisions:,} decisions, identical")
        if asked.is_real_time:
            terminal.print(_NO_PROMISE)
        if (board := outcome.emulated) is not None:
            from takt.show import board_report

            for line in board_report.sentences(board.costs, board.hertz, outcome.report, outcome.simulated):
                terminal.print(line, indent=2)
        if kernel is not None:
            from takt.run import linux_checks

            for line in (linux_checks.sentence(kernel.checked), *kernel.checked.unknown, *kernel.run.notes):
                terminal.print(line, indent=2)


def _late_job(outcome: _Outcome) -> LateJob | None:
    """Return the first late job of a simulation."""
    return None if outcome.result is None else late_jobs.first_late(outcome.result)


def _write_files(outcome: _Outcome, outputs: Outputs) -> None:
    for name, frame in outcome.frames.items():
        csv_files.write(getattr(outputs, name), frame.with_columns(pl.selectors.boolean().cast(pl.UInt8)))
    run, board, result = outcome.run, outcome.emulated, outcome.result
    if outputs.platform_out is not None and board is not None:
        from takt.show import board_report

        board_report.write_platform(
            outputs.platform_out, run.file, board.costs, board.hertz, run.system.resolution_ns, board.name
        )
    if result is None:
        return
    if outputs.report is not None:
        from takt.show import run_page

        run_page.write([result], outputs.report, outcome.report.remote)
    if outputs.gantt is not None:
        _draw_gantt(result, outputs, outputs.gantt)
    if outputs.perfetto is not None:
        from takt.show import perfetto

        processors = outcome.kernel.run.processors if outcome.kernel is not None else ()
        perfetto.write(result, outputs.perfetto, [each.stretches() for each in processors])


def _draw_gantt(result: Result, outputs: Outputs, path: Path) -> None:
    """Draw the Gantt chart, and say which part of the run it shows if it is not all of it."""
    from takt.show import gantt

    _, first, last = gantt.drawn(result, path, *outputs.edges())
    if (first, last) != (0, result.horizon):
        edges = [times.for_readers(ticks * result.system.resolution_ns) for ticks in (first, last, result.horizon)]
        line = f"{path}: {edges[0]} to {edges[1]} of {edges[2]}; --from and --to draw another part"
        typer.echo(line, err=True)
