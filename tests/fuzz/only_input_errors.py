# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What the Python fuzzers ask of every input: it is taken, or refused by takt.InputError in lines that people read."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import takt

MOST_CHARACTERS = 1000


def check_problem(problem: takt.Problem) -> None:
    """A problem is one line of a length that people read, and has a message and a code."""
    line = str(problem)
    assert line.splitlines() == [line], f"not one line: {line!r}"
    assert len(line) <= MOST_CHARACTERS, f"{len(line)} characters: {line!r}"
    assert problem.message
    assert problem.code


def problems_of(use: Callable[[Path], object], path: Path) -> tuple[takt.Problem, ...]:
    """Return the problems for which a file is refused."""
    try:
        use(path)
    except takt.InputError as error:
        return error.problems
    return ()


def refuses_or_takes(use: Callable[[Path], object], data: bytes) -> None:
    """Let `use` have a file of these bytes; whatever is not an InputError is the fuzzer's find.

    The file has the same name every time, as what a fuzzer sees of names steers it.
    """
    with os.fdopen(os.memfd_create("input"), "wb") as file:
        file.write(data)
        file.flush()
        for problem in problems_of(use, Path(f"/proc/self/fd/{file.fileno()}")):
            check_problem(problem)
