# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What sporadic servers use in any window of time, and what they do where many returns are pending.

The bounds of a strict server are those of docs/reference/servers.md: in n periods n + 1 budgets, in all no more than
its share and a budget. A server of the POSIX rule keeps neither.
"""

from __future__ import annotations

import random
from itertools import accumulate

import pytest
import takt
from oracle import Server, System, Task
from sampling import count, expect_cases
from server_systems import Draw, build_system
from test_random_systems import as_system, expected_of, outcome

HORIZON = 400
SAMPLE = 60
KINDS = ("sporadic", "sporadic-strict")


def used_by(system: takt.System, result: takt.Result, name: str) -> list[int]:
    """Return the ticks that a server has used up to each instant."""
    parents = {server.name: server.parent for server in system.servers}
    ticks = [0] * result.horizon
    for start, end, server, *_ in result.segments.select("start", "end", "server").rows():
        around = server
        while around and around != name:
            around = parents[around]
        ticks[start:end] = [int(around == name)] * (end - start)
    return [0, *accumulate(ticks)]


def most_in(used: list[int], length: int) -> int:
    """Return the most ticks that were used in a window of so many ticks."""
    return max(after - before for before, after in zip(used, used[length:], strict=False))


def check_windows(server: takt.Server, used: list[int]) -> None:
    """Every window of n periods has n + 1 budgets at most; from the offset on there is the share and a budget."""
    period, budget = int(server.period), int(server.budget)
    for windows in range(1, (len(used) - 1) // period):
        assert most_in(used, windows * period) <= (windows + 1) * budget
    for instant, ticks in enumerate(used):
        assert ticks <= (max(instant - int(server.offset), 0) // period + 1) * budget


@pytest.mark.parametrize(("policy", "depth"), [("fp", 1), ("fp", 2), ("edf", 1), ("edf", 2)])
def test_a_strict_server_uses_a_budget_more_than_its_share_at_most(policy: str, depth: int) -> None:
    used_up = 0
    for seed in range(count(SAMPLE)):
        draw = Draw(seed)
        system = build_system(draw, policy, draw.system(("sporadic-strict",), depth), span=300)
        result = takt.simulate(system, HORIZON)
        for server in (each for each in system.servers if each.kind == "sporadic-strict"):
            used = used_by(system, result, server.name)
            check_windows(server, used)
            used_up += most_in(used, int(server.period)) > int(server.budget)
    expect_cases(used_up > 0)


def crumbs(kind: str) -> takt.System:
    """Return a server of 4 ticks in 40, whose jobs of a tick come every 8; what is above it runs 36 of 55 ticks."""
    return takt.System(
        policy="fp",
        tasks=[
            takt.Task(name="above", period=55, wcet=36, offset=7, priority=3),
            takt.Task(name="crumb", period=8, wcet=1, offset=12, deadline=10**6, priority=1, server="S"),
        ],
        servers=[takt.Server(name="S", period=40, budget=4, kind=kind, priority=2)],
    )


def test_the_rule_of_posix_gives_more_than_the_share_for_ever_and_the_strict_one_does_not() -> None:
    horizon = 40 * 440
    share = {}
    for kind in KINDS:
        system = crumbs(kind)
        share[kind] = used_by(system, takt.simulate(system, horizon), "S")[-1] / horizon
    assert share["sporadic"] > 0.12
    assert share["sporadic-strict"] <= 0.1 + 4 / horizon


def many_parts(numbers: random.Random, kind: str) -> System:
    """Draw a server whose budget comes back in more parts than are kept apart, often while it waits."""
    budget = numbers.randint(40, 70)
    at, releases = 0, []
    while at < 500:
        releases.append((at, at))
        at += numbers.choice([2, 2, 2, 2, 3])
    return System(
        policy=numbers.choice(["fp", "edf"]),
        tasks=(
            Task("above", period=numbers.randint(60, 150), demand=numbers.randint(5, 20), offset=60, priority=3),
            Task("crumb", releases=tuple(releases), demand=1, deadline=1000, server="S"),
        ),
        servers=(Server("S", period=numbers.randint(90, 140), budget=budget, policy="fp", kind=kind, priority=2),),
    )


@pytest.mark.parametrize("kind", KINDS)
def test_returns_beyond_those_that_are_kept_apart_are_those_of_the_oracle(kind: str) -> None:
    numbers = random.Random(1)
    for _ in range(count(30)):
        system = many_parts(numbers, kind)
        assert outcome(takt.simulate(as_system(system), 600)) == expected_of(system, 600), system
