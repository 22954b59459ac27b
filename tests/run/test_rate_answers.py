# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Answers to requests for rates: the first event that decides a request is its answer, whatever comes between."""

from __future__ import annotations

import polars as pl
import pytest
import takt
from takt.run.frames import answered

SYSTEM = takt.System(
    policy="rate-based",
    tasks=[takt.Task(name="A", period=10, wcet=1)],
    changes=[takt.Change(at=10, task="A", period=20)],
)


@pytest.mark.parametrize(
    ("events", "answer"),
    [
        (["rejected"], "rejected"),
        (["admitted"], "admitted, not in force yet"),
        (["admitted", "re-rated", "in force"], "in force from 30ms"),
        (["admitted", "finished", "refilled", "entered"], "in force from 40ms"),
        (["admitted", "re-rated", "left", "in force"], "admitted, and the task left before it was in force"),
        (["admitted", "admitted", "in force"], "admitted, and replaced by another request before it was in force"),
    ],
)
def test_the_first_event_that_decides_a_request_is_its_answer(events: list[str], answer: str) -> None:
    instants = [10 * number for number in range(1, len(events) + 1)]
    rates = pl.DataFrame({"instant": instants, "task": ["A"] * len(events), "what": events})
    assert [text for _, text in answered(SYSTEM.resolved, 100, rates)] == [answer]
