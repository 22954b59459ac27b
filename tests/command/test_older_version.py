# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Command lines and Python names that version 0.1 documented work as they did: nothing that a user has written breaks.

`tests/cases/version_0_1.toml` was recorded with that version, and is not recorded again. Of a session it has the exit
status and the shape of what came out: names of JSON and columns of CSV. Figures are in `tests/net`, texts in documents.
"""

from __future__ import annotations

import csv
import inspect
import io
import json
import shlex
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import takt
from places import CASES, ROOT
from takt.command import main
from typer.testing import CliRunner

TEXTS = (".csv", ".json")
BEFORE = tomllib.loads((CASES / "version_0_1.toml").read_text(encoding="utf-8"))


def names_of(value: Any, path: str = "") -> Iterator[str]:
    """Yield the paths of all names in JSON; the elements of a list have one path, and names that are data have none."""
    if isinstance(value, list):
        for element in value:
            yield from names_of(element, path)
    elif isinstance(value, dict):
        for key, member in value.items():
            yield f"{path}.{key}" if path else key
            yield from names_of(member, f"{path}.{key}" if path else key)


def shape_of(text: str, suffix: str) -> list[str]:
    """Return the names in a file or an output, or that it is there."""
    if suffix == ".json":
        return sorted(set(names_of(json.loads(text))))
    if suffix in TEXTS:
        return next(csv.reader(io.StringIO(text)), [])
    return ["text"] if text else []


def play(command: str, files: Iterable[str]) -> tuple[int, dict[str, list[str]]]:
    """Run a command in this process; give its exit status and the shapes of its output and of its files."""
    done = CliRunner().invoke(main.app, shlex.split(command))
    shapes = {"output": shape_of(done.stdout, ".json" if "--json" in command else "")}
    for name in files:
        content = Path(name).read_bytes()
        is_text = Path(name).suffix in TEXTS
        shapes[name] = shape_of(content.decode() if is_text else "binary" * len(content), Path(name).suffix)
    return done.exit_code, shapes


@pytest.mark.parametrize("session", BEFORE["session"], ids=[each["command"] for each in BEFORE["session"]])
def test_a_command_line_works_as_it_did(
    session: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    for command in session.get("after", []):
        assert play(command, [])[0] == 0
    expected = {name: BEFORE["shape"][shape] for name, shape in session["shapes"].items()}
    status, shapes = play(session["command"], [name for name in expected if name != "output"])
    assert status == session["status"]
    for name, names in expected.items():
        found = shapes[name]
        assert found[: len(names)] == names if name.endswith(".csv") else {*found} >= {*names}, name


def parameters_of(name: str) -> list[str]:
    """Return the parameters of a public name, and the other names of a class."""
    thing = getattr(takt, name)
    is_error = inspect.isclass(thing) and issubclass(thing, BaseException)
    parameters = [*inspect.signature(thing).parameters] if callable(thing) and not is_error else []
    members = [each for each in dir(thing) if not each.startswith("_")] if inspect.isclass(thing) else []
    return [*dict.fromkeys(parameters + members)]


@pytest.mark.parametrize("name", BEFORE["python"])
def test_a_python_name_has_what_it_had(name: str) -> None:
    assert {*parameters_of(name)} >= {*BEFORE["python"][name]}
