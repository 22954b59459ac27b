"""The command `takt`: what SPEC.md promises in 6.2.

Whatever is wrong with an input ends in lines on the standard error output and exit status 2, never in a
traceback.
"""

from __future__ import annotations

import json
import signal
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated

import polars as pl
import polars.selectors as cs
import typer
from rich.console import Console

import takt
from takt import boards, catalogue, measurement, report, times
from takt.errors import ExitStatus, InputError, Problem, show, system_error
from takt.model import Header, System
from takt.report import Report

app = typer.Typer(
    name="takt",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    """Run the command line; interrupts and closed pipes end the process as they do any other."""
    for name in ("SIGINT", "SIGPIPE"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    app()


@contextmanager
def _errors_to_stderr() -> Iterator[None]:
    """Turn errors into their lines and an exit status."""
    try:
        yield
    except InputError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(ExitStatus.BAD_INPUT) from None
    except boards.BoardError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(ExitStatus.FAILED) from None


# ---- takt -------------------------------------------------------------------------------------------


def _print_version(is_wanted: bool) -> None:
    """Answer --version."""
    if is_wanted:
        typer.echo(f"takt {takt.__version__}")
        raise typer.Exit(ExitStatus.DONE)


@app.callback()
def takt_command(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    """One real-time scheduler: simulate task sets, replay traces.

    Exit status: 0 done, 1 internal failure or a replay that differs, 2 bad input, 3 a --check that found a miss.

    Example: `takt run examples/iot.toml`
    """


# ---- takt run ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Outputs:
    """The files that a run writes, None where it does not."""

    segments: Path | None
    jobs: Path | None
    budgets: Path | None
    trace: Path | None

    def options(self) -> list[str]:
        """List the options that were given."""
        return [f"--{name}" for name, path in vars(self).items() if path is not None]

    def frames(self) -> list[str]:
        """List the data frames that are to be written."""
        return [name for name, path in vars(self).items() if path is not None and name != "trace"]


@dataclass(frozen=True)
class _Run:
    """One simulation to be made."""

    file: Path
    system: System


@app.command()
def run(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Task-set files (TOML).", show_default=False)],
    policy: Annotated[
        str | None, typer.Option(metavar="P[,P2]", help="Order the root by this policy, or by each of these in turn.")
    ] = None,
    horizon: Annotated[
        str | None, typer.Option(metavar="T", help="How long to run: ticks, or a time such as 2s.")
    ] = None,
    segments: Annotated[Path | None, typer.Option(metavar="S.csv", help="Write who ran when.")] = None,
    jobs: Annotated[Path | None, typer.Option(metavar="J.csv", help="Write every job.")] = None,
    budgets: Annotated[
        Path | None, typer.Option(metavar="B.csv", help="Write the budget of every server in every tick.")
    ] = None,
    trace: Annotated[Path | None, typer.Option(metavar="T.takt", help="Record a trace for takt replay.")] = None,
    on: Annotated[
        str | None, typer.Option(metavar="BOARD", help="Run on a board too, and compare: cortex_m (under QEMU).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables; times in ticks.")] = False,
    check: Annotated[bool, typer.Option("--check", help="End with status 3 if a deadline was missed.")] = False,
) -> None:
    """Simulate task sets and print a table with one line for each task.

    With --on, a table of what the board took beside what the simulator says; files are then the board's, in its
    ticks.

    Example: `takt run examples/iot.toml --policy fp,edf`
    """
    outputs = _Outputs(segments, jobs, budgets, trace)
    with _errors_to_stderr():
        _check_board(on, outputs)
        runs = [_with_horizon(run, horizon) for file in files for run in _runs(file, policy)]
        _refuse_shared_outputs(runs, outputs)
        outcomes = [_simulate(run, outputs) if on is None else _run_on_board(run, outputs) for run in runs]
        _print_outcomes(outcomes, as_json)
        _write_frames(outcomes[0], outputs)
    if check and any(outcome.report.missed for outcome in outcomes):
        raise typer.Exit(ExitStatus.CHECK_FAILED)


def _check_board(board: str | None, outputs: _Outputs) -> None:
    """Check the name of a board, and that the board can write what is asked for."""
    if board is None:
        return
    if board in boards.LATER_BOARDS:
        message = f"{show(board)} is not supported by this version yet; it has {', '.join(boards.BOARDS)}"
        raise InputError([Problem(message, "not-yet", key="--on")])
    if board not in boards.BOARDS:
        message = f"unknown board {show(board)}; {catalogue.alternatives(board, boards.BOARDS)}"
        raise InputError([Problem(message, "unknown-word", key="--on")])
    if outputs.budgets is not None:
        raise InputError([Problem("a board records no budgets; leave out --on", "conflict", key="--budgets")])


def _runs(file: Path, policies: str | None) -> Iterator[_Run]:
    """Read a file; one run for each policy that is asked for."""
    system = takt.load(file)
    if policies is None:
        yield _Run(file, system)
        return
    for policy in policies.split(","):
        _check_option("--policy", policy=policy.strip())
        try:
            yield _Run(file, system.replace(policy=policy.strip()))
        except InputError as error:
            raise error.in_file(file) from None


def _with_horizon(run: _Run, horizon: str | None) -> _Run:
    """Replace the horizon of a run by the one that is asked for."""
    if horizon is None:
        return run
    value = int(horizon) if horizon.isascii() and horizon.isdigit() and len(horizon) <= 20 else horizon
    _check_option("--horizon", horizon=value)
    try:
        return replace(run, system=run.system.replace(horizon=value))
    except InputError as error:
        raise _as_option("--horizon", error).in_file(run.file) from None


def _check_option(option: str, **key: object) -> None:
    """Check the value of an option that replaces a key of [system]."""
    try:
        Header.model_validate(key)
    except InputError as error:
        raise _as_option(option, error) from None


def _as_option(option: str, error: InputError) -> InputError:
    """Blame an option of the command line for a problem with the key that it replaces."""
    return InputError([replace(problem, table=None, key=option) for problem in error.problems])


def _refuse_shared_outputs(runs: list[_Run], outputs: _Outputs) -> None:
    """Refuse to write the results of several runs into one file."""
    if len(runs) == 1:
        return
    message = f"expected one file and one policy, found {len(runs)} runs"
    problems = [Problem(message, "conflict", key=option) for option in outputs.options()]
    if problems:
        raise InputError(problems)


@dataclass(frozen=True)
class _Outcome:
    """What a run found out.

    Args:
        run: the run.
        report: of the simulation, or of the board.
        simulated: with a board, the report of the simulation too.
        frames: what is to be written, by option.
    """

    run: _Run
    report: Report
    simulated: Report | None
    frames: Mapping[str, pl.DataFrame]


def _simulate(run: _Run, outputs: _Outputs) -> _Outcome:
    """Simulate."""
    with _blaming(run.file):
        result = takt.simulate(
            run.system,
            segments=outputs.segments is not None,
            jobs=outputs.jobs is not None,
            budgets=outputs.budgets is not None,
            trace=outputs.trace,
        )
        frames = {name: getattr(result, name) for name in outputs.frames()}
    return _Outcome(run, report.report_of(result), None, frames)


def _run_on_board(run: _Run, outputs: _Outputs) -> _Outcome:
    """Simulate, run on the board, and replay what the board recorded."""
    simulated = _simulate(run, _Outputs(None, None, None, None))
    with _blaming(run.file), tempfile.TemporaryDirectory(prefix="takt-") as folder:
        path = outputs.trace or Path(folder, "board.takt")
        trace = boards.run(run.system, path)
        replayed = takt.replay(path)
        if replayed.difference is not None:
            raise boards.BoardError(f"{path}: {replayed.difference.text}")
        frames = {name: _MEASURES[name](trace) for name in outputs.frames()}
        return _Outcome(run, measurement.report_of(trace), simulated.report, frames)


_MEASURES = {"segments": measurement.segments_of, "jobs": measurement.jobs_of}


@contextmanager
def _blaming(file: Path) -> Iterator[None]:
    """Name a task-set file in problems that name no file themselves."""
    try:
        yield
    except InputError as error:
        is_about_output = error.problems[0].file is not None
        raise error if is_about_output else error.in_file(file) from None


def _print_outcomes(outcomes: list[_Outcome], as_json: bool) -> None:
    """Print all that was found out."""
    if as_json:
        reports = [
            report.as_json(found, str(outcome.run.file))
            for outcome in outcomes
            for found in (outcome.simulated, outcome.report)
            if found is not None
        ]
        typer.echo(json.dumps({"version": takt.__version__, "runs": reports}, indent=2))
        return
    console = Console()
    for number, outcome in enumerate(outcomes):
        if number > 0:
            console.print()
        _print_outcome(console, outcome)


def _print_outcome(console: Console, outcome: _Outcome) -> None:
    """Print one table."""
    unit = times.unit_of(outcome.run.system.resolution)
    if outcome.simulated is None:
        report.print_report(console, outcome.report, unit)
        return
    report.print_comparison(console, outcome.report, outcome.simulated, unit)
    console.print(f"replayed on the host: {outcome.report.decisions} decisions, identical")


def _write_frames(outcome: _Outcome, outputs: _Outputs) -> None:
    """Write the files that are asked for."""
    for name, frame in outcome.frames.items():
        _write_csv(getattr(outputs, name), frame.with_columns(cs.boolean().cast(pl.UInt8)))


def _write_csv(path: Path, frame: pl.DataFrame) -> None:
    """Write one frame."""
    try:
        with path.open("wb") as file:
            frame.write_csv(file)
    except OSError as error:
        raise system_error("write", path, error) from None


# ---- takt replay ------------------------------------------------------------------------------------


@app.command()
def replay(
    file: Annotated[Path, typer.Argument(metavar="T.takt", help="A trace file.", show_default=False)],
) -> None:
    """Replay a recorded trace through the scheduler's core and compare every decision.

    Example: `takt run examples/iot.toml --trace iot.takt && takt replay iot.takt`
    """
    with _errors_to_stderr():
        outcome = takt.replay(file)
    if outcome.difference is not None:
        typer.echo(f"{file}: {outcome.difference.text}")
        raise typer.Exit(ExitStatus.FAILED)
    typer.echo(f"identical: {outcome.decisions} decisions")


# ---- takt policies ----------------------------------------------------------------------------------


@app.command()
def policies() -> None:
    """List the policies and the kinds of servers that there are.

    Example: `takt policies`
    """
    console = Console()
    rows = [(policy.name, policy.summary, policy.tie) for policy in takt.policies()]
    report.print_table(console, "policies", report.text_table(("name", "what it is", "among equals"), rows))
    console.print()
    report.print_table(console, "kinds of servers", report.text_table(("name", "what it is"), takt.server_kinds()))
