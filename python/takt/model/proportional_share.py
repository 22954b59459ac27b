# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Shares: which task sets the policy share can order. Source: SPEC.md, 3."""

from __future__ import annotations

from collections.abc import Iterator

from takt import _core
from takt.base.errors import Problem, show
from takt.model import catalogue
from takt.model.conversion import to_ticks, wcet_of
from takt.model.input_table import given
from takt.model.policy_options import Share, variant_of
from takt.model.restrictions import about, refuse_members
from takt.model.system_parts import SystemTables
from takt.model.tables import Task

_WHAT = f'policy = "{Share.policy}"'


def find_share_problems(system: SystemTables) -> Iterator[Problem]:
    """Under share there are tasks only, and virtual time does not end before the run."""
    if not catalogue.traits_of(system.policy).has_virtual_time:
        return
    yield from refuse_members(system.servers, _WHAT)
    for task in system.tasks:
        yield from _task_problems(system, task)
    if system.horizon is not None:
        yield from find_share_horizon_problems(int(to_ticks(system.horizon, system.resolution)))
    if variant_of(system.options) == "wf2q":
        yield from _cost_problems(system)


def find_share_horizon_problems(ticks: int) -> Iterator[Problem]:
    """Virtual time has room for a horizon."""
    if ticks > _core.SHARE_LONGEST:
        message = f"expected at most {_core.SHARE_LONGEST} ticks with {_WHAT}, found {ticks}"
        yield Problem(message, "out-of-range", table="system", key="horizon")


def _task_problems(system: SystemTables, task: Task) -> Iterator[Problem]:
    """Find keys that a task with a share cannot have."""
    if task.threshold is not None:
        yield about(task, "threshold", f"expected none with {_WHAT}, found {show(task.threshold)}")
    wcet = wcet_of(task, system.resolution)
    if wcet > _core.SHARE_LONGEST:
        message = f"expected at most {_core.SHARE_LONGEST} ticks with {_WHAT}, found {wcet}"
        yield Problem(message, "out-of-range", table="task", entity=task.name, key="wcet")


def _cost_problems(system: SystemTables) -> Iterator[Problem]:
    """Looks at virtual time are no work of the kernel."""
    keys = ("context_switch", "release", "scheduling", "point", "tick")
    for key in list(given(system.platform, keys))[:1]:
        message = f'expected no kernel costs with variant = "wf2q", found {show(getattr(system.platform, key))}'
        yield Problem(message, "conflict", table="platform", key=key)
