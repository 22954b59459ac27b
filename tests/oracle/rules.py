# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Deadline rules of groups of tasks (SPEC.md, 4): what each job gets when it arrives.

Jobs arrive in the order of their releases, at one instant in file order; nothing else matters, so that all can be
worked out beforehand, job by job as they are asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .model import Server, Task

Given = tuple[int, int]
"""When a job may start, and its deadline."""


@dataclass
class Bandwidth:
    """A total bandwidth or constant utilization server.

    Args:
        spec: the server.
        members: its tasks, in file order.
        given: what the jobs so far got, of each task.
        due: the last deadline.
    """

    spec: Server
    members: list[Task] = field(default_factory=list)
    given: dict[str, list[Given]] = field(default_factory=dict)
    due: int = 0

    def of(self, task: Task, number: int) -> Given:
        """Return start and deadline of a job."""
        while len(self.given.setdefault(task.name, [])) <= number:
            self.take_next()
        return self.given[task.name][number]

    def take_next(self) -> None:
        """Let the next job of all arrive."""
        upcoming = []
        for place, task in enumerate(self.members):
            number = len(self.given.setdefault(task.name, []))
            release = release_of(task, number)
            if release is not None:
                upcoming.append((release[0], place, release[1]))
        instant, place, arrival = min(upcoming)
        task = self.members[place]
        begin = max(arrival, self.due)
        self.due = begin + -(-task.declared_wcet * self.spec.period // self.spec.budget)
        self.given[task.name].append((max(instant, begin) if self.spec.kind == "cus" else instant, self.due))


def release_of(task: Task, number: int) -> Given | None:
    """Return release and arrival of a job; None if there is no such job."""
    if task.releases is not None:
        return task.releases[number] if number < len(task.releases) else None
    assert task.period is not None
    instant = task.offset + number * task.period
    return instant, instant
