# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What a run notes while it happens; what would lie beyond the end is cut off."""

from __future__ import annotations

from .jobs import Job
from .model import Segment


class Record:
    """Segments and counts of one run."""

    def __init__(self, duration: int) -> None:
        self.duration = duration
        self.segments: list[Segment] = []
        self.last_job: Job | None = None
        self.switch_steps = 0
        self.dispatches = 0
        self.scheduler_time = 0
        self.switch_time = 0

    def ran(self, job: Job, start: int, stop: int) -> None:
        """Note that a job executed; it lengthens the last segment if that is of the same job and ends at the start."""
        if start == stop:
            return
        joins_last = job is self.last_job and self.segments[-1][1] == start
        begin = self.segments.pop()[0] if joins_last else start
        self.segments.append((begin, stop, job.task.name))
        self.last_job = job

    def occupied(self, start: int, end: int, what: str) -> None:
        """Note a segment of the scheduler or of a switch, unless it is empty."""
        if self.within(start, end):
            self.segments.append((start, min(end, self.duration), what))
            self.last_job = None

    def within(self, start: int, end: int) -> int:
        """Return how much of a span lies before the end of the run."""
        return max(0, min(end, self.duration) - start)
