# SPDX-License-Identifier: Apache-2.0 OR MIT
"""An adversary finds no system whose simulation is worse than its analysis, and does find one if the analysis is wrong.

`tests/support/adversary.py` says how it climbs. What it has found stands in `tests/cases/unsound/`.
"""

from __future__ import annotations

import random
from dataclasses import replace

import adversary
import pytest
from adversary import FEATURES, Climber
from sampling import SYSTEMS, count, expect_cases
from takt.analysis import global_edf
from takt.analysis.judgement import Judgement
from takt.analysis.view import DispatcherView, SystemView

LOOKS = 250
"""Systems that a climber looks at."""
CLIMBERS = 8


def seed_of(number: int) -> int:
    """Return the seed of a climber: the same at every run, but in the long ones."""
    return number if SYSTEMS is None else random.SystemRandom().randrange(2**32)


@pytest.mark.parametrize("number", range(CLIMBERS))
def test_the_adversary_refutes_nothing(number: int) -> None:
    climber = Climber(seed_of(number), count(LOOKS))
    found = next(climber.refutations(), None)
    assert found is None, f"seed {climber.seed}, after {found.looks} systems: {found.excess.text}\n{found.system}"
    expect_cases(climber.nearest > 0, "no bound was reached")


def test_the_adversary_finds_a_bound_that_forgets_jitter(monkeypatch: pytest.MonkeyPatch) -> None:
    judge_global = global_edf.judge_global

    def forgets(view: SystemView, dispatcher: DispatcherView) -> Judgement:
        tasks = tuple(replace(task, jitter=0) for task in dispatcher.tasks)
        return judge_global(view, replace(dispatcher, tasks=tasks))

    monkeypatch.setattr(global_edf, "judge_global", forgets)
    monkeypatch.setattr(adversary, "POLICIES", ("edf",))
    monkeypatch.setattr(adversary, "FEATURES", {key: FEATURES[key] for key in ("processors", "jitter")})
    assert next(Climber(1, 2000).refutations(), None) is not None
