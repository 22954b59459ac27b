# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Simulation of what comes at random against the oracle, which gets the same random numbers as lists."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import accumulate
from typing import Any

import oracle
import takt
from draws import DEMAND, JITTER, SEPARATION, Draw, to_ticks
from hypothesis import given
from hypothesis import strategies as st
from oracle.systems import EVERYTHING, horizons, systems
from takt.model.distributions import Distribution
from test_random_systems import as_system, as_task, expected_of, many, outcome

FEATURES = EVERYTHING - {"arrivals", "demands"}
Keys = dict[str, Any]
Change = Callable[[oracle.Task, int, int, int], tuple[oracle.Task, Keys]]
Value = Callable[[Draw, int], int]

UNLIMITED = 2**62

VALUES: dict[str, tuple[Distribution, Value]] = {
    "uniform": (takt.Uniform(min=2, max=25), lambda draw, n: draw.uniform(n, 2, 25)),
    "normal": (takt.Normal(mean=4, deviation=3), lambda draw, n: to_ticks(draw.normal(n, 4, 3), 0, UNLIMITED)),
    "weibull": (takt.Weibull(scale=5, shape=1.5), lambda draw, n: to_ticks(draw.weibull(n, 5, 1.5), 0, UNLIMITED)),
    "exponential": (takt.Exponential(mean=5), lambda draw, n: to_ticks(draw.exponential(n, 5), 0, UNLIMITED)),
}
"""Distributions, and what they give before the limits that depend on their use."""


def period_of(task: oracle.Task) -> int:
    """The period, which every task here has at first."""
    assert task.period is not None
    return task.period


def with_jitter(task: oracle.Task, place: int, seed: int, horizon: int) -> tuple[oracle.Task, Keys]:
    """Return a task whose jobs are released late, but not before the one in front."""
    draw, most = Draw(seed, place, JITTER), 1 + 3 * place
    arrivals = range(task.offset, horizon, period_of(task))
    late = (arrival + draw.uniform(number, 0, most) for number, arrival in enumerate(arrivals))
    return replace(task, releases=tuple(zip(accumulate(late, max), arrivals, strict=True))), {"jitter": most}


def separated(task: oracle.Task, horizon: int, separation: Callable[[int], int]) -> oracle.Task:
    """Return a task whose jobs come so far apart, and at least a period."""
    least, arrivals = period_of(task), [task.offset]
    while arrivals[-1] < horizon:
        arrivals.append(arrivals[-1] + max(least, separation(len(arrivals) - 1)))
    releases = tuple((arrival, arrival) for arrival in arrivals)
    return replace(task, period=None, min_separation=least, releases=releases)


def sporadic(task: oracle.Task, place: int, seed: int, horizon: int) -> tuple[oracle.Task, Keys]:
    """Return a task whose jobs come at least a period apart, and at most two."""
    draw, least = Draw(seed, place, SEPARATION), period_of(task)
    changed = separated(task, horizon, lambda number: draw.uniform(number, least, 2 * least))
    return changed, {"period": None, "min_separation": least}


def arriving(name: str) -> Change:
    """Return a change to random arrivals, at least a period apart."""
    distribution, value = VALUES[name]

    def change(task: oracle.Task, place: int, seed: int, horizon: int) -> tuple[oracle.Task, Keys]:
        draw = Draw(seed, place, SEPARATION)
        changed = separated(task, horizon, lambda number: value(draw, number))
        return changed, {"period": None, "min_separation": period_of(task), "arrivals": distribution}

    return change


def demanding(name: str) -> Change:
    """Return a change to a random demand, at most the wcet unless the distribution has a higher limit."""
    distribution, value = VALUES[name]

    def change(task: oracle.Task, place: int, seed: int, horizon: int) -> tuple[oracle.Task, Keys]:
        draw, wcet = Draw(seed, place, DEMAND), task.declared_wcet
        most = 25 if name == "uniform" else wcet
        demands = tuple(min(max(1, value(draw, number)), most) for number in range(horizon + 1))
        return replace(task, wcet=wcet, demand=demands), {"demand": distribution}

    return change


ARRIVALS: list[Change] = [with_jitter, sporadic, *map(arriving, VALUES)]
DEMANDS: list[Change] = [*map(demanding, VALUES)]


@st.composite
def changes(draw: st.DrawFn) -> list[Change]:
    """Choose what is random in a task: arrivals, demands, both or neither."""
    return [draw(st.sampled_from(some)) for some in (ARRIVALS, DEMANDS) if draw(st.booleans())]


@many
@given(systems(features=FEATURES), horizons(), st.integers(0, 2**64 - 1), st.data())
def test_simulation_of_random_jobs_equals_the_oracle(
    system: oracle.System, horizon: int, seed: int, data: st.DataObject
) -> None:
    told, real = [], []
    for place, task in enumerate(system.tasks):
        keys: Keys = {}
        changed = task
        for change in data.draw(changes()):
            changed, more = change(changed, place, seed, horizon)
            keys |= more
        told.append(changed)
        real.append(as_task(task).replace(**keys))
    result = takt.simulate(as_system(system).replace(tasks=real, seed=seed), horizon)
    assert outcome(result) == expected_of(replace(system, tasks=tuple(told)), horizon)
