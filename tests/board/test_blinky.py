# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests of examples/blinky_rtos: one command builds and runs it on every port, and it does what it says."""

from __future__ import annotations

import os
import re
import subprocess
from functools import cache

import pytest
from places import ROOT
from recipes import PORTS

BUDGET_US, PERIOD_US, BLINK_MS, BLINKS = 10_000, 50_000, 100, 10


@cache
def printed(port: str) -> list[str]:
    """Return the lines that the program prints, after those of the build."""
    command = ["make", "--no-print-directory", "blinky", f"PORT={port}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "warning" not in (done.stdout + done.stderr).lower()
    return done.stdout[done.stdout.index("[   0 ms]") :].splitlines()


def rows(lines: list[str]) -> dict[str, list[int]]:
    """Return the table at the end: the figures of each thread."""
    table = lines[lines.index("thread      jobs  chosen  executed us  longest us  stack unused") + 1 :]
    return {line.split()[0]: [int(word) for word in line.split()[1:]] for line in table}


@pytest.mark.parametrize("port", PORTS)
def test_the_led_blinks_every_100_ms(port: str) -> None:
    lines = [line for line in printed(port) if "LED" in line]
    states = ["on" if index % 2 == 0 else "off" for index in range(BLINKS)]
    assert lines == [f"[{index * BLINK_MS:4} ms] LED {state}" for index, state in enumerate(states)]


@pytest.mark.parametrize("port", PORTS)
def test_the_display_says_how_often_the_button_was_pressed(port: str) -> None:
    said = [re.fullmatch(r"\[ *(\d+) ms\] presses: (\d+), last at (\d+) ms", line) for line in printed(port)]
    seen = [tuple(map(int, match.groups())) for match in said if match is not None]
    assert [(presses, last) for _, presses, last in seen] == [(1, 140), (3, 410), (5, 660)]  # see BUTTON_MS
    assert all(last < instant < last + 130 for instant, _, last in seen)


@pytest.mark.parametrize("port", PORTS)
def test_the_end_says_what_everybody_did(port: str) -> None:
    lines = printed(port)
    table = rows(lines)
    assert "10 blinks, 0 late" in lines
    assert list(table) == ["blink", "load", "press", "display", "idle"]
    assert [row[0] for row in table.values()] == [BLINKS, 0, 0, 0, 0]
    assert table["press"][1] == 1 + 6
    assert all(row[4] > 0 for row in table.values() if len(row) > 4)


@pytest.mark.parametrize("port", PORTS)
def test_the_load_gets_its_budget_and_no_more(port: str) -> None:
    _, chosen, executed, longest, _ = rows(printed(port))["load"]
    budgets = BLINK_MS * 1000 * (BLINKS - 1) // PERIOD_US + 1
    assert chosen == budgets
    assert budgets * BUDGET_US <= executed < budgets * BUDGET_US * 1.01
    assert BUDGET_US <= longest < BUDGET_US * 1.01


@pytest.mark.parametrize("port", PORTS)
def test_all_time_is_somebodys(port: str) -> None:
    total = sum(row[2] for row in rows(printed(port)).values())
    assert 910_000 <= total < 911_000  # ms of the last blink, and of the budget before the display


def test_it_blinks_in_real_time_too() -> None:
    printed("posix")
    program = ROOT / "build" / "blinky-posix" / "blinky"
    environment = {**os.environ, "BLINKY_REAL_TIME": "1"}
    done = subprocess.run([program], env=environment, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert [line.split("] ")[1] for line in lines if "LED" in line] == ["LED on", "LED off"] * (BLINKS // 2)
    assert rows(lines)["blink"][0] >= BLINKS


COUNTS = 3
"""The name, jobs and chosen: what of a row does not depend on how long the kernel takes."""
TOLERANCE = 0.1
"""How far times and bytes may be from those that the README shows; another compiler moves them by less."""


def assert_alike(shown: str, line: str) -> None:
    """Check a line of the README against what was printed: words and counts, and figures within the tolerance."""
    words, found = shown.split(), line.split()
    assert (words[:COUNTS], len(words)) == (found[:COUNTS], len(found))
    for word, other in zip(words[COUNTS:], found[COUNTS:], strict=True):
        if word.isdigit():
            assert int(other) == pytest.approx(int(word), rel=TOLERANCE), f"README shows: {shown}; printed: {line}"
        else:
            assert word == other


def test_the_readme_shows_what_is_printed() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^```text\n(\[ .*?)```$", readme, re.MULTILINE | re.DOTALL)
    before, _, after = shown.partition("...\n")
    lines = printed("cortex_m")
    assert lines[: before.count("\n")] == before.splitlines()
    for shown_line, line in zip(after.splitlines(), lines[-after.count("\n") :], strict=True):
        assert_alike(shown_line, line)
