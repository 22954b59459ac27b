# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Task sets as matrices, for analyses that take arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from takt.base import one_line
from takt.draw.draws import Floats, Indices, Ticks


@dataclass(frozen=True)
class TaskColumns:
    """Task sets: matrices of numpy's uint64 with a row for each set and a column for each task; times in ticks.

    Tasks stand in the order of their priorities, the most urgent first; see `priorities` of takt.Recipe.

    Args:
        wcet: worst-case execution times, >= 1.
        period: periods, >= 1.
        deadline: relative deadlines, >= 1.
        jitter: release jitters.
        offset: first arrivals.
    """

    wcet: Ticks
    period: Ticks
    deadline: Ticks
    jitter: Ticks
    offset: Ticks

    def __repr__(self) -> str:
        """Return how many sets and tasks there are."""
        sets, tasks = self.wcet.shape
        return one_line.sentence(self, f"of {sets:,} task sets with {tasks:,} tasks each")

    def __eq__(self, other: object) -> bool:
        """True if all matrices are equal."""
        return isinstance(other, TaskColumns) and all(
            matrix.shape == vars(other)[name].shape and bool((matrix == vars(other)[name]).all())
            for name, matrix in vars(self).items()
        )

    def __hash__(self) -> int:
        """Return a number that equal sets share."""
        return hash((self.wcet.shape, self.wcet.tobytes()))

    def ordered(self, order: Indices) -> TaskColumns:
        """Return the columns with each set's tasks in an order: the places of its tasks, as from numpy's argsort."""
        return TaskColumns(*(np.take_along_axis(matrix, order, axis=1) for matrix in vars(self).values()))

    @property
    def utilization(self) -> Floats:
        """The utilization that each set really has, after rounding to ticks."""
        utilization: Floats = (self.wcet / self.period).sum(axis=1)
        return utilization
