# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Orders of the tasks and servers of a dispatcher with priorities, with as few new priorities as possible."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from takt.analysis.trials import Changes
from takt.analysis.view import DispatcherView, TaskView
from takt.model.value_checks import MAX_PRIORITY

if TYPE_CHECKING:
    from takt.model.system import System


class Member(NamedTuple):
    """A task or a server with a priority.

    Args:
        table: "task" or "server".
        name: as in the file.
        number: as of its view.
        priority: as in the file.
    """

    table: str
    name: str
    number: int
    priority: int


Order = list[list[Member]]
"""Members, the most urgent first; those of a list have one priority."""


def order_of(system: System, dispatcher: DispatcherView) -> Order:
    """Return the present order of a dispatcher.

    Args:
        system: that the dispatcher is in.
        dispatcher: with priorities.
    """
    members = [Member("task", task.name, task.number, system.tasks[task.number].priority) for task in dispatcher.tasks]
    members += [
        Member("server", each.name, each.number, system.servers[each.number - 1].priority)
        for each in dispatcher.servers
    ]
    members.sort(key=lambda member: -member.priority)
    return [list(group) for _, group in groupby(members, lambda member: member.priority)]


def sorted_by(system: System, dispatcher: DispatcherView, key: str) -> Order:
    """Return the tasks and servers of a dispatcher by their deadlines - jitter, or their periods; no two are equals."""
    tasks = {task.number: task for task in dispatcher.tasks}
    periods = {server.number: server.period for server in dispatcher.servers}

    def length(member: Member) -> int:
        if member.table == "server":
            return periods[member.number]
        task: TaskView = tasks[member.number]
        return task.deadline - task.jitter if key == "deadline" else task.period

    members = [member for group in order_of(system, dispatcher) for member in group]
    return [[member] for member in sorted(members, key=length)]


def renumbered(order: Sequence[Sequence[Member]]) -> Changes:
    """Return the priorities of an order: as many as possible stay as they are.

    Args:
        order: groups, the most urgent first; members of a group have one priority, or get one.

    Example:
        >>> A, B, C = (Member("task", name, 0, priority) for name, priority in (("A", 9), ("B", 5), ("C", 2)))
        >>> renumbered([[B], [A], [C]])
        {('task', 'B'): {'priority': 10}}
    """
    groups = list(reversed(order))
    kept = _kept(groups)
    last = len(groups) - 1
    changes: Changes = {}
    for place, group in enumerate(groups):
        below = max((each for each in kept if each <= place), default=None)
        first = min(kept, default=0)
        start = groups[below][0].priority if below is not None else groups[first][0].priority if kept else last
        priority = start + place - (below if below is not None else first if kept else last)
        changes |= {(each.table, each.name): {"priority": priority} for each in group if each.priority != priority}
    return changes


def _kept(groups: Sequence[Sequence[Member]]) -> list[int]:
    """Return the places of the groups that keep their priorities, with as many members as possible.

    Args:
        groups: the least urgent first.
    """
    best: list[tuple[int, list[int]]] = []
    for place, group in enumerate(groups):
        priority = group[0].priority
        has_room = place <= priority <= MAX_PRIORITY - (len(groups) - 1 - place)
        if not has_room or any(each.priority != priority for each in group):
            best.append((0, []))
            continue
        before = [
            best[other]
            for other in range(place)
            if best[other][1] and priority - groups[other][0].priority >= place - other
        ]
        weight, chain = max(before, key=lambda each: each[0], default=(0, []))
        best.append((weight + len(group), [*chain, place]))
    return max(best, key=lambda each: each[0], default=(0, []))[1]
