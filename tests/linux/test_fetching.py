# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests of what fetches the kernel for the guest: it is whole, or one line says why it cannot be had."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from places import ROOT

FOLDER = ROOT / "build" / "linux"


def fetch(into: Path, path: str | None = None, *options: str) -> subprocess.CompletedProcess[str]:
    """Run the tool, with another search path for programs if that is given."""
    environment = {**os.environ, **({"PATH": path} if path is not None else {})}
    command = [sys.executable, str(ROOT / "tools" / "get_linux.py"), "--into", str(into), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, env=environment)


@pytest.mark.skipif(not (FOLDER / "packages").exists(), reason="no kernel of Linux here: make linux fetches it")
def test_what_was_fetched_is_named_and_is_a_kernel_with_sched_ext() -> None:
    done = fetch(FOLDER, path="")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{FOLDER}\n", "")
    assert "struct sched_ext_ops {" in (FOLDER / "vmlinux.h").read_text(encoding="utf-8")
    assert (FOLDER / "vmlinux").read_bytes().startswith(b"\x7fELF")


def test_where_there_is_no_apt_one_line_says_so(tmp_path: Path) -> None:
    done = fetch(tmp_path / "linux", path=str(tmp_path))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("the kernel of Linux cannot be had here: ")
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "linux" / "packages").exists()


@pytest.mark.skipif(not (FOLDER / "packages").exists(), reason="no kernel of Linux here: make linux fetches it")
def test_where_only_systemd_cannot_be_had_it_is_named(tmp_path: Path) -> None:
    (tmp_path / "packages").write_text((FOLDER / "packages").read_text(encoding="utf-8"), encoding="utf-8")
    done = fetch(tmp_path, str(tmp_path), "--systemd")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("systemd cannot be had here: ")
