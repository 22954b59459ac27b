# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Judges dispatchers that order by deadlines: edf, and llf, for which the same test is exact.

With least laxity first at every tick a set of jobs is scheduled whenever any policy can, as with earliest deadline
first (Dertouzos and Mok 1989), if a job's laxity counts its whole demand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from takt import _analysis
from takt.analysis import blocking, causes, children
from takt.analysis.children import FULL, Delays, Member, Response, Supply
from takt.analysis.judgement import Cause, Claim, Judgement, not_known, server_bound, task_bound
from takt.analysis.result import TaskBound, Test, Verdict
from takt.analysis.view import DispatcherView, SystemView, TaskView
from takt.model.core_input import CLASSES

MAX_RESPONSES = 500
"""Responses of more tasks are not computed, which takes seconds; deadlines bound them if they are met."""

_SOURCES = "Baruah, Rosier and Howell 1990; Zhang and Burns 2009; Spuri 1996; George, Rivierre and Spuri 1996"
DEMAND = Test("processor demand", _SOURCES)
DEMAND_OF_ALL = Test("processor demand of all", _SOURCES)
"""The same of a task of which it is not known whether the jobs that miss are its own."""
DEMAND_BOUND = Test("bound on processor demand", _SOURCES)
"""Of what makes the other sufficient only: sections, suspensions, thresholds, costs."""
SUPPLIED = Test("demand under a supply", "Shin and Lee 2003; Spuri and Buttazzo 1996")


Responses = Sequence[Response | None]
"""Of the tasks of a dispatcher; None of one that is not computed."""


def judge_deadlines(view: SystemView, dispatcher: DispatcherView, delays: Delays, effort: int) -> Judgement:
    """Judge a root by its processor demand.

    Args:
        view: of the system.
        dispatcher: the root, under edf or llf.
        delays: what resources do.
        effort: steps that the tests may take.
    """
    if dispatcher.servers or any(task.is_kernel for task in dispatcher.tasks):
        return judge_supplied(view, dispatcher, delays, FULL, effort)
    members = children.members_of(dispatcher.tasks)
    verdict, interval, demand, _ = _analysis.edf_demand(children.under_deadlines(members, delays), effort)
    if verdict == _analysis.UNDECIDED:
        return not_known(dispatcher, "the processor demand exceeds the granted effort", _test_of(dispatcher, delays))
    test = _test_of(dispatcher, delays)
    is_met = verdict == _analysis.SCHEDULABLE
    agrees = test is DEMAND or not (delays.steps or any(task.barred > 1 for task in dispatcher.tasks))
    is_told = is_met or (agrees and (view.asked or frozenset()).issuperset(task.number for task in dispatcher.tasks))
    is_left_out = bool(view.asked) and is_told
    responses = [None] * len(members) if is_left_out else _responses(dispatcher, members, delays, effort)
    attained = _attained(view, dispatcher, members, delays, effort) if test is DEMAND else [None] * len(members)
    whole = "" if is_met else excess(view, interval, demand)
    found = Judgement()
    if not is_met and demand > 0:
        found.demands[dispatcher.number] = causes.Interval(view, dispatcher, interval, interval)
    for task, response, reached in zip(dispatcher.tasks, responses, attained, strict=True):
        is_overload = not is_met and demand == 0 and not dispatcher.traits.has_laxity_keys
        is_sure = is_overload or (reached is not None and reached > task.deadline)
        row = _row(view, dispatcher, task, response, test, is_met=is_met, whole=whole)
        if test is DEMAND and row.verdict is not Verdict.SCHEDULABLE and not is_sure:
            row = replace(row, test=DEMAND_OF_ALL)
        is_tight = response is not None and response.ticks is not None and response.ticks == reached
        found.tasks[task.number] = replace(row, is_tight=is_tight)
        if response is not None and response.ticks is not None:
            last = 1 if _has_sections(dispatcher, delays) else task.last_region
            cause = causes.Latest(view, dispatcher, task, response.ticks, response.job, last)
            found.causes[task.number] = Cause(response.ticks, cause)
    if test is DEMAND and not is_met:
        names = {row.task for row in found.that_count()}
        counted = [task for task in dispatcher.tasks if task.name in names]
        is_enough = _analysis.edf_demand(children.plain_record(counted), effort)[0] == _analysis.UNSCHEDULABLE
        refused = frozenset(task.number for task in (counted if is_enough else dispatcher.tasks))
        found.jointly.append(Claim(DEMAND, refused))
    return found


def _attained(
    view: SystemView, dispatcher: DispatcherView, members: list[Member], delays: Delays, effort: int
) -> list[int | None]:
    """Return responses that some arrivals attain, equal deadlines in core's order; None where that is not known.

    Holders go before their equals, and changes give tasks other classes.
    """
    if view.asked is not None or view.resolved.changes or blocking.shares(view, dispatcher):
        return [None] * len(members)
    order = sorted(dispatcher.tasks, key=lambda task: (CLASSES.index(task.class_), task.number))
    ranks = {task.number: rank for rank, task in enumerate(order)}
    found = _responses(dispatcher, members, delays, effort, rank=[ranks[task.number] for task in dispatcher.tasks])
    return [None if response is None else response.ticks for response in found]


def judge_supplied(
    view: SystemView, dispatcher: DispatcherView, delays: Delays, supply: Supply, effort: int
) -> Judgement:
    """Judge a dispatcher that contains servers or is one: all children are guaranteed to meet their deadlines, or none.

    Args:
        view: of the system.
        dispatcher: under edf.
        delays: what resources do.
        supply: of the dispatcher.
        effort: steps that the test may take.
    """
    there = dispatcher.children()
    record = children.under_deadlines(children.members_of(there), delays, supply)
    verdict, window, demand, supplied = _analysis.edf_demand(record, effort)
    if verdict == _analysis.UNDECIDED:
        return not_known(dispatcher, "the demand takes more effort than was granted", SUPPLIED)
    if verdict == _analysis.SCHEDULABLE:
        reason = ""
    elif demand == 0:
        reason = "the shares add up to more than what is supplied"
    else:
        reason = (
            f"in {view.write(window)} up to {view.write(demand)} may be asked for, and {view.write(supplied)} are sure"
        )
    judged = SUPPLIED.verdict(not reason)
    found = Judgement()
    if reason and demand > 0:
        found.demands[dispatcher.number] = causes.Interval(view, dispatcher, window, supplied)
    for child in there:
        if isinstance(child, TaskView):
            response = None if reason else child.longest_deadline
            row = task_bound(child, dispatcher, judged, SUPPLIED, response=response, reason=reason)
            found.tasks[child.number] = row
        else:
            response = None if reason else child.period
            found.servers[child.number] = server_bound(
                child, dispatcher, judged, SUPPLIED, response=response, reason=reason
            )
    return found


def _test_of(dispatcher: DispatcherView, delays: Delays) -> Test:
    """Return the test, and whether it is exact for all features of the dispatcher."""
    is_bound = delays.steps or any(task.suspended or task.threshold is not None for task in dispatcher.tasks)
    return DEMAND_BOUND if is_bound else DEMAND


def _responses(
    dispatcher: DispatcherView, members: list[Member], delays: Delays, effort: int, rank: Sequence[int] | None = None
) -> Responses:
    """Bound the responses under earliest deadline first; None of those that are not computed.

    Without ranks all others go first at equal deadlines.
    """
    if dispatcher.traits.has_laxity_keys or len(members) > MAX_RESPONSES:
        return [None] * len(members)
    ranks = None if rank is None else children.numbers(rank)
    has_sections = _has_sections(dispatcher, delays)
    last = children.numbers(1 if has_sections else task.last_region for task in dispatcher.tasks)
    record = children.under_deadlines(members, delays, last=last, rank=ranks)
    ticks, jobs = _analysis.edf_responses(record, effort)
    # A job with a longer deadline than the one that counts for others can wait for more of them.
    return [
        None if task.has_other_deadlines else children.response_of(tick, int(job))
        for task, tick, job in zip(dispatcher.tasks, ticks, jobs, strict=True)
    ]


def _has_sections(dispatcher: DispatcherView, delays: Delays) -> bool:
    """True if a job may lock in its last region, and so be blocked there."""
    return bool(delays.steps) or any(task.sections for task in dispatcher.tasks)


def excess(view: SystemView, interval: int, demand: int) -> str:
    """Return the reason: the interval in which demand is too large."""
    if demand == 0:
        return "the tasks demand more than the whole processor"
    return f"in {view.write(interval)} up to {view.write(demand)} may be demanded"


def _row(
    view: SystemView,
    dispatcher: DispatcherView,
    task: TaskView,
    response: Response | None,
    test: Test,
    *,
    is_met: bool,
    whole: str,
) -> TaskBound:
    """Return the row of a task; if all deadlines are met, its deadline bounds a response that is not known."""
    if not is_met and response is not None and not response.is_known:
        return task_bound(task, dispatcher, Verdict.NOT_KNOWN, test, reason=children.unanswered(task.name))
    ticks = None if response is None else response.ticks
    is_bounded = ticks is not None and ticks <= task.deadline
    if is_met or is_bounded:
        reason = ""
    elif ticks is None:
        reason = whole
    else:
        reason = f"{view.miss(task.name, ticks, task.deadline)}; {whole}"
    shown = ticks if is_bounded or not is_met else task.longest_deadline
    return task_bound(task, dispatcher, test.verdict(is_met or is_bounded), test, response=shown, reason=reason)
