# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The worst responses beside and in one server over all that may arrive: exhaustive search in integer time.

Written from section 4 of the specification. The root orders by fixed priorities: some tasks, the server, other tasks.
In the server there are tasks, the most urgent first. From each state the search tries, tick by tick, releases
of jobs, and whether the job that executes is over early. It ends when no state is new.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, product
from typing import NamedTuple

MAX_RETURNS = 32


class Task(NamedTuple):
    """A task: longest execution and least separation."""

    wcet: int
    period: int


@dataclass(frozen=True)
class TinySystem:
    """A server with tasks in it, above it and below it, each list the most urgent first.

    Args:
        kind: idling, polling, deferrable, sporadic or sporadic-strict.
        period, budget: of the server.
    """

    kind: str
    period: int
    budget: int
    inside: tuple[Task, ...]
    above: tuple[Task, ...] = ()
    below: tuple[Task, ...] = ()

    @property
    def has_returns(self) -> bool:
        """True if used budget comes back by itself."""
        return self.kind in ("sporadic", "sporadic-strict")

    @property
    def is_strict(self) -> bool:
        """True if each tick of the budget counts for itself."""
        return self.kind == "sporadic-strict"

    @property
    def tasks(self) -> tuple[Task, ...]:
        """All tasks: above, inside, below."""
        return (*self.above, *self.inside, *self.below)


class Server(NamedTuple):
    """What a server has; instants are relative to now.

    Args:
        ahead: how far its next period lies ahead; not of sporadic ones.
        budget: what is left.
        age: for how long it has been eligible, if it is; of sporadic ones only.
        charged: what it was charged since.
        returns: when how much comes back, soonest first.
        there: for how long each tick of the budget has been there in this interval, the oldest first; of strict ones.
        used: the same of those that it was charged.
    """

    ahead: int
    budget: int
    age: int | None = None
    charged: int = 0
    returns: tuple[tuple[int, int], ...] = ()
    there: tuple[int, ...] = ()
    used: tuple[int, ...] = ()


class State(NamedTuple):
    """Everything at an instant, after what ends then and before what comes then.

    Args:
        waits: of each task, for how long no job arrives.
        left: of each task, what its first job has still to execute; 0 without a job.
        ages: of each task, how long ago its jobs that are not done arrived.
    """

    server: Server
    waits: tuple[int, ...]
    left: tuple[int, ...]
    ages: tuple[tuple[int, ...], ...]


class TooMany(Exception):  # noqa: N818
    """A system has more states than are looked at."""


def worst_responses(system: TinySystem, most: int) -> list[int]:
    """Return the longest response of each task, in the order of `tasks`.

    Args:
        system: with responses that are bounded.
        most: so many states are looked at.

    Raises:
        TooMany: there are more.
    """
    none = (0,) * len(system.tasks)
    first = State(Server(0, system.budget), none, none, ((),) * len(system.tasks))
    known, open_states, worst = {first}, [first], list(none)
    while open_states:
        for state in _after_a_tick(system, open_states.pop(), worst):
            if state not in known:
                known.add(state)
                open_states.append(state)
                if len(known) > most:
                    raise TooMany
    return worst


def _after_a_tick(system: TinySystem, state: State, worst: list[int]) -> Iterator[State]:
    """Yield the states a tick later, whichever tasks release jobs, and note the responses that end then."""
    state = state._replace(server=_replenished(system, state))
    for released in product(*([False, True] if wait == 0 else [False] for wait in state.waits)):
        now = _with_releases(system, state, released)
        yield from _with_execution(system, now, _chosen(system, now), worst)


def _has_work(system: TinySystem, ages: Sequence[Sequence[int]]) -> bool:
    """True if a job is in the server."""
    return any(ages[place] for place in _inside(system))


def _inside(system: TinySystem) -> range:
    """Return the places of the tasks in the server."""
    return range(len(system.above), len(system.above) + len(system.inside))


def _replenished(system: TinySystem, state: State) -> Server:
    """Replenish the server if it is time to; a sporadic one that waits for that becomes eligible."""
    server = state.server
    if not system.has_returns:
        return server._replace(ahead=system.period, budget=system.budget) if server.ahead == 0 else server
    back = sum(ticks for due, ticks in server.returns if due <= 0)
    server = server._replace(budget=server.budget + back, returns=tuple(each for each in server.returns if each[0] > 0))
    if system.is_strict and server.age is not None:
        server = server._replace(there=(*server.there, *(0,) * back))
    return _eligible(system, server) if _has_work(system, state.ages) else server


def _eligible(system: TinySystem, server: Server) -> Server:
    """Return the server; a sporadic one with work and budget begins an interval, unless it is in one."""
    if server.age is not None or server.budget == 0:
        return server
    return server._replace(age=0, charged=0, there=(0,) * (server.budget * system.is_strict), used=())


def _with_releases(system: TinySystem, state: State, released: Sequence[bool]) -> State:
    """Release jobs, and let the server gain or lose by that."""
    tasks = system.tasks
    state = state._replace(
        waits=tuple(tasks[i].period if comes else state.waits[i] for i, comes in enumerate(released)),
        left=tuple(tasks[i].wcet if comes and not state.ages[i] else state.left[i] for i, comes in enumerate(released)),
        ages=tuple((*state.ages[i], 0) if comes else state.ages[i] for i, comes in enumerate(released)),
    )
    server = state.server
    if system.has_returns and _has_work(system, state.ages):
        server = _eligible(system, server)
    if system.kind == "polling" and not _has_work(system, state.ages):
        server = server._replace(budget=0)
    return state._replace(server=server)


SERVER_IDLES = -1


def _chosen(system: TinySystem, state: State) -> int | None:
    """Return the place of the task whose job executes; SERVER_IDLES of an idling server without jobs."""
    first = next((i for i in range(len(system.above)) if state.ages[i]), None)
    if first is not None:
        return first
    if state.server.budget > 0:
        working = next((i for i in _inside(system) if state.ages[i]), None)
        if working is not None or system.kind == "idling":
            return SERVER_IDLES if working is None else working
    behind = range(_inside(system).stop, len(system.tasks))
    return next((i for i in behind if state.ages[i]), None)


def _with_execution(system: TinySystem, state: State, chosen: int | None, worst: list[int]) -> Iterator[State]:
    """Execute a tick of a job, which may be its last one, and let it pass."""
    server = state.server
    if chosen == SERVER_IDLES or chosen in _inside(system):
        server = _charged(system, server)
    later = State(
        _older(server),
        tuple(max(0, wait - 1) for wait in state.waits),
        state.left,
        tuple(tuple(age + 1 for age in ages) for ages in state.ages),
    )
    if chosen is None or chosen == SERVER_IDLES:
        yield _settled(system, later)
        return
    if later.left[chosen] > 1:
        yield _settled(system, later._replace(left=_put(later.left, chosen, later.left[chosen] - 1)))
    ages = later.ages[chosen]
    worst[chosen] = max(worst[chosen], ages[0])
    following = system.tasks[chosen].wcet if len(ages) > 1 else 0
    yield _settled(
        system,
        later._replace(left=_put(later.left, chosen, following), ages=_put(later.ages, chosen, ages[1:])),
    )


def _charged(system: TinySystem, server: Server) -> Server:
    """Charge a tick: of a strict server the oldest one."""
    server = server._replace(budget=server.budget - 1, charged=server.charged + system.has_returns)
    return server._replace(there=server.there[1:], used=(*server.used, *server.there[:1]))


def _older(server: Server) -> Server:
    """Return a server a tick later."""
    return server._replace(
        ahead=max(0, server.ahead - 1),
        age=None if server.age is None else server.age + 1,
        returns=tuple((due - 1, ticks) for due, ticks in server.returns),
        there=tuple(age + 1 for age in server.there),
        used=tuple(age + 1 for age in server.used),
    )


def _settled(system: TinySystem, state: State) -> State:
    """End the interval of a sporadic server without work or without budget; its ticks come back."""
    server = state.server
    if server.age is None or (server.budget > 0 and _has_work(system, state.ages)):
        return state
    ages = server.used if system.is_strict else (server.age,) * server.charged
    returns = list(server.returns)
    for due, group in groupby(sorted(max(system.period - age, 0) for age in ages)):
        ticks = len(list(group))
        if len(returns) == MAX_RETURNS:
            ticks += returns.pop()[1]
        returns.append((due, ticks))
    return state._replace(server=Server(server.ahead, server.budget, returns=tuple(returns)))


def _put(values: tuple, place: int, value: object) -> tuple:  # type: ignore[type-arg]
    """Return the values with another one at a place."""
    return (*values[:place], value, *values[place + 1 :])
