# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Results of runs: segments of execution and outcomes of jobs, as data frames. All times in frames are ticks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property

import polars as pl

from takt.base import forks
from takt.base.errors import InputError, Problem
from takt.model import changes
from takt.model.core_input import ResolvedChange
from takt.model.python_policy import Policy
from takt.model.system import System
from takt.run import frames, rate_answers
from takt.run.architecture import Architecture

_MAX_BUDGET_ROWS = 100_000_000


@dataclass(frozen=True)
class RunResult:
    """The results of a run up to the horizon; takt.Result describes each field."""

    system: System
    horizon: int
    decisions: int
    invocations: int
    switches: int
    overhead: int
    summary: pl.DataFrame
    architecture: Architecture | None
    policies: Mapping[str, Policy]
    _segments: pl.DataFrame | None
    _jobs: pl.DataFrame | None
    _points: pl.DataFrame | None
    _locks: pl.DataFrame | None
    _budget_changes: pl.DataFrame | None
    _kernel_segments: pl.DataFrame | None
    _rates: pl.DataFrame | None
    _windows: pl.DataFrame | None
    _ledger: pl.DataFrame | None

    def __eq__(self, other: object) -> bool:
        """Say whether system, horizon, all numbers and all frames that were kept are the same."""
        return isinstance(other, RunResult) and all(
            _is_same(getattr(self, field.name), getattr(other, field.name)) for field in fields(self)
        )

    def __hash__(self) -> int:
        """Give a number that equal results share."""
        return hash((self.horizon, self.decisions, self.invocations, self.switches, self.overhead))

    @property
    def segments(self) -> pl.DataFrame:
        """The segments of execution: start, end, cpu, server, task, job.

        Neighbours of one job are merged, idle time is not listed, the server is "" at the root.

        Raises:
            ValueError: the segments were not asked for.
        """
        return _asked_for(self._segments, "segments")

    @property
    def kernel_segments(self) -> pl.DataFrame:
        """The kernel's own work, if the platform describes where the scheduler runs: start, end, what.

        What is "RTOS", an entry of a scheduler in software, or "SWITCH", a switch to a task; those to idle are not
        listed. Empty under all other models.

        Raises:
            ValueError: the segments were not asked for.
        """
        return _asked_for(self._kernel_segments, "segments")

    @property
    def jobs(self) -> pl.DataFrame:
        """All jobs: task, job, release, finish, response, missed.

        Finished, aborted and skipped jobs in the order in which this happened, then the unfinished ones in task
        order; finish and response are null unless a job finished.

        Raises:
            ValueError: the jobs were not asked for.
        """
        return _asked_for(self._jobs, "jobs")

    @property
    def points(self) -> pl.DataFrame:
        """The points of bodies that jobs came to: instant, task, job, optional, should_yield.

        Whether a more urgent job waits is known where a non-preemptive job runs; elsewhere should_yield is false.

        Raises:
            ValueError: the points were not asked for.
        """
        return _asked_for(self._points, "points")

    @property
    def locks(self) -> pl.DataFrame:
        """The events of resources: instant, task, job, resource, what, in the order in which they happened.

        What is "lock", "wait" (the job has to wait for it), "unlock" or "deadlock" (the job waits for it in a circle
        of jobs; one row for each, the one first that closed the circle).

        Raises:
            ValueError: the locks were not asked for.
        """
        return _asked_for(self._locks, "locks")

    @property
    def rates(self) -> pl.DataFrame:
        """The events of tasks of a rate-based system: instant, task, what, rate, budget, period; else empty.

        What is "admitted" or "rejected" (its request to enter or for new parameters), "entered" (it has a rate),
        "left", "re-rated", "suspended" (it has no rate any more), "resumed", "refilled" (its job used up its budget
        and got another one and a later deadline), "overrun" (its job used up its budget and waits) or "in force" (the
        parameters that it asked for). The rate is a share of the processor; rate, budget and period are those from
        then on.

        Raises:
            ValueError: the rates were not asked for.
        """
        return _asked_for(self._rates, "rates")

    @property
    def windows(self) -> pl.DataFrame:
        """The windows of the jobs of a rate-based system: task, job, deadline, missed_requested; else empty.

        One row for each row of jobs. The deadline is the end of the job's last window, by which it may have missed;
        null if it had none. missed_requested says whether the job missed its requested deadline, its release plus the
        deadline of its task.

        Raises:
            ValueError: the jobs were not asked for.
        """
        windows = _asked_for(self._windows, "jobs")
        return windows if self.system.resolved.rates is not None else windows.clear()

    @property
    def ledger(self) -> pl.DataFrame:
        """The sum of all reservations of a rate-based system from an instant on: instant, reserved; else empty.

        Raises:
            ValueError: the rates were not asked for.
        """
        return _asked_for(self._ledger, "rates")

    @property
    def keeps_rates(self) -> bool:
        """Whether the rates were asked for."""
        return self._rates is not None

    @property
    def keeps_locks(self) -> bool:
        """Whether the locks were asked for."""
        return self._locks is not None

    @property
    def changes(self) -> pl.DataFrame:
        """The changes before the horizon: instant, task, what, detail.

        What is "removed", "added", "parameters" (detail says which, and what a rate-based root answered) or "policy"
        (detail names it, and there is no task).
        """
        return frames.changes(self.system.resolved, self.answered_changes)

    @property
    def answered_changes(self) -> list[tuple[ResolvedChange, str]]:
        """The changes before the horizon, each with what a rate-based root answered."""
        rates = self.rates if self.keeps_rates else None
        return rate_answers.answered(self.system.resolved, self.horizon, rates)

    @property
    def change_lines(self) -> list[tuple[int, str]]:
        """The changes as changes.told lists them, with the answers."""
        requested = [answer for change, answer in self.answered_changes if change.kind == "parameters"]
        return changes.told(self.system, self.horizon, requested)

    @property
    def deadlines(self) -> pl.DataFrame:
        """The absolute deadlines of all jobs: task, job, deadline, in the order of `jobs`.

        In a rate-based system, and where jobs have deadline rules, those that were given; null of a job that had no
        window.

        Raises:
            ValueError: the jobs were not asked for.
        """
        given = _asked_for(self._windows, "jobs")
        if len(given):
            return given[["task", "job", "deadline"]]
        return frames.deadlines(self.system.resolved, self.jobs)

    @property
    def budget_changes(self) -> pl.DataFrame:
        """The budgets after every decision: tick, server (its place in the file), budget, is_charged.

        Between two rows of a server, the budget decreases by 1 per tick if it is charged; else it is constant.

        Raises:
            ValueError: the budgets were not asked for.
        """
        return _asked_for(self._budget_changes, "budgets")

    @cached_property
    def budgets(self) -> pl.DataFrame:
        """The budget of every server in every tick, as the dispatcher sees it: tick and a column for each server.

        Raises:
            ValueError: the budgets were not asked for.
            InputError: the frame would be too large.
        """
        changes = self.budget_changes
        names = [server.name for server in self.system.servers]
        if self.horizon * len(names) > _MAX_BUDGET_ROWS:
            message = f"the budgets of {len(names)} servers in {self.horizon} ticks are too many; shorten the horizon"
            raise InputError([Problem(message, "out-of-range")])
        ticks = pl.DataFrame({"tick": pl.int_range(self.horizon, dtype=pl.UInt64, eager=True)})
        return ticks.with_columns(
            frames.in_every_tick(ticks, changes, number).alias(name) for number, name in enumerate(names)
        )

    @property
    def migrations(self) -> int:
        """The number of times that a preempted job resumed on another processor."""
        return int(self.summary["migrations"].sum())

    @property
    def missed(self) -> int:
        """The number of jobs that missed their deadlines."""
        return int(self.summary["missed"].sum())


def _is_same(one: object, other: object) -> bool:
    """Compare two values of a field; frames are the same if names, types and values of their columns are."""
    if isinstance(one, pl.DataFrame) or isinstance(other, pl.DataFrame):
        return isinstance(one, pl.DataFrame) and isinstance(other, pl.DataFrame) and _are_same(one, other)
    return bool(one == other)


def _are_same(one: pl.DataFrame, other: pl.DataFrame) -> bool:
    """Compare two frames."""
    return one.schema == other.schema and one.equals(other)


def _asked_for(frame: pl.DataFrame | None, name: str) -> pl.DataFrame:
    """Give a frame that the simulation was asked to keep."""
    forks.check()
    if frame is None:
        raise ValueError(f"the {name} were not kept; call takt.simulate with {name}=True")
    return frame
