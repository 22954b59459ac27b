#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The model checker CBMC: the installed one, or Debian's package of it unpacked into a folder of the project.

Usage: get_cbmc.py [--into FOLDER] (default: build/cbmc).

Prints the command to call. A machine that has cbmc is left alone. Otherwise Debian's packages of it and of the
libraries that it was linked with are unpacked, not installed, and a script starts it through the loader among
them, so that the machine's libraries do not matter. Exit status 1 and one line on standard error where it cannot be
had.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from unpack_debian import ROOT, NotHadError, run, unpack

RELEASE = "trixie"
PACKAGES = ("cbmc", "minisat", "libc6", "libstdc++6", "libgcc-s1")

START = """#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
libraries=$(echo "$here"/root/usr/lib/*-linux-gnu)
loader=$(ls "$libraries"/ld-linux-*.so.* "$here"/root/usr/lib/ld-linux-*.so.* 2>/dev/null | head -n 1)
exec "$loader" --library-path "$libraries:$here/root/usr/lib" "$here/root/usr/bin/cbmc" "$@"
"""


def install(folder: Path) -> Path:
    """Return the script in a folder that starts it, unpacked if it is missing.

    Raises:
        NotHadError: It cannot be had.
    """
    start = folder / "cbmc"
    if start.exists():
        return start
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    unpack(RELEASE, PACKAGES, folder / "root")
    script = folder / "script"
    script.write_text(START, encoding="utf-8")
    script.chmod(0o755)
    run([str(script), "--version"])
    return script.rename(start)


def main() -> int:
    """Print how to call it."""
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
