# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Whole traces: what lost its end, its beginning or its middle never replays as identical.

A trace ends with a record that counts those before it. Traces of every platform are cut at every record boundary and at
random bytes; each is refused in one line, with exit status 2.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import takt
from places import EXAMPLES
from sampling import count
from takt.base.errors import BoardError
from takt.board import emulation, firmware
from takt.command import main
from takt.files import trace_file
from trace_header import status_and_lines
from typer.testing import CliRunner

RECORD_BYTES = 32

SIMULATED = {
    "plain": ("smallest", "40ms"),
    "servers": ("servers", "40ms"),
    "resources": ("resources", "40ms"),
    "changes": ("mode_change", "60ms"),
    "rates": ("iot_110", "40ms"),
    "processors": ("dhall", None),
    "architecture": ("architectures", "2ms"),
}
"""One example of each loop of the simulator, and of each kind of record."""

BOARDS = (emulation.POSIX, emulation.REAL_TIME, emulation.CORTEX_M, emulation.RISCV)


def simulated(name: str, path: Path) -> None:
    """Record a simulation."""
    example, horizon = SIMULATED[name]
    takt.simulate(takt.load(EXAMPLES / f"{example}.toml"), horizon, trace=path)


def on_board(name: str, path: Path) -> None:
    """Record a run on a board."""
    emulation.run(takt.load(EXAMPLES / "smallest.toml").replace(horizon="20ms"), path, name)


RECORDERS: dict[str, Callable[[Path], None]] = {
    **{name: partial(simulated, name) for name in SIMULATED},
    **{name: partial(on_board, name) for name in BOARDS},
}


def refusal(path: Path) -> str:
    """What is said of a trace that is refused, without its path."""
    with pytest.raises(takt.InputError) as caught:
        takt.replay(path)
    (problem,) = caught.value.problems
    assert "\n" not in problem.message
    return problem.message


@pytest.fixture(scope="module", params=RECORDERS)
def whole(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole trace of each platform, which replays as identical."""
    path = tmp_path_factory.mktemp("whole") / "T.takt"
    RECORDERS[request.param](path)
    assert takt.replay(path).is_identical
    return path


def boundaries(path: Path) -> list[int]:
    """Every byte of a trace at which a record, or nothing, begins, but for its end."""
    size, records = path.stat().st_size, len(trace_file.read(path)) + 1
    return [size - RECORD_BYTES * number for number in range(1, records + 1)]


def test_a_trace_cut_at_any_record_is_truncated(whole: Path, tmp_path: Path) -> None:
    data, cut = whole.read_bytes(), tmp_path / "cut.takt"
    places = boundaries(whole)
    assert len(places) > 2
    for place in places:
        cut.write_bytes(data[:place])
        assert refusal(cut).startswith("truncated trace: expected a closing record")
    for place in (places[0], places[len(places) // 2], places[-1]):
        cut.write_bytes(data[:place])
        status, lines = status_and_lines(cut)
        assert (status, len(lines)) == (2, 1)


def test_a_trace_cut_at_any_byte_is_refused(whole: Path, tmp_path: Path) -> None:
    data, cut = whole.read_bytes(), tmp_path / "cut.takt"
    choice = random.Random(len(data))
    for place in choice.sample(range(len(data)), min(len(data), count(100))):
        cut.write_bytes(data[:place])
        assert refusal(cut)


def test_a_trace_without_its_beginning_is_incomplete(whole: Path, tmp_path: Path) -> None:
    """As a ring leaves it that overwrote its oldest records: its closing record counts them too."""
    data, cut = whole.read_bytes(), tmp_path / "cut.takt"
    *_, begin = boundaries(whole)
    records = (len(data) - begin) // RECORD_BYTES - 1
    for lost in (1, records // 2, records):
        cut.write_bytes(data[:begin] + data[begin + RECORD_BYTES * lost :])
        expected = f"incomplete trace: expected {records} records before the closing record, found {records - lost}"
        assert refusal(cut) == f"{expected}; record it again"
        assert status_and_lines(cut) == (2, [f"{cut}: {expected}; record it again"])


def test_two_traces_one_behind_the_other_are_no_trace(whole: Path, tmp_path: Path) -> None:
    data, both = whole.read_bytes(), tmp_path / "both.takt"
    *_, begin = boundaries(whole)
    both.write_bytes(data + data[begin:])
    assert refusal(both).startswith("incomplete trace: ")


def test_a_closing_record_in_the_middle_is_no_record(whole: Path, tmp_path: Path) -> None:
    trace = trace_file.read(whole)
    end = whole.read_bytes()[-RECORD_BYTES:]
    trace_file.write(tmp_path / "T.takt", trace.system, trace.platform, trace.horizon, bytes(trace.data) + end)
    assert "cannot have been recorded in this order" in refusal(tmp_path / "T.takt")


def test_a_run_in_which_nothing_happens_has_a_whole_trace(tmp_path: Path) -> None:
    system = takt.System(tasks=[takt.Task(name="A", period=5, wcet=2, offset=3)])
    takt.simulate(system, horizon=1, trace=tmp_path / "T.takt")
    assert takt.replay(tmp_path / "T.takt").is_identical
    trace_file.write(tmp_path / "T.takt", system.resolved, "simulator", 1, b"")
    replay = takt.replay(tmp_path / "T.takt")
    assert (replay.is_identical, replay.decisions, len(replay.trace)) == (True, 0, 0)


class Failing(takt.Policy):
    """Gives up at its third job."""

    def release(self, job: takt.Job) -> int:
        if job.number == 2:
            raise RuntimeError("no more")
        return 1


def test_a_run_that_fails_leaves_no_trace_that_replays(tmp_path: Path) -> None:
    system = takt.System(tasks=[takt.Task(name="A", period=5, wcet=2)], policy=Failing())
    with pytest.raises(takt.InputError, match=r"release\(\) failed for .A.#2: RuntimeError: no more") as failed:
        takt.simulate(system, 40, trace=tmp_path / "T.takt")
    assert isinstance(failed.value.__cause__, RuntimeError)
    if (tmp_path / "T.takt").exists():
        assert refusal(tmp_path / "T.takt").startswith("truncated trace: ")


# ---- boards that stop ----------------------------------------------------------------------------------

SAVE = "if (!takt_semihost_save(trace_file, records.first, count * sizeof *records.first)) {"
STOPS = {"trap": "__builtin_trap()", "exit": "takt_semihost_exit(0)"}
"""How a program may end in the middle: by a fault, and as if all were well."""
SAID = {
    "trap": "the firmware failed with status ",
    "exit": "the board stopped before the end of its run: truncated trace: expected a closing record at the end",
}


def firmware_that_stops(folder: Path, how: str) -> Path:
    """Copy the sources of the firmware; the copy stops when it has written half of its records."""
    source = firmware.source_folder()
    for part in firmware._FOLDERS:
        shutil.copytree(source / part, folder / part)
    main = folder / "firmware" / "main.c"
    text = main.read_text()
    assert text.count(SAVE) == 1
    half = "(void)takt_semihost_save(trace_file, records.first, count / 2u * sizeof *records.first);"
    main.write_text(text.replace(SAVE, f"{half}\n{STOPS[how]};\n{SAVE}"))
    return folder


@pytest.mark.parametrize(
    ("board", "how"),
    [(emulation.POSIX, "trap"), (emulation.POSIX, "exit"), (emulation.CORTEX_M, "exit"), (emulation.RISCV, "exit")],
)
def test_a_board_that_stops_in_the_middle_is_reported(
    board: str, how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = emulation.load_board(board)
    source = firmware_that_stops(tmp_path / "source", how)
    monkeypatch.setattr(emulation, "load_board", lambda *_: replace(found, source=source))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    result = CliRunner().invoke(main.app, ["run", str(EXAMPLES / "smallest.toml"), "--on", board])
    (line,) = result.output.splitlines()
    assert result.exit_code == 1
    assert SAID[how] in line


@pytest.mark.parametrize("board", BOARDS)
def test_records_that_a_board_lost_are_reported(board: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the port: the file that came back is shorter than what the firmware wrote."""
    execute = emulation._execute
    monkeypatch.setattr(emulation, "_execute", lambda *given: (execute(*given)[0][: -2 * RECORD_BYTES], None))
    with pytest.raises(BoardError, match="the board stopped before the end of its run: truncated trace"):
        on_board(board, tmp_path / "T.takt")
    assert not (tmp_path / "T.takt").exists()


def test_the_image_says_how_far_a_run_goes_and_the_closing_record_repeats_it(tmp_path: Path) -> None:
    on_board(emulation.POSIX, tmp_path / "T.takt")
    trace = trace_file.read(tmp_path / "T.takt")
    now = int.from_bytes((tmp_path / "T.takt").read_bytes()[-RECORD_BYTES:][:8], "little")
    assert now == trace.horizon
