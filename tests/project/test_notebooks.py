# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The notebooks run, in an empty folder, and show what their texts say; in git they have no outputs."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbformat
import pytest
import takt
from lxml import html
from nbclient import NotebookClient
from places import EXAMPLES, ROOT

NOTEBOOKS = sorted((EXAMPLES / "notebooks").glob("*.ipynb"))


def code(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


@cache
def run(name: str) -> list[dict[str, str]]:
    """Execute a notebook and return what the cells with code show, by types."""
    notebook = nbformat.read(EXAMPLES / "notebooks" / f"{name}.ipynb", as_version=4)  # type: ignore[no-untyped-call]
    with TemporaryDirectory() as folder:
        NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": folder}}).execute()
        assert list(Path(folder).iterdir()) == []
    shown = []
    for cell in code(notebook):
        assert [output.output_type for output in cell.outputs] == ["execute_result"], cell.source
        shown.append(dict(cell.outputs[0].data))
    return shown


def words(text: str) -> str:
    return " ".join(" ".join(html.fragment_fromstring(text).itertext()).split())


def is_cell(shown: dict[str, str]) -> bool:
    """True if something shows itself as a picture with a table, and in one line where there are no pictures."""
    tree = html.fragment_fromstring(shown["text/html"])
    has_both = all(list(tree.iter(tag)) for tag in ("svg", "table"))
    return has_both and len(shown["text/plain"]) <= 400 and shown["text/plain"].startswith("<")


# ---- the files ----------------------------------------------------------------------------------------


def test_there_are_three() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["compare_policies", "invent_a_policy", "is_it_schedulable"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_in_git_has_neither_outputs_nor_traces_of_a_run(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    notebook = json.loads(text)
    nbformat.validate(notebook)
    assert notebook["metadata"] == {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for cell in notebook["cells"]:
        assert cell["metadata"] == {}
        assert cell.get("outputs", []) == []
        assert cell.get("execution_count") is None
    assert text == json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_explains_each_step_and_ends_with_questions(path: Path) -> None:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    assert cells[0]["cell_type"] == cells[-1]["cell_type"] == "markdown"
    assert texts[0].startswith("# ")
    assert re.search(r"^## To try\n\n1\. .*^3\. ", texts[-1], re.MULTILINE | re.DOTALL)
    assert all(len(line) <= 120 for text in texts for line in text.splitlines())
    rows = (ROOT / "tools" / "words.txt").read_text(encoding="utf-8").splitlines()
    private = re.compile("|".join(rf"\b{row.partition(chr(9))[0]}\b" for row in rows if not row.startswith("#")))
    assert [line for text in texts for line in text.splitlines() if private.search(line)] == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_named_where_users_begin(path: Path) -> None:
    for document in ("README.md", "examples/README.md", "docs/tutorial/notebooks.md"):
        assert path.name in (ROOT / document).read_text(encoding="utf-8"), document


# ---- what they show -----------------------------------------------------------------------------------


def test_policies_are_compared() -> None:
    system, fixed, earliest, percentiles, late, overload = run("compare_policies")
    assert all(map(is_cell, (system, fixed, earliest)))
    assert "5 tasks, policy fp, load 95.0 %" in words(system["text/html"])
    assert "10 of 440 jobs late in 2 s" in words(fixed["text/html"])
    assert "because multimedia ran for 12 ms and has a higher priority" in words(fixed["text/html"])
    assert "none of 440 jobs late in 2 s" in words(earliest["text/html"])
    assert "missed its deadline" in fixed["text/html"]
    assert "missed its deadline" not in earliest["text/html"]
    assert re.search(r'"?packets"? "?ticks of 1 ms"? 28 10 13 13', words(percentiles["text/html"]))
    assert re.search(r'"?packets"? 10 0 0 0', words(late["text/html"]))
    missed = {
        policy: dict(takt.simulate("examples/iot_110.toml", policy=policy).summary.select("task", "missed").rows())
        for policy in ("fp", "edf", "rate-based")
    }
    assert eval(overload["text/plain"]) == missed
    assert (missed["fp"]["control"], missed["edf"]["control"], sum(missed["rate-based"].values())) == (0, 367, 0)


def test_a_system_that_runs_well_is_proved_unsafe_and_repaired() -> None:
    system, watched, analysis, unlucky, remedies, safe = run("is_it_schedulable")
    assert all(map(is_cell, (system, watched, analysis, unlucky, safe)))
    assert "none of 272 jobs late in 1 s" in words(watched["text/html"])
    assert "pump: not schedulable, 3 of 4 deadlines proved, 1 missed; flash blocks valve" in words(
        analysis["text/html"]
    )
    assert "2 of 272 jobs late in 1 s" in words(unlucky["text/html"])
    assert "valve, due at 25 ms, 1 ms late, because flash ran for 5 ms and is non-preemptive" in words(
        unlucky["text/html"]
    )
    preemptive, pieces = eval(remedies["text/plain"])
    assert preemptive == ("flash.preemption=preemptive",)
    assert pieces == ('flash.subjobs=["1900us", "4100us"]', "flash.preemption=")
    assert "pump: schedulable, all 4 deadlines proved" in words(safe["text/html"])
    assert "valve 5 ms 1 ms 5 ms 5 ms 0 s flash 4 ms" in words(safe["text/html"])


def test_an_invented_policy_is_checked_and_counted() -> None:
    is_same, mine, invented, counts = run("invent_a_policy")
    assert is_same["text/plain"] == "True"
    assert is_cell(mine)
    assert is_cell(invented)
    assert "1 of 54 jobs late in 510 ms. policy earliest-deadline, 4 processors" in words(mine["text/html"])
    assert "none of 54 jobs late in 510 ms. policy zero-laxity-first" in words(invented["text/html"])
    assert eval(counts["text/plain"]) == {"edf": 24, "zero laxity first": 40}


def test_the_questions_have_answers() -> None:
    node = "examples/iot_node.toml"
    late = [takt.simulate(takt.load(node, [f"multimedia.wcet={wcet}ms"])).missed for wcet in (9, 10)]
    assert late == [0, 10]
    assert [takt.simulate("examples/iot_100.toml", policy=policy).missed for policy in ("fp", "edf")] == [20, 0]
