"""Tests of the reference of the general scheduling framework: golden schedules, rules, and the policies themselves.

The mappings are compared with direct simulators that know no framework (tests/framework_oracle/direct).
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest
from framework_oracle import AllocatorCost, Budget, Job, Outcome, System, Task, merge, simulate
from framework_oracle import periodic as by_period
from framework_oracle import servers as by_server
from framework_oracle import shares as by_share
from framework_oracle.allocator import Allocator, Desk
from framework_oracle.direct import bandwidth, fair, priority, servers
from framework_oracle.direct.priority import DeferrableServer, PeriodicTask
from framework_oracle.periodic import EFFECTIVE
from framework_oracle.virtual_time import SCALE, FluidClock
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

GOLDEN = Path(__file__).parent / "golden"
Work = tuple[tuple[int, ...], ...]
Segments = list[tuple[int, int, str]]
ENDLESS = 10_000
LONG = 60
random_sets = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)


def golden(name: str) -> Segments:
    """Read golden segments."""
    with (GOLDEN / f"{name}.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["task"] != "idle"]
    return [(int(row["start"]), int(row["end"]), row["task"]) for row in rows]


def by_task(outcome: Outcome) -> Segments:
    """Give segments, neighbours of one task merged."""
    return merge(outcome.by_task())


def by_job(outcome: Outcome) -> Segments:
    """Give segments, neighbours of one job merged."""
    return [(start, end, task) for start, end, (task, _) in merge(outcome.by_job())]


def released(period: int, demand: int, horizon: int = LONG, offset: int = 0) -> Work:
    """Make the work of a periodic task."""
    return tuple((instant, demand) for instant in range(offset, horizon, period))


def periodic(name: str, policy: str, period: int, demand: int) -> Task:
    """Make a task under rm, edf or llf."""
    makers = {"rm": by_period.rm, "edf": by_period.edf, "llf": by_period.llf}
    return Task(name, makers[policy](period, demand), released(period, demand))


def system_of(mapping: str, *tasks: Task) -> System:
    """Make a system with the effective priority of a mapping."""
    return System(tasks, EFFECTIVE[mapping])


# ---------------------------------------------------------------------------------------- golden schedules


def two_tasks(policy: str) -> System:
    """A (5, 2), B (7, 4)."""
    return system_of(policy, periodic("A", policy, 5, 2), periodic("B", policy, 7, 4))


def three_tasks(policy: str) -> System:
    """A (4, 1), B (5, 2), C (20, 4)."""
    tasks = (periodic("A", policy, 4, 1), periodic("B", policy, 5, 2), periodic("C", policy, 20, 4))
    return system_of(policy, *tasks)


def time_table(demand_of_b: int) -> System:
    """A table of 10 ticks: A 0-2, B 2-5, A 5-7, C 7-10."""
    return system_of(
        "time-driven",
        Task("A", by_period.TimeTable(((0, 2), (5, 7)), 10), released(5, 2)),
        Task("B", by_period.TimeTable(((2, 5),), 10), released(10, demand_of_b, offset=2)),
        Task("C", by_period.TimeTable(((7, 10),), 10), released(10, 3, offset=7)),
    )


def share_driven(demands: tuple[int, int, int] = (ENDLESS, ENDLESS, ENDLESS)) -> System:
    """Shares 1/2, 1/4, 1/4 with chunks 2, 2, 1."""
    chunks = (
        by_share.Chunks(Fraction(1, 2), 2),
        by_share.Chunks(Fraction(1, 4), 2),
        by_share.Chunks(Fraction(1, 4), 1),
    )
    return system_of("shares", *(Task(f"F{i + 1}", chunks[i], ((0, demands[i]),)) for i in range(3)))


SOFT_PRIORITY = 10


def dual_priority(demand_of_h1: int = 3, *, shares_budget: bool = True) -> System:
    """H1 (10, 3; R 3) and H2 (15, 4; R 7), soft work 6 at 1 and 8 at 16."""
    first = by_period.DualPriority(10, 3, low=20, high=1, response=3, shares_budget=shares_budget)
    second = by_period.DualPriority(15, 4, low=21, high=2, response=7, shares_budget=shares_budget)
    return system_of(
        "dual priority",
        Task("H1", first, released(10, demand_of_h1)),
        Task("H2", second, released(15, 4)),
        Task("S", by_period.Aperiodic(SOFT_PRIORITY), ((1, 6), (16, 8)), class_="soft"),
    )


def imprecise() -> System:
    """M1 2 and O1 3 every 6, M2 3 and O2 2 every 9."""
    return system_of(
        "imprecise",
        Task("M1", by_period.mandatory_part(0, 6, 2), released(6, 2)),
        Task("O1", by_period.optional_part(0, 6, 3), released(6, 3), aborts=True),
        Task("M2", by_period.mandatory_part(1, 9, 3), released(9, 3)),
        Task("O2", by_period.optional_part(1, 9, 2), released(9, 2), aborts=True),
    )


def constant_bandwidth_beside_h() -> System:
    """H (4, 2) beside a server Q 2, T 6."""
    server = Task("A", by_share.ConstantBandwidth(2, 6), ((2, 4), (12, 2), (13, 1)))
    return system_of("edf", periodic("H", "edf", 4, 2), server)


def constant_bandwidth_beside_a(*, is_hard: bool = False) -> System:
    """A (7, 4) beside a server Q 3, T 8."""
    server = Task("srv", by_share.ConstantBandwidth(3, 8, is_hard), ((3, 4), (13, 3)))
    return system_of("edf", periodic("A", "edf", 7, 4), server)


SERVED: Work = ((3, 1), (9, 2), (14, 1))


def total_bandwidth(allocator: type[by_share.TotalBandwidth]) -> System:
    """A (6, 3), B (8, 2) and a server of utilization 1/4."""
    server = Task("srv", allocator(Fraction(1, 4)), SERVED)
    return system_of("edf", periodic("A", "edf", 6, 3), periodic("B", "edf", 8, 2), server)


SHARES_OF_11 = {f"f{i:02}": Fraction(1, 2) if i == 1 else Fraction(1, 20) for i in range(1, 12)}


def eleven_flows(allocator: type[by_share.FairQueue]) -> System:
    """Flow 1 with share 1/2 and 11 packets, ten flows with share 1/20 and one packet."""
    clock = FluidClock(SHARES_OF_11)
    packets = {name: ((0, 1),) * (11 if name == "f01" else 1) for name in SHARES_OF_11}
    return system_of("shares", *(Task(name, allocator(clock, name), packets[name]) for name in SHARES_OF_11))


GOLDEN_SYSTEMS = [
    pytest.param("red_rm", three_tasks("rm"), 20, id="rm"),
    pytest.param("red_edf", three_tasks("edf"), 20, id="edf"),
    pytest.param("red_llf", three_tasks("llf"), 20, id="llf"),
    pytest.param("red_rm_57", two_tasks("rm"), 35, id="rm_57"),
    pytest.param("red_edf_57", two_tasks("edf"), 35, id="edf_57"),
    pytest.param("basic_edf_57", two_tasks("edf"), 35, id="basic_edf_57"),
    pytest.param("basic_llf_57", two_tasks("llf"), 35, id="basic_llf_57"),
    pytest.param("red_td", time_table(9), 20, id="time_driven"),
    pytest.param("red_sd", share_driven(), 24, id="share_driven"),
    pytest.param("red_dualprio", dual_priority(), 30, id="dual_priority"),
    pytest.param("red_imprecise", imprecise(), 18, id="imprecise"),
    pytest.param("red_cbs", constant_bandwidth_beside_h(), 30, id="cbs_beside_h"),
    pytest.param("srv_cbs", constant_bandwidth_beside_a(), 30, id="cbs"),
    pytest.param("srv_cus", total_bandwidth(by_share.ConstantUtilization), 24, id="cus"),
    pytest.param("srv_tbs", total_bandwidth(by_share.TotalBandwidth), 24, id="tbs"),
]


@pytest.mark.parametrize(("name", "system", "horizon"), GOLDEN_SYSTEMS)
def test_the_framework_gives_the_golden_schedule(name: str, system: System, horizon: int) -> None:
    assert by_task(simulate(system, horizon)) == golden(name)


def test_wfq_sends_ten_packets_of_the_first_flow_first() -> None:
    assert by_job(simulate(eleven_flows(by_share.FairQueue), 21)) == golden("sd_wfq")
