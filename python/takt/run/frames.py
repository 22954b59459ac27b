# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Frames of a run: core's columns as polars frames. All times are ticks.

Frames are made column by column, without a query of polars: a query starts its threads, which a process pool that forks
would lose (base/forks.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import polars as pl

from takt import _core
from takt.base import one_line, times
from takt.base.errors import InputError, Problem
from takt.model.core_input import ResolvedChange, ResolvedSystem

FRAMES = {name: columns for name, _, _, columns in _core.frames()}
"""The columns of each frame, as sim/frames.def describes them: name, kind, unit, meaning."""
OPTIONS = {name: option for name, option, *_ in _core.frames() if option}
"""The option of a run that requests each frame."""
MEANINGS = {name: meaning for name, _, meaning, _ in _core.frames()}
"""What each frame is."""

_MAX_BUDGET_ROWS = 100_000_000


def _named(names: list[str], index: pl.Series) -> pl.Series:
    return pl.Series(names, dtype=pl.String)[index]


Statistics = dict[str, list[Any]]
"""The columns of the summary: a value for each task."""


def statistics(resolved: ResolvedSystem, counted: Mapping[str, _core.Column]) -> Statistics:
    """Return the columns of the summary; `counted` are core's."""
    tasks = resolved.tasks
    columns: Statistics = {name: column.to_list() for name, column in counted.items()}
    if resolved.rates is None:
        columns["missed_requested"] = columns["missed"]
    for name in ("response_min", "response_max", "response_sum"):
        columns[name] = [value if finished else None for value, finished in _pairs(columns, name, "finished")]
    return {
        "task": [task.name for task in tasks],
        "server": resolved.server_names(),
        "class": [task.class_ for task in tasks],
        "period": [None if task.is_allocator else task.period or None for task in tasks],  # its own is of its budget
        "deadline": [task.deadline for task in tasks],
        "wcet": [None if task.is_greedy else task.wcet for task in tasks],
        **columns,
    }


def _pairs(columns: Statistics, one: str, other: str) -> Iterator[tuple[Any, Any]]:
    return zip(columns[one], columns[other], strict=True)


def summary(columns: Statistics, jobs: pl.DataFrame | None, resolution_ns: int) -> pl.DataFrame:
    """Return the frame with one row for each task.

    Args:
        columns: what is counted.
        jobs: the frame of jobs, of which percentiles are taken; None: it was not kept.
        resolution_ns: nanoseconds of a tick.
    """
    means = [total / count if count else None for total, count in _pairs(columns, "response_sum", "finished")]
    every = columns | {"response_mean": means} | _percentiles(columns["task"], jobs)
    every["unit"] = [f"ticks of {times.exactly(resolution_ns)}"] * len(means)
    types = {name: pl.String if name in _TEXTS else pl.UInt64 for name in every} | {"response_mean": pl.Float64}
    return _beside_one_another({name: pl.Series(values, dtype=types[name]) for name, values in every.items()})


_TEXTS = ("task", "server", "class", "unit")
_PERCENTS = {"response_p50": 50, "response_p99": 99}


def _percentiles(tasks: Sequence[str], jobs: pl.DataFrame | None) -> Statistics:
    """Return the percentiles of the responses of each task; lists, because polars would start its threads."""
    responses: dict[str, list[int]] = {task: [] for task in tasks}
    if jobs is not None:
        for task, response in zip(jobs["task"].to_list(), jobs["response"].to_list(), strict=True):
            if response is not None:
                responses[task].append(response)
    ordered = [sorted(found) for found in responses.values()]
    return {name: [percentile(found, percent) for found in ordered] for name, percent in _PERCENTS.items()}


def percentile(ordered: Sequence[int], percent: int) -> int | None:
    """Return the nearest-rank percentile: the least value that is not exceeded by `percent` of 100 values, or more.

    Args:
        ordered: the values, ascending.
        percent: 1 to 100.

    Returns:
        The value with the rank ceil(percent * n / 100) of n, counted from 1; None if there is none.
    """
    return ordered[-(-percent * len(ordered) // 100) - 1] if ordered else None


class Recorded(Mapping[str, Any]):
    """The frames that a run has kept, by their names; each is made of its columns when it is first read."""

    def __init__(self, resolved: ResolvedSystem, recorded: Mapping[str, Mapping[str, _core.Column]]) -> None:
        """Keep the columns."""
        self._resolved, self._recorded = resolved, recorded
        self._made: dict[str, pl.DataFrame] = {}

    def __getitem__(self, name: str) -> pl.DataFrame:
        """Return a frame."""
        if name not in self._made:
            self._made[name] = frame(name, self._resolved, self._recorded[name])
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        """True if a frame was kept."""
        return name in self._recorded

    def __iter__(self) -> Iterator[str]:
        """Yield the names."""
        return iter(self._recorded)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._recorded)

    def __reduce__(self) -> tuple[type[dict[str, pl.DataFrame]], tuple[dict[str, pl.DataFrame]]]:
        """Return what pickle keeps: the frames."""
        return dict, (dict(self),)

    def __repr__(self) -> str:
        """Return the names of the frames."""
        return one_line.sentence(self, f"frames: {', '.join(self) or 'none'}")

    def has_word(self, name: str, column: str, word: str) -> bool:
        """True if a word stands in a column of words, without a frame being made."""
        (unit,) = (unit for each, _, unit, _ in FRAMES[name] if each == column)
        return unit.split(", ").index(word) in self._recorded[name][column]


def frame(name: str, resolved: ResolvedSystem, recorded: Mapping[str, _core.Column]) -> pl.DataFrame:
    """Return a frame of core's output.

    Args:
        name: of the frame.
        resolved: the system that it is of.
        recorded: its columns.
    """
    columns = dict[str, pl.Series]()
    for column, kind, unit, _ in FRAMES[name]:
        columns |= _column(column, kind, unit, pl.Series(column, recorded[column]), resolved)
    if name == "jobs":
        missed = columns.pop("missed")
        columns |= {"response": columns["finish"] - columns["release"], "missed": missed}
    return _beside_one_another(columns)


def _beside_one_another(columns: Mapping[str, pl.Series]) -> pl.DataFrame:
    """Return the frame of some columns: from a list, because polars reads each value of a mapping many times."""
    return pl.DataFrame([column.alias(name) for name, column in columns.items()])


def _column(column: str, kind: str, unit: str, values: pl.Series, resolved: ResolvedSystem) -> dict[str, pl.Series]:
    """Return the columns of a field, by its kind."""
    match kind:
        case "NEVER":
            values = values.set(values == _core.NEVER, None)
        case "FLAG":
            values = values.cast(pl.Boolean)
        case "SHARE":
            values = values / _core.RATE_WHOLE
        case "TASK":
            values = _named([task.name for task in resolved.tasks], values)
        case "RESOURCE":
            values = _named([resource.name for resource in resolved.resources], values)
        case "WORD":
            values = _named(unit.split(", "), values)
        case "RUNNER":
            names, servers = resolved.runners()
            return {"server": _named(servers, values), column: _named(names, values)}
    return {column: values}


_CHANGES = {"leave": "removed", "enter": "added", "parameters": "parameters", "policy": "policy"}


def change_rows(
    resolved: ResolvedSystem, answered: Iterable[tuple[ResolvedChange, str]]
) -> list[dict[str, int | str | None]]:
    """Return the rows of the frame of changes.

    Args:
        resolved: the system that they are of.
        answered: those that were made, each with what was answered.
    """
    return [
        {
            "instant": change.at,
            "task": None if change.task is None else resolved.tasks[change.task].name,
            "what": _CHANGES[change.kind],
            "detail": change.policy
            or "; ".join(filter(None, [change.text if change.kind == "parameters" else "", answer])),
        }
        for change, answer in answered
    ]


def changes(rows: Sequence[Mapping[str, int | str | None]]) -> pl.DataFrame:
    """Return the frame of changes."""
    schema = {"instant": pl.UInt64, "task": pl.String, "what": pl.String, "detail": pl.String}
    return pl.DataFrame(rows, schema=schema, orient="row")


def deadlines(resolved: ResolvedSystem, jobs: pl.DataFrame) -> pl.DataFrame:
    """Return the frame of deadlines: those that the task has at the arrival of a job."""
    tasks = resolved.tasks
    rows = [(task.name, 0, task.deadline) for task in tasks]
    rows += [
        (tasks[change.task].name, change.at, change.deadline)
        for change in resolved.changes
        if change.task is not None and change.kind == "parameters"
    ]
    schema = {"task": pl.String, "release": pl.UInt64, "relative": pl.UInt64}
    known = pl.DataFrame(rows, schema=schema, orient="row").sort("release", maintain_order=True)
    numbered = jobs.select("task", "job", "release").with_row_index("row").sort("release", maintain_order=True)
    found = numbered.join_asof(known, on="release", by="task", strategy="backward", check_sortedness=False)
    return found.sort("row").select("task", "job", deadline=pl.col("release") + pl.col("relative"))


def budgets(servers: Sequence[str], horizon: int, changes: pl.DataFrame) -> pl.DataFrame:
    """Return the frame of the budgets of servers in every tick.

    Args:
        servers: their names.
        horizon: ticks.
        changes: the frame of that name, from decision to decision.

    Raises:
        InputError: it would be too large.
    """
    if horizon * len(servers) > _MAX_BUDGET_ROWS:
        message = f"the budgets of {len(servers)} servers in {horizon} ticks are too many; shorten the horizon"
        raise InputError([Problem(message, "out-of-range")])
    ticks = pl.DataFrame({"tick": pl.int_range(horizon, dtype=pl.UInt64, eager=True)})
    followed = []
    for number, name in enumerate(servers):  # from decision to decision; between two a budget falls, if it is charged
        known = changes.filter(server=number).with_columns(since=pl.col("tick")).set_sorted("tick")
        in_force = ticks.set_sorted("tick").join_asof(known, on="tick", strategy="backward")
        budget = pl.col("budget") - pl.col("is_charged") * (pl.col("tick") - pl.col("since"))
        followed.append(in_force.select(budget).to_series().alias(name))
    return ticks.with_columns(followed)


# ---- answers of a rate-based root to requests for new parameters: SPEC.md, 10 and 12 ------------------


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
