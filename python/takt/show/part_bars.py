# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Bars of responses: of what a bound consists, beside the deadline."""

from __future__ import annotations

from dataclasses import dataclass

from takt.analysis.result import PartKind, TaskBound
from takt.show import causes_text
from takt.show.text_tables import Clock

INKS = {
    "blocking": ("#b8141f", "blocked by less urgent jobs"),
    "interference": ("#4477aa", "more urgent jobs"),
    "kernel": ("#7b8794", "kernel"),
    "budget": ("#ddaa33", "waiting for budget"),
    "own": ("#228833", "the task itself"),
    "other": ("#bbbbbb", "jitter, suspension"),
}
"""Colours of parts and what they are, in the order of legends."""

_INK_OF = {
    PartKind.BLOCKING: "blocking",
    PartKind.INTERFERENCE: "interference",
    PartKind.KERNEL: "kernel",
    PartKind.BUDGET: "budget",
    PartKind.SUSPENSION: "other",
    PartKind.JITTER: "other",
    PartKind.EARLIER: "own",
    PartKind.EXECUTION: "own",
}
"""In the order of a bar."""


@dataclass(frozen=True)
class BarPart:
    """A part of a bar.

    Args:
        ink: a key of INKS.
        width: percent of the bar.
        title: whose time it is.
    """

    ink: str
    width: float
    title: str


@dataclass(frozen=True)
class Bar:
    """The response of a task.

    Args:
        task: its name.
        text: the bound beside the deadline.
        is_late: whether it is above the deadline.
        deadline: place of the deadline, in percent of the bar.
        parts: from left to right.
    """

    task: str
    text: str
    is_late: bool
    deadline: float
    parts: tuple[BarPart, ...]


def bar_of(row: TaskBound, clock: Clock) -> Bar:
    """Return the parts of a response, in percent of the bound or the deadline; none if it has no bound."""
    parts = [part for part in row.parts if part.ticks > 0]
    due = row.deadline - sum(part.ticks for part in row.parts if part.ticks < 0)  # since the busy period began
    whole = max(sum(part.ticks for part in parts), due)
    drawn = sorted(parts, key=lambda part: list(_INK_OF).index(part.kind))
    return Bar(
        task=row.task,
        text=f"{'' if row.is_tight else '<= '}{clock.write(row.response)} of {clock.write(row.deadline)}",
        is_late=(row.slack or 0) < 0,
        deadline=100 * due / whole,
        parts=tuple(
            BarPart(_INK_OF[part.kind], 100 * part.ticks / whole, causes_text.part_text(part, clock)) for part in drawn
        ),
    )
