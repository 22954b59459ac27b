# SPDX-License-Identifier: Apache-2.0 OR MIT
"""For how long a server holds what it shares: never longer, in simulations, than the analysis takes it to hold.

Responses hide this: a bound has slack elsewhere, so that a hold that is too short seldom breaks one. So the hold itself
is observed, from a lock to the unlock, in ticks that the tasks of the server execute.
"""

from __future__ import annotations

import random
from itertools import product

import pytest
import takt
from places import CASES
from sampling import count, expect_cases
from takt.analysis import Verdict
from takt.analysis.blocking import with_holding
from takt.analysis.view import ServerView, view_of
from takt.show import resource_use

UNSOUND = CASES / "unsound"
SAMPLE = 60
HORIZON = 400
ROOTS = ("fp", "rm", "dm", "edf")
PROTOCOLS = ("hsrp", "hsrp-payback", "sirap")


def draw_arrivals(numbers: random.Random, apart: int) -> list[int]:
    """Draw a stream of jobs that mostly come as soon as they may."""
    instants = [numbers.randint(0, 30)]
    while instants[-1] < HORIZON:
        instants.append(instants[-1] + apart + numbers.choice([0, 0, 0, 1, numbers.randint(0, apart)]))
    return instants


def draw_task(numbers: random.Random, name: str, server: str | None, apart: int, section: int = 0) -> takt.Task:
    wcet = section or numbers.randint(1, max(1, apart // 4))
    return takt.Task(
        name=name,
        server=server,
        min_separation=apart,
        arrivals=draw_arrivals(numbers, apart),
        wcet=wcet,
        deadline=numbers.choice([apart, 2 * apart, 4 * apart]),
        priority=numbers.randint(1, 9),
        body=["lock G", f"run {section}", "unlock G"] if section else None,
    )


def draw_system(seed: int, policy: str, protocol: str) -> takt.System | None:
    """Draw two servers that share G, with tasks that do not beside the users; None if X exceeds a budget."""
    numbers = random.Random(seed)
    servers, tasks = [], [draw_task(numbers, "root", None, numbers.choice([12, 20, 40]))]
    for name in ("S", "T"):
        period = numbers.choice([10, 16, 24, 40])
        servers.append(
            takt.Server(
                name=name,
                kind=numbers.choice(["idling", "polling", "deferrable", "sporadic"]),
                period=period,
                budget=numbers.randint(period // 4, period // 2),
                priority=numbers.randint(1, 9),
                policy=numbers.choice(["fp", "edf"]),
            )
        )
        tasks.append(draw_task(numbers, f"{name}-user", name, numbers.choice([40, 60]), numbers.randint(1, 4)))
        tasks.append(draw_task(numbers, f"{name}-other", name, numbers.choice([3, 5, 8, 20, 60])))
    try:
        resources = [takt.Resource(name="G", protocol=protocol)]
        return takt.System(tasks=tasks, servers=servers, resources=resources, policy=policy)
    except takt.InputError:
        return None


def observed(system: takt.System) -> dict[str, int]:
    """Return for each server how many ticks its tasks executed in the longest of its sections."""
    result = takt.simulate(system, HORIZON)
    homes = {task.name: task.server or "" for task in system.tasks}
    table = resource_use.sections(result)
    held = [row[1:] for row in table.select("waits", "task", "start", "end").drop_nulls().rows() if not row[0]]
    ran = [(homes.get(task), start, end) for task, start, end in result.segments.select("task", "start", "end").rows()]
    longest: dict[str, int] = {}
    for task, begin, until in held:
        inside = [max(0, min(until, end) - max(begin, start)) for home, start, end in ran if home == homes[task]]
        longest[homes[task]] = max(sum(inside), longest.get(homes[task], 0))
    return longest


def bounded(system: takt.System) -> dict[str, ServerView]:
    """Return the servers whose longest holding is known."""
    servers = with_holding(view_of(system)).dispatchers[0].servers
    return {each.name: each for each in servers if 0 < each.holding < each.period and not each.is_outgrown}


@pytest.mark.parametrize(("policy", "protocol"), list(product(ROOTS, PROTOCOLS)))
def test_no_server_holds_for_longer_than_is_counted(policy: str, protocol: str) -> None:
    seen = attained = 0
    for seed in range(count(SAMPLE)):
        system = draw_system(seed, policy, protocol)
        known = bounded(system) if system is not None else {}
        found = observed(system) if system is not None and known else {}
        for name in known.keys() & found.keys():
            assert found[name] <= known[name].holding, f"seed {seed}: {name} holds for {found[name]}, {known[name]}"
            seen += 1
            attained += found[name] == known[name].holding
    print(f"{policy} {protocol}: {seen} servers, {attained} attain what is counted")
    expect_cases(attained > seen // 4 > 0)


def test_jobs_that_come_while_others_execute_are_counted() -> None:
    """L holds for 2 ticks; H executes for 20 meanwhile, in which 5 jobs of M come, and 2 more before those are done."""
    for protocol in ("hsrp", "hsrp-payback"):
        system = takt.load(UNSOUND / f"hold_{protocol.split('-')[-1]}.toml")
        assert bounded(system)["S1"].holding == 2 + 8
        assert observed(system)["S1"] == 2 + 5


def test_a_budget_that_can_end_in_a_section_is_not_known() -> None:
    for name in ("hold_sirap", "sirap_budget_ends"):
        found = takt.analyse(takt.load(UNSOUND / f"{name}.toml"))
        assert {row.verdict for row in found.tasks} == {Verdict.NOT_KNOWN}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_in_a_parent_that_is_a_server_a_hold_with_other_jobs_has_no_bound(protocol: str) -> None:
    """The parent can be without budget for any part of the section, and the budget of S is its whole period."""
    user = ["lock G", "run 1", "unlock G"]
    system = takt.System(
        servers=[
            takt.Server(name="P", period=10, budget=8),
            takt.Server(name="S", period=20, budget=20, parent="P"),
            takt.Server(name="T", period=20, budget=2, parent="P"),
        ],
        tasks=[
            takt.Task(name="other", period=20, wcet=1, priority=2, server="S"),
            takt.Task(name="user", period=40, wcet=1, priority=1, server="S", body=user),
            takt.Task(name="second", period=40, wcet=1, server="T", body=user),
        ],
        resources=[takt.Resource(name="G", protocol=protocol)],
        policy="fp",
    )
    servers = {each.name: each for home in with_holding(view_of(system)).dispatchers for each in home.servers}
    assert servers["S"].holding > servers["S"].budget
    assert servers["T"].holding == 1
    assert all(row.verdict is not Verdict.SCHEDULABLE for row in takt.analyse(system).tasks)
