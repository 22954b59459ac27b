# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Warnings: what a task set says that is legal, and seldom meant."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from takt.analysis.view import SystemView, TaskView
from takt.base import times


def warnings_of(view: SystemView) -> Iterator[str]:
    """Yield a sentence for each wcet beyond a deadline, load beyond the processors, and deadline that is cut.

    Args:
        view: of the system.
    """
    tasks = [task for each in view.dispatchers for task in each.tasks]
    for task in tasks:
        yield from _of_wcet(view, task)
    cpus, load = view.resolved.cpus, _load(tasks)
    if load > cpus:
        there = "the processor" if cpus == 1 else f"{cpus} processors"
        yield f"utilization {_decimals(load)} is above {cpus}: the tasks demand more than {there} can execute"
    for server in (server for each in view.dispatchers for server in each.servers):
        served = view.dispatchers[server.number].tasks
        share = Fraction(server.budget, server.period) if server.period else Fraction(0)
        demanded = _load(served)
        if served and not server.is_rule and demanded > share > 0:
            above = f"above its share {_decimals(share)}"
            yield f"utilization {_decimals(demanded)} of the tasks in {server.name} is {above}"
    for task in tasks:
        yield from _of_deadline(view, task)


def _of_wcet(view: SystemView, task: TaskView) -> Iterator[str]:
    """Yield that no job that executes its wcet can meet its deadline."""
    needed = task.wcet + task.suspended + task.jitter
    if task.wcet > task.deadline:
        yield f"wcet {view.write(task.wcet)} of {task.name} is above its deadline {view.write(task.deadline)}"
    elif needed > task.deadline:
        parts = " and ".join(
            [*["suspensions"] * (task.suspended > 0), *["jitter"] * (task.jitter > 0)]  # one of them, or both
        )
        yield (
            f"wcet, {parts} of {task.name} together are {view.write(needed)},"
            f" above its deadline {view.write(task.deadline)}"
        )


def _load(tasks: list[TaskView] | tuple[TaskView, ...]) -> Fraction:
    """Return the sum of wcet / period of the tasks that are there for good."""
    steady = (task for task in tasks if 0 < task.period < times.MAX_TICKS and task.is_steady)
    return sum((Fraction(task.wcet, task.period) for task in steady), Fraction(0))


def _decimals(value: Fraction) -> str:
    """Write a load with two decimals, rounded up so that what is above 1 is seen to be."""
    hundredths = -(-value.numerator * 100 // value.denominator)
    return f"{hundredths // 100}.{hundredths % 100:02}"


def _of_deadline(view: SystemView, task: TaskView) -> Iterator[str]:
    """Yield that a deadline beyond the period counts as the period, or leaves nothing known."""
    if not 0 < task.period < task.deadline:
        return
    if view.resolved.architecture is not None:
        yield f"{_deadline(view, task)}: under a model of the scheduler a job ends at the next release"
    elif view.resolved.cpus > 1:
        yield f"{_deadline(view, task)}: the test of several processors counts the period in its place"
    elif task.has_windows:
        yield f"{_deadline(view, task)}: its test needs a deadline of at most the period"


def _deadline(view: SystemView, task: TaskView) -> str:
    return f"deadline {view.write(task.deadline)} of {task.name} is above its period {view.write(task.period)}"
