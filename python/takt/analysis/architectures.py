# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Judges roots whose scheduler runs in software, on a co-processor or in hardware, by analysis/architectures.c.

When these schedulers decide, they drop a job that is unfinished at its deadline, or at the next release of its task.
So a task is schedulable if its bound is within both. A larger bound holds only for jobs that are not dropped.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from takt import _analysis
from takt.analysis import children
from takt.analysis.judgement import Claim, Judgement, task_bound
from takt.analysis.result import TaskBound, Test, Verdict
from takt.analysis.view import DispatcherView, SystemView, TaskView
from takt.model import catalogue
from takt.model.records import ResolvedArchitecture

RESPONSES = Test("response times with a late scheduler", "Audsley et al. 1993; Tindell, Burns and Wellings 1994")
DEADLINES = Test("EDF response times with a late scheduler", "Spuri 1996")
OVERLOAD = Test("utilization with the scheduler", "Liu and Layland 1973")

MAX_LOOKS = 500_000
"""The largest number of passes over all tasks in a test under EDF; beyond it nothing is guaranteed. Near U = 1 a busy
period can be too long."""


def judge_architecture(view: SystemView, root: DispatcherView, effort: int) -> Judgement:
    """Judge a root of plain tasks.

    Args:
        view: of a system that says where the scheduler runs.
        root: its only dispatcher.
        effort: steps that the tests may take.
    """
    architecture = view.resolved.architecture
    assert architecture is not None
    demand = sum((Fraction(task.wcet, task.period) for task in root.tasks), Fraction(0))
    cost = architecture.context_switch
    if cost and catalogue.architecture_traits(architecture.model).is_entered:
        # What entries by the timer take at least: a completion may put one off by less than an entry.
        demand += Fraction(cost, architecture.interval + (0 if architecture.is_fixed else 2 * cost - 1))
    if demand > 1:
        reason = "the tasks and the scheduler demand more than the whole processor"
        rows = {
            task.number: task_bound(task, root, Verdict.NOT_GUARANTEED, OVERLOAD, reason=reason) for task in root.tasks
        }
        return Judgement(rows, jointly=[Claim(OVERLOAD, frozenset(rows))])
    found = Judgement()
    for task, tick in zip(root.tasks, _responses(root, architecture, effort), strict=True):
        found.tasks[task.number] = _row(view, root, task, architecture, int(tick))
    return found


def _responses(root: DispatcherView, architecture: ResolvedArchitecture, effort: int) -> children.Numbers:
    """Bound the responses, as the binding says them."""
    members = children.members_of(root.tasks)
    traits = catalogue.architecture_traits(architecture.model)
    if traits.is_entered:
        model = _analysis.FIXED if architecture.is_fixed else _analysis.REARMED
    else:
        model = _analysis.COPROCESSOR if traits.has_latency else _analysis.HARDWARE
    costs = (architecture.context_switch, architecture.interval, architecture.latency)
    if root.traits.is_deadline_driven:
        most = MAX_LOOKS // max(len(root.tasks), 1)
        ticks = _analysis.scheduled_edf_responses(children.record_of(members), model, costs, min(effort, most))
        return ticks if effort < most else np.where(ticks == _analysis.UNKNOWN, _analysis.UNBOUNDED, ticks)
    # Under rm and dm core orders equals by class and place, and so are the tasks of a view.
    above: dict[str, Any] = {"above": children.behind_equals(members)} if root.traits.has_fifo_levels else {}
    return _analysis.scheduled_fp_responses(children.record_of(members, **above), model, costs, effort)


def _row(
    view: SystemView, root: DispatcherView, task: TaskView, architecture: ResolvedArchitecture, tick: int
) -> TaskBound:
    test = DEADLINES if root.traits.is_deadline_driven else RESPONSES
    if tick == _analysis.UNKNOWN:
        return task_bound(task, root, Verdict.NOT_KNOWN, test, reason=children.unanswered(task.name))
    response = children.read_ticks(tick)
    verdict = test.verdict(response is not None and response <= min(task.deadline, task.period))
    if verdict is Verdict.SCHEDULABLE:
        reason = ""
    else:
        most = _most_share(root, architecture)
        share = f"the scheduler may take {-(-100 * most.numerator // most.denominator)} % of the processor"
        if root.traits.is_deadline_driven:
            reason = f"the demand of tasks and scheduler may exceed the processor; {share}"
        elif response is None:
            reason = f"{task.name}, others and the scheduler may demand more than the whole processor; {share}"
        elif response > task.deadline:
            reason = f"{view.miss(task.name, response, task.deadline)}; {share}"
        else:
            late = view.late(response, task.period)
            reason = f"{task.name} may be unfinished at its next release, which drops that job, by {late}; {share}"
    return task_bound(task, root, verdict, test, response=response, reason=reason)


# ---- shares of the processor ------------------------------------------------------------------------------


def _most_share(root: DispatcherView, architecture: ResolvedArchitecture) -> Fraction:
    """Return the share that entries by the timer, and what each job causes, take at most."""
    cost = architecture.context_switch
    jobs = sum((Fraction(1, task.period) for task in root.tasks), Fraction(0))
    traits = catalogue.architecture_traits(architecture.model)
    if traits.is_entered:
        return Fraction(cost, architecture.interval + (0 if architecture.is_fixed else cost)) + cost * jobs
    switches = 3 if traits.idles_between else 2
    return (switches * (cost // 2) + architecture.latency) * jobs
