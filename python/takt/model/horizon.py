# SPDX-License-Identifier: Apache-2.0 OR MIT
"""How long a simulation runs."""

from __future__ import annotations

from takt.base.errors import InputError, Problem, show
from takt.model.consistency import find_horizon_problems
from takt.model.conversion import default_horizon, to_ticks
from takt.model.system import Header, System

_MAX_JOB_NUMBER = 2**32 - 1


def horizon_ticks(system: System, horizon: int | str | None = None) -> int:
    """Give the horizon of a simulation in ticks.

    Args:
        system: the system.
        horizon: what the caller asks for, in ticks or with a unit; None for the system's own.

    Raises:
        InputError: it is not right, or the system has none and no short one suggests itself.
    """
    asked = system.horizon if horizon is None else Header(horizon=horizon).horizon
    if asked is None:
        return default_horizon(system.resolved)
    problems = [problem for each in _with_roots(system) for problem in find_horizon_problems(each.tables, asked)]
    if problems:
        raise InputError(problems)
    ticks = int(to_ticks(asked, system.resolution))
    for task in system.resolved.tasks:
        if task.period and not task.is_allocator and ticks // task.period > _MAX_JOB_NUMBER:
            message = f"task {show(task.name)} would release more than {_MAX_JOB_NUMBER} jobs; shorten it"
            raise InputError([Problem(message, "out-of-range", table="system", key="horizon")])
    return ticks


def _with_roots(system: System) -> list[System]:
    """List the systems with a root: the domains of a machine, or the system itself."""
    return [domain.system for domain in system.domains] or [system]
