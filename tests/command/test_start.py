# SPDX-License-Identifier: Apache-2.0 OR MIT
"""How the package and the command start: with what is asked for, and nothing else.

An import that a command does not need costs everybody who calls it some tenths of a second.
"""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest
import takt
from made_machines import make_machine
from places import EXAMPLES
from takt.command import main
from takt.command.command_class import keep_only
from typer.main import get_command

TELL = (
    "import atexit, sys; "
    "loaded = lambda: (name for name, module in sys.modules.items() if type(module).__name__ != '_Postponed'); "
    "atexit.register(lambda: print(*loaded(), file=sys.stderr)); "
)
CALL = TELL + "from takt.command.main import main; main()"
CHARTS = {"bokeh", "jinja2", "matplotlib", "perfetto"}
FOLDERS = {"takt.analysis", "takt.formats", "takt.draw", "takt.study"}
COSTLY = CHARTS | FOLDERS | {"distributed", "lxml", "numpy", "polars", "tomlkit"}


def imported(code: str, *arguments: str) -> set[str]:
    """Return the modules that are loaded when a program ends."""
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return set(done.stderr.split())


def own(modules: set[str]) -> set[str]:
    """Return those of the package."""
    return {name for name in modules if name.partition(".")[0] == "takt"}


# ---- the command ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("option", "answers"), [("--version", {"takt.base.version"}), ("--help", set())])
def test_the_command_tells_of_itself_without_the_rest_of_the_package(option: str, answers: set[str]) -> None:
    modules = imported(CALL, option)
    command = {
        "takt.command",
        *(f"takt.command.{name}" for name in ("main", "command_class", "linux_options", "postponed")),
    }
    assert own(modules) == {"takt", "takt.base", "takt.base.errors"} | command | answers
    assert modules & COSTLY == set()


@pytest.mark.parametrize(
    ("arguments", "needed"),
    [
        ("run SMALLEST", set()),
        ("run SMALLEST --jobs J.csv", {"polars"}),
        ("run SHARING", set()),
        ("compare SMALLEST", set()),
        ("analyse SMALLEST", {"numpy", "takt.analysis"}),
        ("convert SMALLEST out.xml --to simso", {"lxml", "takt.formats", "tomlkit"}),
        ("generate --tasks 3 --utilization 0.5", {"numpy", "takt.draw", "tomlkit"}),
        ("study --help", set()),
        ("policies", set()),
        ("linux check --root MACHINE", set()),
    ],
)
def test_a_command_imports_what_it_needs(
    arguments: str, needed: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    make_machine(tmp_path / "MACHINE")
    files = {"SMALLEST": "smallest.toml", "SHARING": "resources.toml"}
    words = [str(EXAMPLES / files[word]) if word in files else word for word in arguments.split()]
    assert imported(CALL, *words) & COSTLY == needed


def test_options_are_made_for_the_command_that_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    commands, groups = main.app.registered_commands, main.app.registered_groups

    def made(*words: str) -> set[str]:
        monkeypatch.setattr(main.app, "registered_commands", commands)
        monkeypatch.setattr(main.app, "registered_groups", groups)
        keep_only(main.app, list(words))
        return set(get_command(main.app).commands)  # type: ignore[attr-defined]

    all_of_them = made()
    assert {"run", "analyse", "analyze", "help", "linux"} <= all_of_them
    for word in all_of_them - {"help", "linux"}:
        assert made(word) == {word}
    for word in ("help", "linux", "--version", "-h", "rnu"):
        assert made(word) == all_of_them


def test_a_replay_imports_what_it_needs(tmp_path: Path) -> None:
    trace = tmp_path / "T.takt"
    takt.simulate(takt.load(EXAMPLES / "smallest.toml"), trace=trace)
    assert imported(CALL, "replay", str(trace)) & COSTLY == set()


def test_charts_and_clusters_are_imported_when_they_are_used() -> None:
    code = TELL + "import takt.show.run_page, takt.show.gantt, takt.show.perfetto, takt.command.study"
    assert imported(code) & (CHARTS | {"distributed"}) == set()


# ---- the package ------------------------------------------------------------------------------------------


def announced() -> dict[str, str]:
    """Return the names that type checkers see, each with its module."""
    tree = ast.parse(Path(takt.__file__).read_text(encoding="utf-8"))
    (block,) = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    return {name.name: str(node.module) for node in imports for name in node.names}


def test_the_package_alone_imports_nothing_of_itself() -> None:
    assert own(imported(TELL + "import takt")) == {"takt"}


def test_no_module_imports_the_package_as_a_whole() -> None:
    package = Path(takt.__file__).parent
    parts = {path.name.partition(".")[0] for path in package.iterdir()}
    for path in sorted(set(package.rglob("*.py")) - set((package / "examples").rglob("*.py"))):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                assert "takt" not in {alias.name for alias in node.names}, path
            elif isinstance(node, ast.ImportFrom) and node.module == "takt":
                assert {alias.name for alias in node.names} <= parts, path


def test_all_names_are_announced_and_there() -> None:
    assert set(announced()) == set(takt.__all__)
    assert set(dir(takt)) >= set(takt.__all__)
    for name, module in announced().items():
        assert getattr(takt, name) is getattr(importlib.import_module(module), name)


@pytest.mark.parametrize(
    "statement", ["from takt import *", "from takt import analyse", "import takt.show.analysis_text"]
)
def test_a_name_that_is_imported_is_an_attribute_too(statement: str) -> None:
    code = f"import takt; assert set(takt.__all__) <= set(dir(takt)); {statement}; assert callable(takt.analyse)"
    assert "takt.analysis" in imported(TELL + code)


def test_an_unknown_name_is_an_attribute_error() -> None:
    name = "simulat"
    with pytest.raises(AttributeError, match="module 'takt' has no attribute 'simulat'"):
        getattr(takt, name)
    with pytest.raises(ImportError):
        exec(f"from takt import {name}")
