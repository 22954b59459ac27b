# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What only some systems can have: problems of tables that hold more than a policy or a platform can run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from takt.base.errors import Problem, show
from takt.model.input_table import given
from takt.model.tables import Resource, Server, Task

PLAIN_TASK_KEYS = (
    "min_separation",
    "arrivals",
    "jitter",
    "body",
    "subjobs",
    "sections",
    "threshold",
    "on_miss",
    "server",
)
"""Keys that a task has only where it is more than plain: periodic, at the root, and just running."""


def refuse_keys(task: Task, keys: Sequence[str], what: str) -> Iterator[Problem]:
    """Refuse keys of a task that have another value than their default.

    Args:
        task: the task.
        keys: that have no meaning there.
        what: what excludes them.
    """
    for key in given(task, keys):
        yield about(task, key, f"expected none with {what}, found {show(getattr(task, key))}")
    if task.preemption == "non-preemptive":
        yield about(task, "preemption", f"expected preemptive tasks with {what}, found {show(task.preemption)}")


def refuse_members(members: Iterable[Server | Resource], what: str) -> Iterator[Problem]:
    """Refuse servers or resources."""
    for member in members:
        yield Problem(f"expected none with {what}", "conflict", table=member.table, entity=member.name)


def about(task: Task, key: str, message: str) -> Problem:
    """Make the problem of a key that does not fit."""
    return Problem(message, "conflict", table="task", entity=task.name, key=key)
