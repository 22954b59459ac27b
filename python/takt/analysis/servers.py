# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Judgement of the tasks of servers by the guaranteed supply of the servers, from the root down.

What is sure of a server follows from its kind and, under fixed priorities, from how soon it has its budget
(analysis/supply.h); servers of constant and total bandwidth give their tasks bounds of their own (bandwidth.c).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from takt import _analysis
from takt.analysis import children, coverage, deadlines, static
from takt.analysis.blocking import DelaysOf
from takt.analysis.children import Delays, Response
from takt.analysis.judgement import Cause, Judgement, not_known, server_bound, task_bound
from takt.analysis.result import ServerBound, Test, Verdict
from takt.analysis.view import DispatcherView, ServerView, SystemView, TaskView
from takt.model import catalogue

BANDWIDTH = Test("constant bandwidth", "Abeni and Buttazzo 1998")
TOTAL_BANDWIDTH = Test("total bandwidth", "Spuri and Buttazzo 1996")

AT_PLACE = Test("response times with budget always", "Strosnider, Lehoczky and Sha 1995")
CARRIED = Test("response times with what is left of the budget", "Davis and Burns 2005")


def judge_below(view: SystemView, found: Judgement, delays: DelaysOf, effort: int) -> Judgement:
    """Judge the children of all servers, given what is known of the root's; parents come before their servers."""
    parents = [view.dispatchers[0]]
    for parent in parents:  # which grows: each dispatcher comes once, behind its parent
        for server in parent.servers:
            if server.number not in found.servers:
                alone = replace(parent, tasks=(), servers=(server,))
                found.add(not_known(alone, f"there is no test of {server.name} under {parent.policy}"))
            _judge_inside(view, server, found, delays[server.number], effort)
            parents.append(view.dispatchers[server.number])
    return found


def _judge_inside(view: SystemView, server: ServerView, found: Judgement, delays: Delays, effort: int) -> None:
    dispatcher = view.dispatchers[server.number]
    row = found.servers[server.number]
    if row.verdict is not Verdict.SCHEDULABLE:
        reason = f"the server {row.server} has no guaranteed budget ({row.reason})"
        verdict = Verdict.NOT_KNOWN if row.verdict is Verdict.NOT_KNOWN else Verdict.NOT_GUARANTEED
        found.add(
            Judgement(
                {task.number: task_bound(task, dispatcher, verdict, None, reason=reason) for task in dispatcher.tasks},
                {
                    each.number: server_bound(each, dispatcher, verdict, None, reason=reason)
                    for each in dispatcher.servers
                },
            )
        )
        return
    reason = why_not_known(view, server, delays)
    if reason:
        found.add(not_known(dispatcher, reason))
    elif server.is_rule or server.traits.postpones:
        found.add(_judge_bandwidth(view, dispatcher, server, effort))
    else:
        supply = supply_of(view, server, row)
        found.servers[server.number] = replace(row, gap=supply[2])
        judge = static.judge_static if dispatcher.traits.has_static_keys else deadlines.judge_supplied
        found.add(_with_own_bounds(view, dispatcher, server, judge(view, dispatcher, delays, supply, effort)))


def why_not_known(view: SystemView, server: ServerView, delays: Delays) -> str:
    """Return why nothing is known of the children of a server, "" if something is."""
    dispatcher = view.dispatchers[server.number]
    if dispatcher.all_unsupported:
        return "; ".join(dispatcher.all_unsupported)
    reason = coverage.row_of_server(server.kind).why_not_known(
        dispatcher.policy, coverage.features_of(view, dispatcher) | delays.features
    )
    if reason:
        return reason
    if server.holding > server.budget:
        return f"{server.name} may hold what it shares for longer than its budget"
    if min(_begins(view, dispatcher), default=server.offset) < server.offset:
        return f"jobs may come before the first budget of {server.name}"
    if server.traits.returns and server.waits_for_budget and returns_of(view, server) > _analysis.MAX_RETURNS:
        most = f"more than {_analysis.MAX_RETURNS} returns of {server.name}"
        return f"there is no test of {server.protocol} where {most} may wait"
    return ""


def _begins(view: SystemView, dispatcher: DispatcherView) -> Iterator[int]:
    """Yield the begins of the idle times of a server's children; a deadline rule has work with its tasks."""
    yield from (task.fixed.offset + next(iter(task.arrivals), 0) for task in dispatcher.tasks)
    for each in dispatcher.servers:
        if each.is_rule:
            yield from _begins(view, view.dispatchers[each.number])
        else:
            yield each.offset


def supply_of(view: SystemView, server: ServerView, row: ServerBound) -> tuple[int, int, int, int]:
    """Return the guaranteed supply to the children of a server that gets its budget."""
    response = server.period if row.response is None else row.response
    is_polling = server.traits.loses_idle_budget
    if server.waits_for_budget and server.holding > 0:  # a search may shrink sections to nothing
        pays_back = catalogue.protocol_traits(server.protocol).pays_back
        left = _analysis.payback_supply if pays_back else _analysis.sirap_supply
        return left(server.period, server.budget, response, server.holding, is_polling)
    if server.traits.returns:
        return _analysis.sporadic_supply(server.period, server.budget, response, returns_of(view, server))
    return _analysis.make_supply(server.period, server.budget, response, is_polling)


def returns_of(view: SystemView, server: ServerView) -> int:
    """Bound how many returns of a sporadic server wait at a time: never more than it has ticks."""
    inside, dispatcher = view.dispatchers, view.dispatchers[server.number]
    if any(not each.traits.comes_once or inside[each.number].servers for each in dispatcher.servers):
        return server.budget
    deferrable = [each for each in dispatcher.servers if each.traits.defers]
    tasks = [task for each in (dispatcher, *(inside[each.number] for each in deferrable)) for task in each.tasks]
    record = children.record_of(children.members_of([*tasks, *dispatcher.servers]))
    found = _analysis.sporadic_returns(record, server.period, server.budget, is_strict=server.traits.separates)
    return server.budget if found is None else min(found, server.budget)


def _with_own_bounds(view: SystemView, dispatcher: DispatcherView, server: ServerView, found: Judgement) -> Judgement:
    """Return the smaller responses: the given ones, or those from the demand of a server's tasks (server_demand.py)."""
    for task, each in zip(dispatcher.tasks, server.inside, strict=False):
        before = found.tasks[task.number].response
        if each.response is not None and (before is None or each.response < before):
            test = AT_PLACE if each.is_at_place else CARRIED
            is_met = each.response <= task.deadline
            reason = "" if is_met else view.miss(task.name, each.response, task.deadline)
            found.tasks[task.number] = task_bound(
                task, dispatcher, test.verdict(is_met), test, response=each.response, reason=reason
            )
            found.causes[task.number] = Cause(each.response, each.cause)
    return found


def _judge_bandwidth(view: SystemView, dispatcher: DispatcherView, server: ServerView, effort: int) -> Judgement:
    """Judge tasks of which none is supplied by itself: by the busy period of all, or by the jobs of the only one."""
    found = Judgement()
    for task, response in zip(dispatcher.tasks, _bandwidth_responses(dispatcher.tasks, server, effort), strict=True):
        ticks, reason = response.ticks, ""
        if server.is_rule:  # total bandwidth assigns each job a deadline that it meets
            shown = ticks if ticks is not None and ticks <= task.deadline else None
            row = task_bound(task, dispatcher, Verdict.SCHEDULABLE, TOTAL_BANDWIDTH, response=shown)
            found.tasks[task.number] = row
            continue
        if not response.is_known:
            reason = children.unanswered(task.name)
        elif ticks is None:
            reason = f"{task.name} and the other tasks of its server demand more than the share of {server.name}"
        elif ticks > task.deadline:
            reason = view.miss(task.name, ticks, task.deadline)
        verdict = response.verdict(task.deadline, BANDWIDTH)
        found.tasks[task.number] = task_bound(task, dispatcher, verdict, BANDWIDTH, response=ticks, reason=reason)
    return found


def _bandwidth_responses(tasks: Sequence[TaskView], server: ServerView, effort: int) -> list[Response]:
    """Bound the responses in a cbs, tbs or cus server; the busy period bounds those of all."""
    share = (server.period, server.budget, effort)
    if server.traits.postpones and len(tasks) == 1:
        only = tasks[0]
        response = _analysis.cbs_response(only.wcet + only.suspended, only.period, only.jitter, *share)
        return [children.response_of(response)]
    busy = _analysis.cbs_busy_period if server.traits.postpones else _analysis.total_bandwidth_busy_period
    longest = children.response_of(busy(children.plain_record(tasks), *share))
    return [replace(longest, ticks=None if longest.ticks is None else longest.ticks + task.jitter) for task in tasks]
