"""Simulation of a system, and what comes out of it as data frames.

The simulator is C (sim/sim.h); this module hands it a system and turns its columns into frames. All times in
frames are ticks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from takt import _core, answers
from takt import trace as trace_file
from takt.errors import InputError, Problem
from takt.horizon import horizon_ticks
from takt.model import System
from takt.resolved import ResolvedSystem, ResolvedTask

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
    """

    system: System
    horizon: int
    decisions: int
    invocations: int
    switches: int
    overhead: int
    summary: pl.DataFrame
    architecture: Architecture | None
    _segments: pl.DataFrame | None
    _jobs: pl.DataFrame | None
    _points: pl.DataFrame | None
    _locks: pl.DataFrame | None
    _budget_changes: pl.DataFrame | None
    _kernel_segments: pl.DataFrame | None
    _rates: pl.DataFrame | None
    _windows: pl.DataFrame | None
    _ledger: pl.DataFrame | None

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
            return given.select("task", "job", "deadline")
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
        from takt import html

        html.write([self], path)

    def gantt(
        self, path: str | Path | None = None, *, start: int | str | None = None, end: int | str | None = None
    ) -> Figure:
        """Draw a Gantt chart for print; see takt.gantt.draw."""
        from takt import gantt

        return gantt.draw(self, path, start=start, end=end)

    def to_perfetto(self, path: str | Path) -> None:
        """Write the run in the format of ui.perfetto.dev.

        Raises:
            InputError: the file cannot be written.
            ValueError: segments, jobs, points, or the budgets or locks that there are, were not kept.
        """
        from takt import perfetto_trace

        perfetto_trace.write(self, path)


def _asked_for(frame: pl.DataFrame | None, name: str) -> pl.DataFrame:
    """Give a frame that the simulation was asked to keep."""
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
    ticks = horizon_ticks(system, horizon)
    spec = system.resolved.spec()
    with nullcontext() if trace is None else _recorded(trace, system, ticks) as trace_path:
        outcome = _core.simulate(
            spec,
            ticks,
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


def _recorded(trace: str | Path, system: System, horizon: int) -> AbstractContextManager[str]:
    """Give the name of a file to append the records of a simulation to; at the end it becomes `trace`."""
    return trace_file.started(trace, system.resolved, trace_file.SIMULATOR, horizon)


def _let_signals_in(now: int) -> None:
    """Do nothing; the interpreter handles signals meanwhile, so that one that ends the process removes the trace."""


# ---- frames -----------------------------------------------------------------------------------------


def _frame(columns: Mapping[str, _core.Column]) -> pl.DataFrame:
    """Make a frame of core's columns, without a copy."""
    return pl.DataFrame({name: pl.Series(name, column) for name, column in columns.items()})


def _names(names: list[str], index: str) -> pl.Expr:
    """Make a column of names out of a column of indices."""
    return pl.lit(pl.Series(names, dtype=pl.String)).gather(pl.col(index))


def _unless_never(column: str) -> pl.Expr:
    """Make null what core calls never."""
    return pl.when(pl.col(column) != _core.NEVER).then(pl.col(column))


def _summary(resolved: ResolvedSystem, statistics: Mapping[str, _core.Column]) -> pl.DataFrame:
    """Make the frame with one row for each task."""
    tasks = resolved.tasks
    described = pl.DataFrame(
        {
            "task": pl.Series([task.name for task in tasks], dtype=pl.String),
            "server": pl.Series(resolved.server_names(), dtype=pl.String),
            "class": pl.Series([task.class_ for task in tasks], dtype=pl.String),
            "period": pl.Series([_period_of(task) for task in tasks], dtype=pl.UInt64),
            "deadline": pl.Series([task.deadline for task in tasks], dtype=pl.UInt64),
            "wcet": pl.Series([None if task.is_greedy else task.wcet for task in tasks], dtype=pl.UInt64),
        }
    )
    if resolved.rates is None:
        statistics = {**statistics, "missed_requested": statistics["missed"]}
    has_finished = pl.col("finished") > 0
    return described.hstack(_frame(statistics)).with_columns(
        pl.when(has_finished).then(pl.col(column)).alias(column)
        for column in ("response_min", "response_max", "response_sum")
    )


def _period_of(task: ResolvedTask) -> int | None:
    """Give the period of a task, None if it has none; that of the allocator's own task is of its budget."""
    return None if task.is_allocator else task.period or None


def _segments(resolved: ResolvedSystem, columns: Mapping[str, _core.Column]) -> pl.DataFrame:
    """Make the frame of segments, by their starts; on several processors they come by their ends."""
    names, servers = resolved.runners()
    frame = _frame(columns)
    ordered = frame if resolved.cpus == 1 else frame.sort("start", "cpu")
    return ordered.select(
        "start",
        "end",
        "cpu",
        _names(servers, "task").alias("server"),
        _names(names, "task").alias("task"),
        "job",
    )


_KERNEL_WORK = ["RTOS", "SWITCH"]


def _kernel_segments(columns: Mapping[str, _core.Column]) -> pl.DataFrame:
    """Make the frame of the kernel's own work."""
    return _frame(columns).select("start", "end", _names(_KERNEL_WORK, "what").alias("what"))


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
    return _frame(columns).select(
        _names([task.name for task in resolved.tasks], "task").alias("task"),
        "job",
        "release",
        _unless_never("finish").alias("finish"),
        (_unless_never("finish") - pl.col("release")).alias("response"),
        pl.col("missed").cast(pl.Boolean),
    )


def _points(resolved: ResolvedSystem, columns: Mapping[str, _core.Column]) -> pl.DataFrame:
    """Make the frame of points."""
    return _frame(columns).select(
        "instant",
        _names([task.name for task in resolved.tasks], "task").alias("task"),
        "job",
        pl.col("optional", "should_yield").cast(pl.Boolean),
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
        for change, answer in zip(answers.made(result), answers.answers(result), strict=True)
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
    return _frame(columns).select(
        "instant",
        _names([task.name for task in resolved.tasks], "task").alias("task"),
        "job",
        _names([resource.name for resource in resolved.resources], "resource").alias("resource"),
        _names(_LOCKS, "what").alias("what"),
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


def _in_shares(column: str) -> pl.Expr:
    """Make shares of the processor of core's units."""
    return (pl.col(column) / _core.RATE_WHOLE).alias(column)


def _rates(resolved: ResolvedSystem, columns: Mapping[str, _core.Column]) -> pl.DataFrame:
    """Make the frame of what became of rates."""
    return _frame(columns).select(
        "instant",
        _names([task.name for task in resolved.tasks], "task").alias("task"),
        _names(_ALLOCATIONS, "event").alias("what"),
        _in_shares("rate"),
        "budget",
        "period",
    )


def _windows(resolved: ResolvedSystem, outcome: _core.Outcome) -> pl.DataFrame:
    """Make the frame of windows, whose rows are those of the jobs."""
    windows = _frame(outcome["windows"])
    jobs = jobs_frame(resolved, outcome["jobs"]).select("task", "job").head(len(windows))
    return jobs.hstack(
        windows.select(_unless_never("deadline").alias("deadline"), pl.col("missed_requested").cast(pl.Boolean))
    )


def _ledger(columns: Mapping[str, _core.Column]) -> pl.DataFrame:
    """Make the frame of the ledger: one row for each change."""
    last = _frame(columns).unique("instant", keep="last", maintain_order=True)
    return last.filter(pl.col("reserved").ne_missing(pl.col("reserved").shift())).with_columns(_in_shares("reserved"))


def _in_every_tick(ticks: pl.DataFrame, changes: pl.DataFrame, server: int) -> pl.Series:
    """Follow the budget of one server from decision to decision; between two it only falls, if it is charged."""
    known = changes.filter(server=server).with_columns(since=pl.col("tick")).set_sorted("tick")
    followed = ticks.set_sorted("tick").join_asof(known, on="tick", strategy="backward")
    return followed.select(pl.col("budget") - pl.col("is_charged") * (pl.col("tick") - pl.col("since"))).to_series()
