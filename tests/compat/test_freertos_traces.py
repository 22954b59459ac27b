# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Traces of FreeRTOS programs: recorded with the names of the tasks, replayed by core bit for bit, and exported."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
import takt
from perfetto.protos.perfetto.trace import perfetto_trace_pb2
from recipes import PORTS, Command, run
from takt.base import times
from takt.command import main
from takt.files import trace_file
from test_freertos import build
from typer.testing import CliRunner

RECORDER = ["firmware/recorder.c", "system/image.c", "system/image_words.c"]
TASKS = ["sensor", "consumer", "logger", "listener", "spinner", "manager"]


def command(program: Command, port: str, trace: Path) -> Command:
    """Return the command that runs a program, with the name of a file as its last word."""
    if port == "posix":
        return [*program, trace]
    qemu, at = [str(word) for word in program], [str(word) for word in program].index("-icount")
    return [*qemu[: at - 1], f"{qemu[at - 1]},arg=program,arg={trace}", *qemu[at:]]


@pytest.fixture(scope="session", params=[(port, home) for port in PORTS for home in (0, 1)], ids=str)
def trace(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    port, home = request.param
    folder = tmp_path_factory.mktemp("trace")
    program = build(port, "recorded", folder, tmp_path_factory, f"-DRECORDED_HOME={home}", sources=RECORDER)
    done = run(command(program, port, folder / "run.takt"))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return folder / "run.takt"


def test_the_trace_replays(trace: Path) -> None:
    outcome = takt.replay(trace)
    assert outcome.text == f"identical: {outcome.decisions} decisions"
    assert outcome.decisions > 300


def test_the_trace_has_the_names_of_the_tasks(trace: Path) -> None:
    system = trace_file.read(trace).system
    names = [thread.name for thread in system.threads]
    assert names[: len(TASKS)] == TASKS
    assert names[len(TASKS) : len(TASKS) + 3] == ["IDLE", "Tmr Svc", "idle"]
    assert {*names[len(TASKS) + 3 :]} <= {"child", "child+", "other child", "other child+"}


def test_the_scheduler_lock_of_the_program_is_in_the_trace(trace: Path) -> None:
    ((name, home),) = [(each.name, each.home) for each in trace_file.read(trace).system.resources]
    assert (name, home) == ("resource_1", len(trace_file.read(trace).system.servers))


def test_perfetto_shows_the_tasks_by_name(trace: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(main.app, ["replay", str(trace), "--perfetto", str(tmp_path / "P")])
    assert (done.exit_code, done.output[:11]) == (0, "identical: ")
    read = perfetto_trace_pb2.Trace()
    read.ParseFromString((tmp_path / "P").read_bytes())
    tracks = {packet.track_descriptor.uuid: packet.track_descriptor.name for packet in read.packet}
    begins = perfetto_trace_pb2.TrackEvent.TYPE_SLICE_BEGIN
    slices = [packet.track_event for packet in read.packet if packet.track_event.type == begins]
    before = "server_1/" if trace_file.read(trace).system.servers else ""
    for task in TASKS:
        own = [event.name for event in slices if tracks[event.track_uuid] == f"{before}{task}"]
        assert {*own} <= {task}
        assert own or task == "manager"  # which executes nothing where calls take no time
        assert len(own) == sum(tracks[event.track_uuid] == "processor" and event.name == task for event in slices)


def test_the_estimate_has_the_period_of_the_program(trace: Path, tmp_path: Path) -> None:
    file = tmp_path / "seen.toml"
    done = CliRunner().invoke(main.app, ["estimate", str(trace), "-o", str(file)])
    assert done.exit_code == 0
    assert "idle: not in the set: it never waited" in done.output
    read = tomllib.loads(file.read_text(encoding="utf-8"))
    sensor = next(task for task in read["task"] if task["name"] == "sensor")
    in_server = bool(trace_file.read(trace).system.servers)
    assert (sensor["priority"], "server" in sensor) == (4, in_server)
    assert abs(times.to_ticks(sensor["period"], 1) - 10_000_000) <= 10_000
    assert times.to_ticks(sensor.get("jitter", 0), 1) <= 200_000  # of the kernel's own work
    assert 1_000_000 <= times.to_ticks(sensor["wcet"], 1) < 1_400_000
    assert [server["budget"] for server in read.get("server", [])] == ["8ms"] * in_server
    for command_of in (["analyse", "--no-sensitivity", "--no-remedies"], ["run"]):
        assert CliRunner().invoke(main.app, [*command_of, str(file)]).exit_code == 0
