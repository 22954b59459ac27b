# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Generated task sets: the distributions that recipes promise, and that a set follows from its number alone."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import takt
from analysis_oracle import generation
from hypothesis import assume, given
from hypothesis import strategies as st
from sampling import count, tries
from tables import read_table
from takt import _analysis
from takt.draw import automotive, recipe_keys
from takt.draw.draws import Floats
from takt.draw.recipe import Recipe
from takt.model.bodies import Op

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
    missing = made.utilization - sets.utilization
    assert (missing > -1e-12).all()
    assert (missing * sets.period.max(axis=1) < 1 + 1e-6).mean() > 0.98


PINNED = {
    "wcet": [294, 2086, 3399, 352726],
    "period": [15869, 53043, 156535, 526118],
    "deadline": [7243, 20986, 123979, 396024],
    "jitter": [512, 1994, 14501, 35154],
    "offset": [10981, 11553, 58103, 272113],
}


@st.composite
def plain_recipes(draw: st.DrawFn) -> dict[str, Any]:
    """All keys of a recipe of what the oracle draws, times in ticks.

    No utilization is a fraction of periods, which could leave a wcet half-way between two ticks, where the last bit of
    a power decides.
    """
    tasks = draw(st.integers(1, 9))
    shortest = draw(st.integers(1, 20_000))
    least, most = draw(st.floats(0.0, 0.01)), draw(st.floats(0.5, 1.0))
    shares = draw(st.sampled_from(["uunifast", "uunifast-discard"]))
    deadlines = draw(st.sampled_from(["implicit", "constrained", "arbitrary"]))
    factors = sorted(draw(st.tuples(st.floats(0, 1), st.floats(0, 1))))
    listed = draw(st.lists(st.integers(1, 10**6), min_size=1, max_size=5))
    return {
        "tasks": tasks,
        "utilization": (draw(st.integers(100, 3000 if shares == "uunifast" else 500)) - 1 / math.pi) / 1000,
        "shares": shares,
        "min_share": least,
        "max_share": most,
        "periods": draw(st.sampled_from(["log-uniform", "log-uniform", "uniform", "harmonic", listed])),
        "period_min": shortest,
        "period_max": shortest + draw(st.sampled_from([1000, 10**6])),
        "period_grid": draw(st.sampled_from([1, 7, 1000])),
        "period_ratio": draw(st.integers(2, 5)),
        "deadlines": deadlines,
        "deadline_factors": [0.0, 1.0] if deadlines == "implicit" else factors,
        "jitter": sorted(draw(st.tuples(st.floats(0, 1), st.floats(0, 1)))),
        "offsets": draw(st.sampled_from(["zero", "random"])),
        "priorities": draw(st.sampled_from(["dm", "rm", "random"])),
    }


def as_recipe(keys: dict[str, Any]) -> takt.Recipe:
    """The recipe of these keys, without those that nobody reads."""
    unread = {"min_share", "max_share"} if keys["shares"] == "uunifast" else set()
    unread |= {"deadline_factors"} if keys["deadlines"] == "implicit" else set()
    return takt.Recipe(**{key: value for key, value in keys.items() if key not in unread})


@tries(60)
@given(plain_recipes(), st.integers(0, 2**64 - 1), st.integers(0, 2**47))
def test_sets_are_those_that_a_second_text_of_the_specification_draws(
    keys: dict[str, Any], seed: int, first: int
) -> None:
    try:
        made = as_recipe(keys)
    except takt.InputError:
        assume(False)
    high, low = np.random.SeedSequence(seed).generate_state(2, np.uint64).tolist()
    try:
        expected = [generation.draw_set(keys, (high, low), number) for number in range(first, first + 20)]
    except ValueError:
        with pytest.raises(takt.InputError, match="one tick of each"):
            made.columns(seed, first, 20)
        return
    sets = made.columns(seed, first, 20)
    for row in range(20):
        found = zip(*(getattr(sets, key)[row].tolist() for key in KEYS), strict=True)
        assert list(found) == [tuple(task) for task in expected[row]]


def test_a_set_is_the_same_in_every_version() -> None:
    made = takt.Recipe(tasks=4, utilization=0.75, deadlines="constrained", jitter=[0.0, 0.1], offsets="random")
    sets = made.columns(seed=42, first=1000, count=1)
    assert {key: getattr(sets, key)[0].tolist() for key in KEYS} == PINNED


def test_no_recipe_is_quiet_about_what_its_matrices_leave_out() -> None:
    ways: list[dict[str, Any]] = [
        {"subjobs": 2},
        {"longest_subjob": "1ms"},
        {"non_preemptive": 0.5},
        {"resources": 1, "section_min": 1, "section_max": 2},
        {"servers": 2},
    ]
    for way in ways:
        with pytest.raises(takt.InputError, match=r"\[generate\]: expected a recipe without subjobs"):
            takt.Recipe(tasks=4, utilization=0.5, **way).columns(0, 0, 1)


@pytest.mark.parametrize(
    ("seed", "first", "number"), [(-1, 0, 1), (2**64, 0, 1), (0, -1, 1), (0, 2**48, 1), (0, 0, -1)]
)
def test_numbers_out_of_range_are_refused(seed: int, first: int, number: int) -> None:
    with pytest.raises(takt.InputError, match="expected a whole number from 0 to"):
        recipe("plain").columns(seed, first, number)


# ---- distributions -----------------------------------------------------------------------------------------

SAMPLE = 20_000
KOLMOGOROV = 1.95
"""A distance of this over the root of the sample comes once in a thousand samples."""


def distance(sample: Floats, distribution: Callable[[Floats], Floats]) -> float:
    """The greatest distance of a sample from a distribution function, in units of what is to be expected."""
    ordered = np.sort(sample)
    expected = distribution(ordered)
    ranks = np.arange(len(ordered) + 1) / len(ordered)
    return float(max((ranks[1:] - expected).max(), (expected - ranks[:-1]).max()) * math.sqrt(len(ordered)))


def distance_between(one: Floats, other: Floats) -> float:
    """The greatest distance of two samples of equal size, in the same units."""
    both = np.sort(np.concatenate([one, other]))
    ranks = [np.searchsorted(np.sort(sample), both, side="right") / len(sample) for sample in (one, other)]
    return float(np.abs(ranks[0] - ranks[1]).max() * math.sqrt(len(one) / 2))


def drawn_shares(sample: int = SAMPLE, **keys: Any) -> Floats:
    """Shares as they were drawn, before rounding can be seen: periods are equal, and have 10^9 ticks."""
    sets = takt.Recipe(**{"periods": ["1s"], "resolution": "1ns"} | keys).columns(seed=11, first=0, count=sample)
    return np.asarray(sets.wcet / sets.period, dtype=np.float64)


def test_uunifast_is_uniform_over_the_simplex() -> None:
    parts = drawn_shares(tasks=3, utilization=2.0) / 2.0
    for column in parts.T:
        assert distance(column, lambda x: 1 - (1 - x) ** 2) < KOLMOGOROV
    assert np.cov(parts.T) == pytest.approx(np.where(np.eye(3), 1 / 18, -1 / 36), abs=0.002)
    assert (parts.max(axis=1) < 0.5).mean() == pytest.approx(1 / 4, abs=0.01)
    assert (np.diff(parts, axis=1) > 0).all(axis=1).mean() == pytest.approx(1 / 6, abs=0.01)


def test_uunifast_has_the_distribution_of_each_share_for_many_tasks() -> None:
    parts = drawn_shares(tasks=20, utilization=0.9) / 0.9
    for column in (0, 7, 18, 19):
        assert distance(parts[:, column], lambda x: 1 - (1 - x) ** 19) < KOLMOGOROV


@pytest.mark.parametrize("shares", ["uunifast-discard", "fixed-sum"])
@pytest.mark.parametrize(
    ("total", "least", "most"), [(1.0, 0.0, 0.5), (1.0, 0.1, 0.6), (2.0, 0.2, 0.9), (1.3, 0.0, 1.0)]
)
def test_shares_with_limits_are_uniform_within_them(shares: str, total: float, least: float, most: float) -> None:
    parts = drawn_shares(tasks=3, utilization=total, shares=shares, min_share=least, max_share=most)
    grid = np.linspace(least, most, 100_001)
    rest = total - grid
    density = np.maximum(np.minimum(most, rest - least) - np.maximum(least, rest - most), 0.0)
    below = np.cumsum(density) / density.sum()
    for column in parts.T:
        assert distance(column, lambda x: np.interp(x, grid, below)) < KOLMOGOROV


def test_fixed_sum_draws_what_uunifast_discard_draws() -> None:
    keys: dict[str, Any] = {"tasks": 7, "utilization": 2.1, "min_share": 0.05, "max_share": 0.6}
    one, other = (drawn_shares(shares=shares, **keys) for shares in ("uunifast-discard", "fixed-sum"))
    for statistic in (np.max, np.min, np.var):
        assert distance_between(statistic(one, axis=1), statistic(other, axis=1)) < KOLMOGOROV
    assert distance_between(one[:, 0], other[:, 0]) < KOLMOGOROV
    assert distance_between(one[:, 3] * one[:, 4], other[:, 3] * other[:, 4]) < KOLMOGOROV


@pytest.mark.parametrize("total", [3.0, 60.0, 570.0])
def test_fixed_sum_is_uniform_for_very_many_tasks_too(total: float) -> None:
    """Of many coordinates with a given sum each is all but exponential, cut at its limits, with the mean of all."""
    mean = total / 600
    parts = drawn_shares(250, tasks=600, utilization=total, shares="fixed-sum")
    rates = np.linspace(-700, 700, 200_000) + 1e-4
    rate = rates[np.argmin(np.abs(1 / rates - 1 / np.expm1(rates) - mean))]
    some = parts[:, ::60].ravel()
    assert distance(some, lambda x: np.expm1(-rate * x) / np.expm1(-rate)) < KOLMOGOROV


def test_drs_is_within_its_limits_and_leaves_pythons_generator_alone() -> None:
    random.seed(3)
    before = random.getstate()
    parts = drawn_shares(300, tasks=6, utilization=3.0, shares="drs", min_share=0.3, max_share=0.7)
    assert random.getstate() == before
    assert parts.min() >= 0.3
    assert parts.max() <= 0.7
    assert parts.sum(axis=1) == pytest.approx(3.0, abs=1e-8)
    assert parts.std() > 0.05


def test_log_uniform_periods_have_uniform_logarithms() -> None:
    made = takt.Recipe(tasks=1, utilization=0.5, period_min="10ms", period_max="10s")
    logarithms = np.log(made.columns(5, 0, SAMPLE).period[:, 0])
    begin, end = math.log(10_000), math.log(10_000_001)
    assert distance(logarithms, lambda x: (x - begin) / (end - begin)) < KOLMOGOROV


@pytest.mark.parametrize("periods", ["log-uniform", "uniform"])
def test_periods_are_on_their_grid_and_reach_both_ends(periods: str) -> None:
    made = takt.Recipe(
        tasks=5, utilization=0.5, periods=periods, period_min="12ms", period_max="38ms", period_grid="5ms"
    )
    found, numbers = np.unique(made.columns(5, 0, 4000).period, return_counts=True)
    assert found.tolist() == [15_000, 20_000, 25_000, 30_000, 35_000]
    weights = np.diff(np.log([*found, 40_000])) if periods == "log-uniform" else np.ones(5)
    assert numbers / 20_000 == pytest.approx(weights / weights.sum(), abs=0.015)


def test_of_two_harmonic_periods_one_divides_the_other() -> None:
    made = takt.Recipe(tasks=6, utilization=0.5, periods="harmonic", period_min="3ms", period_max="100ms")
    found, numbers = np.unique(made.columns(5, 0, 3000).period, return_counts=True)
    assert found.tolist() == [3000, 6000, 12_000, 24_000, 48_000, 96_000]
    assert numbers / 18_000 == pytest.approx([1 / 6] * 6, abs=0.015)


@pytest.mark.parametrize("engine", [None, "7ms"])
def test_automotive_periods_come_as_often_as_in_the_table(engine: str | None) -> None:
    made = takt.Recipe(tasks=10, utilization=20.0, periods="automotive", engine_period=engine, resolution="1ms")
    found, numbers = np.unique(made.columns(5, 0, 3000).period, return_counts=True)
    table = {1: 3, 2: 2, 5: 2, 10: 25, 20: 25, 50: 3, 100: 20, 200: 1, 1000: 4} | ({7: 15} if engine else {})
    assert found.tolist() == sorted(table)
    expected = np.array([table[period] for period in sorted(table)]) / sum(table.values())
    assert numbers / 30_000 == pytest.approx(expected, abs=0.01)


def test_average_execution_times_of_runnables_have_least_mean_and_greatest_of_the_table() -> None:
    for row in automotive.RUNNABLES:
        least, mean, greatest = row.acet_us
        points = ((place + 0.5) / 20_000 * 0.999 for place in range(20_000))
        times = [least + row.scale_us * (-math.log(1 - point)) ** (1 / row.shape) for point in points]
        assert times[0] >= least
        assert times[-1] <= greatest
        assert sum(times) / len(times) == pytest.approx(mean, rel=0.005)
        assert greatest - least == pytest.approx(row.scale_us * math.log(1000) ** (1 / row.shape))


@pytest.mark.long
def test_automotive_shares_are_as_far_apart_as_factors_and_times_allow() -> None:
    """Two runnables of 1000 ms: averages from 0.37 to 0.46 us, worst cases 1.84 to 4.75 times as long."""
    made = takt.Recipe(tasks=2, utilization=0.9, periods="automotive", shares="automotive", resolution="1ns")
    sets = made.columns(5, 0, 100_000)
    slow = (sets.period == 10**9).all(axis=1)
    ratios = sets.wcet[slow].max(axis=1) / sets.wcet[slow].min(axis=1)
    assert slow.sum() > 100
    assert 2.0 < ratios.max() < 4.75 / 1.84 * 0.46 / 0.37
    assert ratios.min() < 1.1


def test_automotive_wcets_are_to_one_another_as_in_the_tables() -> None:
    """Of very many runnables only the means are left: 10.09 us times 15.545 of 10 ms, 10.53 us times 4.95 of 100 ms."""
    made = takt.Recipe(tasks=2, utilization=0.5, periods="automotive", shares="automotive", runnables=3000)
    sets = made.replace(resolution="1ns").columns(5, 0, 400)
    mixed = (sets.period[:, 0] == 10**7) & (sets.period[:, 1] == 10**8)
    ratios = sets.wcet[mixed, 0] / sets.wcet[mixed, 1]
    assert mixed.sum() > 10
    assert ratios.mean() == pytest.approx(10.09 * 15.545 / (10.53 * 4.95), rel=0.03)


def test_more_runnables_make_tasks_of_one_period_more_alike() -> None:
    spreads = []
    for runnables in (1, 100):
        made = takt.Recipe(
            tasks=3, utilization=0.5, periods="automotive", shares="automotive", runnables=runnables, resolution="1ns"
        )
        sets = made.columns(5, 0, 8000)
        alike = sets.wcet[(sets.period == 10**7).all(axis=1)]
        spreads.append(np.median(alike.max(axis=1) / alike.min(axis=1)))
    assert spreads[1] < 2 < spreads[0]


# ---- deadlines, jitters, offsets, order ----------------------------------------------------------------------


def test_constrained_deadlines_are_spread_between_wcet_and_period() -> None:
    made = takt.Recipe(tasks=4, utilization=0.5, deadlines="constrained", deadline_factors=[0.2, 0.8])
    sets = made.columns(9, 0, 5000)
    parts = (sets.deadline - sets.wcet) / (sets.period - sets.wcet)
    assert distance(parts.ravel(), lambda x: np.clip((x - 0.2) / 0.6, 0, 1)) < KOLMOGOROV


def test_a_constrained_deadline_of_a_task_that_cannot_meet_it_is_the_period() -> None:
    sets = takt.Recipe(tasks=2, utilization=3.0, deadlines="constrained").columns(9, 0, 1000)
    heavy = sets.wcet > sets.period
    assert heavy.any()
    assert (sets.deadline[heavy] == sets.period[heavy]).all()
    assert (sets.deadline <= sets.period).all()


def test_arbitrary_deadlines_and_jitters_are_multiples_of_periods() -> None:
    made = takt.Recipe(tasks=4, utilization=0.5, deadlines="arbitrary", jitter=[0.1, 0.3], resolution="1ns")
    sets = made.columns(9, 0, 5000)
    assert distance((sets.deadline / sets.period).ravel(), lambda x: np.clip((x - 0.5) / 1.5, 0, 1)) < KOLMOGOROV
    assert distance((sets.jitter / sets.period).ravel(), lambda x: np.clip((x - 0.1) / 0.2, 0, 1)) < KOLMOGOROV


def test_offsets_are_below_periods() -> None:
    sets = takt.Recipe(tasks=4, utilization=0.5, offsets="random").columns(9, 0, 5000)
    assert (sets.offset < sets.period).all()
    assert distance((sets.offset / sets.period).ravel(), lambda x: np.clip(x, 0, 1)) < KOLMOGOROV


@pytest.mark.parametrize(("priorities", "key"), [("dm", "deadline"), ("rm", "period")])
def test_tasks_stand_in_the_order_of_their_priorities(priorities: str, key: str) -> None:
    sets = takt.Recipe(tasks=6, utilization=0.5, deadlines="arbitrary", priorities=priorities).columns(9, 0, 500)
    assert (np.diff(getattr(sets, key).astype(np.int64), axis=1) >= 0).all()


def test_random_priorities_have_every_order_equally_often() -> None:
    periods = takt.Recipe(tasks=3, utilization=0.5, priorities="random").columns(9, 0, 12_000).period
    orders = np.unique(np.argsort(periods, axis=1), axis=0, return_counts=True)[1]
    assert orders / 12_000 == pytest.approx([1 / 6] * 6, abs=0.015)


def test_another_choice_of_one_thing_changes_no_other() -> None:
    one = takt.Recipe(tasks=6, utilization=0.5).columns(9, 0, 100)
    other = takt.Recipe(tasks=6, utilization=0.5, deadlines="arbitrary", priorities="rm", jitter=0.1).columns(9, 0, 100)
    assert (one.wcet == other.wcet).all()
    assert (one.period == other.period).all()


# ---- rounding ------------------------------------------------------------------------------------------------


def test_what_rounding_takes_from_one_task_it_gives_to_another() -> None:
    made = takt.Recipe(tasks=5, utilization=0.73, period_min=20, period_max=200, resolution="1ms")
    sets = made.columns(2, 0, 2000)
    in_the_way = (sets.wcet == 1).any(axis=1)
    missing = (0.73 - sets.utilization)[~in_the_way] * sets.period.max(axis=1)[~in_the_way]
    assert (missing < 1 + 1e-6).all()
    assert (missing > -1e-9).all()
    assert (~in_the_way).sum() > 500


def test_no_wcet_is_below_a_tick_and_what_single_ticks_exceed_is_refused() -> None:
    made = takt.Recipe(tasks=50, utilization=5.0, period_min=10, period_max=100, resolution="1ms")
    assert made.columns(2, 0, 100).wcet.min() == 1
    with pytest.raises(takt.InputError, match=r"one tick of each of the 50 tasks is more than 0\.1 in some set"):
        made.replace(utilization=0.1).columns(2, 0, 100)


def exact_sums(sets: takt.TaskColumns) -> list[Fraction]:
    """The utilization of each set, as a fraction."""
    rows = zip(sets.wcet.tolist(), sets.period.tolist(), strict=True)
    return [sum(map(Fraction, wcets, periods), Fraction(0)) for wcets, periods in rows]


@pytest.mark.parametrize("utilization", [0.5, 0.7, 1.0, 2.0, 3.0])
@pytest.mark.parametrize(
    "keys",
    [
        {},
        {"resolution": "100us"},
        {"periods": "harmonic", "resolution": "100us"},
        {"periods": ["10ms", "20ms", "40ms"], "resolution": "100us"},
        {"periods": "uniform", "deadlines": "constrained"},
        {"periods": "automotive"},
        {"shares": "uunifast-discard"},
        {"shares": "fixed-sum", "min_share": 0.01},
        {"shares": "fixed-sum", "resolution": "100us"},
        {"shares": "drs"},
    ],
    ids=lambda keys: ", ".join(f"{key} {value}" for key, value in keys.items()) or "default",
)
def test_rounding_moves_no_set_above_the_utilization(utilization: float, keys: dict[str, Any]) -> None:
    made = takt.Recipe(tasks=8, utilization=utilization, **keys)
    sets = made.columns(5, 0, 100 if keys.get("shares") == "drs" else 400)
    bound = Fraction(str(utilization))
    sums = exact_sums(sets)
    assert max(sums) <= bound
    assert (sets.wcet >= 1).all()
    if utilization <= 1:
        missing = [(bound - total) * int(longest) for total, longest in zip(sums, sets.period.max(axis=1), strict=True)]
        assert sum(ticks < 1 for ticks in missing) > 0.95 * len(missing)


def test_sets_of_a_whole_processor_are_accepted_by_edf() -> None:
    sets = takt.Recipe(tasks=10, utilization=1.0).columns(0, 0, 2000)
    assert max(exact_sums(sets)) <= 1
    assert _analysis.edf_verdicts_many(sets.wcet, sets.period, sets.deadline).all()


@pytest.mark.parametrize("keys", [{}, {"periods": [10, 20, 40], "resolution": "100us"}], ids=["default", "ties"])
def test_rounding_uses_the_row_of_a_set_alone(keys: dict[str, Any]) -> None:
    made = takt.Recipe(tasks=7, utilization=1.0, **keys)
    together = made.columns(3, 0, 300)
    for number in (0, 1, 17, 299):
        assert (made.columns(3, number, 1).wcet[0] == together.wcet[number]).all()


def test_sets_that_were_not_above_are_as_they_were() -> None:
    """Only the longest periods give back, one tick each."""
    sets = takt.Recipe(tasks=8, utilization=1.0).columns(5, 0, 400)
    share = sets.wcet / sets.period
    missing = (1 - share.sum(axis=1)) * sets.period.max(axis=1)
    assert ((missing > -1e-6) & (missing < 1 + 1e-6)).mean() > 0.97
    assert 0.3 < (missing <= 0.5).mean() < 0.7


# ---- what cannot be drawn ------------------------------------------------------------------------------------

BAD: dict[str, tuple[dict[str, Any], str]] = read_table("refused_recipes")


@pytest.mark.parametrize("name", BAD)
def test_a_recipe_of_what_cannot_be_is_refused_in_one_line(name: str) -> None:
    keys, expected = BAD[name]
    with pytest.raises(takt.InputError) as refused:
        takt.Recipe(**{"tasks": 8, "utilization": 0.9} | keys)
    (line,) = str(refused.value).splitlines()
    assert line.startswith(f"[generate] {expected}")


def test_what_discard_keeps_is_what_is_expected() -> None:
    for tasks, total, most in ((3, 1.0, 0.5), (5, 2.0, 0.9), (10, 4.0, 1.0)):
        parts = drawn_shares(tasks=tasks, utilization=total)
        kept = float(recipe_keys.accepted_part(tasks, total, 0.0, most))
        assert (parts <= most).all(axis=1).mean() == pytest.approx(kept, abs=0.012)
        assert 0.1 < kept < 0.9


# ---- systems -------------------------------------------------------------------------------------------------

EXTRAS: dict[str, dict[str, Any]] = {
    "subjobs": {"subjobs": 4},
    "longest subjob": {"longest_subjob": "300us"},
    "non-preemptive": {"non_preemptive": 0.4, "demand": [0.1, 1.2]},
    "sections": {"resources": 3, "section_min": "50us", "section_max": "2ms", "protocol": "pcp"},
    "servers": {"servers": 3},
    "dealt at random": {"servers": 3, "server_dealing": "random", "server_kind": "polling", "server_policy": "edf"},
    "sharing servers": {
        "servers": 2,
        "resources": 2,
        "section_min": 1,
        "section_max": "200us",
        "protocol": "hsrp",
        "server_period_min": "20ms",
    },
    "bandwidth servers": {"servers": 2, "server_kind": "hard-cbs", "policy": "edf"},
    "several processors": {"cpus": 3, "utilization": 2.0, "policy": "edf"},
    "costs": {"context_switch": "20us", "release": 1, "scheduling": 2, "point": 3, "tick": 4, "tick_period": "1ms"},
}


@pytest.mark.parametrize("name", EXTRAS)
def test_every_system_can_be_written_read_and_simulated(name: str, tmp_path: Path) -> None:
    made = takt.Recipe(**{"tasks": 7, "utilization": 0.6} | EXTRAS[name])
    for number in range(count(8)):
        system = made.system(seed=1, number=number)
        takt.save(system, tmp_path / "set.toml")
        assert takt.load(tmp_path / "set.toml") == system
        assert takt.simulate(system, horizon="100ms").summary["released"].sum() > 0
        assert made.system(seed=1, number=number) == system
    assert made.system(seed=2, number=0) != made.system(seed=1, number=0)


def lengths(task: takt.Task) -> list[int]:
    """The lengths of the subjobs of a generated task."""
    assert task.subjobs is not None
    return [int(length) for length in task.subjobs]


def test_costs_change_nothing_else_and_are_those_of_the_platform() -> None:
    costs = {"context_switch": "20us", "release": 1, "scheduling": 2, "point": 3, "tick": 4, "tick_period": "1ms"}
    plain, costly = (takt.Recipe(tasks=7, utilization=0.6, **keys).system(seed=1, number=3) for keys in ({}, costs))
    assert costly.platform == takt.Platform(**costs)
    assert costly.replace(platform=takt.Platform()) == plain


def test_subjobs_add_up_and_are_cut_in_every_way_equally_often() -> None:
    made = takt.Recipe(tasks=1, utilization=0.5, periods=[10], subjobs=3, resolution="1ms")
    cuts = [tuple(lengths(made.system(1, number).tasks[0])) for number in range(1200)]
    ways = [(1, 1, 3), (1, 2, 2), (1, 3, 1), (2, 1, 2), (2, 2, 1), (3, 1, 1)]
    assert sorted(set(cuts)) == ways
    assert [cuts.count(way) / 1200 for way in ways] == pytest.approx([1 / 6] * 6, abs=0.05)


def test_a_wcet_of_fewer_ticks_than_subjobs_is_cut_into_ticks() -> None:
    made = takt.Recipe(tasks=1, utilization=0.5, periods=[4, 6], subjobs=5, resolution="1ms")
    assert {tuple(lengths(made.system(1, number).tasks[0])) for number in range(20)} == {(1, 1), (1, 1, 1)}


def test_no_subjob_is_longer_than_the_longest() -> None:
    made = takt.Recipe(tasks=6, utilization=0.7, longest_subjob="1ms")
    for task in (task for number in range(10) for task in made.system(1, number).tasks):
        assert sum(lengths(task)) == task.wcet
        assert max(lengths(task)) <= 1000
        assert max(lengths(task)) - min(lengths(task)) <= 1
        assert (len(lengths(task)) - 1) * 1000 < sum(lengths(task))


def test_as_many_tasks_are_not_preemptive_as_the_recipe_says() -> None:
    made = takt.Recipe(tasks=100, utilization=0.7, non_preemptive=0.3)
    flags = [task.is_non_preemptive for number in range(10) for task in made.system(1, number).tasks]
    assert sum(flags) / len(flags) == pytest.approx(0.3, abs=0.05)


def test_sections_are_as_long_and_as_many_as_the_recipe_says() -> None:
    keys: dict[str, Any] = {"resources": 4, "section_probability": 0.25, "section_min": "100us", "section_max": "400us"}
    made = takt.Recipe(tasks=10, utilization=0.9, period_min="100ms", **keys)
    tasks = [task for number in range(40) for task in made.system(1, number).tasks if int(task.wcet or 0) > 2000]
    held = [int(run.split()[0]) for task in tasks for run in task.sections or () if isinstance(run, str)]
    assert len(held) / len(tasks) == pytest.approx(4 * 0.25, abs=0.15)
    assert min(held) >= 100
    assert max(held) <= 400
    assert sum(held) / len(held) == pytest.approx(250, abs=15)
    assert {item.resource for task in tasks for item in task.items if item.op == Op.LOCK} == {"R1", "R2", "R3", "R4"}


def test_a_short_task_has_no_section_that_does_not_fit() -> None:
    made = takt.Recipe(
        tasks=1, utilization=0.5, periods=[20], resources=2, section_probability=1, section_min=6, section_max=9,
        resolution="1ms",
    )  # fmt: skip
    for number in range(30):
        (task,) = made.system(1, number).tasks
        assert sum(isinstance(run, str) for run in task.sections or ()) == 1
        assert sum(int(str(run).split()[0]) for run in task.sections or ()) == task.wcet == 10


def test_servers_have_the_budget_that_their_tasks_need() -> None:
    made = takt.Recipe(tasks=9, utilization=0.6, servers=3, server_budget=1.2)
    for number in range(10):
        system = made.system(1, number)
        loads = []
        for server in system.servers:
            load = sum(
                Fraction(int(task.wcet or 0), int(task.period or 1))
                for task in system.tasks
                if task.server == server.name
            )
            assert server.budget == math.ceil(Fraction(1.2) * load * int(server.period))
            loads.append(load)
        largest = max(Fraction(int(task.wcet or 0), int(task.period or 1)) for task in system.tasks)
        assert max(loads) - min(loads) <= largest
        assert [server.period for server in system.servers] == sorted(int(server.period) for server in system.servers)


def test_the_largest_task_is_dealt_first_and_to_the_server_with_the_least() -> None:
    made = takt.Recipe(tasks=9, utilization=0.6, servers=3)
    for number in range(10):
        system = made.system(1, number)
        homes: dict[str, Fraction] = {server.name: Fraction(0) for server in system.servers}
        shares = {task: Fraction(int(task.wcet or 0), int(task.period or 1)) for task in system.tasks}
        for task in sorted(shares, key=lambda task: -shares[task]):
            assert task.server is not None
            assert homes[task.server] == min(homes.values())
            homes[task.server] += shares[task]


def test_demands_are_within_their_factors() -> None:
    made = takt.Recipe(tasks=3, utilization=0.6, demand=[0.25, 0.5], periods=["10ms"])
    system = made.system(1, 0)
    busy = takt.simulate(system, horizon="1s").summary["busy"].sum() / 1_000_000
    assert 0.25 * 0.6 < busy < 0.5 * 0.6
    assert {made.system(1, number).seed for number in range(50)} != {system.seed}


def test_a_set_has_a_seed_of_32_bits_of_its_own() -> None:
    recipe = Recipe(tasks=2, utilization=0.5)
    seeds = [recipe.system(7, number).seed for number in range(64)]
    assert len(set(seeds)) == 64
    assert 2**31 < max(seeds) < 2**32
