# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Task sets on boards: measured, replayed, and refused where a board cannot take them.

On an emulated board every trace replays identically; in virtual time who runs when, and what becomes of every job,
equals the simulation exactly.
"""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
import takt
from hypothesis import given
from hypothesis import strategies as st
from oracle import System
from oracle.systems import EVERYTHING as ANYTHING
from oracle.systems import RESOURCES, SERVER_KINDS, chains, crowds, horizons, households, systems, with_changes
from places import EXAMPLES
from sampling import tries
from tables import read_rows
from takt.base import seals, times
from takt.board import emulation, firmware, programs
from takt.command import main
from takt.files import trace_file
from takt.model.core_input import ResolvedSystem
from takt.run import measurement
from takt.show import board_report
from test_random_systems import as_system
from typer.testing import CliRunner

COST_BOUND_NS = 600_000


def invoke(*arguments: str) -> tuple[int, str, str]:
    """Run the command; gives exit status, standard output and standard error output."""
    result = CliRunner().invoke(main.app, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.stdout, result.stderr


def task_set(folder: Path, text: str) -> str:
    """Write a task set."""
    path = folder / "set.toml"
    path.write_text("schema = 1\n" + text)
    return str(path)


ONE_PROCESSOR = [
    path.stem
    for path in sorted(EXAMPLES.glob("*.toml"))
    if path.stem not in ("architectures", "avionics", "dhall", "machine")
]
"""The others have an architecture, costs of a kernel, and four processors."""


@pytest.mark.parametrize("board", [emulation.CORTEX_M, emulation.RISCV])
@pytest.mark.parametrize("example", ONE_PROCESSOR)
def test_every_example_of_one_processor_runs_on_the_board_and_replays_identically(
    example: str, board: str, tmp_path: Path
) -> None:
    system = takt.load(EXAMPLES / f"{example}.toml")
    if system.resolution_ns < 50_000:
        system = system.replace(resolution="50us")  # else it is over before the first decision
    trace = emulation.run(system, tmp_path / "T.takt", board)
    replay = takt.replay(tmp_path / "T.takt")
    measured = board_report.report_of(trace)
    assert replay.difference is None
    assert replay.decisions == measured.decisions > 0
    assert sum(row.jobs for row in measured.rows) > 0


@pytest.mark.parametrize("policy", ["dm", "edf", "fp", "llf", "rm"])
def test_every_job_on_the_board_is_one_of_the_simulation(policy: str, tmp_path: Path) -> None:
    system = takt.load(EXAMPLES / "iot_node.toml").replace(policy=policy)
    measured = board_report.report_of(emulation.run(system, tmp_path / "T.takt"))
    assert [row.jobs for row in measured.rows] == takt.simulate(system).summary["released"].to_list()
    assert takt.replay(tmp_path / "T.takt").is_identical


def test_jobs_on_the_board_end_in_the_simulated_order_and_a_little_later(tmp_path: Path) -> None:
    system = takt.load(EXAMPLES / "servers.toml")
    trace = emulation.run(system, tmp_path / "T.takt")
    columns = ("task", "job", "finish")
    measured = measurement.jobs_of(trace).select(columns).rows()
    simulated = takt.simulate(system).jobs.select(columns).rows()
    for (task, job, finish), (simulated_task, simulated_job, simulated_finish) in zip(measured, simulated, strict=True):
        late_ns = finish * trace.system.resolution_ns - simulated_finish * system.resolution_ns
        assert (task, job) == (simulated_task, simulated_job)
        assert 0 <= late_ns <= COST_BOUND_NS


def test_segments_on_the_board_do_not_overlap_and_lie_inside_their_jobs(tmp_path: Path) -> None:
    trace = emulation.run(takt.load(EXAMPLES / "iot_node.toml"), tmp_path / "T.takt")
    segments = measurement.segments_of(trace)
    jobs = {(task, job): (release, finish) for task, job, release, finish, *_ in measurement.jobs_of(trace).rows()}
    assert (segments["start"][1:] >= segments["end"][:-1]).all()
    for start, end, _, _, task, job in segments.rows():
        release, finish = jobs[task, job]
        assert release <= start < end <= (finish or trace.horizon)


WITHOUT_COSTS = (ANYTHING | SERVER_KINDS | RESOURCES) - {"costs"}

GENERATORS = {
    "plain": systems(),
    "everything": systems(parents_first=False, features=WITHOUT_COSTS),
    "depth": chains(kinds=True),
    "contention": crowds(features=WITHOUT_COSTS),
    "households": households(),
    "changes": systems(features=WITHOUT_COSTS).flatmap(with_changes),
}
"""Random systems of every generator that the simulator is compared with the oracle by."""


def as_programs(system: System, resolution: str = "1ms") -> takt.System:
    """Return a random system that a kernel can run: without costs."""
    return as_system(replace(system, platform=type(system.platform)())).replace(resolution=resolution)


@pytest.mark.parametrize("board", [emulation.CORTEX_M, emulation.RISCV])
@pytest.mark.parametrize("generator", GENERATORS.values(), ids=GENERATORS.keys())
def test_random_systems_on_the_board_replay_identically(generator: st.SearchStrategy[System], board: str) -> None:
    @tries(4)
    @given(generator, st.integers(20, 200))
    def replays(system: System, horizon: int) -> None:
        with tempfile.TemporaryDirectory() as folder:
            emulation.run(as_programs(system, "50us").replace(horizon=horizon), Path(folder, "T.takt"), board)
            assert takt.replay(Path(folder, "T.takt")).difference is None

    replays()


# ---- virtual time -----------------------------------------------------------------------------------------


KEPT = ("segments", "jobs", "budgets", "locks", "rates", "ledger", "windows", "deadlines")
"""What a trace says of a run. It has no demands, and no points of preemptive jobs."""

KEPT_AT_A_DISTANCE = tuple(name for name in KEPT if name != "ledger")
"""Rates are told at decisions, and a scheduler at a distance makes fewer: none that changes nothing."""


def check_same(trace: trace_file.Trace, system: takt.System, is_remote: bool) -> None:
    """Compare a trace of virtual time with the simulation: they say the same, and the trace replays."""
    measured, simulated = measurement.result_of(trace, system), takt.simulate(system)
    for name in KEPT_AT_A_DISTANCE if is_remote else KEPT:
        assert getattr(measured, name).rows() == getattr(simulated, name).rows(), name
    unknown = ["optional_wanted", *["overruns"] * is_remote]
    summaries = [result.summary.drop(unknown).rows() for result in (measured, simulated)]
    assert summaries[0] == summaries[1]
    assert measured.switches == simulated.switches
    assert takt.replay(trace.path).difference is None


def check_equal(system: takt.System, remote: int | None = None) -> None:
    """Run a system in virtual time: what the trace says is what the simulation says, and the trace replays."""
    with tempfile.TemporaryDirectory() as folder:
        trace = emulation.run(system, Path(folder, "T.takt"), emulation.POSIX, remote=remote)
        check_same(trace, system, remote is not None)


@pytest.mark.parametrize("example", ONE_PROCESSOR)
def test_every_example_runs_in_virtual_time_exactly_as_it_is_simulated(example: str) -> None:
    check_equal(takt.load(EXAMPLES / f"{example}.toml"))


@pytest.mark.parametrize("generator", GENERATORS.values(), ids=GENERATORS.keys())
def test_random_systems_run_in_virtual_time_exactly_as_they_are_simulated(
    generator: st.SearchStrategy[System],
) -> None:
    @tries(25)
    @given(generator, horizons())
    def agrees(system: System, horizon: int) -> None:
        check_equal(as_programs(system).replace(horizon=horizon))

    agrees()


def test_demands_that_are_drawn_are_drawn_once_for_all_boards(tmp_path: Path) -> None:
    drawn = {"distribution": "uniform", "min": 1, "max": 4}
    tasks = [takt.Task(name=name, period=10, wcet=4, demand=drawn) for name in "AB"]
    system = takt.System(tasks=tasks, horizon=200, seed=7)
    check_equal(system)
    ran = measurement.segments_of(emulation.run(system, tmp_path / "T.takt"))
    asked = takt.simulate(system).segments
    for name in "AB":
        spans = [frame.filter(task=name).select(pl.col("end") - pl.col("start")).to_series() for frame in (ran, asked)]
        milliseconds = (spans[0] * 40 / 1_000_000).round().cast(pl.Int64).to_list()
        assert milliseconds == spans[1].to_list()


# ---- the command ------------------------------------------------------------------------------------------


def test_the_command_prints_measured_beside_simulated(tmp_path: Path) -> None:
    trace = tmp_path / "T.takt"
    status, output, errors = invoke("run", str(EXAMPLES / "servers.toml"), "--on", "cortex_m", "--trace", str(trace))
    lines = output.splitlines()
    assert (status, errors) == (0, "")
    assert lines[0] == "servers: none of 16 jobs late in 120 ms on cortex_m.  policy fp, 3 tasks,"
    cells = [re.split("  +", line) for line in lines[3:7]]
    assert cells[0] == [
        "task", "server", "deadline", "worst seen", "sim worst", "late", "sim late", "of jobs", "mean",
    ]  # fmt: skip
    assert cells[2][:3] == ["T1", "S1", "20 ms"]
    assert cells[2][4:8] == ["6 ms", "-", "-", "6"]
    assert lines[-3] == "Not shown: period, sim mean, min, sim min (--wide)"
    decisions = takt.replay(trace).decisions
    assert lines[-2] == f"replayed on the host: {decisions} decisions, identical"
    assert lines[-1].startswith("clock 15.625MHz (emulated): release ")
    assert invoke("replay", str(trace)) == (0, f"identical: {decisions} decisions\n", "")


def test_a_task_without_a_period_has_none_on_a_board(tmp_path: Path) -> None:
    path = task_set(tmp_path, '[system]\nhorizon = 20\n[[task]]\nname = "T"\narrivals = [3]\nwcet = 1\ndeadline = 9\n')
    status, output, _ = invoke("run", path, "--on", "posix", "--json")
    assert status == 0
    for run in json.loads(output)["runs"]:
        assert (run["tasks"][0]["period"], run["tasks"][0]["utilization"]) == (None, None)
        assert run["utilization"] == 0


@pytest.mark.parametrize("board", [emulation.CORTEX_M, emulation.RISCV])
def test_everything_that_arrives_from_outside_arrives_on_the_board(board: str, tmp_path: Path) -> None:
    system = takt.load(EXAMPLES / "avionics.toml")
    measured = board_report.report_of(emulation.run(system, tmp_path / "T.takt", board))
    assert [row.jobs for row in measured.rows] == takt.simulate(system).summary["released"].to_list()


def test_costs_of_a_file_are_what_the_measured_times_stand_beside(tmp_path: Path) -> None:
    system = takt.load(EXAMPLES / "avionics.toml")
    trace = emulation.run(system, tmp_path / "T.takt")
    assert takt.replay(tmp_path / "T.takt").difference is None
    assert trace.system.costs.is_ideal
    with pytest.raises(takt.InputError, match="in virtual time the kernel takes no time; leave out costs"):
        emulation.run(system, tmp_path / "T.takt", emulation.POSIX)


@pytest.mark.parametrize("board", [emulation.CORTEX_M, emulation.POSIX, emulation.RISCV])
def test_the_command_runs_on_the_board_that_it_is_told(board: str) -> None:
    status, output, errors = invoke("run", str(EXAMPLES / "iot_node.toml"), "--on", board)
    assert (status, errors) == (0, "")
    assert output.startswith(f"iot-node: 10 of 440 jobs late in 2 s on {board}.  policy fp, 5 tasks,")
    place = -2 if board in emulation.EMULATED else -1
    assert output.splitlines()[place].endswith(", identical")
    assert output.count("clock 15.625MHz (emulated): ") == (board in emulation.EMULATED)


def test_the_command_writes_what_the_board_did(tmp_path: Path) -> None:
    segments, jobs = tmp_path / "S.csv", tmp_path / "J.csv"
    arguments = ["run", str(EXAMPLES / "smallest.toml"), "--on", "cortex_m", "--check"]
    status, *_ = invoke(*arguments, "--segments", str(segments), "--jobs", str(jobs))
    assert status == 3
    assert segments.read_text().startswith("start,end,cpu,server,task,job\n")
    assert pl.read_csv(jobs).columns == ["task", "job", "release", "finish", "response", "missed"]
    assert set(pl.read_csv(jobs)["missed"]) == {0, 1}


def test_budgets_of_a_board_are_written_in_its_ticks(tmp_path: Path) -> None:
    server = '[[server]]\nname = "S"\nperiod = 5\nbudget = 2\npriority = 1\n'
    text = f'[system]\nresolution = "50us"\nhorizon = 20\n{server}{TASK}server = "S"\n'
    path, written = task_set(tmp_path, text), tmp_path / "B.csv"
    assert invoke("run", path, "--on", "cortex_m", "--budgets", str(written))[0] == 0
    budgets, full = pl.read_csv(written), 2 * 50_000 // 40
    assert budgets.columns == ["tick", "S"]
    assert len(budgets) == 20 * 50_000 // 40
    assert 0 <= min(budgets["S"].to_list()) < max(budgets["S"].to_list()) == full


def test_a_run_in_virtual_time_is_drawn_as_a_simulation_is(tmp_path: Path) -> None:
    paths = {name: tmp_path / name for name in ("R.html", "G.svg", "P")}
    options = ("--report", "--gantt", "--perfetto")
    arguments = [word for pair in zip(options, map(str, paths.values()), strict=True) for word in pair]
    status, _, errors = invoke("run", str(EXAMPLES / "servers.toml"), "--on", "posix", *arguments)
    assert (status, errors) == (0, "")
    assert "policy <b>fp</b>" in paths["R.html"].read_text()
    assert all(path.stat().st_size > 0 for path in paths.values())


TASK = '[[task]]\nname = "A"\nperiod = 50\nwcet = 2\n'


@pytest.mark.parametrize(
    ("text", "lines"),
    read_rows("refused_by_boards"),
)
def test_what_the_board_cannot_do_is_bad_input(text: str, lines: list[str], tmp_path: Path) -> None:
    path = task_set(tmp_path, text)
    assert invoke("run", path, "--on", "cortex_m") == (2, "", "".join(f"{path}: {line}\n" for line in lines))


def test_a_board_has_a_priority_for_each_of_254_tasks_and_its_idle_thread(tmp_path: Path) -> None:
    line = "[system] policy: the board has 254 priorities, found 255; give tasks the same one, or use deadlines"
    sets = {
        count: "".join(f'[[task]]\nname = "T{n}"\nperiod = 5000\nwcet = 2\npriority = {n}\n' for n in range(count))
        for count in (254, 255)
    }
    path = task_set(tmp_path, '[system]\npolicy = "fp"\n' + sets[255])
    assert invoke("run", path, "--on", "posix") == (2, "", f"{path}: {line}\n")
    path = task_set(tmp_path, '[system]\npolicy = "edf"\n' + re.sub("priority = .*\n", "", sets[255]))
    assert invoke("run", path, "--on", "posix")[0] == 0
    path = task_set(tmp_path, '[system]\npolicy = "fp"\n' + sets[254])
    assert invoke("run", path, "--on", "posix")[0] == 0


class Lifo(takt.Policy):
    """The last one goes first."""

    def release(self, job: takt.Job) -> int:
        return 1_000_000 - job.release


def test_a_policy_in_python_does_not_run_on_a_board(tmp_path: Path) -> None:
    system = takt.System(policy=Lifo(), tasks=[takt.Task(name="A", period=10, wcet=1)], horizon=20)
    with pytest.raises(takt.InputError, match="the board has no policies in Python, found lifo"):
        emulation.run(system, tmp_path / "T.takt")


def test_what_does_not_fit_into_the_board_is_bad_input(tmp_path: Path) -> None:
    path = task_set(tmp_path, '[system]\npolicy = "edf"\n' + "".join(TASK.replace("A", f"T{n}") for n in range(12_000)))
    status, output, errors = invoke("run", path, "--on", "cortex_m")
    assert (status, output) == (2, "")
    assert errors == (
        f"{path}: the board refuses the task set: takt firmware: the task set does not fit into the board's memory\n"
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda image: image[:-8], "the image is shorter or longer than it says"),
        (lambda image: b"x" + image[1:], "this is no image"),
        (lambda image: image[:8] + b"\xff" + image[9:], "the image is of another version"),
    ],
)
def test_a_damaged_image_is_refused(
    change: Callable[[bytes], bytes], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = programs.image
    monkeypatch.setattr(programs, "image", lambda *arguments, **options: change(write(*arguments, **options)))
    with pytest.raises(takt.InputError, match=f"the board refuses the task set: takt firmware: {message}"):
        emulation.run(takt.load(EXAMPLES / "smallest.toml"), tmp_path / "T.takt")


def test_a_trace_that_fills_the_memory_of_the_board_is_bad_input(tmp_path: Path) -> None:
    path = task_set(tmp_path, '[system]\nresolution = "40ns"\nhorizon = "60s"\n' + TASK.replace("50", "10000"))
    status, output, errors = invoke("run", path, "--on", "cortex_m")
    assert (status, output) == (2, "")
    assert errors.startswith(f"{path}: [system] horizon: the board's memory is full of 5")
    assert errors.endswith("; shorten the horizon\n")


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--on", "cortexm"], '--on: unknown board "cortexm"; did you mean "cortex_m"?'),
        (
            ["--on", "cortex_m", "--report", "R.html"],
            "--report: charts have the ticks of the file, found --on cortex_m; write --on posix, or leave it out",
        ),
    ],
)
def test_a_wrong_board_or_output_is_bad_input(arguments: list[str], line: str) -> None:
    assert invoke("run", str(EXAMPLES / "smallest.toml"), *arguments) == (2, "", line + "\n")


def test_a_program_is_compiled_once_however_many_want_it_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    board = emulation.load_board(emulation.POSIX)
    recipe = {**board.recipe, "sources": [], "taskset_sources": ["a.c"], "libs": [], "cflags": []}
    (tmp_path / "a.c").write_text("int main(void) { return 3; }\n")
    with ThreadPoolExecutor(4) as pool:
        found = set(pool.map(lambda _: firmware.program("posix", recipe, "/usr/bin/cc", tmp_path), range(4)))
    (program,) = found
    written = program.stat().st_mtime_ns
    assert subprocess.run([program], check=False).returncode == 3
    assert firmware.program("posix", recipe, "/usr/bin/cc", tmp_path).stat().st_mtime_ns == written
    assert [path.name for path in (tmp_path / "takt").iterdir()] == [program.name]


def test_a_damaged_program_of_the_cache_is_compiled_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one that is empty, as after a loss of power, and one of other sources."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    recipe = {"sources": ["core/*.c"], "taskset_sources": [], "libs": [], "cflags": [], "ldflags": []}
    (tmp_path / "core").mkdir()
    (tmp_path / "core" / "a.c").write_text("int main(void) { return 3; }\n")
    program = firmware.program("posix", recipe, "/usr/bin/cc", tmp_path)
    good = program.read_bytes()
    flipped = bytes([*good[: len(good) // 2], good[len(good) // 2] ^ 1, *good[len(good) // 2 + 1 :]])
    for damaged in (b"", good[:-100], flipped, seals.sealed(seals.blank("another").encode())):
        program.write_bytes(damaged)
        assert firmware.program("posix", recipe, "/usr/bin/cc", tmp_path) == program
        assert program.read_bytes() == good
    assert subprocess.run([program], check=False).returncode == 3


def test_another_state_of_the_sources_is_another_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    recipe = {"sources": ["core/a.c"], "taskset_sources": [], "libs": [], "cflags": [], "ldflags": []}
    (tmp_path / "core").mkdir()
    source = tmp_path / "core" / "a.c"
    source.write_text("int main(void) { return 3; }\n")
    before = firmware.program("posix", recipe, "/usr/bin/cc", tmp_path)
    source.write_text("int main(void) { return 4; }\n")
    after = firmware.program("posix", recipe, "/usr/bin/cc", tmp_path)
    assert [subprocess.run([path], check=False).returncode for path in (before, after)] == [3, 4]
    source.write_text("int main(void) { return }\n")
    with pytest.raises(firmware.BuildError, match="error: "):
        firmware.program("posix", recipe, "/usr/bin/cc", tmp_path)


def test_a_missing_compiler_is_named_with_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert invoke("run", str(EXAMPLES / "smallest.toml"), "--on", "cortex_m") == (
        1,
        "",
        "arm-none-eabi-gcc is not installed; on Debian: apt-get install gcc-arm-none-eabi libnewlib-arm-none-eabi\n",
    )


def test_a_replay_that_differs_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    write = trace_file.write

    def write_another_decision(
        path: Path, system: ResolvedSystem, platform: str, horizon: int, records: bytes, *, is_remote: bool
    ) -> None:
        at = next(at for at in range(0, len(records), 32) if records[at + 24] == 16)
        write(path, system, platform, horizon, records[: at + 8] + b"\1" + records[at + 9 :], is_remote=is_remote)

    monkeypatch.setattr(trace_file, "write", write_another_decision)
    status, output, errors = invoke("run", str(EXAMPLES / "smallest.toml"), "--on", "cortex_m")
    assert (status, output) == (1, "")
    assert ": different at record " in errors


def test_a_time_longer_than_32_bits_of_board_ticks_is_a_time_like_any_other(tmp_path: Path) -> None:
    tasks = [
        takt.Task(name="A", period="10s", wcet="1ms"),
        takt.Task(name="B", period="400s", wcet="1ms", offset="200s"),
    ]
    trace = emulation.run(takt.System(tasks=tasks, horizon="300s"), tmp_path / "T.takt")
    assert takt.replay(tmp_path / "T.takt").is_identical
    assert 200 * times.UNITS["s"] // 40 > 2**32
    assert [row.finished for row in board_report.report_of(trace).rows] == [30, 1]


def test_a_policy_that_changes_at_the_very_start_takes_the_idle_thread_along() -> None:
    tasks = [takt.Task(name="A", period=4, wcet=1), takt.Task(name="B", period=6, wcet=2)]
    for policies in (("edf", "fp"), ("fp", "edf")):
        changes = [takt.Change(at=at, policy=policy) for at, policy in ((0, policies[1]), (9, policies[0]))]
        check_equal(takt.System(policy=policies[0], tasks=tasks, changes=changes, horizon=40))
