#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compiles core for the kernel and for the daemon.

Usage: build.py --linux FOLDER --into FOLDER

FOLDER of --linux is what tools/get_linux.py fetched. Results:

    takt.bpf.o     the scheduler as programs for the kernel
    takt-*.bpf.o   the same for a family of task sets, which load sooner (uses.py)
    takt_arena.o   the same functions for programs of the host, to be linked with linux/daemon/machine.c
    tables.bin     the constants of both, and which functions name which (uses.py)
    takt-linux     runs images as threads (linux/daemon/run_image.c), without shared libraries
    taktd          is the scheduler of programs (linux/daemon/taktd.c), without shared libraries

Steps: clang makes IR of each file; lower.py rewrites the module; flatten.py chooses what is inlined; describe.py
describes the functions to the verifier; llc makes code. Exit status 1 and one line on standard error for an error.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import describe
import flatten
import lower
import uses
from lower import run

ROOT = Path(__file__).resolve().parent.parent.parent
VERSION = lower.VERSION
TABLES = 0x100000001000  # as linux/layout.h
ZERO = 0x100000000800
DEEPEST = 7  # frames: the verifier allows eight, and one is that of the program
FOLDERS = ("core", "policy", "system")
FILES = ("remote/scheduler.c", "linux/domain.c", "linux/negotiation.c", "linux/foresight.c", "linux/bpf/report.c")
OF_PROGRAMS = ("post", "pass", "selected", "settle", "commit", "state", "report", "foresee", "agrees")
ENTRIES = tuple(f"takt_domain_{name}" for name in OF_PROGRAMS)
FOR_THE_DAEMON = (
    *ENTRIES,
    *(f"takt_domain_{name}" for name in ("build", "end", "message", "next", "next_release", "requested", "take")),
)
CLANG = (
    f"clang-{VERSION} -target bpf -mcpu=v4 -O2 -DTAKT_TAILS=0 -mllvm -inline-threshold=40 "
    "-fno-delete-null-pointer-checks "
    "-ffreestanding -fno-builtin -fno-jump-tables -fno-vectorize -fno-slp-vectorize -fno-unroll-loops -S -emit-llvm"
).split()
GLUE = f"clang-{VERSION} -target bpf -mcpu=v4 -O2 -g -Wall -Werror -Wno-unused-function -S -emit-llvm".split()
CLEAN = "function(sroa,early-cse,instcombine,simplifycfg,dce)"
WARNINGS = ("-Wall", "-Wextra", "-Werror")


def sources() -> list[Path]:
    """Return the files of which the scheduler consists."""
    return [
        *(file for folder in FOLDERS for file in sorted((ROOT / folder).glob("*.c"))),
        *(ROOT / file for file in FILES),
    ]


def compile_parts(folder: Path) -> list[Path]:
    """Compile each file, and return the files of IR."""
    folder.mkdir(parents=True, exist_ok=True)

    def compile_part(source: Path) -> Path:
        target = folder / f"{source.parent.name}_{source.stem}.ll"
        run(*CLANG, f"-I{ROOT}", "-include", ROOT / "linux/bpf/loops.h", source, "-o", target)
        return target

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(compile_part, sources()))


def optimise(source: Path, target: Path, passes: str, *options: str) -> None:
    """Apply passes to a module."""
    run(f"opt-{VERSION}", "-S", f"-passes={passes}", *options, source, "-o", target)


def for_the_kernel(work: Path) -> Path:
    """Return a module of the lowered one in a folder that the verifier accepts."""
    keep = f"-internalize-public-api-list={','.join(ENTRIES)}"
    run(*CLANG, f"-I{ROOT}", ROOT / "linux/bpf/runtime.bpf.c", "-o", work / "runtime.ll")
    run(f"llvm-link-{VERSION}", "-S", work / "lowered.ll", work / "runtime.ll", "-o", work / "linked.ll")
    optimise(work / "linked.ll", work / "used.ll", "internalize,globaldce", keep)
    # a function that is called once would be inlined whatever its size, were it not public
    public = (work / "used.ll").read_text(encoding="utf-8").replace("define internal ", "define ")
    (work / "public.ll").write_text(public, encoding="utf-8")
    passes = f"always-inline,cgscc(inline),internalize,globaldce,{CLEAN}"
    optimise(work / "public.ll", work / "small.ll", passes, "-inline-threshold=0", keep)
    marked = flatten.flatten((work / "small.ll").read_text(encoding="utf-8"), ENTRIES, DEEPEST)
    (work / "marked.ll").write_text(marked, encoding="utf-8")
    optimise(work / "marked.ll", work / "flat.ll", f"always-inline,globaldce,{CLEAN},function(instnamer)")
    described = describe.describe((work / "flat.ll").read_text(encoding="utf-8"), ZERO)
    (work / "described.ll").write_text(described, encoding="utf-8")
    return work / "described.ll"


def compile_programs(linux: Path, target: Path, root: Path = ROOT) -> None:
    """Compile the kernel's programs to IR; `root` has their sources."""
    includes = (f"-I{root}", f"-I{ROOT}", f"-I{linux}", f"-I{linux / 'root/usr/include'}")
    run(*GLUE, *includes, root / "linux/bpf/takt.bpf.c", "-o", target)


def link_programs(work: Path, programs: Path, module: Path, target: Path, left_out: set[int]) -> None:
    """Link the object of the kernel's programs and a module.

    Args:
        work: a folder to work in.
        programs: what compile_programs made.
        module: what for_the_kernel made.
        target: the object.
        left_out: indices of the functions that it has not. The map of the used functions says so.
    """
    has = "".join(f"\\{int(index not in left_out):02x}" for index in range(lower.NUMBERS_MOST))
    text = programs.read_text(encoding="utf-8")
    text = re.sub(r"(@takt_used = .*) zeroinitializer,", lambda match: f'{match[1]} c"{has}",', text)
    (work / "programs.ll").write_text(text, encoding="utf-8")
    run(f"llvm-link-{VERSION}", "-S", work / "programs.ll", module, "-o", work / "all.ll")
    # loops that LLVM rewrites carry values of which the verifier knows too much
    run(f"llc-{VERSION}", "-disable-lsr", "-march=bpf", "-mcpu=v4", "-filetype=obj", work / "all.ll", "-o", target)


def for_the_daemon(work: Path, target: Path) -> None:
    """Compile the object of the host's programs."""
    (work / "host.ll").write_text(lower.for_host((work / "lowered.ll").read_text(encoding="utf-8")), encoding="utf-8")
    keep = f"-internalize-public-api-list={','.join(FOR_THE_DAEMON)}"
    optimise(work / "host.ll", work / "host_small.ll", "internalize,globaldce,default<O2>", keep)
    run(f"llc-{VERSION}", "-relocation-model=pic", "-filetype=obj", work / "host_small.ll", "-o", target)


def link_program(linux: Path, into: Path, target: Path, parts: Sequence[str | Path]) -> None:
    """Link a program of the host that loads the programs of the kernel."""
    libraries = next((linux / "root/usr/lib").glob("*/libbpf.a"), linux / "libbpf.a")
    files = [
        *(ROOT / f"linux/daemon/{name}.c" for name in ("machine", "uses")),
        *parts,
        into / "takt_arena.o",
        libraries,
    ]
    options = ("-O2", "-static", *WARNINGS, f"-I{ROOT}", f"-I{linux / 'root/usr/include'}")
    run("gcc", *options, *files, "-lelf", "-lz", "-lpthread", "-o", target)


def link_runner(linux: Path, into: Path, target: Path, *more: str | Path) -> None:
    """Link the program that runs images.

    Args:
        linux: what tools/get_linux.py fetched.
        into: where the results are.
        target: the program.
        more: options and files besides.
    """
    folders = (*(f"linux/{folder}" for folder in ("program", "lib")), *FOLDERS, "remote")
    tasks = [file for folder in folders for file in sorted((ROOT / folder).glob("*.c"))]
    daemon = ROOT / "linux/daemon"
    link_program(linux, into, target, [daemon / "run_image.c", daemon / "clients.c", *tasks, *more])


def link_daemon(linux: Path, into: Path) -> None:
    """Link taktd."""
    link_program(
        linux, into, into / "taktd", [ROOT / f"linux/daemon/{name}.c" for name in ("taktd", "service", "loaded")]
    )


def make_objects(work: Path, linux: Path, into: Path, module: lower.Module, tables: lower.Tables) -> None:
    """Compile the object of all functions, and that of each family."""
    lowered = (work / "lowered.ll").read_text(encoding="utf-8")
    kinds = [number - lower.NUMBERS for number in tables.kinds.values()]
    compile_programs(linux, work / "programs.ll")

    def make(family: str, text: str, without: set[int]) -> None:
        folder, target = work / (family or "whole"), into / f"takt{family and '-'}{family}.bpf.o"
        folder.mkdir(exist_ok=True)
        (folder / "lowered.ll").write_text(text, encoding="utf-8")
        link_programs(folder, work / "programs.ll", for_the_kernel(folder), target, without)
        run(f"llvm-strip-{VERSION}", "-g", "--remove-section=.eh_frame", "--remove-section=.rel.eh_frame", target)

    make("", uses.decide(lowered, kinds, True), set())
    for family, left in uses.FAMILIES.items():
        without = uses.left_out(module, tables, ENTRIES, left)
        make(family, uses.decide(lowered, without, False), without)


def build(linux: Path, into: Path) -> None:
    """Build all results.

    Raises:
        BuildError: A tool is missing or fails.
        lower.UnknownError: The code has what the rules do not cover.
    """
    work = into / "work"
    parts = compile_parts(work / "parts")
    run(f"llvm-link-{VERSION}", "-S", *parts, "-o", work / "core.ll")
    tables = lower.lower(work / "core.ll", parts, TABLES, work)
    module = lower.read((work / "core.ll").read_text(encoding="utf-8"))
    (into / "tables.bin").write_bytes(tables.content + uses.note(module, tables, ENTRIES, TABLES))
    make_objects(work, linux, into, module, tables)
    for_the_daemon(work, into / "takt_arena.o")
    link_runner(linux, into, into / "takt-linux")
    link_daemon(linux, into)


def main() -> int:
    """Build all results."""
    parser = argparse.ArgumentParser(description="compile core for the kernel and for the daemon")
    parser.add_argument("--linux", type=Path, required=True, help="what tools/get_linux.py fetched")
    parser.add_argument("--into", type=Path, required=True)
    arguments = parser.parse_args()
    try:
        build(arguments.linux.resolve(), arguments.into.resolve())
    except (lower.UnknownError, OSError) as error:
        print(f"build.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
