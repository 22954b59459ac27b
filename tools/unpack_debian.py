# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Unpacks Debian packages of another release into a folder. Nothing is installed.

The packages come from this machine's own source of Debian packages, asked for another release. apt runs with an own
root in the folder, so neither the machine's list of package sources nor its list of installed packages changes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KEYS = Path("/usr/share/keyrings/debian-archive-keyring.gpg")


class NotHadError(Exception):
    """Something cannot be had here; the text says why, in a line."""


def run(command: list[str], folder: Path = ROOT) -> str:
    """Run a tool.

    Args:
        command: Program and arguments.
        folder: Where it runs.

    Returns:
        What it printed.

    Raises:
        NotHadError: It is missing or failed.
    """
    if shutil.which(command[0]) is None:
        raise NotHadError(f"there is no {command[0]} here")
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=600)
    if done.returncode != 0:
        complaint = (done.stderr.strip() or done.stdout.strip() or "failed").splitlines()[-1]
        raise NotHadError(f"{command[0]}: {complaint}")
    return done.stdout


def source_of_packages() -> str:
    """Return the address from which this machine has its Debian packages.

    Raises:
        NotHadError: It is no Debian, or names no source.
    """
    text = Path("/etc/os-release").read_text(encoding="utf-8")
    system = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
    if system.get("ID") != "debian":
        raise NotHadError("only on Debian it is fetched from another release; install it")
    own = system.get("VERSION_CODENAME", "").strip('"')
    targets = run(["apt-get", "indextargets", "--format", "$(CREATED_BY) $(RELEASE) $(REPO_URI)"])
    for line in targets.splitlines():
        words = line.split()
        if words[:2] == ["Packages", own]:
            return words[2]
    raise NotHadError("this machine names no source of Debian packages")


def apt_options(folder: Path, release: str) -> list[str]:
    """Return the options that confine apt to its own root in a folder and to a release; that root is created."""
    for name in ("state/lists/partial", "cache/archives/partial"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "status").touch()
    keys = f"[signed-by={KEYS}] " if KEYS.exists() else ""
    line = f"deb {keys}{source_of_packages()} {release} main\n"
    (folder / "sources.list").write_text(line, encoding="utf-8")
    settings = {
        "Dir::State": folder / "state",
        "Dir::State::status": folder / "status",
        "Dir::Cache": folder / "cache",
        "Dir::Etc::sourcelist": folder / "sources.list",
        "Dir::Etc::sourceparts": "/dev/null",
        "APT::Sandbox::User": "root" if os.geteuid() == 0 else "",
        "Acquire::Languages": "none",
    }
    return [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]


def unpack(release: str, packages: tuple[str, ...], into: Path) -> None:
    """Download packages and unpack them.

    Args:
        release: The release or suite, such as trixie or bookworm-backports.
        packages: Their names. A name with `|` is a list of alternatives, of which the first that exists is taken.
        into: The folder that gets their files.

    Raises:
        NotHadError: A package cannot be had; the folder may hold files of others.
    """
    work = into / "apt"
    options = apt_options(work, release)
    run(["apt-get", *options, "-qq", "update"], work)
    known = set(run(["apt-cache", *options, "pkgnames"], work).split())
    wanted = [next((name for name in one.split("|") if name in known), one) for one in packages]
    run(["apt-get", *options, "-qq", "download", *wanted], work)
    for package in sorted(work.glob("*.deb")):
        run(["dpkg-deb", "-x", str(package), str(into)])
    shutil.rmtree(work)
