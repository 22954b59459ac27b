# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Conversion of an author's values to those of core: times in ticks, and what else follows from one table."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import cache
from typing import Any

from takt import _core
from takt.base import times
from takt.model import catalogue
from takt.model.bodies import Op
from takt.model.catalogue import PolicyTraits
from takt.model.input_table import Table
from takt.model.python_policy import Policy
from takt.model.system_parts import SystemTables
from takt.model.tables import Server, Task

_Class = Callable[..., Any]
"""A class of tables of files, or of records of core."""


def _keys(of: _Class) -> Iterable[str]:
    """Yield the keys of a table of a file, or the attributes of a record."""
    keys: Iterable[str] = getattr(of, "model_fields" if hasattr(of, "model_fields") else "__dataclass_fields__")
    return keys


@cache
def shared_keys(one: _Class, other: _Class) -> frozenset[str]:
    """Return the keys that two records, or a record and a table of a file, both have."""
    return frozenset(_keys(one)).intersection(_keys(other))


def taken_over(record: _Class, table: Table, ticks: Callable[[int | str], int]) -> dict[str, Any]:
    """Return the values that a record of core and a table of a file have by one key: times in ticks.

    A key without a value is left out.
    """
    given = {key: getattr(table, key) for key in shared_keys(record, type(table))}
    timed = type(table).time_keys()
    return {key: ticks(value) if key in timed else value for key, value in given.items() if value is not None}


def is_greedy(task: Task) -> bool:
    """True if the jobs of a task never end."""
    return task.wcet is None and not task.items


def items_in_ticks(task: Task, resolution: str) -> tuple[tuple[Op, int | str], ...]:
    """Return the items of a body: op, and ticks or the name of a resource."""
    return tuple(
        (item.op, in_ticks(item.time, resolution) if item.resource is None else item.resource)
        for item in task.items
        if item.task is None
    )


def policy_in(system: SystemTables, home: str | None) -> str | Policy:
    """Return the policy of the root or of a server."""
    return system.policy if home is None else next(each.policy for each in system.servers if each.name == home)


def relative_deadline(task: Task, resolution: str) -> int:
    """Return the relative deadline of a task in ticks."""
    choices = (task.deadline, task.shortest_separation, task.interval)
    return in_ticks(next((choice for choice in choices if choice is not None), 1), resolution)


def span_in(task: Task, server: Server, resolution: str) -> int:
    """Return the execution time of a job at the speed of its server's share, in ticks, rounded up."""
    period, budget = (in_ticks(value, resolution) for value in (server.period, server.budget))
    return -(-wcet_of(task, resolution) * period // budget)


def runs_of(task: Task, resolution: str) -> int:
    """Return the execution time of a task's body in ticks; 0 without one."""
    return sum(in_ticks(item.time, resolution) for item in task.items if item.op == Op.RUN)


def resources_of(task: Task) -> set[str]:
    """Return the resources that the jobs of a task lock."""
    return {item.resource for item in task.items if item.op == Op.LOCK and item.resource is not None}


def released_by(task: Task) -> list[str]:
    """Return the tasks that the body of a task releases, each once, in their order: their places number its items."""
    return list(dict.fromkeys(item.task for item in task.items if item.task is not None))


def users_of(tasks: Iterable[Task]) -> dict[str, list[Task]]:
    """Return the tasks that lock each resource, in their order; no entry for a resource that none locks."""
    users: dict[str, list[Task]] = {}
    for task in tasks:
        for name in resources_of(task):
            users.setdefault(name, []).append(task)
    return users


def wcet_of(task: Task, resolution: str) -> int:
    """Return the wcet of a task in ticks."""
    if task.wcet is not None:
        return in_ticks(task.wcet, resolution)
    return limited(runs_of(task, resolution))


def level_of(task: Task, policy: str | Policy, ranks: Mapping[int, int], resolution: str) -> int:
    """Return the level of a task for ceilings and thresholds, smaller = higher; 1 if the policy gives none."""
    if not isinstance(policy, str):
        return 1
    deadline = relative_deadline(task, resolution)
    if _has_levels_by_run(catalogue.traits_of(policy)):
        return deadline
    period = in_ticks(task.shortest_separation or 0, resolution)
    return _core.policy_level(policy, ranks[task.priority], period, deadline) or 1


def _has_levels_by_run(policy: PolicyTraits) -> bool:
    """True if the levels of jobs are known only in a run: files have deadlines."""
    return policy.allocates_rates or (policy.has_deadline_keys and policy.is_rule)


def has_named_thresholds(policy: str) -> bool:
    """True if levels do not refuse a task as threshold; by virtual time all thresholds are refused elsewhere."""
    traits = catalogue.traits_of(policy)
    return traits.has_levels or traits.has_laxity_keys or _has_levels_by_run(traits) or traits.has_virtual_time


def in_ticks(value: int | str, resolution: str) -> int:
    """Convert a time; one that core cannot have, which the checks refuse, becomes a near one that it can have."""
    return limited(math.ceil(to_ticks(value, resolution)))


def limited(ticks: int) -> int:
    """Return a time, at most the longest one of core: the checks refuse a longer one."""
    return min(times.MAX_TICKS, ticks)


def to_ticks(value: int | str, resolution: str) -> int | Fraction:
    """Convert a time that the model has accepted; not whole if it is no multiple of the resolution."""
    return value if isinstance(value, int) else _text_to_ticks(value, resolution)


@cache
def _text_to_ticks(text: str, resolution: str) -> Fraction:
    return Fraction(times.to_ticks(text, in_nanoseconds(resolution)))


@cache
def in_nanoseconds(resolution: str) -> int:
    """Return the nanoseconds of a tick."""
    return int(times.to_ticks(resolution, 1))
