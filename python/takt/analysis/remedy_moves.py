# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Single changes of a system that a search for remedies tries: which there are, and in which order.

A move is a change that a person would call one: a task that becomes preemptive, a task above another one, one protocol
for all resources. Policies, protocols and kinds are found by their roles and traits. Where a move has a size (how far a
task rises, how long its pieces are), the smallest change that helps as much is tried, found by bisection: responses of
a task do not grow as it rises. New priorities are as few as an order needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from takt.analysis import advice, least_budgets
from takt.analysis.judge import judge
from takt.analysis.result import Verdict
from takt.analysis.trials import Changes, State, Trial, merged
from takt.analysis.view import DispatcherView, TaskView, static_key
from takt.model import catalogue
from takt.model.catalogue import AMONG_PROTOCOLS, DEADLINE_POLICY, EARLIEST_DEADLINE, PERIOD_POLICY
from takt.model.value_checks import MAX_PRIORITY

if TYPE_CHECKING:
    from takt.model.system import System


class Move(NamedTuple):
    """A change that a search tries.

    Args:
        what: what people call it; "": its edits say it.
        changes: new values of keys.
        weight: how many tasks and keys it changes; one of the policy counts for each task and server under it.
        processors: how many it adds.
    """

    what: str
    changes: Changes
    weight: int = 0
    processors: int = 0

    @property
    def size(self) -> int:
        """How much it changes, at least the number of its keys."""
        return max(self.weight, sum(map(len, self.changes.values())))


def broad_of(state: State) -> Iterator[Move]:
    """Yield the moves that change much at once: these come first, as a budget may not suffice for all others."""
    for part, late in _late_parts(state):
        yield from _all_preemptive(state, part)
        yield from _protocols(part)
        yield from _budgets(part, late)
        for dispatcher in part.view.dispatchers:
            yield from _policies(part, dispatcher)
            for key in ("deadline", "period") if dispatcher.traits.has_fifo_levels else ():
                changes = renumbered(sorted_by(part.system, dispatcher, key))
                if len(changes) > 1:  # one new priority is a task above or below others
                    yield Move(f"priorities by {key}s", changes)


def narrow_of(state: State) -> Iterator[Move]:
    """Yield the moves of a task or a server alone."""
    for part, late in _late_parts(state):
        yield from (Move("", advice.displaced([task])) for task in advice.barring(part))
        for dispatcher in part.view.dispatchers:
            yield from _orders(part, dispatcher, late)


def searched_of(state: State) -> Iterator[Move]:
    """Yield the moves that need a search of their own."""
    for part, _ in _late_parts(state):
        for what, find in _SEARCHES.items():
            changes = find(part)
            if changes:
                yield Move(what, changes)


def _late_parts(state: State) -> Iterator[tuple[Trial, list[str]]]:
    """Yield the domains that do not fit, with the names of their tasks whose deadlines are open."""
    for at, part in enumerate(state.parts):
        late = [row.task for row in state.late if row.domain == str(at)]
        if late:
            yield part, late


# ---- preemption ---------------------------------------------------------------------------------------


def _all_preemptive(state: State, part: Trial) -> Iterator[Move]:
    """Yield of several tasks the fewest that help as much as all if they become preemptive, those that bar longest."""
    tasks = advice.barring(part)
    if len(tasks) < 2:
        return

    def score(count: int) -> tuple[int, int]:
        found = state.after(advice.displaced(tasks[:count]))
        return (len(tasks), 0) if found is None else found.score[:2]

    best, few, enough = score(len(tasks)), 1, len(tasks)
    while few < enough:
        middle = (few + enough) // 2
        few, enough = (few, middle) if score(middle) <= best else (middle + 1, enough)
    if enough > 1:
        yield Move(f"{enough} tasks preemptive", advice.displaced(tasks[:enough]))


# ---- order --------------------------------------------------------------------------------------------


class Member(NamedTuple):
    """A task or a server with a priority.

    Args:
        table: "task" or "server".
        name: as in the file.
        number: as of its view.
        priority: as in the file.
    """

    table: str
    name: str
    number: int
    priority: int


Order = list[list[Member]]
"""Members, the most urgent first; those of a list have one priority."""


def order_of(system: System, dispatcher: DispatcherView) -> Order:
    """Return the present order of a dispatcher, without the allocator's own task: no file gives it a priority.

    Args:
        system: that the dispatcher is in.
        dispatcher: with priorities.
    """
    tasks = [task for task in dispatcher.tasks if task.number < len(system.tasks)]
    members = [Member("task", task.name, task.number, system.tasks[task.number].priority) for task in tasks]
    members += [
        Member("server", each.name, each.number, system.servers[each.number - 1].priority)
        for each in dispatcher.servers
    ]
    members.sort(key=lambda member: -member.priority)
    return [list(group) for _, group in groupby(members, lambda member: member.priority)]


def sorted_by(system: System, dispatcher: DispatcherView, key: str) -> Order:
    """Return the tasks and servers of a dispatcher by their deadlines - jitter, or their periods; no two are equals."""
    tasks = {task.number: task for task in dispatcher.tasks}
    periods = {server.number: server.period for server in dispatcher.servers}

    def length(member: Member) -> int:
        if member.table == "server":
            return periods[member.number]
        task: TaskView = tasks[member.number]
        return task.deadline - task.jitter if key == "deadline" else task.period

    members = [member for group in order_of(system, dispatcher) for member in group]
    return [[member] for member in sorted(members, key=length)]


def renumbered(order: Sequence[Sequence[Member]]) -> Changes:
    """Return the priorities of an order: as many as possible stay as they are.

    Args:
        order: groups, the most urgent first; members of a group have one priority, or get one.

    Example:
        >>> A, B, C = (Member("task", name, 0, priority) for name, priority in (("A", 9), ("B", 5), ("C", 2)))
        >>> renumbered([[B], [A], [C]])
        {('task', 'B'): {'priority': 10}}
    """
    groups = list(reversed(order))
    kept = _kept(groups)
    last = len(groups) - 1
    changes: Changes = {}
    for place, group in enumerate(groups):
        below = max((each for each in kept if each <= place), default=None)
        first = min(kept, default=0)
        start = groups[below][0].priority if below is not None else groups[first][0].priority if kept else last
        priority = start + place - (below if below is not None else first if kept else last)
        changes |= {(each.table, each.name): {"priority": priority} for each in group if each.priority != priority}
    return changes


def _kept(groups: Sequence[Sequence[Member]]) -> list[int]:
    """Return the places of the groups that keep their priorities, with as many members as possible.

    Args:
        groups: the least urgent first.
    """
    best: list[tuple[int, list[int]]] = []
    for place, group in enumerate(groups):
        priority = group[0].priority
        has_room = place <= priority <= MAX_PRIORITY - (len(groups) - 1 - place)
        if not has_room or any(each.priority != priority for each in group):
            best.append((0, []))
            continue
        before = [
            best[other]
            for other in range(place)
            if best[other][1] and priority - groups[other][0].priority >= place - other
        ]
        weight, chain = max(before, key=lambda each: each[0], default=(0, []))
        best.append((weight + len(group), [*chain, place]))
    return max(best, key=lambda each: each[0], default=(0, []))[1]


def _orders(part: Trial, dispatcher: DispatcherView, late: list[str]) -> Iterator[Move]:
    """Yield tasks and servers above others, and below others."""
    if not dispatcher.traits.has_fifo_levels or len(dispatcher.children()) < 2:
        return
    order = order_of(part.system, dispatcher)
    is_late = {
        member: any(part.system.tasks[number].name in late for number in _tasks_of(part, member))
        for group in order
        for member in group
    }
    for member in (each for each, is_open in is_late.items() if is_open):
        if part.budget is None or not part.budget.is_empty:
            yield from _raised(part, order, member)
    for member in (each for each, is_open in is_late.items() if not is_open):
        yield from _lowered(order, member, is_late)


def _tasks_of(part: Trial, member: Member) -> list[int]:
    """Return the number of a task, or those of the tasks that are directly in a server."""
    if member.table == "task":
        return [member.number]
    return [task.number for task in part.view.dispatchers[member.number].tasks]


def _raised(part: Trial, order: Order, member: Member) -> Iterator[Move]:
    """Yield the place as low as possible where a task meets its deadline, or a server's tasks do."""
    others = [[each for each in group if each != member] for group in order]
    own = next(at for at, group in enumerate(order) if member in group)
    lowest = own if others[own] else own - 1
    others = [group for group in others if group]

    def placed(at: int) -> Changes:
        return renumbered([*others[:at], [member], *others[at:]])

    def is_met(at: int) -> bool:
        found = part.judged(placed(at))
        if found is None:
            return False
        return all(found.tasks[number].verdict is Verdict.SCHEDULABLE for number in _tasks_of(part, member))

    if lowest < 0 or not is_met(0):
        return
    enough, too_low = 0, lowest + 1
    while too_low - enough > 1:
        middle = (enough + too_low) // 2
        enough, too_low = (middle, too_low) if is_met(middle) else (enough, middle)
    yield Move(f"{member.name} above {others[enough][0].name}", placed(enough))


def _lowered(order: Order, member: Member, is_late: Mapping[Member, bool]) -> Iterator[Move]:
    """Yield a member that meets its deadline below the first and the last one that does not."""
    own = next(at for at, group in enumerate(order) if member in group)
    open_below = [at for at, group in enumerate(order) if at >= own and any(is_late[each] for each in group)]
    for at in dict.fromkeys(open_below[:1] + open_below[-1:]):
        groups = [[each for each in group if each != member] for group in order]
        groups.insert(at + 1, [member])
        changes = renumbered([group for group in groups if group])
        name = next(each.name for each in order[at] if is_late[each])
        yield Move(f"{member.name} below {name}", changes)


# ---- policies, protocols, servers ---------------------------------------------------------------------


def _policies(part: Trial, dispatcher: DispatcherView) -> Iterator[Move]:
    """Yield other policies of a dispatcher: those by relative deadlines, by periods and by absolute deadlines."""
    if not dispatcher.children():
        return
    place = ("server", dispatcher.name) if dispatcher.name else ("system", "")
    keys = [(task.fixed.level, task.period, task.deadline, task.key) for task in dispatcher.tasks]
    keys += [(1, server.period, server.period, server.key) for server in dispatcher.servers]
    for policy in dict.fromkeys((DEADLINE_POLICY, PERIOD_POLICY, EARLIEST_DEADLINE)):
        is_present = dispatcher.traits == catalogue.traits_of(policy) and all(
            static_key(policy, level, period, deadline) == key for level, period, deadline, key in keys
        )
        if not is_present:  # maybe under another name
            yield Move("", {place: {"policy": policy}}, weight=len(part.view.dispatchers[0].children()))


def _protocols(part: Trial) -> Iterator[Move]:
    """Yield one protocol for all resources of single dispatchers, and another one for each."""
    resources = [each for each in part.system.resources if each.protocol not in AMONG_PROTOCOLS]
    for protocol in catalogue.ADVISED_PROTOCOLS if resources else ():
        traits = catalogue.protocol_traits(protocol)
        others = [each for each in resources if catalogue.protocol_traits(each.protocol) != traits]
        every: Changes = {("resource", each.name): {"protocol": protocol} for each in others}
        if every:
            yield Move("", every)
        if len(every) > 1:
            yield from (Move("", {place: keys}) for place, keys in every.items())


def _budgets(part: Trial, late: list[str]) -> Iterator[Move]:
    """Yield the least budgets with which tasks in servers are schedulable, and servers that act as tasks."""
    if not any(each.servers for each in part.view.dispatchers):
        return
    judged = least_budgets.with_least_budgets(part.view, judge(part.view, part.steps), part.effort)
    every: Changes = {}
    for number, row in sorted(judged.servers.items()):
        if row.least_budget is None or row.least_budget == row.budget:
            continue
        budget: Changes = {("server", row.server): {"budget": row.least_budget}}
        every |= budget
        if any(task.name in late for task in part.view.dispatchers[number].tasks):
            yield Move("", budget)
    if len(every) > 1:
        yield Move("", every)
    kinds = advice.idling(part)
    if kinds:
        yield Move("", kinds)


# ---- searches of their own ----------------------------------------------------------------------------


def _with_few_priorities(find: Callable[[Trial], Changes]) -> Callable[[Trial], Changes]:
    """Return a search whose new priorities are as few as its order allows."""

    def found(part: Trial) -> Changes:
        changes = find(part)
        ranks = {place: keys["priority"] for place, keys in changes.items() if "priority" in keys}
        if not ranks or any(isinstance(keys.get("threshold"), int) for keys in changes.values()):
            return changes
        members = [member for group in order_of(part.system, part.view.dispatchers[0]) for member in group]
        members.sort(key=lambda member: -ranks[member.table, member.name])
        others: dict[tuple[str, str], dict[str, Any]] = {
            place: {key: value for key, value in keys.items() if key != "priority"} for place, keys in changes.items()
        }
        return merged({place: keys for place, keys in others.items() if keys}, renumbered([[each] for each in members]))

    return found


_SEARCHES: dict[str, Callable[[Trial], Changes]] = {
    "searched priorities": _with_few_priorities(advice.priorities),
    "preemption thresholds": advice.thresholds,
    "preemption points": _with_few_priorities(advice.final_regions),
    "shorter regions": advice.points,
}
"""Searches of whole assignments, each with what people call its result."""
