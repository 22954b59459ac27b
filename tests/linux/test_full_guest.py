# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Full mode in the guest: threads of C and of Python have their deadlines beside a busy process of the fair class.

One boot, in `make soak`. The interpreter is this one, with the modules that the script imports.
"""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import guest_root
import pytest
import takt
from places import ROOT
from recipes import must_build
from sampling import IS_SMALLER, SYSTEMS
from takt.board import guest
from takt.linux import board, daemon
from takt.show import board_report
from test_taktd_guest import CAPABILITIES, DETACHED, FOLDER, can_run

pytestmark = pytest.mark.skipif(
    SYSTEMS is None or IS_SMALLER or not can_run, reason="make soak runs Python and full mode in the guest"
)

JOBS = 20
REST = 1 - 1 / 10 - 1 / 20 - 8 / 40
SET = """schema = 1
[system]
policy = "fp"
resolution = "1us"
[[task]]
name = "a"
period = "10ms"
wcet = "2ms"
priority = 3
[[task]]
name = "b"
period = "20ms"
wcet = "2ms"
priority = 2
[[task]]
name = "python"
period = "40ms"
subjobs = ["3ms", "3ms", "3ms"]
priority = 1
"""
IMPORTS = "import os, sys, time\nfrom takt.linux import job\n"
PROGRAM = f"""{IMPORTS}
os.setgroups([])
os.setgid(1000)
os.setuid(1000)
job.join("python", path=sys.argv[1])
statuses, yields = set(), 0


def instant_and_hog() -> tuple[int, int]:
    with open(f"/proc/{{sys.argv[2]}}/schedstat") as file:
        return time.monotonic_ns(), int(file.read().split()[0])


for number in range({JOBS}):
    statuses.add(job.wait().name)
    begin = begin if number else instant_and_hog()
    end = time.thread_time_ns() + 8_000_000
    while time.thread_time_ns() < end:
        if job.should_yield():
            yields += 1
            job.point()
statuses.add(job.wait().name)
length, hog = (now - then for now, then in zip(instant_and_hog(), begin))
counts = job.counts()
job.leave()
print(counts.completed, counts.missed, counts.overruns, *statuses, yields, hog / length)
"""
NAMES = (
    "import sys, sysconfig\nplaces = [sysconfig.get_path(name) for name in ('stdlib', 'platlib')]\n"
    "for module in list(sys.modules.values()):\n"
    "    file = getattr(module, '__file__', None) or ''\n"
    "    for place in places:\n"
    "        if file.startswith(place + '/') and ('site-packages' in file) == (place != places[0]):\n"
    "            print(file.removeprefix(place + '/'), file)\n"
)
SCRIPT = f"""
S=/run/takt/s
{guest_root.MOVE}
mkdir -p /run/takt; chown 1001:1000 /run/takt
./with_capabilities 1001 1000 {",".join(map(str, CAPABILITIES.values()))} \\
    /work/taktd --full --socket $S --objects /work & D=$!
while [ ! -S $S ]; do sleep 0.1; kill -0 $D || exit 1; done
sh -c 'while :; do :; done' & H=$!
used() {{ cut -d' ' -f1 /proc/$H/schedstat; }}
./ask_taktd $S load load 1000 100000 wait
./joiner $S 1000 a b > joined & J=$!
PYTHONHOME=/usr /usr/bin/python -S program.py $S $H > said 2>&1
cat /sys/kernel/sched_ext/switch_all > switched
./ask_taktd $S detach; cat /sys/kernel/sched_ext/state > detached
wait $J; used > hog; sleep 0.2; used >> hog
./ask_taktd $S trace trace > requests
kill $D $H; wait $D
"""
FILES = dict.fromkeys(re.findall(r" >>? (\w+)(?= |$)", SCRIPT, re.MULTILINE))


def python() -> dict[str, Path | bytes]:
    """Return what of this Python the script needs."""
    done = subprocess.run([sys.executable, "-c", IMPORTS + NAMES], capture_output=True, text=True, check=True)
    modules = dict(line.split(" ", 1) for line in done.stdout.splitlines())
    version = f"usr/lib/python{sysconfig.get_python_version()}"
    shared = {f"{version}/{name}": Path(file) for name, file in modules.items() if file.endswith(".so")}
    plain = {f"root/{version}/{name}": Path(file) for name, file in modules.items() if file.endswith(".py")}
    return plain | guest_root.programs({"usr/bin/python": Path(sys.executable).resolve(), **shared})


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str | bytes]:
    folder = tmp_path_factory.mktemp("full")
    (folder / "set.toml").write_text(SET)
    (part,) = board.parts(daemon.without_end(takt.load(folder / "set.toml")))
    files = {**python(), **board.products(FOLDER), "load": daemon.contents(part), "program.py": PROGRAM.encode()}
    files["taktd"] = FOLDER / "takt" / "taktd"
    for name, more in {"ask_taktd": [], "with_capabilities": [], "joiner": sorted(ROOT.glob("linux/lib/*.c"))}.items():
        must_build(["cc", "-O2", "-static", "-I.", f"tests/linux/{name}.c", *map(str, more), "-o", str(folder / name)])
        files[name] = folder / name
    done = guest.run(guest.Machine(FOLDER), SCRIPT, files, [*FILES, "trace"], patience=600)
    texts = {name: data if name == "trace" else data.decode() for name, data in done.files.items()}
    return {**texts, "output": done.output.decode(errors="replace")}


def test_jobs_of_python_end_in_time(outcome: dict[str, str | bytes]) -> None:
    completed, missed, overruns, status, yields, _ = str(outcome["said"]).split()
    assert (int(completed), int(missed), int(overruns), status) == (JOBS, 0, 0, "OK"), outcome["output"]
    assert int(yields) >= JOBS  # a more urgent job is released in each of them


def test_no_thread_of_the_domain_misses_a_deadline_beside_a_busy_process(
    outcome: dict[str, str | bytes], tmp_path: Path
) -> None:
    data = outcome["trace"]
    assert isinstance(data, bytes)
    daemon.write_trace(tmp_path / "T.takt", {0: (data, 0)})
    replayed = takt.replay(tmp_path / "T.takt")
    assert replayed.is_identical, replayed.text
    rows = {row.task: row for row in board_report.report_of(replayed.trace).rows}
    assert {task: row.missed for task, row in rows.items()} == {"a": 0, "b": 0, "python": 0}
    assert rows["a"].finished > 4 * (JOBS - 1)
    assert (
        len(
            re.findall(
                rf"^[ab] ended {DETACHED} after \d+ jobs in class 7 then 0$", str(outcome["joined"]), re.MULTILINE
            )
        )
        == 2
    )


def test_the_busy_process_has_the_rest_and_goes_on_after_a_detach(outcome: dict[str, str | bytes]) -> None:
    assert (outcome["switched"], outcome["detached"]) == ("1\n", "disabled\n")
    assert 0.5 < float(str(outcome["said"]).split()[-1]) < REST
    before, after = map(int, str(outcome["hog"]).split())
    assert after - before > 190_000_000
