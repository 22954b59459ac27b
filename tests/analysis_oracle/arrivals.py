# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The worst response of a task over all that may arrive: exhaustive search in integer time, without any theory.

A state is what the scheduler and the tasks' later releases depend on. From each state the search tries, tick by tick,
every choice: releases of jobs, which way a job takes through its graph, and, if asked, whether it is over early. It
ends when no state is new, which takes a utilization of at most 1 and tiny numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

from analysis_oracle.fixed_priority import Task


class State(NamedTuple):
    """Everything at an instant, before what is released then.

    Args:
        next_arrival: of each task, how far the earliest arrival of its next job lies ahead; as far back as its jitter.
        pending: of each task, how many jobs are released and not done.
        node: of each task, where its first pending job is; None if that has not begun.
        done: of each task, how much of this node is executed.
        ages: of the pending jobs of the task in question, how long ago they arrived.
    """

    next_arrival: tuple[int, ...]
    pending: tuple[int, ...]
    node: tuple[int | None, ...]
    done: tuple[int, ...]
    ages: tuple[int, ...]


def worst_response(
    tasks: Sequence[Task], place: int, is_early: bool = False, levels: Sequence[int] | None = None
) -> int:
    """Return the longest response of the task at `place`.

    Args:
        tasks: most urgent first; of a started node the threshold counts, between nodes the level.
        place: which of them.
        is_early: whether jobs may end before their time: after any tick.
        levels: of each task, smaller is more urgent; its place if it is None. Among equals any order is tried.
    """
    ranks = range(len(tasks)) if levels is None else levels
    none = (0,) * len(tasks)
    first = State(tuple(-task.jitter for task in tasks), none, (None,) * len(tasks), none, ())
    known, open_states, worst = {first}, [first], 0
    while open_states:
        for released in _with_releases(tasks, place, open_states.pop()):
            for state, response in _with_a_tick(tasks, place, released, is_early, ranks):
                worst = max(worst, response)
                if state not in known:
                    known.add(state)
                    open_states.append(state)
    return worst


def _with_releases(tasks: Sequence[Task], place: int, state: State) -> Iterator[State]:
    """Yield the states after any releases at this instant; of one task as many as its jitter allows."""
    choices = [range(_releasable(task, ahead) + 1) for task, ahead in zip(tasks, state.next_arrival, strict=True)]
    for counts in product(*choices):
        first, period = state.next_arrival[place], tasks[place].period
        yield state._replace(
            next_arrival=tuple(
                ahead + count * task.period
                for task, ahead, count in zip(tasks, state.next_arrival, counts, strict=True)
            ),
            pending=tuple(map(sum, zip(state.pending, counts, strict=True))),
            ages=(*state.ages, *(-first - k * period for k in range(counts[place]))),
        )


def _releasable(task: Task, ahead: int) -> int:
    """Count the jobs that may be released now: those whose earliest arrival is not ahead."""
    return 0 if ahead > 0 else -ahead // task.period + 1


def _running(tasks: Sequence[Task], state: State, ranks: Sequence[int]) -> list[int]:
    """Return which task may run: by threshold if its node has begun, else by level, and those that have begun first."""
    keys = {
        j: (task.threshold if state.done[j] > 0 else ranks[j], state.done[j] == 0)
        for j, task in enumerate(tasks)
        if state.pending[j] > 0
    }
    return [j for j, key in keys.items() if key == min(keys.values())]


def _with_a_tick(
    tasks: Sequence[Task], place: int, state: State, is_early: bool, ranks: Sequence[int]
) -> Iterator[tuple[State, int]]:
    """Yield the states a tick later, each with the response of the job in question that ends then, or 0."""
    later = state._replace(
        next_arrival=tuple(max(ahead - 1, -task.jitter) for task, ahead in zip(tasks, state.next_arrival, strict=True)),
        ages=tuple(age + 1 for age in state.ages),
    )
    running = _running(tasks, state, ranks)
    if not running:
        yield later, 0
    for runs in running:
        node = state.node[runs]
        for begun in tasks[runs].graph.sources() if node is None else [node]:
            yield from _with_progress(tasks, place, later, runs, begun, is_early)


def _with_progress(
    tasks: Sequence[Task], place: int, state: State, runs: int, node: int, is_early: bool
) -> Iterator[tuple[State, int]]:
    """Yield the states after a task has executed a tick of a node."""
    graph, done = tasks[runs].graph, state.done[runs] + 1
    after = graph.after(node)
    is_over = done == graph.lengths[node]
    if not is_over:
        yield _at(state, runs, node, done), 0
    if is_over:
        for following in after:
            yield _at(state, runs, following, 0), 0
    if is_early or (is_over and not after):
        ended = _at(state, runs, None, 0)
        pending = tuple(count - (j == runs) for j, count in enumerate(state.pending))
        is_asked = runs == place
        yield (
            ended._replace(pending=pending, ages=state.ages[1:] if is_asked else state.ages),
            state.ages[0] if is_asked else 0,
        )


def _at(state: State, task: int, node: int | None, done: int) -> State:
    """Return the state with the first job of a task at another place."""
    return state._replace(
        node=tuple(node if j == task else other for j, other in enumerate(state.node)),
        done=tuple(done if j == task else other for j, other in enumerate(state.done)),
    )
