# SPDX-License-Identifier: Apache-2.0 OR MIT
"""rt-app's JSON: the threads of the load generator rt-app 1.0 for Linux.

Source: tutorial.txt and workgen of rt-app 1.0. Times are whole microseconds. A thread is a loop of events; its jobs
are what it does from one timer to the next. An absolute timer is a period; SCHED_FIFO is fp and SCHED_DEADLINE edf,
with a hard constant bandwidth server where a job may need more than its budget.

Left out: threads that wait for others, loads of memory and devices, clamps, groups, memory nodes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any, NamedTuple

from takt.base.errors import InputError, Problem
from takt.formats import common, rt_app_json
from takt.formats import rt_app_words as words
from takt.formats.contracts import Format, Written
from takt.formats.rt_app_reading import read
from takt.model.bodies import Op
from takt.model.conversion import to_ticks
from takt.model.python_policy import name_of
from takt.model.system import System
from takt.model.tables import Server, Task

_EVENTS = {Op.RUN: "run", Op.SUSPEND: "sleep", Op.LOCK: "lock", Op.UNLOCK: "unlock"}
_PRIORITIES = ("fp", "rm", "dm")
"""Policies that are priorities of SCHED_FIFO; others are SCHED_DEADLINE."""


class _Job(NamedTuple):
    """A job: its events with their values, and the time to the next one, None if none follows."""

    events: tuple[tuple[str, int | str], ...]
    gap: int | None


class _Place(NamedTuple):
    """Place of a task: the processors of its domain, and their policy."""

    cpus: tuple[int, ...]
    policy: str


def write(system: System) -> Written:
    """Write a file; keys without a word of rt-app are left out.

    Raises:
        InputError: no task can be written, or one in numbers that rt-app does not have.
    """
    tasks = [
        task
        for task in common.writable(system)
        if task.shortest_separation is not None or isinstance(task.arrivals, tuple)
    ]
    if not tasks:
        message = "expected a task with a period, a min_separation or listed arrivals, found none that could be written"
        raise InputError([Problem(message, "missing", None, "task")])
    names = common.renamed(system, "_ .-")
    writer = _Writer(system, tasks, names)
    document = {
        "tasks": {names.get(("task", task.name), task.name): writer.thread(task) for task in tasks},
        "resources": {names.get(("resource", one.name), one.name): {"type": "mutex"} for one in system.resources},
        "global": {
            "duration": writer.duration(),
            "calibration": "CPU0",
            "pi_enabled": any(one.protocol != "none" for one in system.resources),
        },
    }
    text = json.dumps(document, indent=2) + "\n"
    return Written(text, names | writer.server_names())


class _Writer:
    """A file in the making."""

    def __init__(self, system: System, tasks: Sequence[Task], names: Mapping[tuple[str, str], str]) -> None:
        self.system = system
        self.tasks = tasks
        self.names = names
        self.servers = {server.name: server for server in system.servers}
        self.resolved = {task.name: task for task in system.resolved.tasks}
        whole = _Place(tuple(range(system.cpus)), name_of(common.policy_for(system, tasks)))
        self.places = {task.name: whole for task in tasks}
        for domain in system.domains:
            policy = common.policy_for(domain.system, domain.system.tasks)
            self.places |= {task.name: _Place(domain.processors, name_of(policy)) for task in domain.system.tasks}
        self.priorities = self._priorities()

    def _priorities(self) -> dict[str, int]:
        """Choose the priorities of SCHED_FIFO: those of the tasks, or ranks where there are no such priorities."""
        keys, policies = dict[str, int](), set[str]()  # larger first
        for task in (each for each in self.tasks if not self.is_reserved(each)):
            resolved, policy = self.resolved[task.name], self.places[task.name].policy
            policies.add(policy)
            keys[task.name] = {"fp": resolved.priority, "rm": -resolved.period, "dm": -resolved.deadline}[policy]
        if policies <= {"fp"} and all(1 <= key <= words.MOST_PRIORITY for key in keys.values()):
            return keys
        ranks = {key: rank for rank, key in enumerate(sorted(set(keys.values())), start=1)}
        if len(ranks) > words.MOST_PRIORITY:
            message = f"expected at most {words.MOST_PRIORITY} priorities, which SCHED_FIFO has, found {len(ranks)}"
            raise InputError([Problem(message, "out-of-range", None, "task", None, None, "priority")])
        return {name: ranks[key] for name, key in keys.items()}

    def is_reserved(self, task: Task) -> bool:
        """True if a task is written as SCHED_DEADLINE."""
        above = self.server(task)
        parent = self.servers.get(above.parent or "") if above is not None and above.kind == "hard-cbs" else above
        is_above_all = parent is not None and parent.policy == "edf" and parent.budget == parent.period
        return is_above_all or self.places[task.name].policy not in _PRIORITIES

    def server(self, task: Task) -> Server | None:
        return self.servers.get(task.server or "")

    def server_names(self) -> dict[tuple[str, str], str]:
        """Return the names of the servers, as in reading."""
        users = Counter(task.server for task in self.tasks)
        reserved = [task for task in self.tasks if self.is_reserved(task) and users[task.server] == 1]
        return {
            ("server", task.server): self.names.get(("task", task.name), task.name)
            for task in reserved
            if task.server is not None and self.servers[task.server].kind == "hard-cbs"
        }

    def duration(self) -> int:
        """Return the horizon in whole seconds, -1 for none."""
        if self.system.horizon is None:
            return -1
        nanoseconds = to_ticks(self.system.horizon, self.system.resolution) * self.system.resolution_ns
        return min(-(-nanoseconds // 10**9), words.MOST)

    def microseconds(self, ticks: int, task: Task) -> int:
        """Return a time in microseconds, at least 1 if it is not 0."""
        nanoseconds = ticks * self.system.resolution_ns
        found = max((nanoseconds + 500) // 1000, min(ticks, 1))
        if found > words.MOST:
            message = f"expected times of at most {words.MOST}us, which rt-app can count, found {found}us"
            raise InputError([Problem(message, "out-of-range", None, "task", task.name)])
        return found

    def span(self, value: int | str, task: Task) -> int:
        """Return a time as it is written in microseconds."""
        return self.microseconds(int(to_ticks(value, self.system.resolution)), task)

    # ---- threads ------------------------------------------------------------------------------------

    def thread(self, task: Task) -> dict[str, Any]:
        first, jobs = self.jobs(task)
        phases = [_phase(job, len([*same])) for job, same in groupby(jobs)]
        does: dict[str, Any] = {"loop": -1 if task.arrivals is None else 1}
        if len(phases) == 1 and does["loop"] == -1:
            does |= {key: value for key, value in phases[0].items() if key != "loop"}
        else:
            does["phases"] = {f"phase{number}": phase for number, phase in enumerate(phases)}
        return self.scheduling(task) | ({"delay": first} if first else {}) | does

    def scheduling(self, task: Task) -> dict[str, Any]:
        given = {"cpus": list(self.places[task.name].cpus)}
        if self.is_reserved(task):
            return {"policy": words.DEADLINE} | self.reservation(task) | given
        return {"policy": words.FIFO, "priority": self.priorities[task.name]} | given

    def reservation(self, task: Task) -> dict[str, Any]:
        """Write the parameters of SCHED_DEADLINE, each at most the next one, without which Linux refuses them."""
        server, resolved = self.server(task), self.resolved[task.name]
        if server is not None and server.kind == "hard-cbs":
            runtime, period = self.span(server.budget, task), self.span(server.period, task)
            return {"dl-runtime": runtime, "dl-deadline": period, "dl-period": period}
        deadline = self.microseconds(resolved.deadline, task)
        period = deadline if task.shortest_separation is None else self.span(task.shortest_separation, task)
        deadline = min(deadline, period)
        runtime = min(self.microseconds(resolved.wcet, task), deadline)
        return {"dl-runtime": runtime, "dl-deadline": deadline, "dl-period": period}

    def jobs(self, task: Task) -> tuple[int, list[_Job]]:
        """Return the first arrival and the jobs: all that arrive, or those that are repeated."""
        bodies = self.bodies(task)
        if isinstance(task.arrivals, tuple):
            instants = [self.span(task.offset, task) + self.span(instant, task) for instant in task.arrivals]
            gaps = [*(after - before for before, after in pairwise(instants)), None]
            return instants[0], [_Job(bodies[number % len(bodies)], gap) for number, gap in enumerate(gaps)]
        gap = self.span(task.shortest_separation or 0, task)
        return self.span(task.offset, task), [_Job(body, gap) for body in bodies]

    def bodies(self, task: Task) -> list[tuple[tuple[str, int | str], ...]]:
        """Return the events of jobs, one after the other; a drawn demand is the wcet."""
        resolved = self.resolved[task.name]
        if any(item.op in (Op.LOCK, Op.SUSPEND) for item in task.items):
            return [self.body(task)]
        is_listed = resolved.demand.kind == "listed"
        lengths = resolved.demand.values if is_listed else (resolved.wcet,)
        return [(("run", self.microseconds(int(length), task)),) for length in lengths]

    def body(self, task: Task) -> tuple[tuple[str, int | str], ...]:
        """Return the events of a body; resources held at the end are unlocked, as the end of a job does."""
        events: list[tuple[str, int | str]] = []
        held: list[str] = []
        for item in task.items:
            name = self.names.get(("resource", item.resource or ""), item.resource or "")
            held = [*held, name] if item.op == Op.LOCK else held[:-1] if item.op == Op.UNLOCK else held
            if item.op in _EVENTS:
                events.append((_EVENTS[item.op], name or self.span(item.time, task)))
        return (*events, *(("unlock", name) for name in reversed(held)))


def _phase(job: _Job, count: int) -> dict[str, Any]:
    """Write a phase; rt-app knows an event by the beginning of its key, and keys must differ."""
    phase: dict[str, Any] = {"loop": count}
    for event, value in job.events:
        number = sum(key.startswith(event) for key in phase)
        phase[f"{event}{number}" if number else event] = value
    if job.gap is not None:
        phase["timer"] = {"ref": "unique", "period": job.gap, "mode": "absolute"}
    return phase


FORMAT = Format("rt-app", (".json",), rt_app_json.recognizes, read, write)
