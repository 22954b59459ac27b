# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests of the proofs: a sample holds, damages are found, and nothing stops where there is no model checker."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from places import ROOT

RUN = ROOT / "tests" / "proof" / "run.py"
PROOFS = tomllib.loads((ROOT / "tests" / "proof" / "proofs.toml").read_text(encoding="utf-8"))

has_checker = shutil.which("cbmc") is not None or (ROOT / "build" / "cbmc" / "cbmc").exists()
needs_checker = pytest.mark.skipif(not has_checker, reason="no cbmc here: make proof has it unpacked")


def run(*arguments: str, path: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run the runner, with another search path for programs if that is given."""
    environment = {**os.environ, **({"PATH": path} if path is not None else {})}
    command = [sys.executable, str(RUN), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, env=environment)


@needs_checker
def test_the_sample_of_proofs_holds() -> None:
    done = run("--sample")
    assert done.returncode == 0, done.stdout + done.stderr
    assert all(line.endswith(" holds") for line in done.stdout.splitlines()[:-1])


@needs_checker
def test_a_damage_to_the_sources_is_found() -> None:
    done = run("--mutated", "queue-take", "timers-order", "budgets-pay-back")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("refuted: ") == 3


def test_without_a_model_checker_it_says_so_and_goes_on(tmp_path: Path) -> None:
    done = run("--sample", "--into", str(tmp_path / "cbmc"), path=str(tmp_path))
    assert done.returncode == 0
    assert done.stdout.startswith("proofs NOT RUN: cbmc cannot be had here: ")
    assert len(done.stdout.splitlines()) == 1


def test_a_proof_that_there_is_not_is_an_error() -> None:
    done = run("no-such-proof")
    assert done.returncode == 1
    assert done.stderr == "no such proof: no-such-proof\n"


@pytest.mark.parametrize("name", PROOFS)
def test_every_proof_has_its_function_and_a_damage_that_fits_the_sources(name: str) -> None:
    proof = PROOFS[name]
    harness = (ROOT / "tests" / "proof" / f"{proof['harness']}.c").read_text(encoding="utf-8")
    assert f"void {proof['function']}(void)" in harness
    file, text, instead = proof["mutation"]
    assert (ROOT / file).read_text(encoding="utf-8").count(text) == 1
    assert instead != text
