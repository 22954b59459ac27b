"""One generated task set as a System."""

from __future__ import annotations

from typing import TYPE_CHECKING

from takt.generators import columns
from takt.model import System, Task

if TYPE_CHECKING:
    from takt.recipe import Recipe


def draw(recipe: Recipe, seed: int, number: int) -> System:
    """Draw one set of a recipe."""
    drawn = columns.draw(recipe, seed, number, 1)
    return System(
        name=f"set-{number}",
        resolution=recipe.resolution,
        policy=recipe.policy,
        horizon=recipe.horizon,
        seed=seed,
        cpus=recipe.cpus,
        tasks=_tasks(drawn),
    )


def _tasks(drawn: columns.TaskColumns) -> list[Task]:
    """Make the tasks of a set, the most urgent first."""
    keys = ("wcet", "period", "deadline", "jitter", "offset")
    rows = zip(*(getattr(drawn, key)[0].tolist() for key in keys), strict=True)
    count = drawn.wcet.shape[1]
    return [
        Task(name=f"T{place}", priority=count - place, **dict(zip(keys, row, strict=True)))
        for place, row in enumerate(rows, start=1)
    ]
