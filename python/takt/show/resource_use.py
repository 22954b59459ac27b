# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Use of resources: which job held or waited for which, when, and which circles of waiting jobs closed.

Made of the frame of locks (run/simulation.py); what the protocols do is said in SPEC.md, section 9. A job that waits
when a run or the job itself ends has no end of its waiting in that frame: it is the horizon, or the deadline at
which the job was aborted.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

import polars as pl

from takt.run.frames import Recorded
from takt.run.result import RunResult

_SECTIONS = {
    "task": "String",
    "job": "UInt32",
    "resource": "String",
    "start": "UInt64",
    "end": "UInt64",
    "waits": "Boolean",
    "depth": "Int32",
    "holder": "String",
    "holder_job": "UInt32",
}
"""Columns of the frame of sections, with their types in polars."""


def no_sections() -> pl.DataFrame:
    """Return the frame of sections of a run without resources."""
    return pl.DataFrame(schema={name: getattr(pl, kind) for name, kind in _SECTIONS.items()})


@dataclass(frozen=True)
class Wait:
    """A job in a circle.

    Args:
        task: of the job.
        resource: what it waits for.
        holder: task of the job that holds it, the next one in the circle.
    """

    task: str
    resource: str
    holder: str

    def __str__(self) -> str:
        """Return the waiting task, the resource and its holder."""
        return f"{self.task} waits for {self.resource}, which {self.holder} holds"


@dataclass(frozen=True)
class Deadlock:
    """A circle of jobs, each of which waits for what the next one holds.

    Args:
        instant: at which the circle closed.
        waits: of its jobs, that of the one that closed it first.
    """

    instant: int
    waits: tuple[Wait, ...]

    def __str__(self) -> str:
        """Return the waits around the circle."""
        return "; ".join(map(str, self.waits))


def deadlocks(result: RunResult) -> tuple[Deadlock, ...]:
    """Return the circles that closed in a run, in order; none if the run has no resources.

    Raises:
        ValueError: the simulation did not keep locks.
    """
    kept = result.frames
    if not result.system.resources:
        return ()
    if isinstance(kept, Recorded) and result.keeps_locks and not kept.has_word("locks", "what", "deadlock"):
        return ()
    circles = []
    for is_circle, adjacent in groupby(result.locks.rows(), key=lambda row: row[-1] == "deadlock"):
        if is_circle:  # each job waits for that of the next row, the last for the first
            rows = list(adjacent)
            around = zip(rows, rows[1:] + rows[:1], strict=True)
            waits = tuple(Wait(task, resource, holder) for (_, task, _, resource, _), (_, holder, *_) in around)
            circles.append(Deadlock(rows[0][0], waits))
    return tuple(circles)


def sections(result: RunResult) -> pl.DataFrame:
    """Return the times at which jobs held resources or waited for them.

    Args:
        result: of a simulation that kept locks and jobs.

    Returns:
        Columns as _SECTIONS has them, rows in the order in which the sections began. `depth`
        is how many resources the job held already. `holder` and `holder_job` are whose job held the resource at the
        start, the job itself if it does not wait, null if the resource was free and may not be locked.

    Raises:
        ValueError: the simulation did not keep locks or jobs.
    """
    job = ["task", "job"]
    steps = result.locks.filter(pl.col("what") != "deadlock")
    is_lock, is_wait = pl.col("what") == "lock", pl.col("what") == "wait"
    change = pl.when(is_lock).then(1).when(is_wait).then(0).otherwise(-1)
    # The longest life of a job of each task, and the horizon.
    lives = [
        (task.name, task.deadline if task.on_miss == "abort" else None, result.horizon)
        for task in result.system.resolved.tasks
    ]
    longest = pl.DataFrame(lives, schema={"task": pl.String, "life": pl.UInt64, "horizon": pl.UInt64}, orient="row")
    return (
        steps.with_columns(
            end=pl.col("instant").shift(-1).over(*job, "resource"),
            depth=change.cum_sum().over(job) - is_lock,
            holder=_while_held("task"),
            holder_job=_while_held("job"),
            waits=is_wait,
        )
        .filter(is_lock | is_wait)
        .join(longest, on="task", how="left", maintain_order="left")
        .join(result.jobs.select(*job, "release"), on=job, how="left", maintain_order="left")
        .with_columns(pl.coalesce("end", pl.min_horizontal(pl.col("release") + pl.col("life"), "horizon")).alias("end"))
        .rename({"instant": "start"})
        .select(pl.col(name).cast(getattr(pl, kind)) for name, kind in _SECTIONS.items())
    )


def _while_held(column: str) -> pl.Expr:
    """Carry a column of the row that locked a resource to the rows in which it is held."""
    begins = pl.when(pl.col("what") == "lock").then(pl.col(column))
    stretch = (pl.col("what") != "wait").cum_sum().over("resource")  # in which it is held or free
    return begins.forward_fill().over("resource", stretch)
