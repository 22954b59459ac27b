# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The children of a dispatcher as the tests of the binding take them: which ones, what delays and what supplies them.

A member, a task or a server, is turned into a sporadic task with what it does beyond that. Under static keys what can
block it comes from the members below. The tests are in analysis/: response_times.c, preemption_thresholds.c and
demand.c, which say for which kinds they hold.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from takt import _analysis
from takt.analysis.result import Test, Verdict
from takt.analysis.view import Child, Inside, ServerView, TaskView

Numbers = NDArray[np.uint64]

Supply = tuple[int, int, int, int] | None
FULL: Supply = None
"""The supply of the root: the processor."""

Head = tuple[int, int, int]
"""A way in which a supply may begin: gap, delay, ticks."""


def numbers(values: Iterable[int]) -> Numbers:
    """Return a column in the binding's form."""
    return np.fromiter(values, np.uint64)


@dataclass(frozen=True, slots=True)
class Delays:
    """Effects of resources on the children of a dispatcher.

    Args:
        blocking: for how long each child of the dispatcher is delayed, in ticks, in their order; empty: none is.
        steps: under deadlines: from which length of an interval on for how long jobs with later deadlines delay those
            in it.
        adds_regions: whether a job may wait for a region and then for sections; the steps have both then.
        ends: likewise, the longest part at its end that is not displaced, None where its last region says so; or empty.
        features: what is shared how, as coverage.py names it.
    """

    blocking: tuple[int, ...] = ()
    steps: tuple[tuple[int, int], ...] = ()
    adds_regions: bool = False
    ends: tuple[int | None, ...] = ()
    features: frozenset[str] = frozenset()

    def blocked(self, region: int, sections: int) -> int:
        """Return for how long a job waits for a region and for sections."""
        return region + sections if self.adds_regions else max(region, sections)


@dataclass(frozen=True, slots=True)
class Member:
    """A task or server that competes in a dispatcher. Times in ticks.

    Args:
        name: of the task or server.
        wcet, period, deadline, jitter: of a sporadic task; a suspension counts as execution.
        key: smaller is more urgent; members with one key are equals, first in, first out.
        kind: as the binding takes it.
        blocking: for how long less urgent ones delay it.
        longest: the longest part in which it is not displaced.
        last: the last such part.
        barred: longest blocking of more urgent jobs by a started job, in ticks; 1: none.
        threshold: once started only smaller keys displace it; None: as longest and last say.
        inside: of a server, the demand of its tasks; empty: not known.
    """

    name: str
    wcet: int
    period: int
    deadline: int
    jitter: int
    key: int
    kind: int = _analysis.TASK
    blocking: int = 0
    longest: int = 1
    last: int = 1
    barred: int = 1
    threshold: int | None = None
    inside: tuple[Inside, ...] = ()

    def bars(self, key: int) -> bool:
        """True if a started job is not displaced by a more urgent one with this key, because of its threshold."""
        return self.threshold is not None and key >= self.threshold

    @property
    def felt_jitter(self) -> int:
        """The jitter that others feel: a deferrable server can have two of its budgets back to back."""
        return max(self.period - self.wcet, 0) if self.kind == _analysis.DEFERRABLE else self.jitter


def members_of(children: Sequence[Child], *, is_strict: bool = False) -> list[Member]:
    """Return members of tasks and servers, the most urgent first; if ties are strict, each with a key of its own."""
    members = [_task(child) if isinstance(child, TaskView) else _server(child) for child in children]
    if not is_strict:
        return members
    keys = [member.key for member in members]
    return [
        replace(
            member,
            key=place,  # one that has started under a threshold precedes its equals, too
            threshold=None if member.threshold is None else bisect_left(keys, min(member.threshold, member.key)),
        )
        for place, member in enumerate(members)
    ]


def _task(task: TaskView) -> Member:
    """Return the member of a task; suspension as execution can only make responses larger."""
    return Member(
        name=task.name,
        wcet=task.wcet + task.suspended,
        period=task.period,
        deadline=task.deadline,
        jitter=task.jitter,
        key=task.key,
        kind=_analysis.KERNEL if task.is_kernel else _analysis.TASK,
        longest=task.longest_region,
        last=task.last_region,
        barred=task.barred,
        threshold=task.threshold,
    )


def _server(server: ServerView) -> Member:
    """Return the member of a server: its budget each period."""
    if server.is_rule or server.traits.has_bandwidth:
        kind = _analysis.BANDWIDTH
    elif server.traits.returns:
        kind = _analysis.SEPARATED if server.traits.separates else _analysis.SPORADIC
    else:
        kind = _analysis.DEFERRABLE if server.traits.defers else _analysis.PERIODIC
    return Member(
        name=server.name,
        wcet=server.longest,
        period=server.period,
        deadline=server.period,
        jitter=0,
        key=server.key,
        kind=kind,
        inside=server.inside,
    )


def with_delays(members: Sequence[Member], delays: Delays) -> list[Member]:
    """Set each member's blocking by less urgent ones, and where its final non-preemptive region begins.

    Args:
        members: all of a dispatcher, the most urgent first.
        delays: what resources do there.
    """
    sections = delays.blocking or [0] * len(members)
    ends = delays.ends or [None] * len(members)
    rows = list(zip(members, sections, ends, strict=True))
    found, longest, thresholds = [], 0, list[Member]()
    for _, group in groupby(reversed(rows), key=lambda row: row[0].key):
        equals = list(group)
        for member, ticks, end in equals:
            barred = max((below.wcet - 1 for below in thresholds if below.bars(member.key)), default=0)
            blocking = delays.blocked(max(longest, barred), ticks)
            last = member.last if end is None else min(member.last, end)
            found.append(replace(member, blocking=blocking, last=last))
        longest = max(longest, *(member.longest - 1 for member, _, _ in equals))
        thresholds += [member for member, _, _ in equals if member.threshold is not None]
    return found[::-1]


# ---- what the binding takes ----------------------------------------------------------------------------


def column(members: Sequence[Member], name: str) -> Numbers:
    """Return a column of one field of the members."""
    return numbers(getattr(member, name) for member in members)


def record_of(members: Sequence[Member], supply: Supply = FULL, **more: Any) -> _analysis.Tasks:
    """Return the record of tasks that tests take.

    Args:
        members: of a dispatcher.
        supply: of it.
        more: further columns.
    """
    if any(member.kind != _analysis.TASK for member in members):
        more["kind"] = column(members, "kind")
    more |= {name: column(members, name) for name in ("wcet", "period", "deadline", "jitter")}
    return _analysis.Tasks(supply=supply, **more)


def plain_record(tasks: Sequence[TaskView], **more: Any) -> _analysis.Tasks:
    """Return the record of tasks for tests that know no supply; `more` are further columns."""
    return record_of(members_of(tasks), **more)


def under_priorities(
    members: Sequence[Member], supply: Supply = FULL, heads: Sequence[Head] = (), **more: Any
) -> _analysis.Tasks:
    """Return the record of members under static keys.

    Args:
        members: the most urgent first; with `blocking` as it counts.
        supply: of the dispatcher.
        heads: ways in which the supply may begin, instead of its gap.
        more: further columns.
    """
    more |= {"blocking": column(members, "blocking"), "last": column(members, "last"), "above": behind_equals(members)}
    inside = [task for member in members for task in member.inside]
    if inside:
        more["inside"] = numbers(len(member.inside) for member in members)
        more |= {f"inside_{name}": numbers(getattr(task, name) for task in inside) for name in _INSIDE}
    if heads:
        more |= dict(zip(_HEADS, map(numbers, zip(*heads, strict=True)), strict=True))
    return record_of(members, supply, **more)


_INSIDE = ("wcet", "period", "jitter")
_HEADS = ("head_gap", "head_delay", "head_ticks")


def under_deadlines(members: Sequence[Member], delays: Delays, supply: Supply = FULL, **more: Any) -> _analysis.Tasks:
    """Return the record of members under deadlines.

    Args:
        members: in any order.
        delays: what resources do; its steps may have the regions.
        supply: of the dispatcher.
        more: further columns.
    """
    return record_of(
        members,
        supply,
        regions=numbers(1 if delays.adds_regions else member.barred for member in members),
        step_from=numbers(begin for begin, _ in delays.steps),
        step_ticks=numbers(ticks for _, ticks in delays.steps),
        **more,
    )


def behind_equals(members: Sequence[Member]) -> Numbers:
    """Return for each member the place behind its last equal, its own if it has none."""
    keys = [member.key for member in members]
    behind = [bisect_right(keys, key) for key in keys]
    return numbers(end if end - bisect_left(keys, keys[end - 1]) > 1 else end - 1 for end in behind)


# ---- what tests say ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Response:
    """The result of a test for a member.

    Args:
        ticks: worst-case response, None if there is none or it is not known.
        is_known: whether that is known.
        job: which job of the longest busy period responds so late, counted from 0.
        arrival: of a job among equals, how many ticks after the begin of the busy period it is released; None: equals
            go first whenever they come.
    """

    ticks: int | None
    is_known: bool
    job: int = 0
    arrival: int | None = None

    def verdict(self, deadline: int, test: Test) -> Verdict:
        """Return the verdict that follows for a deadline."""
        return test.verdict(self.ticks is not None and self.ticks <= deadline) if self.is_known else Verdict.NOT_KNOWN


def responses(record: _analysis.Tasks, effort: int) -> list[Response]:
    """Bound the responses under static keys: of a server from a replenishment until it has had its budget.

    Args:
        record: the most urgent first.
        effort: steps that the test may take.
    """
    ticks, jobs = _analysis.fp_responses(record, effort)
    return [response_of(tick, int(job)) for tick, job in zip(ticks, jobs, strict=True)]


def fifo_responses(record: _analysis.Tasks, effort: int) -> list[Response | None]:
    """Bound the responses of tasks that have equals, each served in the order in which they come.

    Args:
        record: the most urgent first, equals in the file's order; without servers, supply and thresholds.
        effort: steps that the test may take.

    Returns:
        None for tasks without an equal, and where jobs may wait behind one of their own task.
    """
    ticks, arrivals = _analysis.fifo_responses(record, effort)
    return [
        None if tick == _analysis.UNBOUNDED else replace(response_of(tick), arrival=int(arrival))
        for tick, arrival in zip(ticks, arrivals, strict=True)
    ]


def jobs_before(members: Sequence[Member], place: int, other: int, arrival: int) -> int:
    """Return how many jobs of an equal, or of the task itself, are served up to a job: (1) of fifo_responses.c.

    Args:
        members: as fifo_responses got them.
        place: of the task of the job.
        other: place of the equal.
        arrival: of the job, in ticks after the begin of the busy period.
    """
    member = members[other]
    return -(-(arrival + member.jitter + (other <= place)) // member.period)


def response_of(ticks: int, job: int = 0) -> Response:
    """Return a response as the binding says it."""
    return Response(read_ticks(ticks), ticks != _analysis.UNKNOWN, job)


def unanswered(name: str) -> str:
    """Return the sentence that a response takes more steps than are granted."""
    return f"the answer for {name} exceeds the granted effort"


def read_ticks(ticks: int) -> int | None:
    """Read a response, None if there is none or it is not known."""
    return int(ticks) if ticks < _analysis.UNKNOWN else None


def threshold_record(members: Sequence[Member]) -> _analysis.Tasks:
    """Return the record of tasks, some with thresholds, that have nothing else: for exact responses.

    Args:
        members: tasks of different keys without regions, the most urgent first.
    """
    keys = [member.key for member in members]
    places = [
        place if each.threshold is None else bisect_left(keys, each.threshold) for place, each in enumerate(members)
    ]
    return record_of(members, threshold=numbers(min(place, above) for place, above in enumerate(places)))


def interference(members: Sequence[Member], place: int, response: Response) -> list[tuple[str, int]]:
    """Return by name what more urgent members and equals execute up to the finish of the job that responds last.

    A task and a server of one name are added up, as all work of the kernel is.

    Args:
        members: as responses got them.
        place: of the member that responds.
        response: of it, with ticks.
    """
    me = members[place]
    arrival = response.arrival
    finish = (response.ticks or 0) - me.jitter + (response.job * me.period if arrival is None else arrival)
    begin = finish - me.last + 1
    amounts = Counter[str]()
    for other, member in enumerate(members):
        if other == place or member.key > me.key:
            continue
        if arrival is not None and member.key == me.key:
            amounts[member.name] += jobs_before(members, place, other, arrival) * member.wcet
            continue
        asked = sum(_requests(task.wcet, task.period, task.jitter, begin) for task in member.inside)
        own = _requests(member.wcet, member.period, member.felt_jitter, begin)
        amounts[member.name] += min(asked, own) if member.inside else own
    return list(amounts.items())


def _requests(wcet: int, period: int, jitter: int, length: int) -> int:
    """Return the execution that a task releases in less than so many ticks."""
    return -(-(length + jitter) // period) * wcet
