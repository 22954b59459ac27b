# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Changes of a running system (SPEC.md, 12): when a task releases what, all in all, known before the run.

Nothing here happens at run time: a removed task has no releases from then on, an added one has those of a task that
begins then, and each job has the parameters that are in force when it is released.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from .model import Change, System, Task

Release = tuple[int, int, Task]
"""Release and arrival of a job, and the task with the parameters that the job has."""

Version = tuple[int, Task]
"""From when on, and the task from then on."""


def releases_of(task: Task, changes: tuple[Change, ...]) -> Iterator[Release]:
    """Yield all releases of a task."""
    versions = versions_of(task, changes)
    for begin, end in stays_of(task, changes):
        yield from _releases_from(task, versions, begin, end)


def stays_of(task: Task, changes: tuple[Change, ...]) -> list[tuple[int, float]]:
    """Return from when to when the task is present."""
    stays: list[tuple[int, float]] = [] if task.absent else [(0, math.inf)]
    for change in in_order(changes):
        if task.name in change.remove:
            stays[-1] = (stays[-1][0], change.at)
        if task.name in change.add:
            stays.append((change.at, math.inf))
    return stays


def versions_of(task: Task, changes: tuple[Change, ...]) -> list[Version]:
    """Return the versions of the task, each with its begin."""
    versions = [(0, task)]
    for change in in_order(changes):
        if change.task == task.name:
            versions.append((change.at, replace(versions[-1][1], **change.parameters)))
    return versions


def policies_of(system: System) -> list[tuple[int, str]]:
    """Return the policies of the root, each with its begin."""
    return [(change.at, change.policy) for change in in_order(system.changes) if change.policy is not None]


def in_order(changes: tuple[Change, ...]) -> list[Change]:
    """Return changes in the order of time, then of the file."""
    return sorted(changes, key=lambda change: change.at)


def _releases_from(task: Task, versions: list[Version], begin: int, end: float) -> Iterator[Release]:
    """Yield the releases of one stay."""
    if task.releases is not None:
        for release, arrival in task.releases:
            if begin + release < end:
                yield begin + release, begin + arrival, _version_at(versions, begin + release)
        return
    instant = begin + task.offset
    while instant < end:
        version = _version_at(versions, instant)
        yield instant, instant, version
        assert version.period is not None
        instant += version.period


def _version_at(versions: list[Version], instant: int) -> Task:
    """Return the task with the parameters that are in force at an instant."""
    return [version for since, version in versions if since <= instant][-1]
