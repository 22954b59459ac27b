# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The budget that a server has left when work arrives, and the responses that follow.

The supply of a server (analysis/supply.h) has its longest gap if its budget was used up just before work arrived. Only
its own tasks use the budget of a deferrable or sporadic server, so the used budget follows from their responses. Work
arrives at a, at a server that had its last budget at a - x, 0 <= x < P. In [a - x, a) it executed at most

    V(x) = least of x, Q and the sum over its tasks of N C + min(C, y - N T),  N = floor(y / T),  y = x + R - C

and of one that comes at a itself y = x + R - T, since its jobs before came T earlier and are done R after that. So
there are Q - V(x) at once, and the next budget comes at P - x (Davis and Burns 2005 take x = V = Q for all). Each has
the delay D = R_S - Q of the server. That is so for a sporadic server without delay too: what it has used and not
got back by a + t it has executed in the last P - t before a, for t < P, and from then on Q in each P.

The responses that V needs are those of earlier jobs. If the responses that follow from R are at most R, then R bounds
all, by induction over the jobs in the order of their ends; the least such R is found from below.

V is piecewise linear, with slopes of 0, 1, 2, ... Where it rises a later x is not better, where it is constant an
earlier one is not. So the ends of its pieces are enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from takt.analysis import children
from takt.analysis.causes import Level
from takt.analysis.children import Head, Member
from takt.analysis.result import Part
from takt.analysis.view import ServerView, TaskView

MAX_HEADS = 200
"""Responses are not computed for more ways in which budget can be left."""
MAX_CHANGES = 100 * MAX_HEADS
"""Nor for more jobs of its tasks in one period of a server."""
MAX_ROUNDS = 30
"""How often responses are put in for those of earlier jobs."""


@dataclass(frozen=True, slots=True)
class Carried:
    """A server whose budget only its tasks use. Times in ticks.

    Args:
        period, budget: of the server.
        delay: for how long it is kept from having its budget.
        tasks: all that are in it.
    """

    period: int
    budget: int
    delay: int
    tasks: Sequence[TaskView]

    def used(self, first: int, length: int, responses: Sequence[int]) -> int:
        """Bound the execution in the ticks before a job of the task at index `first` arrives."""
        work = 0
        for place, (task, response) in enumerate(zip(self.tasks, responses, strict=True)):
            whole, rest = divmod(max(length - _shift(task, response, is_first=place == first), 0), task.period)
            work += whole * task.wcet + min(task.wcet, rest)
        return min(work, length, self.budget)

    def heads(self, responses: Sequence[int]) -> set[Head]:
        """Return the ways in which budget can be left, as the binding takes them: gap, delay, ticks."""
        found = set[Head]()
        for first in range(len(self.tasks)):
            for length in self._lengths(first, responses):
                after, left = self.period - length, self.budget - self.used(first, length, responses)
                found.add((self.delay + after, self.delay, min(left, max(after - self.delay, 0))))
        return found

    def _lengths(self, first: int, responses: Sequence[int]) -> Iterator[int]:
        """Yield the lengths where V changes its slope, and where it reaches the length and the budget."""
        changes = {0}  # where a job begins and ceases to count for more with longer lengths
        for place, (task, response) in enumerate(zip(self.tasks, responses, strict=True)):
            begin = _shift(task, response, is_first=place == first)
            count = max(self.period - begin, 0) // task.period + 1
            for at in range(begin, begin + count * task.period, task.period):
                changes |= {instant for instant in (at, at + task.wcet) if instant >= 0}
        meets = {self.used(first, length, responses) for length in changes}
        yield from sorted(length for length in changes | meets if length < self.period)
        least, most = 0, self.period - 1
        largest = self.used(first, most, responses)
        while least < most:
            middle = (least + most) // 2
            least, most = (least, middle) if self.used(first, middle, responses) >= largest else (middle + 1, most)
        yield least


def _shift(task: TaskView, response: int, *, is_first: bool) -> int:
    """Return the length from which on jobs of a task count: T - R, or C - R if none comes at the end."""
    return (task.period if is_first else task.wcet) - response


def responses(
    tasks: Sequence[TaskView],
    members: Sequence[Member],
    server: ServerView,
    delay: int,
    bounds: Sequence[int],
    effort: int,
) -> list[int]:
    """Bound the responses of the tasks of a server by what can be left of its budget when they come.

    Args:
        tasks: of the server, under static keys; there is nothing else in it.
        members: the same, with what blocks them.
        server: deferrable, or sporadic without delay and with at most 32 returns.
        delay: for how long the server is kept from having its budget.
        bounds: on the responses, known otherwise; they are not exceeded.
        effort: steps that each test may take.
    """
    changes = sum(server.period // task.period for task in tasks)
    if changes > MAX_CHANGES or any(task.wcet > task.period for task in tasks):
        return list(bounds)
    carried = Carried(server.period, server.budget, delay, tasks)
    found = [0] * len(bounds)
    for _ in range(MAX_ROUNDS):
        heads = carried.heads([max(task.wcet, each) for task, each in zip(tasks, found, strict=True)])
        if len(heads) > MAX_HEADS:
            break
        supply = (carried.period, carried.budget, 0, 0)
        answers = children.responses(children.under_priorities(members, supply, sorted(heads)), effort)
        following = [
            bound if each.ticks is None else min(each.ticks, bound) for each, bound in zip(answers, bounds, strict=True)
        ]
        if all(after <= before for after, before in zip(following, found, strict=True)):
            return found
        found = [max(pair) for pair in zip(found, following, strict=True)]
    return list(bounds)


def level_of(
    tasks: Sequence[TaskView],
    members: Sequence[Member],
    server: ServerView,
    delay: int,
    found: Sequence[int],
    blocking: Callable[[int], list[Part]],
    effort: int,
) -> Level:
    """Return the tasks of a server with the ways in which its budget can be left, given the responses that follow.

    Args:
        tasks: as those of responses, and likewise:
        members: what it got.
        server: what it got.
        delay: what it got.
        found: what it returned.
        blocking: returns what blocks the task at an index.
        effort: steps that the test may take.
    """
    carried = Carried(server.period, server.budget, delay, tasks)
    heads = sorted(carried.heads([max(task.wcet, each) for task, each in zip(tasks, found, strict=True)]))
    supply = (carried.period, carried.budget, 0, 0)
    answers = children.responses(children.under_priorities(members, supply, heads), effort)
    return Level(tasks, members, answers, blocking, supply, server.name, heads)
