# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What users write is typed: Python that a document shows passes a strict check of types."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from places import ROOT

PYTHON = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
DOCUMENTS = [
    path.name for path in sorted(ROOT.glob("*.md")) if PYTHON.search(path.read_text(encoding="utf-8")) is not None
]

LISTS = """
import takt

tasks = [
    takt.Task(name="A", period="20ms", wcet="4ms", subjobs=["2ms", "2ms"]),
    takt.Task(name="B", min_separation=50, wcet=4, demand=[1, 4], arrivals=[0, "60ms"], deadline=50),
    takt.Task(name="C", period="20ms", wcet="4ms", body=["run 1ms", "point", "run 3ms"], server="S"),
    takt.Task(name="D", period="20ms", wcet="1ms"),
]
servers = [takt.Server(name="S", period="20ms", budget="8ms")]
resources: list[takt.Resource] = []
changes = [takt.Change(at="100ms", remove=["D"])]
system = takt.System(
    tasks=tasks, servers=servers, resources=resources, changes=changes, options=[takt.Share(variant="wfq")]
)
names: list[str] = [task.name for task in system.tasks]
first: takt.Task = system.tasks[0]
same: takt.System = takt.System(tasks=tuple(tasks), servers=tuple(servers), changes=tuple(changes))
missed: int = takt.simulate(system, horizon="200ms").missed
recipe = takt.Recipe(tasks=4, utilization=0.5, periods=["10ms", "20ms"])
"""


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What mypy knows of takt and of what it imports, read by the first program that is checked."""
    return tmp_path_factory.mktemp("mypy")


def complaints(folder: Path, cache: Path, code: str) -> str:
    """What mypy says about a program, without any configuration of the project."""
    (folder / "program.py").write_text(code)
    options = ["--strict", "--config-file=", f"--cache-dir={cache}"]
    command = [sys.executable, "-m", "mypy", *options, str(folder / "program.py")]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def test_documents_show_python() -> None:
    assert "README.md" in DOCUMENTS


@pytest.mark.parametrize("document", DOCUMENTS)
def test_python_of_a_document_is_typed(document: str, tmp_path: Path, cache: Path) -> None:
    for code in PYTHON.findall((ROOT / document).read_text(encoding="utf-8")):
        assert complaints(tmp_path, cache, code) == ""


def test_lists_go_where_there_are_several(tmp_path: Path, cache: Path) -> None:
    assert complaints(tmp_path, cache, LISTS) == ""
    exec(compile(LISTS, "program.py", "exec"), {})


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: str(path.stem))
def test_python_of_an_example_is_typed(example: Path, tmp_path: Path, cache: Path) -> None:
    assert complaints(tmp_path, cache, example.read_text(encoding="utf-8")) == ""
