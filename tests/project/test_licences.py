# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The table of licences, the lock, what is installed, and the document of `make sbom` say one thing."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import bokeh
import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from license_expression import get_spdx_licensing
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"\| (?P<name>\S+) \| (?P<version>[^|]+) \| (?P<licence>[^|]+) \| (?P<place>\w+) \|")
FAMILIES = {
    "Apache-2.0": "apache",
    "BSD-3-Clause": "bsd",
    "ISC": "isc",
    "MIT": "mit",
    "PSF-2.0": "python software foundation",
}
"""Words in the metadata of packages that have no SPDX expression."""


def table() -> dict[str, re.Match[str]]:
    """Return the rows of the table."""
    lines = (ROOT / "docs" / "reference" / "licences.md").read_text().splitlines()
    rows = [ROW.fullmatch(line) for line in lines if line.startswith("| ") and line != lines[0]][1:]
    assert None not in rows
    return {row["name"]: row for row in rows if row}


def locked() -> dict[str, tuple[str, str, list[str]]]:
    """Return version, hash and groups of each package in the lock."""
    line = re.compile(r"^(\S+?)==(\S+) --hash=sha256:(\w+) # (.+)$", re.MULTILINE)
    found = line.findall((ROOT / "tools" / "lock.txt").read_text())
    return {canonicalize_name(name): (version, digest, groups.split()) for name, version, digest, groups in found}


ROWS = table()
DEPENDENCIES = [name for name, row in ROWS.items() if row["place"] == "dependency"]
EXTRAS = [name for name, row in ROWS.items() if row["place"] == "extra"]


def test_the_table_has_the_packages_of_the_lock_that_users_get() -> None:
    expected = {name: version for name, (version, _, groups) in locked().items() if "package" in groups}
    assert {canonicalize_name(name): ROWS[name]["version"] for name in DEPENDENCIES} == expected
    brought = {name: version for name, (version, _, groups) in locked().items() if {"drs", "perfetto"} & set(groups)}
    extras = {canonicalize_name(name): ROWS[name]["version"] for name in EXTRAS}
    assert extras == {name: version for name, version in brought.items() if name not in expected}
    assert ROWS["BokehJS"]["version"] == expected["bokeh"]
    assert ROWS["nanobind"]["version"] == locked()["nanobind"][0]
    assert ROWS["robin-map"]["version"] == f"in nanobind {locked()['nanobind'][0]}"


@pytest.mark.parametrize("name", [*DEPENDENCIES, *EXTRAS, "nanobind"])
def test_a_licence_is_that_of_the_installed_package(name: str) -> None:
    about, licence = metadata.metadata(name), ROWS[name]["licence"]
    assert about["Version"] == ROWS[name]["version"]
    if "License-Expression" in about:
        assert about["License-Expression"] == licence
        return
    classifiers = [text for text in about.get_all("Classifier") or [] if text.startswith("License")]
    told = " ".join([*(about.get_all("License") or []), *classifiers]).lower()
    assert FAMILIES[licence] in told


@pytest.mark.parametrize("name", ROWS)
def test_a_licence_is_an_spdx_expression(name: str) -> None:
    assert get_spdx_licensing().validate(ROWS[name]["licence"]).errors == []


def test_what_is_linked_and_what_stands_in_pages_is_named() -> None:
    linked = (ROOT / "linux" / "bpf" / "build.py").read_text()
    names = {"-lelf": "libelf", "-lz": "zlib", "-static": "glibc", "libbpf.a": "libbpf"}
    assert all(option in linked and ROWS[name]["place"] == "linux" for option, name in names.items())
    assert set(re.findall(r'"-l(\w+)"', linked)) <= {"elf", "z", "pthread"}
    templates = (ROOT / "python" / "takt" / "show" / "templates").iterdir()
    assert not [path for path in templates if re.search(r"https?://|Copyright|@font-face", path.read_text())]


def test_every_library_that_pages_bundle_has_a_row() -> None:
    scripts = Path(bokeh.__file__).parent / "server" / "static" / "js"
    own = {path.name for path in (scripts / "lib").iterdir()}
    modules = re.findall(r"/\* ((?:@[\w-]+/)?[\w.-]+)/[^* ]+ \*/ function", (scripts / "bokeh.js").read_text())
    pages = {name: row["version"] for name, row in ROWS.items() if row["place"] == "page"}
    version = pages.pop("BokehJS")
    assert pages == dict.fromkeys(set(modules) - own, f"in BokehJS {version}")


def test_the_document_is_valid_and_has_every_row_and_hash(tmp_path: Path) -> None:
    target = tmp_path / "sbom.json"
    subprocess.run([sys.executable, ROOT / "tools" / "sbom.py", target], check=True)
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(target.read_text()) is None
    found = json.loads(target.read_text())
    assert found["metadata"]["component"]["version"] == metadata.version("takt")
    components = {each["name"]: each for each in found["components"]}
    assert list(components) == list(ROWS)
    for name, row in ROWS.items():
        each = components[name]
        assert each["licenses"] == [{"expression": row["licence"]}]
        assert each.get("version", "machine") == row["version"]
        if canonicalize_name(name) in locked():
            assert each["hashes"] == [{"alg": "SHA-256", "content": locked()[canonicalize_name(name)][1]}]
