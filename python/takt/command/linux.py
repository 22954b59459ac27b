# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The commands `takt linux`: their options and help. What calls taktd, or starts it, is in taktd.py."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from takt.base.errors import ExitStatus
from takt.command.command_class import OUTPUT, TaktCommand, option

app = typer.Typer(name="linux", no_args_is_help=True, help="Takt's scheduler under Linux.")


@app.command("check", cls=TaktCommand)
def check_machine(
    root: Annotated[Path, option("DIR", "Where proc, sys and boot of the machine are.")] = Path("/"),
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Say what this machine has and lacks for Takt under sched_ext, and the remedy.

    Exit status: 0 if Takt can run, with what is reported as reduced; 3 if something is missing.

    Example: `takt linux check`
    """
    from takt.base.version import __version__
    from takt.command.terminal import errors_to_stderr
    from takt.linux import check
    from takt.show.text_tables import Terminal, text_columns

    is_here = root == Path("/")
    with errors_to_stderr():
        findings = check.check(root)
        if is_here:
            from takt.linux import board  # it imports numpy

            findings = check.with_trial(findings, check.programs(board.place_of_programs()))
    missing = [finding.what for finding in findings if finding.state == "missing"]
    if as_json:
        document = {"version": __version__, "can_run": not missing, "findings": [asdict(one) for one in findings]}
        typer.echo(json.dumps(document, indent=2))
    else:
        rows = [(one.what, one.state, one.found, one.wanted) for one in findings]
        terminal = Terminal()
        terminal.print("Takt under Linux", "title")
        terminal.print_table(text_columns(("", "state", "found", "wanted"), rows))
        for one in findings:
            if one.remedy:
                terminal.print(f"{one.what}: {one.remedy}", indent=2)
        can = "can run here" if is_here else "can run here by these files, if its kernel loads the programs"
        verdict = f"cannot run here: {', '.join(missing)}" if missing else can
        terminal.print(f"\nTakt {verdict}")
    if missing:
        raise typer.Exit(ExitStatus.CHECK_FAILED)


Socket = Annotated[Path, option("PATH", "The socket of taktd; default: /run/takt/taktd.sock.", "--socket")]
_SOCKET = Path("/run/takt/taktd.sock")


@app.command("daemon", cls=TaktCommand)
def daemon(
    socket: Socket = _SOCKET,
    mode: Annotated[str, option("OCTAL", "Of the file of the socket.")] = "0660",
    group: Annotated[str | None, option("GROUP", "Likewise: its members may join. Default: that of the user.")] = None,
    full: Annotated[
        bool, typer.Option("--full", help="Schedule the fair class too, while no task is selected.")
    ] = False,
    others: Annotated[
        str | None, option("TASK", "With --full: and while this task is, an aperiodic one in a server.")
    ] = None,
) -> None:
    """Run taktd, the scheduler of this machine, until Ctrl-C or SIGTERM.

    Needs root, or CAP_BPF, CAP_PERFMON and CAP_SYS_NICE.

    Example: `takt linux daemon --group takt`
    """
    from takt.command import taktd as command

    words = ["--socket", str(socket), "--mode", mode, *(["--full"] if full else [])]
    named = {"--group": group, "--others": others}
    command.start([*words, *(word for name, value in named.items() if value is not None for word in (name, value))])


@app.command("load", cls=TaktCommand)
def load(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A task-set file (TOML).", show_default=False)],
    policy: Annotated[str | None, option("P", "Policy of the root; default: that of the file.")] = None,
    horizon: Annotated[
        str | None, option("T", "Detach after this time; default: never, but for 2^32 jobs of a task.")
    ] = None,
    cpu: Annotated[
        int | None, typer.Option("--cpu", min=0, metavar="N", help="The processor; default: that of the file, or 0.")
    ] = None,
    wait: Annotated[
        bool, typer.Option("--wait", help="Instant 0 is when a thread has joined for each task; default: at once.")
    ] = False,
    socket: Socket = _SOCKET,
) -> None:
    """Let a task set decide on this machine, which runs taktd: programs join as its tasks.

    Needs root, or the user that runs taktd. A running set is not replaced: detach it first.

    Example: `takt linux load examples/iot_node.toml --policy edf`
    """
    from takt.command import taktd as command

    command.load(file, policy, horizon, cpu, socket, when_joined=wait)


@app.command("status", cls=TaktCommand)
def status(
    once: Annotated[bool, typer.Option("--once", help="Print it once, also in a terminal.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, once.")] = False,
    socket: Socket = _SOCKET,
) -> None:
    """Show what taktd decides: processors, tasks and their threads; in a terminal until Ctrl-C.

    Example: `takt linux status --once`
    """
    from takt.command import taktd as command

    command.show_status(socket, once, as_json)


@app.command("detach", cls=TaktCommand)
def detach(socket: Socket = _SOCKET) -> None:
    """End the task set that decides: its threads continue in the fair class.

    Example: `takt linux detach`
    """
    from takt.command import taktd as command

    command.detach(socket)


@app.command("trace", cls=TaktCommand)
def trace(
    target: Annotated[Path, typer.Argument(metavar="T.takt", help="The trace file.", show_default=False), OUTPUT],
    socket: Socket = _SOCKET,
) -> None:
    """Write the trace of the task set that was detached last, for takt replay.

    Example: `takt linux trace node.takt && takt replay node.takt`
    """
    from takt.command import taktd as command

    command.trace(target, socket)
