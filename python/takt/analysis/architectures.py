# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Judges roots whose scheduler runs in software, on a co-processor or in hardware, by analysis/architectures.c.

When these schedulers decide, they drop a job that is unfinished at its deadline, or at the next release of its task.
So a task is schedulable if its bound is within both. A larger bound holds only for jobs that are not dropped.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from takt import _analysis
from takt.analysis import children, fixed
from takt.analysis.judgement import Judgement, task_bound
from takt.analysis.result import TaskBound, Test, Verdict
from takt.analysis.view import DispatcherView, SystemView, TaskView
from takt.model.catalogue import COPROCESSOR, HARDWARE, SOFTWARE
from takt.model.records import ResolvedArchitecture

RESPONSES = Test(
    "response times with a late scheduler", "Audsley et al. 1993; Tindell, Burns and Wellings 1994", is_exact=False
)
DEADLINES = Test("EDF response times with a late scheduler", "Spuri 1996", is_exact=False)
OVERLOAD = Test("utilization with the scheduler", "Liu and Layland 1973", is_exact=True)

MAX_LOOKS = 500_000
"""The largest number of passes over all tasks in a test under EDF; beyond it nothing is guaranteed. Near U = 1 a busy
period can be too long."""

_MODELS = {
    (SOFTWARE, False): _analysis.REARMED,
    (SOFTWARE, True): _analysis.FIXED,
    (COPROCESSOR, False): _analysis.COPROCESSOR,
    (HARDWARE, False): _analysis.HARDWARE,
}
"""What the binding calls a model, by its name and whether ticks are fixed."""


def judge_architecture(view: SystemView, root: DispatcherView, effort: int) -> Judgement:
    """Judge a root of plain tasks.

    Args:
        view: of a system that says where the scheduler runs.
        root: its only dispatcher.
        effort: steps that the tests may take.
    """
    architecture = view.resolved.architecture
    assert architecture is not None
    if _utilization(root) + _least_share(architecture) > 1:
        return _overload(root)
    found = Judgement()
    for task, tick in zip(root.tasks, _responses(root, architecture, effort), strict=True):
        found.tasks[task.number] = _row(view, root, task, architecture, int(tick))
    return found


def _responses(root: DispatcherView, architecture: ResolvedArchitecture, effort: int) -> fixed.Numbers:
    """Bound the responses, as the binding says them."""
    columns = children.columns_of(root.tasks)
    model = _MODELS[architecture.model, architecture.is_fixed]
    costs = (architecture.context_switch, architecture.interval, architecture.latency)
    if root.traits.is_deadline_driven:
        most = MAX_LOOKS // max(len(root.tasks), 1)
        ticks = _analysis.scheduled_edf_responses(
            columns.wcet, columns.period, columns.deadline, model, costs, effort=min(effort, most)
        )
        return ticks if effort < most else np.where(ticks == _analysis.UNKNOWN, _analysis.UNBOUNDED, ticks)
    # Under rm and dm core orders equals by class and place, and so are the tasks of a view.
    is_fifo = root.traits.has_fifo_levels
    above = fixed.behind_equals([fixed.task_member(task) for task in root.tasks]) if is_fifo else None
    return _analysis.scheduled_fp_responses(columns.wcet, columns.period, model, costs, above=above, effort=effort)


def _row(
    view: SystemView, root: DispatcherView, task: TaskView, architecture: ResolvedArchitecture, tick: int
) -> TaskBound:
    """Make the row of a task."""
    test = DEADLINES if root.traits.is_deadline_driven else RESPONSES
    if tick == _analysis.UNKNOWN:
        reason = f"the answer for {task.name} exceeds the granted effort"
        return task_bound(task, root, Verdict.NOT_KNOWN, test, reason=reason)
    response = fixed.read_ticks(tick)
    verdict = test.verdict(response is not None and response <= min(task.deadline, task.period))
    reason = "" if verdict is Verdict.SCHEDULABLE else _reason(view, root, task, architecture, response)
    return task_bound(task, root, verdict, test, response=response, reason=reason)


def _reason(
    view: SystemView, root: DispatcherView, task: TaskView, architecture: ResolvedArchitecture, response: int | None
) -> str:
    """Say why a job may be dropped before it is done."""
    share = f"the scheduler may take {_percent(_most_share(root, architecture))} of the processor"
    if root.traits.is_deadline_driven:
        return f"the demand of tasks and scheduler may exceed the processor; {share}"
    if response is None:
        return f"{task.name}, others and the scheduler may demand more than the whole processor; {share}"
    if response > task.deadline:
        return f"{view.miss(task.name, response, task.deadline)}; {share}"
    late = view.late(response, task.period)
    return f"{task.name} may be unfinished at its next release, which drops that job, by {late}; {share}"


# ---- shares of the processor ------------------------------------------------------------------------------


def _utilization(root: DispatcherView) -> Fraction:
    """Give the share of the tasks."""
    return sum((Fraction(task.wcet, task.period) for task in root.tasks), Fraction(0))


def _least_share(architecture: ResolvedArchitecture) -> Fraction:
    """Give the share that entries by the timer take at least; a completion may put one off by less than an entry."""
    cost = architecture.context_switch
    if architecture.model != SOFTWARE or cost == 0:
        return Fraction(0)
    return Fraction(cost, architecture.interval + (0 if architecture.is_fixed else 2 * cost - 1))


def _most_share(root: DispatcherView, architecture: ResolvedArchitecture) -> Fraction:
    """Give the share that entries by the timer, and what each job causes, take at most."""
    cost = architecture.context_switch
    jobs = sum((Fraction(1, task.period) for task in root.tasks), Fraction(0))
    if architecture.model == SOFTWARE:
        return Fraction(cost, architecture.interval + (0 if architecture.is_fixed else cost)) + cost * jobs
    switches = 2 if architecture.model == HARDWARE else 3
    return (switches * (cost // 2) + architecture.latency) * jobs


def _percent(share: Fraction) -> str:
    """Write a share, rounded up."""
    return f"{-(-100 * share.numerator // share.denominator)} %"


def _overload(root: DispatcherView) -> Judgement:
    """Say that jobs of some task always fail."""
    reason = "the tasks and the scheduler demand more than the whole processor"
    return Judgement(
        {task.number: task_bound(task, root, Verdict.NOT_SCHEDULABLE, OVERLOAD, reason=reason) for task in root.tasks}
    )
