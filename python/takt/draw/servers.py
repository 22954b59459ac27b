# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Servers of generated task sets: their periods, the tasks in each of them, and their budgets."""

from __future__ import annotations

import math
from fractions import Fraction

from takt.draw.draws import Floats
from takt.draw.periods import log_uniform
from takt.draw.recipe_keys import RecipeKeys
from takt.model.tables import Server, Task


def width(recipe: RecipeKeys) -> int:
    """Return how many numbers a set of a recipe needs: one for each server and each task."""
    return recipe.servers + recipe.tasks


def deal(recipe: RecipeKeys, tasks: list[Task], numbers: Floats) -> tuple[list[Server], list[Task]]:
    """Return the servers of a set, and its tasks in them.

    Args:
        recipe: which servers there are.
        tasks: of the set, with times in ticks.
        numbers: as many as `width` says, from 0 to below 1.

    Returns:
        The servers, the shortest period first and most urgent, and the tasks in their order.
    """
    shortest, longest = map(recipe.ticks_of, (recipe.server_period_min, recipe.server_period_max))
    periods = sorted(log_uniform(numbers[: recipe.servers], shortest, longest, 1).tolist())
    homes = _homes(recipe, tasks, numbers[recipe.servers :])
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
    """Return the name of a server."""
    return f"S{place + 1}"


def _homes(recipe: RecipeKeys, tasks: list[Task], numbers: Floats) -> list[int]:
    """Return the server of each task."""
    if recipe.server_dealing == "random":
        return [int(number * recipe.servers) for number in numbers.tolist()]
    return _least_loaded(recipe, tasks)


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
    """Return the utilization of a task, whose times are ticks."""
    assert isinstance(task.wcet, int)
    assert isinstance(task.period, int)
    return Fraction(task.wcet, task.period)


def _budget(recipe: RecipeKeys, period: int, tasks: list[Task]) -> int:
    """Return the demand of its tasks in a period times the factor of the recipe, rounded up; 1 tick to the period."""
    needed = math.ceil(Fraction(recipe.server_budget) * sum(map(_share, tasks), Fraction(0)) * period)
    return min(max(1, needed), period)
