# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Worst-case responses under fixed priorities, by the formulas of the specification (3.3, 3.4) evaluated literally.

Tasks stand most urgent first. Release jitter J is counted as in the literature: floor((t + J) / T) + 1 releases in
[0, t], ceil((t + J) / T) in [0, t), and a response counts from the arrival, J before the release at 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm


@dataclass(frozen=True)
class Graph:
    """Nodes of execution and their order; a job takes one way from a source to a sink, each node in one piece."""

    lengths: tuple[int, ...]
    edges: tuple[tuple[int, int], ...]

    def after(self, node: int) -> list[int]:
        """Return the nodes that follow."""
        return [second for first, second in self.edges if first == node]

    def sources(self) -> list[int]:
        """Return the nodes that follow none."""
        return [node for node in range(len(self.lengths)) if all(second != node for _, second in self.edges)]

    def paths(self) -> Iterator[list[int]]:
        """Yield all ways from a source to a sink."""
        ways = [[source] for source in self.sources()]
        while ways:
            way = ways.pop()
            after = self.after(way[-1])
            ways.extend([*way, node] for node in after)
            if not after:
                yield way

    def length(self, way: Sequence[int]) -> int:
        """Return the execution of a way."""
        return sum(self.lengths[node] for node in way)


def chain(*lengths: int) -> Graph:
    """Return a sequence of subjobs."""
    return Graph(lengths, tuple((node, node + 1) for node in range(len(lengths) - 1)))


@dataclass(frozen=True)
class Task:
    """A sporadic task: T, J, its subjobs, and the place from which on tasks cannot preempt a started subjob.

    A threshold of 0 is the highest, so that subjobs are non-preemptive; the task's own place makes it preemptive.
    """

    period: int
    graph: Graph
    threshold: int = 0
    jitter: int = 0

    @cached_property
    def wcet(self) -> int:
        """The longest way."""
        return max(self.graph.length(way) for way in self.graph.paths())

    @cached_property
    def ends(self) -> list[tuple[int, int]]:
        """Each way's execution and last node."""
        return [(self.graph.length(way), self.graph.lengths[way[-1]]) for way in self.graph.paths()]


def least(start: int, function: Callable[[int], int]) -> int:
    """Return the least fixed point of a monotone function at or above `start`, which is below all of them."""
    value = start
    while function(value) != value:
        value = function(value)
    return value


def utilization(tasks: Sequence[Task]) -> Fraction:
    """Return the sum of C / T."""
    return sum((Fraction(task.wcet, task.period) for task in tasks), Fraction(0))


def blocking(tasks: Sequence[Task], place: int) -> int:
    """Return the longest node of a less urgent task whose threshold bars the task, less the tick that it has begun."""
    barring = [task for task in tasks[place + 1 :] if task.threshold <= place]
    return max((length - 1 for task in barring for length in task.graph.lengths), default=0)


def response(tasks: Sequence[Task], place: int, blocked: int | None = None) -> int | None:
    """Return the worst-case response of a task, from its arrival; None if it has no bound.

    Args:
        tasks: most urgent first.
        place: which of them.
        blocked: its blocking, if it is not that by less urgent tasks.
    """
    task, higher = tasks[place], tasks[:place]
    level = [*higher, task]
    if utilization(level) > 1:
        return None
    delay = blocking(tasks, place) if blocked is None else blocked
    return max(
        _finish(tasks, place, delay + job * task.wcet + path - last, last) - job * task.period + task.jitter
        for job in range(_jobs(level, delay))
        for path, last in task.ends
    )


def _before(task: Task, instant: int) -> int:
    """Count the releases in [0, instant)."""
    return -(-(instant + task.jitter) // task.period)


def _until(task: Task, instant: int) -> int:
    """Count the releases in [0, instant]."""
    return (instant + task.jitter) // task.period + 1


def _jobs(level: Sequence[Task], delay: int) -> int:
    """Count the jobs of the last task in its active period; or up to where responses repeat, if that has no end."""
    if utilization(level) == 1 and (delay > 0 or any(task.jitter > 0 for task in level)):
        return lcm(*(task.period for task in level)) // level[-1].period
    end = least(1, lambda t: delay + sum(_before(task, t) * task.wcet for task in level))
    return _before(level[-1], end)


def _finish(tasks: Sequence[Task], place: int, own: int, last: int) -> int:
    """Return the finish of a job: `own` is all but interference before its last node, which is `last` long."""
    higher, over = tasks[:place], tasks[: tasks[place].threshold]
    start = least(own, lambda t: own + sum(_until(task, t) * task.wcet for task in higher))
    return least(
        start + last,
        lambda t: start + last + sum(max(0, _before(task, t) - _until(task, start)) * task.wcet for task in over),
    )
