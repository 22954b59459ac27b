# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The data of a chart: lanes, segments, jobs, points, budgets and resources, cut to a size that can be drawn.

Both charts, that of the page (charts.py) and that for papers (gantt.py), are drawn from this. Times are ticks;
a chart multiplies them by `scale`, because axes need numbers in a unit. Whatever is left out is counted, so that
a chart can say so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import polars as pl

from takt import _core
from takt.base import times
from takt.model.conversion import to_ticks
from takt.model.core_input import IDLE
from takt.model.python_policy import name_of
from takt.model.system import Domain, System
from takt.model.tables import Server
from takt.run.result import RunResult
from takt.show import resource_use, stretches
from takt.show.text_tables import shorten

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
_CURVE_HEIGHT = 0.95
_CURVE_MARGIN = 0.1
SECTION_HEIGHT = 0.3
"""Of the rows below a lane in which resources are drawn."""

_HEADING_CHARACTERS = 20


@dataclass(frozen=True)
class Lane:
    """Place of the jobs of one task in a chart.

    Args:
        task: its name.
        server: name of its server, "" for the root.
        color: of its jobs, the same in every chart of the task set.
        y: middle of the lane; lanes are 1 high, and y grows downwards from 0.
        rows: below the lane, each SECTION_HEIGHT high, for the resources that a job holds or waits for at once.
    """

    task: str
    server: str
    color: str
    y: float
    rows: int = 0


@dataclass(frozen=True)
class Group:
    """A server: its heading, its budget, and below them the lanes of its tasks. Or the ledger, above all lanes.

    Args:
        server: its name, None for the ledger of a rate-based system, whose curve is what is reserved.
        title: the server and what it is.
        y: middle of the heading.
        top: where a full budget is drawn.
        bottom: where a budget of 0 is drawn.
        budget: the full one, in ticks.
        label: the full one, written.
    """

    server: str | None
    title: str
    y: float
    top: float
    bottom: float
    budget: int
    label: str


@dataclass(frozen=True)
class Heading:
    """The name of a domain above the lanes of its tasks.

    Args:
        title: the domain and its policy.
        y: its middle.
    """

    title: str
    y: float


@dataclass(frozen=True)
class Timeline:
    """A run as a chart shows it.

    Args:
        lanes: from top to bottom.
        groups: servers between them.
        headings: domains between them.
        height: of lanes and headings together.
        unit: that of the file's resolution, such as "ms".
        scale: units per tick.
        horizon: of the run.
        until: everything before this instant is here.
        segments: lane, start, end, job, cpu, row, resumed; ordered by lane and start. `row` is the job's row in
            `jobs`; `resumed` is the end of the job's piece before this one, null for the first.
        jobs: lane, job, release, deadline, finish, response, missed; ordered by lane and job.
        points: lane, instant, job, optional, should_yield; ordered by lane and instant.
        budgets: group, tick, budget, is_charged; ordered by group and tick. A row is where the line of a budget
            bends or jumps; up to the next one it falls by 1 per tick if it is charged, and else does not change.
        idle: group, start, end of the time in which an idling server idled; ordered by group and start.
        sections: lane, start, end, job, resource, waits, depth, holder, holder_job as sharing.sections says them;
            ordered by lane and start.
        deadlocks: instant, lane of each job of a circle; lane is null for a task without one; ordered by instant.
        changes: instant and text of what became different; ordered by instant.
        task_count: tasks of the system, lanes or not.
        segment_count: segments of the run.
        cpus: processors of the system.
    """

    lanes: tuple[Lane, ...]
    groups: tuple[Group, ...]
    headings: tuple[Heading, ...]
    height: float
    unit: str
    scale: float
    horizon: int
    until: int
    segments: pl.DataFrame
    jobs: pl.DataFrame
    points: pl.DataFrame
    budgets: pl.DataFrame
    idle: pl.DataFrame
    sections: pl.DataFrame
    deadlocks: pl.DataFrame
    changes: pl.DataFrame
    task_count: int
    segment_count: int
    cpus: int

    def window(self, segments: int, start: int = 0) -> int:
        """Choose the end of a view: the instant by which so many segments have ended since its start, or all."""
        ends = self.segments["end"].filter(self.segments["end"] > start)
        return self.until if len(ends) <= segments else int(ends.sort()[segments - 1])


def timeline(
    result: RunResult,
    tasks: Sequence[str] | None = None,
    most: int | None = MAX_SEGMENTS,
) -> Timeline:
    """Prepare a run for a chart.

    Args:
        result: of a simulation that kept segments, jobs, points, and the budgets and locks if there are any.
        tasks: names of the tasks to show; default: all, or the worst MAX_LANES of many.
        most: how many segments, changes of budgets and so on to keep of each, from the beginning of the run;
            None: all.

    Raises:
        ValueError: the simulation did not keep what is shown.
    """
    shown = set(worst_tasks([result])[:MAX_LANES] if tasks is None else tasks)
    sections = resource_use.sections(result) if result.system.resources else resource_use.no_sections()
    lanes, groups, headings, height = _arrange(result.system, shown, sections)
    segments, points, sections = (_in_lanes(frame, lanes) for frame in (result.segments, result.points, sections))
    of_servers = {group.server: number for number, group in enumerate(groups)}
    group = pl.col("server").replace_strict(of_servers, default=None, return_dtype=pl.UInt32)
    idle = result.segments.filter(is_idle(result)).select("start", "end", group=group).drop_nulls()
    budgets = _budgets(result, groups)
    ends = (segments["end"], budgets["tick"], idle["end"], sections["start"])
    full = [int(instants.sort()[most - 1]) for instants in ends if most is not None and len(instants) > most]
    until = min([result.horizon, *full])
    is_before = pl.col("start") < until
    jobs = _jobs(result, lanes).filter(pl.col("release") < until)
    return Timeline(
        lanes=lanes,
        groups=groups,
        headings=headings,
        height=height,
        unit=unit_of(result.system),
        scale=result.system.resolution_ns / times.UNITS[unit_of(result.system)],
        horizon=result.horizon,
        until=until,
        segments=_segments(segments.filter(is_before), jobs),
        jobs=jobs,
        points=points.filter(pl.col("instant") <= until).sort("lane", "instant"),
        budgets=budgets.filter(pl.col("tick") < until).sort("group", "tick"),
        idle=idle.filter(is_before).sort("group", "start"),
        sections=sections.filter(is_before).sort("lane", "start", maintain_order=True),
        deadlocks=_deadlocks(result, lanes).filter(pl.col("instant") <= until),
        changes=_changes(result).filter(pl.col("instant") <= until),
        task_count=len(result.summary),
        segment_count=len(result.segments),
        cpus=result.system.cpus,
    )


def unit_of(system: System) -> str:
    """Return the unit in which the task-set file writes its resolution."""
    return times.unit_of(system.resolution)


def axis_unit(span_ns: float) -> str:
    """Return the coarsest unit in which a stretch of time is at least 2 long."""
    return next((unit for unit in reversed(times.UNITS) if span_ns >= 2 * times.UNITS[unit]), "ns")


def spaced(time: str) -> str:
    """Return a written time with a no-break space before its unit."""
    return time.replace(" ", "\u00a0")


def show_time(value: int | str, system: System) -> str:
    """Write a time of the task-set file, in ticks or with a unit, with all its digits."""
    return show_span(int(to_ticks(value, system.resolution)), system)


def show_span(ticks: int, system: System) -> str:
    """Write a time with all its digits."""
    return spaced(times.exactly(ticks * system.resolution_ns))


def show_about(ticks: int, system: System) -> str:
    """Write a time with three digits."""
    return spaced(times.for_readers(ticks * system.resolution_ns))


def worst_tasks(results: Sequence[RunResult]) -> list[str]:
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


def _arrange(
    system: System, shown: set[str], sections: pl.DataFrame
) -> tuple[tuple[Lane, ...], tuple[Group, ...], tuple[Heading, ...], float]:
    """Return the lanes and groups: the root above the servers, every server's budget above its tasks, by domains."""
    lanes: list[Lane] = []
    groups: list[Group] = []
    headings: list[Heading] = []
    rows = dict(sections.group_by("task").agg(pl.col("depth").max() + 1).iter_rows())
    y = 0.0
    if system.resolved.rates is not None:
        title = "ledger: reserved share of the processor"
        groups.append(_placed(None, title, y, _core.RATE_WHOLE, "100 %"))
        y += _GROUP_HEIGHT + _CURVE_HEIGHT
    members = _members(system, shown)
    servers = _shown_servers(system, shown)
    domains: list[Domain | None] = [
        domain for domain in system.domains if any(task.name in shown for task in domain.system.tasks)
    ]
    for domain in domains if system.domains else [None]:
        if domain is not None:
            title = f"{domain.label}: {name_of(domain.system.policy)}"
            headings.append(Heading(title, y + _GROUP_HEIGHT / 2))
            y += _GROUP_HEIGHT
        names = {server.name for server in (system if domain is None else domain.system).servers}
        for server in (None, *(each for each in servers if each.name in names)):
            if server is not None:
                budget, period = (show_time(value, system) for value in (server.budget, server.period))
                title = f"{server.kind} server {shorten(server.name, _HEADING_CHARACTERS)}: {budget} every {period}"
                full = int(to_ticks(server.budget, system.resolution))
                groups.append(_placed(server.name, title, y, full, budget))
                y += _GROUP_HEIGHT + _CURVE_HEIGHT
            name = None if server is None else server.name
            for task, color in members[None if domain is None else domain.label, name]:
                lanes.append(Lane(task, name or "", color, y + _LANE_HEIGHT / 2, rows.get(task, 0)))
                y += _LANE_HEIGHT + SECTION_HEIGHT * lanes[-1].rows
    return tuple(lanes), tuple(groups), tuple(headings), y


def _members(system: System, shown: set[str]) -> defaultdict[tuple[str | None, str | None], list[tuple[str, str]]]:
    """Return the shown tasks of each domain and server, with their colours."""
    members: defaultdict[tuple[str | None, str | None], list[tuple[str, str]]] = defaultdict(list)
    resolved = system.resolved
    domains = {task.name: domain.label for domain in system.domains for task in domain.system.tasks}
    for i, (task, server) in enumerate(zip(resolved.tasks, resolved.server_names(), strict=True)):
        if task.name in shown:
            members[domains.get(task.name), server or None].append((task.name, COLORS[i % len(COLORS)]))
    return members


def _shown_servers(system: System, shown: set[str]) -> list[Server]:
    """Choose the servers of the tasks that are shown, and as many others as there is room for.

    Each stands before its own, otherwise they are in file order.
    """
    children: defaultdict[str | None, list[Server]] = defaultdict(list)
    for server in reversed(system.servers):
        children[server.parent].append(server)
    servers, pending = list[Server](), children[None]
    while pending:
        servers.append(pending.pop())
        pending += children[servers[-1].name]
    needed = {task.server for task in system.tasks if task.name in shown}
    room = MAX_LANES - sum(server.name in needed for server in servers)
    others = [server.name for server in servers if server.name not in needed][: max(0, room)]
    return [server for server in servers if server.name in needed.union(others)]


def _placed(server: str | None, title: str, y: float, full: int, label: str) -> Group:
    """Place a heading and the curve below it."""
    return Group(
        server=server,
        title=title,
        y=y + _GROUP_HEIGHT / 2,
        top=y + _GROUP_HEIGHT + _CURVE_MARGIN,
        bottom=y + _GROUP_HEIGHT + _CURVE_HEIGHT - _CURVE_MARGIN,
        budget=full,
        label=label,
    )


# ---- frames -----------------------------------------------------------------------------------------


def _in_lanes(frame: pl.DataFrame, lanes: Sequence[Lane]) -> pl.DataFrame:
    """Replace names of tasks by numbers of lanes and drop the tasks that have none."""
    numbers = {lane.task: number for number, lane in enumerate(lanes)}
    lane = pl.col("task").replace_strict(numbers, default=None, return_dtype=pl.UInt32)
    return frame.with_columns(lane=lane).filter(pl.col("lane").is_not_null()).drop("task")


def _jobs(result: RunResult, lanes: Sequence[Lane]) -> pl.DataFrame:
    """Return the jobs with their absolute deadlines."""
    jobs = _in_lanes(result.jobs.with_columns(result.deadlines["deadline"]), lanes)
    columns = ("lane", "job", "release", "deadline", "finish", "response", "missed")
    return jobs.select(columns).sort("lane", "job")


def _segments(segments: pl.DataFrame, jobs: pl.DataFrame) -> pl.DataFrame:
    """Return the segments with the rows of their jobs; jobs of one task run one after the other."""
    same_job = (pl.col("lane") == pl.col("lane").shift()) & (pl.col("job") == pl.col("job").shift())
    rows = jobs.select("lane", "job").with_row_index("row")
    return (
        segments.select("lane", "start", "end", "job", "cpu")
        .join(rows, on=["lane", "job"], how="left")
        .sort("lane", "start")
        .with_columns(resumed=pl.when(same_job).then(pl.col("end").shift()))
    )


def _budgets(result: RunResult, groups: Sequence[Group]) -> pl.DataFrame:
    """Return the instants at which the lines of budgets bend or jump, in order.

    The ledger, the only group of a rate-based system, has steps.
    """
    if not groups:
        return pl.DataFrame(schema=_BUDGETS)
    if result.system.resolved.rates is not None:
        units = (pl.col("reserved") * _core.RATE_WHOLE).round()
        columns = {"group": pl.lit(0), "tick": pl.col("instant"), "budget": units, "is_charged": pl.lit(False)}
        return result.ledger.select(columns[name].cast(kind).alias(name) for name, kind in _BUDGETS.items())
    numbers = {group.server: number for number, group in enumerate(groups)}
    places = pl.Series([numbers.get(server.name) for server in result.system.servers], dtype=pl.UInt32)
    changes = result.budget_changes.with_columns(group=pl.lit(places).gather(pl.col("server")))
    at_ends = changes.drop_nulls("group").unique(["group", "tick"], keep="last", maintain_order=True)
    tick, budget, is_charged = (pl.col(name) for name in ("tick", "budget", "is_charged"))
    # A row that lies on the line of the row before it, with the same slope, is left out.
    before = budget.shift() - is_charged.shift() * (tick - tick.shift())
    goes_on = ((budget == before) & (is_charged == is_charged.shift())).over("group").fill_null(False)
    return at_ends.select(pl.col(name).cast(kind) for name, kind in _BUDGETS.items()).filter(~goes_on)


_BUDGETS = {"group": pl.UInt32, "tick": pl.Int64, "budget": pl.Int64, "is_charged": pl.Boolean}


def is_idle(result: RunResult) -> pl.Expr:
    """Return which segments are the idle time of an idling server; where one idles, no task has that name."""
    return (pl.col("task") == IDLE) & ~pl.lit(any(task.name == IDLE for task in result.system.tasks))


def _deadlocks(result: RunResult, lanes: Sequence[Lane]) -> pl.DataFrame:
    """Return the jobs of circles."""
    numbers = {lane.task: number for number, lane in enumerate(lanes)}
    rows = [(found.instant, numbers.get(wait.task)) for found in resource_use.deadlocks(result) for wait in found.waits]
    return pl.DataFrame(rows, schema={"instant": pl.UInt64, "lane": pl.Int32}, orient="row")


def _changes(result: RunResult) -> pl.DataFrame:
    """Return the changes; those of one instant are one row."""
    rows = result.change_lines
    frame = pl.DataFrame(rows, schema={"instant": pl.UInt64, "text": pl.String}, orient="row")
    return frame.group_by("instant", maintain_order=True).agg(pl.col("text").str.join("; "))


# ---- distribution of responses ----------------------------------------------------------------------


@dataclass(frozen=True)
class Distribution:
    """Response times of the jobs of one task.

    Args:
        deadlines: relative, in ticks, in order of time; several if they change.
        deadline: the longest that jobs were given. It is the edge of a bin.
        edges: of the bins, ascending, in ticks; a bin holds the responses above its left and up to its right edge.
        counts: finished jobs in each bin.
        late: of these, jobs that missed; of a rate-based task those that missed the deadlines that were requested.
        unfinished: jobs that missed and have no response: aborted, skipped, or not done at the horizon.
    """

    deadlines: tuple[int, ...]
    deadline: int
    edges: tuple[int, ...]
    counts: tuple[int, ...]
    late: tuple[int, ...]
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


def distributions(result: RunResult, tasks: Sequence[str], bins: int) -> dict[str, Distribution]:
    """Count the responses of some tasks.

    Args:
        result: of a simulation that kept its jobs.
        tasks: names.
        bins: how many between 0 and the deadline or the largest response, about.

    Returns:
        One for each task.
    """
    windows = result.windows
    late = windows["missed_requested"] if len(windows) else pl.col("missed")  # by the deadlines that are shown
    jobs = result.jobs.with_columns(late=late).filter(pl.col("task").is_in(tasks))
    by_task, empty = jobs.partition_by("task", as_dict=True), jobs.clear()
    deadlines, longest = requested_deadlines(result), relative_deadlines(result)
    return {task: _distribution(by_task.get((task,), empty), deadlines[task], longest[task], bins) for task in tasks}


def bins_of(values: pl.Series, bins: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Count positive times in about so many bins of whole ticks from 0 on: the edges, and how many lie in each."""
    largest = int(values.max() or 1)  # type: ignore[arg-type]
    width = -(-largest // bins)
    counted = dict(((values - 1) // width).value_counts().iter_rows())
    last = -(-largest // width)
    return tuple(width * i for i in range(last + 1)), tuple(counted.get(i, 0) for i in range(last))


def requested_deadlines(result: RunResult) -> dict[str, tuple[int, ...]]:
    """Return the deadlines that each task requests, in order of time: as the tables have them."""
    found = stretches.parameters_of(result)
    return {task: tuple(dict.fromkeys(each.deadline for each in given)) for task, given in found.items()}


def relative_deadlines(result: RunResult) -> dict[str, int]:
    """Return the deadline of each task; the longest one if it has several, or rules or an allocator assign others.

    Of a rate-based task it is one that was requested.
    """
    deadlines = {task: max(given) for task, given in requested_deadlines(result).items()}
    if result.system.resolved.rates is not None:
        return deadlines
    given = result.jobs.select("task", length=result.deadlines["deadline"] - pl.col("release"))
    longest = given.drop_nulls().group_by("task").agg(pl.col("length").max())
    return deadlines | dict(longest.iter_rows())


def _distribution(jobs: pl.DataFrame, deadlines: tuple[int, ...], deadline: int, bins: int) -> Distribution:
    """Count responses in bins of whole ticks, one edge of which is the longest deadline."""
    finished = jobs.drop_nulls("response")
    responses = finished["response"].cast(pl.Int64)
    largest = max(deadline, int(responses.max() or 0))  # type: ignore[arg-type]
    width = -(-largest // bins)
    first = -(-deadline // width)
    last = -((deadline - largest) // width)
    numbers = -((deadline - responses) // width) + first - 1
    counted = dict(numbers.value_counts().iter_rows())
    late = dict(numbers.filter(finished["late"]).value_counts().iter_rows())
    return Distribution(
        deadlines=deadlines,
        deadline=deadline,
        edges=tuple(max(0, deadline + i * width) for i in range(-first, last + 1)),
        counts=tuple(counted.get(i, 0) for i in range(first + last)),
        late=tuple(late.get(i, 0) for i in range(first + last)),
        unfinished=len(jobs.filter(pl.col("late") & pl.col("response").is_null())),
    )
