# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What is installed is what the lock names: versions everywhere, and on the lock's machine each file by its hash.

A scratch project has one package with one dependency, both written here, and no registry.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
LINE = re.compile(r"(?P<name>[^=\s]+)==(?P<version>\S+)(?P<hashes>( --hash=sha256:[0-9a-f]{64})+) # (?P<groups>.+)")
PROJECT = """
[build-system]
requires = []
[project]
name = "scratch"
dependencies = []
[project.optional-dependencies]
one = ["takt-leaf>=1,<2"]
[dependency-groups]
build = []
programs = []
"""


def locked() -> dict[str, re.Match[str]]:
    """Return the line of each package in the project's lock."""
    lines = (ROOT / "tools" / "lock.txt").read_text().splitlines()
    found = [LINE.fullmatch(line) for line in lines if not line.startswith("#")]
    assert None not in found
    return {canonicalize_name(line["name"]): line for line in found if line}


def write_wheel(folder: Path, name: str, requires: str = "") -> str:
    """Write a wheel of version 1.0 and return its sha256."""
    path = folder / f"{name}-1.0-py3-none-any.whl"
    about = f"{name}-1.0.dist-info"
    title = f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\nVersion: 1.0\n"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(f"{name}.py", "")
        wheel.writestr(f"{about}/METADATA", title + (f"Requires-Dist: {requires}\n" if requires else ""))
        wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{about}/RECORD", "")
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Scratch:
    """A project with a lock of its own, and its wheels instead of a registry."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "tools").mkdir()
        for name in ("prepare.py", "lock.py"):
            shutil.copy(ROOT / "tools" / name, folder / "tools")
        (folder / "pyproject.toml").write_text(PROJECT)
        self.lock = folder / "tools" / "lock.txt"
        wheels = folder / "wheels"
        wheels.mkdir()
        self.hashes = [write_wheel(wheels, "takt_leaf", "takt-root"), write_wheel(wheels, "takt_root")]
        self.environment = {**os.environ, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels)}

    def prepare(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run prepare.py."""
        command = [sys.executable, str(self.folder / "tools" / "prepare.py"), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False, env=self.environment)

    def installed(self) -> list[str]:
        """Return the scratch packages in the environment."""
        names = [path.name for path in self.folder.glob(".venv/lib/*/site-packages/takt_*.dist-info")]
        return sorted(names)

    def change(self, old: str, new: str) -> None:
        """Replace a text in the lock."""
        text = self.lock.read_text()
        assert old in text
        self.lock.write_text(text.replace(old, new))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Scratch:
    """A scratch project with its environment and its lock."""
    scratch = Scratch(tmp_path_factory.mktemp("scratch"))
    made = scratch.prepare("lock")
    assert made.returncode == 0, made.stderr
    return scratch


@pytest.fixture
def scratch(whole: Scratch) -> Scratch:
    """The scratch project with nothing installed and the lock as made."""
    for path in whole.folder.glob(".venv/lib/*/site-packages/takt_*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    made = whole.folder / "lock-as-made.txt"
    shutil.copy(*((made, whole.lock) if made.exists() else (whole.lock, made)))
    return whole


def test_a_lock_names_the_hash_of_each_file_that_pip_took(scratch: Scratch) -> None:
    leaf, root = scratch.hashes
    lines = scratch.lock.read_text().splitlines()
    assert lines[-2:] == [
        f"takt-leaf==1.0 --hash=sha256:{leaf} # one",
        f"takt-root==1.0 --hash=sha256:{root} # one",
    ]
    done = scratch.prepare("extras", "one")
    assert (done.returncode, done.stdout) == (0, "prepare: installing one\n"), done.stderr
    assert len(scratch.installed()) == 2


@pytest.mark.parametrize("which", [0, 1])
def test_a_file_with_another_hash_is_refused(scratch: Scratch, which: int) -> None:
    scratch.change(scratch.hashes[which], "0" * 64)
    done = scratch.prepare("extras", "one")
    name = ("takt-leaf", "takt-root")[which]
    assert done.returncode == 1
    assert done.stderr.startswith(f"prepare: the file that pip found for {name}==1.0 is not the one that tools/lock")
    assert len(done.stderr.splitlines()) == 1
    assert scratch.installed() == []


def test_a_package_without_a_hash_is_refused(scratch: Scratch) -> None:
    scratch.change(f" --hash=sha256:{scratch.hashes[1]}", "")
    done = scratch.prepare("extras", "one")
    assert (done.returncode, len(done.stderr.splitlines()), scratch.installed()) == (1, 1, [])


def test_on_another_machine_versions_hold_and_one_line_says_so(scratch: Scratch) -> None:
    scratch.change("# machine: ", "# machine: abacus of ")
    scratch.change(scratch.hashes[0], "0" * 64)
    done = scratch.prepare("extras", "one")
    assert done.returncode == 0, done.stderr
    assert "prepare: the hashes of tools/lock.txt are for abacus of " in done.stdout
    assert len(scratch.installed()) == 2
    scratch.change("takt-root==1.0", "takt-root==2.0")
    shutil.rmtree(next(scratch.folder.glob(".venv/lib/*/site-packages/takt_root-1.0.dist-info")))
    assert scratch.prepare("extras", "one").returncode == 1


def test_an_extra_that_the_lock_lacks_is_one_line(scratch: Scratch) -> None:
    project = scratch.folder / "pyproject.toml"
    project.write_text(PROJECT.replace("takt-leaf>=1,<2", "takt-leaf>=1,<3"))
    changed = scratch.prepare("extras", "one")
    project.write_text(PROJECT)
    unknown = scratch.prepare("extras", "two")
    assert [changed.stderr, unknown.stderr] == [
        "prepare: tools/lock.txt lacks requirements of one in pyproject.toml; run: python3 tools/prepare.py lock\n",
        "prepare: pyproject.toml has no extra two\n",
    ]


def closure(requirements: list[str]) -> set[str]:
    """Return the names of what is installed of requirements and of what they need."""
    found: set[str] = set()
    waiting = [(requirement, "") for requirement in map(Requirement, requirements)]
    while waiting:
        requirement, extra = waiting.pop()
        name = canonicalize_name(requirement.name)
        if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
            continue
        key = f"{name}[{','.join(sorted(requirement.extras))}]"
        if key in found:
            continue
        found.add(key)
        try:
            needs = list(map(Requirement, metadata.requires(name) or []))
        except metadata.PackageNotFoundError:
            continue
        waiting += [(need, extra) for need in needs for extra in ("", *requirement.extras)]
    return {key.partition("[")[0] for key in found}


def test_the_lock_has_every_package_of_every_extra_as_installed() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    groups = {"package": project["project"]["dependencies"], **project["project"]["optional-dependencies"]}
    lines = locked()
    for group, requirements in groups.items():
        needed = closure(requirements)
        assert needed <= {name for name, line in lines.items() if group in line["groups"].split()}
        for name in needed:
            try:
                version = metadata.version(name)
            except metadata.PackageNotFoundError:
                continue
            assert version == lines[name]["version"], name
    header = (ROOT / "tools" / "lock.txt").read_text()
    for group, requirements in groups.items():
        assert f"# {group}: {json.dumps(requirements)}\n" in header
