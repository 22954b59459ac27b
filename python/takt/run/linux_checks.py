# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Checks of a run on Linux beyond replay: the threads did what core decided, and core was called in time.

Replay proves core; the operations of sched_ext between core and the kernel need checks of their own:

1. Each completion in the trace names the job that the last decision selected.
2. The kernel's own records of switches equal the decisions: the same threads in the same order, each on the processor
   after the decision that selects it, and off it after the next one.
3. The jobs that the trace says are completed are those that the threads have completed.
4. The run is that of core with the measured inputs; linux_reference.py.

The bounds are constants, so they are stated before the run.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from takt import _core
from takt.files.trace_file import Trace
from takt.linux.board import Processor, Run
from takt.run import linux_reference
from takt.run.linux_reference import ABORTED, ONE, SEVERAL, Handled, Slack, at, named
from takt.run.replay import replay

SWITCH_NS = 100_000
"""The longest time of a thread on a processor that is not selected any more: 25,000 instructions in the guest. That
thread is switched on, the timer of a release comes, another thread wakes, and that is switched on; each takes 2,000 to
5,000."""

TURN_NS = SEVERAL.lag
"""The same with several emulated processors, which share the instructions of each 50 us; linux/guest/README.md."""


@dataclass(frozen=True)
class Checked:
    """Result of the checks.

    Args:
        findings: what is wrong; one line each.
        switches: to threads of tasks, all as decided unless a finding says otherwise.
        largest_lag_ns: from a decision to its switch; a decision has the instant of its tick.
        lag_ns: what that may be, but for a tick.
        largest_late_ns: from an event, or the end of a timer or a budget, to the decision.
        unknown: what could not be compared; one line each.
    """

    findings: tuple[str, ...]
    switches: int
    largest_lag_ns: int
    lag_ns: int
    largest_late_ns: int
    unknown: tuple[str, ...] = ()


def check(run: Run) -> Checked:
    """Check a run.

    Args:
        run: in the guest or on the machine.

    Returns:
        What was found; the findings of the run itself come first.
    """
    replayed = replay(run.trace.path)
    findings = [*run.findings, *[f"{run.trace.path}: {replayed.text}"] * (not replayed.is_identical)]
    unknown, switches, lags, late = list[str](), 0, [0], [0]
    slack = ONE if len(run.processors) == 1 else SEVERAL
    parts = [domain.system for domain in run.system.domains] or [run.system]
    for each, part in zip(run.processors, parts, strict=True):
        findings += _foreign_completions(each.trace)
        findings += _lost_jobs(each)
        found, count, lag = _switches(each, slack)
        findings += found
        switches += count
        lags.append(lag)
        if replayed.is_identical:
            compared = linux_reference.compare(each, part, slack)
            findings += compared.findings
            unknown += compared.unknown
            late.append(compared.largest_late_ns)
    return Checked(tuple(findings), switches, max(lags), slack.lag, max(late), tuple(unknown))


def sentence(checked: Checked) -> str:
    """Return a sentence about what was compared, if no fault was found."""
    lag, most, late = at(checked.largest_lag_ns), at(checked.lag_ns), at(checked.largest_late_ns)
    told = f"kernel: {checked.switches} switches to threads of tasks, all as decided, {lag} after it at most"
    return f"{told} (bound {most} and a tick); decisions {late} after what caused them at most"


# ---- 1. completions -------------------------------------------------------------------------------------------


def _foreign_completions(trace: Trace) -> Iterator[str]:
    """Yield the first completion of a job that was not selected."""
    selected = (_core.NO_ENTITY, 0)
    names = trace.system.entity_names()
    for record in trace.records():
        if record.kind == _core.RECORD_DECISION:
            selected = (record.entity, record.job)
        elif record.kind == _core.RECORD_COMPLETE and (record.entity, record.job) != selected:
            when = at(record.now * trace.system.resolution_ns)
            other = "no job" if selected[0] == _core.NO_ENTITY else f"{names[selected[0]]}#{selected[1]}"
            yield f"{named(trace)}{names[record.entity]}#{record.job} completed at {when}, but {other} was selected"
            return


# ---- 2. jobs --------------------------------------------------------------------------------------------------


def _lost_jobs(processor: Processor) -> Iterator[str]:
    """Yield the first job that was completed for the trace or for its thread, and not for the other.

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
    jobs = processor.jobs[processor.jobs["outcome"] != ABORTED]
    executed = {
        (tasks[task], number): at
        for task, number, at in zip(jobs["task"].tolist(), jobs["number"].tolist(), jobs["end"].tolist(), strict=True)
    }
    for has, lacks, what in ((recorded, executed, "its thread has not"), (executed, recorded, "the trace has not")):
        task, number = next((job for job, at in has.items() if at < end and job not in lacks), ("", 0))
        if task:
            yield f"{named(trace)}{task}#{number} completed at {at(has[task, number])}, but {what} completed it"
            return


# ---- 3. switches ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Stretch:
    """A time in which a task has the processor, in ns: by decisions, or by switches."""

    task: str
    start: int
    end: int


def _decided(trace: Trace) -> list[_Stretch]:
    """Return the times for which tasks are selected, in their order; an instant is that of its tick."""
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
    """Return the times in which threads of tasks had the processor, before the horizon."""
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
    """Times at which each task is selected, and until when its thread may run."""

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
        """True if a thread ran only while it was selected."""
        place = bisect_right(self.starts.get(ran.task, []), ran.start) - 1
        return place >= 0 and ran.end <= self.ends[ran.task][place]


def _switches(processor: Processor, slack: Slack) -> tuple[list[str], int, int]:
    """Compare switches with decisions: what was found, the number of switches, the largest lag."""
    trace, switch_ns = processor.trace, max(SWITCH_NS, slack.lag)
    tick, handled = trace.system.resolution_ns, Handled(trace.records())
    longest = tick + switch_ns
    horizon = trace.horizon * trace.system.resolution_ns
    decided, ran = _decided(trace), _ran(processor)
    selected = _Selected(decided, longest)
    stray = next((each for each in ran if each.end - each.start > switch_ns and not selected.has(each)), None)
    if stray is not None:
        beyond = f"{stray.task} ran from {at(stray.start)} to {at(stray.end)}, not only while it was selected"
        return [named(trace) + beyond], len(ran), 0
    follower, wanted = _Follower(ran, switch_ns), _merged(decided)
    lag = 0
    for one, after in zip_longest(wanted, wanted[1:]):
        found = follower.next(one, after)
        if found is None and one.start > horizon - longest:
            break
        most = tick + handled.lag(slack, one.start // tick)
        if found is None or found.task != one.task or not 0 <= found.start - one.start <= most:
            line = f"{one.task} was selected at {at(one.start)}, but "
            line += "did not run" if found is None else f"{found.task} ran from {at(found.start)} on"
            return [named(trace) + line], len(ran), lag
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
        """Return the stretch with which a decision takes effect; None if there is none.

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
        """True if a thread ran without a decision: it continues, or is switched off at once."""
        is_short = ran.end - ran.start <= self.switch_ns
        is_other = ran.task != wanted.task and (is_short or ran.task == self.before)
        return is_other or (is_short and ran.start < wanted.start)

    @staticmethod
    def _continues(ran: _Stretch, wanted: _Stretch, after: _Stretch | None) -> bool:
        """True if a thread ran on: by its last decision, not by the next one."""
        is_before = after is None or after.task != wanted.task or ran.start < after.start
        return ran.task == wanted.task and is_before
