# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What the build writes into the source tree is in the installed package once, and neither in git nor in an archive."""

from __future__ import annotations

import subprocess
import sys
import tarfile
from importlib.metadata import files
from pathlib import Path

import pytest
from places import ROOT

BUILT = ("model/records.py", "_core.pyi", "_analysis.pyi", "_linux.pyi")
SOURCES = ("fields.c", "records.py", "stubs.txt")


def test_the_installed_package_has_them_once() -> None:
    installed = [path.as_posix() for path in files("takt") or ()]
    assert [installed.count(f"takt/{name}") for name in BUILT] == [1] * len(BUILT)


def test_git_has_none_of_them() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not a clone")
    listed = ["git", "ls-files", "--cached", "--ignored", "--exclude-standard"]
    assert subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout == ""


def test_an_archive_has_what_writes_them(tmp_path: Path) -> None:
    make = "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"
    subprocess.run([sys.executable, "-c", make, tmp_path], cwd=ROOT, capture_output=True, check=True, timeout=300)
    (archive,) = tmp_path.glob("takt-*.tar.gz")
    with tarfile.open(archive) as opened:
        names = {name.partition("/python/")[2] for name in opened.getnames()}
    assert {*SOURCES, "takt/model/image.py"} <= names
    assert names.isdisjoint(f"takt/{name}" for name in BUILT)
