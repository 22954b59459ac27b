# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What a machine lacks for Takt under Linux: made machines, each with one lack."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
import takt
from made_machines import FILES, OPTIONS, RELEASE, make_machine
from takt.command import main
from takt.linux import board
from takt.linux.check import Finding, check, programs, with_trial
from typer.testing import CliRunner

ADMIN = FILES["proc/self/status"].replace("c000800000", "0000a00000")  # CAP_SYS_ADMIN, CAP_SYS_NICE
EXT = "sys/kernel/sched_ext/state"
NICE, PERFMON, BPF = "CAP_SYS_NICE", "CAP_PERFMON", "CAP_BPF"
APART = ("isolated processors", "nohz_full", "interrupts there")


def machine(root: Path, changes: dict[str, str | None]) -> dict[str, Finding]:
    """The findings of a made machine that are not ok."""
    return {one.what: one for one in check(make_machine(root, changes)) if one.state != "ok"}


def test_a_machine_that_lacks_nothing(tmp_path: Path) -> None:
    findings = check(make_machine(tmp_path))
    assert {(one.state, one.remedy) for one in findings} == {("ok", "")}
    assert [one.what for one in findings] == [
        "kernel",
        "sched_ext",
        "BTF",
        NICE,
        PERFMON,
        BPF,
        "attached scheduler",
        "ftrace_enabled",
        "PREEMPT_RT",
        *APART,
    ]


@pytest.mark.parametrize(
    ("changes", "what", "state", "found"),
    [
        ({"proc/sys/kernel/osrelease": "6.12.9\n"}, "kernel", "missing", "6.12.9"),
        ({"proc/sys/kernel/osrelease": "5.99\n"}, "kernel", "missing", "5.99"),
        ({"proc/sys/kernel/osrelease": "plan9\n"}, "kernel", "missing", "plan9"),
        ({"proc/sys/kernel/osrelease": None}, "kernel", "missing", "unknown"),
        ({EXT: None, "proc/config.gz": "CONFIG_HZ=250\n"}, "sched_ext", "missing", "not set"),
        ({EXT: None, "proc/config.gz": None}, "sched_ext", "missing", "unknown"),
        ({EXT: None, "proc/config.gz": None, f"boot/config-{RELEASE}": ""}, "sched_ext", "missing", "not set"),
        ({"sys/kernel/btf/vmlinux": None}, "BTF", "missing", "none"),
        (
            {EXT: "enabled\n", "sys/kernel/sched_ext/root/ops": "lavd_1.0\n"},
            "attached scheduler",
            "missing",
            "lavd_1.0 (enabled)",
        ),
        ({"proc/sys/kernel/ftrace_enabled": "0\n"}, "ftrace_enabled", "missing", "0"),
        ({"proc/sys/kernel/ftrace_enabled": None}, "ftrace_enabled", "missing", "unknown"),
        ({EXT: "enabling\n"}, "attached scheduler", "missing", "one without a name (enabling)"),
        ({EXT: None, "sys/kernel/sched_ext/hotplug_seq": "0"}, "attached scheduler", "missing", "unknown"),
        ({"sys/kernel/realtime": "1\n"}, "PREEMPT_RT", "missing", "yes"),
        ({"proc/config.gz": OPTIONS + "CONFIG_PREEMPT_RT=y\n"}, "PREEMPT_RT", "missing", "yes"),
        ({"proc/version": FILES["proc/version"].replace("DYNAMIC", "RT")}, "PREEMPT_RT", "missing", "yes"),
        ({"proc/version": None, "proc/config.gz": None}, "PREEMPT_RT", "missing", "unknown"),
        ({"sys/devices/system/cpu/nohz_full": "3\n"}, "nohz_full", "reduced", "3"),
        ({"sys/devices/system/cpu/nohz_full": "(null)\n"}, "nohz_full", "reduced", "none"),
        ({"sys/devices/system/cpu/nohz_full": "2-\n"}, "nohz_full", "reduced", "unknown"),
        ({"proc/irq/24/smp_affinity_list": "1-2\n"}, "interrupts there", "reduced", "1 of 2: 24"),
        ({"proc/irq/24/smp_affinity_list": "every\n"}, "interrupts there", "reduced", "1 of 2: 24"),
        (
            {f"proc/irq/{one}/smp_affinity_list": "2" for one in range(24, 31)},
            "interrupts there",
            "reduced",
            "7 of 8: 24, 25, 26, 27, 28 ...",
        ),
        ({path: None for path in FILES if "irq" in path}, "interrupts there", "reduced", "unknown"),
    ],
)
def test_a_machine_that_lacks_one_thing(
    changes: dict[str, str | None], what: str, state: str, found: str, tmp_path: Path
) -> None:
    (lack,) = machine(tmp_path, changes).values()
    assert (lack.what, lack.state, lack.found) == (what, state, found)
    assert lack.wanted != found
    assert lack.remedy


@pytest.mark.parametrize(
    ("status", "missing"),
    [
        (
            FILES["proc/self/status"].replace("c000800000", "0"),
            {NICE: "not held", PERFMON: "not held", BPF: "not held"},
        ),
        (FILES["proc/self/status"].replace("c000800000", "4000800000"), {BPF: "not held"}),
        (ADMIN, {}),
        (ADMIN.replace("a00000", "200000"), {NICE: "not held"}),
        (None, {NICE: "unknown", PERFMON: "unknown", BPF: "unknown"}),
    ],
)
def test_privileges(status: str | None, missing: dict[str, str], tmp_path: Path) -> None:
    found = machine(tmp_path, {"proc/self/status": status})
    assert {what: one.found for what, one in found.items()} == missing
    assert {one.state for one in found.values()} <= {"missing"}


@pytest.mark.parametrize("isolated", ["\n", None, "2-\n"])
def test_a_machine_without_isolated_processors_has_no_partial_mode(isolated: str | None, tmp_path: Path) -> None:
    found = machine(tmp_path, {"sys/devices/system/cpu/isolated": isolated})
    assert [(what, one.state) for what, one in found.items()] == [(what, "reduced") for what in APART]
    assert found[APART[0]].found == ("none" if isolated == "\n" else "unknown")
    assert found[APART[2]].found == "no isolated processor"


def test_sched_ext_is_found_by_its_folder_and_by_the_options_of_the_kernel(tmp_path: Path) -> None:
    file: dict[str, str | None] = {EXT: None, "proc/config.gz": None, f"boot/config-{RELEASE}": OPTIONS}
    assert machine(tmp_path / "folder", {"proc/config.gz": None}) == {}
    assert machine(tmp_path / "options", {EXT: None}) == {}
    assert machine(tmp_path / "file", file) == {}


def test_options_that_are_damaged_are_unknown(tmp_path: Path) -> None:
    make_machine(tmp_path, {EXT: None})
    options = tmp_path / "proc" / "config.gz"
    options.write_bytes(options.read_bytes()[:-9])
    assert [one.found for one in check(tmp_path) if one.state != "ok"] == ["unknown"]


def test_takts_own_scheduler_is_no_other(tmp_path: Path) -> None:
    assert machine(tmp_path, {EXT: "enabled\n", "sys/kernel/sched_ext/root/ops": "takt\n"}) == {}


def test_an_empty_machine_lacks_all_but_is_no_error(tmp_path: Path) -> None:
    states = {one.what: (one.state, one.found) for one in check(tmp_path)}
    assert {what for what, (state, _) in states.items() if state == "ok"} == {"attached scheduler"}


# ---- the command ------------------------------------------------------------------------------------


def invoke(*arguments: object) -> tuple[int, str]:
    """Run takt linux check."""
    result = CliRunner().invoke(main.app, ["linux", "check", *map(str, arguments)])
    return result.exit_code, result.stdout + result.stderr


def test_the_command_says_what_is_missing_and_ends_with_status_3(tmp_path: Path) -> None:
    root = make_machine(
        tmp_path, {"sys/kernel/btf/vmlinux": None, EXT: "enabled", "sys/kernel/sched_ext/root/ops": "lavd"}
    )
    status, text = invoke("--root", root)
    assert status == 3
    assert text.splitlines()[-1] == "Takt cannot run here: BTF, attached scheduler"
    assert [" ".join(line.split()) for line in text.splitlines() if line.startswith("attached")] == [
        "attached scheduler missing lavd (enabled) none, or Takt",
        "attached scheduler: end that scheduler first; Takt does not replace it",
    ]


def test_what_is_reduced_is_told_and_is_status_0(tmp_path: Path) -> None:
    status, text = invoke("--root", make_machine(tmp_path, {"sys/devices/system/cpu/nohz_full": "3\n"}))
    line = "Takt can run here by these files, if its kernel loads the programs"
    assert (status, text.splitlines()[-1]) == (0, line)
    assert " reduced " in text


def test_json(tmp_path: Path) -> None:
    status, text = invoke("--json", "--root", make_machine(tmp_path, {"sys/kernel/btf/vmlinux": None}))
    document = json.loads(text)
    assert (status, document["version"], document["can_run"]) == (3, takt.__version__, False)
    assert [one for one in document["findings"] if one["state"] != "ok"] == [
        {
            "what": "BTF",
            "state": "missing",
            "found": "none",
            "wanted": "/sys/kernel/btf/vmlinux",
            "remedy": "boot a kernel with CONFIG_DEBUG_INFO_BTF=y",
        }
    ]


def test_a_root_that_is_no_folder_is_bad_input(tmp_path: Path) -> None:
    line = f"{tmp_path}/none: expected a folder with proc and sys, found none\n"
    assert invoke("--root", tmp_path / "none") == (2, line)


def made_programs(folder: Path, script: str, objects: Sequence[str] = ("takt-plain", "takt-servers", "takt")) -> Path:
    """A folder with objects, the smallest first, and a program that loads them or does not."""
    for size, name in enumerate(objects):
        (folder / f"{name}.bpf.o").write_bytes(bytes(size))
    (folder / "takt-linux").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "takt-linux").chmod(0o755)
    return folder


REFUSES = "echo 'takt-linux: the kernel refuses the programs: Invalid argument; takt linux check says more' >&2; exit 1"
REFUSED = "the kernel refuses the programs: Invalid argument"


@pytest.mark.parametrize(
    ("script", "found"),
    [
        ('test "$#" = 2 && test -e "$1"', [("ok", "loaded"), ("ok", "loaded"), ("ok", "loaded")]),
        (f"case $1 in */takt.bpf.o) {REFUSES};; esac", [("ok", "loaded"), ("ok", "loaded"), ("reduced", REFUSED)]),
        (REFUSES, [("missing", REFUSED), ("reduced", REFUSED), ("reduced", REFUSED)]),
        ("case $1 in *plain*) exit 1;; esac", [("missing", "no word"), ("ok", "loaded"), ("ok", "loaded")]),
    ],
)
def test_whether_each_object_loads_is_tried(script: str, found: list[tuple[str, str]], tmp_path: Path) -> None:
    findings = programs(made_programs(tmp_path, script))
    assert [one.what for one in findings] == ["programs", "programs, servers", "programs, all together"]
    assert [(one.state, one.found) for one in findings] == found
    assert all(one.remedy for one in findings if one.state != "ok")


@pytest.mark.parametrize(
    ("script", "state"),
    [("exit 0", "ok"), (f"case $1 in */takt.bpf.o) {REFUSES};; esac", "ok"), (REFUSES, "missing")],
)
def test_files_and_trial_say_the_same_of_preempt_rt(script: str, state: str, tmp_path: Path) -> None:
    findings = check(make_machine(tmp_path / "machine", {"sys/kernel/realtime": "1\n"}))
    tried = programs(made_programs(tmp_path, script))
    (found,) = (one for one in with_trial(findings, tried) if one.what == "PREEMPT_RT")
    assert (found.state, found.found, bool(found.remedy)) == (state, "yes", state == "missing")
    assert (tried[0].state == "ok") == (state == "ok")


def test_programs_that_are_not_there_are_missing(tmp_path: Path) -> None:
    assert [(one.state, one.found) for one in programs(None)] == [("missing", "none here")]
    assert programs(tmp_path)[0].found.startswith("not tried: ")


def test_this_machine_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board, "place_of_programs", lambda: made_programs(tmp_path, "exit 0"))
    status, text = invoke("--json")
    document = json.loads(text)
    assert status == (0 if document["can_run"] else 3)
    assert document["findings"][0]["found"] == (Path("/proc/sys/kernel/osrelease").read_text().strip())
    assert [one["found"] for one in document["findings"][-2:]] == ["loaded", "loaded"]
