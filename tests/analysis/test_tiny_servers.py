# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Tiny systems with one server, over all that may arrive: bounds hold, and come near to what is observed.

The means of observed / bound are those of the same systems in every run, so they are compared with numbers: they may
rise, and not fall.
"""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
import takt
from analysis_oracle.server_arrivals import Task, TinySystem, TooMany, worst_responses
from places import CASES
from sampling import SYSTEMS, count
from takt.analysis import TaskBound
from takt.analysis.judge import judge
from takt.analysis.view import view_of

KINDS = ("idling", "polling", "deferrable", "sporadic", "sporadic-strict")
SAMPLE = 30
MOST_STATES = 15_000


def draw_task(numbers: random.Random, share: float) -> Task:
    period = numbers.randint(2, 12)
    return Task(max(1, min(3, round(period * share))), period)


def draw_system(numbers: random.Random, kind: str) -> TinySystem:
    """Draw a server with one task or two in it, one below it, and in a third of the systems one above it."""
    period = numbers.randint(2, 7)
    budget = numbers.randint(1, period)
    inside = [draw_task(numbers, numbers.uniform(0.1, 0.5)) for _ in range(numbers.choice([1, 1, 2]))]
    above = [draw_task(numbers, numbers.uniform(0.1, 0.4)) for _ in range(numbers.choice([0, 0, 1]))]
    below = Task(numbers.randint(1, 3), numbers.randint(6, 16))
    return TinySystem(kind, period, budget, tuple(inside), tuple(above), (below,))


def as_system(tiny: TinySystem) -> takt.System:
    """Return a tiny system in Takt's words; tasks have the names of their places."""
    homes = [None] * len(tiny.above) + ["S"] * len(tiny.inside) + [None] * len(tiny.below)
    levels = [*range(1, len(tiny.above) + 1), *range(len(tiny.above) + 2, len(tiny.tasks) + 2)]
    tasks = [
        takt.Task(name=f"T{i}", min_separation=task.period, wcet=task.wcet, priority=100 - levels[i], server=homes[i])
        for i, task in enumerate(tiny.tasks)
    ]
    server = takt.Server(
        name="S", kind=tiny.kind, period=tiny.period, budget=tiny.budget, priority=99 - len(tiny.above)
    )
    return takt.System(tasks=tasks, servers=[server], policy="fp")


def rows_of(tiny: TinySystem) -> list[TaskBound]:
    return judge(view_of(as_system(tiny))).rows()


def searched(kind: str) -> list[tuple[TinySystem, list[int], list[int]]]:
    """Return tiny systems of which all tasks have bounds, with what is observed and the bounds."""
    found: list[tuple[TinySystem, list[int], list[int]]] = []
    numbers = random.Random(1 if SYSTEMS is None else None)
    while len(found) < count(SAMPLE):
        tiny = draw_system(numbers, kind)
        bounds = [row.response for row in rows_of(tiny)]
        known = [bound for bound in bounds if bound is not None]
        if len(known) == len(bounds):
            try:
                found.append((tiny, worst_responses(tiny, MOST_STATES), known))
            except TooMany:
                continue
    return found


LEAST = {
    "idling": (Fraction(100, 100), Fraction(100, 100)),
    "polling": (Fraction(100, 100), Fraction(95, 100)),
    "deferrable": (Fraction(95, 100), Fraction(95, 100)),
    "sporadic": (Fraction(95, 100), Fraction(95, 100)),
    "sporadic-strict": (Fraction(95, 100), Fraction(95, 100)),
}
"""Of each kind the least means of observed / bound, inside the server and below it."""


@pytest.mark.parametrize("kind", KINDS)
def test_bounds_hold_over_all_arrivals_and_come_near_to_the_worst(kind: str) -> None:
    inside, below = [], []
    for tiny, observed, bounds in searched(kind):
        ratios = [Fraction(ticks, bound) for ticks, bound in zip(observed, bounds, strict=True)]
        assert max(ratios) <= 1, (tiny, observed, bounds)
        first = len(tiny.above)
        inside += ratios[first : first + len(tiny.inside)]
        below += ratios[first + len(tiny.inside) :]
    means = [sum(ratios, Fraction(0)) / len(ratios) for ratios in (inside, below)]
    print(f"{kind}: inside {float(means[0]):.4f} of {len(inside)}, below {float(means[1]):.4f} of {len(below)}")
    if SYSTEMS is None:
        assert means[0] >= LEAST[kind][0]
        assert means[1] >= LEAST[kind][1]


def test_a_server_takes_no_more_than_its_tasks_ask_for() -> None:
    system = takt.load(CASES / "server-below.toml")
    assert [row.response for row in takt.analyse(system).tasks] == [1, 2]
    tiny = TinySystem("deferrable", 7, 6, (Task(1, 7),), (), (Task(1, 60),))
    assert worst_responses(tiny, MOST_STATES) == [1, 2]


def test_the_search_finds_what_servers_of_each_kind_do() -> None:
    """Work that comes after a poll waits for the next one; budget that is kept serves it at once, twice at most."""
    found = {kind: worst_responses(TinySystem(kind, 4, 2, (Task(2, 8),), (), (Task(1, 20),)), 10**6) for kind in KINDS}
    kept = {kind: [2, 3] for kind in ("deferrable", "sporadic", "sporadic-strict")}
    assert found == {"idling": [4, 3], "polling": [5, 3]} | kept
