# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Trace files: what is written is read, and what is damaged is refused in one line."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import takt
from takt import _core
from takt.files import trace_file
from takt.model.core_input import ResolvedSystem, ResolvedTask, ResolvedThread
from trace_header import (
    PREAMBLE,
    Change,
    Header,
    begin_of_records,
    closing,
    having,
    header_of,
    named,
    records_of,
    refusal,
    refusal_of_changed,
    rewrite,
    without,
)

SYSTEM = takt.System(
    policy="edf",
    tasks=[
        takt.Task(name="A", period=5, wcet=2, server="S", priority=3, threshold=7),
        takt.Task(name="B", period=7, wcet=2, offset=1, deadline=6, preemption="non-preemptive", **{"class": "soft"}),
        takt.Task(name="C", period=9, wcet=1, demand=2, server="S", priority=1),
    ],
    servers=[takt.Server(name="S", period=6, budget=4, offset=2)],
)

PLAIN = ResolvedTask("A", class_="hard", home=0, period=5, deadline=5, offset=0, wcet=2, level=1, preemption_key=None)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A trace of SYSTEM."""
    path = tmp_path / "T.takt"
    takt.simulate(SYSTEM, horizon=60, trace=path)
    return path


def test_a_trace_holds_the_system_as_core_got_it(path: Path) -> None:
    trace = trace_file.read(path)
    assert trace.system == as_core_gets_it(SYSTEM.resolved)
    assert (trace.platform, trace.software, trace.horizon) == ("simulator", f"takt {takt.__version__}", 60)


def as_core_gets_it(system: ResolvedSystem) -> ResolvedSystem:
    """A system without what only people know."""
    return replace(
        system,
        tasks=tuple(replace(task, priority=0) for task in system.tasks),
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
    assert (magic, version, size) == (b"TAKTTRC\0", 8, 32)
    assert set(data[PREAMBLE.size + length : begin_of_records(data)]) <= {0}
    assert (len(data) - begin_of_records(data)) % 32 == 0
    assert data[-32:] == closing(len(records_of(path)))
    header = header_of(path)
    assert (header.words[0], header.words[1]) == (_core.IMAGE_MAGIC, 5)
    assert (header.names["servers"], header.names["tasks"]) == (["S"], ["A", "B", "C"])


def test_plain_threads_and_other_timers_survive_the_file(tmp_path: Path) -> None:
    threads = (ResolvedThread("idle", level=3), ResolvedThread("shell", level=2))
    system = ResolvedSystem("board", "fp", 40, 3, (PLAIN,), (), threads, order_rows=2, time_rows=8)
    trace_file.write(tmp_path / "T.takt", system, "cortex_m", 100, b"")
    trace = trace_file.read(tmp_path / "T.takt")
    assert trace.system == system
    assert (trace.platform, len(trace)) == ("cortex_m", 0)
    assert takt.replay(tmp_path / "T.takt").decisions == 0


@pytest.mark.parametrize("kind", [0, 37, 80, 200, 255])
def test_a_record_of_an_unknown_kind_is_an_error_of_the_file(path: Path, kind: int) -> None:
    """Also in the place of one that core makes by itself: no bit can take a decision out of a trace."""
    rows = records_of(path)
    inserted = [*rows[:3], [rows[3][0], 0, 0, 0, kind, 0, 0, 0], *rows[3:]]
    number = next(at for at, row in enumerate(rows) if row[4] == _core.RECORD_DECISION)
    replaced = [[*row[:4], kind, *row[5:]] if at == number else row for at, row in enumerate(rows)]
    for place, changed in ((3, inserted), (number, replaced)):
        rewrite(path, records=changed)
        assert re.fullmatch(
            rf"damaged trace: record {place}, .* cannot have been recorded in this order", refusal(path)
        )


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
    header.set("TASKS", 0, "period", 6)
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
            "this version reads traces of version 8, found 1; record it again",
        ),
        (
            lambda data: data[:8] + b"\7\0" + data[10:],
            "this version reads traces of version 8, found 7; record it again",
        ),
        (lambda data: data[:10] + b"\x40\0" + data[12:], "damaged trace: records have 32 bytes, found 64"),
        (lambda data: data[:-1], "damaged trace: 31 bytes stand after the last whole record"),
        (lambda data: data + b"abc", "damaged trace: 3 bytes stand after the last whole record"),
        (
            lambda data: data.replace(b'{"software"', b'}"software"'),
            "damaged trace: its header is not right: its names are not JSON",
        ),
        (
            lambda data: data.replace(b'{"software"', b'\xff"software"'),
            "damaged trace: its header is not right: its names are not JSON",
        ),
    ],
)
def test_damaged_bytes_are_refused(path: Path, damage: Callable[[bytes], bytes], message: str) -> None:
    path.write_bytes(damage(path.read_bytes()))
    assert refusal(path) == message


def test_a_header_that_is_cut_off_is_refused(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:100])
    assert refusal(path) == f"damaged trace: the header ends at byte {begin_of_records(data)}, the file at byte 100"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (without("platform"), "platform is missing"),
        (without("tasks"), "tasks is missing"),
        (named([], "system"), "system is of the wrong type"),
        (named([1], "servers"), "servers is of the wrong type"),
        (named([], "servers"), "expected 1 names of servers, found 0"),
        (named(["mine"], "policies"), "unknown policy mine"),
        (having(2**62, "RUN", 0, "horizon"), f"horizon {2**62} out of range"),
        (having(0, "RUN", 0, "resolution_ns"), "resolution_ns 0 out of range"),
        (having("rr", "SYSTEM", 0, "policy"), "a policy or a kind is not in the tables of this build"),
        (having(1, "SYSTEM", 0, "policy"), "a policy or a kind is not in the tables of this build"),
        (having("lottery", "SERVERS", 0, "kind"), "a policy or a kind is not in the tables of this build"),
        (having("cbs", "SERVERS", 0, "kind"), "a policy or a kind is not in the tables of this build"),
        (having(2**62, "TASKS", 0, "offset"), f"offset {2**62} out of range"),
        (having(0, "SYSTEM", 0, "levels"), "levels 0 out of range"),
        (having(0, "TASKS", 0, "level"), "level 0 out of range"),
        (having(2**20, "SYSTEM", 0, "levels"), f"levels {2**20} out of range"),
        (having(2, "TASKS", 0, "home"), "home 2 out of range"),
        (having(8, "SYSTEM", 0, "order_rows"), "order_rows 8 out of range"),
        (having(0, "SYSTEM", 0, "cpus"), "cpus 0 out of range"),
        (having(65, "SYSTEM", 0, "cpus"), "cpus 65 out of range"),
        (having(17, "SYSTEM", 0, "time_rows"), "time_rows 17 out of range"),
        (having(3, "TASKS", 1, "class_"), "class_ 3 out of range"),
        (having(2, "TASKS", 1, "suspends"), "suspends 2 out of range"),
        (having(1, "TASKS", 1, "body"), "the image holds a value that cannot be"),
        (having(1, "TASKS", 1, "drawn_demand"), "drawn_demand 1 out of range"),
    ],
)
def test_a_header_that_is_not_right_is_refused(path: Path, change: Change, message: str) -> None:
    assert refusal_of_changed(path, change) == message


@pytest.mark.parametrize(
    ("at", "value", "message"),
    [
        (0, 7, "it has no image"),
        (1, 2, "the image is of another version"),
        (2, 2**40, "its image is longer than the header"),
        (2, 20, "its names are not JSON"),
        (3, 2, "the image holds a value that cannot be"),
        (9, 4, "the image is shorter or longer than it says"),
    ],
)
def test_an_image_that_is_none_is_refused(path: Path, at: int, value: int, message: str) -> None:
    def change(header: Header) -> None:
        header.words[at] = value

    assert refusal_of_changed(path, change) == message


@pytest.mark.parametrize(("names", "message"), [([1, 2], "its names are not a JSON object")])
def test_a_header_that_is_no_object_is_refused(path: Path, names: object, message: str) -> None:
    header = header_of(path)
    header.names = names
    rewrite(path, header=header)
    assert refusal(path) == f"damaged trace: its header is not right: {message}"


def test_timers_too_small_for_the_entities_are_refused(tmp_path: Path) -> None:
    system = ResolvedSystem("board", "fp", 40, 1, (PLAIN,) * 8, order_rows=1)
    trace_file.write(tmp_path / "T.takt", system, "cortex_m", 100, b"")
    assert refusal(tmp_path / "T.takt") == "damaged trace: its header is not right: too few timer rows"


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none.takt") == "cannot read: No such file or directory"
    assert refusal(tmp_path) == "cannot read: Is a directory"
