# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Command `takt generate`: recipes in, task-set files out."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

from takt.base.errors import InputError, Problem, show, system_error
from takt.command.terminal import errors_to_stderr, progress_bar
from takt.draw.readable import readable, round_periods
from takt.draw.recipe import MAX_NUMBER, Recipe
from takt.files.edits import value_of
from takt.files.recipe_reading import with_options
from takt.files.task_set_writing import save, texts_of, to_toml
from takt.model.system import System


def generate(
    file: Path | None, options: dict[str, Any], count: str, seed: str, first: str, output: Path | None
) -> None:
    """Draw task sets after a recipe whose keys are replaced by options that are not None; print or write them."""
    with errors_to_stderr():
        known = Recipe.keys()
        keys = dict[str, object]()  # as a file would have them; texts need no quotes, and lists no brackets
        for key, text in options.items():
            if key in known and text is not None:
                parts = [value_of(part.strip()) for part in text.split(",")]
                keys[key] = parts if key == "periods" and len(parts) > 1 else value_of(text)
        recipe = with_options(file, keys)
        if file is None and "periods" not in keys and (periods := round_periods(recipe)):
            ranges = ("period_min", "period_max")
            recipe = with_options(file, {key: keys[key] for key in keys if key not in ranges} | {"periods": periods})
        begin = _whole("--first", first, 0, MAX_NUMBER)
        numbers = range(begin, begin + _whole("--count", count, 1, MAX_NUMBER - begin + 1))
        drawn_by = _whole("--seed", seed, 0, 2**64 - 1)
        if output is None and len(numbers) > 1:
            message = f"missing; {len(numbers)} sets need a folder, for instance --output sets"
            raise InputError([Problem(message, "missing", key="--output")])
        if output is None:
            system, origin = _system(recipe, drawn_by, begin, file), _origin(recipe, drawn_by, begin, file)
            typer.echo(to_toml(system, origin), nl=False)
            return
        try:
            output.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise system_error("write", output, error) from None
        with progress_bar("task sets", len(numbers)) as progress:
            for done, number in enumerate(numbers, start=1):
                system, origin = _system(recipe, drawn_by, number, file), _origin(recipe, drawn_by, number, file)
                save(system, output / f"set-{number}.toml", origin)
                progress(done)
        typer.echo(f"task sets: {len(numbers)} in {output}", err=True)


def _whole(option: str, text: str, least: int, most: int) -> int:
    if text.isascii() and text.isdigit() and len(text) <= 20 and least <= int(text) <= most:
        return int(text)
    message = f"expected a whole number from {least} to {most}, found {show(text)}"
    raise InputError([Problem(message, "out-of-range", key=option)])


def _system(recipe: Recipe, seed: int, number: int, file: Path | None) -> System:
    """Draw a set; what its policy does not take of it is a problem of the recipe."""
    try:
        return readable(recipe.system(seed, number))
    except InputError as error:
        problems = [replace(problem, message=f"{problem.message} (set {number})") for problem in error.problems]
        raise InputError(problems) if file is None else InputError(problems).in_file(file) from None


def _origin(recipe: Recipe, seed: int, number: int, file: Path | None) -> str:
    """Return the recipe and number that a set was drawn from."""
    keys = ", ".join(f"{key} = {text}" for key, text in texts_of(recipe).items())
    lines = [f"takt generate: recipe {file or 'of options'}, seed {seed}, set {number}", *textwrap.wrap(keys, 100)]
    return "\n".join(lines)
