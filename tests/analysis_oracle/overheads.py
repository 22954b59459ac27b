# SPDX-License-Identifier: Apache-2.0 OR MIT
"""EDF on a kernel whose work takes time: demand with all costs, literally, at all deadlines of a busy period."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

Costs = tuple[int, ...]
"""Context switch, release, scheduling, point, tick, the period of ticks, and a wake-up, which may be left out."""


@dataclass(frozen=True)
class Task:
    """A sporadic task; `longest` is its longest non-preemptive region, 0 if it is preemptive."""

    wcet: int
    period: int
    deadline: int
    jitter: int
    longest: int
    points: int

    def arrivals(self, t: int) -> int:
        """Count the jobs that are released in t ticks."""
        return -(-(t + self.jitter) // self.period)

    def due(self, t: int) -> int:
        """Count the jobs that are released and due in t ticks."""
        return max(0, (t + self.jitter - self.deadline) // self.period + 1)


@dataclass(frozen=True)
class Kernel:
    """What each event costs."""

    costs: Costs

    @property
    def completion(self) -> int:
        """Scheduling and a switch."""
        return self.costs[2] + self.costs[0]

    @property
    def is_free(self) -> bool:
        """True if all costs are 0."""
        return not any(self.costs[:5]) and self.wake_up == 0

    @property
    def wake_up(self) -> int:
        """What the first choice after idling costs."""
        return self.costs[6] if len(self.costs) > 6 else 0

    def job(self, task: Task) -> int:
        """Return what a job executes, its points, and its completion."""
        return task.wcet + task.points * self.costs[3] + self.completion

    def interrupts(self, tasks: Sequence[Task], t: int) -> int:
        """Return what releases and ticks cost in t ticks."""
        ticks = -(-t // self.costs[5]) * self.costs[4] if self.costs[4] else 0
        return ticks + sum(task.arrivals(t) for task in tasks) * (self.costs[1] + self.completion)

    def region(self, task: Task) -> int:
        """Return how long a job of a task may keep others waiting, from the kernel's choice to its next one."""
        end = max(self.costs[3], self.completion) if task.points else self.completion
        return task.longest - self.is_free + end if task.longest else 0

    def point(self, tasks: Sequence[Task]) -> int:
        """Return the cost of a point, 0 if no task has one."""
        return max((self.costs[3] for task in tasks if task.points), default=0)

    def load(self, tasks: Sequence[Task]) -> Fraction:
        """Return the utilization with all costs."""
        release = self.costs[1] + self.completion
        ticks = Fraction(self.costs[4], self.costs[5]) if self.costs[4] else Fraction(0)
        return ticks + sum((Fraction(self.job(task) + release, task.period) for task in tasks), Fraction(0))


def is_edf_schedulable(tasks: Sequence[Task], costs: Costs) -> bool:
    """True if demand with all costs is never more than time, of tasks that do not use the processor up."""
    kernel = Kernel(costs)
    if kernel.load(tasks) >= 1 or any(task.deadline < task.jitter + task.wcet for task in tasks):
        return False
    begun = kernel.wake_up + kernel.point(tasks) + kernel.completion
    regions = max((kernel.region(task) for task in tasks), default=0)
    end = 1
    while end < begun + regions + kernel.interrupts(tasks, end) + sum(t.arrivals(end) * kernel.job(t) for t in tasks):
        end += 1
    deadlines = [t for t in range(1, end + 1) if any(task.due(t) > task.due(t - 1) for task in tasks)]
    return all(demand(kernel, tasks, t) <= t for t in deadlines)


def demand(kernel: Kernel, tasks: Sequence[Task], t: int) -> int:
    """Return what keeps the processor from a job that is due at t, itself included."""
    due = sum(task.due(t) * kernel.job(task) for task in tasks)
    region = max((kernel.region(task) for task in tasks if task.due(t) == 0), default=0)
    return kernel.wake_up + kernel.point(tasks) + kernel.interrupts(tasks, t) + due + region
