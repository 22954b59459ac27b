# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests of the guest: what a command did comes back, each run is the same, and what goes wrong is named."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from places import ROOT
from takt.base.errors import BoardError
from takt.board import guest, processor_time

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
def test_what_does_not_end_is_ended() -> None:
    with pytest.raises(
        BoardError, match=r"^the guest did not end within 1 s of processor time; its last line was: no word$"
    ):
        guest.run(ONE, "while :; do :; done", patience=1)


def collect(running: Iterator[Mapping[str, bytes]], found: dict[str, bytes]) -> None:
    """Keep what a guest hands over."""
    for files in running:
        found |= files


@needs_guest
def test_a_panic_is_named_and_what_was_handed_over_before_it_comes_back() -> None:
    command = "mkdir 0 1; echo a > 0/x; echo b > 1/y; {0} work/0; {0} work/1; ls; echo c > /proc/sysrq-trigger"
    running, found = guest.stream(ONE, command.format(guest.HAND_OVER)), dict[str, bytes]()
    with pytest.raises(BoardError, match=r"^the guest stopped: Kernel panic - not syncing: sysrq triggered crash$"):
        collect(running, found)
    assert found == {"0/x": b"a\n", "1/y": b"b\n"}


# ---- an emulator that is none ----------------------------------------------------------------------------------


ARCHIVE = """
import io, sys, tarfile, time
def hand_over(name, content):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        member = tarfile.TarInfo(name)
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    used = int.from_bytes(results[:8], "little")
    results[8 + used:] = data.getvalue()
    results[:8] = (used + len(data.getvalue())).to_bytes(8, "little")
    open("results", "wb").write(results)
results = bytearray(8)
open("console", "w"), open("output", "w")
"""


needs_tools = pytest.mark.skipif(not all(map(shutil.which, TOOLS)), reason="no busybox or no compiler here")


@pytest.fixture
def pretended(tmp_path: Path) -> Callable[[str], guest.Machine]:
    """Return a function that makes a machine whose emulator is a script in Python that has hand_over."""

    def machine(script: str) -> guest.Machine:
        emulator = tmp_path / "root" / "usr" / "bin" / "qemu-system-x86_64"
        emulator.parent.mkdir(parents=True)
        emulator.write_text(f"#!{sys.executable}\n{ARCHIVE}{script}\n")
        emulator.chmod(0o755)
        return guest.Machine(tmp_path)

    return machine


@needs_tools
def test_an_emulator_that_gets_no_processor_time_is_waited_for(pretended: Callable[[str], guest.Machine]) -> None:
    machine = pretended("time.sleep(3); hand_over('status', b'0')")
    assert guest.run(machine, "", patience=2).status == 0


@needs_tools
def test_an_emulator_that_spins_is_ended_and_what_it_has_handed_over_comes_back(
    pretended: Callable[[str], guest.Machine],
) -> None:
    machine = pretended("hand_over('work/0/report', b'x'); hand_over('work/1/report', b'y')\nwhile True: pass")
    running, found = guest.stream(machine, "", patience=2), dict[str, bytes]()
    with pytest.raises(BoardError, match=r"^the guest did not end within 2 s of processor time; its last line"):
        collect(running, found)
    assert found == {"0/report": b"x", "1/report": b"y"}


@needs_tools
def test_an_emulator_that_sleeps_for_ever_is_stuck(
    pretended: Callable[[str], guest.Machine], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processor_time, "ASLEEP_SECONDS", 1)
    with pytest.raises(BoardError, match=r"^the guest has slept for 1 s without an end; its last line was: no word$"):
        guest.run(pretended("time.sleep(1000)"), "")


@needs_tools
def test_an_emulator_does_not_outlive_the_one_who_asked(
    pretended: Callable[[str], guest.Machine], tmp_path: Path
) -> None:
    number = tmp_path / "number"
    begin = f"import os; open({str(number)!r}, 'w').write(str(os.getpid()))"
    running = guest.stream(pretended(f"{begin}\nhand_over('work/0', b'')\ntime.sleep(1000)"), "")
    next(running)
    running.close()
    with pytest.raises(ProcessLookupError):
        os.kill(int(number.read_text()), 0)


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
