# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Witnesses of refusals: legal runs of a small system in which a job misses.

"Not schedulable" claims that arrivals and demands which the system allows make a job late. So such a run exists, and a
simulation shows it. The runs that are tried are those of tasks that arrive as densely as they may, from all offsets
within their periods, and demand all that they may; with jitter, under many seeds. In systems without jitter that is
each pattern that a theorem of the analysis has in mind, so that a refusal without a witness is a false one.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import takt
from takt.analysis import Verdict
from takt.analysis.judge import judge
from takt.analysis.view import view_of

MOST_RUNS = 4000
MOST_TICKS = 400


def refusals_of(system: takt.System) -> list[frozenset[str]]:
    """Return the sets of tasks of which a job misses, by the analysis."""
    found = judge(view_of(system))
    names = [task.name for task in system.tasks]
    rows = [frozenset({row.task}) for row in found.rows() if row.verdict is Verdict.NOT_SCHEDULABLE]
    return [*rows, *(frozenset(names[number] for number in claim.tasks) for claim in found.jointly)]


def without_witness(system: takt.System) -> list[frozenset[str]]:
    """Return the refusals of a system of which no run shows a miss."""
    left = refusals_of(system)
    for run in itertools.islice(runs_of(system), MOST_RUNS if left else 0):
        late = late_in(run)
        left = [names for names in left if not names & late]
        if not left:
            break
    return left


def late_in(system: takt.System) -> frozenset[str]:
    """Return the tasks of which a job misses in a run."""
    seen = takt.simulate(system, horizon_of(system), jobs=False, segments=False).summary
    return frozenset(task for task, missed in seen.select("task", "missed").rows() if missed)


def horizon_of(system: takt.System) -> int:
    """Return a time in which jobs of all tasks meet in many ways."""
    ends = [int(task.offset) + 12 * _separation(task) + int(task.deadline or 0) for task in system.tasks]
    return min(max([*ends, *(int(change.at) + 60 for change in system.changes)]), MOST_TICKS)


def runs_of(system: takt.System) -> Iterator[takt.System]:
    """Yield legal runs: as it is, then dense ones from all offsets, the most promising first; others by chance."""
    yield system
    yield dense(system, [0] * len(system.tasks))
    for first in range(len(system.tasks)):
        yield dense(system, [int(place != first) for place in range(len(system.tasks))])
    spans = [range(_separation(task)) for task in system.tasks]
    rng = random.Random(1)
    has_jitter = any(task.jitter for task in system.tasks)
    for offsets in itertools.product(*spans):
        for _ in range(20 if has_jitter else 1):
            run = dense(system, offsets)
            yield run.replace(seed=rng.randrange(1000)) if has_jitter else run


def dense(system: takt.System, offsets: tuple[int, ...] | list[int]) -> takt.System:
    """Return a run in which tasks come as densely as they may from some offsets on, and demand all that they may."""
    tasks = [_dense(task, offset) for task, offset in zip(system.tasks, offsets, strict=True)]
    try:
        return system.replace(tasks=tasks)
    except takt.InputError:  # an entry may not come behind a change
        return system


def _dense(task: takt.Task, offset: int) -> takt.Task:
    """Return a task that asks for all that it may, from an offset on."""
    demands = task.demand if isinstance(task.demand, list | tuple) else [task.demand or task.wcet]
    most = max([int(task.wcet or 0), *(each for each in demands if isinstance(each, int))])
    more = {"arrivals": [place * _separation(task) for place in range(12)]} if task.arrivals else {}
    return task.replace(offset=offset, **({} if task.body else {"demand": most}), **more)


def _separation(task: takt.Task) -> int:
    """Return the least distance of two arrivals."""
    if task.period or task.min_separation:
        return int(task.period or task.min_separation or 0)
    instants = [int(instant) for instant in task.arrivals or [] if isinstance(instant, int)]
    return min((later - earlier for earlier, later in itertools.pairwise(instants)), default=MOST_TICKS)
