# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Priorities, final regions and thresholds, by trying all of them.

A plan says of each task (deadline, Task of fixed_priority); what is tried stands most urgent first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import permutations, product

from analysis_oracle.fixed_priority import Task, blocking, chain, response

Plan = Sequence[tuple[int, Task]]


def fits(plan: Plan, extra: Sequence[int] | None = None) -> bool:
    """True if all responses are within the deadlines; `extra` is blocking by others than less urgent tasks."""
    tasks = [task for _, task in plan]
    for place, (deadline, _) in enumerate(plan):
        more = extra[place] if extra is not None else 0
        worst = response(tasks, place, blocking(tasks, place) + more)
        if worst is None or worst > deadline:
            return False
    return True


def orders(plan: Plan, extra: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield the orders in which it fits."""
    for order in permutations(range(len(plan))):
        if fits([plan[i] for i in order], [extra[i] for i in order]):
            yield order


def with_final_region(task: Task, region: int) -> Task:
    """Return a task that is preemptive up to its final region."""
    return replace(task, graph=chain(*[1] * (task.wcet - region), region), threshold=0)


def final_regions(plan: Plan) -> Iterator[tuple[int, ...]]:
    """Yield the final regions with which it fits."""
    for regions in product(*(range(1, task.wcet + 1) for _, task in plan)):
        if fits([(plan[i][0], with_final_region(plan[i][1], region)) for i, region in enumerate(regions)]):
            yield regions


def thresholds(plan: Plan) -> Iterator[tuple[int, ...]]:
    """Yield the thresholds with which it fits, each as the place from which on no task preempts."""
    for places in product(*(range(place + 1) for place in range(len(plan)))):
        if fits([(deadline, replace(task, threshold=at)) for (deadline, task), at in zip(plan, places, strict=True)]):
            yield places
