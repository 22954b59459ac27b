# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Shared resources of rate-based tasks: what is locked where, what blocking costs, ceilings, and which task runs.

Source: sections 2.9 and 7.5 of the rules: EDF with the stack resource policy. A level is a number of ticks; less is
higher.

What the specification leaves open, each time decided for what is safe:

- A job has the level that is the length of its window as it began, of a soft or none job its period then. What moves
  the window in flight may raise the level, but never lowers it. A refill begins a window in this sense.
- A ceiling is computed at the lock, of the levels of the users that are in or leaving, and stays until the unlock. What
  a hard user counts with is its deadline.
- So max(old ceiling, new ceiling) is kept by waiting: no task adopts a target, that is enters, gets rate, or gets a
  shorter period with less rate, as long as that would put its level above the ceiling of something that it uses and
  another job holds. Otherwise a job could be blocked once by each of several holders.
- A window does not change in flight while its job holds something, and its budget is not refilled: the job goes on
  without budget to its last unlock, and what it executed beyond counts as executed in the next budget, or in several.
- B of a task: the longest section, less one tick, of another task that may have a later deadline and whose ceiling may
  bar the task. A soft or none task may always have a later deadline, since it overruns; a hard one if its period is
  longer than the deadline (or period) of the task in question. The ceiling is the highest that there may ever be, of
  all users in the file. A soft or none task is barred only when its period is at least the ceiling.
- What a section executes beyond a budget is not reserved either. So each soft or none task that locks costs its longest
  section, less one tick, in each period, in addition to the largest B / D. A hard job that overruns its wcet in a
  section, and a section that is longer than its runs (and what the wcet has beyond them), are paid by no budget.
- b counts all tasks from their admission on: for what is divided until they are asked to leave, for the ledger until
  they have left. Any task is refused that would raise b so far that the hard tasks do not fit any more.
- A task that locks does not run in the background.
- Of equal deadlines, a job that holds something goes first.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from .model import SCALE, System, Task


class Mark(NamedTuple):
    """A lock or an unlock: after how many executed ticks, which, and of what."""

    at: int
    is_lock: bool
    resource: str


def marks_of(task: Task) -> list[Mark]:
    """Return the locks and unlocks of a body up to its last run; what stands behind happens at the end of the job."""
    found: list[Mark] = []
    length, kept = 0, 0
    for item in task.body:
        op, _, rest = item.partition(" ")
        if op == "run":
            length += int(rest)
            kept = len(found)
        else:
            found.append(Mark(length, op == "lock", rest))
    return found[:kept]


def used_by(task: Task) -> set[str]:
    """Return the resources that the jobs of a task lock."""
    return {mark.resource for mark in marks_of(task) if mark.is_lock}


def longest_section(task: Task, resource: str) -> int:
    """Return how long a job executes at most from a lock of a resource to its unlock; 0 if it never locks it."""
    marks = [mark for mark in marks_of(task) if mark.resource == resource]
    end = Mark(max(task.requested, task.runs), False, resource)
    return max((after.at - mark.at for mark, after in pairwise([*marks, end]) if mark.is_lock), default=0)


# ------------------------------------------------------------------------------------------------------ what it costs


class Cost(NamedTuple):
    """What a task adds to b, in units of 1 / SCALE: its own B / D, and what its sections execute beyond budgets."""

    longest: int
    excess: int


FREE = Cost(0, 0)


def blocking(present: Iterable[Cost]) -> int:
    """Return b of the present tasks: the largest B / D, and what sections execute beyond budgets."""
    costs = list(present)
    return max((cost.longest for cost in costs), default=0) + sum(cost.excess for cost in costs)


def cost_of(system: System, task: Task) -> Cost:
    """Return what a task adds to b."""
    if not system.counts_blocking:
        return FREE
    found = [0]
    for other in system.tasks:
        is_later = other.class_ != "hard" or other.period > task.window
        for resource in used_by(other) if other is not task and is_later else ():
            ceiling = min(user.window for user in system.tasks if resource in used_by(user))
            if task.class_ != "hard" or task.window >= ceiling:
                ticks = max(0, longest_section(other, resource) - 1)
                found.append(-(-ticks * SCALE // max(task.window, ceiling)))
    return Cost(max(found), _excess_of(task))


def _excess_of(task: Task) -> int:
    """Return the rate of what a task executes beyond its budgets."""
    if task.class_ == "hard" or not used_by(task):
        return 0
    longest = max(longest_section(task, resource) for resource in used_by(task))
    return -(-max(0, longest - 1) * SCALE // task.period)


# ---------------------------------------------------------------------------------------------------------- ceilings


@dataclass(eq=False)
class ResourceState:
    """A resource at run time: its holder, a place in the order of locks, and the ceiling while it is held."""

    name: str
    holder: object | None = None
    ceiling: int = 0
    since: int = 0


@dataclass
class Holdings:
    """What a job does with resources: what is to come, and what it holds, the last one last."""

    marks: list[Mark] = field(default_factory=list)
    held: list[ResourceState] = field(default_factory=list)

    def next_at(self, executed: int, *, is_lock: bool) -> Mark | None:
        """Return the lock or unlock that a job has reached; None if it has not."""
        is_there = bool(self.marks) and self.marks[0].at <= executed and self.marks[0].is_lock == is_lock
        return self.marks[0] if is_there else None
