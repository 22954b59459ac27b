# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Architectures: which task sets a scheduler in software, on a co-processor or in hardware can be simulated with.

Source: SPEC.md, 5 and 7.1. What they cost is said in sim/architecture.c.
"""

from __future__ import annotations

from collections.abc import Iterator

from takt.base.errors import Problem, show
from takt.model import catalogue
from takt.model.compatibility import about, find_conflicts
from takt.model.conversion import DEFAULT_LATENCY, to_ticks, wcet_of
from takt.model.system_parts import SystemTables


def find_architecture_problems(system: SystemTables) -> Iterator[Problem]:
    """Find what an architecture cannot run: all but plain periodic tasks at the root."""
    if system.platform.model not in catalogue.ARCHITECTURES:
        return
    yield from find_conflicts(system, "architecture")
    yield from _latency_problems(system)
    for task in system.tasks:
        wcet = wcet_of(task, system.resolution)
        if isinstance(task.demand, (int, str)) and to_ticks(task.demand, system.resolution) > wcet:
            message = f"expected at most the wcet with {system.platform.model_text}, found {show(task.demand)}"
            yield about(task, "demand", message)


def _latency_problems(system: SystemTables) -> Iterator[Problem]:
    """Find a default latency that is no whole number of ticks."""
    platform = system.platform
    ticks = to_ticks(DEFAULT_LATENCY, system.resolution)
    has_latency = catalogue.architecture_traits(platform.model).has_latency
    if has_latency and platform.latency is None and ticks.denominator != 1:
        message = (
            f"missing, and the default {show(DEFAULT_LATENCY)} is no multiple of the resolution "
            f"{show(system.resolution)}; give one, for instance latency = 1"
        )
        yield Problem(message, "missing", table="platform", key="latency")
