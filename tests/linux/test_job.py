# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Jobs in Python: each call and each status, against a script that plays taktd and the kernel (jobs_of_python.py)."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from places import ROOT
from recipes import must_build
from takt.linux import job

PROGRAM = ROOT / "tests" / "linux" / "jobs_of_python.py"
SCENARIOS = re.findall(r"^def (\w+)\(\) -> None:", PROGRAM.read_text(), re.MULTILINE)


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("kernel") / "fake_kernel.so"
    must_build(["cc", "-Wall", "-Wextra", "-shared", "-fPIC", "tests/linux/fake_kernel.c", "-o", made])
    return made


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_jobs_in_python(scenario: str, kernel: Path) -> None:
    command = [sys.executable, str(PROGRAM), scenario]
    environment = {**os.environ, "LD_PRELOAD": str(kernel)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=30)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


def test_statuses_are_those_of_the_library() -> None:
    text = (ROOT / "linux" / "lib" / "takt_linux.h").read_text()
    listed = re.findall(r"X\((\w+), (-?\d+),", text.partition("TAKT_LINUX_ENUM")[0])
    assert [(status.name, int(status)) for status in job.Status] == [(name, int(number)) for name, number in listed]
    assert job.message(job.Status.ERROR_NO_JOB).startswith("the call needs a job")
