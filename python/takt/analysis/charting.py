# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Choice of the charts of demand against supply: of tasks near the edge, or of dispatchers."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from takt.analysis import blocking, busy_period, curves, server_demand, servers, static
from takt.analysis.children import Member
from takt.analysis.judgement import Judgement
from takt.analysis.result import Chart, Curve, ServerBound
from takt.analysis.view import DispatcherView, ServerView, SystemView, TaskView
from takt.model.core_input import ROOT

MAX_TASKS = 6
"""How many tasks of a dispatcher have a chart."""
EFFORT = 1_000_000
"""Steps to compute the demand of the tasks of servers."""


def charts_of(view: SystemView, judgement: Judgement) -> Iterator[Chart]:
    """Yield the charts of a system: one for each dispatcher with a test that compares demand with supply.

    Of a root where the kernel's own work or messages take time there are none, since that is no demand of the tasks.
    """
    if view.resolved.architecture is not None or view.latency:
        return
    view = blocking.with_returns(blocking.with_holding(view))
    if view.resolved.costs.is_ideal:
        view = server_demand.with_insides(view, judgement, blocking.DelaysOf(view), EFFORT)
    for dispatcher in view.dispatchers:
        if not _has_supply(view, dispatcher, judgement):
            continue
        if dispatcher.traits.has_static_keys and view.resolved.cpus == 1:
            yield from _of_tasks(view, dispatcher, judgement)
        elif blocking.has_deadlines(dispatcher) and _have_periods(dispatcher) and view.resolved.cpus == 1:
            yield _of_deadlines(dispatcher, judgement)


def _has_supply(view: SystemView, dispatcher: DispatcherView, judgement: Judgement) -> bool:
    """True if a supply bound of a dispatcher is known."""
    if dispatcher.number == ROOT:
        return view.resolved.costs.is_ideal
    return judgement.servers[dispatcher.number].gap is not None


def _have_periods(dispatcher: DispatcherView) -> bool:
    """True if a dispatcher has tasks, each with a distance of arrivals; in a list they may coincide."""
    return bool(dispatcher.tasks) and all(task.period > 0 for task in dispatcher.tasks)


def _of_tasks(view: SystemView, dispatcher: DispatcherView, judgement: Judgement) -> Iterator[Chart]:
    """Draw the requests of the tasks that have the least slack for their deadlines."""
    children = dispatcher.children()
    members = static.members_in(view, dispatcher)
    bounded = [place for place, child in enumerate(children) if _slack(child, judgement) is not None]
    for place in sorted(bounded, key=lambda place: _slack(children[place], judgement) or 0)[:MAX_TASKS]:
        me, row = members[place], judgement.tasks[children[place].number]
        above = [part for each in members if each.key <= me.key and each != me for part in _parts(each)]
        until = max(me.deadline, row.response or 0) * 11 // 10 + 1
        curve = curves.demand_curve(me.name, *curves.requests(me.wcet + (row.blocking or 0), above), until)
        end = curve.points[-1][0]
        title = f"{me.name}: demand of the task and of more urgent ones"
        yield Chart(title, max(me.deadline - me.jitter, 0), (curve, _supply(dispatcher, judgement, end)))


def _parts(member: Member) -> list[tuple[int, int, int]]:
    """Return wcet, period and jitter of what a member requests; for a server of its tasks if they request less."""
    share = sum(Fraction(task.wcet, task.period) for task in member.inside)
    if member.inside and share * member.period <= member.wcet:
        return [(task.wcet, task.period, task.jitter) for task in member.inside]
    return [(member.wcet, member.period, member.felt_jitter)]


def _slack(child: TaskView | ServerView, judgement: Judgement) -> float | None:
    """Return the share of its deadline that a task has left, None if it has no bound."""
    if isinstance(child, ServerView):
        return None
    row = judgement.tasks[child.number]
    return (
        None
        if row.slack is None or row.test in (busy_period.BUSY, servers.AT_PLACE, servers.CARRIED)
        else row.slack / row.deadline
    )


def _of_deadlines(dispatcher: DispatcherView, judgement: Judgement) -> Chart:
    """Draw the processor demand of a dispatcher."""
    tasks = [(task.wcet, task.period, task.deadline, task.jitter) for task in dispatcher.tasks]
    until = 3 * max(max(task.deadline, task.period) for task in dispatcher.tasks)
    curve = curves.demand_curve("demand", *curves.demands(tasks), until)
    title = f"{dispatcher.name or 'root'}: processor demand"
    return Chart(title, None, (curve, _supply(dispatcher, judgement, curve.points[-1][0])))


def _supply(dispatcher: DispatcherView, judgement: Judgement, until: int) -> Curve:
    """Draw the supply bound of a dispatcher."""
    if dispatcher.number == ROOT:
        return curves.whole_processor(until)
    server: ServerBound = judgement.servers[dispatcher.number]
    return curves.server_supply(server.server, server.gap or 0, server.budget, server.period, until)
