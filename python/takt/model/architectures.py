"""Architectures: which task sets a scheduler in software, on a co-processor or in hardware can be simulated with.

Source: SPEC.md, 5 and 7.1. What they cost is said in sim/architecture.h.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from takt.base.errors import Problem, show
from takt.model import catalogue
from takt.model.conversion import DEFAULT_LATENCY, to_ticks, wcet_of
from takt.model.restrictions import PLAIN_TASK_KEYS, about, given, refuse_keys, refuse_members
from takt.model.system_parts import SystemTables

if TYPE_CHECKING:
    from takt.model.system import Platform, Task

ARCHITECTURES = ("software", "coprocessor", "hardware")

_OWNERS = {"interval": "software", "timer": "software", "latency": "coprocessor"}
"""Keys of [platform] that one architecture has, and which."""
_COSTS = ("release", "scheduling", "point", "tick", "tick_period", "points")
"""Keys of [platform] that no architecture has."""

Conflict = tuple[str, str, str]


def find_key_conflicts(platform: Platform) -> Iterator[Conflict]:
    """Find the keys of a platform that do not go with its model: code, key and message."""
    for key, owner in _OWNERS.items():
        found = getattr(platform, key)
        if found is not None and platform.model != owner:
            yield "conflict", key, f'expected model = "{owner}" with it, found {_model(platform)}'
    if platform.model == "software" and platform.interval is None:
        yield "missing", "interval", 'missing; a scheduler in software needs one, for instance interval = "500us"'
    if platform.model in ARCHITECTURES:
        for key in given(platform, _COSTS):
            yield "conflict", key, f"expected none with {_model(platform)}, found {show(getattr(platform, key))}"


def find_architecture_problems(system: SystemTables) -> Iterator[Problem]:
    """Find what an architecture cannot run: all but plain periodic tasks at the root."""
    if system.platform.model not in ARCHITECTURES:
        return
    what = _model(system.platform)
    if system.policy == "llf":
        message = f'expected a policy whose order does not change while jobs wait with {what}, found "llf"'
        yield Problem(message, "conflict", table="system", key="policy")
    if system.policy in catalogue.RULE_POLICIES:
        message = f"expected a policy without deadline rules with {what}, found {show(system.policy)}"
        yield Problem(message, "conflict", table="system", key="policy")
    yield from _latency_problems(system)
    yield from refuse_members(system.servers, what)
    yield from refuse_members(system.resources, what)
    for task in system.tasks:
        yield from _task_problems(task, what, system.resolution)


def _model(platform: Platform) -> str:
    """Write the model of a platform as its file has it."""
    return "no model" if platform.model is None else f"model = {show(platform.model)}"


def _latency_problems(system: SystemTables) -> Iterator[Problem]:
    """Find a default latency that is no whole number of ticks."""
    platform = system.platform
    ticks = to_ticks(DEFAULT_LATENCY, system.resolution)
    if platform.model == "coprocessor" and platform.latency is None and ticks.denominator != 1:
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
