# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Sentences about an analysis: how many deadlines are proved, what delays the others, and whose time a response is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from takt.analysis.result import Analysis, Demand, Part, PartKind, TaskBound, Verdict
from takt.show.text_tables import Clock, width_of

MAX_PARTS = 3
"""How many parts the sentence on the worst task names."""
MAX_AUTHORS = 2
"""How many tasks the summary names."""
LEAST_SHARE = 20
"""A part of less than one of so many parts of a response is not named there."""

FEW = 2
"""Of so many tasks, or fewer, the reasons are the parts of their responses."""

_OPEN = {
    Verdict.NOT_SCHEDULABLE: "missed",
    Verdict.NOT_GUARANTEED: "open",
    Verdict.NOT_KNOWN: "not known",
}
_ADDED = (PartKind.BLOCKING, PartKind.INTERFERENCE, PartKind.KERNEL, PartKind.BUDGET)
"""Kinds of parts that others add to a response."""


# ---- the first sentences ------------------------------------------------------------------------------


def summary(analysis: Analysis, clock: Clock) -> str:
    """Return the verdict, how many deadlines are proved, and what delays the other tasks, as one sentence."""
    late = open_rows(analysis)
    count = len(analysis.tasks)
    if not late:
        what = "the deadline" if count == 1 else "both deadlines" if count == 2 else f"all {count} deadlines"
        return f"{analysis.name}: {analysis.verdict.value}, {what} proved"
    numbers = Counter(_OPEN[row.verdict] for row in late)
    proved = f"{count - len(late)} of {count} deadlines proved"
    counts = ", ".join([proved, *(f"{number} {word}" for word, number in numbers.items())])
    cause = _cause(analysis, late, clock)
    verdict = f"{'hard tasks ' * analysis.is_schedulable}{analysis.verdict.value}"
    return f"{analysis.name}: {verdict}, {counts}{'; ' * bool(cause)}{cause}"


def open_rows(analysis: Analysis) -> list[TaskBound]:
    """Return the tasks whose deadlines are not proved, those first that are latest for their deadlines."""
    rows = [row for row in analysis.tasks if row.verdict is not Verdict.SCHEDULABLE]
    return sorted(rows, key=lambda row: -_lateness(row))


def _lateness(row: TaskBound) -> Fraction:
    return Fraction(row.response or 0, max(row.deadline, 1))


def _cause(analysis: Analysis, late: Sequence[TaskBound], clock: Clock) -> str:
    """Return what delays the tasks whose deadlines are not proved, "" if no part says it."""
    if all(row.wcet > row.deadline for row in late):
        return f"the wcet of {_how_many(len(late), late)} is above the deadline"
    blocker = _blocker(late)
    if blocker:
        return f"{blocker[0]} blocks {_how_many(blocker[1], late)}"
    if analysis.demands:  # the task that blocks what is due in an interval, if that is half of it, or all
        demand = analysis.demands[0]
        interval = f"in {clock.write(demand.interval)}{_among(demand)}"
        parts = [part for part in demand.parts if part.kind is PartKind.BLOCKING and 2 * part.ticks >= demand.ticks]
        if parts:
            return f"{parts[0].name} blocks what is due {interval}"
        return f"{interval} up to {clock.write(demand.ticks)} are due"
    return _longest_delays(late) or (late[0].reason if late[0].verdict is Verdict.NOT_KNOWN else "")


def _how_many(count: int, late: Sequence[TaskBound]) -> str:
    """Return which or how many of the late tasks something delays."""
    if len(late) == 1:
        return late[0].task
    if count < len(late):
        return f"{count} of them"
    return "both" if count == 2 else "all of them"


def _among(demand: Demand) -> str:
    return f" in {demand.server}" if demand.server else ""


def _blocker(late: Sequence[TaskBound]) -> tuple[str, int] | None:
    """Return the task that blocks most of the late ones, and how many, if its blocking is decisive for one of them."""
    blocked = Counter(name for row in late for name in {part.name for part in _blocking(row)})
    decisive = {  # half of a response, or without it the deadline would be met
        part.name
        for row in late
        for part in _blocking(row)
        if 2 * part.ticks >= (row.response or 0) or part.ticks >= -(row.slack or 0) > 0
    }
    return max(
        ((name, count) for name, count in blocked.items() if name in decisive), key=lambda each: each[1], default=None
    )


def _blocking(row: TaskBound) -> list[Part]:
    return [part for part in row.parts if part.kind is PartKind.BLOCKING]


def _longest_delays(late: Sequence[TaskBound]) -> str:
    """Return which tasks add the longest parts to the late responses, "" if none does."""
    added = ([part for part in row.parts if part.kind in _ADDED and part.name] for row in late)
    longest = Counter(max(parts, key=lambda part: part.ticks).name for parts in added if parts)
    names = [name for name, _ in longest.most_common(MAX_AUTHORS)]
    if len(names) == 1:
        return f"{names[0]} delays {_how_many(longest[names[0]], late)} most"
    return f"{' and '.join(names)} delay them most" if names else ""


def worst(analysis: Analysis, clock: Clock) -> str:
    """Return a sentence on the task that is latest for its deadline, or of the least slack if all are met."""
    late = open_rows(analysis)
    if not late:
        rows = [row for row in analysis.tasks if row.slack is not None and row.parts]
        least = max(rows, key=_lateness, default=None)
        slack = "" if least is None else f"{clock.write(least.slack)} of {clock.write(least.deadline)}"
        return "" if least is None else f"Least slack: {least.task}, {slack}."
    row = late[0]
    if not row.parts and analysis.demands:
        demand = analysis.demands[0]
        due = f"Up to {clock.write(demand.ticks)} are due in {clock.write(demand.interval)}{_among(demand)}"
        longest = sorted(demand.parts, key=lambda part: -part.ticks)[:MAX_PARTS]
        return f"{due}: {', '.join(_clause(part, clock) for part in longest)}."
    if row.response is None or row.slack is None or row.slack >= 0 or (row.reason and not row.parts):
        return sentence(row.reason) if row.verdict is not Verdict.NOT_KNOWN and row.reason else ""
    verb = "is up to" if row.verdict is Verdict.NOT_SCHEDULABLE else "can be"
    parts = [part for part in row.parts if part.kind in _ADDED and part.ticks * LEAST_SHARE >= row.response]
    said = [_clause(part, clock) for part in sorted(parts, key=lambda part: -part.ticks)[:MAX_PARTS]]
    return f"{row.task} {verb} {clock.write(-row.slack)} late{': ' * bool(said)}{', '.join(said)}."


def sentence(text: str) -> str:
    """Return a text with a full stop."""
    return text if text.endswith((".", "?")) else f"{text}."


def _clause(part: Part, clock: Clock) -> str:
    """Return what a part is, as the end of a sentence."""
    ticks = clock.write(part.ticks)
    if part.kind is PartKind.KERNEL:
        return f"the kernel takes {ticks}"
    if part.kind is PartKind.BUDGET:
        return f"it waits {ticks} for budget of {part.name}"
    if part.why == "section":
        return f"{part.name} may hold {part.resource} ({ticks})"
    if part.kind is PartKind.BLOCKING:
        return f"{part.name} may just have started ({ticks}, {part.why})"
    return f"{part.name} takes {ticks}{_jobs(part, clock, ' ({})')}"


def _jobs(part: Part, clock: Clock, form: str) -> str:
    """Return of how many jobs a part consists, "" if of one or of none."""
    return form.format(f"{part.count} x {clock.write(part.each)}") if part.count > 1 else ""


# ---- reasons --------------------------------------------------------------------------------------------

Reason = tuple[str, list[str]]
"""What is said, and of which tasks or parts: of these the last ones may be counted instead."""


def reasons(analysis: Analysis, clock: Clock) -> list[Reason]:
    """Return what delays the tasks that are not proved, an author in each reason; of few tasks their parts."""
    if len([row for row in open_rows(analysis) if row.parts]) <= FEW:
        return list(by_task(analysis, clock))
    return [*_of_demands(analysis, clock), *_by_author(analysis, clock), *_without_parts(analysis)]


def by_task(analysis: Analysis, clock: Clock) -> Iterator[Reason]:
    """Yield whose time each demand that is too large, and the response of each task that is not proved, is."""
    yield from _of_demands(analysis, clock)
    for row in open_rows(analysis):
        if row.parts:
            bound = "" if row.is_tight else "<= "
            yield f"{row.task} {bound}{clock.write(row.response)}", _written(row.parts, clock)
    yield from _without_parts(analysis)


def _of_demands(analysis: Analysis, clock: Clock) -> Iterator[Reason]:
    """Yield whose jobs are due in each interval with too much to do."""
    for demand in analysis.demands:
        supplied = "" if demand.supplied == demand.interval else f", {clock.write(demand.supplied)} supplied"
        due = f"due in {clock.write(demand.interval)}{_among(demand)}"
        yield f"{clock.write(demand.ticks)} {due}{supplied}", _written(demand.parts, clock)


def _without_parts(analysis: Analysis) -> Iterator[Reason]:
    """Yield the reasons of rows without parts, each with its tasks."""
    tasks: dict[str, list[str]] = {}
    for row in open_rows(analysis):
        has_demand = any((row.server, row.domain) == (each.server, each.domain) for each in analysis.demands)
        if not row.parts and row.reason and not has_demand:
            tasks.setdefault(row.reason, []).append(row.task)
    for reason, named in tasks.items():
        yield reason, [] if len(named) == 1 and named[0] in reason else named


def _by_author(analysis: Analysis, clock: Clock) -> Iterator[Reason]:
    """Yield what each author takes, at most, and of which tasks: those that block first."""
    longest: dict[tuple[PartKind, str, str], Part] = {}
    tasks: dict[tuple[PartKind, str, str], list[str]] = {}
    for row in open_rows(analysis):
        for part in (each for each in row.parts if each.kind in _ADDED):
            author = part.kind, part.name, part.resource
            longest[author] = max(longest.get(author, part), part, key=lambda each: each.ticks)
            tasks.setdefault(author, []).append(row.task)
    for author in sorted(longest, key=lambda each: (each[0] is not PartKind.BLOCKING, -longest[each].ticks)):
        yield _reason_of(longest[author], clock), tasks[author]


def _reason_of(part: Part, clock: Clock) -> str:
    """Return what an author does, and for how long."""
    ticks = clock.write(part.ticks)
    if part.kind is PartKind.KERNEL:
        return f"the kernel takes up to {ticks}"
    if part.kind is PartKind.BUDGET:
        return f"up to {ticks} without budget of {part.name}"
    if part.why == "section":
        return f"{part.name} holds {part.resource} for {ticks}"
    if part.kind is PartKind.BLOCKING:
        return f"{part.name} blocks for {ticks} ({part.why})"
    return f"{part.name} takes up to {ticks}{_jobs(part, clock, ' ({})')}"


def _written(parts: Iterable[Part], clock: Clock) -> list[str]:
    """Return parts with their times: blocking first, then the longest."""
    ordered = sorted(parts, key=lambda part: (part.kind is not PartKind.BLOCKING, -part.ticks))
    return [part_text(part, clock) for part in ordered]


def part_text(part: Part, clock: Clock) -> str:
    """Return what a part is, whose it is, and how long."""
    ticks = clock.write(part.ticks)
    times = _jobs(part, clock, "{}") or ticks
    if part.kind is PartKind.BLOCKING:
        return f"blocked by {part.name} {ticks} ({part.resource or part.why})"
    if part.kind is PartKind.BUDGET:
        return f"waiting for budget of {part.name} {ticks}"
    if part.kind is PartKind.SUSPENSION:
        return f"suspension{' of ' * bool(part.name)}{part.name} {times}"
    if part.kind is PartKind.EXECUTION:
        return f"{part.name or 'own'} {times}"
    return f"{part.name or part.kind.value} {times}"


def in_one_line(reason: Reason, width: int | None) -> str:
    """Return a reason as text; what does not fit a width is counted.

    Args:
        reason: what is said, and of what.
        width: of the line; None: nothing is left out.
    """
    what, parts = reason
    for shown in range(len(parts), 0, -1):
        more = len(parts) - shown
        line = f"{what}: {', '.join(parts[:shown])}{f' and {more} more' if more else ''}"
        if width is None or width_of(line) <= width:
            return line
    return f"{what}: {', '.join(parts)}" if parts else what
