#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Fetches a kernel with sched_ext, boots it in the emulator and runs a command in it.

Usage: boot.py [--cpus N] [--get NAME]... [--into FOLDER] [FILE]... [-- COMMAND]

Each FILE stands in the folder in which COMMAND runs, a script for busybox's shell. Its output is printed and its exit
status is the own one. Each file that `--get` names comes back into FOLDER, the working folder by default. Without
COMMAND it says what the kernel has; then the exit status is 0, too, where one line says that it cannot be had.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from takt.base.errors import BoardError
from takt.board import guest

ROOT = Path(__file__).resolve().parents[2]
SHOW = """echo "Linux $(uname -r) on $(nproc) processors, after $(cut -d' ' -f1 /proc/uptime) s of the guest"
echo "sched_ext: $(cat /sys/kernel/sched_ext/state)"
echo "types of the kernel: $(stat -c %s /sys/kernel/btf/vmlinux) bytes of BTF"
"""


def fetch() -> Path:
    """Return the folder of the kernel.

    Raises:
        BoardError: It cannot be had.
    """
    command = [sys.executable, str(ROOT / "tools" / "get_linux.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BoardError(done.stderr.strip().splitlines()[-1])
    return Path(done.stdout.strip())


def main(words: list[str]) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description="boot Linux in the emulator and run a command in it")
    parser.add_argument("--cpus", type=int, default=1)
    parser.add_argument("--get", action="append", default=[], metavar="NAME")
    parser.add_argument("--into", type=Path, default=Path())
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    own = words.index("--") if "--" in words else len(words)
    options, command = parser.parse_args(words[:own]), " ".join(words[own + 1 :]) or SHOW
    try:
        machine = guest.Machine(fetch(), options.cpus)
        outcome = guest.run(machine, command, {file.name: file for file in options.files}, options.get)
    except BoardError as error:
        print(f"linux NOT RUN: {error}")
        return 0 if command == SHOW else 1
    sys.stdout.buffer.write(outcome.output)
    for name, content in outcome.files.items():
        (options.into / name).write_bytes(content)
    return outcome.status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
