# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Charge of the kernel's own work to the task or server that causes it; tests without costs judge the rest.

SPEC.md, 5 has the costs of a pass of the kernel; no job runs meanwhile. With
k = scheduling + context_switch + wake_up, a pass pays k at most once, and only for an event that it handles: the
decision follows from the state, which events change.

    an event                                    pays at most              is charged
    a release                                   release + k               above all, once per period
    a replenishment                             k                         above all, once per period
    a tick                                      tick                      above all, once per tick period
    a completion, suspension, lock or unlock    k                         to the job
    a point of a non-preemptive job             point (+ k in a server)   to the job
    the end of a suspension                     k                         to the job; of a less urgent one see below
    the end of a budget                         k                         beside its server, at its priority

A point at the root pays k besides only for a job that became ready where the kernel paid no k, since no job was to be
displaced. In a server that is not so: its parent may have displaced it in between.

Kernel time is charged to no budget. So tasks in a server execute and are supplied as without costs, and their server
gets its budget later. The costs of its jobs and inner servers are executed beside the server at the root, as tasks
of its priority whose jitter is for how long a job lasts: its deadline, or in further rounds the response that was
found. That is a claim about the past of each instant, so that the first claim that fails would have to fail by itself.
A job in a server without budget waits for its replenishment: a period of each server around it, as jitter.

Less urgent ones delay a job by what they have begun when the examined interval begins: one event of theirs,
with k and a point; then a region or section that was chosen in that pass and begins only now, so that it is counted
whole instead of less a tick, with k or a point behind it. Each task in the system that suspends itself comes back once
in it at most, k each, since it does not execute. Where a suspension lets less urgent ones execute, all this comes
again: blocking.with_returns. Under deadlines what is beside a server counts above all, in any interval.

Sources: Burns, Tindell and Wellings 1995 and Jeffay and Stone 1993, as in analysis/overheads.c, which has sharper
bounds for plain tasks at the root, at the end of this file: here passes that handle several events pay k for each, and
no job ends with its last tick.
Left out: servers whose budget does not come once a period, resources that servers share, jobs that are aborted or
skipped, windows, points that pull.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from takt import _analysis
from takt.analysis import causes, children, coverage, static
from takt.analysis.judgement import Cause, Judgement, not_known, nothing_known, task_bound
from takt.analysis.result import Test, Verdict
from takt.analysis.view import DispatcherView, ServerView, SystemView, TaskView
from takt.model.bodies import Op
from takt.model.core_input import ROOT, ResolvedCosts

RESPONSES = Test("response times with overheads", "Burns, Tindell and Wellings 1995")
DEMAND = Test("processor demand with overheads", "Jeffay and Stone 1993")

ROUNDS = 8
"""How often responses in servers are computed from those found before."""

Body = tuple[tuple[int, int], ...]


def has_more_than_tasks(view: SystemView) -> bool:
    """True if the kernel's work takes time, and there is more to charge for it than plain tasks."""
    root = view.dispatchers[0]
    if view.resolved.costs.is_ideal or view.resolved.cpus > 1 or not root.traits.is_level_or_deadline_driven:
        return False
    return bool(root.servers) or any(
        task.suspended or task.threshold is not None or task.sections or task.optional_points for task in root.tasks
    )


def why_not_known(view: SystemView) -> str:
    """Return a feature that no test admits where the kernel's own work takes time, "" if there is none."""
    return coverage.CHARGED.why_not_known(view.dispatchers[0].policy, coverage.features_of_system(view))


def judge_charged(view: SystemView, judge: Callable[[SystemView, int], Judgement], effort: int) -> Judgement:
    """Judge a system on a kernel whose work takes time.

    Args:
        view: of the system, with nothing unsupported at its root.
        judge: of systems without costs.
        effort: steps that the tests of each dispatcher may take.
    """
    reason = why_not_known(view)
    if reason:
        return nothing_known(view, reason)
    unsupported = [reason for each in view.dispatchers[1:] for reason in each.all_unsupported]
    if unsupported:
        return nothing_known(view, "; ".join(unsupported))
    lasting = {task.number: task.longest_deadline for each in view.dispatchers[1:] for task in each.tasks}
    for _ in range(ROUNDS):
        found = judge(_Charge(view, lasting).view_with_costs(), effort)
        responses = {number: found.tasks[number].response for number in lasting}
        longer = {
            number: response for number, response in responses.items() if response is None or response > lasting[number]
        }
        if not longer:
            return _restored(view, found)
        if None in longer.values():
            break
        lasting |= {number: response for number, response in longer.items() if response is not None}
    return _without_bound(view, found)


def _restored(view: SystemView, found: Judgement) -> Judgement:
    """Return the rows of a system from those of the one that has the charges.

    No test is exact any more. Least budgets are not known, since the kernel's work with them is not.
    """
    test = DEMAND if view.dispatchers[0].traits.is_deadline_driven else RESPONSES
    tasks = {}
    for task in (task for each in view.dispatchers for task in each.tasks):
        row = found.tasks[task.number]
        its_test = row.test if row.server or row.test is None else test
        tasks[task.number] = replace(row, wcet=task.wcet, test=its_test, is_tight=False)
    restored = Judgement(tasks, {number: replace(row, least_budget=None) for number, row in found.servers.items()})
    restored.add_causes(found)
    return restored


def _without_bound(view: SystemView, found: Judgement) -> Judgement:
    """Return a judgement without bounds: jobs in servers may wait for ever, and the kernel's work for them too."""
    inside = [found.tasks[task.number] for each in view.dispatchers[1:] for task in each.tasks]
    open_ = [row for row in inside if row.verdict is not Verdict.SCHEDULABLE]
    is_unknown = any(row.verdict is Verdict.NOT_KNOWN for row in open_)
    verdict = Verdict.NOT_KNOWN if is_unknown else Verdict.NOT_GUARANTEED
    reason = "the kernel's work is not bounded: " + "; ".join(row.reason for row in open_[:1])
    restored = _restored(view, found)
    return Judgement(
        {
            number: replace(
                row, verdict=verdict, reason=reason, response=None, blocking=None, interference=(), is_tight=False
            )
            for number, row in restored.tasks.items()
        },
        {
            number: replace(row, verdict=verdict, reason=reason, response=None)
            for number, row in restored.servers.items()
        },
    )


# ---- charges --------------------------------------------------------------------------------------------


def _count(task: TaskView, *ops: Op) -> int:
    return sum(op in ops for op, _ in task.body)


def _points(task: TaskView) -> int:
    """Count the points at which a job may yield."""
    return max(len(task.regions) - 1, 0)


def _stretched(body: Body, after: Mapping[Op, int]) -> Body:
    """Return a body whose runs behind items of some kinds are longer."""
    found = []
    for op, value in body:
        found.append((op, value))
        if after.get(Op(op), 0) > 0:
            found.append((Op.RUN, after[Op(op)]))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Charge:
    """The costs of every task.

    Args:
        view: of the system.
        lasting: how long jobs in servers last from their arrival, at most, by the numbers of their tasks.
    """

    view: SystemView
    lasting: Mapping[int, int]

    def view_with_costs(self) -> SystemView:
        """Return a system without costs that is no better off than this one is with them."""
        root, *inside = self.view.dispatchers
        charged = [replace(each, tasks=tuple(_inner_task(task) for task in each.tasks)) for each in inside]
        work = [each for each in self._kernel_work(root) if each[0] > 0]
        kernel = [self._kernel_task(place, *each) for place, each in enumerate(work, start=1)]
        tasks = sorted([*kernel, *map(self._root_task, root.tasks)], key=lambda task: task.urgency)
        return replace(
            self.view,
            resolved=replace(self.view.resolved, costs=ResolvedCosts()),
            dispatchers=(replace(root, tasks=tuple(tasks)), *charged),
        )

    @property
    def _switch(self) -> int:
        """Most that an event pays: k."""
        costs = self.view.resolved.costs
        return costs.scheduling + costs.context_switch + costs.wake_up

    @property
    def _point(self) -> int:
        return self.view.resolved.costs.point

    @property
    def _is_edf(self) -> bool:
        return self.view.dispatchers[0].traits.is_deadline_driven

    @property
    def _passing(self) -> int:
        """Kernel time that less urgent entities can cause in an interval; at least 1 tick, so that no test is exact."""
        tasks = [task for each in self.view.dispatchers for task in each.tasks]
        sleepers = sum(task.suspended > 0 for task in tasks)
        has_points = any(_points(task) + task.optional_points for task in tasks)
        return max(self._switch * (1 + sleepers) + self._point * has_points, 1)

    # ---- jobs at the root

    def _root_task(self, task: TaskView) -> TaskView:
        """Charge a task at the root; its region bounds how long its jobs can delay more urgent ones."""
        locks = _count(task, Op.LOCK)
        in_section = 1 + 2 * self._switch + self._passing * self._is_edf
        at_points = self._point * bool(task.regions)
        own = self._switch + in_section * locks + at_points * (_points(task) + task.optional_points)
        barring = self._passing + 1
        region = 0
        if task.regions:
            end = max(self._switch, self._point * (_points(task) > 0))
            region = task.longest_region + in_section * locks + self._point * task.optional_points + end
        return replace(
            task,
            wcet=task.wcet + own + barring * (task.threshold is not None),
            suspended=task.suspended + 2 * self._switch * task.suspensions,
            regions=(barring + region, 1),
            body=_stretched(task.body, {Op.LOCK: in_section, Op.POINT: at_points, Op.OPTIONAL_POINT: at_points}),
            optional_points=0,
            is_charged=True,
            uncharged=task,
        )

    # ---- the kernel

    def _kernel_work(self, root: DispatcherView) -> Iterator[tuple[int, int, int, ServerView | None]]:
        """Yield the kernel's work: ticks, period, jitter, and beside which root server it is; None: above all."""
        paid = self.view.resolved.costs
        yield paid.tick, paid.tick_period, 0, None
        for dispatcher in self.view.dispatchers:
            late = self._late(dispatcher.number)
            for task in dispatcher.tasks:
                yield paid.release + self._switch, task.period, task.jitter + late, None
            for server in dispatcher.servers:
                yield self._switch, server.period, late, None
        for server in root.servers:
            yield from self._beside(server, server)

    def _beside(self, top: ServerView, server: ServerView) -> Iterator[tuple[int, int, int, ServerView | None]]:
        """Yield the kernel's work for a server and its tasks; `top` is the server, or the one at the root around it."""
        inside = self.view.dispatchers[server.number]
        yield self._switch, server.period, self._late(server.number), top
        for task in inside.tasks:
            events = 1 + 2 * _count(task, Op.LOCK) + 2 * task.suspensions + _points(task)
            work = self._switch * events + self._point * (_points(task) + task.optional_points)
            yield work, task.period, self.lasting[task.number], top
        for inner in inside.servers:
            yield from self._beside(top, inner)

    def _late(self, number: int) -> int:
        """Longest time for which events in a dispatcher wait for budget."""
        periods = {each.number: each.period for around in self.view.dispatchers for each in around.servers}
        late = 0
        while number != ROOT:
            late, number = late + periods[number], self.view.dispatchers[number].home
        return late

    def _kernel_task(self, place: int, wcet: int, period: int, jitter: int, top: ServerView | None) -> TaskView:
        """Return a task of the kernel's work; under deadlines it has no blocking, whatever server it is beside."""
        first = min(child.key for child in self.view.dispatchers[0].children())
        names = {child.name for each in self.view.dispatchers for child in each.children()}
        name = "kernel"
        while name in names:
            name += "'"
        return TaskView(
            number=-place,
            name=name,
            class_="hard",
            wcet=wcet,
            period=period,
            deadline=period,
            jitter=jitter,
            urgency=(-1,) if top is None else top.urgency,
            key=first if top is None else top.key,
            regions=() if top is None or self._is_edf else (self._passing + 1, 1),
            is_kernel=True,
        )


def _inner_task(task: TaskView) -> TaskView:
    """Return a task in a server whose job, just selected, has not yet executed when others arrive."""
    locks = _count(task, Op.LOCK)
    return replace(
        task,
        wcet=task.wcet + locks + (task.threshold is not None),
        regions=(task.longest_region + 1, *task.regions) if task.regions else (),
        body=_stretched(task.body, {Op.LOCK: 1}),
        uncharged=task,
    )


# ---- plain tasks at the root --------------------------------------------------------------------------


def judge_costs(view: SystemView, root: DispatcherView, effort: int) -> Judgement:
    """Judge a root whose tasks are charged with the kernel's work for them."""
    reason = why_not_known(view)
    if reason:
        return not_known(root, reason)
    return _judge_static(view, root, effort) if root.traits.has_static_keys else _judge_edf(view, root, effort)


def _costs_of(view: SystemView) -> tuple[int, ...]:
    costs = view.resolved.costs
    per_event = (costs.context_switch, costs.release, costs.scheduling, costs.point, costs.tick)
    return (*per_event, costs.tick_period, costs.wake_up)


def _regions(root: DispatcherView) -> dict[str, Any]:
    """Return the longest regions, 0 of preemptive tasks, and the numbers of points."""
    return {
        "longest": children.numbers(max(task.regions, default=0) for task in root.tasks),
        "points": children.numbers(max(len(task.regions) - 1, 0) for task in root.tasks),
    }


def _judge_static(view: SystemView, root: DispatcherView, effort: int) -> Judgement:
    """Bound responses under static keys."""
    members = static.members_in(view, root)
    last, above = children.column(members, "last"), children.behind_equals(members)
    record = children.record_of(members, last=last, above=above, **_regions(root))
    ticks, jobs = _analysis.overhead_responses(record, _costs_of(view), effort)
    charged = causes.Charged(members, root.tasks, view.resolved.costs, jobs.tolist())
    found = Judgement()
    for place, (task, tick) in enumerate(zip(root.tasks, ticks, strict=True)):
        response = children.response_of(tick)
        if response.ticks is not None:
            found.causes[task.number] = Cause(response.ticks, partial(charged.parts, place))
        verdict = response.verdict(task.deadline, RESPONSES)
        if verdict is Verdict.SCHEDULABLE:
            reason = ""
        elif not response.is_known:
            reason = children.unanswered(task.name)
        elif response.ticks is None:
            reason = f"{task.name}, more urgent tasks and the kernel demand more than the whole processor"
        else:
            reason = view.miss(task.name, response.ticks, task.deadline)
        found.tasks[task.number] = task_bound(task, root, verdict, RESPONSES, response=response.ticks, reason=reason)
    return found


def _judge_edf(view: SystemView, root: DispatcherView, effort: int) -> Judgement:
    """Judge all tasks at once by their demand."""
    record = children.plain_record(root.tasks, **_regions(root))
    decided = _analysis.overhead_edf_verdict(record, _costs_of(view), effort)
    if decided == _analysis.UNDECIDED:
        return not_known(root, "the processor demand exceeds the granted effort", DEMAND)
    is_met = decided == _analysis.SCHEDULABLE
    reason = "" if is_met else "the demand of tasks and kernel may exceed the processor"
    found = Judgement(
        {
            task.number: task_bound(
                task,
                root,
                DEMAND.verdict(is_met),
                DEMAND,
                response=task.longest_deadline if is_met else None,
                reason=reason,
            )
            for task in root.tasks
        }
    )
    if not is_met:
        charged = causes.Charged(children.members_of(root.tasks), root.tasks, view.resolved.costs, ())
        found.demands[root.number] = charged.shortest_demand
    return found
