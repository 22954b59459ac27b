# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Responses on posix behind a mailbox: never beyond what the analysis says for delays of that length."""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from pathlib import Path

import takt
from hypothesis import given
from hypothesis import strategies as st
from remote_systems import HORIZON, Drawn, draw_tasks, system_of
from sampling import expect_cases, tries
from takt import _core
from takt.analysis.judge import judge
from takt.analysis.view import view_of
from takt.board import emulation
from takt.files.trace_file import Trace

seen: Counter[bool] = Counter()


def worst_of(trace: Trace, tasks: list[Drawn]) -> list[int]:
    """The longest response of each task, from the nominal release to the end as the processor saw it."""
    worst, jobs, observed = [0] * len(tasks), [0] * len(tasks), None
    for record in trace.records():
        if record.kind == _core.RECORD_COMPLETE:
            place = record.entity - 1
            task, job = tasks[place], jobs[place]
            nominal = job * task.period if task.jitter else task.releases[job][0]
            ended = record.now if observed is None else observed
            worst[place] = max(worst[place], ended - nominal)
            jobs[place] += 1
        observed = record.value if record.kind == _core.RECORD_LATE else None
    return worst


@tries(60)
@given(st.integers(0, 2**32))
def check_responses(seed: int) -> None:
    generator = random.Random(seed)
    tasks, latency = draw_tasks(generator, has_external=generator.random() < 0.6), generator.choice([1, 2, 3, 5, 8])
    system = system_of(tasks, generator.choice(["fp", "rm", "dm", "edf"])).replace(horizon=HORIZON, seed=seed % 997)
    least = generator.choice([0, 0, latency - 1, latency])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.takt"
        trace = emulation.run(system, path, emulation.POSIX, remote=takt.Uniform(min=least, max=latency))
        for row, worst in zip(judge(view_of(system, latency)).rows(), worst_of(trace, tasks), strict=True):
            assert row.response is None or worst <= row.response, (tasks, system.policy, latency, least, row)
            seen[row.response is not None and 10 * worst >= 9 * row.response] += 1


def test_no_response_behind_a_mailbox_is_beyond_its_bound() -> None:
    seen.clear()
    check_responses()
    expect_cases(seen[True] > 20, seen)
