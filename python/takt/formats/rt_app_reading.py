# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Reader of the JSON of rt-app; rt_app.py describes it.

First the threads of a file, each with the jobs that its loops make; then the tasks and servers that they become.
Source of the threads: rt-app 1.0, src/rt-app_parse_config.c and src/rt-app.c.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, combinations, pairwise
from typing import Any, NamedTuple

from takt.base import input_files, times
from takt.base.errors import InputError, Problem, show
from takt.formats import common, rt_app_json, scheduling_rules
from takt.formats import rt_app_words as words
from takt.formats.contracts import Imported
from takt.formats.rt_app_json import Members, Object
from takt.model.system import System
from takt.model.tables import Cluster, Resource, Server, Task

# ---- threads ------------------------------------------------------------------------------------------


class UnreadError(Exception):
    """A thread that is no task of Takt; the text says why."""


class Step(NamedTuple):
    """Step of a thread: an item of a body, "timer", or "end" of a phase; times are microseconds."""

    op: str
    value: int | str = 0

    @property
    def span(self) -> int:
        """Length of the step."""
        return self.value if isinstance(self.value, int) else 0

    def __str__(self) -> str:
        """Return the item of a body."""
        return f"{self.op} {self.value if isinstance(self.value, str) else written(self.value)}"


class Job(NamedTuple):
    """Steps of a thread between two waits.

    Args:
        steps: items of a body.
        gap: from its release to the next one, in microseconds; None if none follows.
    """

    steps: tuple[Step, ...]
    gap: int | None

    @property
    def length(self) -> int:
        """Its execution time in microseconds."""
        return sum(step.span for step in self.steps if step.op == "run")

    @property
    def is_run(self) -> bool:
        """True if it only executes."""
        return all(step.op == "run" for step in self.steps)


class Reservation(NamedTuple):
    """The parameters of SCHED_DEADLINE, in microseconds."""

    runtime: int
    deadline: int
    period: int


@dataclass
class Thread:
    """A thread, or several alike.

    Args:
        name: its key.
        place: where it stands.
        policy: its scheduling class.
        priority: of SCHED_FIFO and SCHED_RR, else 0.
        reservation: of SCHED_DEADLINE, else None.
        cpus: the processors that it may use, None if it says nothing.
        delay: before its first event, in microseconds.
        instances: how many there are.
        prefix: what it does once.
        cycle: what it then repeats; nothing if it ends.
        timers: the timers that it waits for; True if one is absolute.
    """

    name: str
    place: str
    policy: str
    priority: int
    reservation: Reservation | None
    cpus: frozenset[int] | None
    delay: int
    instances: int
    prefix: list[Step] = field(default_factory=list)
    cycle: list[Step] = field(default_factory=list)
    timers: dict[str, bool] = field(default_factory=dict)


def written(microseconds: int) -> str:
    """Write a time as Takt does."""
    return times.shortest(microseconds * 1000)


class _ThreadReader:
    """A file, and its contents that Takt cannot represent.

    Args:
        root: of the file.
    """

    def __init__(self, root: Object) -> None:
        """Begin without warnings."""
        self.root = root
        self.warnings: list[Problem] = []
        self.default_policy = words.OTHER

    def lose(self, table: str | None, name: str | None, key: str | None, what: str, place: str = "") -> None:
        """Warn of something."""
        where = f" ({place})" if place else ""
        self.warnings.append(Problem(f"not read: {what}{where}", "lost", table=table, entity=name, key=key))

    def lose_others(self, parent: Object, table: str | None, name: str | None, *, has_events: bool = False) -> None:
        """Warn of members that were not read."""
        for key, value in parent.others():
            if not (has_events and words.event_of(key)):
                self.lose(table, name, key, rt_app_json.shown(value), parent.at(key))

    def policy(self, parent: Object, key: str, default: str) -> str:
        """Read a scheduling class."""
        policy = parent.text(key, default)
        if policy not in words.POLICIES:
            raise parent.refuse(key, f"one of {', '.join(words.POLICIES)}", policy)
        return policy

    def thread(self, name: str, parent: Object) -> Thread | None:
        """Read a thread; None, and one line, if Takt has no such tasks."""
        before = len(self.warnings)
        policy = self.policy(parent, "policy", self.default_policy)
        thread = Thread(
            name=name,
            place=parent.place,
            policy=policy,
            priority=self.priority(parent, policy, name),
            reservation=_reservation(parent) if policy == words.DEADLINE else None,
            cpus=_affinity(parent),
            delay=parent.whole("delay", 0, 0, words.MOST),
            instances=parent.whole("instance", 1, 0, words.MOST_INSTANCES),
        )
        try:
            self.loops(thread, parent)
        except UnreadError as reason:
            del self.warnings[before:]
            self.lose("task", name, None, str(reason), parent.place)
            return None
        return thread

    def priority(self, parent: Object, policy: str, name: str) -> int:
        """Read the priority of a real-time class; a nice value is lost."""
        if policy in words.FIXED:
            return parent.whole("priority", words.DEFAULT_PRIORITY, 1, words.MOST_PRIORITY)
        nice = parent.whole("priority", 0, -words.MOST, words.MOST)
        if nice and policy == words.OTHER:
            self.lose("task", name, "priority", f"nice value {nice}", parent.at("priority"))
        return 0

    def loops(self, thread: Thread, parent: Object) -> None:
        """Read what a thread does: once, and again and again."""
        section = parent.section("phases")
        if section is None:
            phases = [(parent.whole("loop", -1, -words.MOST, words.MOST), self.events(thread, parent))]
            loop = 1
        else:
            loop = parent.whole("loop", -1, -words.MOST, words.MOST)
            inner = [section.inner(key, value) for key, value in section.members]
            phases = [(one.whole("loop", 1, -words.MOST, words.MOST), self.events(thread, one)) for one in inner]
            for one in inner:
                self.lose_others(one, "task", thread.name, has_events=True)
        self.lose_others(parent, "task", thread.name, has_events=section is None)
        thread.prefix, thread.cycle = _unrolled(phases, loop)

    def events(self, thread: Thread, parent: Object) -> list[Step]:
        """Read the events of a phase, and its end."""
        found = [(event, key, value) for key, value in parent.members if (event := words.event_of(key)) is not None]
        if not found:
            raise InputError([Problem(f"{parent.place}: expected events such as run and timer, found none", "missing")])
        steps = [self.event(thread, parent, event, key, value) for event, key, value in found]
        return [*(step for step in steps if step is not None), Step("end")]

    def event(self, thread: Thread, parent: Object, event: str, key: str, value: object) -> Step | None:
        """Read an event; None if it does not matter to when this thread runs."""
        if event in words.TIMES:
            span = parent.checked(key, value, 0, words.MOST)
            if event == "runtime":
                first = "the budget, and again an event: " if "runtime" in parent.known else ""
                what = f"{first}{span}us on the clock, which pass while others run too; read as run"
                self.lose("task", thread.name, key, what, parent.at(key))
            return Step(words.TIMES[event], span) if span else None
        if event in ("lock", "unlock"):
            if not isinstance(value, str):
                raise parent.refuse(key, "the name of a mutex", value)
            return Step(event, value)
        if event == "timer":
            return self.timer(thread, parent.inner(key, value))
        if event in words.WAITS:
            raise UnreadError(f"a task that others release, {show(event)}")
        if event == "yield" and thread.reservation:
            raise UnreadError("a task whose jobs end when they yield their budget")
        self.lose("task", thread.name, key, rt_app_json.shown(value), parent.at(key))
        return None

    def timer(self, thread: Thread, parent: Object) -> Step:
        """Read a wait for a timer."""
        name = parent.text("ref", "unknown")
        is_absolute = parent.text("mode", "relative").startswith("absolute")
        thread.timers[name] = thread.timers.get(name, False) or is_absolute
        period = parent.whole("period", 0, 0, words.MOST)
        self.lose_others(parent, "task", thread.name)
        return Step("timer", period)


def _reservation(parent: Object) -> Reservation:
    """Read the parameters of SCHED_DEADLINE; older files spell them without `dl-`, which counts where no other does."""
    is_older = not parent.find("dl-runtime") and bool(parent.find("runtime"))
    has_older_times = is_older and not parent.find("dl-period")
    budget, period_key = "runtime" if is_older else "dl-runtime", "period" if has_older_times else "dl-period"
    deadline_key = "deadline" if has_older_times and not parent.find("dl-deadline") else "dl-deadline"
    runtime = parent.checked(budget, parent.find(budget), 1, words.MOST)
    period = parent.whole(period_key, 0, 0, words.MOST) or runtime
    period = parent.checked(period_key, period, runtime, words.MOST)
    deadline = parent.whole(deadline_key, 0, 0, words.MOST) or period
    return Reservation(runtime, parent.checked(deadline_key, deadline, runtime, period), period)


def _affinity(parent: Object) -> frozenset[int] | None:
    listed = parent.find("cpus")
    if listed is None:
        return None
    if type(listed) is not list or not listed:
        raise parent.refuse("cpus", "an array of processors", listed)
    return frozenset(parent.checked("cpus", cpu, 0, words.MOST_CPUS - 1) for cpu in listed)


def _unrolled(phases: Sequence[tuple[int, list[Step]]], loop: int) -> tuple[list[Step], list[Step]]:
    """Write out the loops: what is done once, and what is repeated; a count below 1 repeats a phase for ever."""
    once: list[Step] = []
    for count, steps in phases:
        if count < 1:
            return once, steps
        input_files.check_count(len(once) + count * len(steps), input_files.MAX_TABLES, "events in all loops")
        once += steps * count
    if loop < 0:
        return [], once
    input_files.check_count(loop * len(once), input_files.MAX_TABLES, "events in all loops")
    return once * loop, []


# ---- jobs -------------------------------------------------------------------------------------------


def cut(thread: Thread) -> tuple[int, list[Job]]:
    """Divide what a thread does into jobs: up to a timer, or without one up to the end of a phase.

    Returns:
        The release of the first job after the thread begins, and the jobs: all, or those of the cycle.

    Raises:
        UnreadError: they are no jobs of a periodic task, nor a list of jobs.
    """
    prefix, start = thread.prefix, 0
    if thread.cycle and all(step.op in ("suspend", "end") for step in prefix) and not thread.timers:
        prefix, start = [], sum(step.span for step in prefix)
    if thread.cycle and prefix:
        raise UnreadError("phases before one that never ends")
    jobs = list(_divided(thread.cycle or prefix, has_timers=bool(thread.timers)))
    if not any(job.length for job in jobs):
        raise UnreadError("a task without jobs")
    if not thread.cycle:
        return 0, jobs
    first, jobs = _steady(jobs)
    if len({job.gap for job in jobs}) > 1 or not jobs[0].gap:
        raise UnreadError("jobs at several distances, again and again")
    return start + first, jobs


def _divided(steps: Sequence[Step], *, has_timers: bool) -> list[Job]:
    """Divide steps into jobs; what is left over has no gap."""
    jobs: list[Job] = []
    items: list[Step] = []
    for step in steps:
        if step.op not in ("timer", "end"):
            items.append(step)
        elif step.op == ("timer" if has_timers else "end"):
            gap = step.span if has_timers else sum(item.span for item in items)
            jobs.append(Job(_executed(items), gap))
            items = []
    return [*jobs, Job(_executed(items), None)] if items else jobs


def _executed(items: Sequence[Step]) -> tuple[Step, ...]:
    """Leave out the suspensions at the end of a job."""
    last = next((number for number, item in reversed([*enumerate(items)]) if item.op != "suspend"), -1)
    return tuple(items[: last + 1])


def _steady(jobs: list[Job]) -> tuple[int, list[Job]]:
    """Return a cycle that begins with a job that executes; each job has the gap to the next one that does."""
    start = 0
    if jobs[-1].gap is None:  # what follows the last timer belongs to the first job of the next round
        if jobs[0].steps or len(jobs) == 1:
            raise UnreadError("a first job unlike the others")
        start = jobs[0].gap or 0
        jobs = [*jobs[1:-1], Job(jobs[-1].steps, start)]
    while not jobs[0].length:
        start += jobs[0].gap or 0
        jobs = [*jobs[1:], jobs[0]]
    merged: list[Job] = []
    for job in jobs:
        merged += [job] if job.length else []
        if not job.length:
            merged[-1] = Job(merged[-1].steps, (merged[-1].gap or 0) + (job.gap or 0))
    return start, merged


# ---- tasks --------------------------------------------------------------------------------------------


class _Made(NamedTuple):
    """A thread and what it becomes.

    Args:
        thread: the thread.
        values: keys of its task, times in microseconds.
        budget: its reservation, if it may lack budget.
    """

    thread: Thread
    values: dict[str, Any]
    budget: Reservation | None


class _Places(NamedTuple):
    """The processors and the domains.

    Args:
        cpus: how many there are.
        sets: the processors of each domain; none if there is one dispatcher.
    """

    cpus: int
    sets: list[frozenset[int]]


def read(data: bytes, name: str) -> Imported:
    """Read a file."""
    reader = _Reader(Object(rt_app_json.parse(data)))
    system = reader.system(name)
    differences = scheduling_rules.differences(system, scheduling_rules.by_policy(scheduling_rules.LINUX))
    return Imported(system, (*reader.warnings, *differences))


class _Reader(_ThreadReader):
    """Reader of the system of a file."""

    def system(self, name: str) -> System:
        section = self.root.section("global") or Object(Members())
        duration = section.whole("duration", -1, -words.MOST, words.MOST)
        self.default_policy = self.policy(section, "default_policy", words.OTHER)
        protocol = "pip" if section.flag("pi_enabled") else "none"
        for key, value in section.others():
            if key not in words.RUN_KEYS:
                self.lose("system", None, key, rt_app_json.shown(value), section.at(key))
        resources = self.root.section("resources") or Object(Members())
        inner = {key: resources.inner(key, value) for key, value in resources.members}
        declared = [key for key, one in inner.items() if one.text("type", "") == "mutex"]
        tasks = self.root.inner("tasks", self.root.find("tasks"))
        self.lose_others(self.root, None, None)
        threads = [self.thread(key, tasks.inner(key, tasks.find(key))) for key, _ in tasks.members]
        made = self.made([thread for thread in threads if thread is not None])
        if not made:
            raise InputError([Problem("expected a thread that is a task, found none", "missing"), *self.warnings])
        self.lose_classes([one.thread for one in made])
        places = self.places([one.thread for one in made])
        made = self.unshared(made, places)
        steps = [step for one in made for step in one.values.get("body", ())]
        mutexes = dict.fromkeys([*declared, *(step.value for step in steps if step.op == "lock")])
        values = [value for one in made for value in one.values.values()]
        parts = [each for value in values for each in (value if isinstance(value, (list, tuple)) else [value])]
        microseconds = [part.span if isinstance(part, Step) else part for part in parts]
        microseconds += [span for one in made for span in one.budget or ()]
        return System(
            name=name,
            resolution=written(common.coarsest(span * 1000 for span in microseconds) // 1000),
            horizon=f"{duration}s" if duration > 0 else None,
            resources=[Resource(name=str(mutex), protocol=protocol) for mutex in mutexes],
            **_assembled(made, places),
        )

    # ---- tasks --------------------------------------------------------------------------------------

    def made(self, threads: Sequence[Thread]) -> list[_Made]:
        """Return the tasks; a thread that is none is a line."""
        users = Counter(name for thread in threads for name in thread.timers for _ in range(thread.instances))
        shared = {name for name, count in users.items() if count > 1 and not name.startswith("unique")}
        made = []
        for thread in threads:
            try:
                if len(thread.timers) > 1 or shared & set(thread.timers):
                    raise UnreadError("several timers, or one that other threads use too")
                made.append(self.task(thread))
            except UnreadError as reason:
                self.lose("task", thread.name, None, str(reason), thread.place)
        late = [one.thread.name for one in made if not any(one.thread.timers.values()) and one.thread.timers]
        if late:
            what = f'timers in mode "relative", of {_listed(late)}: a late job delays no later release here'
            self.lose("task", None, "on_miss", what)
        return made

    def task(self, thread: Thread) -> _Made:
        start, jobs = cut(thread)
        if thread.cycle:
            values: dict[str, Any] = {"period": jobs[0].gap, "offset": thread.delay + start}
            least = jobs[0].gap
        else:
            releases = accumulate((job.gap or 0 for job in jobs), initial=thread.delay)
            listed = [(instant, job) for instant, job in zip(releases, jobs, strict=False) if job.length]
            gaps = [after - before for (before, _), (after, _) in pairwise(listed)]
            jobs = [job for _, job in listed]
            least = min(gaps, default=None)
            deadline = min(filter(None, gaps), default=jobs[0].length)
            values = {"arrivals": [instant for instant, _ in listed], "deadline": deadline}
        values |= _demand(jobs)
        if not thread.timers:
            what = "no timer, so a job comes when the one before it has run and slept, were it alone"
            self.lose("task", thread.name, "period", what, thread.place)
        if thread.reservation is None:
            if "deadline" in values:
                what = f"none, so {written(values['deadline'])} takes its place"
                self.lose("task", thread.name, "deadline", what, thread.place)
            return _Made(thread, values, None)
        return self.reserved(thread, thread.reservation, values, least)

    def reserved(self, thread: Thread, budget: Reservation, values: dict[str, Any], least: int | None) -> _Made:
        """Return a task of a reservation; one whose jobs never lack budget needs no server."""
        has_budget = values["wcet"] <= budget.runtime and (least is None or least >= budget.period)
        if has_budget and not any(step.op == "suspend" for step in values.get("body", ())):
            is_less = values["wcet"] < budget.runtime and "body" not in values
            values = ({"demand": [values["wcet"]]} if is_less else {}) | values
            return _Made(thread, values | {"deadline": budget.deadline, "wcet": budget.runtime}, None)
        if budget.deadline < budget.period:
            what = f"{budget.deadline}, so {written(budget.period)} takes its place"
            self.lose("task", thread.name, "dl-deadline", what, thread.place)
        return _Made(thread, values, budget)

    # ---- the machine --------------------------------------------------------------------------------

    def lose_classes(self, threads: Sequence[Thread]) -> None:
        """Warn of scheduling classes that Takt does not have."""
        for policy in (words.OTHER, "SCHED_IDLE"):
            names = [thread.name for thread in threads if thread.policy == policy]
            if names:
                self.lose(
                    "system", None, "policy", f"{policy} of {_listed(names)}, so fp with priority 0 takes its place"
                )
        equals = Counter(thread.priority for thread in threads for _ in range(thread.instances) if thread.priority)
        names = [one.name for one in threads if one.policy == words.FIXED[1] and equals[one.priority] > 1]
        if names:
            self.lose("system", None, "policy", f"{words.FIXED[1]} of {_listed(names)}, so the first of equals runs")

    def places(self, threads: Sequence[Thread]) -> _Places:
        """Return the processors: one set of them, or several that share none."""
        sets = sorted({thread.cpus for thread in threads if thread.cpus is not None}, key=sorted)
        free = [thread.name for thread in threads if thread.cpus is None]
        if free:
            where = "all of these take" if sets else "one takes"
            what = f"none of {_listed(free)}, which may use all of the machine, so {where} their place"
            self.lose("system", None, "cpus", what)
        every = sorted(frozenset().union(*sets)) or [0]
        if len(sets) > 1 and not free and not any(one & other for one, other in combinations(sets, 2)):
            return _Places(every[-1] + 1, sets)
        if len(sets) > 1:
            self.lose("system", None, "cpus", f"affinities that overlap, so every thread may use all of {every}")
        elif every[-1] >= len(every):
            self.lose("system", None, "cpus", f"the numbers {every}, so they are counted from 0")
        return _Places(len(every), [])

    def unshared(self, made: Sequence[_Made], places: _Places) -> list[_Made]:
        """Leave out the sections of mutexes that threads of several dispatchers lock."""
        users: dict[str, set[object]] = {}
        for one in made:
            for step in one.values.get("body", ()):
                if step.op == "lock":
                    domain = (one.thread.cpus if places.sets else None, one.thread.reservation is None)
                    users.setdefault(step.value, set()).update(_names(one.thread) if one.budget else [domain])
        lost = {mutex for mutex, where in users.items() if len(where) > 1}
        for mutex in sorted(lost):
            self.lose("resource", mutex, None, "a mutex of threads that are in several dispatchers here")
        bodies = [[step for step in one.values.get("body", ()) if step.value not in lost] for one in made]
        return [
            one._replace(values=one.values | {"body": body}) if "body" in one.values else one
            for one, body in zip(made, bodies, strict=True)
        ]


def _listed(names: Sequence[str]) -> str:
    """Return the first of some names."""
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(map(show, names[:3])) + more


def _demand(jobs: Sequence[Job]) -> dict[str, Any]:
    """Return what jobs execute: lengths, or one body of all."""
    lengths = [job.length for job in jobs]
    if all(job.is_run for job in jobs):
        return {"wcet": max(lengths)} | ({"demand": lengths} if len(set(lengths)) > 1 else {})
    if len({job.steps for job in jobs}) > 1:
        raise UnreadError("jobs that differ, and do more than run")
    return {"wcet": lengths[0], "body": jobs[0].steps}


# ---- the tables -------------------------------------------------------------------------------------


def _assembled(made: Sequence[_Made], places: _Places) -> dict[str, Any]:
    """Return the tables, each domain with its policy: edf if all its threads have reservations."""
    groups = [[one for one in made if one.thread.cpus == cpus] for cpus in places.sets] or [list(made)]
    policies = ["edf" if all(one.thread.reservation for one in group) else "fp" for group in groups]
    are_single = all(len(cpus) == 1 for cpus in places.sets) and len(set(policies)) == 1
    tables: dict[str, Any] = {"cpus": places.cpus, "policy": policies[0], "servers": []}
    where: Mapping[str, Any] = {}
    tasks: dict[str, list[Task]] = {}
    for number, (group, policy) in enumerate(zip(groups, policies, strict=True)):
        if places.sets:
            where = {"cpu": min(places.sets[number])} if are_single else {"cluster": number}
        above = words.DEADLINE if policy == "fp" and any(one.thread.reservation for one in group) else None
        if above is not None:
            name = above if not places.sets else f"{above} {number}"
            priority = words.MOST_PRIORITY + 1  # SCHED_DEADLINE always has budget, and is above all other classes
            tables["servers"].append(
                Server(name=name, budget="1s", period="1s", priority=priority, policy="edf", **where)
            )
            above = name
        for one in group:
            if one.budget is not None:
                lengths = {"budget": written(one.budget.runtime), "period": written(one.budget.period)}
                hard = [
                    Server(name=name, kind="hard-cbs", parent=above, **lengths, **where) for name in _names(one.thread)
                ]
                tables["servers"] += hard
            tasks[one.thread.name] = list(_tasks(one, above, where))
    if places.sets and not are_single:
        tables["clusters"] = [
            Cluster(cpus=sorted(cpus), policy=policy) for cpus, policy in zip(places.sets, policies, strict=True)
        ]
    return tables | {"tasks": [task for one in made for task in tasks[one.thread.name]]}


def _names(thread: Thread) -> Iterable[str]:
    """Yield the names of the instances of a thread."""
    return [thread.name] if thread.instances == 1 else [f"{thread.name}-{one}" for one in range(thread.instances)]


def _tasks(made: _Made, above: str | None, where: Mapping[str, Any]) -> Iterator[Task]:
    values = dict[str, Any]()
    for key, value in made.values.items():
        if isinstance(value, (list, tuple)):
            values[key] = [str(one) if isinstance(one, Step) else written(one) for one in value]
        elif value != 0:
            values[key] = written(value)
    for name in _names(made.thread):
        server = name if made.budget else above if made.thread.reservation else None
        yield Task(name=name, priority=made.thread.priority, server=server, **values, **where)
