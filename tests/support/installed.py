# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The package as users get it: a wheel, made once for all tests that run side by side, and an environment with it."""

from __future__ import annotations

import fcntl
import importlib.util
import os
import re
import subprocess
import sys
import venv
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

from places import ROOT

EPOCH = "1700000000"
"""The date of archives that the tests make."""


KEPT = ["-o", ".venv/stamps/package", "-o", ".venv/stamps/wheel"]
"""What `make test` has installed before, and what make leaves as it is."""


def once(folder: Path, make: Callable[[Path], None]) -> Path:
    """Return a folder that one process has filled, while the others wait."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "made").exists():
            folder.mkdir()
            make(folder)
            (folder / "made").touch()
    return folder


def must_run(command: list[str | Path], folder: Path = ROOT, **environment: str) -> str:
    """Run a command that must succeed, and return what it prints."""
    done = subprocess.run(
        command, cwd=folder, env=os.environ | environment, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def make_wheel(folder: Path) -> None:
    """Make the wheel of `make wheel`, in the build folder of the environment of the tests; text has what it printed."""
    printed = must_run(["make", "--no-print-directory", *KEPT, "wheel", f"WHEELS={folder}"], SOURCE_DATE_EPOCH=EPOCH)
    (folder / "text").write_text(printed, encoding="utf-8")


def locked_dependencies() -> list[str]:
    """Return the packages that pip installs beside the wheel, without those of extras."""
    lines = (ROOT / "tools" / "lock.txt").read_text(encoding="utf-8").splitlines()
    return [line.partition("==")[0] for line in lines if "package" in line.partition(" # ")[2].split()]


def make_environment(folder: Path, wheel: Path) -> None:
    """Make an environment with the wheel and its dependencies, which are those of the tests, and with nothing else."""
    venv.create(folder)
    python = folder / "bin" / "python"
    has_pip = importlib.util.find_spec("pip") is not None  # else that of the system, as tools/prepare.py has it
    pip = [sys.executable if has_pip else f"{sys.base_prefix}/bin/python3", "-m", "pip", "--python", python]
    must_run([*pip, "install", "--quiet", "--no-deps", "--no-index", "--no-compile", wheel])
    (packages,) = folder.glob("lib/*/site-packages")
    for name in locked_dependencies():
        for file in metadata.files(name) or ():
            top = packages / file.parts[0]
            if not top.exists() and re.match(r"[\w.]", file.parts[0]) and file.parts[0] not in ("..", "__pycache__"):
                top.symlink_to(
                    Path(str(file.locate())).parents[len(file.parts) - 2] if file.parts[1:] else file.locate()
                )
