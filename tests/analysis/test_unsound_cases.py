# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Systems of which a bound was once wrong: no simulation of such a file denies what `takt.analyse` says of it."""

from __future__ import annotations

from pathlib import Path

import pytest
import takt
from places import CASES
from takt.analysis import TaskBound, Verdict

FILES = sorted((CASES / "unsound").glob("*.toml"))


def denied(rows: dict[str, TaskBound], result: takt.Result) -> list[str]:
    """Return the jobs that miss although their task is schedulable, or that respond later than its bound."""
    return [
        f"{task}: job {job} responds after {response}, missed {missed}; {rows[task]}"
        for task, job, response, missed in result.jobs.select("task", "job", "response", "missed").rows()
        if (missed and rows[task].verdict is Verdict.SCHEDULABLE)
        or (response is not None and rows[task].response is not None and response > rows[task].response)
    ]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_simulation_denies_what_is_said_of_a_case(path: Path) -> None:
    system = takt.load(path)
    found = takt.analyse(system)
    result = takt.simulate(system, jobs=True, segments=False)
    assert denied({row.task: row for row in found.tasks}, result) == []
    assert found.verdict is not Verdict.SCHEDULABLE or not result.missed


def test_there_are_cases() -> None:
    assert FILES
