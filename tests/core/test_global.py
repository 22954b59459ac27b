# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Several processors: simulator and replay against an oracle of their own, Dhall's effect, and what always holds."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import global_oracle
import oracle
import pytest
import takt
from global_oracle.systems import processors, systems
from hypothesis import given
from hypothesis import strategies as st
from oracle.systems import horizons
from summaries import counted
from takt.command import main
from takt.files import trace_file
from takt.show import charts
from test_random_numbers import ARRIVALS, DEMANDS, Keys
from test_random_systems import as_system, as_task, many
from typer.testing import CliRunner


def as_global(system: oracle.System, cpus: int) -> takt.System:
    """Return a system of the oracle in Takt's words."""
    return as_system(system).replace(cpus=cpus)


def outcome(result: takt.Result) -> global_oracle.Outcome:
    """Return Takt's outcome in the oracle's words."""

    def count(column: str) -> dict[str, int]:
        return dict(result.summary.select("task", column).rows())

    return global_oracle.Outcome(
        segments=result.segments.select("start", "end", "cpu", "task", "job").rows(),
        jobs=result.jobs.rows(),
        misses=count("missed"),
        aborted=count("aborted"),
        skipped=count("skipped"),
        overruns=count("overruns"),
        preemptions=count("preemptions"),
        migrations=count("migrations"),
    )


@many
@given(systems(), processors(), horizons())
def test_several_processors_run_what_the_oracle_says(system: oracle.System, cpus: int, horizon: int) -> None:
    assert outcome(takt.simulate(as_global(system, cpus), horizon)) == global_oracle.simulate(system, cpus, horizon)


@many
@given(systems(), horizons())
def test_on_one_processor_both_oracles_agree(system: oracle.System, horizon: int) -> None:
    one, expected = global_oracle.simulate(system, 1, horizon), oracle.simulate(system, horizon)
    assert [(start, end, task, job) for start, end, _, task, job in one.segments] == [
        (start, end, task, job) for start, end, _, task, job in expected.segments
    ]
    assert (one.jobs, one.misses, one.aborted) == (expected.jobs, expected.misses, expected.aborted)


@many
@given(systems(), processors(2), horizons())
def test_a_trace_of_several_processors_replays_identically(system: oracle.System, cpus: int, horizon: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "random.takt")
        result = takt.simulate(as_global(system, cpus), horizon, trace=path)
        replay = takt.replay(path)
    assert replay.difference is None
    assert replay.decisions == result.decisions


@many
@given(systems(), processors(2), horizons())
def test_what_is_kept_changes_nothing(system: oracle.System, cpus: int, horizon: int) -> None:
    keeping = takt.simulate(as_global(system, cpus), horizon)
    counting = takt.simulate(as_global(system, cpus), horizon, segments=False, jobs=False)
    assert counted(counting.summary).equals(counted(keeping.summary))
    assert counting.decisions == keeping.decisions


@many
@given(systems(), processors(2), horizons(), st.integers(0, 2**64 - 1), st.data())
def test_random_jobs_on_several_processors_are_those_of_the_oracle(
    system: oracle.System, cpus: int, horizon: int, seed: int, data: st.DataObject
) -> None:
    told, real = [], []
    for place, task in enumerate(system.tasks):
        keys: Keys = {}
        plain = replace(task, period=task.rate_period or 7, min_separation=None, releases=None)
        changed = plain
        if data.draw(st.booleans()):
            changed, keys = data.draw(st.sampled_from(ARRIVALS))(changed, place, seed, horizon)
        if data.draw(st.booleans()):
            changed, more = data.draw(st.sampled_from(DEMANDS))(changed, place, seed, horizon)
            keys |= more
        told.append(changed)
        real.append(as_task(plain).replace(**keys))
    result = takt.simulate(as_global(system, cpus).replace(tasks=real, seed=seed), horizon)
    expected = global_oracle.simulate(replace(system, tasks=tuple(told)), cpus, horizon)
    assert outcome(result) == expected


@many
@given(systems(), processors(2), horizons())
def test_jobs_are_on_one_processor_at_a_time_and_no_processor_idles_while_a_job_waits(
    system: oracle.System, cpus: int, horizon: int
) -> None:
    result = takt.simulate(as_global(system, cpus), horizon)
    segments = result.segments.rows(named=True)
    for tick in range(horizon):
        running = [row for row in segments if row["start"] <= tick < row["end"]]
        assert len({row["cpu"] for row in running}) == len({row["task"] for row in running}) == len(running)
        unfinished = {
            row["task"]
            for row in result.jobs.rows(named=True)
            if row["release"] <= tick and (row["finish"] is None or row["finish"] > tick)
        }
        assert {row["task"] for row in running} <= unfinished
        if all(task.on_miss == "continue" for task in system.tasks):
            assert len(running) == min(cpus, len(unfinished))


# ---- directed -------------------------------------------------------------------------------------------


def run_of(cpus: int, tasks: Sequence[takt.Task], **keys: Any) -> takt.Result:
    """A run of some tasks on some processors."""
    return takt.simulate(takt.System(tasks=list(tasks), cpus=cpus, **keys))


def pieces(result: takt.Result) -> list[tuple[int, int, int, str]]:
    """Start, end, processor and task of all segments."""
    return result.segments.select("start", "end", "cpu", "task").rows()


class ShortestJobFirst(takt.Policy):
    """The shorter the job, the more urgent."""

    def release(self, job: takt.Job) -> int:
        """Return the key of a job."""
        return job.wcet


def test_a_policy_in_python_orders_several_processors_and_its_trace_replays(tmp_path: Path) -> None:
    tasks = [takt.Task(name=name, period=20, wcet=wcet) for name, wcet in (("A", 8), ("B", 2), ("C", 5))]
    system = takt.System(tasks=tasks, policy=ShortestJobFirst(), cpus=2)
    result = takt.simulate(system, trace=tmp_path / "T.takt")
    assert pieces(result) == [(0, 2, 0, "B"), (0, 5, 1, "C"), (2, 10, 0, "A")]
    assert takt.replay(tmp_path / "T.takt", [ShortestJobFirst()]).is_identical


def test_a_thousand_tasks_run_on_64_processors() -> None:
    tasks = [takt.Task(name=f"T{number}", period=100 + number % 50, wcet=5) for number in range(1000)]
    result = run_of(64, tasks, policy="edf", horizon=2000)
    assert result.missed == 0
    assert result.segments["cpu"].max() == 63
    assert int(result.summary["busy"].sum()) == int((result.segments["end"] - result.segments["start"]).sum())


# ---- what people see ----------------------------------------------------------------------------------------

FILE = """schema = 1
[system]
name = "pair"
cpus = 2
policy = "edf"
horizon = 60
""" + "".join(
    f'[[task]]\nname = "{name}"\nperiod = {period}\nwcet = {wcet}\n'
    for name, period, wcet in (("A", 10, 5), ("B", 15, 9), ("C", 20, 11), ("D", 7, 2))
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A task set for two processors."""
    path = tmp_path / "pair.toml"
    path.write_text(FILE)
    return path


def test_the_table_tells_processors_their_share_and_migrations(file: Path) -> None:
    said = CliRunner().invoke(main.app, ["run", str(file)]).stdout
    assert "migrations" in next(line for line in said.splitlines() if line.startswith("task "))
    assert said.splitlines()[-1].startswith("96.8 % of each processor, 3 migrations.  ")
    assert "2 processors" in said


def test_json_tells_processors_and_migrations(file: Path) -> None:
    (run,) = json.loads(CliRunner().invoke(main.app, ["run", str(file), "--json"]).stdout)["runs"]
    assert (run["cpus"], run["migrations"]) == (2, 3)
    assert [task["migrations"] for task in run["tasks"]] == [0, 1, 2, 0]


def test_segments_name_their_processors_in_the_order_of_their_starts(file: Path, tmp_path: Path) -> None:
    CliRunner().invoke(main.app, ["run", str(file), "--segments", str(tmp_path / "S.csv")])
    rows = [line.split(",") for line in (tmp_path / "S.csv").read_text().splitlines()[1:]]
    order = [(int(row[0]), int(row[2])) for row in rows]
    assert order == sorted(order)
    assert {cpu for _, cpu in order} == {0, 1}


def test_the_overview_shows_how_busy_all_processors_are(file: Path) -> None:
    result = takt.simulate(takt.load(file))
    shares = charts.busy_shares(result, 60)
    assert shares.max() == pytest.approx(1)
    assert shares.sum() * 60 * 2 / charts.OVERVIEW_CELLS == pytest.approx(int(result.summary["busy"].sum()))


def test_a_board_refuses_several_processors(file: Path) -> None:
    outcome = CliRunner().invoke(main.app, ["run", str(file), "--on", "cortex_m"])
    assert outcome.exit_code == 2
    assert outcome.stderr.endswith("pair.toml: [system] cpus: the board has one processor, found 2\n")


def test_llf_in_the_place_of_the_policy_of_the_file_is_refused(file: Path) -> None:
    outcome = CliRunner().invoke(main.app, ["run", str(file), "--policy", "llf"])
    assert outcome.exit_code == 2
    assert "expected a policy that orders whole jobs with cpus = 2" in outcome.stderr


@pytest.fixture
def path(file: Path, tmp_path: Path) -> Path:
    """A trace of two processors."""
    takt.simulate(takt.load(file), trace=tmp_path / "pair.takt")
    return tmp_path / "pair.takt"


def test_replay_tells_a_decision_on_another_processor(path: Path) -> None:
    trace = trace_file.read(path)
    data = bytearray(trace.data)
    number = next(at for at, record in enumerate(trace.records()) if record.cpu == 1)
    data[32 * number + 25] = 0
    trace_file.write(path, trace.system, trace.platform, trace.horizon, bytes(data))
    difference = takt.replay(path).difference
    assert difference is not None
    assert "on processor 0 until" in difference.text.split(", replayed")[0]
    assert "on processor 1 until" in difference.text.split(", replayed")[1]


def test_replay_misses_a_decision_that_was_left_out(path: Path) -> None:
    trace = trace_file.read(path)
    number = next(at for at, record in enumerate(trace.records()) if record.cpu == 1)
    data = bytes(trace.data)[: 32 * number] + bytes(trace.data)[32 * number + 32 :]
    trace_file.write(path, trace.system, trace.platform, trace.horizon, data)
    difference = takt.replay(path).difference
    assert difference is not None
    assert "recorded nothing more until" in difference.text


def test_a_header_with_more_processors_gives_another_schedule(path: Path) -> None:
    trace = trace_file.read(path)
    trace_file.write(path, replace(trace.system, cpus=3), trace.platform, trace.horizon, bytes(trace.data))
    assert not takt.replay(path).is_identical
