"""Hypothesis strategies that make random systems for the oracle and whatever is compared with it.

Small numbers on purpose: short periods bring many releases, depletions and replenishments onto one instant,
few priority levels bring ties. Shrinking leads to few tasks, no servers, fp, offsets 0.
"""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from .oracle import CLASSES, POLICIES, Body, Costs, Server, System, Task

MAX_TASKS = 8
MAX_SERVERS = 4
MAX_DEPTH = 3
MIN_PERIOD = 2
MAX_PERIOD = 24
PRIORITY_LEVELS = 4


def policies() -> st.SearchStrategy[str]:
    """Make the policy of the root or of a server."""
    return st.sampled_from(POLICIES)


def periods(least: int = MIN_PERIOD) -> st.SearchStrategy[int]:
    """Make a period; every second one divides 24, so that instants coincide."""
    harmonic = [period for period in (2, 3, 4, 6, 8, 12, 24) if period >= least]
    return st.one_of(st.sampled_from(harmonic), st.integers(least, MAX_PERIOD))


def offsets() -> st.SearchStrategy[int]:
    """Make an offset, often 0."""
    return st.one_of(st.just(0), st.integers(0, MAX_PERIOD))


def priorities() -> st.SearchStrategy[int]:
    """Make a priority out of few levels, so that equal ones are frequent."""
    return st.integers(1, PRIORITY_LEVELS)


def deadlines(period: int) -> st.SearchStrategy[int | None]:
    """Make a relative deadline: the period, at most the period, or at least the period."""
    return st.one_of(st.none(), st.integers(1, period), st.integers(period, 3 * period))


def thresholds(priority: int, policy: str) -> st.SearchStrategy[int | None]:
    """Make a preemption threshold not below the own priority; none where there are no priorities."""
    if policy != "fp":
        return st.none()
    return st.one_of(st.none(), st.integers(priority, PRIORITY_LEVELS + 1))


def bodies() -> st.SearchStrategy[Body]:
    """Make a short body that ends with a run."""
    times = st.integers(1, 3)
    run = st.tuples(st.just("run"), times)
    point = st.sampled_from([("point", 0), ("optional point", 0)])
    suspend = st.tuples(st.just("suspend"), times)
    items = st.lists(st.one_of(run, point, suspend), max_size=5)
    return st.tuples(items, run).map(lambda parts: (*parts[0], parts[1]))


@st.composite
def releases(draw: st.DrawFn, period: int | None) -> tuple[tuple[int, int], ...]:
    """Make explicit arrivals, at least a period apart if there is one; bursts are frequent if there is none."""
    least = 0 if period is None else period
    instants = [draw(offsets())]
    for separation in draw(st.lists(st.one_of(st.just(0), st.integers(0, MAX_PERIOD)), max_size=8)):
        instants.append(instants[-1] + max(least, separation))
    return tuple((instant, instant) for instant in instants)


@st.composite
def costs(draw: st.DrawFn, *, may_pull: bool) -> Costs:
    """Make costs of the kernel, a few ticks each, or none with points that pull."""
    cost = st.sampled_from([0, 0, 1, 1, 2])
    pull = may_pull and draw(st.booleans())
    tick = 0 if pull else draw(cost)
    return Costs(
        context_switch=draw(cost),
        release=draw(cost),
        scheduling=draw(cost),
        point=draw(cost),
        tick=tick,
        tick_period=draw(st.integers(tick + 1, 12)) if tick else 0,
        pull=pull,
    )


@st.composite
def servers(draw: st.DrawFn, *, parents_first: bool = True) -> tuple[Server, ...]:
    """Make 0 to MAX_SERVERS servers nested to at most MAX_DEPTH levels.

    Args:
        draw: given by Hypothesis.
        parents_first: False lets a server stand before its parent in the file.
    """
    count = draw(st.integers(0, MAX_SERVERS))
    depths: dict[str, int] = {}
    made: list[Server] = []
    for number in range(1, count + 1):
        parent = draw(st.sampled_from([None, *(name for name in depths if depths[name] < MAX_DEPTH)]))
        server = draw(_server(f"S{number}", parent))
        depths[server.name] = 1 if parent is None else depths[parent] + 1
        made.append(server)
    return tuple(made) if parents_first else tuple(draw(st.permutations(made)))


@st.composite
def _server(draw: st.DrawFn, name: str, parent: str | None) -> Server:
    """Make one server; a budget as long as the period is frequent, because it depletes and returns at once."""
    period = draw(periods())
    return Server(
        name=name,
        period=period,
        budget=draw(st.one_of(st.integers(1, period), st.just(period))),
        priority=draw(priorities()),
        policy=draw(policies()),
        offset=draw(offsets()),
        parent=parent,
    )


@st.composite
def _task(draw: st.DrawFn, name: str, homes: dict[str | None, str], share: int) -> Task:
    """Make one task in one of the homes (name of the server to its policy) with demand / period <= 1 / share."""
    server = draw(st.sampled_from(list(homes)))
    period = draw(periods(max(MIN_PERIOD, share)))
    priority = draw(priorities())
    return Task(
        name=name,
        period=period,
        demand=draw(st.integers(1, period // share)),
        offset=draw(offsets()),
        deadline=draw(deadlines(period)),
        priority=priority,
        server=server,
        non_preemptive=draw(st.sampled_from([False, False, False, True])),
        threshold=draw(thresholds(priority, homes[server])),
        class_=draw(st.sampled_from(CLASSES)),
    )


@st.composite
def systems(draw: st.DrawFn, *, parents_first: bool = True) -> System:
    """Make a system of 1 to MAX_TASKS tasks; about half of them have a utilization of at most 1.

    Args:
        draw: given by Hypothesis.
        parents_first: False lets a server stand before its parent in the file.
    """
    policy = draw(policies())
    made = draw(servers(parents_first=parents_first))
    homes: dict[str | None, str] = {None: policy} | {server.name: server.policy for server in made}
    count = draw(st.integers(1, MAX_TASKS))
    share = count if draw(st.booleans()) else 1
    tasks = tuple(draw(_task(f"T{number}", homes, share)) for number in range(1, count + 1))
    return System(policy=policy, tasks=tasks, servers=made)


def horizons() -> st.SearchStrategy[int]:
    """Make a horizon: a few periods, at least one tick."""
    return st.integers(1, 6 * MAX_PERIOD)


# ---- everything at once -----------------------------------------------------------------------------


@st.composite
def _rich_task(draw: st.DrawFn, task: Task, names: list[str], policy: str) -> Task:
    """Give a task some of what tasks can have; `names` are those of the tasks in its dispatcher."""
    wishes = draw(st.sets(st.sampled_from(["wcet", "demands", "releases", "body", "on_miss", "threshold"]), max_size=3))
    if "releases" in wishes:
        period = task.period if policy == "rm" or draw(st.booleans()) else None
        deadline = task.deadline or (task.period if period is None else None)
        task = replace(task, period=period, deadline=deadline, offset=0, releases=draw(releases(period)))
    if "body" in wishes:
        body = draw(bodies())
        runs = sum(ticks for kind, ticks in body if kind == "run")
        task = replace(task, body=body, demand=runs, wcet=runs + draw(st.integers(0, 2)))
    if "demands" in wishes:
        lengths = st.integers(1, task.longest + 3)
        task = replace(task, wcet=task.longest, demands=tuple(draw(st.lists(lengths, min_size=1, max_size=4))))
    if "wcet" in wishes and not task.body:
        task = replace(task, wcet=draw(st.integers(1, task.demand + 3)))
    if "on_miss" in wishes:
        task = replace(task, on_miss=draw(st.sampled_from(["abort", "skip"])))
    if "threshold" in wishes and not task.non_preemptive:
        task = replace(task, threshold=draw(st.sampled_from(names)))
    if task.non_preemptive:
        task = replace(task, threshold=None)
    return task


@st.composite
def rich_systems(draw: st.DrawFn, *, with_costs: bool | None = None) -> System:
    """Make a system whose tasks have any of what tasks can have, on ideal hardware or not.

    Args:
        draw: given by Hypothesis.
        with_costs: whether the kernel's work takes time; None lets every third system have costs.
    """
    system = draw(systems(parents_first=False))
    policies_by_home: dict[str | None, str] = {None: system.policy}
    policies_by_home |= {server.name: server.policy for server in system.servers}
    tasks = tuple(
        draw(
            _rich_task(
                task,
                [other.name for other in system.tasks if other.server == task.server],
                policies_by_home[task.server],
            )
        )
        for task in system.tasks
    )
    has_costs = draw(st.integers(0, 2)) == 2 if with_costs is None else with_costs
    if not has_costs:
        return replace(system, tasks=tasks)
    may_pull = all(task.on_miss == "continue" for task in tasks)
    return replace(system, tasks=tasks, costs=draw(costs(may_pull=may_pull)))
