#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Runs many random systems under the emulated Linux and checks each run.

Usage: many_runs.py [--systems N] [--first SEED] [--emulators N] [--into FOLDER]

Systems are drawn in parts of PART, each from a seed of its own and in a boot of its own. What was found of a part is
written when it has ended, with the traces of runs that have a finding. A part that stands in the folder already, of
the same programs, is not run again: a command that was ended continues where it was. One line for each part, and one
for each finding. Exit status 1 if anything was found.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import hypothesis
import net
import takt
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from oracle import System
from places import ROOT
from takt import _core
from takt.base.errors import BoardError, InputError
from takt.linux import board
from takt.run import linux_checks, linux_reference
from test_boards import GENERATORS, as_programs

TICK = "100us"
EACH = 8
RECORDED = ("rates", "shares", "windows")
EACH_RECORDED = 4
PART = EACH * len(GENERATORS) + EACH_RECORDED * len(RECORDED)
MACHINES = 10
WITH_MACHINES = 5
"""Every fifth part has so many machines of domains: they need another boot."""

MOST_PROCESSORS = 4


def drawn(generator: st.SearchStrategy[System], seed: int, amount: int, tick: str) -> list[takt.System]:
    """Return random systems. The first one that is drawn is the smallest one of all seeds, so it is left out."""
    found = list[takt.System]()

    @hypothesis.seed(seed)
    @settings(
        max_examples=amount + 1,
        database=None,
        phases=[Phase.generate],
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(generator, st.integers(20, 60))
    def collect(system: System, horizon: int) -> None:
        found.append(as_programs(system, tick).replace(horizon=horizon))

    collect()
    return found[1 : amount + 1]


def recorded(paradigm: str, first: int, amount: int) -> dict[str, takt.System]:
    """Return systems of a paradigm of tests/net that Linux takes, as many as are left."""
    found = dict[str, takt.System]()
    with tempfile.TemporaryDirectory() as folder:
        for number, text in net.systems(paradigm)[first : first + amount]:
            path = Path(folder, "set.toml")
            path.write_text(text, encoding="utf-8")
            found[f"{paradigm} {number}"] = takt.load(path)
    return {name: system for name, system in found.items() if is_taken(system)}


def is_taken(system: takt.System) -> bool:
    """True if Linux takes a system: one processor for each domain."""
    try:
        return len(board.parts(system)) <= MOST_PROCESSORS
    except InputError:
        return False


def systems_of(seed: int) -> dict[str, takt.System]:
    """Draw the systems of a part."""
    named = {
        f"{kind} {number}": system
        for kind, generator in GENERATORS.items()
        for number, system in enumerate(drawn(generator, seed, EACH, TICK))
        if is_taken(system)
    }
    for paradigm in RECORDED:
        named |= recorded(paradigm, seed * EACH_RECORDED, EACH_RECORDED)
    if seed % WITH_MACHINES == 0:
        named |= recorded("machines", seed // WITH_MACHINES * MACHINES, MACHINES)
    return named


def run_part(seed: int, folder: Path) -> dict[str, list[str]]:
    """Run the systems of a part; return what was found, by system. Runs without a finding leave no trace."""
    systems, found = systems_of(seed), dict[str, list[str]]()
    names, missing = list(systems), set(systems)
    with tempfile.TemporaryDirectory() as traces:
        paths = [Path(traces, f"{number}.takt") for number in range(len(names))]
        try:
            for number, run in board.run_each(list(systems.values()), paths):
                missing.discard(names[number])
                found[names[number]] = list(linux_checks.check(run).findings)
                if found[names[number]]:
                    paths[number].replace(folder / f"{seed} {names[number]}.takt")
        except (BoardError, InputError) as error:
            found |= {name: [f"not run: {error}"] for name in missing}
    return found


def folder_of(into: Path) -> Path:
    """Return the folder of the results of the present programs, created if missing."""
    files = sorted(board.products(board.folder()).values())
    checks = [*(Path(str(each.__file__)) for each in (_core, linux_checks, linux_reference)), Path(__file__)]
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in (*files, *checks))).hexdigest()[:16]
    folder = into / digest
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def outcome_of(seed: int, folder: Path) -> tuple[dict[str, list[str]], bool]:
    """Return what is found of a part, and whether it stood there already."""
    path = folder / f"{seed}.json"
    if path.exists():
        known: dict[str, list[str]] = json.loads(path.read_text(encoding="utf-8"))
        return known, True
    found = run_part(seed, folder)
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(found, indent=1), encoding="utf-8")
    fresh.replace(path)
    return found, False


def main() -> int:
    """Run all parts."""
    parser = argparse.ArgumentParser(description="run many random systems under the emulated Linux")
    parser.add_argument("--systems", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    parser.add_argument("--emulators", type=int, default=2)
    parser.add_argument("--into", type=Path, default=ROOT / "build" / "many_runs")
    options = parser.parse_args()
    seeds = range(options.first, options.first + -(-options.systems // PART))
    folder, count, bad = folder_of(options.into), 0, 0
    with ThreadPoolExecutor(options.emulators) as pool:
        for seed, (found, is_old) in zip(seeds, pool.map(lambda seed: outcome_of(seed, folder), seeds), strict=True):
            lines = [f"{name}: {line}" for name, findings in found.items() for line in findings]
            count, bad = count + len(found), bad + len(lines)
            print(f"seed {seed}: {len(found)} systems, {len(lines)} findings{', from before' * is_old}", flush=True)
            print("".join(f"  {line}\n" for line in lines), end="", flush=True)
    print(f"{count} systems, {bad} findings; {folder}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
