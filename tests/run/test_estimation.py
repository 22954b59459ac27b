# SPDX-License-Identifier: Apache-2.0 OR MIT
"""takt estimate: what a trace shows of a task set, against the set that made the trace."""

from __future__ import annotations

import json
import os
import random
import tomllib
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import takt
from places import ROOT
from takt import _core
from takt.command import main
from takt.files import trace_file
from takt.files.trace_file import Trace
from takt.model.core_input import ResolvedThread
from takt.run import activations, estimation
from takt.run.estimation import Arrivals, Estimate, Estimation, arrivals_of
from trace_header import RECORD, header_of, records_of, rewrite
from typer.testing import CliRunner

SYSTEMS = int(os.environ.get("TAKT_SYSTEMS", "40"))
Task = takt.Task


def estimated(system: takt.System, path: Path, horizon: int | None = None) -> Estimation:
    """Estimate the task set of a simulation's trace."""
    takt.simulate(system, horizon, trace=path / "T.takt")
    return estimation.estimate(trace_file.read(path / "T.takt"))


def named(found: Estimation) -> dict[str, Estimate]:
    """Return the estimates by their names."""
    return {each.name: each for each in found.estimates}


# ---- against the truth -------------------------------------------------------------------------------------


def test_periods_offsets_and_executions_of_periodic_tasks_are_exact(tmp_path: Path) -> None:
    tasks = [
        Task(name="A", period=10, wcet=3, demand=[1, 2], priority=2),
        Task(name="B", period=15, offset=4, wcet=4, deadline=12, priority=1),
    ]
    found = named(estimated(takt.System(tasks=tasks), tmp_path, 300))
    assert found["A"].arrivals == Arrivals(10, None, 0, 0)
    assert found["B"].arrivals == Arrivals(15, None, 0, 4)
    assert (found["A"].longest, found["A"].mean, found["A"].activations) == (2, Fraction(3, 2), 30)
    assert (found["B"].longest, found["B"].deadline, found["B"].arrivals.is_exact) == (4, 12, True)
    assert found["A"].priority is not None
    assert found["B"].priority is not None
    assert found["A"].priority > found["B"].priority


def test_jitter_is_found_and_never_more_than_there_is(tmp_path: Path) -> None:
    task = Task(name="A", period=1000, jitter=90, wcet=10)
    (found,) = estimated(takt.System(tasks=[task]), tmp_path, 100_000).estimates
    assert (found.arrivals.period, found.arrivals.offset) == (1000, 0)
    assert 60 < found.arrivals.jitter <= 90
    assert not found.arrivals.is_exact


def test_a_task_whose_separations_vary_has_the_least_one(tmp_path: Path) -> None:
    task = Task(name="A", min_separation=20, wcet=2)
    system = takt.System(tasks=[task])
    (found,) = estimated(system, tmp_path, 2000).estimates
    releases = takt.simulate(system, 2000, jobs=True).jobs["release"].to_list()
    least = min(after - before for before, after in pairwise(releases))
    assert found.arrivals == Arrivals(None, least, 0, releases[0])
    assert least >= 20


def test_servers_are_as_the_trace_describes_them(tmp_path: Path) -> None:
    system = takt.load(ROOT / "examples" / "servers.toml")
    found = estimation.system_of(estimated(system, tmp_path, 1200))
    expected = [(each.name, each.kind, each.policy) for each in system.servers]
    assert [(each.name, each.kind, each.policy) for each in found.servers] == expected
    assert [(each.period, each.budget) for each in found.servers] == [("20ms", "10ms"), ("40ms", "15ms")]
    assert [task.server for task in found.tasks] == ["S1", "S1", "S2"]


def test_overload_splits_no_job_and_joins_none(tmp_path: Path) -> None:
    tasks = [Task(name="A", period=10, wcet=7, priority=2), Task(name="B", period=10, wcet=6, priority=1)]
    found = named(estimated(takt.System(tasks=tasks), tmp_path, 200))
    assert [(each.arrivals.period, each.longest) for each in found.values()] == [(10, 7), (10, 6)]
    assert found["B"].activations == 20


def test_a_task_with_too_few_activations_is_named_and_not_in_the_set(tmp_path: Path) -> None:
    tasks = [Task(name="A", period=10, wcet=1), Task(name="slow", period=60, wcet=1)]
    found = estimated(takt.System(tasks=tasks), tmp_path, 100)
    assert [each.name for each in found.estimates] == ["A"]
    assert [(each.name, each.activations, each.reason) for each in found.omissions] == [
        ("slow", 2, "too few activations: 2, needed are 3")
    ]


def test_resources_that_were_held_are_named(tmp_path: Path) -> None:
    found = named(estimated(takt.load(ROOT / "examples" / "resources.toml"), tmp_path, 2000))
    assert any(each.held for each in found.values())
    assert all(longest > 0 for each in found.values() for longest in each.held.values())


# ---- random systems, against the simulator's own frames ------------------------------------------------------------


def drawn(draw: random.Random) -> takt.System:
    """Draw a system of one processor, with or without servers."""
    policy = draw.choice(["fp", "edf", "rm"])
    servers = [
        takt.Server(name=f"S{i}", period=draw.randint(5, 20), budget=draw.randint(2, 5), kind=draw.choice(KINDS))
        for i in range(draw.randint(0, 2))
    ]
    tasks = []
    for i in range(draw.randint(1, 5)):
        wcet, distance = draw.randint(1, 6), draw.randint(5, 40)
        way: dict[str, Any] = draw.choice([{"period": distance}, {"min_separation": distance}])
        if "period" in way and draw.random() < 0.4:
            way["jitter"] = draw.randint(1, 9)
        demand = [draw.randint(1, wcet) for _ in range(draw.randint(1, 4))]
        server = draw.choice([None, *(each.name for each in servers)])
        task = Task(name=f"T{i}", wcet=wcet, demand=demand, server=server, offset=draw.randint(0, 9), **way)
        tasks.append(task.replace(priority=draw.randint(0, 5)))
    return takt.System(tasks=tasks, servers=servers, policy=policy, seed=draw.randint(0, 99))


KINDS = ["deferrable", "polling", "sporadic"]


@pytest.mark.parametrize("seed", range(SYSTEMS))
def test_activations_of_random_systems_are_the_jobs_of_the_simulator(seed: int, tmp_path: Path) -> None:
    system = drawn(random.Random(seed))
    result = takt.simulate(system, 400, trace=tmp_path / "T.takt", jobs=True, segments=True)
    trace = trace_file.read(tmp_path / "T.takt")
    found = activations.activations_of(trace)
    executed: dict[tuple[str, int], int] = {}
    for start, end, task, job in result.segments.select("start", "end", "task", "job").rows():
        executed[task, job] = executed.get((task, job), 0) + end - start
    for number, task in enumerate(trace.system.tasks, trace.system.first_task):
        jobs = result.jobs.filter(result.jobs["task"] == task.name).sort("release", "job")
        expected = [
            (release, executed.get((task.name, job), 0), finish is not None)
            for job, release, finish in jobs.select("job", "release", "finish").rows()
        ]
        assert [(each.release, each.executed, each.is_over) for each in found[number]] == expected
    for each in estimation.estimate(trace).estimates if any(len(one) >= 3 for one in found.values()) else ():
        assert each.longest <= next(task.wcet for task in system.tasks if task.name == each.name)  # type: ignore[operator]


# ---- plain threads, against a slow oracle ------------------------------------------------------------------------


def thread_trace(draw: random.Random, threads: int) -> Trace:
    """Make a trace of plain threads that wake, run, and wait, without a scheduler's order."""
    now, rows, running = 0, list[tuple[int, ...]](), None
    ready: set[int] = set()
    for _ in range(draw.randint(5, 60)):
        now += draw.randint(0, 6)
        what, thread = draw.randint(0, 2), draw.randint(1, threads)
        if what == 0 and thread not in ready:
            ready.add(thread)
            rows.append((now, max(now - draw.randint(0, 3), 0), thread, 0, _core.RECORD_WAKE, 0, 0, 0))
        elif what == 1 and running is not None:
            ready.discard(running)
            rows.append((now, now, running, 0, _core.RECORD_BLOCK, 0, 0, 0))
            running = None
        elif what == 2 and ready:
            running = draw.choice(sorted(ready))
            rows.append((now, 0, running, 0, _core.RECORD_DECISION, 0, 0, 0))
    data = memoryview(b"".join(RECORD.pack(*row) for row in rows))
    system = replace(EMPTY, threads=tuple(ResolvedThread(f"t{i}", level=1) for i in range(threads)))
    return Trace("T.takt", "test", "test", now + draw.randint(0, 5), system, b"", data)


EMPTY = replace(takt.System(tasks=[Task(name="A", period=1, wcet=1)]).resolved, tasks=())


def by_ticks(trace: Trace, thread: int) -> list[tuple[int, int, bool]]:
    """Return the activations of a thread: each tick is counted by a look at all records before it."""
    records = list(trace.records())
    found: list[tuple[int, int, bool]] = []
    waking = [(i, each) for i, each in enumerate(records) if each.entity == thread and each.kind == _core.RECORD_WAKE]
    for at, wake in waking:
        ends = [
            i for i, each in enumerate(records) if i > at and each.entity == thread and each.kind == _core.RECORD_BLOCK
        ]
        until = records[ends[0]].now if ends else max(trace.horizon, records[-1].now)
        executed = 0
        for tick in range(wake.now, until):
            before = [(i, each) for i, each in enumerate(records) if each.now <= tick]
            last = [(i, each) for i, each in before if each.kind in (_core.RECORD_DECISION, _core.RECORD_BLOCK)][-1:]
            executed += bool(last) and last[0][1].kind == _core.RECORD_DECISION and last[0][1].entity == thread
        found.append((wake.value, executed, bool(ends)))
    return sorted(found, key=lambda each: each[0])


@pytest.mark.parametrize("seed", range(3 * SYSTEMS))
def test_activations_of_threads_are_those_that_a_look_at_each_tick_finds(seed: int) -> None:
    draw = random.Random(seed)
    trace = thread_trace(draw, draw.randint(1, 4))
    found = activations._activations_of_threads(trace)
    for thread in range(1, 1 + len(trace.system.threads)):
        own = sorted(found[thread], key=lambda each: each.release)
        assert [(each.release, each.executed, each.is_over) for each in own] == by_ticks(trace, thread)
        assert [each.is_start for each in found[thread]] == [i == 0 for i in range(len(own))]


# ---- arrivals ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3 * SYSTEMS))
def test_no_period_fits_twice_as_well_as_the_one_found(seed: int) -> None:
    draw = random.Random(seed)
    period, jitter = draw.randint(4, 60), draw.randint(0, 12)
    releases = sorted(5 + i * period + draw.randint(0, jitter) for i in range(draw.randint(3, 12)))
    found = arrivals_of(releases)
    distances = [after - before for before, after in pairwise(releases)]
    if found is None:
        assert min(distances) == 0
    elif found.separation is not None:
        assert found.separation == min(distances)
    elif found.skipped == 0:
        spreads = [estimation._spread(releases, each) for each in range(1, max(distances) + 1)]
        assert min(spreads) <= found.jitter <= 2 * min(spreads)
        assert found.period is not None
        begin = releases[0] if found.offset <= releases[0] else releases[1]
        assert 0 <= begin - found.offset <= found.jitter


@pytest.mark.parametrize(
    ("releases", "expected"),
    [
        ([0, 10, 20], Arrivals(10, None, 0, 0)),
        ([5, 15, 35, 45, 55], Arrivals(10, None, 0, 5, skipped=1)),
        ([0, 10, 30, 60], Arrivals(None, 10, 0, 0)),
        ([0, 100, 103, 220], Arrivals(None, 3, 0, 0)),
        ([0, 101, 199, 300], Arrivals(100, None, 2, 0)),
        ([7, 29_990_007, 60_010_007, 90_000_007], Arrivals(30_000_000, None, 20_000, 0)),
        ([4, 4, 8], None),
    ],
)
def test_arrivals_by_hand(releases: list[int], expected: Arrivals | None) -> None:
    found = arrivals_of(releases)
    if expected is not None and expected.jitter:
        assert found is not None
        assert (found.period, found.jitter) == (expected.period, expected.jitter)
    else:
        assert found == expected


# ---- the command ------------------------------------------------------------------------------------------------


def call(*words: object) -> tuple[int, str]:
    """Call takt; return its status and both outputs."""
    done = CliRunner().invoke(main.app, [str(word) for word in words])
    return done.exit_code, done.output


def test_a_strictly_periodic_set_comes_back(tmp_path: Path) -> None:
    tasks = [
        Task(name="A", period="10ms", wcet="2ms", priority=2),
        Task(name="B", period="15ms", offset="3ms", wcet="4ms", priority=1, server="S"),
        Task(name="C", period="40ms", offset="1ms", wcet="9ms", priority=3),
    ]
    server = takt.Server(name="S", period="20ms", budget="10ms", priority=4)
    system = takt.System(tasks=tasks, servers=[server], horizon="600ms")
    first = takt.simulate(system, trace=tmp_path / "T.takt", jobs=True)
    assert call("estimate", tmp_path / "T.takt", "-o", tmp_path / "seen.toml")[0] == 0
    again = takt.simulate(takt.load(tmp_path / "seen.toml"), jobs=True)
    assert again.jobs.equals(first.jobs)
    assert call("analyse", tmp_path / "seen.toml", "--no-sensitivity")[0] == 0


def test_the_file_says_what_is_a_guess_and_what_is_not_known(tmp_path: Path) -> None:
    tasks = [
        Task(name="even", period=10, wcet=1),
        Task(name="shaky", period=100, jitter=9, wcet=3),
        Task(name="rare", period=900, wcet=1),
        Task(name="events", min_separation=30, wcet=2),
    ]
    takt.simulate(takt.System(name="node", tasks=tasks), 1000, trace=tmp_path / "T.takt")
    status, text = call("estimate", tmp_path / "T.takt")
    assert status == 0
    read = tomllib.loads(text)
    assert [task["name"] for task in read["task"]] == ["even", "shaky", "events"]
    for line in (
        "# 100 activations seen; each distance is the period.",
        "guess: period and jitter fit",
        "guess: the least distance seen",
        "#   rare: too few activations: 2, needed are 3",
        "# wcet is the longest execution that was seen: a longer one may come.",
    ):
        assert line in text, text
    status, table = call("estimate", tmp_path / "T.takt", "-o", tmp_path / "seen.toml")
    assert (status, (tmp_path / "seen.toml").read_text(encoding="utf-8")) == (0, text)
    assert "rare: not in the set: too few activations: 2, needed are 3" in table
    assert max(map(len, table.splitlines())) <= 80


def test_json_has_ticks_and_all_that_was_seen(tmp_path: Path) -> None:
    takt.simulate(takt.System(tasks=[Task(name="A", period=10, wcet=2)]), 100, trace=tmp_path / "T.takt")
    status, text = call("estimate", tmp_path / "T.takt", "--json")
    found = json.loads(text)
    (task,) = found["tasks"]
    assert (status, found["resolution_ns"], found["not_estimated"]) == (0, 1_000_000, [])
    assert (task["period"], task["execution_max"], task["execution_mean"], task["is_exact"]) == (10, 2, 2.0, True)
    assert (task["min_separation"], task["jitter"], task["activations"]) == (None, 0, 10)


def refusals(path: Path) -> list[tuple[str, str]]:
    """Damage a trace; return what was done with what the command says."""
    whole, header, records = path.read_bytes(), header_of(path), records_of(path)
    said = list[tuple[str, str]]()

    def say(what: str) -> None:
        status, text = call("estimate", path)
        assert status == 2, (what, text)
        said.append((what, text.strip().removeprefix(f"{path}: ")))

    for what, data in (("empty", b""), ("no trace", b"schema = 1\n"), ("cut", whole[:-32]), ("odd", whole[:-5])):
        path.write_bytes(data)
        say(what)
    rewrite(path, header, [])
    say("no record")
    wrong = [list(row) for row in records]
    place = next(i for i, row in enumerate(wrong) if row[4] == _core.RECORD_DECISION and row[2] != _core.NO_ENTITY)
    wrong[place][1] += 1
    rewrite(path, header, wrong)
    say("another decision")
    return said


def test_what_is_no_whole_trace_is_refused_with_the_remedy(tmp_path: Path) -> None:
    path = tmp_path / "T.takt"
    takt.simulate(takt.System(tasks=[Task(name="A", period=10, wcet=2)]), 60, trace=path)
    said = dict(refusals(path))
    assert said["empty"].startswith("not a Takt trace")
    assert said["no trace"].startswith("not a Takt trace")
    assert "record it again" in said["cut"]
    assert said["odd"].startswith("damaged trace")
    none = 'found none ("A": it executed less than a tick); record for longer'
    assert said["no record"] == f"expected a task or thread that can be estimated, {none}"
    assert said["another decision"] == ("expected a trace that replays, found one that differs; takt replay says where")
    assert call("estimate", tmp_path / "none.takt")[0] == 2


def test_a_trace_of_several_processors_is_refused(tmp_path: Path) -> None:
    tasks = [Task(name="A", period=10, wcet=2), Task(name="B", period=10, wcet=2)]
    takt.simulate(takt.System(tasks=tasks, cpus=2), 100, trace=tmp_path / "T.takt")
    status, text = call("estimate", tmp_path / "T.takt")
    assert (status, "expected a trace of one processor, found one of several" in text) == (2, True)


def test_names_that_occur_twice_get_numbers() -> None:
    assert estimation._unique(["a", "b", "a", "a_2", "a"]) == ["a", "b", "a_3", "a_2", "a_4"]
