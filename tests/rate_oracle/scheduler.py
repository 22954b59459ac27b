# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The rate-based scheduler, tick by tick: the reference kernel pass in integers.

Source: sections 2.4 to 2.7 of the rules; the order of work inside a pass is that of section 0.3. In the pass stand
first completions, misses and exhausted budgets, then leaves and entries that are asked for, then what is given up,
granted and released.

What the specification leaves open:

- A budget that is exhausted at the instant of a leave or an entry is refilled: the request comes after it.
- Leaves of an instant come before entries; entries are looked at in file order; the targets are computed after all.
- The end of a window without a refill ("the chunk ends") holds for every class: a hard task in an overrun that is to
  leave departs at its deadline too. Its job stays unfinished, and so do queued ones that never had a window.
- A chunk that ended waits to its deadline, also when the decrease that ended it is taken back, or when the rate is
  given up earlier. It is not active, so a lag >= 0 lets its task depart or shrink before the deadline.
- The cut of a budget in flight follows its formula, even where a window made long by refills yields a larger budget.
  A job that uses its whole budget and has none left is finished, also if it never ran.
- A task that is always active, by refills, never grows, except a soft one by compression.
- Hard jobs are released at r_0 + k P whatever happens. The window of one begins at its release, at the end of the last
  window or at the completion of a late job, whichever is last, and is as long as the relative deadline; the window
  that follows an overrun is as long as the period.
- A refill or a new window after a missed deadline (naive rules only) counts from the instant.
- The requested deadline of a hard job is its release plus the relative deadline, of any other its release plus the
  requested period. A hard job that needs a second window has missed, whatever its last deadline is.
- A task with no rate releases nothing; what it has begun waits.
- A job of a soft or none task counts as released when its window begins.
- A task that waits for room and is asked to leave is gone at once.
- Only what has work left runs in the background: a task of class none whose chunk ended early. Least deadline first.
- An estimate is at most the period. A smaller one needs that many finished jobs; it changes nothing until the task's
  next window.
- A request for new parameters is judged by 2.4 with them in the place of the old ones; only a hard task that asks for
  more rate than before can be refused, and then goes on as it was. Requests of an instant come after its entries, in
  file order. Of a task that is not there, or that leaves, they are what it asks for when it enters.
- What was asked for last comes into force, all at once, at the first boundary of the task at which its rate is the one
  that it is to have; at a refill with that rate; and when a soft task gets another deadline in flight. Until then jobs
  and windows are as they were. A job has the parameters that are in force at its release, of its window those are
  taken that are in force when it begins, and the next release of a hard task comes a period after the last one.
- A new wcet begins an estimate anew: the jobs that ended before do not count. It is at most the requested period.
- Naive rules: a job that is ahead counts as not ahead; class none and suspended soft tasks keep what they have begun.
- Shared resources: see sharing.py. Unlocks come with completions; locks when the job has been chosen for its next tick.
  What everybody is to have follows from b of the admitted; the ledger has room for what b of all leaves that have not
  left yet.

When not to use it: anywhere but in tests.
"""

from __future__ import annotations

from .allocation import allocate, is_admitted
from .model import SCALE, BlockedRow, JobRow, LockRow, LogRow, Outcome, Segment, System, Task
from .sharing import ResourceState, blocking, cost_of, used_by
from .states import Job, TaskState


def simulate(system: System, horizon: int) -> Outcome:
    """Run the ticks 0 .. horizon-1 of a system; at the horizon accounting, completions and misses are still done.

    Args:
        system: what to run, with the numbers that its classes state; it is not changed.
        horizon: number of ticks, >= 0.
    Returns:
        What happened.
    """
    run = _Run(system)
    for now in range(horizon):
        run.settle(now)
        run.exhaust(now)
        run.handle_requests(now)
        run.adjust(now)
        run.release(now)
        run.dispatch(now)
    run.settle(horizon)
    return run.outcome(horizon)


class _Run:
    """The state of one simulation."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.tasks = [TaskState(task, order, task, task, task.requested) for order, task in enumerate(system.tasks)]
        self.ranked = sorted(self.tasks, key=lambda task: task.rank)
        self.running: TaskState | None = None
        self.finished: list[tuple[TaskState, Job]] = []
        self.segments: list[Segment] = []
        self.ledger: list[int] = []
        self.log: list[LogRow] = []
        self.locks: list[LockRow] = []
        self.capacities: list[int] = []
        self.blocked: list[BlockedRow] = []
        names = sorted({name for task in system.tasks for name in used_by(task)})
        self.resources = [ResourceState(name) for name in names]
        for task in self.tasks:
            task.used = [resource for resource in self.resources if resource.name in used_by(task.spec)]
            task.waits_for_ceilings = system.waits_for_ceilings
            task.cost = cost_of(system, task.spec)

    # ------------------------------------------------------------------------------- what the last tick has done

    def settle(self, now: int) -> None:
        """Account the tick that ends, then completions, then misses."""
        self.account(now)
        for task in self.tasks:
            if task.queue and task.is_complete():
                self.complete(task, now)
        for task in self.tasks:
            self.note_miss(task, now)

    def account(self, now: int) -> None:
        """Charge the tick to the running task, and let the share of open windows grow; background is not charged."""
        if self.running is not None:
            self.running.queue[0].executed += 1
            self.running.served += self.running.active
        for task in self.tasks:
            if now - 1 < task.deadline:
                task.share += task.rate

    def complete(self, task: TaskState, now: int) -> None:
        """End the oldest job of a task; its reservation stays for the rest of the window."""
        job = task.queue[0]
        while job.holdings.held:
            self.unlock(task, now)
        task.queue.pop(0)
        job.finish = now
        task.active = False
        self.finished.append((task, job))
        if task.spec.adapts:
            self.adapt_estimate(task)

    def adapt_estimate(self, task: TaskState) -> None:
        """Follow what the jobs of a soft task execute: up at once, down to the largest of the last ones."""
        executed = [job.executed for job in task.ended()[task.fresh :]][-self.system.estimate_jobs :]
        is_enough = len(executed) == self.system.estimate_jobs
        estimate = max(executed) if is_enough else max(task.estimate, executed[-1])
        estimate = min(estimate, task.asked.period)
        if estimate != task.estimate:
            task.estimate = estimate
            self.compute_targets()

    def note_miss(self, task: TaskState, now: int) -> None:
        """Note that a job is unfinished at its deadline: of a soft or none task only if it has budget left."""
        if task.queue and now >= task.deadline and (task.is_hard or task.served < task.budget):
            job = task.queue[0]
            job.missed = job.missed or job.deadline is not None

    def exhaust(self, now: int) -> None:
        """Unlock what the running job has come to unlock; then handle the budgets that are used up with work left."""
        if self.running is not None and self.running.queue:
            self.unlock_passed(self.running, now)
        for task in self.tasks:
            self.exhaust_budgets(task, now)

    def exhaust_budgets(self, task: TaskState, now: int) -> None:
        """Handle the budgets of a task that are used up: several if a section was longer than one."""
        while task.active and task.served >= task.budget and not task.is_holding():
            self.exhaust_one(task, now)

    def exhaust_one(self, task: TaskState, now: int) -> None:
        """Refill the budget of a soft or none task that has nothing to give up; all others wait for their deadline."""
        if task.is_hard:
            task.active = False
            self.note(now, "overrun", task)
        elif task.must_give_up() or task.parameters()[0] == 0:
            task.active = False
        else:
            self.refill(task, now)

    def refill(self, task: TaskState, now: int) -> None:
        """Give a new budget and a later deadline; the lag is kept."""
        budget, period = task.parameters()
        task.share -= task.budget * SCALE
        task.served -= task.budget
        task.budget, task.period, task.level = budget, period, period
        task.set_deadline(max(now, task.deadline) + period)
        self.note(now, "refilled", task)
        if task.is_asking() and task.target.rate == task.rate:
            self.come_into_force(task, now)

    # ------------------------------------------------------------------------------------------------- requests

    def handle_requests(self, now: int) -> None:
        """Take the leaves, entries and parameters asked for now, then compute what everybody is to have."""
        for task in self.tasks:
            if task.spec.leaves == now and task.is_admitted:
                task.stage = "leaving"
        for task in self.tasks:
            if task.spec.offset == now:
                self.ask_to_enter(task, now)
        for task in self.tasks:
            for at, version in task.spec.requests:
                if at == now:
                    self.ask_to_be(task, version, now)
        self.compute_targets()

    def ask_to_enter(self, task: TaskState, now: int) -> None:
        """Admit a task or reject it."""
        admitted = [other.request for other in self.tasks if other.is_admitted]
        costs = [other.cost for other in self.tasks if other.is_admitted]
        before, after = blocking(costs), blocking([*costs, task.cost])
        is_fitting = is_admitted(self.system, admitted, task.request, SCALE - after, raises_blocking=after > before)
        task.stage = "waiting" if is_fitting else "out"
        self.note(now, "admitted" if is_fitting else "rejected", task)

    def ask_to_be(self, task: TaskState, version: Task, now: int) -> None:
        """Let a task ask for other parameters, or refuse that."""
        if task.is_admitted:
            others = [other.request for other in self.tasks if other.is_admitted and other is not task]
            request = task.request_of(version, task.estimate_of(version))
            if request.rate > task.request.rate and not is_admitted(self.system, others, request):
                self.note(now, "rejected", task)
                return
            self.note(now, "admitted", task)
        task.ask(version)

    def come_into_force(self, task: TaskState, now: int) -> None:
        """Let a task be what it asked to be; it has the rate for that."""
        task.in_force, task.granted = task.asked, task.target
        self.note(now, "in force", task)

    def compute_targets(self) -> None:
        """Compute what every admitted task is to have."""
        admitted = [task for task in self.tasks if task.is_admitted]
        targets = allocate(
            self.system, [task.request for task in admitted], SCALE - blocking(task.cost for task in admitted)
        )
        for task, target in zip(admitted, targets, strict=True):
            task.target = target

    # --------------------------------------------------------------------------------------------------- ledger

    def adjust(self, now: int) -> None:
        """Let tasks give up rate, then grant it to others: hard tasks first, then soft ones, then class none."""
        for task in self.tasks:
            self.give_up(task, now)
            if task.stage == "in" and task.target.rate == task.rate and task.is_at_boundary(now) and task.is_asking():
                self.come_into_force(task, now)
        for task in self.ranked:
            if task.is_admitted and self.has_room(task) and task.may_adopt():
                self.grant(task, now)

    def has_room(self, task: TaskState) -> bool:
        """True if the ledger has room for what a task is to have."""
        return self.total() - task.rate + task.target.rate <= SCALE - blocking(
            other.cost for other in self.tasks if other.stage != "out"
        )

    def total(self) -> int:
        """Return the sum of all reservations."""
        return sum(task.rate for task in self.tasks)

    def give_up(self, task: TaskState, now: int) -> None:
        """Let a task depart, or take rate from it, as soon as that is allowed."""
        if task.stage == "leaving":
            if not task.active and (now >= task.deadline or self.is_not_ahead(task)):
                self.remove(task, now)
        elif task.stage == "in" and task.is_to_shrink() and not task.is_holding():
            self.shrink(task, now)

    def shrink(self, task: TaskState, now: int) -> None:
        """Lower the rate of a task at its boundary, or in flight as far as the rule allows."""
        if task.is_at_boundary(now) or self.is_shrunk_as_it_is(task):
            self.rerate(task, now)
        elif self.may_be_extended(task):
            task.move_deadline(max(task.deadline, task.moved_deadline(now)))
            self.change(task, now)
        elif self.may_be_cut(task):
            self.cut_budget(task, now)
            self.rerate(task, now)

    def is_not_ahead(self, task: TaskState) -> bool:
        """True if a task may give up rate now; the naive rules do not check."""
        return self.is_naive() or task.is_behind()

    def is_naive(self) -> bool:
        """True if this is a negative control."""
        return self.system.rule in ("naive", "naive-kept")

    def is_shrunk_as_it_is(self, task: TaskState) -> bool:
        """True if a naive rule takes the rate and changes nothing else."""
        return self.is_naive() and not self.may_be_extended(task)

    def may_be_extended(self, task: TaskState) -> bool:
        """True if a soft task may get a later deadline now."""
        return (
            task.spec.class_ == "soft"
            and self.system.rule in ("in-flight", "naive")
            and task.target.rate > 0
            and task.target.budget == task.budget
            and self.is_not_ahead(task)
        )

    def may_be_cut(self, task: TaskState) -> bool:
        """True if a task of class none may get a smaller budget now."""
        return task.spec.class_ == "none" and self.system.nrt_shrink and task.is_behind()

    def cut_budget(self, task: TaskState, now: int) -> None:
        """Leave an active task what its new rate serves up to its deadline; a chunk with nothing left ends."""
        task.share = min(task.share, task.served * SCALE)
        if not task.active:
            return
        task.budget = task.served + task.target.rate * (task.deadline - now) // SCALE
        task.active = task.served < task.budget
        if task.is_complete():
            self.complete(task, now)

    def grant(self, task: TaskState, now: int) -> None:
        """Let a task in or raise its rate; the room is there."""
        if task.stage == "waiting":
            self.enter(task, now)
        elif task.target.rate > task.rate:
            self.grow(task, now)

    def enter(self, task: TaskState, now: int) -> None:
        """Let a task in; one that is to have no rate goes on waiting."""
        if task.target.rate == 0:
            return
        task.stage = "in"
        task.rate, task.budget, task.period = task.target.rate, task.target.budget, task.target.period
        task.in_force, task.granted = task.asked, task.target
        task.deadline = task.next_release = now
        task.level = task.period
        self.note(now, "entered", task)

    def grow(self, task: TaskState, now: int) -> None:
        """Raise the rate of a task at its boundary, or of an active soft one with an earlier deadline."""
        if task.is_at_boundary(now):
            self.change(task, now)
        elif self.may_be_compressed(task):
            task.move_deadline(min(task.deadline, task.moved_deadline(now)))
            self.change(task, now)

    def may_be_compressed(self, task: TaskState) -> bool:
        """True if a soft task may get an earlier deadline."""
        is_same = task.target.budget == task.budget
        may_move = task.active and not task.is_holding()
        return self.system.compression and task.spec.class_ == "soft" and may_move and is_same

    def change(self, task: TaskState, now: int) -> None:
        """Set the reservation of a task to its target, and with it what it asked for."""
        self.rerate(task, now)
        if task.is_asking():
            self.come_into_force(task, now)

    def rerate(self, task: TaskState, now: int) -> None:
        """Set the reservation of a task to its target."""
        event = "resumed" if task.rate == 0 else "re-rated" if task.target.rate else "suspended"
        task.rate = task.target.rate
        self.note(now, event, task)

    def remove(self, task: TaskState, now: int) -> None:
        """Take a task out of the ledger."""
        task.stage, task.rate, task.active = "out", 0, False
        task.queue.clear()
        self.note(now, "left", task)

    # -------------------------------------------------------------------------------------- releases and dispatch

    def release(self, now: int) -> None:
        """Release jobs and begin windows."""
        for task in self.tasks:
            if task.stage == "in":
                self.release_jobs(task, now)
                if task.queue and task.is_at_boundary(now) and task.rate > 0 and task.parameters()[0] > 0:
                    self.begin_window(task, now)

    def release_jobs(self, task: TaskState, now: int) -> None:
        """Release the jobs of a task: hard ones by the clock, any other when its window can begin."""
        if task.is_hard:
            if now >= task.next_release:
                task.release_job(task.next_release)
                task.next_release += task.in_force.period
        elif not task.queue and now >= task.next_release and task.rate > 0 and task.parameters()[0] > 0:
            task.release_job(now)

    def begin_window(self, task: TaskState, now: int) -> None:
        """Give the oldest job a budget and a window; a hard job that overran gets a whole period.

        What a section executed beyond the last budget counts as executed in this one.
        """
        excess = max(0, task.served - task.budget)
        task.budget, task.period = task.parameters()
        task.served, task.share = excess, 0
        task.active = True
        is_overrun = task.is_hard and task.queue[0].deadline is not None
        task.level = task.in_force.period if is_overrun else task.period
        task.set_deadline(now + task.level)
        self.exhaust_budgets(task, now)

    def dispatch(self, now: int) -> None:
        """Choose the task of the tick that begins now, and note it and the ledger."""
        self.running = self.choose()
        while self.running is not None and self.meet_mark(self.running, now):
            self.running = self.choose()
        self.ledger.append(self.total())
        self.capacities.append(SCALE - blocking(task.cost for task in self.tasks if task.stage in ("in", "leaving")))
        if self.running is not None:
            self.note_tick(self.running, now)
            self.note_blocked(self.running, now)

    def choose(self) -> TaskState | None:
        """Choose the earliest deadline, or the holder of the highest ceiling that bars it."""
        best = self.earliest()
        return None if best is None else self.stand_in(best)

    def earliest(self) -> TaskState | None:
        """Return the task with the earliest deadline among those that may run; a holder goes before its equals."""
        candidates = [task for task in self.tasks if task.active] or self.background()
        return min(candidates, key=lambda task: (task.deadline, not task.is_holding(), *task.rank), default=None)

    def stand_in(self, best: TaskState) -> TaskState:
        """Return what runs where a task is the earliest: itself, or the holder of the highest ceiling that bars it."""
        locked = [one for one in self.resources if one.holder not in (None, best)]
        bars = [one for one in locked if best.level >= one.ceiling]
        if not bars:
            return best
        holder = min(bars, key=lambda one: (one.ceiling, -one.since)).holder
        assert isinstance(holder, TaskState)
        assert holder.active, "a holder is never without a window"
        return holder

    # -------------------------------------------------------------------------------------------------- resources

    def meet_mark(self, task: TaskState, now: int) -> bool:
        """Lock or unlock the resource of the selected job's next mark; return whether it succeeded."""
        job = task.queue[0]
        mark = job.holdings.next_at(job.executed, is_lock=True)
        if mark is None:
            return self.unlock_passed(task, now)
        self.lock(task, next(one for one in task.used if one.name == mark.resource), now)
        return True

    def lock(self, task: TaskState, resource: ResourceState, now: int) -> None:
        """Lock a resource, which is free whatever happens, and fix its ceiling."""
        assert resource.holder is None, f"{resource.name} is locked twice at {now}"
        users = [user for user in self.tasks if resource in user.used and user.stage in ("in", "leaving")]
        resource.holder = task
        resource.ceiling = min(user.least_level() for user in users)
        resource.since = len(self.locks)
        task.queue[0].holdings.marks.pop(0)
        task.queue[0].holdings.held.append(resource)
        self.locks.append((now, task.spec.name, task.queue[0].number, resource.name, "lock"))

    def unlock_passed(self, task: TaskState, now: int) -> bool:
        """Unlock what the current job has come to unlock; say whether that is anything."""
        job = task.queue[0]
        before = len(job.holdings.marks)
        while job.holdings.next_at(job.executed, is_lock=False) is not None:
            job.holdings.marks.pop(0)
            self.unlock(task, now)
        return len(job.holdings.marks) < before

    def unlock(self, task: TaskState, now: int) -> None:
        """Unlock what the current job locked last."""
        resource = task.queue[0].holdings.held.pop()
        resource.holder = None
        self.locks.append((now, task.spec.name, task.queue[0].number, resource.name, "unlock"))

    def background(self) -> list[TaskState]:
        """Return the tasks of class none that have work but no budget, and share nothing."""
        some = [task for task in self.tasks if task.spec.class_ == "none" and task.queue and not task.used]
        return some if self.system.background else []

    def note_blocked(self, running: TaskState, now: int) -> None:
        """Note the tick if it should have been another task's."""
        best = self.earliest()
        if best is not None and best is not running:
            self.blocked.append((now, best.spec.name, best.deadline, running.spec.name))

    def note_tick(self, task: TaskState, now: int) -> None:
        """Add the tick to the last segment if that one is of the same job and ends now."""
        start, who = now, (task.spec.name, task.queue[0].number)
        if self.segments and self.segments[-1][1:] == (now, *who):
            start = self.segments.pop()[0]
        self.segments.append((start, now + 1, *who))

    # ------------------------------------------------------------------------------------------------- the answer

    def note(self, now: int, event: str, task: TaskState) -> None:
        """Add a row to the log."""
        self.log.append((now, event, task.spec.name, task.rate))

    def outcome(self, horizon: int) -> Outcome:
        """Collect what happened."""
        unfinished = [(task, job) for task in self.tasks for job in task.jobs if job.finish is None]
        rows = [_row(task, job, horizon) for task, job in [*self.finished, *unfinished]]
        return Outcome(self.segments, rows, self.ledger, self.log, self.locks, self.capacities, self.blocked)


def _row(task: TaskState, job: Job, horizon: int) -> JobRow:
    """Return the row of one job."""
    requested = job.release + job.task.window
    end = horizon + 1 if job.finish is None else job.finish
    return task.spec.name, job.number, job.release, job.deadline, job.finish, job.missed, requested < end
