# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Measurements on the emulated board: what the kernel's bench counts for a study.

A program of bench/kernel/studies is built and run by a script of the bench; nothing of it is imported. Figures are
instructions, exact and the same in each run; they are not cycles of silicon.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
_TOOLS = ("arm-none-eabi-gcc", "qemu-system-arm")

Figures = dict[str, dict[str, float]]

WHY_NOT = "The board's compiler or emulator is not installed (see tools/apt-packages.txt)."


def is_there() -> bool:
    """True if the board can be built for and emulated."""
    return all(shutil.which(tool) is not None for tool in _TOOLS)


@cache
def _objects() -> tempfile.TemporaryDirectory[str]:
    """Return a folder for the kernel's objects, which are the same for all programs, until this process ends."""
    return tempfile.TemporaryDirectory(prefix="takt-")


@cache
def measure(program: str, *choices: str) -> dict[str, Figures]:
    """Run a program of bench/kernel/studies on the board.

    Args:
        program: its name, without suffix.
        choices: the words of its command line, one run for each.

    Returns:
        For each choice the figures by name: least, most, mean and count in instructions, or two numbers as they are.

    Raises:
        subprocess.CalledProcessError: it could not be built or run.
    """
    command = [sys.executable, "bench/kernel/study.py", "--objects", _objects().name, program, *choices]
    done = subprocess.run(command, cwd=_ROOT, stdout=subprocess.PIPE, text=True, check=True)
    figures: dict[str, Figures] = json.loads(done.stdout)
    return figures
