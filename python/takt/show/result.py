# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Results that draw themselves: what takt.simulate gives.

Example:
    A(T=5, C=2) and B(T=7, C=4) have U = 0.97. Under EDF, B's first job keeps the processor when A is
    released again at 5, because its deadline 7 comes before 10; under rate-monotonic priorities A
    preempts it, and B misses.

    >>> import takt
    >>> system = takt.System(
    ...     tasks=[
    ...         takt.Task(name="A", period=5, wcet=2, priority=2),
    ...         takt.Task(name="B", period=7, wcet=4, priority=1),
    ...     ]
    ... )
    >>> edf = takt.simulate(system.replace(policy="edf"), horizon=12)
    >>> edf.segments.select("start", "end", "task", "job").rows()
    [(0, 2, 'A', 0), (2, 6, 'B', 0), (6, 8, 'A', 1), (8, 12, 'B', 1)]
    >>> fp = takt.simulate(system, horizon=12)
    >>> fp.jobs.filter(missed=True).rows()
    [('B', 0, 0, 8, 8, True)]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec

from takt.run import simulation
from takt.run.result import RunResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_Given = ParamSpec("_Given")


class Result(RunResult):
    """Result of a run: what happened before the horizon.

    Args:
        system: what ran.
        horizon: ticks 0 .. horizon-1 ran.
        decisions: number of decisions of the scheduler.
        invocations: number of calls of the scheduler; a tick alone does not call it.
        switches: number of switches to a job of another task than the last one.
        overhead: ticks of the kernel's own work.
        statistics: the columns of the summary, which has one row for each task: what it is, and what became of its
            jobs; docs/reference/frames.md lists them. The last row is that of the allocator's own task, if it has one.
        architecture: what the scheduler cost where the platform says that it runs in software, on a co-processor or
            in hardware; else None. There, switches are dispatches, and a job is missed if the scheduler noticed.
        policies: the policies in Python with the state that the run left, by the names of their servers; "" is the
            root. The instances that the system was made with are as they were.
        frames: the frames that were kept, by their names in docs/reference/frames.md.
        first_late: an instant by which the first late job was due, in ticks; None if none was late or it is not known.
    """

    def to_html(self, path: str | Path) -> None:
        """Write a page that opens offline: Gantt chart, responses, summary, task set.

        Raises:
            InputError: the file cannot be written.
            ValueError: segments, jobs, points, or the budgets or locks that there are, were not kept.
        """
        from takt.show import run_page

        run_page.write([self], path)

    def gantt(
        self, path: str | Path | None = None, *, start: int | str | None = None, end: int | str | None = None
    ) -> Figure:
        """Draw a Gantt chart for print; see takt.show.gantt.draw."""
        from takt.show import gantt

        return gantt.draw(self, path, start=start, end=end)

    def to_perfetto(self, path: str | Path) -> None:
        """Write the run in the format of ui.perfetto.dev.

        Raises:
            InputError: the file cannot be written.
            ValueError: segments, jobs, points, or the budgets or locks that there are, were not kept.
        """
        from takt.show import perfetto

        perfetto.write(self, path)


def drawable(result: RunResult) -> Result:
    """Return the same result as one that draws itself."""
    return Result(**{field.name: getattr(result, field.name) for field in fields(result)})


def _drawable(simulate: Callable[_Given, RunResult]) -> Callable[_Given, Result]:
    """Wrap a function so that its results draw themselves."""

    @wraps(simulate)
    def simulated(*values: _Given.args, **options: _Given.kwargs) -> Result:
        return drawable(simulate(*values, **options))

    simulated.__module__ = __name__  # where pickle searches for it
    return simulated


simulate = _drawable(simulation.simulate)
