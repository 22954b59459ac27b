# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Rate-based systems: which task sets they can be. Source: SPEC.md, 10."""

from __future__ import annotations

from collections.abc import Iterator

from takt.base.errors import Problem, show
from takt.model import catalogue
from takt.model.compatibility import about
from takt.model.policy_options import RateBased
from takt.model.system_parts import SystemTables

_WHAT = f'policy = "{RateBased.policy}"'


def is_rate_based(system: SystemTables) -> bool:
    """Say whether the root of a system is rate-based."""
    return catalogue.traits_of(system.policy).allocates_rates


def find_rate_problems(system: SystemTables) -> Iterator[Problem]:
    """Find tasks whose budgets a rate-based root is to enforce, as it does anyway."""
    for task in system.tasks if is_rate_based(system) else ():
        if task.on_overrun in ("abort", "suspend"):
            message = f'expected "continue" or "adapt" with {_WHAT}, found {show(task.on_overrun)}'
            yield about(task, "on_overrun", message)
