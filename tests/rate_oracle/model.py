# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What the rate-based reference is given and what it answers: plain data.

Source: sections 2.1 and 2.2 of the rules. Rates are integers in units of 1 / SCALE.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

Segment = tuple[int, int, str, int]
JobRow = tuple[str, int, int, int | None, int | None, bool, bool]
LogRow = tuple[int, str, str, int]
LockRow = tuple[int, str, int, str, str]
BlockedRow = tuple[int, str, int, str]

SCALE = 18_018_000
"""One whole processor: 2^4 3^2 5^3 7 11 13, so that the rates of common periods are exact."""

CLASSES = ("hard", "soft", "none")
RULES = ("boundary", "in-flight", "naive", "naive-kept")
FORMULA3 = "formula3"


@dataclass(frozen=True)
class Task:
    """A task. Times are ticks.

    Args:
        name: unique.
        class_: "hard", "soft" or "none".
        wcet: budget of one job, an estimate for a soft task; without effect for class none, whose budget is computed.
        period: requested period of a soft task, pseudo period of class none.
        deadline: relative deadline of a hard task, 1..period; None means the period.
        weight: share among the tasks of class none.
        demand: ticks that each job executes; several are repeated in order. None means the wcet, and for class
            none the whole budget of every window.
        offset: instant at which the task asks to enter.
        leaves: instant at which it is asked to leave; None means never.
        adapts: whether the wcet estimate of a soft task follows what its jobs execute.
        requests: instants at which it is asked to be another task from then on: one of the same name and class, whose
            wcet, period, deadline, weight and demand may be others.
        body: what a job does: "run 2", "lock R", "unlock R". Empty: it runs.
    """

    name: str
    class_: str
    wcet: int | None
    period: int
    deadline: int | None = None
    weight: int = 1
    demand: int | tuple[int, ...] | None = None
    offset: int = 0
    leaves: int | None = None
    adapts: bool = False
    requests: tuple[tuple[int, Task], ...] = ()
    body: tuple[str, ...] = ()

    @property
    def runs(self) -> int:
        """The total of the runs of the body."""
        return sum(int(item.removeprefix("run ")) for item in self.body if item.startswith("run "))

    @property
    def window(self) -> int:
        """The relative deadline, which is never beyond the period."""
        return self.period if self.deadline is None else self.deadline

    @property
    def requested(self) -> int:
        """The budget of one job that was asked for; 0 for class none without a body, which asks for nothing."""
        return self.wcet or self.runs

    def demand_of(self, number: int) -> int | None:
        """Return the demand of a job; None means the whole budget of its window."""
        if self.demand is None and self.body:
            return self.runs
        if self.demand is None:
            return None if self.class_ == "none" else self.requested
        demands = (self.demand,) if isinstance(self.demand, int) else self.demand
        return demands[number % len(demands)]


@dataclass(frozen=True)
class System:
    """Tasks in file order and the settings of the scheduler.

    Args:
        tasks: file order breaks ties.
        beta: share reserved for class none, or "formula3".
        sigma: least total share of the soft tasks, kept free at the admission of hard ones.
        grid: stretched periods are rounded up to a multiple of it.
        rule: when a task gives up rate: "boundary" at the end of its window only; "in-flight" also a soft task that
            is not ahead of its share, with a later deadline. Negative controls: "naive" gives up at once with a later
            deadline, "naive-kept" at once with the old deadline.
        compression: whether an active soft task may get an earlier deadline when its rate grows.
        nrt_shrink: whether a task of class none that is not ahead may give up rate with a smaller budget.
        background: whether class none uses idle ticks beyond its budget.
        estimate_jobs: how many jobs a smaller wcet estimate looks back.
        counts_blocking: whether capacity and admission know b. Not: a negative control.
        waits_for_ceilings: whether no task rises above the ceiling of what is locked. Not: a negative control.
    """

    tasks: tuple[Task, ...]
    beta: Fraction | str = Fraction(1, 10)
    sigma: Fraction = Fraction(0)
    grid: int = 1
    rule: str = "in-flight"
    compression: bool = False
    nrt_shrink: bool = False
    background: bool = True
    estimate_jobs: int = 8
    counts_blocking: bool = True
    waits_for_ceilings: bool = True


@dataclass(frozen=True)
class Outcome:
    """What happened.

    Args:
        segments: (start, end, task, job number) in order of time; jobs are numbered from 0.
        jobs: (task, job number, release, adjusted deadline, finish, missed the adjusted deadline, missed the
            requested deadline): finished jobs in order of finish, then the others in task order. Finish is None for
            unfinished jobs, the deadline too for a job that never had a window.
        ledger: sum of all reservations at each tick, as of the dispatch, in units of 1 / SCALE.
        log: (instant, event, task, rate of the task after it): "admitted", "rejected", "entered", "left", "re-rated",
            "suspended" (no rate left), "resumed", "refilled" (soft and none), "overrun" (hard), "in force" (what it
            asked for last).
        locks: (instant, task, job number, resource, "lock" or "unlock") in order of occurrence.
        blocked: (tick, task, deadline of its window, holder) of each tick that a holder had instead of the task.
        capacity: at each tick, what b of those that are in or leaving allows the ledger to be.
    """

    segments: list[Segment]
    jobs: list[JobRow]
    ledger: list[int]
    log: list[LogRow]
    locks: list[LockRow] = field(default_factory=list)
    capacity: list[int] = field(default_factory=list)
    blocked: list[BlockedRow] = field(default_factory=list)
