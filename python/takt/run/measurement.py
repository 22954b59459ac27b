# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What a trace says about jobs: their segments of execution, and their response times.

It works for every trace with tasks, whatever platform recorded it. Releases are nominal, as everywhere in
Takt: a response counts from the instant at which the job should have been released. All times are ticks of the
trace.
"""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from takt import _core
from takt.base import forks
from takt.files.trace_file import Record, Trace
from takt.model.core_input import ResolvedSystem
from takt.run import frames, machine

_SEGMENTS = {
    "start": pl.UInt64,
    "end": pl.UInt64,
    "cpu": pl.UInt32,
    "server": pl.String,
    "task": pl.String,
    "job": pl.UInt32,
}
_Segment = tuple[int, int, int, str, str, int]


def jobs_of(trace: Trace) -> pl.DataFrame:
    """List all jobs of a trace, as Result.jobs does.

    Raises:
        ValueError: the trace does not replay identically, or is of several processors.
    """
    forks.check()
    if trace.system.cpus > 1:
        raise ValueError("a trace of several processors")
    outcome = _core.retell(trace.program(), trace.data)
    return frames.frame("jobs", trace.system, outcome["frames"]["jobs"])


def segments_of(trace: Trace) -> pl.DataFrame:
    """List the segments of execution, as Result.segments does; those of plain threads are not listed."""
    forks.check()
    if trace.domains:
        return machine.segments_together([(each.processors, segments_of(each)) for each in trace.domains])
    return pl.DataFrame(list(_merged(_segments(trace))), schema=_SEGMENTS, orient="row")


def _merged(segments: Iterator[_Segment]) -> Iterator[_Segment]:
    """Merge adjacent segments of one job: another entity was chosen in between, and ran for no time."""
    last: _Segment | None = None
    for segment in segments:
        if last is not None and last[1] == segment[0] and last[2:] == segment[2:]:
            last = (last[0], *segment[1:])
            continue
        if last is not None:
            yield last
        last = segment
    if last is not None:
        yield last


def _segments(trace: Trace) -> Iterator[_Segment]:
    """Go through the segments; a job's last one ends at its completion, not at the decision that follows."""
    running: Record | None = None
    after = trace.system.first_task + len(trace.system.tasks)  # entities from 1 on: servers, which may idle, and tasks
    for record in trace.records():
        is_decision = record.kind == _core.RECORD_DECISION
        if running is not None and _ends(running, record):
            yield from _segment(trace.system, running, record.now)
            running = None
        if is_decision and running is None and 0 < record.entity < after:
            running = record
    if running is not None:
        yield from _segment(trace.system, running, trace.horizon)


def _ends(running: Record, record: Record) -> bool:
    """True if a record ends the execution since a decision."""
    is_same = (record.entity, record.job) == (running.entity, running.job)
    return record.kind == _core.RECORD_COMPLETE or (record.kind == _core.RECORD_DECISION and not is_same)


def _segment(system: ResolvedSystem, running: Record, end: int) -> Iterator[_Segment]:
    """Make the segment since a decision, if it has any length."""
    if end > running.now:
        names, servers = system.runners()
        index = (running.entity - system.first_task) % len(names)
        yield running.now, end, running.cpu, servers[index], names[index], running.job
