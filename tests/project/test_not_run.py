# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Test of tools/not_run.py, the last line of `make test`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from places import ROOT

TOOL = ROOT / "tools" / "not_run.py"
PYTEST = """<testsuites><testsuite>
<testcase classname="tests.board.test_ports" name="a"><skipped type="pytest.skip" message="no 32 bits"/></testcase>
<testcase classname="tests.board.test_ports" name="b"><skipped type="pytest.skip" message="no 32 bits"/></testcase>
<testcase classname="tests.board.test_other" name="c"><skipped type="pytest.xfail" message="known"/></testcase>
<testcase classname="tests.board.test_other.Test" name="d"/>
</testsuite></testsuites>"""
CTEST = """<testsuite>
<testcase name="test_ready" classname="test_ready" status="run"/>
<testcase name="test_wide" classname="test_wide" status="notrun"><skipped message="Disabled"/></testcase>
</testsuite>"""


def said(tmp_path: Path, **reports: str) -> str:
    """Return the tool's output about reports."""
    for name, text in reports.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, TOOL, "pytest", "ctest"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 1
    return done.stdout.strip()


def test_every_check_that_did_not_run_is_counted_by_reason(tmp_path: Path) -> None:
    assert said(tmp_path, pytest=PYTEST, ctest=CTEST) == (
        "NOT RUN: 3 of 6 checks: 2: no 32 bits (tests/board/test_ports.py); 1: Disabled (test_wide)"
    )


def test_nothing_is_missing_when_all_ran(tmp_path: Path) -> None:
    ran = '<testsuite><testcase name="x" classname="x"/></testsuite>'
    assert said(tmp_path, pytest=ran, ctest=ran) == "all 2 checks ran"


def test_a_missing_report_is_a_check_that_did_not_run(tmp_path: Path) -> None:
    assert said(tmp_path, pytest=PYTEST.replace("skipped", "ran")) == (
        "NOT RUN: 1 of 5 checks: 1: there is no ctest (ctest)"
    )


def test_a_report_that_was_cut_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "report").write_text(PYTEST[:100], encoding="utf-8")
    done = subprocess.run([sys.executable, TOOL, "report"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("not_run: a report cannot be read: ")
