"""The command `takt convert`; SPEC.md, 7.2."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from takt import catalogue, formats
from takt.errors import ExitStatus, InputError, Problem, show
from takt.terminal import errors_to_stderr


def convert_command(
    source: Annotated[Path, typer.Argument(metavar="IN", help="A task set: TOML, XML or CSV.", show_default=False)],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="The file to be written.", show_default=False)],
    source_format: Annotated[
        str | None, typer.Option("--from", metavar="F", help="Read this format; default: what the file says itself.")
    ] = None,
    target_format: Annotated[
        str | None, typer.Option("--to", metavar="F", help="Write this format; default: what the suffix says.")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="End with status 2 if anything is lost.")] = False,
) -> None:
    """Convert a task set between TOML, Cheddar's XML, SimSo's XML and CSV; formats: toml, cheddar, simso, csv.

    What a file says and the other format cannot hold is told on the standard error output, a line for each.

    Example: `takt convert examples/iot_node.toml iot.xml --to simso`
    """
    with errors_to_stderr():
        _check_format("--from", source_format)
        _check_format("--to", target_format)
        imported = formats.read(source, source_format)
        losses = formats.write(imported.system, target, target_format)
    warnings = [*imported.warnings, *(replace(loss, file=str(target)) for loss in losses)]
    for warning in warnings:
        typer.echo(str(warning), err=True)
    if strict and warnings:
        raise typer.Exit(ExitStatus.BAD_INPUT)


def _check_format(option: str, name: str | None) -> None:
    """Check the name of a format."""
    if name is not None and name not in formats.FORMATS:
        message = f"unknown format {show(name)}; {catalogue.alternatives(name, formats.FORMATS)}"
        raise InputError([Problem(message, "unknown-word", key=option)])
