# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Which child is more urgent: the oracle's policies.

A policy is a row in each of three tables: the key of a task by its current job, the key of a server, and the key
that a job gets when it starts under a threshold. Smaller is more urgent everywhere.

Two started jobs with thresholds in one dispatcher never have equal keys where no job is blocked: the later
one was dispatched while the earlier one was ready, so its own key was less than the other's limit, and its limit is
not above its key.
"""

from __future__ import annotations

from collections.abc import Callable

from .locks import NOBODY, is_barred, is_involved, must_go_out, raised_keys, stand_in
from .model import CLASSES, Task
from .states import Child, Dispatcher, ServerState, TaskState


def _latest_start(task: TaskState) -> int:
    """Return the last instant at which the job could wait, had it the whole wcet to execute."""
    job = task.backlog[0]
    return job.deadline - max(0, job.spec.declared_wcet - job.executed)


TASK_KEYS: dict[str, Callable[[TaskState], int]] = {
    "fp": lambda task: -task.version.priority,
    "rm": lambda task: task.version.rate_period or 0,
    "dm": lambda task: task.version.relative_deadline,
    "edf": lambda task: task.backlog[0].deadline,
    "llf": _latest_start,
    "rbe": lambda task: task.backlog[0].deadline,
}
SERVER_KEYS: dict[str, Callable[[ServerState], int]] = {
    "fp": lambda server: -server.spec.priority,
    "rm": lambda server: server.spec.period,
    "dm": lambda server: server.spec.period,
    "edf": lambda server: server.deadline(),
    "llf": lambda server: server.deadline() - server.budget,
    "rbe": lambda server: server.deadline(),
}
THRESHOLD_KEYS: dict[str, Callable[[Task, int], int]] = {
    "fp": lambda other, start: -other.priority,
    "rm": lambda other, start: other.rate_period or 0,
    "dm": lambda other, start: other.relative_deadline,
    "edf": lambda other, start: start + other.relative_deadline,
    "llf": lambda other, start: start + other.relative_deadline - other.declared_wcet,
    "rbe": lambda other, start: start + other.relative_deadline,
}


def choose(dispatcher: Dispatcher) -> Child | None:
    """Choose the task that runs or the server that idles, global level first, then local level; None is idle.

    A child that must leave, because it is blocked and no other may run instead, is given as it is.
    """
    if not dispatcher.queue:
        return dispatcher.owner
    first = min(dispatcher.queue, key=urgency)
    if must_go_out(first):
        return first
    if is_barred(first):
        return dispatcher.owner
    child = stand_in(first)
    return choose(child.inside) if isinstance(child, ServerState) else child


def find_who_must_go_out(dispatcher: Dispatcher) -> Child | None:
    """Return the selected child, here or inside, that cannot keep its place; None if there is none."""
    if not dispatcher.queue:
        return None
    first = min(dispatcher.queue, key=urgency)
    if must_go_out(first):
        return first
    child = None if is_barred(first) else stand_in(first)
    return find_who_must_go_out(child.inside) if isinstance(child, ServerState) else None


def urgency(child: Child) -> tuple[float, ...]:
    """Return what the choice compares: a started limited job is as urgent as its limit."""
    is_limited = isinstance(child, TaskState) and child.backlog[0].started
    return _urgency(child, child.backlog[0].limit if isinstance(child, TaskState) and is_limited else None)


def own_urgency(child: Child) -> tuple[float, ...]:
    """Return what would be compared had nothing started."""
    return _urgency(child, None)


def _urgency(child: Child, limit: float | None) -> tuple[float, ...]:
    """Return what is compared, with the limit of a started job."""
    key: float = own_key(child)
    if isinstance(child, TaskState) and child.backlog[0].held:
        key = min([key, *raised_keys(child)])
    return key if limit is None else min(key, limit), _rank(child, limit), *_tie(child)


def _rank(child: Child, limit: float | None) -> int:
    """Return the order among equal keys: a started non-preemptive job first, under a computed key a job that holds
    something or is blocked, a job that started under a threshold, all others."""
    if limit == NOBODY:
        return 0
    if isinstance(child, TaskState) and child.home.policy != "fp" and is_involved(child):
        return 1
    return 3 if limit is None else 2


def own_key(child: Child) -> int:
    """Return the key by the policy of the dispatcher."""
    policy = child.home.policy
    return TASK_KEYS[policy](child) if isinstance(child, TaskState) else SERVER_KEYS[policy](child)


def _tie(child: Child) -> tuple[float, ...]:
    """Return what decides among equal keys: under fp the place in the queue, else class, servers first, file order.

    A server counts as hard.
    """
    if child.home.policy == "fp":
        return (child.home.queue.index(child),)
    if isinstance(child, ServerState):
        return CLASSES.index("hard"), 0, child.file_order
    return CLASSES.index(child.version.class_), 1, child.file_order


def limit_at_start(task: TaskState, start: int) -> float | None:
    """Return the key of a job that starts: by what may displace it; None if it keeps its own key."""
    threshold = task.spec.threshold
    if task.spec.non_preemptive:
        return NOBODY
    if threshold is None:
        return None
    if isinstance(threshold, int):
        return -threshold
    other = next(other.spec for other in task.home.tasks if other.spec.name == threshold)
    return min(own_key(task), THRESHOLD_KEYS[task.home.policy](other, start))


def is_anybody_more_urgent(task: TaskState) -> bool:
    """True if another child would go first had its job not started; under fp never an equal."""
    compared = 1 if task.home.policy == "fp" else None
    others = (child for child in task.home.queue if child is not task)
    return any(urgency(other)[:compared] < own_urgency(task)[:compared] for other in others)
