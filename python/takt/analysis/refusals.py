# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The one place where "not guaranteed" becomes "not schedulable": which premises a definite refusal needs.

A test that fails has a run in mind in which a job misses. It is a *witness* if the system admits that run. Takt's tests
fail with runs of tasks that arrive as densely as they may, demand their wcets and run until they are done, under the
deadlines that their tasks have. A system may not keep one of these premises: then the run is none of its own, the
failure is that of a bound, and the verdict stays *not guaranteed*.

So judges give no row the verdict "not schedulable". The table below lists tests, and the features of a system with
which the witness of a test is a run of the system. A test that is not in it, and a feature that is not listed, leave
the row as it is. Two claims are distinguished:

- of a *row*: a job of this task misses. Where another task ends late jobs before they are done, the task demands less
  than the test counts; so tasks that it delays are not refused. The first late job of the task itself is a real one.
- *jointly*: a job of some of these tasks misses, and it is not known whose. Nothing ends before the first miss, so that
  late jobs may end. The verdict of a system follows from it where all these tasks count.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from takt.analysis import architectures, coverage, deadlines, global_edf, rates, static, windows
from takt.analysis.coverage import CHANGES, DROPPED, JITTER, OVERDEMAND, REACHING, REGIONS, SECTIONS, THRESHOLDS
from takt.analysis.judgement import Claim, Judgement
from takt.analysis.result import TaskBound, Test, Verdict
from takt.analysis.view import MAY_MISS, MISSES, SystemView, TaskView

UNSTEADY = "tasks that come, go or change"
POSTPONED = "deadlines that follow from the deadlines before"
SPARSE = "events that come more slowly than they are served"


@dataclass(frozen=True, slots=True)
class Premises:
    """Conditions under which the witness of a test is a run of a system.

    Args:
        features: of the system, with which it is.
        delays: whether another task that ends late jobs may take part in the witness of a task.
    """

    features: frozenset[str]
    delays: Callable[[TaskView, TaskView], bool] = lambda *_: True


def _may_delay(other: TaskView, task: TaskView) -> bool:
    """True if jobs of another task may go before those of a task under static keys."""
    return other.key <= task.key or other.barred > 1 or bool(other.sections)


_PLAIN = frozenset({JITTER, OVERDEMAND, CHANGES, DROPPED, coverage.WINDOWS, SECTIONS, REACHING})
"""Sections that delay others are in no test of the table: blocking has no witness."""

_IN_WINDOWS = frozenset({OVERDEMAND, coverage.WINDOWS})

OF_ROWS: dict[Test, Premises] = {
    static.PREEMPTIVE: Premises(_PLAIN | {REGIONS}, _may_delay),  # a region of one tick is no region
    static.DEFERRED: Premises(_PLAIN | {REGIONS}, _may_delay),
    static.EQUALS: Premises(_PLAIN | {REGIONS}, _may_delay),
    static.THRESHOLDS: Premises(_PLAIN | {THRESHOLDS}, _may_delay),
    deadlines.DEMAND: Premises(_PLAIN | {REGIONS}),
    windows.SLOTS: Premises(_IN_WINDOWS, lambda *_: False),
    windows.MANDATORY: Premises(_IN_WINDOWS, _may_delay),
}
"""Of tests that refuse the task of a row."""

_OVERLOADED = _PLAIN | {REGIONS, THRESHOLDS, UNSTEADY, coverage.MOVING, coverage.GENERIC}

JOINT: dict[Test, frozenset[str]] = {
    deadlines.DEMAND: _PLAIN | {REGIONS},
    rates.RATE_DEMAND: frozenset({OVERDEMAND, CHANGES, DROPPED, REGIONS, POSTPONED}),
    global_edf.OVERLOAD: _PLAIN | {REGIONS, THRESHOLDS, coverage.SEVERAL},
    global_edf.OVERLOAD_FOR_GOOD: _OVERLOADED,
    architectures.OVERLOAD: frozenset().union(*coverage.SCHEDULED.groups),
}
"""Of tests that refuse some tasks together."""


def decided(view: SystemView, found: Judgement) -> Judgement:
    """Return the judgement with the verdict "not schedulable" where a test that failed has a witness.

    Args:
        view: of the system.
        found: what the tests say, without a definite refusal.
    """
    if view.asked is not None:  # a search minds only what is schedulable
        return found
    features = _features_of(view)
    tasks = view.dispatchers[0].tasks
    late = [task for task in tasks if found.tasks[task.number].verdict is not Verdict.SCHEDULABLE]
    ending = [task for task in late if task.fixed.on_miss != "continue" or task.fixed.windows is not None]
    for task in tasks:
        row = found.tasks[task.number]
        premises = None if row.test is None else OF_ROWS.get(row.test)
        delaying = (other for other in ending if other is not task)
        if (
            premises is None
            or not features <= premises.features
            or any(premises.delays(other, task) for other in delaying)
        ):
            found.tasks[task.number] = replace(row, is_tight=False)
            continue
        drops = any(other.fixed.on_miss != "continue" for other in ending)
        found.tasks[task.number] = _exact(replace(row, is_tight=row.is_tight and not drops))
    claims, found.jointly = found.jointly, []
    for claim in claims:
        add_claim(view, found, claim)
    return found


def add_claim(view: SystemView, found: Judgement, claim: Claim) -> None:
    """Add a joint claim to a judgement, if its test has a witness; it refuses a task that is alone in it."""
    if not _features_of(view) <= JOINT[claim.test]:
        return
    found.jointly.append(claim)
    for number in claim.tasks if len(claim.tasks) == 1 else ():
        if found.tasks[number].verdict is Verdict.NOT_GUARANTEED:
            found.tasks[number] = _exact(found.tasks[number])


def _features_of(view: SystemView) -> frozenset[str]:
    """Return the features of a system, with those that only refusals mind."""
    root = view.dispatchers[0]
    has = {
        UNSTEADY: not all(task.is_steady for task in root.tasks),
        POSTPONED: any(task.fixed.events for each in view.dispatchers for task in each.tasks),
        SPARSE: not all(map(_is_as_dense_as_its_rate, root.tasks)),
    }
    own = frozenset(feature for feature, is_there in has.items() if is_there)
    return coverage.features_of_root(view) | coverage.features_of_system(view) | own


def _is_as_dense_as_its_rate(task: TaskView) -> bool:
    """True if all the events that a rate admits in an interval may arrive in it, at its begin."""
    events = task.fixed.events
    if events <= 1:
        return events == 0 or task.period <= task.fixed.interval
    return task.period == 0


def _exact(row: TaskBound) -> TaskBound:
    """Return a row whose test is exact: a failure of it is a miss."""
    test = row.test and replace(row.test, is_exact=True)
    if row.verdict is not Verdict.NOT_GUARANTEED:
        return replace(row, test=test)
    reason = row.reason.replace(f"{row.task} {MAY_MISS}", f"{row.task} {MISSES}", 1)
    return replace(row, test=test, verdict=Verdict.NOT_SCHEDULABLE, reason=reason)
