# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The guides: the first page of the explanation leads to files and guides, and what a guide changes works.

Guides that change C of the simulator are applied and built in tests/analysis/test_new_policy.py; commands, Python and
task sets of all pages are run by test_documents.py.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import how_to
import pytest
import takt
from places import ROOT
from takt.base import times

THINGS = (
    "a key of task sets",
    "a policy",
    "a protocol of shared resources",
    "a kind of server",
    "an analysis",
    "a port",
    "a backend: a scheduler on another device",
    "a column of reports",
)
ROW = re.compile(r"^\| ([^|]+) \| ([^|]+) \| ([^|]*) \|$", re.MULTILINE)
GUIDES = sorted((ROOT / "docs" / "how-to").glob("*.md"))


def rows() -> dict[str, tuple[str, str]]:
    """Return the place of each subject, and its guide, from the first table of DESIGN.md."""
    table = (ROOT / "DESIGN.md").read_text(encoding="utf-8").partition("## Where a thing is")[2].partition("\n## ")[0]
    return {thing: (file, guide) for thing, file, guide in ROW.findall(table)}


@pytest.mark.parametrize("thing", THINGS)
def test_the_first_page_names_files_and_a_guide_for_each_thing(thing: str) -> None:
    file, guide = rows()[thing]
    paths = [code for code in re.findall(r"`([^`]+)`", file) if "/" in code]
    assert paths
    assert [path for path in paths if not (ROOT / path).exists()] == []
    (page,) = re.findall(r"\((docs/how-to/[\w-]+\.md)\)", guide)
    assert (ROOT / page).exists()


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.stem)
def test_every_guide_is_listed(guide: Path) -> None:
    assert f"(docs/how-to/{guide.name})" in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """Copy the package that is tested, with what is compiled of it, to where its sources stand in the project."""
    made = shutil.ignore_patterns("source")
    shutil.copytree(Path(takt.__file__).parent, tmp_path / "python" / "takt", ignore=made)
    shutil.copytree(ROOT / "docs" / "reference", tmp_path / "docs" / "reference")
    return tmp_path


def run(sources: Path, *arguments: str | Path, status: int = 0) -> str:
    """Run `takt` of a copy of the package; give all that it says."""
    environment = {**os.environ, "PYTHONPATH": str(sources / "python"), "COLUMNS": "120"}
    command = [sys.executable, "-c", "from takt.command.main import main; main()", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_a_key_that_core_does_not_use_is_read_written_and_converted(sources: Path) -> None:
    assert '"owner"' not in run(sources, "schema")
    how_to.apply("add-a-key", sources)
    file, table, back = (sources / "examples" / name for name in ("owned.toml", "owned.csv", "back.toml"))
    assert "sensor" in run(sources, "run", file)
    assert '"owner"' in run(sources, "schema")
    assert run(sources, "convert", file, table) + run(sources, "convert", table, back) == ""
    assert 'owner  = "team-b"' in back.read_text(encoding="utf-8")
    lost = run(sources, "convert", file, sources / "owned.xml", "--to", "simso")
    assert '[[task]] "sensor" owner: lost: "team-b" in Takt, none in the file' in lost
    file.write_text(file.read_text(encoding="utf-8").replace("owner", "ownr"), encoding="utf-8")
    assert 'ownr: unknown key; did you mean "owner"' in run(sources, "run", file, status=2)


def test_a_column_of_reports_is_a_heading_and_a_cell(sources: Path) -> None:
    example = str(ROOT / "examples/smallest.toml")
    assert "finished" not in run(sources, "run", example)
    how_to.apply("add-a-report-column", sources)
    assert "finished" in run(sources, "run", example)


def test_a_distribution_of_recipes_is_drawn(sources: Path) -> None:
    how_to.apply("add-a-distribution", sources)
    drawn = run(sources, "generate", "--tasks", "400", "--utilization", "0.5", "--periods", "linear", "--seed", "1")
    ticks = [times.to_ticks(text, 1000) for text in re.findall(r'^period += "(.*)"$', drawn, re.MULTILINE)]
    assert len(ticks) == 400
    assert 0.6 < (sum(ticks) / 400 - 10_000) / 990_000 < 0.73  # the mean of the square root of a number is 2/3
    assert '"linear"' in run(sources, "schema", "--recipe")


def test_a_test_and_a_measure_of_studies_are_asked(sources: Path, tmp_path: Path) -> None:
    how_to.apply("add-a-study-measure", sources)
    told = run(sources, "study", sources / "examples" / "longest.study.toml", "--output", tmp_path / "found")
    assert "half" in told
    assert "longest" in told


def trace_of_posix(sources: Path, example: str) -> bytes:
    """Run an example on the kernel that a copy of the sources builds, and give its trace."""
    file = sources / "trace.takt"
    run(sources, "run", ROOT / "examples" / example, "--on", "posix", "--trace", file)
    return file.read_bytes()


def test_a_backend_that_answers_late_decides_as_the_direct_one(sources: Path) -> None:
    for room in ("core", "policy", "system", "kernel", "port", "boards", "firmware"):
        shutil.copytree(ROOT / room, sources / room)
    examples = ("negotiation.toml", "resources.toml", "servers.toml")
    direct = [trace_of_posix(sources, example) for example in examples]
    how_to.apply("add-a-backend", sources)
    recipe = sources / "firmware" / "build_posix.json"  # what is decided does not depend on the compiler's effort
    recipe.write_text(recipe.read_text(encoding="utf-8").replace('"-O2"', '"-O0"'), encoding="utf-8")
    assert [trace_of_posix(sources, example) for example in examples] == direct
    polled = sources / "firmware" / "backends" / "polled" / "polled.c"
    late = polled.read_text(encoding="utf-8").replace(
        "return takt_dispatcher_take(dispatcher, now,", "return takt_dispatcher_take(dispatcher, now + 1,"
    )
    polled.write_text(late, encoding="utf-8")
    assert trace_of_posix(sources, examples[0]) != direct[0]
