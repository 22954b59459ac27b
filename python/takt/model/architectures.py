# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Architectures: which task sets a scheduler in software, on a co-processor or in hardware can be simulated with.

Source: SPEC.md, 5 and 7.1. What they cost is said in sim/architecture.h.
"""

from __future__ import annotations

from collections.abc import Iterator

from takt.base.errors import Problem, show
from takt.model import catalogue
from takt.model.conversion import DEFAULT_LATENCY, to_ticks, wcet_of
from takt.model.restrictions import PLAIN_TASK_KEYS, about, refuse_keys, refuse_members
from takt.model.system_parts import SystemTables
from takt.model.tables import Task


def find_architecture_problems(system: SystemTables) -> Iterator[Problem]:
    """Find what an architecture cannot run: all but plain periodic tasks at the root."""
    if system.platform.model not in catalogue.ARCHITECTURES:
        return
    what = system.platform.model_text
    traits = catalogue.traits_of(system.policy)
    if traits.overtakes:
        message = (
            f"expected a policy whose order does not change while jobs wait with {what}, found {show(system.policy)}"
        )
        yield Problem(message, "conflict", table="system", key="policy")
    if traits.is_rule:
        message = f"expected a policy without deadline rules with {what}, found {show(system.policy)}"
        yield Problem(message, "conflict", table="system", key="policy")
    yield from _latency_problems(system)
    yield from refuse_members(system.servers, what)
    yield from refuse_members(system.resources, what)
    for task in system.tasks:
        yield from _task_problems(task, what, system.resolution)


def _latency_problems(system: SystemTables) -> Iterator[Problem]:
    """Find a default latency that is no whole number of ticks."""
    platform = system.platform
    ticks = to_ticks(DEFAULT_LATENCY, system.resolution)
    if platform.model == catalogue.COPROCESSOR and platform.latency is None and ticks.denominator != 1:
        message = (
            f"missing, and the default {show(DEFAULT_LATENCY)} is no multiple of the resolution "
            f"{show(system.resolution)}; give one, for instance latency = 1"
        )
        yield Problem(message, "missing", table="platform", key="latency")


def _task_problems(task: Task, what: str, resolution: str) -> Iterator[Problem]:
    """Find what makes a task more than plain."""
    yield from refuse_keys(task, PLAIN_TASK_KEYS, what)
    if task.demand is None:
        return
    if not isinstance(task.demand, (int, str)):
        yield about(task, "demand", f"expected one constant time with {what}, found {show(task.demand)}")
    elif to_ticks(task.demand, resolution) > wcet_of(task, resolution):
        yield about(task, "demand", f"expected at most the wcet with {what}, found {show(task.demand)}")
