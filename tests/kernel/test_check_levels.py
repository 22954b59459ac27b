# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Levels of misuse checks: what the usual level finds, and that a level has nothing of the levels above it."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from places import ROOT
from recipes import PORTS, emulator, must_build, run
from test_kernel_objects import Build, built, link, recipe

__all__ = ["built"]

SOURCES = ("semaphore", "mutex", "messages", "pool", "thread", "wait", "flags", "alarm", "job")
BARE, USUAL, DEBUG = "-DTAKT_CHECKS=0", "-DTAKT_CHECKS=1", "-DTAKT_CHECKS=2"
# The macro that is emptied, and what stands behind its name where it is defined.
OF_DEBUG = "TAKT_DEBUG_REQUIRE(condition, error) "
OF_ANY_LEVEL = "TAKT_REQUIRE(condition, error) "


@pytest.mark.parametrize("port", PORTS)
def test_the_usual_level_finds_what_it_promises(built: Build, tmp_path: Path, port: str) -> None:
    done = run([*emulator(recipe(port)), link(built, port, "misuse_usual", tmp_path, [])])
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def code_of(source: str, folder: Path, level: str, emptied: str = "") -> Counter[str]:
    """Count the instructions of a source on Cortex-M at a level of checks, perhaps with a macro that is empty.

    Branches are left out, since the order of blocks may differ, and with them the alignment of what follows.
    """
    how, headers = recipe("cortex_m"), folder / "kernel"
    headers.mkdir(exist_ok=True)
    text = (ROOT / "kernel" / "errors.h").read_text(encoding="utf-8")
    if emptied:
        assert text.count(f"#define {emptied}") == 1
        text = text.replace(f"#define {emptied}", f"#define {emptied} ((void)0) //")
    (headers / "errors.h").write_text(text, encoding="utf-8")
    command = [how["cc"], f"-I{folder}", *how["cflags"], "-w", level, "-DTAKT_GUARD=0"]
    must_build([*command, "-c", ROOT / "kernel" / f"{source}.c", "-o", folder / "code.o"])
    listing = run([how["cc"].replace("gcc", "objdump"), "-dr", "--no-show-raw-insn", folder / "code.o"]).stdout
    found = Counter(re.findall(r"^ +[0-9a-f]+:\t([a-z]+)", listing, re.MULTILINE))
    assert found.total() > 50
    return Counter({name: count for name, count in found.items() if not re.match("b|cb|nop|it", name)})


@pytest.mark.parametrize("source", SOURCES)
def test_checks_cost_nothing_below_their_level(tmp_path: Path, source: str) -> None:
    bare, usual, debug = (code_of(source, tmp_path, level) for level in (BARE, USUAL, DEBUG))
    assert usual == code_of(source, tmp_path, USUAL, OF_DEBUG)
    assert bare == code_of(source, tmp_path, BARE, OF_ANY_LEVEL) == code_of(source, tmp_path, BARE, OF_DEBUG)
    assert bare != usual
    assert (usual != debug) or source in {"alarm", "flags"}
