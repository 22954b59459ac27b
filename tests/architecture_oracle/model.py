# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What the oracle of scheduler architectures is given and what it answers: plain data, times in microseconds.

Source: the section on SoRTS, Co-SoRTS and HaRTS of the specification of the algorithms.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

Segment = tuple[int, int, str]
JobRow = tuple[str, int, int, int | None, int | None, bool]

POLICIES = ("rm", "dm", "edf", "fp")
KINDS = ("software", "coprocessor", "hardware")
TIMERS = ("rearm", "fixed")
RTOS = "RTOS"
SWITCH = "SWITCH"
COPROCESSOR_LATENCY = 20


@dataclass(frozen=True)
class Task:
    """A periodic task; its place among the tasks is its id.

    Args:
        name: unique among tasks, neither "RTOS" nor "SWITCH".
        period: distance of two releases, >= 1.
        wcet: time that each job executes, >= 1.
        deadline: relative deadline, >= 1; None means the period.
        offset: release of job 0, >= 0.
        priority: used by fp only; a larger one is more urgent.
    """

    name: str
    period: int
    wcet: int
    deadline: int | None = None
    offset: int = 0
    priority: int = 0

    @property
    def relative_deadline(self) -> int:
        """The deadline counted from the release."""
        return self.period if self.deadline is None else self.deadline


@dataclass(frozen=True)
class Architecture:
    """Where the scheduler runs and what it costs.

    Args:
        kind: "software" (SoRTS), "coprocessor" (Co-SoRTS) or "hardware" (HaRTS).
        context_switch: cost CS of a whole sequence of four switch steps, >= 0.
        interval: distance I of two ticks, >= 1; software only, and needed there.
        timer: "rearm" counts the interval from the end of the entry, "fixed" ticks at the multiples of it.
        latency: time L from an event to its decision, >= 0; None means 20 for a co-processor, else 0, which is
            all that the other two can have.
    """

    kind: str
    context_switch: int
    interval: int | None = None
    timer: str = "rearm"
    latency: int | None = None

    @property
    def decision_latency(self) -> int:
        """The time from an event to its decision."""
        if self.latency is None:
            return COPROCESSOR_LATENCY if self.kind == "coprocessor" else 0
        return self.latency


@dataclass(frozen=True)
class Outcome:
    """What happened in the instants 0 .. duration-1.

    Args:
        duration: how long it ran.
        segments: (start, end, task or "RTOS" or "SWITCH") in order of time; what is in no segment is idle time
            or a switch to idle.
        jobs: (task, job, release, start, finish, failed) by release, then by the order of tasks. Start is None
            for a job that never executed, finish for one that was dropped or is unfinished at the end.
        switch_steps: savings and restorings of contexts.
        dispatches: software: entries whose chosen task differs from the last chosen one; else: completed switches
            to a task.
        scheduler_time: time of the entries of a software scheduler, 0 for the others.
        switch_time: time of the switches of the others, those to idle too; 0 for a software scheduler.
    """

    duration: int
    segments: tuple[Segment, ...]
    jobs: tuple[JobRow, ...]
    switch_steps: int
    dispatches: int
    scheduler_time: int
    switch_time: int

    @property
    def fails(self) -> int:
        """The number of failed jobs."""
        return sum(failed for *_, failed in self.jobs)

    @property
    def avail_sched(self) -> Fraction:
        """The share of the time that the scheduler leaves to the tasks."""
        return 1 - Fraction(self.scheduler_time, self.duration)

    @property
    def avail_net(self) -> Fraction:
        """The share of the time that the scheduler and the switches leave to the tasks."""
        return self.avail_sched - Fraction(self.switch_time, self.duration)

    @property
    def max_start_jitter(self) -> int:
        """The longest time from a release to the start of its job; 0 if no job started."""
        return max((start - release for _, _, release, start, _, _ in self.jobs if start is not None), default=0)
