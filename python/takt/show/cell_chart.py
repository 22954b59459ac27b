# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The Gantt chart of a notebook's cell: a stretch of a timeline as SVG, with tooltips.

Drawn as the chart for papers (gantt.py): arrows for releases and deadlines, dotted lines between the pieces of a job,
budgets below the headings of servers, black bars for resources that are held. What ran after a deadline is red.
Lines and texts have the colour of the text around them, so the chart stands on a light and on a dark ground. Elements
have no identifiers, because a notebook has many charts. ElementTree escapes what users name their tasks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree as ET

import polars as pl

from takt.base import times
from takt.show.text_tables import shorten
from takt.show.timeline import MISS_COLOR, SECTION_HEIGHT, Group, Lane, Timeline, axis_unit

MAX_INSTANTS = 240
"""At how many instants something begins or ends in a stretch; a job in one piece has four."""

WIDTH = 860
LEFT = 150
"""Where the chart begins, right of the names of tasks."""
LANE = 28
INK = "currentColor"

_RIGHT = WIDTH - 12
_AXIS = 34
_TOP, _BAR_TOP, _BAR_HEIGHT, _BASE = -0.40, -0.18, 0.5, 0.36
_SECTION_TOP, _HOLD_HEIGHT, _WAIT_HEIGHT = 0.48, 0.26, 0.16
_NAME_CHARACTERS = 18
_TITLE_CHARACTERS = 60
_LETTER = 6.2
_FONT = "font:12px system-ui,-apple-system,'Segoe UI',Roboto,sans-serif"
_STEPS = (1, 2, 5, 10)
_MAX_TICKS = 8
_TOLERANCE = 1e-6
"""Of the places of ticks, in steps."""


def stretch_of(lines: Timeline) -> tuple[int, int]:
    """Return the stretch that a chart shows well: the begin, or what leads to the first late job."""
    instants = _instants(lines)
    if len(instants) <= MAX_INSTANTS:
        return 0, lines.until
    late = lines.jobs.filter("missed").sort("deadline", "release")
    if late.is_empty() or late["deadline"][0] <= instants[MAX_INSTANTS - 1]:
        return 0, max(instants[MAX_INSTANTS - 1], 1)
    release, due = late.select("release", "deadline").row(0)
    place = int(instants.search_sorted(due))
    first = max(instants[max(0, place - MAX_INSTANTS * 3 // 4)], min(release, due))
    last = instants[min(len(instants) - 1, int(instants.search_sorted(first)) + MAX_INSTANTS)]
    return int(first), max(int(last), int(first) + 1)


def _instants(lines: Timeline) -> pl.Series:
    """Return all instants at which a chart has something, ascending."""
    columns = [
        *(lines.segments[name] for name in ("start", "end")),
        *(lines.jobs[name] for name in ("release", "deadline")),
        lines.points["instant"],
        lines.budgets["tick"],
        lines.idle["start"],
        lines.sections["start"],
        lines.changes["instant"],
    ]
    found = pl.concat([column.cast(pl.Int64).alias("instant") for column in columns]).drop_nulls()
    return found.filter(found <= lines.until).sort()


# ---- elements -----------------------------------------------------------------------------------------


def svg(width: float, height: float, label: str) -> ET.Element:
    """Return an empty picture."""
    style = f"{_FONT};max-width:100%;min-width:640px;height:auto;overflow:visible"
    size = {"width": f"{width:g}", "height": f"{height:g}", "viewBox": f"0 0 {width:g} {height:g}"}
    return ET.Element("svg", {**size, "role": "img", "aria-label": label, "style": style})


def add(parent: ET.Element, tag: str, title: str = "", /, **attributes: float | str) -> ET.Element:
    """Add an element; `_` in names of attributes stands for `-`, and numbers have one decimal.

    Args:
        parent: what it is put into.
        tag: what it is.
        title: of its tooltip.
        attributes: its own.
    """
    written = {
        name.rstrip("_").replace("_", "-"): value if isinstance(value, str) else f"{round(value, 1):g}"
        for name, value in attributes.items()
    }
    element = ET.SubElement(parent, tag, written)
    if title:
        ET.SubElement(element, "title").text = title
    return element


def write(parent: ET.Element, x: float, y: float, text: str, /, **attributes: float | str) -> ET.Element:
    """Add a text whose middle is at a height."""
    element = add(parent, "text", x=x, y=y + 4, fill=INK, **attributes)
    element.text = text
    return element


def markup(picture: ET.Element) -> str:
    """Return the text of a picture."""
    return ET.tostring(picture, encoding="unicode")


# ---- the chart ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _View:
    """The stretch of a chart, and how its times are written. Times in ticks.

    Args:
        picture: the chart.
        first, last: the stretch.
        write: how to write a time.
    """

    picture: ET.Element
    first: int
    last: int
    write: Callable[[int | None], str]

    def x(self, instant: float) -> float:
        """Return the place of an instant; those outside are at the edges."""
        part = (instant - self.first) / (self.last - self.first)
        return LEFT + min(max(part, 0.0), 1.0) * (_RIGHT - LEFT)

    def seen(self, frame: pl.DataFrame, start: str, end: str | None = None) -> pl.DataFrame:
        """Return the rows that lie in the stretch, or reach into it."""
        return frame.filter(pl.col(end or start) >= self.first, pl.col(start) <= self.last)


def gantt(lines: Timeline, first: int, last: int, write_time: Callable[[int | None], str]) -> str:
    """Return the chart of a stretch.

    Args:
        lines: the run.
        first: begin of the stretch, in ticks.
        last: its end, above the begin.
        write_time: how to write a time of a tooltip.
    """
    picture = svg(WIDTH, lines.height * LANE + _AXIS, "Gantt chart")
    view = _View(picture, first, last, write_time)
    _axis(view, lines)
    for number, group in enumerate(lines.groups):
        _group(view, lines, number, group)
    for heading in lines.headings:
        write(picture, LEFT + 2, heading.y * LANE, shorten(heading.title, _TITLE_CHARACTERS), opacity=0.7)
    for number, lane in enumerate(lines.lanes):
        _lane(view, lines, number, lane)
    _changes(view, lines)
    _deadlocks(view, lines)
    return markup(picture)


def _axis(view: _View, lines: Timeline) -> None:
    """Draw the axis of time in the unit that suits the stretch."""
    bottom = lines.height * LANE
    tick_ns = lines.scale * times.UNITS[lines.unit]
    unit = axis_unit((view.last - view.first) * tick_ns)
    scale = tick_ns / times.UNITS[unit]
    for value in axis_values(view.first * scale, view.last * scale):
        x = view.x(value / scale)
        add(view.picture, "path", d=f"M{x:.1f} 0V{bottom + 4:.1f}", stroke=INK, opacity=0.15)
        write(view.picture, x, bottom + 12, f"{value:,.10g}", text_anchor="middle", opacity=0.75)
    write(view.picture, _RIGHT, bottom + 27, f"time ({times.shown(unit)})", text_anchor="end", opacity=0.75)


def axis_values(first: float, last: float) -> Iterator[float]:
    """Yield some round values in a stretch."""
    rough = (last - first) / _MAX_TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in _STEPS if factor * power >= rough * (1 - _TOLERANCE))
    number = math.ceil(first / step - _TOLERANCE)
    while number * step <= last + _TOLERANCE * step:
        yield round(number * step, 12)
        number += 1


def _lane(view: _View, lines: Timeline, number: int, lane: Lane) -> None:
    """Draw the jobs of a task."""
    base = (lane.y + _BASE) * LANE
    name = write(view.picture, LEFT - 8, lane.y * LANE, shorten(lane.task, _NAME_CHARACTERS), text_anchor="end")
    ET.SubElement(name, "title").text = lane.task
    add(view.picture, "path", d=f"M{LEFT} {base:.1f}H{_RIGHT}", stroke=INK, opacity=0.2)
    jobs = {job: row for job, *row in _rows(lines.jobs.filter(lane=number), "job release deadline response")}
    segments = lines.segments.filter(lane=number)
    top, middle = (lane.y + _BAR_TOP) * LANE, (lane.y + _BAR_TOP + _BAR_HEIGHT / 2) * LANE
    for start, resumed in _rows(view.seen(segments.drop_nulls("resumed"), "resumed", "start"), "start resumed"):
        path = f"M{view.x(resumed):.1f} {middle:.1f}H{view.x(start):.1f}"
        add(view.picture, "path", d=path, stroke=lane.color, stroke_width="1.5", stroke_dasharray="2 2")
    for start, end, job, cpu in _rows(view.seen(segments, "start", "end"), "start end job cpu"):
        if end > view.first and start < view.last:
            _piece(view, lane, top, (start, end), f"{lane.task} #{job}", jobs.get(job), cpu if lines.cpus > 1 else None)
    _arrows(view, lines, number, lane)
    _points(view, lines, number, middle)
    _sections(view, lines, number, lane)


def _piece(
    view: _View,
    lane: Lane,
    top: float,
    span: tuple[int, int],
    name: str,
    job: list[int | None] | None,
    cpu: int | None,
) -> None:
    """Draw a piece of a job; what ran after its deadline is red."""
    start, end = span
    release, due, response = job or (None, None, None)
    title = f"{name}: {view.write(start)} to {view.write(end)}"
    title += f" on processor {cpu}" if cpu is not None else ""
    title += f"; release {view.write(release)}, deadline {view.write(due)}, response {view.write(response)}"
    shape: dict[str, float | str] = {"y": top, "height": _BAR_HEIGHT * LANE, "stroke": INK, "stroke_width": "0.5"}
    left, right = view.x(start), view.x(end)
    add(view.picture, "rect", title, x=left, width=max(right - left, 0.8), fill=lane.color, **shape)
    if due is not None and due < min(end, view.last):
        late = view.x(max(start, due))
        add(view.picture, "rect", f"late: {title}", x=late, width=max(right - late, 2.0), fill=MISS_COLOR, **shape)
    if cpu is not None and right - left > _LETTER * (1 + len(str(cpu))):
        middle, y = (left + right) / 2, top + _BAR_HEIGHT * LANE / 2
        number = write(view.picture, middle, y, str(cpu), text_anchor="middle", style="font-size:10px")
        number.attrib |= {"fill": "#fff", "stroke": "#000", "stroke-width": "2", "paint-order": "stroke"}


def _arrows(view: _View, lines: Timeline, number: int, lane: Lane) -> None:
    """Draw releases as arrows up and deadlines as arrows down; one that was missed is thick and red."""
    jobs = lines.jobs.filter(lane=number)
    top, base = (lane.y + _TOP) * LANE, (lane.y + _BASE) * LANE
    for job, release in _rows(view.seen(jobs, "release"), "job release"):
        x, title = view.x(release), f"{lane.task} #{job}: released at {view.write(release)}"
        arrow = f"M{x:.1f} {base:.1f}V{top:.1f}m-2.5 5l2.5 -5l2.5 5z"
        add(view.picture, "path", title, d=arrow, stroke=INK, fill=INK, stroke_width="0.8")
    for job, due, missed in _rows(view.seen(jobs.drop_nulls("deadline"), "deadline"), "job deadline missed"):
        x, half, color = view.x(due), 4.0 if missed else 2.5, MISS_COLOR if missed else INK
        title = f"{lane.task} #{job}: {'missed its deadline' if missed else 'due'} at {view.write(due)}"
        arrow = f"M{x:.1f} {top:.1f}V{base:.1f}m-{half} -{2 * half}l{half} {2 * half}l{half} -{2 * half}z"
        add(view.picture, "path", title, d=arrow, stroke=color, fill=color, stroke_width="2" if missed else "0.8")


def _points(view: _View, lines: Timeline, number: int, middle: float) -> None:
    """Mark points: a large diamond, or a small one for an optional point; filled where the job should yield."""
    points = view.seen(lines.points.filter(lane=number), "instant")
    for instant, optional, should_yield in _rows(points, "instant optional should_yield"):
        x, half = view.x(instant), 3 if optional else 4.5
        shape = f"M{x:.1f} {middle - half:.1f}l{half} {half}l-{half} {half}l-{half} -{half}z"
        title = f"{'optional ' * optional}point at {view.write(instant)}"
        add(view.picture, "path", title, d=shape, fill="#000" if should_yield else "#fff", stroke="#000")


def _sections(view: _View, lines: Timeline, number: int, lane: Lane) -> None:
    """Draw below a lane what its jobs hold, and pale what they wait for."""
    sections = view.seen(lines.sections.filter(lane=number), "start", "end")
    for start, end, resource, waits, depth, holder in _rows(sections, "start end resource waits depth holder"):
        height = _WAIT_HEIGHT if waits else _HOLD_HEIGHT
        y = lane.y + _SECTION_TOP + SECTION_HEIGHT * (depth + 0.5) - height / 2
        what = f"waits for {resource}, which {holder or 'no job'} holds" if waits else f"holds {resource}"
        title = f"{lane.task} {what}: {view.write(start)} to {view.write(end)}"
        left, right = view.x(start), view.x(end)
        style: dict[str, float | str] = {"fill": INK, "fill_opacity": "0.25" if waits else "1", "stroke": INK}
        add(view.picture, "rect", title, x=left, y=y * LANE, width=right - left, height=height * LANE, **style)


def _group(view: _View, lines: Timeline, number: int, group: Group) -> None:
    """Draw the heading of a server, its budget, and pale when it idled."""
    top, bottom = group.top * LANE, group.bottom * LANE
    write(view.picture, LEFT + 2, group.y * LANE, shorten(group.title, _TITLE_CHARACTERS), opacity=0.7)
    for y, text in ((top, group.label), (bottom, "0")):
        write(view.picture, LEFT - 8, y, text, text_anchor="end", style="font-size:10px", opacity=0.7)
    for start, end in _rows(view.seen(lines.idle.filter(group=number), "start", "end"), "start end"):
        left, right = view.x(start), view.x(end)
        title = f"idles from {view.write(start)} to {view.write(end)}"
        shape = {"x": left, "y": top, "width": right - left, "height": bottom - top}
        add(view.picture, "rect", title, fill=INK, opacity="0.12", **shape)
    places = [
        f"{view.x(instant):.1f} {bottom - (bottom - top) * height / max(group.budget, 1):.1f}"
        for instant, height in _curve(view, lines, number)
    ]
    if places:
        add(view.picture, "polyline", points=" ".join(places), fill="none", stroke=INK, opacity="0.7")


def _curve(view: _View, lines: Timeline, number: int) -> Iterator[tuple[float, float]]:
    """Yield the corners of a budget's line in the stretch: it falls with slope 1 while it is charged."""
    rows = lines.budgets.filter(group=number).select("tick", "budget", "is_charged").rows()
    for (tick, budget, is_charged), (end, *_) in pairwise([*rows, (lines.until, 0, False)]):
        start, stop = max(tick, view.first), min(end, view.last)
        if start <= stop:
            yield start, budget - is_charged * (start - tick)
            yield stop, budget - is_charged * (stop - tick)


def _changes(view: _View, lines: Timeline) -> None:
    """Draw a dashed line where something changes."""
    for instant, text in _rows(view.seen(lines.changes, "instant"), "instant text"):
        x, title = view.x(instant), f"at {view.write(instant)}: {text}"
        path = f"M{x:.1f} 0V{lines.height * LANE:.1f}"
        add(view.picture, "path", title, d=path, stroke=INK, stroke_width="1.5", stroke_dasharray="5 3")


def _deadlocks(view: _View, lines: Timeline) -> None:
    """Draw a line through all lanes where a circle of waiting jobs closes, and a mark at each of these jobs."""
    for instant, number in _rows(view.seen(lines.deadlocks, "instant"), "instant lane"):
        x, bottom = view.x(instant), lines.height * LANE
        add(view.picture, "path", "deadlock", d=f"M{x:.1f} 0V{bottom:.1f}", stroke=INK, stroke_width="2.5")
        write(view.picture, min(x + 4, _RIGHT - 52), 6, "deadlock", font_weight="bold")
        if number is not None:
            y = (lines.lanes[number].y + _BAR_TOP + _BAR_HEIGHT / 2) * LANE
            cross = f"M{x - 4:.1f} {y - 4:.1f}l8 8m0 -8l-8 8"
            add(view.picture, "path", "waits in a circle", d=cross, stroke=INK, stroke_width="3")


def _rows(frame: pl.DataFrame, columns: str) -> Iterator[tuple[Any, ...]]:
    yield from frame.select(columns.split()).iter_rows()
