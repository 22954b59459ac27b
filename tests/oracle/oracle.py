"""A slow, obvious scheduler that says what Takt must do, tick by tick.

Source: SPEC.md, 1 to 5 (time, order of work, policies, limited preemption, deferrable servers, late jobs, costs of the
kernel). Left out: every other policy, every other server kind, resources.

Invariant: a ready queue holds exactly the eligible children of its dispatcher, in the order in which they
joined. Whoever stands first has waited longest, so a place needs no number.

When not to use it: anywhere but in tests. Every tick scans every task and every server.
"""

from __future__ import annotations

from dataclasses import dataclass, field

Segment = tuple[int, int, str, str, int]
JobRow = tuple[str, int, int, int | None, int | None, bool]
PointRow = tuple[int, str, int, bool, bool]
Body = tuple[tuple[str, int], ...]

POLICIES = ("fp", "edf", "rm", "dm", "llf")
CLASSES = ("hard", "soft", "none")
KINDS = ("deferrable",)
ITEMS = ("run", "point", "optional point", "suspend")


@dataclass(frozen=True)
class Task:
    """A task (SPEC.md, 1). Times are ticks; a larger priority is more urgent.

    Args:
        name: unique among tasks.
        period: distance of two arrivals, or what rm takes for it where `releases` are given; None: there is none.
        demand: ticks that each job executes, >= 1.
        offset: arrival of job 0, >= 0.
        deadline: relative deadline, >= 1; None means the period.
        priority: used by an fp dispatcher only.
        server: name of the server that holds the task; None means the root.
        non_preemptive: a started job is the only choice in its dispatcher until it completes or comes to a point.
        threshold: of a started job: a priority, in an fp dispatcher only, or the name of a task there.
        class_: "hard", "soft" or "none"; among equals of a computed key in that order.
        wcet: what llf believes a job to execute; None means the demand.
        demands: if there are any, what the jobs execute, repeated in order.
        releases: if there are any, (release, arrival) of each job; releases do not descend.
        body: what a job does: ("run" or "suspend", ticks), ("point" or "optional point", 0); the last one runs.
        on_miss: "continue", "abort" or "skip".
    """

    name: str
    period: int | None
    demand: int
    offset: int = 0
    deadline: int | None = None
    priority: int = 0
    server: str | None = None
    non_preemptive: bool = False
    threshold: int | str | None = None
    class_: str = "hard"
    wcet: int | None = None
    demands: tuple[int, ...] = ()
    releases: tuple[tuple[int, int], ...] | None = None
    body: Body = ()
    on_miss: str = "continue"

    @property
    def relative_deadline(self) -> int:
        """The deadline counted from the arrival, in ticks."""
        given = self.period if self.deadline is None else self.deadline
        assert given is not None
        return given

    @property
    def longest(self) -> int:
        """The wcet."""
        return self.demand if self.wcet is None else self.wcet

    def demand_of(self, number: int) -> int:
        """What a job executes."""
        return self.demands[number % len(self.demands)] if self.demands else self.demand


@dataclass(frozen=True)
class Server:
    """A deferrable server (SPEC.md, 4). Times are ticks; a larger priority is more urgent.

    Args:
        name: unique among servers.
        period: distance of two replenishments, >= 1.
        budget: ticks that it may run in a period, 1..period.
        priority: used by an fp parent only.
        policy: "fp" or "edf", the order of its children.
        offset: first replenishment, >= 0; the budget is 0 before it.
        parent: name of the server that holds it; None means the root.
        kind: "deferrable".
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
class Costs:
    """What the kernel's own work takes, in ticks (SPEC.md, 5).

    Args:
        context_switch, release, scheduling, point, tick: what each costs.
        tick_period: distance of two ticks, if they cost anything.
        pull: while a non-preemptive job at the root runs, timers wait for its next point.
    """

    context_switch: int = 0
    release: int = 0
    scheduling: int = 0
    point: int = 0
    tick: int = 0
    tick_period: int = 0
    pull: bool = False


@dataclass(frozen=True)
class System:
    """A task set: policy orders what sits at the root, tasks and servers stand in file order."""

    policy: str
    tasks: tuple[Task, ...]
    servers: tuple[Server, ...] = ()
    costs: Costs = Costs()


@dataclass(frozen=True)
class Outcome:
    """What happened before the horizon.

    Args:
        segments: (start, end, server name or "", task, job number), neighbours of one job merged, idle
            time not listed. The server is the one that holds the task.
        jobs: (task, job number, arrival, finish, response, missed), finished, aborted and skipped jobs in the
            order in which this happened, then the unfinished ones in task order; None for finish and response
            unless a job finished.
        budgets: for each tick the budget of every server, in file order, as the dispatcher sees it: after
            all events of the instant, before the tick is charged.
        misses, aborted, skipped, overruns: for each task the number of such jobs.
        points: (instant, task, job number, whether optional, whether the job should yield).
        overhead: ticks of kernel time.
        switches: how often another task was chosen than the one chosen last.
        invocations: how often the scheduler had something to do.
    """

    segments: list[Segment]
    jobs: list[JobRow]
    budgets: list[list[int]]
    misses: dict[str, int]
    aborted: dict[str, int]
    skipped: dict[str, int]
    overruns: dict[str, int]
    points: list[PointRow]
    overhead: int
    switches: int
    invocations: int


@dataclass(eq=False)
class _Job:
    """One job of a task: how far it has come, in all and within the item of its body."""

    number: int
    arrival: int
    deadline: int
    demand: int
    executed: int = 0
    item: int = 0
    executed_in_item: int = 0
    started: bool = False
    limit: int = 0
    missed: bool = False
    finish: int | None = None
    fate: str = "unfinished"


@dataclass(eq=False)
class _Dispatcher:
    """The root (owner None) or the inside of a server: its children, its ready queue, and how far it is.

    `handled` is the last instant whose events are done: those of an inactive server wait.
    """

    policy: str
    owner: _ServerState | None = None
    servers: list[_ServerState] = field(default_factory=list)
    tasks: list[_TaskState] = field(default_factory=list)
    queue: list[_ServerState | _TaskState] = field(default_factory=list)
    handled: int = -1


@dataclass(eq=False)
class _ServerState:
    """A server at run time: what it has left, where it sits, what it holds."""

    spec: Server
    file_order: int
    home: _Dispatcher
    inside: _Dispatcher
    budget: int = 0

    def is_eligible(self) -> bool:
        """Say whether it has budget and an eligible child."""
        return self.budget > 0 and len(self.inside.queue) > 0


@dataclass(eq=False)
class _TaskState:
    """A task at run time: its unfinished jobs, the current one first, and until when that one is suspended."""

    spec: Task
    file_order: int
    home: _Dispatcher
    backlog: list[_Job] = field(default_factory=list)
    wakes_at: int | None = None
    seen: int = 0

    def is_eligible(self) -> bool:
        """Say whether a released job is unfinished and not suspended."""
        return len(self.backlog) > 0 and self.wakes_at is None

    def arrivals_at(self, now: int) -> list[int]:
        """List the arrivals of the jobs that are released now."""
        if self.spec.releases is not None:
            return [arrival for release, arrival in self.spec.releases if release == now]
        assert self.spec.period is not None
        return [now] if _is_due(self.spec.offset, self.spec.period, now) else []

    def is_limited(self) -> bool:
        """Say whether a started job has another urgency than its own."""
        return self.spec.non_preemptive or self.spec.threshold is not None


_Child = _ServerState | _TaskState


def simulate(system: System, horizon: int) -> Outcome:
    """Run the ticks 0 .. horizon-1 of a system.

    At the horizon itself accounting, completion and the deadline check are still done, so that a job that
    ends exactly there is finished; nothing is released there.

    Args:
        system: what to run; it is not changed.
        horizon: number of ticks, >= 0.
    Returns:
        What happened.
    Raises:
        ValueError: the system breaks a rule that its classes state, or the horizon is negative.
    """
    if horizon < 0:
        raise ValueError(f"horizon: expected >= 0, found {horizon}")
    _check(system)
    run = _Run(system, horizon)
    for now in range(horizon):
        run.account(now)
        run.work_at(now)
        run.note(now)
    run.account(horizon)
    run.end()
    return run.outcome()


class _Run:
    """The state of one simulation; the methods follow the steps of SPEC.md, 2."""

    def __init__(self, system: System, horizon: int) -> None:
        self.costs = system.costs
        self.horizon = horizon
        self.root = _Dispatcher(system.policy)
        self.servers = _build_servers(system, self.root)
        self.tasks = _build_tasks(system, self.root, self.servers)
        self.by_name = {task.spec.name: task for task in self.tasks}
        self.chosen: _TaskState | None = None
        self.job: _Job | None = None
        self.last: _TaskState | None = None
        self.starts_at = 0
        self.is_pulling = False
        self.should_yield = False
        self.next_tick = system.costs.tick_period if system.costs.tick else None
        self.fired = self.released = 0
        self.ended: list[tuple[_TaskState, _Job]] = []
        self.segments: list[Segment] = []
        self.budgets: list[list[int]] = []
        self.points: list[PointRow] = []
        self.overhead = self.switches = self.invocations = 0

    # ---- time passes

    def account(self, now: int) -> None:
        """Steps 1 and 3: charge the tick that ends now to the job and to every server around it, if one ran."""
        if self.chosen is not None and self.job is not None and self.starts_at < now:
            self.job.executed += 1
            self.job.executed_in_item += 1
            for server in _servers_around(self.chosen):
                server.budget -= 1
        for task in self.tasks:
            for job in task.backlog:
                is_done = job is self.job and job.executed == job.demand
                job.missed = job.missed or (job.deadline <= now and not is_done)

    def work_at(self, now: int) -> None:
        """Let the kernel and the running job do all that they do at this instant."""
        while now >= self.starts_at:
            event = self.event_of_job(now)
            if event == "" and not self.is_something_due(now):
                self.is_pulling = self.pulls(self.chosen)
                return
            self.invoke(now, event)

    def event_of_job(self, now: int) -> str:
        """Say what the running job does now, "" if it just goes on; points of preemptive jobs pass unnoticed."""
        if self.chosen is None or self.job is None:
            return ""
        job, spec = self.job, self.chosen.spec
        while job.executed < job.demand:
            if job.item >= len(spec.body):
                return ""
            kind, ticks = spec.body[job.item]
            if kind == "run" and (job.executed_in_item < ticks or job.item == len(spec.body) - 1):
                return ""
            if kind == "suspend" or (kind != "run" and spec.non_preemptive):
                return kind
            if kind != "run":
                self.points.append((now, spec.name, job.number, kind == "optional point", False))
            _go_on(job)
        return "complete"

    def is_something_due(self, now: int) -> bool:
        """Say whether the kernel has something to do although the running job goes on."""
        if self.is_pulling:
            return False
        is_exhausted = self.chosen is not None and any(s.budget == 0 for s in _servers_around(self.chosen))
        is_tick = self.next_tick is not None and self.next_tick <= now
        return self.root.handled < now or is_tick or is_exhausted or self.choose(self.root, now) is not self.chosen

    def pulls(self, task: _TaskState | None) -> bool:
        """Say whether the jobs of a task are non-preemptive ones directly at the root for which timers wait."""
        return self.costs.pull and _is_non_preemptive(task) and task in self.root.tasks

    # ---- the kernel works

    def invoke(self, now: int, event: str) -> None:
        """Do one pass: steps 2 to 8."""
        before, was_pulling = (self.chosen, self.job), self.is_pulling
        self.fired = self.released = 0
        if was_pulling:
            self.handle(self.root, now - 1)
        was_asked = self.obey(now, event)
        self.exhaust_budgets()
        self.handle(self.root, now)
        chosen = self.choose(self.root, now)
        is_busy = event != "" or self.fired > 0 or chosen is not before[0]
        is_same = chosen is not None and (chosen, chosen.backlog[0]) == before and _is_non_preemptive(chosen)
        is_silent = event in ("", "optional point") or (event == "point" and not was_asked)
        is_free = not is_busy or (is_same and is_silent and not self.pulls(chosen))
        cost = self.pay(now, event, chosen) + (0 if is_free else self.costs.scheduling)
        self.invocations += is_busy
        self.start(chosen, now, now + cost)

    def pay(self, now: int, event: str, chosen: _TaskState | None) -> int:
        """Sum up what a pass costs, but for scheduling."""
        cost = self.released * self.costs.release
        while self.next_tick is not None and self.next_tick <= now:
            cost += self.costs.tick
            self.next_tick += self.costs.tick_period
        if event in ("point", "optional point"):
            cost += self.costs.point
        if chosen is not None and chosen is not self.last:
            cost += self.costs.context_switch
        return cost

    def start(self, chosen: _TaskState | None, now: int, starts_at: int) -> None:
        """Step 8: make the choice, which counts from an instant on."""
        self.overhead += min(starts_at, self.horizon) - now
        self.switches += chosen is not None and chosen is not self.last
        self.chosen, self.job = chosen, None if chosen is None else chosen.backlog[0]
        self.starts_at = starts_at
        self.is_pulling = False
        if chosen is None or self.job is None:
            return
        self.last = chosen
        if chosen.is_limited() and not self.job.started:
            self.job.started = True
            self.job.limit = self.limit_of(chosen, starts_at)
        self.should_yield = self.somebody_waits(chosen, now)

    def obey(self, now: int, event: str) -> bool:
        """Step 2: what the running job does. Says of a point whether the job should yield."""
        task, job = self.chosen, self.job
        if task is None or job is None or event == "":
            return False
        if event == "complete":
            self.end_job(task, now, "finished")
            return False
        if event in ("point", "optional point"):
            self.should_yield = self.somebody_waits(task, now)
            row = (now, task.spec.name, job.number, event == "optional point", self.should_yield)
            self.points.append(row)
        was_asked = self.should_yield
        if event in ("point", "suspend"):
            self.end_region(task, job)
        if event == "suspend":
            task.wakes_at = now + task.spec.body[job.item][1]
            _take_or_leave_place(task)
        _go_on(job)
        return was_asked

    def end_region(self, task: _TaskState, job: _Job) -> None:
        """The job competes by its own urgency again, and goes before its equals."""
        if job.started:
            task.home.queue.remove(task)
            task.home.queue.insert(0, task)
        job.started = False
        self.should_yield = False

    def end_job(self, task: _TaskState, now: int, fate: str) -> None:
        """End the current job; one that waits behind it takes over at the tail.

        The queue is left and joined in one move, so the servers around the task do not notice it.
        """
        job = task.backlog.pop(0)
        job.fate = fate
        job.finish = now if fate == "finished" else None
        job.missed = job.missed or fate != "finished" or now > job.deadline
        self.ended.append((task, job))
        task.wakes_at = None
        if task.backlog and task in task.home.queue:
            task.home.queue.remove(task)
            task.home.queue.append(task)
        _take_or_leave_place(task)

    def exhaust_budgets(self) -> None:
        """Step 4: the servers around the task that ran leave their places if depleted, innermost first."""
        if self.chosen is not None:
            for server in _servers_around(self.chosen):
                _take_or_leave_place(server)

    # ---- events of timers

    def handle(self, dispatcher: _Dispatcher, now: int) -> None:
        """Steps 5 to 7 in one dispatcher, for every instant up to now that is not handled."""
        for instant in range(dispatcher.handled + 1, now + 1):
            self.handle_instant(dispatcher, instant, now)
            dispatcher.handled = instant

    def handle_instant(self, dispatcher: _Dispatcher, instant: int, now: int) -> None:
        """Aborts, replenishments, wake-ups, what is inside the servers, releases."""
        for task in dispatcher.tasks:
            self.abort(task, instant)
        for server in dispatcher.servers:
            if _is_due(server.spec.offset, server.spec.period, instant):
                self.fired += 1
                server.budget = server.spec.budget
                _take_or_leave_place(server)
                self.handle(server.inside, instant - 1)
        for task in dispatcher.tasks:
            if task.wakes_at == instant:
                self.fired += 1
                task.wakes_at = None
                _take_or_leave_place(task)
        for server in dispatcher.servers:
            if server.budget > 0:
                self.handle(server.inside, instant)
        for task in dispatcher.tasks:
            for arrival in task.arrivals_at(instant):
                self.release(task, instant, arrival)

    def abort(self, task: _TaskState, instant: int) -> None:
        """Step 5: end the jobs whose deadline is not after this instant."""
        while task.spec.on_miss == "abort" and task.backlog and task.backlog[0].deadline <= instant:
            self.fired += 1
            self.end_job(task, instant, "aborted")

    def release(self, task: _TaskState, instant: int, arrival: int) -> None:
        """Step 7: one job, which may be aborted at once if its deadline is over, or dropped."""
        self.fired += 1
        self.released += 1
        number = task.seen
        task.seen += 1
        job = _Job(number, arrival, arrival + task.spec.relative_deadline, task.spec.demand_of(number))
        if task.spec.on_miss == "skip" and task.backlog:
            job.fate, job.missed = "skipped", True
            self.ended.append((task, job))
            return
        task.backlog.append(job)
        _take_or_leave_place(task)
        self.abort(task, instant)

    # ---- choices

    def choose(self, dispatcher: _Dispatcher, now: int) -> _TaskState | None:
        """Choose the task that runs, global level first, then local level (step 8); None is idle."""
        if not dispatcher.queue:
            return None
        child = self.most_urgent(dispatcher, now)
        return child if isinstance(child, _TaskState) else self.choose(child.inside, now)

    def most_urgent(self, dispatcher: _Dispatcher, now: int) -> _Child:
        """Choose among the ready children of one dispatcher; of equals in fp the first in the queue wins."""
        return min(dispatcher.queue, key=lambda child: self.urgency(child, now))

    def urgency(self, child: _Child, now: int) -> tuple[int, int, int, int]:
        """Give the urgency in force, smaller is more urgent: a started limited job has its limit."""
        if isinstance(child, _TaskState) and child.is_limited() and child.backlog[0].started:
            return child.backlog[0].limit, -1, 0, 0
        return self.own_urgency(child, now)

    def own_urgency(self, child: _Child, now: int) -> tuple[int, int, int, int]:
        """Give the key of the policy, then class, servers before tasks, file order; in fp the place decides."""
        key = _key(child, child.home.policy)
        if child.home.policy == "fp":
            return key, 0, 0, 0
        class_ = child.spec.class_ if isinstance(child, _TaskState) else "hard"
        return key, CLASSES.index(class_), isinstance(child, _TaskState), child.file_order

    def limit_of(self, task: _TaskState, now: int) -> int:
        """Give the key of a job that starts now, never less urgent than its own."""
        if task.spec.non_preemptive:
            return -(2**62)
        own = _key(task, task.home.policy)
        if isinstance(task.spec.threshold, int):
            return min(own, -task.spec.threshold)
        assert task.spec.threshold is not None
        return min(own, _limit_by(self.by_name[task.spec.threshold].spec, task.home.policy, now))

    def somebody_waits(self, task: _TaskState, now: int) -> bool:
        """Say whether somebody in the dispatcher of a started job is more urgent than it would be by itself."""
        if not task.backlog[0].started:
            return False
        others = [child for child in task.home.queue if child is not task]
        own = self.own_urgency(task, now)
        return any(self.urgency(other, now) < own for other in others)

    # ---- what is told

    def note(self, now: int) -> None:
        """Note the budgets, and who has the tick that begins now."""
        self.budgets.append([_visible_budget(server, now) for server in self.servers])
        if self.chosen is None or self.job is None or now < self.starts_at:
            return
        spec = self.chosen.spec
        start, who = now, (spec.server or "", spec.name, self.job.number)
        if self.segments and self.segments[-1][1:] == (now, *who):
            start = self.segments.pop()[0]
        self.segments.append((start, now + 1, *who))

    def end(self) -> None:
        """At the horizon: a job that has just executed its demand is finished."""
        job, task = self.job, self.chosen
        if job is not None and task is not None and job in task.backlog and job.executed == job.demand:
            self.end_job(task, self.horizon, "finished")

    def outcome(self) -> Outcome:
        """Collect the result."""
        unfinished = [(task, job) for task in self.tasks for job in [*task.backlog, *self.waiting(task)]]
        jobs = [_job_row(task, job) for task, job in [*self.ended, *unfinished]]
        overruns = {
            task.spec.name: sum(
                job.demand > task.spec.longest for of, job in self.ended if of is task and job.fate == "finished"
            )
            for task in self.tasks
        }
        return Outcome(
            segments=self.segments,
            jobs=jobs,
            budgets=self.budgets,
            misses={task.spec.name: sum(row[5] for row in jobs if row[0] == task.spec.name) for task in self.tasks},
            aborted=self.count("aborted"),
            skipped=self.count("skipped"),
            overruns=overruns,
            points=self.points,
            overhead=self.overhead,
            switches=self.switches,
            invocations=self.invocations,
        )

    def waiting(self, task: _TaskState) -> list[_Job]:
        """List the jobs whose releases wait, because the server is inactive or the kernel is busy."""
        jobs: list[_Job] = []
        for instant in range(task.home.handled + 1, self.horizon):
            for arrival in task.arrivals_at(instant):
                deadline = arrival + task.spec.relative_deadline
                number = task.seen + len(jobs)
                jobs.append(_Job(number, arrival, deadline, 1, missed=deadline <= self.horizon))
        return jobs

    def count(self, fate: str) -> dict[str, int]:
        """Count the jobs of each task that ended in one way."""
        return {task.spec.name: sum(job.fate == fate for of, job in self.ended if of is task) for task in self.tasks}


def _go_on(job: _Job) -> None:
    """Begin the next item of a body."""
    job.item += 1
    job.executed_in_item = 0


def _is_non_preemptive(task: _TaskState | None) -> bool:
    """Say whether a task runs and is not displaced in its dispatcher."""
    return task is not None and task.spec.non_preemptive


def _is_due(offset: int, period: int, now: int) -> bool:
    """Say whether now is offset + k period for some k >= 0."""
    return now >= offset and (now - offset) % period == 0


def _visible_budget(server: _ServerState, now: int) -> int:
    """Give the budget; a replenishment that waits counts from its nominal instant."""
    waits = range(server.home.handled + 1, now + 1)
    is_due = any(_is_due(server.spec.offset, server.spec.period, instant) for instant in waits)
    return server.spec.budget if is_due else server.budget


def _servers_around(child: _Child) -> list[_ServerState]:
    """List the servers that hold a child, innermost first."""
    owner = child.home.owner
    return [] if owner is None else [owner, *_servers_around(owner)]


def _take_or_leave_place(child: _Child) -> None:
    """Put a child that has become eligible at the tail of its ready queue, or take out one that is not.

    A child that is and was eligible keeps its place. The servers around it follow.
    """
    queue = child.home.queue
    if child.is_eligible() and child not in queue:
        queue.append(child)
    if not child.is_eligible() and child in queue:
        queue.remove(child)
    if child.home.owner is not None:
        _take_or_leave_place(child.home.owner)


def _key(child: _Child, policy: str) -> int:
    """Give the key of a child by the policy over it, smaller is more urgent."""
    if policy == "fp":
        return -child.spec.priority
    if isinstance(child, _ServerState):
        end = _end_of_period(child.spec, child.home.handled)
        return {"rm": child.spec.period, "dm": child.spec.period, "edf": end, "llf": end - child.budget}[policy]
    job, spec = child.backlog[0], child.spec
    latest_start = job.deadline - max(0, spec.longest - job.executed)
    return {"rm": spec.period or 0, "dm": spec.relative_deadline, "edf": job.deadline, "llf": latest_start}[policy]


def _limit_by(spec: Task, policy: str, now: int) -> int:
    """Give the key that a task which names this one as its threshold starts with."""
    if policy == "fp":
        return -spec.priority
    deadline = spec.relative_deadline
    laxity = max(0, deadline - spec.longest)
    return {"rm": spec.period or 0, "dm": deadline, "edf": now + deadline, "llf": now + laxity}[policy]


def _end_of_period(server: Server, now: int) -> int:
    """Give the instant at which the server's current period ends: its deadline in EDF."""
    periods_begun = (now - server.offset) // server.period + 1
    return server.offset + periods_begun * server.period


def _job_row(task: _TaskState, job: _Job) -> JobRow:
    """Make the row of one job for the outcome."""
    response = None if job.finish is None else job.finish - job.arrival
    return task.spec.name, job.number, job.arrival, job.finish, response, job.missed


def _build_servers(system: System, root: _Dispatcher) -> list[_ServerState]:
    """Make the servers and hang them into the tree; a parent may stand after its child in the file."""
    insides = {spec.name: _Dispatcher(spec.policy) for spec in system.servers}
    servers = []
    for file_order, spec in enumerate(system.servers):
        home = root if spec.parent is None else insides[spec.parent]
        server = _ServerState(spec, file_order, home, insides[spec.name])
        server.inside.owner = server
        home.servers.append(server)
        servers.append(server)
    return servers


def _build_tasks(system: System, root: _Dispatcher, servers: list[_ServerState]) -> list[_TaskState]:
    """Make the tasks and hang them into the tree."""
    insides = {server.spec.name: server.inside for server in servers}
    tasks = []
    for file_order, spec in enumerate(system.tasks):
        home = root if spec.server is None else insides[spec.server]
        task = _TaskState(spec, file_order, home)
        home.tasks.append(task)
        tasks.append(task)
    return tasks


def _check(system: System) -> None:
    """Refuse a system that breaks a rule, with the name of what breaks it."""
    _require(system.policy in POLICIES, "system", f"policy {system.policy!r} is unknown")
    for names in ([task.name for task in system.tasks], [server.name for server in system.servers]):
        for name in names:
            _require(names.count(name) == 1, name, "the name is used twice")
    policies: dict[str | None, str] = {server.name: server.policy for server in system.servers}
    policies[None] = system.policy
    for server in system.servers:
        _check_server(server, system)
    for task in system.tasks:
        _check_task(task, policies)


def _check_server(server: Server, system: System) -> None:
    """Check one server and that its chain of parents ends at the root."""
    _require(server.policy in POLICIES, server.name, f"policy {server.policy!r} is unknown")
    _require(server.kind in KINDS, server.name, f"kind {server.kind!r} is unknown")
    _require(0 < server.budget <= server.period, server.name, "budget must be 1..period")
    _require(server.offset >= 0, server.name, "offset must be >= 0")
    parents = {other.name: other.parent for other in system.servers}
    ancestor = server.parent
    for _ in system.servers:
        _require(ancestor is None or ancestor in parents, server.name, f"parent {ancestor!r} is unknown")
        ancestor = None if ancestor is None else parents[ancestor]
    _require(ancestor is None, server.name, "its parents form a ring")


def _check_task(task: Task, policies: dict[str | None, str]) -> None:
    """Check one task."""
    _require(task.server in policies, task.name, f"server {task.server!r} is unknown")
    _require(task.period is None or task.period >= 1, task.name, "period must be >= 1")
    _require(task.period is not None or task.releases is not None, task.name, "a period or releases are needed")
    _require(task.period is not None or policies[task.server] != "rm", task.name, "rm needs a period")
    _require(task.period is not None or task.deadline is not None, task.name, "a deadline is needed")
    _require(min(task.demand, *task.demands, task.longest) >= 1, task.name, "demand and wcet must be >= 1")
    _require(task.relative_deadline >= 1, task.name, "deadline must be >= 1")
    _require(task.offset >= 0, task.name, "offset must be >= 0")
    _require(task.class_ in CLASSES, task.name, f"class {task.class_!r} is unknown")
    _require(all(kind in ITEMS for kind, _ in task.body), task.name, "an item of the body is unknown")
    _require(not task.body or task.body[-1][0] == "run", task.name, "the last item of the body must run")
    if isinstance(task.threshold, int):
        _require(policies[task.server] == "fp", task.name, "a priority as threshold needs an fp dispatcher")
        _require(task.threshold >= task.priority, task.name, "threshold must be >= priority")


def _require(condition: bool, who: str, rule: str) -> None:
    """Raise a ValueError that names the entity and the rule unless the condition holds."""
    if not condition:
        raise ValueError(f"{who}: {rule}")
