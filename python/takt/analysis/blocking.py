"""For how long the sections of less urgent jobs delay others, by the protocol of each resource.

The formulas are in analysis/resource_blocking.c and server_resources.c: here is said which of them holds, and who uses
what. A server that shares something is in its parent a task with a section as long as it may hold it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from graphlib import CycleError, TopologicalSorter

from takt import _analysis, holding
from takt.analysis.fixed import Numbers, numbers
from takt.analysis.view import Child, DispatcherView, ServerView, SystemView, TaskView
from takt.bodies import Op
from takt.catalogue import AMONG_PROTOCOLS
from takt.resolved import ROOT

_CEILINGS = ("pcp", "icpp", "srp", *AMONG_PROTOCOLS)
_DEADLINES = ("edf", "llf")


@dataclass(frozen=True, slots=True)
class Delays:
    """What resources do to the children of a dispatcher.

    Args:
        by_name: for how long each child is delayed, in ticks; who is not there is not.
        steps: under deadlines: from which length of an interval on for how long jobs with later deadlines delay those
            in it.
        doubt: why nothing is known, or "".
    """

    by_name: Mapping[str, int] = field(default_factory=dict)
    steps: tuple[tuple[int, int], ...] = ()
    doubt: str = ""


@dataclass(frozen=True, slots=True)
class _Use:
    """A child of a dispatcher holds a resource: which child, which resource, for how long, and inside of what."""

    child: int
    resource: int
    length: int
    outer: tuple[int, ...] = ()


def delays_in(view: SystemView, dispatcher: DispatcherView) -> Delays:
    """Bound the delays in a dispatcher."""
    children = dispatcher.children()
    uses = list(_uses_of(view, children))
    if not uses:
        return Delays()
    protocols = {view.resolved.resources[use.resource].protocol for use in uses}
    doubt = _doubt_of(dispatcher, protocols, uses)
    if doubt:
        return Delays(doubt=doubt)
    is_edf = dispatcher.policy in _DEADLINES
    task, resource, ticks, late, early = _columns(children, uses, is_edf=is_edf)
    locking = _locking(dispatcher, protocols, uses)
    if is_edf:
        begins, lengths = _analysis.sharing_steps(task, resource, ticks, late, early, locking)
        return Delays(steps=tuple(zip(map(int, begins), map(int, lengths), strict=True)))
    keys = numbers(child.key for child in children)
    found = _analysis.sharing_blocking(task, resource, ticks, late, early, locking, keys)
    return Delays({child.name: int(delay) for child, delay in zip(children, found, strict=True)})


def _uses_of(view: SystemView, children: Sequence[Child]) -> Iterator[_Use]:
    """List what the children of a dispatcher hold in it."""
    for place, child in enumerate(children):
        if isinstance(child, TaskView):
            for section in child.sections:
                yield _Use(place, section.resource, section.length, section.outer)
        else:
            inside = [each for each in view.resolved.resources if each.home == child.number and each.among is not None]
            yield from (_Use(place, each.among, child.holding) for each in inside if each.among is not None)


def _doubt_of(dispatcher: DispatcherView, protocols: set[str], uses: Sequence[_Use]) -> str:
    """Say why no bound holds, "" if one does."""
    if "none" in protocols:
        return "nothing bounds the delay by a resource without a protocol"
    if "global-srp" in protocols:
        return "nothing bounds the delay by a server without budget that holds something (global-srp)"
    if any(server.longest > server.period for server in dispatcher.servers):
        return "a server may overrun its budget for longer than its period"
    if dispatcher.policy == "llf":
        return "there is no test of llf with resources"
    return "" if protocols <= {"pcp", "srp"} or not _may_deadlock(uses) else "jobs may wait for each other for ever"


def shares(view: SystemView, dispatcher: DispatcherView) -> bool:
    """Say whether children of a dispatcher hold anything in it."""
    return any(True for _ in _uses_of(view, dispatcher.children()))


def may_deadlock(view: SystemView, dispatcher: DispatcherView) -> bool:
    """Say whether jobs of a dispatcher nest resources in a circle."""
    return _may_deadlock(list(_uses_of(view, dispatcher.children())))


def _may_deadlock(uses: Sequence[_Use]) -> bool:
    """Say whether resources are nested in a circle."""
    nesting = TopologicalSorter[int]()
    for use in uses:
        nesting.add(use.resource, *use.outer)
    try:
        nesting.prepare()
    except CycleError:
        return True
    return False


def _locking(dispatcher: DispatcherView, protocols: set[str], uses: Sequence[_Use]) -> int:
    """Choose the sharpest formula that holds for all protocols together."""
    if protocols == {"npcs"}:
        return _analysis.NPCS
    is_loose = "icpp" in protocols and (len(protocols) > 1 or any(task.jitter for task in dispatcher.tasks))
    if protocols <= set(_CEILINGS) and not is_loose:
        return _analysis.CEILING
    return _analysis.PIP if protocols == {"pip"} and not any(use.outer for use in uses) else _analysis.MIXED


def _columns(
    children: Sequence[Child], uses: Sequence[_Use], *, is_edf: bool
) -> tuple[Numbers, Numbers, Numbers, Numbers, Numbers]:
    """Make the columns of sections, and of how urgent children are at the latest and at the earliest."""
    places = {resource: number for number, resource in enumerate(dict.fromkeys(use.resource for use in uses))}

    return (
        numbers(use.child for use in uses),
        numbers(places[use.resource] for use in uses),
        numbers(use.length for use in uses),
        numbers(_deadline_of(child) if is_edf else child.key for child in children),
        numbers(max(_deadline_of(child) - _jitter_of(child), 0) if is_edf else child.key for child in children),
    )


def _deadline_of(child: Child) -> int:
    """Give the relative deadline of a task, or of a server its period."""
    return child.deadline if isinstance(child, TaskView) else child.period


def _jitter_of(child: Child) -> int:
    """Give the jitter of a task."""
    return child.jitter if isinstance(child, TaskView) else 0


# ---- what comes back from a suspension --------------------------------------------------------------------


def with_returns(view: SystemView) -> SystemView:
    """Lengthen each suspension by what may be in the way of a job that comes back.

    Meanwhile a less urgent job may have begun a region or a section, in the dispatcher of the job or, if nothing else
    in its server was ready, in one above. That delays the job once more each time, and all that waits for it, as if the
    suspension lasted so much longer.
    """
    inside = {dispatcher.number: dispatcher for dispatcher in view.dispatchers}
    homes = {task.number: each.number for each in view.dispatchers for task in each.tasks if task.suspended}
    delays = {number: _longest_delay(view, inside[number]) for number in _with_parents(view, homes.values())}
    return view.map(
        lambda task: (
            _with_return(task, sum(delays[number] for number in _chain(view, homes[task.number])))
            if task.suspended
            else task
        ),
        lambda server: server,
    )


def _with_return(task: TaskView, delay: int) -> TaskView:
    """Give a task whose every suspension lasts longer, as long as tests admit it."""
    suspended = task.suspended + task.suspensions * delay
    return replace(task, suspended=min(suspended, _analysis.TIME_MAX - task.wcet))


def _chain(view: SystemView, number: int) -> Iterator[int]:
    """List a dispatcher and those around it, up to the root."""
    yield number
    while number != ROOT:
        number = view.resolved.servers[number - 1].home
        yield number


def _with_parents(view: SystemView, numbers: Iterable[int]) -> set[int]:
    """List dispatchers, each with those around it."""
    return {each for number in numbers for each in _chain(view, number)}


def _longest_delay(view: SystemView, dispatcher: DispatcherView) -> int:
    """Bound for how long one job can be delayed by less urgent ones."""
    delays = delays_in(view, dispatcher)
    region = max((task.barred - 1 for task in dispatcher.tasks), default=0)
    return region + max([0, *delays.by_name.values(), *(ticks for _, ticks in delays.steps)])


# ---- what servers share ---------------------------------------------------------------------------------


def with_holding(view: SystemView) -> SystemView:
    """Say of each server for how long its tasks may hold what it shares; it follows from their wcets."""
    if not any(resource.among is not None for resource in view.resolved.resources):
        return view
    inside = {dispatcher.number: dispatcher for dispatcher in view.dispatchers}
    return view.map(lambda task: task, lambda server: _with_holding(view, server, inside[server.number]))


def _with_holding(view: SystemView, server: ServerView, dispatcher: DispatcherView) -> ServerView:
    """Say so of one server; what cannot be bounded is longer than any budget."""
    shared = {
        number: resource
        for number, resource in enumerate(view.resolved.resources)
        if resource.home == server.number and resource.among is not None
    }
    if not shared:
        return server
    protocol = next(iter(shared.values())).protocol
    waited_for = {str(number) for number in shared} if protocol == "sirap" else set[str]()
    neighbours = [_neighbour(task) for task in dispatcher.tasks]
    try:
        longest = max(holding.longest_hold(str(number), neighbours, waited_for, server.period) for number in shared)
    except holding.UnboundedError:
        longest = server.period
    overrun = longest if protocol in ("hsrp", "hsrp-payback") else 0
    return replace(server, holding=longest, overrun=overrun, protocol=protocol)


def _neighbour(task: TaskView) -> holding.Neighbour:
    """Describe a task in a server; resources go by their numbers."""
    items = tuple((Op(op), str(value) if op in (Op.LOCK, Op.UNLOCK) else value) for op, value in task.body)
    return holding.Neighbour(task.name, task.key, task.wcet, task.period, task.jitter, items)
