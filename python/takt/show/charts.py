# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The charts of the page: Bokeh figures, and the sources that templates/report.js fills as the view moves.

A chart holds its whole run in the sources named "segments-N", "jobs-N", "budgets-N" and so on (N is the number of
the run), and draws the sources named "shown-...-N". Which part of a run is drawn, and how coarsely, is decided in the
browser, so that ten segments and two hundred thousand are equally quick to explore.

Names of tasks come from users: here they are only data or PlainText, which Bokeh neither takes for HTML nor for
mathematics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from bokeh.core.properties import value
from bokeh.models import (
    ColumnDataSource,
    CustomJS,
    CustomJSHover,
    CustomJSTickFormatter,
    FixedTicker,
    HoverTool,
    LabelSet,
    LinearColorMapper,
    PanTool,
    PlainText,
    Range1d,
    RangeTool,
    Renderer,
    Span,
    WheelZoomTool,
)
from bokeh.palettes import Greys256, linear_palette
from bokeh.plotting import figure
from numpy.typing import NDArray

from takt.base import times
from takt.run.result import RunResult
from takt.show.text_tables import shorten
from takt.show.timeline import MISS_COLOR, SECTION_HEIGHT, Distribution, Group, Heading, Timeline, is_idle

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', Arial, sans-serif"
POLICY_COLORS = ("#332288", "#44aa99", "#ddaa33", "#aa4499", "#88ccee", "#117733", "#8c8c8c")
"""Colours of runs that are compared, red left out."""

POLICY_DASHES = ("", "7 3", "2 3", "9 3 2 3")
BINS = 24
SHARE_BINS = 120
OVERVIEW_CELLS = 400

_INK = "#3d4852"
_QUIET = "#7b8794"
_FAINT = "#e4e7eb"
_IDLE_COLOR = "#dde1e6"
_BUDGET_COLOR = "#52606d"
_LANE_PIXELS = 40
_AXIS_PIXELS = 34
_NAME_CHARACTERS = 26
_NARROW_CHARACTERS = 42
_BAR_HEIGHT = 0.46
_BASE = 0.36
_HOLD_HEIGHT, _BLOCKED_HEIGHT = 0.26, 0.16
_SECTION = "left right y alpha task job what resource start end holder"
_ARROW = "x top bottom task job start end release response deadline"


@dataclass(frozen=True)
class Run:
    """A run and what its chart shows of it.

    Args:
        name: what distinguishes it from the others, its policy.
        result: of the simulation.
        timeline: of the result.
    """

    name: str
    result: RunResult
    timeline: Timeline


# ---- Gantt chart ------------------------------------------------------------------------------------


def gantt(run: Run, number: int, view: Range1d) -> figure:
    """Return the Gantt chart of a run.

    Args:
        run: what to show.
        number: of the run on the page.
        view: the visible stretch of time; charts that share it move together.
    """
    lines = run.timeline
    height = round(lines.height * _LANE_PIXELS) + _AXIS_PIXELS
    chart = quiet_figure(height, view, Range1d(lines.height, 0), f"gantt-{number}", tags=[_for_the_browser(run)])
    time_axis(chart, lines.unit)
    _lane_axis(chart, lines)
    _draw_budgets(chart, lines, number)
    hover = _draw(chart, number)
    sections = _draw_sections(chart, number)
    _draw_deadlocks(chart, number)
    found = _shown("found", number, "x top bottom")  # the instant that a button selected; the page fills it
    _stems(chart, found, line_color=MISS_COLOR, line_width=9, line_alpha=0.25)
    _draw_changes(chart, lines)
    wheel, pan = WheelZoomTool(dimensions="width", maintain_focus=False), PanTool(dimensions="width")
    of_job = [("task", "@task"), ("job", "@job"), *[("processor", "@cpu")] * (lines.cpus > 1)]
    of_job += [(name, name) for name in ("start", "end", "release", "deadline", "response")]
    of_section = [(name, f"@{name}") for name in ("task", "job", "what", "resource")]
    of_section += [("since", "start"), ("until", "end"), ("held by", "@holder")]
    chart.add_tools(wheel, pan, _hover(hover, of_job, lines.unit), _hover(sections, of_section, lines.unit))
    chart.toolbar.active_scroll = wheel
    chart.toolbar.active_drag = pan
    chart.js_on_change("inner_width", CustomJS(args=_whole_run(lines, number), code="takt.changed()"))
    return chart


def view_of(runs: Sequence[Run], first: int, end: int) -> Range1d:
    """Return the visible stretch of time, at first between two instants; it cannot leave the runs.

    Args:
        runs: all charts of the page, in one unit.
        first: begin of the first view, in ticks.
        end: its end.
    """
    scale = runs[0].timeline.scale
    last = max(run.timeline.until for run in runs) * scale
    margin = (end - first) * scale / 100
    bounds = (-margin, last + margin)
    edges = (first * scale - margin, end * scale + margin)
    view = Range1d(*edges, bounds=bounds, min_interval=min(4 * scale, last), name="view")
    for edge in ("start", "end"):
        view.js_on_change(edge, CustomJS(code="takt.changed()"))
    return view


def _for_the_browser(run: Run) -> dict[str, Any]:
    """Return what templates/report.js must know of a chart."""
    lines = run.timeline
    lanes = [{"task": lane.task, "color": lane.color, "y": lane.y} for lane in lines.lanes]
    groups = [
        {"top": group.top, "bottom": group.bottom, "budget": group.budget * lines.scale} for group in lines.groups
    ]
    return {
        "height": lines.height,
        "cpus": lines.cpus,
        "lanes": lanes,
        "groups": groups,
        "names": _names_of_sections(lines),
        "section_height": SECTION_HEIGHT,
        "until": lines.until * lines.scale,
        "missed": run.result.missed,
        "nanoseconds": times.UNITS[lines.unit],
    }


def _names_of_sections(lines: Timeline) -> list[str]:
    """Return the resources, and the tasks that held them, that the sections number."""
    return pl.concat([lines.sections["resource"], lines.sections["holder"]]).drop_nulls().unique().sort().to_list()


def _whole_run(lines: Timeline, number: int) -> dict[str, Any]:
    """Return the sources of the whole run, which are not drawn themselves."""
    scale = lines.scale
    of_section = ("lane", "job", "resource", "waits", "depth", "holder", "holder_job")
    deadlocks = lines.deadlocks.with_columns(pl.col("lane").fill_null(-1))
    names = {name: place for place, name in enumerate(_names_of_sections(lines))}
    places = pl.col("resource", "holder").replace_strict(names, default=-1, return_dtype=pl.Int32)
    columns = {
        "segments": _columns(lines.segments, scale, ("start", "end", "resumed"), ("lane", "job", "cpu", "row")),
        "jobs": _columns(lines.jobs, scale, ("release", "deadline", "finish", "response"), ("lane", "job", "missed")),
        "points": _columns(lines.points, scale, ("instant",), ("lane", "job", "optional", "should_yield")),
        "budgets": _columns(lines.budgets, scale, ("tick", "budget"), ("group", "is_charged")),
        "idle": _columns(lines.idle, scale, ("start", "end"), ("group",)),
        "sections": _columns(lines.sections.with_columns(places), scale, ("start", "end"), of_section),
        "deadlocks": _columns(deadlocks, scale, ("instant",), ("lane",)),
    }
    return {name: ColumnDataSource(data, name=f"{name}-{number}") for name, data in columns.items()}


def _columns(frame: pl.DataFrame, scale: float, instants: Sequence[str], numbers: Sequence[str]) -> dict[str, Any]:
    """Return typed arrays of a frame: instants in units, null as NaN."""
    columns = {name: (frame[name].cast(pl.Float64) * scale).fill_null(float("nan")).to_numpy() for name in instants}
    return columns | {name: frame[name].cast(pl.Int32).fill_null(0).shrink_dtype().to_numpy() for name in numbers}


def _shown(name: str, number: int, columns: str) -> ColumnDataSource:
    """Return an empty source that the browser fills."""
    return ColumnDataSource({column: [] for column in columns.split()}, name=f"shown-{name}-{number}")


def _draw(chart: figure, number: int) -> list[Renderer]:
    """Draw the elements that the browser fills, from back to front; return those with tooltips."""
    releases, deadlines = _shown("releases", number, _ARROW), _shown("deadlines", number, _ARROW)
    misses = _shown("misses", number, _ARROW)
    _stems(chart, releases, line_color=_QUIET, line_width=1)
    _stems(chart, deadlines, line_color=_QUIET, line_width=1)
    waits = _shown("waits", number, "x0 x1 y color")
    chart.segment("x0", "y", "x1", "y", source=waits, line_color="color", line_width=1.5, line_dash="2 2")
    bar = {"y": "y", "left": "left", "right": "right", "height": _BAR_HEIGHT}
    pieces = _shown("pieces", number, "left right y color alpha edge task job cpu start end release response deadline")
    style = {"fill_color": "color", "fill_alpha": "alpha", "line_color": "color", "line_width": "edge"}
    drawn = chart.hbar(source=pieces, **style, **bar)
    late = _shown("late", number, "left right y")
    red = {"line_color": MISS_COLOR, "line_width": 1.6, "hatch_color": MISS_COLOR}
    chart.hbar(source=late, fill_color="white", fill_alpha=0.45, hatch_pattern="/", hatch_scale=6, **red, **bar)
    pieces = drawn
    names = _shown("cpu-names", number, "x y label")
    ground = {"background_fill_color": "white", "background_fill_alpha": 0.85, "padding": 2}
    _labels(chart, names, text_color=_INK, text_font_size="10px", text_align="center", x_offset=0, **ground)
    _stems(chart, misses, line_color=MISS_COLOR, line_width=2)
    chart.scatter("x", "top", source=releases, marker="triangle", size=7, color=_INK)
    chart.scatter("x", "bottom", source=deadlines, marker="inverted_triangle", size=7, color=_INK)
    missed = chart.scatter("x", "bottom", source=misses, marker="inverted_triangle", size=11, color=MISS_COLOR)
    points = _shown("points", number, "x y size fill")
    chart.scatter("x", "y", source=points, marker="diamond", size="size", fill_color="fill", line_color=_INK)
    return [pieces, missed]


def _stems(chart: figure, arrows: ColumnDataSource, **line: Any) -> None:
    chart.segment("x", "top", "x", "bottom", source=arrows, **line)


def _draw_budgets(chart: figure, lines: Timeline, number: int) -> None:
    """Draw the idle time of servers and over it their budgets, between lines at nothing and at the full budget."""
    idle = _shown("idle", number, "left right top bottom alpha")
    hatch = {"hatch_pattern": "/", "hatch_color": _QUIET, "hatch_alpha": 0.8, "hatch_scale": 7, "hatch_weight": 0.6}
    pale = {"fill_color": _IDLE_COLOR, "fill_alpha": "alpha", "line_color": None}
    chart.quad("left", "right", "top", "bottom", source=idle, **pale, **hatch)
    chart.hspan(y=[group.top for group in lines.groups], line_color=_FAINT, line_dash="4 3", line_width=1)
    chart.hspan(y=[group.bottom for group in lines.groups], line_color=_FAINT, line_width=1)
    curves = _shown("curves", number, "xs ys")
    chart.patches("xs", "ys", source=curves, fill_color=_BUDGET_COLOR, fill_alpha=0.3, line_color=_BUDGET_COLOR)


def _draw_sections(chart: figure, number: int) -> list[Renderer]:
    """Draw below a lane when its jobs hold or wait, and the resource if it fits; return the renderers with tooltips."""
    held = _sections(chart, _shown("holds", number, _SECTION), height=_HOLD_HEIGHT, fill_color=_INK, line_color=None)
    hatch = {"hatch_pattern": "\\", "hatch_color": _QUIET, "hatch_scale": 5, "hatch_weight": 0.6}
    blocked = _shown("blocked", number, _SECTION)
    waiting = _sections(chart, blocked, height=_BLOCKED_HEIGHT, fill_color="white", line_color=_INK, **hatch)
    names = _shown("section-names", number, "x y label ink paper")
    _labels(chart, names, text_color="ink", background_fill_color="paper", text_font_size="10px")
    return [held, waiting]


def _sections(chart: figure, source: ColumnDataSource, **style: Any) -> Renderer:
    """Draw sections of one kind; a hatch that differs from bar to bar would be slow."""
    place = {"y": "y", "left": "left", "right": "right"}
    return chart.hbar(source=source, fill_alpha="alpha", line_alpha="alpha", line_width=0.8, **place, **style)


def _draw_deadlocks(chart: figure, number: int) -> None:
    """Draw a line through all lanes where a circle of waiting jobs closes, and a mark at each of these jobs."""
    lines, marks = _shown("deadlock-lines", number, "x top bottom"), _shown("deadlocks", number, "x y label")
    _stems(chart, lines, line_color="black", line_width=2.5)
    chart.scatter("x", "y", source=marks, marker="hex", size=20, color="black")
    chart.scatter("x", "y", source=marks, marker="x", size=8, line_color="white", line_width=2.5)
    bold = {"text_font_size": "12px", "text_font_style": "bold", "x_offset": 13}
    _labels(chart, marks, text_color="black", background_fill_color="white", **bold)


def _draw_changes(chart: figure, lines: Timeline) -> None:
    """Draw a line through all lanes at each change; its mark names it."""
    if lines.changes.is_empty():
        return
    instants = (lines.changes["instant"].cast(pl.Float64) * lines.scale).to_list()
    texts = [
        f"at {instant:g} {times.shown(lines.unit)}: {text}"
        for instant, text in zip(instants, lines.changes["text"], strict=True)
    ]
    count = len(instants)
    source = ColumnDataSource({"x": instants, "top": [0.0] * count, "bottom": [lines.height] * count, "text": texts})
    stems = chart.segment("x", "top", "x", "bottom", source=source, line_color="black", line_dash="dashed")
    marks = chart.scatter("x", "top", source=source, marker="inverted_triangle", size=12, color="black")
    chart.add_tools(HoverTool(renderers=[stems, marks], tooltips=[("change", "@text")], attachment="above"))


def _labels(chart: figure, source: ColumnDataSource, **style: Any) -> None:
    """Write labels beside their elements, on a background that keeps them readable."""
    place = {"x": "x", "y": "y", "text": "label", "x_offset": 4, "text_baseline": "middle"}
    chart.text(source=source, text_font=value(FONT), **(place | style))


def _hover(renderers: list[Renderer], rows: list[tuple[str, str]], unit: str) -> HoverTool:
    """Return tooltips of columns with @, and of columns of times without. Bokeh shows values as text, never as HTML."""
    written = CustomJSHover(
        code=f"return Number.isNaN(value) ? '\u2013' : `${{+value.toFixed(6)}} {times.shown(unit)}`"
    )
    return HoverTool(
        renderers=renderers,
        tooltips=[(name, column if column.startswith("@") else f"@{column}{{custom}}") for name, column in rows],
        formatters={f"@{column}": written for _, column in rows if not column.startswith("@")},
        attachment="above",
        point_policy="follow_mouse",
    )


def _lane_axis(chart: figure, lines: Timeline) -> None:
    """Write names of lanes at the left, if there is room, and above them on a narrow screen; rule their baselines.

    Domains and servers have headings above their tasks.
    """
    names = {lane.y: PlainText(text=shorten(lane.task, _NAME_CHARACTERS)) for lane in lines.lanes}
    names |= {group.top: PlainText(text=group.label) for group in lines.groups}
    names |= {group.bottom: PlainText(text="0") for group in lines.groups}
    chart.yaxis.ticker = FixedTicker(ticks=list(names))
    chart.yaxis.major_label_overrides = names
    chart.yaxis.major_tick_line_color = None
    chart.ygrid.grid_line_color = None
    baselines = [lane.y + _BASE for lane in lines.lanes]
    chart.hspan(y=baselines, line_color=_FAINT, line_width=1)
    narrow = [shorten(lane.task, _NARROW_CHARACTERS) for lane in lines.lanes]
    above = ColumnDataSource({"text": narrow, "y": [lane.y - 0.5 for lane in lines.lanes]})
    chart.add_layout(_left_labels(above, name="narrow", visible=False, text_baseline="top", text_color=_INK))
    heads: list[Heading | Group] = [*lines.headings, *lines.groups]
    titles = ColumnDataSource({"text": [each.title for each in heads], "y": [each.y for each in heads]})
    chart.hspan(y=[each.y - 0.35 for each in heads], line_color=_INK, line_width=1)
    chart.add_layout(_left_labels(titles, text_baseline="middle", text_color=_QUIET))


def _left_labels(source: ColumnDataSource, **style: Any) -> LabelSet:
    """Return labels that stay at the left edge of the frame while the view moves."""
    return LabelSet(
        source=source,
        x=4,
        x_units="screen",
        y="y",
        text="text",
        text_font=value(FONT),
        text_font_size="12px",
        background_fill_color="white",
        background_fill_alpha=0.8,
        **style,
    )


# ---- axes -------------------------------------------------------------------------------------------


def quiet_figure(
    height: int, x_range: Range1d, y_range: Range1d | None = None, name: str | None = None, **more: Any
) -> figure:
    """Return an empty figure in the quiet style of the page, as wide as its place and without tools.

    Args:
        height: in pixels.
        x_range: of the horizontal axis.
        y_range: of the other one; default: what is drawn.
        name: by which the browser finds it.
        more: other properties.
    """
    ranges = {"x_range": x_range} | ({} if y_range is None else {"y_range": y_range})
    chart = figure(
        height=height, name=name, sizing_mode="stretch_width", toolbar_location=None, tools=[], **ranges, **more
    )
    chart.update(outline_line_color=None, background_fill_color=None, border_fill_color=None, min_border_right=14)
    chart.axis.axis_line_color = _FAINT
    chart.axis.major_tick_line_color = _QUIET
    chart.axis.minor_tick_line_color = None
    chart.axis.major_label_text_font = FONT
    chart.axis.major_label_text_font_size = "12px"
    chart.axis.major_label_text_color = _INK
    chart.grid.grid_line_color = _FAINT
    return chart


def time_axis(chart: figure, unit: str) -> None:
    """Write times with the unit that suits the distance of the marks."""
    code = f"return takt.write(tick, ticks, {times.UNITS[unit]})"
    chart.xaxis.formatter = CustomJSTickFormatter(code=code)
    chart.xaxis.ticker.desired_num_ticks = 7


# ---- overview ---------------------------------------------------------------------------------------


def overview(runs: Sequence[Run], view: Range1d) -> figure:
    """Return the strip that shows the place of the view in the whole run: how busy it was, and where it missed.

    Args:
        runs: a row for each.
        view: the visible range of the charts; a box to drag.
    """
    height = 26 * len(runs) + _AXIS_PIXELS
    chart = quiet_figure(height, Range1d(*view.bounds), Range1d(len(runs), 0), "overview")
    time_axis(chart, runs[0].timeline.unit)
    chart.yaxis.visible = False
    chart.grid.grid_line_color = None
    for row, run in enumerate(runs):
        until = run.timeline.until
        width = until * run.timeline.scale / OVERVIEW_CELLS
        grey = LinearColorMapper(palette=linear_palette(Greys256[::-1], 160), low=0, high=2)
        place = {"x": 0, "y": row + 0.35, "dw": OVERVIEW_CELLS * width, "dh": 0.5}
        chart.image([busy_shares(run.result, until)[None, :]], color_mapper=grey, **place)
        middles = [(cell + 0.5) * width for cell in missed_cells(run.result, until)]
        chart.segment(middles, row + 0.05, middles, row + 0.35, line_color=MISS_COLOR, line_width=2)
        closed = (run.timeline.deadlocks["instant"].unique() * run.timeline.scale).to_list()
        chart.segment(closed, row + 0.05, closed, row + 0.95, line_color="black", line_width=2.5)
    tool = RangeTool(x_range=view)
    line = {"line_color": "#4477aa", "line_alpha": 1, "line_dash": "solid"}
    tool.overlay.update(fill_color="#4477aa", fill_alpha=0.15, **line)
    chart.add_tools(tool)
    return chart


def busy_shares(result: RunResult, until: int) -> NDArray[np.float64]:
    """Return the share of each of equal cells of the time up to an instant in which processors ran tasks."""
    tasks = result.segments.filter(~is_idle(result), pl.col("start") < until)
    total: NDArray[np.float64] = np.zeros(OVERVIEW_CELLS)
    for _, of_processor in tasks.group_by("cpu", maintain_order=True):
        segments = of_processor.select("start", length=pl.col("end") - pl.col("start"))
        busy = segments["length"].cum_sum()
        ends, before = segments["start"] + segments["length"], busy - segments["length"]
        edges = np.linspace(0, until, OVERVIEW_CELLS + 1)
        instants = np.column_stack((segments["start"], ends)).ravel()
        done = np.interp(edges, instants, np.column_stack((before, busy)).ravel())
        shares: NDArray[np.float64] = np.diff(done) * OVERVIEW_CELLS / until
        total += shares / result.system.cpus
    return total


def missed_cells(result: RunResult, until: int) -> list[int]:
    """Return the cells, of the same kind, in which any task missed a deadline."""
    missed = result.jobs.select("missed", due=result.deadlines["deadline"]).filter("missed")
    instants = missed.select("due").filter(pl.col("due") <= until)
    cells = (instants["due"] * OVERVIEW_CELLS // until).clip(0, OVERVIEW_CELLS - 1)
    return cells.unique().sort().to_list()


# ---- responses --------------------------------------------------------------------------------------


_PANEL_PIXELS, _LATE_PIXELS = 60, 2
"""The least height of a small chart between its axes, and of late jobs in it: one among thousands is seen."""


def histogram(counted: Distribution, color: str, scale: float, unit: str) -> figure:
    """Return the histogram of one task's responses against its deadline.

    Args:
        counted: how many responses lie where.
        color: of the task.
        scale: units per tick.
        unit: of the axis.
    """
    chart = _panel(counted, scale, unit)
    edges = [edge * scale for edge in counted.edges]
    met = [count - late for count, late in zip(counted.counts, counted.late, strict=True)]
    highest = max(1, *counted.counts) * 1.1
    least = highest * _LATE_PIXELS / _PANEL_PIXELS
    tops = [low + max(late, least) if late else low for low, late in zip(met, counted.late, strict=True)]
    numbers = {"count": list(counted.counts), "late": list(counted.late), "met": met, "top": tops}
    source = ColumnDataSource({"left": edges[:-1], "right": edges[1:]} | numbers)
    pen = {"source": source, "line_color": "white", "line_width": 1}
    bars = [
        chart.quad("left", "right", "met", 0, fill_color=color, **pen),
        chart.quad("left", "right", "top", "met", fill_color=MISS_COLOR, **pen | {"line_color": None}),
    ]
    chart.y_range = Range1d(0, highest)
    rows = [
        ("above", f"@left{{0.[000]}} {times.shown(unit)}"),
        ("up to", f"@right{{0.[000]}} {times.shown(unit)}"),
        ("jobs", "@count"),
        ("late", "@late"),
    ]
    chart.add_tools(HoverTool(renderers=bars, tooltips=rows))
    chart.yaxis.visible = False
    return chart


def lateness(edges: Sequence[int], counts: Sequence[int], scale: float, unit: str) -> figure:
    """Return the histogram of the lateness of events.

    Args:
        edges: of the bins, in ticks.
        counts: events in each bin, which has its right edge.
        scale: units per tick.
        unit: of the axis.
    """
    instants = [edge * scale for edge in edges]
    chart = quiet_figure(140, Range1d(0, instants[-1] * 1.06), Range1d(0, max(1, *counts) * 1.1))
    time_axis(chart, unit)
    chart.grid.grid_line_color = None
    source = ColumnDataSource({"left": instants[:-1], "right": instants[1:], "count": list(counts)})
    bars = chart.quad("left", "right", "count", 0, source=source, fill_color=_BUDGET_COLOR, line_color="white")
    edge = f"{{0.[000]}} {times.shown(unit)}"
    rows = [("above", f"@left{edge}"), ("up to", f"@right{edge}"), ("events", "@count")]
    chart.add_tools(HoverTool(renderers=[bars], tooltips=rows))
    return chart


def shares(counted: Sequence[Distribution], scale: float, unit: str) -> figure:
    """Return the chart of the share of jobs that are done in a time, a line for each run.

    Args:
        counted: responses of one task in each run.
        scale: units per tick.
        unit: of the axis.
    """
    chart = _panel(max(counted, key=lambda one: one.edges[-1]), scale, unit)
    for number, one in enumerate(counted):
        edges = [edge * scale for edge in one.edges] + [chart.x_range.end]
        done = [0.0, *map(float, one.shares), float(one.shares[-1])]
        line = line_of(number)
        pen = {"line_color": line["color"], "line_dash": line["dashes"] or "solid", "line_width": 2}
        chart.step(edges, done, mode="after", **pen)
    chart.y_range = Range1d(0, 1.05)
    chart.yaxis.ticker = FixedTicker(ticks=[0, 0.5, 1])
    chart.yaxis.major_label_overrides = {0: "0", 0.5: "50 %", 1: "100 %"}
    return chart


def line_of(number: int) -> dict[str, str]:
    """Choose the line of a run among several: its colour, and its dashes as in SVG."""
    return {
        "color": POLICY_COLORS[number % len(POLICY_COLORS)],
        "dashes": POLICY_DASHES[number % len(POLICY_DASHES)],
    }


def _panel(counted: Distribution, scale: float, unit: str) -> figure:
    """Return an empty small chart with a line for each deadline."""
    last = max(counted.edges[-1], *counted.deadlines) * scale
    chart = quiet_figure(110, Range1d(0, last * 1.06))
    time_axis(chart, unit)
    chart.xaxis.ticker.desired_num_ticks = 4
    chart.grid.grid_line_color = None
    pen = {"dimension": "height", "line_color": _INK, "line_dash": "dashed", "line_width": 1.5}
    for deadline in dict.fromkeys([*counted.deadlines, counted.deadline]):
        chart.add_layout(Span(location=deadline * scale, **pen))
    return chart
