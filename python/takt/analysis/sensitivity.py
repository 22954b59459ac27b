"""How far a system is from the edge: by how much each wcet may grow, and all together, exactly, by search.

The tests are sustainable: a set that they accept stays accepted with smaller wcets (Baruah and Burns 2006), so a
bisection finds the edge. What a wcet grows by is in the last part of a job.
"""

from __future__ import annotations

from collections.abc import Callable

from takt.analysis.judge import judge
from takt.analysis.judgement import Judgement
from takt.analysis.result import Verdict
from takt.analysis.view import SystemView, TaskView

MAX_TASKS = 200
"""Systems with more tasks are not searched: each probe is an analysis of its own."""
MAX_SCALE = 100_000
"""The largest factor that is looked at, in thousandths."""

Accepts = Callable[[SystemView], bool]


def largest(accepts: Callable[[int], bool], least: int, most: int) -> int | None:
    """Find the largest number that is accepted, where all smaller ones are too.

    Args:
        accepts: asked about numbers in this range.
        least: the first one.
        most: the last one.

    Returns:
        The number, None if not even `least` is accepted.

    Example:
        >>> largest(lambda n: n * n <= 50, 1, 100)
        7
    """
    if least > most or not accepts(least):
        return None
    while least < most:
        middle = (least + most + 1) // 2
        if accepts(middle):
            least = middle
        else:
            most = middle - 1
    return least


def keeping(now: Judgement, effort: int, also: int | None = None) -> Accepts:
    """Say of changed systems whether all that must meet their deadlines do, and all that do so now.

    Args:
        now: what is known of the system as it is.
        effort: steps that the tests of each dispatcher may take.
        also: place of a task that must do so, too.
    """
    counted = {row.task for row in now.that_count()}
    wanted = [
        number
        for number, row in now.tasks.items()
        if row.verdict is Verdict.SCHEDULABLE or row.task in counted or number == also
    ]

    def accepts(changed: SystemView) -> bool:
        found = judge(changed, effort).tasks
        return all(found[number].verdict is Verdict.SCHEDULABLE for number in wanted)

    return accepts


def growth_of(view: SystemView, task: TaskView, accepts: Accepts) -> int | None:
    """Find by how much the wcet of a task may grow; negative if it must shrink; None if 1 tick is too much.

    Args:
        view: the system.
        task: one of its tasks.
        accepts: whether it, and all that must, meet their deadlines.
    """
    most = largest(lambda wcet: accepts(view.with_task(task.with_wcet(wcet))), 1, max(task.deadline, 1))
    return None if most is None else most - task.wcet


def scaling_of(view: SystemView, accepts: Accepts) -> int | None:
    """Find the largest number of thousandths by which all wcets can be multiplied, rounded up to ticks.

    Args:
        view: the system.
        accepts: whether all that must meet their deadlines.
    """
    return largest(lambda thousandths: accepts(scaled(view, thousandths)), 1, MAX_SCALE)


def scaled(view: SystemView, thousandths: int) -> SystemView:
    """Multiply the wcets of all tasks, rounded up."""

    def scale(task: TaskView) -> TaskView:
        return task.with_wcet(-(-task.wcet * thousandths // 1000))

    return view.map(scale, lambda server: server)
