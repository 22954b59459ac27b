# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What `takt analyse` says does not depend on the ticks in which times are told.

Three statements, by what a system has. R is a bound on a response, with k times as many ticks in all times:

- Where all terms are sums of the times that are given: the verdict stays, and R(k) = k R(1).
- Where some terms are "less one tick" (a region or section that was entered a tick before, work that comes a tick after
  a poll): R(k) / k does not fall with finer ticks, and rises by less than a tick of 10 times as many. What is
  schedulable is so in coarser ticks. From 10 on verdicts stay.
- Where nothing but ticks bounds in how many parts the budget of a sporadic server returns, since its tasks may ask for
  more than its share: the same, but that verdicts may fall, too. A budget of 32 ticks has no more than 32 parts, which
  is what a server keeps apart; finer ticks admit more, and with them later returns.
- Where the platform rounds to ticks (deadlines of bandwidth servers, shares, distances of pinwheel scheduling, halves
  of periods) or counts events, no more is claimed than that both ways to write a system are the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import oracle
import pytest
import takt
from hypothesis import given
from hypothesis import strategies as st
from oracle.systems import EVERYTHING as ANYTHING
from oracle.systems import RESOURCES, SERVER_KINDS, chains, crowds, households, systems
from places import CASES
from sampling import expect_cases, tries
from scaled_systems import multiplied, refined
from takt._analysis import MAX_RETURNS
from takt.analysis import TaskBound, Verdict
from takt.analysis.judge import judge
from takt.analysis.servers import returns_of
from takt.analysis.view import ServerView, SystemView, TaskView, view_of
from test_analyse import own_systems
from test_random_systems import as_system

FACTORS = (1, 2, 10, 1000)
EVERYTHING = ANYTHING | SERVER_KINDS | RESOURCES
EFFORT = 3_000_000

ROUNDING_KINDS = ("cbs", "hard-cbs", "tbs", "cus")
SUMMING_POLICIES = ("fp", "rm", "dm", "edf", "llf", "imprecise", "rbe", "dual-priority")

Rows = list[TaskBound]


def rows_of(system: takt.System) -> Rows:
    return judge(view_of(system), EFFORT).rows()


def rounds(view: SystemView) -> bool:
    """True if something is rounded to ticks, or paid for each event."""
    resolved = view.resolved
    kinds = [server.kind for each in view.dispatchers for server in each.servers]
    is_summing = all(each.policy in SUMMING_POLICIES for each in view.dispatchers)
    has_halves = any(is_halved(server) for each in view.dispatchers for server in each.servers)
    is_ideal = resolved.costs.is_ideal and resolved.architecture is None
    return not is_summing or not is_ideal or has_halves or not set(kinds).isdisjoint(ROUNDING_KINDS)


def is_halved(server: ServerView) -> bool:
    """True if half of the period of a sporadic server is no whole number of ticks."""
    return server.kind == "sporadic" and server.period % 2 == 1


def misses_a_tick(view: SystemView) -> bool:
    """True if a term is less one tick."""
    dispatchers = view.dispatchers
    return any(server.kind == "polling" or server.protocol for each in dispatchers for server in each.servers) or any(
        is_entered(task) for each in dispatchers for task in each.tasks
    )


def is_entered(task: TaskView) -> bool:
    """True if a job blocks others, from a tick after its begin on."""
    return bool(task.barred > 1 or task.regions or task.threshold is not None or task.sections)


def check_same(found: Sequence[Rows], *, has_ties: bool) -> None:
    """All that is told is multiplied; in finer ticks a job may come a little earlier, so that deadlines do not tie."""
    for first, *others in zip(*found, strict=True):
        for factor, row in zip(FACTORS[1:], others, strict=True):
            is_refused_finely = first.verdict is Verdict.NOT_GUARANTEED and row.verdict is Verdict.NOT_SCHEDULABLE
            assert row.verdict is first.verdict or (has_ties and is_refused_finely), (factor, first, row)
            assert row.is_tight == first.is_tight or has_ties, (factor, first, row)
            assert row.response == (None if first.response is None else factor * first.response), (factor, first, row)


def splits(view: SystemView) -> bool:
    """True if a sporadic server may have more than 32 returns if it has so many ticks: of a view of fine ticks."""
    there = [server for each in view.dispatchers for server in each.servers if server.kind == "sporadic"]
    return any(returns_of(view, server) > MAX_RETURNS for server in there)


def check_ascending(found: Sequence[Rows]) -> None:
    """Bounds ascend, and from 10 on by less than a tick of 10."""
    check_falling(found)
    for rows in zip(*found, strict=True):
        fine, finer = rows[-2:]
        assert fine.verdict is finer.verdict, rows
        assert (fine.response is None) == (finer.response is None), rows
        if fine.response is not None and finer.response is not None:
            assert -(-fine.response // 10) == -(-finer.response // 1000), rows


def check_falling(found: Sequence[Rows]) -> None:
    """Finer ticks give no better bounds and verdicts."""
    for rows in zip(*found, strict=True):
        known = [row.response / factor for factor, row in zip(FACTORS, rows, strict=True) if row.response is not None]
        met = [row.verdict is Verdict.SCHEDULABLE for row in rows]
        assert known == sorted(known), rows
        assert met == sorted(met, reverse=True), rows


def check(system: takt.System) -> str:
    """Check the statement that a system is subject to, and name it."""
    view = view_of(system)
    found = [rows_of(multiplied(system, factor)) for factor in FACTORS]
    written = rows_of(refined(system, 10))
    assert [(row.verdict, row.response) for row in written] == [(row.verdict, row.response) for row in found[2]]
    if rounds(view):
        return "rounds"
    if splits(view_of(multiplied(system, 1000))):
        check_falling(found)
        return "falls"
    if misses_a_tick(view):
        check_ascending(found)
        return "ascends"
    check_same(found, has_ties=any(each.traits.is_deadline_driven for each in view.dispatchers))
    return "same"


FAMILIES: dict[str, tuple[st.SearchStrategy[Any], int, set[str]]] = {
    "plain": (systems(), 40, {"same", "ascends"}),
    "servers": (systems(features=SERVER_KINDS, always=SERVER_KINDS), 30, {"ascends", "rounds"}),
    "everything": (systems(features=EVERYTHING), 30, {"ascends", "rounds"}),
    "chains": (chains(kinds=True), 15, {"rounds"}),
    "crowds": (crowds(features=EVERYTHING), 15, {"ascends"}),
    "households": (households(), 15, {"ascends"}),
    "own policies": (own_systems(), 40, {"same", "rounds"}),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_verdicts_and_bounds_do_not_depend_on_the_resolution(family: str) -> None:
    strategy, sample, expected = FAMILIES[family]
    seen: Counter[str] = Counter()

    @tries(sample)
    @given(strategy)
    def compare(system: takt.System | oracle.System) -> None:
        seen[check(as_system(system) if isinstance(system, oracle.System) else system)] += 1

    compare()
    expect_cases(expected <= set(seen), seen)


@st.composite
def sporadic_servers(draw: st.DrawFn) -> takt.System:
    """Return a sporadic server of few or of many ticks, with tasks in it, above it and below."""
    period = draw(st.sampled_from([4, 6, 8, 10, 20, 40, 80]))
    budget = draw(st.integers(1, period))
    server = takt.Server(name="S", kind="sporadic", period=period, budget=budget, priority=2)
    tasks = []
    for number, home in enumerate(draw(st.lists(st.sampled_from(["S", "S", None]), min_size=1, max_size=4))):
        separation = draw(st.integers(2, 2 * period))
        wcet = draw(st.integers(1, max(1, separation // 3)))
        priority = draw(st.sampled_from([1, 3]))
        tasks.append(
            takt.Task(
                name=f"T{number}",
                period=separation,
                wcet=wcet,
                deadline=draw(st.integers(wcet, 3 * period)),
                jitter=draw(st.sampled_from([0, 0, 3])),
                priority=priority,
                server=home,
            )
        )
    return takt.System(tasks=tasks, servers=[server], policy="fp")


def test_sporadic_servers_do_not_depend_on_the_resolution() -> None:
    seen: Counter[str] = Counter()

    @tries(40)
    @given(sporadic_servers())
    def compare(system: takt.System) -> None:
        seen[check(system)] += 1

    compare()
    expect_cases({"same", "falls"} <= set(seen), seen)


@pytest.mark.parametrize("resolution", ["1ms", "100us", "10us", "1us"])
def test_a_sporadic_server_guarantees_the_same_in_all_ticks(resolution: str) -> None:
    system = takt.load(CASES / "sporadic-server.toml").replace(resolution=resolution)
    trans4 = takt.analyse(system).tasks[0]
    assert trans4.verdict is Verdict.SCHEDULABLE
    assert trans4.response is not None
    assert trans4.response * takt.analyse(system).resolution_ns <= 10_000_000
