# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Activations in a trace: what executed when, and from which event to which wait.

A job is an activation of its task, from its release to its end. A plain thread has no jobs: an activation of it begins
with the event that ends a wait, at the instant at which that event should have been, and ends with the next wait. An
entity executes from a decision to the next one, or to its own event that ends the execution.

Core replays the trace for the releases of jobs, so that a trace that does not replay has no activations.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from takt import _core
from takt.files.trace_file import Trace
from takt.run.measurement import jobs_of

_ENDS = (_core.RECORD_COMPLETE, _core.RECORD_BLOCK, _core.RECORD_SUSPEND)
"""Events of a running entity after which it does not execute."""


class Stretch(NamedTuple):
    """Execution of an entity without interruption; `job` is 0 for a plain thread."""

    start: int
    end: int
    cpu: int
    entity: int
    job: int


@dataclass(frozen=True)
class Activation:
    """One activation.

    Args:
        release: its event, nominal.
        executed: what it executed, up to the end of the trace.
        is_over: whether it has ended.
        is_start: whether it is the first one of a plain thread, which begins with its creation.
    """

    release: int
    executed: int = 0
    is_over: bool = False
    is_start: bool = False


@dataclass
class _Thread:
    """A plain thread, as of the records so far."""

    past: list[Activation] = field(default_factory=list)
    current: Activation | None = None
    is_new: bool = True

    @property
    def all(self) -> list[Activation]:
        """The activations up to now, the current one last."""
        return self.past if self.current is None else [*self.past, self.current]

    def wake(self, release: int) -> None:
        self.current = self.current or Activation(release, is_start=self.is_new)
        self.is_new = False

    def execute(self, ticks: int) -> None:
        if self.current is not None:
            self.current = replace(self.current, executed=self.current.executed + ticks)

    def wait(self) -> None:
        if self.current is not None:
            self.past.append(replace(self.current, is_over=True))
        self.current = None


def end_of(trace: Trace) -> int:
    """Return the instant up to which a trace has records."""
    return trace.horizon if trace.full_at is None else trace.full_at


def stretches_of(trace: Trace) -> Iterator[Stretch]:
    """Yield what executed on the processors of a trace, without those of a machine's domains, in the order of ends."""
    running: dict[int, Stretch] = {}
    last = 0
    for record in trace.records():
        last = record.now
        if record.kind in _ENDS:
            ended = [cpu for cpu, each in running.items() if each.entity == record.entity]
        elif record.kind == _core.RECORD_DECISION:
            before = running.get(record.cpu)
            if before is not None and (before.entity, before.job) == (record.entity, record.job):
                continue
            ended = [record.cpu] if before is not None else []
        else:
            continue
        yield from _closed(running, ended, record.now)
        if record.kind == _core.RECORD_DECISION and record.entity != _core.NO_ENTITY:
            running[record.cpu] = Stretch(record.now, record.now, record.cpu, record.entity, record.job)
    yield from _closed(running, list(running), max(last, end_of(trace)))


def _closed(running: dict[int, Stretch], cpus: list[int], now: int) -> Iterator[Stretch]:
    for cpu in cpus:
        stretch = running.pop(cpu)._replace(end=now)
        if stretch.end > stretch.start:
            yield stretch


def activations_of(trace: Trace) -> dict[int, list[Activation]]:
    """Return the activations of each task and plain thread of a trace, by their numbers; empty for one without any.

    Args:
        trace: of one processor.

    Raises:
        ValueError: the trace does not replay identically, or is of several processors.
    """
    found: dict[int, list[Activation]] = _activations_of_threads(trace)
    executed: dict[tuple[int, int], int] = defaultdict(int)
    for stretch in stretches_of(trace):
        executed[stretch.entity, stretch.job] += stretch.end - stretch.start
    numbers = {task.name: number for number, task in enumerate(trace.system.tasks, trace.system.first_task)}
    found |= {number: [] for number in numbers.values()}
    for task, job, release, finish in jobs_of(trace).select("task", "job", "release", "finish").rows():
        number = numbers[task]
        found[number].append(Activation(release, executed[number, job], is_over=finish is not None))
    return {number: sorted(each, key=lambda one: one.release) for number, each in found.items()}


def _activations_of_threads(trace: Trace) -> dict[int, list[Activation]]:
    """Return the activations of plain threads. A number that is given out again is another thread, with its start."""
    first = trace.system.first_task + len(trace.system.tasks)
    threads = {first + place: _Thread() for place in range(len(trace.system.threads))}
    stretches = iter(sorted(stretches_of(trace), key=lambda one: one.end))
    stretch = next(stretches, None)
    for record in trace.records():
        while stretch is not None and stretch.end <= record.now:
            if stretch.entity in threads:
                threads[stretch.entity].execute(stretch.end - stretch.start)
            stretch = next(stretches, None)
        thread = threads.get(record.entity)
        if thread is not None and record.kind == _core.RECORD_WAKE:
            thread.wake(min(record.value, record.now))
        elif thread is not None and record.kind == _core.RECORD_BLOCK:
            thread.wait()
        elif thread is not None and record.kind == _core.RECORD_CREATE:
            thread.is_new = True
    for one in [stretch, *stretches]:
        if one is not None and one.entity in threads:
            threads[one.entity].execute(one.end - one.start)
    return {number: each.all for number, each in threads.items()}
