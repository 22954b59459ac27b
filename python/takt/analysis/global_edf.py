# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Judges plain tasks on several processors: what overloads them, and the density bound of global edf.

Source: Goossens, Funk and Baruah 2003; with densities Bertogna, Cirinei and Lipari 2005: preemptive tasks are
schedulable on m processors if the sum of their densities is at most m - (m - 1) times the largest of them. With release
jitter the density is C / min(D - J, T), the least speed at which a processor of its own serves the task: jobs that are
released and have their deadlines in an interval of L ticks are at most floor((L + J - D) / T) + 1, none if L < D - J.
The proof compares with such processors, and holds for any releases. Left out: everything sharper, and all tests of
other global policies.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from takt.analysis import coverage
from takt.analysis.judgement import Claim, Judgement, not_known, task_bound
from takt.analysis.result import Test, Verdict
from takt.analysis.view import DispatcherView, SystemView

DENSITY = Test("density bound of global edf", "Goossens, Funk and Baruah 2003")
OVERLOAD = Test("utilization", "Liu and Layland 1973")
OVERLOAD_FOR_GOOD = Test("utilization of what stays", "Liu and Layland 1973")


def judge_global(view: SystemView, dispatcher: DispatcherView) -> Judgement:
    """Judge a root on several processors."""
    cpus = view.resolved.cpus
    counted = tuple(task for task in dispatcher.tasks if task.class_ == "hard") or dispatcher.tasks
    if sum(Fraction(task.wcet, task.period) for task in counted) > cpus:
        reason = f"the tasks demand more than {cpus} processors"
        found = not_known(dispatcher, reason)
        found.add(_all(replace(dispatcher, tasks=counted), Verdict.NOT_GUARANTEED, OVERLOAD, reason))
        found.jointly.append(Claim(OVERLOAD, frozenset(task.number for task in counted)))
        return found
    reason = coverage.DENSITY.why_not_known(dispatcher.policy, coverage.features_of_root(view))
    if reason:
        return not_known(dispatcher, reason)
    if any(task.jitter >= task.deadline for task in dispatcher.tasks):
        return _all(dispatcher, Verdict.NOT_GUARANTEED, DENSITY, "jobs may be released at their deadlines or later")
    densities = [Fraction(task.wcet, min(task.deadline - task.jitter, task.period)) for task in dispatcher.tasks]
    bound = cpus - (cpus - 1) * max(densities)
    if sum(densities) <= bound:
        return _all(dispatcher, Verdict.SCHEDULABLE, DENSITY, "")
    reason = f"densities add up to {float(sum(densities)):.3f}, the bound is {float(bound):.3f}"
    return _all(dispatcher, Verdict.NOT_GUARANTEED, DENSITY, reason)


def _all(dispatcher: DispatcherView, verdict: Verdict, test: Test, reason: str) -> Judgement:
    """Return the same verdict for all tasks; a schedulable task responds by its deadline."""
    is_met = verdict is Verdict.SCHEDULABLE
    return Judgement(
        {
            task.number: task_bound(
                task, dispatcher, verdict, test, response=task.deadline if is_met else None, reason=reason
            )
            for task in dispatcher.tasks
        }
    )
