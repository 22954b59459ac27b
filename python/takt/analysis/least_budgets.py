# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Least budgets: with which the tasks of a server meet their deadlines, whatever else is in its parent.

At worst a server has its budget at the end of each period. With a larger budget no test refuses what it accepted, so
the edge is found by bisection: by the supply of the server in C (analysis/interface_selection.c), and below that by
what a deferrable server can have left when work comes (carry_in.py), where priorities order around it and in it.
"""

from __future__ import annotations

from dataclasses import replace

from takt import _analysis
from takt.analysis import blocking, children, server_demand, static
from takt.analysis.judgement import Judgement
from takt.analysis.view import ServerView, SystemView


def with_least_budgets(view: SystemView, found: Judgement, effort: int) -> Judgement:
    """Return the same with the least budgets of all servers that supply their children; with costs they are not known.

    Args:
        view: of the system.
        found: what is known of it.
        effort: steps that each test may take.
    """
    if not view.resolved.costs.is_ideal:
        return found
    view = blocking.with_returns(blocking.with_holding(view))
    rows = dict(found.servers)
    for server in (server for each in view.dispatchers for server in each.servers):
        if rows[server.number].gap is not None:
            rows[server.number] = replace(rows[server.number], least_budget=_least_budget(view, server, effort))
    return replace(found, servers=rows)


def _least_budget(view: SystemView, server: ServerView, effort: int) -> int | None:
    """Return the least budget of a server, None if there is none.

    Of a sporadic server it is not known: its supply depends on the budget in another way (analysis/supply.h).
    """
    dispatcher = view.dispatchers[server.number]
    there = dispatcher.children()
    if not there or server.traits.returns:
        return None
    head = (server.period, server.traits.loses_idle_budget, 0)
    delays = blocking.delays_in(view, dispatcher)
    if not dispatcher.traits.has_static_keys:
        record = children.under_deadlines(children.members_of(there), delays)
        return _budget_of(*_analysis.least_budget_edf(*head, record, effort))
    record = children.under_priorities(children.with_delays(static.members_in(view, dispatcher), delays))
    accepted = _budget_of(*_analysis.least_budget_fixed_priority(*head, record, effort))
    if accepted is None or not server_demand.has_budget_left(view, server):
        return accepted
    refused = 0
    while refused + 1 < accepted:
        budget = (refused + accepted) // 2
        if server_demand.meets_deadlines(view, dispatcher, replace(server, budget=budget), effort):
            accepted = budget
        else:
            refused = budget
    return accepted


def _budget_of(verdict: int, budget: int) -> int | None:
    return budget if verdict == _analysis.SCHEDULABLE and budget > 0 else None
