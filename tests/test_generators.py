"""Generated task sets: the distributions that recipes promise, and that a set follows from its number alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import takt
from sampling import count

RECIPES: dict[str, dict[str, Any]] = {
    "plain": {},
    "one task": {"tasks": 1},
    "overload": {"utilization": 3.5},
    "discard": {"shares": "uunifast-discard", "utilization": 3.0, "min_share": 0.01, "max_share": 0.8},
    "fixed sum": {"shares": "fixed-sum", "utilization": 6.5, "min_share": 0.2, "max_share": 0.9},
    "drs": {"shares": "drs", "utilization": 3.0, "min_share": 0.01, "max_share": 0.8},
    "automotive": {"shares": "automotive", "periods": "automotive", "engine_period": "7.5ms", "runnables": 3},
    "uniform periods": {"periods": "uniform", "period_grid": "5ms"},
    "harmonic": {"periods": "harmonic", "period_ratio": 3, "priorities": "rm"},
    "listed": {"periods": ["10ms", "25ms", 40000], "priorities": "random"},
    "constrained": {"deadlines": "constrained", "deadline_factors": [0.25, 0.75], "jitter": [0.0, 0.2]},
    "arbitrary": {"deadlines": "arbitrary", "offsets": "random"},
    "random order": {"priorities": "random", "deadlines": "arbitrary", "jitter": 0.1, "offsets": "random"},
}


def recipe(name: str) -> takt.Recipe:
    """One recipe by its name."""
    return takt.Recipe(**{"tasks": 8, "utilization": 0.7, **RECIPES[name]})


KEYS = ("wcet", "period", "deadline", "jitter", "offset")


@pytest.mark.parametrize("name", RECIPES)
def test_a_set_follows_from_its_number_whatever_is_drawn_with_it(name: str) -> None:
    whole = recipe(name).columns(seed=7, first=100, count=40)
    for first, length in ((100, 1), (101, 7), (108, 32)):
        part = recipe(name).columns(seed=7, first=first, count=length)
        for key in KEYS:
            assert (getattr(part, key) == getattr(whole, key)[first - 100 : first - 100 + length]).all()


def test_sets_do_not_change_where_internal_chunks_meet() -> None:
    sets = recipe("discard").columns(seed=1, first=4000, count=4200)
    for number in (4095, 4096, 8095, 8096, 8199):
        assert (sets.wcet[number - 4000] == recipe("discard").columns(1, number, 1).wcet[0]).all()


def test_other_seeds_and_numbers_give_other_sets() -> None:
    sets = recipe("plain").columns(1, 0, 500)
    assert len({row.tobytes() for row in sets.wcet}) == 500
    assert not (recipe("plain").columns(2, 0, 500).wcet == sets.wcet).all(axis=1).any()


@pytest.mark.parametrize("name", RECIPES)
def test_systems_are_the_rows_of_the_columns(name: str) -> None:
    sets = recipe(name).columns(seed=3, first=20, count=count(4))
    for row in range(count(4)):
        system = recipe(name).system(seed=3, number=20 + row)
        for key in KEYS:
            assert [getattr(task, key) for task in system.tasks] == getattr(sets, key)[row].tolist()
        priorities = [task.priority for task in system.tasks]
        assert priorities == sorted(priorities, reverse=True)
        assert len(set(priorities)) == len(priorities)


@pytest.mark.parametrize("name", RECIPES)
def test_shares_are_within_limits_and_add_up(name: str) -> None:
    made = recipe(name)
    sets = made.columns(seed=5, first=0, count=200)
    shares = sets.wcet / sets.period
    least, most = made.share_limits
    assert (sets.wcet >= 1).all()
    assert (shares >= least).all()
    assert (shares <= most).all()
    half_a_tick = 0.5 / sets.period.max(axis=1)
    assert (np.abs(sets.utilization - made.utilization) <= half_a_tick + 1e-12).mean() > 0.98
