# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Judges dispatchers with static keys: fp, rm, dm and pinwheel, with servers, points, thresholds and resources."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from takt import _analysis
from takt.analysis import blockers, blocking, causes, children
from takt.analysis.children import Delays, Member, Response, Supply
from takt.analysis.judgement import Judgement, server_bound, task_bound
from takt.analysis.result import Test, Verdict
from takt.analysis.view import Child, DispatcherView, ServerView, SystemView, TaskView

MAX_NAMES = 8
"""How many names a reason lists; the others are added up."""

_SOURCES = "Joseph and Pandya 1986; Lehoczky 1990; Audsley et al. 1993"
PREEMPTIVE = Test("response times", _SOURCES)
DEFERRED = Test("response times, deferred preemption", "Bril, Lukkien and Verhaegh 2009")
THRESHOLDS = Test("response times, thresholds", "Wang and Saksena 1999")
EQUALS = Test("response times, equals in FIFO order", "Bedarkar et al. 2022")
BOUND = Test("bounds on response times", _SOURCES)
"""Of what makes the others sufficient only: equals, suspensions, resources, servers, costs."""
_ATTAINED = (PREEMPTIVE, DEFERRED, THRESHOLDS, EQUALS)
"""Their responses are those of some arrivals."""
BESIDE = Test("response times beside servers", "Davis and Burns 2005; Strosnider, Lehoczky and Sha 1995")
SUPPLIED = Test("response times under a supply", "Shin and Lee 2003; Davis and Burns 2005")


def judge_static(
    view: SystemView, dispatcher: DispatcherView, delays: Delays, supply: Supply, effort: int
) -> Judgement:
    """Bound the responses of all children of a dispatcher.

    Args:
        view: of the system.
        dispatcher: with static keys.
        delays: what resources do.
        supply: of the dispatcher.
        effort: steps that the tests may take.
    """
    there = dispatcher.children()
    members = children.with_delays(members_in(view, dispatcher), delays)
    level_test = _test_of(there, members, delays, supply)
    found = Judgement()
    is_apart = level_test is THRESHOLDS
    is_fifo = level_test is BOUND and is_in_fifo_order(view, dispatcher, delays)
    record = children.threshold_record(members) if is_apart else children.under_priorities(members, supply)
    responses = fifo_responses(record, effort) if is_fifo else children.responses(record, effort)
    blocked = partial(blockers.under_priorities, view, dispatcher, members)
    level = causes.Level(there, members, responses, blocked, supply, dispatcher.name, is_apart=is_apart)
    causes.add_level(found, level)
    for place, response in enumerate(responses):
        child, me = there[place], members[place]
        test = _test_among_equals(members, responses, place) if is_fifo else level_test
        verdict = response.verdict(me.deadline, test)
        is_met = verdict is Verdict.SCHEDULABLE
        is_said = not is_met and view.has_reasons
        reason = _reason(view, dispatcher, members, place, response) if is_said else ""
        if isinstance(child, ServerView):
            found.servers[child.number] = server_bound(
                child, dispatcher, verdict, test, response=response.ticks, reason=reason
            )
            continue
        found.tasks[child.number] = task_bound(
            child,
            dispatcher,
            verdict,
            test,
            response=response.ticks,
            is_tight=test in _ATTAINED,
            blocking=me.blocking,
            interference=_interference(members, place, response) if is_said else (),
            reason=reason,
        )
    return found


def members_in(view: SystemView, dispatcher: DispatcherView) -> list[Member]:
    """Return the children of a dispatcher with static keys as members, the most urgent first.

    Computed keys have strict ties: class, then the file's order (SPEC.md, 3). But holders go before their equals, and
    changes give tasks other classes: there any order among equals is possible, as if they were first in, first out.
    """
    is_strict = (
        not dispatcher.traits.has_fifo_levels and not view.resolved.changes and not blocking.shares(view, dispatcher)
    )
    return children.members_of(dispatcher.children(), is_strict=is_strict)


def is_in_fifo_order(view: SystemView, dispatcher: DispatcherView, delays: Delays) -> bool:
    """True if nothing but arrivals orders equals, and all are tasks that the processor serves."""
    return (
        dispatcher.traits.has_fifo_levels
        and not dispatcher.servers
        and not view.resolved.changes
        and view.resolved.costs.is_ideal
        and not any(task.suspended or task.threshold is not None or task.is_kernel for task in dispatcher.tasks)
        and not any(delays.blocking)
        and not any(delays.ends)
        and not blocking.shares(view, dispatcher)
    )


def fifo_responses(record: _analysis.Tasks, effort: int) -> list[Response]:
    """Bound the responses of tasks whose equals are served in FIFO order; where jobs may pile up they go first."""
    served = children.fifo_responses(record, effort)
    return [bound or response for bound, response in zip(served, children.responses(record, effort), strict=True)]


def _test_among_equals(members: Sequence[Member], responses: Sequence[Response], place: int) -> Test:
    """Return the test of a task; among equals it is exact without jitter if the bounds of all of them hold."""
    me = members[place]
    equals = [other for other, member in enumerate(members) if member.key == me.key]
    if len(equals) == 1:
        return DEFERRED if any(member.longest > 1 for member in members) else PREEMPTIVE
    has_jitter = any(member.jitter for member in members if member.key <= me.key)
    is_known = all(responses[other].arrival is not None for other in equals)
    return EQUALS if is_known and not has_jitter else BOUND


def _test_of(there: Sequence[Child], members: Sequence[Member], delays: Delays, supply: Supply) -> Test:
    """Return the test, and whether it is exact for all features of the dispatcher."""
    if supply != children.FULL:
        return SUPPLIED
    if any(isinstance(child, ServerView) for child in there):
        return BESIDE
    has_equals = len({member.key for member in members}) < len(members)
    suspends = any(isinstance(child, TaskView) and child.suspended for child in there)
    has_thresholds = any(member.threshold is not None for member in members)
    has_regions = any(member.longest > 1 for member in members)
    if has_equals or suspends or any(delays.blocking) or (has_thresholds and has_regions):
        return BOUND
    return THRESHOLDS if has_thresholds else DEFERRED if has_regions else PREEMPTIVE


def _interference(members: Sequence[Member], place: int, response: Response) -> tuple[tuple[str, int], ...]:
    return () if response.ticks is None else tuple(children.interference(members, place, response))


def _reason(
    view: SystemView, dispatcher: DispatcherView, members: Sequence[Member], place: int, response: Response
) -> str:
    """Return in one line why a deadline is not known to be met, with the largest interferences and what delays more."""
    me = members[place]
    if not response.is_known:
        return children.unanswered(me.name)
    if response.ticks is None:
        demand = f"{me.name} and more urgent tasks demand" if place > 0 else f"{me.name} alone demands"
        return f"{demand} more than the {f'share of {dispatcher.name}' if dispatcher.name else 'whole processor'}"
    ranked = sorted(_interference(members, place, response), key=lambda row: -row[1])
    shown = [f"{name} {view.write(ticks)}" for name, ticks in ranked[:MAX_NAMES]]
    rest = sum(ticks for _, ticks in ranked[MAX_NAMES:])
    shown += [f"{len(ranked) - MAX_NAMES} others {view.write(rest)}"] * (rest > 0)
    parts = [view.miss(me.name, response.ticks, me.deadline)]
    parts += [f"interference {', '.join(shown)}"] * bool(shown)
    parts += [f"blocking {view.write(me.blocking)}"] * (me.blocking > 0)
    return "; ".join(parts)
