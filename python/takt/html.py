"""The HTML report: one page that opens offline, with everything in it.

Charts are Bokeh's, drawn on canvas and zoomed in the browser; the rest is a Jinja template, page.html, which
escapes all names. Both are imported when a report is written, not when the command starts.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from takt import report, times
from takt.errors import system_error
from takt.report import Clock, Report
from takt.simulation import Result
from takt.timeline import MISS, PALETTE, Timeline, colour_of, timeline_of, window_of

if TYPE_CHECKING:
    from bokeh.models import Range1d
    from bokeh.plotting import figure

MAX_SEGMENTS = 200_000
"""How many segments a chart holds; a page says so if there are more."""

MAX_DISTRIBUTIONS = 24
"""How many tasks have their responses drawn; those nearest to their deadlines, or beyond, come first."""

_MAX_LABEL = 16
_LANE_HEIGHT = 34
_BINS = 40


def write(results: Sequence[Result], path: str | Path) -> None:
    """Write the report of one run, or of several of the same task set above one another.

    Args:
        results: runs that kept segments, jobs and points.
        path: the file; it is replaced once the page is complete.

    Raises:
        InputError: the file cannot be written.
        ValueError: there is no result, or segments, jobs or points were not kept.
    """
    if not results:
        raise ValueError("a report needs at least one result")
    _replace(Path(path), page(results))


def page(results: Sequence[Result]) -> str:
    """Make the page of write."""
    from bokeh.embed import components
    from bokeh.resources import INLINE
    from jinja2 import Environment, PackageLoader, select_autoescape

    reports = [report.report_of(result) for result in results]
    timelines = [timeline_of(result, MAX_SEGMENTS) for result in results]
    shared = _shared_range(timelines)
    charts = [_gantt(timeline, shared) for timeline in timelines]
    shown, distributions = _distributions(results)
    script, divs = components([*charts, *distributions])
    environment = Environment(loader=PackageLoader("takt", "."), autoescape=select_autoescape(["html"]))
    clock = Clock(results[0].system.resolution_ns, timelines[0].unit)
    return environment.get_template("page.html").render(
        name=results[0].system.name,
        horizon=times.shortest(results[0].horizon * results[0].system.resolution_ns),
        resources=INLINE.render(),
        script=script,
        runs=[_run(*row) for row in zip(results, reports, timelines, divs, strict=False)],
        responses=list(zip(shown, divs[len(charts) :], strict=True)),
        left_out=len(reports[0].rows) - len(shown),
        comparison=_comparison(reports, clock) if len(reports) > 1 else None,
        tasks=_task_table(results[0], clock),
        servers=[server.model_dump() for server in results[0].system.servers],
        unit=timelines[0].unit,
    )


# ---- Gantt chart ----------------------------------------------------------------------------------------


def _shared_range(timelines: Sequence[Timeline]) -> Range1d:
    """Make the time axis of all charts."""
    from bokeh.models import Range1d

    horizon = timelines[0].horizon
    return Range1d(start=0, end=min(map(window_of, timelines)), bounds=(0, horizon), min_interval=horizon / 1e7)


def _gantt(timeline: Timeline, shared: Range1d) -> figure:
    """Draw who runs when: a lane for each task."""
    from bokeh.models import FixedTicker, Range1d
    from bokeh.plotting import figure

    lanes = len(timeline.lanes)
    chart = figure(
        height=_LANE_HEIGHT * lanes + 70,
        sizing_mode="stretch_width",
        x_range=shared,
        y_range=Range1d(start=lanes, end=0),
        x_axis_label=timeline.unit,
        tools="xpan,xwheel_zoom,xzoom_in,xzoom_out,reset,save",
        active_drag="xpan",
        active_scroll="xwheel_zoom",
        output_backend="webgl" if timeline.pieces.height > 20_000 else "canvas",
        lod_threshold=3000,
    )
    chart.yaxis.ticker = FixedTicker(ticks=[lane + 0.5 for lane in range(lanes)])
    chart.yaxis.major_label_overrides = {lane + 0.5: _shortened(label) for lane, label in enumerate(timeline.labels)}
    _style(chart)
    chart.ygrid.ticker = FixedTicker(ticks=list(range(lanes + 1)))
    _draw_pieces(chart, timeline)
    _draw_marks(chart, timeline)
    _draw_points(chart, timeline)
    return chart


def _shortened(label: str) -> str:
    """Cut a long label visibly; the tables have it whole."""
    return label if len(label) <= _MAX_LABEL else label[: _MAX_LABEL - 1] + "…"


def _style(chart: figure) -> None:
    """Give a chart its quiet looks."""
    chart.toolbar.logo = None
    chart.outline_line_color = None
    chart.grid.grid_line_color = "#eceff3"
    chart.axis.axis_line_color = "#9aa5b1"
    chart.axis.major_tick_line_color = "#9aa5b1"
    chart.axis.minor_tick_line_color = None
    chart.axis.major_label_text_font_size = "12px"
    chart.axis.axis_label_text_font_style = "normal"
    chart.min_border_right = 16


def _draw_pieces(chart: figure, timeline: Timeline) -> None:
    """Draw the segments, thin lines between the pieces of one job, and what ran after the deadline."""
    from bokeh.models import ColumnDataSource, CustomJSHover, HoverTool

    pieces = timeline.pieces
    gaps = pieces.drop_nulls("gap").filter(pl.col("gap") > pl.col("end"))
    chart.segment(
        x0=gaps["end"].to_numpy(),
        x1=gaps["gap"].to_numpy(),
        y0=gaps["lane"].to_numpy() + 0.55,
        y1=gaps["lane"].to_numpy() + 0.55,
        line_color="#5f6c7b",
        line_width=1.2,
        line_dash=[3, 2],
    )
    source = ColumnDataSource(
        {
            "left": pieces["start"].to_numpy(),
            "right": pieces["end"].to_numpy(),
            "y": pieces["lane"].to_numpy() + 0.55,
            "lane": pieces["lane"].to_numpy(),
            "job": pieces["job"].to_numpy().astype("int32"),
            "response": pieces["response"].fill_null(float("nan")).to_numpy(),
            "colour": [colour_of(lane) for lane in pieces["lane"]],
        }
    )
    bars = chart.hbar(
        y="y",
        left="left",
        right="right",
        height=0.46,
        source=source,
        fill_color="colour",
        line_color="colour",
        line_width=0.5,
    )
    bars.level = "glyph"
    late = timeline.late
    chart.hbar(
        y=late["lane"].to_numpy() + 0.55,
        left=late["start"].to_numpy(),
        right=late["end"].to_numpy(),
        height=0.46,
        fill_color=MISS,
        fill_alpha=0.35,
        line_color=MISS,
        line_width=1.5,
    )
    names = CustomJSHover(args={"names": timeline.labels}, code="return names[value]")
    tips = [
        ("job", "@lane{custom}#@job"),
        ("runs", f"@left{{0.[000000]}} to @right{{0.[000000]}} {timeline.unit}"),
        ("response", f"@response{{0.[000000]}} {timeline.unit}"),
    ]
    chart.add_tools(HoverTool(renderers=[bars], tooltips=tips, formatters={"@lane": names}))


def _draw_marks(chart: figure, timeline: Timeline) -> None:
    """Draw releases as arrows up and deadlines as arrows down; missed ones are red."""
    marks = timeline.marks
    releases, lanes = marks["release"].to_numpy(), marks["lane"].to_numpy()
    _arrows(chart, releases, lanes + 0.12, lanes + 0.78, "triangle", "#52606d")
    for missed, colour in ((False, "#9aa5b1"), (True, MISS)):
        some = marks.filter(missed=missed)
        lanes = some["lane"].to_numpy()
        _arrows(chart, some["deadline"].to_numpy(), lanes + 0.92, lanes + 0.30, "inverted_triangle", colour)


def _arrows(chart: figure, x: Any, heads: Any, tails: Any, marker: str, colour: str) -> None:
    """Draw arrows."""
    chart.segment(x0=x, x1=x, y0=tails, y1=heads, line_color=colour, line_width=1.2)
    chart.scatter(x=x, y=heads, marker=marker, size=7, fill_color=colour, line_color=colour)


def _draw_points(chart: figure, timeline: Timeline) -> None:
    """Draw points of bodies as diamonds, optional ones as circles; filled where the job should yield."""
    for optional, marker in ((False, "diamond"), (True, "circle")):
        for should_yield, fill in ((False, "white"), (True, "black")):
            some = timeline.points.filter(optional=optional, should_yield=should_yield)
            chart.scatter(
                x=some["instant"].to_numpy(),
                y=some["lane"].to_numpy() + 0.55,
                marker=marker,
                size=8 if marker == "diamond" else 6,
                fill_color=fill,
                line_color="black",
            )


# ---- distributions of responses --------------------------------------------------------------------------


def _distributions(results: Sequence[Result]) -> tuple[list[str], list[figure]]:
    """Draw the responses of each task against its deadline, those of the tasks in most need first."""
    worst = pl.concat(
        result.summary.select("task", need=pl.col("response_max") / pl.col("deadline"), order=pl.int_range(pl.len()))
        for result in results
    )
    chosen = (
        worst.group_by("task")
        .agg(pl.col("need").max(), pl.col("order").first())
        .drop_nulls("need")
        .sort("need", "order", descending=[True, False])
        .head(MAX_DISTRIBUTIONS)
        .sort("order")["task"]
        .to_list()
    )
    jobs = [result.jobs.drop_nulls("response").partition_by("task", as_dict=True) for result in results]
    return chosen, [_distribution(task, results, jobs) for task in chosen]


def _distribution(
    task: str, results: Sequence[Result], jobs: Sequence[dict[tuple[object, ...], pl.DataFrame]]
) -> figure:
    """Draw how often each response occurred under each policy."""
    import numpy
    from bokeh.models import DataRange1d, Range1d
    from bokeh.models.annotations import Span
    from bokeh.plotting import figure

    system = results[0].system
    unit = times.unit_of(system.resolution)
    scale = system.resolution_ns / times.UNITS[unit]
    deadline = float(results[0].summary.filter(task=task)["deadline"].item()) * scale
    empty = results[0].jobs.clear()
    responses = [frames.get((task,), empty)["response"].to_numpy() * scale for frames in jobs]
    most = max(deadline, *(float(values.max()) for values in responses if len(values)))
    edges = numpy.linspace(0, most, _BINS + 1)
    chart = figure(
        height=190,
        sizing_mode="stretch_width",
        x_range=Range1d(start=0, end=most * 1.03),
        y_range=DataRange1d(start=0),
        x_axis_label=unit,
        tools="xpan,xwheel_zoom,reset",
    )
    _style(chart)
    chart.toolbar_location = None
    chart.yaxis.axis_label = "jobs"
    for number, values in enumerate(responses):
        counts, _ = numpy.histogram(values, edges)
        colour = PALETTE[number % len(PALETTE)]
        chart.quad(
            left=edges[:-1],
            right=edges[1:],
            bottom=0,
            top=counts,
            fill_color=colour,
            fill_alpha=0.6 if len(results) == 1 else 0.3,
            line_color=colour,
        )
    chart.add_layout(Span(location=deadline, dimension="height", line_color=MISS, line_dash="dashed", line_width=2))
    return chart


# ---- tables ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """One line of a table of results, as text."""

    task: str
    server: str
    cells: list[str]
    missed: int


def _run(result: Result, about: Report, timeline: Timeline, chart: str) -> dict[str, Any]:
    """Say about one run what its section of the page shows."""
    clock = Clock(about.resolution_ns, timeline.unit)
    return {
        "policy": about.policy,
        "missed": about.missed,
        "jobs": sum(row.jobs for row in about.rows),
        "utilization": report.share(about.utilization),
        "switches": result.switches,
        "overhead": clock.write(result.overhead) if result.overhead else None,
        "chart": chart,
        "shown": timeline.shown,
        "total": timeline.total,
        "rows": [_row(row, clock) for row in about.rows[: report.MAX_LINES]],
        "left_out": max(0, len(about.rows) - report.MAX_LINES),
    }


def _row(row: report.TaskRow, clock: Clock) -> Row:
    """Make one line of the summary."""
    responses = [clock.write(value) for value in (row.response_min, row.response_avg, row.response_max)]
    return Row(row.task, row.server, [clock.write(row.deadline), str(row.jobs), *responses], row.missed)


def _comparison(reports: Sequence[Report], clock: Clock) -> dict[str, Any]:
    """Make the table with the policies beside one another: largest responses and misses of each task."""
    rows = [
        {"task": rows[0].task, "cells": [(clock.write(row.response_max), row.missed) for row in rows]}
        for rows in list(zip(*(about.rows for about in reports), strict=True))[: report.MAX_LINES]
    ]
    return {
        "policies": [about.policy for about in reports],
        "rows": rows,
        "misses": [about.missed for about in reports],
        "colours": [PALETTE[number % len(PALETTE)] for number in range(len(reports))],
    }


def _task_table(result: Result, clock: Clock) -> list[dict[str, str]]:
    """Describe the task set, as its author gave it where that says more."""
    rows = []
    tasks = result.system.tasks[: report.MAX_LINES]
    for task, resolved in zip(tasks, result.system.resolved.tasks, strict=False):
        rows.append(
            {
                "name": task.name,
                "class": task.class_,
                "arrivals": _arrivals(task.period, resolved.period, task.arrivals is not None, clock),
                "deadline": clock.write(resolved.deadline),
                "wcet": clock.write(resolved.wcet),
                "priority": str(task.priority),
                "server": task.server or "",
                "does": ", ".join(task.body or ()) or ("subjobs " + str(list(task.subjobs)) if task.subjobs else ""),
            }
        )
    return rows


def _arrivals(period: int | str | None, ticks: int, is_given: bool, clock: Clock) -> str:
    """Say when jobs come."""
    if period is not None:
        return f"every {clock.write(ticks)}"
    least = f", at least {clock.write(ticks)} apart" if ticks else ""
    return ("as listed or drawn" if is_given else "sporadic") + least


# ---- the file --------------------------------------------------------------------------------------------


def _replace(path: Path, text: str) -> None:
    """Write a file at once: nobody sees half of it."""
    try:
        handle, temporary = tempfile.mkstemp(prefix=".takt-", dir=path.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            Path(temporary).chmod(0o644)
            Path(temporary).replace(path)
        finally:
            Path(temporary).unlink(missing_ok=True)
    except OSError as error:
        raise system_error("write", path, error) from None
