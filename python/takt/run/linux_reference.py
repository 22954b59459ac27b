# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A run on Linux against core, which gets the measured inputs and is asked at each instant what it selects.

Source: sim/reference.h. Core gets what was recorded, completions included, so the demand of a job is what its thread
had. It is asked after each instant, so the state never drifts from the run, whatever the policy, points, protocols,
servers, rates or windows. Compared are:

1. when core selects another job, with the decision for it;
2. when a timer or a budget ends, with the next call of the scheduler;
3. decisions with their causes;
4. threads that are switched to, with what core selects;
5. what core charges between two decisions, with the processor time that the thread had by the kernel's switches;
6. completions, with what the thread recorded and with its switches;
7. points of non-preemptive jobs that are to yield, with the lengths of the task's regions;
8. arrivals, with the instants of the file.

What other classes of the kernel take is in none of these times.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from takt import _core
from takt.base import times
from takt.files.trace_file import Record, Trace
from takt.linux.board import TICK_NS, Processor
from takt.model import image as images
from takt.model.core_input import ResolvedSystem, ResolvedTask
from takt.model.system import System

_STEP = 5
_RUN, _POINT = 0, 1
"""Kinds of items of a body: system/work.h."""

ABORTED = 3
"""The outcome of a job that the scheduler has ended: linux/lib/takt_linux.h."""


WAITED_NS = 4_000_000_000
"""Of a thread that is visited: linux/bpf/visits.h."""


@dataclass(frozen=True)
class Slack:
    """Allowed differences of times, in ns.

    Args:
        lag: from a decision to the kernel's switch; of what is compared at one decision. A call of the scheduler that
            handles more than FEW events at the decision's instant takes HANDLED_NS more for each of the others.
        late: from an event, or the end of a timer or budget, to the decision.
        each: more of that for each event that is handled meanwhile.
    """

    lag: int
    late: int
    each: int


ONE = Slack(30_000, 60_000, 30_000)
"""With one processor of the guest, in which an instruction takes 4 ns. From an event to its decision there are 24 us in
the median, and 20 us more for each other thread that wakes at the same time; an interrupt takes 20 us."""

FEW = 2
HANDLED_NS = 15_000

SEVERAL = Slack(1_000_000, 1_000_000, 1_000_000)
"""With several emulated processors, which share the instructions of each 50 us; linux/guest/README.md."""


@dataclass(frozen=True)
class Found:
    """Result of the comparison.

    Args:
        findings: what is wrong, one line each.
        unknown: what could not be compared, one line each.
        largest_late_ns: from an event to its decision.
    """

    findings: tuple[str, ...]
    unknown: tuple[str, ...]
    largest_late_ns: int


def named(trace: Trace) -> str:
    """Begin a line about a processor."""
    return f"processor {trace.processors[0]}: "


def at(instant_ns: int) -> str:
    """Write an instant."""
    return times.in_unit(int(instant_ns), 1, "ms", 3)


class Service:
    """The processor time of a set of threads as a function of time.

    Args:
        stretches: start and end of each, in ns, ascending.
    """

    def __init__(self, stretches: Sequence[tuple[int, int]]) -> None:
        """Sum the stretches up."""
        self.starts = [start for start, _ in stretches]
        self.ends = [end for _, end in stretches]
        self.before = [0, *accumulate(end - start for start, end in stretches)]

    def by(self, instant: int) -> int:
        """Return the time that they have had by an instant."""
        begun = bisect_right(self.starts, instant)
        return self.before[begun] - (max(self.ends[begun - 1] - instant, 0) if begun else 0)

    def within(self, start: int, end: int) -> int:
        """Return the time that they have had between two instants."""
        return self.by(end) - self.by(start)

    def last(self, instant: int) -> int:
        """Return when they last had the processor, up to an instant; -1: never."""
        begun = bisect_right(self.starts, instant)
        return min(self.ends[begun - 1], instant) if begun else -1


class Handled:
    """The events that the scheduler has handled, and the ends of suspensions, whose wakes it handles.

    Args:
        trace: of a processor.
        slack: what times may differ by.
    """

    def __init__(self, trace: Trace, slack: Slack) -> None:
        """List the instants of the events, in ticks."""
        self.tick, self.slack = trace.system.resolution_ns, slack
        records = list(trace.records())
        ends = [each.value for each in records if each.kind == _core.RECORD_SUSPEND]
        self.events = sorted(ends + [each.now for each in records if each.kind not in (_core.RECORD_DECISION, _STEP)])

    def count(self, first: int, last: int) -> int:
        """Return how many there are from one instant to another one, both in ticks."""
        return bisect_right(self.events, last) - bisect_left(self.events, first)

    def lag(self, instant: int, levels: int = 0) -> int:
        """Return what a switch may lie behind a decision at an instant in ticks, in ns.

        Args:
            instant: of the decision.
            levels: servers above the job; each beyond the first one costs as an event does.
        """
        more = max(0, self.count(instant, instant) - FEW) + max(0, levels - 1)
        return self.slack.lag + more * HANDLED_NS

    def longest(self, start: int, least: int) -> int:
        """Return the ns for which the scheduler may be busy from an instant in ns on: with what comes meanwhile, too.

        Args:
            start: the instant.
            least: what it takes without further events.
        """
        found, more = 0, least
        while more > found:
            found = more
            more = least + self.slack.each * self.count(start // self.tick, (start + found) // self.tick)
        return found

    def busy_until(self, instant: int) -> int:
        """Return until when the last call before an instant may last, both in ns: one can handle many events."""
        call = self._call_before(instant)
        return call + self.longest(call, self.slack.late)

    def moment(self, start: int) -> int:
        """Return the ns for which a thread may have the processor without a decision.

        It is counted from the call that overtakes the thread on its way: the threads whose releases that handles wake
        while it has the processor. A timer that overtakes it has no record of its own, and comes before the switch.

        Args:
            start: when it is switched to.
        """
        call, least = self._call_before(start), self.slack.late
        begin = call if start - call <= least + self.tick else start
        return max(least, self.longest(begin, least) - (start - begin))

    def _call_before(self, instant: int) -> int:
        """Return the instant in ns of the last event up to an instant; 0 if there is none."""
        last = bisect_right(self.events, instant // self.tick) - 1
        return self.events[last] * self.tick if last >= 0 else 0


class Way:
    """The way of a decision to its thread: the kernel's switch, or the wake of a thread that is absent.

    Args:
        processor: what it did.
        slack: what times may differ by.
    """

    def __init__(self, processor: Processor, slack: Slack) -> None:
        """List the switches."""
        system = processor.trace.system
        names = processor.threads
        self.handled, self.slack = Handled(processor.trace, slack), slack
        self.tick = system.resolution_ns
        self.instants: list[int] = processor.switches["at"].tolist()
        self.threads = [names.get(thread, "") for thread in processor.switches["on"].tolist()]
        self.suspended = dict[str, list[tuple[int, int]]]()
        for each in processor.trace.records():
            if each.kind == _core.RECORD_SUSPEND:
                self.suspended.setdefault(system.entity_names()[each.entity], []).append((each.now, each.value))
        self.levels = {task.name: _levels(system, task.home) for task in system.tasks}
        tasks, stretches = set(names.values()), processor.stretches()[1]
        self.others = Service([(start, end) for start, end, name in stretches if name not in tasks])

    def lag(self, task: str, start: int, end: int) -> int:
        """Return the ns that its thread lacks after a decision, up to the next one; without other classes.

        Args:
            task: of the decision.
            start: its instant in ns.
            end: that of the next one.
        """
        first, is_absent = self._next(start), self.is_absent(task, start)
        begin = self._awake(task, start) if is_absent else start
        places = range(first, len(self.instants))
        ends = (self.instants[i] for i in places if self.threads[i] == task or (is_absent and self.threads[i]))
        at = start if self._runs(task, start) else max(begin, min(next(ends, end), end))
        return at - begin - self.others.within(begin, at)

    def most(self, task: str, start: int) -> int:
        """Return what that may be: a thread that is absent has to wake, which is an event."""
        if self.is_absent(task, start):
            return self.handled.longest(self._awake(task, start), self.slack.late)
        return self.handled.lag(start // self.tick, self.levels[task]) + self.tick

    def is_absent(self, task: str, start: int) -> bool:
        """True if no thread of a task is switched to next after a decision, or its thread sleeps: it is absent."""
        return not self._runs(task, start) and self._awake(task, start) > start

    def absence(self, task: str, start: int, end: int) -> int:
        """Return the ns from a decision on for which its thread was absent, if that was not for too long."""
        if not self.is_absent(task, start) or self.lag(task, start, end) > self.most(task, start):
            return 0
        places = range(self._next(start), self._next(end))
        return next((self.instants[i] for i in places if self.threads[i] == task), end) - start

    def _awake(self, task: str, start: int) -> int:
        """Return from when on the absent thread of a decision has to wake."""
        first = self._next(start)
        is_idle = first < len(self.threads) and not self.threads[first]
        return max(self.instants[first] if is_idle else start, self._asleep(task, start))

    def _asleep(self, task: str, start: int) -> int:
        """Return until when the thread of a decision sleeps though its job was aborted: while that suspended itself."""
        instants = self.suspended.get(task, [])
        last = bisect_right(instants, (start // self.tick, _core.NEVER)) - 1
        return instants[last][1] * self.tick if last >= 0 else 0

    def _next(self, instant: int) -> int:
        """Return the place of the first switch that is not before an instant."""
        return bisect_left(self.instants, instant)

    def _runs(self, task: str, instant: int) -> bool:
        """True if the thread of a task has the processor at an instant; one that sleeps soon, for a tick."""
        place = self._next(instant)
        has_it = place > 0 and self.threads[place - 1] == task
        stays = self._asleep(task, instant) <= instant or self._next(instant + self.tick) == place
        return has_it and stays


def _levels(system: ResolvedSystem, home: int) -> int:
    """Return how many servers are above what stands in a dispatcher."""
    return 0 if home == 0 else 1 + _levels(system, system.servers[home - 1].home)


@dataclass(frozen=True)
class _Row:
    """A row of sim/reference.h."""

    now: int
    due: int
    selected: int
    job: int
    decided: int
    decided_job: int
    should_yield: bool

    @property
    def is_outdated(self) -> bool:
        """True if core selects another job than the last decision names."""
        selected, decided = (self.selected, self.job), (self.decided, self.decided_job)
        return self.selected != self.decided or (self.selected != _core.NO_ENTITY and selected != decided)


class _Reference:
    """A processor's run beside core's reference.

    Args:
        processor: what it did.
        part: what ran on it, in ticks of the file.
        slack: what times may differ by.
    """

    def __init__(self, processor: Processor, part: System, slack: Slack) -> None:
        self.processor = processor
        self.part = part
        self.trace = processor.trace
        self.slack = slack
        self.tick = self.trace.system.resolution_ns
        self.horizon = self.trace.horizon
        self.names = self.trace.system.entity_names()
        self.records = list(self.trace.records())
        self.way = Way(processor, slack)
        self.handled = self.way.handled
        self.rows = [_Row(*row) for row in _core.reference(self.trace.program(), self.trace.data)]
        tasks, stretches = set(processor.threads.values()), processor.stretches()[1]
        self.stretches = [each for each in stretches if each[2] in tasks]
        self.others = self.way.others
        self.service = {
            task: Service([(start, end) for start, end, name in stretches if name == task]) for task in tasks
        }
        self.regions = {task.name: longest_region(task) for task in part.resolved.tasks if not part.resolved.changes}
        self.largest_late_ns = 0

    def job(self, entity: int, job: int) -> str:
        """Return the name of a job, or of idling."""
        return "no job" if entity == _core.NO_ENTITY else f"{self.names[entity]}#{job}"

    def late(self, start: int, end: int) -> int:
        """Return the ns between two instants in ticks, without what other classes took; 0 within the slack."""
        first, last = start * self.tick, end * self.tick
        late = last - first - self.others.within(first, last)
        self.largest_late_ns = max(self.largest_late_ns, late) if end < self.horizon else self.largest_late_ns
        return late if late > self._most(start, end) else 0

    def _most(self, start: int, end: int) -> int:
        """Return how late may be what is to happen at an instant and happens at another one, both in ticks."""
        own = self.slack.late + self.handled.count(start, end) * self.slack.each
        return max(own, self.handled.busy_until(start * self.tick) - start * self.tick) + self._rounding

    @property
    def _rounding(self) -> int:
        """Loss of whole ticks in instants of events."""
        return self.tick

    # ---- decisions ----

    def decisions(self) -> Iterator[str]:
        """Yield the first job that core selected and that was not decided in time."""
        decided = (record.now for record in self.records if record.kind == _core.RECORD_DECISION)
        settled = (row.now for row in self.rows if not row.is_outdated)
        ends = sorted({*decided, *settled, self.horizon})
        for row in self.rows:
            if row.is_outdated and row.now < self.horizon:
                late = self.late(row.now, ends[bisect_right(ends, row.now)])
                if late:
                    what = self.job(row.selected, row.job)
                    yield f"{what} was selected at {at(row.now * self.tick)}, but was decided {at(late)} later"
                    return

    def calls(self) -> Iterator[str]:
        """Yield the first timer or end of a budget at which the scheduler was not called in time."""
        due = _core.NEVER
        for row in self.rows:
            late = self.late(due, row.now) if due < row.now else 0
            if late:
                yield f"the scheduler was due at {at(due * self.tick)}, but was called {at(late)} later"
                return
            due = row.due if row.due > row.now or due > row.now else due
        late = self.late(due, self.horizon) if due < self.horizon else 0
        if late:
            yield f"the scheduler was due at {at(due * self.tick)}, but was not called up to the horizon"

    def causes(self) -> Iterator[str]:
        """Yield the first decision that names the job of the last one, though nothing happened between."""
        last: Record | None = None
        has_cause = True
        for record in self.records:
            if record.kind == _core.RECORD_DECISION:
                if last is not None and not has_cause and (last.entity, last.job) == (record.entity, record.job):
                    taken = self.others.within(last.now * self.tick, (record.now + 1) * self.tick)
                    if not taken:
                        what = self.job(record.entity, record.job)
                        yield f"{what} was decided again at {at(record.now * self.tick)}, though nothing had happened"
                        return
                last, has_cause = record, False
            else:
                has_cause |= record.kind != _STEP or record.value > 0

    def switches(self) -> Iterator[str]:
        """Yield the first thread that had the processor, though its job was not selected when it was switched to.

        A job that was selected up to then is one that a timer or a budget has overtaken on the way. A thread that has
        waited for WAITED_NS is switched to for a moment, so that the watchdog of Linux sees it run.
        """
        selected, ran = {task: self._selected(task) for task in self.service}, dict[str, int]()
        for start, end, task in self.processor.stretches()[1]:
            waited, ran[task] = start - ran.get(task, 0), end
            if waited >= WAITED_NS and end - start <= self.slack.late:
                continue
            if task in selected and start > 0 and not selected[task].within(start - self.slack.late - self.tick, end):
                yield f"{task} had the processor from {at(start)} to {at(end)}, but was not selected then"
                return

    def _selected(self, task: str) -> Service:
        """Return the time for which core selects a task, or the last decision names it; at least a tick."""
        ends = [*(row.now for row in self.rows[1:]), self.horizon]
        stretches = [
            (row.now, end)
            for row, end in zip(self.rows, ends, strict=True)
            if task in (self._name(row.selected), self._name(row.decided))
        ]
        stretches += [
            (record.now, record.now + 1)
            for record in self.records
            if record.kind == _core.RECORD_DECISION and self._name(record.entity) == task
        ]
        found: list[tuple[int, int]] = []
        for start, end in sorted(stretches):
            if found and start <= found[-1][1]:  # those that overlap are one
                found[-1] = (found[-1][0], max(end, found[-1][1]))
            else:
                found.append((start, end))
        return Service([(start * self.tick, end * self.tick) for start, end in found])

    def _name(self, entity: int) -> str:
        """Return the name of an entity, empty for none."""
        return self.names[entity] if entity < len(self.names) else ""

    # ---- processor time ----

    def charges(self) -> Iterator[str]:
        """Yield the first decision for whose time core charged another time than the thread had."""
        open_at, entity, charged = 0, _core.NO_ENTITY, 0
        for record in self.records:
            if record.kind == _core.RECORD_DECISION:
                line = self._charged(entity, open_at, charged, record.now)
                if line:
                    yield line
                    return
                open_at, entity = record.now, record.entity
            charged = record.now

    def _charged(self, entity: int, start: int, charged: int, end: int) -> str:
        """Compare what was charged from a decision on, up to the next one, with what the thread had."""
        task = self._name(entity)
        if task not in self.service:
            return ""
        first, last = start * self.tick, end * self.tick
        had, counted = self.service[task].within(first, last), charged * self.tick - first
        # The time for which other threads had the processor without a decision, each for a moment: one that a timer
        # or a budget overtakes on the way, or that is visited, is switched off by the next call of the scheduler. The
        # last decision is in force up to the next one, so its job is charged for that call, too.
        begin, behind = (bisect_left(self.stretches, (instant,)) for instant in (first, last))
        undecided = sum(
            min(off, last) - on
            for on, off, name in self.stretches[begin:behind]
            if name != task and off - on <= self.handled.moment(on) + self._rounding
        )
        given = undecided + self.way.absence(task, first, last)
        if abs(counted - had - given) <= self.handled.lag(start, self.way.levels[task]) + self._rounding:
            return ""
        return f"from {at(first)} on {task} had the processor for {at(had)}, but {at(counted)} were charged"

    def completions(self) -> Iterator[str]:
        """Yield the first completion that its thread did not make then."""
        tasks, ends = [task.name for task in self.trace.system.tasks], dict[tuple[str, int], int]()
        for row in self.processor.jobs[self.processor.jobs["outcome"] != ABORTED]:
            ends[tasks[row["task"]], int(row["number"])] = int(row["end"])
        for record in self.records:
            task = self._name(record.entity)
            if record.kind != _core.RECORD_COMPLETE or (task, record.job) not in ends or record.now >= self.horizon:
                continue
            now, end, service = record.now * self.tick, ends[task, record.job], self.service[task]
            executed = service.within(end, now) if end < now else end - now - self._rounding
            off = service.last(now + self._rounding)
            if max(executed, now - off - self.others.within(off, now)) > self._most(end // self.tick, record.now):
                yield f"{task}#{record.job} ended at {at(end)}, but completed at {at(now)}"
                return

    # ---- points ----

    def points(self) -> Iterator[str]:
        """Yield the first job that was to yield and reached no point in the length of a region."""
        reached = {(record.now, record.entity) for record in self.records if record.kind == _core.RECORD_POINT}
        since: _Row | None = None
        for row in (*self.rows, None):
            is_same = (
                row is not None
                and since is not None
                and row.decided == since.decided
                and (row.now, row.decided) not in reached
            )
            if since is not None and not (is_same and row is not None and row.should_yield):
                end = self.horizon if row is None else row.now
                line = self._overdue(since, end)
                if line:
                    yield line
                    return
                since = None
            if since is None and row is not None and row.should_yield:
                since = row

    def _overdue(self, since: _Row, end: int) -> str:
        """Compare the time for which a job was to yield with the longest region of its task."""
        task = self._name(since.decided)
        region = self.regions.get(task)
        first, last = since.now * self.tick, end * self.tick
        had = self.service[task].within(first, last) if task in self.service else 0
        if region is None or had <= region * self.part.resolution_ns + self.slack.late + self._rounding:
            return ""
        what = self.job(since.decided, since.decided_job)
        return f"{what} was to yield from {at(first)} on, but reached no point for {at(had)} of its execution"

    # ---- inputs of the file ----

    def inputs(self) -> Iterator[str]:
        """Yield the first arrival of the file that was not handed over in time."""
        expected = arrivals_of(self.part, self.trace)
        for record in self.records:
            queue = expected.get(record.entity, []) if record.kind == _core.RECORD_ARRIVAL else []
            if queue:
                instant = queue.pop(0)
                if record.now < instant or self.late(instant, record.now):
                    name, when, now = self.names[record.entity], at(instant * self.tick), at(record.now * self.tick)
                    yield f"{name} was to arrive at {when}, but arrived at {now}"
                    return
        for entity, queue in expected.items():
            if queue and self.late(queue[0], self.horizon):
                yield f"{self.names[entity]} was to arrive at {at(queue[0] * self.tick)}, but did not"
                return

    def unknown(self) -> Iterator[str]:
        """Yield what cannot be compared."""
        if self.tick > TICK_NS:
            yield f"with ticks of {times.shortest(self.tick)}, differences that are shorter are not known"
        for task in self.part.resolved.tasks:
            if any(kind == _POINT for kind, _ in task.body) and self.regions.get(task.name) is None:
                yield f"whether {task.name} yields in time is not known, because its jobs execute for different times"


_ARRIVAL = 0
"""The kind of an input that is an arrival: system/image.h."""


def arrivals_of(part: System, trace: Trace) -> dict[int, list[int]]:
    """Return the instants of the file's arrivals up to the horizon, in ticks of a trace, by entity."""
    tick, found = trace.system.resolution_ns, dict[int, list[int]]()
    image = images.pack(part.resolved, trace.horizon * tick // part.resolution_ns)
    instants, _, kinds, tasks = _core.inputs(images.program(part.resolved, image))
    for instant, kind, task in zip(instants, kinds, tasks, strict=True):
        if kind == _ARRIVAL:
            found.setdefault(trace.system.first_task + task, []).append(instant * part.resolution_ns // tick)
    return found


def longest_region(task: ResolvedTask) -> int | None:
    """Return the longest time that jobs of a task execute between two points, in ticks; None: it is not known.

    What the demand has beyond the body extends the end of the body (system/work.h).
    """
    lengths = [0]
    for kind, ticks in task.body:
        if kind == _POINT:
            lengths.append(0)
        elif kind == _RUN:
            lengths[-1] += ticks
    lengths[-1] += max(task.constant_demand - sum(lengths), 0)
    return max(lengths) if task.body and task.demand.is_constant else None


def compare(processor: Processor, part: System, slack: Slack) -> Found:
    """Compare the run of a processor with core's reference.

    Args:
        processor: what it did; its trace replays.
        part: what ran on it, in ticks of the file.
        slack: what times may differ by.

    Returns:
        What was found: the first finding of each kind.
    """
    reference = _Reference(processor, part, slack)
    checks = (
        reference.decisions,
        reference.calls,
        reference.causes,
        reference.switches,
        reference.charges,
        reference.completions,
        reference.points,
        reference.inputs,
    )
    begin = named(processor.trace)
    findings = tuple(begin + line for check in checks for line in check())
    return Found(findings, tuple(begin + line for line in reference.unknown()), reference.largest_late_ns)
