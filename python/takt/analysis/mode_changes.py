# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Judges each mode by itself: the only guarantee where nothing bounds a transition.

A *mode* is the tasks that are there from one change to the next, with the parameters and the policy of that time, as
if they were so for good. Jobs of one mode that run into the next one are in neither verdict.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from takt.analysis.judge import judge
from takt.analysis.presence import FOR_GOOD, Phase
from takt.analysis.view import SystemView, TaskView, static_key
from takt.model.python_policy import name_of

MAX_MODES = 12
"""Systems with more modes are not analysed."""


class Mode(NamedTuple):
    """The tasks present up to an instant, in ticks; FOR_GOOD for the last mode."""

    until: int
    view: SystemView


def reasons(view: SystemView, effort: int) -> str:
    """Return what is known of each mode; "" for a system with a single mode, or with servers.

    Args:
        view: of the system.
        effort: steps that the tests of each mode may take.
    """
    modes = list(_modes_of(view))
    if not 1 < len(modes) <= MAX_MODES:
        return ""
    verdicts = [judge(mode.view, effort).verdict.value for mode in modes]
    names = [_name(view, mode) for mode in modes]
    if len(set(verdicts)) == 1:
        return f"each of the {len(modes)} modes by itself is {verdicts[0]} ({', '.join(names)})"
    each = ", ".join(f"{name} {verdict}" for name, verdict in zip(names, verdicts, strict=True))
    return f"the modes by themselves are: {each}"


def _name(view: SystemView, mode: Mode) -> str:
    end = "after" if mode.until == FOR_GOOD else f"to {view.write(mode.until)}"
    return f"{mode.view.dispatchers[0].policy} {end}"


def _modes_of(view: SystemView) -> Iterator[Mode]:
    """Yield the modes that have tasks, in order of time; none with servers, rates, or new priorities."""
    levels = {task.number: task.fixed.level for each in view.dispatchers for task in each.tasks}
    has_new_levels = any(
        change.kind == "parameters" and change.task is not None and change.level != levels[change.task]
        for change in view.resolved.changes
    )
    if len(view.dispatchers) > 1 or view.resolved.rates is not None or has_new_levels:
        return
    instants = sorted({0, *(change.at for change in view.resolved.changes)})
    root, resolved = view.dispatchers[0], view.resolved
    for start, until in zip(instants, [*instants[1:], FOR_GOOD], strict=True):
        policies = [change.policy for change in resolved.changes if change.kind == "policy" and change.at <= start]
        policy = policies[-1] if policies else resolved.policy
        there = [
            _as_in(task, phase, name_of(policy))
            for task in root.tasks
            for phase in task.phases
            if phase.start <= start < phase.until
        ]
        tasks = tuple(sorted(there, key=lambda task: task.urgency))
        if tasks:
            alone = replace(root, policy=name_of(policy), tasks=tasks)
            # Its changes stay: so ties are not taken as strict, which follow from classes, and these may change.
            mode = replace(view, resolved=replace(resolved, policy=policy), dispatchers=(alone,), unsupported=())
            yield Mode(until, mode)


def _as_in(task: TaskView, phase: Phase, policy: str) -> TaskView:
    key = static_key(policy, task.fixed.level, phase.period, phase.deadline)
    return replace(
        task.with_wcet(phase.wcet),
        period=phase.period,
        deadline=phase.deadline,
        key=key,
        urgency=(key, 0, 0, task.number),
        phases=(replace(phase, start=0, until=FOR_GOOD),),
        latest=0,
    )
