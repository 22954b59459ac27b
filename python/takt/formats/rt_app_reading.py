# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Reader of the JSON of rt-app; rt_app.py describes it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, combinations, pairwise
from typing import Any, NamedTuple

from takt.base.errors import InputError, Problem, show
from takt.formats import common, rt_app_json, rt_app_threads, scheduling_rules
from takt.formats import rt_app_words as words
from takt.formats.contracts import Imported
from takt.formats.rt_app_json import Members, Object
from takt.formats.rt_app_threads import Job, Reservation, Step, Thread, UnreadError, written
from takt.model.system import System
from takt.model.tables import Cluster, Resource, Server, Task


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


class _Reader(rt_app_threads.Reader):
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
        microseconds = [span for one in made for span in _spans(one)]
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
        start, jobs = rt_app_threads.cut(thread)
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
        return [_without(one, lost) for one in made]


def _without(made: _Made, mutexes: set[str]) -> _Made:
    if "body" not in made.values:
        return made
    body = [step for step in made.values["body"] if step.value not in mutexes]
    return made._replace(values=made.values | {"body": body})


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


def _spans(made: _Made) -> Iterator[int]:
    for value in made.values.values():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            yield one.span if isinstance(one, Step) else one
    yield from made.budget or ()


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
    values = {key: _converted(value) for key, value in made.values.items() if value != 0}
    for name in _names(made.thread):
        server = name if made.budget else above if made.thread.reservation else None
        yield Task(name=name, priority=made.thread.priority, server=server, **values, **where)


def _converted(value: Any) -> Any:
    """Write microseconds, or a list of them, or steps."""
    if isinstance(value, (list, tuple)):
        return [str(one) if isinstance(one, Step) else written(one) for one in value]
    return written(value)
