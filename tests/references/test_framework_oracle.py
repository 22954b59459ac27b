# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests of the reference of the general scheduling framework: golden schedules, rules, and the policies themselves.

The mappings are compared with simulators that know no framework: the oracle, and fair queueing in fractions.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import cycle, pairwise

import fraction_queueing as fair
import oracle
import pytest
from framework_oracle import AllocatorCost, Budget, Job, Outcome, System, Task, merge, simulate
from framework_oracle import periodic as by_period
from framework_oracle import servers as by_server
from framework_oracle import shares as by_share
from framework_oracle.allocator import Allocator, AllocatorView
from framework_oracle.periodic import EFFECTIVE
from framework_oracle.virtual_time import SCALE, FluidClock
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from oracle.model import IDLE
from places import GOLDEN
from sampling import tries

Work = tuple[tuple[int, ...], ...]
Segments = list[tuple[int, int, str]]
Ticks = list[str | None]
Arrivals = tuple[tuple[int, int], ...]
Server = oracle.Server
ENDLESS = 10_000
LONG = 60
random_sets = settings(tries(100), suppress_health_check=list(HealthCheck))
TOP = 1000
"""The oracle's priority of rank 0: there the larger one is the more urgent."""


@dataclass(frozen=True)
class PeriodicTask:
    """A periodic task, of which the smaller rank is the more urgent."""

    name: str
    period: int
    wcet: int
    deadline: int | None = None
    rank: int = 0
    offset: int = 0
    demands: tuple[int, ...] | None = None
    subjobs: tuple[int, ...] | None = None
    server: str | None = None

    @property
    def relative_deadline(self) -> int:
        """The deadline counted from the release."""
        return self.period if self.deadline is None else self.deadline

    def for_oracle(self) -> oracle.Task:
        """Return the same task in the oracle's words."""
        given = {key: value for key, value in vars(self).items() if key not in ("rank", "demands")}
        return oracle.Task(**given, demand=self.demands, priority=TOP - self.rank)


Sets = tuple[PeriodicTask, ...]
Shared = tuple[Sets, int, int]


def directly(
    tasks: Sets, policy: str, horizon: int = LONG, servers: Sequence[Server] = (), work: Arrivals = ()
) -> tuple[Ticks, bool]:
    """Return the oracle's task of each tick, and whether a periodic deadline is missed; the last server has `work`."""
    jobs = [
        oracle.Task(
            f"{number}", releases=((instant, instant),), demand=demand, deadline=horizon, server=servers[-1].name
        )
        for number, (instant, demand) in enumerate(work)
    ]
    system = oracle.System(policy, (*(task.for_oracle() for task in tasks), *jobs), tuple(servers))
    outcome = oracle.simulate(system, horizon)
    ticks: Ticks = [None] * horizon
    for start, end, server, task, _ in outcome.segments:
        ticks[start:end] = [server if task in {job.name for job in jobs} else task] * (end - start)
    return ticks, any(outcome.misses[task.name] for task in tasks)


def golden(name: str) -> Segments:
    """Read golden segments."""
    with (GOLDEN / f"{name}.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["task"] != "idle"]
    return [(int(row["start"]), int(row["end"]), row["task"]) for row in rows]


def by_task(outcome: Outcome) -> Segments:
    """Return segments, neighbours of one task merged."""
    return merge(outcome.by_task())


def by_job(outcome: Outcome) -> Segments:
    """Return segments, neighbours of one job merged."""
    return [(start, end, task) for start, end, (task, _) in merge(outcome.by_job())]


def released(period: int, demand: int, horizon: int = LONG, offset: int = 0) -> Work:
    """Return the work of a periodic task."""
    return tuple((instant, demand) for instant in range(offset, horizon, period))


def periodic(name: str, policy: str, period: int, demand: int) -> Task:
    """Return a task under rm, edf or llf."""
    maker = {"rm": by_period.rm(period, demand), "edf": by_period.edf(period, demand)}
    return Task(name, maker.get(policy, by_period.llf(period, demand)), released(period, demand))


def system_of(mapping: str, *tasks: Task) -> System:
    """Return a system with the effective priority of a mapping."""
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


HSF_SERVERS = (Server("S1", 20, 10, TOP - 1), Server("S2", 40, 15, TOP - 2))


def hsf_tasks(demand_of_t2: int) -> tuple[PeriodicTask, ...]:
    """Table II of the paper on hierarchical scheduling."""
    return (
        PeriodicTask("T1", 20, 4, rank=2, server="S1"),
        PeriodicTask("T2", 15, demand_of_t2, rank=1, server="S1"),
        PeriodicTask("T3", 60, 10, rank=1, server="S2"),
    )


@pytest.mark.parametrize(("number", "demand_of_t2"), [(1, 2), (2, 6)])
def test_servers_give_the_golden_schedule_in_the_framework(number: int, demand_of_t2: int) -> None:
    expected = golden(f"hsf_test{number}_deferrable")
    assert by_task(simulate(hierarchical(HSF_SERVERS, hsf_tasks(demand_of_t2), 120), 120)) == expected


def eleven_direct_flows() -> tuple[fair.Flow, ...]:
    """The flows of eleven_flows."""
    packets = {name: ((0, 1),) * (11 if name == "f01" else 1) for name in SHARES_OF_11}
    return tuple(fair.Flow(name, share, packets[name]) for name, share in SHARES_OF_11.items())


def test_direct_wfq_gives_the_golden_schedule() -> None:
    ticks = fair.simulate(eleven_direct_flows(), 21, is_wf2q=False)
    assert [(start, end, flow) for start, end, (flow, _) in merge(ticks)] == golden("sd_wfq")


def test_wf2q_alternates() -> None:
    """The first flow has every second packet, and never gets ahead of its share."""
    expected = ["f01", "f02", "f01", "f03", "f01", "f04", "f01", "f05", "f01", "f06", "f01"]
    ticks = simulate(eleven_flows(by_share.WorstCaseFairQueue), 21).by_task()
    assert ticks[:11] == expected
    assert ticks[1::2] == [f"f{i:02}" for i in range(2, 12)]
    assert ticks[::2] == ["f01"] * 11


# ------------------------------------------------------------------------- the framework equals the policies


@st.composite
def task_sets(draw: st.DrawFn, *, most_load: Fraction = Fraction(1), short_deadlines: bool = False) -> Sets:
    """Return 1 to 4 periodic tasks with unique priorities in random order, not above a load."""
    count = draw(st.integers(1, 4))
    priorities = draw(st.permutations(range(1, count + 1)))
    tasks = tuple(draw(_task(i, priorities[i], short_deadlines)) for i in range(count))
    assume(sum(Fraction(task.wcet, task.period) for task in tasks) <= most_load)
    return tasks


@st.composite
def _task(draw: st.DrawFn, place: int, rank: int, short_deadlines: bool) -> PeriodicTask:
    """Return one task; demands are at most the estimate."""
    period = draw(st.sampled_from([3, 4, 5, 6, 7, 8, 10, 12, 15, 20]))
    wcet = draw(st.integers(1, max(1, period // 2)))
    demands = tuple(draw(st.lists(st.integers(1, wcet), min_size=1, max_size=3)))
    deadline = draw(st.integers(wcet, period)) if short_deadlines else None
    offset = draw(st.sampled_from([0, 0, 1, 3]))
    return PeriodicTask(f"T{place}", period, wcet, deadline, rank, offset, demands)


def work_of(task: PeriodicTask, horizon: int = LONG) -> Work:
    """Return the work of the jobs of a periodic task."""
    instants = range(task.offset, horizon, task.period)
    demands = cycle(task.demands or (task.wcet,))
    return tuple((instant, demand, task.wcet) for instant, demand in zip(instants, demands, strict=False))


def allocator_for(policy: str, task: PeriodicTask, bulk: int, on_finish: str = "end") -> Allocator:
    """Return the allocator of a task by the table of mappings."""
    by = by_period
    deadline = task.relative_deadline
    priorities = {"rm": task.period, "dm": deadline, "fp": task.rank}
    finish = {"dm": deadline, "llf": deadline}.get(policy)
    key = priorities.get(policy, 0)
    return by.Periodic(task.period, task.wcet, key, finish, task.offset, on_finish, bulk=bulk)


def framework_of(policy: str, tasks: Sets, bulk: int = 1, on_finish: str = "end") -> System:
    """Return the system of a policy."""
    mapped = (Task(task.name, allocator_for(policy, task, bulk, on_finish), work_of(task)) for task in tasks)
    return system_of(policy, *mapped)


def test_the_mapping_functions_fill_the_attributes_of_the_table() -> None:
    made = [
        by_period.rm(7, 2, offset=1),
        by_period.dm(7, 2, 5, offset=1),
        by_period.fp(3, 7, 2, offset=1),
        by_period.edf(7, 2, offset=1),
        by_period.llf(7, 2, 5, offset=1),
        by_period.rate_based(7, 2, 5, offset=1),
    ]
    jobs = [allocator.jobs_of(1)[0] for allocator in made]
    assert [job.priority for job in jobs] == [7, 5, 3, 0, 0, 0]
    assert [job.start for job in jobs] == [8] * 6
    assert [job.finish for job in jobs] == [15, 13, 15, 15, 13, 13]
    assert [job.budget.left for job in jobs] == [2] * 6
    assert [job.on_finish for job in jobs] == ["end"] * 5 + ["keep"]


@pytest.mark.parametrize("policy", ["rm", "dm", "fp", "edf", "llf"])
@random_sets
@given(tasks=task_sets(), bulk=st.sampled_from([1, 3]))
def test_a_priority_driven_mapping_equals_the_policy_if_nothing_is_late(policy: str, tasks: Sets, bulk: int) -> None:
    ticks, is_late = directly(tasks, policy)
    assume(not is_late)
    assert simulate(framework_of(policy, tasks, bulk), LONG).by_task() == ticks


@pytest.mark.parametrize("policy", ["edf", "llf"])
@random_sets
@given(tasks=task_sets())
def test_dynamic_priorities_meet_all_deadlines_up_to_full_load(policy: str, tasks: Sets) -> None:
    assert not directly(tasks, policy)[1]


@pytest.mark.parametrize("policy", ["rm", "edf", "fp"])
@random_sets
@given(tasks=task_sets(most_load=Fraction(3, 2)), bulk=st.sampled_from([1, 3]))
def test_with_finish_kept_the_mapping_equals_the_policy_in_overload_too(policy: str, tasks: Sets, bulk: int) -> None:
    outcome = simulate(framework_of(policy, tasks, bulk, "keep"), LONG)
    assert outcome.by_task() == directly(tasks, policy)[0]


@pytest.mark.parametrize("policy", ["dm", "llf"])
@random_sets
@given(tasks=task_sets(short_deadlines=True))
def test_deadlines_before_the_end_of_the_period(policy: str, tasks: Sets) -> None:
    ticks, is_late = directly(tasks, policy)
    assume(not is_late)
    assert simulate(framework_of(policy, tasks), LONG).by_task() == ticks


@st.composite
def sets_of_subjobs(draw: st.DrawFn) -> Sets:
    """Return tasks whose jobs are one or more subjobs and take all their estimate."""
    return tuple(replace(task, demands=None, subjobs=draw(_cuts(task.wcet))) for task in draw(task_sets()))


@st.composite
def _cuts(draw: st.DrawFn, ticks: int) -> tuple[int, ...]:
    """Cut some ticks into pieces."""
    bounds = sorted(draw(st.sets(st.integers(1, ticks)))) if ticks > 1 else []
    edges = [0, *(bound for bound in bounds if bound < ticks), ticks]
    return tuple(end - start for start, end in pairwise(edges))


@random_sets
@given(tasks=sets_of_subjobs(), bulk=st.sampled_from([1, 3]), on_finish=st.sampled_from(["end", "keep"]))
def test_one_job_per_subjob_equals_deferred_preemption(tasks: Sets, bulk: int, on_finish: str) -> None:
    ticks, is_late = directly(tasks, "fp")
    assume(on_finish == "keep" or not is_late)
    mapped = (by_period.Subjobs(t.rank, t.period, t.subjobs or (), t.offset, on_finish, bulk=bulk) for t in tasks)
    system = system_of("subjobs", *(Task(t.name, a, work_of(t)) for t, a in zip(tasks, mapped, strict=True)))
    assert simulate(system, LONG).by_task() == ticks


@st.composite
def server_sets(draw: st.DrawFn) -> tuple[Server, ...]:
    """Return 1 to 3 deferrable servers with unique priorities."""
    count = draw(st.integers(1, 3))
    ranks = draw(st.permutations(range(count)))
    periods = [draw(st.sampled_from([4, 5, 6, 8, 10])) for _ in ranks]
    offsets = [draw(st.sampled_from([0, 0, 2])) for _ in ranks]
    return tuple(
        Server(f"S{i}", periods[i], draw(st.integers(1, periods[i])), TOP - ranks[i], offset=offsets[i])
        for i in range(count)
    )


def hierarchical(servers: tuple[Server, ...], tasks: Sets, horizon: int = LONG) -> System:
    """Return the framework's form of tasks in deferrable servers."""
    records = {server.name: Budget(0) for server in servers}
    ranks = {server.name: TOP - server.priority for server in servers}
    refills = [Task(s.name, by_period.ServerRefill(records[s.name], s.period, s.budget, s.offset)) for s in servers]
    inside = [
        by_period.InServer(ranks[str(t.server)], t.rank, t.period, records[str(t.server)], t.offset) for t in tasks
    ]
    mapped = [Task(t.name, a, work_of(t, horizon)) for t, a in zip(tasks, inside, strict=True)]
    return system_of("hierarchical", *refills, *mapped)


@random_sets
@given(servers=server_sets(), tasks=task_sets(), places=st.lists(st.integers(0, 2), min_size=4, max_size=4))
def test_budget_groups_on_hold_equal_deferrable_servers(
    servers: tuple[Server, ...], tasks: Sets, places: list[int]
) -> None:
    homes = [servers[place % len(servers)].name for place in places]
    inside = tuple(replace(task, server=home) for task, home in zip(tasks, homes, strict=False))
    assert simulate(hierarchical(servers, inside), LONG).by_task() == directly(inside, "fp", servers=servers)[0]


# ----------------------------------------------------------------------------------- share-driven mappings


@st.composite
def arrivals(draw: st.DrawFn, most: int = 6) -> tuple[tuple[int, int], ...]:
    """Return (instant, demand), instants ascending, several at one instant allowed."""
    instants = sorted(draw(st.lists(st.integers(0, LONG - 10), max_size=10)))
    return tuple((instant, draw(st.integers(1, most))) for instant in instants)


@st.composite
def shared_processors(draw: st.DrawFn) -> tuple[Sets, int, int]:
    """Return periodic tasks and a server (Q, T) that together do not load the processor above 1."""
    period = draw(st.integers(2, 12))
    capacity = draw(st.integers(1, period))
    room = 1 - Fraction(capacity, period)
    tasks = tuple(replace(task, demands=None, offset=0) for task in draw(task_sets()))
    kept = [tasks[:n] for n in range(len(tasks) + 1) if load_of(tasks[:n]) <= room]
    return kept[-1], capacity, period


def load_of(tasks: Sets) -> Fraction:
    """Sum the loads."""
    return sum((Fraction(task.wcet, task.period) for task in tasks), Fraction(0))


def beside(tasks: Sets, allocator: Allocator, work: Work, on_finish: str = "end") -> System:
    """Return a system of periodic tasks under EDF and a server: behind them, but for one of constant bandwidth."""
    makers = [by_period.edf(task.period, task.wcet, on_finish=on_finish) for task in tasks]
    mapped = [Task(task.name, maker, work_of(task)) for task, maker in zip(tasks, makers, strict=True)]
    place = 0 if isinstance(allocator, by_share.ConstantBandwidth) else len(mapped)
    return system_of("edf", *mapped[:place], Task("srv", allocator, work), *mapped[place:])


MAPPINGS: dict[str, Callable[[int, int], Allocator]] = {
    "cbs": by_share.ConstantBandwidth,
    "hard-cbs": partial(by_share.ConstantBandwidth, is_hard=True),
    "tbs": lambda capacity, period: by_share.TotalBandwidth(Fraction(capacity, period)),
    "cus": lambda capacity, period: by_share.ConstantUtilization(Fraction(capacity, period)),
}


@pytest.mark.parametrize("kind", MAPPINGS)
@random_sets
@given(shared=shared_processors(), work=arrivals())
def test_share_servers_equal_the_direct_ones_and_isolate(kind: str, shared: Shared, work: Arrivals) -> None:
    tasks, capacity, period = shared
    ticks, is_late = directly(tasks, "edf", LONG, [Server("srv", period, capacity, kind=kind)], work)
    outcome = simulate(beside(tasks, MAPPINGS[kind](capacity, period), work), LONG)
    assert outcome.by_task() == ticks
    assert not is_late
    assert all(set(outcome.reasons(task.name)) <= {"complete"} for task in tasks)


@pytest.mark.parametrize("mapping", [by_share.TotalBandwidth, by_share.ConstantUtilization])
@random_sets
@given(shared=shared_processors(), work=arrivals(), overrun=st.integers(1, 9))
def test_tbs_and_cus_isolate_an_overrun(
    mapping: type[by_share.TotalBandwidth], shared: Shared, work: Arrivals, overrun: int
) -> None:
    """The budget ends the job; what is left is done in the next one."""
    tasks, capacity, period = shared
    longer = tuple((instant, estimate + overrun, estimate) for instant, estimate in work)
    outcome = simulate(beside(tasks, mapping(Fraction(capacity, period)), longer), LONG)
    assert all(set(outcome.reasons(task.name)) <= {"complete"} for task in tasks)
    assert set(outcome.reasons("srv")) <= {"budget"}


@pytest.mark.parametrize("kind", ["tbs", "cbs", "hard-cbs"])
@random_sets
@given(tasks=task_sets(most_load=Fraction(3, 2)), work=arrivals(), period=st.integers(2, 12), data=st.data())
def test_share_servers_equal_the_direct_ones_in_overload(
    kind: str, tasks: Sets, work: Arrivals, period: int, data: st.DataObject
) -> None:
    capacity = data.draw(st.integers(1, period))
    tasks = tuple(replace(task, demands=None, offset=0) for task in tasks)
    ticks, _ = directly(tasks, "edf", LONG, [Server("srv", period, capacity, kind=kind)], work)
    assert simulate(beside(tasks, MAPPINGS[kind](capacity, period), work, "keep"), LONG).by_task() == ticks


@pytest.mark.parametrize(
    ("mapping", "expected"),
    [
        (by_share.ConstantUtilization, [(0, 4, "A"), (4, 6, "srv"), (6, 8, "A")]),
        (by_share.TotalBandwidth, [(0, 4, "A"), (4, 8, "srv")]),
    ],
)
def test_the_finish_of_cus_is_a_timer_and_that_of_tbs_is_not(
    mapping: type[by_share.TotalBandwidth], expected: Segments
) -> None:
    system = beside((PeriodicTask("A", 4, 4),), mapping(Fraction(2, 3)), ((0, 4),))
    assert by_task(simulate(system, 8)) == expected


@st.composite
def flow_sets(draw: st.DrawFn) -> tuple[fair.Flow, ...]:
    """Return 1 to 5 flows whose shares sum up to at most 1."""
    weights = draw(st.lists(st.integers(1, 7), min_size=1, max_size=5))
    spare = draw(st.integers(0, 3))
    total = sum(weights) + spare
    return tuple(fair.Flow(f"f{i}", Fraction(w, total), draw(arrivals(4))) for i, w in enumerate(weights))


@pytest.mark.parametrize("is_wf2q", [False, True])
@random_sets
@given(flows=flow_sets())
def test_fair_queueing_equals_the_direct_one(is_wf2q: bool, flows: tuple[fair.Flow, ...]) -> None:
    clock = FluidClock({flow.name: flow.share for flow in flows})
    mapping = by_share.WorstCaseFairQueue if is_wf2q else by_share.FairQueue
    system = system_of("shares", *(Task(flow.name, mapping(clock, flow.name), flow.packets) for flow in flows))
    assert simulate(system, LONG).by_job() == fair.simulate(flows, LONG, is_wf2q=is_wf2q)


def test_virtual_time_goes_faster_when_fewer_flows_are_backlogged() -> None:
    clock = FluidClock({"a": Fraction(1, 2), "b": Fraction(1, 4)})
    assert clock.tag("a", 1, 0) == (0, 2 * SCALE)
    clock.advance(1)
    assert clock.value == 2 * SCALE
    assert clock.tag("b", 1, 1) == (2 * SCALE, 6 * SCALE)
    clock.advance(9)
    assert clock.value == 6 * SCALE


def test_tags_are_rounded_down() -> None:
    """SCALE is no multiple of 17: virtual time after a tick of share 17/19, and a packet of share 2/19."""
    clock = FluidClock({"a": Fraction(17, 19), "b": Fraction(2, 19)})
    clock.tag("a", 2, 0)
    start, finish = clock.tag("b", 1, 1)
    assert start == SCALE * 19 // 17
    assert finish == start + SCALE * 19 // 2


# --------------------------------------------------------------------------------- fixed-priority servers

SERVER_MAPPINGS = {"polling": by_server.polling, "deferrable": by_server.deferrable, "idling": by_server.idling}


@pytest.mark.parametrize("kind", ["polling", "deferrable", "idling", "sporadic"])
@random_sets
@given(
    tasks=task_sets(),
    rank=st.integers(0, 5),
    period=st.integers(2, 10),
    work=arrivals(),
    data=st.data(),
)
def test_servers_equal_the_direct_ones(
    kind: str, tasks: Sets, rank: int, period: int, work: Arrivals, data: st.DataObject
) -> None:
    capacity = data.draw(st.integers(1, period))
    tasks = tuple(replace(task, rank=2 * task.rank, demands=None, offset=0) for task in tasks)
    server = Server("srv", period, capacity, TOP - (2 * rank + 1), kind=kind)
    expected, _ = directly(tasks, "fp", LONG, [server], work)
    ends = {now for now in range(1, LONG) if expected[now - 1] == "srv"}
    assume(kind != "polling" or ends.isdisjoint(instant for instant, _ in work))  # the oracle keeps the budget then
    mapped = [
        Task(t.name, by_period.fp(t.rank, t.period, t.wcet, on_finish="keep"), released(t.period, t.wcet))
        for t in tasks
    ]
    mapping = SERVER_MAPPINGS.get(kind, by_server.Sporadic)(2 * rank + 1, period, capacity)
    outcome = simulate(system_of("servers", *mapped, Task("srv", mapping, work)), LONG)
    burned = [tick is not None and tick.unit < 0 for tick in outcome.ticks]
    assert outcome.by_task() == [None if who == IDLE else who for who in expected]
    assert burned == [who == IDLE for who in expected]


def test_a_budget_that_ends_with_the_work_is_no_exhaustion() -> None:
    server = Task("srv", by_server.deferrable(1, 6, 2), ((1, 2), (7, 3)))
    assert simulate(system_of("servers", server), 14).reasons("srv") == ["finish", "budget"]


def test_a_polling_server_loses_its_budget_where_a_deferrable_one_keeps_it() -> None:
    for mapping, first, second in ((by_server.polling, 2, 6), (by_server.polling, 1, 6), (by_server.deferrable, 1, 2)):
        system = system_of("servers", Task("srv", mapping(1, 6, 3), ((0, first), (2, 1))))
        assert by_task(simulate(system, 12)) == [(0, first, "srv"), (second, second + 1, "srv")]


def test_a_sporadic_server_gets_back_what_an_interval_consumed_one_period_after_its_begin() -> None:
    system = system_of("servers", Task("srv", by_server.Sporadic(1, 6, 3), ((1, 1), (3, 4))))
    assert by_task(simulate(system, 20)) == [(1, 2, "srv"), (3, 5, "srv"), (7, 8, "srv"), (9, 10, "srv")]


# --------------------------------------------------------------------------------------- rate-based scheduling


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("rb_table1_nominal", ((2, 10), (3, 15), (3, 20), (5, 50), (28, 80))),
        ("rb_table2_overload", ((3, 10), (6, 15), (3, 25), (5, 63), (8, 80))),
    ],
)
def test_the_plain_case_of_rate_based_scheduling(name: str, parameters: tuple[tuple[int, int], ...]) -> None:
    """Budgets and periods are those of the allocation: the NRT budget, and the stretched periods in overload."""
    kinds = zip(("H1", "H2", "S1", "S2", "N1"), ("hard", "hard", "soft", "soft", "none"), parameters, strict=True)
    tasks = [
        Task(task, by_period.rate_based(period, budget), released(period, budget, 160), class_=class_)
        for task, class_, (budget, period) in kinds
    ]
    assert by_task(simulate(system_of("rate-based", *tasks), 160)) == golden(name)


# ------------------------------------------------------------------------------------------------ paradigms


def test_time_driven_cuts_an_overrun_and_continues_it_in_the_next_slot() -> None:
    outcome = simulate(time_table(9), 40)
    assert outcome.reasons("B") == ["budget"] * 4
    assert [row.finish for row in outcome.units if row.task == "B"] == [25, None, None, None]
    assert by_task(outcome) == by_task(simulate(time_table(3), 40))


def test_time_driven_leaves_unused_slots_idle() -> None:
    assert by_task(simulate(time_table(1), 10)) == [(0, 2, "A"), (2, 3, "B"), (5, 7, "A"), (7, 10, "C")]


def overrun_above(estimate: int | None) -> System:
    """A of high priority asks 5 instead of 2 in its first period, above B."""
    first = Task("A", by_period.rm(6, estimate), ((0, 5, 2), (6, 2), (12, 2), (18, 2)))
    return system_of("rm", first, periodic("B", "rm", 12, 4))


def test_priority_driven_continues_an_overrun_of_high_priority_at_the_cost_of_the_lower() -> None:
    outcome = simulate(overrun_above(None), 24)
    assert by_task(outcome)[:4] == [(0, 5, "A"), (5, 6, "B"), (6, 8, "A"), (8, 11, "B")]


def test_priority_driven_with_budgets_continues_an_overrun_in_the_jobs_that_follow() -> None:
    outcome = simulate(overrun_above(2), 24)
    assert by_task(outcome)[:3] == [(0, 2, "A"), (2, 6, "B"), (6, 8, "A")]
    assert outcome.reasons("A") == ["budget"] * 4
    assert [row.finish for row in outcome.units if row.task == "A"] == [13, 19, None, None]


def ticks_of(outcome: Outcome, task: str) -> int:
    """Count the ticks of a task."""
    return outcome.by_task().count(task)


@random_sets
@given(demand=st.integers(1, 60))
def test_share_driven_isolates_an_overrun(demand: int) -> None:
    """Whatever F1 asks, the others have their shares in every 8 ticks."""
    outcome = simulate(share_driven((demand, ENDLESS, ENDLESS)), 48)
    for start in range(0, 48, 8):
        window = outcome.by_task()[start : start + 8]
        assert window.count("F2") >= 2
        assert window.count("F3") >= 2


def test_share_driven_gives_shares_of_a_half_and_two_quarters() -> None:
    outcome = simulate(share_driven(), 24)
    assert [ticks_of(outcome, name) for name in ("F1", "F2", "F3")] == [12, 6, 6]


@random_sets
@given(tasks=st.lists(st.tuples(st.integers(1, 3), st.integers(2, 20)), min_size=1, max_size=4).map(tuple))
def test_pinwheel_gives_every_task_its_ticks_in_every_window(tasks: tuple[tuple[int, int], ...]) -> None:
    windows = by_period.specialise(tasks)
    assume(windows is not None)
    made = [by_period.Pinwheel(a, window) for (a, _), window in zip(tasks, windows or (), strict=True)]
    system = system_of("pinwheel", *(Task(f"T{i}", maker, ((0, ENDLESS),)) for i, maker in enumerate(made)))
    ticks = simulate(system, 60).by_task()
    for place, (a, b) in enumerate(tasks):
        assert all(ticks[start : start + b].count(f"T{place}") >= a for start in range(60 - b + 1))


@pytest.mark.parametrize(
    ("requests", "windows"),
    [
        (((1, 2), (1, 4), (1, 8)), (2, 4, 8)),
        (((1, 3), (1, 7), (1, 13)), (3, 6, 12)),
        (((1, 2), (1, 3), (1, 6)), None),
        (((1, 2), (1, 3)), (2, 2)),
    ],
)
def test_pinwheel_windows(requests: tuple[tuple[int, int], ...], windows: tuple[int, ...] | None) -> None:
    assert by_period.specialise(requests) == windows


def test_dual_priority_without_a_shared_budget_gives_a_job_that_never_ends_a_tick_too_much() -> None:
    """S3 5.2.1: the high job must update its budget by what the low job used."""
    with_group = simulate(dual_priority(ENDLESS), 10)
    without = simulate(dual_priority(ENDLESS, shares_budget=False), 10)
    assert (ticks_of(with_group, "H1"), ticks_of(without, "H1")) == (3, 4)


def test_dual_priority_of_jobs_that_end_by_themselves_needs_no_shared_budget() -> None:
    assert by_task(simulate(dual_priority(shares_budget=False), 30)) == golden("red_dualprio")


def test_dual_priority_low_job_is_idle_time_for_soft_work() -> None:
    """Soft work finishes earlier than it would behind the hard tasks, and nothing hard is late."""
    rows = {(row.task, row.unit): row for row in simulate(dual_priority(), 60).units}
    assert rows["S", 0].finish == 7
    deadlines = {"H1": 10, "H2": 15}
    hard = [row for row in rows.values() if row.task in deadlines and row.arrival + deadlines[row.task] <= 60]
    assert all(row.finish is not None and row.finish <= row.arrival + deadlines[row.task] for row in hard)


def responses(tasks: Sets) -> dict[str, int]:
    """Return the longest response of every task when all are released together: the worst case if no job is late."""
    jobs = oracle.simulate(oracle.System("fp", tuple(task.for_oracle() for task in tasks)), 2 * LONG).jobs
    return {task.name: max(job[4] or 0 for job in jobs if job[0] == task.name) for task in tasks}


@random_sets
@given(tasks=task_sets(), soft=arrivals())
def test_dual_priority_keeps_all_hard_deadlines_whatever_soft_work_comes(tasks: Sets, soft: Arrivals) -> None:
    tasks = tuple(replace(task, demands=None, offset=0) for task in tasks)
    assume(not directly(tasks, "fp", 2 * LONG)[1])
    worst = responses(tasks)
    hard = [
        Task(t.name, by_period.DualPriority(t.period, t.wcet, 100 + t.rank, t.rank, worst[t.name]), work_of(t))
        for t in tasks
    ]
    middle = Task("soft", by_period.Aperiodic(50), soft, class_="soft")
    outcome = simulate(system_of("dual priority", *hard, middle), LONG)
    periods = {task.name: task.period for task in tasks}
    due = [row for row in outcome.units if row.task in periods and row.arrival + periods[row.task] <= LONG]
    assert all(row.finish is not None and row.finish <= row.arrival + periods[row.task] for row in due)


def test_an_optional_part_that_was_cut_is_dropped() -> None:
    rows = [row for row in simulate(imprecise(), 18).units if row.task == "O1"]
    assert [row.finish for row in rows] == [None, None, 17]


def test_hard_cbs_waits_to_its_deadline() -> None:
    """With the set of srv_cbs: exhausted at 7, it goes on at its deadline 11."""
    segments = by_task(simulate(constant_bandwidth_beside_a(is_hard=True), 30))
    assert segments[:4] == [(0, 4, "A"), (4, 7, "srv"), (7, 11, "A"), (11, 12, "srv")]
    alone = Task("srv", by_share.ConstantBandwidth(3, 8, is_hard=True), ((3, 4),))
    assert by_task(simulate(system_of("edf", alone), 30)) == [(3, 6, "srv"), (11, 12, "srv")]


@pytest.mark.parametrize(("is_hard", "second"), [(False, (3, 4, "srv")), (True, (6, 7, "srv"))])
def test_a_bandwidth_server_whose_budget_ended_with_its_work_runs_again(
    is_hard: bool, second: tuple[int, int, str]
) -> None:
    """The exception of 0.3: Q 2, P 6, arrivals 2 at 0 and 1 at 3."""
    system = system_of("edf", Task("srv", by_share.ConstantBandwidth(2, 6, is_hard), ((0, 2), (3, 1))))
    assert by_task(simulate(system, 20)) == [(0, 2, "srv"), second]


# ------------------------------------------------------------------------------------------------ allocator


@random_sets
@given(tasks=task_sets(), bulk=st.integers(1, 5))
def test_allocator_calls_fall_as_one_by_bulk_with_the_same_trace(tasks: Sets, bulk: int) -> None:
    single, several = (simulate(framework_of("edf", tasks, k), LONG) for k in (1, bulk))
    assert several.by_job() == single.by_job()
    for name, calls in single.calls.items():
        assert several.calls[name] == -(-calls // bulk)


def test_a_call_for_every_release_in_single_mode() -> None:
    """The call for the job that starts at 20 is made at the start at 16, the first two at 0."""
    calls = {bulk: simulate(framework_of("rm", (PeriodicTask("A", 4, 1),), bulk), 20).calls["A"] for bulk in (1, 2, 3)}
    assert calls == {1: 6, 2: 3, 3: 2}


LOG: list[tuple[int, int, list[str]]] = []


@dataclass
class Watched(by_period.Periodic):
    """Notes instant, live jobs, and the reasons read, of every call in LOG: a simulation works on copies."""

    def call(self, now: int, view: AllocatorView) -> None:
        """Note, and go on."""
        LOG.append((now, len(view.jobs), [record.reason for record in view.unread[: self.bulk]]))
        super().call(now, view)


def test_bulk_calls_read_as_many_records_as_they_hand_over_jobs() -> None:
    LOG.clear()
    simulate(system_of("rm", Task("A", Watched(4, 2, bulk=2), ((0, 2), (4, 1), (8, 3, 2), (12, 2)))), 20)
    assert LOG == [(0, 0, []), (4, 1, ["complete"]), (12, 1, ["complete", "budget"])]


def test_the_queue_of_a_live_task_is_never_empty() -> None:
    """A job that takes the whole period is still there when the next one is handed over."""
    LOG.clear()
    simulate(system_of("rm", Task("A", Watched(3, 3), released(3, 3))), 20)
    assert all(jobs >= 1 for now, jobs, _ in LOG if now > 0)


def test_records_tell_ticks_used_and_the_reason() -> None:
    task = Task("A", by_period.rm(4, 2), ((0, 1), (4, 3), (8, 2)))
    records = simulate(system_of("rm", task), 16).records
    assert [(record.job, record.used, record.reason, record.instant) for record in records] == [
        (0, 1, "complete", 1),
        (1, 2, "budget", 6),
        (2, 2, "budget", 10),
        (3, 0, "finish", 16),
    ][: len(records)]
    starved = system_of("rm", periodic("A", "rm", 4, 4), periodic("B", "rm", 6, 1))
    assert simulate(starved, 20).reasons("B") == ["finish"] * 3


@dataclass
class Adaptive(by_period.Periodic):
    """Gives the next job what the last one used, at least one tick, and one more after an exhaustion."""

    def call(self, now: int, view: AllocatorView) -> None:
        """Read the record and adapt the estimate."""
        for record in view.unread:
            self.estimate = record.used + (1 if record.reason == "budget" else 0)
        super().call(now, view)


def test_feedback_lets_an_allocator_adapt_its_budgets() -> None:
    """A demand of 3 each; the first two jobs get 1 tick, the others grow until what is left over is worked off."""
    task = Task("A", Adaptive(10, 1), released(10, 3, 100))
    used = [record.used for record in simulate(system_of("rm", task), 100).records]
    assert used[:4] == [1, 1, 2, 2]
    assert max(used) >= 4
    assert sum(used) == 30


# -------------------------------------------------------------------------------- the allocator as a task


def with_cost(system: System, cost: AllocatorCost) -> System:
    """Return a system in which the calls of the allocator take time."""
    return replace(system, allocator_cost=cost)


def test_a_dual_allocator_runs_in_spare_time_if_there_is_some() -> None:
    """The first two jobs are there from the registration; the third is asked for at 5."""
    system = with_cost(system_of("rm", periodic("A", "rm", 5, 3)), AllocatorCost(1))
    assert by_task(simulate(system, 11)) == [(0, 3, "A"), (5, 8, "A"), (8, 9, "allocator"), (10, 11, "A")]


def test_a_dual_allocator_goes_to_the_top_at_the_last_safe_instant() -> None:
    """A leaves no spare time: the call is made in the last tick before the release that it is for."""
    system = with_cost(system_of("rm", periodic("A", "rm", 5, 5)), AllocatorCost(1))
    assert by_task(simulate(system, 15)) == [(0, 9, "A"), (9, 10, "allocator"), (10, 14, "A"), (14, 15, "allocator")]


def test_an_allocator_on_top_runs_at_once_within_its_budget() -> None:
    """At 5 there are two calls and budget for one; the other one comes a tick after the release that it is for."""
    tasks = periodic("A", "rm", 5, 2), periodic("B", "rm", 5, 2)
    system = with_cost(system_of("rm", *tasks), AllocatorCost(1, "top", period=5, budget=1))
    outcome = simulate(system, 15)
    assert by_task(outcome) == [
        (0, 2, "A"),
        (2, 4, "B"),
        (5, 6, "allocator"),
        (6, 8, "A"),
        (8, 10, "B"),
        (10, 11, "allocator"),
        (11, 13, "A"),
        (13, 15, "B"),
    ]
    late = [(record.task, record.job) for record in outcome.records if record.submitted > record.start]
    assert late == [("B", 2)]


def test_an_allocator_on_top_goes_before_earlier_deadlines() -> None:
    system = with_cost(system_of("edf", periodic("A", "edf", 5, 2)), AllocatorCost(1, "top", period=20, budget=4))
    assert by_task(simulate(system, 8)) == [(0, 2, "A"), (5, 6, "allocator"), (6, 8, "A")]


@pytest.mark.parametrize("policy", ["rm", "edf"])
@random_sets
@given(tasks=task_sets(most_load=Fraction(1, 2)), bulk=st.sampled_from([1, 3]))
def test_a_dual_allocator_hands_over_every_job_before_its_start(policy: str, tasks: Sets, bulk: int) -> None:
    """The dispatcher never waits for it, as long as its calls of one instant fit before the next release."""
    assume(min(task.period for task in tasks) > len(tasks))
    tasks = tuple(replace(task, offset=0) for task in tasks)
    outcome = simulate(with_cost(framework_of(policy, tasks, bulk), AllocatorCost(1)), LONG)
    assert all(record.submitted <= record.start for record in outcome.records)


# --------------------------------------------------------------------------------------- dispatcher, rule by rule


@dataclass
class Given(Allocator):
    """Hands over jobs that the test has made."""

    jobs: tuple[Job, ...]

    def is_due(self, now: int, view: AllocatorView) -> bool:
        """True if the jobs were not handed over yet."""
        return view.calls == 0

    def call(self, now: int, view: AllocatorView) -> None:
        """Hand over."""
        for job in self.jobs:
            view.submit(job, now)


def given_jobs(name: str, *jobs: Job, work: Work = ((0, ENDLESS),), class_: str = "hard") -> Task:
    """Return a task of given jobs."""
    return Task(name, Given(jobs), work, class_=class_)


def run(*tasks: Task, effective: tuple[str, ...] = ("priority",), horizon: int = 12) -> Segments:
    """Simulate and give segments."""
    return by_task(simulate(System(tasks, effective), horizon))


def test_a_job_waits_for_its_start_and_ends_at_its_finish() -> None:
    assert run(given_jobs("A", Job(2, 5))) == [(2, 5, "A")]


def test_a_kept_finish_is_no_timer() -> None:
    assert run(given_jobs("A", Job(2, 5, on_finish="keep"))) == [(2, 12, "A")]


def test_a_job_ends_with_its_budget() -> None:
    assert run(given_jobs("A", Job(0, budget=Budget(3)))) == [(0, 3, "A")]


def test_a_demoted_job_goes_on_in_spare_time() -> None:
    first = given_jobs("A", Job(0, priority=1, budget=Budget(2), on_budget="demote"))
    second = given_jobs("B", Job(0, priority=2, budget=Budget(3)))
    assert run(first, second) == [(0, 2, "A"), (2, 5, "B"), (5, 12, "A")]


def test_a_held_job_goes_on_when_its_record_is_filled() -> None:
    record = Budget(0)
    task = given_jobs("A", Job(0, budget=record, on_budget="hold"))
    assert run(Task("S", by_period.ServerRefill(record, 5, 2)), task) == [(0, 2, "A"), (5, 7, "A"), (10, 12, "A")]


def test_jobs_share_a_budget_record() -> None:
    record = Budget(4)
    first = given_jobs("A", Job(0, priority=1, budget=record), work=((0, 3),))
    assert run(first, given_jobs("B", Job(0, priority=2, budget=record))) == [(0, 3, "A"), (3, 4, "B")]


def test_a_running_non_preemptive_job_stays() -> None:
    low = given_jobs("L", Job(0, priority=2, non_preemptive=True, budget=Budget(4)))
    high = given_jobs("H", Job(1, priority=1, budget=Budget(2)), work=((1, 9),))
    assert run(low, high) == [(0, 4, "L"), (4, 6, "H")]


def test_a_job_sleeps_until_its_unit_arrives() -> None:
    assert run(given_jobs("A", Job(0, serves=1), work=((0, 1), (4, 2)))) == [(0, 1, "A"), (4, 6, "A")]


def test_a_non_preemptive_job_that_sleeps_leaves_the_processor() -> None:
    low = given_jobs("L", Job(0, priority=2, serves=1, non_preemptive=True), work=((0, 2), (3, 2)))
    high = given_jobs("H", Job(1, priority=1, serves=1), work=((1, 1), (3, 2)))
    assert run(low, high) == [(0, 2, "L"), (2, 5, "H"), (5, 7, "L")]


def test_unfinished_work_is_continued_by_the_next_job() -> None:
    task = given_jobs("A", Job(0, 3, serves=0), Job(5, 8, serves=1), work=((0, 4), (5, 1)))
    outcome = simulate(System((task,)), 12)
    assert by_task(outcome) == [(0, 3, "A"), (5, 7, "A")]
    assert [row.finish for row in outcome.units] == [6, 7]


def test_ties_go_by_class_then_place_then_job_number() -> None:
    work: Work = ((0, 1),)
    tasks = [
        given_jobs("soft", Job(0), work=work, class_="soft"),
        given_jobs("none", Job(0), work=work, class_="none"),
        given_jobs("first", Job(0), work=work),
        given_jobs("second", Job(0), work=work),
    ]
    assert [name for _, _, name in run(*tasks)] == ["first", "second", "soft", "none"]


def test_the_effective_priority_may_be_a_lexicographic_pair() -> None:
    one = given_jobs("A", Job(0, priority=2), work=((0, 2),))
    two = given_jobs("B", Job(0, priority=1), work=((0, 2),))
    late = given_jobs("C", Job(1, priority=0), work=((0, 2),))
    assert run(one, two, late, effective=("start", "priority")) == [(0, 2, "B"), (2, 4, "A"), (4, 6, "C")]
    assert run(one, two, late, effective=("priority",)) == [(0, 1, "B"), (1, 3, "C"), (3, 4, "B"), (4, 6, "A")]


def test_a_change_of_the_effective_priority_applies_from_the_next_select() -> None:
    tasks = given_jobs("A", Job(0, 20, priority=1)), given_jobs("B", Job(0, 10, priority=2))
    system = System(tasks, ("priority",), ((3, ("finish",)), (6, ("priority",))))
    assert by_task(simulate(system, 12)) == [(0, 3, "A"), (3, 6, "B"), (6, 12, "A")]


@random_sets
@given(tasks=task_sets(), instant=st.integers(1, LONG - 1))
def test_before_a_change_the_schedule_is_that_of_the_first_policy(tasks: Sets, instant: int) -> None:
    rm = framework_of("rm", tasks)
    changed = replace(rm, changes=((instant, EFFECTIVE["edf"]),))
    assert simulate(changed, LONG).ticks[:instant] == simulate(rm, LONG).ticks[:instant]


def test_non_real_time_work_runs_when_no_job_is_eligible() -> None:
    background = Task("N", None, ((0, 3), (4, 9)))
    assert run(given_jobs("A", Job(1), work=((0, 4),)), background) == [
        (0, 1, "N"),
        (1, 5, "A"),
        (5, 12, "N"),
    ]


def test_an_update_needs_a_job_that_is_ready_or_active() -> None:
    view = AllocatorView(Task("A", None), 0)
    job = Job(5)
    view.submit(job, 0)
    view.update(job, "start", 7)
    assert job.start == 7
    job.state = "sleep"
    with pytest.raises(ValueError, match="sleep"):
        view.update(job, "start", 8)


def test_a_simulation_does_not_change_its_system() -> None:
    system = constant_bandwidth_beside_a()
    assert simulate(system, 30) == simulate(system, 30)


@random_sets
@given(tasks=task_sets(most_load=Fraction(3, 2)), policy=st.sampled_from(["rm", "edf", "llf"]))
def test_no_job_runs_before_its_start_after_its_finish_or_beyond_its_budget(tasks: Sets, policy: str) -> None:
    outcome = simulate(framework_of(policy, tasks), LONG)
    given_ = {task.name: task for task in tasks}
    used: Counter[tuple[str, int]] = Counter()
    for now, tick in enumerate(outcome.by_job()):
        if tick is None:
            continue
        task, start = given_[tick[0]], given_[tick[0]].offset + tick[1] * given_[tick[0]].period
        assert start <= now < start + task.period
        used[tick] += 1
        assert used[tick] <= task.wcet


@random_sets
@given(tasks=task_sets(most_load=Fraction(3, 2)))
def test_units_of_a_task_finish_in_order(tasks: Sets) -> None:
    rows = simulate(framework_of("rm", tasks), LONG).units
    for name in {row.task for row in rows}:
        finishes = [row.finish for row in rows if row.task == name]
        done = [finish for finish in finishes if finish is not None]
        assert finishes[: len(done)] == done == sorted(done)
