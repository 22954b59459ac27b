# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Export to Perfetto's protobuf trace format, which ui.perfetto.dev opens.

One process track for the task set; in it a track for each processor (what runs, idling servers too), one for each task
(its segments, releases, points, misses, and as instants what it does with resources) and a counter for the budget of
each server. Beside them a track for each processor of Linux has what the kernel's own records say ran there. Timestamps
are nanoseconds, exact.

The schema is that of the `perfetto` package, imported when a trace is exported.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from takt.base import extras, forks, output_files
from takt.base.errors import file_error
from takt.files.trace_file import Trace
from takt.run.activations import stretches_of
from takt.run.replay import KIND_NAMES
from takt.run.result import RunResult

if TYPE_CHECKING:
    from perfetto.trace_builder.proto_builder import StreamingTraceProtoBuilder

_SEQUENCE = 1
_PROCESS, _FIRST_CPU = 1, 2
_PID = 1


class _Event(NamedTuple):
    """Something at an instant on a track; `order` sorts what happens at one instant: ends before begins."""

    instant: int
    order: int
    track: int
    name: str | None
    notes: tuple[tuple[str, int | bool], ...] = ()


_END, _INSTANT, _BEGIN = 0, 1, 2


Stretches = Sequence[tuple[int, int, str]]
"""What ran on a processor, one after the other: start and end in ns, and the name of the thread."""


def write(result: RunResult, path: str | Path, kernel: Sequence[tuple[int, Stretches]] = ()) -> None:
    """Write a run in Perfetto's format.

    Args:
        result: a run that kept segments, jobs, points, and the budgets and locks if there are any.
        path: the file; what was in it is gone.
        kernel: of each processor of Linux, its number and what the kernel's own records say.

    Raises:
        InputError: the file cannot be written, or the package perfetto is not installed.
    """
    try:
        content = export(result, kernel)
    except ModuleNotFoundError:
        raise file_error(path, extras.missing("a trace for Perfetto", "perfetto", "perfetto"), "missing") from None
    output_files.write(path, content)


def export(result: RunResult, kernel: Sequence[tuple[int, Stretches]] = ()) -> bytes:
    """Return the bytes of write; the same run gives the same bytes."""
    from perfetto.trace_builder.proto_builder import StreamingTraceProtoBuilder

    forks.check()
    buffer = BytesIO()
    builder = StreamingTraceProtoBuilder(buffer)
    names = result.summary["task"].to_list()
    first = _FIRST_CPU + result.system.cpus
    tracks = {name: first + number for number, name in enumerate(names)}
    _describe_tracks(builder, result, tracks)
    for event in _in_order(_events(result, tracks)):
        _write_event(builder, event, result.system.resolution_ns)
    _write_budgets(builder, result, first + len(names))
    for place, (cpu, stretches) in enumerate(kernel, first + len(names) + len(result.system.servers)):
        _describe_track(builder, place, f"kernel, processor {cpu}", place)
        for start, end, thread in stretches:
            _write_event(builder, _Event(start, _BEGIN, place, thread), 1)
            _write_event(builder, _Event(end, _END, place, None), 1)
    return buffer.getvalue()


def _in_order(events: Iterable[_Event]) -> list[_Event]:
    return sorted(events, key=lambda event: (event.instant, event.order, event.track))


def _packet(builder: StreamingTraceProtoBuilder, timestamp: int | None = None) -> Any:
    """Begin a packet, at a time if it is an event."""
    packet = builder.create_packet()
    packet.trusted_packet_sequence_id = _SEQUENCE
    if timestamp is not None:
        packet.timestamp = timestamp
    return packet


def _describe_process(builder: StreamingTraceProtoBuilder, name: str) -> None:
    from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import TracePacket, TrackDescriptor

    packet = _packet(builder)
    packet.sequence_flags = TracePacket.SEQ_INCREMENTAL_STATE_CLEARED
    process = packet.track_descriptor
    process.uuid = _PROCESS
    process.process.pid = _PID
    process.process.process_name = name
    process.child_ordering = TrackDescriptor.EXPLICIT
    builder.write_packet(packet)


def _describe_processors(builder: StreamingTraceProtoBuilder, cpus: int) -> None:
    for cpu in range(cpus):
        _describe_track(builder, _FIRST_CPU + cpu, "processor" if cpus == 1 else f"processor {cpu}", cpu)


def _describe_tracks(builder: StreamingTraceProtoBuilder, result: RunResult, tracks: dict[str, int]) -> None:
    _describe_process(builder, result.system.name)
    _describe_processors(builder, result.system.cpus)
    servers = result.summary["server"].to_list()
    for (name, track), server in zip(tracks.items(), servers, strict=True):
        _describe_track(builder, track, f"{server}/{name}" if server else name, track)
    first = _FIRST_CPU + result.system.cpus + len(tracks)
    for number, server in enumerate(result.system.servers):
        _describe_track(builder, first + number, f"budget of {server.name}", first + number, is_counter=True)


def _describe_track(
    builder: StreamingTraceProtoBuilder, uuid: int, name: str, rank: int, *, is_counter: bool = False
) -> None:
    packet = _packet(builder)
    track = packet.track_descriptor
    track.uuid = uuid
    track.parent_uuid = _PROCESS
    track.name = name
    track.sibling_order_rank = rank
    if is_counter:
        track.counter.unit_name = "ticks"
    builder.write_packet(packet)


def _events(result: RunResult, tracks: dict[str, int]) -> Iterable[_Event]:
    """Yield all events on the tracks of the processors and the tasks."""
    jobs = result.jobs.with_columns(due=result.deadlines["deadline"])
    notes = {
        (task, job): (("job", job), ("release", release), ("deadline", due), ("missed", missed))
        for task, job, release, due, missed in jobs.select("task", "job", "release", "due", "missed").rows()
    }
    for start, end, cpu, server, task, job in result.segments.rows():
        name = f"{task}#{job}" if task in tracks else f"{server} {task}"
        for track, what in ((_FIRST_CPU + cpu, ()), (tracks.get(task), notes.get((task, job), ()))):
            if track is None:
                continue
            yield _Event(start, _BEGIN, track, name, what)
            yield _Event(end, _END, track, None)
    for task, job, release, due, missed in jobs.select("task", "job", "release", "due", "missed").rows():
        yield _Event(release, _INSTANT, tracks[task], "release", (("job", job),))
        if missed:
            yield _Event(due, _INSTANT, tracks[task], "deadline missed", (("job", job),))
    # Sections may begin and end within a segment, so they are no slices.
    for instant, task, job, resource, use in result.locks.rows() if result.system.resources else []:
        yield _Event(instant, _INSTANT, tracks[task], _LOCK_NAMES[use].format(resource), (("job", job),))
    for instant, changed, what, detail in result.changes.rows():
        track = _FIRST_CPU if changed is None else tracks[changed]  # another policy at the processor
        yield _Event(instant, _INSTANT, track, f"{what}: {detail}" if detail else what)
    for instant, task, job, optional, should_yield in result.points.rows():
        name = "optional point" if optional else "point"
        yield _Event(instant, _INSTANT, tracks[task], name, (("job", job), ("should_yield", should_yield)))


_LOCK_NAMES = {"lock": "lock {}", "wait": "wait for {}", "unlock": "unlock {}", "deadlock": "deadlock: waits for {}"}


def _write_event(builder: StreamingTraceProtoBuilder, event: _Event, resolution_ns: int) -> None:
    from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import TrackEvent

    types = {_END: TrackEvent.TYPE_SLICE_END, _INSTANT: TrackEvent.TYPE_INSTANT, _BEGIN: TrackEvent.TYPE_SLICE_BEGIN}
    packet = _packet(builder, event.instant * resolution_ns)
    packet.track_event.type = types[event.order]
    packet.track_event.track_uuid = event.track
    if event.name is not None:
        packet.track_event.name = event.name
    for key, value in event.notes:
        note = packet.track_event.debug_annotations.add()
        note.name = key
        if isinstance(value, bool):
            note.bool_value = value
        else:
            note.uint_value = value
    builder.write_packet(packet)


def _write_budgets(builder: StreamingTraceProtoBuilder, result: RunResult, first: int) -> None:
    """Write the budgets of servers as counters, where they change."""
    from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import TrackEvent

    if not result.system.servers:
        return
    budgets = result.budgets
    for number, server in enumerate(result.system.servers):
        changes = budgets.select("tick", server.name).filter(
            (pl.col(server.name) != pl.col(server.name).shift()) | (pl.col("tick") == 0)
        )
        for tick, budget in changes.rows():
            packet = _packet(builder, tick * result.system.resolution_ns)
            packet.track_event.type = TrackEvent.TYPE_COUNTER
            packet.track_event.track_uuid = first + number
            packet.track_event.counter_value = budget
            builder.write_packet(packet)


# ---- a trace file ---------------------------------------------------------------------------------------


def write_trace(trace: Trace, path: str | Path) -> None:
    """Write a trace file in Perfetto's format: tracks for processors, and for each task and thread with its events.

    Args:
        trace: of any platform; a number of a thread has a track with the name of the first thread that had it.
        path: the file; what was in it is gone.

    Raises:
        InputError: the file cannot be written, or the package perfetto is not installed.
    """
    try:
        content = export_trace(trace)
    except ModuleNotFoundError:
        raise file_error(path, extras.missing("a trace for Perfetto", "perfetto", "perfetto"), "missing") from None
    output_files.write(path, content)


def export_trace(trace: Trace) -> bytes:
    """Return the bytes of write_trace; the same trace gives the same bytes."""
    from perfetto.trace_builder.proto_builder import StreamingTraceProtoBuilder

    forks.check()
    buffer = BytesIO()
    builder = StreamingTraceProtoBuilder(buffer)
    _describe_process(builder, trace.system.name)
    cpus, place = trace.system.cpus, _FIRST_CPU + trace.system.cpus
    _describe_processors(builder, cpus)
    for part in trace.domains or (trace,):
        names = part.system.entity_names()
        tracks = {number: place + number for number in range(part.system.first_task, len(names))}
        homes = [0] * part.system.first_task
        homes += [task.home for task in part.system.tasks] + [thread.home for thread in part.system.threads]
        for number, track in tracks.items():
            name = f"{names[homes[number]]}/{names[number]}" if homes[number] else names[number]
            _describe_track(builder, track, name, track)
        numbers = part.processors if trace.domains else range(cpus)
        for event in _in_order(_events_of_trace(part, names, tracks, numbers)):
            _write_event(builder, event, part.system.resolution_ns)
        place += len(names)
    return buffer.getvalue()


def _events_of_trace(
    trace: Trace, names: Sequence[str], tracks: dict[int, int], processors: Sequence[int]
) -> Iterable[_Event]:
    """Yield what executed on the tracks of processors and entities, and the events of the latter."""
    first_thread = trace.system.first_task + len(trace.system.tasks)
    for start, end, cpu, entity, job in stretches_of(trace):
        name = f"{names[entity]}#{job}" if entity < first_thread else names[entity]
        for track in (_FIRST_CPU + processors[cpu], tracks.get(entity)):
            if track is not None:
                yield _Event(start, _BEGIN, track, name)
                yield _Event(end, _END, track, None)
    for record in trace.records():
        if record.entity in tracks and record.kind in KIND_NAMES:
            yield _Event(record.now, _INSTANT, tracks[record.entity], KIND_NAMES[record.kind])
