# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A slow, obvious scheduler that says what Takt must do, tick by tick.

Source: SPEC.md (time, order of work, policies, limited preemption, servers, platform, shared resources). Left out:
policies in Python, random numbers.

At every instant at which the kernel is not busy and something has happened, the scheduler is invoked. Where the
specification leaves something open, the rule here is:

- What is due earlier than an invocation is handled there in the order of its nominal instants, after what the
  running job has done. So events of an inactive server wait, and so do all events in kernel time. With pulled points
  events wait while a non-preemptive job at the root runs; those before what it does at last are handled before that.
- What never was handled did not happen: at the horizon a waiting release is an unfinished job, whatever on_miss says.
- A job that is released at or after its deadline (jitter) and is to be aborted ends right after its release.
- A job starts after the context switch, but the choice alone makes its task the one that was chosen last.
- Points of a preemptive job invoke no scheduler. What a job does before its first run it does when it would run; what
  became due in the kernel time of its dispatch is handled before.
- A point tells whether a more urgent entity was ready before the instant of the point, whenever the scheduler ran.
- A return of a sporadic server at the instant at which it ceases to be eligible comes in step 6 of that instant, or at
  once if that step is over. A hard-cbs server whose d has passed when it is exhausted is replenished in that step.
- An instant ends for a polling server once more if a job suspends itself after the events of that instant.
- Before its offset a constant-bandwidth server handles what happens inside it, and has no budget for it.
- A sporadic server that is exhausted and gets all back at once leaves its place and takes one, and those around it see
  that. Work that waited in any server makes it eligible when it is replenished, not when that work came.
- A lock is an event of its own at the instant at which the job would run on, after its dispatch was paid for; a job
  that was blocked holds the resource from the instant of the pass that chooses it. All unlocks that a job comes to at
  one instant are done together; a point or a suspension behind them comes when the job would run on.
- A body's unlocks after its last run are done by the end of the job, which first unlocks, last lock first, and then
  makes place for the next job.
- A job is blocked until it is dispatched, so it waits once for a lock. Those that an unlock brings back come in the
  order in which they left, behind them the waiters for what they hold. A job that ends unlocks at the horizon, too.
- Under icpp with edf a lock can fail (suspension, jitter, points, thresholds); the job is blocked as under pip.
- srp asks which job is chosen, not which runs instead; it asks before the job's own lock does. Of equal ceilings
  held by several, the last lock counts. A job that waits under `none` passes on what it inherits, too.
- A circle can also close at a choice, where a ceiling took over from a higher one; it is reported there, from the first
  job in it that is met. A server that was chosen and waits in vain under srp goes out as a job does.
- A started non-preemptive job goes before its equals, also those that hold something; then those that hold or are
  blocked; then those that started under a threshold. What a job has by holding is part of it "by itself".
- A lock or unlock is an invocation, if a free one where the job goes on and no timer came. With pulled points, timers
  wait at it unless it blocks the job.
- A policy changes at its instant, after what the running job does then but before it locks and before steps 5 to 7; if
  the kernel is busy then, in its next pass. The scheduler is not invoked because of it alone.
- A tick alone is paid for, but the scheduler is not invoked for it.
- A tick of the timer is never put off, and an idle processor has ticks too.

When not to use it: anywhere but in tests. Every tick scans every task and every server.
"""

from __future__ import annotations

from .changes import policies_of
from .keys import choose, find_who_must_go_out, is_anybody_more_urgent, limit_at_start, urgency
from .locks import Locks, build_resources
from .model import IDLE, JobRow, Outcome, PointRow, Segment, System
from .servers import build_servers
from .states import (
    Child,
    Dispatcher,
    JobState,
    ServerState,
    TaskState,
    build_tasks,
    charged_servers,
    is_anything_due,
    take_or_leave_place,
)

POINTS = ("point", "optional point")
LOCKING = ("lock", "unlock")


def simulate(system: System, horizon: int) -> Outcome:
    """Run the ticks 0 .. horizon-1 of a system.

    At the horizon itself accounting, completion and the deadline check are still done, so that a job that
    ends exactly there is finished; nothing else happens there.

    Args:
        system: what to run, a system that Takt takes; it is not changed.
        horizon: number of ticks, >= 0.
    Returns:
        What happened.
    """
    run = _Run(system)
    for now in range(horizon):
        run.account()
        run.schedule(now)
        run.begin_tick(now)
    run.account()
    run.complete(horizon)
    return run.outcome(horizon)


class _Run:
    """The state of one simulation."""

    def __init__(self, system: System) -> None:
        self.platform = system.platform
        self.root = Dispatcher(system.policy)
        self.servers = build_servers(system, self.root)
        self.tasks = build_tasks(system, self.root, self.servers)
        build_resources(system, self.tasks)
        self.policies = policies_of(system)
        self.chosen: Child | None = None
        self.is_fresh = True
        self.kernel_end = 0
        self.awake_until = 0
        self.last: TaskState | None = None
        self.ticks_paid = 0
        self.releases_to_pay = 0
        self.ended: list[tuple[TaskState, JobState]] = []
        self.segments: list[Segment] = []
        self.budgets: list[list[int]] = []
        self.points: list[PointRow] = []
        self.locks = Locks()
        self.overhead = 0
        self.switches = 0
        self.invocations = 0

    @property
    def running(self) -> TaskState | None:
        """The task whose job was chosen; None while no job runs, be it that a server idles."""
        return self.chosen if isinstance(self.chosen, TaskState) else None

    # ------------------------------------------------------------------------------------------------- a tick

    def account(self) -> None:
        """Step 1: charge the tick that ends to the job that ran, if any, and to every server chosen with it."""
        if self.chosen is None or self.is_fresh:
            return
        if self.running is not None:
            self.running.backlog[0].executed += 1
        for server in charged_servers(self.chosen):
            server.charge()

    def schedule(self, now: int) -> None:
        """Invoke the scheduler as long as the kernel is not busy and something has happened."""
        while now >= self.kernel_end:
            self.pass_points_of_a_preemptive_job(now)
            if self.what_the_job_does(now) is None:
                self.change_policy(now)
            if not self.has_anything_happened(now):
                self.pass_quiet_instant(now)
                return
            self.invoke(now)

    def change_policy(self, now: int) -> None:
        """Order the root by the policies that are due: ready children keep the order of the last one, among equals."""
        while self.is_policy_due(now):
            self.exhaust_budgets(self.chosen, now)
            self.root.queue = sorted(self.root.queue, key=urgency)
            self.root.policy = self.policies.pop(0)[1]

    def is_policy_due(self, now: int) -> bool:
        """True if a change of policy is due."""
        return len(self.policies) > 0 and self.policies[0][0] <= now

    def pass_quiet_instant(self, now: int) -> None:
        """Note that every instant up to now is handled, so that what the running job does next comes after them."""
        if not self.is_pulling():
            self.handle_timers(now)

    def begin_tick(self, now: int) -> None:
        """Note what has the tick that begins now: a job, the kernel, or nothing."""
        self.budgets.append([server.budget_at(now) for server in self.servers])
        if now < self.kernel_end:
            self.overhead += 1
        elif self.chosen is not None:
            self.is_fresh = False
            self.note_tick(self.chosen, now)

    def note_tick(self, chosen: Child, now: int) -> None:
        """Add the tick to the last segment if that one is of the same job, or idle server, and ends now."""
        start, owner = now, _owner_of_tick(chosen)
        if self.segments and self.segments[-1][1:] == (now, *owner):
            start = self.segments.pop()[0]
        self.segments.append((start, now + 1, *owner))

    # ----------------------------------------------------------------------------------- what invokes the scheduler

    def has_anything_happened(self, now: int) -> bool:
        """True if there is a reason to invoke the scheduler."""
        return self.count_unpaid_ticks(now) > 0 or self.has_more_than_a_tick_happened(now)

    def has_more_than_a_tick_happened(self, now: int) -> bool:
        """True if the running job has done something, a timer is due, or a waiting job overtakes.

        Without an event only llf can choose anew: the key of the running job grows.
        """
        return (
            self.what_the_job_does(now) is not None
            or self.is_depleted()
            or self.is_timer_due(now)
            or choose(self.root) is not self.chosen
        )

    def what_the_job_does(self, now: int) -> str | None:
        """Return "completion" or the kind of the next mark, or None if the running job just runs on."""
        if self.running is None or self.is_held_back(now):
            return None
        job = self.running.backlog[0]
        mark = job.next_mark()
        if mark is not None and mark.kind == "lock" and not self.is_chosen_to_run_on(now):
            return None
        return "completion" if job.is_complete() else mark.kind if mark is not None else None

    def is_chosen_to_run_on(self, now: int) -> bool:
        """True if the scheduler has nothing to do before the running job executes its next tick."""
        is_quiet = not self.is_depleted() and not self.is_timer_due(now) and self.count_unpaid_ticks(now) == 0
        is_quiet = is_quiet and not self.is_policy_due(now)
        return is_quiet and choose(self.root) is self.chosen

    def is_held_back(self, now: int) -> bool:
        """True if a job that has not run since the last invocation must let timers and ticks be handled first."""
        return self.is_fresh and (self.is_timer_due(now) or self.count_unpaid_ticks(now) > 0)

    def is_depleted(self) -> bool:
        """True if a server that was chosen is out of budget."""
        return self.chosen is not None and not all(server.is_active() for server in charged_servers(self.chosen))

    def is_timer_due(self, now: int) -> bool:
        """True if an event is due and need not wait for the running job."""
        return is_anything_due(self.root, now) and not self.is_pulling()

    def is_pulling(self) -> bool:
        """True if a non-preemptive job runs at the root and lets events wait for its points."""
        return self.running is not None and not self.is_fresh and self.has_pulled_points(self.running)

    def has_pulled_points(self, task: TaskState) -> bool:
        """True if the points of a task call the scheduler: of a non-preemptive one at the root."""
        return self.platform.points == "pull" and task.spec.non_preemptive and task.home.owner is None

    def count_unpaid_ticks(self, now: int) -> int:
        """Count the ticks of the timer up to now that no invocation has paid for."""
        return 0 if self.platform.tick_period is None else now // self.platform.tick_period - self.ticks_paid

    def pass_points_of_a_preemptive_job(self, now: int) -> None:
        """Report the points that a preemptive job is at; they do nothing."""
        if self.running is None or self.running.spec.non_preemptive or self.is_held_back(now):
            return
        job = self.running.backlog[0]
        while (mark := job.next_mark()) is not None and mark.kind in POINTS:
            job.marks.pop(0)
            self.note_point(now, self.running, mark.kind, should_yield=False)

    # ------------------------------------------------------------------------------------------------ an invocation

    def invoke(self, now: int) -> None:
        """Handle all that is due, choose, and say until when the kernel is busy."""
        self.locks.now = now
        event = self.what_the_job_does(now)
        is_only_a_tick = not self.has_more_than_a_tick_happened(now)
        self.invocations += not is_only_a_tick
        task, job = self.running, None if self.running is None else self.running.backlog[0]
        if self.is_pulling() and event not in LOCKING:
            self.handle_timers(now - 1)
        flag = task is not None and is_anybody_more_urgent(task)
        is_only_locking = event in LOCKING and not self.is_timer_due(now) and not self.is_depleted()
        cost = self.pay_ticks(now) + self.cost_of_point(event)
        self.let_the_job_do(event, now)
        self.exhaust_budgets(self.chosen, now)
        self.change_policy(now)
        if not self.is_to_wait(event, job):
            self.handle_timers(now)
        cost += self.pay_releases()
        chosen = self.choose(now)
        goes_on = isinstance(chosen, TaskState) and chosen.backlog[0] is job
        if goes_on and is_only_locking and cost == 0:
            return
        if not is_only_a_tick and not (goes_on and is_only_locking) and not self.is_free(goes_on, event, flag):
            cost += self.platform.scheduling
        self.dispatch(chosen, now, cost)

    def is_to_wait(self, event: str | None, job: JobState | None) -> bool:
        """True if timers still wait for the running job, which was only stopped to lock or unlock, if at all."""
        is_blocked = job is not None and job.waits_for is not None
        return self.is_pulling() and (event is None or event in LOCKING) and not is_blocked

    def pay_ticks(self, now: int) -> int:
        """Return what the unpaid ticks of the timer cost, each once."""
        unpaid = self.count_unpaid_ticks(now)
        self.ticks_paid += unpaid
        return unpaid * self.platform.tick

    def cost_of_point(self, event: str | None) -> int:
        """Return the cost of a point of a non-preemptive job; no other one is an event."""
        return self.platform.point if event in POINTS else 0

    def pay_releases(self) -> int:
        """Return what the releases of this invocation cost."""
        cost = self.releases_to_pay * self.platform.release
        self.releases_to_pay = 0
        return cost

    def is_free(self, goes_on: bool, event: str | None, flag: bool) -> bool:
        """True if the scheduler had nothing to do: a non-preemptive job goes on unasked that does not pull."""
        task = self.running
        is_pushed = goes_on and task is not None and task.spec.non_preemptive and not self.has_pulled_points(task)
        return is_pushed and (event in (None, "optional point", *LOCKING) or not flag)

    # ----------------------------------------------------------------------- step 2: what the running job has done

    def let_the_job_do(self, event: str | None, now: int) -> None:
        """Step 2: completion, point, suspension or unlocking of the running job; a lock, after step 8."""
        if event == "completion":
            self.complete(now)
        elif event in ("point", "optional point"):
            self.pass_point(now, event)
        elif event == "suspend":
            self.suspend(now)
        elif event == "unlock":
            self.unlock(now)
        elif event == "lock" and self.running is not None:
            self.locks.attempt(self.running, now)

    def complete(self, now: int) -> None:
        """End the job that has executed its demand."""
        task = self.running
        if task is not None and task.backlog[0].is_complete():
            task.backlog[0].finish = now
            self.end_job(task, "finished", now)

    def end_job(self, task: TaskState, fate: str, now: int) -> None:
        """Take away the current job; what it held is free then, and one that waits behind it takes over at the tail.

        The queue is left and joined in one move, so the servers around the task do not notice it.
        """
        self.locks.end(task, now)
        job = task.backlog.pop(0)
        job.fate = fate
        self.ended.append((task, job))
        if task.is_eligible() and task in task.home.queue:
            task.home.queue.remove(task)
            task.home.queue.append(task)
        take_or_leave_place(task, now)

    def pass_point(self, now: int, kind: str) -> None:
        """Tell the job whether another one waits, and at a real point let all compete with it by its own key.

        It keeps its place, which is before its equals.
        """
        assert self.running is not None
        job = self.running.backlog[0]
        job.marks.pop(0)
        self.note_point(now, self.running, kind, is_anybody_more_urgent(self.running))
        job.started = job.started and kind == "optional point"

    def suspend(self, now: int) -> None:
        """Take the job out until it wakes."""
        assert self.running is not None
        job = self.running.backlog[0]
        job.wake = now + job.marks.pop(0).ticks
        job.started = False
        take_or_leave_place(self.running, now)

    def unlock(self, now: int) -> None:
        """Do all unlocks that the job has come to."""
        assert self.running is not None
        job = self.running.backlog[0]
        while (mark := job.next_mark()) is not None and mark.kind == "unlock":
            job.marks.pop(0)
            self.locks.unlock(self.running, now)

    def note_point(self, now: int, task: TaskState, kind: str, should_yield: bool) -> None:
        """Add a point to the report."""
        self.points.append((now, task.spec.name, task.backlog[0].number, kind == "optional point", should_yield))

    # -------------------------------------------------------------------------------------- steps 4 to 7: the timers

    def exhaust_budgets(self, chosen: Child | None, now: int) -> None:
        """Step 4: the servers that were chosen leave their places if depleted, innermost first."""
        if chosen is not None:
            for server in charged_servers(chosen):
                take_or_leave_place(server, now)

    def handle_timers(self, now: int) -> None:
        """Steps 5 to 7 for every instant up to now that was not handled.

        The last instant ends once more if its events were handled already and the job did something after them.
        """
        self.catch_up(self.root, now)
        self.end_instant(self.root)

    def end_instant(self, dispatcher: Dispatcher) -> None:
        """Tell the servers of a dispatcher, and those inside, that all events of an instant have been handled."""
        for server in dispatcher.servers:
            if server.is_awake():
                self.end_instant(server.inside)
            server.end_instant()

    def catch_up(self, dispatcher: Dispatcher, until: int) -> None:
        """Handle the events of a dispatcher and of what is inside it, one instant after the other.

        Events of an inactive server stay where they are until the server is replenished; that changes nothing but
        when a job is found aborted or skipped. For no job is dispatched inside a server meanwhile, so its events
        meet the same jobs and queues in the same order, and the server itself joins its parent's queue at its
        replenishment in both cases, after what waited in it.
        """
        for instant in range(dispatcher.handled + 1, until + 1):
            dispatcher.handled = instant
            self.process(dispatcher, instant)
            if dispatcher.handled < instant:
                return

    def process(self, dispatcher: Dispatcher, instant: int) -> None:
        """Steps 5 to 7 of one instant in one dispatcher: aborts, replenishments, wake-ups, insides, releases.

        An abort in a server that overruns its budget can end that; then the rest of the instant waits in it.
        """
        overran = dispatcher.owner is not None and dispatcher.owner.is_overrunning()
        for task in dispatcher.tasks:
            self.abort_late_jobs(task, instant)
            if overran and dispatcher.owner is not None and not dispatcher.owner.is_awake():
                dispatcher.handled = instant - 1
                return
        for server in dispatcher.servers:
            if server.is_replenishment_due(instant):
                if server.budget_at(instant) > 0:
                    self.catch_up(server.inside, instant - 1)
                self.replenish(server, instant)
        for task in dispatcher.tasks:
            if task.is_wake_due(instant):
                task.backlog[0].wake = None
                take_or_leave_place(task, instant)
        for server in dispatcher.servers:
            if server.is_awake():
                self.catch_up(server.inside, instant)
        for task in dispatcher.tasks:
            while task.is_release_due(instant):
                self.release(task, instant)
            self.drop(task, instant)
        for server in dispatcher.servers:
            server.end_instant()

    def replenish(self, server: ServerState, instant: int) -> None:
        """Step 6: do all replenishments of one server that are due."""
        while server.is_replenishment_due(instant):
            server.replenish()
        take_or_leave_place(server, instant)

    def drop(self, task: TaskState, instant: int) -> None:
        """Step 7: take away the jobs that are dropped while they wait."""
        for job in [each for each in task.backlog[1:] if (each.number, instant) in task.spec.drops]:
            task.backlog.remove(job)
            job.fate = "skipped"
            self.ended.append((task, job))

    def abort_late_jobs(self, task: TaskState, instant: int) -> None:
        """Step 5: end the jobs whose deadline has come."""
        while task.is_abort_due(instant):
            self.end_job(task, "aborted", instant)

    def release(self, task: TaskState, instant: int) -> None:
        """Step 7: add the next job, or drop it if the task wants that while a job is unfinished."""
        self.releases_to_pay += 1
        job = task.make_next_job()
        if task.spec.on_miss == "skip" and task.backlog:
            job.fate = "skipped"
            self.ended.append((task, job))
            return
        task.backlog.append(job)
        take_or_leave_place(task, instant)
        self.abort_late_jobs(task, instant)

    # -------------------------------------------------------------------------------------------- step 8: dispatch

    def choose(self, now: int) -> Child | None:
        """Step 8: choose; blocked children without another to run instead leave."""
        while (child := find_who_must_go_out(self.root)) is not None:
            self.locks.pass_over(child, now)
        return choose(self.root)

    def dispatch(self, chosen: Child | None, now: int, cost: int) -> None:
        """Step 8: give the processor to the chosen task, or idling server, after what the choice cost."""
        was_asleep = self.running is None and now > self.awake_until
        if self.running is not None or cost > 0:
            self.awake_until = now + cost
        self.chosen = chosen
        self.is_fresh = True
        self.kernel_end = now + cost
        if not isinstance(chosen, TaskState):
            return
        self.kernel_end += was_asleep * self.platform.wake_up
        if chosen is not self.last:
            self.switches += 1
            self.kernel_end += self.platform.context_switch
        self.last = chosen
        self.locks.hold(chosen, self.kernel_end)
        self.start(chosen, self.kernel_end)

    def start(self, task: TaskState, instant: int) -> None:
        """Give a job that has not started its limit."""
        job = task.backlog[0]
        if not job.started:
            job.limit = limit_at_start(task, instant)
            job.started = True

    # ------------------------------------------------------------------------------------------------- the result

    def outcome(self, horizon: int) -> Outcome:
        """Collect the result."""
        jobs = [(task.spec.name, job) for task, job in self.ended]
        jobs += [(task.spec.name, job) for task in self.tasks for job in _unfinished_jobs(task, horizon)]
        overruns = [
            task.spec.name
            for task, job in self.ended
            if job.fate == "finished" and job.executed > job.spec.declared_wcet
        ]
        return Outcome(
            segments=self.segments,
            jobs=[_job_row(name, job, horizon) for name, job in jobs],
            budgets=self.budgets,
            misses=self.count([name for name, job in jobs if _has_missed(job, horizon)]),
            aborted=self.count([name for name, job in jobs if job.fate == "aborted"]),
            skipped=self.count([name for name, job in jobs if job.fate == "skipped"]),
            overruns=self.count(overruns),
            points=self.points,
            overhead=self.overhead,
            switches=self.switches,
            invocations=self.invocations,
            locks=self.locks.rows,
            deadlocks=self.locks.deadlocks,
        )

    def count(self, names: list[str]) -> dict[str, int]:
        """Count how often each task is named."""
        return {task.spec.name: names.count(task.spec.name) for task in self.tasks}


def _owner_of_tick(chosen: Child) -> tuple[str, str, int]:
    """Return the owner of a segment: the server, the task or "idle", the number of the job."""
    if isinstance(chosen, ServerState):
        return chosen.spec.name, IDLE, 0
    return chosen.spec.server or "", chosen.spec.name, chosen.backlog[0].number


def _unfinished_jobs(task: TaskState, horizon: int) -> list[JobState]:
    """Return the jobs released before the horizon that did not end, those included whose release still waits."""
    while task.has_arrived(horizon - 1):
        task.backlog.append(task.make_next_job())
    return task.backlog


def _has_missed(job: JobState, horizon: int) -> bool:
    """True if a job was unfinished at a deadline up to the horizon, or will never finish."""
    if job.finish is not None:
        return job.finish > job.deadline
    return job.fate != "unfinished" or job.deadline <= horizon


def _job_row(name: str, job: JobState, horizon: int) -> JobRow:
    """Return the row of one job for the outcome."""
    response = None if job.finish is None else job.finish - job.arrival
    return name, job.number, job.arrival, job.finish, response, _has_missed(job, horizon)
