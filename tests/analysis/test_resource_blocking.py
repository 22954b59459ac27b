# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Blocking by shared resources, in a dispatcher and among servers: as defined, and never below the observed."""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import cycle
from typing import Any

import pytest
import takt
from analysis_oracle import sharing as oracle
from columns import column
from sampling import count, expect_cases
from server_systems import BEGIN, KIND, arrivals, known
from takt import _analysis as analysis

LOCKING = {
    "npcs": analysis.NPCS,
    "pip": analysis.PIP,
    "pcp": analysis.CEILING,
    "icpp": analysis.CEILING,
    "srp": analysis.CEILING,
}
SAMPLE = 60


@dataclass
class Job:
    """A task: C, T = D, and what its jobs do, as runs with what is held in each, the outer one first."""

    period: int
    runs: list[tuple[int, tuple[str, ...]]]

    @property
    def wcet(self) -> int:
        return sum(ticks for ticks, _ in self.runs)

    @property
    def sections(self) -> list[tuple[str, int]]:
        """What is held for how long, neighbouring runs together."""
        found: list[tuple[str, int]] = []
        for place, (_, held) in enumerate(self.runs):
            before = self.runs[place - 1][1] if place else ()
            for resource in set(held) - set(before):
                stretch = []
                for ticks, also in self.runs[place:]:
                    if resource not in also:
                        break
                    stretch.append(ticks)
                found.append((resource, sum(stretch)))
        return found

    @property
    def body(self) -> list[str]:
        """The items of its body."""
        items: list[str] = []
        held: list[str] = []
        for ticks, wanted in self.runs:
            while held and held[-1] not in wanted:
                items.append(f"unlock {held.pop()}")
            for resource in [each for each in wanted if each not in held]:
                items.append(f"lock {resource}")
                held.append(resource)
            items += [f"run {ticks}"] if ticks else []
        return items + [f"unlock {resource}" for resource in reversed(held)]


def raised(jobs: list[Job]) -> list[tuple[int, str]]:
    """Return the most urgent user of A for what is nested in A, and so on: names are nested in their order."""
    nested = {held for job in jobs for _, held in job.runs if len(held) > 1}
    users = {name: [i for i, job in enumerate(jobs) if any(name in held for _, held in job.runs)] for name in "ABC"}
    first = {name: min(places) for name, places in users.items() if places}
    for outer, inner in sorted(nested):
        first[inner] = min(first[inner], first[outer])
    return [(place, name) for name, place in first.items()]


def columns_of(jobs: list[Job], late: list[int], *, is_nested: bool = False) -> dict[str, Any]:
    names = sorted({resource for job in jobs for resource, _ in job.sections})
    rows = [(i, names.index(r), ticks) for i, job in enumerate(jobs) for r, ticks in job.sections]
    rows += [(first, names.index(r), 1) for first, r in raised(jobs)] if is_nested else []
    parts = list(zip(*rows, strict=True)) if rows else [(), (), ()]
    names_of_columns = ("section_task", "section_resource", "section_ticks")
    sections = {name: column(part) for name, part in zip(names_of_columns, parts, strict=True)}
    return sections | {"late": column(late), "early": column(late)}


def times_of(jobs: list[Job]) -> dict[str, Any]:
    period = column(job.period for job in jobs)
    kind = column([analysis.TASK] * len(jobs))
    return {"kind": kind, "wcet": column(job.wcet for job in jobs), "period": period, "deadline": period}


# ---- as defined ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("locking", range(3))
def test_blocking_is_that_of_the_definition(locking: int) -> None:
    numbers = random.Random(locking)
    seen = set()
    for _ in range(count(200)):
        tasks = numbers.randint(1, 5)
        late = [numbers.randint(0, 12) for _ in range(tasks)]
        early = [max(0, level - numbers.choice([0, 0, 3])) for level in late]
        rows = [(numbers.randrange(tasks), numbers.randrange(3), numbers.randint(1, 6)) for _ in range(6)]
        task, resource, ticks = (column(part) for part in zip(*rows, strict=True))
        given = (task, resource, ticks, column(late), column(early), locking)
        expected = [oracle.blocking(rows, late, early, locking, at) for at in range(15)]
        assert analysis.sharing_blocking(*given, column(range(15))).tolist() == expected
        begins, blocked = analysis.sharing_steps(*given)
        steps = dict(zip(begins.tolist(), blocked.tolist(), strict=True))
        assert [steps[max(b for b in steps if b <= at)] for at in range(15)] == expected
        regions = [numbers.randint(1, 4) for _ in late]
        begins, blocked = analysis.sharing_steps(*given, column(regions))
        steps = dict(zip(begins.tolist(), blocked.tolist(), strict=True))
        below = [
            max((r - 1 for r, level in zip(regions, late, strict=True) if level > at), default=0) for at in range(15)
        ]
        both = [section + region for section, region in zip(expected, below, strict=True)]
        assert [steps[max(b for b in steps if b <= at)] for at in range(15)] == both
        seen |= set(expected)
    expect_cases(len(seen) > 3)


def inversion(protocol: str) -> Any:
    jobs = [
        Job(40, [(1, ()), (2, ("R",)), (1, ())]),
        Job(40, [(6, ())]),
        Job(40, [(1, ()), (4, ("R",)), (2, ())]),
    ]
    ranks = [0, 1, 2]
    return analysis.sharing_blocking(**columns_of(jobs, ranks), locking=LOCKING[protocol], at=column(ranks)).tolist()


def test_inversion_and_chain() -> None:
    """The golden inversion, where H responds in 6 of its bound 4 + 3; and a chain of two, which only pip has."""
    for protocol in ("pip", "pcp", "icpp", "srp", "npcs"):
        assert inversion(protocol) == [3, 3, 0]
    jobs = [
        Job(40, [(1, ("A",)), (1, ("B",))]),
        Job(40, [(3, ("A",))]),
        Job(40, [(4, ("B",))]),
    ]
    found = {
        locking: analysis.sharing_blocking(**columns_of(jobs, [0, 1, 2]), locking=locking, at=column([0, 1]))
        for locking in (analysis.PIP, analysis.CEILING)
    }
    assert found[analysis.PIP].tolist() == [5, 3]
    assert found[analysis.CEILING].tolist() == [3, 3]


# ---- never below the observed --------------------------------------------------------------------------------


def draw_runs(numbers: random.Random, wcet: int, is_nested: bool) -> list[tuple[int, tuple[str, ...]]]:
    """Draw runs, some within a section; nested ones are entered in the order of their names, so nobody deadlocks."""
    runs: list[tuple[int, tuple[str, ...]]] = []
    while (left := wcet - sum(ticks for ticks, _ in runs)) > 0:
        outer, inner = sorted(numbers.sample("ABC", 2))
        if is_nested and left >= 3 and numbers.random() < 0.5:
            runs += [(1, (outer,)), (numbers.randint(1, left - 2), (outer, inner)), (1, (outer,)), (0, ())]
        else:
            runs += [(numbers.randint(1, left), numbers.choice([(), (outer,)])), (0, ())]
    return runs


def draw_jobs(numbers: random.Random, is_nested: bool = False) -> list[Job]:
    jobs = []
    load = numbers.uniform(0.4, 0.95)
    for _ in range(many := numbers.randint(2, 5)):
        period = numbers.randint(8, 60)
        wcet = max(1, round(period * load * numbers.uniform(0.5, 1.3) / many))
        jobs.append(Job(period, draw_runs(numbers, wcet, is_nested)))
    return sorted(jobs, key=lambda job: job.period)


def system_of(
    numbers: random.Random, policy: str, protocols: list[str], jobs: list[Job], regions: list[str] | None = None
) -> takt.System:
    """Return the system of jobs that come about together; resources have the protocols in turn."""
    critical = BEGIN + 60
    tasks = [
        takt.Task(
            name=str(place),
            priority=len(jobs) - place,
            body=job.body,
            preemption=regions[place] if regions else "preemptive",
            min_separation=job.period,
            deadline=job.period,
            arrivals=arrivals(numbers, job.period, critical + numbers.randint(-6, 6), 400),
        )
        for place, job in enumerate(jobs)
    ]
    names = sorted({resource for job in jobs for resource, _ in job.sections})
    resources = [
        takt.Resource(name=name, protocol=protocol) for name, protocol in zip(names, cycle(protocols), strict=False)
    ]
    return takt.System(tasks=tasks, resources=resources, policy=policy)


def worst_responses(system: takt.System) -> dict[str, int]:
    found = takt.simulate(system, horizon=600).jobs
    worst: dict[str, int] = {}
    for name, response in zip(found["task"], found["response"], strict=True):
        worst[name] = max(worst.get(name, 0), 600 if response is None else response)
    return worst


def simulate(numbers: random.Random, policy: str, protocol: str, jobs: list[Job]) -> dict[str, int]:
    return worst_responses(system_of(numbers, policy, [protocol], jobs))


@pytest.mark.parametrize("protocol", LOCKING)
@pytest.mark.parametrize("is_nested", [False, True])
def test_no_task_is_slower_than_its_bound_with_blocking(protocol: str, is_nested: bool) -> None:
    is_raised = is_nested and protocol == "pip"
    compared = attained = 0
    for seed in range(count(SAMPLE)):
        numbers = random.Random(seed)
        jobs = draw_jobs(numbers, is_nested)
        ranks = list(range(len(jobs)))
        sections = columns_of(jobs, ranks, is_nested=is_raised)
        blocking = analysis.sharing_blocking(**sections, locking=LOCKING[protocol], at=column(ranks))
        bounds = known(analysis.fp_responses(analysis.Tasks(**times_of(jobs), blocking=blocking))[0])
        for name, response in simulate(numbers, "fp", protocol, jobs).items():
            bound = bounds[int(name)]
            if bound is not None:
                assert response <= bound, f"seed {seed}: {jobs}"
                compared += 1
                attained += response == bound
    expect_cases(compared > count(SAMPLE))
    expect_cases(attained > count(SAMPLE) // 10)
    print(f"{protocol} nested {is_nested}: {compared} tasks compared, {attained} bounds attained")


@pytest.mark.parametrize("protocol", LOCKING)
def test_nobody_is_late_under_edf_whom_the_test_with_blocking_accepts(protocol: str) -> None:
    accepted = refused = 0
    for seed in range(count(SAMPLE)):
        numbers = random.Random(seed)
        jobs = draw_jobs(numbers)
        deadlines = [job.period for job in jobs]
        begins, ticks = analysis.sharing_steps(**columns_of(jobs, deadlines), locking=LOCKING[protocol])
        verdict = analysis.edf_demand(analysis.Tasks(**times_of(jobs), step_from=begins, step_ticks=ticks))[0]
        worst = simulate(numbers, "edf", protocol, jobs)
        if verdict == analysis.SCHEDULABLE:
            assert all(worst[name] <= deadlines[int(name)] for name in worst), f"seed {seed}: {jobs}"
            accepted += 1
        refused += any(worst[name] > deadlines[int(name)] for name in worst)
    expect_cases(accepted > count(SAMPLE) // 4)
    print(f"{protocol}: {accepted} of {count(SAMPLE)} accepted, {refused} late")


# ---- protocols together, and regions ------------------------------------------------------------------------------

MIXED = [("pip", "icpp"), ("icpp", "pip"), ("npcs", "pip"), ("pip", "npcs", "icpp"), ("icpp",), ("srp",), ("npcs",)]


@pytest.mark.parametrize("protocols", MIXED, ids="+".join)
@pytest.mark.parametrize("policy", ["fp", "edf"])
def test_no_task_is_slower_than_its_bound_with_mixed_protocols_and_regions(policy: str, protocols: tuple[str]) -> None:
    compared = attained = 0
    for seed in range(count(SAMPLE)):
        numbers = random.Random(seed)
        jobs = draw_jobs(numbers, is_nested=numbers.random() < 0.5)
        regions = [numbers.choice(["preemptive", "preemptive", "non-preemptive"]) for _ in jobs]
        system = system_of(numbers, policy, list(protocols), jobs, regions)
        worst = worst_responses(system)
        for row in takt.analyse(system, sensitivity=False).tasks:
            if row.response is not None and row.task in worst:
                assert worst[row.task] <= row.response, f"seed {seed}: {row}, {system}"
                compared += 1
                attained += worst[row.task] == row.response
    expect_cases(attained > count(SAMPLE) // 10, (compared, attained))


def node(bus: str, state: str) -> takt.System:
    """A task above all ceilings; one that uses state, and one that uses the bus, with a less urgent user each."""
    task = takt.Task
    tasks = [
        task(name="isr", period=500, wcet=25, priority=20),
        task(name="motor", period=1000, priority=15, sections=[100, "30 state", 50]),
        task(name="imu", period=5000, priority=14, sections=[60, "200 bus", 60]),
        task(name="estimator", period=10_000, priority=12, sections=[400, "40 state", 200]),
        task(name="temperature", period=100_000, priority=8, sections=[300, "400 bus", 300]),
    ]
    resources = [takt.Resource(name="bus", protocol=bus), takt.Resource(name="state", protocol=state)]
    return takt.System(policy="fp", tasks=tasks, resources=resources)


@pytest.mark.parametrize(
    ("bus", "state", "expected"),
    [
        ("pip", "icpp", [0, 39, 438, 399, 0]),
        ("pip", "pip", [0, 39, 438, 399, 0]),
        ("icpp", "icpp", [0, 39, 399, 399, 0]),
        ("npcs", "icpp", [399, 438, 438, 399, 0]),
    ],
)
def test_a_section_delays_nobody_above_all_whose_urgency_its_holder_gets(
    bus: str, state: str, expected: list[int]
) -> None:
    assert [row.blocking for row in takt.analyse(node(bus, state), sensitivity=False).tasks] == expected


def test_an_inner_section_delays_those_that_its_holder_delays() -> None:
    """L holds pip's B while M, inside of A, waits for it, and so delays H, which uses A only."""
    bodies = {
        "T": ["run 2"],
        "H": ["lock A", "run 1", "unlock A"],
        "M": ["lock A", "run 1", "lock B", "run 2", "unlock B", "unlock A"],
        "L": ["lock B", "run 6", "unlock B"],
    }
    tasks = [
        takt.Task(name=name, period=100, offset=3 - place, priority=9 - place, body=body)
        for place, (name, body) in enumerate(bodies.items())
    ]
    resources = [takt.Resource(name="A", protocol="icpp"), takt.Resource(name="B", protocol="pip")]
    system = takt.System(policy="fp", tasks=tasks, resources=resources)
    assert [row.blocking for row in takt.analyse(system, sensitivity=False).tasks] == [0, 2 + 5, 5, 0]
    assert takt.simulate(system, 100).summary["response_max"][1] == 10


@pytest.mark.parametrize(
    ("protocol", "motor"), [("icpp", 3999), ("srp", 3999), ("npcs", 3999), ("pcp", 4098), ("pip", 4098)]
)
def test_a_job_waits_for_a_section_or_a_region_where_a_holder_displaces_no_other(protocol: str, motor: int) -> None:
    tasks = [
        takt.Task(name="motor", period=1000, priority=3, sections=[100, "50 bus", 50]),
        takt.Task(name="imu", period=5000, priority=2, sections=[100, "100 bus", 100]),
        takt.Task(name="flash", period=100_000, wcet=4000, priority=1, preemption="non-preemptive"),
    ]
    system = takt.System(policy="fp", tasks=tasks, resources=[takt.Resource(name="bus", protocol=protocol)])
    assert [row.blocking for row in takt.analyse(system, sensitivity=False).tasks] == [motor, 3999, 0]


# ---- among servers -------------------------------------------------------------------------------------------


@dataclass
class Home:
    """A server with tasks, most urgent first, which may hold G."""

    kind: str
    budget: int
    period: int
    jobs: list[Job]

    @property
    def ceiling(self) -> int:
        """The place of the most urgent user; behind all if there is none."""
        return next((place for place, job in enumerate(self.jobs) if job.sections), len(self.jobs))

    @property
    def holding(self) -> int:
        """X: the longest section, and what those above the ceiling execute meanwhile."""
        section = max((ticks for job in self.jobs for _, ticks in job.sections), default=0)
        found = section
        while True:
            above = self.jobs[: self.ceiling] if section else []
            longest = section + sum(-(-found // job.period) * job.wcet for job in above)
            if longest == found or longest > self.budget:
                return longest
            found = longest


def draw_home(numbers: random.Random, share: float) -> Home:
    period = numbers.randint(6, 20)
    budget = max(2, round(period * share))
    jobs = []
    for _ in range(numbers.randint(1, 2)):
        separation = numbers.randint(2 * period, 8 * period)
        wcet = max(1, round(separation * budget / period * numbers.uniform(0.05, 0.35)))
        section = numbers.randint(1, min(3, wcet))
        runs: list[tuple[int, tuple[str, ...]]] = [(section, ("G",))] if numbers.random() < 0.7 else [(section, ())]
        rest = wcet - section
        before = numbers.randint(0, rest)
        runs = [(before, ()), *runs, (rest - before, ())]
        jobs.append(Job(separation, [run for run in runs if run[0] > 0]))
    return Home(numbers.choice(["deferrable", "idling", "polling"]), budget, period, jobs)


def bounds_among(policy: str, protocol: str, homes: list[Home]) -> dict[str, int]:
    """Bound the responses of the tasks in servers, most urgent first, that share G."""
    bounds: dict[str, int] = {}
    for place, (home, response) in enumerate(zip(homes, server_responses(policy, protocol, homes), strict=True)):
        if response is not None and response <= home.period:
            inside = bounds_inside(home, supply_of(protocol, home, response))
            bounds |= {f"{place}.{number}": ticks for number, ticks in enumerate(inside) if ticks is not None}
    return bounds


def server_responses(policy: str, protocol: str, homes: list[Home]) -> list[int | None]:
    """Bound how long after a replenishment each server has its budget."""
    overrun = [0 if protocol == "sirap" else home.holding for home in homes]
    rows = [(place, 0, home.holding) for place, home in enumerate(homes) if home.holding]
    task, resource, ticks = (column(part) for part in zip(*rows, strict=True))
    period = column(home.period for home in homes)
    children: dict[str, Any] = {
        "kind": column(KIND[home.kind] for home in homes),
        "wcet": column(home.budget + more for home, more in zip(homes, overrun, strict=True)),
        "period": period,
        "deadline": period,
    }
    if any(home.budget + more > home.period for home, more in zip(homes, overrun, strict=True)):
        return [None] * len(homes)
    if policy == "fp":
        ranks = column(range(len(homes)))
        blocking = analysis.sharing_blocking(task, resource, ticks, ranks, ranks, analysis.CEILING, ranks)
        return known(analysis.fp_responses(analysis.Tasks(**children, blocking=blocking))[0])
    begins, blocked = analysis.sharing_steps(task, resource, ticks, period, period, analysis.CEILING)
    verdict = analysis.edf_demand(analysis.Tasks(**children, step_from=begins, step_ticks=blocked))[0]
    return [home.period if verdict == analysis.SCHEDULABLE else None for home in homes]


def supply_of(protocol: str, home: Home, response: int) -> tuple[int, int, int, int]:
    is_polling = home.kind == "polling"
    if home.holding and protocol != "hsrp":
        make = analysis.sirap_supply if protocol == "sirap" else analysis.payback_supply
        return make(home.period, home.budget, response, home.holding, is_polling)
    return analysis.make_supply(home.period, home.budget, response, is_polling)


def bounds_inside(home: Home, supply: tuple[int, int, int, int]) -> list[int | None]:
    ranks = list(range(len(home.jobs)))
    sections = columns_of(home.jobs, ranks)
    blocking = analysis.sharing_blocking(**sections, locking=analysis.CEILING, at=column(ranks))
    return known(analysis.fp_responses(analysis.Tasks(**times_of(home.jobs), blocking=blocking, supply=supply))[0])


def simulate_homes(numbers: random.Random, policy: str, protocol: str, homes: list[Home]) -> list[tuple[str, int]]:
    tasks, servers = [], []
    critical = BEGIN + 100
    for place, home in enumerate(homes):
        offset = numbers.choice([0, numbers.randint(0, BEGIN)])
        rank = len(homes) - place
        servers.append(
            takt.Server(
                name=f"S{place}",
                period=home.period,
                budget=home.budget,
                priority=rank,
                kind=home.kind,
                offset=offset,
            )
        )
        for number, job in enumerate(home.jobs):
            tasks.append(
                takt.Task(
                    name=f"{place}.{number}",
                    server=f"S{place}",
                    priority=9 - number,
                    body=job.body,
                    min_separation=job.period,
                    arrivals=arrivals(numbers, job.period, critical + numbers.randint(-8, 8), 500),
                )
            )
    system = takt.System(
        tasks=tasks, servers=servers, policy=policy, resources=[takt.Resource(name="G", protocol=protocol)]
    )
    found = takt.simulate(system, horizon=800).jobs
    waits = zip(found["task"], found["release"], found["response"], strict=True)
    return [(name, 800 - release if response is None else response) for name, release, response in waits]


@pytest.mark.parametrize("policy", ["fp", "edf"])
@pytest.mark.parametrize("protocol", ["hsrp", "hsrp-payback", "sirap"])
def test_no_task_in_servers_that_share_is_slower_than_its_bound(policy: str, protocol: str) -> None:
    bounded = systems = 0
    for seed in range(count(3 * SAMPLE)):
        numbers = random.Random(seed)
        share = numbers.uniform(0.5, 0.95)
        many = numbers.randint(2, 3)
        homes = [draw_home(numbers, share / many) for _ in range(many)]
        if all(home.holding == 0 for home in homes) or any(home.holding > home.budget for home in homes):
            continue
        if sum(home.holding > 0 for home in homes) < 2:
            continue
        bounds = bounds_among(policy, protocol, homes)
        bounded += len(bounds)
        systems += 1
        for name, response in simulate_homes(numbers, policy, protocol, homes):
            assert name not in bounds or response <= bounds[name], f"seed {seed}: {name} {response} {bounds} {homes}"
    expect_cases(bounded > systems // 4 > 0)
    print(f"{policy} {protocol}: {systems} systems, {bounded} tasks bounded")


def test_golden_schedules_of_sharing_servers_are_within_the_bounds() -> None:
    """Of hsfsync: A responds in 6 under hsrp and with payback, in 4 under sirap; SB is sure of too little for B."""
    homes = [
        Home("deferrable", 4, 10, [Job(45, [(1, ()), (2, ("G",)), (1, ())])]),
        Home("deferrable", 5, 15, [Job(45, [(3, ()), (3, ("G",)), (5, ())])]),
    ]
    bounds = {protocol: bounds_among("fp", protocol, homes) for protocol in ("hsrp", "hsrp-payback", "sirap")}
    assert bounds == {"hsrp": {"0.0": 14}, "hsrp-payback": {"0.0": 22}, "sirap": {"0.0": 20}}


def test_under_sirap_a_job_can_wait_for_budget_in_every_period() -> None:
    """Taking the wait once, 44 ticks would be enough: C = 3, X = 6, and 3 of 10 above, of 6 in 10."""
    high, low = Job(10, [(3, ())]), Job(1000, [(3, ("G",))])
    home = Home("deferrable", 6, 10, [high, low])
    assert home.holding == 6
    tasks = [
        takt.Task(name="high", period=10, wcet=3, priority=2, server="S"),
        takt.Task(name="low", min_separation=1000, arrivals=[0], body=low.body, priority=1, server="S"),
        takt.Task(name="user", min_separation=1000, arrivals=[900], body=low.body, server="T"),
    ]
    servers = [
        takt.Server(name="S", period=10, budget=6, priority=2),
        takt.Server(name="T", period=10, budget=3, priority=1),
    ]
    resources = [takt.Resource(name="G", protocol="sirap")]
    system = takt.System(tasks=tasks, servers=servers, resources=resources, policy="fp")
    found = takt.simulate(system, horizon=500).jobs.filter(task="low")["response"].to_list()
    assert found == [None]
    assert bounds_inside(home, supply_of("sirap", home, 10)) == [None, None]
