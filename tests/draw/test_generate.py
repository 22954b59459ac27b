# SPDX-License-Identifier: Apache-2.0 OR MIT
"""`takt generate`: recipes in, task-set files out."""

from __future__ import annotations

import math
import re
import shlex
from pathlib import Path

import pytest
import takt
from places import EXAMPLES
from tables import read_table
from takt.command import main
from typer.testing import CliRunner, Result

RECIPES = sorted((EXAMPLES / "recipes").glob("*.toml"))
HEAD = "schema = 1\n[generate]\n"
SMALL = "tasks = 3\nutilization = 0.5\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, with the recipes."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples" / "recipes").symlink_to(RECIPES[0].parent)
    return tmp_path


def invoke(*arguments: str) -> Result:
    """Run the command in this process."""
    return CliRunner().invoke(main.app, ["generate", *arguments])


# ---- examples ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_every_recipe_begins_with_a_comment_whose_command_makes_sets_that_run(path: Path) -> None:
    header = path.read_text().split("schema")[0]
    found = re.search(r"takt generate (examples/recipes/.*)", header)
    assert header.startswith("# ")
    assert found is not None
    assert found[1].split()[0] == f"examples/recipes/{path.name}"
    output = () if "--output" in found[1] else ("--output", "sets")
    result = invoke(*shlex.split(found[1]), *output)
    assert result.exit_code == 0, result.stderr
    for file in Path("sets").iterdir():
        assert takt.simulate(takt.load(file), horizon="500ms").summary["finished"].sum() > 0


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_every_recipe_gives_different_sets(path: Path) -> None:
    recipe = takt.load_recipe(path)
    assert len({takt.to_toml(recipe.system(1, number).replace(seed=0, name="x")) for number in range(40)}) == 40


# ---- what is written -----------------------------------------------------------------------------------------


def test_one_set_is_printed_with_what_made_it() -> None:
    result = invoke("--tasks", "2", "--utilization", "0.5", "--periods", "10ms,20ms", "--seed", "7", "--first", "3")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[:2] == [
        "# takt generate: recipe of options, seed 7, set 3",
        '# tasks = 2, utilization = 0.5, periods = ["10ms", "20ms"]',
    ]
    Path("set.toml").write_text(result.stdout)
    recipe = takt.Recipe(tasks=2, utilization=0.5, periods=["10ms", "20ms"])
    assert takt.load("set.toml").resolved == recipe.system(seed=7, number=3).resolved
    assert 'period   = "10ms"' in lines


OPTIONS = ("--tasks", "5", "--utilization", "0.7")


@pytest.mark.parametrize(
    "arguments",
    [
        *([f"examples/recipes/{path.name}"] for path in RECIPES),
        [*OPTIONS, "--periods", "log-uniform"],
        [*OPTIONS, "--periods", "uniform", "--resolution", "1ns", "--deadlines", "arbitrary"],
        [*OPTIONS, "--resolution", "1ms", "--period-min", "20ms", "--period-max", "400ms"],
    ],
    ids=" ".join,
)
def test_what_is_written_has_units_and_the_numbers_of_the_recipe_and_runs(arguments: list[str]) -> None:
    for seed in ("1", "2", "3"):
        text = invoke(*arguments, "--seed", seed).stdout
        Path("set.toml").write_text(text)
        assert not re.search(r"^(period|wcet|deadline|budget|horizon) *= *[0-9]", text, re.MULTILINE)
        done = CliRunner().invoke(main.app, ["run", "set.toml"])
        assert (done.exit_code, done.stderr) == (0, "")
        if arguments[0].endswith(".toml"):
            drawn = takt.load_recipe(arguments[0]).system(int(seed), 0)
            assert takt.load("set.toml").resolved == drawn.resolved


def test_the_hyperperiod_of_options_is_the_longest_period() -> None:
    for seed in map(str, range(20)):
        Path("set.toml").write_text(invoke("--tasks", "12", "--utilization", "0.7", "--seed", seed).stdout)
        periods = [task.period for task in takt.load("set.toml").resolved.tasks]
        assert 1_000_000 % math.lcm(*periods) == 0
        assert min(periods) >= 10_000


def test_the_comment_of_a_set_is_the_recipe_that_draws_it_again() -> None:
    text = invoke(*OPTIONS, "--seed", "4").stdout
    comment = " ".join(line.removeprefix("# ") for line in text.splitlines()[1:] if line.startswith("#"))
    keys = re.sub(r", (?=[a-z_]+ = )", "\n", comment)
    Path("again.toml").write_text(f"{HEAD}{keys}\n")
    again = invoke("again.toml", "--seed", "4").stdout
    assert again.partition("schema")[2] == text.partition("schema")[2]


def test_a_range_without_round_periods_is_drawn_from_as_ever() -> None:
    text = invoke(*OPTIONS, "--period-min", "977ms", "--period-max", "1013ms").stdout
    assert "periods =" not in text
    assert "period_min" in text


def test_several_sets_are_files_of_a_folder_each_the_same_alone() -> None:
    Path("small.toml").write_text(HEAD + SMALL)
    assert invoke("small.toml", "--count", "12", "--seed", "5", "--output", "deep/sets").exit_code == 0
    files = sorted(Path("deep/sets").iterdir())
    assert {file.name for file in files} == {f"set-{number}.toml" for number in range(12)}
    alone = invoke("small.toml", "--seed", "5", "--first", "9").stdout
    assert alone == Path("deep/sets/set-9.toml").read_text()
    assert alone.startswith("# takt generate: recipe small.toml, seed 5, set 9\n")


def test_a_long_recipe_is_a_comment_of_several_lines() -> None:
    text = invoke("examples/recipes/servers.toml").stdout
    comment = [line for line in text.splitlines() if line.startswith("#")]
    assert len(comment) > 2
    assert max(map(len, comment)) <= 102


def test_options_replace_the_keys_of_the_file() -> None:
    Path("small.toml").write_text(HEAD + SMALL + 'resolution = "1ms"\n')
    result = invoke(
        "small.toml", "--tasks", "5", "--resolution", "1us", "--policy", "edf", "--deadlines", "constrained"
    )
    Path("set.toml").write_text(result.stdout)
    system = takt.load("set.toml")
    assert (len(system.tasks), system.resolution, system.policy) == (5, "1us", "edf")
    assert any(task.deadline != task.period for task in system.tasks)


# ---- what is wrong -------------------------------------------------------------------------------------------

BAD_FILES = read_table("refused_recipe_files")


@pytest.mark.parametrize("name", BAD_FILES)
def test_what_is_wrong_with_a_recipe_is_one_line_with_its_place(name: str) -> None:
    text, expected = BAD_FILES[name]
    Path("bad.toml").write_text(text)
    result = invoke("bad.toml")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.splitlines()[0].startswith(f"bad.toml: {expected}")
    assert len(result.stderr.splitlines()) == 1


BAD_OPTIONS = {
    "--tasks x": '--tasks: expected a number of tasks from 1 to 10000, found "x"',
    "--utilization -1": "--utilization: expected a utilization above 0, such as 0.8, from 1e-06 to 1000, found -1",
    "--period-min 2s": '--period-max: expected at least period_min, "2s", found "1s"',
    "--periods 10ms,2.5": "--periods: expected a positive time",
    "--count 0": '--count: expected a whole number from 1 to 281474976710656, found "0"',
    "--count 2": "--output: missing; 2 sets need a folder, for instance --output sets",
    "--seed 1e3": '--seed: expected a whole number from 0 to 18446744073709551615, found "1e3"',
    "--first -1": '--first: expected a whole number from 0 to 281474976710655, found "-1"',
    "--output /dev/null/sets": "/dev/null/sets: cannot write: Not a directory",
}


@pytest.mark.parametrize("options", BAD_OPTIONS)
def test_nonsense_gets_one_line_and_status_2(options: str) -> None:
    good = {"--tasks": "3", "--utilization": "0.5"}
    name, value = options.split()
    result = invoke(*(word for option in {**good, name: value}.items() for word in option))
    assert result.exit_code == 2
    assert result.stderr.splitlines()[0].startswith(BAD_OPTIONS[options])
    assert len(result.stderr.splitlines()) == 1


def test_a_mistake_in_the_file_is_no_mistake_of_an_option() -> None:
    Path("bad.toml").write_text(HEAD + SMALL + 'shares = "uniform"\n')
    assert invoke("bad.toml", "--tasks", "5").stderr.startswith("bad.toml: [generate] shares: unknown")
    assert invoke("bad.toml", "--shares", "uniform").stderr.startswith("--shares: unknown")
