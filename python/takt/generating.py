"""The command `takt generate`: recipes in, task-set files out."""

from __future__ import annotations

import textwrap
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from takt.errors import InputError, Problem, show, system_error
from takt.model import System
from takt.recipe import MAX_NUMBER, Recipe
from takt.recipe_file import with_options
from takt.terminal import errors_to_stderr, progress_bar
from takt.writing import save, texts_of, to_toml


def _key(help_text: str) -> Any:
    """Make an option that replaces a key of the recipe."""
    return typer.Option(metavar="X", help=help_text)


def generate(
    file: Annotated[
        Path | None, typer.Argument(metavar="RECIPE", help="A recipe file (TOML).", show_default=False)
    ] = None,
    count: Annotated[str, typer.Option(metavar="N", help="How many task sets.")] = "1",
    seed: Annotated[str, typer.Option(metavar="N", help="Draw other random numbers.")] = "0",
    first: Annotated[str, typer.Option(metavar="N", help="Number of the first set.")] = "0",
    output: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write a file for each set here; default: print the one set.")
    ] = None,
    tasks: Annotated[str | None, _key("How many tasks a set has.")] = None,
    utilization: Annotated[str | None, _key("What their shares add up to.")] = None,
    shares: Annotated[str | None, _key("uunifast, uunifast-discard, fixed-sum, drs or automotive.")] = None,
    periods: Annotated[
        str | None, _key("log-uniform, uniform, harmonic, automotive, or a list such as 10ms,20ms.")
    ] = None,
    period_min: Annotated[str | None, _key("The shortest period.")] = None,
    period_max: Annotated[str | None, _key("The longest period.")] = None,
    deadlines: Annotated[str | None, _key("implicit, constrained or arbitrary.")] = None,
    priorities: Annotated[str | None, _key("dm, rm or random.")] = None,
    policy: Annotated[str | None, _key("What orders the root.")] = None,
    resolution: Annotated[str | None, _key("Length of a tick.")] = None,
) -> None:
    """Draw task sets at random, each as a file for the other commands.

    A set follows from recipe, seed and number alone: the same three give the same file. The options from --tasks on
    replace keys of the recipe, or are one.

    Example: `takt generate examples/recipes/automotive.toml --count 3 --seed 7 --output sets`
    """
    given = {
        "tasks": tasks,
        "utilization": utilization,
        "shares": shares,
        "periods": periods,
        "period_min": period_min,
        "period_max": period_max,
        "deadlines": deadlines,
        "priorities": priorities,
        "policy": policy,
        "resolution": resolution,
    }
    with errors_to_stderr():
        recipe = with_options(file, {key: _value(key, text) for key, text in given.items() if text is not None})
        begin = _whole("--first", first, 0, MAX_NUMBER)
        numbers = range(begin, begin + _whole("--count", count, 1, MAX_NUMBER - begin + 1))
        _write(recipe, _whole("--seed", seed, 0, 2**64 - 1), numbers, output, file)


def _value(key: str, text: str) -> object:
    """Read the value of a key as a file would have it; texts need no quotes, and lists no brackets."""
    if key == "periods" and "," in text:
        return [_value("period", part.strip()) for part in text.split(",")]
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _whole(option: str, text: str, least: int, most: int) -> int:
    """Read a whole number."""
    if text.isascii() and text.isdigit() and len(text) <= 20 and least <= int(text) <= most:
        return int(text)
    message = f"expected a whole number from {least} to {most}, found {show(text)}"
    raise InputError([Problem(message, "out-of-range", key=option)])


def _write(recipe: Recipe, seed: int, numbers: range, output: Path | None, file: Path | None) -> None:
    """Write the sets that are wanted."""
    if output is None and len(numbers) > 1:
        message = f"missing; {len(numbers)} sets need a folder, for instance --output sets"
        raise InputError([Problem(message, "missing", key="--output")])
    if output is None:
        typer.echo(to_toml(_system(recipe, seed, numbers[0], file), _origin(recipe, seed, numbers[0], file)), nl=False)
        return
    _make_folder(output)
    with progress_bar("task sets", len(numbers)) as progress:
        for done, number in enumerate(numbers, start=1):
            path = output / f"set-{number}.toml"
            save(_system(recipe, seed, number, file), path, _origin(recipe, seed, number, file))
            progress(done)
    typer.echo(f"task sets: {len(numbers)} in {output}", err=True)


def _make_folder(path: Path) -> None:
    """Make a folder, if it is not there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise system_error("write", path, error) from None


def _system(recipe: Recipe, seed: int, number: int, file: Path | None) -> System:
    """Draw a set; what its policy does not take of it is a problem of the recipe."""
    try:
        return recipe.system(seed, number)
    except InputError as error:
        problems = [replace(problem, message=f"{problem.message} (set {number})") for problem in error.problems]
        raise InputError(problems) if file is None else InputError(problems).in_file(file) from None


def _origin(recipe: Recipe, seed: int, number: int, file: Path | None) -> str:
    """Say what made a set."""
    keys = ", ".join(f"{key} = {text}" for key, text in texts_of(recipe).items())
    lines = [f"takt generate: recipe {file or 'of options'}, seed {seed}, set {number}", *textwrap.wrap(keys, 100)]
    return "\n".join(lines)
