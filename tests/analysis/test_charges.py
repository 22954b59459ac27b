# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Costs of the kernel beside suspensions, servers, resources and thresholds: no bound is below what is simulated."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
import takt
from hypothesis import given
from hypothesis import strategies as st
from sampling import expect_cases, tries
from takt.analysis import Verdict
from takt.analysis.judge import judge
from takt.analysis.judgement import Judgement
from takt.analysis.view import view_of

SEEDS = st.integers(0, 2**32)
BEGIN = 150
HORIZON = 3000
COSTS = ("context_switch", "release", "scheduling", "point", "wake_up")
FAMILIES = {
    "suspensions": {"suspensions"},
    "idling": {"idling", "points"},
    "polling": {"polling", "points"},
    "deferrable": {"deferrable", "suspensions"},
    "nested": {"deferrable", "idling", "polling", "nested", "points", "pip", "srp"},
    "none": {"points", "thresholds", "optional"},
    "pip": {"pip"},
    "pcp": {"pcp"},
    "icpp": {"icpp"},
    "npcs": {"npcs"},
    "srp": {"srp"},
    "all": {"suspensions", "deferrable", "idling", "points", "thresholds", "pip", "npcs", "optional"},
}
PROTOCOLS = {"pip", "pcp", "icpp", "npcs", "srp"}
KINDS = ("idling", "polling", "deferrable")

seen: Counter[object] = Counter()


class Draw:
    """Draws a system with what its family has."""

    def __init__(self, seed: int, family: str) -> None:
        self.numbers = random.Random(seed)
        self.has = FAMILIES[family]
        self.policy = self.numbers.choice(["fp", "fp", "dm", "edf"])
        self.tasks: list[takt.Task] = []
        self.servers: list[takt.Server] = []
        self.resources: list[takt.Resource] = []

    def system(self) -> takt.System:
        """Draw one; what it has beyond plain tasks it has in about half of the places."""
        count = self.numbers.randint(2, 5)
        self._dispatcher(None, count, self.numbers.uniform(0.1, 0.6), self.policy)
        return takt.System(
            tasks=self.tasks or [self._task("T", None, 0.2, 1, [], "fp")],
            servers=self.servers,
            resources=self.resources,
            policy=self.policy,
            platform=self._platform(),
        )

    def _platform(self) -> takt.Platform:
        paid = {name: self.numbers.choice([0, 0, 1, 2, 3]) for name in COSTS}
        if self.numbers.random() < 0.3:
            paid |= {"tick": self.numbers.randint(1, 2), "tick_period": self.numbers.randint(10, 60)}
        return takt.Platform(**paid if any(paid.values()) else {"context_switch": 1})

    def _dispatcher(self, home: takt.Server | None, count: int, load: float, policy: str) -> None:
        """Fill the root or a server."""
        kinds = [kind for kind in KINDS if kind in self.has]
        shared = self._shared(home)
        for place in range(count):
            share = load * self.numbers.uniform(0.5, 1.5) / count
            is_server = kinds and (home is None or "nested" in self.has) and self.numbers.random() < 0.4
            if is_server and (home is None or home.parent is None):
                self._server(home, share, count - place, self.numbers.choice(kinds))
            else:
                name = f"T{len(self.tasks)}"
                self.tasks.append(self._task(name, home, share, count - place, shared, policy))

    def _server(self, home: takt.Server | None, share: float, priority: int, kind: str) -> None:
        least = self.numbers.choice([15, 80]) if home is None else int(home.period)
        period = self.numbers.randint(least, 2 * least)
        policy = self.numbers.choice(["fp", "rm", "edf"])
        server = takt.Server(
            name=f"S{len(self.servers)}",
            kind=kind,
            period=period,
            budget=max(1, min(period, round(share * 1.5 * period))),
            priority=priority,
            policy=policy,
            parent=home.name if home else None,
        )
        self.servers.append(server)
        self._dispatcher(server, self.numbers.choice([0, 1, 1, 2, 3]), share * 0.7, policy)

    def _shared(self, home: takt.Server | None) -> list[takt.Resource]:
        """Draw what the tasks of a dispatcher share."""
        protocols = sorted(PROTOCOLS & self.has)
        if not protocols:
            return []
        protocol = self.numbers.choice(protocols)
        found = [takt.Resource(name=f"R{len(self.resources) + i}", protocol=protocol) for i in range(2)]
        self.resources += found
        return found

    def _task(
        self,
        name: str,
        home: takt.Server | None,
        share: float,
        priority: int,
        shared: list[takt.Resource],
        policy: str,
    ) -> takt.Task:
        least = self.numbers.choice([15, 60]) if home is None else 2 * int(home.period)
        period = self.numbers.randint(least, 4 * least)
        wcet = max(1, round(period * share))
        deadline = self.numbers.choice([period, period, self.numbers.randint(period // 2, 2 * period)])
        more = self._body(wcet, shared)
        if "thresholds" in self.has and "wcet" in more and policy == "fp" and self.numbers.random() < 0.5:
            more["threshold"] = priority + self.numbers.randint(0, 3)
        return takt.Task(
            name=name,
            period=period,
            deadline=deadline,
            priority=priority,
            jitter=self.numbers.choice([0, 0, 0, 5]),
            offset=self.offset(period),
            server=home.name if home else None,
            **more,
        )

    def _body(self, wcet: int, shared: list[takt.Resource]) -> dict[str, Any]:
        """Draw what a job does: runs, with a suspension, a point or nothing between, or in a section."""
        runs: list[int] = []
        while wcet > 0 and len(runs) < 4:
            runs.append(self.numbers.randint(1, wcet))
            wcet -= runs[-1]
        is_odd = self.numbers.random() < 0.6
        if is_odd and shared:
            return {"body": self._sections(runs, shared)}
        between = [name for name in ("suspensions", "points") if name in self.has]
        if not (is_odd and between):
            return {"wcet": sum(runs)}
        if self.numbers.choice(between) == "suspensions":
            return {"body": [item for run in runs for item in (f"run {run}", f"suspend {self._short()}")][:-1]}
        first = ["optional point"] * ("optional" in self.has and self.numbers.random() < 0.5)
        body = [*first, *[item for run in runs for item in (f"run {run}", "point")][:-1]]
        return {"body": body, "preemption": "non-preemptive"}

    def _short(self) -> int:
        return self.numbers.randint(1, 6)

    def _sections(self, runs: list[int], shared: list[takt.Resource]) -> list[str]:
        """Return a body that holds resources in some of its runs, two of them nested."""
        body = []
        for run in runs:
            names = [resource.name for resource in shared if self.numbers.random() < 0.5]
            body += [f"lock {name}" for name in names]
            body += [f"run {run}", *(f"unlock {name}" for name in reversed(names))]
        return body

    def offset(self, period: int) -> int:
        """Draw an offset, many of them at one instant or next to it."""
        return BEGIN + self.numbers.choice([0, 0, 1, 2, self.numbers.randint(0, 9), self.numbers.randint(0, period)])

    def moved(self, system: takt.System) -> takt.System:
        """Return the same system with other offsets, and perhaps demands."""
        tasks = [task.replace(offset=self.offset(int(task.period or 0)), **self._demand(task)) for task in system.tasks]
        servers = [
            server.replace(offset=self.numbers.choice([0, self.numbers.randint(0, BEGIN)])) for server in system.servers
        ]
        return system.replace(tasks=tasks, servers=servers, seed=self.numbers.randrange(2**32))

    def _demand(self, task: takt.Task) -> dict[str, Any]:
        if not isinstance(task.wcet, int) or self.numbers.random() < 0.7:
            return {}
        return {"demand": [self.numbers.randint(1, task.wcet), task.wcet, task.wcet]}


def contradictions(system: takt.System, found: Judgement) -> list[str]:
    """Return jobs that take longer than they can, or that are late although they cannot be."""
    rows = {row.task: row for row in found.rows()}
    jobs = takt.simulate(system, HORIZON, jobs=True, segments=False).jobs
    wrong = []
    for task, arrival, finish, missed in jobs.select("task", "release", "finish", "missed").rows():
        row = rows[task]
        until = HORIZON if finish is None else finish
        is_long = row.response is not None and until - arrival > row.response
        if is_long or (missed and row.verdict is Verdict.SCHEDULABLE):
            wrong.append(f"{task} arrives at {arrival}, finishes at {finish}: {row}")
        seen["met"] += until - arrival == row.response
    return wrong


def check(seed: int, family: str) -> list[str]:
    """Return the contradictions of one system."""
    draw = Draw(seed, family)
    try:
        system = draw.system()
    except takt.InputError:
        return []
    found = judge(view_of(system))
    seen["drawn"] += 1
    for row in found.rows():
        seen[row.verdict] += 1
        seen["in a server", row.verdict] += row.server != ""
        seen["bounded"] += row.response is not None
    if not any(row.response is not None for row in found.rows()):
        return []
    return [wrong for _ in range(4) for wrong in contradictions(draw.moved(system), found)]


@pytest.mark.parametrize("family", FAMILIES)
def test_no_simulation_with_costs_contradicts_the_analysis(family: str) -> None:
    seen.clear()

    @tries(60)
    @given(SEEDS)
    def look(seed: int) -> None:
        assert check(seed, family) == []

    look()
    expect_cases(min(seen[Verdict.SCHEDULABLE], seen[Verdict.NOT_GUARANTEED]) > seen["drawn"] / 10)
    assert seen[Verdict.NOT_SCHEDULABLE] == 0


# ---- by hand --------------------------------------------------------------------------------------------


def one(system: takt.System, task: str) -> tuple[int | None, int]:
    """Return the bound of a task, and the longest response that is simulated."""
    bound = next(row.response for row in takt.analyse(system).tasks if row.task == task)
    jobs = takt.simulate(system, HORIZON, jobs=True, segments=False).jobs
    return bound, max(
        response for name, response in jobs.select("task", "response").drop_nulls().rows() if name == task
    )


def test_each_replenishment_interrupts_whoever_runs() -> None:
    """An event of a less urgent one, the own release, 40 ticks, the own completion, and seven replenishments in 70."""
    server = takt.Server(name="S", period=10, budget=1, priority=1)
    tasks = [takt.Task(name="A", period=100, wcet=40, priority=2)]
    system = takt.System(tasks=tasks, servers=[server], platform=takt.Platform(scheduling=3))
    assert one(system, "A") == (3 + 3 + 40 + 3 + 7 * 3, 3 + 40 + 5 * 3)


def test_each_return_from_a_suspension_interrupts_whoever_runs() -> None:
    """The one return of B and an event of it, the release of both, 10 ticks and a completion."""
    tasks = [
        takt.Task(name="A", period=100, wcet=10, priority=2, offset=5),
        takt.Task(name="B", period=100, body=["run 1", "suspend 3", "run 1"], priority=1),
    ]
    system = takt.System(tasks=tasks, platform=takt.Platform(scheduling=1, context_switch=1))
    bound, simulated = one(system, "A")
    assert bound == (2 + 2) + (2 + 2) + 10 + 2
    assert simulated == 2 + 10 + 1


def test_each_lock_and_unlock_may_switch() -> None:
    """Each of four less urgent tasks holds what A locks in turn, so that A switches to it and back."""
    names = ["R1", "R2", "R3", "R4"]
    below = [
        takt.Task(name=name, period=900, offset=78 - 22 * place, priority=4 - place, body=_holding(name, 40))
        for place, name in enumerate(names)
    ]
    urgent = takt.Task(
        name="A", period=900, offset=100, priority=9, body=[item for name in names for item in _holding(name, 1)]
    )
    system = takt.System(
        tasks=[urgent, *below],
        resources=[takt.Resource(name=name, protocol="pip") for name in names],
        platform=takt.Platform(context_switch=20),
    )
    bound, simulated = one(system, "A")
    switches = 1 + 2 * len(names)
    assert simulated == 4 * (1 + 1 + 1) + _left(system) + 20 * switches
    assert bound is not None
    assert bound >= simulated


def _holding(name: str, ticks: int) -> list[str]:
    """Hold a resource between two ticks in which nothing is held."""
    return ["run 1", f"lock {name}", f"run {ticks}", f"unlock {name}", "run 1"]


def _left(system: takt.System) -> int:
    """Count what was left of all sections but that of A when A came."""
    segments = takt.simulate(system, 100).segments
    run: int = sum(end - start for task, start, end in segments.select("task", "start", "end").rows() if task != "A")
    return sum(1 + 40 for _ in system.tasks[1:]) - run


def test_what_waited_for_a_replenishment_comes_at_once() -> None:
    """Ten jobs wait for a polling server, whose replenishment releases them with A; three come while A runs."""
    tasks = [
        takt.Task(name="A", period=1000, wcet=5, priority=2, offset=100),
        takt.Task(name="B", period=10, deadline=250, wcet=1, server="S", offset=5),
    ]
    server = takt.Server(name="S", kind="polling", period=100, budget=20, priority=1)
    bound, simulated = one(takt.System(tasks=tasks, servers=[server], platform=takt.Platform(release=2)), "A")
    assert simulated == 5 + (11 + 3) * 2
    assert bound is not None
    assert bound >= simulated


def test_what_is_not_bounded_in_a_server_bounds_nothing_elsewhere() -> None:
    """Jobs that pile up in a server are completed, with a pass each, as often as it pleases."""
    tasks = [
        takt.Task(name="A", period=100, wcet=10),
        takt.Task(name="B", period=10, wcet=9, class_="none", server="S"),
    ]
    server = takt.Server(name="S", period=10, budget=1)
    system = takt.System(tasks=tasks, servers=[server], policy="rm", platform=takt.Platform(release=1))
    found = takt.analyse(system)
    assert [row.verdict for row in found.tasks] == [Verdict.NOT_GUARANTEED] * 2
    assert found.tasks[0].reason.startswith("the kernel's work is not bounded: B ")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"kind": "sporadic"}, "there is no test of sporadic servers where the kernel's own work takes time"),
        ({"on_miss": "abort"}, "there is no test of jobs that are aborted or skipped where the kernel's own work"),
        ({"arrivals": [0, 0]}, "jobs of A may arrive any number at a time"),
        ({"wcet": 2**61, "period": 2**61}, "jobs take longer than can be computed"),
    ],
)
def test_what_has_no_test_is_told(changes: dict[str, Any], reason: str) -> None:
    task = {"name": "A", "period": 20, "wcet": 1, "deadline": 20, "server": "S"} | changes
    kind = task.pop("kind", "idling")
    if "arrivals" in task:
        task |= {"period": None, "min_separation": None}
    servers = [takt.Server(name="S", period=10, budget=1, kind=kind)]
    costs = takt.Platform(scheduling=task["wcet"], context_switch=task["wcet"])
    row = takt.analyse(takt.System(tasks=[takt.Task(**task)], servers=servers, platform=costs, horizon=100)).tasks[0]
    assert row.verdict is Verdict.NOT_KNOWN
    assert reason in row.reason


def test_a_task_may_be_named_like_the_kernel() -> None:
    late = takt.Task(name="B", period=40, deadline=5, body=["run 1", "suspend 1", "run 9"])
    tasks = [takt.Task(name="kernel", period=20, wcet=1, deadline=2), late]
    found = takt.analyse(takt.System(tasks=tasks, policy="rm", platform=takt.Platform(release=1)))
    assert {name for name, _ in found.tasks[1].interference} == {"kernel", "kernel'"}


def row_of(system: takt.System, task: str) -> takt.analysis.TaskBound:
    """Return the analysis' row of a task."""
    return next(row for row in takt.analyse(system).tasks if row.task == task)


@pytest.mark.parametrize(
    ("body", "blocking"),
    [
        ({"wcet": 10, "preemption": "non-preemptive"}, 10),
        ({"body": ["run 1", "lock R", "run 7", "unlock R", "run 2"]}, 7),
        ({"wcet": 10, "threshold": 9}, 10),
    ],
)
def test_in_a_server_who_has_been_chosen_has_not_yet_executed(body: dict[str, Any], blocking: int) -> None:
    """The kernel is at work when the more urgent one comes; its time is not in the budget."""
    tasks = [
        takt.Task(name="A", period=900, priority=2, server="S", body=["lock R", "run 1", "unlock R"]),
        takt.Task(name="B", period=900, priority=1, server="S", **body),
    ]
    system = takt.System(
        tasks=tasks,
        servers=[takt.Server(name="S", period=100, budget=50)],
        resources=[takt.Resource(name="R", protocol="srp")],
        platform=takt.Platform(context_switch=2),
    )
    assert row_of(system, "A").blocking == blocking


def test_a_region_at_the_root_pays_for_its_points_and_its_end() -> None:
    """An event, a region of 6 with an optional point, and the switch behind it; and what A itself and releases pay."""
    body = ["optional point", "run 6", "point", "run 2"]
    tasks = [
        takt.Task(name="A", period=900, priority=2, wcet=5),
        takt.Task(name="B", period=900, priority=1, body=body),
    ]
    platform = takt.Platform(context_switch=4, scheduling=1, point=2, release=1)
    row = row_of(takt.System(tasks=tasks, platform=platform), "A")
    assert (row.blocking, row.response) == ((5 + 2) + (6 + 2) + 5, (7 + 8 + 5) + 6 + 6 + 5 + 5)


def test_jobs_in_a_server_last_as_long_as_is_found() -> None:
    """The deadline of a job in a server that it does not meet tells nothing about how many wait."""
    inner = takt.Task(name="B", period=50, wcet=1, server="S")
    tasks = [takt.Task(name="A", period=900, wcet=9), inner.replace(deadline=5)]
    system = takt.System(
        tasks=tasks,
        servers=[takt.Server(name="S", period=100, budget=5)],
        policy="rm",
        platform=takt.Platform(scheduling=1),
    )
    late = row_of(system, "B")
    assert late.verdict is Verdict.NOT_GUARANTEED
    in_time = system.replace(tasks=[tasks[0], inner.replace(deadline=late.response)])
    assert row_of(in_time, "B").verdict is Verdict.SCHEDULABLE
    assert row_of(in_time, "A").response == row_of(system, "A").response
