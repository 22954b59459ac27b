# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The result of a study for people: tables on the terminal, and figures for print.

A table for each quantity, a row for each point. A figure for each measure, a column wide, vector text, and readable
without colours: each quantity has panels, one for each value of what is not on the horizontal axis; subjects differ by
marks and dashes, and the interval of 95 percent is a thin bar.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from takt.show.gantt import STYLE, check_path, save
from takt.show.text_tables import Column, Terminal
from takt.study.description import Study
from takt.study.results import as_text
from takt.study.statistics import CONFIDENCE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_ROWS = 500
"""Of more rows the first are shown; the files have all."""

_DECIMALS = 3


def print_result(terminal: Terminal, study: Study, result: pl.DataFrame) -> None:
    """Print the tables of a result.

    Args:
        terminal: where to.
        study: which one.
        result: what run found.
    """
    tables = result.group_by("measure", "quantity", maintain_order=True)
    for number, ((_, quantity), rows) in enumerate(tables):
        if number > 0:
            terminal.print()
        axes = [key for key in study.axes if rows[key].is_not_null().any()]
        subjects = rows["subject"].unique(maintain_order=True).to_list()
        lines = []
        for part in rows.partition_by(axes, maintain_order=True) if axes else [rows]:
            values = dict[str, str]()
            for row in part.iter_rows(named=True):
                value = "-" if row["value"] is None else f"{row['value']:.{_DECIMALS}f}"
                values[row["subject"]] = f"{value} ({row['undecided']} undecided)" if row["undecided"] else value
            lines.append([*(as_text(part[axis][0]) for axis in axes), *map(values.__getitem__, subjects)])
        terminal.print(f"{study.name}: {quantity}", "title")
        cells = zip(*lines[:MAX_ROWS], strict=True)
        hidden = terminal.print_table(
            [
                Column(heading, column, importance=2 if place < len(axes) else 1)
                for place, (heading, column) in enumerate(zip((*axes, *subjects), cells, strict=True))
            ]
        )
        sets, widths = rows["sets"].to_list(), (rows["high"] - rows["low"]).drop_nulls().to_list()
        counts = str(sets[0]) if len(set(sets)) == 1 else f"{min(sets)} to {max(sets)}"
        notes = [f"task sets behind each value: {counts}"]
        notes += [f"widest interval of {CONFIDENCE:.0%}: {max(widths):.{_DECIMALS}f}"] if widths else []
        notes += [f"{len(lines) - MAX_ROWS} more rows are in the files"] * (len(lines) > MAX_ROWS)
        notes += [f"not shown: {', '.join(hidden)} (--wide)"] * bool(hidden)
        for note in notes:
            terminal.print(note)


# ---- figures ---------------------------------------------------------------------------------------

MAX_PANELS = 24
"""Of more values of what is not on the horizontal axis the first are drawn."""

_WIDTH_INCHES, _HEIGHT_INCHES = 3.5, 2.3
_COLUMNS, _SUBJECTS = 2, 4
_MARKS = ("o", "s", "^", "D", "v", "x", "+", "*")
_DASHES = ("-", "--", ":", "-.")
_INKS = ("black", "0.45", "0.65")
_FRONT = "utilization"
"""Where it is an axis, it is the horizontal one."""


@dataclass(frozen=True)
class _Panel:
    """Data of one pair of axes.

    Args:
        quantity: what it is about.
        title: what is the same for all of it.
        axis: the horizontal axis, None if there is none.
        rows: of the result, of one quantity.
    """

    quantity: str
    title: str
    axis: str | None
    rows: pl.DataFrame

    def fill(self, axes: Axes) -> None:
        """Draw a line for each subject, or a mark where there is no axis."""
        styles = zip(cycle(_MARKS), cycle(_DASHES), cycle(_INKS), strict=False)
        for (subject,), rows in self.rows.group_by("subject", maintain_order=True):
            places = [str(subject)] if self.axis is None else rows[self.axis].to_list()
            mark, dashes, ink = next(styles)
            values = rows["value"].cast(pl.Float64).fill_null(float("nan")).to_numpy()
            below = values - rows["low"].fill_null(rows["value"]).to_numpy()
            above = rows["high"].fill_null(rows["value"]).to_numpy() - values
            axes.errorbar(
                places,
                values,
                yerr=[below, above],
                label=str(subject),
                color=ink,
                marker=mark,
                linestyle=dashes,
                markersize=3.0,
                markerfacecolor="white",
                linewidth=0.8,
                elinewidth=0.5,
                capsize=1.0,
            )
        axes.set_title(self.title, fontsize=STYLE["font.size"])
        axes.set_xlabel("" if self.axis is None else label_of(self.axis))
        axes.set_ylabel(self.quantity)
        if self.rows["accepted"].is_not_null().all():  # ratios
            axes.set_ylim(-0.03, 1.03)
        axes.spines[["top", "right"]].set_visible(False)


def paths_of(study: Study, path: Path) -> dict[str, Path]:
    """Return the file of each measure's figure: the path, or if there are several, one each, named by the kind.

    Raises:
        InputError: the suffix is none that can be written.
    """
    check_path(path)
    kinds = [measure.kind for measure in study.measures]
    if len(kinds) == 1:
        return {kinds[0]: path}
    return {kind: path.with_name(f"{path.stem}-{kind}{path.suffix}") for kind in kinds}


def draw(study: Study, result: pl.DataFrame, kind: str, path: str | Path | None = None) -> Figure:
    """Draw the figure of a measure.

    Args:
        study: which one.
        result: what run found.
        kind: of the measure.
        path: a file to write it to, too; its suffix (.svg, .png, .pdf) says in which format.

    Returns:
        The figure; Matplotlib's methods change it.

    Raises:
        InputError: the suffix is not one of these, or the file cannot be written.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    check_path(path)
    panels = list(_panels(study, result.filter(measure=kind)))[:MAX_PANELS]
    columns = min(_COLUMNS, len(panels))
    rows = -(-len(panels) // columns)
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(columns * _WIDTH_INCHES, rows * _HEIGHT_INCHES), layout="constrained")
        grid = figure.subplots(rows, columns, squeeze=False).flatten()
        first: dict[str, Axes] = {}
        for axes, panel in zip(grid, panels, strict=False):
            panel.fill(axes)
            axes.sharey(first.setdefault(panel.quantity, axes))
        for axes in grid[len(panels) :]:
            axes.set_visible(False)
        figure.legend(
            *grid[0].get_legend_handles_labels(), loc="outside lower center", ncols=columns * 3, frameon=False
        )
        if path is not None:
            save(figure, path)
    return figure


def label_of(axis: str) -> str:
    """Return the label of an axis; one without a unit is a number or a word."""
    return axis.replace("_", " ")


def _panels(study: Study, rows: pl.DataFrame) -> Iterator[_Panel]:
    """Cut the rows of a measure into panels: by quantity, and by the values of what is not on the horizontal axis."""
    axes = [key for key in study.axes if rows[key].is_not_null().any()]
    axis = max(axes, key=lambda key: (key == _FRONT, len(study.axes[key])), default=None)
    others = [key for key in study.axes if key != axis and rows[key].is_not_null().any()]
    for (quantity,), about in rows.group_by("quantity", maintain_order=True):
        for part in about.partition_by(others, maintain_order=True) if others else [about]:
            title = ", ".join(f"{label_of(key)} {as_text(part[key][0])}" for key in others)
            yield _Panel(str(quantity), title, axis, part)
