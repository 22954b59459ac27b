"""What `takt analyse` does."""

from __future__ import annotations

import json
from pathlib import Path

import typer
from rich.console import Console

import takt
from takt import times
from takt.analysis import text
from takt.errors import ExitStatus
from takt.terminal import errors_to_stderr


def analyse(files: list[Path], policy: str | None, page: Path | None, *, as_json: bool, check: bool) -> None:
    """Analyse files, under a policy if there is one; print what is found, and write it on a page if there is one."""
    with errors_to_stderr():
        systems = [takt.load(file) for file in files]
        if policy is not None:
            systems = [system.replace(policy=policy) for system in systems]
        analyses = [takt.analyse(system) for system in systems]
        if page is not None:
            from takt.analysis import page as pages

            units = [times.unit_of(system.resolution) for system in systems]
            pages.write(list(zip(analyses, units, strict=True)), page)
    if as_json:
        found = [text.as_json(analysis, str(file)) for analysis, file in zip(analyses, files, strict=True)]
        typer.echo(json.dumps({"version": takt.__version__, "analyses": found}, indent=2))
    else:
        console = Console()
        for number, (system, analysis) in enumerate(zip(systems, analyses, strict=True)):
            console.print() if number > 0 else None
            text.print_analysis(console, analysis, times.unit_of(system.resolution))
    if check and not all(analysis.is_schedulable for analysis in analyses):
        raise typer.Exit(ExitStatus.CHECK_FAILED)
