# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Rate-based systems: which task sets they can be. Source: SPEC.md, 10."""

from __future__ import annotations

from collections.abc import Iterator

from takt import _core
from takt.base.errors import Problem, show
from takt.model import catalogue
from takt.model.bodies import Op
from takt.model.compatibility import about, find_conflicts
from takt.model.conversion import to_ticks
from takt.model.policy_options import RateBased
from takt.model.system_parts import SystemTables
from takt.model.tables import Task

_WHAT = f'policy = "{RateBased.policy}"'


def is_rate_based(system: SystemTables) -> bool:
    """Say whether the root of a system is rate-based."""
    return catalogue.traits_of(system.policy).allocates_rates


def find_rate_problems(system: SystemTables) -> Iterator[Problem]:
    """Find keys that a rate-based system does not support, and keys that only such a system has."""
    for server in system.servers:
        if server.policy == RateBased.policy:
            message = "found a policy of the root; a server cannot be rate-based"
            yield Problem(message, "conflict", table="server", entity=server.name, key="policy")
    if not is_rate_based(system):
        for task in system.tasks:
            yield from _greedy_problems(task)
            if task.on_overrun == "adapt":
                yield about(task, "on_overrun", f'expected {_WHAT} with "adapt", found another policy')
        return
    yield from find_conflicts(system, "rates")
    for task in system.tasks:
        yield from find_length_problems(system, task)
        yield from _overrun_problems(task)


def _greedy_problems(task: Task) -> Iterator[Problem]:
    """Only a rate-based root says how much a job without any execution time takes."""
    if task.wcet is None and not task.items:
        yield about(task, "wcet", f'missing; only {_WHAT} goes without; give one, for instance wcet = "2ms"')


def _overrun_problems(task: Task) -> Iterator[Problem]:
    """Budgets are enforced anyway; an estimate is that of a soft task."""
    if task.on_overrun in ("abort", "suspend"):
        message = f'expected "continue" or "adapt" with {_WHAT}, found {show(task.on_overrun)}'
        yield about(task, "on_overrun", message)
    if task.on_overrun == "adapt" and task.class_ != "soft":
        yield about(task, "on_overrun", f'expected class = "soft" with "adapt", found {show(task.class_)}')


def find_length_problems(system: SystemTables, task: Task) -> Iterator[Problem]:
    """Find times that do not fit each other or are too long for rates."""

    def ticks(value: int | str) -> int | None:
        amount = to_ticks(value, system.resolution)
        return None if amount.denominator != 1 else int(amount)

    for key in ("period", "wcet"):
        value = getattr(task, key)
        if value is not None and (ticks(value) or 0) > _core.RATE_LONGEST:
            yield about(task, key, f"expected at most {_core.RATE_LONGEST} ticks with {_WHAT}, found {show(value)}")
    if task.period is None:
        return
    deadline = task.period if task.deadline is None else task.deadline
    period_ticks, deadline_ticks = ticks(task.period), ticks(deadline)
    runs = [ticks(item.time) for item in task.items if item.op == Op.RUN]
    amounts = [ticks(task.wcet)] if task.wcet is not None else runs
    wcet_ticks = None if None in amounts else sum(amount or 0 for amount in amounts)
    if period_ticks is None or deadline_ticks is None:
        return
    if task.class_ == "hard" and deadline_ticks > period_ticks:
        yield about(task, "deadline", f"expected at most the period {show(task.period)}, found {show(deadline)}")
    if task.class_ != "hard" and deadline_ticks != period_ticks:
        message = f"expected the period {show(task.period)} for class {show(task.class_)}, found {show(deadline)}"
        yield about(task, "deadline", message)
    if task.class_ != "none" and wcet_ticks is not None and wcet_ticks > deadline_ticks:
        found = f"runs of {wcet_ticks} ticks" if task.wcet is None else show(task.wcet)
        key = task.source_of_items if task.wcet is None else "wcet"
        yield about(task, key, f"expected at most the deadline {show(deadline)} with {_WHAT}, found {found}")
