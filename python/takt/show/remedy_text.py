# SPDX-License-Identifier: Apache-2.0 OR MIT
"""What helps a system that is not schedulable: the remedies of an analysis as lines for a terminal, sentences, JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from takt.analysis.result import Analysis, Remedies, Remedy, Step, deciding
from takt.show.text_tables import Clock, shorten, wrapped

MAX_EDIT_LINES = 2
"""How many lines the edits of a step have."""
_WHAT = 40
"""Columns of what a step is, where the terminal has them."""
_TRIED = (
    ("single change", "single changes"),
    ("pair", "pairs"),
    ("chain of three", "chains of three"),
    ("chain of four", "chains of four"),
)


def lines_of(analysis: Analysis, clock: Clock, command: str, width: int = 80) -> Iterator[str]:
    """Yield the lines of what helps, none if no remedies were searched.

    Args:
        analysis: with remedies.
        clock: writes times.
        command: that analysed the file; `--apply N` is added to it.
        width: of the terminal; only a command, which is to be copied, may be longer.
    """
    remedies = analysis.remedies
    if remedies is None:
        return
    yield from ["", *wrapped(_head(remedies, clock), width)]
    number = 1
    for place, remedy in enumerate(remedies.found):
        if place > 0 and (len(remedy.steps) > 1 or len(remedies.found[place - 1].steps) > 1):
            yield "Or:"
        for at, step in enumerate(remedy.steps):
            is_last = at == len(remedy.steps) - 1
            progress = _progress(analysis, remedy, step, is_last)
            yield from _step_lines(f"{number:3}  {'+ ' * (at > 0):2}", step, progress, width)
            number += 1
    if any(edit.endswith("=") for remedy in remedies.found for step in remedy.steps for edit in step.edits):
        yield from wrapped("An edit that ends with = takes the key out of the file.", width)
    if remedies.found and command:
        text = f"Write it: {command} --apply {len(remedies.found[0].steps)} -o NEW.toml"
        yield from [text] if len(text) <= width else ["Write it:", text.removeprefix("Write it: ")]


def sentences(analysis: Analysis) -> list[str]:
    """Return what helps in sentences; of an analysis without remedies its advice."""
    if analysis.remedies is None:
        return [f"It would fit {advice.what}" for advice in analysis.advice]
    return [
        "It would fit with " + ", then ".join(_with_edits(step) for step in remedy.steps)
        for remedy in analysis.remedies.found
    ]


def as_json(analysis: Analysis) -> dict[str, Any]:
    """Return the key of remedies in the JSON of an analysis, if they were searched; times in ticks."""
    remedies = analysis.remedies
    if remedies is None:
        return {}
    numbers = iter(range(1, 1 + sum(len(remedy.steps) for remedy in remedies.found)))
    found = [
        {
            "steps": [{"number": next(numbers), **_step_as_json(step)} for step in remedy.steps],
            "edits": list(remedy.edits),
            "processors": remedy.processors,
            "others": remedy.others,
        }
        for remedy in remedies.found
    ]
    task, late = remedies.late
    nearest = {"steps": [_step_as_json(step) for step in remedies.nearest], "task": task, "late": late}
    tried = {"tried": list(remedies.tried), "limited": remedies.is_limited}
    return {"remedies": {"found": found, **tried, "nearest": None if found else nearest}}


def _step_as_json(step: Step) -> dict[str, Any]:
    return {"what": step.what, "edits": list(step.edits), "before": step.before, "after": step.after}


def _with_edits(step: Step) -> str:
    edits = " ".join(step.edits)
    return edits if step.what == edits else f"{step.what} ({edits})"


def _head(remedies: Remedies, clock: Clock) -> str:
    """Return how many changes were tried, and what came of it."""
    words = [_counted(count, what) for count, what in zip(remedies.tried, _TRIED, strict=False) if count]
    tried = " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))
    tried += " tried, up to the limit of effort" if remedies.is_limited else " tried"
    if not remedies.found:
        return f"Nothing found that helps: {tried}; {_nearest(remedies, clock)}"
    if len(remedies.found[0].steps) == 1:
        return f"What helps, each proved ({tried}):"
    return f"What helps, each step proved. No single change is enough ({tried}):"


def _counted(count: int, what: tuple[str, str]) -> str:
    return f"{count:,} {what[count != 1]}"


def _nearest(remedies: Remedies, clock: Clock) -> str:
    """Return what comes nearest to a system that fits."""
    task, late = remedies.late
    how = f"{task} has no bound" if late is None else f"{task} {clock.write(late)} late"
    if not remedies.nearest:
        return f"nothing brings it nearer: {how}"
    steps = ", ".join(map(_with_edits, remedies.nearest))
    return f"nearest: {how}, {remedies.nearest[-1].after} unproved, with {steps}"


def _progress(analysis: Analysis, remedy: Remedy, step: Step, is_last: bool) -> str:
    """Return how many deadlines are not proved before and after a step."""
    text = f"{step.before} unproved -> {step.after}"
    if not is_last:
        return text
    count = len(deciding(analysis.tasks))
    proved = "proved" if count == 1 else "both proved" if count == 2 else f"all {count} proved"
    return f"{text}, {proved}" + (f"; {_counted(remedy.others, ('other', 'others'))} unproved" if remedy.others else "")


def _step_lines(head: str, step: Step, progress: str, width: int) -> Iterator[str]:
    """Yield the lines of a step: what it is with its effect, then its edits, if these say more."""
    what = step.what
    room = width - len(head) - len(progress) - 2
    is_said = [what] == [" ".join(step.edits)] and len(what) <= room
    what = shorten(what, room)
    yield f"{head}{what:{min(room, _WHAT)}}  {progress}"
    if is_said:
        return
    lines = [""]
    for number, edit in enumerate(step.edits):
        text = shorten(edit, width - len(head))
        if lines[-1] and len(lines[-1]) + 1 + len(text) > width - len(head):
            if len(lines) == MAX_EDIT_LINES:
                lines.append(f"and {len(step.edits) - number} more")
                break
            lines.append("")
        lines[-1] += " " * bool(lines[-1]) + text
    yield from (f"{'':{len(head)}}{line}" for line in lines)
