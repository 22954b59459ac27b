# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Command `takt estimate`."""

from __future__ import annotations

import json
from pathlib import Path

import typer

from takt.base import output_files
from takt.command.terminal import errors_to_stderr
from takt.files import trace_file
from takt.run import estimation
from takt.show import estimate_text
from takt.show.text_tables import Terminal


def estimate(file: Path, output: Path | None, terminal: Terminal, *, as_json: bool) -> None:
    """Estimate the task set of a trace; write it, or print it if nothing else is printed."""
    with errors_to_stderr():
        found = estimation.estimate(trace_file.read(file))
        text = estimate_text.to_file(found)
        if output is not None:
            output_files.write(output, text.encode())
    if as_json:
        typer.echo(json.dumps(estimate_text.to_json(found), indent=2))
    elif output is None:
        typer.echo(text, nl=False)
    else:
        estimate_text.print_estimation(found, terminal)
