# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The command of a study: run it, write its files, print the verdicts."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

import polars as pl
from rich.console import Console
from rich.table import Table as TextTable
from takt.base import csv_files, output_files

from studies.common import page, plots
from studies.common.study import Study

BUILD = Path("build/studies")


def run_study(make: Callable[[bool], Study], arguments: Sequence[str] | None = None) -> None:
    """Run a study as its command does.

    Args:
        make: makes the study; whether to cut the sweeps short.
        arguments: of the command line; default: those of the program.
    """
    parser = argparse.ArgumentParser(description="Make a paper's tables and figures again, and judge its claims.")
    parser.add_argument("--quick", action="store_true", help="cut the sweeps short")
    parser.add_argument("--out", type=Path, default=BUILD, help="folder for the folders of studies (%(default)s)")
    options = parser.parse_args(arguments)
    study = make(options.quick)
    path = write(study, options.out)
    _print(study, path)


def write(study: Study, folder: Path) -> Path:
    """Write the tables, plots and claims of a study, and its page.

    Returns:
        The page.
    """
    home = folder / study.name
    home.mkdir(parents=True, exist_ok=True)
    csv_files.write(home / "claims.csv", claims_frame(study))
    for table in (table for section in study.sections for table in section.tables):
        csv_files.write(home / f"{table.name}.csv", table.frame)
    pictures = {}
    for plot in (plot for section in study.sections for plot in section.plots):
        plots.save(plot.figure, home / plot.name)
        pictures[plot.name] = (home / f"{plot.name}.svg").read_bytes()
    path = home / "index.html"
    output_files.write(path, page.render(study, pictures).encode())
    return path


def claims_frame(study: Study) -> pl.DataFrame:
    """Return the claims as the file claims.csv does; numbers are name=value, separated by spaces."""
    rows = [
        (
            *(claim.id, claim.where, claim.paper, claim.ours, claim.verdict.value, claim.why),
            " ".join(f"{name}={value:.10g}" for name, value in claim.numbers.items()),
        )
        for claim in study.claims
    ]
    return pl.DataFrame(rows, schema=["id", "where", "paper", "ours", "verdict", "why", "numbers"], orient="row")


def _print(study: Study, path: Path) -> None:
    """Print one line for each claim, and where the page is."""
    table = TextTable(title=study.title, title_justify="left", box=None)
    for heading in ("claim", "verdict", "our result"):
        table.add_column(heading, overflow="fold")
    for claim in study.claims:
        table.add_row(claim.id, claim.verdict.value, claim.ours)
    console = Console()
    console.print(table, markup=False)
    console.print(f"page: {path}", markup=False, highlight=False, soft_wrap=True)
