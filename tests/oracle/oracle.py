"""A slow, obvious scheduler that says what Takt must do, tick by tick.

Source: SPEC.md, 1 to 4 (time, order of work, ties, thresholds, deferrable servers). Left out: every other
policy, every other server kind, resources, subjobs and costs.

Invariant: a ready queue holds exactly the eligible children of its dispatcher, in the order in which they
joined. Whoever stands first has waited longest, so a place needs no number.

When not to use it: anywhere but in tests. Every tick scans every task and every server.
"""

from __future__ import annotations

from dataclasses import dataclass, field

Segment = tuple[int, int, str, str, int]
JobRow = tuple[str, int, int, int | None, int | None, bool]

POLICIES = ("fp", "edf")
CLASSES = ("hard", "soft", "none")
KINDS = ("deferrable",)


@dataclass(frozen=True)
class Task:
    """A periodic task (SPEC.md, 1). Times are ticks; a larger priority is more urgent.

    Args:
        name: unique among tasks.
        period: distance of two releases, >= 1.
        demand: ticks that each job executes, >= 1.
        offset: release of job 0, >= 0.
        deadline: relative deadline, >= 1; None means the period.
        priority: used by an fp dispatcher only.
        server: name of the server that holds the task; None means the root.
        non_preemptive: a started job is the only choice in its dispatcher until it completes.
        threshold: priority of a started job (SPEC.md, 3), >= priority, in an fp dispatcher only.
        class_: "hard", "soft" or "none"; among equal deadlines in that order.
    """

    name: str
    period: int
    demand: int
    offset: int = 0
    deadline: int | None = None
    priority: int = 0
    server: str | None = None
    non_preemptive: bool = False
    threshold: int | None = None
    class_: str = "hard"

    @property
    def relative_deadline(self) -> int:
        """The deadline counted from the release, in ticks."""
        return self.period if self.deadline is None else self.deadline


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
class System:
    """A task set: policy orders what sits at the root, tasks and servers stand in file order."""

    policy: str
    tasks: tuple[Task, ...]
    servers: tuple[Server, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """What happened before the horizon.

    Args:
        segments: (start, end, server name or "", task, job number), neighbours of one job merged, idle
            time not listed. The server is the one that holds the task.
        jobs: (task, job number, release, finish, response, missed), finished jobs in order of finish, then
            the unfinished ones in task order with None for finish and response.
        budgets: for each tick the budget of every server, in file order, as the dispatcher sees it: after
            all events of the instant, before the tick is charged.
        misses: for each task the number of jobs that were unfinished at a deadline <= horizon.
    """

    segments: list[Segment]
    jobs: list[JobRow]
    budgets: list[list[int]]
    misses: dict[str, int]


@dataclass(eq=False)
class _Job:
    """One job of a task."""

    number: int
    release: int
    deadline: int
    remaining: int
    started: bool = False
    missed: bool = False
    finish: int | None = None


@dataclass(eq=False)
class _Dispatcher:
    """The root (owner None) or the inside of a server: its children and its ready queue."""

    policy: str
    owner: _ServerState | None = None
    servers: list[_ServerState] = field(default_factory=list)
    tasks: list[_TaskState] = field(default_factory=list)
    queue: list[_ServerState | _TaskState] = field(default_factory=list)


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
    """A task at run time: its unfinished jobs, the current one first."""

    spec: Task
    file_order: int
    home: _Dispatcher
    backlog: list[_Job] = field(default_factory=list)

    def is_eligible(self) -> bool:
        """Say whether a released job is unfinished."""
        return len(self.backlog) > 0

    def excludes_others(self) -> bool:
        """Say whether its current job is non-preemptive and has started."""
        return self.spec.non_preemptive and self.backlog[0].started

    def is_raised(self) -> bool:
        """Say whether its current job runs or waits at its threshold."""
        return self.spec.threshold is not None and self.backlog[0].started


_Child = _ServerState | _TaskState


def simulate(system: System, horizon: int) -> Outcome:
    """Run the ticks 0 .. horizon-1 of a system.

    At the horizon itself accounting, completion and the deadline check are still done, so that a job that
    ends exactly there is finished; nothing is released there.

    Args:
        system: what to run; it is not changed.
        horizon: number of ticks, >= 0.
    Returns:
        The segments, jobs, budgets and misses.
    Raises:
        ValueError: the system breaks a rule that its classes state, or the horizon is negative.
    """
    if horizon < 0:
        raise ValueError(f"horizon: expected >= 0, found {horizon}")
    _check(system)
    run = _Run(system)
    for now in range(horizon):
        run.settle_past(now)
        run.exhaust_budgets()
        run.process(run.root, now)
        run.dispatch(now)
    run.settle_past(horizon)
    return run.outcome()


class _Run:
    """The state of one simulation; one method for each step of 0.3."""

    def __init__(self, system: System) -> None:
        self.root = _Dispatcher(system.policy)
        self.servers = _build_servers(system, self.root)
        self.tasks = _build_tasks(system, self.root, self.servers)
        self.running: _TaskState | None = None
        self.finished: list[tuple[_TaskState, _Job]] = []
        self.segments: list[Segment] = []
        self.budgets: list[list[int]] = []

    def settle_past(self, now: int) -> None:
        """Steps 1 to 3: what the tick that ends now has brought about."""
        self.account()
        self.complete(now)
        self.check_deadlines(now)

    def account(self) -> None:
        """Step 1: charge the tick to the job and to every server around it."""
        if self.running is None:
            return
        self.running.backlog[0].remaining -= 1
        for server in _servers_around(self.running):
            server.budget -= 1

    def complete(self, now: int) -> None:
        """Step 2: end the job that has no demand left; a job that waits behind it takes over at the tail.

        The queue is left and joined in one move, so the servers around the task do not notice it.
        """
        task = self.running
        if task is None or task.backlog[0].remaining > 0:
            return
        job = task.backlog.pop(0)
        job.finish = now
        self.finished.append((task, job))
        if task.is_eligible():
            task.home.queue.remove(task)
            task.home.queue.append(task)
        _take_or_leave_place(task)

    def check_deadlines(self, now: int) -> None:
        """Step 3: an unfinished job whose deadline is not after now is a miss; so is every one that ends late."""
        for task in self.tasks:
            for job in task.backlog:
                job.missed = job.missed or job.deadline <= now

    def exhaust_budgets(self) -> None:
        """Step 4: the servers around the task that ran leave their places if depleted, innermost first."""
        if self.running is not None:
            for server in _servers_around(self.running):
                _take_or_leave_place(server)
        self.running = None

    def process(self, dispatcher: _Dispatcher, now: int) -> None:
        """Steps 6 and 7 in one dispatcher: replenishments, then what is inside the servers, then releases."""
        for server in dispatcher.servers:
            if _is_due(server.spec.offset, server.spec.period, now):
                server.budget = server.spec.budget
                _take_or_leave_place(server)
        for server in dispatcher.servers:
            self.process(server.inside, now)
        for task in dispatcher.tasks:
            if _is_due(task.spec.offset, task.spec.period, now):
                task.backlog.append(_new_job(task.spec, now))
                _take_or_leave_place(task)

    def dispatch(self, now: int) -> None:
        """Step 8: choose from the root down and note who has the tick that begins now."""
        self.budgets.append([server.budget for server in self.servers])
        self.running = _choose(self.root, now)
        if self.running is not None:
            self.running.backlog[0].started = True
            self.note_tick(self.running, now)

    def note_tick(self, task: _TaskState, now: int) -> None:
        """Add the tick to the last segment if that one is of the same job and ends now."""
        start, who = now, (task.spec.server or "", task.spec.name, task.backlog[0].number)
        if self.segments and self.segments[-1][1:] == (now, *who):
            start = self.segments.pop()[0]
        self.segments.append((start, now + 1, *who))

    def outcome(self) -> Outcome:
        """Collect the result."""
        jobs = [_job_row(task, job) for task, job in self.finished]
        jobs += [_job_row(task, job) for task in self.tasks for job in task.backlog]
        misses = {task.spec.name: 0 for task in self.tasks}
        for name, *_, missed in jobs:
            misses[name] += missed
        return Outcome(self.segments, jobs, self.budgets, misses)


def _is_due(offset: int, period: int, now: int) -> bool:
    """Say whether now is offset + k period for some k >= 0."""
    return now >= offset and (now - offset) % period == 0


def _new_job(task: Task, now: int) -> _Job:
    """Make the job that is released now; its number follows from the instant."""
    return _Job((now - task.offset) // task.period, now, now + task.relative_deadline, task.demand)


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


def _choose(dispatcher: _Dispatcher, now: int) -> _TaskState | None:
    """Choose the task that runs, global level first, then local level (step 8); None is idle."""
    if not dispatcher.queue:
        return None
    child = _most_urgent(dispatcher, now)
    return child if isinstance(child, _TaskState) else _choose(child.inside, now)


def _most_urgent(dispatcher: _Dispatcher, now: int) -> _Child:
    """Choose among the ready children of one dispatcher; of equals in fp the first in the queue wins."""
    for child in dispatcher.queue:
        if isinstance(child, _TaskState) and child.excludes_others():
            return child
    if dispatcher.policy == "edf":
        return min(dispatcher.queue, key=lambda child: _edf_key(child, now))
    return max(dispatcher.queue, key=_fp_level)


def _fp_level(child: _Child) -> tuple[int, bool]:
    """Give the priority in force, and that a raised job goes before others of that level."""
    if isinstance(child, _TaskState) and child.is_raised() and child.spec.threshold is not None:
        return max(child.spec.threshold, child.spec.priority), True
    return child.spec.priority, False


def _edf_key(child: _Child, now: int) -> tuple[int, int, bool, int]:
    """Give the absolute deadline, class, servers before tasks, file order; smaller is more urgent.

    A server counts as hard.
    """
    if isinstance(child, _TaskState):
        return child.backlog[0].deadline, CLASSES.index(child.spec.class_), True, child.file_order
    return _end_of_period(child.spec, now), CLASSES.index("hard"), False, child.file_order


def _end_of_period(server: Server, now: int) -> int:
    """Give the instant at which the server's current period ends: its deadline in EDF."""
    periods_begun = (now - server.offset) // server.period + 1
    return server.offset + periods_begun * server.period


def _job_row(task: _TaskState, job: _Job) -> JobRow:
    """Make the row of one job for the outcome."""
    response = None if job.finish is None else job.finish - job.release
    return task.spec.name, job.number, job.release, job.finish, response, job.missed


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
    _require(task.period >= 1, task.name, "period must be >= 1")
    _require(task.demand >= 1, task.name, "demand must be >= 1")
    _require(task.relative_deadline >= 1, task.name, "deadline must be >= 1")
    _require(task.offset >= 0, task.name, "offset must be >= 0")
    _require(task.class_ in CLASSES, task.name, f"class {task.class_!r} is unknown")
    if task.threshold is not None:
        _require(policies[task.server] == "fp", task.name, "a threshold needs an fp dispatcher")
        _require(task.threshold >= task.priority, task.name, "threshold must be >= priority")


def _require(condition: bool, who: str, rule: str) -> None:
    """Raise a ValueError that names the entity and the rule unless the condition holds."""
    if not condition:
        raise ValueError(f"{who}: {rule}")
