# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The rate-based scheduler on the kernel: over fixed priorities, created without activation, on a board."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import polars as pl

from studies.common import Claim, Section, Table, board, not_testable, verdict

_CLAIMS = {
    "S0-25": ("Sections 3.2.4 and 4", "A tick hook rewrites the ready queue of a fixed-priority kernel."),
    "S0-27": ("Section 4", "taskRBCreate makes a task without activation."),
    "S0-38": ("Section 6 (future work)", "The scheduler is ported to a single-board computer."),
}
_EXAMPLE = Path(__file__).parents[2] / "examples" / "iot_110.toml"
TASKS = ("A", "B", "C")


def run() -> Section:
    """Run the kernel's interfaces, if the board is there."""
    if not board.is_there():
        return Section(
            "On the kernel", board.WHY_NOT, [not_testable(id, *_CLAIMS[id], board.WHY_NOT) for id in _CLAIMS]
        )
    return Section(
        "On the kernel",
        "On the emulated mps2-an385: three hard tasks A (2 of 8 ms), B (3 of 12) and C (6 of 20) as rate-based "
        "threads, and as plain threads whose priorities an adapter rewrites; a rate-based thread that asks to enter "
        "after 50 ms; and examples/iot_110.toml, whose trace is same on the host.",
        [_adapter_claim(), _creation_claim(), _board_claim()],
        [Table("board_completions", "Completions, in order", completions())],
    )


def completions() -> pl.DataFrame:
    """Return the completions of jobs, natively and over fixed priorities."""
    found = board.measure("interfaces", "native", "over")
    columns = {way: _decode(figures["completions"]) for way, figures in found.items()}
    return pl.DataFrame({"native": columns["native"], "over_fixed_priorities": columns["over"]})


def _decode(figures: dict[str, float]) -> list[str]:
    """Read the completions, two bits each."""
    bits, count = int(figures["first"]), int(figures["second"])
    return [TASKS[bits >> 2 * place & 3] for place in range(count)]


def _claim(id: str, ours: str, holds: bool, why: str = "") -> Claim:
    """Return one of the claims."""
    where, paper = _CLAIMS[id]
    return Claim(id, where, paper, ours, verdict(holds, correction=bool(why)), why)


def _adapter_claim() -> Claim:
    """Judge the adapter over fixed priorities."""
    frame = completions()
    same = int((frame["native"] == frame["over_fixed_priorities"]).sum())
    return _claim(
        "S0-25",
        f"{same} of {frame.height} completions are of the same task natively and over fixed priorities.",
        same == frame.height,
        "A thread of the highest priority does the work of the hook, at the instants that the scheduler names instead "
        "of at each tick. That every tick is equal is shown by tests/kernel/test_kernel_interfaces.py in virtual time.",
    )


def _creation_claim() -> Claim:
    """Judge that a created thread is not there until it enters."""
    jobs = board.measure("interfaces", "rates")["rates"]["rates"]
    before, behind = int(jobs["first"]), int(jobs["second"])
    return _claim(
        "S0-27",
        f"{before} jobs in the 50 ms before the thread asks to enter, {behind} in the 50 ms behind that.",
        before == 0 and behind == 7,
    )


def _board_claim() -> Claim:
    """Judge the port: the same task set on an emulated board replays identically on the host."""
    takt = str(Path(sys.executable).with_name("takt"))
    command = [takt, "run", str(_EXAMPLE), "--policy", "rate-based", "--on", "cortex_m"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    same = [line for line in done.stdout.splitlines() if "identical" in line]
    return _claim(
        "S0-38",
        f"iot_110.toml on an emulated Cortex-M3; the replay on the host says: {' '.join(same) or done.stderr.strip()}",
        done.returncode == 0 and len(same) == 1,
        "The board is emulated: that it runs is shown, and nothing about its time.",
    )
