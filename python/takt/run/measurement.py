# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Measurement of a run from its trace: segments of execution, jobs, budgets of servers.

It works for every trace with tasks, whatever platform recorded it. Core replays the records meanwhile, so each frame is
that of a simulation. Releases are nominal, as everywhere in Takt: a response counts from the instant at which the job
should have been released. All times are ticks of the trace.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from takt import _core
from takt.base import forks
from takt.files.trace_file import Trace
from takt.model.system import System
from takt.run import frames, machine
from takt.run.result import RunResult


def jobs_of(trace: Trace) -> pl.DataFrame:
    """Return all jobs of a trace, as Result.jobs does.

    Raises:
        ValueError: the trace does not replay identically, or is of several processors.
    """
    return _frame_of(trace, "jobs")


def segments_of(trace: Trace) -> pl.DataFrame:
    """Return the segments of execution, as Result.segments does; errors are those of jobs_of.

    A segment ends with the completion of its job, or with the next decision.
    """
    if trace.domains:
        return machine.segments_together([(each.processors, segments_of(each)) for each in trace.domains])
    return _frame_of(trace, "segments")


def budgets_of(trace: Trace) -> pl.DataFrame:
    """Return the budget of every server in every tick, as Result.budgets does; errors are those of both."""
    names = [server.name for server in trace.system.servers]
    return frames.budgets(names, trace.horizon, _frame_of(trace, "budgets"))


def result_of(trace: Trace, system: System) -> RunResult:
    """Return the result of the run of a trace; errors are those of jobs_of.

    What no trace holds is not there: demands of jobs, and points of preemptive jobs. With a scheduler at a distance
    overruns are not counted: what was decided includes the time that messages take.

    Args:
        trace: of one processor, or of domains with one each.
        system: what ran, in the ticks of the trace.
    """
    if trace.domains:
        parts = zip(trace.domains, system.domains, strict=True)
        return machine.together(system, [result_of(part, domain.system) for part, domain in parts])
    kept = list(frames.OPTIONS)
    outcome = _retold(trace, kept)
    statistics = frames.statistics(system.resolved, outcome["statistics"])
    statistics["optional_wanted"] = [None for _ in statistics["task"]]
    if trace.is_remote:
        statistics["overruns"] = [0 for _ in statistics["task"]]
    return RunResult(
        system=system,
        horizon=trace.horizon,
        decisions=outcome["decisions"],
        invocations=outcome["decisions"],
        switches=outcome["switches"],
        overhead=0,
        statistics=statistics,
        architecture=None,
        policies={},
        frames=frames.Recorded(system.resolved, {name: outcome["frames"][name] for name in kept}),
    )


def _frame_of(trace: Trace, name: str) -> pl.DataFrame:
    return frames.frame(name, trace.system, _retold(trace, [name])["frames"][name])


def _retold(trace: Trace, kept: Sequence[str]) -> _core.Outcome:
    forks.check()
    if trace.system.cpus > 1:
        raise ValueError("a trace of several processors")
    return _core.retell(trace.program(), trace.data, kept=kept)
