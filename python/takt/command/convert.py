# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Command `takt convert`; SPEC.md, 7.2."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import typer

from takt import formats
from takt.base.errors import ExitStatus, InputError, Problem, lines_of, show
from takt.base.input_files import STANDARD_STREAM
from takt.command.terminal import errors_to_stderr
from takt.model import catalogue


def convert(source: Path, target: Path, source_format: str | None, target_format: str | None, strict: bool) -> None:
    """Convert a file, and report what is lost; `strict` makes a loss an error."""
    with errors_to_stderr():
        _check_format("--from", source_format)
        _check_format("--to", target_format)
        imported = formats.read(source, source_format)
        written = Path("/dev/stdout") if str(target) == STANDARD_STREAM else target
        losses = formats.write(imported.system, written, target_format)
    warnings = [*imported.warnings, *(replace(loss, file=str(target)) for loss in losses)]
    if warnings:
        typer.echo(lines_of(warnings), err=True)
    if strict and warnings:
        raise typer.Exit(ExitStatus.BAD_INPUT)


def _check_format(option: str, name: str | None) -> None:
    if name is not None and name not in formats.FORMATS:
        message = f"unknown format {show(name)}; {catalogue.alternatives(name, formats.FORMATS)}"
        raise InputError([Problem(message, "unknown-word", key=option)])
