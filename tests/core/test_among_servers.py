# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Resources that servers share (SPEC.md, 9): golden schedules and numbers, directed cases, refusals.

Every directed case is asked of the oracle and of Takt; random systems are in test_random_systems.py.
"""

from __future__ import annotations

import csv
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import oracle
import pytest
import takt
from hypothesis import given
from hypothesis import strategies as st
from oracle.locks import longest_hold
from oracle.model import AMONG_KINDS
from oracle.systems import horizons, households
from places import GOLDEN
from takt.show import resource_use
from test_random_systems import as_system, expected_of, many, outcome
from trace_header import Header, having, refusal_of_header

PROTOCOLS = ("global-srp", "hsrp", "hsrp-payback", "sirap")


def two_servers(protocol: str) -> oracle.System:
    """The golden example: SA above SB, and B comes to its section when SB has 2 of the 3 ticks left that it takes."""
    return oracle.System(
        policy="fp",
        tasks=(
            oracle.Task("A", 20, offset=4, server="SA", body=("run 1", "lock G", "run 2", "unlock G", "run 1")),
            oracle.Task("B", 45, server="SB", body=("run 3", "lock G", "run 3", "unlock G", "run 5")),
        ),
        servers=(oracle.Server("SA", 10, 4, priority=2), oracle.Server("SB", 15, 5, priority=1)),
        resources=(oracle.Resource("G", protocol),),
    )


def marked_runs(outcome: oracle.Outcome) -> list[tuple[int, int, str]]:
    """Return the segments, with a star while the job held a resource."""
    runs = []
    for start, end, _, task, _ in outcome.segments:
        steps = [
            (row[0], 1 if row[4] == "lock" else -1) for row in outcome.locks if row[1] == task and row[4] != "wait"
        ]
        cuts = sorted({start, end, *(instant for instant, _ in steps if start < instant < end)})
        held = [sum(change for instant, change in steps if instant <= at) for at in cuts]
        runs += [(a, b, task + "*" * (depth > 0)) for (a, b), depth in zip(pairwise(cuts), held, strict=False)]
    return runs


@pytest.mark.parametrize(("name", "protocol"), [("none", "global-srp"), ("hsrp", "hsrp"), ("sirap", "sirap")])
def test_the_golden_schedules_come_out(name: str, protocol: str) -> None:
    with (GOLDEN / f"hsfsync_{name}.csv").open(newline="") as file:
        golden = [(int(row["start"]), int(row["end"]), row["task"]) for row in csv.DictReader(file)]
    assert marked_runs(oracle.simulate(two_servers(protocol), 60)) == golden


@pytest.mark.parametrize(
    ("protocol", "of_a", "of_b"), list(zip(PROTOCOLS, (16, 6, 6, 4), (31, 20, 31, 33), strict=True))
)
def test_the_first_jobs_take_as_long_as_the_literature_says(protocol: str, of_a: int, of_b: int) -> None:
    rows = oracle.simulate(two_servers(protocol), 60).jobs
    assert [row[4] for row in rows if row[1] == 0] in ([of_a, of_b], [of_b, of_a])


def run(system: oracle.System, horizon: int) -> oracle.Outcome:
    """Run Takt, which must say what the oracle says."""
    found = outcome(takt.simulate(as_system(system), horizon))
    assert found == expected_of(system, horizon)
    return found


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_takt_says_the_same(protocol: str) -> None:
    run(two_servers(protocol), 60)


# ------------------------------------------------------------------------------------------------------ properties


@many
@given(households(), horizons())
def test_servers_never_find_locked_what_they_share_and_there_is_no_deadlock(
    system: oracle.System, horizon: int
) -> None:
    found = outcome(takt.simulate(as_system(system), horizon))
    assert found.deadlocks == []
    waits = {row[3] for row in found.locks if row[4] == "wait"}
    assert waits <= {resource.name for resource in system.resources if resource.protocol == "sirap"}


@many
@given(households(protocols=("sirap", "hsrp", "hsrp-payback")), horizons())
def test_no_server_runs_longer_without_budget_than_a_section_can_take(system: oracle.System, horizon: int) -> None:
    among = [resource for resource in system.resources if resource.protocol != "srp"]
    result = takt.simulate(as_system(system), horizon)
    for place, server in enumerate(system.servers):
        inside = {task.name for task in system.tasks if task.server == server.name}
        used = [
            each for each in among if any(each.name in task.resources for task in system.tasks if task.name in inside)
        ]
        is_simple = sum(task.server == server.name for task in system.tasks) == 1
        if used and is_simple and not any(other.parent == server.name for other in system.servers):
            longest = max(longest_hold(each.name, system, server) for each in used)
            rows = outcome(result).budgets
            ticks = [
                t
                for s, e, _, task, _ in outcome(result).segments
                if task in inside
                for t in range(s, e)
                if rows[t][place] == 0
            ]
            allowed = 0 if used[0].protocol == "sirap" else longest
            periods = [sum(1 for t in ticks if (t - server.offset) // server.period == n) for n in range(horizon)]
            assert max(periods, default=0) <= allowed


PERIOD = 24
"""Of all servers below, so that a period of one is a period of all."""


@st.composite
def overloaded(draw: st.DrawFn, protocols: tuple[str, ...]) -> oracle.System:
    """Two servers that share, whose jobs take longer than they say once they hold nothing, and one that does not share.

    The budgets, and a section of each server that shares, fit into the period together.
    """
    protocol, policy = draw(st.sampled_from(protocols)), draw(st.sampled_from(["fp", "edf"]))
    tasks, servers = [oracle.Task("X", PERIOD, PERIOD, server="SX")], [oracle.Server("SX", PERIOD, 8)]
    for name in ("A", "B"):
        section = draw(st.integers(1, 3))
        body = (f"run {draw(st.integers(1, 6))}", "lock G", f"run {section}", "unlock G", "run 1")
        demand = tuple(draw(st.lists(st.integers(1, 3 * PERIOD), min_size=1, max_size=4)))
        period = draw(st.sampled_from([9, 12, 24, 35]))
        tasks.append(oracle.Task(name, period, demand, draw(st.integers(0, 9)), server=f"S{name}", body=body))
        servers.append(oracle.Server(f"S{name}", PERIOD, draw(st.integers(section, 5))))
    ranks = draw(st.permutations([1, 2, 3]))
    kinds = [draw(st.sampled_from(AMONG_KINDS)) for _ in servers]
    changed = (
        replace(server, priority=rank, kind=kind) for server, rank, kind in zip(servers, ranks, kinds, strict=True)
    )
    return oracle.System(policy, tuple(tasks), tuple(changed), resources=(oracle.Resource("G", protocol),))


def received_by_x(system: oracle.System) -> set[int]:
    """Return how much X, which always has work, received in a period of its server."""
    segments = outcome(takt.simulate(as_system(system), 10 * PERIOD)).segments
    ticks = [tick // PERIOD for start, end, _, task, _ in segments if task == "X" for tick in range(start, end)]
    return {ticks.count(number) for number in range(10)}


@many
@given(overloaded(("hsrp", "hsrp-payback", "sirap")))
def test_servers_whose_jobs_overrun_take_nothing_from_one_that_does_not_share(system: oracle.System) -> None:
    assert received_by_x(system) == {8}


def test_under_global_srp_one_that_is_depleted_in_its_section_does() -> None:
    tasks = (
        oracle.Task("X", PERIOD, PERIOD, server="SX"),
        oracle.Task("A", PERIOD, server="SA", body=("run 2", "lock G", "run 2", "unlock G")),
        oracle.Task("B", 240, offset=200, server="SB", body=("lock G", "run 1", "unlock G")),
    )
    servers = (
        oracle.Server("SX", PERIOD, 8, priority=1),
        oracle.Server("SA", PERIOD, 3, priority=2),
        oracle.Server("SB", PERIOD, 2, priority=3),
    )
    system = oracle.System("fp", tasks, servers, resources=(oracle.Resource("G", "global-srp"),))
    assert min(received_by_x(system)) < 8
    assert received_by_x(replace(system, resources=(oracle.Resource("G", "hsrp"),))) == {8}


# ------------------------------------------------------------------------------------------- what is shown of them


def test_sections_are_told_as_those_of_other_resources() -> None:
    rows = resource_use.sections(takt.simulate(as_system(two_servers("sirap")), 40)).select(
        "task", "start", "end", "waits"
    )
    assert rows.rows() == [("B", 3, 15, True), ("A", 5, 7, False), ("B", 15, 18, False), ("A", 25, 27, False)]


@pytest.mark.parametrize(
    ("place", "key", "value"),
    [
        (1, "among", 2**64 - 1),
        (1, "among", 3),
        (1, "among", 1),
        (2, "longest", 6),
        (2, "longest", 0),
        (2, "home", 1),
        (0, "home", 1),
        (0, "protocol", "hsrp"),
        (0, "ceiling", 0),
    ],
)
def test_a_damaged_header_of_what_servers_share_is_refused(
    tmp_path: Path, place: int, key: str, value: int | str
) -> None:
    refusal_of_header(tmp_path / "T.takt", as_system(two_servers("sirap")), having(value, "RESOURCES", place, key))


def test_new_parameters_of_who_shares_are_refused_in_a_damaged_header(tmp_path: Path) -> None:
    other = oracle.Task("Z", 30, 1)
    system = two_servers("sirap")
    changed = replace(system, tasks=(*system.tasks, other), changes=(oracle.Change(9, task="Z", wcet=2),))

    def change(header: Header) -> None:
        header.set("CHANGES", 0, "task", 0)
        header.set("CHANGES", 0, "level", 1)

    message = refusal_of_header(tmp_path / "T.takt", as_system(changed), change)
    assert message == "sections among servers depend on the parameters"
