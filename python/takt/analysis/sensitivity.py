# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Sensitivity: the largest growth of each wcet, and of all together, exactly, by search.

The tests are sustainable: a set that they accept stays accepted with smaller wcets (Baruah and Burns 2006), so a
bisection finds the edge. What a wcet grows by is in the last part of a job. Each question of that search is an analysis
of its own; of plain tasks all questions are answered together (growth.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from takt import _analysis
from takt.analysis import growth
from takt.analysis.judge import judge
from takt.analysis.judgement import Judgement
from takt.analysis.result import Verdict, worst_of
from takt.analysis.view import SystemView, TaskView

MAX_SCALE = 100_000
"""The largest factor that is tried, in thousandths."""

FINER = 1000
"""How many of the finer ticks are one tick."""

PROBES = 20
"""Searches judge often: each trial may take this part of the steps that the verdict may take."""

EFFORT_PER_ROW = 500
"""What a search pays of the effort for each task in each analysis: this many steps take about as long as its row."""

Accepts = Callable[[SystemView], bool]


def can_change_wcets(view: SystemView) -> bool:
    """True if wcets can change with all else as it is, so that searches try systems that can exist.

    Not so where the scheduler's own parameters follow from wcets: pinwheel's windows, what rate-based tasks pay for
    blocking, and the deadlines of tasks in tbs and cus servers.
    """
    has_rules = any(server.is_rule for each in view.dispatchers for server in each.servers)
    shares = any(task.fixed.sharing for each in view.dispatchers for task in each.tasks)
    return not (view.dispatchers[0].traits.specialises_periods or has_rules or shares)


class Unanswered(Exception):  # noqa: N818
    """A question of a search takes more steps than it is granted."""


def largest(accepts: Callable[[int], bool], near: int, most: int, *, is_rejected: bool = False) -> int | None:
    """Return the largest accepted number from 1 on, where all smaller ones are accepted too.

    Args:
        accepts: called with numbers in this range; raises Unanswered if the verdict is not known.
        near: where to begin. Values far from it are tried last: rejecting tests are slow.
        most: the last one.
        is_rejected: whether `near` is known to be rejected.

    Returns:
        The number, None if not even 1 is accepted, or a question was not answered.

    Example:
        >>> largest(lambda n: n * n <= 50, 2, 100)
        7
    """
    try:
        near = min(near, most)
        if not is_rejected and accepts(near):
            least, step = near, 1
            while least < most and accepts(min(least + step, most)):
                least, step = min(least + step, most), 2 * step
            beyond = min(least + step, most + 1)
        elif near == 1 or not accepts(1):  # most that are rejected are so with any number
            return None
        else:
            least, beyond = 1, near
        while beyond - least > 1:
            middle = (least + beyond) // 2
            least, beyond = (middle, beyond) if accepts(middle) else (least, middle)
        return least
    except Unanswered:
        return None


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """Distance of a system from the edge of schedulability.

    Args:
        growth: by the numbers of tasks, by how many ticks the wcet may grow; None: no wcet does, or it is not known.
        scaling: the largest number of thousandths by which all wcets can be multiplied, None if it is not known.
        scaling_finer: the same with ticks a part of FINER as long, where a tick is more than a thousandth of a wcet.
        unsearched: how many tasks were not searched, as the effort was used up.
    """

    growth: dict[int, int | None] = field(default_factory=dict)
    scaling: int | None = None
    scaling_finer: int | None = None
    unsearched: int = 0


def sensitivity_of(view: SystemView, now: Judgement, effort: int) -> Sensitivity:
    """Search how far a system is from the edge.

    Args:
        view: of the system.
        now: what is known of it.
        effort: steps that the tests of each dispatcher may take for the verdict; all analyses of the search together
            may have as many rows as that has times EFFORT_PER_ROW.
    """
    if not can_change_wcets(view):
        return Sensitivity()
    allowance = Allowance(effort // EFFORT_PER_ROW)
    plain = growth.plain_of(view, now, wanted_by(now), effort // PROBES)
    asks = keeping(now, effort, allowance=allowance) if plain is None else _accepts(plain)
    scaling = scaling_of(view, asks, is_late=_is_late(now))
    finer = None if plain is None or scaling is None else _scaling_in_finer_ticks(view, plain)
    found = dict(plain.growths()) if plain is not None else {}
    unsearched = 0
    for task in (task for each in view.dispatchers for task in each.tasks if task.number not in found):
        found[task.number] = None
        if allowance.is_empty:
            unsearched += 1
        else:
            asks = keeping(now, effort, task.number, allowance)
            found[task.number] = growth_of(view, task, asks, is_late=_is_late(now, task.number))
    return Sensitivity(found, scaling, finer, unsearched)


def _accepts(plain: growth.Plain) -> Accepts:
    """Return a predicate of changed plain systems: whether all required deadlines are met."""
    return lambda changed: _is_yes(plain.verdict(changed))


class Allowance:
    """Budget of task rows that all analyses of one search may compute.

    Args:
        rows: in all.
    """

    def __init__(self, rows: int) -> None:
        """Start with a number of rows."""
        self.rows = rows

    def pay(self, rows: int) -> None:
        """Subtract rows; the budget may become empty by that."""
        self.rows -= rows

    @property
    def is_empty(self) -> bool:
        """True if no further search starts."""
        return self.rows <= 0


def wanted_by(now: Judgement, also: int | None = None) -> frozenset[int]:
    """Return the tasks that must meet their deadlines after any change: deciding ones, those that do now, and one."""
    counted = {row.task for row in now.that_count()}
    return frozenset(
        number
        for number, row in now.tasks.items()
        if row.verdict is Verdict.SCHEDULABLE or row.task in counted or number == also
    )


def keeping(now: Judgement, effort: int, also: int | None = None, allowance: Allowance | None = None) -> Accepts:
    """Return a predicate of changed systems: whether all tasks that must meet their deadlines, or do now, meet them.

    Args:
        now: what is known of the system as it is.
        effort: steps that the tests of each dispatcher may take for the verdict.
        also: place of a task that must do so, too.
        allowance: pays for each trial.
    """
    wanted = wanted_by(now, also)

    def accepts(changed: SystemView) -> bool:
        if allowance is not None:
            allowance.pay(len(now.tasks))
        found = judge(replace(changed, asked=wanted, has_reasons=False), effort // PROBES).tasks
        return _is_yes(worst_of([found[number].verdict for number in wanted]))

    return accepts


def _is_yes(verdict: Verdict) -> bool:
    """True if schedulable; raises Unanswered if not known."""
    if verdict is Verdict.NOT_KNOWN:
        raise Unanswered
    return verdict is Verdict.SCHEDULABLE


def _is_late(now: Judgement, also: int | None = None) -> bool:
    """True if tasks that must meet their deadlines after any change are known not to meet them now."""
    verdict = worst_of([now.tasks[number].verdict for number in wanted_by(now, also)])
    return verdict in (Verdict.NOT_SCHEDULABLE, Verdict.NOT_GUARANTEED)


def growth_of(view: SystemView, task: TaskView, accepts: Accepts, *, is_late: bool = False) -> int | None:
    """Return by how much the wcet of a task may grow; negative if it must shrink.

    Args:
        view: the system.
        task: one of its tasks.
        accepts: whether it, and all that must, meet their deadlines.
        is_late: whether they are known not to do so now.

    Returns:
        Ticks, None if 1 tick is too much or the search took too many steps.
    """
    longest = max(task.deadline - task.suspended, 1)
    is_rejected = is_late and task.wcet <= longest
    most = largest(
        lambda wcet: accepts(view.with_task(task.with_wcet(wcet))), task.wcet, longest, is_rejected=is_rejected
    )
    return None if most is None or is_too_short(task.with_wcet(most)) else most - task.wcet


def scaling_of(view: SystemView, accepts: Accepts, *, is_late: bool = False) -> int | None:
    """Return the largest factor of all wcets in thousandths, rounded up to ticks; None if it is not found.

    Args:
        view: the system.
        accepts: whether all that must meet their deadlines.
        is_late: whether they are known not to do so now.
    """
    most = largest(lambda thousandths: accepts(scaled(view, thousandths)), 1000, MAX_SCALE, is_rejected=is_late)
    tasks = [] if most is None else [task for each in scaled(view, most).dispatchers for task in each.tasks]
    return None if any(map(is_too_short, tasks)) else most


def _scaling_in_finer_ticks(view: SystemView, plain: growth.Plain) -> int | None:
    """Return the largest factor of plain tasks in finer ticks; None where a tick is little of each wcet."""
    tasks = view.dispatchers[0].tasks
    longest = max(time for task in tasks for time in (task.wcet, task.period, task.deadline, task.jitter))
    if min(task.wcet for task in tasks) >= FINER or longest * FINER > _analysis.TIME_MAX:
        return None
    finer = view.map(
        lambda task: replace(
            task,
            wcet=task.wcet * FINER,
            period=task.period * FINER,
            deadline=task.deadline * FINER,
            jitter=task.jitter * FINER,
            regions=tuple(length * FINER for length in task.regions),
        ),
        lambda server: server,
    )
    return scaling_of(finer, _accepts(plain))


def is_too_short(task: TaskView) -> bool:
    """True if the wcet is less than the mandatory part that the file gives."""
    return task.wcet < (task.fixed.mandatory or 0)


def scaled(view: SystemView, thousandths: int) -> SystemView:
    """Multiply the wcets of all tasks, rounded up."""

    def scale(task: TaskView) -> TaskView:
        return task.with_wcet(-(-task.wcet * thousandths // 1000))

    return view.map(scale, lambda server: server)
