# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Fuzzer of task-set files: bytes are loaded; what loads is simulated for a short time and analysed with little effort.

Nothing but takt.InputError may come out. A third of the mutations are libFuzzer's, helped by taskset.dict; the
others move whole lines between task sets or put in another number, which keeps most of them TOML.

Usage: fuzz_taskset.py [libFuzzer's options] CORPUS... or, to repeat one input, its file
"""

from __future__ import annotations

import random
import re
import sys
from pathlib import Path

import atheris
import seeds

with atheris.instrument_imports(include=["takt"]):
    # By name: what is imported at its first use would not be instrumented.
    from takt import analyse, load, simulate

import only_input_errors

HORIZON = 60
EFFORT = 2000
NUMBERS = (b"0", b"1", b"2", b"3", b"7", b"-1", b"0.5", b"100", b"4294967296", b"4611686018427387903", b"9" * 30)
LINES = sorted({line for seed in seeds.task_sets() for line in seed.split(b"\n") if line.strip()})


def use(path: Path) -> None:
    """Load a file, run and judge what it describes."""
    system = load(path)
    result = simulate(system, HORIZON)
    assert result.summary.height == len(system.resolved.tasks)
    assert result.jobs.height == result.summary["released"].sum()
    assert len(analyse(system, effort=EFFORT).tasks) == result.summary.height


def test_one_input(data: bytes) -> None:
    """Try one task set."""
    only_input_errors.refuses_or_takes(use, data)


def with_another_line(data: bytes, choice: random.Random) -> bytes:
    """Insert, replace or drop a line."""
    lines = data.split(b"\n")
    start = choice.randrange(len(lines))
    dropped = choice.randrange(2)
    lines[start : start + dropped] = [choice.choice(LINES)] * choice.randrange(2)
    return b"\n".join(lines)


def with_another_number(data: bytes, choice: random.Random) -> bytes:
    """Replace a number."""
    numbers = [match.span() for match in re.finditer(rb"[0-9]+", data)]
    start, end = choice.choice(numbers or [(0, 0)])
    return data[:start] + choice.choice(NUMBERS) + data[end:]


def mutate(data: bytes, max_size: int, seed: int) -> bytes:
    """Change bytes, a line or a number."""
    choice = random.Random(seed)
    change = choice.choice((None, with_another_line, with_another_number))
    if change is None:
        return bytes(atheris.Mutate(data, max_size))
    return change(data, choice)[:max_size]


if __name__ == "__main__":
    atheris.Setup(sys.argv, test_one_input, custom_mutator=mutate)
    atheris.Fuzz()
