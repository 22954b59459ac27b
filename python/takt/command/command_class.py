# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Class of all commands: options that are repeated, outputs that are inputs, files of the package, and --watch."""

from __future__ import annotations

from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any, get_type_hints

import typer
from typer.core import TyperCommand, TyperOption

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
                from takt.base.errors import InputError, Problem
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
                typer.echo(f"{path}: read from the package; takt new --example {name} copies it", err=True)
            if ctx.params.get("watch"):
                return watching.repeat(inputs, partial(super().invoke, ctx))
            return super().invoke(ctx)


def _python_files(policies: str | None) -> list[Path]:
    """Return the files of policies in Python."""
    parts = [part.strip().rpartition(":")[0] for part in (policies or "").split(",")]
    return [Path(part) for part in parts if part.endswith(".py")]
