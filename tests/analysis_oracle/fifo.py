# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Worst responses of equals that are served in the order in which they come: by the formulas, and by search.

The formulas are evaluated literally, for each release in the busy interval. The search has no theory: states, and from
each of them all that may be released in a tick. Tasks stand in the file's order, the most urgent level first; a task
whose job is done joins the tail with its next one, if that is there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product
from typing import NamedTuple

from analysis_oracle.fixed_priority import Task, least, utilization

Levels = Sequence[int]


def response(tasks: Sequence[Task], levels: Levels, place: int) -> int | None:
    """Return the worst-case response of a task, from its arrival; None if jobs of it may wait for one another.

    Args:
        tasks: in the file's order, the most urgent level first; a job is a chain of subjobs.
        levels: of each task, smaller is more urgent.
        place: which of them.
    """
    task, level = tasks[place], levels[place]
    blocked = max(
        (length - 1 for other, low in zip(tasks, levels, strict=True) if low > level for length in other.graph.lengths),
        default=0,
    )
    higher = [other for other, high in zip(tasks, levels, strict=True) if high < level]
    equals = [j for j, equal in enumerate(levels) if equal == level]
    all_of_level = [*higher, *(tasks[j] for j in equals)]
    is_delayed = blocked > 0 or any(each.jitter for each in all_of_level)
    if utilization(all_of_level) > 1 or (utilization(all_of_level) == 1 and is_delayed):
        return None
    end = least(1, lambda t: blocked + sum(-(-(t + each.jitter) // each.period) * each.wcet for each in all_of_level))
    last = task.graph.lengths[-1]
    found = 0
    for arrival in range(end):
        own = blocked + sum(_before(tasks[j], arrival, is_first=j <= place) * tasks[j].wcet for j in equals) - last
        start = least(own, partial(_with_releases_of, higher, own))
        found = max(found, task.jitter + start + last - arrival)
    return found if found <= task.period else None


def _with_releases_of(higher: Sequence[Task], own: int, instant: int) -> int:
    """Return a work and what more urgent tasks release up to an instant, with it."""
    return own + sum(_before(each, instant, is_first=True) * each.wcet for each in higher)


def _before(task: Task, instant: int, *, is_first: bool) -> int:
    """Count the releases up to an instant, with that instant if the task is first in it."""
    return (instant + task.jitter) // task.period + 1 if is_first else -(-(instant + task.jitter) // task.period)


class State(NamedTuple):
    """Everything at an instant, before what is released then.

    Args:
        next_arrival: of each task, how far the earliest arrival of its next job lies ahead.
        queues: of each level, the tasks whose jobs are served, in order.
        pending: of each task, how many jobs are released and not done.
        done: of each task, how much of its first job is executed.
        ages: of the pending jobs of the task in question, how long ago they arrived.
    """

    next_arrival: tuple[int, ...]
    queues: tuple[tuple[int, ...], ...]
    pending: tuple[int, ...]
    done: tuple[int, ...]
    ages: tuple[int, ...]


def worst_response(tasks: Sequence[Task], levels: Levels, place: int) -> int:
    """Return the longest response of a task, without jitter, over all that may arrive.

    Args:
        tasks: as for response.
        levels: likewise; from 0 on, each is there.
        place: which of them.
    """
    none = (0,) * len(tasks)
    first = State(none, ((),) * (max(levels) + 1), none, none, ())
    known, open_states, worst = {first}, [first], 0
    while open_states:
        for released in _with_releases(levels, place, tasks, open_states.pop()):
            state, ended = _with_a_tick(tasks, levels, place, released)
            worst = max(worst, ended)
            if state not in known:
                known.add(state)
                open_states.append(state)
    return worst


def _with_releases(levels: Levels, place: int, tasks: Sequence[Task], state: State) -> Iterator[State]:
    """Yield the states after any releases at this instant; one whose task has no job joins the tail of its level."""
    for chosen in product(*((False, True) if ahead == 0 else (False,) for ahead in state.next_arrival)):
        queues = list(state.queues)
        for j, is_released in enumerate(chosen):
            if is_released and state.pending[j] == 0:
                queues[levels[j]] += (j,)
        yield state._replace(
            next_arrival=tuple(
                task.period if is_released else ahead
                for task, ahead, is_released in zip(tasks, state.next_arrival, chosen, strict=True)
            ),
            queues=tuple(queues),
            pending=tuple(count + is_released for count, is_released in zip(state.pending, chosen, strict=True)),
            ages=(*state.ages, 0) if chosen[place] else state.ages,
        )


def _is_inside(task: Task, done: int) -> bool:
    """True if a job is within a subjob."""
    ends, length = set(), 0
    for each in task.graph.lengths:
        length += each
        ends.add(length)
    return done > 0 and done not in ends


def _with_a_tick(tasks: Sequence[Task], levels: Levels, place: int, state: State) -> tuple[State, int]:
    """Return the state a tick later, and the response of the job in question that ends then, or 0."""
    later = state._replace(
        next_arrival=tuple(max(ahead - 1, 0) for ahead in state.next_arrival),
        ages=tuple(age + 1 for age in state.ages),
    )
    inside = [j for j, done in enumerate(state.done) if _is_inside(tasks[j], done)]
    heads = inside or [queue[0] for queue in state.queues if queue]
    if not heads:
        return later, 0
    runs = heads[0]
    done = state.done[runs] + 1
    if done < tasks[runs].wcet:
        return later._replace(done=_with(state.done, runs, done)), 0
    level = levels[runs]
    rest = tuple(j for j in state.queues[level] if j != runs) + ((runs,) if state.pending[runs] > 1 else ())
    ended = later._replace(
        queues=tuple(rest if each == level else queue for each, queue in enumerate(state.queues)),
        pending=_with(state.pending, runs, state.pending[runs] - 1),
        done=_with(state.done, runs, 0),
        ages=later.ages[1:] if runs == place else later.ages,
    )
    return ended, later.ages[0] if runs == place else 0


def _with(values: tuple[int, ...], place: int, value: int) -> tuple[int, ...]:
    return tuple(value if j == place else other for j, other in enumerate(values))
