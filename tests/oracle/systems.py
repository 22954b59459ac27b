# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Hypothesis strategies that make random systems for the oracle and whatever is compared with it.

Small numbers on purpose: short periods bring many releases, depletions and replenishments onto one instant,
few priority levels bring ties. Shrinking leads to few tasks, no servers, fp, offsets 0, and few features.

A test says which features it wants. A system has one or two of them, or all, and a task that may have a
feature has it in about half of the cases.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import Any

from hypothesis import strategies as st

from .changes import versions_of
from .locks import longest_hold
from .model import (
    AMONG_KINDS,
    AMONG_PROTOCOLS,
    CLASSES,
    DEADLINE_POLICIES,
    EDF_KINDS,
    KINDS,
    LEVELLESS_POLICIES,
    LEVELLESS_PROTOCOLS,
    ON_MISS,
    POINT_MODELS,
    POLICIES,
    PROTOCOLS,
    RULE_KINDS,
    Change,
    Platform,
    Resource,
    Server,
    System,
    Task,
)
from .users import dispatchers_of, measured_by

Features = frozenset[str]

PLAIN: Features = frozenset()
"""Periodic tasks of constant demand under fp and edf; servers, priority thresholds, non-preemptive tasks."""
LIMITED_PREEMPTION: Features = frozenset({"points", "thresholds"})
"""Bodies with points and optional points, pushed and pulled; thresholds that name a task."""
EVERYTHING: Features = LIMITED_PREEMPTION | {"arrivals", "costs", "demands", "on_miss", "policies", "suspensions"}
"""All that a task-set file can say without random numbers."""
JITTER: Features = frozenset({"jitter"})
"""Jobs that are released after their arrival."""
RESOURCES: Features = frozenset({"resources"})
"""Shared resources of every protocol, in nested and sequential sections."""
SERVER_KINDS: Features = frozenset({"kinds"})
"""Servers of every kind; without it they are deferrable."""

CHANGES: Features = frozenset({"changes"})
"""Tasks that come, go and get new parameters, and other policies of the root."""

MAX_TASKS = 8
MAX_CHANGES = 5
MAX_SERVERS = 4
MIN_PERIOD = 2
MAX_PERIOD = 24
PRIORITY_LEVELS = 4
MAX_ARRIVALS = 8
MAX_RESOURCES = 3
MIXABLE_PROTOCOLS = ("none", "npcs", "pip", "icpp")
MAX_MORE_TICKS = 6
PLAIN_POLICIES = ("fp", "edf")
LEVELLED_POLICIES = ("fp", "rm", "dm", "edf")


def policies(features: Features = PLAIN) -> st.SearchStrategy[str]:
    """Return the policy of the root or of a server."""
    steady = [policy for policy in POLICIES if policy != "rbe" or "changes" not in features]
    return st.sampled_from(steady if "policies" in features else PLAIN_POLICIES)


def periods(least: int = MIN_PERIOD) -> st.SearchStrategy[int]:
    """Return a period; every second one divides 24, so that instants coincide."""
    harmonic = [period for period in (2, 3, 4, 6, 8, 12, 24) if period >= least]
    return st.one_of(st.sampled_from(harmonic), st.integers(least, MAX_PERIOD))


def offsets() -> st.SearchStrategy[int]:
    """Return an offset, often 0."""
    return st.one_of(st.just(0), st.integers(0, MAX_PERIOD))


def priorities() -> st.SearchStrategy[int]:
    """Return a priority out of few levels, so that equal ones are frequent."""
    return st.integers(1, PRIORITY_LEVELS)


def deadlines(period: int) -> st.SearchStrategy[int | None]:
    """Return a relative deadline: the period, at most the period, or at least the period."""
    return st.one_of(st.none(), st.integers(1, period), st.integers(period, 3 * period))


def kinds(parent_policy: str, features: Features, *, with_rules: bool = False) -> st.SearchStrategy[str]:
    """Return the kind of a server; most of those under edf have constant bandwidth, or are rules."""
    if "kinds" not in features:
        return st.just(KINDS[0])
    anywhere = st.sampled_from([kind for kind in KINDS if kind not in EDF_KINDS + RULE_KINDS])
    may_rule = with_rules and "changes" not in features
    by_deadline = [st.sampled_from(EDF_KINDS), *([st.sampled_from(RULE_KINDS)] if may_rule else [])]
    return st.one_of(anywhere, *by_deadline) if parent_policy in DEADLINE_POLICIES else anywhere


@st.composite
def servers(
    draw: st.DrawFn, *, parents_first: bool = True, features: Features = PLAIN, root_policy: str = "fp"
) -> tuple[Server, ...]:
    """Return 0 to MAX_SERVERS servers, nested in any way; every second time in a chain.

    Args:
        draw: given by Hypothesis.
        parents_first: False lets a server stand before its parent in the file.
        features: "policies" and "kinds" or not.
        root_policy: what orders the servers at the root.
    """
    count = draw(st.integers(0, MAX_SERVERS))
    is_chain = draw(st.booleans())
    made: list[Server] = []
    for number in range(1, count + 1):
        homes: dict[str | None, str] = {None: root_policy} | {
            server.name: server.policy for server in made if server.kind not in RULE_KINDS
        }
        parent = draw(st.sampled_from(list(homes)[-1:] if is_chain else list(homes)))
        kind = draw(kinds(homes[parent], features, with_rules=True))
        server = replace(draw(_server(f"S{number}", parent, features)), kind=kind)
        made.append(replace(server, policy="fp", offset=0) if kind in RULE_KINDS else server)
    return tuple(made) if parents_first else tuple(draw(st.permutations(made)))


@st.composite
def _server(draw: st.DrawFn, name: str, parent: str | None, features: Features) -> Server:
    """Return one server; a budget as long as the period is frequent, because it depletes and returns at once."""
    period = draw(periods())
    return Server(
        name=name,
        period=period,
        budget=draw(st.one_of(st.integers(1, period), st.just(period))),
        priority=draw(priorities()),
        policy=draw(policies(features)),
        offset=draw(offsets()),
        parent=parent,
    )


@st.composite
def _task(draw: st.DrawFn, name: str, homes: dict[str | None, str], share: int, features: Features) -> Task:
    """Return one task in one of the homes (name of the server to its policy) with demand / period <= 1 / share."""
    server = draw(st.sampled_from(list(homes)))
    period = draw(periods(max(MIN_PERIOD, share)))
    task = Task(
        name=name,
        period=period,
        demand=draw(st.integers(1, period // share)),
        offset=draw(offsets()),
        deadline=draw(deadlines(period)),
        priority=draw(priorities()),
        server=server,
        preemption=draw(st.sampled_from(["preemptive"] * 3 + ["non-preemptive"])),
        class_=draw(st.sampled_from(CLASSES)),
    )
    for feature, change in _task_changes(homes[server]).items():
        if feature in features and draw(st.booleans()):
            task = draw(change(task))
    task = draw(_with_events(task)) if homes[server] == "rbe" else task
    return replace(task, threshold=draw(_priority_thresholds(task, homes[server])))


def _priority_thresholds(task: Task, policy: str) -> st.SearchStrategy[int | None]:
    """Return a preemption threshold that is a priority, where that has a meaning."""
    if policy != "fp" or task.non_preemptive:
        return st.none()
    return st.one_of(st.none(), st.integers(task.priority, PRIORITY_LEVELS + 1))


@st.composite
def _with_separate_arrivals(draw: st.DrawFn, task: Task) -> Task:
    """Replace the period by explicit arrivals with a minimum separation."""
    assert task.period is not None
    apart = draw(st.one_of(st.just(task.period), st.integers(1, task.period)))
    gaps = draw(st.lists(st.integers(apart, apart + MAX_PERIOD), max_size=MAX_ARRIVALS))
    return replace(task, period=None, min_separation=apart, releases=_at_once(task.offset, gaps))


@st.composite
def _with_bursts(draw: st.DrawFn, task: Task) -> Task:
    """Replace the period by explicit arrivals, any of which may fall together."""
    assert task.period is not None
    gaps = draw(st.lists(st.integers(0, task.period), max_size=MAX_ARRIVALS))
    return replace(task, period=None, deadline=task.relative_deadline, releases=_at_once(task.offset, gaps))


def _at_once(first: int, gaps: list[int]) -> tuple[tuple[int, int], ...]:
    """Return jobs that are released when they arrive."""
    return tuple((instant, instant) for instant in accumulate(gaps, initial=first))


@st.composite
def _with_events(draw: st.DrawFn, task: Task) -> Task:
    """Return a task with the number of jobs expected in a time: about as many as come, fewer, or more."""
    interval = draw(st.one_of(st.none() if task.rate_period is not None else periods(), periods(1)))
    return replace(task, events=draw(st.integers(1, 4)), interval=interval)


def _with_arrivals(task: Task) -> st.SearchStrategy[Task]:
    """Replace the period by explicit arrivals."""
    return st.one_of(_with_separate_arrivals(task), _with_bursts(task))


@st.composite
def _with_jitter(draw: st.DrawFn, task: Task) -> Task:
    """Return a task whose jobs are released late, but never before the job in front."""
    given_arrivals = [arrival for _, arrival in task.releases or ()]
    arrivals = given_arrivals or [task.offset + number * (task.period or 1) for number in range(MAX_ARRIVALS)]
    delays = draw(st.lists(st.integers(0, MAX_PERIOD), min_size=len(arrivals), max_size=len(arrivals)))
    releases = accumulate((arrival + delay for arrival, delay in zip(arrivals, delays, strict=True)), max)
    return replace(task, releases=tuple(zip(releases, arrivals, strict=True)))


@st.composite
def _with_demands(draw: st.DrawFn, task: Task) -> Task:
    """Return a task whose jobs demand more or less than the wcet, and that be more than the body."""
    wcet = task.declared_wcet + draw(st.integers(0, 3))
    return replace(task, wcet=wcet, demand=tuple(draw(st.lists(st.integers(1, wcet + 3), min_size=1, max_size=3))))


def _with_points(task: Task) -> st.SearchStrategy[Task]:
    """Return a task with subjobs, or a body with points."""
    return st.one_of(_with_subjobs(task), _with_items(task, ["point", "optional point"]))


@st.composite
def _with_subjobs(draw: st.DrawFn, task: Task) -> Task:
    """Cut the task into subjobs."""
    runs = draw(_cut(task.declared_wcet))
    preemption = draw(st.sampled_from([None, "preemptive"]))
    return replace(task, demand=None, subjobs=tuple(runs), preemption=preemption)


def _with_suspensions(task: Task) -> st.SearchStrategy[Task]:
    """Return a task with suspensions between its runs."""
    return _with_items(task, ["suspend 1", "suspend 2", "suspend 5"])


@st.composite
def _with_items(draw: st.DrawFn, task: Task, items: list[str]) -> Task:
    """Return a task with some items before and between its runs."""
    body: list[str] = []
    for item in _body_of(task) if task.steps else [f"run {ticks}" for ticks in draw(_cut(task.declared_wcet))]:
        body += [*draw(st.lists(st.sampled_from(items), max_size=2)), item]
    preemption = "non-preemptive" if task.non_preemptive else draw(st.sampled_from(["preemptive", "non-preemptive"]))
    return replace(task, demand=None, subjobs=None, body=tuple(body), preemption=preemption)


def _body_of(task: Task) -> list[str]:
    """Write the steps of a task as the items of a body."""
    return [" ".join(str(word) for word in step if word) for step in task.steps]


@st.composite
def _cut(draw: st.DrawFn, total: int) -> list[int]:
    """Cut a number of ticks, or some more so that there is something to cut, into pieces."""
    total += draw(st.integers(0, MAX_MORE_TICKS))
    cuts = draw(st.sets(st.integers(0, total), max_size=3))
    return [end - start for start, end in pairwise(sorted(cuts | {0, total}))]


def _with_on_miss(task: Task) -> st.SearchStrategy[Task]:
    """Return a task with a rule for late jobs."""
    return st.builds(lambda on_miss: replace(task, on_miss=on_miss), st.sampled_from(ON_MISS))


TASK_CHANGES: dict[str, Callable[[Task], st.SearchStrategy[Task]]] = {
    "arrivals": _with_arrivals,
    "jitter": _with_jitter,
    "points": _with_points,
    "suspensions": _with_suspensions,
    "demands": _with_demands,
    "on_miss": _with_on_miss,
}
"""What a feature does to a task, in the order in which that must be done."""


def _task_changes(policy: str) -> dict[str, Callable[[Task], st.SearchStrategy[Task]]]:
    """Return the changes of the features to a task under a policy: rm requires a separation."""
    return TASK_CHANGES | {"arrivals": _with_separate_arrivals} if policy == "rm" else TASK_CHANGES


@st.composite
def _with_named_thresholds(draw: st.DrawFn, tasks: tuple[Task, ...]) -> tuple[Task, ...]:
    """Return the tasks, some with a task of their dispatcher as threshold."""
    made = []
    for task in tasks:
        names = [other.name for other in tasks if other.server == task.server]
        threshold = draw(st.one_of(st.just(task.threshold), st.sampled_from(names)))
        made.append(task if task.non_preemptive else replace(task, threshold=threshold))
    return tuple(made)


@st.composite
def _resources(draw: st.DrawFn, home: str | None, policy: str) -> tuple[Resource, ...]:
    """Return 1 to MAX_RESOURCES resources of a dispatcher, mostly of one protocol."""
    protocols = LEVELLESS_PROTOCOLS if policy in LEVELLESS_POLICIES else PROTOCOLS
    common = draw(st.sampled_from(protocols))
    mixable = st.sampled_from([protocol for protocol in protocols if protocol in MIXABLE_PROTOCOLS])
    is_mixed = draw(st.sampled_from([False, False, False, True]))
    count = draw(st.sampled_from([1, 2, 2, MAX_RESOURCES]))
    made = [draw(mixable) if is_mixed else common for _ in range(count)]
    return tuple(Resource(f"R{number} of {home or 'root'}", protocol) for number, protocol in enumerate(made, 1))


@st.composite
def _with_sections(draw: st.DrawFn, task: Task, names: list[str]) -> Task:
    """Return a task with some runs in sections, none of which is empty or holds a suspension."""
    held: list[str] = []
    body: list[str] = []
    for item in draw(_items_to_enclose(task)):
        leaves = len(held) if item.startswith("suspend") else draw(st.integers(0, len(held)))
        body += [f"unlock {held.pop()}" for _ in range(leaves if body and body[-1].startswith("run") else 0)]
        if item.startswith("suspend") and held:
            continue
        free = [name for name in names if name not in held]
        if item.startswith("run") and free:
            entered = draw(
                st.lists(st.sampled_from(free), min_size=draw(st.sampled_from([1, 0])), max_size=2, unique=True)
            )
            held += entered
            body += [f"lock {name}" for name in entered]
        body.append(item)
    body += [f"unlock {name}" for name in held[::-1]] if draw(st.booleans()) else []
    preemption = "non-preemptive" if task.non_preemptive else "preemptive"
    demand = task.demand if isinstance(task.demand, tuple) else None
    return replace(task, body=tuple(body), subjobs=None, preemption=preemption, demand=demand)


def _items_to_enclose(task: Task) -> st.SearchStrategy[list[str]]:
    """Return the body of a task, or one of some runs."""
    if task.steps:
        return st.just(_body_of(task))
    runs = _cut(task.declared_wcet) if task.wcet is None else st.just([task.wcet])
    return runs.map(lambda lengths: [f"run {ticks}" for ticks in lengths])


def _shares_with(server: Server, home: str | None, resources: tuple[Resource, ...]) -> bool:
    """True if a server is a rule in a home and its tasks can use what those of the home use."""
    can_use = all(resource.protocol in LEVELLESS_PROTOCOLS for resource in resources)
    return server.kind in RULE_KINDS and server.parent == home and can_use


@st.composite
def _with_resources(draw: st.DrawFn, system: System, homes: dict[str | None, str]) -> System:
    """Return a system in which the tasks of each dispatcher share resources; about three of four use them."""
    resources: list[Resource] = []
    tasks = list(system.tasks)
    for home, policy in homes.items():
        made = draw(_resources(home, policy))
        names = [resource.name for resource in made]
        resources += made
        users = [home] + [server.name for server in system.servers if _shares_with(server, home, made)]
        for place, task in enumerate(tasks):
            if task.server in users and draw(st.sampled_from([True, True, True, False])):
                tasks[place] = draw(_with_sections(task, names))
    return replace(system, tasks=tuple(tasks), resources=tuple(resources))


@st.composite
def platforms(draw: st.DrawFn, features: Features, *, may_pull: bool) -> Platform:
    """Return a platform: push or pull where there are points or costs, and costs, many of them 0."""
    points = draw(st.sampled_from(POINT_MODELS)) if may_pull and features & {"points", "costs"} else "push"
    if "costs" not in features:
        return Platform(points=points)
    cost = st.sampled_from([0, 0, 1, 2])
    tick = draw(st.sampled_from([0, 0, 0, 1, 2])) if points == "push" else 0
    return Platform(
        context_switch=draw(cost),
        release=draw(cost),
        scheduling=draw(cost),
        point=draw(cost),
        tick=tick,
        tick_period=draw(st.integers(tick, 12)) if tick else None,
        points=points,
        wake_up=draw(cost),
    )


def _some_of(features: Features) -> st.SearchStrategy[Features]:
    """Choose the features of one system: one or two, or all."""
    if not features:
        return st.just(features)
    few = st.frozensets(st.sampled_from(sorted(features)), min_size=1, max_size=2)
    return st.one_of(few, st.just(features))


@st.composite
def systems(
    draw: st.DrawFn, *, parents_first: bool = True, features: Features = PLAIN, always: Features = PLAIN
) -> System:
    """Return a system of 1 to MAX_TASKS tasks; about half of them have a utilization of at most 1.

    Args:
        draw: given by Hypothesis.
        parents_first: False lets a server stand before its parent in the file.
        features: what the system may have besides what PLAIN has; see EVERYTHING and JITTER.
        always: what it has in any case.
    """
    features = draw(_some_of(features)) | always
    policy = draw(policies(features))
    made = draw(servers(parents_first=parents_first, features=features, root_policy=policy))
    homes: dict[str | None, str] = {None: policy} | {server.name: server.policy for server in made}
    rules = [server.name for server in made if server.kind in RULE_KINDS]
    homes |= dict.fromkeys(rules, "rbe")
    count = draw(st.integers(1, MAX_TASKS))
    share = count if draw(st.booleans()) else 1
    tasks = tuple(draw(_task(f"T{number}", homes, share, features)) for number in range(1, count + 1))
    if "thresholds" in features:
        tasks = draw(_with_named_thresholds(tasks))
        tasks = tuple(replace(task, threshold=None) if task.server in rules else task for task in tasks)
    may_pull = "resources" not in features and all(task.on_miss == "continue" for task in tasks)
    platform = draw(platforms(features, may_pull=may_pull))
    system = System(policy=policy, tasks=tasks, servers=made, platform=platform)
    homes = {name: policy for name, policy in homes.items() if name not in rules}
    system = draw(_with_resources(system, homes)) if "resources" in features else system
    return draw(with_changes(system)) if "changes" in features else system


def _has_rules(system: System) -> bool:
    """True if a server gives deadlines by a rule, which knows all arrivals."""
    return any(server.kind in RULE_KINDS for server in system.servers)


@st.composite
def with_changes(draw: st.DrawFn, system: System) -> System:
    """Return a system whose tasks and root policy change; unchanged if deadline rules forbid it."""
    if "rbe" in [system.policy, *(server.policy for server in system.servers)] or _has_rules(system):
        return system
    absent = draw(st.sets(st.sampled_from([task.name for task in system.tasks])))
    tasks = tuple(_with_all_given(replace(task, absent=task.name in absent)) for task in system.tasks)
    changes: list[Change] = []
    instants = draw(st.lists(st.integers(0, 3 * MAX_PERIOD), min_size=1, max_size=MAX_CHANGES))
    for at in sorted(instants):
        present = {task.name for task in tasks} - absent
        gone = draw(_some_names(present))
        came = draw(_some_names(absent))
        absent = (absent - came) | gone
        change = Change(at, tuple(sorted(came)), tuple(sorted(gone)))
        changes.append(draw(_with_more(change, replace(system, tasks=tasks, changes=tuple(changes)))))
    return replace(system, tasks=tasks, changes=tuple(change for change in changes if change != Change(change.at)))


def _with_all_given(task: Task) -> Task:
    """Write down what follows from other parameters, so that it stays when these change."""
    return replace(task, wcet=task.declared_wcet, demand=task.demands, deadline=task.relative_deadline)


def _some_names(names: set[str]) -> st.SearchStrategy[set[str]]:
    """Choose none or a few of some names."""
    return st.sets(st.sampled_from(sorted(names)), max_size=2) if names else st.just(set())


@st.composite
def _with_more(draw: st.DrawFn, change: Change, system: System) -> Change:
    """Return a change also of the policy, or of the parameters of a task."""
    policies = _policies_that_fit(system)
    if policies and draw(st.sampled_from([False, True])):
        change = replace(change, policy=draw(st.sampled_from(policies)))
    measured = measured_by(system)
    free = [task for task in system.tasks if task.name not in measured]
    has_parameters = draw(st.booleans())
    if free and has_parameters:
        task = draw(st.sampled_from(free))
        change = replace(change, task=task.name, **draw(_parameters(versions_of(task, system.changes)[-1][1])))
    return change


def _policies_that_fit(system: System) -> list[str]:
    """Return the policies that the root can have; none where something is made for the one that it has."""
    tasks = [task for task in system.tasks if task.server is None]
    protocols = [resource.protocol for resource in system.resources if None in dispatchers_of(resource, system)]
    if any(task.threshold is not None for task in tasks) or not set(protocols) <= set(LEVELLESS_PROTOCOLS):
        return []
    if any(server.kind in EDF_KINDS for server in system.servers if server.parent is None):
        return ["edf"]
    has_rates = all(task.rate_period is not None for task in tasks)
    return [policy for policy in POLICIES if policy != "rbe" and (policy != "rm" or has_rates)]


@st.composite
def _parameters(draw: st.DrawFn, task: Task) -> dict[str, Any]:
    """Return some new parameters of a task, at least one."""
    period = task.rate_period or MAX_PERIOD
    most = task.threshold if isinstance(task.threshold, int) else PRIORITY_LEVELS
    choices: dict[str, st.SearchStrategy[Any]] = {
        "deadline": st.integers(1, 3 * period),
        "priority": st.integers(1, most),
        "class_": st.sampled_from(CLASSES),
        "wcet": st.integers(task.declared_wcet, task.declared_wcet + 3),
        "demand": st.lists(st.integers(1, task.declared_wcet + 2), min_size=1, max_size=2).map(tuple),
    }
    if task.releases is None:
        choices["period"] = periods()
    names = draw(st.sets(st.sampled_from(sorted(choices)), min_size=1, max_size=3))
    return {name: draw(choices[name]) for name in sorted(names)}


@st.composite
def chains(draw: st.DrawFn, *, kinds: bool = False) -> System:
    """Return small servers, one inside the other, with small tasks: much waits, and then comes at once.

    Args:
        draw: given by Hypothesis.
        kinds: whether the servers are of every kind; else they are deferrable under an fp root.
    """
    period, some, priority = st.integers(2, 6), st.integers(0, 3), st.integers(1, 2)
    root_policy = draw(st.sampled_from(PLAIN_POLICIES)) if kinds else "fp"
    servers = draw(_chain(root_policy, SERVER_KINDS if kinds else PLAIN))
    homes = [None, *(server.name for server in servers)]
    tasks = [
        Task(
            name=f"T{number}",
            period=draw(period),
            demand=draw(st.integers(1, 2)),
            offset=draw(some),
            priority=draw(priority),
            server=draw(st.sampled_from(homes[::-1])),
        )
        for number in range(1, draw(st.integers(2, 4)) + 1)
    ]
    return System(policy=root_policy, tasks=tuple(tasks), servers=servers)


@st.composite
def crowds(
    draw: st.DrawFn,
    *,
    features: Features = PLAIN,
    policies: tuple[str, ...] = POLICIES,
    protocols: tuple[str, ...] = PROTOCOLS,
) -> System:
    """Return a few tasks of one dispatcher, with sections nearly everywhere, each of which comes into those of others.

    Args:
        draw: given by Hypothesis.
        features: what the tasks may have besides; with "kinds" they may sit in a server.
        policies: what the dispatcher may be ordered by.
        protocols: what the resources may have, mostly all the same.
    """
    policy = draw(st.sampled_from(policies))
    has_levels = policy not in LEVELLESS_POLICIES
    allowed = [protocol for protocol in protocols if has_levels or protocol in LEVELLESS_PROTOCOLS]
    names = ["R1", "R2", "R3"][: draw(st.integers(1, MAX_RESOURCES))]
    common = draw(st.sampled_from(allowed))
    is_mixed = draw(st.booleans())
    mixable = [protocol for protocol in allowed if protocol in MIXABLE_PROTOCOLS] or [common]
    resources = tuple(Resource(name, draw(st.sampled_from(mixable)) if is_mixed else common) for name in names)
    count = draw(st.integers(2, 5))
    tasks = tuple(draw(_sharer(f"T{number}", number, policy, features)) for number in range(1, count + 1))
    if "thresholds" in features:
        tasks = draw(_with_named_thresholds(tasks))
    tasks = tuple(draw(_with_sections(task, names)) for task in tasks)
    platform = draw(platforms(features, may_pull=False))
    system = System(policy=policy, tasks=tasks, resources=resources, platform=platform)
    return draw(_inside_a_server(system)) if "kinds" in features and draw(st.booleans()) else system


@st.composite
def _sharer(draw: st.DrawFn, name: str, number: int, policy: str, features: Features) -> Task:
    """Return a task that is more urgent the higher its number is, and then mostly comes later."""
    runs = draw(st.lists(st.integers(1, 3), min_size=2, max_size=4))
    task = Task(
        name=name,
        period=draw(st.sampled_from([24, 30, 36, 48])),
        offset=draw(st.integers(0, 4 * number)),
        deadline=draw(st.one_of(st.just(40 - 4 * number), st.integers(6, 48))),
        priority=draw(st.one_of(st.just(number), priorities())),
        body=tuple(f"run {ticks}" for ticks in runs),
    )
    for feature, change in _task_changes(policy).items():
        if feature in features and draw(st.booleans()):
            task = draw(change(task))
    return draw(_with_events(task)) if policy == "rbe" else task


@st.composite
def _inside_a_server(draw: st.DrawFn, system: System) -> System:
    """Return a system with all tasks in a server of any kind, and an equal beside it."""
    root_policy = draw(st.sampled_from(PLAIN_POLICIES))
    server = replace(draw(_server("S", None, PLAIN)), policy=system.policy, kind=draw(kinds(root_policy, SERVER_KINDS)))
    inside = tuple(replace(task, server="S") for task in system.tasks)
    beside = Task("T0", draw(periods()), draw(st.integers(1, 3)), priority=server.priority)
    return replace(system, policy=root_policy, tasks=(*inside, beside), servers=(server,))


@st.composite
def households(draw: st.DrawFn, *, features: Features = PLAIN, protocols: tuple[str, ...] = AMONG_PROTOCOLS) -> System:
    """Return servers that share resources, at the root or in one server, with something beside them.

    Args:
        draw: given by Hypothesis.
        features: what the tasks may have besides; with "costs" the kernel takes time.
        protocols: what the resources may have, all of them the same; local ones have srp.
    """
    protocol, root_policy = draw(st.sampled_from(protocols)), draw(st.sampled_from(LEVELLED_POLICIES))
    around = [replace(draw(_server("P", None, PLAIN)), policy=draw(st.sampled_from(LEVELLED_POLICIES)))]
    around = around if draw(st.sampled_from([False, False, True])) else []
    parent, policy = (around[0].name, around[0].policy) if around else (None, root_policy)
    sharing = [draw(_sharing_server(f"S{number}", parent)) for number in range(1, draw(st.integers(2, 4)))]
    beside = [replace(draw(_server("X", parent, PLAIN)), kind=draw(kinds(policy, SERVER_KINDS)))]
    homes = {server.name: server.policy for server in sharing}
    names = ["G1", "G2"][: draw(st.integers(1, 2))]
    tasks: list[Task] = []
    for home, inside in homes.items():
        local = [f"L of {home}"] if protocol != "sirap" and draw(st.booleans()) else []
        for number in range(1, draw(st.integers(1, 3)) + 1):
            task = draw(_user(f"T{number} of {home}", home, inside, features))
            tasks.append(
                draw(_with_sections(task, names + local)) if draw(st.sampled_from([True] * 3 + [False])) else task
            )
    for place in [parent, "X"]:
        if draw(st.booleans()):
            task = draw(_user(f"T of {place or 'root'}", place, policy if place == parent else "fp", features))
            tasks.append(draw(_with_sections(task, names)) if place == parent and draw(st.booleans()) else task)
    found = dict.fromkeys(name for task in tasks for name in task.resources)
    resources = tuple(Resource(name, protocol if name in names else "srp") for name in found)
    system = System(
        policy=root_policy,
        tasks=draw(_with_named_thresholds(tuple(tasks))) if "thresholds" in features else tuple(tasks),
        servers=(*around, *sharing, *beside),
        platform=draw(platforms(features, may_pull=False)),
        resources=resources,
    )
    return _with_users_in_servers(_with_budgets_for_sections(system, parent), parent)


def _with_users_in_servers(system: System, parent: str | None) -> System:
    """Leave out what no task shares in a server of the parent, and the sections that lock it."""
    inside = {server.name for server in system.servers if server.parent == parent}
    used = {name for task in system.tasks if task.server in inside for name in task.resources}
    unused = {resource.name for resource in system.resources} - used
    tasks = tuple(
        replace(task, body=tuple(item for item in task.body if item.partition(" ")[2] not in unused))
        if task.body
        else task
        for task in system.tasks
    )
    return replace(system, tasks=tasks, resources=tuple(r for r in system.resources if r.name in used))


def _with_budgets_for_sections(system: System, parent: str | None) -> System:
    """Return the servers with budgets into which their sections fit, or without sharing under sirap."""
    longest = {server.name: _longest_in(system, server) for server in system.servers if server.parent == parent}
    if max(longest.values()) > 4 * MAX_PERIOD:
        return replace(system, resources=tuple(replace(resource, protocol="hsrp") for resource in system.resources))
    servers = [
        replace(server, budget=max(server.budget, least), period=max(server.period, least))
        for server, least in ((server, longest.get(server.name, 1)) for server in system.servers)
    ]
    return replace(system, servers=tuple(servers))


def _longest_in(system: System, server: Server) -> int:
    """Return the largest X of what the tasks of a server lock under sirap."""
    waiting = {resource.name for resource in system.resources if resource.protocol == "sirap"}
    names = {name for task in system.tasks if task.server == server.name for name in task.resources}
    return max((longest_hold(name, system, server) for name in waiting & names), default=1)


@st.composite
def _sharing_server(draw: st.DrawFn, name: str, parent: str | None) -> Server:
    """Return a server that may share, mostly with a budget that is soon used up."""
    server = replace(draw(_server(name, parent, PLAIN)), policy=draw(st.sampled_from(LEVELLED_POLICIES)))
    budget = draw(st.one_of(st.just(server.budget), st.integers(1, min(4, server.period))))
    return replace(server, budget=budget, kind=draw(st.sampled_from(AMONG_KINDS)))


@st.composite
def _user(draw: st.DrawFn, name: str, home: str | None, policy: str, features: Features) -> Task:
    """Return a task that is cut into runs."""
    runs = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    task = Task(
        name=name,
        period=draw(st.sampled_from([12, 18, 24, 30, 48])),
        offset=draw(st.integers(0, 12)),
        deadline=draw(st.one_of(st.none(), st.integers(4, 48))),
        priority=draw(priorities()),
        server=home,
        body=tuple(f"run {ticks}" for ticks in runs),
    )
    for feature, change in _task_changes(policy).items():
        if feature in features and draw(st.booleans()):
            task = draw(change(task))
    return task if task.subjobs is None else replace(task, body=None)


@st.composite
def _chain(draw: st.DrawFn, root_policy: str, features: Features) -> tuple[Server, ...]:
    """Return small servers, one inside the other."""
    made: list[Server] = []
    for number in range(1, draw(st.integers(2, MAX_SERVERS)) + 1):
        server = Server(
            name=f"S{number}",
            period=draw(st.integers(2, 6)),
            budget=draw(st.integers(1, 2)),
            priority=draw(st.integers(1, 2)),
            policy=draw(st.sampled_from(PLAIN_POLICIES)),
            offset=draw(st.integers(0, 3)),
            parent=made[-1].name if made else None,
            kind=draw(kinds(made[-1].policy if made else root_policy, features)),
        )
        made.append(server)
    return tuple(made)


def horizons() -> st.SearchStrategy[int]:
    """Return a horizon: a few periods, at least one tick.

    The simplest one is the longest, because Hypothesis makes what is drawn last the simplest in a third of its
    examples, and a system that runs for a tick or two shows little.
    """
    return st.integers(0, 6 * MAX_PERIOD - 1).map(lambda less: 6 * MAX_PERIOD - less)
