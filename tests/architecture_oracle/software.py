# SPDX-License-Identifier: Apache-2.0 OR MIT
"""SoRTS: the scheduler is software on the processor of the tasks.

It is entered at each tick of a timer and at each completion. An entry costs CS and four switch steps, even when the
same task, or the idle context, continues. Releases and deadlines are seen inside an entry only.
"""

from __future__ import annotations

from collections.abc import Callable

from .jobs import Job, Workload
from .model import RTOS, Architecture, Task
from .record import Record

STEPS_PER_ENTRY = 4
"""Save the task, restore the scheduler, save the scheduler, restore the next task."""
NEXT_TICK: dict[str, Callable[[int, int, int], int]] = {
    "rearm": lambda now, end, interval: end + interval,
    "fixed": lambda now, end, interval: (now // interval + 1) * interval,
}
"""The next tick after an entry from now to end that handles a tick."""


class SoftwareRun:
    """The state of one simulation of a software scheduler."""

    def __init__(self, workload: Workload, architecture: Architecture, record: Record) -> None:
        self.workload = workload
        self.architecture = architecture
        self.record = record
        self.next_tick = 0
        self.chosen: Job | None = None
        self.last_task: Task | None = None

    def run(self) -> None:
        """Alternate between scheduler and tasks; an entry that begins before the end is counted."""
        now = 0
        while now < self.record.duration:
            now = self.execute(self.enter(now))

    def enter(self, now: int) -> int:
        """Execute an entry of the scheduler, and return its end."""
        end = now + self.architecture.context_switch
        self.workload.learn(now)
        self.chosen = self.workload.first()
        self.count_dispatch()
        self.record.switch_steps += STEPS_PER_ENTRY
        self.record.scheduler_time += self.record.within(now, end)
        self.record.occupied(now, end, RTOS)
        # A tick and a completion at one instant are one entry, and a completion alone leaves the timer as it is.
        if self.next_tick <= now:
            self.next_tick = NEXT_TICK[self.architecture.timer](now, end, self.architecture.interval or 0)
        return end

    def count_dispatch(self) -> None:
        """Count an entry that chose another task than the last that was chosen; idle is no choice."""
        if self.chosen is not None and self.chosen.task is not self.last_task:
            self.last_task = self.chosen.task
            self.record.dispatches += 1

    def execute(self, now: int) -> int:
        """Execute the selected job; return the next entry: the tick, at once if pending, or the completion."""
        tick = max(now, self.next_tick)
        if self.chosen is None:
            return tick
        stop = min(tick, now + self.chosen.remaining)
        before_end = max(now, min(stop, self.record.duration))
        self.record.ran(self.chosen, now, before_end)
        self.workload.execute(self.chosen, now, before_end)
        return stop
