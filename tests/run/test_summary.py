# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The summary of a run: mean and percentiles of the responses of each task, against their definitions."""

from __future__ import annotations

from fractions import Fraction

import polars as pl
import pytest
import takt
from hypothesis import given
from hypothesis import strategies as st
from places import EXAMPLES
from takt.run.frames import percentile


def rank_of(values: list[int], percent: int) -> int | None:
    """The definition, value by value: the least one that at least so many percent of all do not exceed."""
    enough = [
        value for value in values if Fraction(sum(other <= value for other in values), len(values)) * 100 >= percent
    ]
    return min(enough, default=None)


@given(st.lists(st.integers(0, 2**63), max_size=120), st.integers(1, 100))
def test_a_percentile_is_the_least_value_that_enough_do_not_exceed(values: list[int], percent: int) -> None:
    assert percentile(sorted(values), percent) == rank_of(values, percent)


@pytest.mark.parametrize(
    ("values", "p50", "p99"),
    [
        ([], None, None),
        ([7], 7, 7),
        ([1, 2], 1, 2),
        ([1, 2, 3], 2, 3),
        (range(1, 101), 50, 99),
        (range(1, 102), 51, 100),
    ],
)
def test_percentiles_worked_out_by_hand(values: list[int], p50: int | None, p99: int | None) -> None:
    assert (percentile(values, 50), percentile(values, 99)) == (p50, p99)


FILES = (
    "iot_110.toml",
    "overload.toml",
    "servers.toml",
    "machine.toml",
    "dhall.toml",
    "resources.toml",
    "negotiation.toml",
)


@pytest.mark.parametrize("name", FILES)
def test_the_summary_is_what_the_frame_of_jobs_has(name: str) -> None:
    result = takt.simulate(EXAMPLES / name)
    for row in result.summary.iter_rows(named=True):
        responses = result.jobs.filter(task=row["task"])["response"].drop_nulls().to_list()
        assert row["finished"] == len(responses)
        assert row["response_mean"] == (sum(responses) / len(responses) if responses else None)
        assert (row["response_p50"], row["response_p99"]) == (rank_of(responses, 50), rank_of(responses, 99))
        assert row["response_max"] == max(responses, default=None)


def test_a_large_sample() -> None:
    demand = takt.Exponential(mean="200us", min="1us", max="5ms")
    task = takt.Task(name="A", period="10ms", wcet="5ms", demand=demand)
    result = takt.simulate(takt.System(tasks=[task], resolution="1us"), "3000s", segments=False)
    row = result.summary.row(0, named=True)
    responses = result.jobs["response"]
    assert row["finished"] == 300_000
    assert row["response_p50"] == responses.quantile(0.5, "higher") == responses.sort()[149_999]
    assert row["response_p99"] == responses.sort()[296_999]
    assert row["response_mean"] == pytest.approx(responses.mean())
    assert row["response_p50"] < row["response_mean"] < row["response_p99"] < row["response_max"]


def test_times_have_a_unit() -> None:
    units = {"1ms": "ticks of 1 ms", "100us": "ticks of 100 \u00b5s", "250ns": "ticks of 250 ns", "2s": "ticks of 2 s"}
    for resolution, unit in units.items():
        system = takt.System(tasks=[takt.Task(name=name, period=5, wcet=2) for name in "AB"], resolution=resolution)
        assert takt.simulate(system).summary["unit"].to_list() == [unit] * 2


def test_what_is_not_known_is_null() -> None:
    tasks = [takt.Task(name="A", period=5, wcet=4), takt.Task(name="B", period=90, wcet=50)]
    system = takt.System(tasks=tasks, policy="rm")
    result = takt.simulate(system, 40)
    names = ["finished", "response_mean", "response_p50", "response_p99"]
    assert result.summary.select(names).rows() == [(8, 4.0, 4, 4), (0, None, None, None)]
    assert takt.simulate(system, 40, jobs=False).summary.select(names).rows()[0] == (8, 4.0, None, None)


def test_columns_keep_their_names_types_and_places() -> None:
    columns = takt.simulate(EXAMPLES / "smallest.toml").summary.schema
    first = ["task", "server", "class", "period", "deadline", "wcet", "released", "finished", "missed"]
    last = ["response_min", "response_max", "response_sum", "busy"]
    added = {"response_mean": pl.Float64, "response_p50": pl.UInt64, "response_p99": pl.UInt64, "unit": pl.String}
    assert list(columns)[:9] == first
    assert list(columns)[-8:] == [*last, *added]
    assert dict(list(columns.items())[-4:]) == added
    assert {columns[name] for name in (*first[3:], *last)} == {pl.UInt64}
