# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The package with the compiled programs: built, installed into an environment of its own, and used from there.

Its dependencies are those of the environment of the tests. It takes minutes, so `make soak` runs it.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path
from zipfile import ZipFile

import pytest
from places import ROOT
from recipes import must_build
from sampling import IS_SMALLER, SYSTEMS
from takt.linux import board
from test_taktd_guest import FOLDER, can_run

pytestmark = pytest.mark.skipif(
    SYSTEMS is None or IS_SMALLER or not can_run, reason="make soak builds the package with the programs"
)

SHIPPED = {"tables.bin": False, "takt-linux": True, "taktd": True} | {
    f"takt{family}.bpf.o": False for family in ("", "-plain", "-resources", "-servers", "-rates")
}
WITHOUT_PRIVILEGES = ("setpriv", "--bounding-set=-all", "--inh-caps=-all") if os.geteuid() == 0 else ()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    board.products(FOLDER)
    caches = {path: path.read_text() for path in ROOT.glob("build/*/CMakeCache.txt")}
    must_build(["make", "wheel", f"WHEELS={folder}", f"LINUX_PRODUCTS={FOLDER / 'takt'}"])
    assert all(path.read_text() == text for path, text in caches.items())  # those of the environment of the tests
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def takt(wheel: Path) -> Path:
    """Install the package, and give its command."""
    place = wheel.parent / "venv"
    venv.create(place)
    python = place / "bin" / "python"
    must_build(
        [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel]
    )
    (packages,) = place.glob("lib/*/site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    return place / "bin" / "takt"


def run(*words: str | Path) -> tuple[int, str, str]:
    done = subprocess.run(words, cwd="/", capture_output=True, text=True, check=False, timeout=60)
    return done.returncode, done.stdout, done.stderr


def test_the_package_has_the_programs(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        start = "takt/linux/shipped/"
        found = {each.filename: each for each in archive.infolist() if each.filename.startswith(start)}
        assert found.keys() == {start + name for name in SHIPPED}
        for name, is_program in SHIPPED.items():
            assert archive.read(start + name) == (FOLDER / "takt" / name).read_bytes()
            assert bool(found[start + name].external_attr >> 16 & 0o100) is is_program


def test_the_installed_command_checks_the_machine(takt: Path) -> None:
    status, output, errors = run(takt, "linux", "check", "--json")
    document = json.loads(output)
    assert (status, errors) == (0 if document["can_run"] else 3, "")
    assert run(takt, "linux", "check")[0] == status


def test_the_installed_command_starts_its_taktd_which_finds_its_objects(takt: Path, tmp_path: Path) -> None:
    status, output, _ = run(takt, "linux", "daemon", "--help")
    assert (status, "Run taktd, the scheduler of this machine" in output) == (0, True)
    status, _, errors = run(*WITHOUT_PRIVILEGES, takt, "linux", "daemon", "--socket", tmp_path / "s")
    assert status == 1
    assert re.fullmatch(r"taktd: the kernel refuses the programs: .*; takt linux check says .*\n", errors), errors
    assert list(tmp_path.iterdir()) == [tmp_path / "s.lock"]
    (taktd,) = takt.parents[1].glob("lib/*/site-packages/takt/linux/shipped/taktd")
    status, _, errors = run(taktd, "--socket", tmp_path / "s", "--objects", tmp_path)
    assert (status, errors.startswith("taktd: the compiled programs cannot be read: No such file")) == (1, True)
