"""What would make a system fit that does not: each change is tried, and told only if all tasks that count then fit.

Tried are, one at a time: priorities (Audsley 1991), preemption thresholds (Wang and Saksena 1999), preemption points
and priorities together (final regions, Davis and Bertogna 2012), points in what cannot be displaced, the kinds and
budgets of servers, and earliest deadline first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from takt import _analysis
from takt.analysis import children, fixed, servers, static
from takt.analysis.judge import judge
from takt.analysis.result import Advice
from takt.analysis.view import DispatcherView, SystemView, TaskView, view_of
from takt.errors import InputError

if TYPE_CHECKING:
    from takt.model import System

MAX_PIECES = 1000
"""Into how many pieces a job is cut at most: nobody writes more points."""
MAX_NAMES = 12
"""How many changes an advice spells out; --json has all."""

Changes = dict[tuple[str, str], dict[str, Any]]
"""New values of keys, by table and name."""


def advise(system: System, view: SystemView, effort: int) -> Iterator[Advice]:
    """Look for changes that make the tasks that count schedulable.

    Args:
        system: one that is not known to be schedulable.
        view: of it.
        effort: steps that the tests of each dispatcher may take.
    """
    for what, find in _KINDS.items():
        changes = find(view, effort)
        if changes and _fits(system, changes, effort):
            yield Advice(f"{what}{_spelled(view, changes)}", _listed(changes))


def _fits(system: System, changes: Changes, effort: int) -> bool:
    """Try changes."""
    try:
        return judge(view_of(_changed(system, changes)), effort).is_schedulable
    except InputError:
        return False


def _changed(system: System, changes: Changes) -> System:
    """Make the system with other values."""
    return system.replace(
        **changes.get(("system", ""), {}),
        tasks=[task.replace(**changes.get(("task", task.name), {})) for task in system.tasks],
        servers=[server.replace(**changes.get(("server", server.name), {})) for server in system.servers],
    )


def _listed(changes: Changes) -> tuple[tuple[str, str, str, object], ...]:
    """List changes one by one."""
    return tuple((table, name, key, value) for (table, name), keys in changes.items() for key, value in keys.items())


def _spelled(view: SystemView, changes: Changes) -> str:
    """Write changes for people."""
    words = [" ".join([name, *_written(view, keys)]) for (_, name), keys in changes.items() if name]
    more = len(words) - MAX_NAMES
    return ", ".join(words[:MAX_NAMES]) + (f" and {more} more" if more > 0 else "")


def _written(view: SystemView, keys: Mapping[str, Any]) -> Iterator[str]:
    """Write the new values of keys; times with their units."""
    for key, value in keys.items():
        if key == "subjobs":
            yield f"{key} [{', '.join(map(view.write, value))}]"
        elif value is not None:
            yield f"{key} {view.write(value) if key == 'budget' else value}"


# ---- what is tried ------------------------------------------------------------------------------------


def _plain_root(view: SystemView, policies: Sequence[str]) -> DispatcherView | None:
    """Give a root of tasks alone, of which assignments know all; None if there is more."""
    root = view.dispatchers[0]
    is_plain = root.policy in policies and not root.servers and view.resolved.cpus == 1 and not view.doubts
    is_known = is_plain and not any(
        task.doubts or task.sections or task.suspended or task.threshold is not None for task in root.tasks
    )
    return root if is_known and view.resolved.costs.is_ideal else None


def _priorities(view: SystemView, effort: int) -> Changes:
    """Order the tasks of an fp root anew."""
    root = _plain_root(view, ("fp",))
    if root is None:
        return {}
    columns = children.columns_of(root.tasks)
    longest = fixed.numbers(task.longest_region for task in root.tasks)
    last = fixed.numbers(task.last_region for task in root.tasks)
    verdict, order = _analysis.assign_priorities(
        columns.wcet, columns.period, columns.deadline, columns.jitter, None, longest, last, effort
    )
    return _in_order(root.tasks, order) if verdict == _analysis.SCHEDULABLE else {}


def _in_order(tasks: Sequence[TaskView], order: Sequence[int]) -> Changes:
    """Give priorities, the first one of an order the largest."""
    return {("task", tasks[place].name): {"priority": len(order) - rank} for rank, place in enumerate(order)}


def _thresholds(view: SystemView, effort: int) -> Changes:
    """Give thresholds to the preemptive tasks of an fp root, in the order that they have."""
    root = _plain_root(view, ("fp",))
    if root is None or any(task.regions for task in root.tasks):
        return {}
    columns = children.columns_of(root.tasks)
    verdict, above = _analysis.assign_thresholds(
        columns.wcet, columns.period, columns.deadline, columns.jitter, effort=effort
    )
    if verdict != _analysis.SCHEDULABLE:
        return {}
    ranks = _in_order(root.tasks, range(len(root.tasks)))
    for place, task in enumerate(root.tasks):
        if above[place] < place:
            ranks["task", task.name]["threshold"] = len(root.tasks) - above[place]
    return ranks


def _final_regions(view: SystemView, effort: int) -> Changes:
    """Order the tasks of an fp root anew, with points; no piece is longer than the last one, and so blocks as that."""
    root = _plain_root(view, ("fp",))
    if root is None:
        return {}
    columns = children.columns_of(root.tasks)
    verdict, order, regions = _analysis.assign_final_regions(
        columns.wcet, columns.period, columns.deadline, columns.jitter, effort
    )
    if verdict != _analysis.SCHEDULABLE:
        return {}
    cuts = [(task, int(last)) for task, last in zip(root.tasks, regions, strict=True) if last > 1]
    if not _is_bearable(cuts):
        return {}
    changes = _in_order(root.tasks, order)
    for key, pieces in _in_pieces(cuts).items():
        changes[key] |= pieces
    return changes


def _points(view: SystemView, effort: int) -> Changes:
    """Cut what is not displaced into pieces that everybody above bears."""
    root = _plain_root(view, (*static.POLICIES, "edf"))
    if root is None or not any(task.regions for task in root.tasks):
        return {}
    columns = children.columns_of(root.tasks)
    find = _analysis.edf_regions if root.policy == "edf" else _analysis.fp_regions
    verdict, longest = find(columns.wcet, columns.period, columns.deadline, columns.jitter, effort)
    if verdict != _analysis.SCHEDULABLE:
        return {}
    cuts = [(task, max(1, int(most))) for task, most in zip(root.tasks, longest, strict=True)]
    cuts = [(task, most) for task, most in cuts if task.longest_region > most]
    return _in_pieces(cuts) if _is_bearable(cuts) else {}


def _is_bearable(cuts: Sequence[tuple[TaskView, int]]) -> bool:
    """Whether jobs have few enough pieces, with the longest of each task."""
    return all(task.wcet <= MAX_PIECES * most for task, most in cuts)


def _in_pieces(cuts: Sequence[tuple[TaskView, int]]) -> Changes:
    """Cut jobs into pieces, the last one as long as any may be."""
    whole = {"body": None, "sections": None, "preemption": None}
    return {("task", task.name): {"subjobs": _pieces(task.wcet, min(task.wcet, most))} | whole for task, most in cuts}


def _pieces(wcet: int, last: int) -> tuple[int, ...]:
    """Give the lengths of pieces, the last one the longest."""
    count, rest = divmod(wcet, last)
    return (*[rest] * (rest > 0), *[last] * count)


def _idling(view: SystemView, effort: int) -> Changes:
    """Make deferrable servers idle, which act on others as tasks."""
    there = [each for dispatcher in view.dispatchers for each in dispatcher.servers if each.kind == "deferrable"]
    return {("server", each.name): {"kind": "idling"} for each in there}


def _budgets(view: SystemView, effort: int) -> Changes:
    """Give each server the least budget with which its tasks fit, whatever the others do."""
    found = servers.with_least_budgets(view, judge(view, effort), effort).servers
    least = {row.server: row.least_budget for row in found.values()}
    return {("server", name): {"budget": budget} for name, budget in least.items() if budget is not None}


def _deadlines(view: SystemView, effort: int) -> Changes:
    """Order the root by deadlines."""
    return {} if view.dispatchers[0].policy == "edf" else {("system", ""): {"policy": "edf"}}


_KINDS: dict[str, Callable[[SystemView, int], Changes]] = {
    "with other priorities: ": _priorities,
    "with preemption thresholds: ": _thresholds,
    "with preemption points: ": _final_regions,
    "with shorter parts that nothing displaces: ": _points,
    "with other kinds of servers: ": _idling,
    "with other budgets: ": _budgets,
    "with policy edf": _deadlines,
}
"""What is tried, in this order, and how it is told."""
