# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests of the port to a Linux process and of the template of ports, as far as compilers and files show them.

What the port does is tested in C: tests/c/test_posix_*.c.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from places import ROOT

KERNEL_SOURCES = [path for room in ("core", "policy", "kernel") for path in sorted((ROOT / room).glob("*.c"))]
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Werror"]


def run(command: list[str | Path], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)


def compile_for(port: str, flags: list[str], sources: list[Path], folder: Path) -> subprocess.CompletedProcess[str]:
    """Compile `sources` against a port, without linking."""
    return run(["cc", "-std=c11", *flags, f"-I{ROOT}", f"-I{ROOT / 'port' / port}", "-c", *sources], folder)


# ---- the template ---------------------------------------------------------------------------------------


def obligations() -> set[str]:
    """Return what kernel/port.h requires of every port, without the type takt_port_level_t and its own definitions."""
    text = (ROOT / "kernel" / "port.h").read_text(encoding="utf-8")
    given = set(re.findall(r"^TAKT_INLINE \w+ takt_port_(\w+)\(", text, re.MULTILINE))
    return set(re.findall(r"\btakt_port_(\w+)\(", text)) - given


def test_the_template_compiles_and_its_linker_lists_every_obligation(tmp_path: Path) -> None:
    sources = [*KERNEL_SOURCES, ROOT / "port" / "template" / "port.c"]
    compiled = compile_for("template", ["-O1", "-ffreestanding", *WARNINGS], sources, tmp_path)
    assert compiled.returncode == 0, compiled.stderr
    program = tmp_path / "main.c"
    program.write_text(
        '#include "kernel/semaphore.h"\n#include "kernel/kernel.h"\n'
        "static void sleep(void) {\n"
        "    takt_port_sleep_begin(), takt_port_sleep_wait(), takt_port_sleep_end(), takt_port_clock_skip(1);\n"
        "}\n"
        "int main(void) { sleep(); return takt_semaphore_give(NULL) + takt_kernel_start(); }\n",
        encoding="utf-8",
    )
    assert compile_for("template", WARNINGS, [program], tmp_path).returncode == 0
    linked = run(["cc", *sorted(tmp_path.glob("*.o")), "-o", "program"], tmp_path)
    assert linked.returncode != 0
    assert set(re.findall(r"takt_port_template_fill_in_(\w+)", linked.stderr)) == obligations()


# ---- what the port refuses ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("flags", "complaint"),
    [
        ([], None),
        (["-U__linux__"], "this port is for Linux"),
        (["-fsanitize=thread"], "contexts are not known to the thread sanitizer"),
        (["-fsanitize=address"], None),
        (["-D_FORTIFY_SOURCE=2"], None),
    ],
)
def test_the_port_compiles_only_where_it_is_right(flags: list[str], complaint: str | None, tmp_path: Path) -> None:
    done = compile_for("posix", ["-O2", *WARNINGS, *flags], sorted((ROOT / "port" / "posix").glob("*.c")), tmp_path)
    assert (done.returncode == 0) == (complaint is None), done.stderr
    assert complaint is None or complaint in done.stderr


# ---- programs -------------------------------------------------------------------------------------------


def build_as_the_readme_says(program: str, binary: Path) -> None:
    """Run the command of the port's README."""
    text = (ROOT / "port" / "posix" / "README.md").read_text(encoding="utf-8")
    match = re.search(r"^    (cc (?:.*\\\n)*.*)$", text, re.MULTILINE)
    assert match is not None
    command = match.group(1).replace("PROGRAM.c", program).replace("PROGRAM", str(binary))
    done = run(["sh", "-c", command], ROOT)
    assert done.returncode == 0, done.stderr


def test_a_program_is_built_as_the_readme_says_and_reads_and_writes_on_its_host(tmp_path: Path) -> None:
    binary = tmp_path / "host_test"
    build_as_the_readme_says("tests/firmware/host_test.c", binary)
    (tmp_path / "original").write_bytes(b"some\0bytes")
    for clock in ("virtual", "real"):
        done = run([binary, "two", clock], tmp_path)
        assert (done.returncode, done.stdout) == (42, f"{binary} two {clock}")
        assert (tmp_path / "copy").read_bytes() == b"some\0bytes"
        (tmp_path / "copy").unlink()
