# SPDX-License-Identifier: Apache-2.0 OR MIT
"""`takt compare A.toml B.toml`: two files beside one another, task by task."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from places import EXAMPLES
from takt.command import main
from typer.testing import CliRunner, Result

TWO = """\
schema = 1
[system]
resolution = "{resolution}"
policy = "{policy}"
horizon = "70ms"
[[task]]
name = "{first}"
period = "5ms"
wcet = "2ms"
priority = 2
[[task]]
name = "B"
period = "7ms"
wcet = "4ms"
priority = 1
"""


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.toml").write_text(TWO.format(resolution="1ms", policy="fp", first="A"), encoding="utf-8")
    Path("b.toml").write_text(TWO.format(resolution="1us", policy="edf", first="C"), encoding="utf-8")


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(main.app, ["compare", *arguments])


def test_tasks_of_one_name_are_one_row_and_each_file_has_its_own_policy() -> None:
    done = invoke("a.toml", "b.toml")
    assert (done.exit_code, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "a.toml: 2 of 24 jobs late in 70 ms, policy fp"
    assert lines[1] == "b.toml: none of 24 jobs late in 70 ms, policy edf"
    assert lines[3].replace("─", "").split() == ["a.toml", "b.toml"]
    assert lines[4].split() == ["task", *2 * ["wcet", "deadline", "worst", "late"]]
    rows = {words[0]: words[1:] for line in lines[6:9] for words in [line.split()]}
    assert rows["A"] == ["2", "ms", "5", "ms", "2", "ms", "0", "-", "-", "-", "-"]
    assert rows["B"] == ["4", "ms", "7", "ms", "8", "ms", "2", "4", "ms", "7", "ms", "6", "ms", "0"]
    assert rows["C"] == ["-", "-", "-", "-", "2", "ms", "5", "ms", "4", "ms", "0"]
    assert lines[-1].split() == ["all", "2", "0"]
    assert max(map(len, lines)) <= 80


def test_the_order_of_files_is_that_of_the_columns_and_check_looks_at_each() -> None:
    done = invoke("b.toml", "a.toml", "--check")
    assert done.exit_code == 3
    assert done.stdout.splitlines()[0].startswith("b.toml: ")
    shutil.copy("b.toml", "c.toml")
    assert invoke("b.toml", "c.toml", "--check").exit_code == 0


def test_each_file_is_run_under_each_requested_policy() -> None:
    done = invoke("a.toml", "b.toml", "--policy", "fp,edf", "--wide")
    assert [line.partition(":")[0] for line in done.stdout.splitlines()[:4]] == [
        "a.toml fp",
        "a.toml edf",
        "b.toml fp",
        "b.toml edf",
    ]
    assert "Left out" not in done.stdout
    assert "Left out" in invoke("a.toml", "b.toml", "--policy", "fp,edf,rm").stdout


def test_json_has_both_files() -> None:
    runs = json.loads(invoke("a.toml", "b.toml", "--json").stdout)["runs"]
    assert [run["file"] for run in runs] == ["a.toml", "b.toml"]


def test_files_of_one_name_are_named_with_their_folders() -> None:
    Path("old").mkdir()
    Path("old/a.toml").write_text(Path("a.toml").read_text(encoding="utf-8"), encoding="utf-8")
    assert invoke("a.toml", "old/a.toml").stdout.splitlines()[1].startswith("old/a.toml: ")


def test_deadlines_that_were_requested_are_counted_too() -> None:
    done = invoke(str(EXAMPLES / "iot_110.toml"), "a.toml")
    assert ", 10 later than requested, in 4 s, policy rate-based" in " ".join(done.stdout.split())


def test_one_file_twice_is_refused() -> None:
    done = invoke("a.toml", "b.toml", "a.toml")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == (
        "a.toml: expected files that differ, found this one twice; --policy P,P2 compares policies of one file\n"
    )


def test_a_page_of_several_files_is_refused() -> None:
    done = invoke("a.toml", "b.toml", "--report", "x.html")
    assert done.exit_code == 2
    assert done.stderr == "--report: expected one file, found 2; takt run FILE --report R.html draws one of them\n"
