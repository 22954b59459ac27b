# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The Gantt chart for papers: one column wide, vector text, and readable without colours.

Drawn in the field's way: releases are arrows up, deadlines arrows down, a job that was interrupted is joined by a
dotted line. A miss is a thick arrow, and what ran after the deadline is hatched, so both are seen in print. Below the
heading of a server is its budget, hatched where the server idles; below a task a black bar is a resource that it holds,
a thin hatched one a resource that it waits for. On several processors a bar has the number of its own.
Neither Matplotlib nor a display is needed before a chart is wanted.
"""

from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from takt.base import forks, output_files, times
from takt.base.errors import InputError, Problem, file_error, show
from takt.run.result import RunResult
from takt.show.text_tables import shorten
from takt.show.timeline import MISS_COLOR, SECTION_HEIGHT, Group, Heading, Lane, Timeline, axis_unit, timeline

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SUFFIXES = (".svg", ".png", ".pdf")

_WIDTH_INCHES = 3.5
_LANE_INCHES = 0.27
_MARGIN_INCHES = 0.42
_FIRST_SEGMENTS = 40
_NAME_CHARACTERS = 16
_NOTE_CHARACTERS = 40
_FONT_POINTS = 7.0
_SMALL_POINTS = 4.5
_AXES_POINTS, _LETTER_POINTS = 190.0, 2.8
_SECTION_TOP, _HOLD_HEIGHT, _WAIT_HEIGHT = 0.48, 0.26, 0.16
_INK = "black"
_TOP, _BAR_TOP, _BAR_HEIGHT, _BASE = -0.42, -0.16, 0.5, 0.36
STYLE: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.size": _FONT_POINTS,
    "axes.linewidth": 0.5,
    "hatch.linewidth": 0.6,
    "svg.fonttype": "none",
    "svg.hashsalt": "takt",
    "pdf.fonttype": 42,
}


def draw(
    result: RunResult,
    path: str | Path | None = None,
    *,
    start: int | str | None = None,
    end: int | str | None = None,
) -> Figure:
    """Draw the Gantt chart of a stretch of a run.

    Args:
        result: of a simulation that kept segments, jobs, points, and the budgets and locks if there are any.
        path: a file to write the chart to, too; its suffix (.svg, .png, .pdf) says in which format.
        start: beginning of the stretch, in ticks or with a unit; default: 0.
        end: its end; default: the horizon, or of a long run as much as a column shows well.

    Returns:
        The chart, 3.5 inches wide; Matplotlib's methods change it.

    Raises:
        InputError: the stretch is empty or no time, the suffix is not one of these, or the file cannot be written.
        ValueError: the simulation did not keep what is shown.
    """
    return drawn(result, path, start, end)[0]


def drawn(
    result: RunResult, path: str | Path | None = None, start: int | str | None = None, end: int | str | None = None
) -> tuple[Figure, int, int]:
    """Draw as draw does; return the chart and the stretch, in ticks."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    forks.check()
    check_path(path)
    lines = timeline(result, most=None)
    first, last = stretch(result.horizon, result.system.resolution_ns, start, end)
    if last is None:
        last = min(result.horizon, lines.window(_FIRST_SEGMENTS, first))
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(_WIDTH_INCHES, lines.height * _LANE_INCHES + _MARGIN_INCHES), layout="constrained")
        _fill(figure.add_subplot(), lines, result, first, last)
        if path is not None:
            save(figure, path)
    return figure, first, last


def stretch(horizon: int, resolution_ns: int, start: int | str | None, end: int | str | None) -> tuple[int, int | None]:
    """Return the stretch of a run that is drawn, in ticks; its end is None if that is what is well shown.

    Args:
        horizon: of the run, in ticks.
        resolution_ns: nanoseconds of a tick.
        start: its beginning, in ticks or with a unit; None: 0.
        end: its end, likewise; None: the chart decides.

    Raises:
        InputError: it is empty, outside the run, or no time.
    """

    def written(ticks: int) -> str:
        return times.exactly(ticks * resolution_ns)

    first = 0 if start is None else _ticks(start, resolution_ns, "start")
    last = None if end is None else _ticks(end, resolution_ns, "end")
    if not 0 <= first < horizon:
        message = f"expected a time from 0 on, before the horizon {written(horizon)}; found {written(first)}"
        raise InputError([Problem(message, "out-of-range", key="start")])
    if last is not None and not first < last <= horizon:
        message = f"expected a time after {written(first)}, up to the horizon {written(horizon)}; found {written(last)}"
        raise InputError([Problem(message, "out-of-range", key="end")])
    return first, last


def check_path(path: str | Path | None) -> None:
    """Refuse a file whose format is not known."""
    if path is not None and Path(path).suffix.lower() not in SUFFIXES:
        message = (
            f"cannot write a chart: expected a name that ends in .svg, .png or .pdf, found {show(Path(path).name)}"
        )
        raise file_error(path, message, "unknown-suffix")


def save(figure: Figure, path: str | Path) -> None:
    """Write a chart; the same chart gives the same file."""
    suffix = Path(path).suffix.lower()
    dates = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    data = BytesIO()
    figure.savefig(data, format=suffix[1:], dpi=300, metadata=dates.get(suffix))
    output_files.write(path, data.getvalue())


def _ticks(value: int | str, resolution_ns: int, key: str) -> int:
    """Read a time; one between two ticks is rounded."""
    if isinstance(value, str) and times.parse(value) is None:
        raise InputError([Problem(f"expected a time, found {show(value)}; {times.UNIT_RULE}", "no-time", key=key)])
    return round(times.to_ticks(value, resolution_ns))


# ---- drawing ----------------------------------------------------------------------------------------


def _fill(axes: Axes, lines: Timeline, result: RunResult, first: int, last: int) -> None:
    """Draw everything between two instants; the numbers of the axis are in the unit that suits its length."""
    resolution = result.system.resolution_ns
    unit = axis_unit((last - first) * resolution)
    scale = resolution / times.UNITS[unit]
    segments = lines.segments.filter(pl.col("end") > first, pl.col("start") < last)
    waits = lines.segments.filter(pl.col("start") > first, pl.col("resumed") < last)
    jobs = lines.jobs.filter(pl.col("deadline") >= first, pl.col("release") <= last)
    deadlines = lines.jobs.select(due="deadline").with_row_index("row")
    late = segments.join(deadlines, on="row", how="left").filter(pl.col("end") > pl.col("due"))
    late = late.with_columns(start=pl.max_horizontal("start", "due"))
    points = lines.points.filter(pl.col("instant").is_between(first, last))
    for number, lane in enumerate(lines.lanes):
        _bars(axes, lane, _spans(segments, number, scale), facecolor=lane.color, edgecolor=_INK, linewidth=0.4)
        _bars(axes, lane, _spans(late, number, scale), facecolor="white", edgecolor=MISS_COLOR, hatch="//////")
        if lines.cpus > 1:
            _processors(axes, lane, segments.filter(lane=number), (first, last), scale)
        begins, ends = (_at(waits.filter(lane=number)[edge], scale) for edge in ("resumed", "start"))
        axes.hlines([_middle(lane)] * len(begins), begins, ends, _INK, "dotted", linewidth=0.7)
        of_lane = jobs.filter(lane=number)
        met, missed = of_lane.filter(~pl.col("missed")), of_lane.filter("missed")
        _stems(axes, lane, _at(of_lane["release"], scale), _TOP, color=_INK, marker="^", width=0.5, size=2.6)
        _stems(axes, lane, _at(met["deadline"], scale), _BASE, color=_INK, marker="v", width=0.5, size=2.6)
        _stems(axes, lane, _at(missed["deadline"], scale), _BASE, color=MISS_COLOR, marker="v", width=1.3, size=4.5)
        _points(axes, lane, points.filter(lane=number), scale)
        _sections(axes, lane, lines.sections.filter(pl.col("lane") == number), (first, last), scale)
    for number, group in enumerate(lines.groups):
        _group(axes, group, lines, number, scale)
    _deadlocks(axes, lines, lines.deadlocks.filter(pl.col("instant").is_between(first, last)), scale)
    changes = lines.changes.filter(pl.col("instant").is_between(first, last))
    axes.vlines(_at(changes["instant"], scale), 0, lines.height, _INK, linewidth=0.8, linestyle="dashed", zorder=4)
    for instant, text in changes.iter_rows():
        _note(axes, instant * scale, 0.1, shorten(text, _NOTE_CHARACTERS))
    _style(axes, lines)
    margin = (last - first) * scale * 0.015
    axes.set_xlim(first * scale - margin, last * scale + margin)
    missing = lines.task_count - len(lines.lanes)
    note = f"; {missing} of {lines.task_count} tasks not shown" if missing else ""
    axes.set_xlabel(f"time ({times.shown(unit)}){note}", parse_math=False)


def _spans(segments: pl.DataFrame, lane: int, scale: float) -> list[tuple[float, float]]:
    rows = segments.filter(lane=lane).select("start", "end").iter_rows()
    return [(start * scale, (end - start) * scale) for start, end in rows]


def _middle(lane: Lane) -> float:
    return lane.y + _BAR_TOP + _BAR_HEIGHT / 2


def _bars(axes: Axes, lane: Lane, spans: list[tuple[float, float]], **style: Any) -> None:
    axes.broken_barh(spans, (lane.y + _BAR_TOP, _BAR_HEIGHT), zorder=2, **style)


def _processors(axes: Axes, lane: Lane, segments: pl.DataFrame, span: tuple[int, int], scale: float) -> None:
    """Write into the pieces of a lane the numbers of their processors, where there is room."""
    middle = _middle(lane)
    place: dict[str, Any] = {"ha": "center", "va": "center_baseline", "fontsize": _SMALL_POINTS, "zorder": 6}
    box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.3}
    for start, end, cpu in segments.select("start", "end", "cpu").iter_rows():
        left, right = max(start, span[0]), min(end, span[1])
        if (right - left) * _AXES_POINTS / (span[1] - span[0]) > _LETTER_POINTS * (1 + len(str(cpu))):
            axes.text((left + right) / 2 * scale, middle, str(cpu), bbox=box, parse_math=False, **place)


def _stems(
    axes: Axes, lane: Lane, instants: list[float], head: float, *, color: str, marker: str, width: float, size: float
) -> None:
    """Draw arrows: stems as high as the lane, and a head at one end."""
    axes.vlines(instants, lane.y + _TOP, lane.y + _BASE, color, linewidth=width, zorder=3)
    heads = [lane.y + head] * len(instants)
    axes.plot(instants, heads, marker, color=color, markersize=size, markeredgewidth=0, zorder=4, clip_on=True)


def _points(axes: Axes, lane: Lane, points: pl.DataFrame, scale: float) -> None:
    """Mark points: a large diamond, or a small one for an optional point; filled where the job should yield."""
    middle = _middle(lane)
    for (optional, should_yield), some in points.group_by("optional", "should_yield", maintain_order=True):
        style: dict[str, Any] = {"markersize": 2.4 if optional else 3.6, "color": _INK if should_yield else "white"}
        instants = _at(some["instant"], scale)
        axes.plot(instants, [middle] * len(instants), "D", markeredgecolor=_INK, markeredgewidth=0.5, zorder=5, **style)


def _sections(axes: Axes, lane: Lane, sections: pl.DataFrame, view: tuple[int, int], scale: float) -> None:
    """Draw below a lane what its jobs hold and wait for, and name it where there is room."""
    first, last = view
    seen = sections.filter(pl.col("end") > first, pl.col("start") < last)
    for start, end, resource, waits, depth in seen.select("start", "end", "resource", "waits", "depth").iter_rows():
        middle = lane.y + _SECTION_TOP + SECTION_HEIGHT * (depth + 0.5)
        height = _WAIT_HEIGHT if waits else _HOLD_HEIGHT
        style: dict[str, Any] = {"facecolor": "white", "hatch": "\\\\" * 4} if waits else {"facecolor": _INK}
        span = [(start * scale, (end - start) * scale)]
        axes.broken_barh(span, (middle - height / 2, height), edgecolor=_INK, linewidth=0.4, zorder=2, **style)
        begin = max(start, first)
        if not waits and (end - begin) / (last - first) * _AXES_POINTS > 3 + _LETTER_POINTS * len(resource):
            _note(axes, begin * scale, middle, resource, color="white")


def _note(axes: Axes, x: float, y: float, text: str, **style: Any) -> None:
    """Write something small right of an instant."""
    place: dict[str, Any] = {"xytext": (1.5, 0), "textcoords": "offset points", "va": "center_baseline"}
    axes.annotate(text, (x, y), fontsize=_SMALL_POINTS, parse_math=False, zorder=6, **place, **style)


def _group(axes: Axes, group: Group, lines: Timeline, number: int, scale: float) -> None:
    """Hatch the time in which a server idles, and draw its budget.

    It falls with slope 1 while it is charged, and jumps when it is replenished.
    """
    idle = lines.idle.filter(pl.col("group") == number).select("start", "end")
    spans = [(start * scale, (end - start) * scale) for start, end in idle.iter_rows()]
    if spans:
        style: dict[str, Any] = {"facecolor": "0.93", "edgecolor": "0.6", "linewidth": 0.0, "hatch": "//////"}
        axes.broken_barh(spans, (group.top, group.bottom - group.top), zorder=1, **style)
    changes = lines.budgets.filter(pl.col("group") == number).select("tick", "budget", "is_charged")
    nexts = [*changes["tick"][1:], lines.until]
    instants, heights = [], []
    for (tick, budget, is_charged), end in zip(changes.rows(), nexts, strict=True):
        instants += [tick * scale, end * scale]
        heights += [budget, budget - is_charged * (end - tick)]
    ys = [group.bottom - (group.bottom - group.top) * height / group.budget for height in heights]
    axes.fill_between(instants, ys, group.bottom, facecolor="0.4", alpha=0.25, linewidth=0, zorder=1.5)
    axes.plot(instants, ys, color="0.25", linewidth=0.6, zorder=2)


def _deadlocks(axes: Axes, lines: Timeline, deadlocks: pl.DataFrame, scale: float) -> None:
    """Draw a line through all lanes where a circle of waiting jobs closes, and a mark at each of these jobs."""
    instants = deadlocks["instant"].unique().sort()
    axes.vlines(_at(instants, scale), 0, lines.height, _INK, linewidth=1.3, zorder=5)
    for instant, number in deadlocks.drop_nulls().iter_rows():
        y = _middle(lines.lanes[number])
        axes.plot([instant * scale], [y], "X", color=_INK, markersize=6, markeredgecolor="white", zorder=6)
    for instant in instants:
        _note(axes, instant * scale, 0.1, "deadlock", weight="bold")


def _at(instants: Iterable[int], scale: float) -> list[float]:
    return [instant * scale for instant in instants]


def _style(axes: Axes, lines: Timeline) -> None:
    """Write the names of lanes, rule their baselines, head the servers and omit the rest."""
    names = [(lane.y + 0.1, shorten(lane.task, _NAME_CHARACTERS)) for lane in lines.lanes]
    budgets = [(y, text) for group in lines.groups for y, text in ((group.top, group.label), (group.bottom, "0"))]
    axes.set_yticks([y for y, _ in names + budgets], [text for _, text in names + budgets], parse_math=False)
    axes.hlines(
        [lane.y + _BASE for lane in lines.lanes], 0, 1, "0.75", linewidth=0.4, transform=axes.get_yaxis_transform()
    )
    place: dict[str, Any] = {"transform": axes.get_yaxis_transform(), "va": "center", "fontsize": 6}
    heads: list[Heading | Group] = [*lines.headings, *lines.groups]
    for above in heads:
        axes.text(0.005, above.y, above.title, color="0.35", parse_math=False, **place)
    axes.set_ylim(lines.height, -0.05)
    axes.tick_params(axis="y", length=0, labelsize=_FONT_POINTS)
    for label in axes.get_yticklabels()[len(names) :]:
        label.set_fontsize(_SMALL_POINTS)
    axes.tick_params(axis="x", width=0.5, length=2.5, labelsize=_FONT_POINTS)
    axes.spines[["top", "left", "right"]].set_visible(False)
