# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Threads of libtakt on a Linux of virtual time: what they execute is what the simulation says.

The program is virtual_threads.c: the task set's threads, real ones, and a domain that decides.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import polars as pl
import pytest
import takt
from hypothesis import assume, given
from hypothesis import strategies as st
from oracle import System, Task
from oracle.systems import horizons
from places import EXAMPLES
from recipes import compile_objects, found, must_build, recipe_of_linux
from sampling import tries
from takt.board import programs
from takt.files import trace_file
from takt.linux import daemon
from takt.model.core_input import ResolvedSystem
from takt.model.horizon import horizon_ticks
from takt.run import measurement
from test_boards import GENERATORS, ONE_PROCESSOR, as_programs
from test_domain import adapted, drawn, image_of, packed

FOLDERS = ("core", "policy", "system", "remote", "linux", "linux/lib", "linux/program")
WRAPPED = (
    "sched_yield",
    "clock_nanosleep",
    "clock_gettime",
    "pthread_cond_timedwait",
    "takt_work_pass",
    "takt_program_now",
    "takt_program_used",
    "takt_program_spin",
    "takt_linux_bind",
    "takt_linux_set_class",
    "takt_linux_lock_memory",
)

OK, MISSED, OVERRUN, ABORTED = range(4)
FRAMES = ("segments", "jobs", "budgets", "locks", "windows", "deadlines")


class Run(NamedTuple):
    """What a run of the program printed: the status, and per job the task, number, release, start, end and outcome."""

    status: str
    why: str
    task: int
    is_in_memory: bool
    jobs: list[tuple[int, ...]]


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Compile all but the examples."""
    sources = [*found(*(f"{folder}/*.c" for folder in FOLDERS)), "tests/linux/virtual_threads.c"]
    return compile_objects(recipe_of_linux(), sources, tmp_path_factory)


def linked(objects: list[Path], folder: Path, *more: str) -> Path:
    """Link the program, with more sources."""
    program = folder / "virtual_threads"
    wraps = [f"-Wl,--wrap={call}" for call in WRAPPED]
    must_build(["cc", *objects, *more, "-I.", *wraps, "-pthread", "-o", program])
    return program


@pytest.fixture(scope="module")
def program(objects: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return linked(objects, tmp_path_factory.mktemp("linux"))


def execute(program: Path, image: bytes, folder: Path, how: str = "run") -> Run:
    """Run the program on an image."""
    (folder / "I").write_bytes(image)
    command: list[str | Path] = [program, folder / "I", folder / "R", how]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=20)
    assert (done.returncode, done.stderr) == (0, "")
    status, *jobs = done.stdout.splitlines()
    words, why, task, is_in_memory = status.split("|")
    return Run(words, why, int(task), is_in_memory == "1", [tuple(map(int, line.split())) for line in jobs])


def trace_of(system: takt.System, folder: Path) -> trace_file.Trace:
    """Return a trace of the records of a run."""
    records = bytes(trace_file.without_closing(memoryview((folder / "R").read_bytes())))
    path = folder / "T.takt"
    trace_file.write(path, adapted(system), "linux", horizon_ticks(system), records, is_remote=True)
    return trace_file.read(path)


def told(run: Run, system: takt.System) -> list[tuple[str, int, int, int, bool]]:
    """Return the jobs that ended, as the threads recorded them: task, number, release, finish, missed."""
    names = [task.name for task in adapted(system).tasks]
    ended = [job for job in run.jobs if job[5] != ABORTED]
    return sorted((names[task], number, release, end, how == MISSED) for task, number, release, _, end, how in ended)


def check_as_simulated(program: Path, system: takt.System, how: str = "run") -> None:
    """Run the threads of a system and compare what their trace and they themselves say with the simulation."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run = execute(program, image_of(system), folder, how)
        trace = trace_of(system, folder)
        measured, simulated = measurement.result_of(trace, system), takt.simulate(system)
        for frame in FRAMES:
            assert getattr(measured, frame).rows() == getattr(simulated, frame).rows(), frame
        assert takt.replay(trace.path).difference is None
        assert (run.status, run.is_in_memory) == ("done", True)
        finished = simulated.jobs.filter(pl.col("finish").is_not_null())
        # Of a window a thread knows the end alone, not what its job promised.
        has_windows = any(task.windows for task in adapted(system).tasks)
        columns = ["task", "job", "release", "finish", *["missed"] * (not has_windows)]
        expected = sorted(finished.select(columns).rows())
        assert [job[: len(columns)] for job in told(run, system)] == expected


@pytest.mark.parametrize("example", ONE_PROCESSOR)
def test_threads_of_every_example_execute_what_is_simulated(example: str, program: Path) -> None:
    check_as_simulated(program, takt.load(EXAMPLES / f"{example}.toml"))


def is_as_simulated(task: Task) -> bool:
    """True if threads do what the simulation of the task does.

    Two unlocks of one instant are one decision there, and two of a thread. A job that is aborted while it suspends
    itself leaves its thread asleep.
    """
    body = task.body or ()
    unlocks_twice = any(first.startswith("unlock") and second.startswith("unlock") for first, second in pairwise(body))
    sleeps_on = task.on_miss in ("abort", "drop") and any(item.startswith("suspend") for item in body)
    return not unlocks_twice and not sleeps_on


@pytest.mark.parametrize("how", ["run", "restless"])
@pytest.mark.parametrize("generator", GENERATORS.values(), ids=GENERATORS.keys())
def test_threads_of_random_systems_execute_what_is_simulated(
    generator: st.SearchStrategy[System], how: str, program: Path
) -> None:
    @tries(25)
    @given(generator, horizons())
    def agrees(system: System, horizon: int) -> None:
        assume(all(map(is_as_simulated, system.tasks)))
        check_as_simulated(program, as_programs(system).replace(horizon=horizon), how)

    agrees()


@pytest.mark.parametrize("paradigm", ["rates", "shares", "windows"])
def test_threads_under_allocators_and_deadline_rules_execute_what_is_simulated(
    paradigm: str, program: Path, tmp_path: Path
) -> None:
    for system in drawn(paradigm, tmp_path):
        check_as_simulated(program, system)


LEFT_AND_ENTERED = """schema = 1
[system]
horizon = 60
[[task]]
name = "a"
period = 20
wcet = 2
[[task]]
name = "b"
period = 7
wcet = 1
[[change]]
at = 5
remove = ["a"]
[[change]]
at = 9
add = ["a"]
"""


def test_a_task_that_enters_before_its_old_next_release_begins_at_once(program: Path, tmp_path: Path) -> None:
    (tmp_path / "set.toml").write_text(LEFT_AND_ENTERED)
    system = takt.load(tmp_path / "set.toml")
    assert takt.simulate(system).jobs.filter(pl.col("task") == "a")["release"].to_list() == [0, 9, 29, 49]
    check_as_simulated(program, system)


CALLED = """schema = 1
[system]
policy = "rm"
horizon = 107
[allocator]
bulk = 2
cost = 2
runs = "top"
period = 10
budget = 3
"""
CALLED += "".join(
    f'[[task]]\nname = "{name}"\nperiod = {period}\noffset = {offset}\nwcet = 1\non_overrun = "suspend"\n'
    for name, period, offset in (("a", 5, 0), ("b", 10, 8), ("c", 24, 0))
)


def test_the_allocators_own_thread_begins_when_it_is_called(program: Path, tmp_path: Path) -> None:
    (tmp_path / "set.toml").write_text(CALLED)
    system = takt.load(tmp_path / "set.toml")
    periods = {10 * number for number in range(11)}
    starts = takt.simulate(system).segments.filter(pl.col("task") == "allocator")["start"].to_list()
    assert not periods.issuperset(starts), "calls come between the ends of its periods"
    check_as_simulated(program, system)


# ---- what goes wrong ---------------------------------------------------------------------------------------

SET = """
schema = 1
[system]
resolution = "1ms"
horizon = "100ms"
policy = "fp"
[[task]]
name = "fast"
period = "10ms"
wcet = "4ms"
priority = 2
[[task]]
name = "slow"
period = "50ms"
wcet = "20ms"
priority = 1
"""


@pytest.fixture
def system(tmp_path: Path) -> takt.System:
    (tmp_path / "set.toml").write_text(SET)
    return takt.load(tmp_path / "set.toml")


def test_a_thread_that_cannot_join_ends_the_run(system: takt.System, program: Path, tmp_path: Path) -> None:
    run = execute(program, image_of(system), tmp_path, "stranger")
    assert run == ("a thread cannot join", "the scheduler has no entity of this name or number", 1, False, [])


def test_a_scheduler_that_ends_ends_the_run(system: takt.System, program: Path, tmp_path: Path) -> None:
    run = execute(program, image_of(system), tmp_path, "detach")
    assert run.status == "a thread lost its scheduler before the horizon"
    assert run.why.startswith("no scheduler answers the thread")
    assert {job[5] for job in run.jobs} == {OK}
    assert [job[3] for job in run.jobs if job[0] == 0] == [0, 10, 20, 30, 40]


def test_memory_that_cannot_be_locked_is_told(system: takt.System, program: Path, tmp_path: Path) -> None:
    run = execute(program, image_of(system), tmp_path, "swapped")
    assert (run.status, run.is_in_memory) == ("done", False)


def test_more_jobs_than_records_are_told(system: takt.System, program: Path, tmp_path: Path) -> None:
    run = execute(program, image_of(system), tmp_path, "few")
    assert run.status == "more jobs ended than there is room for records; the first ones are kept"
    assert run.jobs == [(0, 0, 0, 0, 4, OK)]


def test_a_thread_learns_of_its_overrun(system: takt.System, program: Path, tmp_path: Path) -> None:
    (tmp_path / "set.toml").write_text(SET.replace('wcet = "4ms"', 'wcet = "12ms"\ndeadline = "90ms"'))
    late = takt.load(tmp_path / "set.toml")
    outcomes = [job[5] for job in execute(program, image_of(late), tmp_path).jobs if job[0] == 0]
    assert outcomes == [OVERRUN] * 8


REFUSED = {
    "IMAGE": (lambda system: image_of(system)[:-8], "the image cannot be read"),
    "TASKS": (lambda system: packed(system, tasks=()), "the image has no task"),
}


@pytest.mark.parametrize(("image", "line"), REFUSED.values(), ids=REFUSED.keys())
def test_an_image_without_work_is_refused(
    image: Callable[[takt.System], bytes], line: str, system: takt.System, program: Path, tmp_path: Path
) -> None:
    run = execute(program, image(system), tmp_path)
    assert (run.status, run.jobs) == (line, [])


# ---- examples ----------------------------------------------------------------------------------------------

SAYS = {
    "points": ["control began at most 1.0 ms after its release"],
    "allocator": ["left: 9 jobs, period 40 ms", "right: 9 jobs, period 20 ms"],
    "framework": ["player: 9 jobs, 3 late", "control: 37 jobs, 0 late"],
}


@pytest.mark.parametrize(("example", "lines"), SAYS.items())
def test_an_example_does_what_it_says(example: str, lines: list[str], objects: list[Path], tmp_path: Path) -> None:
    program = linked(objects, tmp_path, f"examples/linux/{example}.c")
    assert run_example(program, example, 8, tmp_path)[:2] == (0, lines)


NEGOTIATED = [
    "steering: rate 0.200, then 0.400: done",
    "map: rate 0.200, then 0.200: the allocator has no rate for these parameters; those before stay in force",
    "video: rate 0.400, then 0.200: done",
]


def run_example(program: Path, example: str, rows: int, folder: Path) -> tuple[int, list[str], bytes, ResolvedSystem]:
    """Run an example, with some rows for requests: its status, its lines, what it recorded, and its description."""
    system = takt.load(EXAMPLES / "linux" / f"{example}.toml")
    described = programs.describe(system.resolved, system.resolution_ns, has_idle_thread=False)
    resolved = system.resolved
    if daemon.negotiates(resolved):
        resolved, described = (daemon.with_rows(each, horizon_ticks(system), rows) for each in (resolved, described))
    (folder / "I").write_bytes(programs.image(resolved, described, horizon_ticks(system), is_remote=True))
    command: list[str | Path] = [program, folder / "I", folder / "R", "run", *(task.name for task in system.tasks)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines(), (folder / "R").read_bytes(), described


def test_threads_negotiate_rates_and_the_trace_replays(objects: list[Path], tmp_path: Path) -> None:
    program = linked(objects, tmp_path, "examples/linux/negotiation.c")
    _, lines, data, described = run_example(program, "negotiation", 8, tmp_path)
    assert lines == NEGOTIATED
    made = 3 * daemon.REQUEST.size
    records = bytes(trace_file.without_closing(memoryview(data[:-made])))
    ran = daemon.filled(described, data[-made:])
    asked = [(change.task, change.period, change.wcet) for change in ran.changes]
    assert asked == [(0, 50, 20), (2, 400, 80), (1, 500, 400)]
    for system, is_same in ((ran, True), (described, False)):
        trace_file.write(tmp_path / "T.takt", system, "linux", 5000, records, is_remote=True)
        assert takt.replay(tmp_path / "T.takt").is_identical == is_same


def test_demands_of_any_numbers_are_judged_and_replay(objects: list[Path], tmp_path: Path) -> None:
    found: Counter[str] = Counter()
    for seed in range(4):
        program = linked(objects, tmp_path, f"-DSEED={seed}", "tests/linux/demands.c")
        _, lines, data, described = run_example(program, "negotiation", 30, tmp_path)
        counts = {name: int(number) for number, name in (line.split(" ", 1) for line in lines)}
        made = (counts["admitted"] + counts["rejected"]) * daemon.REQUEST.size
        records = bytes(trace_file.without_closing(memoryview(data[:-made])))
        ran = daemon.filled(described, data[-made:])
        trace_file.write(tmp_path / "T.takt", ran, "linux", 5000, records, is_remote=True)
        assert takt.replay(tmp_path / "T.takt").is_identical
        found.update(counts)
    assert min(found.values()) > 0, found


def test_requests_beyond_the_rows_are_told(objects: list[Path], tmp_path: Path) -> None:
    program = linked(objects, tmp_path, "examples/linux/negotiation.c")
    _, lines, data, _ = run_example(program, "negotiation", 0, tmp_path)
    assert {line.split(": ")[2] for line in lines} == {"the requests are used up for which the scheduler was loaded"}
    assert trace_file.without_closing(memoryview(data))


def test_the_library_is_for_cpp_too(tmp_path: Path) -> None:
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-pedantic", "-I."]
    must_build(["g++", *flags, "-c", "examples/linux/events.cpp", "-o", tmp_path / "events.o"])
