# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Runs of the file as it stands, beside a verdict that holds for all arrivals and demands of a model.

A verdict counts neither offsets nor lists of arrivals and demands: they are one case of many. So a system that is not
schedulable may never miss as it is written. The run says so, up to the instant that was simulated, and no further: to
the horizon of the file, or as far as MAX_EVENTS reach. It is no proof of what comes later.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from takt import _core
from takt.analysis.judgement import Judgement
from takt.analysis.presence import most_of
from takt.analysis.result import AsWritten, Verdict
from takt.analysis.view import SystemView
from takt.base import times
from takt.base.errors import InputError
from takt.model import image
from takt.model.core_input import ResolvedSystem, ResolvedTask
from takt.model.horizon import horizon_ticks
from takt.model.system import System

MAX_EVENTS = 100_000
"""How many releases, replenishments and ticks are simulated, about."""

_REFUSED = (Verdict.NOT_SCHEDULABLE, Verdict.NOT_GUARANTEED)


def found_in(system: System, view: SystemView, judgement: Judgement) -> AsWritten | None:
    """Return what a run of the file shows; None if the verdict needs no such words.

    Args:
        system: as it is written.
        view: of it.
        judgement: of the view.
    """
    if judgement.verdict not in _REFUSED:
        return None
    fixed = tuple(_fixed_in(system.resolved, view))
    until = 0 if view.latency or image.own_policies(system.resolved) else _until(system, view)
    late = _late_jobs(system, judgement, until) if until else None
    if late is None:
        return AsWritten(fixed) if fixed else None
    is_drawn = any(map(_is_drawn, system.resolved.tasks))
    return AsWritten(fixed, until, late, is_drawn) if fixed or late == 0 else None


def _fixed_in(resolved: ResolvedSystem, view: SystemView) -> Iterator[str]:
    """Yield what the file fixes and the verdict leaves open; the slots of a table are counted from the offsets on."""
    tasks = resolved.tasks
    if not view.dispatchers[0].traits.has_slots and any(
        task.offset or (task.arrivals is not None and task.arrivals.kind == "listed") for task in tasks
    ):
        yield "arrivals"
    if any(not task.demand.is_constant or most_of(task.demand) < task.wcet for task in tasks):
        yield "demands"


def _is_drawn(task: ResolvedTask) -> bool:
    """True if the seed decides what jobs of a task do."""
    streams = [task.demand, *([] if task.arrivals is None else [task.arrivals])]
    return task.jitter > 0 or any(stream.kind != "listed" for stream in streams)


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
