# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A task set estimated from a trace.

What a trace shows is a lower bound: the longest execution seen may be exceeded, and a least distance may be undercut.
So nothing is made up: what is not known is None or a reason, and a member with too few activations is named, not
estimated. Decisions: docs/explanation/estimate.md.

When not to use it: as a proof. A worst-case execution time comes from elsewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from takt import _core
from takt.base import times
from takt.base.errors import InputError, file_error, show
from takt.files.trace_file import Trace
from takt.model import catalogue
from takt.model.core_input import ResolvedServer, ResolvedTask, ResolvedThread
from takt.model.system import System
from takt.model.tables import Server, Task
from takt.run.activations import Activation, activations_of, end_of

LEAST = 3
"""Activations that an estimate needs: two distances."""

FEW = 10
"""Below this an estimate is called one of few activations."""

_LARGEST_JITTER = Fraction(1, 4)
"""Of a period: distances that vary more are not called periodic."""

Member = ResolvedTask | ResolvedThread


@dataclass(frozen=True)
class Arrivals:
    """How activations come.

    Args:
        period: of periodic ones, else None.
        separation: the least distance of those that are not periodic, else None.
        jitter: of periodic ones: how far a release is after its place, at most.
        offset: place of the first release.
        skipped: periods without a release of their own.
    """

    period: int | None
    separation: int | None
    jitter: int
    offset: int
    skipped: int = 0

    @property
    def distance(self) -> int | None:
        """The period, or the least distance."""
        return self.separation if self.period is None else self.period

    @property
    def is_exact(self) -> bool:
        """True if each distance is the period."""
        return self.period is not None and self.jitter == 0 and self.skipped == 0


@dataclass(frozen=True)
class Estimate:
    """What a trace shows of a task or a plain thread.

    Args:
        name: in the task set; the trace's, with a number where several have one name.
        server: its server, "" for the root.
        activations: how many were counted.
        arrivals: how they come.
        longest: the longest execution of one, at least 1 tick.
        mean: of all that have ended; None: none has.
        priority: at its creation; None: no priority orders it.
        priorities: how many changes of its priority the trace has.
        deadline: as the trace describes it; None: it does not.
        start: execution from the creation of a thread to its first wait, which is not counted; None: it has none.
        merged: activations whose execution is not counted, because they lasted through the next release.
        held: the resources that it locked, each with the longest time.
    """

    name: str
    server: str
    activations: int
    arrivals: Arrivals
    longest: int
    mean: Fraction | None
    priority: int | None
    priorities: int
    deadline: int | None
    start: int | None
    merged: int
    held: Mapping[str, int]

    @property
    def is_of_few(self) -> bool:
        """True if it was seen so seldom that the next activations may tell something else."""
        return self.activations < FEW


@dataclass(frozen=True)
class Omission:
    """A task or thread without an estimate: its name, how many activations were counted, and why."""

    name: str
    activations: int
    reason: str


@dataclass(frozen=True)
class Estimation:
    """The estimates of a trace.

    Args:
        trace: what was read.
        estimates: of the members of the set, in the order of the trace.
        omissions: of the others.
    """

    trace: Trace
    estimates: tuple[Estimate, ...]
    omissions: tuple[Omission, ...]


def estimate(trace: Trace) -> Estimation:
    """Estimate the task set of a trace.

    Raises:
        InputError: the trace does not replay, is of several processors, or shows too little of every task and thread.
    """
    if trace.domains or trace.system.cpus > 1:
        raise _refusal(trace, "expected a trace of one processor, found one of several", "unsupported")
    try:
        activations = activations_of(trace)
    except ValueError:
        message = "expected a trace that replays, found one that differs; takt replay says where"
        raise _refusal(trace, message, "damaged") from None
    members: tuple[Member, ...] = (*trace.system.tasks, *trace.system.threads)
    names = _unique([member.name for member in members])
    held, changed, late = _held(trace), _priority_changes(trace), _lateness(trace)
    estimates, omissions = list[Estimate](), list[Omission]()
    for number, (member, name) in enumerate(zip(members, names, strict=True), trace.system.first_task):
        seen = _Seen(activations[number], held.get(number, {}), changed[number], late[number])
        result = _estimated(trace, member, name, seen)
        if isinstance(result, Estimate):
            estimates.append(result)
        else:
            omissions.append(result)
    if not estimates:
        found = "; ".join(f"{show(each.name)}: {each.reason}" for each in omissions[:1]) or "no task and no thread"
        message = f"expected a task or thread that can be estimated, found none ({found}); record for longer"
        raise _refusal(trace, message, "too-short")
    return Estimation(trace, tuple(estimates), tuple(omissions))


def _refusal(trace: Trace, message: str, code: str) -> InputError:
    return file_error(trace.path, message, code)


def _unique(names: Sequence[str]) -> list[str]:
    """Return names of which no two are the same: a later one gets a number."""
    taken, found = Counter[str](), list[str]()
    for name in names:
        taken[name] += 1
        while taken[name] > 1 and (numbered := f"{name}_{taken[name]}") in {*names, *found}:
            taken[name] += 1
        found.append(name if taken[name] == 1 else numbered)
    return found


# ---- one member ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Seen:
    """What the records say of a member: activations, times of resources, changes of priority, latest release."""

    activations: Sequence[Activation]
    held: Mapping[str, int]
    priorities: int
    lateness: int


def _estimated(trace: Trace, member: Member, name: str, seen: _Seen) -> Estimate | Omission:
    counted = [each for each in seen.activations if not each.is_start]
    home = None if member.home == 0 else trace.system.servers[member.home - 1]
    reason = _reason(trace, member, home, seen.activations, counted)
    if reason is not None:
        return Omission(name, len(counted), reason)
    arrivals = arrivals_of([each.release for each in counted], seen.lateness, trace.system.resolution_ns)
    usual = list(_not_merged(counted, arrivals)) if isinstance(member, ResolvedThread) else counted
    longest = max((each.executed for each in usual), default=0)
    if arrivals is None or longest == 0:
        at_once = "two activations came at one instant, so that no least distance is known"
        return Omission(name, len(counted), at_once if arrivals is None else "it executed less than a tick")
    over = [each.executed for each in usual if each.is_over]
    return Estimate(
        name=name,
        server="" if home is None else home.name,
        activations=len(counted),
        arrivals=arrivals,
        longest=longest,
        mean=Fraction(sum(over), len(over)) if over else None,
        priority=_priority(trace, member),
        priorities=seen.priorities,
        deadline=member.deadline if isinstance(member, ResolvedTask) else None,
        start=next((each.executed for each in seen.activations if each.is_start), None),
        merged=len(counted) - len(usual),
        held=seen.held,
    )


def _reason(
    trace: Trace,
    member: Member,
    home: ResolvedServer | None,
    activations: Sequence[Activation],
    counted: Sequence[Activation],
) -> str | None:
    """Return why a member has no estimate; None if nothing speaks against one yet."""
    policy = trace.system.policy if home is None else home.policy
    if isinstance(member, ResolvedThread) and not catalogue.traits_of(policy).has_fifo_levels:
        return "a plain thread is behind all jobs there, which no task of a set is"
    if isinstance(member, ResolvedThread) and len(activations) == 1 and not activations[0].is_over:
        return "it never waited"
    if sum(each.is_start for each in activations) > 1:
        return "several threads had its number, one after the other"
    if len(counted) < LEAST:
        return f"too few activations: {len(counted)}, needed are {LEAST}"
    return None


def _priority(trace: Trace, member: Member) -> int | None:
    """Return the priority for a level: that of the kernel, or at least one of the same order."""
    policy = trace.system.policy if member.home == 0 else trace.system.servers[member.home - 1].policy
    if not catalogue.traits_of(policy).has_fifo_levels:
        return None
    return priority_of(trace, member.level)


def priority_of(trace: Trace, level: int) -> int:
    """Return the number, larger for more urgent, of a level, smaller for more urgent; a kernel has one for idling."""
    return max(trace.system.levels - level - bool(trace.system.threads), 0)


def _not_merged(activations: Sequence[Activation], arrivals: Arrivals | None) -> Iterator[Activation]:
    """Yield the activations that did not last through a period without a release of their own."""
    period = None if arrivals is None or arrivals.skipped == 0 else arrivals.period
    for one, following in zip(activations, [*activations[1:], None], strict=True):
        if period is None or (following is not None and following.release - one.release == period):
            yield one


# ---- arrivals -----------------------------------------------------------------------------------------------


def arrivals_of(releases: Sequence[int], lateness: int = 0, tick_ns: int = 1) -> Arrivals | None:
    """Return how nominal releases come, which ascend; None if two are at one instant.

    They are periodic if each distance is the same; or each is a multiple of the least one, and more than half are that
    one; or a period is found from whose multiples they differ by a quarter of it at most. The jitter of periodic ones
    includes `lateness`, by which a real release was after its nominal one at most.
    """
    distances = [after - before for before, after in pairwise(releases)]
    least = min(distances)
    if least == 0:
        return None
    if all(distance % least == 0 for distance in distances) and 2 * distances.count(least) > len(distances):
        skipped = sum(distance // least - 1 for distance in distances)
        return Arrivals(least, None, lateness, releases[0], skipped)
    period = _round(releases, _fitting_period(releases, least, max(distances)), tick_ns)
    jitter = _spread(releases, period)
    if jitter > period * _LARGEST_JITTER:
        return Arrivals(None, least, 0, releases[0])
    first = min(release - place * period for place, release in enumerate(releases))
    return Arrivals(period, None, jitter + lateness, first if first >= 0 else first + period)


def _spread(releases: Sequence[int], period: int) -> int:
    """Return how far releases are from equal distances, the earliest and the latest one together."""
    places = [release - number * period for number, release in enumerate(releases)]
    return max(places) - min(places)


def _fitting_period(releases: Sequence[int], low: int, high: int) -> int:
    """Return the period with the least spread, the shortest of equals: the spread is a convex function of it."""
    while low < high:
        middle = (low + high) // 2
        if _spread(releases, middle) <= _spread(releases, middle + 1):
            high = middle
        else:
            low = middle + 1
    return low


def _round(releases: Sequence[int], period: int, tick_ns: int) -> int:
    """Return the roundest period, in nanoseconds, that at most doubles the spread: it is as likely as others."""
    slack = _spread(releases, period) // (len(releases) - 1) * tick_ns
    for unit in (int("1" + "0" * zeros) for zeros in range(len(str(period * tick_ns)), 0, -1)):
        rounded = (period * tick_ns + unit // 2) // unit * unit
        if rounded > 0 and abs(rounded - period * tick_ns) <= slack and rounded % tick_ns == 0:
            return rounded // tick_ns
    return period


# ---- resources and priorities ---------------------------------------------------------------------------------


def _held(trace: Trace) -> dict[int, dict[str, int]]:
    """Return, for each entity, the resources that it held and the longest time of each, by the clock."""
    since: dict[tuple[int, int], int] = {}
    found: dict[int, dict[str, int]] = {}
    for record in trace.records():
        if record.kind == _core.RECORD_GRANT:
            since[record.entity, record.value] = record.now
        elif record.kind == _core.RECORD_FREE and (record.entity, record.value) in since:
            name = trace.system.resources[record.value].name
            held = found.setdefault(record.entity, {})
            held[name] = max(held.get(name, 0), record.now - since.pop((record.entity, record.value)))
    return found


def _lateness(trace: Trace) -> Counter[int]:
    """Return by how much a job of each task was released after it had arrived, at most."""
    found = Counter[int]()
    for record in trace.records():
        if record.kind == _core.RECORD_ARRIVAL:
            found[record.entity] = max(found[record.entity], record.now - record.value)
    return found


def _priority_changes(trace: Trace) -> Counter[int]:
    return Counter(record.entity for record in trace.records() if record.kind == _core.RECORD_PRIORITY)


# ---- as a task set --------------------------------------------------------------------------------------------


def system_of(estimation: Estimation) -> System:
    """Return the task set, with the servers of the trace; what is not known is at its default.

    Raises:
        InputError: the policy of the trace needs what no estimate has.
    """
    trace = estimation.trace
    written = _writer(trace)
    try:
        return System(
            name=trace.system.name or "estimate",
            resolution=times.shortest(trace.system.resolution_ns),
            policy=trace.system.policy,
            horizon=written(end_of(trace)) if end_of(trace) > 0 else None,
            servers=[_server(trace, server) for server in trace.system.servers],
            tasks=[_task(each, written) for each in estimation.estimates],
        )
    except InputError as error:
        message = f"no task set can be estimated under its policy: {error.problems[0].message}"
        raise _refusal(trace, message, "unsupported") from None


def _writer(trace: Trace) -> Callable[[int], str]:
    return lambda ticks: times.shortest(ticks * trace.system.resolution_ns)


def _server(trace: Trace, server: ResolvedServer) -> Server:
    written, home = _writer(trace), server.home
    policy = trace.system.policy if home == 0 else trace.system.servers[home - 1].policy
    return Server(
        name=server.name,
        kind=server.kind,
        policy=server.policy,
        period=written(server.period),
        budget=written(server.budget),
        offset=written(server.offset) if server.offset else 0,
        priority=priority_of(trace, server.level) if catalogue.traits_of(policy).has_fifo_levels else 0,
        parent=None if home == 0 else trace.system.servers[home - 1].name,
    )


def _task(of: Estimate, written: Callable[[int], str]) -> Task:
    arrivals = of.arrivals
    deadline = of.deadline if of.deadline != arrivals.distance else None
    return Task(
        name=of.name,
        server=of.server or None,
        period=None if arrivals.period is None else written(arrivals.period),
        min_separation=None if arrivals.separation is None else written(arrivals.separation),
        jitter=written(arrivals.jitter) if arrivals.jitter else 0,
        offset=written(arrivals.offset) if arrivals.offset else 0,
        wcet=written(of.longest),
        deadline=None if deadline is None else written(deadline),
        priority=of.priority or 0,
    )
