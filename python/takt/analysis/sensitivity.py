# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Sensitivity: the largest growth of each wcet, and of all together, exactly, by search.

The tests are sustainable: a set that they accept stays accepted with smaller wcets (Baruah and Burns 2006), so a
bisection finds the edge. What a wcet grows by is in the last part of a job. Each question of that search is an analysis
of its own; of plain tasks all questions are answered together, in C.

*Plain* are tasks at a root of one processor under fp, rm, dm or edf that share nothing, never suspend themselves, and
have no thresholds, servers, costs or changes. The tests are those of static.py and deadlines.py. Tasks with regions
are left to the search, since their growth blocks others; under EDF all tasks are, if one has a region.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from takt import _analysis
from takt.analysis import busy_period, children, deadlines, static
from takt.analysis.children import Delays, Member
from takt.analysis.judge import judge
from takt.analysis.judgement import Judgement
from takt.analysis.result import TaskBound, Verdict, worst_of
from takt.analysis.view import DispatcherView, SystemView, TaskView
from takt.model.bodies import Op

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
    plain = plain_of(view, now, wanted_by(now), effort // PROBES)
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


def _accepts(plain: Plain) -> Accepts:
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


def _scaling_in_finer_ticks(view: SystemView, plain: Plain) -> int | None:
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


# ---- plain tasks --------------------------------------------------------------------------------------


_TESTS = tuple(
    test.name
    for test in (
        static.PREEMPTIVE,
        static.DEFERRED,
        static.EQUALS,
        static.BOUND,
        deadlines.DEMAND,
        deadlines.DEMAND_OF_ALL,
    )
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
        members = _members_of(changed, root)
        responses = static.fifo_responses if _has_equals(members) else children.responses
        rows = zip(root.tasks, responses(children.under_priorities(members), self.effort), strict=True)
        return worst_of(
            [row.verdict(task.deadline, static.PREEMPTIVE) for task, row in rows if task.number in self.wanted]
        )

    def growths(self) -> Iterator[tuple[int, int | None]]:
        """Yield the possible growth of wcets, by the tasks' numbers; tasks without a result are left out."""
        root = self.view.dispatchers[0]
        if any(task.wcet > task.period for task in root.tasks):
            return
        if root.traits.is_deadline_driven:
            lengths = _analysis.edf_growths(children.plain_record(root.tasks), self.effort)
        elif _has_equals(_members_of(self.view, root)):
            for task in root.tasks:
                if not task.regions:
                    asks = _accepts(replace(self, wanted=self.wanted | {task.number}))
                    yield task.number, growth_of(self.view, task, asks)
            return
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
    has_more = any(
        task.threshold is not None
        or task.has_windows
        or task.may_overrun
        or task.suspended
        or any(op == Op.LOCK for op, _ in task.body)
        for task in root.tasks
    )
    is_plain = _is_plain_root(view) and not has_more and all(map(_is_judged_so, now.rows()))
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


def _is_judged_so(row: TaskBound) -> bool:
    """True if a row is that of a plain task, of which busy periods say no more."""
    name = "" if row.test is None else row.test.name
    return name in _TESTS or (row.test is busy_period.BUSY and row.verdict is not Verdict.SCHEDULABLE)


def _members_of(view: SystemView, root: DispatcherView) -> list[Member]:
    """Return the members under static keys, which share nothing."""
    return children.with_delays(static.members_in(view, root), Delays())


def _has_equals(members: Sequence[Member]) -> bool:
    return len({member.key for member in members}) < len(members)


_VERDICTS = {
    _analysis.SCHEDULABLE: Verdict.SCHEDULABLE,
    _analysis.UNSCHEDULABLE: Verdict.NOT_SCHEDULABLE,
    _analysis.UNDECIDED: Verdict.NOT_KNOWN,
}
"""Of the binding."""
