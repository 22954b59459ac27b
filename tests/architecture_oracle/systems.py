# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Hypothesis strategies: random small systems for the oracle of architectures and whatever is compared with it.

Small numbers on purpose: every second period divides 400, and costs, intervals and latencies are of the order of
the execution times, so that releases, ticks, completions and decisions meet at one instant, and jobs fail.
Shrinking leads to few tasks, rm, hardware, no offsets, deadlines equal to periods, and no costs.
"""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from .model import COPROCESSOR_LATENCY, POLICIES, TIMERS, Architecture, Task

MAX_TASKS = 5
MIN_PERIOD = 20
MAX_PERIOD = 400
HARMONIC_PERIODS = (20, 25, 40, 50, 80, 100, 200, 400)
MAX_CONTEXT_SWITCH = 20
MAX_INTERVAL = 120
MAX_LATENCY = 30
PRIORITY_LEVELS = 3
MAX_DURATION = 2000


@dataclass(frozen=True)
class System:
    """What is simulated, but for the duration: `simulate(system.tasks, system.policy, system.architecture, ...)`.

    Args:
        tasks: the tasks in the order of their ids.
        policy: "rm", "dm", "edf" or "fp".
        architecture: where the scheduler runs and what it costs.
    """

    tasks: tuple[Task, ...]
    policy: str
    architecture: Architecture


def policies() -> st.SearchStrategy[str]:
    """Return a policy."""
    return st.sampled_from(POLICIES)


def context_switches() -> st.SearchStrategy[int]:
    """Return the cost of a whole sequence: none, one that four steps divide, or any."""
    return st.one_of(
        st.just(0), st.sampled_from(range(4, MAX_CONTEXT_SWITCH + 1, 4)), st.integers(0, MAX_CONTEXT_SWITCH)
    )


@st.composite
def hardware_architectures(draw: st.DrawFn) -> Architecture:
    """Return a HaRTS architecture."""
    return Architecture("hardware", draw(context_switches()))


@st.composite
def coprocessor_architectures(draw: st.DrawFn) -> Architecture:
    """Return a Co-SoRTS architecture; the latency is often the usual one, and may be 0."""
    latency = st.one_of(st.none(), st.just(COPROCESSOR_LATENCY), st.integers(0, MAX_LATENCY))
    return Architecture("coprocessor", draw(context_switches()), latency=draw(latency))


@st.composite
def software_architectures(draw: st.DrawFn) -> Architecture:
    """Return a SoRTS architecture; the interval may be shorter than an entry, so that no time is left to tasks."""
    interval = st.one_of(st.sampled_from((20, 40, 50, 100)), st.integers(1, MAX_INTERVAL))
    return Architecture("software", draw(context_switches()), draw(interval), draw(st.sampled_from(TIMERS)))


def architectures() -> st.SearchStrategy[Architecture]:
    """Return an architecture of any kind."""
    return st.one_of(hardware_architectures(), coprocessor_architectures(), software_architectures())


def periods() -> st.SearchStrategy[int]:
    """Return a period; every second one divides 400."""
    return st.one_of(st.sampled_from(HARMONIC_PERIODS), st.integers(MIN_PERIOD, MAX_PERIOD))


def deadlines(period: int, max_periods: int) -> st.SearchStrategy[int | None]:
    """Return a relative deadline: the period, at most the period, or up to some periods."""
    return st.one_of(st.none(), st.integers(1, period), st.integers(period, max_periods * period))


@st.composite
def tasks(draw: st.DrawFn, name: str, share: int, max_periods: int) -> Task:
    """Return a task that demands up to a share of the processor, and a little more at times.

    Args:
        draw: given by Hypothesis.
        name: of the task.
        share: how many tasks like this one fill the processor.
        max_periods: the longest deadline in periods.
    """
    period = draw(periods())
    return Task(
        name=name,
        period=period,
        wcet=draw(st.integers(1, max(1, period // share))),
        deadline=draw(deadlines(period, max_periods)),
        offset=draw(st.one_of(st.just(0), st.integers(0, MAX_PERIOD))),
        priority=draw(st.integers(1, PRIORITY_LEVELS)),
    )


@st.composite
def systems(draw: st.DrawFn, *, among: st.SearchStrategy[Architecture] | None = None, max_periods: int = 3) -> System:
    """Return a system of 1 to MAX_TASKS tasks; about half of them have a utilization of at most 1.

    Args:
        draw: given by Hypothesis.
        among: which architectures; None means all.
        max_periods: the longest deadline in periods; with 1 no release finds the previous job before its deadline.
    """
    count = draw(st.integers(1, MAX_TASKS))
    share = count if draw(st.booleans()) else 1
    made = tuple(draw(tasks(f"T{number}", share, max_periods)) for number in range(1, count + 1))
    return System(made, draw(policies()), draw(architectures() if among is None else among))


def horizons() -> st.SearchStrategy[int]:
    """Return a duration: a few periods, at least one instant."""
    return st.integers(1, MAX_DURATION)
