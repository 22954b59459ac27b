# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Charts of demand against supply, of tasks near the edge or of dispatchers, as step functions.

Where demand is above supply, a deadline can be missed. Under fixed priorities the demand of a task is what it and all
that is more urgent request up to t, from the critical instant on (Lehoczky, Sha, Ding 1989): the first t at which it is
supplied is the response. Under deadlines it is the processor demand of a dispatcher (Baruah, Rosier, Howell 1990): what
must be done up to t.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import count, repeat
from operator import itemgetter
from typing import NamedTuple

from takt.analysis import blocking, busy_period, server_demand, servers, static
from takt.analysis.children import Member
from takt.analysis.judgement import Judgement
from takt.analysis.result import Chart, Curve, ServerBound
from takt.analysis.view import DispatcherView, ServerView, SystemView, TaskView
from takt.model.core_input import ROOT

MAX_STEPS = 1500
"""How many steps a curve has at most; a longer one ends earlier."""
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
        if dispatcher.number == ROOT:
            has_supply = view.resolved.costs.is_ideal
        else:
            has_supply = judgement.servers[dispatcher.number].gap is not None
        if not has_supply or view.resolved.cpus > 1:
            continue
        if dispatcher.traits.has_static_keys:
            yield from _of_tasks(view, dispatcher, judgement)
            continue
        have_periods = bool(dispatcher.tasks) and all(task.period > 0 for task in dispatcher.tasks)
        if blocking.has_deadlines(dispatcher) and have_periods:
            tasks = [(task.wcet, task.period, task.deadline, task.jitter) for task in dispatcher.tasks]
            until = 3 * max(max(task.deadline, task.period) for task in dispatcher.tasks)
            curve = demand_curve("demand", *demands(tasks), until)
            title = f"{dispatcher.name or 'root'}: processor demand"
            yield Chart(title, None, (curve, _supply(dispatcher, judgement, curve.points[-1][0])))


def _of_tasks(view: SystemView, dispatcher: DispatcherView, judgement: Judgement) -> Iterator[Chart]:
    """Draw the requests of the tasks that have the least slack for their deadlines."""
    children = dispatcher.children()
    members = static.members_in(view, dispatcher)
    bounded = [place for place, child in enumerate(children) if _slack(child, judgement) is not None]
    for place in sorted(bounded, key=lambda place: _slack(children[place], judgement) or 0)[:MAX_TASKS]:
        me, row = members[place], judgement.tasks[children[place].number]
        above = [part for each in members if each.key <= me.key and each != me for part in _parts(each)]
        until = max(me.deadline, row.response or 0) * 11 // 10 + 1
        curve = demand_curve(me.name, *requests(me.wcet + (row.blocking or 0), above), until)
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


def _supply(dispatcher: DispatcherView, judgement: Judgement, until: int) -> Curve:
    if dispatcher.number == ROOT:
        return whole_processor(until)
    server: ServerBound = judgement.servers[dispatcher.number]
    return server_supply(server.server, server.gap or 0, server.budget, server.period, until)


# ---- curves -----------------------------------------------------------------------------------------------


class Stairs(NamedTuple):
    """A demand that grows by `height` at `first`, and then every `period`. Times in ticks."""

    first: int
    period: int
    height: int


def requests(start: int, above: Iterable[tuple[int, int, int]]) -> tuple[int, list[Stairs]]:
    """Return the requests from a critical instant on: the initial one, and the later steps.

    Args:
        start: what the task itself needs, and for how long less urgent ones block it.
        above: wcet, period and jitter of all that is more urgent.
    """
    members = list(above)
    at_once = start + sum(wcet * (jitter // period + 1) for wcet, period, jitter in members)
    return at_once, [Stairs(period - jitter % period, period, wcet) for wcet, period, jitter in members]


def demands(tasks: Iterable[tuple[int, int, int, int]]) -> tuple[int, list[Stairs]]:
    """Return the processor demand of tasks, given by wcet, period, deadline and jitter."""
    return 0, [Stairs(max(deadline - jitter, 0), period, wcet) for wcet, period, deadline, jitter in tasks]


def demand_curve(title: str, at_once: int, stairs: Sequence[Stairs], until: int) -> Curve:
    """Draw a demand from 0 up to an instant, or to its last step that is drawn."""
    points = [(0, at_once)]
    steps = (zip(count(each.first, each.period), repeat(each.height), strict=False) for each in stairs)
    for instant, height in heapq.merge(*steps, key=itemgetter(0)):
        if instant > until or len(points) == MAX_STEPS:
            break
        if points[-1][0] == instant:
            points[-1] = (instant, points[-1][1] + height)
        else:
            points.append((instant, points[-1][1] + height))
    else:
        return Curve(title, "demand", (*points, (until, points[-1][1])))
    end = until if instant > until else points[-1][0]
    return Curve(title, "demand", (*points, (end, points[-1][1])))


def whole_processor(until: int) -> Curve:
    """Draw the supply of a processor."""
    return Curve("processor", "supply", ((0, 0), (until, until)))


def server_supply(name: str, gap: int, budget: int, period: int, until: int) -> Curve:
    """Draw the least supply of a server: nothing in the gap, then its budget at the start of each period."""
    points, supplied, begin = [(0, 0)], 0, gap
    while begin < until and len(points) < MAX_STEPS:
        end = min(begin + budget, until)
        points += [(begin, supplied), (end, supplied + end - begin)]
        supplied += end - begin
        begin += period
    return Curve(name, "supply", (*points, (until, supplied)) if points[-1][0] < until else tuple(points))
