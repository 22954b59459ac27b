# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The dispatcher of the general scheduling framework, tick by tick, with linear scans.

Source: algorithms.md 5.1 to 5.3 and 5.5; ties 0.4 (b). One pass is made at every instant:
complete, budget, finish, allocator (arrivals, feedback, new jobs), start timers, wait and get, select.

What the specification leaves open, and the rule here:

- The work of a task is a queue of units. A job that serves unit k executes what is left of earlier units too, and is
  complete when unit k is done; one that serves "what is there" is complete when the queue is empty (unless it sleeps).
- A job whose units have not arrived sleeps until they do. A job that is complete before its start ends at once.
- A budget record that is empty ends a job that has work, even before its start (the high job of dual priority);
  a sleeping job with an empty record ends when work comes.
- A job that is held keeps its state; it is only not chosen while its record is empty. A demoted job goes on in spare
  time: after all others, by the same effective priority, without a limit.
- A planned allocator is due as soon as no start of its jobs lies ahead: at a release it hands over the next one.
  Records alone make only those allocators due that need feedback.
- All calls at an instant are repeated until none is due, in file order.
- A job that a call which took time hands over at its finish or later ends at once: its timer fires at once.
- Admission is not modelled: every task is admitted. Tasks register at instant 0: the calls of that instant take no
  time, whatever the cost of a call.
- The allocator as a task serves calls first come, first served; what a call hands over is there when the call ends.
- Non-real-time tasks run in file order, each its work first come, first served.
- A change of the effective priority displaces no running non-preemptive job.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy

from .allocator import AllocatorView
from .allocator_task import ALLOCATOR, make_allocator_task
from .model import BANDS, CLASSES, AllocatorCost, Job, Outcome, Record, System, Tick, Unit, UnitRow

Choice = tuple[AllocatorView, Job]

NEVER = 10**18


def _finish(job: Job) -> int:
    """Return the finish time."""
    return NEVER if job.finish is None else job.finish


def _latest_start(job: Job) -> int:
    """Return finish minus what remains of the budget."""
    return _finish(job) - (job.budget.left or 0)


ATTRIBUTES: dict[str, Callable[[Job], int]] = {
    "priority": lambda job: job.priority,
    "server_priority": lambda job: job.server_priority,
    "finish": _finish,
    "start": lambda job: job.start,
    "finish - remaining": _latest_start,
}


def simulate(system: System, horizon: int) -> Outcome:
    """Run the ticks 0 .. horizon-1; at the horizon itself what is complete still completes.

    Args:
        system: what to run; it is not changed.
        horizon: number of ticks.
    Returns:
        What happened.
    """
    run = _Dispatcher(deepcopy(system))
    for now in range(horizon):
        run.make_pass(now)
        run.run_tick()
    run.complete(horizon)
    return run.outcome()


class _Dispatcher:
    """The state of one simulation."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.effective = system.effective
        self.views = [AllocatorView(task, order) for order, task in enumerate(system.tasks)]
        self.allocator_desk: AllocatorView | None = None
        self.callers: dict[int, AllocatorView] = {}
        self.granted: list[AllocatorView] = []
        self.running: Choice | None = None
        self.spare: AllocatorView | None = None
        self.ticks: list[Tick | None] = []
        self.records: list[Record] = []
        if system.allocator_cost is not None:
            self.allocator_desk = AllocatorView(make_allocator_task(system.allocator_cost), -1)
            self.views.append(self.allocator_desk)

    def make_pass(self, now: int) -> None:
        """Do all that is due at an instant, in the fixed order, and choose."""
        self.complete(now)
        self.exhaust(now)
        self.expire(now)
        self.allocate(now)
        self.expire(now)
        self.start(now)
        self.wait_or_get(now)
        self.select()

    def live_jobs(self) -> Iterator[Choice]:
        """Yield all jobs that have not ended."""
        for view in self.views:
            for job in list(view.jobs):
                yield view, job

    def end(self, view: AllocatorView, job: Job, reason: str, now: int) -> None:
        """End a job and write its record."""
        job.state = "end"
        view.jobs.remove(job)
        record = Record(view.spec.name, job.number, job.used, reason, now, job.submitted, job.start)
        view.unread.append(record)
        self.records.append(record)
        if view.spec.aborts and reason != "complete":
            view.drop_leftovers(job)

    # ------------------------------------------------------------------------------- the steps of a pass

    def complete(self, now: int) -> None:
        """Take out the work that is done, and end the jobs that have done theirs."""
        for view in self.views:
            finished = view.take_finished_units(now)
            if view is self.allocator_desk:
                self.granted += [self.callers[unit.number] for unit in finished]
        for view, job in self.live_jobs():
            if view.is_complete(job):
                self.end(view, job, "complete", now)

    def exhaust(self, now: int) -> None:
        """End or demote the jobs whose budget is used up; those on hold wait in any case."""
        for view, job in self.live_jobs():
            is_exhausted = job.budget.is_empty() and (view.has_work(job) or job.on_idle == "burn")
            if is_exhausted and job.on_budget == "end":
                self.end(view, job, "budget", now)
            if is_exhausted and job.on_budget == "demote":
                job.band, job.budget = "spare", type(job.budget)(None)

    def expire(self, now: int) -> None:
        """End the jobs that are at their finish time."""
        for view, job in self.live_jobs():
            if job.on_finish == "end" and _finish(job) <= now:
                self.end(view, job, "finish", now)

    def allocate(self, now: int) -> None:
        """Change the effective priority, let work arrive, and call the allocators until none is due."""
        for instant, effective in self.system.changes:
            self.effective = effective if instant == now else self.effective
        for view in self.views:
            for arrival, *demand in view.spec.work:
                if arrival == now:
                    view.arrive(now, *demand)
        self.make_granted_calls(now)
        while due := [view for view in self.views if self.is_due(view, now)]:
            for view in due:
                self.call_or_ask(view, now)

    def is_due(self, view: AllocatorView, now: int) -> bool:
        """True if an allocator has to be called, and no request for it has been made yet."""
        allocator = view.spec.allocator
        return allocator is not None and not view.is_asked and allocator.is_due(now, view)

    def call_or_ask(self, view: AllocatorView, now: int) -> None:
        """Call an allocator if that takes no time; otherwise give the allocator's task work."""
        cost = self.system.allocator_cost
        if cost is None or now == 0 or view is self.allocator_desk:
            self.call(view, now)
        else:
            self.ask(view, now, cost)

    def ask(self, caller: AllocatorView, now: int, cost: AllocatorCost) -> None:
        """Put a call into the queue of the allocator's task; its estimate tells when it is safe to begin with it."""
        assert self.allocator_desk is not None
        assert caller.spec.allocator is not None
        waiting = sum(unit.left for unit in self.allocator_desk.backlog)
        safe = caller.spec.allocator.needed_by(now) - waiting - cost.cost
        unit = self.allocator_desk.arrive(now, cost.cost, max(now, safe))
        self.callers[unit.number] = caller
        caller.is_asked = True

    def make_granted_calls(self, now: int) -> None:
        """Make the calls for which the allocator's task has done the work."""
        for view in self.granted:
            view.is_asked = False
            self.call(view, now)
        self.granted = []

    def call(self, view: AllocatorView, now: int) -> None:
        """Call an allocator and count it."""
        assert view.spec.allocator is not None
        view.calls += 1
        view.spec.allocator.call(now, view)
        view.went_idle = False

    def start(self, now: int) -> None:
        """Move the jobs whose start has come from Ready to Active."""
        for _, job in self.live_jobs():
            if job.state == "ready" and job.start <= now:
                job.state = "active"

    def wait_or_get(self, now: int) -> None:
        """Move started jobs between Active and Sleep by whether they have work; end those that do not wait for it."""
        for view, job in self.live_jobs():
            if job.is_started():
                job.state = "active" if view.has_work(job) or job.on_idle == "burn" else "sleep"
            if view.is_complete(job):
                self.end(view, job, "complete", now)

    def select(self) -> None:
        """Choose the job that runs, or a non-real-time task."""
        able = [choice for choice in self.live_jobs() if self.is_able(choice[1])]
        stays = self.running in able and self.running is not None and self.running[1].non_preemptive
        if not stays:
            self.running = min(able, key=self.urgency, default=None)
        others = [view for view in self.views if view.spec.allocator is None and view.backlog]
        self.spare = others[0] if others and self.running is None else None

    @staticmethod
    def is_able(job: Job) -> bool:
        """True if a job could run."""
        return job.state == "active" and not job.budget.is_empty()

    def urgency(self, choice: Choice) -> tuple[int, ...]:
        """Return what is compared: band, effective priority, class, place in the file, job number."""
        view, job = choice
        values = [ATTRIBUTES[name](job) for name in self.effective]
        return BANDS.index(job.band), *values, CLASSES.index(view.spec.class_), view.order, job.number

    # ------------------------------------------------------------------------------- a tick

    def run_tick(self) -> None:
        """Let the chosen one have the tick, and charge it."""
        if self.spare is not None:
            self.ticks.append(Tick(self.spare.spec.name, -1, self.work_on(self.spare)))
        elif self.running is not None:
            view, job = self.running
            unit = self.work_on(view) if view.has_work(job) else -1
            self.ticks.append(Tick(view.spec.name, job.number, unit))
            self.charge(view, job)
        else:
            self.ticks.append(None)

    @staticmethod
    def work_on(view: AllocatorView) -> int:
        """Execute one tick of the first unit and give its number."""
        view.backlog[0].left -= 1
        return view.backlog[0].number

    @staticmethod
    def charge(view: AllocatorView, job: Job) -> None:
        """Count a tick to a job and to its budget."""
        view.served += 1
        job.used += 1
        job.budget.charge()

    def outcome(self) -> Outcome:
        """Return the outcome."""
        rows = [_row(view, unit) for view in self.views for unit in view.units if view.spec.name != ALLOCATOR]
        calls = {view.spec.name: view.calls for view in self.views if view.spec.name != ALLOCATOR}
        return Outcome(self.ticks, self.records, calls, rows)


def _row(view: AllocatorView, unit: Unit) -> UnitRow:
    """Return the row of a unit."""
    return UnitRow(view.spec.name, unit.number, unit.arrival, unit.finish)
