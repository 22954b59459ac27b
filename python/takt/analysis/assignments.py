# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Assignments of tasks to processors: worst fit, first fit, searched, each processor proved by its own analysis.

What belongs together is assigned together, a *unit*: a server with all that is in it, tasks that share a resource, and
tasks that are thresholds of one another. Units are placed in the order of their utilization, the largest first (Johnson
1974); the search places them so too, and tries all processors for each (backtracking), as long as its budget lasts.
Left out: machines with [[cluster]], changes, or an allocator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from takt.analysis.remedy_moves import Move
from takt.analysis.trials import Changes, State, state_of
from takt.base import times
from takt.base.errors import InputError
from takt.model.conversion import resources_of

if TYPE_CHECKING:
    from takt.model.system import System

MAX_PROCESSORS = 64
MAX_SEARCHED = 2000
"""How many units a search places at most."""

Unit = frozenset[str]
"""Names of tasks that are on one processor."""

Place = Callable[[Unit, list[list[Unit]]], Iterator[int]]
"""Which processors are tried for a unit, in order."""


class Assigner:
    """Assigns the units of a system to processors.

    Args:
        state: of the system.
    """

    def __init__(self, state: State) -> None:
        """Find the units."""
        self.state = state
        shares = {row.task: Fraction(row.wcet, row.period or times.MAX_TICKS) for row in state.rows}
        places = {task.name: at for at, task in enumerate(state.system.tasks)}
        units = _units(state.system)
        self.loads = {unit: sum(map(shares.__getitem__, unit), Fraction(0)) for unit in units}
        self.units = sorted(units, key=lambda unit: (-self.loads[unit], min(map(places.__getitem__, unit))))
        self._known: dict[Unit, bool] = {}
        self._placed = 0

    def fits(self, units: list[Unit]) -> bool:
        """True if a processor with these units is proved to meet the deadlines that decide."""
        names = frozenset(name for unit in units for name in unit)
        if names not in self._known:
            self._known[names] = self._load_of(units) <= 1 and self._is_proved(names)
        return self._known[names]

    def _load_of(self, units: list[Unit]) -> Fraction:
        return sum(map(self.loads.__getitem__, units), Fraction(0))

    def _is_proved(self, names: Unit) -> bool:
        state = self.state
        if not state.budget.pay(len(names)):
            return False
        try:
            part = _part_of(state.system, names)
            found = state_of(part, state.parts[0].view.latency, state.effort, state.budget)
        except InputError:
            return False
        deciding = {row.task for row in state.deciding}
        return not any(row.task in deciding and row in found.late for row in found.rows)

    def first_fit(self, count: int) -> list[list[Unit]] | None:
        """Place each unit on the first processor where it fits."""
        return self._greedy(count, lambda _, bins: iter(range(len(bins))))

    def worst_fit(self, count: int) -> list[list[Unit]] | None:
        """Place each unit on the processor with the smallest load where it fits."""
        return self._greedy(count, lambda _, bins: iter(self._by_load(bins)))

    def _by_load(self, bins: list[list[Unit]]) -> list[int]:
        return sorted(range(len(bins)), key=lambda at: (self._load_of(bins[at]), at))

    def _greedy(self, count: int, places: Place) -> list[list[Unit]] | None:
        bins: list[list[Unit]] = [[] for _ in range(count)]
        for unit in self.units:
            at = next((at for at in places(unit, bins) if self.fits([*bins[at], unit])), None)
            if at is None:
                return None
            bins[at].append(unit)
        return bins

    def searched(self, count: int) -> list[list[Unit]] | None:
        """Place units by backtracking; of empty processors only the first is tried."""
        bins: list[list[Unit]] = [[] for _ in range(count)]
        self._placed = 0
        return bins if self._place(0, bins) else None

    def _place(self, number: int, bins: list[list[Unit]]) -> bool:
        if number == len(self.units):
            return True
        for at in self._by_load(bins):
            if self._placed >= MAX_SEARCHED or self.state.budget.is_empty:
                return False
            if not bins[at] and any(not each for each in bins[:at]):
                continue
            self._placed += 1
            if self.fits([*bins[at], self.units[number]]):
                bins[at].append(self.units[number])
                if self._place(number + 1, bins):
                    return True
                bins[at].pop()
        return False


def assignments_of(state: State) -> Iterator[Move]:
    """Yield assignments to as few processors as are enough, from those of the system on; none if no number would do."""
    system = state.system
    if system.clusters or system.changes or system.allocator is not None:
        return
    assigner = Assigner(state)
    if len(assigner.units) < 2 or not all(assigner.fits([unit]) for unit in assigner.units):
        return
    ways = {"worst fit": assigner.worst_fit, "first fit": assigner.first_fit, "searched": assigner.searched}
    for count in range(max(2, system.cpus), min(MAX_PROCESSORS, len(assigner.units)) + 1):
        for what, way in ways.items():
            bins = None if state.budget.is_empty else way(count)
            if bins is not None:
                changes: Changes = {("system", ""): {"cpus": count}} if count != system.cpus else {}
                kept = _as_they_are(system, bins)
                number = {name: at for at, units in enumerate(kept) for unit in units for name in unit}
                changes |= _placed(system, number)
                yield Move(f"fits on {count} processors ({what})", changes, processors=count - system.cpus)
                return


def more_processors_of(state: State) -> Iterator[Move]:
    """Yield the fewest processors with which tasks that are scheduled together meet their deadlines."""
    system = state.system
    if system.cpus == 1 or system.domains:
        return
    for count in range(system.cpus + 1, min(MAX_PROCESSORS, len(system.tasks)) + 1):
        changes: Changes = {("system", ""): {"cpus": count}}
        found = state.after(changes)
        if found is not None and not found.late:
            yield Move(f"{count} processors", changes, processors=count - system.cpus)
            return


def _units(system: System) -> list[Unit]:
    """Return the units of a system."""
    root_of = {task.name: task.name for task in system.tasks}

    def find(name: str) -> str:
        while root_of[name] != name:
            name = root_of[name]
        return name

    def join(names: list[str]) -> None:
        for name in names[1:]:
            root_of[find(name)] = find(names[0])

    parents = {server.name: server.parent for server in system.servers}
    groups: dict[tuple[str, str], list[str]] = {}
    for task in system.tasks:
        for resource in resources_of(task):
            groups.setdefault(("resource", resource), []).append(task.name)
        server = task.server
        while server is not None and parents.get(server) is not None:
            server = parents[server]
        if server is not None:
            groups.setdefault(("server", server), []).append(task.name)
        if isinstance(task.threshold, str) and task.threshold in root_of:
            groups.setdefault(("threshold", task.name), []).extend((task.name, task.threshold))
    for names in groups.values():
        join(names)
    units: dict[str, set[str]] = {}
    for name in root_of:
        units.setdefault(find(name), set()).add(name)
    return [frozenset(unit) for unit in units.values()]


def _part_of(system: System, names: Unit) -> System:
    """Return the tasks with these names, and what they need, on one processor."""
    tasks = [task.replace(cpu=None) for task in system.tasks if task.name in names]
    held = {name for task in tasks for name in resources_of(task)}
    needed = {task.server for task in tasks}
    for server in (server for _ in system.servers for server in system.servers if server.name in needed):
        needed.add(server.parent)
    return system.replace(
        cpus=1,
        tasks=tasks,
        servers=[server.replace(cpu=None) for server in system.servers if server.name in needed],
        resources=[each for each in system.resources if each.name in held],
    )


def _as_they_are(system: System, bins: list[list[Unit]]) -> list[list[Unit]]:
    """Return the same with other numbers of processors: as many tasks as possible stay where they are."""
    present = {task.name: task.cpu for task in system.tasks if task.cpu is not None}
    left, numbered = list(range(len(bins))), dict[int, list[Unit]]()
    shared = {
        (number, at): sum(present.get(name) == number for unit in units for name in unit)
        for number in left
        for at, units in enumerate(bins)
    }
    places = set(left)
    for number, at in sorted(shared, key=lambda pair: (-shared[pair], pair)):
        if number not in numbered and at in places:
            numbered[number] = bins[at]
            places.remove(at)
    return [numbered[number] for number in range(len(bins))]


def moved_of(state: State) -> Iterator[Move]:
    """Yield each unit of a processor that does not fit on each other processor, where tasks say on which they are."""
    system = state.system
    if system.clusters or not system.domains:
        return
    places = {row.task: system.domains[int(row.domain)].processors[0] for row in state.rows}
    late = {places[row.task] for row in state.late}
    for unit in sorted(_units(system), key=sorted):
        own = places[min(unit)]
        for cpu in range(system.cpus if own in late else 0):
            if cpu != own:
                more = f" and {len(unit) - 1} more" if len(unit) > 1 else ""
                yield Move(f"{min(unit)}{more} on processor {cpu}", _placed(system, places | dict.fromkeys(unit, cpu)))


def _placed(system: System, number: Mapping[str, int]) -> Changes:
    """Return the numbers of the processors of tasks as new values of keys."""
    parents = {server.name: server.parent for server in system.servers}
    first: dict[str, str] = {}  # task in each server
    for task in system.tasks:
        around = task.server
        while around is not None:
            first.setdefault(around, task.name)
            around = parents.get(around)
    members: list[tuple[Any, int | None]] = [
        (task, number[task.name] if task.server is None else None) for task in system.tasks
    ]
    members += [
        (server, number.get(first.get(server.name, "")) if server.parent is None else None) for server in system.servers
    ]
    return {(each.table, each.name): {"cpu": cpu} for each, cpu in members if each.cpu != cpu}
