#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Measures in the emulated Linux how long the kernel's programs take to load for kinds of task sets.

Usage: loading.py [PACKAGE]... Prints a table in ms. `make linux` fetches what it needs.

Each PACKAGE of Debian's trixie-backports, as linux-binary-7.0.13+deb13-cloud-amd64, is a kernel that is tried besides.
Each set is run by its own process of takt-linux, for one millisecond. The last column is
`taktd --check`, which loads all functions.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import takt
from takt.base.errors import BoardError
from takt.board import guest
from takt.linux import board

ROOT = Path(__file__).resolve().parents[2]
SETS = {
    "plain": "smallest",
    "resources": "resources",
    "servers": "servers",
    "rate-based": "iot_65",
    "servers and resources": "shared_server_resources",
}
"""Names of examples."""

DAEMON = """echo '= taktd'; read begin rest < /proc/uptime
./taktd --check --objects . > errors 2>&1 || { tail -n 1 errors; exit; }
read end rest < /proc/uptime
echo "loaded in $(( (${end%.*}${end#*.} - ${begin%.*}${begin#*.}) * 10 )) ms"
"""
"""It has a clock of hundredths of a second."""

PATIENCE_SECONDS = 900
MEMORY_MB = 1024


def kernel(package: str) -> Path:
    """Return a folder with the kernel of a package, and the emulator of `make linux`.

    Raises:
        BoardError: the package cannot be had.
    """
    folder = ROOT / "build" / "kernels" / package
    command = [sys.executable, str(ROOT / "tools" / "get_linux.py"), "--kernel", package, "--into", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BoardError(done.stderr.strip())
    if not (folder / "root").exists():
        (folder / "root").symlink_to(board.folder() / "root")
    return folder


def measure(place: Path) -> dict[str, str]:
    """Return the milliseconds of each set under a kernel, or what the kernel says."""
    linux = board.folder()
    files: dict[str, Path | bytes] = {**board.products(linux), board.DAEMON: linux / "takt" / board.DAEMON}
    lines = []
    for name, example in SETS.items():
        system = takt.load(ROOT / "examples" / f"{example}.toml")
        part = board.parts(system.model_copy(update={"horizon": max(1, 1_000_000 // system.resolution_ns)}))[0]
        files[f"{example}.image"] = part.image()
        arguments = f"takt.bpf.o tables.bin {example} {system.resolution_ns} {example}.image"
        lines.append(f"echo '= {name}'; ./takt-linux {arguments} 2> errors || tail -n 1 errors\n")
    machine = guest.Machine(place, memory_mb=MEMORY_MB)
    outcome = guest.run(machine, "".join([*lines, DAEMON]), files, patience=PATIENCE_SECONDS)
    said = dict(re.findall(r"^= (.*)\n(.*)$", outcome.output.decode(errors="replace"), re.MULTILINE))
    return {name: said[name].removeprefix("loaded in ").removesuffix(" ms") for name in (*SETS, board.DAEMON)}


def main() -> int:
    """Print the table."""
    print(f"| kernel | {' | '.join(SETS)} | {board.DAEMON} |\n|{'---|' * (len(SETS) + 2)}")
    try:
        for package in ("", *sys.argv[1:]):
            found = measure(kernel(package) if package else board.folder())
            print(f"| {package or 'that of make linux'} | {' | '.join(found.values())} |", flush=True)
    except BoardError as error:
        print(f"loading NOT RUN: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
