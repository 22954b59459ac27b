# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Random systems with servers, and what the analysis says of their tasks: for tests that simulate against bounds."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import takt
from columns import Column, column
from takt import _analysis as analysis

KIND = {
    "task": analysis.TASK,
    "idling": analysis.PERIODIC,
    "polling": analysis.PERIODIC,
    "deferrable": analysis.DEFERRABLE,
    "sporadic": analysis.SPORADIC,
    "sporadic-strict": analysis.SEPARATED,
    "cbs": analysis.BANDWIDTH,
    "hard-cbs": analysis.BANDWIDTH,
    "tbs": analysis.BANDWIDTH,
    "cus": analysis.BANDWIDTH,
}
FULL = (1, 1, 0, 0)
# All servers have begun by then, and no job comes before.
BEGIN = 30


@dataclass
class Child:
    """A task or a server; of a server wcet and period are Q and P, and it has children in turn, most urgent first.

    Args:
        region: the longest region that no task in its dispatcher preempts: 1, or the wcet of a non-preemptive task.
    """

    name: str
    kind: str
    wcet: int
    period: int
    deadline: int
    policy: str = "fp"
    children: list[Child] = field(default_factory=list)
    region: int = 1


@dataclass
class Bounds:
    """Answers of the analysis.

    Args:
        responses: the longest response of each task that has a bound.
        accepted: the servers whose supply is certain, and `root`.
    """

    responses: dict[str, int] = field(default_factory=dict)
    accepted: set[str] = field(default_factory=set)


def known(ticks: Column) -> list[int | None]:
    """Return responses as numbers, None for those that are not bounded or not known."""
    return [None if value in (analysis.UNBOUNDED, analysis.UNKNOWN) else value for value in ticks.tolist()]


def columns(children: list[Child]) -> dict[str, Any]:
    """Return the columns of the members of a dispatcher."""
    return {
        "kind": column(KIND[child.kind] for child in children),
        "wcet": column(child.wcet for child in children),
        "period": column(child.period for child in children),
        "deadline": column(child.deadline for child in children),
    }


# ---- analysis ------------------------------------------------------------------------------------------------


def find_bounds(policy: str, children: list[Child]) -> Bounds:
    """Bound the responses of all tasks below the root."""
    bounds = Bounds()
    _bound_dispatcher(bounds, "root", policy, children, FULL)
    return bounds


def _bound_dispatcher(
    bounds: Bounds, name: str, policy: str, children: list[Child], supply: tuple[int, int, int, int]
) -> None:
    find = _fixed_priority_responses if policy == "fp" else _edf_responses
    responses = find(children, supply)
    if None not in responses:
        bounds.accepted.add(name)
    for child, response in zip(children, responses, strict=True):
        if response is not None:
            _bound_child(bounds, child, response)


def _bound_child(bounds: Bounds, child: Child, response: int) -> None:
    if child.kind == "task":
        bounds.responses[child.name] = response
    elif child.kind in ("cbs", "tbs", "cus"):
        _bound_bandwidth(bounds, child)
    elif response <= child.period:
        _bound_dispatcher(bounds, child.name, child.policy, child.children, supply_of(child, response))


def supply_of(server: Child, response: int) -> tuple[int, int, int, int]:
    """Return the supply of a server that has its budget so many ticks after a replenishment."""
    if server.kind in ("sporadic", "sporadic-strict"):
        return analysis.sporadic_supply(server.period, server.wcet, response)
    return analysis.make_supply(server.period, server.wcet, response, is_polling=server.kind == "polling")


def _fixed_priority_responses(children: list[Child], supply: tuple[int, int, int, int]) -> list[int | None]:
    last = column(child.region for child in children)
    below = [[lower.region - 1 for lower in children[place + 1 :]] for place in range(len(children))]
    blocking = column(max(regions, default=0) for regions in below)
    ticks, _ = analysis.fp_responses(analysis.Tasks(**columns(children), blocking=blocking, last=last, supply=supply))
    return known(ticks)


def _edf_responses(children: list[Child], supply: tuple[int, int, int, int]) -> list[int | None]:
    regions = column(child.region for child in children)
    verdict, interval, demand, _ = analysis.edf_demand(
        analysis.Tasks(**columns(children), regions=regions, supply=supply)
    )
    if verdict == analysis.UNSCHEDULABLE and demand > 0:
        return [c.deadline if c.deadline > interval and c.kind not in BANDWIDTH else None for c in children]
    return [child.deadline if verdict == analysis.SCHEDULABLE else None for child in children]


BANDWIDTH = ("cbs", "hard-cbs", "tbs", "cus")


def _bound_bandwidth(bounds: Bounds, server: Child) -> None:
    inside = server.children
    if server.kind == "cbs" and len(inside) == 1:
        response = analysis.cbs_response(inside[0].wcet, inside[0].period, 0, server.period, server.wcet)
    else:
        find = analysis.cbs_busy_period if server.kind == "cbs" else analysis.total_bandwidth_busy_period
        c = columns(inside)
        response = find(analysis.Tasks(c["wcet"], c["period"]), server.period, server.wcet, effort=200)
    if response not in (analysis.UNBOUNDED, analysis.UNKNOWN):
        bounds.accepted.add(server.name)
        bounds.responses |= {task.name: response for task in inside}


# ---- drawing -------------------------------------------------------------------------------------------------


class Draw:
    """Random numbers, and names in order."""

    def __init__(self, seed: int) -> None:
        self.numbers = random.Random(seed)
        self.count = 0

    def name(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    def task(self, share: float, shortest: int) -> Child:
        period = self.numbers.randint(shortest, 4 * shortest)
        wcet = max(1, min(period, round(period * share)))
        deadline = self.numbers.choice([period, 2 * period, self.numbers.randint(wcet, period)])
        region = self.numbers.choice([1, 1, 1, wcet])
        return Child(self.name("t"), "task", wcet, period, deadline, region=region)

    def shares(self, count: int, total: float) -> list[float]:
        """Cut a total at random places."""
        cuts = sorted(self.numbers.uniform(0, total) for _ in range(count - 1))
        return [b - a for a, b in zip([0.0, *cuts], [*cuts, total], strict=True)]

    def tasks(self, count: int, total: float, shortest: int) -> list[Child]:
        return [self.task(share, shortest) for share in self.shares(count, total)]

    def server(self, kind: str, share: float, depth: int = 1) -> Child:
        """Draw a server with tasks in it, and with depth > 1 perhaps a server."""
        period = self.numbers.randint(3, 14)
        budget = max(1, min(period, round(period * share)))
        policy = "edf" if kind in ("tbs", "cus") else self.numbers.choice(["fp", "edf"])
        load = budget / period * self.numbers.uniform(0.3, 0.95)
        children = self.tasks(self.numbers.randint(1, 3), load, self.numbers.choice([period, 3 * period]))
        if depth > 1:
            kinds = ["idling", "deferrable", "polling", "sporadic", "sporadic-strict"]
            inner = self.server(self.numbers.choice(kinds), load / 2)
            inner.period *= 3
            inner.deadline = inner.period
            children[-1:] = [inner]
        return Child(self.name("s"), kind, budget, period, period, policy, sorted(children, key=lambda c: c.deadline))

    def system(self, kinds: tuple[str, ...], depth: int = 1) -> list[Child]:
        """Draw what stands at the root: one to three servers of the kinds, and tasks."""
        servers = self.numbers.randint(1, 3)
        shares = self.shares(servers + 2, self.numbers.choice([self.numbers.uniform(0.5, 0.9), 0.95, 1.02]))
        children = [self.server(self.numbers.choice(kinds), share, depth) for share in shares[:servers]]
        children += self.tasks(self.numbers.randint(0, 2), sum(shares[servers:]), self.numbers.choice([5, 12]))
        self.numbers.shuffle(children)
        return children


# ---- simulation ----------------------------------------------------------------------------------------------


def build_system(draw: Draw, policy: str, children: list[Child], span: int) -> takt.System:
    """Return a system whose arrivals are as unkind as chance has it."""
    tasks: list[takt.Task] = []
    servers: list[takt.Server] = []
    critical = draw.numbers.randint(BEGIN + 10, BEGIN + 50)
    _build(draw, children, None, critical, span, tasks, servers)
    return takt.System(tasks=tasks, servers=servers, policy=policy)


def _build(
    draw: Draw,
    children: list[Child],
    home: Child | None,
    critical: int,
    span: int,
    tasks: list[takt.Task],
    servers: list[takt.Server],
) -> None:
    numbers = draw.numbers
    for place, child in enumerate(children):
        common: dict[str, Any] = {"name": child.name, "priority": len(children) - place}
        if child.kind == "task":
            is_ruled = home is not None and home.kind in ("tbs", "cus")
            tasks.append(
                takt.Task(
                    **common,
                    min_separation=child.period,
                    wcet=child.wcet,
                    deadline=None if is_ruled else child.deadline,
                    arrivals=arrivals(numbers, child.period, critical + numbers.choice([0, 0, 0, 1, -1]), span),
                    demand=[numbers.choice([child.wcet, child.wcet, numbers.randint(1, child.wcet)]) for _ in range(7)],
                    server=home.name if home else None,
                    preemption="non-preemptive" if child.region > 1 and not is_ruled else "preemptive",
                )
            )
        else:
            common |= {"period": child.period, "budget": child.wcet, "kind": child.kind}
            if child.kind not in ("tbs", "cus"):
                common |= {"policy": child.policy, "offset": numbers.choice([0, numbers.randint(0, BEGIN)])}
            servers.append(takt.Server(**common, parent=home.name if home else None))
            _build(draw, child.children, child, critical, span, tasks, servers)


def arrivals(numbers: random.Random, period: int, critical: int, span: int) -> list[int]:
    """Draw legal arrivals: some before a critical instant, close ones from it on, then loose ones."""
    before = critical - period - numbers.randint(0, period)
    instants = [before] if before >= BEGIN and numbers.random() < 0.7 else []
    at = critical
    while at < span:
        instants.append(at)
        at += period + (numbers.choice([0, 0, 0, 1, period]) if numbers.random() < 0.3 else 0)
    return instants


def find_excess(system: takt.System, bounds: Bounds, horizon: int) -> list[tuple[str, int, int]]:
    """Simulate, and give each task with a response, or a wait so far, that is longer than its bound."""
    jobs = takt.simulate(system, horizon=horizon).jobs
    excess = []
    for name, release, response in zip(jobs["task"], jobs["release"], jobs["response"], strict=True):
        bound = bounds.responses.get(name)
        lasted = response if response is not None else horizon - release
        if bound is not None and lasted > bound:
            excess.append((name, lasted, bound))
    return excess
