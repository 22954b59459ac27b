"""What charts show of a run: lanes, pieces of jobs, marks. The HTML report and the static chart draw the same.

All times are in the unit of the task set's resolution, as floats: for eyes, not for decisions.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from takt import times
from takt.simulation import Result

PALETTE = ("#4e79a7", "#59a14f", "#b07aa1", "#9c755f", "#76b7b2", "#edc948", "#ff9da7", "#79706e", "#a0cbe8", "#8cd17d")
"""Colours of tasks, told apart by most eyes; red is kept for misses."""

MISS = "#d62728"


def colour_of(lane: int) -> str:
    """Give the colour of a lane."""
    return PALETTE[lane % len(PALETTE)]


@dataclass(frozen=True)
class Timeline:
    """A run, ready to be drawn.

    Args:
        unit: of all times.
        scale: units per tick.
        horizon: in units.
        lanes: names of the tasks from top to bottom; those of one server stand together.
        labels: the same with their servers.
        pieces: one row per segment: start, end, lane, job, response, is_last (the job finished here), gap (where the
            job's next piece starts, null if there is none).
        late: parts of segments after the deadline: start, end, lane.
        marks: one row per job: release, deadline, lane, job, missed.
        points: instant, lane, optional, should_yield.
        shown: how many segments of `total` are there.
    """

    unit: str
    scale: float
    horizon: float
    lanes: list[str]
    labels: list[str]
    pieces: pl.DataFrame
    late: pl.DataFrame
    marks: pl.DataFrame
    points: pl.DataFrame
    shown: int
    total: int


def timeline_of(result: Result, limit: int) -> Timeline:
    """Make the timeline of a run, of its first `limit` segments and what belongs to their time.

    Raises:
        ValueError: segments or jobs were not kept.
    """
    system = result.system
    unit = times.unit_of(system.resolution)
    scale = system.resolution_ns / times.UNITS[unit]
    summary = result.summary.sort("server", maintain_order=True)
    lanes = summary.select("task", "deadline", lane=pl.int_range(pl.len(), dtype=pl.Int32))
    segments = result.segments.head(limit)
    until = result.horizon if segments.height == result.segments.height else int(segments["end"].max() or 0)  # type: ignore[arg-type]
    marks = _marks(result, lanes).filter(pl.col("release") <= until)
    pieces = _pieces(segments, marks, lanes)
    late = pieces.filter(pl.col("end") > pl.col("deadline")).select(
        start=pl.max_horizontal("start", "deadline"), end="end", lane="lane"
    )
    points = result.points.filter(pl.col("instant") <= until).join(lanes, on="task", maintain_order="left")
    return Timeline(
        unit=unit,
        scale=scale,
        horizon=result.horizon * scale,
        lanes=summary["task"].to_list(),
        labels=[f"{server}/{task}" if server else task for task, server in summary.select("task", "server").rows()],
        pieces=_scaled(pieces, scale, "start", "end", "deadline", "response", "gap"),
        late=_scaled(late, scale, "start", "end"),
        marks=_scaled(marks, scale, "release", "deadline"),
        points=_scaled(points, scale, "instant"),
        shown=segments.height,
        total=result.segments.height,
    )


def _marks(result: Result, lanes: pl.DataFrame) -> pl.DataFrame:
    """List when jobs arrive and what they must meet."""
    return result.jobs.join(lanes, on="task", maintain_order="left").select(
        "task",
        "job",
        "lane",
        "release",
        "missed",
        "finish",
        "response",
        deadline=pl.col("release") + pl.col("deadline"),
    )


def _pieces(segments: pl.DataFrame, marks: pl.DataFrame, lanes: pl.DataFrame) -> pl.DataFrame:
    """Give each segment what its job says about it."""
    of_job = marks.select("task", "job", "deadline", "finish", "response")
    joined = segments.join(lanes.select("task", "lane"), on="task", maintain_order="left")
    joined = joined.join(of_job, on=["task", "job"], how="left", maintain_order="left")
    return joined.with_columns(
        gap=pl.col("start").shift(-1).over("task", "job"), is_last=pl.col("end") == pl.col("finish")
    ).select("start", "end", "lane", "job", "deadline", "response", "gap", "is_last")


def _scaled(frame: pl.DataFrame, scale: float, *columns: str) -> pl.DataFrame:
    """Convert ticks to units."""
    return frame.with_columns(pl.col(*columns).cast(pl.Float64) * scale)


def window_of(timeline: Timeline, pieces: int = 80) -> float:
    """Say how much to show at first: about so many pieces, or all if there are fewer."""
    if timeline.pieces.height <= pieces:
        return timeline.horizon
    return float(timeline.pieces["end"][pieces - 1])
