# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Policies in Python that give keys before each decision: against those in C, and against definitions tick by tick."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import polars as pl
import pytest
import takt
from places import EXAMPLES
from sampling import count, expect_cases
from takt.base.errors import InputError
from takt.run.replay import replay
from takt.study import description, running

sys.path.insert(0, str(EXAMPLES))
from edzl import EarliestDeadlineZeroLaxity
from round_robin import RoundRobin

HORIZON = 120
SETS = 60


class Edf(takt.DynamicPolicy):
    """Earliest deadline first."""

    def keys(self, now: int, jobs: Sequence[takt.Job], processors: int) -> list[int]:
        return [job.deadline for job in jobs]


class Rm(takt.DynamicPolicy):
    """Rate monotonic."""

    def keys(self, now: int, jobs: Sequence[takt.Job], processors: int) -> list[int]:
        return [job.period or 1 for job in jobs]


class Llf(takt.DynamicPolicy):
    """Least laxity first, at each tick."""

    tick = 1

    def keys(self, now: int, jobs: Sequence[takt.Job], processors: int) -> list[int]:
        return [10_000 + job.deadline - job.remaining for job in jobs]


def tasks_of(draw: random.Random, processors: int) -> list[takt.Task]:
    """Draw tasks that fill the processors about; on one of them some suspend themselves, lock, come at any time."""
    tasks = []
    for number in range(draw.randint(2, 3 + processors)):
        period = draw.choice([5, 6, 8, 10, 12, 15, 20])
        wcet = draw.randint(1, max(1, period // 4 if processors == 1 else period * 3 // 4))
        more: dict[str, object] = {"offset": draw.choice([0, 0, draw.randint(0, 9)])}
        if draw.random() < 0.3:
            more["deadline"] = draw.randint(wcet, 2 * period)
        kind = draw.random() if processors == 1 else 1
        if kind < 0.2:
            more |= {"body": [f"run {wcet}", "lock r", "run 1", "unlock r", "run 1"]}
        elif kind < 0.4:
            more |= {"body": [f"run {wcet}", "suspend 2", "run 1"]}
        elif kind < 0.5:
            more |= {"jitter": draw.randint(1, 4)}
        if "body" not in more:
            more["wcet"] = wcet
        tasks.append(takt.Task(name=f"T{number}", period=period, **more))
    return tasks


def system_of(seed: int, policy: str | takt.Policy, processors: int = 1, **more: object) -> takt.System:
    """Draw a system."""
    tasks = tasks_of(random.Random(seed), processors)
    resources = [takt.Resource(name="r", protocol="pip")] if processors == 1 else []
    return takt.System(
        tasks=tasks,
        resources=resources,
        policy=policy,
        cpus=processors,
        horizon=HORIZON,
        **more,
    )


def compared(system: takt.System) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
    """Return what ran when, and what became of the jobs."""
    result = takt.simulate(system)
    return result.segments.rows(), result.jobs.rows()


@pytest.mark.parametrize(("name", "policy"), [("edf", Edf), ("rm", Rm), ("llf", Llf)])
def test_a_policy_with_keys_is_that_in_c_bit_for_bit(name: str, policy: Callable[[], takt.Policy]) -> None:
    """On one processor with suspensions, sections, release jitter; with the kernel's costs too."""
    for seed in range(count(SETS)):
        assert compared(system_of(seed, policy())) == compared(system_of(seed, name)), seed
    costs = takt.Platform(context_switch=1, release=1)
    for seed in range(count(SETS) if name != "llf" else 0):
        assert compared(system_of(seed, policy(), platform=costs)) == compared(system_of(seed, name, platform=costs))


@pytest.mark.parametrize("processors", [2, 3])
@pytest.mark.parametrize(("name", "policy"), [("edf", Edf), ("rm", Rm)])
def test_on_several_processors_too(name: str, policy: Callable[[], takt.Policy], processors: int) -> None:
    for seed in range(count(SETS)):
        assert compared(system_of(seed, policy(), processors)) == compared(system_of(seed, name, processors)), seed


# ---- definitions, tick by tick ----------------------------------------------------------------------------


class Ticks:
    """Jobs of periodic tasks, tick by tick: unfinished ones of each task, the oldest first."""

    def __init__(self, tasks: Sequence[takt.Task]) -> None:
        self.tasks = tasks
        self.left: dict[tuple[int, int], int] = {}

    def release(self, now: int) -> None:
        """Release the jobs of an instant."""
        for number, task in enumerate(self.tasks):
            since, period = now - int(task.offset), int(task.period or 0)
            if since >= 0 and since % period == 0:
                self.left[number, since // period] = int(task.wcet or 0)

    def current(self) -> list[tuple[int, int]]:
        """Return the oldest job of each task."""
        oldest: dict[int, tuple[int, int]] = {}
        for job in sorted(self.left):
            oldest.setdefault(job[0], job)
        return list(oldest.values())

    def deadline(self, job: tuple[int, int]) -> int:
        """Return the absolute deadline of a job."""
        task = self.tasks[job[0]]
        relative = task.deadline if task.deadline is not None else task.period
        return int(task.offset) + job[1] * int(task.period or 0) + int(relative or 0)

    def execute(self, jobs: Sequence[tuple[int, int]]) -> None:
        """Execute jobs for a tick."""
        for job in jobs:
            self.left[job] -= 1
            if self.left[job] == 0:
                del self.left[job]


def plain(seed: int, processors: int) -> list[takt.Task]:
    """Draw tasks that only run."""
    return [task for task in tasks_of(random.Random(seed), max(processors, 2)) if task.wcet is not None]


def ran(result: takt.Result) -> list[set[tuple[str, int]]]:
    """Return the jobs that ran in each tick."""
    ticks: list[set[tuple[str, int]]] = [set() for _ in range(HORIZON)]
    for start, end, task, job in result.segments.select("start", "end", "task", "job").rows():
        for tick in range(start, end):
            ticks[tick].add((task, job))
    return ticks


@pytest.mark.parametrize("processors", [1, 2, 3])
def test_edzl_is_its_definition(processors: int) -> None:
    urgent = 0
    for seed in range(count(SETS)):
        tasks = plain(seed, processors)
        system = takt.System(tasks=tasks, policy=EarliestDeadlineZeroLaxity(), cpus=processors, horizon=HORIZON)
        found, ticks = ran(takt.simulate(system)), Ticks(tasks)
        for now in range(HORIZON):
            ticks.release(now)
            zero = {job: ticks.deadline(job) - now - ticks.left[job] <= 0 for job in ticks.current()}
            chosen = sorted(zero, key=lambda job: (not zero[job], 0 if zero[job] else ticks.deadline(job), job))
            expected = chosen[:processors]
            assert found[now] == {(tasks[task].name, job) for task, job in expected}, (seed, now)
            edf = sorted(zero, key=lambda job: (ticks.deadline(job), job))[:processors]
            urgent += set(edf) != set(expected)
            ticks.execute(expected)
    expect_cases(processors == 1 or urgent > 0)


def test_round_robin_is_its_definition() -> None:
    """A queue: jobs join at its end; the first one executes for two ticks, or until it has finished."""
    for seed in range(count(SETS)):
        tasks = plain(seed, 1)
        found = ran(takt.simulate(takt.System(tasks=tasks, policy=RoundRobin(), horizon=HORIZON)))
        ticks, queue, used = Ticks(tasks), list[tuple[int, int]](), 0
        for now in range(HORIZON):
            ticks.release(now)
            queue = [job for job in queue if job in ticks.left]
            queue += [job for job in ticks.current() if job not in queue]
            if queue and used == RoundRobin.quantum:
                queue.append(queue.pop(0))
                used = 0
            expected = queue[:1]
            assert found[now] == {(tasks[task].name, job) for task, job in expected}, (seed, now)
            ticks.execute(expected)
            used = used + 1 if expected and expected[0] in ticks.left else 0


# ---- traces, copies, studies ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("policy", "processors"), [(RoundRobin, 1), (Llf, 1), (EarliestDeadlineZeroLaxity, 2)])
def test_a_trace_has_the_keys_and_replays(policy: Callable[[], takt.Policy], processors: int, tmp_path: Path) -> None:
    """The replay asks no policy: another instance, in another state, gives the same."""
    for seed in range(10):
        path = tmp_path / f"{seed}.takt"
        takt.simulate(system_of(seed, policy(), processors), trace=path)
        found = replay(path, [policy()])
        assert found.is_identical, found.text
        assert found.decisions > 10


def test_runs_repeat_since_each_has_its_own_copy() -> None:
    policy = RoundRobin()
    system = system_of(3, policy)
    assert compared(system) == compared(system)
    assert policy.last == 0


class Watching(takt.DynamicPolicy):
    """Keeps what it is asked."""

    tick = 4

    def __init__(self) -> None:
        self.seen: list[tuple[int, tuple[str, ...], tuple[int, ...], int]] = []

    def keys(self, now: int, jobs: Sequence[takt.Job], processors: int) -> list[int]:
        """Record instant, tasks, remaining times and processors."""
        self.seen.append((now, tuple(job.task for job in jobs), tuple(job.remaining for job in jobs), processors))
        return [job.deadline for job in jobs]


def test_it_is_asked_at_releases_completions_wakes_and_ticks() -> None:
    """A executes 2, suspends itself for 3, executes 1; B executes 4 of its wcet of 5, and has finished at 8."""
    tasks = [
        takt.Task(name="A", period=20, body=["run 2", "suspend 3", "run 1"], deadline=10),
        takt.Task(name="B", period=20, wcet=5, demand=4, offset=1),
    ]
    result = takt.simulate(takt.System(tasks=tasks, policy=Watching(), horizon=12))
    (policy,) = result.policies.values()
    assert isinstance(policy, Watching)
    assert policy.seen == [
        (0, ("A",), (3,), 1),
        (1, ("A", "B"), (2, 5), 1),  # B is released
        (2, ("B",), (5,), 1),  # A suspends itself
        (4, ("B",), (3,), 1),  # a tick
        (5, ("A", "B"), (1, 2), 1),  # A wakes
        (6, ("B",), (2,), 1),  # A has finished
    ]


def test_a_study_simulates_under_them(tmp_path: Path) -> None:
    text = """\
schema = 1
[study]
name = "keys"
sets = 6
[generate]
tasks = 4
utilization = 1.5
cpus = 2
period_min = "5ms"
period_max = "20ms"
resolution = "1ms"
policy = "edf"
[[measure]]
kind = "simulation"
policies = ["edf", "PLACE:EarliestDeadlineZeroLaxity"]
horizon = "100ms"
"""
    policy = tmp_path / "edzl.py"
    policy.write_text((EXAMPLES / "edzl.py").read_text())
    file = tmp_path / "keys.toml"
    file.write_text(text.replace("PLACE", str(policy)))
    study = description.load(file)
    assert description.of_document(study.document).document == study.document
    results = running.run(study, output=tmp_path / "out", workers=1)
    assert results.filter(pl.col("subject").str.ends_with("ZeroLaxity")).height > 0
    policy.write_text(policy.read_text() + "\n# changed\n")
    assert description.load(file).digest != study.digest
    file.write_text(text.replace("PLACE", str(tmp_path / "none.py")))
    with pytest.raises(InputError, match="cannot read"):
        description.load(file)


# ---- what is refused -------------------------------------------------------------------------------------------


class Wrong(takt.DynamicPolicy):
    """Gives what it was made with."""

    def __init__(self, found: object) -> None:
        self.found = found

    def keys(self, now: int, jobs: Sequence[takt.Job], processors: int) -> list[int]:
        return self.found  # type: ignore[return-value]


@pytest.mark.parametrize("found", [[], [1, 2], [0], [2**63], [1.5], [True], ["1"], [None]])
def test_keys_that_are_none_are_refused(found: object) -> None:
    system = takt.System(tasks=[takt.Task(name="A", period=5, wcet=1)], policy=Wrong(found), horizon=20)
    with pytest.raises(InputError, match=r'policy "wrong": expected '):
        takt.simulate(system)


def test_a_tick_that_is_none_is_refused() -> None:
    class Backwards(Edf):
        tick = -1

    system = takt.System(tasks=[takt.Task(name="A", period=5, wcet=1)], policy=Backwards(), horizon=20)
    with pytest.raises(InputError, match=r'"backwards": expected a whole number from 0 .* as its tick, found -1'):
        takt.simulate(system)


def test_a_policy_that_fails_ends_the_run_with_its_error() -> None:
    with pytest.raises(InputError, match=r'^policy "wrong": keys\(\) failed at 0: TypeError: ') as failed:
        takt.simulate(takt.System(tasks=[takt.Task(name="A", period=5, wcet=1)], policy=Wrong(None), horizon=20))
    assert isinstance(failed.value.__cause__, TypeError)


class Unbound(takt.Policy):
    """A policy whose author forgot `self`."""

    def release(job: takt.Job) -> int:  # type: ignore[override, misc] # noqa: N805
        return job.wcet


class Forgetful(takt.Policy):
    """A policy that fails at the end of a job."""

    def release(self, job: takt.Job) -> int:
        return job.wcet

    def complete(self, job: takt.Job, finish: int) -> None:
        raise KeyError(job.task)


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (
            Unbound(),
            r'^policy "unbound": release\(\) failed for "A"#0: TypeError: Unbound.release\(\) takes 1 positional',
        ),
        (Forgetful(), r"^policy \"forgetful\": complete\(\) failed for \"A\"#0: KeyError: 'A'$"),
    ],
)
def test_a_policy_with_fixed_keys_that_fails_does_so_too(policy: takt.Policy, message: str) -> None:
    with pytest.raises(InputError, match=message):
        takt.simulate(takt.System(tasks=[takt.Task(name="A", period=5, wcet=1)], policy=policy, horizon=20))


def test_a_protocol_with_ceilings_needs_a_policy_with_levels() -> None:
    tasks = [takt.Task(name="A", period=5, wcet=2, body=["lock R", "run 2", "unlock R"])]
    resources = [takt.Resource(name="R", protocol="icpp")]
    with pytest.raises(InputError, match=r'"R" protocol: found "icpp" under "forgetful"; it needs dm, edf'):
        takt.System(tasks=tasks, resources=resources, policy=Forgetful())


def test_servers_and_places_of_a_scheduler_are_refused() -> None:
    tasks = [takt.Task(name="A", period=5, wcet=1)]
    server = takt.Server(name="S", kind="polling", budget=1, period=5)
    message = '"edf" gives keys before each decision, found '
    with pytest.raises(InputError, match=f"^.system. policy: {message}servers; leave one of both out"):
        takt.System(tasks=tasks, servers=[server], policy=Edf(), horizon=20)
    inside = takt.Server(name="S", kind="polling", budget=1, period=5, policy=Edf())
    with pytest.raises(InputError, match=message):
        takt.System(tasks=tasks, servers=[inside], policy="fp", horizon=20)
    with pytest.raises(InputError, match=f"{message}model = "):
        takt.System(tasks=tasks, policy=Edf(), platform=takt.Platform(model="hardware"), horizon=20)
