# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Task sets on posix with a scheduler behind a mailbox: without delay as simulated, with delays replayed, and reported.

What the rules of messages are is in docs/explanation/remote.md; here it is what users see.
"""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path
from typing import Any

import net
import polars as pl
import pytest
import takt
from hypothesis import given
from hypothesis import strategies as st
from oracle import System
from oracle.systems import horizons
from places import EXAMPLES
from sampling import count, tries
from takt.board import emulation
from takt.files import trace_file
from takt.model import delays
from takt.run import measurement
from takt.run.remote import Remote, remote_of
from test_boards import GENERATORS, ONE_PROCESSOR, as_programs, check_equal, invoke, task_set

LATE, COMPLETE = 29, 1


@pytest.mark.parametrize("example", ONE_PROCESSOR)
def test_every_example_runs_without_delay_exactly_as_it_is_simulated(example: str) -> None:
    check_equal(takt.load(EXAMPLES / f"{example}.toml"), remote=0)


@pytest.mark.parametrize("generator", GENERATORS.values(), ids=GENERATORS.keys())
def test_random_systems_run_without_delay_exactly_as_they_are_simulated(generator: st.SearchStrategy[System]) -> None:
    @tries(25)
    @given(generator, horizons())
    def agrees(system: System, horizon: int) -> None:
        check_equal(as_programs(system).replace(horizon=horizon), remote=0)

    agrees()


def check_remote(system: takt.System, delay: delays.Delay) -> None:
    """Run a system with delays: its trace replays, and what is told of it fits together."""
    with tempfile.TemporaryDirectory() as folder:
        trace = emulation.run(system, Path(folder, "T.takt"), emulation.POSIX, remote=delay)
        replay = takt.replay(Path(folder, "T.takt"))
        assert replay.difference is None
        told = remote_of(trace)
        assert told is not None
        assert told.decisions == replay.decisions
        assert told.events >= max(len(told.lateness), told.stale)
        assert all(late > 0 for late in told.lateness)
        jobs, segments = measurement.jobs_of(trace), measurement.segments_of(trace)
        assert sorted(jobs.select("task", "job").rows()) == sorted(set(jobs.select("task", "job").rows()))
        assert (segments["start"][1:] >= segments["end"][:-1]).all()
        budgets = measurement.budgets_of(trace)
        for server in trace.system.servers:
            assert max(budgets[server.name].to_list(), default=0) <= server.budget or "sporadic" in server.kind


@pytest.mark.parametrize("delay", ["uniform:0:3", "exponential:2", "1"])
@pytest.mark.parametrize("generator", GENERATORS.values(), ids=GENERATORS.keys())
def test_random_systems_with_random_delays_replay_identically(generator: st.SearchStrategy[System], delay: str) -> None:
    @tries(12)
    @given(generator, horizons(), st.integers(0, 2**32))
    def replays(system: System, horizon: int, seed: int) -> None:
        check_remote(as_programs(system).replace(horizon=horizon, seed=seed), delays.parse(delay))

    replays()


def drawn(paradigm: str, folder: Path) -> list[takt.System]:
    """Return systems of a paradigm with allocators or deadline rules, evenly spread."""
    texts = net.systems(paradigm)
    return [
        takt.load(task_set(folder, text.removeprefix("schema = 1\n")))
        for _, text in texts[:: max(1, len(texts) // count(10))]
    ]


@pytest.mark.parametrize("delay", ["0", "2", "uniform:0:9"])
@pytest.mark.parametrize("paradigm", ["rates", "shares", "windows"])
def test_allocators_and_deadline_rules_run_at_a_distance(paradigm: str, delay: str, tmp_path: Path) -> None:
    for system in drawn(paradigm, tmp_path):
        if delay == "0":
            check_equal(system, remote=0)
        else:
            check_remote(system, delays.parse(delay))


# ---- the end of a run --------------------------------------------------------------------------------------

ENDS_ON_ITS_WAY = """
[system]
horizon = 100
policy = "fp"
[[task]]
name = "A"
period = 50
offset = 32
wcet = 11
deadline = 17
"""
"""Job 1 is released at 82 and starts after three messages of 2, so that it ends at 99 and is known to have at 101."""


def rows_of(system: takt.System, delay: str) -> list[tuple[Any, ...]]:
    """Run a system with delays: its jobs, each as task, job, release, finish, response, missed."""
    with tempfile.TemporaryDirectory() as folder:
        trace = emulation.run(system, Path(folder, "T.takt"), emulation.POSIX, remote=delays.parse(delay))
        assert takt.replay(Path(folder, "T.takt")).is_identical
        return measurement.jobs_of(trace).select("task", "job", "release", "finish", "response", "missed").rows()


def test_a_job_that_ends_in_time_is_not_late_though_the_run_ends_before_that_is_known(tmp_path: Path) -> None:
    path = task_set(tmp_path, ENDS_ON_ITS_WAY)
    assert [row[3:] for row in rows_of(takt.load(path), "2")] == [(49, 17, False), (99, 17, False)]
    status, output, _ = invoke("run", path, "--on", "posix", "--remote", "2", "--json")
    assert (status, json.loads(output)["runs"][1]["missed"]) == (0, 0)


@pytest.mark.parametrize("delay", [1, 4, 9])
@pytest.mark.parametrize("generator", GENERATORS.values(), ids=GENERATORS.keys())
def test_a_run_that_ends_earlier_tells_the_same_of_what_was_before(
    generator: st.SearchStrategy[System], delay: int
) -> None:
    """Whatever is on its way at the end, completions and arrivals: what the processor saw before, has happened."""

    @tries(12)
    @given(generator, horizons(), st.integers(0), st.integers(0, delay))
    def agrees(system: System, horizon: int, place: int, behind: int) -> None:
        longer = as_programs(system).replace(horizon=horizon)
        rows = rows_of(longer, str(delay))
        instants = sorted({instant for row in rows for instant in row[2:4] if instant is not None} - {horizon})
        if instants:
            end = min(horizon, instants[place % len(instants)] + max(behind, 1))
            told = {row[:3]: row[3:] for row in rows_of(longer.replace(horizon=end), str(delay))}
            known = {row[:3]: row[3:] for row in rows if row[2] < end}
            assert known.keys() == told.keys()
            ended = {job: row for job, row in known.items() if row[0] is not None and row[0] <= end}
            assert ended.items() <= told.items()

    agrees()


# ---- what is told ------------------------------------------------------------------------------------------

ONE_TASK = '[system]\nresolution = "1us"\nhorizon = "1ms"\n[[task]]\nname = "A"\nperiod = "100us"\nwcet = "10us"\n'


def test_a_job_has_finished_when_its_processor_saw_that(tmp_path: Path) -> None:
    """A completion is on the way for as long as one message takes."""
    system = takt.load(task_set(tmp_path, ONE_TASK))
    trace = emulation.run(system, tmp_path / "T.takt", emulation.POSIX, remote="7us")
    records = list(trace.records())
    seen = [record.value for record in records if record.kind == LATE]
    received = [record.now for record in records if record.kind == COMPLETE]
    finishes = measurement.jobs_of(trace)["finish"].drop_nulls().to_list()
    assert len(finishes) == len(received) > 0
    assert all(now - finish == 7 for now, finish in zip(received, finishes, strict=True))
    assert set(finishes) <= set(seen)
    ends = [end for _, end, *_ in measurement.segments_of(trace).rows()]
    assert ends == received


@pytest.mark.parametrize(
    ("events", "late", "expected"),
    [(4, (2, 4), (0, 1.5, 4)), (2, (2, 4), (2, 3, 4)), (0, (), (None, None, None))],
)
def test_lateness_is_that_of_all_events(events: int, late: tuple[int, ...], expected: tuple[float | None, ...]) -> None:
    told = Remote(events=events, lateness=late, stale=0, dropped=0, unanswered=0, signals=0, decisions=0)
    assert [told.lateness_min, told.lateness_avg, told.lateness_max] == [*expected]


def test_the_command_tells_what_became_of_messages(tmp_path: Path) -> None:
    path, page, segments = task_set(tmp_path, ONE_TASK), tmp_path / "R.html", tmp_path / "S.csv"
    files = ["--report", str(page), "--segments", str(segments), "--trace", str(tmp_path / "T.takt")]
    status, output, errors = invoke("run", path, "--on", "posix", "--remote", "uniform:1us:9us", *files)
    assert (status, errors) == (0, "")
    assert "late in 1 ms on posix_remote." in output.splitlines()[0]
    told = " ".join(output[output.index("scheduler at a distance: lateness ") :].split())
    assert re.search(r"of \d+ events, .*, \d+ decisions replayed on the host", told)
    assert "Scheduler at a distance" in page.read_text()
    assert len(pl.read_csv(segments)) > 0
    assert takt.replay(tmp_path / "T.takt").is_identical
    status, output, _ = invoke("run", path, "--on", "posix", "--remote", "uniform:1us:9us", "--json")
    simulated, measured = json.loads(output)["runs"]
    assert (status, measured["platform"]) == (0, "posix_remote")
    assert "remote" not in simulated
    told = measured["remote"]
    assert told["decisions"] == measured["decisions"]
    assert 0 <= told["lateness_min"] <= told["lateness_avg"] <= told["lateness_max"] <= 9
    assert told["late"] <= told["events"]


def test_delays_are_drawn_with_the_seed_of_the_run(tmp_path: Path) -> None:
    system = takt.load(task_set(tmp_path, ONE_TASK))

    def records(seed: int) -> bytes:
        path = tmp_path / "T.takt"
        emulation.run(system.replace(seed=seed), path, emulation.POSIX, remote=takt.Uniform(min=0, max=30))
        return bytes(trace_file.read(path).data)

    assert records(1) == records(1) != records(2)


@pytest.mark.parametrize(
    ("delay", "message"),
    [
        ("", 'expected a delay such as 20us, 0, uniform:0:50us or exponential:20us, found ""; write a number followed'),
        ("soon", 'expected a delay such as 20us, 0, uniform:0:50us or exponential:20us, found "soon"; write a number'),
        ("-1us", 'expected a delay such as 20us, 0, uniform:0:50us or exponential:20us, found "-1us"'),
        ("uniform", 'min: missing; every distribution needs one, for instance min = "1ms"'),
        ("uniform:0", 'max: missing; every distribution needs one, for instance max = "5ms"'),
        ("uniform:0:9us:8us", 'expected uniform:MIN:MAX and then min=T or max=T, found "8us"'),
        ("normal:9us:1us:mean=8us", "expected mean once; leave all but one out"),
        ("unifrom:0:9us", 'unknown distribution "unifrom"; '),
        ("weibull:9us:flat", 'shape: expected a positive number such as 1.5, found "flat"'),
        ("exponential:9us:top=1us", "top: unknown key; expected one of min, max, mean"),
    ],
)
def test_a_delay_that_is_none_is_bad_input(delay: str, message: str) -> None:
    status, output, errors = invoke("run", str(EXAMPLES / "smallest.toml"), "--on", "posix", "--remote", delay)
    assert (status, output, errors.count("\n")) == (2, "", 1)
    assert errors.startswith(f"--remote: {message}")


@pytest.mark.parametrize(
    ("delay", "message"),
    [
        (
            "1ns",
            'expected a multiple of the resolution "1us", found "1ns"; write whole ticks, or give the file a finer',
        ),
        ("exponential:9us:max=1ns", 'expected a multiple of the resolution "1us", found "1ns"; write whole ticks, or'),
        ("uniform:9us:5us", "expected min <= max, found 9 > 5 ticks"),
        ("99999999999999999999", "expected at most 4611686018427387903 ticks, found 99999999999999999999"),
    ],
)
def test_a_delay_that_does_not_fit_the_file_is_bad_input(delay: str, message: str, tmp_path: Path) -> None:
    path = task_set(tmp_path, ONE_TASK)
    status, output, errors = invoke("run", path, "--on", "posix", "--remote", delay)
    assert (status, output, errors.count("\n")) == (2, "", 1)
    assert errors.startswith(f"{path}: --remote: {message}")


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--remote", "0"], "--remote: it needs --on posix, found no --on"),
        (["--remote", "0", "--on", "riscv"], "--remote: it needs --on posix, found --on riscv"),
        (
            ["--remote", "0", "--on", "posix", "--real-time"],
            "--remote: it needs virtual time, found --real-time; leave one of both out",
        ),
    ],
)
def test_a_wrong_combination_is_bad_input(arguments: list[str], line: str) -> None:
    assert invoke("run", str(EXAMPLES / "smallest.toml"), *arguments) == (2, "", line + "\n")


def test_another_board_has_no_scheduler_at_a_distance(tmp_path: Path) -> None:
    with pytest.raises(takt.InputError, match="it needs the board posix, found riscv"):
        emulation.run(takt.load(EXAMPLES / "smallest.toml"), tmp_path / "T.takt", emulation.RISCV, remote=0)
