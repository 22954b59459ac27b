#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Runs the proofs of this folder: CBMC on every harness, two at a time.

Usage: run.py [--sample] [--mutated] [--into FOLDER] [NAME...] (default: all of proofs.toml).

A proof holds if CBMC finds no way to break a claim, an access, an arithmetic rule or a bound of a loop. With
--mutated every harness runs on sources that are damaged as proofs.toml says, and holds good if CBMC finds
that. Exit status 1 if one does not; 0 with a line that says so where CBMC cannot be had.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LIMIT_SECONDS = 280

CHECKS = (
    "--unwinding-assertions",
    "--bounds-check",
    "--pointer-check",
    "--pointer-overflow-check",
    "--pointer-primitive-check",
    "--div-by-zero-check",
    "--signed-overflow-check",
    "--undefined-shift-check",
)


def find_checker(folder: Path) -> str | None:
    """Return the command of the checker, None with a line of output if it cannot be had."""
    tool = [sys.executable, str(ROOT / "tools" / "get_cbmc.py"), "--into", str(folder)]
    done = subprocess.run(tool, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return done.stdout.strip()
    print(f"proofs NOT RUN: {done.stderr.strip()}")
    return None


def damage(name: str, mutation: list[str], folder: Path) -> None:
    """Copy the sources to a folder, with one text in one file replaced."""
    for room in ("core", "kernel", "tests/proof"):
        shutil.copytree(ROOT / room, folder / room)
    file, text, instead = mutation
    source = (folder / file).read_text(encoding="utf-8")
    if source.count(text) != 1:
        sys.exit(f"{name}: {file} has not one but {source.count(text)} of {text!r}: say another damage in proofs.toml")
    (folder / file).write_text(source.replace(text, instead), encoding="utf-8")


def command_of(checker: str, proof: dict[str, Any]) -> list[str]:
    """Return the checker's command, to be run where the sources are."""
    loops = [f"{loop}:{times}" for loop, times in proof.get("loops", {}).items()]
    return [
        *(checker, *CHECKS, "-I.", "--slice-formula", "--drop-unused-functions"),
        *("--function", proof["function"], "--unwind", str(proof["unwind"])),
        *(("--unwindset", ",".join(loops)) if loops else ()),
        *(word for define in proof.get("defines", []) for word in ("-D", define)),
        f"tests/proof/{proof['harness']}.c",
    ]


def check(checker: str, proof: dict[str, Any], folder: Path) -> str:
    """Return the result of one harness: "holds", "refuted: " with the first broken claim, or its error."""
    command = command_of(checker, proof)
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=LIMIT_SECONDS)
    except subprocess.TimeoutExpired:
        return f"not decided in {LIMIT_SECONDS} s"
    if done.returncode == 0:
        return "holds"
    broken = [line.removesuffix(": FAILURE") for line in done.stdout.splitlines() if line.endswith(": FAILURE")]
    claims = [line for line in broken if ".unwind." not in line]
    if done.returncode == 10 and broken:
        return "refuted: " + claims[0] if claims else "a loop goes round more often: " + broken[0]
    complaint = (done.stderr.strip() or done.stdout.strip()).splitlines()
    return "cbmc failed: " + (complaint[-1] if complaint else "")


def run_one(checker: str, name: str, proof: dict[str, Any], is_mutated: bool) -> bool:
    """Run one proof and print its result; return whether that is as expected."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        if is_mutated:
            damage(name, proof["mutation"], Path(folder))
        verdict = check(checker, proof, Path(folder) if is_mutated else ROOT)
    print(f"{name:30} {time.monotonic() - start:6.1f} s  {verdict}", flush=True)
    return verdict.startswith("refuted: ") if is_mutated else verdict == "holds"


def choose(names: list[str], only_sample: bool) -> dict[str, dict[str, Any]]:
    """Return the requested proofs."""
    proofs: dict[str, dict[str, Any]] = tomllib.loads((HERE / "proofs.toml").read_text(encoding="utf-8"))
    unknown = sorted(set(names) - set(proofs))
    if unknown:
        sys.exit(f"no such proof: {', '.join(unknown)}")
    return {
        name: proof
        for name, proof in proofs.items()
        if (not names or name in names) and (proof.get("sample", False) or not only_sample)
    }


def main() -> int:
    """Run the requested proofs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", action="store_true", help="only the proofs of a few seconds")
    parser.add_argument("--mutated", action="store_true", help="on damaged sources, which must be found")
    parser.add_argument("--into", type=Path, default=ROOT / "build" / "cbmc", help="where CBMC is unpacked")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    proofs = choose(options.names, options.sample)
    checker = find_checker(options.into)
    if checker is None:
        return 0
    with ThreadPoolExecutor(max_workers=2) as pool:
        jobs = [pool.submit(run_one, checker, name, proof, options.mutated) for name, proof in proofs.items()]
        failed = sum(not job.result() for job in jobs)
    print(f"{len(proofs) - failed} of {len(proofs)} as they should be")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
