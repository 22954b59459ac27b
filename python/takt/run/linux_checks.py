# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What replay cannot say of a run on Linux: that the threads did what core decided.

Replay proves core; the operations of sched_ext between core and the kernel need checks of their own:

1. Each completion in the trace names the job that the last decision selected.
2. The kernel's own records of switches equal the decisions: the same threads in the same order, each on the processor
   after the decision that selects it, and off it after the next one.
3. The jobs that the trace says are completed are those that the threads have completed.
4. Each task has had the processor for as long as in the simulation at every instant, within a bound, where the
   schedule depends continuously on times; see `is_continuous`. Several emulated processors share the
   emulator's instructions, so with them there is no bound.

The bounds are constants, so they are stated before the run.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

import numpy as np
import numpy.typing as npt
import polars as pl

from takt import _core
from takt.base import times
from takt.files.trace_file import Trace
from takt.linux.board import OVERHEAD_NS, TICK_NS, Processor, Run
from takt.model import catalogue
from takt.model.core_input import ResolvedTask
from takt.model.system import System
from takt.run import measurement
from takt.run.replay import replay
from takt.run.simulation import simulate

SWITCH_NS = 100_000
"""The longest time from a decision to the kernel's switch, and of a thread on a processor that is not selected any
more: 25,000 instructions in the guest. That thread is switched on, the timer of a release comes, another thread wakes,
and that is switched on; each takes 2,000 to 5,000."""

TURN_NS = 1_000_000
"""The same with several emulated processors, which share the instructions of each 50 us; linux/guest/README.md."""

EVENT_NS = OVERHEAD_NS
"""What a decision may take from the tasks, with all that leads to it and follows; or give to them, since jobs execute
so much less in advance."""

START_NS = 200_000
"""The lateness of the first release of a busy interval, which a timer of an idle processor makes."""

STOLEN = 0.005
"""The share of the processor that interrupts may take: one of 20 us every 4 ms."""

_ABORTED = 3
"""The outcome of a job that the scheduler has ended: linux/lib/takt_linux.h."""

_Instants = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Checked:
    """What the checks found.

    Args:
        findings: what is wrong; one line each.
        switches: to threads of tasks, all as decided unless a finding says otherwise.
        largest_lag_ns: from a decision to its switch; a decision has the instant of its tick.
        slack_ns: what that may be, but for a tick.
        difference_ns: the largest one of the time that a task had had, against the simulation.
        bound_ns: what that may be at that instant; None if the schedule does not depend continuously on times.
    """

    findings: tuple[str, ...]
    switches: int
    largest_lag_ns: int
    slack_ns: int
    difference_ns: int
    bound_ns: int | None


def check(run: Run) -> Checked:
    """Check a run.

    Args:
        run: in the guest or on the machine.

    Returns:
        What was found; the findings of the run itself come first.
    """
    replayed = replay(run.trace.path)
    findings = [*run.findings, *[f"{run.trace.path}: {replayed.text}"] * (not replayed.is_identical)]
    switches, lags = 0, [0]
    slack = SWITCH_NS if len(run.processors) == 1 else TURN_NS
    for each in run.processors:
        findings += _foreign_completions(each.trace)
        findings += _lost_jobs(each)
        found, count, lag = _switches(each, slack)
        findings += found
        switches += count
        lags.append(lag)
    parts = [domain.system for domain in run.system.domains] or [run.system]
    is_bounded = len(parts) == 1
    compared = [_compare(each, part, is_bounded=is_bounded) for each, part in zip(run.processors, parts, strict=True)]
    findings += [line for line, _, _ in compared if line]
    difference, bound = max(((difference, bound) for _, difference, bound in compared), key=lambda pair: pair[0])
    return Checked(tuple(findings), switches, max(lags), slack, difference, bound)


def _named(trace: Trace) -> str:
    """Begin a finding."""
    return f"processor {trace.processors[0]}: "


def _at(instant_ns: int) -> str:
    """Write an instant."""
    return times.in_unit(int(instant_ns), 1, "ms", 3)


def sentence(checked: Checked) -> str:
    """Say what was compared, if nothing was found wrong."""
    slack, lag = _at(checked.slack_ns), _at(checked.largest_lag_ns)
    told = f"kernel: {checked.switches} switches to threads of tasks, all as decided, {lag} after it at most"
    difference = f"; {_at(checked.difference_ns)} of execution from the simulation at most"
    bound = "" if checked.bound_ns is None else f" (bound there {_at(checked.bound_ns)})"
    return f"{told} (bound {slack} and a tick){difference}{bound}"


# ---- 1. completions -------------------------------------------------------------------------------------------


def _foreign_completions(trace: Trace) -> Iterator[str]:
    """Find the first completion of a job that was not selected."""
    selected = (_core.NO_ENTITY, 0)
    names = trace.system.entity_names()
    for record in trace.records():
        if record.kind == _core.RECORD_DECISION:
            selected = (record.entity, record.job)
        elif record.kind == _core.RECORD_COMPLETE and (record.entity, record.job) != selected:
            at = _at(record.now * trace.system.resolution_ns)
            other = "no job" if selected[0] == _core.NO_ENTITY else f"{names[selected[0]]}#{selected[1]}"
            yield f"{_named(trace)}{names[record.entity]}#{record.job} completed at {at}, but {other} was selected"
            return


# ---- 2. jobs --------------------------------------------------------------------------------------------------


def _lost_jobs(processor: Processor) -> Iterator[str]:
    """Find the first job that was completed for the trace or for its thread, and not for the other.

    What is completed at the horizon is not compared: the thread may not have been able to record it.
    """
    trace, tick = processor.trace, processor.trace.system.resolution_ns
    end = trace.horizon * tick - TURN_NS
    names, tasks = trace.system.entity_names(), [task.name for task in trace.system.tasks]
    recorded = {
        (names[record.entity], record.job): record.now * tick
        for record in trace.records()
        if record.kind == _core.RECORD_COMPLETE
    }
    jobs = processor.jobs[processor.jobs["outcome"] != _ABORTED]
    executed = {
        (tasks[task], number): at
        for task, number, at in zip(jobs["task"].tolist(), jobs["number"].tolist(), jobs["end"].tolist(), strict=True)
    }
    for has, lacks, what in ((recorded, executed, "its thread has not"), (executed, recorded, "the trace has not")):
        task, number = next((job for job, at in has.items() if at < end and job not in lacks), ("", 0))
        if task:
            yield f"{_named(trace)}{task}#{number} completed at {_at(has[task, number])}, but {what} completed it"
            return


# ---- 3. switches ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Stretch:
    """A time in which a task has the processor, in ns: by decisions, or by switches."""

    task: str
    start: int
    end: int


def _decided(trace: Trace) -> list[_Stretch]:
    """List the times for which tasks are selected, in their order; an instant is that of its tick."""
    tick, names = trace.system.resolution_ns, trace.system.entity_names()
    tasks = {task.name for task in trace.system.tasks}
    taken = [
        (names[each.entity] if each.entity != _core.NO_ENTITY else "", each.now * tick)
        for each in trace.records()
        if each.kind == _core.RECORD_DECISION
    ]
    ends = [*(start for _, start in taken[1:]), trace.horizon * tick][: len(taken)]
    return [_Stretch(name, start, end) for (name, start), end in zip(taken, ends, strict=True) if name in tasks]


def _ran(processor: Processor) -> list[_Stretch]:
    """List the times in which threads of tasks had the processor, before the horizon."""
    tasks = set(processor.threads.values())
    return [_Stretch(name, start, end) for start, end, name in processor.stretches()[1] if name in tasks]


def _merged(stretches: Sequence[_Stretch]) -> list[_Stretch]:
    """Join stretches of one task that follow one another."""
    found: list[_Stretch] = []
    for each in stretches:
        if found and found[-1].task == each.task and found[-1].end == each.start:
            each = replace(each, start=found.pop().start)
        found.append(each)
    return found


class _Selected:
    """Knows when each task is selected, and until when its thread may run."""

    def __init__(self, decided: Sequence[_Stretch], slack: int) -> None:
        self.starts: dict[str, list[int]] = {}
        self.ends: dict[str, list[int]] = {}
        for each in decided:
            starts, ends = self.starts.setdefault(each.task, []), self.ends.setdefault(each.task, [])
            if ends and each.start <= ends[-1]:
                ends[-1] = each.end + slack
            else:
                starts.append(each.start)
                ends.append(each.end + slack)

    def has(self, ran: _Stretch) -> bool:
        """Say whether a thread ran only while it was selected."""
        place = bisect_right(self.starts.get(ran.task, []), ran.start) - 1
        return place >= 0 and ran.end <= self.ends[ran.task][place]


def _switches(processor: Processor, switch_ns: int) -> tuple[list[str], int, int]:
    """Compare switches with decisions: what was found, the number of switches, the largest lag."""
    trace = processor.trace
    slack = trace.system.resolution_ns + switch_ns
    horizon = trace.horizon * trace.system.resolution_ns
    decided, ran = _decided(trace), _ran(processor)
    selected = _Selected(decided, slack)
    stray = next((each for each in ran if each.end - each.start > switch_ns and not selected.has(each)), None)
    if stray is not None:
        beyond = f"{stray.task} ran from {_at(stray.start)} to {_at(stray.end)}, not only while it was selected"
        return [_named(trace) + beyond], len(ran), 0
    follower, wanted = _Follower(ran, switch_ns), _merged(decided)
    lag = 0
    for one, after in zip_longest(wanted, wanted[1:]):
        found = follower.next(one, after)
        if found is None and one.start > horizon - slack:
            break
        if found is None or found.task != one.task or not 0 <= found.start - one.start <= slack:
            line = f"{one.task} was selected at {_at(one.start)}, but "
            line += "did not run" if found is None else f"{found.task} ran from {_at(found.start)} on"
            return [_named(trace) + line], len(ran), lag
        lag = max(lag, found.start - one.start)
    return [], len(ran), lag


class _Follower:
    """Goes through what ran, from decision to decision."""

    def __init__(self, ran: Sequence[_Stretch], switch_ns: int) -> None:
        self.ran = ran
        self.switch_ns = switch_ns
        self.place = 0
        self.before = ""

    def next(self, wanted: _Stretch, after: _Stretch | None) -> _Stretch | None:
        """Give the stretch with which a decision takes effect; None if there is none.

        Args:
            wanted: the decision.
            after: the next one.
        """
        while self.place < len(self.ran) and self._is_beside(self.ran[self.place], wanted):
            self.place += 1
        if self.place == len(self.ran):
            return None
        found = self.ran[self.place]
        self.place, self.before = self.place + 1, wanted.task
        while self.place < len(self.ran) and self._continues(self.ran[self.place], wanted, after):
            self.place += 1
        return found

    def _is_beside(self, ran: _Stretch, wanted: _Stretch) -> bool:
        """Say whether a thread ran without a decision: it continues, or is switched off at once."""
        is_short = ran.end - ran.start <= self.switch_ns
        is_other = ran.task != wanted.task and (is_short or ran.task == self.before)
        return is_other or (is_short and ran.start < wanted.start)

    @staticmethod
    def _continues(ran: _Stretch, wanted: _Stretch, after: _Stretch | None) -> bool:
        """Say whether a thread ran on: by its last decision, not by the next one."""
        is_before = after is None or after.task != wanted.task or ran.start < after.start
        return ran.task == wanted.task and is_before


# ---- 4. the simulation ----------------------------------------------------------------------------------------


def is_continuous(system: System) -> bool:
    """Say whether a schedule depends continuously on times.

    With fixed priorities of jobs and without anything that makes a job wait for another reason, the time that the most
    urgent tasks have had together by an instant is a least sum of arrivals and elapsed time. So a delay changes it by
    no more than the delay. Budgets, points, resources and suspensions let a small delay decide between large
    differences.
    """
    resolved, traits = system.resolved, catalogue.traits_of(system.resolved.policy)
    return (
        traits.is_work_conserving
        and traits.is_level_or_deadline_driven
        and not traits.has_windows
        and not (resolved.servers or resolved.resources or resolved.changes)
        and all(_is_plain(task) for task in resolved.tasks)
    )


def _is_plain(task: ResolvedTask) -> bool:
    """Say whether jobs of a task wait only for more urgent ones, and end by completing."""
    return task.preemption_key is None and not task.suspends and not task.windows and task.on_miss == "continue"


@dataclass(frozen=True)
class _Service:
    """The time that a task has had, as a function of time: starts and ends of its segments, in ns."""

    starts: _Instants
    ends: _Instants

    def at(self, instants: _Instants) -> _Instants:
        """Give the time that it has had by instants."""
        before: _Instants = np.concatenate((np.zeros(1, np.int64), np.cumsum(self.ends - self.starts)))
        begun = np.searchsorted(self.starts, instants, side="right")
        last = np.maximum(begun - 1, 0)
        if not len(self.ends):
            return np.zeros_like(instants)
        left: _Instants = np.where(begun > 0, np.maximum(self.ends[last] - instants, 0), 0)
        return before[begun] - left


def _service(segments: pl.DataFrame, task: str, tick: int) -> _Service:
    """Give the service of a task."""
    rows = segments.filter(pl.col("task") == task)
    return _Service(rows["start"].to_numpy().astype(np.int64) * tick, rows["end"].to_numpy().astype(np.int64) * tick)


def _compare(processor: Processor, part: System, *, is_bounded: bool) -> tuple[str, int, int | None]:
    """Compare a domain with its simulation: a finding or nothing, the largest difference, its bound."""
    trace = processor.trace
    simulated = simulate(part, jobs=False, budgets=False, points=False, locks=False, rates=False).segments
    runs = [(measurement.segments_of(trace), trace.system.resolution_ns), (simulated, part.resolution_ns)]
    bound = _Bound(processor, runs)
    worst = ("", 0, 0)
    for task in trace.system.tasks:
        ours, theirs = (_service(frame, task.name, tick) for frame, tick in runs)
        instants = np.unique(np.concatenate((ours.starts, ours.ends, theirs.starts, theirs.ends)))
        since, bounds = bound.at(instants)
        differences = np.abs(ours.at(instants) - ours.at(since) - theirs.at(instants) + theirs.at(since))
        above = np.flatnonzero(differences > bounds)
        if is_bounded and is_continuous(part) and len(above):
            first = above[0]
            line = (
                f"{_named(trace)}from {_at(since[first])} to {_at(instants[first])} {task.name} had the processor for "
                f"{_at(differences[first])} more or less than in the simulation; the bound is {_at(bounds[first])}"
            )
            return line, int(differences[first]), int(bounds[first])
        for difference, most in zip(differences.tolist(), bounds.tolist(), strict=True):
            worst = max(worst, ("", difference, most))
    return *worst[:2], worst[2] if is_bounded and is_continuous(part) else None


class _Bound:
    """How far a run may be from its simulation: by what was decided or taken by other threads since both were idle."""

    def __init__(self, processor: Processor, runs: Sequence[tuple[pl.DataFrame, int]]) -> None:
        tick = processor.trace.system.resolution_ns
        rows = [frame.select("start", "end").to_numpy().astype(np.int64) * each for frame, each in runs]
        busy = np.concatenate(rows)
        busy = busy[np.argsort(busy[:, 0], kind="stable")]
        ends = np.maximum.accumulate(busy[:, 1]) if len(busy) else np.zeros(0, np.int64)
        fresh = np.ones(len(busy), bool)
        fresh[1:] = busy[1:, 0] > ends[:-1] + START_NS
        self.starts = busy[fresh, 0]
        self.decisions = np.array(
            [each.now * tick for each in processor.trace.records() if each.kind == _core.RECORD_DECISION], np.int64
        )
        tasks = set(processor.threads.values())
        others = [(start, end) for start, end, name in processor.stretches()[1] if name not in tasks]
        rows_of_others = np.array(others, np.int64).reshape(-1, 2)
        self.others = _Service(rows_of_others[:, 0], rows_of_others[:, 1])
        self.fixed = START_NS + 2 * tick
        self.each = EVENT_NS + (tick if tick > TICK_NS else 0)

    def at(self, instants: _Instants) -> tuple[_Instants, _Instants]:
        """Give since when a run was busy at instants, and the bounds."""
        place = np.maximum(np.searchsorted(self.starts, instants, side="right") - 1, 0)
        since = self.starts[place] if len(self.starts) else instants
        made = np.searchsorted(self.decisions, instants, side="right") - np.searchsorted(self.decisions, since)
        taken = self.others.at(instants) - self.others.at(since)
        bounds: _Instants = (self.fixed + made * self.each + (instants - since) * STOLEN).astype(np.int64)
        return since, bounds + taken
