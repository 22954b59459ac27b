# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The answers of a rate-based root to requests for new parameters. Source: SPEC.md, 10 and 12."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

import polars as pl

from takt.base import times
from takt.model.core_input import ResolvedChange, ResolvedSystem

Events = list[tuple[int, str]]
"""What became of one task, in order: instants and words."""

_OUTCOMES = {
    "admitted": "admitted, and replaced by another request before it was in force",
    "left": "admitted, and the task left before it was in force",
}
"""What is next said of a task whose request never came into force."""


def answered(resolved: ResolvedSystem, horizon: int, rates: pl.DataFrame | None) -> list[tuple[ResolvedChange, str]]:
    """Return the changes before a horizon, each with its answer; "" without a request, or if rates were not kept.

    Args:
        resolved: the system.
        horizon: in ticks.
        rates: what became of rates, if that was kept.
    """
    made = [change for change in resolved.changes if change.at < horizon]
    if resolved.rates is None or rates is None:
        return [(change, "") for change in made]
    asking = {change.task for change in resolved.changes if change.kind == "parameters" and change.task is not None}
    names = {resolved.tasks[task].name for task in asking}
    events: dict[str, Events] = {name: [] for name in names}
    for instant, name, what in zip(rates["instant"], rates["task"], rates["what"], strict=True):
        if name in names:
            events[name].append((instant, what))
    by_task = {task: _answers_to(resolved, task, events[resolved.tasks[task].name]) for task in asking}
    return [
        (change, next(by_task[change.task]) if change.kind == "parameters" and change.task is not None else "")
        for change in made
    ]


def _answers_to(resolved: ResolvedSystem, task: int, events: Events) -> Iterator[str]:
    """Yield the answers to the requests for new parameters of a task, in order.

    Of what was judged at an instant the entry comes first; parameters of a task that is not there are not judged.
    """
    own = [request for request in resolved.requests() if request.task == task]
    for at, requests in groupby(own, key=lambda request: request.at):
        kinds = [request.kind for request in requests]
        judged = [place for place, event in enumerate(events) if event in ((at, "admitted"), (at, "rejected"))]
        places = judged[kinds.count("enter") :]
        for number in range(kinds.count("parameters")):
            yield _answer(resolved, events, places[number]) if places else "kept until the task enters"


def _answer(resolved: ResolvedSystem, events: Events, place: int) -> str:
    """Write the answer to a request."""
    if events[place][1] == "rejected":
        return "rejected"
    for instant, what in events[place + 1 :]:
        if what in _OUTCOMES:
            return _OUTCOMES[what]
        if what in ("in force", "entered"):
            return f"in force from {times.shortest(instant * resolved.resolution_ns)}"
    return "admitted, not in force yet"
