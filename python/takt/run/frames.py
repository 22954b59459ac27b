# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Frames of a run: core's columns as polars frames. All times are ticks.

Frames are made column by column, without a query of polars: a query starts its threads, which a process pool that forks
would lose (base/forks.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import polars as pl

from takt import _core
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


def summary(resolved: ResolvedSystem, statistics: Mapping[str, _core.Column]) -> pl.DataFrame:
    """Return the frame with one row for each task."""
    tasks = resolved.tasks
    periods = [None if task.is_allocator else task.period or None for task in tasks]  # its own is of its budget
    series = {name: pl.Series(name, column) for name, column in statistics.items()}
    if resolved.rates is None:
        series["missed_requested"] = series["missed"]
    has_none = series["finished"] == 0
    responses = {name: series[name].set(has_none, None) for name in ("response_min", "response_max", "response_sum")}
    return _beside_one_another(
        {
            "task": pl.Series([task.name for task in tasks], dtype=pl.String),
            "server": pl.Series(resolved.server_names(), dtype=pl.String),
            "class": pl.Series([task.class_ for task in tasks], dtype=pl.String),
            "period": pl.Series(periods, dtype=pl.UInt64),
            "deadline": pl.Series([task.deadline for task in tasks], dtype=pl.UInt64),
            "wcet": pl.Series([None if task.is_greedy else task.wcet for task in tasks], dtype=pl.UInt64),
            **series,
            **responses,
        }
    )


class Recorded(Mapping[str, pl.DataFrame]):
    """The frames of core's output, each made when it is read: most runs are asked for few of them."""

    def __init__(self, resolved: ResolvedSystem, recorded: Mapping[str, Mapping[str, _core.Column]]) -> None:
        """Record what they are made of: the system that they are of, and the columns of each by its name."""
        self._resolved = resolved
        self._recorded = recorded
        self._made = dict[str, pl.DataFrame]()

    def __getitem__(self, name: str) -> pl.DataFrame:
        """Return a frame.

        Raises:
            KeyError: it was not recorded.
        """
        if name not in self._made:
            self._made[name] = frame(name, self._resolved, self._recorded[name])
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        """Yield the names."""
        return iter(self._recorded)

    def __len__(self) -> int:
        """Return the number of frames."""
        return len(self._recorded)

    def __reduce__(self) -> tuple[type[dict[str, pl.DataFrame]], tuple[dict[str, pl.DataFrame]]]:
        """Let copies, in other processes too, have the frames: core's columns stay in this one."""
        return dict, (dict(self),)


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
    """Return the frame of some columns: from a list, because polars looks at each value of a mapping many times."""
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


def changes(resolved: ResolvedSystem, answered: Iterable[tuple[ResolvedChange, str]]) -> pl.DataFrame:
    """Return the frame of changes.

    Args:
        resolved: the system that they are of.
        answered: those that were made, each with what was answered.
    """
    tasks = resolved.tasks
    rows = [
        (
            change.at,
            None if change.task is None else tasks[change.task].name,
            _CHANGES[change.kind],
            change.policy or "; ".join(filter(None, [change.text if change.kind == "parameters" else "", answer])),
        )
        for change, answer in answered
    ]
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
