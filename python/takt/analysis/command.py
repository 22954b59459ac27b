"""The command `takt analyse`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

import takt
from takt import times
from takt.analysis.analyse import analyse
from takt.analysis.text import as_json, print_analysis
from takt.errors import ExitStatus
from takt.terminal import errors_to_stderr


def analyse_command(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Task-set files (TOML).", show_default=False)],
    policy: Annotated[str | None, typer.Option(metavar="P", help="Order the root by this policy.")] = None,
    page: Annotated[
        Path | None, typer.Option("--report", metavar="R.html", help="Write a page with demand against supply.")
    ] = None,
    is_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables; times in ticks.")] = False,
    check: Annotated[
        bool, typer.Option("--check", help="End with status 3 if deadlines are not proved to be met.")
    ] = False,
) -> None:
    """Prove what can be proved: worst-case response times, a verdict with its reason, and what would fit.

    A verdict holds for all arrivals and all demands that the file allows, whatever its offsets are.

    Example: `takt analyse examples/iot_node.toml`
    """
    with errors_to_stderr():
        systems = [takt.load(file) for file in files]
        if policy is not None:
            systems = [system.replace(policy=policy) for system in systems]
        analyses = [analyse(system) for system in systems]
        if page is not None:
            from takt.analysis import page as pages

            units = [times.unit_of(system.resolution) for system in systems]
            pages.write(list(zip(analyses, units, strict=True)), page)
    if is_json:
        found = [as_json(analysis, str(file)) for analysis, file in zip(analyses, files, strict=True)]
        typer.echo(json.dumps({"version": takt.__version__, "analyses": found}, indent=2))
    else:
        console = Console()
        for number, (system, analysis) in enumerate(zip(systems, analyses, strict=True)):
            console.print() if number > 0 else None
            print_analysis(console, analysis, times.unit_of(system.resolution))
    if check and not all(analysis.is_schedulable for analysis in analyses):
        raise typer.Exit(ExitStatus.CHECK_FAILED)
