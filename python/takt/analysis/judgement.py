# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Results of tests of a system, row by row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar

from takt.analysis.result import Demand, Part, ServerBound, TaskBound, Test, Verdict, deciding, worst_of
from takt.analysis.view import DispatcherView, ServerView, SystemView, TaskView
from takt.base import times

MAX_PARTS = 50_000
"""How many parts all responses of a system have: of many tasks each response has one for each of them."""


class Claim(NamedTuple):
    """A job of some of these tasks misses its deadline, and it is not known whose.

    Args:
        test: which one says so.
        tasks: their places in the file.
    """

    test: Test
    tasks: frozenset[int]


class Cause(NamedTuple):
    """What a response consists of.

    Args:
        response: which one; a row with another response has another cause.
        parts: returns its parts, which no search calls: it judges too often.
    """

    response: int
    parts: Callable[[], Sequence[Part]]


@dataclass(slots=True)
class Judgement:
    """The results of the tests for a system, or for a part of it.

    Args:
        tasks: by their places in the file.
        servers: by their entity numbers.
        jointly: claims about several tasks; rows have what is known of each.
        causes, server_causes: of the responses of tasks and servers.
        demands: of dispatchers under deadlines, by their numbers: the interval with too much to do, if it is found.
    """

    tasks: dict[int, TaskBound] = field(default_factory=dict)
    servers: dict[int, ServerBound] = field(default_factory=dict)
    jointly: list[Claim] = field(default_factory=list)
    causes: dict[int, Cause] = field(default_factory=dict)
    server_causes: dict[int, Cause] = field(default_factory=dict)
    demands: dict[int, Callable[[], Demand | None]] = field(default_factory=dict)

    def add(self, other: Judgement) -> None:
        """Add the results of another part."""
        self.tasks |= other.tasks
        self.servers |= other.servers
        self.jointly += other.jointly
        self.add_causes(other)

    def add_causes(self, other: Judgement) -> None:
        """Add what the responses and demands of another part consist of."""
        self.causes |= other.causes
        self.server_causes |= other.server_causes
        self.demands |= other.demands

    def with_parts(self) -> Judgement:
        """Return the results with the parts of responses whose causes are known: MAX_PARTS of them, late ones first."""
        tasks, servers, left = dict(self.tasks), dict(self.servers), MAX_PARTS
        for number, task in sorted(tasks.items(), key=lambda each: _slack_share(each[1])):
            tasks[number] = task = _with_parts(task, self.causes.get(number) if left > 0 else None)
            left -= len(task.parts)
        for number, server in servers.items():
            servers[number] = server = _with_parts(server, self.server_causes.get(number) if left > 0 else None)
            left -= len(server.parts)
        return replace(self, tasks=tasks, servers=servers)

    def rows(self) -> list[TaskBound]:
        """Return the tasks in file order."""
        return [self.tasks[number] for number in sorted(self.tasks)]

    def that_count(self) -> list[TaskBound]:
        """Return the tasks that decide, in file order."""
        return deciding(self.rows())

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


def _slack_share(row: TaskBound) -> tuple[bool, float]:
    """Return what sorts rows by how near they are to their deadlines, those first that are not proved."""
    return row.verdict is Verdict.SCHEDULABLE, 0.0 if row.slack is None else row.slack / max(row.deadline, 1)


_Row = TypeVar("_Row", TaskBound, ServerBound)


def _with_parts(row: _Row, cause: Cause | None) -> _Row:
    """Return a row with the parts of its response; without them if another test has replaced the response."""
    if cause is None or cause.response != row.response:
        return row
    parts = tuple(cause.parts())
    return replace(row, parts=parts if sum(part.ticks for part in parts) == row.response else ())


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
