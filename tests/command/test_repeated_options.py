# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Options of the command that are given twice, and files that are named twice: nothing is lost without a word."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from places import EXAMPLES
from takt.command import main
from typer.core import TyperGroup, TyperOption
from typer.testing import CliRunner

SMALLEST = str(EXAMPLES / "smallest.toml")


def commands() -> dict[str, Any]:
    """Every command by its name."""
    group = typer.main.get_command(main.app)
    assert isinstance(group, TyperGroup)
    return dict(group.commands)


def options(*, are_flags: bool) -> Iterator[Any]:
    """Every option with a value, or every flag, in all its spellings, as parameters of a test."""
    for name, command in commands().items():
        for option in command.params:
            if isinstance(option, TyperOption) and option.is_flag == are_flags and not option.multiple:
                yield from (pytest.param(name, spelling, id=f"{name} {spelling}") for spelling in option.opts)


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("command", "option"), list(options(are_flags=False)))
def test_an_option_with_a_value_is_given_once(command: str, option: str, tmp_path: Path) -> None:
    longest = next(part.opts[-1] for part in commands()[command].params if option in part.opts)
    for first, second in ([option, "a.svg"], [option, "b.svg"]), ([f"{option}=a.svg"], [option, "a.svg"]):
        done = CliRunner().invoke(main.app, [command, *first, SMALLEST, *second])
        assert (done.exit_code, done.stdout) == (2, "")
        assert done.stderr == f"{longest}: expected once, found 2 times; leave all but one out\n"
    assert list(tmp_path.iterdir()) == []


def test_there_are_options_to_be_tested() -> None:
    assert {part.values[0] for part in options(are_flags=False)} >= {"run", "compare", "convert", "analyse", "study"}


@pytest.mark.parametrize(
    ("command", "flag"),
    [("run", "--json"), ("run", "--check"), ("compare", "--json"), ("analyse", "--json"), ("schema", "--recipe")],
)
def test_a_flag_that_is_repeated_says_the_same(command: str, flag: str) -> None:
    files = [] if command == "schema" else [SMALLEST]
    once, twice = (CliRunner().invoke(main.app, [command, *files, *[flag] * count]) for count in (1, 2))
    assert (twice.exit_code, twice.stdout, twice.stderr) == (once.exit_code, once.stdout, once.stderr)


def test_every_repeated_option_has_its_line() -> None:
    done = CliRunner().invoke(main.app, ["run", SMALLEST, *["--gantt", "a.svg"] * 3, *["--seed", "1"] * 2])
    assert done.exit_code == 2
    assert done.stderr == (
        "--gantt: expected once, found 3 times; leave all but one out\n"
        "--seed: expected once, found 2 times; leave all but one out\n"
    )


def test_two_outputs_have_two_files(tmp_path: Path) -> None:
    done = CliRunner().invoke(main.app, ["run", SMALLEST, "--segments", "x.csv", "--jobs", "./x.csv"])
    assert (done.exit_code, done.stdout) == (2, "")
    assert (
        done.stderr == '--jobs: expected a file of its own, found "x.csv", the file of --segments; give another name\n'
    )
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_regular_file_takes_several_outputs() -> None:
    done = CliRunner().invoke(main.app, ["run", SMALLEST, "--segments", "/dev/null", "--jobs", "/dev/null"])
    assert (done.exit_code, done.stderr) == (0, "")
