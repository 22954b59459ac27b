# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests of the guest: what a command did comes back, each run is the same, and what goes wrong is named."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from places import ROOT
from takt.base.errors import BoardError
from takt.board import guest

FOLDER = ROOT / "build" / "linux"
TOOLS = ("busybox", "cc")

has_guest = (FOLDER / "root" / "usr" / "bin" / "qemu-system-x86_64").exists() and all(map(shutil.which, TOOLS))
needs_guest = pytest.mark.skipif(not has_guest, reason="no guest with Linux here: make linux fetches it")
ONE = guest.Machine(FOLDER)


@needs_guest
@pytest.mark.parametrize("cpus", [1, 2, 4])
def test_output_status_and_files_come_back_and_are_the_same_in_every_run(cpus: int) -> None:
    every_byte = bytes(range(256)) * 12_000
    files: dict[str, Path | bytes] = {"in/data": every_byte, "tool": b"#!/bin/sh\necho tool $1\n"}
    command = "uname -r; nproc; ./tool here; cat in/data > copy; printf '\\0\\r\\n\\377'; dmesg > log; exit 3"
    machine = guest.Machine(FOLDER, cpus)
    first = guest.run(machine, command, files, ["copy", "log", "none"])
    lines = first.output.splitlines()
    assert lines[0].startswith(b"6.") or lines[0].startswith(b"7.")
    assert lines[1:3] == [str(cpus).encode(), b"tool here"]
    assert first.output.endswith(b"\0\r\n\xff")
    assert (first.status, set(first.files), first.files["copy"]) == (3, {"copy", "log"}, every_byte)
    assert len(first.files["log"].splitlines()) > 100
    assert guest.run(machine, command, files, ["copy", "log", "none"]) == first


@needs_guest
def test_the_kernel_has_sched_ext_types_and_no_daemon_that_steals_time() -> None:
    command = (
        "cat /sys/kernel/sched_ext/state; ls /sys/kernel/btf/vmlinux /sys/fs/bpf; ps | grep '[k]damond\\|[k]hugepaged'"
    )
    outcome = guest.run(ONE, command)
    assert outcome.output == b"disabled\n/sys/kernel/btf/vmlinux\n\n/sys/fs/bpf:\n"
    assert outcome.status == 1


@needs_guest
def test_a_panic_is_named() -> None:
    with pytest.raises(BoardError, match=r"^the guest stopped: Kernel panic - not syncing: sysrq triggered crash$"):
        guest.run(ONE, "echo c > /proc/sysrq-trigger")


@needs_guest
def test_what_does_not_end_is_ended() -> None:
    with pytest.raises(BoardError, match=r"^the guest did not end within 1 s; its last line was: no word$"):
        guest.run(ONE, "while :; do :; done", patience=1)


@needs_guest
def test_results_that_are_too_long_are_an_error() -> None:
    with pytest.raises(BoardError, match="the results are longer than the shared memory"):
        guest.run(ONE, "dd if=/dev/zero of=big bs=1M count=65", results=["big"])


@needs_guest
def test_what_the_emulator_refuses_is_told() -> None:
    with pytest.raises(BoardError, match=r"^the emulator failed: .*memory"):
        guest.run(guest.Machine(FOLDER, memory_mb=10**9), "true")


def test_without_a_kernel_the_remedy_is_named(tmp_path: Path) -> None:
    with pytest.raises(BoardError, match=f"^there is no emulator of Linux in {tmp_path}; run make linux$"):
        guest.run(guest.Machine(tmp_path), "true")


def test_without_busybox_its_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    emulator = tmp_path / "root" / "usr" / "bin" / "qemu-system-x86_64"
    emulator.parent.mkdir(parents=True)
    emulator.touch()
    monkeypatch.setenv("PATH", "")
    with pytest.raises(BoardError, match=r"^busybox is not installed; on Debian: apt-get install busybox-static$"):
        guest.run(guest.Machine(tmp_path), "true")
