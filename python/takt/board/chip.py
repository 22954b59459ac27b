# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The chip in hardware/ as a program of this machine: Verilator's model, built once for each state of its sources.

A model is named by what it is made of, the Verilog, the core, the main program, the tools and the recipe, and kept in
the user's cache beside the programs that it runs. The core is of the Python package pythondata-cpu-vexriscv.

When not to use it: for a chip's clock rate; hardware/synthesis.py has that.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from takt.base.errors import BoardError
from takt.board import firmware

_CORES = "pythondata_cpu_vexriscv"
_FOR_SPEED = ("-O3", "--flatten", "--x-assign", "fast", "--x-initial", "fast", "--noassert")
_SHOWN = 200


def core(variant: str) -> Path:
    """Return the Verilog of a variant of VexRiscv.

    Args:
        variant: such as Min.

    Raises:
        BoardError: the package is not installed, or has no such variant.
    """
    found = importlib.util.find_spec(_CORES)
    if found is None or found.origin is None:
        raise BoardError("the chip's core is not installed: pip install pythondata-cpu-vexriscv, or takt[soc]")
    path = Path(found.origin).parent / "verilog" / f"VexRiscv_{variant}.v"
    if not path.is_file():
        raise BoardError(f"the package {_CORES} has no variant {variant} of the core")
    return path


def sources(source: Path) -> list[Path]:
    """Return the chip's Verilog; what Verilator is to know of it comes first."""
    return [source / "hardware/verilator.vlt", *sorted(source.glob("hardware/takt_*.v"))]


def model(recipe: Mapping[str, Any], source: Path) -> Path:
    """Return the program that runs programs on the chip; hardware/main.cpp has its options.

    Args:
        recipe: of the board, with the key chip: cores, variant, ram_bytes.
        source: folder of the sources.

    Returns:
        The program, in the cache; it stays there.

    Raises:
        BoardError: a tool or the core is missing, or the model cannot be built.
    """
    verilator = firmware.tool("verilator", recipe["packages"])
    compiler = firmware.tool("c++", recipe["packages"])
    files = [*sources(source), core(recipe["chip"]["variant"]), source / "hardware/main.cpp"]
    name = firmware.fingerprint([recipe["chip"], _FOR_SPEED], [verilator, compiler], files)
    wanted = firmware.cache_folder() / f"chip-{name}"
    if not wanted.is_file():
        with tempfile.TemporaryDirectory(prefix=".takt-", dir=wanted.parent) as beside:
            _build(recipe["chip"], verilator, files, Path(beside)).replace(wanted)
    return wanted


def _build(chip: Mapping[str, Any], verilator: str, files: Sequence[Path], folder: Path) -> Path:
    """Build the model in a folder; return its program."""
    parameters = [f"-GCORES={chip['cores']}", f"-GRAM_BYTES={chip['ram_bytes']}", "+define+TAKT_PROBE"]
    flags = ["-CFLAGS", f"-std=c++17 -DTAKT_CORES={chip['cores']}", "--Mdir", str(folder), "-o", "model"]
    chosen = [*_FOR_SPEED, "--top-module", "takt_soc", *parameters, *flags]
    _call([verilator, "--cc", "--exe", *chosen, *map(str, files)], folder)
    make = ["make", "-s", "-f", "Vtakt_soc.mk", f"-j{os.cpu_count() or 1}"]
    _call([*make, "OPT_FAST=-O2", "OPT_SLOW=-O0", "OPT_GLOBAL=-O1", "model"], folder)
    return folder / "model"


def _call(command: Sequence[str], folder: Path) -> None:
    """Run a tool; its complaint is the error."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = [line for line in (done.stderr + done.stdout).splitlines() if "rror" in line]
        raise BoardError(f"the chip's model could not be built: {(lines or ['no word'])[0][:_SHOWN]}")
