# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The demand of the tasks of servers, as seen outside, and servers whose budget is never used up.

A server that keeps its budget, or loses it, without work executes no more than the demand of its tasks. Seen from
outside, a task with the response R releases its execution C with a jitter of R - C: an earlier job is done, or has so
much less to do (analysis/server_fixed_priority.c).

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

from collections.abc import Sequence
from dataclasses import replace

from takt.analysis import blocking, carried, children, fixed, servers, static
from takt.analysis.fixed import Member
from takt.analysis.judgement import Judgement
from takt.analysis.result import ServerBound, Verdict
from takt.analysis.view import DispatcherView, Inside, ServerView, SystemView, TaskView


def _keeps(server: ServerView) -> bool:
    """Say whether the budget of a server is there when work comes."""
    return server.traits.defers or server.traits.returns


def insides_of(view: SystemView) -> list[tuple[Inside, ...]]:
    """List what is known of the tasks of all servers."""
    return [server.inside for each in view.dispatchers for server in each.servers]


def with_insides(view: SystemView, found: Judgement, effort: int) -> SystemView:
    """Give the same system with the demand of its servers' tasks.

    Args:
        view: of the system.
        found: what is known of it, with bounds on responses.
        effort: steps that the tests of each dispatcher may take.
    """
    inside = {each.number: each for each in view.dispatchers}
    homes = {server.number: each for each in view.dispatchers for server in each.servers}
    kernel = any(task.is_kernel for task in view.dispatchers[0].tasks)

    def known(server: ServerView) -> ServerView:
        if kernel or not _is_plain(server, inside[server.number]) or _doubt_of(view, inside[server.number], server):
            return server
        return replace(server, inside=_inside(view, homes[server.number], inside[server.number], server, found, effort))

    return view.map(lambda task: task, known)


def _doubt_of(view: SystemView, dispatcher: DispatcherView, server: ServerView) -> str:
    """Say why nothing is known of the tasks of a server, "" if something is: so much may wait for its first budget."""
    return servers.doubt_of(view, dispatcher, server, blocking.delays_in(view, dispatcher))


def _is_plain(server: ServerView, dispatcher: DispatcherView) -> bool:
    """Say whether nothing but the tasks of a server use its budget, as they are."""
    is_alone = (server.traits.loses_idle_budget or _keeps(server)) and not server.protocol and not dispatcher.servers
    return is_alone and not any(task.suspended or task.may_overrun or task.has_windows for task in dispatcher.tasks)


def _inside(
    view: SystemView,
    parent: DispatcherView,
    dispatcher: DispatcherView,
    server: ServerView,
    found: Judgement,
    effort: int,
) -> tuple[Inside, ...]:
    """Say what the tasks of a server ask for; nothing if one of them has no bound, or no test admits the parent."""
    if found.servers[server.number].verdict is Verdict.NOT_KNOWN:
        return ()
    at_place = _responses_at_place(view, parent, dispatcher, server, effort)
    if at_place:
        rows = zip(dispatcher.tasks, at_place, strict=True)
        return tuple(Inside(task.wcet, task.period, task.jitter, response, is_at_place=True) for task, response in rows)
    bounds = [found.tasks[task.number].response for task in dispatcher.tasks]
    known = [bound for bound in bounds if bound is not None]
    if len(known) < len(bounds):
        return ()
    sharper = _carried_responses(view, parent, dispatcher, server, found.servers[server.number], known, effort)
    least = sharper or known
    return tuple(
        Inside(task.wcet, task.period, response - task.wcet, response if sharper else None)
        for task, response in zip(dispatcher.tasks, least, strict=True)
    )


def _carried_responses(
    view: SystemView,
    parent: DispatcherView,
    dispatcher: DispatcherView,
    server: ServerView,
    row: ServerBound,
    bounds: Sequence[int],
    effort: int,
) -> list[int]:
    """Bound the responses of tasks by what can be left of their budget; none where that is not known."""
    is_static = parent.traits.has_static_keys and dispatcher.traits.has_static_keys
    if not is_static or not _keeps(server) or row.response is None or not dispatcher.tasks:
        return []
    delay = row.response - server.budget
    if server.traits.returns and (delay > 0 or _window(view, server, dispatcher) > server.period):
        return []
    return carried.responses(view, dispatcher, server, delay, bounds, effort)


def _responses_at_place(
    view: SystemView, parent: DispatcherView, dispatcher: DispatcherView, server: ServerView, effort: int
) -> list[int]:
    """Bound the responses of tasks whose server always has budget for them; none if it may not."""
    is_static = parent.traits.has_static_keys and dispatcher.traits.has_static_keys
    if parent.number != 0 or not is_static or not _keeps(server) or not dispatcher.tasks:
        return []
    around = blocking.delays_in(view, parent)
    members = fixed.with_delays(static.members_in(view, parent), around.by_name, around.ends)
    place = next(at for at, child in enumerate(parent.children()) if child is server)
    if sum(member.key == members[place].key for member in members) > 1:
        return []
    responses = _merged_responses(view, parent, dispatcher, members[: place + 1], effort)
    known = [response for response in responses if response is not None]
    is_full = (
        len(known) == len(responses)
        and _executed(dispatcher.tasks, known, _window(view, server, dispatcher)) <= server.budget
    )
    return known if is_full else []


def _window(view: SystemView, server: ServerView, dispatcher: DispatcherView) -> int:
    """Give the time after which used budget is replenished."""
    is_late = server.traits.returns and servers.returns_of(view, server, dispatcher) > servers.MAX_RETURNS
    return 2 * server.period if is_late else server.period


def _executed(tasks: Sequence[TaskView], responses: Sequence[int], window: int) -> int:
    """Bound what tasks with so long responses execute in a window."""
    total = 0
    for task, response in zip(tasks, responses, strict=True):
        whole, rest = divmod(window + response - task.wcet, task.period)
        total += whole * task.wcet + min(task.wcet, rest)
    return total


def _merged_responses(
    view: SystemView, parent: DispatcherView, dispatcher: DispatcherView, above: Sequence[Member], effort: int
) -> list[int | None]:
    """Bound the responses of tasks of a server that is the last of `above`, at its place among them."""
    higher, server = parent.children()[: len(above) - 1], above[-1]
    delays = blocking.delays_in(view, dispatcher)
    own = fixed.with_delays(static.members_in(view, dispatcher), delays.by_name, delays.ends)
    apart = max((member.key for member in above), default=0) + 1
    merged = [
        *above[:-1],
        *(
            replace(member, blocking=member.blocking + server.blocking, key=member.key + apart, last=1)
            for member in own
        ),
    ]
    found = children.responses([*higher, *dispatcher.tasks], merged, children.FULL, effort)
    return [response.ticks for response in found[len(higher) :]]
