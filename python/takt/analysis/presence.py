# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Presence of a task and its parameters over time, given the changes (SPEC.md, 12)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from takt import _analysis
from takt.model.core_input import ResolvedChange, ResolvedTask, Stream

FOR_GOOD = _analysis.FOR_GOOD
"""The end of what stays."""


@dataclass(frozen=True, slots=True)
class Phase:
    """A task while it is present with the same parameters. Times in ticks.

    Args:
        start, until: its jobs are released at `start` or later, and before `until`.
        wcet, period, deadline: as of a task; no job is nearer to another one of the phase than the period.
    """

    start: int
    until: int
    wcet: int
    period: int
    deadline: int


def phases_of(task: ResolvedTask, period: int, wcet: int, changes: Iterable[ResolvedChange]) -> Iterator[Phase]:
    """Yield the phases of a task.

    Args:
        task: as it is at first.
        period: least separation of its arrivals then, in ticks.
        wcet: longest execution then, in ticks.
        changes: what it becomes, in the order in which it does.
    """
    now, is_there = Phase(0, FOR_GOOD, wcet, period, task.deadline), not task.is_absent
    for change in changes:
        changed = now
        if change.kind == "parameters":
            changed = replace(
                now,
                wcet=max(change.wcet, most_of(change.demand)),
                period=change.period if task.period else now.period,
                deadline=change.deadline,
            )
        if change.kind == "parameters" and (changed.wcet, changed.period) == (now.wcet, now.period):
            now = replace(now, deadline=min(now.deadline, changed.deadline))
            continue
        if is_there and now.start < change.at:
            yield replace(now, until=change.at)
        is_there = change.kind == "enter" or (is_there and change.kind != "leave")
        now = replace(changed, start=change.at)
    if is_there:
        yield now


def most_of(stream: Stream) -> int:
    """Return the largest number of a stream."""
    return max(stream.values) if stream.kind == "listed" else stream.most
