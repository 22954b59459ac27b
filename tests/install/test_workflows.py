# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The workflow files: valid, pinned, without secrets, and of commands that the project has."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]
from installed import must_run
from packaging.specifiers import SpecifierSet
from packaging.version import Version
from places import ROOT

FILES = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WORKFLOWS: dict[str, Any] = {path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in FILES}
PYTHONS = ["3.11", "3.12", "3.13"]


def jobs() -> Iterator[dict[str, Any]]:
    """Yield the jobs of all workflows."""
    for workflow in WORKFLOWS.values():
        yield from workflow["jobs"].values()


def lines() -> list[str]:
    """Return the command lines of all jobs."""
    return [step["run"] for job in jobs() for step in job["steps"] if "run" in step]


def test_they_are_valid() -> None:
    must_run([sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", *FILES])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_each_action_is_pinned_and_nothing_is_secret(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert re.findall(r"uses: (?![\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+\n).*", text) == []
    assert re.search(r"secrets\.|token|password", text, re.IGNORECASE) is None
    assert [name for name in re.findall(r"pip install (\S+)", text) if "==" not in name and "/" not in name] == []
    workflow = WORKFLOWS[path.stem]
    assert workflow["permissions"] == {"contents": "read"}
    assert all("permissions" not in job and job["timeout-minutes"] <= 120 for job in workflow["jobs"].values())
    assert all(job["runs-on"] != "ubuntu-latest" for job in workflow["jobs"].values())


def test_there_are_tests_wheels_and_an_archive_of_sources() -> None:
    assert "make test" in lines()
    assert list(WORKFLOWS["wheels"]["jobs"]) == ["wheel", "sdist"]
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert {"test", "wheel", "sdist"} <= set(targets)


def test_the_pythons_are_those_of_the_project() -> None:
    wheel, sdist = WORKFLOWS["wheels"]["jobs"].values()
    short = [f"cp{python.replace('.', '')}" for python in PYTHONS]
    assert wheel["strategy"]["matrix"]["python"] == short
    assert sdist["strategy"]["matrix"]["python"] == PYTHONS
    assert PROJECT["tool"]["cibuildwheel"]["build"] == " ".join(f"{each}-manylinux_x86_64" for each in short)
    claimed = [each.rpartition(" ")[2] for each in PROJECT["project"]["classifiers"] if ":: Python ::" in each]
    assert claimed == PYTHONS
    assert all(Version(each) in SpecifierSet(PROJECT["project"]["requires-python"]) for each in PYTHONS)


def test_versions_are_those_of_the_lock() -> None:
    pinned = re.findall(r"pip install ([\w-]+)==(\S+)", "\n".join(lines()))
    lock = dict(re.findall(r"^(\S+)==(\S+)", (ROOT / "tools" / "lock.txt").read_text(encoding="utf-8"), re.MULTILINE))
    assert dict(pinned).keys() == {"build", "cibuildwheel"}
    assert dict(pinned)["build"] == lock["build"]


@pytest.mark.parametrize("line", lines())
def test_each_line_is_one_of_a_shell(line: str) -> None:
    assert subprocess.run(["bash", "-n", "-c", line], capture_output=True, check=False).stderr == b""
