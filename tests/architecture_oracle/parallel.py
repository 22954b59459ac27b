# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Co-SoRTS and HaRTS: the scheduler runs beside the processor, as software on a co-processor or as hardware.

There is no tick. Each release, deadline and completion reaches a decision L later, and the processor is interrupted
only if another task must run. A switch is two steps and costs half a sequence. With a co-processor a completion
first switches to idle, and the decision follows L after that; hardware hands over directly.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise

from .jobs import Job, Workload
from .model import SWITCH, Architecture, Segment, Task
from .record import Record

STEPS_PER_SWITCH = 2
"""Save what ran, restore what runs."""


class ParallelRun:
    """The state of one simulation of a scheduler beside the processor."""

    def __init__(self, workload: Workload, architecture: Architecture, record: Record) -> None:
        self.workload = workload
        self.hands_over = architecture.kind == "hardware"
        self.latency = architecture.decision_latency
        self.switch_cost = architecture.context_switch // 2
        self.record = record
        self.context: Task | None = None
        self.job: Job | None = None
        self.decision_after_idle: int | None = None

    def run(self) -> None:
        """Go from event to event; a switch that begins before the end is counted."""
        now = 0
        while now < self.record.duration:
            now = self.advance(now)

    def advance(self, now: int) -> int:
        """Execute up to the next decision or completion and do what follows; give when the processor is free again."""
        stop = min(self.next_decision(now), self.next_completion(now))
        self.execute(now, stop)
        if stop == self.record.duration:
            return stop
        if self.is_complete() and not self.hands_over:
            return self.switch(stop, None)
        return self.decide(stop)

    def next_decision(self, now: int) -> int:
        """Return the next decision: the one after a switch to idle, which all others await, else L after an event."""
        if self.decision_after_idle is not None:
            return min(self.decision_after_idle, self.record.duration)
        event = self.workload.next_event()
        return self.record.duration if event is None else min(max(now, event + self.latency), self.record.duration)

    def next_completion(self, now: int) -> int:
        """Return the completion of the job on the processor if nothing comes in between."""
        return self.record.duration if self.job is None else min(now + self.job.remaining, self.record.duration)

    def execute(self, now: int, stop: int) -> None:
        """Let the job on the processor execute."""
        if self.job is not None:
            self.record.ran(self.job, now, stop)
            self.workload.execute(self.job, now, stop)

    def is_complete(self) -> bool:
        """True if the job on the processor has executed all."""
        return self.job is not None and self.job.remaining == 0

    def decide(self, now: int) -> int:
        """Choose among what is known; give the end of the switch, or now if the same task, or idle, continues."""
        self.decision_after_idle = None
        self.workload.learn(now - self.latency)
        self.job = self.workload.first()
        task = None if self.job is None else self.job.task
        return now if task is self.context else self.switch(now, task)

    def switch(self, now: int, task: Task | None) -> int:
        """Switch to a task or to idle; give the end of the switch. One to idle is no segment."""
        end = now + self.switch_cost
        self.context = task
        self.record.switch_steps += STEPS_PER_SWITCH
        self.record.switch_time += self.record.within(now, end)
        if task is None:
            self.job = None
            self.decision_after_idle = end + self.latency
        else:
            self.record.occupied(now, end, SWITCH)
            self.record.dispatches += end <= self.record.duration
        return end


def split_at_releases(segments: Sequence[Segment], tasks: Sequence[Task]) -> Iterator[Segment]:
    """Cut the segments of tasks at the instants at which any task has a release."""
    end = segments[-1][1] if segments else 0
    releases = sorted({release for task in tasks for release in range(task.offset, end, task.period)})
    for start, stop, what in segments:
        inside = releases[bisect_right(releases, start) : bisect_left(releases, stop)] if what != SWITCH else []
        yield from ((first, last, what) for first, last in pairwise([start, *inside, stop]))
