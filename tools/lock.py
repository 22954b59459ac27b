# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The lock, tools/lock.txt: the version of each Python package, and the sha256 of the file that pip takes for it.

It is a requirements file in pip's hash-checking mode. Its comments name the machine for which the files hold and, for
each group of requirements in pyproject.toml, what the group wanted when the lock was made. The comment of a package
names its groups. pip reports the one file that fits a machine: on another one the versions hold, the files do not.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "tools" / "lock.txt"
BUILD = "build"
PROGRAMS = "programs"
PACKAGE = "package"
"""Groups beside the optional dependencies: what builds Takt, CMake where it is absent, what Takt needs at run time."""


@dataclass
class Package:
    """One line of the lock: a version, the hashes of its files, and the groups that need it."""

    name: str
    version: str
    hashes: list[str]
    groups: list[str] = field(default_factory=list)

    @property
    def pin(self) -> str:
        """Name and version as pip writes them."""
        return f"{self.name}=={self.version}"

    def __str__(self) -> str:
        """Return the line of the lock."""
        hashes = " ".join(f"--hash=sha256:{digest}" for digest in sorted(self.hashes))
        return f"{self.pin} {hashes} # {' '.join(sorted(self.groups))}"


@dataclass
class Lock:
    """The machine of the files, the requirements of each group, and the packages."""

    machine: str
    wanted: dict[str, list[str]]
    packages: list[Package]

    def of(self, groups: list[str]) -> list[Package]:
        """Return the packages of some groups."""
        return [package for package in self.packages if not set(groups).isdisjoint(package.groups)]


def plain(name: str) -> str:
    """Return the name of a package as registries compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def read_project() -> dict[str, Any]:
    """Return pyproject.toml."""
    import tomllib  # Python 3.11, which prepare.py checks first

    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def wanted() -> dict[str, list[str]]:
    """Return the requirements of each group of pyproject.toml."""
    content = read_project()
    apart = content["dependency-groups"]
    return {
        BUILD: [*content["build-system"]["requires"], *apart[BUILD]],
        PROGRAMS: apart[PROGRAMS],
        PACKAGE: content["project"]["dependencies"],
        **content["project"]["optional-dependencies"],
    }


def read() -> Lock:
    """Return the lock."""
    found = Lock("", {}, [])
    for line in LOCK.read_text(encoding="utf-8").splitlines():
        if line.startswith("# machine: "):
            found.machine = line.removeprefix("# machine: ")
        elif group := re.fullmatch(r"# ([\w-]+): (\[.*\])", line):
            found.wanted[group[1]] = json.loads(group[2])
        elif package := re.fullmatch(r"([^=\s]+)==(\S+)((?: --hash=sha256:[0-9a-f]{64})*) # (.+)", line):
            hashes = re.findall(r"sha256:(\w+)", package[3])
            found.packages.append(Package(package[1], package[2], hashes, package[4].split()))
    return found


def write(lock: Lock) -> None:
    """Write the lock."""
    lines = [
        "# Versions and files with which everything was tested; made by tools/prepare.py lock.",
        f"# machine: {lock.machine}",
        *(f"# {group}: {json.dumps(requirements)}" for group, requirements in lock.wanted.items()),
        *map(str, sorted(lock.packages, key=lambda package: plain(package.name))),
    ]
    LOCK.write_text("\n".join(lines) + "\n", encoding="utf-8")
