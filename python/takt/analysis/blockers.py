# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Authors of blocking: which less urgent jobs delay a job, with which region or section, and for how long.

The amounts are those of children.with_delays and of analysis/resource_blocking.c, which say why they are bounds. What
the kernel adds to a region or a section is a part of its own: see overhead_inflation.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from takt import _analysis
from takt.analysis.blocking import Sharing, sharing_in
from takt.analysis.children import Member
from takt.analysis.result import Part, PartKind
from takt.analysis.view import DispatcherView, SystemView, TaskView


class _Held(NamedTuple):
    """A section that delays others: of which child and resource, and its place among the sections of the dispatcher."""

    ticks: int
    place: int
    child: int
    resource: int


def under_priorities(view: SystemView, dispatcher: DispatcherView, members: Sequence[Member], place: int) -> list[Part]:
    """Return what blocks the child of a dispatcher at an index, under static keys.

    Args:
        view: of the system.
        dispatcher: of the child.
        members: its children, the most urgent first.
        place: the index.
    """
    key, there = members[place].key, dispatcher.children()
    below = [(child, member) for child, member in zip(there, members, strict=True) if member.key > key]
    regions = [
        region_part(child, (member.wcet if member.bars(key) else member.longest) - 1)
        for child, member in below
        if isinstance(child, TaskView)
    ]
    return _joined(view, dispatcher, _longest(regions), there[place].key)


def in_interval(view: SystemView, dispatcher: DispatcherView, interval: int) -> list[Part]:
    """Return what blocks jobs with deadlines in an interval, under deadlines.

    Args:
        view: of the system.
        dispatcher: which one.
        interval: its length in ticks.
    """
    sharing = sharing_in(view, dispatcher)
    below = [each for each in dispatcher.tasks if each.deadline > interval]
    if sharing is not None and sharing.adds_regions:
        parts = (region_part(each, each.barred - 1) for each in below)
    else:
        due = {each.number: max((interval + each.jitter - each.deadline) // each.period + 1, 0) for each in below}
        parts = (region_part(each, each.barred - 1 - due[each.number] * each.wcet) for each in below)
    return _joined(view, dispatcher, _longest(parts), interval)


def sections_in(view: SystemView, dispatcher: DispatcherView, interval: int) -> list[Part]:
    """Return what the sections of jobs with later deadlines add to an interval, with regions where both add up."""
    sharing = sharing_in(view, dispatcher)
    if sharing is None:
        return []
    if sharing.adds_regions:
        return in_interval(view, dispatcher, interval)
    return list(_section_parts(view, sharing, interval))


def _joined(view: SystemView, dispatcher: DispatcherView, region: list[Part], at: int) -> list[Part]:
    """Return a region and sections, or the longer of both, as the protocols of the dispatcher have it."""
    sharing = sharing_in(view, dispatcher)
    if sharing is None:
        return region
    sections = list(_section_parts(view, sharing, at))
    if sharing.adds_regions:
        return [*region, *sections]
    return max(region, sections, key=lambda parts: sum(part.ticks for part in parts))


# ---- regions ------------------------------------------------------------------------------------------


def _longest(regions: Iterable[list[Part]]) -> list[Part]:
    return max(regions, key=lambda parts: sum(part.ticks for part in parts), default=[])


def region_part(task: TaskView, ticks: int) -> list[Part]:
    """Return what a started job of a task delays others by, and what of that is the kernel's."""
    plain = task.uncharged or task
    own = 0 if task.is_kernel else ticks
    if task.is_charged and not plain.regions and plain.threshold is None:
        own = 0  # it can be displaced, but not while the kernel works
    elif task.is_charged:
        own = min(ticks, plain.barred)
    region = "non-preemptive" if len(plain.regions) == 1 else "region"
    why = region if plain.threshold is None else "threshold"
    return _split(Part(PartKind.BLOCKING, own, plain.name, why=why), ticks)


def _split(part: Part, ticks: int) -> list[Part]:
    """Return a part, and the kernel's work that makes it as long as `ticks`; parts of no time are left out."""
    kernel = Part(PartKind.KERNEL, ticks - part.ticks)
    return [each for each in (part, kernel) if each.ticks > 0]


# ---- sections -----------------------------------------------------------------------------------------


def _section_parts(view: SystemView, sharing: Sharing, at: int) -> Iterator[Part]:
    """Yield the sections that delay jobs whose urgency is `at`: a key, or the length of an interval."""
    for held in _holders(sharing, at):
        child = sharing.children[held.child]
        plain = child.uncharged if isinstance(child, TaskView) and child.uncharged is not None else child
        length = held.ticks
        if isinstance(plain, TaskView) and plain is not child:  # the section without the kernel's work in it
            first = next(at for at, use in enumerate(sharing.uses) if sharing.children[use.child] is child)
            if held.place - first < len(plain.sections):
                section = plain.sections[held.place - first]
                length = min(length, section.reach if sharing.adds_regions else section.stretch)
            else:
                length = min(length, plain.wcet)
        name = view.resolved.resources[sharing.uses[held.place].resource].name
        yield from _split(Part(PartKind.BLOCKING, length, plain.name, why="section", resource=name), held.ticks)


def _holders(sharing: Sharing, at: int) -> list[_Held]:
    """Return the sections that add up to the blocking of takt_sharing_blocking, whose formulas are here once more."""
    child, resource, ticks, late, early = (list(map(int, column)) for column in sharing.columns())
    has_levels = sharing.locking == _analysis.CEILING
    urgency = late if has_levels else early
    lowest = max((level for soon, level in zip(early, late, strict=True) if soon <= at), default=0)
    level = lowest if has_levels else at
    ceilings: dict[int, int] = {}
    for user, which in zip(child, resource, strict=True):
        ceilings[which] = min(ceilings.get(which, urgency[user]), urgency[user])
    counted = [
        _Held(length - 1, place, user, which)
        for place, (user, which, length) in enumerate(zip(child, resource, ticks, strict=True))
        if length > 1 and late[user] > at and (sharing.locking == _analysis.NPCS or ceilings[which] <= level)
    ]
    by_task: dict[int, _Held] = {}
    by_resource: dict[int, _Held] = {}
    for held in counted:
        by_task[held.child] = max(by_task.get(held.child, held), held, key=lambda each: each.ticks)
        by_resource[held.resource] = max(by_resource.get(held.resource, held), held, key=lambda each: each.ticks)
    if sharing.locking == _analysis.PIP:
        return min(
            list(by_task.values()), list(by_resource.values()), key=lambda held: sum(each.ticks for each in held)
        )
    first = [held for held in by_task.values() if not has_levels or late[held.child] >= level]
    chained = [held for held in by_task.values() if has_levels and late[held.child] < level]
    return [*sorted(first, key=lambda held: -held.ticks)[:1], *chained]
