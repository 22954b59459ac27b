# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Command `takt study`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import polars as pl
import typer

from takt.base.errors import ExitStatus, InputError, Problem
from takt.base.version import __version__
from takt.command.terminal import errors_to_stderr, progress_bar
from takt.show import study_results
from takt.show.text_tables import Terminal
from takt.study.description import Study, load
from takt.study.running import run
from takt.study.workers import GO_ON, StudyError


def study(
    file: Path,
    workers: int | None,
    scheduler: str | None,
    output: Path | None,
    *,
    as_json: bool,
    plot: Path | None,
    fresh: bool,
    is_wide: bool,
) -> None:
    """Run a study or continue it; print what it found, and draw it if there is a file for that."""
    with errors_to_stderr():
        if workers is not None and scheduler is not None:
            message = "expected --workers or --scheduler, which has workers of its own, found both; leave one out"
            raise InputError([Problem(message, "conflict", key="--workers")])
        found = load(file)
        figures = {} if plot is None else study_results.paths_of(found, plot)
        result = _run(found, workers, scheduler, output, fresh)
        if as_json:
            rows = result.to_dicts()
            document = {"version": __version__, "study": found.name, "hash": found.digest, "results": rows}
            typer.echo(json.dumps(document, indent=2))
        else:
            study_results.print_result(Terminal(is_wide=is_wide), found, result)
        for kind, path in figures.items():
            study_results.draw(found, result, kind, path)


def _run(study: Study, workers: int | None, scheduler: str | None, output: Path | None, fresh: bool) -> pl.DataFrame:
    """Run a study; an interrupt says that nothing is lost, and ends the process."""
    with progress_bar(study.name, study.sets) as progress:
        try:
            return run(
                study,
                workers=workers,
                scheduler=scheduler,
                output=output,
                fresh=fresh,
                progress=progress,
                tell=_tell,
            )
        except StudyError as error:
            _tell(str(error))
            raise typer.Exit(ExitStatus.FAILED) from None
        except KeyboardInterrupt:
            _tell(GO_ON)
            raise


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
