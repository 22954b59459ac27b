# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Bounds every response by the longest busy period of a work-conserving processor, for any order of jobs.

Source: analysis/busy_period.c. A processor is work-conserving if it never idles while a released job is unfinished.
That a root is follows from SPEC.md:

- At each instant the root selects the most urgent ready job (2, step 8), for any keys (3). The binding calls a policy
  in Python for the key of each job, and refuses an invalid one. A change of policy takes over all ready jobs (12).
- A job in a non-preemptive region, or with a threshold, is itself ready.
- A blocked job is ready, and the holder runs instead (9). Under `none` a blocked job is not ready. Its holder is in the
  same dispatcher and does not suspend itself, so it is ready, or blocked in turn. Such a chain ends with a running job
  unless it is a circle, and resources that are nested in one order form no circle.

Not covered: servers, suspensions, several processors, windows and budgets of jobs, costs, points that pull, and
rate-based roots. Not covered is `wf2q` either: its fluid system counts wcets, and the processor waits for it after
shorter jobs. `skip` is left out, because it drops jobs that are not late.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from takt import _analysis
from takt.analysis import blocking, refusals
from takt.analysis.children import numbers
from takt.analysis.global_edf import OVERLOAD_FOR_GOOD
from takt.analysis.judgement import Claim, Judgement
from takt.analysis.presence import FOR_GOOD
from takt.analysis.result import TaskBound, Test, Verdict
from takt.analysis.view import SystemView, TaskView
from takt.model import catalogue
from takt.model.python_policy import Policy

BUSY = Test("longest busy period, any order", "Cruz 1991")

_ENDED = ("continue", "abort")
_OPEN = (Verdict.NOT_KNOWN, Verdict.NOT_GUARANTEED)


def bound(view: SystemView, found: Judgement, effort: int) -> Judgement:
    """Add the bound that holds under any policy to the judgement of the policy's own tests, for tasks that may be late.

    Args:
        view: of the system.
        found: the judgement of the policy's own tests.
        effort: steps that the test may take.
    """
    may_be_late = [number for number, row in found.tasks.items() if row.verdict in _OPEN]
    if not may_be_late or not _is_work_conserving(view):
        return found
    tasks = {task.number: task for task in view.dispatchers[0].tasks}
    counted = {row.task for row in found.that_count()}
    decisive = [task for task in tasks.values() if task.name in counted]
    # With deadlines at the ends of periods density is utilization.
    staying = [phase for task in decisive if not task.arrivals for phase in task.phases if phase.until == FOR_GOOD]
    record = _analysis.Tasks(numbers(phase.wcet for phase in staying), numbers(phase.period for phase in staying))
    verdict = _analysis.edf_density(record)
    reason = "the tasks ask for more than the whole processor" if verdict == _analysis.UNSCHEDULABLE else ""
    lengths = _busy_periods(list(tasks.values()), effort)
    for number in may_be_late:
        row, task = found.tasks[number], tasks[number]
        if reason and task.name in counted:
            found.tasks[number] = _with(row, _open_verdict(row), OVERLOAD_FOR_GOOD, reason)
        else:
            found.tasks[number] = _bounded(view, row, task, lengths[number])
    if reason:
        refusals.add_claim(view, found, Claim(OVERLOAD_FOR_GOOD, frozenset(task.number for task in decisive)))
    return found


def _is_work_conserving(view: SystemView) -> bool:
    """True if the processor is busy while a released job is unfinished, and the arriving work is bounded."""
    resolved, root = view.resolved, view.dispatchers[0]
    are_bounded = all(
        (task.arrivals or all(phase.period > 0 for phase in task.phases))
        and task.fixed.windows is None
        and not task.suspended
        and task.fixed.on_miss in _ENDED
        for task in root.tasks
    )
    is_plain = (
        resolved.cpus == 1 and len(view.dispatchers) == 1 and resolved.costs.is_ideal and not resolved.costs.is_pull
    )
    is_ordered = isinstance(resolved.policy, Policy) or (
        catalogue.traits_of(resolved.policy).is_work_conserving and resolved.variant != catalogue.ELIGIBLE
    )
    return (
        is_plain
        and is_ordered
        and resolved.architecture is None
        and not view.latency
        and are_bounded
        and not blocking.may_deadlock(view, root)
    )


def _busy_periods(tasks: Sequence[TaskView], effort: int) -> dict[int, list[int]]:
    """Return the longest busy period of each phase of each task, by the tasks' numbers, as the binding returns it.

    A list of arrivals counts wherever it lies, and once for each phase.
    """
    sources = [(task, phase) for task in tasks for phase in task.phases]
    record = _analysis.Tasks(
        numbers(phase.wcet for _, phase in sources),
        numbers(1 if task.arrivals else phase.period for task, phase in sources),
        jitter=numbers(task.jitter for task, _ in sources),
        start=numbers(0 if task.arrivals else phase.start for task, phase in sources),
        until=numbers(FOR_GOOD if task.arrivals else phase.until for task, phase in sources),
        listed=numbers(len(task.arrivals) for task, _ in sources),
        arrivals=numbers(instant for task, _ in sources for instant in task.arrivals),
    )
    ticks = _analysis.busy_periods(record, effort)
    lengths: dict[int, list[int]] = {task.number: [] for task in tasks}
    for (task, _), tick in zip(sources, ticks, strict=True):
        lengths[task.number].append(int(tick))
    return lengths


def _bounded(view: SystemView, row: TaskBound, task: TaskView, lengths: Sequence[int]) -> TaskBound:
    """Return the row of a task from its busy periods; an existing row stays if it is at least as good."""
    if _analysis.UNKNOWN in lengths:
        return row
    longest = max(lengths, default=0)
    response = None if longest == _analysis.UNBOUNDED else longest + task.jitter
    is_met = all(length <= phase.deadline - task.jitter for phase, length in zip(task.phases, lengths, strict=True))
    if is_met:
        return _with(row, Verdict.SCHEDULABLE, BUSY, "", response)
    if row.response is not None:
        return row
    reason = (
        "a busy period may have no end" if response is None else f"the longest busy period is {view.write(longest)}"
    )
    return _with(row, _open_verdict(row), BUSY, reason, response)


def _open_verdict(row: TaskBound) -> Verdict:
    """Return the verdict of a task that may be late: a test of its policy that has not ended may still accept it."""
    is_unanswered = row.verdict is Verdict.NOT_KNOWN and row.test is not None
    return Verdict.NOT_KNOWN if is_unanswered else Verdict.NOT_GUARANTEED


def _with(row: TaskBound, verdict: Verdict, test: Test, reason: str, response: int | None = None) -> TaskBound:
    """Return the row with another verdict; it keeps the reasons why other tests gave none."""
    joined = "; ".join(filter(None, [row.reason, reason])) if reason else ""
    return replace(
        row,
        verdict=verdict,
        test=test,
        response=response,
        is_tight=False,
        blocking=None,
        interference=(),
        reason=joined,
    )
