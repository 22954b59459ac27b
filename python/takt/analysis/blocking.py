# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Blocking: how long the sections of less urgent jobs delay others, by the protocol of each resource.

The formulas are in analysis/resource_blocking.c and server_resources.c. This module selects the formula and lists the
users of each resource. A server that shares a resource is in its parent a task; its section is the holding time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from graphlib import CycleError, TopologicalSorter

from takt import _analysis
from takt.analysis import coverage
from takt.analysis.children import Delays, Numbers, numbers
from takt.analysis.view import Child, DispatcherView, ServerView, SystemView, TaskView
from takt.base import times
from takt.model import catalogue
from takt.model.bodies import Op
from takt.model.catalogue import ProtocolTraits
from takt.model.core_input import ROOT
from takt.model.holding_times import Neighbour, UnboundedError, longest_hold

_UNBOUNDED = times.MAX_TICKS
"""Execution without a bound."""


@dataclass(frozen=True, slots=True)
class Use:
    """A child of a dispatcher holds a resource: which child, which resource, for how long, and inside of what.

    Args:
        reach, stretch, is_seen, gives_way: as of a section.
    """

    child: int
    resource: int
    outer: tuple[int, ...]
    reach: int
    stretch: int
    is_seen: bool = True
    gives_way: bool = False


@dataclass(frozen=True, slots=True)
class Sharing:
    """The sections of a dispatcher, and how they delay other jobs.

    Args:
        dispatcher: which one.
        children: of it, the most urgent first.
        uses: of its children; at least one.
        protocols: of each resource that they use.
    """

    dispatcher: DispatcherView
    children: Sequence[Child]
    uses: Sequence[Use]
    protocols: Mapping[int, str]

    @property
    def is_edf(self) -> bool:
        """True if deadlines order."""
        return has_deadlines(self.dispatcher)

    @property
    def is_late(self) -> bool:
        """True if a child's deadline may be nearer at its release than the relative deadline."""
        return any(_early_of(child) < _deadline_of(child) for child in self.children)

    @property
    def locking(self) -> int:
        """Sharpest formula that holds for all protocols together."""
        if all(each.raises_to_top for each in self.traits):
            return _analysis.NPCS
        is_ceiling = all(each.has_ceiling for each in self.traits) and not self._is_loose
        return _analysis.CEILING if is_ceiling else _analysis.PIP

    @property
    def traits(self) -> list[ProtocolTraits]:
        """The traits of its protocols."""
        return [catalogue.protocol_traits(each) for each in self.names]

    @property
    def names(self) -> frozenset[str]:
        """The protocols of its resources."""
        return frozenset(self.protocols.values())

    @property
    def _is_loose(self) -> bool:
        """True if a job may request what a less urgent one holds under icpp.

        Under deadlines the ceiling counts from the lock on. A job that was released before, and waited for a region of
        the holder, or was released late, may have an earlier deadline.
        """
        is_early = self.is_edf and (self.is_late or any(use.gives_way for use in self.uses))
        return any(each.raises_to_ceiling for each in self.traits) and (len(self.names) > 1 or is_early)

    @property
    def adds_regions(self) -> bool:
        """True if a job may wait for a region or threshold and then for sections, or for the one or the other.

        The job with the region has to displace the holder of a section that delays others later. Under npcs no job can.
        Under icpp the holder is then less urgent than all that wait. Under srp the job needs a higher level than the
        ceiling, and so does a holder that locks next under pcp: with deadlines beyond the interval both have that only
        where a job in it has a relative deadline beyond it, too. Under pcp a job that locks nothing needs no level.
        Servers may wait for budget in between; and what the kernel does is charged to regions, and not to sections.
        """
        if self.locking == _analysis.PIP or any(each.bars_locks for each in self.traits):
            return True
        if self.is_edf:
            return self.locking == _analysis.CEILING and self.is_late
        is_charged = any(isinstance(child, TaskView) and child.is_charged for child in self.children)
        return is_charged or any(each.is_among for each in self.traits)

    @property
    def can_refuse(self) -> bool:
        """True if a job may be refused a lock, so that it gives way to others until it is chosen again."""
        return len(self.names) > 1 or any(each.refuses for each in self.traits)

    def columns(self) -> tuple[Numbers, Numbers, Numbers, Numbers, Numbers]:
        """Return the columns of sections, and the urgency of children at the latest and at the earliest.

        A job that waits for one region or section waits for one that begins with the region of its lock. A section
        that others do not see adds nothing to its region.
        """
        adds = self.adds_regions
        places = {resource: number for number, resource in enumerate(self.protocols)}
        uses = [*self.uses, *(self._raising() if self.locking == _analysis.PIP else ())]
        return (
            numbers(use.child for use in uses),
            numbers(places[use.resource] for use in uses),
            numbers(max(use.reach if adds else use.stretch, 1) if use.is_seen else 1 for use in uses),
            numbers(_deadline_of(child) if self.is_edf else child.key for child in self.children),
            numbers(self._urgencies()),
        )

    def _urgencies(self) -> list[int]:
        return [_early_of(child) if self.is_edf else child.key for child in self.children]

    def _raising(self) -> Iterator[Use]:
        """Yield a use of each resource, of no time, by the most urgent child with whose urgency it may be held.

        That is its most urgent user, or the most urgent child of all where no job displaces a holder. A holder that
        waits for another resource raises the holder of that one, too.
        """
        urgency = self._urgencies()
        top = min(range(len(urgency)), key=urgency.__getitem__)
        highest = {
            resource: top
            if catalogue.protocol_traits(name).raises_to_top
            else min((use.child for use in self.uses if use.resource == resource), key=urgency.__getitem__)
            for resource, name in self.protocols.items()
        }
        nested = [(outer, use.resource) for use in self.uses for outer in use.outer]
        for _ in highest:  # a chain of resources is not longer
            for outer, inner in nested:
                highest[inner] = min(highest[outer], highest[inner], key=urgency.__getitem__)
        yield from (Use(child, resource, (), 1, 1) for resource, child in highest.items())

    def features(self) -> Iterator[str]:
        """Yield the features: which resources are shared, by which protocols."""
        yield from map(coverage.protocol, self.names)
        if any(use.outer for use in self.uses):
            yield coverage.NESTED
        if any(use.gives_way for use in self.uses):
            yield coverage.REACHING
        if not all(each.prevents_circles for each in self.traits) and _may_deadlock(self.uses):
            yield coverage.CIRCLE
        if any(server.longest > server.period for server in self.dispatcher.servers):
            yield coverage.LONG_OVERRUN


def has_deadlines(dispatcher: DispatcherView) -> bool:
    """True if absolute deadlines bound how urgent jobs are."""
    return dispatcher.traits.is_deadline_driven or dispatcher.traits.has_laxity_keys


class DelaysOf(dict[int, Delays]):
    """The delays in each dispatcher of a system by its number, computed at first use."""

    def __init__(self, view: SystemView) -> None:
        """Begin with none."""
        super().__init__()
        self._view = view

    def __missing__(self, number: int) -> Delays:
        """Bound the delays in a dispatcher."""
        self[number] = delays_in(self._view, self._view.dispatchers[number])
        return self[number]


def sharing_in(view: SystemView, dispatcher: DispatcherView) -> Sharing | None:
    """Return the sections of a dispatcher, None if there are none."""
    children = dispatcher.children()
    uses = list(_uses_of(view, children))
    protocols = {use.resource: view.resolved.resources[use.resource].protocol for use in uses}
    return Sharing(dispatcher, children, uses, protocols) if uses else None


def delays_in(view: SystemView, dispatcher: DispatcherView) -> Delays:
    """Bound the delays in a dispatcher."""
    sharing = sharing_in(view, dispatcher)
    if sharing is None:
        return Delays()
    there, adds, features = sharing.children, sharing.adds_regions, frozenset(sharing.features())
    try:
        if sharing.is_edf:
            regions = numbers(child.barred if adds and isinstance(child, TaskView) else 1 for child in there)
            begins, lengths = _analysis.sharing_steps(*sharing.columns(), sharing.locking, regions)
            steps = tuple(zip(map(int, begins), map(int, lengths), strict=True)) if lengths.any() else ()
            return Delays(steps=steps, adds_regions=adds, features=features)
        keys = numbers(child.key for child in there)
        blocking = tuple(map(int, _analysis.sharing_blocking(*sharing.columns(), sharing.locking, keys)))
    except OverflowError:
        return Delays(features=features | {coverage.ENDLESS})
    ends = tuple(  # None: a job that is never refused a lock
        child.behind_last_lock if isinstance(child, TaskView) and child.body and ticks > 0 else None
        for child, ticks in (zip(there, blocking, strict=True) if sharing.can_refuse else ())
    )
    return Delays(blocking, adds_regions=adds, ends=ends, features=features)


def _uses_of(view: SystemView, children: Sequence[Child]) -> Iterator[Use]:
    """Yield the critical sections of the children of a dispatcher."""
    for place, child in enumerate(children):
        if isinstance(child, TaskView):
            for s in child.sections:
                yield Use(place, s.resource, s.outer, s.reach, s.stretch, s.is_seen, s.gives_way)
        else:
            inside = [each for each in view.resolved.resources if each.home == child.number and each.among is not None]
            yield from (
                Use(place, each.among, (), child.holding, child.holding) for each in inside if each.among is not None
            )


def shares(view: SystemView, dispatcher: DispatcherView) -> bool:
    """True if any child of a dispatcher has a critical section."""
    return any(True for _ in _uses_of(view, dispatcher.children()))


def may_deadlock(view: SystemView, dispatcher: DispatcherView) -> bool:
    """True if jobs of a dispatcher nest resources in a circle."""
    return _may_deadlock(list(_uses_of(view, dispatcher.children())))


def _may_deadlock(uses: Sequence[Use]) -> bool:
    nesting = TopologicalSorter[int]()
    for use in uses:
        nesting.add(use.resource, *use.outer)
    try:
        nesting.prepare()
    except CycleError:
        return True
    return False


def _deadline_of(child: Child) -> int:
    """Return the relative deadline of a task, or of a server its period."""
    return child.deadline if isinstance(child, TaskView) else child.period


def _early_of(child: Child) -> int:
    """Return the earliest time from the arrival of work at a child to a deadline of it.

    That of a task comes sooner by its jitter. A server whose budget waits for work may have a deadline at any time.
    """
    if isinstance(child, TaskView):
        return child.deadline if child.is_kernel else max(child.deadline - child.jitter, 0)
    return child.period if child.traits.acts_as_task else 0


# ---- what comes back from a suspension --------------------------------------------------------------------


def with_returns(view: SystemView) -> SystemView:
    """Lengthen each suspension by what may be in the way of a job that comes back.

    Meanwhile a less urgent job may have begun a region or a section, in the dispatcher of the job or, if nothing else
    in its server was ready, in one above. That delays the job once more each time, and all that waits for it, as if the
    suspension lasted so much longer.
    """
    homes = {task.number: each.number for each in view.dispatchers for task in each.tasks if task.suspended}
    delays = dict[int, int]()  # by less urgent ones of one job in a dispatcher, at most
    for number in {each for home in homes.values() for each in _chain(view, home)}:
        dispatcher, found = view.dispatchers[number], delays_in(view, view.dispatchers[number])
        has_all = bool(found.steps) and found.adds_regions
        region = 0 if has_all else max((task.barred - 1 for task in dispatcher.tasks), default=0)
        delays[number] = found.blocked(region, max([0, *found.blocking, *(ticks for _, ticks in found.steps)]))

    def returning(task: TaskView) -> TaskView:
        if not task.suspended:
            return task
        delay = sum(delays[number] for number in _chain(view, homes[task.number]))
        suspended = task.suspended + task.suspensions * delay
        return replace(task, suspended=min(suspended, _analysis.TIME_MAX - task.wcet))

    return view.map(returning, lambda server: server)


def _chain(view: SystemView, number: int) -> Iterator[int]:
    """Yield a dispatcher and those around it, up to the root."""
    yield number
    while number != ROOT:
        number = view.dispatchers[number].home
        yield number


# ---- what servers share ---------------------------------------------------------------------------------


def with_holding(view: SystemView) -> SystemView:
    """Return the view with the holding of each server, which follows from the wcets of its tasks.

    A server holds longer if others execute meanwhile, and an overrun of another server is such execution. The result is
    the least fixed point.
    """
    if not any(resource.among is not None for resource in view.resolved.resources):
        return view
    while True:
        known = view
        view = known.map(lambda task: task, partial(_with_holding, known))
        if view == known:
            return view


def _with_holding(view: SystemView, server: ServerView) -> ServerView:
    """Compute the holding of one server; one without a bound is longer than any budget."""
    shared = {
        number: resource.among
        for number, resource in enumerate(view.resolved.resources)
        if resource.home == server.number and resource.among is not None
    }
    if not shared:
        return server
    protocol = view.resolved.resources[next(iter(shared))].protocol
    traits = catalogue.protocol_traits(protocol)
    waited_for = {str(number) for number in shared} if traits.awaits_budget else set[str]()
    neighbours = []
    for task in view.dispatchers[server.number].tasks:  # resources go by their numbers
        items = tuple((Op(op), str(value) if op in (Op.LOCK, Op.UNLOCK) else value) for op, value in task.body)
        neighbours.append(Neighbour(task.name, task.key, task.wcet, task.period, task.jitter, items))
    counted, longest = 0, server.period + 1
    with suppress(UnboundedError):
        counted = max(longest_hold(str(each), neighbours, waited_for, server.period) for each in shared)
        longest = max(
            longest_hold(str(each), neighbours, waited_for, server.period, _others(view, server, among))
            for each, among in shared.items()
        )
    overrun = longest if traits.overruns else 0
    is_outgrown = traits.awaits_budget and longest > counted
    return replace(server, holding=longest, overrun=overrun, protocol=protocol, is_outgrown=is_outgrown)


def _others(view: SystemView, server: ServerView, resource: int) -> Callable[[int], int]:
    """Return what other root children execute while a server holds a resource; in other parents it is unbounded.

    Under static keys these are the children above the ceiling, and none of them has work at the lock. Under deadlines
    they may: the server gets a later deadline when its budget comes. Then a job below that has begun continues, too.
    """
    parent = view.around(server)
    if parent.number != ROOT:
        return lambda ticks: _UNBOUNDED
    is_edf = has_deadlines(parent)
    children = parent.children()
    levels = [_deadline_of(child) if is_edf else child.key for child in children]
    ceiling = min(levels[use.child] for use in _uses_of(view, children) if use.resource == resource)
    others = [(child, level < ceiling) for child, level in zip(children, levels, strict=True) if child is not server]
    above = [child for child, is_above in others if is_above]
    below = [child for child, is_above in others if is_edf and not is_above]
    return lambda ticks: (
        sum(_executed(child, ticks, is_pending=is_edf) for child in above)
        + sum(
            _executed(child, ticks, is_pending=True) if isinstance(child, ServerView) else child.wcet for child in below
        )
    )


def _executed(child: Child, ticks: int, *, is_pending: bool) -> int:
    """Return a bound of the execution of a child of the root in an interval; a job may be pending at its begin."""
    if isinstance(child, ServerView):
        return (-(-ticks // child.period) + 1) * child.longest if child.traits.is_limited else _UNBOUNDED
    jobs = -(-(ticks + child.jitter) // child.period) if child.period else _UNBOUNDED
    return (jobs + (is_pending or child.suspended > 0)) * child.wcet
