# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Programs on the kernel for tests: built by the recipes of firmware/, and run as they say.

Objects are shared by all tests of a run: each source is compiled once with the same compiler and flags. What
macros a source cannot notice, the bench of the kernel says.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from places import ROOT
from takt.board import chip

from bench.kernel.board import noticed_flags

PORTS = ("cortex_m", "riscv", "posix")
COMPUTING = ("cortex_m4f", "cortex_m7f", "cortex_m33", "riscv_f")
"""Recipes of cores of these ports with a floating-point unit."""
CORES = (*COMPUTING, "cortex_m0", "riscv64", "soc")
"""Recipes of all other cores."""
TIMEOUT_SECONDS = 600

Command = list[str | Path]


def recipe(port: str, *flags: str) -> dict[str, Any]:
    """Read how programs for a port are built and emulated; `flags` are the compiler's, behind those of the recipe."""
    how: dict[str, Any] = json.loads((ROOT / "firmware" / f"build_{port}.json").read_text(encoding="utf-8"))
    return {**how, "cflags": [*how["cflags"], *flags]}


def recipe_of_linux() -> dict[str, Any]:
    """Read how programs that need no port are built for this machine."""
    how = recipe("posix")
    return {**how, "cflags": [flag for flag in how["cflags"] if not flag.startswith("-Iport")]}


def emulator(how: dict[str, Any]) -> Command:
    """Return the command before a program that runs it: nothing where it runs by itself."""
    if "chip" in how:
        return [chip.model(how, ROOT)]
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


def found(*patterns: str) -> list[str]:
    """Return the sources that match, by their paths from the root."""
    return [str(path.relative_to(ROOT)) for pattern in patterns for path in sorted(ROOT.glob(pattern))]


def shared_folder(factory: pytest.TempPathFactory, name: str) -> Path:
    """Return a folder that all processes of a run of the tests have in common."""
    own = factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def compile_objects(how: dict[str, Any], sources: list[str], factory: pytest.TempPathFactory) -> list[Path]:
    """Compile what is not compiled in this run yet; return the objects, which stay as they are."""
    folder = shared_folder(factory, "objects")
    built: dict[Path, Command] = {}
    for source in sources:
        command = [how["cc"], *noticed_flags(how["cflags"], source), "-c", source]
        name = hashlib.sha256(json.dumps(command).encode()).hexdigest()[:16]
        target = folder / name / (source.replace("/", "_") + ".o")
        built[target] = [*command, "-o", target]
    with (folder / "lock").open("w") as lock, ThreadPoolExecutor(2) as pool:
        fcntl.flock(lock, fcntl.LOCK_EX)
        missing = [target for target in built if not target.exists()]
        for target in missing:
            target.parent.mkdir(exist_ok=True)
        list(pool.map(must_build, (built[target] for target in missing)))
    return list(built)


def compile_kernel(how: dict[str, Any], port: str, factory: pytest.TempPathFactory) -> list[Path]:
    """Compile what programs of tests have in common: kernel, port, and what tests/conformance asks of a machine."""
    machine = found(f"tests/conformance/{how.get('port', port)}/*.c")
    own = {**how, "cflags": [*how["cflags"], *how.get("own_cflags", ())]}
    return [
        *compile_objects(own, found(*how["sources"]), factory),
        *compile_objects(how, ["tests/conformance/conformance.c", *machine], factory),
    ]


def link(how: dict[str, Any], sources: list[str], objects: list[Path], program: Path) -> Path:
    """Compile and link a program; give its file."""
    must_build([how["cc"], *how["cflags"], *how["ldflags"], *sources, *objects, *how["libs"], "-o", program])
    return program
