# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Jobs and tasks of the rate-based scheduler at run time: windows, budgets, shares.

Source: sections 2.5 and 2.7. What the equations call x, phi, u, C, P and d is here `served`, `share`, `rate`,
`budget`, `period` and `deadline`; share is in units of 1 / SCALE, like the rate.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .allocation import NOTHING, Request, Target, ceil_div
from .model import CLASSES, SCALE, Task
from .sharing import FREE, Cost, Holdings, ResourceState, marks_of


@dataclass
class Job:
    """One job: its number from 0, its release, its task as it was then, and what became of it."""

    number: int
    release: int
    task: Task
    demand: int | None
    executed: int = 0
    deadline: int | None = None
    finish: int | None = None
    missed: bool = False
    holdings: Holdings = field(default_factory=Holdings)


@dataclass
class TaskState:
    """One task that asked to enter.

    Args:
        spec: the task.
        order: its place in the file.
        asked: the task that it is to be, as it was asked last.
        in_force: the task that its jobs are of now.
        estimate: the budget that it requests now.
        fresh: how many of its jobs had ended when its estimate began anew.
        stage: "waiting" (admitted), "in", "leaving" or "out" (left, rejected, or never asked).
        target: what it is to have.
        granted: what it was to have when what it asks for came into force.
        active: whether its oldest job has work and budget left.
        deadline: end of the current window; the reservation is for the window.
        next_release: nominal release of the job after the last one that was released.
        queue: released jobs that are not finished, oldest first.
        level: of the current window, see sharing.py.
        used: the resources that its jobs lock.
        cost: what it adds to b while it is there.
        waits_for_ceilings: whether it respects those of what is locked when it adopts its target.
    """

    spec: Task
    order: int
    asked: Task
    in_force: Task
    estimate: int
    fresh: int = 0
    stage: str = "out"
    target: Target = NOTHING
    granted: Target = NOTHING
    rate: int = 0
    budget: int = 0
    period: int = 0
    served: int = 0
    share: int = 0
    deadline: int = 0
    next_release: int = 0
    active: bool = False
    queue: list[Job] = field(default_factory=list)
    jobs: list[Job] = field(default_factory=list)
    level: int = 0
    used: list[ResourceState] = field(default_factory=list)
    cost: Cost = FREE
    waits_for_ceilings: bool = True

    @property
    def is_admitted(self) -> bool:
        """True if its rate counts in the allocation."""
        return self.stage in ("waiting", "in")

    @property
    def is_hard(self) -> bool:
        """True if it is hard."""
        return self.spec.class_ == "hard"

    @property
    def rank(self) -> tuple[int, int]:
        """Order among equal deadlines, and of grants: class, then place in the file."""
        return CLASSES.index(self.spec.class_), self.order

    @property
    def request(self) -> Request:
        """Its present request."""
        return self.request_of(self.asked, self.estimate)

    def request_of(self, task: Task, estimate: int) -> Request:
        """Return what it would ask for as another task."""
        return Request(self.spec.class_, estimate, task.window if self.is_hard else task.period, task.weight)

    def estimate_of(self, task: Task) -> int:
        """Return the budget that it would ask for as another task: a new wcet begins the estimate anew."""
        return min(self.estimate, task.period) if task.wcet == self.asked.wcet else task.requested

    def ask(self, task: Task) -> None:
        """Ask to be another task."""
        if task.wcet != self.asked.wcet:
            self.fresh = len(self.ended())
        self.estimate = self.estimate_of(task)
        self.asked = task

    def ended(self) -> list[Job]:
        """Return its jobs that have ended."""
        return [job for job in self.jobs if job.finish is not None]

    def is_asking(self) -> bool:
        """True if its requested parameters are not in force yet."""
        return self.asked is not self.in_force

    def is_behind(self) -> bool:
        """True if its job is not ahead of its fluid share: lag >= 0."""
        return self.share >= self.served * SCALE

    def is_at_boundary(self, now: int) -> bool:
        """True if no window is open."""
        return not self.active and now >= self.deadline

    def must_give_up(self) -> bool:
        """True if a leave or a decrease is pending."""
        return self.stage == "leaving" or self.is_to_shrink()

    def is_to_shrink(self) -> bool:
        """True if a decrease is pending that nothing locked forbids."""
        return self.target.rate < self.rate and self.may_adopt()

    def may_adopt(self) -> bool:
        """True if its target leaves its level at or below the ceilings of what it uses and others hold."""
        level = self.spec.window if self.is_hard else self.target.period
        against = [one for one in self.used if one.holder not in (None, self)]
        is_above = self.target.rate > 0 and any(level < one.ceiling for one in against)
        return not is_above or not self.waits_for_ceilings

    def is_holding(self) -> bool:
        """True if its current job holds something."""
        return bool(self.queue) and bool(self.queue[0].holdings.held)

    def least_level(self) -> int:
        """Return the highest level, the least number, that it has until it adopts a target."""
        return self.spec.window if self.is_hard else self.level

    def moved_deadline(self, now: int) -> int:
        """Return the deadline by which the target rate serves what the share has not, T3."""
        return now + ceil_div(self.budget * SCALE - min(self.served * SCALE, self.share), self.target.rate)

    def move_deadline(self, deadline: int) -> None:
        """Move the end of the open window; the next job comes there."""
        self.share = min(self.share, self.served * SCALE)
        self.period = self.target.period
        self.level = min(self.level, self.period)
        self.set_deadline(deadline)

    def set_deadline(self, deadline: int) -> None:
        """Set the end of the window, which is also the release of the next job of a soft or none task."""
        self.deadline = deadline
        if not self.is_hard:
            self.next_release = deadline
        if self.queue:
            self.queue[0].deadline = deadline

    def parameters(self) -> tuple[int, int]:
        """Return budget and period of a window that begins: those of the target if the rate is there."""
        if self.is_hard:
            return self.granted.budget, self.granted.period
        if self.target.rate <= self.rate and self.may_adopt():
            return self.target.budget, self.target.period
        is_none = self.spec.class_ == "none"
        return self.rate * self.period // SCALE if is_none else self.budget, self.period

    def is_complete(self) -> bool:
        """True if the oldest job has done its work; one without a demand works as long as it has budget."""
        job = self.queue[0]
        return self.served >= self.budget if job.demand is None else job.executed >= job.demand

    def release_job(self, release: int) -> None:
        """Add a job to the queue."""
        number = len(self.jobs)
        demand = self.in_force.demand_of(number)
        job = Job(number, release, self.in_force, demand, holdings=Holdings(marks_of(self.spec)))
        self.jobs.append(job)
        self.queue.append(job)
