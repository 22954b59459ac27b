# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Judges roots whose tasks have windows of their own kind: time-driven, dual-priority, imprecise; and shares.

Sources: Wang and Lin 1999 (windows), Davis and Wellings 1995 (dual priority), Parekh and Gallager 1993 (fair
queueing), Spuri and Buttazzo 1996 (virtual deadlines of shares).
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from takt.analysis import children
from takt.analysis.children import Member, Response
from takt.analysis.judgement import Judgement, task_bound
from takt.analysis.result import Test, Verdict
from takt.analysis.view import DispatcherView, SystemView, TaskView
from takt.model.core_input import CLASSES, ResolvedWindows

SLOTS = Test("slots of the table, job by job", "Wang and Lin 1999")
PROMOTIONS = Test("response times after promotion", "Davis and Wellings 1995")
MANDATORY = Test("response times of mandatory parts", "Joseph and Pandya 1986")
VIRTUAL = Test("virtual deadlines", "Spuri and Buttazzo 1996")
FLUID = Test("fluid service and the longest job", "Parekh and Gallager 1993")

MAX_JOBS = 1_000_000
"""How many jobs of a table are checked."""


# ---- time-driven --------------------------------------------------------------------------------------


class _Slots:
    """Supply of the slots of a task from 0 on, and its inverse."""

    def __init__(self, windows: ResolvedWindows) -> None:
        self.cycle = windows.cycle
        self.starts = [start for start, _ in windows.slots]
        self.lengths = [length for _, length in windows.slots]
        self.before = [0, *accumulate(self.lengths)]

    def supplied(self, instant: int) -> int:
        """Return the supply up to an instant."""
        cycles, within = divmod(instant, self.cycle)
        place = bisect_right(self.starts, within) - 1
        part = 0 if place < 0 else self.before[place] + min(within - self.starts[place], self.lengths[place])
        return cycles * self.before[-1] + part

    def reached(self, amount: int) -> int:
        """Return the earliest instant up to which a positive amount is supplied."""
        cycles, within = divmod(amount - 1, self.before[-1])
        place = bisect_right(self.before, within) - 1
        return cycles * self.cycle + self.starts[place] + within - self.before[place] + 1


def judge_table(view: SystemView, dispatcher: DispatcherView) -> Judgement:
    """Follow the jobs of each task through its slots, from its offset on, until all repeats."""
    found = Judgement()
    for task in dispatcher.tasks:
        response, is_known = _worst_in_slots(task)
        verdict = SLOTS.verdict(response is not None and response <= task.deadline) if is_known else Verdict.NOT_KNOWN
        if verdict is Verdict.SCHEDULABLE:
            reason = ""
        elif not is_known:
            reason = f"the table and {task.name} repeat after more than {MAX_JOBS} jobs"
        elif response is None:
            reason = f"the slots of {task.name} are shorter than its demand"
        else:
            reason = view.miss(task.name, response, task.deadline)
        found.tasks[task.number] = task_bound(
            task, dispatcher, verdict, SLOTS, response=response, is_tight=True, reason=reason
        )
    return found


def _worst_in_slots(task: TaskView) -> tuple[int | None, bool]:
    """Return the longest response, None if there is none; and whether that is known."""
    assert task.fixed.windows is not None
    slots = _Slots(task.fixed.windows)
    repeats = math.lcm(task.period, slots.cycle)
    jobs, per_repeat = 2 * (repeats // task.period), slots.before[-1] * (repeats // slots.cycle)
    if task.wcet * (repeats // task.period) > per_repeat:
        return None, True
    if jobs > MAX_JOBS:
        return None, False
    worst, finish = 0, 0
    for job in range(jobs + 1):
        arrival = task.fixed.offset + job * task.period
        finish = slots.reached(slots.supplied(max(arrival, finish)) + task.wcet)
        worst = max(worst, finish - arrival)
    return worst, True


# ---- dual priority, imprecise ---------------------------------------------------------------------------


def judge_dual_priority(view: SystemView, dispatcher: DispatcherView, effort: int) -> Judgement:
    """Bound the responses of hard tasks by those after their promotions, where only hard tasks are above."""
    hard = _by_level([task for task in dispatcher.tasks if task.class_ == "hard"])
    found = Judgement()
    for task, promoted in zip(hard, _responses(hard, [task.wcet for task in hard], effort), strict=True):
        windows = task.fixed.windows
        promotion = 0 if windows is None else windows.part
        latest = None if promoted.ticks is None else promotion + promoted.ticks
        verdict = promoted.verdict(task.deadline - promotion, PROMOTIONS)
        reason = _late_reason(task, verdict, f"{task.name} may be promoted too late")
        # Beyond its deadline a job waits for the next window, of which nothing is known.
        response = None if reason else latest
        found.tasks[task.number] = task_bound(task, dispatcher, verdict, PROMOTIONS, response=response, reason=reason)
    for task in dispatcher.tasks:
        if task.class_ != "hard":
            reason = f"{task.name} runs between the bands, for which there is no test"
            found.tasks[task.number] = task_bound(task, dispatcher, Verdict.NOT_KNOWN, None, reason=reason)
    return found


def judge_imprecise(view: SystemView, dispatcher: DispatcherView, effort: int) -> Judgement:
    """Bound the responses of mandatory parts, which all go before optional ones."""
    ordered = _by_level(dispatcher.tasks)
    parts = [task.wcet if task.fixed.mandatory is None else min(task.wcet, task.fixed.mandatory) for task in ordered]
    found = Judgement()
    for task, response in zip(ordered, _responses(ordered, parts, effort), strict=True):
        verdict = response.verdict(task.deadline, MANDATORY)
        reason = _late_reason(task, verdict, f"the mandatory part of {task.name} can end too late")
        found.tasks[task.number] = task_bound(
            task, dispatcher, verdict, MANDATORY, response=task.deadline if not reason else None, reason=reason
        )
    return found


def _late_reason(task: TaskView, verdict: Verdict, reason: str) -> str:
    if verdict is Verdict.SCHEDULABLE:
        return ""
    return children.unanswered(task.name) if verdict is Verdict.NOT_KNOWN else reason


def _by_level(tasks: Sequence[TaskView]) -> list[TaskView]:
    """Order tasks by priority, equal ones by class, then as in the file: the tie of computed keys (SPEC.md, 3)."""
    return sorted(tasks, key=lambda task: (task.fixed.level, CLASSES.index(task.class_), task.number))


def _responses(tasks: Sequence[TaskView], wcets: Sequence[int], effort: int) -> list[Response]:
    """Bound the responses of tasks with strict ties and without jitter; without execution they are 0."""
    members = [
        Member(task.name, wcet, task.period, task.deadline, jitter=0, key=rank)
        for rank, (task, wcet) in enumerate(zip(tasks, wcets, strict=True))
        if wcet > 0
    ]
    answers = iter(children.responses(children.record_of(members), effort))
    return [next(answers) if wcet > 0 else Response(0, is_known=True) for wcet in wcets]


# ---- shares -------------------------------------------------------------------------------------------


def judge_shares(view: SystemView, dispatcher: DispatcherView) -> Judgement:
    """Bound responses by what the share of a task gives it, if its jobs come no faster than that serves them."""
    is_generic = view.resolved.variant == "generic"
    total = view.resolved.weights
    longest = 0 if is_generic else max(task.wcet for task in dispatcher.tasks)
    test = VIRTUAL if is_generic else FLUID
    found = Judgement()
    for task in dispatcher.tasks:
        served = -(-task.wcet * total // task.fixed.weight)
        response = task.jitter + served + longest if 0 < served <= task.period - task.jitter else None
        verdict = test.verdict(response is not None and response <= task.deadline)
        if verdict is Verdict.SCHEDULABLE:
            reason = ""
        elif response is None:
            reason = f"the share of {task.name} serves a job in {view.write(served)}, and jobs may come faster"
        else:
            reason = view.miss(task.name, response, task.deadline)
        found.tasks[task.number] = task_bound(task, dispatcher, verdict, test, response=response, reason=reason)
    return found
