# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Programs on the kernel for tests: built by the recipes of firmware/, and run as they say."""

from __future__ import annotations

import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from places import ROOT

PORTS = ("cortex_m", "riscv", "posix")
TIMEOUT_SECONDS = 600

Command = list[str | Path]


def recipe(port: str, *flags: str) -> dict[str, Any]:
    """Read how programs for a port are built and emulated; `flags` are the compiler's, behind those of the recipe."""
    how: dict[str, Any] = json.loads((ROOT / "firmware" / f"build_{port}.json").read_text(encoding="utf-8"))
    return {**how, "cflags": [*how["cflags"], *flags]}


def emulator(how: dict[str, Any]) -> Command:
    """Return the command before a program that runs it: nothing where it runs by itself."""
    if "qemu" not in how:
        return []
    return [*how["qemu"], "-icount", f"shift={how['instruction_shift']},align=off,sleep=off", "-kernel"]


def run(
    command: Command, text: str = "", environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command at the root to its end, which must come."""
    try:
        return subprocess.run(
            command,
            cwd=ROOT,
            env={**os.environ, **(environment or {})},
            input=text,
            capture_output=True,
            text=True,
            check=False,
            timeout=TIMEOUT_SECONDS,
        )
    except subprocess.TimeoutExpired:
        pytest.fail(f"{command[-1]} has not ended after {TIMEOUT_SECONDS} s")


def must_build(command: Command) -> None:
    """Run a compiler that must succeed and have nothing to say."""
    done = run(command)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr


def compile_kernel(how: dict[str, Any], port: str, folder: Path) -> list[Path]:
    """Compile what programs of tests have in common: kernel, port, and what tests/conformance asks of a machine."""
    found = [str(path.relative_to(ROOT)) for pattern in how["sources"] for path in ROOT.glob(pattern)]
    sources = [*found, "tests/conformance/conformance.c", f"tests/conformance/{port}/board.c"]
    objects = [folder / (source.replace("/", "_") + ".o") for source in sources]
    commands: list[Command] = [
        [how["cc"], *how["cflags"], "-c", source, "-o", target] for source, target in zip(sources, objects, strict=True)
    ]
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(must_build, commands))
    return objects


def link(how: dict[str, Any], sources: list[str], objects: list[Path], program: Path) -> Path:
    """Compile and link a program; give its file."""
    must_build([how["cc"], *how["cflags"], *how["ldflags"], *sources, *objects, *how["libs"], "-o", program])
    return program
