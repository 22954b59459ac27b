# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The analyses that the paper cites: exact and uniform response times, and placed points (S1, 2 and 4).

Sources: Bril, Lukkien and Verhaegh 2009; Bertogna and others 2010 and 2011; Davis and Bertogna 2012. The exact
response counts q - 1 of the longest subjob below, which has begun before the job comes; the uniform one counts q.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from itertools import product

import polars as pl
import takt

from studies.common import Claim, Section, Table, verdict

SEED = 118
SETS = {True: 15, False: 150}
PERIODS = (4, 5, 6, 8)
LONGEST = 10_000
"""No active period of such a set is longer."""

Task = tuple[int, tuple[int, ...]]
"""Period and subjobs, the most urgent task first; the deadline is the period."""


def run(is_quick: bool) -> Section:
    """Compare bounds with all offsets, and place points."""
    bounds, placed = compare(SETS[is_quick]), place(SETS[is_quick])
    return Section(
        "Analyses",
        "Random sets of two or three tasks with subjobs, run at all offsets: the largest response of each task, the "
        "exact response of `takt analyse`, and the uniform one. Then random sets of two tasks that preemptive "
        "scheduling meets: the low task without points, and with the points that `takt analyse` proposes, again at all "
        "offsets.",
        [_response_claim(bounds), _placement_claim(placed)],
        [
            Table("analysed_responses", "Largest response at all offsets, exact and uniform response", bounds),
            Table("placed_points", "Low tasks that nothing displaces, and the points that are proposed", placed),
        ],
    )


# ---- response times -------------------------------------------------------------------------------------


def compare(count: int) -> pl.DataFrame:
    """Compare observed, exact and uniform responses."""
    rng = random.Random(SEED)
    rows = [
        (number, place, *row)
        for number in range(count)
        for place, row in enumerate(_compare(_draw(rng, rng.randint(2, 3))))
    ]
    return pl.DataFrame(rows, schema=["set", "task", "observed", "exact", "uniform"], orient="row")


def _compare(tasks: Sequence[Task]) -> list[tuple[int, int, int | None]]:
    """Return the three responses of each task."""
    exact = [row.response for row in takt.analyse(system_of(tasks)).tasks]
    observed = largest_responses(tasks)
    return [
        (seen, bound or 0, uniform_response(tasks, i))
        for i, (seen, bound) in enumerate(zip(observed, exact, strict=True))
    ]


def _draw(rng: random.Random, count: int) -> list[Task]:
    """Draw tasks with different periods that ask for at most the whole processor."""
    while True:
        periods = sorted(rng.sample(PERIODS, count))
        tasks = [(period, tuple(rng.randint(1, 2) for _ in range(rng.randint(1, 2)))) for period in periods]
        if sum(sum(subjobs) / period for period, subjobs in tasks) < 1:
            return tasks


def system_of(tasks: Sequence[Task], offsets: Sequence[int] = ()) -> takt.System:
    """Return a system; the first task is the most urgent one."""
    offsets = offsets or [0] * len(tasks)
    return takt.System(
        tasks=[
            takt.Task(name=f"T{i}", period=period, subjobs=list(subjobs), priority=len(tasks) - i, offset=offset)
            for i, ((period, subjobs), offset) in enumerate(zip(tasks, offsets, strict=True))
        ]
    )


def largest_responses(tasks: Sequence[Task]) -> list[int]:
    """Return the largest response of each task over all offsets, each over three hyperperiods."""
    horizon = 3 * math.lcm(*(period for period, _ in tasks))
    runs = [
        takt.simulate(system_of(tasks, offsets), horizon, segments=False, jobs=False).summary["response_max"].to_list()
        for offsets in product(*(range(period) for period, _ in tasks))
    ]
    return [max(responses) for responses in zip(*runs, strict=True)]


def uniform_response(tasks: Sequence[Task], place: int) -> int | None:
    """Compute the uniform response: every job of the active period, with the whole longest subjob below as blocking."""
    above, (period, subjobs) = tasks[:place], tasks[place]
    blocking = max((max(lower) for _, lower in tasks[place + 1 :]), default=0)
    wcet, last = sum(subjobs), subjobs[-1]
    length = _fixed_point(blocking + wcet, lambda _, t: blocking + _ceilings([*above, tasks[place]], t))
    starts = [
        _fixed_point(blocking + (k + 1) * wcet - last, lambda begin, t: begin + _ceilings(above, t + 1))
        for k in range(-(-(length or 0) // period))
    ]
    known = [start for start in starts if start is not None]
    is_bounded = length is not None and len(known) == len(starts)
    return max(start + last - k * period for k, start in enumerate(known)) if is_bounded else None


def _ceilings(tasks: Sequence[Task], length: int) -> int:
    """Add up what comes in an interval."""
    return sum(-(-length // period) * sum(subjobs) for period, subjobs in tasks)


def _fixed_point(first: int, grows: Callable[[int, int], int]) -> int | None:
    """Iterate `grows(first, value)` from `first` to its least fixed point; None if it is beyond LONGEST."""
    value = first
    while value < LONGEST:
        following = grows(first, value)
        if following == value:
            return value
        value = following
    return None


def _response_claim(bounds: pl.DataFrame) -> Claim:
    """Judge both analyses."""
    above = bounds.filter(pl.col("observed") > pl.col("exact")).height
    attained = bounds.filter(pl.col("observed") == pl.col("exact")).height
    below = bounds.filter(pl.col("uniform") < pl.col("exact")).height
    looser = bounds.filter(pl.col("uniform") > pl.col("exact")).height
    return Claim(
        "S1-18",
        "Section 2 (citing [3, 4])",
        "There are an exact analysis of FPDS and a pessimistic uniform one.",
        f"Of {bounds.height} responses {above} are above the exact bound and {attained} reach it at some offsets. The "
        f"uniform bound is larger for {looser} and smaller for {below}.",
        verdict(above == 0 and below == 0 and looser > 0 and attained > bounds.height // 2),
        "The exact bound is of sporadic tasks; periodic ones need not reach it.",
        {"above": above, "attained": attained, "looser": looser},
    )


# ---- points ---------------------------------------------------------------------------------------------


def place(count: int) -> pl.DataFrame:
    """Return points in low tasks that nothing displaces and that make the high task late."""
    rng = random.Random(SEED + 4)
    rows = [(number, *_place(*_draw_blocked(rng))) for number in range(count)]
    names = ["set", "period_of_high", "wcet_of_high", "wcet_of_low", "longest_allowed", "longest_placed",
             "missed_without", "missed_with", "missed_with_one_more"]  # fmt: skip
    return pl.DataFrame(rows, schema=names, orient="row")


def _draw_blocked(rng: random.Random) -> tuple[Task, Task]:
    """Draw a high task, and a low one that is longer than the high one can wait."""
    period = rng.choice((5, 6, 8))
    wcet = rng.randint(2, period - 2)
    longest = period - wcet + 1
    low_period = 4 * period
    low = rng.randint(longest + 1, max(longest + 1, 3 * (period - wcet)))
    return (period, (wcet,)), (low_period, (low,))


def _place(high: Task, low: Task) -> tuple[int, ...]:
    """Return the proposed points of one set, after a trial; with one tick more, the longest piece is too long."""
    (period, (wcet,)), (low_period, (length,)) = high, low
    longest = period - wcet + 1
    pieces = _proposed(high, low)
    longer = (longest + 1, *([length - longest - 1] if length > longest + 1 else []))
    missed = [_missed([high, (low_period, tuple(parts))]) for parts in ((length,), pieces, longer)]
    return period, wcet, length, longest, max(pieces), *missed


def _proposed(high: Task, low: Task) -> tuple[int, ...]:
    """Return the subjobs that the analysis proposes for the low task; the whole job if it proposes none."""
    system = system_of([high, low])
    whole = [task.replace(subjobs=None, wcet=wcet, preemption="non-preemptive")
             for task, (_, (wcet,)) in zip(system.tasks, (high, low), strict=True)]  # fmt: skip
    found = takt.analyse(system.replace(tasks=[whole[0].replace(preemption="preemptive"), whole[1]]))
    proposed = [
        value for each in found.advice for _, name, key, value in each.changes if (name, key) == ("T1", "subjobs")
    ]
    pieces = [value for value in proposed if isinstance(value, (tuple, list))]
    return tuple(map(int, pieces[0])) if pieces else low[1]


def _missed(tasks: Sequence[Task]) -> int:
    """Count missed deadlines of the high task at all offsets."""
    period, low_period = tasks[0][0], tasks[1][0]
    return sum(
        takt.simulate(system_of(tasks, (offset, 0)), 3 * low_period, segments=False, jobs=False).summary["missed"][0]
        for offset in range(period)
    )


def _placement_claim(placed: pl.DataFrame) -> Claim:
    """Judge the points that are proposed."""
    without, with_points, more = (
        int((placed[f"missed_{name}"] > 0).sum()) for name in ("without", "with", "with_one_more")
    )
    too_long = placed.filter(pl.col("longest_placed") > pl.col("longest_allowed")).height
    return Claim(
        "S1-22",
        "Sections 2 and 4",
        "Points can be placed by tools.",
        f"Without points the high task is late in {without} of {placed.height} sets, with the points that the analysis "
        f"places in {with_points}. {too_long} pieces are longer than D - C + 1 of the high task; a piece of one tick "
        f"more makes it late in {more} sets.",
        verdict(without == more == placed.height and with_points == 0 and too_long == 0),
        numbers={"late_without": without, "late_with": with_points, "late_with_one_more": more},
    )
