# SPDX-License-Identifier: Apache-2.0 OR MIT
"""One generated task set as a System: its tasks with their bodies, and if its recipe has servers, those they run in.

A body has subjobs, sections, and demands below the wcet. Lengths are whole ticks. Every task has as many random numbers
as its recipe may need, so that none of them depends on what other tasks did with theirs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from takt.draw import columns
from takt.draw.draws import Draws, Floats, Purpose
from takt.draw.periods import log_uniform
from takt.draw.recipe_keys import RecipeKeys
from takt.model.distributions import Uniform
from takt.model.system import System
from takt.model.tables import Resource, Server, Task

_KEYS = ("wcet", "period", "deadline", "jitter", "offset")


def draw(recipe: RecipeKeys, seed: int, number: int) -> System:
    """Draw one set of a recipe; its simulation has a random seed of its own."""
    draws = Draws(seed)
    drawn = columns.draw(recipe, seed, number, 1)
    rows = zip(*(getattr(drawn, key)[0].tolist() for key in _KEYS), strict=True)
    for_bodies = draws.uniform(Purpose.BODIES, number, 1, recipe.tasks * width(recipe))
    bodies_of = for_bodies.reshape(recipe.tasks, width(recipe)).tolist()
    tasks = [
        Task(
            name=f"T{place + 1}",
            priority=recipe.tasks - place,
            **dict(zip(_KEYS, row, strict=True)),
            **keys_of(recipe, row[0], bodies_of[place]),
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
    shares = [Fraction(0)] * recipe.servers
    for task, home in zip(tasks, homes, strict=True):
        shares[home] += _share(task)
    servers = [
        Server(  # its budget is the demand of its tasks times a factor, rounded up; 1 tick to the period
            name=_name(place),
            period=period,
            budget=min(max(1, math.ceil(Fraction(recipe.server_budget) * shares[place] * period)), period),
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


# ---- bodies -------------------------------------------------------------------------------------------


_FOR_A_SECTION = 3
"""Whether it is there, how long it is, and where in the order."""


def width(recipe: RecipeKeys) -> int:
    """Return how many numbers a task of a recipe needs."""
    return 1 + (recipe.subjobs or 0) + (_FOR_A_SECTION + 1) * recipe.resources


def keys_of(recipe: RecipeKeys, wcet: int, numbers: list[float]) -> dict[str, Any]:
    """Draw the keys of a task other than times.

    Args:
        recipe: what there may be.
        wcet: of the task, in ticks.
        numbers: as many as `width` says, from 0 to below 1.

    Returns:
        Keys of takt.Task.
    """
    chance, *rest = numbers
    keys: dict[str, Any] = {}
    if recipe.demand is not None:
        least, most = (max(1, round(factor * wcet)) for factor in recipe.demand)
        keys["demand"] = Uniform(min=least, max=most)
    if recipe.subjobs is not None:
        return keys | {"subjobs": _cut_at_random(wcet, recipe.subjobs, iter(rest))}
    if recipe.longest_subjob is not None:
        parts = -(-wcet // recipe.ticks_of(recipe.longest_subjob))  # as few as can be; they differ by a tick at most
        return keys | {"subjobs": _lengths([wcet * part // parts for part in range(1, parts)], wcet)}
    if chance < recipe.non_preemptive:
        keys["preemption"] = "non-preemptive"
    sections = _sections(recipe, wcet, rest)
    return keys | ({"sections": sections} if sections else {})


def _cut_at_random(wcet: int, parts: int, numbers: Iterator[float]) -> list[int]:
    """Cut into parts of at least a tick, all ways to do so equally likely; into single ticks if there are no more.

    The cuts are drawn without repetition as by Bentley and Floyd, "A Sample of Brilliance", CACM 30(9), 1987.
    """
    cuts: set[int] = set()
    for last in range(max(1, wcet - parts + 1), wcet):
        cut = 1 + int(next(numbers) * last)
        cuts.add(last if cut in cuts else cut)
    return _lengths(sorted(cuts), wcet)


def _lengths(cuts: list[int], whole: int) -> list[int]:
    return [end - begin for begin, end in zip([0, *cuts], [*cuts, whole], strict=True)]


def _sections(recipe: RecipeKeys, wcet: int, numbers: list[float]) -> list[int | str]:
    """Draw which resources a job holds, for how long and when; empty if it holds none.

    A section is never longer than what others leave of the wcet; where even the shortest is, there is none.
    """
    least, most = recipe.section_range
    found: list[tuple[float, int, str]] = []
    left = wcet
    for place in range(recipe.resources):
        chance, part, order = numbers[place * _FOR_A_SECTION :][:_FOR_A_SECTION]
        longest = min(most, left)
        if chance < recipe.section_probability and longest >= least:
            length = least + int(part * (longest - least + 1))
            left -= length
            found.append((order, length, f"R{place + 1}"))
    held = [(length, name) for _, length, name in sorted(found)]
    spare = wcet - sum(length for length, _ in held)
    places = sorted(int(number * (spare + 1)) for number in numbers[-recipe.resources :][: len(held)])
    gaps = _lengths(places, spare)
    runs = [run for gap, (length, name) in zip(gaps, held, strict=False) for run in (gap, f"{length} {name}")]
    return [run for run in (*runs, gaps[-1]) if run != 0] if held else []
