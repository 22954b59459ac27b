# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Results of tests of a system, row by row."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from takt.analysis.result import ServerBound, TaskBound, Test, Verdict, worst_of
from takt.analysis.view import DispatcherView, ServerView, SystemView, TaskView
from takt.base import times


class Claim(NamedTuple):
    """A job of some of these tasks misses its deadline, and it is not known whose.

    Args:
        test: which one says so.
        tasks: their places in the file.
    """

    test: Test
    tasks: frozenset[int]


@dataclass(slots=True)
class Judgement:
    """The results of the tests for a system, or for a part of it.

    Args:
        tasks: by their places in the file.
        servers: by their entity numbers.
        jointly: claims about several tasks; rows have what is known of each.
    """

    tasks: dict[int, TaskBound] = field(default_factory=dict)
    servers: dict[int, ServerBound] = field(default_factory=dict)
    jointly: list[Claim] = field(default_factory=list)

    def add(self, other: Judgement) -> None:
        """Add the results of another part."""
        self.tasks |= other.tasks
        self.servers |= other.servers
        self.jointly += other.jointly

    def rows(self) -> list[TaskBound]:
        """Return the tasks in file order."""
        return [self.tasks[number] for number in sorted(self.tasks)]

    def that_count(self) -> list[TaskBound]:
        """Return the tasks that decide, in file order: the hard ones, or all if none is hard."""
        return [row for row in self.rows() if row.class_ == "hard"] or self.rows()

    @property
    def verdict(self) -> Verdict:
        """The verdict of the tasks that decide: a job of some of these misses if they are refused jointly."""
        rows = self.that_count()
        names = {row.task for row in rows}
        counted = {number for number, row in self.tasks.items() if row.task in names}
        if any(claim.tasks <= counted for claim in self.jointly):
            return Verdict.NOT_SCHEDULABLE
        return worst_of([row.verdict for row in rows])

    @property
    def is_schedulable(self) -> bool:
        """True if all tasks that decide are proved to meet their deadlines."""
        return all(row.verdict is Verdict.SCHEDULABLE for row in self.that_count())


def task_bound(
    task: TaskView, dispatcher: DispatcherView, verdict: Verdict, test: Test | None, **more: Any
) -> TaskBound:
    """Return the row of a task; `more` are further fields of it."""
    return TaskBound(
        task=task.name,
        server=dispatcher.name,
        class_=task.class_,
        wcet=task.wcet,
        period=task.period if task.period < times.MAX_TICKS else 0,
        deadline=task.deadline,
        jitter=task.jitter,
        verdict=verdict,
        test=test,
        **more,
    )


def server_bound(
    server: ServerView, dispatcher: DispatcherView, verdict: Verdict, test: Test | None, **more: Any
) -> ServerBound:
    """Return the row of a server in a dispatcher; `more` are further fields of it."""
    return ServerBound(
        server=server.name,
        parent=dispatcher.name,
        kind=server.kind,
        period=server.period,
        budget=server.budget,
        verdict=verdict,
        test=test,
        **more,
    )


def not_known(dispatcher: DispatcherView, reason: str, test: Test | None = None) -> Judgement:
    """Return not-known rows with a reason for all children of a dispatcher; `test` began, and exceeds the effort."""
    return Judgement(
        {
            task.number: task_bound(task, dispatcher, Verdict.NOT_KNOWN, test, reason=reason)
            for task in dispatcher.tasks
        },
        {
            each.number: server_bound(each, dispatcher, Verdict.NOT_KNOWN, test, reason=reason)
            for each in dispatcher.servers
        },
    )


def nothing_known(view: SystemView, reason: str) -> Judgement:
    """Return not-known rows with a reason for all tasks and servers of a system."""
    found = Judgement()
    for dispatcher in view.dispatchers:
        found.add(not_known(dispatcher, reason))
    return found
