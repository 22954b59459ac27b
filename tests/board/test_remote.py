# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Task sets on posix with a scheduler behind a mailbox: without delay as simulated, with delays replayed, and reported.

What the rules of messages are is in docs/explanation/remote.md; here it is what users see.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import polars as pl
import pytest
import takt
from hypothesis import given
from hypothesis import strategies as st
from oracle import System
from oracle.systems import horizons
from places import EXAMPLES
from sampling import tries
from takt.board import emulation
from takt.files import trace_file
from takt.model import delays
from takt.run import measurement
from takt.run.remote import Remote, remote_of
from test_boards import GENERATORS, ONE_PROCESSOR, as_programs, check_equal, invoke, task_set

LATE, COMPLETE, DECISION = 29, 1, 16


@pytest.mark.parametrize("example", ONE_PROCESSOR)
def test_every_example_runs_without_delay_exactly_as_it_is_simulated(example: str) -> None:
    check_equal(takt.load(EXAMPLES / f"{example}.toml"), remote=0)


@pytest.mark.parametrize("generator", GENERATORS.values(), ids=GENERATORS.keys())
def test_random_systems_run_without_delay_exactly_as_they_are_simulated(generator: st.SearchStrategy[System]) -> None:
    @tries(25)
    @given(generator, horizons())
    def agrees(system: System, horizon: int) -> None:
        check_equal(as_programs(system).replace(horizon=horizon), remote=0)

    agrees()


def check_remote(system: takt.System, delay: delays.Delay) -> None:
    """Run a system with delays: its trace replays, and what is told of it fits together."""
    with tempfile.TemporaryDirectory() as folder:
        trace = emulation.run(system, Path(folder, "T.takt"), emulation.POSIX, remote=delay)
        replay = takt.replay(Path(folder, "T.takt"))
        assert replay.difference is None
        told = remote_of(trace)
        assert told is not None
        assert told.decisions == replay.decisions
        assert told.events >= max(len(told.lateness), told.stale)
        assert all(late > 0 for late in told.lateness)
        jobs, segments = measurement.jobs_of(trace), measurement.segments_of(trace)
        assert sorted(jobs.select("task", "job").rows()) == sorted(set(jobs.select("task", "job").rows()))
        assert (segments["start"][1:] >= segments["end"][:-1]).all()
        budgets = measurement.budgets_of(trace)
        for server in trace.system.servers:
            assert max(budgets[server.name].to_list(), default=0) <= server.budget or server.kind == "sporadic"


@pytest.mark.parametrize("delay", ["uniform:0:3", "exponential:2", "1"])
@pytest.mark.parametrize("generator", GENERATORS.values(), ids=GENERATORS.keys())
def test_random_systems_with_random_delays_replay_identically(
    generator: st.SearchStrategy[System], delay: str
) -> None:
    @tries(12)
    @given(generator, horizons(), st.integers(0, 2**32))
    def replays(system: System, horizon: int, seed: int) -> None:
        check_remote(as_programs(system).replace(horizon=horizon, seed=seed), delays.parse(delay))

    replays()
