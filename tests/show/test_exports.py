# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Perfetto traces and the JSON schema, read back."""

from __future__ import annotations

import itertools
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import takt
from bad_inputs import BAD
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent
from places import ROOT
from shared_systems import circle, with_kind
from takt.command.schema import recipe_schema, taskset_schema
from takt.show import perfetto

EXAMPLES = sorted((ROOT / "examples").glob("*.toml"))
RECIPES = sorted((ROOT / "examples" / "recipes").glob("*.toml"))


def example(name: str) -> takt.System:
    """One example."""
    return takt.load(ROOT / "examples" / f"{name}.toml")


# ---- Perfetto ----------------------------------------------------------------------------------------------


def read(path: Path) -> Any:
    """Read a trace by the schema of its format."""
    trace = Trace()
    trace.ParseFromString(path.read_bytes())
    return trace


LOCKS = {"lock": "lock ", "wait": "wait for ", "unlock": "unlock ", "deadlock": "deadlock: waits for "}
SYSTEMS = {path.stem: takt.load(path) for path in EXAMPLES} | {
    "idling": with_kind(example("servers"), "idling"),
    "deadlock": circle(),
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_segment_job_and_lock_is_in_the_trace(name: str, tmp_path: Path) -> None:
    result = takt.simulate(SYSTEMS[name], 2000)
    result.to_perfetto(tmp_path / "P")
    trace = read(tmp_path / "P")
    names = {packet.track_descriptor.uuid: packet.track_descriptor.name for packet in trace.packet}
    open_slices: dict[int, list[tuple[int, str]]] = {}
    found: Counter[tuple[object, ...]] = Counter()
    last = 0
    for packet in trace.packet:
        event = packet.track_event
        if not packet.HasField("track_event") or event.type == TrackEvent.TYPE_COUNTER:
            continue
        assert event.track_uuid in names
        assert packet.timestamp >= last
        last = packet.timestamp
        stack = open_slices.setdefault(event.track_uuid, [])
        if event.type == TrackEvent.TYPE_SLICE_BEGIN:
            assert stack == []
            stack.append((packet.timestamp, event.name))
        elif event.type == TrackEvent.TYPE_SLICE_END:
            start, name = stack.pop()
            found[names[event.track_uuid], start, packet.timestamp, name] += 1
        else:
            found[names[event.track_uuid], event.name, packet.timestamp] += 1
    assert all(stack == [] for stack in open_slices.values())
    assert found == expected(result)


def expected(result: takt.Result) -> Counter[tuple[object, ...]]:
    """What must be on the tracks of the processors and the tasks."""
    ns = result.system.resolution_ns
    labels = {
        task: f"{server}/{task}" if server else task for task, server in result.summary.select("task", "server").rows()
    }
    deadlines = {(task, job): due for task, job, due in result.deadlines.rows()}
    events: Counter[tuple[object, ...]] = Counter()
    for start, end, cpu, server, task, job in result.segments.rows():
        is_idle = task not in labels
        processor = "processor" if result.system.cpus == 1 else f"processor {cpu}"
        for track in [processor] if is_idle else [processor, labels[task]]:
            events[track, start * ns, end * ns, f"{server} idle" if is_idle else f"{task}#{job}"] += 1
    for task, job, release, missed in result.jobs.select("task", "job", "release", "missed").rows():
        events[labels[task], "release", release * ns] += 1
        if missed:
            events[labels[task], "deadline missed", deadlines[task, job] * ns] += 1
    for instant, task, _, resource, what in result.locks.rows():
        events[labels[task], LOCKS[what] + resource, instant * ns] += 1
    for instant, task, _, optional, _ in result.points.rows():
        events[labels[task], "optional point" if optional else "point", instant * ns] += 1
    for instant, task, what, detail in result.changes.rows():
        processor = "processor" if result.system.cpus == 1 else "processor 0"
        events[labels.get(task, processor), f"{what}: {detail}" if detail else what, instant * ns] += 1
    return events


def test_budgets_are_counters(tmp_path: Path) -> None:
    result = takt.simulate(example("servers"))
    result.to_perfetto(tmp_path / "P")
    counts = [
        (packet.timestamp // result.system.resolution_ns, packet.track_event.counter_value)
        for packet in read(tmp_path / "P").packet
        if packet.HasField("track_event") and packet.track_event.type == TrackEvent.TYPE_COUNTER
    ]
    first = result.budgets[result.system.servers[0].name].to_list()
    assert counts[: len(first)][0] == (0, first[0])
    columns = [result.budgets[server.name].to_list() for server in result.system.servers]
    changes = sum(1 + sum(a != b for a, b in itertools.pairwise(column)) for column in columns)
    assert len(counts) == changes


def test_the_same_run_gives_the_same_bytes() -> None:
    result = takt.simulate(example("fpds"))
    assert perfetto.export(result) == perfetto.export(result)


# ---- JSON schema -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_keeps_to_the_schema(path: Path) -> None:
    jsonschema.validate(tomllib.loads(path.read_text()), taskset_schema())


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_every_recipe_keeps_to_the_schema(path: Path) -> None:
    jsonschema.validate(tomllib.loads(path.read_text()), recipe_schema())


def test_the_schema_refuses_what_one_table_shows_to_be_wrong() -> None:
    validator = jsonschema.Draft202012Validator(taskset_schema())
    refused = 0
    for text, _ in BAD.values():
        try:
            document = tomllib.loads(text)
        except (ValueError, RecursionError):
            continue
        refused += not validator.is_valid(document)
    assert refused >= 60
