# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Damaged traces: no bit of a trace can be another one without a word, and every replay ends.

What replay does not cover is listed in docs/trace-format.md and here: names, values of the image on which no decision
of the run depends, and of an input its instants, where the scheduler decides the same at the other instant.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
import takt
from places import EXAMPLES
from sampling import count
from takt import _core
from takt.files import trace_file
from test_remote_traces import RECORDS
from test_remote_traces import SYSTEM as REMOTE
from trace_header import PREAMBLE, RECORD, begin_of_records, records_of, refusal, rewrite, status_and_lines

SIMULATED = {
    "plain": ("smallest", "20ms"),
    "servers": ("servers", "20ms"),
    "resources": ("resources", "20ms"),
    "changes": ("mode_change", "30ms"),
    "rates": ("iot_110", "15ms"),
    "processors": ("dhall", "100ms"),
    "machine": ("machine", "10ms"),
    "architecture": ("architectures", "1ms"),
}
NOW, VALUE, KIND = 0, 1, 4
OUTPUTS = {*range(16, 25), *range(33, 36)}
FAR = 2**61
SECONDS = 60


def simulated(name: str, path: Path) -> None:
    """Record a simulation."""
    example, horizon = SIMULATED[name]
    takt.simulate(takt.load(EXAMPLES / f"{example}.toml"), horizon, trace=path)


def remote(path: Path) -> None:
    """Write what a scheduler at a distance records."""
    records = b"".join(RECORD.pack(*row) for row in RECORDS)
    trace_file.write(path, REMOTE.resolved, "posix", 20, records, is_remote=True)


RECORDERS: dict[str, Callable[[Path], None]] = {
    **{name: partial(simulated, name) for name in SIMULATED},
    "remote": remote,
}


@pytest.fixture(params=RECORDERS)
def whole(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A whole trace."""
    path = tmp_path / "T.takt"
    RECORDERS[request.param](path)
    assert takt.replay(path).is_identical
    return path


@contextmanager
def ending() -> Iterator[None]:
    """End the process if the block does not end by itself: C cannot be interrupted otherwise."""
    before = signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


# ---- bits -------------------------------------------------------------------------------------------


def is_uncovered(data: bytes, place: int) -> bool:
    """True if nothing of a replay need depend on a byte."""
    begin = begin_of_records(data)
    if place < begin:
        length: int = PREAMBLE.unpack_from(data)[3]
        return PREAMBLE.size <= place < PREAMBLE.size + length
    at = (place - begin) // RECORD.size * RECORD.size + begin
    field = (place - at) // 8
    kind: int = RECORD.unpack_from(data, at)[KIND]
    is_closing = at + RECORD.size == len(data)
    return field == NOW or (field == VALUE and kind not in OUTPUTS and not is_closing)


def test_a_flipped_bit_is_found_unless_no_decision_depends_on_it(whole: Path, tmp_path: Path) -> None:
    data, path = whole.read_bytes(), tmp_path / "flipped.takt"
    bits = range(8 * len(data))
    for bit in random.Random(len(data)).sample(bits, min(count(400), len(bits))):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        path.write_bytes(flipped)
        with ending():
            said, is_identical = outcome_of(path)
        assert len(said.splitlines()) == 1, bit
        assert not is_identical or is_uncovered(data, bit // 8), f"{bit}: {said}"


def outcome_of(path: Path) -> tuple[str, bool]:
    """What is said of a trace, and whether it replays identically."""
    try:
        replay = takt.replay(path)
    except takt.InputError as error:
        return str(error), False
    return replay.text, replay.is_identical


def test_what_follows_the_header_and_the_closing_record_is_fixed(whole: Path) -> None:
    data = whole.read_bytes()
    for place in (begin_of_records(data) - 1, len(data) - 16, len(data) - 12, len(data) - 7, len(data) - 1):
        if place >= PREAMBLE.size + PREAMBLE.unpack_from(data)[3]:
            whole.write_bytes(bytes([*data[:place], data[place] ^ 1, *data[place + 1 :]]))
            assert refusal(whole).startswith("damaged trace: ")


# ---- ends -------------------------------------------------------------------------------------------


def test_a_record_after_the_end_is_refused(whole: Path) -> None:
    data = whole.read_bytes()
    last = len(data) - 2 * RECORD.size
    end = RECORD.unpack(data[-RECORD.size :])[NOW]
    far = RECORD.pack(FAR, *RECORD.unpack_from(data, last)[1:])
    whole.write_bytes(data[:last] + far + data[-RECORD.size :])
    assert refusal(whole) == (
        f"damaged trace: its last record is at tick {FAR}, after its end at tick {end}; record it again"
    )


@pytest.mark.parametrize("example", sorted(path.stem for path in EXAMPLES.glob("*.toml") if path.stem != "machine"))
def test_steps_at_the_end_of_time_end(example: str, tmp_path: Path) -> None:
    """Also if the closing record says that it was so late: for servers, windows, rates, resources."""
    path = tmp_path / "T.takt"
    takt.simulate(takt.load(EXAMPLES / f"{example}.toml"), 40, trace=path)
    rows = records_of(path)
    last = max(at for at, row in enumerate(rows) if row[KIND] == 5)
    rewritten(path, [*rows[:last], [FAR, 2**63, *rows[last][2:]]])
    with ending():
        status, lines = status_and_lines(path)
    assert len(lines) == 1
    assert status in (0, 2)


def rewritten(path: Path, rows: Sequence[Sequence[int]]) -> None:
    """Give a trace other records, and a closing one that is right."""
    data, body = path.read_bytes(), b"".join(RECORD.pack(*row) for row in rows)
    path.write_bytes(data[: begin_of_records(data)] + body + trace_file.closing(0, body))


def test_a_remote_scheduler_handles_no_more_than_its_trace_has(tmp_path: Path) -> None:
    """What is due at the end of time has no end, and the records that were lost are not asked for."""
    path = tmp_path / "T.takt"
    remote(path)
    step = next(at for at, row in reversed(list(enumerate(RECORDS))) if row[KIND] == 5)
    rewritten(path, [*RECORDS[:step], [FAR, *RECORDS[step][1:]]])
    with ending():
        assert takt.replay(path).is_identical


def test_of_steps_every_field_but_their_number_is_compared(tmp_path: Path) -> None:
    path = tmp_path / "T.takt"
    simulated("plain", path)
    number = next(at for at, row in enumerate(records_of(path)) if row[KIND] == 5)
    for field, value in ((1, 0), (2, 1), (3, 7), (5, 1), (6, 1), (7, 1)):
        rows = records_of(path)
        rows[number][field] = value
        rewrite(path, records=rows)
        assert "cannot have been recorded in this order" in refusal(path)
        simulated("plain", path)


# ---- the file ---------------------------------------------------------------------------------------

SHORTENED = """
import sys, os, takt
from takt.files import trace_file
trace = trace_file.read(sys.argv[1])
os.truncate(sys.argv[1], 0)
print(len(list(trace.records())))
"""


def test_a_trace_that_is_shortened_while_it_is_read_ends_no_process(tmp_path: Path) -> None:
    path = tmp_path / "T.takt"
    takt.simulate(takt.load(EXAMPLES / "smallest.toml"), "2s", trace=path)
    expected = len(records_of(path))
    done = subprocess.run([sys.executable, "-c", SHORTENED, str(path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{expected}\n", "")


def test_a_device_is_no_trace(tmp_path: Path) -> None:
    for device in ("/dev/null", "/dev/zero"):
        assert refusal(Path(device)) == "not a Takt trace: it does not begin with TAKTTRC"
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["sh", "-c", f"echo nothing > {tmp_path / 'pipe'}"]):
        assert refusal(tmp_path / "pipe") == "not a Takt trace: it does not begin with TAKTTRC"
    assert _core.TRACE_VERSION == 8
