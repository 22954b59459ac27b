# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Messages of a scheduler at a distance, from its trace: how late they came, and what they found.

Source: docs/explanation/remote.md; core/trace.h has the records.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from takt import _core
from takt.files.trace_file import Trace


@dataclass(frozen=True)
class Remote:
    """The messages of a run with a scheduler at a distance. Times in ticks.

    Args:
        events: that the scheduler received, stale ones too.
        lateness: of the events that it received later than they were seen, by how much, in their order.
        stale: events about jobs that had ended; they changed nothing.
        dropped: decisions that were overtaken by another event, and fetched again.
        unanswered: fetches that arrived before an event that they know of, and were not answered.
        signals: that another job would be chosen.
        decisions: that were fetched.
    """

    events: int
    lateness: tuple[int, ...]
    stale: int
    dropped: int
    unanswered: int
    signals: int
    decisions: int

    @property
    def lateness_min(self) -> int | None:
        """The least lateness of an event; None if there is none."""
        return None if not self.events else 0 if self.events > len(self.lateness) else min(self.lateness)

    @property
    def lateness_avg(self) -> Fraction | None:
        """The mean lateness; events that were on time count 0."""
        return Fraction(sum(self.lateness), self.events) if self.events else None

    @property
    def lateness_max(self) -> int | None:
        """The largest lateness."""
        return max(self.lateness, default=0) if self.events else None


def remote_of(trace: Trace) -> Remote | None:
    """Count the messages of a trace; None unless it is of a scheduler at a distance."""
    if not trace.is_remote:
        return None
    kinds, lateness, events = Counter[tuple[int, int]](), list[int](), 0
    for record in trace.records():
        is_drop = record.kind == _core.RECORD_DROPPED
        kinds[record.kind, record.value if is_drop else 0] += 1
        events = record.sequence
        if record.kind == _core.RECORD_LATE:
            lateness.append(record.now - record.value)
    return Remote(
        events=events,
        lateness=tuple(lateness),
        stale=kinds[_core.RECORD_STALE, 0],
        dropped=kinds[_core.RECORD_DROPPED, 1],
        unanswered=kinds[_core.RECORD_DROPPED, 0],
        signals=kinds[_core.RECORD_SIGNAL, 0],
        decisions=kinds[_core.RECORD_DECISION, 0],
    )
