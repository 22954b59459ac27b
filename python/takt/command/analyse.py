# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Command `takt analyse`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import typer

from takt.analysis.analyse import analyse as analyse_system
from takt.base import times
from takt.base.errors import ExitStatus, InputError, Problem, show
from takt.base.version import __version__
from takt.command.task_sets import as_option, systems_of
from takt.command.terminal import errors_to_stderr
from takt.files.edits import as_key, label
from takt.show import analysis_text
from takt.show.text_tables import Terminal


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
    reasons: str | None = None,
    is_wide: bool = False,
    in_ticks: bool = False,
) -> None:
    """Analyse files, under each requested policy; print the results, and write a page if one is requested."""
    with errors_to_stderr():
        systems = [(file, system) for file in files for system in systems_of(file, policy, edits)]
        most = _most_of(reasons)
        analyses = []
        for file, system in systems:
            try:
                found = analyse_system(system, remote=times.written(remote or "0"), sensitivity=sensitivity)
            except InputError as error:
                raise as_option("--remote", error).in_file(label(file, edits)) from None
            analyses.append(found)
        if page is not None:
            from takt.show import analysis_page as pages

            pages.write(analyses, page)
    if as_json:
        documents = [
            analysis_text.as_json(analysis, str(file)) | as_key(edits)
            for analysis, (file, _) in zip(analyses, systems, strict=True)
        ]
        typer.echo(json.dumps({"version": __version__, "analyses": documents}, indent=2))
    else:
        terminal = Terminal(is_wide=is_wide, in_ticks=in_ticks)
        for number, analysis in enumerate(analyses):
            terminal.print() if number > 0 else None
            name = analysis.name if policy is None else f"{analysis.name} under {analysis.policy}"
            analysis_text.print_analysis(terminal, replace(analysis, name=name), most)
    if check and not all(analysis.is_schedulable for analysis in analyses):
        raise typer.Exit(ExitStatus.CHECK_FAILED)


def _most_of(reasons: str | None) -> int | None:
    """Return how many reasons are printed; None: all."""
    if reasons is None:
        return analysis_text.REASONS
    if reasons == "all":
        return None
    if reasons.isascii() and reasons.isdigit() and len(reasons) < 6:
        return int(reasons)
    raise InputError([Problem(f'expected a number or "all", found {show(reasons)}', "out-of-range", key="--reasons")])
