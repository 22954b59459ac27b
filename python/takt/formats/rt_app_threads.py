# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The threads of an rt-app file: what each is, and the jobs that its loops make.

Source: rt-app 1.0, src/rt-app_parse_config.c and src/rt-app.c.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from takt.base import input_files, times
from takt.base.errors import InputError, Problem, show
from takt.formats import rt_app_json
from takt.formats import rt_app_words as words
from takt.formats.rt_app_json import Object


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


class Reader:
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
