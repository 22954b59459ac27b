# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Judges dispatchers that contain servers or are servers: demand against the guaranteed supply.

The tests are in analysis/: server_fixed_priority.c, server_edf.c and bandwidth.c, which say for which kinds they hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from takt import _analysis
from takt.analysis.blocking import Delays
from takt.analysis.fixed import Member, Numbers, Response, behind_equals, column, numbers, read_responses
from takt.analysis.judgement import Judgement, not_known, server_bound, task_bound
from takt.analysis.result import Test
from takt.analysis.view import Child, DispatcherView, ServerView, SystemView, TaskView

Supply = tuple[int, int, int, int]
FULL: Supply = (1, 1, 0, 0)

BESIDE = Test(
    "response times beside servers", "Davis and Burns 2005; Strosnider, Lehoczky and Sha 1995", is_exact=False
)
RESPONSES = Test("response times under a supply", "Shin and Lee 2003; Davis and Burns 2005", is_exact=False)
DEMAND = Test("demand under a supply", "Shin and Lee 2003; Spuri and Buttazzo 1996", is_exact=False)


@dataclass(frozen=True, slots=True)
class Columns:
    """The children of a dispatcher, as the binding takes them."""

    kind: Numbers
    wcet: Numbers
    period: Numbers
    deadline: Numbers
    jitter: Numbers


def columns_of(children: Sequence[Child]) -> Columns:
    """Make the columns of children; a suspension counts as execution."""
    return Columns(
        numbers(_kind_of(child) for child in children),
        numbers(child.wcet + child.suspended if isinstance(child, TaskView) else child.longest for child in children),
        numbers(child.period for child in children),
        numbers(child.deadline if isinstance(child, TaskView) else child.period for child in children),
        numbers(child.jitter if isinstance(child, TaskView) else 0 for child in children),
    )


def _kind_of(child: Child) -> int:
    """Give the kind of a child as the binding takes it."""
    if isinstance(child, TaskView):
        return _analysis.KERNEL if child.is_kernel else _analysis.TASK
    if child.is_rule or child.traits.has_bandwidth:
        return _analysis.BANDWIDTH
    if child.traits.returns:
        return _analysis.SPORADIC
    return _analysis.DEFERRABLE if child.traits.defers else _analysis.PERIODIC


def responses(children: Sequence[Child], members: Sequence[Member], supply: Supply, effort: int) -> list[Response]:
    """Bound responses of children under fixed priorities: of a server from a replenishment until it has had its budget.

    Args:
        children: the most urgent first.
        members: the same, with what blocks them.
        supply: of the dispatcher.
        effort: steps that the test may take.
    """
    columns = columns_of(children)
    ticks, jobs = _analysis.children_responses(
        columns.kind,
        columns.wcet,
        columns.period,
        columns.deadline,
        columns.jitter,
        column(members, "blocking"),
        column(members, "last"),
        behind_equals(members),
        supply,
        *insides_of(children),
        effort=effort,
    )
    return read_responses(ticks, jobs)


def insides_of(children: Sequence[Child]) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """List the tasks inside servers as the binding takes them: tasks of each child, wcets, periods, jitters."""
    insides = [child.inside if isinstance(child, ServerView) else () for child in children]
    tasks = [task for inside in insides for task in inside]
    return (
        numbers(map(len, insides)),
        numbers(task.wcet for task in tasks),
        numbers(task.period for task in tasks),
        numbers(task.jitter for task in tasks),
    )


def judge_demand(
    view: SystemView, dispatcher: DispatcherView, delays: Delays, supply: Supply, effort: int
) -> Judgement:
    """Judge a dispatcher under deadlines by its demand: all children are guaranteed to meet theirs, or none is.

    Args:
        view: of the system.
        dispatcher: under edf.
        delays: what resources do.
        supply: of the dispatcher.
        effort: steps that the test may take.
    """
    children = dispatcher.children()
    columns = columns_of(children)
    blocked = delayed_by(children, delays)
    verdict, window, demand, supplied = _analysis.children_demand(
        columns.kind,
        columns.wcet,
        columns.period,
        columns.deadline,
        columns.jitter,
        blocked.regions,
        blocked.step_from,
        blocked.step_ticks,
        supply,
        effort,
    )
    if verdict == _analysis.UNDECIDED:
        return not_known(dispatcher, "the demand takes more effort than was granted")
    reason = "" if verdict == _analysis.SCHEDULABLE else _reason(view, window, demand, supplied)
    found = Judgement()
    for child in children:
        _add(found, dispatcher, child, reason)
    return found


@dataclass(frozen=True, slots=True)
class Delayed:
    """What delays jobs although their deadlines are later, as the binding takes it.

    Args:
        regions: of each child the longest part in which it is not displaced; 1 where that is in the steps.
        step_from, step_ticks: of sections: from which length of an interval on, for how long.
    """

    regions: Numbers
    step_from: Numbers
    step_ticks: Numbers


def delayed_by(children: Sequence[Child], delays: Delays) -> Delayed:
    """List what in children delays others."""
    is_apart = not delays.has_regions
    return Delayed(
        regions=numbers(child.barred if is_apart and isinstance(child, TaskView) else 1 for child in children),
        step_from=numbers(begin for begin, _ in delays.steps),
        step_ticks=numbers(ticks for _, ticks in delays.steps),
    )


def _add(found: Judgement, dispatcher: DispatcherView, child: Child, reason: str) -> None:
    """Add the row of a child that is as well off as all others."""
    verdict = DEMAND.verdict(not reason)
    response = (child.longest_deadline if isinstance(child, TaskView) else child.period) if not reason else None
    if isinstance(child, TaskView):
        found.tasks[child.number] = task_bound(child, dispatcher, verdict, DEMAND, response=response, reason=reason)
    else:
        found.servers[child.number] = server_bound(child, dispatcher, verdict, DEMAND, response=response, reason=reason)


def _reason(view: SystemView, window: int, demand: int, supplied: int) -> str:
    """Name the window in which demand exceeds supply."""
    if demand == 0:
        return "the shares add up to more than what is supplied"
    return f"in {view.write(window)} up to {view.write(demand)} may be asked for, and {view.write(supplied)} are sure"
