# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Bounds with a remote scheduler: never below what its two sides do, with messages that take any time up to L."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from itertools import chain, cycle, repeat

import pytest
import takt
from analysis_oracle.remote import Behaviour, simulate
from hypothesis import given
from hypothesis import strategies as st
from places import EXAMPLES
from remote_systems import HORIZON, Drawn, draw_tasks, system_of
from sampling import expect_cases, tries
from takt import _analysis
from takt.analysis import TaskBound, Verdict
from takt.analysis.judge import judge
from takt.analysis.view import view_of
from takt.command.main import app
from typer.testing import CliRunner

SEEDS = st.integers(0, 2**32)
seen: Counter[object] = Counter()


def bounds_of(tasks: list[Drawn], policy: str, latency: int) -> list[TaskBound]:
    """The rows of all tasks."""
    return judge(view_of(system_of(tasks, policy), latency)).rows()


def worst_of(
    tasks: list[Drawn], policy: str, delay: Callable[[], int], how: Behaviour | None = None
) -> list[int | None]:
    """The longest response of each task."""
    sides = [task.of_oracle(policy, place) for place, task in enumerate(tasks)]
    return [max(responses, default=None) for responses in simulate(sides, delay, HORIZON, how)]


# ---- never below what is seen ----------------------------------------------------------------------------------


def draw_delay(generator: random.Random, latency: int) -> Callable[[], int]:
    """What messages take: always L, never anything, both in turn, or anything."""
    turns = generator.choice(
        [(latency,), (0,), (0, latency), (latency, latency, 0), (latency, max(latency - 1, 0)), (-1,), (-1,)]
    )
    values = cycle(turns)
    return lambda: generator.randint(0, latency) if turns == (-1,) else next(values)


@tries(400)
@given(SEEDS)
def check_sides(seed: int) -> None:
    generator = random.Random(seed)
    has_external, policy = generator.random() < 0.6, generator.choice(["fp", "rm", "dm", "edf"])
    tasks, latency = draw_tasks(generator, has_external=has_external), generator.choice([1, 2, 3, 5, 8])
    rows = bounds_of(tasks, policy, latency)
    for _ in range(3):
        how = Behaviour(asks_at_once=generator.random() < 0.5)
        for row, worst in zip(rows, worst_of(tasks, policy, draw_delay(generator, latency), how), strict=True):
            assert row.verdict is not Verdict.NOT_KNOWN, (tasks, policy, row)
            assert row.response is None or worst is None or worst <= row.response, (tasks, policy, latency, how, row)
            note(policy, has_external, row, worst)


def note(policy: str, has_external: bool, row: TaskBound, worst: int | None) -> None:
    """Count a verdict, and how far its bound is from what was seen."""
    kind = "edf" if policy == "edf" else "fixed"
    seen[kind, has_external, row.verdict] += 1
    if row.response is not None and worst is not None:
        seen[kind, has_external, "met"] += worst == row.response
        seen[kind, has_external, "near"] += 10 * worst >= 9 * row.response


def test_no_message_makes_a_response_longer_than_its_bound() -> None:
    seen.clear()
    check_sides()
    for kind in ("fixed", "edf"):
        for has_external in (False, True):
            expect_cases(seen[kind, has_external, Verdict.SCHEDULABLE] > 100, seen)
            expect_cases(seen[kind, has_external, Verdict.NOT_GUARANTEED] > 20, seen)
            expect_cases(seen[kind, has_external, "near"] > 10, seen)
        expect_cases(seen[kind, False, "met"] > 10, seen)


@tries(100)
@given(SEEDS)
def check_no_distance(seed: int) -> None:
    generator = random.Random(seed)
    tasks, policy = draw_tasks(generator, has_external=True), generator.choice(["fp", "rm", "dm", "edf"])
    system = system_of(tasks, policy)
    assert takt.analyse(system, remote=0) == takt.analyse(system)
    if any(task.jitter for task in tasks):  # which the simulator draws
        return
    jobs = takt.simulate(system, HORIZON, segments=False).jobs
    ended = jobs.drop_nulls("response").filter(jobs.drop_nulls("response")["finish"] < HORIZON)
    sides = [task.of_oracle(policy, place) for place, task in enumerate(tasks)]
    found = simulate(sides, repeat(0).__next__, HORIZON - 1)
    for place, responses in enumerate(found):
        assert ended.filter(ended["task"] == f"T{place}")["response"].to_list() == responses, (tasks, policy)
    seen[policy] += 1


def test_without_delays_the_sides_are_the_simulator_and_the_bounds_those_without_distance() -> None:
    seen.clear()
    check_no_distance()
    expect_cases(all(seen[policy] > 5 for policy in ("fp", "rm", "dm", "edf")), seen)


# ---- bounds that are reached -----------------------------------------------------------------------------------

L = 5
ALONE = Drawn((20,), 400, 400, ((50, 50),))
LATER = Drawn((7,), 400, 300, ((50 + 2 * L + 1, 50 + 2 * L + 1),))
"""Released right after the decision that the other one's release asked for."""
EVENT = Drawn((20,), 400, 400, ((50, 50),), is_external=True)
WHOLE = Drawn((30,), 600, 600, ((49 - 2 * L, 49 - 2 * L),), is_limited=True)
"""Decided right before the other one's release."""
POINTS = Drawn((4, 9, 3), 400, 400, ((50, 50),), is_limited=True)
MISSED = [L, L - 1]
"""Of an event and its fetch, which arrives a tick before it."""


@pytest.mark.parametrize(
    ("tasks", "policy", "delays", "place", "bound", "reached"),
    [
        ([ALONE], "fp", [], 0, 20 + 3 * L, 20 + 3 * L),
        ([ALONE], "edf", [], 0, 20 + 3 * L, 20 + 3 * L),
        ([LATER, ALONE], "fp", [], 1, 27 + 7 * L, 27 + 7 * L),
        ([LATER, ALONE], "edf", [], 1, 27 + 7 * L, 27 + 7 * L),
        ([LATER, ALONE], "fp", [], 0, 7 + 3 * L, 7 + L + 2 * L),
        ([ALONE, WHOLE], "fp", [], 0, 20 + 3 * L + 29, 20 + 3 * L + 29),
        ([ALONE, WHOLE], "edf", [], 0, 20 + 3 * L + 29, 20 + 3 * L + 29),
        ([POINTS], "fp", [], 0, 16 + 7 * L, 16 + 7 * L),
        # What an event costs, but for one tick.
        ([EVENT], "fp", MISSED, 0, 20 + 4 * L, 20 + 4 * L - 1),
        ([EVENT], "edf", MISSED, 0, 20 + 4 * L, 20 + 4 * L - 1),
    ],
)
def test_a_bound_is_reached_or_as_near_as_is_said(
    tasks: list[Drawn], policy: str, delays: list[int], place: int, bound: int, reached: int
) -> None:
    values = chain(delays, repeat(L))
    assert bounds_of(tasks, policy, L)[place].response == bound
    assert worst_of(tasks, policy, lambda: next(values), Behaviour(asks_at_once=True))[place] == reached


def test_events_of_less_urgent_tasks_count() -> None:
    alone, beside = (bounds_of(tasks, "dm", L)[0].response for tasks in ([ALONE], [ALONE, EVENT]))
    assert (alone, beside) == (20 + 3 * L, 20 + 3 * L + 4 * L)


def test_an_event_after_the_deadline_counts_for_nobody_who_is_late() -> None:
    late = [Drawn((20,), 50, 30, ((0, 0),), is_external=True), Drawn((20,), 60, 60, ((0, 0),))]
    rows = bounds_of(late, "edf", 3)
    assert [(row.verdict, row.response) for row in rows] == [(Verdict.NOT_GUARANTEED, None)] * 2
    assert rows[0].reason == "T0, others and messages of 3 µs may demand more than the processor"


# ---- verdicts of files -----------------------------------------------------------------------------------------


def smallest() -> takt.System:
    """An example."""
    return takt.load(EXAMPLES / "iot_node.toml")


def test_a_distance_is_told_in_every_form() -> None:
    runner, file = CliRunner(), str(EXAMPLES / "iot_node.toml")
    found = takt.analyse(smallest(), remote="1ms")
    told = json.loads(runner.invoke(app, ["analyse", file, "--remote", "1ms", "--json"]).output)["analyses"][0]
    assert found.remote == told["remote"] > 0
    assert [row.response for row in found.tasks] == [row["response"] for row in told["tasks"]]
    assert told["tasks"][0]["test"]["name"] == "response times at a distance"
    ticks = runner.invoke(app, ["analyse", file, "--remote", str(found.remote)])
    assert "messages of at most" in ticks.output
    near = json.loads(runner.invoke(app, ["analyse", file, "--json"]).output)["analyses"][0]
    assert "remote" not in near
    assert found.charts == ()
    assert found.tasks[0].growth is not None
    assert found.scaling is not None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("soon", 'expected a time such as "50us", found "soon"'),
        ("-1us", "expected 0 to"),
        ("1ns", "expected a multiple of the resolution"),
    ],
)
def test_a_wrong_distance_is_refused(text: str, message: str) -> None:
    file = str(EXAMPLES / "iot_node.toml")
    result = CliRunner().invoke(app, ["analyse", file, "--remote", text])
    assert result.exit_code == 2
    assert f"{file}: --remote: {message}" in result.output
    with pytest.raises(takt.InputError, match=message.replace("(", ".")):
        takt.analyse(smallest(), remote=text)


def test_a_distance_may_be_too_long_and_growth_says_by_how_much_a_job_may_be_longer() -> None:
    system = system_of([Drawn((20,), 60, 60, ((0, 0),))], "fp")
    fits, late = (takt.analyse(system, remote=latency) for latency in (13, 14))
    assert (fits.verdict, fits.tasks[0].response, fits.tasks[0].growth) == (Verdict.SCHEDULABLE, 59, 1)
    assert (late.verdict, late.tasks[0].response) == (Verdict.NOT_GUARANTEED, 62)
    assert late.reason == "T0 may miss by 2 µs: 62 µs > 60 µs, with messages of 14 µs"


def test_what_misses_without_distance_misses_with_it() -> None:
    tasks = [Drawn((30,), 50, 50, ((0, 0),)), Drawn((30,), 60, 60, ((0, 0),))]
    assert [row.verdict for row in bounds_of(tasks, "fp", 1)] == [Verdict.SCHEDULABLE, Verdict.NOT_SCHEDULABLE]


A, B = {"name": "A", "period": 50, "wcet": 5}, {"name": "B", "period": 60, "wcet": 6}
SERVER = takt.Server(name="S", period=20, budget=5, kind="deferrable")


@pytest.mark.parametrize(
    ("tasks", "more", "reason"),
    [
        ([A | {"server": "S"}], {"servers": [SERVER]}, "deferrable servers"),
        ([A | {"threshold": 9}, B | {"priority": 2}], {"policy": "fp"}, "preemption thresholds"),
        ([{"name": "A", "period": 50, "body": ["run 1", "suspend 2", "run 1"]}], {}, "do more than run"),
        (
            [{"name": "A", "period": 50, "body": ["run 1", "lock R", "run 2", "unlock R"]}, B],
            {"resources": [takt.Resource(name="R", protocol="pcp")]},
            "A do more than run",
        ),
        ([A | {"on_miss": "abort"}], {}, "aborted or skipped"),
        ([A], {"changes": [takt.Change(at=100, policy="edf")]}, "policy changes"),
        ([A], {"platform": takt.Platform(context_switch=1)}, "costs of the kernel"),
        ([A], {"platform": takt.Platform(model="hardware")}, "a scheduler in hardware"),
        ([A], {"policy": "llf"}, "no test of llf with a remote scheduler"),
        ([A], {"policy": "edf", "cpus": 2}, "several processors"),
    ],
)
def test_what_no_proof_covers_is_not_known(
    tasks: list[dict[str, object]], more: dict[str, object], reason: str
) -> None:
    made = [takt.Task(**task) for task in tasks]
    found = takt.analyse(takt.System(**({"tasks": made, "policy": "rm"} | more)), remote=1)
    assert found.verdict is Verdict.NOT_KNOWN
    assert reason in found.reason
    assert all(row.response is None for row in found.tasks)


def test_much_effort_many_tasks_and_long_times_are_not_known() -> None:
    tasks = [ALONE, LATER]
    for policy in ("fp", "edf"):
        assert judge(view_of(system_of(tasks, policy), L), 0).rows()[0].verdict is Verdict.NOT_KNOWN
        assert bounds_of(tasks, policy, _analysis.TIME_MAX // 4)[0].verdict is Verdict.NOT_KNOWN
    many = [Drawn((1,), 10_000, 10_000, ((0, 0),))] * 501
    assert "more than 500 tasks" in bounds_of(many, "edf", 1)[0].reason


def test_each_domain_of_a_machine_has_a_scheduler_of_its_own() -> None:
    machine = takt.load(EXAMPLES / "machine.toml")
    found = takt.analyse(machine, remote=1)
    apart = [takt.analyse(domain.system, remote=1) for domain in machine.domains]
    assert {row.task: row.response for row in found.tasks} == {
        row.task: row.response for each in apart for row in each.tasks
    }
