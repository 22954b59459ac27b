# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Faults on Linux: each is contained, and the user is told of it.

One guest runs them one after the other, under one load for each mode. faults.c is takt-linux with a task that commits
the fault. What is checked of each: the trace replays, the other threads ran only while they were selected, their jobs
ended in time, and what takt-linux and the task were told.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import build
import polars as pl
import pytest
import takt
from places import ROOT
from takt import _core
from takt.base.errors import InputError
from takt.board import guest
from takt.linux import board
from takt.run import linux_checks, linux_reference
from test_linux_runs import FOLDER, loaded, needs_linux

pytestmark = needs_linux

WRAPPED = ("takt_worker_execute", "takt_machine_clear", "takt_machine_add", "takt_linux_lock_memory")
PATIENCE = 600
SHORT_NS = 100_000
FORKED_MS = 15
"""What page faults after a fork take from threads of both processes, whose memory is not locked here."""

ONE = """schema = 1
[system]
policy  = "fp"
resolution = "1us"
horizon = "400ms"
[[resource]]
name = "bus"
protocol = "pip"
[[task]]
name = "high"
priority = 3
period = "10ms"
wcet = "2ms"
[[task]]
name = "faulty"
priority = 2
period = "20ms"
wcet = "9ms"
[[task]]
name = "low"
priority = 1
period = "40ms"
wcet = "8ms"
body = ["lock bus", "run 8ms", "unlock bus"]
"""
TWO = """schema = 1
[system]
policy  = "fp"
cpus = 2
resolution = "1us"
horizon = "400ms"
[[task]]
name = "high"
cpu = 0
priority = 2
period = "10ms"
wcet = "2ms"
[[task]]
name = "faulty"
cpu = 0
priority = 1
period = "20ms"
wcet = "5ms"
[[task]]
name = "other"
cpu = 1
priority = 1
period = "10ms"
wcet = "2ms"
"""
HOLDER = ONE.replace('wcet = "9ms"\n', 'wcet = "9ms"\nbody = ["lock bus", "run 9ms", "unlock bus"]\n')
HOLDER_ALONE = HOLDER.replace('body = ["lock bus", "run 8ms", "unlock bus"]\n', "")
"""Only the task `faulty` locks the resource, so that the others are to go on whatever it does."""
REQUESTS = HOLDER_ALONE.replace("400ms", "2200ms").replace("9ms", "1ms")
SHARED = """schema = 1
[system]
policy  = "fp"
resolution = "1us"
horizon = "4s"
[[server]]
name = "one"
kind = "deferrable"
priority = 2
period = "20ms"
budget = "8ms"
[[server]]
name = "two"
kind = "deferrable"
priority = 1
period = "50ms"
budget = "15ms"
[[resource]]
name = "bus"
protocol = "hsrp"
[[task]]
name = "high"
priority = 3
period = "10ms"
wcet = "2ms"
[[task]]
name = "faulty"
server = "one"
period = "40ms"
wcet = "4ms"
body = ["lock bus", "run 4ms", "unlock bus"]
[[task]]
name = "low"
server = "two"
period = "100ms"
wcet = "4ms"
body = ["lock bus", "run 4ms", "unlock bus"]
"""
MANY = ONE.partition("[[task]]")[0] + "".join(
    f'[[task]]\nname = "{name}"\npriority = 1\nperiod = "1s"\nwcet = "1us"\n'
    for name in ("faulty", *(f"t{number}" for number in range(2047)))
)
ALONE = ONE.partition("[[resource]]")[0] + '[[task]]\nname = "faulty"\nperiod = "20ms"\nwcet = "9ms"\npriority = 1\n'
"""Of several threads the first one that has lost the scheduler ends the run; here it is this one."""
LOCKING = ALONE.replace(
    "[[task]]", '[[resource]]\nname = "bus"\nprotocol = "srp"\n[[task]]\nbody = ["lock bus", "run 9ms", "unlock bus"]'
)

LONG = ONE.partition("[[resource]]")[0].replace("400ms", "16s") + "".join(
    f'[[task]]\nname = "{name}"\npriority = {priority}\nperiod = "{period}"\nwcet = "1ms"\n'
    for name, priority, period in (("high", 3, "20ms"), ("faulty", 2, "20s"), ("low", 1, "50ms"))
)
"""The watchdog of Linux ends a scheduler one of whose threads has been runnable for 10 s and has not run."""
URGENT = LONG.replace("priority = 2", "priority = 4")

CROWD = """schema = 1
[system]
policy  = "fp"
resolution = "1us"
horizon = "400ms"
[[task]]
name = "low"
priority = 1
period = "40ms"
wcet = "20ms"
""" + "".join(
    f'[[task]]\nname = "{name}"\npriority = 2\nperiod = "400ms"\nwcet = "100us"\n'
    for name in ("faulty", *(f"t{number}" for number in range(80)))
)
"""All but `low` sleep, and wake while another class has the processor."""

DETACHED = "no scheduler answers the thread: it ended, or the thread changed its class"


@dataclass(frozen=True)
class Fault:
    """A run with a fault.

    Args:
        what: the fault of faults.c; the task `faulty` commits it.
        number: of the job that commits it, or an instant in ms.
        said: what the task says that it learnt.
        told: patterns of what takt-linux says, besides time that other classes took.
        late_ms: what the fault may take from the other tasks; None if the run ends with it.
        text: the task set.
    """

    what: str
    number: int = 5
    said: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    late_ms: int | None = 0
    text: str = ONE


ENDED = r"note processor 0: \d+ jobs were ended because their threads were gone or did not run"
VISITED = r"note processor 0: threads that had waited for 4 s were switched to for a moment [1-9]\d? times"
LOST = "processor 0: a thread lost its scheduler before the horizon"
CHILD = ("child: class 7, the thread has not joined; call takt_linux_join", "child: done")
PARTIAL = {
    "none": Fault("none"),
    "a thread exits": Fault("exit", told=(ENDED,)),
    "a thread exits while it holds a resource": Fault("holder", told=(ENDED,), late_ms=12, text=HOLDER),
    "a process is killed while its job runs": Fault("kill", told=(ENDED,), late_ms=FORKED_MS),
    "a process is killed while it sleeps": Fault("kill_at", 118, told=(ENDED,), late_ms=FORKED_MS),
    "a process is killed while its job is preempted": Fault("kill_at", 111, told=(ENDED,), late_ms=FORKED_MS),
    "a process is stopped and continues": Fault("stop", late_ms=FORKED_MS),
    "a thread forks": Fault("fork", said=CHILD, late_ms=5),
    "a thread enters the fair class": Fault("other", said=(f"thread: {DETACHED}",), told=(ENDED,), late_ms=9),
    "a thread enters SCHED_FIFO": Fault("fifo", said=(f"thread: {DETACHED}",), told=(ENDED,), late_ms=9),
    "a program whose thread leaves the class ends": Fault(
        "lost", said=(f"thread: {DETACHED}",), told=(LOST, f"({ENDED})?"), late_ms=None
    ),
    "a thread moves to another processor": Fault("move", said=(f"thread: {DETACHED}",), told=(ENDED,)),
    "a thread allows itself two processors": Fault("widen", said=(f"thread: {DETACHED}",), told=(ENDED,)),
    "a thread sleeps in a page fault": Fault("page", late_ms=5),
    "a holder of a resource sleeps in a page fault": Fault("hold", late_ms=12, text=HOLDER),
    "a holder is stopped and continues": Fault("stop_holder", late_ms=25, text=HOLDER_ALONE),
    "a holder among servers is stopped for long": Fault("stop_long", told=(ENDED,), late_ms=None, text=SHARED),
    "a stale completion, and sleep": Fault("stale", late_ms=12, text=REQUESTS.replace("2200ms", "400ms")),
    "each request of each job, and sleep": Fault("requests", late_ms=5, text=REQUESTS),
    "a thread is runnable and has no job": Fault("jobless", 0, told=(VISITED,), text=LONG),
    "a process is killed while it sleeps for long": Fault(
        "kill_at", 2000, told=(VISITED,), late_ms=FORKED_MS, text=LONG
    ),
    "a job does not end": Fault("endless", 0, told=(VISITED,), late_ms=None, text=URGENT),
    "a child waits behind a job that does not end": Fault(
        "brood", 0, said=CHILD, told=(VISITED,), late_ms=None, text=URGENT
    ),
    "a thread enters again while it sleeps": Fault("reenter", late_ms=FORKED_MS, text=ONE.replace("9ms", "1ms")),
    "many threads wake while another class runs": Fault("crowd", 0, late_ms=150, text=CROWD),
    "the log is full": Fault("log", 0, late_ms=None),
    "the arena is too small": Fault("arena", 0, told=("refused too little memory for the task set",), late_ms=None),
    "more entities than a domain has slots": Fault(
        "none", told=("refused too little memory for the task set",), late_ms=None, text=MANY
    ),
    "a processor goes offline": Fault(
        "offline",
        100,
        said=("online again",),
        told=("failed the kernel ended the scheduler: unregistered from the main kernel", LOST, LOST.replace("0", "1")),
        late_ms=None,
        text=TWO,
    ),
    "two domains after that": Fault("none", text=TWO),
    "a hog of the fair class": Fault(
        "hog",
        0,
        said=(f"thread: {DETACHED}",),
        told=("failed the kernel ended the scheduler: runnable task stall", LOST),
        late_ms=None,
        text=ALONE.replace("400ms", "16s"),
    ),
    "a run after the watchdog": Fault("none"),
    "the program that decides is taken away": Fault(
        "undecided",
        said=(f"thread: {DETACHED}",),
        told=("failed the kernel ended the scheduler: the program that decides does not answer", LOST),
        late_ms=None,
        text=ALONE,
    ),
    "a function is not loaded": Fault(
        "unloaded",
        said=(f"thread: {DETACHED}",),
        told=(
            "failed the kernel ended the scheduler: function 54414b00 of the scheduler was called, which is not loaded",
            LOST,
        ),
        late_ms=None,
        text=ALONE,
    ),
    "a loop of the scheduler does not end": Fault(
        "loop",
        said=(f"thread: {DETACHED}",),
        told=("failed the kernel ended the scheduler: a loop of the scheduler did not end", LOST),
        late_ms=None,
        text=LOCKING.replace("400ms", "2s"),
    ),
    "the kernel calls no programs": Fault(
        "ftrace",
        told=("failed the kernel calls no programs at functions; set kernel.ftrace_enabled to 1: .*",),
        late_ms=None,
    ),
    "a run after that": Fault("none"),
    "the daemon is killed": Fault("daemon", said=(f"process: {DETACHED}", "process: goes on"), late_ms=None),
}
FULL = {
    "a hog of the fair class": Fault("hog", 0),
    "a thread exits": Fault("exit", told=(ENDED,)),
    "the fair class waits behind a job that does not end": Fault(
        "brood", 0, said=CHILD, told=(VISITED,), late_ms=None, text=URGENT
    ),
    "a child that may run elsewhere does not wait for that job": Fault(
        "roam", 0, said=(*CHILD, "job: done"), told=(VISITED,), late_ms=None, text=URGENT
    ),
}
MODES = {"partial": PARTIAL, "full": FULL}
COMMAND = """cd partial; ../takt-linux ../takt.bpf.o ../tables.bin list; echo $?
cat /sys/kernel/sched_ext/state
cd ../full; TAKT_LINUX_FULL=1 ../takt-linux ../takt.bpf.o ../tables.bin list; echo $?
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build takt-linux with faults."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(board.FOLDER_VARIABLE, str(FOLDER))
        board.products(FOLDER.resolve())
    target = tmp_path_factory.mktemp("faults") / "takt-linux"
    wraps = [f"-Wl,--wrap={name}" for name in WRAPPED]
    build.link_runner(FOLDER, FOLDER / "takt", target, ROOT / "tests/linux/faults.c", *wraps)
    return target


RECORDED = ("trace", "jobs", "switches", "threads")


@dataclass(frozen=True)
class Outcome:
    """What became of a run.

    Args:
        order: the run.
        files: that it wrote, by name.
        number: in its list.
    """

    order: board._Order
    number: int
    files: Mapping[str, bytes]

    def lines(self, name: str) -> list[str]:
        """Return the lines of a file."""
        return self.files.get(f"{self.number}/{name}", b"").decode().splitlines()

    def run(self) -> board.Run:
        """Return the run itself."""
        return board._Recorded(self.order, self.number, self.files).written()


def files_of(mode: str, orders: list[board._Order]) -> tuple[dict[str, bytes], list[str]]:
    """Return the files of the runs of a mode, and the names of their results."""
    files, lines, results = dict[str, bytes](), [], list[str]()
    for number, order in enumerate(orders):
        images = [f"image{number}.{index}" for index in range(len(order.parts))]
        files |= {f"{mode}/{name}": part.image() for name, part in zip(images, order.parts, strict=True)}
        lines.append(f"{number} {order.tick_ns} {order.overhead_ns} {' '.join(images)}\n")
        results += [f"{mode}/{number}/{name}" for name in ("report", "said")]
        results += [f"{mode}/{number}/{name}{index}" for name in RECORDED for index in range(len(order.parts))]
    faults = "".join(
        f"{fault.what} {fault.text[: fault.text.index('faulty')].count('[[task]]') - 1} {fault.number}\n"
        for fault in MODES[mode].values()
    )
    return files | {f"{mode}/list": "".join(lines).encode(), f"{mode}/faults": faults.encode()}, results


@pytest.fixture(scope="module")
def outcomes(program: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Outcome]]:
    """Run everything after one boot."""
    folder = tmp_path_factory.mktemp("runs")
    orders: dict[str, list[board._Order]] = {}
    built = board.products(FOLDER.resolve())
    files: dict[str, Path | bytes] = {**built, "takt-linux": program}
    results: list[str] = []
    for mode, faults in MODES.items():
        systems = [loaded(fault.text, folder) for fault in faults.values()]
        orders[mode] = [
            board._Order(board.GUEST, system, board.parts(system), folder / f"{mode}{number}.takt")
            for number, system in enumerate(systems)
        ]
        more, names = files_of(mode, orders[mode])
        files |= more
        results += names
    done = guest.run(guest.Machine(FOLDER, 2, 1024), COMMAND, files, results, patience=PATIENCE)
    return {
        mode: {
            name: Outcome(
                order,
                number,
                {key.removeprefix(f"{mode}/"): data for key, data in done.files.items() if key.startswith(f"{mode}/")},
            )
            for number, (name, order) in enumerate(zip(faults, orders[mode], strict=True))
        }
        for mode, faults in MODES.items()
    }


# ---- what is checked ------------------------------------------------------------------------------------------


def named(outcome: Outcome) -> list[str]:
    """Return what takt-linux prints that it does not print about a good run."""
    usual = (
        "epoch",
        "note processor 0: other",
        "note processor 1: other",
        "note processor 0: the thread of the selected job",
    )
    found = [line for line in outcome.lines("report") if not line.startswith(usual) and not line.endswith(" done")]
    return [re.sub(r"^processor (\d) .*? (?=a thread)", r"processor \1: ", line) for line in found]


CASES = [(mode, name) for mode, faults in MODES.items() for name in faults]


@pytest.mark.parametrize(("mode", "name"), CASES)
def test_a_fault_is_named(mode: str, name: str, outcomes: dict[str, dict[str, Outcome]]) -> None:
    fault, outcome = MODES[mode][name], outcomes[mode][name]
    assert outcome.lines("said") == list(fault.said)
    lines = named(outcome)
    for pattern, line in zip_longest(fault.told, lines, fillvalue=""):
        assert re.fullmatch(pattern, line), lines


def finished(jobs: pl.DataFrame, task: str) -> list[int]:
    """Return the responses of the jobs of a task that ended."""
    return jobs.filter((pl.col("task") == task) & pl.col("finish").is_not_null())["response"].to_list()


@pytest.mark.parametrize(("mode", "name"), [case for case in CASES if MODES[case[0]][case[1]].late_ms is not None])
def test_a_fault_leaves_the_others_alone(mode: str, name: str, outcomes: dict[str, dict[str, Outcome]]) -> None:
    late_ms, run = MODES[mode][name].late_ms or 0, outcomes[mode][name].run()
    assert takt.replay(run.trace.path).is_identical
    parts = [domain.system for domain in run.system.domains] or [run.system]
    for processor, part in zip(run.processors, parts, strict=True):
        assert not list(linux_checks._foreign_completions(processor.trace))
        selected = linux_checks._Selected(linux_checks._decided(processor.trace), linux_checks.TURN_NS)
        ran = [each for each in linux_checks._ran(processor) if each.task != "faulty"]
        assert ran
        assert not [each for each in ran if each.end - each.start > SHORT_NS and not selected.has(each)]
        jobs, simulated = takt.run.measurement.jobs_of(processor.trace), takt.simulate(part).jobs
        slack = linux_checks.TURN_NS // 1000 + late_ms * 1000
        for task in {task.name for task in part.tasks} - {"faulty"}:
            found, expected = (finished(frame, task) for frame in (jobs, simulated))
            assert len(found) == len(expected), task
            assert max(found) <= max(expected) + slack, task


@pytest.mark.parametrize(
    "name",
    ["a holder of a resource sleeps in a page fault", "a holder is stopped and continues"],
)
def test_the_job_of_a_holder_that_sleeps_is_blocked(name: str, outcomes: dict[str, dict[str, Outcome]]) -> None:
    outcome = outcomes["partial"][name]
    assert outcome.run().findings == ()
    assert not any("the thread of the selected job could not run" in line for line in outcome.lines("report"))


def test_whatever_a_thread_requests_its_sleep_is_seen(outcomes: dict[str, dict[str, Outcome]]) -> None:
    """Only the job that suspends itself for less time than its thread sleeps is selected while that sleeps."""
    lines = outcomes["partial"]["each request of each job, and sleep"].lines("report")
    (counts,) = (line.split()[4:8] for line in lines if line.startswith("processor 0 "))
    decisions, _, absences, refused = map(int, counts)
    assert decisions > 500
    assert max(absences, refused) <= 1


def test_a_job_that_cannot_block_and_whose_thread_is_absent_is_ended(outcomes: dict[str, dict[str, Outcome]]) -> None:
    """After a second: the task above its ceiling is never late, and the one that it barred goes on."""
    run = outcomes["partial"]["a holder among servers is stopped for long"].run()
    assert takt.replay(run.trace.path).is_identical
    jobs, simulated = takt.run.measurement.jobs_of(run.trace), takt.simulate(run.system).jobs
    found, expected = (finished(frame, "high") for frame in (jobs, simulated))
    assert len(found) == len(expected)
    assert max(found) <= max(expected) + FORKED_MS * 1000
    late = finished(jobs, "low")
    assert len(late) == len(finished(simulated, "low"))
    assert max(late) <= 1_200_000


def test_the_job_of_a_thread_that_entered_again_while_it_slept_goes_on(outcomes: dict[str, dict[str, Outcome]]) -> None:
    run = outcomes["partial"]["a thread enters again while it sleeps"].run()
    jobs, simulated = takt.run.measurement.jobs_of(run.trace), takt.simulate(run.system).jobs
    assert len(finished(jobs, "faulty")) == len(finished(simulated, "faulty"))


@pytest.mark.parametrize("mode", MODES)
def test_a_visit_to_a_thread_of_no_domain_is_short_and_no_finding(
    mode: str, outcomes: dict[str, dict[str, Outcome]]
) -> None:
    """No decision is taken for it. The child has the next number after the threads."""
    name = next(name for name, fault in MODES[mode].items() if fault.what == "brood")
    run = outcomes[mode][name].run()
    assert takt.replay(run.trace.path).is_identical
    (processor,) = run.processors
    assert linux_reference.compare(processor, run.system, linux_reference.SEVERAL).findings == ()
    child = min(int(each) for each in set(processor.switches["on"]) if each > max(processor.threads))
    stretches = processor.stretches()[1]
    ran = [end - start for start, end, thread in stretches if thread == f"thread {child}" and 5e9 < start < 12.9e9]
    assert 1 <= len(ran) <= 2
    assert max(ran) <= linux_checks.SWITCH_NS


@pytest.mark.parametrize(
    ("name", "task"), [("a thread is runnable and has no job", "faulty"), ("a job does not end", "low")]
)
def test_a_visit_is_short_and_no_finding(name: str, task: str, outcomes: dict[str, dict[str, Outcome]]) -> None:
    """Also in the middle of a job; no decision is taken for it."""
    run = outcomes["partial"][name].run()
    assert takt.replay(run.trace.path).is_identical
    (processor,) = run.processors
    assert linux_reference.compare(processor, run.system, linux_reference.SEVERAL).findings == ()
    assert linux_checks._switches(processor, linux_reference.SEVERAL)[0] == []
    ran = [each for each in linux_checks._ran(processor) if each.task == task and 2e9 < each.start < 13e9]
    assert ran
    assert max(each.end - each.start for each in ran) <= linux_checks.SWITCH_NS


def test_the_tasks_below_a_job_that_does_not_end_go_on_after_it(outcomes: dict[str, dict[str, Outcome]]) -> None:
    run = outcomes["partial"]["a job does not end"].run()
    jobs = takt.run.measurement.jobs_of(run.trace)
    for task in ("high", "low"):
        assert max(jobs.filter(pl.col("task") == task)["finish"].drop_nulls()) > 15_900_000


def test_a_full_log_says_so_and_ends_with_a_record_of_that(outcomes: dict[str, dict[str, Outcome]]) -> None:
    outcome = outcomes["partial"]["the log is full"]
    with pytest.raises(InputError, match="the memory for records of processor 0 is full; shorten the horizon"):
        outcome.run()
    records = outcome.files[f"{outcome.number}/trace0"]
    assert (len(records), records[-8]) == (100 * 32, _core.RECORD_OVERFLOW)


def test_too_small_an_arena_is_refused(outcomes: dict[str, dict[str, Outcome]]) -> None:
    with pytest.raises(InputError, match="Linux refuses the task set: too little memory for the task set"):
        outcomes["partial"]["the arena is too small"].run()
