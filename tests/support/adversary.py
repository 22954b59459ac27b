# SPDX-License-Identifier: Apache-2.0 OR MIT
"""An adversary of the analysis: it climbs towards systems whose simulation is worse than what `judge` says of them.

Random systems seldom have the one pattern of arrivals that is worst, in the one combination of features of which a
theorem says nothing. So the adversary begins with a random system that has a few features, and changes one thing at a
time: offsets, demands and jitters first, then the tasks, the features and the policy. A change is kept if the largest
observed response, as a part of its bound, does not get smaller. Above 1, the analysis is refuted.

A system is a `Draft`: plain tables, as files have them, that may be wrong. What Takt refuses is a change that failed.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import takt
from takt.analysis import Verdict
from takt.analysis.judge import judge
from takt.analysis.judgement import Judgement
from takt.analysis.view import view_of

EFFORT = 200_000
"""Steps of a test: small systems need few, and an answer that takes long is none."""
MAX_HORIZON = 600
PATIENCE = 60
"""After so many changes in a row that gain nothing the adversary begins anew."""

Rows = dict[str, Any]


@dataclass
class Draft:
    """The tables of a system."""

    system: Rows = field(default_factory=lambda: {"policy": "fp"})
    tasks: list[Rows] = field(default_factory=list)
    servers: list[Rows] = field(default_factory=list)
    resources: list[Rows] = field(default_factory=list)
    changes: list[Rows] = field(default_factory=list)
    platform: Rows = field(default_factory=dict)

    def build(self) -> takt.System | None:
        """Return the system; None if it is none."""
        try:
            return takt.System(
                **self.system,
                tasks=[takt.Task(**task) for task in self.tasks],
                servers=[takt.Server(**server) for server in self.servers],
                resources=[takt.Resource(**resource) for resource in self.resources],
                changes=[takt.Change(**change) for change in self.changes],
                platform=takt.Platform(**self.platform),
            )
        except takt.InputError:
            return None


# ---- how bad it is --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Excess:
    """What a simulation shows of the task that comes nearest to its bound, or goes beyond."""

    ratio: float = 0.0
    task: str = ""
    text: str = ""


def excess_of(system: takt.System, found: Judgement) -> Excess:
    """Simulate, and give the largest observed response as a part of its bound; 2 for a miss that cannot be."""
    rows = {row.task: row for row in found.rows()}
    seen = takt.simulate(system, horizon_of(system), jobs=False, segments=False).summary
    worst = Excess()
    for task, response, missed in seen.select("task", "response_max", "missed").rows():
        row = rows.get(task)
        if row is None:
            continue
        if missed and row.verdict is Verdict.SCHEDULABLE:
            return Excess(2.0, task, f"{task} misses {missed} times; {row}")
        ratio = (response or 0) / row.response if row.response else 0.0
        if ratio > worst.ratio:
            worst = Excess(ratio, task, f"{task} responds in {response}; {row}")
    return worst


def horizon_of(system: takt.System) -> int:
    """Return a time in which jobs of all tasks meet in a few ways."""
    ends = [int(task.offset) + 8 * int(task.period or task.min_separation or 20) for task in system.tasks]
    return min(max(ends, default=1) + 1, MAX_HORIZON)


# ---- pieces ---------------------------------------------------------------------------------------------


PROTOCOLS = ("pip", "pcp", "icpp", "npcs", "srp")
AMONG = ("hsrp", "hsrp-payback", "sirap")
KINDS = ("idling", "polling", "deferrable", "sporadic", "sporadic-strict", "cbs", "hard-cbs", "tbs", "cus")
ORDERS = ("fp", "rm", "dm", "edf", "edf", "edf", "llf")
POLICIES = (*ORDERS, "rbe", "share", "pinwheel", "dual-priority", "imprecise", "rate-based")


def any_task(rng: random.Random, name: str, count: int) -> Rows:
    """Return a task of which `count` about fit."""
    period = rng.choice([rng.randint(4, 40), rng.choice([8, 12, 16, 24, 40])])
    wcet = max(1, min(period, round(period * rng.uniform(0.2, 1.2) / count)))
    deadline = rng.choice([period, period, rng.randint(max(1, period // 3), period), rng.randint(period, 2 * period)])
    return {
        "name": name,
        "period": period,
        "wcet": wcet,
        "deadline": deadline,
        "priority": rng.randint(1, 4),
        "offset": rng.choice([0, 0, 1, 2, 3]),
    }


def any_body(rng: random.Random, wcet: int, resources: list[str], items: tuple[str, ...]) -> list[str]:
    """Cut a wcet into runs, of which some stand in sections, with items between them."""
    cuts = sorted(rng.sample(range(1, wcet), min(wcet - 1, rng.randint(0, 3)))) if wcet > 1 else []
    runs = [end - begin for begin, end in zip([0, *cuts], [*cuts, wcet], strict=True)]
    body: list[str] = []
    held: list[str] = []
    for run in runs:
        free = [name for name in resources if name not in held]
        if free and rng.random() < 0.6:
            held.append(rng.choice(free))
            body.append(f"lock {held[-1]}")
        if items and body and rng.random() < 0.5:
            item = rng.choice(items)
            body += [item] if not held or not item.startswith("suspend") else []
        body.append(f"run {run}")
        if held and rng.random() < 0.6:
            body.append(f"unlock {held.pop()}")
    return [*body, *(f"unlock {name}" for name in reversed(held))]


def _names(draft: Draft, task: Rows) -> list[str]:
    """Return the resources of a draft; a task may use them all."""
    return [resource["name"] for resource in draft.resources]


# ---- changes --------------------------------------------------------------------------------------------

Change = Callable[[Draft, random.Random], None]


def _some_task(draft: Draft, rng: random.Random) -> Rows:
    return rng.choice(draft.tasks)


def _offset(draft: Draft, rng: random.Random) -> None:
    """Move one task: to the others, one tick beside them, or anywhere."""
    task, other = _some_task(draft, rng), _some_task(draft, rng)
    task["offset"] = max(0, rng.choice([0, 1, other["offset"] + rng.choice([-1, 0, 1, 1, 2]), rng.randint(0, 30)]))


def _blocker_first(draft: Draft, rng: random.Random) -> None:
    """Let one task come, and all others a tick later, or several in turn."""
    first = _some_task(draft, rng)
    for task in draft.tasks:
        task["offset"] = 0 if task is first else rng.choice([1, 1, 1, 2])


def _demand(draft: Draft, rng: random.Random) -> None:
    task = _some_task(draft, rng)
    wcet = task["wcet"]
    task["demand"] = rng.choice([None, wcet, [wcet, 1], [1, wcet], [rng.randint(1, wcet) for _ in range(3)]])


def _beyond(draft: Draft, rng: random.Random) -> None:
    """Let a task demand more than its wcet."""
    task = _some_task(draft, rng)
    task["demand"] = task["wcet"] + rng.randint(1, 8)
    task["class_"] = rng.choice(["hard", "soft", "soft"])


def _jitter(draft: Draft, rng: random.Random) -> None:
    task = _some_task(draft, rng)
    if "period" in task:
        task["jitter"] = rng.choice([0, rng.randint(0, task["period"] // 2), rng.randint(0, task["period"])])


def _seed(draft: Draft, rng: random.Random) -> None:
    draft.system["seed"] = rng.randint(0, 99)


def _arrivals(draft: Draft, rng: random.Random) -> None:
    """Give a task arrivals of its own, none nearer than they may be."""
    task = _some_task(draft, rng)
    apart = task.pop("period", None) or task["min_separation"]
    task |= {"min_separation": apart, "jitter": 0}
    instants = [rng.randint(0, 4)]
    for _ in range(rng.randint(2, 6)):
        instants.append(instants[-1] + apart + rng.choice([0, 0, 1, rng.randint(0, apart)]))
    task["arrivals"] = instants


def _timing(draft: Draft, rng: random.Random) -> None:
    """Stretch or shrink a wcet, a period or a deadline; a body grows with the wcet."""
    task = _some_task(draft, rng)
    key = rng.choice([key for key in ("wcet", "deadline", "period", "min_separation") if task.get(key)])
    step = rng.choice([-3, -2, -1, 1, 2, 3, 8, task[key], -task[key] // 2])
    task[key] = max(1, task[key] + step)
    if key == "wcet" and "body" in task:
        _cut_anew(draft, task, rng)


def _cut_anew(draft: Draft, task: Rows, rng: random.Random) -> None:
    items = rng.choice([(), (), ("point",), ("point",), ("suspend 1", "suspend 4"), ("optional point",)])
    names = _names(draft, task) if rng.random() < 0.8 else []
    task["body"] = any_body(rng, task["wcet"], names, items)
    if task["body"] == [f"run {task['wcet']}"]:
        del task["body"]


def _priority(draft: Draft, rng: random.Random) -> None:
    rng.choice([*draft.tasks, *draft.servers])["priority"] = rng.randint(1, 6)


def _body(draft: Draft, rng: random.Random) -> None:
    _cut_anew(draft, _some_task(draft, rng), rng)


def _region(draft: Draft, rng: random.Random) -> None:
    task = _some_task(draft, rng)
    task.pop("threshold", None)
    task["preemption"] = rng.choice(["non-preemptive", "non-preemptive", "preemptive"])


def _threshold(draft: Draft, rng: random.Random) -> None:
    task = _some_task(draft, rng)
    task["preemption"] = "preemptive"
    task["threshold"] = rng.choice([None, *(other["name"] for other in draft.tasks)])


def _class(draft: Draft, rng: random.Random) -> None:
    _some_task(draft, rng)["class_"] = rng.choice(["hard", "hard", "soft", "none"])


def _on_miss(draft: Draft, rng: random.Random) -> None:
    task = _some_task(draft, rng)
    task[rng.choice(["on_miss", "on_overrun"])] = rng.choice(["continue", "abort", "skip", "suspend"])


def _resource(draft: Draft, rng: random.Random) -> None:
    """Share something between two tasks."""
    if len(draft.resources) < 2:
        protocol = rng.choice([*PROTOCOLS, *AMONG]) if draft.servers else rng.choice(PROTOCOLS)
        draft.resources.append({"name": f"R{len(draft.resources)}", "protocol": protocol})
    for task in rng.sample(draft.tasks, min(2, len(draft.tasks))):
        _cut_anew(draft, task, rng)


def _protocol(draft: Draft, rng: random.Random) -> None:
    if draft.resources:
        rng.choice(draft.resources)["protocol"] = rng.choice([*PROTOCOLS, *AMONG])


def _server(draft: Draft, rng: random.Random) -> None:
    """Add a server and put tasks into it, or change one."""
    if len(draft.servers) < 2:
        period = rng.randint(3, 16)
        draft.servers.append({"name": f"V{len(draft.servers)}", "period": period, "budget": rng.randint(1, period)})
    server = rng.choice(draft.servers)
    server["kind"] = rng.choice(KINDS)
    server["policy"] = rng.choice(["fp", "rm", "edf"])
    for task in rng.sample(draft.tasks, rng.randint(1, len(draft.tasks))):
        task["server"] = server["name"]
        if server["kind"] in ("tbs", "cus"):
            task.pop("deadline", None)
            server.pop("policy", None)


def _leave(draft: Draft, rng: random.Random) -> None:
    """Put a task back to the root."""
    task = _some_task(draft, rng)
    task.pop("server", None)
    task.setdefault("deadline", task.get("period") or task["min_separation"])


def _supply(draft: Draft, rng: random.Random) -> None:
    if draft.servers:
        server = rng.choice(draft.servers)
        server["period"] = rng.choice([server["period"], rng.randint(2, 20)])
        server["budget"] = rng.randint(1, server["period"])
        server["priority"] = rng.randint(1, 6)


def _costs(draft: Draft, rng: random.Random) -> None:
    draft.platform = {key: rng.choice([0, 0, 1, 1, 2]) for key in ("context_switch", "release", "scheduling", "point")}


def _model(draft: Draft, rng: random.Random) -> None:
    model = rng.choice(["software", "coprocessor", "hardware"])
    draft.platform = {"model": model, "context_switch": rng.randint(0, 3)}
    if model == "software":
        draft.platform["interval"] = rng.randint(2, 8)
    if model == "coprocessor":
        draft.platform["latency"] = rng.randint(0, 3)


def _cpus(draft: Draft, rng: random.Random) -> None:
    draft.system["cpus"] = rng.choice([1, 2, 2, 3])


def _event(draft: Draft, rng: random.Random) -> None:
    """Let a task come, go, or get other parameters while it runs."""
    task = _some_task(draft, rng)
    at, what = rng.randint(1, 120), rng.choice(["add", "remove", "period", "deadline", "wcet"])
    if what == "add":
        task["initially"] = "absent"
    if what in ("add", "remove"):
        draft.changes.append({"at": at, what: [task["name"]]})
        return
    longest = 2 * (task.get("period") or task["min_separation"])
    change = {"at": at, "task": task["name"], what: rng.randint(1, longest)}
    draft.changes.append(change | ({"deadline": change[what]} if what == "period" and rng.random() < 0.5 else {}))


def _no_event(draft: Draft, rng: random.Random) -> None:
    if draft.changes:
        draft.changes.remove(rng.choice(draft.changes))


def _task(draft: Draft, rng: random.Random) -> None:
    """Take a task away, or add one."""
    if len(draft.tasks) > 4 or (len(draft.tasks) > 1 and rng.random() < 0.5):
        draft.tasks.remove(_some_task(draft, rng))
        return
    name = next(name for name in "ABCDEFGH" if name not in {task["name"] for task in draft.tasks})
    draft.tasks.append(any_task(rng, name, len(draft.tasks) + 1))


def _policy(draft: Draft, rng: random.Random) -> None:
    draft.system["policy"] = rng.choice(POLICIES)


ARRIVALS: tuple[Change, ...] = (_offset, _offset, _blocker_first, _demand, _seed)
"""What the analysis says nothing about: one case of what it bounds, and another."""
PARAMETERS: tuple[Change, ...] = (_timing, _timing, _timing, _priority, _supply, _class, _body)
FEATURES: dict[str, Change] = {
    "jitter": _jitter,
    "arrivals": _arrivals,
    "demands": _beyond,
    "bodies": _body,
    "regions": _region,
    "thresholds": _threshold,
    "resources": _resource,
    "protocols": _protocol,
    "servers": _server,
    "homes": _leave,
    "costs": _costs,
    "models": _model,
    "processors": _cpus,
    "changes": _event,
    "no changes": _no_event,
    "misses": _on_miss,
    "tasks": _task,
    "policies": _policy,
}


# ---- climbing -------------------------------------------------------------------------------------------


def first_draft(rng: random.Random) -> Draft:
    """Return a few tasks under some policy, with one to four features."""
    count = rng.randint(1, 4)
    draft = Draft({"policy": rng.choice(POLICIES)}, [any_task(rng, "ABCDEFGH"[place], count) for place in range(count)])
    for feature in rng.sample(list(FEATURES), rng.randint(1, min(4, len(FEATURES)))):
        FEATURES[feature](draft, rng)
    return draft


def neighbour(draft: Draft, rng: random.Random) -> Draft:
    """Change one thing, or two."""
    other = copy.deepcopy(draft)
    for _ in range(rng.choice([1, 1, 2])):
        kinds: tuple[Change, ...] = rng.choice([ARRIVALS, ARRIVALS, PARAMETERS, tuple(FEATURES.values())])
        rng.choice(kinds)(other, rng)
    return other


@dataclass(frozen=True)
class Refuted:
    """A system that is worse than the analysis says, and after how many systems it was found."""

    system: takt.System
    excess: Excess
    looks: int


class Climber:
    """Climbs from random systems, until it has looked at so many.

    Args:
        seed: of all that is drawn.
        looks: how many systems are judged and simulated.
    """

    def __init__(self, seed: int, looks: int) -> None:
        self.seed = seed
        self.rng = random.Random(seed)
        self.left = self.looks = looks
        self.nearest = 0

    def refutations(self) -> Iterator[Refuted]:
        """Yield each system above 1 that ends a climb."""
        while self.left > 0:
            system, excess = self.climb()
            self.nearest += excess.ratio >= 1
            if system is not None and excess.ratio > 1:
                yield Refuted(system, excess, self.looks - self.left)

    def climb(self) -> tuple[takt.System | None, Excess]:
        """Climb once: up to a refutation, or until nothing is gained for long."""
        draft, (system, best), idle = first_draft(self.rng), (None, Excess(-1.0)), 0
        while self.left > 0 and idle < PATIENCE and best.ratio <= 1:
            other = neighbour(draft, self.rng) if system is not None else first_draft(self.rng)
            built = other.build()
            self.left -= 1
            if built is None:
                continue
            excess = excess_of(built, judge(view_of(built), EFFORT))
            idle = 0 if excess.ratio > best.ratio else idle + 1
            if excess.ratio >= best.ratio:
                draft, system, best = other, built, excess
        return system, best
