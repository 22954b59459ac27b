# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The wheel of `make wheel`: what it holds, what it leaves out, and on which systems it runs."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from installed import EPOCH, locked_dependencies, must_run
from places import EXAMPLES, ROOT

pytest_plugins = ["installed"]
SOURCES = (
    "analysis",
    "boards",
    "cmake",
    "compat",
    "core",
    "firmware",
    "hardware",
    "kernel",
    "policy",
    "port",
    "remote",
    "system",
)
PAGES = ("man/man1/takt.1", "takt/task-set.schema.json", "takt/recipe.schema.json", "takt/study.schema.json")
MOST_BYTES = 2_500_000


@pytest.fixture(scope="module")
def contents(wheel: Path) -> Mapping[str, bytes]:
    """The files of the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return {each.filename: archive.read(each) for each in archive.infolist() if not each.is_dir()}


def below(contents: Mapping[str, bytes], folder: str) -> set[str]:
    """Return the files in a folder, as paths from there."""
    return {name.removeprefix(folder) for name in contents if name.startswith(folder)}


def test_its_tag_is_that_of_the_oldest_system_with_all_symbols(wheel: Path) -> None:
    found = re.fullmatch(r"takt-[\d.]+-(cp\d+)-\1-(manylinux_2_(\d+)_\w+)(?:\.\w+)*\.whl", wheel.name)
    assert found is not None, wheel.name
    assert 17 <= int(found[3]) <= 36
    shown = must_run([sys.executable, "-m", "auditwheel", "show", wheel])
    assert f'is consistent with the following platform tag: "{found[2]}"' in " ".join(shown.split())
    text = (wheel.parent / "text").read_text(encoding="utf-8").splitlines()
    assert text[-3:] == [f"tag:  {found[2]}", f"size: {wheel.stat().st_size / 1e6:.1f} MB", str(wheel)]


def test_its_metadata_names_that_tag_and_each_file(contents: Mapping[str, bytes], wheel: Path) -> None:
    (about,) = {name.partition("/")[0] for name in contents if ".dist-info/" in name}
    tags = re.findall(r"^Tag: (.+)$", contents[f"{about}/WHEEL"].decode(), re.MULTILINE)
    assert f"-{tags[0].rpartition('-')[2]}" in wheel.name
    recorded = {line.partition(",")[0] for line in contents[f"{about}/RECORD"].decode().splitlines()}
    assert recorded == set(contents)


def test_it_has_the_modules_the_examples_the_pages_and_the_sources(contents: Mapping[str, bytes]) -> None:
    modules = {name for name in below(contents, "takt/") if name.endswith(".so")}
    assert {name.partition(".")[0] for name in modules} == {"_core", "_analysis", "_linux"}
    python = {path.relative_to(ROOT / "python" / "takt").as_posix() for path in (ROOT / "python/takt").rglob("*.py")}
    assert python <= below(contents, "takt/")
    shown = {
        path.relative_to(EXAMPLES).as_posix()
        for each in ("*.toml", "*.py", "*.ipynb", "robot.*")
        for path in EXAMPLES.rglob(each)
    }
    own = {f"own_policy/{path.name}" for path in (EXAMPLES / "own_policy").iterdir()}
    assert below(contents, "takt/examples/") == {name for name in shown if not name.startswith("linux/")} | own
    (data,) = {name.partition("/")[0] for name in contents if ".data/" in name}
    assert below(contents, f"{data}/data/share/") == set(PAGES)
    assert json.loads(contents[f"{data}/data/share/takt/task-set.schema.json"])["title"] == "Takt task set"
    assert contents[f"{data}/data/share/man/man1/takt.1"].startswith(b".TH TAKT 1")
    for folder in SOURCES:
        expected = {path.relative_to(ROOT).as_posix() for path in (ROOT / folder).rglob("*.[chS]")}
        assert expected <= below(contents, "takt/source/"), folder


def test_it_has_no_rubbish(contents: Mapping[str, bytes], wheel: Path) -> None:
    folders = {"analysis", "base", "board", "command", "draw", "examples", "files", "formats", "linux", "model", "run"}
    assert {name.split("/")[0] for name in below(contents, "takt/") if "/" in name} == folders | {
        "show",
        "source",
        "study",
    }
    assert {name.partition("/")[0] for name in below(contents, "takt/source/")} == {*SOURCES, "linux", "CMakeLists.txt"}
    odd = re.compile(
        r"__pycache__|\.py[co]$|\.orig$|~$|\.o$|\.a$|\.md$|\.log$|CMakeCache|\.ninja|/build/|\.git|/tests?[/_]"
    )
    assert [name for name in contents if odd.search(name)] == []
    assert not [name for name, data in contents.items() if str(ROOT).encode() in data]
    assert wheel.stat().st_size < MOST_BYTES


def test_pip_installs_beside_it_what_has_no_extra(environment: Path) -> None:
    (packages,) = environment.glob("lib/*/site-packages")
    installed = {path.name.partition("-")[0].lower() for path in packages.glob("*.dist-info")}
    assert len(installed) == len(locked_dependencies()) + 1
    assert installed.isdisjoint({"scipy", "drs", "perfetto", "pytest"})
    done = subprocess.run([environment / "bin" / "python", "-c", "import scipy"], capture_output=True, check=False)
    assert done.returncode == 1
    assert (environment / "share/man/man1/takt.1").exists()


def test_the_same_sources_make_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    (built,) = (wheel.parent / "built").glob("*.whl")
    must_run([sys.executable, ROOT / "tools" / "wheel.py", built, tmp_path], SOURCE_DATE_EPOCH=EPOCH)
    assert (tmp_path / wheel.name).read_bytes() == wheel.read_bytes()
    with zipfile.ZipFile(wheel) as archive:
        assert {each.date_time[:3] for each in archive.infolist()} == {(2023, 11, 14)}
