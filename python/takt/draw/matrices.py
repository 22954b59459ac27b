# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Task sets as matrices, for analyses that take arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from takt.draw.draws import Floats, Ticks


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

    def __eq__(self, other: object) -> bool:
        """Say whether all matrices are equal."""
        return isinstance(other, TaskColumns) and all(
            matrix.shape == vars(other)[name].shape and bool((matrix == vars(other)[name]).all())
            for name, matrix in vars(self).items()
        )

    def __hash__(self) -> int:
        """Give a number that equal sets share."""
        return hash((self.wcet.shape, self.wcet.tobytes()))

    @property
    def utilization(self) -> Floats:
        """The utilization that each set really has, after rounding to ticks."""
        utilization: Floats = (self.wcet / self.period).sum(axis=1)
        return utilization
