"""Hypothesis strategies that make random systems for the oracle and whatever is compared with it.

Small numbers on purpose: short periods bring many releases, depletions and replenishments onto one instant,
few priority levels bring ties. Shrinking leads to few tasks, no servers, fp, offsets 0.
"""

from __future__ import annotations

from hypothesis import strategies as st

from .oracle import CLASSES, POLICIES, Server, System, Task

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
    """Make a preemption threshold not below the own priority; none under edf, where it has no meaning."""
    if policy != "fp":
        return st.none()
    return st.one_of(st.none(), st.integers(priority, PRIORITY_LEVELS + 1))


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
