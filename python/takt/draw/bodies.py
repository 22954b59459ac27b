# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Bodies of generated jobs: subjobs, sections, and demands below the wcet.

Lengths are whole ticks. Every task has as many random numbers as its recipe may need, so that none of them depends on
what other tasks did with theirs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from takt.draw.recipe_keys import RecipeKeys
from takt.model.distributions import Uniform

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
