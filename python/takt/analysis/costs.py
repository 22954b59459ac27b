# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Judges roots on a kernel whose own work takes time; analysis/overheads.c has the overheads."""

from __future__ import annotations

from typing import Any

from takt import _analysis
from takt.analysis import children, overhead_inflation, static
from takt.analysis.children import Response
from takt.analysis.judgement import Judgement, not_known, task_bound
from takt.analysis.result import Verdict
from takt.analysis.view import DispatcherView, SystemView, TaskView


def judge_costs(view: SystemView, root: DispatcherView, effort: int) -> Judgement:
    """Judge a root whose tasks are charged with the kernel's work for them."""
    doubt = overhead_inflation.doubt_of(view)
    if doubt:
        return not_known(root, doubt)
    return _judge_static(view, root, effort) if root.traits.has_static_keys else _judge_edf(view, root, effort)


def _costs_of(view: SystemView) -> tuple[int, int, int, int, int, int]:
    """Return the costs in the binding's form."""
    costs = view.resolved.costs
    return (costs.context_switch, costs.release, costs.scheduling, costs.point, costs.tick, costs.tick_period)


def _regions(root: DispatcherView) -> dict[str, Any]:
    """Return the longest regions, 0 of preemptive tasks, and the numbers of points."""
    return {
        "longest": children.numbers(max(task.regions, default=0) for task in root.tasks),
        "points": children.numbers(max(len(task.regions) - 1, 0) for task in root.tasks),
    }


def _judge_static(view: SystemView, root: DispatcherView, effort: int) -> Judgement:
    """Bound responses under static keys."""
    members = static.members_in(view, root)
    last, above = children.column(members, "last"), children.behind_equals(members)
    record = children.record_of(members, last=last, above=above, **_regions(root))
    ticks = _analysis.overhead_responses(record, _costs_of(view), effort)
    found = Judgement()
    for task, tick in zip(root.tasks, ticks, strict=True):
        response = children.response_of(tick)
        verdict = response.verdict(task.deadline, overhead_inflation.RESPONSES)
        reason = "" if verdict is Verdict.SCHEDULABLE else _reason(view, task, response)
        found.tasks[task.number] = task_bound(
            task, root, verdict, overhead_inflation.RESPONSES, response=response.ticks, reason=reason
        )
    return found


def _reason(view: SystemView, task: TaskView, response: Response) -> str:
    """Return why a deadline is not guaranteed."""
    if not response.is_known:
        return children.unanswered(task.name)
    if response.ticks is None:
        return f"{task.name}, more urgent tasks and the kernel demand more than the whole processor"
    return view.miss(task.name, response.ticks, task.deadline)


def _judge_edf(view: SystemView, root: DispatcherView, effort: int) -> Judgement:
    """Judge all tasks at once by their demand."""
    record = children.plain_record(root.tasks, **_regions(root))
    decided = _analysis.overhead_edf_verdict(record, _costs_of(view), effort)
    if decided == _analysis.UNDECIDED:
        return not_known(root, "the processor demand exceeds the granted effort", overhead_inflation.DEMAND)
    is_met = decided == _analysis.SCHEDULABLE
    reason = "" if is_met else "the demand of tasks and kernel may exceed the processor"
    return Judgement(
        {
            task.number: task_bound(
                task,
                root,
                overhead_inflation.DEMAND.verdict(is_met),
                overhead_inflation.DEMAND,
                response=task.longest_deadline if is_met else None,
                reason=reason,
            )
            for task in root.tasks
        }
    )
