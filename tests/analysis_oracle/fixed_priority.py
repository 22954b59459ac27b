"""Fixed priorities, literally: the worst case of a task by executing tick after tick what its formulas say.

Tasks are (wcet, period, deadline) or (wcet, period, deadline, jitter), most urgent first. No deadline is beyond the period.
"""

from __future__ import annotations

from collections.abc import Sequence

Task = tuple[int, ...]


def jitter_of(task: Task) -> int:
    """Give the jitter of a task."""
    return task[3] if len(task) > 3 else 0


def demand_until(tasks: Sequence[Task], t: int) -> int:
    """Give what tasks that all come at 0, as late as they can, and then as early as they can demand in t ticks."""
    return sum(-(-(t + jitter_of(task)) // task[1]) * task[0] for task in tasks)


def is_schedulable(tasks: Sequence[Task], rank: int, blocking: int = 0) -> bool:
    """Say whether the first job of task number `rank` is done by its deadline: at some t all demand is served."""
    task = tasks[rank]
    return any(blocking + task[0] + demand_until(tasks[:rank], t) <= t for t in range(1, task[2] - jitter_of(task) + 1))


def are_schedulable(tasks: Sequence[Task]) -> bool:
    """Say whether all tasks are."""
    return all(is_schedulable(tasks, rank) for rank in range(len(tasks)))
