# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Task sets on Linux in real time: what holds however the machine delays the process.

The replay is identical, jobs are those of the simulation, none is there before its instant or done before it has
executed its demand, and a run takes as long as its horizon. When anything happens is up to the machine, and nothing
here asks for it.
"""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path

import pytest
import takt
from hypothesis import given
from hypothesis import strategies as st
from oracle import System
from places import EXAMPLES
from sampling import tries
from takt.board import emulation
from takt.files import trace_file
from takt.run import measurement
from takt.show import board_report
from test_boards import GENERATORS, ONE_PROCESSOR, as_programs, invoke, task_set

ARRIVAL = 9
"""Kind of a record."""


def check_replays(system: takt.System) -> None:
    """Run a system in real time: its trace replays identically."""
    with tempfile.TemporaryDirectory() as folder:
        emulation.run(system, Path(folder, "T.takt"), emulation.REAL_TIME)
        assert takt.replay(Path(folder, "T.takt")).difference is None


@pytest.mark.parametrize("example", [*ONE_PROCESSOR, "avionics"])
def test_every_example_of_one_processor_replays_identically(example: str) -> None:
    check_replays(takt.load(EXAMPLES / f"{example}.toml").replace(horizon="100ms"))


@pytest.mark.parametrize("generator", GENERATORS.values(), ids=GENERATORS.keys())
def test_random_systems_replay_identically(generator: st.SearchStrategy[System]) -> None:
    @tries(10)
    @given(generator, st.integers(20, 200))
    def replays(system: System, horizon: int) -> None:
        check_replays(as_programs(system, "200us").replace(horizon=horizon))

    replays()


# ---- every policy, kind of server, protocol and mode of preemption, by name -----------------------------------


MODES = {
    "preemptive": "",
    "non-preemptive": 'preemption = "non-preemptive"',
    "threshold": 'threshold = "often"',
    "deferred": 'body = ["run 2ms", "point", "run 1ms", "optional point", "run 5ms"]',
}


def mixed_set(policy: str, server: str, protocol: str, mode: str) -> str:
    """Write a task set that has something of everything."""
    return f"""
[system]
resolution = "100us"
policy = "{policy}"
horizon = "60ms"

[[server]]
name = "S"
kind = "{server}"
period = "5ms"
budget = "1ms"
priority = 4

[[resource]]
name = "R"
protocol = "{protocol}"

[[task]]
name = "often"
period = "4ms"
wcet = "0.5ms"
priority = 5
body = ["run 0.1ms", "lock R", "run 0.3ms", "unlock R", "run 0.1ms"]

[[task]]
name = "served"
min_separation = "6ms"
wcet = "0.4ms"
server = "S"

[[task]]
name = "sharing"
period = "20ms"
wcet = "2ms"
priority = 3
body = ["run 1ms", "lock R", "run 0.5ms", "unlock R", "suspend 1ms", "run 0.5ms"]

[[task]]
name = "long"
period = "20ms"
wcet = "8ms"
priority = 1
{MODES[mode]}
"""


@pytest.mark.parametrize(
    ("policy", "server", "protocol", "mode"),
    [
        ("fp", "polling", "none", "preemptive"),
        ("rm", "deferrable", "npcs", "non-preemptive"),
        ("dm", "sporadic", "icpp", "threshold"),
        ("fp", "idling", "pip", "deferred"),
        ("edf", "cbs", "srp", "preemptive"),
        ("edf", "hard-cbs", "pcp", "deferred"),
        ("edf", "tbs", "pip", "threshold"),
        ("edf", "cus", "none", "non-preemptive"),
        ("llf", "deferrable", "none", "preemptive"),
    ],
)
def test_every_kind_of_scheduling_replays_identically(
    policy: str, server: str, protocol: str, mode: str, tmp_path: Path
) -> None:
    check_replays(takt.load(task_set(tmp_path, mixed_set(policy, server, protocol, mode))))


# ---- what holds whatever the machine does ----------------------------------------------------------------------


def run(system: takt.System, folder: Path) -> trace_file.Trace:
    """Run a system in real time."""
    return emulation.run(system, folder / "T.takt", emulation.REAL_TIME)


def test_periodic_jobs_are_all_there_and_execute_their_demand(tmp_path: Path) -> None:
    system = takt.load(EXAMPLES / "iot_node.toml").replace(horizon="400ms")
    trace = run(system, tmp_path)
    measured = board_report.report_of(trace)
    assert (trace.platform, trace.system.resolution_ns) == ("posix_real_time", system.resolution_ns)
    assert [row.jobs for row in measured.rows] == takt.simulate(system).summary["released"].to_list()
    for row in measured.rows:
        assert row.wcet is not None
        assert row.response_min is None or row.response_min >= row.wcet


def test_what_arrives_from_outside_arrives_in_order_and_not_before_its_instant(tmp_path: Path) -> None:
    system = takt.load(EXAMPLES / "avionics.toml").replace(horizon="400ms")
    trace = run(system, tmp_path)
    expected = {(task, job): release for task, job, release, *_ in takt.simulate(system).jobs.rows()}
    arrived = measurement.jobs_of(trace)
    assert {(task, job): release for task, job, release, *_ in arrived.rows()}.items() <= expected.items()
    for task in arrived.partition_by("task"):
        assert sorted(task["job"]) == list(range(min(task["job"]), min(task["job"]) + len(task)))
    assert all(record.now >= record.value for record in trace.records() if record.kind == ARRIVAL)


def test_what_arrives_long_before_the_horizon_is_not_lost(tmp_path: Path) -> None:
    task = takt.Task(name="A", arrivals=[0, 3, 9, 9, 10, 50, 90], deadline=10, wcet=1)
    trace = run(takt.System(tasks=[task], resolution="1ms", horizon="2s"), tmp_path)
    assert [record.value for record in trace.records() if record.kind == ARRIVAL] == [0, 3, 9, 9, 10, 50, 90]


def test_a_run_takes_as_long_as_its_horizon(tmp_path: Path) -> None:
    begin = time.monotonic()
    run(takt.load(EXAMPLES / "smallest.toml").replace(horizon="500ms"), tmp_path)
    assert time.monotonic() - begin >= 0.5


@pytest.mark.parametrize("resolution", ["1ns", "1us"])
def test_ticks_are_those_of_the_file_however_short(resolution: str, tmp_path: Path) -> None:
    tasks = [takt.Task(name="A", period=10, wcet=2), takt.Task(name="B", period=7, wcet=3)]
    horizon = {"1ns": 10_000_000, "1us": 20_000}[resolution]
    system = takt.System(tasks=tasks, resolution=resolution, policy="edf", horizon=horizon)
    trace = run(system, tmp_path)
    assert takt.replay(tmp_path / "T.takt").difference is None
    assert all(record.now <= horizon for record in trace.records())


# ---- the command -----------------------------------------------------------------------------------------------


def test_the_command_prints_measured_beside_simulated_and_promises_nothing(tmp_path: Path) -> None:
    trace = tmp_path / "T.takt"
    arguments = ["run", str(EXAMPLES / "servers.toml"), "--on", "posix", "--real-time", "--trace", str(trace)]
    status, output, errors = invoke(*arguments)
    lines = output.splitlines()
    assert (status, errors) == (0, "")
    assert "of 16 jobs late in 120 ms on posix_real_time.  policy fp, 3 tasks," in lines[0]
    assert "sim worst" in output
    decisions = takt.replay(trace).decisions
    assert lines[-3] == f"replayed on the host: {decisions} decisions, identical"
    assert lines[-2].startswith("in real time: Linux may delay the process for any time")
    assert invoke("replay", str(trace)) == (0, f"identical: {decisions} decisions\n", "")


def test_json_says_that_time_was_real() -> None:
    arguments = ["run", str(EXAMPLES / "smallest.toml"), "--on", "posix", "--real-time", "--json"]
    status, output, errors = invoke(*arguments)
    assert (status, errors) == (0, "")
    assert [run["platform"] for run in json.loads(output)["runs"]] == ["simulator", "posix_real_time"]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--real-time"], "--real-time: it needs --on posix, found no --on"),
        (["--real-time", "--on", "riscv"], "--real-time: it needs --on posix, found --on riscv"),
        (["--real-time", "--on", "posiks"], '--on: unknown board "posiks"; did you mean "posix"?'),
    ],
)
def test_a_wrong_combination_is_bad_input(arguments: list[str], line: str) -> None:
    assert invoke("run", str(EXAMPLES / "smallest.toml"), *arguments) == (2, "", line + "\n")


def test_a_run_that_nobody_would_wait_for_is_bad_input() -> None:
    path = str(EXAMPLES / "smallest.toml")
    arguments = ["run", path, "--on", "posix", "--real-time", "--horizon"]
    assert invoke(*arguments, "301s") == (
        2,
        "",
        f"{path}: [system] horizon: in real time the run would take 301s, expected 300s at most; "
        "shorten it, as by --horizon 10s\n",
    )
