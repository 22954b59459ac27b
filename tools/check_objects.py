#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Proves from object files that core, policy, system, remote and linux are pure state machines in integers.

Usage: check_objects.py [--target NAME]... [--helpers] [FILE]...

Without a target all are checked, without a file those of these folders.

For each target the files are compiled as a freestanding program would, linked into one relocatable object, and
that object is read with nm, readelf and objdump. One line per violation, exit status 1 if there is one:
undefined symbols (so no heap, no library, no soft float), writable memory (so no global state), floating-point
or vector instructions. The host's compiler is not given its floating-point registers, which it would else use to
copy structures. With --helpers what every compiler supplies is allowed, as analysis/ needs it:
division of 64-bit integers, memset and memcpy.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

FLAGS = ["-std=c11", "-O2", "-ffreestanding", "-nostdlib", "-Wall", "-Wextra", "-Wconversion", "-Werror"]


@dataclass(frozen=True)
class Target:
    """A compiler, and the form of floating point in its disassembly."""

    prefix: str
    flags: tuple[str, ...]
    float_code: re.Pattern[str]


X86_FLOAT = re.compile(r"f.*|.*%([xyz]mm\d|st\b).*")
ARM_FLOAT = re.compile(r"v.*")
RISCV_FLOAT = re.compile(r"c?\.?f(?!ence).*")

TARGETS = {
    "host": Target("", ("-mgeneral-regs-only",), X86_FLOAT),
    "cortex-m3": Target("arm-none-eabi-", ("-mcpu=cortex-m3", "-mthumb"), ARM_FLOAT),
    "rv32imac": Target("riscv64-unknown-elf-", ("-march=rv32imac", "-mabi=ilp32"), RISCV_FLOAT),
    "rv64imac": Target("riscv64-unknown-elf-", ("-march=rv64imac", "-mabi=lp64"), RISCV_FLOAT),
}

HEAP = re.compile(r"(malloc|calloc|realloc|free|sbrk|_Zn|_Zd)")
HELPER = re.compile(r"__(aeabi_u?ldivmod|u?divdi3|u?moddi3)|mem(set|cpy)")
SOFT_FLOAT = re.compile(r"__(aeabi_[fd]|aeabi_.*2[fd]$|.*[sdt]f[0-9si]?)")


class ToolError(Exception):
    """A tool is missing or failed; the text is for people."""


def run(command: list[str]) -> str:
    """Return the output of a tool; a failure's first complaint becomes the error."""
    if shutil.which(command[0]) is None:
        raise ToolError(f"{command[0]} is missing: install the packages of tools/apt-packages.txt")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        complaints = [line for line in done.stderr.splitlines() if "error" in line] or done.stderr.splitlines()
        raise ToolError(complaints[0] if complaints else f"{command[0]} failed")
    return done.stdout


def build(target: Target, files: list[Path], folder: Path) -> Path:
    """Compile the files and links them into one relocatable object."""
    compiler = target.prefix + "gcc"
    objects = []
    for number, file in enumerate(files):
        objects.append(str(folder / f"{number}.o"))
        run([compiler, *target.flags, *FLAGS, f"-I{ROOT}", "-c", str(file), "-o", objects[-1]])
    linked = folder / "linked.o"
    run([target.prefix + "ld", *emulation(target), "-r", *objects, "-o", str(linked)])
    return linked


def emulation(target: Target) -> list[str]:
    """Return the linker's name of a word size where one linker serves two."""
    return ["-m", "elf32lriscv"] if "-mabi=ilp32" in target.flags else []


# ---- what an object must not have -------------------------------------------------------------------------


def undefined_symbols(target: Target, linked: Path) -> Iterator[str]:
    """Yield a complaint about each symbol that another object would have to supply, and of common ones."""
    for line in run([target.prefix + "nm", str(linked)]).splitlines():
        kind, name = line.split()[-2:]
        if kind in "UvwV":
            reason = " (heap)" if HEAP.match(name) else " (soft float)" if SOFT_FLOAT.match(name) else ""
            yield f"undefined symbol {name}{reason}"
        elif kind in "Cc":
            yield f"global state: common symbol {name}"


SECTION = re.compile(r"^\s*\[\s*\d+\]\s+(\S+)\s+\S+\s+\S+\s+\S+\s+(\S+)\s+\S+\s+([A-Za-z]*)\s+\d+\s+\d+\s+\d+\s*$")


def writable_sections(target: Target, linked: Path) -> Iterator[str]:
    """Yield a complaint about each section that takes writable memory; relocated constants do not."""
    for line in run([target.prefix + "readelf", "-S", "-W", str(linked)]).splitlines():
        match = SECTION.match(line)
        if match is None:
            continue
        name, size, flags = match.groups()
        is_constant = name.startswith(".data.rel.ro")
        if "W" in flags and "A" in flags and int(size, 16) > 0 and not is_constant:
            yield f"global state: {int(size, 16)} bytes in {name}"


INSTRUCTION = re.compile(r"^\s*[0-9a-f]+:\t(.*)$")


def float_code(target: Target, linked: Path) -> Iterator[str]:
    """Yield a complaint about the first instruction that touches floating point."""
    for line in run([target.prefix + "objdump", "-d", "--no-show-raw-insn", str(linked)]).splitlines():
        match = INSTRUCTION.match(line)
        if match is not None and target.float_code.fullmatch(match.group(1)):
            yield "floating-point code: " + " ".join(match.group(1).split())
            return


def is_helper(complaint: str) -> bool:
    """True if a complaint is about a function that comes with every compiler."""
    return HELPER.fullmatch(complaint.removeprefix("undefined symbol ")) is not None


CHECKS = (undefined_symbols, writable_sections, float_code)


def check(name: str, files: list[Path], *, may_be_helped: bool = False) -> list[str]:
    """Return the complaints about the files on one target."""
    target = TARGETS[name]
    with tempfile.TemporaryDirectory() as folder:
        try:
            linked = build(target, files, Path(folder))
            found = [complaint for check_one in CHECKS for complaint in check_one(target, linked)]
            return [f"{name}: {each}" for each in found if not (may_be_helped and is_helper(each))]
        except ToolError as error:
            return [f"{name}: {error}"]


def main() -> int:
    """Print the complaints; 1 if there are any."""
    parser = argparse.ArgumentParser(description="prove that core, policy, system, remote and linux are pure")
    parser.add_argument("--target", action="append", choices=TARGETS, help="default: all")
    parser.add_argument("--helpers", action="store_true", help="allow what every compiler supplies")
    parser.add_argument("files", nargs="*", type=Path)
    arguments = parser.parse_args()
    folders = ("core", "policy", "system", "remote", "linux")
    files = arguments.files or sorted(file for folder in folders for file in ROOT.glob(f"{folder}/*.c"))
    names = arguments.target or list(TARGETS)
    complaints = [complaint for name in names for complaint in check(name, files, may_be_helped=arguments.helpers)]
    for complaint in complaints:
        print(complaint)
    if not complaints:
        print(f"check_objects: {len(files)} files are pure on {', '.join(names)}")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
