# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Programs that know nothing of Takt as its clients: cyclictest, as Debian has it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import takt
from places import ROOT
from takt.board import guest
from takt.files import trace_file
from takt.linux import board
from test_linux_runs import FOLDER, loaded, needs_linux

sys.path.insert(0, str(ROOT / "linux" / "bench"))
import clients

TURNS = 200
INTERVAL_US = 2000
TEXT = """schema = 1
[system]
policy = "fp"
resolution = "1us"
horizon = "20s"
""" + "".join(
    f'[[task]]\nname = "{name}"\narrivals = ["100s"]\nwcet = "100us"\ndeadline = "1ms"\npriority = {priority}\n'
    for name, priority in (("first", 2), ("second", 1))
)
needs_programs = pytest.mark.skipif(
    not (FOLDER / "root/usr/bin/cyclictest").exists(), reason="no cyclictest here: make linux fetches it"
)


@needs_linux
@needs_programs
def test_each_wake_of_an_unchanged_program_is_a_job_whatever_class_it_asks_for(tmp_path: Path) -> None:
    system = loaded(TEXT, tmp_path)
    files = board.products(FOLDER) | clients.programs(FOLDER)
    (part,) = board.parts(system)
    files["image"] = part.image()
    program = f"./cyclictest -q -m -p 80 -t 2 -d 0 -i {INTERVAL_US} -l {TURNS} -h 400"
    command = f"{clients.PREPARE}\n./takt-linux takt.bpf.o tables.bin out 1000 image -- {program}"
    names = ["out/report", "out/trace0", "out/threads0"]
    outcome = guest.run(guest.Machine(FOLDER, memory_mb=1024), command, files, names, patience=600)
    lines = [line for line in outcome.files["out/report"].decode().splitlines() if not line.startswith("note ")]
    assert (outcome.status, [line.split()[0] for line in lines]) == (0, ["epoch", "processor"]), outcome.output
    assert lines[1].split()[7] == "0", "events were refused"
    assert len({line.split()[1] for line in outcome.files["out/threads0"].decode().splitlines()}) == 2
    assert all(0 < int(worst) < 1000 for worst in re.findall(rb"Max Latencies: (\d+) (\d+)", outcome.output)[0])

    path = tmp_path / "clients.takt"
    records = bytes(trace_file.without_closing(memoryview(outcome.files["out/trace0"])))
    trace_file.write(path, part.described, "linux", part.horizon, records, is_remote=True)
    assert takt.replay(path).is_identical
    jobs = takt.run.measurement.jobs_of(trace_file.read(path))
    for task in ("first", "second"):
        own = jobs.filter(pl.col("task") == task)
        # the thread may be bound after its first turns, and end after its last one
        assert TURNS - 20 <= len(own) <= TURNS + 20
        assert abs(np.median(np.diff(own["release"].to_numpy())) - INTERVAL_US) < 10
        assert max(own["response"].to_list()) < INTERVAL_US


@needs_linux
def test_a_command_has_one_processor() -> None:
    program = board.products(FOLDER)["takt-linux"]
    words = ("object", "tables", "out", "1000", "one", "two", "--", "true")
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.startswith("takt-linux: usage: ")) == (2, True)
