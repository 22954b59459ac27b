"""Task sets of one chunk, drawn when they are wanted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from takt.generators.columns import TaskColumns
    from takt.model import System
    from takt.recipe import Recipe


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
        """Their tasks, a row for each set."""
        return self.recipe.columns(self.seed, self.first, self.count)

    def systems(self) -> Iterator[System]:
        """Draw the same sets one after the other, with all that only a System can say."""
        for number in range(self.first, self.first + self.count):
            yield self.recipe.system(self.seed, number)
