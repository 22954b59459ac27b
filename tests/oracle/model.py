# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What the oracle is given and what it answers: task sets and outcomes, plain data.

Names are those of the task-set file. Random numbers are no business of the oracle: a task whose jobs come
sporadically, at random or with jitter arrives here as the list of its jobs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

Segment = tuple[int, int, str, str, int]
JobRow = tuple[str, int, int, int | None, int | None, bool]
PointRow = tuple[int, str, int, bool, bool]
LockRow = tuple[int, str, int, str, str]
Deadlock = tuple[int, tuple[tuple[str, str], ...]]

POLICIES = ("fp", "edf", "rm", "dm", "llf", "rbe")
CLASSES = ("hard", "soft", "none")
IDLE = "idle"
KINDS = ("deferrable", "idling", "polling", "sporadic", "sporadic-strict", "cbs", "hard-cbs", "tbs", "cus")
EDF_KINDS = ("cbs", "hard-cbs")
RULE_KINDS = ("tbs", "cus")
DEADLINE_POLICIES = ("edf", "rbe")
ON_MISS = ("continue", "abort", "skip")
POINT_MODELS = ("push", "pull")
BODY_ITEMS = ("run", "point", "optional point", "suspend", "lock", "unlock")
PROTOCOLS = ("none", "npcs", "pip", "pcp", "icpp", "srp")
LEVELLESS_POLICIES = ("llf", "rbe")
LEVELLESS_PROTOCOLS = ("none", "npcs", "pip")
AMONG_PROTOCOLS = ("global-srp", "hsrp", "hsrp-payback", "sirap")
AMONG_KINDS = ("deferrable", "idling", "polling")


class Step(NamedTuple):
    """An item of a body.

    Args:
        kind: one of BODY_ITEMS.
        ticks: length of a run or a suspension, else 0.
        resource: name of what is locked or unlocked, else "".
    """

    kind: str
    ticks: int = 0
    resource: str = ""


class Mark(NamedTuple):
    """Something that a job does besides running: where in its execution, and what.

    Args:
        executed: ticks that the job has executed when it does this.
        kind: one of BODY_ITEMS, but no run.
        ticks: length of a suspension, else 0.
        resource: name of what is locked or unlocked, else "".
    """

    executed: int
    kind: str
    ticks: int
    resource: str


@dataclass(frozen=True)
class Task:
    """A task. Times are ticks; a larger priority is more urgent.

    Args:
        name: unique among tasks.
        period: distance of two arrivals, >= 1; None for a task that has none.
        demand: ticks that each job executes, >= 1; several are repeated in order. None means the total of the
            runs of the body if there is one, else the wcet.
        offset: arrival and release of job 0 of a periodic task, >= 0; without effect where releases are given.
        deadline: relative deadline, >= 1; None means the period, or else the minimum separation.
        priority: used by an fp dispatcher only.
        server: name of the server that holds the task; None means the root.
        preemption: "preemptive" or "non-preemptive"; None means non-preemptive if there are subjobs or the
            body has a point, else preemptive.
        threshold: how urgent a started job is: a priority not below the own one in an fp dispatcher, or the
            name of a task of the same dispatcher.
        class_: "hard", "soft" or "none"; among equal keys in that order.
        wcet: what llf counts on; None means the total of the runs of the body, else the largest demand.
        min_separation: rm's period of a task that has none.
        releases: (release, arrival) of every job, in instants of the run, neither descending. None means
            periodic ones.
        body: what a job does, in the words of the file, times in ticks: "run 2", "point", "optional point",
            "suspend 1", "lock R", "unlock R". None means one run.
        subjobs: lengths of runs with a point between any two; instead of a body.
        on_miss: "continue", "abort" or "skip".
        absent: whether it waits for a change that adds it; then releases count from that.
        events: x, how many jobs rbe expects in an interval, >= 1.
        interval: y; None means the period, or else the minimum separation.
        origins: what the deadline of job 0, 1, ... counts from; None: from the arrival.
        drops: (job, instant) of the jobs that are dropped while they wait behind another one.
    """

    name: str
    period: int | None = None
    demand: int | tuple[int, ...] | None = None
    offset: int = 0
    deadline: int | None = None
    priority: int = 0
    server: str | None = None
    preemption: str | None = None
    threshold: int | str | None = None
    class_: str = "hard"
    wcet: int | None = None
    min_separation: int | None = None
    releases: tuple[tuple[int, int], ...] | None = None
    body: tuple[str, ...] | None = None
    subjobs: tuple[int, ...] | None = None
    on_miss: str = "continue"
    absent: bool = False
    events: int = 1
    interval: int | None = None
    origins: tuple[int, ...] | None = None
    drops: tuple[tuple[int, int], ...] = ()

    @cached_property
    def rate_period(self) -> int | None:
        """The period that rm orders by."""
        return self.min_separation if self.period is None else self.period

    @cached_property
    def relative_deadline(self) -> int:
        """The deadline counted from the arrival, in ticks; 0 if the task has none, which is refused."""
        return (self.rate_interval or 0) if self.deadline is None else self.deadline

    @cached_property
    def rate_interval(self) -> int | None:
        """The interval in which rbe expects so many jobs."""
        return self.rate_period if self.interval is None else self.interval

    @cached_property
    def non_preemptive(self) -> bool:
        """True if a started job gives way at its points only."""
        if self.preemption is None:
            return self.subjobs is not None or "point" in (self.body or ())
        return self.preemption == "non-preemptive"

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The body, whichever way it is written; empty if there is none."""
        if self.subjobs is not None:
            return tuple(step for length in self.subjobs for step in (Step("point"), Step("run", length)))[1:]
        return tuple(_parsed(item) for item in self.body or ())

    @cached_property
    def marks(self) -> tuple[Mark, ...]:
        """What a job does besides running, in order; what follows its last run, it does by ending."""
        steps = _without_end(self.steps)
        return tuple(
            Mark(_total_of_runs(steps[:place]), *step) for place, step in enumerate(steps) if step.kind != "run"
        )

    @cached_property
    def resources(self) -> tuple[str, ...]:
        """The names of what its jobs lock."""
        return tuple(step.resource for step in self.steps if step.kind == "lock")

    @cached_property
    def demands(self) -> tuple[int, ...]:
        """The demands of job 0, 1, ..., to be repeated."""
        if self.demand is None:
            return (_total_of_runs(self.steps) if self.steps else self.wcet or 0,)
        return self.demand if isinstance(self.demand, tuple) else (self.demand,)

    @cached_property
    def declared_wcet(self) -> int:
        """The worst-case execution time that the scheduler believes in."""
        if self.wcet is not None:
            return self.wcet
        return _total_of_runs(self.steps) if self.steps else max(self.demands)


@dataclass(frozen=True)
class Server:
    """A server (SPEC.md, 4). Times are ticks; a larger priority is more urgent.

    Args:
        name: unique among servers.
        period: distance of two replenishments, or what the kind makes of it, >= 1.
        budget: ticks that it may run in a period, 1..period.
        priority: used by an fp parent only.
        policy: one of POLICIES, the order of its children.
        offset: first replenishment, >= 0; the budget is 0 before it.
        parent: name of the server that holds it; None means the root.
        kind: one of KINDS; the last four stand under edf and rbe only. "tbs" and
            "cus" have no budget and hold tasks only, which compete in the parent; budget / period is their share.
    """

    name: str
    period: int
    budget: int
    priority: int = 0
    policy: str = "fp"
    offset: int = 0
    parent: str | None = None
    kind: str = "deferrable"


@dataclass(frozen=True)
class Resource:
    """What jobs share, one at a time (SPEC.md, 9).

    Args:
        name: unique among resources.
        protocol: one of PROTOCOLS, for jobs of one dispatcher, or of AMONG_PROTOCOLS, for jobs of servers that have one
            parent, and of that parent.
    """

    name: str
    protocol: str = "pip"


@dataclass(frozen=True)
class Platform:
    """What the kernel's own work costs, in ticks. The default is the ideal platform, where it costs nothing.

    Args:
        context_switch: before a job of another task than the last one.
        release: for each job released or skipped.
        scheduling: for each time the scheduler is called.
        point: for each point, optional or not, of a non-preemptive job.
        tick: for each tick of the timer.
        tick_period: distance of two ticks of the timer, the first one period after 0; needed iff tick > 0.
        wake_up: before a job, if neither a job nor the kernel has had the processor right before.
        points: "push" or "pull": what is due while a non-preemptive job runs is handled at once, or waits.
    """

    context_switch: int = 0
    release: int = 0
    scheduling: int = 0
    point: int = 0
    tick: int = 0
    tick_period: int | None = None
    points: str = "push"
    wake_up: int = 0


@dataclass(frozen=True)
class Change:
    """What becomes different at an instant (SPEC.md, 12).

    Args:
        at: the instant, >= 0.
        add: names of tasks that enter; absent until then.
        remove: names of tasks that leave; there until then.
        policy: what orders the root from then on; None leaves it.
        task: name of the task that gets new parameters.
        period, demand, wcet, deadline, priority, class_: its new parameters; None leaves them. The period is of a task
            without given releases.
    """

    at: int
    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    policy: str | None = None
    task: str | None = None
    period: int | None = None
    demand: int | tuple[int, ...] | None = None
    wcet: int | None = None
    deadline: int | None = None
    priority: int | None = None
    class_: str | None = None

    @property
    def parameters(self) -> dict[str, Any]:
        """The new parameters."""
        keys = ("period", "demand", "wcet", "deadline", "priority", "class_")
        return {key: getattr(self, key) for key in keys if getattr(self, key) is not None}


@dataclass(frozen=True)
class System:
    """A task set: policy orders what sits at the root, tasks, servers, resources and changes stand in file order."""

    policy: str
    tasks: tuple[Task, ...]
    servers: tuple[Server, ...] = ()
    platform: Platform = Platform()
    resources: tuple[Resource, ...] = ()
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """What happened before the horizon.

    Args:
        segments: (start, end, server name or "", task, job number), neighbours of one job merged, idle
            and kernel time not listed. The server is the one that holds the task. An idling server that idles is
            (start, end, server name, IDLE, 0).
        jobs: (task, job number, arrival, finish, response, missed), finished, aborted and skipped jobs in the
            order in which that happened, then the unfinished ones in task order; finish and response are None
            unless finished.
        budgets: for each tick the budget of every server, in file order, as the dispatcher sees it: after
            all events of the instant, before the tick is charged. A replenishment counts from its nominal instant;
            whatever else waits for its scheduler shows when it is handled.
        misses: for each task the number of jobs that were unfinished at a deadline <= horizon, were aborted or
            were skipped.
        aborted: for each task the number of jobs ended at their deadline.
        skipped: for each task the number of jobs dropped at their release.
        overruns: for each task the number of finished jobs that executed more than the wcet.
        points: (instant, task, job number, optional, should_yield) in order of time.
        overhead: ticks of kernel time.
        switches: how often a job of another task than the last one was dispatched.
        invocations: how often the scheduler was called.
        locks: (instant, task, job number, resource, what) in order of occurrence; what is "lock" (it was granted),
            "wait" (the job is blocked) or "unlock".
        deadlocks: (instant, circle) in order of occurrence; a circle is (task, resource it waits for) of each job in
            it, first the one whose lock closed it, then the one that blocks that one, and so on.
    """

    segments: list[Segment]
    jobs: list[JobRow]
    budgets: list[list[int]]
    misses: dict[str, int]
    aborted: dict[str, int] = field(default_factory=dict)
    skipped: dict[str, int] = field(default_factory=dict)
    overruns: dict[str, int] = field(default_factory=dict)
    points: list[PointRow] = field(default_factory=list)
    overhead: int = 0
    switches: int = 0
    invocations: int = 0
    locks: list[LockRow] = field(default_factory=list)
    deadlocks: list[Deadlock] = field(default_factory=list)


def _parsed(item: str) -> Step:
    """Split an item of a body: "run 2" and "lock R" are of two words, "optional point" is of one."""
    first, _, rest = item.partition(" ")
    if first in ("lock", "unlock"):
        return Step(first, resource=rest)
    return Step(first, ticks=int(rest)) if rest.isdigit() else Step(item)


def _without_end(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Leave out what follows the last run."""
    runs = [place for place, step in enumerate(steps) if step.kind == "run"]
    return steps[: runs[-1] + 1] if runs else steps


def _total_of_runs(steps: tuple[Step, ...]) -> int:
    """Add up the runs of a body or of its beginning."""
    return sum(step.ticks for step in steps if step.kind == "run")
