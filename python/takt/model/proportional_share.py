# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Shares: which task sets the policy share can order. Source: SPEC.md, 3."""

from __future__ import annotations

from collections.abc import Iterator

from takt import _core
from takt.base.errors import Problem
from takt.model import catalogue
from takt.model.compatibility import find_conflicts
from takt.model.conversion import to_ticks, wcet_of
from takt.model.policy_options import Share
from takt.model.system_parts import SystemTables

_WHAT = f'policy = "{Share.policy}"'


def find_share_problems(system: SystemTables) -> Iterator[Problem]:
    """Under share there are tasks only, and virtual time does not end before the run."""
    if not catalogue.traits_of(system.policy).has_virtual_time:
        return
    yield from find_conflicts(system, "shares")
    for task in system.tasks:
        wcet = wcet_of(task, system.resolution)
        if wcet > _core.SHARE_LONGEST:
            message = f"expected at most {_core.SHARE_LONGEST} ticks with {_WHAT}, found {wcet}"
            yield Problem(message, "out-of-range", table="task", entity=task.name, key="wcet")
    if system.horizon is not None:
        yield from find_share_horizon_problems(int(to_ticks(system.horizon, system.resolution)))
    yield from list(find_conflicts(system, "wf2q"))[:1]


def find_share_horizon_problems(ticks: int) -> Iterator[Problem]:
    """Virtual time has room for a horizon."""
    if ticks > _core.SHARE_LONGEST:
        message = f"expected at most {_core.SHARE_LONGEST} ticks with {_WHAT}, found {ticks}"
        yield Problem(message, "out-of-range", table="system", key="horizon")
