# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Scheduler architectures: simulator and core against golden traces and the oracle, exact equality."""

from __future__ import annotations

import csv
import json
import tempfile
from dataclasses import asdict
from pathlib import Path

import architecture_oracle
import pytest
import takt
from architecture_oracle.model import Segment
from architecture_oracle.parallel import split_at_releases
from architecture_oracle.systems import System, horizons, systems
from hypothesis import example, given
from places import GOLDEN, ROOT
from sampling import tries
from summaries import counted
from takt.board import emulation
from takt.command import main
from typer.testing import CliRunner

EXAMPLE = ROOT / "examples" / "architectures.toml"
MICRO = ((1000, 200), (2000, 500), (4000, 900))

many = tries(200)


def software(context_switch: int, interval: int, timer: str = "rearm") -> architecture_oracle.Architecture:
    """Return a scheduler in software."""
    return architecture_oracle.Architecture("software", context_switch, interval, timer)


def coprocessor(context_switch: int, latency: int | None = None) -> architecture_oracle.Architecture:
    """Return a scheduler on a co-processor."""
    return architecture_oracle.Architecture("coprocessor", context_switch, latency=latency)


def hardware(context_switch: int) -> architecture_oracle.Architecture:
    """Return a scheduler in hardware."""
    return architecture_oracle.Architecture("hardware", context_switch)


def as_platform(architecture: architecture_oracle.Architecture) -> takt.Platform:
    """Return an architecture in Takt's words."""
    return takt.Platform(
        model=architecture.kind,
        context_switch=architecture.context_switch,
        interval=architecture.interval,
        timer=architecture.timer if architecture.kind == "software" else None,
        latency=architecture.latency,
    )


def as_task(task: architecture_oracle.Task) -> takt.Task:
    """Return a task of the oracle in Takt's words, which are the same."""
    return takt.Task(**asdict(task))


def as_system(system: System) -> takt.System:
    """Return a system of the oracle in Takt's words."""
    return takt.System(
        resolution="1us",
        policy=system.policy,
        tasks=[as_task(task) for task in system.tasks],
        platform=as_platform(system.architecture),
    )


def segments(result: takt.Result, system: System) -> tuple[Segment, ...]:
    """All segments as the oracle lists them: jobs and kernel together, beside the processor cut at releases."""
    rows = result.segments.select("start", "end", "task").rows() + result.kernel_segments.rows()
    together: list[Segment] = sorted(rows)
    if system.architecture.kind == "software":
        return tuple(together)
    return tuple(split_at_releases(together, system.tasks))


def jobs(result: takt.Result) -> list[tuple[str, int, int, int | None, bool]]:
    """All jobs: task, job, release, finish, failed."""
    return sorted(result.jobs.select("task", "job", "release", "finish", "missed").rows())


def expected_jobs(outcome: architecture_oracle.Outcome) -> list[tuple[str, int, int, int | None, bool]]:
    """The oracle's jobs without their starts, which Takt tells as the largest jitter."""
    rows = [(task, job, release, finish, failed) for task, job, release, _, finish, failed in outcome.jobs]
    return sorted(rows, key=lambda row: row[:2])


def figures(outcome: architecture_oracle.Outcome) -> takt.Architecture:
    """The oracle's figures in Takt's words, which are the same."""
    return takt.Architecture(**{name: getattr(outcome, name) for name in takt.Architecture.__dataclass_fields__})


def equals_the_oracle(system: System, horizon: int) -> takt.Result:
    """Simulate a system, compare all that is told with the oracle, and give it."""
    outcome = architecture_oracle.simulate(system.tasks, system.policy, system.architecture, horizon)
    result = takt.simulate(as_system(system), horizon)
    assert segments(result, system) == outcome.segments
    assert jobs(result) == expected_jobs(outcome)
    assert result.architecture == figures(outcome)
    assert result.missed == outcome.fails
    assert result.overhead == outcome.scheduler_time + outcome.switch_time
    return result


# ---------------------------------------------------------------------------------------- golden traces


def micro(architecture: architecture_oracle.Architecture) -> System:
    """The system of the golden traces."""
    tasks = [architecture_oracle.Task(f"T{place}", *numbers) for place, numbers in enumerate(MICRO, 1)]
    return System(tuple(tasks), "rm", architecture)


@pytest.mark.parametrize(
    ("name", "architecture"),
    [("sorts", software(100, 500)), ("cosorts", coprocessor(100)), ("harts", hardware(100))],
)
def test_the_micro_traces_come_out_to_the_tick(name: str, architecture: architecture_oracle.Architecture) -> None:
    with (GOLDEN / f"rts_{name}_micro.csv").open(newline="") as file:
        expected = tuple((int(row["start"]), int(row["end"]), row["task"]) for row in csv.DictReader(file))
    system = micro(architecture)
    assert segments(equals_the_oracle(system, 8000), system) == expected


# ---------------------------------------------------------------------------------------- random systems


AT_ONCE = System((architecture_oracle.Task("A", 20, 5), architecture_oracle.Task("B", 40, 9)), "rm", coprocessor(8, 0))
"""A co-processor without latency goes through idle all the same."""


@many
@given(systems(), horizons())
@example(AT_ONCE, 100)
def test_simulation_equals_the_oracle(system: System, horizon: int) -> None:
    equals_the_oracle(system, horizon)


@many
@given(systems(), horizons())
def test_a_trace_replays_identically(system: System, horizon: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder, "T.takt")
        result = takt.simulate(as_system(system), horizon, trace=trace)
        replay = takt.replay(trace)
    assert replay.is_identical
    assert replay.decisions == result.decisions


@many
@given(systems(), horizons())
def test_statistics_and_jobs_agree(system: System, horizon: int) -> None:
    result = takt.simulate(as_system(system), horizon)
    kept_nothing = takt.simulate(as_system(system), horizon, segments=False, jobs=False)
    assert counted(kept_nothing.summary).equals(counted(result.summary))
    assert kept_nothing.architecture == result.architecture
    for row in result.summary.iter_rows(named=True):
        own = result.jobs.filter(task=row["task"])
        assert (row["released"], row["finished"]) == (len(own), own["finish"].count())
        assert row["missed"] == own["missed"].sum() >= row["aborted"] + row["skipped"]
        ran = result.segments.filter(task=row["task"])
        assert row["busy"] == (ran["end"] - ran["start"]).sum()


# ---------------------------------------------------------------------------------------- one by one


def platform(**keys: int | str) -> takt.Platform:
    """Return a platform of keys."""
    return takt.Platform.model_validate(keys)


def one_task(model: takt.Platform, resolution: str = "1us") -> takt.System:
    """A system of one task."""
    return takt.System(resolution=resolution, tasks=[takt.Task(name="A", period=100, wcet=10)], platform=model)


def test_other_models_have_no_figures_and_no_kernel_segments() -> None:
    result = takt.simulate(one_task(takt.Platform(context_switch=2)), 100)
    assert result.architecture is None
    assert result.kernel_segments.rows() == []


def test_the_kernel_segments_are_kept_with_the_segments() -> None:
    result = takt.simulate(one_task(platform(model="hardware")), 100, segments=False)
    with pytest.raises(ValueError, match="segments were not kept"):
        _ = result.kernel_segments


@pytest.mark.parametrize(
    ("resolution", "latency", "start"), [("1us", None, 20), ("5us", None, 4), ("1us", 7, 7), ("1ms", 3, 3)]
)
def test_a_co_processor_takes_20_us_unless_it_is_said(resolution: str, latency: int | None, start: int) -> None:
    model = takt.Platform(model="coprocessor", latency=latency)
    assert takt.simulate(one_task(model, resolution), 100).segments["start"].to_list() == [start]


def test_a_demand_below_the_wcet_is_what_a_job_executes() -> None:
    system = takt.System(tasks=[takt.Task(name="A", period=9, wcet=4, demand=2)], platform=platform(model="hardware"))
    assert takt.simulate(system, 9).segments.select("start", "end").rows() == [(0, 2)]


class ShortestFirst(takt.Policy):
    """The job with the shortest wcet first."""

    def release(self, job: takt.Job) -> int:
        """Return the wcet."""
        return job.wcet


def test_a_policy_in_python_orders_jobs_wherever_the_scheduler_runs() -> None:
    tasks = [takt.Task(name="A", period=20, wcet=4), takt.Task(name="B", period=20, wcet=2)]
    system = takt.System(tasks=tasks, policy=ShortestFirst(), platform=platform(model="hardware", context_switch=2))
    assert takt.simulate(system).segments.select("start", "task").rows() == [(1, "B"), (4, "A")]


def test_a_board_is_an_architecture_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(takt.InputError, match=r"\[platform\] model: the board is an architecture of its own"):
        emulation.run(one_task(platform(model="hardware")), tmp_path / "T.takt")


# ---------------------------------------------------------------------------------------- example and command line

runner = CliRunner()


def test_the_table_has_a_line_of_what_the_scheduler_cost() -> None:
    output = runner.invoke(main.app, ["run", str(EXAMPLE)], env={"COLUMNS": "200"}).output
    figures = takt.simulate(takt.load(EXAMPLE)).architecture
    assert figures is not None
    start = f"{figures.switch_steps:,} switch steps, {figures.dispatches:,} dispatches, {figures.fails} fails, "
    assert [line for line in output.splitlines() if line.startswith(start)]


def test_json_has_the_figures() -> None:
    (run,) = json.loads(runner.invoke(main.app, ["run", str(EXAMPLE), "--json"]).output)["runs"]
    figures = takt.simulate(takt.load(EXAMPLE)).architecture
    assert figures is not None
    names = ("switch_steps", "dispatches", "fails", "scheduler_time", "switch_time", "max_start_jitter")
    shares = {name: float(getattr(figures, name)) for name in ("avail_sched", "avail_net")}
    assert run["architecture"] == {name: getattr(figures, name) for name in names} | shares


def test_the_example_fails_in_software_only() -> None:
    system = takt.load(EXAMPLE)
    assert takt.simulate(system).missed > 0
    assert takt.simulate(system.replace(platform=system.platform.replace(interval="400us"))).missed == 0
    for model in ("coprocessor", "hardware"):
        beside = takt.Platform(model=model, context_switch=system.platform.context_switch)
        assert takt.simulate(system.replace(platform=beside)).missed == 0
