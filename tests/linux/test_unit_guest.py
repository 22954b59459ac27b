# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The unit of taktd, as systemd starts it: systemd of Debian is the first process of a guest.

One boot does all, in `make soak`: its taktd loads twice.
"""

from __future__ import annotations

import re

import guest_root
import pytest
import takt
from places import ROOT
from recipes import must_build
from sampling import IS_SMALLER, SYSTEMS
from takt.board import guest
from takt.linux import board, daemon
from test_taktd_guest import CAPABILITIES, DETACHED, FOLDER, SET, can_run

SYSTEMD = FOLDER / "systemd"
pytestmark = pytest.mark.skipif(
    SYSTEMS is None or IS_SMALLER or not can_run or not (SYSTEMD / "packages").exists(),
    reason="make soak boots systemd in the guest",
)

GROUP, USER = 1000, 1001
TARGETS = ("basic", "sysinit", "shutdown", "sockets", "timers", "paths", "slices", "local-fs", "multi-user")
PLACES = {
    "usr/lib/systemd/systemd": "lib/systemd/systemd",
    "usr/bin/systemctl": "bin/systemctl",
    "usr/bin/systemd-analyze": "usr/bin/systemd-analyze",
}
SETTINGS = {
    "etc/passwd": f"root:x:0:0::/:/bin/sh\ntakt:x:{USER}:{GROUP}::/:/bin/sh\n",
    "etc/group": f"root:x:0:\ntakt:x:{GROUP}:\n",
    "etc/systemd/system/default.target": "[Unit]\nRequires=basic.target\nAfter=basic.target\nWants=trial.service\n",
    "etc/systemd/system/trial.service": "[Service]\nExecStart=/init\nPrivateMounts=yes\n",
}
"""The service is the guest's own first process, which runs the script below."""

FIRST = f"""#!/bin/busybox sh
{guest_root.MOVE}
/bin/busybox mkdir -p /run /usr/local/bin
/bin/busybox mv /work/taktd /work/takt.bpf.o /work/tables.bin /usr/local/bin
/bin/busybox chmod 644 /usr/lib/systemd/system/* /etc/systemd/system/* /work/taktd.service
exec /usr/lib/systemd/systemd
"""
SCRIPT = f"""
export PATH=/bin:/usr/bin
S=/run/takt/taktd.sock
cat /proc/1/comm > first
systemd-analyze verify /work/taktd.service > verified 2>&1; echo "status $?" >> verified
systemctl enable --now /work/taktd.service 2> /dev/null; systemctl is-active taktd > started
stat -c '%F %a %u %g' /run/takt $S > socket
P=$(cat $S.lock); cat /proc/$P/status /proc/$P/limits > process
./ask_taktd $S load load 1000 100000
./joiner $S {GROUP} a b c > joined & J=$!
sleep 1; ./ask_taktd $S status > tasks
kill -9 $P; wait $J
cat /sys/kernel/sched_ext/state > killed
systemctl is-active taktd >> killed
until systemctl is-active -q taktd; do sleep 0.5; done
systemctl show taktd -p NRestarts -p Result > restarted
./ask_taktd $S load load 1000 100000
./joiner $S {GROUP} a b c > joined_again & J=$!
sleep 1; cat /sys/kernel/sched_ext/state > attached
systemctl stop taktd; wait $J
cat /sys/kernel/sched_ext/state > stopped
systemctl is-active taktd >> stopped
systemctl show taktd -p Result >> stopped
ls /run/takt 2>&1 >> stopped | wc -l >> stopped
"""
FILES = dict.fromkeys(re.findall(r" >>? (\w+)(?= |$)", SCRIPT, re.MULTILINE))


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("unit")
    (folder / "set.toml").write_text(SET)
    (part,) = board.parts(daemon.without_end(takt.load(folder / "set.toml")))
    libraries = [path for path in SYSTEMD.rglob("*-linux-gnu*/") if path.is_dir()]
    libraries += [place / "systemd" for place in libraries]
    files = guest_root.programs({place: SYSTEMD / name for place, name in PLACES.items()}, libraries)
    files |= {f"root/{name}": text.encode() for name, text in SETTINGS.items()}
    for name in (f"lib/systemd/system/{target}.target" for target in TARGETS):
        files[f"root/usr/{name}"] = SYSTEMD / name
    files |= {**board.products(FOLDER), "load": daemon.contents(part), "start": FIRST.encode()}
    files |= {"taktd": FOLDER / "takt" / "taktd", "taktd.service": ROOT / "linux/daemon/taktd.service"}
    for name, more in {"ask_taktd": [], "joiner": sorted(ROOT.glob("linux/lib/*.c"))}.items():
        must_build(["cc", "-O2", "-static", "-I.", f"tests/linux/{name}.c", *map(str, more), "-o", str(folder / name)])
        files[name] = folder / name
    machine = guest.Machine(FOLDER, memory_mb=768, kernel_arguments=["rdinit=/work/start"])
    done = guest.run(machine, SCRIPT, files, FILES, patience=900)
    assert done.output == b""
    return {name: data.decode() for name, data in done.files.items()}


def test_systemd_is_the_first_process_and_finds_nothing_wrong_with_the_unit(outcome: dict[str, str]) -> None:
    assert (outcome["first"], outcome["verified"]) == ("systemd\n", "status 0\n")


def test_it_starts_taktd_as_its_user_with_its_capabilities(outcome: dict[str, str]) -> None:
    assert outcome["started"] == "active\n"
    assert outcome["socket"] == f"directory 755 {USER} {GROUP}\nsocket 660 {USER} {GROUP}\n"
    rows = dict(re.findall(r"^(\w+):\t(.*)$", outcome["process"], re.MULTILINE))
    assert (set(rows["Uid"].split()), set(rows["Gid"].split())) == ({str(USER)}, {str(GROUP)})
    capabilities = sum(1 << number for number in CAPABILITIES.values())
    found = {int(rows[f"Cap{each}"], 16) for each in ("Inh", "Prm", "Eff", "Bnd", "Amb")}
    assert (found, rows["NoNewPrivs"]) == ({capabilities}, "1")
    assert re.search(r"^Max open files +8192 +8192 ", outcome["process"], re.MULTILINE)


def test_members_of_its_group_join(outcome: dict[str, str]) -> None:
    assert outcome["tasks"].startswith("state 2 refused 0 lost 0")
    assert len(re.findall(r"^task [abc] thread [1-9]", outcome["tasks"], re.MULTILINE)) == len("abc")
    for name in ("joined", "joined_again"):
        ended = re.findall(rf"^(\w) ended {DETACHED} after (\d+) jobs in class 7 then 0$", outcome[name], re.MULTILINE)
        counts = {task: int(count) for task, count in ended}
        assert counts.keys() == {"a", "b", "c"}
        assert (counts["a"] > 90, abs(counts["a"] - 2 * counts["b"]) <= 2) == (True, True)


def test_a_killed_taktd_is_started_again(outcome: dict[str, str]) -> None:
    assert outcome["killed"] == "disabled\nactivating\n"
    assert outcome["restarted"] == "Result=success\nNRestarts=1\n"
    assert outcome["attached"] == "enabled\n"


def test_after_a_stop_nothing_is_left(outcome: dict[str, str]) -> None:
    assert outcome["stopped"] == "disabled\ninactive\nResult=success\n1\n"
