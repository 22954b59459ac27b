# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Replay: the proof that a platform's scheduler decided as core does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from takt import _core
from takt.base import one_line, times
from takt.base.errors import file_error, show
from takt.files import trace_file
from takt.files.trace_file import Record, Trace
from takt.model.core_input import ResolvedSystem
from takt.model.python_policy import Policy

KIND_NAMES = {
    1: "completion",
    2: "blocking",
    3: "waking",
    4: "yield",
    5: "steps",
    6: "point",
    7: "optional point",
    8: "suspension",
    9: "arrival",
    10: "lock",
    11: "unlock",
    12: "entry",
    13: "departure",
    14: "change",
    15: "choice",
    17: "abort",
    18: "skip",
    19: "grant",
    20: "refusal",
    21: "unlocking",
    22: "deadlock",
    23: "allocation",
    25: "withdrawal",
    26: "change of priority",
    28: "creation",
    29: "lateness",
    30: "stale event",
    32: "signal",
    33: "release",
    34: "replenishment",
    35: "exhaustion",
}
"""Names of the kinds of records, without those of decisions."""


@dataclass(frozen=True)
class Difference:
    """The first record at which a replay differs from what was recorded.

    Args:
        record: its number in the file, counted from 0.
        recorded: as the file has it.
        replayed: as core does it.
        text: both for people, on one line.
    """

    record: int
    recorded: Record
    replayed: Record
    text: str

    __repr__ = one_line.of_fields


@dataclass(frozen=True)
class Replay:
    """The result of a replay.

    Args:
        trace: what was replayed.
        decisions: how many were compared.
        difference: the first one, None if all are identical.
    """

    trace: Trace
    decisions: int
    difference: Difference | None

    def __repr__(self) -> str:
        """Return whether it is identical, in one line."""
        return one_line.sentence(self, f"of {show(self.trace.path)}: {self.text}")

    @property
    def is_identical(self) -> bool:
        """True if core decided everything as recorded."""
        return self.difference is None

    @property
    def text(self) -> str:
        """Result for people, on one line."""
        found = f"identical: {self.decisions} decisions" if self.difference is None else self.difference.text
        if self.trace.full_at is None:
            return found
        until = _instant(self.trace.full_at, self.trace.system)
        return f"{found}; the trace is incomplete: its memory was full after {len(self.trace)} records, at {until}"


def replay(path: str | Path, policies: Sequence[Policy] = ()) -> Replay:
    """Replay a trace file through core and compare every decision, bit for bit.

    Args:
        path: a trace file, whatever platform recorded it.
        policies: the policies in Python that were used when it was recorded.

    Returns:
        Whether all is identical, or the first difference.

    Raises:
        InputError: the file is no trace, is damaged or incomplete, or holds a record that no scheduler can have
            recorded.
    """
    trace = trace_file.read(path, policies)
    decisions, differences = 0, []
    for part in trace.domains or (trace,):
        verdict, compared, number, *rows = _core.replay(part.program(), part.data)
        decisions += compared
        if verdict == "identical":
            continue
        recorded, replayed = (Record(*row) for row in rows)
        place = part.rows[number] if part.rows else number
        instant = _instant(recorded.now, part.system)
        if verdict == "invalid":
            message = f"damaged trace: record {place}, at {instant}, cannot have been recorded in this order"
            raise file_error(path, message, "damaged")
        where = f" of processor {', '.join(map(str, part.processors))}" if part.rows else ""
        text = (
            f"different at record {place}{where}, instant {instant}: "
            f"recorded {_describe(recorded, part.system)}, replayed {_describe(replayed, part.system)}"
        )
        differences.append(Difference(place, recorded, replayed, text))
    return Replay(trace, decisions, min(differences, key=lambda difference: difference.record, default=None))


def _instant(ticks: int, system: ResolvedSystem) -> str:
    """Write an instant in ticks and in a unit."""
    if ticks == _core.NEVER:
        return "never"
    return f"{ticks} ({times.shortest(ticks * system.resolution_ns)})"


def _describe(record: Record, system: ResolvedSystem) -> str:
    """Describe a record in a part of a line."""
    names, is_task = system.entity_names(), 0 <= record.entity - system.first_task < len(system.tasks)
    name = names[record.entity] if record.entity < len(names) else f"entity {record.entity}"
    name = "idle" if record.entity == _core.NO_ENTITY else f"{name}#{record.job}" if is_task else name
    if record.kind == _core.RECORD_DECISION:
        where = "" if system.cpus == 1 else f" on processor {record.cpu}"
        until = f" until {_instant(record.value, system)}" if record.value else ""
        return f"{name}{where}{until}"
    if record.kind == _core.RECORD_SETTLED:
        return f"nothing more until {_instant(record.value, system)}"
    if record.kind == _core.RECORD_DROPPED:
        return "a dropped decision"
    if record.kind == _core.RECORD_CHANGE and record.entity == _core.NO_ENTITY:
        name = "the policy"
    return f"{KIND_NAMES.get(record.kind, 'nothing')} of {name}"
