# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The manifest for PlatformIO, library.json: what it builds, with the flags that it says, is a kernel and a port.

PlatformIO itself fetches its compilers from a registry of its own, so its own build is not tried.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from places import ROOT
from recipes import found, recipe, run

MANIFEST = json.loads((ROOT / "library.json").read_text(encoding="utf-8"))
PROCESSOR = ["-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"]


def test_its_version_is_that_of_the_package() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert re.search(rf'^version = "{re.escape(MANIFEST["version"])}"$', project, re.MULTILINE)


def test_what_it_builds_is_all_that_a_program_with_a_board_links(tmp_path: Path) -> None:
    build, compiler = MANIFEST["build"], recipe("cortex_m4f")["cc"]
    sources = found(*re.findall(r"\+<(.*?)>", " ".join(build["srcFilter"])))
    board = found("boards/nrf5/*.c", "boards/cortex_m/*.c")
    program = tmp_path / "main.c"
    program.write_text(
        '#include "kernel/kernel.h"\nint main(void) {\n    takt_kernel_start();\n    return 0;\n}\n', encoding="utf-8"
    )
    own = ["-Iboards/nrf5", "-Lboards/nrf5", "-Lboards/cortex_m", "-Wl,-T,nrf52840.ld", "-nostartfiles", "-nostdlib"]
    flags = [*PROCESSOR, "-Os", "-ffreestanding", "-Wall", "-Wextra", "-Werror", *build["flags"], *own]
    command = [compiler, *flags, *sources, *board, program, "-lc", "-lgcc", "-o", tmp_path / "program.elf"]
    done = run(command)
    assert (done.returncode, done.stderr) == (0, "")


def test_all_headers_that_it_names_are_there() -> None:
    assert all((ROOT / header).exists() for header in MANIFEST["headers"])
    assert all((ROOT / name).exists() for name in MANIFEST["export"]["include"])
