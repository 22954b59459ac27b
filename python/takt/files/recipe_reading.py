# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Recipe files: TOML in, a Recipe out, or every problem of the file with its place.

Source: SPEC.md, 7.5.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from takt.base.errors import InputError, Problem, show
from takt.draw.recipe import Recipe
from takt.files import task_set_reading

_TABLES = ("schema", "generate")


def load_recipe(path: str | Path) -> Recipe:
    """Read a recipe file.

    Args:
        path: a TOML file, schema 1.

    Raises:
        InputError: the file cannot be read or is not right; it holds every problem that was found.
    """
    return with_options(path, {})


def with_options(path: str | Path | None, options: dict[str, Any]) -> Recipe:
    """Return a recipe of a file, if there is one, and of keys that replace those of the file.

    Args:
        path: a TOML file, schema 1.
        options: values by their keys, given by options of a command line, which problems with them name.

    Raises:
        InputError: the file cannot be read, or something is not right.
    """
    keys: dict[str, Any] = {}
    if path is not None:
        document = task_set_reading.read(path)
        task_set_reading.check_kind(path, document, "generate")
        problems = [*task_set_reading.schema_problems(document), *task_set_reading.unknown_keys(document, _TABLES)]
        if "generate" not in document:
            message = "missing; write [generate] and below it tasks = 10, utilization = 0.8"
            problems.append(Problem(message, "missing", key="generate"))
        elif not isinstance(document["generate"], dict):
            message = f"expected a table, found {show(document['generate'])}; write [generate]"
            problems.append(Problem(message, "wrong-type", key="generate"))
        if problems:
            raise InputError(problems).in_file(path)
        keys = dict(document["generate"])
    try:
        return Recipe(**(keys | options))
    except InputError as error:
        problems = []
        for problem in error.problems:  # of the command line, or of the file
            if problem.key in options or path is None:
                problems.append(replace(problem, table=None, key=f"--{str(problem.key).replace('_', '-')}"))
            else:
                problems.append(replace(problem, file=str(path)))
        raise InputError(problems) from None
