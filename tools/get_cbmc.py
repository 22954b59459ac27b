#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Finds the model checker CBMC, or unpacks Debian's package of it into a folder of the project.

Usage: get_cbmc.py [--into FOLDER] (default: build/cbmc).

Prints the command to call. A machine that has cbmc is left alone. Otherwise Debian's packages of it and of the
libraries that it was linked with are unpacked, not installed, and a script starts it through the loader among
them, so that neither the machine's libraries nor its list of package sources matter. Where they come from is the
machine's own source of packages, asked for another release. Exit status 1 and one line on standard error where it
cannot be had.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RELEASE = "trixie"
PACKAGES = ("cbmc", "minisat", "libc6", "libstdc++6", "libgcc-s1")
KEYS = Path("/usr/share/keyrings/debian-archive-keyring.gpg")

START = """#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
libraries=$(echo "$here"/root/usr/lib/*-linux-gnu)
loader=$(ls "$libraries"/ld-linux-*.so.* "$here"/root/usr/lib/ld-linux-*.so.* 2>/dev/null | head -n 1)
exec "$loader" --library-path "$libraries:$here/root/usr/lib" "$here/root/usr/bin/cbmc" "$@"
"""


class NotHadError(Exception):
    """It cannot be had here; the text says why, in a line."""


def run(command: list[str], folder: Path = ROOT) -> str:
    """Runs a tool.

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
    """Gives the address from which this machine has its Debian packages.

    Raises:
        NotHadError: It is no Debian, or names no source.
    """
    text = Path("/etc/os-release").read_text(encoding="utf-8")
    system = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
    if system.get("ID") != "debian":
        raise NotHadError("install the package cbmc: only on Debian it is fetched from another release")
    own = system.get("VERSION_CODENAME", "").strip('"')
    targets = run(["apt-get", "indextargets", "--format", "$(CREATED_BY) $(RELEASE) $(REPO_URI)"])
    for line in targets.splitlines():
        words = line.split()
        if words[:2] == ["Packages", own]:
            return words[2]
    raise NotHadError("this machine names no source of Debian packages")


def apt_options(folder: Path) -> list[str]:
    """Makes an own root for apt in a folder, and gives the options that confine apt to it."""
    for name in ("state/lists/partial", "cache/archives/partial"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "status").touch()
    keys = f"[signed-by={KEYS}] " if KEYS.exists() else ""
    line = f"deb {keys}{source_of_packages()} {RELEASE} main\n"
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


def unpack(folder: Path) -> None:
    """Downloads the packages and unpacks them to `root` in a folder."""
    work = folder / "apt"
    options = apt_options(work)
    run(["apt-get", *options, "-qq", "update"], work)
    run(["apt-get", *options, "-qq", "download", *PACKAGES], work)
    for package in sorted(work.glob("*.deb")):
        run(["dpkg-deb", "-x", str(package), str(folder / "root")])
    shutil.rmtree(work)


def install(folder: Path) -> Path:
    """Makes sure that a folder has the script that starts it.

    Raises:
        NotHadError: It cannot be had.
    """
    start = folder / "cbmc"
    if start.exists():
        return start
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    unpack(folder)
    script = folder / "script"
    script.write_text(START, encoding="utf-8")
    script.chmod(0o755)
    run([str(script), "--version"])
    return script.rename(start)


def main() -> int:
    """Prints how to call it."""
    parser = argparse.ArgumentParser(description="find or unpack the model checker CBMC")
    parser.add_argument("--into", type=Path, default=ROOT / "build" / "cbmc")
    folder = parser.parse_args().into.resolve()
    try:
        print(shutil.which("cbmc") or install(folder))
    except (NotHadError, OSError, subprocess.TimeoutExpired) as error:
        print(f"cbmc cannot be had here: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
