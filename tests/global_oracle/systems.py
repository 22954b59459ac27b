# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Hypothesis strategies that make random plain tasks for several processors.

Demands are often as long as periods, so that several processors have something to do, and priorities are few, so that
ties are frequent.
"""

from __future__ import annotations

from hypothesis import strategies as st
from oracle.model import CLASSES, ON_MISS, System, Task
from oracle.systems import TASK_CHANGES, deadlines, offsets, periods

MAX_TASKS = 9
MAX_CPUS = 4
POLICIES = ("fp", "rm", "dm", "edf")
FEATURES = ("arrivals", "demands")


def processors(least: int = 1) -> st.SearchStrategy[int]:
    """Return a number of processors."""
    return st.integers(least, MAX_CPUS)


@st.composite
def _tasks(draw: st.DrawFn, name: str) -> Task:
    """Return one task."""
    period = draw(periods())
    task = Task(
        name=name,
        period=period,
        demand=draw(st.one_of(st.integers(1, period), st.integers(1, max(1, period // 3)))),
        offset=draw(offsets()),
        deadline=draw(deadlines(period)),
        priority=draw(st.integers(1, 3)),
        preemption=draw(st.sampled_from(["preemptive"] * 4 + ["non-preemptive"])),
        class_=draw(st.sampled_from(CLASSES)),
        on_miss=draw(st.sampled_from(ON_MISS)),
    )
    for feature in FEATURES:
        if draw(st.sampled_from([False, False, True])):
            task = draw(TASK_CHANGES[feature](task))
    return task


@st.composite
def systems(draw: st.DrawFn) -> System:
    """Return a system of plain tasks; one under rm whose tasks have no separation is under dm."""
    policy = draw(st.sampled_from(POLICIES))
    count = draw(st.integers(1, MAX_TASKS))
    tasks = tuple(draw(_tasks(f"T{number}")) for number in range(1, count + 1))
    if policy == "rm" and any(task.rate_period is None for task in tasks):
        policy = "dm"
    return System(policy=policy, tasks=tasks)
