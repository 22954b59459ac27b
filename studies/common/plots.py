# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The style of the plots: small, quiet, readable in print, the same file for the same numbers."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from takt.base import output_files

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLORS = ("#4477aa", "#ddaa33", "#44aa99", "#aa4499", "#88ccee", "#999933")
INK = "#1f2933"
MISS_COLOR = "#d01c2b"

_WIDTH_INCHES = 6.4
_DPI = 150
_STYLE: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.size": 9.0,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "hatch.linewidth": 0.6,
    "svg.fonttype": "none",
    "svg.hashsalt": "takt",
}
_FORMATS: dict[str, dict[str, Any]] = {
    "svg": {"metadata": {"Date": None}},
    "png": {"dpi": _DPI, "metadata": {"Software": None}},
}


def new_plot(rows: int = 1, height: float = 3.0, **options: Any) -> tuple[Figure, list[Axes]]:
    """Return an empty figure, one panel above the other.

    Args:
        rows: how many panels.
        height: of the figure, in inches.
        options: for Figure.subplots.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(_WIDTH_INCHES, height), layout="constrained")
        axes = figure.subplots(rows, 1, squeeze=False, **options)
    return figure, [row[0] for row in axes]


def add_legend(axes: Axes) -> None:
    """Label the lines of a panel."""
    axes.legend(frameon=False, fontsize=_STYLE["font.size"])


def save(figure: Figure, stem: Path) -> None:
    """Write a figure as SVG and as PNG, without the date."""
    import matplotlib as mpl

    with mpl.rc_context(_STYLE):
        for kind, options in _FORMATS.items():
            data = BytesIO()
            figure.savefig(data, format=kind, **options)
            output_files.write(stem.with_suffix(f".{kind}"), data.getvalue())
