# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Selection of the test of each dispatcher: the sharpest one that admits all of its features.

`judge` is a function of the view alone, so that searches (sensitivity.py, advice.py) call it with changed systems.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from takt import _analysis
from takt.analysis import (
    architectures,
    blocking,
    busy_period,
    coverage,
    deadlines,
    global_edf,
    overhead_inflation,
    rates,
    refusals,
    remote,
    server_demand,
    servers,
    static,
    windows,
)
from takt.analysis.blocking import DelaysOf
from takt.analysis.children import FULL
from takt.analysis.judgement import Judgement, not_known, nothing_known
from takt.analysis.result import Verdict
from takt.analysis.view import DispatcherView, SystemView

EFFORT = 100_000_000
"""Steps that the tests of one dispatcher may take, unless it is said otherwise."""

MAX_UNREAD = 3
"""How many fields that are not read a reason names."""

Judge = Callable[[SystemView, DispatcherView, int], Judgement]


def judge(view: SystemView, effort: int = EFFORT) -> Judgement:
    """Judge all dispatchers of a system, the root first.

    Args:
        view: of the system.
        effort: steps that the tests of each dispatcher may take.
    """
    if view.unread:
        return nothing_known(view, "; ".join(view.unread[:MAX_UNREAD]))
    if view.latency:
        return _judge_at_distance(view, effort)
    view = blocking.with_holding(view)
    found = refusals.decided(view, _judge_by_policy(view, effort))
    root = view.dispatchers[0]
    for task in root.tasks:
        row = found.tasks[task.number]
        if task.may_overrun and row.verdict is not Verdict.NOT_KNOWN:
            alone = replace(root, tasks=(task,), servers=())
            found.add(not_known(alone, f"{task.name} may demand more than it is given"))
        elif task.has_windows and row.verdict is not Verdict.SCHEDULABLE:
            found.tasks[task.number] = replace(row, response=None, is_tight=False)  # a late job loses its window
    return found if any(_excess_of(view)) else busy_period.bound(view, found, effort)


def _judge_at_distance(view: SystemView, effort: int) -> Judgement:
    """Judge a system with a remote scheduler. Its messages may take no time: what misses then is not schedulable."""
    found = remote.judge_remote(view, effort)
    if found.is_schedulable:
        return found
    at_once = judge(replace(view, latency=0), effort)
    found.jointly += at_once.jointly
    for number, row in at_once.tasks.items():
        if row.verdict is Verdict.NOT_SCHEDULABLE and found.tasks[number].verdict is not Verdict.SCHEDULABLE:
            found.tasks[number] = replace(row, response=None, is_tight=False)
    return found


def _judge_by_policy(view: SystemView, effort: int) -> Judgement:
    unsupported = [*view.unsupported, *_excess_of(view), *view.dispatchers[0].all_unsupported]
    if unsupported:
        return nothing_known(view, "; ".join(unsupported))
    if overhead_inflation.has_more_than_tasks(view):
        return overhead_inflation.judge_charged(view, _judge_by_policy, effort)
    view = blocking.with_returns(view)
    delays = blocking.DelaysOf(view)  # which server demands do not change
    found = _judge_as_given(view, delays, effort)
    # Again with the demand of servers bounded by the result, until nothing improves.
    for _ in range(len(view.dispatchers) - 1):
        is_answered = view.asked is not None and all(
            found.tasks[each].verdict is Verdict.SCHEDULABLE for each in view.asked
        )
        tighter = view if is_answered else server_demand.with_insides(view, found, delays, effort)
        if server_demand.insides_of(tighter) == server_demand.insides_of(view):
            return found
        view, found = tighter, _judge_as_given(tighter, delays, effort)
    return found


def _judge_as_given(view: SystemView, delays: DelaysOf, effort: int) -> Judgement:
    """Judge a system to which all is added that it pays; plain tasks at the root pay in their tests (judge_costs)."""
    return servers.judge_below(view, _judge_root(view, delays, effort), delays, effort)


def _excess_of(view: SystemView) -> Iterator[str]:
    """Yield the times that exceed the range of the tests, such as a wcet that was multiplied or has charges."""
    tasks = [task for each in view.dispatchers for task in each.tasks]
    if any(max(task.wcet + task.suspended, task.jitter, task.longest_region) > _analysis.TIME_MAX for task in tasks):
        yield "jobs take longer than can be computed"


def _judge_root(view: SystemView, all_delays: DelaysOf, effort: int) -> Judgement:
    root = view.dispatchers[0]
    if view.resolved.cpus > 1:
        return global_edf.judge_global(view, root)
    own = next((own for own in _OWN if own[0].admits(root.traits)), None)
    if view.resolved.architecture is not None:
        own = coverage.SCHEDULED, architectures.judge_architecture
    if own is not None:
        row, judge_own = own
        reason = row.why_not_known(root.policy, coverage.features_of_root(view))
        return not_known(root, reason) if reason else judge_own(view, root, effort)
    delays = all_delays[root.number]
    covered = coverage.features_of(view, root) | delays.features
    reason = coverage.row_of_root(root.policy).why_not_known(root.policy, covered)
    if reason:
        return not_known(root, reason)
    if not view.resolved.costs.is_ideal:
        return overhead_inflation.judge_costs(view, root, effort)
    if root.traits.has_static_keys:
        return static.judge_static(view, root, delays, FULL, effort)
    return deadlines.judge_deadlines(view, root, delays, effort)


_OWN: tuple[tuple[coverage.Row, Judge], ...] = (
    (coverage.TABLE, lambda view, root, _: windows.judge_table(view, root)),
    (coverage.PROMOTED, windows.judge_dual_priority),
    (coverage.MANDATORY, windows.judge_imprecise),
    (coverage.SHARES, lambda view, root, _: windows.judge_shares(view, root)),
    (coverage.RATES, rates.judge_rates),
    (coverage.EXECUTION, rates.judge_rbe),
)
"""Tests of policies that have one of their own. Of all others coverage.py says which they have, if any."""
