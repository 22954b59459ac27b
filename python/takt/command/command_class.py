# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Class of all commands: options that are repeated, outputs that are inputs, files of the package, and --watch.

Beside it: which commands an application has in one call, how signs are spelled that an output does not know, and the
values of options that shells complete.
"""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections import Counter
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, get_type_hints
from unicodedata import combining

import typer
from typer.core import TyperCommand, TyperOption

from takt.base.errors import InputError

OUTPUT = "an output"
"""Marks a parameter that names a file, or a folder, to be written; every other path is only read."""


def option(metavar: str, help_text: str, *names: str) -> Any:
    """Return an option with a value; without names it is called as its parameter."""
    return typer.Option(*names, metavar=metavar, help=help_text)


class TaktCommand(TyperCommand):
    """A command that loses nothing silently: neither one of two values of an option, nor an input to an output.

    With `--watch` it is repeated.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse options that are given again, then parse as ever; flags may be repeated."""
        if not ctx.resilient_parsing:
            *_, given = self.make_parser(ctx).parse_args(args=list(args))
            options = [part for part in given if isinstance(part, TyperOption) and not (part.is_flag or part.multiple)]
            repeated = {name: n for name, n in Counter(option.opts[-1] for option in options).items() if n > 1}
            if repeated:
                from takt.base.errors import Problem
                from takt.command.terminal import errors_to_stderr

                messages = {
                    name: f"expected once, found {n} times; leave all but one out" for name, n in repeated.items()
                }
                with errors_to_stderr():
                    raise InputError([Problem(message, "conflict", key=name) for name, message in messages.items()])
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Refuse outputs that are inputs, then run the command with its inputs protected."""
        from takt.base import input_files, output_files
        from takt.command.terminal import errors_to_stderr

        hints = get_type_hints(self.callback, include_extras=True)
        inputs, outputs = list[Path](), dict[str, Path]()
        for parameter in self.params:
            value = ctx.params.get(parameter.name)
            paths = [one for one in (value if isinstance(value, (list, tuple)) else [value]) if isinstance(one, Path)]
            if OUTPUT in getattr(hints[parameter.name], "__metadata__", ()):
                name = parameter.opts[-1] if parameter.opts[-1].startswith("-") else str(parameter.metavar)
                outputs.update((name, path) for path in paths)
            else:
                inputs += paths
        with output_files.inputs_protected():
            with errors_to_stderr():
                output_files.check_outputs(
                    (path for path in inputs if str(path) != input_files.STANDARD_STREAM), outputs
                )
                if ctx.params.get("watch"):
                    from takt.command import watching

                    inputs += _python_files(ctx.params.get("policy"))
                    watching.check(inputs, has_check=bool(ctx.params.get("check")))
            for path in filter(input_files.packaged, inputs):
                name = path.relative_to("examples").as_posix().removesuffix(".toml")
                _note(f"{path}: read from the package; takt new --example {name} copies it")
            if ctx.params.get("watch"):
                return watching.repeat(inputs, partial(super().invoke, ctx))
            return super().invoke(ctx)


def _note(text: str) -> None:
    """Write a line to the standard error, as long as a terminal is wide."""
    if sys.stderr is not None and sys.stderr.isatty():
        text = textwrap.fill(text, shutil.get_terminal_size().columns, break_on_hyphens=False)
    typer.echo(text, err=True)


def _python_files(policies: str | None) -> list[Path]:
    """Return the files of policies in Python."""
    parts = [part.strip().rpartition(":")[0] for part in (policies or "").split(",")]
    return [Path(part) for part in parts if part.endswith(".py")]


def keep_only(app: typer.Typer, words: list[str]) -> None:
    """Leave out the commands that are not called, since options are made for each; help and completion need all."""
    names = {each.name or str(getattr(each.callback, "__name__", "")): each for each in app.registered_commands}
    called = [each for name, each in names.items() if name in words and name != "help"]
    if called:
        app.registered_commands, app.registered_groups = called, []


def spelled(error: UnicodeError) -> tuple[str, int]:
    """Return what stands for signs that the standard output does not know: "us" for microseconds, "-" for a rule."""
    assert isinstance(error, UnicodeEncodeError)
    part = error.object[error.start : error.end]
    known = {"\u00a0": " ", "\u00b5": "u", "\u2026": "~", "\u2500": "-"}
    return "".join(known.get(sign, "" if combining(sign) else "?") for sign in part), error.end


# ---- values of options, for shells ------------------------------------------------------------------


def complete_policies(incomplete: str) -> list[str]:
    """Complete the last of some policies."""
    from takt.model import catalogue

    before, comma, last = incomplete.rpartition(",")
    return [before + comma + policy.name for policy in catalogue.policies() if policy.name.startswith(last)]


def complete_boards(incomplete: str) -> list[str]:
    """Complete the name of a board."""
    from takt.board import emulation

    return [name for name in (*emulation.BOARDS, *emulation.LINUX_BOARDS) if name.startswith(incomplete)]


def complete_edits(context: typer.Context, incomplete: str) -> list[str]:
    """Complete table and key of an edit; names are those of the first file, if it can be read."""
    from takt.files import edits, task_set_reading

    document = dict[str, Any]()
    for file in context.args[:1]:  # words before an option without its value are not parsed
        with suppress(InputError):
            document = task_set_reading.read(file)
    return edits.completions(document, incomplete)


def complete_examples(incomplete: str) -> list[str]:
    """Complete the name of an example of the package."""
    from takt.base import input_files

    return [name for name in input_files.examples() if name.startswith(incomplete)]
