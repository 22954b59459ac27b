# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The command `takt`: what SPEC.md promises in 7.2.

Whatever is wrong with an input ends in lines on the standard error output and exit status 2, never in a
traceback. The commands' options and help are here; what a command does is in a module that is imported when it is
called, so that no command waits for what another needs.
"""

from __future__ import annotations

import codecs
import errno
import gc
import json
import os
import signal
import sys
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from takt.base.errors import ExitStatus
from takt.command import command_class
from takt.command.command_class import OUTPUT, TaktCommand, keep_only
from takt.command.command_class import option as _option
from takt.command.linux_options import linux
from takt.command.postponed import configure, postpone

app = typer.Typer(
    name="takt",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.add_typer(linux)

_NO_OUTPUT = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)


_OBJECTS = 100_000
"""How many new objects let Python search for unused ones: imports make many, and all of them are used."""

_command = partial(app.command, cls=TaktCommand)


def main() -> None:
    """Run the command line; interrupts and closed pipes end the process as they do any other."""
    for name in ("SIGINT", "SIGPIPE"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    gc.set_threshold(_OBJECTS)
    postpone("polars")
    configure()
    keep_only(app, sys.argv[1:2])
    if sys.stdout is None:  # it was closed before the process began
        _end_without_output(OSError(errno.EBADF, os.strerror(errno.EBADF)))
    if isinstance(sys.stdout, TextIOWrapper):
        codecs.register_error("spelled", command_class.spelled)
        sys.stdout.reconfigure(errors="spelled")
    try:
        try:
            app()
        finally:
            sys.stdout.flush()
    except OSError as error:
        _end_without_output(error)


def _end_without_output(error: OSError) -> NoReturn:
    """End after a write to the standard output has failed; any other error stays one."""
    if error.filename is not None or error.errno not in _NO_OUTPUT:
        raise error
    if sys.stdout is not None:
        os.dup2(
            os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno()
        )  # or Python tries once more, and says so, at its end
    print(f"standard output: cannot write: {error.strerror}", file=sys.stderr)
    sys.exit(ExitStatus.BAD_INPUT)


# ---- takt -------------------------------------------------------------------------------------------


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
        from takt.base.version import __version__

        typer.echo(f"takt {__version__}")
        raise typer.Exit(ExitStatus.DONE)


def _print_sources(is_wanted: bool) -> None:
    if is_wanted:
        from takt.board.firmware import source_folder

        typer.echo(source_folder())
        raise typer.Exit(ExitStatus.DONE)


@app.callback()
def takt_command(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and end.")
    ] = False,
    sources: Annotated[
        bool,
        typer.Option(
            "--sources", callback=_print_sources, is_eager=True, help="Print the folder of the C sources and end."
        ),
    ] = False,
) -> None:
    """One real-time scheduler: simulate task sets, compare policies, prove deadlines, replay traces.

    `takt demo` is the place to begin. Files `examples/...` are in the package: each example of each help runs in any
    folder.

    Exit status: 0 done, 1 internal failure or a replay that differs, 2 bad input, 3 a --check that found a
    miss, a rejected hard task, no proof of schedulability, or a machine that Takt cannot run on.

    Example: `takt run examples/iot_node.toml`
    """


# ---- takt demo, takt new ----------------------------------------------------------------------------

_DEMO = "examples/iot_node.toml"
_QUESTIONS = f"""
Three questions to try next:
  Which policy meets all deadlines?
    takt compare {_DEMO}
  What can be proved of it, and what would help?
    takt analyse {_DEMO}
  What if a frame of multimedia needed 4 ms less?
    takt run {_DEMO} --set multimedia.wcet=8ms
`takt new` begins a task set of your own, `takt help` lists the commands."""


@_command()
def demo(
    page: Annotated[Path, _option("R.html", "Where to write the page.", "--report"), OUTPUT] = Path("takt_demo.html"),
) -> None:
    """Simulate an IoT node, write a page with charts, and name three questions to try.

    Needs no file: what begins with `examples/` is read from the package if it is not in the working folder.

    Example: `takt demo`
    """
    run([Path(_DEMO)], page=page)
    typer.echo(f"\npage: {page}, for any browser\n{_QUESTIONS}")


@_command()
def new(
    task: Annotated[
        list[str] | None, _option("NAME:PERIOD:WCET", "A task, such as sensor:10ms:2ms; may be repeated.", "--task")
    ] = None,
    tasks: Annotated[
        int | None, typer.Option(min=1, max=1000, metavar="N", help="Instead: so many tasks with numbers to change.")
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(metavar="P", help="Policy of the root.", autocompletion=command_class.complete_policies),
    ] = None,
    cpus: Annotated[str | None, _option("N", "Number of processors.")] = None,
    horizon: Annotated[str | None, _option("T", "End of a simulation, such as 2s.")] = None,
    example: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Instead: copy an example such as iot_node, or recipes/automotive.",
            autocompletion=command_class.complete_examples,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="The new file; default: print it, or the example's name."),
        OUTPUT,
    ] = None,
) -> None:
    """Begin a task-set file with comments that say what its keys mean.

    Without an option, in a terminal, it asks for them. It replaces no file.

    Example: `takt new --task sensor:10ms:2ms --task control:25ms:15ms --policy edf -o two.toml`
    """
    from takt.command import new as command

    command.new(command.Wanted(tuple(task or ()), tasks, policy, cpus, horizon), example, output)


# ---- takt run ---------------------------------------------------------------------------------------


Wide = Annotated[bool, typer.Option("--wide", help="Print all columns, also where lines are longer than the terminal.")]
Ticks = Annotated[bool, typer.Option("--ticks", help="Print times in ticks.")]
Files = Annotated[list[Path], typer.Argument(metavar="FILE...", help="Task-set files (TOML).", show_default=False)]
Policies = Annotated[
    str | None,
    typer.Option(
        metavar="P[,P2]",
        help="Policy of the root, or several in turn; FILE.py:CLASS is one in Python, and executes that file with your "
        "rights.",
        autocompletion=command_class.complete_policies,
    ),
]
Edits = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME.KEY=VALUE",
        help="Read the file with another value, such as sensor.wcet=2ms; may be repeated.",
        autocompletion=command_class.complete_edits,
    ),
]
Horizon = Annotated[str | None, _option("T", "End of the run: ticks, or a time such as 2s.")]
Seed = Annotated[str | None, _option("N", "Seed of the random numbers.")]
Budgets = Annotated[Path | None, _option("B.csv", "Write the budget of every server in every tick."), OUTPUT]
Board = Annotated[
    str | None,
    typer.Option(
        metavar="BOARD",
        help="Run on the kernel too, and compare: cortex_m, cortex_m0, cortex_m4f, cortex_m7f, cortex_m33, riscv, "
        "riscv_f or riscv64 (under QEMU), soc (a chip in Verilog, in cycles), posix (in virtual time without "
        "--real-time), linux (threads under sched_ext in an emulated Linux) or linux-host (on this machine).",
        autocompletion=command_class.complete_boards,
    ),
]
Page = Annotated[Path | None, _option("R.html", "Write a page with charts that opens offline.", "--report"), OUTPUT]
Gantt = Annotated[Path | None, _option("G.svg", "Draw a Gantt chart for print: .svg, .pdf or .png."), OUTPUT]
Distance = Annotated[
    str | None,
    _option(
        "D",
        "With --on posix: the scheduler stands at a distance, and each message takes D: a time, "
        "uniform:0:50us, exponential:20us, normal:20us:5us or weibull:20us:1.5.",
    ),
]
EmulatedClock = Annotated[
    str | None, _option("F", "On a board under QEMU: instructions a second, such as 168MHz; default: 15.625MHz.")
]
PlatformOut = Annotated[
    Path | None, _option("P.toml", "Likewise: write the task set with the measured costs as its [platform]."), OUTPUT
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables; times in ticks.")]
Watch = Annotated[bool, typer.Option("--watch", help="Run again whenever a file is saved, until Ctrl-C.")]
Check = Annotated[bool, typer.Option("--check", help="End with status 3 after a miss or a rejected hard task.")]


@_command()
def run(
    files: Files,
    edits: Edits = None,
    policy: Policies = None,
    horizon: Horizon = None,
    segments: Annotated[Path | None, _option("S.csv", "Write which job ran when."), OUTPUT] = None,
    jobs: Annotated[Path | None, _option("J.csv", "Write every job."), OUTPUT] = None,
    budgets: Budgets = None,
    trace: Annotated[Path | None, _option("T.takt", "Record a trace for takt replay."), OUTPUT] = None,
    seed: Seed = None,
    page: Page = None,
    gantt: Gantt = None,
    perfetto: Annotated[Path | None, _option("P", "Write a trace for ui.perfetto.dev."), OUTPUT] = None,
    on: Board = None,
    real_time: Annotated[
        bool, typer.Option("--real-time", help="With --on posix: run by the machine's clock, as long as the horizon.")
    ] = False,
    remote: Distance = None,
    start: Annotated[str | None, _option("T", "With --gantt: begin of the part that is drawn.", "--from")] = None,
    end: Annotated[str | None, _option("T", "With --gantt: its end; default: what is well shown.", "--to")] = None,
    clock: EmulatedClock = None,
    platform_out: PlatformOut = None,
    as_json: AsJson = False,
    check: Check = False,
    is_wide: Wide = False,
    in_ticks: Ticks = False,
    watch: Watch = False,
) -> None:
    """Simulate task sets and print a table with one line for each task.

    With --on, the table shows measured beside simulated times; files are then those of the board, in its ticks.
    With --on linux it also has the bounds of the analysis, and what the kernel switched to is checked.
    With --real-time the process runs by the clock of the machine, and Linux may delay it for any time.
    With --remote, events and decisions are messages that take time, and the table shows how late they came.

    Example: `takt run examples/iot_node.toml --policy fp,edf`
    """
    from takt.command import run as command
    from takt.show.text_tables import Terminal

    outputs = command.Outputs(segments, jobs, budgets, trace, page, gantt, perfetto, platform_out, start, end)
    place = command.Place(on, real_time, remote, clock)
    terminal = Terminal(is_wide=is_wide, in_ticks=in_ticks)
    command.run(files, edits or [], policy, horizon, seed, outputs, place, terminal, as_json=as_json, check=check)


# ---- takt compare -----------------------------------------------------------------------------------


@_command()
def compare(
    files: Files,
    edits: Edits = None,
    policy: Policies = None,
    horizon: Horizon = None,
    seed: Seed = None,
    page: Annotated[
        Path | None,
        _option("R.html", "Write a page with the charts above one another.", "--report"),
        OUTPUT,
    ] = None,
    as_json: AsJson = False,
    check: Check = False,
    is_wide: Wide = False,
    in_ticks: Ticks = False,
) -> None:
    """Simulate a task set under several policies and print their responses and late jobs beside one another.

    Every policy gets the same jobs, random ones too. Default: the policy of the file, then rm, dm
    and edf, as far as they can order its tasks.
    Several files stand beside one another, each under its own policy; tasks of one name are one row.

    Example: `takt compare examples/iot_65.toml examples/iot_110.toml`

    Example: `takt compare examples/iot_node.toml --policy rm,edf,llf --report iot.html`
    """
    from takt.command import run as command
    from takt.show.text_tables import Terminal

    terminal = Terminal(is_wide=is_wide, in_ticks=in_ticks)
    if len(files) > 1:
        command.compare_files(files, edits or [], policy, horizon, seed, page, terminal, as_json=as_json, check=check)
    else:
        command.compare(files[0], edits or [], policy, horizon, seed, page, terminal, as_json=as_json, check=check)


# ---- takt convert -----------------------------------------------------------------------------------


@_command()
def convert(
    source: Annotated[Path, typer.Argument(metavar="IN", help="A task set in any of the formats.", show_default=False)],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="The file to be written.", show_default=False), OUTPUT],
    source_format: Annotated[
        str | None, _option("F", "Read this format; default: by the content of the file.", "--from")
    ] = None,
    target_format: Annotated[str | None, _option("F", "Write this format; default: by the suffix.", "--to")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="End with status 2 if a line is reported.")] = False,
) -> None:
    """Convert a task set between TOML, Cheddar's XML, SimSo's XML, rt-app's JSON and CSV.

    Formats: toml, cheddar, simso, rt-app, csv.

    What a file says and the other format cannot hold is reported on the standard error output, in at most 50 lines
    and a count.

    Example: `takt convert examples/iot_node.toml iot.xml --to simso`
    """
    from takt.command import convert as command

    command.convert(source, target, source_format, target_format, strict)


# ---- takt analyse -----------------------------------------------------------------------------------


NoRemedies = Annotated[bool, typer.Option("--no-remedies", help="Leave out the search for changes that help.")]
Number = Annotated[
    int | None,
    typer.Option("--apply", metavar="N", help="Print the file with the changes up to step N of what helps."),
]
NewFile = Annotated[Path | None, _option("NEW.toml", "With --apply: write it here.", "-o", "--output"), OUTPUT]


@_command("analyze", hidden=True)
@_command()
def analyse(
    files: Files,
    edits: Edits = None,
    policy: Policies = None,
    page: Annotated[
        Path | None,
        _option("R.html", "Write a page with the parts of all bounds, and demand against supply.", "--report"),
        OUTPUT,
    ] = None,
    no_sensitivity: Annotated[
        bool, typer.Option("--no-sensitivity", help="Leave out the sensitivity analysis, which takes longest.")
    ] = False,
    remote: Annotated[
        str | None, _option("L", "The scheduler is at a distance: a message takes at most this time, or ticks.")
    ] = None,
    no_remedies: NoRemedies = False,
    number: Number = None,
    output: NewFile = None,
    reasons: Annotated[str | None, _option("N|all", "How many reasons to print, or all with all their parts.")] = None,
    is_wide: Wide = False,
    in_ticks: Ticks = False,
    as_json: AsJson = False,
    check: Annotated[
        bool, typer.Option("--check", help="End with status 3 unless all deadlines are proved to be met.")
    ] = False,
    watch: Watch = False,
) -> None:
    """Prove what can be proved: worst-case response times, a verdict with its reason, and what helps.

    A verdict holds for all arrivals and all demands that the file allows, whatever its offsets are.

    Example: `takt analyse examples/iot_node.toml`
    """
    from takt.command import analyse as command

    question = command.Question(
        edits=edits or [],
        policy=policy,
        remote=remote,
        sensitivity=not no_sensitivity and number is None,
        remedies=not no_remedies,
        reasons=reasons,
    )
    if number is None and output is None:
        command.analyse(files, question, page, as_json=as_json, check=check, is_wide=is_wide, in_ticks=in_ticks)
    else:
        others = {"--report": page is not None, "--json": as_json}
        command.apply(files, question, number, output, others, check=check)


# ---- takt replay ------------------------------------------------------------------------------------


TraceFile = Annotated[Path, typer.Argument(metavar="T.takt", help="A trace file.", show_default=False)]


@_command()
def replay(
    file: TraceFile,
    perfetto: Annotated[Path | None, _option("P", "Write what ran for ui.perfetto.dev."), OUTPUT] = None,
) -> None:
    """Replay a recorded trace through the scheduler's core and compare every decision.

    With --perfetto also a trace of a program on the kernel, which has no task set, is seen with the names of its
    threads.

    Example: `takt run examples/iot_node.toml --trace iot.takt && takt replay iot.takt`
    """
    from takt.command.terminal import errors_to_stderr
    from takt.run import replay as replaying

    with errors_to_stderr():
        outcome = replaying.replay(file)
        if perfetto is not None:
            from takt.show import perfetto as exporting

            exporting.write_trace(outcome.trace, perfetto)
    if outcome.difference is not None:
        typer.echo(f"{file}: {outcome.text}")
        raise typer.Exit(ExitStatus.FAILED)
    typer.echo(outcome.text)


# ---- takt estimate ----------------------------------------------------------------------------------


@_command()
def estimate(
    file: TraceFile,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE.toml", help="The task set; default: print it."),
        OUTPUT,
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table; times in ticks.")] = False,
    is_wide: Wide = False,
    in_ticks: Ticks = False,
) -> None:
    """Estimate a task set from a trace: of a program on the kernel, a board, Linux or the simulator.

    Periods, jitter and execution times are those that were seen: no trace shows the worst case. What is a guess, and
    what is not known, is in the comments of the file and in the table.

    Example: `takt run examples/iot_node.toml --trace iot.takt && takt estimate iot.takt -o seen.toml`
    """
    from takt.command import estimate as command
    from takt.show.text_tables import Terminal

    command.estimate(file, output, Terminal(is_wide=is_wide, in_ticks=in_ticks), as_json=as_json)


# ---- takt generate ----------------------------------------------------------------------------------


@_command()
def generate(
    file: Annotated[
        Path | None, typer.Argument(metavar="RECIPE", help="A recipe file (TOML).", show_default=False)
    ] = None,
    count: Annotated[str, _option("N", "Number of task sets.")] = "1",
    seed: Annotated[str, _option("N", "Seed of the random numbers.")] = "0",
    first: Annotated[str, _option("N", "Number of the first set.")] = "0",
    output: Annotated[
        Path | None, _option("DIR", "Write a file for each set here; default: print the one set."), OUTPUT
    ] = None,
    tasks: Annotated[str | None, _option("X", "Number of tasks per set.")] = None,
    utilization: Annotated[str | None, _option("X", "Sum of the shares.")] = None,
    shares: Annotated[str | None, _option("X", "uunifast, uunifast-discard, fixed-sum, drs or automotive.")] = None,
    periods: Annotated[
        str | None,
        _option(
            "X",
            "log-uniform, uniform, harmonic, automotive, or a list such as 10ms,20ms; default: that of the recipe, "
            "without one round periods that divide the longest.",
        ),
    ] = None,
    period_min: Annotated[str | None, _option("X", "The shortest period.")] = None,
    period_max: Annotated[str | None, _option("X", "The longest period.")] = None,
    deadlines: Annotated[str | None, _option("X", "implicit, constrained or arbitrary.")] = None,
    priorities: Annotated[str | None, _option("X", "dm, rm or random.")] = None,
    policy: Annotated[str | None, _option("X", "Policy of the root.")] = None,
    resolution: Annotated[str | None, _option("X", "Length of a tick.")] = None,
) -> None:
    """Draw task sets at random, each as a file for the other commands.

    A set follows from recipe, seed and number alone: the same three give the same file. The options from --tasks on
    replace keys of the recipe, or are one.

    Example: `takt generate examples/recipes/automotive.toml --count 3 --seed 7 --output sets`
    """
    keys = dict(locals())  # options stand under the names of the keys that they replace
    from takt.command import generate as command

    command.generate(file, keys, count, seed, first, output)


# ---- takt study -------------------------------------------------------------------------------------


@_command()
def study(
    file: Annotated[Path, typer.Argument(metavar="STUDY.toml", help="A study file.", show_default=False)],
    workers: Annotated[
        int | None, typer.Option(min=1, max=1024, metavar="N", help="Processes; default: one for each processor.")
    ] = None,
    output: Annotated[Path | None, _option("DIR", "Folder for the results."), OUTPUT] = None,
    scheduler: Annotated[
        str | None, _option("ADDRESS", "Compute on a Dask cluster, such as tcp://10.0.0.1:8786.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
    plot: Annotated[Path | None, _option("F.svg", "Draw a figure of each measure: .svg, .pdf or .png."), OUTPUT] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Delete the results in the folder and start again.")] = False,
    is_wide: Wide = False,
) -> None:
    """Evaluate tests and simulations for many task sets at each point of a grid.

    Finished chunks are kept: a study that ended early continues from there when it is started again.

    Example: `takt study examples/studies/acceptance.toml --plot acceptance.svg`
    """
    from takt.command import study as command

    command.study(file, workers, scheduler, output, as_json=as_json, plot=plot, fresh=fresh, is_wide=is_wide)


# ---- takt schema ------------------------------------------------------------------------------------


@_command()
def schema(
    recipe: Annotated[bool, typer.Option("--recipe", help="Schema of recipes (takt generate).")] = False,
    of_study: Annotated[bool, typer.Option("--study", help="Schema of studies (takt study).")] = False,
) -> None:
    """Print the JSON schema of task-set files, for editors.

    Example: `takt schema > taskset.schema.json`
    """
    from takt.command.schema import recipe_schema, study_schema, taskset_schema

    make = study_schema if of_study else recipe_schema if recipe else taskset_schema
    typer.echo(json.dumps(make(), indent=2))


# ---- takt policies ----------------------------------------------------------------------------------


@_command()
def policies(is_wide: Wide = False) -> None:
    """List the policies, the kinds of servers, the protocols of resources and where a scheduler may run.

    Example: `takt policies`
    """
    from takt.command import policies as command

    command.policies(is_wide)


# ---- takt help --------------------------------------------------------------------------------------


@_command("help")
def help_command(
    words: Annotated[list[str] | None, typer.Argument(metavar="[COMMAND]", show_default=False)] = None,
    man: Annotated[
        bool, typer.Option("--man", help="Print the manual page of all commands, or of the named one, as roff.")
    ] = False,
) -> None:
    """Print the help of a command, as its option --help does.

    `takt help --man > takt.1` writes the manual page, `man ./takt.1` shows it.

    Example: `takt help run`
    """
    from takt.command import help as command

    root = typer.main.get_command(app)
    (command.print_page if man else command.print_help)(root, words or [])
