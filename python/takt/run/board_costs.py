# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Costs of the kernel's own work on an emulated board, measured: those of the table [platform].

Six tasks run on the board: a job alone, one that another job preempts, and one during which a less urgent job is
released. Let a release cost R, a decision D and a switch S. The response of the job alone is R + D + S longer than its
demand; of the preempted one 2R + 3D + 3S, and the demand of the other job; of the interrupted one 2R + 2D + S. So three
responses give the three costs, in which is what the board records. An interruption that does not switch may cost as
much as one that does; then a switch costs nothing beside its decision. Likewise a release, where the end of a job costs
more than one.

When not to use it: for servers, resources and points, which cost more; for bounds. A cost is that of the usual case.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import polars as pl

from takt.board import emulation
from takt.model import catalogue
from takt.model.python_policy import Policy, name_of
from takt.model.system import System
from takt.model.tables import Task
from takt.run import measurement

_PERIOD = 10_000
_PERIODS = 5


@dataclass(frozen=True)
class Costs:
    """Costs on a board, in instructions, or in cycles of the chip.

    Args:
        release: of one job.
        scheduling: of one decision.
        context_switch: to the job of another task.
        policy: the one under which they were measured.
        are_cycles: whether the board counts cycles.
    """

    release: Fraction
    scheduling: Fraction
    context_switch: Fraction
    policy: str
    are_cycles: bool = False

    @property
    def begin(self) -> Fraction:
        """From the release of the most urgent job until it executes: what a preemption costs."""
        return self.release + self.resume

    @property
    def resume(self) -> Fraction:
        """From the end of a job until the next one executes."""
        return self.scheduling + self.context_switch

    @property
    def job(self) -> Fraction:
        """Of a job that preempts another one and ends."""
        return self.begin + self.resume


_TASKS = {
    "alone": (1_000, 250, 200),
    "urgent": (2_000, 2_250, 200),
    "preempted": (6_000, 1_750, 1_000),
    "interrupted": (4_000, 4_750, 1_000),
    "late": (4_200, 5_250, 200),
    "background": (_PERIOD, 0, 6_000),
}
"""Deadline, offset and demand of the tasks in microseconds, the most urgent one first. The last one executes beneath
the others, for a processor that idles may wake slowly."""
_INSIDE = {"preempted": "urgent"}
"""The task whose job executes within the response of another one."""


def measure(name: str, policy: str | Policy) -> Costs:
    """Measure the costs on a board.

    Args:
        name: an emulated board.
        policy: under which, if it orders plain tasks by levels or deadlines; else under fixed priorities.

    Raises:
        BoardError: as of a run on the board.
    """
    used = name_of(policy) if catalogue.traits_of(policy).is_level_or_deadline_driven else catalogue.LEVEL_POLICY
    tasks = [
        Task(
            name=task,
            period=f"{_PERIOD}us",
            deadline=f"{deadline}us",
            offset=f"{offset}us",
            wcet=f"{demand}us",
            priority=len(_TASKS) - place,
        )
        for place, (task, (deadline, offset, demand)) in enumerate(_TASKS.items())
    ]
    system = System(name="costs", resolution="1us", policy=used, tasks=tasks, horizon=f"{_PERIOD * _PERIODS}us")
    with emulation.temporary_folder() as folder:
        jobs = measurement.jobs_of(emulation.run(system, folder / "costs.takt", name))
    board = emulation.load_board(name)

    def longer(task: str) -> Fraction:
        """Return by how many instructions the usual job of a task takes longer than the demands in its response."""
        found = jobs.filter((pl.col("task") == task) & (pl.col("job") > 0))["response"].sort()
        demand = sum(_TASKS[each][-1] for each in (task, _INSIDE.get(task)) if each) * board.scale(1_000).ticks
        return board.instructions(found[len(found) // 2] - demand)

    alone, preempted, interrupted = map(longer, ("alone", "preempted", "interrupted"))
    resume = preempted - 2 * alone
    release = max(alone - resume, Fraction(0))
    scheduling = interrupted - alone - release
    switch = max(resume - scheduling, Fraction(0))
    return Costs(release, resume - switch, switch, used, "chip" in board.recipe)
