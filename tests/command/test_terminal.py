# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The command in a terminal: a bar while a run is long, and an interrupt that leaves nothing behind."""

from __future__ import annotations

import os
import pty
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from places import EXAMPLES
from takt.command import terminal

COMMAND = str(Path(sys.executable).with_name("takt"))
SMALLEST = str(EXAMPLES / "smallest.toml")
HIDE_CURSOR, SHOW_CURSOR = "\x1b[?25l", "\x1b[?25h"


def run_in_a_terminal(horizon: str, *, interrupted_at: str | None = None) -> tuple[int, str]:
    """Run the command in a terminal of its own; give exit status and all that it wrote.

    Args:
        horizon: how long to simulate.
        interrupted_at: what must have been written before Ctrl-C is pressed.
    """
    child, terminal = pty.fork()
    if child == 0:
        os.execve(COMMAND, [COMMAND, "run", SMALLEST, "--horizon", horizon], os.environ | {"TERM": "xterm"})
    written = ""
    while part := read(terminal):
        written += part
        if interrupted_at is not None and interrupted_at in written:
            os.kill(child, signal.SIGINT)
            interrupted_at = None
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), written


def read(terminal: int) -> str:
    """Read what comes next; "" at the end, which Linux tells by an error."""
    try:
        return os.read(terminal, 2**16).decode(errors="replace")
    except OSError:
        return ""


def test_a_long_run_shows_how_far_it_is_and_then_only_its_table() -> None:
    status, written = run_in_a_terminal("40000s")
    bar, _, table = written.rpartition(SHOW_CURSOR)
    assert status == 0
    assert "smallest, fp" in bar
    assert "%" in bar
    assert "smallest: 1,142,857 of 13,714,286 jobs late in 40,000 s.  policy fp, 2 tasks,\r\nload 97.1 %" in table


def test_a_log_gets_a_line_about_a_long_run_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    instants = iter([0.0, 29.0, 30.0, 59.0, 61.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(instants))
    with terminal.progress_bar("set, llf", 2**62) as progress:
        for part in (1, 2, 3, 4):
            progress(part * 2**59)
    assert capsys.readouterr().err == "set, llf: 25 % after 30 s\nset, llf: 50 % after 61 s\n"


def test_a_terminal_sees_how_many_changes_a_long_search_has_tried(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    instants = iter([0.0, 0.9, 1.1, 1.1, 1.2, 1.4, 1.4])
    monkeypatch.setattr(time, "monotonic", lambda: next(instants))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with terminal.counter("{:,} tried") as progress:
        assert progress is not None
        for number in (1, 999, 1000, 1234):  # at 0.9, 1.1, 1.2 and 1.4 s
            progress(number)
    assert capsys.readouterr().err == "\r999 tried\r1,234 tried\r           \r"
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False)
    with terminal.counter("{:,} tried") as progress:
        assert progress is None
    assert capsys.readouterr().err == ""


def test_a_short_search_shows_nothing(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(time, "monotonic", lambda: 7.0)
    with terminal.counter("{:,} tried") as progress:
        assert progress is not None
        progress(100)
    assert capsys.readouterr().err == ""


def test_an_interrupt_of_a_run_without_a_terminal_is_one_line_too(tmp_path: Path) -> None:
    command = [COMMAND, "run", SMALLEST, "--horizon", "20000000s", "--trace", str(tmp_path / "t")]
    limit = (2**30, 2**30)  # a run that does not end must not fill the machine's disk
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    ) as process:
        try:
            while not list(tmp_path.iterdir()):
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            assert (process.communicate(timeout=30)[1], process.returncode) == ("interrupted\n", -signal.SIGINT)
        finally:
            process.kill()


def test_a_short_run_shows_its_table_at_once() -> None:
    status, written = run_in_a_terminal("1s")
    assert status == 0
    assert HIDE_CURSOR not in written


def test_an_interrupt_ends_a_long_run_like_any_process_and_gives_the_cursor_back() -> None:
    status, written = run_in_a_terminal("20000000s", interrupted_at="%")
    assert status == -signal.SIGINT
    assert written.count(SHOW_CURSOR) == written.count(HIDE_CURSOR) == 1
    assert "Ctrl-C ends it" in written
    assert written.endswith("interrupted\r\n")
    assert "Traceback" not in written
