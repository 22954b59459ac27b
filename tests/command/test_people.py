# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Files of new users that are no task sets: a spreadsheet, policies in Python with mistakes, a study with a policy.

The task sets among them are in tests/show/test_analysis_text.py, tests/analysis/test_remedies.py and
tests/command/test_width.py.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import takt
from places import CASES, TESTS
from takt.command import main
from typer.testing import CliRunner, Result

PEOPLE = sorted((CASES / "people").iterdir())
TWO = """schema = 1
[[task]]
name = "A"
period = 8
wcet = 1
[[task]]
name = "B"
period = 9
wcet = 6
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for path in PEOPLE:
        shutil.copy(path, tmp_path)


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(main.app, arguments)


@pytest.mark.parametrize("path", PEOPLE, ids=lambda path: path.name)
def test_each_file_has_a_test(path: Path) -> None:
    if path.stem == "ecu_subjobs":  # also runs on a board
        assert "ecu_subjobs.toml" in (TESTS / "board" / "test_clock.py").read_text(encoding="utf-8")
    places = [Path(__file__), TESTS / "show" / "test_analysis_text.py"]
    assert any(
        f'"{path.stem}"' in place.read_text(encoding="utf-8") or path.name in place.read_text() for place in places
    )


def test_a_spreadsheet_with_units_in_its_headings_is_taken_once_each_heading_is_known() -> None:
    refused = invoke("convert", "sheet2.csv", "sheet2.toml")
    assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1)
    assert refused.stderr.startswith("sheet2.csv: line 1: expected a column name among the headings, ")
    assert 'not understood: "Task"; headings are name, ' in refused.stderr
    text = Path("sheet2.csv").read_text(encoding="utf-8")
    Path("sheet2.csv").write_text(text.replace("Task,", "name,"), encoding="utf-8")
    assert invoke("convert", "sheet2.csv", "sheet2.toml").exit_code == 0
    system = takt.load("sheet2.toml")
    assert [(task.name, task.period, task.wcet) for task in system.tasks] == [
        ("A", "10ms", "2ms"),
        ("B", "20ms", "5ms"),
    ]
    assert [row.response for row in takt.analyse(system, sensitivity=False).tasks] == [6, 7]  # without priorities
    assert [row.response for row in takt.analyse(system.replace(policy="rm"), sensitivity=False).tasks] == [2, 7]


def test_a_policy_in_python_orders_by_its_keys() -> None:
    """Keys at 0: A 2 * 8 - 1 = 15, B 2 * 9 - 6 = 12, so that B is first, though its deadline is later."""
    Path("keys.toml").write_text(TWO, encoding="utf-8")
    done = invoke("run", "keys.toml", "--policy", "mine.py:HalfSlack,edf", "--horizon", "8", "--json")
    own, edf = json.loads(done.stdout)["runs"]
    assert [row["response_max"] for row in own["tasks"]] == [7, 6]
    assert [row["response_max"] for row in edf["tasks"]] == [1, 7]


@pytest.mark.parametrize(
    ("policy", "line"),
    [
        (
            "Typo",
            "mine.py: --policy: Typo() failed: Can't instantiate abstract class Typo with abstract method release",
        ),
        (
            "Float",
            'two.toml: policy "float": expected a whole number from 1 to 2^63 - 1 as the key of "adc"#0, found 487.5',
        ),
        (
            "Boom",
            'two.toml: policy "boom": release() failed for "adc"#0: AttributeError: \'Job\' object has no attribute '
            "'slack'",
        ),
        ("Bom", 'mine.py: --policy: expected a subclass of takt.Policy, found "Bom"; did you mean "Boom"?'),
    ],
)
def test_a_mistake_in_a_policy_is_one_line(policy: str, line: str) -> None:
    done = invoke("run", "two.toml", "--policy", f"mine.py:{policy}")
    assert done.exit_code == 2
    assert done.stderr.replace("without an implementation for", "with") == f"{line}\n"


def test_a_study_simulates_a_policy_beside_others() -> None:
    done = invoke("study", "sp2.toml")
    assert done.exit_code == 0, done.output
    table = done.stdout.split("\n\n")[0].splitlines()
    assert table[0] == "sp2: sets without a miss"
    assert [line.split() for line in table[1:5] if line[0] != "\u2500"] == [
        ["utilization", "edf", "rm", "mine.py:HalfSlack"],
        ["0.7", "1.000", "1.000", "1.000"],  # periods are harmonic: both are optimal, Liu and Layland 1973
        ["0.9", "1.000", "1.000", "1.000"],
    ]
