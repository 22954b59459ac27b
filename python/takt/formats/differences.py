# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The differences between two systems, key by key: what a written file loses.

Values are compared by what they mean: a time by its length, a missing deadline as the period, a body by its runs and
sections whichever way they are written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from takt.base.errors import InputError, Problem, show
from takt.model.bodies import Item, Op
from takt.model.conversion import to_ticks
from takt.model.distributions import Distribution
from takt.model.edges import Edge
from takt.model.horizon import horizon_ticks
from takt.model.input_table import Table
from takt.model.python_policy import name_of
from takt.model.system import Header, System
from takt.model.tables import Resource, Server, Task

_Member = Task | Server | Resource


@dataclass(frozen=True)
class _Reading:
    """Reading of one of the two systems.

    Args:
        system: the system.
        keeps_units: whether a time is nanoseconds; else it is ticks.
        names: names that are others in the file, by table and name.
    """

    system: System
    keeps_units: bool
    names: Mapping[tuple[str, str], str]

    def span(self, value: Any) -> Any:
        """Return a time in nanoseconds; other values as they are."""
        if not isinstance(value, (int, str)):
            return value
        return to_ticks(value, self.system.resolution) * (self.system.resolution_ns if self.keeps_units else 1)

    def name(self, table: str, name: str | None) -> str | None:
        """Return a name as it is in the file."""
        return name if name is None else self.names.get((table, name), name)


def differences(
    system: System, back: System, names: Mapping[tuple[str, str], str], *, keeps_units: bool
) -> Iterator[Problem]:
    """Yield where a system that was read back differs.

    Args:
        system: what was written.
        back: what was read back.
        names: names that are others in the file, by table and name.
        keeps_units: whether times are compared in seconds; else in ticks.
    """
    here, there = _Reading(system, keeps_units, names), _Reading(back, keeps_units, {})
    yield from _header_differences(here, there)
    for ours, theirs, view in (
        (system.tasks, back.tasks, _task_view),
        (system.servers, back.servers, _server_view),
        (system.resources, back.resources, lambda resource, _: _plain_view(resource)),
    ):
        yield from _member_differences(ours, theirs, view, here, there)
    left = {table.table: table for table in _singles(back)}
    for table in _singles(system):
        twin = left.get(table.table)  # a missing table has the defaults
        for key, field in type(table).model_fields.items():
            value = getattr(table, key)
            other = (None if field.is_required() else field.default) if twin is None else getattr(twin, key)
            if value != other:
                yield _lost(table.table, None, key, value, other)
    yield from _lost_tables(system.clusters, back.clusters)
    yield from _lost_tables(system.changes, back.changes)


def _lost_tables(ours: Sequence[Table], theirs: Sequence[Table]) -> Iterator[Problem]:
    """Yield tables without names that are not in the file."""
    for number, table in enumerate(ours, start=1):
        if table not in theirs:
            yield Problem(f"lost: the file has no such {table.table}", "lost", table=table.table, number=number)


def _lost(table: str, entity: str | None, key: str, ours: object, theirs: object) -> Problem:
    """Return the warning of one key."""
    return Problem(
        f"lost: {_shown(ours)} in Takt, {_shown(theirs)} in the file", "lost", None, table, entity, None, key
    )


def _shown(value: object) -> str:
    """Show a value as an author wrote it, or that there is none."""
    if value is None:
        return "none"
    if isinstance(value, Distribution):
        return f"{value.kind} distribution"
    if isinstance(value, Edge):
        return show(value.task)
    if isinstance(value, tuple):
        return show(
            ", ".join(
                item.task if isinstance(item, Edge) else item.table if isinstance(item, Table) else str(item)
                for item in value
            )
        )
    return show(value)


# ---- one for the whole system -----------------------------------------------------------------------


def _header_differences(here: _Reading, there: _Reading) -> Iterator[Problem]:
    for key in Header.model_fields:
        ours, theirs = _header_value(here, key), _header_value(there, key)
        if key == "horizon" and ours is None and theirs is not None:
            with suppress(InputError):
                ours = here.span(horizon_ticks(here.system))
        if ours != theirs:
            yield _lost("system", None, key, _written(here.system, key), _written(there.system, key))


def _header_value(reading: _Reading, key: str) -> object:
    """Return the meaning of a key of [system]."""
    if key == "resolution":
        return reading.system.resolution_ns
    value = _written(reading.system, key)
    return reading.span(value) if key == "horizon" else value


def _written(system: System, key: str) -> object:
    """Return a key of [system] as it is written."""
    return name_of(system.policy) if key == "policy" else getattr(system, key)


def _singles(system: System) -> list[Table]:
    """Return the tables of which there is one at most."""
    return [system.platform, *system.options, *([] if system.allocator is None else [system.allocator])]


# ---- tasks, servers, resources ----------------------------------------------------------------------


def _member_differences(
    ours: Sequence[Task | Server | Resource],
    theirs: Sequence[Task | Server | Resource],
    view: Callable[[Any, _Reading], dict[str, Any]],
    here: _Reading,
    there: _Reading,
) -> Iterator[Problem]:
    """Compare the tables of one kind, by their names in the file."""
    left = {member.name: member for member in theirs}
    for member in ours:
        twin = left.pop(here.name(member.table, member.name) or member.name, None)
        if twin is None:
            yield Problem(f"lost: the file has no such {member.table}", "lost", None, member.table, member.name)
            continue
        meant, read = view(member, here), view(twin, there)
        for key in meant:
            written = _raw(member, key), _raw(twin, key)
            if meant[key] != read[key] and written != (None, None):  # else it follows from a key with its own line
                yield _lost(member.table, member.name, key, *written)
    for extra in left.values():
        yield Problem("only in the file", "lost", None, extra.table, extra.name)


def _raw(member: _Member, key: str) -> object:
    """Return a key as it is written; a body under whichever key it is, and what follows from it as a word."""
    if isinstance(member, Task) and key == "preemption":
        return "non-preemptive" if member.is_non_preemptive else "preemptive"
    if isinstance(member, Task) and key == "body":
        return getattr(member, member.source_of_items)
    return getattr(member, "class_" if key == "class" else key)


_MEANT_KEYS = {"name", "arrivals", "wcet", "deadline", "offset", "demand", "body", "subjobs", "sections"}
_MEANT_KEYS |= {"preemption", "server", "class_"}
"""Keys of a task whose meaning follows from others too."""

_TASK_SPANS = tuple(key for key in Task.time_keys() if key not in _MEANT_KEYS)
_PLAIN_TASK_KEYS = tuple(key for key in Task.model_fields if key not in {*_MEANT_KEYS, *_TASK_SPANS})


def _task_view(task: Task, reading: _Reading) -> dict[str, Any]:
    """Return the meaning of a task, key by key."""
    is_listed = isinstance(task.arrivals, tuple)
    runs = sum(reading.span(item.time) for item in task.items if item.op == Op.RUN)
    total = reading.span(task.wcet) if task.wcet is not None else runs or None
    choices = (task.deadline, task.shortest_separation, task.interval)
    deadline = reading.span(next((choice for choice in choices if choice is not None), None))
    if task.arrivals is None:
        arrivals = None
    elif isinstance(task.arrivals, Distribution):
        arrivals = _distribution_meant(task.arrivals, reading, (0, None))
    else:
        arrivals = tuple(reading.span(task.offset) + reading.span(instant) for instant in task.arrivals)
    return {
        **{key: getattr(task, key) for key in _PLAIN_TASK_KEYS},
        **{key: reading.span(getattr(task, key)) for key in _TASK_SPANS},
        "arrivals": arrivals,
        "offset": 0 if is_listed else reading.span(task.offset),
        "wcet": total,
        "deadline": deadline,
        "demand": (runs or total,) if task.demand is None else _demand_meant(task.demand, total, reading),
        "body": _body_meant(task, total, reading),
        "name": task.name,
        "server": reading.name("server", task.server),
        "preemption": task.is_non_preemptive,
        "class": task.class_,
    }


def _distribution_meant(distribution: Distribution, reading: _Reading, limits: tuple[Any, Any]) -> object:
    """Return name, parameters and limits of a distribution."""
    least, most = (
        default if value is None else reading.span(value)
        for value, default in zip((distribution.min, distribution.max), limits, strict=True)
    )
    values = (getattr(distribution, key) for key in distribution.parameters)
    return distribution.kind, tuple(reading.span(value) for value in values), least, most


def _demand_meant(demand: Any, total: Any, reading: _Reading) -> object:
    """Return the demands of jobs: a distribution, or the shortest cycle of a list."""
    if isinstance(demand, Distribution):
        return _distribution_meant(demand, reading, (reading.span(1), total))
    values = tuple(map(reading.span, demand if isinstance(demand, tuple) else (demand,)))
    lengths = (length for length in range(1, len(values) + 1) if len(values) % length == 0)
    return next(values[:length] for length in lengths if values[:length] * (len(values) // length) == values)


def _body_meant(task: Task, total: Any, reading: _Reading) -> tuple[Any, ...]:
    """Return the items: adjacent runs as one, the last as long as the wcet permits; empty if all is one run."""
    merged: list[tuple[Op, Any, str | None]] = []
    held: list[str | None] = []
    for each in task.items:
        held = [*held, each.resource] if each.op == Op.LOCK else held[:-1] if each.op == Op.UNLOCK else held
    for item in (*task.items, *(Item(Op.UNLOCK, resource=name) for name in reversed(held))):
        step = (item.op, reading.span(item.time), reading.name("resource", item.resource))
        if merged and merged[-1][0] == step[0] == Op.RUN:
            step = (Op.RUN, merged.pop()[1] + step[1], None)
        merged.append(step)
    runs = [number for number, (op, _, _) in enumerate(merged) if op == Op.RUN]
    if len(runs) == len(merged):
        return ()
    executed = sum(merged[number][1] for number in runs[:-1])
    merged[runs[-1]] = (Op.RUN, total - executed, None)
    return tuple(merged)


def _server_view(server: Server, reading: _Reading) -> dict[str, Any]:
    """Return the meaning of a server, key by key."""
    times = {key: reading.span(time) for key, time in server.times()}
    others = {"parent": reading.name("server", server.parent), "policy": name_of(server.policy)}
    return _plain_view(server) | times | others


def _plain_view(member: _Member) -> dict[str, Any]:
    return {key: getattr(member, key) for key in type(member).model_fields}
