# SPDX-License-Identifier: Apache-2.0 OR MIT
"""taktd in the guest, with the kernel's own scheduling: what it does when programs, the task set or it itself end.

One boot does all. taktd is no root there: it is user 1001 of group 1000, with the capabilities of taktd.service, and
the programs are users of that group.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
import takt
from places import ROOT
from recipes import must_build
from takt.board import guest
from takt.files import trace_file
from takt.linux import board, daemon

FOLDER = ROOT / "build" / "linux"
TOOLS = ("busybox", "cc", "clang-19", "llc-19", "opt-19", "llvm-link-19")
can_run = (FOLDER / "packages").exists() and all(map(shutil.which, TOOLS))
pytestmark = pytest.mark.skipif(not can_run, reason="no guest with Linux here: make linux fetches it")

SET = """schema = 1
[system]
policy = "fp"
"""
SET += "".join(
    f'[[task]]\nname = "{name}"\nperiod = "{period}ms"\nwcet = "2ms"\n'
    for name, period in (("a", 10), ("b", 20), ("c", 50))
)
IN_SERVER = f'{SET}[[server]]\nname = "s"\nkind = "deferrable"\nperiod = "20ms"\nbudget = "5ms"\n'.replace(
    '[[task]]\nname = "a"', '[[task]]\nserver = "s"\nname = "a"'
)
CAPABILITIES = {"CAP_SYS_NICE": 23, "CAP_PERFMON": 38, "CAP_BPF": 39}
DETACHED, NAME, SOCKET = -8, -4, -13
TRACES = ("trace", "served_trace")
ALL_FAIR = 0
SCRIPT = """
S=/run/takt/s
mkdir -p /run/takt; chown 1001:1000 /run/takt
for few in FEWER; do
    ./with_capabilities 1001 1000 $few /work/taktd --socket $S --objects /work 2>&1 | tail -n 1 >> few
done
./with_capabilities 1001 1000 CAPABILITIES /work/taktd --socket $S --objects /work & D=$!
while [ ! -S $S ]; do sleep 0.1; kill -0 $D || exit 1; done
./ask_taktd $S load load 1000 100000
./joiner $S 1000 a b > ab & AB=$!
./joiner $S 1000 c nobody > killed & KILLED=$!
sleep 1
./ask_taktd $S status > first
./taktd --socket $S --objects /work 2> second; echo "$? process $D" >> second
kill -9 $KILLED; sleep 0.1; ./ask_taktd $S status > without_c
CLOSES=1 ./joiner $S 1000 c > closed
./joiner $S 1000 c > c & C=$!
sleep 0.5
./ask_taktd $S status > with_c
./ask_taktd $S detach; cat /sys/kernel/sched_ext/state > detached
wait $AB $C; ./ask_taktd $S trace trace
./ask_taktd $S load in_server 1000 100000
./joiner $S 1000 a > served & A=$!
sleep 1; ./ask_taktd $S detach; wait $A; ./ask_taktd $S trace served_trace
./ask_taktd $S load load 1000 100000 wait
./joiner $S 1000 a b > again & AB=$!
sleep 0.3; ./ask_taktd $S status > waiting
./joiner $S 1000 c > again_c & C=$!
sleep 0.5; ./ask_taktd $S status > attached_again
kill -9 $D; wait $D; cat /sys/kernel/sched_ext/state > killed_daemon
wait $AB $C
./joiner $S 1000 a > too_late
"""
FILES = [line.split("> ")[1].split()[0] for line in SCRIPT.splitlines() if "> " in line and "2>" not in line]


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str | bytes]:
    folder = tmp_path_factory.mktemp("taktd")
    files: dict[str, Path | bytes] = {**board.products(FOLDER)}
    for name, text in {"load": SET, "in_server": IN_SERVER}.items():
        (folder / "set.toml").write_text(text)
        (part,) = board.parts(daemon.without_end(takt.load(folder / "set.toml")))
        files[name] = daemon.contents(part)
    files["taktd"] = FOLDER / "takt" / "taktd"
    for name, more in {"ask_taktd": [], "with_capabilities": [], "joiner": sorted(ROOT.glob("linux/lib/*.c"))}.items():
        must_build(["cc", "-O2", "-static", "-I.", f"tests/linux/{name}.c", *map(str, more), "-o", str(folder / name)])
        files[name] = folder / name
    numbers = [str(number) for number in CAPABILITIES.values()]
    fewer = [
        ",".join(each for each in numbers if each != str(CAPABILITIES[name])) for name in ("CAP_PERFMON", "CAP_BPF")
    ]
    script = SCRIPT.replace("CAPABILITIES", ",".join(numbers)).replace("FEWER", " ".join(fewer))
    done = guest.run(guest.Machine(FOLDER), script, files, [*FILES, "few", "second", *TRACES], patience=600)
    texts = {name: data if name in TRACES else data.decode() for name, data in done.files.items()}
    return {**texts, "output": done.output.decode(errors="replace")}


def jobs(outcome: dict[str, str | bytes], name: str) -> dict[str, tuple[int, int]]:
    """Return, for each task of a program, the jobs it executed and the class it continued in."""
    lines = re.findall(r"^(\w) ended (-?\d+) after (\d+) jobs in class \d then (\d)$", str(outcome[name]), re.MULTILINE)
    assert {int(status) for _, status, _, _ in lines} == {DETACHED}, outcome[name]
    return {task: (int(count), int(fair)) for task, _, count, fair in lines}


def records(trace: str | bytes, folder: Path) -> int:
    """Return how many records a trace has, which replays."""
    assert isinstance(trace, bytes)
    (folder / "T.takt").write_bytes(trace)
    replayed = takt.replay(folder / "T.takt")
    assert replayed.is_identical, replayed.text
    return len(trace_file.read(folder / "T.takt"))


def threads(outcome: dict[str, str | bytes], name: str) -> dict[str, bool]:
    """Return whether each task had a thread."""
    return {
        task: thread != "0"
        for task, thread in re.findall(r"^task (\w) thread (\d+) ", str(outcome[name]), re.MULTILINE)
    }


def test_the_capabilities_are_those_of_the_unit() -> None:
    unit = (ROOT / "linux/daemon/taktd.service").read_text()
    for key in ("CapabilityBoundingSet", "AmbientCapabilities"):
        found = re.search(rf"^{key}=(.*)$", unit, re.MULTILINE)
        assert found is not None
        assert set(found[1].split()) == set(CAPABILITIES)


def test_with_fewer_capabilities_the_kernel_refuses(outcome: dict[str, str | bytes]) -> None:
    start = "taktd: the kernel refuses the programs: Operation not permitted; "
    assert [line.startswith(start) for line in str(outcome["few"]).splitlines()] == [True, True]


def test_a_thread_that_closes_its_connection_is_returned_to_the_fair_class(outcome: dict[str, str | bytes]) -> None:
    ended = str(outcome["closed"]).splitlines()[-1]
    assert re.fullmatch(rf"c ended {DETACHED} after [567] jobs in class 0 then 0", ended), ended


def test_programs_join_and_their_jobs_execute(outcome: dict[str, str | bytes]) -> None:
    assert threads(outcome, "first") == {"a": True, "b": True, "c": True}
    assert str(outcome["first"]).startswith("state 2 refused 0 lost 0")
    found = jobs(outcome, "ab")
    assert found["a"][0] > 100
    assert abs(found["a"][0] - 2 * found["b"][0]) <= 2
    assert sorted(str(outcome["killed"]).splitlines()) == ["c joined 0", f"nobody joined {NAME}"]


def test_a_second_taktd_is_refused_with_the_process_of_the_first(outcome: dict[str, str | bytes]) -> None:
    said, process = str(outcome["second"]).splitlines()
    assert said.removeprefix("taktd: another taktd runs at this socket, as process: ") == process.split()[-1]
    assert process.startswith("2 ")


def test_a_program_that_is_killed_leaves_its_task_to_another(outcome: dict[str, str | bytes]) -> None:
    assert threads(outcome, "without_c") == {"a": True, "b": True, "c": False}
    assert threads(outcome, "with_c") == {"a": True, "b": True, "c": True}
    assert jobs(outcome, "c")["c"][0] > 8


def test_after_a_detach_threads_continue_in_the_fair_class_and_the_trace_replays(
    outcome: dict[str, str | bytes], tmp_path: Path
) -> None:
    assert outcome["detached"] == "disabled\n"
    assert {fair for _, fair in (*jobs(outcome, "ab").values(), *jobs(outcome, "c").values())} == {ALL_FAIR}
    assert records(outcome["trace"], tmp_path) > 1000


def test_a_set_that_needs_other_programs_has_them_loaded(outcome: dict[str, str | bytes], tmp_path: Path) -> None:
    assert jobs(outcome, "served")["a"][0] > 80
    assert records(outcome["served_trace"], tmp_path) > 300


def test_it_attaches_again_when_all_threads_have_joined(outcome: dict[str, str | bytes]) -> None:
    assert str(outcome["waiting"]).startswith("state 1 ")
    assert threads(outcome, "waiting") == {"a": True, "b": True, "c": False}
    assert str(outcome["attached_again"]).startswith("state 2 refused 0 lost 0")


def test_when_taktd_is_killed_threads_continue_in_the_fair_class(outcome: dict[str, str | bytes]) -> None:
    assert outcome["killed_daemon"] == "disabled\n"
    found = jobs(outcome, "again") | jobs(outcome, "again_c")
    assert {fair for _, fair in found.values()} == {ALL_FAIR}
    assert found["a"][0] > 30
    assert outcome["too_late"] == f"a joined {SOCKET}\n"
