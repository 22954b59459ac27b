# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Round robin in Python: each job executes for a quantum, then it stands behind the others.

Run it on any task set: takt run examples/smallest.toml --policy examples/round_robin.py:RoundRobin
"""

from collections.abc import Sequence

import takt


class RoundRobin(takt.DynamicPolicy):
    """A job's key is its place in the queue; the one whose quantum is used up gets a new place."""

    tick, quantum = 1, 2

    def __init__(self) -> None:
        """Begin with an empty queue: last place, and place and what remained then of each task's job."""
        self.last, self.turns = 0, dict[tuple[str, int], tuple[int, int]]()

    def keys(self, now: int, jobs: Sequence[takt.Job], processors: int) -> list[int]:
        """New jobs, and those that have executed for a quantum, go to the end."""
        for job in sorted(jobs, key=lambda job: job.is_running):
            name = (job.task, job.number)
            if name not in self.turns or self.turns[name][1] - job.remaining >= self.quantum:
                self.last += 1
                self.turns[name] = (self.last, job.remaining)
        return [self.turns[job.task, job.number][0] for job in jobs]
