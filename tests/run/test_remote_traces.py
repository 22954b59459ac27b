# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Traces of a scheduler at a distance, and of one whose memory was full: what replay takes, and what it says."""

from __future__ import annotations

from pathlib import Path

import pytest
import takt
from takt import _core
from takt.files import trace_file
from takt.model.core_input import Stream
from takt.model.image import Run, names_of, pack, unpack
from trace_header import RECORD, begin_of_records, header_of, records_of, refusal, rewrite, status_and_lines

SYSTEM = takt.System(
    policy="rm", tasks=[takt.Task(name="A", period=10, wcet=2), takt.Task(name="B", period=20, wcet=3)]
)
NONE = _core.NO_ENTITY
A, B = 1, 2

RECORDS = [
    [0, 0, NONE, 0, 5, 0, 0, 0],  # all that is due at 0
    [0, 0, A, 0, 33, 0, 0, 0],
    [0, 0, B, 0, 33, 0, 0, 0],
    [0, 0, A, 0, 16, 0, 0, 0],
    [3, 0, NONE, 0, 31, 0, 0, 0],  # a fetch came before the event that it names
    [3, 2, A, 1, 29, 0, 0, 0],
    [3, 2, A, 1, 1, 0, 0, 0],  # A#0 was done at 2, received at 3
    [3, 0, NONE, 1, 5, 0, 0, 0],
    [3, 0, B, 1, 16, 0, 0, 0],
    [4, 3, A, 2, 29, 0, 0, 0],
    [4, 1, A, 2, 30, 0, 0, 0],  # done once more
    [11, 0, NONE, 2, 5, 0, 0, 0],
    [11, 10, A, 2, 33, 0, 0, 1],
    [11, 0, A, 2, 16, 0, 0, 1],
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A trace of SYSTEM whose scheduler is at a distance."""
    path = tmp_path / "T.takt"
    records = b"".join(RECORD.pack(*row) for row in RECORDS)
    trace_file.write(path, SYSTEM.resolved, "posix", 20, records, is_remote=True)
    return path


def test_what_a_remote_scheduler_records_replays(path: Path) -> None:
    replay = takt.replay(path)
    assert replay.text == "identical: 3 decisions"
    assert (replay.is_identical, replay.decisions, len(replay.trace)) == (True, 3, len(RECORDS))
    assert replay.trace.full_at is None


def test_of_another_scheduler_no_such_record_is_taken(path: Path) -> None:
    header = header_of(path)
    header.set("RUN", 0, "is_remote", 0)
    rewrite(path, header=header)
    assert refusal(path) == "damaged trace: record 0, at 0 (0s), cannot have been recorded in this order"


@pytest.mark.parametrize(
    ("number", "field", "value", "text"),
    [
        (1, 2, B, "record 1, instant 0 (0s): recorded release of B#0, replayed release of A#0"),
        (2, 7, 1, "record 2, instant 0 (0s): recorded release of B#1, replayed release of B#0"),
        (3, 1, 9, "record 3, instant 0 (0s): recorded A#0 until 9 (9ms), replayed A#0"),
        (4, 2, A, "record 4, instant 3 (3ms): recorded a dropped decision, replayed a dropped decision"),
        (5, 1, 3, "record 5, instant 3 (3ms): recorded lateness of A#0, replayed completion of A#0"),
        (6, 7, 1, "record 6, instant 3 (3ms): recorded completion of A#1, replayed completion of A#0"),
        (10, 3, 3, "record 10, instant 4 (4ms): recorded stale event of A#0, replayed stale event of A#0"),
    ],
)
def test_what_differs_is_said(path: Path, number: int, field: int, value: int, text: str) -> None:
    rows = records_of(path)
    rows[number][field] = value
    rewrite(path, records=rows)
    difference = takt.replay(path).difference
    assert difference is not None
    assert difference.text == f"different at {text}"


@pytest.mark.parametrize(("number", "field", "value"), [(0, 1, 1), (4, 1, 2), (10, 1, 9), (9, 0, 3)])
def test_what_cannot_have_been_recorded_is_refused(path: Path, number: int, field: int, value: int) -> None:
    """A counted step, a decision dropped otherwise, an event that never is stale, a lateness of another instant."""
    rows = records_of(path)
    rows[number][field] = value
    rewrite(path, records=rows)
    assert "cannot have been recorded in this order" in refusal(path)


def test_an_image_says_that_the_scheduler_is_remote_and_how_long_messages_take() -> None:
    delays = Stream("listed", (2, 0, 5), least=0)
    packed = pack(SYSTEM.resolved, 20, is_remote=True, delays=delays)
    _core.Program(packed, [])
    run, _ = unpack(packed, names_of(SYSTEM.resolved))
    assert run == Run(20, SYSTEM.resolution_ns, False, SYSTEM.resolved.seed, True, delays)
    with pytest.raises(ValueError, match="delays of messages need a remote scheduler"):
        _core.Program(pack(SYSTEM.resolved, 20, delays=delays), [])


# ---- a trace that overflowed ---------------------------------------------------------------------------


@pytest.fixture
def full(path: Path) -> Path:
    """Of the trace, the first four records, after which the memory was full at 3."""
    data = path.read_bytes()
    kept = data[: begin_of_records(data) + 4 * RECORD.size]
    path.write_bytes(kept + RECORD.pack(3, 4, NONE, 0, _core.RECORD_OVERFLOW, 0, 0, 0))
    return path


SAID = "the trace is incomplete: its memory was full after 4 records, at 3 (3ms)"


def test_what_is_there_of_a_trace_that_overflowed_is_replayed(full: Path) -> None:
    replay = takt.replay(full)
    assert (replay.is_identical, replay.decisions, replay.trace.full_at) == (True, 1, 3)
    assert status_and_lines(full) == (0, [f"identical: 1 decisions; {SAID}"])


def test_a_difference_in_a_trace_that_overflowed_is_said_first(full: Path) -> None:
    data = bytearray(full.read_bytes())
    data[begin_of_records(full.read_bytes()) + 3 * RECORD.size + 16] = B
    full.write_bytes(data)
    expected = f"{full}: different at record 3, instant 0 (0s): recorded B#0, replayed A#0; {SAID}"
    assert status_and_lines(full) == (1, [expected])


def test_a_ring_that_lost_its_first_records_is_no_whole_trace(full: Path) -> None:
    data = full.read_bytes()
    full.write_bytes(data[: begin_of_records(data)] + data[begin_of_records(data) + RECORD.size :])
    expected = "incomplete trace: its memory was full; expected 4 records before the closing record, found 3"
    assert refusal(full) == f"{expected}; record it again"
