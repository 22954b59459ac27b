# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Horizon of a simulation: the requested one, or a default."""

from __future__ import annotations

import math

from takt.base.errors import InputError, Problem, show
from takt.model import catalogue
from takt.model.consistency import find_horizon_problems
from takt.model.conversion import to_ticks
from takt.model.core_input import ResolvedChange, ResolvedServer, ResolvedSystem, ResolvedTask
from takt.model.linked import longest_chain
from takt.model.system import Header, System

_MAX_JOB_NUMBER = 2**32 - 1


def horizon_ticks(system: System, horizon: int | str | None = None) -> int:
    """Return the horizon of a simulation in ticks.

    Args:
        system: the system.
        horizon: the caller's request, in ticks or with a unit; None for the system's own.

    Raises:
        InputError: it is not right, or the system has none and no short one suggests itself.
    """
    asked = system.horizon if horizon is None else Header(horizon=horizon).horizon
    if asked is None:
        return default_horizon(system.resolved) + longest_chain(system)
    with_roots = [domain.system for domain in system.domains] or [system]
    problems = [problem for each in with_roots for problem in find_horizon_problems(each.tables, asked)]
    if problems:
        raise InputError(problems)
    ticks = int(to_ticks(asked, system.resolution))
    for task in system.resolved.tasks:
        if task.period and not task.is_allocator and ticks // task.period > _MAX_JOB_NUMBER:
            message = f"task {show(task.name)} would release more than {_MAX_JOB_NUMBER} jobs; shorten it"
            raise InputError([Problem(message, "out-of-range", table="system", key="horizon")])
    return ticks


# ---- what core is given --------------------------------------------------------------------------------------

MAX_DEFAULT_HORIZON = 10_000_000
"""The longest horizon, in ticks, that is chosen for a system that gives none."""


def default_horizon(resolved: ResolvedSystem) -> int:
    """Choose a horizon for a system that gives none, in ticks.

    It is the largest offset plus one hyperperiod: the least common multiple of the periods and least separations,
    where a list of n demands counts as n periods. Explicit arrivals count with the deadline of the last one.

    Args:
        resolved: the system.

    Raises:
        InputError: no short one suggests itself.
    """
    last, hyperperiod = 0, 1
    members: tuple[ResolvedTask | ResolvedServer, ...] = (*resolved.tasks, *resolved.servers)
    extents = [*map(_extent, members), *(_extent_of_change(change, resolved) for change in resolved.changes)]
    for end, repeat in extents:
        last = max(last, end)
        hyperperiod = math.lcm(hyperperiod, repeat)
        if repeat == 0 or last + hyperperiod > MAX_DEFAULT_HORIZON:
            message = 'missing, and the releases repeat too late for a default; give one, for instance "2s"'
            raise InputError([Problem(message, "missing", table="system", key="horizon")])
    return last + hyperperiod


def _extent_of_change(change: ResolvedChange, resolved: ResolvedSystem) -> tuple[int, int]:
    """Return the same of a task from a change on."""
    if change.task is None or change.kind == "leave":
        return change.at, 1
    task = resolved.tasks[change.task]
    if change.kind == "enter":
        end, repeat = _extent(task)
        return change.at + end, repeat
    repeats = task.arrivals is None or task.arrivals.kind != "listed"
    return change.at, change.period * max(1, len(change.demand.values)) if repeats else 1


def _extent(member: ResolvedTask | ResolvedServer) -> tuple[int, int]:
    """Return from when on the releases of a task or server repeat, and after how many ticks; 0 if never."""
    if isinstance(member, ResolvedServer):
        return member.offset, 1 if catalogue.server_kind(member.kind).is_rule else member.period
    if member.is_released:
        return 0, max(1, len(member.demand.values))
    if member.arrivals is not None and member.arrivals.kind == "listed":
        return member.arrivals.values[-1] + member.deadline, 1
    cycle = 1 if member.windows is None else max(1, member.windows.cycle)
    return member.offset, math.lcm(member.period * max(1, len(member.demand.values)), cycle)
