# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests of tools/check_objects.py: core, policy and system are pure on every target, and each impurity is caught."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from places import ROOT
from tables import read_table

TOOL = ROOT / "tools" / "check_objects.py"
TARGETS = ["host", "cortex-m3", "rv32imac", "rv64imac"]


def check(target: str, *files: Path, options: Sequence[str] = ()) -> list[str]:
    """Run the tool and give its complaints; its exit status must agree with them."""
    command = [sys.executable, str(TOOL), "--target", target, *options, *map(str, files)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.stderr == ""
    lines = run.stdout.splitlines()
    is_pure = lines[-1].startswith("check_objects: ")
    assert run.returncode == (0 if is_pure else 1)
    return [] if is_pure else lines


def write(folder: Path, text: str) -> Path:
    """Write a C file."""
    file = folder / "a.c"
    file.write_text(text + "\n")
    return file


@pytest.mark.parametrize("target", TARGETS)
def test_core_policies_and_system_have_no_heap_float_global_or_undefined_symbol(target: str) -> None:
    assert check(target) == []


@pytest.mark.parametrize("target", TARGETS)
def test_analyses_have_none_either_but_the_compilers_own_helpers(target: str) -> None:
    files = sorted((ROOT / "analysis").glob("*.c"))
    assert check(target, *files, options=["--helpers"]) == []
    if target in ("cortex-m3", "rv32imac"):
        unhelped = check(target, ROOT / "analysis" / "utilization_bounds.c")
        assert any(line.startswith(f"{target}: undefined symbol __") for line in unhelped)


CLEAN = """
#include "core/ready.h"
static const uint64_t table[] = {1, 2, 3};
extern const uint64_t *const exported;
const uint64_t *const exported = table;
void a(takt_ready_t *ready, takt_entity_t *entity);
void a(takt_ready_t *ready, takt_entity_t *entity) { takt_ready_insert(ready, entity); }
"""

IMPURE = read_table("impure_functions")

FLOATS = {
    "host": "",
    "cortex-m3": "undefined symbol __aeabi_",
    "rv32imac": "undefined symbol __",
    "rv64imac": "undefined symbol __",
}


@pytest.mark.parametrize("target", TARGETS)
def test_constants_and_inline_functions_pass(target: str, tmp_path: Path) -> None:
    assert check(target, write(tmp_path, CLEAN)) == []


@pytest.mark.parametrize("impurity", IMPURE)
@pytest.mark.parametrize("target", TARGETS)
def test_an_impurity_is_caught(target: str, impurity: str, tmp_path: Path) -> None:
    text, complaint = IMPURE[impurity]
    found = check(target, write(tmp_path, text))
    assert any(line.startswith(f"{target}: ") and complaint in line for line in found)


@pytest.mark.parametrize("float_type", ["float", "double"])
@pytest.mark.parametrize("target", TARGETS)
def test_floating_point_arithmetic_is_caught(target: str, float_type: str, tmp_path: Path) -> None:
    text = f"int a(int b); int a(int b) {{ return (int)(({float_type})b * ({float_type})1.5); }}"
    found = check(target, write(tmp_path, text))
    assert found
    assert all(FLOATS[target] in line for line in found)


@pytest.mark.parametrize(
    ("target", "instruction"),
    [
        ("host", "addsd %xmm1, %xmm0"),
        ("host", "fld1"),
        ("cortex-m3", ".fpu vfpv3-d16\\n vadd.f32 s0, s1, s2"),
        ("rv32imac", ".option arch, +f\\n fadd.s fa0, fa1, fa2"),
        ("rv64imac", ".option arch, +d\\n fmv.x.d a0, fa0"),
    ],
)
def test_a_floating_point_instruction_is_caught(target: str, instruction: str, tmp_path: Path) -> None:
    text = f'void a(void); void a(void) {{ __asm__ volatile("{instruction}"); }}'
    (found,) = check(target, write(tmp_path, text))
    assert found.startswith(f"{target}: floating-point code: ")
