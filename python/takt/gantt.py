"""The static Gantt chart, for papers: SVG, PDF or PNG by matplotlib, readable in print without colours.

Matplotlib is imported when a chart is drawn, not when the command starts.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from takt.errors import InputError, Problem, show, system_error
from takt.simulation import Result
from takt.timeline import MISS, Timeline, colour_of, timeline_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SUFFIXES = (".svg", ".pdf", ".png")
"""What a chart can be written as."""

MAX_SEGMENTS = 5000
"""How many segments a chart draws."""

_WIDTH_INCHES = 7.16
_LANE_INCHES = 0.42


def check_path(path: str | Path) -> None:
    """Check that a chart can be written as what a file's name ends in.

    Raises:
        InputError: it cannot.
    """
    if Path(path).suffix.lower() not in SUFFIXES:
        message = f"expected a name that ends in {', '.join(SUFFIXES)}, found {show(Path(path).name)}"
        raise InputError([Problem(message, "unknown-word", file=str(path))])


def draw(result: Result, path: str | Path | None = None, *, start: int = 0, end: int | None = None) -> Figure:
    """Draw who runs when, a lane for each task.

    Arrows up are releases, arrows down deadlines, both as in the literature; a job that runs late is hatched and
    outlined in red, points of bodies are diamonds, optional ones circles.

    Args:
        result: a run that kept segments, jobs and points.
        path: a file to write, .svg, .pdf or .png; None: none.
        start: first tick to show.
        end: where to stop; default: the horizon, or after MAX_SEGMENTS segments.

    Returns:
        The figure, two columns of a journal wide.

    Raises:
        InputError: the file cannot be written, or its name ends in something else.
    """
    from matplotlib.figure import Figure

    if path is not None:
        check_path(path)
    timeline = timeline_of(result, MAX_SEGMENTS)
    lanes = len(timeline.lanes)
    drawing = Figure(figsize=(_WIDTH_INCHES, _LANE_INCHES * lanes + 0.7), layout="constrained")
    axes = drawing.subplots()
    last = timeline.horizon if timeline.shown == timeline.total else float(timeline.pieces["end"][-1])
    axes.set_xlim(start * timeline.scale, last if end is None else end * timeline.scale)
    axes.set_ylim(lanes, 0)
    axes.set_yticks([lane + 0.55 for lane in range(lanes)], timeline.labels)
    axes.set_xlabel(timeline.unit)
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    _draw_lanes(axes, timeline)
    _draw_marks(axes, timeline)
    if path is not None:
        _save(drawing, Path(path))
    return drawing


def _draw_lanes(axes: Axes, timeline: Timeline) -> None:
    """Draw the segments and what ran late."""
    for lane in range(len(timeline.lanes)):
        axes.axhline(lane + 0.8, color="#9aa5b1", linewidth=0.5, zorder=0)
        pieces = timeline.pieces.filter(lane=lane)
        late = timeline.late.filter(lane=lane)
        axes.broken_barh(
            _bars(pieces), (lane + 0.38, 0.42), facecolor=colour_of(lane), edgecolor="black", linewidth=0.5
        )
        axes.broken_barh(_bars(late), (lane + 0.38, 0.42), facecolor="none", edgecolor=MISS, hatch="////", linewidth=1)


def _bars(frame: pl.DataFrame) -> list[tuple[float, float]]:
    """List start and length of bars."""
    return frame.select("start", pl.col("end") - pl.col("start")).rows()


def _draw_marks(axes: Axes, timeline: Timeline) -> None:
    """Draw releases, deadlines and points."""
    marks = timeline.marks
    axes.vlines(marks["release"], marks["lane"] + 0.1, marks["lane"] + 0.8, color="black", linewidth=0.8, zorder=3)
    axes.scatter(marks["release"], marks["lane"] + 0.1, marker="^", s=9, color="black", zorder=3)
    for missed, colour in ((False, "#52606d"), (True, MISS)):
        some = marks.filter(missed=missed)
        axes.vlines(some["deadline"], some["lane"] + 0.2, some["lane"] + 0.95, color=colour, linewidth=0.8, zorder=3)
        axes.scatter(some["deadline"], some["lane"] + 0.95, marker="v", s=9, color=colour, zorder=3)
    for optional, marker in ((False, "D"), (True, "o")):
        some = timeline.points.filter(optional=optional)
        fills = ["black" if asked else "white" for asked in some["should_yield"]]
        axes.scatter(
            some["instant"],
            some["lane"] + 0.59,
            marker=marker,
            s=12,
            c=fills,
            edgecolors="black",
            linewidths=0.6,
            zorder=4,
        )


def _save(drawing: Figure, path: Path) -> None:
    """Write a chart; text stays text in vector formats."""
    import matplotlib

    try:
        with matplotlib.rc_context({"svg.fonttype": "none", "pdf.fonttype": 42, "svg.hashsalt": "takt"}):
            drawing.savefig(path, dpi=300, metadata={"Date": None} if path.suffix.lower() == ".svg" else None)
    except OSError as error:
        raise system_error("write", path, error) from None
