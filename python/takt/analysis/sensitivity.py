"""How far a system is from the edge: by how much each wcet may grow, and all together, exactly, by search.

The tests are sustainable: a set that they accept stays accepted with smaller wcets (Baruah and Burns 2006), so a
bisection finds the edge. What a wcet grows by is in the last part of a job.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from takt import catalogue
from takt.analysis.judge import judge
from takt.analysis.judgement import Judgement
from takt.analysis.result import Verdict, worst_of
from takt.analysis.view import SystemView, TaskView

MAX_TASKS = 200
"""Systems with more tasks are not searched: each probe is an analysis of its own."""
MAX_SCALE = 100_000
"""The largest factor that is looked at, in thousandths."""

PROBES = 20
"""Searches ask often: an answer may take this part of the steps that the verdict may take."""

Accepts = Callable[[SystemView], bool]


def can_change_wcets(view: SystemView) -> bool:
    """Say whether wcets can change with all else as it is, so that searches ask about systems that there could be.

    Not so where the scheduler's own parameters follow from wcets: pinwheel's windows, what rate-based tasks pay for
    blocking, and the deadlines of tasks in tbs and cus servers.
    """
    resolved = view.resolved
    has_rules = any(catalogue.server_kind(server.kind).is_rule for server in resolved.servers)
    return not (resolved.policy == "pinwheel" or has_rules or any(task.sharing for task in resolved.tasks))


class Unanswered(Exception):  # noqa: N818
    """A question of a search takes more steps than it is granted."""


def largest(accepts: Callable[[int], bool], near: int, most: int) -> int | None:
    """Find the largest number from 1 on that is accepted, where all smaller ones are too.

    Args:
        accepts: asked about numbers in this range; raises Unanswered if it cannot tell.
        near: where to begin. What is far from there is asked last, since the tests take long where they refuse.
        most: the last one.

    Returns:
        The number, None if not even 1 is accepted, or a question was not answered.

    Example:
        >>> largest(lambda n: n * n <= 50, 2, 100)
        7
    """
    try:
        least, beyond = _limits(accepts, min(near, most), most)
        return _edge(accepts, least, beyond) or None
    except Unanswered:
        return None


def _limits(accepts: Callable[[int], bool], near: int, most: int) -> tuple[int, int]:
    """Give a number that is accepted, or 0, and a larger one that is not, or most + 1."""
    if not accepts(near):
        return 0, near
    least, step = near, 1
    while least < most and accepts(min(least + step, most)):
        least, step = min(least + step, most), 2 * step
    return least, min(least + step, most + 1)


def _edge(accepts: Callable[[int], bool], least: int, beyond: int) -> int:
    """Find the last number that is accepted, by bisection."""
    while beyond - least > 1:
        middle = (least + beyond) // 2
        if accepts(middle):
            least = middle
        else:
            beyond = middle
    return least


def keeping(now: Judgement, effort: int, also: int | None = None) -> Accepts:
    """Say of changed systems whether all that must meet their deadlines do, and all that do so now.

    Args:
        now: what is known of the system as it is.
        effort: steps that the tests of each dispatcher may take for the verdict.
        also: place of a task that must do so, too.
    """
    counted = {row.task for row in now.that_count()}
    wanted = frozenset(
        number
        for number, row in now.tasks.items()
        if row.verdict is Verdict.SCHEDULABLE or row.task in counted or number == also
    )

    def accepts(changed: SystemView) -> bool:
        found = judge(replace(changed, asked=wanted), effort // PROBES).tasks
        verdict = worst_of([found[number].verdict for number in wanted])
        if verdict is Verdict.NOT_KNOWN:
            raise Unanswered
        return verdict is Verdict.SCHEDULABLE

    return accepts


def growth_of(view: SystemView, task: TaskView, accepts: Accepts) -> int | None:
    """Find by how much the wcet of a task may grow; negative if it must shrink.

    Args:
        view: the system.
        task: one of its tasks.
        accepts: whether it, and all that must, meet their deadlines.

    Returns:
        Ticks, None if 1 tick is too much or the search took too many steps.
    """
    longest = max(task.deadline - task.suspended, 1)
    most = largest(lambda wcet: accepts(view.with_task(task.with_wcet(wcet))), task.wcet, longest)
    return None if most is None else most - task.wcet


def scaling_of(view: SystemView, accepts: Accepts) -> int | None:
    """Find by how many thousandths all wcets can be multiplied at most, rounded up to ticks; None if that is not found.

    Args:
        view: the system.
        accepts: whether all that must meet their deadlines.
    """
    return largest(lambda thousandths: accepts(scaled(view, thousandths)), 1000, MAX_SCALE)


def scaled(view: SystemView, thousandths: int) -> SystemView:
    """Multiply the wcets of all tasks, rounded up."""

    def scale(task: TaskView) -> TaskView:
        return task.with_wcet(-(-task.wcet * thousandths // 1000))

    return view.map(scale, lambda server: server)
