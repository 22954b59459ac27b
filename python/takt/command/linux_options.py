# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Commands `takt linux`: their options and help. What a command does is imported when it is called, as in main.py."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from takt.command.command_class import OUTPUT, TaktCommand
from takt.command.command_class import option as _option

linux = typer.Typer(name="linux", no_args_is_help=True, help="Takt's scheduler under Linux.")


@linux.command("check", cls=TaktCommand)
def linux_check(
    root: Annotated[Path, _option("DIR", "Where proc, sys and boot of the machine are.")] = Path("/"),
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Say what this machine has and lacks for Takt under sched_ext, and the remedy.

    Exit status: 0 if Takt can run, with what is reported as reduced; 3 if something is missing.

    Example: `takt linux check`
    """
    from takt.command import linux as command

    command.check_machine(root, as_json)


Socket = Annotated[Path, _option("PATH", "The socket of taktd; default: /run/takt/taktd.sock.", "--socket")]
_SOCKET = Path("/run/takt/taktd.sock")


@linux.command("daemon", cls=TaktCommand)
def linux_daemon(
    socket: Socket = _SOCKET,
    mode: Annotated[str, _option("OCTAL", "Of the file of the socket.")] = "0660",
    group: Annotated[str | None, _option("GROUP", "Likewise: its members may join. Default: that of the user.")] = None,
    full: Annotated[
        bool, typer.Option("--full", help="Schedule the fair class too, while no task is selected.")
    ] = False,
    others: Annotated[
        str | None, _option("TASK", "With --full: and while this task is, an aperiodic one in a server.")
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


@linux.command("load", cls=TaktCommand)
def linux_load(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A task-set file (TOML).", show_default=False)],
    policy: Annotated[str | None, _option("P", "Policy of the root; default: that of the file.")] = None,
    horizon: Annotated[
        str | None, _option("T", "Detach after this time; default: never, but for 2^32 jobs of a task.")
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


@linux.command("status", cls=TaktCommand)
def linux_status(
    once: Annotated[bool, typer.Option("--once", help="Print it once, also in a terminal.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, once.")] = False,
    socket: Socket = _SOCKET,
) -> None:
    """Show what taktd decides: processors, tasks and their threads; in a terminal until Ctrl-C.

    Example: `takt linux status --once`
    """
    from takt.command import taktd as command

    command.show_status(socket, once, as_json)


@linux.command("detach", cls=TaktCommand)
def linux_detach(socket: Socket = _SOCKET) -> None:
    """End the task set that decides: its threads continue in the fair class.

    Example: `takt linux detach`
    """
    from takt.command import taktd as command

    command.detach(socket)


@linux.command("trace", cls=TaktCommand)
def linux_trace(
    target: Annotated[Path, typer.Argument(metavar="T.takt", help="The trace file.", show_default=False), OUTPUT],
    socket: Socket = _SOCKET,
) -> None:
    """Write the trace of the task set that was detached last, for takt replay.

    Example: `takt linux trace node.takt && takt replay node.takt`
    """
    from takt.command import taktd as command

    command.trace(target, socket)
