# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Results of runs: segments of execution and outcomes of jobs, as data frames. All times in frames are ticks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Self, overload

import polars as pl

from takt.base import forks, one_line, times, views
from takt.base.errors import show
from takt.model import changes
from takt.model.core_input import ResolvedChange
from takt.model.python_policy import Policy, name_of
from takt.model.system import System
from takt.run import frames
from takt.run.architecture import Architecture


class Kept:
    """A frame that a run keeps on request; reading it raises ValueError if it was not requested."""

    def __init__(self, frame: str = "") -> None:
        """Record the name of the frame, if it is not that of the attribute."""
        self._frame = frame

    def __set_name__(self, owner: type, name: str) -> None:
        """Record the name of the attribute, and add the frame's description."""
        self._frame = self._frame or name
        columns = [f"    {column}: {meaning}." for column, _, _, meaning in frames.FRAMES[self._frame]]
        self.__doc__ = "\n".join([f"Frame: {frames.MEANINGS[self._frame]}.", "", "Columns:", *columns])

    @overload
    def __get__(self, result: None, owner: type) -> Self: ...
    @overload
    def __get__(self, result: RunResult, owner: type) -> pl.DataFrame: ...
    def __get__(self, result: RunResult | None, owner: type) -> Self | pl.DataFrame:
        """Return the frame."""
        return self if result is None else result.kept(self._frame)


@dataclass(frozen=True)
class EdgeCount:
    """Events of an edge in a run.

    Args:
        source: the task that sends them.
        target: the task that they release.
        lost: how many found too many others that waited, or no task.
    """

    source: str
    target: str
    lost: int

    __repr__ = one_line.of_fields


@dataclass(frozen=True)
class RunResult:
    """The results of a run up to the horizon; takt.Result describes each field."""

    system: System
    horizon: int
    decisions: int
    invocations: int
    switches: int
    overhead: int
    statistics: frames.Statistics
    architecture: Architecture | None
    policies: Mapping[str, Policy]
    frames: Mapping[str, pl.DataFrame]
    first_late: int | None = field(default=None, compare=False)
    edges: tuple[EdgeCount, ...] = ()

    segments = Kept()
    kernel_segments = Kept()
    jobs = Kept()
    points = Kept()
    locks = Kept()
    rates = Kept()
    ledger = Kept()
    budget_changes = Kept("budgets")

    def __repr__(self) -> str:
        """Return how many jobs were late, of what system, and by when the first one was due."""
        jobs, requested = sum(self.statistics["released"]), sum(self.statistics["missed_requested"])
        facts = f"{self.missed:,} of {jobs:,} jobs late in {self._written(self.horizon)}"
        facts += f", the first due at {self._written(self.first_late)}" if self.first_late is not None else ""
        facts += f", {requested:,} later than requested" if requested != self.missed else ""
        of = f"{show(self.system.name)}, policy {name_of(self.system.policy)}"
        return one_line.sentence(self, f"of {of}: {facts}")

    def _repr_html_(self) -> str | None:
        """Return the result as a notebook shows it."""
        return views.html_of(self)

    def _written(self, ticks: int) -> str:
        return times.for_readers(ticks * self.system.resolution_ns)

    @cached_property
    def summary(self) -> pl.DataFrame:
        """The frame with one row for each task: what it is, and what became of its jobs.

        Times are ticks, whose length `unit` has. response_p50 and response_p99 are nearest-rank percentiles of the
        responses of finished jobs: with n of them, in ascending order, those at the places ceil(0.50 n) and
        ceil(0.99 n), counted from 1; null if none finished, or the jobs were not kept.
        """
        return frames.summary(self.statistics, self.frames.get("jobs"), self.system.resolution_ns)

    def __eq__(self, other: object) -> bool:
        """True if system, horizon, all numbers and all frames that were kept are the same."""
        return isinstance(other, RunResult) and all(
            _is_same(getattr(self, each.name), getattr(other, each.name)) for each in fields(self) if each.compare
        )

    def kept(self, name: str) -> pl.DataFrame:
        """Return a frame by its name in sim/frames.def.

        Raises:
            ValueError: it was not requested.
        """
        forks.check()
        if name not in self.frames:
            option = frames.OPTIONS[name]
            raise ValueError(f"the {option} were not kept; call takt.simulate with {option}=True")
        return self.frames[name]

    @property
    def windows(self) -> pl.DataFrame:
        """The windows of the jobs of a rate-based system: task, job, deadline, missed_requested; else empty.

        One row for each row of jobs. The deadline is the end of the job's last window, by which it may have missed;
        null if it had none. missed_requested says whether the job missed its requested deadline, its release plus the
        deadline of its task.

        Raises:
            ValueError: the jobs were not requested.
        """
        windows = self.kept("windows")
        return windows if self.system.resolved.rates is not None else windows.clear()

    def __hash__(self) -> int:
        """Return a number that equal results share."""
        return hash((self.horizon, self.decisions, self.invocations, self.switches, self.overhead))

    @property
    def keeps_rates(self) -> bool:
        """True if rates were requested."""
        return "rates" in self.frames

    @property
    def keeps_locks(self) -> bool:
        """True if locks were requested."""
        return "locks" in self.frames

    @property
    def changes(self) -> pl.DataFrame:
        """The changes before the horizon: instant, task, what, detail.

        What is "removed", "added", "parameters" (detail says which, and what a rate-based root answered) or "policy"
        (detail names it, and there is no task).
        """
        return frames.changes(self.change_rows)

    @property
    def change_rows(self) -> list[dict[str, int | str | None]]:
        """The rows of changes."""
        return frames.change_rows(self.system.resolved, self.answered_changes)

    @property
    def answered_changes(self) -> list[tuple[ResolvedChange, str]]:
        """The changes before the horizon, each with what a rate-based root answered."""
        rates = self.rates if self.keeps_rates and self.system.resolved.rates is not None else None
        return frames.answered(self.system.resolved, self.horizon, rates)

    @property
    def change_lines(self) -> list[tuple[int, str]]:
        """The changes in the order of changes.described, with the answers."""
        requested = [answer for change, answer in self.answered_changes if change.kind == "parameters"]
        return changes.described(self.system.tables, self.horizon, requested)

    @property
    def deadlines(self) -> pl.DataFrame:
        """The absolute deadlines of all jobs: task, job, deadline, in the order of `jobs`.

        In a rate-based system, and where jobs have deadline rules, those that were given; null of a job that had no
        window.

        Raises:
            ValueError: the jobs were not requested.
        """
        given = self.kept("windows")
        if len(given):
            return given[["task", "job", "deadline"]]
        return frames.deadlines(self.system.resolved, self.jobs)

    @cached_property
    def budgets(self) -> pl.DataFrame:
        """The budget of every server in every tick, as the dispatcher sees it: tick and a column for each server.

        Raises:
            ValueError: the budgets were not requested.
            InputError: the frame would be too large.
        """
        return frames.budgets([server.name for server in self.system.servers], self.horizon, self.budget_changes)

    @property
    def migrations(self) -> int:
        """The number of times that a preempted job resumed on another processor."""
        return sum(self.statistics["migrations"])

    @property
    def missed(self) -> int:
        """The number of jobs that missed their deadlines."""
        return sum(self.statistics["missed"])


def _is_same(one: object, other: object) -> bool:
    """Compare two values of a field; frames are the same if names, types and values of their columns are."""
    if isinstance(one, pl.DataFrame) and isinstance(other, pl.DataFrame):
        return one.schema == other.schema and one.equals(other)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_is_same(value, other[key]) for key, value in one.items())
    return bool(one == other)
