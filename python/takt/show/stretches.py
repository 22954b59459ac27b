# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A system between changes: the parameters of each task, the utilization of all present tasks, and granted rates.

A *stretch* lasts from one change to the next, or to the horizon. Source: SPEC.md, 12. A request that a rate-based root
rejected changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import TypeVar

from takt.model.core_input import ResolvedChange
from takt.run.result import RunResult
from takt.show.text_tables import share

ARROW = " \u2192 "
"""Between the values before and after a change."""
MAX_VALUES = 4
"""How many values of one parameter are written; of more, the first and the last one."""
_PRECISION = 10**18
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of a task from an instant on. Times in ticks.

    Args:
        start: jobs that are released there or later have these.
        period: None of a task whose jobs come as they like.
        deadline: relative, as requested.
        wcet: None of a task without one.
    """

    start: int
    period: int | None
    deadline: int
    wcet: int | None

    @property
    def utilization(self) -> Fraction:
        """Share of the processor, rounded down to 1e-18, for exact sums grow long; 0 without period or wcet."""
        return Fraction(self.wcet * _PRECISION // self.period, _PRECISION) if self.wcet and self.period else Fraction(0)


@dataclass(frozen=True, slots=True)
class Stretch:
    """The utilization of all present tasks, up to an instant.

    Args:
        until: end, in ticks; the last one ends at the horizon.
        utilization: sum of their wcet / period.
    """

    until: int
    utilization: Fraction


def parameters_of(result: RunResult) -> dict[str, tuple[Parameters, ...]]:
    """Return the parameters of each task while it is present, in order of time; its initial ones if it never is.

    Args:
        result: of a simulation.
    """
    return {
        task.name: tuple(dict.fromkeys(each for _, _, each in spans)) or (_first(result, number),)
        for number, (task, spans) in enumerate(zip(result.system.resolved.tasks, _spans(result), strict=True))
    }


def stretches_of(result: RunResult) -> tuple[Stretch, ...]:
    """Return the utilization between changes of tasks or of their parameters; one stretch if there are none.

    Args:
        result: of a simulation.
    """
    spans = [span for task in _spans(result) for span in task]
    changes = {change.at for change in _made(result) if change.kind != "policy" and change.at > 0}
    ends = [*sorted(changes), max(result.horizon, 1)]
    return tuple(
        Stretch(until, sum((each.utilization for start, end, each in spans if start <= begin < end), Fraction(0)))
        for begin, until in zip([0, *ends[:-1]], ends, strict=True)
    )


def written(values: Sequence[_Value], write: Callable[[_Value], str]) -> str:
    """Write the values of one parameter, in order of time; equal neighbours once.

    Args:
        values: at least one.
        write: how to write one.
    """
    texts = [text for text, _ in groupby(map(write, values))]
    return ARROW.join(texts if len(texts) <= MAX_VALUES else [texts[0], "\u2026", texts[-1]])


def sentence(stretches: Sequence[Stretch], write: Callable[[int], str]) -> str:
    """Return a sentence about the utilization of present tasks between changes; "" for a system without such changes.

    Args:
        stretches: of the system.
        write: how to write an instant.
    """
    *first, last = stretches
    if not first:
        return ""
    if len(stretches) > MAX_VALUES:
        return f"utilization at most {share(largest(stretches))} in each of {len(stretches)} stretches between changes"
    parts = [f"{share(each.utilization)} until {write(each.until)}" for each in first]
    return f"utilization {', '.join(parts)}, then {share(last.utilization)}"


def largest(stretches: Sequence[Stretch]) -> Fraction:
    """Return the largest utilization of all stretches."""
    return max(each.utilization for each in stretches)


_Span = tuple[int, int, Parameters]
"""From when until when a task has parameters and is there."""


def _made(result: RunResult) -> list[ResolvedChange]:
    """Return the changes before the horizon that a root did not reject."""
    given = result.answered_changes
    return [change for change, answer in given if answer != "rejected"]


def _spans(result: RunResult) -> list[list[_Span]]:
    """Return for each task when it is present, with which parameters."""
    made, found = _made(result), []
    for number, task in enumerate(result.system.resolved.tasks):
        spans, now, start, is_there = list[_Span](), _first(result, number), 0, not task.is_absent
        for change in (each for each in made if each.task == number):
            if is_there and start < change.at:
                spans.append((start, change.at, now))
            start = change.at
            if change.kind == "parameters":
                period = change.period if task.period else now.period
                now = Parameters(change.at, period, change.deadline, change.wcet)
            is_there = change.kind == "enter" or (is_there and change.kind != "leave")
        if is_there:
            spans.append((start, max(result.horizon, start + 1), now))
        found.append(spans)
    return found


def _first(result: RunResult, number: int) -> Parameters:
    """Return the initial parameters of a task, as the summary has them."""
    return Parameters(0, *(result.statistics[name][number] for name in ("period", "deadline", "wcet")))


# ---- rates -----------------------------------------------------------------------------------------

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
    for name, what, *granted in result.rates.select("task", "what", "rate", "budget", "period").iter_rows():
        # A rejected request of a task with a grant changes nothing.
        if what != "rejected" or last.get(name, ("left",))[0] == "left":
            last[name] = (what, *granted)
    found = {
        name: Grant(_REFUSED.get(what, what)) if rate == 0 else Grant("", rate, *jobs)
        for name, (what, rate, *jobs) in last.items()
    }
    return {task.name: found.get(task.name, Grant("absent")) for task in result.system.tasks}
