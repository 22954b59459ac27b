# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Changes that make a system schedulable: each is tried, and reported only if all tasks that count then fit.

Tried are, one at a time: tasks that become preemptive, priorities (Audsley 1991), preemption thresholds (Wang and
Saksena 1999), preemption points and priorities together (final regions, Davis and Bertogna 2012), points in what cannot
be displaced, the protocols of resources, the kinds and budgets of servers, and earliest deadline first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from takt import _analysis
from takt.analysis import children, least_budgets
from takt.analysis.judge import judge
from takt.analysis.result import Advice, Verdict
from takt.analysis.sensitivity import largest
from takt.analysis.trials import Changes, Trial
from takt.analysis.view import DispatcherView, SystemView, TaskView
from takt.model import catalogue
from takt.model.bodies import Op
from takt.model.catalogue import AMONG_PROTOCOLS, PolicyTraits

if TYPE_CHECKING:
    from takt.model.system import System

MAX_PIECES = 1000
"""The largest number of pieces of a job that is suggested: more preemption points are impractical."""
MAX_NAMES = 12
"""How many changes an advice spells out; --json has all."""

MAX_ORDERED = 24
"""Of more tasks priorities are not sought one by one with whole analyses, which takes the square of their number."""
MAX_DROPPED = 32
"""Of more tasks that become preemptive none is tried to be left as it is."""


def advise(system: System, view: SystemView, effort: int) -> Iterator[Advice]:
    """Yield the changes that make all deciding tasks schedulable.

    Args:
        system: one that is not known to be schedulable.
        view: of it.
        effort: steps that the tests of each dispatcher may take.
    """
    trial = Trial(system, view, effort)
    for what, find in _KINDS.items():
        changes = find(trial)
        if changes and trial.fits(changes):
            listed = tuple(
                (table, name, key, value) for (table, name), keys in changes.items() for key, value in keys.items()
            )
            words = [" ".join([name, *_written(view, keys)]) for (_, name), keys in changes.items() if name]
            more = len(words) - MAX_NAMES
            spelled = ", ".join(words[:MAX_NAMES]) + (f" and {more} more" if more > 0 else "")
            yield Advice(f"{what}{spelled}", listed)


def _written(view: SystemView, keys: Mapping[str, Any]) -> Iterator[str]:
    """Write the new values of keys; times with their units."""
    for key, value in keys.items():
        if key == "subjobs":
            yield f"{key} [{', '.join(map(view.write, value))}]"
        elif key == "preemption" and value is not None:
            yield str(value)
        elif value is not None:
            yield f"{key} {view.write(value) if key == 'budget' else value}"
        elif key == "threshold" and len(keys) == 1:
            yield "without threshold"


# ---- what is tried ------------------------------------------------------------------------------------


def _plain_root(view: SystemView, has: Callable[[PolicyTraits], bool]) -> DispatcherView | None:
    """Return a root that has only tasks, all known to assignments; None if it has more."""
    root = view.dispatchers[0]
    is_plain = has(root.traits) and not root.servers and view.resolved.cpus == 1 and not view.unsupported
    is_known = is_plain and not any(
        task.unsupported or task.sections or task.suspended or task.threshold is not None for task in root.tasks
    )
    return root if is_known and view.resolved.costs.is_ideal else None


def priorities(trial: Trial) -> Changes:
    """Choose other priorities of an fp root."""
    root = _plain_root(trial.view, lambda policy: policy.has_fifo_levels)
    if root is None:
        return _priorities_by_trial(trial)
    members = children.members_of(root.tasks)
    regions: dict[str, Any] = {name: children.column(members, name) for name in ("longest", "last")}
    verdict, order = _analysis.assign_priorities(children.record_of(members, **regions), trial.steps)
    return _in_order(root.tasks, order) if verdict == _analysis.SCHEDULABLE else {}


def _priorities_by_trial(trial: Trial) -> Changes:
    """Order the tasks of an fp root that have more than assignments know: by deadlines, or one by one from below."""
    root = trial.view.dispatchers[0]
    if not root.traits.has_fifo_levels or root.servers or len(trial.view.dispatchers) > 1:
        return {}
    by_deadline = sorted(root.tasks, key=lambda task: (task.deadline - task.jitter, task.urgency))
    changes = _in_order(by_deadline, range(len(by_deadline)))
    if trial.fits(changes) or len(by_deadline) > MAX_ORDERED:
        return changes
    below: list[TaskView] = []
    for _ in by_deadline:  # one that meets its deadline at the lowest priority among those without a place
        above = [task for task in by_deadline if task not in below]
        for task in reversed(above):
            order = [*(each for each in above if each is not task), task, *below]
            found = trial.judged(_in_order(order, range(len(order))))
            if found is not None and found.tasks[task.number].verdict is Verdict.SCHEDULABLE:
                below.insert(0, task)
                break
        else:
            return {}
    return _in_order(below, range(len(below)))


def _in_order(tasks: Sequence[TaskView], order: Sequence[int]) -> Changes:
    """Return priorities; the first task of an order gets the largest."""
    return {("task", tasks[place].name): {"priority": len(order) - rank} for rank, place in enumerate(order)}


def thresholds(trial: Trial) -> Changes:
    """Return thresholds for the preemptive tasks of an fp root, in their present order."""
    root = _plain_root(trial.view, lambda policy: policy.has_fifo_levels)
    if root is None or any(task.regions for task in root.tasks):
        return {}
    verdict, above = _analysis.assign_thresholds(children.plain_record(root.tasks), effort=trial.steps)
    if verdict != _analysis.SCHEDULABLE:
        return {}
    ranks = _in_order(root.tasks, range(len(root.tasks)))
    for place, task in enumerate(root.tasks):
        if above[place] < place:
            ranks["task", task.name]["threshold"] = len(root.tasks) - above[place]
    return ranks


def final_regions(trial: Trial) -> Changes:
    """Choose other priorities of an fp root, with points; the last subjob is the longest, so it bounds the blocking."""
    root = _plain_root(trial.view, lambda policy: policy.has_fifo_levels)
    if root is None:
        return {}
    verdict, order, regions = _analysis.assign_final_regions(children.plain_record(root.tasks), trial.steps)
    if verdict != _analysis.SCHEDULABLE:
        return {}
    cuts = [(task, int(last)) for task, last in zip(root.tasks, regions, strict=True) if last > 1]
    if not cuts or not is_bearable(cuts):  # without cuts these are priorities alone, which came earlier
        return {}
    changes = _in_order(root.tasks, order)
    for key, pieces in in_pieces(cuts).items():
        changes[key] |= pieces
    return changes


def points(trial: Trial) -> Changes:
    """Cut non-preemptive regions into pieces that all more urgent tasks tolerate."""
    root = _plain_root(trial.view, lambda policy: policy.is_level_or_deadline_driven)
    if root is None:
        return _points_by_trial(trial)
    if not any(task.regions for task in root.tasks):
        return {}
    find = _analysis.edf_regions if root.traits.is_deadline_driven else _analysis.fp_regions
    verdict, longest = find(children.plain_record(root.tasks), trial.steps)
    if verdict != _analysis.SCHEDULABLE:
        return {}
    cuts = [(task, max(1, int(most))) for task, most in zip(root.tasks, longest, strict=True)]
    cuts = [(task, most) for task, most in cuts if task.longest_region > most]
    return in_pieces(cuts) if is_bearable(cuts) else {}


def _points_by_trial(trial: Trial) -> Changes:
    """Cut jobs that just run, in a root that assignments do not know, into pieces as long as all bear."""
    tasks = [task for task in trial.view.dispatchers[0].tasks if can_be_cut(task)]
    longest = max((task.longest_region for task in tasks), default=1)

    def cuts(most: int) -> Changes:
        cut = [(task, most) for task in tasks if task.longest_region > most]
        return in_pieces(cut) if is_bearable(cut) else {}

    most = largest(lambda most: bool(cuts(most)) and trial.fits(cuts(most)), 1, longest - 1) if longest > 1 else None
    return {} if most is None else cuts(most)


def can_be_cut(task: TaskView) -> bool:
    """True if jobs of a task just run, and can have points anywhere."""
    return bool(task.regions) and not any(op in (Op.LOCK, Op.SUSPEND) for op, _ in task.body)


def is_bearable(cuts: Sequence[tuple[TaskView, int]]) -> bool:
    """True if jobs have few enough pieces, with the longest of each task."""
    return all(task.wcet <= MAX_PIECES * most for task, most in cuts)


def in_pieces(cuts: Sequence[tuple[TaskView, int]]) -> Changes:
    """Cut jobs into pieces, the last one as long as any may be, and the longest."""
    changes: Changes = {}
    for task, most in cuts:
        last = min(task.wcet, most)
        count, rest = divmod(task.wcet, last)
        pieces = (*[rest] * (rest > 0), *[last] * count)
        changes["task", task.name] = {"subjobs": pieces, "body": None, "sections": None, "preemption": None}
    return changes


def barring(trial: Trial) -> list[TaskView]:
    """Return the tasks whose started jobs keep more urgent ones waiting, the longest first."""
    tasks = (task for each in trial.view.dispatchers for task in each.tasks if task.barred > 1)
    return sorted(tasks, key=lambda task: (-task.barred, task.number))


def _preemptive(trial: Trial) -> Changes:
    """Return the fewest tasks to make preemptive, those with the longest blocking first."""
    tasks = barring(trial)
    powers = (2**power for power in range(len(tasks).bit_length()))
    sizes = [*(size for size in powers if size < len(tasks)), len(tasks)] if tasks else []
    enough = next((size for size in sizes if trial.fits(displaced(tasks[:size]))), 0)
    too_few = enough // 2
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        if trial.fits(displaced(tasks[:middle])):
            enough = middle
        else:
            too_few = middle
    chosen = tasks[:enough]
    for task in reversed(chosen if len(chosen) <= MAX_DROPPED else []):
        rest = [each for each in chosen if each is not task]
        if rest and trial.fits(displaced(rest)):
            chosen = rest
    return displaced(chosen)


def displaced(tasks: Sequence[TaskView]) -> Changes:
    """Return the changes that make tasks preemptive."""
    return {
        ("task", task.name): {"preemption": "preemptive"} if task.threshold is None else {"threshold": None}
        for task in tasks
    }


def _protocols(trial: Trial) -> Changes:
    """Return for all resources of single dispatchers the first protocol that suffices."""
    resources = [each for each in trial.system.resources if each.protocol not in AMONG_PROTOCOLS]
    for protocol in catalogue.ADVISED_PROTOCOLS if resources else ():
        changes: Changes = {
            ("resource", each.name): {"protocol": protocol} for each in resources if each.protocol != protocol
        }
        if changes and trial.fits(changes):
            return changes
    return {}


def idling(trial: Trial) -> Changes:
    """Return the changes to idling servers for deferrable servers; an idling server acts on others as a task."""
    there = [each for dispatcher in trial.view.dispatchers for each in dispatcher.servers if each.traits.defers]
    return {("server", each.name): {"kind": catalogue.TASK_LIKE_KIND} for each in there}


def _budgets(trial: Trial) -> Changes:
    """Return for each server the least budget with which its tasks are schedulable, whatever the other servers do."""
    found = least_budgets.with_least_budgets(trial.view, judge(trial.view, trial.steps), trial.effort).servers
    least = {row.server: row.least_budget for row in found.values()}
    return {("server", name): {"budget": budget} for name, budget in least.items() if budget is not None}


def _deadlines(trial: Trial) -> Changes:
    is_ordered_so = trial.view.dispatchers[0].traits.is_deadline_driven
    return {} if is_ordered_so else {("system", ""): {"policy": catalogue.EARLIEST_DEADLINE}}


_KINDS: dict[str, Callable[[Trial], Changes]] = {
    "with other preemption: ": _preemptive,
    "with other priorities: ": priorities,
    "with preemption thresholds: ": thresholds,
    "with preemption points: ": final_regions,
    "with shorter non-preemptive regions: ": points,
    "with other protocols: ": _protocols,
    "with other kinds of servers: ": idling,
    "with other budgets: ": _budgets,
    f"with policy {catalogue.EARLIEST_DEADLINE}": _deadlines,
}
"""Kinds of changes in the order of trials, each with the beginning of its text."""
