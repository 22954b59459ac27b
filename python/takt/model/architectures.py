# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Platforms: what core is given of costs, and of a scheduler in software, on a co-processor or in hardware.

Source: SPEC.md, 5 and 7.1. What they cost is said in sim/architecture.c.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from takt.base.errors import Problem, show
from takt.model import catalogue
from takt.model.conversion import taken_over, to_ticks
from takt.model.core_input import ResolvedCosts
from takt.model.records import ResolvedArchitecture
from takt.model.system_parts import SystemTables
from takt.model.tables import Platform


def find_latency_problems(system: SystemTables) -> Iterator[Problem]:
    """Yield a default latency that is no whole number of ticks."""
    platform = system.platform
    ticks = to_ticks(DEFAULT_LATENCY, system.resolution)
    has_latency = catalogue.architecture_traits(platform.model).has_latency
    if has_latency and platform.latency is None and ticks.denominator != 1:
        message = (
            f"missing, and the default {show(DEFAULT_LATENCY)} is no multiple of the resolution "
            f"{show(system.resolution)}; give one, for instance latency = 1"
        )
        yield Problem(message, "missing", table="platform", key="latency")


# ---- what core is given --------------------------------------------------------------------------------------

DEFAULT_LATENCY = "20us"
"""From an event to the decision of a co-processor."""


def resolved_costs(platform: Platform, ticks: Callable[[int | str], int]) -> ResolvedCosts:
    """Convert the costs of a platform. A context switch of an architecture is a part of it, and none of these."""
    costs = taken_over(ResolvedCosts, platform, ticks)
    if platform.model in catalogue.ARCHITECTURES:
        costs["context_switch"] = 0
    return ResolvedCosts(**costs, is_pull=platform.points == "pull")


def resolved_architecture(platform: Platform, ticks: Callable[[int | str], int]) -> ResolvedArchitecture | None:
    """Convert where the scheduler runs; None if the platform does not say."""
    if platform.model not in catalogue.ARCHITECTURES:
        return None
    traits = catalogue.architecture_traits(platform.model)
    defaults = {"interval": 0, "latency": ticks(DEFAULT_LATENCY if traits.has_latency else 0)}
    given = taken_over(ResolvedArchitecture, platform, ticks)
    return ResolvedArchitecture(**(defaults | given), is_fixed=platform.timer == "fixed")
