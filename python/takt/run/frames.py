# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Frames of a run: core's columns as polars frames. All times are ticks.

Frames are made column by column, without a query of polars: a query starts its threads, which a process pool that forks
would lose (base/forks.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import polars as pl

from takt import _core
from takt.model.core_input import ResolvedChange, ResolvedSystem, ResolvedTask


def _series(columns: Mapping[str, _core.Column]) -> dict[str, pl.Series]:
    """Make polars' columns of core's, without a copy."""
    return {name: pl.Series(name, column) for name, column in columns.items()}


def frame(columns: Mapping[str, _core.Column]) -> pl.DataFrame:
    """Make a frame of core's columns, without a copy."""
    return pl.DataFrame(_series(columns))


def _named(names: list[str], index: pl.Series) -> pl.Series:
    """Make a column of names out of a column of indices."""
    return pl.Series(names, dtype=pl.String)[index]


def _unless_never(column: pl.Series) -> pl.Series:
    """Replace core's never by null."""
    return column.set(column == _core.NEVER, None)


def summary(resolved: ResolvedSystem, statistics: Mapping[str, _core.Column]) -> pl.DataFrame:
    """Make the frame with one row for each task."""
    tasks = resolved.tasks
    told = _series(statistics)
    if resolved.rates is None:
        told["missed_requested"] = told["missed"]
    has_none = told["finished"] == 0
    responses = {name: told[name].set(has_none, None) for name in ("response_min", "response_max", "response_sum")}
    return pl.DataFrame(
        {
            "task": pl.Series([task.name for task in tasks], dtype=pl.String),
            "server": pl.Series(resolved.server_names(), dtype=pl.String),
            "class": pl.Series([task.class_ for task in tasks], dtype=pl.String),
            "period": pl.Series([_period_of(task) for task in tasks], dtype=pl.UInt64),
            "deadline": pl.Series([task.deadline for task in tasks], dtype=pl.UInt64),
            "wcet": pl.Series([None if task.is_greedy else task.wcet for task in tasks], dtype=pl.UInt64),
            **told,
            **responses,
        }
    )


def _period_of(task: ResolvedTask) -> int | None:
    """Give the period of a task, None if it has none; that of the allocator's own task is of its budget."""
    return None if task.is_allocator else task.period or None


def segments(resolved: ResolvedSystem, columns: Mapping[str, _core.Column]) -> pl.DataFrame:
    """Make the frame of segments."""
    names, servers = resolved.runners()
    told = _series(columns)
    return pl.DataFrame(
        {
            **{name: told[name] for name in ("start", "end", "cpu")},
            "server": _named(servers, told["task"]),
            "task": _named(names, told["task"]),
            "job": told["job"],
        }
    )


_KERNEL_WORK = ["RTOS", "SWITCH"]


def kernel_segments(columns: Mapping[str, _core.Column]) -> pl.DataFrame:
    """Make the frame of the kernel's own work."""
    told = _series(columns)
    return pl.DataFrame({**told, "what": _named(_KERNEL_WORK, told["what"])})


def jobs(resolved: ResolvedSystem, columns: Mapping[str, _core.Column]) -> pl.DataFrame:
    """Make the frame of jobs.

    Args:
        resolved: the system that they are of.
        columns: as core tells them.
    """
    told = _series(columns)
    finish = _unless_never(told["finish"])
    return pl.DataFrame(
        {
            "task": _named([task.name for task in resolved.tasks], told["task"]),
            "job": told["job"],
            "release": told["release"],
            "finish": finish,
            "response": finish - told["release"],
            "missed": told["missed"].cast(pl.Boolean),
        }
    )


def points(resolved: ResolvedSystem, columns: Mapping[str, _core.Column]) -> pl.DataFrame:
    """Make the frame of points."""
    told = _series(columns)
    return pl.DataFrame(
        {
            "instant": told["instant"],
            "task": _named([task.name for task in resolved.tasks], told["task"]),
            "job": told["job"],
            **{name: told[name].cast(pl.Boolean) for name in ("optional", "should_yield")},
        }
    )


_CHANGES = {"leave": "removed", "enter": "added", "parameters": "parameters", "policy": "policy"}


def changes(resolved: ResolvedSystem, answered: Iterable[tuple[ResolvedChange, str]]) -> pl.DataFrame:
    """Make the frame of changes.

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
    """Make the frame of deadlines: those that the task has at the arrival of a job."""
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


_LOCKS = ["lock", "wait", "unlock", "deadlock"]


def locks(resolved: ResolvedSystem, columns: Mapping[str, _core.Column]) -> pl.DataFrame:
    """Make the frame of events of resources."""
    told = _series(columns)
    return pl.DataFrame(
        {
            "instant": told["instant"],
            "task": _named([task.name for task in resolved.tasks], told["task"]),
            "job": told["job"],
            "resource": _named([resource.name for resource in resolved.resources], told["resource"]),
            "what": _named(_LOCKS, told["what"]),
        }
    )


_ALLOCATIONS = [
    "admitted",
    "rejected",
    "entered",
    "left",
    "re-rated",
    "suspended",
    "resumed",
    "refilled",
    "overrun",
    "finished",
    "aborted",
    "cut",
    "in force",
]


def _in_shares(column: pl.Series) -> pl.Series:
    """Make shares of the processor of core's units."""
    return column / _core.RATE_WHOLE


def rates(resolved: ResolvedSystem, columns: Mapping[str, _core.Column]) -> pl.DataFrame:
    """Make the frame of events of rates."""
    told = _series(columns)
    return pl.DataFrame(
        {
            "instant": told["instant"],
            "task": _named([task.name for task in resolved.tasks], told["task"]),
            "what": _named(_ALLOCATIONS, told["event"]),
            "rate": _in_shares(told["rate"]),
            "budget": told["budget"],
            "period": told["period"],
        }
    )


def windows(resolved: ResolvedSystem, outcome: _core.Outcome) -> pl.DataFrame:
    """Make the frame of windows, whose rows are those of the jobs."""
    windows, jobs = _series(outcome["windows"]), _series(outcome["jobs"])
    count = len(windows["deadline"])
    return pl.DataFrame(
        {
            "task": _named([task.name for task in resolved.tasks], jobs["task"].head(count)),
            "job": jobs["job"].head(count),
            "deadline": _unless_never(windows["deadline"]),
            "missed_requested": windows["missed_requested"].cast(pl.Boolean),
        }
    )


_TRUE = pl.Series([True])


def ledger(columns: Mapping[str, _core.Column]) -> pl.DataFrame:
    """Make the frame of the ledger: one row for each change."""
    told = _series(columns)
    instant = told["instant"]
    is_last = (instant[:-1] != instant[1:]).append(_TRUE[: len(instant)])
    instant, reserved = instant.filter(is_last), told["reserved"].filter(is_last)
    is_new = _TRUE[: len(reserved)].append(reserved[1:] != reserved[:-1])
    return pl.DataFrame({"instant": instant.filter(is_new), "reserved": _in_shares(reserved.filter(is_new))})


def in_every_tick(ticks: pl.DataFrame, changes: pl.DataFrame, server: int) -> pl.Series:
    """Follow the budget of one server from decision to decision; between two it only falls, if it is charged."""
    known = changes.filter(server=server).with_columns(since=pl.col("tick")).set_sorted("tick")
    followed = ticks.set_sorted("tick").join_asof(known, on="tick", strategy="backward")
    return followed.select(pl.col("budget") - pl.col("is_charged") * (pl.col("tick") - pl.col("since"))).to_series()
