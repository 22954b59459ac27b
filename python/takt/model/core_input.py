# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Input of core and simulator: ticks, levels and entity numbers. Each value is a whole number and final."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

from takt import _core
from takt.base import one_line, times
from takt.model.fields import words
from takt.model.python_policy import Policy
from takt.model.records import (
    ChangeRecord,
    CostsRecord,
    ResolvedArchitecture,
    ResolvedRates,
    ResourceRecord,
    ServerRecord,
    TaskRecord,
    ThreadRecord,
)

ROOT = 0
"""Entity number of the root."""

ALLOCATOR = "allocator"
"""Name of the allocator's own task."""

_, SUSPEND, ABORT, SLOTS, PROMOTED, MANDATORY, TOP, SPARE_TIME = words("WINDOWS", "kind")
"""Kinds of windows: what opens and closes them; the last two are of the allocator's own task."""

IDLE = "idle"
"""What a server does that is chosen without work."""

DROP = "drop"
"""What architectures do with late jobs: abort and skip together; no word of files."""

ON_MISS = words("TASKS", "on_miss")
"""What can happen to a job that misses its deadline, in the order of core's numbers."""

CLASSES = words("TASKS", "class_")
"""Classes of tasks as files name them, in the order of core's numbers: the first goes first among equals."""

CHANGES = words("CHANGES", "kind")
"""What can become different, in the order of core's numbers."""

LAXITY_SHIFT = _core.TIME_LIMIT
"""What is added to the laxity that is a threshold under llf, as in policy/llf.c: laxities may be negative."""


@dataclass(frozen=True, slots=True)
class Stream:
    """A sequence of numbers that the simulator reads, listed or drawn; see sim/stream.h.

    Args:
        kind: "listed", or the name of a distribution.
        values: what is listed, in ticks.
        a, b: parameters of the distribution, in ticks where they are times.
        least, most: what is drawn is limited to these.
    """

    kind: str
    values: tuple[int, ...] = ()
    a: float = 0.0
    b: float = 0.0
    least: int = 1
    most: int = times.MAX_TICKS

    __repr__ = one_line.of_fields

    @property
    def is_constant(self) -> bool:
        """True if every number is the same."""
        return self.kind == "listed" and len(self.values) == 1

    @property
    def limits(self) -> tuple[float, float, int, int]:
        """The parameters and the limits of a distribution."""
        return self.a, self.b, self.least, self.most

    @property
    def constant(self) -> int:
        """The number that each one is, 1 if they are not the same."""
        return self.values[0] if self.is_constant else 1


@dataclass(frozen=True, slots=True)
class ResolvedWindows:
    """The windows of a task as core gets them; see policy/window.h. What a kind does not use is 0.

    Args:
        kind: what opens and closes them: "suspend", "abort", "time-driven", "dual-priority" or "imprecise"; or of the
            allocator's own task "top" or "spare-time".
        part: from the release to the promotion, or the part of the wcet that must be done, or the budget on top.
        cycle: after this the slots are repeated.
        slots: start and length of each, ascending.
    """

    kind: str
    part: int = 0
    cycle: int = 0
    slots: tuple[tuple[int, int], ...] = ()

    __repr__ = one_line.of_fields


@dataclass(frozen=True, slots=True)
class ResolvedSharing:
    """The resources of a task under a rate-based root, and its blocking terms; see policy/rate_based.h.

    Args:
        uses: numbers of the resources that it locks.
        blocking: for how long others may block it, by its deadline, in units of 1 / _core.RATE_WHOLE.
        excess: what its sections may execute beyond budgets, by its period, likewise.
    """

    uses: tuple[int, ...]
    blocking: int
    excess: int

    __repr__ = one_line.of_fields


_ONE_TICK = Stream("listed", (1,))


@dataclass(frozen=True, slots=True)
class ResolvedTask(TaskRecord):
    """A task as core and simulator get it; see also TaskRecord.

    Args:
        name: for people.
        priority: as the author gave it.
        arrivals: instants, or a distribution of separations; None for a periodic task.
        demand: what the jobs execute.
        body: op and ticks, or number of the resource, of each item; empty if jobs just run.
        windows: of its jobs, None if these run whenever they are the most urgent.
        sharing: what it shares with others under a rate-based root that has resources; else None.
    """

    name: str
    priority: int = 0
    arrivals: Stream | None = None
    demand: Stream = _ONE_TICK
    body: tuple[tuple[int, int], ...] = ()
    windows: ResolvedWindows | None = None
    sharing: ResolvedSharing | None = None

    __repr__ = one_line.of_fields

    is_server: ClassVar[bool] = False

    @property
    def longest(self) -> int:
        """Longest execution at a time: the wcet."""
        return self.wcet

    @property
    def constant_demand(self) -> int:
        """Execution of each job, 1 if it is not constant."""
        return self.demand.constant

    @property
    def drawn_demand(self) -> Stream | None:
        """Stream of the jobs' execution times, None if they are constant."""
        return None if self.demand.is_constant else self.demand

    @property
    def uses(self) -> tuple[int, ...]:
        """The numbers of the resources that it locks under a rate-based root."""
        return () if self.sharing is None else self.sharing.uses

    @property
    def is_allocator(self) -> bool:
        """True if its jobs are the calls of the allocator, each with a deadline of its own."""
        return self.windows is not None and self.windows.kind in (TOP, SPARE_TIME)

    @property
    def is_plain(self) -> bool:
        """True if its jobs arrive every period, execute a constant time without points, and are never cut short."""
        is_special = self.is_external or self.body or self.on_miss != "continue" or self.windows is not None
        return not is_special and self.demand.is_constant


@dataclass(frozen=True, slots=True)
class ResolvedServer(ServerRecord):
    """A server as core gets it; see also ServerRecord.

    Args:
        name: for people.
        priority: as the author gave it.
    """

    name: str
    priority: int = 0

    __repr__ = one_line.of_fields

    is_server: ClassVar[bool] = True
    class_: ClassVar[str] = "hard"

    @property
    def longest(self) -> int:
        """Longest execution at a time: the budget."""
        return self.budget


@dataclass(frozen=True, slots=True)
class ResolvedCosts(CostsRecord):
    """Times of the kernel's own work; see CostsRecord and system.Platform."""

    @property
    def is_ideal(self) -> bool:
        """True if all costs are 0."""
        costs = (self.context_switch, self.release, self.scheduling, self.point, self.tick, self.wake_up)
        return not any(costs)


@dataclass(frozen=True, slots=True)
class ResolvedResource(ResourceRecord):
    """A resource as core gets it, with its name. Core gets no resource without a user. See also ResourceRecord."""

    name: str


@dataclass(frozen=True, slots=True)
class ResolvedThread(ThreadRecord):
    """A plain thread, as kernels record it, with its name."""

    name: str


@dataclass(frozen=True, slots=True)
class ResolvedChange(ChangeRecord):
    """One thing that becomes different while a system runs; see also ChangeRecord.

    Args:
        demand: what the jobs execute from then on, of parameters only.
        text: what it is, for people.
        number: place of its table [[change]] in the file, counted from 1.
    """

    demand: Stream = _ONE_TICK
    text: str = ""
    number: int = field(default=0, compare=False)

    __repr__ = one_line.of_fields

    @property
    def constant_demand(self) -> int:
        """Execution of each job, 1 if it is not constant."""
        return self.demand.constant

    @property
    def drawn_demand(self) -> Stream | None:
        """Stream of the jobs' execution times, None if they are constant."""
        return None if self.demand.is_constant else self.demand


@dataclass(frozen=True, slots=True)
class ResolvedSystem:
    """A system as core gets it. Entity numbers: the root 0, then servers, tasks and threads in order."""

    name: str
    policy: str | Policy
    resolution_ns: int
    levels: int
    tasks: tuple[ResolvedTask, ...]
    servers: tuple[ResolvedServer, ...] = ()
    threads: tuple[ResolvedThread, ...] = ()
    resources: tuple[ResolvedResource, ...] = ()
    order_rows: int = 0
    time_rows: int = 0
    seed: int = 0
    costs: ResolvedCosts = ResolvedCosts()
    architecture: ResolvedArchitecture | None = None
    rates: ResolvedRates | None = None
    cpus: int = 1
    changes: tuple[ResolvedChange, ...] = ()
    variant: str | None = None
    bulk: int = 1

    __repr__ = one_line.of_fields

    @property
    def first_task(self) -> int:
        """Entity number of the first task."""
        return 1 + len(self.servers)

    def entity_names(self) -> list[str]:
        """Return the names of all entities by their numbers."""
        members: tuple[ResolvedServer | ResolvedTask | ResolvedThread, ...]
        members = (*self.servers, *self.tasks, *self.threads)
        return ["root", *(member.name for member in members)]

    def server_names(self) -> list[str]:
        """Return, for each task, the name of its server, "" for the root."""
        names = ["", *(server.name for server in self.servers)]
        return [names[task.home] for task in self.tasks]

    def runners(self) -> tuple[list[str], list[str]]:
        """Return the tasks and servers that can have a segment, by the simulator's numbers: names, and their servers.

        After the tasks come the servers, which idle.
        """
        idle = [server.name for server in self.servers]
        return [task.name for task in self.tasks] + [IDLE] * len(idle), self.server_names() + idle

    def without_requests(self) -> ResolvedSystem:
        """Return the system whose changes are those that the tasks request, without those that `requests` adds."""
        entering = {number for number, task in enumerate(self.tasks) if not task.is_absent}
        changes = []
        for change in self.changes:
            number = change.task or 0
            if change.kind != "enter":
                changes.append(change)
            elif number not in entering:
                changes.append(replace(change, at=change.at - self.tasks[number].offset))
            entering -= {number} if change.kind == "enter" else set()
        return replace(self, changes=tuple(sorted(changes, key=lambda change: change.at)))

    def requests(self) -> list[ResolvedChange]:
        """Return the requests of tasks of a rate-based root: to leave, to enter at their offsets, or new parameters."""
        there = [ResolvedChange(at=0, kind="enter", task=i) for i, task in enumerate(self.tasks) if not task.is_absent]
        asked = [
            replace(change, at=change.at + self.tasks[change.task].offset)
            if change.kind == "enter" and change.task is not None
            else change
            for change in (*there, *self.changes)
        ]
        return sorted(asked, key=lambda change: (change.at, CHANGES.index(change.kind)))
