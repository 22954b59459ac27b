"""What a chart of a run shows: lanes, segments, jobs and points, cut to a size that a chart can bear.

Both charts, that of the page (charts.py) and that for papers (gantt.py), are drawn from this. Times are ticks;
a chart multiplies them by `scale`, because axes need numbers in a unit. Whatever is left out is counted, so that
a chart can say so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import polars as pl

from takt import times
from takt.model import Server, System
from takt.resolve import to_ticks
from takt.simulation import Result

MAX_LANES = 60
MAX_SEGMENTS = 200_000

MISS_COLOR = "#d01c2b"
"""Red, which nothing but a missed deadline has."""

COLORS = (
    "#4477aa", "#ddaa33", "#44aa99", "#aa4499", "#88ccee",
    "#999933", "#332288", "#117733", "#b07d62", "#8c8c8c",
)  # fmt: skip
"""Colours of tasks, after Paul Tol's schemes for the colour-blind, without their reds."""

_LANE_HEIGHT = 1.0
_GROUP_HEIGHT = 0.7
_HEADING_CHARACTERS = 20


@dataclass(frozen=True)
class Lane:
    """Where the jobs of one task are drawn.

    Args:
        task: its name.
        server: name of its server, "" for the root.
        color: of its jobs, the same in every chart of the task set.
        y: middle of the lane; lanes are 1 high, and y grows downwards from 0.
    """

    task: str
    server: str
    color: str
    y: float


@dataclass(frozen=True)
class Group:
    """The heading above the lanes of a server's tasks.

    Args:
        title: the server and what it is.
        y: middle of the heading.
    """

    title: str
    y: float


@dataclass(frozen=True)
class Timeline:
    """A run as a chart shows it.

    Args:
        lanes: from top to bottom.
        groups: headings between them.
        height: of lanes and headings together.
        unit: that of the file's resolution, such as "ms".
        scale: units per tick.
        horizon: of the run.
        until: everything before this instant is here.
        segments: lane, start, end, job, row, resumed; ordered by lane and start. `row` is the job's row in
            `jobs`; `resumed` is the end of the job's piece before this one, null for the first.
        jobs: lane, job, release, deadline, finish, response, missed; ordered by lane and job.
        points: lane, instant, job, optional, should_yield; ordered by lane and instant.
        task_count: tasks of the system, lanes or not.
        segment_count: segments of the run.
    """

    lanes: tuple[Lane, ...]
    groups: tuple[Group, ...]
    height: float
    unit: str
    scale: float
    horizon: int
    until: int
    segments: pl.DataFrame
    jobs: pl.DataFrame
    points: pl.DataFrame
    task_count: int
    segment_count: int

    def window(self, segments: int, start: int = 0) -> int:
        """Choose the end of a view: the instant by which so many segments have ended since its start, or all."""
        ends = self.segments["end"].filter(self.segments["end"] > start)
        return self.until if len(ends) <= segments else int(ends.sort()[segments - 1])


def timeline(
    result: Result,
    tasks: Sequence[str] | None = None,
    max_segments: int = MAX_SEGMENTS,
) -> Timeline:
    """Prepare a run for a chart.

    Args:
        result: of a simulation that kept segments and jobs.
        tasks: names of the tasks to show; default: all, or the worst MAX_LANES of many.
        max_segments: how many segments to keep at most, from the beginning of the run.

    Raises:
        ValueError: the simulation did not keep segments or jobs.
    """
    shown = set(worst_tasks([result])[:MAX_LANES] if tasks is None else tasks)
    lanes, groups, height = _arrange(result.system, shown)
    segments = _in_lanes(result.segments, lanes)
    until = result.horizon if len(segments) <= max_segments else int(segments["end"][max_segments - 1])
    jobs = _jobs(result, lanes).filter(pl.col("release") < until)
    return Timeline(
        lanes=lanes,
        groups=groups,
        height=height,
        unit=unit_of(result.system),
        scale=result.system.resolution_ns / times.UNITS[unit_of(result.system)],
        horizon=result.horizon,
        until=until,
        segments=_segments(segments.head(max_segments), jobs),
        jobs=jobs,
        points=_in_lanes(result.points, lanes).filter(pl.col("instant") <= until).sort("lane", "instant"),
        task_count=len(result.summary),
        segment_count=len(result.segments),
    )


def unit_of(system: System) -> str:
    """Give the unit in which the task-set file writes its resolution."""
    return times.unit_of(system.resolution)


def axis_unit(span_ns: float) -> str:
    """Give the coarsest unit in which a stretch of time is at least 2 long."""
    return next((unit for unit in reversed(times.UNITS) if span_ns >= 2 * times.UNITS[unit]), "ns")


def shorten(name: str, characters: int) -> str:
    """Cut the middle out of a name that is too long for an axis: names differ at their ends.

    Example:
        >>> shorten("temperature_sensor_17", 12)
        'temper\u2026or_17'
    """
    if len(name) <= characters:
        return name
    kept = characters - 1
    return f"{name[: kept - kept // 2]}\u2026{name[-(kept // 2) :]}"


def spaced(time: str) -> str:
    """Put a space that does not break before the unit of a written time."""
    number = time.rstrip("nums")
    return f"{number}\u00a0{time[len(number) :]}"


def show_time(value: int | str, system: System) -> str:
    """Write a time of the task-set file, in ticks or with a unit, in the unit of its resolution."""
    ticks = to_ticks(value, system.resolution)
    return spaced(times.in_unit(ticks, system.resolution_ns, unit_of(system)))


def show_span(ticks: int, system: System) -> str:
    """Write a time in the coarsest unit in which it is at least 1 and three decimals are exact."""
    nanoseconds = ticks * system.resolution_ns
    fits = (
        unit
        for unit in reversed(times.UNITS)
        if nanoseconds >= times.UNITS[unit] and not nanoseconds * 1000 % times.UNITS[unit]
    )
    return spaced(times.in_unit(nanoseconds, 1, next(fits, "ns")))


def show_about(ticks: int, system: System) -> str:
    """Write a time in a coarse unit, rounded to three decimals."""
    nanoseconds = ticks * system.resolution_ns
    return spaced(times.in_unit(nanoseconds, 1, axis_unit(nanoseconds)))


def worst_tasks(results: Sequence[Result]) -> list[str]:
    """Order the tasks of a task set: most misses first, then the largest response for its deadline, then file order.

    Args:
        results: runs of one task set; misses are added up.
    """
    summaries = pl.concat([result.summary.with_row_index("place") for result in results], how="diagonal")
    nearness = (pl.col("response_max") / pl.col("deadline")).max().fill_null(0)
    by_task = summaries.group_by("task").agg(pl.col("missed").sum(), nearness.alias("nearness"), pl.col("place").min())
    ordered = by_task.sort("missed", "nearness", "place", descending=[True, True, False])
    return ordered["task"].to_list()


# ---- lanes ------------------------------------------------------------------------------------------


def _arrange(system: System, shown: set[str]) -> tuple[tuple[Lane, ...], tuple[Group, ...], float]:
    """Put the tasks of the root above those of the servers, and every server's heading above its tasks."""
    lanes: list[Lane] = []
    groups: list[Group] = []
    y = 0.0
    for server in (None, *_servers(system, None)):
        members = [
            (i, task) for i, task in enumerate(system.tasks) if task.server == _name(server) and task.name in shown
        ]
        if server is not None and members:
            groups.append(Group(_heading(system, server), y + _GROUP_HEIGHT / 2))
            y += _GROUP_HEIGHT
        for i, task in members:
            lanes.append(Lane(task.name, task.server or "", COLORS[i % len(COLORS)], y + _LANE_HEIGHT / 2))
            y += _LANE_HEIGHT
    return tuple(lanes), tuple(groups), y


def _servers(system: System, parent: str | None) -> Iterator[Server]:
    """List the servers below one, each before its own."""
    for server in system.servers:
        if server.parent == parent:
            yield server
            yield from _servers(system, server.name)


def _name(server: Server | None) -> str | None:
    """Give what a task of the server calls it."""
    return None if server is None else server.name


def _heading(system: System, server: Server) -> str:
    """Say what a server is, short enough for a narrow screen."""
    budget, period = (show_time(value, system) for value in (server.budget, server.period))
    return f"server {shorten(server.name, _HEADING_CHARACTERS)}: {budget} every {period}"


# ---- frames -----------------------------------------------------------------------------------------


def _in_lanes(frame: pl.DataFrame, lanes: Sequence[Lane]) -> pl.DataFrame:
    """Replace names of tasks by numbers of lanes and drop the tasks that have none."""
    numbers = {lane.task: number for number, lane in enumerate(lanes)}
    lane = pl.col("task").replace_strict(numbers, default=None, return_dtype=pl.UInt32)
    return frame.with_columns(lane=lane).filter(pl.col("lane").is_not_null()).drop("task")


def _jobs(result: Result, lanes: Sequence[Lane]) -> pl.DataFrame:
    """Give the jobs with their absolute deadlines."""
    deadlines = result.summary.select("task", "deadline")
    jobs = _in_lanes(result.jobs.join(deadlines, on="task", how="left"), lanes)
    columns = ("lane", "job", "release", "deadline", "finish", "response", "missed")
    return jobs.with_columns(deadline=pl.col("release") + pl.col("deadline")).select(columns).sort("lane", "job")


def _segments(segments: pl.DataFrame, jobs: pl.DataFrame) -> pl.DataFrame:
    """Give the segments with the rows of their jobs; jobs of one task run one after the other."""
    same_job = (pl.col("lane") == pl.col("lane").shift()) & (pl.col("job") == pl.col("job").shift())
    rows = jobs.select("lane", "job").with_row_index("row")
    return (
        segments.select("lane", "start", "end", "job")
        .join(rows, on=["lane", "job"], how="left")
        .sort("lane", "start")
        .with_columns(resumed=pl.when(same_job).then(pl.col("end").shift()))
    )


# ---- distribution of responses ----------------------------------------------------------------------


@dataclass(frozen=True)
class Distribution:
    """How long the jobs of one task took.

    Args:
        deadline: relative, in ticks. It is the edge of a bin.
        edges: of the bins, ascending, in ticks; a bin holds the responses above its left and up to its right edge.
        counts: finished jobs in each bin.
        unfinished: jobs that missed and have no response: aborted, skipped, or not done at the horizon.
    """

    deadline: int
    edges: tuple[int, ...]
    counts: tuple[int, ...]
    unfinished: int

    @property
    def shares(self) -> tuple[Fraction, ...]:
        """Share of the jobs that were done by the right edge of each bin; those that never were count as jobs."""
        jobs = max(1, sum(self.counts) + self.unfinished)
        done = 0
        shares = []
        for count in self.counts:
            done += count
            shares.append(Fraction(done, jobs))
        return tuple(shares)


def distributions(result: Result, tasks: Sequence[str], bins: int) -> dict[str, Distribution]:
    """Count the responses of some tasks.

    Args:
        result: of a simulation that kept its jobs.
        tasks: names.
        bins: how many between 0 and the deadline or the largest response, about.

    Returns:
        One for each task.
    """
    jobs = result.jobs.filter(pl.col("task").is_in(tasks)).partition_by("task", as_dict=True)
    deadlines = dict(result.summary.select("task", "deadline").iter_rows())
    empty = result.jobs.clear()
    return {task: _distribution(jobs.get((task,), empty), deadlines[task], bins) for task in tasks}


def _distribution(jobs: pl.DataFrame, deadline: int, bins: int) -> Distribution:
    """Count responses in bins of whole ticks, one edge of which is the deadline."""
    responses = jobs["response"].drop_nulls().cast(pl.Int64)
    largest = max(deadline, int(responses.max() or 0))  # type: ignore[arg-type]
    width = -(-largest // bins)
    first = -(-deadline // width)
    last = -((deadline - largest) // width)
    numbers = -((deadline - responses) // width) + first - 1
    counted = dict(numbers.value_counts().iter_rows())
    return Distribution(
        deadline=deadline,
        edges=tuple(max(0, deadline + i * width) for i in range(-first, last + 1)),
        counts=tuple(counted.get(i, 0) for i in range(first + last)),
        unfinished=len(jobs.filter(pl.col("missed") & pl.col("response").is_null())),
    )
