"""Trace files: what is written is read, and what is damaged is refused in one line."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import takt
from takt import _core
from takt.files import trace_file
from takt.model.core_input import ResolvedSystem, ResolvedTask, ResolvedThread

PREAMBLE = struct.Struct("<8sHHI")
RECORD = struct.Struct("<QQIIBBHI")

SYSTEM = takt.System(
    policy="edf",
    tasks=[
        takt.Task(name="A", period=5, wcet=2, server="S", priority=3, threshold=7),
        takt.Task(name="B", period=7, wcet=2, offset=1, deadline=6, preemption="non-preemptive", **{"class": "soft"}),
        takt.Task(name="C", period=9, wcet=1, demand=2, server="S", priority=1),
    ],
    servers=[takt.Server(name="S", period=6, budget=4, offset=2)],
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A trace of SYSTEM."""
    path = tmp_path / "T.takt"
    takt.simulate(SYSTEM, horizon=60, trace=path)
    return path


def header_of(path: Path) -> dict[str, Any]:
    """The JSON header of a trace."""
    data = path.read_bytes()
    length = PREAMBLE.unpack_from(data)[3]
    header = json.loads(data[PREAMBLE.size : PREAMBLE.size + length])
    assert isinstance(header, dict)
    return header


def records_of(path: Path) -> list[list[int]]:
    """The records of a trace before the closing one, as their fields."""
    data = path.read_bytes()
    return [list(record) for record in RECORD.iter_unpack(data[begin_of_records(data) :])][:-1]


def closing(count: int) -> bytes:
    """The record that ends a trace of so many records."""
    return RECORD.pack(60, count, 2**32 - 1, 0, 27, 0, 0, 0)


def begin_of_records(data: bytes) -> int:
    """Where the records of a trace begin."""
    length: int = PREAMBLE.unpack_from(data)[3]
    return (PREAMBLE.size + length + 31) // 32 * 32


def rewrite(path: Path, header: object | None = None, records: list[list[int]] | None = None) -> None:
    """Give a trace another header or other records."""
    text = json.dumps(header_of(path) if header is None else header).encode()
    rows = records_of(path) if records is None else records
    start = PREAMBLE.pack(b"TAKTTRC\0", 6, 32, len(text)) + text
    body = b"".join(RECORD.pack(*row) for row in rows) + closing(len(rows))
    path.write_bytes(start + bytes(-len(start) % 32) + body)


def refusal(path: Path) -> str:
    """What is said about a trace that is refused, without its path."""
    with pytest.raises(takt.InputError) as caught:
        takt.replay(path)
    (problem,) = caught.value.problems
    assert problem.file == str(path)
    return problem.message


def test_a_trace_holds_the_system_as_core_got_it(path: Path) -> None:
    trace = trace_file.read(path)
    assert trace.system == as_core_gets_it(SYSTEM.resolved)
    assert (trace.platform, trace.software, trace.horizon) == ("simulator", f"takt {takt.__version__}", 60)


def as_core_gets_it(system: ResolvedSystem) -> ResolvedSystem:
    """A system without what only people and the simulator know."""
    one_tick = ResolvedTask("", "hard", 0, 1, 1, 0, 1, 1, None).demand
    return replace(
        system,
        tasks=tuple(replace(task, priority=0, demand=one_tick) for task in system.tasks),
        servers=tuple(replace(server, priority=0) for server in system.servers),
    )


def test_a_trace_replays_identically(path: Path) -> None:
    replay = takt.replay(path)
    decisions = sum(record.kind == _core.RECORD_DECISION for record in replay.trace.records())
    assert replay.is_identical
    assert replay.decisions == decisions == takt.simulate(SYSTEM, horizon=60).decisions


def test_the_bytes_of_a_trace_are_laid_out_as_its_contract_says(path: Path) -> None:
    data = path.read_bytes()
    magic, version, size, length = PREAMBLE.unpack_from(data)
    assert (magic, version, size) == (b"TAKTTRC\0", 6, 32)
    assert set(data[PREAMBLE.size + length : begin_of_records(data)]) <= {0}
    assert (len(data) - begin_of_records(data)) % 32 == 0
    assert data[-32:] == closing(len(records_of(path)))
    assert [row["kind"] for row in header_of(path)["entities"]] == ["server", "task", "task", "task"]


def test_plain_threads_and_other_timers_survive_the_file(tmp_path: Path) -> None:
    task = ResolvedTask("A", "hard", 0, 5, 5, 0, 2, level=1, preemption_key=None)
    threads = (ResolvedThread("idle", 3), ResolvedThread("shell", 2))
    system = ResolvedSystem("board", "fp", 40, 3, (task,), (), threads, order_rows=2, time_rows=8)
    trace_file.write(tmp_path / "T.takt", system, "cortex_m", 100, b"")
    trace = trace_file.read(tmp_path / "T.takt")
    assert trace.system == system
    assert (trace.platform, len(trace)) == ("cortex_m", 0)
    assert takt.replay(tmp_path / "T.takt").decisions == 0


def test_records_of_unknown_kinds_are_skipped(path: Path) -> None:
    rows = records_of(path)
    rows.insert(3, [rows[3][0], 0, 0, 0, 200, 0, 0, 0])
    rewrite(path, records=rows)
    assert takt.replay(path).is_identical


def test_a_changed_decision_is_the_first_difference(path: Path) -> None:
    rows = records_of(path)
    number = next(at for at, row in enumerate(rows) if row[4] == _core.RECORD_DECISION and row[0] == 8)
    recorded_until = rows[number][1]
    rows[number][1] += 1
    rewrite(path, records=rows)
    difference = takt.replay(path).difference
    assert difference is not None
    assert (difference.record, difference.recorded.value, difference.replayed.value) == (
        number,
        recorded_until + 1,
        recorded_until,
    )
    assert difference.text == (
        f"different at record {number}, instant 8 (8ms): recorded C#0 until 10 (10ms), replayed C#0 until 9 (9ms)"
    )


def test_a_decision_for_another_entity_is_a_difference(path: Path) -> None:
    rows = records_of(path)
    number = next(at for at, row in enumerate(rows) if row[4] == _core.RECORD_DECISION)
    rows[number][2] = 77
    rewrite(path, records=rows)
    difference = takt.replay(path).difference
    assert difference is not None
    assert "recorded entity 77 until" in difference.text
    assert "replayed idle until" in difference.text


def test_another_parameter_in_the_header_is_found_by_replay(path: Path) -> None:
    header = header_of(path)
    header["entities"][1]["period"] = 6
    rewrite(path, header=header)
    assert not takt.replay(path).is_identical


def test_records_that_cannot_have_been_recorded_are_an_error_of_the_file(path: Path) -> None:
    rows = records_of(path)
    rows[5][0] = 0
    rows.insert(6, [59, 59, 2, 0, 1, 0, 0, 0])
    rewrite(path, records=rows)
    assert "cannot have been recorded in this order" in refusal(path)


def cut(length: int) -> Callable[[bytes], bytes]:
    """Keep the first bytes."""
    return lambda data: data[:length]


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (cut(0), "not a Takt trace: it does not begin with TAKTTRC"),
        (cut(5), "not a Takt trace: it does not begin with TAKTTRC"),
        (lambda data: b"x" + data[1:], "not a Takt trace: it does not begin with TAKTTRC"),
        (cut(12), "damaged trace: the header ends at byte 16, the file at byte 12"),
        (
            lambda data: data[:8] + b"\1\0" + data[10:],
            "this version reads traces of version 6, found 1; record it again",
        ),
        (
            lambda data: data[:8] + b"\5\0" + data[10:],
            "this version reads traces of version 6, found 5; record it again",
        ),
        (lambda data: data[:10] + b"\x40\0" + data[12:], "damaged trace: records have 32 bytes, found 64"),
        (lambda data: data[:-1], "damaged trace: 31 bytes stand after the last whole record"),
        (lambda data: data + b"abc", "damaged trace: 3 bytes stand after the last whole record"),
        (lambda data: data[:16] + b"}" + data[17:], "damaged trace: its header is not JSON"),
        (lambda data: data[:16] + b"\xff" + data[17:], "damaged trace: its header is not JSON"),
    ],
)
def test_damaged_bytes_are_refused(path: Path, damage: Callable[[bytes], bytes], message: str) -> None:
    path.write_bytes(damage(path.read_bytes()))
    assert refusal(path) == message


def test_a_header_that_is_cut_off_is_refused(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:100])
    assert refusal(path) == f"damaged trace: the header ends at byte {begin_of_records(data)}, the file at byte 100"


def without(*keys: str | int) -> Callable[[Any], None]:
    """Drop one key of a header."""

    def change(header: Any) -> None:
        for key in keys[:-1]:
            header = header[key]
        del header[keys[-1]]

    return change


def refusal_of_header(path: Path, system: takt.System, change: Callable[[object], None]) -> str:
    """What is said about a trace of a system whose header is changed."""
    takt.simulate(system, 20, trace=path)
    header = header_of(path)
    change(header)
    rewrite(path, header=header)
    message = refusal(path)
    assert message.startswith("damaged trace: its header is not right: ")
    return message.removeprefix("damaged trace: its header is not right: ")


def having(value: object, *keys: str | int) -> Callable[[Any], None]:
    """Replace one value of a header."""

    def change(header: Any) -> None:
        for key in keys[:-1]:
            header = header[key]
        header[keys[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (without("platform"), "platform is missing"),
        (without("entities"), "entities is missing"),
        (without("system", "policy"), "policy is missing"),
        (without("entities", 1, "period"), "period is missing"),
        (having([], "system"), "system is of the wrong type"),
        (having("1", "resolution_ns"), "resolution_ns is of the wrong type"),
        (having(True, "horizon"), "horizon is of the wrong type"),
        (having(0, "resolution_ns"), "resolution_ns is out of range"),
        (having("rr", "system", "policy"), "unknown policy rr"),
        (having("lottery", "entities", 0, "server_kind"), "unknown kind of server lottery"),
        (having("a\rb", "entities", 0, "server_kind"), r"unknown kind of server a\rb"),
        (having(0, "entities", 1, "period"), "period 0 out of range"),
        (having(-1, "entities", 1, "period"), "period is out of range"),
        (having(2**62, "entities", 1, "offset"), f"offset {2**62} out of range"),
        (having(2**70, "entities", 1, "offset"), "offset is out of range"),
        (having(-1, "system", "levels"), "levels is out of range"),
        (having(7, "entities", 0, "budget"), "budget above period"),
        (having(0, "entities", 1, "level"), "level 0 out of range"),
        (having(4, "entities", 1, "level"), "level 4 out of range"),
        (having(4, "entities", 1, "preemption_key"), "level 4 out of range"),
        (having(2**20, "system", "levels"), f"level {2**20} out of range"),
        (having(2, "entities", 1, "home"), "home 2 is no server"),
        (having(1, "entities", 0, "home"), "the parents of a server form a ring"),
        (having(8, "system", "order_rows"), "number of timer rows 8 out of range"),
        (without("system", "cpus"), "cpus is missing"),
        (having(0, "system", "cpus"), "number of processors out of range"),
        (having(65, "system", "cpus"), "number of processors out of range"),
        (having(2, "system", "cpus"), "several processors beside other things"),
        (having(17, "system", "time_rows"), "number of timer rows 17 out of range"),
        (having(5, "entities", 1, "id"), "entity 2 is not described"),
        (having("cpu", "entities", 1, "kind"), "entity 2 is not described"),
        (having(3, "entities", 1), "entity 2 is not described"),
        (having("thread", "entities", 0, "kind"), "entity 2 is a task after a thread"),
    ],
)
def test_a_header_that_is_not_right_is_refused(path: Path, change: Callable[[Any], None], message: str) -> None:
    header = header_of(path)
    change(header)
    rewrite(path, header=header)
    assert refusal(path) == f"damaged trace: its header is not right: {message}"


def test_a_header_that_is_no_object_is_refused(path: Path) -> None:
    rewrite(path, header=[1, 2])
    assert refusal(path) == "damaged trace: its header is not a JSON object"


def test_timers_too_small_for_the_entities_are_refused(tmp_path: Path) -> None:
    task = ResolvedTask("A", "hard", 0, 5, 5, 0, 2, level=1, preemption_key=None)
    system = ResolvedSystem("board", "fp", 40, 1, (task,) * 8, order_rows=1)
    trace_file.write(tmp_path / "T.takt", system, "cortex_m", 100, b"")
    assert refusal(tmp_path / "T.takt") == "damaged trace: its header is not right: too few timer rows"


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none.takt") == "cannot read: No such file or directory"
    assert refusal(tmp_path) == "cannot read: Is a directory"
