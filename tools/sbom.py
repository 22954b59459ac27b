#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Writes what ships with Takt as a CycloneDX document, from docs/reference/licences.md and tools/lock.txt.

Usage: sbom.py [FILE]. The default is build/sbom.json. Names, versions, licences and places are those of the table;
hashes are those of the files in the lock, for the machine that the lock names.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import lock

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "docs" / "reference" / "licences.md"
MACHINE = "machine"


def rows() -> list[list[str]]:
    """Return name, version, licence and place of each row of the table."""
    lines = [line for line in TABLE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


def component(row: list[str], packages: dict[str, lock.Package]) -> dict[str, Any]:
    """Return the component of a row."""
    name, version, licence, place = row
    found: dict[str, Any] = {
        "type": "library",
        "bom-ref": name,
        "name": name,
        "licenses": [{"expression": licence}],
        "properties": [{"name": "takt:ships-as", "value": place}],
    }
    if version != MACHINE:
        found["version"] = version
    package = packages.get(lock.plain(name))
    if package is not None:
        found["purl"] = f"pkg:pypi/{lock.plain(name)}@{version}"
        found["hashes"] = [{"alg": "SHA-256", "content": digest} for digest in package.hashes]
    return found


def document() -> dict[str, Any]:
    """Return the whole document."""
    packages = {lock.plain(package.name): package for package in lock.read().packages}
    components = [component(row, packages) for row in rows()]
    project = lock.read_project()["project"]
    takt = {
        "type": "application",
        "bom-ref": project["name"],
        "name": project["name"],
        "version": project["version"],
        "licenses": [{"expression": project["license"]}],
    }
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": takt},
        "components": components,
        "dependencies": [{"ref": takt["bom-ref"], "dependsOn": [each["bom-ref"] for each in components]}],
    }


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "sbom.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(document(), indent=1) + "\n", encoding="utf-8")
