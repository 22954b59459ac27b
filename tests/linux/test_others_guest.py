# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A task stands for the threads of the fair class: its server gives them their share in full mode, and no more.

One boot, in `make soak`. `low` would have all the time that is left. The records of switches are the kernel's own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import takt
from places import ROOT
from recipes import must_build
from sampling import IS_SMALLER, SYSTEMS
from takt import _core
from takt.analysis.result import Verdict
from takt.board import guest
from takt.files.trace_file import Trace
from takt.linux import board, daemon
from takt.run import linux_checks
from takt.show import board_report
from test_taktd_guest import FOLDER, can_run

pytestmark = pytest.mark.skipif(
    SYSTEMS is None or IS_SMALLER or not can_run, reason="make soak shares a processor in the guest"
)

WINDOW_NS, WINDOWS = 50_000_000, 40
BUDGET_NS = 5_000_000
CALM = range(10, WINDOWS)
"""The windows in which the threads of the domain have entered, and the others do what they do."""

SLACK_NS = 100_000
"""By which a share may differ from the budget: the switches at its end, and those of each time another class comes."""

SET = """schema = 1
[system]
policy = "fp"
resolution = "1us"
horizon = "2s"
[[server]]
name = "share"
kind = "deferrable"
period = "50ms"
budget = "5ms"
priority = 3
[[task]]
name = "others"
server = "share"
min_separation = "50ms"
wcet = "5ms"
[[task]]
name = "a"
period = "10ms"
wcet = "2ms"
priority = 4
[[task]]
name = "b"
period = "20ms"
wcet = "3ms"
priority = 2
[[task]]
name = "low"
period = "1ms"
wcet = "1ms"
priority = 1
"""
RUNS = {
    "idle": ":",
    "busy": "sh -c 'while :; do :; done' & sh -c 'while :; do :; done'",
    "stolen": "sh -c 'while :; do :; done' & ./thief",
}
SCRIPT = f"""
S=/run/s T=/sys/kernel/tracing
mkdir -p /run; mount -t tracefs t $T 2>/dev/null
./taktd --full --others others --mode 666 --socket $S --objects /work & D=$!
while [ ! -S $S ]; do sleep 0.1; kill -0 $D || exit 1; done
echo mono > $T/trace_clock; echo 8192 > $T/buffer_size_kb; echo 1 > $T/events/sched/sched_switch/enable
run() {{
    ./ask_taktd $S load load 1000 100000 wait
    ./joiner $S 1000 others a b low > $1_joined & J=$!
    sleep 0.2; ./ask_taktd $S status > $1_status
    setsid sh -c "$2" & H=$!
    wait $J; kill -9 -$H; grep sched_switch $T/trace > $1_switches; : > $T/trace
    ./ask_taktd $S trace $1_trace
}}
{"".join(f'run {name} "{command}"{chr(10)}' for name, command in RUNS.items())}
kill $D; wait $D
"""
RESULTS = [f"{name}_{what}" for name in RUNS for what in ("joined", "status", "switches", "trace")]
SWITCH = re.compile(r" (\d+)\.(\d{6}): sched_switch: .*prev_pid=(\d+) .*next_pid=(\d+) next_prio=(\d+)")
FAIR = range(100, 140)
HIGHER = "higher classes"


@dataclass(frozen=True)
class Outcome:
    """What one run did: its trace, the kernel's record of switches, and what its programs said."""

    trace: Trace
    processor: board.Processor
    joined: str

    def had(self, task: str) -> list[int]:
        """Return the time that threads of a task had the processor in each window, by the kernel's record, in ns."""
        return self._sums(linux_checks._ran(self.processor), task)

    def was_selected(self, task: str) -> list[int]:
        """Return the time that a task was selected in each window, in ns."""
        return self._sums(linux_checks._decided(self.trace), task)

    @staticmethod
    def _sums(stretches: list[linux_checks._Stretch], task: str) -> list[int]:
        found = [0] * WINDOWS
        for each in stretches:
            for window in range(WINDOWS) if each.task == task else ():
                begin = window * WINDOW_NS
                found[window] += max(0, min(each.end, begin + WINDOW_NS) - max(each.start, begin))
        return found


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> takt.System:
    path = tmp_path_factory.mktemp("set") / "set.toml"
    path.write_text(SET)
    return takt.load(path)


@pytest.fixture(scope="module")
def outcomes(system: takt.System, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    folder = tmp_path_factory.mktemp("others")
    (part,) = board.parts(system)
    files: dict[str, Path | bytes] = {**board.products(FOLDER), "load": daemon.contents(part)}
    files["taktd"] = FOLDER / "takt" / "taktd"
    library = sorted(map(str, ROOT.glob("linux/lib/*.c")))
    sources = {"ask_taktd": ["tests/linux/ask_taktd.c"], "joiner": ["tests/linux/joiner.c", *library]}
    for name, needed in {**sources, "thief": ["tests/linux/thief.c"]}.items():
        must_build(["cc", "-O2", "-static", "-I.", *needed, "-o", str(folder / name)])
        files[name] = folder / name
    done = guest.run(guest.Machine(FOLDER), SCRIPT, files, RESULTS, patience=600)
    assert set(done.files) == set(RESULTS), done.output.decode(errors="replace")
    return {name: outcome_of(done.files, name, folder / f"{name}.takt") for name in RUNS}


def outcome_of(files: Mapping[str, bytes], name: str, path: Path) -> Outcome:
    """Read what one run did; a thread of the fair class that has no task counts as one of `others`."""
    daemon.write_trace(path, {0: (files[f"{name}_trace"], 0)})
    replayed = takt.replay(path)
    assert replayed.is_identical, replayed.text
    status = files[f"{name}_status"].decode()
    threads = {
        int(thread): task for task, thread in re.findall(r"^task (\w+) thread ([1-9]\d*) ", status, re.MULTILINE)
    }
    assert sorted(threads.values()) == ["a", "b", "low"], status
    (epoch,) = (int(found) for found in re.findall(r"^epoch (\d+)$", status, re.MULTILINE))
    found = [tuple(map(int, row)) for row in SWITCH.findall(files[f"{name}_switches"].decode())]
    higher = {on for *_, on, priority in found if priority not in FAIR}  # also before it was
    threads |= {on: HIGHER if on in higher else "others" for *_, on, _ in found if on and on not in threads}
    rows = [(seconds * 10**9 + micros * 1000 - epoch, off, on) for seconds, micros, off, on, _ in found]
    switches = np.array(rows, dtype=[("at", "<i8"), ("off", "<u4"), ("on", "<u4")])
    processor = board.Processor(replayed.trace, threads, switches, np.array([]))
    return Outcome(replayed.trace, processor, files[f"{name}_joined"].decode())


@pytest.mark.parametrize("name", ["busy", "stolen"])
def test_threads_that_are_always_runnable_have_the_share_and_no_more(name: str, outcomes: dict[str, Outcome]) -> None:
    shares = outcomes[name].had("others")
    assert [shares[window] for window in CALM] == pytest.approx([BUDGET_NS] * len(CALM), abs=SLACK_NS)
    assert min(outcomes[name].had("low")[window] for window in CALM) > WINDOW_NS / 4  # it has all that is left


def test_threads_that_sleep_use_no_share(outcomes: dict[str, Outcome]) -> None:
    idle = outcomes["idle"]
    assert sum(idle.had("others")[window] for window in CALM) < len(CALM) * BUDGET_NS / 10
    completed = [each for each in idle.trace.records() if each.kind == _core.RECORD_COMPLETE]
    number = idle.trace.system.entity_names().index("others")
    assert sum(each.entity == number for each in completed) > 10  # a job for each time that one of them wakes


@pytest.mark.parametrize("name", RUNS)
def test_deadlines_that_the_analysis_guarantees_are_met(
    name: str, system: takt.System, outcomes: dict[str, Outcome]
) -> None:
    guaranteed = {row.task for row in takt.analyse(system).tasks if row.verdict is Verdict.SCHEDULABLE}
    assert guaranteed == {"a", "b"}
    rows = {row.task: row for row in board_report.report_of(outcomes[name].trace).rows}
    assert {task: rows[task].missed for task in guaranteed} == dict.fromkeys(guaranteed, 0)
    assert (rows["a"].finished, rows["b"].finished) == (200, 100)


@pytest.mark.parametrize("name", RUNS)
def test_the_kernel_switched_to_what_was_decided(name: str, outcomes: dict[str, Outcome]) -> None:
    outcome = outcomes[name]
    allowed = linux_checks._Selected(linux_checks._decided(outcome.trace), linux_checks.SWITCH_NS + board.TICK_NS)
    ran = linux_checks._merged(linux_checks._ran(outcome.processor))
    assert len(ran) > 500
    long = [each for each in ran if each.task != HIGHER and each.end - each.start > linux_checks.SWITCH_NS]
    assert [each for each in long if not allowed.has(each)] == []
    for task in ("others", "a", "b"):
        rows = zip(outcome.was_selected(task), outcome.had(task), outcome.had(HIGHER), strict=True)
        assert all(-SLACK_NS < selected - had < SLACK_NS + stolen for selected, had, stolen in rows)


@pytest.mark.parametrize("name", RUNS)
def test_no_thread_joins_as_the_task_of_the_others(name: str, outcomes: dict[str, Outcome]) -> None:
    assert re.findall(r"^others joined (-\d+)$", outcomes[name].joined, re.MULTILINE) == ["-5"]
