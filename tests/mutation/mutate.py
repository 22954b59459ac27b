#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Measures the tests: damages the sources at random places and counts what tests notice.

Usage: mutate.py [--sample N] [--seed N] [--workers N] [--seconds N] [--progress FILE] [WHAT...]

WHAT is a folder of folders.toml (default: all) or FILE:LINE, for all mutants of a line. Each mutant is one of
sites.py, judged by the tests that folders.toml names for its folder, quickest first, up to the first that fails. A
test that does not end in time has failed. Not counted are mutants that do not compile, whose optimised object is that
of the original, or that equivalent.toml lists with a reason. Prints a line for each survivor and a score for each
folder. Exit status 1 if a score is below GOAL.

--sample    mutants of each folder (default 40); which ones follows from --seed (default 1) and the sources
--seconds   begin no mutant after so many seconds; what was not begun is said
--progress  append each outcome to this file, and judge no mutant again whose outcome it has, so that the same command
            continues; delete the file when sources or tests have changed
--trusted   the tests are known to pass on sources as they are, and are not run on them first
--verbose   prints a line for every mutant, with the test that killed it
"""

from __future__ import annotations

import argparse
import json
import queue
import random
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

from sites import Mutant, mutants
from workspace import ROOT, BrokenError, Workspace

HERE = Path(__file__).resolve().parent
GOAL = 0.95
KILLED, SURVIVED, EQUIVALENT, REFUSED, LEFT = "killed", "survived", "equivalent", "refused", "left out"


@dataclass(frozen=True)
class Folder:
    """What is damaged together, and who judges it.

    Attributes:
        name: Its folder.
        programs: Tests in C, by name.
        files: Tests in Python.
        flags: Of the compiler, to compile one of its sources alone.
    """

    name: str
    programs: list[str]
    files: list[str]
    flags: list[str] = field(default_factory=list)

    def sources(self) -> list[str]:
        """Return its sources and headers."""
        return [str(path.relative_to(ROOT)) for path in sorted((ROOT / self.name).glob("*.[ch]"))]


@dataclass
class Judge:
    """Judges mutants in a workspace."""

    folders: dict[str, Folder]
    workspaces: queue.SimpleQueue[Workspace]
    known: set[tuple[str, str, str]]
    seconds: float
    end: float

    def judge(self, mutant: Mutant) -> tuple[Mutant, str, str]:
        """Return the result of a mutant, and which test killed it."""
        if (mutant.file, mutant.code, mutant.change) in self.known:
            return mutant, EQUIVALENT, ""
        if time.monotonic() > self.end:
            return mutant, LEFT, ""
        space = self.workspaces.get()
        original = (ROOT / mutant.file).read_text(encoding="utf-8")
        try:
            return mutant, *self._try(space, mutant, original)
        finally:
            space.write(mutant.file, original)
            self.workspaces.put(space)

    def _try(self, space: Workspace, mutant: Mutant, original: str) -> tuple[str, str]:
        folder = self.folders[mutant.file.split("/")[0]]
        if mutant.file.endswith(".c"):
            objects = []
            for text in (original, mutant.apply(original)):
                space.write(mutant.file, text)
                objects.append(space.object_of(mutant.file, folder.flags))
            if objects[0] == objects[1]:
                return EQUIVALENT, ""
        space.write(mutant.file, mutant.apply(original))
        if not space.compile(folder.programs):
            return REFUSED, ""
        if space.is_original(folder.programs):
            return EQUIVALENT, ""
        killer = space.fails(folder.programs, folder.files, self.seconds)
        return (KILLED, killer) if killer else (SURVIVED, "")


def read_folders() -> dict[str, Folder]:
    """Read folders.toml."""
    document: dict[str, Any] = tomllib.loads((HERE / "folders.toml").read_text(encoding="utf-8"))
    return {name: Folder(name, **table) for name, table in document.items()}


def read_known() -> set[tuple[str, str, str]]:
    """Read file, code and change of the mutants that are known to be equivalent."""
    document: dict[str, Any] = tomllib.loads((HERE / "equivalent.toml").read_text(encoding="utf-8"))
    return {(one["file"], one["code"], one["change"]) for one in document.get("mutant", [])}


def of_file(file: str) -> list[Mutant]:
    """Return the mutants of a source."""
    return mutants(file, (ROOT / file).read_text(encoding="utf-8"))


def asked(folders: dict[str, Folder], word: str, sample: int, seed: int) -> list[Mutant]:
    """Return the mutants of a line, or a sample of those of a folder."""
    if ":" in word:
        file, line = word.rsplit(":", 1)
        return [mutant for mutant in of_file(file) if mutant.line == int(line)]
    every = [mutant for file in folders[word].sources() for mutant in of_file(file)]
    return random.Random(f"{seed} {word}").sample(every, min(sample, len(every)))


def chosen(folders: dict[str, Folder], what: list[str], sample: int, seed: int) -> Iterator[Mutant]:
    """Yield the requested mutants, one of each folder in turn."""
    lists = [asked(folders, word, sample, seed) for word in what or list(folders)]
    yield from filter(None, chain.from_iterable(zip_longest(*lists)))


def check_original(judge: Judge, space: Workspace, what: list[str]) -> None:
    """End the program if the tests fail on the sources as they are: then they tell nothing of mutants."""
    for name in what:
        folder = judge.folders[name]
        killer = space.fails(folder.programs, folder.files, judge.seconds)
        if killer:
            sys.exit(f"mutate: {killer} fails on sources that are not damaged: mend it first")


Key = tuple[str, int, str, str]
Outcome = tuple[Mutant, str, str]


def key_of(mutant: Mutant) -> Key:
    """Return what a file of progress knows a mutant by."""
    return mutant.file, mutant.start, mutant.instead, mutant.change


def read_progress(path: Path | None) -> dict[Key, tuple[str, str]]:
    """Read the outcomes that a file has; a last line that is not whole is none."""
    found: dict[Key, tuple[str, str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path is not None and path.exists() else []:
        try:
            *key, outcome, killer = json.loads(line)
        except ValueError:
            continue
        found[key[0], key[1], key[2], key[3]] = (outcome, killer)
    return found


def keep(path: Path | None, outcome: Outcome) -> None:
    """Append an outcome to a file of progress, unless the mutant is left for another time."""
    mutant, what, killer = outcome
    if path is not None and what != LEFT:
        with path.open("a", encoding="utf-8") as file:
            file.write("\n" + json.dumps([*key_of(mutant), what, killer]))  # before it: the last line may be cut


def judged(judge: Judge, wanted: list[Mutant], workers: int, path: Path | None) -> Iterator[Outcome]:
    """Judge mutants; those first that were judged before."""
    before = read_progress(path)
    left = [mutant for mutant in wanted if key_of(mutant) not in before]
    yield from ((mutant, *before[key_of(mutant)]) for mutant in wanted if key_of(mutant) in before)
    with ThreadPoolExecutor(workers) as pool:
        for outcome in pool.map(judge.judge, left):
            keep(path, outcome)
            yield outcome


def print_scores(outcomes: list[Outcome]) -> bool:
    """Print a line for each folder; say whether all reach the goal."""
    good = True
    for folder in dict.fromkeys(mutant.file.split("/")[0] for mutant, _, _ in outcomes):
        of = Counter(outcome for mutant, outcome, _ in outcomes if mutant.file.split("/")[0] == folder)
        counted = of[KILLED] + of[SURVIVED]
        score = of[KILLED] / counted if counted else 1.0
        good = good and score >= GOAL
        rest = ", ".join(f"{of[one]} {one}" for one in (EQUIVALENT, REFUSED, LEFT) if of[one])
        print(f"{folder:10}{of[KILLED]:4} of {counted:4} killed{score:8.1%}   {rest}")
    return good


def main() -> int:
    """Judge mutants and print what became of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--progress", type=Path)
    parser.add_argument("--test-seconds", type=float, default=240)
    parser.add_argument("--trusted", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("what", nargs="*")
    options = parser.parse_args()
    folders = read_folders()
    spaces: queue.SimpleQueue[Workspace] = queue.SimpleQueue()
    try:
        for number in range(options.workers):
            spaces.put(Workspace(ROOT / "build" / "mutation" / str(number)))
    except BrokenError as error:
        sys.exit(f"mutate: {error}")
    judge = Judge(folders, spaces, read_known(), options.test_seconds, time.monotonic() + options.seconds)
    mutants_asked = list(chosen(folders, options.what, options.sample, options.seed))
    if not options.trusted:
        space = spaces.get()
        check_original(judge, space, sorted({mutant.file.split("/")[0] for mutant in mutants_asked}))
        spaces.put(space)
    outcomes = []
    for one in judged(judge, mutants_asked, options.workers, options.progress):
        outcomes.append(one)
        if options.verbose or one[1] == SURVIVED:
            print(f"{one[1]:10} {one[0]}  {one[2]}", flush=True)
    return 0 if print_scores(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
