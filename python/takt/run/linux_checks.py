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

from takt import _core
from takt.files.trace_file import Trace
from takt.linux.board import Processor, Run
from takt.run import linux_reference
from takt.run.linux_reference import ABORTED, ONE, SEVERAL, Slack, Way, at, named
from takt.run.replay import replay

SWITCH_NS = 100_000
"""The longest time of a thread on a processor that is not selected any more: 25,000 instructions in the guest. That
thread is switched on, the timer of a release comes, another thread wakes, and that is switched on; each takes 2,000 to
5,000. Each event that is handled meanwhile may take as long as a decision waits for it."""

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
    switched = f"kernel: {checked.switches} switches to threads of tasks, all as decided, {lag} after it at most"
    return f"{switched} (bound {most} and a tick); decisions {late} after what caused them at most"


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

    def __init__(self, decided: Sequence[_Stretch]) -> None:
        self.starts: dict[str, list[int]] = {}
        self.ends: dict[str, list[int]] = {}
        for each in decided:
            starts, ends = self.starts.setdefault(each.task, []), self.ends.setdefault(each.task, [])
            if ends and each.start <= ends[-1]:
                ends[-1] = each.end
            else:
                starts.append(each.start)
                ends.append(each.end)

    def has(self, ran: _Stretch) -> bool:
        """True if a thread ran only while it was selected."""
        place = bisect_right(self.starts.get(ran.task, []), ran.start) - 1
        return place >= 0 and ran.end <= self.ends[ran.task][place]


def _switches(processor: Processor, slack: Slack) -> tuple[list[str], int, int]:
    """Compare switches with decisions: what was found, the number of switches, the largest lag."""
    trace, way, switch_ns = processor.trace, Way(processor, slack), max(SWITCH_NS, slack.lag)
    tick = trace.system.resolution_ns
    decided, tasks = _decided(trace), set(processor.threads.values())
    ran = [_Stretch(name, start, end) for start, end, name in processor.stretches()[1] if name in tasks]
    ends = (each.end + tick + way.handled.longest(each.end, switch_ns) for each in decided)
    selected = _Selected([replace(each, end=end) for each, end in zip(decided, ends, strict=True)])
    stray = (each for each in ran if not selected.has(each))
    beyond = next((each for each in stray if each.end - each.start > way.handled.moment(each.start)), None)
    if beyond is not None:
        line = f"{beyond.task} ran from {at(beyond.start)} to {at(beyond.end)}, not only while it was selected"
        return [named(trace) + line], len(ran), 0
    largest = 0
    for one in _merged(decided):
        lag, most = way.lag(one.task, one.start, one.end), way.most(one.task, one.start)
        if lag > most:
            after, is_absent = (each for each in ran if each.start >= one.start), way.is_absent(one.task, one.start)
            found = next((each for each in after if each.task == one.task or not is_absent), None)
            line = f"{one.task} was selected at {at(one.start)}, but "
            line += "did not run" if found is None else f"{found.task} ran from {at(found.start)} on"
            return [named(trace) + line], len(ran), largest
        largest = max(largest, 0 if way.is_absent(one.task, one.start) else lag)
    return [], len(ran), largest
