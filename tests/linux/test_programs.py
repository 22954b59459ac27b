# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The programs in the kernel, as they are written and compiled: their licence, and what they read of a slot."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
import uses
from places import ROOT
from takt.linux import board
from test_taktd_guest import FOLDER, can_run

LICENCE = b"Dual MIT/GPL\0"
"""Linux refuses programs whose licence is not compatible with GPLv2."""


@pytest.mark.skipif(not can_run, reason="no guest with Linux here: make linux fetches it")
def test_each_object_says_a_licence_that_linux_takes(tmp_path: Path) -> None:
    objects = {name: path for name, path in board.products(FOLDER).items() if path.suffix == ".o"}
    assert objects.keys() == {"takt.bpf.o", *(f"takt-{family}.bpf.o" for family in uses.FAMILIES)}
    for name, path in objects.items():
        section = tmp_path / name
        command = ["llvm-objcopy-19", f"--dump-section=license={section}", str(path), str(tmp_path / "copy")]
        subprocess.run(command, check=True)
        assert section.read_bytes() == LICENCE


def test_the_smallest_family_comes_first() -> None:
    """The daemon loads the first object that has what is used."""
    (names,) = re.findall(r"families\[\] = \{(.*)\};", (ROOT / "linux/daemon/machine.c").read_text())
    assert names == ", ".join(f'"{family}"' for family in uses.FAMILIES)


def test_what_a_thread_writes_is_read_once() -> None:
    """A program can change its slot between two reads, so that what was judged is not what is done."""
    for file in sorted((ROOT / "linux/bpf").glob("*.[ch]")):
        text = file.read_text()
        reads = [line.strip() for line in text.splitlines() if re.search(r"slot->(request\w*|mode)\b(?! = )", line)]
        assert all(re.search(r"READ_ONCE\(slot->(request\w*|mode)\)", line) for line in reads), reads
        words = re.findall(r"READ_ONCE\(slot->(\w+)\)", text)
        assert file.name != "events.h" or len(words) == len(set(words)), words
