# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Architectures: the defaults of a scheduler in software, on a co-processor or in hardware.

Source: SPEC.md, 5 and 7.1. What they cost is said in sim/architecture.h.
"""

from __future__ import annotations

from collections.abc import Iterator

from takt.base.errors import Problem, show
from takt.model import catalogue
from takt.model.conversion import DEFAULT_LATENCY, to_ticks
from takt.model.system_parts import SystemTables


def find_latency_problems(system: SystemTables) -> Iterator[Problem]:
    """Find a default latency that is no whole number of ticks."""
    platform = system.platform
    ticks = to_ticks(DEFAULT_LATENCY, system.resolution)
    if platform.model == catalogue.COPROCESSOR and platform.latency is None and ticks.denominator != 1:
        message = (
            f"missing, and the default {show(DEFAULT_LATENCY)} is no multiple of the resolution "
            f"{show(system.resolution)}; give one, for instance latency = 1"
        )
        yield Problem(message, "missing", table="platform", key="latency")
