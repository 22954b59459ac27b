# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Extras: a feature whose package is not installed is refused in one line that says what installs it."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from places import EXAMPLES, ROOT

WITHOUT = "import sys; sys.modules.update(dict.fromkeys(sys.argv.pop(1).split(','))); "
CALL = WITHOUT + "from takt.command.main import main; main()"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RUN = ["run", str(EXAMPLES / "smallest.toml")]
GENERATE = ["generate", "--tasks", "3", "--utilization", "0.5"]
STUDY = """schema = 1
[study]
sets = 4
[generate]
tasks = 3
utilization = 0.5
shares = "drs"
[[measure]]
kind = "acceptance"
tests = ["edf"]
"""


def start(without: str, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the command where some packages cannot be imported."""
    command = [sys.executable, "-c", CALL, without, *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.parametrize(
    ("words", "place", "needs", "extra"),
    [
        ([*GENERATE, "--shares", "drs"], "--shares", '"drs" needs the package drs', "drs"),
        (["study", "drs.toml"], "drs.toml: [generate] shares", '"drs" needs the package drs', "drs"),
        ([*RUN, "--perfetto", "p"], "p", "a trace for Perfetto needs the package perfetto", "perfetto"),
        (
            ["study", str(EXAMPLES / "studies" / "acceptance.toml"), "--scheduler", "tcp://127.0.0.1:9"],
            "--scheduler",
            "a study on a cluster needs the package distributed",
            "cluster",
        ),
    ],
)
def test_a_missing_package_is_one_line_that_says_what_installs_it(
    words: list[str], place: str, needs: str, extra: str, tmp_path: Path
) -> None:
    (tmp_path / "drs.toml").write_text(STUDY, encoding="utf-8")
    done = start("drs,scipy,perfetto,google.protobuf,distributed", tmp_path, *words)
    assert done.returncode == 2
    assert done.stderr == f"{place}: {needs}, which is not installed here; run: pip install 'takt[{extra}]'\n"
    assert extra in PROJECT["optional-dependencies"]
    assert not (tmp_path / "p").exists()


@pytest.mark.parametrize(
    "words", [GENERATE, [*RUN, "--report", "r.html"], ["convert", RUN[1], "s.xml", "--to", "simso"]]
)
def test_what_needs_no_extra_runs_without_them(words: list[str], tmp_path: Path) -> None:
    done = start("drs,scipy,perfetto,google.protobuf,distributed", tmp_path, *words)
    assert done.returncode == 0, done.stderr


def test_the_design_says_why_each_dependency_is_one() -> None:
    text = (ROOT / "DESIGN.md").read_text(encoding="utf-8").partition("### What pip installs")[2].partition("\n### ")[0]
    first = " ".join(row.split("|")[1] for row in text.splitlines() if row.startswith("| "))
    named = set(re.findall(r"[\w-]+", first))
    assert {re.split(r"[><=\[]", each)[0] for each in PROJECT["dependencies"]} <= named
    assert {"drs", "perfetto", "cluster"} <= named
