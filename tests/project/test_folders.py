# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests of tools/check_folders.py: the project keeps to its dependency table, and every breach of it is caught."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from places import ROOT
from tables import read_rows

TOOL = ROOT / "tools" / "check_folders.py"

HEADERS = [
    "core/bits.h",
    "policy/table.h",
    "analysis/bound.h",
    "system/spec.h",
    "sim/sim.h",
    "kernel/port.h",
    "kernel/thread.h",
    "port/cortex_m/registers.h",
    "port/posix/clock.h",
    "firmware/board.h",
    "api/freertos/task.h",
    "bench/clock.h",
    "tests/c/check.h",
]


def check(root: Path) -> list[str]:
    """Run the tool on a tree and give its lines; its exit status must agree with them."""
    run = subprocess.run([sys.executable, TOOL, root], capture_output=True, text=True, check=False)
    assert run.stderr == ""
    lines = run.stdout.splitlines()
    is_clean = lines[-1].startswith("check_folders: ")
    assert run.returncode == (0 if is_clean else 1)
    return [] if is_clean else lines


def tree(root: Path, files: dict[str, str]) -> Path:
    """Write files, and empty headers for them to use."""
    for path, text in {**dict.fromkeys(HEADERS, ""), **files}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def test_the_project_keeps_to_its_table() -> None:
    assert check(ROOT) == []


@pytest.mark.parametrize(
    ("path", "text"),
    read_rows("allowed_includes"),
)
def test_what_the_table_allows_passes(tmp_path: Path, path: str, text: str) -> None:
    assert check(tree(tmp_path, {"tools/b.py": "", path: text})) == []


@pytest.mark.parametrize(
    ("path", "line", "complaint"),
    read_rows("forbidden_includes"),
)
def test_what_the_table_forbids_is_caught(tmp_path: Path, path: str, line: str, complaint: str) -> None:
    number = 3 if line else 1
    lead = "\n# two lines\n" if path.endswith(".py") else "/* two\n   lines */\n"
    (found,) = check(tree(tmp_path, {path: lead + line + "\n"}))
    assert found.startswith(f"{path}:{number}: {complaint}")


def test_every_breach_of_a_file_gets_its_line(tmp_path: Path) -> None:
    text = '#include <stdio.h>\n#include <stdint.h>\n#include "sim/sim.h"\n'
    assert check(tree(tmp_path, {"core/a.c": text})) == [
        "core/a.c:1: core/ may not include <stdio.h>",
        "core/a.c:3: core/ may not include sim/sim.h",
    ]
