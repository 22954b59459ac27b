# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Growth of wcets of plain tasks, all at once, in C, with the answers of the search in sensitivity.py.

*Plain* are tasks at a root of one processor under fp, rm, dm or edf that share nothing, never suspend themselves, and
have no thresholds, servers, costs or changes. The tests are those of static.py and deadlines.py. Tasks with regions
are left to the search, since their growth blocks others; under EDF all tasks are, if one has a region.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from takt import _analysis
from takt.analysis import busy_period, children, deadlines, static
from takt.analysis.children import Delays, Member
from takt.analysis.judgement import Judgement
from takt.analysis.result import TaskBound, Verdict, worst_of
from takt.analysis.view import DispatcherView, SystemView, TaskView
from takt.model.bodies import Op

_TESTS = tuple(
    test.name for test in (static.PREEMPTIVE, static.DEFERRED, static.BOUND, deadlines.DEMAND, deadlines.DEMAND_OF_ALL)
)
"""Of the rows of plain tasks."""


@dataclass(frozen=True, slots=True)
class Plain:
    """Plain tasks, and the questions of a search about them.

    Args:
        view: of the system.
        wanted: numbers of the tasks that must meet their deadlines whatever changes.
        effort: steps of each answer.
    """

    view: SystemView
    wanted: frozenset[int]
    effort: int

    def verdict(self, changed: SystemView) -> Verdict:
        """Return whether the required tasks of a changed system meet their deadlines.

        Args:
            changed: the same tasks with other wcets.
        """
        root = changed.dispatchers[0]
        if any(task.wcet > _analysis.TIME_MAX for task in root.tasks):
            return Verdict.NOT_KNOWN
        if root.traits.is_deadline_driven:
            return _VERDICTS[_analysis.edf_demand(children.plain_record(root.tasks), self.effort)[0]]
        record = children.under_priorities(_members_of(changed, root))
        ticks, _ = _analysis.fp_responses(record, self.effort)
        return worst_of(
            [
                _verdict_of(int(tick), task.deadline)
                for task, tick in zip(root.tasks, ticks, strict=True)
                if task.number in self.wanted
            ]
        )

    def growths(self) -> Iterator[tuple[int, int | None]]:
        """Yield the possible growth of wcets, by the tasks' numbers; tasks without a result are left out."""
        root = self.view.dispatchers[0]
        if any(task.wcet > task.period for task in root.tasks):
            return
        if root.traits.is_deadline_driven:
            lengths = _analysis.edf_growths(children.plain_record(root.tasks), self.effort)
        else:
            wanted = children.numbers(task.number in self.wanted for task in root.tasks)
            record = children.under_priorities(_members_of(self.view, root), wanted=wanted)
            lengths = _analysis.fp_growths(record, self.effort)
        for task, longest in zip(root.tasks, map(int, lengths), strict=True):
            if longest != _analysis.UNKNOWN and not task.regions:
                yield task.number, longest - task.wcet if longest else None


def plain_of(view: SystemView, now: Judgement, wanted: frozenset[int], effort: int) -> Plain | None:
    """Return the tasks of a system if they are plain.

    Args:
        view: of the system.
        now: what is known of it.
        wanted: numbers of the tasks that must meet their deadlines whatever changes.
        effort: steps of each answer.
    """
    root = view.dispatchers[0]
    is_plain = _is_plain_root(view) and all(map(_is_plain, root.tasks)) and all(map(_is_judged_so, now.rows()))
    if root.traits.is_deadline_driven:
        is_plain &= not any(task.regions for task in root.tasks) and wanted.issuperset(now.tasks)
    # Busy periods may be shorter than by a test that is not exact if arrivals are listed.
    is_exact = all(row.test is not None and row.test.is_exact for row in now.rows())
    needs_lists = not is_exact and any(task.arrivals for task in root.tasks)
    return Plain(view, wanted, effort) if is_plain and not needs_lists else None


def _is_plain_root(view: SystemView) -> bool:
    """True if a root has only tasks, which its policy alone orders."""
    resolved, root = view.resolved, view.dispatchers[0]
    is_alone = len(view.dispatchers) == 1 and resolved.cpus == 1 and resolved.architecture is None and not view.latency
    is_ideal = resolved.costs.is_ideal and not resolved.costs.is_pull and not resolved.changes
    return (
        is_alone
        and is_ideal
        and not view.unsupported
        and not root.all_unsupported
        and root.traits.is_level_or_deadline_driven
        and not root.traits.has_windows
    )


def _is_plain(task: TaskView) -> bool:
    """True if a task shares nothing and never waits."""
    is_limited = task.threshold is not None or task.has_windows or task.may_overrun
    return not is_limited and not task.suspended and not any(op == Op.LOCK for op, _ in task.body)


def _is_judged_so(row: TaskBound) -> bool:
    """True if a row is that of a plain task, of which busy periods say no more."""
    name = "" if row.test is None else row.test.name
    return name in _TESTS or (row.test is busy_period.BUSY and row.verdict is not Verdict.SCHEDULABLE)


def _members_of(view: SystemView, root: DispatcherView) -> list[Member]:
    """Return the members under static keys, which share nothing."""
    return children.with_delays(static.members_in(view, root), Delays())


def _verdict_of(tick: int, deadline: int) -> Verdict:
    if tick == _analysis.UNKNOWN:
        return Verdict.NOT_KNOWN
    return Verdict.SCHEDULABLE if tick <= deadline else Verdict.NOT_SCHEDULABLE


_VERDICTS = {
    _analysis.SCHEDULABLE: Verdict.SCHEDULABLE,
    _analysis.UNSCHEDULABLE: Verdict.NOT_SCHEDULABLE,
    _analysis.UNDECIDED: Verdict.NOT_KNOWN,
}
"""Of the binding."""
