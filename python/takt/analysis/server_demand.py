# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The demand of the tasks of servers, as seen outside, and servers whose budget is never used up.

A server that keeps its budget, or loses it, without work executes no more than the demand of its tasks. Seen from
outside, a task with the response R releases its execution C with a jitter of R - C: an earlier job is done, or has so
much less to do (analysis/servers_seen.c).

If a deferrable or sporadic server always has budget while it has work, its tasks compete at its priority in the parent,
as if there were no server (Strosnider, Lehoczky and Sha 1995, for a server of high priority; here for any).
Suppose they do, with the resulting responses R. In any window of one server period P they execute at most

    sum of N C + min(C, P + R - C - N T),  N = floor((P + R - C) / T)

If that is at most the budget Q, the supposition holds. Let r be the first instant at which the server has work and no
budget. It has used Q since some instant a, the begin of its period, or of the first interval whose budget has not
returned, and by a + P that much is back. Without a server its tasks execute Q in [a, r) too, so no more up to
a + P, and no task waited for budget. Returns of a sporadic server that can come together are back after 2 P: there the
window is 2 P.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from takt import _analysis
from takt.analysis import blockers, blocking, carry_in, causes, children, servers, static
from takt.analysis.blocking import DelaysOf
from takt.analysis.children import Member
from takt.analysis.judgement import Judgement
from takt.analysis.result import Part, Verdict
from takt.analysis.view import DispatcherView, Inside, ServerView, SystemView, TaskView
from takt.model.core_input import ROOT


def _keeps(server: ServerView) -> bool:
    """True if the budget of a server is available when work arrives."""
    return server.traits.defers or server.traits.returns


def insides_of(view: SystemView) -> list[tuple[Inside, ...]]:
    """Return the known demand of the tasks of all servers."""
    return [server.inside for each in view.dispatchers for server in each.servers]


def with_insides(view: SystemView, found: Judgement, delays: DelaysOf, effort: int) -> SystemView:
    """Return the system with the demand of its servers' tasks.

    Args:
        view: of the system.
        found: what is known of it, with bounds on responses.
        delays: in its dispatchers.
        effort: steps that the tests of each dispatcher may take.
    """
    if any(task.is_kernel for task in view.dispatchers[0].tasks):
        return view

    def known(server: ServerView) -> ServerView:
        # Where something is not known, nothing of it is: so much may wait for the first budget of a server.
        if not _is_plain(server, view.dispatchers[server.number]):
            return server
        if servers.why_not_known(view, server, delays[server.number]):
            return server
        return replace(server, inside=_Inner(view, server, found, delays, effort).inside())

    return view.map(lambda task: task, known)


def _is_plain(server: ServerView, dispatcher: DispatcherView) -> bool:
    """True if only the tasks of a server use its budget, and are unchanged."""
    is_alone = (server.traits.loses_idle_budget or _keeps(server)) and not server.protocol and not dispatcher.servers
    return is_alone and not any(task.suspended or task.may_overrun or task.has_windows for task in dispatcher.tasks)


def _keeps_under_priorities(view: SystemView, server: ServerView) -> bool:
    """True if priorities order around a server and in it, and its budget is available when a task has work."""
    around, inside = view.around(server), view.dispatchers[server.number]
    is_static = around.traits.has_static_keys and inside.traits.has_static_keys
    return is_static and _keeps(server) and bool(inside.tasks)


def has_budget_left(view: SystemView, server: ServerView) -> bool:
    """True if a server may have budget left when work comes, as carry_in.py has it, whatever is beside it."""
    is_plain = _is_plain(server, view.dispatchers[server.number])
    return is_plain and _keeps_under_priorities(view, server) and not server.traits.returns


def meets_deadlines(view: SystemView, dispatcher: DispatcherView, server: ServerView, effort: int) -> bool:
    """True if the tasks of such a server meet their deadlines with the budget left that it may have.

    Args:
        view: of the system.
        dispatcher: its inside.
        server: it has its budget at the end of each period.
        effort: steps that each test may take.
    """
    members = children.with_delays(static.members_in(view, dispatcher), blocking.delays_in(view, dispatcher))
    supply = _analysis.make_supply(server.period, server.budget, server.period, False)
    bounds = [each.ticks for each in children.responses(children.under_priorities(members, supply), effort)]
    known = [bound for bound in bounds if bound is not None]
    if len(known) < len(bounds):
        return False
    delay = server.period - server.budget
    found = carry_in.responses(dispatcher.tasks, members, server, delay, known, effort)
    return all(response <= task.deadline for response, task in zip(found, dispatcher.tasks, strict=True))


def _parts_in(level: Callable[[], causes.Level], place: int) -> list[Part]:
    return level().parts(place)


@dataclass(frozen=True, slots=True)
class _Inner:
    """A server whose budget only its tasks use, as they are.

    Args:
        view: of the system.
        server: which one.
        found, delays, effort: as with_insides has them.
    """

    view: SystemView
    server: ServerView
    found: Judgement
    delays: DelaysOf
    effort: int

    @property
    def tasks(self) -> tuple[TaskView, ...]:
        return self.view.dispatchers[self.server.number].tasks

    def inside(self) -> tuple[Inside, ...]:
        """Return the demand of the tasks; nothing if one of them has no bound, or no test admits the parent."""
        if self.found.servers[self.server.number].verdict is Verdict.NOT_KNOWN:
            return ()
        at_place = self._level_at_place()
        if at_place is not None:
            first = len(at_place.there) - len(self.tasks)
            return tuple(
                Inside(
                    task.wcet,
                    task.period,
                    task.jitter,
                    at_place.responses[place].ticks,
                    is_at_place=True,
                    cause=partial(at_place.parts, place),
                )
                for place, task in enumerate(self.tasks, start=first)
            )
        bounds = [self.found.tasks[task.number].response for task in self.tasks]
        known = [bound for bound in bounds if bound is not None]
        if len(known) < len(bounds):
            return ()
        response = self.found.servers[self.server.number].response
        sharper: list[int] = []  # by what can be left of the budget
        level: Callable[[], causes.Level] | None = None
        if response is not None and _keeps_under_priorities(self.view, self.server):
            delay = response - self.server.budget
            if not self.server.traits.returns or (delay <= 0 and self._window() <= self.server.period):
                members = self._members_in(self.view.dispatchers[self.server.number])
                sharper = carry_in.responses(self.tasks, members, self.server, delay, known, self.effort)
                blocked = self._blocked_in(self.view.dispatchers[self.server.number], members)
                level = partial(
                    carry_in.level_of, self.tasks, members, self.server, delay, sharper, blocked, self.effort
                )
        return tuple(
            Inside(
                task.wcet,
                task.period,
                response - task.wcet,
                response if sharper else None,
                cause=tuple if level is None else partial(_parts_in, level, place),
            )
            for place, (task, response) in enumerate(zip(self.tasks, sharper or known, strict=True))
        )

    def _blocked_in(self, dispatcher: DispatcherView, members: list[Member]) -> Callable[[int], list[Part]]:
        """Return what blocks the child of a dispatcher at an index."""
        return partial(blockers.under_priorities, self.view, dispatcher, members)

    def _members_in(self, dispatcher: DispatcherView) -> list[Member]:
        """Return the members of a dispatcher under static keys, with what delays them."""
        return children.with_delays(static.members_in(self.view, dispatcher), self.delays[dispatcher.number])

    def _level_at_place(self) -> causes.Level | None:
        """Bound the responses of tasks whose server always has budget for them; None if it may not."""
        parent = self.view.around(self.server)
        if parent.number != ROOT or not _keeps_under_priorities(self.view, self.server):
            return None
        members = self._members_in(parent)
        there = parent.children()
        place = next(at for at, child in enumerate(there) if child is self.server)
        if sum(member.key == members[place].key for member in members) > 1:
            return None
        above = members[: place + 1]
        server = above[-1]
        own_dispatcher = self.view.dispatchers[self.server.number]
        own = self._members_in(own_dispatcher)
        apart = max(member.key for member in above) + 1
        merged = [
            *above[:-1],
            *(
                replace(member, blocking=member.blocking + server.blocking, key=member.key + apart, last=1)
                for member in own
            ),
        ]
        found = children.responses(children.under_priorities(merged), self.effort)
        responses = [response.ticks for response in found[len(above) - 1 :]]
        known = [response for response in responses if response is not None]
        if len(known) < len(responses):
            return None
        total, window = 0, self._window()
        for task, response in zip(self.tasks, known, strict=True):
            whole, rest = divmod(window + response - task.wcet, task.period)
            total += whole * task.wcet + min(task.wcet, rest)
        if total > self.server.budget:
            return None
        around, inside = self._blocked_in(parent, members), self._blocked_in(own_dispatcher, own)

        def blocked(at: int) -> list[Part]:
            return [*around(min(at, place)), *(inside(at - place) if at >= place else ())]

        return causes.Level([*there[:place], *self.tasks], merged, found, blocked)

    def _window(self) -> int:
        """Return the time after which used budget is replenished."""
        is_late = self.server.traits.returns and servers.returns_of(self.view, self.server) > _analysis.MAX_RETURNS
        return 2 * self.server.period if is_late else self.server.period
