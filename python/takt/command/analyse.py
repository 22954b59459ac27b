# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Command `takt analyse`."""

from __future__ import annotations

import json
from pathlib import Path

import typer
from rich.console import Console

from takt.analysis.analyse import analyse as analyse_system
from takt.base import times
from takt.base.errors import ExitStatus, InputError
from takt.base.version import __version__
from takt.command.task_sets import as_option, systems_of
from takt.command.terminal import errors_to_stderr
from takt.files.edits import as_key, label
from takt.show import analysis_text


def analyse(
    files: list[Path],
    edits: list[str],
    policy: str | None,
    page: Path | None,
    remote: str | None,
    *,
    as_json: bool,
    check: bool,
    sensitivity: bool,
) -> None:
    """Analyse files, under each requested policy; print the results, and write a page if one is requested."""
    with errors_to_stderr():
        systems = [(file, system) for file in files for system in systems_of(file, policy, edits)]
        units = [times.unit_of(system.resolution) for _, system in systems]
        analyses = []
        for file, system in systems:
            try:
                found = analyse_system(system, remote=times.written(remote or "0"), sensitivity=sensitivity)
            except InputError as error:
                raise as_option("--remote", error).in_file(label(file, edits)) from None
            analyses.append(found)
        if page is not None:
            from takt.show import analysis_page as pages

            pages.write(list(zip(analyses, units, strict=True)), page)
    if as_json:
        documents = [
            analysis_text.as_json(analysis, str(file)) | as_key(edits)
            for analysis, (file, _) in zip(analyses, systems, strict=True)
        ]
        typer.echo(json.dumps({"version": __version__, "analyses": documents}, indent=2))
    else:
        console = Console()
        for number, (unit, analysis) in enumerate(zip(units, analyses, strict=True)):
            console.print() if number > 0 else None
            analysis_text.print_analysis(console, analysis, unit)
    if check and not all(analysis.is_schedulable for analysis in analyses):
        raise typer.Exit(ExitStatus.CHECK_FAILED)
