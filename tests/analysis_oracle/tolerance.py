# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Blocking tolerance and longest regions, evaluated at every instant.

Tasks are (wcet, period, deadline, jitter). Under fixed priorities they stand most urgent first, no deadline beyond its
period.
"""

from __future__ import annotations

from collections.abc import Sequence

Task = tuple[int, int, int, int]


def demand_until(tasks: Sequence[Task], t: int) -> int:
    """Return the demand in t ticks of tasks that all come at 0, as late as they can, and then as early as they can."""
    return sum(-(-(t + task[3]) // task[1]) * task[0] for task in tasks)


def is_schedulable(tasks: Sequence[Task], rank: int, blocking: int = 0) -> bool:
    """True if the first job of task number `rank` is done by its deadline: at some t all demand is served."""
    task = tasks[rank]
    return any(blocking + task[0] + demand_until(tasks[:rank], t) <= t for t in range(1, task[2] - task[3] + 1))


def are_schedulable(tasks: Sequence[Task]) -> bool:
    """True if all tasks are schedulable."""
    return all(is_schedulable(tasks, rank) for rank in range(len(tasks)))


def tolerance(tasks: Sequence[Task], rank: int) -> int | None:
    """Return the most blocking of task number `rank`; None if it is late without any."""
    wcet, _, deadline, jitter = tasks[rank]
    slacks = [t - wcet - demand_until(tasks[:rank], t) for t in range(1, deadline - jitter + 1)]
    most = max(slacks, default=-1)
    return None if most < 0 else most


def fp_regions(tasks: Sequence[Task]) -> list[int] | None:
    """Return the longest region of each task under fixed priorities; None if the set is not schedulable."""
    found = [tolerance(tasks, rank) for rank in range(len(tasks))]
    slacks = [slack for slack in found if slack is not None]
    if len(slacks) < len(tasks):
        return None
    return [min([task[0], *(slack + 1 for slack in slacks[:rank])]) for rank, task in enumerate(tasks)]


def demand_bound(tasks: Sequence[Task], t: int) -> int:
    """Return what must be done in t ticks under EDF."""
    return sum(max(0, (t + jitter - deadline) // period + 1) * wcet for wcet, period, deadline, jitter in tasks)


def edf_regions(tasks: Sequence[Task]) -> list[int] | None:
    """Return the longest region of each task under EDF; None if more is due than there is time before a deadline."""
    instants = range(max((task[2] - task[3] for task in tasks), default=0))
    slacks = {t: t - demand_bound(tasks, t) for t in instants if demand_bound(tasks, t) > 0}
    if any(slack < 0 for slack in slacks.values()):
        return None
    return [min([task[0], *(slack + 1 for t, slack in slacks.items() if t < task[2] - task[3])]) for task in tasks]
