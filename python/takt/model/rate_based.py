# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Rate-based systems: what they refuse, and what core is given of them. Source: SPEC.md, 10."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction

from takt import _core
from takt.base.errors import Problem, show
from takt.model import catalogue, holding_times, rate_blocking
from takt.model.compatibility import about
from takt.model.conversion import in_ticks, items_in_ticks, relative_deadline, resources_of, wcet_of
from takt.model.core_input import ROOT, ResolvedSharing
from takt.model.policy_options import FORMULA, RATE_RULES, RateBased
from takt.model.records import ResolvedRates
from takt.model.system_parts import SystemTables
from takt.model.tables import Task

_WHAT = f'policy = "{RateBased.policy}"'


def is_rate_based(system: SystemTables) -> bool:
    """True if the root of a system is rate-based."""
    return catalogue.traits_of(system.policy).allocates_rates


def find_rate_problems(system: SystemTables) -> Iterator[Problem]:
    """Yield the problems of tasks with the key that enforces budgets, which a rate-based root always does."""
    for task in system.tasks if is_rate_based(system) else ():
        if task.on_overrun in ("abort", "suspend"):
            message = f'expected "continue" or "adapt" with {_WHAT}, found {show(task.on_overrun)}'
            yield about(task, "on_overrun", message)


# ---- what core is given --------------------------------------------------------------------------------------


def resolved_rates(system: SystemTables, ticks: Callable[[int | str], int]) -> ResolvedRates:
    """Convert the options of a rate-based root; shares that are kept free are rounded up."""
    given = [options for options in system.options if isinstance(options, RateBased)]
    options = given[0] if given else RateBased()
    return ResolvedRates(
        beta=0 if isinstance(options.beta, str) else in_rates(options.beta),
        has_formula=options.beta == FORMULA,
        sigma=in_rates(options.sigma),
        grid=1 if options.grid is None else ticks(options.grid),
        rule=RATE_RULES.index(options.changes),
        has_background=options.background,
        has_compression=options.compression,
        has_cuts=options.cuts,
        estimate_jobs=options.estimate_jobs,
    )


def in_rates(share: float) -> int:
    """Return a share of the processor, written in decimals, in core's units, rounded up."""
    return math.ceil(Fraction(str(share)) * _core.RATE_WHOLE)


def sharing_of_rates(system: SystemTables, numbers: Mapping[tuple[str, int], int]) -> dict[str, ResolvedSharing]:
    """Return for each task of a rate-based root the resources that it shares."""
    by_name = {task.name: _sharer(task, system.resolution) for task in system.tasks}
    sharers = [sharer for sharer in by_name.values() if sharer.sections]
    ceilings = rate_blocking.ceilings_of(sharers)
    return {
        name: ResolvedSharing(
            uses=tuple(sorted(numbers[resource, ROOT] for resource in sharer.sections if (resource, ROOT) in numbers)),
            blocking=rate_blocking.blocking_of(sharer, sharers, ceilings),
            excess=rate_blocking.excess_of(sharer),
        )
        for name, sharer in by_name.items()
    }


def _sharer(task: Task, resolution: str) -> rate_blocking.Sharer:
    """Return what determines how long others wait for a task of a rate-based root."""
    wcet = wcet_of(task, resolution)
    items = items_in_ticks(task, resolution)
    return rate_blocking.Sharer(
        is_hard=task.class_ == "hard",
        window=relative_deadline(task, resolution),
        period=in_ticks(task.period or 1, resolution),
        sections={name: holding_times.longest_section(items, wcet, name) for name in resources_of(task)},
    )
