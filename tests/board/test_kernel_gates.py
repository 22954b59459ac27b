# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Test of the kernel's gates: instructions and bytes on the emulated boards are no more than the bench allows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from places import ROOT

PATIENCE_SECONDS = 1200


def test_gates_and_baseline_hold() -> None:
    command: list[str | Path] = [sys.executable, ROOT / "bench" / "kernel" / "run.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE_SECONDS)
    assert done.returncode == 0, done.stdout + done.stderr
