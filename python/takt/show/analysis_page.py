# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The page of an analysis: verdict, bounds, and demand against supply, as one HTML file without any outside part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from bokeh.models import Range1d, Span
from bokeh.plotting import figure

from takt.analysis.result import Analysis, Chart
from takt.base import output_files, times
from takt.show import analysis_text, causes_text, part_bars, run_page
from takt.show.charts import FONT, quiet_figure
from takt.show.text_tables import MAX_LINES, Clock, Column, percent

_LOOKS: dict[str, dict[str, Any]] = {
    "demand": {"line_color": "#b8141f", "line_width": 2},
    "supply": {"line_color": "#4477aa", "line_width": 2, "line_dash": "dashed"},
}


def write(analyses: Sequence[Analysis], path: Path) -> None:
    """Write a page about some systems.

    Args:
        analyses: what is known of each.
        path: the file; what is there is replaced.

    Raises:
        InputError: the file cannot be written.
    """
    output_files.write(path, page(analyses).encode())


def page(analyses: Sequence[Analysis]) -> str:
    """Return the text of the page; arguments are those of write."""
    figures = {
        f"chart-{number}-{place}": demand_chart(chart, *_scale_of(chart, analysis.resolution_ns))
        for number, analysis in enumerate(analyses)
        for place, chart in enumerate(analysis.charts)
    }
    systems = []
    for number, analysis in enumerate(analyses):
        clock = Clock(analysis.resolution_ns)
        facts = {
            "name": analysis.name,
            "policy": analysis.policy,
            "utilization": percent(Fraction(*analysis.utilization)),
            "verdict": analysis.verdict.value,
            "is_schedulable": analysis.is_schedulable,
            "summary": causes_text.summary(analysis, clock),
            "lines": analysis_text.lines_of(analysis, clock),
            "reasons": list(analysis_text.all_reasons(analysis, clock)),
            "bars": [part_bars.bar_of(row, clock) for row in analysis.tasks if row.parts][:MAX_LINES],
            "task_table": _table(analysis_text.task_columns(analysis, clock)),
            "server_table": _table(analysis_text.server_columns(analysis, clock)),
            "charts": [
                {"title": chart.title, "key": f"chart-{number}-{place}"} for place, chart in enumerate(analysis.charts)
            ],
        }
        systems.append(facts)
    return run_page.render("analysis.html", {"systems": systems, "inks": part_bars.INKS}, run_page.embed(figures))


def _scale_of(chart: Chart, resolution_ns: int) -> tuple[float, str]:
    """Return the units per tick of a chart, and the unit that its longest time has."""
    end = max(curve.points[-1][0] for curve in chart.curves) * resolution_ns
    unit = next((unit for unit in reversed(times.UNITS) if end >= times.UNITS[unit]), "ns")
    return resolution_ns / times.UNITS[unit], unit


def _table(columns: Sequence[Column]) -> dict[str, Any]:
    """Return a table of the page from the columns of the terminal."""
    kinds = ["name" if column.kind == "name" else "number" for column in columns]
    cells = []
    for row in zip(*(column.cells for column in columns), strict=True):
        pairs = zip(row, kinds, strict=True)
        cells.append([each if kind == "number" else replace(each, kind=kind) for each, kind in pairs])
    return {"headers": [(column.heading, kind) for column, kind in zip(columns, kinds, strict=True)], "rows": cells}


def demand_chart(chart: Chart, scale: float, unit: str) -> figure:
    """Draw demand against supply.

    Args:
        chart: what to draw.
        scale: units per tick.
        unit: of both axes.
    """
    end = max(curve.points[-1][0] for curve in chart.curves) * scale
    top = max(points[-1][1] for points in (curve.points for curve in chart.curves)) * scale
    names = {"x_axis_label": f"time since the critical instant, {unit}", "y_axis_label": f"execution, {unit}"}
    drawn = quiet_figure(240, Range1d(0, end), Range1d(0, top * 1.05), **names)
    drawn.axis.axis_label_text_font = FONT
    drawn.axis.axis_label_text_font_style = "normal"
    for curve in chart.curves:
        instants = [instant * scale for instant, _ in curve.points]
        amounts = [amount * scale for _, amount in curve.points]
        if curve.kind == "demand":  # in steps, supply in slopes
            drawn.step(instants, amounts, mode="after", legend_label=curve.kind, **_LOOKS[curve.kind])
        else:
            drawn.line(instants, amounts, legend_label=curve.kind, **_LOOKS[curve.kind])
    if chart.deadline is not None:
        drawn.add_layout(
            Span(location=chart.deadline * scale, dimension="height", line_color="#3d4852", line_width=1.5)
        )
    drawn.legend.location = "bottom_right"
    drawn.legend.label_text_font = FONT
    return drawn
