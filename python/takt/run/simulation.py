"""Simulation of a system, and what comes out of it as data frames.

The simulator is C (sim/sim.h); this module hands it a system and turns its columns into frames. All times in
frames are ticks.

Frames are made column by column, without a query of polars: a query starts its threads, which a process pool that forks
would lose (base/forks.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from takt import _core
from takt.base import forks
from takt.base.errors import InputError, Problem
from takt.files import trace_file
from takt.model import image as images
from takt.model.core_input import ResolvedSystem, ResolvedTask
from takt.model.horizon import horizon_ticks
from takt.model.python_policy import Policy
from takt.model.system import System
from takt.run import rate_answers

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MAX_BUDGET_ROWS = 100_000_000


@dataclass(frozen=True)
class Architecture:
    """What it cost to have the scheduler where it is: in software, on a co-processor or in hardware.

    Args:
        switch_steps: savings and restorings of contexts.
        dispatches: in software, entries of the scheduler that chose another task than was chosen last; else completed
            switches to a task.
        fails: jobs that were late, dropped at their deadlines, or released while the job before was pending.
        scheduler_time: ticks that the scheduler took from the processor of the tasks.
        switch_time: ticks of switches that are not part of that.
        avail_sched: the share of the time that the scheduler leaves to the tasks.
        avail_net: the share that the scheduler and the switches leave to them.
        max_start_jitter: the longest time from a release to the first tick of its job, 0 if no job started.
    """

    switch_steps: int
    dispatches: int
    fails: int
    scheduler_time: int
    switch_time: int
    avail_sched: Fraction
    avail_net: Fraction
    max_start_jitter: int


@dataclass(frozen=True)
class Result:
    """What happened before the horizon.

    Args:
        system: what ran.
        horizon: ticks 0 .. horizon-1 ran.
        decisions: how many decisions the scheduler made.
        invocations: how often the scheduler was called; a tick alone does not call it.
        switches: how often the job of another task ran than the one that ran last.
        overhead: ticks that the kernel's own work took.
        summary: one row for each task: task, server, class, period (null if it has none), deadline, wcet,
            released, finished, missed, missed_requested, aborted, skipped, overruns, cut, optional_executed,
            optional_wanted, preemptions, migrations, allocator_calls, feedback_calls, response_min, response_max,
            response_sum, busy. The responses
            are those of finished jobs, null if there is none. A job is missed if it finished late, was aborted or
            skipped, or is unfinished with a deadline at or before the horizon; one that was cut had all that had to
            be done. An overrun is a finished job that executed for longer than the wcet. Optional parts are those of
            ended jobs, in ticks. Calls are those of an allocator for windows of the task; feedback calls of these were
            made because a job had used up its budget. The last row is that of the allocator's own task, if there is
            one. In a rate-based system missed counts by the deadlines that it gave, missed_requested
            by those that were asked for; elsewhere they are the same.
        architecture: what the scheduler cost where the platform says that it runs in software, on a co-processor or
            in hardware; else None. There, switches are dispatches, and a job is missed if the scheduler noticed.
        policies: the policies in Python with the state that the run left, by the names of their servers; "" is the
            root. The instances that the system was made with are as they were.
    """

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
        return isinstance(other, Result) and all(
            _is_same(getattr(self, field.name), getattr(other, field.name)) for field in fields(self)
        )

    def __hash__(self) -> int:
        """Give a number that equal results share."""
        return hash((self.horizon, self.decisions, self.invocations, self.switches, self.overhead))

    @property
    def segments(self) -> pl.DataFrame:
        """Who ran when: start, end, cpu, server, task, job.

        Neighbours of one job are merged, idle time is not listed, the server is "" at the root.

        Raises:
            ValueError: the segments were not asked for.
        """
        return _asked_for(self._segments, "segments")

    @property
    def kernel_segments(self) -> pl.DataFrame:
        """The kernel's own work where the platform says where the scheduler runs: start, end, what.

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
        """What became of resources: instant, task, job, resource, what, in the order in which it happened.

        What is "lock", "wait" (the job has to wait for it), "unlock" or "deadlock" (the job waits for it in a circle
        of jobs; one row for each, the one first that closed the circle).

        Raises:
            ValueError: the locks were not asked for.
        """
        return _asked_for(self._locks, "locks")

    @property
    def rates(self) -> pl.DataFrame:
        """What became of the tasks of a rate-based system: instant, task, what, rate, budget, period; else empty.

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
        null if it had none. Whether it missed the deadline that was asked for, its release and the deadline of its
        task, stands beside it.

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
        """What became different before the horizon: instant, task, what, detail.

        What is "removed", "added", "parameters" (detail says which, and what a rate-based root answered) or "policy"
        (detail names it, and there is no task).
        """
        return _changes(self)

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
        return _deadlines(self.system.resolved, self.jobs)

    @property
    def budget_changes(self) -> pl.DataFrame:
        """The budgets after every decision: tick, server (its place in the file), budget, is_charged.

        From a row to the next one of a server, the budget falls by 1 per tick if it is charged, and else stays.

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
            _in_every_tick(ticks, changes, number).alias(name) for number, name in enumerate(names)
        )

    @property
    def migrations(self) -> int:
        """How often a displaced job went on on another processor."""
        return int(self.summary["migrations"].sum())

    @property
    def missed(self) -> int:
        """How many jobs missed their deadlines."""
        return int(self.summary["missed"].sum())

    def to_html(self, path: str | Path) -> None:
        """Write a page that opens offline: Gantt chart, responses, summary, task set.

        Raises:
            InputError: the file cannot be written.
            ValueError: segments, jobs, points, or the budgets or locks that there are, were not kept.
        """
        from takt.show import run_page

        run_page.write([self], path)

    def gantt(
        self, path: str | Path | None = None, *, start: int | str | None = None, end: int | str | None = None
    ) -> Figure:
        """Draw a Gantt chart for print; see takt.show.gantt.draw."""
        from takt.show import gantt

        return gantt.draw(self, path, start=start, end=end)

    def to_perfetto(self, path: str | Path) -> None:
        """Write the run in the format of ui.perfetto.dev.

        Raises:
            InputError: the file cannot be written.
            ValueError: segments, jobs, points, or the budgets or locks that there are, were not kept.
        """
        from takt.show import perfetto

        perfetto.write(self, path)


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


def simulate(
    system: System,
    horizon: int | str | None = None,
    *,
    segments: bool = True,
    jobs: bool = True,
    budgets: bool = True,
    points: bool = True,
    locks: bool = True,
    rates: bool = True,
    trace: str | Path | None = None,
    progress: Callable[[int], None] | None = None,
) -> Result:
    """Simulate a system. Unless its platform says otherwise, nothing but the jobs takes time.

    Args:
        system: what to run.
        horizon: how long, in ticks or with a unit. Default: the system's; without one, the largest offset plus
            one hyperperiod, the time after which the pattern of releases repeats.
        segments: whether to keep who ran when, the kernel included. A run that keeps nothing needs no memory that
            grows with the horizon.
        jobs: whether to keep all jobs.
        budgets: whether to keep the budgets of servers.
        points: whether to keep the points that jobs came to.
        locks: whether to keep what became of resources.
        rates: whether to keep what became of the tasks of a rate-based system.
        progress: called now and then with the instant that the run has come to.
        trace: a file to record inputs and decisions in, for takt.replay.

    Returns:
        What happened.

    Raises:
        InputError: the horizon is not right, or the trace file cannot be written.
        ForkError: the process was forked after polars had started its threads; see takt.base.forks.

    Example:
        A(T=5, C=2) and B(T=7, C=4) have U = 0.97. Under EDF, B's first job keeps the processor when A is
        released again at 5, because its deadline 7 comes before 10; under rate-monotonic priorities A
        preempts it, and B misses.

        >>> import takt
        >>> system = takt.System(
        ...     tasks=[
        ...         takt.Task(name="A", period=5, wcet=2, priority=2),
        ...         takt.Task(name="B", period=7, wcet=4, priority=1),
        ...     ]
        ... )
        >>> edf = takt.simulate(system.replace(policy="edf"), horizon=12)
        >>> edf.segments.select("start", "end", "task", "job").rows()
        [(0, 2, 'A', 0), (2, 6, 'B', 0), (6, 8, 'A', 1), (8, 12, 'B', 1)]
        >>> fp = takt.simulate(system, horizon=12)
        >>> fp.jobs.filter(missed=True).rows()
        [('B', 0, 0, 8, 8, True)]
    """
    forks.check()
    ticks = horizon_ticks(system, horizon)
    copies: dict[int, Any] = {}
    image = images.pack(system.resolved, ticks)
    program = images.program(system.resolved, image, copies)
    with nullcontext() if trace is None else _recorded(trace, system, image) as trace_path:
        outcome = _core.simulate(
            program,
            segments=segments,
            jobs=jobs,
            budgets=budgets and bool(system.servers),
            points=points,
            locks=locks,
            rates=rates,
            trace_path=trace_path,
            progress=progress if progress is not None or trace is None else _let_signals_in,
        )
    summary = _summary(system.resolved, outcome["statistics"])
    return Result(
        system=system,
        horizon=ticks,
        decisions=outcome["decisions"],
        invocations=outcome["invocations"],
        switches=outcome["switches"],
        overhead=outcome["overhead"],
        summary=summary,
        architecture=_architecture(system.resolved, outcome["figures"], int(summary["missed"].sum()), ticks),
        policies=_policies(system.resolved, copies),
        _segments=_segments(system.resolved, outcome["segments"]) if segments else None,
        _jobs=jobs_frame(system.resolved, outcome["jobs"]) if jobs else None,
        _points=_points(system.resolved, outcome["points"]) if points else None,
        _locks=_locks(system.resolved, outcome["locks"]) if locks else None,
        _budget_changes=_frame(outcome["budgets"]) if budgets else None,
        _kernel_segments=_kernel_segments(outcome["kernel_segments"]) if segments else None,
        _rates=_rates(system.resolved, outcome["rates"]) if rates else None,
        _windows=_windows(system.resolved, outcome) if jobs else None,
        _ledger=_ledger(outcome["ledger"]) if rates else None,
    )


def _policies(resolved: ResolvedSystem, copies: Mapping[int, Any]) -> dict[str, Policy]:
    """Find the copies of the policies in Python that a run has asked."""
    places = {"": resolved.policy} | {server.name: server.policy for server in resolved.servers}
    return {name: copies.get(id(policy), policy) for name, policy in places.items() if isinstance(policy, Policy)}


def _recorded(trace: str | Path, system: System, image: bytes) -> AbstractContextManager[str]:
    """Give the name of a file to append the records of a simulation to; at the end it becomes `trace`."""
    return trace_file.started(trace, system.resolved, image, trace_file.SIMULATOR)


def _let_signals_in(now: int) -> None:
    """Do nothing; the interpreter handles signals meanwhile, so that one that ends the process removes the trace."""


# ---- frames -----------------------------------------------------------------------------------------


def _series(columns: Mapping[str, _core.Column]) -> dict[str, pl.Series]:
    """Make polars' columns of core's, without a copy."""
    return {name: pl.Series(name, column) for name, column in columns.items()}


def _frame(columns: Mapping[str, _core.Column]) -> pl.DataFrame:
    """Make a frame of core's columns, without a copy."""
    return pl.DataFrame(_series(columns))


def _named(names: list[str], index: pl.Series) -> pl.Series:
    """Make a column of names out of a column of indices."""
    return pl.Series(names, dtype=pl.String)[index]


def _unless_never(column: pl.Series) -> pl.Series:
    """Make null what core calls never."""
    return column.set(column == _core.NEVER, None)


def _summary(resolved: ResolvedSystem, statistics: Mapping[str, _core.Column]) -> pl.DataFrame:
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


def _segments(resolved: ResolvedSystem, columns: Mapping[str, _core.Column]) -> pl.DataFrame:
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


def _kernel_segments(columns: Mapping[str, _core.Column]) -> pl.DataFrame:
    """Make the frame of the kernel's own work."""
    told = _series(columns)
    return pl.DataFrame({**told, "what": _named(_KERNEL_WORK, told["what"])})


def _architecture(
    resolved: ResolvedSystem, figures: Mapping[str, int], fails: int, horizon: int
) -> Architecture | None:
    """Make the figures of an architecture, None if the platform has none."""
    if resolved.architecture is None:
        return None
    avail_sched = 1 - Fraction(figures["scheduler_time"], horizon)
    avail_net = avail_sched - Fraction(figures["switch_time"], horizon)
    return Architecture(**figures, fails=fails, avail_sched=avail_sched, avail_net=avail_net)


def jobs_frame(resolved: ResolvedSystem, columns: Mapping[str, _core.Column]) -> pl.DataFrame:
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


def _points(resolved: ResolvedSystem, columns: Mapping[str, _core.Column]) -> pl.DataFrame:
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


def _changes(result: Result) -> pl.DataFrame:
    """Make the frame of changes."""
    tasks = result.system.resolved.tasks
    rows = [
        (
            change.at,
            None if change.task is None else tasks[change.task].name,
            _CHANGES[change.kind],
            change.policy or "; ".join(filter(None, [change.text if change.kind == "parameters" else "", answer])),
        )
        for change, answer in zip(rate_answers.made(result), rate_answers.answers(result), strict=True)
    ]
    schema = {"instant": pl.UInt64, "task": pl.String, "what": pl.String, "detail": pl.String}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _deadlines(resolved: ResolvedSystem, jobs: pl.DataFrame) -> pl.DataFrame:
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


def _locks(resolved: ResolvedSystem, columns: Mapping[str, _core.Column]) -> pl.DataFrame:
    """Make the frame of what became of resources."""
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


def _rates(resolved: ResolvedSystem, columns: Mapping[str, _core.Column]) -> pl.DataFrame:
    """Make the frame of what became of rates."""
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


def _windows(resolved: ResolvedSystem, outcome: _core.Outcome) -> pl.DataFrame:
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


def _ledger(columns: Mapping[str, _core.Column]) -> pl.DataFrame:
    """Make the frame of the ledger: one row for each change."""
    told = _series(columns)
    instant = told["instant"]
    is_last = (instant[:-1] != instant[1:]).append(_TRUE[: len(instant)])
    instant, reserved = instant.filter(is_last), told["reserved"].filter(is_last)
    is_new = _TRUE[: len(reserved)].append(reserved[1:] != reserved[:-1])
    return pl.DataFrame({"instant": instant.filter(is_new), "reserved": _in_shares(reserved.filter(is_new))})


def _in_every_tick(ticks: pl.DataFrame, changes: pl.DataFrame, server: int) -> pl.Series:
    """Follow the budget of one server from decision to decision; between two it only falls, if it is charged."""
    known = changes.filter(server=server).with_columns(since=pl.col("tick")).set_sorted("tick")
    followed = ticks.set_sorted("tick").join_asof(known, on="tick", strategy="backward")
    return followed.select(pl.col("budget") - pl.col("is_charged") * (pl.col("tick") - pl.col("since"))).to_series()
