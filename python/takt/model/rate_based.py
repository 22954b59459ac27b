# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Rate-based systems: what they refuse, and what core is given of them.

Source: SPEC.md, section 10, and policy/rate_sharing.h: b, the largest B / D, is the processor time that tasks lose by
blocking each other. B counts all tasks of the file, whenever they are present, so that a later task takes nothing from
a rate that was granted. Left out: sections that last longer than their runs, and hard jobs that use up their budget in
one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from takt import _core
from takt.base.errors import Problem, show
from takt.model import catalogue, holding_times
from takt.model.compatibility import about
from takt.model.conversion import in_ticks, items_in_ticks, relative_deadline, resources_of, wcet_of
from takt.model.core_input import ROOT, ResolvedSharing
from takt.model.policy_options import FORMULA, RATE_RULES, RateBased
from takt.model.records import ResolvedRates
from takt.model.system_parts import SystemTables

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
    """Return what each task of a rate-based root shares: resources, B / D, and what sections execute beyond budgets.

    Both are in core's units, rounded up. The ceiling of a resource is the shortest window of its users.
    """
    sharers = {}
    for task in system.tasks:
        wcet, items = wcet_of(task, system.resolution), items_in_ticks(task, system.resolution)
        sharers[task.name] = _Sharer(
            window=relative_deadline(task, system.resolution),
            period=in_ticks(task.period or 1, system.resolution),
            is_hard=task.class_ == "hard",
            sections={name: holding_times.longest_section(items, wcet, name) for name in resources_of(task)},
        )
    locking = [sharer for sharer in sharers.values() if sharer.sections]
    ceilings: dict[str, int] = {}
    for sharer in locking:
        ceilings |= {name: min(sharer.window, ceilings.get(name, sharer.window)) for name in sharer.sections}
    sharing = {}
    for name, sharer in sharers.items():
        waits = [
            _core.rate_blocking_by(sharer.words, other.words, ticks, ceilings[resource])
            for other in locking
            if other is not sharer
            for resource, ticks in other.sections.items()
        ]
        has_excess = bool(sharer.sections) and not sharer.is_hard
        sharing[name] = ResolvedSharing(
            uses=tuple(sorted(numbers[resource, ROOT] for resource in sharer.sections if (resource, ROOT) in numbers)),
            blocking=max(waits, default=0),
            excess=_core.rate_of_section(max(sharer.sections.values()), sharer.period) if has_excess else 0,
        )
    return sharing


@dataclass(frozen=True, slots=True)
class _Sharer:
    """What determines how long others wait for a task of a rate-based root. Times in ticks.

    Args:
        window: its shortest relative deadline: that of a hard task, else the requested period.
        period: of its releases, as requested.
        is_hard: whether its deadlines are fixed.
        sections: of each resource that it locks, how long it runs at most from the lock to the unlock.
    """

    window: int
    period: int
    is_hard: bool
    sections: Mapping[str, int]

    @property
    def words(self) -> tuple[int, int, bool]:
        """Input of core's test."""
        return self.window, self.period, self.is_hard
