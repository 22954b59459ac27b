# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The grants of a rate-based root: for each task at the end of a run, in words and numbers for people."""

from __future__ import annotations

from dataclasses import dataclass

from takt.run.result import RunResult

_REFUSED = {
    "rejected": "rejected",
    "suspended": "suspended",
    "in force": "suspended",
    "left": "left",
    "admitted": "waits",
}
"""What the last event of a task says of one that has no rate."""

_Row = tuple[str, float, int, int]
"""What became of a task: what, rate, budget, period."""


@dataclass(frozen=True)
class Grant:
    """The grant of a task at the end of a run.

    Args:
        state: "" if it has a rate; else "rejected", "suspended", "left", "waits" (for room), or "absent".
        rate: its share of the processor.
        budget, period: its jobs get this budget in each period, in ticks.
    """

    state: str
    rate: float = 0.0
    budget: int = 0
    period: int = 0


def grants(result: RunResult) -> dict[str, Grant]:
    """Return the grant of each task at the end; empty unless the system is rate-based and its rates were kept."""
    if result.system.resolved.rates is None or not result.keeps_rates:
        return {}
    last: dict[str, _Row] = {}
    for task, *row in result.rates.select("task", "what", "rate", "budget", "period").iter_rows():
        what, rate, budget, period = row
        if what != "rejected" or last.get(task, ("left",))[0] == "left":
            last[task] = (what, rate, budget, period)
    return {
        task.name: _grant(*last[task.name]) if task.name in last else Grant("absent") for task in result.system.tasks
    }


def _grant(what: str, rate: float, budget: int, period: int) -> Grant:
    """Return the grant after an event; a rejected request of a task with a grant changes nothing."""
    if rate == 0:
        return Grant(_REFUSED.get(what, what))
    return Grant("", rate, budget, period)
