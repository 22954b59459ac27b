"""Tests of the kernel on the emulated board: gates, and a task set whose records replay identically."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
BUILD: dict[str, Any] = json.loads((ROOT / "firmware" / "build.json").read_text(encoding="utf-8"))
SOURCES = [str(path.relative_to(ROOT)) for pattern in BUILD["sources"] for path in sorted(ROOT.glob(pattern))]


def run(command: list[str | Path], folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)


def must_run(command: list[str | Path], folder: Path = ROOT) -> str:
    """Run a command that must succeed; give its standard output."""
    done = run(command, folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_gates_and_baseline_hold() -> None:
    must_run([sys.executable, ROOT / "bench" / "kernel" / "run.py", "--check"])
