# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Figures of a study for print: one for each measure, a column wide, vector text, and readable without colours.

Each quantity has panels, one for each value of what is not on the horizontal axis; subjects differ by marks and
dashes, and the interval of 95 percent is a thin bar.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from takt.show.gantt import STYLE, check_path, save
from takt.study.description import Study
from takt.study.results import as_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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
            _draw_line(axes, str(subject), places, rows, next(styles))
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
    axis = _horizontal(study, rows)
    others = [key for key in study.axes if key != axis and rows[key].is_not_null().any()]
    for (quantity,), about in rows.group_by("quantity", maintain_order=True):
        for part in about.partition_by(others, maintain_order=True) if others else [about]:
            title = ", ".join(f"{label_of(key)} {as_text(part[key][0])}" for key in others)
            yield _Panel(str(quantity), title, axis, part)


def _horizontal(study: Study, rows: pl.DataFrame) -> str | None:
    """Choose the horizontal axis: utilization, or the axis with the most values; None without any."""
    axes = [key for key in study.axes if rows[key].is_not_null().any()]
    return max(axes, key=lambda key: (key == _FRONT, len(study.axes[key])), default=None)


def _draw_line(axes: Axes, subject: str, places: Sequence[Any], rows: pl.DataFrame, pen: tuple[str, str, str]) -> None:
    """Draw the values of a subject with their intervals; what has no value is a gap."""
    mark, dashes, ink = pen
    values = rows["value"].cast(pl.Float64).fill_null(float("nan")).to_numpy()
    below = values - rows["low"].fill_null(rows["value"]).to_numpy()
    above = rows["high"].fill_null(rows["value"]).to_numpy() - values
    axes.errorbar(
        places,
        values,
        yerr=[below, above],
        label=subject,
        color=ink,
        marker=mark,
        linestyle=dashes,
        markersize=3.0,
        markerfacecolor="white",
        linewidth=0.8,
        elinewidth=0.5,
        capsize=1.0,
    )
