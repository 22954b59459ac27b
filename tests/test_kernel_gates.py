"""Tests of the kernel on the emulated board: gates, and a task set whose records replay identically."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
BUILD: dict[str, Any] = json.loads((ROOT / "firmware" / "build.json").read_text(encoding="utf-8"))
SOURCES = [str(path.relative_to(ROOT)) for pattern in BUILD["sources"] for path in sorted(ROOT.glob(pattern))]
SAMPLE = ROOT / "tests" / "firmware" / "sample_taskset.c"
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Werror"]


def run(command: list[str | Path], folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)


def must_run(command: list[str | Path], folder: Path = ROOT) -> str:
    """Run a command that must succeed; give its standard output."""
    done = run(command, folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def build_firmware(taskset: Path, elf: Path) -> None:
    """Build the firmware of a task set as firmware/README.md says."""
    flags = [*BUILD["cflags"], *BUILD["taskset_cflags"], *BUILD["ldflags"]]
    sources = [*SOURCES, *BUILD["taskset_sources"], str(taskset)]
    must_run([BUILD["cc"], *flags, *sources, *BUILD["libs"], "-o", elf])


def emulate(elf: Path, shift: int, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program on the emulated board, its files in `folder`."""
    return run([*BUILD["qemu"], "-icount", f"shift={shift},align=off,sleep=off", "-kernel", elf], folder)


def test_gates_and_baseline_hold() -> None:
    must_run([sys.executable, ROOT / "bench" / "kernel" / "run.py", "--check"])


def test_records_of_the_sample_replay_identically_on_the_host(tmp_path: Path) -> None:
    elf, replay = tmp_path / "sample.elf", tmp_path / "replay"
    build_firmware(SAMPLE, elf)
    done = emulate(elf, 6, tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    host = [path for room in ("core", "policy", "system", "sim") for path in sorted((ROOT / room).glob("*.c"))]
    own = [ROOT / "tests" / "firmware" / "replay_sample.c", SAMPLE]
    must_run(["cc", "-std=c11", "-O1", *WARNINGS, f"-I{ROOT}", *own, *host, "-o", replay, "-lm"])
    assert must_run([replay, "sample_trace.bin"], tmp_path).startswith("verdict 0, ")


def test_firmware_says_that_its_trace_buffer_is_full(tmp_path: Path) -> None:
    text = SAMPLE.read_text(encoding="utf-8")
    text = text.replace(".horizon = 2500000", ".horizon = UINT64_MAX").replace("shift = 6", "shift = 9")
    taskset, elf = tmp_path / "taskset.c", tmp_path / "full.elf"
    taskset.write_text(text, encoding="utf-8")
    build_firmware(taskset, elf)
    done = emulate(elf, 9, tmp_path)
    assert done.returncode == 4
    assert "the trace buffer was full before the horizon" in done.stdout
    assert (tmp_path / "sample_trace.bin").stat().st_size > 16_000_000


@pytest.mark.parametrize(
    ("valid", "invalid", "message"),
    [
        (".level = 3", ".level = 31", "logging: takt firmware: a priority is not below TAKT_PRIORITIES"),
        (".budget = 75000", ".budget = 250001", "media: takt firmware: a server's budget is 0 or exceeds its period"),
        (".server = 0,", ".server = 1,", "takt firmware: no such server: video"),
        (".task_count = 4", ".task_count = 0", "takt firmware: a task set has at least one task"),
    ],
)
def test_firmware_refuses_a_wrong_task_set(tmp_path: Path, valid: str, invalid: str, message: str) -> None:
    text = SAMPLE.read_text(encoding="utf-8")
    assert valid in text
    taskset, elf = tmp_path / "taskset.c", tmp_path / "wrong.elf"
    taskset.write_text(text.replace(valid, invalid), encoding="utf-8")
    build_firmware(taskset, elf)
    done = emulate(elf, 6, tmp_path)
    assert (done.returncode, done.stdout) == (2, message + "\n")
