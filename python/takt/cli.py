"""The command `takt`: what SPEC.md promises in 7.2.

Whatever is wrong with an input ends in lines on the standard error output and exit status 2, never in a
traceback.
"""

from __future__ import annotations

import json
import runpy
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
from takt.analysis.command import analyse_command
from takt.errors import ExitStatus, InputError, Problem, show, system_error
from takt.formats.command import convert_command
from takt.generating import generate
from takt.model import Header, System
from takt.policy import name_of
from takt.report import Report
from takt.simulation import horizon_ticks
from takt.study.command import study
from takt.terminal import errors_to_stderr, progress_bar

_NO_PROMISE = "in real time: Linux delays the process as it likes, so responses and misses differ from run to run"

app = typer.Typer(
    name="takt",
    no_args_is_help=True,
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
    """One real-time scheduler: simulate task sets, compare policies, replay traces.

    Exit status: 0 done, 1 internal failure or a replay that differs, 2 bad input, 3 a --check that found a miss.

    Example: `takt run examples/iot_node.toml`
    """


# ---- takt run ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Outputs:
    """The files that a run writes, None where it does not."""

    segments: Path | None = None
    jobs: Path | None = None
    budgets: Path | None = None
    trace: Path | None = None
    report: Path | None = None
    gantt: Path | None = None
    perfetto: Path | None = None

    def options(self) -> list[str]:
        """List the options that were given."""
        return [f"--{name}" for name, path in vars(self).items() if path is not None]

    def frames(self) -> list[str]:
        """List the data frames that are to be written."""
        return [name for name in ("segments", "jobs", "budgets") if getattr(self, name) is not None]

    def pictures(self) -> list[str]:
        """List what is to be drawn or exported, which wants all frames."""
        return [name for name in ("report", "gantt", "perfetto") if getattr(self, name) is not None]


@dataclass(frozen=True)
class _Run:
    """One simulation to be made."""

    file: Path
    system: System


def _complete_policies(incomplete: str) -> list[str]:
    """Complete the last of some policies, for shells."""
    before, comma, last = incomplete.rpartition(",")
    return [before + comma + policy.name for policy in takt.policies() if policy.name.startswith(last)]


Policies = Annotated[
    str | None,
    typer.Option(
        metavar="P[,P2]",
        help="Order the root by this policy, or by each of these in turn; FILE.py:CLASS is one in Python.",
        autocompletion=_complete_policies,
    ),
]
Horizon = Annotated[str | None, typer.Option(metavar="T", help="How long to run: ticks, or a time such as 2s.")]
Seed = Annotated[str | None, typer.Option(metavar="N", help="Draw other random numbers.")]


@app.command()
def run(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Task-set files (TOML).", show_default=False)],
    policy: Policies = None,
    horizon: Horizon = None,
    segments: Annotated[Path | None, typer.Option(metavar="S.csv", help="Write who ran when.")] = None,
    jobs: Annotated[Path | None, typer.Option(metavar="J.csv", help="Write every job.")] = None,
    budgets: Annotated[
        Path | None, typer.Option(metavar="B.csv", help="Write the budget of every server in every tick.")
    ] = None,
    trace: Annotated[Path | None, typer.Option(metavar="T.takt", help="Record a trace for takt replay.")] = None,
    seed: Seed = None,
    page: Annotated[
        Path | None, typer.Option("--report", metavar="R.html", help="Write a page with charts that opens offline.")
    ] = None,
    gantt: Annotated[
        Path | None, typer.Option(metavar="G.svg", help="Draw a Gantt chart for print: .svg, .pdf or .png.")
    ] = None,
    perfetto: Annotated[Path | None, typer.Option(metavar="P", help="Write a trace for ui.perfetto.dev.")] = None,
    on: Annotated[
        str | None,
        typer.Option(
            metavar="BOARD",
            help="Run on the kernel too, and compare: cortex_m or riscv (under QEMU), or posix "
            "(without --real-time in virtual time).",
        ),
    ] = None,
    real_time: Annotated[
        bool, typer.Option("--real-time", help="With --on posix: by the machine's clock; takes as long as the horizon.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables; times in ticks.")] = False,
    check: Annotated[bool, typer.Option("--check", help="End with status 3 if a deadline was missed.")] = False,
) -> None:
    """Simulate task sets and print a table with one line for each task.

    With --on, a table of what the board took beside what the simulator says; files are then the board's, in its
    ticks. With --real-time too, the process runs by the clock: Linux delays it as it likes.

    Example: `takt run examples/iot_node.toml --policy fp,edf`
    """
    outputs = _Outputs(segments, jobs, budgets, trace, page, gantt, perfetto)
    with errors_to_stderr():
        _check_board(on, outputs)
        _check_clock(on, real_time)
        _check_gantt(outputs)
        runs = [_with_options(run, horizon, seed) for file in files for run in _runs(file, policy)]
        _refuse_shared_outputs(runs, outputs)
        board = boards.REAL_TIME if real_time else on
        outcomes = [_simulate(run, outputs) if board is None else _run_on_board(run, board, outputs) for run in runs]
        _print_outcomes(outcomes, as_json)
        _write_frames(outcomes[0], outputs)
        _write_pictures(outcomes[0], outputs)
    if check and any(outcome.report.missed for outcome in outcomes):
        raise typer.Exit(ExitStatus.CHECK_FAILED)


def _check_board(board: str | None, outputs: _Outputs) -> None:
    """Check the name of a board, and that the board can write what is asked for."""
    if board is None:
        return
    if board not in boards.BOARDS:
        message = f"unknown board {show(board)}; {catalogue.alternatives(board, boards.BOARDS)}"
        raise InputError([Problem(message, "unknown-word", key="--on")])
    for name in ("budgets", "report", "gantt", "perfetto"):
        if getattr(outputs, name) is not None:
            message = (
                "it shows a simulation; leave out --on"
                if name != "budgets"
                else "a board records no budgets; leave out --on"
            )
            raise InputError([Problem(message, "conflict", key=f"--{name}")])


def _check_clock(board: str | None, is_real_time: bool) -> None:
    """Check that the board can keep real time, if that is asked for."""
    if is_real_time and board != boards.POSIX:
        message = f"it goes with --on {boards.POSIX} only, found {f'--on {board}' if board else 'no --on'}"
        raise InputError([Problem(message, "conflict", key="--real-time")])


def _check_gantt(outputs: _Outputs) -> None:
    """Check that the chart that is asked for can be drawn."""
    if outputs.gantt is not None:
        from takt import gantt

        gantt.check_path(outputs.gantt)


def _runs(file: Path, policies: str | None) -> Iterator[_Run]:
    """Read a file; one run for each policy that is asked for."""
    system = takt.load(file)
    if policies is None:
        yield _Run(file, system)
        return
    for name in policies.split(","):
        policy = _policy(name.strip())
        try:
            yield _Run(file, system.replace(policy=policy))
        except InputError as error:
            raise error.in_file(file) from None


def _policy(name: str) -> str | takt.Policy:
    """Find a policy by its name, or in a Python file by FILE.py:CLASS."""
    path, colon, class_name = name.rpartition(":")
    if colon and path.endswith(".py"):
        return _load_policy(Path(path), class_name)
    _check_option("--policy", policy=name)
    return name


def _load_policy(path: Path, class_name: str) -> takt.Policy:
    """Make a policy of a class in a Python file."""
    try:
        names = runpy.run_path(str(path))
    except OSError as error:
        raise system_error("read", path, error) from None
    except Exception as error:
        message = f"cannot be run: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else 'no message'}"
        raise InputError([Problem(message, "policy", file=str(path))]) from None
    kinds = [name for name, kind in names.items() if isinstance(kind, type) and issubclass(kind, takt.Policy)]
    kinds = [name for name in kinds if names[name] is not takt.Policy]
    if class_name not in kinds:
        message = f"expected a subclass of takt.Policy, found {show(class_name)}; {_hint(class_name, kinds)}"
        raise InputError([Problem(message, "unknown-word", file=str(path), key="--policy")])
    try:
        policy = names[class_name]()
    except TypeError as error:
        message = f"{class_name}() failed: {error}"
        raise InputError([Problem(message, "policy", file=str(path), key="--policy")]) from None
    assert isinstance(policy, takt.Policy)
    return policy


def _hint(word: str, known: list[str]) -> str:
    """Say what there is instead."""
    return catalogue.alternatives(word, known) if known else "the file has none"


def _with_options(run: _Run, horizon: str | None, seed: str | None) -> _Run:
    """Replace horizon and seed of a run by those that are asked for."""
    for option, key, text in (("--horizon", "horizon", horizon), ("--seed", "seed", seed)):
        if text is None:
            continue
        value = int(text) if text.isascii() and text.isdigit() and len(text) <= 20 else text
        _check_option(option, **{key: value})
        try:
            run = replace(run, system=run.system.replace(**{key: value}))
        except InputError as error:
            raise _as_option(option, error).in_file(run.file) from None
    return run


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
    result: takt.Result | None = None


def _simulate(run: _Run, outputs: _Outputs) -> _Outcome:
    """Simulate."""
    wants_all = bool(outputs.pictures())
    title = f"{run.system.name}, {name_of(run.system.policy)}"
    with _blaming(run.file), progress_bar(title, horizon_ticks(run.system)) as progress:
        result = takt.simulate(
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


def _run_on_board(run: _Run, board: str, outputs: _Outputs) -> _Outcome:
    """Run on the board, replay what it recorded, and simulate."""
    with _blaming(run.file), tempfile.TemporaryDirectory(prefix="takt-") as folder:
        path = outputs.trace or Path(folder, "board.takt")
        trace = boards.run(run.system, path, board)
        replayed = takt.replay(path)
        if replayed.difference is not None:
            raise boards.BoardError(f"{path}: {replayed.difference.text}")
        frames = {name: _MEASURES[name](trace) for name in outputs.frames()}
        return _Outcome(run, measurement.report_of(trace), _simulate(run, _Outputs()).report, frames)


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
    if outcome.report.platform == boards.REAL_TIME:
        console.print(_NO_PROMISE, soft_wrap=True)


def _write_frames(outcome: _Outcome, outputs: _Outputs) -> None:
    """Write the files that are asked for."""
    for name, frame in outcome.frames.items():
        _write_csv(getattr(outputs, name), frame.with_columns(cs.boolean().cast(pl.UInt8)))


def _write_pictures(outcome: _Outcome, outputs: _Outputs) -> None:
    """Draw and export what is asked for."""
    result = outcome.result
    if result is None:
        return
    if outputs.report is not None:
        result.to_html(outputs.report)
    if outputs.gantt is not None:
        result.gantt(outputs.gantt)
    if outputs.perfetto is not None:
        result.to_perfetto(outputs.perfetto)


def _write_csv(path: Path, frame: pl.DataFrame) -> None:
    """Write one frame."""
    try:
        with path.open("wb") as file:
            frame.write_csv(file)
    except OSError as error:
        raise system_error("write", path, error) from None


# ---- takt compare -----------------------------------------------------------------------------------


@app.command()
def compare(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A task-set file (TOML).", show_default=False)],
    policy: Policies = "rm,dm,edf",
    horizon: Horizon = None,
    seed: Seed = None,
    page: Annotated[
        Path | None,
        typer.Option("--report", metavar="R.html", help="Write a page with the charts above one another."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table; times in ticks.")] = False,
    check: Annotated[bool, typer.Option("--check", help="End with status 3 if a deadline was missed.")] = False,
) -> None:
    """Simulate a task set under several policies and print their responses and misses beside one another.

    Every policy gets the same jobs, random ones too.

    Example: `takt compare examples/iot_node.toml --policy rm,edf,llf --report iot.html`
    """
    outputs = _Outputs(report=page)
    with errors_to_stderr():
        runs = [_with_options(run, horizon, seed) for run in _runs(file, policy)]
        outcomes = [_simulate(run, outputs) for run in runs]
        reports = [outcome.report for outcome in outcomes]
        if as_json:
            _print_outcomes(outcomes, as_json)
        else:
            unit = times.unit_of(runs[0].system.resolution)
            report.print_policies(Console(), reports, unit)
        if page is not None:
            from takt import html

            html.write([outcome.result for outcome in outcomes if outcome.result is not None], page)
            typer.echo(f"report: {page}", err=True)
    if check and any(found.missed for found in reports):
        raise typer.Exit(ExitStatus.CHECK_FAILED)


# ---- takt convert -----------------------------------------------------------------------------------

app.command("convert")(convert_command)


# ---- takt analyse -----------------------------------------------------------------------------------

app.command("analyse")(analyse_command)
app.command("analyze", hidden=True)(analyse_command)


# ---- takt replay ------------------------------------------------------------------------------------


@app.command()
def replay(
    file: Annotated[Path, typer.Argument(metavar="T.takt", help="A trace file.", show_default=False)],
) -> None:
    """Replay a recorded trace through the scheduler's core and compare every decision.

    Example: `takt run examples/iot_node.toml --trace iot.takt && takt replay iot.takt`
    """
    with errors_to_stderr():
        outcome = takt.replay(file)
    if outcome.difference is not None:
        typer.echo(f"{file}: {outcome.difference.text}")
        raise typer.Exit(ExitStatus.FAILED)
    typer.echo(f"identical: {outcome.decisions} decisions")


# ---- takt generate ----------------------------------------------------------------------------------


app.command()(generate)


# ---- takt study -------------------------------------------------------------------------------------


app.command()(study)


# ---- takt schema ------------------------------------------------------------------------------------


@app.command()
def schema(
    recipe: Annotated[bool, typer.Option("--recipe", help="Of the recipes of takt generate.")] = False,
    of_study: Annotated[bool, typer.Option("--study", help="Of the files of takt study.")] = False,
) -> None:
    """Print the JSON schema of task-set files, for editors.

    Example: `takt schema > taskset.schema.json`
    """
    from takt.schema import recipe_schema, study_schema, taskset_schema

    make = study_schema if of_study else recipe_schema if recipe else taskset_schema
    typer.echo(json.dumps(make(), indent=2))


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
    kinds = [(kind.name, kind.summary) for kind in takt.server_kinds()]
    report.print_table(console, "kinds of servers", report.text_table(("name", "what it is"), kinds))
