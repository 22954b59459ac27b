# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Option --watch: runs again when a file is saved, however editors save, and ends by Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from places import EXAMPLES
from takt.command import main
from typer.testing import CliRunner

COMMAND = str(Path(sys.executable).with_name("takt"))
TEXT = (EXAMPLES / "smallest.toml").read_text(encoding="utf-8")
PATIENCE_SECONDS = 60


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("set.toml").write_text(TEXT, encoding="utf-8")


class Watched:
    """A command that watches its files, and what it has written so far."""

    def __init__(self, *arguments: str) -> None:
        self.output = Path("output")
        with self.output.open("wb") as file:
            self.process = subprocess.Popen([COMMAND, *arguments, "--watch"], stdout=file, stderr=subprocess.STDOUT)

    def wait(self, runs: int) -> str:
        """Wait for the end of some runs; return all that was written."""
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end:
            text = self.output.read_text(encoding="utf-8")
            if text.count("Ctrl-C ends it") >= runs:
                return text
            time.sleep(0.05)
        raise AssertionError(self.output.read_text(encoding="utf-8"))


@pytest.fixture
def watched() -> Iterator[list[Watched]]:
    found: list[Watched] = []
    yield found
    for each in found:
        each.process.kill()
        each.process.wait()


def renamed(text: str) -> str:
    return f'{TEXT}\n[system]\nname = "{text}"\n'


def test_each_save_runs_again_and_ctrl_c_ends_it(watched: list[Watched]) -> None:
    command = Watched("run", "set.toml")
    watched.append(command)
    assert "watching set.toml; Ctrl-C ends it" in command.wait(1)
    Path("set.toml").write_text(renamed("second"), encoding="utf-8")  # in place
    assert "second" in command.wait(2)
    Path("other").write_text(renamed("third"), encoding="utf-8")
    Path("other").replace("set.toml")  # as most editors save
    assert "third" in command.wait(3)
    Path("set.toml").write_text("schema = 2\n", encoding="utf-8")
    assert "set.toml: schema: this version reads schema 1, found 2" in command.wait(4)
    Path("set.toml").unlink()
    assert "set.toml: cannot read" in command.wait(5)
    Path("set.toml").write_text(renamed("sixth"), encoding="utf-8")
    assert "sixth" in command.wait(6)
    assert command.process.poll() is None
    command.process.send_signal(signal.SIGINT)
    assert command.process.wait(timeout=PATIENCE_SECONDS) == -signal.SIGINT  # 130 in a shell


def test_a_policy_in_python_is_watched_too(watched: list[Watched]) -> None:
    policy = (EXAMPLES / "shortest_job_first.py").read_text(encoding="utf-8")
    Path("mine.py").write_text(policy, encoding="utf-8")
    command = Watched("run", "set.toml", "--policy", "mine.py:ShortestJobFirst")
    watched.append(command)
    assert "watching set.toml, mine.py" in command.wait(1)
    Path("mine.py").write_text("raise ValueError('why')\n", encoding="utf-8")
    assert "mine.py: cannot be run: ValueError: why" in command.wait(2)


def test_analyse_watches_and_outputs_are_written_again(watched: list[Watched]) -> None:
    command = Watched("analyse", "set.toml", "--no-sensitivity", "--report", "page.html")
    watched.append(command)
    command.wait(1)
    before = Path("page.html").stat().st_mtime_ns
    os.utime("set.toml")
    assert command.wait(2).count("not schedulable") == 2
    assert Path("page.html").stat().st_mtime_ns > before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "-"], "--watch: expected files, found -, which is read once; give a file\n"),
        (["analyse", "set.toml", "--check"], "--watch: it has no exit status to check; leave --check out\n"),
    ],
)
def test_what_cannot_be_watched_is_refused(arguments: list[str], message: str) -> None:
    done = CliRunner().invoke(main.app, [*arguments, "--watch"])
    assert (done.exit_code, done.stderr) == (2, message)
