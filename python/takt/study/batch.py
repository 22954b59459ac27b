# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Task sets of one chunk, drawn when they are wanted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from takt.draw.draws import Floats
from takt.draw.matrices import TaskColumns
from takt.draw.recipe import Recipe
from takt.model.system import System


@dataclass(frozen=True)
class Batch:
    """Some task sets of one recipe.

    Args:
        recipe: how they are drawn.
        seed: of the study.
        first: number of the first set.
        count: how many there are.
    """

    recipe: Recipe
    seed: int
    first: int
    count: int

    @cached_property
    def columns(self) -> TaskColumns:
        """Tasks of the sets, a row for each set."""
        return self.recipe.columns(self.seed, self.first, self.count)

    @cached_property
    def systems(self) -> tuple[System, ...]:
        """The same sets with all that only a System can say."""
        return tuple(self.recipe.system(self.seed, number) for number in range(self.first, self.first + self.count))

    @property
    def utilization(self) -> Floats:
        """The utilization of each set as it was drawn."""
        if self.recipe.is_plain:
            return self.columns.utilization
        tasks = (system.resolved.tasks for system in self.systems)
        return np.array([sum(task.wcet / task.period for task in one) for one in tasks])
