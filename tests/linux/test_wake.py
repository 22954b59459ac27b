# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests of the program that measures wakes: what it prints is plausible, and what it cannot do is an error."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from places import ROOT
from takt.board import guest
from test_guest import ONE, needs_guest

HIGHEST_NS = 100_000


@pytest.fixture(scope="module")
def wake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the program."""
    program = tmp_path_factory.mktemp("wake") / "wake"
    source = ROOT / "linux" / "bench" / "wake.c"
    flags = ["-O2", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-static", "-pthread"]
    subprocess.run(["cc", *flags, "-o", str(program), str(source)], check=True)
    return program


WAKES = "for c in fifo deadline; do ./wake $c 1 300; ./wake $c 30 300; done; ./wake other 1 300"
REFUSED = "'deadline 1 10 1000' idle 'fifo 0' 'fifo 10 9' 'fifo 3 9 9000 switch' 'fifo 2 9 9000 on'"
COMMAND = f"""({WAKES}; ./wake fifo 4 300 1007000 switch) > wakes 2>&1
for arguments in {REFUSED}; do ./wake $arguments; echo $?; done > refused 2>&1
"""


@pytest.fixture(scope="module")
def lines(wake: Path) -> dict[str, list[str]]:
    """Return what is printed after one boot, by the name of the file."""
    files = guest.run(ONE, COMMAND, {"wake": wake}, ["wakes", "refused"]).files
    return {name: content.decode().splitlines() for name, content in files.items()}


@needs_guest
def test_real_time_threads_wake_at_once_and_one_after_the_other(lines: dict[str, list[str]]) -> None:
    *wakes, switch = lines["wakes"]
    assert switch.startswith("fifo threads 4 wakes 300 ")
    assert 5_000 < int(switch.split()[6]) < HIGHEST_NS
    rows = [line.split() for line in wakes]
    assert [" ".join(row[:5]) for row in rows] == [
        "fifo threads 1 wakes 300",
        "fifo threads 30 wakes 300",
        "deadline threads 1 wakes 300",
        "deadline threads 30 wakes 300",
        "other threads 1 wakes 300",
    ]
    for row in rows[:-1]:
        median, high, largest = (int(row[place]) for place in (6, 8, 10))
        assert 5_000 < median <= high <= largest < HIGHEST_NS
        assert median < int(rows[-1][6])


@needs_guest
def test_a_busy_processor_delays_no_thread_of_another(wake: Path) -> None:
    outcome = guest.run(guest.Machine(ONE.folder, cpus=2), "./wake fifo 1 300; ./wake deadline 4 300", {"wake": wake})
    largest = [int(line.split()[-1]) for line in outcome.output.decode().splitlines()]
    assert len(largest) == 2
    assert max(largest) < 2 * HIGHEST_NS


@needs_guest
def test_what_the_kernel_refuses_and_what_it_does_not_know_are_errors(lines: dict[str, list[str]]) -> None:
    usage = "usage: wake fifo|deadline|other|ext [THREADS [WAKES [SPACING_NS [switch]]]]"
    assert lines["refused"] == [
        "wake: class deadline: Invalid argument",
        "2",
        *[usage, "1"] * 5,
    ]
