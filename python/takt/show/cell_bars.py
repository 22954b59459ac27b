# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Bars and curves of a notebook's cell: loads of tasks, parts of responses, demand against supply, as SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from xml.etree import ElementTree as ET

from takt.analysis.result import Chart
from takt.base import times
from takt.show.cell_chart import INK, LEFT, WIDTH, add, axis_values, markup, svg, write
from takt.show.part_bars import INKS, Bar
from takt.show.text_tables import percent, shorten
from takt.show.timeline import COLORS, MISS_COLOR, axis_unit

_ROW = 22
_BAR = 14
_NAME_CHARACTERS = 18
_TEXT_WIDTH = 170
_LEGEND_LETTER = 6.6
_CURVE_HEIGHT = 180


def loads(shares: Sequence[tuple[str, Fraction]], cpus: int) -> str:
    """Return one bar of the loads of tasks, beside all that the processors have.

    Args:
        shares: name and load of each task.
        cpus: how many processors there are.
    """
    picture = svg(WIDTH, 52, "load of the processors by tasks")
    whole = max(float(sum(share for _, share in shares)), cpus)
    scale, x = (WIDTH - 20) / whole, 4.0
    for number, (name, share) in enumerate(shares):
        width, title = float(share) * scale, f"{name}: {percent(share)}"
        style = {"stroke": INK, "stroke_width": "0.5", "fill": COLORS[number % len(COLORS)]}
        add(picture, "rect", title, x=x, y=6, width=width, height=22, **style)
        x += width
    full = 4 + cpus * scale
    add(picture, "path", d=f"M{full:.1f} 0V34", stroke=INK, stroke_width="2")
    text = "100 % of the processor" if cpus == 1 else f"100 % of {cpus} processors"
    write(picture, full, 44, text, text_anchor="end" if full > WIDTH / 2 else "start", opacity=0.75)
    return markup(picture)


def parts(bars: Sequence[Bar]) -> str:
    """Return a bar for each task: what its bound consists of, and a line at its deadline."""
    used = [ink for ink in INKS if any(part.ink == ink for bar in bars for part in bar.parts)]
    picture = svg(WIDTH, _ROW * len(bars) + 24, "parts of the bound of each response")
    right = WIDTH - _TEXT_WIDTH
    for number, bar in enumerate(bars):
        middle = _ROW * (number + 0.5)
        name = write(picture, LEFT - 8, middle, shorten(bar.task, _NAME_CHARACTERS), text_anchor="end")
        ET.SubElement(name, "title").text = bar.task
        x = float(LEFT)
        for part in bar.parts:
            width = part.width / 100 * (right - LEFT)
            style = {"fill": INKS[part.ink][0], "stroke": INK, "stroke_width": "0.5"}
            shape = {"x": x, "y": middle - _BAR / 2, "width": width, "height": float(_BAR)}
            add(picture, "rect", f"{bar.task}: {part.title}", **shape, **style)
            x += width
        due = LEFT + bar.deadline / 100 * (right - LEFT)
        add(picture, "path", "deadline", d=f"M{due:.1f} {middle - 10:.1f}v20", stroke=INK, stroke_width="2")
        text = write(picture, right + 8, middle, f"{bar.text}{' !' * bar.is_late}")
        if bar.is_late:
            text.attrib |= {"fill": MISS_COLOR, "font-weight": "bold"}
    _legend(picture, used, _ROW * len(bars) + 12)
    return markup(picture)


def _legend(picture: ET.Element, used: Sequence[str], y: float) -> None:
    """Name the colours of a picture, and the line at the deadline."""
    x = float(LEFT)
    for color, text in (INKS[ink] for ink in used):
        add(picture, "rect", x=x, y=y - 5, width=10, height=10, fill=color)
        write(picture, x + 15, y, text, opacity=0.75)
        x += 30 + _LEGEND_LETTER * len(text)
    add(picture, "path", d=f"M{x:.1f} {y - 6:.1f}v12", stroke=INK, stroke_width="2")
    write(picture, x + 8, y, "deadline", opacity=0.75)


def demand(chart: Chart, resolution_ns: int) -> str:
    """Return demand in steps and supply as a dashed line: above it a deadline can be missed.

    Args:
        chart: what to draw.
        resolution_ns: nanoseconds of a tick.
    """
    picture = svg(WIDTH, _CURVE_HEIGHT + 34, f"demand and supply of {chart.title}")
    end = max(max(curve.points[-1][0] for curve in chart.curves), 1)
    top = max(max(amount for curve in chart.curves for _, amount in curve.points), 1)
    unit = axis_unit(end * resolution_ns)
    scale, right = resolution_ns / times.UNITS[unit], WIDTH - 100

    def place(instant: float, amount: float) -> str:
        return f"{60 + instant / end * (right - 60):.1f} {_CURVE_HEIGHT - amount / top * (_CURVE_HEIGHT - 10):.1f}"

    for value in axis_values(0, end * scale):
        x = 60 + value / scale / end * (right - 60)
        add(picture, "path", d=f"M{x:.1f} 10V{_CURVE_HEIGHT}", stroke=INK, opacity=0.15)
        write(picture, x, _CURVE_HEIGHT + 12, f"{value:,.10g}", text_anchor="middle", opacity=0.75)
    for value in axis_values(0, top * scale):
        y = _CURVE_HEIGHT - value / scale / top * (_CURVE_HEIGHT - 10)
        add(picture, "path", d=f"M60 {y:.1f}H{right}", stroke=INK, opacity=0.15)
        write(picture, 54, y, f"{value:,.10g}", text_anchor="end", opacity=0.75)
    for curve in chart.curves:
        corners = _steps(curve.points) if curve.kind == "demand" else iter(curve.points)
        style = {"stroke": "#4477aa", "stroke_dasharray": "7 4"} if curve.kind != "demand" else {"stroke": MISS_COLOR}
        points = " ".join(place(*corner) for corner in corners)
        add(picture, "polyline", curve.kind, points=points, fill="none", stroke_width="2", **style)
        x, y = map(float, place(*curve.points[-1]).split())
        write(picture, x + 6, y, curve.kind)
    if chart.deadline is not None:
        x = float(place(chart.deadline, 0).split()[0])
        add(picture, "path", "deadline", d=f"M{x:.1f} 10V{_CURVE_HEIGHT}", stroke=INK, stroke_width="2")
    write(picture, right, _CURVE_HEIGHT + 27, f"time, execution ({times.shown(unit)})", text_anchor="end", opacity=0.75)
    return markup(picture)


def _steps(points: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the corners of a function that stays between two points."""
    yield points[0]
    for (_, amount), (instant, after) in pairwise(points):
        yield instant, amount
        yield instant, after
