# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Everyday policies, limited preemption, bodies, late jobs and costs, as users get them.

That the simulator equals the oracle on random systems is tested elsewhere.
"""

from __future__ import annotations

import csv
from pathlib import Path

import polars as pl
import pytest
import takt
from places import GOLDEN

Segments = list[tuple[int, int, str]]


def golden(name: str) -> Segments:
    """The segments of one golden file."""
    with (GOLDEN / f"{name}.csv").open(newline="") as file:
        return [(int(row["start"]), int(row["end"]), row["task"]) for row in csv.DictReader(file)]


def segments(result: takt.Result) -> Segments:
    """Segments as the golden files list them: neighbours merged across jobs."""
    merged: Segments = []
    for start, end, task in result.segments.select("start", "end", "task").rows():
        if merged and merged[-1][1:] == (start, task):
            start = merged.pop()[0]
        merged.append((start, end, task))
    return merged


def run(*tasks: takt.Task, horizon: int, policy: str = "fp", **platform: object) -> takt.Result:
    """Simulate tasks."""
    return takt.simulate(takt.System(tasks=tasks, policy=policy, platform=takt.Platform(**platform)), horizon)


def task(name: str, period: int, wcet: int | None = None, **keys: object) -> takt.Task:
    """A task."""
    return takt.Task(name=name, period=period, wcet=wcet, **keys)


def check_golden(name: str, *tasks: takt.Task, policy: str = "fp") -> None:
    """Compare with a golden file, as far as that goes."""
    expected = golden(name)
    assert segments(run(*tasks, policy=policy, horizon=expected[-1][1])) == expected


# ---- golden schedules ----------------------------------------------------------------------------------


def pair(first: int, *, t1: dict[str, object], t2: dict[str, object]) -> tuple[takt.Task, takt.Task]:
    """T1(5, 2) above T2(12, 7), the set that only deferred preemption schedules; T1 begins at `first`."""
    return task("T1", 5, 2, priority=2, offset=first, **t1), task("T2", 12, 7, priority=1, **t2)


@pytest.mark.parametrize("threshold", [{"threshold": 3}, {"threshold": "T1"}], ids=str)
def test_preemption_thresholds(threshold: dict[str, object]) -> None:
    t2 = task("T2", 10, 2, priority=2, **threshold)
    t3 = task("T3", 14, 4, priority=1, threshold="T2" if threshold["threshold"] == "T1" else 2)
    tasks = task("T1", 4, 2, priority=3), t2, t3
    check_golden("fpts_example", *tasks)
    assert run(*tasks, horizon=140 * 4).missed == 0


# ---- special cases --------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", ["fp", "rm", "dm", "edf", "llf"])
def test_one_subjob_is_non_preemptive_and_unit_subjobs_are_preemptive(policy: str) -> None:
    whole = [task("A", 5, 2, priority=2), task("B", 14, 6, priority=1)]
    one = [of.replace(subjobs=[of.wcet]) for of in whole]
    never = [of.replace(preemption="non-preemptive") for of in whole]
    units = [of.replace(subjobs=[1] * int(of.wcet or 0)) for of in whole]
    assert run(*one, policy=policy, horizon=140).segments.equals(run(*never, policy=policy, horizon=140).segments)
    assert run(*units, policy=policy, horizon=140).segments.equals(run(*whole, policy=policy, horizon=140).segments)


# ---- demands and arrivals --------------------------------------------------------------------------------


def test_random_jobs_are_the_same_under_every_policy_and_follow_the_seed() -> None:
    demand = takt.Normal(mean=3, deviation=1)
    tasks = [
        takt.Task(name="A", min_separation=8, wcet=5, demand=demand),
        takt.Task(name="B", arrivals=takt.Exponential(mean=30), deadline=60, wcet=9, demand=takt.Uniform(min=2, max=9)),
        takt.Task(name="C", period=20, jitter=7, wcet=6, demand=takt.Weibull(scale=3, shape=1.5, max=12)),
    ]
    system = takt.System(tasks=tasks, seed=7)

    def work(system: takt.System) -> list[tuple[object, ...]]:
        """Arrival and executed time of every job that arrives early enough to finish."""
        result = takt.simulate(system, 5000)
        lengths = result.segments.select("task", "job", length=pl.col("end") - pl.col("start"))
        executed = lengths.group_by("task", "job").agg(pl.col("length").sum())
        early = result.jobs.filter(pl.col("release") < 4000).join(executed, on=["task", "job"])
        return sorted(early.select("task", "job", "release", "length").rows())

    fp, edf = work(system), work(system.replace(policy="edf"))
    assert fp == edf
    assert fp != work(system.replace(seed=8))


# ---- costs --------------------------------------------------------------------------------------------------


def test_points_that_pull_give_the_schedule_of_points_that_push() -> None:
    tasks = pair(1, t1={"subjobs": [2]}, t2={"subjobs": [3, 4]})
    push, pull = (run(*tasks, horizon=120, points=points) for points in ("push", "pull"))
    assert push.segments.equals(pull.segments)
    assert push.jobs.equals(pull.jobs)
    dear = [run(*tasks, horizon=120, points=points, release=1).overhead for points in ("push", "pull")]
    assert dear[0] == dear[1]


# ---- policies in Python -------------------------------------------------------------------------------------


class ShortestJobFirst(takt.Policy):
    """The job with the least wcet goes first; it remembers who has finished."""

    def __init__(self) -> None:
        self.finished: list[tuple[str, int, int]] = []

    def release(self, job: takt.Job) -> int:
        return job.wcet

    def complete(self, job: takt.Job, finish: int) -> None:
        self.finished.append((job.task, job.number, finish))


def test_a_policy_in_python_orders_jobs_and_gets_feedback(tmp_path: Path) -> None:
    policy = ShortestJobFirst()
    system = takt.System(tasks=[task("A", 8, 4), task("B", 8, 2)], policy=policy)
    result = takt.simulate(system, 16, trace=tmp_path / "T.takt")
    assert segments(result) == [(0, 2, "B"), (2, 6, "A"), (8, 10, "B"), (10, 14, "A")]
    (asked,) = result.policies.values()
    assert isinstance(asked, ShortestJobFirst)
    assert asked.finished == [("B", 0, 2), ("A", 0, 6), ("B", 1, 10), ("A", 1, 14)]
    assert policy.finished == []
    assert takt.replay(tmp_path / "T.takt", policies=[policy]).is_identical


def test_a_python_rate_monotonic_policy_equals_the_one_in_c() -> None:
    class Monotonic(takt.Policy):
        def release(self, job: takt.Job) -> int:
            assert job.period is not None
            return job.period

    tasks = [task("A", 5, 1), task("B", 7, 2), task("C", 7, 2), task("D", 31, 6)]
    system = takt.System(tasks=tasks)
    in_c = takt.simulate(system.replace(policy="rm"), 2000)
    assert takt.simulate(system.replace(policy=Monotonic()), 2000).segments.equals(in_c.segments)


@pytest.mark.parametrize("key", [0, -1, 2**63, 1.5, None, True])
def test_a_key_that_is_none_is_an_error_of_the_policy(key: object) -> None:
    class Wrong(takt.Policy):
        def release(self, job: takt.Job) -> int:
            return key  # type: ignore[return-value]

    with pytest.raises(takt.InputError, match='policy "wrong": expected a whole number from 1'):
        takt.simulate(takt.System(tasks=[task("A", 5, 1)], policy=Wrong()), 10)


def test_what_a_policy_raises_comes_out() -> None:
    class Broken(takt.Policy):
        def release(self, job: takt.Job) -> int:
            raise ZeroDivisionError("no key")

    message = r'^policy "broken": release\(\) failed for "A"#0: ZeroDivisionError: no key$'
    with pytest.raises(takt.InputError, match=message) as raised:
        takt.simulate(takt.System(tasks=[task("A", 5, 1)], policy=Broken()), 10**6)
    assert isinstance(raised.value.__cause__, ZeroDivisionError)
