# SPDX-License-Identifier: Apache-2.0 OR MIT
"""One generated task set as a System: its tasks, and if its recipe has servers, which of them it runs in."""

from __future__ import annotations

import math
from fractions import Fraction

from takt.draw import bodies, columns
from takt.draw.draws import Draws, Floats, Purpose
from takt.draw.periods import log_uniform
from takt.draw.recipe_keys import RecipeKeys
from takt.model.system import System
from takt.model.tables import Resource, Server, Task

_KEYS = ("wcet", "period", "deadline", "jitter", "offset")


def draw(recipe: RecipeKeys, seed: int, number: int) -> System:
    """Draw one set of a recipe; its simulation has a random seed of its own."""
    draws = Draws(seed)
    drawn = columns.draw(recipe, seed, number, 1)
    rows = zip(*(getattr(drawn, key)[0].tolist() for key in _KEYS), strict=True)
    for_bodies = draws.uniform(Purpose.BODIES, number, 1, recipe.tasks * bodies.width(recipe))
    bodies_of = for_bodies.reshape(recipe.tasks, bodies.width(recipe)).tolist()
    tasks = [
        Task(
            name=f"T{place + 1}",
            priority=recipe.tasks - place,
            **dict(zip(_KEYS, row, strict=True)),
            **bodies.keys_of(recipe, row[0], bodies_of[place]),
        )
        for place, row in enumerate(rows)
    ]
    dealt: list[Server] = []
    if recipe.servers > 0:
        numbers = draws.uniform(Purpose.SERVERS, number, 1, recipe.servers + recipe.tasks)[0]
        dealt, tasks = deal(recipe, tasks, numbers)
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


def deal(recipe: RecipeKeys, tasks: list[Task], numbers: Floats) -> tuple[list[Server], list[Task]]:
    """Return the servers of a set, and its tasks in them.

    Args:
        recipe: which servers there are.
        tasks: of the set, with times in ticks.
        numbers: one for each server and each task, from 0 to below 1.

    Returns:
        The servers, the shortest period first and most urgent, and the tasks in their order.
    """
    shortest, longest = map(recipe.ticks_of, (recipe.server_period_min, recipe.server_period_max))
    periods = sorted(log_uniform(numbers[: recipe.servers], shortest, longest, 1).tolist())
    if recipe.server_dealing == "random":
        homes = [int(number * recipe.servers) for number in numbers[recipe.servers :].tolist()]
    else:
        homes = _least_loaded(recipe, tasks)
    servers = [
        Server(
            name=_name(place),
            period=period,
            budget=_budget(recipe, period, [task for task, home in zip(tasks, homes, strict=True) if home == place]),
            kind=recipe.server_kind,
            policy=recipe.server_policy,
            priority=recipe.servers - place,
        )
        for place, period in enumerate(periods)
    ]
    return servers, [task.replace(server=_name(home)) for task, home in zip(tasks, homes, strict=True)]


def _name(place: int) -> str:
    return f"S{place + 1}"


def _least_loaded(recipe: RecipeKeys, tasks: list[Task]) -> list[int]:
    """Return for each task the server with the least utilization so far, the largest task first."""
    shares = [_share(task) for task in tasks]
    loads = [Fraction(0)] * recipe.servers
    homes = [0] * len(tasks)
    for number in sorted(range(len(tasks)), key=lambda number: (-shares[number], number)):
        homes[number] = loads.index(min(loads))
        loads[homes[number]] += shares[number]
    return homes


def _share(task: Task) -> Fraction:
    assert isinstance(task.wcet, int)
    assert isinstance(task.period, int)
    return Fraction(task.wcet, task.period)


def _budget(recipe: RecipeKeys, period: int, tasks: list[Task]) -> int:
    """Return the demand of its tasks in a period times the factor of the recipe, rounded up; 1 tick to the period."""
    needed = math.ceil(Fraction(recipe.server_budget) * sum(map(_share, tasks), Fraction(0)) * period)
    return min(max(1, needed), period)
