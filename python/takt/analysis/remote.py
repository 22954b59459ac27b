# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Bounds responses where the scheduler stands at a distance and each of its messages takes at most L.

Model (docs/explanation/remote.md). The *scheduler side* decides without taking time. The *application side* executes
jobs. Messages of one sender arrive in order. In a *pass* the application side executes no job: it sends a fetch and
waits for an answer. It drops an answer that does not consider each event posted so far, and sends the fetch again, at
once or when the scheduler side has received a further event. These begin a pass: the end of a job, a point, an event
from outside, and a signal. The scheduler side sends one signal for each decision, when it would choose another job. A
later decision answers it. Both sides begin together.

Lemma. A pass that begins at p, with its last event from outside posted at e, ends by max(p + 2 L, e + 4 L). Proof: an
answer that is not accepted belongs to a fetch sent before e, or received before that event, which is by e + L. So it
arrives by e + 2 L. The next fetch is sent by then and received after all events. Its answer is accepted.

Consider a job J. J and the jobs that go before it are *urgent*: those of a level that is not lower, or with a deadline
that is not later. Let 0 be the last instant, up to the end of J, before which no urgent job was released that is
unfinished. Until J ends the application side does this:

(1) Urgent jobs execute.
(2) An urgent job ends, or reaches a point: a pass of 2 L each.
(3) The scheduler side releases a periodic job that displaces an urgent one: one signal, one pass of 2 L.
(4) An event comes from outside, of an urgent job or not. It begins or prolongs a pass, by 4 L at most. The pass of one
    in the last 4 L before 0 may be under way at 0.
(5) Another job executes, or none, while an urgent one is ready. Outside of passes that follows a decision taken before
    0: a later one knows an urgent job, or is dropped for one that is posted. The urgent job is periodic, since an event
    from outside begins a pass at once. Its signal arrives by L, and the pass that this begins takes 2 L. A pass that is
    under way at 0 and has a later decision ends by 2 L. Together 3 L.
(6) A region of a job that is not urgent, of r ticks, began by a decision before 0. It executes by L at the latest and
    ends with a pass: (5) and r - 1. If no urgent job is periodic, a dropped decision may begin the region after 0, but
    the first L is part of (4): 2 L and r.

So J ends by the least x = B + sum of (C + 2 L + 2 L each point + 2 L for a signal) over the urgent jobs released in
[0, x), less the last 2 L of J and its signal, + sum of 4 L ceil((x + J + 4 L - 1) / T) over all tasks from outside.
There is a signal if the task is periodic and not the least urgent one, which displaces nothing urgent: that of the
lowest level, or under EDF with the longest deadline. B is 3 L if an urgent task is periodic or a region blocks, else 0,
and the blocking without distance. This is the recurrence of response_times.c, and that of edf_response_times.c, of
longer jobs. The events from outside are tasks of the highest priority; under EDF they have a deadline of one tick. Then
those after the deadline of J do not count. That is right as long as J is in time; a response beyond its deadline is not
known.

The last region of J is not displaced, but (4) prolongs it. So it counts only where no event comes from outside.

All this is sufficient only. Releases at 0 share a signal. A signal and an event may share a pass. An event costs
4 L - 1. With L = 0 nothing is added. When not to use it: where jobs lock,
suspend or are ended, in servers, with thresholds; where the scheduler keeps arrivals apart, which then come closer than
its releases.
"""

from __future__ import annotations

from dataclasses import replace

from takt import _analysis
from takt.analysis import children, coverage, static
from takt.analysis.children import Delays, Member
from takt.analysis.deadlines import MAX_RESPONSES
from takt.analysis.judgement import Judgement, not_known, nothing_known, task_bound
from takt.analysis.result import TaskBound, Test, Verdict
from takt.analysis.view import DispatcherView, SystemView, TaskView
from takt.model.bodies import Op

RESPONSES = Test("response times at a distance", "Audsley et al. 1993; Bril, Lukkien and Verhaegh 2009")
DEADLINES = Test("EDF response times at a distance", "Spuri 1996")

PASS = 2
"""How many messages a pass waits for, one after the other: a fetch and its answer."""
EVENT = 4
"""The same for an event from outside."""
BEGIN = 3
"""The same for what begins with a release by the scheduler: its signal, and a pass."""


def judge_remote(view: SystemView, effort: int) -> Judgement:
    """Judge a root of plain tasks whose scheduler is at a distance.

    Args:
        view: of a system, with a latency.
        effort: steps that the test may take.
    """
    root = view.dispatchers[0]
    features = coverage.features_of_root(view) | coverage.features_of_system(view)
    longest = max(
        (task.wcet + task.jitter + PASS * view.latency * (len(task.regions) + 2) for task in root.tasks), default=0
    )
    unsupported = [
        *view.unsupported,
        *root.all_unsupported,
        *["jobs take longer than can be computed"] * (longest + EVENT * view.latency > _analysis.TIME_MAX),
        *(
            f"jobs of {task.name} do more than run"
            for task in root.tasks
            if any(op != Op.RUN and not (op == Op.POINT and task.regions) for op, _ in task.body)
        ),
    ]
    reason = "; ".join(unsupported) or coverage.REMOTE.why_not_known(root.policy, features)
    if reason:
        return nothing_known(view, reason)
    if root.traits.is_deadline_driven and len(root.tasks) > MAX_RESPONSES:
        return not_known(root, f"there is no test of more than {MAX_RESPONSES} tasks with a remote scheduler under edf")
    judge = _judge_deadlines if root.traits.is_deadline_driven else _judge_static
    return judge(view, root, effort)


def _tail(view: SystemView, task: TaskView, *, displaces: bool) -> int:
    """Return what a job costs others but not itself: its end pass, and that of its signal if it displaces any."""
    return PASS * view.latency * (1 if task.fixed.is_external or not displaces else 2)


def _with_messages(view: SystemView, task: TaskView, member: Member, tail: int, *, is_alone: bool) -> Member:
    """Return a job with its passes. Its last region, if it executes alone, contains those that it does not await."""
    points = PASS * view.latency * max(len(task.regions) - 1, 0)
    return replace(member, wcet=member.wcet + points + tail, last=tail + (member.last if is_alone else 1))


def _events(view: SystemView, root: DispatcherView) -> list[Member]:
    """Return for the external events of each task a member of the highest priority."""
    external = [task for task in root.tasks if task.fixed.is_external]
    ticks = EVENT * view.latency
    return [
        Member(task.name, ticks, task.period, 1, task.jitter + ticks - 1, key=place - len(external))
        for place, task in enumerate(external)
    ]


def _begin(view: SystemView, *, has_signal: bool) -> int:
    """Return how long from its release on a job of high urgency may not execute."""
    return BEGIN * view.latency * has_signal


# ---- fixed priorities ------------------------------------------------------------------------------------


def _judge_static(view: SystemView, root: DispatcherView, effort: int) -> Judgement:
    """Bound responses under static keys."""
    events = _events(view, root)
    members = children.with_delays(static.members_in(view, root), Delays())
    pairs = list(zip(root.tasks, members, strict=True))
    tails = [_tail(view, task, displaces=member.key < members[-1].key) for task, member in pairs]
    first = min((member.key for task, member in pairs if not task.fixed.is_external), default=members[-1].key + 1)
    jobs = [
        replace(
            _with_messages(view, task, member, tail, is_alone=not events),
            blocking=member.blocking + _begin(view, has_signal=member.blocking > 0 or first <= member.key),
        )
        for (task, member), tail in zip(pairs, tails, strict=True)
    ]
    ticks, _ = _analysis.fp_responses(children.under_priorities([*events, *jobs]), effort)
    found = Judgement()
    for task, job, tail, tick in zip(root.tasks, jobs, tails, ticks[len(events) :], strict=True):
        found.tasks[task.number] = _row(view, root, task, tail, int(tick), RESPONSES, blocking=job.blocking)
    return found


# ---- deadlines -------------------------------------------------------------------------------------------


def _judge_deadlines(view: SystemView, root: DispatcherView, effort: int) -> Judgement:
    """Bound responses under deadlines."""
    events = _events(view, root)
    longest = max(task.deadline for task in root.tasks)
    tails = [_tail(view, task, displaces=task.deadline < longest) for task in root.tasks]
    jobs = [
        _with_messages(view, task, member, tail, is_alone=not events)
        for task, member, tail in zip(root.tasks, children.members_of(root.tasks), tails, strict=True)
    ]
    there = [*events, *jobs]
    has_signal = not all(task.fixed.is_external for task in root.tasks)
    starts = []
    for begin in sorted({0, *(task.deadline for task in root.tasks)}):
        region = max((task.longest_region for task in root.tasks if task.deadline > begin), default=1)
        starts.append((begin, region - 1 + _begin(view, has_signal=has_signal or region > 1)))
    steps = starts
    delays = Delays(steps=tuple(steps), adds_regions=True)
    record = children.under_deadlines(there, delays, last=children.column(there, "last"))
    ticks, _ = _analysis.edf_responses(record, effort)
    found = Judgement()
    for task, tail, tick in zip(root.tasks, tails, ticks[len(events) :], strict=True):
        is_late = tick < _analysis.UNKNOWN and tick - tail > task.deadline
        known = _analysis.UNBOUNDED if is_late and events else int(tick)
        found.tasks[task.number] = _row(view, root, task, tail, known, DEADLINES)
    return found


# ---- rows ------------------------------------------------------------------------------------------------


def _row(
    view: SystemView, root: DispatcherView, task: TaskView, tail: int, tick: int, test: Test, **more: int
) -> TaskBound:
    """Return the row of a task; its response includes what the job does not await."""
    if tick == _analysis.UNKNOWN:
        return task_bound(task, root, Verdict.NOT_KNOWN, test, reason=children.unanswered(task.name))
    whole = children.read_ticks(tick)
    response = None if whole is None else whole - tail
    verdict = test.verdict(response is not None and response <= task.deadline)
    if verdict is Verdict.SCHEDULABLE:
        reason = ""
    else:
        messages = f"messages of {view.write(view.latency)}"
        if response is None:
            reason = f"{task.name}, others and {messages} may demand more than the processor"
        else:
            reason = f"{view.miss(task.name, response, task.deadline)}, with {messages}"
    return task_bound(task, root, verdict, test, response=response, reason=reason, **more)
