# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The rules by which the tools behind the formats schedule, and where a file can meet one that Takt does not follow.

Source: the schedulers of SimSo 0.8.5; the elections of Cheddar 3 (hpf, edf, llf); sched(7), sched-deadline.rst and
kernel/sched of Linux 6.12. docs/reference/formats.md has this table.

A difference is reported unless it is impossible. Deadlines of two periodic tasks coincide at some instant if and only
if the distance of their first ones is a multiple of the greatest common divisor of their periods; dates are deadlines
without a period. No job is late if response times (static priorities, Joseph and Pandya 1986) or densities (EDF;
Goossens, Funk, Baruah 2003) say so. Of more tasks and dates than are compared everything is possible.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise
from typing import NamedTuple

from takt.base import times
from takt.base.errors import Problem, show
from takt.model.core_input import ResolvedTask
from takt.model.python_policy import name_of
from takt.model.system import System
from takt.model.tables import Server

DIFFERS = "differs"
"""The code of a problem that says where a tool schedules otherwise."""

_MOST = 1000
"""The most tasks and dates that are compared with one another, and the most steps of a response time."""

_MOST_TASKS = 100
"""The most tasks of a dispatcher of which it is found whether they can be late."""

_DEADLINE = "absolute deadline"
_LAXITY = "laxity"
_PLURALS = {"priority": "priorities", "period": "periods", "deadline": "deadlines", _DEADLINE: "deadlines"} | {
    _LAXITY: "laxities"
}


@dataclass(frozen=True)
class Rule:
    """Scheduling rules of a tool.

    Args:
        tool: the tool.
        scheduler: its scheduler, as a file names it.
        policy: what stands for it in Takt.
        key: what orders jobs: "priority", "period", "deadline" (relative), "absolute deadline", "laxity".
        equals: what it does with jobs of equal keys, which Takt does not.
        spares_earlier: on one processor it is one that is released later and stands before its equal in the file.
        counts: the unit of time.
        processors: how many it uses, none for all.
        anew: what makes it order jobs anew that Takt does not take for a reason, and the other way round.
        late: what it does with late jobs, which Takt does not.
        only_aborted: that holds only if late jobs are aborted.
        budget: what it does with budgets, which Takt does not.
    """

    tool: str
    scheduler: str
    policy: str
    key: str
    equals: str
    spares_earlier: bool = False
    counts: str = "whole cycles"
    processors: int | None = None
    anew: str = ""
    late: str = ""
    only_aborted: bool = False
    budget: str = ""


_FIRST_READY = "runs the one that became ready first"
_STAYS = "does not displace the running one"
_BEHIND = "does not displace the running one and puts a displaced one behind its equals"
_BY_NAME = "runs the first by name, or by an option the running one"
_ITS_OWN = "runs one by rules of its own"
_LOSES = "loses the running job when it aborts one that waits"

SIMSO = (
    Rule("SimSo", "EDF", "edf", _DEADLINE, _STAYS, spares_earlier=True),
    Rule("SimSo", "EDF_mono", "edf", _DEADLINE, _FIRST_READY, processors=1),
    Rule("SimSo", "FP", "fp", "priority", _BEHIND, late=_LOSES, only_aborted=True),
    Rule("SimSo", "RM", "rm", "period", _BEHIND, late=_LOSES, only_aborted=True),
    Rule("SimSo", "RM_mono", "rm", "period", _FIRST_READY, processors=1),
    Rule(
        *("SimSo", "LLF", "llf", _LAXITY, "runs the one of the smaller id"),
        anew="orders jobs at releases, completions and each ms, which can take 1us, not at each tick",
    ),
)
CHEDDAR = tuple(
    Rule("Cheddar", scheduler, policy, key, equals, counts="units")
    for scheduler, policy, key, equals in (
        ("POSIX_1003_HIGHEST_PRIORITY_FIRST", "fp", "priority", "runs the one of the earliest wake-up time, or any"),
        ("RATE_MONOTONIC", "rm", "period", _ITS_OWN),
        ("DEADLINE_MONOTONIC", "dm", "deadline", _ITS_OWN),
        ("EARLIEST_DEADLINE_FIRST", "edf", _DEADLINE, _BY_NAME),
        ("LEAST_RUNTIME_LAXITY_FIRST", "llf", _LAXITY, _ITS_OWN),
    )
)
LINUX = (
    Rule(
        *("Linux", "SCHED_FIFO", "fp", "priority", "runs the thread that woke up first, and a late one continues"),
        counts="nanoseconds",
    ),
    Rule(
        *("Linux", "SCHED_DEADLINE", "edf", _DEADLINE, _FIRST_READY),
        counts="nanoseconds",
        late="gives the next job what is left of the budget",
        budget="keeps budget and deadline of a thread that wakes up with exactly its bandwidth left",
    ),
)
RULES = (*SIMSO, *CHEDDAR, *LINUX)


def by_policy(rules: Sequence[Rule]) -> dict[str, Rule]:
    """Return the rules of a tool by what stands for them."""
    return {rule.policy: rule for rule in rules}


def problem(what: str, table: str, entity: str | None, key: str) -> Problem:
    """Return the line of a difference."""
    return Problem(f"scheduled otherwise: {what}", DIFFERS, table=table, entity=entity, key=key)


def differences(system: System, rules: Mapping[str, Rule], *, with_root: bool = True) -> Iterator[Problem]:
    """Yield how a tool can schedule a system otherwise: a line for each dispatcher and reason.

    Args:
        system: what was read.
        rules: those of the tool, by policy.
        with_root: whether children of the root can be ready at one instant.
    """
    for part in [domain.system for domain in system.domains] or [system]:
        for server in [*([None] if with_root else []), *part.servers]:
            rule = rules.get(name_of(part.policy if server is None else server.policy))
            table, name = ("system", None) if server is None else ("server", server.name)
            reasons = () if rule is None else _reasons(rule, _Dispatcher.of(part, server))
            yield from (problem(reason, table, name, "policy") for reason in reasons)


class _Dispatcher(NamedTuple):
    """Entities that compete with one another.

    Args:
        tasks: in the order of the file.
        servers: beside them.
        cpus: for how many processors.
    """

    tasks: list[ResolvedTask]
    servers: list[Server]
    cpus: int

    @classmethod
    def of(cls, system: System, parent: Server | None) -> _Dispatcher:
        """Return the children of a server or the root."""
        name = None if parent is None else parent.name
        every = zip(system.tasks, system.resolved.tasks, strict=True)
        servers = [server for server in system.servers if server.parent == name]
        return cls([resolved for task, resolved in every if task.server == name], servers, system.cpus)

    @property
    def competes(self) -> bool:
        """True if there can be more ready children than processors."""
        return len(self.tasks) + len(self.servers) > self.cpus


def _reasons(rule: Rule, children: _Dispatcher) -> Iterator[str]:
    if rule.anew and children.tasks:
        yield f"{rule.tool} {rule.anew}"
        return
    if children.competes and (pair := _equals(rule, children)):
        equals = f"equal {_PLURALS[rule.key]}"
        yield f"{show(pair[0])} and {show(pair[1])} can have {equals}; of equals {rule.tool} {rule.equals}"
    judged = [task for task in children.tasks if task.on_miss == "abort" or not rule.only_aborted]
    if rule.late and judged and _can_be_late(rule, children, judged):
        yield f"a job can be late; {rule.tool} then {rule.late}"
    if rule.budget and any(server.kind == "hard-cbs" for server in children.servers):
        yield f"{rule.tool} {rule.budget}"


# ---- equals -----------------------------------------------------------------------------------------


def _equals(rule: Rule, children: _Dispatcher) -> tuple[str, str] | None:
    """Return two children whose keys can be equal in a way that matters."""
    if rule.key == _LAXITY:
        names = [task.name for task in children.tasks]
        return (names[0], names[1]) if len(names) > 1 else None
    if rule.key != _DEADLINE:
        by_key: dict[int, str] = {}
        keys = [(task.name, getattr(task, rule.key)) for task in children.tasks]
        keys += [(server.name, server.priority) for server in children.servers if rule.key == "priority"]
        return next(((by_key[key], name) for name, key in keys if by_key.setdefault(key, name) != name), None)
    dates = [(task, _deadlines(task)) for task in children.tasks]
    is_far = sum(len(found) for _, found in dates) > _MOST
    spares_earlier = rule.spares_earlier and children.cpus == 1
    for (one, first), (other, second) in pairwise(dates) if is_far else combinations(dates, 2):
        is_spared = spares_earlier and one.deadline >= other.deadline
        if not is_spared and (is_far or any(a.meets(b) for a in first for b in second)):
            return one.name, other.name
    return None


class Dates(NamedTuple):
    """The instants first, first + step, first + 2 step ..., or one alone if the step is 0; in ticks."""

    first: int
    step: int

    def meets(self, other: Dates) -> bool:
        """True if there is an instant in both."""
        step, gap = math.gcd(self.step, other.step), self.first - other.first
        if gap % step if step else gap:
            return False
        return (self.step > 0 or gap >= 0) and (other.step > 0 or gap <= 0)


_ANY = Dates(0, 1)


def _deadlines(task: ResolvedTask) -> list[Dates]:
    """Return the absolute deadlines of a task; any where they are drawn."""
    if task.arrivals is not None:
        listed = [Dates(instant + task.deadline, 0) for instant in task.arrivals.values]
        return listed if task.arrivals.kind == "listed" else [_ANY]
    return [_ANY if task.jitter or not task.period else Dates(task.offset + task.deadline, task.period)]


# ---- late jobs --------------------------------------------------------------------------------------


def _can_be_late(rule: Rule, children: _Dispatcher, judged: Sequence[ResolvedTask]) -> bool:
    """True unless no job of some tasks can be late."""
    tasks, cpus = children.tasks, children.cpus
    if any(task.wcet > _limit(task) for task in judged):
        return True
    if not children.competes:
        return False
    has_more = any(task.locks or task.suspends or task.jitter or not _separation(task) for task in tasks)
    if has_more or len(tasks) > _MOST_TASKS:
        return True
    if rule.key == _DEADLINE:
        densities = [Fraction(task.wcet, max(1, _limit(task))) for task in tasks]
        return sum(densities) > cpus - (cpus - 1) * max(densities)
    sign = 1 if rule.key == "priority" else -1
    urgency = {task.name: sign * getattr(task, rule.key) for task in tasks}
    return cpus > 1 or any(
        _is_late(task, [other for other in tasks if other is not task and urgency[other.name] >= urgency[task.name]])
        for task in judged
    )


def _separation(task: ResolvedTask) -> int:
    if task.arrivals is None or task.arrivals.kind != "listed":
        return task.period
    return min((after - before for before, after in pairwise(task.arrivals.values)), default=times.MAX_TICKS)


def _limit(task: ResolvedTask) -> int:
    """Return how long a job may take, so that it ends before its deadline and before the next one comes."""
    return max(0, min(task.deadline, _separation(task)))


def _is_late(task: ResolvedTask, others: Sequence[ResolvedTask]) -> bool:
    """True unless the response time of a task beside more urgent ones, late or not, is within its limit."""
    response = task.wcet
    for _ in range(_MOST):
        demand = task.wcet + sum(-(-response // _separation(other)) * other.wcet for other in others)
        if demand == response or demand > _limit(task):
            break
        response = demand
    return demand > response or demand > _limit(task)
