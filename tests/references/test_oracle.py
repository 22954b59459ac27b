# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tests of the oracle itself: invariants over random systems.

Source: SPEC.md; what it leaves open stands at the top of oracle/oracle.py. Schedules worked out by hand for each rule
and golden ones are the files of `tests/cases`; here are those that no task-set file can say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from oracle import Outcome, Platform, Resource, Server, System, Task, simulate
from oracle.model import EDF_KINDS, IDLE, POLICIES, RULE_KINDS
from oracle.systems import (
    EVERYTHING,
    JITTER,
    MAX_SERVERS,
    MAX_TASKS,
    RESOURCES,
    SERVER_KINDS,
    Features,
    chains,
    crowds,
    horizons,
    systems,
)
from sampling import tries

Run = tuple[int, int, str]
ANYTHING: Features = EVERYTHING | JITTER | SERVER_KINDS
random_systems = tries(100)


def without_job_numbers(outcome: Outcome) -> list[tuple[int, int, str, str]]:
    """Merge the segments of neighbouring jobs of one task, as the golden files do."""
    merged: list[tuple[int, int, str, str]] = []
    for start, end, server, task, _ in outcome.segments:
        joins_last = bool(merged) and merged[-1][1:] == (start, server, task)
        merged.append((merged.pop()[0] if joins_last else start, end, server, task))
    return merged


def runs(system: System, horizon: int) -> list[Run]:
    """Simulate and give (start, end, task), neighbours of one task merged."""
    return [(start, end, task) for start, end, _, task in without_job_numbers(simulate(system, horizon))]


def finished_jobs(outcome: Outcome) -> list[tuple[str, int, int, int, bool]]:
    """Return (task, release, finish, response, missed) of the finished jobs."""
    return [
        (task, release, finish, response, missed)
        for task, _, release, finish, response, missed in outcome.jobs
        if finish is not None and response is not None
    ]


def once(name: str, demand: int, offset: int = 0, priority: int = 1, **more: Any) -> Task:
    """Return a task whose second job lies beyond every horizon used here."""
    return Task(name, 1000, demand, offset=offset, priority=priority, **more)


def fp(*entities: Task | Server) -> System:
    """Return a system with an fp root."""
    return mixed("fp", *entities)


def edf(*entities: Task | Server) -> System:
    """Return a system with an edf root."""
    return mixed("edf", *entities)


def mixed(policy: str, *entities: Task | Server) -> System:
    """Return a system of tasks and servers in any order."""
    tasks = tuple(entity for entity in entities if isinstance(entity, Task))
    servers = tuple(entity for entity in entities if isinstance(entity, Server))
    return System(policy, tasks, servers)


# ---------------------------------------------------------------------------------------- golden schedules


FPTS_EXAMPLE = fp(
    Task("T1", 4, 2, priority=3, threshold=3),
    Task("T2", 10, 2, priority=2, threshold=3),
    Task("T3", 14, 4, priority=1, threshold=2),
)


def test_the_fpts_example_stays_within_the_worst_responses_that_the_specification_states() -> None:
    jobs = finished_jobs(simulate(FPTS_EXAMPLE, 140))
    bounds = {"T1": 3, "T2": 9, "T3": 12}
    assert all(response <= bounds[task] for task, _, _, response, _ in jobs)


# ------------------------------------------------------------------------------------------ kinds of servers


def listed(name: str, *jobs: tuple[int, int], server: str | None = "S", **more: Any) -> Task:
    """Return a task of pairs of demand and arrival."""
    releases = tuple((arrival, arrival) for _, arrival in jobs)
    demands = tuple(demand for demand, _ in jobs)
    return Task(name, demand=demands, deadline=1000, releases=releases, server=server, **more)


# ------------------------------------------------------------------------------------------ releases and demands


def test_jobs_are_those_that_are_listed_even_at_one_instant_and_count_from_their_arrival() -> None:
    task = Task("A", demand=2, deadline=4, releases=((0, 0), (0, 0), (5, 3)))
    outcome = simulate(fp(task), 9)
    assert outcome.segments == [(0, 2, "", "A", 0), (2, 4, "", "A", 1), (5, 7, "", "A", 2)]
    assert outcome.jobs == [("A", 0, 0, 2, 2, False), ("A", 1, 0, 4, 4, False), ("A", 2, 3, 7, 4, False)]


def test_a_job_that_arrives_but_is_not_released_before_the_horizon_is_not_there() -> None:
    assert simulate(fp(Task("A", 9, 1, releases=((0, 0), (5, 3)))), 5).jobs == [("A", 0, 0, 1, 1, False)]


# ------------------------------------------------------------------------------------------------- suspensions


def body(*items: str, name: str = "A", priority: int = 1, **more: Any) -> Task:
    """Return a task of one job with a body."""
    return Task(name, 1000, priority=priority, body=items, **more)


# ------------------------------------------------------------------------------------------ points and subjobs


def limited(*items: str, **more: Any) -> Task:
    """Return the low task of one non-preemptive job with a body."""
    return body(*items, name="L", preemption="non-preemptive", **more)


def test_a_task_is_non_preemptive_by_default_if_it_has_subjobs_or_a_point() -> None:
    assert Task("A", 9, subjobs=(2,)).non_preemptive
    assert Task("A", 9, body=("run 1", "point", "run 1")).non_preemptive
    assert not Task("A", 9, body=("run 1", "optional point", "run 1")).non_preemptive
    assert not Task("A", 9, body=("run 1", "suspend 1", "run 1")).non_preemptive
    assert not Task("A", 9, 2).non_preemptive


# -------------------------------------------------------------------------------------------- shared resources


def sharing(protocol: str, *entities: Task | Server, policy: str = "fp", names: str = "AB") -> System:
    """Return a system with resources of one protocol, each of one letter."""
    return replace(mixed(policy, *entities), resources=tuple(Resource(name, protocol) for name in names))


@pytest.mark.parametrize(
    ("deadline", "expected"),
    [
        (5, [(0, 2, "L"), (2, 3, "M"), (3, 7, "L")]),
        (6, [(0, 5, "L"), (5, 6, "M"), (6, 7, "L")]),
        (7, [(0, 5, "L"), (5, 6, "M"), (6, 7, "L")]),
    ],
)
def test_icpp_under_edf_the_deadline_of_a_holder_counts_from_the_lock(deadline: int, expected: list[Run]) -> None:
    """L locks at 1, and the shortest relative deadline is 6, so it is as urgent as 7; M counts from 1, too."""
    tasks = (
        Task("M", demand=1, deadline=deadline, releases=((2, 1),)),
        body("lock A", "run 1", name="H", offset=20, deadline=6),
        body("run 1", "lock A", "run 4", "unlock A", "run 1", name="L", deadline=30),
    )
    assert runs(sharing("icpp", *tasks, policy="edf"), 12) == expected


def test_srp_an_equal_level_is_not_higher() -> None:
    """C is released at 3 and its deadline 10 is before that of A, 11, but their relative deadlines are equal."""
    late = Task("C", demand=1, deadline=10, releases=((3, 0),))
    holder = body("lock A", "run 4", "unlock A", "run 1", deadline=10, offset=1)
    assert runs(sharing("srp", late, holder, policy="edf"), 9) == [(1, 5, "A"), (5, 6, "C"), (6, 7, "A")]
    assert runs(sharing("pip", late, holder, policy="edf"), 9) == [(1, 3, "A"), (3, 4, "C"), (4, 7, "A")]
    shorter = replace(late, deadline=9)
    assert runs(sharing("srp", shorter, holder, policy="edf"), 9) == [(1, 3, "A"), (3, 4, "C"), (4, 7, "A")]


def test_pulled_events_do_not_come_at_a_lock_or_unlock() -> None:
    low = limited("run 1", "lock A", "run 1", "unlock A", "run 1")
    system = replace(sharing("pip", low, once("H", 1, 2, priority=2)), platform=Platform(points="pull", release=1))
    assert simulate(system, 9).segments == [(1, 4, "", "L", 0), (5, 6, "", "H", 0)]


# ------------------------------------------------------------------------------------------------- late jobs


def test_a_job_that_is_released_after_its_deadline_is_aborted_at_once() -> None:
    task = Task("A", 20, 1, deadline=5, on_miss="abort", releases=((9, 0), (9, 6)))
    outcome = simulate(fp(task), 12)
    assert outcome.jobs == [("A", 0, 0, None, None, True), ("A", 1, 6, 10, 4, False)]


# ------------------------------------------------------------------------------------- deadlines and horizon


def test_a_horizon_of_zero_gives_an_empty_outcome() -> None:
    assert simulate(fp(Task("A", 2, 1)), 0) == Outcome([], [], [], {"A": 0}, {"A": 0}, {"A": 0}, {"A": 0})


# ------------------------------------------------------------------------ invariants over random systems (8)


def chain_of(system: System, server_name: str | None) -> list[str]:
    """Return the names of the servers around a place, innermost first."""
    parents = {server.name: server.parent for server in system.servers}
    return [] if server_name is None else [server_name, *chain_of(system, parents[server_name])]


def task_in_each_tick(outcome: Outcome, horizon: int) -> list[str | None]:
    """Spread the segments over the ticks; None is idle."""
    ticks: list[str | None] = [None] * horizon
    for start, end, _, task, _ in outcome.segments:
        assert ticks[start:end] == [None] * (end - start)
        ticks[start:end] = [task] * (end - start)
    return ticks


def without_idling(outcome: Outcome) -> Outcome:
    """Leave out the segments of idling servers that idle."""
    return replace(outcome, segments=[segment for segment in outcome.segments if segment[3] != IDLE])


def pending_tasks(system: System, outcome: Outcome, tick: int) -> list[Task]:
    """Return the tasks that have a released and unfinished job in a tick."""
    names = {row[0] for row in outcome.jobs if row[2] <= tick and (row[3] is None or row[3] > tick)}
    return [task for task in system.tasks if task.name in names]


@random_systems
@given(systems(parents_first=False, features=ANYTHING))
def test_random_systems_keep_their_stated_bounds_and_are_accepted(system: System) -> None:
    assert 1 <= len(system.tasks) <= MAX_TASKS
    assert len(system.servers) <= MAX_SERVERS
    simulate(system, 1)


@random_systems
@given(systems(features=ANYTHING), horizons())
def test_two_runs_of_one_system_are_equal_and_leave_it_unchanged(system: System, h: int) -> None:
    before = repr(system)
    assert simulate(system, h) == simulate(system, h)
    assert repr(system) == before


def demand_of(task: Task, number: int) -> int:
    """Return what a job executes."""
    return task.demands[number % len(task.demands)]


@random_systems
@given(systems(features=ANYTHING), horizons())
def test_a_jobs_ticks_lie_between_its_arrival_and_its_finish_and_sum_to_its_demand(system: System, h: int) -> None:
    outcome = simulate(system, h)
    tasks = {task.name: task for task in system.tasks}
    for name, number, arrival, finish, response, _ in outcome.jobs:
        own = [(start, end) for start, end, _, task, job in outcome.segments if (task, job) == (name, number)]
        served = sum(end - start for start, end in own)
        assert all(arrival <= start for start, _ in own)
        if finish is None:
            assert served < demand_of(tasks[name], number)
        else:
            assert (served, own[-1][1], response) == (demand_of(tasks[name], number), finish, finish - arrival)


def releases_before(task: Task, h: int) -> list[tuple[int, int]]:
    """Return release and arrival of the jobs released before a horizon."""
    periodic = ((instant, instant) for instant in range(task.offset, h, task.period or 1))
    return [pair for pair in (periodic if task.releases is None else task.releases) if pair[0] < h]


@random_systems
@given(systems(features=ANYTHING), horizons())
def test_every_release_before_the_horizon_has_one_row_and_jobs_of_a_task_end_in_order(system: System, h: int) -> None:
    outcome = simulate(system, h)
    for task in system.tasks:
        rows = [row for row in outcome.jobs if row[0] == task.name]
        by_number = sorted(rows, key=lambda row: row[1])
        assert [(row[1], row[2]) for row in by_number] == [
            (number, arrival) for number, (_, arrival) in enumerate(releases_before(task, h))
        ]
        if task.on_miss != "skip":
            assert rows == by_number


@random_systems
@given(systems(features=ANYTHING), horizons())
def test_nothing_runs_before_its_release_or_after_its_deadline_if_that_aborts(system: System, h: int) -> None:
    tasks = {task.name: task for task in system.tasks}
    costly = replace(system.platform, points="push") != Platform()
    for start, end, _, name, number in without_idling(simulate(system, h)).segments:
        release, arrival = releases_before(tasks[name], h)[number]
        assert release <= start
        is_cut = tasks[name].on_miss == "abort" and not costly
        is_cut = is_cut and has_own_deadlines(system, tasks[name])
        assert not is_cut or end <= arrival + tasks[name].relative_deadline


def has_own_deadlines(system: System, task: Task) -> bool:
    """True if the deadlines of a task follow from its arrivals alone: no rule assigns them."""
    server = next((server for server in system.servers if server.name == task.server), None)
    policy = system.policy if server is None else server.policy
    return policy != "rbe" and (server is None or server.kind not in RULE_KINDS)


@random_systems
@given(systems(features=ANYTHING), horizons())
def test_missed_means_not_finished_by_a_deadline_within_the_horizon(system: System, h: int) -> None:
    outcome = simulate(system, h)
    tasks = {task.name: task for task in system.tasks}
    for name, _, arrival, finish, _, missed in outcome.jobs:
        deadline = arrival + tasks[name].relative_deadline
        if has_own_deadlines(system, tasks[name]) and (finish is not None or tasks[name].on_miss != "skip"):
            assert missed == (deadline <= h if finish is None else finish > deadline)
    assert sum(outcome.misses.values()) == sum(row[5] for row in outcome.jobs)
    assert all(outcome.aborted[task.name] == 0 for task in system.tasks if task.on_miss != "abort")
    assert all(outcome.skipped[task.name] == 0 for task in system.tasks if task.on_miss != "skip")


@random_systems
@given(systems(features=frozenset({"policies"})), horizons())
def test_the_processor_is_idle_only_if_no_pending_task_has_budget_all_the_way_up(system: System, h: int) -> None:
    outcome = simulate(system, h)
    names = [server.name for server in system.servers]
    for tick, running in enumerate(task_in_each_tick(outcome, h)):
        budget = dict(zip(names, outcome.budgets[tick], strict=True))
        able = [
            task.name
            for task in pending_tasks(system, outcome, tick)
            if all(budget[name] > 0 for name in chain_of(system, task.server))
        ]
        assert running in able if able else running is None


@random_systems
@given(systems(features=EVERYTHING | JITTER), horizons())
def test_the_budget_of_a_deferrable_server_changes_by_its_own_ticks_and_replenishments_only(
    system: System, h: int
) -> None:
    outcome = simulate(system, h)
    homes = {task.name: task.server for task in system.tasks}
    ticks = task_in_each_tick(outcome, h)
    for index, server in enumerate(system.servers):
        expected = 0
        for tick, running in enumerate(ticks):
            if tick >= server.offset and (tick - server.offset) % server.period == 0:
                expected = server.budget
            assert outcome.budgets[tick][index] == expected >= 0
            expected -= running is not None and server.name in chain_of(system, homes[running])


def charged_in_each_tick(system: System, outcome: Outcome, horizon: int) -> list[list[str]]:
    """Spread the segments over the ticks: the servers that pay for each."""
    ticks: list[list[str]] = [[]] * horizon
    for start, end, server, _, _ in outcome.segments:
        ticks[start:end] = [chain_of(system, server or None)] * (end - start)
    return ticks


@random_systems
@given(st.one_of(systems(features=ANYTHING), chains(kinds=True)), horizons())
def test_a_server_is_charged_only_with_budget_and_never_has_more_than_its_own(system: System, h: int) -> None:
    outcome = simulate(system, h)
    for tick, charged in enumerate(charged_in_each_tick(system, outcome, h)):
        for server, budget in zip(system.servers, outcome.budgets[tick], strict=True):
            assert 0 <= budget <= server.budget
            assert budget > 0 or server.name not in charged


@random_systems
@given(st.one_of(systems(features=ANYTHING), chains(kinds=True)), horizons())
def test_a_server_without_constant_bandwidth_runs_at_most_its_budget_per_started_period(system: System, h: int) -> None:
    ticks = charged_in_each_tick(system, simulate(system, h), h)
    for server in system.servers:
        if server.kind not in EDF_KINDS + RULE_KINDS:
            uses = [tick for tick, charged in enumerate(ticks) if server.name in charged]
            for number, tick in enumerate(uses):
                assert tick >= server.offset + number // server.budget * server.period


@random_systems
@given(systems(features=SERVER_KINDS), horizons())
def test_nothing_else_idles_than_an_idling_server_without_pending_work(system: System, h: int) -> None:
    outcome = simulate(system, h)
    kinds = {server.name: server.kind for server in system.servers}
    for start, _, name, who, _ in outcome.segments:
        if who == IDLE:
            assert kinds[name] == "idling"
            assert name not in {task.server for task in pending_tasks(system, outcome, start)}


@random_systems
@given(systems(features=SERVER_KINDS), horizons())
def test_a_polling_server_at_the_root_has_budget_only_with_pending_work_inside(system: System, h: int) -> None:
    outcome = simulate(system, h)
    for index, server in enumerate(system.servers):
        for tick in range(h):
            if server.kind == "polling" and server.parent is None and outcome.budgets[tick][index] > 0:
                inside = [task.server for task in pending_tasks(system, outcome, tick)]
                inside += [other.parent for other in system.servers if other.kind == "idling"]
                assert any(server.name in chain_of(system, name) for name in inside)


@st.composite
def isolated(draw: st.DrawFn) -> System:
    """Return hard tasks and constant-bandwidth servers whose bandwidths fit, and tasks that use the servers at will."""
    shares = draw(st.lists(st.tuples(st.integers(1, 8), st.integers(2, 24)), min_size=2, max_size=6))
    fitting = [
        (budget, period)
        for number, (budget, period) in enumerate(shares)
        if budget <= period and sum(Fraction(q, p) for q, p in shares[: number + 1] if q <= p) <= 1
    ]
    made: list[Task | Server] = []
    for number, (budget, period) in enumerate(fitting):
        offset = draw(st.integers(0, 5))
        if draw(st.booleans()):
            made.append(Task(f"H{number}", period, budget, offset=offset))
            continue
        kind = draw(st.sampled_from(EDF_KINDS))
        made.append(Server(f"S{number}", period, budget, offset=offset, kind=kind))
        gaps = draw(st.lists(st.tuples(st.integers(1, 20), st.integers(0, 30)), min_size=1, max_size=6))
        arrivals = accumulate(gap for _, gap in gaps)
        jobs = zip((demand for demand, _ in gaps), arrivals, strict=True)
        made.append(listed(f"T{number}", *jobs, server=f"S{number}"))
    return edf(*made)


@random_systems
@given(isolated(), horizons())
def test_tasks_beside_constant_bandwidth_servers_meet_their_deadlines_whatever_is_in_the_servers(
    system: System, h: int
) -> None:
    misses = simulate(system, h).misses
    assert all(misses[task.name] == 0 for task in system.tasks if task.server is None)


@random_systems
@given(systems(features=EVERYTHING - {"costs"}), horizons())
def test_one_idling_server_with_a_full_budget_is_the_plain_dispatcher(system: System, h: int) -> None:
    bare = rewritten(replace(system, servers=()), server=lambda task: None, threshold=lambda task: None)
    bare = replace(bare, policy="edf", platform=Platform())
    wrapped = replace(
        rewritten(bare, server=lambda task: "S"), servers=(Server("S", 5, 5, policy="edf", kind="idling"),)
    )
    assert without_idling(simulate(wrapped, h)).jobs == simulate(bare, h).jobs


@random_systems
@given(systems(), horizons())
def test_kinds_are_the_same_for_servers_with_endless_work(system: System, h: int) -> None:
    busy = tuple(Task(f"B {server.name}", 10_000, 10_000, server=server.name) for server in system.servers)
    deferrable = replace(system, tasks=system.tasks + busy)
    expected = simulate(deferrable, h)
    for kind in ("idling", "polling"):
        servers = tuple(replace(server, kind=kind) for server in system.servers)
        assert simulate(replace(deferrable, servers=servers), h) == expected


@random_systems
@given(st.one_of(systems(features=ANYTHING), chains(kinds=True)), horizons())
def test_a_shorter_horizon_gives_a_prefix(system: System, h: int) -> None:
    long, short = simulate(system, h + 7), simulate(system, h)
    assert short.budgets == long.budgets[:h]
    assert short.points == [row for row in long.points if row[0] < h]
    assert task_in_each_tick(short, h) == task_in_each_tick(long, h + 7)[:h]


@random_systems
@given(systems(features=ANYTHING), horizons())
def test_points_lie_where_the_body_has_them(system: System, h: int) -> None:
    outcome = simulate(system, h)
    tasks = {task.name: task for task in system.tasks}
    for name, number in {row[1:3] for row in outcome.points}:
        seen = [(row[0], row[3]) for row in outcome.points if row[1:3] == (name, number)]
        marks = [mark for mark in tasks[name].marks if mark.kind != "suspend"]
        served = [served_before(outcome, name, number, instant) for instant, _ in seen]
        assert list(zip(served, (optional for _, optional in seen), strict=True)) == [
            (mark.executed, mark.kind == "optional point") for mark in marks[: len(seen)]
        ]


def served_before(outcome: Outcome, name: str, number: int, instant: int) -> int:
    """Count the ticks that a job executed before an instant."""
    own = [(start, end) for start, end, _, task, job in outcome.segments if (task, job) == (name, number)]
    return sum(max(0, min(end, instant) - start) for start, end in own)


@random_systems
@given(systems(features=EVERYTHING), horizons())
def test_without_costs_there_is_no_overhead_and_kernel_time_is_never_busy(system: System, h: int) -> None:
    busy = sum(end - start for start, end, *_ in simulate(system, h).segments)
    assert busy + simulate(system, h).overhead <= h
    ideal = replace(system, platform=Platform(points=system.platform.points))
    assert simulate(ideal, h).overhead == 0


@random_systems
@given(systems(features=EVERYTHING), horizons())
def test_switches_are_at_least_the_changes_of_task_and_at_most_the_invocations(system: System, h: int) -> None:
    outcome = simulate(system, h)
    names = [None, *(segment[3] for segment in outcome.segments)]
    changes = sum(before != after for before, after in pairwise(names))
    assert changes <= outcome.switches <= outcome.invocations


def with_policy(system: System, policy: str, instead_of: tuple[str, ...]) -> System:
    """Change some policies of a system."""
    servers = (replace(s, policy=policy) if s.policy in instead_of else s for s in system.servers)
    return replace(system, policy=policy if system.policy in instead_of else system.policy, servers=tuple(servers))


def flat(system: System, policy: str) -> System:
    """Strip a system to preemptive tasks in one root."""
    tasks = (replace(task, server=None, preemption="preemptive", threshold=None) for task in system.tasks)
    return System(policy, tuple(tasks))


@random_systems
@given(systems(), st.sampled_from(["rm", "dm", "edf", "llf"]), horizons())
def test_a_computed_key_runs_the_task_of_least_key_then_class_then_file_order_in_every_tick(
    system: System, policy: str, h: int
) -> None:
    system = flat(system, policy)
    outcome = simulate(system, h)
    for tick, running in enumerate(task_in_each_tick(outcome, h)):
        keys = {
            task.name: (key_of(task, policy, outcome, tick), ("hard", "soft", "none").index(task.class_))
            for task in pending_tasks(system, outcome, tick)
        }
        assert running == min(keys, key=lambda name: keys[name], default=None)


def key_of(task: Task, policy: str, outcome: Outcome, tick: int) -> int:
    """Work out the key of a task's current job from what was observed."""
    current = [row[1:3] for row in outcome.jobs if row[0] == task.name and (row[3] is None or row[3] > tick)]
    number, arrival = min(current)
    left = demand_of(task, number) - served_before(outcome, task.name, number, tick)
    deadline = arrival + task.relative_deadline
    return {"rm": task.period or 0, "dm": task.relative_deadline, "edf": deadline, "llf": deadline - left}[policy]


@random_systems
@given(systems(), horizons())
def test_a_chain_of_servers_with_full_budget_around_everything_changes_nothing(system: System, h: int) -> None:
    tasks = tuple(replace(task, server=None, threshold=None) for task in system.tasks)
    bare = replace(system, servers=(), tasks=tasks)
    servers = (Server("outer", 5, 5), Server("inner", 3, 3, policy=bare.policy, parent="outer"))
    wrapped = System("edf", tuple(replace(task, server="inner") for task in tasks), servers)
    assert simulate(wrapped, h).jobs == simulate(bare, h).jobs


# --------------------------------------------------------------------- special cases that must be equal (8)


def rewritten(system: System, **changes: Callable[[Task], Any]) -> System:
    """Change fields of every task."""
    tasks = (replace(task, **{name: change(task) for name, change in changes.items()}) for task in system.tasks)
    return replace(system, tasks=tuple(tasks))


def all_fp(system: System) -> System:
    """Turn every dispatcher to fp and take all limits away."""
    return with_policy(without_limits(system), "fp", POLICIES)


def without_limits(system: System) -> System:
    """Return the tasks preemptive, without a threshold."""
    return rewritten(system, threshold=lambda task: None, preemption=lambda task: "preemptive")


def schedule(outcome: Outcome) -> tuple[object, ...]:
    """Leave out what tells how the schedule came about."""
    return outcome.segments, outcome.jobs, outcome.budgets


SCHEDULING_POLICIES = frozenset({"policies"})
FPDS_MIX = frozenset({"arrivals", "policies"})


@random_systems
@given(systems(features=FPDS_MIX).map(all_fp), st.sampled_from(["number", "name"]), horizons())
def test_a_threshold_equal_to_the_own_priority_changes_nothing(system: System, kind: str, h: int) -> None:
    raised = rewritten(system, threshold=lambda task: task.priority if kind == "number" else task.name)
    assert simulate(raised, h) == simulate(system, h)


@random_systems
@given(systems(features=FPDS_MIX).map(all_fp), horizons())
def test_one_subjob_a_top_threshold_and_non_preemptive_are_the_same(system: System, h: int) -> None:
    expected = simulate(rewritten(system, preemption=lambda task: "non-preemptive"), h)
    assert simulate(rewritten(system, threshold=lambda task: 99), h) == expected
    one = rewritten(system, preemption=lambda task: None, subjobs=lambda task: (task.declared_wcet,))
    assert simulate(one, h) == expected


@random_systems
@given(systems(features=FPDS_MIX).map(without_limits), horizons())
def test_subjobs_of_one_tick_are_the_same_as_preemptive(system: System, h: int) -> None:
    unit = rewritten(system, preemption=lambda task: None, subjobs=lambda task: (1,) * task.declared_wcet)
    assert schedule(simulate(unit, h)) == schedule(simulate(system, h))


@random_systems
@given(systems(features=frozenset({"points", "policies"})), horizons())
def test_points_of_preemptive_tasks_change_nothing(system: System, h: int) -> None:
    with_points = rewritten(system, preemption=lambda task: "preemptive")
    without = rewritten(
        with_points, body=lambda task: None, subjobs=lambda task: None, demand=lambda task: task.demands
    )
    assert schedule(simulate(with_points, h)) == schedule(simulate(without, h))


@random_systems
@given(systems(features=SCHEDULING_POLICIES), horizons())
def test_rm_and_dm_are_the_same_where_deadlines_are_periods(system: System, h: int) -> None:
    implicit = rewritten(system, deadline=lambda task: None)
    rm, dm = (with_policy(implicit, policy, ("rm", "dm")) for policy in ("rm", "dm"))
    assert simulate(rm, h) == simulate(dm, h)


@random_systems
@given(systems(features=SCHEDULING_POLICIES), horizons())
def test_rm_is_fp_with_priorities_by_period_class_and_file_order(system: System, h: int) -> None:
    rm = flat(system, "rm")
    order = sorted(rm.tasks, key=lambda task: (task.period or 0, ("hard", "soft", "none").index(task.class_)))
    by_hand = rewritten(replace(rm, policy="fp"), priority=lambda task: len(order) - order.index(task))
    assert schedule(simulate(by_hand, h)) == schedule(simulate(rm, h))


@random_systems
@given(systems(features=frozenset({"points", "policies"})), horizons())
def test_a_job_of_m_subjobs_at_the_root_is_preempted_at_most_m_minus_1_times(system: System, h: int) -> None:
    tasks = {task.name: task for task in system.tasks if task.server is None and task.non_preemptive}
    pieces = Counter((task, job) for _, _, _, task, job in simulate(system, h).segments if task in tasks)
    for (name, _), count in pieces.items():
        assert count <= 1 + sum(mark.kind == "point" for mark in tasks[name].marks)


@random_systems
@given(systems(features=EVERYTHING - {"on_miss"}), horizons())
def test_push_and_pull_give_the_same_schedule_without_costs(system: System, h: int) -> None:
    push, pull = (simulate(replace(system, platform=Platform(points=points)), h) for points in ("push", "pull"))
    assert (schedule(push), push.points) == (schedule(pull), pull.points)


@random_systems
@given(systems(features=frozenset({"suspensions", "points"})).map(without_limits), horizons())
def test_a_suspended_job_does_not_run(system: System, h: int) -> None:
    outcome = simulate(system, h)
    for task in system.tasks:
        for number in {segment[4] for segment in outcome.segments if segment[3] == task.name}:
            own = [segment[:2] for segment in outcome.segments if segment[3:] == (task.name, number)]
            gaps = {start_gap: end_gap for (_, start_gap), (end_gap, _) in pairwise(own)}
            for mark in task.marks:
                begin = next(
                    (end for _, end in own if served_before(outcome, task.name, number, end) == mark.executed), None
                )
                if mark.kind == "suspend" and begin in gaps:
                    assert gaps[begin] - begin >= mark.ticks


# -------------------------------------------------------------------------------------- properties of resources

SINGLE = frozenset({"arrivals", "on_miss"})
FIXED = ("fp", "rm", "dm")
LOOKING_AHEAD = ("fp", "rm", "dm", "edf")
ANY_CROWD = ANYTHING - {"policies"}
sharers = st.one_of(systems(features=ANYTHING, always=RESOURCES), crowds(), crowds(features=ANY_CROWD))


@random_systems
@given(sharers, horizons())
def test_a_resource_has_one_holder_and_a_job_unlocks_what_it_locked_last(system: System, h: int) -> None:
    held: list[tuple[str, int, str]] = []
    for _, task, job, resource, what in simulate(system, h).locks:
        if what == "lock":
            assert resource not in [name for _, _, name in held]
            held.append((task, job, resource))
        if what == "unlock":
            assert [row for row in held if row[:2] == (task, job)][-1] == (task, job, resource)
            held.remove((task, job, resource))


@random_systems
@given(sharers, horizons())
def test_a_job_locks_where_its_body_says_so(system: System, h: int) -> None:
    outcome = simulate(system, h)
    tasks = {task.name: task for task in system.tasks}
    for name, number in {row[1:3] for row in outcome.locks}:
        own = [row for row in outcome.locks if row[1:3] == (name, number) and row[4] == "lock"]
        marks = [mark for mark in tasks[name].marks if mark.kind == "lock"]
        seen = [(served_before(outcome, name, number, row[0]), row[3]) for row in own]
        assert seen == [(mark.executed, mark.resource) for mark in marks[: len(seen)]]


@random_systems
@given(sharers, horizons())
def test_a_job_waits_once_for_a_lock_and_holds_nothing_after_its_end(system: System, h: int) -> None:
    outcome = simulate(system, h)
    for name, number in {row[1:3] for row in outcome.locks}:
        own = [row for row in outcome.locks if row[1:3] == (name, number)]
        for before, after in pairwise(own):
            assert before[4] != "wait" or (after[3:] == (before[3], "lock") or after[4] == "unlock")
        finish = next(row[3] for row in outcome.jobs if row[:2] == (name, number))
        counts = Counter(row[4] for row in own)
        assert finish is None or (counts["lock"] == counts["unlock"] and own[-1][0] <= finish)


@random_systems
@given(
    crowds(features=ANY_CROWD, protocols=("npcs",)) | crowds(features=ANY_CROWD, protocols=("icpp",), policies=FIXED),
    horizons(),
)
def test_npcs_and_icpp_never_block_at_a_lock(system: System, h: int) -> None:
    outcome = simulate(system, h)
    assert not any(row[4] == "wait" for row in outcome.locks)


@random_systems
@given(crowds(features=ANY_CROWD, protocols=("srp",), policies=LOOKING_AHEAD), horizons())
def test_srp_never_blocks_at_a_lock(system: System, h: int) -> None:
    assert not any(row[4] == "wait" for row in simulate(system, h).locks)


@st.composite
def of_one_protocol(
    draw: st.DrawFn, protocols: tuple[str, ...], policies: tuple[str, ...], features: Features = SINGLE
) -> System:
    """Return a crowd with resources of one protocol."""
    return draw(crowds(features=features, protocols=(draw(st.sampled_from(protocols)),), policies=policies))


@random_systems
@given(of_one_protocol(("npcs", "pcp", "icpp", "srp"), LOOKING_AHEAD, ANY_CROWD), horizons())
def test_protocols_that_look_ahead_have_no_deadlock(system: System, h: int) -> None:
    """Under edf a late release lets a deadline come before one that icpp gave: then a lock can fail (SPEC.md, 9)."""
    assume(system.policy != "edf" or any(resource.protocol != "icpp" for resource in system.resources))
    assert simulate(system, h).deadlocks == []


@random_systems
@given(crowds(features=SINGLE, protocols=("icpp",), policies=("fp",)), horizons())
def test_icpp_and_srp_give_the_same_schedule_under_fp(system: System, h: int) -> None:
    srp = replace(system, resources=tuple(replace(resource, protocol="srp") for resource in system.resources))
    assert schedule(simulate(srp, h)) == schedule(simulate(system, h))


@random_systems
@given(crowds(), horizons())
def test_the_processor_is_idle_only_if_all_that_is_pending_is_in_a_deadlock(system: System, h: int) -> None:
    outcome = simulate(system, h)
    first = min((instant for instant, _ in outcome.deadlocks), default=h)
    for tick, running in enumerate(task_in_each_tick(outcome, h)[:first]):
        assert running is not None or pending_tasks(system, outcome, tick) == []


def sections_of(task: Task) -> list[tuple[str, int]]:
    """Return the sections of a body: the resource and the ticks from the lock to the unlock."""
    total = sum(step.ticks for step in task.steps if step.kind == "run")
    ends = {mark.resource: mark.executed for mark in task.marks if mark.kind == "unlock"}
    found = []
    for place, mark in enumerate(task.marks):
        if mark.kind == "lock":
            later = [m.executed for m in task.marks[place:] if (m.kind, m.resource) == ("unlock", mark.resource)]
            found.append((mark.resource, (later or [total])[0] - mark.executed))
    assert set(ends) <= {name for name, _ in found}
    return found


def blocking_of_the_most_urgent(system: System) -> int:
    """Return the longest section of others that may block the last task, less the tick that was needed to lock."""
    *others, top = system.tasks
    sections = [section for other in others for section in sections_of(other)]
    is_npcs = system.resources[0].protocol == "npcs"
    return max((ticks - 1 for name, ticks in sections if is_npcs or name in top.resources), default=0)


@random_systems
@given(of_one_protocol(("npcs", "pcp", "icpp", "srp"), ("fp",)), horizons())
def test_the_most_urgent_task_is_blocked_for_at_most_one_section(system: System, h: int) -> None:
    *others, last = system.tasks
    top = replace(last, priority=99, period=48, releases=None, on_miss="continue")
    system = replace(system, tasks=(*others, top))
    bound = top.declared_wcet + blocking_of_the_most_urgent(system)
    assert all(row[4] <= bound for row in simulate(system, h).jobs if row[0] == top.name and row[4] is not None)


def without_sections(task: Task) -> Task:
    """Return a body without locks."""
    return replace(task, body=tuple(item for item in task.body or () if "lock" not in item))


@random_systems
@given(of_one_protocol(("none", "pip", "pcp", "icpp", "srp"), ("fp",)), horizons())
def test_resources_that_are_not_shared_change_nothing_under_fp(system: System, h: int) -> None:
    protocol = system.resources[0].protocol
    private = tuple(
        replace(task, body=tuple(f"{item} {task.name}" if "lock" in item else item for item in task.body or ()))
        for task in system.tasks
    )
    names = {name for task in private for name in task.resources}
    separate = replace(system, tasks=private, resources=tuple(Resource(name, protocol) for name in sorted(names)))
    bare = replace(system, tasks=tuple(without_sections(task) for task in system.tasks), resources=())
    assert schedule(simulate(separate, h)) == schedule(simulate(bare, h))


@random_systems
@given(crowds(features=ANY_CROWD), horizons())
def test_systems_with_resources_run_twice_alike_and_a_shorter_horizon_gives_a_prefix(system: System, h: int) -> None:
    long, short = simulate(system, h + 7), simulate(system, h)
    assert short == simulate(system, h)
    assert [row for row in short.locks if row[0] < h] == [row for row in long.locks if row[0] < h]
    assert short.deadlocks == [row for row in long.deadlocks if row[0] < h]
    assert task_in_each_tick(short, h) == task_in_each_tick(long, h + 7)[:h]
