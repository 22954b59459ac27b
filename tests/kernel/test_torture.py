# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Torture: a thousand threads, time past 2^63, an interrupt at every instruction. `make test` tries a sample of it."""

from __future__ import annotations

from pathlib import Path

import pytest
import sampling
from recipes import PORTS, emulator, run
from test_kernel_objects import FULL_PASS, Build, built, link, recipe
from test_kernel_surface import IDLE_STACK

__all__ = ["built"]

IS_WHOLE = sampling.SYSTEMS is not None and not sampling.IS_SMALLER
"""True in `make soak`."""
WIDE = "-DTAKT_KERNEL_ORDER_ROWS=4"
"""Room for more than a thousand entities."""
EDF = "-DCONFORMANCE_POLICY=takt_policy_edf"
SAMPLED_TICKS = 1 if IS_WHOLE else 7


def succeeds(built: Build, port: str, program: str, folder: Path, defines: list[str], *flags: str) -> None:
    """Build a program and check that it ends well. What an emulator says of its timers does not count."""
    done = run([*emulator(recipe(port)), link(built, port, f"torture_{program}", folder, defines, *flags)])
    assert (done.returncode, done.stdout) == (0, ""), (done.stdout, done.stderr)


@pytest.mark.parametrize("seed", range(sampling.count(1)))
def test_a_thousand_threads_come_wait_and_go(built: Build, tmp_path: Path, seed: int) -> None:
    defines = ["-DTORTURE_THREADS=1000", "-DTORTURE_ROUNDS=30", f"-DTORTURE_SEED={seed}"]
    succeeds(built, "posix", "threads", tmp_path, defines, WIDE)


@pytest.mark.parametrize("port", PORTS)
@pytest.mark.parametrize("defines", [[], FULL_PASS], ids=["plain", "traced"])
@pytest.mark.parametrize("seed", range(sampling.count(1)))
def test_threads_come_wait_and_go(built: Build, tmp_path: Path, port: str, defines: list[str], seed: int) -> None:
    succeeds(built, port, "threads", tmp_path, [f"-DTORTURE_SEED={seed + 100}", *defines])


@pytest.mark.parametrize("port", PORTS)
@pytest.mark.parametrize("defines", [[], FULL_PASS, [EDF]], ids=["plain", "traced", "edf"])
@pytest.mark.parametrize("before", [0, 40, *range(1, sampling.count(1))])
def test_time_passes_the_middle_of_64_bits(
    built: Build, tmp_path: Path, port: str, defines: list[str], before: int
) -> None:
    succeeds(built, port, "time", tmp_path, [f"-DTORTURE_BEFORE={before}", *defines], IDLE_STACK)


@pytest.mark.parametrize("port", ["cortex_m", "riscv"])
@pytest.mark.parametrize("defines", [[], FULL_PASS], ids=["plain", "traced"])
def test_an_interrupt_may_come_at_every_instruction_of_a_call(
    built: Build, tmp_path: Path, port: str, defines: list[str]
) -> None:
    succeeds(built, port, "interrupts", tmp_path, [f"-DTORTURE_STEP={SAMPLED_TICKS}", *defines])
