# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Bounds of fixed priorities and EDF, with and without preemption and with points, beside those proved in Prosa.

The second opinion is response-time-analysis (Bozhko and Brandenburg 2020). Without jitter the bounds are equal. There a
response counts from the release, here from the arrival, which jitter sets apart:

- Fixed priorities: equal to that of the task without its own jitter, plus this jitter.
- EDF, where a deadline counts from the release there: at least its bound, because a job that is released when it
  arrives meets the same jobs or more. At most the bound of the task among others whose deadlines are shorter by their
  jitter, plus its own jitter, because that is the least distance from a release to a deadline.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import response_time_analysis.model as prosa
import takt
from hypothesis import given
from hypothesis import strategies as st
from response_time_analysis import edf, fp
from sampling import expect_cases, tries
from takt.analysis import Verdict
from takt.analysis.judge import judge
from takt.analysis.result import TaskBound
from takt.analysis.view import view_of

PERIODS = (4, 5, 6, 8, 10, 12, 15, 20, 24, 30, 40)
HORIZON = 40_000
"""Beyond the busy periods of all sets whose utilization is below 1."""


@dataclass(frozen=True)
class Drawn:
    """A task; without points it is preemptive if its parts are ticks, else its one part is not."""

    period: int
    deadline: int
    jitter: int
    parts: tuple[int, ...]
    is_preemptive: bool

    @property
    def wcet(self) -> int:
        return sum(self.parts)

    @property
    def share(self) -> Fraction:
        return Fraction(self.wcet, self.period)

    def described(self, number: int, priority: int) -> takt.Task:
        """Return the task of a system."""
        keys = {"wcet": self.wcet} if self.is_preemptive else {"subjobs": self.parts}
        return takt.Task(
            name=f"T{number}",
            period=self.period,
            deadline=self.deadline,
            jitter=self.jitter,
            priority=priority,
            **keys,
        )

    def proved(self, priority: int, jitter: int, deadline: int) -> prosa.Task:
        """Return the task of the second opinion; its tasks are compared by value, so priorities distinguish them."""
        arrivals = prosa.PeriodicWithJitter(self.period, jitter) if jitter else prosa.Sporadic(self.period)
        wcet = prosa.WCET(self.wcet)
        execution: prosa.PreemptionModel = prosa.LimitedPreemptive(wcet, max(self.parts), self.parts[-1])
        if self.is_preemptive:
            execution = prosa.FullyPreemptive(wcet)
        elif len(self.parts) == 1:
            execution = prosa.FullyNonPreemptive(wcet)
        return prosa.Task(arrivals, execution, prosa.Deadline(deadline), prosa.Priority(priority))


def draw(seed: int, has_jitter: bool) -> list[Drawn]:
    """Draw up to five tasks with a utilization around 0.9, the most urgent first."""
    drawn = random.Random(seed)
    count = drawn.randint(1, 5)
    return [_task(drawn, count, has_jitter) for _ in range(count)]


def _task(drawn: random.Random, count: int, has_jitter: bool) -> Drawn:
    period = drawn.choice(PERIODS)
    wcet = min(period, max(1, round(period * drawn.uniform(0.2, 1.6) / count)))
    deadline = drawn.choice([period, period, drawn.randint(wcet, period), drawn.randint(period, 2 * period)])
    jitter = drawn.randint(0, period) if has_jitter and drawn.random() < 0.6 else 0
    cuts = sorted(drawn.sample(range(1, wcet), drawn.randint(0, min(3, wcet - 1))))
    parts = tuple(end - begin for begin, end in zip([0, *cuts], [*cuts, wcet], strict=True))
    return Drawn(period, deadline, jitter, parts, drawn.random() < 0.5)


def bounds(tasks: list[Drawn], policy: str) -> list[TaskBound]:
    """Return Takt's row of each task."""
    described = [task.described(number, len(tasks) - number) for number, task in enumerate(tasks)]
    return judge(view_of(takt.System(policy=policy, tasks=described))).rows()


OF_POLICY = {"fp": fp.rta, "edf": edf.rta}
Choose = Callable[[Drawn], int]


def proved_bound(
    tasks: list[Drawn], place: int, policy: str, own_jitter: Choose, others_deadline: Choose
) -> int | None:
    """Return the proved bound of one task; None if its busy period has no end."""
    made = [
        task.proved(
            len(tasks) - number,
            own_jitter(task) if number == place else task.jitter,
            task.deadline if number == place else others_deadline(task),
        )
        for number, task in enumerate(tasks)
    ]
    solution = OF_POLICY[policy](prosa.taskset(made), made[place], prosa.IdealProcessor(), horizon=HORIZON)
    bound: int | None = solution.response_time_bound
    return bound


def as_drawn(task: Drawn) -> int:
    return task.deadline


def both(tasks: list[Drawn], place: int, policy: str, row: TaskBound, proved: int | None) -> tuple[int, int] | None:
    """Return both bounds; None if one is missing, after a check that the processor is full."""
    competing = tasks[: place + 1] if policy == "fp" else tasks
    utilization = sum((task.share for task in competing), Fraction(0))
    assert (row.response is None) == (utilization > 1), (tasks, place)
    assert proved is not None or utilization >= 1, (tasks, place)
    return None if row.response is None or proved is None else (row.response, proved)


seen: Counter[tuple[str, str]] = Counter()


@given(st.integers(0, 2**32), st.sampled_from(["fp", "edf"]))
@tries(2500)
def compare_without_jitter(seed: int, policy: str) -> None:
    tasks = draw(seed, has_jitter=False)
    for place, row in enumerate(bounds(tasks, policy)):
        proved = proved_bound(tasks, place, policy, lambda task: task.jitter, as_drawn)
        known = both(tasks, place, policy, row, proved)
        if known is None:
            seen[policy, "none"] += 1
            continue
        assert known[0] == known[1], (tasks, place)
        is_met = known[0] <= row.deadline
        decided = Verdict.SCHEDULABLE if is_met else Verdict.NOT_SCHEDULABLE
        assert policy == "edf" or row.verdict is decided, (tasks, place)
        seen[policy, "met" if is_met else "late"] += 1


def test_bounds_without_jitter_are_those_that_are_proved() -> None:
    seen.clear()
    compare_without_jitter()
    expect_cases({(policy, case) for policy in OF_POLICY for case in ("met", "late", "none")} <= set(seen), seen)


@given(st.integers(0, 2**32))
@tries(600)
def compare_fixed_priorities_with_jitter(seed: int) -> None:
    tasks = draw(seed, has_jitter=True)
    for place, row in enumerate(bounds(tasks, "fp")):
        proved = proved_bound(tasks, place, "fp", lambda _: 0, as_drawn)
        known = both(tasks, place, "fp", row, proved)
        if known is not None:
            assert known[0] == known[1] + tasks[place].jitter, (tasks, place)
            seen["fp", "jitter" if tasks[place].jitter else "none"] += 1


def test_bounds_of_fixed_priorities_count_from_the_arrival() -> None:
    seen.clear()
    compare_fixed_priorities_with_jitter()
    expect_cases(len(seen) == 2, seen)


@given(st.integers(0, 2**32))
@tries(600)
def compare_deadlines_with_jitter(seed: int) -> None:
    tasks = draw(seed, has_jitter=True)
    for place, row in enumerate(bounds(tasks, "edf")):
        least = proved_bound(tasks, place, "edf", lambda task: task.jitter, as_drawn)
        known = both(tasks, place, "edf", row, least)
        if known is None:
            continue
        assert known[0] >= known[1], (tasks, place)
        seen["least", "equal" if known[0] == known[1] else "more"] += 1
        if all(task.jitter < task.deadline for task in tasks):
            among = proved_bound(
                tasks, place, "edf", lambda task: task.jitter, lambda task: task.deadline - task.jitter
            )
            assert among is None or known[0] <= among + tasks[place].jitter, (tasks, place)
            seen["most", "none" if among is None else "known"] += 1


def test_bounds_of_deadlines_with_jitter_lie_between_two_that_are_proved() -> None:
    seen.clear()
    compare_deadlines_with_jitter()
    expect_cases({("least", "equal"), ("least", "more"), ("most", "known")} <= set(seen), seen)
