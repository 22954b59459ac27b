# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What takt estimate makes of runs on boards, against the task sets that ran."""

from __future__ import annotations

from pathlib import Path

import pytest
import takt
from takt.base import times
from takt.board import emulation
from takt.run import estimation

BOARDS = {"posix": 0, "cortex_m": 100_000}
"""Nanoseconds that a job of a few milliseconds may take longer than its demand: the kernel works meanwhile."""


@pytest.mark.parametrize("board", BOARDS)
def test_a_run_on_a_board_gives_back_its_periods(board: str, tmp_path: Path) -> None:
    tasks = [
        takt.Task(name="A", period="2ms", wcet="200us", priority=3),
        takt.Task(name="B", period="5ms", offset="1ms", wcet="1ms", priority=2, server="S"),
        takt.Task(name="C", min_separation="4ms", arrivals=[0, "5ms", "9ms", "20ms"], wcet="400us", priority=1),
    ]
    server = takt.Server(name="S", period="5ms", budget="2ms", priority=2)
    system = takt.System(tasks=tasks, servers=[server], resolution="100us", horizon="40ms")
    trace = emulation.run(system, tmp_path / "T.takt", board)
    found = {each.name: each for each in estimation.estimate(trace).estimates}
    of = trace.system.resolution_ns

    def ns(name: str, key: str) -> int:
        return int(times.to_ticks(getattr(system.tasks["ABC".index(name)], key), 1))

    for name in "AB":
        arrivals = found[name].arrivals
        assert arrivals.period is not None
        assert (arrivals.is_exact, arrivals.period * of) == (True, ns(name, "period"))
        assert arrivals.offset * of == (0 if name == "A" else 1_000_000)
    assert (found["C"].arrivals.period, (found["C"].arrivals.separation or 0) * of) == (None, 4_000_000)
    for name, each in found.items():
        assert ns(name, "wcet") <= each.longest * of <= ns(name, "wcet") + BOARDS[board]
    assert [each.server for each in found.values()] == ["", "S", ""]
