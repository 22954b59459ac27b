# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Remedies: the smallest chains of changes that make a system schedulable, by a best-first search.

All single moves are tried (remedy_moves.py). If none suffices, the system that is nearest to one that fits is changed
further, and so on: nearest is the one with the fewest open deadlines, then with the least lateness. Steps without which
a chain suffices too are left out. The search has a budget of rows, not of time, so that its result is the same on any
machine. Each remedy is proved by the same tests as a verdict.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from takt.analysis import advice, assignments, remedy_moves
from takt.analysis.remedy_moves import Move
from takt.analysis.result import Remedies, Remedy, Step
from takt.analysis.sensitivity import PROBES
from takt.analysis.trials import Budget, Changes, Progress, State, merged, state_of
from takt.base import times
from takt.files import edits

if TYPE_CHECKING:
    from takt.model.system import System

EFFORT_PER_ROW = 20_000
"""What a search pays of the effort for each task in each trial, for which a system is built anew."""
MAX_STEPS = 4
"""How many changes a remedy has at most."""
MAX_FOUND = 3
"""How many remedies are returned."""
MAX_PIECES = 100
"""Into how many pieces a job is cut where it could be made preemptive, too."""
MAX_FURTHER = 1
"""How many systems are still changed further after that in which the first remedy is found."""


@dataclass(frozen=True, slots=True)
class Node:
    """A system that the search has reached.

    Args:
        state: of the system.
        moves: from the system as it is to this one.
        changes: all of them together.
    """

    state: State
    moves: tuple[Move, ...]
    changes: Changes

    @property
    def rank(self) -> tuple[int, ...]:
        """Order of remedies: those first that change least."""
        processors = sum(move.processors for move in self.moves)
        return (processors, len(self.moves), self.state.others, sum(move.size for move in self.moves))

    @property
    def key(self) -> frozenset[tuple[tuple[str, str], str, str]]:
        """The changes, comparable."""
        return frozenset(
            (place, key, repr(value)) for place, keys in self.changes.items() for key, value in keys.items()
        )


class Search:
    """A search for remedies of a system.

    Args:
        origin: the system as it is.
    """

    def __init__(self, origin: State) -> None:
        """Start at the system as it is."""
        self.origin = Node(origin, (), {})
        self.budget = origin.budget
        self.found: list[Node] = []
        self.nearest = self.origin
        self._seen = {self.origin.key}

    def run(self) -> None:
        """Search until remedies are found or the budget is used up."""
        waiting: list[tuple[Any, int, Node]] = []
        state = self.origin.state
        if state.is_overloaded and state.system.cpus == 1:  # no order helps, more processors may
            self._try(self.origin, assignments.assignments_of(state), waiting)
        self._expand(self.origin, waiting)
        further = MAX_FURTHER if not self.found else 0
        while waiting and not self.budget.is_empty and (further > 0 or not self.found):
            _, _, node = heapq.heappop(waiting)
            if not self.found or len(node.moves) < min(len(each.moves) for each in self.found):
                further -= bool(self.found)
                self._expand(node, waiting)

    def _expand(self, node: Node, waiting: list[tuple[Any, int, Node]]) -> None:
        """Try all moves of a system; after the first step, searches of their own only where no other move suffices."""
        self.budget.step = len(node.moves) + 1
        state = node.state
        broad, narrow = remedy_moves.broad_of(state), chain(remedy_moves.narrow_of(state), assignments.moved_of(state))
        searched = remedy_moves.searched_of(state)
        if not node.moves:
            placed = [assignments.assignments_of(state), assignments.more_processors_of(state)]
            self._try(node, chain(*(placed if state.system.cpus > 1 else []), broad, searched, narrow), waiting)
        elif not self._try(node, chain(broad, narrow), waiting):
            self._try(node, searched, waiting)

    def _try(self, node: Node, moves: Iterator[Move], waiting: list[tuple[Any, int, Node]]) -> bool:
        """Try moves of a system, and keep what they lead to; True if one suffices."""
        before = len(self.found)
        for move in moves:
            if self.budget.is_empty:
                break
            changes = _trimmed(self.origin.state.system, merged(node.changes, move.changes))
            child = Node(node.state, (*node.moves, move), changes)
            # A word, such as a policy, that changes for the second time would without the first be another chain.
            is_again = any(
                isinstance(value, str) and key in node.changes.get(place, {})
                for place, keys in move.changes.items()
                for key, value in keys.items()
            )
            if child.key in self._seen or is_again:
                continue
            self._seen.add(child.key)
            state = node.state.after(move.changes)
            if state is None:
                continue
            child = Node(state, child.moves, changes)
            if not state.late:
                self.found.append(child)
                continue
            if state.score < self.nearest.state.score:
                self.nearest = child
            if len(child.moves) < MAX_STEPS:
                heapq.heappush(waiting, ((state.score, child.rank), len(self._seen), child))
        return len(self.found) > before

    # ---- what was found

    def remedies(self) -> Iterator[Remedy]:
        """Yield the remedies that change least, without steps that are not needed."""
        nodes = _of_each_kind(map(self._shortest, self.found))
        with_points = map(self._with_points, nodes[: MAX_FOUND - 1])
        nodes = _of_each_kind([*nodes, *(node for node in with_points if node is not None)])
        for node in nodes[:MAX_FOUND]:
            processors, _, others, weight = node.rank
            yield Remedy(tuple(self.steps(node)), processors, others, weight)

    def _shortest(self, node: Node) -> Node:
        """Return a remedy without the steps that are not needed."""
        moves = list(node.moves)
        for move in node.moves[:-1]:
            rest = [each for each in moves if each is not move]
            found = self._reached(rest)
            if found is not None and not found.state.late:
                moves, node = rest, found
        return node

    def _reached(self, moves: list[Move]) -> Node | None:
        """Return the system after moves, None if it may not have them."""
        changes: Changes = {}
        for move in moves:
            changes = merged(changes, move.changes)
        state = self.origin.state.after(changes)
        return None if state is None else Node(state, tuple(moves), _trimmed(self.origin.state.system, changes))

    def _with_points(self, node: Node) -> Node | None:
        """Return a remedy in which a task gets points in the place of full preemption, the fewest that suffice."""
        for at, move in enumerate(node.moves):
            tasks = [task for part in self.origin.state.parts for each in part.view.dispatchers for task in each.tasks]
            task = next((each for each in tasks if move.changes == advice.displaced([each])), None)
            if task is None or not advice.can_be_cut(task):
                continue
            best, enough, too_long = None, 0, task.longest_region
            while too_long - enough > 1:
                most = (enough + too_long) // 2
                count = -(-task.wcet // most)
                pieces = advice.in_pieces([(task, -(-task.wcet // count))])
                tried = Move(f"{task.name} in {count} subjobs", pieces)
                is_bearable = count <= MAX_PIECES
                found = self._reached([*node.moves[:at], tried, *node.moves[at + 1 :]]) if is_bearable else None
                if is_bearable and found is not None and not found.state.late:
                    best, enough = found, most
                elif is_bearable:
                    too_long = most
                else:
                    enough = most
            return best
        return None

    def steps(self, node: Node) -> Iterator[Step]:
        """Yield the steps to a system, with their effects one after the other."""
        state, done = self.origin.state, dict[tuple[str, str, str], object]()
        system = state.system
        for at, move in enumerate(node.moves):
            before = state.score.open
            state = node.state if at == len(node.moves) - 1 else (state.after(move.changes) or node.state)
            changed = {
                (*place, key): value
                for place, keys in move.changes.items()
                for key, value in keys.items()
                if done.get((*place, key), getattr(_table(system, place), key)) != value
            }
            done |= changed
            texts = tuple(_edit(system, *place, value) for place, value in changed.items())
            yield Step(move.what or " ".join(texts), texts, before, state.score.open)


def _of_each_kind(nodes: Iterable[Node]) -> list[Node]:
    """Return the remedies that change least among those that change the same keys; priorities are one key together."""
    best: dict[object, Node] = {}
    for node in sorted(nodes, key=lambda node: node.rank):
        kind = frozenset(
            ("" if key in ("priority", "cpu") else place, key) for place, keys in node.changes.items() for key in keys
        )
        best.setdefault(kind, node)
    return list(best.values())


def _table(system: System, place: tuple[str, str]) -> Any:
    """Return the table at a place."""
    members: dict[str, Any] = {"task": system.tasks, "server": system.servers, "resource": system.resources}
    return next((each for each in members.get(place[0], ()) if each.name == place[1]), system)


def _trimmed(system: System, changes: Changes) -> Changes:
    """Return changes without the values that the system has."""
    kept = {
        place: {key: value for key, value in keys.items() if getattr(_table(system, place), key) != value}
        for place, keys in changes.items()
    }
    return {place: keys for place, keys in kept.items() if keys}


def _edit(system: System, table: str, name: str, key: str, value: object) -> str:
    """Return a change as an edit; ticks of times get a unit."""

    def timed(ticks: int) -> str:
        return times.shortest(ticks * system.resolution_ns)

    if key == "budget" and isinstance(value, int):
        value = timed(value)
    if key == "subjobs" and isinstance(value, tuple):
        value = tuple(map(timed, value))
    return edits.written(system, table, name, key, value)


def search(system: System, latency: int, effort: int, progress: Progress | None = None) -> Remedies:
    """Search changes that make a system schedulable.

    Args:
        system: one that is not known to be schedulable.
        latency: of messages to and from its scheduler, at most.
        effort: steps that the tests of each dispatcher may take for a verdict.
        progress: called with the number of changes that were tried.
    """
    budget = Budget(effort // EFFORT_PER_ROW, progress)
    found = Search(state_of(system, latency, effort // PROBES, budget))
    if not found.origin.state.late:
        return Remedies()
    found.run()
    tried, is_limited = tuple(budget.tried[step] for step in sorted(budget.tried)), budget.is_empty
    # Proofs of what was found come beside the search.
    budget.rows = max(budget.rows, effort // EFFORT_PER_ROW // 4)
    remedies = tuple(found.remedies())
    if remedies:
        return Remedies(remedies, tried, is_limited=is_limited)
    latest = max(found.nearest.state.late, key=lambda row: (row.slack is None, -(row.slack or 0)))
    late = (latest.task, None if latest.slack is None else -latest.slack)
    return Remedies((), tried, tuple(found.steps(found.nearest)), late, is_limited)
