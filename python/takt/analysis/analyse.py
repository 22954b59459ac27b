"""What is known of a system: verdict, bounds, how far it is from the edge, what would fit, and charts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from takt.analysis import advice, charting, modes, sensitivity, servers
from takt.analysis.judge import EFFORT, judge
from takt.analysis.judgement import Judgement
from takt.analysis.result import Analysis, TaskBound, Verdict, worst_of
from takt.analysis.view import SystemView, view_of
from takt.policy import name_of

if TYPE_CHECKING:
    from takt.model import System

_PRECISION = 10**18
MAX_REASONS = 3
"""How many tasks a reason is about."""


def analyse(system: System, *, effort: int = EFFORT) -> Analysis:
    """Prove what can be proved of a system.

    The verdict holds for all arrivals and demands that the tasks allow: jobs at least their separation apart from any
    offset on, each with a demand up to the wcet, or up to the longest one that the system gives.

    Args:
        system: the task set.
        effort: steps that the tests of each dispatcher may take; what needs more is not known.

    Returns:
        Verdict with its reason, bounds of all tasks and servers, sensitivity, and advice if it does not fit. All times
        are in ticks.

    Example:
        >>> import takt
        >>> tasks = [takt.Task(name="A", period=5, wcet=2), takt.Task(name="B", period=7, wcet=4)]
        >>> found = takt.analyse(takt.System(tasks=tasks, policy="rm"))
        >>> found.verdict.value, [row.response for row in found.tasks]
        ('not schedulable', [2, 8])
    """
    view = view_of(system)
    judgement = servers.with_least_budgets(view, judge(view, effort), effort)

    counted = judgement.that_count()
    verdict = worst_of([row.verdict for row in counted])
    is_searched = verdict is not Verdict.NOT_KNOWN and len(judgement.tasks) <= sensitivity.MAX_TASKS
    can_grow = is_searched and sensitivity.can_change_wcets(view)
    rows = _with_growth(view, judgement, effort) if can_grow else judgement.rows()
    is_met = verdict is Verdict.SCHEDULABLE
    return Analysis(
        name=system.name,
        policy=name_of(system.policy),
        resolution_ns=system.resolution_ns,
        verdict=verdict,
        reason=_reason(judgement, counted, verdict, "" if is_met else modes.told(view, effort)),
        utilization=_utilization(view).as_integer_ratio(),
        tasks=tuple(rows),
        servers=tuple(judgement.servers[number] for number in sorted(judgement.servers)),
        scaling=sensitivity.scaling_of(view, sensitivity.keeping(judgement, effort)) if can_grow else None,
        advice=tuple(advice.advise(system, view, effort)) if is_searched and not is_met else (),
        charts=tuple(charting.charts_of(view, judgement)),
    )


def _with_growth(view: SystemView, judgement: Judgement, effort: int) -> list[TaskBound]:
    """Say of each task by how much its wcet may grow."""
    tasks = {task.number: task for each in view.dispatchers for task in each.tasks}
    return [
        replace(row, growth=sensitivity.growth_of(view, tasks[number], sensitivity.keeping(judgement, effort, number)))
        for number, row in sorted(judgement.tasks.items())
    ]


def _utilization(view: SystemView) -> Fraction:
    """Add up wcet / period, each rounded down to 1e-18, for exact sums grow long."""
    tasks = [task for each in view.dispatchers for task in each.tasks if task.period]
    return Fraction(sum(task.wcet * _PRECISION // task.period for task in tasks), _PRECISION)


def _reason(judgement: Judgement, counted: Sequence[TaskBound], verdict: Verdict, known: str) -> str:
    """Say in one line why the verdict is what it is, and of one that is not good what else is known."""
    if verdict is not Verdict.SCHEDULABLE:
        reasons = [row.reason for row in counted if row.verdict is verdict and row.reason]
        return "; ".join(filter(None, [*dict.fromkeys(reasons[:MAX_REASONS]), known]))
    # Of those that count all are schedulable here.
    others = [row.task for row in judgement.rows() if row.verdict is not Verdict.SCHEDULABLE]
    what = f"all {len(counted)} {'hard ' * (len(counted) < len(judgement.tasks))}tasks meet their deadlines"
    return f"{what}; not so {', '.join(others[:MAX_REASONS])}" if others else what
