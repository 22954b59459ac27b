# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Remarks beside a verdict: the run of the file as it stands, each mode by itself, and warnings.

A verdict holds for all arrivals and demands of a model. It counts neither offsets nor lists of arrivals and demands:
they are one case of many. So a system that is not schedulable may never miss as it is written. The run says so, up to
the instant that was simulated, and no further: to the horizon of the file, or as far as MAX_EVENTS reach. It is no
proof of what comes later.

A *mode* is the tasks that are there from one change to the next, with the parameters and the policy of that time, as
if they were so for good. The verdict of each mode is the only guarantee where nothing bounds a transition. Jobs of one
mode that run into the next one are in neither verdict.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from takt import _core
from takt.analysis.judge import judge
from takt.analysis.judgement import Judgement
from takt.analysis.presence import FOR_GOOD, Phase, most_of
from takt.analysis.result import AsWritten, Verdict
from takt.analysis.view import SystemView, TaskView, static_key
from takt.base import times
from takt.base.errors import InputError
from takt.model import image
from takt.model.horizon import horizon_ticks
from takt.model.python_policy import name_of
from takt.model.system import System

# ---- the file as it is written ------------------------------------------------------------------------


MAX_EVENTS = 100_000
"""How many releases, replenishments and ticks are simulated, about."""

_REFUSED = (Verdict.NOT_SCHEDULABLE, Verdict.NOT_GUARANTEED)


def run_as_written(system: System, view: SystemView, judgement: Judgement) -> AsWritten | None:
    """Return what a run of the file shows; None if the verdict needs no such words.

    Args:
        system: as it is written.
        view: of it.
        judgement: of the view.
    """
    if judgement.verdict not in _REFUSED:
        return None
    tasks = system.resolved.tasks
    fixed = []  # what the file fixes and the verdict leaves open; the slots of a table are counted from the offsets on
    if not view.dispatchers[0].traits.has_slots and any(
        task.offset or (task.arrivals is not None and task.arrivals.kind == "listed") for task in tasks
    ):
        fixed.append("arrivals")
    if any(not task.demand.is_constant or most_of(task.demand) < task.wcet for task in tasks):
        fixed.append("demands")
    until = 0 if view.latency or image.own_policies(system.resolved) else _until(system, view)
    late = _late_jobs(system, judgement, until) if until else None
    if late is None:
        return AsWritten(tuple(fixed)) if fixed else None
    streams = [stream for task in tasks for stream in (task.demand, task.arrivals) if stream is not None]
    is_drawn = any(task.jitter > 0 for task in tasks) or any(stream.kind != "listed" for stream in streams)
    return AsWritten(tuple(fixed), until, late, is_drawn) if fixed or late == 0 else None


def _until(system: System, view: SystemView) -> int:
    """Return up to where a run is simulated; 0 if there is none."""
    resolved = system.resolved
    periods = [task.period for each in view.dispatchers for task in each.tasks]
    periods += [server.period for server in resolved.servers]
    periods += [resolved.costs.tick_period] if resolved.costs.tick else []
    periods += [] if resolved.architecture is None else [resolved.architecture.interval]
    windows = [task.fixed.windows for each in view.dispatchers for task in each.tasks if task.fixed.windows]
    rates = [Fraction(1, period) for period in periods if period > 0]
    rates += [Fraction(len(each.slots), each.cycle) for each in windows if each.cycle > 0]
    rates += [Fraction(1)] * any(each.traits.overtakes for each in view.dispatchers)
    rate = sum(rates, Fraction(0))  # of events in a tick
    most = min(int(MAX_EVENTS / rate), times.MAX_TICKS) if rate else times.MAX_TICKS
    try:
        return min(horizon_ticks(system), most)
    except InputError:  # the file gives no horizon, and repeats late
        return most


def _late_jobs(system: System, judgement: Judgement, until: int) -> int | None:
    """Return how many jobs of the tasks that count miss their deadlines in a run; None if one of these is rejected."""
    resolved = system.resolved
    counted = {row.task for row in judgement.that_count()}
    if resolved.rates is not None:
        from takt.run.simulation import simulate  # which loads polars

        seen = simulate(system, until, segments=False, jobs=False, budgets=False, points=False, locks=False)
        answers = seen.rates.select("task", "what").rows()
        if any(task in counted and what == "rejected" for task, what in answers):
            return None
        missed = dict(seen.summary.select("task", "missed").rows())
        return sum(int(missed[task]) for task in counted)
    program = image.program(resolved, image.pack(resolved, until), {})
    late = _core.simulate(program, kept=())["statistics"]["missed"].to_list()
    return sum(jobs for task, jobs in zip(resolved.tasks, late, strict=True) if task.name in counted)


# ---- modes --------------------------------------------------------------------------------------------


MAX_MODES = 12
"""Systems with more modes are not analysed."""


class Mode(NamedTuple):
    """The tasks present up to an instant, in ticks; FOR_GOOD for the last mode."""

    until: int
    view: SystemView


def modes_apart(view: SystemView, effort: int) -> str:
    """Return what is known of each mode; "" for a system with a single mode, or with servers.

    Args:
        view: of the system.
        effort: steps that the tests of each mode may take.
    """
    modes = list(_modes_of(view))
    if not 1 < len(modes) <= MAX_MODES:
        return ""
    verdicts = [judge(mode.view, effort).verdict.value for mode in modes]
    ends = ["after" if mode.until == FOR_GOOD else f"to {view.write(mode.until)}" for mode in modes]
    names = [f"{mode.view.dispatchers[0].policy} {end}" for mode, end in zip(modes, ends, strict=True)]
    if len(set(verdicts)) == 1:
        return f"each of the {len(modes)} modes by itself is {verdicts[0]} ({', '.join(names)})"
    each = ", ".join(f"{name} {verdict}" for name, verdict in zip(names, verdicts, strict=True))
    return f"the modes by themselves are: {each}"


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


# ---- warnings -----------------------------------------------------------------------------------------


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
        what = "under a model of the scheduler a job ends at the next release"
    elif view.resolved.cpus > 1:
        what = "the test of several processors counts the period in its place"
    elif task.has_windows:
        what = "its test needs a deadline of at most the period"
    else:
        return
    deadline, period = view.write(task.deadline), view.write(task.period)
    yield f"deadline {deadline} of {task.name} is above its period {period}: {what}"
