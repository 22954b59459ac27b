# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Judges rate-based roots by their admission, and rate-based execution by its demand.

Source: Springer and Zhao 2024 and SPEC.md, 10; Jeffay and Goddard 1999. An admitted hard task keeps its rate whatever
others do, so its deadlines are met while it keeps to its wcet; a soft task has the period that its share allows.
"""

from __future__ import annotations

from collections.abc import Sequence

from takt import _analysis
from takt.analysis import deadlines
from takt.analysis.blocking import delays_in
from takt.analysis.children import numbers
from takt.analysis.judgement import Claim, Judgement, not_known, task_bound
from takt.analysis.result import TaskBound, Test, Verdict
from takt.analysis.view import DispatcherView, SystemView, TaskView
from takt.model.core_input import CHANGES, CLASSES
from takt.model.policy_options import RATE_RULES

ADMISSION = Test("admission by rates", "Springer and Zhao 2024, corrected; Liu and Layland 1973")
RATE_DEMAND = Test("demand of rate-based execution", "Jeffay and Goddard 1999")


# ---- rate-based ---------------------------------------------------------------------------------------


def judge_rates(view: SystemView, dispatcher: DispatcherView, effort: int) -> Judgement:
    """Judge a rate-based root by its admission, in the order in which its tasks request to enter."""
    rates = view.resolved.rates
    assert rates is not None
    if view.resolved.changes and RATE_RULES[rates.rule] == "naive":
        return not_known(dispatcher, "rates that are reused at once (naive) guarantee nothing")
    asked = sorted(dispatcher.tasks, key=lambda task: (task.fixed.offset, task.number))
    there = [task for task in asked if not task.fixed.is_absent]
    spans = [task.deadline if task.class_ == "hard" else task.period for task in there]
    wcets = list(map(_entering_wcet, there))
    if any(wcet > span for wcet, span in zip(wcets, spans, strict=True)):
        reason = "the demand of a job exceeds its window"  # files are checked for it, but a search may try it
        return Judgement(
            {
                task.number: task_bound(task, dispatcher, Verdict.NOT_GUARANTEED, ADMISSION, reason=reason)
                for task in dispatcher.tasks
            }
        )
    is_admitted, _, budgets, periods, _ = _analysis.rate_admission(
        numbers(CLASSES.index(task.class_) for task in there),
        numbers(wcets),
        numbers(spans),
        numbers(task.fixed.weight for task in there),
        numbers(task.fixed.sharing.blocking if task.fixed.sharing else 0 for task in there),
        numbers(task.fixed.sharing.excess if task.fixed.sharing else 0 for task in there),
        rates.beta,
        rates.sigma,
        rates.grid,
        rates.has_formula,
    )
    grants = {
        task.number: (bool(is_admitted[place]), int(budgets[place]), int(periods[place]))
        for place, task in enumerate(there)
    }
    return Judgement(
        {task.number: _rate_row(view, dispatcher, task, grants.get(task.number)) for task in dispatcher.tasks}
    )


def _entering_wcet(task: TaskView) -> int:
    """Return the wcet of a task's request to enter; the demand of its jobs and later changes do not matter."""
    return max(task.wcet - task.fixed.excess, 1)


def _rate_row(
    view: SystemView, dispatcher: DispatcherView, task: TaskView, grant: tuple[bool, int, int] | None
) -> TaskBound:
    reason = _rate_reason(view, task, is_there=grant is not None)
    if reason or grant is None:
        return task_bound(task, dispatcher, Verdict.NOT_KNOWN, None, reason=reason)
    is_admitted, budget, period = grant
    needed = _entering_wcet(task)
    if not is_admitted:
        reason = f"{task.name} is rejected: hard tasks and reserved rates leave too little"
    elif period == 0:
        reason = f"{task.name} is suspended: hard tasks and reserved rates leave nothing"
    elif task.class_ == "soft" and period > task.period:
        reason = f"{task.name} gets a period of {view.write(period)}, it requests {view.write(task.period)}"
    elif task.class_ == "none" and (budget < needed or period != task.period):
        reason = f"{task.name} gets {view.write(budget)} in {view.write(period)}, a job needs {view.write(needed)}"
    else:
        reason = ""
    is_steady = all(change.task != task.number for change in view.resolved.changes)
    response = task.deadline if is_steady and not reason else None
    return task_bound(task, dispatcher, ADMISSION.verdict(not reason), ADMISSION, response=response, reason=reason)


def _rate_reason(view: SystemView, task: TaskView, *, is_there: bool) -> str:
    """Return why no guarantee for a task is known beforehand, "" if one is.

    A hard task that is admitted keeps what it has until something else is in force for it, and then has that: so it
    meets its deadlines whatever is answered to requests, its own included.
    """
    if not is_there or _follows_a_request(view, task):
        return f"{task.name} enters after a change, and may be rejected"
    if task.fixed.is_greedy:
        return f"{task.name} consumes whole budgets"
    if task.excess:
        return f"{task.name} may demand more than its wcet"
    if task.class_ != "hard" and (
        view.resolved.changes or any(each.fixed.adapts for dispatcher in view.dispatchers for each in dispatcher.tasks)
    ):
        return f"the share of {task.name} changes while it runs"
    return ""


def _follows_a_request(view: SystemView, task: TaskView) -> bool:
    """True if a request precedes the entry of a task, or it enters again: a task enters at its offset."""
    entry = (task.fixed.offset, CHANGES.index("enter"))
    offsets = {each.number: each.fixed.offset for each in view.dispatchers[0].tasks}
    for change in view.resolved.changes:
        is_entry = change.kind == "enter" and change.task is not None
        requested = change.at + (offsets[change.task or 0] if is_entry else 0)
        if (is_entry and change.task == task.number) or (requested, CHANGES.index(change.kind)) < entry:
            return True
    return False


# ---- rate-based execution -----------------------------------------------------------------------------


def judge_rbe(view: SystemView, dispatcher: DispatcherView, effort: int) -> Judgement:
    """Judge rate-based execution: all deadlines are met, whatever arrives, or some are not."""
    has_whole_jobs = all(task.regions == (task.wcet,) for task in dispatcher.tasks)
    has = {
        "servers": bool(dispatcher.servers),
        "suspensions": any(task.suspended for task in dispatcher.tasks),
        "resources": bool(delays_in(view, dispatcher).features),
        "thresholds": any(task.threshold is not None for task in dispatcher.tasks),
        "jitter": any(task.jitter for task in dispatcher.tasks),
        "non-preemptive regions": any(task.regions for task in dispatcher.tasks) and not has_whole_jobs,
        "costs of the kernel": not view.resolved.costs.is_ideal,
    }
    found = ", ".join(what for what, is_there in has.items() if is_there)
    if found:
        return not_known(dispatcher, f"there is no test of rbe with {found}")
    verdict, interval, demand, _ = _analysis.edf_demand(
        demand_record(
            [(task.fixed.events, task.fixed.interval, task.deadline, task.wcet) for task in dispatcher.tasks],
            is_preemptive=not any(task.regions for task in dispatcher.tasks),
        ),
        effort,
    )
    if verdict == _analysis.UNDECIDED:
        return not_known(dispatcher, "the demand exceeds the granted effort", RATE_DEMAND)
    is_met = verdict == _analysis.SCHEDULABLE
    reason = "" if is_met else deadlines.excess(view, interval, demand)
    rows = {
        task.number: task_bound(task, dispatcher, RATE_DEMAND.verdict(is_met), RATE_DEMAND, reason=reason)
        for task in dispatcher.tasks
    }
    return Judgement(rows, jointly=[] if is_met else [Claim(RATE_DEMAND, frozenset(rows))])


def demand_record(rates: Sequence[tuple[int, int, int, int]], *, is_preemptive: bool) -> _analysis.Tasks:
    """Return the record of tasks that demand as much as rate-based execution does.

    Of up to x events in any y ticks each is served within d ticks of its arrival, at a cost of at most c. In any
    interval of length L, x c (floor((L - d) / y) + 1) ticks of work are due, whatever comes when: the demand of a
    sporadic task with C = x c, T = y, D = d. One event blocks, not x of them.

    Args:
        rates: x, y, d and c of each task.
        is_preemptive: whether an event that is being served is preempted.
    """
    events, interval, deadline, cost = (list(column) for column in zip(*rates, strict=True))
    work = [min(x * c, _analysis.TIME_MAX) for x, c in zip(events, cost, strict=True)]
    regions = [1 if is_preemptive else c for c in cost]
    return _analysis.Tasks(numbers(work), numbers(interval), numbers(deadline), regions=numbers(regions))
