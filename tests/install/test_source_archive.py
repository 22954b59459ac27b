# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The archive of sources: a wheel is built from it in a folder of its own, and `takt demo` runs from that wheel.

That takes half a minute of a processor, so `make soak` does it, and a workflow with three versions of Python.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from installed import EPOCH, must_run
from places import ROOT
from sampling import IS_SMALLER, SYSTEMS

pytest_plugins = ["installed"]
QUICK = (
    "-C",
    "cmake.build-type=Debug",
    "-C",
    "cmake.define.CMAKE_C_FLAGS=-O0",
    "-C",
    "cmake.define.CMAKE_CXX_FLAGS=-O0",
)
"""Options that compile in a third of the time."""


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive, of a copy of what git has."""
    folder = tmp_path_factory.mktemp("sdist")
    build: list[str | Path] = [sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", folder, ROOT]
    must_run(build, folder, SOURCE_DATE_EPOCH=EPOCH)
    (found,) = folder.glob("takt-*.tar.gz")
    return found


def test_it_has_the_sources_and_nothing_that_was_built(archive: Path) -> None:
    with tarfile.open(archive) as opened:
        names = [name.partition("/")[2] for name in opened.getnames()]
    assert {"pyproject.toml", "CMakeLists.txt", "LICENSE", "README.md", "PKG-INFO", "tools/wheel.py"} <= set(names)
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.split()
    assert {name for name in listed if not name.startswith(".github/")} <= set(names)
    odd = (".venv", "build", ".git", ".github", "__pycache__")
    assert [name for name in names if set(odd) & set(Path(name).parts) or name.endswith((".pyc", ".so", ".o"))] == []
    assert archive.stat().st_size < 8_000_000


@pytest.mark.skipif(SYSTEMS is None or IS_SMALLER, reason="make soak compiles the archive of sources")
def test_a_wheel_from_it_runs_the_demo(archive: Path, tmp_path: Path, environment: Path) -> None:
    with tarfile.open(archive) as opened:
        opened.extractall(tmp_path, filter="data")
    (sources,) = tmp_path.iterdir()
    must_run([sys.executable, "-m", "build", "--wheel", "--no-isolation", *QUICK, "--outdir", tmp_path, "."], sources)
    (wheel,) = tmp_path.glob("*.whl")
    package, empty = tmp_path / "package", tmp_path / "empty"
    empty.mkdir()
    with zipfile.ZipFile(wheel) as opened_wheel:
        opened_wheel.extractall(package)
    call = "import takt, sys; from takt.command.main import main; print(takt.__file__, file=sys.stderr); main()"
    python = environment / "bin" / "python"
    demo = subprocess.run(
        [python, "-c", call, "demo"],
        cwd=empty,
        env={"PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert demo.returncode == 0, demo.stderr
    assert demo.stderr.splitlines()[0] == str(package / "takt" / "__init__.py")
    assert demo.stdout.startswith("iot-node: 10 of 440 jobs late in 2 s.")
    assert [path.name for path in empty.iterdir()] == ["takt_demo.html"]
