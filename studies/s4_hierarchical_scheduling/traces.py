# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Figures 6 to 8: task lanes and budget curves, as the paper draws them (S4, VI-A).

A gray rectangle is execution; a white one with a solid line is local preemption or a depleted budget, with a dashed
line global preemption. A red line is a missed deadline. A budget falls along a diagonal while its server runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING

import takt

from studies.common import Plot, new_plot
from studies.common.plots import COLORS, INK, MISS_COLOR
from studies.s4_hierarchical_scheduling.systems import SERVERS, TASKS, executed, server_ran

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HEIGHT_INCHES = 4.6
_LANE = 0.6
_EDGES = {"ran": "solid", "local": "solid", "global": "dashed"}


def trace_plot(name: str, title: str, result: takt.Result) -> Plot:
    """Draw a run of the paper's system."""
    options = {"gridspec_kw": {"height_ratios": [2.2, 1, 1.2]}}
    figure, (lanes, *curves) = new_plot(rows=3, height=_HEIGHT_INCHES, sharex=True, **options)
    for y, task in enumerate(reversed(TASKS)):
        _draw_task(lanes, y, task, result)
    _draw_idle(lanes, len(TASKS), result)
    lanes.set(yticks=range(len(TASKS) + 1), yticklabels=[*reversed(TASKS), "idle"], ylim=(-0.5, len(TASKS) + 0.6))
    for axes, server in zip(curves, SERVERS, strict=True):
        _draw_budget(axes, server, result)
    curves[-1].set(xlabel="time", xlim=(0, result.horizon), xticks=range(0, result.horizon + 1, 10))
    return Plot(name, title, figure)


def _draw_task(axes: Axes, y: int, task: str, result: takt.Result) -> None:
    """Draw the arrivals, jobs and misses of a task."""
    period = TASKS[task][1]
    for job, release, finish, missed in result.jobs.filter(task=task)["job", "release", "finish", "missed"].iter_rows():
        axes.annotate(
            "", (release, y + 0.5), (release, y - 0.3), arrowprops={"arrowstyle": "-|>", "color": INK, "lw": 0.6}
        )
        if missed:
            axes.vlines(release + period, y - 0.4, y + 0.5, MISS_COLOR, linewidth=2.2, zorder=4)
        for start, end, state in _states(result, task, job, finish):
            color = "0.7" if state == "ran" else "white"
            axes.broken_barh([(start, end - start)], (y - 0.3, _LANE), facecolor=color, edgecolor=INK, linewidth=0.5,
                             linestyle=_EDGES[state])  # fmt: skip


def _states(result: takt.Result, task: str, job: int, finish: int | None) -> Iterator[tuple[int, int, str]]:
    """Yield the stretches of a job from its first to its last tick: it ran, or waited for a reason."""
    pieces = result.segments.filter(task=task, job=job)
    if pieces.height == 0:
        return
    own = {tick for start, end in pieces.select("start", "end").iter_rows() for tick in range(start, end)}
    server, ran = TASKS[task][0], executed(result)
    budgets = result.budgets[server].to_list()
    ticks = range(min(own), result.horizon if finish is None else finish)
    kinds = [(tick, "ran" if tick in own else _reason(ran[tick], server, budgets[tick])) for tick in ticks]
    for state, group in groupby(kinds, key=lambda pair: pair[1]):
        stretch = [tick for tick, _ in group]
        yield stretch[0], stretch[-1] + 1, state


def _reason(ran: str, server: str, budget: int) -> str:
    """Return why a job waits: its server has no budget or runs another task, or another server runs."""
    return "local" if budget == 0 or ran.startswith(f"{server}/") else "global"


def _draw_idle(axes: Axes, y: int, result: takt.Result) -> None:
    """Draw the idle tasks: of servers in their colours, of the idle server black."""
    colors = {"": INK, **{f"{server}/idle": color for server, color in zip(SERVERS, COLORS, strict=False)}}
    for ran, group in groupby(enumerate(executed(result)), key=lambda pair: pair[1]):
        ticks = [tick for tick, _ in group]
        if ran in colors:
            axes.broken_barh([(ticks[0], len(ticks))], (y - 0.15, 0.3), facecolor=colors[ran], edgecolor=INK,
                             linewidth=0.4)  # fmt: skip


def _draw_budget(axes: Axes, server: str, result: takt.Result) -> None:
    """Draw the budget of a server."""
    xs: list[int] = []
    ys: list[int] = []
    ran = server_ran(result, server)
    for tick, budget in enumerate(result.budgets[server]):
        xs += [tick, tick + 1]
        ys += [budget, budget - ran[tick]]
    color = COLORS[list(SERVERS).index(server)]
    axes.plot(xs, ys, color=color, linewidth=1.1)
    axes.set(ylabel=f"budget {server}", ylim=(0, SERVERS[server][1] * 1.1), yticks=[0, SERVERS[server][1]])
    axes.vlines(range(0, result.horizon, SERVERS[server][0]), 0, SERVERS[server][1], "0.85", linewidth=0.6, zorder=0)
