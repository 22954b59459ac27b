# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The page of an analysis: verdict, bounds, and demand against supply, as one HTML file without any outside part."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from bokeh.models import Range1d, Span
from bokeh.plotting import figure

from takt.analysis.result import Analysis, Chart, ServerBound, TaskBound, Verdict
from takt.base import output_files, times
from takt.show import analysis_text, remedy_text, run_page
from takt.show.charts import FONT, quiet_figure
from takt.show.text_tables import MAX_LINES, Cell, Clock, share

_LOOKS: dict[str, dict[str, Any]] = {
    "demand": {"line_color": "#b8141f", "line_width": 2},
    "supply": {"line_color": "#4477aa", "line_width": 2, "line_dash": "dashed"},
}


def write(analyses: Sequence[tuple[Analysis, str]], path: Path) -> None:
    """Write a page about some systems.

    Args:
        analyses: what is known of each, and the unit to write its times in.
        path: the file; what is there is replaced.

    Raises:
        InputError: the file cannot be written.
    """
    output_files.write(path, page(analyses).encode())


def page(analyses: Sequence[tuple[Analysis, str]]) -> str:
    """Return the text of the page; arguments are those of write."""
    figures = {
        f"chart-{number}-{place}": demand_chart(chart, analysis.resolution_ns / times.UNITS[unit], unit)
        for number, (analysis, unit) in enumerate(analyses)
        for place, chart in enumerate(analysis.charts)
    }
    systems = []
    for number, (analysis, unit) in enumerate(analyses):
        clock = Clock(analysis.resolution_ns, unit)
        facts = {
            "name": analysis.name,
            "policy": analysis.policy,
            "utilization": share(Fraction(*analysis.utilization)),
            "verdict": analysis.verdict.value,
            "is_schedulable": analysis.is_schedulable,
            "lines": [line for line, _ in analysis_text.lines_of(analysis, clock)]
            + (remedy_text.sentences(analysis) if analysis.remedies is not None else []),
            "task_table": _table(analysis_text.task_columns(analysis, clock), analysis.tasks),
            "server_table": _table(analysis_text.server_columns(analysis, clock), analysis.servers),
            "charts": [
                {"title": chart.title, "key": f"chart-{number}-{place}"} for place, chart in enumerate(analysis.charts)
            ],
        }
        systems.append(facts)
    return run_page.render("analysis.html", {"systems": systems}, run_page.embed(figures))


def _table(
    columns: Sequence[analysis_text.Column], rows: Sequence[TaskBound] | Sequence[ServerBound]
) -> dict[str, Any]:
    """Return a table of the page from the columns of the terminal."""
    kinds = ["name" if column.justify == "left" else "number" for column in columns]
    cells = []
    for row in rows[:MAX_LINES]:
        number = "missed" if row.verdict is Verdict.NOT_SCHEDULABLE else "number"
        styles = {"name": "name", "number": number}
        cells.append([Cell(column.write(row), styles[kind]) for column, kind in zip(columns, kinds, strict=True)])
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
