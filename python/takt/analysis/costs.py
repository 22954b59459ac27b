# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Judges roots on a kernel whose own work takes time; analysis/overheads.c has the overheads."""

from __future__ import annotations

from takt import _analysis
from takt.analysis import charges, children, fixed, static
from takt.analysis.fixed import Numbers
from takt.analysis.judgement import Judgement, not_known, task_bound
from takt.analysis.result import Verdict
from takt.analysis.view import DispatcherView, SystemView, TaskView


def judge_costs(view: SystemView, root: DispatcherView, effort: int) -> Judgement:
    """Judge a root whose tasks are charged with the kernel's work for them."""
    doubt = charges.doubt_of(view)
    if doubt:
        return not_known(root, doubt)
    return _judge_static(view, root, effort) if root.traits.has_static_keys else _judge_edf(view, root, effort)


def _costs_of(view: SystemView) -> tuple[int, int, int, int, int, int]:
    """Give the costs as the binding takes them."""
    costs = view.resolved.costs
    return (costs.context_switch, costs.release, costs.scheduling, costs.point, costs.tick, costs.tick_period)


def _regions(root: DispatcherView) -> tuple[Numbers, Numbers, Numbers]:
    """Give the longest regions, 0 of preemptive tasks, the last ones, and the numbers of points."""
    return (
        fixed.numbers(max(task.regions, default=0) for task in root.tasks),
        fixed.numbers(task.last_region for task in root.tasks),
        fixed.numbers(max(len(task.regions) - 1, 0) for task in root.tasks),
    )


def _judge_static(view: SystemView, root: DispatcherView, effort: int) -> Judgement:
    """Bound responses under static keys."""
    columns = children.columns_of(root.tasks)
    longest, last, points = _regions(root)
    above = fixed.behind_equals(static.members_in(view, root))
    ticks = _analysis.overhead_responses(
        columns.wcet, columns.period, _costs_of(view), columns.jitter, longest, last, points, above, effort
    )
    found = Judgement()
    for task, tick in zip(root.tasks, ticks, strict=True):
        response = fixed.read_ticks(tick)
        verdict = charges.RESPONSES.verdict(response is not None and response <= task.deadline)
        reason = "" if verdict is Verdict.SCHEDULABLE else _reason(view, task, response)
        found.tasks[task.number] = task_bound(task, root, verdict, charges.RESPONSES, response=response, reason=reason)
    return found


def _reason(view: SystemView, task: TaskView, response: int | None) -> str:
    """Say why a deadline is not guaranteed."""
    if response is None:
        return f"{task.name}, more urgent tasks and the kernel demand more than the whole processor"
    return view.miss(task.name, response, task.deadline)


def _judge_edf(view: SystemView, root: DispatcherView, effort: int) -> Judgement:
    """Judge all tasks at once by their demand."""
    columns = children.columns_of(root.tasks)
    longest, _, points = _regions(root)
    decided = _analysis.overhead_edf_verdict(
        columns.wcet, columns.period, columns.deadline, _costs_of(view), columns.jitter, longest, points, effort
    )
    if decided == _analysis.UNDECIDED:
        return not_known(root, "the processor demand exceeds the granted effort")
    is_met = decided == _analysis.SCHEDULABLE
    reason = "" if is_met else "the demand of tasks and kernel may exceed the processor"
    return Judgement(
        {
            task.number: task_bound(
                task,
                root,
                charges.DEMAND.verdict(is_met),
                charges.DEMAND,
                response=task.longest_deadline if is_met else None,
                reason=reason,
            )
            for task in root.tasks
        }
    )
