# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What the framework is given and what it answers: jobs with their attributes, tasks, systems, outcomes.

Source: algorithms.md 5.1 (job record, states), 5.5 (extensions E1 to E6).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .allocator import Allocator

Effective = tuple[str, ...]
"""The effective priority: the names of the attributes that are compared, first one first."""

CLASSES = ("hard", "soft", "none")
BANDS = ("top", "normal", "spare")
ON_FINISH = ("end", "keep")
ON_BUDGET = ("end", "hold", "demote")
ON_IDLE = ("end", "sleep", "burn")


@dataclass(eq=False)
class Budget:
    """A budget record; several jobs may share one (E1).

    Args:
        left: ticks that are left; None is no limit.
    """

    left: int | None = None

    def is_empty(self) -> bool:
        """True if it is used up."""
        return self.left == 0

    def charge(self) -> None:
        """Take one tick out."""
        if self.left is not None:
            self.left -= 1


@dataclass(eq=False)
class Job:
    """A job of the dispatcher: the unit of scheduling.

    Args:
        start: the job is Ready before this instant.
        finish: at this instant it ends, or does not (on_finish); None is never.
        priority: smaller is more urgent.
        server_priority: of the server around it, for a lexicographic pair.
        budget: what its execution is charged to.
        serves: number of the last unit of work that it executes, after which it is complete; None is all that is there.
        on_finish: "end", or "keep": the finish only orders (E3).
        on_budget: at an empty record "end"; "hold": wait until it is filled; "demote": go on in spare time (E3).
        on_idle: while there is no work for a job that serves what is there "end"; "sleep"; "burn": run and consume.
        band: "top" goes before and "spare" after every effective priority.
        non_preemptive: once chosen it stays until it ends, sleeps or has no budget (E5).
        number: set by the dispatcher, counts from 0 for every task.
        state: set by the dispatcher: "ready", "active", "sleep", "end".
        used: set by the dispatcher: ticks that it has run.
        submitted: set by the dispatcher: the instant at which the allocator handed it over.
    """

    start: int
    finish: int | None = None
    priority: int = 0
    server_priority: int = 0
    budget: Budget = field(default_factory=Budget)
    serves: int | None = None
    on_finish: str = "end"
    on_budget: str = "end"
    on_idle: str = "end"
    band: str = "normal"
    non_preemptive: bool = False
    number: int = -1
    state: str = "ready"
    used: int = 0
    submitted: int = -1

    def is_started(self) -> bool:
        """True if its start has passed and it has not ended."""
        return self.state in ("active", "sleep")


class Record(NamedTuple):
    """What the dispatcher tells the allocator about a job that has ended.

    Args:
        task: its task.
        job: its number.
        used: ticks that it ran.
        reason: "complete", "budget" or "finish".
        instant: when it ended.
        submitted: when it was handed over.
        start: its start time.
    """

    task: str
    job: int
    used: int
    reason: str
    instant: int
    submitted: int
    start: int


@dataclass(eq=False)
class Unit:
    """A piece of work of the application; the jobs of its task serve the units one after the other.

    Args:
        number: counts from 0 for every task.
        arrival: the instant from which it can be executed.
        demand: ticks that it takes.
        estimate: what the allocator is told that it takes.
        left: ticks that it still takes.
        finish: the instant at which nothing was left; None if it was not executed to its end.
    """

    number: int
    arrival: int
    demand: int
    estimate: int
    left: int
    finish: int | None = None


@dataclass
class Task:
    """A task: its allocator, and the work that its jobs execute.

    Args:
        name: unique.
        allocator: makes its jobs; None is a non-real-time task, which runs when no job is eligible.
        work: (arrival, demand) or (arrival, demand, estimate), arrivals ascending.
        aborts: what a job leaves undone of the units that it serves is dropped, not continued by the next job.
        class_: "hard", "soft" or "none", for ties.
    """

    name: str
    allocator: Allocator | None
    work: tuple[tuple[int, ...], ...] = ()
    aborts: bool = False
    class_: str = "hard"


@dataclass
class AllocatorCost:
    """The allocator as a task that is scheduled itself (5.3).

    Args:
        cost: ticks of one call.
        kind: "top": highest priority with a budget; "dual": spare time, and top from the last safe instant.
        period: of the budget, for "top".
        budget: ticks per period, for "top".
    """

    cost: int
    kind: str = "dual"
    period: int = 1
    budget: int = 1


@dataclass
class System:
    """Tasks in file order, the effective priority, and what it is changed to at which instants.

    Args:
        tasks: in file order, which decides ties.
        effective: names of attributes: priority, server_priority, finish, start, finish - remaining.
        changes: (instant, effective), ascending; a change applies from the next select.
        allocator_cost: None lets every call take no time.
    """

    tasks: tuple[Task, ...]
    effective: Effective = ("priority",)
    changes: tuple[tuple[int, Effective], ...] = ()
    allocator_cost: AllocatorCost | None = None


class UnitRow(NamedTuple):
    """What became of a unit of work; finish is None if it was dropped or is not finished."""

    task: str
    unit: int
    arrival: int
    finish: int | None


class Tick(NamedTuple):
    """The owner of a tick: a task, its job (-1: non-real-time), and the unit (-1: it burns budget without work)."""

    task: str
    job: int
    unit: int


@dataclass
class Outcome:
    """What happened.

    Args:
        ticks: the owner of each tick; None is idle.
        records: ended jobs, in order of their end.
        calls: number of allocator calls of each task.
        units: every unit that arrived, in task order.
    """

    ticks: list[Tick | None]
    records: list[Record]
    calls: dict[str, int]
    units: list[UnitRow]

    def by_task(self) -> list[str | None]:
        """Return the task that executes in each tick; burning budget is not executing."""
        return [tick.task if tick is not None and tick.unit >= 0 else None for tick in self.ticks]

    def by_job(self) -> list[tuple[str, int] | None]:
        """Return task and job that execute in each tick."""
        return [(tick.task, tick.job) if tick is not None and tick.unit >= 0 else None for tick in self.ticks]

    def reasons(self, task: str) -> list[str]:
        """Return why the jobs of a task ended, in order of their end."""
        return [record.reason for record in self.records if record.task == task]
