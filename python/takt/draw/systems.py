# SPDX-License-Identifier: Apache-2.0 OR MIT
"""One generated task set as a System."""

from __future__ import annotations

from takt.draw import bodies, columns, servers
from takt.draw.draws import Draws, Purpose
from takt.draw.matrices import TaskColumns
from takt.draw.recipe_keys import RecipeKeys
from takt.model.system import System
from takt.model.tables import Resource, Server, Task

_KEYS = ("wcet", "period", "deadline", "jitter", "offset")


def draw(recipe: RecipeKeys, seed: int, number: int) -> System:
    """Draw one set of a recipe; its simulation has a random seed of its own."""
    draws = Draws(seed)
    tasks = _tasks(recipe, draws, number, columns.draw(recipe, seed, number, 1))
    dealt: list[Server] = []
    if recipe.servers > 0:
        numbers = draws.uniform(Purpose.SERVERS, number, 1, servers.width(recipe))[0]
        dealt, tasks = servers.deal(recipe, tasks, numbers)
    return System(
        name=f"set-{number}",
        resolution=recipe.resolution,
        policy=recipe.policy,
        horizon=recipe.horizon,
        seed=int(draws.words(Purpose.JOBS, number, 1, 1)[0, 0] >> 32),
        cpus=recipe.cpus,
        platform=recipe.platform,
        tasks=tasks,
        servers=dealt,
        resources=[Resource(name=f"R{place + 1}", protocol=recipe.protocol) for place in range(recipe.resources)],
    )


def _tasks(recipe: RecipeKeys, draws: Draws, number: int, drawn: TaskColumns) -> list[Task]:
    """Return the tasks of a set, the most urgent first."""
    numbers = draws.uniform(Purpose.BODIES, number, 1, recipe.tasks * bodies.width(recipe))
    for_bodies = numbers.reshape(recipe.tasks, bodies.width(recipe)).tolist()
    rows = zip(*(getattr(drawn, key)[0].tolist() for key in _KEYS), strict=True)
    return [
        Task(
            name=f"T{place + 1}",
            priority=recipe.tasks - place,
            **dict(zip(_KEYS, row, strict=True)),
            **bodies.keys_of(recipe, row[0], for_bodies[place]),
        )
        for place, row in enumerate(rows)
    ]
