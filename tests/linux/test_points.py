# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What a preemption point of libtakt costs while no job waits for it: loads, and no call."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from places import ROOT

SOURCE = """#include "linux/lib/takt_linux.h"
int kept(const volatile uint32_t *flag) { return takt_linux_point_by(flag); }
int simple(void) { return takt_linux_point(); }
"""
REST = """#include "linux/lib/takt_linux.h"
__thread const volatile uint32_t *takt_linux_flag;
takt_linux_status_t takt_linux_meet_point(void) { return TAKT_LINUX_OK; }
int main(void) { return 0; }
"""
LOADS = {"-static": 2, "-pie": 2, "-shared": 3}
"""Of takt_linux_point: where the flag is, and the flag; a library has the offset of the first in a table."""

needs_x86 = pytest.mark.skipif(
    platform.machine() != "x86_64" or not shutil.which("objdump"), reason="no objdump for x86-64 here"
)


def path_of(function: str, code: str) -> list[str]:
    """Return the instructions of a function up to its return, if no job waits: the branch to the call is not taken."""
    body = code.split(f"<{function}>:\n")[1].split("\n\n")[0]
    instructions = [line.split("\t")[-1].strip() for line in body.splitlines()]
    return instructions[: instructions.index("ret") + 1]


@needs_x86
@pytest.mark.parametrize(("kind", "loads"), LOADS.items())
def test_a_point_loads_the_flag_and_calls_nothing(kind: str, loads: int, tmp_path: Path) -> None:
    for name, text in {"point": SOURCE, "rest": REST}.items():
        (tmp_path / f"{name}.c").write_text(text)
    build = "-fno-pie" if kind == "-static" else "-fPIE" if kind == "-pie" else "-fPIC"
    command = ["cc", "-O2", build, kind, "-fcf-protection=none", f"-I{ROOT}", "point.c", "rest.c", "-o", "linked"]
    subprocess.run(command, cwd=tmp_path, check=True)
    command = ["objdump", "-d", "--no-show-raw-insn", "linked"]
    code = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    for function, expected in (("kept", 1), ("simple", loads)):
        path = path_of(function, code)
        assert sum("(" in each or "%fs:" in each for each in path) == expected, path
        assert not [each for each in path if re.match("call|syscall|int", each)]
        assert sum(each.startswith("j") for each in path) == 1
