# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Dispatchers that order by fixed priorities: fp, rm, dm, and what else has static keys.

A member, a task or a server, is turned into a sporadic task with what it does beyond that; what can block it comes
from the members below. The tests are in analysis/: response_times.c and preemption_thresholds.c.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from takt import _analysis
from takt.analysis.view import Inside, ServerView, TaskView

Numbers = NDArray[np.uint64]


def numbers(values: Iterable[int]) -> Numbers:
    """Make a column as the binding takes it."""
    return np.fromiter(values, np.uint64)


@dataclass(frozen=True, slots=True)
class Member:
    """A task or server that competes under fixed priorities. Times in ticks.

    Args:
        name: of the task or server.
        wcet, period, deadline: of a sporadic task.
        jitter: as others feel it.
        key: smaller is more urgent; members with one key are equals, first in, first out.
        blocking: for how long less urgent ones delay it.
        longest: the longest part in which it is not displaced.
        last: the last such part.
        threshold: once started only smaller keys displace it; None: as longest and last say.
        inside: of a server, what its tasks ask for; empty: nothing is known.
    """

    name: str
    wcet: int
    period: int
    deadline: int
    jitter: int
    key: int
    blocking: int = 0
    longest: int = 1
    last: int = 1
    threshold: int | None = None
    inside: tuple[Inside, ...] = ()


@dataclass(frozen=True, slots=True)
class Response:
    """The result of a test for a member.

    Args:
        ticks: worst-case response, None if there is none or it is not known.
        is_known: whether that is known.
        job: which job of the longest busy period responds so late, counted from 0.
    """

    ticks: int | None
    is_known: bool
    job: int = 0


def members_of(children: Sequence[TaskView | ServerView], *, is_strict: bool) -> list[Member]:
    """Make members of tasks and servers, the most urgent first; if ties are strict, each with a key of its own."""
    members = [task_member(child) if isinstance(child, TaskView) else server_member(child) for child in children]
    return _apart(members) if is_strict else members


def _apart(members: Sequence[Member]) -> list[Member]:
    """Give members their places as keys; one that has started under a threshold goes before its equals, too."""
    keys = [member.key for member in members]
    return [
        replace(
            member,
            key=place,
            threshold=None if member.threshold is None else bisect_left(keys, min(member.threshold, member.key)),
        )
        for place, member in enumerate(members)
    ]


def task_member(task: TaskView) -> Member:
    """Make a member of a task; a suspension counts as execution, which only makes responses larger."""
    return Member(
        name=task.name,
        wcet=task.wcet + task.suspended,
        period=task.period,
        deadline=task.deadline,
        jitter=task.jitter,
        key=task.key,
        longest=task.longest_region,
        last=task.last_region,
        threshold=task.threshold,
    )


def server_member(server: ServerView) -> Member:
    """Make a member of a server: its budget each period; a deferrable one can have two of them back to back."""
    is_deferrable = server.traits.defers
    return Member(
        name=server.name,
        wcet=server.longest,
        period=server.period,
        deadline=server.period,
        jitter=max(server.period - server.longest, 0) if is_deferrable else 0,
        key=server.key,
        inside=server.inside,
    )


def with_delays(members: Sequence[Member], extra: Mapping[str, int], ends: Mapping[str, int]) -> list[Member]:
    """Set each member's blocking by less urgent ones, and where its final non-preemptive region begins.

    Args:
        members: the most urgent first.
        extra: what resources add, by name.
        ends: by name the longest part at the end in which nothing displaces it, where that is less than its last one.
    """
    found = _with_blocking(members, extra)
    return [replace(each, last=min(each.last, ends[each.name])) if each.name in ends else each for each in found]


def _with_blocking(members: Sequence[Member], extra: Mapping[str, int]) -> list[Member]:
    """Set each member's blocking by less urgent ones.

    Args:
        members: the most urgent first.
        extra: what resources add, by name.
    """
    found, longest, thresholds = [], 0, list[Member]()
    for _, group in groupby(reversed(members), key=lambda member: member.key):
        equals = list(group)
        for member in equals:
            barred = max((below.wcet - 1 for below in thresholds if member.key >= (below.threshold or 0)), default=0)
            found.append(replace(member, blocking=max(longest, barred) + extra.get(member.name, 0)))
        longest = max(longest, *(member.longest - 1 for member in equals))
        thresholds += [member for member in equals if member.threshold is not None]
    return found[::-1]


# ---- what tests say ------------------------------------------------------------------------------------


def responses(members: Sequence[Member], effort: int) -> list[Response]:
    """Bound the responses of tasks that have a processor to themselves.

    Args:
        members: the most urgent first; with `blocking` as it counts.
        effort: steps that the analysis may take.
    """
    ticks, jobs = _analysis.fp_responses(
        column(members, "wcet"),
        column(members, "period"),
        column(members, "jitter"),
        column(members, "blocking"),
        column(members, "last"),
        behind_equals(members),
        effort,
    )
    return read_responses(ticks, jobs)


def behind_equals(members: Sequence[Member]) -> Numbers:
    """Give for each member the place behind its last equal, its own if it has none."""
    keys = [member.key for member in members]
    behind = [bisect_right(keys, key) for key in keys]
    return numbers(end if end - bisect_left(keys, keys[end - 1]) > 1 else end - 1 for end in behind)


def read_responses(ticks: Numbers, jobs: Numbers) -> list[Response]:
    """Read what the binding says of responses."""
    rows = zip(map(int, ticks), map(int, jobs), strict=True)
    return [Response(read_ticks(tick), tick != _analysis.UNKNOWN, job) for tick, job in rows]


def read_ticks(ticks: int) -> int | None:
    """Read a response, None if there is none or it is not known."""
    return int(ticks) if ticks < _analysis.UNKNOWN else None


def threshold_responses(members: Sequence[Member], effort: int) -> list[Response]:
    """Give the exact responses of tasks of which some have thresholds, and that are else without anything.

    Args:
        members: tasks of different keys without regions, the most urgent first.
        effort: steps that the analysis may take.
    """
    keys = [member.key for member in members]
    places = [
        place if each.threshold is None else bisect_left(keys, each.threshold) for place, each in enumerate(members)
    ]
    ticks, jobs = _analysis.fpts_responses(
        column(members, "wcet"),
        column(members, "period"),
        numbers(min(place, above) for place, above in enumerate(places)),
        column(members, "jitter"),
        effort,
    )
    return read_responses(ticks, jobs)


def column(members: Sequence[Member], name: str) -> Numbers:
    """Make a column of what members have."""
    return numbers(getattr(member, name) for member in members)


def interference(members: Sequence[Member], place: int, response: Response) -> list[tuple[str, int]]:
    """List by name what is executed of more urgent members, and equals, up to the finish of the job that responds last.

    Args:
        members: as responses got them.
        place: of the member that responds.
        response: of it, with ticks.
    """
    me = members[place]
    finish = (response.ticks or 0) - me.jitter + response.job * me.period
    begin = finish - me.last + 1
    others = [member for other, member in enumerate(members) if member.key <= me.key and other != place]
    amounts = Counter[str]()
    for member in others:
        asked = sum(_requests(task, begin) for task in member.inside)
        own = _requests(member, begin)
        amounts[member.name] += min(asked, own) if member.inside else own
    return list(amounts.items())


def _requests(task: Member | Inside, length: int) -> int:
    """Give the execution that a task releases in less than so many ticks."""
    return -(-(length + task.jitter) // task.period) * task.wcet
